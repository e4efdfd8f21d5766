"""BLUR (2025), Tables 4 and 6: baselines, and networks as trained."""

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur import tables
from theory.papers.blur.rows import fact, unseen

BASELINES = (
    "TCN Transformer Reformer LogTrans Informer Informer+ Fedformer Autoformer LRU SOFTS "
    "SiMBA S-Mamba PatchTST Pyraformer SegRNN TimesNet MICN S4 S5 Crossformer "
    "iTransformer TiDE RLinear CoST MoCO TS2Vec LSTnet LSTMa BRNN BLSTM TNC CMMamba "
    "Bi-Mamba+ UMambaTSF TimeMachine SST"
)
REFERENCES = {
    24: "Simplified state space layers for sequence modeling",
    30: "Resurrecting recurrent neural networks for long sequences",
    37: "Bidirectional recurrent neural networks",
    72: "Linear transformers are secretly fast weight programmers",
}


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_models(), *_unseen())


def _number(title: str) -> int:
    return next(number for number, given in REFERENCES.items() if given == title)


def _models() -> tuple[Claim, ...]:
    here = {"code": "theory.papers.blur.models.REFERENCES", "topic": "models"}
    return (
        fact(
            "text:brnn-citation",
            "Section 4.1, before Eq. 10",
            "The reference for bidirectional RNNs",
            r"\text{inspired by BRNN [72]}",
            lambda: _number("Bidirectional recurrent neural networks"),
            37,
            printed=72,
            correction=r"\text{inspired by BRNN [37]}",
            alone="the paper's own list of references",
            note="[72] is on linear transformers; elsewhere BRNN is [37].",
            inherits="No.",
            **here,
        ),
        fact(
            "text:s5-citation",
            "Tables 2 and 4",
            "The reference for S5",
            r"\text{S5 [30]}",
            lambda: _number("Simplified state space layers for sequence modeling"),
            24,
            printed=30,
            correction=r"\text{S5 [24]}",
            alone="the paper's own list of references",
            note="[30] is the LRU's paper, from whose reproduction of S5 the numbers are "
            "taken. LogTrans is cited as [83], a network for images of the same name.",
            inherits="The rows of S5 in Tables 2 and 7.",
            **here,
        ),
        fact(
            "table4",
            "Table 4, Appendix A.1",
            "The number of baselines",
            r"\text{numerous baselines (totally 36)}",
            lambda: len(set(BASELINES.split())),
            36,
            kind=Kind.TABLE,
            topic="tables",
            code="theory.papers.blur.models.BASELINES",
            note="S4D-LegS, RNN and DLinear, among others, occur in tables and not "
            "here; LRU is counted as a baseline.",
        ),
        Claim(
            "blur:table6",
            "Table 6, Appendix A.5",
            Kind.TABLE,
            "Parameters of the network of Table 6",
            r"\text{4 layers, latent size 128, embedding 256: } 1\,847\,047 \text{ "
            r"parameters for seven series}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.networks.presets.blur_paper",
            evidence=Evidence(
                ({"series": 7},),
                {
                    "impulse": "sigprop.references.bidirectional_memory."
                    "preset_parameters",
                    "reference": _parameters,
                },
                form=lambda series: 1_847_047,
            ),
            note="The paper prints no count; this is of the network as the suite reads "
            "it, with an MLP and a linear skip in every block. A rate that falls by 0.7 an "
            "epoch from 1e-3 reaches the least rate of 1e-7 after 26 epochs, never in the "
            "8 of the series.",
            topic="models",
        ),
        fact(
            "text:layers",
            "Appendix A.5",
            "Depth of BLUR and of the LRU",
            r"\text{following the same architecture of LRU, BLUR has four layers}",
            "sigprop.references.bidirectional_memory.lru_depth",
            6,
            printed=4,
            correction=r"\text{the LRU's networks have six layers}",
            code="sigprop.networks.presets.lru_paper",
            topic="models",
            alone="the depth printed in the LRU's paper, Section 2.2 and Appendix D.1",
            note="Four layers are a choice of this paper.",
            inherits="Comparisons with the LRU's published numbers.",
        ),
        fact(
            "text:dropout",
            "Appendix A.5",
            "Dropout of BLUR and of the LRU",
            r"\text{the dropout rate is 0.1 to be consistent with the original LRU: "
            r"sCIFAR, ListOps, Text}",
            "sigprop.references.bidirectional_memory.lru_dropout",
            [0.1, 0.0, 0.1],
            printed=[0.1, 0.1, 0.1],
            correction=r"\text{the LRU has no dropout on ListOps}",
            code="sigprop.networks.presets.lru_paper",
            topic="models",
            alone="Table 9 of the LRU's paper",
            note="Right of the other two tasks. The cited paper's rate follows a cosine, "
            "without a decay of 0.7.",
            inherits="No.",
        ),
        fact(
            "text:lru-benchmarks",
            "Section 1",
            "Benchmarks of the LRU's paper",
            r"\text{in [30], all six benchmark datasets are based on images or text}",
            lambda: len(tables.LRU_TABLE_3["LRU"]),
            6,
            code="theory.papers.blur.tables.LRU_TABLE_3",
        ),
    )


def _parameters(series: int) -> int:
    """Encoder, norms, layers, MLPs, skips and head, from the sizes of Table 6."""
    depth, states, width = 4, 128, 256
    dense = width * width
    layer = 2 * (3 * states + 2 * states * width + 2 * states * width) + width
    block = 2 * width + layer + 2 * (dense + width) + dense
    return (series + 1) * width + depth * block + (width + 1) * series


def _unseen() -> tuple[Claim, ...]:
    measured = "Experimental results; the relations between them are judged apart."
    return (
        unseen(
            "text:accuracies",
            "Tables 2, 3 and 7 to 13",
            "The measured accuracies and errors",
            r"\text{accuracies and errors of BLUR and of the re-run LRU}",
            kind=Kind.TABLE,
            reason=measured,
        ),
        unseen(
            "text:inference",
            "Section 5, on Figure 6",
            "Inference time grows with the horizon",
            r"\text{BLUR gains performance with the compromise of inference time}",
            kind=Kind.TEXT,
            reason="The times are in the picture alone.",
        ),
        unseen(
            "text:speed-of-others",
            "Section 2",
            "Speed of a linear recurrence kernel",
            r"\text{expedite the training and inference speeds by up to 9x [20]}",
            kind=Kind.TEXT,
            reason="A measurement quoted from another paper.",
        ),
    )
