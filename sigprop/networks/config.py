"""Configuration of a network, as plain data that a file can hold."""

import dataclasses
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sigprop.networks.registry import SEQUENCE_LAYERS, require_options
from sigprop.numerics.arguments import MOST

SIZES = ("inputs", "outputs", "width", "state_size", "depth")
CHOICES: Mapping[str, Collection[Any]] = {
    "layer": tuple(SEQUENCE_LAYERS),
    "encoder": ("linear", "embedding"),
    "norm": ("batch", "layer", "none"),
    "mixing": ("glu", "half_glu", "mlp", "none"),
    "mixing_norm": (False, True),
    "skip": ("identity", "linear"),
    "pooling": ("mean", "last", "none"),
    "head": ("linear", "pair"),
}


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """A network; ``sigprop.networks.build`` draws it.

    A layer that reads from both ends is a layer of its own name, such as
    ``bidirectional_lru``.

    Attributes:
        inputs: Numbers a step with a ``linear`` encoder; the size of the vocabulary with
            an ``embedding``.
        outputs: Numbers at the end, or classes.
        width: Features between the blocks, ``H`` in the papers.
        state_size: Size of the state of each layer, ``N``; see ``sequence_layer``.
        depth: Blocks.
        layer: A name in ``SEQUENCE_LAYERS``.
        layer_options: Further arguments of that layer's builder, by name.
        encoder: One of ``CHOICES``, as are the texts below.
        norm: Normalisation before the layer in a block.
        mixing: Map of the features after the layer; see ``sigprop.networks.blocks``.
        mixing_norm: If true, there is one more normalisation, before the mixing.
        skip: Signal that is added to a block: its input, or a linear map of it.
        dropout: Probability that a feature is dropped.
        pooling: Reduction of the features of all steps to one vector.
        head: ``linear``, or ``pair`` for two sequences that are compared.

    Raises:
        ValueError: If a field is not as above.

    Example:
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> NetworkConfig.from_json(config.to_json()) == config
        True
    """

    inputs: int
    outputs: int
    width: int
    state_size: int
    depth: int
    layer: str
    layer_options: Mapping[str, Any] = field(default_factory=dict)
    encoder: str = "linear"
    norm: str = "batch"
    mixing: str = "glu"
    mixing_norm: bool = False
    skip: str = "identity"
    dropout: float = 0.0
    pooling: str = "mean"
    head: str = "linear"

    def __post_init__(self) -> None:
        _require_fields(vars(self))
        object.__setattr__(self, "layer_options", _plain(self.layer_options))

    def __hash__(self) -> int:
        return hash(self.to_json())

    def to_json(self) -> str:
        """The configuration as JSON text."""
        return json.dumps(dataclasses.asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "NetworkConfig":
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: If the text is no JSON, or as ``from_dict``.
        """
        try:
            values = json.loads(text)
        except ValueError as error:
            raise ValueError(
                f"need a configuration in JSON, got {text[:40]!r}: {error}"
            ) from error
        return cls.from_dict(values)

    @classmethod
    def from_dict(cls, values: Any) -> "NetworkConfig":
        """Read what ``dataclasses.asdict`` made of a configuration.

        Raises:
            ValueError: If a key is missing or unknown, or a value is not as it must be.
        """
        if not isinstance(values, dict):
            raise ValueError(f"need a JSON object, got {type(values).__name__}")
        names = {f.name for f in fields(cls)}
        missing, unknown = sorted(names - set(values)), sorted(set(values) - names)
        if missing or unknown:
            raise ValueError(
                f"need the keys {sorted(names)}; {missing=}, {unknown=}: is this the "
                "configuration of a network?"
            )
        _require_fields(values)
        return cls(**values)


def _require_fields(values: Mapping[str, Any]) -> None:
    for name in SIZES:
        if type(values[name]) is not int or not 1 <= values[name] <= MOST:
            raise ValueError(
                f"need {name} an integer >= 1 and <= {MOST}, got {values[name]!r}"
            )
    for name, allowed in CHOICES.items():
        value = values[name]
        if not any(
            type(value) is type(choice) and value == choice for choice in allowed
        ):
            raise ValueError(f"need {name} in {tuple(allowed)}, got {value!r}")
    dropout = values["dropout"]
    if type(dropout) not in (int, float) or not 0 <= dropout < 1:
        raise ValueError(f"need 0 <= dropout < 1, got {dropout!r}")
    if values["head"] == "pair" and values["pooling"] == "none":
        raise ValueError("need pooling 'mean' or 'last' with head 'pair', got 'none'")
    require_options(values["layer"], _plain(values["layer_options"]))


def _plain(options: Any) -> dict[str, Any]:
    try:
        return json.loads(json.dumps(dict(options), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"need layer_options of names, finite numbers, texts and lists, got "
            f"{options!r}"
        ) from error
