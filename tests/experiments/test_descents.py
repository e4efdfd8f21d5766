"""What the descents of angle_descent, power_descent and convolution_kernel show."""

import cmath
import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.experiments import angle_descent, convolution_kernel, power_descent
from sigprop.numerics.precision import double_precision
from sigprop.tasks.convolution import glorot_rnn
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional
from sigprop.tasks.power import power

pytestmark = pytest.mark.slow  # the losses and charts have quick tests of their own


@pytest.fixture(scope="module")
def angles():
    return angle_descent.run(
        angle_descent.Config(
            steps=10_000, records=100, points=11, begins=(0.02, 0.25, 0.5)
        )
    )


@pytest.mark.parametrize("parametrisation", ["plain", "exponential"])
def test_adam_finds_the_angle_in_the_usual_charts(angles, parametrisation):
    assert float(angles["distance"].sel(chart=parametrisation).max()) < 1e-3


@pytest.mark.parametrize("parametrisation", ["optimal", "held"])
def test_adam_misses_it_from_afar_in_the_optimal_chart(angles, parametrisation):
    runs = angles.sel(chart=parametrisation, many_rate=1e-3)
    assert float(runs["distance"].sel(begin=[0.25, 0.5]).min()) > 1e-2
    assert float(runs["final_loss"].sel(begin=[0.25, 0.5]).min()) > 0.05


def test_adam_finds_it_from_nearby_in_the_optimal_chart(angles):
    near = angles["distance"].sel(chart="optimal", many_rate=1e-3, begin=0.02)
    assert float(near) < 1e-3


def test_recorded_path_is_the_descent_from_its_angle(angles):
    for parametrisation in angles["chart"].values:
        descent = angles.sel(chart=parametrisation)
        assert float(descent["angle"][0]) == pytest.approx(math.pi / 4)
        lam = descent["modulus"][-1] * np.exp(1j * descent["angle"][-1])
        goal = cmath.rect(0.99, math.pi / 100)
        expected = descent["distance"].sel(begin=0.25, many_rate=1e-3)
        assert float(abs(lam - goal)) == pytest.approx(float(expected))


def test_landscape_is_the_loss_about_path_and_target(angles):
    task = OneDimensional(cmath.rect(0.99, math.pi / 100))
    for name, parametrisation in angle_descent.PARAMETRISATIONS.items():
        descent = angles.sel(chart=name)
        axes = descent["row_omega_nu"].values, descent["column_omega_theta"].values
        for path, axis, goal in zip(
            ("omega_nu", "omega_theta"), axes, descent["goal"].values, strict=True
        ):
            inside = np.append(descent[path].values, goal)
            assert axis[0] < inside.min() < inside.max() < axis[-1]
        with double_precision(True):
            at = jnp.asarray(axes[0][3]), jnp.asarray(axes[1][7])
            loss = task.loss(*parametrisation.polar(Coordinates(*at)))
        assert float(descent["landscape"][3, 7]) == pytest.approx(float(loss))


@pytest.fixture(scope="module")
def powers():
    return power_descent.run(
        power_descent.Config(
            phases=5, lags=(-0.4, -0.2, 0.2, 0.4), log_rates=(-3.0, -2.75), points=9
        )
    )


def test_exponential_chart_learns_alike_at_every_phase(powers):
    settled = powers["settled"].sel(chart="exponential")
    assert (settled == settled.isel(phase=0)).all()
    assert float(settled.max()) < 200


def test_cartesian_chart_is_slowest_between_the_axes_and_not_on_them(powers):
    mean = powers["settled"].mean(("log_rate", "lag"))
    cartesian, exponential = mean.sel(chart=["cartesian", "exponential"])
    assert int(cartesian.argmax("phase")) == 2
    assert float(cartesian[2]) > 1.3 * float(exponential[2])
    assert float(cartesian[-1]) < 1.05 * float(exponential[-1])
    np.testing.assert_allclose(cartesian, cartesian[::-1], rtol=1e-3)


def test_paths_start_at_the_right_modulus_and_end_where_the_table_says(powers):
    for name, parametrisation in power_descent.PARAMETRISATIONS.items():
        descent = powers.sel(chart=name)
        lam = np.asarray(
            parametrisation.eigenvalue(jnp.asarray(descent["path"].values))
        )
        np.testing.assert_allclose(np.abs(lam[:, 0]), math.exp(-0.01), rtol=1e-6)
        target = np.exp(-0.01 + 1j * math.pi * powers["shown"].values)
        behind = np.angle(target / lam[:, 0]) / (2 * math.pi / 100)
        np.testing.assert_allclose(behind, 0.4, rtol=1e-4)
        final = np.abs(lam[:, -1] ** 100 - target**100) ** 2
        assert (final < 1e-3).all()


def test_landscape_of_powers_is_the_loss(powers):
    side = powers["first"].values
    with double_precision(True):
        task = power(np.exp(-0.01 + 0.5j * math.pi), 100)
        moved = task.teacher + side[2] + 1j * side[6]
        expected = float(task.loss(moved) / task.scale)
    loss = powers["landscape"].sel(chart="cartesian", shown=0.5)[2, 6]
    assert float(loss) == pytest.approx(expected)


def test_settled_is_where_the_loss_stays_below():
    low, high = power_descent.SETTLED / 2, 1.0
    losses = [[low] * 4, [high, low, high, low], [high] * 4, [high, low, np.nan, low]]
    assert power_descent.settled_at(np.array(losses)).tolist() == [0, 3, 4, 3]


def test_networks_of_one_seed_begin_alike_and_learn():
    config = dataclasses.replace(convolution_kernel.SMOKE, scales=(1e-3,))
    result = convolution_kernel.run(config)
    first, last = result["loss"].isel(step=[0, -1]).transpose("step", ...)
    key = jax.random.fold_in(jax.random.key(1), 0)
    task = convolution_kernel._task(config, jnp.asarray(0), config.sequences)
    for activation in convolution_kernel.ACTIVATIONS:
        layer = glorot_rnn(key, config.hidden, activation, 1e-3)
        begun = float(task.loss(layer) / task.power)
        np.testing.assert_allclose(first.sel(activation=activation), begun, rtol=1e-5)
    assert (last < first).all()
    assert (result["diverged"] == -1).all()
    assert float(result["radius"].max()) < 2e-3


def test_divergence_is_recorded():
    config = dataclasses.replace(convolution_kernel.SMOKE, log_rates=(30.0,))
    result = convolution_kernel.run(config)
    assert (result["diverged"].sel(activation="identity") >= 0).all()
    assert np.isnan(result["loss"].sel(activation="identity").isel(step=-1)).all()


@pytest.mark.parametrize("study", [angle_descent, convolution_kernel])
def test_steps_that_records_do_not_divide_are_refused(study):
    with pytest.raises(ValueError, match="need steps in multiples of 7, got 20"):
        study.Config(steps=20, records=7)


def test_bad_starts_and_targets_are_refused():
    with pytest.raises(ValueError, match=r"0 < \|lag\| < 0.5"):
        power_descent.Config(lags=(0.5,))
    with pytest.raises(ValueError, match="need a positive decay"):
        power_descent.Config(decay=0.0)
