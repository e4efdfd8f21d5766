"""BLUR (2025), Sections 3 and 4.1: Eq. 1 to 11 and Definitions 3.1 to 3.3.

The statements are judged for the layer of the experiments: an LRU in each direction of time,
with states merged by one linear map.
"""

from sigprop.theory import bidirectional as two
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Section 3", "bidirectional", "sigprop.evidence.blur.layer")
both = part.at("Section 4.1")
text = part.at("")

part.row(
    "blur:def3.1",
    "definition",
    "definition",
    "A causal sequence-to-sequence map",
    r"(\bm{v}_i)_{i=1}^{N} \mapsto (\bm{y}_i)_{i=1}^{N}, \quad "
    r"\bm{y}_k = \mathcal{F}_k((\bm{v}_i)_{i=1}^{k})",
    where="Definition 3.1",
    code="sigprop.layers.base.Layer.causal",
    note="The layer's flag says whether an output depends on inputs up to its step alone; "
    "BLUR's is false.",
)
part.row(
    "blur:1",
    "definition",
    "definition",
    "An encoder, a linear recurrence and a pointwise nonlinearity",
    r"\tilde{\mathcal{F}} = \mathcal{G}\circ\mathcal{L}\circ\mathcal{E}",
    code="sigprop.networks.network.Network",
)
part.row(
    "blur:2",
    "definition",
    "definition",
    "The Fourier transform and its normalisation",
    r"\tilde{f}(\omega) := \frac{1}{(2\pi)^{p}}\int_{\mathbb{R}^{p}} f(x)"
    r"e^{-i\langle\omega,x\rangle}dx",
    derive=two.fourier_of_gaussian,
    code="sigprop.theory.bidirectional.fourier_of_gaussian",
    note="With this factor f is the integral of its transform times exp(i w x), without a "
    "factor, which is what Barron's constant needs.",
)
part.row(
    "blur:def3.2",
    "definition",
    "definition",
    "A Barron function",
    r"\mathcal{C}_f := \int_{\mathbb{R}^{p}} \|\omega\|_2 |\tilde{f}(\omega)|"
    r"d\omega < \infty",
    where="Definition 3.2",
    derive=two.barron_of_gaussian,
    code="sigprop.theory.bidirectional.barron_of_gaussian",
)
part.row(
    "blur:def3.3",
    "definition",
    "definition",
    "Domain and range of the linear RNN",
    r"\mathcal{L}_{\mathbf{A},\mathbf{B}}: \mathbb{R}^{n\times N} \to "
    r"\mathbb{R}^{m\times N}, \quad \mathbf{A}\in\mathbb{R}^{n\times n}, "
    r"\mathbf{B}\in\mathbb{R}^{n\times m}",
    where="Definition 3.3",
    code="sigprop.layers.dense.LinearRNN",
    correction=r"\mathcal{L}_{\mathbf{A},\mathbf{B}}: \mathbb{R}^{m\times N} "
    r"\to \mathbb{R}^{n\times N}",
    note="The paper exchanges the two sizes. The same sentence maps u of size m by N "
    "to h of size n by N.",
    erratum=Erratum(
        "C",
        bearing="The equations use the right sizes, as do the lines after Eq. 1 and 10.",
    ),
)
part.row(
    "blur:3",
    "definition",
    "definition",
    "The linear recurrence",
    r"\bm{h}_k = \mathbf{A}\bm{h}_{k-1} + \mathbf{B}\bm{u}_k, \quad "
    r"\bm{h}_0 = \mathbf{0}",
    code="sigprop.layers.dense.LinearRNN.states",
)
part.row(
    "blur:4",
    "identity",
    "proved",
    "The first three states",
    r"\bm{h}_1 = \mathbf{B}\bm{u}_1, \bm{h}_2 = \mathbf{AB}\bm{u}_1 + "
    r"\mathbf{B}\bm{u}_2, \bm{h}_3 = \mathbf{A}^2\mathbf{B}\bm{u}_1 + "
    r"\mathbf{AB}\bm{u}_2 + \mathbf{B}\bm{u}_3, \ldots",
    code="written_out",
)
part.row(
    "blur:5",
    "identity",
    "proved",
    "The state as a sum over lags",
    r"\bm{h}_k = \sum_{j=0}^{k-1} \mathbf{A}^j\mathbf{B}\bm{u}_{k-j}",
    code="dense_sum",
)
part.row(
    "blur:6",
    "identity",
    "confirmed",
    "The eigendecomposition of the recurrent matrix",
    r"\mathbf{A} = \mathbf{Q}\mathbf{\Lambda}\mathbf{Q}^{-1}, \quad "
    r"\mathbf{\Lambda} = \text{diag}(\lambda_1, \ldots, \lambda_n) \in "
    r"\mathbb{C}^{n\times n}",
    code="recomposed",
    assumes="A is diagonalisable, which the paper says holds up to an arbitrarily small "
    "perturbation",
    note="The perturbation may cost digits: see the row on measure zero.",
)
part.row(
    "blur:7",
    "identity",
    "proved",
    "The recurrence with its matrix in three factors",
    r"\bm{h}_k = \mathbf{Q}\mathbf{\Lambda}\mathbf{Q}^{-1}\bm{h}_{k-1} + "
    r"\mathbf{B}\bm{u}_k",
    code="rotated_loop",
)
part.row(
    "blur:8",
    "identity",
    "proved",
    "The recurrence in the eigenbasis",
    r"\mathbf{Q}^{-1}\bm{h}_k = \mathbf{\Lambda}\mathbf{Q}^{-1}\bm{h}_{k-1} + "
    r"\mathbf{Q}^{-1}\mathbf{B}\bm{u}_k",
    code="rotated_state",
)
part.row(
    "blur:9",
    "identity",
    "proved",
    "The diagonal recurrence and its sum",
    r"\bm{h}_k = \mathbf{\Lambda}\bm{h}_{k-1} + \mathbf{B}\bm{u}_k, \; "
    r"\bm{h}_k = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j\mathbf{B}\bm{u}_{k-j}",
    code="sigprop.layers.diagonal.DiagonalLayer.states",
    note="State and B keep their letters after the change of basis. Both are complex "
    "from here on.",
)
text.row(
    "blur:text:measure-zero",
    "text",
    "proved",
    "Non-diagonalisable matrices have measure zero",
    r"\text{over the } n\times n \text{ non-diagonal real matrices the "
    r"non-diagonalizable ones have measure zero; up to arbitrarily small perturbations "
    r"} \mathbf{A} \text{ is diagonalizable}",
    where="Section 3, before Eq. 6",
    code="sigprop.theory.bidirectional.discriminant_is_no_constant",
    note="The proof is of two by two matrices; the values count the eigenvectors of a "
    "Jordan block with a perturbation of the size. Their condition number is one over the "
    "root of the size, so the change of basis that Eq. 9 absorbs is unbounded.",
)
both.row(
    "blur:10",
    "definition",
    "definition",
    "A recurrence in each direction of time",
    r"\overrightarrow{\bm{h}}_k = \mathbf{\Lambda}_f \overrightarrow{\bm{h}}"
    r"_{k-1} + \mathbf{B}_f\bm{u}_k, \; \overleftarrow{\bm{h}}_k = "
    r"\mathbf{\Lambda}_b\overleftarrow{\bm{h}}_{k+1} + \mathbf{B}_b\bm{u}_k",
    code="sigprop.layers.blur.BLUR.states",
    note="The backward state after the last step is zero, which only Section 4.2 "
    "says. The equation does not have the LRU's normalisation of the input. We judge "
    "the layer without it.",
)
text.row(
    "blur:text:causal",
    "text",
    "refuted",
    "Encoding the inputs one by one is said to make the map causal",
    r"\text{Note that the encoded input depends only on the current information } "
    r"\bm{u}_k, \text{ which is with respect to } (\bm{v}_i)_{i \le k} \text{ and blind "
    r"to any future inputs } (\bm{v}_i)_{i>k}. \text{ This fundamentally satisfies the "
    r"definition of the causal sequence-to-sequence map}",
    where="Section 4.1, after Eq. 10",
    code="sigprop.layers.bidirectional.Bidirectional",
    correction=r"\text{the encoder satisfies it, BLUR does not: } "
    r"\frac{\partial\bm{y}_1}{\partial\bm{u}_k} = \text{Re}("
    r"\mathbf{C}_b\mathbf{\Lambda}_b^{k-1}\mathbf{B}_b)",
    note="The encoder reads one step only. The backward state at k is a sum over u_k "
    "... u_N, so only the forward half of the layer is causal. We take the derivative "
    "of the first output with respect to a later input, which is zero for a causal "
    "map. The matrix C_b is what the merge applies to the backward state. Section 3 "
    "says that causality refers to the input, not to the hidden state; Definition 3.1 "
    'refers to inputs and outputs. The sentence is right only if its "this" means '
    "the encoder alone.",
    erratum=Erratum(
        "A",
        bearing="Theorem 4.1 approximates causal maps, for which the forward half is "
        "enough. The theorem says nothing about the backward half.",
    ),
)
both.row(
    "blur:11",
    "definition",
    "definition",
    "Both states merged by one linear map",
    r"\hat{\bm{h}}_k = \mathcal{H}(\overrightarrow{\bm{h}}_k, "
    r"\overleftarrow{\bm{h}}_k), \quad \mathcal{H}: \mathbb{C}^n\times"
    r"\mathbb{C}^n \to \mathbb{C}^n",
    code="sigprop.layers.blur.BLUR.read",
    note="A linear map of a pair is the sum of one map of each part. The layer keeps "
    "the real part of the sum, as Eq. 12 does. The sum has n numbers, where the two "
    "states together have 2n.",
)
text.row(
    "blur:text:dimension",
    "text",
    "definition",
    "The merge does not double the width",
    r"\text{Eq. 11 keeps the dimension } n, \text{ unlike } "
    r"[\overrightarrow{\bm{h}}_k; \overleftarrow{\bm{h}}_k] \text{ of dimension "
    r"} 2n",
    where="Section 4.1, after Eq. 11",
    code="sigprop.layers.blur.BLUR.read",
    note="Sizes that the two maps have by their definitions. A merge of the pair is a map "
    "of the concatenation, so the difference is one of size alone.",
)
text.row(
    "blur:text:replacement",
    "text",
    "confirmed",
    "The map after the change of basis",
    r"\text{The sequence-to-sequence map still holds valid where } \bm{h}_k \text{ and } "
    r"\mathbf{B} \text{ replace } \mathbf{Q}^{-1}\bm{h}_k \text{ and } "
    r"\mathbf{Q}^{-1}\mathbf{B}, \text{ as } \mathbf{Q} \text{ can be merged with } "
    r"\mathcal{L} \text{ and } \mathcal{G}",
    where="Section 3, after Eq. 9",
    code="merged_into_nonlinearity",
    assumes="A is diagonalisable",
    note="The new nonlinear function is G after Q. It takes a complex state, and Q comes "
    "before any real part: Eq. 12 takes the real part first, so there Q has to be merged "
    "with the linear map of Eq. 11. We test a G of one tanh layer.",
)
text.row(
    "blur:text:separate-inputs",
    "text",
    "confirmed",
    "One LRU for each input dimension",
    r"\text{Independent LRUs, } d \text{ of them, can act on separate input dimensions, as "
    r"LRU is linear}",
    where="Section 4.2, first paragraph",
    code="by_inputs",
    note="The state of an LRU is the sum of the states of d LRUs with the same eigenvalues, "
    "each of which reads one input dimension through one column of B.",
)
