"""Evidence for the listing, Appendix A of Orvieto et al. (2023)."""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import energy, exponent, points, powers, recur
from sigprop.evidence.lru.annulus import radius_of_share
from sigprop.evidence.lru.systems import random_inputs, run
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.lru import LRU, lru_from_arrays
from sigprop.neuron.ring import normalisation, ring_polar
from sigprop.numerics.precision import double_precision
from sigprop.theory import spectral

Arrays = dict[str, np.ndarray]
IMPULSE = 64  # steps after which 0.7^(2k) is below 1e-19
STARTS = points(
    "r_min r_max max_phase u_1 u_2",
    (0.0, 1.0, 6.28, 0.3, 0.6),
    (0.9, 0.999, 6.28, 0.8, 0.1),
    (0.999, 0.9999, math.pi / 10, 0.5, 0.9),
)
CIRCLE = points("factor radius phase", (2.0, 0.7, 0.4), (2.0, 0.6, 2.5))


def listing_parameters(seed: int, N: int = 3, H: int = 2) -> Arrays:
    """Random parameters as in ``init_lru_parameters``, line by line.

    Source: Orvieto et al. (2023), Appendix A.
    """
    draw = np.random.default_rng(seed)
    r_min, r_max, max_phase = 0.2, 0.95, 6.28
    u1, u2 = draw.uniform(size=(2, N))
    nu_log = np.log(-0.5 * np.log(u1 * (r_max**2 - r_min**2) + r_min**2))
    theta_log = np.log(max_phase * u2)
    B_re, B_im = draw.normal(size=(2, N, H)) / np.sqrt(2 * H)
    C_re, C_im = draw.normal(size=(2, H, N)) / np.sqrt(N)
    diag_lambda = np.exp(-np.exp(nu_log) + 1j * np.exp(theta_log))
    gamma_log = np.log(np.sqrt(1 - np.abs(diag_lambda) ** 2))
    projections = {"B_re": B_re, "B_im": B_im, "C_re": C_re, "C_im": C_im}
    recurrent = {"nu_log": nu_log, "theta_log": theta_log, "gamma_log": gamma_log}
    return {**recurrent, **projections, "D": draw.normal(size=H)}


def listing_operator(first, second):
    """The listing's ``binary_operator_diag``."""
    a_i, bu_i = first
    a_j, bu_j = second
    return a_j * a_i, a_j * bu_i + bu_j


def listing_forward(seed: int, steps: int) -> Float[np.ndarray, "time width"]:
    """Outputs of the listing's ``forward``.  Source: Orvieto et al. (2023), App. A."""
    p = listing_parameters(seed)
    u = random_inputs(seed, steps, 2)
    return np.real(computed(_listing_readout, p, u)) + p["D"] * u


def _listing_readout(p: Any, u: Any) -> Any:
    lam = jnp.exp(-jnp.exp(p["nu_log"]) + 1j * jnp.exp(p["theta_log"]))
    B = (p["B_re"] + 1j * p["B_im"]) * jnp.expand_dims(jnp.exp(p["gamma_log"]), -1)
    C = p["C_re"] + 1j * p["C_im"]
    elements = (jnp.repeat(lam[None], len(u), axis=0), u @ B.T)
    _, states = jax.lax.associative_scan(listing_operator, elements)
    return states @ C.T


def looped_forward(
    seed: int, steps: int, turn: int = 1, gamma: float = 1.0, sign: int = -1
) -> Float[np.ndarray, "time width"]:
    """Eq. 7 and ``y = Re(C x) + D u`` in a plain loop.

    ``turn`` is the sign of the phase, ``gamma`` the power of the normalisation, and
    ``sign`` the sign before the product of the imaginary parts.
    """
    p = listing_parameters(seed)
    lam = np.exp(-np.exp(p["nu_log"])) * np.exp(1j * turn * np.exp(p["theta_log"]))
    u = random_inputs(seed, steps, 2)
    scaled = np.exp(gamma * p["gamma_log"])
    x = recur(lam, scaled * (u @ p["B_re"].T + 1j * (u @ p["B_im"].T)))
    return np.real(x) @ p["C_re"].T + sign * np.imag(x) @ p["C_im"].T + p["D"] * u


def layer_forward(seed: int, steps: int) -> Float[np.ndarray, "time width"]:
    """Outputs of the package's layer with the arrays of the listing."""
    with double_precision(True):
        layer = lru_from_arrays(listing_parameters(seed))
        u = jnp.asarray(random_inputs(seed, steps, 2))
        return np.asarray(run(layer, u)[1])


Start = Float[np.ndarray, " 3"]


def listing_start(
    r_min: float, r_max: float, max_phase: float, u_1: float, u_2: float
) -> Start:
    """Modulus, phase and gamma of one eigenvalue at the listing's initialisation."""
    nu_log = math.log(-0.5 * math.log(u_1 * (r_max**2 - r_min**2) + r_min**2))
    theta_log = math.log(max_phase * u_2)
    lam = np.exp(-math.exp(nu_log) + 1j * math.exp(theta_log))
    gamma = math.exp(math.log(math.sqrt(1 - abs(lam) ** 2)))
    return np.array([abs(lam), np.angle(lam) % (2 * np.pi), gamma])


def layer_start(
    r_min: float, r_max: float, max_phase: float, u_1: float, u_2: float
) -> Float[np.ndarray, " 3"]:
    """Modulus, phase and gamma at initialisation, from the maps of the layer."""

    def start(u_1: Any, u_2: Any) -> Any:
        nu, theta = ring_polar(u_1, u_2, r_min, r_max)
        return jnp.exp(-nu), theta * max_phase / (2 * np.pi), normalisation(nu)

    return np.array(computed(start, u_1, u_2))


def area_start(
    r_min: float,
    r_max: float,
    max_phase: float,
    u_1: float,
    u_2: float,
    radius: Callable[[float, float, float], float] = radius_of_share,
    gamma: Callable[[float], float] = lambda radius: math.sqrt(1 - radius**2),
) -> Float[np.ndarray, " 3"]:
    """Modulus, phase and gamma at initialisation; the modulus by bisection on area."""
    modulus = radius(u_1, r_min, r_max)
    return np.array([modulus, max_phase * u_2, gamma(modulus)])


def _pairs(seed: int) -> Complex[np.ndarray, "6 2"]:
    parts = np.random.default_rng(seed).normal(size=(6, 2, 2))
    return parts[:, 0] + 1j * parts[:, 1]


def _after(a: complex, x: complex, b: complex) -> complex:
    return a * x + b


def bracketed(seed: int, cut: int) -> Complex[np.ndarray, " 2"]:
    """Six pairs joined by the listing's operator, ``cut`` of them first."""
    halves = _pairs(seed)[:cut], _pairs(seed)[cut:]
    parts = [functools.reduce(listing_operator, half) for half in halves]
    return np.array(listing_operator(*parts))


def recurred(
    seed: int, cut: int, step: int = 1, enter: Callable[..., complex] = _after
) -> Complex[np.ndarray, " 2"]:
    """The product of the factors and the recurrence; backwards for ``step`` -1."""
    del cut
    x, product = 0j, 1 + 0j
    for a, b in _pairs(seed)[::step]:
        x, product = enter(a, x, b), product * a
    return np.array([product, x])


def _single(b: complex, c: complex, radius: float, phase: float) -> LRU:
    parts = {"B_re": b.real, "B_im": b.imag, "C_re": c.real, "C_im": c.imag}
    nu = -math.log(radius)
    logs = {"nu_log": nu, "theta_log": phase, "gamma_log": np.sqrt(-np.expm1(-2 * nu))}
    return lru_from_arrays(
        {name: np.array([[value]], float) for name, value in parts.items()}
        | {name: np.log([value]) for name, value in logs.items()}
        | {"D": np.zeros(1)}
    )


@functools.cache
def _impulse_energies(radius: float, phase: float) -> tuple[float, float]:
    """Energies of state and output, summed over unit real and imaginary ``B`` and ``C``."""
    with double_precision(True):
        u = jnp.asarray(np.eye(IMPULSE, 1))
        layers = [_single(b, c, radius, phase) for b in (1, 1j) for c in (1, 1j)]
        runs = [run(layer, u) for layer in layers]
    return sum(energy(h) for h, _ in runs) / 2, sum(energy(y) for _, y in runs)


def listed_state_energy(radius: float, phase: float, **_: float) -> float:
    """``E|x_i|^2``, white input; parts of the listing's ``B`` have variance ``1/(2H)``."""
    return 0.5 * _impulse_energies(radius, phase)[0]


def output_energy(radius: float, phase: float, **_: float) -> float:
    """``E y^2`` of the listing: parts of ``B`` of ``1/(2H)``, of ``C`` of ``1/N``."""
    return 0.5 * _impulse_energies(radius, phase)[1]


def energies_by_powers(radius: float, phase: float, **_: float) -> tuple[float, float]:
    """``E|x_i|^2`` and ``E y^2`` from the weights of the ages, without the layer."""
    weights = math.sqrt(1 - radius**2) * powers(radius * np.exp(1j * phase), 200)
    turned = [np.real(b * c * weights) for b in (1, 1j) for c in (1, 1j)]
    return energy(weights), 0.5 * sum(map(energy, turned))


def growth_of_cost(model: str) -> float:
    """Exponent with which the entries that a model writes grow in the sequence's length."""
    return float(exponent(lambda length: _written(model, int(length)), 1024, 4096))


def _written(model: str, length: int) -> int:
    def attend(u):
        return jax.nn.softmax(u @ u.T, axis=-1) @ u

    def recur(u):
        return jax.lax.associative_scan(listing_operator, (0.9 + 0 * u, u))[1]

    write = attend if model == "attention" else recur
    jaxpr = jax.make_jaxpr(write)(jax.ShapeDtypeStruct((length, 4), np.float32))
    written = (out.aval.size for step in jaxpr.eqns for out in step.outvars)
    return sum(written)


UNNORMALISED = {
    "without gamma": lambda radius, **_: 1 / (1 - radius**2),
    "gamma twice": lambda radius, **_: 1 - radius**2,
    "its root": lambda radius, **_: (1 - radius**2) ** -0.5,
}


EVIDENCE: dict[str, Basis] = {
    "lru:listing:forward": Evidence(
        points("seed steps", (0, 7), (1, 7)),
        {"reference": looped_forward, "impulse": layer_forward},
        form=listing_forward,
        mutants={
            "no normalisation": partial(looped_forward, gamma=0.0),
            "normalised twice": partial(looped_forward, gamma=2.0),
            "the conjugate of C": partial(looped_forward, sign=1),
            "the phase the other way": partial(looped_forward, turn=-1),
        },
    ),
    "lru:listing:init": Evidence(
        STARTS,
        {"closed_form": layer_start, "reference": area_start},
        form=listing_start,
        mutants={
            "uniform in the radius": partial(
                area_start, radius=lambda u, low, high: low + u * (high - low)
            ),
            "the half lost": partial(
                area_start, radius=lambda *ring: radius_of_share(*ring) ** 2
            ),
            "gamma of the modulus": partial(
                area_start, gamma=lambda radius: math.sqrt(1 - radius)
            ),
            "the root lost": partial(area_start, gamma=lambda radius: 1 - radius**2),
        },
        tolerance=1e-9,
    ),
    "lru:listing:operator": Evidence(
        points("seed cut", (0, 1), (1, 3), (2, 5)),
        {"reference": bracketed},
        form=recurred,
        proof=spectral.scan_is_associative,
        mutants={
            "the order turned over": partial(recurred, step=-1),
            "b before a": partial(recurred, enter=lambda a, x, b: a * (x + b)),
            "roles exchanged": partial(recurred, enter=lambda a, x, b: x + a * b),
        },
    ),
    "lru:listing:projections": Evidence(
        CIRCLE,
        {
            "impulse": output_energy,
            "closed_form": lambda **point: energies_by_powers(**point)[1],
        },
        form=1.0,
        mutants=UNNORMALISED,
        tolerance=1e-9,
    ),
    "lru:text:factor-two": Evidence(
        CIRCLE,
        {
            "impulse": listed_state_energy,
            "closed_form": lambda **point: energies_by_powers(**point)[0],
        },
        form=1.0,
        printed=lambda factor, radius, phase: factor,
        mutants=UNNORMALISED,
        example=Example(
            "E|x_i|^2 under white input of unit variance, with the listing's B,",
            {},
            2.0,
            lambda: listed_state_energy(0.7, 0.4),
        ),
        tolerance=1e-9,
    ),
}
