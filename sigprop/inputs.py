"""Stationary input processes, with sampling and autocovariance in one object.

Gaussian processes have mean zero.  Each is defined by one step function, so that stored
samples and streamed simulations draw the same sequences.  Measured sequences (``Empirical``
and ``Recording``) keep their mean.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.numerics.arguments import LARGEST, require_moderate, require_shape
from sigprop.numerics.precision import require_dtype

__all__ = [
    "AR1",
    "Constant",
    "Empirical",
    "GaussianProcess",
    "Mixed",
    "MovingAverage",
    "Recording",
    "White",
]

State = Any
Row = Float[Array, " num"] | Float[np.ndarray, " num"]
Rows = Float[Array, "width num"] | Float[np.ndarray, "width num"]


def _require_finite(name: str, value: float, low: float, high: float) -> None:
    sign = "<" if math.isinf(high) else "<="
    if not (low <= value <= high and math.isfinite(value)):
        raise ValueError(f"need {low:g} <= {name} {sign} {high:g}, got {name}={value}")


class GaussianProcess:
    """Base class of stationary Gaussian processes of mean zero.

    A process has a state.  The method ``initial`` draws the state from its stationary
    distribution, so that inputs are stationary from the first step on.  The method
    ``step`` computes the next state and the next input.  Both methods get standard
    normal numbers as ``noise``.  Simulations on a CPU are fastest if ``step`` is linear
    and accepts NumPy arrays.

    Attributes:
        initial_width: Number of standard normal numbers that ``initial`` needs for each
            sequence.
        step_width: Number of standard normal numbers that ``step`` needs for each
            sequence.

    Example:
        ``Mixed`` adds two independent processes, so that a step needs two numbers:

        >>> isinstance(White(), GaussianProcess), Mixed(0.5, 0.5, 0.9).step_width
        (True, 2)
    """

    initial_width: int = 0
    step_width: int = 1

    @abstractmethod
    def initial(self, noise: Rows) -> State:
        """The state before the first step, drawn from its stationary distribution.

        Args:
            noise: Standard normal numbers, independent of each other, with a column for
                each sequence.
        """

    @abstractmethod
    def step(self, state: State, noise: Rows) -> tuple[State, Row]:
        """Take one step of several sequences; return their next states and values ``x_t``.

        The values are the inputs of a network.

        Args:
            state: State of all sequences before the step.
            noise: Standard normal numbers, independent of each other, with a column for
                each sequence.
        """

    @abstractmethod
    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """The autocovariance ``R(lag) = E x_{t+lag} x_t``, at any integer lags."""

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = jnp.float32
    ) -> Float[Array, "num length"]:
        """Draw ``num`` independent sequences of ``length`` steps.

        Args:
            key: Random key.
            num: Number of sequences.
            length: Number of steps of a sequence.
            dtype: Floating-point type of the result.

        Raises:
            ValueError: If ``dtype`` has 64 bits and JAX's 64-bit mode is off, or is not
                a numeric type.
        """
        require_dtype(dtype)
        return _draw(self, key, num, length, dtype)


@partial(jax.jit, static_argnames=("process", "num", "length", "dtype"))
def _draw(
    process: GaussianProcess, key: PRNGKeyArray, num: int, length: int, dtype: Any
) -> Float[Array, "num length"]:
    initial_key, step_key = jax.random.split(key)
    state = process.initial(
        jax.random.normal(initial_key, (process.initial_width, num), dtype)
    )
    noise = jax.random.normal(step_key, (length, process.step_width, num), dtype)
    x: Any
    _, x = lax.scan(process.step, state, noise)
    return x.T


@final
@dataclass(frozen=True)
class White(GaussianProcess):
    """White noise: Gaussian inputs that are independent in time.

    The autocovariance is ``R(0) = variance``, and zero at all other lags.

    Attributes:
        variance: Variance of the input, finite and not negative.

    Raises:
        ValueError: If ``variance`` is out of range.

    Example:
        >>> White(2.0).autocovariance(np.arange(3)).tolist()
        [2.0, 0.0, 0.0]
        >>> White().sample(jax.random.key(0), 3, 10).shape
        (3, 10)
    """

    variance: float = 1.0

    def __post_init__(self) -> None:
        _require_finite("variance", self.variance, 0, math.inf)

    def initial(self, noise: Rows) -> State:
        return ()

    def step(self, state: State, noise: Rows) -> tuple[State, Row]:
        return state, math.sqrt(self.variance) * noise[0]

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        return np.where(np.asarray(lags) == 0, self.variance, 0.0)


@final
@dataclass(frozen=True)
class Constant(GaussianProcess):
    """Inputs that are constant in time, with one Gaussian value for each sequence.

    The autocovariance is ``R(lag) = variance`` at all lags.

    Attributes:
        variance: Variance of the input, finite and not negative.

    Raises:
        ValueError: If ``variance`` is out of range.

    Example:
        >>> Constant(2.0).autocovariance(np.arange(3)).tolist()
        [2.0, 2.0, 2.0]
    """

    variance: float = 1.0
    initial_width = 1
    step_width = 0

    def __post_init__(self) -> None:
        _require_finite("variance", self.variance, 0, math.inf)

    def initial(self, noise: Rows) -> State:
        return math.sqrt(self.variance) * noise[0]

    def step(self, state: State, noise: Rows) -> tuple[State, Row]:
        return state, state

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        return np.full(np.shape(lags), float(self.variance))


@final
@dataclass(frozen=True)
class AR1(GaussianProcess):
    """First-order autoregressive process, AR(1).

    The autocovariance is ``R(lag) = variance rho**|lag|``.  The recurrence is
    ``x_{t+1} = rho x_t + sqrt(variance (1 - rho^2)) noise``.  Inputs are white for
    ``rho = 0`` and constant for ``rho = 1``.  For ``rho = -1``, they change their sign
    at every step.

    Attributes:
        rho: Correlation of successive inputs, from -1 to 1.
        variance: Variance of the input, finite and not negative.

    Raises:
        ValueError: If ``rho`` or ``variance`` is out of range.

    Example:
        >>> AR1(0.5).autocovariance(np.arange(-1, 3)).tolist()
        [0.5, 1.0, 0.5, 0.25]
        >>> AR1(0.5, variance=2.0).autocovariance(np.arange(3)).tolist()
        [2.0, 1.0, 0.5]
        >>> AR1(0.5).sample(jax.random.key(0), 3, 100).shape
        (3, 100)
    """

    rho: float
    variance: float = 1.0
    initial_width = 1

    def __post_init__(self) -> None:
        _require_finite("rho", self.rho, -1, 1)
        _require_finite("variance", self.variance, 0, math.inf)

    def initial(self, noise: Rows) -> State:
        return math.sqrt(self.variance) * noise[0]

    def step(self, state: State, noise: Rows) -> tuple[State, Row]:
        scale = math.sqrt(self.variance * (1 - self.rho) * (1 + self.rho))
        x = self.rho * state + scale * noise[0]
        return x, x

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        return self.variance * np.power(float(self.rho), np.abs(np.asarray(lags)))


@final
@dataclass(frozen=True)
class Mixed(GaussianProcess):
    """White noise plus an independent AR(1) process.

    The autocovariance is ``R(0) = a + b``, and ``R(lag) = b rho**|lag|`` at other lags.

    Attributes:
        a: Variance of the white noise, finite and not negative.
        b: Variance of the AR(1) process, finite and not negative.
        rho: Correlation of successive values of the AR(1) process, from -1 to 1.

    Raises:
        ValueError: If ``a``, ``b`` or ``rho`` is out of range.

    Source: Zucchet & Orvieto (2024), Fig. 12, which fits a = 0.332, b = 0.044 and
        rho = 0.997 to text embeddings.

    Example:
        >>> Mixed(0.5, 0.5, 0.5).autocovariance(np.arange(3)).tolist()
        [1.0, 0.25, 0.125]
        >>> Mixed(0.5, 0.5, 0.5).sample(jax.random.key(0), 3, 10).shape
        (3, 10)
    """

    a: float
    b: float
    rho: float
    initial_width = 1
    step_width = 2

    def __post_init__(self) -> None:
        _require_finite("a", self.a, 0, math.inf)
        _require_finite("b", self.b, 0, math.inf)
        _require_finite("rho", self.rho, -1, 1)

    def initial(self, noise: Rows) -> State:
        return AR1(self.rho).initial(noise)

    def step(self, state: State, noise: Rows) -> tuple[State, Row]:
        state, correlated = AR1(self.rho).step(state, noise[:1])
        return state, math.sqrt(self.a) * noise[1] + math.sqrt(self.b) * correlated

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        white = White(self.a).autocovariance(lags)
        return white + self.b * AR1(self.rho).autocovariance(lags)


@final
@dataclass(frozen=True)
class MovingAverage(GaussianProcess):
    """Moving average of white noise, ``x_t = sum_k taps[k] noise_{t-k}``.

    The autocovariance is zero at lags of ``len(taps)`` and more.

    Attributes:
        taps: Weights of the noise at the present step and at earlier steps; the noise
            has unit variance.

    Raises:
        ValueError: If there are no taps, or one is not finite or too large to square.

    Example:
        The autocovariance is ``1 + 0.5**2`` at lag 0 and ``0.5`` at lag 1:

        >>> MovingAverage((1.0, 0.5)).autocovariance(np.arange(3)).tolist()
        [1.25, 0.5, 0.0]
    """

    taps: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.taps or not all(abs(tap) <= LARGEST for tap in self.taps):
            raise ValueError(
                f"need one or more taps of at most {LARGEST:g}, got taps={self.taps}"
            )

    @property
    def initial_width(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Number of standard normal numbers that ``initial`` needs per sequence."""
        return len(self.taps) - 1

    def initial(self, noise: Rows) -> State:
        return list(noise)

    def step(self, state: State, noise: Rows) -> tuple[State, Row]:
        recent = [*noise, *state]
        x: Any = sum(tap * past for tap, past in zip(self.taps, recent, strict=True))
        return recent[:-1], x

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        full = np.correlate(self.taps, self.taps, mode="full")[len(self.taps) - 1 :]
        distance = np.abs(np.asarray(lags))
        inside = distance < len(full)
        return np.where(inside, full[np.where(inside, distance, 0)], 0.0)


@final
@dataclass(frozen=True, eq=False)
class Empirical:
    """Measured sequences as an input process, sampled with replacement.

    ``autocovariance`` and ``sample`` do not subtract the mean of the sequences.

    Attributes:
        values: Measured sequences, one in each row.

    Raises:
        ValueError: If ``values`` is not a matrix of finite real numbers, or a value is
            too large to square.

    Source: Zucchet & Orvieto (2024), Eq. 75.  In sequences of ``length`` steps,
        ``length - |lag|`` pairs of steps are ``lag`` apart.  ``autocovariance`` divides
        the sum of their products by this number.  The paper sums from ``t = 0`` to
        ``T - |lag|``, so ``length`` equals ``T + 1`` in the paper.

    Example:
        >>> rows = Empirical(np.array([[1.0, -1.0, 1.0, -1.0]]))
        >>> rows.autocovariance(np.arange(2)).tolist()
        [1.0, -1.0]
        >>> rows.sample(jax.random.key(0), 3, 4).shape
        (3, 4)
    """

    values: np.ndarray

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        require_shape("values", values, "sequences time")
        if values.dtype.kind not in "biuf":
            raise ValueError(f"need values that are real, got {values.dtype}")
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"need finite values, got {values[row, column]} in sequence {row} at "
                f"step {column}; interpolate or drop it"
            )
        require_moderate("values", values)
        object.__setattr__(self, "values", values.astype(np.float64))

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = jnp.float32
    ) -> Float[Array, "num length"]:
        """Draw ``num`` sequences with replacement, cut to the first ``length`` steps.

        Args:
            key: Random key.
            num: Number of sequences.
            length: Number of steps of a sequence.
            dtype: Floating-point type of the result.

        Raises:
            ValueError: If ``values`` has fewer than ``length`` steps, or if ``dtype``
                has 64 bits and JAX's 64-bit mode is off.
        """
        require_dtype(dtype)
        if length > self.values.shape[1]:
            raise ValueError(
                f"need sequences of at least {length} steps, got "
                f"{self.values.shape[1]}; ask for a shorter length"
            )
        rows = jax.random.randint(key, (num,), 0, self.values.shape[0])
        return jnp.asarray(self.values[:, :length], dtype)[rows]

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """The mean of ``x_{t+lag} x_t`` over all steps and sequences, at each lag.

        Raises:
            ValueError: If the absolute value of a lag is not below the number of steps.
        """
        length = self.values.shape[1]
        distance = np.abs(np.asarray(lags))
        if distance.size and distance.max() >= length:
            raise ValueError(
                f"need lags below the {length} steps of a sequence, got "
                f"{int(distance.max())}"
            )
        size = 2 * length
        power = np.abs(np.fft.rfft(self.values, size, axis=1)) ** 2
        sums = np.fft.irfft(power.mean(axis=0), size)[:length]
        return (sums / (length - np.arange(length)))[distance]


@final
@dataclass(frozen=True, eq=False)
class Recording:
    """One measured time series as an input process, continued periodically.

    A sample starts at a random step of the series; after the last step, the sample
    continues with the first.  The process is thus exactly stationary, and ``R(lag)`` is
    the mean of ``x_t x_{t+lag}`` over a period.  ``autocovariance`` and ``sample`` do
    not subtract the mean of the series.  The mean product of two independent samples is
    thus the square of the mean of the series.

    Attributes:
        values: Time series, as a vector.

    Raises:
        ValueError: If ``values`` is not a vector of finite real numbers, or a value is
            too large to square.

    Example:
        A series of period four:

        >>> turning = Recording(np.array([1.0, 0.0, -1.0, 0.0]))
        >>> turning.autocovariance(np.arange(3)).round(6).tolist()
        [0.5, 0.0, -0.5]
    """

    values: np.ndarray

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.dtype.kind not in "biuf":
            raise ValueError(f"need values that are real, got {values.dtype}")
        require_moderate("values", values, "time")
        object.__setattr__(self, "values", values.astype(np.float64))

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = jnp.float32
    ) -> Float[Array, "num length"]:
        """Draw ``num`` sequences of ``length`` steps, each from a random first step.

        Args:
            key: Random key.
            num: Number of sequences.
            length: Number of steps of a sequence, which may exceed one period.
            dtype: Floating-point type of the result.

        Raises:
            ValueError: If ``dtype`` has 64 bits and JAX's 64-bit mode is off.
        """
        require_dtype(dtype)
        return _stretches(key, jnp.asarray(self.values, dtype), num, length)

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """The mean of ``x_t x_{t+lag}`` over a period, at any integer lags."""
        power = np.abs(np.fft.rfft(self.values)) ** 2
        around = np.fft.irfft(power, self.values.size) / self.values.size
        return around[np.asarray(lags) % self.values.size]


@partial(jax.jit, static_argnames=("num", "length"))
def _stretches(
    key: PRNGKeyArray, values: Float[Array, " time"], num: int, length: int
) -> Float[Array, "num length"]:
    first = jax.random.randint(key, (num, 1), 0, values.size)
    return values[(first + jnp.arange(length)[None]) % values.size]


def __dir__() -> list[str]:
    return __all__
