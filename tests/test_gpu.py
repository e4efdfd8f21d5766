"""A GPU makes it faster, never different."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Mixed
from sigprop.judge.run import verify
from sigprop.layers.blur import blur
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.neuron.montecarlo import second_moments
from sigprop.numerics.devices import use_device
from sigprop.numerics.precision import double_precision
from sigprop.theory.claims import find
from tests.rows import row

pytestmark = pytest.mark.gpu

CLAIMS = ("zucchet:42", "zucchet:60", "zucchet:53", "lru:6")


@pytest.fixture(autouse=True)
def needs_gpu():
    try:
        jax.devices("gpu")
    except RuntimeError as error:
        pytest.skip(f"needs a CUDA device: {error}")


def moments(device, process, wide):
    with use_device(device), double_precision(wide):
        lam = jnp.asarray([0.95, -0.7, 0.5 + 0.4j], jnp.complex128 if wide else None)
        return second_moments(
            jax.random.key(0), lam, process, times=(4, 100), num=5000, batch=2500
        )


@pytest.mark.parametrize("wide", [True, False], ids=["float64", "float32"])
@pytest.mark.parametrize("process", [AR1(0.9), Mixed(0.7, 0.3, 0.5)], ids=str)
def test_the_same_draws_give_the_same_moments_on_both_devices(process, wide):
    tolerance = 1e-9 if wide else 1e-3
    here, there = (moments(device, process, wide) for device in ("cpu", "gpu"))
    for local, other in zip(here, there, strict=True):
        for name in ("state", "sensitivity"):
            assert np.allclose(local[name].first, other[name].first, rtol=tolerance)
            assert not np.allclose(
                1.05 * local[name].first, other[name].first, rtol=1e-2
            )


def test_claims_have_the_same_verdicts_and_ratios_on_both_devices():
    runs = []
    for device in ("cpu", "gpu"):
        with use_device(device):
            runs.append(verify([row(claim_id) for claim_id in CLAIMS]))
    for claim, other in zip(*(run.claims for run in runs), strict=True):
        assert claim.status == other.status == find(claim.id).expected
        for first, second in zip(claim.results, other.results, strict=True):
            assert (first.route, first.point) == (second.route, second.point)
            same = np.allclose(first.value, second.value, rtol=1e-9, equal_nan=True)
            assert same, (first, second)
    assert runs[0].device == "cpu"
    assert runs[1].device == jax.devices("gpu")[0].device_kind


def test_work_stays_on_the_device_that_was_asked_for():
    from sigprop.neuron.montecarlo import over_batches

    for device in ("cpu", "gpu"):
        with use_device(device):
            devices = over_batches(
                lambda index, count: jnp.zeros(1).devices().pop().platform,
                4,
                1,
                lambda count: None,
            )
        assert set(devices) == {device}


FULL = {
    "lru": lambda key: lru(256, 128, key=key, r_min=0.9, r_max=0.999),
    "blur": lambda key: blur(256, 128, key=key, r_min=0.9, r_max=0.999),
    "rotrnn": lambda key: rotrnn(
        256, 128, key=key, heads=32, gamma_range=(0.9, 0.999), theta_range=(0.0, 6.28)
    ),
}


@pytest.mark.parametrize("name", FULL)
def test_layers_of_full_size_give_the_same_outputs_and_gradients(name):
    def outputs(device):
        with use_device(device):
            layer = FULL[name](jax.random.key(0))
            u = jax.random.normal(jax.random.key(1), (16_384, 128))
            y, gradient = jax.value_and_grad(lambda u: jnp.mean(layer(u) ** 2))(u)
            return np.asarray(layer(u)), float(y), np.asarray(gradient)

    for here, there in zip(outputs("cpu"), outputs("gpu"), strict=True):
        apart = np.abs(np.asarray(here) - there).max() / np.abs(here).max()
        assert apart < 1e-3
