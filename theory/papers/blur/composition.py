"""BLUR (2025), Sections 4.1-4.2: layers composed and unrolled, Eq. 12 to 17."""

from theory.rows import Part

part = Part("Section 4.2", "bidirectional", "sigprop.evidence.blur.composition")
composed = part.at("Section 4.1")
text = part.at("")

composed.row("blur:12", "definition", "definition")(
    "A pointwise nonlinearity of the merged state's real part",
    r"\bm{z}_k = \mathcal{G}(\hat{\bm{h}}_k), \quad \mathcal{G}: \mathbb{R}^n "
    r"\to \mathbb{R}^s",
    code="sigprop.networks.blocks.Block",
)
composed.row("blur:13", "definition", "refuted")(
    "The skip connection and the output map",
    r"\bm{y}_k = \mathcal{L}_3(\bm{z}_k + \mathbf{C}\bm{u}_k), \quad "
    r"\mathcal{L}_3: \mathbb{R}^n\to\mathbb{R}^s, \; \mathbf{C}\in"
    r"\mathbb{R}^{n\times m}",
    code="sigprop.networks.blocks.Block",
    correction=r"\mathcal{L}_3: \mathbb{R}^s\to\mathbb{R}^s, \; \mathbf{C}\in"
    r"\mathbb{R}^{s\times m}",
    note="z of Eq. 12 has s entries, C u has n, and L_3 takes n. The caption of Figure 2 "
    "assumes equal widths for convenience; with seven series and 256 features the "
    "equations do not fit. They are right where n = s alone.",
    inherits="none: the networks that are run have n = s",
)
composed.row("blur:14", "definition", "refuted")(
    "BLUR as a composition",
    r"\hat{\mathcal{F}} = \mathcal{L}_3\circ\mathcal{G}\circ\mathcal{H}\circ("
    r"\mathcal{L}_1 + \mathcal{L}_2)\circ\mathcal{E}",
    code="sigprop.layers.blur.BLUR",
    correction=r"\hat{\mathcal{F}} = \mathcal{L}_3\circ\mathcal{G}\circ"
    r"\mathcal{H}\circ(\mathcal{L}_1, \mathcal{L}_2)\circ\mathcal{E}",
    note="H of Eq. 11 takes a pair; a sum of the states forces one map for both "
    "directions. The printed value is the best that any linear map of the sum can do, by "
    "least squares. Read as a direct sum, the plus is right. The composition leaves out "
    "the skip of Eq. 13.",
    inherits="Theorem 4.1 and its proof are about this composition.",
)
text.row("blur:text:one-block", "text", "refuted", "Section 4.2, first paragraph")(
    "Both directions in one block",
    r"\text{forward and backward LRUs combine into one block with a properly "
    r"designed } \mathbf{B} \text{ that takes } \mathbf{B}_f \text{ and } "
    r"\mathbf{B}_b: \; (\overrightarrow{\bm{h}}_t, \overleftarrow{\bm{h}}_t)",
    code="one_block",
    correction=r"(\overrightarrow{\bm{h}}_t, \overleftarrow{\bm{h}}_{N+1-t}) "
    r"\text{ is one recurrence in } (\bm{u}_t, \bm{u}_{N+1-t})",
    note="A recurrence that runs forwards holds, at step t, nothing of later inputs. Fed "
    "with the reversed copy besides, it gives the backward state of step N + 1 - t, which "
    "has to be reversed again.",
    inherits="The paragraph uses it to carry results for Eq. 1 to Eq. 14.",
)
part.row("blur:15", "identity", "proved")(
    "The forward state as a sum",
    r"(\text{Forward}) \; \bm{h}_k = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j_f"
    r"\mathbf{B}_f\bm{u}_{k-j}",
    code="sigprop.evidence.blur.recurrences.forward_sum",
)
part.row("blur:16", "identity", "refuted")(
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
    note="Some B and Lambda have lost their b; without it they are the letters of Eq. 9, "
    "here taken for the forward ones. A slip of notation.",
    inherits="No: Eq. 17 has the right letters.",
)
part.row("blur:17", "identity", "proved")(
    "The backward state at step 1 as a sum",
    r"(\text{Backward}) \; \bm{h}_1 = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j_b"
    r"\mathbf{B}_b\bm{u}_{j+1}",
    code="backward_sum",
)
