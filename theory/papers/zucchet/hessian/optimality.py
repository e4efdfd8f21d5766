"""Zucchet & Orvieto (2024), Appendix C.2: the Hessian at optimality, Eq. 113-115."""

from itertools import product
from typing import Any

from sympy import Expr, Symbol

from theory import hessian as H
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REFERENCE, SAMPLES, SECTION

u, v = Symbol("u"), Symbol("v")  # derivatives of lambda by two real parameters
t_i = Symbol("t_i")  # one sample of d^2 h_i / dlambda_i^2


def claims() -> tuple[Claim, ...]:
    """Eq. 113 to 115 and the sentences after them."""
    return (*_model(), *_hessian())


def _model() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:113",
            f"Eq. 113, {SECTION}",
            Kind.DEFINITION,
            "The complex diagonal recurrence",
            r"h_{t+1} = \lambda \odot h_t + bx_t",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.complex_diagonal.ComplexDiagonal",
            evidence=Evidence(
                forms.off_optimality()[:2],
                {
                    "reference": SAMPLES + "state_by_powers",
                    "impulse": SAMPLES + "state_by_scan",
                },
                form=lambda h_i, **_: h_i,
            ),
            note="Here h_{t+1} sees x_t; in Eq. 10 and in the one-dimensional case it "
            "sees x_{t+1}. One step of delay changes no stationary moment, and the "
            "weights n lambda^(n-1) of x_{-n} in Eq. 130 are those of Eq. 10.",
            topic="hessian",
        ),
        Claim(
            "zucchet:114",
            f"Eq. 114, {SECTION}",
            Kind.DEFINITION,
            "A real output of complex states",
            r"y_t = \operatorname{Re}[c^\top h_t] + dx_t",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.complex_diagonal.ComplexDiagonal",
            evidence=Evidence(
                forms.off_optimality()[:2],
                {
                    "reference": SAMPLES + "output_by_powers",
                    "impulse": SAMPLES + "output_by_layer",
                },
                form=lambda e_y, target, x, **_: e_y + target + 0.6 * x[-1],
            ),
            note="The real part is what halves every derivative by lambda; Eq. 122-137 "
            "lose that half. Judged with d = 0.6.",
            topic="hessian",
        ),
    )


def _sample_hessian() -> Expr:
    """Gauss-Newton and curvature terms of one sample, in two real directions."""
    slopes = H.real_part(H.c_i * H.s_i * u) * H.real_part(H.c_i * H.s_i * v)
    return slopes + H.e_y * H.real_part(H.c_i * t_i * u * v)


def _directions(
    points: tuple[dict[str, Any], ...],
) -> tuple[dict[str, Any], ...]:
    """Every point in two directions of the plane of lambda."""
    return tuple({**at, "u": 0.8 - 0.3j, "v": -0.5 + 1.1j} for at in points)


def _readout_points() -> tuple[dict[str, Any], ...]:
    """The parameter is the readout: no state depends on it."""
    still = {"s_i": 0.0, "t_i": 0.0, "readout": True}
    return tuple({**at, **still} for at in _directions(forms.off_optimality())[:2])


def _hessian() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:115",
            f"Eq. 115, {SECTION}",
            Kind.IDENTITY,
            "The Hessian of the loss by the chain rule",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x \left["
            r"\frac{\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 L_t}{\partial h_t^2}"
            r" \frac{\mathrm{d}h_t}{\mathrm{d}\theta}^\top + \frac{\partial L_t}{\partial "
            r"h_t} \frac{\mathrm{d}^2 h_t}{\mathrm{d}\theta^2} \right]",
            "evidence",
            Status.CONDITIONAL,
            "theory.hessian.real_block",
            printed=_sample_hessian,
            assumes="theta is real; a complex state counts as its two real coordinates",
            condition=Condition(
                "theta enters the loss through the states alone",
                lambda readout=False, **_: not readout,
            ),
            evidence=Evidence(
                _directions(forms.off_optimality()) + _readout_points(),
                {
                    "reference": SAMPLES + "sample_directions",
                    "matrices": SAMPLES + "sample_directions_by_matrices",
                },
            ),
            note="Enough for the recurrent parameters. For the readout c and the skip d, "
            "which are parameters of the networks of Figure 4 too, dh/dtheta = 0 and the "
            "right side is nought while the Hessian is E[(Re h)^2]. Judged sample by "
            "sample, off optimality.",
            topic="hessian",
        ),
        Claim(
            "zucchet:text:hessian-one-term",
            f"text after Eq. 11, Section 4.3, and after Eq. 115, {SECTION}",
            Kind.TEXT,
            "At optimality only the product of first derivatives remains",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \mathbb{E}\left[\frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\theta}\frac{\partial^2 L_t}{\partial h_t^2}\frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\theta}^\top\right] \text{ where } \frac{\partial "
            r"L_t}{\partial h_t} = 0 \text{ for all data}",
            "evidence",
            Status.CONFIRMED,
            "theory.hessian.real_block",
            evidence=Evidence(
                tuple({**at, "chart": chart} for at in forms.pairs() + forms.singles()
                      for chart in ("cartesian", "lru")),
                {
                    "reference": REFERENCE + "difference_block",
                    "closed_form": lambda **at: _closed_block(**at),
                },
                form=REFERENCE + "gauss_newton_block",
            ),
            note="Differences of the exact loss, with all its terms, equal the covariance "
            "of the first derivatives of the output.",
            topic="hessian",
        ),
        _most_sensitive(),
    )  # fmt: skip


def _closed_block(chart: str, **at: Any) -> list[list[complex]]:
    """The real block from ``S`` and the chain rule."""
    if chart == "cartesian":
        return H.block_value(H.CARTESIAN, H.CARTESIAN, at)
    return H.block_value(H.polar("i"), H.polar("j"), forms.with_charts(at))


def _most_sensitive() -> Claim:
    pairs = (
        *product((0.5 + 0.4j, -0.7j, 0.72), (0.51, 0.8 - 0.9j)),
        (0.5 + 0.4j, 0.3),
    )
    points = tuple({"lam": lam, "b_i": b, "c_i": 0.7 - 0.4j} for lam, b in pairs)
    return Claim(
        "zucchet:text:hessian-most-sensitive",
        f"text after Eq. 115, {SECTION}",
        Kind.TEXT,
        "The recurrent parameters are the most sensitive ones",
        r"\operatorname{Tr} H_{\lambda} > \operatorname{Tr} H_{b}",
        "evidence",
        Status.CONDITIONAL,
        "theory.hessian.pair",
        assumes="white input",
        condition=Condition(
            "|b|^2 (1+|lambda|^2) > (1-|lambda|^2)^2, so always in the limit of long "
            "memories at fixed b",
            lambda lam, b_i, **_: (
                abs(b_i) ** 2 * (1 + abs(lam) ** 2) > (1 - abs(lam) ** 2) ** 2
            ),
        ),
        evidence=Evidence(
            points,
            {
                "reference": REFERENCE + "trace_by_lambda",
                "closed_form": lambda lam, b_i, c_i: (
                    abs(b_i * c_i) ** 2
                    * H.similarity(lam, complex(lam).conjugate()).real
                ),
            },
            form=REFERENCE + "trace_by_b",
            relation=">",
            slips={
                "a tenth more": lambda lam, c_i, **_: (
                    1.1 * abs(c_i) ** 2 / (1 - abs(lam) ** 2)
                )
            },
        ),
        note="Compared are the traces of the diagonal blocks of one unit by (re, im) of "
        "lambda and of b. With the normalisation |b|^2 = 1 - |lambda|^2 it always holds.",
        topic="hessian",
    )
