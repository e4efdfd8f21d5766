"""BLUR (2025), its data sets and error measures."""

import datetime

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur import tables
from theory.papers.blur.rows import fact


def _hours(first: datetime.datetime, last: datetime.datetime) -> int:
    return int((last - first).total_seconds()) // 3600 + 1


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    first = datetime.datetime(2016, 7, 1)
    last = datetime.datetime(2018, 6, 26, 19)
    years = datetime.datetime(2010, 1, 1), datetime.datetime(2013, 12, 31, 23)
    series = {"code": "theory.papers.blur.datasets.claims", "topic": "experiments"}
    calendar = "the calendar between the first and the last stamp of the public file"
    return (
        fact(
            "text:etth-rows",
            "Appendix A.6, ETTh1",
            "Rows of ETTh1",
            r"\text{ETTh1, 2016/07 - 2018/07, contains 17520 hourly data points}",
            lambda: _hours(first, last),
            17420,
            printed=17520,
            correction=r"17420",
            alone=calendar,
            note="17520 is two years of hours; the file ends on 26 June 2018 at 19:00. "
            "The split uses the first 14400 rows.",
            inherits="The row on ETTm1.",
            **series,
        ),
        fact(
            "text:ettm-rows",
            "Appendix A.6, ETTm1",
            "Rows of ETTm1",
            r"\text{ETTm1 contains 70080 data points sampled every 15 minutes}",
            lambda: 4 * _hours(first, last),
            69680,
            printed=70080,
            correction=r"69680",
            alone=calendar,
            note="Four times the rows of ETTh1.",
            inherits="No.",
            **series,
        ),
        fact(
            "text:ett-split",
            "Appendix A.6, ETTh1",
            "Test windows of ETTh1 cover what the figures show",
            r"\text{train/val/test is 12/4/4 months: } 8640, 2880, 2880 \text{ rows}",
            lambda: [12 * 30 * 24, 4 * 30 * 24, 4 * 30 * 24],
            [8640, 2880, 2880],
            note="Months of 30 days, as the public code has them: 20 of some 24 months.",
            **series,
        ),
        fact(
            "text:weather-rows",
            "Appendix A.6, Weather",
            "Rows and months of Weather",
            r"\text{four years from 2010 to 2013, hourly; train/val/test is 28/10/10 "
            r"months; a target and 11 features}",
            lambda: [_hours(*years), 28 + 10 + 10, 1 + 11],
            [35064, 4 * 12, 12],
            alone="the calendar, and the columns of the public file",
            note="The public code splits 70/10/20 per cent of the rows instead, whatever "
            "the papers say. The file is of one station, not of 1600.",
            **series,
        ),
        fact(
            "text:ecl-rows",
            "Appendix A.6, ECL",
            "Rows of the electricity data",
            r"\text{140256 samples of 15 minutes: four years}",
            lambda: 140256 / (4 * 24),
            4 * 365 + 1,
            note="Of the source of 370 clients. The benchmark's file has 321 of them, by "
            "the hour, and its horizons are in hours; 15/3/4 months are 22 of its 36.",
            **series,
        ),
        fact(
            "text:images",
            "Appendix A.6, sequential CIFAR and MNIST",
            "Sizes of the image sets",
            r"\text{sCIFAR 60K of 32 by 32; sMNIST 70K sequences of 784 pixels}",
            lambda: [50_000 + 10_000, 60_000 + 10_000, 28 * 28],
            [60_000, 70_000, 784],
            note="psMNIST is of the same size, being a permutation.",
            **series,
        ),
        fact(
            "text:texts",
            "Appendix A.6, ListOps and Text",
            "Sizes of the text sets",
            r"\text{ListOps 100K, ten classes; Text 50K reviews, two classes}",
            lambda: [96_000 + 2_000 + 2_000, 25_000 + 25_000],
            [100_000, 50_000],
            alone="sums of the public splits",
            **series,
        ),
        fact(
            "text:horizons",
            "Section 5",
            "Horizons of ETTh and Weather",
            r"\text{the prediction horizons are } \{1d, 2d, 7d, 14d, 30d, 40d\}",
            lambda: sorted({h for data, h in tables.errors(8) if data == "ETTh1"}),
            [24, 48, 168, 336, 720],
            printed=[24 * days for days in (1, 2, 7, 14, 30, 40)],
            correction=r"\{1d, 2d, 7d, 14d, 30d\}",
            note="40 days are 960 hours, a horizon of Electricity alone, whose horizons "
            "the sentence leaves out.",
            inherits="The range 24 to 720 given for all tasks; Table 8 goes to 960.",
            **series,
        ),
        fact(
            "text:horizons-minutes",
            "Section 5",
            "Horizons of ETTm",
            r"\text{ETTm: } \{6h, 12h, 24h, 72h, 168h\}",
            lambda: [4 * hours for hours in (6, 12, 24, 72, 168)],
            [h for data, h in tables.errors(8) if data == "ETTm1"],
            **series,
        ),
        Claim(
            "blur:text:metrics",
            "Section 5",
            Kind.BOUND,
            "The two error measures",
            r"MAE = \frac{1}{N}\sum_{i=1}^{N} |\bm{y} - \hat{\bm{y}}_i|, \; MSE = "
            r"\frac{1}{N}\sum_{i=1}^{N} (\bm{y} - \hat{\bm{y}}_i)^2: \quad MAE^2 \le MSE",
            "evidence",
            Status.CONFIRMED,
            "theory.papers.blur.tables.impossible",
            evidence=Evidence(
                ({"errors": (0.3, -1.1, 0.4)}, {"errors": (0.5, -0.5)}),
                {"reference": _squared_mean},
                form=lambda errors: sum(e * e for e in errors) / len(errors),
                relation="<=",
                slips={
                    "half": lambda errors: (
                        sum(e * e for e in errors) / (2 * len(errors))
                    )
                },
                alone="an inequality of Jensen; the values are examples",
            ),
            note="The target lacks its index i. The inequality is ours; averages of runs "
            "keep it, and some entries of the tables break it.",
            topic="experiments",
        ),
    )


def _squared_mean(errors: tuple[float, ...]) -> float:
    return (sum(map(abs, errors)) / len(errors)) ** 2
