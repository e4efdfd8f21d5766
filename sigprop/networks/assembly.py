"""Build a network from its configuration, save and load it, and count its parameters.

network, state = build(lru_paper("listops"), key=jax.random.key(0))
outputs, state = over_batch(network, state, tokens, lengths=lengths)
"""

import dataclasses
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from sigprop.layers.base import Layer
from sigprop.networks.config import NetworkConfig
from sigprop.networks.files import File, load, save
from sigprop.networks.network import Network, draw_network
from sigprop.networks.retrieval import TwoTowers, draw_towers


def build(
    config: NetworkConfig, *, key: PRNGKeyArray
) -> tuple[Network | TwoTowers, eqx.nn.State]:
    """Draw a network at random, and return it with the state of its normalisations.

    Args:
        config: Configuration of the network.
        key: Random key of JAX; do not use it for anything else.

    Returns:
        The network, in training mode, and its state: the running averages of its batch
        normalisations. The network is a ``TwoTowers`` if ``config.head`` is ``pair``.

    Raises:
        ValueError: If the function that draws the layer rejects a size or an option.

    Example:
        >>> import jax
        >>> from sigprop.networks import NetworkConfig
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> network.config.layer, len(network.blocks)
        ('lru', 1)
    """
    draw = draw_towers if config.head == "pair" else draw_network
    return eqx.nn.make_with_state(draw)(key, config)


def save_network(path: File, network: Network | TwoTowers, state: eqx.nn.State) -> Path:
    """Write a network and its state to a ``.safetensors`` or ``.npz`` file.

    An interrupted call leaves no partial file.

    Args:
        path: Path of the file. Its suffix, ``.safetensors`` or ``.npz``, selects the
            format.
        network: Network from ``build``.
        state: State of the network's batch normalisations.

    Returns:
        The path of the file.

    Raises:
        ValueError: If the suffix is neither ``.safetensors`` nor ``.npz``, or an array
            of ``network`` or ``state`` has a value that is not finite.

    Example:
        >>> import jax, tempfile
        >>> from sigprop.networks import NetworkConfig
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_network(Path(folder) / "net.safetensors", network, state).name
        'net.safetensors'
    """
    return save(path, (network, state), dataclasses.asdict(network.config))


def load_network(path: File) -> tuple[Network | TwoTowers, eqx.nn.State]:
    """Read a network and its state from a file that ``save_network`` wrote.

    Returns:
        The network, in training mode, and the state of its batch normalisations, in the
        form that ``build`` returns.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged or contains no network.

    Example:
        >>> import jax, tempfile
        >>> from sigprop.networks import NetworkConfig
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     drawn = build(config, key=jax.random.key(0))
        ...     file = save_network(Path(folder) / "net.npz", *drawn)
        ...     network, state = load_network(file)
        >>> network.config == config
        True
    """
    key = jax.random.key(0)
    return load(path, lambda values: build(NetworkConfig.from_dict(values), key=key))


def parameter_table(network: Network | TwoTowers) -> dict[str, int]:
    """Count the parameters in each part of a network, summed over blocks.

    A complex number counts as two.  Running averages of normalisations are not counted.
    The network can also be an abstract one from
    ``equinox.filter_eval_shape(build, config, key=key)``, which has shapes but no
    numbers.  The layers ``linear_rnn``, ``block_rnn`` and ``s5`` cannot be built in
    this way.

    Returns:
        A dictionary with the numbers of parameters of ``encoder``, ``norm``, ``layer``,
        ``mixing``, ``skip`` and ``head``, and their ``total``.

    Example:
        >>> import jax
        >>> from sigprop.networks import NetworkConfig
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> table = parameter_table(network)
        >>> table["layer"], table["mixing"], table["total"]
        (148, 144, 358)
    """
    tower = network.tower if isinstance(network, TwoTowers) else network
    head = network.head if isinstance(network, TwoTowers) else network.decoder
    parts = {
        "encoder": tower.encoder,
        "norm": [(block.norm, block.mixing_norm) for block in tower.blocks],
        "layer": [block.layer for block in tower.blocks],
        "mixing": [block.mixing for block in tower.blocks],
        "skip": [block.skip for block in tower.blocks],
        "head": head,
        "total": network,
    }
    return {name: _count(part) for name, part in parts.items()}


def _count(part: Any) -> int:
    leaves = [leaf for leaf in jax.tree.leaves(part) if hasattr(leaf, "dtype")]
    return sum(
        leaf.size * (2 if jnp.iscomplexobj(leaf) else 1)
        for leaf in leaves
        if jnp.issubdtype(leaf.dtype, jnp.inexact)
    )


def parameter_groups(network: Network | TwoTowers) -> Any:
    """Return the optimiser group of every parameter of a network.

    The group of a parameter is ``recurrent``, ``input`` or ``readout`` in a sequence
    layer, and ``other`` elsewhere.  As labels for ``optax.multi_transform``, pass the
    function ``parameter_groups`` itself.  Its result can be called like the network, so
    optax would take it for a function and call it.

    Returns:
        A pytree with the structure of
        ``equinox.filter(network, equinox.is_inexact_array)``, in which each array is
        replaced by the name of its group.

    Example:
        >>> import jax
        >>> from sigprop.networks import NetworkConfig
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> groups = parameter_groups(network)
        >>> groups.blocks[0].layer.nu_log, groups.encoder.weight
        ('recurrent', 'other')
    """
    return jax.tree.map(
        lambda node: _layer_groups(node) if isinstance(node, Layer) else "other",
        eqx.filter(network, eqx.is_inexact_array),
        is_leaf=lambda node: isinstance(node, Layer),
    )


def _layer_groups(layer: Layer) -> Layer:
    groups = layer.groups()
    return jax.tree_util.tree_map_with_path(
        lambda path, _: groups[jax.tree_util.keystr(path, simple=True, separator=".")],
        layer,
    )
