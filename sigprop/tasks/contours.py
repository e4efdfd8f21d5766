"""Pictures of the Pathfinder task: are two marked tips on the same dashed contour?

Two target contours grow side by side, shorter distractors fill the space that is left, and
discs mark two tips.  A picture is a function of seed and index alone.  What the original
generator does by accident is kept, for it shapes the data; what it computes in vain is not:
a contour's first pixels are listed once for each direction, occupancy is dilated only where
it changed, and nothing is painted before all contours have grown.

Source: the generator of Linsley et al. (2018) and Kim et al. (2020), with the parameters of
the long-range benchmark, Tay et al. (2021), Section 2.2.5.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int, UInt8

from sigprop.numerics.seeds import require_seed
from sigprop.tasks.stamps import (
    FULL,
    Paddle,
    Table,
    free_pixels,
    marker,
    move,
    table,
)

TAKEN = 0.3 * FULL  # above it a pixel is not free
CLASH = 1.8 * FULL  # of the sum of two masks
LEAST = 1e-4 * FULL  # sum of the candidates' weights
CROWDED = 0.01  # share of free pixels
SEED_TRIES = 3
PATIENCE = 1_000_000  # pairs; some need thousands


@final
@dataclass(frozen=True)
class Rules:
    """Rules by which a picture is drawn; lengths are in pixels.

    Attributes:
        window: Side of the picture.
        length: Length of a paddle, the dash of a contour.
        thickness: Thickness of a paddle.
        margins: Around a paddle, one drawn for each picture.
        paddles: Paddles of a target contour.
        distractors: Contours that are tried beside the targets.
        distractor_paddles: Distractor paddles of a distractor.
        continuity: How straight contours are.
        seed_distance: Between the targets' first tips.
        marker_radius: Marker radius of the discs.
        contrast: Contrast of distractors.
        paddle_contrast: Paddle contrast of targets, relative to distractors.
        antialias: Fine pixels in one.
        padding: Width of the frame that is kept free.
        paddle_retries: Paddle retries of one paddle, after the first try.
        distractor_retries: Distractor retries of one distractor, after the first try.

    Raises:
        ValueError: If there is no margin, no frame, fewer than two paddles or no space to
            begin, or a paddle cannot be drawn.
    """

    window: int
    length: int
    thickness: float
    margins: tuple[int, ...]
    distractors: int
    continuity: float
    seed_distance: int
    marker_radius: float
    contrast: float
    paddle_contrast: float = 1.0
    paddles: int = 14
    distractor_paddles: int = 4
    antialias: int = 2
    padding: int = 1
    paddle_retries: int = 2
    distractor_retries: int = 4

    def __post_init__(self) -> None:
        if not self.margins or min(self.paddles, self.distractor_paddles) < 2:
            raise ValueError(f"need a margin and two paddles or more, got {self}")
        if self.padding < 1 or self.window <= 4 * self.seed_distance:
            raise ValueError(
                "need padding >= 1 and window > 4 seed_distance, got "
                f"{self.padding}, {self.window} and {self.seed_distance}"
            )
        for margin in self.margins:
            self.paddle(margin)

    def paddle(self, margin: int) -> Paddle:
        """The dash, with one of the margins."""
        return Paddle(self.length, self.thickness, margin, self.antialias)

    def table(self, margin: int) -> Table:
        """The directions of the dash, with one of the margins."""
        return table(self.paddle(margin), self.continuity)


PATHFINDER_32 = Rules(32, 2, 0.5, (1,), 5, 1.0, 7, 1.5, 2.0, 0.75)
PATHFINDER_16 = Rules(16, 2, 0.5, (1,), 2, 1.0, 3, 1.0, 2.0, 0.75, 5, 2)
PATHFINDER_64 = Rules(64, 5, 1.0, (1,), 5, 1.8, 12, 2.5, 0.8)
PATH_X = Rules(128, 5, 1.5, (2, 3), 8, 1.8, 20, 3.0, 0.9)


class Segment(NamedTuple):
    """A paddle in the picture: its outer tip, and its direction in the table."""

    row: int
    column: int
    direction: int


class Picture(NamedTuple):
    """One example, and how it came about.

    Attributes:
        image: Bytes from 0 to 255.
        label: One if both markers are on one contour.
        markers: Rows and columns of the two discs.
        targets: The two contours, segments from the first tip to the last.
        distractors: The other contours.
        margin: The one drawn.
    """

    image: UInt8[np.ndarray, "window window"]
    label: int
    markers: list[tuple[int, int]]
    targets: list[list[Segment]]
    distractors: list[list[Segment]]
    margin: int


# --- growth -------------------------------------------------------------------------


class _Field:
    """Occupancy of the pixels, and what a margin around each leaves free, in 255ths.

    What is outside counts as taken.  The frame makes sure that this changes nothing.
    """

    def __init__(self, rules: Rules, lookup: Table) -> None:
        pad = lookup.pad
        outer, far = pad + rules.padding, pad + rules.padding + lookup.paddle.margin
        side = rules.window + 2 * pad
        self.rules, self.known = rules, lookup
        self.taken = np.full((side, side), FULL, np.int16)
        self.taken[outer:-outer, outer:-outer] = 0
        self.room = np.zeros((side, side), np.uint8)
        self.room[far:-far, far:-far] = FULL
        self.offsets = lookup.steps @ np.array([side, 1])
        self.origin = pad * (side + 1)

    def copy(self) -> "_Field":
        copied = object.__new__(_Field)
        copied.__dict__.update(self.__dict__)
        copied.taken, copied.room = self.taken.copy(), self.room.copy()
        return copied

    def inside(self) -> Int[np.ndarray, "window window"]:
        pad = self.known.pad
        return self.taken[pad:-pad, pad:-pad]

    def rooms(self, row: int, column: int) -> UInt8[np.ndarray, " candidates"]:
        """Free room at each of the candidates around a pivot."""
        start = self.origin + row * len(self.room) + column
        return self.room.take(self.offsets + start)

    def clashes(self, segment: Segment) -> bool:
        mask = self.known.masks[segment.direction]
        sums = _part(self.taken, segment, self.known.pad, len(mask)) + mask
        return bool(sums.max() >= CLASH)

    def add(self, segment: Segment) -> None:
        lookup, pad = self.known, self.known.pad
        mask, hole = lookup.masks[segment.direction], lookup.holes[segment.direction]
        taken = _part(self.taken, segment, pad, len(mask))
        np.maximum(taken, mask, out=taken)
        room = _part(self.room, segment, pad, len(hole))
        np.minimum(room, hole, out=room)


def _part(values: np.ndarray, segment: Segment, pad: int, side: int) -> np.ndarray:
    """The square of a padded picture around a segment's outer tip."""
    row, column = segment.row + pad - side // 2, segment.column + pad - side // 2
    return values[row : row + side, column : column + side]


class _End(NamedTuple):
    """End of a contour: the pivot around which its last segment turned."""

    row: int
    column: int
    segment: Segment


@cache
def _beginnings(
    rules: Rules, margin: int
) -> list[tuple[int, Int[np.ndarray, "pixels 2"]]]:
    """Directions of the first paddle in an empty picture, and where it may begin."""
    lookup, band = rules.table(margin), 2 * rules.seed_distance
    taken = np.ones((rules.window, rules.window), bool)
    taken[band:-band, band:-band] = False
    starts = [
        (direction, free_pixels(taken, kernel))
        for direction, kernel in enumerate(lookup.kernels, len(lookup.steps))
    ]
    hopeful = [(direction, pixels) for direction, pixels in starts if len(pixels)]
    if not hopeful:
        raise ValueError(f"need space for a first paddle, got none with {rules}")
    return hopeful


def _seed(field: _Field, pixel: tuple[int, int], direction: int) -> _End | None:
    """A first paddle, if its head and the pivot behind it are inside the picture."""
    paddle, angle = field.known.paddle, field.known.angles[direction]
    head = move(pixel, angle, paddle.length)
    pivot = move(head, angle + np.pi, paddle.reach)
    if not all(0 <= coord < field.rules.window for coord in (*head, *pivot)):
        return None
    return _End(*pivot, Segment(*pixel, direction))


def _chosen(
    rng: np.random.Generator, pixels: Int[np.ndarray, "pixels 2"]
) -> tuple[int, int]:
    row, column = pixels[rng.integers(len(pixels))].tolist()
    return row, column


def _first(rng: np.random.Generator, field: _Field) -> _End | None:
    """Directions and pixels without hope are left out: pairs would begin anew."""
    hopeful = _beginnings(field.rules, field.known.paddle.margin)
    direction, pixels = hopeful[rng.integers(len(hopeful))]
    return _seed(field, _chosen(rng, pixels), direction)


def _second(rng: np.random.Generator, field: _Field, first: Segment) -> _End | None:
    for _ in range(SEED_TRIES):
        direction = len(field.known.steps) + int(rng.integers(360))
        around, distance = math.radians(rng.integers(360)), field.rules.seed_distance
        row = round(first.row + distance * math.sin(around))
        column = round(first.column + distance * math.cos(around))
        if end := _seed(field, (row, column), direction):
            return end
    return None


def _elsewhere(rng: np.random.Generator, field: _Field) -> _End | None:
    """A first paddle in the space that is left."""
    lookup, taken = field.known, field.inside() > TAKEN
    if 1 - taken.mean() < CROWDED:
        return None
    for _ in range(SEED_TRIES):
        degree = int(rng.integers(360))
        pixels = free_pixels(taken, lookup.kernels[degree])
        if not len(pixels):
            return None
        pixel = _chosen(rng, pixels)
        if end := _seed(field, pixel, len(lookup.steps) + degree):
            return end
    return None


def _extended(rng: np.random.Generator, field: _Field, end: _End) -> _End | None:
    """One more segment; only now the one before is entered in the field."""
    lookup, last = field.known, end.segment.direction
    down, right = lookup.advances[last]
    row, column = math.ceil(end.row + down), math.ceil(end.column + right)
    sums = (lookup.weights[last] * field.rooms(row, column)).cumsum()
    if sums[-1] < LEAST:
        return None
    for _ in range(1 + field.rules.paddle_retries):
        choice = int(sums.searchsorted(rng.random() * sums[-1], "right"))
        down, right = lookup.steps[choice].tolist()
        segment = Segment(row + down, column + right, choice)
        if not field.clashes(segment):
            field.add(end.segment)
            return _End(row, column, segment)
    return None


def _grown(
    rng: np.random.Generator, field: _Field, ends: list[_End], paddles: int
) -> list[list[Segment]] | None:
    """Contours that take turns; of the last segments only the last is entered."""
    contours = [[end.segment] for end in ends]
    for _ in range(paddles - 1):
        for contour, end in enumerate(ends):
            grown = _extended(rng, field, end)
            if grown is None:
                return None
            ends[contour] = grown
            contours[contour].append(grown.segment)
    field.add(contours[-1][-1])
    return contours


def _targets(
    rng: np.random.Generator, empty: _Field
) -> tuple[list[list[Segment]], _Field]:
    for _ in range(PATIENCE):
        first = _first(rng, empty)
        second = first and _second(rng, empty, first.segment)
        if first and second:
            field = empty.copy()
            pair = _grown(rng, field, [first, second], field.rules.paddles)
            if pair:
                return pair, field
    raise ValueError(
        f"need rules that admit two contours, got none in {PATIENCE} tries of "
        f"{empty.rules}; draw shorter contours or a larger window"
    )


def _distractor(
    rng: np.random.Generator, field: _Field
) -> tuple[list[list[Segment]], _Field]:
    """A distractor and the field with it, or none and the field as it was."""
    rules = field.rules
    for _ in range(1 + rules.distractor_retries):
        end, trial = _elsewhere(rng, field), field.copy()
        grown = end and _grown(rng, trial, [end], rules.distractor_paddles)
        if grown:
            return grown, trial
    return [], field


# --- pictures -----------------------------------------------------------------------


def painted(
    rules: Rules, margin: int, contours: list[list[Segment]], contrast: float
) -> Float[np.ndarray, "window window"]:
    """The lines of some contours, the brighter where two meet."""
    lookup = rules.table(margin)
    pad = lookup.pad
    image = np.zeros((rules.window + 2 * pad,) * 2)
    for segment in itertools.chain.from_iterable(contours):
        line = lookup.stamps[segment.direction].line
        part = _part(image, segment, pad, len(line))
        np.maximum(part, contrast / FULL * line, out=part)
    return image[pad:-pad, pad:-pad]


def picture(rules: Rules, seed: int, index: int) -> Picture:
    """One picture, whatever others are drawn.

    Raises:
        ValueError: If the rules admit no two contours, or no generator takes the seed.
    """
    require_seed(seed)
    rng = np.random.default_rng((seed, index))
    label = int(rng.integers(2))
    margin = rules.margins[rng.integers(len(rules.margins))]
    targets, field = _targets(rng, _Field(rules, rules.table(margin)))
    distractors = []
    for _ in range(rules.distractors):
        contours, field = _distractor(rng, field)
        distractors += contours
    chosen = int(rng.integers(2))
    tips = targets[chosen][0], targets[chosen if label else 1 - chosen][-1]
    markers = [(tip.row, tip.column) for tip in tips]
    dark, bright = rules.contrast * rules.paddle_contrast, rules.contrast
    image = np.maximum.reduce(
        [
            painted(rules, margin, targets, dark),
            painted(rules, margin, distractors, bright),
            *(
                marker(rules.window, rules.antialias, rules.marker_radius, tip) / FULL
                for tip in markers
            ),
        ]
    )
    scaled = (image - image.min()) / np.ptp(image) * FULL
    return Picture(
        np.rint(scaled).astype(np.uint8), label, markers, targets, distractors, margin
    )
