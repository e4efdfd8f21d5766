"""Gathered sweeps with made-up numbers, of any size, to see what figures do with them."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from sigprop.experiments import store

QUANTILES = (0.1, 0.5, 0.9)
SIZES = {
    "RNN": {"A": 4096, "B": 64, "C": 64, "D": 1},
    "complex diagonal": dict.fromkeys(("first", "second", "B_re", "B_im", "C_re"), 64)
    | {"C_im": 64, "D": 1},
    "LRU": dict.fromkeys(
        ("nu_log", "theta_log", "gamma_log", "B_re", "B_im", "C_re", "C_im"), 64
    )
    | {"D": 1},
    "S4": dict.fromkeys(
        ("omega_delta", "w_re", "w_im", "B_re", "B_im", "C_re", "C_im"), 64
    )
    | {"D": 1},
}
NU0 = (0.32, 0.68, 0.84, 0.92, 0.96, 0.98, 0.99)
CONDITIONS = {
    "memory_gap": (NU0, ("RNN", "LRU")),
    "starts": (NU0, ("LRU", "released LRU")),
    "ablation": (
        (0.99,),
        ("RNN", "block diagonal", "more neurons", "complex diagonal", "LRU"),
    ),
    "concentration": (
        (0.01, 10**-1.5, 0.1, 10**-0.5, 1.0),
        ("RNN", "complex diagonal", "LRU"),
    ),
    "heads": ((0.99,), ("1", "2", "4", "8", "16", "32")),
}


@dataclass(frozen=True)
class Config:
    sweep: str


def tuned(sweep: str, runs: int = 10) -> xr.Dataset:
    """Losses that grow with the condition and fall with the student."""
    conditions, students = CONDITIONS[sweep]
    draws = np.random.default_rng(0)
    shape = len(students), len(conditions), runs
    log = (
        np.linspace(1, -2, len(students))[:, None, None]
        + np.linspace(-2, 0, len(conditions))[:, None]
    )
    best = 10 ** (log + 0.3 * draws.standard_normal(shape))
    dims = ("student", "condition")
    table = xr.Dataset(
        {
            "best": ((*dims, "run"), best),
            "best_log_rate": (dims, np.full(shape[:2], -3.0)),
            "best_start": (dims, np.full(shape[:2], "0")),
            "extreme": (dims, np.zeros(shape[:2], int)),
        },
        {
            "student": list(students),
            "condition": list(conditions),
            "run": range(runs),
        },
    )
    return table.merge(curves(students, runs))


def curves(students: tuple[str, ...], runs: int) -> xr.Dataset:
    """A cell a student and seed, with effective rates that fall in the end."""
    draws = np.random.default_rng(1)
    record = 200 * np.arange(1, 51)
    spread = 10.0 ** np.array([-0.5, 0, 0.5])
    decay = 0.5 + 0.5 * np.cos(np.pi * (record - 1) / record[-1])
    level = np.repeat(10 ** np.linspace(-3.5, -2.5, len(students)), runs)
    level = level * 10 ** (0.2 * draws.standard_normal(level.size))
    rate = level[:, None, None, None] * decay[:, None, None] * spread
    cells = level.size
    return xr.Dataset(
        {
            "rate": (
                ("cell", "record", "group", "quantile"),
                np.repeat(rate, 2, axis=2) * [[1], [3]],
            ),
            "diverged": ("cell", np.full(cells, -1)),
        },
        {
            "network": ("cell", np.repeat(students, runs)),
            "log_rate": ("cell", np.full(cells, -3.0)),
            "start": ("cell", np.full(cells, "0")),
            "record": record,
            "group": ["recurrent", "other"],
            "quantile": list(QUANTILES),
        },
    )


def rates(runs: int = 10) -> xr.Dataset:
    """Effective rates of every parameter, of the paper's sizes."""
    draws = np.random.default_rng(2)
    names = [
        (network, parameter)
        for network, sizes in SIZES.items()
        for parameter, size in sizes.items()
        for _ in range(size)
    ]
    networks, parameters = zip(*names, strict=True)
    entries = xr.Dataset(
        {"effective": ("entry", 10 ** (draws.standard_normal(len(names)) - 3))},
        {
            "entry_network": ("entry", list(networks)),
            "entry_parameter": ("entry", list(parameters)),
        },
    )
    table = curves(tuple(SIZES), runs)
    table["rate"] = table["rate"].isel(record=0) + 0 * table["rate"]
    return entries.merge(table)


def keep(sweep: str, table: xr.Dataset, preset: str = "paper", complete: int = 1):
    """Store a made-up result where figures look for it."""
    about = {"preset": preset, "complete": complete, "details": 0}
    return store.save(sweep, 1, Config(sweep), table, **about)
