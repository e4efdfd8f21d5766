"""Evidence for Figures 4 to 8 of BLUR (2025)."""

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import crossed, points
from sigprop.judge.basis import Basis, Example
from sigprop.theory.papers.blur.printed import errors

FIGURE_5 = ("ETTm1", "Weather")  # data set by the text, and by the caption
INFORMER_INPUTS = [48, 96, 168, 168, 336]
HORIZONS = [h for data, h in errors(8) if data == "ETTh1"]


def growth(method: str, start: int) -> float:
    """Increase of a method's mean absolute error on ETTh1 to the next horizon."""
    later = HORIZONS[HORIZONS.index(start) + 1]
    before, after = (errors(8)["ETTh1", h][method].mae for h in (start, later))
    return after - before


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
        len({*FIGURE_5}),
        2,
        printed=1,
        example=Example("the data of Figure 5 by the caption", {}, *FIGURE_5),
    ),
    "blur:fig6": numbers(
        growth,
        0.0,
        crossed(points("method", "BLUR", "LRU"), points("start", *HORIZONS[:-1])),
        ">",
        wrong=1.0,
        example=Example(
            "MAE of BLUR on ETTh1 at 336, which at 168 is 0.508,",
            {},
            "more than 0.508",
            errors(8)["ETTh1", 336]["BLUR"].mae,
        ),
    ),
    "blur:fig7": numbers(
        lambda: leads(0) + leads(1), 5, relation=">", hand={"in all ten": 10}
    ),
    "blur:text:setting": numbers(
        sum(a == b for a, b in zip(INFORMER_INPUTS, HORIZONS, strict=True)),
        1,
        printed=len(HORIZONS),
        hand={"none": 0},
        example=Example(
            "number of input steps at the horizon 720 of ETTh1",
            {},
            HORIZONS[-1],
            INFORMER_INPUTS[-1],
        ),
    ),
}
