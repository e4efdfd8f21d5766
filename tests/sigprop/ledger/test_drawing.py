"""Layered drawings: their laws, on graphs drawn at random and on a few by hand."""

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop.ledger.cycles import without_cycles
from sigprop.ledger.drawing import GAP, HEIGHT, lay_out, reduced

NODES = [f"n{n}" for n in range(12)]
PAIRS = list(combinations(NODES, 2))
GRAPHS = st.lists(st.sampled_from(PAIRS), unique=True, max_size=25)
WIDTHS = st.lists(st.floats(20, 300), min_size=len(NODES), max_size=len(NODES))


def ends(path):
    numbers = [float(word) for word in re.findall(r"-?[\d.]+(?:e[-+]\d+)?", path)]
    return numbers[:2], numbers[-2:]


@given(GRAPHS, WIDTHS)
def test_boxes_lie_apart_inside_the_picture_and_edges_lead_right(edges, widths):
    drawn = lay_out(dict(zip(NODES, widths, strict=True)), edges)
    assert drawn.boxes.keys() == set(NODES)
    for one, other in combinations(drawn.boxes.values(), 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert beside or abs(one.y - other.y) >= HEIGHT + GAP - 1
    for box in drawn.boxes.values():
        assert 0 <= box.x <= box.x + box.width <= drawn.width
        assert HEIGHT / 2 <= box.y <= drawn.height - HEIGHT / 2
    assert drawn.paths.keys() == set(reduced(NODES, edges))
    for (one, other), path in drawn.paths.items():
        left, right = drawn.boxes[one], drawn.boxes[other]
        assert left.x + left.width < right.x
        (x, y), (u, v) = ends(path)
        assert (x, y) == pytest.approx((left.x + left.width, left.y), rel=1e-4)
        assert (u, v) == pytest.approx((right.x, right.y), rel=1e-4)


@given(GRAPHS)
def test_a_reduced_graph_reaches_what_the_whole_does(edges):
    def reach(kept):
        found = {one: {one} for one in NODES}
        for one in reversed(NODES):
            for start, end in kept:
                if start == one:
                    found[one] |= found[end]
        return found

    kept = reduced(NODES, edges)
    assert reach(kept) == reach(edges)
    for edge in kept:
        assert reach([one for one in kept if one != edge]) != reach(edges)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"))))
def test_without_cycles_nothing_more_than_needed_is_left_out(pairs):
    kept, cycles = without_cycles(pairs)
    reduced("abcd", kept)  # which refuses a cycle
    proper = dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])
    left_out = {(cycle[0], cycle[1]) for cycle in cycles}
    assert {*proper} == {*kept} | left_out
    assert not {*kept} & left_out
    for cycle in cycles:
        steps = [*zip(cycle, [*cycle[1:], cycle[0]], strict=True)]
        assert {*steps[1:]} <= {*kept}


def test_a_longer_way_replaces_an_edge():
    assert reduced("abc", [("a", "b"), ("b", "c"), ("a", "c")]) == [
        ("a", "b"),
        ("b", "c"),
    ]


def test_a_chain_is_one_straight_row_and_a_node_alone_stands_below():
    drawn = lay_out(dict.fromkeys("abcd", 50.0), [("a", "b"), ("b", "c")])
    a, b, c, d = (drawn.boxes[one] for one in "abcd")
    assert a.y == b.y == c.y < d.y
    assert a.x < b.x < c.x


def test_no_band_is_left_empty_between_parts_that_do_not_touch():
    edges = [("a", "c"), ("b", "c"), ("d", "e"), ("f", "g"), ("g", "h"), ("d", "h")]
    drawn = lay_out(dict.fromkeys("abcdefgh", 50.0), edges)
    heights = sorted({box.y for box in drawn.boxes.values()})
    assert all(b - a <= HEIGHT + GAP for a, b in pairwise(heights))


def test_nothing_is_drawn_of_nothing():
    assert lay_out({}, []).boxes == {}
    assert lay_out({}, []).width == 0


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([("a", "b"), ("b", "c"), ("c", "b")], "without a cycle, got one .* of b, c"),
        ([("a", "x")], "between the nodes, got 'a' to 'x'"),
    ],
)
def test_what_cannot_be_layered_is_refused(edges, words):
    with pytest.raises(ValueError, match=words):
        lay_out(dict.fromkeys("abc", 50.0), edges)
