"""RotRNN (2024), Section 4.1: the text on the LRU, and two directions."""

from theory import rotation
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import LAYER, LAYERS, MODES_OF_LRU

HEADS = tuple({"seed": seed, "heads": 2, "size": 4} for seed in (1, 2))


def claims() -> tuple[Claim, ...]:
    """Sentences of Sections 2.2, 2.3 and 4.1 and of Appendix B.2."""
    pairs = tuple({"seed": seed, "pairs": 2} for seed in (3, 4))
    return (
        Claim(
            "rotrnn:text:lru-eigenvalues",
            "text after Eq. 4, Section 2.2",
            Kind.DEFINITION,
            "Modulus and phase of the LRU's eigenvalues",
            r"\lambda_j = \nu_j e^{i\theta_j}",
            "",
            Status.DEFINITION,
            "sigprop.layers.lru.LRU.eigenvalues",
            note="Here nu is the modulus. In the LRU paper the modulus is exp(-nu), and "
            "what is learnt are the logarithms of nu and of theta.",
            topic="parametrisation",
        ),
        Claim(
            "rotrnn:text:lru-not-real",
            "Section 2.3",
            Kind.TEXT,
            "Nothing makes the LRU's output real",
            r"\text{no constraint ensures that } y_t = \tilde{C}\tilde{x}_t \text{ is "
            r"real-valued}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.lru.LRU",
            note="The value is the imaginary part over the modulus; of pairs that are "
            "conjugate throughout it vanishes.",
            topic="models",
            evidence=Evidence(
                points=tuple({"seed": seed, "pairs": 2} for seed in (3, 4, 5)),
                routes={"reference": MODES_OF_LRU + "imaginary_readout"},
                form=lambda seed, pairs: 0.1,
                relation=">",
                slips={"always real": lambda seed, pairs: 1.0},
                alone="one example shows that nothing ensures it",
            ),
        ),
        Claim(
            "rotrnn:text:real-blocks",
            "Multihead RotRNN as a special case, Section 4.1",
            Kind.IDENTITY,
            "An LRU whose eigenvalues come in conjugate pairs, in real numbers",
            r"\Lambda = \text{blocks of } \begin{pmatrix} \nu_j\cos\theta_j & -\nu_j\sin"
            r"\theta_j \\ \nu_j\sin\theta_j & \nu_j\cos\theta_j \end{pmatrix}, \quad "
            r"\tilde{B}, \tilde{C} \text{ real}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.rotation_lru.real_blocks",
            condition=Condition(
                "rows of B~ and columns of C~ come in conjugate pairs too",
                lambda conjugate=True, **_: conjugate,
            ),
            note="Paired eigenvalues alone are not enough: with unrelated rows and "
            "columns one real block a pair does not give the LRU's output.",
            topic="rotation",
            evidence=Evidence(
                points=(*pairs, {**pairs[0], "conjugate": False}),
                routes={
                    "layer": MODES_OF_LRU + "paired_lru",
                    "reference": MODES_OF_LRU + "paired_sum",
                },
                form=MODES_OF_LRU + "real_blocks",
                proof=rotation.output_is_real_part,
            ),
        ),
        Claim(
            "rotrnn:text:lru-special-case",
            "Multihead RotRNN as a special case, Section 4.1",
            Kind.IDENTITY,
            "A RotRNN of planar heads is such an LRU, up to normalisation",
            r"\tilde{B} = P^\top B, \ \tilde{C} = CP: \quad H = \frac{\mathcal{D}_x}{2}, "
            r"\quad \mathcal{D}_h = 2",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation_lru.planar_heads",
            assumes="rows of B~ and columns of C~ come in conjugate pairs, as above",
            note="Judged on the outputs of the two layers, RotRNN's with a random M and "
            "its normalisation undone in C.",
            topic="rotation",
            evidence=Evidence(
                points=pairs,
                routes={
                    "layer": MODES_OF_LRU + "paired_lru",
                    "reference": MODES_OF_LRU + "paired_sum",
                },
                form=MODES_OF_LRU + "planar_heads",
            ),
        ),
        Claim(
            "rotrnn:text:planar-heads",
            "Multihead RotRNN as a special case, Section 4.1",
            Kind.IDENTITY,
            "In planar heads the learnt P has no effect on the recurrence",
            r"\mathcal{D}_h = 2: \quad A^{(h)} = P\Theta P^\top \text{ for some orthogonal "
            r"} P",
            "evidence",
            Status.PROVED,
            LAYER + ".transition",
            note="Rotations of the plane commute: P Theta P^T = Theta for each P in SO(2), "
            "so that states and outputs do not depend on M and its gradient is zero.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"seed": 1, "heads": 2, "other": o} for o in (7, 8)),
                routes={"layer": LAYERS + "output_by_M"},
                form=LAYERS + "output_without_M",
                proof=rotation.planar_rotations_commute,
            ),
        ),
        Claim(
            "rotrnn:text:bidirectional",
            "Appendix B.2",
            Kind.DEFINITION,
            "The layer that reads from both ends",
            r"\text{reuse } P, \Theta, B; \quad C \text{ different for the forward and the "
            r"backward pass}",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.rotrnn.BidirectionalRotRNN",
            note="The decays are not named; they are shared here. Outputs are added, and "
            "D u once.",
            topic="bidirectional",
            evidence=Evidence(
                points=HEADS,
                routes={"layer": LAYERS + "both_directions"},
                form=LAYERS + "both_by_loops",
                alone="a definition, of the layer beside loops",
            ),
        ),
    )
