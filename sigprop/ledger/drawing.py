"""Layered drawings of small graphs without cycles: what is rested on stands on the left.

Sugiyama's way: layers by the longest path, points where a long edge crosses a layer,
orders within layers by the mean of the neighbours (Sugiyama, Tagawa and Toda 1981).
All choices follow the order of the nodes given, so that the same graph is drawn the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

HEIGHT, GAP, SPREAD = 26, 10, 56  # of a box, between boxes, between layers
MARGIN = GAP
SWEEPS = 8
Edge = tuple[str, str]  # what is rested on, and what rests


@dataclass(frozen=True)
class Box:
    """Where a node is drawn: its left end, its middle line, its width."""

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Layout:
    """A drawing: boxes by node, a path in SVG's words by edge, and its size."""

    boxes: Mapping[str, Box]
    paths: Mapping[Edge, str]
    width: float
    height: float


def lay_out(widths: Mapping[str, float], edges: Iterable[Edge]) -> Layout:
    """Place the nodes of a graph.

    Nodes without an edge stand below the others, side by side.

    Args:
        widths: Of the boxes by node, in pixels.
        edges: Between nodes, each once.

    Raises:
        ValueError: If an edge ends at no node, or the edges close a cycle.
    """
    edges = reduced(widths, edges)
    joined = {end for edge in edges for end in edge}
    layers = _layers([one for one in widths if one in joined], edges)
    chains = _chains(layers, edges)
    columns = _ordered(layers, chains)
    middles = _middles(columns, chains)
    boxes, left = {}, float(MARGIN)
    ends: list[tuple[float, float]] = []
    for column in columns:
        wide = max(widths.get(one, 0) for one in column)
        ends.append((left, left + wide))
        for one in column:
            if one in widths:
                boxes[one] = Box(left, middles[one], widths[one])
        left += wide + SPREAD
    depth = {one: place for place, column in enumerate(columns) for one in column}
    paths = {
        (chain[0], chain[-1]): _path(
            [_port(one, boxes, middles, ends[depth[one]]) for one in chain]
        )
        for chain in chains
    }
    width = max([left - SPREAD + MARGIN, 0.0]) if boxes else 0.0
    height = max([m + HEIGHT / 2 + MARGIN for m in middles.values()], default=0.0)
    alone = {one: widths[one] for one in widths if one not in joined}
    return _beside(Layout(boxes, paths, width, height), alone)


def reduced(nodes: Iterable[str], edges: Iterable[Edge]) -> list[Edge]:
    """The edges without those that a longer way replaces.

    Raises:
        ValueError: If an edge ends at no node, or the edges close a cycle.
    """
    known, edges = dict.fromkeys(nodes), list(dict.fromkeys(edges))
    above: dict[str, list[str]] = defaultdict(list)
    for one, other in edges:
        if one not in known or other not in known:
            raise ValueError(f"need edges between the nodes, got {one!r} to {other!r}")
        above[one].append(other)
    reach: dict[str, set[str]] = {}
    for one in reversed(_sorted(list(known), edges)):
        reach[one] = set().union(above[one], *(reach[other] for other in above[one]))
    return [
        (one, other)
        for one, other in edges
        if not any(other in reach[between] for between in above[one])
    ]


def _sorted(nodes: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """The nodes, each behind all that it rests on."""
    waits = dict.fromkeys(nodes, 0)
    above: dict[str, list[str]] = defaultdict(list)
    for one, other in edges:
        waits[other] += 1
        above[one].append(other)
    ready = [one for one in nodes if not waits[one]]
    for one in ready:
        for other in above[one]:
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    if len(ready) < len(nodes):
        left = ", ".join(one for one in nodes if waits[one])
        raise ValueError(f"need edges without a cycle, got one through some of {left}")
    return ready


def _layers(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """The layer of each node: behind all it rests on, close to what rests on it."""
    below, above = defaultdict(list), defaultdict(list)
    for one, other in edges:
        below[other].append(one)
        above[one].append(other)
    layers: dict[str, int] = {}
    order = _sorted(nodes, edges)
    for one in order:
        layers[one] = 1 + max((layers[other] for other in below[one]), default=-1)
    for one in reversed(order):
        if above[one]:
            layers[one] = min(layers[other] for other in above[one]) - 1
    return {one: layers[one] for one in nodes}


def _chains(layers: Mapping[str, int], edges: Sequence[Edge]) -> list[list[str]]:
    """Each edge as its ends with a point on every layer between them."""
    return [
        [
            one,
            *(f"{one}\n{other}\n{n}" for n in range(layers[one] + 1, layers[other])),
            other,
        ]
        for one, other in edges
    ]


def _ordered(
    layers: Mapping[str, int], chains: Sequence[Sequence[str]]
) -> list[list[str]]:
    """The columns from left to right, in an order with few crossings."""
    depth = dict(layers)
    near: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for chain in chains:
        for place, one in enumerate(chain):
            depth.setdefault(one, layers[chain[0]] + place)
        for one, other in pairwise(chain):
            near[other][0].append(one)
            near[one][1].append(other)
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for one, layer in depth.items():
        columns[layer].append(one)
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        for column in columns if forth else reversed(columns):
            place = {one: n for each in columns for n, one in enumerate(each)}
            rank = {
                one: _mean([place[o] for o in near[one][not forth]], place[one])
                for one in column
            }
            column.sort(key=rank.__getitem__)
    return columns


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _middles(
    columns: Sequence[Sequence[str]], chains: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Heights of the middles: near those of the neighbours, in the order of the columns."""
    near: dict[str, list[str]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            near[one].append(other)
            near[other].append(one)
    step = HEIGHT + GAP
    middles = {one: float(n * step) for each in columns for n, one in enumerate(each)}
    for _ in range(SWEEPS):
        for column in columns:
            wish = [
                _mean([middles[o] for o in near[one]], middles[one]) for one in column
            ]
            middles |= zip(column, _apart(wish, step), strict=True)
    return _closer(middles, step)


def _closer(middles: Mapping[str, float], step: float) -> dict[str, float]:
    """The heights without bands that are empty across the whole picture."""
    moved: dict[float, float] = {}
    before, at = 0.0, MARGIN + HEIGHT / 2 - step
    for height in sorted(set(middles.values())):
        at += min(height - before, step) if moved else step
        moved[height], before = at, height
    return {one: round(moved[middle], 1) for one, middle in middles.items()}


def _apart(wish: Sequence[float], step: float) -> list[float]:
    """The heights closest to those wished, in squares, that keep a step between them.

    Neighbours that would come too close move as one block, to the mean of their wishes.
    """
    blocks: list[tuple[float, int]] = []  # sum of the wishes less the steps, and count
    for place, height in enumerate(wish):
        total, count = height - place * step, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before, more = blocks.pop()
            total, count = total + before, count + more
        blocks.append((total, count))
    even = [total / count for total, count in blocks for _ in range(count)]
    return [height + place * step for place, height in enumerate(even)]


def _port(
    one: str,
    boxes: Mapping[str, Box],
    middles: Mapping[str, float],
    ends: tuple[float, float],
) -> tuple[float, float, float]:
    """Left end, right end and height of a node, or of an edge that crosses its layer."""
    box = boxes.get(one)
    if box is None:
        return (*ends, middles[one])
    return box.x, box.x + box.width, box.y


def _path(ports: Sequence[tuple[float, float, float]]) -> str:
    """A curve from port to port, level where it leaves and where it arrives."""
    words = [f"M{ports[0][1]:g} {ports[0][2]:g}"]
    for (left, right, y), (_, before, was) in zip(ports[1:], ports, strict=False):
        half = (before + left) / 2
        words.append(f"C{half:g} {was:g} {half:g} {y:g} {left:g} {y:g}")
        if right > left and (left, right, y) != ports[-1]:
            words.append(f"H{right:g}")
    return "".join(words)


def _beside(drawn: Layout, alone: Mapping[str, float]) -> Layout:
    """The drawing with nodes without edges below it, in rows."""
    wide = max(drawn.width, 640.0)
    boxes, left, y = dict(drawn.boxes), float(MARGIN), drawn.height + HEIGHT / 2
    y += 0 if drawn.height else MARGIN
    for one, width in alone.items():
        if left > MARGIN and left + width > wide - MARGIN:
            left, y = float(MARGIN), y + HEIGHT + GAP
        boxes[one] = Box(left, y, width)
        left += width + GAP
    right = max((box.x + box.width + MARGIN for box in boxes.values()), default=0.0)
    height = y + HEIGHT / 2 + MARGIN if alone else drawn.height
    return Layout(boxes, drawn.paths, max(drawn.width, right), height)
