"""Recipes for training a network: network, optimiser, learning rate and batch size.

Source: Orvieto et al. (2023), Tables 8-9 and Appendix D.2; RotRNN (2024), Table 3;
BLUR (2025), Table 6.
"""

import math
from dataclasses import dataclass
from typing import Any, TypeVar

from sigprop.networks.config import NetworkConfig
from sigprop.training.loop import Optimiser

PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Recipe of a training run: everything except the data and the seed.

    Attributes:
        network: Configuration of the network.
        optimiser: Settings of the optimiser, with the number of training steps.
        rate: Peak learning rate.
        factor: Factor on the learning rate of recurrent and input parameters.  These
            parameters have no weight decay.
        batch: Number of examples per step.
        segment: Number of steps that are compiled and recorded together.
        evaluate: Number of segments between two evaluations on the validation part.
        matmul: Precision of matrix products, ``float32`` or ``bfloat16``, on devices
            that offer both.

    Raises:
        ValueError: If ``rate`` is not positive or ``factor`` is negative; if ``batch``,
            ``segment`` or ``evaluate`` is below one; if ``matmul`` is unknown; or if
            the number of steps is not a multiple of ``segment``.

    Example:
        >>> from sigprop.tasks import load_task
        >>> from sigprop.training import preset
        >>> recipe = preset("digits", "lru", "quick", load_task("digits"))
        >>> isinstance(recipe, Recipe), recipe.batch, recipe.segment
        (True, 50, 20)
    """

    network: NetworkConfig
    optimiser: Optimiser
    rate: float
    factor: float = 1.0
    batch: int = 32
    segment: int = 20
    evaluate: int = 10
    matmul: str = "float32"

    def __post_init__(self) -> None:
        if not (0 < self.rate < math.inf and 0 <= self.factor < math.inf):
            raise ValueError(
                f"need rate > 0 and factor >= 0, both finite, got {self.rate} and {self.factor}"
            )
        if min(self.batch, self.segment, self.evaluate) < 1:
            raise ValueError(
                "need a batch, a segment and evaluate of one at least, got "
                f"{self.batch}, {self.segment} and {self.evaluate}"
            )
        if self.optimiser.steps % self.segment:
            below = self.optimiser.steps // self.segment * self.segment
            steps = f"{below} or " * (below > 0) + str(below + self.segment)
            raise ValueError(
                f"need whole segments of {self.segment} steps, got "
                f"{self.optimiser.steps} steps; give {steps}"
            )
        if self.matmul not in PRECISIONS:
            raise ValueError(f"need matmul in {PRECISIONS}, got {self.matmul!r}")

    @property
    def segments(self) -> int:
        """Number of segments of the training run."""
        return self.optimiser.steps // self.segment


R = TypeVar("R", bound=Recipe)


@dataclass(frozen=True)
class Schedule:
    """Length, batch size and learning rates of a training, as in the tables of papers.

    Attributes:
        steps: Number of training steps.
        batch: Number of examples per step.
        rate: Peak learning rate.
        factor: Factor on the learning rate of recurrent and input parameters.
        decay: Weight decay of the other parameters.
        warmup: Share of the steps in which the learning rate grows.
    """

    steps: int
    batch: int
    rate: float
    factor: float
    decay: float = 0.05
    warmup: float = 0.1  # share of the steps


def recipe(
    network: NetworkConfig, schedule: Schedule, kind: type[R] = Recipe, **more: Any
) -> R:
    """Return the recipe for a network and a schedule.

    The learning rate grows during the warm-up, then follows a cosine down to ``1e-7``.

    Args:
        network: Configuration of the network.
        schedule: Number of steps, learning rates and batch size.
        kind: Class of the recipe: ``Recipe`` or a subclass of it.
        more: Values of further fields of the recipe, by field name.

    Example:
        >>> from sigprop.networks import lru_paper
        >>> schedule = Schedule(steps=200, batch=8, rate=1e-3, factor=0.5)
        >>> recipe(lru_paper("listops"), schedule).optimiser.steps
        200
    """
    optimiser = Optimiser(
        steps=schedule.steps,
        warmup=round(schedule.warmup * schedule.steps),
        final=1e-7 / schedule.rate,
        decay=schedule.decay,
    )
    return kind(
        network=network,
        optimiser=optimiser,
        rate=schedule.rate,
        factor=schedule.factor,
        batch=schedule.batch,
        **more,
    )
