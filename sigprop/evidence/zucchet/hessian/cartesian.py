"""Evidence for the Hessian in real parameters, Eq. 138-143 of Zucchet & Orvieto (2024)."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float
from sympy import Symbol, expand

from sigprop.evidence.kit import also, points
from sigprop.evidence.kit import block as turn
from sigprop.evidence.zucchet.hessian.expectation import one_unit
from sigprop.evidence.zucchet.hessian.loss import block, complex_block, derivatives
from sigprop.evidence.zucchet.hessian.power_spectrum import full_complex_by_spectrum
from sigprop.evidence.zucchet.hessian.sensitivities import gauss_newton, routes
from sigprop.evidence.zucchet.hessian.units import CHARTED, PAIRS, SINGLES, by_hand
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.numerics.precision import double_precision
from sigprop.theory import hessian as H


def parts_agree() -> bool:
    """The chain rule's block has the real parts of Eq. 142-155, for any derivatives."""
    p, q = Symbol("p"), Symbol("q")
    (value,) = H.real_block((p,), (q,))
    return expand(value - H.as_parts(p, q)) == 0


def _eigenvalue(
    first: Float[Array, " n"], second: Float[Array, " n"]
) -> Complex[Array, " n"]:
    zero = jnp.zeros((1, 1))
    skip = jnp.zeros(1)
    layer = ComplexDiagonal(zero, zero, zero, zero, skip, first, second, "cartesian")
    return layer.eigenvalues()


def layer_eigenvalue(re_i: float, im_i: float) -> complex:
    """The layer's eigenvalue at its two parameters."""
    with double_precision(True):
        return complex(_eigenvalue(jnp.asarray([re_i]), jnp.asarray([im_i]))[0])


def eigenvalue_of_turn(re_i: float, im_i: float) -> complex:
    """The upper eigenvalue of the real matrix that acts like ``re + i im``."""
    return max(np.linalg.eigvals(turn(complex(re_i, im_i))), key=np.imag)


def layer_derivatives(lam: complex) -> list[complex]:
    """Derivatives of the layer's eigenvalue by its parameters, through the layer."""
    with double_precision(True):
        point = (jnp.asarray([lam.real]), jnp.asarray([lam.imag]))
        by_re, by_im = jax.jacfwd(_eigenvalue, (0, 1))(*point)
        first, second = complex(by_re[0, 0]), complex(by_im[0, 0])
        return [first, second, second.conjugate()]


def cartesian_derivatives(lam: complex) -> list[complex]:
    """``dlambda/dre, dlambda/dim, dconj/dim``, by differences."""
    by_re, by_im = derivatives("cartesian", lam)
    return [by_re, by_im, by_im.conjugate()]


def eq_138(A_ij: complex, B_ij: complex, **_: Any) -> list[list[complex]]:
    """The block of two units as printed."""
    return [[A_ij, B_ij], [B_ij.conjugate(), A_ij.conjugate()]]


def quarter(block_ij: list[list[complex]]) -> list[list[complex]]:
    """A quarter of every entry."""
    return [[x / 4 for x in row] for row in block_ij]


def gains(b_i: complex, b_j: complex, c_i: complex, c_j: complex, **_: Any) -> complex:
    """``b_i b_j c_i c_j``."""
    return b_i * b_j * c_i * c_j


def eq_139(**point: Any) -> list[list[complex]]:
    """The block as printed, its upper left entry twice."""
    (first, _), lower = H.block_value(H.CARTESIAN, H.CARTESIAN, point)
    return [[first, first], lower]


def contracted(
    matrix: Float[np.ndarray, "2 2"],
    re_i: float,
    im_i: float,
    re_j: float,
    im_j: float,
    **_: Any,
) -> float:
    """A block between two vectors of weights."""
    return float(np.array([re_i, im_i]) @ matrix @ np.array([re_j, im_j]))


BACK = tuple(H.conjugate(derivative) for derivative in H.CARTESIAN)
FIRST = Evidence(PAIRS, routes("cartesian", lambda matrix: matrix[0, 0]))
WEIGHTS = {"re_i": 0.7, "im_i": -1.2, "re_j": 1.6, "im_j": 0.45}

EVIDENCE: dict[str, Basis] = {
    "zucchet:138": Evidence(
        PAIRS,
        {
            "reference": complex_block,
            "quadrature": lambda **point: full_complex_by_spectrum(**point)[:2, 2:],
        },
        form=lambda **point: quarter(eq_138(**point)),
        printed=eq_138,
        mutants={
            "no line over the lower row": lambda A_ij, B_ij, **_: quarter(
                [[A_ij, B_ij], [B_ij, A_ij]]
            ),
            "A and B exchanged below": lambda A_ij, B_ij, **_: quarter(
                [[A_ij, B_ij], [A_ij.conjugate(), B_ij.conjugate()]]
            ),
            "rows by the conjugates": lambda **point: quarter(eq_138(**point)[::-1]),
            "the line over b_j and c_j lost": lambda **point: quarter(
                eq_138(**point | {"B_ij": gains(**point) * point["S_ibarj"]})
            ),
        },
        example=one_unit("the upper left entry", 0.5),
    ),
    "zucchet:text:hessian-left-right": Evidence(
        CHARTED,
        routes("lru"),
        form=lambda **point: H.block_value(H.polar("i"), H.polar("j"), point),
        proof=parts_agree,
        mutants={
            "the adjoint on the left": lambda **point: H.block_value(
                [H.conjugate(derivative) for derivative in H.polar("i")],
                H.polar("j"),
                point,
            ),
            "unit j's slopes on the left": lambda **point: H.block_value(
                H.polar("j"), H.polar("i"), point
            ),
        },
    ),
    "zucchet:text:hessian-cartesian": Evidence(
        points("re_i im_i", (0.3, 0.6), (-0.5, 0.2)),
        {"impulse": layer_eigenvalue, "reference": eigenvalue_of_turn},
        mutants={"no i": lambda re_i, im_i: re_i + im_i},
    ),
    "zucchet:139": Evidence(
        PAIRS,
        routes("cartesian"),
        form=lambda **point: H.block_value(H.CARTESIAN, H.CARTESIAN, point),
        printed=eq_139,
        mutants={
            "the adjoint on the left": lambda **point: H.block_value(
                BACK, H.CARTESIAN, point
            ),
            "both turned back": lambda **point: H.block_value(BACK, BACK, point),
            "the columns exchanged": lambda **point: H.block_value(
                H.CARTESIAN, H.CARTESIAN[::-1], point
            ),
        },
        example=Example(
            "the entry (re, im) of one unit (b = c = 1, white input)",
            {"lam": 0.5 + 0.4j},
            lambda lam: block("cartesian", **by_hand(lam))[0, 0],
            lambda lam: block("cartesian", **by_hand(lam))[0, 1],
        ),
    ),
    "zucchet:text:hessian-cartesian-slopes": Evidence(
        points("lam", 0.5 + 0.4j, -0.3 + 0.6j),
        {"reference": cartesian_derivatives, "impulse": layer_derivatives},
        form=[1.0, 1j, -1j],
        printed=[0.5, 0.5j, -0.5j],
        mutants={
            "the conjugate's as the eigenvalue's": [1.0, 1j, 1j],
            "without the i": [1.0, 1.0, 1.0],
        },
        example=Example(
            "the derivative of lambda with respect to its real part",
            {"lam": 0.5 + 0.4j},
            0.5,
            lambda lam: cartesian_derivatives(lam)[0],
        ),
    ),
    "zucchet:140": FIRST,
    "zucchet:141": replace(
        FIRST,
        example=Example(
            "d^2L/domega_re^2 of one unit (b = c = 1, white input)",
            {"lam": 0.5},
            lambda lam: np.sum(complex_block(**by_hand(lam))).real / 4,
            lambda lam: block("cartesian", **by_hand(lam))[0, 0],
        ),
    ),
    "zucchet:142": FIRST,
    # All four entries at once, between two pairs of unrelated real weights.
    "zucchet:143": Evidence(
        also(PAIRS + SINGLES, **WEIGHTS),
        {
            "reference": lambda **point: contracted(
                block("cartesian", **point), **point
            ),
            "sensitivities": lambda **point: contracted(
                gauss_newton("cartesian", **point), **point
            ),
        },
    ),
}
