"""Information that is lost when the two states of a bidirectional layer are merged.

The states ``h`` and ``g`` at one step have ``4 n`` real numbers.  A merge to ``d`` channels
keeps at most ``d``.  Two measures describe the loss.  The *rank* is the number of independent
inputs of a window that ``h``, ``g``, the pair or the merged state contains.  Singular values
below ``TOLERANCE`` times the largest are not counted.  The share *kept* is the part of the
states' power that the best linear map recovers from the merged state, for the measured
covariance of the states.

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
    """Return products of real and imaginary parts, from ``S R^H`` and ``S R^T``."""
    return np.block(
        [
            [np.real(straight + bent) / 2, np.imag(bent - straight) / 2],
            [np.imag(straight + bent) / 2, np.real(straight - bent) / 2],
        ]
    )


def _own(half: Modes, steps: int) -> np.ndarray:
    """Return the Gram matrix of a state's response to all inputs of ``steps`` steps."""
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
    """Return the Gram matrix of both states' response to all inputs of a window.

    The order is real parts of ``h``, imaginary parts of ``h``, real parts of ``g``,
    imaginary parts of ``g``.  The input of the step itself is the only input on which
    both states depend.

    Args:
        halves: Modes of both directions.
        steps: Number of steps of the window.
        at: Index of the step at which the states are taken, from 0.
    """
    first, second = halves
    straight = first.inward @ second.inward.conj().T
    crossed = _real_gram(straight, first.inward @ second.inward.T)
    return np.block(
        [[_own(first, at + 1), crossed], [crossed.T, _own(second, steps - at)]]
    )


def merge_of(halves: tuple[Modes, Modes]) -> Float[np.ndarray, "d numbers"]:
    """Return the merge as a matrix on the real numbers of both states."""
    return np.concatenate(
        [
            part
            for half in halves
            for part in (np.real(half.outward), -np.imag(half.outward))
        ],
        1,
    )


def ranks(halves: tuple[Modes, Modes], steps: int, at: int) -> dict[str, int]:
    """Return the number of independent inputs of a window that each part contains.

    Args:
        halves: Modes of both directions.
        steps: Number of steps of the window.
        at: Index of the step at which the states are taken, from 0.

    Returns:
        The ranks by the names ``PARTS``.
    """
    gram, merge = response_gram(halves, steps, at), merge_of(halves)
    n = 2 * len(halves[0].lam)
    grams = gram[:n, :n], gram[n:, n:], gram, merge @ gram @ merge.T
    return dict(zip(PARTS, map(_rank, grams), strict=True))


def _rank(gram: Float[np.ndarray, "n n"]) -> int:
    squares = np.linalg.eigvalsh((gram + gram.T) / 2)
    return int((squares > TOLERANCE**2 * squares.max()).sum())


class Sums(NamedTuple):
    """Sums over steps and sequences.

    Attributes:
        products: Products of all pairs of real numbers of both states.
    """

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
    """Run both directions over the sequences of a block.

    Args:
        halves: Modes of both directions.
        u: Inputs of the layer, in the order of time.
    """
    with double_precision(True):
        return Sums(np.asarray(_products(*halves, jnp.asarray(u, float))))


def retained_share(
    halves: tuple[Modes, Modes], parts: Sequence[Sums]
) -> Float[np.ndarray, "3 parts"]:
    """Return the share of the states' power that the merged state keeps.

    Args:
        halves: Modes of both directions.
        parts: Sums over each block.

    Returns:
        The lower end, the estimate and the upper end of a 95 % interval, for the forward
        state, the backward state and the pair.
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
