"""The recurrent Jacobian ``dh_t/dh_0`` of a GRU against the delay ``t``.

It is the product of the Jacobians of all steps, which are automatic derivatives of the
layer's own step, on synthetic embeddings.  With all weights zero, gates are constant and the
diagonal is ``f^t``.  With the weights as drawn, gates depend on input and state.  The
recurrent weights are then scaled until the Jacobian is not diagonal.  All diagonal entries
and some others are stored for the first sequence.  For all sequences, root mean squares are
stored, with standard errors of their logarithms.

Source: Zucchet & Orvieto (2024), Appendix D.2 and Figure 14.
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jaxtyping import Array, Float
from rich.console import Console
from rich.table import Table

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.layers.base import parameters, replace
from sigprop.layers.gru import GRU, gru
from sigprop.numerics.precision import double_precision
from sigprop.tasks.sequences import Sequences, embeddings, stand_in

STUDY, VERSION = "gru_jacobian", 1
T_MIN, T_DEFAULT = 1.0, 16.0
LATEST = (4.0, T_DEFAULT, 256.0)  # largest T; the paper states only panel C's


class Case(NamedTuple):
    """A GRU: its largest time constant, recurrent gain, and if gates depend on anything."""

    panel: str
    t_max: float
    gain: float
    sees: bool


@dataclass(frozen=True)
class Config:
    """Sizes of the layers and of the sample.

    Attributes:
        neurons: Neurons of the GRU.
        features: Features of the inputs.
        steps: Largest delay.
        sentences: Number of sequences, two or more.
        kept: Largest number of delays whose entries are stored, evenly spaced in the
            logarithm, and largest number of stored entries beside the diagonal.
        gains: Values of ``sigma_h`` in panel C.
        source: ``stand-in`` for synthetic embeddings, or the path of a ``.npy`` file.
        seed: Seed of all random numbers.
    """

    neurons: int = 64
    features: int = 192
    steps: int = 256
    sentences: int = 3
    kept: int = 64
    gains: tuple[float, ...] = (0.0, 3.0, 5.0)
    source: str = "stand-in"
    seed: int = 0


SMOKE = Config(neurons=6, features=5, steps=16, sentences=2, kept=8)
QUICK = Config()
PAPER = Config(neurons=256, features=768)


def cases(config: Config) -> dict[str, Case]:
    """Return the cases: time constants in panels A and B, recurrent gains in panel C."""
    rows = {
        f"{panel}, T <= {t_max:g}": Case(panel, t_max, 1.0, panel == "b")
        for panel in "ab"
        for t_max in LATEST
    }
    strengths = {
        f"c, sigma_h = {gain:g}": Case("c", T_DEFAULT, gain, True)
        for gain in config.gains
    }
    return rows | strengths


def draw(case: Case, config: Config) -> GRU:
    """Draw the layer of a case; all cases have the same random numbers."""
    key, sizes = jax.random.key(config.seed), (config.neurons, config.features)
    times = T_MIN, case.t_max
    layer = gru(*sizes, key=key, d_out=1, times=times, state_gain=case.gain)
    if case.sees:
        return layer
    values = {
        name: value if name == "b_f" else jnp.zeros_like(value)
        for name, value in parameters(layer).items()
    }
    return replace(layer, values)


@jax.jit
def jacobians(layer: GRU, u: Float[Array, "time features"]) -> Float[Array, "time n n"]:
    """Return ``dh_t/dh_0`` after 1, 2, ... inputs, from the zero state."""
    h = layer.initial_state()

    def advance(
        carried: tuple[Array, Array], now: Array
    ) -> tuple[tuple[Array, Array], Array]:
        h, product = carried
        step = jax.jacfwd(lambda state: layer.step(state, now)[0])(h)
        product = step @ product
        return (layer.step(h, now)[0], product), product

    return lax.scan(advance, (h, jnp.eye(h.size, dtype=h.dtype)), u)[1]


class Entries(NamedTuple):
    """Some entries of one Jacobian, and its root mean squares at every delay."""

    diagonal: Float[np.ndarray, "kept n"]
    beside: Float[np.ndarray, "kept entries"]
    sizes: Float[np.ndarray, "time two"]


def look(layer: GRU, u: Float[np.ndarray, "time features"], config: Config) -> Entries:
    """Compute a GRU's Jacobian on a sequence in double precision; return its entries."""
    with double_precision(True):
        values = {name: np.asarray(x, float) for name, x in parameters(layer).items()}
        wide = replace(layer, {name: jnp.asarray(x) for name, x in values.items()})
        J = np.asarray(jacobians(wide, jnp.asarray(u, float)))
    n = config.neurons
    on = np.eye(n, dtype=bool)
    diagonal, rest = J[:, on], J[:, ~on]
    sizes = np.sqrt(np.stack([np.mean(diagonal**2, 1), np.mean(rest**2, 1)], 1))
    some = np.random.default_rng(config.seed).choice(
        rest.shape[1], min(config.kept, rest.shape[1]), replace=False
    )
    when = delays(config) - 1
    return Entries(diagonal[when], rest[when][:, some], sizes)


def delays(config: Config) -> np.ndarray:
    """Return the delays whose entries are stored."""
    every = np.geomspace(1, config.steps, min(config.kept, config.steps))
    return np.unique(every.round().astype(int))


def sentences(config: Config) -> Sequences:
    """Return the GRU's inputs.

    Raises:
        ValueError: If a file of embeddings does not fit.
        FileNotFoundError: If the file of embeddings does not exist.
    """
    number, steps = config.sentences, config.steps
    if config.source == "stand-in":
        return stand_in(number, steps, config.features, config.seed)
    return embeddings(Path(config.source), config.features, number, steps)


def run(config: Config) -> xr.Dataset:
    """Compute the Jacobian of every case.

    Raises:
        ValueError: If there are fewer than two sequences.
    """
    if config.sentences < 2:
        raise ValueError(f"need two sentences for an error, got {config.sentences}")
    read, wanted = sentences(config), cases(config)
    tick = counter(len(wanted), "GRUs")
    rows = []
    for case in wanted.values():
        layer = draw(case, config)
        needed = range(read.number if case.sees else 1)  # constant gates ignore inputs
        looked = [look(layer, read.take(i, 1)[0], config) for i in needed]
        rows.append(looked * (read.number // len(looked)))
        tick()
    return _dataset(wanted, rows, config)


def _dataset(
    wanted: dict[str, Case], rows: list[list[Entries]], config: Config
) -> xr.Dataset:
    units = {"units": "dimensionless"}
    with np.errstate(divide="ignore"):
        logs = np.log10([[entries.sizes for entries in row] for row in rows])
    logs = np.where(np.isfinite(logs), logs, -np.inf)
    finite = np.isfinite(logs).all(1)
    error = np.zeros(finite.shape)
    error[finite] = (
        np.std(np.moveaxis(logs, 1, -1)[finite], -1, ddof=1) / config.sentences**0.5
    )
    small = functools.partial(np.asarray, dtype=np.float32)
    gates = [
        1 / (1 + np.exp(-np.asarray(draw(c, config).b_f))) for c in wanted.values()
    ]
    variables: dict[str, Any] = {
        "diagonal": (
            ("case", "kept_delay", "neuron"),
            small([row[0].diagonal for row in rows]),
            units,
        ),
        "beside": (
            ("case", "kept_delay", "entry"),
            small([row[0].beside for row in rows]),
            units,
        ),
        "gate": (("case", "neuron"), small(gates), units),
        "log_size": (("case", "delay", "where"), logs.mean(1), {"units": "decades"}),
        "log_size_sem": (("case", "delay", "where"), error, {"units": "decades"}),
    }
    coordinates = {
        "case": list(wanted),
        "panel": ("case", [case.panel for case in wanted.values()]),
        "t_max": ("case", [case.t_max for case in wanted.values()]),
        "gain": ("case", [case.gain for case in wanted.values()]),
        "delay": np.arange(config.steps) + 1,
        "kept_delay": delays(config),
        "where": ["diagonal", "beside"],
    }
    return xr.Dataset(variables, coordinates).assign_attrs(
        dtype="float64", sentences=config.sentences, neurons=config.neurons
    )


def show(dataset: xr.Dataset) -> None:
    """Print root mean squares on and beside the diagonal at some delays."""
    table = Table(title="Root mean square of dh_t/dh_0, on | beside the diagonal")
    last = int(dataset["delay"].max())
    when = sorted({1, min(16, last), min(64, last), last})
    table.add_column("GRU")
    for delay in when:
        table.add_column(f"t = {delay}", justify="right")
    for name in dataset["case"].values:
        sizes = 10 ** dataset["log_size"].sel(case=name)
        cells = [
            " | ".join(f"{float(x):.2g}" for x in sizes.sel(delay=delay))
            for delay in when
        ]
        table.add_row(str(name), *cells)
    Console().print(table)


if __name__ == "__main__":
    main(STUDY)
