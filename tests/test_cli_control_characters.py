"""Control characters of files and names reach neither a terminal nor a page as they are."""

import json
import unicodedata

import numpy as np
import pytest
import safetensors.numpy

from sigprop.audit.series import load_series
from sigprop.ledger.report import environment
from sigprop.networks.foreign import open_checkpoint
from sigprop.numerics.text import HIDDEN, plain, plain_name
from sigprop.tasks.tables import read_table
from tests.command import sigprop

CONTROLS = [
    chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in HIDDEN
]
EVERY_CONTROL = frozenset(CONTROLS)
NAMES = [
    f"a{char}forged: nothing is wrong"
    for char in "\n\r\x00\x1b\x07\x9b\u202e\u2028\x85"
]


@pytest.mark.parametrize("escape", [plain, plain_name])
def test_every_control_character_is_escaped_and_nothing_else(escape):
    allowed = "\n" if escape is plain else ""
    for char in CONTROLS:
        shown = escape(f"a{char}b")
        assert (shown == f"a{char}b") == (char in allowed)
        assert (
            char in allowed
            or shown == "a" + char.encode("unicode_escape").decode() + "b"
        )
    text = "λ = 1 − γ, ‘a’ <b> é 日本 \\ / 🙂"
    assert escape(text) == text


def controls_of(text, allowed="\n"):
    return set(text) & EVERY_CONTROL - set(allowed)


def arrays(name):
    prefix = f"{name}.l"
    return {
        f"{prefix}.nu_log": np.full(4, -30.0, "f4"),
        f"{prefix}.theta_log": np.full(4, -2.0, "f4"),
    }


def written(folder, name, suffix):
    path = folder / f"layers{suffix}"
    if suffix == ".npz":
        np.savez(path, **arrays(name))
    else:
        path.write_bytes(safetensors.numpy.save(arrays(name)))
    return path


@pytest.mark.sampled(kind="name")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_a_name_of_a_tensor_makes_no_line_of_a_report(tmp_path, name, suffix):
    if suffix == ".npz" and "\0" in name:
        return  # archives end names there
    file = written(tmp_path, name, suffix)
    sarif = tmp_path / "a.sarif"
    result = sigprop("lint", file, "--sarif", sarif)
    assert result.exit_code in (0, 1), result.output
    assert not controls_of(result.output)
    assert not any(line.startswith("forged") for line in result.output.splitlines())
    shown = plain_name(name)
    assert shown in result.output.replace("\n", "")
    assert shown in json.dumps(
        json.loads(sarif.read_text()), ensure_ascii=False
    ).replace("\\\\", "\\")
    for tensor in open_checkpoint(file).tensors.values():
        assert not controls_of(tensor.name, "")


def test_two_names_that_look_alike_are_refused(tmp_path):
    file = tmp_path / "x.safetensors"
    same = {"a\x1b": np.zeros(1, "f4"), "a\\x1b": np.zeros(1, "f4")}
    file.write_bytes(safetensors.numpy.save(same))
    with pytest.raises(ValueError, match="names of tensors that differ in visible"):
        open_checkpoint(file)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_a_column_is_one_line(tmp_path, name):
    path = tmp_path / "series.csv"
    draws = np.random.default_rng(0).standard_normal(40)
    rows = [f"2020-01-01 00:{minute:02},{x}" for minute, x in enumerate(draws)]
    path.write_text("\n".join([f'time,"{name}"', *rows]), newline="")
    assert load_series(path, 8).names == (plain_name(name),)
    assert read_table(path).features == (plain_name(name),)


def test_a_page_shows_escapes_in_place_of_control_characters():
    page = environment().from_string("<p title='{{ x }}'>{{ x }}</p>{{ y }}")
    for char in CONTROLS:
        text = page.render(x=f"a{char}<b>", y=3)
        assert "<b>" not in text
        assert not controls_of(text, "\n\t\u00ad\u200b"), repr(char)


def test_a_page_of_a_checkpoint_has_no_control_characters(tmp_path):
    import jax

    from sigprop.layers.lru import lru
    from sigprop.networks.files import named_arrays

    parts = named_arrays(lru(4, 3, key=jax.random.key(0)))
    file = tmp_path / "layers.safetensors"
    bad = "x\x1b[31m\n\x00y"
    file.write_bytes(
        safetensors.numpy.save({f"{bad}.{k}": v for k, v in parts.items()})
    )
    data = tmp_path / "series.npy"
    np.save(data, np.random.default_rng(0).standard_normal((4, 32, 3)))
    page = tmp_path / "page.html"
    result = sigprop("audit", file, "--data", data, "--html", page, "--no-figures")
    assert result.exit_code == 0, result.output
    assert not controls_of(result.output)
    text = page.read_text("utf-8")
    assert r"x\x1b[31m\n\x00y" in text
    assert not controls_of(text, "\n\t\u00ad\u200b")
