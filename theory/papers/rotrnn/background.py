"""RotRNN (2024), Sections 2 and 3: recurrences, Eq. 1 to 5."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Section 2.1", "models", "sigprop.theory.rotation")
section_2_2 = part.at("Section 2.2")
section_3_1 = part.at(
    "Section 3.1", "rotation", "sigprop.evidence.rotrnn.random_matrices"
)

ZERO_STATE = Condition(
    "the state before the first input is zero", lambda start=0.0, **_: start == 0
)

part.row(
    "rotrnn:1",
    "identity",
    "proved",
    "The continuous system under an input held over each step",
    r"x_t = Ax_{t-1} + Bu_t, \quad y_t = Cx_t + Du_t, \quad A = \exp(\Delta A'), "
    r"\quad B = (A - I)A'^{-1}B'",
    assumes="A' is invertible, because B contains its inverse",
    note="Here u_t is the value that is held on the step that ends at t. If a sample is "
    "held from its own time on, replace u_t by u_{t-1}. The test compares A and B; "
    "the proof is for one mode. If A' has no inverse, B is the integral of exp(s A') "
    "B' over a step.",
    code="held_input",
)
part.row(
    "rotrnn:2",
    "identity",
    "conditional",
    "The recurrence unrolled into a sum over inputs",
    r"x_t = \sum_{k=1}^t A^{t-k} B u_k",
    condition=ZERO_STATE,
    note="If the first state is x_0, the term A^t x_0 is missing. The paper never says "
    "that the state starts from zero. Lemma 3 asks for E|x_1|^2 = c. With the correct "
    "alpha, a sequence that starts from x_0 = 0 never meets this requirement for c > 0.",
    erratum=Erratum(
        "D",
        appears_in=("rotrnn:4", "rotrnn:10", "rotrnn:12"),
        bearing="Only Lemma 3 starts from another state than zero, and we judge it "
        "with the start that it assumes.",
    ),
    code="sigprop.evidence.kit.powered",
)
section_2_2.row(
    "rotrnn:3",
    "identity",
    "proved",
    "Every matrix is diagonalisable, up to an arbitrarily small change",
    r"A = P\Lambda P^{-1}",
    note="The discriminant is not the zero polynomial, as diag(1, ..., N) shows for "
    "any N. So its zeros have no interior. A Jordan block itself is not "
    "diagonalisable; adding a diagonal with a spread of 0.02 makes it so.",
    code="distinct_eigenvalues_are_generic",
)
section_2_2.row(
    "rotrnn:4",
    "identity",
    "conditional",
    "The recurrence and its output in the eigenbasis",
    r"\tilde{x}_t = \sum_{k=1}^t \Lambda^{t-k}\tilde{B}u_k, \quad y_t = "
    r"\tilde{C}\tilde{x}_t + Du_t",
    assumes="A is diagonalisable",
    condition=ZERO_STATE,
    erratum=Erratum("D", root="rotrnn:2"),
    note="The term Lambda^t x~_0 is missing, as in Eq. 2. We compare the outputs, "
    "which do not depend on the scales of the eigenvectors.",
    code="sigprop.layers.lru.LRU",
)
section_3_1.row(
    "rotrnn:5",
    "definition",
    "definition",
    "The special orthogonal group",
    r"SO(N) = \{ Q \mid Q \in \mathbb{R}^{N \times N}, Q^{\top}Q = QQ^{\top} = I, "
    r"\det(Q) = 1 \}",
    note="The rotations that the references sample are members of the group.",
    code="rotation",
)
