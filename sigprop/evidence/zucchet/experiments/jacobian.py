"""Evidence for the Jacobian of the GRU, Appendix D.2 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from sigprop.evidence.kit import across, each, orthogonal, points, sigmoid
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.base import replace
from sigprop.layers.gru import GRU
from sigprop.numerics.precision import double_precision

NEURONS = 256


@cache
def _random_gru() -> GRU:
    """A GRU with the distributions of ``gru``, by NumPy; T uniform on [1, 2]."""
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
    """A GRU with T uniform on ``[1, t_max]`` and scaled weights on the state."""
    layer = _random_gru()
    bias = np.log(1 + (np.exp(np.asarray(layer.b_f)) - 1) * (t_max - 1))
    scaled = _scaled(layer, W_rh=gain, W_fh=gain, W_nh=gain)
    with double_precision(True):
        return replace(scaled, {"b_f": jnp.asarray(bias)})


def _scaled(layer: GRU, **factors: float) -> GRU:
    """The layer with some of its weights scaled."""
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
    """``dh_{t+1}/dh_t`` at rest, from the written derivative."""
    layer = _layer(t_max, gain)
    return at_rest(_gates(layer), np.asarray(layer.W_nh))


def at_rest(
    f: Float[np.ndarray, " n"], W_nh: Float[np.ndarray, "n n"]
) -> Float[np.ndarray, "n n"]:
    """``f + (1 - f) W_nh/2``: the reset gate is one half where states are zero."""
    return np.diag(f) + 0.5 * (1 - f)[:, None] * W_nh


def across_two(f: float, w: float) -> float:
    """``dh_1/dh_2`` of two neurons at rest; ``W_nh`` has ``w`` off its diagonal."""
    return float(at_rest(np.full(2, f), w * (1 - np.eye(2)))[0, 1])


@cache
def step_jacobian_by_layer(t_max: float, gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at rest by automatic differentiation of the layer's step."""
    layer = _layer(t_max, gain)
    return computed(_state_jacobian, layer, np.zeros(NEURONS), np.zeros(8))


def _state_jacobian(layer: GRU, h: Array, u: Array) -> Array:
    return jax.jacrev(lambda h: layer.step(h, u)[0])(h)


Step = Callable[[float, float], Float[np.ndarray, "n n"]]  # function of t_max and gain


def off_diagonal_share(step: Step, t_max: float, steps: int) -> float:
    """Root mean square off the diagonal over that on it, after some steps."""
    J = np.linalg.matrix_power(step(t_max, 1.0), steps)
    return float(np.sqrt(np.mean(_off(J) ** 2) / np.mean(np.diag(J) ** 2)))


def _off(J: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " entries"]:
    return J[~np.eye(len(J), dtype=bool)]


def drift_of_diagonal(step: Step, t_max: float, steps: int) -> float:
    """Median over neurons of the diagonal entry over ``f^steps``, less one, in size."""
    diagonal = np.diag(np.linalg.matrix_power(step(t_max, 1.0), steps))
    return float(abs(np.median(diagonal / _gates(_layer(t_max, 1.0)) ** steps) - 1))


def grows(gain: float) -> float:
    """1 if the Jacobian over many steps grows without bound, else 0."""
    return float(np.abs(np.linalg.eigvals(step_jacobian(16.0, gain))).max() > 1)


def grows_by_layer(gain: float) -> float:
    """One if the layer's Jacobian over 1500 steps has a norm above one, else zero."""
    J = np.linalg.matrix_power(step_jacobian_by_layer(16.0, gain), 1500)
    return float(np.linalg.norm(J) > 1)


@cache
def jacobian_at_inputs(gain: float, candidate: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at a random state and input.

    ``gain`` scales the weights from states to the gates, ``candidate`` those from states
    to the candidate.
    """
    return computed(_state_jacobian, _gated(gain, candidate), *_random_point())


def jacobian_by_differences(gain: float, candidate: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` at the same place by central differences of the layer's step."""
    h, u = _random_point()
    moved = 1e-4 * np.eye(NEURONS)
    after = [
        computed(_steps, _gated(gain, candidate), h + way * moved, u) for way in (1, -1)
    ]
    return (after[0] - after[1]).T / 2e-4


def _steps(layer: GRU, states: Array, u: Array) -> Array:
    return jax.vmap(lambda h: layer.step(h, u)[0])(states)


def _gated(gain: float, candidate: float) -> GRU:
    return _scaled(_layer(16.0, 1.0), W_rh=gain, W_fh=gain, W_nh=candidate)


def _random_point() -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " d_in"]]:
    """A random state and input."""
    sizes = (0, NEURONS), (1, 8)
    h, u = (np.random.default_rng(seed).normal(size=size) for seed, size in sizes)
    return h, u


def gates_of_inputs(
    gain: float, candidate: float, sees: float = 1.0
) -> Float[np.ndarray, "n n"]:
    """``diag(sigma(W_fx x + b_f))``, or with another factor on the input."""
    layer, (_, u) = _gated(gain, candidate), _random_point()
    drive = sees * np.asarray(layer.W_fx) @ u + np.asarray(layer.b_f)
    return np.diag(sigmoid(drive))


STEP_JACOBIANS = {"reference": step_jacobian, "autodiff": step_jacobian_by_layer}


def _diagonal(*candidates: float, example: Example | None = None) -> Evidence:
    """Evidence that the Jacobian without weights from the state is diagonal."""
    return Evidence(
        across(gain=(0.0,), candidate=candidates),
        {"autodiff": jacobian_at_inputs, "differences": jacobian_by_differences},
        form=gates_of_inputs,
        tolerance=1e-8,
        mutants={
            "the gates at rest": partial(gates_of_inputs, sees=0.0),
            "the gates of the opposite input": partial(gates_of_inputs, sees=-1.0),
            "gates that see the state": lambda **_: jacobian_at_inputs(1.0, 0.0),
        },
        example=example,
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:non-diagonal": Evidence(
        points("t_max steps", (16.0, 1), (16.0, 16), (256.0, 64), (16.0, 64)),
        each(off_diagonal_share, STEP_JACOBIANS),
        form=1.0,
        relation="<",
        hand={"a thousandth": 1e-3},
    ),
    "zucchet:text:slow-dimensions": Evidence(
        points("steps", 16, 64, 256),
        {
            name: partial(drift_of_diagonal, step, 256.0)
            for name, step in STEP_JACOBIANS.items()
        },
        form=partial(drift_of_diagonal, step_jacobian, 16.0),
        relation="<",
        hand={"a millionth": 1e-6},
    ),
    "zucchet:text:jacobian-explodes": Evidence(
        points("gain", 1.0, 1.9, 3.0),
        {"reference": grows, "autodiff": grows_by_layer},
        form=lambda gain: float(gain > 2),
        absolute=0.25,
        mutants={
            "above one": lambda gain: float(gain > 1),
            "above four": lambda gain: float(gain > 4),
        },
    ),
    "zucchet:fig14": _diagonal(
        0.0,
        1.0,
        example=Example(
            "dh_1/dh_2 of two neurons at rest, w off the diagonal of W_nh,",
            {"f": 0.5, "w": 0.6},
            0.0,
            across_two,
        ),
    ),
    "zucchet:fig14:input-gates": _diagonal(0.0),
}
