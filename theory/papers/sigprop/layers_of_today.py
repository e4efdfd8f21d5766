"""Our own exact statements on the recurrences of layers of 2024-2026."""

from sympy import Rational

from sigprop.theory import layers_of_today as forms
from sigprop.theory.rows import Part

part = Part("Layers of 2024-2026", "forward", "sigprop.theory.layers_of_today")

part.row(
    "sigprop:householder-pair",
    "identity",
    "proved",
    "The eigenvalues of two Householder steps",
    r"\det(z - A) = z^2 - (2 - \beta_1 - \beta_2 + \beta_1 \beta_2 c) z + "
    r"(1 - \beta_1) (1 - \beta_2)",
    where="A = (I - beta_1 k_1 k_1^T)(I - beta_2 k_2 k_2^T) in the plane of its keys",
    derive=forms.householder_pair,
    printed=lambda: (
        forms.z**2
        - (2 - forms.beta_1 - forms.beta_2 + forms.beta_1 * forms.beta_2 * forms.c)
        * forms.z
        + (1 - forms.beta_1) * (1 - forms.beta_2)
    ),
    code="householder_pair",
    assumes="unit keys; c is the square of their cosine",
    note="All other eigenvalues are one. At beta = 2 twice it is a rotation by twice the "
    "angle between the keys: one step cannot turn, two can. Eigenvalues of one step of "
    "beta = 2 are 1 and -1, so that a real eigenvalue solves parity. Products of many steps: "
    "sigprop:householder-energy.",
)
part.row(
    "sigprop:householder-mean",
    "moment",
    "proved",
    "The mean of a product of Householder steps",
    r"\frac{1}{d} \mathbb{E}\, \mathrm{tr} A = \left( 1 - \frac{\beta}{d} \right)^T",
    where="T steps of DeltaNet or DeltaProduct, A = prod (I - beta k k^T)",
    derive=forms.householder_mean,
    printed=lambda: (1 - forms.beta / forms.d) ** forms.T,
    code="householder_mean",
    assumes="unit keys of d entries, independent, isotropic; all steps have one beta",
    note="E A is this number times the identity. DeltaProduct takes several steps a token.",
)
part.row(
    "sigprop:householder-energy",
    "moment",
    "proved",
    "The energy that a product of Householder steps keeps",
    r"\frac{1}{d} \mathbb{E} \| A \|_F^2 = "
    r"\left( 1 - \frac{2 \beta - \beta^2}{d} \right)^T",
    where="T steps of DeltaNet or DeltaProduct, A = prod (I - beta k k^T)",
    derive=forms.householder_energy,
    printed=lambda: (1 - (2 * forms.beta - forms.beta**2) / forms.d) ** forms.T,
    code="householder_energy",
    assumes="unit keys of d entries, independent, isotropic; all steps have one beta",
    note="Nothing is lost at beta = 2, the reflections, and most at beta = 1. It lasts "
    "about d / (2 beta - beta^2) steps. The mean of the product is in "
    "sigprop:householder-mean.",
)
part.row(
    "sigprop:trapezoid",
    "moment",
    "proved",
    "The state of a trapezoidal recurrence",
    r"\mathbb{E} h^2 = \frac{\beta^2 + \gamma^2 + 2 \alpha \beta \gamma}{1 - \alpha^2}",
    where="the recurrence of Mamba-3 with fixed gates, "
    "h_t = alpha h_{t-1} + beta x_{t-1} + gamma x_t",
    derive=forms.trapezoid,
    printed=lambda: (
        (forms.beta**2 + forms.gamma**2 + 2 * forms.alpha * forms.beta * forms.gamma)
        / (1 - forms.alpha**2)
    ),
    code="trapezoid",
    assumes="|alpha| < 1, white input of variance one, real gates",
    note="Both terms of the input interfere: without 2 alpha beta gamma the moment is too "
    "small, by up to half at alpha near one. How well such a step integrates is in "
    "sigprop:trapezoid-error.",
)
part.row(
    "sigprop:reparametrised-scale",
    "identity",
    "proved",
    "The gradient scale of the best reparametrisation of StableSSM",
    r"\frac{|f'(v)|}{(1 - f(v))^2} = 2 v, \quad f(v) = 1 - \frac{1}{v^2 + 1/2}",
    where="a discrete eigenvalue f(v), v > 0",
    derive=forms.gradient_scale,
    printed=lambda: 2 * forms.v,
    code="gradient_scale",
    assumes="v > 0; for v < 0 it is -2 v",
    note="The scale grows in proportion to the parameter alone, but f(0) = -1: a "
    "parameter that passes zero goes through the boundary of stability.",
)
part.row(
    "sigprop:least-gap",
    "moment",
    "proved",
    "The least gap between uniform draws",
    r"\mathbb{E} \min_i (u_{(i+1)} - u_{(i)}) = \frac{1}{N^2 - 1}",
    where="decays of N channels drawn independently, after PoST",
    derive=forms.least_gap,
    printed=lambda: 1 / (forms.N**2 - 1),
    code="least_gap",
    assumes="N > 1 independent uniform draws on [0, 1]",
    note="Channels at equal distances have a gap of 1/(N - 1), N + 1 times as much.",
)
part.row(
    "sigprop:trapezoid-error",
    "limit",
    "proved",
    "The error of one trapezoidal step",
    r"\lim_{\Delta \to 0} \frac{\hat{h}(\Delta) - h(\Delta)}{\Delta^2} = "
    r"\left( w - \frac{1}{2} \right) (x_1 - r x_0)",
    where="h' = r h + x_0 + x_1 t, and Mamba-3's step with weight w on the new input",
    derive=forms.trapezoid_error,
    printed=lambda: (
        (forms.weight - Rational(1, 2)) * (forms.x_1 - forms.rate * forms.x_0)
    ),
    code="trapezoid_error",
    assumes="h(0) = 0; the input is linear over the step",
    note="Of second order in a step only at w = 1/2, or w = 1/2 + O(step).",
)
part.row(
    "sigprop:linoss-implicit",
    "identity",
    "proved",
    "The modulus of an oscillator's implicit step",
    r"|\lambda|^2 = \frac{1}{1 + \Delta^2 A}",
    where="LinOSS-IM, squared frequency A, step Delta",
    derive=forms.implicit_modulus,
    printed=lambda: 1 / (1 + forms.step**2 * forms.A),
    code="implicit_modulus",
    assumes="A > 0",
    note="It lasts about 2 / (Delta^2 A) steps: slow oscillators remember, fast ones do not.",
)
part.row(
    "sigprop:linoss-explicit",
    "identity",
    "proved",
    "The eigenvalues of an oscillator's implicit-explicit step",
    r"\mathrm{Re}\, \lambda = 1 - \frac{\Delta^2 A}{2}",
    where="LinOSS-IMEX, squared frequency A, step Delta",
    derive=forms.explicit_phase,
    printed=lambda: 1 - forms.step**2 * forms.A / 2,
    code="explicit_phase",
    assumes="0 < Delta^2 A < 4, where |lambda| = 1",
    note="No input fades: under white inputs the state grows as the root of time. From "
    "Delta^2 A = 4 on both eigenvalues are real, and one is outside the disc. The "
    "implicit step forgets, sigprop:linoss-implicit.",
)
part.row(
    "sigprop:tied-gate",
    "moment",
    "proved",
    "The state of a layer whose input gate is what it forgets",
    r"\mathbb{E} h^2 = \frac{1 - 2 f_1 + f_2}{1 - f_2}",
    where="h_t = f_t h_{t-1} + (1 - f_t) x_t, as in HGRN2 and minGRU",
    derive=forms.tied_gate,
    printed=lambda: (1 - 2 * forms.f_1 + forms.f_2) / (1 - forms.f_2),
    code="tied_gate",
    assumes="gates independent of time and of white inputs of variance one; f_1 = E f, "
    "f_2 = E f^2 < 1",
    note="For a constant gate (1 - f) / (1 + f): the state shrinks as one over its memory. "
    "Gates that depend on the input are in sigprop:gates.",
)
part.row(
    "sigprop:implicit-delta",
    "identity",
    "proved",
    "The rate of the delta rule that solves its own regression",
    r"\varepsilon = \frac{\beta}{1 + \beta s}",
    where="S = S_0 - epsilon (S_0 k - v) k^T minimises |S - S_0|^2 + beta |S k - v|^2; "
    "Longhorn",
    derive=forms.implicit_delta,
    printed=lambda: forms.beta / (1 + forms.beta * forms.s),
    code="implicit_delta",
    assumes="beta > 0; s = |k|^2",
    note="Stable at any beta: 1 - epsilon s is between zero and one. The explicit step, "
    "of rate beta, needs beta s <= 2, see sigprop:householder-energy.",
)
