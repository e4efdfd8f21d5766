"""Similarity ``|S(lam, lam0)|`` of two eigenvalues in the Hessian, over the unit disc.

``S`` is ``E[dh/dlam dh0/dlam0]``, the mean product of the sensitivities of two neurons, in
closed form.  On the circle through ``lam0`` there are two other routes: the mixed second
derivative of the loss of two neurons at its minimum, and simulated sensitivities.  The
alignment is ``S`` over the geometric mean of both second moments.  It is one for equal
neurons, up to a conjugate.

Source: Zucchet & Orvieto (2024), Eq. 132-134 and Figure 8.  The figure does not show Eq. 134
as printed, which lacks a square.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Complex, Float

from sigprop.experiments.command import main
from sigprop.inputs import AR1
from sigprop.linear.infinite_loss import pair_sums, spectrum
from sigprop.neuron.montecarlo import Estimate, Sums, over_batches, split, walk
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.theory.hessian import pair
from sigprop.theory.symbols import alpha, beta, rho

STUDY, VERSION = "similarity", 1
RELAXATIONS = 20  # steps times the gap; transients are below 1e-10
BATCH = 500


@dataclass(frozen=True)
class Config:
    """The disc, the circle and the simulation.

    Attributes:
        modulus: Modulus of ``lam0``, and radius of the circle.
        angle: Angle of ``lam0``, over pi.
        rhos: Autocorrelations of the input after one step, with ``|rho| < 1``.
        radii: Radii of the grid on the disc, denser towards its edge.
        turns: Angles of the grid on the disc.
        along: Angles on the circle, with a third more near the conjugate of ``lam0``.
        marked: Angles with simulations and derivatives: this number around the circle, this
            number near the conjugate of ``lam0``, and both eigenvalues.
        draws: Number of trajectories.
        seed: Seed of the trajectories.
    """

    modulus: float = 0.99
    angle: float = 0.25
    rhos: tuple[float, ...] = (0.0, 0.5, 0.9, 0.99)
    radii: int = 120
    turns: int = 361
    along: int = 721
    marked: int = 16
    draws: int = 4000
    seed: int = 0

    def __post_init__(self) -> None:
        if not all(abs(r) < 1 for r in self.rhos):
            raise ValueError(
                f"need |rho| < 1, where the edge of the disc is finite, got {self.rhos}"
            )

    @property
    def near(self) -> float:
        """Largest angle from the conjugate of ``lam0`` that counts as near, in radians."""
        return 6 * (1 - self.modulus)

    @property
    def lam0(self) -> complex:
        """The eigenvalue that others are compared with."""
        turn = math.pi * self.angle
        return self.modulus * complex(math.cos(turn), math.sin(turn))


SMOKE = Config(
    modulus=0.9, rhos=(0.0, 0.9), radii=12, turns=25, along=49, marked=4, draws=500
)
QUICK = Config()
PAPER = Config(radii=180, turns=721, marked=24, draws=20_000)


def run(config: Config) -> xr.Dataset:
    """Compute the disc, the circle, and the points on it, in double precision."""
    with double_precision(True):
        parts = [_disc(config), _circle(config), _points(config)]
    return xr.merge(parts, join="exact", compat="equals").assign_attrs(
        dtype="float64",
        modulus=config.modulus,
        angle=math.pi * config.angle,
        near=config.near,
        draws=config.draws,
    )


SHARED = {"units": "E[dh/dlam dh0/dlam0] over Var[x]"}
ALIGNED = {"units": "S over the root of both own moments, dimensionless"}
RADIANS = {"units": "radians"}


@functools.cache
def shared() -> Callable[..., Any]:
    """Return ``S(alpha, beta)`` for ``R = rho**|lag|``, by Lemma 2."""
    return compile_expr(pair("exponential").result, alpha, beta, rho, backend="numpy")


def own_moment(
    lam: Complex[np.ndarray, "*n"], correlation: float
) -> Float[np.ndarray, "*n"]:
    """Return ``E|dh/dlam|^2``."""
    return shared()(lam, lam.conj(), correlation).real


def alignment(
    lam: Complex[np.ndarray, "*n"], other: complex, correlation: float
) -> Complex[np.ndarray, "*n"]:
    """Return ``S`` over the geometric mean of both second moments."""
    full = np.full_like(lam, other)
    moments = own_moment(lam, correlation) * own_moment(full, correlation)
    return shared()(lam, other, correlation) / np.sqrt(moments)


def _disc(config: Config) -> xr.Dataset:
    radius = 1 - np.linspace(1, 0, config.radii) ** 2
    turn = np.linspace(-math.pi, math.pi, config.turns)
    lam = radius[:, None] * np.exp(1j * turn)
    table = np.stack([np.abs(shared()(lam, config.lam0, r)) for r in config.rhos])
    return xr.Dataset(
        {"disc": (("rho", "radius", "turn"), table.astype(np.float32), SHARED)},
        {
            "rho": ("rho", list(config.rhos), {"units": "autocorrelation a step"}),
            "radius": ("radius", radius, {"units": "modulus"}),
            "turn": ("turn", turn, RADIANS),
        },
    )


def _circle(config: Config) -> xr.Dataset:
    whole = np.linspace(-math.pi, math.pi, config.along)
    along = np.unique(np.append(whole, _close(config, config.along // 3)))
    lam = config.modulus * np.exp(1j * along)
    plain = [np.abs(shared()(lam, config.lam0, r)) for r in config.rhos]
    aligned = [np.abs(alignment(lam, config.lam0, r)) for r in config.rhos]
    return xr.Dataset(
        {
            "circle": (("rho", "along"), np.stack(plain), SHARED),
            "alignment": (("rho", "along"), np.stack(aligned), ALIGNED),
        },
        {"along": ("along", along, RADIANS)},
    )


def marked_angles(config: Config) -> Float[np.ndarray, " marked"]:
    """Return the angles of the points, with those of ``lam0`` and its conjugate."""
    star = math.pi * config.angle
    even = np.linspace(-math.pi, math.pi, config.marked + 1)[1:]
    close = _close(config, config.marked)
    return np.unique(np.concatenate([even, close, [-star, star]]).round(12))


def _close(config: Config, count: int) -> Float[np.ndarray, " count"]:
    """Return angles near that of the conjugate of ``lam0``."""
    return config.near * np.linspace(-1, 1, count) - math.pi * config.angle


def _points(config: Config) -> xr.Dataset:
    """Compute the points by derivatives and by simulation.

    A simulated alignment has a part along the exact one, whose mean is the exact modulus, and
    a part across, whose mean is zero.
    """
    marked = marked_angles(config)
    lam = config.modulus * np.exp(1j * marked)
    second, parts = [], []
    for index, r in enumerate(config.rhos):
        second.append(np.abs(differentiated(lam, config.lam0, r)))
        exact = alignment(lam, config.lam0, r)
        parts.append((np.abs(exact), *simulate(index, lam, exact, r, config)))
    exact, along, across = zip(*parts, strict=True)
    table = {
        "exact": exact,
        "simulated": [estimate.mean for estimate in along],
        "sem": [estimate.sem for estimate in along],
        "across": [estimate.mean for estimate in across],
        "across_sem": [estimate.sem for estimate in across],
    }
    point = ("rho", "marked")
    variables: dict[str, Any] = {
        name: (point, np.stack(value), ALIGNED) for name, value in table.items()
    }
    variables["autodiff"] = (point, np.stack(second), SHARED)
    variables["marked_exact"] = (
        point,
        np.stack([np.abs(shared()(lam, config.lam0, r)) for r in config.rhos]),
        SHARED,
    )
    return xr.Dataset(variables, {"marked": ("marked", marked, RADIANS)})


def differentiated(
    lam: Complex[np.ndarray, " n"], other: complex, correlation: float
) -> Complex[np.ndarray, " n"]:
    """Return ``S`` by second derivatives of the loss of two neurons at its minimum.

    The output is ``Re(h + h0)``, and the teacher is equal to the student.  At this minimum,
    the second derivative is a product of first derivatives.  So the Wirtinger derivative by
    ``lam`` and ``lam0`` is ``S / 4``.
    """
    sums = pair_sums(spectrum(AR1(correlation)))

    def loss(first, second, goal):
        x, y = (jax.lax.complex(parts[0], parts[1]) for parts in (first, second))
        modes = jnp.stack([x, x.conj(), y, y.conj(), *goal, *goal.conj()])
        weights = jnp.array([1, 1, 1, 1, -1, -1, -1, -1]) / 2
        overlap = sums(modes[:, None], modes[None])
        return jnp.einsum("i,ij,j->", weights, overlap, weights).real / 2

    @jax.jit
    @jax.vmap
    def mixed(x):
        goal = jnp.stack([x, jnp.asarray(other)])
        first, second = jnp.stack([goal.real, goal.imag], 1)
        rows = jax.jacrev(jax.grad(loss, 1))
        (a_re, a_im), (b_re, b_im) = rows(first, second, goal)
        return jax.lax.complex(a_re - b_im, -(a_im + b_re))

    return np.asarray(mixed(jnp.asarray(lam)))


def simulate(
    index: int,
    lam: Complex[np.ndarray, " n"],
    exact: Complex[np.ndarray, " n"],
    correlation: float,
    config: Config,
) -> tuple[Estimate, Estimate]:
    """Return alignments of simulated sensitivities: along the exact one, and across."""
    key = jax.random.fold_in(jax.random.key(config.seed), index)
    lams = np.append(lam, config.lam0)
    steps = math.ceil(RELAXATIONS / (1 - config.modulus))
    moments = np.sqrt(own_moment(lams, correlation))
    unit = np.exp(-1j * np.angle(exact)) / (moments[:-1] * moments[-1])

    def task(batch: int, count: int) -> Sums:
        first, second = _batch(
            jax.random.fold_in(key, batch), lams, unit, AR1(correlation), steps, count
        )
        return Sums(np.asarray(first), np.asarray(second), count)

    parts = over_batches(task, config.draws, BATCH, lambda count: None)
    whole = functools.reduce(Sums.__add__, parts).estimate()
    along, across = (Estimate(whole.mean[k], whole.sem[k], whole.n) for k in (0, 1))
    return along, across


@functools.partial(jax.jit, static_argnames=("process", "steps", "count"))
def _batch(key, lam, unit, process, steps, count):
    """Return sums over one batch of both parts of the products, and of their squares."""
    (snapshot,) = walk(key, split(lam[:, None]), process, (steps,), count)
    s = jax.lax.complex(*snapshot.s)
    product = unit[:, None] * s[:-1] * s[-1:]
    parts = jnp.stack([product.real, product.imag])
    return parts.sum(-1), (parts**2).sum(-1)


if __name__ == "__main__":
    main(STUDY)
