"""What judges data sets and error measures, Section 5 and Appendix A.6 of BLUR (2025)."""

import datetime

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence
from theory.papers.blur.printed import errors

CALENDAR = "the calendar between the first and the last stamp of the public file"


def _hours(first: datetime.datetime, last: datetime.datetime) -> int:
    return int((last - first).total_seconds()) // 3600 + 1


ETT_HOURS = _hours(datetime.datetime(2016, 7, 1), datetime.datetime(2018, 6, 26, 19))
WEATHER_HOURS = _hours(
    datetime.datetime(2010, 1, 1), datetime.datetime(2013, 12, 31, 23)
)


def _squared_mean(errors: tuple[float, ...]) -> float:
    return (sum(map(abs, errors)) / len(errors)) ** 2


def _mean_square(errors: tuple[float, ...]) -> float:
    return sum(e * e for e in errors) / len(errors)


EVIDENCE: dict[str, Basis] = {
    "blur:text:etth-rows": numbers(ETT_HOURS, 17420, printed=17520, alone=CALENDAR),
    "blur:text:ettm-rows": numbers(4 * ETT_HOURS, 69680, printed=70080, alone=CALENDAR),
    "blur:text:ett-split": numbers(
        [12 * 30 * 24, 4 * 30 * 24, 4 * 30 * 24], [8640, 2880, 2880]
    ),
    "blur:text:weather-rows": numbers(
        [WEATHER_HOURS, 28 + 10 + 10, 1 + 11],
        [35064, 4 * 12, 12],
        alone="the calendar, and the columns of the public file",
    ),
    "blur:text:ecl-rows": numbers(140256 / (4 * 24), 4 * 365 + 1),
    "blur:text:images": numbers(
        [50_000 + 10_000, 60_000 + 10_000, 28 * 28], [60_000, 70_000, 784]
    ),
    "blur:text:texts": numbers(
        [96_000 + 2_000 + 2_000, 25_000 + 25_000],
        [100_000, 50_000],
        alone="sums of the public splits",
    ),
    "blur:text:horizons": numbers(
        lambda: sorted({h for data, h in errors(8) if data == "ETTh1"}),
        [24, 48, 168, 336, 720],
        printed=[24 * days for days in (1, 2, 7, 14, 30, 40)],
    ),
    "blur:text:horizons-minutes": numbers(
        [4 * hours for hours in (6, 12, 24, 72, 168)],
        lambda: [h for data, h in errors(8) if data == "ETTm1"],
    ),
    "blur:text:metrics": Evidence(
        points("errors", (0.3, -1.1, 0.4), (0.5, -0.5)),
        {"reference": _squared_mean},
        form=_mean_square,
        relation="<=",
        slips={"half": lambda errors: _mean_square(errors) / 2},
        alone="an inequality of Jensen; the values are examples",
    ),
}
