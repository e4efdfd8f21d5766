"""RotRNN (2024), Sections 2 and 3: recurrences, Eq. 1 to 5."""

from sigprop.theory.rows import Part

part = Part("Section 2.1", "models", "sigprop.theory.rotation")
section_2_2 = part.at("Section 2.2")
section_3_1 = part.at(
    "Section 3.1", "rotation", "sigprop.evidence.rotrnn.random_matrices"
)

ZERO_STATE = "the state before the first input is zero"

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
    "confirmed",
    "The recurrence unrolled into a sum over inputs",
    r"x_t = \sum_{k=1}^t A^{t-k} B u_k",
    assumes=ZERO_STATE,
    note="The sum has no term A^t x_0, so x_0 = 0. The listing starts from the zero state, "
    "too.",
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
    "confirmed",
    "The recurrence and its output in the eigenbasis",
    r"\tilde{x}_t = \sum_{k=1}^t \Lambda^{t-k}\tilde{B}u_k, \quad y_t = "
    r"\tilde{C}\tilde{x}_t + Du_t",
    assumes=f"A is diagonalisable; {ZERO_STATE}",
    note="We compare the outputs, which do not depend on the scales of the eigenvectors.",
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
