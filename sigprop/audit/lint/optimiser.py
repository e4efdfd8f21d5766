"""Learning rate and weight decay of each tensor, from the configuration of an optimiser."""

import fnmatch
import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sigprop.numerics.documents import read_document, require_keys

KEYS = ("lr", "weight_decay", "no_decay", "groups", "param_groups", "steps")
IN_A_GROUP = ("params", "lr", "weight_decay")
# Settings of the usual optimisers of PyTorch and DeepSpeed that decay no parameter.
OF_ADAM = (
    *("betas", "eps", "amsgrad", "maximize", "foreach", "capturable", "differentiable"),
    *("fused", "initial_lr", "decoupled_weight_decay", "momentum", "dampening"),
    *("nesterov", "alpha", "centered", "torch_adam", "adam_w_mode", "bias_correction"),
    *("name", "swap_tensors", "max_grad_norm"),
)
# With learning_rate, any of these identifies training arguments of transformers.
OF_TRAINING_ARGUMENTS = {
    *("output_dir", "optim", "num_train_epochs", "max_steps", "lr_scheduler_type"),
    *("per_device_train_batch_size", "adam_beta1", "gradient_accumulation_steps"),
}
# transformers.Trainer.get_decay_parameter_names: it compares names in lower case.
SPARED_BY_TRAINER = (
    *("*[bB][iI][aA][sS]*", "*[lL]ayer[nN]orm*", "*[rR][mM][sS][nN]orm*"),
    *("*.norm.*", "norm.*", "*.norm", "*_norm.*", "*_norm"),
)


@dataclass(frozen=True)
class Group:
    """Tensors with the same learning rate and weight decay.

    Attributes:
        patterns: Patterns that match the name of a tensor or the end of it.
        rate: Learning rate.
        decay: Weight decay.
    """

    patterns: tuple[str, ...]
    rate: float
    decay: float


@dataclass(frozen=True)
class Optimiser:
    """Settings of an optimiser.

    Attributes:
        groups: Groups of tensors.  A tensor belongs to the first group that matches its
            name.
        steps: Number of training steps, or None if it is unknown.
        unknown: Sentences about settings that could not be judged.
    """

    groups: tuple[Group, ...]
    steps: float | None = None
    unknown: tuple[str, ...] = ()

    def group(self, name: str) -> Group | None:
        """Return the group of a tensor, or None if no group matches its name."""
        for group in self.groups:
            if any(_matches(name, pattern) for pattern in group.patterns):
                return group
        return None


def _matches(name: str, pattern: str) -> bool:
    dotted = name.replace("/", ".")
    return fnmatch.fnmatchcase(dotted, pattern) or f".{dotted}".endswith(f".{pattern}")


def read_optimiser(path: Path) -> Optimiser:
    """Read the settings of an optimiser from a TOML or JSON file.

    ``optimiser`` describes the accepted formats.

    Raises:
        FileNotFoundError: If the file does not exist.
        ValueError: If the content has none of the accepted formats; the message names
            an unknown key.
    """
    try:
        return optimiser(read_document(path))
    except ValueError as error:
        raise ValueError(
            f"need lr and weight_decay, and names in no_decay or groups, in {path}, or "
            "training arguments of transformers, a DeepSpeed configuration or param_groups "
            f"of PyTorch, got another configuration: {error}"
        ) from error


def optimiser(content: Any) -> Optimiser:
    """Return the settings of an optimiser from plain values in one of four formats.

    - Our format has the keys ``lr``, ``weight_decay`` and ``steps``.  ``no_decay`` lists
      names or patterns of tensors without weight decay.  ``groups`` is a list of tables
      with ``params`` (names or patterns), ``lr`` and ``weight_decay``.
    - Training arguments of the ``Trainer`` of transformers, as JSON. The trainer applies no
      weight decay to biases and norms. A ``trainer_state.json`` does not contain the weight
      decay, which ``unknown`` then reports.
    - A DeepSpeed configuration with an ``optimizer``.
    - ``param_groups`` of the ``state_dict`` of a PyTorch optimiser, or this list alone.

    Args:
        content: Content of a JSON or TOML file.

    Raises:
        ValueError: If a rate or a decay is not a number of at least zero, or a key is
            unknown.

    Example:
        >>> adam = {"type": "AdamW", "params": {"lr": 1e-3, "weight_decay": 0.1}}
        >>> optimiser({"optimizer": adam, "train_batch_size": 8}).group("A_log").decay
        0.1
    """
    if isinstance(content, list):
        return _of_torch({"param_groups": content})
    table = content if isinstance(content, dict) else {}
    if "log_history" in table:
        return _of_trainer_state(table)
    if "learning_rate" in table and set(table) & OF_TRAINING_ARGUMENTS:
        return _of_trainer(table)
    if "optimizer" in table:
        return _of_deepspeed(table)
    groups = table.get("param_groups")
    if isinstance(groups, list) and any(_is_of_torch(group) for group in groups):
        return _of_torch(table)
    return _of_ours(content)


def _of_ours(content: Any) -> Optimiser:
    content = require_keys("an optimiser", content, KEYS)
    rate, decay = content.get("lr", 1e-3), content.get("weight_decay", 0.0)
    groups = [Group(_names(content.get("no_decay", ())), _number("lr", rate), 0.0)]
    tables = content.get("groups", content.get("param_groups", []))
    if not isinstance(tables, list):
        raise ValueError(f"need a list of groups, got {tables!r:.60}")
    for table in tables:
        group = require_keys("a group", table, IN_A_GROUP)
        groups.append(
            Group(
                _names(group.get("params", ("*",))),
                _number("lr", group.get("lr", rate)),
                _number("weight_decay", group.get("weight_decay", decay)),
            )
        )
    groups.append(Group(("*",), _number("lr", rate), _number("weight_decay", decay)))
    steps = content.get("steps")
    return Optimiser(tuple(groups), None if steps is None else _number("steps", steps))


def _of_trainer(content: dict[str, Any]) -> Optimiser:
    """Read training arguments of transformers, whose trainer spares biases and norms."""
    read = ("learning_rate", "weight_decay", "max_steps")
    for key in sorted(
        {*content} - {*read}
    ):  # of some hundred arguments, three are read
        near = get_close_matches(key, read, 1, 0.9)
        if near:
            raise ValueError(f"need {near[0]} in training arguments, got {key!r}")
    rate = _number("learning_rate", content["learning_rate"])
    decay = _number("weight_decay", content.get("weight_decay", 0.0))
    groups = (Group(SPARED_BY_TRAINER, rate, 0.0), Group(("*",), rate, decay))
    steps = content.get("max_steps", -1)
    known = isinstance(steps, int | float) and steps > 0
    return Optimiser(groups, _number("max_steps", steps) if known else None)


def _of_trainer_state(content: dict[str, Any]) -> Optimiser:
    """Read a trainer state of transformers, which has steps but no weight decay."""
    missing = (
        "trainer_state.json has no weight_decay, so weight decay was not judged; give the "
        "training arguments as JSON (TrainingArguments.to_json_string)"
    )
    steps = content.get("max_steps")
    return Optimiser((), None if not steps else _number("max_steps", steps), (missing,))


def _of_deepspeed(content: dict[str, Any]) -> Optimiser:
    """Read a DeepSpeed configuration, where weight decay applies to every parameter."""
    about = require_keys(
        "optimizer", content["optimizer"], ("type", "params", "legacy_fusion")
    )
    params = about.get("params", {})
    known = ("lr", "weight_decay", *OF_ADAM)
    params = require_keys("params of optimizer", params, known)
    auto = [name for name in ("lr", "weight_decay") if params.get(name) == "auto"]
    if auto:
        text = (
            f"{' and '.join(auto)} of optimizer is 'auto', so weight decay was not judged; "
            "give the training arguments as JSON"
        )
        return Optimiser((), None, (text,))
    group = Group(
        ("*",),
        _number("lr", params.get("lr", 1e-3)),
        _number("weight_decay", params.get("weight_decay", 0.0)),
    )
    scheduler = content.get("scheduler")
    about = scheduler.get("params") if isinstance(scheduler, dict) else None
    steps = about.get("total_num_steps") if isinstance(about, dict) else None
    known_steps = None if steps in (None, "auto") else _number("total_num_steps", steps)
    return Optimiser((group,), known_steps)


def _is_of_torch(group: Any) -> bool:
    return isinstance(group, dict) and bool(
        set(group) & {*OF_ADAM, "param_names"}
        or any(isinstance(name, int) for name in _list(group.get("params")))
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _of_torch(content: dict[str, Any]) -> Optimiser:
    """Read the groups of a PyTorch optimiser, whose parameters have names or numbers.

    Numbers count parameters in the order of the model, which can differ from the order of
    the file.  Groups with numbers and different settings are therefore not judged.
    """
    content = require_keys("an optimiser", content, ("param_groups", "state"))
    known = (*IN_A_GROUP, "param_names", *OF_ADAM)
    tables = [
        require_keys("a group", table, known)
        for table in _list(content["param_groups"])
    ]
    if not tables:
        raise ValueError(
            f"need a list of groups in param_groups, got {content['param_groups']!r:.60}"
        )
    groups, unnamed = [], []
    for table in tables:
        names = table.get("param_names", table.get("params", ()))
        numbered = any(isinstance(name, int) for name in _list(names))
        group = Group(
            ("*",) if numbered else _names(names),
            # A schedule that has ended leaves lr = 0; it began with initial_lr.
            _number("lr", table.get("initial_lr", table.get("lr", 1e-3))),
            _number("weight_decay", table.get("weight_decay", 0.0)),
        )
        groups.append(group)
        unnamed += [(group.rate, group.decay)] if numbered else []
    if len(set(unnamed)) > 1 or (unnamed and len(unnamed) < len(groups)):
        text = (
            "param_groups have numbers in place of names and different settings, so weight "
            "decay was not judged; add param_names to each group"
        )
        return Optimiser((), None, (text,))
    return Optimiser(tuple(groups))


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"need a list of names, got {value!r}")
    if not all(isinstance(name, str) for name in value):
        raise ValueError(f"need names of tensors, got {value!r}")
    return tuple(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"need a number in {name}, got {value!r}")
    if not 0 <= value < math.inf:
        raise ValueError(f"need a finite number of at least 0 in {name}, got {value}")
    return float(value)
