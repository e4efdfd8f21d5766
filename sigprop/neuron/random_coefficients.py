"""Moments of ``h' = a h + b`` and its sensitivity, from expectations of ``a`` and ``b``.

The pairs ``(a, b)`` of different steps are independent and identically distributed.

Source: ``sigprop.theory.gated_moments``; Kesten (1973), Random difference equations and renewal
theory for products of random matrices, Acta Mathematica 131.
"""

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float
from sympy import Symbol

from sigprop.numerics.arguments import require_choice, require_count, require_within
from sigprop.numerics.compile import Backend, compile_expr
from sigprop.numerics.tracing import namespace
from sigprop.theory import gated_moments

LOST = {name: Symbol(f"L_{name}", positive=True) for name in ("a", "aa")}
QUANTITIES = ("state", "sensitivity")
LONGEST = 2**62  # largest number of steps, as a 64-bit integer
ROUNDED = 1e-9  # relative tolerance for E a^2 >= (E a)^2, due to rounding


@functools.cache
def _limit(quantity: str, backend: Backend) -> Callable[..., Any]:
    E = gated_moments.EXPECTATIONS
    form = gated_moments.limit(quantity).result
    form = form.subs({1 - E["a"]: LOST["a"], 1 - E["aa"]: LOST["aa"]})
    return compile_expr(form, *E.values(), *LOST.values(), backend=backend)


@functools.cache
def _transition(backend: Backend) -> Callable[..., Any]:
    entries = gated_moments.transition().flat()
    E = gated_moments.EXPECTATIONS
    return compile_expr(entries, *E.values(), backend=backend)


def second_moment(
    known: Mapping[str, Any],
    quantity: str = "state",
    steps: int | None = None,
    average: bool = False,
    lost: Mapping[str, Any] | None = None,
) -> Float[Any, "..."]:
    """Return a second moment of a linear recurrence with random coefficients.

    The next state after ``h`` is ``h' = a h + b``.  The sensitivity ``s = dh/dtheta``
    to a parameter ``theta`` obeys ``s' = a s + c h + d``, where ``c = da/dtheta`` and
    ``d = db/dtheta``.  The coefficients ``(a, b, c, d)`` of different steps are
    independent.  The function works under ``jit``, ``vmap``, ``grad`` and ``jvp``.
    Under these transformations it returns infinity if the limit is infinite, instead of
    raising an error.

    Args:
        known: Expectations of the coefficients and of products of two of them: ``E a``
            with the key ``a``, ``E[a b]`` with the key ``ab``, and so on.  Keys with
            ``c`` and ``d`` are needed for the ``sensitivity`` only.  A missing
            expectation counts as zero, but ``aa`` is required.
        quantity: ``state`` for ``E h^2``, or ``sensitivity`` for ``E s^2``.
        steps: Number of steps since the zero state.  Default: the stationary limit.
        average: True for the mean of the moment over the steps 1 to ``steps``, False
            for the moment after the last step.
        lost: ``1 - E a`` with the key ``a`` and ``1 - E a^2`` with the key ``aa``, if
            these differences are known more accurately than a subtraction gives them.
            Default: computed from ``known``.

    Raises:
        ValueError: If the limit is infinite, that is ``E a^2 >= 1``; if the name of an
            expectation is unknown; if an expectation is not finite; or if the mean
            square of a coefficient is below the square of its mean.

    Source: ``sigprop.theory.gated_moments``.

    Example:
        >>> known = {"a": 0.5, "b": 0.0, "aa": 0.5, "ab": 0.0, "bb": 1.0}
        >>> float(second_moment(known))  # E b^2 / (1 - E a^2)
        2.0
    """
    names = gated_moments.EXPECTATIONS
    require_choice("quantity", quantity, QUANTITIES)
    if steps is not None:
        steps = require_count("steps", steps, least=int(average), most=LONGEST)
    _require_expectations(known, lost)
    xp = namespace(known, lost)
    backend: Backend = "numpy" if xp is np else "jax"
    arrays = xp.broadcast_arrays(*(xp.asarray(known.get(n, 0.0), float) for n in names))
    if steps is None:
        if lost is None:
            require_finite(known["aa"])
            lost = {name: 1 - xp.asarray(known.get(name, 0.0)) for name in LOST}
        require_within("lost['aa']", lost["aa"], 0)
        below = [xp.asarray(lost[name], float) for name in LOST]
        moment = xp.asarray(_limit(quantity, backend)(*arrays, *below))
        return moment if xp is np else xp.where(below[1] > 0, moment, xp.inf)
    matrix = _matrix(_transition(backend)(*arrays), 6)
    if average:
        zero, one = xp.zeros_like(matrix), xp.broadcast_to(xp.eye(6), matrix.shape)
        matrix = xp.block([[matrix, zero], [matrix, one]])  # moments, and their sum
    powers = xp.linalg.matrix_power(matrix, steps)[..., 0]
    if average:
        powers = powers[..., 6:] / steps
    orders = [(0, 0), *gated_moments.ORDERS]
    return powers[..., orders.index((2, 0) if quantity == "state" else (0, 2))]


def _matrix(entries: list[Any], size: int) -> Float[Any, "... size size"]:
    """Return a batch of matrices from their entries, row by row."""
    xp = namespace(entries)
    entries = xp.broadcast_arrays(*(xp.asarray(entry, float) for entry in entries))
    return xp.stack(entries, -1).reshape(*entries[0].shape, size, size)


@functools.cache
def _power_limit(order: int, backend: Backend) -> Callable[..., Any]:
    """Compile ``E h^n`` as a function of expectations, lower moments and ``1 - E a^n``."""
    own = Symbol("own", positive=True)
    E = gated_moments.PRODUCTS
    form = gated_moments.power_limit(order).result.subs(1 - E["a" * order], own)
    lower = gated_moments.M[1:order]
    return compile_expr(form, *E.values(), *lower, own, backend=backend)


@functools.cache
def _power_transition(backend: Backend) -> Callable[..., Any]:
    """Compile the matrix of one step on ``(1, E h, E h^2, E h^3, E h^4)``."""
    entries = gated_moments.power_transition().flat()
    return compile_expr(entries, *gated_moments.PRODUCTS.values(), backend=backend)


def fourth_moment(
    known: Mapping[str, Any],
    steps: int | None = None,
    lost: Mapping[str, Any] | None = None,
) -> Float[Any, "..."]:
    """Return the fourth moment of a linear recurrence with random coefficients.

    The moment is ``E h^4``, where the next state after ``h`` is ``h' = a h + b``.  The
    coefficients ``(a, b)`` of different steps are independent.  The function works
    under ``jit``, ``vmap``, ``grad`` and ``jvp``.  Under these transformations it
    returns infinity if the limit is infinite, instead of raising an error.

    Args:
        known: Expectations of all 14 products of one to four factors ``a`` or ``b``.
            ``E a`` has the key ``a``, ``E[a^3 b]`` the key ``aaab``, and so on, with
            ``a`` first.
        steps: Number of steps since the zero state.  Default: the stationary limit.
        lost: ``1 - E a^n`` with the keys ``a``, ``aa``, ``aaa`` and ``aaaa``, if these
            differences are known more accurately than a subtraction gives them.
            Default: computed from ``known``.

    Raises:
        ValueError: If the limit is infinite, that is ``E a^4 >= 1`` (see also
            ``tail_index``); or if an expectation is missing, has an unknown name or is
            not finite.

    Source: ``sigprop.theory.gated_moments``; Kesten (1973), Theorem 5.

    Example:
        >>> names = ("a", "aa", "aaa", "aaaa", "bb", "bbbb", "aabb")
        >>> values = (0.5, 0.25, 0.125, 0.0625, 1.0, 3.0, 0.25)  # a = 1/2, b normal
        >>> known = {name: 0.0 for name in gated_moments.PRODUCTS}
        >>> round(float(fourth_moment(known | dict(zip(names, values)))), 12)
        5.333333333333
        >>> known = {"a": 0.5, "b": 0, "aa": 0.25, "ab": 0, "bb": 1.0}
        >>> float(3 * second_moment(known) ** 2)  # Gaussian h: E h^4 = 3 (E h^2)^2
        5.333333333333333
    """
    names = gated_moments.PRODUCTS
    if set(known) != set(names):
        raise ValueError(f"need known of {', '.join(names)}, got {', '.join(known)}")
    for name, value in known.items():
        require_within(f"known[{name!r}]", value)
    xp = namespace(known, lost)
    powers = ["a" * order for order in range(1, gated_moments.FOURTH + 1)]
    if lost is None:
        lost = {name: 1 - xp.asarray(known[name], float) for name in powers}
    if set(lost) != set(powers):
        raise ValueError(f"need lost of {', '.join(powers)}, got {', '.join(lost)}")
    for name, value in lost.items():
        require_within(f"lost[{name!r}]", value)
    backend: Backend = "numpy" if xp is np else "jax"
    arrays = xp.broadcast_arrays(*(xp.asarray(known[n], float) for n in names))
    if steps is not None:
        count: int = require_count("steps", steps, least=0, most=LONGEST)
        matrix = _matrix(_power_transition(backend)(*arrays), 5)
        return xp.asarray(xp.linalg.matrix_power(matrix, count)[..., 4, 0])
    if xp is np and np.min(lost["aaaa"]) <= 0:
        require_finite_fourth(np.asarray(known["aaaa"], float))
    below, moments = [xp.asarray(lost[name], float) for name in powers], []
    for order, own in enumerate(below, start=1):
        moments.append(_power_limit(order, backend)(*arrays, *moments, own))
    moment = xp.asarray(moments[-1])
    return moment if xp is np else xp.where(below[-1] > 0, moment, xp.inf)


def require_finite_fourth(
    fourth: Float[np.ndarray, "..."],
    a: Float[np.ndarray, "neurons nodes"] | None = None,
    weights: Float[np.ndarray, " nodes"] | None = None,
) -> None:
    """Raise the error of an infinite fourth moment, with the condition and tail index.

    Call this function only if ``E a^4 < 1`` fails.

    Args:
        fourth: ``E a^4`` of each neuron.
        a: Values of the gate ``a`` at the nodes, if known.
        weights: Weights of the nodes.

    Raises:
        ValueError: Always.  The message has the largest ``E a^4`` and, if ``a`` and
            ``weights`` are given, the tail index.
    """
    worst = float(np.max(fourth, initial=0.0))
    index = "the tail index is at most 4; tail_index of the values of a gives it"
    if a is not None and weights is not None:
        kappa = min(tail_index(row, weights) for row in a)
        index = f"the tail index, kappa with E|a|^kappa = 1, is {kappa:.4g}"
    raise ValueError(
        f"the stationary fourth moment is infinite: it needs E a^4 < 1, got {worst:.6g}; "
        f"{index}: moments of order below it are finite; or pass steps"
    )


def lagged_moment(
    mean: Any, square: Any, known: Mapping[str, Any], lag: int
) -> Float[Any, "..."]:
    """Return ``E[h_t h_{t+lag}]`` for ``h' = a h + b`` with random ``a`` and ``b``.

    The function works under ``jit``, ``vmap``, ``grad`` and ``jvp``.

    Args:
        mean: ``E h_t``.
        square: ``E h_t^2``.
        known: ``E a`` with the key ``a``, and ``E b`` with the key ``b``.
        lag: Number of steps between the two states, zero or more.

    Raises:
        ValueError: If ``lag`` is negative.

    Source: ``sigprop.theory.gated_moments.lag_limit``.

    Example:
        >>> float(lagged_moment(0.0, 2.0, {"a": 0.5, "b": 0.0}, 3))
        0.25
    """
    lag = require_count("lag", lag, least=0, most=LONGEST)
    xp = namespace(known, mean, square)
    matrix = _matrix([known["a"], known["b"], 0.0, 1.0], 2)
    power = xp.linalg.matrix_power(matrix, lag)  # no closed form for a = 1
    return xp.asarray(power[..., 0, 0] * square + power[..., 0, 1] * mean)


def _require_expectations(
    known: Mapping[str, Any], lost: Mapping[str, Any] | None
) -> None:
    names = gated_moments.EXPECTATIONS
    unknown = [name for name in known if name not in names]
    if unknown or "aa" not in known:
        raise ValueError(
            f"need known to have aa, and names in {', '.join(names)}, got {list(known)}"
        )
    for name, value in known.items():
        require_within(f"known[{name!r}]", value)
    if lost is not None:
        if lost.keys() != LOST.keys():
            raise ValueError(f"need lost to have a and aa, got {list(lost)}")
        for name, value in lost.items():
            require_within(f"lost[{name!r}]", value)
    if namespace(known) is not np:
        return
    for one in "abcd":
        square, mean = (
            np.asarray(known.get(name, 0.0), float) for name in (2 * one, one)
        )
        if (square < mean**2 * (1 - ROUNDED)).any():
            raise ValueError(
                f"need known[{2 * one!r}] >= known[{one!r}]**2, as E {one}^2 >= (E {one})^2, "
                f"got {square} and {one}={mean}"
            )


def require_finite(
    square: Any,
    a: Float[np.ndarray, "neurons nodes"] | None = None,
    weights: Float[np.ndarray, " nodes"] | None = None,
) -> None:
    """Raise an error if a stationary second moment is infinite.

    A value that JAX traces is not checked.

    Args:
        square: ``E a^2`` of each neuron.
        a: Values of the gate ``a`` at the nodes, if known.
        weights: Weights of the nodes.

    Raises:
        ValueError: If ``E a^2 >= 1`` for a neuron.  The message states which moments are
            finite instead.
    """
    if namespace(square) is not np:
        return
    worst = float(np.max(np.asarray(square, float), initial=0.0))
    if worst < 1:
        return
    if a is None or weights is None:
        instead = "moments at finite steps are finite; pass steps"
    else:
        instead = _instead(a, weights)
    raise ValueError(
        f"the stationary second moment is infinite: E a^2 = {worst:.6g} >= 1; {instead}"
    )


def _instead(
    a: Float[np.ndarray, "neurons nodes"], weights: Float[np.ndarray, " nodes"]
) -> str:
    """Describe which moments are finite, and the probability of ``|a| > 1``."""
    above = float((weights * (np.abs(a) > 1)).sum(1).max())
    exceeds = f"|a| > 1 with probability {above:.3g}; " if above > 0 else ""
    with np.errstate(divide="ignore"):
        log = float((np.log(np.abs(a)) @ weights).max())
    if log < 0:
        return (
            f"{exceeds}E log|a| = {log:.4g} < 0, so that a stationary state exists, with "
            "finite moments of lower order (tail_index); or pass steps"
        )
    return (
        f"{exceeds}E log|a| = {log:.4g} >= 0: there is no stationary state; pass steps"
    )


def tail_index(
    a: Float[np.ndarray, " nodes"], weights: Float[np.ndarray, " nodes"]
) -> float:
    """Return the tail index of a linear recurrence with random coefficients.

    The next state is ``h' = a h + b``.  The tail index is the ``kappa > 0`` with
    ``E|a|^kappa = 1``.  The stationary state has finite moments of every order below
    ``kappa``.

    Args:
        a: Values of the random factor ``a``.
        weights: Probability of each value.

    Returns:
        The tail index.  It is infinite if ``|a| <= 1`` for every value, and zero if
        there is no stationary state.

    Raises:
        ValueError: If a value is not finite, or the weights are not probabilities that
            sum to one.

    Source: Kesten (1973), Theorem 5.

    Example:
        >>> a, weights = np.array([2.0, 0.25]), np.array([0.5, 0.5])
        >>> kappa = tail_index(a, weights)
        >>> round(kappa, 4), round(float(weights @ a**kappa), 9)
        (0.6942, 1.0)
    """
    require_within("a", a)
    require_within("weights", weights, 0, 1, "[]")
    if a.size == 0 or abs(math.fsum(weights) - 1) > ROUNDED:
        raise ValueError(
            f"need a and weights of some values, weights that sum to 1, got {a.size} values "
            f"and weights {weights.tolist()[:8]}"
        )
    size = np.abs(a)
    if size[weights > 0].max() <= 1:
        return math.inf
    with np.errstate(divide="ignore"):
        logs = np.log(size)
    if weights @ np.where(weights > 0, logs, 0.0) >= 0:
        return 0.0

    def excess(kappa: float) -> float:
        return float(weights @ size**kappa) - 1

    high = 1.0
    while excess(high) < 0:
        high *= 2
    low = high
    while excess(low) >= 0:
        low /= 2
    return float(
        scipy.optimize.root_scalar(excess, bracket=(low, high), xtol=1e-15).root
    )
