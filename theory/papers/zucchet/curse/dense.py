"""Zucchet & Orvieto (2024), Section 2.3: dense networks, Eq. 8 and 9."""

from theory import recurrences
from theory.rows import Part
from theory.symbols import T

part = Part("Section 2.3", "backward", "sigprop.evidence.zucchet.curse.dense")

part.row("zucchet:8", "identity", "refuted")(
    "A dense linear recurrence in its eigenbasis",
    r"h_{t+1} = Ah_t + x_t:\quad h_t = P h_t^{\text{diag}} \text{ with } h_{t+1}^"
    r"{\text{diag}} = \text{diag}(\lambda) h_t^{\text{diag}} + P^{-1} x_{t+1}",
    code="sigprop.linear.linearise.Modes",
    topic="forward",
    assumes="A is diagonalisable",
    correction=r"h_{t+1} = Ah_t + x_{t+1}:\quad h_t = P h_t^{\text{diag}}",
    note="The line before Eq. 8 defines the recurrence with x_t; then both sides "
    "differ by one step. Everywhere else in the paper the recurrence has x_{t+1}. "
    "Stationary moments do not see it.",
    inherits="none: Eq. 9 and Appendix B.2.3 are of the recurrence with x_{t+1}",
)
part.row("zucchet:9", "identity", "confirmed")(
    "Sensitivity to a dense matrix: readout, eigenvalues and input",
    r"\frac{\mathrm{d}h_t}{\mathrm{d}A} = \frac{\partial h_t}{\partial P} \frac{"
    r"\partial P}{\partial A} + \frac{\partial h_t}{\partial h_t^{\mathrm{diag}}} "
    r"\frac{\mathrm{d}h_t^{\mathrm{diag}}}{\mathrm{d}\lambda} \frac{\partial "
    r"\lambda}{\partial A} + \frac{\partial h_t}{\partial h_t^{\mathrm{diag}}} \frac"
    r"{\mathrm{d}h_t^{\mathrm{diag}}}{\mathrm{d}P^{-1}} \frac{\partial P^{-1}}{"
    r"\partial A}",
    code="moved_by_terms",
    assumes="the eigenvalues of A are distinct, which almost all A satisfy",
    note="Judged along a random direction, with the perturbation of eigenvalues "
    "and eigenvectors: dlambda = diag(P^-1 dA P), dP = P M, dP^-1 = -M P^-1. The "
    "first and the last term depend on how eigenvectors are scaled; their sum "
    "does not.",
)
part.row("zucchet:text:dominating-term", "limit", "confirmed", "text after Eq. 9")(
    "The eigenvalue term dominates at the edge of stability",
    r"|\lambda| \to 1:\quad \mathrm{d}_A h_t \simeq \partial_{h_t^{\text{diag}}} "
    r"h_t\, \mathrm{d}_\lambda h_t^{\text{diag}}\, \partial_A \lambda",
    code="rest_growth",
    assumes="white input and distinct eigenvalues of one modulus",
    note="What the term leaves grows as 1/gap in every entry of A, like the state; "
    "the whole grows as 1/gap^3, so the share left out falls as gap^2. The other "
    "terms do depend on the modulus, only less.",
)
part.row("zucchet:text:all-entries", "limit", "confirmed", "text after Eq. 9")(
    "The explosion is spread over all entries of a dense matrix",
    r"\mathbb{E}\left\|\frac{\mathrm{d}h_t}{\mathrm{d}A_{ij}}\right\|^2 \sim "
    r"(1-|\lambda|)^{-3} \text{ for every } i, j",
    code="entry_growth",
    assumes="white input; a generic A, for in a triangular one some entries move "
    "no eigenvalue",
    note="The exponent of all nine entries of a generic 3 by 3 matrix, between "
    "gaps 0.01 and 0.001.",
)
end = part.at("")
end.row("zucchet:text:orthogonal", "text", "confirmed", "end of Section 2.3")(
    "An orthogonal matrix neither vanishes nor explodes",
    r"A^\top A = \mathrm{Id}: \quad \left\|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}"
    r"\right\| = 1",
    code="orthogonal_norms",
    note="All singular values are one, in a linear network.",
)
end.row("zucchet:text:orthogonal-sensitive", "limit", "proved", "end of Section 2.3")(
    "Orthogonal weights stay sensitive",
    r"|\lambda| = 1: \quad \mathbb{E}\left|\frac{\mathrm{d}h_T}{\mathrm{d}\lambda}"
    r"\right|^2 = \sum_{n < T} n^2 \to \infty",
    recurrences.remembered,
    lambda: T**3 / 3 - T**2 / 2 + T / 6,
    code="theory.recurrences.remembered",
    note="The text says that such weights may remain sensitive. Under white input "
    "the second moment grows as T^3/3 while the Jacobian's norm stays one.",
)
