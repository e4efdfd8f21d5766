"""Optimal parametrisations for any correlation of the input, and charts made of them.

``omega`` is the length of the path of eigenvalues of one phase, ``domega = sqrt(E|gamma
dh/dlam|^2) d|lam|``, measured by quadrature in the *depth* ``-log(1 - |lam|)``, in which
every gain's integrand is smooth to the edge of stability.

Source: Zucchet & Orvieto (2024), Section 3.1 and Appendix C.1.2.
"""

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy.interpolate import CubicHermiteSpline

from sigprop.inputs import White
from sigprop.linear.infinite_loss import Geometric, spectrum
from sigprop.neuron import stable
from sigprop.numerics.arguments import require_phase, require_within
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import Coordinates, Modulus, Parametrisation, Real
from sigprop.tasks.teacher_student import Stationary
from sigprop.theory import optimal as theory
from sigprop.theory.symbols import a, alpha, b, beta, rho

SMALLEST_GAP = 1e-12  # where tables end
PANEL = 0.25  # of the quadrature: its error is below rounding at sixteen points
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)
KNOTS = 8193  # of a table from the gap one to the smallest
NEWTON = 4  # steps from a cubic, whose error they square each time
WHITE = White()

Grid = Float[np.ndarray, "*grid"]


def speed(
    process: Stationary, gain: str, gap: Any, phase: Any, along: str = "modulus"
) -> Grid:
    """``domega/d|lam|``, or ``domega/dtheta``, of the optimal parameter.

    Args:
        process: Input process.
        gain: One of ``sigprop.theory.optimal.GAINS``.
        gap: ``1 - |lam|``, in (0, 1].
        phase: ``theta`` in radians.
        along: ``modulus`` or ``angle``: which of the two moves.

    Raises:
        ValueError: If a name is unknown, a gap out of range, or the autocovariance of the
            input is not ``a delta + b rho^|lag|``.

    Example:
        >>> from sigprop import White
        >>> speeds = speed(White(), "none", np.array([0.1, 0.01]), 0.0)
        >>> bool(speeds[1] > speeds[0])
        True
    """
    if gain not in theory.GAINS:
        raise ValueError(f"need a gain in {', '.join(theory.GAINS)}, got {gain!r}")
    if along not in ("modulus", "angle"):
        raise ValueError(f"need to move along modulus or angle, got {along!r}")
    covariance = spectrum(process)
    if not isinstance(covariance, Geometric):
        raise ValueError(
            f"need inputs of autocovariance a delta + b rho^|lag|, got {process}"
        )
    require_within("gap", gap, 0, 1, "(]")
    require_phase("phase", phase)
    gap, phase = np.broadcast_arrays(np.asarray(gap, float), np.asarray(phase, float))
    if gain == "loss":
        square = _loss_metric(covariance, gap, phase, along)
        if not (square > 0).all():
            raise ValueError(
                "need inputs that their past does not determine, got |rho| = 1"
            )
        return np.asarray(np.sqrt(square))
    gains = {
        "none": lambda: 1.0,
        "white": lambda: gap * (2 - gap),
        "matched": lambda: 1 / _moment("state", covariance, gap, phase),
    }
    square = gains[gain]() * _moment("sensitivity", covariance, gap, phase)
    return np.asarray(np.sqrt(square) * (1 - gap if along == "angle" else 1))


MOMENTS = {
    "state": jax.jit(stable.state_moment),
    "sensitivity": jax.jit(stable.sensitivity_moment),
}


def _moment(quantity: str, covariance: Geometric, gap: Grid, phase: Grid) -> Grid:
    total = np.zeros_like(gap)
    with double_precision(True):
        for weight, ratio in ((covariance.a, 0.0), (covariance.b, covariance.rho)):
            if weight:
                total += weight * np.asarray(MOMENTS[quantity](gap, phase, ratio))
    return total


@functools.cache
def _regular_part() -> Callable[..., Any]:
    parts = list(theory.regular_part("mixed"))
    return compile_expr(parts, alpha, beta, a, b, rho, backend="numpy")


def _loss_metric(covariance: Geometric, gap: Grid, phase: Grid, along: str) -> Grid:
    """Squared speed of the normalised state: of its direction plus of its phase."""
    inverse = 1 / (gap * (2 - gap))
    lam = (1 - gap) * np.exp(1j * phase)
    first, second = _regular_part()(lam, lam.conj(), *covariance)
    turn = inverse**2 + np.real(second)
    if along == "modulus":
        return np.asarray(turn + np.imag(np.exp(1j * phase) * first) ** 2)
    radius = 1 - gap
    along_angle = radius**2 * inverse + np.real(lam * first)
    return np.asarray(radius**2 * turn + along_angle**2)


class Ruler(NamedTuple):
    """Length along a line, from zero.

    Attributes:
        density: Function of the position that returns the length per unit of position.
        edges: Positions of the panels' edges, from zero.
        lengths: Length from zero to each edge.
    """

    density: Callable[[np.ndarray], np.ndarray]
    edges: Float[np.ndarray, " edges"]
    lengths: Float[np.ndarray, " edges"]

    def length(self, position: Grid) -> Grid:
        """The length up to a position."""
        position = np.asarray(position, float)
        panel = np.clip((position / PANEL).astype(int), 0, len(self.edges) - 1)
        start = self.edges[panel]
        return np.asarray(self.lengths[panel] + _panel(self.density, start, position))

    def position(self, length: Grid) -> Grid:
        """The position at which a length ends.

        Raises:
            ValueError: If the line is shorter.
        """
        length = np.asarray(length, float)
        if not ((length >= 0) & (length <= self.lengths[-1])).all():
            raise ValueError(
                f"need a length in [0, {self.lengths[-1]:.6g}], the path's, got one "
                f"from {length.min():.6g} to {length.max():.6g}"
            )
        curve = CubicHermiteSpline(
            self.lengths, self.edges, 1 / self.density(self.edges)
        )
        position = curve(length)
        for _ in range(NEWTON):
            position = np.clip(position, 0, self.edges[-1])
            position = position - (self.length(position) - length) / self.density(
                position
            )
        return np.asarray(np.clip(position, 0, self.edges[-1]))


def _panel(density: Callable[[np.ndarray], np.ndarray], start: Grid, end: Grid) -> Grid:
    half = (end - start)[..., None] / 2
    positions = start[..., None] + half * (1 + POINTS)
    return np.asarray((density(positions) * half) @ WEIGHTS)


def ruler(density: Callable[[np.ndarray], np.ndarray], last: float) -> Ruler:
    """Measure a line up to a place, or a little further."""
    edges = PANEL * np.arange(math.ceil(last / PANEL) + 1)
    parts = _panel(density, edges[:-1], edges[1:])
    return Ruler(density, edges, np.concatenate([[0], np.cumsum(parts)]))


@final
@dataclass(frozen=True)
class Path:
    """The optimal parametrisation of the moduli of one phase.

    Attributes:
        process: Input process: white, exponential, constant or mixed.
        gain: One of ``sigprop.theory.optimal.GAINS``.
        phase: Of the eigenvalue, in radians; 0 for the positive ones, pi for negative.

    Raises:
        ValueError: As ``speed``.

    Source: Zucchet & Orvieto (2024), Section 3.1.
    """

    process: Stationary = WHITE
    gain: str = "matched"
    phase: float = 0.0

    def __post_init__(self) -> None:
        speed(self.process, self.gain, 0.5, self.phase)

    def derivative(self, gap: Any) -> Grid:
        """``domega/d|lam|``; its inverse is the granularity."""
        return speed(self.process, self.gain, gap, self.phase)

    def omega(self, gap: Any) -> Grid:
        """The parameter of a gap, exact to rounding.

        Raises:
            ValueError: If a gap is not in [``SMALLEST_GAP``, 1].
        """
        gap = np.asarray(gap, float)
        if not ((gap >= SMALLEST_GAP) & (gap <= 1)).all():
            raise ValueError(
                f"need a gap in [{SMALLEST_GAP:g}, 1], got one from {gap.min():g} to "
                f"{gap.max():g}"
            )
        return _ruler(self).length(-np.log(gap))

    def gap(self, omega: Any) -> Grid:
        """The gap of a parameter.

        Raises:
            ValueError: If a parameter is negative or beyond that of ``SMALLEST_GAP``.
        """
        return np.asarray(np.exp(-_ruler(self).position(np.asarray(omega, float))))

    def modulus(self) -> Modulus:
        """The parametrisation as ``OptimalParametrisation`` takes it, differentiable.

        A negative parameter gives a negative modulus, on the path of the opposite phase.
        By cubics between ``KNOTS`` places with the exact slopes: gap and parameter are
        right to 1e-10 of themselves down to ``SMALLEST_GAP``, and the slope to 1e-7;
        beyond, the depth goes straight on.
        """
        return _modulus(self)


@functools.cache
def _ruler(path: Path) -> Ruler:
    return ruler(lambda depth: _depth_speed(path, depth), -math.log(SMALLEST_GAP))


def _depth_speed(path: Path, depth: Grid) -> Grid:
    gap = np.exp(-depth)
    return gap * path.derivative(gap)


@functools.cache
def _modulus(path: Path) -> Modulus:
    opposite = dataclasses.replace(path, phase=path.phase + math.pi)
    depth = np.linspace(0, -math.log(SMALLEST_GAP), KNOTS)
    ahead, behind = (
        (_ruler(side).length(depth), _depth_speed(side, depth))
        for side in (path, opposite)
    )
    depths = np.concatenate([-depth[:0:-1], depth])
    omegas = np.concatenate([-behind[0][:0:-1], ahead[0]])
    speeds = np.concatenate([behind[1][:0:-1], ahead[1]])

    def forward(omega: Any) -> Any:
        signed = _cubic(jnp.asarray(omega), omegas, depths, 1 / speeds)
        return jnp.where(signed > 0, -jnp.expm1(-signed), jnp.expm1(signed))

    def inverse(modulus: Any) -> Any:
        modulus = jnp.asarray(modulus)
        signed = -jnp.sign(modulus) * jnp.log1p(-jnp.abs(modulus))
        return _cubic(signed, depths, omegas, speeds)

    return Modulus(forward, inverse)


def _cubic(x: Real, *table: Float[np.ndarray, " knots"]) -> Real:
    """Hermite's cubics between knots of values and slopes, straight lines beyond."""
    knots, values, derivatives = (jnp.asarray(column, x.dtype) for column in table)
    inside = jnp.clip(x, knots[0], knots[-1])
    i = jnp.clip(jnp.searchsorted(knots, inside) - 1, 0, len(knots) - 2)
    width = knots[i + 1] - knots[i]
    share = (inside - knots[i]) / width
    chord = values[i + 1] - values[i]
    first, last = width * derivatives[i], width * derivatives[i + 1]
    turn = (1 - share) * (first - chord) + share * (chord - last)
    within = values[i] + share * (chord + (1 - share) * turn)
    beyond = jnp.where(x > inside, derivatives[-1], derivatives[0]) * (x - inside)
    return within + beyond


@final
@dataclass(frozen=True)
class OptimalParametrisation:
    """A parametrisation whose modulus follows an optimal path.

    Attributes:
        path: Optimal path of the modulus.
        angle: One of ``tasks.one_dimensional.ANGLES``.
        detached: True if no gradient passes from the angle to the modulus.

    Raises:
        ValueError: If there is no such parametrisation of the angle.

    Example:
        >>> parametrisation = OptimalParametrisation()
        >>> at = parametrisation.coordinates(0.9, 0.5)
        >>> [round(float(one), 3) for one in parametrisation.polar(at)]
        [0.9, 0.5]
    """

    path: Path = dataclasses.field(default_factory=Path)
    angle: str = "plain"
    detached: bool = False

    def __post_init__(self) -> None:
        self._angles()
        self.path.modulus()  # now: tables cannot be made while JAX traces

    def _angles(self) -> Parametrisation:
        return Parametrisation("plain", self.angle, self.detached)

    def polar(self, at: Coordinates) -> tuple[Real, Real]:
        """Modulus and angle, in radians."""
        modulus = self.path.modulus().forward(at.modulus)
        return self._angles().polar(Coordinates(modulus, at.angle))

    def coordinates(self, modulus: Any, angle: Any) -> Coordinates:
        """The parameters of a modulus and an angle.

        Raises:
            ValueError: If the parametrisation does not reach there.
        """
        plain = self._angles().coordinates(modulus, angle)
        return plain._replace(modulus=self.path.modulus().inverse(plain.modulus))
