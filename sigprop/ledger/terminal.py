"""Tables of the verdicts of a run, for the terminal."""

from typing import Any

from rich.table import Table
from rich.text import Text

from sigprop.judge.route_names import short
from sigprop.ledger.entries import tally

MARKS = {
    "proved": "green",
    "confirmed": "green",
    "definition": "cyan",
    "conditional": "yellow",
    "refuted": "magenta",
    "undecided": "red",
    "not-checkable": "dim",
}
KEY = (
    "Measured / closed form compares simulations with our own formula, not with the "
    "printed one. The two numbers enclose the intervals of all points; each interval "
    "misses the true ratio with probability 1e-7. Mutants: number of wrong variants "
    "refuted / number tested."
)


def status_text(status: str) -> Text:
    """A status in the colour of its kind."""
    return Text(status, MARKS.get(status, "red"))


def outcome(run: Any, loaded: float) -> str:
    """Return the number of rows with the expected status, and the run's settings."""
    return (
        f"{tally(run.claims)}. Tier {run.tier}, seed {run.seed}, {run.dtype} on "
        f"{run.device}. The run took {run.seconds:.1f} s, the imports {loaded:.1f} s."
    )


def mutants(claim: Any) -> str:
    """Numbers of refuted mutants and of all mutants of the statement."""
    total = claim.formula_mutants
    return f"{claim.killed_formula_mutants}/{total}" if total else "-"


def summary(run: Any) -> Table:
    """One line per claim: status, routes, interval, mutants, seconds."""
    table = Table(caption=KEY, box=None, pad_edge=False, header_style="bold")
    for name in ("claim", "status", "expected", "routes", "measured / closed form"):
        table.add_column(name, no_wrap=True)
    for name in ("mutants", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for claim in run.claims:
        simulated = [
            r for r in claim.results if r.route == "monte_carlo" and r.form == "derived"
        ]
        span = "-"
        if simulated:
            low, high = min(r.low for r in simulated), max(r.high for r in simulated)
            span = f"{low:.4f} .. {high:.4f}"
        table.add_row(
            claim.id,
            status_text(claim.status),
            "✓" if claim.as_expected else Text(claim.expected, "red"),
            ", ".join(dict.fromkeys(map(short, claim.routes))) or "-",
            span,
            mutants(claim),
            f"{claim.seconds:.1f}",
        )
    return table


def ledger_table(rows: list[Any]) -> Table:
    """One line per row of the ledger: kind, status, mutants, title."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("row", "kind", "status", "mutants", "title"):
        justify = "right" if name == "mutants" else "left"
        table.add_column(name, justify=justify, no_wrap=name != "title")
    for row in rows:
        cell = status_text(row.status)
        if not row.as_expected:
            cell.append(f" not {row.expected}", "red")
        table.add_row(row.id, row.kind, cell, mutants(row), row.title)
    return table
