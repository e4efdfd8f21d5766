"""RotRNN (2024), figures, as far as their captions and the text describe them."""

from theory.claims import Claim, Kind, Status
from theory.evidence import ARITHMETIC, Evidence

DEPTHS = {"Tables 1 and 2": 6, "Figure 3 (a)": 8, "Figure 3 (b)": 1}


def claims() -> tuple[Claim, ...]:
    """Figures 1 to 3, and the depth of the networks that they show."""
    return (
        Claim(
            "rotrnn:fig1",
            "Figure 1",
            Kind.FIGURE,
            "The network",
            r"T \text{ is the length of the input, } \mathcal{D}_u \text{ the number of "
            r"channels in the input data}",
            "",
            Status.DEFINITION,
            "sigprop.networks.presets.rotrnn_paper",
            note="Our copy has no drawing. In Eq. 13 and Figure 2 the same letter is the "
            "width of the layer, D of Table 3: 96 for Speech Commands, whose data have one "
            "channel.",
            topic="models",
        ),
        Claim(
            "rotrnn:fig2",
            "Figure 2",
            Kind.FIGURE,
            "The heads of a layer",
            r"B^{(h)}: \mathbb{R}^{\mathcal{D}_u} \to \mathbb{R}^{\mathcal{D}_h}, \quad C: "
            r"\mathbb{R}^{\mathcal{D}_x} \to \mathbb{R}^{\mathcal{D}_u}",
            "",
            Status.DEFINITION,
            "sigprop.layers.rotrnn.RotRNN",
            note="The dimensions are those of Eq. 13, which is judged.",
            topic="models",
        ),
        Claim(
            "rotrnn:fig3",
            "Figure 3 and the text on it in Section 5.1",
            Kind.FIGURE,
            "Norms of the states during training on ListOps",
            r"\text{mean } ||x_t||_2 \text{ of RotRNN almost constant, of the LRU larger and "
            r"varying over layers and seeds}",
            "",
            Status.NOT_CHECKABLE,
            "sigprop.layers.rotrnn.RotRNN.states",
            reason="It reports trained networks whose weights and curves are not published; "
            "our copy has no drawing.",
            note="The figure shows the norm, the theory its square, and the mean of a norm "
            "is below the root of the mean square. Under the theory's inputs all heads "
            "together tend to the square root of their number, 5.66 for 32 heads, from "
            "below.",
            topic="experiments",
        ),
        Claim(
            "rotrnn:text:six-layers",
            "Appendix B.2",
            Kind.TEXT,
            "Depth of the networks in all experiments",
            r"\text{the number of layers } L = 6 \text{ was the same for all experiments}",
            "evidence",
            Status.REFUTED,
            "theory.papers.rotrnn.figures.DEPTHS",
            correction=r"L = 6 \text{ in Tables 1 and 2, } L = 8 \text{ in Figure 3 (a), } "
            r"L = 1 \text{ in Figure 3 (b)}",
            note="The value counts the depths that the paper itself gives.",
            inherits="Nothing.",
            topic="experiments",
            evidence=Evidence(
                points=({"experiments": "all"},),
                routes={ARITHMETIC: lambda experiments: len(set(DEPTHS.values()))},
                form=lambda experiments: 3,
                printed=lambda experiments: 1,
            ),
        ),
    )
