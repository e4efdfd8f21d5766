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
part.row(
    "lru:text:lengths",
    "text",
    "confirmed",
    "Lengths of PathFinder, sCIFAR and PathX",
    r"\text{PathFinder and sCIFAR have } L = 1024 \text{ and PathX a sequence length of } "
    r"16\text{k tokens}",
    where="Fig. 4 and Section 3.4",
    code="sigprop.networks.presets.lru_paper",
    topic="tables",
    note="The images of 32 by 32 and of 128 by 128 pixels are read pixel by pixel, which "
    "gives 1024 and 16384 steps. The three colours of sCIFAR are three features.",
)
part.row(
    "lru:text:weight-decay",
    "definition",
    "definition",
    "Parameters without weight decay",
    r"\text{Weight decay is used for all parameters except the RNN/SSM parameters } A "
    r"\text{ and } B \text{ (and } \gamma \text{ and } \Delta \text{ when applicable)}",
    where="Section 2.2 and Appendix D.2",
    code="sigprop.training.recipes.Recipe",
    topic="experiments",
    note="Section 2.2 says the same of the recurrent parameters.",
)
part.row(
    "lru:text:normalisation-layer",
    "text",
    "not-checkable",
    "Batch or layer normalisation",
    r"\text{The residual path contains a normalization layer; we always use batch "
    r"normalization in our experiments}",
    where="Appendix D.1",
    code="sigprop.networks.presets.lru_paper",
    topic="experiments",
    reason="a setting of trainings that are not published",
    note="Section 2.2 has layer/batch normalization for all experiments, and the caption of "
    "Fig. 1 methods like batch/layer normalization. Read as batch or layer, they agree "
    "with the sentence; read as both, they do not.",
)
part.row(
    "lru:text:three-runs",
    "text",
    "not-checkable",
    "Three runs",
    r"\text{All experiments are repeated three times, and we report the mean and standard "
    r"error}",
    where="Section 2.2",
    code="sigprop.theory.papers.lru.printed.TABLES",
    topic="experiments",
    reason="the single runs are not printed",
    note="Tables 1 to 3 and 5 to 8 have a standard error beside every accuracy of the "
    "authors' own. Six of them are 0.0, as that of the LRU with ring initialisation on "
    "sCIFAR. Table 4 has none.",
)
part.row(
    "lru:text:transformers-fail",
    "text",
    "not-checkable",
    "Transformers on Long Range Arena",
    r"\text{Transformers fail to perform well on most of these tasks}",
    where="Section 2.2",
    code="sigprop.theory.papers.lru.printed.TABLES",
    topic="tables",
    reason="The paper prints no accuracy of a transformer, and to perform well has no "
    "threshold.",
)
