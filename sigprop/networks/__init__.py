"""Deep networks of sequence layers, with the configurations of the papers or your own.

A network is built from a configuration of plain values.  It reads padded batches, single
inputs one by one, or pairs of documents:

    >>> import jax, tempfile
    >>> from pathlib import Path
    >>> from sigprop.networks import build, load_network, lru_paper, over_batch, save_network
    >>> network, state = build(lru_paper("listops"), key=jax.random.key(0))
    >>> tokens = jax.random.randint(jax.random.key(1), (2, 50), 0, 20)
    >>> outputs, state = over_batch(network, state, tokens)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save_network(Path(folder) / "listops.safetensors", network, state)
    ...     network, state = load_network(file)
    >>> outputs.shape
    (2, 10)
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.networks.assembly import build as build
    from sigprop.networks.assembly import load_network as load_network
    from sigprop.networks.assembly import parameter_groups as parameter_groups
    from sigprop.networks.assembly import parameter_table as parameter_table
    from sigprop.networks.assembly import save_network as save_network
    from sigprop.networks.backpropagation import predict_errors as predict_errors
    from sigprop.networks.config import NetworkConfig as NetworkConfig
    from sigprop.networks.filters import filter_of as filter_of
    from sigprop.networks.filters import filtered as filtered
    from sigprop.networks.first_layer import first_states as first_states
    from sigprop.networks.forecaster import Head as Head
    from sigprop.networks.forecaster import forecast as forecast
    from sigprop.networks.gaussian import Signal as Signal
    from sigprop.networks.gaussian import independent as independent
    from sigprop.networks.network import Network as Network
    from sigprop.networks.network import over_batch as over_batch
    from sigprop.networks.presets import all_presets as all_presets
    from sigprop.networks.presets import blur_paper as blur_paper
    from sigprop.networks.presets import lru_paper as lru_paper
    from sigprop.networks.presets import rotrnn_paper as rotrnn_paper
    from sigprop.networks.presets import zucchet_paper as zucchet_paper
    from sigprop.networks.probing import state_powers as state_powers
    from sigprop.networks.propagation import predict_signals as predict_signals
    from sigprop.networks.registry import SEQUENCE_LAYERS as SEQUENCE_LAYERS
    from sigprop.networks.registry import layer_options as layer_options
    from sigprop.networks.registry import sequence_layer as sequence_layer
    from sigprop.networks.retrieval import TwoTowers as TwoTowers

export(__name__)
