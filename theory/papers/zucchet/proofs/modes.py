"""Zucchet & Orvieto (2024), Appendix B.2.3: dense networks' modes, Eq. 62-70."""

from sigprop.theory.claims import Condition
from sigprop.theory.conditions import are_distinct
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix B.2.3", "backward", "sigprop.linear.linearise")
forward = part.at("Appendix B.2.3", "forward")

BY_A = r"\frac{\partial A}{\partial A_{ij}}"
DISTINCT = Condition(
    "A diagonalisable with distinct eigenvalues",
    lambda system, **_: are_distinct(system.eigenvalues),
)

forward.row(
    "zucchet:62",
    "definition",
    "definition",
    "The dense linear network",
    r"h_{t+1} = Ah_t + x_{t+1}",
    code="sigprop.layers.dense.LinearRNN",
)
forward.row(
    "zucchet:63",
    "definition",
    "definition",
    "The eigendecomposition of the recurrence",
    r"A = P \operatorname{diag}(\lambda) P^{-1}",
    code="diagonalise",
    assumes=DISTINCT,
    note="The equation defines diagonalisable, and names P and lambda. The test "
    "checks that the eigendecomposition in the code gives the matrix again.",
)
forward.row(
    "zucchet:64",
    "definition",
    "definition",
    "Eigenvectors of unit length",
    r"P_{:i}^{\dagger}P_{:i} = 1 \quad \forall i",
    code="diagonalise",
    assumes=DISTINCT,
    note="Eq. 63 allows any lengths, so unit lengths are possible. The phases stay "
    "free. Eq. 69 does not preserve unit lengths.",
)
forward.row(
    "zucchet:65",
    "identity",
    "proved",
    "The diagonal network",
    r"h_{t+1}^{\text{diag}} = \lambda h_t^{\text{diag}} + P^{-1} x_{t+1}",
    code="Modes",
    assumes=DISTINCT,
    note="The product of the two vectors is entry by entry.",
)
forward.row(
    "zucchet:66",
    "identity",
    "proved",
    "The states of the dense network from those of the diagonal network",
    r"h_t = P h_t^{\text{diag}}",
    code="Modes",
    assumes=DISTINCT,
)
part.row(
    "zucchet:67",
    "identity",
    "confirmed",
    "The derivative of the state with respect to the recurrent matrix, in three terms",
    r"\frac{\mathrm{d}h_t}{\mathrm{d}A} = \frac{\partial h_t}{\partial P}"
    r"\frac{\partial P}{\partial A} + \frac{\partial h_t}{\partial h_t^{\text{"
    r"diag}}}\frac{\mathrm{d}h_t^{\text{diag}}}{\mathrm{d}\lambda}\frac{"
    r"\partial \lambda}{\partial A} + \frac{\partial h_t}{\partial h_t^{\text{"
    r"diag}}}\frac{\mathrm{d}h_t^{\text{diag}}}{\mathrm{d}P^{-1}}\frac{\partial "
    r"P^{-1}}{\partial A}",
    code="perturb",
    assumes=DISTINCT,
    note="The sum does not depend on the lengths of the eigenvectors, but the first "
    "and the third term do. So Eq. 69 may be used in it, although it is not the "
    "derivative of unit vectors.",
    uncounted="repeats zucchet:9",
)
part.row(
    "zucchet:68",
    "identity",
    "proved",
    "The derivative of the eigenvalues",
    r"\frac{\partial \lambda}{\partial A_{ij}} = \operatorname{diag}\left("
    rf"P^{{-1}}{BY_A}P\right)",
    code="perturb",
    assumes=DISTINCT,
)
part.row(
    "zucchet:69",
    "identity",
    "refuted",
    "The derivative of the eigenvectors",
    r"\frac{\mathrm{d}P}{\mathrm{d}A_{ij}} = "
    rf"P\left(F \odot \left(P^{{-1}}{BY_A}P\right)\right)",
    code="perturb",
    correction=r"\frac{\mathrm{d}P}{\mathrm{d}A_{ij}} = PM - P "
    r"\left(I \odot \operatorname{Re}(P^{\dagger} P M)\right),\quad M = F \odot "
    rf"\left(P^{{-1}}{BY_A}P\right)",
    assumes="real A_ij; the phases of the eigenvectors are free and move as in "
    "the printed form",
    note="Eq. 69 holds if the eigenvectors are scaled so that P^-1 dP has a zero "
    "diagonal. Eq. 64 scales them to unit length instead. With Eq. 69 the lengths "
    "then change, unless A is normal. The denominator dA_ij is garbled in our copy.",
    erratum=Erratum(
        "B",
        bearing="No later result is affected. The state h_t and Eq. 67 do not depend "
        "on the eigenvectors' lengths, and the missing term is no larger than the "
        "printed one.",
    ),
)
part.row(
    "zucchet:70",
    "definition",
    "definition",
    "Inverse gaps of the eigenvalues",
    r"F_{ij} := \begin{cases} \frac{1}{\lambda_j - \lambda_i} & \text{if } i \neq"
    r" j \\ 0 & \text{otherwise} \end{cases}",
    code="sigprop.theory.dense.gap_inverse",
    note="Off the diagonal the equation of the eigenvectors fixes F. The diagonal is "
    "a choice of lengths and phases.",
)
