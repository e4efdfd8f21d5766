"""Second moments of a trained network on its real inputs, measured and predicted.

The audit treats every mode of every recurrence of a network.  It measures second moments
of the state ``z``, the sensitivity ``dz/dlam``, the backward error ``dL/dz`` and the
gradient ``dL/dlam``.  It predicts them under more and more assumptions, called rungs.  The
first assumption whose prediction differs from the measurement explains why theory fails.

``L`` is the cross-entropy of one example, or the mean squared error if labels are real
numbers.  The two halves of a bidirectional layer are treated separately.  Complex
derivatives follow JAX, ``d/dRe - i d/dIm``.  JAX compiles once for batches of one shape.

Layers whose gates depend only on the input have no modes.  ``audit`` measures and predicts
their states, with the assumptions of ``sigprop.audit.gated_layers``.

Source: Zucchet & Orvieto (2024), Sections 2 and 5; ``sigprop.audit.moments``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from jaxtyping import Array, Bool, Float, Int, Num

from sigprop.audit.gated_layers import REPLICATES, audit_gated, is_input_gated
from sigprop.audit.moments import (
    QUANTITIES,
    RUNGS,
    Sequences,
    Signal,
    Theory,
    alive,
    pairs,
    power,
    predict_gradient,
    predict_gradients,
    ratio,
    sequences_of,
    signal,
    standard_error,
    sum_batch,
    theory,
)
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.rotrnn import RotRNN
from sigprop.linear.linearise import Modes, System, diagonalise, linearise
from sigprop.networks import Network, TwoTowers
from sigprop.networks.masking import reverse_valid
from sigprop.networks.network import require_sequence, require_values
from sigprop.networks.probing import watch
from sigprop.networks.retrieval import compare
from sigprop.numerics.precision import double_precision
from sigprop.tasks.examples import Batch, Examples, evaluation_batches

GROUPS = 16  # parts of a single batch, for standard errors
NONLINEAR = "no closed form: not linear"
Trained = Network | TwoTowers


# --- signals of every layer ----------------------------------------------------------


@eqx.filter_jit
def signals(
    network: Trained,
    state: eqx.nn.State,
    u: Num[Array | np.ndarray, "batch *sequence"],
    lengths: Int[Array | np.ndarray, "batch *pair"],
    labels: Num[Array | np.ndarray, "batch *answer"],
) -> tuple[Float[Array, "depth num time width"], Float[Array, "depth num time width"]]:
    """Return the inputs of every layer, and the gradient ``dL/dy`` of its outputs.

    Both are zero in the padding.  The two sequences of a pair are consecutive.

    Args:
        network: Network in inference mode.
        state: Running averages of the network's batch normalisations.
        u: Input sequences, or pairs of them.
        lengths: Number of valid steps of each sequence.
        labels: Class or numbers of each example.
    """
    tower = network.tower if isinstance(network, TwoTowers) else network
    if isinstance(network, Network):
        u, lengths = u[:, None], lengths[:, None]
    shape = u.shape[1], len(tower.blocks), u.shape[2], tower.config.width
    zero = jnp.zeros(shape, tower.encoder.weight.dtype)

    def per_example(u, lengths, label):
        def loss(moved):
            watched = [
                watch(tower, state, *x) for x in zip(u, lengths, moved, strict=True)
            ]
            features, inputs = zip(*watched, strict=True)
            if isinstance(network, TwoTowers):
                scores = network.head(compare(*features))
            else:
                assert network.decoder is not None
                scores = network.decoder(features[0])
            return _cost(scores, label), jnp.stack(inputs)

        return jax.grad(loss, has_aux=True)(zero)

    errors, inputs = jax.vmap(per_example)(u, lengths, labels)
    return _by_depth(inputs), _by_depth(errors)


def _cost(scores: Float[Array, " outputs"], label: Num[Array, "*answer"]) -> Array:
    """Return the cross-entropy for a class, or the mean squared error for numbers."""
    if jnp.issubdtype(label.dtype, jnp.floating):
        return jnp.mean((scores - label) ** 2)
    return optax.losses.softmax_cross_entropy_with_integer_labels(scores, label)


def _by_depth(x: Float[Array, "batch documents depth time width"]) -> Array:
    return jnp.moveaxis(x.reshape(-1, *x.shape[2:]), 1, 0)


def modes(layer: Layer) -> list[Modes]:
    """Return the modes of each direction of a linear layer, in double precision.

    For a RotRNN, the result has one mode of each complex conjugate pair.

    Raises:
        ValueError: If the matrix of a recurrence cannot be diagonalised.
    """
    with double_precision(True):
        values = {
            name: jnp.asarray(x, np.result_type(x.dtype, np.float64))
            for name, x in parameters(layer).items()
        }
        return [diagonalise(system) for system in _systems(replace(layer, values))]


@eqx.filter_jit
def _systems(layer: Layer) -> list[System]:
    return [
        linearise(half.diagonal() if isinstance(half, RotRNN) else half)
        for half in layer.halves()
    ]


# --- one recurrence -----------------------------------------------------------------


@jax.jit
def _in_double(
    x: Float[Array, "num time d"], lengths: Int[Array, " num"], turned: Bool[Array, ""]
) -> Float[Array, "num time d"]:
    x = x.astype(float)
    return jnp.where(turned, jax.vmap(reverse_valid)(x, lengths), x)


@dataclass
class Recurrence:
    """One direction of a layer, with measurements and predictions of each batch.

    Attributes:
        name: Name of the recurrence, such as ``block 1 forward``.
        half: Modes of the recurrence.
        turned: True if the recurrence runs backwards in time.
        known: Quantities of the theory that follow from the eigenvalues.
        paired: Number of sequences with a partner, over all batches.
        measured: Contribution of each batch to the measured moments.
        predicted: Contribution of each batch to the predicted moments.
        signals: Autocovariances of inputs and errors.
    """

    name: str
    half: Modes
    turned: bool
    known: Theory
    paired: int
    measured: list[Float[np.ndarray, "quantities n"]] = field(default_factory=list)
    predicted: list[Float[np.ndarray, "quantities rungs n"]] = field(
        default_factory=list
    )
    signals: list[Signal] = field(default_factory=list)

    def add(self, u: Any, errors: Any, common: Any, sequences: Sequences) -> None:
        """Add the measurements and predictions of a batch.

        Args:
            u: Inputs of the layer.
            errors: Gradients ``dL/dy`` of the layer's outputs.
            common: Squared spectra of inputs and errors, averaged over channels.
            sequences: Lengths and partners of the sequences.
        """
        turned = jnp.asarray(self.turned)
        u, errors = (_in_double(x, sequences.lengths, turned) for x in (u, errors))
        sums = sum_batch(self.half, u, errors, sequences)
        squares, shuffled, *spectra = map(np.asarray, sums)
        alive_counts = self.known.alive
        scale = np.array([alive_counts.sum(), alive_counts[0]] * 3 + [alive_counts[0]])
        self.measured.append(squares / scale[:, None])
        weights = self.half.inward, self.half.outward.T
        gains = [(np.abs(weight) ** 2).sum(1) for weight in weights]
        parts = list(zip(spectra, common, gains, strict=True))
        share = [signal(*part, pairs(alive_counts)) for part in parts]
        here = alive(np.asarray(sequences.lengths)[sequences.valid], len(alive_counts))
        alone = [signal(*part, pairs(here)) for part in parts]
        predicted = np.full((len(QUANTITIES), len(RUNGS), len(gains[0])), np.nan)
        predicted[:-1, 1:] = predict_gradients(self.known, *share)
        predicted[-1, 1:] = predict_gradient(self.known, *alone) * (
            here[0] / alive_counts[0]
        )
        predicted[-1, 0] = shuffled / self.paired if self.paired else np.nan
        self.predicted.append(predicted)
        if self.signals:
            share = [x.plus(y) for x, y in zip(self.signals, share, strict=True)]
        self.signals = share

    def result(self) -> dict[str, Any]:
        """Return means over all batches, and standard errors of the ratios."""
        measured, parts = np.stack(self.measured), np.stack(self.predicted)
        predicted = parts.sum(0)
        predicted[-1, 1:] = predict_gradient(self.known, *self.signals)
        alike = np.broadcast_to(measured[:, :, None], parts.shape)
        return {
            "measured": measured.sum(0),
            "predicted": predicted,
            "ratio": ratio(predicted, alike.sum(0)),
            "ratio_sem": standard_error(parts, alike),
            "lam_re": np.real(self.half.lam),
            "lam_im": np.imag(self.half.lam),
        }


# --- the audit ----------------------------------------------------------------------


def audit(
    network: Trained,
    state: eqx.nn.State,
    batches: Batch | Iterable[Batch],
    *,
    untrained: Trained | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> xr.Dataset:
    """Measure and predict second moments of a trained network's modes on real inputs.

    If layers have gates that depend only on the input, the result describes states
    instead of modes.

    A batch of ``B`` examples with ``N`` modes and ``L`` steps needs about ``160 B N L``
    bytes, plus the memory of a gradient of ``B`` examples.

    Args:
        network: Trained network; it is evaluated in inference mode.
        state: Running averages of the network's batch normalisations.
        batches: Real inputs with labels.  A label is a class, or one real number per
            output.  Standard errors are computed over batches, so use ten or more.  A
            single batch is split into at most 16 parts.
        untrained: Network of the same configuration before training.  It is needed only
            for the assumption ``as drawn`` of gated layers, under which the parameters
            have their values before training.
        progress: Function that is called after each batch with the number of finished
            batches and the number of all batches.  Default: does nothing.

    Returns:
        A data set.  ``measured`` has the dimensions ``recurrence``, ``quantity`` and
        ``mode``.  ``predicted`` also has the dimension ``rung`` (name of an
        assumption); the prediction under an assumption also makes all assumptions
        listed before it.  ``ratio`` is ``predicted`` divided by ``measured``, and
        ``ratio_sem`` its standard error.  ``lam_re`` and ``lam_im`` are the real and
        imaginary parts of the eigenvalues.  ``note`` is the reason why a recurrence has
        no closed form, or an empty text.

    Raises:
        ValueError: If the network has an output at every step or no decoder; if inputs,
            lengths or labels do not fit the network; if there are fewer than two batches
            or their shapes differ; or if ``untrained`` has another configuration.

    Example:
        >>> from sigprop.networks import NetworkConfig, build
        >>> sizes = {"inputs": 1, "outputs": 2, "width": 4, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> x = np.random.default_rng(0).normal(size=(16, 12, 1))
        >>> labels, valid = np.arange(16) % 2, np.ones(16, bool)
        >>> batch = Batch(x, np.full(16, 12), labels, valid)
        >>> found = audit(network, state, batch)
        >>> found["ratio"].sizes["mode"], found["recurrence"].values.tolist()
        (4, ['block 1'])
    """
    known = _require(network, batches)
    if untrained is not None and untrained.config != network.config:
        raise ValueError(
            "need an untrained network of the same configuration, got "
            f"{untrained.config} for {network.config}"
        )
    network = eqx.nn.inference_mode(network)
    tower = network.tower if isinstance(network, TwoTowers) else network
    sequences = [sequences_of(batch) for batch in known]
    lengths = np.concatenate([part.lengths[part.valid] for part in sequences])
    steps = known[0].inputs.shape[known[0].lengths.ndim]
    attrs = {
        "layer": tower.config.layer,
        "examples": sum(int(batch.valid.sum()) for batch in known),
        "batches": len(known),
        "mean_length": float(lengths.mean()),
    }
    layers = _layers(network)
    if any(is_input_gated(layer) for layer in layers):
        inputs = []
        for done, (batch, mine) in enumerate(zip(known, sequences, strict=True), 1):
            inputs.append(
                np.asarray(signals(network, state, *batch[:3])[0])[:, mine.valid]
            )
            progress(done, len(known))
        counts = [part.shape[1] for part in inputs]
        found = audit_gated(
            layers,
            np.concatenate(inputs, 1),
            lengths,
            np.repeat(_groups(len(counts)), counts),
            None if untrained is None else _layers(untrained),
        )
        return found.assign_attrs(attrs)
    paired = sum(int(part.paired.sum()) for part in sequences)
    blocks, notes = _recurrences(tower, alive(lengths, steps), paired)
    for done, (batch, mine) in enumerate(zip(known, sequences, strict=True), start=1):
        if any(blocks):
            _add(blocks, signals(network, state, *batch[:3]), mine)
        progress(done, len(known))
    return _dataset(blocks, notes).assign_attrs(attrs)


def _layers(network: Trained) -> list[Layer]:
    tower = network.tower if isinstance(network, TwoTowers) else network
    return [block.layer for block in tower.blocks]


def _groups(batches: int) -> Int[np.ndarray, " batches"]:
    """Return the group of each batch: at most ``REPLICATES`` groups of neighbours."""
    count = min(batches, REPLICATES)
    return np.arange(batches) * count // batches


def _recurrences(
    network: Network, alive_counts: Float[np.ndarray, " time"], paired: int
) -> tuple[list[list[Recurrence]], list[str]]:
    """Return the recurrences of each block, and the reason if a block has none."""
    blocks, notes = [], []
    for number, block in enumerate(network.blocks, start=1):
        name, halves, note = f"block {number}", [], ""
        try:
            halves = modes(block.layer) if block.layer.linear else []
        except ValueError as error:
            note = f"no closed form: {error}"
        notes.append(note if block.layer.linear else NONLINEAR)
        names = [name] if len(halves) < 2 else [f"{name} forward", f"{name} backward"]
        parts = zip(names, halves, (False, True), strict=False)
        blocks.append(
            [
                Recurrence(*part, theory(part[1].lam, alive_counts), paired)
                for part in parts
            ]
        )
    return blocks, notes


def _add(
    blocks: list[list[Recurrence]], signals: tuple[Any, Any], sequences: Sequences
) -> None:
    with double_precision(True):
        for recurrences, u, errors in zip(blocks, *signals, strict=True):
            common = [
                np.asarray(power(x.astype(float), sequences.valid)).mean(1)
                for x in (u, errors)
            ]
            for recurrence in recurrences:
                recurrence.add(u, errors, common, sequences)


DIMENSIONS: dict[str, tuple[str, ...]] = {
    "measured": ("quantity", "mode"),
    "predicted": ("quantity", "rung", "mode"),
    "ratio": ("quantity", "rung", "mode"),
    "ratio_sem": ("quantity", "rung", "mode"),
    "lam_re": ("mode",),
    "lam_im": ("mode",),
}


def _dataset(blocks: list[list[Recurrence]], notes: list[str]) -> xr.Dataset:
    results = [[half.result() for half in halves] or [{}] for halves in blocks]
    rows = [result for halves in results for result in halves]
    names = [
        half.name if half else f"block {number}"
        for number, halves in enumerate(blocks, start=1)
        for half in halves or [None]
    ]
    why = [note for note, halves in zip(notes, results, strict=True) for _ in halves]
    n = max((len(row["lam_re"]) for row in rows if row), default=0)
    sizes = {"quantity": len(QUANTITIES), "rung": len(RUNGS), "mode": n}
    variables: dict[str, Any] = {"note": ("recurrence", why)}
    for name, dims in DIMENSIONS.items():
        missing = np.full([sizes[dim] for dim in dims], np.nan)
        values = np.stack([row.get(name, missing) for row in rows])
        variables[name] = (("recurrence", *dims), values)
    coordinates = {
        "recurrence": names,
        "quantity": list(QUANTITIES),
        "rung": list(RUNGS),
    }
    return xr.Dataset(variables, coordinates)


def _require(network: Trained, batches: Batch | Iterable[Batch]) -> list[Batch]:
    """Return the batches that have examples; raise an error if they do not fit."""
    config = network.config
    silent = isinstance(network, Network) and network.decoder is None
    if config.pooling == "none" or silent:
        raise ValueError(
            "need a network with one answer a sequence, got one without a decoder or "
            f"with pooling {config.pooling!r}"
        )
    if isinstance(batches, Batch):
        examples = Examples(*(part[batches.valid] for part in batches[:3]))
        parts = evaluation_batches(examples, -(-len(examples) // GROUPS))
    else:
        parts = batches
    known = [batch for batch in parts if batch.valid.any()]
    for batch in known:
        _require_fit(network, batch)
    if len(known) < 2 or len({batch.inputs.shape[1:] for batch in known}) > 1:
        raise ValueError(
            "need two batches or more, of sequences of one padded length, for standard "
            f"errors; got {[batch.inputs.shape for batch in known]}"
        )
    return known


def _require_fit(network: Trained, batch: Batch) -> None:
    config, leading = network.config, 1 + isinstance(network, TwoTowers)
    sequence = jax.ShapeDtypeStruct(batch.inputs.shape[leading:], batch.inputs.dtype)
    require_sequence(config, sequence)
    if batch.lengths.shape != batch.inputs.shape[:leading]:
        raise ValueError(
            f"need lengths {batch.inputs.shape[:leading]}, got {batch.lengths.shape}"
        )
    require_values(config, batch.inputs, batch.lengths)
    if batch.labels.dtype.kind == "f":
        if batch.labels.shape != (len(batch.inputs), config.outputs):
            raise ValueError(
                f"need {config.outputs} numbers an example, got {batch.labels.shape}"
            )
        return
    low, high = int(batch.labels.min()), int(batch.labels.max())
    if low < 0 or high >= config.outputs:
        raise ValueError(
            f"need labels from 0 to {config.outputs - 1}, got {low} to {high}"
        )
