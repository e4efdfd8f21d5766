"""Evidence for the figures of RotRNN (2024), as far as the text describes them."""

from sigprop.judge.basis import ARITHMETIC, Basis, Evidence, Example
from sigprop.theory.papers.rotrnn.printed import DEPTHS

EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:six-layers": Evidence(
        ({"experiments": "all"},),
        {ARITHMETIC: len(set(DEPTHS.values()))},
        form=3,
        printed=1,
        hand={"Tables and Figure 3 (a) alone": 2},
        example=Example(
            "the number of layers",
            {},
            "6 in all experiments (B.2)",
            "8 in Figure 3 (a) and 1 in (b)",
        ),
    )
}
