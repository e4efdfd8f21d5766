"""What judges the structure of the landscape, Appendix C.4 of Zucchet & Orvieto (2024).

White inputs, at the optimum of the teacher-student task.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from sigprop.evidence import Load
from sigprop.evidence.zucchet.experiments.medians import compared
from sigprop.evidence.zucchet.experiments.sensitivities import (
    coupling_by_sum,
    coupling_of,
    mean_coupling,
    mean_coupling_by_quadrature,
    recurrent_share,
)
from sigprop.evidence.zucchet.experiments.sizes import dense_layer, dense_size
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from theory import teacher

# Slopes of the parametrisations.


def _slope(curve, at: float) -> float:
    """Squared size of a derivative, differenced with weights of order 4."""
    step = 1e-3
    taps = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    return float(
        abs(sum(w * curve(at + k * step) for k, w in taps.items()) / step) ** 2
    )


def magnitude_curvature(r: float) -> float:
    """Hessian entry of ``omega_nu`` under white inputs, from sums and differences."""
    slope = _slope(lambda w: np.exp(-np.exp(w)), np.log(-np.log(r)))
    return recurrent_share(r) * slope


def angle_over_magnitude(r: float, theta: float) -> float:
    """Squared slope of ``lam`` by ``omega_theta`` over that by ``omega_nu``."""
    by_angle = _slope(lambda w: r * np.exp(1j * np.exp(w)), np.log(theta))
    by_size = _slope(lambda w: np.exp(-np.exp(w) + 1j * theta), np.log(-np.log(r)))
    return by_angle / by_size


def angle_slope(theta: float) -> float:
    """Squared slope of ``lam`` by ``log theta`` over that by ``theta``."""
    by_log = _slope(lambda w: np.exp(1j * np.exp(w)), np.log(theta))
    return by_log / _slope(lambda w: np.exp(1j * w), theta)


def _by_jax(curve, at: float) -> float:
    with double_precision(True):
        by_re = jax.grad(lambda w: jnp.real(curve(w)))(at)
        by_im = jax.grad(lambda w: jnp.imag(curve(w)))(at)
        return float(by_re**2 + by_im**2)


def angle_slope_by_jax(theta: float) -> float:
    """``angle_slope`` by automatic differentiation."""
    by_log = _by_jax(lambda w: jnp.exp(1j * jnp.exp(w)), float(np.log(theta)))
    return by_log / _by_jax(lambda w: jnp.exp(1j * w), theta)


def angle_over_magnitude_by_jax(r: float, theta: float) -> float:
    """``angle_over_magnitude`` by automatic differentiation."""
    by_angle = _by_jax(lambda w: r * jnp.exp(1j * jnp.exp(w)), float(np.log(theta)))
    by_size = _by_jax(
        lambda w: jnp.exp(-jnp.exp(w) + 1j * theta), float(np.log(-np.log(r)))
    )
    return by_angle / by_size


def _s4_curves(lam: complex, step: float, exp, softplus):
    omega = np.log(lam) / step
    raw = float(np.log(np.expm1(step)))
    by_step = (lambda w: exp(omega * softplus(w))), raw
    by_angle = (lambda w: exp((omega.real + 1j * w) * step)), float(omega.imag)
    return by_step, by_angle


def s4_ratio(lam: complex, step: float) -> float:
    """Squared slope of S4's eigenvalue by ``omega_Delta`` over that by ``omega_A^im``."""
    curves = _s4_curves(lam, step, np.exp, lambda w: np.log1p(np.exp(w)))
    by_step, by_angle = (_slope(*curve) for curve in curves)
    return by_step / by_angle


def s4_ratio_by_jax(lam: complex, step: float) -> float:
    """S4's squared slope by ``omega_Delta`` over that by ``omega_A^im``, by JAX."""
    with double_precision(True):
        curves = _s4_curves(lam, step, jnp.exp, jax.nn.softplus)
        by_step, by_angle = (_by_jax(*curve) for curve in curves)
    return by_step / by_angle


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    "zucchet:fig9": Evidence(
        tuple(
            {"r": r, "theta": angle}
            for r, angle in ((0.9, 0.5), (0.97, 2.0), (0.5, 1.3))
        ),
        {"reference": angle_over_magnitude, "autodiff": angle_over_magnitude_by_jax},
    ),
    "zucchet:fig9:magnitude": Evidence(
        ({"r": 0.5}, {"r": 0.9}, {"r": 0.99}),
        {"reference": magnitude_curvature},
        proof=lambda: teacher.magnitude_limit() == teacher.HALF,
    ),
    "zucchet:text:s4-landscape": Evidence(
        (
            {"lam": 0.9 + 0.1j, "step": 0.01},
            {"lam": 0.3 + 0.7j, "step": 0.1},
            {"lam": 0.6 - 0.5j, "step": 1.0},
        ),
        {"reference": s4_ratio, "autodiff": s4_ratio_by_jax},
    ),
    "zucchet:text:s4-initialisation": lambda load: compared(
        load, *(("s4_steps", f"step {step}", "step 1", 0.99) for step in (0.01, 0.1))
    ),
    "zucchet:fig10": Evidence(
        ({"log_theta": -0.5}, {"log_theta": -1.0}, {"log_theta": -2.0}),
        {"reference": mean_coupling, "quadrature": mean_coupling_by_quadrature},
        form=lambda log_theta: mean_coupling(log_theta + 0.5),
        relation=">",
        slips={"tenfold": lambda log_theta: 10 * mean_coupling(log_theta + 0.5)},
    ),
    "zucchet:text:no-pairs": Evidence(
        (
            {"first": 0.95 + 0.1j, "second": 0.95 - 0.1j},
            {"first": -0.3 + 0.9j, "second": -0.3 - 0.9j},
        ),
        {"reference": coupling_of, "sum": coupling_by_sum},
        form=1.0,
    ),
    "zucchet:text:angle-entries": Evidence(
        tuple({"theta": theta} for theta in (0.1, 0.9, 1.5, 3.0)),
        {"reference": angle_slope, "autodiff": angle_slope_by_jax},
        form=1.0,
        relation="<",
        slips={"a thousandth": 1e-3},
    ),
    "zucchet:text:heads": Evidence(
        tuple({"heads": h} for h in (1, 16, 32)),
        {
            "layer": lambda heads: dense_layer(64, heads).A.shape[1],
            "count": lambda heads: 64 / heads,
        },
        form=lambda heads: {1: 64, 16: 4, 32: 2}[heads],
    ),
    "zucchet:fig11": Evidence(
        tuple({"width": 64, "heads": h} for h in teacher.HEADS),
        {"layer": dense_size},
        proof=teacher.fewer_with_heads,
    ),
    "zucchet:fig11:performance": lambda load: compared(
        load, *(("heads", "1", heads, 0.99) for heads in ("16", "32"))
    ),
}
