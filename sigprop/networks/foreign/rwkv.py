"""RWKV-4, with one decay per channel: ``lam = exp(-exp(time_decay))``."""

import numpy as np

from sigprop.networks.foreign.family import Arrays, Family, Options, Rest, Spelling


def _rest(arrays: Arrays, options: Options) -> Rest:
    return Rest(nu=np.exp(arrays["time_decay"])[None])


FAMILY = Family(
    "rwkv4",
    "RWKV-4",
    (
        Spelling(
            "BlinkDL/RWKV-LM, transformers",
            {"time_decay": "c", "time_first": "c"},
            slow=("time_decay",),
            decay=("time_decay",),
            logs=("time_decay",),
        ),
    ),
    _rest,
    None,
    ("rwkv",),
    modulus="exp(-exp({first}))",
)
