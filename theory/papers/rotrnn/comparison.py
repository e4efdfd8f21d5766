"""RotRNN (2024), Section 4.1: the text on the LRU, and two directions."""

from sigprop.theory.rows import Part

part = Part("", "rotation", "sigprop.evidence.rotrnn.comparison")
special_case = part.at("Multihead RotRNN as a special case, Section 4.1")

part.row(
    "rotrnn:text:lru-eigenvalues",
    "definition",
    "definition",
    "Modulus and phase of the LRU's eigenvalues",
    r"\lambda_j = \nu_j e^{i\theta_j}",
    where="text after Eq. 4, Section 2.2",
    note="Here nu is the modulus. In the LRU paper the modulus is exp(-nu), and what "
    "is learnt are the logarithms of nu and of theta.",
    code="sigprop.layers.lru.LRU.eigenvalues",
    topic="parametrisation",
)
part.row(
    "rotrnn:text:lru-not-real",
    "text",
    "confirmed",
    "Nothing makes the LRU's output real",
    r"\text{no constraint ensures that } y_t = \tilde{C}\tilde{x}_t \text{ is "
    r"real-valued}",
    where="Section 2.3",
    note="The value is the imaginary part of the output, which does not vanish; of pairs "
    "that are conjugate throughout it does.",
    code="sigprop.layers.lru.LRU",
    topic="models",
)
part.row(
    "rotrnn:text:pairs-not-enforced",
    "text",
    "confirmed",
    "The LRU's eigenvalues need not come in conjugate pairs",
    r"\text{Conjugate pairs of eigenvalues, which a real } A \text{ has, are not enforced in "
    r"the LRU: } \min_{i,j} |\lambda_i - \bar\lambda_j| > 0",
    where="Section 2.3; Section 4.1 repeats it as unlikely",
    note="The value is the least distance of an eigenvalue from the conjugates of all, at "
    "initialisation. It is zero for the eigenvalues of a real matrix. After training it "
    "is unknown: no weights are published.",
    code="sigprop.layers.lru.lru",
    topic="models",
)
special_case.row(
    "rotrnn:text:real-blocks",
    "identity",
    "proved",
    "An LRU with conjugate pairs of eigenvalues, written with real matrices",
    r"\Lambda = \text{blocks of } \begin{pmatrix} \nu_j\cos\theta_j & -\nu_j\sin"
    r"\theta_j \\ \nu_j\sin\theta_j & \nu_j\cos\theta_j \end{pmatrix}, \quad "
    r"\tilde{B}, \tilde{C} \text{ real}",
    assumes="rows of B~ and columns of C~ come in conjugate pairs too, as the next "
    "paragraph requires",
    note="The next paragraph requires the pairs of rows and columns, without which "
    "paired eigenvalues are not enough. Take eigenvalues i/2 and -i/2 and B~ = C~ = "
    "I. The LRU's output weights are I at lag 0 and Re diag(i, -i)/2 = 0 at lag 1. "
    "A real block with C B = I has determinant 1/4 at lag 1. Appendix E of the "
    "LRU's paper derives the rows from a real A, and those rows do come in pairs.",
    code="real_blocks",
)
special_case.row(
    "rotrnn:text:lru-special-case",
    "identity",
    "proved",
    "A RotRNN with planar heads is an LRU with conjugate pairs, up to normalisation",
    r"\tilde{B} = P^\top B, \ \tilde{C} = CP: \quad H = \frac{\mathcal{D}_x}{2}, "
    r"\quad \mathcal{D}_h = 2",
    assumes="rows of B~ and columns of C~ come in conjugate pairs",
    note="The test uses the outputs of the two layers, RotRNN's with a random M and "
    "its normalisation undone in C. Rotations of the plane commute, P Theta P^T = "
    "Theta for each P in SO(2): in planar heads the states do not depend on M, and "
    "its gradient is zero.",
    code="planar_heads",
)
special_case.row(
    "rotrnn:text:planar-heads",
    "text",
    "confirmed",
    "Decays of planar heads are moduli of eigenvalues",
    r"\text{the decay factors } \gamma^{(h)} \text{ modulate the eigenvalue magnitude "
    r"as does } \nu_j \text{ in the LRU}: \quad \lambda = \gamma^{(h)}e^{\pm i\theta}",
    note="They are the eigenvalues of the block-diagonal recurrence of all heads. Each "
    "head's state has two numbers.",
    code="sigprop.layers.rotrnn.RotRNN.eigenvalues",
)
part.row(
    "rotrnn:text:bidirectional",
    "definition",
    "definition",
    "The bidirectional layer",
    r"\text{reuse } P, \Theta, B; \quad C \text{ different for the forward and the "
    r"backward pass}",
    where="Appendix B.2",
    note="The decays are not named; they are shared here. Outputs are added, and D u "
    "once.",
    code="sigprop.layers.rotrnn.BidirectionalRotRNN",
    topic="bidirectional",
)
