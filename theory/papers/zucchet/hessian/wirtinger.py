"""Zucchet & Orvieto (2024), Appendix C.2.1: Wirtinger derivatives, Eq. 116-121."""

from collections.abc import Callable
from typing import Any

from sympy import Expr, I, Symbol, diff, expand

from theory import hessian as H
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REFERENCE, SAMPLES, WIRTINGER

f_re, f_im = Symbol("f_re"), Symbol("f_im")  # derivatives of f by Re z and Im z
POLYNOMIAL = H.lambda_i**2 * H.lambda_j + (2 - I) * H.lambda_i - I * H.lambda_j**2
REAL_LOSS = POLYNOMIAL * H.conjugate(POLYNOMIAL)


def claims() -> tuple[Claim, ...]:
    """Eq. 116 to 121 and the sentences after them."""
    return (*_first_derivatives(), *_second_derivatives())


def _total() -> Derivation:
    """``df`` in the differentials of ``z`` and its conjugate."""
    dz, dbar = Symbol("dz"), Symbol("dzbar")
    total = f_re * (dz + dbar) / 2 + f_im * (dz - dbar) / (2 * I)
    return start("df = f_re dRe z + f_im dIm z, in dz and its conjugate", expand(total))


def _first_derivatives() -> tuple[Claim, ...]:
    def wirtinger(
        number: int, sign: str, which: str, symbol: str, factor: Expr
    ) -> Claim:
        conj = r"\bar{z}" if which == "conjugate" else "z"
        total = _total()

        def form() -> Expr:
            return (f_re + factor * f_im) / 2

        def printed() -> Expr:
            return (H.real_part(f_re) + factor * H.imaginary_part(f_im)) / 2

        return Claim(
            f"zucchet:{number}",
            f"Eq. {number}, {WIRTINGER}",
            Kind.IDENTITY,
            f"Wirtinger derivative by {which if which == 'conjugate' else 'z'}",
            rf"\frac{{\mathrm{{d}}f}}{{\mathrm{{d}}{conj}}} = \frac{{1}}{{2}} \left(\frac{{"
            r"\mathrm{d}\mathrm{Re}[f]}{\mathrm{d}\mathrm{Re}[z]} "
            rf"{sign} i \frac{{\mathrm{{d}}\mathrm{{Im}}[f]}}{{\mathrm{{d}}\mathrm{{Im}}[z]"
            r"} \right)",
            "evidence",
            Status.REFUTED,
            "theory.hessian.conjugate",
            derive=lambda: total.then(
                f"the factor of {symbol}", diff(total.result, Symbol(symbol))
            ),
            printed=printed,
            corrected=form,
            correction=rf"\frac{{\mathrm{{d}}f}}{{\mathrm{{d}}{conj}}} = \frac{{1}}{{2}} "
            r"\left(\frac{\mathrm{d}f}{\mathrm{d}\mathrm{Re}[z]} "
            rf"{sign} i \frac{{\mathrm{{d}}f}}{{\mathrm{{d}}\mathrm{{Im}}[z]}} \right)",
            evidence=Evidence(
                forms.function_points(False) + forms.function_points(True),
                {"reference": SAMPLES + f"contour_{which}"},
            ),
            note="Both derivatives are of f itself. As printed, f(z) = z has derivative "
            "(1 - i)/2 instead of 1, and of a real f the derivative by Im z is lost. The "
            "paper's own results do not use the printed form.",
            inherits="none",
            topic="hessian",
        )

    return (
        wirtinger(116, "-", "plain", "dz", -I),
        wirtinger(117, "+", "conjugate", "dzbar", I),
        Claim(
            "zucchet:118",
            f"Eq. 118, {WIRTINGER}",
            Kind.IDENTITY,
            "The two Wirtinger derivatives are conjugate",
            r"\frac{\mathrm{d}f}{\mathrm{d}z} = \overline{\frac{\mathrm{d}f}{\mathrm{d}"
            r"\bar{z}}}",
            "evidence",
            Status.CONDITIONAL,
            "theory.hessian.conjugate",
            printed=lambda: H.conjugate((f_re + I * f_im) / 2),
            condition=Condition(
                "f is real",
                lambda p, m, k, n, **_: (
                    p == 0 and complex(n).imag == 0 and k == m.conjugate()
                ),
            ),
            evidence=Evidence(
                forms.function_points(True) + forms.function_points(False),
                {
                    "reference": SAMPLES + "contour_plain",
                    "closed_form": lambda f_re, f_im, **_: (f_re - 1j * f_im) / 2,
                },
            ),
            note="Introduced for a complex-valued f, of which the right side is the "
            "derivative of conj(f) by z. Used only for the loss, which is real.",
            topic="hessian",
        ),
    )


def _second_derivatives() -> tuple[Claim, ...]:
    i, j = H.lambda_i, H.lambda_j
    points = tuple({**at} for at in forms.TWO_UNITS)
    second = r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda^2}"

    def row(
        number: str,
        title: str,
        latex: str,
        form: Callable[[], Expr],
        truth: tuple[Symbol, Symbol],
        place: str,
        **more: Any,
    ) -> Claim:
        text = not number.isdigit()
        return Claim(
            f"zucchet:text:{number}" if text else f"zucchet:{number}",
            f"text after Eq. 121, {WIRTINGER}"
            if text
            else f"Eq. {number}, {WIRTINGER}",
            Kind.IDENTITY,
            title,
            latex,
            "evidence",
            Status.PROVED,
            "theory.hessian.complex_block",
            derive=lambda: start("differentiated", expand(diff(REAL_LOSS, *truth))),
            printed=form,
            evidence=Evidence(
                points,
                {"reference": SAMPLES + f"real_function_{place}"},
            ),
            assumes="the loss is real and twice differentiable",
            topic="hessian",
            **more,
        )

    return (
        row(
            "119",
            "The Hessian is the derivative of the gradient",
            second
            + r" = \frac{\mathrm{d}}{\mathrm{d}\lambda} \left[\frac{\mathrm{d}L}{"
            r"\mathrm{d}\lambda}^\top \right]",
            lambda: diff(diff(REAL_LOSS, j), i),
            (i, j),
            "unmixed",
            note="Judged on a real polynomial of two complex numbers, all entries.",
        ),
        row(
            "120",
            "The gradient as the conjugate of that by the conjugate",
            second
            + r" = \frac{\mathrm{d}}{\mathrm{d}\lambda} \left[\frac{\mathrm{d}L^{"
            r"\top}}{\mathrm{d}\bar{\lambda}} \right]",
            lambda: diff(H.conjugate(diff(REAL_LOSS, H.bar(j))), i),
            (i, j),
            "unmixed",
            as_extracted=True,
            note="Our copy lacks a line over the inner derivative; without it the right "
            "side is the mixed derivative of Eq. 137. Judged with the line, as Eq. 121 "
            "and Eq. 118 need.",
        ),
        row(
            "121",
            "The two unmixed Hessians are conjugate",
            second
            + r" = \frac{\overline{\mathrm{d}^2 L}}{\mathrm{d}\overline{\lambda}^2}",
            lambda: H.conjugate(diff(REAL_LOSS, H.bar(i), H.bar(j))),
            (i, j),
            "unmixed",
            as_extracted=True,
            note="The line over the whole fraction is broken in our copy.",
        ),
        row(
            "hessian-mixed-conjugate",
            "The mixed Hessians are conjugate",
            r"\mathrm{d}_{\lambda}\mathrm{d}_{\bar{\lambda}}L = \overline{\mathrm{d}_{"
            r"\bar{\lambda}}\mathrm{d}_{\lambda}L}",
            lambda: H.conjugate(diff(REAL_LOSS, H.bar(i), j)),
            (i, H.bar(j)),
            "mixed",
        ),
        _hermitian(),
    )


def _hermitian() -> Claim:
    return Claim(
        "zucchet:text:hessian-hermitian",
        f"text after Eq. 121, {WIRTINGER}",
        Kind.TEXT,
        "The complex Hessian is Hermitian",
        r"\mathrm{d}_{\lambda}\mathrm{d}_{\bar{\lambda}}L = \left(\mathrm{d}_{\bar{"
        r"\lambda}}\mathrm{d}_{\lambda}L\right)^\top \Rightarrow \text{the complex Hessian "
        r"is a Hermitian matrix}",
        "evidence",
        Status.CONDITIONAL,
        "theory.hessian.hermitian_defect",
        condition=Condition(
            "of the block of mixed derivatives, or of the whole with its rows taken by "
            "the conjugates; the matrix of Eq. 138 is Hermitian only where A is real",
            lambda part, **at: part == "mixed" or _A_is_real(**at),
        ),
        evidence=Evidence(
            tuple(H.place(**at) | {"part": "all"} for at in forms.REAL_UNITS)
            + tuple(
                {**at, "part": part}
                for part in ("mixed", "all")
                for at in forms.pairs()
            ),
            {
                "reference": REFERENCE + "adjoint_by_differences",
                "closed_form": lambda **at: _adjoint(**at),
            },
            form=REFERENCE + "whole_complex",
            proof=lambda: (
                H.hermitian_defect()[0, 1] == 0
                and expand(H.hermitian_defect()[0, 0] - (H.A_ij - H.bar(H.A_ij)) / 4)
                == 0
            ),
        ),
        note="In the order (lambda, conj) for rows and columns, as in Eq. 138, the whole "
        "matrix is symmetric, for second derivatives commute, and not Hermitian: its "
        "diagonal holds A_ii, which is complex.",
        topic="hessian",
    )


def _A_is_real(**at: Any) -> bool:
    """True where every entry of ``A`` is real, those on its diagonal too."""
    source = {name: at[name] for name in ("a", "b", "rho") if name in at}
    gain = {k: at[f"b_{k}"] * at[f"c_{k}"] for k in "ij"}
    entries = (
        gain[k] * gain[l] * H.similarity(at[f"lambda_{k}"], at[f"lambda_{l}"], **source)
        for k, l in ("ii", "ij", "jj")
    )
    return all(complex(entry).imag == 0 for entry in entries)


def _adjoint(part: str, **at: Any) -> list[list[complex]]:
    """The adjoint of the whole complex Hessian of two units, in closed form."""
    whole = H.whole_complex(at)
    if part == "mixed":
        whole = [[row[k] for k in (1, 3)] for row in (whole[0], whole[2])]
    return [
        [complex(x).conjugate() for x in column] for column in zip(*whole, strict=True)
    ]
