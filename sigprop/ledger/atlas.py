"""The graph in pieces that a page can show: a picture a part of a paper, and one of parts.

A picture of a part has its statements, the statements elsewhere that they rest on, every
derivation, table and stored result that they call, and the simulations that at least two
of them share: what judges one row alone would be one more box beside it.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sigprop.ledger.cycles import without_cycles
from sigprop.ledger.dependence import Graph, statements
from sigprop.ledger.drawing import Edge, Layout, lay_out
from sigprop.theory.claims import PAPERS, home, leaves

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
    for one in statements(graph, graph.nodes.keys() & set(ids)):
        members[home(one)].append(one)
    papers = {module.split(".")[3] for module in members}
    modules = (leaf for paper in PAPERS if paper in papers for leaf in leaves(paper))
    found = []
    for leaf in modules:
        if leaf.__name__ in members:
            name = leaf.__name__.removeprefix("sigprop.theory.papers.")
            paper, title = name.partition(".")[0], _title(leaf.__doc__ or name)
            found.append(Part(name, paper, title, tuple(members[leaf.__name__])))
    return found


def _title(text: str) -> str:
    """The first line of a module, without the paper that its page names already."""
    line = text.splitlines()[0].rstrip(".")
    return line.partition("), ")[2] or line


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
    named = {part.name: part.name.replace(".", " ", 1) for part in shown}
    return _placed(named, without_cycles(strongest)[0])


def _placed(
    named: Mapping[str, str],
    edges: Iterable[Edge],
    wider: Mapping[str, str] | None = None,
) -> Picture:
    wide = named if wider is None else wider
    widths = {one: len(text) * LETTER + PADDING for one, text in wide.items()}
    return Picture(lay_out(widths, edges), named)
