"""S4D: a diagonal state-space model per channel, ``x' = A x + u``.

The output is ``y = 2 Re(C x) + D u``.  States come in conjugate pairs, and the
layer stores one state of each pair.
``A = -exp(log_neg_re) + i im`` and ``Delta = exp(log_dt)``, so that the continuous and the
discrete system are stable for any parameters.

Notation: A  continuous eigenvalues;  Delta  step;  lam, gain  ``h <- lam h + gain u``.

Source: Gu et al. (2022), "On the parameterization and initialization of diagonal state
space models"; Orvieto et al. (2023), Section 2.1 and 4.
"""

import math
from typing import Any, ClassVar, Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer, known
from sigprop.layers.complex_diagonal import ComplexDiagonal, in_polar_form
from sigprop.layers.initialisers import complex_parts, require_sizes
from sigprop.neuron.recurrence import step
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.arguments import LARGEST

Spectrum = Literal["lin", "inv", "legs"]
SPECTRA: tuple[Spectrum, ...] = ("lin", "inv", "legs")
Discretisation = Literal["zoh", "bilinear"]
DISCRETISATIONS: tuple[Discretisation, ...] = ("zoh", "bilinear")

# Below this modulus the series of expm1(z)/z is used.  The derivative of the quotient
# loses a factor 1/|z| in accuracy to cancellation, so the series must reach up to
# moduli near one; there 15 terms leave 0.5^15/16! = 1e-18.
SERIES_BELOW = 0.5
SERIES_TERMS = 15


@final
class S4D(Layer):
    """S4D layer, one diagonal state-space model per channel; build one with ``s4d``.

    The continuous system is ``x' = A x + u``, ``y = 2 Re(C x) + D u``, with eigenvalues
    ``A = -exp(log_neg_re) + i im`` and step sizes ``exp(log_dt)``.  ``C`` is
    ``C_re + i C_im``.  Only one state of each conjugate pair is stored.

    Example:
        >>> layer = s4d(4, 2, key=jax.random.key(0))
        >>> layer.state_size, layer.eigenvalues().shape
        (8, (8,))
    """

    stable: ClassVar[bool] = True

    log_neg_re: Float[Array, "channels pairs"]
    im: Float[Array, "channels pairs"]
    log_dt: Float[Array, " channels"]
    C_re: Float[Array, "channels pairs"]
    C_im: Float[Array, "channels pairs"]
    D: Float[Array, " channels"]
    discretisation: Discretisation = eqx.field(static=True)

    def __check_init__(self) -> None:
        """Check that the continuous eigenvalues are in the left half plane."""
        require_decay(self.log_neg_re)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs; both equal the number of channels."""
        return self.D.shape[0], self.D.shape[0]

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the state, one per conjugate pair and channel."""
        return self.im.size

    def discrete(
        self,
    ) -> tuple[Complex[Array, "channels pairs"], Complex[Array, "channels pairs"]]:
        """Return each state's eigenvalue and input factor in discrete time."""
        dt = jnp.exp(self.log_dt)[:, None]
        return discretise(self.log_neg_re, self.im, dt, self.discretisation)

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return one eigenvalue of each conjugate pair, channel by channel."""
        return self.discrete()[0].reshape(-1)

    def initial_state(self) -> Complex[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.eigenvalues())

    def step(
        self, state: Complex[Array, " n"], u: Float[Array, " channels"]
    ) -> tuple[Complex[Array, " n"], Float[Array, " channels"]]:
        """Take one input and return the next state and the output."""
        lam, gain = self.discrete()
        state = step(lam.reshape(-1), state, (gain * u[:, None]).reshape(-1))
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time channels"]) -> Complex[Array, "time n"]:
        """Return the states of all steps, starting from the zero state."""
        lam, gain = self.discrete()
        entering = gain[None] * u[:, :, None]
        return scan_linear(lam.reshape(-1), entering.reshape(u.shape[0], lam.size))

    def read(
        self, h: Complex[Array, "time n"], u: Float[Array, "time channels"]
    ) -> Float[Array, "time channels"]:
        """Return the outputs ``2 Re(C h) + D u`` of each channel."""
        h = h.reshape(h.shape[0], *self.im.shape)
        # Two real sums: a complex product would compute the imaginary part too.
        real = self.C_re[None] * h.real - self.C_im[None] * h.imag
        return 2 * real.sum(-1) + self.D[None] * u

    def diagonal(self) -> ComplexDiagonal:
        """Return a ``ComplexDiagonal`` layer with the same outputs.

        Most entries of its ``B`` and ``C`` are zero, because channels do not mix.
        """
        lam, gain = self.discrete()
        channels, pairs = self.im.shape
        own = jnp.repeat(jnp.eye(channels), pairs, axis=0)
        C_re, C_im = (
            2 * own.T * part.reshape(1, -1) for part in (self.C_re, self.C_im)
        )
        return in_polar_form(
            lam.reshape(-1), gain.reshape(-1, 1) * own, C_re, C_im, self.D
        )

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "log_neg_re": "recurrent",
            "im": "recurrent",
            "log_dt": "recurrent",
            "C_re": "readout",
            "C_im": "readout",
            "D": "readout",
        }


def require_decay(log_neg_re: Any) -> None:
    """Check that logarithms of ``-Re A`` are finite; skip arrays that JAX traces.

    Raises:
        ValueError: If one is not finite; the message gives the first such index.
    """
    if not known(log_neg_re) or np.isfinite(log_neg_re).all():
        return
    index = tuple(map(int, np.argwhere(~np.isfinite(log_neg_re))[0]))
    raise ValueError(
        "need continuous eigenvalues of negative real part, whose logarithm "
        f"log_neg_re = log(-Re A) is finite, got {np.asarray(log_neg_re)[index]} at "
        f"{index}: with Re A >= 0 the state would never decay; use -exp(log_neg_re) < 0"
    )


def mean_exponential(z: Complex[Array, "*shape"]) -> Complex[Array, "*shape"]:
    """Return ``expm1(z)/z``, the mean of ``exp(z s)`` over ``0 <= s <= 1``.

    At ``z = 0`` it is 1.  The value and its derivative are accurate at any ``z``.
    """
    small = jnp.abs(z) < SERIES_BELOW
    # Neither branch may see what is left to the other: a NaN there spoils gradients.
    near, far = jnp.where(small, z, 0), jnp.where(small, 1, z)
    series = jnp.ones_like(z)
    for k in range(SERIES_TERMS, 1, -1):
        series = 1 + near * series / k
    return jnp.where(small, series, jnp.expm1(far) / far)


def discretise(
    log_neg_re: Float[Array, "*shape"],
    im: Float[Array, "*shape"],
    dt: Float[Array, "*#shape"],
    discretisation: Discretisation,
) -> tuple[Complex[Array, "*shape"], Complex[Array, "*shape"]]:
    """Return ``lam`` and ``gain`` of ``h <- lam h + gain u`` for ``x' = A x + u``.

    Let ``z = dt A``.  ``zoh`` (zero-order hold) gives ``exp(z)`` and ``dt expm1(z)/z``; it
    is exact if ``u`` is constant within each step.  ``bilinear`` gives
    ``(1 + z/2)/(1 - z/2)`` and ``dt/(1 - z/2)``.

    Source: Orvieto et al. (2023), Eq. 3 and Section 4.
    """
    z = lax.complex(-dt * jnp.exp(log_neg_re), dt * im)
    if discretisation == "zoh":
        return jnp.exp(z), dt * mean_exponential(z)
    return (2 + z) / (2 - z), 2 * dt / (2 - z)


def require_discretisation(discretisation: str) -> None:
    """Check that a discretisation is one of ``DISCRETISATIONS``.

    Raises:
        ValueError: If it is unknown; the message lists ``DISCRETISATIONS``.
    """
    if discretisation not in DISCRETISATIONS:
        raise ValueError(
            f"need discretisation in {DISCRETISATIONS}, got {discretisation!r}"
        )


def hippo_legs(
    size: int,
) -> tuple[Complex[np.ndarray, " size"], Complex[np.ndarray, "size size"]]:
    """Return eigenvalues and orthonormal eigenvectors of the normal part of HiPPO-LegS.

    HiPPO-LegS is ``A_nk = -sqrt((2n+1)(2k+1))`` below the diagonal and ``-(n+1)`` on it.
    Its normal part is ``A + p p^T`` with ``p_n = sqrt(n + 1/2)``, which is minus one half
    plus a skew-symmetric matrix.  The eigenvalue with the largest imaginary part comes
    first.  The computation runs in double precision on the CPU.

    Raises:
        ValueError: If ``size`` is below one.

    Source: Gu et al. (2022), Section 4.
    """
    require_sizes(size=size)
    root = np.sqrt(2 * np.arange(size) + 1)
    below = np.tril(np.outer(root, root), -1) / 2
    # Times -i the skew-symmetric part is Hermitian, whose eigenvalues come out real.
    values, vectors = np.linalg.eigh(-1j * (below.T - below))
    return -0.5 + 1j * values[::-1], vectors[:, ::-1]


def diagonal_spectrum(pairs: int, spectrum: Spectrum) -> Complex[np.ndarray, " pairs"]:
    """Return continuous eigenvalues in the upper half plane for ``N = 2 pairs`` states.

    With ``n = 0 ... pairs - 1``, the spectra are:

    - ``lin``: ``-1/2 + i pi n``;
    - ``inv``: ``-1/2 + i (N/pi) (N/(2n+1) - 1)``, an approximation of ``legs``;
    - ``legs``: the spectrum of the normal part of HiPPO-LegS.

    Orvieto et al. (2023, Section 2.1 and Appendix B) print ``inv`` with ``n+1`` instead of
    ``2n+1``, which does not approximate ``legs``.

    Raises:
        ValueError: If ``pairs`` is below one or the spectrum is unknown.

    Source: Gu et al. (2022), Section 4.
    """
    require_sizes(pairs=pairs)
    if spectrum not in SPECTRA:
        raise ValueError(f"need spectrum in {SPECTRA}, got {spectrum!r}")
    n, size = np.arange(pairs), 2 * pairs
    if spectrum == "legs":
        return hippo_legs(size)[0][:pairs]
    if spectrum == "lin":
        return -0.5 + 1j * np.pi * n
    return -0.5 + 1j * size / np.pi * (size / (2 * n + 1) - 1)


def log_steps(
    key: PRNGKeyArray, n: int, dt_min: float, dt_max: float
) -> Float[Array, " n"]:
    """Draw ``n`` values of ``log Delta``, uniform between ``log dt_min`` and ``log dt_max``.

    Raises:
        ValueError: If ``0 < dt_min < dt_max`` does not hold.
    """
    if not 0 < dt_min < dt_max <= LARGEST:
        raise ValueError(
            f"need 0 < dt_min < dt_max <= {LARGEST:g}, got dt_min={dt_min}, dt_max={dt_max}"
        )
    return jax.random.uniform(
        key, (n,), minval=math.log(dt_min), maxval=math.log(dt_max)
    )


def s4d(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    spectrum: Spectrum = "legs",
    discretisation: Discretisation = "zoh",
    dt_min: float = 0.001,
    dt_max: float = 0.1,
) -> S4D:
    """Draw an S4D layer with the same eigenvalues ``A`` in every channel.

    Step sizes are log-uniform.  Real and imaginary parts of ``C`` are normal with variance
    1/2, and ``D`` is standard normal.

    Args:
        state_size: Number of conjugate pairs of states per channel, half of the paper's
            ``N``.
        width: Number of channels, i.e. of inputs and of outputs.
        key: Random key of JAX; do not use it for anything else.
        spectrum: Eigenvalues ``A`` in continuous time. ``legs`` selects the eigenvalues
            of the normal part of HiPPO-LegS, and ``inv`` an approximation to these.
            ``lin`` selects ``-1/2 + i pi n`` with ``n`` = 0, 1, ...
        discretisation: Rule of discretisation: ``zoh`` (zero-order hold) or
            ``bilinear``.
        dt_min: Smallest step size; must be positive.
        dt_max: Largest step size; must be above ``dt_min``.

    Raises:
        ValueError: If a size is below one, ``0 < dt_min < dt_max`` does not hold, or
            ``spectrum`` or ``discretisation`` is unknown.

    Source: Gu et al. (2022), Section 4. The paper's ``B`` is one here, because it only
    scales ``C``.

    Example:
        >>> layer = s4d(4, 2, key=jax.random.key(0), spectrum="lin")
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    require_sizes(state_size=state_size, width=width)
    require_discretisation(discretisation)
    dt_key, c_key, d_key = jax.random.split(key, 3)
    a = np.tile(diagonal_spectrum(state_size, spectrum), (width, 1))
    log_dt = log_steps(dt_key, width, dt_min, dt_max)
    c_re, c_im = complex_parts(c_key, width, state_size, 0.5)
    d = jax.random.normal(d_key, (width,))
    return S4D(
        jnp.asarray(np.log(-np.real(a)), d.dtype),
        jnp.asarray(np.imag(a), d.dtype),
        log_dt,
        c_re,
        c_im,
        d,
        discretisation,
    )
