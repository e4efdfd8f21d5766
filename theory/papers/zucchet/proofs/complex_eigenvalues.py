"""Zucchet & Orvieto (2024), Appendix B.3.2: complex eigenvalues, Eq. 80-84."""

from sympy import I, Rational, exp, sqrt

from sigprop.theory import diagonal
from sigprop.theory import parametrisation as polar
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside
from sigprop.theory.errata import Erratum
from sigprop.theory.parametrisation import S, d_nu, d_theta, nu, s
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar, theta

part = Part("Appendix B.3.2", "parametrisation", "sigprop.theory.parametrisation")

D_OMEGA = r"\frac{\mathrm{d}h_t}{\mathrm{d}\omega}"
D_NU = r"\frac{\mathrm{d}\nu}{\mathrm{d}\omega}"
D_THETA = r"\frac{\mathrm{d}\theta}{\mathrm{d}\omega}"
TURN = r"\exp(i\theta)"
CHAIN = D_OMEGA + (
    r" = \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\frac{\mathrm{d}\lambda}{\mathrm{d}"
    r"\omega} = \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\left("
)
MOMENT = (
    r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right]"
)
WHITE = Condition("|lambda| < 1, white input of unit variance", inside("nu"))
GAMMA_FIXED = Condition(
    f"{WHITE.text}; gamma held fixed in the derivatives, as the paper says",
    WHITE.holds,
)

part.row(
    "zucchet:80",
    "identity",
    "refuted",
    "The chain rule of a reparametrisation by modulus and angle",
    CHAIN + rf"\frac{{1}}{{2}}{D_NU}{TURN} + \frac{{i}}{{2}}\nu{D_THETA}"
    rf"{TURN}\right)",
    derive=polar.polar_derivative,
    printed=lambda: (
        s * (d_nu * exp(I * theta) / 2 + I / 2 * nu * d_theta * exp(I * theta))
    ),
    code="polar_derivative",
    correction=CHAIN + rf"{D_NU}{TURN} + i\nu{D_THETA}{TURN}\right)",
    note="The paper prints a factor 1/2 in both terms; it should be 1. The factor would "
    "belong to a Wirtinger derivative with respect to a complex omega, but omega is "
    "real. With the printed factors Eq. 81 contradicts Eq. 99.",
    erratum=Erratum(
        "B",
        appears_in=(
            *(
                "zucchet:141",
                "zucchet:148",
                "zucchet:149",
                "zucchet:150",
                "zucchet:151",
            ),
            "zucchet:text:hessian-cartesian-slopes",
        ),
        inherits=("zucchet:81", "zucchet:82", "zucchet:83"),
        bearing="Eq. 81 to 83 are too small by a factor of 4. The conclusions, of "
        "order Theta(1), do not depend on this factor.",
    ),
)


def _polar_moment(number: int, description: str, latex: str, derivative) -> None:
    second = rf"\mathbb{{E}}\left[\left|{D_OMEGA}\right|^2\right] = "
    part.row(
        f"zucchet:{number}",
        "moment",
        "refuted",
        f"Second moment of the sensitivity to a parameter of modulus and angle, "
        f"{description}",
        second + rf"\frac{{1}}{{4}} {MOMENT} {latex}",
        derive=polar.polar_moment,
        printed=lambda: Rational(1, 4) * S * derivative * derivative.conjugate(),
        code="polar_moment",
        correction=second + rf"{MOMENT} {latex}",
        note="The paper prints a factor 1/4; it should be 1. The printed value is a "
        "quarter of the true value at every point, because of the two halves in Eq. "
        "80. The step from the line before is right.",
        erratum=Erratum(
            "B",
            root="zucchet:80",
            bearing="No later result is affected: the text after it uses only orders "
            "of magnitude.",
        ),
    )


_polar_moment(
    81,
    "with the phase",
    rf"\left|{D_NU}{TURN} + i\nu{D_THETA}{TURN}\right|^2",
    (d_nu + I * nu * d_theta) * exp(I * theta),
)
_polar_moment(
    82,
    "without the phase",
    rf"\left|{D_NU} + i\nu{D_THETA}\right|^2",
    d_nu + I * nu * d_theta,
)
_polar_moment(
    83,
    "in two terms",
    rf"\left({D_NU}^2 + \nu^2 {D_THETA}^2\right)",
    d_nu + I * nu * d_theta,
)
part.row(
    "zucchet:text:modulus-only",
    "text",
    "refuted",
    "The sensitivity depends on the modulus alone, for two kinds of input",
    r"\rho = 0 \text{ and } \rho = 1:\quad " + MOMENT + r" = E(\nu)",
    where="text after Eq. 83",
    derive=lambda: diagonal.moment("sensitivity", "constant"),
    printed=lambda: diagonal.moment("sensitivity", "constant").result.subs(
        {lam: nu, lam_bar: nu}
    ),
    code="sigprop.neuron.stable.sensitivity_moment",
    correction=r"\rho = 0 \text{ only; } \rho = 1:\quad "
    + MOMENT
    + r" = \frac{1}{|1-\lambda|^4}",
    note="The statement is right for rho = 0 (Eq. 60) and wrong for rho = 1. At rho = "
    "1 the paper's own Eq. 61 gives 1/|1 - lam|^4, which depends on the phase. At nu "
    "= 0.9 this value falls from 10000 at phase 0 to 0.077 at phase pi. We compare "
    "the moment at rho = 1 with its value at phase zero.",
    erratum=Erratum(
        "A",
        bearing="No later result is affected: the example that follows takes rho = 0.",
    ),
)
part.row(
    "zucchet:text:phase-needs-modulus",
    "text",
    "proved",
    "The phase's parametrisation must depend on the modulus",
    rf"\nu^2 \left({D_THETA}\right)^2 E(\nu) = \Theta(1) \text{{ means "
    r"that } \theta(\omega) \text{ depends on } \nu",
    where="text after Eq. 83",
    printed=lambda: nu**2 * (1 + nu**2) / (1 - nu**2) ** 2,
    code="phase_share",
    assumes=Condition(f"{WHITE.text}; gamma = sqrt(1 - nu^2)", WHITE.holds),
    note="With the phase itself as parameter nu^2 E(nu) runs from 0 to infinity. The "
    "test uses that value.",
)
part.row(
    "zucchet:text:white-gamma",
    "text",
    "proved",
    "The normalisation for white noise",
    r"\rho = 0:\quad \gamma(\lambda) = \sqrt{1 - \nu^2}",
    where="text before Eq. 84",
    derive=polar.white_normaliser,
    printed=lambda: sqrt(1 - nu**2),
    code="sigprop.neuron.ring.normalisation",
    assumes=WHITE,
)
part.row(
    "zucchet:84",
    "moment",
    "proved",
    "Second moment of the normalised sensitivity under white noise",
    r"E(\nu) = \gamma(\lambda)^2 \frac{1+\nu^2}{(1-\nu^2)^3} = \frac{1+\nu^2}{"
    r"(1-\nu^2)^2}",
    derive=polar.white_sensitivity,
    printed=lambda: (1 + nu**2) / (1 - nu**2) ** 2,
    code="white_sensitivity",
    assumes=GAMMA_FIXED,
    note="Normalisation alone lowers the divergence from the third to the second "
    "power of the gap 1 - |lambda|. The parametrisation has to remove the rest.",
)
part.row(
    "zucchet:text:tanh",
    "text",
    "proved",
    "The hyperbolic tangent makes the modulus's sensitivity uniform",
    r"\nu = \tanh(\omega_\nu) \text{ solves } \nu' = \Theta(1 - \nu^2),\ \left("
    r"\frac{\mathrm{d}\nu}{\mathrm{d}\omega_\nu}\right)^2 E(\nu) = \Theta(1)",
    where="text after Eq. 84",
    derive=polar.modulus_share,
    printed=lambda: 1 + nu**2,
    code="modulus_share",
    assumes=GAMMA_FIXED,
    note="nu' is 1 - nu^2 exactly, and the product is 1 + nu^2, between 1 and 2.",
)
part.row(
    "zucchet:text:scaled-phase",
    "text",
    "proved",
    "The rescaled phase makes the phase's sensitivity uniform for |lambda| -> 1",
    r"\theta = \text{stop\_gradient}(1 - \nu^2)\, \omega_\theta \text{ solves } "
    r"\mathrm{d}_\omega\theta = \Theta(1 - \nu^2)",
    where="text after Eq. 84",
    derive=polar.phase_share,
    printed=lambda: nu**2 * (1 + nu**2),
    code="phase_share",
    assumes=GAMMA_FIXED,
    note="With the ignored nu^2 the product is nu^2 (1 + nu^2): of order one for "
    "|lambda| -> 1, zero at the origin. The stop-gradient is no convenience: no "
    "function of two parameters has these derivatives, so that what is trained is not "
    "the gradient of a reparametrised loss. Nor do any coordinates make E |dlam|^2 "
    "the identity everywhere, since its logarithm is not harmonic.",
)
