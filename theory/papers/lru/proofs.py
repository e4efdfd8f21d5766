"""Orvieto et al. (2023), Appendix F: the proofs on the ring, Eq. 27-41."""

from sympy import Expr, exp, log

from theory import ring, spectral
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.lru.rows import LRU
from theory.symbols import lam, lam_bar, r, r_max, r_min, u1

RADII = tuple(
    {"r": radius, "r_min": low, "r_max": high}
    for radius, low, high in ((0.6, 0.3, 0.8), (0.97, 0.9, 0.999), (0.45, 0.1, 0.7))
)
SHARES = tuple(
    {"u1": share, "r_min": low, "r_max": high}
    for share, low, high in ((0.3, 0.2, 0.9), (0.85, 0.5, 0.7), (0.6, 0.05, 0.6))
)
CONSTANT = tuple(
    {"lam": lam, "energy": energy}
    for lam, energy in ((0.6 + 0.3j, 1.7), (-0.7, 0.4), (0.2 - 0.9j, 2.3))
)
RINGS = tuple(
    {"r_min": low, "r_max": high} for low, high in ((0.3, 0.8), (0.1, 0.6), (0.7, 0.85))
)
WITHIN = tuple(
    {**radii, "r": radius} for radii, radius in zip(RINGS, (0.5, 0.4, 0.8), strict=True)
)
ONE_SUM = r"\sum_{n=1}^{\infty}"
TWO_SUMS = ONE_SUM + r"\sum_{m=1}^{\infty}"
MEAN = r"\mathbb{E}_{\lambda \sim \mathbb{T}(r_{\min}, r_{\max})}\left[" + TWO_SUMS
POWERS = r"\lambda^n (\lambda^m)^*"
OVER_AREA = r"\frac{1}{r_{\max}^2 - r_{\min}^2}"
SHORT = (
    "The sums of Eq. 31-37 begin with age 1 and drop the newest input; Eq. 38 sums from 0 "
    "without saying so."
)
STEP = "True as a step between two forms that both sum from age 1. " + SHORT


def claims() -> tuple[Claim, ...]:
    """Eq. 27 to 41."""
    return (*_law(), *_norms(), _sampling(), *_steps(), _jump(), *_integrals())


def _law() -> tuple[Claim, ...]:
    uniform = (exp(-2 * spectral.nu) - r_min**2) / (r_max**2 - r_min**2)
    fraction = r"\frac{e^{-2\nu} - r_{\min}^2}{r_{\max}^2 - r_{\min}^2}"
    by_nu = tuple(
        {"nu": nu, "r_min": low, "r_max": high}
        for nu, low, high in ((0.5, 0.3, 0.8), (0.03, 0.9, 0.999), (1.2, 0.1, 0.7))
    )
    rings = "r_min < r_max"
    return (
        Claim(
            "lru:27",
            "Eq. 27, Appendix F.1",
            Kind.DISTRIBUTION,
            "Distribution function of the radius",
            r"F(r) = \frac{r^2 - r_{\min}^2}{r_{\max}^2 - r_{\min}^2}",
            "evidence",
            Status.PROVED,
            "theory.ring.radius_cdf",
            lambda: spectral.area_law(),
            lambda: (r**2 - r_min**2) / (r_max**2 - r_min**2),
            assumes=rings,
            evidence=Evidence(RADII, {"reference": f"{LRU}.area_share"}),
            note="The lemma allows r_min = r_max, where this is 0/0 and the radius is "
            "certain.",
            topic="ring",
        ),
        Claim(
            "lru:28",
            "Eq. 28, Appendix F.1",
            Kind.DISTRIBUTION,
            "The same in the exponent",
            r"F(r) = " + fraction,
            "evidence",
            Status.PROVED,
            "theory.ring.radius_cdf",
            lambda: spectral.area_law(exp(-spectral.nu)),
            lambda: uniform,
            assumes=rings,
            evidence=Evidence(by_nu, {"reference": f"{LRU}.area_share_of_exponent"}),
            note="It falls as nu grows, so it is one minus the distribution function of "
            "nu; sampling by its inverse is right because 1 - u is uniform too.",
            topic="ring",
        ),
        Claim(
            "lru:29",
            "Eq. 29, Appendix F.1",
            Kind.DISTRIBUTION,
            "The share set equal to a uniform number",
            r"u = " + fraction,
            "evidence",
            Status.PROVED,
            "theory.ring.sampled_nu",
            lambda: spectral.share_of_sampled(),
            lambda: u1,
            assumes=rings,
            evidence=Evidence(SHARES, {"reference": f"{LRU}.share_of_sampled"}),
            note="Judged at the nu that Lemma 3.2 draws: the share of the area within "
            "exp(-nu) is u again.",
            topic="ring",
        ),
        Claim(
            "lru:30",
            "Eq. 30, Appendix F.1",
            Kind.DISTRIBUTION,
            "The squared radius is uniform",
            r"e^{-2\nu} = (r_{\max}^2 - r_{\min}^2) u + r_{\min}^2",
            "evidence",
            Status.PROVED,
            "theory.ring.sampled_nu",
            lambda: spectral.squared_radius(),
            lambda: (r_max**2 - r_min**2) * u1 + r_min**2,
            evidence=Evidence(SHARES, {"reference": f"{LRU}.squared_radius"}),
            topic="ring",
        ),
        Claim(
            "lru:text:nu",
            "line after Eq. 30, Appendix F.1",
            Kind.DISTRIBUTION,
            "The exponent solved for",
            r"\nu = -\frac{1}{2}\log\left((r_{\max} - r_{\min})u + r_{\min}\right)",
            "evidence",
            Status.PROVED,
            "theory.ring.sampled_nu",
            ring.sampled_nu,
            lambda: -log((r_max**2 - r_min**2) * u1 + r_min**2) / 2,
            evidence=Evidence(SHARES, {"reference": f"{LRU}.sampled_exponent"}),
            as_extracted=True,
            note="Our copy scatters this line and drops its squares; judged is the line "
            "with the squares, which Lemma 3.2 has.",
            topic="ring",
        ),
    )


def _norms() -> tuple[Claim, ...]:
    rows = (
        (31, r"\|x_\infty\|_2^2 = %s \tilde{u}_{k-m}^{*} (\Lambda^m)^{*} \Lambda^n "
         r"\tilde{u}_{k-n}"),
        (32, r"\|x_\infty\|_2^2 = \tilde{u}^{*}\left[%s (\Lambda^m)^{*} \Lambda^n"
         r"\right]\tilde{u}"),
    )  # fmt: skip
    right = r"\sum_{n=0}^{\infty}\sum_{m=0}^{\infty}"
    return tuple(
        Claim(
            f"lru:{number}",
            f"Eq. {number}, Appendix F.2",
            Kind.IDENTITY,
            "Squared norm of the state under constant input",
            latex % TWO_SUMS,
            "evidence",
            Status.REFUTED,
            "theory.spectral.energy_of_constant",
            lambda: spectral.energy_of_constant(0),
            lambda: spectral.energy_of_constant(1).result,
            correction=latex % right,
            corrected=lambda: spectral.energy / ((1 - lam) * (1 - lam_bar)),
            assumes="|lambda| < 1, constant input",
            evidence=Evidence(CONSTANT, {"reference": f"{LRU}.simulated_energy"}),
            note="Without age 0 each mode's energy is |lam|^2 times what it is, so too "
            "small by the share 1 - |lam|^2. " + SHORT,
            inherits="Eq. 32-37 do; Eq. 38-41 and Proposition 3.3 do not.",
            topic="ring",
        )
        for number, latex in rows
    )


def _sampling() -> Claim:
    return Claim(
        "lru:33",
        "Eq. 33, Appendix F.2",
        Kind.DISTRIBUTION,
        "A uniform point of the ring by its squared radius",
        r"\lambda = r^{\frac{1}{2}} e^{i 2\pi\theta},\quad r \sim \mathcal{U}[r_{\min}^2, "
        r"r_{\max}^2],\quad \theta \sim \mathcal{U}[0, 1]",
        "evidence",
        Status.PROVED,
        "theory.ring.radius_cdf",
        spectral.area_law,
        _uniform_square,
        assumes="r_min < r_max",
        evidence=Evidence(WITHIN, {"reference": f"{LRU}.area_share"}),
        note="Judged is the law of |lam|. The letter r is the squared modulus here and "
        "the modulus in Eq. 27, and theta counts turns, not radians.",
        topic="ring",
    )


def _uniform_square() -> Expr:
    """``P(r^(1/2) <= s)`` for ``r`` uniform between the squared radii."""
    return (r**2 - r_min**2) / (r_max**2 - r_min**2)


def _steps() -> tuple[Claim, ...]:
    rows = (
        (34, "polar coordinates", "ring_power_sum", MEAN + POWERS + r"\right] = "
         r"\mathbb{E}_{r,\theta}\left[" + TWO_SUMS + r" r^{\frac{1}{2}(n+m)} "
         r"e^{i 2\pi(n-m)\theta}\right]", "ring_double_sum"),
        (35, "radius and phase apart", "ring_power_sum", r"\dots = " + TWO_SUMS +
         r" \mathbb{E}_r\left[r^{\frac{1}{2}(n+m)}\right] \mathbb{E}_\theta\left["
         r"e^{i 2\pi(n-m)\theta}\right]", "ring_term_by_term"),
        (36, "the phase leaves equal ages", "ring_double_sum", MEAN + POWERS +
         r"\right] = " + ONE_SUM + r" \mathbb{E}_r[r^n]", "ring_power_sum"),
        (37, "sum and mean exchanged", "ring_power_sum", r"\dots = \mathbb{E}_r\left[" +
         ONE_SUM + r" r^n\right]", "ring_double_sum"),
    )  # fmt: skip
    return tuple(
        Claim(
            f"lru:{number}",
            f"Eq. {number}, Appendix F.2",
            Kind.MOMENT,
            f"The mean double sum: {what}",
            latex,
            "evidence",
            Status.PROVED if number > 35 else Status.CONFIRMED,
            "theory.spectral.ring_series",
            derive=(lambda: spectral.ring_series(1)) if number > 35 else None,
            printed=_from_one if number < 36 else None,
            assumes="r_max < 1, phases uniform on the whole circle",
            evidence=Evidence(
                RINGS,
                {"reference": f"{LRU}.{route}", "quadrature": f"{LRU}.{other}"},
                tolerance=1e-9,
            ),
            note=STEP,
            topic="ring",
        )
        for number, what, other, latex, route in rows
    )


def _jump() -> Claim:
    return Claim(
        "lru:38",
        "Eq. 38, Appendix F.2",
        Kind.MOMENT,
        "The geometric series summed",
        r"\mathbb{E}_r\left["
        + ONE_SUM
        + r" r^n\right] = \mathbb{E}_r\left[\frac{1}{1-r}"
        r"\right]",
        "evidence",
        Status.REFUTED,
        "theory.spectral.ring_series",
        lambda: spectral.ring_series(1),
        lambda: spectral.ring_series(0).result,
        correction=r"\mathbb{E}_r\left[\sum_{n=0}^{\infty} r^n\right] = \mathbb{E}_r\left["
        r"\frac{1}{1-r}\right],\quad \mathbb{E}_r\left[" + ONE_SUM + r" r^n\right] = "
        r"\mathbb{E}_r\left[\frac{r}{1-r}\right]",
        corrected=_from_one,
        assumes="r_max < 1",
        evidence=Evidence(RINGS, {"reference": f"{LRU}.ring_power_sum"}),
        note="The right side exceeds the left by exactly one: the age 0 that Eq. 31-37 "
        "drop. Two slips cancel, and Proposition 3.3 is right.",
        inherits="No: the result is that of the sums from 0, which the model has.",
        topic="ring",
    )


def _from_one() -> Expr:
    """``E[1/(1-r)] - 1``."""
    return spectral.ring_series(0).result - 1


def _gain() -> Derivation:
    return start("the mean resolvent", ring.gain().result)


def _integrals() -> tuple[Claim, ...]:
    rows = (
        (39, "the density of r", OVER_AREA + r"\int_{r_{\min}^2}^{r_{\max}^2} "
         r"\frac{1}{1-r}\,dr", lambda: spectral.ring_series(0).result),
        (40, "the primitive", OVER_AREA + r"\left(-\log(|1 - r_{\max}^2|) + \log(|1 - "
         r"r_{\min}^2|)\right)",
         lambda: (log(1 - r_min**2) - log(1 - r_max**2)) / (r_max**2 - r_min**2)),
        (41, "one logarithm", OVER_AREA + r"\log\left(\frac{1 - r_{\min}^2}{1 - "
         r"r_{\max}^2}\right)",
         lambda: log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2)),
    )  # fmt: skip
    return tuple(
        Claim(
            f"lru:{number}",
            f"Eq. {number}, Appendix F.2",
            Kind.MOMENT,
            f"The mean resolvent: {what}",
            r"\mathbb{E}_r\left[\frac{1}{1-r}\right] = " + latex,
            "evidence",
            Status.PROVED,
            "theory.ring.gain",
            _gain,
            printed,
            assumes="r_min < r_max < 1",
            evidence=Evidence(RINGS, {"reference": f"{LRU}.ring_mean_resolvent"}),
            topic="ring",
        )
        for number, what, latex, printed in rows
    )
