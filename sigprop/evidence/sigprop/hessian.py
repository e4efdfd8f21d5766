"""Evidence for our own statements about the Hessian at optimality."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from jaxtyping import Complex, Float
from sympy import Symbol, expand, sqrt

from sigprop.evidence.kit import across, also, central, each, energy, points, powers
from sigprop.evidence.zucchet.hessian.layer import respond, two_units
from sigprop.evidence.zucchet.hessian.loss import block, full_complex
from sigprop.evidence.zucchet.hessian.networks import (
    dense_jacobian,
    impulse_response,
    spectrum,
    teacher,
)
from sigprop.evidence.zucchet.hessian.power_spectrum import full_complex_by_spectrum
from sigprop.evidence.zucchet.hessian.sensitivities import (
    PAIR_ROUTES,
    covariance,
    of_pair,
    routes,
)
from sigprop.evidence.zucchet.hessian.units import (
    EIGENVALUES,
    PAIRS,
    SINGLES,
    with_coordinates,
)
from sigprop.judge.basis import Basis, Evidence, Routine
from sigprop.numerics.precision import double_precision
from sigprop.theory import hessian as H


def squared(of: Callable[..., complex], **point: Any) -> float:
    """``|S|^2`` in the letters of the lemmas, with ``S`` of the function ``of``."""
    return abs(of_pair(of, **point)) ** 2


def diagonal(alpha: complex, beta: complex, rho: float) -> list[float]:
    """``S(alpha, conj)`` and ``S(beta, conj)`` in closed form."""
    pairs = ((z, complex(z).conjugate()) for z in (alpha, beta))
    return [H.similarity(*pair, rho=rho).real for pair in pairs]


def same_product(alpha: complex, beta: complex, rho: float) -> float:
    """Mutant ``|S(alpha, alpha) S(beta, beta)|``, without both conjugates."""
    return math.prod(abs(H.similarity(z, z, rho=rho)) for z in (alpha, beta))


def in_blocks(
    block: Callable[[complex, complex], list[list[complex]]],
) -> Callable[..., Any]:
    """The complex Hessian of two units; ``block`` gives the part of two units."""

    def hessian(**point: Any) -> list[list[complex]]:
        rows: list[list[complex]] = []
        for p in "ij":
            halves: list[list[complex]] = [[], []]
            for q in "ij":
                names = {
                    f"{name}_{end}": point[f"{name}_{unit}"]
                    for name in ("lambda", "b", "c")
                    for end, unit in (("i", p), ("j", q))
                }
                placed = H.evidence_point(**{**point, **names})
                for half, entries in zip(
                    halves, block(placed["A_ij"] / 4, placed["B_ij"] / 4), strict=True
                ):
                    half += entries
            rows += halves
        return rows

    return hessian


def real_hessian(
    first: Any, second: Any, **change: Callable[..., Any]
) -> Callable[..., Any]:
    """The real block of two units for given derivatives; ``A`` and ``B`` can change."""

    def value(**point: Any) -> list[list[complex]]:
        changed = {name: of(**point) for name, of in change.items()}
        return H.block_value(first, second, {**point, **changed})

    return value


EXCHANGED: dict[str, Callable[..., Any]] = {
    "A_ij": lambda B_ij, **_: B_ij,
    "B_ij": lambda A_ij, **_: A_ij,
}


def layer_block(**point: Any) -> Float[np.ndarray, "2 2"]:
    """Real Hessian of unit i's (re, im) and j's from the layer's impulse response.

    The layer's parameters move on a small circle.  The first Fourier coefficients of
    the response are its derivatives, and the Hessian is the double sum of their
    products.
    """
    import jax.numpy as jnp

    steps, turns, radius = 128, 8, 4e-3
    impulse = np.zeros((steps, 1))
    impulse[0] = 1
    angles = 2 * np.pi * np.arange(turns) / turns
    waves = np.stack([np.cos(angles), np.sin(angles)]) * 2 / (turns * radius)
    derivatives = []
    with double_precision(True):
        layer, inputs = two_units(**point), jnp.asarray(impulse)
        for unit in np.eye(2):
            responses = [
                respond(
                    dataclasses.replace(
                        layer,
                        first=layer.first + radius * np.cos(angle) * unit,
                        second=layer.second + radius * np.sin(angle) * unit,
                    ),
                    inputs,
                )
                for angle in angles
            ]
            derivatives.append(waves @ np.array(responses))
    return derivatives[0] @ covariance(steps, **point) @ derivatives[1].T


def coupled(at: dict[str, Any]) -> dict[str, Any]:
    """A point with the derivatives of the fully coupled parametrisation of Eq. 108-109.

    ``theta = omega_theta f(nu)`` and ``nu = tanh(omega_nu)``.
    """
    nu = Symbol("nu", positive=True)
    scale: Any = (1 - nu**2) / (nu * sqrt(1 + nu**2))
    charted = with_coordinates(at)
    for unit in "ij":
        value = charted[f"nu_{unit}"]
        factor, derivative = (float(f.subs(nu, value)) for f in (scale, scale.diff(nu)))
        charted[f"dnu_{unit}"] = 1 - value**2
        charted[f"dtheta_{unit}"] = factor
        charted[f"cross_{unit}"] = (
            charted[f"theta_{unit}"] / factor * derivative * (1 - value**2)
        )
    return charted


def eigenvalues() -> bool:
    """``(B +- |A|) / 2``, from the trace and the determinant of one unit's block.

    ``B`` is real there.
    """
    matrix = H.real_block(H.CARTESIAN, H.CARTESIAN).applyfunc(
        lambda entry: expand(H.one_unit(entry))
    )
    modulus = H.A_ij * H.bar(H.A_ij)
    trace = expand(matrix.trace() - H.B_ij)
    determinant = expand(matrix.det() - (H.B_ij**2 - modulus) / 4)
    return trace == 0 and determinant == 0


def anisotropy(of: Callable[..., complex], lam: complex) -> float:
    """``|S(lambda, lambda) / S(lambda, conj)|^2``, white input, where ``of`` gives ``S``."""
    return abs(of(lam, lam) / of(lam, complex(lam).conjugate())) ** 2


def dense_pair_sum(x_1: complex, x_2: complex, y_1: complex, y_2: complex) -> complex:
    """``sum_k D_k(x_1, x_2) D_k(y_1, y_2)`` with ``D_k`` a sum of products of powers."""

    def divided(first: complex, second: complex) -> Complex[np.ndarray, " ages"]:
        left, right = (powers(complex(z), 200) for z in (first, second))
        return np.convolve(left, right)[:200]

    return complex(divided(x_1, x_2) @ divided(y_1, y_2))


def direction(seed: int, size: int) -> Float[np.ndarray, "size size"]:
    """A random change of a matrix, of unit norm."""
    change = np.random.default_rng(seed + 100).normal(size=(size, size))
    return change / np.linalg.norm(change)


def dense_curvature(seed: int, normal: bool) -> float:
    """Curvature of the loss along one random change of ``A``, from the dense network."""
    network = teacher(seed, normal, 4, 0.9)
    along = np.concatenate([direction(seed, 4).ravel(), np.zeros(9)])
    return energy(dense_jacobian(network) @ along)


def dense_curvature_by_differences(seed: int, normal: bool) -> float:
    """Curvature along one random change of ``A``, from a differenced response."""
    network = teacher(seed, normal, 4, 0.9)

    def response(A: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " ages"]:
        return impulse_response(A, network.B, network.C)

    return energy(central(response, network.A, 1e-4, direction(seed, 4)))


def dense_curvature_in_eigenbasis(seed: int, normal: bool, mutant: str = "") -> float:
    """The sum over pairs of entries, with ``sigprop.theory.hessian.dense_pair``.

    Args:
        seed: Seed of the network.
        normal: True for orthonormal eigenvectors.
        mutant: Name of a mutant, if any.
    """
    network = teacher(seed, normal, 4, 0.9)
    values, basis = np.linalg.eig(network.A)
    inverse = np.linalg.inv(basis)
    if mutant == "inverse":
        basis, inverse = inverse, basis
    change = inverse @ direction(seed, 4) @ basis
    if mutant == "transposed":
        change = change.T
    if mutant == "eigenvalues":
        change = np.diag(np.diag(change))
    gains = (network.C @ basis)[:, None] * change * (inverse @ network.B)[None]
    form = sympy.lambdify((H.x_1, H.x_2, H.y_1, H.y_2), H.dense_pair().result, "numpy")
    left = np.repeat(values, 4)
    right = left if mutant == "first" else np.tile(values, 4)
    pairs = form(left[:, None], right[:, None], left[None], right[None])
    return float((gains.ravel() @ pairs @ gains.ravel()).real)


def rank(kind: str) -> Routine:
    """Number of nonzero eigenvalues of a Hessian."""

    def count(seed: int, normal: bool, size: int) -> int:
        values = spectrum(kind, seed, normal, size)[0]
        return int(np.sum(values > 1e-9 * values[0]))

    return count


def around(of: Callable[[complex, float], tuple[float, float]]) -> Callable[..., Any]:
    """Two eigenvalues from their sum and difference in terms of ``A`` and ``B``."""

    def both(A_ij: complex, B_ij: complex, **_: Any) -> list[float]:
        middle, apart = of(complex(A_ij), complex(B_ij).real)
        return sorted(((middle - apart) / 2, (middle + apart) / 2))

    return both


CHARTED = tuple(with_coordinates(point) for point in SINGLES)
BACKWARDS = (sympy.Integer(1), -sympy.I)  # derivatives of the conjugate of re + i im
COUPLED = (H.polar("i", True), H.polar("j", True))

EVIDENCE: dict[str, Basis] = {
    "sigprop:hessian-pair": Evidence(
        also(EIGENVALUES, a=0.3, b=1.2), each(of_pair, PAIR_ROUTES)
    ),
    "sigprop:hessian-pair-bound": Evidence(
        (*EIGENVALUES, {"alpha": 0.3 - 0.5j, "beta": 0.3 + 0.501j, "rho": 0.95}),
        each(squared, PAIR_ROUTES),
        form=lambda **point: math.prod(diagonal(**point)),
        relation="<=",
        mutants={
            "the square of the smaller": lambda **point: min(diagonal(**point)) ** 2,
            "the root of the product": lambda **point: math.sqrt(
                math.prod(diagonal(**point))
            ),
            "both conjugates lost": same_product,
            "the diagonal of white input": lambda alpha, beta, **_: math.prod(
                diagonal(alpha, beta, 0.0)
            ),
        },
        hand={"a thousandth less": lambda **at: 0.999 * math.prod(diagonal(**at))},
    ),
    "sigprop:hessian-complex": Evidence(
        PAIRS,
        {"reference": full_complex, "quadrature": full_complex_by_spectrum},
        form=lambda **point: H.whole_complex(point),
        mutants={
            "A and B exchanged": in_blocks(
                lambda A, B: [[B, A], [A.conjugate(), B.conjugate()]]
            ),
            "a Hermitian block": in_blocks(lambda A, B: [[B, A], [A.conjugate(), B]]),
            "B not conjugated": in_blocks(lambda A, B: [[A, B], [B, A.conjugate()]]),
            "A not conjugated": in_blocks(lambda A, B: [[A, B], [B.conjugate(), A]]),
        },
    ),
    "sigprop:hessian-cartesian": Evidence(
        PAIRS[:2],
        {
            "impulse": layer_block,
            "reference": lambda **point: block("cartesian", **point),
        },
        form=real_hessian(H.CARTESIAN, H.CARTESIAN),
        mutants={
            "the adjoint for the transpose": real_hessian(BACKWARDS, H.CARTESIAN),
            "conjugated slopes": real_hessian(BACKWARDS, BACKWARDS),
            "A left out": real_hessian(H.CARTESIAN, H.CARTESIAN, A_ij=lambda **_: 0),
            "A and B exchanged": real_hessian(H.CARTESIAN, H.CARTESIAN, **EXCHANGED),
        },
    ),
    "sigprop:hessian-coupled": Evidence(
        tuple(coupled(point) for point in PAIRS),
        routes("optimal"),
        form=real_hessian(*COUPLED),
        mutants={
            "the angle of one parameter": real_hessian(H.polar("i"), H.polar("j")),
            "A left out": real_hessian(*COUPLED, A_ij=lambda **_: 0),
            "the second conjugate lost": real_hessian(*COUPLED, **EXCHANGED),
            "both slopes of the first unit": real_hessian(COUPLED[0], COUPLED[0]),
        },
    ),
    "sigprop:hessian-eigenvalues": Evidence(
        SINGLES,
        routes("cartesian", np.linalg.eigvalsh),
        form=around(lambda A, B: (B, abs(A))),
        mutants={
            "the real part of A": around(lambda A, B: (B, A.real)),
            "the imaginary part of A": around(lambda A, B: (B, A.imag)),
            "the square of A": around(lambda A, B: (B, abs(A) ** 2)),
            "A and B exchanged": around(lambda A, B: (abs(A), B)),
        },
        proof=eigenvalues,
    ),
    "sigprop:hessian-off-diagonal": Evidence(
        CHARTED, routes("lru", lambda matrix: matrix[0, 1])
    ),
    "sigprop:hessian-anisotropy": Evidence(
        points("lam", 0.5 + 0.4j, -0.3 + 0.6j, 0.1 + 0.75j),
        each(anisotropy, PAIR_ROUTES),
    ),
    "sigprop:hessian-trace-polar": Evidence(CHARTED, routes("lru", np.trace)),
    "sigprop:hessian-dense-pair": Evidence(
        points(
            "x_1 x_2 y_1 y_2",
            (0.5 + 0.4j, 0.3 - 0.6j, -0.2 + 0.7j, 0.6),
            (0.5 + 0.4j, 0.5 + 0.4j, 0.5 - 0.4j, 0.3j),
            (-0.7, 0.2 + 0.1j, 0.65j, 0.65j),
        ),
        {"reference": dense_pair_sum},
    ),
    "sigprop:hessian-dense": Evidence(
        across(seed=(0, 1), normal=(True, False)),
        {"sensitivities": dense_curvature, "reference": dense_curvature_by_differences},
        form=dense_curvature_in_eigenbasis,
        tolerance=1e-8,
        mutants={
            name: functools.partial(dense_curvature_in_eigenbasis, mutant=mutant)
            for name, mutant in (
                ("moved eigenvalues alone", "eigenvalues"),
                ("the change transposed", "transposed"),
                ("P and its inverse exchanged", "inverse"),
                ("the first eigenvalue in both places", "first"),
            )
        },
    ),
    "sigprop:hessian-rank": Evidence(
        across(seed=(0,), normal=(True,), size=(2, 4, 6)),
        {"sensitivities": rank("dense"), "diagonal": rank("diagonal")},
        form=lambda size, **_: 2 * size + 1,
        mutants={
            "the skip left out": lambda size, **_: 2 * size,
            "gains in and out apart": lambda size, **_: 3 * size + 1,
            "real and imaginary parts apart": lambda size, **_: 4 * size + 1,
            "every parameter": lambda size, **_: (size + 1) ** 2,
        },
    ),
}
