"""RotRNN (2024), Eq. 13 to 19, and the steps of the proofs in Appendix A."""

from sigprop.theory import rotation
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rotation import r1, r2, s1, s2
from sigprop.theory.rows import Part

part = Part("", "rotation", "sigprop.theory.rotation")
lru = part.at("Section 4.1")
lemma_1 = part.at("Appendix A.1")
lemma_2 = part.at("Appendix A.2")

part.row(
    "rotrnn:13",
    "definition",
    "definition",
    "All heads side by side, mixed and read out",
    r"y_t = Cx_t^{(1:H)} + Du_t",
    where="Eq. 13, Section 3.4",
    note="Here D is a matrix; in Appendix B.3 and in the listing it is a vector "
    "applied entry by entry, a diagonal matrix. The layer takes either.",
    code="sigprop.layers.rotrnn.RotRNN.read",
)

NEWEST_INPUT = (
    "The paper prints powers from 1 to t; it should be from 0 to t - 1. In the state of "
    "Eq. 4, Lambda does not yet multiply the newest input. The printed energy of each "
    "mode is too small by its factor |lambda|^2. The error is already present at t = 1, "
    "where the state contains one input."
)


def chain(first: str, last: str) -> str:
    """Return Eq. 14 with sums between two ages."""
    i, j = (rf"\sum_{{{index}={first}}}^{{{last}}}" for index in "ij")
    return (
        r"\mathbb{E}\left[||x_t||^2\right] = "
        rf"\mathbb{{E}}\left[\left({i} \Lambda^i \tilde{{B}}u_{{t-i}}\right)^* "
        rf"\left({j} \Lambda^j \tilde{{B}}u_{{t-j}}\right)\right] = "
        rf"{i} {j} \text{{Tr}}\left[\mathbb{{E}}\left[u_{{t-i}}^*\tilde{{B}}^*"
        rf"\Lambda^{{i^*}}\Lambda^j\tilde{{B}}u_{{t-j}}\right]\right] = "
        rf"{i} {j} \text{{Tr}}[\tilde{{B}}\mathbb{{E}}\left[u_{{t-j}}u_{{t-i}}^*"
        rf"\right]\tilde{{B}}^*\Lambda^{{i^*}}\Lambda^j] = "
        rf"{i} \text{{Tr}}[\tilde{{B}}\tilde{{B}}^*\Lambda^{{i^*}}\Lambda^i]"
    )


lru.row(
    "rotrnn:14",
    "moment",
    "refuted",
    "Expected squared norm of the LRU's state under white noise",
    chain("1", "t"),
    derive=rotation.lru_norm,
    printed=rotation.printed_lru_norm,
    correction=chain("0", "t-1"),
    corrected=lambda: rotation.lru_norm().steps[-1].expr,
    note=NEWEST_INPUT,
    erratum=Erratum(
        "B",
        appears_in=("rotrnn:text:lru-norm-sum", "rotrnn:text:lru-norm-limit"),
        bearing="No later result is affected: the printed limit is the true limit of "
        "the state. So the paper's scale for the rows of the input matrix is right.",
    ),
    code="lru_norm",
)
part.row(
    "rotrnn:text:lru-norm-sum",
    "moment",
    "refuted",
    "The expected squared norm, mode by mode",
    r"\mathbb{E}\left[||x_t||^2\right] = "
    r"\sum_{i=1}^t\sum_{k=1}^N b_k|\lambda_k|^{2i} = \sum_{k=1}^N b_k "
    r"\sum_{i=1}^t |\lambda_k|^{2i}",
    where="display after Eq. 14, Section 4.1, its sums",
    derive=rotation.lru_norm,
    printed=rotation.printed_lru_norm,
    correction=r"\mathbb{E}\left[||x_t||^2\right] = "
    r"\sum_{k=1}^N b_k \sum_{i=0}^{t-1} |\lambda_k|^{2i}",
    corrected=lambda: rotation.lru_norm().steps[-1].expr,
    note=NEWEST_INPUT
    + " The sentence before it has b_k |lambda_k|^2 without the power i.",
    erratum=Erratum(
        "B",
        root="rotrnn:14",
        bearing="No later result is affected: the limit printed after it is the limit "
        "of the corrected sum.",
    ),
    code="lru_norm",
)
part.row(
    "rotrnn:text:lru-norm-limit",
    "limit",
    "refuted",
    "The sums as time tends to infinity",
    r"\sum_{k=1}^N b_k \sum_{i=1}^t |\lambda_k|^{2i} "
    r"\longrightarrow \sum_{k=1}^N b_k\frac{1}{1-|\lambda_k|^2}, "
    r"\quad t \to \infty",
    where="display after Eq. 14, Section 4.1, its limit",
    derive=rotation.lru_limit,
    printed=rotation.printed_lru_limit,
    correction=r"\sum_{k=1}^N b_k \sum_{i=0}^{t-1} |\lambda_k|^{2i} "
    r"\longrightarrow \sum_{k=1}^N b_k\frac{1}{1-|\lambda_k|^2}, "
    r"\quad t \to \infty",
    corrected=lambda: s1 / (1 - r1**2) + s2 / (1 - r2**2),
    note="The right side is the limit of the state's norm. The printed sums tend to "
    "the same with |lambda_k|^2 in the numerator, which is less by b_k. The "
    "difference is the newest input, which Eq. 14 drops. The two errors cancel, as in "
    "Eq. 38 of the LRU's paper (lru:38).",
    erratum=Erratum(
        "B",
        root="rotrnn:14",
        bearing="No later result is affected: the printed "
        "limit is the true limit of the state.",
    ),
    code="lru_limit",
)
lru.row(
    "rotrnn:text:lru-row-scale",
    "moment",
    "proved",
    "The LRU's normalisation of the rows of its input matrix",
    r"b_k \to (1-|\lambda_k|^2)\, b_k: \quad \lim_{t\to\infty} "
    r"\mathbb{E}\left[||x_t||^2\right] = \sum_k b_k",
    where="text after Eq. 14",
    derive=rotation.normalised_lru_norm,
    printed=lambda: s1 + s2,
    note="The scale makes the limit independent of the eigenvalues. Without the scale "
    "the limit is also finite, for each |lambda| below one.",
    code="sigprop.layers.lru.LRU.normaliser",
)
lemma_1.row(
    "rotrnn:15",
    "identity",
    "proved",
    "The exponential of a skew matrix is orthogonal",
    r"AA^\top = \exp(S)\exp(S)^\top = \exp(S)\exp(S^\top) = \exp(S + S^\top) = \exp(S "
    r"- S) = I",
    note="The proof is for one plane; every skew matrix is orthogonally similar to "
    "such blocks and zeros. The equation stands twice in our copy, the second time "
    "garbled.",
    code="block_is_rotation",
)
lemma_1.row(
    "rotrnn:16",
    "identity",
    "proved",
    "The determinant of the exponential of a skew matrix is one",
    r"\det(A) = \det(\exp(S)) = \exp(\text{Tr}[S]) = \exp(0) = 1",
    note="The proof is for one plane, as for Eq. 15.",
    code="block_is_rotation",
)
lemma_2.row(
    "rotrnn:17",
    "identity",
    "proved",
    "Block-diagonal rotations in another basis are orthogonal",
    r"AA^\top = P\Theta P^\top P\Theta^\top P^\top = P\Theta\Theta^\top P^\top = I",
    code="products_of_members",
)
lemma_2.row(
    "rotrnn:18",
    "identity",
    "proved",
    "Block-diagonal rotations in another basis have determinant one for every basis",
    r"\det(A) = \det(P\Theta P^\top) = \det(P)\det(\Theta)\det(P^\top) = 1",
    code="products_of_members",
)
part.row(
    "rotrnn:19",
    "identity",
    "confirmed",
    "A block-diagonal product, entry by entry",
    r"\Theta x = \begin{bmatrix} x_1 \\ x_2 \\ x_3 \\ x_4 \\ \vdots \\ x_{"
    r"\mathcal{D}_x-1} \\ x_{\mathcal{D}_x} \end{bmatrix} \odot \begin{bmatrix} "
    r"\cos\theta_1 \\ \cos\theta_1 \\ \cos\theta_2 \\ \cos\theta_2 \\ \vdots \\ \cos\theta_{"
    r"\mathcal{D}_x//2} \\ \cos\theta_{\mathcal{D}_x//2} \end{bmatrix} + "
    r"\begin{bmatrix} -x_2 \\ x_1 \\ -x_4 \\ x_3 \\ \vdots \\ -x_{\mathcal{D}_x} \\ "
    r"x_{\mathcal{D}_x-1} \end{bmatrix} \odot \begin{bmatrix} \sin\theta_1 \\ "
    r"\sin\theta_1 \\ \sin\theta_2 \\ "
    r"\sin\theta_2 \\ \vdots \\ \sin\theta_{\mathcal{D}_x//2} \\ \sin\theta_{"
    r"\mathcal{D}_x//2} \end{bmatrix}",
    where="Eq. 19, Appendix B.1",
    assumes=Condition("the dimension is even", lambda size, **_: size % 2 == 0),
    note="Our copy loses the second cos theta_1 and sin theta_1, has x_3 for x_{D_x - 1} "
    "at the end of the turned vector and a power for the index D_x - 1. All heads of the "
    "paper have an even size. With an odd one, which Section 3.2 allows, the last entry "
    "has no partner.",
    as_extracted=True,
    code="sigprop.evidence.rotrnn.proofs.elementwise_product",
)
lemma_1.row(
    "rotrnn:def4",
    "definition",
    "definition",
    "The special orthogonal group, with its operation",
    r"SO(N) = \{A \in (\mathbb{R}^{N \times N}, *) \mid A^{\top}A = AA^{\top} = I, "
    r"\det(A) = 1\}",
    where="Definition 4",
    note="The definition repeats Eq. 5. We test that a product of three members, one "
    "of them inverted, is a member. Our copy lacks the comma before det.",
    as_extracted=True,
    code="sigprop.evidence.rotrnn.random_matrices.rotation",
    uncounted="repeats rotrnn:5",
)
lemma_1.row(
    "rotrnn:text:skew-square",
    "identity",
    "proved",
    "A skew matrix commutes with its transpose",
    r"SS^\top = S^\top S = -S^2",
    where="proof of Lemma 1",
    code="skew_squares",
)
lemma_1.row(
    "rotrnn:text:jacobi",
    "identity",
    "confirmed",
    "Determinant of an exponential, for any square matrix",
    r"\det(\exp(S)) = \exp(\text{Tr}[S])",
    where="proof of Lemma 1",
    code="sigprop.evidence.rotrnn.special_orthogonal.exponential_series",
)
lemma_1.row(
    "rotrnn:text:commuting-exponentials",
    "identity",
    "confirmed",
    "Exponentials of matrices that commute",
    r"\text{Square matrices } P \text{ and } Q \text{ with } PQ = QP \text{ have } "
    r"\exp(P)\exp(Q) = \exp(P + Q)",
    where="proof of Lemma 1",
    assumes="P Q = Q P",
    note="The test takes a random P, which is not skew, and a polynomial in it as Q.",
    code="sigprop.evidence.rotrnn.special_orthogonal.exponential_series",
)
lemma_1.row(
    "rotrnn:text:transposed-exponential",
    "identity",
    "confirmed",
    "The exponential of a transpose",
    r"\text{The exponential of a square matrix } S \text{, a power series, has } "
    r"\exp(S)^\top = \exp(S^\top)",
    where="proof of Lemma 1",
    note="The test takes matrices that are not skew.",
    code="sigprop.evidence.rotrnn.special_orthogonal.exponential_series",
)
lemma_2.row(
    "rotrnn:text:determinant-inverse",
    "identity",
    "proved",
    "Determinants of an orthogonal matrix and its transpose",
    r"\det(P) = \frac{1}{\det(P^\top)}, \quad \det(P) \in \{\pm 1\}",
    where="proof of Lemma 2",
    code="products_of_members",
)
