"""Maps from the features of a series to the input channels of a layer."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.audit.series import Series
from sigprop.networks.foreign import Checkpoint


class Embedding(NamedTuple):
    """Input channels ``mixing x`` made from the features ``x`` of a series.

    Attributes:
        mixing: Matrix from ``f`` features to ``d`` channels.
        origin: Description of the matrix.
    """

    mixing: Float[np.ndarray, "d f"]
    origin: str


class Encoder(NamedTuple):
    """Matrix of a checkpoint that maps features to channels.

    Attributes:
        name: Name of the tensor.
        matrix: Matrix from ``f`` features to ``d`` channels.
    """

    name: str
    matrix: Float[np.ndarray, "d f"]


def encoder_of(checkpoint: Checkpoint, name: str, series: Series) -> Encoder:
    """Return the encoder matrix with a given name, transposed if necessary.

    Args:
        checkpoint: Checkpoint with the matrix.
        name: Name of the tensor.
        series: Series whose features the matrix maps.

    Raises:
        ValueError: If there is no tensor of this name, it is not a matrix, or neither of
            its sides is the number of features.
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
    """Make the input channels of a layer from the features of a series.

    The encoder is used if it has as many rows as the layer has channels.  Otherwise, if
    there are as many features as channels, they are used without change.  In all other
    cases the channels are random mixtures of the features.  The random weights are
    Gaussian and scaled so that each channel has unit variance.  Layers of the same width
    get the same mixtures.

    Args:
        series: Series with the features.
        width: Number of channels of the layer.
        encoder: Matrix of the checkpoint from features to channels, or None.
        seed: Seed of the random weights.
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
