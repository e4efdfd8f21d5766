"""Made-up trainings that begin as advised and by default, as a sweep gathers them."""

import json

import numpy as np
import xarray as xr

from sigprop.experiments import store, studies
from sigprop.experiments.advised import cells, gathering
from sigprop.experiments.advised.tasks import ADVISED, SPREAD

POWERS = {"default": 0, ADVISED: 1, "mlstm": 0, SPREAD: 1}


def made_up(preset="smoke", sweep="advice", gain=0.5):
    """Results of all cells; ``ADVISED`` has ``gain`` of the loss of ``default``.

    Other ways have ``gain**2`` of it, or the power in ``POWERS``.
    """
    results = {}
    for config in studies.grid(sweep, preset):
        scale = gain ** POWERS.get(config.arm, 2)
        rng = np.random.default_rng([config.seed, len(config.task)])
        level = scale * np.exp(rng.normal(scale=2.0))
        level *= np.exp(
            np.random.default_rng([config.seed, len(config.arm)]).normal() / 50
        )
        curve = level * np.linspace(2, 1, 40)
        results[key(config)] = xr.Dataset(
            {
                "loss": ("record", curve, cells.LOSS),
                "validation_loss": ("look", curve[[19, 39]], cells.LOSS),
                "validation_accuracy": ("look", [0.1, 1 - scale / 2], cells.SHARE),
            },
            {"step": ("look", [20, 40], cells.STEPS)},
            {
                "dtype": "float32",
                "diverged": -1,
                "final_loss": curve[-1],
                "final_accuracy": 1 - scale / 2,
                "factor": 0.5,
                "options": json.dumps({"r_min": scale}),
            },
        )
    return results


def key(config):
    """The name of a cell."""
    return store.key("advised", cells.VERSION, config)


def gathered(preset="quick", sweep="advice", gain=0.5):
    """The table of a sweep of made-up trainings."""
    return gathering.gather(sweep, preset, key, made_up(preset, sweep, gain))
