"""RotRNN in the authors' code and in sigprop."""

import jax.numpy as jnp
import numpy as np

from sigprop.layers.base import Layer
from sigprop.layers.released_rotrnn import rotrnn_from_released
from sigprop.layers.rotrnn import BidirectionalRotRNN, RotRNN
from sigprop.networks.foreign.family import Arrays, Family, Options, Rest, Spelling


def _rest(arrays: Arrays, options: Options) -> Rest:
    heads = arrays["gamma_log"].shape[0]
    logs = arrays.get("theta_log")
    theta = arrays["theta"] if logs is None else np.exp(logs)
    if theta.size % heads:
        raise ValueError(
            f"need as many angles of RotRNN in each head, got {theta.size} in "
            f"{heads} heads"
        )
    theta = theta.reshape(heads, -1)
    decay = np.exp(arrays["gamma_log"])[:, None]
    return Rest(
        nu=np.broadcast_to(decay, theta.shape),
        theta=theta,
        shared=True,
    )


def _layer(arrays: Arrays, options: Options) -> Layer:
    if "theta" in arrays:
        both = arrays["C"].ndim == 3
        values = {name: jnp.asarray(value) for name, value in arrays.items()}
        return (BidirectionalRotRNN if both else RotRNN)(**values)
    named = {"P" if name == "M" else name: value for name, value in arrays.items()}
    return rotrnn_from_released(named, heads=named["gamma_log"].shape[0])


FAMILY = Family(
    "rotrnn",
    "RotRNN",
    (
        Spelling(
            "raresdolga/s5",
            {"theta_log": "half 1 | half", "gamma_log": "heads", "B": "n d"},
            {"M": "n s", "P": "n s", "C": "d n", "C2": "d n", "D": "d"},
            never=("nu_log",),
            slow=("theta_log", "gamma_log"),
            decay=("gamma_log",),
            logs=("theta_log", "gamma_log"),
        ),
        Spelling(
            "sigprop",
            {"theta": "heads half", "gamma_log": "heads", "M": "heads s s", "B": "n d"},
            {"C": "d_out n | 2 d_out n", "D": "d_out | d_out d"},
            slow=("theta", "gamma_log"),
            decay=("gamma_log",),
            logs=("gamma_log",),
        ),
    ),
    _rest,
    _layer,
    ("rotrnn",),
)
