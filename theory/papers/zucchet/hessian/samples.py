"""Zucchet & Orvieto (2024), Appendix C.2.2: one sample's derivatives, Eq. 122-128."""

from typing import Any

from sympy import Expr, Symbol

from theory import hessian as H
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import AtPoint, Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import EIGENVALUES, SAMPLES

HALF = (
    "Wirtinger's derivatives (Eq. 116-117) of y = Re[c^T h] (Eq. 114) hold a half each: "
    "dy/dlambda = c dh/dlambda / 2. "
)
TWICE = (
    "The printed form is right if d/dlambda stands for d/dRe - i d/dIm, twice Wirtinger's "
    "derivative; then the halves of Eq. 140 and 148-151 belong to the chain rule."
)
INHERITS = (
    "Eq. 122-138 hold the factor; Eq. 142-155 do not, for the halves there undo it"
)
t_i = Symbol("t_i")  # one sample of d^2 h_i / dlambda_i^2
D_H = r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
D2_L = r"\left(\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2}\right)_{ij} = "


def claims() -> tuple[Claim, ...]:
    """Eq. 122 to 128 and the sentences between them."""
    return _one_sequence()


def quarter(
    number: int,
    title: str,
    latex: str,
    correction: str,
    form: Expr,
    factor: int,
    points: tuple[AtPoint, ...],
    routes: dict[str, Any],
    **more: Any,
) -> Claim:
    """A row that lacks a half or a quarter."""
    note = more.pop("note", "")
    return Claim(
        f"zucchet:{number}",
        f"Eq. {number}, {EIGENVALUES}",
        Kind.IDENTITY,
        title,
        latex,
        "evidence",
        Status.REFUTED,
        more.pop("code", "theory.hessian.complex_entry"),
        derive=more.pop(
            "derive", lambda: start("the half of the real part", form / factor)
        ),
        printed=lambda: form,
        corrected=lambda: form / factor,
        correction=correction,
        evidence=Evidence(points, routes),
        note=f"{HALF}The printed value is {factor} times too large. {note}{TWICE}",
        inherits=INHERITS,
        topic="hessian",
        **more,
    )


def gradient() -> Derivation:
    """The gradient of one sample's loss by ``lambda_i``."""
    return start("dL_t/dy = e_y, times dy/dlambda_i", H.e_y * H.output_slope("i"))


def _product() -> Derivation:
    return start(
        "no error is left: the product of dy/dlambda_i and dy/dlambda_j",
        H.output_slope("i") * H.output_slope("j"),
    )


def _one_sequence() -> tuple[Claim, ...]:
    optimal = forms.at_optimality()
    second = {"reference": SAMPLES + "sample_second"}
    product = H.c_i * H.s_i * H.c_j * H.s_j
    return (
        quarter(
            122,
            "The gradient of one sample's loss by the eigenvalues",
            r"\frac{\mathrm{d}L_t}{\mathrm{d}\lambda} = \frac{\partial L_t}{\partial y_t} "
            r"c^\top " + D_H,
            r"\frac{\mathrm{d}L_t}{\mathrm{d}\lambda} = \frac{1}{2}\frac{\partial L_t}{"
            r"\partial y_t} c^\top " + D_H,
            H.e_y * H.c_i * H.s_i,
            2,
            forms.off_optimality(),
            {"reference": SAMPLES + "sample_gradient"},
            derive=gradient,
            code="theory.hessian.output_slope",
        ),
        Claim(
            "zucchet:123",
            f"Eq. 123, {EIGENVALUES}",
            Kind.IDENTITY,
            "An empty line",
            r"\text{(nothing is printed at this number)}",
            "",
            Status.NOT_CHECKABLE,
            "theory.hessian.output_slope",
            reason="The number stands beside an empty line.",
            topic="hessian",
        ),
        quarter(
            124,
            "The second derivative as that of the gradient",
            r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2} = \frac{\mathrm{d}}{\mathrm{d}"
            r"\lambda} \left[\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c \frac{\partial "
            r"L_t}{\partial y_t}^\top \right]",
            r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2} = \frac{1}{2}\frac{\mathrm{d}}{"
            r"\mathrm{d}\lambda} \left[\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c \frac{"
            r"\partial L_t}{\partial y_t}^\top \right]",
            product / 2,
            2,
            forms.sampled(),
            second,
            derive=_product,
            note="Judged off the diagonal, where the bracket of unit j has the derivative "
            "c_j dh_j c_i dh_i / 2 by lambda_i. ",
        ),
        _second_derivative(),
        quarter(
            126,
            "The second derivative of one sample at optimality",
            D2_L + r"\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c c^\top \frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_{ij}",
            D2_L
            + r"\frac{1}{4}\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c c^\top "
            r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_{ij}",
            product,
            4,
            optimal,
            second,
            derive=_product,
        ),
        quarter(
            127,
            "The same as a product of two output derivatives",
            D2_L
            + r"\left(c^{\top} \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_i \left("
            r"c^{\top} \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_j",
            D2_L + r"\frac{1}{4}\left(c^{\top} \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
            r"\right)_i \left(c^{\top} \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)_j",
            product,
            4,
            optimal,
            second,
            derive=_product,
        ),
        quarter(
            128,
            "The same entry by entry",
            D2_L
            + r"c_i \frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i} c_j \frac{\mathrm{d}"
            r"h_{t,j}}{\mathrm{d}\lambda_j}",
            D2_L
            + r"\frac{1}{4} c_i \frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i} c_j \frac{"
            r"\mathrm{d}h_{t,j}}{\mathrm{d}\lambda_j}",
            product,
            4,
            optimal,
            second,
            derive=_product,
        ),
        *_sentences(),
    )


def _second_derivative() -> Claim:
    """Eq. 125, judged twice by the same eigenvalue, where both terms count."""
    points = tuple({**at, "single": True} for at in forms.sampled())
    curved, squared = H.e_y * H.c_i * t_i, (H.c_i * H.s_i) ** 2
    tail = (
        r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}^\top c \frac{\partial^2 L_t}{\partial "
        r"y_t^2} c^\top \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
    )
    head = r"\frac{\mathrm{d}^2 h_t}{\mathrm{d}\lambda^2} c \frac{\partial L_t}{\partial y_t}"
    return Claim(
        "zucchet:125",
        f"Eq. 125, {EIGENVALUES}",
        Kind.IDENTITY,
        "Both terms of the second derivative of one sample",
        r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2} = " + head + r"^\top + " + tail,
        "evidence",
        Status.REFUTED,
        "theory.hessian.output_slope",
        derive=lambda: start(
            "half the second derivative of c h, and the square of its half",
            curved / 2 + squared / 4,
        ),
        printed=lambda: curved + squared,
        corrected=lambda: curved / 2 + squared / 4,
        correction=r"\frac{\mathrm{d}^2 L_t}{\mathrm{d}\lambda^2} = \frac{1}{2}" + head
        + r" + \frac{1}{4}" + tail,
        evidence=Evidence(points, {"reference": SAMPLES + "sample_second"}),
        note=HALF + "The first term lacks one half, the second two. No single meaning of "
        "d/dlambda mends both: with d/dRe - i d/dIm the first term is doubled. At "
        "optimality the first term vanishes.",
        inherits=INHERITS,
        topic="hessian",
    )  # fmt: skip


def _sentences() -> tuple[Claim, ...]:
    scales = tuple(
        {"scale": scale, "y": y, "target": 0.3}
        for scale in (0.5, 1.0)
        for y in (0.2, -1.4)
    )
    return (
        Claim(
            "zucchet:text:hessian-unit-curvature",
            f"text after Eq. 125, {EIGENVALUES}",
            Kind.TEXT,
            "The mean-squared error has unit curvature",
            r"L_t \text{ is the mean-squared error} \Rightarrow \partial_{y_t}^2 L_t = "
            r"\mathrm{Id}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.hessian.loss",
            condition=Condition(
                "the loss is half the squared error, as in Section 4.1",
                lambda scale, **_: scale == 0.5,
            ),
            evidence=Evidence(
                scales,
                {
                    "reference": SAMPLES + "output_curvature",
                    "closed_form": SAMPLES + "output_curvature_by_parabola",
                },
                form=lambda **_: 1.0,
            ),
            note="Of the squared error without the half it is 2, and the whole Hessian "
            "doubles.",
            topic="hessian",
        ),
        Claim(
            "zucchet:text:hessian-diagonal-states",
            f"text after Eq. 128, {EIGENVALUES}",
            Kind.TEXT,
            "An eigenvalue moves its own state alone",
            r"\mathrm{d}_{\lambda_i} h_{t,i} = 0 \text{ if } i \neq j",
            "evidence",
            Status.REFUTED,
            "theory.papers.zucchet.hessian.forms.sampled",
            correction=r"\mathrm{d}_{\lambda_i} h_{t,j} = 0 \text{ if } i \neq j",
            evidence=Evidence(
                forms.sampled()[:3],
                {
                    "reference": SAMPLES + "state_jacobian",
                    "sensitivities": SAMPLES + "state_jacobian_by_powers",
                },
                form=lambda s_i, s_j, **_: [[s_i, 0.0], [0.0, s_j]],
                printed=lambda s_i, s_j, **_: [[0.0, 0.0], [0.0, 0.0]],
            ),
            note="A slip of an index: as printed, no eigenvalue moves its own state.",
            inherits="none",
            topic="hessian",
        ),
    )
