"""Sizes and options of registered layers in a preset.

A preset has one size of the state.  Layers with a matrix state in every head, and the
selective state space with several states per channel, get this size divided by ``HEADS``.
Their state still has more numbers than the size says.
"""

from typing import Any

from sigprop.networks.registry import SEQUENCE_LAYERS, layer_options

HEADS = 4
MATRICES = (
    *("deltanet", "delta_product", "gated_deltanet", "gla", "hgrn2"),
    *("mamba3", "mlstm", "rwkv7", "selective", "ssd"),
)
CHANNELS = (
    *("causal_attention", "constant_gate", "gated_unit"),
    *("mingru", "rglru", "slstm"),
)
"""Layers with one state per channel, so that the size of the state is the width."""


def registered_layers() -> tuple[str, ...]:
    """Return the names of the layers that a preset can use without options.

    Example:
        >>> "ssd" in registered_layers(), "gru" in registered_layers()
        (True, False)
    """
    return tuple(
        name for name in SEQUENCE_LAYERS if not any(layer_options(name).values())
    )


def layer_size(layer: str, state_size: int, width: int) -> tuple[int, dict[str, Any]]:
    """Return the argument ``state_size`` of a layer and its options for a preset.

    Args:
        layer: Name of a layer, from ``registered_layers``.
        state_size: Size of the state in the preset, a multiple of ``HEADS``.
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
