"""Slices of losses, what leaves them as they are, and the landscape in closed form."""

import cmath
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from sigprop import landscape
from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.layers.base import replace
from sigprop.layers.bidirectional_lru import bidirectional_lru
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.lru import zucchet_lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.networks import NetworkConfig, build, over_batch
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional, Parametrisation
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

KEY = jax.random.key(3)
N, D_IN, D_OUT = 5, 2, 3
ACCURACY = 1e-6  # of curvatures from differences


def cartesian(key=KEY):
    layer = complex_diagonal(N, D_IN, key=key, d_out=D_OUT, nu0=0.5)
    inside = {name: 0.8 * vars(layer)[name] for name in ("first", "second")}
    return replace(layer, inside)


def problem(process=None, length=None, d_out=D_OUT):
    """The exact loss of a layer."""
    teacher = linear_teacher(KEY, nu0=0.5, size=4, d_in=D_IN, d_out=d_out)
    return teacher_student(teacher, process, length).loss


def weights(layer):
    return layer.B_re + 1j * layer.B_im, layer.C_re + 1j * layer.C_im


def with_modes(layer, lam, B, C):
    return replace(
        layer,
        {
            "first": lam.real,
            "second": lam.imag,
            "B_re": B.real,
            "B_im": B.imag,
            "C_re": C.real,
            "C_im": C.imag,
        },
    )


def rescaled(layer):
    factor = jnp.array([0.2, 0.5, 1.0, 3.0, 8.0])
    B, C = weights(layer)
    return with_modes(layer, layer.eigenvalues(), B * factor[:, None], C / factor[None])


def permuted(layer):
    B, C = weights(layer)
    order = jnp.array([3, 1, 4, 0, 2])
    return with_modes(layer, layer.eigenvalues()[order], B[order], C[:, order])


def turned(layer):
    B, C = weights(layer)
    phase = jnp.exp(1j * jnp.arange(N))
    return with_modes(layer, layer.eigenvalues(), B * phase[:, None], C / phase[None])


def conjugated(layer):
    B, C = weights(layer)
    flip = jnp.array([True, False, True, True, False])
    return with_modes(
        layer,
        *(
            jnp.where(mask, array.conj(), array)
            for mask, array in (
                (flip, layer.eigenvalues()),
                (flip[:, None], B),
                (flip[None], C),
            )
        ),
    )


def lopsided(layer):
    """Not an invariance: the readout is not scaled back."""
    return replace(layer, {"B_re": 1.05 * layer.B_re, "B_im": 1.05 * layer.B_im})


SYMMETRIES = (rescaled, permuted, turned, conjugated)


@pytest.mark.parametrize("process", [White(), AR1(0.9)], ids=["white", "ar1"])
@pytest.mark.sampled(keep=["ar1"])
def test_loss_does_not_see_how_a_mode_is_written(x64, process):
    loss, layer = eqx.filter_jit(problem(process)), cartesian()
    expected = float(loss(layer))
    for same in SYMMETRIES:
        assert float(loss(same(layer))) == pytest.approx(expected, rel=1e-10)
    assert abs(float(loss(lopsided(layer))) / expected - 1) > 1e-3


def test_slices_do_not_see_how_a_mode_is_scaled(x64):
    loss, layer = problem(), cartesian()
    steps = [jnp.linspace(-0.05, 0.05, 5)] * 2
    slices = [
        landscape.slices(
            loss,
            each_layer,
            [landscape.direction(k, each_layer) for k in jax.random.split(KEY)],
            steps,
        )
        for each_layer in (layer, rescaled(layer))
    ]
    assert np.isfinite(slices).all()
    np.testing.assert_allclose(*slices, rtol=1e-9)
    plain = jax.tree.map(jnp.ones_like, landscape.only_parameters(layer))
    apart = [
        landscape.slices(loss, each_layer, [plain], steps[:1])
        for each_layer in (layer, rescaled(layer))
    ]
    assert float(jnp.abs(apart[0] / apart[1] - 1).max()) > 0.01


@pytest.mark.parametrize("same", [permuted, turned, conjugated])
def test_a_slice_moves_with_the_way_its_modes_are_written(x64, same):
    loss, layer = problem(), cartesian()
    direction = landscape.direction(KEY, layer)
    there = same(eqx.apply_updates(layer, direction))
    mapped = jax.tree.map(
        lambda x, y: x - y, *map(landscape.only_parameters, (there, same(layer)))
    )
    steps = [jnp.linspace(-0.05, 0.05, 3)]
    slices = landscape.slices(loss, layer, [direction], steps)
    normalised = landscape.normalise(mapped, same(layer))
    repeated = landscape.slices(loss, same(layer), [normalised], steps)
    assert np.isfinite(slices).all()
    np.testing.assert_allclose(slices, repeated, rtol=1e-9)


LAYERS = {
    "cartesian": (cartesian, N),
    "lru": (lambda: zucchet_lru(N, D_IN, key=KEY, d_out=D_OUT, nu0=0.5, theta0=1.0), N),
    "s5": (lambda: s5(8, 3, key=KEY), None),
    "s4d": (lambda: s4d(4, 3, key=KEY), 12),
    "blur": (lambda: blur(N, D_IN, key=KEY), 2 * N),
    "two ways": (lambda: bidirectional_lru(N, D_IN, key=KEY), N),
}


OTHERS = [
    pytest.param(name, marks=pytest.mark.slow if name[0] in "bst" else ())
    for name in LAYERS
]


@pytest.mark.parametrize("name", OTHERS)
def test_every_mode_is_one_unit_and_a_direction_as_long(x64, name):
    make, modes = LAYERS[name]
    layer = make()
    units = landscape.units(layer)
    x = np.asarray(ravel_pytree(landscape.only_parameters(layer))[0])
    sizes = np.bincount(units.label)
    if modes is not None:
        assert (sizes > 2).sum() == modes or layer.D.ndim > 1
    moved = landscape.direction(KEY, layer)
    own = units.lengths(np.asarray(ravel_pytree(moved)[0]))
    np.testing.assert_allclose(own, units.lengths(x), rtol=1e-12)


def test_a_mode_holds_its_eigenvalue_its_row_and_its_column(x64):
    layer = cartesian()
    x, split = ravel_pytree(landscape.only_parameters(layer))
    label = split(jnp.asarray(landscape.units(layer).label, x.dtype))
    for mode in range(N):
        own = [label.first[mode], label.second[mode]]
        inward = [*label.B_re[mode], *label.B_im[mode]]
        outward = [*label.C_re[:, mode], *label.C_im[:, mode]]
        assert len({*map(float, (*own, *inward, *outward))}) == 1
    assert len({*map(float, label.first)}) == N


def test_rows_of_a_matrix_are_units_and_biases_go_with_them(x64):
    network, _ = small_network("lru")
    x, split = ravel_pytree(landscape.only_parameters(network))
    label = split(jnp.asarray(landscape.units(network).label, x.dtype))
    encoder = label.encoder
    for row, bias in zip(encoder.weight, encoder.bias, strict=True):
        assert {*map(float, row)} == {float(bias)}
    assert len({*map(float, encoder.bias)}) == len(encoder.bias)
    recurrent = label.blocks[0].layer
    for mode in range(4):
        mode_parameters = (
            recurrent.nu_log[mode],
            *recurrent.B_re[mode],
            *recurrent.C_im[:, mode],
        )
        assert len({*map(float, mode_parameters)}) == 1


def small_network(layer):
    config = NetworkConfig(
        inputs=2,
        outputs=3,
        width=4,
        state_size=4,
        depth=1,
        layer=layer,
        norm="layer",
    )
    return build(config, key=KEY)


def network_loss(state):
    u, wanted = (
        jax.random.normal(k, shape)
        for k, shape in zip(jax.random.split(KEY), ((6, 20, 2), (6, 3)), strict=True)
    )

    def loss(network):
        return jnp.mean((over_batch(network, state, u)[0] - wanted) ** 2)

    return loss


def case(name):
    """A loss and a model; sequences run through recurrences with reverse rules."""
    if name == "network":
        network, state = small_network("lru")
        return network_loss(state), network
    if name == "finite":
        return problem(White(), 30, D_IN), rotrnn(4, D_IN, key=KEY, heads=2)
    return problem(AR1(0.5)), zucchet_lru(
        N, D_IN, key=KEY, d_out=D_OUT, nu0=0.5, theta0=1.0
    )


SLOW = pytest.param("finite", marks=pytest.mark.slow)


@pytest.mark.parametrize("name", ["network", "population", SLOW])
@pytest.mark.sampled(keep=["population"])
def test_second_difference_of_a_slice_is_that_of_the_hessian(x64, name):
    loss, model = case(name)
    along = landscape.direction(KEY, model)
    model_of = landscape.quadratic(loss, model, [along])
    measured = landscape.second_difference(loss, model, along)
    assert measured == pytest.approx(float(model_of.hessian[0, 0]), rel=ACCURACY)
    wrong = 1.05 * float(model_of.hessian[0, 0])
    assert measured != pytest.approx(wrong, rel=ACCURACY)


def test_quadratic_model_touches_the_slice(x64):
    loss, layer = problem(), cartesian()
    two = [landscape.direction(k, layer) for k in jax.random.split(KEY)]
    model = landscape.quadratic(loss, layer, two)
    np.testing.assert_allclose(model.hessian, model.hessian.T, rtol=1e-9)
    misses = []
    for size in (1e-2, 5e-3):
        steps = [size * np.arange(-1, 2)] * 2
        exact = np.asarray(landscape.slices(loss, layer, two, steps))
        misses.append(np.abs(exact - model(*steps)).max())
    assert misses[0] / misses[1] == pytest.approx(8, rel=0.1)  # the third order is left


def test_points_of_a_slice_do_not_depend_on_the_batch(x64):
    loss, layer = problem(), cartesian()
    directions, steps = (
        [landscape.direction(KEY, layer)],
        [jnp.linspace(-0.05, 0.05, 7)],
    )
    slices = [
        landscape.slices(loss, layer, directions, steps, batch) for batch in (2, 7)
    ]
    np.testing.assert_allclose(*slices, rtol=1e-12)


def test_misfits_are_refused(x64):
    layer = cartesian()
    along = landscape.direction(KEY, layer)
    with pytest.raises(ValueError, match="one array of steps a direction, got 2 for 1"):
        landscape.slices(problem(), layer, [along], [jnp.zeros(2)] * 2)
    with pytest.raises(ValueError, match="a direction with the parameters"):
        landscape.normalise(complex_diagonal(N, 1, key=KEY), layer)


INPUTS = {
    "white": White(2.0),
    "ar1": AR1(0.9),
    "alternating": AR1(-0.7),
    "mixed": Mixed(0.3, 0.7, 0.99),
    "moving average": MovingAverage((1.0, 0.5, -0.2)),
    "constant": Constant(1.5),
}
CHARTS = (
    Parametrisation("plain", "plain"),
    Parametrisation("exponential", "exponential"),
    Parametrisation("tanh", "optimal"),
)


def by_points(task, parametrisation, rows, columns):
    """The loss of the task, point by point."""

    def loss_at(row, column):
        if parametrisation is None:
            return task.loss(jnp.hypot(row, column), jnp.arctan2(column, row))
        return task.loss(*parametrisation.polar(Coordinates(row, column)))

    return jax.vmap(jax.vmap(loss_at, (None, 0)), (0, None))(rows, columns)


ALTERNATING = [(name, index % 2 == 0) for index, name in enumerate(INPUTS)]


@pytest.mark.parametrize(("name", "normalised"), ALTERNATING)
@pytest.mark.sampled(keep=["white-True", "mixed-False"])
def test_surface_is_the_loss_of_the_task(x64, name, normalised):
    teacher = cmath.rect(0.9, 0.4)
    task = OneDimensional(teacher, normalised, INPUTS[name])
    axes = jnp.linspace(-0.68, 0.69, 7), jnp.linspace(-0.7, 0.71, 6)
    for parametrisation in (None, CHARTS[len(name) % 3]):
        surface = landscape.surface(task, *axes, parametrisation)
        expected = by_points(task, parametrisation, *axes)
        assert surface.shape == (7, 6)
        size = float(expected[jnp.isfinite(expected)].max())
        np.testing.assert_allclose(surface, expected, rtol=1e-12, atol=1e-13 * size)


@pytest.mark.parametrize(
    "parametrisation", CHARTS[2:], ids=lambda parametrisation: parametrisation.modulus
)
@pytest.mark.slow
def test_surface_is_the_loss_in_every_chart_and_of_finite_sequences(
    x64, parametrisation
):
    axes = jnp.linspace(-1.5, 1.5, 5), jnp.linspace(-2.0, 3.0, 4)
    for length in (None, 9):
        task = OneDimensional(cmath.rect(0.9, 0.4), length=length)
        surface = landscape.surface(task, *axes, parametrisation)
        expected = by_points(task, parametrisation, *axes)
        np.testing.assert_allclose(surface, expected, rtol=1e-11, atol=1e-13)


def test_surface_is_zero_at_the_teacher_and_infinite_outside(x64):
    task = OneDimensional(0.6 + 0.3j, process=AR1(0.5))
    surface = landscape.surface(task, jnp.array([0.6, 0.9]), jnp.array([0.3, 0.5]))
    assert float(surface[0, 0]) == pytest.approx(0, abs=1e-14)
    assert float(surface[1, 1]) == math.inf
    assert np.isfinite(surface[0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("process", [White(), AR1(0.9)], ids=["white", "ar1"])
def test_a_surface_of_four_million_points_is_the_loss_at_any_of_them(x64, process):
    task = OneDimensional(cmath.rect(0.99, math.pi / 100), process=process)
    axes = jnp.linspace(0.5, 0.999, 2000), jnp.linspace(-math.pi, math.pi, 2000)
    parametrisation = Parametrisation("plain", "plain")
    surface = landscape.surface(task, *axes, parametrisation)
    assert surface.shape == (2000, 2000)
    some = np.s_[::333], np.s_[::499]
    expected = by_points(task, parametrisation, axes[0][some[0]], axes[1][some[1]])
    np.testing.assert_allclose(surface[some], expected, rtol=1e-11, atol=1e-13)
