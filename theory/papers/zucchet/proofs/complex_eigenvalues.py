"""Zucchet & Orvieto (2024), Appendix B.3.2: complex eigenvalues, Eq. 80-84."""

import cmath
import math

from sympy import I, Rational, exp, sqrt

from theory import diagonal
from theory import parametrisation as polar
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.proofs import sequences
from theory.papers.zucchet.proofs.real_eigenvalues import (
    D_OMEGA,
    EIGEN,
    HELD,
    PARAMETERS,
    row,
)
from theory.parametrisation import S, d_nu, d_theta, nu, s
from theory.symbols import lam, lam_bar, theta

B32 = "Appendix B.3.2"
RADII = tuple({"nu": value} for value in (0.2, 0.55, 0.8, 0.9))
SECOND = rf"\mathbb{{E}}\left[\left|{D_OMEGA}\right|^2\right] = "
MOMENT = (
    r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right]"
)
WHITE = "|lambda| < 1, white input of unit variance"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_polar(), *_white())


def _polar_point(omega: float) -> dict:
    """The path ``tanh(omega) exp(i (0.3 + omega^2))``, which the routes follow."""
    radius, angle = math.tanh(omega), 0.3 + omega**2
    eigenvalue = radius * cmath.exp(1j * angle)
    return {
        "omega": omega,
        "x": sequences.COMPLEX_INPUT,
        "nu": radius,
        "theta": angle,
        "d_nu": 1 - radius**2,
        "d_theta": 2 * omega,
        "s": sequences.sensitivity(eigenvalue, sequences.COMPLEX_INPUT),
        "S": (1 + radius**2) / (1 - radius**2) ** 3,
    }


def _halved():
    return s * (d_nu * exp(I * theta) / 2 + I / 2 * nu * d_theta * exp(I * theta))


def _quarter(slope):
    """A quarter of ``S`` times the square of a slope of the eigenvalue."""
    return lambda: Rational(1, 4) * S * slope() * slope().conjugate()


def _polar() -> tuple[Claim, ...]:
    nu_slope = r"\frac{\mathrm{d}\nu}{\mathrm{d}\omega}"
    theta_slope = r"\frac{\mathrm{d}\theta}{\mathrm{d}\omega}"
    turn = r"\exp(i\theta)"
    points = tuple(_polar_point(omega) for omega in (0.3, 0.55, 0.8))
    modulus = rf"{nu_slope}^2 + \nu^2 {theta_slope}^2"
    chain = D_OMEGA + (
        r" = \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\frac{\mathrm{d}\lambda}{\mathrm{d}"
        r"\omega} = \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\left("
    )
    steps = (
        (81, rf"\left|{nu_slope}{turn} + i\nu{theta_slope}{turn}\right|^2",
         lambda: (d_nu + I * nu * d_theta) * exp(I * theta), "with the phase"),
        (82, rf"\left|{nu_slope} + i\nu{theta_slope}\right|^2",
         lambda: d_nu + I * nu * d_theta, "without the phase"),
        (83, rf"\left({modulus}\right)", lambda: d_nu + I * nu * d_theta, "in parts"),
    )  # fmt: skip
    return (
        row(
            80,
            B32,
            Kind.IDENTITY,
            "The chain rule of a polar reparametrisation",
            chain
            + rf"\frac{{1}}{{2}}{nu_slope}{turn} + \frac{{i}}{{2}}\nu{theta_slope}"
            rf"{turn}\right)",
            Status.REFUTED,
            "theory.parametrisation.polar_slope",
            Evidence(
                points,
                {
                    "autodiff": PARAMETERS + "polar_slope",
                    "reference": PARAMETERS + "polar_slope_contour",
                },
            ),
            derive=polar.polar_slope,
            printed=_halved,
            correction=chain + rf"{nu_slope}{turn} + i\nu{theta_slope}{turn}\right)",
            note="For a real parameter dlam/domega is without the halves; the printed "
            "value is half the true one. The halves are those of a Wirtinger derivative "
            "by a complexified parameter, a convention under which Eq. 79 would have one "
            "too, and the middle term of Eq. 80 as well.",
            inherits="Yes: Eq. 81, 82 and 83 are too small by a factor of four. The "
            "conclusions on the form of the parametrisation do not depend on it.",
        ),
        *(
            row(
                number,
                B32,
                Kind.MOMENT,
                f"Second moment of the sensitivity to a polar parameter, {words}",
                SECOND + rf"\frac{{1}}{{4}} {MOMENT} {latex}",
                Status.REFUTED,
                "theory.parametrisation.polar_moment",
                Evidence(
                    points,
                    {
                        "reference": PARAMETERS + "polar_moment",
                        "autodiff": PARAMETERS + "polar_moment_autodiff",
                    },
                ),
                derive=polar.polar_moment,
                printed=_quarter(slope),
                correction=SECOND + rf"{MOMENT} {latex}",
                note="The quarter comes from the halves of Eq. 80: the printed value is "
                "a quarter of the true one at every point. The step from the line before "
                "is right.",
                inherits="No: only orders of magnitude are used after it.",
            )
            for number, latex, slope, words in steps
        ),
        row(
            "text:modulus-only",
            f"text after Eq. 83, {B32}",
            Kind.TEXT,
            "When the sensitivity depends on the modulus alone",
            r"\rho = 0 \text{ and } \rho = 1:\quad " + MOMENT + r" = E(\nu)",
            Status.REFUTED,
            "sigprop.neuron.stable.sensitivity_moment",
            Evidence(
                tuple({"lam": z, "nu": abs(z)} for z in (*EIGEN, -0.6)),
                {
                    "reference": PARAMETERS + "constant_sensitivity",
                    "impulse": PARAMETERS + "constant_sensitivity_impulse",
                },
            ),
            derive=lambda: diagonal.moment("sensitivity", "constant"),
            printed=lambda: diagonal.moment("sensitivity", "constant").result.subs(
                {lam: nu, lam_bar: nu}
            ),
            correction=r"\rho = 0 \text{ only; } \rho = 1:\quad "
            + MOMENT
            + r" = \frac{1}{|1-\lambda|^4}",
            note="At rho = 1 the paper's own Eq. 61 has 1/|1 - lam|^4, which depends on "
            "the phase: at nu = 0.9 it falls from 10000 at phase 0 to 0.077 at phase pi. "
            "Judged at rho = 1, against its value at phase zero; rho = 0 is Eq. 60.",
            inherits="No: the example that follows takes rho = 0.",
        ),
        row(
            "text:phase-needs-modulus",
            f"text after Eq. 83, {B32}",
            Kind.TEXT,
            "The phase's parametrisation must depend on the modulus",
            r"\nu^2 \left("
            + theta_slope
            + r"\right)^2 E(\nu) = \Theta(1) \text{ means "
            r"that } \theta(\omega) \text{ depends on } \nu",
            Status.PROVED,
            "theory.parametrisation.phase_share",
            Evidence(
                RADII,
                {
                    "autodiff": PARAMETERS + "plain_phase_share",
                    "reference": PARAMETERS + "plain_phase_share_sum",
                },
                proof=polar.phase_share_is_unbounded,
            ),
            printed=lambda: nu**2 * (1 + nu**2) / (1 - nu**2) ** 2,
            assumes=WHITE + "; gamma = sqrt(1 - nu^2)",
            note="With the phase itself as parameter nu^2 E(nu) runs from 0 to infinity. "
            "Judged on that value.",
        ),
    )


def _white() -> tuple[Claim, ...]:
    held = WHITE + "; " + HELD
    return (
        row(
            "text:white-gamma",
            f"text before Eq. 84, {B32}",
            Kind.TEXT,
            "The normalisation for white noise",
            r"\rho = 0:\quad \gamma(\lambda) = \sqrt{1 - \nu^2}",
            Status.PROVED,
            "sigprop.neuron.ring.normalisation",
            Evidence(
                RADII,
                {
                    "reference": PARAMETERS + "white_factor",
                    "impulse": PARAMETERS + "white_factor_impulse",
                },
            ),
            derive=polar.white_normaliser,
            printed=lambda: sqrt(1 - nu**2),
            assumes=WHITE,
        ),
        row(
            84,
            B32,
            Kind.MOMENT,
            "Second moment of the normalised sensitivity under white noise",
            r"E(\nu) = \gamma(\lambda)^2 \frac{1+\nu^2}{(1-\nu^2)^3} = \frac{1+\nu^2}{"
            r"(1-\nu^2)^2}",
            Status.PROVED,
            "theory.parametrisation.white_sensitivity",
            Evidence(
                RADII,
                {
                    "autodiff": PARAMETERS + "white_sensitivity",
                    "reference": PARAMETERS + "white_sensitivity_sum",
                },
            ),
            derive=polar.white_sensitivity,
            printed=lambda: (1 + nu**2) / (1 - nu**2) ** 2,
            assumes=held,
            note="Normalisation alone lowers the divergence from the third to the second "
            "power of the gap; the parametrisation has to do the rest.",
        ),
        row(
            "text:tanh",
            f"text after Eq. 84, {B32}",
            Kind.TEXT,
            "The hyperbolic tangent makes the modulus's sensitivity uniform",
            r"\nu = \tanh(\omega_\nu) \text{ solves } \nu' = \Theta(1 - \nu^2),\ \left("
            r"\frac{\mathrm{d}\nu}{\mathrm{d}\omega_\nu}\right)^2 E(\nu) = \Theta(1)",
            Status.PROVED,
            "theory.parametrisation.modulus_share",
            Evidence(
                RADII,
                {
                    "autodiff": PARAMETERS + "modulus_share",
                    "reference": PARAMETERS + "modulus_share_sum",
                },
            ),
            derive=polar.modulus_share,
            printed=lambda: 1 + nu**2,
            assumes=held,
            note="nu' is 1 - nu^2 exactly, and the product is 1 + nu^2, between 1 and 2.",
        ),
        row(
            "text:scaled-phase",
            f"text after Eq. 84, {B32}",
            Kind.TEXT,
            "The rescaled phase makes the phase's sensitivity uniform near the edge",
            r"\theta = \text{stop\_gradient}(1 - \nu^2)\, \omega_\theta \text{ solves } "
            r"\mathrm{d}_\omega\theta = \Theta(1 - \nu^2)",
            Status.PROVED,
            "theory.parametrisation.phase_share",
            Evidence(
                RADII,
                {
                    "autodiff": PARAMETERS + "phase_share",
                    "reference": PARAMETERS + "phase_share_sum",
                },
                proof=lambda: (
                    polar.no_path_has_that_phase() and polar.no_flat_coordinates()
                ),
            ),
            derive=polar.phase_share,
            printed=lambda: nu**2 * (1 + nu**2),
            assumes=held,
            note="With the ignored nu^2 the product is nu^2 (1 + nu^2): of order one at "
            "the edge, zero at the origin. The stop-gradient is no convenience: no "
            "function of two parameters has these slopes, so that what is trained is not "
            "the gradient of a reparametrised loss. Nor do any coordinates make E |dlam|^2 "
            "the identity everywhere, since its logarithm is not harmonic.",
        ),
    )
