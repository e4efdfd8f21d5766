"""Deterministic routes to each quantity that do not use the closed form.

``reference`` computes the kernel by its recurrence in extended precision and sums the double
sum by brute force.  ``impulse`` computes the kernel by the JAX recurrence, and the kernel of
the sensitivity by its derivative.  ``closed_form`` is the stable code.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop import inputs
from sigprop.neuron import ring, stable
from sigprop.neuron.recurrence import impulse_response, linear_recurrence
from sigprop.numerics.points import (
    AgePoint,
    EigenPoint,
    Input,
    PairPoint,
    Point,
    RingPoint,
)
from sigprop.numerics.precision import double_precision

Wide = np.longdouble
WideComplex = np.clongdouble
TAIL = 1e-18  # a truncated stationary sum leaves out less than this, relatively


def process(source: Input) -> inputs.GaussianProcess:
    """Return the process of ``sigprop.inputs`` for the input of a point.

    Raises:
        ValueError: If there is no such process.
    """
    match source.name:
        case "white":
            return inputs.White()
        case "constant":
            return inputs.Constant()
        case "exponential":
            return inputs.AR1(source.rho)
        case "mixed":
            return inputs.Mixed(source.a, source.b, source.rho)
        case "moving_average":
            return inputs.MovingAverage(source.taps)
    raise ValueError(f"no process is known for the input {source.name!r}")


def horizon(point: EigenPoint | PairPoint, finite: bool) -> int:
    """Return the number of steps to sum, enough for the stationary value if not finite."""
    if finite:
        return point.steps
    radius = (
        1 - point.gap
        if isinstance(point, EigenPoint)
        else max(abs(point.alpha), abs(point.beta))
    )
    if radius == 0:
        return 2
    steps = math.log(TAIL) / math.log(radius)
    return math.ceil(steps + 4 * math.log(steps + 2) / -math.log(radius))


def _wide(value: Any) -> Any:
    """An mpmath number in extended precision."""
    value = mpmath.mpc(value)
    return WideComplex(Wide(mpmath.nstr(value.real, 25))) + WideComplex(1j) * Wide(
        mpmath.nstr(value.imag, 25)
    )


@functools.cache
def _kernels(lam: Any, length: int) -> tuple[np.ndarray, np.ndarray]:
    """State and sensitivity kernels by their recurrences, newest input first."""
    state = np.zeros(length, WideComplex)
    sensitivity = np.zeros(length, WideComplex)
    h, s = WideComplex(1), WideComplex(0)
    for age in range(length):
        state[age], sensitivity[age] = h, s
        h, s = lam * h, lam * s + h
    return state, sensitivity


def _double_sum(left: np.ndarray, right: np.ndarray, source: Input) -> complex:
    """``sum_{n,m} left_n conj(right_m) R(n - m)``, lag by lag."""
    covariances = _covariances(source, len(left))
    both_sides = np.concatenate([covariances[:0:-1], covariances])
    # Not through BLAS, which has no extended precision.
    return complex((np.correlate(left, right, "full") * both_sides).sum())


@functools.cache
def _covariances(source: Input, length: int) -> np.ndarray:
    return np.array(
        [Wide(mpmath.nstr(source.autocovariance(lag), 25)) for lag in range(length)]
    )


@functools.cache
def _reference_moment(index: int) -> Callable[[Point, bool], complex]:
    @functools.cache
    def route(point: Point, finite: bool) -> complex:
        assert isinstance(point, EigenPoint)
        lam = _wide(point.eigenvalue())
        kernel = _kernels(lam, horizon(point, finite))[index]
        return _double_sum(kernel, kernel, point.input)

    return route


def _reference_pair(index: int) -> Callable[[Point, bool], complex]:
    @functools.cache
    def route(point: Point, finite: bool) -> complex:
        assert isinstance(point, PairPoint)
        length = horizon(point, finite)
        left, right = (
            _kernels(_wide(value), length)[index] for value in (point.alpha, point.beta)
        )
        return _double_sum(left, right, point.input)

    return route


def _reference_kernel(index: int) -> Callable[[Point, bool], complex]:
    def route(point: Point, finite: bool) -> complex:
        assert isinstance(point, AgePoint)
        lam = _wide(point.eigenvalue())
        return complex(_kernels(lam, point.age + 1)[index][point.age])

    return route


def eigenvalues(*values: Any) -> Complex[Array, " n"]:
    """Return mpmath numbers as a complex128 array."""
    return jnp.asarray([complex(value) for value in values], jnp.complex128)


def _quadratic_form(
    left: Complex[np.ndarray, " time"],
    right: Complex[np.ndarray, " time"],
    source: Input,
) -> complex:
    """``sum_{n,m} left_n conj(right_m) R(n-m)``, from lag weights found by FFT."""
    size = 2 * len(left)
    spectrum = np.fft.fft(left, size) * np.conj(np.fft.fft(right, size))
    weights = np.fft.ifft(spectrum)
    lags = np.arange(size)
    lags = np.where(lags < len(left), lags, lags - size)
    return complex(np.sum(weights * process(source).autocovariance(np.abs(lags))))


@functools.partial(jax.jit, static_argnames="length")
def _responses(lam: Complex[Array, " n"], length: int):
    return impulse_response(lam, length)


@functools.cache
def _impulse(lam: complex, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Both kernels through the JAX recurrence; few lengths, so that few compile."""
    with double_precision(True):
        rounded = 1 << (length - 1).bit_length()
        state, sensitivity = _responses(eigenvalues(lam), rounded)
        return np.asarray(state)[:length, 0], np.asarray(sensitivity)[:length, 0]


def _impulse_moment(index: int) -> Callable[[Point, bool], complex]:
    def route(point: Point, finite: bool) -> complex:
        assert isinstance(point, EigenPoint)
        kernel = _impulse(complex(point.eigenvalue()), horizon(point, finite))[index]
        return _quadratic_form(kernel, kernel, point.input)

    return route


def _impulse_pair(index: int) -> Callable[[Point, bool], complex]:
    def route(point: Point, finite: bool) -> complex:
        assert isinstance(point, PairPoint)
        length = horizon(point, finite)
        left, right = (
            _impulse(complex(x), length)[index] for x in (point.alpha, point.beta)
        )
        return _quadratic_form(left, right, point.input)

    return route


def _impulse_kernel(index: int) -> Callable[[Point, bool], complex]:
    def route(point: Point, finite: bool) -> complex:
        assert isinstance(point, AgePoint)
        kernel = _impulse(complex(point.eigenvalue()), point.age + 1)[index]
        return complex(kernel[point.age])

    return route


@functools.partial(jax.jit, static_argnames="length")
def backward_weights(
    lam: Complex[Array, " n"], length: int
) -> Complex[Array, "length n"]:
    """Compute the weights of the errors of all steps in ``dL/dx_1``, by reverse mode."""

    def states(first: Complex[Array, " n"]) -> Complex[Array, "length n"]:
        x = jnp.zeros((length, lam.shape[0]), lam.dtype).at[0].set(first)
        return linear_recurrence(lam, x)

    _, pull = jax.vjp(states, jnp.zeros_like(lam))
    basis = jnp.eye(length, dtype=lam.dtype)

    def pull_back(error: Complex[Array, " length"]) -> Complex[Array, " n"]:
        return pull(jnp.broadcast_to(error[:, None], (length, lam.shape[0])))[0]

    return jax.vmap(pull_back)(basis)


def _autodiff_backward(point: Point, finite: bool) -> complex:
    assert isinstance(point, EigenPoint)
    length = horizon(point, finite)
    with double_precision(True):
        rounded = 1 << (length - 1).bit_length()
        weights = backward_weights(eigenvalues(point.eigenvalue()), rounded)
    weights = np.asarray(weights)[:length, 0]
    return _quadratic_form(weights, weights, point.input)


def _stable_moment(function: Callable[..., Any]) -> Callable[[Point], float | None]:
    def route(point: Point) -> float | None:
        if not isinstance(point, EigenPoint):
            return None
        rho = {"white": 0.0, "constant": 1.0}.get(point.input.name, point.input.rho)
        with double_precision(True):
            if point.input.name == "mixed":
                white = function(point.gap, point.theta, 0.0)
                correlated = function(point.gap, point.theta, rho)
                return float(point.input.a * white + point.input.b * correlated)
            if point.input.name == "moving_average":
                return None
            return float(function(point.gap, point.theta, rho))

    return route


def _stable_ring(point: Point) -> float | None:
    assert isinstance(point, RingPoint)
    with double_precision(True):
        return float(stable.ring_gain(1 - point.r_max, 1 - point.r_min))


NODES = 24  # Gauss-Legendre nodes in -log(1 - |lam|^2): exact to 1e-13 on our rings


def ring_nodes(
    point: RingPoint,
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """Return radii and weights of a quadrature over the area of a ring.

    In the variable ``y = -log(1 - |lam|^2)`` the integrand of a moment is smooth up to the
    unit circle.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    low, high = (-math.log1p(-(radius**2)) for radius in (point.r_min, point.r_max))
    y = low + (high - low) * (nodes + 1) / 2
    jacobian = np.exp(-y) * (high - low) / 2 / (point.r_max**2 - point.r_min**2)
    return np.sqrt(-np.expm1(-y)), weights * jacobian


def _ring_steps(point: RingPoint, finite: bool) -> int:
    if finite:
        return point.steps
    return math.ceil(math.log(1e-16) / math.log(point.r_max) / 2) + 8


def _ring_average(
    point: Point, finite: bool, lag_weights: Callable[[float, int], np.ndarray]
) -> complex:
    """Average a moment over the ring, the phase by the trapezoid rule.

    With more phases than lags the rule is exact, and it is not assumed that the phase
    averages lags away: the sum over phases is formed.
    """
    assert isinstance(point, RingPoint)
    steps = _ring_steps(point, finite)
    lags = np.arange(steps)
    phases = 2 * np.pi * np.arange(steps + 1) / (steps + 1)
    turning = 2 * np.cos(lags[None] * phases[:, None])
    turning[:, 0] = 1
    covariance = process(point.input).autocovariance(lags)
    radii, weights = ring_nodes(point)
    total = 0.0
    for radius, weight in zip(radii, weights, strict=True):
        moments = turning @ (lag_weights(float(radius), steps) * covariance)
        total += weight * moments.mean()
    return complex(total)


@functools.cache
def _reference_ring(point: Point, finite: bool) -> complex:
    def lag_weights(radius: float, steps: int) -> np.ndarray:
        kernel = np.real(_kernels(Wide(radius), steps)[0]).astype(float)
        return np.correlate(kernel, kernel, mode="full")[steps - 1 :]

    return _ring_average(point, finite, lag_weights)


def _impulse_ring(point: Point, finite: bool) -> complex:
    def lag_weights(radius: float, steps: int) -> np.ndarray:
        column = np.real(_impulse(complex(radius), steps)[0])
        return np.correlate(column, column, mode="full")[steps - 1 :]

    return _ring_average(point, finite, lag_weights)


def _reference_normalised(point: Point, finite: bool) -> complex:
    assert isinstance(point, EigenPoint)
    gap = Wide(point.gap)
    return complex(gap * (2 - gap)) * _reference_moment(0)(point, finite)


def _impulse_normalised(point: Point, finite: bool) -> complex:
    """Normalised response by the LRU's own ``gamma`` of ``nu``, in the recurrence."""
    assert isinstance(point, EigenPoint)
    with double_precision(True):
        lam = eigenvalues(point.eigenvalue())
        gamma = ring.normalisation(jnp.asarray([-math.log1p(-point.gap)]))
        steps = horizon(point, finite)
        impulse = jnp.zeros((steps, 1), lam.dtype).at[0].set(gamma)
        kernel = np.asarray(linear_recurrence(lam, impulse))[:, 0]
    return _quadratic_form(kernel, kernel, point.input)


@dataclass(frozen=True)
class Routes:
    """The deterministic routes to one quantity."""

    reference: Callable[[Point, bool], complex]
    impulse: Callable[[Point, bool], complex]
    closed_form: Callable[[Point], float | None] | None = None
    impulse_name: str = "impulse"
    simulated: bool = True


QUANTITIES: dict[str, Routes] = {
    "state": Routes(
        _reference_moment(0), _impulse_moment(0), _stable_moment(stable.state_moment)
    ),
    "sensitivity": Routes(
        _reference_moment(1),
        _impulse_moment(1),
        _stable_moment(stable.sensitivity_moment),
    ),
    "backward": Routes(
        _reference_moment(0), _autodiff_backward, None, impulse_name="autodiff"
    ),
    "state_pair": Routes(_reference_pair(0), _impulse_pair(0)),
    "sensitivity_pair": Routes(_reference_pair(1), _impulse_pair(1)),
    "state_kernel": Routes(
        _reference_kernel(0), _impulse_kernel(0), None, simulated=False
    ),
    "sensitivity_kernel": Routes(
        _reference_kernel(1), _impulse_kernel(1), None, simulated=False
    ),
    "ring_gain": Routes(_reference_ring, _impulse_ring, _stable_ring),
    "thin_ring": Routes(_reference_ring, _impulse_ring, _stable_ring),
    "normalised_state": Routes(_reference_normalised, _impulse_normalised),
}


def reach(quantity: str, point: Point) -> float:
    """Return the share of a stationary quantity that ``point.steps`` inputs reach.

    The inputs start from the zero state.  The share is a ratio of two brute-force sums, so
    that it does not depend on the form that is judged.

    Raises:
        ValueError: If the share is not a positive finite number.
    """
    route = QUANTITIES[quantity].reference
    with np.errstate(all="ignore"):
        share = complex(np.divide(route(point, True), route(point, False)))
    if not (math.isfinite(share.real) and share.real > 0 and abs(share.imag) < 1e-9):
        raise ValueError(
            f"need a {quantity} that is known after {getattr(point, 'steps', 0)} steps "
            f"and in the limit, got {share} of the limit at {point}; judge another point"
        )
    return share.real
