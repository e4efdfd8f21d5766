"""One complex linear neuron that learns the eigenvalue of another, with exact losses.

Student and teacher have the recurrence ``h_t = lam h_{t-1} + gamma x_t`` with
``lam = nu exp(i theta)``, and the same real stationary input.  The loss is
``L = 1/(2 T) sum_t E |h_t - h*_t|^2``.  A parametrisation defines modulus ``nu`` and angle
``theta`` by two real parameters, ``omega_nu`` and ``omega_theta``.

Source: Zucchet & Orvieto (2024), Appendix C.1, Eq. 85-112.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float
from sympy import solve

from sigprop.inputs import White
from sigprop.linear.covariances import require_process
from sigprop.linear.infinite_loss import pair_sums, spectrum
from sigprop.numerics.arguments import require_count
from sigprop.numerics.compile import compile_expr
from sigprop.tasks.teacher_student import Stationary, expected_loss
from sigprop.theory import teacher_student as theory

Real = Float[Array, "*grid"]
WHITE = White()


@final
@dataclass(frozen=True)
class OneDimensional:
    """The task of learning the eigenvalue of one complex linear neuron.

    Student and teacher have the recurrence ``h_t = lam h_{t-1} + gamma x_t`` and the
    same real input ``x``.  The loss is the mean of ``|h_t - h*_t|^2 / 2`` over inputs
    and steps, where ``h*`` is the teacher's state.

    Attributes:
        teacher: Eigenvalue of the teacher, with modulus below one.
        normalised: If true, ``gamma = sqrt(1 - |lam|^2)``, so that the state has unit
            variance for white inputs of unit variance.  If false, ``gamma = 1``.
        process: Stationary process of the input.  Default: white noise of variance 1.
        length: Number of steps of a sequence, or None for the limit of infinitely many
            steps.  The neurons start from the zero state.

    Raises:
        ValueError: If the teacher's modulus is not below one; if ``length`` is below
            two; if ``process`` lacks the method ``sample`` or ``autocovariance``; if
            ``length`` is None and the process is not White, AR1, Constant, Mixed or
            MovingAverage.

    Example:
        The loss falls to zero as the student's modulus approaches the teacher's:

        >>> task = OneDimensional(0.9)
        >>> [round(float(task.loss(modulus, 0.0)), 3) for modulus in (0.5, 0.8, 0.9)]
        [0.314, 0.066, 0.0]
    """

    teacher: complex
    normalised: bool = True
    process: Stationary = WHITE
    length: int | None = None

    def __post_init__(self) -> None:
        if not abs(self.teacher) < 1:
            raise ValueError(f"need a stable teacher, |lam*| < 1, got {self.teacher:g}")
        require_process(self.process)
        if self.length is None:
            spectrum(self.process)
        else:
            require_count("length", self.length, least=2)

    def loss(self, modulus: Any, angle: Any) -> Float[Array, ""]:
        """Return the expected loss of a student as a number that JAX can differentiate.

        Args:
            modulus: Modulus ``nu`` of the student's eigenvalue.  If ``|nu| >= 1``, the
                loss over infinitely long sequences is infinite.  If ``|nu| > 1`` and
                ``normalised`` is true, the loss over finite sequences is NaN.
            angle: Angle ``theta`` of the student's eigenvalue, in radians.

        Source: Zucchet & Orvieto (2024), Eq. 86, 91, 93 and 101.
        """
        modulus, angle = jnp.asarray(modulus), jnp.asarray(angle)
        if self.length is not None:
            return self._finite(modulus, angle)
        if self.normalised and self.process == WHITE:
            star = abs(self.teacher), jnp.angle(self.teacher)
            loss = _polar_loss()(modulus, angle, *star)
        else:
            loss = self._by_modes(modulus, angle)
        return jnp.where(jnp.abs(modulus) < 1, loss, jnp.inf)

    def _units(self, modulus: Array, angle: Array):
        """Eigenvalues of student and teacher, and the signed gains of their inputs."""
        lam = modulus * jnp.exp(1j * angle)
        units = jnp.stack([lam, jnp.asarray(self.teacher, lam.dtype)])
        gains = jnp.ones(2, modulus.dtype)
        if self.normalised:
            gains = _gain()(jnp.stack([modulus, abs(self.teacher)]))
        return units, gains * jnp.array([1, -1], modulus.dtype)

    def _by_modes(self, modulus: Array, angle: Array) -> Float[Array, ""]:
        units, gains = self._units(modulus, angle)
        shared = pair_sums(spectrum(self.process))(units[:, None], units.conj()[None])
        return jnp.einsum("i,ij,j->", gains, shared, gains).real / 2

    def _finite(self, modulus: Array, angle: Array) -> Float[Array, ""]:
        assert self.length is not None
        units, gains = self._units(modulus, angle)
        difference = powers(units, self.length) @ gains.astype(units.dtype)
        parts = jnp.stack([difference.real, difference.imag], 1)[:, :, None]
        return expected_loss(parts, self.process, self.length)


def powers(lam: Complex[Array, " n"], length: int) -> Complex[Array, "length n"]:
    """The powers ``lam**0 ... lam**(length - 1)``, with finite derivatives at zero."""
    ones = jnp.ones((1, *lam.shape), lam.dtype)
    repeated = jnp.broadcast_to(lam, (length - 1, *lam.shape))
    return jnp.cumprod(jnp.concatenate([ones, repeated]), axis=0)


@functools.cache
def _polar_loss() -> Callable[..., Any]:
    symbols = theory.nu, theory.theta, theory.nu_star, theory.theta_star
    return compile_expr(theory.polar_loss().result, *symbols)


@functools.cache
def _gain() -> Callable[..., Any]:
    return compile_expr(theory.gain(theory.nu), theory.nu)


class Coordinates(NamedTuple):
    """The two trained parameters that define an eigenvalue.

    Attributes:
        modulus: Parameter ``omega_nu``, which defines the modulus.
        angle: Parameter ``omega_theta``, which defines the angle.

    Example:
        The modulus is ``tanh(1.472) = 0.9``, and the angle is the parameter itself:

        >>> at = Parametrisation("tanh").coordinates(0.9, 0.5)
        >>> round(float(at.modulus), 3), round(float(at.angle), 3)
        (1.472, 0.5)
    """

    modulus: Real
    angle: Real


class Modulus(NamedTuple):
    """A parametrisation of the modulus.

    Attributes:
        forward: Function from the parameter to the modulus.
        inverse: Function from the modulus to the parameter.
    """

    forward: Callable[[Any], Any]
    inverse: Callable[[Any], Any]


@functools.cache
def _best_modulus() -> Callable[[Any], Any]:
    return compile_expr(theory.best_modulus(), theory.omega)


MODULI = {
    "plain": Modulus(lambda omega: omega, lambda nu: nu),
    "exponential": Modulus(
        lambda omega: jnp.exp(-jnp.exp(omega)), lambda nu: jnp.log(-jnp.log(nu))
    ),
    "tanh": Modulus(lambda omega: _best_modulus()(omega), jnp.arctanh),
}
ANGLES = {
    "plain": theory.plain_angle,
    "exponential": theory.exponential_angle,
    "optimal": theory.best_angle,
}


@final
@dataclass(frozen=True)
class Parametrisation:
    """A parametrisation of an eigenvalue's modulus and angle by two real numbers.

    Attributes:
        modulus: Parametrisation of the modulus.  With the parameter ``omega``, the
            modulus is ``omega`` (``plain``), ``exp(-exp(omega))`` (``exponential``) or
            ``tanh(omega)`` (``tanh``).
        angle: Parametrisation of the angle.  With the parameter ``omega``, the angle is
            ``omega`` (``plain``) or ``exp(omega)`` (``exponential``).  With
            ``optimal``, the angle is ``omega`` times a function of the modulus.  With
            this function, the loss of ``OneDimensional`` for white, normalised inputs
            has the same curvature along ``omega`` at its minimum for every teacher.
        detached: If true, the modulus is treated as a constant in derivatives of the
            angle.

    Raises:
        ValueError: If ``modulus`` or ``angle`` is unknown.

    Source: Zucchet & Orvieto (2024), Eq. 108 and 110-112.  Eq. 111 gives the inverse of
        the exponential parametrisation of the angle; the caption of Fig. 7 has the
        right formula.

    Example:
        The parameters of modulus 0.9 and angle 0.5 map back to these values:

        >>> parametrisation = Parametrisation("exponential", "plain")
        >>> at = parametrisation.coordinates(0.9, 0.5)
        >>> [round(float(one), 3) for one in parametrisation.polar(at)]
        [0.9, 0.5]
    """

    modulus: str = "tanh"
    angle: str = "plain"
    detached: bool = False

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("modulus", self.modulus, MODULI),
            ("angle", self.angle, ANGLES),
        ):
            if name not in known:
                raise ValueError(
                    f"need a parametrisation of the {kind} in {', '.join(known)}, got {name!r}"
                )

    def polar(self, at: Coordinates) -> tuple[Real, Real]:
        """Modulus and angle (in radians) of the eigenvalue at the parameters ``at``."""
        modulus = MODULI[self.modulus].forward(at.modulus)
        modulus_for_angle = jax.lax.stop_gradient(modulus) if self.detached else modulus
        return modulus, _angle(self.angle)[0](at.angle, modulus_for_angle)

    def coordinates(self, modulus: Any, angle: Any) -> Coordinates:
        """The two parameters that define the eigenvalue of this modulus and angle.

        Args:
            modulus: Modulus of the eigenvalue.
            angle: Angle of the eigenvalue, in radians.

        Raises:
            ValueError: If no finite parameters give this eigenvalue.
        """
        modulus, angle = jnp.asarray(modulus, float), jnp.asarray(angle, float)
        coordinates = Coordinates(
            MODULI[self.modulus].inverse(modulus), _angle(self.angle)[1](angle, modulus)
        )
        if not all(bool(jnp.isfinite(value).all()) for value in coordinates):
            raise ValueError(
                f"need a point that the parametrisation ({self.modulus}, {self.angle}) "
                f"reaches, got {modulus=}, {angle=}"
            )
        return coordinates


@functools.cache
def _angle(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    path = ANGLES[name]()
    (inverse,) = solve(path - theory.theta, theory.omega)
    return (
        compile_expr(path, theory.omega, theory.nu),
        compile_expr(inverse, theory.theta, theory.nu),
    )
