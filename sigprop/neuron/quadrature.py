"""Expectations over inputs as sums: of a few values, or of nodes of a Gaussian.

The trapezoidal rule integrates a function that is analytic in a strip, times a Gaussian,
with an error that falls exponentially with the number of nodes.

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

REACH = 8.5  # deviations at which a Gaussian is cut: 1e-17 of it is beyond
DIGITS = 40.0  # -log of the error that the step of the rule is chosen for
POLE = 2.6  # less than pi, the least imaginary part of a pole of a sigmoid
WIDEST = 0.45  # step at which half the nodes still integrate the Gaussian
ROUNDED = 1e-9  # how far rounding puts a sum of probabilities from one
STRAIGHT = 4  # nodes, exact to degree seven; two factors of b and one input: six


class Nodes(NamedTuple):
    """Values of an input's coordinates and their probabilities.

    ``coarse`` has those of a rule with half the nodes; the same where the law is exact.
    """

    z: Float[np.ndarray, "nodes coordinates"]
    weights: Float[np.ndarray, " nodes"]
    coarse: Float[np.ndarray, " nodes"]


@final
@dataclass(frozen=True, eq=False)
class Law:
    """An input of few values: rows, and the probability of each.

    Raises:
        ValueError: If a value is not finite, a probability negative, or their sum not one.

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
        """The values as nodes, which are exact."""
        return Nodes(self.values, self.probabilities, self.probabilities)

    def chances(
        self, index: Int[np.ndarray, "sequences steps"], rho: float = 0.0
    ) -> Float[np.ndarray, " sequences"]:
        """Probabilities of sequences of values that stay with probability ``rho``.

        Else they are drawn anew.

        Example:
            >>> law = Law(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))
            >>> law.chances(np.array([[0, 0], [0, 1]]), 0.5)
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
    """Bound on the shift of a Gaussian's centre by squared sigmoids, in standard deviations.

    A small sigmoid of ``spread z + offset`` is close to an exponential.  The square of
    that exponential moves the Gaussian by twice the spread, at most to where the gate
    is half open.  An exponential to the power ``growth`` moves the Gaussian by
    ``growth * spread``.
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
    """Nodes for a standard Gaussian vector.

    Args:
        bent: Coordinates of which a function is analytic in a strip alone.
        straight: Coordinates in which it is a polynomial of degree ``2 points - 1`` at
            most.
        spread: Standard deviation of the gate's argument in one coordinate.  The gate's
            poles are ``pi / spread`` away, so a larger spread needs more nodes.
        narrow: How many times narrower than the Gaussian the function may be.
        tilt: How far from the Gaussian's middle the function may move it; see ``tilted``.
        points: Nodes in each straight coordinate.

    Raises:
        ValueError: If spread or narrowness is not finite.
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
