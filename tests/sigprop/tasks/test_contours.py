"""Pictures have the statistics of the original generator, and their labels are true."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import ndimage

from sigprop.tasks import contours, stamps
from sigprop.tasks.contours import (
    PATH_X,
    PATHFINDER_32,
    PATHFINDER_64,
    Rules,
    Segment,
    painted,
    picture,
)
from sigprop.tasks.stamps import FULL, disc, marker

PRESETS = {"32": PATHFINDER_32, "64": PATHFINDER_64, "X": PATH_X}
ALL = [(rules, margin) for rules in PRESETS.values() for margin in rules.margins]


@pytest.fixture(scope="module")
def pool():
    """A process that draws without the checks of every call, which take most of the time."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as workers:
        yield workers


# --- statistics of the original generator -------------------------------------------
# Means and standard deviations over images.  Where the original's deviation was not
# recorded, that of the sample stands in; "unit" is the last digit that was recorded.


def contrast(rules):
    return rules.contrast * rules.paddle_contrast


def target_lines(rules, example):
    return [
        painted(rules, example.margin, [c], contrast(rules)) for c in example.targets
    ]


def float_peak(rules, example):
    lines = painted(rules, example.margin, example.distractors, rules.contrast)
    return max(1, lines.max())


def marked(rules, example):
    discs = (marker(rules.window, 2, rules.marker_radius, p) for p in example.markers)
    return sum((lit > FULL / 2).sum() for lit in discs)


def outer_ring(rules, example):
    ring = np.pad(np.zeros((rules.window - 2,) * 2, bool), 1, constant_values=True)
    return example.image[ring].mean() / FULL


def centre(rules, example):
    quarter = rules.window // 4
    return example.image[quarter:-quarter, quarter:-quarter].mean() / FULL


def components(rules, example):
    numbers = np.zeros(example.image.shape, int)
    ndimage.label(example.image >= 64, np.ones((3, 3)), output=numbers)
    return numbers.max()


def first_distance(rules, example):
    first, second = (contour[0] for contour in example.targets)
    return np.hypot(first.row - second.row, first.column - second.column)


def brighter(least):
    return lambda rules, example: (example.image >= least).sum()


MEASURES = {
    "label": lambda rules, example: example.label,
    "mean": lambda rules, example: example.image.mean() / FULL,
    "square": lambda rules, example: (example.image / FULL).var() ** 0.5,
    **{f"from {least}": brighter(least) for least in (26, 64, 128, 192)},
    "components": components,
    "distractors": lambda rules, example: len(example.distractors),
    "none": lambda rules, example: float(not example.distractors),
    "first distance": first_distance,
    "float peak": float_peak,
    "peak": lambda rules, example: max(i.max() for i in target_lines(rules, example)),
    "half": lambda rules, example: np.mean(
        [(i > i.max() / 2).sum() for i in target_lines(rules, example)]
    ),
    "sum": lambda rules, example: np.mean(
        [i.sum() for i in target_lines(rules, example)]
    ),
    "marked": marked,
    "ring": outer_ring,
    "centre": centre,
}
# name: mean, deviation over images or none, unit
ORIGINAL = {
    "32": {
        "label": (0.5, 0.5, 0),
        "mean": (0.0790, 0.0077, 1e-4),
        "from 26": (155.3, 16.5, 0.1),
        "from 64": (128.4, 12.7, 0.1),
        "from 128": (87.1, 9.1, 0.1),
        "from 192": (19.5, 4.7, 0.1),
        "components": (14.0, 3.2, 0.1),
        "distractors": (1.15, None, 0.01),
        "none": (0.25, None, 0.01),
        "first distance": (7.05, 0.25, 0.01),
        "float peak": (1.067, None, 1e-3),
        "peak": (0.86, None, 0.01),
        "half": (37.4, None, 0.1),
        "sum": (31.3, None, 0.1),
        "marked": (16, None, 1),
        "ring": (0.0016, None, 1e-4),
        "centre": (0.115, None, 1e-3),
    },
    "X": {
        "label": (0.5, 0.5, 0),
        "mean": (0.0310, 0.0014, 1e-4),
        "from 26": (926, 41, 1),
        "from 64": (670, 33, 1),
        "from 128": (496, 26, 1),
        "from 192": (264, 21, 1),
        "components": (57.7, 2.5, 0.1),
        "distractors": (7.68, None, 0.01),
        "first distance": (20.0, 0.27, 0.1),
        "float peak": (1, None, 0),
        "peak": (0.9, None, 0.01),
        "half": (110, None, 1),
        "sum": (110.5, None, 0.1),
        "marked": (56, None, 1),
        "ring": (0.0006, None, 1e-4),
        "centre": (0.039, None, 1e-3),
    },
}
MEASURED = {"32": 2000, "X": 400}  # images behind the original's means


def measured(rules, seed, index):
    example = picture(rules, seed, index)
    return {name: measure(rules, example) for name, measure in MEASURES.items()}


def unlike(examples, name):
    """The measures whose means are five standard errors or more from the original's."""
    examples = list(examples)
    differences = {}
    for measure, (mean, deviation, unit) in ORIGINAL[name].items():
        values = [example[measure] for example in examples]
        spread = np.std(values) if deviation is None else deviation
        error = spread * np.sqrt(1 / len(examples) + 1 / MEASURED[name])
        if abs(np.mean(values) - mean) > 5 * error + unit / 2 + 1e-9:
            differences[measure] = np.mean(values), mean, error
    return differences


def test_statistics_are_those_of_the_original(pool):
    draw = partial(measured, PATHFINDER_32, 2)
    assert unlike(pool.map(draw, range(60), chunksize=10), "32") == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"), [("32", 200), ("32", 1000), ("X", 20), ("X", 300)]
)
def test_statistics_of_many_are_those_of_the_original(pool, name, count):
    draw = partial(measured, PRESETS[name], 3)
    assert unlike(pool.map(draw, range(count), chunksize=5), name) == {}


@pytest.mark.parametrize(
    ("change", "measure"),
    [
        ({"paddle_contrast": 1.0}, "mean"),
        ({"paddles": 9}, "sum"),
        ({"distractors": 12}, "distractors"),
        ({"marker_radius": 2.0}, "marked"),
    ],
)
def test_other_rules_have_other_statistics(pool, change, measure):
    draw = partial(measured, replace(PATHFINDER_32, **change), 4)
    assert measure in unlike(pool.map(draw, range(40), chunksize=5), "32")


def test_kernels_without_the_guard_would_place_more_distractors(monkeypatch):
    def unguarded(paddle, mask):
        return np.argwhere(mask == FULL) - paddle.half + 1

    with monkeypatch.context() as patch:
        patch.setattr(stamps, "seed_kernel", unguarded)
        stamps.table.cache_clear()
        contours._beginnings.cache_clear()
        counts = [
            len(picture(PATHFINDER_32, 4, index).distractors) for index in range(8)
        ]
    stamps.table.cache_clear()
    contours._beginnings.cache_clear()
    assert np.mean(counts) == pytest.approx(4.6, abs=0.5)


# --- single pictures ----------------------------------------------------------------


@pytest.fixture(scope="module")
def pictures(pool):
    """A few of every size."""
    counts = {"32": 20, "64": 1, "X": 4}
    return [
        (rules, example)
        for name, rules in PRESETS.items()
        for example in pool.map(partial(picture, rules, 7), range(counts[name]))
    ]


def points(contour):
    return np.array([(segment.row, segment.column) for segment in contour])


def test_pictures_are_bytes_that_use_the_whole_range(pictures):
    for rules, example in pictures:
        assert example.image.shape == (rules.window, rules.window)
        assert example.image.dtype == np.uint8
        assert (example.image.min(), example.image.max()) == (0, 255)
        assert example.margin in rules.margins
    assert {drawing.margin for rules, drawing in pictures if rules is PATH_X} == {2, 3}
    assert {drawing.label for _, drawing in pictures} == {0, 1}


def test_the_label_says_whether_the_markers_are_on_one_contour(pictures):
    for _, example in pictures:
        firsts = [tuple(points(contour)[0]) for contour in example.targets]
        lasts = [tuple(points(contour)[-1]) for contour in example.targets]
        start, end = example.markers
        assert example.label == (firsts.index(start) == lasts.index(end))


def test_a_thousand_labels_are_those_of_the_markers(monkeypatch):
    """Drawing apart, which takes the time, every label is that of the two tips."""
    targets = [[Segment(r, c, 0), Segment(r, c + 9, 0)] for r, c in ((5, 5), (20, 9))]
    monkeypatch.setattr(contours, "_targets", lambda rng, field: (targets, field))
    ramp = np.linspace(0, 1, 32 * 32).reshape(32, 32)
    monkeypatch.setattr(contours, "painted", lambda *_: ramp)
    monkeypatch.setattr(contours, "marker", lambda *_: ramp)
    rules = replace(PATHFINDER_32, distractors=0)
    firsts, lasts = (
        [
            (paddle_end.row, paddle_end.column)
            for paddle_end in (contour[end] for contour in targets)
        ]
        for end in (0, -1)
    )
    labels = []
    for index in range(1200):
        example = picture(rules, 5, index)
        start, end = example.markers
        assert example.label == (firsts.index(start) == lasts.index(end))
        labels.append(example.label)
    assert abs(np.mean(labels) - 0.5) < 0.08  # 5.5 standard errors


def test_both_markers_are_seen(pictures):
    for rules, example in pictures:
        for row, column in example.markers:
            around = example.image[
                max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2
            ]
            assert around.max() > 0.8 * FULL, (rules.window, row, column)
        assert example.markers[0] != example.markers[1]


def test_contours_have_their_paddles_inside_and_bend_gently(pictures):
    for rules, example in pictures:
        paddle, known = rules.paddle(example.margin), rules.table(example.margin)
        lengths = [rules.paddles] * 2 + [rules.distractor_paddles] * len(
            example.distractors
        )
        all_contours = [*example.targets, *example.distractors]
        assert [len(contour) for contour in all_contours] == lengths
        assert len(example.distractors) <= rules.distractors
        for contour in all_contours:
            positions = points(contour)
            assert ((positions >= 0) & (positions < rules.window)).all()
            gaps = np.hypot(*np.diff(positions[1:], axis=0).T)
            assert gaps.max() < 2 * paddle.reach + 4
            angles = known.angles[[segment.direction for segment in contour]]
            turns = np.abs((np.diff(angles) + np.pi) % (2 * np.pi) - np.pi)
            assert turns.max() < np.pi / 2 / rules.continuity


def test_targets_begin_at_the_distance_of_the_rules(pictures):
    for rules, example in pictures:
        assert abs(first_distance(rules, example) - rules.seed_distance) < 1


def test_a_picture_depends_on_seed_and_index_alone():
    images = [picture(PATHFINDER_32, 5, index).image for index in range(3)]
    for index in (2, 0, 1):
        same = picture(PATHFINDER_32, 5, index).image
        np.testing.assert_array_equal(same, images[index])
    assert len({image.tobytes() for image in images}) == 3
    assert picture(PATHFINDER_32, 6, 0).image.tobytes() != images[0].tobytes()


# --- growth, against its definition -------------------------------------------------


def test_the_directions_are_those_of_the_original():
    sizes = {}
    for rules, margin in ALL:
        known = rules.table(margin)
        starts = [
            stamp - len(known.steps) for stamp, _ in contours._beginnings(rules, margin)
        ]
        sizes[rules.window, margin] = len(known.steps), len(starts)
        if rules is PATHFINDER_32:
            assert [start - 180 for start in starts] == list(range(-150, -120))
    del sizes[64, 1]
    assert sizes == {(32, 1): (18, 30), (128, 2): (41, 354), (128, 3): (49, 360)}


@pytest.mark.parametrize(("rules", "margin"), [(PATHFINDER_32, 1), (PATH_X, 2)])
def test_the_room_is_what_the_dilation_of_the_masks_leaves(rules, margin):
    known = rules.table(margin)
    rng = np.random.default_rng(3)
    targets, field = contours._targets(rng, contours._Field(rules, known))
    pad, side = known.pad, np.zeros((2 * margin + 1,) * 2, bool)
    side[tuple((disc(margin) + margin).T)] = True
    slow = ndimage.grey_dilation(field.inside(), footprint=side, mode="constant")
    np.testing.assert_array_equal(field.room[pad:-pad, pad:-pad], FULL - slow)
    # The last paddle of the first contour is forgotten; all others are there.
    entered = [*targets[0][:-1], *targets[1]]
    mask = np.zeros_like(field.taken)
    frame = contours._Field(rules, known).taken
    for segment in entered:
        half = known.paddle.half
        row, column = segment.row + pad - half, segment.column + pad - half
        part = mask[row : row + 2 * half + 1, column : column + 2 * half + 1]
        np.maximum(part, known.masks[segment.direction], out=part)
    np.testing.assert_array_equal(field.taken, np.maximum(mask, frame))
    forgotten = targets[0][-1]
    centre = field.inside()[forgotten.row, forgotten.column]
    assert centre < known.masks[forgotten.direction].max()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"margins": ()}, "need a margin and two paddles"),
        ({"distractor_paddles": 1}, "need a margin and two paddles"),
        ({"padding": 0}, "need padding >= 1"),
        ({"seed_distance": 8}, "need padding >= 1 and window > 4 seed_distance"),
        ({"thickness": 0.7}, "need thickness .* antialias a whole number"),
        ({"margins": (0,)}, "need positive sizes"),
    ],
)
def test_rules_that_admit_nothing_are_refused(change, match):
    with pytest.raises(ValueError, match=match):
        replace(PATHFINDER_32, **change)


def test_rules_without_space_say_so(monkeypatch):
    monkeypatch.setattr(contours, "PATIENCE", 3)
    crowded = replace(PATHFINDER_32, paddles=200)
    with pytest.raises(
        ValueError, match="need rules that admit two contours, got none"
    ):
        picture(crowded, 0, 0)
    tight = Rules(20, 5, 1.5, (2,), 1, 1.0, 4, 1.5, 1.0)
    with pytest.raises(ValueError, match="need space for a first paddle"):
        picture(tight, 0, 0)
