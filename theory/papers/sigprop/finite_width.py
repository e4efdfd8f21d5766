"""Our own statements on powers of random matrices of a finite size."""

from sympy import Rational

from sigprop.theory.rows import Part
from sigprop.theory.symbols import k

part = Part("Finite width", "ring", "sigprop.theory.ginibre")
ENERGY = r"Q_k = \frac{\mathbb{E} \| W^k x \|^2}{\| x \|^2}"
CORNERS = r"n^{-k-1} \sum_{\pi} n^{\mathrm{corners}(\pi)}"
AGREES = (
    "At k = c sqrt(n) it goes to sinh(c^2/2) / (c^2/2), the profile in the code of "
    "Seleznova (2026). An infinitely wide network has Q_k = 1. "
)

part.row(
    "sigprop:ginibre-complex",
    "identity",
    "confirmed",
    "The energy that a complex Gaussian recurrence keeps",
    ENERGY + r" = \frac{n (n+1) \cdots (n+k+1) - n (n-1) \cdots (n-k-1)}"
    r"{(k+1)(k+2)\, n^{k+1}}",
    where="W of n rows, entries independent, complex, circular, of variance 1/n",
    code="complex_energy",
    assumes="inputs come once, at the first step",
    note=AGREES
    + "Judged by two exact counts, for n up to 50 and k up to 6. Real entries: "
    "sigprop:ginibre-real.",
)
part.row(
    "sigprop:ginibre-real",
    "identity",
    "confirmed",
    "The energy that a real Gaussian recurrence keeps",
    ENERGY + " = " + CORNERS,
    where="W of n rows, entries independent, real, normal, of variance 1/n",
    code="trace_moment",
    assumes="inputs come once, at the first step",
    note="The sum is over the (2k-1)!! ways to glue the sides of a polygon in pairs, k "
    "sides of W and k of its transpose; a pair of equal kind is turned over. It is "
    "computed by a recursion of integration by parts, see the module. At n = 8, k = 6 "
    "it is 4.18, and 2.21 for complex entries.",
)
part.row(
    "sigprop:ginibre-second",
    "identity",
    "confirmed",
    "The first correction to infinite width in a real Gaussian recurrence",
    r"\lim_{n \to \infty} n^2 (Q_k - 1) = \frac{k^4}{24} + \frac{k^3}{3} - "
    r"\frac{k^2}{6} - \frac{k}{3} + \frac{1 - (-1)^k}{16}",
    where="W of n rows, entries independent, real, normal, of variance 1/n",
    printed=lambda: (
        k**4 / 24 + k**3 / 3 - k**2 / 6 - k / 3 + Rational(1, 16) * (1 - (-1) ** k)
    ),
    code="polynomial",
    assumes="inputs come once, at the first step",
    note="There is no term 1/n. For complex entries the coefficient is "
    "(k - 1) k (k + 1) (k + 2) / 24, so that both kinds share k^4/24 and with it the "
    "profile at k = c sqrt(n); real ones come to it only as 1/sqrt(n). Glorot's dense "
    "recurrence thus leaves infinite width after some sqrt(n) steps, as in "
    "sigprop:glorot-range.",
)
