"""What the audit of other libraries' layers measures is what those layers do."""

import inspect

import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.audit.foreign import Limits, check, gates
from sigprop.audit.foreign.drive import embed
from sigprop.audit.foreign.margin import margin
from sigprop.audit.foreign.modes import Chosen
from sigprop.audit.series import load_series
from sigprop.networks.foreign import find, of_arrays
from sigprop.numerics.precision import double_precision
from tests.sigprop.audit.lint import healthy
from tests.sigprop.audit.test_foreign import STEPS, audited, layers, written


def arrays_of(name):
    return healthy.HEALTHY[name](np.random.default_rng(2))


@pytest.mark.parametrize("name", ["Mamba-1", "Griffin"])
def test_states_and_memories_of_gated_neurons_are_those_of_the_layer(
    name, tmp_path, monkeypatch
):
    """All neurons of both layers, over inputs of several channels; no theory."""

    def ones(neurons, *rest):
        return np.ones(len(neurons.weights))

    monkeypatch.setattr(gates, "_predict", ones)
    monkeypatch.setattr(gates, "_second_half", ones)
    series = load_series(written(tmp_path, features=3, rho=0.5))
    few = type(series)(series.values[:7], series.names, series.notes, series.block)
    with double_precision(True):
        (match,) = find(of_arrays(layers(name)))
        layer = match.layer()
        indices = np.arange(layer.state_size)[:: max(1, layer.state_size // 40)]
        embedding = embed(few, layer.widths[0], None, 3)
        u = few.values @ embedding.mixing.T
        h = np.stack(
            [layer.states(jnp.asarray(sequence))[:, indices] for sequence in u]
        )
        a = np.stack(
            [layer.gates(jnp.asarray(sequence))[0][:, indices] for sequence in u]
        )
        still = np.ones(len(indices))
        chosen = Chosen("gated", indices, still, still, layer=layer)
        measured = gates.gated_moments(chosen, few, embedding, 0)
    squares = (h[:, STEPS // 2 :] ** 2).mean((0, 1))
    np.testing.assert_allclose(measured.moments[0].measured, squares, rtol=1e-6)
    memory = 1 / (1 - np.exp(np.log(a).mean((0, 1))))
    np.testing.assert_allclose(measured.time_constant, memory, rtol=1e-6)
    early, late = u[:, :-1], u[:, 1:]
    rho = 2 * (early * late).sum() / ((early**2).sum() + (late**2).sum())
    assert measured.rho == pytest.approx(rho, rel=1e-6)


class Stop(Exception):
    """Enough was seen."""


SEEDED = {  # the layers that reach a function that draws, and what it answers
    "embed": ("minimal-LRU", None),
    "linear_moments": ("minimal-LRU", ()),
    "measured_trace": ("minimal-LRU", Stop),
    "gated_moments": ("Griffin", Stop),
    "running_state": ("PyTorch GRU", Stop),
}


def test_every_function_that_draws_is_known():
    drawers = {
        name
        for name, function in vars(check).items()
        if inspect.isfunction(function)
        and "seed" in inspect.signature(function).parameters
        and not name.startswith("require_")  # those refuse a seed, and draw nothing
    }
    assert drawers == {*SEEDED}


@pytest.mark.parametrize("drawer", SEEDED)
def test_every_draw_of_an_audit_takes_the_seed_that_was_given(
    drawer, tmp_path, monkeypatch
):
    family, _ = SEEDED[drawer]
    by_name = {}

    def noted(name, answer):
        original = getattr(check, name)

        def call(*args, **more):
            arguments = inspect.signature(original).bind(*args, **more).arguments
            by_name.setdefault(name, []).append(arguments["seed"])
            if answer is Stop:
                raise Stop
            return original(*args, **more) if answer is None else answer

        monkeypatch.setattr(check, name, call)

    for name, (_, answer) in SEEDED.items():
        noted(name, answer)
    series = load_series(written(tmp_path, features=2))
    with pytest.raises(Stop):
        audited(layers(family), series, Limits(modes=2, gated=2, probes=2, seed=11))
    assert drawer in by_name
    assert {seed for seeds in by_name.values() for seed in seeds} == {11}


def test_the_margin_counts_modes_and_names_the_slowest_median_and_fastest():
    """Modes that grow, that neither grow nor decay, and that decay, of S5."""
    arrays = arrays_of("S5")
    step = 2.0**-4
    rates = np.array([4.0, 0.5, 0.25, 0.125, 8.0, 2.0, 1.0])

    def of(re):
        n = len(re)
        cut = {
            key: array[:n] if len(array) == 64 else array
            for key, array in arrays.items()
        }
        cut["C"] = cut["C"][:, :n]
        cut["Lambda_re"] = np.asarray(re, np.float32)
        cut["log_step"] = np.full((n, 1), np.log(step), np.float32)
        (layer,) = find(of_arrays(cut))
        return margin(layer, layer.rest())

    result = of(-rates)
    memories = (result.memory, result.median, result.fastest)
    expected = [1 / (1 - np.exp(-rate * step)) for rate in (0.125, 1, 8)]
    np.testing.assert_allclose(memories, expected, rtol=1e-6)
    assert result.gap == pytest.approx(-np.expm1(-0.125 * step), rel=1e-6)
    assert (result.modes, result.growing, result.undamped) == (7, 0, 0)
    result = of([-2.0, 0.0, 0.5, 0.25, 0.0, 0.125, -1.0, -4.0])
    assert (result.modes, result.growing, result.undamped) == (8, 3, 2)
    assert result.gap == pytest.approx(-np.expm1(0.5 * step), rel=1e-6)
    assert result.gap < 0
    assert result.memory == np.inf
