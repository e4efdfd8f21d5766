"""Paddles and discs are as their definitions say, cell by cell."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from sigprop.tasks.contours import PATH_X, PATHFINDER_32, PATHFINDER_64
from sigprop.tasks.stamps import (
    FULL,
    Paddle,
    dilated,
    disc,
    free_pixels,
    marker,
    stamp,
)

PRESETS = (PATHFINDER_32, PATHFINDER_64, PATH_X)
ALL = [(rules, margin) for rules in PRESETS for margin in rules.margins]


def cases(values):
    return pytest.mark.parametrize(
        ("rules", "margin"), values, ids=lambda value: getattr(value, "window", value)
    )


@cases(ALL)
def test_stamps_have_the_size_and_the_ink_of_the_original(rules, margin):
    known = rules.table(margin)
    lines = (
        np.array([paddle.line for paddle in known.stamps[len(known.steps) :]]) / FULL
    )
    side = {(32, 1): 9, (64, 1): 15, (128, 2): 19, (128, 3): 21}[rules.window, margin]
    assert lines.shape[1:] == (side, side)
    if rules is PATHFINDER_32:
        assert lines.sum((1, 2)).mean() == pytest.approx(1.50, abs=0.01)
    if rules is PATH_X:
        assert lines.sum((1, 2)).mean() == pytest.approx(8.6, abs=0.05)


def lanczos(fine, side):
    """Reduction with a windowed sinc of three pixels to each side, borders reweighted."""
    scale = len(fine) / side
    middle = (np.arange(side) + 0.5) * scale
    apart = (np.arange(len(fine)) + 0.5 - middle[:, None]) / scale
    weights = np.where(np.abs(apart) < 3, np.sinc(apart) * np.sinc(apart / 3), 0)
    weights /= weights.sum(1, keepdims=True)
    # Rows are rounded to bytes before columns are reduced.
    rows = np.rint(fine @ weights.T).clip(0, FULL)
    return np.rint(weights @ rows).clip(0, FULL)


def test_reduced_pictures_are_lanczos_sums():
    centre, window = (9, 20), 32
    side = np.arange(2 * window)
    inside = (side[:, None] - 18) ** 2 + (side - 40) ** 2 <= 9
    pixels = marker(window, 2, 1.5, centre).astype(int)
    assert np.abs(pixels - lanczos(FULL * inside, window)).max() <= 1
    image = Image.fromarray(np.eye(17, dtype=np.uint8) * FULL)
    pixels = np.asarray(image.resize((9, 9), Image.Resampling.LANCZOS)).astype(int)
    assert np.abs(pixels - lanczos(FULL * np.eye(17), 9)).max() <= 1


@pytest.mark.parametrize("degrees", [0, 90, -135, 20])
def test_a_paddle_points_along_its_angle(degrees):
    """Its tip is on the fine pixels, rounded up: 37 a side, that become 19."""
    angle = np.radians(degrees)
    line = stamp(Paddle(5, 1.5, 2, 2), angle).line.astype(int)
    positions = np.indices(line.shape) - 9
    middle = (positions * line).sum((1, 2)) / line.sum()
    tip = np.ceil([10 * np.sin(angle) - 1e-9, 10 * np.cos(angle) - 1e-9])
    np.testing.assert_allclose(middle, tip / 2 * 19 / 37, atol=0.05)


def test_dilation_is_the_largest_value_near():
    values = np.random.default_rng(0).integers(0, 256, (7, 9), np.uint8)
    side = np.zeros((5, 5), bool)
    side[tuple((disc(2) + 2).T)] = True
    slow = ndimage.grey_dilation(np.pad(values, 2), footprint=side, mode="constant")
    np.testing.assert_array_equal(dilated(values, 2), slow)


@cases(ALL)
def test_first_pixels_are_those_of_the_whole_dilation(rules, margin):
    """The original's way: one pixel without cells inside, and none is free."""
    known, rng = rules.table(margin), np.random.default_rng(1)
    taken = np.pad(rng.random((rules.window - 2,) * 2) < 0.002, 1, constant_values=True)
    paddle, some = known.paddle, 0
    for degree in range(0, 360, 17):
        mask = known.stamps[len(known.steps) + degree].mask
        reach = paddle.reach
        canvas = np.pad(mask, reach)[
            paddle.half - 1 : paddle.half + 2 * reach,
            paddle.half - 1 : paddle.half + 2 * reach,
        ]
        assert canvas.shape == (2 * reach + 1,) * 2
        largest = np.full(taken.shape, -1)
        for row, column in np.argwhere(canvas == FULL) - reach:
            moved = np.pad(taken.astype(int), reach, constant_values=-1)
            moved = moved[reach + row :, reach + column :]
            largest = np.maximum(largest, moved[: len(taken), : len(taken)])
        free = np.argwhere(largest == 0) if largest.min() >= 0 else np.zeros((0, 2))
        indices = free_pixels(taken, known.kernels[degree])
        np.testing.assert_array_equal(indices, free)
        some += len(indices)
    assert some


@cases(ALL)
def test_a_paddle_that_would_clash_outside_clashes_with_the_frame(rules, margin):
    """So that taking what is outside for taken refuses no paddle that was accepted."""
    known = rules.table(margin)
    half, least = known.paddle.half, 0.8 * FULL
    for mask in known.masks[: len(known.steps)]:
        lit = mask >= least
        for turn in range(4):
            rows = np.rot90(lit, turn).any(1)
            for start in range(1, half + 1):
                outside, frame = rows[: half - start], rows[half - start]
                assert frame or not outside.any()
