"""Exact second moments of the first recurrence of a deep network, at every step.

The network must have a linear encoder and no normalisation before this recurrence.  The
states then are a linear function of the input, plus a constant from the bias of the encoder.
The input consists of independent channels of one stationary process.

Source: Zucchet & Orvieto (2024), Eq. 5, at finite times, for Figure 5.A.
"""

from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Complex, Float
from scipy.linalg import matmul_toeplitz

from sigprop.layers.diagonal import DiagonalLayer
from sigprop.linear.covariances import require_autocovariance
from sigprop.networks.network import Network


def states_over_time(
    lam: Complex[np.ndarray, " n"], autocovariance: Float[np.ndarray, " time"]
) -> Float[np.ndarray, "time n"]:
    """Compute ``E|h_t|^2`` of ``h <- lam h + x`` after 1, 2, ... inputs.

    The recurrence starts from the zero state.

    Args:
        lam: Eigenvalues.
        autocovariance: Autocovariance of the input at lags 0, 1, ..., one per step.

    Raises:
        ValueError: If no stationary process has this ``autocovariance``.

    Source: Zucchet & Orvieto (2024), Lemma 1, for finitely many inputs.
    """
    R = np.asarray(autocovariance, float)
    require_autocovariance(R, len(R))
    powers = np.power(lam[None].astype(complex), np.arange(len(R))[:, None])
    below = np.append(0.0, R[1:]), np.zeros(len(R))
    younger = matmul_toeplitz(below, powers.conj())
    added = R[0] * np.abs(powers) ** 2 + 2 * np.real(powers * younger)
    return np.cumsum(added, axis=0)


def first_states(
    network: Network, autocovariance: Float[np.ndarray, " time"]
) -> Float[np.ndarray, "time n"]:
    """Compute ``E|h_t|^2`` of each neuron of the first block after 1, 2, ... inputs.

    The result is exact for stationary inputs with independent channels of mean zero.

    Args:
        network: Network with a linear encoder, a diagonal layer in its first block, and
            no normalisation before this layer.
        autocovariance: Autocovariance of every input channel at lags 0, 1, ...; the
            number of lags is the number of steps.

    Returns:
        An array with a row per step and a column per neuron.

    Raises:
        ValueError: If the network does not have the properties under ``network``, or no
            stationary process has this ``autocovariance``.

    Example:
        >>> import jax
        >>> from sigprop.networks import NetworkConfig, build
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> first_states(network, np.eye(1, 10)[0]).shape
        (10, 4)
    """
    first, encoder = network.blocks[0], network.encoder
    if not isinstance(first.layer, DiagonalLayer):
        raise ValueError(
            f"need a diagonal layer in block 0, got {type(first.layer).__name__}; see "
            "networks.propagation for linear layers in general"
        )
    if first.norm is not None or not isinstance(encoder, eqx.nn.Linear):
        obstacle = "a normalisation" if first.norm is not None else "an embedding"
        raise ValueError(
            f"need a linear encoder alone before block 0, got {obstacle}; its moments are "
            "not those of a linear function of the input"
        )
    layer: Any = first.layer
    lam, inward = _wide(layer.eigenvalues()), _wide(layer.matrices()[0])
    each = np.sum(np.abs(inward @ _wide(encoder.weight)) ** 2, axis=1)
    moments = each * states_over_time(lam, autocovariance)
    if encoder.bias is None:
        return moments
    ages = np.arange(len(moments))[:, None]
    settled = np.cumsum(lam[None] ** ages, axis=0)
    return moments + np.abs(settled * (inward @ _wide(encoder.bias))) ** 2


def _wide(values: Any) -> Any:
    array = np.asarray(values)
    return array.astype(complex if np.iscomplexobj(array) else float)
