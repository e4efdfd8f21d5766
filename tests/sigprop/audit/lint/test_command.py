"""``sigprop lint`` says what it finds in words, JSON and SARIF, and by its exit status."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jax
import jsonschema
import numpy as np
import pytest
from safetensors.numpy import save_file

from sigprop.audit.lint import RULES
from sigprop.audit.lint.optimiser import read_optimiser
from sigprop.layers.lru import lru
from sigprop.networks.files import save
from sigprop.testing import assert_healthy
from tests.command import sigprop
from tests.sigprop.audit.lint import healthy

# What of the schema of SARIF 2.1.0 (OASIS, 2020) a result and a rule rest on.
TEXT = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "help": TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": LEVEL},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": LEVEL,
                                "message": TEXT,
                                "locations": {"type": "array", "minItems": 1},
                                "suppressions": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {
                                        "type": "object",
                                        "required": ["kind"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "kind": {"enum": ["inSource", "external"]},
                                            "justification": {"type": "string"},
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


@pytest.fixture
def defective_file(tmp_path):
    arrays = healthy.mamba2(np.random.default_rng(0))
    arrays["A_log"][3] = -np.inf
    file = tmp_path / "model one.safetensors"
    layers = {
        f"layers.{i}.mixer.{name}": a for i in (10, 9) for name, a in arrays.items()
    }
    save_file(layers, file)
    return file


def test_words_name_layer_consequence_reason_and_remedy(defective_file):
    result = sigprop("lint", str(defective_file), "--length", "512")
    assert result.exit_code == 1
    output = result.output
    assert output.index("layers.9.mixer") < output.index("layers.10.mixer")
    for phrase in (
        "error decay-not-finite: a decay parameter is infinite",
        "1 of 24 numbers of A_log are not finite (0 NaN, 1 -inf)",
        "white inputs raise E|h|^2 to 512 in 512 steps",
        "why: |lam| = exp(-exp(A_log) softplus(dt_bias)): 1 or 0 where",
        "do: initialise the layer again",
        "2 recurrent layers: 2 errors, 0 warnings, 0 notes; 4 of 4 recurrent tensors judged.",
    ):
        assert phrase in output


def test_json_and_sarif_say_the_same(defective_file, tmp_path):
    target = tmp_path / "out.sarif"
    answer = sigprop("lint", str(defective_file), "--json", "-", "--sarif", str(target))
    assert answer.exit_code == 1
    rows = json.loads(answer.stdout)
    assert [finding["id"] for finding in rows["findings"]] == ["decay-not-finite"] * 2
    assert [layer["layer"] for layer in rows["layers"]] == [
        "layers.9.mixer",
        "layers.10.mixer",
    ]
    assert rows["layers"][0]["longest"] is None
    assert len(rows["layers"][0]["heads"]) == 24
    sarif = json.loads(target.read_text())
    jsonschema.validate(sarif, SARIF)
    (run,) = sarif["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        r.id for r in RULES
    ]
    for result, row in zip(run["results"], rows["findings"], strict=True):
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == row["id"]
        assert row["consequence"] in result["message"]["text"]
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.endswith("model%20one.safetensors")
    sarif["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(sarif, SARIF)


def test_the_exit_status_is_0_of_a_healthy_file_and_1_with_the_wrong_optimiser(
    tmp_path,
):
    file = save(tmp_path / "lru.npz", lru(64, 4, key=jax.random.key(0)), {})
    assert sigprop("lint", str(file), "--length", "128").exit_code == 0
    optimiser = tmp_path / "adamw.toml"
    optimiser.write_text('lr = 0.001\nweight_decay = 0.01\nno_decay = ["D", "*_log"]\n')
    assert sigprop("lint", str(file), "--optimizer", str(optimiser)).exit_code == 1
    text = optimiser.read_text().replace("*_log", "*")
    optimiser.write_text(text)
    assert sigprop("lint", str(file), "--optimizer", str(optimiser)).exit_code == 0


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", (), "need a whole npz file"),
        (None, (), "no checkpoint"),
        ({"x": np.zeros(3)}, (), "need a recurrent layer of the LRU"),
        (
            {"nu_log": np.zeros(3), "theta_log": np.zeros(2)},
            (),
            "need theta_log of shape",
        ),
        (True, ("--length", "1"), "need length >= 2"),
        (True, ("--dtype", "int8"), "need a dtype of bfloat16"),
        (True, ("--fail-on", "fatal"), "need a severity of error, warning, note"),
        (True, ("--optimizer", "absent.toml"), "found none at absent.toml"),
        (True, ("--mapping", "absent.toml"), "found none at absent.toml"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_status_2(
    content, options, message, tmp_path
):
    file = tmp_path / "model.npz"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        good = {"nu_log": np.zeros(3), "theta_log": np.zeros(3)}
        np.savez(file, **(good if content is True else content))
    result = sigprop("lint", str(file), *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["lr = true", "lr = -1", 'no_decay = "D"', "groups = [3]", "lr", "lr = inf"]
)
def test_an_optimiser_that_is_none_is_refused(text, tmp_path):
    file = tmp_path / "o.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"need lr and weight_decay.*o\.toml"):
        read_optimiser(file)


def test_groups_go_first_to_last_by_pattern_or_end_of_name(tmp_path):
    file = tmp_path / "o.json"
    groups = [{"params": ["*.nu_log"], "lr": 1e-4, "weight_decay": 0.2}]
    content = {
        "lr": 0.1,
        "weight_decay": 0.5,
        "no_decay": ["D"],
        "param_groups": groups,
    }
    file.write_text(json.dumps(content))
    optimiser = read_optimiser(file)
    settings = {
        name: (optimiser.group(name).rate, optimiser.group(name).decay)
        for name in ("a.D", "a/D", "a.nu_log", "a.B", "a.xD")
    }
    assert settings == {
        "a.D": (0.1, 0.0),
        "a/D": (0.1, 0.0),
        "a.nu_log": (1e-4, 0.2),
        "a.B": (0.1, 0.5),
        "a.xD": (0.1, 0.5),
    }


def test_a_layer_is_asserted_to_be_healthy_and_a_broken_one_is_not():
    layer = lru(64, 4, key=jax.random.key(3), r_min=0.9, r_max=0.99)
    assert_healthy({"encoder": [layer]}, length=256)
    with pytest.raises(
        AssertionError, match=r"memory-short.*\n.*encoder.0: the longest"
    ):
        assert_healthy({"encoder": [layer]}, length=100_000)
    with pytest.raises(AssertionError, match="resolution-lost"):
        assert_healthy(lru(64, 4, key=jax.random.key(3), r_min=0.99), dtype="bfloat16")
    with pytest.raises(ValueError, match="need a recurrent layer"):
        assert_healthy({"w": np.zeros(3)})


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").is_file(),
    reason="needs /proc, which tells the memory",
)
def test_130_million_parameters_take_at_most_5_seconds_and_500_mib(tmp_path):
    generator = np.random.default_rng(0)
    tensors = {"embeddings.weight": np.ones((50280, 768), np.float32)}
    for i in range(24):
        layer = healthy.mamba1(generator, d=1536, rank=48)
        layer["in_proj.weight"] = np.ones((3072, 768), np.float32)
        layer["out_proj.weight"] = np.ones((768, 1536), np.float32)
        tensors |= {f"layers.{i}.mixer.{name}": value for name, value in layer.items()}
    assert sum(value.size for value in tensors.values()) > 125e6
    file = tmp_path / "m.safetensors"
    save_file(tensors, file)
    # Of the program itself: what it was started from may have been larger.
    code = (
        "import sys, time; from sigprop.__main__ import main\n"
        "try: main()\n"
        "finally: print(time.process_time(), open('/proc/self/status').read(), "
        "file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "lint", str(file), "--length", "2048"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    # Seconds of the processor: those of the clock depend on what else runs.
    assert float(process.stderr.split()[0]) < 5
    assert int(re.search(r"VmHWM:\s+(\d+) kB", process.stderr)[1]) < 500 * 1024
