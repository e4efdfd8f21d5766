"""Rows of ``sigprop.linear``, ``sigprop.curvature`` and ``sigprop.landscape``."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop import White, landscape, linear, tasks
from tests.arguments import KEY, Row, row, samples, valid

LAGS = 0.5 ** np.arange(6.0)
INPUTS = {"process": "inputs"}
LAM = np.array([0.5 + 0.1j, 0.8j])


def _target() -> Any:
    return linear.stationary_target(samples.teacher(), White())


def _modes() -> Any:
    return samples.perturbed().modes[0]


def _direction() -> Any:
    return landscape.direction(KEY, samples.one_channel())


def _loss() -> Any:
    return samples.population().loss  # made now, not while JAX traces


def _at_rest(results: Any) -> bool:
    return all(result.value == 0 for result in results.values())


def _one(bound: float) -> bool:
    """The curvature is two."""
    return math.isclose(bound, 1, rel_tol=1e-3)


def _square(x: Any, batch: Any = None) -> Any:
    return jnp.sum(x**2)


LINEAR: dict[str, Row] = {
    "sigprop.linear.kernel": row(lambda: {"layer": samples.lru(), "length": 5}),
    "sigprop.linear.linearise": row(lambda: {"layer": samples.lru()}),
    "sigprop.linear.diagonalise": row(
        lambda: {"system": linear.linearise(samples.lru())}, wide=True
    ),
    "sigprop.linear.perturb": row(lambda: {"layer": samples.lru()}, wide=True),
    "sigprop.linear.by_group": row(
        lambda: {"layer": samples.lru(), "moments": {"nu_log": 1.0}},
        legal={"moments: unknown key": valid},  # such as the state
    ),
    "sigprop.linear.channels": row(
        lambda: {
            "key": KEY,
            "process": White(),
            "num": 3,
            "steps": 4,
            "width": 2,
            "dtype": jnp.float32,
        }
    ),
    "sigprop.linear.nearest_process": row(
        lambda: {"covariance": LAGS}, legal={"covariance: zeros": valid}
    ),
    "sigprop.linear.pair_moment": row(
        lambda: {
            "first": LAM,
            "second": LAM,
            "steps": 4,
            "covariance": LAGS,
            "orders": (0, 1),
        },
        legal={
            **{
                f"{n}: {w}": valid
                for n in ("first", "second")
                for w in ("zeros", "minus ones", "empty")
            },
            "covariance: zeros": valid,
            "orders: 0 at 0": valid,
            "orders: 0 at 1": valid,
        },
        wide=True,
    ),
    "sigprop.linear.predict": row(
        lambda: {
            "layer": samples.perturbed(),
            "covariance": LAGS,
            "steps": 5,
            "at": 4,
        },
        legal={"covariance: zeros": valid, "at: 0": valid},
        wide=True,
    ),
    "sigprop.linear.state_moments": row(
        lambda: {"modes": _modes(), "pairs": np.eye(4) + 0j},
        legal={f"pairs: {w}": valid for w in ("zeros", "minus ones", "huge")},
        wide=True,
    ),
    "sigprop.linear.exact": row(
        lambda: {
            "layer": samples.lru(),
            "covariance": LAGS,
            "steps": 5,
            "at": 4,
            "batch": 8,
        },
        legal={"covariance: zeros": valid, "at: 0": valid},
        wide=True,
    ),
    "sigprop.linear.impulse_moments": row(
        lambda: {
            "layer": samples.lru(),
            "covariance": LAGS,
            "steps": 5,
            "at": 4,
            "batch": 8,
        },
        legal={"covariance: zeros": valid, "at: 0": valid},
        wide=True,
    ),
    "sigprop.linear.response_moment": row(
        lambda: {"response": LAGS, "covariance": LAGS},
        legal={
            "response: zeros": valid,
            "response: minus ones": valid,
            "response: an axis more": valid,
            "response: complex": valid,
            "covariance: zeros": valid,
        },
        wide=True,
    ),
    "sigprop.linear.measure": row(
        lambda: {
            "key": KEY,
            "layer": samples.lru(),
            "process": White(),
            "steps": 5,
            "num": 4,
            "at": 4,
            "batch": 2,
            "every_output": True,
            "tick": lambda count: None,
        },
        legal={"at: None": valid, "at: 0": valid},
    ),
    "sigprop.linear.responses": row(
        lambda: {
            "layer": samples.lru(),
            "u": jnp.asarray(samples.draw(5, 2)),
            "at": 4,
            "errors": jnp.eye(2),
        },
        legal={
            "at: 0": valid,
            "errors: empty": valid,
            **{
                f"{n}: {w}": valid
                for n in ("u", "errors")
                for w in ("zeros", "minus ones")
            },
        },
    ),
    "sigprop.linear.predict_gated": row(
        lambda: {
            "layer": samples.mingru(),
            "scale": 1.5,
            "law": None,
            "terms": None,
            "steps": 3,
            "settled": 1e-9,
            "spread": 1.5,
            "names": ("state", "W_z"),
        },
        unchecked="law terms names",
        legal={
            "spread: 0": valid,
            "spread: None": valid,
            "steps: None": valid,
            "steps: 10**12": valid,
            "steps: 0": _at_rest,
        },
        wide=True,
    ),
    "sigprop.linear.lagged_gated": row(
        lambda: {
            "layer": samples.mingru(),
            "lag": 2,
            "scale": 1.5,
            "law": None,
            "steps": 3,
            "spread": 1.5,
        },
        unchecked="law",
        legal={
            "lag: 0": valid,
            "spread: 0": valid,
            "spread: None": valid,
            "steps: None": valid,
            "steps: 10**12": valid,
            "steps: 0": lambda moment: moment.value == 0,
        },
        wide=True,
    ),
    "sigprop.linear.predict_input_gradient": row(
        lambda: {
            "layer": samples.mingru(),
            "lag": 2,
            "scale": 1.5,
            "law": None,
            "steps": 3,
            "spread": 1.5,
        },
        unchecked="law",
        legal={
            "lag: 0": valid,
            "spread: 0": valid,
            "spread: None": valid,
            "steps: None": valid,
            "steps: 10**12": valid,
        },
        wide=True,
    ),
    "sigprop.linear.predict_output": row(
        lambda: {"layer": samples.mingru(), "scale": 1.5, "law": None, "steps": 3},
        unchecked="law",
        legal={"steps: None": valid, "steps: 10**12": valid, "steps: 0": _at_rest},
        wide=True,
    ),
    "sigprop.linear.predict_key_gradient": row(
        lambda: {"layer": samples.deltanet(), "scale": 1.5, "law": None, "steps": 3},
        unchecked="law",
        legal={
            "steps: None": valid,
            "steps: 10**12": valid,
            "steps: 0": lambda moment: moment.value == 0,
        },
        wide=True,
    ),
    "sigprop.linear.enumerate_gated": row(
        lambda: {
            "layer": samples.mingru(),
            "law": samples.law(),
            "steps": 2,
            "rho": 0.5,
        },
        legal={"rho: 0": valid, "rho: -1": valid},  # inputs that alternate
        wide=True,
    ),
    "sigprop.linear.squares": row(lambda: {"layer": samples.mingru()}),
    "sigprop.linear.spectrum": row(lambda: {"process": White()}, names=INPUTS),
    "sigprop.linear.stationary_target": row(
        lambda: {"teacher": samples.teacher(), "process": White()},
        wide=True,
        names=INPUTS,
    ),
    "sigprop.linear.stationary_loss": row(
        lambda: {
            "student": samples.one_channel(),
            "target": _target(),
            "process": White(),
        },
        wide=True,
        names=INPUTS,
    ),
}

MATRIX = {f"hessian: {w}": valid for w in ("zeros", "minus ones")}
CURVATURE: dict[str, Row] = {
    **{
        f"sigprop.curvature.{name}": row(
            lambda: {"hessian": samples.symmetric()}, legal=MATRIX
        )
        for name in ("eigenpairs", "row_norms")
    },
    "sigprop.curvature.stability_bound": row(lambda: {"hessian": samples.symmetric()}),
    "sigprop.curvature.off_diagonal_share": row(
        lambda: {"hessian": samples.symmetric()}, legal={"hessian: minus ones": 2 / 3}
    ),
    **{
        f"sigprop.curvature.{name}": row(
            lambda: {"hessian": samples.symmetric()},
            legal={"hessian: zeros": np.zeros((3, 3))},
        )
        for name in ("couplings", "preconditioned")
    },
    "sigprop.curvature.estimate": row(
        lambda: {"draws": samples.draw(5, 2)},
        legal={
            "draws: zeros": valid,
            "draws: minus ones": valid,
        },
    ),
    "sigprop.curvature.participation": row(
        lambda: {"vectors": samples.draw(3, 4)},
        legal={
            "vectors: minus ones": np.full(3, 4.0),
            "vectors: huge": lambda spread: spread[0] == 1,
        },
    ),
    "sigprop.curvature.expand": row(
        lambda: {
            "task": samples.population(),
            "student": samples.one_channel(),
            "route": "closed",
            "at_optimum": False,
        },
        wide=True,
    ),
    "sigprop.curvature.twin": row(
        lambda: {"layer": samples.teacher(), "name": "LRU"}, wide=True
    ),
    "sigprop.curvature.hessian": row(
        lambda: {"loss": _square, "parameters": jnp.ones(3), "batches": None},
        unchecked="loss batches parameters",
    ),
    "sigprop.curvature.gauss_newton": row(
        lambda: {
            "outputs": lambda x, batch: x,
            "criterion": lambda y, batch: jnp.sum(y**2),
            "parameters": jnp.ones(3),
            "batches": None,
        },
        unchecked="outputs criterion batches parameters",
    ),
    "sigprop.curvature.measured_bound": row(
        lambda: {
            "gradient": lambda x: 2 * x,
            "minimum": jnp.zeros(3),
            "start": jnp.ones(3),
            "guess": 0.9,
        },
        unchecked="gradient",
        legal={
            "minimum: zeros": _one,
            "minimum: minus ones": _one,
            "start: minus ones": _one,
        },
        wide=True,
    ),
    "sigprop.curvature.quadrature": row(
        lambda: {
            "key": KEY,
            "product": lambda x: 2 * x,
            "like": jnp.ones(4),
            "steps": 2,
            "probes": 3,
            "tap": lambda krylov: None,
        },
        unchecked="product tap",
        legal={
            f"like: {w}": valid
            for w in ("zeros", "minus ones", "nan", "inf", "-inf", "huge")
        },
    ),
}

LANDSCAPE: dict[str, Row] = {
    "sigprop.landscape.OptimalParametrisation": row(
        lambda: {
            "path": landscape.OptimalParametrisation().path,
            "angle": "plain",
            "detached": False,
        }
    ),
    "sigprop.landscape.speed": row(
        lambda: {
            "process": White(),
            "gain": "none",
            "gap": 0.5,
            "phase": 0.3,
            "along": "modulus",
        },
        legal={
            "phase: -1": valid,
            "phase: 0": valid,
            "phase: 2 x 2": lambda array: array.shape == (2, 2),
            "gap: 2 x 2": lambda array: array.shape == (2, 2),
        },
        wide=True,
    ),
    "sigprop.landscape.explore": row(lambda: {"rho": 0.3}, legal={"rho: 0": valid}),
    "sigprop.landscape.fragment": row(lambda: {"rho": 0.3}, legal={"rho: 0": valid}),
    "sigprop.landscape.units": row(lambda: {"model": samples.lru()}),
    "sigprop.landscape.only_parameters": row(lambda: {"model": samples.lru()}),
    "sigprop.landscape.direction": row(lambda: {"key": KEY, "model": samples.lru()}),
    "sigprop.landscape.normalise": row(
        lambda: {"direction": _direction(), "model": samples.one_channel()}
    ),
    "sigprop.landscape.moved": row(
        lambda: {
            "model": samples.one_channel(),
            "directions": [_direction()],
            "steps": [0.1],
        },
        legal={"steps: -1 at 0": valid, "steps: 0 at 0": valid},
    ),
    "sigprop.landscape.slices": row(
        lambda: {
            "loss": _loss(),
            "model": samples.one_channel(),
            "directions": [_direction()],
            "steps": [jnp.array([0.0, 0.1])],
            "batch": 2,
        },
        unchecked="loss",
    ),
    "sigprop.landscape.quadratic": row(
        lambda: {
            "loss": _loss(),
            "model": samples.one_channel(),
            "directions": [_direction()],
        },
        unchecked="loss",
        wide=True,
    ),
    "sigprop.landscape.second_difference": row(
        lambda: {
            "loss": _loss(),
            "model": samples.one_channel(),
            "direction": _direction(),
            "step": 1e-3,
        },
        unchecked="loss",
        wide=True,
    ),
    "sigprop.landscape.sharpest": row(
        lambda: {
            "layer": samples.one_channel(),
            "hessian": np.diag(np.arange(1.0, 23.0)),
            "count": 2,
        },
        legal={"hessian: zeros": valid, "hessian: minus ones": valid},
    ),
    "sigprop.landscape.spanning": row(
        lambda: {
            "model": samples.one_channel(),
            "first": _direction(),
            "second": landscape.moved(samples.one_channel(), [_direction()], [1.0]),
        },
    ),
    "sigprop.landscape.project": row(
        lambda: {
            "model": samples.one_channel(),
            "directions": [_direction()],
            "models": [samples.one_channel()],
        },
    ),
    "sigprop.landscape.surface": row(
        lambda: {
            "task": tasks.OneDimensional(0.5 + 0.2j),
            "rows": jnp.array([0.2, 0.4]),
            "columns": jnp.array([0.3, 0.5]),
            "parametrisation": None,
        },
        legal={
            "rows: zeros": valid,
            "rows: minus ones": np.full((2, 2), np.inf),
            "columns: zeros": valid,
            "columns: minus ones": valid,
        },
        infinite=True,
    ),
}
ROWS = {**LINEAR, **CURVATURE, **LANDSCAPE}
