"""Mamba-1, Mamba-2, log-linear Mamba-2 and Mamba-3."""

import math

import jax.numpy as jnp

from sigprop.layers.selective import Selective
from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Options,
    Rest,
    Spelling,
    softplus,
)
from sigprop.networks.foreign.stepped import MODULUS, headed, heads, stepped


def _selective(arrays: Arrays, options: Options) -> Selective:
    names = ("A_log", "U", "V", "bias", "W_B", "W_C", "D")
    missing = sorted(set(names) - set(arrays))
    if missing:
        raise ValueError(f"need {', '.join(missing)} for Mamba-1, got none")
    return Selective(**{name: jnp.asarray(arrays[name]) for name in names})


def _third(arrays: Arrays, options: Options) -> Rest:
    """Mamba-3 takes ``A = -softplus`` of inputs alone: ``-log 2`` without any."""
    steps = softplus(arrays["dt_bias"])[:, None]
    return Rest(nu=math.log(2) * steps, steps=steps, moved=True)


MAMBA1 = Family(
    "mamba",
    "Mamba-1",
    (
        Spelling(
            "mamba_ssm, transformers",
            {"A_log": "d n", "dt_proj.bias": "d"},
            {"D": "d", "dt_proj.weight": "d r", "x_proj.weight": "x d"},
            roles=headed(
                A_log="A_log",
                bias="dt_proj.bias",
                D="D",
                V="dt_proj.weight",
                x="x_proj.weight",
            ),
            slow=("A_log", "dt_proj.bias"),
            decay=("A_log", "dt_proj.bias"),
            logs=("A_log",),
            moves=("x_proj.weight", "dt_proj.weight"),
        ),
        Spelling(
            "sigprop",
            {"A_log": "d n", "bias": "d", "U": "r d", "V": "d r"},
            {"W_B": "n d", "W_C": "n d", "D": "d"},
            roles=headed(
                A_log="A_log", bias="bias", D="D", U="U", V="V", W_B="W_B", W_C="W_C"
            ),
            slow=("A_log", "bias"),
            decay=("A_log", "bias"),
            logs=("A_log",),
            moves=("U", "V"),
        ),
        Spelling(
            "VMamba",
            {"A_logs": "kd n", "dt_projs_bias": "k d"},
            {"Ds": "kd", "dt_projs_weight": "k d r", "x_proj_weight": "k x d"},
            roles=headed(A_log="A_logs", bias="dt_projs_bias", D="Ds"),
            slow=("A_logs", "dt_projs_bias"),
            decay=("A_logs", "dt_projs_bias"),
            logs=("A_logs",),
            moves=("x_proj_weight", "dt_projs_weight"),
        ),
    ),
    stepped,
    _selective,
    ("mamba", "falcon_mamba", "jamba"),
    step="softplus",
    modulus=MODULUS,
)

OF_DELTANET = (
    *("a_proj.weight", "in_proj_ba.weight", "in_proj_a.weight"),
    *("f_proj.0.weight", "f_proj.weight", "g_proj.weight"),
)
IN_PROJ = {"in_proj.weight": "x d", "in_proj.kernel": "d x"}
MAMBA2 = Family(
    "mamba2",
    "Mamba-2",
    (
        heads(
            "mamba_ssm, transformers",
            {},
            {"D": "h | hp", **IN_PROJ},
            never=OF_DELTANET,
            moves=tuple(IN_PROJ),
        ),
    ),
    stepped,
    None,
    ("mamba2", "bamba", "zamba2", "falcon_h1", "granitemoehybrid", "nemotron_h"),
    step="softplus",
    modulus=MODULUS,
)

LOG_LINEAR = Family(
    "log-linear-mamba2",
    "log-linear Mamba-2",
    (heads("fla", {"L": "h l"}, {"D": "h", **IN_PROJ}, moves=tuple(IN_PROJ)),),
    stepped,
    None,
    ("log_linear_mamba2",),
    step="softplus",
    modulus=MODULUS,
)

MAMBA3 = Family(
    "mamba3",
    "Mamba-3",
    (
        Spelling(
            "mamba_ssm, fla",
            {"dt_bias": "h", "B_bias": "h s n", "C_bias": "h s n"},
            {"D": "h", "in_proj.weight": "x d"},
            never=("A_log",),
            slow=("dt_bias",),
            decay=("dt_bias",),
            moves=("in_proj.weight",),
        ),
    ),
    _third,
    None,
    ("mamba3",),
    step="softplus",
    modulus="exp(-softplus(a) softplus({first})), a = 0 without inputs",
)
