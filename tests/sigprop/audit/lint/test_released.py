"""Layers of the releases of 2024 to 2026 are known by their names, and their defects found."""

import numpy as np
import pytest

from sigprop.audit.lint import Settings, lint
from sigprop.audit.lint.report import as_json, conclusion, lines
from sigprop.audit.lint.words import words
from sigprop.networks.foreign import FAMILIES, of_arrays, survey
from tests.sigprop.audit.lint.healthy import HEALTHY
from tests.sigprop.audit.lint.released import RELEASES, matrix
from tests.test_readme import README

DRAWS = {256: 0, 2048: 3, 16_384: 7}  # seeds, by length
CELLS = [(name, kind) for name, row in RELEASES.items() for kind in row.defects]


def checkpoint(arrays, config=None):
    found = of_arrays(arrays)
    return type(found)(found.path, found.tensors, config)


def report_of(arrays, config=None, length=256):
    return lint(checkpoint(arrays, config), Settings(length))


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_as_it_starts_has_no_finding_above_a_note(name):
    row = RELEASES[name]
    for length, seed in DRAWS.items():
        report = report_of(row.arrays(seed), row.config, length)
        assert report.graver == (), (seed, length)
        assert len(report.layers) == row.layers
        assert report.layers[0].family == row.family or row.layers == 2
        assert row.family in {layer.family for layer in report.layers}
        assert report.unjudged == ()


def test_a_short_memory_that_was_chosen_is_a_note_and_a_learned_one_a_warning():
    chosen, learned = RELEASES["MiniMax"], HEALTHY["LRU for long sequences"]
    report = report_of(chosen.arrays(0), chosen.config, 16_384)
    assert [each.rule.id for each in report.findings] == ["memory-short"]
    assert report.graver == ()
    short = learned(np.random.default_rng(0))
    short = {k: v + 4 * k.endswith("nu_log") for k, v in short.items()}
    graver = report_of(short, length=16_384).graver
    assert "memory-short" in {each.rule.id for each in graver}


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize(("name", "kind"), CELLS)
def test_a_planted_defect_of_a_release_is_found(name, kind, seed):
    row = RELEASES[name]
    report = report_of(row.broken(seed, kind), row.config)
    rule = row.defects[kind][1]
    assert rule in {finding.rule.id for finding in report.graver}, report.graver


def test_the_table_has_four_kinds_of_defects_of_nearly_all_releases():
    assert len(CELLS) >= 80
    assert len(RELEASES) >= 30
    for name, row in RELEASES.items():
        assert any("NaN" in kind for kind in row.defects), name
        assert any("constant" in kind for kind in row.defects), name
        at_ends = {"decay of 1", "decay of 0"}
        assert at_ends <= set(row.defects) or "saturated" in row.defects, name


@pytest.mark.parametrize("name", RELEASES)
def test_what_moves_a_decay_and_was_not_judged_is_said(name):
    row = RELEASES[name]
    report = report_of(row.arrays(0), row.config)
    told = [line for line in lines(report) if "judged at zero input" in line]
    moved = {name for layer in report.layers for name in layer.moved_by}
    assert moved <= {stored.removeprefix(row.prefix) for stored in row.arrays(0)}
    assert bool(moved) == (name != "MiniMax")
    assert all(any(matrix in line for line in told) for matrix in moved)
    by_layer = as_json(report)["layers"]
    assert moved == {matrix for layer in by_layer for matrix in layer["moved_by"]}


def test_a_released_start_of_large_steps_is_a_note_and_another_is_a_warning():
    row = RELEASES["Qwen3-Next"]
    arrays = row.arrays(0)
    (note,) = (f for f in report_of(arrays).findings if f.rule.id == "steps-large")
    assert note.severity == "note"
    arrays[f"{row.prefix}dt_bias"] += np.linspace(0, 0.1, 8, dtype=np.float32)
    (finding,) = report_of(arrays).graver
    assert (finding.rule.id, finding.severity) == ("steps-large", "warning")


def test_a_bound_is_read_from_the_config_of_each_library():
    row = RELEASES["KDA of fla"]
    arrays = row.arrays(2)
    log, bias = (
        arrays[f"{row.prefix}{name}"].astype(float) for name in ("A_log", "dt_bias")
    )
    gate = 1 / (1 + np.exp(-np.exp(log)[:, None] * bias.reshape(8, 8)))
    for config in ({"lower_bound": -4}, {"forget_gate_lower_bound": -4.0}):
        (layer,) = report_of(arrays, config).layers
        assert layer.shortest == pytest.approx(1 / (1 - np.exp(-4 * gate.max())))
    arrays[f"{row.prefix}A_log"][:] = 0
    assert report_of(arrays, {"lower_bound": -4}).graver == ()
    assert [f.rule.id for f in report_of(arrays).graver] == ["decay-all-zero"]


def test_a_normaliser_and_a_cap_are_read_from_the_config():
    row = RELEASES["GSA"]
    for config, power in ((None, 8), ({"gate_logit_normalizer": 4}, 4)):
        (layer,) = report_of(row.arrays(0), config).layers
        assert layer.median == pytest.approx(1 / (1 - 2 ** (-1 / power)))
    row = RELEASES["xLSTM of transformers"]
    for config, bias in ((None, 6.0), ({"gate_soft_cap": 15.0}, 15 * np.tanh(6 / 15))):
        (layer,) = report_of(row.arrays(0), config).layers
        assert layer.longest == pytest.approx(1 + np.exp(bias), rel=1e-6)


def test_a_gate_of_equal_numbers_is_told_with_its_matrices_and_their_number():
    row = RELEASES["GLA"]
    arrays = row.arrays(0)
    down, up = (f"{row.prefix}gk_proj.{n}.weight" for n in (0, 1))
    for first, second, told in ((0.25, 0.5, "0.25, 0.5"), (0, 0, "0, 0")):
        arrays[down][:], arrays[up][:] = first, second
        (finding,) = report_of(arrays).graver
        assert finding.consequence == (
            f"all numbers of gk_proj.0.weight and gk_proj.1.weight equal {told}: all "
            "modes see inputs alike or not at all"
        )
    arrays[up][3, 1] = 0.125  # a matrix that differs moves modes apart
    assert report_of(arrays).graver == ()


@pytest.mark.parametrize("name", ["minGRU-pytorch", "GSA"])
def test_the_steps_in_which_a_steep_gate_is_between_open_and_shut_are_counted(name):
    """Counted on draws: those where the derivative of the gate is a hundredth or more."""
    row = RELEASES[name]
    arrays = row.arrays(0)
    (weight,) = (x for n, x in arrays.items() if "gate" in n or "f_proj" in n)
    gate = weight[-32:] if "minGRU" in name else weight
    gate *= 400 / np.linalg.norm(gate, axis=1, keepdims=True)
    (finding,) = report_of(arrays).graver
    assert "median norm of 400: for inputs" in finding.consequence
    told = float(finding.consequence.split("all but ")[1].split("%")[0]) / 100
    draws = gate @ np.random.default_rng(1).normal(size=(32, 4000))
    between = 1 / (2 + 2 * np.cosh(draws.clip(-50, 50))) > 0.01
    assert told == pytest.approx(between.mean(), rel=0.1)


@pytest.mark.parametrize("name", RELEASES)
def test_the_closed_form_of_a_release_has_the_names_of_its_file(name):
    row = RELEASES[name]
    for layer in survey(checkpoint(row.arrays(0), row.config)).layers:
        own = words(layer)
        assert own["lam"].startswith("|lam| = ")
        assert "{" not in "".join(own.values())
        for stored in layer.spelling.decay:
            assert layer.local(stored) in own["lam"] + own["longer"]


def test_the_closed_form_has_the_power_and_the_bound_of_the_config():
    (gla,) = survey(
        checkpoint(RELEASES["GLA"].arrays(0), {"gate_logit_normalizer": 4})
    ).layers
    assert words(gla)["lam"] == "|lam| = sigmoid(gk_proj.1.bias)^(1/4) without inputs"
    (kda,) = survey(
        checkpoint(RELEASES["KDA of fla"].arrays(0), {"lower_bound": -3})
    ).layers
    assert words(kda)["lam"] == "|lam| = exp(-3 sigmoid(exp(A_log) dt_bias))"


def test_the_readme_counts_the_families():
    assert f"It knows {len(FAMILIES)} families of layers" in README


# --- what has no decay to judge

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "g_proj", "o_proj")
WITHOUT = {
    "RetNet": (
        {
            **{f"attn.{name}.weight": (32, 32) for name in PROJECTIONS},
            **{f"attn.{x}_proj.weight": (64, 32) for x in "vg"},
        },
        {"model_type": "retnet"},
        "fixed at 1 - 2^(-5 - head)",
    ),
    "LFM2's convolution": (
        {
            "conv.conv.weight": (32, 1, 3),
            "conv.in_proj.weight": (96, 32),
            "conv.out_proj.weight": (32, 32),
        },
        None,
        "has no recurrence",
    ),
    "DeltaNet or DeltaProduct without decay": (
        {
            **{f"attn.{name}.weight": (32, 32) for name in PROJECTIONS},
            "attn.b_proj.weight": (8, 32),
        },
        None,
        "the delta rule alone erases",
    ),
    "linear attention": (
        {
            f"attn.feature_map_{x}.layer{n}.weight": (16, 16)
            for x in "qk"
            for n in (1, 2)
        },
        None,
        "sums over all inputs",
    ),
    "ABC": (
        {
            **{f"attn.{name}.weight": (32, 32) for name in PROJECTIONS},
            "attn.s_proj.weight": (64, 32),
        },
        None,
        "inputs alone make its decay",
    ),
    "LightNet": (
        {
            **{f"attn.{name}.weight": (32, 32) for name in PROJECTIONS},
            "attn.g_proj.0.weight": (16, 32),
            "attn.g_proj.1.weight": (32, 16),
        },
        {"model_type": "lightnet"},
        "inputs alone make its decay",
    ),
    "MiniMax's lightning attention": (
        {"self_attn.qkv_proj.weight": (96, 32), "self_attn.out_proj.weight": (32, 32)},
        {"model_type": "minimax"},
        "fixed and not stored",
    ),
}


@pytest.mark.parametrize("title", WITHOUT)
def test_a_layer_without_a_stored_decay_is_named_and_not_judged(title):
    shapes, config, reason = WITHOUT[title]
    g = np.random.default_rng(0)
    arrays = {
        f"model.layers.{i}.{name}": matrix(g, *shape)
        for i in (0, 1)
        for name, shape in shapes.items()
    }
    with pytest.raises(
        ValueError, match="need a recurrent layer with a decay"
    ) as error:
        report_of(arrays, config)
    assert title in str(error.value)
    assert "model.layers.0" in str(error.value)
    row = RELEASES["Mamba-3"]
    report = report_of(arrays | row.arrays(0), config)
    (line,) = (line for line in lines(report) if "without a verdict" in line)
    assert line.startswith(f"{title}: 2 layers without a verdict, as ")
    assert reason in line
    assert {
        (row["family"], row["layer"]) for row in as_json(report)["without_decay"]
    } == {(title, named.prefix) for named in report.without}
    assert report.unjudged == ()
    assert "1 of 1 recurrent tensor judged" in conclusion(report)


# --- what is not known


@pytest.mark.parametrize(
    ("names", "near"),
    [
        (("a.A_log", "a.dt_bia"), "Mamba-2, which needs A_log, dt_bias"),
        (("a.gk_proj.0.weight", "a.gk_proj.1.weight"), "gated linear attention"),
        (("a.w_lora.lora.0.weight", "a.w_lora.lora.2.bias"), "RWKV-7"),
        (("a.w_proj.linear.lora.2.bias", "a.bonus"), "RWKV-5 and RWKV-6"),
        (("a.fgate_preact.bias", "a.fgate_preact.weight"), "the mLSTM of xLSTM"),
        (("a.forget_base", "a.gate.weight"), "RG-LRU"),
        (("x.A_c_log", "x.other"), ""),
    ],
)
def test_a_refusal_names_the_nearest_family(names, near):
    g = np.random.default_rng(0)
    stray = {name: matrix(g, 4, 6) for name in names}
    with pytest.raises(ValueError, match="need a recurrent layer") as error:
        report_of(stray)
    assert near in str(error.value)
    assert ("the nearest family" in str(error.value)) == bool(near) or not near
    report = report_of(stray | RELEASES["Mamba-3"].arrays(0))
    first = next(f for f in report.graver if f.layer == names[0])
    assert near in first.consequence
