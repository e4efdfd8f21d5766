"""Accuracies, errors and speeds as the papers print them, with the sizes of the models.

A score is written as printed, with its standard error in brackets if there is one.  ``fails``
stands for a cross in the paper, and ``-`` for a missing value.

Source: Orvieto et al. (2023), Tables 1-9; RotRNN (2024), Tables 1 and 3; BLUR (2025),
Tables 2, 3, 6, 8 and 12.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sigprop.theory.papers.blur import printed as blur
from sigprop.theory.papers.lru import printed
from sigprop.theory.papers.lru.printed import FAILS, RUNGS
from sigprop.theory.papers.rotrnn import printed as rotrnn
from sigprop.theory.tables import NOTHING

NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:\((\d+\.\d+)\))?")
RING = re.compile(r"\[0\.\d+,[01]\.\d+\]")


@dataclass(frozen=True)
class Score:
    """A number as printed in a paper.

    Attributes:
        text: The printed text.
        mean: The number in the unit of its table.  It is minus infinity for a cross, and NaN
            for a missing value.
        error: Standard error of ``mean``, or NaN if none is printed.
    """

    text: str
    mean: float
    error: float

    @classmethod
    def read(cls, text: str) -> "Score":
        """Read a printed number.

        Raises:
            ValueError: If the text has an unknown form.
        """
        if text == FAILS:
            return cls(text, -math.inf, 0.0)
        if text == NOTHING or RING.fullmatch(text):
            return cls(text, math.nan, math.nan)
        match = NUMBER.fullmatch(text)
        if not match:
            raise ValueError(
                "need a number such as 88.1(0.2), a ring such as [0.5,0.9], "
                f"{FAILS} or {NOTHING}, got {text!r}"
            )
        mean, error = match.groups()
        return cls(text, float(mean), float(error or "nan"))


@dataclass(frozen=True)
class Size:
    """Sizes of a model and of its training; ``steps`` is ``None`` if not in the paper."""

    length: int
    width: int
    states: int
    depth: int
    batch: int
    steps: int | None = None


@dataclass(frozen=True)
class Row:
    """A model: its printed name, our name of it or ``None``, and its scores."""

    label: str
    model: str | None
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class Published:
    """A table of a paper.

    Attributes:
        title: Subject of the table, in our words.
        source: Paper, table and section.
        columns: Tasks or settings, with the sizes of models or ``None``.
        rows: Models, with one score for each column.
        unit: Unit of the scores.
        note: Further facts that a reader needs.
    """

    title: str
    source: str
    columns: Mapping[str, Size | None]
    rows: tuple[Row, ...]
    unit: str = "test accuracy in %"
    note: str = ""

    def score(self, label: str, column: str) -> Score:
        """Return the score in a row and a column."""
        (row,) = (row for row in self.rows if row.label == label)
        return row.scores[list(self.columns).index(column)]


def rows(
    printed: Mapping[str, Iterable[object]], models: dict[str, str]
) -> tuple[Row, ...]:
    """Return the rows of a table.

    Args:
        printed: Printed scores of each row, by its label.
        models: Our names of models, by labels of rows.

    Raises:
        ValueError: If a score cannot be read.
    """
    return tuple(
        Row(label, models.get(label), tuple(Score.read(str(cell)) for cell in cells))
        for label, cells in printed.items()
    )


# --- Orvieto et al. (2023) -----------------------------------------------------------

LENGTHS = rotrnn.LENGTHS | {
    "sCIFAR": rotrnn.LENGTHS["Image"],
    "PathX": rotrnn.LENGTHS["Path-X"],
}
LRU: dict[str, Size] = {
    task: Size(LENGTHS[task], row.width, row.states, row.depth, row.batch, row.steps)
    for task, row in printed.TABLE_9.items()
}
"""The LRU paper's Table 9; lengths from the head of RotRNN's Table 1.  sCIFAR is in colour."""

OF_RUNS = "test accuracy in %, mean (standard error) of three runs"


def _lru(title: str, number: str, unit: str = OF_RUNS, note: str = "") -> Published:
    table = printed.TABLES[number]
    return Published(
        title,
        table.source,
        {column: LRU[column] for column in table.columns},
        rows({label: row.values() for label, row in table.rows.items()}, RUNGS),
        unit,
        f"The sizes in the paper's blocks are those of its LRU. {note}".strip(),
    )


def _rings(title: str, number: str) -> Published:
    table = printed.TABLES[number]
    return Published(
        f"Rings of eigenvalues on sCIFAR, {title}",
        table.source,
        dict.fromkeys(table.columns, LRU["sCIFAR"]),
        rows(
            {label: row.values() for label, row in table.rows.items()},
            {label: label for label in table.rows},
        ),
        OF_RUNS,
        "Learning rate 0.004.",
    )


# --- RotRNN (2024) and BLUR (2025) ----------------------------------------------------


ROTRNN: dict[str, Size] = {
    task: Size(
        length,
        row.width,
        row.states,
        rotrnn.DEPTHS["Tables 1 and 2"],
        row.batch,
        row.steps,
    )
    for task, length in rotrnn.LENGTHS.items()
    for row in [rotrnn.TABLE_3[task]]
}
LRUS = {"LRU": "LRU (its paper)", "LRU again": "LRU (reproduced)"}
ROTRNN_1 = Published(
    "RotRNN beside others",
    "RotRNN (2024), Table 1, Section 5.1",
    {**ROTRNN, "Average": None},
    rows(
        {LRUS.get(name, name): row for name, row in rotrnn.TABLE_1.items()},
        {"LRU (reproduced)": "lru", "RotRNN": "rotrnn"},
    ),
    note="The sizes above are those of RotRNN. The paper does not say how many runs it made, "
    "what their errors are, and whether Image is in colour.",
)
BLUR_LENGTHS = {
    "sCIFAR": 1024,
    "ListOps": 2048,
    "Text": 4096,
    "sMNIST": 784,
    "psMNIST": 784,
}
BLUR_LABELS = {"S4": "S4 (its paper)", "S5": "S5 (its paper)"}
BLUR_2 = Published(
    "BLUR beside others",
    "BLUR (2025), Table 2, Section 5",
    {
        task: Size(
            length,
            width=blur.TABLE_6["embedding"],
            states=blur.TABLE_6["latent"],
            depth=blur.TABLE_6["layers"],
            batch=blur.TABLE_6["batch"],
        )
        for task, length in BLUR_LENGTHS.items()
    },
    rows(
        {BLUR_LABELS.get(name, name): row for name, row in blur.TABLE_2.items()},
        {"LRU": "lru", "BLUR": "blur"},
    ),
    unit="test accuracy in %, mean of five runs",
    note="The sizes above are those of BLUR, trained for 40 to 180 epochs. The lengths are "
    "those of the tasks. No errors are printed.  Its Table 7 has 99.5 for BLUR on sMNIST. "
    "What S4 and S5 have there and on psMNIST are their numbers on Retrieval and Pathfinder in "
    "Table 6 of Orvieto et al.",
)


def _forecasts(title: str, number: int, section: str) -> Published:
    """Return a table of errors: a row for each task and metric, a column per method."""
    lines = [
        Row(
            label,
            label,
            tuple(Score.read(f"{errors[metric]:.3f}") for errors in row.values()),
        )
        for (data, horizon), row in blur.errors(number).items()
        for metric, name in enumerate(("MSE", "MAE"))
        if not math.isnan(row["BLUR"][metric])
        for label in [f"{data} {horizon} {name}"]
    ]
    return Published(
        title,
        f"BLUR (2025), Table {number}, {section}",
        dict.fromkeys(blur.METHODS[number]),
        tuple(lines),
        "error on the test in scaled units, less is better",
        "Rows: data, rows of the window and of the forecast, metric.",
    )


TABLES = {
    "lru-1": _lru("Recurrences with and without a nonlinearity", "1"),
    "lru-2": _lru("Diagonal linear recurrences in several parametrisations", "2"),
    "lru-3": _lru(
        "The LRU beside deep state-space models",
        "3",
        note="On PathX the LRU starts with small phases.",
    ),
    "lru-4": _lru("Speed of training", "4", "steps a second on an A100"),
    "lru-5a": _rings("exponential, not made stable", "5A"),
    "lru-5b": _rings("stable exponential", "5B"),
    "lru-5c": _rings("stable exponential with normalisation", "5C"),
    "lru-6": _lru("Recurrences with and without a nonlinearity, all tasks", "6"),
    "lru-7": _lru(
        "Diagonal linear recurrences in several parametrisations, all tasks",
        "7",
    ),
    "lru-8": _lru(
        "Normalisation of stable diagonal recurrences, with their rings",
        "8",
        note="On PathX the LRU starts with phases up to π/10, elsewhere up to 2π.",
    ),
    "rotrnn-1": ROTRNN_1,
    "blur-2": BLUR_2,
    "blur-3": _forecasts("Forecasts by BLUR beside three methods", 3, "Section 5"),
    "blur-8": _forecasts("Forecasts by BLUR beside six methods", 8, "Appendix A.8"),
    "blur-12": _forecasts(
        "Forecasts by BLUR beside two bidirectional networks", 12, "Appendix A.8"
    ),
}
