"""The graph of statements: what each verdict rests on, taken from the code and the words.

A statement rests on another if a form, a route or a proof of it calls what derives or
proves the other, or computes the other's form; or if its erratum says so.  It rests on
the functions that it calls: derivations, simulations, tables of printed numbers, stored
results.  Functions that a module keeps to itself, constants, and what only notes or
arranges are passed through, so that an edge leads to the next thing with a name.
Citations are kept apart: a note may cite what rests on its row, and a row that repeats the
fault of another is not judged by it.
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
HUB = 1 / 20  # share of all rows; code that more of them reach links none of them
FAMILY = 8  # rows that one call may derive, if its callers are to rest on all of them

# What notes, arranges or judges, and has no content that a verdict could rest on.
FRAME = re.compile(
    r"sigprop\.theory\.(symbols|rows|claims|errata|condition\w*|conventions|derivation|latex|"
    r"mutants|readings?|misprints)\b|sigprop\.theory\.papers\.\w+\.conditions\b|"
    r"sigprop\.(judge\.(?!routes)|numerics|evidence\.(arithmetic|programs|fresh)\b|"
    r"evidence\.(nothing_stored|Load|row|table)\b|evidence\.zucchet\.definitions\b|"
    r"evidence\.kit\.(points|across|also|crossed|entries|each|Points)\b|testing)"
)
WHY = ("lemma", "form", "inherits")  # from strong to weak


@dataclass(frozen=True)
class Node:
    """A statement, or something that statements rest on.

    Attributes:
        id: Of the row; of code its dotted name; ``experiment:`` and a sweep's name.
        kind: What it is.
        file: Where it is written, from the folder of the sources; none of a sweep.
        line: Its first there.
    """

    id: str
    kind: Kind
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Graph:
    """Nodes by id, and what each rests on.

    Attributes:
        nodes: By id; statements in the order of the registry, then all else by name.
        rests_on: Of a node the ids of those that it rests on directly, and why.
        mentions: Of a statement those that its words cite, and whose fault it repeats.
        cycles: Statements that would rest on themselves, each with the edge that was
            left out for it, from its first to its second.
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
    """What a row names, the calls that give what it proves, its true form, and all forms."""

    names: Names
    proves: Names
    true: Names
    forms: Names

    @property
    def written(self) -> Names:
        """Functions that transcribe its forms, and are no more than the row itself."""
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

        # What is wrong as printed serves others as an example of an error, no more.
        true = claim.printed if claim.correction is None else claim.corrected
        forms = results(claim.printed, claim.corrected)
        return cls(frozenset(names), results(claim.derive, proof), results(true), forms)


class _Code:
    """Definitions as nodes, and the way from each to the next."""

    def __init__(self, sources: Sources, written: Names = frozenset()) -> None:
        self.sources, self.written = sources, written
        self._definitions: dict[str, str] = {}

    def definition(self, name: str) -> str:
        """The definition that a dotted name begins with; of a call, the call of it."""
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
        """The nodes that these names lead to, through what is none."""
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
        """All that these names lead to, calls too; not beyond the names in ``stop``."""
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


Link = tuple[str, str, str]  # what rests, on what, and why


def _links(
    claims: Mapping[str, Claim], roots_of: Mapping[str, _Given], code: _Code
) -> Iterator[Link]:
    """Which statements rest on which."""
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
    """Links without those that would close a cycle, the weakest of it; and the cycles.

    The strong come first, in the order of ``WHY``, then in that of the ids, so that which
    one is left out does not depend on the order in which they are found.
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
            back = error.args[1][:0:-1]  # from each to what it rests on
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
    """Of every node those that rest on it directly."""
    dependants: dict[str, list[str]] = {name: [] for name in graph.nodes}
    for name, on in graph.rests_on.items():
        for other in on:
            dependants[other].append(name)
    return {name: tuple(others) for name, others in dependants.items()}


def falls(
    graph: Graph, node: str, on: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[str, ...]:
    """The statements that fall if a node is wrong, however indirectly they rest on it.

    Args:
        graph: What rests on what.
        node: Its name.
        on: What ``carried`` gives of the graph, where many nodes are asked for.

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
    """The statements that something links with another, hubs apart.

    A link is that one rests on the other or cites it, or that both rest, however
    indirectly, on the same code, table or stored result, of which at most the share
    ``HUB`` of all statements does.
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
    """What a statement rests on, however indirectly, without other statements."""
    code: set[str] = set()
    waiting = [row]
    while waiting:
        for other in graph.rests_on[waiting.pop()]:
            if other not in code and graph.nodes[other].kind != "statement":
                code.add(other)
                waiting.append(other)
    return code


def neighbours(graph: Graph) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of every statement the statements that it rests on, and those that rest on it."""
    on = carried(graph)
    return {
        row: (statements(graph, graph.rests_on[row]), statements(graph, on[row]))
        for row, node in graph.nodes.items()
        if node.kind == "statement"
    }
