"""RotRNN (2024), Section 3.1: Lemmas 1 and 2 on rotations."""

from sigprop.theory.rows import Part

part = Part("", "rotation", "sigprop.layers.rotrnn.RotRNN")

part.row(
    "rotrnn:lemma1",
    "identity",
    "proved",
    "The exponential of a skew matrix is a rotation",
    r"S = M - M^{\top}, \quad \exp(S) := \sum_{k=0}^{\infty} \frac{1}{k!} S^k "
    r"\quad\Rightarrow\quad A = \exp(S) \in SO(N)",
    where="Lemma 1, Section 3.1 and Appendix A.1",
    note="Proved for one plane: a skew matrix is orthogonally similar to such blocks "
    "and zeros. The test uses A A^T, A^T A and det A at sizes 2, 3 and 6. The copy in "
    "the appendix reads M^+ for the transpose, a fault of extraction.",
    code="rotations",
)
part.row(
    "rotrnn:lemma2",
    "identity",
    "proved",
    "Block-diagonal rotations seen from any orthogonal basis",
    r"P \in O(N), \ \Theta \in SO(N) \quad\Rightarrow\quad A = P\Theta P^{\top} \in "
    r"SO(N)",
    where="Lemma 2, Section 3.2 and Appendix A.2",
    note="The matrix P may have either determinant. The row rotrnn:lemma2:converse "
    "judges that every rotation has this form.",
    code="transition",
)
part.row(
    "rotrnn:lemma2:converse",
    "identity",
    "confirmed",
    "Every rotation is block-diagonal in some orthogonal basis",
    r"\forall A \in SO(N) \ \exists P \in O(N), \Theta: \quad A = P\Theta P^{\top}",
    where="Lemma 2, second sentence, Section 3.2",
    note="We compute the fraction of sampled rotations that the construction "
    "reproduces. The sample includes the identity, half turns and repeated angles. "
    "The construction is the real canonical form of normal matrices. The paper names "
    "the Jordan form, which is diagonal for them.",
    code="sigprop.evidence.rotrnn.special_orthogonal.schur_form",
)
