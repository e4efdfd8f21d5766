"""Maps from the features of a series to the input channels of a layer."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.audit.series import Series
from sigprop.networks.foreign import Checkpoint


class Embedding(NamedTuple):
    """Channels ``mixing x`` of features ``x``, and in words where the mixing comes from."""

    mixing: Float[np.ndarray, "d f"]
    origin: str


class Encoder(NamedTuple):
    """A matrix of the checkpoint that makes channels of features."""

    name: str
    matrix: Float[np.ndarray, "d f"]


def encoder_of(checkpoint: Checkpoint, name: str, series: Series) -> Encoder:
    """The matrix of that name, whichever way round it is stored.

    Raises:
        ValueError: If there is none, or it is no matrix for as many features; names both.
    """
    if name not in checkpoint.tensors:
        raise ValueError(
            f"need the name of a tensor of {checkpoint.path} for --through, got {name!r}"
        )
    tensor, count = checkpoint.tensors[name], len(series.names)
    if len(tensor.shape) != 2 or count not in tensor.shape:
        raise ValueError(
            f"need a series of as many features as one side of {name} of shape "
            f"{tensor.shape} has, got {count}: {', '.join(series.names[:8])}; give all "
            "columns, or leave --through out"
        )
    matrix = np.asarray(tensor.read(), float)
    return Encoder(name, matrix if matrix.shape[1] == count else matrix.T)


def embed(series: Series, width: int, encoder: Encoder | None, seed: int) -> Embedding:
    """Channels of a layer of that width: by the encoder, as they are, or mixed at random.

    Random weights are Gaussian, the same for every layer of a width, and scaled so that
    each channel has variance one.
    """
    if encoder is not None and len(encoder.matrix) == width:
        return Embedding(encoder.matrix, f"the series through {encoder.name}")
    features = series.values
    if features.shape[2] == width:
        return Embedding(np.eye(width), "the features of the series as they are")
    weights = np.random.default_rng((seed, width)).normal(
        size=(width, features.shape[2])
    )
    flat = features.reshape(-1, features.shape[2])
    power = np.einsum("df,fg,dg->d", weights, flat.T @ flat / len(flat), weights)
    origin = (
        f"{width} random mixtures of {features.shape[2]} feature"
        f"{'s' * (features.shape[2] > 1)}, each of variance one"
    )
    return Embedding(weights / np.sqrt(power)[:, None], origin)
