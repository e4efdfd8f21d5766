"""Optimal parametrisations of an eigenvalue's modulus, for any correlation of the input.

The optimal parameter ``omega`` of a modulus satisfies
``domega = sqrt(E|gamma dh/dlam|^2) d|lam|`` at a constant phase.  The loss then has the
same curvature along ``omega`` at every optimum.  The integral is computed by quadrature in
the *depth* ``-log(1 - |lam|)``, in which the integrand is smooth up to the stability
boundary.

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

SMALLEST_GAP = 1e-12  # smallest gap of the tables
PANEL = 0.25  # width of a panel; sixteen points are exact up to rounding
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)
KNOTS = 8193  # points of a table of gaps
NEWTON = 4  # steps; each squares the error of the cubic
WHITE = White()

Grid = Float[np.ndarray, "*grid"]


def speed(
    process: Stationary, gain: str, gap: Any, phase: Any, along: str = "modulus"
) -> Grid:
    """Derivative of an eigenvalue's optimal parameter with respect to modulus or angle.

    The parameter ``omega`` determines the modulus or the angle of the eigenvalue of a
    student that learns from a teacher.  The parametrisation is optimal if the curvature
    along ``omega``, at the minimum of the loss, is the same for every eigenvalue of the
    teacher.  The derivative of ``omega`` is the root mean square of
    ``d(gamma h)/d|lam|`` or ``d(gamma h)/dtheta``, where ``h`` is the state without the
    factor ``gamma``.

    Args:
        process: Input process: White, AR1, Constant or Mixed.
        gain: Factor ``gamma`` that multiplies the inputs.  ``none`` means 1.  ``white``
            is ``sqrt(1 - |lam|^2)`` and ``matched`` is ``E[|h|^2]^{-1/2}``; both are
            held constant in the derivative of ``gamma h``.  ``loss`` has the value of
            ``matched``, but the derivative of ``gamma`` is included in that of
            ``gamma h``.
        gap: Distance from the stability boundary, ``1 - |lam|``, in (0, 1].
        phase: Phase ``theta`` of the eigenvalue in radians.
        along: ``modulus`` for the derivative ``domega/d|lam|``, ``angle`` for
            ``domega/dtheta``.

    Raises:
        ValueError: If ``gain`` or ``along`` is unknown; if a gap is out of range; if a
            phase is not finite or above 10 000; if ``process`` is not one of the four
            types; if ``gain`` is ``loss`` and past inputs determine the present one
            (``Constant``, or ``AR1`` with ``|rho| = 1``).

    Example:
        Closer to the stability boundary, the derivative is larger:

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
    """Squared derivative of the normalised state: of its direction plus of its phase."""
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
    """Function from a position on a line to the length of the path from zero.

    Attributes:
        density: Function of the position that returns the length per unit of position.
        edges: Positions of the panels' edges, from zero.
        lengths: Length from zero to each edge.
    """

    density: Callable[[np.ndarray], np.ndarray]
    edges: Float[np.ndarray, " edges"]
    lengths: Float[np.ndarray, " edges"]

    def length(self, position: Grid) -> Grid:
        """The length from zero to a position."""
        position = np.asarray(position, float)
        panel = np.clip((position / PANEL).astype(int), 0, len(self.edges) - 1)
        start = self.edges[panel]
        return np.asarray(self.lengths[panel] + _panel(self.density, start, position))

    def position(self, length: Grid) -> Grid:
        """The position at a length from zero.

        Raises:
            ValueError: If a length is negative or exceeds the length of the line.
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
    """Make the ruler of a line that reaches at least to the position ``last``."""
    edges = PANEL * np.arange(math.ceil(last / PANEL) + 1)
    parts = _panel(density, edges[:-1], edges[1:])
    return Ruler(density, edges, np.concatenate([[0], np.cumsum(parts)]))


@final
@dataclass(frozen=True)
class Path:
    """The optimal parametrisation of the modulus of eigenvalues with one phase.

    Attributes:
        process: Input process: White, AR1, Constant or Mixed.
        gain: Factor of the inputs, as in ``speed``: ``none``, ``white``, ``matched`` or
            ``loss``.
        phase: Phase of the eigenvalues in radians: 0 for positive eigenvalues, pi for
            negative ones.

    Raises:
        ValueError: If ``speed`` refuses an attribute.

    Source: Zucchet & Orvieto (2024), Section 3.1.
    """

    process: Stationary = WHITE
    gain: str = "matched"
    phase: float = 0.0

    def __post_init__(self) -> None:
        speed(self.process, self.gain, 0.5, self.phase)

    def derivative(self, gap: Any) -> Grid:
        """The derivative ``domega/d|lam|`` at a gap; its inverse is the granularity."""
        return speed(self.process, self.gain, gap, self.phase)

    def omega(self, gap: Any) -> Grid:
        """The parameter of an eigenvalue with gap ``1 - |lam|``, exact up to rounding.

        Raises:
            ValueError: If a gap is not in [1e-12, 1].
        """
        gap = np.asarray(gap, float)
        if not ((gap >= SMALLEST_GAP) & (gap <= 1)).all():
            raise ValueError(
                f"need a gap in [{SMALLEST_GAP:g}, 1], got one from {gap.min():g} to "
                f"{gap.max():g}"
            )
        return _ruler(self).length(-np.log(gap))

    def gap(self, omega: Any) -> Grid:
        """The gap ``1 - |lam|`` of an eigenvalue with a parameter.

        Raises:
            ValueError: If a parameter is negative, or its gap is below 1e-12.
        """
        return np.asarray(np.exp(-_ruler(self).position(np.asarray(omega, float))))

    def modulus(self) -> Modulus:
        """The parametrisation and its inverse as differentiable functions.

        A negative parameter gives a negative modulus, by the path of the opposite phase.
        Both functions are cubic splines with exact derivatives at 8193 knots.  For gaps
        above 1e-12, relative errors are below 1e-10 for gap and parameter, and below 1e-7
        for the derivative.  Closer to the boundary, the depth ``-log(gap)`` is a
        linear function of the parameter.
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
    """Cubic Hermite spline through knots, with linear continuation beyond them."""
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
    """A parametrisation of an eigenvalue by the optimal parameter of its modulus.

    The curvature of the loss along this parameter, at the minimum of the loss, is the
    same for every modulus of the teacher's eigenvalue; see ``speed``.

    Attributes:
        path: Optimal parametrisation of the modulus.  Default: the optimum for white
            inputs and the gain ``matched`` of ``speed``.
        angle: Parametrisation of the angle: ``plain``, ``exponential`` or ``optimal``,
            as in ``Parametrisation``.
        detached: If true, the modulus is treated as a constant in derivatives of the
            angle.

    Raises:
        ValueError: If ``angle`` is unknown.

    Example:
        The parameters of modulus 0.9 and angle 0.5 map back to these values:

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
        """Modulus and angle (in radians) of the eigenvalue at the parameters ``at``."""
        modulus = self.path.modulus().forward(at.modulus)
        return self._angles().polar(Coordinates(modulus, at.angle))

    def coordinates(self, modulus: Any, angle: Any) -> Coordinates:
        """The two parameters of an eigenvalue with this modulus and angle (in radians).

        The modulus must lie strictly between -1 and 1.  A negative modulus adds pi to
        the angle.

        Raises:
            ValueError: If the modulus is outside this interval, or no finite parameter
                gives this angle.
        """
        require_within("modulus", modulus, -1, 1)
        plain = self._angles().coordinates(modulus, angle)
        return plain._replace(modulus=self.path.modulus().inverse(plain.modulus))
