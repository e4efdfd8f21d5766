"""BLUR (2025), universality: Theorem 4.1, Eq. 18 to 22 and Lemma A.1."""

from theory.claims import Condition
from theory.rows import Part

ERROR = (
    r"\text{sup}_{\bm{v}\in\mathcal{V}} \|\hat{\mathcal{F}}(\bm{v}) - "
    r"\mathcal{F}(\bm{v})\| \le \varepsilon"
)
GENERAL_POSITION = Condition(
    "eigenvalues and input weights in general position (those of one direction not those "
    "of the other where states are added), and a merge of the pair that loses nothing",
    lambda kind, merge, **_: kind == "drawn" and merge in ("pair", "sum"),
)
DISTINCT = "pairwise distinct eigenvalues, which Section 4.2 assumes"
TALL = Condition(
    f"n >= k, as stated before Eq. 20, and {DISTINCT}",
    lambda n, k, kind, **_: n >= k and kind != "equal",
)
WIDE = Condition(
    f"a hidden dimension of that of the inputs, and {DISTINCT}",
    lambda n, P, kind, **_: n >= P and kind != "equal",
)
NEEDS_DISTINCT = (
    "Section 4.2 assumes distinct eigenvalues of both matrices when BLUR is initialised. "
    "The appendix does not repeat it; at least k distinct ones are needed, and they are "
    "generic."
)

text = Part("", "bidirectional", "sigprop.evidence.blur.universality")
part = text.at("Appendix A.4")


def vandermonde(letter: str, inputs: str) -> str:
    """LaTeX of powers of the eigenvalues of one direction, times the inputs."""
    rows = " ".join(
        rf"\lambda_{{{letter},{i}}}^{{k-1}} & \lambda_{{{letter},{i}}}^{{k-2}} & "
        rf"\cdots & \lambda_{{{letter},{i}}} & 1 \\"
        for i in (1, 2, "n")
    )
    return (
        rf"\begin{{bmatrix}} {rows} \end{{bmatrix}} "
        rf"\begin{{bmatrix}} {inputs} \end{{bmatrix}} = \mathbf{{V}}_{{{letter},k}}"
    )


text.row("blur:thm4.1", "bound", "conditional", "Theorem 4.1, Section 4.2")(
    "BLUR approximates every sequence map",
    r"n \ge \dim(\mathcal{V}), \; D \ge \mathcal{O}(nN/\varepsilon^2) \; "
    r"\Rightarrow \; " + ERROR,
    code="merged_rank",
    assumes=DISTINCT,
    condition=GENERAL_POSITION,
    note="Judged where it can fail: the width n = dim V has to make the merged state hold "
    "all inputs. The values are the inputs that the real part of the state at step t "
    "tells apart. It holds for generic eigenvalues of either kind, not for all. Two "
    "directions do not halve n: after the merge n real numbers must hold all dim V, and "
    "at the last step only the forward state has seen them. E is the linear encoder; the "
    "MLP of width D is G. Single finite norms do not bound the inputs: one constant for "
    "all of them is meant.",
    inherits="Its bound on D is judged apart.",
)
part.row("blur:18", "bound", "conditional")(
    "The uniform error of the approximation",
    ERROR,
    code="recovered",
    assumes=DISTINCT,
    condition=GENERAL_POSITION,
    note="The values are the share of the worst input that the merged state holds: one, "
    "or nothing. Where it is nothing, two inputs a distance 2 apart have one state, and "
    "no G whatever its width gets below half of the difference of their targets.",
)
text.row(
    "blur:text:dim",
    "text",
    "conditional",
    "Section 4.2, after Theorem 4.1, and Table 6",
)(
    "The dimension of the inputs against the width of the network",
    r"\dim(\mathcal{V}) \text{ can be set as } dN, \; n \ge dN",
    code="network_rank",
    condition=Condition(
        "dN <= 256, so at most 36 steps of seven series in the paper's network",
        lambda series, steps, **_: series * steps <= 256,
    ),
    note="With Table 6 n is 128, below dN = 168 already at the shortest horizon of the "
    "tables, so the theorem never applies to the networks that are run. For real inputs, "
    "128 complex states in each direction and 256 outputs hold up to 256 numbers: enough "
    "for 24 steps of seven series, not for 48.",
)
text.row("blur:text:sketch", "text", "refuted", "Section 4.2, proof sketch")(
    "The backward state is said to hold the inputs before it",
    r"\overrightarrow{\bm{h}}_k \text{ and } \overleftarrow{\bm{h}}_k \text{ "
    r"are able to reconstruct } (\bm{v}_i)_{i=1}^{k}",
    code="seen_backwards",
    correction=r"\overrightarrow{\bm{h}}_k \text{ reconstructs } "
    r"(\bm{v}_i)_{i=1}^{k}, \; \overleftarrow{\bm{h}}_k \text{ reconstructs } "
    r"(\bm{v}_i)_{i=k}^{N}",
    note="Of the first k inputs the backward state at k holds the last alone. The values "
    "are ranks with one input a step, of six steps and six states.",
    inherits="Eq. 21, 22 and Lemma A.4 use the backward state at step 1 in the place of "
    "the one at step k.",
)
text.row("blur:text:merge", "text", "conditional", "Section 4.2, proof sketch")(
    "The merged state holds what its parts hold",
    r"\text{if } \overrightarrow{\bm{h}}_k \text{ and } \overleftarrow{\bm{h}}_k "
    r"\text{ can reconstruct the inputs, immediately } \hat{\bm{h}}_k \text{ "
    r"can}",
    code="merged_rank",
    condition=Condition(
        "the merge is in general position and n is at least dim V",
        lambda n, m, k, merge, **_: merge == "pair" and n >= m * k,
    ),
    note="A linear map of 2n numbers to n forgets n of them. With the proof's own input "
    "weights of one, the difference of both states forgets u_k.",
)
part.row("blur:lemmaA.1", "bound", "conditional", "Lemma A.1")(
    "The state of a wide enough linear RNN holds all inputs",
    r"n \sim mN: \; (\bm{u}_i)_{i=1}^{k} \text{ can be recovered from } "
    r"\bm{h}_k; \quad \dim(\mathcal{U}) = P < mN: \; n = \mathcal{O}(P)",
    code="sigprop.evidence.blur.reconstruction.subspace_rank",
    assumes=WIDE,
    condition=Condition(
        "input weights in general position", lambda kind, **_: kind == "drawn"
    ),
    note="With n equal to the dimension it is enough, for generic parameters. The proof's "
    "weights of one, taken for d = m = 1, do not extend to m = 2: both inputs of a step "
    "then enter alike.",
)
part.row("blur:text:lossless", "text", "conditional", "Lemma A.1")(
    "Recovery without any information loss",
    r"\text{with real or complex eigenvalues the inputs are recovered without "
    r"any information loss}",
    code="rounded_reconstruction",
    condition=Condition(
        "exact arithmetic, or eigenvalues spread over the circle, or at most eight real "
        "ones",
        lambda k, spread, **_: spread == "circle" or k <= 8,
    ),
    note="A Vandermonde matrix of real nodes has a condition number that grows "
    "exponentially in its size. In double precision 16 real eigenvalues lose three "
    "quarters of the digits and 40 all; 40 on a circle lose nothing.",
)
part.row("blur:19", "identity", "proved")(
    "The forward Vandermonde matrix",
    r"\bm{h}_k = "
    + vandermonde("f", r"\bm{u}_1 \\ \bm{u}_2 \\ \vdots \\ \bm{u}_k")
    + r"\bm{u}^{\top}_{1:k}",
    code="sigprop.evidence.blur.reconstruction.vandermonde",
)
part.row("blur:20", "identity", "confirmed")(
    "The forward reconstruction",
    r"\bm{v}_{1:k}^{\top} = \bm{u}_{1:k}^{\top} = \mathbf{V}_{f,k}^{+}\bm{h}_k",
    code="sigprop.evidence.blur.reconstruction.ordered",
    assumes=TALL,
    note=NEEDS_DISTINCT,
)
part.row("blur:21", "identity", "proved")(
    "The backward Vandermonde matrix",
    r"\bm{h}_1 = "
    + vandermonde("b", r"\bm{u}_k \\ \bm{u}_{k-1} \\ \vdots \\ \bm{u}_1")
    + r"\bm{u}^{\top}_{k:1}",
    code="sigprop.evidence.blur.reconstruction.vandermonde",
)
part.row("blur:22", "identity", "confirmed")(
    "The backward reconstruction",
    r"\bm{v}_{k:1}^{\top} = \bm{u}_{k:1}^{\top} = \mathbf{V}_{b,k}^{+}\bm{h}_1",
    code="sigprop.evidence.blur.reconstruction.ordered",
    assumes=TALL,
    note=NEEDS_DISTINCT,
)
text.row("blur:text:distinct", "text", "confirmed", "Section 4.2, initialisation")(
    "Distinct eigenvalues",
    r"\text{the eigenvalues of both recurrent matrices need to be distinct: } "
    r"\det \mathbf{V}_{f,n} = \prod_{i<j} (\lambda_{f,i} - \lambda_{f,j})",
    code="theory.bidirectional.vandermonde_determinant",
    note="Continuous draws are distinct with probability 1; the paper assumes what holds. "
    "The determinant is ours.",
)
