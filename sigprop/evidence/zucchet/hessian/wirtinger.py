"""Evidence for Wirtinger derivatives, Eq. 116-121 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from typing import Any

from sympy import I, diff, expand, symbols

from sigprop.evidence.zucchet.hessian.differences import contour, wirtinger_second
from sigprop.evidence.zucchet.hessian.loss import full_complex
from sigprop.evidence.zucchet.hessian.units import PAIRS, REAL_UNITS, TWO_UNITS
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import hessian as H


def function_points(real: bool) -> tuple[dict[str, Any], ...]:
    """``f(z) = p z^2 conj(z) + m z + k conj(z) + n |z|^2`` and its real derivatives.

    ``f_re, f_im`` are the derivatives by ``Re z`` and ``Im z``.  ``real`` makes ``f``
    real: ``p = 0``, ``n`` real, ``k = conj(m)``.
    """
    p, m, k, n = (0, 2 - 1j, 2 + 1j, 0.7) if real else (0.4 + 1j, 2 - 1j, 0.5j, 0.7)
    x, y = symbols("x y", real=True)
    f = _cubic(p, m, k, n)(x + I * y)
    rows = []
    for value in (0.3 + 0.8j, -1.1 + 0.4j):
        xy = {x: value.real, y: value.imag}
        derivatives = {
            f"f_{s}": complex(diff(f, v).subs(xy)) for s, v in (("re", x), ("im", y))
        }
        rows.append({"z": value, "p": p, "m": m, "k": k, "n": n, **derivatives})
    return tuple(rows)


def _cubic(p: Any, m: Any, k: Any, n: Any) -> Callable[[Any], Any]:
    def function(z: Any) -> Any:
        conjugate = z.conjugate()
        return p * z**2 * conjugate + m * z + k * conjugate + n * z * conjugate

    return function


def contour_plain(z: complex, p: Any, m: Any, k: Any, n: Any, **_: Any) -> complex:
    """``df/dz`` of ``p z^2 conj(z) + m z + k conj(z) + n |z|^2`` by a contour."""
    return contour(_cubic(p, m, k, n), z, 1)


def contour_conjugate(z: complex, p: Any, m: Any, k: Any, n: Any, **_: Any) -> complex:
    """``df/dconj(z)`` of ``p z^2 conj(z) + m z + k conj(z) + n |z|^2`` by a contour."""
    return contour(_cubic(p, m, k, n), z, -1)


def _real_polynomial(first: Any, second: Any) -> Any:
    """A real function of two complex numbers, without symmetry."""
    inner = first**2 * second + (2 - 1j) * first - 1j * second**2
    return abs(inner) ** 2


def _second(column: int) -> Evidence:
    """Second derivatives of a real polynomial by ``lambda_i`` and ``lambda_j``, or conj."""

    def entry(lambda_i: complex, lambda_j: complex, **_: Any) -> complex:
        return wirtinger_second(_real_polynomial, lambda_i, lambda_j)[0, column]

    return Evidence(TWO_UNITS, {"reference": entry})


def _adjoint(part: str, **point: Any) -> list[list[complex]]:
    """The adjoint of the whole complex Hessian of two units, in closed form."""
    hessian = H.whole_complex(point)
    if part == "mixed":
        hessian = [[row[k] for k in (1, 3)] for row in (hessian[0], hessian[2])]
    return [
        [complex(x).conjugate() for x in column]
        for column in zip(*hessian, strict=True)
    ]


def _differs_by_imaginary_A() -> bool:
    """One unit's complex Hessian less its adjoint is ``A - conj(A)``, a quarter of it."""
    defect = H.hermitian_defect()
    rest = expand(defect[0, 0] - (H.A_ij - H.bar(H.A_ij)) / 4)
    return defect[0, 1] == 0 and rest == 0


def _of_identity(by: str, sign: int) -> Example:
    """A derivative of ``f(z) = z``, whose derivatives by Re z and Im z are 1 and i."""
    return Example(
        f"the derivative of f(z) = z by {by}",
        {},
        lambda f_re=1.0, f_im=1j: (f_re.real + sign * 1j * f_im.imag) / 2,
        lambda f_re=1.0, f_im=1j: (f_re + sign * 1j * f_im) / 2,
    )


ANY, REAL = function_points(False), function_points(True)
UNMIXED, MIXED = _second(0), _second(1)

EVIDENCE: dict[str, Basis] = {
    "zucchet:116": Evidence(
        ANY + REAL, {"reference": contour_plain}, example=_of_identity("z", -1)
    ),
    "zucchet:117": Evidence(
        ANY + REAL,
        {"reference": contour_conjugate},
        example=_of_identity("the conjugate of z", 1),
    ),
    "zucchet:118": Evidence(
        REAL + ANY,
        {
            "reference": contour_plain,
            "closed_form": lambda f_re, f_im, **_: (f_re - 1j * f_im) / 2,
        },
        mutants={
            "f for its conjugate": lambda f_re, f_im, **_: (
                (f_re + 1j * f_im) / 2
            ).conjugate()
        },
    ),
    "zucchet:119": UNMIXED,
    "zucchet:120": UNMIXED,
    "zucchet:121": UNMIXED,
    "zucchet:text:hessian-mixed-conjugate": MIXED,
    "zucchet:text:hessian-hermitian": Evidence(
        (
            *(H.evidence_point(**point) | {"part": "all"} for point in REAL_UNITS),
            *({**point, "part": part} for part in ("mixed", "all") for point in PAIRS),
        ),
        {
            "reference": lambda **point: full_complex(**point).conj().T,
            "closed_form": _adjoint,
        },
        form=full_complex,
        proof=_differs_by_imaginary_A,
        mutants={"symmetric for Hermitian": lambda **point: full_complex(**point).T},
        example=Example(
            "the upper left entry S(lam, lam) of Eq. 138 (b = c = 1, white input), which "
            "equals its conjugate in a Hermitian matrix,",
            {"lam": 0.5 + 0.4j},
            lambda lam: H.similarity(lam, lam).conjugate(),
            lambda lam: H.similarity(lam, lam),
        ),
    ),
}
