"""Options of ``lint`` and of ``advise``: each changes what is found."""

import dataclasses
import importlib
import json

import numpy as np
import pytest

from sigprop.advice.spectra import equivalent_rho
from sigprop.cli import advise as cli_advise
from sigprop.cli import console
from sigprop.cli.help import command_line
from tests.command import ran, refused, sigprop
from tests.options import option
from tests.shown import printed
from tests.sigprop.advice.test_summary import GIVEN


@pytest.fixture
def checkpoint(folder):
    """A layer of an LRU without gamma, under names of its own."""
    file = folder / "m.npz"
    nu, theta = np.log([0.005, 0.01, 0.02, 0.04]), np.log([0.1, 0.2, 0.3, 0.4])
    gamma = 0.5 * np.log(-np.expm1(-2 * np.exp(nu)))
    np.savez(file, **{"a.nu_log": nu, "a.theta_log": theta, "a.gamma_log": gamma})
    return file


@option("lint", "--length", "--dtype", "--optimizer", "--json", "--sarif")
def test_each_thing_that_is_said_of_its_use_changes_what_is_found(checkpoint, folder):
    optimiser = folder / "o.toml"
    optimiser.write_text("lr = 0.1\nweight_decay = 0.1\n")
    sound = ran("lint", checkpoint).stdout
    assert "1 recurrent layer: 0 errors, 0 warnings, 0 notes; 3 of 3 recurrent" in sound
    for more, status, rule in (
        (("--length", 20_000), 1, "memory-short"),
        (("--dtype", "float16"), 0, None),
        (("--dtype", "bfloat16"), 0, None),
        (("--optimizer", optimiser), 1, "weight-decay"),
    ):
        sarif = folder / "out.sarif"
        result = sigprop("lint", checkpoint, *more, "--json", "-", "--sarif", sarif)
        report = json.loads(result.stdout)
        ids = [finding["id"] for finding in report["findings"]]
        if rule is not None:
            assert ids == [rule]
            assert result.exit_code == status
        options = dict(zip(more[::2], more[1::2], strict=True))
        assert report["length"] == options.get("--length")
        assert report["dtype"] == options.get("--dtype")
        (run,) = json.loads(sarif.read_text())["runs"]
        assert [finding["ruleId"] for finding in run["results"]] == ids


def test_the_format_of_the_eigenvalues_decides_which_memories_are_lost(folder):
    """Gaps of 0.0005 and 0.003 are below 2^-8, and one of them below 2^-10."""
    file = folder / "m.npz"
    nu = np.log([0.0004, 0.003, 0.02, 0.04])
    gamma = 0.5 * np.log(-np.expm1(-2 * np.exp(nu)))
    np.savez(file, nu_log=nu, theta_log=np.log([0.1, 0.2, 0.3, 0.4]), gamma_log=gamma)
    for dtype, counts in (("float32", []), ("float16", ["1"]), ("bfloat16", ["2"])):
        report = json.loads(
            sigprop("lint", file, "--dtype", dtype, "--json", "-").stdout
        )
        sentences = [finding["consequence"] for finding in report["findings"]]
        assert [
            sentence.partition(" of 4")[0].split()[-1] for sentence in sentences
        ] == counts
        assert all(sentence.startswith(f"in {dtype} ") for sentence in sentences)


@option("lint", "--html", "--no-figures")
def test_the_page_of_lint_has_pictures_unless_none_are_wanted(checkpoint, folder):
    page = folder / "p.html"
    ran("lint", checkpoint, "--html", page)
    assert page.read_text().count("<svg") == 2  # time constants, and the disc
    ran("lint", checkpoint, "--html", page, "--no-figures")
    assert page.read_text().count("<svg") == 0


@option("lint", "--fail-on")
def test_a_note_alone_ends_lint_with_zero(folder):
    """A format in which weights are only stored is worth no more than a note."""
    file = folder / "m.npz"
    nu = np.log([0.0004, 0.003, 0.02, 0.04]).astype(np.float16)
    gamma = 0.5 * np.log(-np.expm1(-2 * np.exp(nu.astype(float))))
    theta = np.log([0.1, 0.2, 0.3, 0.4])
    np.savez(file, nu_log=nu, theta_log=theta, gamma_log=gamma)
    result = ran("lint", file)
    assert "note log-rounded" in result.stdout
    assert "0 errors, 0 warnings, 1 note;" in result.stdout
    result = ran("lint", file, "--dtype", "float16", status=console.UNEXPECTED)
    assert "0 errors, 1 warning, 1 note;" in result.stdout
    for least, status in (("note", 1), ("warning", 0), ("error", 0)):
        assert sigprop("lint", file, "--fail-on", least).exit_code == status


@option("lint", "--mapping")
def test_a_mapping_names_the_arrays_of_a_layer(folder):
    file, mapping = folder / "m.npz", folder / "m.toml"
    np.savez(file, mine=np.log([0.005, 0.02]), turns=np.log([0.1, 0.2]))
    mapping.write_text(
        '[[layer]]\nfamily = "lru"\n[layer.names]\nnu_log = "mine"\ntheta_log = "turns"\n'
    )
    assert "need a recurrent layer of" in refused("lint", file)
    result = sigprop("lint", file, "--mapping", mapping, "--json", "-")
    (layer,) = json.loads(result.stdout)["layers"]
    assert (layer["shortest"], layer["longest"]) == pytest.approx(
        (50.5, 200.5), rel=1e-4
    )


@option("lint", "--accept")
def test_an_accepted_finding_ends_lint_with_zero(folder):
    file, accepted = folder / "m.npz", folder / "accepted.toml"
    large = {"A_log": np.linspace(0.1, 2.5, 8), "dt_bias": np.ones(8), "D": np.ones(8)}
    np.savez(file, **{f"layers.0.{name}": array for name, array in large.items()})
    assert sigprop("lint", file).exit_code == console.UNEXPECTED
    for layer, status in (("layers.*", 0), ("layers.1", console.UNEXPECTED)):
        accepted.write_text(
            f'[[accept]]\nrule = "steps-large"\nlayer = "{layer}"\nreason = "known"\n'
        )
        result = sigprop("lint", file, "--accept", accepted)
        assert result.exit_code == status, result.output
        told = "accepted steps-large: 1 finding (known)" in result.output
        assert told == (status == 0)


# --- advise


@pytest.fixture
def advised(monkeypatch):
    """Advice whose numbers are its arguments."""
    spectra = []

    def advise(layer, *, length, state, width, spectrum, memory, phases):
        spectra.append(spectrum)
        reach = float(length if memory is None else memory)
        return dataclasses.replace(
            GIVEN, layer=layer, length=length, state=state or 16, width=width or 8,
            spectrum=spectrum,
            memory=reach, phases=phases, phase=1 + equivalent_rho(spectrum),
        )  # fmt: skip

    monkeypatch.setattr(
        importlib.import_module("sigprop.advice.advise"), "advise", advise
    )
    return spectra


@option(
    "advise",
    "--length",
    "--layer",
    "--state",
    "--width",
    "--memory",
    "--rho",
    "--json",
    "--phases",
)
def test_each_option_of_advice_is_what_is_advised_on(advised):
    base = {"layer": "lru", "length": 300, "state": 16, "width": 8, "memory": 300.0}

    def advice_of(*more):
        result = ran("advise", *more, "--json", "-")
        advice = json.loads(result.stdout)
        return (
            {name: advice[name] for name in base},
            advice["input"]["phase"],
            result.stderr,
        )

    options = ("--length", 300)
    assert advice_of(*options)[:2] == (base, 1.0)
    for more, changed in (
        (("--layer", "s5"), {"layer": "s5"}),
        (("--state", 17), {"state": 17}),
        (("--width", 9), {"width": 9}),
        (("--memory", 77), {"memory": 77.0}),
    ):
        assert advice_of(*options, *more)[:2] == (base | changed, 1.0)
    assert advice_of("--length", 500)[0] == base | {"length": 500, "memory": 500.0}
    assert advice_of(*options, "--rho", 0.75)[1] == 1.75
    for phases, begins in (
        ("all", "are sampled up to pi"),
        ("input", "sampled below this frequency"),
    ):
        assert begins in " ".join(advice_of(*options, "--phases", phases)[2].split())
    table = printed(advice_of(*options)[2], "quantity", "of", "default", "advised")
    assert table[0] == {
        "quantity": "time constant",
        "of": "least",
        "default": "2",
        "advised": "4",
    }


@option("advise", "--data", "--figure")
def test_a_series_is_cut_into_windows_of_the_length_at_most(
    advised, monkeypatch, folder
):
    rows = np.random.default_rng(3).normal(size=5000).cumsum()
    file, png = folder / "walk.csv", folder / "a.png"
    file.write_text("\n".join(["walk", *(f"{x:.6f}" for x in rows)]) + "\n")
    calls = []
    monkeypatch.setattr(
        cli_advise,
        "picture",
        lambda path, draw, out: calls.append((path, command_line())),
    )
    for length, lags in ((200, 100), (4000, cli_advise.WINDOW // 2)):
        result = ran("advise", "--length", length, "--data", file, "--figure", png)
        assert "decaying exponentials" in result.stdout
        assert len(advised[-1].covariance) == 2 * lags
        line = f"sigprop advise --length {length} --data {file} --figure {png}"
        assert calls[-1] == (png, line)
