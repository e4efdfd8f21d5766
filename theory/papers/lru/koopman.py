"""Orvieto et al. (2023), Appendix E.1.2: the Koopman operator, Eq. 17-24."""

from sympy import Expr, Matrix

from sigprop.theory import koopman
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

ADVANCED = r"\alpha f_1(S(x)) + \beta f_2(S(x))"


def advanced() -> Expr:
    """Return ``first x_1 + second x_2`` after a step of the map, without eigenfunctions."""
    image = koopman.toy_map(Matrix([koopman.x_1, koopman.x_2]))
    return koopman.first * image[0] + koopman.second * image[1]


# Of the map (x_1, x_2) -> (a_1 x_1, a_2 x_2 + coupling x_1^2).
BASIS = Condition(
    "the operator has a basis of eigenfunctions", lambda a_1, a_2, **_: a_1**2 != a_2
)
part = Part("Appendix E.1.2", "spectral", "sigprop.theory.koopman")

part.row(
    "lru:17",
    "definition",
    "definition",
    "The Koopman operator",
    r"(\mathcal{K}_S f)(x) := f(S(x))",
    code="toy_map",
    note="The test uses the observable x_2 of a quadratic map.",
)
for number, latex in (
    (18, r"\mathcal{K}_S(\alpha f_1 + \beta f_2)(x) = (\alpha f_1 + \beta f_2)(S(x))"),
    (19, r"(\alpha f_1 + \beta f_2)(S(x)) = " + ADVANCED),
    (20, ADVANCED + r" = \alpha (\mathcal{K}_S f_1)(x) + \beta (\mathcal{K}_S f_2)(x)"),
):
    part.row(
        f"lru:{number}",
        "identity",
        "proved",
        "The Koopman operator is linear",
        latex,
        code="koopman_is_linear",
        note="The equation holds for any map and any observables. The text adds that "
        "the operator is bounded, see lru:text:koopman-bounded.",
    )
part.row(
    "lru:21",
    "identity",
    "refuted",
    "An observable as a sum of eigenfunctions",
    r"\mathcal{K}_S f(x) = \mathcal{K}_S\left(\sum_{j=1}^{\infty} \nu_j "
    r"\phi_j\right)(x) = \sum_{j=1}^{\infty} \lambda_k \nu_j \phi_j(x)",
    derive=lambda: koopman.toy_observable(1),
    printed=koopman.toy_observable_as_printed,
    code="eigenfunctions_are_right",
    correction=r"\mathcal{K}_S f(x) = \sum_{j=1}^{\infty} \lambda_j \nu_j \phi_j(x)",
    corrected=advanced,
    assumes=BASIS,
    note="The paper prints lambda_k, but nothing defines k; it should be lambda_j. We "
    "take k = 1 for a map with three eigenfunctions.",
    erratum=Erratum("C", bearing="Eq. 22 has the diagonal matrix of all eigenvalues."),
)
part.row(
    "lru:22",
    "identity",
    "proved",
    "The state from powers of the eigenvalues",
    r"x_k = V \Lambda^k \Phi(x_0)",
    derive=koopman.toy_orbit,
    code="toy_orbit",
    assumes=Condition(
        "the operator is bounded and has a basis of eigenfunctions, in whose span the "
        "coordinates lie",
        BASIS.holds,
    ),
    note="In general the proof is one line: every step multiplies each eigenfunction "
    "by its eigenvalue. The symbolic proof is for a quadratic map with three "
    "eigenfunctions. The row lru:text:koopman-diagonal judges whether a basis exists.",
)
part.row(
    "lru:23",
    "definition",
    "definition",
    "The Koopman operator of a driven system",
    r"\mathcal{K}_S f(x, \tilde{u}) = f(S(x, u_0), \mathcal{L}(\tilde{u}))",
    code="sigprop.evidence.lru.koopman.driven_state",
)
part.row(
    "lru:24",
    "identity",
    "conditional",
    "A driven state from powers of the eigenvalues",
    r"x_k = V \Lambda_{(x,u)}^k \Phi(x_0, \tilde{u})",
    code="sigprop.evidence.lru.koopman.driven_state_by_modes",
    condition=Condition(
        "the inputs lie in a space on which the shift has a basis of "
        "eigenvectors, such as sums of decaying exponentials",
        lambda inputs, **_: inputs == "exponentials",
    ),
    note="The paper asks for an S that is regular enough, but the shift violates the "
    "statement for every S. On square-summable inputs it fails for x_(k+1) = lam x_k "
    "+ u_k. A functional a x + sum g_j u_j with eigenvalue mu needs mu g_j = g_(j-1). "
    "With a = 0 all g_j vanish. With a = 1 g_j = lam^-(j+1) grows, and the functional "
    "has no bound on such inputs. There is no other functional. So x is no sum of "
    "eigenfunctions, nor of the linear parts of smooth ones.",
    erratum=Erratum("D", inherits=("the implication for deep RNNs drawn from it",)),
)
