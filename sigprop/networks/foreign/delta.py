"""Gated delta rule, whose decay at zero input has the same form as in Mamba-2.

Inputs additionally erase parts of the state, which the decay at zero input does not
show.
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.deltanet import GatedDeltaNet
from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Options,
    Rest,
    Spelling,
    Without,
    sigmoid,
)
from sigprop.networks.foreign.stepped import MODULUS, headed, heads, stepped


def _kda_rest(arrays: Arrays, options: Options) -> Rest:
    """KDA, whose decay may have a bound: ``nu = -bound sigmoid(exp(A_log) bias)``."""
    bound = options.get("lower_bound")
    flat = {**arrays, "bias": arrays["bias"].reshape(-1)}
    if bound is None:
        return stepped(flat, options)
    log = arrays["A_log"].reshape(-1, 1)
    nu = -bound * sigmoid(np.exp(log) * flat["bias"].reshape(len(log), -1))
    return Rest(nu=nu, moved=True)


def _bound(config: Mapping[str, Any]) -> Options:
    """The bound of fla, of Kimi Linear and of bailing_hybrid."""
    names = ["lower_bound", "forget_gate_lower_bound"]
    names += ["kda_lower_bound"] if config.get("kda_safe_gate") else []
    bounds = [config.get(name) for name in names]
    bounds = [bound for bound in bounds if isinstance(bound, int | float)]
    return {"lower_bound": bounds[0]} if bounds else {}


def _delta(arrays: Arrays, options: Options) -> GatedDeltaNet:
    names = ("W_q", "W_k", "W_v", "W_beta", "W_a", "bias", "A_log")
    missing = sorted(set(names) - set(arrays))
    if missing:
        raise ValueError(
            "need a gated DeltaNet without convolutions for our layer, got none of "
            f"{', '.join(missing)}"
        )
    return GatedDeltaNet(**{name: jnp.asarray(arrays[name]) for name in names})


OF_OTHERS = (
    *("D", "decay", "in_proj.weight", "in_proj.kernel"),
    *("f_proj.0.weight", "f_proj.weight", "r_proj.weight"),
)
STEP_OF_ONE = {"dt_bias": 1.0}  # with which Qwen3-Next and Qwen3.5 are released
GDN = Family(
    "gated-deltanet",
    "gated DeltaNet",
    (
        heads(
            "fla",
            {},
            dict.fromkeys(("a_proj.weight", "b_proj.weight"), "h d"),
            never=(*OF_OTHERS, "in_proj_ba.weight", "in_proj_a.weight"),
            moves=("a_proj.weight",),
        ),
        heads(
            "transformers: Qwen3-Next",
            {"in_proj_ba.weight": "2h d"},
            never=OF_OTHERS,
            moves=("in_proj_ba.weight",),
            starts=STEP_OF_ONE,
        ),
        heads(
            "transformers: Qwen3.5",
            dict.fromkeys(("in_proj_a.weight", "in_proj_b.weight"), "h d"),
            never=OF_OTHERS,
            moves=("in_proj_a.weight",),
            starts=STEP_OF_ONE,
        ),
        Spelling(
            "sigprop",
            {"A_log": "h", "bias": "h", "W_a": "h d", "W_beta": "h d"},
            {"W_q": "h k d", "W_k": "h k d", "W_v": "h v d"},
            roles=headed(
                A_log="A_log",
                bias="bias",
                W_a="W_a",
                W_beta="W_beta",
                W_q="W_q",
                W_k="W_k",
                W_v="W_v",
            ),
            slow=("A_log", "bias"),
            decay=("A_log", "bias"),
            logs=("A_log",),
            moves=("W_a",),
        ),
    ),
    stepped,
    _delta,
    ("gated_deltanet", "qwen3_next", "qwen3_5_text", "olmo_hybrid"),
    erases=True,
    step="softplus",
    modulus=MODULUS,
)


def _kda(library: str, gates: Mapping[str, str]) -> Spelling:
    return Spelling(
        library,
        {"A_log": "h | 1 1 h 1 | h 1", "dt_bias": "g | h k", **gates},
        roles=headed(A_log="A_log", bias="dt_bias"),
        slow=("A_log", "dt_bias"),
        decay=("A_log", "dt_bias"),
        logs=("A_log",),
        moves=tuple(gates),
    )


KDA = Family(
    "kda",
    "KDA",
    (
        _kda("fla", {"f_proj.0.weight": "v d", "f_proj.1.weight": "y v"}),
        _kda("transformers: bailing_hybrid", {"f_proj.weight": "y d"}),
        _kda("Kimi Linear", {"f_a_proj.weight": "v d", "f_b_proj.weight": "y v"}),
        _kda(
            "transformers: Kimi Linear",
            {"forget_gate_down.weight": "v d", "forget_gate_up.weight": "y v"},
        ),
    ),
    _kda_rest,
    None,
    ("kda", "precond_kda", "kimi_linear", "bailing_hybrid"),
    options=("lower_bound",),
    configured=_bound,
    erases=True,
    step="softplus",
    modulus=MODULUS,
)

OF_A_AND_B = dict.fromkeys(("a_proj.weight", "b_proj.weight"), "h d")
COMBA = Family(
    "comba",
    "Comba",
    tuple(
        heads(library, {"a_proj.weight": "h d", **own}, may, moves=("a_proj.weight",))
        for library, own, may in (
            ("fla", {"decay": "k"}, {"D": "k", "b_proj.weight": "h d"}),
            ("fla, without inner decay", {"D": "k"}, {"b_proj.weight": "h d"}),
        )
    ),
    stepped,
    None,
    ("comba",),
    erases=True,
    step="softplus",
    modulus=MODULUS,
)

PRECONDITIONER = Family(
    "preconditioner",
    "the preconditioner of DeltaNet",
    (
        heads(
            "fla",
            {},
            {"a_atk_proj.weight": "h d", "log_atk_scale": "h"},
            moves=("a_atk_proj.weight",),
            names=("A_log_atk", "dt_bias_atk"),
        ),
    ),
    stepped,
    None,
    step="softplus",
    modulus=MODULUS,
)

PRODUCT = Family(
    "gated-deltaproduct",
    "gated DeltaProduct",
    (
        heads(
            "fla",
            {
                "a_proj.weight": "h d",
                "b_proj.weight": " | ".join(f"{factors}h d" for factors in range(2, 9)),
            },
            moves=("a_proj.weight",),
        ),
    ),
    stepped,
    None,
    ("gated_deltaproduct",),
    erases=True,
    step="softplus",
    modulus=MODULUS,
)

RAVEN = Family(
    "raven",
    "Raven",
    (
        heads(
            "fla",
            {"a_proj.weight": "h d", "r_proj.weight": "y d"},
            never=("b_proj.weight",),
            moves=("a_proj.weight",),
        ),
    ),
    stepped,
    None,
    ("raven",),
    step="softplus",
    modulus=MODULUS,
)

PLAIN = Without(
    "DeltaNet or DeltaProduct without decay",
    "it never decays: the delta rule alone erases its state",
    {
        "b_proj.weight": "y d",
        **dict.fromkeys(("q_proj.weight", "k_proj.weight"), "x d"),
    },
    never=("A_log", "a_proj.weight", "dt_bias", "A_log_atk"),
)
