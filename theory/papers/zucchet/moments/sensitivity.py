"""Zucchet & Orvieto (2024), Appendix B.2.2: the sensitivity, Eq. 49, 53-61."""

from math import pi

from sympy import diff

from theory import diagonal
from theory.autocorrelation import double_sum
from theory.claims import Claim, Condition, Kind, Status
from theory.papers import grids
from theory.papers.zucchet import forms
from theory.papers.zucchet.conditions import has_power
from theory.symbols import alpha, beta, lam, lam_bar, n

SECTION = "Appendix B.2.2"
D_H = r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right]"


def claims() -> tuple[Claim, ...]:
    """Eq. 49 to 61 and the sentence after them."""

    def sensitivity(claim_id, locator, title, latex, printed, **more):
        return Claim(
            claim_id,
            f"{locator}, {SECTION}",
            Kind.MOMENT,
            title,
            D_H + " = " + latex,
            "sensitivity",
            more.pop("expected", Status.PROVED),
            "sigprop.neuron.stable.sensitivity_moment",
            more.pop("derive", lambda: diagonal.moment("sensitivity")),
            printed,
            topic="backward",
            **{"assumes": forms.STATIONARY, "grid": grids.COMPLEX_ANY, **more},
        )

    under_exponential = {
        "derive": lambda: diagonal.moment("sensitivity", "exponential"),
        "assumes": forms.EXPONENTIAL,
        "grid": grids.COMPLEX_EXPONENTIAL,
    }
    first_57 = (
        r"\left(R_x(0) + \sum_{\Delta \ge 1} (\lambda^\Delta + \bar{\lambda}^\Delta) "
        r"R_x(\Delta)\right) + \frac{1}{(1-|\lambda|^2)^2} \left(\sum_{\Delta \ge 1} "
        r"\Delta(\lambda^\Delta + \bar{\lambda}^\Delta) R_x(\Delta)\right)"
    )
    return (
        Claim(
            "zucchet:49",
            f"Eq. 49, {SECTION}",
            Kind.IDENTITY,
            "The sensitivity is the recurrence fed with the state",
            r"\frac{\mathrm{d}h_{t+1}}{\mathrm{d}\lambda} = \lambda \frac{\mathrm{d}h_t}"
            r"{\mathrm{d}\lambda} + h_t",
            "sensitivity_kernel",
            Status.PROVED,
            "sigprop.neuron.recurrence.sensitivity",
            diagonal.sensitivity_kernel,
            lambda: lam * ((n - 1) * lam ** (n - 2)) + lam ** (n - 1),
            grid=grids.AGES,
            note="Judged on the weight of one input: lam times its weight a step "
            "earlier, plus its weight in the state.",
            topic="backward",
        ),
        Claim(
            "zucchet:53",
            f"Eq. 50-53, {SECTION}",
            Kind.IDENTITY,
            "The sensitivity as a filter of the inputs",
            r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = \sum_{n\geq 0} n\lambda^{n-1}"
            r"x_{-n-1}",
            "sensitivity_kernel",
            Status.REFUTED,
            "sigprop.neuron.recurrence.impulse_response",
            diagonal.sensitivity_kernel,
            forms.eq_53,
            correction=r"\frac{\mathrm{d}h_0}{\mathrm{d}\lambda} = \sum_{n\geq 0} "
            r"n\lambda^{n-1}x_{-n}",
            corrected=lambda: n * lam ** (n - 1),
            grid=grids.AGES,
            note="Eq. 52 holds; collecting n + m + 1 = k gives k lam^(k-1) x_{-k}. The "
            "index is one step off. Under stationarity no later moment depends on it.",
            topic="backward",
        ),
        sensitivity(
            "zucchet:54",
            "Eq. 54",
            "Second moment of the sensitivity as a double sum",
            r"\sum_{n\geq 0} \sum_{m\geq 0} nm\lambda^{n-1}\bar{\lambda}^{m-1}R_x(n-m)",
            lambda: double_sum(
                lambda i, j: i * j * lam ** (i - 1) * lam_bar ** (j - 1)
            ).as_sum(),
        ),
        sensitivity(
            "zucchet:55",
            "Eq. 55",
            "Second moment of the sensitivity as a mixed derivative",
            r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
            r"\left[\frac{1}{1-\alpha\beta}\left(R_x(0) + \sum_{\Delta\geq 1}"
            r"(\alpha^{\Delta} + \beta^{\Delta})R_x(\Delta)\right)\right]_{\alpha="
            r"\lambda,\beta=\bar{\lambda}}",
            lambda: diagonal.conjugate_pair(diff(forms.bracket(), alpha, beta)),
        ),
        sensitivity(
            "zucchet:56",
            "Eq. 56",
            "Second moment of the sensitivity, differentiated as a product",
            r"\left[\frac{1+\alpha\beta}{(1-\alpha\beta)^3}\left(R_x(0) + \sum_{\Delta"
            r"\geq 1}(\alpha^{\Delta}+\beta^{\Delta})R_x(\Delta)\right) + 0 + \frac{"
            r"\alpha}{(1-\alpha\beta)^2}\left(\sum_{\Delta\geq 1}\Delta\alpha^{\Delta-1}"
            r"R_x(\Delta)\right) + \frac{\beta}{(1-\alpha\beta)^2}\left(\sum_{\Delta\geq "
            r"1}\Delta\beta^{\Delta-1}R_x(\Delta)\right)\right]_{\alpha=\lambda,\beta="
            r"\bar{\lambda}}",
            forms.eq_56,
        ),
        sensitivity(
            "zucchet:57",
            "Eq. 57",
            "Second moment of the sensitivity, any input",
            r"\frac{1+|\lambda|^2}{(1-|\lambda|)^3} " + first_57,
            forms.eq_57,
            expected=Status.REFUTED,
            correction=D_H + r" = \frac{1+|\lambda|^2}{(1-|\lambda|^2)^3} " + first_57,
            corrected=forms.eq_57_corrected,
            headline=True,
            note="The square inside the cube is lost between Eq. 56 and Eq. 57; Eq. 6 "
            "and Eq. 60 have it. The printed value is too large by (1 + |lam|)^3 in its "
            "first term.",
        ),
        sensitivity(
            "zucchet:58",
            "Eq. 58",
            "Second moment of the sensitivity, exponential autocovariance, undone",
            r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
            r"\left[\frac{1}{1-\alpha\beta}\left(\frac{1-\rho^2\alpha\beta}{(1-\rho"
            r"\alpha)(1-\rho\beta)}\right)\right]_{\alpha=\lambda,\beta=\bar{\lambda}}",
            forms.eq_58,
            **under_exponential,
        ),
        sensitivity(
            "zucchet:59",
            "Eq. 59",
            "Second moment of the sensitivity, exponential autocovariance",
            r"\frac{(1-\rho)(1+|\lambda|^2) + \rho^2(1-|\lambda|^2)^3 + \rho(1-\rho)"
            r"|\lambda|^2(\rho|\lambda|^2(1+|\lambda|^2) - 2\lambda - 2\bar{\lambda})}"
            r"{(1-|\lambda|^2)^3|1-\rho\lambda|^4}",
            forms.eq_59,
            expected=Status.REFUTED,
            correction=D_H
            + r" = \frac{(1-\rho^2)(1+|\lambda|^2) + \rho^2(1-|\lambda|^2"
            r")^3 + \rho(1-\rho^2)|\lambda|^2(\rho|\lambda|^2(1+|\lambda|^2) - 2\lambda "
            r"- 2\bar{\lambda})}{(1-|\lambda|^2)^3|1-\rho\lambda|^4}",
            corrected=forms.eq_59_corrected,
            headline=True,
            note="Both factors 1 - rho must read 1 - rho^2. The printed form is right at "
            "rho = 0 and rho = 1, where the paper checks it; for rho between them it is "
            "too small by up to a factor of two, for negative rho too large without "
            "bound as rho -> -1. The curves of Fig. 1A do not depend on it: the authors' "
            "notebook of that figure has the right form, for real eigenvalues. That of "
            "Fig. 8 has the misprint (zucchet:134).",
            **under_exponential,
        ),
        sensitivity(
            "zucchet:60",
            "Eq. 60",
            "Second moment of the sensitivity under white noise",
            r"\frac{1+|\lambda|^2}{(1-|\lambda|^2)^3}",
            lambda: (1 + forms.square) / (1 - forms.square) ** 3,
            derive=lambda: diagonal.moment("sensitivity", "white"),
            assumes="|lambda| < 1, white input of unit variance",
            grid=grids.COMPLEX_WHITE,
        ),
        sensitivity(
            "zucchet:61",
            "Eq. 61",
            "Second moment of the sensitivity under constant input",
            r"\frac{1}{|1-\lambda|^4}",
            lambda: 1 / ((1 - lam) * (1 - lam_bar)) ** 2,
            derive=lambda: diagonal.moment("sensitivity", "constant"),
            assumes="|lambda| < 1, constant input of unit second moment",
            grid=grids.COMPLEX_CONSTANT,
        ),
        Claim(
            "zucchet:text:divergence",
            f"text after Eq. 61, {SECTION}",
            Kind.LIMIT,
            "When the sensitivity diverges at the edge of stability",
            r"\rho < 1,\ |\lambda| \rightarrow 1 \quad\text{or}\quad \rho = 1,\ \lambda "
            r"\rightarrow 1:\quad " + D_H + r" \rightarrow \infty",
            "sigprop.checks.divergence",
            Status.CONDITIONAL,
            "sigprop.neuron.stable.sensitivity_moment",
            lambda: diagonal.moment("sensitivity", "exponential"),
            condition=Condition(
                "-1 < rho < 1, or rho = 1 and lambda -> 1, or rho = -1 and lambda -> -1",
                lambda rho, turn, **_: has_power(rho, pi * turn),
            ),
            note="At rho = -1 the input alternates: the moment is 1/|1 + lam|^4, finite "
            "at every edge point but lam = -1, though rho < 1.",
            topic="backward",
        ),
    )
