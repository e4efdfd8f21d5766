"""BLUR (2025), Sections 4.1-4.2: layers composed and unrolled, Eq. 12 to 17."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Section 4.2", "bidirectional", "sigprop.evidence.blur.composition")
composed = part.at("Section 4.1")
text = part.at("")

composed.row(
    "blur:12",
    "definition",
    "definition",
    "A pointwise nonlinearity of the merged state's real part",
    r"\bm{z}_k = \mathcal{G}(\hat{\bm{h}}_k), \quad \mathcal{G}: \mathbb{R}^n "
    r"\to \mathbb{R}^s",
    code="sigprop.networks.blocks.Block",
    note="The range is copied from Eq. 1 and does not fit Eq. 13 (blur:13).",
)
composed.row(
    "blur:13",
    "definition",
    "definition",
    "The skip connection and the output map",
    r"\bm{y}_k = \mathcal{L}_3(\bm{z}_k + \mathbf{C}\bm{u}_k), \quad "
    r"\mathcal{L}_3: \mathbb{R}^n\to\mathbb{R}^s, \; \mathbf{C}\in"
    r"\mathbb{R}^{n\times m}",
    code="sigprop.networks.blocks.Block",
    correction=r"\text{in Eq. 12 } \mathcal{G}: \mathbb{R}^n \to \mathbb{R}^n; "
    r"\text{ Eq. 13 as it stands}",
    note="In Eq. 12 z has s entries. In Eq. 13 C u has n entries and L_3 takes n "
    "entries. The sizes agree only if n = s. The caption of Figure 2 assumes equal "
    "widths for convenience.",
    erratum=Erratum(
        "C",
        appears_in=("blur:12",),
        bearing="No later result uses the sizes.",
    ),
)
composed.row(
    "blur:14",
    "definition",
    "definition",
    "BLUR as a composition",
    r"\hat{\mathcal{F}} = \mathcal{L}_3\circ\mathcal{G}\circ\mathcal{H}\circ("
    r"\mathcal{L}_1 + \mathcal{L}_2)\circ\mathcal{E}",
    code="sigprop.layers.blur.BLUR",
    note="The plus is a direct sum, the pair that H of Eq. 11 takes; a sum of the states "
    "would force one map for both directions. The proof of Theorem 4.1 writes a pair of "
    "maps with a plus as well. The skip of Eq. 13 is omitted.",
)
text.row(
    "blur:text:one-block",
    "text",
    "conditional",
    "Both directions in one block",
    r"\text{Such LRUs can even be combined into one single block using a properly designed } "
    r"\mathbf{B} \text{ that takes } \mathbf{B}_f \text{ and } \mathbf{B}_b",
    where="Section 4.2, first paragraph",
    code="one_block",
    condition=Condition(
        "the block's second half is fed with the inputs in reversed order, and its states "
        "are put in order again",
        lambda turned, **_: turned,
    ),
    note="The two LRUs run in opposite directions. Lambda and B of the block are "
    "block-diagonal. No B alone makes a recurrence run backwards. A block without "
    "reversed inputs is causal, but the backward state at 1 depends on all inputs.",
    erratum=Erratum(
        "D",
        bearing="The paragraph extends the analysis of one LRU to two. The proof "
        "keeps the two apart.",
    ),
)
part.row(
    "blur:15",
    "identity",
    "proved",
    "The forward state as a sum",
    r"(\text{Forward}) \; \bm{h}_k = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j_f"
    r"\mathbf{B}_f\bm{u}_{k-j}",
    code="sigprop.evidence.blur.recurrences.forward_sum",
)
part.row(
    "blur:16",
    "identity",
    "refuted",
    "The last three backward states",
    r"\bm{h}_k = \mathbf{B}\bm{u}_k, \bm{h}_{k-1} = \mathbf{\Lambda B}_b\bm{u}_k "
    r"+ \mathbf{B}\bm{u}_{k-1}, \bm{h}_{k-2} = \mathbf{\Lambda}_b^2\mathbf{B}"
    r"\bm{u}_k + \mathbf{\Lambda B}_b\bm{u}_{k-1} + \mathbf{B}\bm{u}_{k-2}, \ldots",
    code="last_three_written",
    correction=r"\bm{h}_k = \mathbf{B}_b\bm{u}_k, \bm{h}_{k-1} = "
    r"\mathbf{\Lambda}_b\mathbf{B}_b\bm{u}_k + \mathbf{B}_b\bm{u}_{k-1}, "
    r"\bm{h}_{k-2} = \mathbf{\Lambda}_b^2\mathbf{B}_b\bm{u}_k + "
    r"\mathbf{\Lambda}_b\mathbf{B}_b\bm{u}_{k-1} + \mathbf{B}_b\bm{u}_{k-2}, "
    r"\ldots",
    note="Every B that stands alone lacks its index b; without it B is the letter of "
    "Eq. 9, here read as the forward matrix. We read the one index of the pair Lambda "
    "B for both letters.",
    erratum=Erratum("C", bearing="Eq. 17 has the right letters."),
)
part.row(
    "blur:17",
    "identity",
    "proved",
    "The backward state at step 1 as a sum",
    r"(\text{Backward}) \; \bm{h}_1 = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j_b"
    r"\mathbf{B}_b\bm{u}_{j+1}",
    code="backward_sum",
    note="Here k is the last step of the backward pass, which is N in the model.",
)
