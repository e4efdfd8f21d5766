"""RG-LRU in the spellings of RecurrentGemma, of Hugging Face and of ours."""

from typing import Any

import jax.numpy as jnp

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
    wide = CLOSING * softplus(arrays["Lambda"])[None]
    bias = arrays["b_a"].reshape(1, -1)
    return Rest(
        nu=wide * sigmoid(bias),
        open=wide,
        gates={"recurrence": bias, "input": arrays["b_x"].reshape(1, -1)},
        moved=True,
    )


def _layer(arrays: Arrays, options: Options) -> RGLRU:
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
        ),
        Spelling(
            "transformers",
            {"recurrent_param": "w", **_blocks(*HF)},
            roles=_named(Lambda="recurrent_param", **dict(zip(ROLES, HF, strict=True))),
            slow=("recurrent_param", "recurrent_gate_bias", "input_gate_bias"),
            decay=("recurrent_param",),
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
        ),
    ),
    _rest,
    _layer,
    ("recurrent_gemma",),
)
