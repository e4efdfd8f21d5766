"""Sizes and options of a layer that a preset takes from the registry by its name.

A preset says one size of the state.  Layers whose state is a matrix in every head, and
the selective state space, whose every channel has states, get that size divided by
``HEADS``: their state has more numbers than that.
"""

from typing import Any

from sigprop.networks.registry import SEQUENCE_LAYERS, layer_options

HEADS = 4
MATRICES = (
    *("deltanet", "delta_product", "gated_deltanet", "gla", "hgrn2"),
    *("mamba3", "mlstm", "rwkv7", "selective", "ssd"),
)
CHANNELS = (
    *("causal_attention", "constant_gate", "gated_unit", "mingru", "rglru"),
    "slstm",
)
"""Layers with one state a channel, whose size of the state is their width."""


def registered_layers() -> tuple[str, ...]:
    """Names of the layers that need no option, which a preset can take as they are.

    Example:
        >>> "ssd" in registered_layers(), "gru" in registered_layers()
        (True, False)
    """
    return tuple(
        name for name in SEQUENCE_LAYERS if not any(layer_options(name).values())
    )


def layer_size(layer: str, state_size: int, width: int) -> tuple[int, dict[str, Any]]:
    """The argument ``state_size`` of a layer, and its options, for a preset's size.

    Args:
        layer: A name of ``registered_layers``.
        state_size: State size of the preset; a multiple of ``HEADS``.
        width: Number of channels of the layer.

    Example:
        >>> layer_size("ssd", 64, 32), layer_size("linoss", 64, 32)
        ((16, {'heads': 4}), (64, {}))
        >>> layer_size("rglru", 64, 32)
        (32, {'heads': 4})
    """
    size = state_size // HEADS if layer in MATRICES else state_size
    if layer in CHANNELS:
        size = width
    return size, {"heads": HEADS} if "heads" in layer_options(layer) else {}
