"""What judges our own statements about the Hessian at optimality."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from jaxtyping import Complex, Float
from sympy import Symbol, expand, sqrt

from sigprop.evidence.kit import across, also, central, each, energy, points, powers
from sigprop.evidence.zucchet.hessian.layer import respond, two_units
from sigprop.evidence.zucchet.hessian.loss import block, whole_complex
from sigprop.evidence.zucchet.hessian.networks import (
    dense_jacobian,
    impulse_response,
    spectrum,
    teacher,
)
from sigprop.evidence.zucchet.hessian.power_spectrum import whole_complex_by_spectrum
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
    with_charts,
)
from sigprop.judge.basis import Basis, Evidence, Routine
from sigprop.numerics.precision import double_precision
from theory import hessian as H


def squared(of: Callable[..., complex], **point: Any) -> float:
    """``|S|^2`` in the letters of the lemmas, where ``of`` gives ``S``."""
    return abs(of_pair(of, **point)) ** 2


def diagonal_product(alpha: complex, beta: complex, rho: float) -> float:
    """``S(alpha, conj) S(beta, conj)`` in closed form."""
    diagonal = [H.similarity(z, complex(z).conjugate(), rho=rho) for z in (alpha, beta)]
    return diagonal[0].real * diagonal[1].real


def layer_block(**point: Any) -> Float[np.ndarray, "2 2"]:
    """Real Hessian of unit i's (re, im) and j's from the layer's impulse response.

    The layer's own parameters go round a small circle; the first Fourier coefficients of
    its response are the derivatives, and the double sum of their products the Hessian.
    """
    import jax.numpy as jnp

    steps, turns, radius = 128, 8, 4e-3
    impulse = np.zeros((steps, 1))
    impulse[0] = 1
    angles = 2 * np.pi * np.arange(turns) / turns
    waves = np.stack([np.cos(angles), np.sin(angles)]) * 2 / (turns * radius)
    slopes = []
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
            slopes.append(waves @ np.array(responses))
    return slopes[0] @ covariance(steps, **point) @ slopes[1].T


def coupled(at: dict[str, Any]) -> dict[str, Any]:
    """A point with the slopes of the parametrisation of Eq. 108-109, fully coupled.

    ``theta = omega_theta f(nu)`` and ``nu = tanh(omega_nu)``.
    """
    nu = Symbol("nu", positive=True)
    scale: Any = (1 - nu**2) / (nu * sqrt(1 + nu**2))
    charted = with_charts(at)
    for unit in "ij":
        value = charted[f"nu_{unit}"]
        factor, slope = (float(f.subs(nu, value)) for f in (scale, scale.diff(nu)))
        charted[f"dnu_{unit}"] = 1 - value**2
        charted[f"dtheta_{unit}"] = factor
        charted[f"cross_{unit}"] = (
            charted[f"theta_{unit}"] / factor * slope * (1 - value**2)
        )
    return charted


def eigenvalues() -> bool:
    """``(B +- |A|) / 2`` has the trace and the determinant of one unit's block.

    There ``B`` is real.
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


def dense_curvature_in_eigenbasis(seed: int, normal: bool) -> float:
    """The sum over pairs of entries of the change, with ``theory.hessian.dense_pair``."""
    network = teacher(seed, normal, 4, 0.9)
    values, basis = np.linalg.eig(network.A)
    inverse = np.linalg.inv(basis)
    change = inverse @ direction(seed, 4) @ basis
    gains = (network.C @ basis)[:, None] * change * (inverse @ network.B)[None]
    form = sympy.lambdify((H.x_1, H.x_2, H.y_1, H.y_2), H.dense_pair().result, "numpy")
    left = np.repeat(values, 4)
    right = np.tile(values, 4)
    pairs = form(left[:, None], right[:, None], left[None], right[None])
    return float((gains.ravel() @ pairs @ gains.ravel()).real)


def rank(kind: str) -> Routine:
    """The number of a Hessian's eigenvalues that are not zero."""

    def count(seed: int, normal: bool, size: int) -> int:
        values = spectrum(kind, seed, normal, size)[0]
        return int(np.sum(values > 1e-9 * values[0]))

    return count


CHARTED = tuple(with_charts(point) for point in SINGLES)

EVIDENCE: dict[str, Basis] = {
    "sigprop:hessian-pair": Evidence(
        also(EIGENVALUES, a=0.3, b=1.2), each(of_pair, PAIR_ROUTES)
    ),
    "sigprop:hessian-pair-bound": Evidence(
        (*EIGENVALUES, {"alpha": 0.3 - 0.5j, "beta": 0.3 + 0.501j, "rho": 0.95}),
        each(squared, PAIR_ROUTES),
        form=diagonal_product,
        relation="<=",
        slips={"a thousandth less": lambda **point: 0.999 * diagonal_product(**point)},
    ),
    "sigprop:hessian-complex": Evidence(
        PAIRS,
        {"reference": whole_complex, "quadrature": whole_complex_by_spectrum},
        form=lambda **point: H.whole_complex(point),
    ),
    "sigprop:hessian-cartesian": Evidence(
        PAIRS[:2],
        {
            "impulse": layer_block,
            "reference": lambda **point: block("cartesian", **point),
        },
        form=lambda **point: H.block_value(H.CARTESIAN, H.CARTESIAN, point),
    ),
    "sigprop:hessian-coupled": Evidence(
        tuple(coupled(point) for point in PAIRS),
        routes("optimal"),
        form=lambda **point: H.block_value(
            H.polar("i", True), H.polar("j", True), point
        ),
    ),
    "sigprop:hessian-eigenvalues": Evidence(
        SINGLES,
        routes("cartesian", np.linalg.eigvalsh),
        form=lambda A_ij, B_ij, **_: [
            (complex(B_ij).real + sign * abs(A_ij)) / 2 for sign in (-1, 1)
        ],
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
    ),
    "sigprop:hessian-rank": Evidence(
        across(seed=(0,), normal=(True,), size=(2, 4, 6)),
        {"sensitivities": rank("dense"), "diagonal": rank("diagonal")},
        form=lambda size, **_: 2 * size + 1,
    ),
}
