"""Measurements of our own trainings: a description, a value and an interval for each.

Measurements are reported and not judged.  ``groups`` lists them, by tables of
quantities, networks and data sets.

Source of the data: the sweeps ``norms`` and ``lists`` of
``sigprop.experiments.long_range``, and those of ``sigprop.experiments.forecasting``, at
the preset ``paper``.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.evidence import Load
from sigprop.evidence.blur.reproductions import counts
from sigprop.evidence.trainings import typical

if TYPE_CHECKING:
    import xarray as xr

Trainings = Float[np.ndarray, " trainings"]


class Measurement(NamedTuple):
    """A measurement in some trainings.

    Attributes:
        what: A sentence that the value completes.
        value: The geometric mean over trainings; of counts the count.
        ends: Of the interval; ``None`` of a count, and of one training.
        n: How many trainings, or how many that are counted.
        of: What ``n`` counts.
    """

    what: str
    value: float
    ends: tuple[float, float] | None
    n: int
    of: str = "trainings"

    def cells(self) -> tuple[str, str, str, str]:
        """The sentence, the value, the interval and the sample size, for a reader."""
        ends = " to ".join(map(_three_digits, self.ends)) if self.ends else "–"
        return self.what, _three_digits(self.value), ends, f"{self.n} {self.of}"


def _three_digits(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:#.3g}".rstrip(".")


class Group(NamedTuple):
    """Measurements in the trainings of one study.

    Attributes:
        title: For the reader.
        about: What was trained, and what each value is taken over.
        study: Its name; the result is that of its preset ``paper``.
        rows: The measurements.
    """

    title: str
    about: str
    study: str
    rows: tuple[Measurement, ...]


INTERVAL = (
    "Values are geometric means over trainings. Intervals follow from Student's t "
    "distribution: each end errs once in twenty. One training has no interval. Results are "
    "those of the preset paper."
)
HEADS = ("measured", "value", "interval", "of")
NAMES = {"lru": "LRU", "rotrnn": "RotRNN", "blur": "BLUR"}

# By sweep: the task, and what was trained.
AUDITED = {
    "norms": (
        "digits",
        "Networks of three blocks classify digits of 64 pixels, in five folds, and are looked "
        "at five times during their training.",
    ),
    "lists": (
        "ListOps",
        "Networks of four blocks evaluate expressions of up to 127 tokens, from three seeds, "
        "and are looked at twenty times during their training.",
    ),
}
MOMENTS = {
    "power": "power of the states",
    "sensitivity": "sensitivity of the states",
    "error": "error that comes back to the states",
    "gradient": "gradient by the eigenvalues",
}
# By rung of ``sigprop.audit.moments``: what a moment is predicted from.
PREDICTIONS = {
    "stationary": "measured autocovariances",
    "independent": "autocovariances of channels that are alike and independent",
    "white": "the powers of white signals",
}
SHUFFLED = "measured autocovariances where each error meets states of another example"
AUDITS = (
    *product(MOMENTS, PREDICTIONS.items()),
    ("gradient", ("shuffled", SHUFFLED)),
)
WORST = (
    "Each value is the factor by which a moment is off its prediction, at the worst layer "
    "and look of each training; of all moments but the power it is the median over modes. "
    "Moments are means over forty-eight held-out examples."
)


def audit_factors(
    data: "xr.Dataset", model: str, quantity: str, rung: str
) -> Trainings:
    """Largest factor between what is predicted and measured in each trained network.

    Over all layers and looks through its training; infinite where a prediction is not
    positive.

    Args:
        data: Of a sweep whose trainings are audited.
        model: One of its models.
        quantity: ``power``, of all states of a layer, or one of
            ``sigprop.audit.moments.QUANTITIES``, the median of its modes.
        rung: One of ``sigprop.audit.moments.RUNGS``.
    """
    from sigprop.audit import moments

    selected = data.isel(cell=np.flatnonzero(data["model"].values == model))
    rung_index = moments.RUNGS.index(rung)
    if quantity == "power":
        ratio = selected["predicted"].isel(rung=rung_index) / selected["measured"]
    else:
        position = moments.QUANTITIES.index(quantity)
        ratio = selected["ratio"].isel(quantity=position, rung=rung_index, quantile=1)
    return np.array([_worst(each[np.isfinite(each)]) for each in ratio.values])


def _worst(ratio: Float[np.ndarray, " places"]) -> float:
    return float(np.exp(abs(np.log(ratio)).max())) if (ratio > 0).all() else np.inf


def _audited(data: "xr.Dataset", task: str) -> Iterator[Measurement]:
    for (moment, (rung, prediction)), model in product(AUDITS, NAMES):
        yield measured(
            f"The {MOMENTS[moment]} of a deep {NAMES[model]} on {task} is off its "
            f"prediction from {prediction} by the factor",
            audit_factors(data, model, moment, rung),
        )


SETS = {"ETTh1": "ETTh1", "WTH": "Weather"}
TASKS = (("ETTh1", 24), ("ETTh1", 48), ("WTH", 24))


class Against(NamedTuple):
    """An error of trained networks, and the forecasts without one beside it.

    Attributes:
        error: In words.
        rival: In words.
        own: Variable of the networks' errors.
        known: Variable of the errors of forecasts without a network.
        controls: The forecasts; the one of the least error counts.
    """

    error: str
    rival: str
    own: str
    known: str
    controls: tuple[str, ...]


NAIVE = Against(
    "test error",
    "the best naive forecast",
    "test_mse",
    "control_mse",
    ("last value", "season", "climatology"),
)
LINEAR = Against(
    "test error",
    "the least-squares linear model",
    "test_mse",
    "control_mse",
    ("linear",),
)
VALIDATION = LINEAR._replace(
    error="validation error", own="best_mse", known="control_validation_mse"
)
# By sweep: the models, and what they are compared with.
FORECASTS: dict[str, tuple[tuple[str, ...], tuple[Against, ...]]] = {
    "forecasts": (("blur", "lru"), (NAIVE, LINEAR, VALIDATION)),
    "forecast_settings": (("blur",), (LINEAR,)),
}
ALONE = " that reads each feature by itself"  # of the settings, the one reported
FORECASTERS = (
    "Errors are mean squared errors over all windows and all features, in scaled units, with "
    "windows as long as the horizon. Networks have two blocks of 32 features and are trained "
    "for 800 steps. Naive forecasts are the last value, the last season and the climatology."
)
CHOSEN = "The networks' setting was chosen on the validation, for all tasks alike."
OTHER = "The networks' setting is one of those that were not chosen."
TABLES = (3, 8, 12)  # of BLUR, with errors that the sweep ``forecasts`` measures too


def ratios(
    data: "xr.Dataset",
    against: Against,
    task: tuple[str, int],
    model: str,
) -> Trainings:
    """Errors of a model's trainings over the least of some forecasts without one.

    Args:
        data: Of a sweep of ``FORECASTS``.
        against: Which errors.
        task: Data set and horizon.
        model: One of its models.
    """
    wanted = {"data": task[0], "horizon": task[1], "model": model}
    here = np.all([data[name].values == value for name, value in wanted.items()], 0)
    own = data.isel(cell=np.flatnonzero(here))
    rivals = own[against.known].sel(control=[*against.controls])
    least = rivals.mean(("step", "feature")).min("control")
    return (own[against.own] / least).values


def _forecast(sweep: str, data: "xr.Dataset") -> Iterator[Measurement]:
    models, rivals = FORECASTS[sweep]
    alone = sweep == "forecast_settings"
    if alone:
        data = data.isel(cell=np.flatnonzero(data["channels"].values == "each"))
    for against, task, model in product(rivals, TASKS, models):
        yield measured(
            f"On {SETS[task[0]]}, {task[1]} hours ahead, the {against.error} of a small "
            f"{NAMES[model]}{ALONE * alone} is that of {against.rival} times",
            ratios(data, against, task, model),
        )


def _printed(data: "xr.Dataset") -> Iterator[Measurement]:
    """Number of printed errors of BLUR's tables in the intervals of our trainings."""
    for table in TABLES:
        inside, outside, *_ = counts(data, table)
        yield Measurement(
            f"Of the errors that BLUR's Table {table} prints and our trainings measure too, "
            "the intervals of our trainings contain",
            inside,
            None,
            inside + outside,
            "printed errors",
        )


def measured(what: str, values: Trainings) -> Measurement:
    """The geometric mean of a number over trainings, with its interval."""
    if len(values) == 1:
        return Measurement(what, float(values[0]), None, 1, "training")
    value, *ends = typical(values)
    return Measurement(what, value, (ends[0], ends[1]), len(values))


def groups(load: Load) -> tuple[Group, ...]:
    """Every measurement, by the study that it is taken from.

    Args:
        load: Reads the stored result of a study.

    Raises:
        FileNotFoundError: If a result is not stored.
    """
    audits = (
        Group(
            f"Moments inside networks trained on {task}",
            f"{about} {WORST}",
            sweep,
            tuple(_audited(load(sweep), task)),
        )
        for sweep, (task, about) in AUDITED.items()
    )
    return (
        *audits,
        _forecasts(
            "Errors of forecasts",
            CHOSEN,
            "forecasts",
            [*_forecast("forecasts", load("forecasts")), *_printed(load("forecasts"))],
        ),
        _forecasts(
            "Errors of forecasts in another setting",
            OTHER,
            "forecast_settings",
            _forecast("forecast_settings", load("forecast_settings")),
        ),
    )


def _forecasts(
    title: str, setting: str, sweep: str, rows: Iterable[Measurement]
) -> Group:
    return Group(title, f"{FORECASTERS} {setting}", sweep, tuple(rows))
