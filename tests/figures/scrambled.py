"""Results in which no two curves agree, so that a drawing tells them apart.

Real ones hold the same number by several routes.  Here every number is moved by a factor
of its own; names, dimensions and coordinates are the real ones.
"""

import json

import numpy as np
import xarray as xr

from sigprop.experiments import store

COARSE = {
    "angle_descent": {"row": slice(None, None, 10), "column": slice(None, None, 10)},
    "power_descent": {"first": slice(None, None, 8), "second": slice(None, None, 8)},
    "similarity": {"radius": slice(None, None, 9), "turn": slice(None, None, 30)},
    "basins": {"teacher": slice(3), "chart": slice(3)},
    "network_landscapes": {"record": slice(None, None, 30)},
    "one_dimensional": {"real": slice(None, None, 40), "turn": slice(None, None, 40)},
}
MACHINE = {"device": "cpu: cpu", "cores": 2}
PLACES = ("column_omega_theta", "row_omega_nu", "omega", "teacher_modulus", "grid")


def scrambled(study: str) -> xr.Dataset:
    """A result of this study."""
    draws = np.random.default_rng(len(study))
    real = MADE[study]() if study in MADE else store.shipped(study)
    data = real.isel(COARSE.get(study, {})).copy(deep=True)
    for name, values in data.data_vars.items():
        if values.dtype.kind in "fc" and name not in PLACES:
            data[name] = values * draws.uniform(0.8, 1.25, values.shape)
    return data


def _table(
    variables: dict[str, tuple[str, ...]], coords: dict, **attributes
) -> xr.Dataset:
    """Positive numbers for every variable, of the coordinates' sizes."""
    draws = np.random.default_rng(0)
    sizes = {name: len(values) for name, values in coords.items()}
    return xr.Dataset(
        {
            name: (dims, draws.uniform(1, 2, [sizes[dim] for dim in dims]))
            for name, dims in variables.items()
        },
        {name: (name, list(values)) for name, values in coords.items()},
        attributes,
    )


def curse_of_memory() -> xr.Dataset:
    """As ``sigprop.experiments.curse_of_memory`` makes it."""
    curve, point = (("quantity", "rho", gap) for gap in ("gap", "simulated_gap"))
    points = ("exact", "simulated", "sem", "controlled", "controlled_sem")
    return _table(
        dict.fromkeys(("theory", "controlled_theory"), curve)
        | dict.fromkeys(points, point),
        {
            "quantity": ("state", "sensitivity"),
            "rho": (0.0, 0.9, 1.0),
            "gap": np.geomspace(1, 1e-4, 11),
            "simulated_gap": (0.9, 0.3, 0.1),
        },
    ).assign_coords(draws=("simulated_gap", [500, 500, 40]))


def ring_gain() -> xr.Dataset:
    """As ``sigprop.experiments.ring_gain`` makes it."""
    return _table(
        {
            "theory": ("inner", "gap"),
            "exact": ("inner", "simulated_gap"),
            "measured": ("input", "inner", "simulated_gap", "run"),
        },
        {
            "inner": (0.0, 0.9),
            "gap": np.geomspace(0.09, 0.05, 11),
            "simulated_gap": (0.09, 0.05),
            "input": ("white", "constant"),
            "run": range(24),
        },
    )


def ring_eigenvalues() -> xr.Dataset:
    """As ``sigprop.experiments.ring_eigenvalues`` makes it."""
    variables = {
        "matrix_fraction": ("size", "radius"),
        "circular_law": ("radius",),
        "ring_fraction": ("ring", "radius"),
        "ring_law": ("ring", "radius"),
        "matrix_phase_fraction": ("size", "phase"),
        "matrix_phase_law": ("size", "phase"),
        "ring_phase_fraction": ("ring", "angle"),
        "ring_phase_law": ("ring", "angle"),
    }
    sizes = {"size": (20, 60), "ring": range(3), "index": range(60), "draw": range(30)}
    plane = {
        "matrix_eigenvalue": ("size", "index"),
        "ring_eigenvalue": ("ring", "draw"),
    }
    coords = {
        **sizes,
        "radius": np.linspace(0, 1.25, 26),
        "phase": np.linspace(0, np.pi, 21),
        "angle": np.linspace(0, 2 * np.pi, 31),
    }
    data = _table(variables, coords, band=0.08)
    real, other = (_table(plane, sizes) for _ in range(2))
    other = other.map(lambda values: values[..., ::-1])
    data = data.merge(0.4 * real - 0.3j * other).assign_attrs(band=0.08)
    for name in variables:
        data[name] = data[name] / 3
    index = data["index"] < xr.DataArray([20, 60], dims="size")
    data["matrix_eigenvalue"] = data["matrix_eigenvalue"].where(index)
    return data.drop_vars(["ring", "index", "draw"]).assign_coords(
        matrices=("size", [10, 4]),
        inner=("ring", [0.0, 0.5, 0.9]),
        outer=("ring", [1.0, 0.9, 0.999]),
        max_phase=("ring", [2 * np.pi, np.pi, np.pi / 10]),
    )


def network_curvature() -> xr.Dataset:
    """As ``sigprop.experiments.network_curvature`` makes it."""
    rank = ("network", "end", "rank")
    counts, shares = ("network", "end", "threshold"), ("network", "group")
    data = _table(
        dict.fromkeys(("extreme", "extreme_residual", "participation"), rank)
        | dict.fromkeys(("count", "count_sem"), counts)
        | dict.fromkeys(("share", "share_sem"), shares),
        {
            "network": ("LRU", "BLUR", "tanh"),
            "end": ("largest", "smallest"),
            "rank": range(3),
            "group": ("recurrent", "input", "readout", "other"),
            "threshold": np.geomspace(1e-3, 1e3, 121),
        },
    )
    data["parameters"] = "network", [1_000_000, 1_600_000, 900_000]
    data.attrs["config"] = json.dumps(
        {
            "batch": 16,
            "batches": 2,
            "extremes": 3,
            "probes": 8,
            "products": 48,
            "states": 192,
            "steps": 64,
        }
    )
    sign = xr.DataArray([1, -1], dims="end")
    fall = np.exp(-2 * data["threshold"])
    data["extreme"] = data["extreme"] * sign
    data["extreme_residual"] = data["extreme_residual"] / 2
    data["count"], data["count_sem"] = (
        20 * data["count"] * fall,
        data["count_sem"] * fall,
    )
    data["share"], data["share_sem"] = data["share"] / 3, data["share_sem"] / 8
    return data


def speed_moments() -> xr.Dataset:
    """As ``sigprop.experiments.speed_moments`` makes it."""
    ways = ("kernel", "streaming", "associative", "one_by_one")
    return _table(
        {"seconds": ("way", "repeat")},
        {"way": ways, "repeat": range(5)},
        neurons=256,
        sequences=64,
        length=2048,
        **MACHINE,
    )


def speed_layers() -> xr.Dataset:
    """As ``sigprop.experiments.speed_layers`` makes it."""
    return _table(
        {"seconds": ("way", "length", "repeat")},
        {
            "way": ("engine", "usual", "scan"),
            "length": (256, 512, 1024),
            "repeat": range(5),
        },
        **MACHINE,
    )


def speed_sizes() -> xr.Dataset:
    """As ``sigprop.experiments.speed_sizes`` makes it."""
    costs, powers = ("task", "axis", "place"), ("task", "axis")
    data = _table(
        dict.fromkeys(("seconds", "memory"), costs)
        | dict.fromkeys(("seconds_power", "memory_power"), powers),
        {
            "task": ("moments", "layer", "loss", "Hessian"),
            "axis": ("neurons", "length"),
            "place": range(4),
        },
        **MACHINE,
    )
    sizes = [[16, 32, 64, 128], [256, 512, 1024, 2048]]
    return data.assign(size=(("axis", "place"), np.array(sizes, float)))


def forecast_speed() -> xr.Dataset:
    """As ``sigprop.experiments.forecast_speed`` makes it."""
    return _table(
        {
            "seconds": ("model", "horizon", "repeat"),
            "memory": ("model", "horizon"),
            "power": ("model", "end"),
            "step_seconds": ("trained", "task", "repeat"),
            "step_memory": ("trained", "task"),
            "steps": ("task",),
        },
        {
            "model": ("lru", "blur", "gru", "lstm"),
            "horizon": (24, 168, 720),
            "end": ("low", "middle", "high"),
            "trained": ("lru", "blur", "s4", "gru"),
            "task": ("forecast", "image"),
            "repeat": range(5),
        },
        depth=4,
        width=256,
        states=128,
        windows=16,
        batch=15,
        images=3,
        pixels=1024,
        training_horizon=168,
        **MACHINE,
    )


def gpu_check() -> xr.Dataset:
    """As ``sigprop.experiments.gpu_check`` makes it."""
    data = _table(
        {
            "limit": ("limited", "repeat"),
            "apart": ("precision", "spectrum"),
            "draws_apart": ("precision",),
            "allowed": ("precision",),
            "score": ("moment", "neuron"),
            "rate": ("route", "repeat"),
            "scan_seconds": ("way", "pass", "repeat"),
            "step_seconds": ("model", "repeat"),
            "hessian_seconds": ("repeat",),
            "claims": ("count",),
        },
        {
            "limited": ("copied_bytes", "multiply_adds"),
            "precision": ("float32", "float64"),
            "spectrum": ("real", "complex"),
            "moment": ("state", "sensitivity"),
            "neuron": range(8),
            "route": ("kernel", "scan"),
            "way": ("engine", "associative"),
            "pass": ("forward", "backward"),
            "model": ("LRU", "RotRNN", "BLUR"),
            "count": ("judged", "as expected"),
            "repeat": range(5),
        },
        checked="NVIDIA H100",
        platform="gpu",
        scan_length=16384,
        task_length=2048,
        task_batch=32,
        hidden=256,
        **MACHINE,
    )
    scales = {"apart": 1e-7, "draws_apart": 1e-16, "allowed": 1e-5}
    scales |= {"limit": 1e13, "rate": 1e11, "scan_seconds": 1e-3, "step_seconds": 0.1}
    return data.assign({name: scale * data[name] for name, scale in scales.items()})


MADE = {
    function.__name__: function
    for function in (
        curse_of_memory,
        ring_gain,
        ring_eigenvalues,
        network_curvature,
        speed_moments,
        speed_layers,
        speed_sizes,
        forecast_speed,
        gpu_check,
    )
}
