"""Zucchet & Orvieto (2024), Appendix A: initialisation of the LRU, S4 and GRU, Eq. 31-33."""

from sympy import Expr

from sigprop.theory import recurrences
from sigprop.theory.errata import Erratum
from sigprop.theory.recurrences import nu0
from sigprop.theory.rows import Part

part = Part("Appendix A.2", "models")

part.row(
    "zucchet:text:ring",
    "distribution",
    "confirmed",
    "Eigenvalues are uniform on a ring: their moduli",
    r"\lambda \sim \mathcal{U}(\{\nu_0 \le |\lambda| \le 1\}): \quad |\lambda|^2 "
    r"\sim \mathcal{U}(\nu_0^2, 1)",
    where="text after Eq. 22",
    code="sigprop.neuron.ring.ring_polar",
    topic="ring",
    note="The test uses the modulus alone: quantiles of the sampling code, and radii "
    "that enclose that share of the area. Of the angle the text says that it is below "
    "theta_0 in absolute value; Eq. 21 as printed has no negative phase and fills "
    "half of that sector, [0, theta_0]; the authors' code takes phases of both signs "
    "modulo 2 pi. See lru:lemma3.2.",
)
part.row(
    "zucchet:text:lru-gamma",
    "definition",
    "definition",
    "The LRU's initial gamma",
    r"\gamma = \sqrt{1-|\lambda|^2}",
    where="text after Eq. 22",
    code="sigprop.layers.lru.zucchet_lru",
    note="With this gain the energy of each impulse response, summed over lags, is "
    "one.",
)
part.at("").row(
    "zucchet:text:s4-init",
    "definition",
    "definition",
    "S4 starts with steps of one and the LRU's eigenvalues",
    r"\Delta = 1, \quad \exp\left(\Delta(\omega_A^{\text{re}} + i\omega_A^{"
    r"\text{im}})\right) = \lambda_{\text{LRU}}",
    where="end of Appendix A.3",
    code="sigprop.layers.s4.s4",
    note="The test uses the random key of the LRU. Both layers sample in single "
    "precision.",
)

gru = part.at("Appendix A.4", "gated", "sigprop.layers.gru")
gru.row(
    "zucchet:31",
    "definition",
    "definition",
    "Chrono initialisation of the forget bias",
    r"b_f \sim \log\left(\mathcal{U}\left(T_{\min}, T_{\max}\right)\right)",
    code="chrono",
    note="The test uses deciles of 100 000 samples. Tallec & Ollivier sample log U(1, "
    "T_max - 1), so that T is 1/(1 - f). Here f = T/(1 + T) and 1/(1 - f) = T + 1. "
    "See zucchet:text:chrono-low.",
)
gru.row(
    "zucchet:32",
    "definition",
    "definition",
    "The smallest characteristic time",
    r"T_{\min} = \frac{1}{1 - \nu_0}",
    printed=lambda: 1 / (1 - nu0),
    code="chrono_times",
)
gru.row(
    "zucchet:33",
    "definition",
    "definition",
    "The largest characteristic time",
    r"T_{\max} = \frac{2}{1 - \nu_0}",
    printed=lambda: 2 / (1 - nu0),
    code="chrono_times",
)


def chrono_range(
    end: str,
    title: str,
    printed_latex: str,
    latex: str,
    times: int,
    printed: Expr,
    size: str,
) -> None:
    """Add a row on one end of the range of forget gates, ``T = times / (1 - nu_0)``."""
    gru.row(
        f"zucchet:text:chrono-{end}",
        "text",
        "refuted",
        title,
        r"f \in \left[\nu_0, \frac{1+\nu_0}{2}\right]: \quad " + printed_latex,
        where="text after Eq. 33",
        derive=lambda: recurrences.chrono_at(times),
        printed=lambda: printed,
        correction=latex
        + r", \text{ or draw } b_f \sim \log\left(\mathcal{U}(T_{\min}, T_{\max}) - 1"
        r"\right)",
        corrected=lambda: recurrences.chrono_at(times).result,
        code="sigprop.theory.recurrences.chrono_at",
        note="The paper prints 1 - 1/T; it should be f = sigmoid(log T) = T/(1 + T), for zero "
        f"inputs and states. The true gate is larger by {size}. With b_f = log(T - 1) "
        "the printed range is right.",
        erratum=Erratum(
            "B",
            root="" if end == "low" else "zucchet:text:chrono-low",
            appears_in=("zucchet:text:chrono-high", "zucchet:31")
            if end == "low"
            else (),
            bearing="No measurable effect: Figure 5 has nu_0 near one. There the "
            "gates differ by at most (1 - nu_0)^2/(2 - nu_0), which is 0.0001 at nu_0 "
            "= 0.99.",
        ),
    )


chrono_range(
    "low",
    "The smallest forget gate under Eq. 31 to 33",
    r"f_{\min} = \nu_0",
    r"f_{\min} = \frac{1}{2 - \nu_0}",
    1,
    nu0,
    "(1 - nu_0)^2/(2 - nu_0): 0.5 at nu_0 = 0 and 0.0001 at nu_0 = 0.99",
)
chrono_range(
    "high",
    "The largest forget gate under Eq. 31 to 33",
    r"f_{\max} = \frac{1+\nu_0}{2}",
    r"f_{\max} = \frac{2}{3 - \nu_0}",
    2,
    (1 + nu0) / 2,
    "(1 - nu_0)^2/(6 - 2 nu_0): 0.17 at nu_0 = 0 and 0.000025 at nu_0 = 0.99",
)
