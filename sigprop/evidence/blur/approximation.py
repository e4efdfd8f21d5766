"""Evidence for Theorems A.2 and A.3, Lemma A.4 and Eq. 23, Appendix A.4 of BLUR (2025).

The Fourier transform of a function on R^p carries the factor (2 pi)^{-p}.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.blur.reconstruction import (
    SQUARE,
    eigenvalues,
    last_state,
    nodes,
    ordered,
    reconstruction,
    reconstruction_slowly,
    subspace_rank,
    subspace_rank_slowly,
    vandermonde,
)
from sigprop.evidence.blur.universality import SOLVED_MUTANTS
from sigprop.evidence.kit import also, each, legendre, points, recur, sigmoid
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import bidirectional as two

SIZES = "states outputs radius barron Theta accuracy"
SQUARES = also(points("seed", 0, 1, 2), **SQUARE)
# Circles of N eigenvalues, by name: the radius from N.
RADII: dict[str, Callable[[int], float]] = {
    "closing": lambda count: 1 - 1 / count,
    "half": lambda count: 0.5,
}


def norm(h: tuple[float, ...]) -> float:
    """Euclidean norm, entry by entry."""
    return math.hypot(*h)


def interpolant(widths: tuple[float, ...]) -> float:
    """Barron constant of ``sum_k f_k(x) phi(t - k)`` by quadrature in the plane.

    ``f_k`` are Gaussians, and ``phi(t) = (sin(pi t)/(pi t))^2``, whose transform is a
    triangle over ``[-2 pi, 2 pi]``, is 1 at 0 and 0 at every other integer.
    """
    nu, weight = _symmetric(2 * np.pi, 60)
    triangle = (1 - np.abs(nu) / (2 * np.pi)) / (2 * np.pi)
    omega, omega_weight = _symmetric(9 / min(widths), 80)
    sizes = np.zeros((len(omega), len(nu)), complex)
    for k, w in enumerate(widths, 1):
        transform = w / math.sqrt(2 * np.pi) * np.exp(-((omega * w) ** 2) / 2)
        sizes += np.outer(transform, np.exp(-1j * nu * k))
    length = np.hypot(omega[:, None], nu[None])
    return float(omega_weight @ (length * np.abs(sizes)) @ (triangle * weight))


def _symmetric(
    end: float, count: int
) -> tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]:
    """Gauss-Legendre on both halves of an interval around zero."""
    point, weight = legendre(0, end, count)
    return np.concatenate([-point, point]), np.concatenate([weight, weight])


def interpolant_bound(widths: tuple[float, ...], cost: float) -> float:
    """``sum_k C_k + cost C'_k``: a Gaussian's transform has the mass 1."""
    return sum(math.sqrt(2 / math.pi) / w + cost for w in widths)


def reconstruction_norms(count: int, spread: str) -> float:
    """Sum over ``k = 1 ... count`` of the norms of the reconstructions."""
    lam = nodes(count, "real")
    if spread in RADII:
        turns = np.exp(2j * np.pi * np.arange(count) / count)
        lam = RADII[spread](count) * turns
    norms = [
        1 / np.linalg.svd(np.vander(lam, k), compute_uv=False)[-1]
        for k in range(1, count + 1)
    ]
    return float(np.sum(norms))


def circle_norms(count: int, spread: str) -> float:
    """Sum of the norms of the reconstructions on a circle, from orthogonal columns."""
    return float(np.sum(RADII[spread](count) ** -np.arange(count)) / np.sqrt(count))


def doubled_norms(norms: Callable[[int, str], float], count: int, spread: str) -> float:
    """Ratio of the sum of ``2 count`` norms to the sum of ``count`` norms."""
    return norms(2 * count, spread) / norms(count, spread)


def without_inverse(**point: Any) -> Complex[np.ndarray, " n"]:
    """The Vandermonde matrix itself, applied to the state, if it is square."""
    return vandermonde(**point) @ last_state(**point)


def both_reconstructions(**point: Any) -> Complex[np.ndarray, " k"]:
    """``Theta_f h_k + Theta_b h_1`` of the proof of Theorem 4.1."""
    return reconstruction(**point, side="forward") + reconstruction(
        **point, side="backward"
    )


def both_by_solving(**point: Any) -> Complex[np.ndarray, " k"]:
    """Sum of the forward and backward reconstructions, by high-precision solves."""
    forward = reconstruction_slowly(**point, side="forward")
    return forward + reconstruction_slowly(**point, side="backward")


def there_and_back(**point: Any) -> Float[np.ndarray, " k"]:
    """Inputs plus inputs in reversed order."""
    return in_order(**point) + in_order(**point)[::-1]


def in_order(**point: Any) -> Float[np.ndarray, " k"]:
    """Inputs as they are."""
    return ordered(**point, side="forward")


def stretched(long: float, short: float) -> float:
    """Barron constant of a Gaussian of a stretched argument, on a polar lattice.

    ``F(x) = exp(-|x|^2/2)`` in the plane and ``f(x) = F(diag(long, short) x)``.
    """
    angle = 2 * np.pi * np.arange(400) / 400
    radius = np.linspace(0, 12, 4001)[1:]
    density = radius * np.exp(-(radius**2) / 2) / (2 * np.pi)
    moved = np.hypot(long * np.cos(angle), short * np.sin(angle))
    per_angle = moved.mean() * 2 * np.pi
    return float(np.sum(density * radius) * (radius[1] - radius[0]) * per_angle)


def stretched_slowly(long: float, short: float) -> float:
    """Barron constant of a stretched Gaussian, by a complete elliptic integral.

    The mean radius of an ellipse, times the constant ``sqrt(pi/2)`` of the round Gaussian.
    """
    parameter = 1 - (mpmath.mpf(short) / long) ** 2
    mean = 2 / mpmath.pi * long * mpmath.ellipe(parameter)
    return float(mean * mpmath.sqrt(mpmath.pi / 2))


def stretched_series(long: float, short: float) -> float:
    """Barron constant of a stretched Gaussian, by a series in the squared eccentricity."""
    shape = ((long - short) / (long + short)) ** 2
    weights = [float(mpmath.binomial(0.5, n)) for n in range(40)]
    mean = (long + short) / 2 * sum(w * w * shape**n for n, w in enumerate(weights))
    return mean * math.sqrt(math.pi / 2)


def neurons_of_logistic(
    radius: float, barron: float, accuracy: float, **_: float
) -> float:
    """Size of the theorem's smallest network that approximates a logistic function.

    The function is ``sigmoid(a h)``, and its constant is ``C = a/4``.  No neuron is
    needed if the constant function one half is within the accuracy.
    """
    h = np.linspace(-radius, radius, 11)
    error = np.abs(sigmoid(4 * barron * h) - 0.5).max()
    return float(error > accuracy)


def sufficient_neurons(
    states: float,
    outputs: float,
    radius: float,
    barron: float,
    Theta: float,
    accuracy: float,
) -> float:
    """Neurons of Theorem A.2 for every output alone, to its share of the accuracy."""
    share = accuracy / outputs
    per_output = 2 * (2 * states) * radius**2 * (Theta * barron) ** 2 / share**2
    return sum([per_output] * int(outputs))


def interpolant_neurons(
    states: float, radius: float, barron: float, inputs: float, accuracy: float
) -> float:
    """Neurons of Theorem A.2 for one output whose constant is a sum over all steps."""
    total = sum([barron] * int(inputs))
    return 2 * states * radius**2 * total**2 / accuracy**2


def _radius(h: tuple[float, ...]) -> float:
    return math.sqrt(len(h)) * max(abs(entry) for entry in h)


def _signed_radius(h: tuple[float, ...]) -> float:
    return math.sqrt(len(h)) * max(h)


@functools.cache
def _cost() -> float:
    return float(two.fejer_cost())


def _round_constant(factor: Callable[[float, float], float]) -> Callable[..., float]:
    """A factor of both stretches times the Barron constant of ``F``."""
    return lambda long, short: factor(long, short) * math.sqrt(math.pi / 2)


def size_of_parts(seed: int, n: int, side: str) -> list[int]:
    """Rows and columns of real above imaginary parts of the matrix of n inputs."""
    matrix = vandermonde(seed, n, n, "ones", side)
    return list(np.vstack([np.real(matrix), np.imag(matrix)]).shape)


def size_of_traced_parts(seed: int, n: int, side: str) -> list[int]:
    """Rows and columns of the matrix whose columns are the last states' parts."""
    lam = eigenvalues(seed, n, "ones", side)
    pulses = np.eye(n)[:, :, None] * np.ones(n)
    states = [recur(lam, pulse)[-1] for pulse in pulses]
    return [2 * len(states[0]), len(states)]


def _bound(power: int = 2, share: int = -2) -> Callable[..., float]:
    """The bound of Eq. 23 of one state and output, with other powers."""
    return lambda radius, barron, accuracy, **_: (
        4 * radius**2 * barron**power * accuracy**share
    )


EVIDENCE: dict[str, Basis] = {
    "blur:text:radius": Evidence(
        points("h", (-3.0, 1.0), (-2.0, -2.0, -2.0), (0.5, 0.2, -0.9)),
        {"reference": norm, "reference_stretch": lambda h: np.linalg.norm([h], 2)},
        form=_radius,
        printed=_signed_radius,
        relation="<=",
        mutants={
            "no root of n": lambda h: max(abs(entry) for entry in h),
            "the least modulus": lambda h: math.sqrt(len(h)) * min(map(abs, h)),
            "the mean modulus": lambda h: sum(map(abs, h)) / math.sqrt(len(h)),
        },
        example=Example(
            "sqrt(n) r, to be at least |h| = 3.162,",
            {"h_1": -3.0, "h_2": 1.0},
            lambda h_1, h_2: _signed_radius((h_1, h_2)),
            lambda h_1, h_2: _radius((h_1, h_2)),
        ),
    ),
    "blur:thmA.3": Evidence(
        points("widths", (1.0,), (0.01,), (50.0,), (0.5, 1.0, 2.0)),
        {"reference": interpolant},
        form=lambda widths: interpolant_bound(widths, _cost()),
        relation="<=",
        mutants={
            "no Fourier norm": lambda widths: interpolant_bound(widths, 0.0),
            "no Barron constant": lambda widths: _cost() * len(widths),
            "a bump of half the frequencies": lambda widths: interpolant_bound(
                widths, _cost() / 2
            ),
        },
        alone="a construction: the sum of the functions times (sin(pi t)/(pi t))^2 at t - k "
        "has the constant C + (2 pi/3) C' for each of them, here for Gaussians in one "
        "dimension",
    ),
    "blur:text:order-N": Evidence(
        points(
            "count spread",
            *((4, "closing"), (16, "closing"), (4, "real"), (8, "real"), (8, "half")),
        ),
        each(
            doubled_norms,
            {"reference": reconstruction_norms, "closed_form": circle_norms},
        ),
        form=2.0,
        relation="<=",
        mutants={
            "bounded": 1.0,
            "of the order of the logarithm": lambda count, **_: (
                math.log(2 * count) / math.log(count)
            ),
            "of the order of the fourth root": 2**0.25,
        },
        example=Example(
            "the sum of |Theta_k| up to k = N, 2^(k-1)/sqrt(N) each for N eigenvalues even on "
            "the circle of radius 1/2, at 2N over that at N",
            {"N": 8},
            2,
            lambda N: doubled_norms(circle_norms, N, "half"),
        ),
    ),
    "blur:text:impossible": Evidence(
        also(points("seed", 0, 1), n=3, m=1, k=6, kind="drawn", P=6),
        {"impulse": subspace_rank, "reference": subspace_rank_slowly},
        form=lambda n, **_: n,
        mutants={
            "all of them": lambda P, **_: P,
            "real and imaginary parts": lambda n, **_: 2 * n,
        },
    ),
    "blur:text:reconstruction": Evidence(
        also(SQUARES, side="forward"),
        {"impulse": reconstruction, "reference": reconstruction_slowly},
        ordered,
        printed=without_inverse,
        mutants=SOLVED_MUTANTS,
        example=Example(
            "u_1 from the states of u = (1, 0), which are both eigenvalues,",
            {"lambda_1": 0.5, "lambda_2": 0.25},
            lambda lambda_1, lambda_2: lambda_1 * lambda_1 + lambda_2,
            lambda lambda_1, lambda_2: (lambda_1 - lambda_2) / (lambda_1 - lambda_2),
        ),
    ),
    "blur:lemmaA.4": Evidence(
        SQUARES,
        {"impulse": both_reconstructions, "reference": both_by_solving},
        there_and_back,
        printed=in_order,
        mutants={
            "twice the inputs": lambda **point: 2 * in_order(**point),
            "the inputs and the others turned": lambda **point: (
                2 * in_order(**point)[::-1]
            ),
            "the difference": lambda **point: (
                in_order(**point) - in_order(**point)[::-1]
            ),
        },
        example=Example(
            "(Theta_f + Theta_b) of the states of one step, B = 1,",
            {"v": 1.0},
            lambda v: v,
            lambda v: v + v,
        ),
    ),
    "blur:text:composed": Evidence(
        points("long short", (2.0, 1.0), (1.0, 0.2), (3.0, 2.5)),
        {"reference": stretched, "reference_series": stretched_series},
        stretched_slowly,
        printed=_round_constant(max),
        tolerance=1e-9,
        mutants={
            "the geometric mean": _round_constant(lambda a, b: math.sqrt(a * b)),
            "the arithmetic mean": _round_constant(lambda a, b: (a + b) / 2),
            "the Frobenius norm": _round_constant(math.hypot),
            "the root of the mean square": _round_constant(
                lambda a, b: math.hypot(a, b) / math.sqrt(2)
            ),
        },
        example=Example(
            "Barron constant of exp(-|Theta x|^2 / 2), Theta = diag(long, short),",
            {"long": 1.0, "short": 0.5},
            _round_constant(max),
            stretched_slowly,
        ),
    ),
    "blur:23": Evidence(
        points(
            SIZES,
            (1.0, 1.0, 1.0, 0.1, 1.0, 0.09),
            (1.0, 1.0, 10.0, 0.01, 1.0, 0.09),
            (1.0, 1.0, 0.5, 0.2, 1.0, 0.08),
        ),
        {"reference": neurons_of_logistic},
        form=sufficient_neurons,
        relation="<=",
        mutants={
            "the fourth power of the constant": _bound(power=4),
            "the accuracy not squared": _bound(share=-1),
            "the accuracy for its inverse": _bound(share=2),
        },
        alone="networks of one logistic unit",
    ),
    "blur:text:real-imaginary": Evidence(
        points("seed n side", (0, 4, "forward"), (1, 6, "backward")),
        {"reference": size_of_parts, "traced": size_of_traced_parts},
        form=lambda n, **_: [2 * n, n],
        mutants={
            "the complex matrix": lambda n, **_: [n, n],
            "its transpose": lambda n, **_: [n, 2 * n],
            "both sizes doubled": lambda n, **_: [2 * n, 2 * n],
        },
    ),
    "blur:text:constant": Evidence(
        points(
            SIZES,
            (3.0, 2.0, 1.3, 0.7, 1.9, 0.3),
            (5.0, 3.0, 0.6, 1.2, 0.8, 0.45),
            (2.0, 4.0, 2.1, 0.4, 3.0, 0.15),
        ),
        {"reference": sufficient_neurons},
    ),
    "blur:text:width": Evidence(
        points(
            "states radius barron accuracy inputs",
            *((4.0, 1.3, 0.7, 0.2, N) for N in (3.0, 24.0)),
        ),
        {"reference": interpolant_neurons},
        example=Example(
            "2 n r^2 C^2 / eps^2 with n = r = eps = 1 and C = N",
            {"N": 24},
            lambda N: interpolant_neurons(1, 1, 1, N, 1) / N,
            lambda N: interpolant_neurons(1, 1, 1, N, 1),
        ),
    ),
}
