"""Orvieto et al. (2023), Sections 3.1-3.2: linear and diagonal recurrences."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("", "models", "sigprop.evidence.lru.diagonalisation")
numbers = part.at("", "tables", "sigprop.evidence.lru.accuracies")

numbers.row(
    "lru:text:linear-better",
    "text",
    "confirmed",
    "Linear recurrences are more accurate",
    r"\text{simply removing the nonlinearity is able to improve test accuracy on most LRA "
    r"tasks}",
    where="Section 3.1 and Table 1",
    code="gains_of_all",
    note="The linear RNN is better on all four tasks shown, by 0.2 to 6.5 points than "
    "tanh and by 0.6 to 12.8 points than ReLU.",
)
numbers.row(
    "lru:text:vanilla-matches",
    "text",
    "not-checkable",
    "Vanilla RNNs suffice for Text and Retrieval",
    r"\text{on Text and Retrieval vanilla RNNs match deep SSMs}",
    where="Section 3.1",
    code="above_worst_deep",
    reason="To match has no threshold, and no direction.",
    note="On Text ReLU, tanh and linear RNN have 88.0, 87.2 and 89.1, the deep models 86.2 "
    "to 89.3; on Retrieval 88.5, 88.9 and 89.1 against 88.9 to 91.4.",
)
numbers.row(
    "lru:text:far-behind",
    "text",
    "confirmed",
    "Dense linear RNNs are far behind S4 on sCIFAR, PathFinder and PathX",
    r"\text{performance which is still far behind S4 on some tasks (sCIFAR, PathFinder and "
    r"PathX)}",
    where="Section 3.1",
    code="above_worst_deep",
    note="On sCIFAR 16.6 points below the least accurate deep model and 18.9 below "
    "S4. On PathFinder and PathX they do not beat chance. The test concerns the "
    "direction.",
)
part.row(
    "lru:text:diagonal-unrolled",
    "text",
    "refuted",
    "The dense system in the basis of its eigenvectors",
    r"\bar{x}_k = \sum_{j=0}^{k-1} \Lambda^j \bar{B} u_{k-j},\quad y_k = "
    r"\Re[\bar{C}\bar{x}_k] + D u_k",
    where="Section 3.2.1",
    code="diagonal_output",
    correction=r"\bar{x}_k = \sum_{j=0}^{k} \Lambda^j \bar{B} u_{k-j},\quad y_k = "
    r"\Re[\bar{C}\bar{x}_k] + D u_k",
    assumes="A is diagonalisable",
    note="The printed sum drops the oldest input, as Eq. 4 does. With this input, and "
    "with C-bar = C P, the diagonal system has exactly the outputs of the dense "
    "system.",
    erratum=Erratum("B", root="lru:4"),
)
part.row(
    "lru:text:output-basis",
    "text",
    "refuted",
    "The output matrix in the basis of eigenvectors",
    r"\bar{x}_k := P^{-1} x_k,\quad y_k = \Re[\bar{C}\bar{x}_k] + D u_k,\quad "
    r"\bar{C} = C P^{-1}",
    where="Section 3.2.1",
    code="output_in_basis",
    correction=r"\bar{C} = C P",
    assumes="A = P Lambda P^-1 is diagonalisable",
    note="The paper prints C P^-1; it should be C P. The state is P times the state in "
    "the basis of eigenvectors, so C is multiplied by P. Both text extractions of our "
    "copy have the inverse.",
    erratum=Erratum(
        "A",
        bearing="No later result is affected: C-bar is sampled and learnt in the new "
        "basis.",
    ),
)
part.row(
    "lru:text:stability-order",
    "text",
    "refuted",
    "The growth of one mode",
    r"|x_{k,j}| = O(|\bar{x}_{k,j}|) = O(|\lambda_j|^k)",
    where="Section 3.2.1",
    code="forced_growth",
    correction=r"|\bar{x}_{k,j}| = O\left(\frac{1-|\lambda_j|^{k+1}}{1-|\lambda_j|}\right) "
    r"\text{ for bounded inputs}",
    note="The printed power is the weight of the oldest input. It is the order of the "
    "state after a single impulse, which the authors may mean. Under lasting inputs a "
    "stable mode does not decay. We divide the state at 2k by the state at k, so that "
    "no constant of an O matters. Besides, component j of x mixes all modes through P.",
    erratum=Erratum(
        "B", bearing="The sufficient condition that the paper derives from it is right."
    ),
)
part.row(
    "lru:text:stable-sufficient",
    "text",
    "confirmed",
    "Eigenvalues inside the disc suffice for stability",
    r"|\lambda_j| < 1\ \forall j \Rightarrow x_k \text{ does not explode}",
    where="Section 3.2.1",
    code="bounded_mode",
    note="For inputs of size at most b a mode stays below b/(1 - |lambda|). Inputs "
    "whose contributions add up in phase come arbitrarily close to this bound.",
)
numbers.row(
    "lru:text:eight-times",
    "text",
    "not-checkable",
    "Diagonal recurrences are faster to train",
    r"\text{sCIFAR: } \sim 8 \text{ times faster than a dense ReLU RNN}",
    where="Section 3.2.2",
    code="least_speed_ratio",
    reason="The speed of a ReLU RNN is nowhere in the paper.",
    note="By Table 4 the LRU is 7.95 times as fast as a dense RNN with tanh.",
)
numbers.row(
    "lru:text:as-fast",
    "text",
    "not-checkable",
    "As fast to train as S4D and S5",
    r"\text{on all LRA tasks: just as fast to train as deep SSMs like S4D and S5}",
    where="Section 3.2.2",
    code="speed_ratio",
    reason="Just as fast has no threshold.",
    note="By Table 4 the LRU makes 1.18, 0.95, 1.39, 1.90, 0.63 and 0.92 times as many steps "
    "a second as S4D, and 1.00, 0.95, 1.02, 1.00, 0.99 and 1.04 times as many as S5. The "
    "one clear exception is S4D on PathFinder. The table has the LRU, not the plain "
    "diagonal RNN.",
)
numbers.row(
    "lru:text:all-faster",
    "text",
    "not-checkable",
    "Diagonalising makes training and inference faster on every task",
    r"\text{it drastically reduces training and inference time on all LRA tasks (see Table 4 "
    r"in Appendix C.1 for training speed comparisons)}",
    where="Section 3.2.2",
    code="least_speed_ratio",
    reason="The paper has no speed of the dense linear RNN, which is what is diagonalised, "
    "and none of inference.",
    note="Table 4 compares the LRU with the RNN with tanh: it trains 1.9 (ListOps) to "
    "29 times as fast (lru:table4). 'Drastically' has no threshold.",
)
numbers.row(
    "lru:text:diagonal-better",
    "text",
    "confirmed",
    "Diagonalising improves accuracy",
    r"\text{diagonalizing the recurrence surprisingly improves accuracy on tasks like "
    r"ListOps and sCIFAR}",
    where="Section 3.2.2 and Table 2",
    code="least_gain",
    note="Diagonalising gains 8.4 and 14.3 points. On Text and Retrieval, which Table "
    "2 omits, Table 7 has the diagonal model 1.7 and 1.3 points lower. We leave open "
    "whether these count as tasks like the others.",
)
part.row(
    "lru:text:approximately-stable",
    "limit",
    "confirmed",
    "Glorot initialisation is approximately stable",
    r"\mu_N(|z| > 1) \rightarrow 0",
    where="Section 3.2.2, after Theorem 3.1",
    code="sigprop.neuron.ginibre.radial_law",
    topic="ring",
    note="The fraction of eigenvalues outside the disc falls like 1/sqrt(2 pi N). So "
    "their number grows like sqrt(N/(2 pi)): about nine of 500. Section 3.2.1 asks "
    "for all |lambda| < 1; in that sense such a matrix is unstable.",
)
part.row(
    "lru:text:exponential",
    "definition",
    "definition",
    "The exponential of a complex number",
    r"\exp(-\nu + i\theta) := e^{-\nu}(\cos(\theta) + i\sin(\theta))",
    where="Section 3.2.2",
    code="sigprop.layers.complex_diagonal.complex_diagonal",
    topic="parametrisation",
)
part.row(
    "lru:text:halved-variance",
    "text",
    "confirmed",
    "Halved variances preserve lengths",
    r"B, C: \text{ Glorot for both parts, with halved variance in each, to preserve "
    r"lengths}",
    where="Section 3.2.2",
    code="projected_length",
    note="The statement is about lengths before the real part of C x is taken, which "
    "the text's next sentence treats. The listing of Appendix A does not halve the "
    "variances of C, see lru:text:factor-two.",
)
numbers.row(
    "lru:text:vanilla-drops",
    "text",
    "confirmed",
    "Vanilla RNNs in place of SSM layers",
    r"\text{The performance on Long Range Arena drops significantly when replacing SSM "
    r"layers in a deep architecture with vanilla RNN layers using tanh or ReLU activations}",
    where="Section 1, main steps",
    code="drop_of_averages",
    note="We compare means over the six tasks of Table 6, with 50 where a model did not beat "
    "chance: 65.0 (tanh) and 64.0 (ReLU) against 85.2 to 87.8 of the deep models. On Text "
    "alone both are above S4 and S4D. 'Significantly' has no threshold.",
)
numbers.row(
    "lru:text:without-losing",
    "text",
    "conditional",
    "Accuracy of the diagonal form",
    r"\text{Training and inference of deep linear RNNs speed up without losing performance "
    r"by using complex-valued diagonal recurrent matrices}",
    where="Section 3.2",
    code="least_gain",
    condition=Condition(
        "on sCIFAR, ListOps and PathFinder",
        lambda tasks, **_: not {"text", "retrieval"} & {tasks},
    ),
    note="We compare the dense linear RNN with the diagonal one in its plain form, Lambda Re "
    "+ Im of Table 7. The diagonal one has 1.7 points less on Text and 1.3 less on "
    "Retrieval. Table 2 omits both tasks. On PathFinder both are at chance.",
    erratum=Erratum(
        "E",
        root="lru:table7",
        bearing="With ring initialisation no task loses accuracy.",
    ),
)
numbers.row(
    "lru:text:disk-close",
    "text",
    "not-checkable",
    "Uniform initialisation on the disc suffices",
    r"\text{Uniform initialization on the disk is sufficient to achieve performance close "
    r"to more complex deep state-space models on the remaining LRA tasks (Table 2)}",
    where="Section 4",
    code="above_worst_deep",
    reason="Close has no threshold, and Table 2 omits two of the five tasks.",
    note="By Table 7 the stable model on the disc has 87.2, 59.4, 87.6, 89.1 and 93.5. That "
    "is 1.6 points below the least accurate deep model on sCIFAR, and 0.9, 1.4, 0.2 and "
    "0.4 above it on the others.",
)
