"""Zucchet & Orvieto (2024), Appendix C.2.3: the Hessian in polar form, Eq. 148-155."""

from collections.abc import Callable
from typing import Any

from sympy import Expr, I, Symbol, exp

from theory import hessian as H
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REAL, REFERENCE

HALVED = (
    "The derivative itself has no half; the chain rule has it if d/dlambda stands for "
    "twice Wirtinger's derivative, as in Eq. 122-138. The two slips cancel."
)
nu_of_theta_i, nu_of_theta_j = Symbol("nu_of_theta_i"), Symbol("nu_of_theta_j")
NU_I, NU_J = r"\nu(\omega_{\nu,i})", r"\nu(\omega_{\nu,j})"
DNU_I, DNU_J = r"\nu'(\omega_{\nu,i})", r"\nu'(\omega_{\nu,j})"
DTHETA_I, DTHETA_J = r"\theta'(\omega_{\theta,i})", r"\theta'(\omega_{\theta,j})"
SUM = r"\mathrm{e}^{i(\theta(\omega_{\theta,i})+\theta(\omega_{\theta,j}))}"
GAP = r"\mathrm{e}^{i(\theta(\omega_{\theta,i})-\theta(\omega_{\theta,j}))}"


def claims() -> tuple[Claim, ...]:
    """Eq. 148 to 155."""
    return (*_slopes(), *_entries())


def _slopes() -> tuple[Claim, ...]:
    by_nu, by_theta = H.polar("i")
    turned = exp(-I * H.theta_i)

    def row(
        number: int,
        of: str,
        by: str,
        value: tuple[str, str],
        form: Expr,
        derived: Expr,
        route: str,
    ) -> Claim:
        left = rf"\frac{{\mathrm{{d}}{of}}}{{\mathrm{{d}}\omega_{{{by}}}}} = "
        sign, top = value
        return Claim(
            f"zucchet:{number}",
            f"Eq. {number}, {REAL}",
            Kind.IDENTITY,
            f"Derivative of the {'conjugate ' if 'bar' in of else ''}eigenvalue by the "
            f"{'magnitude' if by == chr(92) + 'nu' else 'angle'}'s parameter",
            rf"{left}{sign}\frac{{{top}}}{{2}}",
            "evidence",
            Status.REFUTED,
            "theory.hessian.polar",
            derive=lambda: start("lambda = nu exp(i theta), differentiated", derived),
            printed=lambda: form / 2,
            corrected=lambda: form,
            correction=f"{left}{sign}{top}",
            evidence=Evidence(forms.charted(), {"reference": REFERENCE + route}),
            note=HALVED,
            inherits="none: Eq. 152-155 hold the right factor",
            topic="hessian",
        )

    plus, minus = r"\exp(i\theta(\omega_{\theta}))", r"\exp(-i\theta(\omega_{\theta}))"
    d_nu = r"\nu'(\omega_{\nu})"
    d_theta = r"i\nu(\omega_{\nu})\theta'(\omega_{\theta})"
    spun = H.nu_i * H.dtheta_i
    return (
        row(
            148,
            r"\lambda",
            r"\nu",
            ("", d_nu + plus),
            H.dnu_i * exp(I * H.theta_i),
            by_nu,
            "lru_slope_nu",
        ),
        row(
            149,
            r"\bar{\lambda}",
            r"\nu",
            ("", d_nu + minus),
            H.dnu_i * turned,
            H.conjugate(by_nu),
            "lru_conjugate_slope_nu",
        ),
        row(
            150,
            r"\lambda",
            r"\theta",
            ("", d_theta + plus),
            I * spun * exp(I * H.theta_i),
            by_theta,
            "lru_slope_theta",
        ),
        row(
            151,
            r"\bar{\lambda}",
            r"\theta",
            ("-", d_theta + minus),
            -I * spun * turned,
            H.conjugate(by_theta),
            "lru_conjugate_slope_theta",
        ),
    )


def _derive(row: int, column: int) -> Callable[[], Derivation]:
    return lambda: H.entry(H.polar("i")[row], H.polar("j")[column])


def _entry(
    number: int,
    title: str,
    first: str,
    second: str,
    scale: str,
    part: str,
    printed: Expr,
    route: str,
    place: tuple[int, int],
    **more: Any,
) -> Claim:
    left = (
        rf"\frac{{\mathrm{{d}}^2 L}}{{\mathrm{{d}}\omega_{{{first}}}\,\mathrm{{d}}"
        rf"\omega_{{{second}}}}} = "
    )
    return Claim(
        f"zucchet:{number}",
        f"Eq. {number}, {REAL}",
        Kind.IDENTITY,
        title,
        rf"{left}\frac{{{scale}}}{{2}}{part}",
        "evidence",
        more.pop("expected", Status.PROVED),
        "theory.hessian.real_block",
        derive=_derive(*place),
        printed=lambda: printed,
        evidence=Evidence(
            forms.charted(),
            {
                "reference": REFERENCE + route,
                "sensitivities": REFERENCE + route + "_of_sensitivities",
            },
        ),
        assumes="theta depends on omega_theta alone, nu on omega_nu alone",
        topic="hessian",
        **more,
    )


def _part(kind: Callable[[Expr], Expr], signs: tuple[int, int], turns: tuple[int, int]):
    """``Re`` or ``Im`` of ``+-e A_ij +- e B_ij``."""
    return kind(
        signs[0] * forms.turn(turns[0]) * H.A_ij
        + signs[1] * forms.turn(turns[1]) * H.B_ij
    )


def _entries() -> tuple[Claim, ...]:
    re, im = H.real_part, H.imaginary_part
    right = (1, -1)
    mixed = H.dnu_i * H.nu_j * H.dtheta_j / 2
    turned = H.nu_i * H.dtheta_i * H.dnu_j / 2
    slopes = H.dtheta_i * H.dtheta_j / 2
    both = _part(re, (-1, 1), right)
    scale_154 = f"{NU_I}{DTHETA_I}{DNU_J}"
    scale_155 = f"{NU_I}{DTHETA_I}{NU_J}{DTHETA_J}"
    part_155 = rf"\mathrm{{Re}}[-{SUM}A_{{ij}} + {GAP}B_{{ij}}]"

    return (
        _entry(
            152,
            "The entry (magnitude, magnitude)",
            r"\nu,i",
            r"\nu,j",
            DNU_I + DNU_J,
            rf"\mathrm{{Re}}[{SUM}A_{{ij}} + {GAP}B_{{ij}}]",
            H.dnu_i * H.dnu_j / 2 * _part(re, (1, 1), right),
            "lru_nu_nu",
            (0, 0),
        ),
        _entry(
            153,
            "The entry (magnitude, angle)",
            r"\nu,i",
            r"\theta,j",
            DNU_I + NU_J + DTHETA_J,
            rf"\mathrm{{Im}}[-{SUM}A_{{ij}} + {GAP}B_{{ij}}]",
            mixed * _part(im, (-1, 1), right),
            "lru_nu_theta",
            (0, 1),
        ),
        _entry(
            154,
            "The entry (angle, magnitude)",
            r"\theta,i",
            r"\nu,i",
            scale_154,
            rf"\mathrm{{Im}}[-{GAP}A_{{ij}} + {GAP}B_{{ij}}]",
            turned * _part(im, (-1, 1), (-1, -1)),
            "lru_theta_nu",
            (1, 0),
            expected=Status.REFUTED,
            corrected=lambda: turned * _part(im, (-1, -1), right),
            correction=r"\frac{\mathrm{d}^2 L}{\mathrm{d}\omega_{\theta,i}\,\mathrm{d}"
            rf"\omega_{{\nu,j}}}} = \frac{{{scale_154}}}{{2}}\mathrm{{Im}}[-{SUM}A_{{ij}} - "
            rf"{GAP}B_{{ij}}]",
            note="Three slips: the exponent at A is the sum of the angles, the sign of B is "
            "minus, and the second parameter is unit j's. Eq. 143 has the same entry right "
            "in (re, im). With the printed form the real Hessian is not symmetric.",
            inherits="none",
        ),
        _entry(
            155,
            "The entry (angle, angle)",
            r"\theta,i",
            r"\theta,j",
            r"\nu(\omega_{\theta,i})" + DTHETA_I + r"\nu(\omega_{\theta,j})" + DTHETA_J,
            part_155,
            nu_of_theta_i * nu_of_theta_j * slopes * both,
            "lru_theta_theta",
            (1, 1),
            expected=Status.REFUTED,
            corrected=lambda: H.nu_i * H.nu_j * slopes * both,
            correction=r"\frac{\mathrm{d}^2 L}{\mathrm{d}\omega_{\theta,i}\,\mathrm{d}"
            rf"\omega_{{\theta,j}}}} = \frac{{{scale_155}}}{{2}}{part_155}",
            note="A misprint: nu is a function of omega_nu, printed of omega_theta. With "
            "the right argument the entry holds.",
            inherits="none",
        ),
    )
