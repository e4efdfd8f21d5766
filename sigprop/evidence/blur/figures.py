"""What judges Figures 4 to 13 of BLUR (2025)."""

from itertools import pairwise

import numpy as np

from sigprop.evidence.arithmetic import numbers
from sigprop.judge.basis import Basis
from theory.papers.blur.figures import TEST_DATA
from theory.papers.blur.printed import SETS, errors

INFORMER_INPUTS = [48, 96, 168, 168, 336]
HORIZONS = [h for data, h in errors(8) if data == "ETTh1"]


def least_and_greatest_step(method: str, data: str) -> list[float]:
    """Least and greatest sign of the steps of absolute errors over growing horizons."""
    points = [row[method].mae for task, row in errors(8).items() if task[0] == data]
    signs = [float(np.sign(b - a)) for a, b in pairwise(points)]
    return [min(signs), max(signs)]


def leads(metric: int) -> int:
    """Horizons of ETTm1 at which BLUR leads all methods of Figure 7."""
    shown = {8: ("LRU", "S4"), 9: ("TCN",), 10: ("LSTMa", "Autoformer"), 12: ("BLSTM",)}
    wins = 0
    for task, row in errors(8).items():
        rivals = [
            errors(table)[task][method][metric]
            for table, methods in shown.items()
            if task[0] == "ETTm1"
            for method in methods
        ]
        wins += bool(rivals) and row["BLUR"][metric] < min(rivals)
    return wins


EVIDENCE: dict[str, Basis] = {
    "blur:fig4": numbers(
        [
            min(row, key=lambda method: row[method].mse) == "BLUR"
            for (data, _), row in errors(11).items()
            if data in ("Weather", "ETTh1")
        ],
        [1, 1, 1, 1],
    ),
    "blur:fig5": numbers(
        SETS.index("Weather"),
        SETS.index("Weather"),
        printed=SETS.index("ETTm1"),
        alone="the caption against the text; the values are places in the list of data "
        "sets",
    ),
    "blur:fig6": numbers(
        least_and_greatest_step("BLUR", "ETTh1"), [-1.0, 1.0], printed=[1.0, 1.0]
    ),
    "blur:fig7": numbers([leads(0), leads(1)], [5, 3], printed=[5, 5]),
    "blur:fig8": numbers(
        [2880 - h + 1 for h in HORIZONS], [2857, 2833, 2713, 2545, 2161]
    ),
    "blur:text:setting": numbers(
        INFORMER_INPUTS,
        [48, 96, 168, 168, 336],
        printed=HORIZONS,
        alone="the public scripts of the setting, transcribed",
    ),
    **{
        f"blur:fig{number}": numbers(
            float(np.sign(rows - horizon + 1 - step)),
            1.0,
            alone="the length of the test split against the steps that the text names",
        )
        for number, (_, horizon, step, rows) in TEST_DATA.items()
    },
}
