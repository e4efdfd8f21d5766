"""Our own statements on single steps of delta rules: rotations, norms, energies."""

from sympy import Expr, Integer, sqrt

from sigprop.theory import delta_steps as forms
from sigprop.theory.delta_steps import beta, c, d, gate, s, w, z
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

part = Part("Steps of delta rules", "forward", "sigprop.theory.delta_steps")


def _polynomial() -> Expr:
    terms = zip(forms.decays, forms.gates, forms.key, strict=True)
    product: Expr = Integer(1)
    total: Expr = Integer(1)
    for decay, a, x in terms:
        product *= z - decay
        total += a * x**2 / (z - decay)
    return product * total


part.row(
    "sigprop:householder-turn",
    "identity",
    "proved",
    "When two Householder steps turn",
    r"(\mathrm{tr} A)^2 - 4 \det A = \beta^2 c \left( \beta^2 c - 4 (\beta - 1) \right)",
    where="A = (I - beta k_1 k_1^T)(I - beta k_2 k_2^T) in the plane of its keys",
    derive=forms.turning,
    printed=lambda: beta**2 * c * (beta**2 * c - 4 * (beta - 1)),
    code="turning",
    assumes="unit keys; c is the square of their cosine",
    note="Negative, with complex eigenvalues of modulus beta - 1, where beta > 1 and "
    "c < 4 (beta - 1)/beta^2. Rates up to one never turn, whatever the keys: the range of "
    "beta has to pass one. Eigenvalues for two rates are in sigprop:householder-pair.",
)
part.row(
    "sigprop:delta-gaussian-keys",
    "moment",
    "proved",
    "The energy that the delta rule keeps without normalised keys",
    r"\frac{1}{d} \mathbb{E} \| A \|_F^2 = \left( 1 - \frac{1}{d} \left( 2 \beta - "
    r"\beta^2 \left( 1 + \frac{2}{d} \right) \right) \right)^T",
    where="T steps, A = prod (I - beta k k^T)",
    derive=forms.gaussian_keys,
    printed=lambda: (1 - (2 * beta - beta**2 * (1 + 2 / d)) / d) ** T,
    code="gaussian_keys",
    assumes="keys of d independent normal entries of variance 1/d",
    note="Explodes from beta = 2 d / (d + 2) on, and not from two on as in "
    "sigprop:householder-energy: at d = 2 already from one.",
)
part.row(
    "sigprop:implicit-delta-energy",
    "moment",
    "proved",
    "The energy that implicit steps of the delta rule keep",
    r"\frac{1}{d} \mathbb{E} \| A \|_F^2 = \left( 1 - \frac{1}{d} \left( 1 - "
    r"\frac{1}{(1 + \beta s)^2} \right) \right)^T",
    where="T steps of Longhorn, A = prod (I - epsilon k k^T), epsilon = beta/(1 + beta s)",
    derive=forms.implicit_energy,
    printed=lambda: (1 - (1 - 1 / (1 + beta * s) ** 2) / d) ** T,
    code="implicit_energy",
    assumes="keys of d entries and |k|^2 = s, independent, isotropic; beta > 0",
    note="A step never adds energy, and removes at most 1/d of it, at any rate. Explicit "
    "steps are in sigprop:householder-energy, the rate in sigprop:implicit-delta.",
)
part.row(
    "sigprop:implicit-delta-state",
    "moment",
    "proved",
    "The state of the implicit delta rule",
    r"\mathbb{E} | s |^2 = \frac{\beta d}{2 + \beta s}",
    where="a row of the state of Longhorn, epsilon = beta/(1 + beta s), after many writes",
    derive=forms.implicit_state,
    printed=lambda: beta * d / (2 + beta * s),
    code="implicit_state",
    assumes="keys of d entries and |k|^2 = s, independent, isotropic; beta > 0; independent "
    "values of mean zero and variance one",
    note="At most d/s, at any rate, where the explicit rule of sigprop:delta-state diverges "
    "from beta s = 2 on. The energy that steps keep: sigprop:implicit-delta-energy.",
)
part.row(
    "sigprop:goose-polynomial",
    "identity",
    "proved",
    "The characteristic polynomial of a step of RWKV-7",
    r"\det(z - A) = (z - w_1) (z - w_2) (z - w_3) \left( 1 + \frac{a_1 c_1^2}{z - w_1} + "
    r"\frac{a_2 c_2^2}{z - w_2} + \frac{a_3 c_3^2}{z - w_3} \right)",
    where="A = diag(w) - c (a c)^T of three entries; more are alike",
    derive=forms.goose_polynomial,
    printed=_polynomial,
    code="goose_polynomial",
    assumes="any decays w, gates a and key c",
    note="For positive gates A is similar to a symmetric matrix. All eigenvalues are then "
    "real and between neighbouring decays, but the least, which is at least min w less the "
    "sum of a c^2. One step cannot turn, two can: sigprop:householder-pair.",
)
part.row(
    "sigprop:goose-norm",
    "identity",
    "proved",
    "A step of RWKV-7 can expand though its eigenvalues do not",
    r"\| A \|^2 = 1 - \frac{c}{2} + \frac{1}{2} \sqrt{c (4 - 3 c)}",
    where="A = I - k (a k)^T of a unit key of two entries, k_1^2 = c, a = (1, 0)",
    derive=forms.goose_norm,
    printed=lambda: 1 - c / 2 + sqrt(c * (4 - 3 * c)) / 2,
    code="goose_norm",
    assumes="0 < c < 1; the decay w is one",
    note="The eigenvalues are 1 and 1 - c. The norm is largest at c = 1/3, sqrt(4/3) = "
    "1.155. Gates that differ between entries cause it: with equal ones the step is "
    "symmetric, and its energy is in sigprop:goose-energy.",
)
part.row(
    "sigprop:goose-energy",
    "moment",
    "proved",
    "The energy that steps of RWKV-7 keep",
    r"\frac{1}{d} \mathbb{E} \| A \|_F^2 = \left( w^2 - \frac{2 w a - a^2}{d} \right)^T",
    where="T steps of RWKV-7, A = prod (w I - a c c^T)",
    derive=forms.goose_energy,
    printed=lambda: (w**2 - (2 * w * gate - gate**2) / d) ** T,
    code="goose_energy",
    assumes="unit keys c of d entries, independent, isotropic; all entries and steps share "
    "decay w and gate a",
    note="The decay does not multiply the removed part. A gate a above 2 w would add "
    "energy; released gates end at one, and decays are above 0.545. At w = 1 it is "
    "sigprop:householder-energy.",
)
