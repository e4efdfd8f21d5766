"""Tables of BLUR (2025) as printed, and some of its references.

Tables of numbers are in the files ``table*.csv`` beside this module, short lists are here.
"""

import math
from functools import cache
from typing import NamedTuple

from sigprop.theory.tables import read

TASKS = ("sCIFAR", "ListOps", "Text", "sMNIST", "psMNIST")

# Complexity of training, in the length of the sequence.
TABLE_1 = {
    "RNN": "N",
    "TCN": "N",
    "Transformer": "N^2",
    "Reformer": "N log N",
    "Informer": "N log N",
    "S4": "N log N",
    "LRU": "N",
    "SOFTS": "N",
    "SiMBA": "N log N",
    "S-Mamba": "N log N",
    "BLUR": "N",
}
TABLE_5 = {**TABLE_1, "S4": "~N"}

# Accuracies in per cent, in the order of ``TASKS``.
TABLE_2 = read("blur", "2", TASKS).numbers()
TABLE_7 = read("blur", "7", TASKS).numbers()

# Names of the baselines.
TABLE_4 = (
    "TCN Transformer Reformer LogTrans Informer Informer+ Fedformer Autoformer LRU SOFTS "
    "SiMBA S-Mamba PatchTST Pyraformer SegRNN TimesNet MICN S4 S5 Crossformer "
    "iTransformer TiDE RLinear CoST MoCO TS2Vec LSTnet LSTMa BRNN BLSTM TNC CMMamba "
    "Bi-Mamba+ UMambaTSF TimeMachine SST"
)

REFERENCES = {
    22: "On the parameterization and initialization of diagonal state space models",
    23: "Diagonal state spaces are as effective as structured state spaces",
    24: "Simplified state space layers for sequence modeling",
    30: "Resurrecting recurrent neural networks for long sequences",
    37: "Bidirectional recurrent neural networks",
    72: "Linear transformers are secretly fast weight programmers",
}

TABLE_6 = {"layers": 4, "latent": 128, "embedding": 256, "batch": 64}

METHODS = {
    3: ("BLUR", "LRU", "S4", "Informer"),
    8: ("BLUR", "LRU", "S4", "Informer", "Informer+", "LogTrans", "Reformer"),
    9: ("BLUR", "CoST", "TS2Vec", "TNC", "MoCo", "TCN", "LSTnet"),
    10: ("BLUR", "LSTMa", "Autoformer", "Pyraformer"),
    11: (
        "BLUR",
        "S-Mamba",
        "iTransformer",
        "RLinear",
        "PatchTST",
        "Crossformer",
        "TiDE",
    ),
    12: ("BLUR", "BRNN", "BLSTM"),
}

# The last line of Tables 3 and 8 to 12, in the order of ``METHODS``.
COUNTS = {
    3: [18, 2, 0, 0],
    8: [22, 1, 2, 0, 0, 0, 0],
    9: [19, 5, 0, 0, 0, 0, 0],
    10: [14, 0, 6, 0],
    11: [3, 2, 1, 0, 1, 0, 0],
    12: [15, 0, 0],
}


class Cell(NamedTuple):
    """Errors of one method on one task; the first is NaN for Table 3."""

    mse: float
    mae: float


# Errors on ETTm1, horizon 96.
TABLE_13 = {
    method: Cell(*pair)
    for method, pair in read("blur", "13", ("MSE", "MAE")).numbers().items()
}


@cache
def errors(table: int) -> dict[tuple[str, int], dict[str, Cell]]:
    """Return the errors in a table by (data set, horizon) and method.

    Errors that the table does not print are missing.  Table 10 omits most methods on
    Weather: it has only BLUR and LSTMa at the short horizons, and also the Autoformer at
    the long horizons.
    """
    metrics = ("MAE",) if table == 3 else ("MSE", "MAE")
    methods = METHODS[table]
    columns = [f"{method} {metric}" for method in methods for metric in metrics]
    rows: dict[tuple[str, int], dict[str, Cell]] = {}
    for task, numbers in read("blur", str(table), columns).numbers().items():
        data, horizon = task.split()
        row = dict(zip(columns, numbers, strict=True))
        cells = {
            method: Cell(row.get(f"{method} MSE", math.nan), row[f"{method} MAE"])
            for method in methods
        }
        rows[data, int(horizon)] = {
            method: cell for method, cell in cells.items() if not math.isnan(cell.mae)
        }
    return rows
