"""Evidence for Tables 3 and 8 to 13 of BLUR (2025), and for the text on them."""

from functools import partial

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.blur.reproductions import cannot_be
from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Example
from sigprop.theory.papers.blur.printed import COUNTS, METHODS, TABLE_13, errors


def best(table: int) -> list[float]:
    """Count how often each method has the least error, ties included.

    Table 3 prints MAE alone.  Elsewhere MSE and MAE count one half each.
    """
    metrics = (1,) if table == 3 else (0, 1)
    counts = dict.fromkeys(METHODS[table], 0.0)
    for row in errors(table).values():
        for metric in metrics:
            least = min(cell[metric] for cell in row.values())
            for method, cell in row.items():
                counts[method] += (cell[metric] == least) / len(metrics)
    return list(counts.values())


def duels(metric: int) -> dict[str, list[int]]:
    """Wins and losses of BLUR against each baseline of Tables 8 to 11."""
    records: dict[str, list[int]] = {}
    for row in (row for table in (8, 9, 10, 11) for row in errors(table).values()):
        for method, cell in row.items():
            record = records.setdefault(method, [0, 0])
            record[0] += row["BLUR"][metric] < cell[metric]
            record[1] += row["BLUR"][metric] > cell[metric]
    del records["BLUR"]
    return records


def not_beaten(metric: int) -> list[str]:
    """Baselines against which BLUR does not win at more tasks than it loses."""
    return [name for name, (won, lost) in duels(metric).items() if won <= lost]


def agreeing(first: int, second: int) -> int:
    """Entries of the first table that the second repeats, absolute errors alone."""
    return sum(
        cell.mae == errors(second)[task][method].mae
        for task, row in errors(first).items()
        for method, cell in row.items()
    )


def impossible(table: int) -> list[tuple[str, int, str]]:
    """Entries whose squared absolute error exceeds the squared error beyond rounding."""
    return [
        (*task, method)
        for task, row in errors(table).items()
        for method, cell in row.items()
        if cannot_be(cell)
    ]


def beats(first: str, rivals: tuple[str, ...], table: int) -> int:
    """Tasks at which the first method's absolute error is below all rivals'."""
    return sum(
        row[first].mae < min(row[rival].mae for rival in rivals)
        for row in errors(table).values()
    )


def share_won(model: str, rival: str, metric: str, table: int) -> float:
    """Share of a table's tasks at which a model's error is below a rival's.

    The errors of the LRU are those of Table 8, where the table has none of them.
    """
    wins = []
    for task, row in errors(table).items():
        if rival in row:
            own = row.get(model) or errors(8)[task][model]
            wins.append(getattr(own, metric) < getattr(row[rival], metric))
    return sum(wins) / len(wins)


def least_lead(
    table: int, metric: str, rivals: tuple[str, ...], tasks: tuple[tuple[str, int], ...]
) -> float:
    """Least lead of BLUR's error over the errors of some rivals on some tasks."""
    rows = [errors(table)[task] for task in tasks]
    return min(
        getattr(row[rival], metric) - getattr(row["BLUR"], metric)
        for row in rows
        for rival in rivals
    )


def least_rise(metric: str, first: int, last: int) -> float:
    """Least growth between two horizons of the error of a method of Figure 7."""
    shown = {8: ("BLUR", "LRU", "S4"), 9: ("TCN",), 10: ("LSTMa", "Autoformer")}
    shown[12] = ("BLSTM",)
    return min(
        getattr(errors(table)["ETTm1", last][method], metric)
        - getattr(errors(table)["ETTm1", first][method], metric)
        for table, methods in shown.items()
        for method in methods
    )


RIVALS = {
    8: ("Informer", "Informer+", "LogTrans", "Reformer"),
    10: ("Pyraformer", "Autoformer"),
    11: ("iTransformer", "PatchTST", "Crossformer"),
}
LONG = tuple(task for task in errors(3) if task[1] >= 336)
SHORT = tuple(task for task in errors(8) if task[1] == 24 or task == ("ECL", 48))


def _least_square(table: int, task: tuple[str, int], method: str) -> Example:
    """An MSE against the square of the MAE beside it, which it cannot be below."""
    cell = errors(table)[task][method]
    cell_name = f"{method}, {task[0]} at {task[1]}"
    return Example(
        f"least MSE that an MAE of {cell.mae:.3f} allows ({cell_name})",
        {},
        cell.mse,
        cell.mae**2,
    )


EVIDENCE: dict[str, Basis] = {
    **{
        f"blur:table{table}": numbers(partial(best, table), printed, absolute=0.5)
        for table, printed in COUNTS.items()
    },
    "blur:text:table12-sets": numbers(
        len({data for data, _ in errors(12)}),
        3,
        printed=5,
        example=Example("number of cases of Table 12", {}, 5, 3),
    ),
    "blur:text:table3-table8": numbers(
        lambda: agreeing(3, 8),
        78,
        printed=80,
        example=Example(
            "MAE of the LRU on ETTh2 at 48 in Table 8",
            {},
            errors(3)["ETTh2", 48]["LRU"].mae,
            errors(8)["ETTh2", 48]["LRU"].mae,
        ),
    ),
    "blur:table13": numbers(
        [
            *(min(row[metric] for row in TABLE_13.values()) for metric in (0, 1)),
            *errors(8)["ETTm1", 96]["BLUR"],
            *errors(11)["ETTm1", 96]["S-Mamba"],
        ],
        [*TABLE_13["BLUR"] * 2, *TABLE_13["S-Mamba"]],
    ),
    "blur:text:jensen-lru": numbers(
        lambda: sum(method == "LRU" for *_, method in impossible(8)),
        2,
        printed=0,
        example=_least_square(8, ("ETTh2", 720), "LRU"),
    ),
    "blur:text:jensen-others": numbers(
        lambda: [
            sum(method != "LRU" for *_, method in impossible(table))
            for table in (8, 9, 10, 11, 12)
        ],
        [5, 5, 0, 1, 0],
        printed=[0] * 5,
        example=_least_square(8, ("ETTh2", 24), "Reformer"),
    ),
    "blur:text:lru-surpasses": numbers(
        lambda: beats("LRU", ("S4", "Informer"), 3),
        10,
        relation=">",
        hand={"in all": 20},
    ),
    "blur:text:outperforms-all": numbers(
        lambda metric: len(not_beaten(("MSE", "MAE").index(metric))),
        0,
        points("metric", "MSE", "MAE"),
        hand={"one": 1},
        example=Example(
            "number of 7 tasks at which BLUR has a lower MAE than S-Mamba",
            {},
            "most",
            duels(1)["S-Mamba"][0],
        ),
    ),
    "blur:text:mamba-horizons": numbers(
        lambda: [
            min(row, key=lambda method: row[method][metric]) == "BLUR"
            for row in (TABLE_13, errors(11)["ETTm1", 96])
            for metric in (0, 1)
        ],
        [1, 1, 1, 1],
    ),
    "blur:text:beats-transformers": numbers(
        share_won,
        0.5,
        tuple(
            dict(model=model, rival=rival, metric=metric, table=table)
            for table, rivals in RIVALS.items()
            for rival in rivals
            for model in ("BLUR", "LRU")
            for metric in ("mse", "mae")
        ),
        ">",
        wrong=1.0,
        example=Example(
            "tasks of Table 11 at which the LRU has a lower MSE than PatchTST",
            {},
            "most",
            f"{round(7 * share_won('LRU', 'PatchTST', 'mse', 11))} of 7",
        ),
    ),
    "blur:text:table3-overall": numbers(
        share_won,
        0.5,
        tuple(
            dict(model="BLUR", rival=rival, metric="mae", table=3)
            for rival in ("LRU", "S4", "Informer")
        ),
        ">",
        wrong=1.0,
    ),
    "blur:text:long-horizons": numbers(
        least_lead,
        0.0,
        dict(table=3, metric="mae", rivals=("S4", "Informer"), tasks=LONG),
        ">",
        wrong=1.0,
    ),
    "blur:text:longer-horizons": numbers(
        least_rise,
        0.0,
        points("metric first last", ("mse", 24, 672), ("mae", 24, 672)),
        ">",
        wrong=1.0,
    ),
    "blur:text:enhances-lru": numbers(
        share_won,
        0.5,
        points(
            "model rival metric table",
            *(("BLUR", "LRU", metric, 8) for metric in ("mse", "mae")),
        ),
        ">",
        wrong=1.0,
    ),
    "blur:text:closer-fit": numbers(
        least_lead,
        0.0,
        tuple(
            dict(table=8, metric=metric, rivals=("LRU",), tasks=SHORT)
            for metric in ("mse", "mae")
        ),
        ">",
        wrong=1.0,
    ),
}
