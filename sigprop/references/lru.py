"""Brute force for the LRU paper: its listing and its ring.

Source: Orvieto et al. (2023), Section 3, Appendices A and F.2.
"""

import functools
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop.layers.base import Layer
from sigprop.layers.lru import LRU, lru_from_arrays
from sigprop.neuron.ginibre import radial_law
from sigprop.neuron.ring import normalisation, ring_polar
from sigprop.numerics.precision import double_precision

Arrays = dict[str, np.ndarray]
IMPULSE = 64  # steps after which 0.7^(2k) is below 1e-19


def listing_parameters(seed: int, N: int = 3, H: int = 2) -> Arrays:
    """Draw what ``init_lru_parameters`` draws, line by line.

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
    return {
        "nu_log": nu_log,
        "theta_log": theta_log,
        "B_re": B_re,
        "B_im": B_im,
        "C_re": C_re,
        "C_im": C_im,
        "D": draw.normal(size=H),
        "gamma_log": gamma_log,
    }


def listing_operator(first, second):
    """The listing's ``binary_operator_diag``."""
    a_i, bu_i = first
    a_j, bu_j = second
    return a_j * a_i, a_j * bu_i + bu_j


def drawn_inputs(seed: int, steps: int, width: int) -> Float[np.ndarray, "time width"]:
    """Independent normal inputs."""
    return np.random.default_rng(seed + 1000).normal(size=(steps, width))


def listing_forward(seed: int, steps: int) -> Float[np.ndarray, "time width"]:
    """Outputs of the listing's ``forward``.  Source: Orvieto et al. (2023), App. A."""
    p = listing_parameters(seed)
    u = drawn_inputs(seed, steps, 2)
    with double_precision(True):
        lam = jnp.exp(-jnp.exp(p["nu_log"]) + 1j * jnp.exp(p["theta_log"]))
        B = (p["B_re"] + 1j * p["B_im"]) * jnp.expand_dims(jnp.exp(p["gamma_log"]), -1)
        C = p["C_re"] + 1j * p["C_im"]
        elements = (jnp.repeat(lam[None], steps, axis=0), jnp.asarray(u) @ B.T)
        scan = jax.jit(lambda pairs: jax.lax.associative_scan(listing_operator, pairs))
        _, states = scan(elements)
        return np.real(np.asarray(states @ C.T)) + p["D"] * u


def looped_forward(seed: int, steps: int) -> Float[np.ndarray, "time width"]:
    """Eq. 7 and ``y = Re(C x) + D u`` in a plain loop."""
    p = listing_parameters(seed)
    lam = np.exp(-np.exp(p["nu_log"])) * np.exp(1j * np.exp(p["theta_log"]))
    x, outputs = np.zeros(lam.size, complex), []
    for u in drawn_inputs(seed, steps, 2):
        x = lam * x + np.exp(p["gamma_log"]) * (p["B_re"] @ u + 1j * (p["B_im"] @ u))
        outputs.append(p["C_re"] @ x.real - p["C_im"] @ x.imag + p["D"] * u)
    return np.array(outputs)


@eqx.filter_jit
def run(layer: Layer, u: Float[Array, "time width"]):
    """States and outputs of a layer, compiled together."""
    h = layer.states(u)
    return h, layer.read(h, u)


def layer_forward(seed: int, steps: int) -> Float[np.ndarray, "time width"]:
    """The package's layer with the same arrays."""
    with double_precision(True):
        layer = lru_from_arrays(listing_parameters(seed))
        u = jnp.asarray(drawn_inputs(seed, steps, 2))
        return np.asarray(run(layer, u)[1])


def listing_start(
    r_min: float, r_max: float, max_phase: float, u_1: float, u_2: float
) -> Float[np.ndarray, " 3"]:
    """Modulus, phase and gamma of one eigenvalue as the listing starts it."""
    nu_log = math.log(-0.5 * math.log(u_1 * (r_max**2 - r_min**2) + r_min**2))
    theta_log = math.log(max_phase * u_2)
    lam = np.exp(-math.exp(nu_log) + 1j * math.exp(theta_log))
    gamma = math.exp(math.log(math.sqrt(1 - abs(lam) ** 2)))
    return np.array([abs(lam), np.angle(lam) % (2 * np.pi), gamma])


def layer_start(
    r_min: float, r_max: float, max_phase: float, u_1: float, u_2: float
) -> Float[np.ndarray, " 3"]:
    """Modulus, phase and gamma at the start, from the maps of the package's layer."""
    with double_precision(True):
        nu, theta = ring_polar(jnp.asarray(u_1), jnp.asarray(u_2), r_min, r_max)
        phase = theta * max_phase / (2 * np.pi)
        return np.array([jnp.exp(-nu), phase, normalisation(nu)], float)


def area_start(
    r_min: float, r_max: float, max_phase: float, u_1: float, u_2: float
) -> Float[np.ndarray, " 3"]:
    """Modulus, phase and gamma at the start, the modulus by bisection on area."""
    low, high = r_min, r_max
    for _ in range(200):
        middle = (low + high) / 2
        inside = (middle**2 - r_min**2) / (r_max**2 - r_min**2) < u_1
        low, high = (middle, high) if inside else (low, middle)
    return np.array([low, max_phase * u_2, math.sqrt((1 - low) * (1 + low))])


def bracketed(seed: int, cut: int) -> Complex[np.ndarray, " 2"]:
    """Six pairs joined by the listing's operator, ``cut`` of them first."""
    draw = np.random.default_rng(seed)
    pairs = [tuple(draw.normal(size=2) + 1j * draw.normal(size=2)) for _ in range(6)]
    halves = (pairs[:cut], pairs[cut:])
    parts = [functools.reduce(listing_operator, half) for half in halves]
    return np.array(listing_operator(*parts))


def recurred(seed: int, cut: int) -> Complex[np.ndarray, " 2"]:
    """The product of the factors and the recurrence, in order."""
    del cut
    draw = np.random.default_rng(seed)
    x, product = 0j, 1 + 0j
    for _ in range(6):
        a, b = draw.normal(size=2) + 1j * draw.normal(size=2)
        x, product = a * x + b, product * a
    return np.array([product, x])


def _single(b: complex, c: complex, radius: float, phase: float) -> LRU:
    parts = {"B_re": b.real, "B_im": b.imag, "C_re": c.real, "C_im": c.imag}
    arrays: Arrays = {name: np.array([[value]], float) for name, value in parts.items()}
    nu = -math.log(radius)
    arrays |= {
        "nu_log": np.array([math.log(nu)]),
        "theta_log": np.array([math.log(phase)]),
        "gamma_log": np.array([math.log(math.sqrt(-math.expm1(-2 * nu)))]),
        "D": np.zeros(1),
    }
    return lru_from_arrays(arrays)


@functools.cache
def _impulse_energies(radius: float, phase: float) -> tuple[float, float]:
    """Energies of state and output, summed over unit real and imaginary ``B`` and ``C``."""
    u = jnp.asarray(np.eye(IMPULSE, 1))
    states = outputs = 0.0
    for b in (1, 1j):
        for c in (1, 1j):
            layer = _single(b, c, radius, phase)
            h, y = run(layer, u)
            states += float(np.sum(np.abs(h) ** 2)) / 2
            outputs += float(np.sum(np.square(y)))
    return states, outputs


def state_energy(var_b: float, radius: float, phase: float) -> float:
    """``E|x_i|^2`` through the layer under white input of total variance one.

    ``var_b`` is the variance of a real part of ``B``, times the number of inputs.
    """
    with double_precision(True):
        return var_b * _impulse_energies(radius, phase)[0]


def listed_state_energy(factor: float, radius: float, phase: float) -> float:
    """``E|x_i|^2``, white input; parts of the listing's ``B`` have variance ``1/(2H)``."""
    del factor
    return state_energy(0.5, radius, phase)


def output_energy(factor: float, radius: float, phase: float) -> float:
    """``E y^2`` of the listing: parts of ``B`` of ``1/(2H)``, of ``C`` of ``1/N``."""
    del factor
    with double_precision(True):
        return 0.5 * _impulse_energies(radius, phase)[1]


def projected_length(matrix: str, fan_in: int) -> float:
    """Mean square of an output for a unit mean square input; parts of ``1/(2 fan_in)``.

    Each entry in turn is one, real or imaginary; the rest follows by independence.
    """
    total = 0.0
    for part in (1, 1j):
        if matrix == "C, real part":
            # A complex state of unit size has half of it in each of its own parts.
            total += sum(0.5 * (part * x).real ** 2 for x in (1, 1j)) * fan_in
        else:
            total += abs(part) ** 2 * fan_in
    return total / (2 * fan_in)


def simulated_energy(lam: complex, energy: float, horizon: int = 2000) -> float:
    """``|x|^2`` after many equal inputs, by the recurrence."""
    x = 0j
    for _ in range(horizon):
        x = lam * x + math.sqrt(energy)
    return abs(x) ** 2


def _ring_grid(r_min: float, r_max: float, phases: int = 512):
    nodes, weights = np.polynomial.legendre.leggauss(60)
    modulus = (r_max + r_min) / 2 + (r_max - r_min) / 2 * nodes
    weights = weights * (r_max - r_min) / 2 * 2 * modulus / (r_max**2 - r_min**2)
    turns = np.arange(phases) / phases
    return modulus, weights, turns


def ring_double_sum(r_min: float, r_max: float) -> float:
    """Mean of the double sum of powers from one, by area and phase."""
    modulus, weights, turns = _ring_grid(r_min, r_max)
    lam = np.multiply.outer(modulus, np.exp(2j * np.pi * turns))
    return float(weights @ np.mean(np.abs(lam / (1 - lam)) ** 2, axis=1))


def ring_term_by_term(r_min: float, r_max: float) -> float:
    """Mean of the double sum of powers, term by term: radius, then phase."""
    modulus, weights, turns = _ring_grid(r_min, r_max)
    n = np.arange(1, 200)
    ages = np.add.outer(n, n)
    radial = np.array([weights @ modulus**age for age in range(2, 400)])[ages - 2]
    lags = np.arange(-199, 200)
    phase = np.exp(2j * np.pi * np.multiply.outer(lags, turns)).mean(axis=1)
    return float(np.sum(radial * phase[np.subtract.outer(n, n) + 199]).real)


def ring_power_sum(r_min: float, r_max: float) -> float:
    """Sum over ages from one of the mean of the squared modulus to the age."""
    modulus, weights, _ = _ring_grid(r_min, r_max)
    return float(sum(weights @ modulus ** (2 * age) for age in range(1, 2000)))


def ring_mean_resolvent(r_min: float, r_max: float) -> float:
    """Mean of ``1/(1 - |lam|^2)``."""
    modulus, weights, _ = _ring_grid(r_min, r_max)
    return float(weights @ (1 / (1 - modulus**2)))


def area_share(r: float, r_min: float, r_max: float) -> float:
    """Share of the ring's area within a radius, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(20)

    def area(outer: float) -> float:
        half = (outer - r_min) / 2
        return float(half * weights @ (2 * np.pi * (r_min + half * (1 + nodes))))

    return area(r) / area(r_max)


def gain_spread(r_min: float, r_max: float, source: str) -> float:
    """Relative variance of ``|x_i|^2`` over the ring, less one, for complex normal ``B``.

    Twice the mean square of the gain over its squared mean, less one.
    """
    modulus, weights, turns = _ring_grid(r_min, r_max, 4096)
    if source == "white":
        gain = 1 / (1 - np.repeat(modulus[:, None], 4096, axis=1) ** 2)
    else:
        gain = np.abs(1 - np.multiply.outer(modulus, np.exp(2j * np.pi * turns))) ** -2
    first, second = (weights @ np.mean(gain**p, axis=1) for p in (1, 2))
    return float(2 * second / first**2 - 1)


def area_share_of_exponent(nu: float, r_min: float, r_max: float) -> float:
    """Share of the ring's area within the radius ``exp(-nu)``, by quadrature."""
    return area_share(math.exp(-nu), r_min, r_max)


def sampled_exponent(u1: float, r_min: float, r_max: float) -> float:
    """``nu`` by bisection: the radius within which a share ``u1`` of the area lies."""
    return -math.log(area_start(r_min, r_max, 1.0, u1, 0.5)[0])


def squared_radius(u1: float, r_min: float, r_max: float) -> float:
    """``exp(-2 nu)`` of the same."""
    return math.exp(-2 * sampled_exponent(u1, r_min, r_max))


def share_of_sampled(u1: float, r_min: float, r_max: float) -> float:
    """Share of the area within the radius that the package's own map draws."""
    with double_precision(True):
        nu, _ = ring_polar(jnp.asarray(u1), jnp.asarray(0.5), r_min, r_max)
        return area_share(math.exp(-float(nu)), r_min, r_max)


def share_outside(size: int) -> float:
    """Expected share of a Gaussian matrix's eigenvalues outside the unit disc."""
    return float(1 - radial_law(np.array([1.0]), size)[0])


def share_inside(radius: float, size: int) -> float:
    """Expected share of a Gaussian matrix's eigenvalues within a radius."""
    return float(radial_law(np.array([radius]), size)[0])


def share_of_disc(r: float) -> float:
    """Share of the disc's area within a radius."""
    return area_share(r, 0.0, 1.0)


def normalised_gain(max_phase: float, source: str) -> float:
    """``E gamma^2 |x|^2`` on PathX's ring, relative to ``E|Bu|^2``.

    Source: Orvieto et al. (2023), Section 3.4 and Table 8.
    """
    r_min, r_max = 0.999, 0.9999
    modulus, weights, _ = _ring_grid(r_min, r_max)
    if source == "white":
        gain = 1 / (1 - modulus**2)
    else:
        # The mean of |1 - lam|^-2 over phases from 0: its primitive is an arc tangent,
        # and the whole circle is twice the half.
        span = min(max_phase, np.pi)
        slope = (1 + modulus) / (1 - modulus)
        gain = 2 * np.arctan(slope * np.tan(span / 2)) / span / (1 - modulus**2)
    return float(weights @ ((1 - modulus**2) * gain))


def spread_under_constant(r_min: float, r_max: float, source: str) -> float:
    """Relative variance of ``|x_i|^2`` over the ring, less one, under constant input."""
    del source
    return gain_spread(r_min, r_max, "constant")


def fifth_of_spread(r_min: float, r_max: float, source: str) -> float:
    """A fifth of it, too small a bound."""
    return spread_under_constant(r_min, r_max, source) / 5


def _kernel(k: np.ndarray | float):
    return 0.1 * np.exp(-0.015 * k) * np.cos(0.04 * k) ** 2


def kernel_bump() -> float:
    """Where the kernel of Fig. 7 is largest after its first zero, on a fine grid.

    Source: Orvieto et al. (2023), Appendix E.2.
    """
    k = np.arange(40.0, 100.0, 0.01)
    return float(k[np.argmax(_kernel(k))])


def kernel_bump_by_slope() -> float:
    """Where Fig. 7's kernel peaks after its first zero: its log slope vanishes."""
    return float((np.pi - np.arctan(0.015 / 0.08)) / 0.04)


def kernel_by_states(k: int) -> float:
    """The kernel as the impulse response of three modes."""
    lam = np.exp(np.array([-0.015, -0.015 + 0.08j, -0.015 - 0.08j]))
    x = np.ones(3, complex)
    for _ in range(k):
        x = lam * x
    return float(np.real(np.array([0.05, 0.025, 0.025]) @ x))
