"""Orvieto et al. (2023), Appendix E.1.1: stacks in the spectral domain, Eq. 8-16."""

import math
from functools import partial

from sympy import Expr, pi

from sigprop.theory import spectral
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.spectral import product_lines, scale

PRODUCT = r"u_1(t) \cdot u_2(t) = "
CONVENTION = Condition(
    "the inverse transform has no factor 1/(2 pi), so that the transform itself has it",
    lambda scale, **_: math.isclose(2 * math.pi * scale, 1),
)
ROOT = "lru:propE.1"
BARE = Condition("the transform has no factor 1/(2 pi)", lambda scale, **_: scale == 1)

part = Part("Appendix E.1.1", "spectral", "sigprop.theory.spectral")


def leakage(
    claim_id: str, where: str = "", spectrum: str = r"\mathcal{F}_{u}(\omega)"
) -> None:
    """Add a row on the effect of a ReLU on a spectrum."""
    spread = spectrum + r" \star \left[\sum_i 2L_i e^{-i\omega p_i}"
    spread += r"\operatorname{sinc}(\omega L_i)\right]"
    part.row(
        claim_id,
        "identity",
        "refuted",
        "The spectrum after a ReLU",
        r"\mathcal{F}_{\operatorname{ReLU}(u)} = " + spread,
        where=where,
        code="leakage_is_convolution",
        correction=r"\mathcal{F}_{\operatorname{ReLU}(u)} = \frac{1}{2\pi} " + spread,
        assumes=Condition(
            "every region in which u is positive is bounded",
            lambda regions, **_: all(math.isfinite(half) for _, half in regions),
        ),
        note="The paper lacks a factor 1/(2 pi): the right side is 6.28 times too "
        "large. The proof takes the inverse transform without 1/(2 pi) (Eq. 10-14). "
        "It also takes the transform of the pulse without this factor (Eq. 15). The "
        "factor is missing in every convention for angular frequency, because the "
        "prefactor of the transform stands once on both sides. A convolution with d "
        "omega/(2 pi) would repair the statement, but Eq. 13 has d nu.",
        erratum=Erratum("A", root=ROOT)
        if claim_id != ROOT
        else Erratum(
            "A",
            appears_in=(
                "lru:8",
                "lru:10",
                "lru:14",
                "lru:15",
                "lru:16",
                "lru:text:pulse",
            ),
            bearing="The text that follows uses the shape of the kernel only.",
        ),
        uncounted="" if claim_id == ROOT else f"repeats {ROOT}",
    )


def line(number: int) -> Expr:
    """Return a line of the proof, Eq. 10 to 14, as printed."""
    return product_lines()[number - 10]


def by_convention(number: int, latex: str, times: str) -> None:
    """Add a row on a line of the proof that is right for one normalisation only."""
    part.row(
        f"lru:{number}",
        "identity",
        "conditional",
        "A product of signals has a convolution of their spectra",
        PRODUCT + r"\dots = " + latex,
        derive=spectral.product_of_signals,
        printed=lambda: line(number),
        code="product_lines",
        condition=CONVENTION,
        note="The paper does not define its transform. Under the transform without a "
        f"factor, which Eq. 15 uses, the right side is {times} times too large. The "
        "equation alone is no error. The error is to mix the two transforms in "
        "Proposition E.1.",
        erratum=Erratum("D", root=ROOT, inherits=("lru:8", "lru:16", ROOT)),
    )


leakage("lru:8")
leakage("lru:propE.1", "Proposition E.1")
part.row(
    "lru:9",
    "identity",
    "proved",
    "Two signals from their spectra",
    PRODUCT + r"\mathcal{F}^{-1}_{U_1}(t) \cdot \mathcal{F}^{-1}_{U_2}(t)",
    derive=spectral.product_of_signals,
    printed=lambda: line(10) / (2 * pi * scale) ** 2,
    code="product_of_signals",
    note="This step only writes the signals in terms of their spectra. It holds in "
    "any convention in which the transform and its inverse cancel.",
)
by_convention(
    10,
    r"\left(\int_{-\infty}^{\infty} U_1(\nu) e^{i\nu t}\,d\nu\right) \cdot "
    r"\left(\int_{-\infty}^{\infty} U_2(\xi) e^{i\xi t}\,d\xi\right)",
    "(2 pi)^2",
)
for number, description, latex in (
    (
        11,
        "one inside the other",
        r"\int_{-\infty}^{\infty} U_1(\nu)\left(\int_{-\infty}^{\infty} U_2(\xi) "
        r"e^{i(\xi+\nu)t}\,d\xi\right)d\nu",
    ),
    (
        12,
        "a new variable",
        r"\int_{-\infty}^{\infty} U_1(\nu)\left(\int_{-\infty}^{\infty} U_2(\omega-\nu) "
        r"e^{i\omega t}\,d\omega\right)d\nu",
    ),
    (
        13,
        "the order exchanged",
        r"\int_{-\infty}^{\infty}\left(\int_{-\infty}^{\infty} U_1(\nu) U_2(\omega-\nu)\,"
        r"d\nu\right)e^{i\omega t}\,d\omega",
    ),
):
    part.row(
        f"lru:{number}",
        "identity",
        "proved",
        f"The product of the two integrals: {description}",
        r"\dots = " + latex,
        derive=partial(spectral.line_as_step, number),
        printed=partial(line, number),
        code="product_lines",
        note="The line follows from the line before, in any convention.",
    )
by_convention(14, r"\mathcal{F}^{-1}_{U_1 \star U_2}(t)", "2 pi")
part.row(
    "lru:15",
    "identity",
    "conditional",
    "Transform of one region's indicator",
    r"\mathcal{F}_{\chi[p_i - L_i, p_i + L_i]}(\omega) = e^{-i\omega p_i} "
    r"\mathcal{F}_{\chi[-L_i, L_i]}(\omega) = 2L_i e^{-i\omega p_i} "
    r"\operatorname{sinc}(\omega L_i)",
    derive=spectral.pulse,
    printed=lambda: spectral.kernel(spectral.omega),
    code="pulse",
    condition=BARE,
    note="Eq. 15 is right for the usual transform, without a factor. Eq. 10 and 14 "
    "are right only for the transform with 1/(2 pi), and Eq. 16 combines the two.",
    erratum=Erratum("D", root=ROOT, inherits=("lru:8", "lru:16", ROOT)),
)
leakage("lru:16", spectrum="U")
