"""Evidence on the delta rule as regression: sequences, covariances, searches."""

import math
from functools import partial

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import legendre, points
from sigprop.evidence.sigprop.delta_rules import sequences
from sigprop.evidence.sigprop.layers_of_today import axes, simplex
from sigprop.judge.basis import Basis, Evidence

MANY = 400  # writes until the error is stationary
Matrix = Float[np.ndarray, "d d"]


def error_after(
    covariance: Matrix, keys: Float[np.ndarray, "keys d"], beta: float, sigma: float
) -> Matrix:
    """Covariance of ``s - m`` after one write with a random one of some keys."""
    projections = keys[:, :, None] * keys[:, None, :]
    steps = np.eye(keys.shape[1]) - beta * projections
    after = steps @ covariance @ steps + (sigma * beta) ** 2 * projections
    return np.mean(after, axis=0)


def of_new_key(covariance: Matrix) -> float:
    """The error of a new key."""
    return float(np.trace(covariance)) / len(covariance)


def _rule(d: int, size: float) -> Float[np.ndarray, " d"]:
    """A linear map to learn, with ``|m|^2 = size d``."""
    rule = np.cos(1 + np.arange(d))
    return rule * math.sqrt(size * d) / np.linalg.norm(rule)


def regression_by_covariance(
    beta: float, sigma: float, size: float, d: int, T: int
) -> float:
    """The covariance of the error, write by write, for corners of a simplex."""
    rule = _rule(d, size)
    covariance = np.outer(rule, rule)
    for _ in range(T):
        covariance = error_after(covariance, simplex(d), beta, sigma)
    return of_new_key(covariance)


def regression_by_sequences(
    beta: float, sigma: float, size: float, d: int, T: int
) -> float:
    """The state itself, over all sequences of axes and both signs of each noise."""
    rule, errors = _rule(d, size), []
    for chosen in sequences(axes(d), T):
        for signs in range(2**T):
            state = np.zeros(d)
            for write, key in enumerate(chosen):
                noise = sigma if signs >> write & 1 else -sigma
                state = state + beta * (rule @ key + noise - state @ key) * key
            errors.append(float((state - rule) @ (state - rule)) / d)
    return math.fsum(errors) / len(errors)


def tracking_by_covariance(beta: float, sigma: float, q: float, d: int) -> float:
    """The error after many moves and writes."""
    covariance = np.zeros((d, d))
    for _ in range(MANY):
        covariance = error_after(covariance + q * np.eye(d), simplex(d), beta, sigma)
    return of_new_key(covariance + q * np.eye(d))


def tracking_by_system(beta: float, sigma: float, q: float, d: int) -> float:
    """The stationary covariance under steps of ``m`` and writes, by a linear system."""
    columns = []
    for index in range(d * d):
        unit = np.zeros(d * d)
        unit[index] = 1.0
        columns.append(error_after(unit.reshape(d, d), axes(d), beta, 0.0).ravel())
    kept = np.array(columns).T
    source = error_after(q * np.eye(d), axes(d), beta, sigma).ravel()
    limit = np.linalg.solve(np.eye(d * d) - kept, source).reshape(d, d)
    return of_new_key(limit + q * np.eye(d))


def tracking_rate_by_search(Q: float) -> float:
    """The learning rate with the smallest error, for this variance of steps."""
    d, sigma = 2, 0.7
    found = scipy.optimize.minimize_scalar(
        lambda beta: tracking_by_system(beta, sigma, Q * sigma**2 / d, d),
        bounds=(0.02, 1.5),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(found.x)


def gain_by_search(error: float, sigma: float) -> float:
    """The learning rate that gives the smallest error."""
    return _best(error, sigma, 3)[0]


def error_by_search(error: float, sigma: float, d: int) -> float:
    """The least error after a write."""
    return _best(error, sigma, d)[1]


def _best(error: float, sigma: float, d: int) -> tuple[float, float]:
    before = error * np.eye(d)

    def after(beta: float) -> float:
        return of_new_key(error_after(before, simplex(d), beta, sigma))

    found = scipy.optimize.minimize_scalar(
        after, bounds=(0.0, 1.5), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x), float(found.fun)


def error_by_projection(error: float, sigma: float, d: int) -> float:
    """The error after one step of least squares, the best linear estimate of the rule."""
    prior = np.eye(d) / error
    posteriors = [
        np.linalg.inv(prior + np.outer(key, key) / sigma**2) for key in simplex(d)
    ]
    return float(np.mean([of_new_key(posterior) for posterior in posteriors]))


def gain_by_projection(error: float, sigma: float) -> float:
    """Return the step of the best linear estimate along the key, over the surprise."""
    key = np.array([0.6, 0.8])
    posterior = np.linalg.inv(np.eye(2) / error + np.outer(key, key) / sigma**2)
    return float((posterior @ key / sigma**2) @ key)


def random_rate(largest: float, d: int, keys: str) -> float:
    """The state's energy in the limit, at nodes of the rate."""
    rates, weights = legendre(0.0, largest, 4)
    weights = weights / largest
    directions = {"axes": axes, "simplex": simplex}[keys](d)
    covariance = np.zeros((d, d))
    for _ in range(MANY):
        after = [error_after(covariance, directions, rate, 1.0) for rate in rates]
        covariance = np.einsum("n,nij->ij", weights, np.array(after))
    return float(np.trace(covariance))


_GAINS = points("error sigma", (0.8, 0.5), (0.1, 1.3), (2.5, 0.9))

EVIDENCE: dict[str, Basis] = {
    "sigprop:delta-regression": Evidence(
        points(
            "beta sigma size d T",
            (0.5, 0.7, 1.3, 3, 2),
            (1.2, 0.4, 0.6, 2, 4),
            (0.8, 1.5, 2.0, 4, 3),
        ),
        {"covariance": regression_by_covariance, "sequences": regression_by_sequences},
    ),
    "sigprop:delta-tracking": Evidence(
        points(
            "beta sigma q d",
            (0.5, 0.7, 0.1, 3),
            (1.2, 0.4, 0.02, 2),
            (0.3, 1.5, 0.4, 4),
        ),
        {"covariance": tracking_by_covariance, "system": tracking_by_system},
    ),
    "sigprop:delta-tracking-rate": Evidence(
        points("Q", 0.05, 0.4, 3.0), {"search": tracking_rate_by_search}, tolerance=1e-6
    ),
    "sigprop:delta-gain": Evidence(
        _GAINS,
        {"search": gain_by_search, "projection": gain_by_projection},
        tolerance=1e-6,
    ),
    "sigprop:delta-gain-error": Evidence(
        points("error sigma d", (0.8, 0.5, 3), (0.1, 1.3, 2), (2.5, 0.9, 4)),
        {"search": error_by_search, "projection": error_by_projection},
    ),
    "sigprop:delta-random-rate": Evidence(
        points("largest d", (1.0, 3), (2.0, 2), (1.4, 4)),
        {name: partial(random_rate, keys=name) for name in ("axes", "simplex")},
    ),
}
