"""RG-LRU in RecurrentGemma, Hugging Face, hippogriff and sigprop."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.rglru import CLOSING, RGLRU
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
    scale = -float(arrays.get("scale", np.array(-CLOSING)).item())
    wide = scale * softplus(arrays["Lambda"])[None]
    bias = arrays["b_a"].reshape(1, -1)
    return Rest(
        nu=wide * sigmoid(bias),
        open=wide,
        gates={"recurrence": bias, "input": arrays["b_x"].reshape(1, -1)},
        moved=True,
    )


def _layer(arrays: Arrays, options: Options) -> RGLRU:
    arrays = dict(arrays)
    scale = arrays.pop("scale", None)
    if scale is not None and float(scale.item()) != -CLOSING:
        raise ValueError(
            f"need alpha_log_scale = -{CLOSING} for our RG-LRU, got {scale.item()}"
        )
    return RGLRU(**{name: jnp.asarray(value) for name, value in arrays.items()})


def _named(**names: str) -> Any:
    def roles(arrays: Arrays) -> Arrays:
        by_role = {role: arrays[name] for role, name in names.items() if name in arrays}
        for role in ("W_a", "W_x"):  # theirs multiply from the right
            if role in by_role:
                by_role[role] = by_role[role].swapaxes(-1, -2)
        return by_role | {
            role: by_role[role].reshape(-1)
            for role in ("b_a", "b_x")
            if role in by_role
        }

    return roles


def _hippogriff(arrays: Arrays) -> Arrays:
    """One linear map has both gates, that of the decay first."""
    bias = arrays["gates.bias"]
    half = len(bias) // 2
    by_role = {"Lambda": arrays["forget_base"], "b_a": bias[:half], "b_x": bias[half:]}
    if "gates.weight" in arrays:
        weight = arrays["gates.weight"]
        by_role |= {"W_a": weight[None, :half], "W_x": weight[None, half:]}
    if "alpha_log_scale" in arrays:
        by_role["scale"] = arrays["alpha_log_scale"]
    return by_role


def _blocks(a: str, a_b: str, x: str, x_b: str) -> dict[str, str]:
    return {a: "heads s s", a_b: "heads s", x: "heads s s", x_b: "heads s"}


JAX = ("a_gate.w", "a_gate.b", "input_gate.w", "input_gate.b")
HF = (
    "recurrent_gate_weight",
    "recurrent_gate_bias",
    "input_gate_weight",
    "input_gate_bias",
)
ROLES = ("W_a", "b_a", "W_x", "b_x")
FAMILY = Family(
    "rglru",
    "RG-LRU",
    (
        Spelling(
            "recurrentgemma",
            {"a_param": "w", **_blocks(*JAX)},
            roles=_named(Lambda="a_param", **dict(zip(ROLES, JAX, strict=True))),
            slow=("a_param", "a_gate.b", "input_gate.b"),
            decay=("a_param",),
            moves=("a_gate.w",),
        ),
        Spelling(
            "transformers",
            {"recurrent_param": "w", **_blocks(*HF)},
            roles=_named(Lambda="recurrent_param", **dict(zip(ROLES, HF, strict=True))),
            slow=("recurrent_param", "recurrent_gate_bias", "input_gate_bias"),
            decay=("recurrent_param",),
            moves=("recurrent_gate_weight",),
        ),
        Spelling(
            "hippogriff",
            {"forget_base": "c", "gates.weight": "2c c", "gates.bias": "2c"},
            {"alpha_log_scale": "1"},
            roles=_hippogriff,
            slow=("forget_base", "gates.bias", "alpha_log_scale"),
            decay=("forget_base",),
            moves=("gates.weight",),
        ),
        Spelling(
            "sigprop",
            {
                "Lambda": "n",
                "W_a": "heads s s",
                "b_a": "n",
                "W_x": "heads s s",
                "b_x": "n",
            },
            slow=("Lambda", "b_a", "b_x"),
            decay=("Lambda",),
            moves=("W_a",),
        ),
    ),
    _rest,
    _layer,
    ("recurrent_gemma",),
    modulus="exp(-8 softplus({first}) r), r the recurrence gate",
)
