"""Evidence for complex eigenvalues, Appendix B.3.2 of Zucchet & Orvieto (2024).

The eigenvalue moves along the path ``tanh(omega) exp(i (0.3 + omega^2))``.
"""

import cmath
import math
from typing import Any

import numpy as np

from sigprop.evidence import kit
from sigprop.evidence.kit import contour, points, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.proofs.normalised import (
    AGES,
    detached,
    energy,
    kernel_energy,
    modulus_share,
    modulus_share_sum,
    response,
    white_sensitivity,
    white_sensitivity_sum,
)
from sigprop.evidence.zucchet.proofs.responses import kernels, sensitivity
from sigprop.evidence.zucchet.proofs.sequences import COMPLEX_INPUT, Sequence, past
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import parametrisation as polar

TURN = 0.3


def _path(omega: Any) -> Any:
    return np.tanh(omega) * np.exp(1j * (TURN + omega * omega))


def _traced_path(omega: Any) -> Any:
    import jax.numpy as jnp

    return jnp.tanh(omega) * jnp.exp(1j * (TURN + omega * omega))


def polar_derivative(omega: float, x: Sequence, **_: Any) -> complex:
    """``dh_0/domega`` along the path, by autodiff of the scan."""
    import jax
    import jax.numpy as jnp

    from sigprop.neuron.recurrence import linear_recurrence

    inputs = past(x, AGES)[:, None]

    def last(omega: Any) -> Any:
        lam = _traced_path(omega)[None]
        return linear_recurrence(lam, jnp.asarray(inputs))[-1, 0]

    return complex(computed(jax.jacfwd(last), omega))


def polar_derivative_contour(omega: float, x: Sequence, **_: Any) -> complex:
    """``dh_0/domega`` along the path, as a contour integral over complex ``omega``."""
    inputs = past(x, AGES)[::-1]
    return contour(lambda w: powers(_path(w), AGES) @ inputs, omega, 0.05)


def polar_moment(omega: float, **_: Any) -> float:
    """``E|dh/domega|^2`` under white noise: energy of the moved kernel."""
    return kernel_energy(_path, omega, 0.05)


def polar_moment_autodiff(omega: float, **_: Any) -> float:
    """``E|dh/domega|^2`` under white noise, by autodiff of the impulse response."""
    return energy(lambda omega: response(_traced_path(omega)), omega)


def constant_sensitivity(lam: complex, nu: float) -> float:
    """``E|dh/dlam|^2`` under a constant input of unit second moment: a contour's."""
    return abs(contour(lambda z: powers(z, AGES).sum(), lam, 0.1)) ** 2


def constant_sensitivity_impulse(lam: complex, nu: float) -> float:
    """``E|dh/dlam|^2`` under a constant input, from the scan's derivative."""
    return abs(kernels(lam, AGES)[1].sum()) ** 2


def white_factor(nu: float) -> float:
    """The factor that makes ``E|h|^2 = 1`` under white noise."""
    return kit.energy(powers(nu, 4 * AGES)) ** -0.5


def white_factor_impulse(nu: float) -> float:
    """Factor that makes ``E|h|^2 = 1`` under white noise, from the scan's response."""
    return kit.energy(kernels(nu, AGES)[0]) ** -0.5


def phase_share(nu: float) -> float:
    """``E|dh/domega|^2`` with the phase ``stop_gradient(1 - nu^2) omega``."""
    return energy(lambda omega: detached(nu, (1 - nu**2) * omega), 0.4)


def phase_share_sum(nu: float) -> float:
    """``E|dh/domega|^2`` with the phase ``(1 - nu^2) omega``, as a sum over ages."""
    return (1 - nu**2) ** 2 * plain_phase_share_sum(nu)


def plain_phase_share(nu: float) -> float:
    """``E|dh/dtheta|^2``: the phase is the parameter itself."""
    return energy(lambda theta: detached(nu, theta), 0.4)


def plain_phase_share_sum(nu: float) -> float:
    """``E|dh/dtheta|^2``, normalised, as a sum over ages."""
    return (1 - nu**2) * kit.energy(np.arange(AGES) * powers(nu, AGES))


def _polar_point(omega: float) -> dict[str, Any]:
    radius, angle = math.tanh(omega), TURN + omega**2
    eigenvalue = radius * cmath.exp(1j * angle)
    return {
        "omega": omega,
        "x": COMPLEX_INPUT,
        "nu": radius,
        "theta": angle,
        "d_nu": 1 - radius**2,
        "d_theta": 2 * omega,
        "s": sensitivity(eigenvalue, COMPLEX_INPUT),
        "S": (1 + radius**2) / (1 - radius**2) ** 3,
    }


PATH = tuple(_polar_point(omega) for omega in (0.3, 0.55, 0.8))
RADII = points("nu", 0.2, 0.55, 0.8, 0.9)
EIGENVALUES = (0.5 + 0.3j, -0.4 + 0.6j, 0.2 + 0.8j, -0.6)
MOMENT = Evidence(
    PATH,
    {"reference": polar_moment, "autodiff": polar_moment_autodiff},
    example=Example(
        "E|dh/domega|^2 under white inputs, at lambda = omega",
        {"omega": 0.9},
        lambda omega: kernel_energy(lambda z: z, omega) / 4,
        lambda omega: kernel_energy(lambda z: z, omega),
    ),
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:80": Evidence(
        PATH,
        {"autodiff": polar_derivative, "reference": polar_derivative_contour},
        example=Example(
            "dh/domega of h = 1/(1 - lambda), the state under input 1, at lambda = omega",
            {"omega": 0.9},
            lambda omega: 1 / (1 - omega) ** 2 / 2,
            lambda omega: 1 / (1 - omega) ** 2,
        ),
    ),
    "zucchet:81": MOMENT,
    "zucchet:82": MOMENT,
    "zucchet:83": MOMENT,
    "zucchet:text:modulus-only": Evidence(
        points("lam nu", *((z, abs(z)) for z in EIGENVALUES)),
        {"reference": constant_sensitivity, "impulse": constant_sensitivity_impulse},
        example=Example(
            "E|dh/dlambda|^2 under constant input",
            {"lam": -0.9},
            lambda lam: constant_sensitivity_impulse(abs(lam), abs(lam)),
            lambda lam: constant_sensitivity_impulse(lam, abs(lam)),
        ),
    ),
    "zucchet:text:phase-needs-modulus": Evidence(
        RADII,
        {"autodiff": plain_phase_share, "reference": plain_phase_share_sum},
        proof=polar.phase_share_is_unbounded,
    ),
    "zucchet:text:white-gamma": Evidence(
        RADII, {"reference": white_factor, "impulse": white_factor_impulse}
    ),
    "zucchet:84": Evidence(
        RADII, {"autodiff": white_sensitivity, "reference": white_sensitivity_sum}
    ),
    "zucchet:text:tanh": Evidence(
        RADII, {"autodiff": modulus_share, "reference": modulus_share_sum}
    ),
    "zucchet:text:scaled-phase": Evidence(
        RADII,
        {"autodiff": phase_share, "reference": phase_share_sum},
        proof=lambda: polar.no_path_has_that_phase() and polar.no_flat_coordinates(),
    ),
}
