"""What judges the figures of RotRNN (2024), as far as the text describes them."""

from sigprop.judge.basis import ARITHMETIC, Basis, Evidence
from theory.papers.rotrnn.printed import DEPTHS

EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:six-layers": Evidence(
        ({"experiments": "all"},),
        {ARITHMETIC: len(set(DEPTHS.values()))},
        form=3,
        printed=1,
    )
}
