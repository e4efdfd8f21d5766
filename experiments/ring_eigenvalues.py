"""Distributions of eigenvalues: Gaussian matrices, the circular law, and ring sampling.

Eigenvalues of ``N x N`` matrices with independent Gaussian entries of variance ``1/N`` fill
the unit disc uniformly as ``N`` grows.  Sampling by Lemma 3.2 fills a ring uniformly at any
``N``, or a sector of it if phases are small.  Both are stored as points, and as distributions
of moduli and phases with their laws.  Phases of a matrix come in pairs of both signs, so
their absolute values are used.  Their law at finite ``N`` is exact, with real eigenvalues at
zero and pi.

Source: Orvieto et al. (2023), Figures 2 and 3, Theorem 3.1 and Lemma 3.2; Section 3.4 for the
small phases.
"""

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Complex, Float

from sigprop.experiments.command import main
from sigprop.neuron.ginibre import phase_law
from sigprop.neuron.ring import sample_ring
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.theory.ring import radius_cdf
from sigprop.theory.symbols import r, r_max, r_min

STUDY, VERSION = "ring_eigenvalues", 2
DOUBT = 0.05  # probability that the true law leaves the band
TURN = 2 * math.pi


@dataclass(frozen=True)
class Config:
    """Matrices and rings to sample, and numbers of radii and phases.

    A ring has an inner radius, an outer radius and a largest phase.
    """

    sizes: tuple[int, ...] = (50, 200, 1000)
    matrices: tuple[int, ...] = (40, 10, 2)
    rings: tuple[tuple[float, float, float], ...] = (
        *((0.0, 1.0, TURN), (0.5, 0.9, TURN), (0.9, 0.999, TURN)),
        (0.9, 0.999, math.pi / 10),
    )
    sampled: int = 1000
    radii: int = 1251
    phases: int = 721
    seed: int = 0


SMOKE = Config(sizes=(20, 60), matrices=(10, 4), sampled=300, radii=126, phases=91)
QUICK = Config()
PAPER = Config(sizes=(100, 500, 2000), matrices=(100, 20, 5), sampled=2000)


def run(config: Config) -> xr.Dataset:
    """Draw the eigenvalues; compute distributions of moduli and phases."""
    matrix_key, ring_key = jax.random.split(jax.random.key(config.seed))
    # Radii exceed one, since finite matrices have eigenvalues outside the unit circle.
    radius = np.linspace(0, 1.25, config.radii)
    angle = np.linspace(0, TURN, config.phases)
    phase = np.linspace(0, math.pi, config.phases)  # absolute value
    with double_precision(True):
        spectra = [
            _spectra(jax.random.fold_in(matrix_key, size), size, count)
            for size, count in zip(config.sizes, config.matrices, strict=True)
        ]
        samples = [
            np.asarray(
                sample_ring(
                    jax.random.fold_in(ring_key, i),
                    config.sampled,
                    inner,
                    outer,
                    largest,
                    jnp.complex128,
                )
            )
            for i, (inner, outer, largest) in enumerate(config.rings)
        ]
    fraction = {"units": "fraction of eigenvalues"}
    plane = {"units": "complex plane"}
    return xr.Dataset(
        {
            "matrix_eigenvalue": (("size", "index"), _padded(spectra), plane),
            "matrix_fraction": (
                ("size", "radius"),
                np.stack([_fraction(np.abs(values), radius) for values in spectra]),
                fraction,
            ),
            "matrix_phase_fraction": (
                ("size", "phase"),
                np.stack(
                    [_fraction(np.abs(np.angle(values)), phase) for values in spectra]
                ),
                fraction,
            ),
            "matrix_phase_law": (
                ("size", "phase"),
                np.stack([phase_law(phase, size) for size in config.sizes]),
                fraction,
            ),
            "circular_law": ("radius", radius_distribution(radius, 0.0, 1.0), fraction),
            "ring_eigenvalue": (("ring", "draw"), np.stack(samples), plane),
            "ring_fraction": (
                ("ring", "radius"),
                np.stack([_fraction(np.abs(values), radius) for values in samples]),
                fraction,
            ),
            "ring_phase_fraction": (
                ("ring", "angle"),
                np.stack(
                    [_fraction(np.angle(values) % TURN, angle) for values in samples]
                ),
                fraction,
            ),
            "ring_phase_law": (
                ("ring", "angle"),
                np.stack(
                    [np.clip(angle / largest, 0, 1) for *_, largest in config.rings]
                ),
                fraction,
            ),
            "ring_law": (
                ("ring", "radius"),
                np.stack(
                    [
                        radius_distribution(radius, *bounds)
                        for *bounds, _ in config.rings
                    ]
                ),
                fraction,
            ),
        },
        {
            "size": ("size", list(config.sizes), {"units": "neurons"}),
            "matrices": ("size", list(config.matrices), {"units": "matrices drawn"}),
            "radius": ("radius", radius, {"units": "modulus"}),
            "phase": ("phase", phase, {"units": "size of the phase, radians"}),
            "angle": ("angle", angle, {"units": "phase, radians"}),
            "inner": ("ring", [inner for inner, *_ in config.rings]),
            "outer": ("ring", [outer for _, outer, _ in config.rings]),
            "max_phase": ("ring", [largest for *_, largest in config.rings]),
        },
        {
            "dtype": "complex128",
            "band": math.sqrt(math.log(2 / DOUBT) / (2 * config.sampled)),
            "band_meaning": f"Dvoretzky-Kiefer-Wolfowitz band at {1 - DOUBT:.0%}",
        },
    )


def radius_distribution(
    radius: Float[np.ndarray, " radii"], inner: float, outer: float
) -> Float[np.ndarray, " radii"]:
    """Return ``P(|lam| <= radius)`` for a uniform ring.

    Source: Orvieto et al. (2023), Eq. 27; Theorem 3.1 for the whole disk.
    """
    inside = compile_expr(radius_cdf(), r, r_min, r_max, backend="numpy")
    return np.asarray(inside(np.clip(radius, inner, outer), inner, outer))


def _spectra(key: jax.Array, size: int, count: int) -> Complex[np.ndarray, "count n"]:
    """Draw ``count`` matrices with independent Normal(0, 1/size) entries; return spectra."""
    entries = jax.random.normal(key, (count, size, size)) / math.sqrt(size)
    return np.linalg.eigvals(np.asarray(entries)).astype(np.complex128)


def _fraction(
    values: Float[np.ndarray, "*shape"], at: Float[np.ndarray, " k"]
) -> Float[np.ndarray, " k"]:
    """Return the fraction of values that are at most each number of ``at``."""
    return np.searchsorted(np.sort(values.ravel()), at, side="right") / values.size


def _padded(spectra: list[np.ndarray]) -> Complex[np.ndarray, "sizes largest"]:
    """Return the spectrum of the first matrix of each size, padded with NaN."""
    longest = max(values.shape[1] for values in spectra)
    rows = np.full((len(spectra), longest), complex(np.nan, np.nan))
    for row, values in zip(rows, spectra, strict=True):
        row[: values.shape[1]] = values[0]
    return rows


if __name__ == "__main__":
    main(STUDY)
