"""Zucchet & Orvieto (2024), Section 2.3: dense networks, Eq. 8 and 9."""

from sigprop.theory import recurrences
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import EXCITED
from sigprop.theory.rows import Part

part = Part("Section 2.3", "backward", "sigprop.evidence.zucchet.curse.dense")

part.row(
    "zucchet:8",
    "identity",
    "proved",
    "A dense linear recurrence in its eigenbasis",
    r"h_t = P h_t^{\text{diag}} \text{ with } h_{t+1}^"
    r"{\text{diag}} = \text{diag}(\lambda) h_t^{\text{diag}} + P^{-1} x_{t+1}",
    code="sigprop.linear.linearise.Modes",
    topic="forward",
    assumes="h_{t+1} = A h_t + x_{t+1}, where A is diagonalisable",
    note="The index of the input is a convention. The text before Eq. 8 has x_t, and "
    "Eq. 1, 8, 62 and 65 have x_{t+1}. We take x_{t+1} on both sides. Stationary "
    "moments do not depend on the choice.",
)
part.row(
    "zucchet:text:diagonalisable",
    "text",
    "proved",
    "A random matrix is diagonalisable with probability one",
    r"\text{A random matrix } A \in \mathbb{R}^{n \times n} \text{ has } n \text{ "
    r"independent eigenvectors in } \mathbb{C}^n \text{ with probability one}",
    where="text before Eq. 8",
    code="independent_eigenvectors",
    topic="models",
    assumes="the entries have a joint density, as those of Appendix A.1 have",
    note="The discriminant of the characteristic polynomial is a polynomial in the "
    "entries. It is not zero at diag(1, ..., n), so its zeros have probability zero. "
    "Appendix A.1 repeats the statement: almost surely. Without a density it may fail: "
    "a matrix of random signs has equal eigenvalues with a positive probability.",
)
part.row(
    "zucchet:9",
    "identity",
    "confirmed",
    "Sensitivity to a dense matrix: readout, eigenvalues and input",
    r"\frac{\mathrm{d}h_t}{\mathrm{d}A} = \frac{\partial h_t}{\partial P} \frac{"
    r"\partial P}{\partial A} + \frac{\partial h_t}{\partial h_t^{\mathrm{diag}}} "
    r"\frac{\mathrm{d}h_t^{\mathrm{diag}}}{\mathrm{d}\lambda} \frac{\partial "
    r"\lambda}{\partial A} + \frac{\partial h_t}{\partial h_t^{\mathrm{diag}}} \frac"
    r"{\mathrm{d}h_t^{\mathrm{diag}}}{\mathrm{d}P^{-1}} \frac{\partial P^{-1}}{"
    r"\partial A}",
    code="moved_by_terms",
    assumes="the eigenvalues of A are distinct, which almost all A satisfy",
    note="Eq. 67 repeats the equation. The test uses two random matrices along a "
    "random direction, with the perturbation of eigenvalues and eigenvectors: dlambda "
    "= diag(P^-1 dA P), dP = P M, dP^-1 = -M P^-1. The first and the last term depend "
    "on the scales of the eigenvectors; the sum of the two terms does not.",
)
part.row(
    "zucchet:text:dominating-term",
    "limit",
    "conditional",
    "The eigenvalue term dominates for |lambda| -> 1",
    r"|\lambda| \to 1:\quad \mathrm{d}_A h_t \simeq \partial_{h_t^{\text{diag}}} "
    r"h_t\, \mathrm{d}_\lambda h_t^{\text{diag}}\, \partial_A \lambda",
    where="text after Eq. 9",
    code="share_left",
    assumes="distinct eigenvalues, as in Appendix B.2.3",
    condition=Condition(EXCITED, lambda source, **_: source == "white"),
    note="We compare every entry of a generic 3 by 3 matrix with eigenvalues at the "
    "angles 1.1, -1.1 and pi. Under white input the whole derivative grows as 1/gap^3 "
    "and the remainder without this term as 1/gap, like the state. So the omitted "
    "fraction falls as gap^2. Under constant input nothing diverges, and the term is "
    "no larger than the others. Appendix B.2.3 repeats the statement "
    "(zucchet:text:dominance).",
    erratum=Erratum("D", root="zucchet:text:state-diverges"),
)
part.row(
    "zucchet:text:all-eigenvalues",
    "text",
    "confirmed",
    "Each entry of a dense matrix moves all its eigenvalues",
    r"\text{An entry } A_{ij} \text{ of a typical matrix impacts all eigenvalues } "
    r"\lambda_k: \quad \frac{\partial \lambda_k}{\partial A_{ij}} \neq 0 \text{ for all } "
    r"i, j, k",
    where="text after Eq. 9",
    code="eigenvalues_moved",
    assumes="a generic A; in a triangular matrix only the diagonal moves eigenvalues",
    note="The count of the n^3 derivatives that are above 1e-6 in size is n^3 for "
    "matrices of three draws and of 3 to 6 rows.",
)
part.row(
    "zucchet:text:all-entries",
    "limit",
    "confirmed",
    "The explosion is spread over all entries of a dense matrix",
    r"|\lambda| \to 1:\quad \mathbb{E}\left\|\frac{\mathrm{d}h_t}{\mathrm{d}A_{ij}}"
    r"\right\|^2 \to \infty \text{ for each } i, j",
    where="text after Eq. 9",
    code="entry_growth",
    assumes="white input; a generic A, for in a triangular one some entries move "
    "no eigenvalue",
    note="We measure between the gaps 0.01 and 0.001 on the matrix of "
    "zucchet:text:dominating-term. All nine entries grow as 1/gap^3.",
)
end = part.at("")
end.row(
    "zucchet:text:orthogonal",
    "text",
    "proved",
    "An orthogonal matrix neither vanishes nor explodes",
    r"A^\top A = \mathrm{Id}: \quad \left\|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}"
    r"\right\| = 1",
    where="end of Section 2.3",
    code="orthogonal_norms",
    note="In a linear network all singular values are one.",
)
end.row(
    "zucchet:text:orthogonal-sensitive",
    "limit",
    "proved",
    "Orthogonal weights stay sensitive",
    r"A^\top A = \mathrm{Id}, \text{ so } |\lambda| = 1: \quad \mathbb{E}\left|\frac{"
    r"\mathrm{d}h_T}{\mathrm{d}\lambda}\right|^2 \to \infty \quad (T \to \infty)",
    where="end of Section 2.3",
    derive=recurrences.remembered,
    code="sigprop.theory.recurrences.remembered",
    assumes="white input, one for which it is so",
    note="The text says that such weights may remain sensitive. Under white input "
    "the second moment is the sum of n^2 over n < T, a formula of ours that grows as "
    "T^3/3, while the Jacobian's norm stays one.",
    uncounted="the formula is ours",
)
