"""Rows of ``sigprop.tasks``, ``sigprop.audit``, ``sigprop.advice`` and ``sigprop.testing``."""

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sigprop import White, audit, networks, tasks
from sigprop.audit import lint
from sigprop.audit.windows import blocks_of
from sigprop.theory.symbols import lam, lam_bar
from tests.arguments import KEY, Row, row, samples, valid

FOLDER = Path(tempfile.mkdtemp())


def _csv() -> Path:
    path = FOLDER / "table.csv"
    if not path.exists():
        rows = [f"2020-01-{day:02},{day % 5}.5" for day in range(1, 30)]
        path.write_text("\n".join(["date,x", *rows]))
    return path


def _forecast() -> dict[str, Any]:
    return {"task": samples.forecasts(), "windows": samples.windows()}


TASKS: dict[str, Row] = {
    "sigprop.tasks.OneDimensional": row(
        lambda: {
            "teacher": 0.5 + 0.2j,
            "normalised": True,
            "process": White(),
            "length": 5,
        },
        legal={"length: None": valid, "teacher: 0": valid},
    ),
    "sigprop.tasks.Parametrisation": row(
        lambda: {"modulus": "tanh", "angle": "plain", "detached": False}
    ),
    "sigprop.tasks.linear_teacher": row(
        lambda: {
            "key": KEY,
            "nu0": 0.5,
            "theta0": 2.0,
            "size": 3,
            "d_in": 2,
            "d_out": 1,
        },
        legal={"nu0: 0": valid},
    ),
    "sigprop.tasks.teacher_student": row(
        lambda: {"teacher": samples.teacher(), "process": White(), "length": 6},
        legal={"length: None": valid, "process: None": valid},
        wide=True,
    ),
    "sigprop.tasks.Forecasts": row(
        lambda: {
            "table": tasks.carbon_dioxide(),
            "length": 8,
            "horizon": 4,
            "univariate": None,
            "calendar": False,
            "rows": None,
        },
        unchecked="rows",
        names={"univariate": "column"},
    ),
    "sigprop.tasks.accuracy": row(
        lambda: {"scores": samples.draw(3, 4), "batch": samples.batch()},
        legal={
            f"scores: {w}": valid
            for w in ("zeros", "minus ones", "inf", "-inf", "huge")
        },
    ),
    "sigprop.tasks.carbon_dioxide": row(dict),
    "sigprop.tasks.climatology": row(_forecast),
    "sigprop.tasks.last_value": row(_forecast),
    "sigprop.tasks.season": row(_forecast),
    "sigprop.tasks.least_squares": row(lambda: {"task": samples.forecasts()}),
    "sigprop.tasks.errors": row(
        lambda: {"forecast": samples.draw(3, 4, 2), "truth": samples.draw(3, 4, 2)},
        legal={
            f"{n}: {w}": valid
            for n in ("forecast", "truth")
            for w in ("zeros", "minus ones")
        },
    ),
    "sigprop.tasks.evaluation_batches": row(
        lambda: {"examples": samples.examples(), "size": 2}
    ),
    "sigprop.tasks.load_table": row(lambda: {"data": "co2"}),
    "sigprop.tasks.load_task": row(
        lambda: {
            "name": "digits",
            "folder": None,
            "cache": FOLDER,
            "seed": 0,
            "progress": None,
        },
        names={"name": "task"},
        legal={
            "seed: 0": valid,
            "cache: None": valid,
            "cache: missing": valid,
        },
    ),
    "sigprop.tasks.read_table": row(lambda: {"path": _csv()}),
    "sigprop.tasks.splits": row(lambda: {"table": tasks.carbon_dioxide()}),
}


AUDIT: dict[str, Row] = {
    "sigprop.audit.Limits": row(
        lambda: {"modes": 4, "gated": 2, "probes": 4, "seed": 0},
        legal={"seed: 0": valid, "probes: 0": valid},
    ),
    "sigprop.audit.audit": row(
        lambda: {
            "network": samples.network()[0],
            "state": samples.network()[1],
            "batches": samples.batch(),
            "untrained": samples.network()[0],
            "progress": lambda done, of: None,
        },
        legal={"untrained: None": valid},
        infinite=True,
    ),
    "sigprop.audit.audit_forecaster": row(
        lambda: {
            **_forecaster(),
            "season": 52,
            "progress": lambda done, of: None,
        },
        undefined=True,
        infinite=True,
    ),
    "sigprop.audit.blocks_of": row(
        lambda: {
            "task": samples.forecasts(),
            "head": networks.Head(horizon=4, features=1),
            "part": "test",
            "windows": 8,
            "blocks": 2,
        },
    ),
    "sigprop.audit.failing_assumption": row(
        lambda: {"dataset": _audited(), "recurrence": _recurrence()},
    ),
    "sigprop.audit.audit_checkpoint": row(
        lambda: {
            "checkpoint": samples.whole_checkpoint(),
            "series": samples.series(),
            "data": "x",
            "limits": audit.Limits(modes=2, gated=2, probes=0),
            "mapping": None,
            "through": None,
            "shown": list,
        },
        unchecked="shown data",
        legal={"limits: None": valid},
    ),
    "sigprop.audit.audit_series": row(
        lambda: {
            "series": samples.series(),
            "eigenvalues": ((0.5, 0.0),),
            "seed": 0,
            "draws": 50,
            "shown": iter,
        },
        unchecked="eigenvalues shown",
        legal={"seed: 0": valid},
    ),
    "sigprop.audit.autocovariance": row(
        lambda: {
            "sequences": samples.sequences(),
            "max_lag": 4,
            "block": 1,
            "seed": 0,
            "draws": 50,
        },
        legal={"max_lag: None": valid, "max_lag: 0": valid, "seed: 0": valid},
    ),
    "sigprop.audit.fit_exponentials": row(
        lambda: {"R": 0.5 ** np.arange(8.0)},
    ),
    "sigprop.audit.fit_mixed": row(
        lambda: {"R": 0.7 * 0.5 ** np.arange(8.0) + 0.3 * np.eye(8)[0], "last": 4},
        legal={"last: None": valid},
    ),
    "sigprop.audit.load_series": row(lambda: {"path": _csv(), "window": 10}),
    "sigprop.audit.summarise": row(lambda: {"audit": _found()}, infinite=True),
    "sigprop.audit.lint.Settings": row(
        lambda: {"length": 100, "dtype": "float32", "optimiser": None},
        legal={"length: None": valid, "dtype: None": valid},
    ),
    "sigprop.audit.lint.distinct_time_constants": row(
        lambda: {"dtype": "float32", "shortest": 2.0, "longest": 100.0},
        legal={"longest: 1e308": valid},
    ),
    "sigprop.audit.lint.spacing": row(lambda: {"dtype": "float32"}),
    "sigprop.audit.lint.lint": row(
        lambda: {
            "checkpoint": samples.checkpoint(),
            "settings": lint.Settings(length=100),
            "mapping": None,
        }
    ),
}


@samples.once
def _forecaster() -> dict[str, Any]:
    head = networks.Head(horizon=4, features=1)
    config = dataclasses.replace(samples.config(), inputs=1, outputs=4)
    network, state = networks.build(config, key=KEY)
    blocks = blocks_of(samples.forecasts(), head, "test", 8, 2)
    return {"network": network, "state": state, "blocks": blocks}


@samples.once
def _audited() -> Any:
    return audit.audit_forecaster(**_forecaster(), season=52)


def _recurrence() -> str:
    return str(_audited()["recurrence"].values[0])


@samples.once
def _found() -> Any:
    network, state = samples.network()
    return audit.audit(network, state, samples.batch())


ADVICE: dict[str, Row] = {
    "sigprop.advice.advise": row(
        lambda: {
            "layer": "lru",
            "length": 100,
            "state": 4,
            "width": 2,
            "spectrum": samples.exponential(),
            "memory": 20.0,
            "phases": "spread",
            "seed": 0,
        },
        legal={
            "memory: None": valid,
            "seed: 0": valid,
            "state: None": valid,
            "width: None": valid,
        },
        infinite=True,
    ),
    "sigprop.advice.exponentials": row(lambda: {"terms": [(0.4, 0.0), (0.6, 0.8)]}),
    "sigprop.advice.of_covariance": row(
        lambda: {"covariance": np.array([1.0, 0.5, 0.25, 0.1, 0.05, 0.02])}
    ),
    "sigprop.advice.exponential": row(
        lambda: {"decay": 0.5}, legal={"decay: 0": valid}, names={"decay": "rho"}
    ),
    "sigprop.advice.bandwidth": row(
        lambda: {"spectrum": samples.exponential(), "share": 0.9}
    ),
    "sigprop.advice.power_below": row(
        lambda: {"spectrum": samples.exponential(), "phase": 1.0},
        legal={"phase: 0": lambda share: share == 0},
    ),
    "sigprop.advice.mode_states": row(
        lambda: {"layer": samples.lru(), "spectrum": samples.exponential()}
    ),
    "sigprop.advice.matched": row(
        lambda: {"layer": samples.lru(), "spectrum": samples.exponential()}
    ),
    "sigprop.advice.predict_initialisation": row(
        lambda: {"layer": samples.lru(), "spectrum": samples.exponential()},
        infinite=True,
    ),
    "sigprop.advice.of_series": row(lambda: {"series": samples.series()}),
}

FORM = 1 / (1 - lam * lam_bar)
TESTING: dict[str, Row] = {
    "sigprop.testing.assert_moment": row(
        lambda: {
            "formula": FORM,
            "system": [0.5],
            "inputs": White(),
            "statistic": "state",
            "steps": 30,
            "margin": 0.2,
            "seed": 0,
            "parameters": None,
            "yes": False,
        },
        legal={
            "seed: 0": valid,
            "steps: None": valid,
            "system: 0 at 0": valid,
            "system: one more": valid,
            "system: a number": valid,
        },
        names={"system": "lam"},
        unchecked="formula",  # zero is a formula, and is refuted
    ),
    "sigprop.testing.assert_equal_forms": row(
        lambda: {"derived": FORM, "printed": FORM, "domain": None},
        unchecked="domain",
    ),
    "sigprop.testing.assert_healthy": row(
        lambda: {"layer": samples.lru(), "length": 2, "dtype": "float32"},
        unchecked="layer",
        legal={"length: None": valid, "dtype: None": valid},
    ),
    "sigprop.testing.trajectory": row(
        lambda: {"system": samples.lru(), "x": samples.draw(4, 2)},
        unchecked="system x",  # JAX traces both
    ),
    "sigprop.testing.eigenvalues": row(lambda: {"smallest_gap": 1e-3, "real": False}),
    "sigprop.testing.rings": row(lambda: {"smallest_gap": 1e-3}),
    "sigprop.testing.inputs": row(dict),
}
ROWS = {**TASKS, **AUDIT, **ADVICE, **TESTING}
