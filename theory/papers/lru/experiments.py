"""Orvieto et al. (2023), Appendix D: the detailed experimental setup."""

from sigprop.theory.rows import Part

part = Part("", "models", "sigprop.evidence.lru.experiments")

part.row(
    "lru:text:six-layers",
    "text",
    "confirmed",
    "Depth of the networks",
    r"\text{depth of 6 residual blocks for all experiments}",
    where="Section 2.2, Appendix D.1 and Table 9",
    code="depths",
)
part.row(
    "lru:text:factor-below-one",
    "text",
    "confirmed",
    "The recurrence learns more slowly",
    r"\text{learning-rate factor} < 1",
    where="Appendix D.2 and Table 9",
    code="largest_factor",
    topic="tables",
    note="In Table 9 the factor is between 0.1 and 0.5.",
)
part.row(
    "lru:text:path-x-unit",
    "definition",
    "definition",
    "The gated unit of PathX has one linear map fewer",
    r"\text{PathX: GLU without one additional linear transform}",
    where="Appendix D.1",
    code="sigprop.networks.presets.lru_paper",
    note="The unit has half the parameters of the unit of the other tasks.",
)
part.row(
    "lru:text:bidirectional",
    "definition",
    "definition",
    "Both directions for PathFinder and PathX",
    r"\text{bidirectional models for PathFinder and PathX only}",
    where="Appendix D.1",
    code="directions",
)
part.row(
    "lru:text:schedule",
    "definition",
    "definition",
    "The learning rate over training",
    r"10^{-7} \rightarrow \eta \text{ over the first } 10\%,\ \text{then cosine "
    r"annealing to } 10^{-7}",
    where="Appendix D.2",
    code="learning_rate",
    topic="experiments",
)
part.row(
    "lru:text:tasks",
    "definition",
    "definition",
    "The six tasks",
    r"\text{the 6 tasks of Long Range Arena, sCIFAR in colour}",
    where="Appendix D.4",
    code="sigprop.networks.presets.lru_paper",
    topic="experiments",
    note="The sentence is a choice of data sets. Tables 3, 4 and 6-9 have these six.",
)
