"""Pictures of the Pathfinder task: are two marked tips on the same dashed contour?

Two target contours grow side by side, shorter distractor contours fill the remaining space,
and discs mark two tips.  A picture depends only on seed and index.  Accidental properties of
the original generator are reproduced, because they shape the data.  Three changes save
time.  The possible first pixels of a contour are listed once for each direction.  Occupancy
is dilated only near changes.  Contours are painted after all have grown.

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

TAKEN = 0.3 * FULL  # value above which a pixel is occupied
CLASH = 1.8 * FULL  # value of the sum of two masks at which they collide
LEAST = 1e-4 * FULL  # smallest sum of the candidates' weights
CROWDED = 0.01  # smallest share of free pixels
SEED_TRIES = 3
PATIENCE = 1_000_000  # largest number of pairs that are tried; some need thousands


@final
@dataclass(frozen=True)
class Rules:
    """Parameters of the generator of pictures; lengths are in pixels.

    Contours consist of dashes, which are called paddles.

    Attributes:
        window: Side of the square picture.
        length: Length of a paddle.
        thickness: Thickness of a paddle.
        margins: Possible free margins around a paddle; each picture draws one at random.
        distractors: Number of distractor contours that are tried.
        continuity: Straightness of contours; larger values allow smaller turns.
        seed_distance: Distance between the first tips of the two target contours.
        marker_radius: Radius of the discs.
        contrast: Brightness of distractors.
        paddle_contrast: Brightness of targets, relative to distractors.
        paddles: Number of paddles of a target contour.
        distractor_paddles: Number of paddles of a distractor contour.
        antialias: Number of fine pixels along the side of a pixel.
        padding: Width of the frame without contours.
        paddle_retries: Number of tries to place a paddle after the first.
        distractor_retries: Number of tries to place a distractor after the first.

    Raises:
        ValueError: If there is no margin or no frame; if a contour has fewer than two
            paddles; if the window is at most four times ``seed_distance``; if
            ``Paddle`` refuses a size.
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
        """The paddle with a margin."""
        return Paddle(self.length, self.thickness, margin, self.antialias)

    def table(self, margin: int) -> Table:
        """The directions of the paddle with a margin."""
        return table(self.paddle(margin), self.continuity)


PATHFINDER_32 = Rules(32, 2, 0.5, (1,), 5, 1.0, 7, 1.5, 2.0, 0.75)
PATHFINDER_16 = Rules(16, 2, 0.5, (1,), 2, 1.0, 3, 1.0, 2.0, 0.75, 5, 2)
PATHFINDER_64 = Rules(64, 5, 1.0, (1,), 5, 1.8, 12, 2.5, 0.8)
PATH_X = Rules(128, 5, 1.5, (2, 3), 8, 1.8, 20, 3.0, 0.9)


class Segment(NamedTuple):
    """A paddle in a picture.

    Attributes:
        row: Row of the outer tip.
        column: Column of the outer tip.
        direction: Index of the direction in the table.
    """

    row: int
    column: int
    direction: int


class Picture(NamedTuple):
    """One picture with its label and its contours.

    Attributes:
        image: Brightness of the pixels, from 0 to 255.
        label: 1 if both discs are on one contour, otherwise 0.
        markers: Row and column of each disc.
        targets: Segments of the two target contours, from the first tip to the last.
        distractors: Segments of the distractor contours.
        margin: Margin of the picture.
    """

    image: UInt8[np.ndarray, "window window"]
    label: int
    markers: list[tuple[int, int]]
    targets: list[list[Segment]]
    distractors: list[list[Segment]]
    margin: int


# --- growth -------------------------------------------------------------------------


class _Field:
    """Occupancy of the pixels, and free room at each pixel with a margin, in 255ths.

    Pixels outside the picture count as occupied.  The frame keeps contours away from them.
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
    """Possible directions and start pixels of the first paddle in an empty picture."""
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
    """The first paddle of a picture, from directions and pixels that have enough space."""
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
    """The first paddle of a distractor, in the remaining space."""
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
    """Extend a contour by one segment; mark the segment before it as occupied."""
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
    """Grow contours in turns; of their last segments, only the last is marked."""
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
    """A distractor and the field with it, or no distractor and the unchanged field."""
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
    """Paint contours; where two meet, the brighter value counts.

    Args:
        rules: Parameters of the pictures.
        margin: Margin of the picture.
        contours: Segments of each contour.
        contrast: Brightness of the contours.
    """
    lookup = rules.table(margin)
    pad = lookup.pad
    image = np.zeros((rules.window + 2 * pad,) * 2)
    for segment in itertools.chain.from_iterable(contours):
        line = lookup.stamps[segment.direction].line
        part = _part(image, segment, pad, len(line))
        np.maximum(part, contrast / FULL * line, out=part)
    return image[pad:-pad, pad:-pad]


def picture(rules: Rules, seed: int, index: int) -> Picture:
    """Generate the picture of an index.

    Args:
        rules: Parameters of the pictures.
        seed: Seed of the data set.
        index: Index of the picture.

    Raises:
        ValueError: If two contours cannot fit the rules, or the seed is not an integer in
            ``[0, 2**32)``.
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
