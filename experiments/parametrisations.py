"""Change of an eigenvalue and of the state by a unit step in each parametrisation.

The parametrisations are that of the LRU, tanh, and the exact solutions for inputs of several
correlations.

Source: ours, after Zucchet & Orvieto (2024), Section 3.1 and Appendix C.1.2.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from sigprop.experiments.command import main
from sigprop.inputs import AR1
from sigprop.landscape.optimal_parametrisations import speed
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import MODULI

STUDY, VERSION = "parametrisations", 1
USUAL = {"LRU": MODULI["exponential"], "tanh": MODULI["tanh"]}
GAINS = ("matched", "loss")


@dataclass(frozen=True)
class Config:
    """Real eigenvalues and inputs.

    Attributes:
        decays: Values of ``rho`` of the inputs, between -1 and 1.
        largest: Gap of the smallest eigenvalue.
        smallest: Gap of the largest eigenvalue.
        points: Points of every curve.
    """

    decays: tuple[float, ...] = (-0.9, 0.0, 0.9, 0.99, 0.999)
    largest: float = 0.97
    smallest: float = 1e-6
    points: int = 121


SMOKE = Config(decays=(0.0, 0.9), points=13)
QUICK = Config()
PAPER = Config(points=241)


def run(config: Config) -> xr.Dataset:
    """Compute all curves in double precision.

    There are two exact parametrisations.  With ``matched``, a unit step changes the normalised
    state by one, with the gain not differentiated.  With ``loss``, the loss of two normalised
    neurons has curvature one at the optimum.  Both changes are computed for LRU and tanh.
    """
    gap = np.geomspace(config.largest, config.smallest, config.points)
    with double_precision(True):
        speeds = np.array(
            [
                [speed(AR1(decay), gain, gap, 0.0) for decay in config.decays]
                for gain in GAINS
            ]
        )
        derivatives = [
            jax.vmap(jax.grad(parametrisation.forward))(
                parametrisation.inverse(1 - jnp.asarray(gap))
            )
            for parametrisation in USUAL.values()
        ]
    grains = np.abs(derivatives)  # the LRU's modulus decreases with its parameter
    grain = {"units": "d|lam|/domega over the gap"}
    moved = {"units": "E|dh/domega|^2 (matched) or d^2 L/domega^2 (loss)"}
    axes = ("gain", "decay", "gap")
    return xr.Dataset(
        {
            "exact_grain": (axes, 1 / speeds / gap, grain),
            "usual_grain": (("usual", "gap"), grains / gap, grain),
            "usual_moved": (
                ("usual", *axes),
                (grains[:, None, None] * speeds) ** 2,
                moved,
            ),
        },
        {
            "gain": list(GAINS),
            "decay": list(config.decays),
            "usual": list(USUAL),
            "gap": ("gap", gap, {"units": "dimensionless"}),
        },
        {"dtype": "float64"},
    )


if __name__ == "__main__":
    main(STUDY)
