"""What verdicts rest on: the graph of the registry, and graphs of a few nodes."""

import functools
import itertools
from graphlib import TopologicalSorter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop.evidence import table
from sigprop.ledger import dependence
from sigprop.ledger.dependence import Graph, Node, acyclic, falls, linked, neighbours
from sigprop.ledger.references import cited
from sigprop.theory.claims import home, registry
from sigprop.theory.errata import CLASSES

WITHOUT_VALUE = ("definition", "not-checkable")


@functools.cache
def graph() -> Graph:
    return dependence.build()


def few(rests_on, mentions=(), code=()):
    """A graph of single letters, which are statements unless they are code."""
    names = sorted({*rests_on, *itertools.chain(*rests_on.values())})
    nodes = {
        name: Node(name, "simulation" if name in code else "statement")
        for name in names
    }
    on = {name: dict.fromkeys(rests_on.get(name, ""), "lemma") for name in names}
    return Graph(nodes, on, dict(mentions))


def test_at_least_95_percent_of_the_rows_with_a_truth_value_are_linked():
    valued = [c.id for c in registry().values() if c.expected not in WITHOUT_VALUE]
    share = len({*linked(graph())} & {*valued}) / len(valued)
    assert share >= 0.95
    assert share < 1  # so that a hub that links all of them is noticed


def test_what_nearly_all_rest_on_links_nothing():
    rows = [f"{n:03}" for n in range(100)]
    for count, some in ((100, ()), (6, ()), (5, tuple(rows[:5])), (1, ())):
        users = {name: ["z"] if int(name) < count else [] for name in rows}
        assert linked(few(users, code="z")) == some


def test_a_dependence_and_a_citation_link_both_ends():
    assert linked(few({"a": "b", "c": ""})) == ("a", "b")
    assert linked(few({"a": "", "b": "", "c": ""}, {"a": ("c",)})) == ("a", "c")


def test_notation_and_tables_of_points_are_no_nodes():
    frame = (
        "sigprop.theory.symbols.",
        "sigprop.evidence.kit.points",
        "sigprop.judge.basis.",
    )
    assert not [node for node in graph().nodes if node.startswith(frame)]


@pytest.mark.parametrize(
    ("first", "other", "why"),
    [
        ("zucchet:59", "zucchet:34", "lemma"),  # the moment calls Lemma 1
        ("zucchet:59", "zucchet:49", "lemma"),  # and the kernel of the sensitivity
        ("zucchet:60", "zucchet:49", "lemma"),
        ("zucchet:59", "sigprop.judge.routes.QUANTITIES[sensitivity]", "code"),
        ("zucchet:59", "sigprop.theory.diagonal.moment", "code"),
        ("zucchet:fig3", "experiment:memory_gap", "code"),
        ("lru:table7", "sigprop.evidence.lru.accuracies.least_gain", "code"),
        (
            "sigprop.evidence.lru.accuracies.row",
            "sigprop.theory.papers.lru.printed.TABLES",
            "code",
        ),
    ],
)
def test_a_verdict_rests_on_what_its_code_calls(first, other, why):
    assert graph().rests_on[first][other] == why


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("zucchet:45", "zucchet:53"),  # the state has no use for the sensitivity
        ("zucchet:45", "zucchet:39"),
        ("zucchet:134", "zucchet:59"),  # whose fault it repeats
        ("zucchet:59", "zucchet:134"),
        ("zucchet:59", "sigprop.theory.papers.zucchet.forms.eq_59"),  # the row itself
        ("zucchet:59", "sigprop.theory.symbols.rho"),
    ],
)
def test_a_verdict_does_not_rest_on_what_is_named_in_vain(first, other):
    assert other not in graph().rests_on[first]


def test_who_repeats_a_fault_cites_its_root():
    assert "zucchet:59" in graph().mentions["zucchet:134"]


def test_every_statement_is_a_node_and_every_edge_ends_at_one():
    nodes = graph().nodes
    assert list(nodes)[: len(registry())] == list(registry())
    assert {other for on in graph().rests_on.values() for other in on} <= nodes.keys()
    assert all(node.file for node in nodes.values() if node.kind == "statement")


def test_what_judges_a_row_reaches_the_graph():
    bare = [
        claim_id
        for claim_id, claim in registry().items()
        if table(home(claim_id)).get(claim_id) is not None
        and claim.expected not in WITHOUT_VALUE
        and not graph().rests_on[claim_id]
    ]
    assert len(bare) <= 0.05 * len(registry()), bare


def test_errata_say_what_falls():
    errata = [c for c in registry().values() if c.erratum is not None]
    assert {c.erratum.letter for c in errata} <= CLASSES.keys()
    for claim in errata:
        fallen = falls(graph(), claim.id)
        assert claim.id not in fallen
        declared = {i for i in claim.erratum.inherits if i in registry()}
        dropped = {c[0] for c in graph().cycles if c[1] == claim.id}
        assert declared <= {*fallen, *dropped, claim.id}


def test_what_falls_is_found_through_code_and_statements():
    chain = few({"a": "x", "x": "b", "b": "y", "c": "b", "d": ""}, code="xy")
    assert falls(chain, "y") == ("a", "b", "c")
    assert falls(chain, "b") == ("a", "c")
    assert falls(chain, "d") == ()
    with pytest.raises(KeyError, match="need a node of the graph, got 'e'"):
        falls(chain, "e")


def test_neighbours_are_statements_alone():
    near = neighbours(few({"a": "bx", "c": "a", "x": ""}, code="x"))
    assert near == {"a": (("b",), ("c",)), "b": ((), ("a",)), "c": (("a",), ())}


def test_a_cycle_is_reported_and_broken_at_its_weakest_edge():
    links = [("a", "b", "lemma"), ("b", "c", "inherits"), ("c", "a", "form")]
    for order in itertools.permutations(links):
        edges, cycles = acyclic(order)
        assert sorted(edges) == [links[0], links[2]]
        assert cycles == (("b", "c", "a"),)


NAMES = st.sampled_from("abcd")
LINKS = st.lists(st.tuples(NAMES, NAMES, st.sampled_from(dependence.WHY)))


@given(LINKS)
def test_of_links_in_cycles_nothing_more_than_needed_is_left_out(links):
    edges, cycles = acyclic(links)
    rests = {
        row: [other for start, other, _ in edges if start == row] for row in "abcd"
    }
    TopologicalSorter(rests).prepare()  # which refuses a cycle
    pairs = {(first, other) for first, other, _ in edges}
    left_out = {(cycle[0], cycle[1]) for cycle in cycles}
    assert {
        (first, other) for first, other, _ in links if first != other
    } == pairs | left_out
    assert not pairs & left_out
    for cycle in cycles:
        assert {*itertools.pairwise([*cycle[1:], cycle[0]])} <= pairs


def test_a_cycle_of_equal_edges_is_broken_by_the_order_of_the_ids():
    links = [("b", "a", "lemma"), ("a", "b", "lemma"), ("a", "a", "lemma")]
    for order in itertools.permutations(links):
        assert acyclic(order) == ([("a", "b", "lemma")], (("b", "a"),))


def test_statements_rest_on_none_that_rests_on_them():
    near = neighbours(graph())
    done: set[str] = set()
    while ready := [i for i in near if i not in done and done.issuperset(near[i][0])]:
        done.update(ready)
    assert done == near.keys()
    assert all(len(set(cycle)) == len(cycle) > 1 for cycle in graph().cycles)


def test_the_graph_is_the_same_each_time():
    assert dependence.build() == graph()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("As of zucchet:45: R_x", ["zucchet:45"]),
        ("see zucchet:text:divergence.", ["zucchet:text:divergence"]),
        (
            "Eq. 58 to 61 start from Eq. 55",
            [f"zucchet:{n}" for n in (58, 59, 60, 61, 55)],
        ),
        ("Eq. 5, 6 and 60", ["zucchet:5", "zucchet:6", "zucchet:60"]),
        ("Lemma 1 asks", ["zucchet:lemma1"]),
        ("Figure 8", ["zucchet:fig8"]),
        ("Eq. 134 of Orvieto, and Eq. 9999", []),
        ("at 5:45 or nothing:45", []),
    ],
)
def test_words_cite_rows_by_id_and_by_number(text, ids):
    assert list(cited(text, registry(), "zucchet")) == ids
