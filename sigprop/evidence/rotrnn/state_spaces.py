"""Evidence on Section 4.2 of RotRNN (2024), on state space models.

Notation: ``d``  channels;  ``n``  states of the system of one channel.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import each, impulse_response, points, powered, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.rotrnn.heads import (
    TIME,
    WIDTH,
    Sequence,
    dense,
    layer,
    parameters,
)
from sigprop.evidence.rotrnn.random_matrices import Matrix, contraction, draw
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.dense import LinearRNN


class Stack(NamedTuple):
    """Systems with one input and one output, and the mixing of their outputs."""

    A: list[Matrix]
    b: Float[np.ndarray, "d n"]
    c: Float[np.ndarray, "d n"]
    M: Float[np.ndarray, "d d"]
    u: Float[np.ndarray, "time d"]


def stack(seed: int, d: int, n: int) -> Stack:
    """Random systems, mixing and inputs."""
    return Stack(
        [contraction(seed + i, n) for i in range(d)],
        draw(seed + 101, d, n),
        draw(seed + 102, d, n),
        draw(seed + 103, d, d),
        draw(seed + 104, TIME, d),
    )


def stack_by_channels(seed: int, d: int, n: int) -> Sequence:
    """Outputs, one system after the other."""
    A, b, c, M, u = stack(seed, d, n)
    outputs = [recur(A[i], np.outer(u[:, i], b[i])) @ c[i] for i in range(d)]
    return np.array(outputs).T @ M.T


def stack_by_kernels(seed: int, d: int, n: int) -> Sequence:
    """Outputs, each channel convolved with the impulse response of its system."""
    A, b, c, M, u = stack(seed, d, n)
    outputs = [
        np.convolve(impulse_response(A[i], b[i], c[i], TIME), u[:, i])[:TIME]
        for i in range(d)
    ]
    return np.array(outputs).T @ M.T


def _as_one(system: Stack) -> tuple[Matrix, Matrix, Matrix]:
    """``A``, ``B`` and ``C`` of the whole stack, without its mixing."""
    A = np.asarray(scipy.linalg.block_diag(*system.A))
    B, C = (
        scipy.linalg.block_diag(*[row[None] for row in rows])
        for rows in (system.b, system.c)
    )
    return A, B.T, C


def stack_as_one(
    seed: int,
    d: int,
    n: int,
    *,
    mixed: bool = True,
    turned: bool = False,
    shared: bool = False,
    full: bool = False,
) -> Sequence:
    """Outputs of one block-diagonal system, read out and mixed.

    Args:
        seed: Seed of the systems.
        d: Number of channels.
        n: Number of states of each system.
        mixed: False for a mutant without mixing.
        turned: True for a mutant with the transposed mixing.
        shared: True for a mutant with the first matrix in all channels.
        full: True for a mutant in which each system reads all channels.
    """
    system = stack(seed, d, n)
    if shared:
        system = system._replace(A=[system.A[0]] * d)
    A, B, C = _as_one(system)
    if full:
        B = system.b.reshape(-1, 1) * np.ones((1, d))
    outputs = powered(A, system.u @ B.T) @ C.T
    if not mixed:
        return outputs
    return outputs @ (system.M if turned else system.M.T)


def matrices(kind: str, seed: int, d: int, n: int) -> tuple[Matrix, Matrix, Matrix]:
    """Matrices of a stack of ``d`` systems, or of one system of as many states."""
    if kind == "stack":
        return _as_one(stack(seed, d, n))
    return contraction(seed, d * n), draw(seed + 1, d * n, d), draw(seed + 2, d, d * n)


def reached_by_responses(kind: str, seed: int, d: int, n: int) -> Matrix:
    """Derivative of the last output by the first input, from the impulse response."""
    A, B, C = matrices(kind, seed, d, n)
    return impulse_response(A, B, C, TIME)[-1]


def reached_by_layer(kind: str, seed: int, d: int, n: int) -> Matrix:
    """Derivative of the last output by the first input, by autodiff through the layer."""
    A, B, C = matrices(kind, seed, d, n)

    def last(first: Any, A: Any, B: Any, C: Any) -> Any:
        u = jnp.zeros((TIME, d)).at[0].set(first)
        return LinearRNN(A[None], B, C, jnp.zeros((d, d)))(u)[-1]

    return computed(jax.jacfwd(last), np.zeros(d), A, B, C)


def channels_reached(by: Any, kind: str, seed: int, d: int, n: int) -> int:
    """Pairs of an output and an input channel of which one depends on the other."""
    return int(np.sum(np.abs(by(kind, seed, d, n)) > 1e-9))


def couplings(by: Any, seed: int, heads: int, size: int) -> list[int]:
    """Number of nonzero entries of the derivatives by state and by input."""
    return [int(np.sum(np.abs(part) > 1e-9)) for part in by(seed, heads, size)]


def coupled_by_layer(seed: int, heads: int, size: int) -> tuple[Matrix, Matrix]:
    """Derivatives of RotRNN's next state by state and input, by autodiff."""

    def step(state: Any, u: Any) -> Any:
        return layer(parameters(seed, heads, size)).step(state, u)[0]

    at = draw(seed + 7, heads * size), draw(seed + 8, WIDTH)
    by_state, by_input = computed(jax.jacfwd(step, argnums=(0, 1)), *at)
    return by_state, by_input


def coupled_by_matrices(seed: int, heads: int, size: int) -> tuple[Matrix, Matrix]:
    """Differences of RotRNN's next state, head by head from dense matrices."""
    parts = list(dense(parameters(seed, heads, size)))

    def step(h: Float[np.ndarray, " n"], u: Float[np.ndarray, " d"]) -> Any:
        own = np.split(h, heads)
        return np.concatenate(
            [A @ x + B @ u for (A, B), x in zip(parts, own, strict=True)]
        )

    h, u = draw(seed + 7, heads * size), draw(seed + 8, WIDTH)
    base = step(h, u)
    by_state = [step(h + unit, u) - base for unit in np.eye(len(h))]
    by_input = [step(h, u + unit) - base for unit in np.eye(WIDTH)]
    return np.array(by_state).T, np.array(by_input).T


EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:s4-stack": Evidence(
        points("seed d n", (1, 2, 3), (2, 4, 2), (3, 3, 4)),
        {"reference": stack_by_channels, "convolution": stack_by_kernels},
        stack_as_one,
        mutants={
            "no mixing": partial(stack_as_one, mixed=False),
            "M transposed": partial(stack_as_one, turned=True),
            "one matrix for all": partial(stack_as_one, shared=True),
            "every system reads all channels": partial(stack_as_one, full=True),
        },
    ),
    "rotrnn:text:s5-mixes": Evidence(
        points(
            "kind seed d n", ("stack", 1, 3, 2), ("whole", 2, 3, 2), ("whole", 3, 4, 3)
        ),
        each(
            channels_reached,
            {"impulse": reached_by_responses, "autodiff": reached_by_layer},
        ),
        lambda kind, seed, d, n: d if kind == "stack" else d**2,
        mutants={
            "exchanged": lambda kind, seed, d, n: d**2 if kind == "stack" else d,
            "neither mixes": lambda kind, seed, d, n: d,
        },
    ),
    "rotrnn:text:independent-heads": Evidence(
        points("seed heads size", (1, 2, 4), (2, 3, 2), (3, 1, 6)),
        each(
            couplings,
            {"autodiff": coupled_by_layer, "reference": coupled_by_matrices},
        ),
        lambda seed, heads, size: [heads * size**2, heads * size * WIDTH],
        mutants={
            "one big matrix": lambda seed, heads, size: [
                (heads * size) ** 2,
                heads * size * WIDTH,
            ],
            "one channel a head": lambda seed, heads, size: [
                heads * size**2,
                heads * size,
            ],
        },
    ),
}
