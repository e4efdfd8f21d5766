"""BLUR (2025), universality: Theorem 4.1, Eq. 18 to 22 and Lemma A.1."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

ERROR = (
    r"\text{sup}_{\bm{v}\in\mathcal{V}} \|\hat{\mathcal{F}}(\bm{v}) - "
    r"\mathcal{F}(\bm{v})\| \le \varepsilon"
)
DISTINCT = "pairwise distinct eigenvalues, which Section 4.2 assumes"
TALL = Condition(
    f"n >= k, as stated before Eq. 20, and {DISTINCT}",
    lambda n, k, **_: n >= k,
)
WIDE = Condition(
    f"a hidden dimension of that of the inputs, and {DISTINCT}",
    lambda n, P, **_: n >= P,
)
NEEDS_DISTINCT = (
    "Section 4.2 assumes distinct eigenvalues of both matrices when BLUR is initialised. "
    "The appendix does not repeat it; at least k distinct ones are needed, and they are "
    "generic: the determinant of the square matrix is the product of their differences."
)

text = Part("", "bidirectional", "sigprop.evidence.blur.universality")
part = text.at("Appendix A.4")


def vandermonde(letter: str, inputs: str) -> str:
    """Return the LaTeX of powers of the eigenvalues of one direction, times the inputs."""
    rows = " ".join(
        rf"\lambda_{{{letter},{i}}}^{{k-1}} & \lambda_{{{letter},{i}}}^{{k-2}} & "
        rf"\cdots & \lambda_{{{letter},{i}}} & 1 \\"
        for i in (1, 2, "n")
    )
    return (
        rf"\begin{{bmatrix}} {rows} \end{{bmatrix}} "
        rf"\begin{{bmatrix}} {inputs} \end{{bmatrix}} = \mathbf{{V}}_{{{letter},k}}"
    )


text.row(
    "blur:thm4.1",
    "bound",
    "not-checkable",
    "BLUR approximates every sequence map",
    r"n \ge \dim(\mathcal{V}), \; D \ge \mathcal{O}(nN/\varepsilon^2) \; "
    r"\Rightarrow \; " + ERROR,
    where="Theorem 4.1, Section 4.2",
    code="sigprop.layers.blur.BLUR",
    assumes=DISTINCT,
    reason="A statement that parameters exist, for every target: as the lines before it "
    "say, one can always parameterise F. Its parts are judged apart: that the state holds "
    "the inputs in Lemma A.1, the merge, the width D, and the constants that add up.",
    note="Read of all eigenvalues and merges it fails: in the sum of two states with "
    "equal eigenvalues and input weights the inputs before a step enter as those after "
    "it. The proof is of a function of both "
    "states, 2n numbers, and leaves out the merge to n. Single finite norms do not bound "
    "the inputs: one constant for all of them is meant.",
)
part.row(
    "blur:18",
    "bound",
    "not-checkable",
    "The uniform error of the approximation",
    ERROR,
    code="sigprop.layers.blur.BLUR",
    assumes=DISTINCT,
    reason="It is the conclusion of Theorem 4.1, a statement that parameters exist for "
    "every target (blur:thm4.1). It needs the bias of the encoder: with an encoder that is "
    "the identity, v = 0 gives the same state at every k.",
)
text.row(
    "blur:text:nonlinear-letter",
    "text",
    "refuted",
    "The letter for the nonlinear mapping",
    r"\text{Let the nonlinear mapping } \mathcal{E} \text{ be parameterized by an MLP}",
    where="Theorem 4.1, Section 4.2",
    code="sigprop.layers.blur.BLUR",
    correction=r"\mathcal{G}",
    note="The paper prints E; it should be G. E is the linear embedding of Eq. 1, and G "
    "the nonlinear function on the states in Eq. 1 and 12. We compare the positions "
    "of both letters in the composition of Eq. 14.",
    erratum=Erratum(
        "C",
        appears_in=("the same words in Appendix A.4",),
        bearing="The proof uses the letter G for the MLP.",
    ),
)
text.row(
    "blur:text:dim",
    "text",
    "confirmed",
    "The dimension of the space of inputs",
    r"\text{dim}(\mathcal{V}) \text{ can be simply set as } dN",
    where="Section 4.2, after Theorem 4.1",
    code="dimension",
    note="The most that it can be. With Table 6 n is 128, below dN = 168 already at 24 "
    "steps of seven series, so the theorem says nothing of the networks that are run.",
)
text.row(
    "blur:text:sketch",
    "text",
    "refuted",
    "The backward state is said to contain the inputs before it",
    r"\overrightarrow{\bm{h}}_k \text{ and } \overleftarrow{\bm{h}}_k \text{ "
    r"are able to reconstruct the input } (\bm{v}_i)_{i=1}^{k}",
    where="Section 4.2, proof sketch",
    code="backward_rank",
    correction=r"\overrightarrow{\bm{h}}_k \text{ reconstructs } "
    r"(\bm{v}_i)_{i=1}^{k}, \; \overleftarrow{\bm{h}}_k \text{ reconstructs } "
    r"(\bm{v}_i)_{i=k}^{N}",
    note="Of the first k inputs the backward state at k contains only the last one. "
    "We compute ranks with one input a step, six steps and six states. The forward "
    "state alone is enough for the result. The appendix uses a backward pass that "
    "begins at k.",
    erratum=Erratum(
        "B",
        appears_in=("the last step of the plan in Appendix A.4",),
        inherits=("blur:lemmaA.4",),
        bearing="The lemma adds the reconstruction from the backward state at step 1. "
        "The model merges the backward state at step k.",
    ),
)
text.row(
    "blur:text:merge",
    "text",
    "conditional",
    "The merged state contains what its parts contain",
    r"\text{if } \overrightarrow{\bm{h}}_k \text{ and } \overleftarrow{\bm{h}}_k "
    r"\text{ can reconstruct the inputs, it is immediately obtained that } "
    r"\hat{\bm{h}}_k \text{ is also able to do so}",
    where="Section 4.2, proof sketch",
    code="merged_rank",
    condition=Condition(
        "the merge is suitably chosen, which a generic one is",
        lambda merge, **_: merge == "pair",
    ),
    note="A linear map of 2n numbers to n loses n of them. With the proof's own input "
    "weights of one, the difference of both states does not depend on u_k.",
    erratum=Erratum(
        "D",
        bearing="The theorem may choose the merge, and does not need every merge.",
    ),
)
part.row(
    "blur:lemmaA.1",
    "bound",
    "confirmed",
    "The state of a wide enough linear RNN contains all inputs",
    r"n \sim mN: \; \text{the linear RNN can recover } (\bm{u}_i)_{i=1}^{k} "
    r"\text{ from } \bm{h}_k; \quad \dim(\mathcal{U}) = P < mN: \; "
    r"n = \mathcal{O}(P)",
    where="Lemma A.1",
    code="sigprop.evidence.blur.reconstruction.subspace_rank",
    assumes=WIDE,
    note="With n equal to the dimension it is enough, for drawn input weights. The "
    "proof's weights of one are for d = m = 1; with m = 2 both inputs of a step would "
    "enter alike.",
)
part.row(
    "blur:text:lossless",
    "text",
    "confirmed",
    "Recovery without any information loss",
    r"\text{If the hidden dimension scales with } mN, \text{ the linear RNN model can "
    r"recover the encoded inputs } (\bm{u}_i)_{i=1}^{k} \text{ from the hidden states } "
    r"\bm{h}_k \text{ for all } k = 1, \ldots, N \text{ without any information loss}",
    where="Lemma A.1",
    code="recovered_by_interpolation",
    assumes=f"a hidden dimension of mN, {DISTINCT}, and a B without a zero entry for m = 1, "
    "or with N states of its own for each input channel",
    note="In exact arithmetic; the values are of sixty digits, for m = 1 and k = N; fewer "
    "inputs than states ask less. The inputs are the "
    "coefficients of the polynomial through the states. A Vandermonde matrix of real "
    "nodes has a condition number that grows exponentially in its size, so that in double "
    "precision many real eigenvalues lose all digits; see the row on order N.",
)
part.row(
    "blur:19",
    "identity",
    "proved",
    "The forward Vandermonde matrix",
    r"\bm{h}_k = "
    + vandermonde("f", r"\bm{u}_1 \\ \bm{u}_2 \\ \vdots \\ \bm{u}_k")
    + r"\bm{u}^{\top}_{1:k}",
    code="sigprop.evidence.blur.reconstruction.vandermonde",
)
part.row(
    "blur:20",
    "identity",
    "confirmed",
    "The forward reconstruction",
    r"\bm{v}_{1:k}^{\top} = \bm{u}_{1:k}^{\top} = \mathbf{V}_{f,k}^{+}\bm{h}_k",
    code="sigprop.evidence.blur.reconstruction.ordered",
    assumes=TALL,
    note=NEEDS_DISTINCT,
)
part.row(
    "blur:21",
    "identity",
    "proved",
    "The backward Vandermonde matrix",
    r"\bm{h}_1 = "
    + vandermonde("b", r"\bm{u}_k \\ \bm{u}_{k-1} \\ \vdots \\ \bm{u}_1")
    + r"\bm{u}^{\top}_{k:1}",
    code="sigprop.evidence.blur.reconstruction.vandermonde",
    note="The matrix belongs to a backward pass that begins at k, which is N in the "
    "model. For k < N the state at 1 also depends on the later inputs.",
)
part.row(
    "blur:22",
    "identity",
    "confirmed",
    "The backward reconstruction",
    r"\bm{v}_{k:1}^{\top} = \bm{u}_{k:1}^{\top} = \mathbf{V}_{b,k}^{+}\bm{h}_1",
    code="sigprop.evidence.blur.reconstruction.ordered",
    assumes=TALL,
    note=NEEDS_DISTINCT,
)
text.row(
    "blur:text:distinct",
    "text",
    "definition",
    "Distinct eigenvalues",
    r"\text{we need to assume that the eigenvalues of both of recurrent weight matrices "
    r"are distinct}",
    where="Section 4.2, initialisation",
    code="sigprop.layers.blur.BLUR",
    note="We read the assumption as distinct eigenvalues within each matrix. "
    "Continuous samples are distinct with probability 1.",
)
