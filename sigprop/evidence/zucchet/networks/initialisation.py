"""Evidence for the initialisation of networks, Eq. 31-33 of Zucchet & Orvieto (2024)."""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import across, bisect, points, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.networks.gru import BIASES, MATRICES
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers import GRU, chrono_times, s4, zucchet_lru
from sigprop.layers.gru import chrono
from sigprop.neuron.ring import ring_polar

# Appendices A.2 and A.3: the ring, the gains and the steps.


def ring_squares(nu0: float) -> Float[np.ndarray, " shares"]:
    """``|lam|^2`` at evenly spaced uniforms, as the layers draw it."""
    nu, _ = computed(ring_polar, SHARES, SHARES, inner=nu0, outer=1.0)
    return np.exp(-2 * nu)


def area_quantiles(nu0: float) -> Float[np.ndarray, " shares"]:
    """Squared radii that enclose 0.05 to 0.95 of the ring's area, by bisection."""

    def enclosed(radius: float) -> float:
        return math.pi * (radius**2 - nu0**2) / (math.pi * (1 - nu0**2))

    radii = [bisect(lambda r, s=s: enclosed(r) < s, nu0, 1.0) for s in SHARES]
    return np.square(radii)


def even_squares(nu0: float) -> Float[np.ndarray, " shares"]:
    """``|lam|^2`` uniform between its ends."""
    return nu0**2 + (1 - nu0**2) * SHARES


SHARES = np.linspace(0.05, 0.95, 7)
RING_MUTANTS = {
    "the modulus uniform": lambda nu0: (nu0 + (1 - nu0) * SHARES) ** 2,
    "the whole disc": lambda nu0: SHARES,
    "the ring's width squared": lambda nu0: nu0**2 + (1 - nu0) ** 2 * SHARES,
}


@functools.cache
def _initial_layer(
    model: str, nu0: float
) -> tuple[Complex[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Eigenvalues and gains of a layer at initialisation."""

    def draw(key: Any) -> Any:
        make = {"lru": zucchet_lru, "s4": s4}[model]
        cell: Any = make(8, 3, key=key, d_out=2, nu0=nu0, theta0=1.0)
        return cell.eigenvalues(), cell.normaliser()

    return computed(draw, jax.random.key(2))


def initial_gains(model: str, nu0: float) -> Float[np.ndarray, " n"]:
    """The factors on the inputs of a layer at initialisation."""
    return _initial_layer(model, nu0)[1]


def lru_gains_by_energy(model: str, nu0: float) -> Float[np.ndarray, " n"]:
    """Gains that make the energy of each response, summed over ages, one."""
    return 1 / np.linalg.norm(
        powers(np.abs(_initial_layer(model, nu0)[0]), 4000), axis=1
    )


def lru_gains_written(
    model: str, nu0: float, power: int = 2, root: float = 0.5
) -> Float[np.ndarray, " n"]:
    """``sqrt(1 - |lam|^2)``, or with other powers."""
    return (1 - np.abs(_initial_layer(model, nu0)[0]) ** power) ** root


def s4_initial_eigenvalues(nu0: float) -> Complex[np.ndarray, " entries"]:
    """Eigenvalues of a freshly drawn S4 layer, and its steps."""
    return np.concatenate(_initial_layer("s4", nu0))


def lru_initial_eigenvalues(
    nu0: float, of: Callable[[Any], Any] = np.asarray, step: float = 1.0
) -> Complex[np.ndarray, " entries"]:
    """Eigenvalues of the LRU drawn with the same key, or a function of them, and steps."""
    lam, _ = _initial_layer("lru", nu0)
    return np.concatenate([of(lam), np.full(len(lam), step)])


# Appendix A.4: chrono initialisation.


def chrono_quantiles(low: float, high: float) -> Float[np.ndarray, " shares"]:
    """Deciles of ``exp(b_f)`` over many drawn biases."""
    biases = computed(chrono, jax.random.key(3), n=100_000, times=(low, high))
    return np.quantile(np.exp(biases), DECILES)


def uniform_quantiles(low: float, high: float) -> Float[np.ndarray, " shares"]:
    """Deciles of the uniform law on ``[low, high]``."""
    return low + (high - low) * DECILES


DECILES = np.arange(1, 10) / 10
CHRONO_MUTANTS = {
    "the bias uniform": lambda low, high: low ** (1 - DECILES) * high**DECILES,
    "log(T - 1)": lambda low, high: uniform_quantiles(low - 1, high - 1),
    "from one on": lambda low, high: uniform_quantiles(1, high),
}


def chrono_time(index: int, nu_0: float) -> float:
    """The code's ``T_min`` (0) or ``T_max`` (1)."""
    return chrono_times(nu_0)[index]


def chrono_gate(nu_0: float, times: float) -> float:
    """The GRU's forget gate at zero input, zero state weights and ``b_f = log T``."""
    scale = chrono_times(nu_0)[0] * times
    return float(computed(_forgetting, np.log([scale]))[0])


def _forgetting(b_f: Any) -> Any:
    unit, zero = jnp.ones((1, 1)), jnp.zeros((1, 1))
    weights = dict.fromkeys(MATRICES, zero) | dict.fromkeys(BIASES, zero[0])
    cell = GRU(**{**weights, "b_f": b_f}, C=unit, D=zero)
    return cell.step(unit[0], zero[0])[0]


def chrono_gate_by_odds(nu_0: float, times: float) -> float:
    """A gate whose odds ``f / (1 - f)`` are ``T``, by bisection."""
    return bisect(lambda f: f < times / (1 - nu_0) * (1 - f), 0.0, 1.0)


def chrono_example(of: str, times: float, printed: Callable[[float], float]) -> Example:
    """The gate at one end of the range of ``T``, as it is and as printed."""
    return Example(of, {"nu_0": 0.5}, printed, partial(chrono_gate, times=times))


RADII = (0.0, 0.4, 0.9)
EVERY = (*RADII, 0.99)
INNER = points("nu0", *RADII)
GATES = {"impulse": chrono_gate, "reference": chrono_gate_by_odds}

EVIDENCE: dict[str, Basis] = {
    "zucchet:text:ring": Evidence(
        INNER,
        {"impulse": ring_squares, "reference": area_quantiles},
        form=even_squares,
        mutants=RING_MUTANTS,
    ),
    "zucchet:text:lru-gamma": Evidence(
        ({"model": "lru", "nu0": 0.4},),
        {"impulse": initial_gains, "reference": lru_gains_by_energy},
        form=lru_gains_written,
        mutants={
            "the root left out": partial(lru_gains_written, root=1.0),
            "the modulus not squared": partial(lru_gains_written, power=1),
            "the energy for the gain": partial(lru_gains_written, root=-1.0),
        },
    ),
    "zucchet:text:s4-init": by_code(
        INNER,
        s4_initial_eigenvalues,
        lru_initial_eigenvalues,
        tolerance=1e-7,
        mutants={
            "omega_A for its exponential": partial(lru_initial_eigenvalues, of=np.exp),
            "conjugate eigenvalues": partial(lru_initial_eigenvalues, of=np.conj),
            "omega_Delta at one": partial(
                lru_initial_eigenvalues, step=math.log1p(math.e)
            ),
        },
    ),
    "zucchet:31": by_code(
        points("low high", (2.0, 8.0), (10.0, 20.0)),
        chrono_quantiles,
        uniform_quantiles,
        route="monte_carlo",
        tolerance=0.02,
        mutants=CHRONO_MUTANTS,
    ),
    "zucchet:32": by_code(across(nu_0=EVERY, index=(0,)), chrono_time),
    "zucchet:33": by_code(across(nu_0=EVERY, index=(1,)), chrono_time),
    "zucchet:text:chrono-low": Evidence(
        across(nu_0=EVERY, times=(1.0,)),
        GATES,
        example=chrono_example("the least forget gate", 1.0, lambda nu_0: nu_0),
    ),
    "zucchet:text:chrono-high": Evidence(
        across(nu_0=EVERY, times=(2.0,)),
        GATES,
        example=chrono_example(
            "the greatest forget gate", 2.0, lambda nu_0: (1 + nu_0) / 2
        ),
    ),
}
