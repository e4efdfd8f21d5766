"""Directed graphs without cycles, by leaving out as little as comes last."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

Pair = tuple[str, str]


def without_cycles(pairs: Iterable[Pair]) -> tuple[list[Pair], list[tuple[str, ...]]]:
    """Edges in their order, without those that close a cycle with earlier ones.

    Args:
        pairs: Edges, the most important first; an edge from a node to itself is no edge.

    Returns:
        What is kept, and the cycles, each from the first node of the edge left out along
        that edge.

    Example:
        >>> without_cycles([("a", "b"), ("b", "c"), ("c", "a")])
        ([('a', 'b'), ('b', 'c')], [('c', 'a', 'b')])
    """
    kept: dict[str, dict[str, None]] = defaultdict(dict)
    cycles = []
    for one, other in pairs:
        if one == other or other in kept[one]:
            continue
        back = _path(kept, other, one)
        if back:
            cycles.append((one, *back[:-1]))
        else:
            kept[one][other] = None
    return [(one, other) for one, on in kept.items() for other in on], cycles


def _path(
    edges: Mapping[str, Mapping[str, None]], start: str, end: str
) -> list[str] | None:
    """Nodes from one to another along edges; none if there is no way."""
    before = {start: ""}
    waiting = [start]
    for name in waiting:
        if name == end:
            break
        for other in edges.get(name, {}):
            if other not in before:
                before[other] = name
                waiting.append(other)
    else:
        return None
    way = [end]
    while before[way[0]]:
        way.insert(0, before[way[0]])
    return way
