"""Mamba-1 and Mamba-2, gated DeltaNet and KDA: ``lam = exp(-softplus(bias) exp(A_log))``."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.deltanet import GatedDeltaNet
from sigprop.layers.selective import Selective
from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Options,
    Rest,
    Spelling,
    sigmoid,
    softplus,
)


def _rest(arrays: Arrays, options: Options) -> Rest:
    """One head or channel a row."""
    log = arrays["A_log"].reshape(arrays["heads"], -1)
    if arrays["bias"].size % len(log):
        raise ValueError(
            f"need a step for each of {len(log)} heads or channels, got "
            f"{arrays['bias'].size}"
        )
    steps = softplus(arrays["bias"]).reshape(arrays["heads"], -1)
    return Rest(
        nu=np.exp(log) * steps,
        steps=steps,
        shared=log.shape[1] > 1,
        moved=True,
    )


def _kda_rest(arrays: Arrays, options: Options) -> Rest:
    """KDA, whose decay may have a bound: ``nu = -bound sigmoid(exp(A_log) bias)``."""
    bound = options.get("lower_bound")
    if bound is None:
        return _rest(arrays, options)
    log = arrays["A_log"].reshape(-1, 1)
    nu = -bound * sigmoid(np.exp(log) * arrays["bias"].reshape(len(log), -1))
    return Rest(nu=nu, moved=True)


def _bound(config: Mapping[str, Any]) -> Options:
    bound = config.get("kda_lower_bound") if config.get("kda_safe_gate") else None
    return {"lower_bound": bound} if isinstance(bound, int | float) else {}


def _headed(**names: str) -> Any:
    """Roles by name, and along which axis heads are counted."""

    def roles(arrays: Arrays) -> Arrays:
        by_role: dict[str, Any] = {
            role: arrays[name] for role, name in names.items() if name in arrays
        }
        a = by_role["A_log"]
        by_role["heads"] = a.size if a.ndim != 2 else a.shape[0]
        if "x" in by_role:
            rank, n = by_role["V"].shape[1], a.shape[1]
            x = by_role.pop("x")
            by_role |= {"U": x[:rank], "W_B": x[rank : rank + n], "W_C": x[rank + n :]}
        return by_role

    return roles


def _selective(arrays: Arrays, options: Options) -> Selective:
    names = ("A_log", "U", "V", "bias", "W_B", "W_C", "D")
    missing = sorted(set(names) - set(arrays))
    if missing:
        raise ValueError(f"need {', '.join(missing)} for Mamba-1, got none")
    return Selective(**{name: jnp.asarray(arrays[name]) for name in names})


def _delta(arrays: Arrays, options: Options) -> GatedDeltaNet:
    names = ("W_q", "W_k", "W_v", "W_beta", "W_a", "bias", "A_log")
    missing = sorted(set(names) - set(arrays))
    if missing:
        raise ValueError(
            "need a gated DeltaNet without convolutions for our layer, got none of "
            f"{', '.join(missing)}"
        )
    return GatedDeltaNet(**{name: jnp.asarray(arrays[name]) for name in names})


MAMBA1 = Family(
    "mamba",
    "Mamba-1",
    (
        Spelling(
            "mamba_ssm, transformers",
            {"A_log": "d n", "dt_proj.bias": "d"},
            {"D": "d", "dt_proj.weight": "d r", "x_proj.weight": "x d"},
            roles=_headed(
                A_log="A_log",
                bias="dt_proj.bias",
                D="D",
                V="dt_proj.weight",
                x="x_proj.weight",
            ),
            slow=("A_log", "dt_proj.bias"),
            decay=("A_log", "dt_proj.bias"),
            logs=("A_log",),
        ),
        Spelling(
            "sigprop",
            {"A_log": "d n", "bias": "d", "U": "r d", "V": "d r"},
            {"W_B": "n d", "W_C": "n d", "D": "d"},
            roles=_headed(
                A_log="A_log", bias="bias", D="D", U="U", V="V", W_B="W_B", W_C="W_C"
            ),
            slow=("A_log", "bias"),
            decay=("A_log", "bias"),
            logs=("A_log",),
        ),
        Spelling(
            "VMamba",
            {"A_logs": "kd n", "dt_projs_bias": "k d"},
            {"Ds": "kd", "dt_projs_weight": "k d r", "x_proj_weight": "k x d"},
            roles=_headed(A_log="A_logs", bias="dt_projs_bias", D="Ds"),
            slow=("A_logs", "dt_projs_bias"),
            decay=("A_logs", "dt_projs_bias"),
            logs=("A_logs",),
        ),
    ),
    _rest,
    _selective,
    ("mamba", "falcon_mamba", "jamba"),
)

OF_DELTANET = (
    *("a_proj.weight", "in_proj_ba.weight"),
    *("f_proj.0.weight", "f_proj.weight", "g_proj.weight"),
)
MAMBA2 = Family(
    "mamba2",
    "Mamba-2",
    (
        Spelling(
            "mamba_ssm, transformers",
            {"A_log": "h", "dt_bias": "h"},
            {"D": "h | hp", "in_proj.weight": "x d", "in_proj.kernel": "d x"},
            never=OF_DELTANET,
            roles=_headed(A_log="A_log", bias="dt_bias", D="D"),
            slow=("A_log", "dt_bias"),
            decay=("A_log", "dt_bias"),
            logs=("A_log",),
        ),
    ),
    _rest,
    None,
    ("mamba2", "bamba", "zamba2", "falcon_h1", "granitemoehybrid", "nemotron_h"),
)

GDN = Family(
    "gated-deltanet",
    "gated DeltaNet",
    (
        Spelling(
            "fla",
            {"A_log": "h", "dt_bias": "h"},
            {
                **dict.fromkeys(("a_proj.weight", "b_proj.weight"), "h d"),
                "in_proj_ba.weight": "2h d",
            },
            never=(
                *("D", "in_proj.weight", "in_proj.kernel"),
                *("f_proj.0.weight", "f_proj.weight"),
            ),
            roles=_headed(A_log="A_log", bias="dt_bias"),
            slow=("A_log", "dt_bias"),
            decay=("A_log", "dt_bias"),
            logs=("A_log",),
        ),
        Spelling(
            "sigprop",
            {"A_log": "h", "bias": "h", "W_a": "h d", "W_beta": "h d"},
            {"W_q": "h k d", "W_k": "h k d", "W_v": "h v d"},
            roles=_headed(
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
        ),
    ),
    _rest,
    _delta,
    ("gated_deltanet", "qwen3_next", "olmo_hybrid"),
    erases=True,
)

KDA = Family(
    "kda",
    "KDA",
    tuple(
        Spelling(
            library,
            {"A_log": "h | 1 1 h 1", "dt_bias": "g", gate: "g d" if whole else "v d"},
            roles=_headed(A_log="A_log", bias="dt_bias"),
            slow=("A_log", "dt_bias"),
            decay=("A_log", "dt_bias"),
            logs=("A_log",),
        )
        for library, gate, whole in (
            ("fla", "f_proj.0.weight", False),
            ("transformers", "f_proj.weight", True),
        )
    ),
    _kda_rest,
    None,
    ("kda", "kimi_linear", "bailing_hybrid"),
    options=("lower_bound",),
    configured=_bound,
    erases=True,
)
