"""Optimal paths: closed forms, many digits and the equation itself say what is right."""

import dataclasses
import functools
import itertools
import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from sympy import Rational

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.landscape.optimal_parametrisations import (
    SMALLEST_GAP,
    OptimalParametrisation,
    Path,
    _cubic,
    speed,
)
from sigprop.linear.infinite_loss import spectrum
from sigprop.neuron.stable import state_moment
from sigprop.numerics.compile import compile_expr
from sigprop.tasks.one_dimensional import (
    MODULI,
    Coordinates,
    OneDimensional,
    Parametrisation,
)
from sigprop.theory import optimal as theory
from sigprop.theory.symbols import a, b, rho
from sigprop.theory.symbols import theta as angle
from sigprop.theory.teacher_student import nu

GAPS = np.geomspace(0.99, 1e-9, 25)
CLOSED = [
    *((White(), "white", gain) for gain in theory.GAINS),
    *((Constant(), "constant", gain) for gain in theory.GAINS[:3]),
    *((AR1(ratio), "exponential", "loss") for ratio in (0.7, -0.7, 0.999)),
]
MIXED = Mixed(0.3, 0.5, 0.9)
PATHS = [
    Path(White(), "none"),
    *(Path(AR1(-0.95), gain) for gain in ("matched", "loss")),
    *(Path(MIXED, gain) for gain in ("white", "matched")),
]
EDGES = [Path(AR1(ratio), "matched") for ratio in (-1.0, 0.999)]


@pytest.fixture(autouse=True)
def precise(x64):
    """Charts are trained in double precision."""


@functools.cache
def metric(path):
    """The equation's right side, from SymPy, in many digits."""
    law = path.process
    numbers = {
        White: lambda: (1, 0, 0),
        AR1: lambda: (0, 1, Rational(repr(law.rho))),
        Mixed: lambda: tuple(
            Rational(repr(value)) for value in dataclasses.astuple(law)
        ),
    }[type(law)]()
    form = theory.metric(path.gain, "mixed").result
    numbers = dict(zip((a, b, rho), numbers, strict=True))
    return compile_expr(form.subs(numbers), nu, backend="mpmath")


@pytest.mark.parametrize(("process", "source", "gain"), CLOSED, ids=str)
@pytest.mark.sampled(
    5,
    keep=[
        "White(variance=1.0)-white-none",
        "White(variance=1.0)-white-white",
        "Constant(variance=1.0)-constant-matched",
        "AR1(rho=0.7, variance=1.0)-exponential-loss",
    ],
)
def test_omega_is_the_closed_form_to_a_gap_of_1e_9(process, source, gain):
    form = theory.coordinate(gain, source).result
    if source == "exponential":
        form = form.subs(theory.size, Rational(repr(abs(process.rho))))
    exact = compile_expr(form, nu, backend="mpmath")
    with mpmath.workdps(40):
        expected = [float(exact(1 - mpmath.mpf(float(gap)))) for gap in GAPS]
    path = Path(process, gain)
    np.testing.assert_allclose(path.omega(GAPS), expected, rtol=1e-13)
    np.testing.assert_allclose(path.gap(path.omega(GAPS)), GAPS, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("path", [*PATHS, *EDGES], ids=str)
def test_omega_is_the_integral_of_the_root_of_the_metric(path):
    square = metric(path)

    def speed_by_depth(depth):
        gap = mpmath.exp(-depth)
        return gap * mpmath.sqrt(square(1 - gap))

    ends = [0, 2, 7, -math.log(1e-9)]
    with mpmath.workdps(25):
        parts = [
            mpmath.quad(speed_by_depth, np.linspace(*pair, 5).tolist())
            for pair in itertools.pairwise(ends)
        ]
    expected = [float(sum(parts[: i + 1])) for i in range(3)]
    coordinates = path.omega(np.exp(-np.array(ends[1:])))
    np.testing.assert_allclose(coordinates, expected, rtol=1e-11)


@pytest.mark.parametrize("path", [*PATHS, *EDGES[1:]], ids=str)
@pytest.mark.sampled(keep=[str(PATHS[i]) for i in (0, 2, 4)])
def test_a_unit_step_moves_the_state_by_one_along_the_whole_chart(path):
    """The equation of Section 3.1, with JAX's slope of what is trained on."""
    square = metric(path)
    modulus = path.modulus()
    moduli = 1 - np.geomspace(0.99, 1e-6, 40)
    omega = modulus.inverse(jnp.asarray(moduli))
    derivatives = np.asarray(jax.vmap(jax.grad(modulus.forward))(omega))
    moved = [float(square(mpmath.mpf(float(at)))) for at in moduli] * derivatives**2
    np.testing.assert_allclose(moved, 1, atol=1e-7)


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_the_chart_is_the_path_to_the_error_that_it_states(path):
    gaps = np.geomspace(0.9, 1e-11, 300)
    omega = path.omega(gaps)
    modulus = path.modulus()
    computed = 1 - np.asarray(modulus.forward(jnp.asarray(omega)))
    rounding = 3e-16 / gaps
    assert (np.abs(computed / gaps - 1) < 1e-10 + rounding).all()
    back = np.asarray(modulus.inverse(jnp.asarray(1 - gaps)))
    assert (np.abs(back / omega - 1) < 1e-10 + rounding).all()


def test_under_white_inputs_the_path_of_the_loss_is_tanh():
    modulus = Path(White(), "loss").modulus()
    omega = jnp.linspace(-9, 9, 101)
    expected = MODULI["tanh"].forward(omega)
    np.testing.assert_allclose(modulus.forward(omega), expected, atol=1e-10)


@pytest.mark.parametrize("ratio", [0.5, 0.9, 0.99])
def test_at_long_memory_the_path_of_the_loss_is_tanh_moved(ratio):
    gaps = np.array([1e-7, 1e-8, 1e-9])
    shift = Path(AR1(ratio), "loss").omega(gaps) - Path(White(), "loss").omega(gaps)
    np.testing.assert_allclose(shift, shift[0], atol=1e-8)
    assert shift[0] < -0.05


@pytest.mark.parametrize("ratio", [-0.9, 0.0, 0.5, 0.99])
def test_at_long_memory_the_state_moves_as_far_at_any_correlation(ratio):
    """``gamma^2 E(dh/dlam)^2`` tends to ``1 / (2 gap^2)``, and bare to what grows so."""
    gap = np.array([1e-8])
    matched = Path(AR1(ratio), "matched").derivative(gap) * gap * math.sqrt(2)
    np.testing.assert_allclose(matched, 1, rtol=1e-5)
    bare = Path(AR1(ratio), "none").derivative([1e-7, 1e-9])
    assert bare[1] / bare[0] == pytest.approx(1000, rel=1e-4)


def test_negative_parameters_go_the_path_of_negative_eigenvalues():
    path, mirrored = Path(AR1(0.8)).modulus(), Path(AR1(-0.8))
    omega = mirrored.omega([0.7, 1e-3])
    coordinate = path.forward(jnp.asarray(-omega))
    np.testing.assert_allclose(coordinate, [-0.3, -0.999], rtol=1e-9)
    np.testing.assert_allclose(path.inverse(coordinate), -omega, rtol=1e-8)
    assert float(path.forward(jnp.zeros(()))) == 0
    assert float(jax.grad(path.forward)(0.0)) == pytest.approx(1)


def test_cubics_go_straight_on_beyond_their_knots():
    table = np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([2.0, 0.5])
    values = _cubic(jnp.array([-1.0, 3.0]), *table)
    np.testing.assert_allclose(values, [-2.0, 2.0])


@pytest.mark.parametrize("gain", theory.GAINS[:3])
def test_speed_of_the_angle_is_the_metric(gain):
    form = theory.angle_metric(gain, "exponential").result
    exact = compile_expr(form, nu, angle, rho, backend="mpmath")
    for gap, at, ratio in ((0.3, 0.5, 0.6), (1e-4, 1e-3, 0.99), (1e-2, 3.0, -0.9)):
        with mpmath.workdps(40):
            point = 1 - mpmath.mpf(gap), mpmath.mpf(at), mpmath.mpf(ratio)
            expected = float(mpmath.sqrt(exact(*point)))
        value = speed(AR1(ratio), gain, gap, at, "angle")
        assert float(value) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("process", "point"),
    [
        (AR1(0.6), (0.8, 0.0)),
        (MIXED, (0.8, math.pi)),
        (MIXED, (0.8, 0.4)),
    ],
)
@pytest.mark.sampled(keep=["process2-point2"])
def test_loss_speed_is_the_curvature_of_the_normalised_loss(process, point):
    """By autodiff, of the unnormalised loss and the moments that normalise it."""
    star = jnp.array(point)
    task = OneDimensional(complex(point[0] * np.exp(1j * point[1])), False, process)
    law = spectrum(process)

    def moment(at):
        gap, phase = 1 - at[0], at[1]
        white, other = (
            state_moment(gap, phase, correlation) for correlation in (0.0, law.rho)
        )
        return law.a * white + law.b * other

    def loss(at):
        cross = (moment(at) + moment(star) - 2 * task.loss(*at)) / 2
        return 1 - cross / jnp.sqrt(moment(at) * moment(star))

    curvatures = np.diag(jax.jit(jax.hessian(loss))(star))
    gap, phase = 1 - point[0], point[1]
    expected = [speed(process, "loss", gap, phase, way) for way in ("modulus", "angle")]
    np.testing.assert_allclose(curvatures, np.square(expected), rtol=1e-9)


def test_the_optimal_chart_goes_there_and_back_and_hides_what_it_should():
    path = Path(AR1(0.5), "white")
    for held_angle in (False, True):
        parametrisation = OptimalParametrisation(path, "optimal", held_angle)
        at = parametrisation.coordinates(0.97, 0.6)
        np.testing.assert_allclose(parametrisation.polar(at), (0.97, 0.6), rtol=1e-9)
        moved = jax.grad(
            lambda modulus, at=at, parametrisation=parametrisation: (
                parametrisation.polar(Coordinates(modulus, at.angle))[1]
            )
        )(at.modulus)
        assert (float(moved) == 0) == held_angle
    plain = Parametrisation("tanh", "plain")
    optimal = OptimalParametrisation(Path(White(), "loss"))
    np.testing.assert_allclose(
        optimal.coordinates(0.9, 0.1), plain.coordinates(0.9, 0.1), rtol=1e-9
    )


@pytest.mark.parametrize("modulus", [1.0, -1.0, 1.5, np.array([0.5, np.nan])])
def test_an_eigenvalue_outside_the_disc_has_no_coordinates(modulus):
    with pytest.raises(ValueError, match=r"need modulus in \(-1, 1\), got"):
        OptimalParametrisation().coordinates(modulus, 0.1)


def test_bad_paths_are_refused():
    with pytest.raises(ValueError, match="need a gain in none, white, matched, loss"):
        Path(gain="best")
    with pytest.raises(ValueError, match=r"autocovariance a delta \+ b rho"):
        Path(MovingAverage((1.0, 0.5)))
    with pytest.raises(ValueError, match="their past does not determine"):
        Path(Constant(), "loss")
    with pytest.raises(ValueError, match="need to move along modulus or angle"):
        speed(White(), "none", 0.5, 0.0, "both")
    with pytest.raises(ValueError, match=r"need gap in \(0, 1\]"):
        speed(White(), "none", [0.5, 0.0], 0.0)
    with pytest.raises(ValueError, match="need a gap in"):
        Path().omega([0.5, SMALLEST_GAP / 2])
    with pytest.raises(ValueError, match="need a length in"):
        Path().gap([-1.0])
    with pytest.raises(ValueError, match="need a parametrisation of the angle"):
        OptimalParametrisation(angle="best")
