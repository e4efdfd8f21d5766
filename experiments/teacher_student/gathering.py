"""Trainings of a sweep as one data set, and the tuning of every network.

For each network and condition, the learning rate and initialisation with the smallest median
of the final exact loss over seeds are kept.  A diverged run counts as infinite.  Every
network is tuned by this rule, on the seeds that are shown.

Source: Zucchet & Orvieto (2024), Appendix C.3, which tunes every method by itself and reports
training losses.
"""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from sigprop.experiments.teacher_student.cells import LOSS, RATE, Config, builder
from sigprop.experiments.teacher_student.grids import SWEEPS

VERSION = 1
CONDITIONS = {"nu0": "modulus", "theta0": "pi"}
EFFECTIVE = "effective_"  # prefix of variables with effective rates in a cell's result
DECADES = {"units": "decades"}
CURVES = ("curve", "population", "rate")


def final_loss(result: xr.Dataset) -> float:
    """Return the exact loss at the end of a training, infinite if it diverged."""
    last = float(result["population"][-1])
    return last if result.attrs["diverged"] < 0 and math.isfinite(last) else math.inf


def gather(
    sweep: str, preset: str, key: Callable[[Config], str], by_key: dict[str, xr.Dataset]
) -> xr.Dataset:
    """Gather all finished cells along one axis, and the losses of the tuned networks.

    Args:
        sweep: One of ``grids.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        key: Returns the name of a cell.
        by_key: Results of the finished cells by their names.

    Returns:
        Curves and final losses by ``cell``.  Once all cells are finished, also ``best``, the
        final losses of each tuned network by ``student``, ``condition`` and seed.  Further
        variables are its learning rate, its start, and if the rate is an end of the scan.
        Cells with details have the effective rates of the first seed's parameters instead.
        The attribute ``drawn_by`` has, in JSON, the function that draws each network.
    """
    grid = SWEEPS[sweep](preset)
    every = [(name, config) for name, cells in grid.items() for config in cells]
    rows = [row for row in every if key(row[1]) in by_key]
    results = [by_key[key(config)] for _, config in rows]
    table = _table(rows, results).assign_coords(
        key=("cell", [key(config) for _, config in rows])
    )
    if len(rows) < len(every) or sweep == "agreement":
        return table
    if rows[0][1].details:
        return table.merge(_effective(rows, results), combine_attrs="override")
    return table.merge(_tuned(table), combine_attrs="override")


def cell(table: xr.Dataset, index: int) -> xr.Dataset:
    """Extract the result of one cell from the gathered data set.

    Gathered details are the effective rates of a network's first seed, as one row for each
    parameter.  Other details are lost.
    """
    row = table.isel(cell=index)
    result = row[[*CURVES]].reset_coords(drop=True)
    if "effective" in table and row["seed"] == 0:
        entries = table.isel(
            entry=table["entry_network"].values == row["network"].item()
        )
        names = entries["entry_parameter"].values
        for name in dict.fromkeys(names.tolist()):
            rates = entries["effective"].values[names == name]
            result[f"{EFFECTIVE}{name}"] = (f"{name}_0", rates, RATE)
    return result.assign_attrs(
        dtype=table.attrs["dtype"], diverged=int(table["diverged"][index])
    )


def _table(rows: list[tuple[str, Config]], tables: list[xr.Dataset]) -> xr.Dataset:
    first = tables[0]
    return xr.Dataset(
        {
            **{
                name: (
                    ("cell", *first[name].dims),
                    np.stack([table[name] for table in tables]),
                    first[name].attrs,
                )
                for name in CURVES
            },
            "final": ("cell", [final_loss(table) for table in tables], LOSS),
            "diverged": (
                "cell",
                [table.attrs["diverged"] for table in tables],
                {"units": "step, -1 for none"},
            ),
        },
        {
            **{name: first[name] for name in ("record", "group", "quantile")},
            "network": ("cell", [name for name, _ in rows]),
            "start": ("cell", [_start(config) for _, config in rows]),
            "nu0": ("cell", [config.nu0 for _, config in rows], {"units": "modulus"}),
            "theta0": ("cell", [config.theta0 for _, config in rows], {"units": "pi"}),
            "log_rate": (
                "cell",
                [config.log_rate for _, config in rows],
                {"units": "decades"},
            ),
            "seed": ("cell", [config.seed for _, config in rows], {"units": "1"}),
        },
        {
            "dtype": first.attrs["dtype"],
            "drawn_by": json.dumps({name: builder(c.architecture) for name, c in rows}),
        },
    )


def _start(config: Config) -> str:
    return "teacher" if config.start_nu0 is None else f"{config.start_nu0:g}"


def _effective(rows: list[tuple[str, Config]], tables: list[xr.Dataset]) -> xr.Dataset:
    """Return the effective rates of all parameters of each network's first seed."""
    entries = [
        (name, str(variable).removeprefix(EFFECTIVE), rate)
        for (name, config), table in zip(rows, tables, strict=True)
        if config.seed == 0
        for variable, values in table.data_vars.items()
        if str(variable).startswith(EFFECTIVE)
        for rate in values.values.ravel().tolist()
    ]
    names, parameters, rates = zip(*entries, strict=True)
    return xr.Dataset(
        {"effective": ("entry", list(rates), RATE)},
        {
            "entry_network": ("entry", list(names)),
            "entry_parameter": ("entry", list(parameters)),
        },
    )


def _tuned(table: xr.Dataset) -> xr.Dataset:
    """Tune every network at every value of the condition with most values."""
    frame: Any = table["final"].to_dataframe()
    condition = max(CONDITIONS, key=lambda name: frame[name].nunique())
    tried = ["network", condition, "log_rate", "start"]
    medians = frame.groupby(tried)["final"].median()
    keys = list(frame.groupby(["network", condition], sort=False).groups)
    chosen = [medians.loc[key].idxmin() for key in keys]
    losses = frame.set_index(tried)["final"]
    best = [
        losses.loc[(*key, *how)].to_numpy()
        for key, how in zip(keys, chosen, strict=True)
    ]
    rates = frame.groupby("network")["log_rate"].agg(["min", "max"])
    extreme = [
        len({*rates.loc[name]}) > 1 and how[0] in set(rates.loc[name])
        for (name, _), how in zip(keys, chosen, strict=True)
    ]
    students, conditions = (
        list(dict.fromkeys(labels)) for labels in zip(*keys, strict=True)
    )
    axes = ("student", "condition")

    def spread(values: Any) -> np.ndarray:
        array = np.array(list(values))
        return array.reshape(len(students), len(conditions), *array.shape[1:])

    return xr.Dataset(
        {
            "best": ((*axes, "run"), spread(best), LOSS),
            "best_log_rate": (axes, spread(how[0] for how in chosen), DECADES),
            "best_start": (axes, spread(how[1] for how in chosen)),
            "extreme": (axes, spread(map(int, extreme)), {"units": "1 at an end"}),
        },
        {
            "student": students,
            "condition": (
                "condition",
                conditions,
                {"units": CONDITIONS[condition], "of": condition},
            ),
            "run": ("run", sorted(frame["seed"].unique()), {"units": "seed"}),
        },
    )


def findings(table: xr.Dataset) -> str:
    """List the median final loss of each tuned network at each condition, and its tuning.

    A rate at an end of the scan is marked, since a better one may lie beyond.
    """
    if "best" not in table:
        last = zip(table["network"].values, table["final"].values, strict=True)
        return "\n".join(f"{name}: loss {loss:.3g}" for name, loss in last)
    lines = []
    for student in table["student"].values:
        for condition in table["condition"].values:
            row = table.sel(student=student, condition=condition)
            losses = np.sort(row["best"].values)
            mark = ", an end of the scan" if row["extreme"] else ""
            lines.append(
                f"{student}, {table['condition'].attrs['of']} = {condition:g}: loss "
                f"{np.median(losses):.3g} ({losses[0]:.2g} to {losses[-1]:.2g}) at rate "
                f"10^{float(row['best_log_rate']):g}, start {row['best_start'].values!s}"
                f"{mark}"
            )
    return "\n".join(lines)
