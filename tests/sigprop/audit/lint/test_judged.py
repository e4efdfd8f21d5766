"""Lint judges what published checkpoints hold and says what it did not judge.

Each case is a small copy, made here, of a file that somebody met; its source is named.
"""

import json

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from sigprop.audit.lint import Settings, lint
from sigprop.audit.lint.report import as_json, conclusion, lines
from sigprop.audit.lint.unjudged import looks_recurrent
from sigprop.networks.foreign import of_arrays, open_checkpoint
from tests.command import ran, sigprop
from tests.sigprop.audit.lint import healthy

SEEDS = (0, 5)


def under(prefix, arrays):
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def report_of(arrays, config=None, **settings):
    checkpoint = of_arrays(arrays)
    if config is not None:
        checkpoint = type(checkpoint)(checkpoint.path, checkpoint.tensors, config)
    return lint(checkpoint, Settings(**settings))


def found(report):
    """Rules above a note with the layers that break them."""
    return {(finding.rule.id, finding.layer) for finding in report.graver}


def remedies(report, rule):
    return [f.remedy for f in report.findings if f.rule.id == rule]


def steps(g, size):
    return healthy.inverse_softplus(healthy.log_uniform(g, size))


# --- the cases


@pytest.mark.parametrize("seed", SEEDS)
def test_dt_bias_of_one_is_found_and_told_in_words_of_mamba_2(seed):
    """huggingface/transformers#43717: a mixer imported alone keeps ``dt_bias = 1``."""
    arrays = healthy.mamba2(np.random.default_rng(seed), heads=8)
    assert report_of(arrays, length=2048).graver == ()
    arrays["dt_bias"] = np.ones_like(arrays["dt_bias"])
    report = report_of(arrays, length=2048)
    assert found(report) == {("steps-large", "(top)")}
    (layer,) = report.layers
    # 1/(1 - |lam|) is never below one step.
    assert 1 <= layer.shortest < 1.01
    (remedy,) = remedies(report, "steps-large")
    assert remedy.startswith("set dt_bias to the inverse softplus")
    assert remedies(report, "memory-short") == [
        "raise |lam|: smaller steps, so lower dt_bias"
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_initialisation_that_was_skipped_is_told_from_one_of_a_shard(seed):
    """fla-org/flame#42: with several devices all or a part of ``A_log`` stays zero."""
    arrays = healthy.gated_deltanet(np.random.default_rng(seed), heads=8)
    assert report_of(arrays, length=2048).graver == ()
    names = ("A_log", "dt_bias")
    partial = {**arrays, **{n: arrays[n] * (np.arange(8) == 0) for n in names}}
    report = report_of(partial)
    assert {rule for rule, _ in found(report)} == {"decay-part-zero", "steps-large"}
    assert not any("gradient" in line for line in lines(report))
    (first, second) = (f for f in report.findings if f.rule.id == "decay-part-zero")
    assert first.consequence.startswith("7 of 8 numbers of A_log are exactly zero")
    assert "dt_bias" in second.consequence
    whole = {**arrays, **{n: np.zeros(8) for n in names}}
    assert "decay-all-zero" in {rule for rule, _ in found(report_of(whole))}


def test_a_logarithm_in_bfloat16_is_another_matter_than_a_modulus_in_bfloat16():
    """state-spaces/mamba#923: ``exp(A_log)`` in bfloat16 changes rates by 0.4 %."""
    arrays = healthy.mamba2(np.random.default_rng(2))
    assert "log-rounded" not in {f.rule.id for f in report_of(arrays).findings}
    narrow = {name: x.astype(ml_dtypes.bfloat16) for name, x in arrays.items()}
    report = report_of(narrow)
    assert report.graver == ()
    (finding,) = report.findings
    assert finding.rule.id == "log-rounded"
    assert "taken in bfloat16 changes them by up to 0.4% more" in finding.consequence
    # The bound is met: no rounding moves a rate by more, and some by half of it or more.
    told = float(finding.consequence.split("up to ")[1].split("%")[0]) / 100
    change = np.abs(np.log(rates(narrow) / rates(arrays)))
    assert told / 5 < change.max() <= told * 1.05
    slow = {**arrays, "dt_bias": arrays["dt_bias"] - 5}
    assert found(report_of(slow, dtype="bfloat16")) >= {("resolution-lost", "(top)")}


def rates(arrays):
    log, bias = (arrays[name].astype(float) for name in ("A_log", "dt_bias"))
    return np.exp(log) * np.log1p(np.exp(bias))


def test_a_logarithm_that_bfloat16_rounds_away_is_a_warning():
    nu_log = np.array([-60.0, -50.0, -70.0]).astype(ml_dtypes.bfloat16)
    report = report_of({"nu_log": nu_log + 1, "theta_log": np.zeros(3)})
    assert ("log-rounded", "(top)") in found(report)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_lstm_without_forget_bias_is_a_warning_where_the_length_is_given(seed):
    """pytorch/pytorch#750: about two steps for sequences of 784."""
    plain = healthy.torch_unit(4, None)(np.random.default_rng(seed))
    assert report_of(plain).graver == ()
    report = report_of(plain, length=784)
    assert found(report) == {("memory-short", "l0")}
    assert remedies(report, "memory-short") == [
        "raise |lam|: a forget bias of log(L - 1)"
    ]
    right = healthy.torch_unit(4, (1, 784))(np.random.default_rng(seed))
    assert report_of(right, length=784).graver == ()
    right["bias_ih_l0"] = np.roll(right["bias_ih_l0"], -64)  # now in the input gates
    assert found(report_of(right)) == {("gates-swapped", "l0")}


@pytest.mark.parametrize("seed", SEEDS)
def test_zeros_are_healthy_where_a_layer_has_one_state(seed):
    """MzeroMiko/VMamba#241: with ``d_state = 1`` the recipe is ``A_log = log 1``."""
    g = np.random.default_rng(seed)
    arrays = healthy.mamba1(g, d=64, n=1)
    assert not arrays["A_log"].any()
    assert report_of(arrays, length=2048).graver == ()
    arrays["dt_proj.bias"] = np.zeros(64)
    assert ("decay-all-zero", "(top)") in found(report_of(arrays))


@pytest.mark.parametrize("seed", SEEDS)
def test_four_scans_of_vmamba_are_read_by_their_own_names(seed):
    g = np.random.default_rng(seed)
    arrays = healthy.f4(
        A_logs=np.zeros((128, 1)),
        Ds=np.ones(128),
        dt_projs_bias=steps(g, (4, 32)),
        dt_projs_weight=g.normal(size=(4, 32, 2)),
        x_proj_weight=g.normal(size=(4, 4, 32)),
    )
    report = report_of(under("layers.0.blocks.0.op", arrays), length=2048)
    assert report.findings == ()
    assert report.layers[0].modes == 128
    rate = np.log1p(np.exp(arrays["dt_projs_bias"].astype(float)))
    expected = 1 / (1 - np.exp(-rate))
    assert report.layers[0].longest == pytest.approx(expected.max(), rel=1e-6)
    arrays["dt_projs_bias"][2] = 0
    (error,) = report_of(arrays).findings
    assert error.consequence.startswith("1 of 4 rows of dt_projs_bias are exactly zero")


@pytest.mark.parametrize("seed", SEEDS)
def test_dt_in_the_place_of_its_logarithm_is_told_in_words_of_s4d(seed):
    """state-spaces/s4, s4d.py: steps of one for a stored ``dt`` of 0.001 to 0.1."""
    arrays = healthy.s4d(np.pi * np.arange(32))(np.random.default_rng(seed), h=16)
    assert report_of(arrays, length=2048).graver == ()
    arrays["log_dt"] = np.exp(arrays["log_dt"])
    report = report_of(arrays, length=2048)
    assert {rule for rule, _ in found(report)} == {
        *("decay-overwritten", "memory-short", "steps-large", "phase-aliased")
    }
    text = "\n".join(lines(report))
    assert "softplus" not in text
    assert "set log_dt to the logarithm of log-uniform steps" in text


@pytest.mark.parametrize("seed", SEEDS)
def test_the_backward_branch_of_vim_is_a_layer_of_its_own(seed):
    """hustvl/Vim#19: the backward branch alone was initialised again."""
    g = np.random.default_rng(seed)
    forward, backward = (healthy.mamba1(g, d=64, rank=4) for _ in range(2))
    names = {"A_log": "A_b_log", "D": "D_b"}
    arrays = forward | {
        names.get(name, name.replace("_proj.", "_proj_b.")): array
        for name, array in backward.items()
    }
    report = report_of(under("layers.0.mixer", arrays), length=2048)
    assert report.graver == ()
    assert [layer.layer for layer in report.layers] == [
        *("layers.0.mixer", "layers.0.mixer.backward")
    ]
    arrays["A_b_log"] = 0.02 * g.normal(size=(64, 16))
    arrays["dt_proj_b.bias"] = np.zeros(64)
    report = report_of(under("layers.0.mixer", arrays))
    assert {layer for _, layer in found(report)} == {"layers.0.mixer.backward"}
    zero, overwritten, _ = report.graver
    assert zero.consequence.startswith("all 64 numbers of dt_proj_b.bias are zero")
    assert overwritten.consequence.startswith("A_b_log has mean")


@pytest.mark.parametrize("seed", SEEDS)
def test_layers_that_a_scan_stacks_are_read_one_by_one(seed):
    """flax.linen.scan: every array has a leading axis of layers."""
    g = np.random.default_rng(seed)
    layers = [healthy.long_lru(g) for _ in range(4)]
    stack = {name: np.stack([layer[name] for layer in layers]) for name in layers[0]}
    report = report_of({f"params/layers/seq/{n}": x for n, x in stack.items()})
    assert report.graver == ()
    alone = [report_of(layer).layers[0] for layer in layers]
    for index, (layer, own) in enumerate(zip(report.layers, alone, strict=True)):
        assert layer.layer == f"params.layers.seq.{index}"
        assert (layer.shortest, layer.median) == (own.shortest, own.median)
    twice = {
        name: array.reshape(2, 2, *array.shape[1:]) for name, array in stack.items()
    }
    assert [row.longest for row in report_of(twice).layers] == [
        row.longest for row in alone
    ]
    keyed = {f"['a']['{n}']": x for n, x in stack.items()}
    keyed["['b']['A_b_log']"] = np.zeros(4)
    assert found(report_of(keyed)) == {("not-judged", "['b']['A_b_log']")}
    stack["nu_log"][2] = 0
    (finding, *_) = report_of({f"seq/{n}": x for n, x in stack.items()}).graver
    assert (finding.rule.id, finding.layer) == ("decay-all-zero", "seq.2")
    assert finding.consequence.startswith("all 128 numbers of nu_log[2] are zero")


def test_modules_around_a_module_are_looked_through():
    """huggingface/peft: LoRA puts ``base_layer`` between ``dt_proj`` and its bias."""
    arrays = healthy.mamba1(np.random.default_rng(0), d=64, rank=4)
    lora = {"dt_proj.lora_A.default.weight": np.zeros((4, 4))}
    wrapped = {n.replace("_proj.", "_proj.base_layer."): x for n, x in arrays.items()}
    report = report_of(under("base_model.model.mamba", wrapped | lora))
    assert report.findings == ()
    assert (report.judged, report.unjudged) == (2, ())
    wrapped["dt_proj.base_layer.bias"] = np.zeros(64)
    first = report_of(under("base_model.model.mamba", wrapped)).findings[0]
    assert "numbers of dt_proj.base_layer.bias are zero" in first.consequence


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", ["jamba", "bamba"])
def test_starts_of_transformers_that_leave_the_step_large_are_found(model, seed):
    """transformers 5.24: ``dt_proj.bias`` is 0 in Jamba, ``dt_bias`` 1 in Bamba."""
    g = np.random.default_rng(seed)
    if model == "jamba":
        arrays = healthy.mamba1(g) | {"dt_layernorm.weight": np.ones(4)}
        arrays["dt_proj.bias"] = np.zeros(96)
        rules = {"decay-all-zero", "steps-large"}
    else:
        arrays = {**healthy.mamba2(g, heads=8), "dt_bias": np.ones(8)}
        rules = {"steps-large"}
    arrays = under("model.layers.0.mamba", arrays)
    arrays["model.layers.0.feed_forward.gate_proj.weight"] = np.ones((8, 8))
    report = report_of(arrays, {"model_type": model})
    assert {rule for rule, _ in found(report)} == rules


def test_the_ring_of_recurrent_gemma_is_said_to_be_that_of_the_release():
    report = report_of(healthy.rglru(np.random.default_rng(0), power=1))
    (finding,) = report.graver
    assert finding.rule.id == "ring-wrong"
    assert "released code of RecurrentGemma" in finding.form


@pytest.mark.parametrize("seed", SEEDS)
def test_kda_with_a_whole_gate_matrix_is_healthy_also_with_a_bound(seed):
    """transformers 5.24, bailing_hybrid: ``nu = 5 sigmoid(exp(A_log) dt_bias)``."""
    g = np.random.default_rng(seed)
    arrays = healthy.f4(
        A_log=np.log(g.uniform(1, 16, 4)),
        dt_bias=steps(g, 64),
        f_proj__weight=g.normal(size=(64, 32)),
        b_proj__weight=g.normal(size=(4, 32)),
        g_proj__weight=g.normal(size=(64, 32)),
    )
    report = report_of(arrays)
    assert (report.layers[0].family, report.graver) == ("KDA", ())
    config = {
        "model_type": "bailing_hybrid",
        "kda_safe_gate": True,
        "kda_lower_bound": -5.0,
    }
    bounded = report_of(arrays, config)
    assert bounded.graver == ()
    scale = np.repeat(np.exp(arrays["A_log"].astype(float)), 16)
    nu = 5 / (1 + np.exp(-scale * arrays["dt_bias"]))
    assert bounded.layers[0].shortest == pytest.approx(1 / (1 - np.exp(-nu.max())))
    off = report_of(arrays, {**config, "kda_safe_gate": False})
    assert off.layers == report.layers


@pytest.mark.parametrize("model", ["nemotron_h", "log_linear_mamba2", "olmo_hybrid"])
def test_healthy_hybrids_have_no_finding(model):
    g = np.random.default_rng(4)
    if model == "olmo_hybrid":
        arrays = healthy.gated_deltanet(g) | {"g_proj.weight": np.ones((8, 12))}
    else:
        arrays = healthy.mamba2(g, heads=8) | {"L": np.ones((8, 15))}
    report = report_of(under("backbone.layers.0.mixer", arrays), {"model_type": model})
    assert report.findings == ()


# --- what was not judged


def mixed():
    """A layer, one whose step is of float8, one of a wrong shape, one of no family."""
    g = np.random.default_rng(0)
    good, narrow, odd = (healthy.mamba2(g, heads=8) for _ in range(3))
    narrow["dt_bias"] = narrow["dt_bias"].astype(ml_dtypes.float8_e4m3fn)
    odd["dt_bias"] = odd["dt_bias"][:5]
    return {
        **under("a", good), **under("b", narrow), **under("c", odd),
        "d.diagonal_decay": np.ones(4), "d.weight": np.ones((4, 4)),
    }  # fmt: skip


def test_one_layer_that_cannot_be_read_hides_no_other():
    report = report_of(mixed())
    assert [layer.layer for layer in report.layers] == ["a"]
    assert {(rule, layer) for rule, layer in found(report)} == {
        ("not-judged", name) for name in ("b", "c", "d.diagonal_decay")
    }
    reasons = {f.layer: f.consequence for f in report.findings}
    assert "got b.dt_bias of shape (8,) of Mamba-2 in float8_e4m3fn" in reasons["b"]
    assert "got c.dt_bias of shape (5,)" in reasons["c"]
    assert set(report.unjudged) == {
        *("b.A_log", "b.dt_bias", "c.A_log", "c.dt_bias", "d.diagonal_decay")
    }
    assert as_json(report)["tensors"] == {
        "judged": 2, "not_judged": list(report.unjudged)
    }  # fmt: skip


def test_no_errors_are_told_only_where_everything_was_judged():
    arrays = mixed()
    whole = {name: x for name, x in arrays.items() if name.startswith("a.")}
    assert conclusion(report_of(whole)) == (
        "1 recurrent layer: 0 errors, 0 warnings, 0 notes; 2 of 2 recurrent tensors judged."
    )
    assert conclusion(report_of(arrays)) == (
        "1 recurrent layer: no error in what was judged, 3 warnings, 0 notes; 2 of 7 "
        "recurrent tensors judged."
    )
    arrays["a.A_log"] = np.zeros(8)
    assert "1 recurrent layer: 1 error, 3 warnings" in conclusion(report_of(arrays))


def test_nothing_that_was_not_judged_is_left_out_of_the_list():
    arrays = healthy.mamba2(np.random.default_rng(0))
    names = [f"other.{index}.decay" for index in range(12)]
    report = report_of(arrays | {name: np.ones(4) for name in names})
    listed = [line.split(":")[0].strip() for line in lines(report)]
    assert [name for name in names if name in listed] == names


def test_the_command_ends_with_1_for_a_tensor_that_was_not_judged(tmp_path):
    file = tmp_path / "model.npz"
    arrays = healthy.mamba2(np.random.default_rng(0))
    np.savez(file, **arrays)
    assert ran("lint", file).exit_code == 0
    np.savez(file, **arrays, **{"x.A_b_log": np.zeros(4)})
    assert sigprop("lint", file).exit_code == 1
    assert sigprop("lint", file, "--fail-on", "error").exit_code == 0
    np.savez(file, **{"x.A_b_log": np.zeros(4)})
    refused = sigprop("lint", file)
    assert refused.exit_code == 2
    assert "(x.A_b_log look recurrent)" in refused.stderr


def test_a_mapping_adds_layers_and_takes_none_away(tmp_path):
    g = np.random.default_rng(1)
    lru, odd = healthy.long_lru(g), healthy.long_lru(g)
    renamed = {f"odd.{name}_": array for name, array in odd.items()}
    file, mapping = tmp_path / "m.npz", tmp_path / "m.json"
    np.savez(file, **under("plain", lru), **renamed)
    names = {name: f"odd.{name}_" for name in odd}
    table = {"family": "lru", "names": names}
    mapping.write_text(json.dumps({"layer": [table]}))
    report = lint(open_checkpoint(file), Settings(), mapping)
    assert [layer.layer for layer in report.layers] == ["odd", "plain"]
    assert report.graver == ()
    mapping.write_text(json.dumps({"layer": [{**table, "options": {"conjugat": 1}}]}))
    with pytest.raises(ValueError, match="'conjugat'"):
        lint(open_checkpoint(file), Settings(), mapping)


@pytest.mark.parametrize(
    ("name", "recurrent"),
    {
        "layers.0.mixer.A_log": True,
        "layers.0.mixer.A_b_log": True,
        "attn.A_log_atk": True,
        "op.A_logs": True,
        "mixer.dt_bias": True,
        "kernel.log_dt": True,
        "kernel.inv_dt": True,
        "attn.decay": True,
        "blocks.0.att.time_decay": True,
        "blocks.0.att.w0": True,
        "attn.lambda_params": True,
        "seq.Lambda": True,
        "seq.nu": True,
        "seq/nu_log": True,
        "cell.forget_bias": True,
        "mlstm_layer.fgate_preact.bias": True,
        "rg_lru.recurrent_gate_weight": True,
        "mixer.gate": True,
        "self_attn.slope_rate": True,
        "ssm.A": True,
        "rnn.weight_hh_l0": True,
        "mlp.gate_proj.weight": False,
        "mlp.gate.weight": False,
        "block_sparse_moe.gate.weight": False,
        "mlp.shared_expert_gate.weight": False,
        "feed_forward.gate_proj.weight": False,
        "self_attn.output_gate.weight": False,
        "mamba.dt_layernorm.weight": False,
        "dt_proj.lora_A.default.weight": False,
        "attn.q_proj.weight": False,
        "menu.width": False,
        "attn.nullspace": False,
        "lm_head.weight": False,
        "embed.norm_a.weight": False,
    }.items(),
)
def test_names_that_look_recurrent_are_told_from_others(name, recurrent):
    assert looks_recurrent(name, 4) == recurrent
    assert not looks_recurrent(name, 1)


# --- states of optimisers


@pytest.mark.parametrize(
    "copy",
    [
        "opt_state/0/mu/{}",
        "opt_state/0/nu/{}",
        "optimizer.state.{}.exp_avg",
        "optim.{}.exp_avg_sq",
        "exp_avg.{}",
        "state.{}.momentum_buffer",
    ],
)
def test_the_state_of_an_optimiser_is_no_layer(copy):
    arrays = {
        f"params/seq/{n}": x
        for n, x in healthy.long_lru(np.random.default_rng(0)).items()
    }
    state = {copy.format(name): np.zeros_like(x) for name, x in arrays.items()}
    report = report_of(arrays | state)
    assert [layer.layer for layer in report.layers] == ["params.seq"]
    assert report.findings == ()
    assert report.of_optimiser == len(state)
    assert f"{len(state)} tensors of an optimiser's state: no layers" in [
        *lines(report)
    ]


def test_moments_are_known_by_their_twins():
    """Adam's first and second moments, saved without the name of the optimiser."""
    arrays = healthy.long_lru(np.random.default_rng(0))
    state = {f"0.{m}.seq.{n}": x for n, x in arrays.items() for m in ("mu", "nu")}
    report = report_of(under("seq", arrays) | state)
    assert [layer.layer for layer in report.layers] == ["seq"]
    alone = {name: x for name, x in state.items() if ".nu." in name}
    assert len(report_of(under("seq", arrays) | alone).layers) == 2


# --- transposed arrays


def test_a_transposed_matrix_is_read_and_told():
    arrays = healthy.mamba1(np.random.default_rng(0))
    turned = {
        **arrays,
        "A_log": arrays["A_log"].T,
        "x_proj.weight": arrays["x_proj.weight"].T,
    }
    report = report_of(turned)
    assert report.layers == report_of(arrays).layers
    assert report.graver == ()
    assert [f.consequence for f in report.findings] == [
        "A_log has shape (16, 96); mamba_ssm, transformers has (96, 16), and its transpose "
        "was read",
        "x_proj.weight has shape (96, 38); mamba_ssm, transformers has (38, 96), and its "
        "transpose was read",
    ]


def test_a_file_of_shards_of_safetensors_is_read_the_same(tmp_path):
    """Slices and transposes are taken of what the file holds, not of memory."""
    g = np.random.default_rng(0)
    layers = [healthy.mamba1(g) for _ in range(3)]
    stack = {n: np.stack([layer[n] for layer in layers]) for n in layers[0]}
    file = tmp_path / "model.safetensors"
    save_file(stack, file)
    report = lint(open_checkpoint(file), Settings())
    assert [row.median for row in report.layers] == [
        report_of(layer).layers[0].median for layer in layers
    ]


@pytest.mark.parametrize(
    ("kind", "log", "most"),
    [("float32", 89.5, "3.4e+38"), ("float16", 11.5, "6.55e+04")],
)
def test_an_exponential_overflows_though_its_product_with_the_step_does_not(
    kind, log, most
):
    """``exp(A_log)`` comes before the step, which is far below one, multiplies it."""
    arrays = healthy.mamba2(np.random.default_rng(0), heads=8)
    arrays["A_log"][3] = log
    arrays["dt_bias"][3] = -7
    report = report_of({name: x.astype(kind) for name, x in arrays.items()})
    (error,) = (f for f in report.graver if f.rule.id == "decay-overflow")
    assert error.consequence == (
        f"exp(A_log) is infinite in {kind} for 1 of 8 numbers, up to exp({log}); it holds "
        f"at most {most}"
    )
    arrays["A_log"][3] = log - 1
    again = report_of({name: x.astype(kind) for name, x in arrays.items()})
    assert "decay-overflow" not in {f.rule.id for f in again.findings}
