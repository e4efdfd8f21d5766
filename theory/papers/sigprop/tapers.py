"""Our own statements on time constants in geometric order that grow with the position."""

from sympy import log

from sigprop.theory import tapers as forms
from sigprop.theory.claims import Condition
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T
from sigprop.theory.tapers import N, gap, k, mean, rise, t, total

part = Part("Tapered time constants", "forward", "sigprop.theory.tapers")
EVEN = "N > 1 time constants T^(k/(N - 1)), k = 0, ..., N - 1"
CODE = "PoST's code, rates A_k t^(-alpha_k) at position t"
GAP = r"\log \frac{\tau_k(t)}{\tau_{k + 1}(t)} = "


def _even(gap: float, mean: float, t: float, T: float, **_: object) -> bool:
    """True where the rates are in geometric order, or the position is the last."""
    return gap == mean or t == T


part.row(
    "sigprop:fitting-channels",
    "identity",
    "confirmed",
    "How many time constants fit into the positions so far",
    r"n_t = 1 + \left\lfloor (N - 1) \frac{\log t}{\log T} \right\rfloor",
    where=EVEN + ", of which n_t are at most t; after PoST",
    code="fitting_channels",
    assumes="1 <= t <= T",
    note="N log t / log T, in proportion, is exact at t = T, off by one at t = 1, and by less "
    "between. Its mean squared error is in sigprop:fitting-excess.",
)
part.row(
    "sigprop:fitting-excess",
    "moment",
    "proved",
    "The error of a proportional count of time constants",
    r"\mathbb{E} \left( n_t - N \frac{\log t}{\log T} \right)^2 = \frac{N}{6 (N - 1)}",
    where=EVEN + ", of which n_t are at most t",
    derive=forms.mean_squared_excess,
    printed=lambda: N / (6 * (N - 1)),
    code="mean_squared_excess",
    assumes="log t uniform from 0 to log T",
    note="A root mean square of 0.41 channels for many channels, while the mean error is "
    "zero. The count itself is in sigprop:fitting-channels.",
)
part.row(
    "sigprop:taper-exponent",
    "identity",
    "proved",
    "The exponents that make time constants geometric at the training length",
    r"\alpha_k = \frac{N - 1 - k}{N - 1} + \frac{1}{\log T} "
    r"\left( c_k - \frac{k\, c_{N - 1}}{N - 1} \right)",
    where=CODE + ", c_k = log(A_k / A_0)",
    derive=forms.exponent,
    printed=lambda: (N - 1 - k) / (N - 1) + (rise - k * total / (N - 1)) / log(T),
    code="exponent",
    assumes="N > 1 channels, k from zero; exponent one of the slowest, zero of the fastest",
    note="The code computes this, and clips it to [0, 1]. Its docstring has (N - k)/(N - 1), "
    "which is 1/(N - 1) more: the fastest channel would slow down too, and the exponent "
    "of the slowest be clipped. Other positions are in sigprop:taper-gap.",
)
part.row(
    "sigprop:taper-gap",
    "identity",
    "proved",
    "The ratio of neighbouring time constants at any position",
    GAP
    + r"\left( 1 - \frac{\log t}{\log T} \right) g + \frac{\log t}{\log T} \bar{g} + "
    r"\frac{\log t}{N - 1}",
    where=CODE + ", g = log(A_{k+1} / A_k), of mean g-bar over k",
    derive=forms.gap_at,
    printed=lambda: (
        (1 - log(t) / log(T)) * gap + log(t) / log(T) * mean + log(t) / (N - 1)
    ),
    code="gap_at",
    assumes="exponents of sigprop:taper-exponent between zero and one; 1 <= t",
    note="What is uneven in the rates fades in proportion to log t, and is gone at t = T "
    "alone. Beyond T it comes back with the opposite sign.",
)
part.row(
    "sigprop:taper-even",
    "text",
    "conditional",
    "Time constants keep a geometric order at all positions",
    GAP + r"\bar{g} + \frac{\log t}{N - 1}",
    where="README of PoST's code at commit 1be117b, where rates are A_k t^(-alpha_k) at "
    "position t; g-bar is the mean of log(A_{k+1} / A_k)",
    printed=lambda: mean + log(t) / (N - 1),
    code="gap_at",
    assumes="exponents of sigprop:taper-exponent between zero and one; 1 <= t",
    condition=Condition("the rates are in geometric order, or t = T", _even),
    note="Rates 1, 2 and 16 at T = 16 have the ratios 2 and 8 at t = 1, and 5.7 and 11.3 "
    "at t = 4. The exact ratio is in sigprop:taper-gap.",
)
part.row(
    "sigprop:fitting-stretched",
    "identity",
    "confirmed",
    "How many stretched time constants fit into the positions so far",
    r"n_t = 1 + \left\lfloor (N - 1) \frac{\log t}{\log t + \log T} \right\rfloor",
    where=CODE + ", as initialised, n_t time constants are at most t",
    code="fitting_when_stretched",
    assumes="N > 1 rates in geometric order from 1/T to one; 1 <= t",
    note="The slowest has the time constant t T at position t. At t = T about half of the "
    "channels fit, where all N do without exponents: sigprop:fitting-channels.",
)
