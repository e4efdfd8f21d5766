"""The LRU in minimal-LRU and its descendants, in the paper's listing and in sigprop."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.lru import LRU
from sigprop.networks.foreign.family import Arrays, Family, Options, Rest, Spelling

LOGS = ("nu_log", "theta_log", "gamma_log")


def _norms(arrays: Arrays, prefix: str, axis: int) -> dict[str, np.ndarray]:
    parts = [
        arrays[name] for name in (f"{prefix}_re", f"{prefix}_im") if name in arrays
    ]
    return (
        {prefix: np.sqrt(sum((p**2).sum(axis) for p in parts))[None]} if parts else {}
    )


def _rest(arrays: Arrays, options: Options) -> Rest:
    n = arrays["nu_log"].shape[0]
    gamma = arrays.get("gamma_log")
    weights = _norms(arrays, "B", 1) | _norms(arrays, "C", 0)
    return Rest(
        nu=np.exp(arrays["nu_log"])[None],
        theta=np.exp(arrays["theta_log"])[None],
        gamma=np.ones((1, n)) if gamma is None else np.exp(gamma)[None],
        shared=True,
        silent={name: norm for name, norm in weights.items() if norm.shape[1] == n},
    )


def _layer(arrays: Arrays, options: Options) -> LRU:
    values: dict[str, Any] = {name: jnp.asarray(x) for name, x in arrays.items()}
    missing = {"B_re", "B_im", "C_re", "C_im", "D"} - set(values)
    if missing:
        raise ValueError(f"need {', '.join(sorted(missing))} for an LRU, got none")
    gamma: str = "learned" if "gamma_log" in values else "absent"
    return LRU(**{"gamma_log": None, **values}, gamma=gamma)


def _complex(arrays: Arrays) -> Arrays:
    parts = {}
    for name, value in arrays.items():
        if name in ("B", "C"):
            parts |= {f"{name}_re": value.real, f"{name}_im": value.imag}
        else:
            parts[name] = value
    return parts


NEEDS = {"nu_log": "n", "theta_log": "n"}
FAMILY = Family(
    "lru",
    "the LRU",
    (
        Spelling(
            "minimal-LRU, discretax, memax, long-range-models, sigprop",
            {**NEEDS},
            {
                "gamma_log": "n",
                **dict.fromkeys(("B_re", "B_im"), "n d_in"),
                **dict.fromkeys(("C_re", "C_im"), "d_out n | d_out 2n"),
                "D": "d | d_out d_in",
            },
            never=("B", "C"),
            slow=(*LOGS, "B_re", "B_im", "C_re", "C_im"),
            decay=("nu_log",),
            logs=LOGS,
        ),
        Spelling(
            "lru-pytorch",
            {**NEEDS, "B": "n d_in", "C": "d_out n"},
            {"gamma_log": "n", "D": "d | d_out d_in"},
            roles=_complex,
            slow=(*LOGS, "B", "C"),
            decay=("nu_log",),
            logs=LOGS,
        ),
    ),
    _rest,
    _layer,
    ("lru",),
)
