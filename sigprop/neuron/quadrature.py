"""Expectations over inputs as weighted sums over nodes.

An input with few values has exact nodes.  For a Gaussian input the trapezoidal rule is
used: if the integrand is analytic in a strip around the real axis, its error falls
exponentially with the number of nodes.

Source: Trefethen & Weideman (2014), The exponentially convergent trapezoidal rule, SIAM
Review 56.
"""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from sigprop.numerics.arguments import require_finite, require_shape, require_within

REACH = 8.5  # cut-off of a Gaussian in standard deviations; 1e-17 is beyond
DIGITS = 40.0  # -log of the error for which the step is chosen
POLE = 2.6  # below pi, the smallest imaginary part of a sigmoid's pole
WIDEST = 0.45  # largest step at which half the nodes still integrate the Gaussian
ROUNDED = 1e-9  # tolerance for a sum of probabilities, due to rounding
STRAIGHT = 4  # nodes, exact to degree 7; two factors b and one squared input need 6


class Nodes(NamedTuple):
    """Nodes of a quadrature rule over the coordinates of an input.

    Attributes:
        z: Coordinates of each node.
        weights: Weight of each node; the weights sum to one.
        coarse: Weights of the rule with half the nodes, for an error estimate.  They
            equal ``weights`` if the nodes are all values of the input.
    """

    z: Float[np.ndarray, "nodes coordinates"]
    weights: Float[np.ndarray, " nodes"]
    coarse: Float[np.ndarray, " nodes"]


@final
@dataclass(frozen=True, eq=False)
class Law:
    """Distribution of an input vector that takes finitely many values.

    Attributes:
        values: Values of the input vector, a row per value.
        probabilities: Probability of each row.

    Raises:
        ValueError: If a value is not finite; if a probability is outside [0, 1]; if the
            probabilities do not sum to 1; or if their number differs from the number of
            rows.

    Example:
        >>> law = Law(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))
        >>> law.values.shape
        (2, 1)
    """

    values: Float[np.ndarray, "values d_in"]
    probabilities: Float[np.ndarray, " values"]

    def __post_init__(self) -> None:
        require_shape("values", self.values, "values d_in")
        require_finite(values=self.values)
        require_within("probabilities", self.probabilities, 0, 1, "[]")
        total = math.fsum(self.probabilities)
        if (
            abs(total - 1) > ROUNDED
            or self.probabilities.shape != self.values.shape[:1]
        ):
            raise ValueError(
                "need probabilities that sum to 1, one for each of the values' "
                f"{len(self.values)} rows, got {self.probabilities.tolist()} of sum "
                f"{total:.6g}"
            )

    def nodes(self) -> Nodes:
        """Return the values as quadrature nodes, with the probabilities as weights.

        The weighted sum of a function's values at these nodes is the exact expectation
        of the function.
        """
        return Nodes(self.values, self.probabilities, self.probabilities)

    def chances(
        self, index: Int[np.ndarray, "sequences steps"], rho: float = 0.0
    ) -> Float[np.ndarray, " sequences"]:
        """Return the probabilities of sequences of values.

        At each step the input keeps its value with probability ``rho``.  Otherwise its
        next value is an independent sample, which can be the same value again.

        Args:
            index: Row indices of ``values``, one sequence per row.
            rho: Probability that the input keeps its value.  It equals the correlation
                of successive inputs.

        Example:
            >>> law = Law(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))
            >>> law.chances(np.array([[0, 0], [0, 1]]), 0.5)  # 0.5 * 0.75, 0.5 * 0.25
            array([0.375, 0.125])
        """
        drawn = (1 - rho) * self.probabilities[index[:, 1:]]
        stays = rho * (index[:, 1:] == index[:, :-1])
        first = self.probabilities[index[:, :1]].prod(1)
        return first * (drawn + stays).prod(1)


def tilted(
    spreads: Float[np.ndarray, "*#shape"],
    offsets: Float[np.ndarray, "*#shape"],
    growth: float = 0.0,
) -> float:
    """Bound the shift of a Gaussian's centre by squared sigmoids, in standard deviations.

    A small sigmoid of ``spread z + offset`` is close to an exponential.  A standard
    Gaussian in ``z`` times the square of that exponential is centred at
    ``z = 2 spread``.  The centre stays below the point where the sigmoid is one half.
    An exponential to the power ``growth`` shifts the centre by ``growth * spread``.

    Args:
        spreads: Standard deviations of the arguments of the sigmoids.
        offsets: Constants in the arguments of the sigmoids.
        growth: Power of an exponential in the integrand; zero if there is none.

    Returns:
        The largest shift over all arguments.
    """
    least = np.where(spreads > 0, spreads, 1.0)
    moved = np.minimum(2 * spreads, np.abs(offsets) / least)
    moved = np.maximum(moved, growth * spreads)
    return float(np.where(spreads > 0, moved, 0.0).max(initial=0.0))


def gaussian_nodes(
    bent: int,
    straight: int,
    spread: float,
    narrow: float = 1.0,
    tilt: float = 0.0,
    points: int = STRAIGHT,
) -> Nodes:
    """Return quadrature nodes for functions of a standard Gaussian vector.

    Args:
        bent: Number of coordinates in which the integrand is nonlinear, with poles off
            the real axis.
        straight: Number of coordinates in which the integrand is a polynomial of degree
            at most ``2 points - 1``.
        spread: Standard deviation of the gate's argument in one coordinate.  The gate's
            poles are ``pi / spread`` away, so a larger spread needs more nodes.
        narrow: Width of the Gaussian divided by the width of the integrand's narrowest
            feature.
        tilt: Largest shift of the Gaussian's centre by the integrand, in standard
            deviations; see ``tilted``.
        points: Number of nodes in each polynomial coordinate.

    Raises:
        ValueError: If ``spread`` or ``narrow`` is not finite.
    """
    if not (math.isfinite(spread) and math.isfinite(narrow)):
        raise ValueError(
            f"need projections of finite spread, got {spread=} and {narrow=}"
        )
    widest = WIDEST / narrow
    strip = min(POLE / max(spread, 1e-9), 2 * math.pi / widest)
    step = min(widest, 2 * math.pi * strip / (DIGITS + strip**2 / 2))
    half = 2 * math.ceil((REACH + tilt) / step / 2)
    line = step * np.arange(-half, half + 1)
    density = np.exp(-(line**2) / 2)
    even = density * (np.arange(-half, half + 1) % 2 == 0)
    z, w = np.polynomial.hermite_e.hermegauss(points)
    axes = [line] * bent + [z] * straight

    def product(rule: Float[np.ndarray, " line"]) -> Float[np.ndarray, " nodes"]:
        rules = [rule / rule.sum()] * bent + [w / w.sum()] * straight
        return functools.reduce(np.multiply.outer, rules, np.ones(())).ravel()

    grids = np.meshgrid(*axes, indexing="ij", copy=False)
    grid = np.stack([one.ravel() for one in grids], 1) if axes else np.zeros((1, 0))
    return Nodes(grid, product(density), product(even))
