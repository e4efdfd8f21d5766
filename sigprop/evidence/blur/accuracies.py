"""What judges Tables 2 and 7 of BLUR (2025), and what the text says of them.

Columns: sCIFAR, ListOps, Text, sMNIST, psMNIST.
"""

from functools import partial

import numpy as np

from sigprop.evidence.arithmetic import numbers
from sigprop.judge.basis import Basis
from theory.papers.blur.printed import TABLE_2, TABLE_7
from theory.papers.lru import printed as lru

BOTH_PAPERS = "Table 3 of the LRU's paper against Tables 2 and 7"
LRU_TABLE_3 = {
    label: [float(number.partition("(")[0]) for number in row]
    for label, row in lru.TABLE_3.rows.items()
}
# Rows of that table by their names here.
SOURCES = {
    "S4": "S4 (its paper)",
    "S4D-Legs": "S4D-LegS (its paper)",
    "S5": "S5 (reproduced)",
}


def record(first: str, second: str) -> list[int]:
    """Wins, ties and losses of one method against another in Table 2."""
    pairs = list(zip(TABLE_2[first], TABLE_2[second], strict=True))
    return [
        sum(a > b for a, b in pairs),
        sum(a == b for a, b in pairs),
        sum(a < b for a, b in pairs),
    ]


def lead(column: int) -> int:
    """Sign of BLUR's accuracy over the best of the others in Table 7."""
    best = max(row[column] for name, row in TABLE_7.items() if name != "BLUR")
    return int(np.sign(TABLE_7["BLUR"][column] - best))


def copied() -> int:
    """Starred entries for sMNIST and psMNIST that are another table's other columns."""
    return sum(
        TABLE_7[name][column] == LRU_TABLE_3[source][column]
        for name, source in SOURCES.items()
        for column in (3, 4)
    )


EVIDENCE: dict[str, Basis] = {
    "blur:table2": numbers(
        TABLE_2["BLUR"][3] - TABLE_7["BLUR"][3], 0.1, printed=0.0, absolute=1e-9
    ),
    "blur:table7": numbers(len(set(TABLE_7) - set(TABLE_2)), 1, printed=2),
    "blur:text:outperforms-lru": numbers(
        partial(record, "BLUR", "LRU"), [3, 1, 1], printed=[5, 0, 0]
    ),
    "blur:text:outperforms-s5": numbers(partial(record, "BLUR", "S5"), [4, 0, 1]),
    "blur:text:surpasses-s4": numbers(
        sum(b > s for b, s in zip(TABLE_2["BLUR"][:3], TABLE_2["S4"][:3], strict=True)),
        1,
        printed=3,
    ),
    "blur:text:highest-scifar": numbers(
        [
            max(row[0] for row in TABLE_7.values()),
            TABLE_7["S4"][0] - TABLE_7["LRU"][0],
            TABLE_7["S4"][0] - TABLE_7["BLUR"][0],
        ],
        [91.1, 2.1, 1.1],
    ),
    "blur:text:superior": numbers(lambda: [lead(2), lead(4)], [1, 0], printed=[1, 1]),
    "blur:text:smnist-columns": numbers(copied, 6, printed=0, alone=BOTH_PAPERS),
    "blur:text:s5-source": numbers(
        TABLE_2["S5"][:3],
        LRU_TABLE_3["S5 (reproduced)"][:3],
        printed=LRU_TABLE_3["S5 (its paper)"][:3],
        alone=BOTH_PAPERS,
    ),
    "blur:text:s4-source": numbers(
        [*TABLE_7["S4"][:3], *TABLE_7["S4D-Legs"][:3]],
        [*LRU_TABLE_3[SOURCES["S4"]][:3], *LRU_TABLE_3[SOURCES["S4D-Legs"]][:3]],
        alone=BOTH_PAPERS,
    ),
    "blur:text:lru-rerun": numbers(
        np.subtract(TABLE_2["BLUR"][:3], LRU_TABLE_3["LRU"][:3]).tolist(),
        [1.0, -5.6, -2.1],
        printed=[1.0, -0.2, 0.6],
        alone=BOTH_PAPERS,
    ),
}
