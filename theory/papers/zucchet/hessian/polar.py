"""Zucchet & Orvieto (2024), Appendix C.2.3: Hessian in modulus and angle, Eq. 148-155."""

from sympy import Expr, I, Symbol, exp

from sigprop.theory import hessian as H
from sigprop.theory.derivation import start
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix C.2.3", "hessian", "sigprop.theory.hessian")

D_NU = r"\nu'(\omega_{\nu})"
D_THETA = r"i\nu(\omega_{\nu})\theta'(\omega_{\theta})"
TURN = r"\exp(i\theta(\omega_{\theta}))"
TURN_BACK = r"\exp(-i\theta(\omega_{\theta}))"


def derivative_row(
    number: int, of: str, by: str, sign: str, top: str, form: Expr
) -> None:
    """Add a row on a derivative of the eigenvalue or its conjugate, printed with a half."""
    left = rf"\frac{{\mathrm{{d}}{of}}}{{\mathrm{{d}}\omega_{{{by}}}}} = {sign}"
    barred, by_nu = "bar" in of, by == r"\nu"

    def derived() -> Expr:
        derivative = H.polar("i")[0 if by_nu else 1]
        return H.conjugate(derivative) if barred else derivative

    part.row(
        f"zucchet:{number}",
        "identity",
        "refuted",
        f"Derivative of the {'conjugate ' if barred else ''}eigenvalue with respect to the "
        f"{'magnitude' if by_nu else 'angle'}'s parameter",
        rf"{left}\frac{{{top}}}{{2}}",
        derive=lambda: start("Differentiate lambda = nu exp(i theta):", derived()),
        printed=lambda: form / 2,
        code="polar",
        correction=left + top,
        corrected=lambda: form,
        note="The paper prints a factor 1/2; it should be 1, because the parameter is "
        "real. The printed factor cancels the quarter that Eq. 138 lacks, so both "
        "must be corrected together.",
        erratum=Erratum(
            "B",
            root="zucchet:80",
            bearing="No later result is affected: Eq. 152-155 have the right factor.",
        ),
    )


turn, spun = exp(I * H.theta_i), H.nu_i * H.dtheta_i
lam, lam_bar = r"\lambda", r"\bar{\lambda}"
derivative_row(148, lam, r"\nu", "", D_NU + TURN, H.dnu_i * turn)
derivative_row(149, lam_bar, r"\nu", "", D_NU + TURN_BACK, H.dnu_i / turn)
derivative_row(150, lam, r"\theta", "", D_THETA + TURN, I * spun * turn)
derivative_row(151, lam_bar, r"\theta", "-", D_THETA + TURN_BACK, -I * spun / turn)

NU_I, NU_J = r"\nu(\omega_{\nu,i})", r"\nu(\omega_{\nu,j})"
DNU_I, DNU_J = r"\nu'(\omega_{\nu,i})", r"\nu'(\omega_{\nu,j})"
DTHETA_I, DTHETA_J = r"\theta'(\omega_{\theta,i})", r"\theta'(\omega_{\theta,j})"
SUM = r"\mathrm{e}^{i(\theta(\omega_{\theta,i})+\theta(\omega_{\theta,j}))}"
GAP = r"\mathrm{e}^{i(\theta(\omega_{\theta,i})-\theta(\omega_{\theta,j}))}"
ASSUMES = "at optimality; theta depends on omega_theta alone, nu on omega_nu alone"


def entry(first: str, second: str, scale: str, part_of: str) -> str:
    """Return an entry as half of ``scale`` times the real or imaginary part of a form."""
    return (
        rf"\frac{{\mathrm{{d}}^2 L}}{{\mathrm{{d}}\omega_{{{first}}}\,\mathrm{{d}}"
        rf"\omega_{{{second}}}}} = \frac{{{scale}}}{{2}}{part_of}"
    )


nu_of_theta_i, nu_of_theta_j = Symbol("nu_of_theta_i"), Symbol("nu_of_theta_j")
turned_A = exp(I * (H.theta_i + H.theta_j)) * H.A_ij
turned_B = exp(I * (H.theta_i - H.theta_j)) * H.B_ij
back_A = exp(I * (H.theta_i - H.theta_j)) * H.A_ij

part.row(
    "zucchet:152",
    "identity",
    "proved",
    "The Hessian's entry (magnitude, magnitude)",
    entry(
        r"\nu,i",
        r"\nu,j",
        DNU_I + DNU_J,
        rf"\mathrm{{Re}}[{SUM}A_{{ij}} + {GAP}B_{{ij}}]",
    ),
    derive=lambda: H.entry(H.polar("i")[0], H.polar("j")[0]),
    printed=lambda: H.dnu_i * H.dnu_j / 2 * H.real_part(turned_A + turned_B),
    code="real_block",
    assumes=ASSUMES,
)

part.row(
    "zucchet:153",
    "identity",
    "proved",
    "The Hessian's entry (magnitude, angle)",
    entry(
        r"\nu,i",
        r"\theta,j",
        DNU_I + NU_J + DTHETA_J,
        rf"\mathrm{{Im}}[-{SUM}A_{{ij}} + {GAP}B_{{ij}}]",
    ),
    derive=lambda: H.entry(H.polar("i")[0], H.polar("j")[1]),
    printed=lambda: (
        H.dnu_i * H.nu_j * H.dtheta_j / 2 * H.imaginary_part(-turned_A + turned_B)
    ),
    code="real_block",
    assumes=ASSUMES,
)

part.row(
    "zucchet:154",
    "identity",
    "refuted",
    "The Hessian's entry (angle, magnitude)",
    entry(
        r"\theta,i",
        r"\nu,i",
        NU_I + DTHETA_I + DNU_J,
        rf"\mathrm{{Im}}[-{GAP}A_{{ij}} + {GAP}B_{{ij}}]",
    ),
    derive=lambda: H.entry(H.polar("i")[1], H.polar("j")[0]),
    printed=lambda: (
        H.nu_i * H.dtheta_i * H.dnu_j / 2 * H.imaginary_part(-back_A + turned_B)
    ),
    code="real_block",
    correction=entry(
        r"\theta,i",
        r"\nu,j",
        NU_I + DTHETA_I + DNU_J,
        rf"\mathrm{{Im}}[-{SUM}A_{{ij}} - {GAP}B_{{ij}}]",
    ),
    corrected=lambda: (
        H.nu_i * H.dtheta_i * H.dnu_j / 2 * H.imaginary_part(-turned_A - turned_B)
    ),
    assumes=ASSUMES,
    note="The paper has three misprints. In the right formula the exponent at A is "
    "the sum of the angles, the sign of B is minus, and the second parameter belongs "
    "to unit j. Eq. 143 gives the same entry correctly, in real and imaginary parts. "
    "With the printed form the real Hessian is not symmetric.",
    erratum=Erratum(
        "A",
        bearing="No later result is affected. Eq. 153, the transposed entry, is "
        "right, and Figure 10 uses Eq. 143.",
    ),
)


def eq_155(nu_i: Expr, nu_j: Expr) -> Expr:
    """Return Eq. 155, printed or corrected, which differ in ``nu_i`` and ``nu_j``."""
    scale = nu_i * nu_j * H.dtheta_i * H.dtheta_j / 2
    return scale * H.real_part(-turned_A + turned_B)


RIGHT_155 = rf"\mathrm{{Re}}[-{SUM}A_{{ij}} + {GAP}B_{{ij}}]"
part.row(
    "zucchet:155",
    "identity",
    "refuted",
    "The Hessian's entry (angle, angle)",
    entry(
        r"\theta,i",
        r"\theta,j",
        rf"\nu(\omega_{{\theta,i}}){DTHETA_I}\nu(\omega_{{\theta,j}}){DTHETA_J}",
        RIGHT_155,
    ),
    derive=lambda: H.entry(H.polar("i")[1], H.polar("j")[1]),
    printed=lambda: eq_155(nu_of_theta_i, nu_of_theta_j),
    code="real_block",
    correction=entry(
        r"\theta,i", r"\theta,j", NU_I + DTHETA_I + NU_J + DTHETA_J, RIGHT_155
    ),
    corrected=lambda: eq_155(H.nu_i, H.nu_j),
    assumes=ASSUMES,
    note="The paper prints nu(omega_theta); it should be nu(omega_nu). With the right "
    "argument the entry holds.",
    erratum=Erratum(
        "C", bearing="No later result is affected: Eq. 155 is the last line."
    ),
)
