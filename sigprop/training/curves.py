"""Curves of the finished trainings of a folder, in one labelled table."""

import re
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import xarray as xr

from sigprop.training.checkpoints import differences
from sigprop.training.runs import CURVES, RESULT, Job, read_about, read_result

SEED = re.compile(r"seed-([0-9]+)")
UPDATES = ("loss", "gradient_norm")
LOOKS = ("step", "validation_loss", "validation_accuracy")
SCORES = ("best_step", "test_accuracy")


def curves(folder: Path, job: Job | None = None) -> xr.Dataset:
    """Curves of the finished trainings ``seed-0``, ``seed-1``, ... of a folder.

    Args:
        folder: With the trainings.
        job: Leave out the trainings that differ from it in more than the seed.

    Returns:
        By ``seed`` and ``update``: ``loss`` (nats) and ``gradient_norm`` of every step.
        By ``seed`` and ``look`` at the validation: ``step``, ``validation_loss``,
        ``validation_accuracy`` and, by ``layer`` too, ``state_power``.  By ``seed``:
        ``segment``, the steps that are taken together, ``best_step`` and
        ``test_accuracy``.  A shorter training ends in not-a-number.

    Raises:
        FileNotFoundError: If none is finished.
        ValueError: If a file is damaged.
    """
    folders = finished(folder, job)
    rows = [
        _read(subfolder).assign_coords(seed=seed) for seed, subfolder in folders.items()
    ]
    return xr.concat(rows, "seed", join="outer")


def finished(folder: Path, job: Job | None = None) -> dict[int, Path]:
    """The folders of the finished trainings of a folder, by seed and in its order.

    Args:
        folder: With the trainings.
        job: Leave out the trainings that differ from it in more than the seed.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If what a folder was to train is damaged.
    """
    folders = {
        int(name[1]): subfolder
        for subfolder in folder.glob("seed-*")
        if (name := SEED.fullmatch(subfolder.name))
        and (subfolder / RESULT).is_file()
        and (job is None or _differs_in_seed_alone(subfolder, job))
    }
    if not folders:
        raise FileNotFoundError(f"need a finished training in {folder}, got none")
    return dict(sorted(folders.items()))


def _differs_in_seed_alone(folder: Path, job: Job) -> bool:
    return not {*differences(read_about(folder), job.about())} - {"seed"}


def _read(folder: Path) -> xr.Dataset:
    path, result = folder / CURVES, read_result(folder)
    try:
        with path.open("rb") as stream, np.load(stream) as stored:
            columns = {name: stored[name] for name in (*UPDATES, *LOOKS, "state_power")}
        segment = columns["loss"].shape[1]
        variables = {name: ("update", columns[name].ravel()) for name in UPDATES}
        variables |= {name: ("look", columns[name]) for name in LOOKS}
        variables |= {"state_power": (("look", "layer"), columns["state_power"])}
        coords = {
            "update": np.arange(1, 1 + columns["loss"].size),
            "look": np.arange(columns["step"].size),
            "layer": np.arange(1, 1 + columns["state_power"].shape[1]),
        }
        known = xr.Dataset(variables, coords)
    except (KeyError, IndexError, ValueError, EOFError, BadZipFile) as error:
        raise ValueError(
            f"need the curves of a training in {path}, got something else ({error}); "
            "delete its folder to train again"
        ) from error
    return known.assign(segment=segment, **{name: result[name] for name in SCORES})
