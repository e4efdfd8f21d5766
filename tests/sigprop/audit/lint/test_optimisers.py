"""Weight decay is read from the files that people have, or the unknown key is named."""

import json

import numpy as np
import pytest

from sigprop.audit.lint import Settings, lint
from sigprop.audit.lint.optimiser import optimiser, read_optimiser
from sigprop.networks.foreign import of_arrays
from tests.command import ran, refused, sigprop
from tests.sigprop.audit.lint import healthy

# As TrainingArguments.to_json_string of transformers writes them, in part.
ARGUMENTS = {
    "output_dir": "out",
    "learning_rate": 2e-3,
    "weight_decay": 0.25,
    "adam_beta1": 0.9,
    "max_steps": 500,
    "num_train_epochs": 3.0,
    "optim": "adamw_torch_fused",
}
STATE = {"log_history": [{"learning_rate": 2e-3, "step": 1}], "max_steps": 500}
DEEPSPEED = {
    "train_batch_size": 8,
    "zero_optimization": {"stage": 2},
    "optimizer": {
        "type": "AdamW",
        "params": {"lr": 2e-3, "weight_decay": 0.25, "betas": [0.9, 0.999]},
    },
    "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": 500}},
}
GROUP = {"betas": [0.9, 0.999], "eps": 1e-8, "amsgrad": False, "fused": None}
NAMED = [
    {"params": [0], "param_names": ["m.A_log"], "lr": 1e-3, "weight_decay": 0.5, **GROUP},
    {"params": [1], "param_names": ["m.D"], "lr": 0.0, "initial_lr": 0.125,
     "weight_decay": 0.0, **GROUP},
]  # fmt: skip
ALIKE = [{"params": [0, 1, 2], "lr": 2e-3, "weight_decay": 0.25, **GROUP}]
UNLIKE = [*ALIKE, {"params": [3], "lr": 2e-3, "weight_decay": 0.0, **GROUP}]

# By format: the content, and (rate, decay) of some tensors; none for what is in no group.
READ = {
    "transformers": (
        ARGUMENTS,
        {
            "m.A_log": (2e-3, 0.25),
            "m.D": (2e-3, 0.25),
            "m.dt_bias": (2e-3, 0),
            "m.dt_proj.bias": (2e-3, 0),
            "m.norm.weight": (2e-3, 0),
            "norm.weight": (2e-3, 0),
            "m.o_norm.weight": (2e-3, 0),
            "m.input_layernorm.weight": (2e-3, 0),
            "m.LayerNorm.weight": (2e-3, 0),
            "m.normal.weight": (2e-3, 0.25),
        },
    ),
    "DeepSpeed": (DEEPSPEED, {"m.A_log": (2e-3, 0.25), "m.dt_bias": (2e-3, 0.25)}),
    "PyTorch, by name": (
        {"param_groups": NAMED, "state": {}},
        {"m.A_log": (1e-3, 0.5), "m.D": (0.125, 0), "m.x": None},
    ),
    "PyTorch, a list": (NAMED, {"m.A_log": (1e-3, 0.5)}),
    "PyTorch, by number": (ALIKE, {"m.A_log": (2e-3, 0.25), "m.D": (2e-3, 0.25)}),
    "ours": (
        {"lr": 0.5, "weight_decay": 0.25, "no_decay": ["D"]},
        {"m.A_log": (0.5, 0.25), "m.D": (0.5, 0)},
    ),
    "ours with groups": (
        {"lr": 0.5, "param_groups": [{"params": ["*.A_log"], "weight_decay": 2}]},
        {"m.A_log": (0.5, 2), "m.D": (0.5, 0)},
    ),
}


@pytest.mark.parametrize("case", READ)
def test_every_tensor_has_the_settings_of_its_format(case, tmp_path):
    content, expected = READ[case]
    file = tmp_path / "optimizer.json"
    file.write_text(json.dumps(content))
    settings = read_optimiser(file)
    groups = {name: settings.group(name) for name in expected}
    assert {n: g and (g.rate, g.decay) for n, g in groups.items()} == expected
    assert settings.unknown == ()
    assert settings.steps == (500 if case in ("transformers", "DeepSpeed") else None)


@pytest.mark.parametrize("key", ["weight_deacy", "learning_rates", "max_step"])
def test_a_misspelt_training_argument_is_refused_and_another_is_not(key):
    with pytest.raises(ValueError, match=f"in training arguments, got '{key}'"):
        optimiser({**ARGUMENTS, key: 0.1})
    others = dict.fromkeys(("eval_steps", "save_steps", "warmup_steps", "seed"), 3)
    assert optimiser({**ARGUMENTS, **others}) == optimiser(ARGUMENTS)


def test_no_number_of_steps_is_read_where_epochs_count():
    assert optimiser({**ARGUMENTS, "max_steps": -1}).steps is None


AUTO = {"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto"}}
UNKNOWN = {
    "a trainer's state": (STATE, "trainer_state.json has no weight_decay"),
    "automatic": ({"optimizer": AUTO}, "lr and weight_decay of optimizer is 'auto'"),
    "numbers": (UNLIKE, "numbers in place of names and different settings"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_a_format_does_not_tell_is_a_warning(case):
    content, sentence = UNKNOWN[case]
    settings = Settings(optimiser=optimiser(content))
    arrays = healthy.mamba2(np.random.default_rng(0))
    (finding,) = lint(of_arrays(arrays), settings).graver
    assert (finding.rule.id, finding.layer) == ("not-judged", "optimiser")
    assert sentence in finding.consequence
    assert "weight decay was not judged" in finding.consequence


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ({"lr": 1e-3, "wd": 0.1}, "'wd'"),
        ({"learning_rate": 1e-3}, "'learning_rate'"),
        ({"lr": 1e-3, "betas": [0.9, 0.99]}, "'betas'"),
        (
            {"optimizer": {"type": "Lion", "params": {"lr": 1, "cautious": True}}},
            "cautious",
        ),
        ({"optimizer": {"kind": "AdamW"}}, "'kind'"),
        ([{**ALIKE[0], "muon": True}], "'muon'"),
        ({"param_groups": ALIKE, "step": 3}, "'step'"),
        ({**ARGUMENTS, "learning_rate": "fast"}, "learning_rate, got 'fast'"),
        ([], "need a list of groups"),
        (3, "need a table"),
    ],
)
def test_another_format_is_refused_with_the_key_that_is_unknown(content, key, tmp_path):
    file, model = tmp_path / "o.json", tmp_path / "m.npz"
    file.write_text(json.dumps(content))
    np.savez(model, **healthy.mamba2(np.random.default_rng(0)))
    message = refused("lint", model, "--optimizer", file)
    assert key in message
    assert "o.json" in message


def test_the_trainer_of_transformers_decays_a_log_and_spares_the_bias(tmp_path):
    file, model = tmp_path / "training_args.json", tmp_path / "m.npz"
    file.write_text(json.dumps(ARGUMENTS))
    arrays = {f"m.{n}": x for n, x in healthy.mamba2(np.random.default_rng(0)).items()}
    np.savez(model, **arrays)
    result = sigprop("lint", model, "--optimizer", file)
    assert result.exit_code == 1
    assert "m: A_log, D halve in" in result.stdout
    file.write_text(json.dumps({**ARGUMENTS, "weight_decay": 0.0}))
    assert ran("lint", model, "--optimizer", file).exit_code == 0


@pytest.mark.parametrize("gates", [3, 4])
def test_weight_decay_on_weights_of_a_gated_unit_is_no_finding_and_on_biases_is(gates):
    arrays = healthy.torch_unit(gates, (10, 1000))(np.random.default_rng(0))

    def ids(**spared):
        settings = optimiser({"lr": 1e-3, "weight_decay": 0.1, **spared})
        return {
            f.rule.id
            for f in lint(of_arrays(arrays), Settings(optimiser=settings)).graver
        }

    assert ids(no_decay=["*bias*"]) == set()
    assert ids() == {"weight-decay"}
