"""Accuracies and speeds that the LRU paper prints, and relations between them.

Accuracies are in per cent.  If a model was not better than chance, its accuracy is 50
%.

Source: Orvieto et al. (2023), Tables 1-8.
"""

import json

import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.judge.basis import Evidence, Example
from sigprop.theory.papers.lru import printed
from sigprop.theory.papers.lru.printed import FAILS, RUNGS, TABLES
from sigprop.theory.tables import NOTHING, Table

TASKS = [task.lower() for task in printed.TASKS]
CHANCE = 50.0
# Names of models at the points below, and in ``RUNGS`` or the table.
NAMES = {
    "linear": "dense",
    "real+im": "complex",
    "exp": "exponential",
    "lru": "gamma",
    "s4d": "S4D (reproduced)",
    "s5": "S5 (reproduced)",
}
STEPS = (
    *((6, "tanh"), (6, "linear")),
    *((7, "real+im"), (7, "stable"), (7, "ring")),
    (8, "lru"),
)


# --- accuracies ----------------------------------------------------------------------


def _number(text: str) -> float:
    return CHANCE if text == FAILS else float(text.partition("(")[0])


def _model(label: str) -> str:
    return RUNGS.get(label, label)


def _row(table: Table, model: str, tasks: list[str]) -> Float[np.ndarray, " k"]:
    (row,) = (row for label, row in table.rows.items() if _model(label) == model)
    printed = {column.lower(): text for column, text in row.items()}
    return np.array([_number(printed[task]) for task in tasks])


def row(table: int, model: str, tasks: str = "") -> Float[np.ndarray, " k"]:
    """A row of a table, with chance for empty cells.

    ``tasks`` are names separated by commas; by default all tasks.
    """
    results = TABLES[str(table)]
    shown = tasks.split(",") if tasks else [task.lower() for task in results.columns]
    return _row(results, NAMES.get(model, model), shown)


def gain(
    table: int, model: str, other: str, tasks: str = ""
) -> Float[np.ndarray, " k"]:
    """Accuracy of a model minus that of another, in percentage points by task.

    If the other is ``none``, the accuracy itself.
    """
    base = row(table, other, tasks) if other != "none" else 0.0
    return row(table, model, tasks) - base


def least_gain(table: int, model: str, other: str, tasks: str = "") -> float:
    """Smallest difference of two models' accuracies over tasks, in points."""
    return float(gain(table, model, other, tasks).min())


def gains(
    *rows: tuple[int, str, str, str],
    over: float = 0.0,
    wrong: float = 100.0,
    example: Example | None = None,
) -> Evidence:
    """Evidence that a model exceeds another by more than some percentage points.

    Args:
        rows: Table, model, other model and tasks; several if a condition decides.
        over: Number of percentage points.
        wrong: A number that the evidence must refute.
        example: Counterexample for a reader.
    """
    comparisons = points("table model other tasks", *rows)
    return numbers(least_gain, over, comparisons, ">", wrong=wrong, example=example)


def gains_of_all(table: int, models: str, other: str, tasks: str) -> float:
    """The smallest difference between any of several models and one model."""
    return min(least_gain(table, model, other, tasks) for model in models.split(","))


def learnt(table: int, models: str, tasks: str) -> int:
    """Number of accuracies printed for some models on some tasks."""
    names, shown = models.split(","), tasks.split(",")
    cells = [
        text
        for label, cells in TABLES[str(table)].rows.items()
        if _model(label) in {NAMES.get(name, name) for name in names}
        for column, text in cells.items()
        if column.lower() in shown
    ]
    return sum(text != FAILS for text in cells)


def gains_of_both(tasks: str) -> float:
    """The least gain of the linear RNN over the tanh and the ReLU RNN in Table 6."""
    return min(least_gain(6, "linear", other, tasks) for other in ("tanh", "relu"))


def share_improved(table: int, model: str, other: str, tasks: str) -> float:
    """On what share of some tasks a model beats another."""
    return float((gain(table, model, other, tasks) > 0).mean())


def majority(
    *rows: tuple[int, str, str, str], example: Example | None = None
) -> Evidence:
    """Evidence that a model beats another on most tasks; arguments as in ``gains``."""
    comparisons = points("table model other tasks", *rows)
    return numbers(share_improved, 0.5, comparisons, ">", wrong=1.0, example=example)


def above_worst_deep(table: int, models: str, tasks: str = "") -> float:
    """Least lead of some models over the worst deep state-space model."""
    names = tasks or ",".join(TASKS)
    rivals = worst_deep(names)
    return min(
        float((row(table, model, names) - rivals).min()) for model in models.split(",")
    )


def worst_deep(tasks: str = "") -> Float[np.ndarray, " k"]:
    """The least accuracy of the deep state-space models of Table 3."""
    deep = [label for label in TABLES["3"].rows if label not in RUNGS]
    return np.min([row(3, label, tasks) for label in deep], axis=0)


def step_averages() -> Float[np.ndarray, " 6"]:
    """Mean accuracies over the six tasks along the steps from tanh RNN to LRU."""
    return np.array([row(table, model).mean() for table, model in STEPS])


def drop_of_averages(models: str) -> float:
    """Distance of some models' means over the tasks of Table 6 below any deep model's."""
    deep = [row(3, label).mean() for label in TABLES["3"].rows if label not in RUNGS]
    return float(min(deep) - max(row(6, model).mean() for model in models.split(",")))


def narrowest_step() -> float:
    """The least rise of the averages along the steps from tanh RNN to LRU."""
    return float(np.diff(step_averages()).min())


def shared(first: int, second: int) -> Float[np.ndarray, " k"]:
    """Every number of the first table that the second also shows, model by model."""
    return _shown(first, first, second)


def shared_again(first: int, second: int) -> Float[np.ndarray, " k"]:
    """Every number that both tables show, as the second prints it, model by model."""
    return _shown(second, first, second)


def _shown(source: int, first: int, second: int) -> Float[np.ndarray, " k"]:
    left, right = TABLES[str(first)], TABLES[str(second)]
    tasks = [task.lower() for task in left.columns if task in right.columns]
    models = {_model(label) for label in right.rows if not label.startswith("[")}
    common = [name for name in map(_model, left.rows) if name in models]
    return np.concatenate([_row(TABLES[str(source)], name, tasks) for name in common])


# --- speeds --------------------------------------------------------------------------


def speed_ratio(model: str, other: str, tasks: str = "") -> Float[np.ndarray, " k"]:
    """Ratio of the steps per second of one model to those of another, by task."""
    return row(4, model, tasks) / row(4, other, tasks)


def least_speed_ratio(model: str, other: str, tasks: str = "") -> float:
    """Ratio of two models' speeds on the task where it is least."""
    return float(speed_ratio(model, other, tasks).min())


def speed_up_in_units(units: tuple[float, ...]) -> Float[np.ndarray, " 6"]:
    """Speed-ups over the tanh RNN, in units of the last printed digit."""
    return speed_ratio("lru", "tanh") / np.array(units)


# --- rings ---------------------------------------------------------------------------


def rings(label: str) -> list[tuple[float, float]]:
    """Radii that a row of Table 8 prints, task by task; empty without a number."""
    cells = TABLES["8"].rows[label].values()
    pairs = [json.loads(text) for text in cells if text != NOTHING]
    return [(inner, outer) for inner, outer in pairs]


def stability_panel(panel: str) -> Float[np.ndarray, "3 3"]:
    """A panel of Table 5: rows by ``r_max``, columns by ``r_min``."""
    rows = TABLES[f"5{panel}"].rows.values()
    return np.array([[_number(text) for text in row.values()] for row in rows])


def _radii(panel: str) -> tuple[Float[np.ndarray, " 3"], Float[np.ndarray, " 3"]]:
    table = TABLES[f"5{panel}"]
    outer, inner = (
        np.array([float(name.split()[1]) for name in names])
        for names in (table.rows, table.columns)
    )
    return outer, inner


def best_ring(panel: str) -> Float[np.ndarray, " 2"]:
    """``r_max`` and ``r_min`` of a panel's best accuracy; the last one of equals."""
    values, (outer, inner) = stability_panel(panel), _radii(panel)
    upper, lower = np.argwhere(values == values.max())[-1]
    return np.array([outer[upper], inner[lower]])


def best_outer(panel: str) -> Float[np.ndarray, " 3"]:
    """For each ``r_min`` the ``r_max`` of the best accuracy; the first of equals."""
    return _radii(panel)[0][np.argmax(stability_panel(panel), axis=0)]


def least_loss_beyond(panel: str, r_max: float) -> float:
    """Smallest difference between a row of a panel and any later row, in points."""
    values = stability_panel(panel)
    start = list(_radii(panel)[0]).index(r_max)
    return float((values[start] - values[start + 1 :]).min())


def change_by_row(panel: str) -> Float[np.ndarray, "2 3"]:
    """Points gained from each row of a panel to the next."""
    return np.diff(stability_panel(panel), axis=0)


def least_change(panel: str, row: int) -> float:
    """The least change from one row of a panel to the next."""
    return float(change_by_row(panel)[row].min())


def most_change(panel: str, row: int) -> float:
    """The largest change from one row of a panel to the next."""
    return float(change_by_row(panel)[row].max())
