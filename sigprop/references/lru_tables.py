"""The LRU paper's printed tables, as data, and the arithmetic that relates them.

Accuracies are in per cent; a missing one is a model that did not beat chance, 50 %.

Source: Orvieto et al. (2023), Tables 1-9.
"""

import functools
from typing import NamedTuple

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Float

from sigprop.networks import build, lru_paper, parameter_table
from sigprop.references.lru import listing_operator

TASKS = ("scifar", "listops", "text", "retrieval", "pathfinder", "pathx")
NONE = float("nan")

TABLE_1 = {
    "relu": (69.7, 37.6, 88.0, 88.5),
    "tanh": (69.9, 43.9, 87.2, 88.9),
    "linear": (72.2, 50.4, 89.1, 89.1),
}
TABLE_2 = {
    "dense": (72.2, 50.4, NONE),
    "real+im": (86.5, 58.8, NONE),
    "exp": (85.4, 60.5, 65.4),
    "stable": (87.2, 59.4, 93.5),
    "ring": (88.1, 59.4, 94.4),
}
DEEP = {
    "s4d": (91.5, 60.2, 86.4, 89.5, 94.2, 97.5),
    "s5": (88.8, 58.5, 86.2, 88.9, 95.7, 96.0),
    "s4-paper": (91.1, 59.6, 86.8, 90.9, 94.2, 96.4),
    "s4d-paper": (89.9, 60.5, 86.2, 89.5, 93.1, 91.9),
    "s5-paper": (90.1, 62.2, 89.3, 91.4, 95.3, 98.6),
}
TABLE_3 = {"lru": (89.0, 60.2, 89.4, 89.9, 95.1, 94.2), **DEEP}
TABLE_4 = {
    "tanh": (2.0, 1.1, 0.5, 0.5, 2.1, 0.14),
    "lru": (15.9, 2.1, 14.7, 5.7, 15.5, 2.4),
    "s4d": (13.5, 2.2, 10.6, 3.0, 24.5, 2.6),
    "s5": (15.9, 2.2, 14.4, 5.7, 15.6, 2.3),
}
# Rows are r_max of 0.9, 0.99 and 0.999; columns r_min of 0, 0.5 and 0.9.
TABLE_5 = {
    "A": ((87.6, 87.8, 87.9), (83.8, 85.8, 81.9), (83.9, 84.8, 84.8)),
    "B": ((86.2, 86.6, 87.3), (87.8, 87.7, 88.1), (87.4, 87.4, 87.5)),
    "C": ((86.4, 86.5, 88.3), (88.1, 88.4, 89.0), (88.1, 88.6, 89.0)),
}
R_MAX, R_MIN = (0.9, 0.99, 0.999), (0.0, 0.5, 0.9)
TABLE_6 = {
    "linear": (72.2, 50.4, 89.1, 89.1, NONE, NONE),
    "relu": (69.7, 37.6, 88.0, 88.5, NONE, NONE),
    "tanh": (69.9, 43.9, 87.2, 88.9, NONE, NONE),
    **DEEP,
}
TABLE_7 = {
    "dense": (72.2, 50.4, 89.1, 89.1, NONE, NONE),
    "real+im": (86.5, 58.8, 87.4, 87.8, NONE, NONE),
    "exp": (85.4, 60.5, 86.5, 89.4, 65.4, NONE),
    "stable": (87.2, 59.4, 87.6, 89.1, 93.5, NONE),
    "ring": (88.1, 59.4, 89.4, 90.1, 94.4, NONE),
    **DEEP,
}
TABLE_8 = {
    "dense": (72.2, 50.4, 89.1, 89.1, NONE, NONE),
    "real+im": (86.5, 58.8, 87.4, 87.8, NONE, NONE),
    "ring": (88.1, 59.4, 89.4, 90.1, 94.4, NONE),
    "lru": (89.0, 60.2, 89.4, 89.9, 95.1, 94.2),
    **DEEP,
}
RING_INIT = ((0.9, 0.99), (0.0, 1.0), (0.0, 0.9), (0.5, 0.9), (0.9, 0.999))
LRU_RING = (
    (0.9, 0.999),
    (0.0, 0.99),
    (0.5, 0.9),
    (0.5, 0.9),
    (0.9, 0.999),
    (0.999, 0.9999),
)


class Settings(NamedTuple):
    """A row of Table 9."""

    depth: int
    width: int
    state: int
    iterations: int
    batch: int
    lr_factor: float
    decay: float
    dropout: float


TABLE_9 = {
    "scifar": Settings(6, 512, 384, 180_000, 50, 0.25, 0.05, 0.1),
    "listops": Settings(6, 128, 256, 80_000, 32, 0.5, 0.05, 0.0),
    "text": Settings(6, 256, 192, 50_000, 32, 0.1, 0.05, 0.1),
    "retrieval": Settings(6, 128, 256, 100_000, 64, 0.5, 0.05, 0.1),
    "pathfinder": Settings(6, 192, 256, 500_000, 64, 0.25, 0.05, 0.0),
    "pathx": Settings(6, 128, 256, 250_000, 32, 0.25, 0.05, 0.0),
}
ALL = {
    1: TABLE_1,
    2: TABLE_2,
    3: TABLE_3,
    4: TABLE_4,
    6: TABLE_6,
    7: TABLE_7,
    8: TABLE_8,
}
# Tables 1 and 2 show fewer tasks.
SHOWN = {1: (0, 1, 2, 3), 2: (0, 1, 4)}
CHANCE = 50.0
SAME_MODEL = {"linear": "dense"}


def row(table: int, model: str, tasks: str = "") -> Float[np.ndarray, " k"]:
    """A row of a table, chance where there is no number; ``tasks`` by comma, or all."""
    values = np.nan_to_num(np.array(ALL[table][model], float), nan=CHANCE)
    if not tasks:
        return values
    shown = SHOWN.get(table, range(len(TASKS)))
    names = [TASKS[index] for index in shown]
    return values[[names.index(task) for task in tasks.split(",")]]


def gain(
    table: int, model: str, other: str, tasks: str = ""
) -> Float[np.ndarray, " k"]:
    """How many points a model has over another, task by task; over nothing if ``none``."""
    base = row(table, other, tasks) if other != "none" else 0.0
    return row(table, model, tasks) - base


def least_gain(table: int, model: str, other: str, tasks: str = "") -> float:
    """The least of the gains."""
    return float(gain(table, model, other, tasks).min())


def most_gain(table: int, model: str, other: str, tasks: str = "") -> float:
    """The largest of the gains."""
    return float(gain(table, model, other, tasks).max())


def gains_of_all(table: int, models: str, other: str, tasks: str) -> float:
    """The least gain of any of several models over one."""
    return min(least_gain(table, model, other, tasks) for model in models.split(","))


def tasks_improved(table: int, model: str, other: str, tasks: str) -> int:
    """On how many tasks a model beats another."""
    return int((gain(table, model, other, tasks) > 0).sum())


def above_worst_deep(table: int, models: str, tasks: str = "") -> float:
    """Least lead of some models over the worst deep state-space model."""
    names = tasks or ",".join(TASKS)
    rivals = worst_deep(names)
    return min(
        float((row(table, model, names) - rivals).min()) for model in models.split(",")
    )


def speed_ratio(model: str, other: str, tasks: str = "") -> Float[np.ndarray, " k"]:
    """How many times as many steps a second a model makes as another."""
    return row(4, model, tasks) / row(4, other, tasks)


def least_speed_ratio(model: str, other: str, tasks: str = "") -> float:
    """The least of the ratios."""
    return float(speed_ratio(model, other, tasks).min())


def most_speed_ratio(model: str, other: str, tasks: str = "") -> float:
    """The largest of the ratios."""
    return float(speed_ratio(model, other, tasks).max())


def speed_up_in_units(units: tuple[float, ...]) -> Float[np.ndarray, " 6"]:
    """Speed-ups over the tanh RNN in units of the last digit printed of each."""
    return speed_ratio("lru", "tanh") / np.array(units)


def worst_deep(tasks: str = "") -> Float[np.ndarray, " k"]:
    """The least accuracy of the deep state-space models of Table 3."""
    return np.min([row(3, model, tasks) for model in DEEP], axis=0)


def averages(*places: tuple[int, str]) -> Float[np.ndarray, " k"]:
    """Mean accuracies over the six tasks, chance where a model did not learn."""
    return np.array([row(table, model).mean() for table, model in places])


STEPS = (
    (6, "tanh"),
    (6, "linear"),
    (7, "real+im"),
    (7, "stable"),
    (7, "ring"),
    (8, "lru"),
)


def step_averages() -> Float[np.ndarray, " 6"]:
    """The averages along the steps from tanh RNN to LRU."""
    return averages(*STEPS)


def shared(first: int, second: int) -> Float[np.ndarray, " k"]:
    """Every number of the first table that the second shows too, model by model."""
    return _flat(first, first, second)


def shared_again(first: int, second: int) -> Float[np.ndarray, " k"]:
    """Every number that both tables show, as the second prints it, model by model."""
    return _flat(second, first, second)


def _flat(source: int, first: int, second: int) -> Float[np.ndarray, " k"]:
    both = [set(SHOWN.get(table, range(6))) for table in (first, second)]
    tasks = ",".join(TASKS[index] for index in sorted(both[0] & both[1]))
    rows = []
    for name in ALL[first]:
        other = name if name in ALL[second] else SAME_MODEL.get(name, "")
        if other in ALL[second]:
            rows.append(row(source, name if source == first else other, tasks))
    return np.concatenate(rows)


def stability_panel(panel: str) -> Float[np.ndarray, "3 3"]:
    """A panel of Table 5: rows by ``r_max``, columns by ``r_min``."""
    return np.array(TABLE_5[panel])


def best_ring(panel: str) -> Float[np.ndarray, " 2"]:
    """``r_max`` and ``r_min`` of the best accuracy of a panel, the last of equals."""
    values = stability_panel(panel)
    places = np.argwhere(values == values.max())
    upper, lower = places[-1]
    return np.array([R_MAX[upper], R_MIN[lower]])


def best_outer(panel: str) -> Float[np.ndarray, " 3"]:
    """For each ``r_min`` the ``r_max`` of the best accuracy, the first of equals."""
    return np.array(R_MAX)[np.argmax(stability_panel(panel), axis=0)]


def loss_beyond(panel: str, r_max: float) -> Float[np.ndarray, "k 3"]:
    """Points lost from one row of a panel to each later one."""
    values = stability_panel(panel)
    start = R_MAX.index(r_max)
    return values[start] - values[start + 1 :]


def least_loss_beyond(panel: str, r_max: float) -> float:
    """The least of the losses."""
    return float(loss_beyond(panel, r_max).min())


def least_change(panel: str, row: int) -> float:
    """The least change from one row of a panel to the next."""
    return float(change_by_row(panel)[row].min())


def best_of_panel(panel: str) -> float:
    """The best accuracy of a panel."""
    return float(stability_panel(panel).max())


def narrowest_step() -> float:
    """The least rise of the averages along the steps from tanh RNN to LRU."""
    return float(np.diff(step_averages()).min())


def change_by_row(panel: str) -> Float[np.ndarray, "2 3"]:
    """Points gained from each row of a panel to the next."""
    return np.diff(stability_panel(panel), axis=0)


def ring_widths() -> Float[np.ndarray, " 5"]:
    """``r_max - r_min`` of the rings of Table 7's last row, from Table 8."""
    return np.array([outer - inner for inner, outer in RING_INIT])


def preset_settings() -> Float[np.ndarray, "6 4"]:
    """Depth, width, state and dropout of the package's networks."""
    rows = []
    for task in TASKS:
        config = lru_paper(task)
        rows.append((config.depth, config.width, config.state_size, config.dropout))
    return np.array(rows, float)


def printed_settings() -> Float[np.ndarray, "6 4"]:
    """Depth, width, state and dropout as Table 9 prints them."""
    rows = [TABLE_9[task] for task in TASKS]
    return np.array([(r.depth, r.width, r.state, r.dropout) for r in rows], float)


def preset_rings() -> Float[np.ndarray, "6 2"]:
    """Radii of the package's networks."""
    options = [lru_paper(task).layer_options for task in TASKS]
    return np.array([(o["r_min"], o["r_max"]) for o in options], float)


def printed_rings() -> Float[np.ndarray, "6 2"]:
    """Radii of the LRU in Table 8."""
    return np.array(LRU_RING)


def preset_phases() -> Float[np.ndarray, " 6"]:
    """Largest phases of the package's networks."""
    return np.array([lru_paper(task).layer_options["max_phase"] for task in TASKS])


@functools.cache
def _parts(task: str) -> dict[str, int]:
    network, _ = eqx.filter_eval_shape(build, jax.random.key(0), lru_paper(task))
    return parameter_table(network)


def parameters(task: str, part: str) -> int:
    """Parameters of a part of the package's network."""
    return _parts(task)[part]


def learning_rate(step: float, peak: float, floor: float = 1e-7) -> float:
    """Share ``step`` of training: a line up over a tenth, then half a cosine down.

    Source: Orvieto et al. (2023), Appendix D.2.
    """
    if step <= 0.1:
        return floor + (peak - floor) * step / 0.1
    return floor + (peak - floor) * (1 + np.cos(np.pi * (step - 0.1) / 0.9)) / 2


def growth_of_cost(model: str) -> float:
    """Exponent with which the entries that a model writes grow in the sequence's length."""
    lengths = (1024, 4096)
    written = [_written(model, length) for length in lengths]
    return float(np.log(written[1] / written[0]) / np.log(lengths[1] / lengths[0]))


def _written(model: str, length: int) -> int:
    def attend(u):
        return jax.nn.softmax(u @ u.T, axis=-1) @ u

    def recur(u):
        return jax.lax.associative_scan(listing_operator, (0.9 + 0 * u, u))[1]

    run = attend if model == "attention" else recur
    jaxpr = jax.make_jaxpr(run)(jax.ShapeDtypeStruct((length, 4), np.float32))
    written = (out.aval.size for step in jaxpr.eqns for out in step.outvars)
    return sum(written)


def most_change(panel: str, row: int) -> float:
    """The largest change from one row of a panel to the next."""
    return float(change_by_row(panel)[row].max())


def widest_ring(tasks: str) -> float:
    """The largest width of the rings of some tasks in Table 7's last row."""
    widths = ring_widths()
    places = [TASKS.index(task) for task in tasks.split(",")]
    return max(round(float(widths[place]), 6) for place in places)


def ring_is_disc(task: str) -> float:
    """One if Table 7's last row starts on the whole disc, nought if on less."""
    return float(RING_INIT[TASKS.index(task)] == (0.0, 1.0))


def gains_of_both(tasks: str) -> float:
    """The least gain of the linear RNN over the tanh and the ReLU RNN in Table 6."""
    return min(least_gain(6, "linear", other, tasks) for other in ("tanh", "relu"))


def depths() -> Float[np.ndarray, " 6"]:
    """Blocks by Table 9."""
    return np.array([TABLE_9[task].depth for task in TASKS], float)


def largest_factor() -> float:
    """The largest factor on the recurrence's learning rate in Table 9."""
    return max(settings.lr_factor for settings in TABLE_9.values())


def directions() -> Float[np.ndarray, " 6"]:
    """Directions in which the package's networks read."""
    layers = [lru_paper(task).layer for task in TASKS]
    return np.array([1.0 + layer.startswith("bidirectional") for layer in layers])
