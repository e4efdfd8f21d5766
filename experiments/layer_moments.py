"""Moments of single layers at full size, measured and in closed form.

The moments are ``E|h|^2``, ``E|y|^2`` and ``E|d(v . y)/dtheta|^2`` of each parameter group,
at the last step, or at the middle step of a bidirectional layer.  Each sequence has one error
``v`` of unit covariance.  Layers run in single precision.  Closed forms are evaluated in
double precision at the same parameters.

The number of sequences is fixed before the run.  It follows from the relative variances of
``|h|^2`` and ``|y|^2``, which the covariances of states and outputs give exactly for Gaussian
inputs.  A sum over many channels varies little.  Recordings are not Gaussian, so there is no
verdict on a recording that varies more than planned.

Gated layers have no closed form for inputs of this size.  Gradients have none if the tangents
of all parameters take too much memory.  These moments are measured only.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2, for ``sigprop.linear.predicted_moments``.
"""

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Complex, PRNGKeyArray
from rich.console import Console
from rich.table import Table
from scipy.linalg import block_diag

from sigprop.evidence.sigprop.moments import chirp
from sigprop.experiments.command import main
from sigprop.inputs import AR1, Constant, White
from sigprop.judge.verdict import Plan, Verdict, judge, plan
from sigprop.layers.base import Layer, count_parameters, parameters, replace
from sigprop.layers.blur import blur
from sigprop.layers.dense import linear_rnn
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4 import s4
from sigprop.layers.s5 import s5
from sigprop.linear.linearise import Modes, Perturbed, diagonalise, linearise, perturb
from sigprop.linear.measured_moments import by_group, measure, position
from sigprop.linear.predicted_moments import Products, predict, products
from sigprop.numerics.devices import cores
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "layer_moments", 1
RING = (0.9, 0.999)  # moduli in the LRU's paper for images and Pathfinder
NU0, PHASES, TIMES = 0.9, 3.0, (2.0, 100.0)  # moduli, phases, gates' time constants
JUDGED = ("state", "output")
GROUPS = ("recurrent", "input", "readout")
TANGENTS = 2**26  # bytes; gradients are predicted if tangents need no more
MOST = 512  # sequences in a batch; larger batches are not faster


@dataclass(frozen=True)
class Config:
    """Sizes of the layers and of the sample.

    ``states`` is the number of complex states in the LRU, S4 and each direction of BLUR.  S5
    counts complex states and their conjugates.  All other layers count real states.
    Verdicts are within ``margin`` and use at least ``fewest`` sequences, which also give the
    spread.  States in memory have at most ``memory`` bytes.  ``period`` is the period of the
    recording.
    """

    layers: tuple[str, ...] = ("LRU", "BLUR", "RotRNN", "S4", "S5", "dense", "GRU")
    states: int = 64
    width: int = 32
    heads: int = 8
    steps: int = 1024
    margin: float = 0.1
    fewest: int = 512
    memory: int = 2**27
    period: int = 509
    seed: int = 0


FOCUS = ("LRU", "BLUR", "RotRNN")
SMOKE = Config(layers=FOCUS, states=4, width=3, heads=2, steps=24, margin=0.2)
QUICK = Config()
PAPER = Config(
    layers=FOCUS,
    states=256,
    width=128,
    heads=32,
    steps=16_384,
    memory=2**29,
    period=20_011,
)

LAYERS: dict[str, Callable[[PRNGKeyArray, Config], Layer]] = {
    "LRU": lambda key, c: lru(c.states, c.width, key=key, r_min=RING[0], r_max=RING[1]),
    "BLUR": lambda key, c: blur(
        c.states, c.width, key=key, r_min=RING[0], r_max=RING[1]
    ),
    "RotRNN": lambda key, c: rotrnn(c.states, c.width, key=key, heads=c.heads),
    "S4": lambda key, c: s4(c.states, c.width, key=key, nu0=NU0, theta0=PHASES),
    "S5": lambda key, c: s5(c.states, c.width, key=key),
    "dense": lambda key, c: linear_rnn(
        c.states, c.width, key=key, nu0=NU0, theta0=PHASES
    ),
    "GRU": lambda key, c: gru(c.states, c.width, key=key, times=TIMES),
}


def inputs(config: Config) -> dict[str, Any]:
    """Return the processes of the input channels, all with variance one."""
    return {
        "white": White(),
        "rho=0.9": AR1(0.9),
        "constant": Constant(),
        "recording": chirp(config.period),
    }


class Expected(NamedTuple):
    """Moments of a layer for an input in closed form, and variances over sequences.

    ``variances`` are ``Var(s)/E[s]^2`` of ``s = |h|^2`` and ``s = |y|^2``.
    """

    moments: Mapping[str, float]
    variances: tuple[float, float]


UNKNOWN = Expected({}, (math.nan, math.nan))


def known(layer: Layer) -> Perturbed:
    """Return a linear layer's modes in double precision, with tangents if they are small."""
    values = {name: np.asarray(x, float) for name, x in parameters(layer).items()}
    with double_precision(True):
        wide = replace(layer, {name: jnp.asarray(x) for name, x in values.items()})
        entries = count_parameters(layer) * layer.state_size * math.prod(layer.widths)
        if 16 * entries <= TANGENTS:
            return perturb(wide)
        modes = tuple(diagonalise(linearise(half)) for half in wide.halves())
        return Perturbed(modes, {})


def expect(layer: Layer, perturbed: Perturbed, process: Any, steps: int) -> Expected:
    """Return a layer's moments in closed form, and their variances over sequences."""
    index, covariance = position(layer, steps), process.autocovariance(np.arange(steps))
    moments = by_group(layer, predict(perturbed, covariance, steps, index))
    counts = (index + 1, steps - index)[: len(perturbed.modes)]
    eigenvalues = [modes.lam for modes in perturbed.modes]
    met = products(eigenvalues, counts, covariance, orders=(0,))
    return Expected(moments, relative_variances(perturbed.modes, met))


def relative_variances(modes: tuple[Modes, ...], met: Products) -> tuple[float, float]:
    """Return ``Var(s)/E[s]^2`` of ``s = |h|^2`` and ``s = |y|^2`` for Gaussian inputs.

    ``Var|h|^2`` is the sum of the squared entries of ``E[h h^H]`` and of ``E[h h^T]``.  For
    real outputs, both matrices are equal.

    Source: Isserlis (1918), for products of four Gaussian numbers.
    """
    hermitian, plain = _joint(modes, met, True), _joint(modes, met, False)
    outward = np.concatenate([half.outward for half in modes], 1)
    present = [
        sums[0][:, None] * half.inward
        for sums, half in zip(met.present, modes, strict=True)
    ]
    skip = modes[0].skip
    cross = np.real(outward @ np.concatenate(present)) @ skip.T
    summed = outward @ (hermitian @ outward.conj().T + plain @ outward.T)
    outputs = np.real(summed) / 2 + cross + cross.T + met.input * skip @ skip.T
    vectors = np.asarray(block_diag(*(half.vectors for half in modes)))
    hermitian = vectors @ hermitian @ vectors.conj().T
    plain = vectors @ plain @ vectors.T

    def power(matrix: np.ndarray) -> float:
        return float((np.abs(matrix) ** 2).sum())

    state = (power(hermitian) + power(plain)) / np.trace(hermitian).real ** 2
    return float(state), 2 * power(outputs) / float(np.trace(outputs)) ** 2


def _joint(
    modes: tuple[Modes, ...], met: Products, conjugate: bool
) -> Complex[np.ndarray, "n n"]:
    """Return ``E[z z^H]`` or ``E[z z^T]`` of the modes of all halves."""
    turn = np.conj if conjugate else np.asarray

    def block(a: int, b: int) -> Complex[np.ndarray, "n m"]:
        if a > b:
            return turn(block(b, a).T)
        shared = modes[a].inward @ turn(modes[b].inward).T
        return met.pairs[a, b, 0, 0, conjugate] * shared

    halves = range(len(modes))
    return np.block([[block(a, b) for b in halves] for a in halves])


def batch_size(layer: Layer, config: Config) -> int:
    """Return the number of sequences whose complex states fit into the memory."""
    return max(1, min(MOST, config.memory // (8 * config.steps * layer.state_size)))


def sequences(variances: tuple[float, ...], config: Config, batch: int) -> int:
    """Return the number of sequences that decide every moment within the margin.

    It is a multiple of the batch.  One sequence counts as ``2 / variance`` squares of a
    Gaussian number, and ``plan`` gives the number of squares.  Moments without a variance
    are not judged and need no sequences.
    """
    squares = plan(config.margin).n
    needed = [v / 2 * squares for v in variances if not math.isnan(v)]
    return batch * math.ceil(max(config.fewest, *needed, 0) / batch)


def expect_all(
    layers: list[Layer], processes: list[Any], steps: int
) -> list[list[Expected]]:
    """Return the closed forms of all linear layers for all inputs, using all cores."""
    perturbed = [known(layer) if layer.linear else None for layer in layers]

    def expected(case: tuple[Layer, Perturbed | None, Any]) -> Expected:
        layer, modes, process = case
        return UNKNOWN if modes is None else expect(layer, modes, process, steps)

    with ThreadPoolExecutor(cores()) as pool:
        return [
            list(pool.map(expected, [(layer, modes, process) for process in processes]))
            for layer, modes in zip(layers, perturbed, strict=True)
        ]


def run(config: Config) -> xr.Dataset:
    """Predict and measure every layer for every input.

    The prediction is NaN without a closed form.
    """
    processes, moments = inputs(config), (*JUDGED, *GROUPS)
    keys = jax.random.split(jax.random.key(config.seed), (len(config.layers), 2))
    layers = [
        LAYERS[name](key, config)
        for name, key in zip(config.layers, keys[:, 0], strict=True)
    ]
    expected = expect_all(layers, list(processes.values()), config.steps)
    sizes = len(layers), len(processes)
    measured, sem, predicted = np.empty((3, *sizes, len(moments)))
    variances, numbers = np.empty((*sizes, len(JUDGED))), np.empty(sizes, int)
    for i, layer in enumerate(layers):
        batch = batch_size(layer, config)
        for j, process in enumerate(processes.values()):
            closed = expected[i][j]
            variances[i, j] = closed.variances
            numbers[i, j] = sequences(closed.variances, config, batch)
            estimates = measure(
                jax.random.fold_in(keys[i, 1], j),
                layer,
                process,
                steps=config.steps,
                num=int(numbers[i, j]),
                batch=batch,
                every_output=False,
            )
            measured[i, j] = [estimates[name].mean for name in moments]
            sem[i, j] = [estimates[name].sem for name in moments]
            predicted[i, j] = [closed.moments.get(name, math.nan) for name in moments]
    dims = ("layer", "input")
    units = {"units": "sum of squares, dimensionless"}
    relative = {"units": "squares of the mean"}
    return xr.Dataset(
        {
            "measured": ((*dims, "moment"), measured, units),
            "sem": ((*dims, "moment"), sem, units),
            "predicted": ((*dims, "moment"), predicted, units),
            "variance": ((*dims, "judged"), variances, relative),
            "sequences": (dims, numbers, {"units": "sequences"}),
        },
        {
            "layer": list(config.layers),
            "input": list(processes),
            "moment": list(moments),
            "judged": list(JUDGED),
        },
        {
            "dtype": "float32",
            "margin": config.margin,
            "sizes": f"N = {config.states}, H = {config.width}, L = {config.steps}",
        },
    )


def verdict(dataset: xr.Dataset, layer: str, source: str, moment: str) -> Verdict:
    """Return the verdict on the state or output of a layer for an input.

    Raises:
        ValueError: If there is no closed form.
    """
    selection = {"layer": layer, "input": source, "moment": moment, "judged": moment}
    cell = dataset.sel(selection)
    expected, variance = float(cell["predicted"]), float(cell["variance"])
    if math.isnan(expected):
        raise ValueError(f"need a layer with a closed form, got {layer!r}")
    squares = int(2 / variance * int(cell["sequences"]))
    judged_by = Plan(squares, float(dataset.attrs["margin"]))
    return judge(float(cell["measured"]), expected, judged_by, float(cell["sem"]))


def show(dataset: xr.Dataset) -> None:
    """Print both tables."""
    console = Console()
    console.print(_judged_table(dataset))
    console.print(_gradient_table(dataset))


def _table(title: str, caption: str, names: tuple[str, ...], labels: int) -> Table:
    table = Table(title=title, caption=caption)
    for i, name in enumerate(names):
        table.add_column(name, justify="left" if i < labels else "right", no_wrap=True)
    return table


def _text(value: Any) -> str:
    return f"{float(value):.4g}"


def _ratio(row: xr.Dataset) -> str:
    """Return the ratio of measured to predicted, with its standard error."""
    if np.isnan(row["predicted"]):
        return "-"
    ratio, error = (float(row[name] / row["predicted"]) for name in ("measured", "sem"))
    return f"{ratio:.3f} ± {error:.3f}"


def _judged_table(dataset: xr.Dataset) -> Table:
    margin = dataset.attrs["margin"]
    names = ("layer", "input", "of", "drawn", "measured", "ratio", "verdict")
    table = _table(
        f"Mean squares of states and outputs, {dataset.attrs['sizes']}",
        f"ratio to the closed form, judged within {margin:.0%}; -: no closed form",
        names,
        3,
    )
    for layer in dataset["layer"].values:
        for source in dataset["input"].values:
            for moment in JUDGED:
                cell = dataset.sel(layer=layer, input=source, moment=moment)
                text = "-"
                if not np.isnan(cell["predicted"]):
                    text = str(verdict(dataset, layer, source, moment).outcome)
                count = str(int(cell["sequences"]))
                measured, ratio = _text(cell["measured"]), _ratio(cell)
                row = (layer, source, moment, count, measured, ratio, text)
                table.add_row(*map(str, row))
    return table


def _gradient_table(dataset: xr.Dataset) -> Table:
    table = _table(
        f"Mean squares of gradients, {dataset.attrs['sizes']}",
        "error: relative; ratio to the closed form; -: no closed form",
        ("layer", "input", "group", "measured", "error", "ratio"),
        3,
    )
    for layer in dataset["layer"].values:
        for source in dataset["input"].values:
            for group in GROUPS:
                cell = dataset.sel(layer=layer, input=source, moment=group)
                error = f"{float(cell['sem'] / cell['measured']):.1%}"
                measured, ratio = _text(cell["measured"]), _ratio(cell)
                row = (layer, source, group, measured, error, ratio)
                table.add_row(*map(str, row))
    return table


if __name__ == "__main__":
    main(STUDY)
