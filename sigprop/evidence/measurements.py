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
        what: Description, as a sentence that the value completes.
        value: Geometric mean over trainings, or a count.
        ends: Ends of the interval; ``None`` for a count and for a single training.
        n: Number of trainings, or of counted objects.
        of: Name of the objects that ``n`` counts.
    """

    what: str
    value: float
    ends: tuple[float, float] | None
    n: int
    of: str = "trainings"

    def cells(self) -> tuple[str, str, str, str]:
        """Cells of a table: description, value, interval and sample size."""
        ends = " to ".join(map(_three_digits, self.ends)) if self.ends else "–"
        return self.what, _three_digits(self.value), ends, f"{self.n} {self.of}"


def _three_digits(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:#.3g}".rstrip(".")


class Group(NamedTuple):
    """Measurements in the trainings of one study.

    Attributes:
        title: Title for the reader.
        about: Description of the trainings, and of the means.
        study: Name of the study; its result at the preset ``paper`` is used.
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

# By sweep: the task, and the trained networks.
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
# Descriptions of the assumptions (rungs) of ``sigprop.audit.moments``.
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
    """Largest ratio of predicted and measured moments in each trained network.

    The maximum is over all layers and all audits during a training.  It is infinite if
    a prediction is not positive.

    Args:
        data: Result of a sweep with audited trainings.
        model: One of its models.
        quantity: ``power`` of all states of a layer, or the median over modes of one of
            ``sigprop.audit.moments.QUANTITIES``.
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
    """An error of trained networks, and the error of baselines to compare with.

    Attributes:
        error: Name of the error, for readers.
        rival: Name of the baselines, for readers.
        own: Variable with the errors of the networks.
        known: Variable with the errors of the baselines.
        controls: The baselines; the smallest of their errors is used.
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
# By sweep: the models, and the errors to compare.
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
TABLES = (3, 8, 12)  # tables of BLUR whose errors the sweep ``forecasts`` measures


def ratios(
    data: "xr.Dataset",
    against: Against,
    task: tuple[str, int],
    model: str,
) -> Trainings:
    """Errors of a model's trainings, divided by the smallest error of some baselines.

    Args:
        data: Result of a sweep of ``FORECASTS``.
        against: Errors to compare.
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
    """Number of BLUR's printed errors that lie in the intervals of our trainings."""
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
    """All measurements, grouped by study.

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
