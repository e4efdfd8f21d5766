"""Orvieto et al. (2023), Appendix F: the proofs on the ring, Eq. 27-41."""

from sympy import Expr, exp, log

from sigprop.theory import ring, spectral
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import inside, is_open_ring, is_ring
from sigprop.theory.derivation import start
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar, r, r_max, r_min, u1

SHARE = r"\frac{e^{-2\nu} - r_{\min}^2}{r_{\max}^2 - r_{\min}^2}"
ONE_SUM = r"\sum_{n=1}^{\infty}"
TWO_SUMS = ONE_SUM + r"\sum_{m=1}^{\infty}"
SUMS_FROM_ZERO = r"\sum_{n=0}^{\infty}\sum_{m=0}^{\infty}"
MEAN = r"\mathbb{E}_{\lambda \sim \mathbb{T}(r_{\min}, r_{\max})}\left[" + TWO_SUMS
POWERS = r"\lambda^n (\lambda^m)^*"
OVER_AREA = r"\frac{1}{r_{\max}^2 - r_{\min}^2}"
SHORT = (
    "The paper sums from lag 1 in Eq. 31-37; it should be from lag 0. The printed sums drop "
    "the newest input. Eq. 38 sums from 0 without saying so."
)


def from_one() -> Expr:
    """Return ``E[1/(1-r)] - 1``."""
    return spectral.ring_series(0).result - 1


RING = Condition("r_min < r_max", is_ring)
part = Part("Appendix F.1", "ring", "sigprop.theory.ring")

part.row(
    "lru:27",
    "distribution",
    "proved",
    "Distribution function of the radius",
    r"F(r) = \frac{r^2 - r_{\min}^2}{r_{\max}^2 - r_{\min}^2}",
    derive=spectral.area_distribution,
    printed=lambda: (r**2 - r_min**2) / (r_max**2 - r_min**2),
    code="radius_cdf",
    assumes=RING,
    note="The lemma allows r_min = r_max. There the formula is 0/0 and the radius is "
    "certain.",
)
part.row(
    "lru:28",
    "distribution",
    "proved",
    "The distribution function in terms of the exponent",
    r"F(r) = " + SHARE,
    derive=lambda: spectral.area_distribution(exp(-spectral.nu)),
    printed=lambda: (exp(-2 * spectral.nu) - r_min**2) / (r_max**2 - r_min**2),
    code="radius_cdf",
    assumes=RING,
    note="The formula falls as nu grows, so it is one minus the distribution function "
    "of nu. Sampling by its inverse is right, because 1 - u is uniform too.",
)
part.row(
    "lru:29",
    "definition",
    "definition",
    "The fraction of the area set equal to a uniform number",
    r"u = " + SHARE,
    derive=spectral.share_of_sampled,
    printed=lambda: u1,
    code="sampled_nu",
    assumes=RING,
    note="The equation defines the sample. At the nu that Lemma 3.2 samples, the "
    "fraction of the area within exp(-nu) is u again.",
)
part.row(
    "lru:30",
    "distribution",
    "proved",
    "The squared radius is uniform",
    r"e^{-2\nu} = (r_{\max}^2 - r_{\min}^2) u + r_{\min}^2",
    derive=spectral.squared_radius,
    printed=lambda: (r_max**2 - r_min**2) * u1 + r_min**2,
    code="sampled_nu",
)
part.row(
    "lru:text:nu",
    "distribution",
    "proved",
    "The exponent, solved for",
    r"\nu = -\frac{1}{2}\log\left((r_{\max}^2 - r_{\min}^2)u + r_{\min}^2\right)",
    where="line after Eq. 30",
    derive=ring.sampled_nu,
    printed=lambda: -log((r_max**2 - r_min**2) * u1 + r_min**2) / 2,
    code="sampled_nu",
    as_extracted=True,
    note="Our copy scatters the line: its logarithm and its three squares stand elsewhere.",
)

gain = part.at("Appendix F.2", code="sigprop.theory.spectral")

for number, latex in (
    (
        31,
        r"\|x_\infty\|_2^2 = %s \tilde{u}_{k-m}^{*} (\Lambda^m)^{*} \Lambda^n "
        r"\tilde{u}_{k-n}",
    ),
    (
        32,
        r"\|x_\infty\|_2^2 = \tilde{u}^{*}\left[%s (\Lambda^m)^{*} \Lambda^n"
        r"\right]\tilde{u}",
    ),
):
    gain.row(
        f"lru:{number}",
        "identity",
        "refuted",
        "Squared norm of the state under constant input",
        latex % TWO_SUMS,
        derive=lambda: spectral.energy_of_constant(0),
        printed=lambda: spectral.energy_of_constant(1).result,
        code="energy_of_constant",
        correction=latex % SUMS_FROM_ZERO,
        corrected=lambda: spectral.energy / ((1 - lam) * (1 - lam_bar)),
        assumes=Condition("|lambda| < 1, constant input", inside("lam")),
        note=f"{SHORT} So the printed energy of each mode is |lam|^2 times the true "
        "energy.",
        erratum=Erratum("B", root="lru:31")
        if number == 32
        else Erratum(
            "B",
            appears_in=(
                "lru:32",
                *(f"lru:{n}" for n in range(34, 39)),
                "the last paragraph of the proof, for white noise",
            ),
            bearing="Eq. 34-37 are right as steps. Eq. 38 repairs the sum, so that "
            "Eq. 39-41 and Proposition 3.3 hold.",
        ),
    )
gain.row(
    "lru:33",
    "distribution",
    "proved",
    "A uniform point of the ring in terms of its squared radius",
    r"\lambda = r^{\frac{1}{2}} e^{i 2\pi\theta},\quad r \sim \mathcal{U}[r_{\min}^2, "
    r"r_{\max}^2],\quad \theta \sim \mathcal{U}[0, 1]",
    derive=spectral.area_distribution,
    printed=lambda: (r**2 - r_min**2) / (r_max**2 - r_min**2),
    code="sigprop.theory.ring.radius_cdf",
    assumes=RING,
    note="The test concerns the distribution of |lam|. The letter r is the squared modulus "
    "here and the modulus in Eq. 27, and theta counts turns, not radians.",
)
for number, step, latex in (
    (
        34,
        "polar coordinates",
        MEAN + POWERS + r"\right] = \mathbb{E}_{r,\theta}\left[" + TWO_SUMS + r" "
        r"r^{\frac{1}{2}(n+m)} e^{i 2\pi(n-m)\theta}\right]",
    ),
    (
        35,
        "radius and phase apart",
        r"\dots = " + TWO_SUMS + r" \mathbb{E}_r\left[r^{\frac{1}{2}(n+m)}\right] "
        r"\mathbb{E}_\theta\left[e^{i 2\pi(n-m)\theta}\right]",
    ),
    (
        36,
        "the phase average leaves equal lags",
        MEAN + POWERS + r"\right] = " + ONE_SUM + r" \mathbb{E}_r[r^n]",
    ),
    (
        37,
        "sum and mean exchanged",
        r"\dots = \mathbb{E}_r\left[" + ONE_SUM + r" r^n\right]",
    ),
):
    gain.row(
        f"lru:{number}",
        "moment",
        "confirmed",
        f"The mean double sum: {step}",
        latex,
        printed=from_one,
        code="ring_series",
        assumes=Condition(
            "r_max < 1, phases uniform on the whole circle", inside("r_max")
        ),
        note=f"True as a step between two forms that both sum from lag 1. {SHORT}",
    )
gain.row(
    "lru:38",
    "moment",
    "refuted",
    "The sum of the geometric series",
    r"\mathbb{E}_r\left[" + ONE_SUM + r" r^n\right] = "
    r"\mathbb{E}_r\left[\frac{1}{1-r}\right]",
    derive=lambda: spectral.ring_series(0),
    printed=from_one,
    code="ring_series",
    correction=r"\mathbb{E}_r\left[\sum_{n=0}^{\infty} r^n\right] = "
    r"\mathbb{E}_r\left[\frac{1}{1-r}\right]",
    corrected=lambda: spectral.ring_series(0).result,
    assumes=Condition("r_max < 1", inside("r_max")),
    note="The right side exceeds the left side by exactly 1, the term of lag 0 that "
    "Eq. 31-37 drop. The two errors cancel, and Proposition 3.3 is right.",
    erratum=Erratum("B", root="lru:31"),
)
for number, step, latex, printed in (
    (
        39,
        "the density of r",
        r"\int_{r_{\min}^2}^{r_{\max}^2} \frac{1}{1-r}\,dr",
        lambda: spectral.ring_series(0).result,
    ),
    (
        40,
        "the primitive",
        r"\left(-\log(|1 - r_{\max}^2|) + \log(|1 - r_{\min}^2|)\right)",
        lambda: (log(1 - r_min**2) - log(1 - r_max**2)) / (r_max**2 - r_min**2),
    ),
    (
        41,
        "one logarithm",
        r"\log\left(\frac{1 - r_{\min}^2}{1 - r_{\max}^2}\right)",
        lambda: log((1 - r_min**2) / (1 - r_max**2)) / (r_max**2 - r_min**2),
    ),
):
    gain.row(
        f"lru:{number}",
        "moment",
        "proved",
        f"The mean of 1/(1 - r): {step}",
        r"\mathbb{E}_r\left[\frac{1}{1-r}\right] = " + OVER_AREA + latex,
        derive=lambda: start(
            "The mean of 1/(1 - r) is", ring.gain().result, r"\mathbb{E}_r[1/(1-r)]"
        ),
        printed=printed,
        code="sigprop.theory.ring.gain",
        assumes=Condition("r_min < r_max < 1", is_open_ring),
    )
