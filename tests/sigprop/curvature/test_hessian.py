"""Exact Hessians: every layer by every route, finite and infinite, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature import overlaps
from sigprop.curvature.hessian import expand
from sigprop.evidence.sigprop import curvature as small
from sigprop.evidence.sigprop.curvature import (
    LAM,
    STUDENTS,
    by_differences,
    by_route,
)
from sigprop.evidence.sigprop.curvature import PROCESSES as STATIONARY
from sigprop.evidence.sigprop.students import SMALL, student
from sigprop.evidence.sigprop.students import teacher as two_oscillations
from sigprop.inputs import AR1, Empirical, Mixed, MovingAverage, Recording, White
from sigprop.layers.base import parameters, replace
from sigprop.layers.dense import nonlinear_rnn
from sigprop.layers.lru import zucchet_lru
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import teacher_student

CAUSAL = [name for name in STUDENTS if name != "blur"]
SLOW = {"rotrnn": pytest.mark.slow}  # two reverse passes over a matrix exponential


def marked(names, *more):
    """Cases by their layer's name, the slow ones marked."""
    return [
        pytest.param(name, *more, marks=SLOW[name])
        if name in SLOW
        else pytest.param(name, *more)
        for name in names
    ]


# A law is summed by the same formulas for every layer: not every pair is needed.
PAIRS = [
    *((name, "mixed") for name in STUDENTS),
    *(("lru", law) for law in STATIONARY if law != "mixed"),
    *((name, "rho=0.9") for name in ("block", "blur")),
]


@pytest.mark.parametrize(("name", "law"), PAIRS)
@pytest.mark.sampled(keep=["lru-rho=0.9"])
def test_closed_form_is_the_difference_quotient_at_the_edge(name, law):
    off = by_route(name, law) - by_differences(name, law)
    assert np.abs(off).max() < 1e-8
    assert np.abs(by_differences(name, law)).max() > 0.5


@pytest.mark.parametrize("name", marked(CAUSAL))
@pytest.mark.sampled(keep=["lru"])
def test_closed_form_is_autodiff_at_the_edge(name):
    off = by_route(name, "mixed") - by_route(name, "mixed", "autodiff")
    assert np.abs(off).max() < 1e-10


@pytest.mark.parametrize("law", STATIONARY)
@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("dense", 1e-9), pytest.param("rotrnn", 1e-6, marks=pytest.mark.slow)],
)
def test_closed_form_is_gramian(name, law, tolerance):
    # By the entries of its matrix a rotation's curvature is a small sum of large numbers.
    off = by_route(name, law) - by_route(name, law, "gramian")
    assert np.abs(off).max() < tolerance


@pytest.mark.slow
@pytest.mark.parametrize("law", STATIONARY)
def test_closed_form_of_both_directions_is_the_integral_over_the_spectrum(law):
    off = by_route("blur", law) - small.by_spectrum("blur", law)
    assert np.abs(off).max() < 1e-10


def test_the_nodes_of_the_circle_integrate_resonances_at_the_edge():
    angles, weights = small._circle()
    assert weights.sum() == pytest.approx(1, rel=1e-13)
    for lam in (*LAM, *(LAM * np.exp(1j * small.ASIDE))):
        # Half of the circle, so that a resonance is taken with its mirror image.
        sides = (lam, lam.conjugate())
        gains = sum(abs(1 - x * np.exp(1j * angles)) ** -2 for x in sides) / 2
        assert gains @ weights == pytest.approx(1 / (1 - abs(lam) ** 2), rel=1e-10)


def test_a_relative_error_of_a_millionth_is_seen():
    truth = by_differences("lru", "mixed")
    assert np.abs(by_route("lru", "mixed") * (1 + 1e-6) - truth).max() > 1e-8


PROCESSES = {
    "white": White(),
    "rho=0.8": AR1(0.8),
    "mixed": Mixed(0.5, 0.5, 0.8),
    "moving average": MovingAverage((1.0, 0.5, -0.3)),
    "recording": Recording(
        np.cos(np.arange(97.0)) + np.sin(0.1 * np.arange(97.0) ** 2)
    ),
    "empirical": Empirical(np.random.default_rng(5).normal(size=(20, 60)).cumsum(1)),
}
LENGTH = 40


def _finite(process):
    with double_precision(True):
        return teacher_student(two_oscillations(), process, LENGTH)


def _students(name):
    with double_precision(True):
        if name in SMALL:
            return student(SMALL[name]).layer
        layer = small.student("s4")
        B, C = np.random.default_rng(3).normal(size=(2, 2, 2))
        arrays = {"B_re": B, "B_im": C, "C_re": C.T, "C_im": B.T, "D": B + C}
        return replace(
            layer, {key: jnp.asarray(value) for key, value in arrays.items()}
        )


def _close(expansion, truth, tolerance):
    scale = np.abs(truth.hessian).max()
    assert np.abs(expansion.hessian - truth.hessian).max() < tolerance * scale
    scale = np.abs(truth.gradient).max()
    assert np.abs(expansion.gradient - truth.gradient).max() < tolerance * scale
    assert expansion.layout == truth.layout


@pytest.mark.parametrize(
    ("name", "process"),
    [
        *marked((*SMALL, "s4"), "mixed"),
        *(("blur", process) for process in PROCESSES if process != "mixed"),
    ],
)
@pytest.mark.sampled(keep=["lru-mixed"])
def test_finite_sequences_have_the_curvature_of_their_loss(name, process):
    task, layer = _finite(PROCESSES[process]), _students(name)
    _close(expand(task, layer), expand(task, layer, "autodiff"), 1e-12)


@pytest.mark.parametrize("name", ["lru", "dense"])
@pytest.mark.sampled(keep=["lru"])
def test_infinite_sequences_have_any_autocovariance(name):
    with double_precision(True):
        task = teacher_student(two_oscillations(), PROCESSES["moving average"], None)
    layer = _students(name)
    _close(expand(task, layer), expand(task, layer, "autodiff"), 1e-12)


@pytest.mark.slow
def test_a_long_window_has_the_limit_of_infinite_sequences():
    layer = _students("blur")

    def hessian_at(length):
        with double_precision(True):
            task = teacher_student(two_oscillations(), AR1(0.8), length)
        return expand(task, layer).hessian

    limit = hessian_at(None)
    # What a window leaves out is its ends, c / T.
    off = [np.abs(hessian_at(length) - limit).max() for length in (300, 600)]
    assert off[0] / off[1] == pytest.approx(2, rel=1e-3)
    assert off[1] < 0.05 * np.abs(limit).max()


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.sampled(keep=["dense", "lru", "blur"])
def test_at_its_own_optimum_nothing_pulls_and_nothing_bends_down(name):
    layer = small.student(name)
    expansion = expand(small.task("mixed"), layer, at_optimum=True)
    assert np.abs(expansion.gradient).max() == 0
    values = np.linalg.eigvalsh(expansion.hessian)
    assert values[0] > -1e-11 * values[-1]


def test_the_student_as_teacher_is_at_the_optimum():
    with double_precision(True):
        task = teacher_student(small.student("lru"), Mixed(*STATIONARY["mixed"]), None)
    expansion = expand(task, small.student("lru"))
    alone = expand(task, small.student("lru"), at_optimum=True)
    scale = np.sqrt(np.diag(alone.hessian))
    assert (
        np.abs((expansion.hessian - alone.hessian) / np.outer(scale, scale)).max()
        < 1e-9
    )
    assert np.abs(expansion.gradient / scale).max() < 1e-9


def test_entries_go_by_name(x64):
    layer = zucchet_lru(3, 2, key=jax.random.key(0), d_out=1, nu0=0.5, theta0=3.0)
    task = teacher_student(layer, White(), 20)
    expansion = expand(task, layer)
    assert list(expansion.layout) == sorted(parameters(layer))
    assert expansion.block("B_re").shape == (6, 6)
    cross = expansion.block("nu_log", "C_im")
    assert cross.shape == (3, 3)
    assert np.array_equal(cross, expansion.block("C_im", "nu_log").T)
    # The skip connection sees each of the 20 inputs once: curvature one, uncoupled.
    np.testing.assert_allclose(expansion.block("D"), np.eye(2), atol=1e-15)


def test_divided_differences_of_a_window_are_those_of_the_powers():
    ages = np.arange(9)
    window = overlaps.Window(
        np.eye(9), np.eye(9), np.zeros((9, 1, 1)), np.zeros((9, 1, 1))
    )
    x, y, z = (np.array([value]) for value in (0.9 + 0.1j, 0.4 - 0.3j, -0.7 + 0j))
    two = (x**ages - y**ages) / (x - y)
    three = (two - (y**ages - z**ages) / (y - z)) / (x - z)
    np.testing.assert_allclose(window.shared([x, y], [z])[0, 0], two @ z**ages)
    np.testing.assert_allclose(window.shared([x, y, z], [z])[0, 0], three @ z**ages)


def test_single_precision_is_refused():
    layer = zucchet_lru(3, 1, key=jax.random.key(0), nu0=0.5, theta0=3.0)
    with pytest.raises(ValueError, match="need double precision for exact curvature"):
        expand(teacher_student(layer, White(), 20), layer)


def test_a_nonlinear_student_is_refused(x64):
    layer = nonlinear_rnn(3, 2, key=jax.random.key(0))
    with pytest.raises(ValueError, match="need a linear layer, got NonlinearRNN"):
        expand(_finite(White()), layer)


def test_an_unstable_student_is_refused():
    layer = small.student("cartesian")
    with double_precision(True):
        unstable = replace(layer, {"first": jnp.array([1.1, 0.2])})
    with pytest.raises(ValueError, match=r"inside the unit circle.*modulus 1\.1"):
        expand(small.task("white"), unstable)


@pytest.mark.parametrize(
    ("name", "route", "message"),
    [
        ("lru", "gramian", "need real states, got those of LRU"),
        ("blur", "gramian", "need a causal layer, got BLUR"),
    ],
)
def test_a_route_says_what_it_reaches(name, route, message):
    with pytest.raises(ValueError, match=message):
        expand(small.task("white"), small.student(name), route)


def test_autodiff_needs_a_teacher():
    with pytest.raises(ValueError, match="autodiff where the teacher is given"):
        expand(
            small.task("white"),
            small.student("lru"),
            "autodiff",
            at_optimum=True,
        )


def test_a_gramian_needs_no_end():
    task = small.task("white", 30)
    with pytest.raises(ValueError, match="infinite length for Gramians, got 30"):
        expand(task, small.student("dense"), "gramian")


SIZES = {"s4d": (2, 1), "s5": (2, 1)}
DISCRETE = {
    "s4d": (s4d, {"dt_min": 0.2, "dt_max": 0.6}),
    "s5": (s5, {"dt_min": 0.2, "dt_max": 0.6, "discretisation": "bilinear"}),
}


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.sampled(keep=["s5"])
def test_discretised_layers_are_expanded_by_their_discrete_eigenvalues(name):
    draw, options = DISCRETE[name]
    with double_precision(True):
        teacher, student = (
            jax.tree.map(
                lambda leaf: leaf.astype(float),
                draw(*SIZES[name], key=jax.random.key(seed), **options),
            )
            for seed in (3, 4)
        )
        task = teacher_student(teacher, AR1(0.5), length=12)
        closed, truth = (
            expand(task, student, route) for route in ("closed", "autodiff")
        )
    assert closed.gradient == pytest.approx(truth.gradient, rel=1e-8, abs=1e-10)
    assert closed.hessian == pytest.approx(truth.hessian, rel=1e-8, abs=1e-10)
    assert np.abs(truth.gradient).max() > 1e-3
