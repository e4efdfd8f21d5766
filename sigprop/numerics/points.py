"""Parameter points at which claims are judged, and the values of symbols there."""

import math
from dataclasses import dataclass
from typing import Any

import mpmath
from sympy import Symbol

from sigprop.theory import symbols as sy

Environment = dict[Symbol, Any]


@dataclass(frozen=True)
class Input:
    """A stationary input, defined by name and parameters, as in ``sigprop.inputs``."""

    name: str
    rho: float = 0.0
    a: float = 0.0
    b: float = 0.0
    taps: tuple[float, ...] = ()

    def autocovariance(self, lag: int) -> Any:
        """``R(lag)`` in the precision of mpmath, from the stored parameters."""
        lag = abs(lag)
        if self.name == "white":
            return mpmath.mpf(lag == 0)
        if self.name == "constant":
            return mpmath.mpf(1)
        if self.name == "exponential":
            return mpmath.mpf(self.rho) ** lag
        if self.name == "mixed":
            white = mpmath.mpf(self.a) if lag == 0 else mpmath.mpf(0)
            return white + mpmath.mpf(self.b) * mpmath.mpf(self.rho) ** lag
        if self.name == "moving_average":
            taps = [mpmath.mpf(tap) for tap in self.taps]
            return mpmath.fsum(x * y for x, y in zip(taps, taps[lag:], strict=False))
        raise ValueError(f"unknown input {self.name!r}")

    def require_inside(self) -> None:
        """Raise ValueError if a parameter is outside its range."""
        if not -1 <= self.rho <= 1:
            raise ValueError(f"need -1 <= rho <= 1, got rho={self.rho}")
        self.autocovariance(0)

    def environment(self) -> Environment:
        """Values of the symbols that describe the input."""
        return {sy.rho: self.rho, sy.a: self.a, sy.b: self.b}

    def __str__(self) -> str:
        if self.name == "exponential":
            return f"rho={self.rho:g}"
        if self.name == "mixed":
            return f"{self.a:g} white + {self.b:g} rho={self.rho:g}"
        if self.name == "moving_average":
            return f"MA{self.taps}"
        return self.name


WHITE = Input("white")
CONSTANT = Input("constant")


def exponential(rho: float) -> Input:
    """The input with autocovariance ``rho**|Delta|``."""
    return Input("exponential", rho=rho)


def _require_gap(gap: float) -> None:
    if not 0 < gap <= 1:
        raise ValueError(
            f"need a gap 1 - |lambda| in (0, 1] for a stationary limit, got {gap}"
        )


def exact_eigenvalue(gap: float, theta: float) -> Any:
    """The eigenvalue ``(1 - gap) exp(i theta)``, for floating-point numbers taken as exact."""
    radius = 1 - mpmath.mpf(gap)
    if theta == 0:
        return mpmath.mpc(radius)
    if theta == math.pi:
        return mpmath.mpc(-radius)
    return radius * mpmath.expj(mpmath.mpf(theta))


@dataclass(frozen=True)
class EigenPoint:
    """One eigenvalue, one input process, and the number of inputs since the zero state."""

    gap: float
    theta: float
    input: Input
    steps: int

    def require_inside(self) -> None:
        """Raise ValueError if the point is outside the domain of a stable recurrence."""
        _require_gap(self.gap)
        self.input.require_inside()
        if self.steps < 1:
            raise ValueError(f"need steps >= 1, got {self.steps}")

    def eigenvalue(self) -> Any:
        """The eigenvalue, in the precision of mpmath."""
        return exact_eigenvalue(self.gap, self.theta)

    def environment(self) -> Environment:
        """Values of all symbols, in the precision of mpmath."""
        lam = self.eigenvalue()
        return {
            sy.lam: lam,
            sy.lam_bar: mpmath.conj(lam),
            sy.r: 1 - mpmath.mpf(self.gap),
            sy.theta: mpmath.mpf(self.theta),
            sy.T: self.steps,
            **self.input.environment(),
        }

    def __str__(self) -> str:
        phase = {0.0: "", math.pi: " theta=pi"}.get(
            self.theta, f" theta={self.theta:g}"
        )
        return f"gap={self.gap:g}{phase}, {self.input}, T={self.steps}"


@dataclass(frozen=True)
class PairPoint:
    """Two real eigenvalues with the same input."""

    alpha: float
    beta: float
    input: Input
    steps: int

    def require_inside(self) -> None:
        """Raise ValueError if an eigenvalue is outside (-1, 1)."""
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not -1 < value < 1:
                raise ValueError(f"need -1 < {name} < 1, got {name}={value}")
        self.input.require_inside()

    def environment(self) -> Environment:
        """Values of all symbols."""
        return {
            sy.alpha: mpmath.mpf(self.alpha),
            sy.beta: mpmath.mpf(self.beta),
            sy.T: self.steps,
            **self.input.environment(),
        }

    def __str__(self) -> str:
        return f"alpha={self.alpha:g}, beta={self.beta:g}, {self.input}, T={self.steps}"


@dataclass(frozen=True)
class RingPoint:
    """A ring of eigenvalues, an input process, and the number of inputs."""

    r_min: float
    r_max: float
    input: Input = WHITE
    steps: int = 0

    def require_inside(self) -> None:
        """Raise ValueError unless ``0 <= r_min < r_max < 1``."""
        if not 0 <= self.r_min < self.r_max < 1:
            raise ValueError(
                "need 0 <= r_min < r_max < 1 where a limit is asked, got "
                f"r_min={self.r_min}, r_max={self.r_max}"
            )
        self.input.require_inside()

    def environment(self) -> Environment:
        """Values of all symbols."""
        return {
            sy.r_min: mpmath.mpf(self.r_min),
            sy.r_max: mpmath.mpf(self.r_max),
            sy.r: mpmath.mpf(self.r_max),
            sy.T: self.steps,
        }

    def __str__(self) -> str:
        ring = f"ring [{self.r_min:g}, {self.r_max:g}]"
        return f"{ring}, {self.input}, T={self.steps}" if self.steps else ring


@dataclass(frozen=True)
class AgePoint:
    """One eigenvalue and the age of one input, at which a kernel is judged."""

    gap: float
    theta: float
    age: int
    steps: int = 0

    def require_inside(self) -> None:
        """Raise ValueError if the gap or the age is out of range."""
        _require_gap(self.gap)
        if self.age < 0:
            raise ValueError(f"need age >= 0, got {self.age}")

    def eigenvalue(self) -> Any:
        """The eigenvalue, in the precision of mpmath."""
        return exact_eigenvalue(self.gap, self.theta)

    def environment(self) -> Environment:
        """Values of all symbols."""
        lam = self.eigenvalue()
        return {
            sy.lam: lam,
            sy.lam_bar: mpmath.conj(lam),
            sy.n: self.age,
            sy.T: self.steps,
        }

    def __str__(self) -> str:
        return f"gap={self.gap:g}, theta={self.theta:g}, age={self.age}"


Point = EigenPoint | PairPoint | RingPoint | AgePoint
