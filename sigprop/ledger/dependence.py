"""The graph of statements: what the verdict on each statement rests on.

The graph is computed from the code and from the texts of the rows.  A statement rests
on another in three cases:

- a form, a route or a proof of it calls the code that derives or proves the other;
- a form, a route or a proof of it computes the other's form;
- its erratum says so.

A statement also rests on the functions that it calls: derivations, simulations, tables
of printed numbers, stored results.  Private functions, constants and code without
content of its own (``FRAME``) are passed through: an edge leads to the next named
definition.

Citations are no edges, because a note may cite a row that rests on its own row.  If a
row repeats an error of another, its verdict still does not depend on the other row.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from sigprop.evidence import nothing_stored, table
from sigprop.judge.basis import Evidence
from sigprop.ledger.calls import Sources, read
from sigprop.ledger.references import mentions
from sigprop.ledger.roots import GRIDS, Walk, result_of
from sigprop.ledger.uses import STORED
from sigprop.numerics.paths import PACKAGE, file_of
from sigprop.theory.claims import Claim, home, registry

Kind = Literal["statement", "derivation", "simulation", "table", "experiment"]
Names = frozenset[str]
PLACES = ("sigprop/theory", "sigprop/evidence", "sigprop/judge/routes.py")
HUB = 1 / 20  # share of all rows; code that more rows use does not link them
FAMILY = 8  # most rows derived by a call whose users rest on all of them

# Code for notation, tables and judging, on which no statement can rest.
FRAME = re.compile(
    r"sigprop\.theory\.(symbols|rows|claims|errata|condition\w*|conventions|derivation|latex|"
    r"mutants|readings?|misprints)\b|sigprop\.theory\.papers\.\w+\.conditions\b|"
    r"sigprop\.(judge\.(?!routes)|numerics|evidence\.(arithmetic|programs|fresh)\b|"
    r"evidence\.(nothing_stored|Load|row|table)\b|evidence\.zucchet\.definitions\b|"
    r"evidence\.kit\.(points|across|also|crossed|entries|each|Points)\b|testing)"
)
WHY = ("lemma", "form", "inherits")  # from the strongest reason to the weakest


@dataclass(frozen=True)
class Node:
    """A statement, or code or data on which statements rest.

    Attributes:
        id: Id of the row, dotted name of the code, or ``experiment:`` with a sweep's
            name.
        kind: Kind of the node.
        file: Path from the folder of the sources; empty for a sweep.
        line: First line in the file.
    """

    id: str
    kind: Kind
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Graph:
    """Nodes by id, and the nodes on which each rests.

    Attributes:
        nodes: Nodes by id; statements in the order of the registry, then code by name.
        rests_on: Ids of the nodes on which a node rests directly, with the reason.
        mentions: Statements that the text of a statement cites or whose error it
            repeats.
        cycles: Cycles of statements.  The edge from the first to the second statement
            was removed.
    """

    nodes: Mapping[str, Node]
    rests_on: Mapping[str, Mapping[str, str]]
    mentions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cycles: tuple[tuple[str, ...], ...] = ()


def build(claims: Mapping[str, Claim] | None = None) -> Graph:
    """The graph of the registry, or of some claims.

    Args:
        claims: By id; all of them unless given.
    """
    claims = registry() if claims is None else claims
    sources = read(PACKAGE.parent, *PLACES)
    roots_of = {row: _Given.of(claim, sources) for row, claim in claims.items()}
    code = _Code(
        sources, frozenset().union(*(each.written for each in roots_of.values()))
    )
    rests: dict[str, dict[str, str]] = {
        row: dict.fromkeys(code.next(each.names), "code")
        for row, each in roots_of.items()
    }
    waiting = [name for reasons in rests.values() for name in reasons]
    while waiting:
        name = waiting.pop()
        if name not in rests:
            rests[name] = dict.fromkeys(code.next(sources.uses(name)), "code")
            waiting.extend(rests[name])
    nodes = {row: _statement(row) for row in claims}
    nodes |= {name: code.node(name) for name in sorted(rests.keys() - claims.keys())}
    links, cycles = acyclic(_links(claims, roots_of, code))
    for row, other, why in links:
        rests[row][other] = why
    cites = {row: mentions(claim, claims) for row, claim in claims.items()}
    ordered = {name: dict(sorted(rests[name].items())) for name in nodes}
    return Graph(nodes, ordered, cites, cycles)


@dataclass(frozen=True)
class _Given:
    """Names that a row uses, and the calls that give its proof, true form and forms."""

    names: Names
    proves: Names
    true: Names
    forms: Names

    @property
    def written(self) -> Names:
        """Functions that only transcribe the forms of the row."""
        bases = (call.partition("(")[0] for call in self.forms)
        return frozenset(
            base for base in bases if base.startswith("sigprop.theory.papers.")
        )

    @classmethod
    def of(cls, claim: Claim, sources: Sources) -> "_Given":
        basis = table(home(claim.id)).get(claim.id)
        basis = basis(nothing_stored) if callable(basis) else basis
        walk = Walk(sources).through(
            claim.derive, claim.printed, claim.corrected, basis
        )
        module = home(claim.id).replace(
            "sigprop.theory.papers.", "sigprop.evidence.", 1
        )
        names = walk.names | sources.uses(f"{module}.EVIDENCE[{claim.id}]")
        proof = basis.proof if isinstance(basis, Evidence) else None

        def results(*forms: object) -> Names:
            calls = (result_of(form, sources) for form in forms)
            return frozenset(call for call in calls if call is not None)

        # Other rows use a wrong printed form only as an example of an error.
        true = claim.printed if claim.correction is None else claim.corrected
        forms = results(claim.printed, claim.corrected)
        return cls(frozenset(names), results(claim.derive, proof), results(true), forms)


class _Code:
    """Definitions as nodes, and paths from each node to the next."""

    def __init__(self, sources: Sources, written: Names = frozenset()) -> None:
        self.sources, self.written = sources, written
        self._definitions: dict[str, str] = {}

    def definition(self, name: str) -> str:
        """The definition at the start of a dotted name; a call stays a call."""
        base, opened, arguments_text = name.partition("(")
        if base not in self._definitions:
            self._definitions[base] = self._find(base)
        return self._definitions[base] + opened + arguments_text

    def _find(self, name: str) -> str:
        if name in self.sources.named or name.startswith(f"{STORED}:"):
            return name
        if "]" in name:
            entry = name[: name.index("]") + 1]
            known = entry in self.sources.named
            return entry if known else self._find(name.partition("[")[0])
        parts = name.split(".")
        for length in range(len(parts), 1, -1):
            shorter = ".".join(parts[:length])
            if shorter in self.sources.named:
                return shorter
            if shorter in self.sources.aliases:
                rest = [self.sources.aliases[shorter], *parts[length:]]
                return self._find(".".join(rest))
        for length in range(len(parts) - 1, 0, -1):
            if PACKAGE.parent.joinpath(*parts[:length]).with_suffix(".py").is_file():
                return ".".join(parts[: length + 1])
        return name

    def kind(self, name: str) -> Kind | None:
        """Return the kind of a definition; None if it is passed through."""
        if name.startswith(f"{STORED}:"):
            return "experiment"
        if FRAME.match(name) or name in self.written:
            return None
        module, _, last = name.rpartition(".")
        if re.fullmatch(r"sigprop\.theory\.papers\.\w+\.printed", module):
            return "table" if re.match(r"TABLE|[A-Z]+\d", last) else None
        if name.startswith(f"{GRIDS}["):
            return "simulation"
        definition = self.sources.named.get(name)
        if (
            last.startswith("_")
            or last.isupper()
            or (definition and not definition.is_code)
        ):
            return None
        if definition is None and not (module.count(".") or last[:1].isupper()):
            return None  # a module
        return "derivation" if name.startswith("sigprop.theory.") else "simulation"

    def node(self, name: str) -> Node:
        """The node of a definition."""
        of = self.kind(name)
        assert of is not None
        definition = self.sources.named.get(name)
        return (
            Node(name, of, definition.file, definition.line)
            if definition
            else Node(name, of)
        )

    def next(self, names: Iterable[str]) -> Iterator[str]:
        """The first nodes that these names lead to, through names that are no nodes."""
        visited: set[str] = set()
        waiting = list(names)
        while waiting:
            name = self.definition(waiting.pop())
            base = name.partition("(")[0]
            is_node = self.kind(base) is not None
            if (base if is_node else name) not in visited:
                visited.add(base if is_node else name)
                if is_node:
                    yield base
                elif not FRAME.match(base):
                    waiting.extend(self.sources.uses(name))

    def reached(self, names: Iterable[str], stop: Mapping[str, object]) -> set[str]:
        """All names and calls that these names lead to, up to the names in ``stop``."""
        visited: set[str] = set()
        waiting = list(names)
        while waiting:
            name = self.definition(waiting.pop())
            if name not in visited:
                base = name.partition("(")[0]
                visited |= {name, base} if base in stop else {name}
                if base not in stop and not FRAME.match(base):
                    waiting.extend(self.sources.uses(name))
        return visited


def _statement(row: str) -> Node:
    return Node(row, "statement", file_of(home(row)))


Link = tuple[str, str, str]  # the first rests on the second, with the reason


def _links(
    claims: Mapping[str, Claim], roots_of: Mapping[str, _Given], code: _Code
) -> Iterator[Link]:
    """Pairs of statements of which the first rests on the second, with the reason."""
    for why in ("lemma", "form"):
        owned: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for row, each in roots_of.items():
            for call in each.proves if why == "lemma" else each.true:
                owned[call.partition("(")[0]][call].append(row)
        for row, each in roots_of.items():
            own = {
                call.partition("(")[0]
                for call in (each.proves if why == "lemma" else each.true)
            }
            stop = {name: calls for name, calls in owned.items() if name not in own}
            reached = code.reached(each.names, stop)
            for name in sorted(reached & stop.keys()):
                calls = owned[name]
                used = calls if len(calls) == 1 else calls.keys() & reached
                for call in sorted(used):
                    if len(calls[call]) <= FAMILY:
                        yield from ((row, other, why) for other in calls[call])
    for row, claim in claims.items():
        if claim.erratum is not None:
            inheriting = (i for i in claim.erratum.inherits if i in claims)
            yield from ((other, row, "inherits") for other in inheriting)


def acyclic(links: Iterable[Link]) -> tuple[list[Link], tuple[tuple[str, ...], ...]]:
    """Links without cycles, and the cycles that were removed.

    In each cycle the weakest link is removed.  Links are sorted by strength (``WHY``)
    and then by id, so that the result does not depend on the order of ``links``.
    """
    acyclic_links: list[Link] = []
    cycles = []
    on: dict[str, list[str]] = defaultdict(list)
    for row, other, why in sorted(
        set(links), key=lambda link: (WHY.index(link[2]), *link[:2])
    ):
        if row == other or other in on[row]:
            continue
        on[row].append(other)
        try:
            TopologicalSorter(on).prepare()
        except CycleError as error:
            on[row].remove(other)
            back = error.args[1][:0:-1]  # each node rests on the next
            start = back.index(row)
            cycles.append((*back[start:], *back[:start]))
        else:
            acyclic_links.append((row, other, why))
    return acyclic_links, tuple(cycles)


def statements(graph: Graph, names: Iterable[str]) -> tuple[str, ...]:
    """The statements among some nodes, in the graph's order."""
    rows = dict.fromkeys(i for i in names if graph.nodes[i].kind == "statement")
    return tuple(row for row in graph.nodes if row in rows) if rows else ()


def carried(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Map every node to the nodes that rest on it directly."""
    dependants: dict[str, list[str]] = {name: [] for name in graph.nodes}
    for name, on in graph.rests_on.items():
        for other in on:
            dependants[other].append(name)
    return {name: tuple(others) for name, others in dependants.items()}


def falls(
    graph: Graph, node: str, on: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[str, ...]:
    """The statements that rest on a node, directly or indirectly.

    Their verdicts are no longer supported if the node is wrong.

    Args:
        graph: Graph of statements.
        node: Id of the node.
        on: Result of ``carried``, which saves time for many nodes.

    Raises:
        KeyError: If there is no such node.
    """
    if node not in graph.nodes:
        raise KeyError(f"need a node of the graph, got {node!r}")
    on = carried(graph) if on is None else on
    fallen = {node}
    waiting = [node]
    for name in waiting:
        fresh = [other for other in on[name] if other not in fallen]
        fallen.update(fresh)
        waiting.extend(fresh)
    return statements(graph, fallen - {node})


def linked(graph: Graph) -> tuple[str, ...]:
    """The statements that are linked with another statement.

    Two statements are linked if one rests on the other or cites it.  They are also
    linked if both rest, directly or indirectly, on the same code, table or stored
    result.  Code that more than the share ``HUB`` of all statements use does not count.
    """
    rows = statements(graph, graph.nodes)
    by_code = {row: _code_below(graph, row) for row in rows}
    users = Counter(name for names in by_code.values() for name in names)
    shared = {name for name, count in users.items() if 1 < count <= HUB * len(rows)}
    on = neighbours(graph)
    cited = {other for others in graph.mentions.values() for other in others}
    return tuple(
        row
        for row in rows
        if any(on[row])
        or graph.mentions.get(row)
        or row in cited
        or by_code[row] & shared
    )


def _code_below(graph: Graph, row: str) -> set[str]:
    """Code and data on which a statement rests directly or indirectly.

    Paths through other statements do not count.
    """
    code: set[str] = set()
    waiting = [row]
    while waiting:
        for other in graph.rests_on[waiting.pop()]:
            if other not in code and graph.nodes[other].kind != "statement":
                code.add(other)
                waiting.append(other)
    return code


def neighbours(graph: Graph) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Map statements to those on which they rest, and to those that rest on them."""
    on = carried(graph)
    return {
        row: (statements(graph, graph.rests_on[row]), statements(graph, on[row]))
        for row, node in graph.nodes.items()
        if node.kind == "statement"
    }
