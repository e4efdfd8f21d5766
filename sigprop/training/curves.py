"""Training curves of all finished trainings in a folder, as one data set."""

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
    """Read the curves of the finished trainings ``seed-0``, ``seed-1``, ... in a folder.

    Args:
        folder: Folder with one subfolder per training.
        job: Training to compare with.  Trainings that differ from it in more than the
            seed are omitted.  Default: all trainings are read.

    Returns:
        A data set.  ``loss`` (in nats) and ``gradient_norm`` have the dimensions ``seed``
        and ``update``, a value per training step.  ``step``, ``validation_loss`` and
        ``validation_accuracy`` have the dimensions ``seed`` and ``look``, a value per
        evaluation.  ``state_power`` has the dimension ``layer`` as well.  By ``seed``
        there are ``segment`` (steps per segment), ``best_step`` and ``test_accuracy``.
        Shorter trainings are padded with NaN.

    Raises:
        FileNotFoundError: If no training is finished.
        ValueError: If a file is damaged.
    """
    folders = finished(folder, job)
    rows = [
        _read(subfolder).assign_coords(seed=seed) for seed, subfolder in folders.items()
    ]
    return xr.concat(rows, "seed", join="outer")


def finished(folder: Path, job: Job | None = None) -> dict[int, Path]:
    """Return the subfolders of the finished trainings in a folder, by increasing seed.

    Args:
        folder: Folder with one subfolder per training.
        job: Training to compare with.  Trainings that differ from it in more than the
            seed are omitted.

    Raises:
        FileNotFoundError: If no training is finished.
        ValueError: If a description of a training is damaged.
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
