"""Our own statements on Mamba-3 with several inputs per value."""

from sympy import Expr

from sigprop.theory import mimo as forms
from sigprop.theory.layers_of_today import d, gamma
from sigprop.theory.mimo import rank, shift
from sigprop.theory.rows import Part
from sigprop.theory.symbols import alpha, beta

part = Part("Mamba-3 of a higher rank", "forward", "sigprop.theory.mimo")
LASTS = r"\frac{\beta^2 + \gamma^2 + 2 \alpha \beta \gamma}{1 - \alpha^2} \left( "
RULE = "a row of the state S_t = alpha S_{t-1} + beta e_{t-1} + gamma e_t of Mamba-3"
FIXED = (
    "|alpha| < 1, fixed gates, white inputs of mean zero, independent of the columns"
)
INITIAL = (
    FIXED + ", of variance one; columns B_r and C_r of d entries, the sum of b and "
    "independent isotropic vectors of root mean square one; no rotation"
)


def _lasts() -> Expr:
    return (beta**2 + gamma**2 + 2 * alpha * beta * gamma) / (1 - alpha**2)


part.row(
    "sigprop:mimo-state",
    "moment",
    "proved",
    "The state of two inputs that are written along two columns",
    r"\mathbb{E} | S |^2 = "
    + LASTS
    + r"K_{11} G_{11} + 2 K_{12} G_{12} + K_{22} G_{22} "
    r"\right)",
    where=RULE + ", e = x_1 B_1 + x_2 B_2, K_rs = E x_r x_s, G_rs = E B_r . B_s",
    derive=forms.state_of_two,
    printed=lambda: (
        _lasts()
        * (
            forms.K_11 * forms.G_11
            + 2 * forms.K_12 * forms.G_12
            + forms.K_22 * forms.G_22
        )
    ),
    code="state_of_two",
    assumes=FIXED,
    note="R columns have the trace of K G: as much as R updates of rank one where inputs or "
    "columns are uncorrelated. If both are equal it is R times that, as amplitudes add. "
    "Rotations do not change it. For one column it is sigprop:trapezoid.",
)
part.row(
    "sigprop:mimo-state-start",
    "moment",
    "proved",
    "The state of Mamba-3 of rank R as initialised",
    r"\mathbb{E} | S |^2 = " + LASTS + r"\frac{d}{R} + d b^2 \right)",
    where=RULE + ", e = x (B_1 + ... + B_R) / R",
    derive=forms.state_as_initialised,
    printed=lambda: _lasts() * d * (1 / rank + shift**2),
    code="state_as_initialised",
    assumes=INITIAL,
    note="Released layers have b = 1: rank 4 has 5/8 of the energy of rank one, and no rank "
    "has less than half. General columns are in sigprop:mimo-state.",
)
part.row(
    "sigprop:mimo-output-start",
    "moment",
    "proved",
    "The output of Mamba-3 of rank R as initialised",
    r"\mathbb{E} y^2 = "
    + LASTS
    + r"\frac{d}{R^2} + \frac{2 d b^2}{R} + d^2 b^4 \right)",
    where=RULE + ", e = x (B_1 + ... + B_R) / R, y = S . (C_1 + ... + C_R) / R",
    derive=forms.output_as_initialised,
    printed=lambda: (
        _lasts() * (d / rank**2 + 2 * d * shift**2 / rank + d**2 * shift**4)
    ),
    code="output_as_initialised",
    assumes=INITIAL,
    note="Reading one state R times averages over R^2 pairs of columns: the mean output of R "
    "updates with states of their own has d/R in place of d/R^2. At b = 1 and d = 128 "
    "no rank has more than 2.3 % less than rank one. State: sigprop:mimo-state-start.",
)
