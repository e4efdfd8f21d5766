"""Recipes to train a network on a task: sizes, optimiser, batches; the papers' and smaller.

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
    """A training, but for its data and its seed.

    Attributes:
        network: Configuration of the network that is trained.
        optimiser: Its schedule has the steps of the training.
        rate: Peak learning rate.
        factor: Factor on the rate of recurrent and input parameters, which have no
            weight decay.
        batch: Examples a step.
        segment: Steps that are taken, and recorded, together.
        evaluate: Segments between two looks at the validation.
        matmul: Precision of the factors of matrix products, where the device has several.

    Raises:
        ValueError: If a number is out of range, or segments do not make up the steps.

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
        """Segments of the whole training."""
        return self.optimiser.steps // self.segment


R = TypeVar("R", bound=Recipe)


@dataclass(frozen=True)
class Schedule:
    """A row of a paper's table, or our own: how long, how fast and how much at once."""

    steps: int
    batch: int
    rate: float
    factor: float
    decay: float = 0.05
    warmup: float = 0.1  # share of the steps


def recipe(
    network: NetworkConfig, schedule: Schedule, kind: type[R] = Recipe, **more: Any
) -> R:
    """The training of a network by a schedule: warm-up, then a cosine to ``1e-7``.

    Args:
        network: Configuration of the network that is trained.
        schedule: Number of steps, learning rates and batch size.
        kind: ``Recipe``, or one that says more.
        more: Its other fields.

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
