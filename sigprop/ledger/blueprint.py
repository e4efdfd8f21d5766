"""Pages of the blueprint: the dependences between statements, errata and code.

There is an overview of the sections and of the errata.  Each paper has a page that
shows, for each statement, the statements on which it rests and those that rest on it.
A list contains the code.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment

from sigprop.ledger.contents import Chapter
from sigprop.ledger.dependence import Graph, carried, falls, linked, neighbours
from sigprop.ledger.entries import VALUELESS, Entry, Ledger

PAGE, CODE = "blueprint.html", "blueprint-code.html"
USES = {
    "lemma": "derivation or proof",
    "form": "formula",
    "inherits": "inherited error",
}
KINDS = {
    "derivation": "Derivations",
    "simulation": "Simulations",
    "table": "Printed tables",
    "experiment": "Stored results",
}
Used = tuple[str, str]  # a statement, and the part of it that is used
Place = tuple[str, str]  # a paper, and the anchor of one of its sections


def page_of(paper: str) -> str:
    """The page of a paper."""
    return f"blueprint-{paper}.html"


def page_names(papers: Iterable[str]) -> list[str]:
    """The pages of a blueprint of these papers."""
    return [PAGE, *(page_of(paper) for paper in papers), CODE]


def anchor(name: str) -> str:
    """Return the anchor of a function in the list of the code."""
    return re.sub(r"[^\w.-]", "-", name)


def short(name: str) -> str:
    """Short label for code: its last name, the key of a table, the name of a sweep.

    Example:
        >>> short("sigprop.judge.routes.QUANTITIES[sensitivity]"), short("a.b.moment")
        ('sensitivity', 'moment')
    """
    last = re.split(r"[.:]", name)[-1]
    return last.partition("[")[2].rstrip("]") or last


def code_below(graph: Graph, row: str) -> dict[str, list[str]]:
    """The code on which a statement rests directly, grouped by the name of its kind."""
    by_kind: dict[str, list[str]] = {label: [] for label in KINDS.values()}
    for name in graph.rests_on[row]:
        if label := KINDS.get(graph.nodes[name].kind):
            by_kind[label].append(name)
    return {label: names for label, names in by_kind.items() if names}


def shared(graph: Graph | None, run: Ledger) -> dict[str, Any]:
    """Variables for the templates of all pages.

    Args:
        graph: Graph of all rows; ``None`` if there is no blueprint.
        run: The verdicts.
    """
    if graph is None:
        return {"blueprint": "", "neighbours": {}, "fallen": {}, "lines": {}}
    return {
        "blueprint": PAGE,
        "blueprint_page": page_of,
        "neighbours": _used(graph),
        "fallen": fallen(graph, run.claims),
        "lines": lines(graph),
        "entries": {entry.id: entry for entry in run.claims},
        "code_list": CODE,
        "code_below": lambda row: code_below(graph, row),
        "short": short,
        "place": anchor,
    }


def _used(graph: Graph) -> dict[str, tuple[list[Used], list[Used]]]:
    """Map statements to both lists of neighbours, with the used part of each."""
    on = graph.rests_on
    return {
        row: (
            [(other, USES[on[row][other]]) for other in below],
            [(other, USES[on[other][row]]) for other in above],
        )
        for row, (below, above) in neighbours(graph).items()
    }


def sections(
    graph: Graph, chapters: Mapping[str, Iterable[Chapter]]
) -> dict[str, dict[Place, list[Place]]]:
    """Map sections to the other sections on which their statements rest.

    Args:
        graph: Graph of statements.
        chapters: The sections with their rows, by paper.
    """
    where = {
        claim.id: (paper, part.anchor)
        for paper, parts in chapters.items()
        for part in parts
        for _, claim in part.rows
    }
    others_of: dict[Place, set[Place]] = {here: set() for here in where.values()}
    for row, here in where.items():
        others_of[here] |= {
            where[other] for other in graph.rests_on.get(row, ()) if other in where
        }
    order = {here: number for number, here in enumerate(others_of)}
    below: dict[str, dict[Place, list[Place]]] = defaultdict(dict)
    for here, on in others_of.items():
        if others := sorted(on - {here}, key=order.__getitem__):
            below[here[0]][here] = others
    return below


def documents(
    env: Environment, variables: Mapping[str, Any], graph: Graph
) -> dict[str, str]:
    """The pages of the blueprint by their names.

    Args:
        env: Jinja environment with the filters of every page.
        variables: Variables of every page's template, including those of ``shared``.
        graph: Graph of all rows; rows without a page are named without a link.
    """
    chapters, entries = variables["chapters"], variables["entries"]
    near = {
        row for row, (below, above) in variables["neighbours"].items() if below or above
    }
    paper_page = env.get_template("site_blueprint_paper.html.j2")
    pages = {
        page_of(paper): paper_page.render(
            variables, paper=paper, parts=parts, near=near
        )
        for paper, parts in chapters.items()
    }
    pages[CODE] = env.get_template("site_blueprint_code.html.j2").render(
        variables,
        graph=graph,
        modules=_modules(graph),
        shown={
            source.file for ones in variables["sources"].values() for source in ones
        },
        on=carried(graph),
        falls=_counted(graph),
    )
    valued = [entry.id for entry in entries.values() if entry.status not in VALUELESS]
    pages[PAGE] = env.get_template("site_blueprint.html.j2").render(
        variables,
        valued=len(valued),
        joined=len({*valued} & {*linked(graph)}),
        below=sections(graph, chapters),
        titles={
            (paper, part.anchor): part.title
            for paper, parts in chapters.items()
            for part in parts
        },
        errata={
            paper: [row for row in variables["fallen"] if entries[row].paper == paper]
            for paper in chapters
        },
        needed={row for row, ids in variables["fallen"].items() if ids},
        cycles=[cycle for cycle in graph.cycles if entries.keys() >= {*cycle}],
    )
    return pages


def fallen(graph: Graph, claims: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """Map errata to the statements that fall if the erratum is not correct."""
    on = carried(graph)
    return {
        entry.id: falls(graph, entry.id, on)
        for entry in claims
        if entry.errata_class and entry.id in graph.nodes
    }


def lines(graph: Graph) -> dict[str, set[int]]:
    """First lines of the code in the graph, by file."""
    by_file: dict[str, set[int]] = defaultdict(set)
    for node in graph.nodes.values():
        if node.line:
            by_file[node.file].add(node.line)
    return by_file


def _counted(graph: Graph) -> dict[str, int]:
    """Number of statements that rest on a piece of code, directly or indirectly."""
    code = (name for name, node in graph.nodes.items() if node.kind != "statement")
    on = carried(graph)
    return {name: len(falls(graph, name, on)) for name in code}


def _modules(graph: Graph) -> dict[str, list[str]]:
    """The code by its file, tables and derivations first."""
    by_file: dict[str, list[str]] = defaultdict(list)
    for name, node in graph.nodes.items():
        if node.kind != "statement":
            by_file[node.file].append(name)
    return {file: by_file[file] for file in sorted(by_file, key=lambda f: (not f, f))}
