"""Orvieto et al. (2023), Appendix E.1.2: the Koopman operator, Eq. 17-24."""

from sympy import Expr, Matrix

from theory import koopman
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence

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
ADVANCED = r"\alpha f_1(S(x)) + \beta f_2(S(x))"


def claims() -> tuple[Claim, ...]:
    """Eq. 17 to 24."""
    return (*_koopman(), *_driven())


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
            assumes="the operator has a basis of eigenfunctions",
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
            assumes="the operator has a basis of eigenfunctions",
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
            condition=Condition(
                "the inputs lie in a space on which the shift has a basis of "
                "eigenvectors, such as sums of decaying exponentials",
                lambda inputs, **_: inputs == "exponentials",
            ),
            evidence=Evidence(
                tuple(
                    point(*begin, inputs)
                    for inputs in ("exponentials", "impulse")
                    for begin in starts
                ),
                {"reference": "sigprop.references.koopman.driven_state"},
                form="sigprop.references.koopman.driven_state_by_modes",
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
