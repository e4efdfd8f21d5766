"""Orvieto et al. (2023), Sections 3.1-3.2: linear and diagonal recurrences."""

from theory.claims import Condition
from theory.rows import Part

part = Part("", "models", "sigprop.evidence.lru.diagonalisation")
numbers = part.at("", "tables", "sigprop.evidence.lru.accuracies")

numbers.row("lru:text:linear-better", "text", "confirmed", "Section 3.1 and Table 1")(
    "Linear recurrences are more accurate",
    r"\text{dropping the nonlinearity improves accuracy on most tasks}",
    code="gains_of_all",
    note="On all four tasks shown, over tanh by 0.2 to 6.5 points; over ReLU by 0.6 to "
    "12.8.",
)
numbers.row("lru:text:vanilla-matches", "text", "conditional", "Section 3.1")(
    "Vanilla RNNs suffice for Text and Retrieval",
    r"\text{on Text and Retrieval vanilla RNNs match deep SSMs}",
    code="above_worst_deep",
    condition=Condition(
        "for the linear and the tanh RNN",
        lambda models, **_: "relu" not in models.split(","),
    ),
    note="Held against the least accurate of the deep models. The ReLU RNN is 0.4 points "
    "below all of them on Retrieval.",
)
numbers.row("lru:text:far-behind", "text", "confirmed", "Section 3.1")(
    "Dense linear RNNs are far behind S4 on sCIFAR",
    r"\text{linear RNN far behind S4 on sCIFAR}",
    code="above_worst_deep",
    note="16.6 points below the least accurate deep model and 18.9 below S4. On "
    "PathFinder and PathX they do not beat chance.",
)
part.row("lru:text:diagonal-unrolled", "text", "refuted", "Section 3.2.1")(
    "The dense system in its eigenvectors' basis",
    r"\bar{x}_k = \sum_{j=0}^{k-1} \Lambda^j \bar{B} u_{k-j},\quad y_k = "
    r"\Re[\bar{C}\bar{x}_k] + D u_k",
    code="diagonal_output",
    correction=r"\bar{x}_k = \sum_{j=0}^{k} \Lambda^j \bar{B} u_{k-j},\quad y_k = "
    r"\Re[\bar{C}\bar{x}_k] + D u_k",
    assumes="A is diagonalisable",
    note="The sum drops the oldest input, as Eq. 4 does. With it the diagonal system "
    "gives the dense one's outputs exactly.",
    inherits="The stability paragraph and Section 4 repeat the upper limit k-1.",
)
part.row("lru:text:stability-order", "text", "refuted", "Section 3.2.1")(
    "How one mode evolves",
    r"|x_{k,j}| = O(|\bar{x}_{k,j}|) = O(|\lambda_j|^k)",
    code="forced_mode",
    correction=r"\bar{x}_{k,j} = \frac{1-\lambda_j^{k+1}}{1-\lambda_j} \text{ for inputs } "
    r"(\bar{B}u)_j = 1, \text{ so } O\left(\frac{1-|\lambda_j|^{k+1}}{1-|\lambda_j|}"
    r"\right) \text{ for bounded inputs}",
    note="The power is the weight of the oldest input: the order of the state after a "
    "single impulse, or where |lambda_j| > 1. Under lasting inputs a stable mode does "
    "not decay. And component j of x mixes all modes through P, so it is of the order of "
    "the largest, not of mode j.",
    inherits="No: the sufficient condition drawn from it is right.",
)
part.row("lru:text:stable-sufficient", "text", "confirmed", "Section 3.2.1")(
    "Eigenvalues inside the disc suffice for stability",
    r"|\lambda_j| < 1\ \forall j \Rightarrow x_k \text{ does not explode}",
    code="bounded_mode",
    note="For inputs of size at most b a mode stays below b/(1 - |lambda|), and inputs "
    "turned to add up come as near as one likes.",
)
numbers.row("lru:text:eight-times", "text", "confirmed", "Section 3.2.2")(
    "Diagonal recurrences are faster to train",
    r"\text{sCIFAR: } \sim 8 \text{ times faster than a dense RNN}",
    code="least_speed_ratio",
    note="7.95 by Table 4, whose dense RNN has tanh; the text says ReLU.",
)
numbers.row("lru:text:as-fast", "text", "refuted", "Section 3.2.2")(
    "As fast to train as S4D and S5",
    r"\text{on all LRA tasks: just as fast to train as deep SSMs like S4D and S5}",
    code="slower_tasks",
    correction=r"\text{slower than S4D on three of the six tasks, than S5 on two}",
    note="As fast is read as: on no task slower, by the speeds of Table 4. On PathFinder "
    "S4D makes 24.5 steps a second to the LRU's 15.5, 1.58 times as many; on ListOps and "
    "PathX 1.05 and 1.08 times, on the others 0.53 to 0.85 times. To S5 the ratios are "
    "0.96 to 1.05.",
    inherits="No.",
)
numbers.row("lru:text:all-faster", "text", "confirmed", "Section 3.2.2")(
    "Faster to train on every task",
    r"\text{diagonalising reduces training time on all tasks}",
    code="least_speed_ratio",
    note="By a factor of 1.9 at least (ListOps). Table 4 has no inference times.",
)
numbers.row(
    "lru:text:diagonal-better", "text", "confirmed", "Section 3.2.2 and Table 2"
)(
    "Diagonalising improves accuracy",
    r"\text{diagonalising improves accuracy on ListOps and sCIFAR}",
    code="least_gain",
    note="By 14.3 and 8.4 points. On Text and Retrieval, which Table 2 leaves out, "
    "Table 7 has it 1.7 and 1.3 points lower.",
)
part.row(
    "lru:text:approximately-stable",
    "limit",
    "confirmed",
    "Section 3.2.2, after Theorem 3.1",
)(
    "Glorot initialisation is approximately stable",
    r"\mu_N(|z| > 1) \rightarrow 0",
    code="sigprop.neuron.ginibre.radial_law",
    topic="ring",
    note="The share outside the disc falls like 1/sqrt(2 pi N), so their number grows "
    "like sqrt(N/(2 pi)): about nine of 500. In the sense of Section 3.2.1, which asks "
    "all |lambda| < 1, such a matrix is unstable.",
)
part.row("lru:text:exponential", "definition", "definition", "Section 3.2.2")(
    "The exponential of a complex number",
    r"\exp(-\nu + i\theta) := e^{-\nu}(\cos(\theta) + i\sin(\theta))",
    code="sigprop.layers.complex_diagonal.complex_diagonal",
    topic="parametrisation",
)
part.row("lru:text:halved-variance", "text", "conditional", "Section 3.2.2")(
    "Halved variances preserve lengths",
    r"B, C: \text{ Glorot for both parts, with halved variance in each, to preserve "
    r"lengths}",
    code="projected_length",
    condition=Condition(
        "for B, and for C before the real part of its output is taken",
        lambda matrix, **_: matrix in ("B", "C"),
    ),
    note="The layer keeps the real part of C x, which halves the mean square. The "
    "listing of Appendix A does not halve the variances of C, and so it does preserve "
    "lengths; text and listing differ.",
)
