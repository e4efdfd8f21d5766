"""The graph in pieces that a page can show: a picture a part of a paper, and one of parts.

A picture of a part has its statements, the statements elsewhere that they rest on, every
derivation, table and stored result that they call, and the simulations that at least two
of them share: what judges one row alone would be one more box beside it.
"""

import importlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sigprop.ledger.cycles import without_cycles
from sigprop.ledger.dependence import Graph, statements
from sigprop.ledger.drawing import Edge, Layout, lay_out
from theory.claims import PAPERS, home

LETTER, PADDING = 6.9, 20  # pixels, of a letter of 11.5 and beside a label


@dataclass(frozen=True)
class Part:
    """Statements of a paper that stand together.

    Attributes:
        name: The module that has the rows, from the folder of the papers.
        paper: Its key.
        title: What the module says it holds.
        members: Their ids, in order.
    """

    name: str
    paper: str
    title: str
    members: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """Where the picture stands on its page."""
        return f"part-{self.name.replace('.', '-')}"


@dataclass(frozen=True)
class Picture:
    """Nodes that are placed, by id: a node of the graph, or the name of a part."""

    layout: Layout
    labels: Mapping[str, str]


def parts(graph: Graph, ids: Iterable[str]) -> list[Part]:
    """The parts that have some of these statements, in the order of their papers."""
    members: dict[str, list[str]] = defaultdict(list)
    chosen = set(ids)
    for one in statements(graph, chosen):
        members[home(one)].append(one)
    found = []
    for module, names in members.items():
        paper, _, name = module.removeprefix("theory.papers.").partition(".")
        found.append(Part(f"{paper}.{name}", paper, _title(module), tuple(names)))
    order = list(PAPERS)
    return sorted(found, key=lambda part: order.index(part.paper))


def _title(module: str) -> str:
    """The first line of a module, without the paper that its page names already."""
    line = (importlib.import_module(module).__doc__ or module).splitlines()[0]
    return line.partition("), ")[2].rstrip(".") or line.rstrip(".")


def label(graph: Graph, name: str, inside: str = "") -> str:
    """A few letters for a node; of a row of another paper with its key."""
    node = graph.nodes[name]
    if node.kind == "statement":
        paper, _, rest = name.partition(":")
        short = rest.removeprefix("text:")
        return short if paper == inside else f"{paper}:{short}"
    if node.kind == "experiment":
        return name.partition(":")[2]
    last = name.rpartition(".")[2]
    return last.partition("[")[2].rstrip("]") or last


def of_part(graph: Graph, part: Part, marked: Container[str] = ()) -> Picture:
    """The picture of a part.

    Args:
        graph: What rests on what.
        part: Which.
        marked: Nodes whose labels get a mark before them, for which there is to be room.
    """
    users = Counter(other for one in part.members for other in graph.rests_on[one])
    shown = dict.fromkeys(part.members)
    for one, count in users.items():
        if graph.nodes[one].kind != "simulation" or count > 1:
            shown[one] = None
    edges = [
        (other, one)
        for one in part.members
        for other in graph.rests_on[one]
        if other in shown
    ]
    named = {one: label(graph, one, part.paper) for one in shown}
    wider = {one: f"+ {text}" if one in marked else text for one, text in named.items()}
    return _placed(named, edges, wider)


def of_parts(graph: Graph, shown: Sequence[Part]) -> Picture:
    """The picture of all parts: one rests on another where a statement of it does.

    Of parts that rest on each other, the way that fewer statements take is left out.
    """
    part_of = {one: part.name for part in shown for one in part.members}
    counts: Counter[Edge] = Counter()
    for one, part in part_of.items():
        for other in graph.rests_on[one]:
            if other in part_of and part_of[other] != part:
                counts[part_of[other], part] += 1
    strongest = sorted(counts, key=lambda edge: (-counts[edge], edge))
    named = {part.name: part.name.partition(".")[2] for part in shown}
    return _placed(named, without_cycles(strongest)[0])


def _placed(
    named: Mapping[str, str],
    edges: Iterable[Edge],
    wider: Mapping[str, str] | None = None,
) -> Picture:
    wide = named if wider is None else wider
    widths = {one: len(text) * LETTER + PADDING for one, text in wide.items()}
    return Picture(lay_out(widths, edges), named)
