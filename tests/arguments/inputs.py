"""Rows of ``sigprop`` and ``sigprop.neuron``."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop import White, neuron
from sigprop.theory.gates import RGLRU
from tests.arguments import KEY, Row, numbers, row, valid

LAM = jnp.array([0.5, 0.8])
# a = 1/2, b standard normal: at most the state of an AR(1) process
POWERS = {
    n * "a" + m * "b": 0.5**n * (1.0, 0.0, 1.0, 0.0, 3.0)[m]
    for n in range(5)
    for m in range(5 - n)
    if n + m
}
COMPLEX = jnp.array([0.5 + 0.2j, 0.8j])
X = jnp.array([[1.0, 0.5], [0.0, -1.0], [2.0, 1.0]])


def overflows(result: Any) -> bool:
    """Infinite where floating point ends, and nowhere not a number."""
    return not any(np.isnan(array).any() for array in numbers(result))


def near(value: float):
    return lambda result: math.isclose(float(result), value, rel_tol=1e-6)


ROWS: dict[str, Row] = {
    "sigprop.White": row(
        lambda: {"variance": 2.0},
        legal={"variance: 0": valid, "variance: 1e308": valid},
    ),
    "sigprop.Constant": row(
        lambda: {"variance": 2.0},
        legal={"variance: 0": valid, "variance: 1e308": valid},
    ),
    "sigprop.AR1": row(
        lambda: {"rho": 0.5, "variance": 2.0},
        legal={
            **dict.fromkeys(("rho: -1", "rho: 0", "variance: 0"), valid),
            "variance: 1e308": valid,
        },
    ),
    "sigprop.Mixed": row(
        lambda: {"a": 1.0, "b": 0.5, "rho": 0.5},
        legal={
            **{f"{name}: {value}": valid for name in "ab" for value in ("0", "1e308")},
            "rho: -1": valid,
            "rho: 0": valid,
        },
    ),
    "sigprop.MovingAverage": row(
        lambda: {"taps": (1.0, 0.5)},
        legal={
            **{f"taps: {v} at {i}": valid for i in (0, 1) for v in ("-1", "0")},
            "taps: one more": valid,
        },
    ),
    "sigprop.Empirical": row(
        lambda: {"values": np.array([[1.0, 2.0], [3.0, 4.0]])},
        legal={
            f"values: {description}": valid for description in ("zeros", "minus ones")
        },
    ),
    "sigprop.Recording": row(
        lambda: {"values": np.array([1.0, 2.0, 3.0, 4.0])},
        legal={
            f"values: {description}": valid for description in ("zeros", "minus ones")
        },
    ),
    "sigprop.compile_quickly": row(dict),
    "sigprop.double_precision": row(lambda: {"on": True}),
    "sigprop.linear_recurrence": row(
        lambda: {"lam": LAM, "x": X, "initial": LAM, "method": "sequential"},
        legal={
            **{
                f"{name}: {description}": valid
                for name in ("lam", "x", "initial")
                for description in ("zeros", "minus ones", "complex")
            },
            "initial: None": valid,
            "x: empty": lambda h: h.shape == (0, 2),
            **dict.fromkeys(("lam: huge", "x: huge", "initial: huge"), overflows),
        },
    ),
    "sigprop.sensitivity": row(
        lambda: {"lam": LAM, "x": X, "method": "sequential"},
        legal={
            **{
                f"{name}: {description}": valid
                for name in ("lam", "x")
                for description in ("zeros", "minus ones", "complex")
            },
            "x: empty": lambda s: s.shape == (0, 2),
            **dict.fromkeys(("lam: huge", "x: huge"), overflows),
        },
    ),
    "sigprop.impulse_response": row(
        lambda: {"lam": LAM, "length": 3},
        legal={
            "length: 0": lambda arrays: [k.shape for k in arrays] == [(0, 2)] * 2,
            "lam: empty": lambda arrays: [k.shape for k in arrays] == [(3, 0)] * 2,
            **{f"lam: {w}": valid for w in ("zeros", "minus ones", "complex")},
            "lam: huge": overflows,
        },
    ),
    "sigprop.ring_gain": row(
        lambda: {"gap_min": 0.1, "gap_max": 0.5},
        legal={"gap_max: 2 x 2": lambda gain: gain.shape == (2, 2)},
    ),
    "sigprop.state_moment": row(
        lambda: {"gap": 0.5, "theta": 0.3, "rho": 1.0, "rho_gap": 0.8},
        legal={
            "theta: -1": valid,
            "theta: 0": valid,
            "theta: 2 x 2": lambda array: array.shape == (2, 2),
            "rho: 2 x 2": lambda array: array.shape == (2, 2),
            "gap: 2 x 2": lambda array: array.shape == (2, 2),
            "rho: -1": valid,
            "rho_gap: None": valid,  # a constant input, as for a gap of zero
            "rho_gap: 0": valid,
            "rho_gap: 2 x 2": lambda array: array.shape == (2, 2),
        },
    ),
    "sigprop.sensitivity_moment": row(
        lambda: {"gap": 0.5, "theta": 0.3, "rho": 1.0, "rho_gap": 0.8},
        legal={
            "theta: -1": valid,
            "theta: 0": valid,
            "theta: 2 x 2": lambda array: array.shape == (2, 2),
            "rho: 2 x 2": lambda array: array.shape == (2, 2),
            "gap: 2 x 2": lambda array: array.shape == (2, 2),
            "rho: -1": valid,
            "rho_gap: None": valid,  # a constant input, as for a gap of zero
            "rho_gap: 0": valid,
            "rho_gap: 2 x 2": lambda array: array.shape == (2, 2),
        },
    ),
    "sigprop.sample_ring": row(
        lambda: {
            "key": KEY,
            "n": 3,
            "inner": 0.5,
            "outer": 0.9,
            "max_phase": 3.0,
            "dtype": jnp.complex64,
        },
        names={"inner": "r_min", "outer": "r_max"},
        legal={
            "inner: 0": lambda lam: lam.shape == (3,) and (abs(lam) < 0.9).all(),
            "max_phase: 0": lambda lam: (lam.imag == 0).all(),
        },
    ),
    "sigprop.second_moments": row(
        lambda: {
            "key": KEY,
            "lam": COMPLEX,
            "process": White(),
            "times": (2, 3),
            "num": 4,
            "batch": 2,
            "pairs": (),
            "gain": LAM,
            "tick": lambda count: None,
        },
        unchecked="pairs",
        legal={
            "gain: None": valid,
            **{f"lam: {w}": valid for w in ("zeros", "minus ones")},
            **{f"gain: {w}": valid for w in ("zeros", "minus ones")},
        },
    ),
    "sigprop.neuron.Law": row(
        lambda: {
            "values": np.array([[1.0], [-1.0]]),
            "probabilities": np.array([0.5, 0.5]),
        },
        legal={f"values: {w}": valid for w in ("zeros", "minus ones", "huge")},
    ),
    "sigprop.neuron.even_memories": row(lambda: {"n": 3, "inner": 0.5, "outer": 0.9}),
    "sigprop.neuron.finite_state_moment_white": row(
        lambda: {"gap": 0.5, "steps": 3},
        legal={
            "steps: 0": near(0.0),
            "steps: 10**12": near(4 / 3),
            "steps: 1.5": near((1 - 0.5**3) / 0.75),
            "steps: 2 x 2": lambda array: array.shape == (2, 2),
            "gap: 2 x 2": lambda array: array.shape == (2, 2),
        },
    ),
    "sigprop.neuron.mean_turns": row(
        lambda: {"length": 8, "max_phase": 1.0},
    ),
    "sigprop.neuron.normalisation": row(
        lambda: {"nu": LAM},
        legal={
            "nu: zeros": lambda gamma: (gamma == 0).all(),
            "nu: huge": lambda gamma: gamma[0] == 1,
            "nu: inf": lambda gamma: gamma[0] == 1,
            "nu: an axis more": lambda gamma: gamma.shape == (1, 2),
            "nu: a scalar": lambda gamma: gamma.shape == (),
            "nu: empty": lambda gamma: gamma.shape == (0,),
        },
    ),
    "sigprop.neuron.second_moment": row(
        lambda: {
            "known": {"a": 0.5, "b": 0.0, "aa": 0.5, "ab": 0.0, "bb": 1.0},
            "quantity": "state",
            "steps": 3,
            "average": False,
            "lost": {"a": 0.5, "aa": 0.5},
        },
        legal={
            "steps: 0": near(0.0),
            "steps: None": near(2.0),
            "steps: 10**12": near(2.0),
            "lost: None": near(1.75),
        },
    ),
    "sigprop.neuron.fourth_moment": row(
        lambda: {
            "known": POWERS,
            "steps": 3,
            "lost": {n * "a": 1 - 0.5**n for n in range(1, 5)},
        },
        legal={
            "steps: 0": near(0.0),
            "steps: None": near(16 / 3),
            "steps: 10**12": near(16 / 3),
            "lost: None": near(3 * 1.3125**2),
        },
    ),
    "sigprop.neuron.describe": row(
        lambda: {
            "gate": RGLRU,
            "rows": {name: np.ones((2, 3)) for name in "rix"},
            "offsets": {"r": 0.5},
            "parameters": {"Lambda": np.ones(2)},
            "moved": {"W_a": neuron.Moved("r", "each")},
            "columns": np.arange(3),
            "readout": None,
        },
        legal={"offsets: None": valid, "moved: None": valid, "columns: None": valid},
    ),
    "sigprop.neuron.read_by": row(
        lambda: {
            "mixing": np.ones((3, 2)),
            "rows": np.ones((2, 4)),
            "width": 4,
            "skip": np.ones((3, 4)),
            "moved": {"W_q": neuron.Reads("rows")},
        },
        legal={
            **{
                f"{n}: {w}": valid
                for n in ("mixing", "rows", "skip")
                for w in ("zeros", "minus ones", "huge")
            },
            "rows: None": valid,
            "skip: None": valid,
            "moved: None": valid,
        },
    ),
    "sigprop.neuron.tail_index": row(
        lambda: {"a": np.array([2.0, 0.25]), "weights": np.array([0.5, 0.5])},
        infinite=True,
        legal={f"a: {w}": valid for w in ("zeros", "minus ones", "huge")},
    ),
}
