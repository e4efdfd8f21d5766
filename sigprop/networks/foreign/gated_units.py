"""GRU and LSTM in PyTorch (fused gates), flax, Equinox and sigprop.

The layers of other libraries have no readout; the layer that is built returns its states.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.gru import GRU
from sigprop.layers.lstm import LSTM
from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Options,
    Rest,
    Spelling,
    sigmoid,
    softplus,
)

Roles = Callable[[Arrays], Arrays]


def _bias(arrays: Arrays, name: str) -> Any:
    return arrays.get(f"b_{name}", np.zeros(arrays["size"]))


def _gru_rest(arrays: Arrays, options: Options) -> Rest:
    """The GRU at zero input and state: rate, and Jacobian of ``(1 - z) n + z h``."""
    b_z, b_r, b_h = (_bias(arrays, name) for name in ("f", "r", "nh"))
    z, r = sigmoid(b_z), sigmoid(b_r)
    new = _bias(arrays, "nx") + r * b_h
    n = np.tanh(new)
    inner = r[:, None] * arrays["W_nh"] + (b_h * r * (1 - r))[:, None] * arrays["W_rh"]
    jacobian = (
        np.diag(z)
        + ((1 - z) * (1 - n**2))[:, None] * inner
        - (n * z * (1 - z))[:, None] * arrays["W_fh"]
    )
    gates = {"update": b_z[None], "reset": b_r[None], "new": new[None]}
    return Rest(nu=softplus(-b_z[None]), gates=gates, moved=True, jacobian=jacobian)


def _lstm_rest(arrays: Arrays, options: Options) -> Rest:
    """The LSTM at zero input and zero state: decay of ``c' = f c + i g`` and Jacobian.

    The Jacobian is the derivative of ``c'`` by ``c``.  ``h = o tanh(c)`` is taken with
    a constant output gate.
    """
    b_f, b_i, b_o, b_g = (_bias(arrays, name) for name in "fiog")
    f, i, o, g = sigmoid(b_f), sigmoid(b_i), sigmoid(b_o), np.tanh(b_g)
    by_h = (i * (1 - g**2))[:, None] * arrays["W_gh"]
    by_h = by_h + (g * i * (1 - i))[:, None] * arrays["W_ih"]
    held = o * (1 - np.tanh(i * g) ** 2)
    gates = {"forget": b_f, "input": b_i, "output": b_o, "cell": b_g}
    return Rest(
        nu=softplus(-b_f[None]),
        gates={name: bias[None] for name, bias in gates.items()},
        moved=True,
        jacobian=np.diag(f) + by_h * held,
    )


def _layer(cls: Any, gates: str, biases: tuple[str, ...]) -> Callable[..., Any]:
    def layer(arrays: Arrays, options: Options) -> Any:
        values = {
            name: jnp.asarray(value) for name, value in arrays.items() if name != "size"
        }
        n, d_in = values[f"W_{gates[0]}x"].shape
        dtype = values[f"W_{gates[0]}x"].dtype
        identity = {"C": jnp.eye(n, dtype=dtype), "D": jnp.zeros((n, d_in), dtype)}
        zeros = {name: jnp.zeros(n, dtype) for name in biases}
        return cls(**{**identity, **zeros, **values})

    return layer


def _fused(gates: str, split_bias: bool) -> Roles:
    """Gates one below the other, in the order of the letters."""

    def roles(arrays: Arrays) -> Arrays:
        out: dict[str, Any] = {}
        parts = {}
        for name, value in arrays.items():
            if name == "bias_n":
                out["b_nh"] = value
                continue
            n = value.shape[0] // len(gates)
            parts[name] = {g: value[i * n : (i + 1) * n] for i, g in enumerate(gates)}
            out["size"] = n
        for name, end in (("weight_ih", "x"), ("weight_hh", "h")):
            for gate, value in parts.get(name, {}).items():
                out[f"W_{gate}{end}"] = value
        for name in {"bias_ih", "bias_hh", "bias"} & set(parts):
            for gate, value in parts[name].items():
                if split_bias and gate == "n":
                    role = "b_nh" if name == "bias_hh" else "b_nx"
                else:
                    role = f"b_{gate}"
                out[role] = out[role] + value if role in out else value
        return out

    return roles


def _flax(gates: dict[str, str], split_bias: bool) -> Roles:
    """A matrix a gate, which multiplies from the right."""

    def roles(arrays: Arrays) -> Arrays:
        out: dict[str, Any] = {}
        for name, value in arrays.items():
            (source, letter), kind = name.split(".")[0], name.split(".")[1]
            gate, end = gates[letter], {"i": "x", "h": "h"}[source]
            out["size"] = value.shape[-1]
            if kind == "kernel":
                out[f"W_{gate}{end}"] = value.T
                continue
            role = f"b_n{end}" if split_bias and gate == "n" else f"b_{gate}"
            out[role] = out[role] + value if role in out else value
        return out

    return roles


def _ours(arrays: Arrays) -> Arrays:
    return {**arrays, "size": arrays["b_f"].shape[0]}


def _torch(library: str, count: int, roles: Roles, **biases: str) -> Spelling:
    return Spelling(
        library,
        {"weight_hh": f"{count}n n", "weight_ih": f"{count}n d"},
        biases,
        roles=roles,
        slow=("weight_hh", *biases),
    )


def _kernels(letters: str, biased: tuple[str, ...]) -> Spelling:
    hidden = {f"h{letter}.kernel": "n n" for letter in letters}
    entering = {f"i{letter}.kernel": "d n" for letter in letters}
    gates = {"z": "f"} if "z" in letters else {}
    return Spelling(
        "flax",
        hidden | entering,
        {f"{name}.bias": "n" for name in biased},
        roles=_flax(
            {letter: gates.get(letter, letter) for letter in letters}, "z" in letters
        ),
        slow=(*(f"{name}.bias" for name in biased), *hidden),
    )


GRU_FAMILY = Family(
    "gru",
    "the GRU",
    (
        _torch("torch", 3, _fused("rfn", True), bias_ih="3n", bias_hh="3n"),
        _torch("equinox", 3, _fused("rfn", True), bias="3n", bias_n="n"),
        _kernels("rzn", ("ir", "iz", "in", "hr", "hz", "hn")),
        Spelling(
            "sigprop",
            {
                f"W_{g}{end}": "n d" if end == "x" else "n n"
                for end in "hx"
                for g in "rfn"
            }
            | dict.fromkeys(("b_r", "b_f", "b_nx", "b_nh"), "n"),
            {"C": "o n", "D": "o d"},
            roles=_ours,
            slow=(
                *("b_r", "b_f", "b_nx", "b_nh"),
                *("W_rh", "W_fh", "W_nh"),
            ),
        ),
    ),
    _gru_rest,
    _layer(GRU, "rfn", ("b_r", "b_f", "b_nx", "b_nh")),
    modulus="z = sigmoid(b_z) without inputs",
)

LSTM_FAMILY = Family(
    "lstm",
    "the LSTM",
    (
        _torch("torch", 4, _fused("ifgo", False), bias_ih="4n", bias_hh="4n"),
        _torch("equinox", 4, _fused("ifgo", False), bias="4n"),
        _kernels("ifgo", ("hi", "hf", "hg", "ho")),
        Spelling(
            "sigprop",
            {
                f"W_{g}{end}": "n d" if end == "x" else "n n"
                for end in "hx"
                for g in "ifog"
            }
            | {f"b_{g}": "n" for g in "ifog"},
            {"C": "o n", "D": "o d"},
            roles=_ours,
            slow=("b_i", "b_f", "b_o", "b_g", "W_ih", "W_gh"),
        ),
    ),
    _lstm_rest,
    _layer(LSTM, "ifog", ("b_i", "b_f", "b_o", "b_g")),
    modulus="f = sigmoid(b_f) without inputs",
)
