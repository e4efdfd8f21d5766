"""Tables of what a run found, for the terminal."""

from typing import Any

from rich.table import Table

MARKS = {
    "proved": "green",
    "confirmed": "green",
    "definition": "cyan",
    "conditional": "yellow",
    "refuted": "magenta",
    "inconclusive": "red",
    "not-checkable": "dim",
}
SHORT = {
    "symbolic": "sym",
    "reference": "ref",
    "impulse": "imp",
    "autodiff": "ad",
    "closed_form": "cf",
    "monte_carlo": "mc",
}


def outcome(run: Any, loaded: float) -> str:
    """How many claims came out as expected, and how the run was made."""
    good = sum(claim.as_expected for claim in run.claims)
    return (
        f"{good} of {len(run.claims)} claims have their expected status. Tier {run.tier}, "
        f"seed {run.seed}, {run.dtype} on {run.device}; {run.seconds:.1f} s after "
        f"{loaded:.1f} s of imports."
    )


def summary(run: Any) -> Table:
    """One line a claim: status, routes, interval, mutants, seconds."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("claim", "status", "", "routes", "measured / closed form"):
        table.add_column(name, no_wrap=True)
    for name in ("mutants", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    for claim in run.claims:
        drawn = [
            r for r in claim.results if r.route == "monte_carlo" and r.form == "derived"
        ]
        span = "-"
        if drawn:
            span = (
                f"{min(r.low for r in drawn):.4f} .. {max(r.high for r in drawn):.4f}"
            )
        mark = "✓" if claim.as_expected else f"expected {claim.expected}"
        colour = MARKS.get(claim.status, "red")
        table.add_row(
            claim.id,
            f"[{colour}]{claim.status}[/]",
            mark if claim.as_expected else f"[red]{mark}[/]",
            " ".join(SHORT.get(route) or route for route in claim.routes),
            span,
            f"{claim.killed}/{claim.mutants}" if claim.mutants else "-",
            f"{claim.seconds:.1f}",
        )
    return table


def ledger_table(rows: list[Any]) -> Table:
    """One line a row of the ledger: kind, status, mutants, title."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("row", "kind", "status", "mutants", "title"):
        justify = "right" if name == "mutants" else "left"
        table.add_column(name, justify=justify, no_wrap=name != "title")
    for one in rows:
        word = f"[{MARKS.get(one.status, 'red')}]{one.status}[/]"
        if not one.as_expected:
            word += f" [red]not {one.expected}[/]"
        score = f"{one.killed}/{one.mutants}" if one.mutants else "-"
        table.add_row(one.id, one.kind, word, score, one.title)
    return table
