"""Evidence on the delta rule as a memory: sequences of keys, and covariances of states.

Expectations are means over a few keys with the moments of isotropic keys.  The axes,
and the corners of a simplex, have the moments of second order.  The axes of regular
bodies also have those of fourth order.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import points
from sigprop.evidence.sigprop.layers_of_today import axes, householder, simplex
from sigprop.judge.basis import Basis, Evidence

Keys = Float[np.ndarray, "keys d"]
MANY = 1000  # writes until a memory is stationary
GOLDEN = (1 + math.sqrt(5)) / 2


# Sequences of keys, one after the other.


def sequences(keys: Keys, T: int) -> Iterator[tuple[Float[np.ndarray, " d"], ...]]:
    """All sequences of ``T`` keys."""
    yield from (
        tuple(map(np.array, chosen)) for chosen in itertools.product(keys, repeat=T)
    )


def product(
    step: Callable[[Float[np.ndarray, " d"]], Float[np.ndarray, "d d"]],
    chosen: tuple[Float[np.ndarray, " d"], ...],
    d: int,
) -> Float[np.ndarray, "d d"]:
    """The product of the steps of some keys."""
    A = np.eye(d)
    for key in chosen:
        A = A @ step(key)
    return A


def state_by_sequences(beta: float, d: int, T: int, alpha: float = 1.0) -> float:
    """``E |s_T|^2`` as a sum over writes, of all sequences of axes."""
    total, count = 0.0, 0
    for chosen in sequences(axes(d), T):
        count += 1
        for write, key in enumerate(chosen):
            row = beta * key
            for later in chosen[write + 1 :]:
                row = alpha * row @ householder(beta, later)
            total += float(row @ row)
    return total / count


def overlap_by_sequences(beta: float, d: int, T: int) -> float:
    """Mean squared overlap over keys and sequences of the axes of a regular body."""
    keys = body(d)
    step = partial(householder, beta)
    values = [
        (key @ product(step, chosen, d) @ key) ** 2
        for chosen in sequences(keys, T)
        for key in keys
    ]
    return math.fsum(values) / len(values)


def body(d: int) -> Keys:
    """Axes of a regular body, with the moments of a sphere up to fifth order."""
    if d == 2:
        angles = np.pi / 3 * np.arange(3)
        return np.stack([np.cos(angles), np.sin(angles)], 1)
    if d == 3:  # the icosahedron
        corners = np.array([(0, 1, GOLDEN), (0, 1, -GOLDEN)])
        keys = np.concatenate([np.roll(corners, turn, axis=1) for turn in range(3)])
    else:  # the 24-cell
        signs = np.array([(1, *rest) for rest in itertools.product((1, -1), repeat=3)])
        keys = np.concatenate([2 * np.eye(4), signs])
    return keys / np.linalg.norm(keys, axis=1)[:, None]


def overlap_by_angles(beta: float, d: int, T: int) -> float:
    """In two dimensions, over many angles of each key, step by step."""
    assert d == 2
    angles = np.pi / 16 * np.arange(16)
    key = np.array([0.6, -0.8])
    moments = np.outer(key, key)
    for _ in range(T):
        moments = np.mean(
            [
                householder(beta, k) @ moments @ householder(beta, k)
                for k in np.stack([np.cos(angles), np.sin(angles)], 1)
            ],
            axis=0,
        )
    return float(key @ moments @ key)


# Covariances of states, write by write.


def written(
    covariance: Float[np.ndarray, "d d"],
    keys: Keys,
    alpha: float,
    beta: float,
    g: float,
) -> Float[np.ndarray, "d d"]:
    """``E s^T s`` after a write with a random key; ``g`` is the weight of the value."""
    projections = keys[:, :, None] * keys[:, None, :]
    steps = alpha * (np.eye(keys.shape[1]) - beta * projections)
    after = steps @ covariance @ steps + g**2 * projections
    return np.mean(after, axis=0)


def state_by_covariance(beta: float, d: int, T: int) -> float:
    """``E |s_T|^2`` by its covariance, for the corners of a simplex."""
    return float(np.trace(Memory(d, 1.0, beta, beta, writes=T).covariance))


def limit_by_covariance(alpha: float, beta: float, d: int) -> float:
    """``E |s|^2`` in the limit, write by write."""
    return float(np.trace(Memory(d, alpha, beta, beta, axes, MANY).covariance))


def limit_by_kronecker(alpha: float, beta: float, d: int) -> float:
    """``E |s|^2`` in the limit, by a linear system for the covariance."""
    return float(np.trace(filled(simplex(d), alpha, beta, beta)))


def filled(keys: Keys, alpha: float, beta: float, g: float) -> Float[np.ndarray, "d d"]:
    """The stationary covariance, which a write does not change."""
    d = keys.shape[1]
    source = g**2 * np.mean([np.outer(key, key) for key in keys], axis=0)
    system = np.eye(d * d) - _moved(keys, alpha, beta)
    return np.linalg.solve(system, source.ravel()).reshape(d, d)


def _moved(keys: Keys, alpha: float, beta: float) -> Float[np.ndarray, "d2 d2"]:
    steps = [alpha * householder(beta, key) for key in keys]
    return np.mean([np.kron(step, step) for step in steps], axis=0)


def edge_by_spectrum(alpha: float, d: int) -> float:
    """The rate above one at which the covariance's recursion has the eigenvalue one."""

    def excess(beta: float) -> float:
        return float(
            np.abs(np.linalg.eigvals(_moved(simplex(d), alpha, beta))).max() - 1
        )

    return scipy.optimize.brentq(excess, 1.0, 20.0, xtol=1e-13)


class Memory:
    """The memory of a delta rule, and the value that is read with a key.

    Args:
        d: Entries of a key.
        alpha: Decay.
        beta: Share that is removed along a key.
        g: Weight of a value.
        keys: Possible keys.
        writes: Writes before the reading; by default, the memory is stationary.
    """

    def __init__(
        self,
        d: int,
        alpha: float,
        beta: float,
        g: float,
        keys: Callable[[int], Keys] = simplex,
        writes: int | None = None,
    ) -> None:
        self.keys, self.rule = keys(d), (alpha, beta, g)
        if writes is None:
            self.covariance = filled(self.keys, *self.rule)
            return
        self.covariance = np.zeros((d, d))
        for _ in range(writes):
            self.covariance = written(self.covariance, self.keys, *self.rule)

    def energy(self, T: int) -> float:
        """``E (s_T k)^2`` of a key that was written ``T`` writes ago."""
        energies = []
        for key in self.keys:
            covariance = written(self.covariance, key[None], *self.rule)
            for _ in range(T):
                covariance = written(covariance, self.keys, *self.rule)
            energies.append(key @ covariance @ key)
        return math.fsum(energies) / len(energies)

    def signal(self, T: int) -> float:
        """``E v s_T k`` of the value that was written with the key."""
        alpha, beta, g = self.rule
        mean = alpha * np.mean([householder(beta, key) for key in self.keys], axis=0)
        power = np.linalg.matrix_power(mean, T)
        return float(np.mean([g * key @ power @ key for key in self.keys]))

    def share(self, T: int) -> float:
        """Share of the value that the reading explains."""
        return self.signal(T) ** 2 / self.energy(T)

    def error(self, T: int) -> float:
        """``E (s_T k - v)^2``."""
        return self.energy(T) - 2 * self.signal(T) + 1


def delta(d: int, beta: float, keys: Callable[[int], Keys] = simplex) -> Memory:
    """A full memory of DeltaNet."""
    return Memory(d, 1.0, beta, beta, keys)


def reading_by_sequences(beta: float, d: int, T: int) -> tuple[float, float, float]:
    """Energy, signal and error of a reading, over all sequences of axes.

    Older values are in a state whose rows are ``filled``, one for each of many values.
    """
    filled = np.linalg.cholesky(delta(d, beta, axes).covariance).T
    energies, signals = [], []
    for first, *later in sequences(axes(d), T + 1):
        A = product(partial(householder, beta), tuple(later), d)
        old = filled @ householder(beta, first) @ A @ first
        own = beta * first @ A @ first
        noise = [
            beta
            * key
            @ product(partial(householder, beta), tuple(later[n + 1 :]), d)
            @ first
            for n, key in enumerate(later)
        ]
        energies.append(float(old @ old + own**2 + np.square(noise).sum()))
        signals.append(float(own))
    energy, signal = (math.fsum(x) / len(x) for x in (energies, signals))
    return energy, signal, energy - 2 * signal + 1


def interference_by_covariance(beta: float, d: int, T: int) -> float:
    """By the covariance of the later writes, read by a generic key."""
    covariance = Memory(d, 1.0, beta, beta, writes=T).covariance
    key = np.cos(1 + np.arange(d))
    key /= np.linalg.norm(key)
    return float(key @ covariance @ key)


def interference_by_sequences(beta: float, d: int, T: int) -> float:
    """Over all sequences of axes, as a mean over keys that are read."""
    values = []
    for first, *later in sequences(axes(d), T + 1):
        for n, key in enumerate(later):
            after = product(partial(householder, beta), tuple(later[n + 1 :]), d)
            values.append((beta * key @ after @ first) ** 2)
    return math.fsum(values) / d ** (T + 1)


def horizon_by_error(beta: float, d: int) -> float:
    """Return the time at which the error of the mean memory exceeds one."""
    memory = delta(d, beta)
    mean = np.mean([householder(beta, key) for key in memory.keys], axis=0)
    values, vectors = np.linalg.eigh(mean)
    key = vectors.T @ memory.keys[0]

    def excess(T: float) -> float:
        return memory.energy(0) - 2 * beta * float(key**2 @ values**T)

    return scipy.optimize.brentq(excess, 0.0, 100.0 * d, xtol=1e-12)


def rate_by_search(d: int, T: int) -> float:
    """The rate with the largest share, with a stationary memory for each rate."""
    found = scipy.optimize.minimize_scalar(
        lambda beta: -delta(d, beta).share(T),
        bounds=(0.05, 1.2),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return float(found.x)


def capacity_by_sum(beta: float, d: int) -> float:
    """Sum of shares over values, until the shares vanish."""
    memory = delta(d, beta)
    energy, T, total = memory.energy(1), 0, 0.0
    while True:
        share = memory.signal(T) ** 2 / energy
        total, T = total + share, T + 1
        if share < 1e-14:
            return total


def decayed(alpha: float, d: int, T: int, keys: Callable[[int], Keys]) -> float:
    """The share of linear attention with a decay."""
    return Memory(d, alpha, 0.0, 1.0, keys).share(T)


def _best_decay(d: int, T: int, keys: Callable[[int], Keys]) -> tuple[float, float]:
    """The square of the best decay and the explained share, by a search."""
    found = scipy.optimize.minimize_scalar(
        lambda squared: -decayed(math.sqrt(squared), d, T, keys),
        bounds=(0.01, 0.99),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(found.x), -float(found.fun)


def limit_by_lengths(d: int) -> float:
    """``T`` times the largest share at a long age and its double, extrapolated."""

    def largest(T: int) -> float:
        found = scipy.optimize.minimize_scalar(
            lambda slow: -delta(d, slow / T).share(0) * _left(d, slow / T, T) ** 2,
            bounds=(0.1 * d, 1.5 * d),
            method="bounded",
            options={"xatol": 1e-9},
        )
        return -T * float(found.fun)

    return 2 * largest(20_000) - largest(10_000)


def _left(d: int, beta: float, T: int) -> float:
    """Return the share of the signal that remains after ``T`` writes."""
    values = np.linalg.eigvalsh(
        np.mean([householder(beta, key) for key in simplex(d)], axis=0)
    )
    return float(np.mean(values**T))


def crowded_by_covariance(d: int, T: int) -> float:
    """The share of the newest of ``T`` values that do not decay."""
    return Memory(d, 1.0, 0.0, 1.0, writes=T - 1).share(0)


def crowded_by_sequences(d: int, T: int) -> float:
    """Over all sequences of axes, of the first value."""
    energies = []
    for chosen in sequences(axes(d), T):
        energies.append(float(sum((key @ chosen[0]) ** 2 for key in chosen)))
    return len(energies) / math.fsum(energies)


def rare_by_recursion(beta: float, p: float, T: int) -> float:
    """The moment along the axis, write by write."""
    moment = 0.0
    for _ in range(T):
        moment = (1 - p) * moment + p * ((1 - beta) ** 2 * moment + beta**2)
    return moment


def rare_by_counts(beta: float, p: float, T: int) -> float:
    """By the number of writes along the axis, and the weights of their values."""
    terms = []
    for count in range(T + 1):
        chance = math.comb(T, count) * p**count * (1 - p) ** (T - count)
        weights = [beta * (1 - beta) ** age for age in range(count)]
        terms.append(chance * math.fsum(x * x for x in weights))
    return math.fsum(terms)


_OLD = points("beta d T", (0.5, 3, 2), (1.0, 2, 4), (1.7, 4, 2), (0.3, 2, 1))
BY_KEYS = ("axes", axes), ("simplex", simplex)

EVIDENCE: dict[str, Basis] = {
    "sigprop:delta-state": Evidence(
        points("beta d T", (0.5, 3, 2), (1.0, 2, 4), (1.7, 4, 3)),
        {"sequences": state_by_sequences, "covariance": state_by_covariance},
    ),
    "sigprop:gated-delta-state": Evidence(
        points("alpha beta d", (0.9, 0.5, 3), (0.97, 1.4, 5), (0.7, 2.2, 2)),
        {"covariance": limit_by_covariance, "kronecker": limit_by_kronecker},
    ),
    "sigprop:gated-delta-edge": Evidence(
        points("alpha d", (0.9, 3), (0.97, 5), (0.6, 2)),
        {"spectrum": edge_by_spectrum},
    ),
    "sigprop:delta-interference": Evidence(
        points("beta d T", (0.5, 3, 2), (1.0, 2, 4), (1.7, 4, 3)),
        {
            "sequences": interference_by_sequences,
            "covariance": interference_by_covariance,
        },
    ),
    "sigprop:delta-overlap": Evidence(
        points("beta d T", (0.5, 2, 2), (1.3, 2, 3), (1.9, 2, 4)),
        {"sequences": overlap_by_sequences, "angles": overlap_by_angles},
    ),
    "sigprop:delta-reading": Evidence(
        points("beta d T", (0.5, 3, 2), (1.0, 2, 4), (1.7, 4, 1)),
        {
            "covariance": lambda beta, d, T: delta(d, beta).energy(T),
            "sequences": lambda beta, d, T: reading_by_sequences(beta, d, T)[0],
        },
    ),
    "sigprop:delta-error": Evidence(
        _OLD,
        {
            "covariance": lambda beta, d, T: delta(d, beta).error(T),
            "sequences": lambda beta, d, T: reading_by_sequences(beta, d, T)[2],
        },
    ),
    "sigprop:delta-horizon": Evidence(
        points("beta d", (0.3, 3), (1.0, 2), (1.4, 5)), {"error": horizon_by_error}
    ),
    "sigprop:delta-explained": Evidence(
        _OLD,
        {"covariance": lambda beta, d, T: delta(d, beta).share(T)},
    ),
    "sigprop:delta-best-rate": Evidence(
        points("d T", (3, 2), (2, 4), (5, 1)),
        {"search": rate_by_search},
        tolerance=1e-6,
    ),
    "sigprop:delta-capacity": Evidence(
        points("beta d", (0.3, 3), (1.0, 2), (1.4, 5)), {"sum": capacity_by_sum}
    ),
    "sigprop:attention-explained": Evidence(
        points("alpha d T", (0.9, 3, 2), (0.7, 2, 4), (0.95, 5, 1)),
        {name: partial(decayed, keys=keys) for name, keys in BY_KEYS},
    ),
    "sigprop:attention-best-decay": Evidence(
        points("d T", (3, 2), (2, 4), (5, 1)),
        {
            name: lambda d, T, keys=keys: _best_decay(d, T, keys)[0]
            for name, keys in BY_KEYS
        },
        tolerance=1e-6,
    ),
    "sigprop:attention-best-share": Evidence(
        points("d T", (3, 2), (2, 4), (5, 1)),
        {
            name: lambda d, T, keys=keys: _best_decay(d, T, keys)[1]
            for name, keys in BY_KEYS
        },
    ),
    "sigprop:delta-best-share": Evidence(
        points("d", 2, 3, 5), {"ages": limit_by_lengths}, tolerance=1e-6
    ),
    "sigprop:attention-crowded": Evidence(
        points("d T", (3, 2), (2, 4), (4, 3)),
        {"covariance": crowded_by_covariance, "sequences": crowded_by_sequences},
    ),
    "sigprop:delta-rare-key": Evidence(
        points("beta p T", (0.5, 0.3, 2), (1.2, 0.05, 9), (1.7, 0.6, 3)),
        {"recursion": rare_by_recursion, "counts": rare_by_counts},
    ),
}
