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
    """Configuration of a network; ``sigprop.networks.build`` draws the network.

    Bidirectional layers have their own names, such as ``bidirectional_lru``.

    Attributes:
        inputs: Number of inputs per step, or the size of the vocabulary if ``encoder`` is
            ``embedding``.
        outputs: Number of outputs, or of classes.
        width: Number of features that a block reads and returns at each step, ``H`` in
            the papers.
        state_size: Size of the state of each layer, ``N`` in the papers. Its meaning
            depends on the layer; see ``sequence_layer``.
        depth: Number of blocks.
        layer: Name of the layer, a key of ``SEQUENCE_LAYERS``.
        layer_options: Further arguments, by name, of the function that draws the layer.
        encoder: Map of the inputs to features: ``linear``, or ``embedding`` for tokens.
        norm: Normalisation before the layer in a block: ``batch``, ``layer`` or ``none``.
        mixing: Map of the features after the layer: ``glu`` (gated linear unit),
            ``half_glu``, ``mlp`` or ``none``. ``glu`` has two linear maps, and
            ``half_glu`` has one.
        mixing_norm: If true, each block has a second normalisation between the layer
            and the mixing.
        skip: Signal that is added to the output of a block: the block's input
            (``identity``), or a ``linear`` map of this input.
        dropout: Probability that a feature is dropped, in [0, 1).
        pooling: Reduction of the features of all steps to one vector: ``mean``, ``last``,
            or ``none`` for one output per step.
        head: ``linear`` for a linear map of the pooled features, or ``pair`` for a
            network that compares two sequences (``TwoTowers``).

    Raises:
        ValueError: If a size is below one; if a name in ``layer``, ``encoder``,
            ``norm`` or another field is unknown; if an option of the layer is unknown
            or missing; if ``dropout`` is not in [0, 1); or if ``head`` is ``pair`` and
            ``pooling`` is ``none``.

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
        """Return the configuration as JSON text."""
        return json.dumps(dataclasses.asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "NetworkConfig":
        """Return the configuration of a text that ``to_json`` returned.

        Raises:
            ValueError: If the text is not JSON, a key is missing or unknown, or a value
                is not valid.
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
        """Return the configuration of a dict that ``dataclasses.asdict`` returned.

        Raises:
            ValueError: If a key is missing or unknown, or a value is not valid.
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
