"""Pages of the blueprint: what each verdict rests on, drawn, and what falls with it.

An overview of all parts with what falls with each erratum, a page a paper with a picture
a part, and a list of the code.  Boxes are links: to the page of a row, to the code in the
list.  Border and mark tell the verdict on a statement, the fill what it is shown by.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from sigprop.ledger import atlas
from sigprop.ledger.atlas import Part, Picture
from sigprop.ledger.dependence import Graph, carried, falls, linked
from sigprop.ledger.drawing import HEIGHT
from sigprop.ledger.entries import VALUELESS, Entry
from sigprop.theory.claims import PAPERS, Paper

PAGE, CODE = "blueprint.html", "blueprint-code.html"
PROVED, COMPUTED, COUNTED = "by-proof", "by-numbers", "by-arithmetic"
MARKS = {
    "proved": "✓",
    "confirmed": "≈",
    "conditional": "◐",
    "refuted": "✗",
    "undecided": "?",
    "definition": "≔",
    "not-checkable": "–",
}


def page_of(paper: str) -> str:
    """The page of a paper."""
    return f"blueprint-{paper}.html"


def page_names(papers: Iterable[str]) -> list[str]:
    """The pages of a blueprint of these papers."""
    return [PAGE, *(page_of(paper) for paper in papers), CODE]


def shown_by(entry: Entry) -> str:
    """What a verdict is shown by: the class of its box's fill; empty without a verdict."""
    if entry.status in VALUELESS or entry.status == "undecided":
        return ""
    if "symbolic" in entry.routes or entry.status == "proved":
        return PROVED
    return COUNTED if entry.arithmetic else COMPUTED


@dataclass(frozen=True)
class Drawn:
    """What pictures need to know of a run.

    Attributes:
        graph: What rests on what.
        entries: The verdicts by id.
        pages: The page of each row, by its id.
    """

    graph: Graph
    entries: Mapping[str, Entry]
    pages: Mapping[str, str]

    def link(self, name: str) -> str:
        """Where a node leads; nowhere if the run has no page for it."""
        if self.graph.nodes[name].kind == "statement":
            return self.pages.get(name, "")
        return f"{CODE}#{place(name)}"

    def looks(self, name: str) -> str:
        """The classes of a node's box: its kind, and of a statement status and fill."""
        node = self.graph.nodes[name]
        entry = self.entries.get(name)
        if entry is None:
            return node.kind
        return " ".join(filter(None, (node.kind, entry.status, shown_by(entry))))

    def title(self, name: str) -> str:
        """What a node is, in words: read out, and shown where the pointer rests."""
        node, entry = self.graph.nodes[name], self.entries.get(name)
        if entry is None:
            return f"{name}, {node.kind}"
        return f"{name}, {entry.status}: {plain(entry.title)}"


def plain(text: str) -> str:
    """A title without the dollars around its formulas."""
    return text.replace("$", "")


def place(name: str) -> str:
    """Where a function stands in the list of the code."""
    return re.sub(r"[^\w.-]", "-", name)


def svg(
    picture: Picture, about: str, box: Mapping[str, tuple[str, str, str, str]]
) -> Markup:
    """A picture as SVG.

    Args:
        picture: What is placed where.
        about: What it shows, in words.
        box: By node: its link or nothing, its classes, its title, its name on the page.
    """
    drawn = picture.layout
    lines = [
        f'<svg width="{drawn.width:.0f}" height="{drawn.height:.0f}" '
        f'viewBox="0 0 {drawn.width:.0f} {drawn.height:.0f}" role="group" '
        f'aria-label="{escape(about)}"><g marker-end="url(#tip)">'
    ]
    lines += [f'<path d="{path}"/>' for path in drawn.paths.values()]
    lines.append("</g>")
    for name, at in drawn.boxes.items():
        link, looks, title, anchor = box[name]
        tag = "a" if link else "g"
        top = at.y - HEIGHT / 2
        lines.append(
            f"<{tag}"
            + (f' href="{escape(link)}"' if link else "")
            + (f' id="{escape(anchor)}"' if anchor else "")
            + f' class="{looks}"><title>{escape(title)}</title>'
            f'<rect x="{at.x:g}" y="{top:g}" width="{at.width:g}" height="{HEIGHT}"/>'
            f'<text x="{at.x + at.width / 2:g}" y="{at.y + 4:g}">'
            f"{escape(picture.labels[name])}</text></{tag}>"
        )
    return Markup("\n".join([*lines, "</svg>"]))


def _of_part(drawn: Drawn, part: Part) -> Markup:
    picture = atlas.of_part(drawn.graph, part, drawn.entries.keys())
    members = set(part.members)

    def code(name: str) -> bool:
        return drawn.graph.nodes[name].kind != "statement"

    labels = {
        name: f"{MARKS[drawn.entries[name].status]} {text}"
        if name in drawn.entries
        else text
        for name, text in picture.labels.items()
    }
    box = {
        name: (
            drawn.link(name),
            drawn.looks(name) + ("" if name in members or code(name) else " away"),
            drawn.title(name),
            place(name) if name in members else "",
        )
        for name in picture.labels
    }
    about = f"What the statements of {part.title} rest on"
    return svg(Picture(picture.layout, labels), about, box)


def _of_parts(drawn: Drawn, shown: Sequence[Part]) -> Markup:
    box = {
        part.name: (
            f"{page_of(part.paper)}#{part.anchor}",
            f"part {part.paper}",
            f"{PAPERS[part.paper].name}, {part.title}: {len(part.members)} rows",
            "",
        )
        for part in shown
    }
    return svg(atlas.of_parts(drawn.graph, shown), "What the parts rest on", box)


def documents(
    env: Environment, given: Mapping[str, Any], graph: Graph
) -> dict[str, str]:
    """The pages of the blueprint by their names.

    Args:
        env: Jinja with the filters of every page.
        given: Variables of every page's template, with ``links`` to rows and what is
            ``fallen`` with errata, by id; rows that have no page are drawn
            without a link, where a row that has one rests on them.
        graph: Of all rows.
    """
    entries = {one.id: one for _, claims in given["sections"] for _, one in claims}
    drawn = Drawn(graph, entries, given["links"])
    shown = atlas.parts(graph, entries)
    by_paper: dict[str, list[Part]] = {one.partition(":")[0]: [] for one in entries}
    for part in shown:
        by_paper[part.paper].append(part)
    valued = [one for one in entries.values() if one.status not in VALUELESS]
    joined = set(linked(graph))
    shared = {
        **given,
        "by_paper": by_paper,
        "papers": {paper: PAPERS.get(paper, Paper(paper, "")) for paper in by_paper},
        "page_of": page_of,
        "place": place,
        "code": CODE,
        "shown": {one.file for ones in given["sources"].values() for one in ones},
        "short": lambda name: atlas.label(graph, name),
        "graph": graph,
        "valued": len(valued),
        "joined": sum(one.id in joined for one in valued),
    }
    made = {
        page_of(paper): env.get_template("site_blueprint_paper.html.j2").render(
            shared, paper=paper, ones=[(part, _of_part(drawn, part)) for part in ones]
        )
        for paper, ones in by_paper.items()
    }
    made[CODE] = env.get_template("site_blueprint_code.html.j2").render(
        shared, modules=_modules(graph), on=carried(graph), falls=_counted(graph)
    )
    made[PAGE] = env.get_template("site_blueprint.html.j2").render(
        shared,
        picture=_of_parts(drawn, shown),
        errata={
            paper: [
                entries[one] for one in given["fallen"] if entries[one].paper == paper
            ]
            for paper in by_paper
        },
        cycles=[c for c in graph.cycles if entries.keys() >= {*c}],
    )
    return made


def fallen(graph: Graph, claims: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """What falls with each erratum, if what is true instead is wrong, by its id."""
    on = carried(graph)
    return {
        one.id: falls(graph, one.id, on)
        for one in claims
        if one.errata_class and one.id in graph.nodes
    }


def lines(graph: Graph) -> dict[str, set[int]]:
    """The lines at which code of the graph begins, by file."""
    found: dict[str, set[int]] = defaultdict(set)
    for node in graph.nodes.values():
        if node.line:
            found[node.file].add(node.line)
    return found


def _counted(graph: Graph) -> dict[str, int]:
    """How many statements fall with a piece of code."""
    code = (one for one, node in graph.nodes.items() if node.kind != "statement")
    on = carried(graph)
    return {one: len(falls(graph, one, on)) for one in code}


def _modules(graph: Graph) -> dict[str, list[str]]:
    """The code by the file that has it, tables and derivations first."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, node in graph.nodes.items():
        if node.kind != "statement":
            found[node.file].append(name)
    return {file: found[file] for file in sorted(found, key=lambda f: (not f, f))}
