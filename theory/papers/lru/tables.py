"""Orvieto et al. (2023), Tables 1-9."""

import math

from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import ARITHMETIC, Evidence
from theory.papers.lru.rows import TABLES, only_on, printed_numbers

BETTER = ("scifar", "listops", "pathfinder")
UNITS = (1.0, 0.1, 1.0, 0.1, 0.1, 1.0)  # the last digit of each printed speed-up
SPEED_UPS = [8, 19, 29, 114, 74, 17]  # in those units


def _same(
    number: int, other: int, title: str, note: str, claim_id: str = "", **more
) -> Claim:
    return Claim(
        claim_id or f"lru:table{number}",
        f"Tables {number} and {other}",
        Kind.TABLE,
        title,
        rf"\text{{Table {number} equals Table {other} where both show a number}}",
        "evidence",
        Status.CONFIRMED,
        f"{TABLES}.shared",
        evidence=Evidence(
            ({"first": number, "second": other},),
            {ARITHMETIC: f"{TABLES}.shared"},
            form=f"{TABLES}.shared_again",
            absolute=0.05,
        ),
        note=note,
        topic="tables",
        **more,
    )


def claims() -> tuple[Claim, ...]:
    """Tables 1 to 9."""
    accuracies = (
        " The accuracies themselves are measurements that are not repeated here."
    )
    return (
        _same(1, 6, "Dense RNNs with and without nonlinearity",
              "All 12 numbers agree." + accuracies),
        _same(2, 7, "Parametrisations of the diagonal",
              "All 15 entries agree, those without a number included." + accuracies),
        _same(3, 8, "The LRU and deep state-space models",
              "All 36 numbers agree." + accuracies),
        printed_numbers(
            "lru:table4",
            "Table 4, Appendix C.1",
            "Speed-ups over the tanh RNN",
            r"\text{speed-ups } 8,\ 1.9,\ 29,\ 11.4,\ 7.4,\ 17",
            "speed_up_in_units",
            {"units": UNITS},
            SPEED_UPS,
            kind=Kind.TABLE,
            absolute=0.5,
            note="All six are the quotients of the printed speeds, to the digits shown. "
            "PathX's 17 rests on a speed of 0.14 with two digits.",
        ),
        printed_numbers(
            "lru:table5",
            "Table 5, Appendix C.2",
            "Normalisation and stability allow rings nearer the circle",
            r"\text{both allow eigenvalues closer to the unit disk, with better accuracy}",
            "best_outer",
            {"panel": "B"},
            [0.99, 0.99, 0.99],
            kind=Kind.TABLE,
            absolute=0.0005,
            note="The best r_max is 0.9 for each r_min in panel A and 0.99 in B; in C it is "
            "0.99 or 0.999. The best accuracies rise from 87.9 to 88.1 to 89.0. Panel C's "
            "89.0 and B's 88.1 are those of Tables 2 and 3.",
        ),
        _same(6, 7, "Dense RNNs, expanded",
              "The linear RNN and the five deep rows are those of Table 7."),
        printed_numbers(
            "lru:table7",
            "Table 7, Appendix C.3",
            "Diagonal RNNs against Table 1",
            r"\text{performance directly improves the results in Table 1}",
            "least_gain",
            tuple(
                {"table": 7, "model": model, "other": "dense", "tasks": tasks}
                for model, tasks in (
                    ("stable", ",".join(BETTER)),
                    ("real+im", "text"),
                    ("exp", "text"),
                    ("stable", "text"),
                )
            ),
            0.0,
            ">",
            status=Status.CONDITIONAL,
            kind=Kind.TABLE,
            wrong=100.0,
            condition=Condition("on sCIFAR, ListOps and PathFinder", only_on(*BETTER)),
            note="On Text the dense linear RNN's 89.1 beats all diagonal models without "
            "ring initialisation (87.4, 86.5, 87.6), and on Retrieval two of the three. "
            "Table 2 leaves these two tasks out.",
            inherits="No.",
        ),
        _same(7, 8, "Normalisation, expanded",
              "The dense, the plain diagonal, the ring and the five deep rows are those of "
              "Table 7.", "lru:table8"),
        Claim(
            "lru:table8-rings",
            "Table 8, Appendix C.3",
            Kind.TABLE,
            "Rings of the LRU",
            r"[r_{\min}, r_{\max}] = [0.9, 0.999], [0, 0.99], [0.5, 0.9], [0.5, 0.9], "
            r"[0.9, 0.999], [0.999, 0.9999]",
            "evidence",
            Status.CONFIRMED,
            "sigprop.networks.presets.lru_paper",
            evidence=Evidence(
                ({},),
                {"reference": f"{TABLES}.preset_rings"},
                form=f"{TABLES}.printed_rings",
                absolute=0.00005,
                alone="the package's networks against the table",
            ),
            note="Text and Retrieval end at 0.9, well inside the disc.",
            topic="tables",
        ),
        Claim(
            "lru:table8-phases",
            "Table 8, Appendix C.3",
            Kind.TABLE,
            "Ranges of phases",
            r"\theta \in [0, \pi/10] \text{ for PathX},\ [0, 2\pi] \text{ for all others}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.networks.presets.lru_paper",
            evidence=Evidence(
                ({},),
                {"reference": f"{TABLES}.preset_phases"},
                form=lambda: [2 * math.pi] * 5 + [math.pi / 10],
                alone="the package's networks against the caption",
            ),
            topic="tables",
        ),
        Claim(
            "lru:table9",
            "Table 9, Appendix D.3",
            Kind.TABLE,
            "Depth, widths and dropout",
            r"\text{depth},\ H,\ N,\ \text{dropout by task}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.networks.presets.lru_paper",
            evidence=Evidence(
                ({},),
                {"reference": f"{TABLES}.preset_settings"},
                form=f"{TABLES}.printed_settings",
                absolute=0.005,
                alone="the package's networks against the table",
            ),
            note="The table gives no base learning rate, and the paper no number of "
            "parameters.",
            topic="tables",
        ),
    )  # fmt: skip
