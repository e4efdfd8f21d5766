"""What judges Tables 3 and 8 to 13 of BLUR (2025), and what the text says of them."""

from functools import partial

from sigprop.evidence.arithmetic import numbers
from sigprop.judge.basis import Basis
from theory.papers.blur.printed import COUNTS, METHODS, TABLE_13, errors


def best(table: int) -> list[float]:
    """How often each method is best, ties included: half a count for each metric."""
    metrics = (1,) if table == 3 else (0, 1)
    counts = dict.fromkeys(METHODS[table], 0.0)
    for row in errors(table).values():
        for metric in metrics:
            least = min(cell[metric] for cell in row.values())
            for method, cell in row.items():
                counts[method] += (cell[metric] == least) / len(metrics)
    return list(counts.values())


def overall(metric: int, tables: tuple[int, ...] = (8, 9, 10, 11)) -> int:
    """Tasks of Table 8 at which no method of the tables is better than BLUR."""
    wins = 0
    for task, row in errors(8).items():
        rows = [errors(table).get(task, {}) for table in tables]
        rivals = [c[metric] for cells in rows for m, c in cells.items() if m != "BLUR"]
        wins += row["BLUR"][metric] <= min(rivals)
    return wins


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
        if (cell.mae - 0.0005) ** 2 > cell.mse + 0.0005
    ]


def beats(first: str, rivals: tuple[str, ...], table: int) -> int:
    """Tasks at which the first method's absolute error is below all rivals'."""
    return sum(
        row[first].mae < min(row[rival].mae for rival in rivals)
        for row in errors(table).values()
    )


EVIDENCE: dict[str, Basis] = {
    **{
        f"blur:table{table}": numbers(partial(best, table), printed, absolute=0.5)
        for table, printed in COUNTS.items()
    },
    "blur:text:table12-sets": numbers(
        len({data for data, _ in errors(12)}), 3, printed=5
    ),
    "blur:text:table3-table8": numbers(lambda: agreeing(3, 8), 78, printed=80),
    "blur:table13": numbers(
        [
            *(min(row[metric] for row in TABLE_13.values()) for metric in (0, 1)),
            *errors(8)["ETTm1", 96]["BLUR"],
            *errors(11)["ETTm1", 96]["S-Mamba"],
        ],
        [*TABLE_13["BLUR"] * 2, *TABLE_13["S-Mamba"]],
    ),
    "blur:text:jensen-lru": numbers(
        lambda: sum(method == "LRU" for *_, method in impossible(8)), 2, printed=0
    ),
    "blur:text:jensen-others": numbers(
        lambda: [
            sum(method != "LRU" for *_, method in impossible(table))
            for table in (8, 9, 10, 11, 12)
        ],
        [5, 5, 0, 1, 0],
        printed=[0] * 5,
    ),
    "blur:text:lru-surpasses": numbers(lambda: beats("LRU", ("S4", "Informer"), 3), 17),
    "blur:text:outperforms-all": numbers(
        lambda: [overall(0), overall(1)], [18, 11], printed=[25, 25]
    ),
    "blur:text:mamba-horizons": numbers(
        sum(
            row["BLUR"].mse < row["S-Mamba"].mse
            for (_, horizon), row in errors(11).items()
            if horizon > 96
        ),
        5,
    ),
}
