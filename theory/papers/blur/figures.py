"""BLUR (2025), Figures 1 to 15."""

from itertools import pairwise

from theory.claims import Claim, Kind, Status
from theory.papers.blur import tables
from theory.papers.blur.rows import fact, unseen

INFORMER_INPUTS = (48, 96, 168, 168, 336)
FIGURE_5 = {"caption": "Weather", "text": "ETTm1"}


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    short = "Appendix A.8"
    rise = [-1.0, 1.0]
    return (
        unseen(
            "fig1",
            "Figure 1, Section 1",
            "Parameters against the error on ETTm1",
            r"\text{number of parameters against the MSE on ETTm1, horizon 96}",
            note="The tables give the error of BLUR as 0.150; no parameter count is "
            "printed anywhere.",
        ),
        Claim(
            "blur:fig2",
            "Figure 2, Section 3",
            Kind.FIGURE,
            "The network: encoders, blocks, merge, nonlinearity, normalisation, pooling",
            r"\text{a stack of bidirectional LRU blocks; all projections keep the hidden "
            r"dimension}",
            "",
            Status.DEFINITION,
            "sigprop.networks.presets.blur_paper",
            note="The caption's dimensions are those of Eq. 13 only with n = s.",
            topic="models",
        ),
        Claim(
            "blur:fig3",
            "Figure 3, Section 4.1",
            Kind.FIGURE,
            "The layer: two recurrences, a merge C, a nonlinearity",
            r"\Lambda_1, \Lambda_2 \text{ diagonal, fusion by } C",
            "",
            Status.DEFINITION,
            "sigprop.layers.blur.BLUR",
            note="The figure's letters are not the text's: Lambda_f, Lambda_b, and H for "
            "the merge; C is the skip in Eq. 13.",
            topic="models",
        ),
        fact(
            "fig4",
            "Figure 4, Section 5",
            "BLUR at long horizons on Weather and ETTh1",
            r"\text{Weather and ETTh1, 336 and 720: BLUR has the least MSE}",
            lambda: [
                min(row, key=lambda method: row[method].mse) == "BLUR"
                for (data, _), row in tables.errors(11).items()
                if data in ("Weather", "ETTh1")
            ],
            [1, 1, 1, 1],
            kind=Kind.FIGURE,
            note="By the numbers of Table 11. In MAE, BLUR is behind on Weather at both "
            "horizons and on ETTh1 at 720; the panels show MSE. On ETTh2, not shown, "
            "it is behind in both.",
        ),
        fact(
            "fig5",
            "Figure 5 and its text, Section 5",
            "What Figure 5 shows",
            r"\text{the text: outputs of ETTm1 with the horizon of 24}",
            lambda: tables.SETS.index(FIGURE_5["caption"]),
            tables.SETS.index("Weather"),
            printed=tables.SETS.index("ETTm1"),
            kind=Kind.FIGURE,
            correction=r"\text{the caption: Weather with a horizon of 24}",
            alone="the caption against the text; the values are places in the list of "
            "data sets",
            note="One of the two is wrong; which cannot be seen in our copy.",
            inherits="No.",
        ),
        fact(
            "fig6",
            "Figure 6, Section 5",
            "The error is said to grow with the horizon",
            r"\text{ETTh1: MAE will increase if the horizon enlarges: least and "
            r"greatest sign of the steps } [1, 1]",
            lambda: _steps("BLUR", "ETTh1"),
            rise,
            printed=[1.0, 1.0],
            kind=Kind.FIGURE,
            correction=r"\text{BLUR: } 0.300, 0.484, 0.508, 0.336, 0.536",
            note="From 168 to 336 hours the error of BLUR falls by a third, as does its "
            "MSE, from 0.397 to 0.247, below that at 48 hours. That of the LRU grows. "
            "The times are in the picture.",
            inherits="No.",
        ),
        fact(
            "fig7",
            "Figure 7, Section 5",
            "BLUR against six methods on ETTm1",
            r"\text{BLUR still surpasses baselines, MSE and MAE, at all five horizons}",
            lambda: [_leads(metric) for metric in (0, 1)],
            [5, 3],
            printed=[5, 5],
            kind=Kind.FIGURE,
            correction=r"\text{in MSE at all five, in MAE at three of five}",
            note="In MAE the LRU and the Autoformer are better at 288, the Autoformer and "
            "others not of the figure at 672. By Tables 8, 9, 10 and 12.",
            inherits="No.",
        ),
        fact(
            "fig8",
            f"Figure 8, {short}",
            "Equal lengths of input and output",
            r"\text{the input and output lengths are all set equal: test windows of ETTh1}",
            lambda: [2880 - h + 1 for h in (24, 48, 168, 336, 720)],
            [2857, 2833, 2713, 2545, 2161],
            kind=Kind.FIGURE,
            note="The number of test windows does not depend on the input's length.",
        ),
        fact(
            "text:setting",
            f"{short}, on Figure 8",
            "Input lengths of the setting that is followed",
            r"\text{to comply with their setting [5], input and output lengths are equal: "
            r"inputs on ETTh1 } 24, 48, 168, 336, 720",
            lambda: list(INFORMER_INPUTS),
            [48, 96, 168, 168, 336],
            printed=[h for data, h in tables.errors(8) if data == "ETTh1"],
            correction=r"48, 96, 168, 168, 336 \text{ in the public scripts of [5]}",
            alone="the public scripts of the setting, transcribed",
            note="Equal lengths are a choice of this paper; only 168 is the same.",
            inherits="Baselines quoted from [5] saw other inputs than BLUR.",
        ),
        *(
            fact(
                f"fig{number}",
                f"Figure {number}, {short}",
                f"Full test data of {data}",
                rf"\text{{{data}, horizon {horizon}: the steps of interest reach to "
                rf"{step}}}",
                lambda step=step, rows=rows, horizon=horizon: float(
                    _sign(rows - horizon + 1 - step)
                ),
                1.0,
                kind=Kind.FIGURE,
                alone="the length of the test split against the steps that the text names",
                note=f"The test split has {rows} rows. What the curves show is not in our "
                "copy.",
            )
            for number, data, horizon, step, rows in (
                (9, "ETTh1", 24, 1800, 2880),
                (10, "ETTh2", 24, 1500, 2880),
                (11, "ETTm1", 24, 11000, 11520),
                (12, "Weather", 24, 5000, 7012),
                (13, "Electricity", 48, 3500, 5260),
            )
        ),
        unseen(
            "fig14",
            f"Figure 14, {short}",
            "Training time on sequential CIFAR",
            r"\text{BLUR is about 3 times faster than S4 and S5}",
            reason="A wall-clock measurement on an unnamed machine; our copy has no "
            "numbers.",
        ),
        unseen(
            "fig15",
            f"Figure 15, {short}",
            "Training time on ETTh1",
            r"\text{BLUR is about 72 times faster than Informer}",
            reason="A wall-clock measurement on an unnamed machine, of programs in two "
            "frameworks, as the paper says; our copy has no numbers.",
        ),
        unseen(
            "text:marginal",
            "Sections 1 and 4.1",
            "The extra time of the second direction",
            r"\text{the increase in computational time is marginal}",
            kind=Kind.TEXT,
            reason="The times are in figures alone. The recurrence and its projections "
            "are done twice.",
        ),
        unseen(
            "text:runs",
            "Section 5",
            "Five runs",
            r"\text{all results are the average based on five random runs}",
            kind=Kind.TEXT,
            reason="No spread is printed and the experiments are not repeated here.",
        ),
    )


def _sign(value: float) -> int:
    """Sign of a number."""
    return (value > 0) - (value < 0)


def _steps(method: str, data: str) -> list[float]:
    """Least and greatest sign of the differences of a curve of absolute errors."""
    points = tables.curve(method, data, 1)
    signs = [float(_sign(b - a)) for a, b in pairwise(points)]
    return [min(signs), max(signs)]


def _leads(metric: int) -> int:
    """Horizons of ETTm1 at which BLUR leads all methods of Figure 7."""
    shown = {8: ("LRU", "S4"), 9: ("TCN",), 10: ("LSTMa", "Autoformer"), 12: ("BLSTM",)}
    wins = 0
    for task, row in tables.errors(8).items():
        rivals = [
            tables.errors(table)[task][method][metric]
            for table, methods in shown.items()
            if task[0] == "ETTm1"
            for method in methods
        ]
        wins += bool(rivals) and row["BLUR"][metric] < min(rivals)
    return wins
