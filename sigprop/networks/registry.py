"""Builders of all sequence layers by name, with one common signature.

The configuration of a network is plain data, so that it names its layer.  To add a layer,
add one line to ``SEQUENCE_LAYERS``.
"""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jaxtyping import PRNGKeyArray

from sigprop.layers.attention import causal_attention
from sigprop.layers.base import Layer
from sigprop.layers.bidirectional_lru import bidirectional_lru
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal, complex_lru
from sigprop.layers.delta_product import delta_product
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.dense import block_rnn, linear_rnn, nonlinear_rnn
from sigprop.layers.gated import constant_gate, gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.gru import gru
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.linoss import linoss
from sigprop.layers.lru import lru, released_zucchet_lru, zucchet_lru
from sigprop.layers.lstm import lstm
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mingru import mingru
from sigprop.layers.mlstm import mlstm
from sigprop.layers.released_rotrnn import (
    released_bidirectional_rotrnn,
    released_rotrnn,
)
from sigprop.layers.rglru import rglru
from sigprop.layers.rotrnn import bidirectional_rotrnn, rotrnn
from sigprop.layers.rwkv7 import rwkv7
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.layers.selective import selective
from sigprop.layers.slstm import slstm
from sigprop.layers.ssd import ssd
from sigprop.layers.two_way import bgru, bidirectional_s4, blstm, brnn

Builder = Callable[..., Layer]

# Arguments of every builder; all other arguments are options of the layer.
COMMON = frozenset({"state_size", "width", "key", "d_out"})

SEQUENCE_LAYERS: Mapping[str, Builder] = MappingProxyType(
    {
        "lru": lru,
        "bidirectional_lru": bidirectional_lru,
        "zucchet_lru": zucchet_lru,
        "released_zucchet_lru": released_zucchet_lru,
        "complex_diagonal": complex_diagonal,
        "complex_lru": complex_lru,
        "linear_rnn": linear_rnn,
        "block_rnn": block_rnn,
        "nonlinear_rnn": nonlinear_rnn,
        "brnn": brnn,
        "s4": s4,
        "bidirectional_s4": bidirectional_s4,
        "s4d": s4d,
        "s5": s5,
        "gru": gru,
        "bgru": bgru,
        "lstm": lstm,
        "blstm": blstm,
        "gated_unit": gated_unit,
        "constant_gate": constant_gate,
        "rglru": rglru,
        "mingru": mingru,
        "selective": selective,
        "gla": gla,
        "deltanet": deltanet,
        "gated_deltanet": gated_deltanet,
        "ssd": ssd,
        "delta_product": delta_product,
        "linoss": linoss,
        "mamba3": mamba3,
        "hgrn2": hgrn2,
        "mlstm": mlstm,
        "slstm": slstm,
        "rwkv7": rwkv7,
        "rotrnn": rotrnn,
        "bidirectional_rotrnn": bidirectional_rotrnn,
        "released_rotrnn": released_rotrnn,
        "released_bidirectional_rotrnn": released_bidirectional_rotrnn,
        "blur": blur,
        "attention": causal_attention,
    }
)


def layer_options(name: str) -> dict[str, bool]:
    """Return a dictionary from each option of a layer to True if required, else False.

    Args:
        name: Name of the layer, a key of ``SEQUENCE_LAYERS``.

    Raises:
        ValueError: If there is no layer of this name.

    Example:
        >>> layer_options("rglru"), layer_options("s4")["nu0"]
        ({'heads': False, 'radii': False, 'spread': False}, True)
    """
    if name not in SEQUENCE_LAYERS:
        raise ValueError(f"need a layer in {tuple(SEQUENCE_LAYERS)}, got {name!r}")
    arguments = inspect.signature(SEQUENCE_LAYERS[name]).parameters.values()
    return {p.name: p.default is p.empty for p in arguments if p.name not in COMMON}


def require_options(name: str, options: Mapping[str, Any]) -> None:
    """Check that the options of a layer are known and that no required option is missing.

    Raises:
        ValueError: If an option is unknown or missing, or no layer has the name.
    """
    known = layer_options(name)
    if unknown := sorted(set(options) - set(known)):
        raise ValueError(
            f"need options of {name} in {sorted(known)}, got unknown layer_options {unknown}"
        )
    if missing := [
        option for option, needed in known.items() if needed and option not in options
    ]:
        raise ValueError(
            f"need the options {missing} for {name}, got {sorted(options)}"
        )


def sequence_layer(
    name: str, state_size: int, width: int, *, key: PRNGKeyArray, **options: Any
) -> Layer:
    """Draw a sequence layer, given the name of its type.

    Args:
        name: Name of the layer, a key of ``SEQUENCE_LAYERS``.
        state_size: Size of the state; its meaning depends on the layer. For most layers
            it is the number of real or complex numbers in the state of one direction.
            For ``selective`` it is the number of states of one channel, and for ``s4d``
            the number of conjugate pairs of one channel. For ``linoss`` it is the
            number of oscillators, and for ``slstm`` the number of neurons. For ``gla``,
            ``hgrn2``, ``mlstm``, ``rwkv7`` and the delta-rule layers it is the number
            of entries of a head's key vector. For ``ssd`` and ``mamba3`` it is the
            number of entries of ``B``.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        options: Further arguments of the function that draws the layer, such as
            ``heads``. A list is converted to a tuple.

    Raises:
        ValueError: If the name or an option is unknown; if a required option is
            missing; if a value is not valid; or if ``state_size`` differs from
            ``width`` in a layer with one input or output per state.

    Example:
        >>> import jax
        >>> layer = sequence_layer("s5", 16, 4, key=jax.random.key(0), blocks=2)
        >>> layer.widths
        (4, 4)
    """
    require_options(name, options)
    ready = {
        option: tuple(value) if isinstance(value, list) else value
        for option, value in options.items()
    }
    layer = SEQUENCE_LAYERS[name](state_size, width, key=key, **ready)
    if layer.widths != (width, width):
        raise ValueError(
            f"need state_size = width for {name}, got {state_size=}, {width=}"
        )
    return layer
