"""Hessians of the teacher-student loss without its formulas, as routines of points.

Three routes: finite differences of the exact loss, sums over explicit sensitivities, and
integrals over the spectrum.  None knows ``S``, ``A`` or ``B``.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-114.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop.references.hessian_engine import (
    STEPS,
    autocovariance,
    block,
    gauss_newton,
    hessian_entry,
    loss,
    pair_sum,
    problem,
    sensitivity,
    slopes,
    whole,
    wirtinger,
)

__all__ = ["loss", "pair_sum"]


def complex_block(**at: Any) -> np.ndarray:
    """Complex Hessian of units i and j, by differences of the loss."""
    return wirtinger(block("cartesian", at))


def covariance_of_sensitivities(
    lambda_i: complex, lambda_j: complex, conjugated: bool = False, **at: Any
) -> complex:
    """Stationary ``E[s_i s_j]`` of the joint recurrence, by doubling its horizon.

    The vector ``(h_i, s_i, h_j, s_j, u)`` with ``u`` the AR(1) part of the input is a
    linear system ``z' = F z + G w``; its second moment solves ``X = F X F^T + G G^T``.
    ``conjugated`` takes unit j's conjugate.
    """
    rho, a, b = at.get("rho", 0.0), at.get("a", 0.0), at.get("b", 1.0)
    gains = np.array([at.get("b_i", 1.0), at.get("b_j", 1.0)], complex)
    if conjugated:
        gains[1], lambda_j = np.conj(gains[1]), np.conj(lambda_j)
    F = np.zeros((5, 5), complex)
    for k, (lam, gain) in enumerate(zip((lambda_i, lambda_j), gains, strict=True)):
        F[2 * k, 2 * k] = F[2 * k + 1, 2 * k + 1] = lam
        F[2 * k + 1, 2 * k] = 1
        F[2 * k, 4] = gain * rho
    F[4, 4] = rho
    noise = np.zeros((5, 2), complex)  # of the AR(1) part, and white
    noise[[0, 2], 0] = gains * np.sqrt(b * (1 - rho**2))
    noise[4, 0] = np.sqrt(b * (1 - rho**2))
    noise[[0, 2], 1] = gains * np.sqrt(a)
    moment, power = noise @ noise.T, F
    for _ in range(14):
        moment, power = moment + power @ moment @ power.T, power @ power
    return complex(moment[1, 3])


def difference_block(chart: str, **at: Any) -> np.ndarray:
    """``block`` of the parametrisation that the point names."""
    return block(chart, at)


def gauss_newton_block(chart: str, **at: Any) -> np.ndarray:
    """``gauss_newton`` of the parametrisation that the point names."""
    return gauss_newton(chart, at)


def whole_complex(part: str = "all", **at: Any) -> np.ndarray:
    """Second Wirtinger derivatives by all of ``lambda_i, conj_i, lambda_j, conj_j``.

    ``part`` "mixed" keeps the rows of the eigenvalues and the columns of conjugates.
    """
    real = whole("cartesian", at)
    found = np.block(
        [
            [wirtinger(real[p : p + 2, q : q + 2]) for q in range(0, len(real), 2)]
            for p in range(0, len(real), 2)
        ]
    )
    return found[::2, 1::2] if part == "mixed" else found


def adjoint_by_differences(**at: Any) -> np.ndarray:
    """Conjugate transpose of ``whole_complex``."""
    return whole_complex(**at).conj().T


def trace_by_lambda(lam: complex, b_i: complex, c_i: complex) -> float:
    """Trace of one unit's Hessian by (re, im) of its eigenvalue, white input."""
    at = {"lambda_i": lam, "b_i": b_i, "c_i": c_i, "single": True}
    return float(np.trace(block("cartesian", at)))


def trace_by_b(lam: complex, c_i: complex, **_: Any) -> float:
    """Trace of one unit's Hessian by (re, im) of its input gain, white input.

    The energy of ``c lambda**n``, summed over ages.
    """
    response = c_i * complex(lam) ** np.arange(4 * STEPS)
    return float(np.sum(response.real**2) + np.sum(response.imag**2))


def double_sum(b_i: complex, b_j: complex, **at: Any) -> complex:
    """``b_i b_j`` times the double sum over the autocovariance."""
    return b_i * b_j * pair_sum(**at)


def unmixed_entry(**at: Any) -> complex:
    """``d^2 L / dlambda_i dlambda_j`` by differences of the loss."""
    return complex(complex_block(**at)[0, 0])


def mixed_entry(**at: Any) -> complex:
    """``d^2 L / dlambda_i dconj(lambda_j)`` by differences of the loss."""
    return complex(complex_block(**at)[0, 1])


def pair_sum_of_pair(alpha: complex, beta: complex, **at: Any) -> complex:
    """``pair_sum`` in the letters of the lemmas."""
    return pair_sum(alpha, beta, **at)


def pair_quadrature_of_pair(alpha: complex, beta: complex, **at: Any) -> complex:
    """``pair_quadrature`` in the letters of the lemmas."""
    return pair_quadrature(alpha, beta, **at)


def whole_complex_by_spectrum(**at: Any) -> np.ndarray:
    """Second Wirtinger derivatives of two units from the output's transfer functions.

    The derivative of the output by ``lambda_i`` filters by ``b_i c_i z / (1 - lambda_i
    z)^2 / 2``, that by its conjugate by the conjugate coefficients.
    """
    z, density = spectrum(1024, at)
    filters = []
    for unit in "ij":
        gain = complex(at[f"b_{unit}"]) * complex(at[f"c_{unit}"])
        lam = complex(at[f"lambda_{unit}"])
        for g, pole in ((gain, lam), (gain.conjugate(), lam.conjugate())):
            filters.append(lambda w, g=g, pole=pole: g * w / (1 - pole * w) ** 2 / 2)
    forward = np.array([one(z) for one in filters])
    backward = np.array([one(z.conj()) for one in filters])
    return (forward * density) @ backward.T / len(z)


def pair_quadrature(lambda_i: complex, lambda_j: complex, **at: Any) -> complex:
    """``S`` from its spectrum: the transfer functions' product times the density."""
    z, density = spectrum(4096, at)
    transfer = z / (1 - lambda_i * z) ** 2 * z.conj() / (1 - lambda_j * z.conj()) ** 2
    return complex(np.mean(density * transfer))


def spectrum(size: int, at: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Points of the unit circle, and the density of the input's power on them."""
    z = np.exp(2j * np.pi * np.arange(size) / size)
    rho = at.get("rho", 0.0)
    correlated = at.get("b", 1.0) * (1 - rho**2) / abs(1 - rho * z) ** 2
    return z, at.get("a", 0.0) + correlated


def complex_block_by_spectrum(**at: Any) -> np.ndarray:
    """The block of units i and j of ``whole_complex_by_spectrum``."""
    return whole_complex_by_spectrum(**at)[:2, 2:]


def _blocks_of(
    chart: str,
) -> tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]:
    return (
        lambda **at: block(chart, at),
        lambda **at: gauss_newton(chart, at),
    )


cartesian_block, cartesian_gauss_newton = _blocks_of("cartesian")
lru_block, lru_gauss_newton = _blocks_of("lru")
optimal_block, optimal_gauss_newton = _blocks_of("optimal")


def _entry_of(chart: str, row: int, column: int) -> tuple[Callable, Callable]:
    def by_differences(**at: Any) -> float:
        of = problem(chart, at)
        return hessian_entry(of, row, column + (0 if at.get("single") else 2))

    return by_differences, lambda **at: float(gauss_newton(chart, at)[row, column])


cartesian_first, cartesian_first_of_sensitivities = _entry_of("cartesian", 0, 0)
lru_nu_nu, lru_nu_nu_of_sensitivities = _entry_of("lru", 0, 0)
lru_nu_theta, lru_nu_theta_of_sensitivities = _entry_of("lru", 0, 1)
lru_theta_nu, lru_theta_nu_of_sensitivities = _entry_of("lru", 1, 0)
lru_theta_theta, lru_theta_theta_of_sensitivities = _entry_of("lru", 1, 1)


def _contracted(found: np.ndarray, at: dict[str, Any]) -> float:
    left, right = (at["re_i"], at["im_i"]), (at["re_j"], at["im_j"])
    return float(np.array(left) @ found @ np.array(right))


def contracted_block(**at: Any) -> float:
    """The block by (re, im) between two vectors of weights, by differences."""
    return _contracted(block("cartesian", at), at)


def contracted_sensitivities(**at: Any) -> float:
    """The block by (re, im) between two vectors of weights, from sensitivities."""
    return _contracted(gauss_newton("cartesian", at), at)


def _units(at: dict[str, Any]) -> list[dict[str, Any]]:
    """Each unit of a point alone."""
    names = ("lambda", "b", "c")
    return [
        {**at, **{f"{n}_i": at[f"{n}_{unit}"] for n in names}, "single": True}
        for unit in "ij"
    ]


def cartesian_trace(**at: Any) -> float:
    """Trace of the Hessian by (re, im) of both units, by differences."""
    of = problem("cartesian", at)
    return sum(hessian_entry(of, p, p) for p in range(4))


def cartesian_trace_of_sensitivities(**at: Any) -> float:
    """Trace of the Hessian by (re, im) of both units, from explicit sensitivities."""
    found = (gauss_newton("cartesian", one) for one in _units(at))
    return float(sum(np.trace(own) for own in found))


def lru_trace(**at: Any) -> float:
    """Trace of one unit's Hessian in the LRU's parameters, by differences."""
    return float(np.trace(block("lru", at)))


def lru_trace_of_sensitivities(**at: Any) -> float:
    """Trace of one unit's Hessian in the LRU's parameters, from sensitivities."""
    return float(np.trace(gauss_newton("lru", at)))


def cartesian_slopes(lam: complex) -> list[complex]:
    """``dlambda/dre, dlambda/dim, dconj/dim``, by differences."""
    by_re, by_im = slopes("cartesian", lam)
    return [by_re, by_im, by_im.conjugate()]


def lru_slope_nu(lambda_i: complex, **_: Any) -> complex:
    """``dlambda/domega_nu`` of the LRU, by differences."""
    return slopes("lru", lambda_i)[0]


def lru_slope_theta(lambda_i: complex, **_: Any) -> complex:
    """``dlambda/domega_theta`` of the LRU, by differences."""
    return slopes("lru", lambda_i)[1]


def lru_conjugate_slope_nu(lambda_i: complex, **_: Any) -> complex:
    """``dconj(lambda)/domega_nu`` of the LRU, by differences."""
    return slopes("lru", lambda_i)[0].conjugate()


def lru_conjugate_slope_theta(lambda_i: complex, **_: Any) -> complex:
    """``dconj(lambda)/domega_theta`` of the LRU, by differences."""
    return slopes("lru", lambda_i)[1].conjugate()


def moment_of_sensitivity(
    lambda_i: complex, b_i: complex, slope: complex, **at: Any
) -> float:
    """``E|dh/dtheta|^2`` of one unit where ``dlambda/dtheta`` is ``slope``."""
    kernel = b_i * slope * sensitivity(lambda_i, 4 * STEPS)
    mean = autocovariance(
        at.get("a", 0.0), at.get("b", 1.0), at.get("rho", 0.0), 4 * STEPS
    )
    return float((kernel @ mean @ kernel.conj()).real)


def moment_by_spectrum(
    lambda_i: complex, b_i: complex, slope: complex, **at: Any
) -> float:
    """``E|dh/dtheta|^2`` of one unit at ``dlambda/dtheta = slope``, from the spectrum."""
    z, density = spectrum(1024, at)
    transfer = b_i * slope * z / (1 - lambda_i * z) ** 2
    return float(np.mean(density * abs(transfer) ** 2))


def pair_size(**at: Any) -> float:
    """``|S|`` from the double sum."""
    return abs(pair_sum(**at))


def pair_size_by_spectrum(**at: Any) -> float:
    """``|S|`` from the spectrum."""
    return abs(pair_quadrature(**at))


def peak_ratio(lambda_i: complex, rho: float, **_: Any) -> float:
    """``|S|`` at the conjugate over ``|S|`` at 0.99, from the spectrum."""
    own = abs(pair_quadrature(lambda_i, lambda_i.conjugate(), rho=rho))
    return own / abs(pair_quadrature(lambda_i, 0.99, rho=rho))


def _largest(of: Callable[..., complex], at: dict[str, Any]) -> float:
    second = complex(at["lambda_j"])
    gains = [complex(at[f"b_{unit}"]) * complex(at[f"c_{unit}"]) for unit in "ij"]
    turned = {**at, "lambda_j": second.conjugate()}
    return abs(gains[0] * gains[1]) * max(abs(of(**at)), abs(of(**turned)))


def largest_part(**at: Any) -> float:
    """``max(|A_ij|, |B_ij|)`` from double sums."""
    return _largest(pair_sum, at)


def largest_part_by_spectrum(**at: Any) -> float:
    """``max(|A_ij|, |B_ij|)`` from the spectrum."""
    return _largest(pair_quadrature, at)


def block_ratio(**at: Any) -> float:
    """Norm of unit i's and j's block over the geometric mean of the diagonal ones."""
    own = [np.linalg.norm(gauss_newton("cartesian", one)) for one in _units(at)]
    return float(np.linalg.norm(block("cartesian", at)) / np.sqrt(own[0] * own[1]))


def eigenvalues_of_block(**at: Any) -> np.ndarray:
    """Eigenvalues of one unit's block by (re, im), by differences."""
    return np.linalg.eigvalsh(block("cartesian", at))


def eigenvalues_of_sensitivities(**at: Any) -> np.ndarray:
    """Eigenvalues of one unit's block by (re, im), from explicit sensitivities."""
    return np.linalg.eigvalsh(gauss_newton("cartesian", at))


def unmixed_over_mixed(lam: complex) -> float:
    """``|S(lambda, lambda) / S(lambda, conj)|^2``, white input, from double sums."""
    return abs(pair_sum(lam, lam) / pair_sum(lam, complex(lam).conjugate())) ** 2


def unmixed_over_mixed_by_spectrum(lam: complex) -> float:
    """``|S(lambda, lambda) / S(lambda, conj)|^2``, white input, from the spectrum."""
    own = pair_quadrature(lam, complex(lam).conjugate())
    return abs(pair_quadrature(lam, lam) / own) ** 2


def pair_sum_squared(**at: Any) -> float:
    """``|S|^2`` in the letters of the lemmas, from the double sum."""
    return abs(pair_sum_of_pair(**at)) ** 2


def pair_quadrature_squared(**at: Any) -> float:
    """``|S|^2`` in the letters of the lemmas, from the spectrum."""
    return abs(pair_quadrature_of_pair(**at)) ** 2
