"""What judges the Jacobian of the GRU, Appendix D.2 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from sigprop.evidence.kit import across, each, orthogonal, points, sigmoid
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.base import replace
from sigprop.layers.gru import GRU
from sigprop.numerics.precision import double_precision

NEURONS = 256


@cache
def _drawn() -> GRU:
    """A GRU with the laws of ``gru``, drawn by numpy; T uniform on [1, 2]."""
    generator, n, d_in = np.random.default_rng(14), NEURONS, 8
    with double_precision(True):
        entering = [generator.normal(size=(n, d_in)) / np.sqrt(d_in) for _ in range(3)]
        bias = np.log(generator.uniform(1, 2, n))
        zero = np.zeros(n)
        arrays = [
            *entering,
            *(orthogonal(generator, n, n) for _ in range(3)),
            zero,
            bias,
            zero,
            zero,
            np.zeros((1, n)),
            np.zeros((1, d_in)),
        ]
        return GRU(*map(jnp.asarray, arrays))


@cache
def _layer(t_max: float, gain: float) -> GRU:
    """A GRU with T uniform on ``[1, t_max]`` and its weights on the state scaled."""
    layer = _drawn()
    bias = np.log(1 + (np.exp(np.asarray(layer.b_f)) - 1) * (t_max - 1))
    scaled = _scaled(layer, W_rh=gain, W_fh=gain, W_nh=gain)
    with double_precision(True):
        return replace(scaled, {"b_f": jnp.asarray(bias)})


def _scaled(layer: GRU, **factors: float) -> GRU:
    """The layer with some of its weights times a number."""
    with double_precision(True):
        return replace(
            layer,
            {
                name: jnp.asarray(factor * np.asarray(getattr(layer, name)))
                for name, factor in factors.items()
            },
        )


def _gates(layer: GRU) -> Float[np.ndarray, " n"]:
    return sigmoid(np.asarray(layer.b_f))


@cache
def step_jacobian(t_max: float, gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at rest: ``f + (1 - f) W_nh/2``, as the reset gate is one half."""
    layer = _layer(t_max, gain)
    f = _gates(layer)
    return np.diag(f) + 0.5 * (1 - f)[:, None] * np.asarray(layer.W_nh)


@cache
def step_jacobian_by_layer(t_max: float, gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at rest by automatic differentiation of the layer's step."""
    layer = _layer(t_max, gain)
    return computed(_state_jacobian, layer, np.zeros(NEURONS), np.zeros(8))


def _state_jacobian(layer: GRU, h: Array, u: Array) -> Array:
    return jax.jacrev(lambda h: layer.step(h, u)[0])(h)


Step = Callable[[float, float], Float[np.ndarray, "n n"]]  # of t_max and gain


def off_diagonal_share(step: Step, t_max: float, steps: int) -> float:
    """Size of the non-diagonal entries over the median diagonal one, after some steps."""
    J = np.linalg.matrix_power(step(t_max, 1.0), steps)
    size = np.sqrt(np.mean(np.abs(_off(J)) ** 2))
    return float(size / np.median(np.abs(np.diag(J))))


def _off(J: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " entries"]:
    return J[~np.eye(len(J), dtype=bool)]


def drift_of_diagonal(step: Step, t_max: float, steps: int) -> float:
    """Median over neurons of the diagonal entry over ``f^steps``, less one, in size."""
    diagonal = np.diag(np.linalg.matrix_power(step(t_max, 1.0), steps))
    return float(abs(np.median(diagonal / _gates(_layer(t_max, 1.0)) ** steps) - 1))


def grows(gain: float) -> float:
    """One if the Jacobian over many steps grows without bound, else zero."""
    return float(np.abs(np.linalg.eigvals(step_jacobian(16.0, gain))).max() > 1)


def grows_by_layer(gain: float) -> float:
    """One if the layer's Jacobian over 1500 steps has a norm above one, else zero."""
    J = np.linalg.matrix_power(step_jacobian_by_layer(16.0, gain), 1500)
    return float(np.linalg.norm(J) > 1)


@cache
def off_diagonal_at_inputs(gain: float, candidate: float) -> float:
    """Largest non-diagonal entry of one step at a random state and input.

    ``gain`` scales the weights from states to the gates, ``candidate`` those from states
    to the candidate.
    """
    layer = _scaled(_layer(16.0, 1.0), W_rh=gain, W_fh=gain, W_nh=candidate)
    h, u = (
        np.random.default_rng(seed).normal(size=size)
        for seed, size in ((0, NEURONS), (1, 8))
    )
    return float(np.abs(_off(computed(_state_jacobian, layer, h, u))).max())


STEP_JACOBIANS = {"reference": step_jacobian, "autodiff": step_jacobian_by_layer}


def _bounded(
    value: Callable[..., float], bound: float, *cases: tuple[float, int]
) -> Evidence:
    """That a number of the Jacobian stays below a bound.

    Args:
        value: Of the Jacobian of one step, the longest time constant and the steps.
        bound: Of it.
        cases: Longest time constant, and after how many steps.
    """
    return Evidence(
        points("t_max steps", *cases),
        each(value, STEP_JACOBIANS),
        form=bound,
        relation="<=",
        slips={"a thousandth": 1e-3},
    )


def _diagonal(*candidates: float) -> Evidence:
    """That no entry off the diagonal is left without weights from states to gates."""
    return Evidence(
        across(gain=(0.0,), candidate=candidates),
        {"autodiff": off_diagonal_at_inputs},
        form=0.0,
        relation="<=",
        slips={"less than nothing": -1.0},
        alone="the layer's Jacobian at a random state and input",
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:non-diagonal": _bounded(
        off_diagonal_share, 1.0, (16.0, 1), (16.0, 16), (256.0, 64), (16.0, 64)
    ),
    "zucchet:text:slow-dimensions": Evidence(
        points("steps", 16, 64),
        {
            name: partial(off_diagonal_share, step, 256.0)
            for name, step in STEP_JACOBIANS.items()
        },
        form=partial(off_diagonal_share, step_jacobian, 16.0),
        relation="<",
        slips={"a thousandth": 1e-3},
    ),
    "zucchet:text:jacobian-explodes": Evidence(
        points("gain", 1.0, 1.9, 3.0),
        {"reference": grows, "autodiff": grows_by_layer},
        form=lambda gain: float(gain > 2),
        absolute=0.25,
    ),
    "zucchet:fig14": _diagonal(0.0, 1.0),
    "zucchet:fig14:input-gates": _diagonal(0.0),
}
