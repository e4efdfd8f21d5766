"""Orvieto et al. (2023): Eq. 17-30, the Koopman operator, real forms, the ring's law."""

from sympy import Expr, Matrix, exp, log

from theory import koopman, ring, spectral
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers import lru_equations_3
from theory.symbols import r, r_max, r_min, u1

REFERENCES = "sigprop.references.spectral"
RING = "sigprop.references.lru"
TOYS = "sigprop.references.lru_toys"
SEEDS = tuple({"seed": seed} for seed in (0, 1, 2))
ORBITS = tuple(
    {
        "a_1": a_1,
        "a_2": a_2,
        "coupling": coupling,
        "x_1": x_1,
        "x_2": x_2,
        "steps": steps,
    }
    for a_1, a_2, coupling, x_1, x_2, steps in (
        (0.8 + 0.3j, -0.5, 1.4, 0.7, 0.2 - 0.6j, 3),
        (-0.9, 0.4 + 0.6j, 0.6 - 0.8j, 1.3 + 0.4j, -0.5, 5),
        (1.1j, 0.7, -2.0, -0.6, 1.7, 2),
    )
)
OBSERVED = tuple(
    {**orbit, "first": first, "second": second}
    for orbit, first, second in zip(
        ORBITS, (0.7, -1.2 + 0.5j, 2.1j), (1.9j, 0.4, -0.8 + 0.3j), strict=True
    )
)
RADII = tuple(
    {"r": radius, "r_min": low, "r_max": high}
    for radius, low, high in ((0.6, 0.3, 0.8), (0.97, 0.9, 0.999), (0.45, 0.1, 0.7))
)
SHARES = tuple(
    {"u1": share, "r_min": low, "r_max": high}
    for share, low, high in ((0.3, 0.2, 0.9), (0.85, 0.5, 0.7), (0.6, 0.05, 0.6))
)
ADVANCED = r"\alpha f_1(S(x)) + \beta f_2(S(x))"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of the text."""
    return (*_koopman(), *_driven(), *_real_forms(), *_law(), *lru_equations_3.claims())


def _koopman() -> tuple[Claim, ...]:
    lines = (
        (18, r"\mathcal{K}_S(\alpha f_1 + \beta f_2)(x) = (\alpha f_1 + \beta f_2)(S(x))"),
        (19, r"(\alpha f_1 + \beta f_2)(S(x)) = " + ADVANCED),
        (20, ADVANCED + r" = \alpha (\mathcal{K}_S f_1)(x) + \beta (\mathcal{K}_S f_2)(x)"),
    )  # fmt: skip
    return (
        Claim(
            "lru:17",
            "Eq. 17, Appendix E.1.2",
            Kind.DEFINITION,
            "The Koopman operator",
            r"(\mathcal{K}_S f)(x) := f(S(x))",
            "evidence",
            Status.DEFINITION,
            "theory.koopman.toy_map",
            evidence=Evidence(
                tuple({**orbit, "steps": 1} for orbit in ORBITS),
                {"reference": "sigprop.references.koopman.toy_orbit"},
                form="sigprop.references.koopman.toy_advanced",
                alone="an observable of a map, taken one step on",
            ),
            note="Judged for the observable x_2 of a quadratic map.",
            topic="spectral",
        ),
        *(
            Claim(
                f"lru:{number}",
                f"Eq. {number}, Appendix E.1.2",
                Kind.IDENTITY,
                "The Koopman operator is linear",
                latex,
                "evidence",
                Status.PROVED,
                "theory.koopman.koopman_is_linear",
                evidence=Evidence(
                    OBSERVED,
                    {"reference": "sigprop.references.koopman.mixture_advanced"},
                    form="sigprop.references.koopman.advanced_mixture",
                    proof=koopman.koopman_is_linear,
                ),
                note="For any map and any observables; the text adds that the operator "
                "is bounded, see lru:text:koopman-bounded.",
                topic="spectral",
            )
            for number, latex in lines
        ),
        Claim(
            "lru:21",
            "Eq. 21, Appendix E.1.2",
            Kind.IDENTITY,
            "An observable in eigenfunctions",
            r"\mathcal{K}_S f(x) = \mathcal{K}_S\left(\sum_{j=1}^{\infty} \nu_j \phi_j"
            r"\right)(x) = \sum_{j=1}^{\infty} \lambda_k \nu_j \phi_j(x)",
            "evidence",
            Status.REFUTED,
            "theory.koopman.eigenfunctions_are_right",
            lambda: koopman.toy_observable(1),
            lambda: koopman.toy_observable_as_printed(),
            correction=r"\mathcal{K}_S f(x) = \sum_{j=1}^{\infty} \lambda_j \nu_j \phi_j(x)",
            corrected=_advanced,
            condition="the operator has a basis of eigenfunctions",
            evidence=Evidence(
                OBSERVED, {"reference": "sigprop.references.koopman.mixture_advanced"}
            ),
            note="The eigenvalue carries the index k, which nothing binds; it must be j. "
            "Judged with k = 1 for a map with three eigenfunctions.",
            inherits="No: Eq. 22 has a diagonal matrix of all eigenvalues.",
            topic="spectral",
        ),
        Claim(
            "lru:22",
            "Eq. 22, Appendix E.1.2",
            Kind.IDENTITY,
            "The state from powers of the eigenvalues",
            r"x_k = V \Lambda^k \Phi(x_0)",
            "evidence",
            Status.PROVED,
            "theory.koopman.toy_orbit",
            koopman.toy_orbit,
            condition="the operator has a basis of eigenfunctions",
            evidence=Evidence(
                ORBITS,
                {"reference": "sigprop.references.koopman.toy_orbit"},
                proof=koopman.orbit_is_right,
            ),
            note="Exact for a quadratic map with three eigenfunctions. Whether there is a "
            "basis in general is judged in lru:text:koopman-diagonal.",
            topic="spectral",
        ),
    )


def _advanced() -> Expr:
    """``first x_1 + second x_2`` at the image of the point, without eigenfunctions."""
    image = koopman.toy_map(Matrix([koopman.x_1, koopman.x_2]))
    return koopman.first * image[0] + koopman.second * image[1]


def _driven() -> tuple[Claim, ...]:
    def point(lam: complex, x: complex, k: int, inputs: str) -> dict[str, object]:
        return {"lam": lam, "x": x, "k": k, "inputs": inputs}

    starts = ((0.6 + 0.2j, 0.3, 4), (-0.7, 1.1 - 0.4j, 3), (0.9j, -0.5, 6))
    return (
        Claim(
            "lru:23",
            "Eq. 23, Appendix E.1.2",
            Kind.DEFINITION,
            "The Koopman operator of a driven system",
            r"\mathcal{K}_S f(x, \tilde{u}) = f(S(x, u_0), \mathcal{L}(\tilde{u}))",
            "evidence",
            Status.DEFINITION,
            "sigprop.references.koopman.driven_state",
            evidence=Evidence(
                tuple(point(*begin, "impulse") for begin in starts),
                {"reference": "sigprop.references.koopman.driven_state"},
                form="sigprop.references.koopman.extended_state",
                alone="state and inputs as one autonomous map, against the recurrence",
            ),
            topic="spectral",
        ),
        Claim(
            "lru:24",
            "Eq. 24, Appendix E.1.2",
            Kind.IDENTITY,
            "A driven state from powers of the eigenvalues",
            r"x_k = V \Lambda_{(x,u)}^k \Phi(x_0, \tilde{u})",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.koopman.driven_state_by_modes",
            condition="the inputs lie in a space on which the shift has a basis of "
            "eigenvectors, such as sums of decaying exponentials",
            evidence=Evidence(
                tuple(point(*begin, "exponentials") for begin in starts),
                {"reference": "sigprop.references.koopman.driven_state"},
                form="sigprop.references.koopman.driven_state_by_modes",
                outside=tuple(point(*begin, "impulse") for begin in starts),
                alone="the expansion against the recurrence that it claims to be",
            ),
            note="On square-summable inputs it fails for the linear recurrence itself. A "
            "functional a x + sum g_j u_j with eigenvalue mu needs mu g_j = g_(j-1): with "
            "a = 0 all g_j vanish, and with a = 1 they grow like lam^-j. So x alone is no "
            "sum of eigenfunctions, nor of the linear parts of smooth ones.",
            inherits="Yes: the implication drawn for deep RNNs rests on it.",
            topic="spectral",
        ),
    )


def _real_forms() -> tuple[Claim, ...]:
    matrix = (
        r"\begin{pmatrix} \Re(\lambda) & %s\Im(\lambda) \\ %s\Im(\lambda) & "
        r"\Re(\lambda) \end{pmatrix}"
    )
    return (
        Claim(
            "lru:25",
            "Eq. 25, Appendix E.3",
            Kind.IDENTITY,
            "A pair of conjugate eigenvectors",
            r"A V = V \begin{pmatrix} \lambda & 0 \\ 0 & \lambda^* \end{pmatrix} =: V "
            r"\Lambda",
            "evidence",
            Status.PROVED,
            "theory.koopman.conjugate_is_eigenvalue",
            condition="A is real",
            evidence=Evidence(
                SEEDS,
                {"reference": f"{TOYS}.image_of_pair"},
                form=f"{TOYS}.pair_times_diagonal",
                proof=koopman.conjugate_is_eigenvalue,
            ),
            topic="models",
        ),
        Claim(
            "lru:26",
            "Eq. 26, Appendix E.3",
            Kind.IDENTITY,
            "The action on real and imaginary parts",
            r"A \tilde{V} = \tilde{V} " + matrix % ("-", "") + r" =: \tilde{V} "
            r"\tilde{\Lambda},\quad \tilde{V} = [\Re(v), \Im(v)]",
            "evidence",
            Status.REFUTED,
            "theory.koopman.rotation_block",
            correction=r"A \tilde{V} = \tilde{V} " + matrix % ("", "-"),
            condition="A is real",
            evidence=Evidence(
                SEEDS,
                {"reference": f"{TOYS}.image_of_parts"},
                form=f"{TOYS}.parts_times_block",
                printed=f"{TOYS}.parts_times_printed_block",
                proof=koopman.block_acts_on_parts,
            ),
            note="The block is transposed: the two lines before it give A Re v = Re(lam) "
            "Re v - Im(lam) Im v, the first column. The printed one is right for the "
            "basis [Re v, -Im v], or for conj(lam). Only if the extraction read the block "
            "by columns is the paper right.",
            inherits="No: either block has the same eigenvalues and the same algebra.",
            topic="models",
        ),
    )


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
            condition=rings,
            evidence=Evidence(RADII, {"reference": f"{RING}.area_share"}),
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
            condition=rings,
            evidence=Evidence(by_nu, {"reference": f"{RING}.area_share_of_exponent"}),
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
            condition=rings,
            evidence=Evidence(SHARES, {"reference": f"{RING}.share_of_sampled"}),
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
            evidence=Evidence(SHARES, {"reference": f"{RING}.squared_radius"}),
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
            evidence=Evidence(SHARES, {"reference": f"{RING}.sampled_exponent"}),
            as_extracted=True,
            note="Our copy scatters this line and drops its squares; judged is the line "
            "with the squares, which Lemma 3.2 has.",
            topic="ring",
        ),
    )
