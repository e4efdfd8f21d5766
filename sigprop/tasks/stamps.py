"""Paddles and discs of a picture of contours, drawn at fine resolution and then reduced.

Rows count downwards; the direction of an angle is ``(sin, cos)`` in rows and columns.
Values are bytes, and 255 is a fully covered pixel.  Pillow draws the lines and reduces them.

Source: the generator of Linsley et al. (2018) and Kim et al. (2020).
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8
from PIL import Image, ImageDraw

FULL = 255


@final
@dataclass(frozen=True)
class Paddle:
    """A short line with a free margin around it.

    Attributes:
        length: Length in pixels.
        thickness: Thickness in pixels.
        margin: Width in pixels of the margin, which no other paddle may touch.
        antialias: Number of fine pixels along the side of a pixel.

    Raises:
        ValueError: If a size is not positive, or ``thickness * antialias`` is not an
            integer.
    """

    length: int
    thickness: float
    margin: int
    antialias: int

    def __post_init__(self) -> None:
        if min(self.length, self.thickness, self.margin, self.antialias) <= 0:
            raise ValueError(f"need positive sizes of a paddle, got {self}")
        if not float(self.thickness * self.antialias).is_integer():
            raise ValueError(
                "need thickness * antialias a whole number, got "
                f"{self.thickness} * {self.antialias}"
            )

    @property
    def half(self) -> int:
        """Number of pixels from the centre of a stamp to its edge."""
        return self.length + math.ceil(self.thickness) + self.margin

    @property
    def reach(self) -> int:
        """Distance in pixels from a pivot to the far tip of the next paddle."""
        return self.length + self.margin


class Stamp(NamedTuple):
    """Square image of a paddle that starts at the centre.

    Attributes:
        line: Coverage of each pixel by the line.
        mask: Coverage of each pixel by the line with its margin.
    """

    line: UInt8[np.ndarray, "side side"]
    mask: UInt8[np.ndarray, "side side"]


def move(pixel: tuple[int, int], angle: float, distance: float) -> tuple[int, int]:
    """The pixel at a distance along an angle from a pixel, with coordinates rounded up.

    >>> move((8, 8), math.radians(-150), 4)
    (6, 5)
    """
    row = math.ceil(pixel[0] + distance * math.sin(angle))
    return row, math.ceil(pixel[1] + distance * math.cos(angle))


def disc(radius: int) -> Int[np.ndarray, "cells 2"]:
    """The cells of a grid that are at most ``radius`` away from the origin.

    >>> len(disc(1)), len(disc(2))
    (5, 13)
    """
    side = np.arange(-radius, radius + 1)
    return np.argwhere(side[:, None] ** 2 + side**2 <= radius**2) - radius


def dilated(
    values: UInt8[np.ndarray, "rows columns"], radius: int
) -> UInt8[np.ndarray, "larger wider"]:
    """The largest value within ``radius`` of each cell; the result is larger on all sides."""
    rows, columns = values.shape
    grown = np.zeros((rows + 2 * radius, columns + 2 * radius), np.uint8)
    for row, column in disc(radius) + radius:
        cells = grown[row : row + rows, column : column + columns]
        np.maximum(cells, values, out=cells)
    return grown


def stamp(paddle: Paddle, angle: float) -> Stamp:
    """Draw a paddle along ``angle``, on a square of ``2 half + 1`` pixels a side."""
    centre = paddle.half * paddle.antialias
    row, column = move((centre, centre), angle, paddle.length * paddle.antialias)
    canvas = Image.new("L", (2 * centre + 1, 2 * centre + 1))
    ImageDraw.Draw(canvas).line(
        (centre, centre, column, row),
        fill=FULL,
        width=round(paddle.thickness * paddle.antialias),
    )
    fine = np.asarray(canvas)
    margin = paddle.margin * paddle.antialias
    widened = dilated(fine, margin)[margin:-margin, margin:-margin]
    side = 2 * paddle.half + 1
    return Stamp(_reduced(fine, side), _reduced(widened, side))


def seed_kernel(paddle: Paddle, mask: UInt8[np.ndarray, "side side"]) -> np.ndarray:
    """Cells ``(n, 2)``, relative to a pixel, that must be free to start a contour.

    The mask covers these cells fully.  They are moved one pixel down and right, as in
    the original code.  The original code finds no free pixel if, at a corner pixel of
    the picture, all cells lie outside the picture.  This function then returns no
    cells.
    """
    cells = np.argwhere(mask == FULL) - paddle.half + 1
    cells = cells[(np.abs(cells) <= paddle.reach).all(1)]
    corners = [
        ((down * cells[:, 0] >= 0) & (right * cells[:, 1] >= 0)).any()
        for down in (1, -1)
        for right in (1, -1)
    ]
    return cells if all(corners) else cells[:0]


def free_pixels(
    taken: Bool[np.ndarray, "window window"], kernel: Int[np.ndarray, "cells 2"]
) -> Int[np.ndarray, "pixels 2"]:
    """Pixels around which all cells of the kernel are free; no pixels without cells."""
    if not len(kernel):
        return kernel
    side, reach = len(taken), int(np.abs(kernel).max())
    padded = np.pad(taken, reach)
    blocked = np.zeros_like(taken)
    for row, column in (kernel + reach).tolist():
        blocked |= padded[row : row + side, column : column + side]
    return np.argwhere(~blocked)


def marker(
    window: int, antialias: int, radius: float, pixel: tuple[int, int]
) -> UInt8[np.ndarray, "window window"]:
    """Draw a picture of ``window`` pixels a side with only a disc at ``pixel``."""
    side = np.arange(window * antialias)
    rows, columns = ((side - antialias * centre) ** 2 for centre in pixel)
    inside = rows[:, None] + columns <= (antialias * radius) ** 2
    return _reduced(np.where(inside, np.uint8(FULL), np.uint8(0)), window)


def _reduced(
    fine: UInt8[np.ndarray, "fine fine"], side: int
) -> UInt8[np.ndarray, "side side"]:
    image = Image.fromarray(fine).resize((side, side), Image.Resampling.LANCZOS)
    return np.asarray(image)


class Table(NamedTuple):
    """All directions of a paddle.

    The first directions are from a pivot to the candidates for the next tip.  Then come the
    directions of whole degrees, for first paddles.

    Attributes:
        paddle: Paddle with its margin.
        angles: Angle of each direction in radians; whole degrees start at -180.
        steps: Row and column of each candidate, relative to the pivot.
        weights: Weight of each candidate (column) after each direction (row).
        advances: Step from a pivot to the next pivot in each direction, not rounded.
        stamps: Stamp of each direction; stamps of candidates point back to the pivot.
        masks: Mask of each stamp, as 16-bit integers.
        holes: 255 minus the mask dilated by a margin, for each stamp.
        kernels: Cells that a first paddle needs, for each whole degree.
    """

    paddle: Paddle
    angles: Float[np.ndarray, " directions"]
    steps: Int[np.ndarray, "candidates 2"]
    weights: Float[np.ndarray, "directions candidates"]
    advances: list[list[float]]
    stamps: list[Stamp]
    masks: list[Int[np.ndarray, "side side"]]
    holes: list[UInt8[np.ndarray, "larger larger"]]
    kernels: list[Int[np.ndarray, "cells 2"]]

    @property
    def pad(self) -> int:
        """Width of a frame around a picture that contains all a paddle can touch."""
        return self.paddle.half + 2 * self.paddle.margin + 4


@cache
def table(paddle: Paddle, continuity: float) -> Table:
    """Make the table of all directions of a paddle.

    The weight of a candidate is the squared cosine of ``continuity`` times the angle of
    the turn, and zero from a right angle on.
    """
    steps = _steps(paddle.reach)
    candidates = np.arctan2(*steps.T)
    degrees = np.radians(np.arange(-180, 180))
    angles = np.concatenate([candidates, degrees])
    apart = np.abs((angles[:, None] - candidates + np.pi) % (2 * np.pi) - np.pi)
    angle_of_turn = np.minimum(continuity * apart, np.pi / 2)
    advance = paddle.length + 2 * paddle.margin
    stamps = [stamp(paddle, angle) for angle in (*(candidates + np.pi), *degrees)]
    return Table(
        paddle,
        angles,
        steps,
        np.cos(angle_of_turn).clip(0) ** 2,
        (advance * np.stack([np.sin(angles), np.cos(angles)], 1)).tolist(),
        stamps,
        [s.mask.astype(np.int16) for s in stamps],
        [FULL - dilated(s.mask, paddle.margin) for s in stamps],
        [seed_kernel(paddle, s.mask) for s in stamps[len(steps) :]],
    )


def _steps(radius: int) -> Int[np.ndarray, "candidates 2"]:
    """Pixels of a circle, about one for each pixel of its circumference, rounded down."""
    angles = np.arange(0, 2 * np.pi, 1 / radius)
    ring = radius * np.stack([np.sin(angles), np.cos(angles)], 1)
    return np.unique(np.floor(ring).astype(int), axis=0)
