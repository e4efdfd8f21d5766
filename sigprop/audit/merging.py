"""Information that the merged state of a bidirectional layer loses of both states.

The states ``h`` and ``g`` at one step are ``4 n`` real numbers, of which a merge to ``d``
keeps ``d`` at most.  Two counts say what that costs.  *Ranks*: how many numbers of the
inputs of a window each of ``h``, ``g``, the pair and the merged state tells apart, singular
values below ``TOLERANCE`` of the largest not being counted.  *Kept*: the share of the
states' power that the best linear map brings back from the merged state, for the
covariance that the states really have.

Source: BLUR (2025), Eq. 11 and Section 4.2; rows ``blur:text:merge`` and
``blur:text:dimension`` of the ledger.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop.audit.windows import jackknife
from sigprop.linear.linearise import Modes
from sigprop.neuron.projections import project_in
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision

TOLERANCE = 1e-6  # some ten roundings in single precision
PARTS = ("forward", "backward", "pair", "merged")


def _real_gram(
    straight: Complex[np.ndarray, "n m"], bent: Complex[np.ndarray, "n m"]
) -> Float[np.ndarray, "twice_n twice_m"]:
    """Products of real and imaginary parts, from ``S R^H`` and ``S R^T``."""
    return np.block(
        [
            [np.real(straight + bent) / 2, np.imag(bent - straight) / 2],
            [np.imag(straight + bent) / 2, np.real(straight - bent) / 2],
        ]
    )


def _own(half: Modes, steps: int) -> np.ndarray:
    """Gram matrix of a state's response to all inputs of ``steps`` steps."""
    powers = half.lam[:, None] ** np.arange(steps)
    turned = [
        (powers @ other.T) * (half.inward @ inward.T)
        for other, inward in (
            (powers.conj(), half.inward.conj()),
            (powers, half.inward),
        )
    ]
    return _real_gram(*turned)


def response_gram(
    halves: tuple[Modes, Modes], steps: int, at: int
) -> Float[np.ndarray, "numbers numbers"]:
    """Gram matrix of the response of both states at a step to all inputs of a window.

    Real parts of ``h``, then imaginary ones, then those of ``g``.  Both see the input of
    the step itself, and no other input together.

    Args:
        halves: Modes of both directions.
        steps: Steps of the window.
        at: Counted from 0.
    """
    first, second = halves
    straight = first.inward @ second.inward.conj().T
    crossed = _real_gram(straight, first.inward @ second.inward.T)
    return np.block(
        [[_own(first, at + 1), crossed], [crossed.T, _own(second, steps - at)]]
    )


def merge_of(halves: tuple[Modes, Modes]) -> Float[np.ndarray, "d numbers"]:
    """The merge as a map of the real numbers of both states."""
    return np.concatenate(
        [
            part
            for half in halves
            for part in (np.real(half.outward), -np.imag(half.outward))
        ],
        1,
    )


def ranks(halves: tuple[Modes, Modes], steps: int, at: int) -> dict[str, int]:
    """Numbers of the inputs of a window that each of ``PARTS`` tells apart."""
    gram, merge = response_gram(halves, steps, at), merge_of(halves)
    n = 2 * len(halves[0].lam)
    grams = gram[:n, :n], gram[n:, n:], gram, merge @ gram @ merge.T
    return dict(zip(PARTS, map(_rank, grams), strict=True))


def _rank(gram: Float[np.ndarray, "n n"]) -> int:
    squares = np.linalg.eigvalsh((gram + gram.T) / 2)
    return int((squares > TOLERANCE**2 * squares.max()).sum())


class Sums(NamedTuple):
    """Products of all real numbers of both states, summed over steps and sequences."""

    products: Float[np.ndarray, "numbers numbers"]


@jax.jit
def _products(
    first: Modes, second: Modes, u: Float[Array, "num time d"]
) -> Float[Array, "numbers numbers"]:
    def states(half: Modes, u: Array) -> list[Array]:
        v = project_in(jnp.real(half.inward), jnp.imag(half.inward), u)
        z = linear_recurrence(jnp.asarray(half.lam), v)
        return [jnp.real(z), jnp.imag(z)]

    def of_sequence(u: Array) -> Array:
        turned = [part[::-1] for part in states(second, u[::-1])]
        both = jnp.concatenate([*states(first, u), *turned], 1)
        return both.T @ both

    return jax.vmap(of_sequence)(u).sum(0)


def sums(halves: tuple[Modes, Modes], u: Float[Any, "num time d"]) -> Sums:
    """Run both directions over the sequences of a block."""
    with double_precision(True):
        return Sums(np.asarray(_products(*halves, jnp.asarray(u, float))))


def retained_share(
    halves: tuple[Modes, Modes], parts: Sequence[Sums]
) -> Float[np.ndarray, "3 parts"]:
    """Low, middle and high of the share that the merged state keeps.

    Of the forward state, of the backward state, and of the pair: the first three of
    ``PARTS``.
    """
    merge = merge_of(halves)
    n = 2 * len(halves[0].lam)

    def share(known: Sums) -> np.ndarray:
        crossed = known.products @ merge.T
        inverse = np.linalg.pinv(merge @ crossed, rcond=TOLERANCE**2, hermitian=True)
        back = np.einsum("ij,jk,ik->i", crossed, inverse, crossed)
        power = np.diag(known.products)
        chosen = slice(n), slice(n, None), slice(None)
        return np.array([back[part].sum() / power[part].sum() for part in chosen])

    return jackknife(parts, share)
