"""Zucchet & Orvieto (2024), Appendix C.3: details of the experiments, Tables 1-3."""

from theory import teacher
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import ARITHMETIC, Evidence
from theory.papers.zucchet.rows import judged, unchecked

REFERENCE = "sigprop.references.teacher."
TEXT = [128, 300, 10, 64, 10_000]  # Section 4.2
NAMES = r"\text{batch}, T, \text{teacher}, \text{student}, \text{iterations}, \text{seeds} = "
NAMES += r"128, 300, 10, 64, 10\text{k}, 10"


def claims() -> tuple[Claim, ...]:
    """Tables and text of Appendix C.3."""
    return (*_tables(), *_details())


def _tables() -> tuple[Claim, ...]:
    return tuple(
        judged(
            f"table{number}",
            f"Table {number}, Appendix C.3",
            f"The scans of Figure {figure}",
            rf"{NAMES};\quad {lists}",
            Status.CONFIRMED,
            "theory.teacher.TABLES",
            Evidence(
                ({"table": number},),
                {
                    "product": teacher.settings_and_runs,
                    "listed": teacher.settings_and_listed,
                },
                form=lambda table, found=(rnn, lru): [*TEXT, 10, *found],
            ),
            kind=Kind.TABLE,
            topic="tables",
            note=note,
            as_extracted=True,
        )
        for number, figure, lists, (rnn, lru), note in _printed()
    )


def _printed():
    yield (
        1,
        "3.A",
        r"\nu_0 \in \{0.32, 0.68, 0.84, 0.92, 0.96, 0.98, 0.99\}",
        (840, 350),
        "Settings agree with Section 4.2; 840 and 350 runs. 1 - nu_0 halves from each "
        "entry to the next but the first, where 0.36 would (zucchet:table1:nu0). Cells "
        "of the optimiser, the batch and the iterations are cut in our copy.",
    )
    yield (
        2,
        "3.B",
        r"\nu_0 = 0.99,\ n_{\text{student}} = 64 / 64 \text{ and } 128",
        (360, 100),
        "Settings agree with Section 4.2, widths with the caption; 360 and 100 runs. It "
        "writes nu for nu_0. The published scans of the block-diagonal networks have "
        "four rates, from 10^-3.5 to 10^-2, not the six of the table.",
    )
    yield (
        3,
        "10.D",
        r"\nu_0 = 0.99,\ \log(\theta_0/\pi) \in \{-2, -1.5, -1, -0.5, 0\}",
        (400, 800),
        "Settings agree with Section 4.2; 400 and 800 runs. Logs are decimal, as the "
        "rates of Fig. 4 (10^-3) and the published angles show; the tables do not say "
        "so. It is for panel D only.",
    )


def _details() -> tuple[Claim, ...]:
    return (
        judged(
            "table1:nu0",
            "Table 1, Appendix C.3",
            "The list of nu_0 in Table 1",
            r"\nu_0 \in \{0.32, 0.68, \dots\}: \quad \frac{1 - 0.68}{1 - 0.32} = "
            r"\frac{1}{2} \text{ as in the rest of the list}",
            Status.REFUTED,
            "theory.teacher.NU0",
            Evidence(
                ({"index": 1}, {"index": 2}, {"index": 4}, {"index": 0}),
                {ARITHMETIC: teacher.halving},
                form=lambda index: 0.5 if index else 0.32 / 0.68,
                printed=lambda index: 0.5,
            ),
            kind=Kind.TABLE,
            correction=r"\nu_0 \in \{0.36, 0.68, 0.84, 0.92, 0.96, 0.98, 0.99\}",
            topic="tables",
            note="That the list halves 1 - nu_0 is our reading; the published scan of both "
            "networks has 0.36, only that of the baseline 0.32.",
            inherits="the first point of Fig. 3.A",
        ),
        judged(
            "text:initial-angles",
            "Appendix C.3",
            "Initial phases of the students",
            r"\arg \lambda \in [-\theta_0, \theta_0]",
            Status.CONFIRMED,
            "sigprop.layers.lru.zucchet_lru",
            Evidence(
                ({"theta0": 3.0}, {"theta0": 0.3}),
                {"layer": REFERENCE + "lru_angles"},
                form=lambda theta0: theta0,
                relation="<=",
                slips={"half": lambda theta0: theta0 / 2},
                alone="read off the layer's parameters",
            ),
            note="Of zucchet_lru only the half [0, theta_0] occurs, as its phase is "
            "exp(omega_theta) (Eq. 21). The authors' code has the other half too, as "
            "phases modulo 2 pi, and scales B and C by fan-out: released_zucchet_lru.",
        ),
        judged(
            "fig4:learning-rate",
            "Figure 4 and Appendix C.3",
            "Where the learning rate of Figure 4 comes from",
            r"\text{panels C and D: the setup of Table 2, learning rate } 10^{-3}",
            Status.REFUTED,
            "theory.teacher.TABLES",
            Evidence(
                (
                    {"column": "RNN", "log_rate": -3.0},
                    {"column": "LRU", "log_rate": -3.0},
                ),
                {ARITHMETIC: teacher.rate_is_scanned},
                form=lambda column, log_rate: float(column == "RNN"),
                printed=lambda column, log_rate: 1.0,
                absolute=0.25,
            ),
            kind=Kind.FIGURE,
            correction=r"10^{-3} \text{ is in the RNN's grid of Table 2 and in no other "
            r"column of it: } [-2.5, \dots, -0.5] \text{ for the complex diagonal RNN}",
            note="Value: whether the rate is in the grid. The complex diagonal network of "
            "panel D, like the LRU and S4 of Fig. 9, was trained below its own grid.",
            inherits="Figure 9, panels C and D",
        ),
        judged(
            "text:scans",
            "Appendix C.3",
            "Runs behind a figure",
            r"\text{the scans require on the order of few hundreds run each}",
            Status.CONDITIONAL,
            "theory.teacher.TABLES",
            Evidence(
                (
                    *({"table": k, "together": False} for k in (1, 2, 3)),
                    *({"table": k, "together": True} for k in (1, 3)),
                ),
                {
                    "product": teacher.largest_scan,
                    "listed": teacher.largest_listed,
                },
                form=lambda table, together: 999,
                relation="<=",
                slips={"a hundred": lambda table, together: 100},
            ),
            condition=Condition(
                "each architecture of a figure is counted as a scan of its own",
                lambda together, **_: not together,
            ),
            note="Per figure: 1190, 460 and 1200 runs.",
        ),
        judged(
            "text:compute",
            "Appendix C.3",
            "Thirty days of computing",
            r"\text{30 days, one third of it on GPUs and two thirds on CPUs}",
            Status.CONFIRMED,
            "theory.teacher.MINUTES",
            Evidence(
                ({"column": "RNN"}, {"column": "LRU"}),
                {ARITHMETIC: teacher.days},
                form=lambda column: teacher.DAYS[column],
                relation="<=",
                slips={"ten times less": lambda column: teacher.DAYS[column] / 10},
            ),
            note="At 10 and 3 minutes a run the scans of the tables and of Fig. 11 take "
            "14.4 CPU days and 2.6 GPU days; preliminary explorations are in the rest.",
        ),
        unchecked(
            "text:extreme-rates",
            "captions of Tables 1 to 3",
            "No extreme learning rate is the best",
            r"\text{none of the extreme learning rates were optimal in the final scan}",
            "the sampled scans of Figures 3 and 10 over the grids of Tables 1-3, 27 days "
            "of computing, will decide",
            "theory.teacher.TABLES",
        ),
    )
