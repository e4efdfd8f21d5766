"""Closed forms of a linear layer's second moments: state, output, and gradients.

The inputs are independent channels of one stationary process of mean zero, with
autocovariance ``R``.  Gradients are derivatives of ``v . y_at`` with respect to each
parameter ``theta``.  The error ``v`` has unit covariance and does not depend on the inputs.
The second moment of the gradient is thus the sum of ``E|dy_o/dtheta|^2`` over the outputs.

A parameter changes eigenvalues and residues, so that ``dy_o/dtheta`` is a sum over modes of
``lam**age`` and of its derivative.  Lemmas 1 and 2 give the second moment of such a sum for
any ``R``.  A bidirectional layer has two such sums.  Inputs ``n`` steps before and ``m``
steps after a position are ``n + m`` steps apart.

Source: ``sigprop.theory.layers``, after Zucchet & Orvieto (2024), Lemmas 1 and 2.
"""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Complex, Float, Inexact
from scipy.linalg import hankel, matmul_toeplitz
from sympy import Expr, diff

from sigprop.linear.covariances import require_autocovariance
from sigprop.linear.linearise import Modes, Perturbed
from sigprop.linear.measured_moments import require_position
from sigprop.numerics.arguments import require_choice, require_count, require_finite
from sigprop.numerics.compile import compile_expr
from sigprop.theory import layers
from sigprop.theory.symbols import Delta, T, alpha, beta

Covariance = Float[np.ndarray, " lags"]
ORDERS = (0, 1)  # lam**age, and its derivative by lam
NOTHING = 1e-24  # size of a neglected power or relative covariance
DELICATE = 0.05  # |1 - alpha beta| times the steps below which closed forms lose digits
LARGEST_EXPONENT = 300.0  # exponent of a power whose square is finite
BLOCK = 1 << 14  # size of a block in the evaluation of a closed form
LOST = 1e-7  # relative error of cancelling sums that raises an error


def _reach(lam: Complex[np.ndarray, " n"], steps: int) -> int:
    """Number of ages at which powers of eigenvalues are not negligible, at most ``steps``."""
    radius = np.abs(lam).max(initial=0)
    if radius >= 1:
        return steps
    if radius == 0:
        return 1
    return min(steps, 1 + int(np.log(NOTHING) / np.log(radius)))


def _is_delicate(
    first: Complex[np.ndarray, " n"], second: Complex[np.ndarray, " m"], steps: int
) -> bool:
    apart = np.abs(1 - first[:, None] * second[None]).min(initial=np.inf)
    least = min(
        np.abs(eigenvalues).min(initial=np.inf) for eigenvalues in (first, second)
    )
    return bool(apart * steps < DELICATE or least < np.sqrt(NOTHING))


@functools.cache
def _weight(form: Expr, first: int, second: int) -> Callable[..., Any]:
    derived = diff(form, (alpha, first), (beta, second))
    return compile_expr(derived, alpha, beta, Delta, T, backend="numpy")


def pair_moment(
    first: Complex[np.ndarray, " n"],
    second: Complex[np.ndarray, " m"],
    steps: int,
    covariance: Covariance,
    *,
    orders: tuple[int, int] = (0, 0),
) -> Complex[np.ndarray, "n m"]:
    """Second moments ``E[h_t g_t]`` of pairs of linear neurons that share one input.

    The neurons are ``h_t = first h_{t-1} + x_t`` and ``g_t = second g_{t-1} + x_t``,
    both with initial state zero.  For ``E[h_t conj(g_t)]``, pass ``second.conj()``.
    The function sums a closed form over lags.  The closed form loses digits if an
    eigenvalue is near zero, or if ``steps`` is small and a product of eigenvalues is
    near one.  In these cases the function sums over all pairs of past inputs instead.

    Args:
        first: Eigenvalues of ``h``.
        second: Eigenvalues of ``g``.
        steps: Number of inputs since the zero state.
        covariance: Autocovariance ``R`` of the input at lags ``0, 1, ...``, at least up
            to ``steps - 1``.
        orders: Orders of the derivatives of ``h`` and of ``g`` with respect to their
            eigenvalues: 0 for the state itself, 1 for the first derivative.

    Returns:
        A matrix with a row for each eigenvalue of ``h`` and a column for each of ``g``.

    Raises:
        ValueError: If ``covariance`` has fewer than ``steps`` values or is not an
            autocovariance of a stationary process; if an order is not 0 or 1; if an
            eigenvalue is not finite, or its powers are too large for floating point.

    Source: ``sigprop.theory.layers.pair_weight``.

    Example:
        For white noise of unit variance, ``E h_t^2`` is ``1 / (1 - 0.5**2)`` after many
        steps:

        >>> lam = np.array([0.5 + 0j])
        >>> white = np.eye(1, 50)[0]
        >>> pair_moment(lam, lam, 50, white).real.round(4)
        array([[1.3333]])
    """
    steps = require_count("steps", steps)
    require_autocovariance(covariance, steps)
    for order in orders:
        require_choice("orders", order, (0, 1))
    for name, lam in (("first", first), ("second", second)):
        require_finite(**{name: lam})
        size = float(np.abs(lam).max(initial=0))
        if size > 1 and steps * math.log(size) > LARGEST_EXPONENT:
            raise ValueError(
                f"need {name} of eigenvalues whose powers up to {steps} are finite, got "
                f"one of modulus {size:.6g}"
            )
    return _pair_moment(first, second, steps, covariance, orders, None)


def _pair_moment(
    first: Complex[np.ndarray, " n"],
    second: Complex[np.ndarray, " m"],
    steps: int,
    covariance: Covariance,
    orders: tuple[int, int],
    form: Expr | None,
) -> Complex[np.ndarray, "n m"]:
    if form is None and _is_delicate(first, second, steps):
        size = max(_reach(first, steps), _reach(second, steps))
        rows = matmul_toeplitz(covariance[:size], _powers(second, size, orders[1]).T)
        return _powers(first, size, orders[0]) @ rows
    form = layers.pair_weight().result if form is None else form
    ahead, behind = _weight(form, *orders), _weight(form, *orders[::-1])
    a, b = first[:, None], second[None]
    near = covariance[: max(_reach(first, steps), _reach(second, steps))]
    lags = np.flatnonzero(np.abs(near) > NOTHING * covariance[0])
    total = np.zeros((len(first), len(second)), complex)
    block = 1 + BLOCK // max(total.size, 1)
    for weight, own, other, chosen in (
        (ahead, a, b, lags),
        (behind, b, a, lags[lags > 0]),
    ):
        for start in range(0, len(chosen), block):
            at = chosen[start : start + block, None, None]
            total += (covariance[at] * weight(own, other, at, steps)).sum(0)
    return total


def _powers(lam: Complex[np.ndarray, " n"], steps: int, order: int):
    """The powers ``lam**age`` (order 0) or their derivatives ``age lam**(age-1)`` (order 1)."""
    ages = np.arange(steps)
    return (
        lam[:, None] ** ages
        if order == 0
        else ages * lam[:, None] ** np.maximum(ages - 1, 0)
    )


class Products(NamedTuple):
    """Second moments of a layer's modes and present input.

    Attributes:
        pairs: Entry ``[a, b, p, q, c]`` has the moments of each mode of half ``a`` with
            each mode of half ``b``.  The modes are differentiated ``p`` and ``q`` times
            with respect to their eigenvalues.  The second mode is conjugated if ``c``.
        present: Entry ``[a][p]`` has the moments of each mode of half ``a``,
            differentiated ``p`` times, with the present input.
        input: Variance ``R(0)`` of the input.
    """

    pairs: dict[tuple[int, int, int, int, bool], Complex[np.ndarray, "n m"]]
    present: list[list[Complex[np.ndarray, " n"]]]
    input: float


def products(
    eigenvalues: list[Complex[np.ndarray, " n"]],
    lengths: tuple[int, ...],
    covariance: Covariance,
    weight: Expr | None = None,
    orders: tuple[int, ...] = ORDERS,
) -> Products:
    """Compute ``Products`` from the eigenvalues and input counts of a layer's halves.

    Args:
        eigenvalues: Eigenvalues of each half.
        lengths: Number of inputs that each half has received.
        covariance: Autocovariance ``R`` of the input at lags ``0, 1, ...``, up to the
            number of inputs of all halves.
        weight: Formula for the weight of a lag.  Default: ``theory.layers.pair_weight``.
        orders: Orders of derivatives with respect to eigenvalues.  Every pair of orders
            is computed.

    Raises:
        ValueError: If ``covariance`` has too few values or is not an autocovariance of
            a stationary process.
    """
    require_autocovariance(covariance, sum(lengths) - len(lengths) + 1)
    halves = list(zip(eigenvalues, lengths, strict=True))
    reach = [_reach(lam, steps) for lam, steps in halves]
    powers = [
        [_powers(lam, steps, p) for p in orders]
        for lam, steps in zip(eigenvalues, reach, strict=True)
    ]
    present = [
        [power @ covariance[:steps] for power in half]
        for half, steps in zip(powers, reach, strict=True)
    ]
    pairs = {}
    for p, q, conjugate in itertools.product(orders, orders, (False, True)):
        turn = np.conj if conjugate else np.asarray
        for half, (lam, steps) in enumerate(halves):
            pairs[half, half, p, q, conjugate] = _pair_moment(
                lam, turn(lam), steps, covariance, (p, q), weight
            )
        if len(halves) == 2:
            apart = hankel(
                covariance[: reach[0]], covariance[reach[0] - 1 : sum(reach) - 1]
            )
            pairs[0, 1, p, q, conjugate] = powers[0][p] @ apart @ turn(powers[1][q]).T
    return Products(pairs, present, float(covariance[0]))


Weights = list[tuple[Complex[np.ndarray, "p d_out n d_in"], ...]]


def quadratic(
    weights: Weights, skip: Float[np.ndarray, "p d_out d_in"], known: Products
) -> Float[np.ndarray, " p"]:
    """Second moments of ``p`` real sums over modes plus ``skip u``, summed over outputs.

    Args:
        weights: For each half, the factors of ``lam**age`` and of its derivative with
            respect to ``lam``.
        skip: Factor of the present input.
        known: Second moments of the modes and the input, from ``products``.

    Raises:
        ValueError: If terms cancel so that fewer than seven digits are left.
    """
    total = known.input * (skip**2).sum((1, 2))
    size = total
    for (a, b, p, q, conjugate), pairs in known.pairs.items():
        left, right = weights[a][p], weights[b][q]
        if left.any() and right.any():
            factor = 0.5 if a == b else 1.0
            turned = right.conj() if conjugate else right
            total = total + factor * np.real(_meet(left, pairs @ turned))
            size = size + _meet(np.abs(left), np.abs(pairs) @ np.abs(right))
    for half, products_of_half in zip(weights, known.present, strict=True):
        for weight, product in zip(half, products_of_half, strict=False):
            through_skip = skip[:, :, None] * product[:, None]
            total = total + 2 * np.real(_meet(weight, through_skip))
            size = size + _meet(np.abs(weight), np.abs(through_skip))
    if np.finfo(float).eps * size.sum() > LOST * np.abs(total.sum()):
        raise ValueError(
            "need eigenvectors further from degenerate: so much cancels between the modes "
            "that fewer than seven digits are left"
        )
    return total


def _meet(
    first: Inexact[np.ndarray, "p d_out n d_in"],
    second: Inexact[np.ndarray, "p d_out n d_in"],
) -> Inexact[np.ndarray, " p"]:
    return (first * second).sum((1, 2, 3))


def predict(
    layer: Perturbed,
    covariance: Covariance,
    steps: int,
    at: int,
) -> dict[str, float]:
    """Predict a layer's second moments of state, output and gradients, in closed form.

    The moments describe one step of a sequence.  The state is zero before the sequence.
    In a bidirectional layer, the half that runs backwards starts from zero after the
    last step.  If the layer is not linear, the moments are those of its linearisation
    at zero state and zero input.

    Args:
        layer: Result of ``perturb``.  If its ``tangents`` are empty, no moments of
            gradients are predicted.
        covariance: Autocovariance ``R`` of every input channel at lags from 0 to
            ``steps - 1``.  Different channels are independent.
        steps: Number of steps in a sequence.
        at: Index of the step at which moments are predicted, counted from 0.

    Returns:
        A dictionary.  ``state`` is ``E|h_at|^2`` and ``output`` is ``E|y_at|^2``.
        Under the name of each parameter: ``E|d(v . y_at)/dtheta|^2``, summed over its
        entries ``theta``.  ``v`` is the error backpropagated to the output: a random
        vector of unit covariance, independent of the inputs.

    Raises:
        ValueError: If ``at`` is not an index of a step; if ``covariance`` has fewer
            than ``steps`` values or is not an autocovariance of a stationary process;
            if contributions of nearly equal modes cancel so that fewer than seven
            digits are left.

    Example:
        The moments after eight inputs of white noise of unit variance:

        >>> import jax
        >>> from sigprop.layers import lru
        >>> from sigprop.linear import perturb
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> found = predict(perturb(layer), np.eye(1, 8)[0], steps=8, at=7)
        >>> found["state"] > 0, len(found)
        (True, 10)
    """
    return predict_with_weight(None, layer, covariance, steps, at)


def predict_with_weight(
    weight: Expr | None,
    layer: Perturbed,
    covariance: Covariance,
    steps: int,
    at: int,
) -> dict[str, float]:
    """``predict`` with another formula for the weight of a lag, for mutants."""
    require_position(at, steps)
    require_autocovariance(covariance, steps)
    lengths = (at + 1, steps - at)[: len(layer.modes)]
    orders = ORDERS if layer.tangents else ORDERS[:1]
    lam = [modes.lam for modes in layer.modes]
    known = products(lam, lengths, covariance, weight, orders)
    residues = [modes.residues() for modes in layer.modes]
    readout: Weights = [(part[None], np.zeros_like(part[None])) for part in residues]
    states = [
        _of_neurons(modes, known.pairs[half, half, 0, 0, True]).sum()
        for half, modes in enumerate(layer.modes)
    ]
    moments = {
        "state": float(sum(states)),
        "output": float(quadratic(readout, layer.modes[0].skip[None], known).sum()),
    }
    for name, tangents in layer.tangents.items():
        weights: Weights = [(half.residues, half.derivatives) for half in tangents]
        moments[name] = float(quadratic(weights, tangents[0].skip, known).sum())
    return moments


def state_moments(
    modes: Modes, pairs: Complex[np.ndarray, "n n"]
) -> Float[np.ndarray, " n"]:
    """Compute each neuron's second moment ``E|h|^2`` from moments of pairs of modes.

    Args:
        modes: Modes of the layer, from ``diagonalise``.
        pairs: Second moments of pairs of modes: the result of
            ``pair_moment(lam, lam.conj(), ...)`` with ``lam = modes.lam``.

    Raises:
        ValueError: If an entry of ``pairs`` is not finite.

    Example:
        >>> import jax
        >>> from sigprop.layers import lru
        >>> from sigprop.linear import diagonalise, linearise
        >>> modes = diagonalise(linearise(lru(4, 2, key=jax.random.key(0))))
        >>> pairs = pair_moment(modes.lam, modes.lam.conj(), 8, np.eye(1, 8)[0])
        >>> state_moments(modes, pairs).shape
        (4,)
    """
    require_finite(pairs=pairs)
    return _of_neurons(modes, pairs)


def _of_neurons(
    modes: Modes, pairs: Complex[np.ndarray, "n n"]
) -> Float[np.ndarray, " n"]:
    """Return ``state_moments`` without its check; a mutant may give NaN."""
    moments = pairs * (modes.inward @ modes.inward.conj().T)
    return np.real(
        np.einsum("ki,ij,kj->k", modes.vectors, moments, modes.vectors.conj())
    )
