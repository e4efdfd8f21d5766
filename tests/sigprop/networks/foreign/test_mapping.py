"""A mapping names layers by patterns, or a decay by itself, and adds them to the others."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sigprop.audit.foreign import audit_checkpoint
from sigprop.audit.lint import Settings, lint
from sigprop.audit.series import Series
from sigprop.networks.foreign import find, mapped, of_arrays, open_checkpoint
from sigprop.networks.foreign.plain import QUANTITIES, TRANSFORMS
from tests.command import sigprop
from tests.sigprop.audit.lint import healthy
from tests.test_readme import ROOT, blocks

PAGE = (ROOT / "docs" / "name_your_layers.md").read_text("utf-8")
EXAMPLES = [block.text for block in blocks(PAGE) if block.language == "toml"]


def written(folder: Path, table: dict) -> Path:
    path = folder / "map.json"
    path.write_text(json.dumps(table))
    return path


def decays(folder, arrays, options, pattern="x.*.d"):
    """The rates of a plain decay, by the prefix of the layer."""
    layer = {"family": "decay", "names": {"decay": pattern}, "options": options}
    layers = mapped(of_arrays(arrays), written(folder, {"layer": [layer]}))
    return {found.prefix: found.rest().nu for found in layers}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# The modulus of each quantity, and stored numbers that give moduli below one.
MODULUS = {
    "nu": lambda x: np.exp(-x),
    "log-decay": np.exp,
    "lambda": np.abs,
    "time-constant": lambda x: 1 - 1 / x,
}
FORWARD = {
    "identity": lambda x: x,
    "exp": np.exp,
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "sigmoid": sigmoid,
    "tanh": lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1),
}


@pytest.mark.parametrize("power", [1, 0.25, 3.0])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_modulus_of_a_plain_decay_is_what_the_mapping_says(
    quantity, transform, power, tmp_path
):
    stored = np.array([0.35, 1.25, 0.5])
    if quantity == "time-constant":
        stored = np.array([1.5, 40.0, 3.0]) if transform == "identity" else stored + 3
    options = {"quantity": quantity, "transform": transform, "power": power}
    if quantity == "time-constant" and transform in ("sigmoid", "tanh"):
        return  # below one step: no modulus
    found = decays(tmp_path, {"x.0.d": stored}, options)
    modulus = MODULUS[quantity](FORWARD[transform](stored)) ** power
    np.testing.assert_allclose(np.exp(-found["x.0.d"][0]), modulus, rtol=1e-6)


def test_options_of_a_plain_decay_have_defaults_and_are_checked(tmp_path):
    stored = np.array([0.25, 0.5])
    default = decays(tmp_path, {"x.0.d": stored}, {})
    np.testing.assert_allclose(default["x.0.d"][0], stored)
    for options, message in (
        ({"quantity": "rate"}, "need a quantity of nu, log-decay, lambda"),
        ({"transform": "log"}, "need a transform of identity, exp, softplus"),
        ({"power": 0}, "need a positive number in power, got 0"),
        ({"power": True}, "need a positive number in power, got True"),
        ({"quantty": "nu"}, "need quantity, transform, power in options.*'quantty'"),
    ):
        with pytest.raises(ValueError, match=message):
            decays(tmp_path, {"x.0.d": stored}, options)


@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 2, 3), (1, 2, 3, 1)])
def test_a_plain_decay_has_any_shape(shape, tmp_path):
    stored = np.linspace(0.1, 1, 6).reshape(shape)
    nu = decays(tmp_path, {"x.0.d": stored}, {})["x.0.d"]
    assert nu.shape == (shape[0] if len(shape) > 1 else 1, nu.size // len(nu))
    np.testing.assert_allclose(nu.reshape(-1), stored.reshape(-1))


def test_a_star_names_all_layers_in_the_order_of_their_numbers(tmp_path):
    arrays = {f"x.{i}.d": np.full(3, 0.1 * (i + 1)) for i in (10, 2, 0)}
    arrays |= {"x.0.e.d": np.ones(3), "y.0.d": np.ones(3), "x.0.dd": np.ones(3)}
    found = decays(tmp_path, arrays, {})
    assert [*found] == ["x.0.d", "x.2.d", "x.10.d"]
    assert [nu[0, 0] for nu in found.values()] == pytest.approx([0.1, 0.3, 1.1])
    # A star is a part of a name too, and two stars are two numbers.
    assert len(decays(tmp_path, arrays, {}, "*.0.d*")) == 3
    # A name with a star of its own is that name.
    assert [*decays(tmp_path, {"x.*.d": np.ones(2), "x.1.d": np.ones(2)}, {})] == [
        "x.*.d"
    ]


def test_all_names_of_a_table_come_from_one_layer(tmp_path):
    arrays = {}
    for i in range(12):
        own = healthy.mamba2(np.random.default_rng(i), heads=4)
        arrays |= {f"b.{i}.{name}_": own[name] for name in ("A_log", "dt_bias")}
    names = {"A_log": "b.*.A_log_", "dt_bias": "b.*.dt_bias_"}
    table = {"family": "mamba2", "names": names}
    found = mapped(of_arrays(arrays), written(tmp_path, {"layer": [table]}))
    assert [layer.prefix for layer in found] == [f"b.{i}" for i in range(12)]
    for i, layer in enumerate(found):
        log, bias = (arrays[f"b.{i}.{n}_"].astype(float) for n in ("A_log", "dt_bias"))
        expected = np.exp(log) * np.log1p(np.exp(bias))
        np.testing.assert_allclose(layer.rest().nu[:, 0], expected)
    del arrays["b.3.dt_bias_"]
    message = r"need the same layers for all names in .*map.json, got 3 for one of"
    with pytest.raises(ValueError, match=message):
        mapped(of_arrays(arrays), written(tmp_path, {"layer": [table]}))
    table["names"] = {"A_log": "c.*.A_log_", "dt_bias": "b.*.dt_bias_"}
    with pytest.raises(ValueError, match=r"fits 'c\.\*\.A_log_' of .*, got none"):
        mapped(of_arrays(arrays), written(tmp_path, {"layer": [table]}))


def test_a_prefix_has_what_the_stars_stand_for(tmp_path):
    arrays = {f"x.{i}.d": np.full(3, 0.1) for i in (0, 1)}
    layer = {"family": "decay", "names": {"decay": "x.*.d"}, "prefix": "enc"}
    found = mapped(of_arrays(arrays), written(tmp_path, {"layer": [layer]}))
    assert [each.prefix for each in found] == ["enc.0", "enc.1"]


def test_a_tensor_belongs_to_one_layer(tmp_path):
    layer = {"family": "decay", "names": {"decay": "x.*.d"}}
    table = {"layer": [layer, {**layer, "names": {"decay": "x.0.d"}, "prefix": "z"}]}
    with pytest.raises(ValueError, match=r"need each tensor in one layer .*x\.0\.d"):
        mapped(of_arrays({"x.0.d": np.ones(2)}), written(tmp_path, table))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"layer": [], "layers": []}, "need layer in .*, got 'layers'"),
        ({"layer": [{"familiy": "lru"}]}, "need family, names, .*, got 'familiy'"),
        ({"layer": [{"family": "decay", "names": ["x"]}]}, "need names, each a text"),
        ({"layer": [{"family": "decay", "names": {"d": "x.0.d"}}]}, "one spelling of"),
    ],
)
def test_an_unknown_key_is_refused(table, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        mapped(of_arrays({"x.0.d": np.ones(2)}), written(tmp_path, table))


def test_lint_judges_what_a_mapping_adds_and_what_it_finds(tmp_path):
    arrays = {f"x.{i}.gate": np.linspace(2, 6, 8) for i in (0, 1)}
    arrays |= {f"y.{n}": x for n, x in healthy.mamba2(np.random.default_rng(0)).items()}
    options = {"quantity": "lambda", "transform": "sigmoid"}
    layer = {"family": "decay", "names": {"decay": "x.*.gate"}, "options": options}
    path = written(tmp_path, {"layer": [layer]})
    report = lint(of_arrays(arrays), Settings(), path)
    assert [row.layer for row in report.layers] == ["x.0.gate", "x.1.gate", "y"]
    assert report.layers[0].longest == pytest.approx(1 + np.exp(6))
    assert report.graver == ()
    arrays["x.1.gate"][3] = np.nan
    arrays["x.0.gate"][:] = 60
    found = {
        (f.rule.id, f.layer) for f in lint(of_arrays(arrays), Settings(), path).graver
    }
    assert found == {("decay-not-finite", "x.1.gate"), ("mode-frozen", "x.0.gate")}


@pytest.mark.parametrize(
    ("quantity", "value", "remedy"),
    [("nu", 2.0, "lower"), ("lambda", 0.2, "higher"), ("log-decay", -2.0, "higher")],
)
def test_a_remedy_says_in_which_direction_a_plain_decay_has_to_go(
    quantity, value, remedy, tmp_path
):
    layer = {
        "family": "decay",
        "names": {"decay": "x.d"},
        "options": {"quantity": quantity},
    }
    path = written(tmp_path, {"layer": [layer]})
    arrays = {"x.d": value * np.linspace(1, 1.5, 4)}
    (finding,) = lint(of_arrays(arrays), Settings(1000), path).graver
    assert finding.remedy == f"raise |lam|: {remedy} d"


def test_an_audit_runs_what_a_mapping_adds_and_what_it_finds(tmp_path):
    arrays = {"x.0.d": np.array([0.1, 0.2, 0.3])}
    arrays |= {"seq.nu_log": np.log([0.1, 0.2]), "seq.theta_log": np.log([0.1, 1.0])}
    layer = {"family": "decay", "names": {"decay": "x.*.d"}}
    path = written(tmp_path, {"layer": [layer]})
    values = np.random.default_rng(0).normal(size=(4, 64, 2))
    series = Series(values, ("a", "b"), (), 1)
    checked = audit_checkpoint(of_arrays(arrays), series, "noise", mapping=path)
    assert [row.layer for row in checked.layers] == ["seq", "x.0.d"]


# --- the examples of the page

STORED = {
    "blocks.*.ssm.rate": np.linspace(0.1, 2.7, 8),
    "blocks.*.ssm.step": np.linspace(-6, -3, 8),
    "encoder.*.forget": np.linspace(2, 6, 8),
    "encoder.*.gate_bias": np.linspace(-1, 2, 8),
    "decoder.log_rates": np.linspace(-6, -2, 8),
}


def nu_of(name):
    """``-log|lam|`` that the page tells of its examples."""
    x = STORED[name]
    return {
        "blocks.*.ssm.rate": np.exp(x) * np.log1p(np.exp(STORED["blocks.*.ssm.step"])),
        "encoder.*.forget": -np.log(sigmoid(x)),
        "encoder.*.gate_bias": -np.log(sigmoid(x)) / 16,
        "decoder.log_rates": np.exp(x),
    }[name]


@pytest.mark.parametrize("index", range(3))
def test_an_example_of_the_page_is_judged_as_it_says(index, tmp_path):
    text = EXAMPLES[index]
    mapping, file = tmp_path / "layers.toml", tmp_path / "model.npz"
    mapping.write_text(text)
    patterns = [
        name
        for layer in tomllib.loads(text)["layer"]
        for name in layer["names"].values()
    ]
    arrays = {
        name.replace("*", str(i)): STORED[name].astype(np.float32)
        for name in patterns
        for i in (range(3) if "*" in name else [0])
    }
    np.savez(file, **arrays)
    assert find(open_checkpoint(file)) == []
    result = sigprop("lint", file, "--mapping", mapping, "--json", "-")
    assert result.exit_code == 0, result.output
    layers = json.loads(result.stdout)["layers"]
    longest = sorted(layer["longest"] for layer in layers)
    expected = sorted(
        1 / (1 - np.exp(-nu_of(name).min()))
        for name in patterns
        if not name.endswith(".step")
        for _ in range(3 if "*" in name else 1)
    )
    assert longest == pytest.approx(expected, rel=1e-4)


def test_the_page_has_three_examples():
    assert len(EXAMPLES) == 3
