"""RotRNN (2024), figures, as far as their captions and the text describe them."""

from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("", "models", "sigprop.layers.rotrnn.RotRNN")

part.row(
    "rotrnn:fig1",
    "figure",
    "definition",
    "The network",
    r"T \text{ is the length of the input, } \mathcal{D}_u \text{ the number of "
    r"channels in the input data}",
    where="Figure 1",
    note="Our copy has no drawing. In Eq. 13 and Figure 2 the same letter is the "
    "width of the layer, D of Table 3: 96 for Speech Commands, whose data have one "
    "channel.",
    code="sigprop.networks.presets.rotrnn_paper",
)
part.row(
    "rotrnn:fig2",
    "figure",
    "definition",
    "The heads of a layer",
    r"B^{(h)}: \mathbb{R}^{\mathcal{D}_u} \to \mathbb{R}^{\mathcal{D}_h}, \quad C: "
    r"\mathbb{R}^{\mathcal{D}_x} \to \mathbb{R}^{\mathcal{D}_u}",
    where="Figure 2",
    note="The dimensions are those of Eq. 13.",
)
part.row(
    "rotrnn:fig3",
    "figure",
    "not-checkable",
    "Norms of the states during training on ListOps",
    r"\text{mean } ||x_t||_2 \text{ of RotRNN almost constant, of the LRU larger and "
    r"varying over layers and seeds}",
    where="Figure 3 and the text on it in Section 5.1",
    note="The figure shows the norm, the theory its square. Under the theory's inputs "
    "the root mean square over all heads tends to the square root of their number, "
    "5.66 for 32 heads. The mean norm stays below it.",
    reason="It reports trained networks whose weights and curves are not published; "
    "our copy has no drawing.",
    code="states",
    topic="experiments",
)
part.row(
    "rotrnn:text:six-layers",
    "text",
    "refuted",
    "Depth of the networks in all experiments",
    r"\text{the number of layers } L = 6 \text{ was the same for all experiments}",
    where="Appendix B.2",
    correction=r"L = 6 \text{ in the experiments of Tables 1 and 2, } L = 8 \text{ in "
    r"Figure 3 (a), } L = 1 \text{ in Figure 3 (b)}",
    note="We count the depths that the paper itself gives.",
    erratum=Erratum(
        "E", bearing="No later result is affected: the sentence describes the networks."
    ),
    code="sigprop.theory.papers.rotrnn.printed.DEPTHS",
    topic="experiments",
)
