"""Orvieto et al. (2023), Appendix E.1.1: stacks in the spectral domain, Eq. 8-16."""

import math
from functools import partial

from sympy import pi

from theory import spectral
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import SPECTRAL
from theory.spectral import scale

UNITARY = 0.15915494309189535  # 1/(2 pi): the prefactor whose inverse has none

REGIONS = tuple(
    {"regions": regions, "omega": omega, "scale": prefactor}
    for regions, omega, prefactor in (
        (((0.3, 0.8),), 1.1, 1.0),
        (((-0.6, 0.5),), -2.3, UNITARY),
        (((0.3, 0.8), (-1.5, 0.4)), 0.7, 1.0),
        (((0.3, 0.8), (-1.5, 0.4)), 3.1, UNITARY**0.5),
    )
)
PAIRS = tuple(
    {"width_1": first, "width_2": second, "time": time, "scale": prefactor}
    for first, second, time in ((1.2, 0.8, 0.5), (0.7, 1.5, -0.9), (1.0, 1.3, 1.7))
    for prefactor in (1.0, UNITARY)
)
PULSES = tuple(
    {"centre": centre, "half": half, "omega": omega, "scale": prefactor}
    for prefactor in (1.0, UNITARY)
    for centre, half, omega in ((0.4, 0.7, 1.3), (-1.2, 0.5, 2.1), (2.3, 1.9, -0.6))
)
KERNEL = r"\left[\sum_i 2L_i e^{-i\omega p_i}\operatorname{sinc}(\omega L_i)\right]"
PRODUCT = r"u_1(t) \cdot u_2(t) = "
CONVENTION = Condition(
    "the inverse transform has no factor 1/(2 pi), so that the transform itself has it",
    lambda scale, **_: math.isclose(2 * math.pi * scale, 1),
)
BARE = Condition("the transform has no factor 1/(2 pi)", lambda scale, **_: scale == 1)


def claims() -> tuple[Claim, ...]:
    """The spectral proposition and its examples."""
    return (
        _leakage("lru:8", "Eq. 8, Appendix E.1.1", r"\mathcal{F}_{u}(\omega)"),
        _leakage(
            "lru:propE.1", "Proposition E.1, Appendix E.1.1", r"\mathcal{F}_{u}(\omega)"
        ),
        *_products(),
        *_pulses(),
    )


def _leakage(claim_id: str, locator: str, spectrum: str) -> Claim:
    return Claim(
        claim_id,
        locator,
        Kind.IDENTITY,
        "What a ReLU does to the spectrum",
        r"\mathcal{F}_{\operatorname{ReLU}(u)} = " + spectrum + r" \star " + KERNEL,
        "evidence",
        Status.REFUTED,
        "theory.spectral.leakage_is_convolution",
        correction=r"\mathcal{F}_{\operatorname{ReLU}(u)} = \frac{1}{2\pi} "
        + spectrum
        + r" \star "
        + KERNEL,
        assumes="every region in which u is positive is bounded",
        evidence=Evidence(
            REGIONS,
            {"reference": f"{SPECTRAL}.rectified"},
            form=f"{SPECTRAL}.leaked",
            printed=f"{SPECTRAL}.leaked_as_printed",
            proof=spectral.leakage_is_convolution,
            tolerance=1e-11,
        ),
        note="A factor 1/(2 pi) is missing: the right side is 6.28 times too large. The "
        "proof takes the inverse transform without 1/(2 pi) (Eq. 10-14) and the pulse "
        "with the transform without it (Eq. 15). The factor is missing in every "
        "convention for angular frequency: the prefactor of the transform stands on "
        "both sides once.",
        inherits="No: only the shape of the kernel is used afterwards.",
        topic="spectral",
    )


def _products() -> tuple[Claim, ...]:
    first = r"\int_{-\infty}^{\infty} U_1(\nu) e^{i\nu t}\,d\nu"
    lines = (
        (10, "two integrals", "separate_integrals",
         rf"\left({first}\right) \cdot \left(\int_{{-\infty}}^{{\infty}} U_2(\xi) e^{{i\xi t}}"
         r"\,d\xi\right)"),
        (11, "one inside the other", "joint_integral",
         r"\int_{-\infty}^{\infty} U_1(\nu)\left(\int_{-\infty}^{\infty} U_2(\xi) "
         r"e^{i(\xi+\nu)t}\,d\xi\right)d\nu"),
        (12, "a new variable", "joint_integral",
         r"\int_{-\infty}^{\infty} U_1(\nu)\left(\int_{-\infty}^{\infty} U_2(\omega-\nu) "
         r"e^{i\omega t}\,d\omega\right)d\nu"),
        (13, "the order exchanged", "joint_integral",
         r"\int_{-\infty}^{\infty}\left(\int_{-\infty}^{\infty} U_1(\nu) U_2(\omega-\nu)\,"
         r"d\nu\right)e^{i\omega t}\,d\omega"),
    )  # fmt: skip
    return (
        Claim(
            "lru:9",
            "Eq. 9, Appendix E.1.1",
            Kind.IDENTITY,
            "Two signals from their spectra",
            PRODUCT + r"\mathcal{F}^{-1}_{U_1}(t) \cdot \mathcal{F}^{-1}_{U_2}(t)",
            "evidence",
            Status.PROVED,
            "theory.spectral.product_of_signals",
            spectral.product_of_signals,
            lambda: spectral.product_lines()[0] / (2 * pi * scale) ** 2,
            evidence=Evidence(
                PAIRS,
                {"reference": f"{SPECTRAL}.product_from_transforms"},
            ),
            note="In any convention in which one transform undoes the other.",
            topic="spectral",
        ),
        _by_convention("lru:10", "Eq. 10", lines[0][3], 0, "product_from_transforms"),
        *(
            Claim(
                f"lru:{number}",
                f"Eq. {number}, Appendix E.1.1",
                Kind.IDENTITY,
                f"The product of the two integrals: {what}",
                r"\dots = " + latex,
                "evidence",
                Status.PROVED,
                "theory.spectral.product_lines",
                partial(spectral.line_as_step, number),
                partial(_line, number),
                evidence=Evidence(PAIRS, {"reference": f"{SPECTRAL}.{routine}"}),
                note="A step from the line before, in any convention.",
                topic="spectral",
            )
            for number, what, routine, latex in lines[1:]
        ),
        _by_convention(
            "lru:14",
            "Eq. 14",
            r"\mathcal{F}^{-1}_{U_1 \star U_2}(t)",
            4,
            "product_from_convolution",
        ),
    )


def _line(number: int):
    return spectral.product_lines()[number - 10]


def _by_convention(
    claim_id: str, locator: str, latex: str, index: int, routine: str
) -> Claim:
    power = 2 if index == 0 else 1
    return Claim(
        claim_id,
        f"{locator}, Appendix E.1.1",
        Kind.IDENTITY,
        "A product of signals is a convolution of spectra",
        PRODUCT + r"\dots = " + latex,
        "evidence",
        Status.CONDITIONAL,
        "theory.spectral.product_lines",
        spectral.product_of_signals,
        lambda: spectral.product_lines()[index],
        corrected=lambda: spectral.product_lines()[index] / (2 * pi * scale) ** power,
        correction=PRODUCT
        + (r"\frac{1}{4\pi^2}" if power == 2 else r"\frac{1}{2\pi}")
        + latex,
        condition=CONVENTION,
        evidence=Evidence(
            PAIRS,
            {"reference": f"{SPECTRAL}.{routine}"},
        ),
        note="Under the transform without a factor, which Eq. 15 uses, the right side is "
        f"(2 pi)^{power} times too large; the correction is for that transform.",
        inherits="Yes: Eq. 8 and 16 miss this factor.",
        topic="spectral",
    )


def _pulses() -> tuple[Claim, ...]:
    return (
        Claim(
            "lru:15",
            "Eq. 15, Appendix E.1.1",
            Kind.IDENTITY,
            "Transform of one region's indicator",
            r"\mathcal{F}_{\chi[p_i - L_i, p_i + L_i]}(\omega) = e^{-i\omega p_i} "
            r"\mathcal{F}_{\chi[-L_i, L_i]}(\omega) = 2L_i e^{-i\omega p_i} "
            r"\operatorname{sinc}(\omega L_i)",
            "evidence",
            Status.CONDITIONAL,
            "theory.spectral.pulse",
            spectral.pulse,
            lambda: spectral.kernel(spectral.omega),
            correction=r"\mathcal{F}_{\chi[p_i - L_i, p_i + L_i]}(\omega) = \frac{1}{2\pi}"
            r"2L_i e^{-i\omega p_i} \operatorname{sinc}(\omega L_i)",
            corrected=lambda: scale * spectral.kernel(spectral.omega),
            condition=BARE,
            evidence=Evidence(
                PULSES,
                {"reference": f"{SPECTRAL}.pulse"},
            ),
            note="Right for the transform without a factor, but Eq. 10-14 are right only "
            "for the one with 1/(2 pi), for which the correction is.",
            inherits="Yes: Eq. 16 combines the two conventions.",
            topic="spectral",
        ),
        _leakage("lru:16", "Eq. 16, Appendix E.1.1", "U"),
    )
