"""Our own statements on powers of random matrices of a finite size."""

from sympy import Rational

from sigprop.theory import random_products as products
from sigprop.theory.random_products import spread
from sigprop.theory.rows import Part
from sigprop.theory.symbols import k, n

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
part.row(
    "sigprop:untied-typical",
    "identity",
    "proved",
    "The typical energy behind independent Gaussian matrices",
    r"\mathbb{E} \log \frac{\| W_k \cdots W_1 x \|^2}{\| x \|^2} = k \left( "
    r"\psi(n/2) - \log(n/2) \right)",
    where="W of n rows, entries independent, real, normal, of variance 1/n",
    code="sigprop.theory.random_products.typical_energy",
    assumes="n > 0; a matrix of its own for each of the k steps",
    note="psi is the digamma function. About -k/n: a typical signal fades in some n steps "
    "although the mean energy stays one. A tied matrix grows instead, on average, as in "
    "sigprop:ginibre-real.",
)
part.row(
    "sigprop:untied-kurtosis",
    "moment",
    "proved",
    "How unequal energies are behind independent Gaussian matrices",
    r"\frac{\mathbb{E} \| W_k \cdots W_1 x \|^4}{\| x \|^4} = "
    r"\left( 1 + \frac{2}{n} \right)^k",
    where="W of n rows, entries independent, real, normal, of variance 1/n",
    derive=products.kurtosis,
    printed=lambda: (1 + 2 / n) ** k,
    code="sigprop.theory.random_products.kurtosis",
    assumes="a matrix of its own for each of the k steps",
    note="The squared mean is one. From k = n/2 on seeds differ by more than their mean; "
    "what is typical is in sigprop:untied-typical.",
)
part.row(
    "sigprop:uniform-kurtosis",
    "moment",
    "proved",
    "Uniform entries spread energies less than normal ones",
    r"\frac{\mathbb{E} \| W x \|^4}{\| x \|^4} = 1 + \frac{2}{n} - \frac{6 s}{5 n}, "
    r"\quad s = \frac{\sum_i x_i^4}{\| x \|^4}",
    where="one step of W of n rows, entries independent, uniform, of variance 1/n",
    derive=products.uniform_kurtosis,
    printed=lambda: 1 + 2 / n - 6 * spread / (5 * n),
    code="sigprop.theory.random_products.uniform_kurtosis",
    assumes="1/n <= s <= 1",
    note="Glorot's uniform and normal matrices agree in every mean energy, and in its "
    "spread but for 6/(5 n^2) if inputs are spread evenly, s = 1/n. Normal entries are in "
    "sigprop:untied-kurtosis.",
)
part.row(
    "sigprop:uniform-second",
    "identity",
    "proved",
    "Two steps of a recurrence with uniform entries",
    r"Q_2 = \frac{\mathbb{E} \| W^2 x \|^2}{\| x \|^2} = 1 + \frac{4}{5 n^2}",
    where="W of n rows, entries independent, uniform, of variance 1/n, in the mean over x",
    derive=products.uniform_second,
    printed=lambda: 1 + 4 / (5 * n**2),
    code="sigprop.theory.random_products.uniform_second",
    assumes="inputs come once, at the first step, and are isotropic",
    note="Normal entries have 1 + 2/n^2, sigprop:ginibre-second at k = 2: whether Glorot's "
    "matrix is uniform or normal shows in the energy from the second step on, by 1/n^2.",
)
