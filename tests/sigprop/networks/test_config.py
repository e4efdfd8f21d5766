import json

import pytest

from sigprop.networks import (
    NetworkConfig,
    blur_paper,
    lru_paper,
    rotrnn_paper,
    zucchet_paper,
)
from sigprop.networks.presets import LRU_ROWS, ROTRNN_ROWS
from tests.sigprop.networks.small import config

PRESETS = {
    **{f"lru-{task}": lru_paper(task) for task in LRU_ROWS},
    **{f"rotrnn-{task}": rotrnn_paper(task) for task in ROTRNN_ROWS},
    "blur": blur_paper(7, 7, pooling="none"),
    **{
        f"zucchet-{layer}": zucchet_paper(layer, nu0=0.9)
        for layer in ("zucchet_lru", "complex_diagonal", "gru", "lstm")
    },
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_configuration_survives_a_file(name):
    preset = PRESETS[name]
    read = NetworkConfig.from_json(preset.to_json())
    assert read == preset
    assert hash(read) == hash(preset)
    assert type(json.loads(preset.to_json())) is dict


def test_configurations_differ_where_a_field_differs():
    assert config(depth=3) != config()
    assert config(layer_options={"r_min": 0.5}) != config()


def test_a_tuple_is_the_list_that_a_file_gives_back():
    original = config("rotrnn", layer_options={"heads": 2, "gamma_range": (0.5, 0.9)})
    assert original.layer_options["gamma_range"] == [0.5, 0.9]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 0}, "need width an integer >= 1 and <= 2147483647, got 0"),
        ({"depth": 2.0}, "need depth an integer"),
        ({"inputs": True}, "need inputs an integer"),
        ({"encoder": "one-hot"}, r"need encoder in \('linear', 'embedding'\)"),
        ({"norm": "group"}, "need norm in"),
        ({"mixing": "GLU"}, "need mixing in"),
        ({"mixing_norm": 1}, "need mixing_norm in"),
        ({"skip": "none"}, "need skip in"),
        ({"dropout": 1.0}, "need 0 <= dropout < 1"),
        ({"dropout": "0.1"}, "need 0 <= dropout < 1"),
        ({"dropout": float("nan")}, "need 0 <= dropout < 1"),
        ({"pooling": "max"}, "need pooling in"),
        ({"head": "pairs"}, "need head in"),
        ({"head": "pair", "pooling": "none"}, "need pooling 'mean' or 'last'"),
        ({"layer": "mamba"}, "need layer in .*'lru'"),
        ({"layer": ["lru"]}, "need layer in"),
        ({"layer_options": {"radius": 1}}, "unknown layer_options \\['radius'\\]"),
        ({"layer_options": {"r_min": float("inf")}}, "need layer_options of names"),
        ({"layer_options": 3}, "need layer_options of names"),
        ({"layer": "gru", "layer_options": {}}, r"need the options \['times'\]"),
    ],
)
def test_a_wrong_field_is_refused(changes, message):
    text = json.dumps({**json.loads(config().to_json()), **changes})
    with pytest.raises(ValueError, match=message):
        NetworkConfig.from_json(text)


def test_a_wrong_field_is_refused_without_a_file():
    with pytest.raises(ValueError, match="need norm in"):
        config(norm="group")
    with pytest.raises(ValueError, match="need layer_options of names"):
        config(layer_options={"r_min": object()})


def test_a_file_of_something_else_is_refused():
    values = json.loads(config().to_json())
    with pytest.raises(ValueError, match="need a JSON object, got list"):
        NetworkConfig.from_json("[1]")
    del values["width"]
    other = json.dumps({**values, "hidden": 3})
    with pytest.raises(ValueError, match=r"missing=\['width'\], unknown=\['hidden'\]"):
        NetworkConfig.from_json(other)
    with pytest.raises(
        ValueError, match="need a configuration in JSON, got 'not JSON'"
    ):
        NetworkConfig.from_json("not JSON")
