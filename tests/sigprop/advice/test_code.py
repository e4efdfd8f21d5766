"""Printed code is run: its layer has the memories and moments of the table."""

import functools
import json
import math
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.advice import summary
from sigprop.advice.advise import advise
from sigprop.advice.code import LIBRARIES, printed
from sigprop.advice.families import FAMILIES, Need
from sigprop.advice.predictions import mode_states, predict_initialisation
from sigprop.advice.spectra import exponential, exponentials, of_covariance
from sigprop.audit.lint import Settings, lint
from sigprop.layers.base import doubled, parameters
from sigprop.layers.projected import InputGated
from sigprop.networks.foreign import find, of_arrays
from sigprop.numerics.precision import double_precision
from tests.shown import columns
from tests.sigprop.advice import libraries

LENGTH, RHO = 16384, 0.9
SIZES = {
    "lru": (64, 48),
    "rotrnn": (32, 8),
    "s4d": (16, 512),
    "s5": (64, 48),
    "rglru": (64, 64),
    "mamba": (4, 96),
}
SPECTRA = {
    "correlated": exponential(RHO),
    "mixed": exponentials([(0.4, 0.0), (0.6, 0.8)]),
}


@functools.cache
def advised(name, spectrum="correlated"):
    state, width = SIZES[name]
    # Integrals over gates take seconds where the input is correlated.
    used = exponential(0.0) if FAMILIES[name].gated else SPECTRA[spectrum]
    return advise(name, length=LENGTH, state=state, width=width, spectrum=used)


def run(text, **names):
    """The names after the code has run in a namespace of these."""
    namespace = {"jnp": jnp, "json": json, "inputs": None, **names}
    exec(text, namespace)
    return namespace


# --- what each library has after its code: arrays by their names there ---------------


def minimal_lru(text, g):
    return run(text, LRU=libraries.MinimalLRU, key=g)["params"]


def of_lru_pytorch(text, torch, LRU):
    layer = run(text, LRU=LRU, torch=torch)["layer"]
    return {
        name: np.asarray(getattr(layer, name).data)
        for name in ("nu_log", "theta_log", "gamma_log", "B", "C", "D")
    }


def lru_pytorch(text, g):
    return of_lru_pytorch(text, libraries.TORCH, libraries.lru_pytorch(g))


def s4d(text, g):
    return run(text, S4D=libraries.s4d(g))["layer"]


def s5(text, g):
    others = libraries.others_of_s5(2 * SIZES["s5"][0])
    return run(text, init_S5SSM=libraries.init_s5, key=g, others=others)["params"]


def mamba(text, g):
    return run(text, Mamba=libraries.mamba(g))["layer"]


GATES = ("a_gate.w", "a_gate.b", "input_gate.w", "input_gate.b")
GATES_OF_TRANSFORMERS = (
    "recurrent_gate_weight",
    "recurrent_gate_bias",
    "input_gate_weight",
    "input_gate_bias",
)


def recurrentgemma(text, g):
    params = libraries.rglru(g, SIZES["rglru"][1], ("a_param", *GATES))
    return run(text, params=params)["params"]


def transformers(text, g):
    names = ("recurrent_param", *GATES_OF_TRANSFORMERS)
    drawn = libraries.rglru(g, SIZES["rglru"][1], names)
    layer = SimpleNamespace(
        **{name: libraries.Parameter(value) for name, value in drawn.items()}
    )
    run(text, layer=layer, torch=libraries.TORCH)
    return {name: np.asarray(getattr(layer, name).data) for name in names}


RUNS = {
    ("lru", "minimal-LRU"): minimal_lru,
    ("lru", "lru-pytorch"): lru_pytorch,
    ("s4d", "state-spaces S4D"): s4d,
    ("s5", "lindermanlab/S5"): s5,
    ("rglru", "recurrentgemma"): recurrentgemma,
    ("rglru", "transformers"): transformers,
    ("mamba", "mamba-ssm"): mamba,
}


def test_the_code_of_every_library_is_run():
    texts_of = {(name, of) for name, texts in LIBRARIES.items() for of in texts}
    assert texts_of == set(RUNS)
    assert set(LIBRARIES) == set(FAMILIES)


# --- what the layer is --------------------------------------------------------------


def checkpoint(arrays):
    return of_arrays({f"seq.{name}": np.asarray(of) for name, of in arrays.items()})


def measured(arrays, spectrum):
    """Time constants and ``E|h|^2`` of the layer that has these arrays."""
    (layer,) = find(checkpoint(arrays))
    if layer.family.name == "s5":
        layer.options["conjugate"] = True
    with double_precision(True):
        built = doubled(layer.layer())
        if isinstance(built, InputGated):
            prediction = predict_initialisation(built, spectrum)
            return prediction.time_constant, prediction.state
        gap, _, state = mode_states(built, spectrum)
    return 1 / gap, state


def table_of(advice):
    """Quantiles as advised, as the table shows them."""
    quantities, last = {}, ""
    for row in columns(summary.table(advice)):
        last = row["quantity"] or last
        value = row["advised"].replace("none", "inf")
        quantities.setdefault(last, {})[row["of"]] = float(value)
    return quantities


ROUNDED = math.log(1.005)  # to three digits
SAMPLED = {
    # Logarithms of time constants, then of the least, median and most E|h|^2.  Steps are
    # random, and a step that aliases a phase leaves as little of a state as chance allows.
    "s4d": (0.35, 5.0, 0.4, 0.5),
    "s5": (0.35, ROUNDED, ROUNDED, ROUNDED),
    "mamba": (0.35, 1.5, 0.6, 1.5),
    # Gates are random: of a slow state the mean of what enters decides.
    "rglru": (ROUNDED, 0.5, 0.6, 2.0),
}


def assert_table(name, advice, times, states):
    shown = table_of(advice)
    memory, *of_states = SAMPLED.get(name, (ROUNDED,) * 4)
    for quantity, values, tolerances in (
        ("time constant", times, (memory,) * 3),
        ("E|h|^2", states, of_states),
    ):
        quantiles = summary.QUANTILES.items()
        for (kind, at), tolerance in zip(quantiles, tolerances, strict=True):
            off = math.log(np.quantile(values, at) / shown[quantity][kind])
            assert abs(off) <= tolerance, (quantity, kind, np.exp(off))
    assert times.max() <= 1.001 * LENGTH


@pytest.mark.parametrize(("name", "library"), RUNS)
def test_printed_code_gives_what_the_table_shows(name, library):
    advice = advised(name)
    arrays = RUNS[name, library](advice.code[library], np.random.default_rng(7))
    assert_table(name, advice, *measured(arrays, advice.spectrum))


@pytest.mark.parametrize(("name", "library"), RUNS)
@pytest.mark.parametrize("seed", [1, 2])
def test_printed_code_has_no_finding(name, library, seed):
    text = advised(name).code[library]
    arrays = RUNS[name, library](text, np.random.default_rng(seed))
    report = lint(checkpoint(arrays), Settings(length=LENGTH))
    assert [finding.consequence for finding in report.graver] == []


@pytest.mark.parametrize("library", ["minimal-LRU", "lru-pytorch"])
def test_a_sum_of_exponentials_is_matched_too(library):
    advice = advised("lru", "mixed")
    arrays = RUNS["lru", library](advice.code[library], np.random.default_rng(3))
    _, states = measured(arrays, advice.spectrum)
    np.testing.assert_allclose(states, 1, rtol=1e-3)
    _, white = measured(arrays, exponential(0.0))
    assert white.max() / white.min() > 3


def test_printed_code_runs_in_the_library_itself():
    torch = pytest.importorskip("torch")
    LRU = pytest.importorskip("LRU_pytorch").LRU
    torch.manual_seed(0)
    advice = advised("lru")
    text = advice.code["lru-pytorch"]
    assert_table(
        "lru", advice, *measured(of_lru_pytorch(text, torch, LRU), advice.spectrum)
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_our_own_code_builds_the_advised_layer(name):
    advice = advised(name)
    key = jax.random.key(5)
    built = run(advice.code["sigprop"], key=key)["layer"]
    channels = FAMILIES[name].expand * advice.width
    expected = parameters(advice.draw(key, channels))
    assert set(parameters(built)) == set(expected)
    for of, value in parameters(built).items():
        np.testing.assert_allclose(value, expected[of], rtol=1e-5, err_msg=of)


# --- a measured input ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "library"),
    [key for key in RUNS if key[0] in ("lru", "s5")] + [("lru", "sigprop")],
)
def test_code_reads_a_measured_input_from_the_file(
    name, library, tmp_path, monkeypatch
):
    lags = np.arange(64)
    seasons = of_covariance(np.cos(0.7 * lags) * (1 - lags / 64) + 0.3 * (lags == 0))
    state, width = SIZES[name]
    advice = advise(name, length=200, state=state, width=width, spectrum=seasons)
    assert "add --json advice.json" in summary.sentences(advice)[-1]
    (tmp_path / "advice.json").write_text(json.dumps(summary.as_json(advice)))
    monkeypatch.chdir(tmp_path)
    text = advice.code[library]
    if library == "sigprop":
        layer = run(text, key=jax.random.key(1))["layer"]
        states = mode_states(layer, seasons)[2]
    else:
        arrays = RUNS[name, library](text, np.random.default_rng(1))
        _, states = measured(arrays, seasons)
    np.testing.assert_allclose(states, 1, rtol=2e-3)
    assert advice.advised.state == pytest.approx(np.ones(len(states)), rel=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_no_line_of_code_is_wider_than_a_screen(name):
    family = FAMILIES[name]
    terms = [(0.123456789, 1 - 0.123456789**n) for n in range(1, 9)]
    options = family.size_options(2048) | family.options(
        Need(1e7, (0.012345, 3.14), 2048)
    )
    for spectrum in (exponentials(terms), of_covariance(np.exp(-np.arange(9.0)))):
        for text in printed(name, 2048, 16384, options, spectrum).values():
            assert max(map(len, text.splitlines())) <= 80, text
