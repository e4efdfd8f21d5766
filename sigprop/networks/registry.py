"""Every sequence layer by its name, drawn in one way: key, state size, width, options.

A network knows its layers by name, so that a configuration is plain data.  A new layer is
one added line in ``SEQUENCE_LAYERS``.
"""

import functools
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
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.dense import block_rnn, linear_rnn, nonlinear_rnn
from sigprop.layers.gated import constant_gate, gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru, released_zucchet_lru, zucchet_lru
from sigprop.layers.lstm import lstm
from sigprop.layers.mingru import mingru
from sigprop.layers.released_rotrnn import (
    released_bidirectional_rotrnn,
    released_rotrnn,
)
from sigprop.layers.rglru import rglru
from sigprop.layers.rotrnn import bidirectional_rotrnn, rotrnn
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.layers.selective import selective
from sigprop.layers.two_way import bgru, bidirectional_s4, blstm, brnn

Builder = Callable[..., Layer]

# What the adaptors below fill in; every other argument of a builder is an option.
SIZES = frozenset(
    {"key", "state_size", "width", "n", "d_in", "d_out", "size", "channels", "pairs"}
)


def _square(draw: Builder) -> Builder:
    """A layer with ``d_in`` and ``d_out`` of its own, both the network's width."""

    @functools.wraps(draw)
    def build(key, state_size, width, **options):
        return draw(key, state_size, width, width, **options)

    return build


def _require_one_state_a_channel(name: str, state_size: int, width: int) -> None:
    if state_size != width:
        raise ValueError(
            f"need state_size = width for {name}, got {state_size=}, {width=}"
        )


def _as_wide_as_its_state(draw: Builder) -> Builder:
    """A layer with one state a channel."""

    @functools.wraps(draw)
    def build(key, state_size, width, **options):
        _require_one_state_a_channel(draw.__name__, state_size, width)
        return draw(key, width, width, **options)

    return build


@functools.wraps(rglru)
def _rglru(key, state_size, width, **options):
    _require_one_state_a_channel("rglru", state_size, width)
    return rglru(key, width, **options)


@functools.wraps(block_rnn)
def _blocks(key, state_size, width, *, blocks, **options):
    if blocks < 1 or state_size % blocks:
        raise ValueError(
            f"need state_size a multiple of blocks >= 1, got {state_size=}, {blocks=}"
        )
    return block_rnn(key, blocks, state_size // blocks, width, width, **options)


@functools.wraps(s4d)
def _channels(key, state_size, width, **options):
    return s4d(key, width, state_size, **options)


@functools.wraps(causal_attention)
def _attention(key, state_size, width, **options):
    _require_one_state_a_channel("attention", state_size, width)
    return causal_attention(key, width, **options)


SEQUENCE_LAYERS: Mapping[str, Builder] = MappingProxyType(
    {
        "lru": lru,
        "bidirectional_lru": bidirectional_lru,
        "zucchet_lru": _square(zucchet_lru),
        "released_zucchet_lru": _square(released_zucchet_lru),
        "complex_diagonal": _square(complex_diagonal),
        "complex_lru": complex_lru,
        "linear_rnn": _square(linear_rnn),
        "block_rnn": _blocks,
        "nonlinear_rnn": _square(nonlinear_rnn),
        "brnn": _square(brnn),
        "s4": _square(s4),
        "bidirectional_s4": _square(bidirectional_s4),
        "s4d": _channels,
        "s5": s5,
        "gru": _square(gru),
        "bgru": _square(bgru),
        "lstm": _square(lstm),
        "blstm": _square(blstm),
        "gated_unit": _as_wide_as_its_state(gated_unit),
        "constant_gate": _as_wide_as_its_state(constant_gate),
        "rglru": _rglru,
        "mingru": _as_wide_as_its_state(mingru),
        "selective": selective,
        "gla": gla,
        "deltanet": deltanet,
        "gated_deltanet": gated_deltanet,
        "rotrnn": rotrnn,
        "bidirectional_rotrnn": bidirectional_rotrnn,
        "released_rotrnn": released_rotrnn,
        "released_bidirectional_rotrnn": released_bidirectional_rotrnn,
        "blur": blur,
        "attention": _attention,
    }
)


def layer_options(name: str) -> dict[str, bool]:
    """The options of a layer, and whether it needs them.

    Raises:
        ValueError: If no layer has the name.
    """
    if name not in SEQUENCE_LAYERS:
        raise ValueError(f"need a layer in {tuple(SEQUENCE_LAYERS)}, got {name!r}")
    arguments = inspect.signature(SEQUENCE_LAYERS[name]).parameters.values()
    return {p.name: p.default is p.empty for p in arguments if p.name not in SIZES}


def require_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that a layer does not know, and the lack of one that it needs.

    Raises:
        ValueError: Naming the known ones; also if no layer has the name.
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
    key: PRNGKeyArray, name: str, state_size: int, width: int, **options: Any
) -> Layer:
    """Draw the layer of a name.

    Args:
        key: Consumed here.
        name: One of ``SEQUENCE_LAYERS``.
        state_size: What the layer's own builder calls so, or ``n``: numbers in the state
            of one direction, real or complex as the layer has them; for ``s4d`` the
            conjugate pairs of one channel, and for ``selective`` its states; for ``gla``,
            ``deltanet`` and ``gated_deltanet`` the entries of a head's key; for the layers
            with one state a channel, and for ``attention``, the width.
        width: Inputs and outputs.
        options: Those of the layer's own builder; a list stands for a tuple.

    Raises:
        ValueError: If the name or an option is unknown, a needed option is missing, or
            the layer's builder refuses a value.
    """
    require_options(name, options)
    ready = {
        option: tuple(value) if isinstance(value, list) else value
        for option, value in options.items()
    }
    return SEQUENCE_LAYERS[name](key, state_size, width, **ready)
