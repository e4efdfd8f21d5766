"""Moments of state and sensitivity of one real neuron against its time constant.

The recurrence is ``h_{t+1} = lam h_t + x_{t+1}``, with inputs of autocovariance
``R(lag) = rho**|lag|``.  ``E[h^2]`` and ``E[(dh/dlam)^2]`` are simulated and in closed form.
The neuron is taken as it is, and *controlled*.  The controlled neuron has
``lam = exp(-exp(nu))``, and its inputs are scaled by ``gamma = sqrt(1 - lam^2)``, which is not
differentiated.

Notation: gap  1 - lam.

Source: Zucchet & Orvieto (2024), Figures 1A and 2.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Float

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.inputs import AR1
from sigprop.neuron import stable
from sigprop.neuron.montecarlo import second_moments
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "curse_of_memory", 3
QUANTITIES = ("state", "sensitivity")
RELAXATIONS = 20  # simulated steps times the gap: the transient is then below 1e-6


@dataclass(frozen=True)
class Config:
    """Points of the curves, simulated points, and the number of trajectories.

    A simulated point has ``draws`` trajectories.  If these have more than ``most`` steps in
    total, it has fewer.
    """

    rhos: tuple[float, ...] = (0.0, 0.5, 0.9, 0.99, 1.0)
    smallest_gap: float = 1e-4
    points: int = 201
    simulated_gaps: tuple[float, ...] = (
        *(0.9, 0.6, 0.35, 0.2, 0.12, 0.07, 0.04, 0.025, 0.016, 0.01),
    )
    draws: int = 10_000
    most: int = 350_000_000
    seed: int = 0


SMOKE = Config(
    rhos=(0.0, 0.9, 1.0), points=11, simulated_gaps=(0.9, 0.3, 0.1), draws=500
)
QUICK = Config()
PAPER = Config(
    simulated_gaps=(*QUICK.simulated_gaps, 0.006, 0.003, 1e-3, 3e-4, 1e-4), draws=50_000
)


def run(config: Config) -> xr.Dataset:
    """Evaluate the curves and simulate the points, in double precision."""
    with double_precision(True):
        gap = np.geomspace(1, config.smallest_gap, config.points)
        simulated_gap = np.array(config.simulated_gaps)
        mean, sem = _simulate(config)
        exact = closed_forms(config.rhos, simulated_gap)
        curves = closed_forms(config.rhos, gap)
        factor = control_factors(gap)[:, None]
        simulated_factor = control_factors(simulated_gap)[:, None]
    line, points = ("quantity", "rho", "gap"), ("quantity", "rho", "simulated_gap")
    meaning = "second moment over Var[x], dimensionless"
    controlled = meaning + ", with normalised inputs and lam = exp(-exp(nu))"
    return xr.Dataset(
        {
            "theory": (line, curves, {"units": meaning}),
            "exact": (points, exact, {"units": meaning}),
            "simulated": (points, mean, {"units": meaning}),
            "sem": (points, sem, {"units": meaning, "meaning": "standard error"}),
            "controlled_theory": (line, curves * factor, {"units": controlled}),
            "controlled": (points, mean * simulated_factor, {"units": controlled}),
            "controlled_sem": (points, sem * simulated_factor, {"units": controlled}),
        },
        {
            "quantity": list(QUANTITIES),
            "rho": ("rho", list(config.rhos), {"units": "autocorrelation a step"}),
            "gap": ("gap", gap, {"units": "1 - lam"}),
            "simulated_gap": ("simulated_gap", simulated_gap, {"units": "1 - lam"}),
            "draws": ("simulated_gap", [draws(config, gap) for gap in simulated_gap]),
        },
        {"dtype": "float64"},
    )


def draws(config: Config, gap: float) -> int:
    """Number of trajectories at a gap."""
    return min(config.draws, config.most // steps(gap))


def steps(gap: float) -> int:
    """Number of steps of a trajectory at a gap."""
    return round(RELAXATIONS / gap)


def closed_forms(
    rhos: tuple[float, ...], gap: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "2 rho n"]:
    """Return both moments of the neuron as it is, for each ``rho``.

    Source: Zucchet & Orvieto (2024), Eq. 48 and 59.
    """
    gap, rho = gap[None], np.array(rhos)[:, None]
    return np.stack(
        [
            np.asarray(stable.state_moment(gap, 0.0, rho)),
            np.asarray(stable.sensitivity_moment(gap, 0.0, rho)),
        ]
    )


def control_factors(gap: Float[np.ndarray, " n"]) -> Float[np.ndarray, "2 n"]:
    """Return ``gamma^2`` and ``gamma^2 (dlam/dnu)^2``, the factors on both moments.

    They are computed from the gap without cancellation.  ``lam = exp(-exp(nu))`` has the
    derivative ``dlam/dnu = lam log(lam)``, which is 0 at ``lam = 0``.

    Source: Zucchet & Orvieto (2024), caption of Figure 2.
    """
    normalisation = gap * (2 - gap)
    inside = np.where(gap < 1, gap, 0.5)
    derivative = np.where(gap < 1, (1 - inside) * np.log1p(-inside), 0.0)
    return np.stack([normalisation, normalisation * derivative**2])


def _simulate(
    config: Config,
) -> tuple[Float[np.ndarray, "2 rho n"], Float[np.ndarray, "2 rho n"]]:
    """Means and standard errors, from separate trajectories for every point."""
    shape = (len(QUANTITIES), len(config.rhos), len(config.simulated_gaps))
    mean, sem = np.empty(shape), np.empty(shape)
    key, tick = jax.random.key(config.seed), counter(mean[0].size, "points")
    for i, rho in enumerate(config.rhos):
        for j, gap in enumerate(config.simulated_gaps):
            (sums,) = second_moments(
                jax.random.fold_in(jax.random.fold_in(key, i), j),
                jnp.array([1 - gap]),
                AR1(rho),
                times=(steps(gap),),
                num=draws(config, gap),
            )
            for k, quantity in enumerate(QUANTITIES):
                estimate = sums[quantity].estimate()
                mean[k, i, j], sem[k, i, j] = estimate.mean[0], estimate.sem[0]
            tick()
    return mean, sem


if __name__ == "__main__":
    main(STUDY)
