"""RotRNN (2024), Sections 1-4: the text on rotations and their groups."""

from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("", "rotation", "sigprop.evidence.rotrnn.groups")
section_3_2 = part.at("Section 3.2")

part.row(
    "rotrnn:text:continuous",
    "definition",
    "definition",
    "The continuous system",
    r"\dot{x}(t) = A'x(t) + B'u(t), \quad y(t) = Cx(t) + Du(t)",
    where="first display of Section 2.1",
    note="For Eq. 1 we integrate the system as printed.",
    code="sigprop.evidence.rotrnn.background.hold_by_integration",
    topic="models",
)
part.row(
    "rotrnn:text:linear-cost",
    "text",
    "confirmed",
    "Cost of a recurrence and of attention in the length of the sequence",
    r"\text{S4 scales linearly in time with sequence length, transformers "
    r"quadratically}",
    where="Section 1",
    note="The test concerns the exponent of the number of entries that all operations "
    "write, between 1024 and 4096 steps, of a recurrence by a parallel scan. Trained "
    "as a convolution, by FFT, S4 takes T log T.",
    code="sigprop.evidence.lru.listing.growth_of_cost",
    topic="models",
)
part.row(
    "rotrnn:text:diagonal-necessary",
    "text",
    "refuted",
    "What fast powers of a matrix need",
    r"\text{This diagonalised parameterisation is necessary to allow for fast computation "
    r"of matrix powers}",
    where="text after Eq. 3, Section 2.2",
    correction=r"\text{A diagonal matrix is sufficient for fast powers. A block-diagonal "
    r"rotation of even size } N \text{ takes } 2N \text{ products to apply } \Theta^k",
    note="The numbers of products are ours: N^2 of a dense matrix is what the sentence "
    "leaves without a diagonal matrix. The paper's own Section 3.2 has fast powers of "
    "rotations, whose angles are multiplied by k. Their cosines and sines are not "
    "counted.",
    erratum=Erratum(
        "B",
        bearing="No later result is affected: the paper's own layer uses block-diagonal "
        "powers.",
    ),
    code="products_elementwise",
)
part.row(
    "rotrnn:text:orthogonal-group",
    "definition",
    "definition",
    "The orthogonal group",
    r"O(N) = \{ Q \mid Q \in \mathbb{R}^{N \times N}, Q^{\top}Q = QQ^{\top} = I, "
    r"\det(Q) = \pm 1 \}",
    where="second display of Section 3.2",
    note="The determinant follows from the other conditions and need not be required.",
    code="sigprop.evidence.rotrnn.random_matrices.orthogonal",
)
part.row(
    "rotrnn:text:exponential-surjective",
    "identity",
    "confirmed",
    "Every rotation is the exponential of a skew matrix",
    r"\forall A \in SO(N) \ \exists M: \quad A = \exp(M - M^{\top})",
    where="text after Lemma 1, Section 3.1",
    note="Half turns and minus the identity too, where a matrix logarithm without "
    "care is not real. M = S/2 gives every skew S. One plane is exp(theta J); Lemma 2's "
    "second sentence does the rest, and has the same status.",
    code="exponential_of_logarithm",
)
part.row(
    "rotrnn:text:no-map-onto-orthogonal",
    "text",
    "confirmed",
    "No smooth map takes all square matrices onto the orthogonal group",
    r"\nexists \ f: \mathbb{R}^{N \times N} \to O(N) \ \text{smooth and surjective}",
    where="text before the second display of Section 3.2",
    note="Square matrices are connected and O(N) is not: a path between its halves "
    "has an odd number of zeros of the determinant, hence leaves O(N). That is the "
    "proof, for continuous maps too; the zeros counted here illustrate it.",
    code="sign_changes",
)
part.row(
    "rotrnn:text:surjectivity",
    "text",
    "proved",
    "Rotations that the parametrisation reaches",
    r"P = \exp(M - M^{\top}): \quad A = P\Theta P^{\top} \ \text{may not be surjective "
    r"onto } SO(N) \text{, but is sufficiently general}",
    where="last sentence of Section 3.2",
    note="The paper leaves open whether every rotation is reached. It is. If the P of "
    "Lemma 2 has determinant -1, one can flip one axis of a plane in P and reverse that "
    "plane's angle. This gives the same A with a P in SO(N). We sample rotations and "
    "count the fraction that is reached: all.",
    code="sigprop.layers.rotrnn.RotRNN.transition",
)
section_3_2.row(
    "rotrnn:text:blocks",
    "identity",
    "confirmed",
    "The number of planes that a rotation turns, and the remainder of an odd dimension",
    r"\frac{N}{2} \text{ blocks if } N \text{ is even}, \ \frac{N-1}{2} \text{ and a "
    r"one if } N \text{ is odd}",
    where="text after Lemma 2",
    note="The test uses the eigenvalues: both signs of each angle, and a zero.",
    code="sigprop.evidence.rotrnn.random_matrices.blocks",
)
section_3_2.row(
    "rotrnn:text:powers",
    "identity",
    "proved",
    "Powers of a rotation multiply its angles",
    r"A^k = P\Theta^k P^{\top}, \quad \begin{pmatrix} \cos k\theta_i & -\sin "
    r"k\theta_i \\ \sin k\theta_i & \cos k\theta_i \end{pmatrix}",
    where="text after Lemma 2",
    code="sigprop.theory.rotation.powers_add_angles",
)
part.row(
    "rotrnn:text:unit-circle",
    "identity",
    "proved",
    "Eigenvalues of a rotation lie on the unit circle",
    r"|\lambda_j(A)| = 1",
    where="point iii of Section 3",
    note="With the decay the eigenvalues lie on the circle of radius gamma.",
    code="sigprop.layers.rotrnn.RotRNN.eigenvalues",
)
part.row(
    "rotrnn:text:products",
    "text",
    "confirmed",
    "The cost of a block-diagonal product",
    r"\text{multiplying a vector by a block-diagonal matrix can be implemented "
    r"efficiently}",
    where="text before Eq. 19, Appendix B.1",
    note="We count the products of numbers by construction: 2 D_x for Eq. 19 and D_x "
    "squared for a dense matrix. In two dimensions nothing is saved.",
    code="sigprop.evidence.rotrnn.proofs.elementwise_product",
)
