"""State moments of layers with gates of the input alone, under several assumptions.

Each head of such a layer obeys ``S_t = S_{t-1} A(u_t) + B(u_t)`` from the zero state.
If the inputs of different steps are independent, the means ``m`` and the second moments
``M = E S^T S`` obey ``m' = m E A + E B`` and ``M' = E[A^T M A] + E[A^T m^T B] + E[B^T m
A] + E[B^T B]`` exactly.  The assumptions, called rungs, differ in the distribution of
the input vector:

- *memoryless*: the measured inputs of each position, independent in time;
- *stationary*: at every position the measured inputs of all positions;
- *Gaussian*: a normal distribution with the measured mean and covariance;
- *alike*: a normal distribution of mean zero with independent channels of equal
  variance;
- *as drawn*: the inputs of *alike*, and the parameters before training.

Expectations over measured inputs are means over the inputs.  Expectations over normal
inputs are means over the points of a Sobol sequence.  A layer with a vector state has
heads of size one.

Notation: n  nodes, values of an input;  rows, keys  of ``S``;  units  columns of all
``S``.

Source: ``sigprop.neuron.matrix_moments`` for one distribution of the inputs.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Float, Int

from sigprop.audit.moments import ratio
from sigprop.layers.base import Layer, doubled
from sigprop.layers.deltanet import Delta
from sigprop.layers.gated import GatedUnit
from sigprop.layers.matrix_gated import MatrixGated
from sigprop.layers.projected import InputGated
from sigprop.neuron.matrix_moments import MOST_KEYS, normal_points
from sigprop.numerics.precision import double_precision

GATED_RUNGS = ("memoryless", "stationary", "Gaussian", "alike", "as drawn")
"""Assumptions; each prediction makes one more.  The docstring of the module explains them."""
GATED_QUANTITIES = ("state", "state at the end")
"""Names of ``E|S|^2`` of each unit, averaged over all valid steps and at the last step."""
POINTS = 11  # 2^11 points of a Sobol sequence and their negatives
PICKED = 2**14  # largest number of inputs in the stationary distribution
HELD = 512  # nodes per batch
REPLICATES = 8  # replicates of the jackknife

Nodes = Float[Array, "n d_in"]
Chances = Float[Array, " n"]
Means = Float[Array, "heads rows keys"]
Squares = Float[Array, "heads keys keys"]


def is_input_gated(layer: Layer) -> bool:
    """Return True for a layer of one direction whose gates depend only on the input."""
    if isinstance(layer, GatedUnit):
        return layer.W_fh is None
    return isinstance(layer, InputGated | MatrixGated | Delta)


def transition(
    layer: Layer, u: Float[Array, "n d_in"]
) -> tuple[Float[Array, "n heads keys keys"], Float[Array, "n heads rows keys"]]:
    """Return ``A`` and ``B`` for every input of a layer.

    Args:
        layer: Layer for which ``is_input_gated`` is True.
        u: Inputs.
    """
    if isinstance(layer, MatrixGated | Delta):
        return layer.maps(u)
    assert isinstance(layer, InputGated | GatedUnit)
    a, b = layer.gates(u)
    return a[..., None, None], b[..., None, None]


# --- moments of states ----------------------------------------------------------------


class Expectations(NamedTuple):
    """Expectations over the input of a step, for every head.

    ``AA[h, a, b, c, d]`` is ``E[A_hab A_hcd]``, and ``AB`` is similar.  ``BB`` is
    ``E[B^T B]``.
    """

    A: Float[Array, "heads keys keys"]
    B: Float[Array, "heads rows keys"]
    AA: Float[Array, "heads keys keys keys keys"]
    AB: Float[Array, "heads keys keys rows keys"]
    BB: Float[Array, "heads keys keys"]


def _expect(layer: Layer, u: Nodes, w: Chances) -> Expectations:
    """Return expectations as sums over nodes ``u`` with weights ``w``."""
    held = min(HELD, len(w))
    more = -len(w) % held
    parts = (
        jnp.pad(u, ((0, more), (0, 0)), mode="edge").reshape(-1, held, u.shape[1]),
        jnp.pad(w, (0, more)).reshape(-1, held),
    )

    def of_part(u: Nodes, w: Chances) -> Expectations:
        A, B = transition(layer, u)
        return Expectations(
            jnp.einsum("n,nhab->hab", w, A),
            jnp.einsum("n,nhrb->hrb", w, B),
            jnp.einsum("n,nhab,nhcd->habcd", w, A, A),
            jnp.einsum("n,nhab,nhrd->habrd", w, A, B),
            jnp.einsum("n,nhrb,nhrd->hbd", w, B, B),
        )

    shapes = jax.eval_shape(of_part, u[:held], w[:held])
    zero = jax.tree.map(lambda one: jnp.zeros(one.shape, one.dtype), shapes)

    def body(total: Expectations, part: tuple[Nodes, Chances]):
        return jax.tree.map(jnp.add, total, of_part(*part)), None

    return lax.scan(body, zero, parts)[0]


def _grown(
    advance: Callable[[Means, Squares, Any], tuple[Means, Squares, Squares]],
    shape: tuple[int, int, int],
    inputs: Any,
    steps: int,
) -> Float[Array, "2 time units"]:
    """Return ``E|S_t|^2`` of each unit after every step, and the part carried over."""
    heads, rows, keys = shape

    def body(now: tuple[Means, Squares], at: Any):
        m, M, carried = advance(*now, at)
        each = [jnp.diagonal(x, axis1=1, axis2=2).reshape(-1) for x in (M, carried)]
        return (m, M), jnp.stack(each)

    zero = jnp.zeros((heads, rows, keys)), jnp.zeros((heads, keys, keys))
    return jnp.moveaxis(lax.scan(body, zero, inputs, length=steps)[1], 0, 1)


def _memoryless(
    layer: Layer,
    u: Float[Array, "num time d_in"],
    chances: Float[Array, "num time"],
) -> Float[Array, "2 time units"]:
    """Return moments for independent inputs with a distribution for each position."""

    def advance(m: Means, M: Squares, now: tuple[Nodes, Chances]):
        u, w = now
        A, B = transition(layer, u)
        turned = jnp.einsum("hra,nhab->nhrb", m, A)
        carried = jnp.einsum("n,nhab,hac,nhcd->hbd", w, A, M, A, optimize="optimal")
        crossed = jnp.einsum("n,nhrb,nhrd->hbd", w, turned, B)
        added = jnp.einsum("n,nhrb,nhrd->hbd", w, B, B)
        m = jnp.einsum("n,nhrb->hrb", w, turned + B)
        return m, carried + crossed + crossed.swapaxes(1, 2) + added, carried

    inputs = jnp.moveaxis(u, 1, 0), chances.T
    return _grown(advance, _shape(layer), inputs, u.shape[1])


def _stationary(known: Expectations, steps: int) -> Float[Array, "2 time units"]:
    """Return moments for independent inputs with the same distribution at all positions."""

    def advance(m: Means, M: Squares, now: None):
        del now
        carried = jnp.einsum("habcd,hac->hbd", known.AA, M)
        crossed = jnp.einsum("habrd,hra->hbd", known.AB, m)
        m = jnp.einsum("hra,hab->hrb", m, known.A) + known.B
        return m, carried + crossed + crossed.swapaxes(1, 2) + known.BB, carried

    heads, rows, keys = known.B.shape
    return _grown(advance, (heads, rows, keys), None, steps)


def _shape(layer: Layer) -> tuple[int, int, int]:
    """Return the number of heads, rows and keys."""
    one = jnp.zeros((1, layer.widths[0]))
    heads, rows, keys = jax.eval_shape(lambda u: transition(layer, u)[1], one).shape[1:]
    return heads, rows, keys


# --- one layer ------------------------------------------------------------------------


class Sample(NamedTuple):
    """Measured inputs of a layer, and points of a standard normal distribution.

    Attributes:
        u: Inputs.
        lengths: Number of valid steps of each sequence.
        picked: Sample of all valid inputs, by the group of their sequence, padded.
        present: 1 for each input in ``picked``, and 0 in the padding.
        z: Points of a standard normal distribution.
    """

    u: Float[Array, "num time d_in"]
    lengths: Int[Array, " num"]
    picked: Float[Array, "groups most d_in"]
    present: Float[Array, "groups most"]
    z: Float[Array, "points d_in"]


def _normal(
    layer: Layer, drawn: Layer | None, sample: Sample
) -> Float[Array, "rungs time units"]:
    """Return moments under the assumptions with normal inputs."""
    u, steps = sample.u, sample.u.shape[1]
    valid, _ = _weights(sample, jnp.ones(len(u)))
    mean = jnp.einsum("nt,ntd->d", valid, u) / valid.sum()
    square = jnp.einsum("nt,ntd,nte->de", valid, u, u) / valid.sum()
    size, basis = jnp.linalg.eigh(square - mean[:, None] * mean[None])
    root = basis * jnp.sqrt(jnp.maximum(size, 0))[None]
    normal = mean[None] + sample.z @ root.T
    alike = jnp.sqrt(jnp.trace(square) / len(mean)) * sample.z
    even = jnp.full((len(sample.z),), 1 / len(sample.z))
    rungs = [(layer, normal), (layer, alike)]
    if drawn is not None:
        rungs.append((drawn, alike))
    return jnp.stack([_stationary(_expect(of, z, even), steps)[0] for of, z in rungs])


def _weights(
    sample: Sample, w: Float[Array, " num"]
) -> tuple[Float[Array, "num time"], Float[Array, "quantities time"]]:
    """Return the weights of the valid steps, and of every step in each quantity."""
    valid = jnp.arange(sample.u.shape[1])[None] < sample.lengths[:, None]
    valid = valid * w[:, None]
    alive = valid.sum(0)
    ends = alive - jnp.append(alive[1:], 0)
    return valid, jnp.stack([alive / alive.sum(), ends / w.sum()])


def _squares(
    layer: Layer, u: Float[Array, "time d_in"], length: Int[Array, ""]
) -> Float[Array, "quantities units"]:
    """Return squared states of one sequence: the sum over valid steps, and the last."""
    S = layer.states(u).reshape(len(u), *_shape(layer))
    each = jnp.sum(S**2, 2).reshape(len(u), -1)
    valid = jnp.arange(len(u))[:, None] < length
    return jnp.stack([jnp.where(valid, each, 0).sum(0), each[length - 1]])


class Ladder(NamedTuple):
    """Measured and predicted moments of a layer's units, for replicates of the jackknife.

    The first replicate has all sequences.  Each other replicate omits one group.
    """

    measured: Float[Array, "replicates quantities units"]
    predicted: Float[Array, "replicates rungs quantities units"]
    kept: Float[Array, "replicates units"]


@eqx.filter_jit
def _ladder(
    layer: Layer,
    drawn: Layer | None,
    sample: Sample,
    weights: Float[Array, "replicates num"],
) -> Ladder:
    u, picked, present = sample.u, sample.picked, sample.present
    squares = lax.map(lambda one: _squares(layer, *one), (u, sample.lengths))
    normal = _normal(layer, drawn, sample)
    every = _expect(layer, picked.reshape(-1, u.shape[2]), present.reshape(-1))

    def replicate(left: tuple[Array, Array, Array]):
        w, out, is_out = left
        valid, reads = _weights(sample, w)
        count = jnp.stack([valid.sum(), w.sum()])
        measured = jnp.einsum("n,nqu->qu", w, squares) / count[:, None]
        number = present.sum() - is_out.sum()
        mean = jax.tree.map(
            lambda all_, some: (all_ - some) / number,
            every,
            _expect(layer, out, is_out),
        )
        now = jnp.maximum(valid.sum(0), jnp.finfo(valid.dtype).tiny)
        memoryless, _ = _memoryless(layer, u, valid / now[None])
        stationary, carried = _stationary(mean, u.shape[1])
        rungs = jnp.concatenate([jnp.stack([memoryless, stationary]), normal])
        kept = carried[-1] / stationary[-1]
        return Ladder(measured, jnp.einsum("qt,rtu->rqu", reads, rungs), kept)

    none = jnp.zeros_like(present[:1])
    out = jnp.concatenate([picked[:1], picked]), jnp.concatenate([none, present])
    return lax.map(replicate, (weights, *out))


# --- the audit ------------------------------------------------------------------------


def audit_gated(
    layers: Sequence[Layer],
    u: Float[np.ndarray, "depth num time width"],
    lengths: Int[np.ndarray, " num"],
    groups: Int[np.ndarray, " num"],
    drawn: Sequence[Layer] | None = None,
) -> xr.Dataset:
    """Measure and predict the second moment of every unit of every layer's state.

    A unit is a column of a head's state.  The standard error of a ratio comes from a
    jackknife over groups of sequences.  It does not contain the errors of the normal
    inputs: of the measured mean and covariance, and of the 4096 points of the normal
    distribution.  If there are more than 16 384 inputs, the assumption *stationary* uses a
    random sample.  Units without memory have no ratio.

    The work grows as the fourth power of the size of a key.  Three layers with four heads
    and keys of 32 entries take two minutes on one core.

    Args:
        layers: Layers; those for which ``is_input_gated`` is False have NaN results.
        u: Inputs of every layer.
        lengths: Number of valid steps of each sequence.
        groups: Group index of each sequence, from zero; there are two or more groups.
        drawn: Layers before training.  Without them, the assumption *as drawn* has NaN.

    Returns:
        A data set in which ``mode`` is a unit.  ``measured`` has the dimensions
        ``recurrence``, ``quantity`` and ``mode``.  ``predicted`` also has the dimension
        ``rung``.  ``ratio`` is predicted over measured, and ``ratio_sem`` its standard
        error.  ``kept`` is the share of a moment that the last step carried over.
        ``note`` is the reason why a layer has no prediction, or an empty text.
    """
    rows, notes = [], []
    for index, layer in enumerate(layers):
        note = _note(layer)
        notes.append(note)
        before = None if drawn is None else drawn[index]
        rows.append({} if note else _result(layer, before, u[index], lengths, groups))
    return _dataset(rows, notes)


def _note(layer: Layer) -> str:
    if not is_input_gated(layer):
        return "no closed form: not linear"
    with double_precision(True):
        _, _, keys = _shape(layer)
    if keys > MOST_KEYS:
        return f"no closed form: {keys} entries of a key, of {MOST_KEYS} at most"
    return ""


def _result(
    layer: Layer,
    drawn: Layer | None,
    u: Float[np.ndarray, "num time width"],
    lengths: Int[np.ndarray, " num"],
    groups: Int[np.ndarray, " num"],
) -> dict[str, np.ndarray]:
    leaving = groups[None] != np.arange(groups.max() + 1)[:, None]
    weights = np.concatenate([np.ones((1, len(groups))), leaving])
    with double_precision(True):
        mine, before = doubled(layer), None if drawn is None else doubled(drawn)
        found = _ladder(mine, before, _sample(u, lengths, groups), jnp.asarray(weights))
    measured, predicted, kept = (np.asarray(array) for array in found)
    missing = np.full((predicted.shape[0], 1, *predicted.shape[2:]), np.nan)
    if drawn is None:
        predicted = np.concatenate([predicted, missing], 1)
    ratios = ratio(
        predicted, np.broadcast_to(measured[:, None], predicted.shape).copy()
    )
    ratios[..., kept[0] <= 0] = np.nan
    replicates = ratios[1:]
    spread = len(replicates) - 1
    sem = np.sqrt(spread * replicates.var(0))
    return {
        "measured": measured[0],
        "predicted": predicted[0].swapaxes(0, 1),
        "ratio": ratios[0].swapaxes(0, 1),
        "ratio_sem": sem.swapaxes(0, 1),
        "kept": kept[0],
    }


def _sample(
    u: Float[np.ndarray, "num time width"],
    lengths: Int[np.ndarray, " num"],
    groups: Int[np.ndarray, " num"],
) -> Sample:
    """Return inputs in double precision, a sample of the valid ones, and normal points."""
    draw = np.random.default_rng(0)
    valid = np.flatnonzero(np.arange(u.shape[1])[None] < lengths[:, None])
    sequence, step = np.divmod(draw.permutation(valid)[:PICKED], u.shape[1])
    counts = np.bincount(groups[sequence], minlength=groups.max() + 1)
    present = np.arange(counts.max())[None] < counts[:, None]
    picked = np.zeros((*present.shape, u.shape[2]))
    order = np.argsort(groups[sequence], kind="stable")
    picked[present] = u[sequence[order], step[order]]
    z = normal_points(u.shape[2], POINTS, draw)
    z = np.concatenate([z, -z])
    held = u.astype(float), lengths, picked, present.astype(float), z
    return Sample(*map(jnp.asarray, held))


DIMENSIONS: dict[str, tuple[str, ...]] = {
    "measured": ("quantity", "mode"),
    "predicted": ("quantity", "rung", "mode"),
    "ratio": ("quantity", "rung", "mode"),
    "ratio_sem": ("quantity", "rung", "mode"),
    "kept": ("mode",),
}


def _dataset(rows: list[dict[str, np.ndarray]], notes: list[str]) -> xr.Dataset:
    units = max((len(row["kept"]) for row in rows if row), default=0)
    sizes = {"quantity": len(GATED_QUANTITIES), "rung": len(GATED_RUNGS), "mode": units}
    variables: dict[str, Any] = {"note": ("recurrence", notes)}
    for name, dims in DIMENSIONS.items():
        missing = np.full([sizes[dim] for dim in dims], np.nan)
        values = np.stack([row.get(name, missing) for row in rows])
        variables[name] = (("recurrence", *dims), values)
    for name in ("lam_re", "lam_im"):  # gates have no fixed eigenvalues
        variables[name] = (
            ("recurrence", "mode"),
            np.full((len(rows), units), np.nan),
        )
    coordinates = {
        "recurrence": [f"block {number}" for number in range(1, 1 + len(rows))],
        "quantity": list(GATED_QUANTITIES),
        "rung": list(GATED_RUNGS),
    }
    return xr.Dataset(variables, coordinates)
