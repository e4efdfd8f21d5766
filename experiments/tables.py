"""Tables of the papers with our own columns, and rows whose order differs.

Our sequences are shorter, our networks smaller and our trainings shorter than the papers'.
So the order of rows in two columns may be compared, but not the numbers themselves.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rich.table import Table
from rich.text import Text

from sigprop.experiments import store
from sigprop.experiments.columns import (
    Ours,
    accuracies,
    errors,
    on_rings,
    reasons,
    speeds,
)
from sigprop.experiments.published import TABLES, Published, Row, Score, Size

PRESETS = ("quick", "paper")
DECIDED = 2.0  # two scores are ordered if they differ by more combined standard errors
ROUNDING = 0.05  # rounding of a printed standard error

_LADDER = {
    "ladder_digits": "sCIFAR",
    "ladder_listops": "ListOps",
    "ladder_smnist": "sCIFAR",
}
SWEEPS = {
    **dict.fromkeys(("lru-1", "lru-2", "lru-3", "lru-6", "lru-7", "lru-8"), _LADDER),
    "rotrnn-1": {"folds": "Image", "lists": "ListOps", "images": "Image"},
    "blur-2": {"folds": "sMNIST", "lists": "ListOps", "images": "sMNIST"},
}
"""Our sweeps beside a table, and the published column nearest to each."""

KINDS = {"lru-5a": "exponential", "lru-5b": "stable", "lru-5c": "normalised"}
"""Of the networks of the sweep ``rings``; its columns are the published ones."""

SPEEDS = {"lru-4": "speed_training"}
ERRORS: dict[str, str] = dict.fromkeys(("blur-3", "blur-8", "blur-12"), "forecasts")

OURS = {
    **dict.fromkeys(("ladder_digits", "folds", "rings"), "digits"),
    **dict.fromkeys(("ladder_listops", "lists"), "listops-short"),
    **dict.fromkeys(("ladder_smnist", "images"), "smnist-10k"),
    "speed_training": "speed of training",
    "forecasts": "forecasts",
}
"""The tasks or measurements of our sweeps and studies, by name."""

MAY_COMPARE = (
    "Compare only the order of the rows within one task, not the numbers. Our sequences, "
    "networks and trainings are smaller than the paper's, and some data sets differ."
)
MAY_COMPARE_SPEEDS = (
    "Compare only ratios of rows within one task. Machines, batches and lengths differ "
    "between tasks."
)

MAY_COMPARE_ERRORS = (
    "The paper and we average errors in scaled units over all features, with windows as long "
    "as the horizon. We use the usual split of Weather; the paper takes 28, 10 and 10 months. "
    "Our networks and trainings are smaller, and each window is read relative to its last row."
)


@dataclass(frozen=True)
class Content:
    """Contents of a table: title, heads of columns, rows, and notes below."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def table(name: str, preset: str = "paper") -> Table:
    """Return a published table with our columns on its right.

    Args:
        name: One of ``TABLES``.
        preset: Preset of our results, one of ``PRESETS``.

    Raises:
        ValueError: If a name is unknown or a stored result is damaged.
    """
    filled = content(name, preset)
    grid = Table(
        box=None,
        pad_edge=False,
        header_style="bold",
        title=filled.title,
        title_justify="left",
        caption=Text("\n".join(("", *filled.notes))),
        caption_justify="left",
        caption_style="",
    )
    for head in filled.heads:
        left = head == filled.heads[0]
        grid.add_column(Text(head), justify="left" if left else "right")
    for row in filled.rows:
        grid.add_row(*map(Text, row))
    return grid


def content(name: str, preset: str = "paper") -> Content:
    """Return the title, heads, rows and notes of ``table``.

    Raises:
        ValueError: As ``table``.
    """
    ours, missing = ours_beside(name, preset)
    published = TABLES[name]
    heads = [_published_head(*item) for item in published.columns.items()]
    heads += ["\n".join(("ours:", column.name, *column.sizes)) for column in ours]
    lines = [_line(row, ours) for row in published.rows]
    compare = _may_compare(name)
    notes = [published.note] + [compare] * bool(results(name)) + missing
    notes += _reasons(name, preset) if ours and name in ERRORS else []
    comparable = [column for column in ours if column.nearest]
    notes += [contrary(published, column) for column in comparable]
    notes += [conclusion(published, comparable)] * bool(comparable)
    return Content(
        f"{published.title}: {published.unit}. {published.source}",
        ("", *heads),
        tuple(lines),
        tuple(notes),
    )


def ours_beside(name: str, preset: str) -> tuple[list[Ours], list[str]]:
    """Return our columns of a table, and a line for each missing result.

    Raises:
        ValueError: As ``table``.
    """
    if name not in TABLES:
        raise ValueError(f"need a table in {', '.join(TABLES)}, got {name!r}")
    if preset not in PRESETS:
        raise ValueError(f"need a preset in {', '.join(PRESETS)}, got {preset!r}")
    ours, missing = [], []
    for study in results(name):
        try:
            ours += _columns(name, study, preset)
        except FileNotFoundError:
            command = store.command(study, preset)
            missing.append(f"{study} is missing or incomplete: `{command}` makes it.")
    return ours, missing


def results(name: str) -> tuple[str, ...]:
    """Return our sweeps and studies with columns of a table."""
    names = [*SWEEPS.get(name, ())]
    names += ["rings"] if name in KINDS else []
    names += [SPEEDS[name]] if name in SPEEDS else []
    names += [ERRORS[name]] if name in ERRORS else []
    return tuple(names)


def _reasons(name: str, preset: str) -> list[str]:
    """Give the reason of each verdict on a printed error."""
    return reasons(store.load_preset(ERRORS[name], preset), _number(name))


def _number(name: str) -> int:
    return int(name.partition("-")[2])


def _may_compare(name: str) -> str:
    if name in ERRORS:
        return MAY_COMPARE_ERRORS
    return MAY_COMPARE_SPEEDS if name in SPEEDS else MAY_COMPARE


def _line(row: Row, ours: list[Ours]) -> tuple[str, ...]:
    trained = [column.scores.get(str(row.model)) for column in ours]
    scores = (*row.scores, *trained)
    return (row.label, *("" if score is None else score.text for score in scores))


def _published_head(column: str, size: Size | None) -> str:
    if size is None:
        return column
    lines = [column, f"{size.length:,} long", f"{size.width} wide"]
    lines += [f"{size.states} states", f"{size.depth} deep"]
    lines += [f"{size.steps // 1000}k steps"] if size.steps else []
    return "\n".join((*lines, f"batch {size.batch}"))


def _columns(name: str, study: str, preset: str) -> list[Ours]:
    data = store.load_preset(study, preset)
    if name in KINDS:
        return on_rings(data, KINDS[name], TABLES[name].columns)
    if name in ERRORS:
        return errors(data, _number(name))
    if study in SWEEPS.get(name, {}):
        return [accuracies(data, SWEEPS[name][study])]
    return [speeds(study, data)]


# --- orders --------------------------------------------------------------------------


def order(score: Score, other: Score, rounding: float = 0.0) -> int:
    """Return 1 if ``score`` is above ``other`` beyond doubt, -1 if below, else 0.

    Beyond doubt means by more than ``DECIDED`` combined standard errors.  A score without a
    standard error is never beyond doubt.

    Args:
        score: A score.
        other: Another score of the same column.
        rounding: Number to add to both standard errors.
    """
    error = math.hypot(score.error + rounding, other.error + rounding)
    gap = score.mean - other.mean
    return int(np.sign(gap)) if abs(gap) > DECIDED * error else 0


def contrary(published: Published, ours: Ours) -> str:
    """Describe the pairs of rows with the opposite order of the published one, in a line.

    A pair counts if both rows are trained here and both orders are beyond doubt.  The line
    also has the number of such pairs.
    """
    compared = list(pairs(published, ours))
    decided = [all(pair.signs) for pair in compared].count(True)
    against = [
        f"{pair.rows[0].label} and {pair.rows[1].label} have {pair.here[0].text} and "
        f"{pair.here[1].text} here, but {pair.there[0].text} and {pair.there[1].text} in the "
        "paper"
        for pair in compared
        if pair.contrary
    ]
    text = f"Our {ours.name} and the paper's {ours.nearest}: "
    if not compared:
        return f"{text}no pair of rows has standard errors both here and in the paper."
    text += f"{decided} of {len(compared)} pairs of rows differ by over {DECIDED:g} standard "
    text += f"errors in both; {len(against)} of these have the opposite order"
    return f"{text}: {'; '.join(against)}." if against else f"{text}."


def conclusion(published: Published, columns: Iterable[Ours]) -> str:
    """Return a sentence with the number of pairs with the opposite order in all columns."""
    decided = [
        pair
        for column in columns
        for pair in pairs(published, column)
        if all(pair.signs)
    ]
    against = sum(pair.contrary for pair in decided)
    return (
        f"In total {len(decided)} pairs differ clearly both here and in the paper; "
        f"{against} have the opposite order."
    )


@dataclass(frozen=True)
class Pair:
    """Two rows of a column with standard errors in our results and in the paper."""

    rows: tuple[Row, Row]
    there: tuple[Score, Score]
    here: tuple[Score, Score]

    @property
    def signs(self) -> tuple[int, int]:
        """The published order and our order."""
        return order(*self.there, ROUNDING), order(*self.here)

    @property
    def contrary(self) -> bool:
        """True if both orders are beyond doubt and opposite."""
        return math.prod(self.signs) < 0


def pairs(published: Published, ours: Ours) -> Iterator[Pair]:
    """Return all pairs of rows that we also train and whose scores have standard errors."""
    column = list(published.columns).index(str(ours.nearest))
    known = [row for row in published.rows if row.model in ours.scores]
    for first, second in combinations(known, 2):
        there = first.scores[column], second.scores[column]
        here = ours.scores[str(first.model)], ours.scores[str(second.model)]
        if all(math.isfinite(score.error) for score in (*there, *here)):
            yield Pair((first, second), there, here)
