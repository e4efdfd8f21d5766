"""Modes of another library's layers are run over a series, each beside its theory."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from sigprop.audit.foreign import audit_layers
from sigprop.audit.series import load_series
from sigprop.networks.foreign import find, of_arrays
from tests.command import refused, sigprop
from tests.sigprop.audit.lint import healthy

STEPS, SEQUENCES = 64, 400


@pytest.fixture
def series(tmp_path):
    """Sequences of an AR(1) process, of unit variance."""
    generator = np.random.default_rng(5)
    x = generator.normal(size=(SEQUENCES, STEPS))
    for t in range(1, STEPS):
        x[:, t] = 0.6 * x[:, t - 1] + 0.8 * x[:, t]
    file = tmp_path / "series.npy"
    np.save(file, x)
    return file


def layers(*names):
    return {
        f"{name}.{key}": one
        for name in names
        for key, one in healthy.HEALTHY[name](np.random.default_rng(2)).items()
    }


@pytest.mark.parametrize("name", ["minimal-LRU", "S4D-Inv", "Mamba-2"])
def test_modes_have_the_eigenvalues_of_the_layer_and_the_moments_of_the_series(
    name, series
):
    (found,) = find(of_arrays(layers(name)))
    (one,) = audit_layers([found], load_series(series))
    rest = found.rest()
    gaps = sorted({row.gap for row in one.rows})
    nu = rest.nu.reshape(-1)
    expected = -np.expm1(-np.array([nu.min(), np.sort(nu)[nu.size // 2], nu.max()]))
    np.testing.assert_allclose(gaps, expected, rtol=1e-12)
    assert one.moved == (name == "Mamba-2")
    windows = load_series(series).values[:, :, 0]
    for row in one.rows:
        if row.quantity != "state":
            continue
        # By the sum over ages, from the layer's own numbers.
        theta = np.zeros(nu.shape) if rest.theta is None else rest.theta.reshape(-1)
        off = np.abs(-np.expm1(-nu) - row.gap) + np.abs(theta - row.theta)
        place = int(np.argmin(off))
        turn = theta[place]
        powers = np.exp((-nu[place] + 1j * turn) * np.arange(STEPS)[::-1])
        state = np.mean(np.abs(windows @ powers) ** 2)
        np.testing.assert_allclose(row.measured, state, rtol=1e-8)
        assert row.low < row.covariance < row.high


def test_the_command_tells_every_layer_and_writes_its_rows(series, tmp_path):
    file, out = tmp_path / "model.safetensors", tmp_path / "rows.json"
    save_file(layers("minimal-LRU", "Mamba-2"), file)
    done = sigprop("audit", file, "--data", series, "--json", out)
    assert done.exit_code == 0, done.output
    assert "minimal-LRU, the LRU" in done.output
    assert "Mamba-2, Mamba-2, where inputs do not move its decay" in done.output
    rows = json.loads(out.read_text())
    assert len(rows) == 2 * 3 * 2
    assert {row["layer"] for row in rows} == {"minimal-LRU", "Mamba-2"}


def test_a_file_without_series_or_layers_is_refused(series, tmp_path):
    file = tmp_path / "model.npz"
    np.savez(file, x=np.zeros(3))
    assert "need a series, .csv or .npy" in refused("audit", file)
    assert "need a recurrent layer of" in refused("audit", file, "--data", series)
    frozen = layers("Mamba-2") | {"Mamba-2.A_log": np.full(24, -np.inf)}
    np.savez(file, **frozen)
    line = refused("audit", file, "--data", series)
    assert "need a mode strictly inside the unit circle in Mamba-2" in line
