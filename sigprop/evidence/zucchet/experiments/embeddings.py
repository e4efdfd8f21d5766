"""Autocovariance of the embeddings, as Figure 12 of Zucchet & Orvieto (2024) fits it."""

import numpy as np
from jaxtyping import Float

EMBEDDINGS = {"a": 0.332, "b": 0.044, "rho": 0.997}


def covariance(steps: int, a: float, b: float, rho: float) -> Float[np.ndarray, "t s"]:
    """``R(t - s) = a [t = s] + b rho^|t - s|`` of the last ``steps`` inputs."""
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    return a * np.eye(steps) + b * np.power(float(rho), lags)
