"""Evidence for Tables 2 and 7 of BLUR (2025), and for the text on them.

Columns: sCIFAR, ListOps, Text, sMNIST, psMNIST.
"""

from functools import partial

import numpy as np

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Example
from sigprop.theory.papers.blur.printed import TABLE_2, TABLE_7
from sigprop.theory.papers.lru import printed as lru

LRU_TABLE_3 = {
    label: [float(number.partition("(")[0]) for number in row.values()]
    for label, row in lru.TABLES["3"].rows.items()
}
# Rows of that table, by the names of this module.
SOURCES = {
    "S4": "S4 (its paper)",
    "S4D-Legs": "S4D-LegS (its paper)",
    "S5": "S5 (reproduced)",
}


def record(first: str, second: str, tasks: int = 5) -> list[int]:
    """Wins, ties and losses of one method against another on first tasks of Table 2.

    For S4 and S5, only the first three numbers are of the tasks that the columns name.
    """
    pairs = list(zip(TABLE_2[first], TABLE_2[second], strict=True))[:tasks]
    return [
        sum(a > b for a, b in pairs),
        sum(a == b for a, b in pairs),
        sum(a < b for a, b in pairs),
    ]


def losses_to_s5(source: str) -> int:
    """Comparable tasks at which BLUR is behind S5, reproduced or by its paper."""
    pairs = zip(TABLE_2["BLUR"], LRU_TABLE_3[f"S5 ({source})"][:3], strict=False)
    return sum(blur < s5 for blur, s5 in pairs)


def lead(column: int) -> int:
    """Sign of BLUR's accuracy over the best of the others in Table 7."""
    best = max(row[column] for name, row in TABLE_7.items() if name != "BLUR")
    return int(np.sign(TABLE_7["BLUR"][column] - best))


def copied() -> int:
    """Number of entries for sMNIST and psMNIST copied from columns of other tasks."""
    return sum(
        TABLE_7[name][column] == LRU_TABLE_3[source][column]
        for name, source in SOURCES.items()
        for column in (3, 4)
    )


def run_again() -> int:
    """Tasks for which the accuracy of the LRU differs from that in the LRU's paper."""
    pairs = zip(TABLE_2["LRU"], LRU_TABLE_3["LRU"][:3], strict=False)
    return sum(printed != published for printed, published in pairs)


EVIDENCE: dict[str, Basis] = {
    "blur:table2": numbers(
        TABLE_2["BLUR"][3] - TABLE_7["BLUR"][3],
        0.1,
        printed=0.0,
        absolute=1e-9,
        example=Example(
            "accuracy of BLUR on sMNIST in Table 7",
            {},
            TABLE_2["BLUR"][3],
            TABLE_7["BLUR"][3],
        ),
    ),
    "blur:table7": numbers(
        len(set(TABLE_7) - set(TABLE_2)),
        1,
        printed=2,
        example=Example("number of rows of Table 7 that Table 2 lacks", {}, 2, 1),
    ),
    "blur:text:outperforms-lru": numbers(
        partial(record, "BLUR", "LRU"),
        [3, 1, 1],
        printed=[4, 0, 1],
        example=Example(
            "lead of BLUR over the LRU on psMNIST",
            {},
            "above 0",
            TABLE_2["BLUR"][4] - TABLE_2["LRU"][4],
        ),
    ),
    "blur:text:outperforms-s5": numbers(
        losses_to_s5,
        1,
        points("source", "reproduced", "its paper"),
        hand={"never": 0},
        example=Example(
            "accuracy of S5 on Text by its own paper",
            {},
            f"below BLUR's {TABLE_2['BLUR'][2]}",
            LRU_TABLE_3["S5 (its paper)"][2],
        ),
    ),
    "blur:text:surpasses-s4": numbers(
        lambda tasks: record("BLUR", "S4", tasks)[0] / tasks,
        1 / 2,
        points("tasks", 5, 3),
        ">",
        wrong=1.0,
        example=Example(
            "tasks that BLUR wins against S4",
            {},
            "3 of 5",
            "1 of the 3 comparable ones",
        ),
    ),
    "blur:text:highest-scifar": numbers(
        [
            max(row[0] for row in TABLE_7.values()),
            TABLE_7["S4"][0] - TABLE_7["LRU"][0],
            TABLE_7["S4"][0] - TABLE_7["BLUR"][0],
        ],
        [91.1, 2.1, 1.1],
    ),
    "blur:text:superior": numbers(
        lambda: [lead(2), lead(4)],
        [1, 0],
        printed=[1, 1],
        example=Example(
            "accuracy of BLUR on psMNIST, where the LRU has 98.1",
            {},
            "above 98.1",
            "98.1",
        ),
    ),
    "blur:text:smnist-columns": numbers(
        copied,
        6,
        printed=0,
        hand={"the four of Table 2 alone": 4},
        example=Example(
            "the task of the 94.2 of S4 in Table 3 of [30]", {}, "psMNIST", "Pathfinder"
        ),
    ),
    "blur:text:s5-source": numbers(
        TABLE_2["S5"][:3],
        lambda source: LRU_TABLE_3[f"S5 ({source})"][:3],
        points("source", "reproduced", "its paper"),
        hand={"those of S4": LRU_TABLE_3["S4 (its paper)"][:3]},
        example=Example(
            "accuracy of S5 on ListOps by its own paper",
            {},
            TABLE_2["S5"][1],
            LRU_TABLE_3["S5 (its paper)"][1],
        ),
    ),
    "blur:text:s4-source": numbers(
        [*TABLE_7["S4"][:3], *TABLE_7["S4D-Legs"][:3]],
        [*LRU_TABLE_3[SOURCES["S4"]][:3], *LRU_TABLE_3[SOURCES["S4D-Legs"]][:3]],
        hand={
            "the reproduction of S4D": [
                *LRU_TABLE_3[SOURCES["S4"]][:3],
                *LRU_TABLE_3["S4D (reproduced)"][:3],
            ]
        },
    ),
    "blur:text:lru-rerun": numbers(
        run_again,
        0,
        relation=">",
        hand={"on more than two": 2},
    ),
}
