"""Paddles and discs of a picture of contours: drawn finely, then reduced to its pixels.

Rows count downwards; an angle points along ``(sin, cos)`` in rows and columns.  Values are
bytes, 255 where a pixel is covered.  Pillow draws the lines and reduces them.

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
    """A short line, and how far others keep from it.

    Attributes:
        length: In pixels.
        thickness: In pixels.
        margin: Pixels around the line that are its own.
        antialias: Fine pixels in one.

    Raises:
        ValueError: If a size is not positive, or the fine line's width not a whole number.
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
        """Pixels from a stamp's centre to its edge."""
        return self.length + math.ceil(self.thickness) + self.margin

    @property
    def reach(self) -> int:
        """Pixels from a pivot to the far tip of the paddle that it begets."""
        return self.length + self.margin


class Stamp(NamedTuple):
    """A paddle that starts at the centre.

    Attributes:
        line: How far a pixel is covered by the line.
        mask: The same with the margin.
    """

    line: UInt8[np.ndarray, "side side"]
    mask: UInt8[np.ndarray, "side side"]


def move(pixel: tuple[int, int], angle: float, distance: float) -> tuple[int, int]:
    """The pixel at the end of a step, rows and columns rounded up.

    >>> move((8, 8), math.radians(-150), 4)
    (6, 5)
    """
    row = math.ceil(pixel[0] + distance * math.sin(angle))
    return row, math.ceil(pixel[1] + distance * math.cos(angle))


def disc(radius: int) -> Int[np.ndarray, "cells 2"]:
    """The cells of a grid that are at most ``radius`` away.

    >>> len(disc(1)), len(disc(2))
    (5, 13)
    """
    side = np.arange(-radius, radius + 1)
    return np.argwhere(side[:, None] ** 2 + side**2 <= radius**2) - radius


def dilated(
    values: UInt8[np.ndarray, "rows columns"], radius: int
) -> UInt8[np.ndarray, "larger wider"]:
    """The largest value within ``radius``, for every cell that has one so near."""
    rows, columns = values.shape
    grown = np.zeros((rows + 2 * radius, columns + 2 * radius), np.uint8)
    for row, column in disc(radius) + radius:
        cells = grown[row : row + rows, column : column + columns]
        np.maximum(cells, values, out=cells)
    return grown


def stamp(paddle: Paddle, angle: float) -> Stamp:
    """A paddle that points along ``angle``, on ``2 half + 1`` pixels a side."""
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
    """Cells ``(n, 2)``, from a pixel, that must be free for a contour to begin there.

    The cells are those that the mask covers fully, moved one pixel down and right as in
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
    """Pixels at which no cell of the kernel is taken; none if it has no cells."""
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
    """A picture of ``window`` pixels a side that has only a disc at ``pixel``."""
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
    """Every direction of a paddle: those from a pivot to a candidate, then whole degrees.

    Attributes:
        paddle: With its margin.
        angles: Angles of all directions, in radians; degrees from -180 on.
        steps: From a pivot to the candidates.
        weights: Weights of the candidates, after each direction.
        advances: From a pivot to the next one, before it is rounded up.
        stamps: Stamps of the paddles; those of candidates point back to the pivot.
        masks: Masks of the stamps, of 16 bits.
        holes: What the stamps leave of 255, dilated by a margin.
        kernels: Cells that a first paddle needs, for the whole degrees.
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
        """Pixels around a picture that hold whatever a paddle or a pivot can touch."""
        return self.paddle.half + 2 * self.paddle.margin + 4


@cache
def table(paddle: Paddle, continuity: float) -> Table:
    """All directions; a candidate's weight is a squared cosine of ``continuity`` turns."""
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
    """The pixels of a circle, one for each pixel of its circumference, rounded down."""
    angles = np.arange(0, 2 * np.pi, 1 / radius)
    ring = radius * np.stack([np.sin(angles), np.cos(angles)], 1)
    return np.unique(np.floor(ring).astype(int), axis=0)
