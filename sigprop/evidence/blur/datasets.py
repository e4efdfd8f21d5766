"""Evidence for data sets and error measures, Section 5 and Appendix A.6 of BLUR (2025)."""

import datetime
from functools import partial

import numpy as np

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory.papers.blur.printed import TASKS, errors
from sigprop.theory.papers.lru import printed as lru

Targets = tuple[float, ...]
HORIZONS = {horizon for _, horizon in errors(8)}


def _hours(first: datetime.datetime, last: datetime.datetime) -> int:
    return int((last - first).total_seconds()) // 3600 + 1


ETT_HOURS = _hours(datetime.datetime(2016, 7, 1), datetime.datetime(2018, 6, 26, 19))
WEATHER_HOURS = _hours(
    datetime.datetime(2010, 1, 1), datetime.datetime(2013, 12, 31, 23)
)


def measures(
    y: Targets, guess: Targets, power: int = 2, mean: bool = True
) -> list[float]:
    """Mean absolute and mean square error, entry by entry."""
    errors = [abs(a - b) for a, b in zip(y, guess, strict=True)]
    count = len(errors) if mean else 1
    return [sum(errors) / count, sum(e**power for e in errors) / count]


def against_first(y: Targets, guess: Targets) -> list[float]:
    """As printed: one target, here the first, for every prediction."""
    return measures(y[:1] * len(guess), guess)


def by_norms(y: Targets, guess: Targets) -> list[float]:
    """Both errors from the norms of the vector of differences."""
    error = np.subtract(y, guess)
    norms = np.linalg.norm(error, 1), np.linalg.norm(error) ** 2
    return [float(norm / len(y)) for norm in norms]


def by_moments(y: Targets, guess: Targets) -> list[float]:
    """Both errors from the distribution of the differences: tail, variance and mean."""
    error = np.subtract(y, guess)
    sizes = np.sort(abs(error))
    above = 1 - np.arange(len(sizes)) / len(sizes)  # shares above each size
    tail = np.diff(sizes, prepend=0.0) @ above
    return [float(tail), float(np.var(error) + np.mean(error) ** 2)]


def signed(y: Targets, guess: Targets) -> list[float]:
    """Mutant of the measures: differences with their signs."""
    mean = float(np.mean(np.subtract(y, guess)))
    return [mean, mean**2]


def _rows(an_hour: int, last: str) -> Evidence:
    """Number of rows of ETT between the first and the last time, some an hour long."""
    stamps = np.arange("2016-07-01T00", "2018-06-26T20", dtype="datetime64[h]")
    return Evidence(
        ({},),
        {"reference": an_hour * ETT_HOURS, "reference_stamps": an_hour * len(stamps)},
        form=an_hour * 17420,
        printed=an_hour * 17520,
        mutants={"the whole of the last day": an_hour * 726 * 24},
        example=Example(
            f"number of rows, {an_hour} an hour, from 2016-07-01 00:00 to 2018-06-26 {last}",
            {},
            str(an_hour * 17520),
            str(an_hour * ETT_HOURS),
        ),
    )


EVIDENCE: dict[str, Basis] = {
    "blur:text:etth-rows": _rows(1, "19:00"),
    "blur:text:ettm-rows": _rows(4, "19:45"),
    "blur:text:ett-split": numbers(
        [12 * 30 * 24, 4 * 30 * 24, 4 * 30 * 24], [8640, 2880, 2880]
    ),
    "blur:text:weather-rows": numbers(
        [WEATHER_HOURS, 28 + 10 + 10],
        [35064, 4 * 12],
        hand={"no leap day": [35040, 48], "28/10/12": [35064, 50]},
    ),
    "blur:text:ecl-rows": numbers(140256 / (4 * 24), 4 * 365 + 1),
    "blur:text:images": numbers(
        [50_000 + 10_000, 60_000 + 10_000, 28 * 28], [60_000, 70_000, 784]
    ),
    "blur:text:texts": numbers(
        [96_000 + 2_000 + 2_000, 25_000 + 25_000],
        [100_000, 50_000],
    ),
    "blur:text:horizons": numbers(
        lambda: sorted({h for data, h in errors(8) if data == "ETTh1"}),
        [24, 48, 168, 336, 720],
        printed=[24 * days for days in (1, 2, 7, 14, 30, 40)],
        example=Example("longest horizon of ETTh1 and Weather in hours", {}, 960, 720),
    ),
    "blur:text:horizons-minutes": numbers(
        [4 * hours for hours in (6, 12, 24, 72, 168)],
        lambda: [h for data, h in errors(8) if data == "ETTm1"],
    ),
    "blur:text:metrics": Evidence(
        points(
            "y guess",
            ((1.0, 2.0), (1.0, 2.0)),
            ((0.3, -1.1, 0.4), (0.8, -0.5, 0.1)),
        ),
        {"reference": by_norms, "moments": by_moments},
        measures,
        printed=against_first,
        mutants={
            "differences with their signs": signed,
            "the sum for the mean": partial(measures, mean=False),
            "no square": partial(measures, power=1),
        },
        example=Example(
            "MAE of predictions that are both right, y of one index for y_i,",
            {"y_1": 1.0, "y_2": 2.0},
            lambda y_1, y_2: against_first((y_1, y_2), (y_1, y_2))[0],
            lambda y_1, y_2: measures((y_1, y_2), (y_1, y_2))[0],
        ),
    ),
    "blur:text:ett-features": numbers(1 + 1 + 6, 8),
    "blur:text:first-three": numbers(
        lambda: [task in lru.TASKS for task in TASKS],
        [1, 1, 1, 0, 0],
        hand={"all five": [1] * 5, "the first two": [1, 1, 0, 0, 0]},
    ),
    "blur:text:spectrum": numbers(
        lambda: [min(HORIZONS), max(HORIZONS)],
        [24, 960],
        printed=[24, 720],
        example=Example("longest horizon of Table 8", {}, 720, max(HORIZONS)),
    ),
    "blur:text:figure-steps": numbers(
        [1800, 1500, 11000, 5000, 3500],
        [
            months * 30 * 24 * an_hour
            for months, an_hour in ((4, 1), (4, 1), (4, 4), (10, 1), (4, 4))
        ],
        relation="<=",
        hand={"Electricity by the hour": [2880, 2880, 11520, 7200, 2880]},
    ),
}
