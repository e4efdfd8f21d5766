"""Zucchet & Orvieto (2024), Appendix C.2.2: mixed derivatives, Eq. 135-137."""

from theory import hessian as H
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.expectation import in_full
from theory.papers.zucchet.hessian.forms import EIGENVALUES, REFERENCE, SAMPLES
from theory.papers.zucchet.hessian.samples import D_H, gradient, quarter


def claims() -> tuple[Claim, ...]:
    """Eq. 135 to 137."""
    second = r"\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\bar{\lambda}_j} = "
    expectation = (
        r"\mathbb{E}\left[\frac{\overline{\mathrm{d}h_{t,j}}}{\mathrm{d}\lambda_j}\bar{c}_j "
        r"c_i \frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i}\right]"
    )
    tail = r"\frac{\partial L_t}{\partial y_t} \bar{c}^\top \overline{" + D_H + "}"
    mixed = {"reference": REFERENCE + "mixed_entry"}
    return (
        quarter(
            135,
            "The gradient by the conjugate eigenvalues",
            r"\frac{\mathrm{d}L_t}{\mathrm{d}\bar{\lambda}} = \frac{\mathrm{d}\bar{L}_t}{"
            r"\mathrm{d}\lambda} = \overline{\frac{\mathrm{d}L_t}{\mathrm{d}\lambda}} = "
            + tail,
            r"\frac{\mathrm{d}L_t}{\mathrm{d}\bar{\lambda}} = \overline{\frac{\mathrm{d}L_t}{"
            r"\mathrm{d}\lambda}} = \frac{1}{2} " + tail,
            H.e_y * H.bar(H.c_i) * H.bar(H.s_i),
            2,
            forms.off_optimality(),
            {"reference": SAMPLES + "sample_conjugate_gradient"},
            derive=lambda: gradient().then(
                "L_t is real: conjugate", H.conjugate(gradient().result)
            ),
            code="theory.hessian.conjugate",
            note="The second expression is wrong too: conj(L) = L, so its derivative by "
            "lambda is the gradient by lambda, not by the conjugate. ",
        ),
        quarter(
            136,
            "The mixed entry as an expectation",
            second + expectation,
            second + r"\frac{1}{4}" + expectation,
            H.B_EXPR,
            4,
            forms.pairs(),
            mixed,
            derive=in_full(True),
        ),
        quarter(
            137,
            "The mixed entry of the complex Hessian",
            second + r"c_i \bar{c}_j b_i \bar{b}_j S(\lambda_i, \bar{\lambda}_j)",
            second
            + r"\frac{1}{4} c_i \bar{c}_j b_i \bar{b}_j S(\lambda_i, \bar{\lambda}_j)",
            H.B_EXPR,
            4,
            forms.pairs(),
            mixed,
            derive=in_full(True),
        ),
        Claim(
            "zucchet:text:hessian-all-components",
            f"text after Eq. 137, {EIGENVALUES}",
            Kind.TEXT,
            "Two kinds of entries give the whole complex Hessian",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\bar{\lambda}_i \mathrm{d}\bar{\lambda}_j} = "
            r"\overline{\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\lambda_j}}, "
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\bar{\lambda}_i \mathrm{d}\lambda_j} = "
            r"\overline{\frac{\mathrm{d}^2 L}{\mathrm{d}\lambda_i \mathrm{d}\bar{\lambda}_j}}",
            "evidence",
            Status.CONFIRMED,
            "theory.hessian.whole_complex",
            evidence=Evidence(
                forms.pairs()[:2],
                {
                    "reference": REFERENCE + "whole_complex",
                    "quadrature": REFERENCE + "whole_complex_by_spectrum",
                },
                form=lambda **at: H.whole_complex(at),
            ),
            note="All sixteen entries of two units from A and B and their conjugates.",
            topic="hessian",
        ),
    )
