"""Audit of a trained forecaster on windows of its series.

The audit tests the assumptions of the theory on the signals, each with an interval.  It
measures and predicts state power at each position in the window.  It also measures the
loss when the states of two directions are merged.  ``sigprop.audit.network`` has the
moments of every mode.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from sigprop.audit import assumptions, merging, positions
from sigprop.audit.network import modes
from sigprop.audit.windows import Block
from sigprop.networks import Network
from sigprop.networks.probing import watch
from sigprop.numerics.arguments import require_count

LONGEST_SEASON = 10**6  # steps; memory holds a mean for each
ENDS = ("low", "middle", "high")
NETWORK_INPUT = "input of the network"


@eqx.filter_jit
def _inputs(
    network: Network, state: eqx.nn.State, u: Float[Any, "num time d"]
) -> Float[Array, "depth num time width"]:
    return jax.vmap(lambda sequence: watch(network, state, sequence)[1], out_axes=1)(u)


def audit_forecaster(
    network: Network,
    state: eqx.nn.State,
    blocks: list[Block],
    season: int,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> xr.Dataset:
    """Test the theory's assumptions and predictions for a forecaster on real windows.

    In the result, the dimension ``end`` has the lower end, the estimate and the upper
    end of a 95 % interval.  The dimension ``rung`` has the names of assumptions; the
    prediction under an assumption also makes all assumptions listed before it.  The
    dimension ``recurrence`` omits layers without a closed form, and ``merge`` has only
    bidirectional layers.

    Args:
        network: Trained network; it is evaluated in inference mode.
        state: Running averages of the network's batch normalisations.
        blocks: Blocks of windows, from ``sigprop.audit.blocks_of``.
        season: Number of steps of a season of the series, such as 52 for the year in
            weekly data.
        progress: Function that is called after each block with the number of finished
            blocks and the number of all blocks.  Default: does nothing.

    Returns:
        A data set with the following variables.  ``number`` is a statistic that tests
        an assumption, with the dimensions ``end``, ``signal`` and ``assumption``.
        ``assumed`` is the value of this statistic if the assumption is true.
        ``measured`` is the power ``E|z|^2`` of the state ``z``, with the dimensions
        ``end``, ``recurrence`` and ``position`` in the window.  ``predicted`` is its
        prediction for each ``rung``.  ``ratio`` is the predicted power divided by the
        measured power, with the dimensions ``end``, ``recurrence`` and ``rung``.
        ``edges`` is this ratio for the first ``rung`` in the first and in the last
        tenth of the window.  ``rank`` is the number of independent inputs of the window
        that a state contains, with the dimensions ``merge`` and ``part``.  A ``part``
        is the ``forward`` state, the ``backward`` state, the ``pair`` of both, or
        ``merged``: the output weights applied to the pair.  ``kept`` is the share of a
        part's power that the best linear map recovers from the merged state.

    Raises:
        ValueError: If ``season`` is below one, or if the steps of ``blocks`` have
            positions in the season (from 0) that are not below ``season``.

    Example:
        >>> from sigprop.audit import blocks_of
        >>> from sigprop.networks import Head, NetworkConfig, build
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=52, horizon=13)
        >>> blocks = blocks_of(task, Head(horizon=13, features=1), "test", 64)
        >>> sizes = {"inputs": 1, "outputs": 13, "width": 2, "state_size": 2, "depth": 1}
        >>> config = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> found = audit_forecaster(network, state, blocks, season=52)
        >>> found.sizes["position"], found["recurrence"].values.tolist()
        (52, ['block 1'])
    """
    season = require_count("season", season, most=LONGEST_SEASON)
    last = max(int(np.max(block.season, initial=0)) for block in blocks)
    if last >= season:
        raise ValueError(f"need season > {last}, as blocks count it, got {season=}")
    network = eqx.nn.inference_mode(network)
    rows = _halves(network)
    signals = [
        NETWORK_INPUT,
        *(f"input of block {number}" for number in range(1, 1 + len(rows))),
    ]
    sums_of: list[list[assumptions.Sums]] = [[] for _ in signals]
    run = {name: [] for halves in rows for name, *_ in halves}
    merged: list[list[merging.Sums]] = [[] for _ in rows]
    for done, block in enumerate(blocks, start=1):
        layers = np.asarray(_inputs(network, state, block.batch.inputs), np.float64)
        shown = np.asarray(block.batch.inputs, np.float64)
        for index, x in enumerate([shown, *layers]):
            sums_of[index].append(assumptions.sums(x, block.season, season))
        for index, (halves, u) in enumerate(zip(rows, layers, strict=True)):
            for name, half, turned in halves:
                run[name].append(positions.sums(half, u, turned=turned))
            if len(halves) == 2:
                merged[index].append(merging.sums((halves[0][1], halves[1][1]), u))
        progress(done, len(blocks))
    steps = blocks[0].batch.inputs.shape[1]
    dataset = xr.Dataset(
        {
            "number": (
                ("end", "signal", "assumption"),
                np.stack([assumptions.measured(sums) for sums in sums_of], 1),
            ),
            "assumed": ("assumption", list(assumptions.ASSUMPTIONS.values())),
        },
        {
            "end": list(ENDS),
            "signal": signals,
            "assumption": list(assumptions.ASSUMPTIONS),
            "position": np.arange(1, steps + 1),
        },
        {
            "layer": network.config.layer,
            "blocks": len(blocks),
            "sequences": sum(len(block.batch.inputs) for block in blocks),
            "edge": positions.EDGE,
            "season": season,
        },
    )
    dataset = dataset.merge(_profiles(rows, run), combine_attrs="no_conflicts")
    return dataset.merge(_merges(rows, merged, steps), combine_attrs="no_conflicts")


def _halves(network: Network) -> list[list[tuple[str, Any, bool]]]:
    """Return the recurrences of each block: name, modes, and True if backwards in time."""
    recurrences = []
    for number, block in enumerate(network.blocks, start=1):
        try:
            halves = modes(block.layer) if block.layer.linear else []
        except ValueError:  # not diagonalisable; the audit of moments reports it
            halves = []
        names = ("",) if len(halves) < 2 else (" forward", " backward")
        named = zip(names, halves, (False, True), strict=False)
        recurrences.append([(f"block {number}{name}", *rest) for name, *rest in named])
    return recurrences


def _profiles(rows: list[Any], run: dict[str, Any]) -> xr.Dataset:
    profiles = [
        positions.profile(half, run[name], turned=turned)
        for halves in rows
        for name, half, turned in halves
    ]
    if not profiles:
        return xr.Dataset()
    where = {
        "measured": ("end", "recurrence", "position"),
        "predicted": ("recurrence", "rung", "position"),
        "ratio": ("end", "recurrence", "rung"),
        "edges": ("end", "recurrence", "edge"),
    }
    values = {
        name: (
            dims,
            np.stack(
                [getattr(profile, name) for profile in profiles],
                dims.index("recurrence"),
            ),
        )
        for name, dims in where.items()
    }
    return xr.Dataset(
        values,
        {
            "recurrence": list(run),
            "rung": list(positions.RUNGS),
            "edge": ["start", "end"],
        },
    )


def _merges(rows: list[Any], merged: list[Any], steps: int) -> xr.Dataset:
    both = {
        f"block {number}": ((halves[0][1], halves[1][1]), parts)
        for number, (halves, parts) in enumerate(
            zip(rows, merged, strict=True), start=1
        )
        if parts
    }
    if not both:
        return xr.Dataset()
    share = np.full((len(ENDS), len(both), len(merging.PARTS)), np.nan)
    rank = np.zeros((len(both), len(merging.PARTS)), int)
    for index, (halves, parts) in enumerate(both.values()):
        share[:, index, :-1] = merging.retained_share(halves, parts)
        rank[index] = list(merging.ranks(halves, steps, steps // 2).values())
    halves = next(iter(both.values()))[0]
    return xr.Dataset(
        {
            "kept": (("end", "merge", "part"), share),
            "rank": (("merge", "part"), rank),
        },
        {"merge": list(both), "part": list(merging.PARTS)},
        {"numbers": 4 * len(halves[0].lam), "width": len(halves[0].outward)},
    )
