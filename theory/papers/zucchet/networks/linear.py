"""Zucchet & Orvieto (2024), Appendix A.1: the dense linear network, Eq. 12-15."""

from math import isclose
from math import pi as PI

from sympy import Symbol

from theory.claims import Claim, Condition, Kind, Status
from theory.papers.zucchet.rows import (
    IS_DEFINITION,
    definition,
    of_model,
    routes,
    row,
    zero_start,
)

DENSE = "sigprop.layers.dense."
CONNECTIVITY = "connectivity"
A1 = "Appendix A.1"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    dense = (DENSE + "LinearRNN", "dense")
    return (
        zero_start("12", A1, "linear RNN"),
        of_model(
            "13",
            A1,
            "The linear recurrence",
            r"h_{t+1} = Ah_t + Bx_{t+1}",
            *dense,
            "states",
        ),
        of_model("14", A1, "Its readout", r"y_t = Ch_t + Dx_t", *dense, "outputs"),
        definition(
            "15",
            A1,
            "How the eigenvalues of the linear RNN are moved",
            r"\lambda \leftarrow (\nu_0 + (1 - \nu_0) \tanh(|\lambda|)) \exp\left(i \frac{"
            r"\operatorname{angle}(\lambda)}{\pi} \theta_0\right)",
            DENSE + "transform_eigenvalues",
            points=tuple(
                {"case": "positive", "nu0": inner, "theta0": angle}
                for inner, angle in ((0.3, 1.0), (0.9, 2.0), (0.0, 0.3))
            ),
            routes=routes("spectra", impulse="transformed_by_layer"),
            form="sigprop.references.spectra.transformed_by_print",
            note="Compared where no eigenvalue is real and negative. The code leaves such "
            "an eigenvalue's angle at pi; see zucchet:text:stays-real for why.",
        ),
        row(
            "text:stays-real",
            f"text after Eq. 15, {A1}",
            Kind.TEXT,
            "Conjugate pairs stay conjugate, so the matrix stays real",
            r"\operatorname{Im}\left(P \operatorname{diag}(\lambda) P^{-1}\right) = 0 "
            r"\text{ after Eq. 15}",
            Status.CONDITIONAL,
            DENSE + "transform_eigenvalues",
            points=(
                {"case": "positive", "nu0": 0.3, "theta0": 1.0},
                {"case": "positive", "nu0": 0.9, "theta0": 0.3},
                *(
                    {"case": "negative", "nu0": 0.3, "theta0": t}
                    for t in (PI, 1.0, 2.0)
                ),
            ),
            routes=routes(
                "spectra",
                reference="moved_matrix",
                closed_form="moved_matrix_by_polynomial",
            ),
            form="sigprop.references.spectra.real_matrix",
            condition=Condition(
                "A has no real negative eigenvalue, or theta_0 = pi",
                lambda case, theta0, **_: case != "negative" or isclose(theta0, PI),
            ),
            note="A negative eigenvalue is alone in its pair and has angle pi; Eq. 15 sends "
            "it to angle theta_0, off the real axis, with no partner. A Gaussian matrix has "
            "about sqrt(n/(2 pi)) of them: 1.3 at n = 10, 3.2 at n = 64.",
            inherits="the initialisation of every dense network with theta_0 < pi",
        ),
        *_moduli(),
    )


def _moduli() -> tuple[Claim, ...]:
    places = tuple(
        {"case": case, "nu0": inner, "theta0": 1.0}
        for case in ("positive", "negative")
        for inner in (0.0, 0.4, 0.9)
    )
    known = {
        "points": places,
        "alone": "the eigenvalues of the code's own matrix, against a bound",
        "relation": ">=",
    }
    return (
        row(
            "text:inner-radius",
            f"text after Eq. 15, {A1}",
            Kind.BOUND,
            "Moved eigenvalues lie outside the inner circle",
            r"|\lambda| \ge \nu_0 \text{ after Eq. 15}",
            Status.CONFIRMED,
            DENSE + "transform_eigenvalues",
            **known,
            routes=routes("spectra", impulse="least_modulus"),
            form="sigprop.references.spectra.inner",
            slips={"a larger circle": "sigprop.references.spectra.inner_too_large"},
        ),
        row(
            "text:unit-circle",
            f"text after Eq. 15, {A1}",
            Kind.BOUND,
            "Moved eigenvalues lie inside the unit circle",
            r"|\lambda| \le 1 \text{ after Eq. 15}",
            Status.CONFIRMED,
            DENSE + "transform_eigenvalues",
            **{**known, "relation": "<="},
            routes=routes("spectra", impulse="greatest_modulus"),
            form="sigprop.references.spectra.unit",
            slips={"the inner circle": "sigprop.references.spectra.inner"},
            note="Strictly below one, as tanh is.",
        ),
        row(
            "text:outer-radius",
            f"text around Eq. 15, {A1}; footnote 1",
            Kind.LIMIT,
            "The outer radius of moved eigenvalues for large matrices",
            r"A_{ij} \sim \mathcal{N}(0, 1/\sqrt{n}), n \to \infty: \quad \max|\lambda| = "
            r"\nu_0 + (1 - \nu_0) \tanh(1)",
            Status.CONDITIONAL,
            DENSE + "block_rnn",
            points=(
                {"spread": "deviation", "nu0": 0.0},
                {"spread": "deviation", "nu0": 0.5},
                {"spread": "variance", "nu0": 0.0},
            ),
            routes=routes(
                "spectra",
                reference="outer_radius",
                closed_form="outer_radius_by_norm",
            ),
            form="sigprop.references.spectra.outer_radius_printed",
            tolerance=0.03,
            condition=Condition(
                "1/sqrt(n) is the standard deviation of an entry, not its variance",
                lambda spread, **_: spread == "deviation",
            ),
            note="One matrix of 150 rows, its spectral radius from its eigenvalues and as "
            "half its norm. With variance 1/sqrt(n) the spectral radius is n^(1/4), 3.5, "
            "and the eigenvalues crowd towards the unit circle.",
            inherits="footnote 1 and every dense initialisation",
        ),
        row(
            "text:fan-in",
            f"text before Eq. 15, {A1}",
            Kind.DEFINITION,
            "Entries of B, C and D: truncated normal with fan-in scaling",
            r"\mathbb{E}[B_{ij}^2] = \frac{1}{d_{\text{in}}}",
            Status.DEFINITION,
            "sigprop.layers.initialisers.fan_in",
            printed=lambda: 1 / Symbol("columns", positive=True),
            points=({"rows": 400, "columns": 300},),
            routes=routes("initialisations", monte_carlo="fan_in_variance"),
            tolerance=0.02,
            alone=IS_DEFINITION,
            note="More than four standard errors are the tolerance. The truncation is at "
            "two standard deviations, which the text does not say.",
        ),
    )
