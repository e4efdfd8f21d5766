"""Our own statements on layers of 2024-2026: what their recurrences do, exactly."""

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
    "beta = 2 are 1 and -1, so that a real eigenvalue solves parity.",
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
    "about d / (2 beta - beta^2) steps.",
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
    "small, by up to half at alpha near one.",
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
