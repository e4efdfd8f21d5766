"""Any layer as a linear system: matrices, modes, and their derivatives by parameters.

The system is ``h_t = A h_{t-1} + B u_t``, ``y_t = Re(C h_t) + D u_t``.  Its matrices are
computed from the layer's methods ``step`` and ``read``.  They are exact for a linear layer.
For any other layer they are first derivatives at zero state and zero input.

In the eigenbasis, the impulse response is ``Re(sum over modes of residue lam**age)``, plus
``D`` at age zero.  Residues do not depend on the basis of the states.

Source: Zucchet & Orvieto (2024), Section 2.3 and Appendix B.3, for the perturbation of
eigenvalues and eigenvectors.
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Inexact

from sigprop.layers.base import Layer, parameters, replace
from sigprop.numerics.compilation import ONCE

SAME = 1e-9  # eigenvalues at smaller distances count as equal


class System(NamedTuple):
    """The matrices of ``h_t = A h_{t-1} + B u_t``, ``y_t = Re(C h_t) + D u_t``.

    All four matrices have the same leading batch axes, if any.
    """

    A: Inexact[Array | np.ndarray, "*batch n n"]
    B: Inexact[Array | np.ndarray, "*batch n d_in"]
    C: Inexact[Array | np.ndarray, "*batch d_out n"]
    D: Float[Array | np.ndarray, "*batch d_out d_in"]


class Modes(NamedTuple):
    """Modes of a linear recurrence, i.e. the recurrence in its eigenbasis.

    The coordinates ``z`` of the state ``h = vectors z`` follow
    ``z_t = lam z_{t-1} + inward u_t``, and the output is
    ``y_t = Re(outward z_t) + skip u_t``.

    Attributes:
        lam: Eigenvalues.
        vectors: Eigenvectors, one in each column.
        inward: Input weights of the modes.
        outward: Output weights of the modes.
        skip: Matrix from the input directly to the output.

    Example:
        >>> from sigprop.layers import linear_rnn
        >>> layer = linear_rnn(4, 2, key=jax.random.key(0), nu0=0.5, theta0=3.1)
        >>> modes = diagonalise(linearise(layer))
        >>> modes.lam.shape, modes.inward.shape, modes.residues().shape
        ((4,), (4, 2), (2, 4, 2))
    """

    lam: Complex[np.ndarray, " n"]
    vectors: Complex[np.ndarray, "n n"]
    inward: Complex[np.ndarray, "n d_in"]
    outward: Complex[np.ndarray, "d_out n"]
    skip: Float[np.ndarray, "d_out d_in"]

    def residues(self) -> Complex[np.ndarray, "d_out n d_in"]:
        """Residue of each mode, with axes for outputs, modes and inputs.

        A mode with eigenvalue ``lam`` contributes its residue times ``lam**k`` to the
        response of an output, ``k`` steps after a unit impulse at an input.
        """
        return self.outward[:, :, None] * self.inward[None]


class Tangents(NamedTuple):
    """Derivatives of the response ``sum residue lam**age`` by each of ``p`` parameters.

    The derivative is ``sum residues lam**age + derivatives age lam**(age - 1)``, plus
    ``skip`` at age zero.
    """

    residues: Complex[np.ndarray, "p d_out n d_in"]
    derivatives: Complex[np.ndarray, "p d_out n d_in"]
    skip: Float[np.ndarray, "p d_out d_in"]


def linearise(layer: Layer) -> System:
    """The matrices ``A``, ``B``, ``C`` and ``D`` that describe a causal layer.

    A linear layer obeys ``h_t = A h_{t-1} + B u_t`` and ``y_t = Re(C h_t) + D u_t``
    exactly.  For any other layer, ``A`` and ``B`` are derivatives of ``h_t`` at zero
    state and zero input.  Column ``k`` of ``D`` is the output for the ``k``-th unit
    vector as input and a zero state, and ``C`` is the same for states and zero inputs.

    Raises:
        TypeError: If the layer is not causal.  In that case, linearise each of
            ``layer.halves()``.

    Example:
        Four states, two inputs and one output:

        >>> from sigprop.layers import nonlinear_rnn
        >>> layer = nonlinear_rnn(4, 2, key=jax.random.key(0), d_out=1)
        >>> [matrix.shape for matrix in linearise(layer)]
        [(4, 4), (4, 2), (1, 4), (1, 2)]
    """
    if not layer.causal:
        raise TypeError(
            f"need a causal layer, got {type(layer).__name__}; linearise each of its "
            "halves"
        )
    return _linearise(layer)


@jax.jit
def _linearise(layer: Layer) -> System:
    zero, rest = layer.initial_state(), jnp.zeros(layer.widths[0])
    no_inputs = jnp.zeros((zero.size, rest.size))
    n, basis = zero.size, jnp.eye(zero.size, dtype=zero.dtype)

    def step(h: Any, u: Any) -> Any:
        return layer.step(h, u)[0]

    if layer.linear:
        unit = jnp.eye(n + rest.size, dtype=zero.dtype)
        moved = jax.vmap(step)(unit[:, :n], jnp.real(unit[:, n:])).T
        A, B = moved[:, :n], moved[:, n:]
    else:
        A, B = jax.jacrev(step, (0, 1))(zero, rest)
    C = layer.read(basis, no_inputs)
    if jnp.iscomplexobj(zero):
        C = C - 1j * layer.read(1j * basis, no_inputs)
    silent = jnp.zeros((rest.size, zero.size), zero.dtype)
    return System(A, B, C.T, layer.read(silent, jnp.eye(rest.size)).T)


def diagonalise(system: System) -> Modes:
    """Compute the eigenvalues and eigenvectors of a linear recurrence.

    Pass the result of ``linearise``.  The returned ``Modes`` also contain the input and
    output weights.

    Raises:
        ValueError: If the eigenvectors are nearly linearly dependent, i.e. their matrix
            has a condition number above 1.65e5.

    Example:
        With ``nu0=0.5``, the eigenvalues have moduli of 0.5 or more, up to rounding:

        >>> from sigprop.layers import linear_rnn
        >>> layer = linear_rnn(4, 2, key=jax.random.key(0), nu0=0.5, theta0=3.1)
        >>> modes = diagonalise(linearise(layer))
        >>> bool((abs(modes.lam) > 0.49).all())
        True
    """
    A, B, C, D = map(np.asarray, system)
    if np.array_equal(A, np.diag(np.diag(A))):
        return Modes(np.diag(A).astype(complex), np.eye(len(A)) + 0j, B + 0j, C + 0j, D)
    lam, vectors = (part + 0j for part in np.linalg.eig(A))
    # Covariances lose twice the digits of the condition: five stay at this one, and a
    # Jordan block that rounding splits has that of half the digits.
    if np.linalg.cond(vectors) > np.finfo(float).eps ** (-1 / 3):
        raise ValueError("need eigenvectors that form a basis; these are degenerate")
    return Modes(lam, vectors, np.linalg.solve(vectors, B), C @ vectors, D)


class Perturbed(NamedTuple):
    """Modes of a layer and their derivatives with respect to every parameter.

    Attributes:
        modes: Modes of each half of the layer.  A bidirectional layer has two halves,
            one for each direction of time; any other layer has one.
        tangents: Dictionary from the name of each parameter to the derivatives of each
            half's impulse response with respect to each entry of the parameter.

    Example:
        >>> from sigprop.layers import lru
        >>> perturbed = perturb(lru(4, 2, key=jax.random.key(0)))
        >>> len(perturbed.modes), sorted(perturbed.tangents)[:3]
        (1, ['B_im', 'B_re', 'C_im'])
    """

    modes: tuple[Modes, ...]
    tangents: dict[str, tuple[Tangents, ...]]


def perturb(layer: Layer) -> Perturbed:
    """Compute a layer's modes and their derivatives with respect to every parameter.

    ``predict`` computes the second moments for any stationary input from this result.
    Eigenvalues may be equal: single modes are then not differentiable, but the impulse
    response still is.

    Each call compiles a new JAX program, even for layers of equal shape.

    Raises:
        ValueError: If the eigenvectors of the layer, or of one half of a bidirectional
            layer (``layer.halves()``), are nearly linearly dependent; see
            ``diagonalise``.
        TypeError: If the layer, or one half of it, is not causal.

    Example:
        An LRU of four neurons has four modes:

        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> perturb(layer).modes[0].lam.shape
        (4,)
    """
    values = parameters(layer)

    def flat(values: dict[str, Array]):
        systems = [linearise(half) for half in replace(layer, values).halves()]
        numbers = [
            part.ravel()
            for system in systems
            for matrix in system
            for part in (jnp.real(matrix), jnp.imag(matrix))
        ]
        return jnp.concatenate(numbers), systems  # one vector takes one reverse pass

    program = jax.jit(jax.jacrev(flat, has_aux=True), compiler_options=ONCE)
    jacobian, systems = program(values)
    modes = tuple(diagonalise(system) for system in systems)
    return Perturbed(
        modes,
        {
            name: tuple(
                map(_perturb, modes, _unflatten(np.asarray(derivatives), systems))
            )
            for name, derivatives in jacobian.items()
        },
    )


def _unflatten(
    derivatives: Float[np.ndarray, "numbers *entries"], systems: list[System]
) -> list[System]:
    """Derivatives of each matrix by each entry of a parameter; the entries lead."""
    rows = derivatives.reshape(len(derivatives), math.prod(derivatives.shape[1:]))
    ends = np.cumsum(
        [part.size for system in systems for part in system for _ in range(2)]
    )
    pieces = iter(np.split(rows, ends[:-1]))

    def derivative(matrix: Any) -> Inexact[np.ndarray, "p rows columns"]:
        re, im = next(pieces), next(pieces)
        derivatives = re + 1j * im if jnp.iscomplexobj(matrix) else re
        return derivatives.T.reshape(-1, *matrix.shape)

    return [System(*(derivative(matrix) for matrix in system)) for system in systems]


def _perturb(modes: Modes, moved: System) -> Tangents:
    """Compute the derivatives of a response from the derivatives of its matrices.

    Let a parameter change ``A`` by ``A'``, and let ``V`` be the matrix of eigenvectors
    and ``G = V^-1 A' V``.  Eigenvalue ``i`` changes by ``G_ii``.  Eigenvector ``i``
    changes by the sum of ``G_ji / (lam_i - lam_j)`` times eigenvector ``j`` over all
    other ``j``.  If ``lam_i`` equals ``lam_j``, ``G_ij`` is treated like a diagonal
    entry.
    """
    A, B, C, D = map(np.asarray, moved)
    left = np.linalg.inv(modes.vectors)
    gap = modes.lam[None] - modes.lam[:, None]
    same = np.abs(gap) < SAME
    inverse = np.divide(1, gap, out=np.zeros_like(gap), where=~same)
    G = left @ A @ modes.vectors
    mixing = G * inverse  # entry (j, i): share of vector j in the change of vector i
    inward = left @ B - mixing @ modes.inward
    outward = C @ modes.vectors + modes.outward @ mixing
    turning = (G * same) @ modes.inward
    residues = (
        outward[..., None] * modes.inward + modes.outward[..., None] * inward[:, None]
    )
    return Tangents(residues, modes.outward[..., None] * turning[:, None], D)
