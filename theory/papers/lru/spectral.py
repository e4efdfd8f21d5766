"""Orvieto et al. (2023), Appendix E.1.1: stacks in the spectral domain, Eq. 8-16."""

import math
from functools import partial

from sympy import Expr, pi

from theory import spectral
from theory.claims import Condition
from theory.rows import Part
from theory.spectral import product_lines, scale

PRODUCT = r"u_1(t) \cdot u_2(t) = "
CONVENTION = Condition(
    "the inverse transform has no factor 1/(2 pi), so that the transform itself has it",
    lambda scale, **_: math.isclose(2 * math.pi * scale, 1),
)
BARE = Condition("the transform has no factor 1/(2 pi)", lambda scale, **_: scale == 1)

part = Part("Appendix E.1.1", "spectral", "theory.spectral")


def leakage(
    claim_id: str, where: str | None = None, spectrum: str = r"\mathcal{F}_{u}(\omega)"
) -> None:
    """State what a ReLU does to a spectrum."""
    spread = spectrum + r" \star \left[\sum_i 2L_i e^{-i\omega p_i}"
    spread += r"\operatorname{sinc}(\omega L_i)\right]"
    part.row(claim_id, "identity", "refuted", where)(
        "What a ReLU does to the spectrum",
        r"\mathcal{F}_{\operatorname{ReLU}(u)} = " + spread,
        code="leakage_is_convolution",
        correction=r"\mathcal{F}_{\operatorname{ReLU}(u)} = \frac{1}{2\pi} " + spread,
        assumes=Condition(
            "every region in which u is positive is bounded",
            lambda regions, **_: all(math.isfinite(half) for _, half in regions),
        ),
        note="A factor 1/(2 pi) is missing: the right side is 6.28 times too large. The "
        "proof takes the inverse transform without 1/(2 pi) (Eq. 10-14) and the pulse "
        "with the transform without it (Eq. 15). The factor is missing in every "
        "convention for angular frequency: the prefactor of the transform stands on "
        "both sides once.",
        inherits="No: only the shape of the kernel is used afterwards.",
    )


def line(number: int) -> Expr:
    """A line of the proof, Eq. 10 to 14, as printed."""
    return product_lines()[number - 10]


def by_convention(number: int, latex: str, factor: str, power: int) -> None:
    """State a line of the proof that is right in one convention only."""
    part.row(f"lru:{number}", "identity", "conditional")(
        "A product of signals is a convolution of spectra",
        PRODUCT + r"\dots = " + latex,
        spectral.product_of_signals,
        lambda: line(number),
        code="product_lines",
        corrected=lambda: line(number) / (2 * pi * scale) ** power,
        correction=PRODUCT + factor + latex,
        condition=CONVENTION,
        note="Under the transform without a factor, which Eq. 15 uses, the right side "
        f"is (2 pi)^{power} times too large; the correction is for that transform.",
        inherits="Yes: Eq. 8 and 16 miss this factor.",
    )


leakage("lru:8")
leakage("lru:propE.1", "Proposition E.1")
part.row("lru:9", "identity", "proved")(
    "Two signals from their spectra",
    PRODUCT + r"\mathcal{F}^{-1}_{U_1}(t) \cdot \mathcal{F}^{-1}_{U_2}(t)",
    spectral.product_of_signals,
    lambda: line(10) / (2 * pi * scale) ** 2,
    code="product_of_signals",
    note="In any convention in which one transform undoes the other.",
)
by_convention(
    10,
    r"\left(\int_{-\infty}^{\infty} U_1(\nu) e^{i\nu t}\,d\nu\right) \cdot "
    r"\left(\int_{-\infty}^{\infty} U_2(\xi) e^{i\xi t}\,d\xi\right)",
    r"\frac{1}{4\pi^2}",
    2,
)
for number, what, latex in (
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
    part.row(f"lru:{number}", "identity", "proved")(
        f"The product of the two integrals: {what}",
        r"\dots = " + latex,
        partial(spectral.line_as_step, number),
        partial(line, number),
        code="product_lines",
        note="A step from the line before, in any convention.",
    )
by_convention(14, r"\mathcal{F}^{-1}_{U_1 \star U_2}(t)", r"\frac{1}{2\pi}", 1)
part.row("lru:15", "identity", "conditional")(
    "Transform of one region's indicator",
    r"\mathcal{F}_{\chi[p_i - L_i, p_i + L_i]}(\omega) = e^{-i\omega p_i} "
    r"\mathcal{F}_{\chi[-L_i, L_i]}(\omega) = 2L_i e^{-i\omega p_i} "
    r"\operatorname{sinc}(\omega L_i)",
    spectral.pulse,
    lambda: spectral.kernel(spectral.omega),
    code="pulse",
    correction=r"\mathcal{F}_{\chi[p_i - L_i, p_i + L_i]}(\omega) = \frac{1}{2\pi}2L_i "
    r"e^{-i\omega p_i} \operatorname{sinc}(\omega L_i)",
    corrected=lambda: scale * spectral.kernel(spectral.omega),
    condition=BARE,
    note="Right for the transform without a factor, but Eq. 10-14 are right only for "
    "the one with 1/(2 pi), for which the correction is.",
    inherits="Yes: Eq. 16 combines the two conventions.",
)
leakage("lru:16", spectrum="U")
