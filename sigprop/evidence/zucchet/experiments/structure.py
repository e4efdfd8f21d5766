"""Evidence for the structure of the landscape, Appendix C.4 of Zucchet & Orvieto (2024).

White inputs, at the optimum of the teacher-student task.
"""

import cmath
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sigprop.evidence import Load
from sigprop.evidence.kit import (
    across,
    central,
    each,
    energy,
    exponent,
    points,
    power_derivatives,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.experiments.medians import compared, outcome, widening
from sigprop.evidence.zucchet.experiments.sensitivities import (
    coupling_by_sum,
    coupling_of,
    mean_coupling,
    mean_coupling_by_quadrature,
    recurrent_share,
)
from sigprop.evidence.zucchet.experiments.sizes import dense_layer, dense_size
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import teacher

# Derivatives of the parametrisations.


class Way(NamedTuple):
    """A routine for squared derivatives of a curve at a point, with its functions."""

    derivative: Callable[[Callable[[Any], Any], float], float]
    exp: Callable[[Any], Any]
    softplus: Callable[[Any], Any]


def _by_difference(curve: Callable[[Any], Any], point: float) -> float:
    return energy(central(curve, point, 1e-3))


def _by_jax(curve: Callable[[Any], Any], point: float) -> float:
    import jax
    import jax.numpy as jnp

    def parts(w: Any) -> Any:
        value = curve(w)
        return jnp.stack([jnp.real(value), jnp.imag(value)])

    return energy(computed(jax.jacfwd(parts), point))


def _jax_exp(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.exp(x)


def _jax_softplus(x: Any) -> Any:
    import jax

    return jax.nn.softplus(x)


WAYS = {
    "reference": Way(_by_difference, np.exp, lambda x: np.log1p(np.exp(x))),
    "autodiff": Way(_by_jax, _jax_exp, _jax_softplus),
}


def magnitude_curvature(r: float) -> float:
    """Hessian entry of ``omega_nu`` under white inputs, from sums and differences."""
    derivative = _by_difference(lambda w: np.exp(-np.exp(w)), np.log(-np.log(r)))
    return recurrent_share(r) * derivative


def angle_over_magnitude(way: Way, r: float, theta: float) -> float:
    """Squared derivative of ``lam`` by ``omega_theta`` over that by ``omega_nu``."""
    derivative, exp, _ = way
    by_angle = derivative(lambda w: r * exp(1j * exp(w)), math.log(theta))
    by_size = derivative(lambda w: exp(-exp(w) + 1j * theta), math.log(-math.log(r)))
    return by_angle / by_size


def angle_derivative(way: Way, theta: float) -> float:
    """Squared derivative of ``lam`` by ``log theta`` over that by ``theta``."""
    derivative, exp, _ = way
    by_log = derivative(lambda w: exp(1j * exp(w)), math.log(theta))
    return by_log / derivative(lambda w: exp(1j * w), theta)


def s4_ratio(way: Way, lam: complex, step: float) -> float:
    """Squared derivative of S4's eigenvalue by ``omega_Delta`` over ``omega_A^im``."""
    derivative, exp, softplus = way
    omega, raw = cmath.log(lam) / step, math.log(math.expm1(step))
    by_step = derivative(lambda w: exp(omega * softplus(w)), raw)
    by_angle = derivative(lambda w: exp((omega.real + 1j * w) * step), omega.imag)
    return by_step / by_angle


def step_derivatives(way: Way, lam: complex, step: float) -> list[float]:
    """Squared derivatives of S4's eigenvalue by ``omega_A``'s parts and ``omega_Delta``."""
    derivative, exp, softplus = way
    omega, raw = cmath.log(lam) / step, math.log(math.expm1(step))
    return [
        derivative(lambda w: exp((w + 1j * omega.imag) * step), omega.real),
        derivative(lambda w: exp((omega.real + 1j * w) * step), omega.imag),
        derivative(lambda w: exp(omega * softplus(w)), raw),
    ]


def step_entries(way: Way, gap: float, theta: float, step: float) -> list[float]:
    """Hessian entries of S4's recurrent parameters, through its eigenvalue."""
    r = 1 - gap
    moved = energy(power_derivatives(r, math.ceil(25 / gap)))
    lam = r * cmath.exp(1j * theta)
    return [step**2 * moved * entry for entry in step_derivatives(way, lam, step)]


def step_growth(way: Way, theta: float, step: float) -> Any:
    """Exponents ``p`` of the entries ``gap^-p``, between the gaps 0.001 and 0.01."""
    return -exponent(lambda gap: step_entries(way, gap, theta, step), 1e-3, 1e-2)


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    "zucchet:fig9": Evidence(
        points("r theta", (0.9, 0.5), (0.97, 2.0), (0.5, 1.3)),
        each(angle_over_magnitude, WAYS),
    ),
    "zucchet:fig9:magnitude": Evidence(
        points("r", 0.5, 0.9, 0.99),
        {"reference": magnitude_curvature},
        proof=lambda: teacher.magnitude_limit() == teacher.HALF,
    ),
    "zucchet:text:s4-landscape": Evidence(
        points("lam step", (0.9 + 0.1j, 0.01), (0.3 + 0.7j, 0.1), (0.6 - 0.5j, 1.0)),
        each(s4_ratio, WAYS),
    ),
    "zucchet:fig9:unit-step": Evidence(
        points("theta step", (0.7, 1.0), (2.0, 1.0)),
        each(step_growth, WAYS),
        form=[3.0, 3.0, 3.0],
        absolute=0.05,
        mutants={
            "the modulus alone": [3.0, 0.0, 0.0],
            "the LRU's": [0.0, 2.0, 2.0],
            "of the state": [1.0, 1.0, 1.0],
        },
    ),
    "zucchet:text:s4-initialisation": lambda load: compared(
        load, *(("s4_steps", f"step {step}", "step 1", 0.99) for step in (0.01, 0.1))
    ),
    "zucchet:fig10": Evidence(
        points("log_theta", -0.5, -1.0, -2.0),
        {"reference": mean_coupling, "quadrature": mean_coupling_by_quadrature},
        form=lambda log_theta: mean_coupling(log_theta + 0.5),
        relation=">",
        hand={"tenfold": lambda log_theta: 10 * mean_coupling(log_theta + 0.5)},
    ),
    "zucchet:text:no-pairs": Evidence(
        points("first second", (0.95 + 0.1j, 0.95 - 0.1j), (-0.3 + 0.9j, -0.3 - 0.9j)),
        {"reference": coupling_of, "sum": coupling_by_sum},
        form=1.0,
        mutants={
            "pairs across the imaginary axis": lambda first, second: coupling_of(
                first, -second
            )
        },
    ),
    "zucchet:text:angle-entries": Evidence(
        points("theta", 0.01, 0.1, 0.3),
        each(angle_derivative, WAYS),
        form=lambda theta: theta**2,
        tolerance=1e-6,
        mutants={
            "theta not squared": lambda theta: theta,
            "the reciprocal": lambda theta: theta**-2,
        },
    ),
    "zucchet:text:heads": Evidence(
        points("heads", 1, 16, 32),
        {
            "layer": lambda heads: dense_layer(64, heads).A.shape[1],
            "count": lambda heads: 64 / heads,
        },
        form=lambda heads: {1: 64, 16: 4, 32: 2}[heads],
        mutants={"blocks and heads exchanged": lambda heads: heads},
    ),
    "zucchet:fig11": Evidence(
        across(width=(64,), heads=tuple(teacher.HEADS)),
        {"layer": dense_size},
        proof=teacher.fewer_with_heads,
    ),
    "zucchet:fig10:gap": lambda load: outcome(
        ({"behind": "complex diagonal", "ahead": "LRU", "wide": 1.0, "narrow": 0.01},),
        lambda **point: widening(load("concentration"), **point),
    ),
    "zucchet:fig11:performance": lambda load: compared(
        load, *(("heads", behind, "16", 0.99) for behind in ("1", "8"))
    ),
}
