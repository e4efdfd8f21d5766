"""Our own statements on transitions of RWKV-7: swaps, eigenvalues, products of two."""

from sympy import Abs, sqrt

from sigprop.theory import transitions as forms
from sigprop.theory.rows import Part
from sigprop.theory.transitions import c, gate, s, w, w_0

part = Part("Transitions of RWKV-7", "forward", "sigprop.theory.transitions")
STEP = "A = diag(w) - s k (a k)^T with a unit key k, as RWKV-7 has it at s = 1"

part.row(
    "sigprop:goose-swap",
    "identity",
    "proved",
    "How far a step of RWKV-7 is from a swap of two entries",
    r"\| A - P \| = 1 - \frac{s a}{2} + | w - \frac{s a}{2} |",
    where=STEP + ", k = (e_i - e_j)/sqrt(2); P swaps the entries i and j",
    derive=forms.distance_to_swap,
    printed=lambda: 1 - s * gate / 2 + Abs(w - s * gate / 2),
    code="distance_to_swap",
    assumes="all entries share a decay w and a gate a, both in [0, 1]; s a <= 2",
    note="Zero at w = a = 1 and s = 2 alone. Released layers have s = 1 and w > "
    "exp(-exp(-1/2)) = 0.545, and stay at least that far from any swap. "
    "DeltaNet at beta = 2 reaches it. Eigenvalues are in sigprop:goose-least.",
)
part.row(
    "sigprop:goose-least",
    "identity",
    "proved",
    "The least eigenvalue of a step of RWKV-7",
    r"\min_{k, a, w} \lambda_{\min}(A) = w_0 - s",
    where=STEP + ", over all keys, gates in [0, 1] and decays in [w_0, 1]",
    derive=forms.least_eigenvalue,
    printed=lambda: w_0 - s,
    code="least_eigenvalue",
    assumes="gates and decays differ between entries; s >= 0",
    note="No eigenvalue is above one. All are in [-1, 1] where s <= 1 + w_0: 1.545 at the "
    "released decays, 2 without a decay, as for beta of DeltaNet. At s = 1 the least is "
    "-0.455, so that no sign lasts as parity needs. All eigenvalues: "
    "sigprop:goose-polynomial.",
)
part.row(
    "sigprop:goose-alternation",
    "identity",
    "proved",
    "Two steps of RWKV-7 can expand though no eigenvalue of either does",
    r"\lambda_{\max}(A_1 A_2) = \frac{c}{2} \left( 3 - c + \sqrt{(1 - c) (5 - c)} \right)",
    where=STEP + ", gates (1, 0) and (0, 1), keys (sqrt(1 - c), sqrt(c)) and "
    "(sqrt(c), sqrt(1 - c))",
    derive=forms.alternation,
    printed=lambda: c / 2 * (3 - c + sqrt((1 - c) * (5 - c))),
    code="alternation",
    assumes="0 < c < 1; s = 1 and decays of one, the limits of released ones",
    note="Above one for 1/2 < c < 1, at most 5/4 at c = 5/6, where the steps have the "
    "eigenvalues 1 and 5/6. Repeated, they make states explode, unless a decay of all "
    "entries is below 0.88. A search over all keys and gates found no more than 5/4. With "
    "gates constant in time no product explodes, as all steps are then symmetric in the "
    "same coordinates. One step: sigprop:goose-norm.",
)
