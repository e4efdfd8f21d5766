"""The expected loss over infinitely long sequences, in closed form.

The loss is ``L = 1/2 sum_jk R(j - k) <d_j, d_k>`` over all ages.  Here ``d`` is the
difference of the impulse responses of student and teacher.  If both are sums of modes,
``d_j = sum_i r_i lam_i**j``, and Lemma 1 gives the sum of each pair of modes.  Otherwise
``d_j = C A**j B``, and ``L = tr C (R(0)/2 + sum over lags of R(lag) A**lag) P C'`` with the
solution ``P`` of ``P = A P A' + B B'``.

Source: Zucchet & Orvieto (2024), Lemma 1 (Eq. 34); the equation of ``P`` is solved by the
squared iteration of Smith (1968), which doubles the horizon.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import lax
from jaxtyping import Array, Float

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.layers.base import Layer
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.linear.impulse_response import require_linear
from sigprop.linear.linearise import Modes, System, diagonalise, linearise
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.tracing import is_traced
from sigprop.theory import overlaps
from sigprop.theory.symbols import a, alpha, b, beta, rho

DOUBLINGS = 40  # horizon of 2**40 steps
Lags = tuple[float, ...]


class Geometric(NamedTuple):
    """Autocovariance ``R(0) = a + b`` and ``R(lag) = b rho**lag`` at lags above zero."""

    a: float
    b: float
    rho: float


def spectrum(process: Any) -> Geometric | Lags:
    """The autocovariance ``R`` of a process at all lags, in closed form.

    Returns:
        For a moving average, the values ``R(0), R(1), ...`` up to the last lag at which
        ``R`` may differ from zero.  For any other process, the numbers ``a``, ``b`` and
        ``rho`` in ``R(0) = a + b`` and ``R(lag) = b rho**lag`` at lags above zero.

    Raises:
        ValueError: If the process is not White, AR1, Constant, Mixed or MovingAverage.

    Example:
        >>> from sigprop import AR1, MovingAverage
        >>> spectrum(AR1(0.5))
        Geometric(a=0.0, b=1.0, rho=0.5)
        >>> spectrum(MovingAverage((1.0, 0.5)))
        (1.25, 0.5)
    """
    match process:
        case White(variance):
            return Geometric(variance, 0.0, 0.0)
        case AR1(ratio, variance):
            return Geometric(0.0, variance, ratio)
        case Constant(variance):
            return Geometric(0.0, variance, 1.0)
        case Mixed(white, correlated, ratio):
            return Geometric(white, correlated, ratio)
        case MovingAverage(taps):
            return tuple(process.autocovariance(np.arange(len(taps))).tolist())
    raise ValueError(
        "need inputs whose autocovariance is known at all lags (White, AR1, Constant, "
        f"Mixed, MovingAverage), got {type(process).__name__}; give the task a length, not "
        f"{process!r:.40}"
    )


def stationary_target(teacher: Layer, process: Any) -> Modes | System:
    """Convert a teacher to the form that ``stationary_loss`` needs as its ``target``.

    Args:
        teacher: A causal linear layer.
        process: Input process: White, AR1, Constant, Mixed or MovingAverage.

    Returns:
        The teacher's modes.  Each mode of a layer with complex state gives two modes,
        itself and its conjugate.  If JAX traces the teacher, the teacher's matrices are
        returned instead, and its stability is not checked.

    Raises:
        TypeError: If the teacher is not causal.
        ValueError: If the teacher's eigenvectors are nearly linearly dependent, if an
            eigenvalue is not inside the unit circle, or if ``process`` is of another
            type.

    Example:
        Three complex modes and their conjugates make six modes:

        >>> from sigprop import AR1
        >>> from sigprop.layers import zucchet_lru
        >>> teacher = zucchet_lru(3, 1, key=jax.random.key(0), nu0=0.5, theta0=3.1)
        >>> stationary_target(teacher, AR1(0.5)).lam.shape
        (6,)
    """
    spectrum(process)
    system = linearise(teacher)
    if is_traced(system):
        return System(*real_system(*system[:3]), system.D)
    modes = diagonalise(system)
    if np.iscomplexobj(system.A):
        # A real part is half of a number and half of its conjugate.
        lam, vectors, inward, outward, skip = modes
        modes = Modes(
            np.concatenate([lam, lam.conj()]),
            np.asarray(scipy.linalg.block_diag(vectors, vectors.conj())),
            np.concatenate([inward, inward.conj()]),
            np.concatenate([outward, outward.conj()], 1) / 2,
            skip,
        )
    if not np.abs(modes.lam).max() < 1:
        raise ValueError(
            "need a stable teacher, of eigenvalues inside the unit circle, for infinitely "
            f"long sequences; got one of modulus {np.abs(modes.lam).max():.6g}"
        )
    return jax.tree.map(jnp.asarray, modes)


def stationary_loss(
    student: Layer, target: Modes | System, process: Any
) -> Float[Array, ""]:
    """The expected loss of a student over infinitely long sequences, in closed form.

    The loss is ``E |y_t - y*_t|^2 / 2``, summed over output channels, where ``y`` is
    the student's output and ``y*`` the teacher's.  The loss is infinite if the student
    is not stable.  The function supports ``jit``, ``vmap``, ``grad`` and ``jvp`` with
    respect to the student and the target.

    Args:
        student: A causal linear layer.
        target: Result of ``stationary_target`` for the teacher.
        process: Input process: White, AR1, Constant, Mixed or MovingAverage.  It
            applies to every input channel, and different channels are independent.

    Raises:
        ValueError: If the student is not linear or not causal, or if ``process`` is of
            another type.

    Example:
        The student differs from the teacher, so that its loss is positive:

        >>> from sigprop import AR1
        >>> from sigprop.layers import zucchet_lru
        >>> key = jax.random.key(0)
        >>> teacher, student = (zucchet_lru(n, 1, key=key, nu0=0.5, theta0=3.1) for n in (2, 4))
        >>> target = stationary_target(teacher, AR1(0.5))
        >>> float(stationary_loss(student, target, AR1(0.5))) > 0
        True
    """
    require_linear(student)
    if not student.causal:
        raise ValueError(
            f"need a causal student for infinitely long sequences, got "
            f"{type(student).__name__}; give the task a length"
        )
    if isinstance(student, DiagonalLayer) and isinstance(target, Modes):
        return _by_modes(student, target, spectrum(process))
    return _by_gramian(student, target, spectrum(process))


def _by_modes(
    student: DiagonalLayer, target: Modes, covariance: Geometric | Lags
) -> Float[Array, ""]:
    lam = student.eigenvalues()
    inward, outward, skip = student.matrices()
    residues = outward.T[:, :, None] * inward[:, None]  # (n, d_out, d_in)
    desired = target.outward.T[:, :, None] * target.inward[:, None]
    # Each real part is half a mode and half its conjugate; D has the eigenvalue zero.
    weights = jnp.concatenate(
        [residues / 2, residues.conj() / 2, -desired, (skip - target.skip)[None]]
    )
    modes = jnp.concatenate([lam, lam.conj(), target.lam, jnp.zeros(1)])
    shared = pair_sums(covariance)(modes[:, None], modes[None])
    overlap = jnp.einsum("ioj,koj->ik", weights, weights)
    loss = jnp.sum(overlap * shared).real / 2
    return jnp.where(jnp.abs(lam).max() < 1, loss, jnp.inf)


@functools.cache
def pair_sums(covariance: Geometric | Lags) -> Callable[..., Any]:
    """The sum ``sum_jk alpha**j beta**k R(j - k)`` as a function of alpha and beta.

    Source: Zucchet & Orvieto (2024), Lemma 1.
    """
    if isinstance(covariance, Geometric):
        if covariance.b == 0:
            return compile_expr(covariance.a * overlaps.shared("white"), alpha, beta)
        mixed = compile_expr(overlaps.mixed(), alpha, beta, a, b, rho)
        return lambda x, y: mixed(x, y, *covariance)
    return compile_expr(overlaps.of_lags(covariance), alpha, beta)


def _by_gramian(
    student: Layer, target: Modes | System, covariance: Geometric | Lags
) -> Float[Array, ""]:
    A, B, C, D = linearise(student)
    if isinstance(target, Modes):
        lam, _, inward, outward, skip = target
        target = System(*real_system(jnp.diag(lam), inward, outward), skip)
    systems = real_system(A, B, C), (target.A, target.B, -target.C)
    skip = D - target.D
    d_in = skip.shape[1]
    # D is the readout of a state with eigenvalue zero, so every response is C A**age B.
    A = jax.scipy.linalg.block_diag(
        *(system[0] for system in systems), jnp.zeros((d_in, d_in))
    )
    B = jnp.concatenate([*(system[1] for system in systems), jnp.eye(d_in)])
    C = jnp.concatenate([*(system[2] for system in systems), skip], 1)
    P = gramian(A, B)
    weight = half_spectrum(A, covariance)
    return jnp.einsum("oi,ij,jk,ok->", C, weight, P, C)


def real_system(A: Any, B: Any, C: Any) -> tuple[Array, Array, Array]:
    """Matrices of a real system with the outputs ``Re(C h)`` of a complex one."""
    if not jnp.iscomplexobj(A):
        return A, B, C
    return (
        jnp.block([[A.real, -A.imag], [A.imag, A.real]]),
        jnp.concatenate([B.real, B.imag]),
        jnp.concatenate([C.real, -C.imag], 1),
    )


def gramian(
    A: Float[Array, "n n"], B: Float[Array, "n d"], doublings: int = DOUBLINGS
) -> Float[Array, "n n"]:
    """The sum ``P = sum over ages of A**age B B' A'**age``, for ages below ``2**doublings``.

    The default of 40 doublings sums 2**40 ages, about 1e12.  The sum then overflows to
    infinity if ``A`` is not stable.
    """

    def double(carry: tuple[Array, Array], _: None):
        P, power = carry
        return (P + power @ P @ power.T, power @ power), None

    return lax.scan(double, (B @ B.T, A), length=doublings)[0][0]


def half_spectrum(
    A: Float[Array | np.ndarray, "*batch n n"], covariance: Geometric | Lags
) -> Any:
    """The matrix ``R(0)/2 + sum over positive lags of R(lag) A**lag``, in JAX or NumPy."""
    xp = A.__array_namespace__()
    identity = xp.broadcast_to(xp.eye(A.shape[-1], dtype=A.dtype), A.shape)
    if isinstance(covariance, Geometric):
        tail = xp.linalg.solve(identity - covariance.rho * A, covariance.rho * A)
        return (covariance.a + covariance.b) / 2 * identity + covariance.b * tail
    weight = xp.zeros_like(A)
    for value in reversed(covariance[1:]):  # Horner's rule
        weight = A @ (value * identity + weight)
    return covariance[0] / 2 * identity + weight
