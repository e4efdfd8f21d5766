"""What judges Theorems A.2 and A.3, Lemma A.4 and Eq. 23, Appendix A.4 of BLUR (2025).

The Fourier transform of a function on R^p carries the factor (2 pi)^{-p}.
"""

import functools
import math
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.blur.reconstruction import (
    SQUARE,
    last_state,
    nodes,
    ordered,
    reconstruction,
    reconstruction_slowly,
    subspace_rank,
    subspace_rank_slowly,
    vandermonde,
)
from sigprop.evidence.kit import also, legendre, points, sigmoid
from sigprop.judge.basis import Basis, Evidence
from theory import bidirectional as two

SIZES = "states outputs radius barron Theta accuracy"
SQUARES = also(points("seed", 0, 1, 2), **SQUARE)


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
    lam = nodes(count, spread)
    norms = [
        1 / np.linalg.svd(np.vander(lam, k), compute_uv=False)[-1]
        for k in range(1, count + 1)
    ]
    return float(np.sum(norms))


def without_inverse(**point: Any) -> Complex[np.ndarray, " n"]:
    """The Vandermonde matrix itself applied to the state, where it is square."""
    return vandermonde(**point) @ last_state(**point)


def real_size(seed: int, n: int, k: int) -> list[int]:
    """Size of real parts above imaginary parts of the Vandermonde matrix."""
    matrix = vandermonde(seed, n, k, "ones", "forward")
    return list(np.concatenate([np.real(matrix), np.imag(matrix)]).shape)


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


def norm_times_constant(long: float, short: float) -> float:
    """Norm of the map times the Barron constant of ``F``."""
    return float(max(long, short) * mpmath.sqrt(mpmath.pi / 2))


def padded_neurons(
    radius: float, barron: float, accuracy: float, padding: int, **_: float
) -> float:
    """Size of a network that approximates the logistic function, extra neurons idle.

    Raises:
        ValueError: If the network misses the accuracy.
    """
    idle = [0.0] * padding
    slopes, scales = [4 * barron, *idle], [1.0, *idle]  # of slope a, C = a/4
    h = np.linspace(-radius, radius, 11)
    error = np.abs(
        sigmoid(np.outer(h, slopes)) @ scales - sigmoid(4 * barron * h)
    ).max()
    if error > accuracy:
        raise ValueError(f"need an error of at most {accuracy}, got {error}")
    return float(len(slopes))


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


EVIDENCE: dict[str, Basis] = {
    "blur:text:radius": Evidence(
        points("h", (-3.0, 1.0), (-2.0, -2.0, -2.0), (0.5, 0.2, -0.9)),
        {"reference": norm},
        form=_radius,
        printed=_signed_radius,
        relation="<=",
        slips={
            "no root of n": lambda h: max(abs(entry) for entry in h),
            "no modulus": _signed_radius,
        },
        alone="a norm against its largest entry",
    ),
    "blur:thmA.3": Evidence(
        points("widths", (1.0,), (0.01,), (0.5, 1.0, 2.0)),
        {"reference": interpolant},
        form=lambda widths: interpolant_bound(widths, _cost()),
        relation="<=",
        slips={
            "no Fourier norm": lambda widths: interpolant_bound(widths, 0.0),
            "no Barron constant": lambda widths: _cost() * len(widths),
        },
        alone="a construction: the sum of the functions times (sin(pi t)/(pi t))^2 at t - k "
        "has the constant C + (2 pi/3) C' for each of them, here for Gaussians in one "
        "dimension",
    ),
    "blur:text:order-N": Evidence(
        (
            *also(points("count", 4, 16, 40), spread="circle"),
            *also(points("count", 4, 8, 16), spread="real"),
        ),
        {"reference": reconstruction_norms},
        form=lambda count, spread: float(count),
        relation="<=",
        slips={"an eighth": lambda count, spread: count / 8},
        alone="singular values",
    ),
    "blur:text:impossible": Evidence(
        also(points("seed", 0, 1), n=3, m=1, k=6, kind="drawn", P=6),
        {"impulse": subspace_rank, "reference": subspace_rank_slowly},
        form=lambda n, **_: n,
    ),
    "blur:text:reconstruction": Evidence(
        also(SQUARES, side="forward"),
        {"impulse": reconstruction, "reference": reconstruction_slowly},
        ordered,
        printed=without_inverse,
    ),
    "blur:text:real-imaginary": Evidence(
        points("seed n k", (0, 6, 4), (1, 6, 3)),
        {"reference": real_size},
        form=lambda seed, n, k: [2 * n, k],
        printed=lambda seed, n, k: [2 * n, n],
        alone="sizes of arrays",
    ),
    "blur:lemmaA.4": Evidence(
        SQUARES,
        {"impulse": both_reconstructions, "reference": both_by_solving},
        there_and_back,
        printed=in_order,
        slips={"twice the inputs": lambda **point: 2 * in_order(**point)},
    ),
    "blur:text:composed": Evidence(
        points("long short", (2.0, 1.0), (1.0, 0.2), (3.0, 2.5)),
        {"reference": stretched},
        stretched_slowly,
        printed=norm_times_constant,
        tolerance=1e-9,
        alone="a quadrature against an elliptic integral, for a Gaussian and a diagonal "
        "map in the plane",
    ),
    "blur:23": Evidence(
        points(
            f"{SIZES} padding",
            *((1.0, 1.0, 1.0, 0.25, 1.0, 0.5, idle) for idle in (0, 1, 1000)),
        ),
        {"reference": padded_neurons},
        relation="<=",
        slips={"half of it": 0.5},
        alone="one network, of a logistic function, with idle neurons added",
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
    ),
}
