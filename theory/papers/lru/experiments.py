"""Orvieto et al. (2023), Appendix D: the detailed experimental setup."""

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import TABLES, printed_numbers, unchecked


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (
        printed_numbers(
            "lru:text:six-layers",
            "Section 2.2, Appendix D.1 and Table 9",
            "Depth of the networks",
            r"\text{depth of 6 residual blocks for all experiments}",
            "depths",
            {},
            [6.0] * 6,
            absolute=0.5,
            topic="models",
        ),
        printed_numbers(
            "lru:text:factor-below-one",
            "Appendix D.2 and Table 9",
            "The recurrence learns more slowly",
            r"\text{learning-rate factor} < 1",
            "largest_factor",
            {},
            1.0,
            "<",
            wrong=0.5,
            note="Between 0.1 and 0.5 in Table 9.",
        ),
        Claim(
            "lru:text:path-x-unit",
            "Appendix D.1",
            Kind.TEXT,
            "The gated unit of PathX has one linear map fewer",
            r"\text{PathX: GLU without one additional linear transform}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.networks.presets.lru_paper",
            evidence=Evidence(
                (
                    {"task": "listops", "part": "mixing"},
                    {"task": "pathx", "part": "mixing"},
                ),
                {"reference": f"{TABLES}.parameters"},
                form=lambda task, part: 6 * (128 * 128 + 128) * (2 - (task == "pathx")),
                alone="counted in the package's networks of the same width",
            ),
            note="Half the parameters of the unit of the other tasks.",
            topic="models",
        ),
        printed_numbers(
            "lru:text:bidirectional",
            "Appendix D.1",
            "Both directions for PathFinder and PathX",
            r"\text{bidirectional models for PathFinder and PathX only}",
            "directions",
            {},
            [1.0, 1.0, 1.0, 1.0, 2.0, 2.0],
            absolute=0.5,
            topic="models",
        ),
        Claim(
            "lru:text:schedule",
            "Appendix D.2",
            Kind.DEFINITION,
            "The learning rate over training",
            r"10^{-7} \rightarrow \eta \text{ over the first } 10\%,\ \text{then cosine "
            r"annealing to } 10^{-7}",
            "evidence",
            Status.DEFINITION,
            "sigprop.references.lru_tables.learning_rate",
            evidence=Evidence(
                tuple({"step": step, "peak": 4e-3} for step in (0.0, 0.1, 0.55, 1.0)),
                {"reference": f"{TABLES}.learning_rate"},
                form=lambda step, peak: {0.0: 1e-7, 0.1: peak, 1.0: 1e-7}.get(
                    step, (peak + 1e-7) / 2
                ),
                tolerance=1e-9,
                alone="its start, its peak, its middle and its end",
            ),
            topic="experiments",
        ),
        unchecked(
            "lru:text:tasks",
            "Appendix D.4",
            Kind.TEXT,
            "The six tasks",
            r"\text{the 6 tasks of Long Range Arena, sCIFAR in colour}",
            "a choice of data sets; all tables have these six columns",
        ),
    )
