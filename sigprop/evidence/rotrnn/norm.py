"""Evidence for the norm of the state, Section 3.3 of RotRNN (2024), Eq. 6 to 12."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import also, energy, points, powered, recur
from sigprop.evidence.rotrnn.heads import (
    Sequence,
    dense,
    dense_states,
    inputs,
    layer,
    parameters,
)
from sigprop.evidence.rotrnn.random_matrices import Matrix, draw, rotation
from sigprop.evidence.rotrnn.recurrences import (
    all_at_once,
    in_eigenbasis,
    linear_case,
    wrong_sums,
)
from sigprop.evidence.rotrnn.white_noise import (
    SIZE,
    WIDTH,
    covariance,
    factor_by_root,
    factor_by_steps,
    input_matrix,
    norm_after,
    root,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory.rotation import norm_splits, step_leaves_a_trace

# Eq. 6 and 10: the recurrence and its sum.


def rotated_case(
    seed: int,
    size: int,
    time: int,
    alpha: float,
    gamma: float,
    start: float = 0.0,
    on_state: tuple[int, int] = (1, 1),
    on_input: tuple[int, int] = (1, 0),
):
    """``alpha gamma A``, inputs ``alpha B u`` and initial state of Eq. 6.

    ``on_state`` and ``on_input`` are the powers of ``alpha`` and ``gamma``.
    """
    _, inputs, initial = linear_case(seed, size, time, start)
    state, drive = (alpha**a * gamma**g for a, g in (on_state, on_input))
    return state * rotation(seed, size), drive * inputs, initial


def rotated_recurrence(**point) -> Float[np.ndarray, "time size"]:
    """Eq. 6, step by step."""
    return recur(*rotated_case(**point))


def rotated_at_once(**point) -> Float[np.ndarray, "time size"]:
    """Eq. 6 from one linear system."""
    return all_at_once(*rotated_case(**point))


def rotated_modes(**point) -> Float[np.ndarray, "time size"]:
    """Eq. 6, one eigenvalue after the other."""
    return in_eigenbasis(*rotated_case(**point))


def rotated_sum(by=powered, **point) -> Float[np.ndarray, "time size"]:
    """Eq. 10's sum over inputs."""
    return by(*rotated_case(**point)[:2])


def rotated_unrolled(
    seed: int, size: int, time: int, alpha: float, gamma: float
) -> Float[np.ndarray, "time size"]:
    """Eq. 10, its powers of ``alpha``, ``gamma`` and ``A`` apart."""
    _, inputs, _ = linear_case(seed, size, time)
    A, states = rotation(seed, size), np.zeros((time, size))
    for t in range(time):
        for k in range(t + 1):
            scale = alpha ** (t + 1 - k) * gamma ** (t - k)
            states[t] += scale * (np.linalg.matrix_power(A, t - k) @ inputs[k])
    return states


# Eq. 7 to 9: one step.


def outcomes(seed: int) -> tuple[Matrix, Matrix]:
    """Equally likely states and inputs, correlated with each other."""
    joint = draw(seed + 3, 12, SIZE + WIDTH) @ draw(seed + 4, *2 * (SIZE + WIDTH,))
    return joint[:, :SIZE], joint[:, SIZE:]


def norm_of_outcomes(seed: int, alpha: float, gamma: float) -> float:
    """Mean of ``|alpha (gamma A x + B u)|^2`` over outcomes."""
    x, u = outcomes(seed)
    after = alpha * (gamma * x @ rotation(seed, SIZE).T + u @ input_matrix(seed, 2.0).T)
    return float(np.mean(np.sum(after**2, axis=1)))


def norm_of_moments(seed: int, alpha: float, gamma: float) -> float:
    """Mean of ``|alpha (gamma A x + B u)|^2``, from joint second moments."""
    joint = np.hstack(outcomes(seed))
    step = alpha * np.hstack([gamma * rotation(seed, SIZE), input_matrix(seed, 2.0)])
    return np.trace(step @ (joint.T @ joint / len(joint)) @ step.T)


def norm_of_parts(
    seed: int,
    alpha: float,
    gamma: float,
    powers: tuple[int, int, int] = (2, 2, 1),
    twice: float = 2,
) -> float:
    """The right side of Eq. 7, its three expectations apart.

    ``powers`` are those of ``alpha``, of ``gamma`` and of ``gamma`` in the cross term,
    which enters ``twice``.
    """
    x, u = outcomes(seed)
    A, B = rotation(seed, SIZE), input_matrix(seed, 2.0)
    state = np.mean([v @ v for v in x])
    input_norm = np.mean([v @ B.T @ B @ v for v in u])
    cross = np.mean([v @ A.T @ B @ w for v, w in zip(x, u, strict=True)])
    outer, own, mixed = powers
    inner = gamma**own * state + input_norm + twice * gamma**mixed * cross
    return float(alpha**outer * inner)


def _input_covariance(seed: int, white: bool) -> Matrix:
    return np.eye(WIDTH) if white else WIDTH * covariance(seed, 1.0, WIDTH)


def step_norm(
    seed: int, alpha: float, gamma: float, c: float, s: float, white: bool = True
) -> float:
    """``E|x_t|^2`` where ``E|x_{t-1}|^2 = c``, by second moments of state and input."""
    A, B = rotation(seed, SIZE), input_matrix(seed, s)
    before, entering = covariance(seed, c), _input_covariance(seed, white)
    return alpha**2 * np.trace(gamma**2 * A @ before @ A.T + B @ entering @ B.T)


def step_norm_of_atoms(
    seed: int, alpha: float, gamma: float, c: float, s: float, white: bool = True
) -> float:
    """``E|x_t|^2`` for independent states and inputs with finitely many values each."""
    covs = (covariance(seed, c), _input_covariance(seed, white))
    x, u = (np.linalg.cholesky(moments).T * math.sqrt(len(moments)) for moments in covs)
    A, B = rotation(seed, SIZE), input_matrix(seed, s)
    atoms = itertools.product(x, u, (1, -1))
    norms = [energy(alpha * (gamma * A @ p + sign * B @ q)) for p, q, sign in atoms]
    return float(np.mean(norms))


def step_form(
    seed: int, alpha: float, gamma: float, c: float, s: float, white: bool = True
) -> float:
    """Eq. 8: ``alpha^2 (gamma^2 c + Tr(B^T B E[u u^T]))``."""
    B = input_matrix(seed, s)
    input_norm = np.trace(B.T @ B @ _input_covariance(seed, white))
    return alpha**2 * (gamma**2 * c + input_norm)


def elsewhere(routine: Callable[..., Any], **moved: Callable[[Any], Any]):
    """A routine in which some arguments are replaced by functions of the arguments."""
    return lambda **point: routine(
        **point | {name: change(point[name]) for name, change in moved.items()}
    )


WRONG_STEPS = {
    "alpha not squared": elsewhere(step_form, alpha=math.sqrt),
    "gamma not squared": elsewhere(step_form, gamma=math.sqrt),
    "c squared": elsewhere(step_form, c=lambda c: c**2),
    "white inputs": elsewhere(step_form, white=lambda _: True),
}


# Lemma 3: the constant that keeps a norm.


def scale_by_root(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """The ``alpha`` at which the norm is ``c`` after seven steps."""
    high = 3 * math.sqrt(c / s)
    return root(lambda alpha: norm_after(gamma, c, s, alpha, 1.0, 7, seed) - c, high)


def scale_by_trials(gamma: float, c: float, s: float, seed: int = 2) -> float:
    """The ``alpha`` that keeps the norm at ``c``, from one step with ``alpha = 1``."""
    return math.sqrt(c / norm_after(gamma, c, s, 1.0, 1.0, 1, seed))


# Eq. 12: the layer's states.


@functools.cache
def layer_states(seed: int, heads: int, size: int) -> Sequence:
    """States of the layer from zero."""
    import jax
    import jax.numpy as jnp

    from sigprop.layers.rotrnn import RotRNN

    with double_precision(True):
        model = layer(parameters(seed, heads, size))
        return np.asarray(jax.jit(RotRNN.states)(model, jnp.asarray(inputs(seed))))


def summed_states(
    seed: int, heads: int, size: int, start: float = 0.0, by=powered
) -> Sequence:
    """Eq. 12's sum."""
    p, u = parameters(seed, heads, size), inputs(seed)
    return np.hstack([by(A, u @ B.T) for A, B in dense(p)])


ROTATED = (
    dict(seed=1, size=3, time=5, alpha=0.7, gamma=0.9),
    dict(seed=2, size=4, time=7, alpha=1.2, gamma=0.6),
    dict(seed=3, size=2, time=3, alpha=-0.5, gamma=0.99),
)
STEPS = (
    dict(seed=1, alpha=0.7, gamma=0.9, c=2.3, s=1.7),
    dict(seed=2, alpha=1.2, gamma=0.6, c=0.4, s=3.1),
    dict(seed=3, alpha=0.45, gamma=0.3, c=5.2, s=0.6),
)
ONE_STEP = {"reference": step_norm, "atoms": step_norm_of_atoms}

# Mutants by name: powers of alpha and gamma other than those of Eq. 6.
WRONG_POWERS = {
    "alpha on the input alone": {"on_state": (0, 1)},
    "alpha on the state alone": {"on_input": (0, 0)},
    "gamma on the input too": {"on_input": (1, 1)},
    "gamma squared": {"on_state": (1, 2)},
}

EVIDENCE: dict[str, Basis] = {
    "rotrnn:6": Evidence(
        (*ROTATED, ROTATED[0] | {"start": 1.0}),
        {"linear_system": rotated_at_once, "modes": rotated_modes},
        rotated_recurrence,
        mutants={
            name: functools.partial(rotated_recurrence, **powers)
            for name, powers in WRONG_POWERS.items()
        },
    ),
    "rotrnn:lemma3": Evidence(
        points("gamma c s", (0.9, 2.3, 1.7), (0.5, 0.3, 0.8), (0.99, 4, 0.2)),
        {"reference": scale_by_root, "one_step": scale_by_trials},
        example=Example(
            "E|x_2|^2 with the printed alpha, for Tr[B^T B] = s and E|x_1|^2 = c,",
            {"gamma": 0.5, "c": 2.0, "s": 1.0},
            lambda c, **_: c,
            lambda gamma, c, s: norm_after(
                gamma, c, s, (c * gamma**2 + s) ** -0.5, 1.0, 1, seed=1
            ),
        ),
    ),
    "rotrnn:7": Evidence(
        points("seed alpha gamma", (1, 0.7, 0.9), (2, 1.2, 0.6), (3, 0.45, 0.3)),
        {"reference": norm_of_outcomes, "moments": norm_of_moments},
        norm_of_parts,
        proof=norm_splits,
        mutants={
            "without the cross term": functools.partial(norm_of_parts, twice=0),
            "the cross term once": functools.partial(norm_of_parts, twice=1),
            "gamma squared in it": functools.partial(norm_of_parts, powers=(2, 2, 2)),
            "gamma once": functools.partial(norm_of_parts, powers=(2, 1, 1)),
            "alpha once": functools.partial(norm_of_parts, powers=(1, 2, 1)),
        },
    ),
    "rotrnn:8": Evidence(
        also(STEPS, white=False),
        ONE_STEP,
        step_form,
        proof=step_leaves_a_trace,
        mutants=WRONG_STEPS,
    ),
    "rotrnn:9": Evidence(STEPS, ONE_STEP),
    "rotrnn:10": Evidence(
        ROTATED,
        {"reference": rotated_recurrence, "linear_system": rotated_at_once},
        rotated_unrolled,
        mutants=wrong_sums(rotated_sum)
        | {"from another state": functools.partial(rotated_recurrence, start=1.0)},
    ),
    "rotrnn:11": Evidence(
        points("gamma c s", (0.9, 0.6, 1.7), (0.5, 2.4, 0.8), (0.7, 1.6, 0.3)),
        {"reference": factor_by_root, "steps": factor_by_steps},
        example=Example(
            "for Tr[B^T B] = s, the factor xi on B that keeps E|x_t|^2 = c",
            {"gamma": 0.5, "c": 2.0, "s": 1.0},
            lambda gamma, c, s: math.sqrt((1 - c * gamma**2) / s),
            factor_by_root,
        ),
    ),
    "rotrnn:12": Evidence(
        points("seed heads size", (1, 2, 4), (2, 2, 4)),
        {"reference": dense_states, "layer": layer_states},
        summed_states,
        mutants=wrong_sums(summed_states)
        | {"from another state": functools.partial(dense_states, start=1.0)},
    ),
}
