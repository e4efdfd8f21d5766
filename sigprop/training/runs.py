"""Training in a folder, which can be interrupted and resumed.

``run.json`` describes the training, and ``checkpoint.npz`` is its state.  At the end,
``network.safetensors``, ``curves.npz`` and ``result.json`` replace the checkpoint.  The
result contains the checksums of its recipe and of the other files, so that files of two
trainings cannot be mixed up.
"""

import dataclasses
import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import numpy as np

from sigprop.networks import Network, TwoTowers, load_network, save_network
from sigprop.networks.assembly import parameter_table
from sigprop.numerics.files import unfinished
from sigprop.numerics.locks import claimed
from sigprop.tasks.examples import DataSet
from sigprop.training.checkpoints import differences
from sigprop.training.recipes import Recipe
from sigprop.training.records import digest, is_sealed, read_sealed, write_sealed
from sigprop.training.segments import Progress
from sigprop.training.supervised import Probe, fit

VERSION = 1
ABOUT, RESULT, NETWORK = "run.json", "result.json", "network.safetensors"
CHECKPOINT, CURVES, LOCK = "checkpoint.npz", "curves.npz", ".training.lock"
RECIPE, FILES = "recipe", "files"  # of a result: the digests that it is bound to
SCORES = (
    "test_accuracy",
    "test_loss",
    "validation_accuracy",
    "best_step",
    "parameters",
    "seconds",
)


@dataclass(frozen=True)
class Job:
    """Description of a training.

    Attributes:
        task: Name of the task.
        model: Name of the model.
        preset: Size of the training, ``quick`` or ``paper``.
        seed: Seed of the training.
        recipe: Network, optimiser, learning rate and batch size.
    """

    task: str
    model: str
    preset: str
    seed: int
    recipe: Recipe

    def about(self) -> dict[str, Any]:
        """Return the description as plain data."""
        return {"version": VERSION, **dataclasses.asdict(self)}


def run(
    job: Job,
    data: DataSet,
    folder: Path,
    *,
    probe: Probe | None = None,
    every: float = 20.0,
    progress: Progress = lambda done, last: None,
) -> dict[str, Any]:
    """Train a network, resume its training, or read the result of a finished one.

    Args:
        job: Description of the training.
        data: Data of the task.
        folder: Folder of this training, which no other training may use.
        probe: Function of the network and its running averages, which is called at each
            evaluation; see ``fit``.
        every: Number of seconds between two checkpoints.
        progress: Function of the number of finished segments and of the last scores.

    Returns:
        ``test_accuracy``, ``test_loss``, ``validation_accuracy``, ``best_step``, the
        number of ``parameters``, and ``seconds`` since the training was last started or
        resumed.

    Raises:
        ValueError: If another training or another process uses the folder; if one of its
            files is damaged; or if ``fit`` raises it.
        Diverged: If the loss or a gradient is not finite.
    """
    with alone(folder, job):
        return _run(job, data, folder, probe=probe, every=every, progress=progress)


@contextmanager
def alone(folder: Path, job: Job) -> Iterator[None]:
    """Reserve a folder for a training, and lock it against other processes.

    Args:
        folder: Folder of the training.
        job: Description of the training.

    Raises:
        ValueError: If another training or another process uses the folder.
    """
    reserve(folder, job)
    with claimed(folder / LOCK) as mine:
        if not mine:
            raise ValueError(
                f"need a training that no other process is at, one is in {folder}; wait "
                "for it, or name a new folder"
            )
        yield


def _run(
    job: Job, data: DataSet, folder: Path, *, every: float, **callbacks: Any
) -> dict[str, Any]:
    """Train, resume, or read the stored result, in a folder that is already locked."""
    if (folder / RESULT).is_file():
        return read_result(folder)
    began = time.perf_counter()
    checkpoint = folder / CHECKPOINT
    fitted = fit(
        job.recipe, data, job.seed, checkpoint=checkpoint, every=every, **callbacks
    )
    scores = {
        "test_accuracy": fitted.test.accuracy,
        "test_loss": fitted.test.loss,
        "validation_accuracy": fitted.validation,
    }
    return finish(folder, fitted, scores, began)


def finish(
    folder: Path,
    fitted: Any,
    scores: Mapping[str, float],
    began: float,
    files: Iterable[str] = (),
) -> dict[str, Any]:
    """Write the network, the curves and the result of a training; delete its checkpoint.

    Args:
        folder: Folder of the training.
        fitted: Result of the training, with ``network``, ``state``, ``step`` and
            ``records``.
        scores: Scores of the network, by name.
        began: Value of ``time.perf_counter`` at the start.
        files: Names of further files of the training.

    Returns:
        The scores, ``best_step``, the number of ``parameters``, and ``seconds``.
    """
    save_network(folder / NETWORK, fitted.network, fitted.state)
    with unfinished(folder / CURVES) as partial, partial.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **fitted.records)
    result = {
        **scores,
        "best_step": fitted.step,
        "parameters": parameter_table(fitted.network)["total"],
        "seconds": time.perf_counter() - began,
    }
    write_result(folder, result, (NETWORK, CURVES, *files))
    (folder / CHECKPOINT).unlink(missing_ok=True)
    return result


def write_result(
    folder: Path, result: Mapping[str, Any], files: Iterable[str] = (NETWORK, CURVES)
) -> None:
    """Write the result of a training, with checksums of its recipe and of its files.

    Args:
        folder: Folder of the training, with ``run.json`` and the files.
        result: Scores of the training, by name.
        files: Names of the files that belong to the result.
    """
    bound = {
        **result,
        RECIPE: digest(read_about(folder)),
        FILES: {name: _digest_of_file(folder / name) for name in files},
    }
    write_sealed(folder / RESULT, bound)


def reserve(folder: Path, job: Job) -> None:
    """Write the description of a training into a new folder, or compare it with an old one.

    A folder with a result but without ``run.json`` is accepted if the result has the same
    recipe.  A checkpoint is compared with the recipe when it is read.

    Args:
        folder: Folder of the training.
        job: Description of the training.

    Raises:
        ValueError: If the folder belongs to another training; it then stays unchanged.
    """
    about = job.about()
    if (folder / ABOUT).is_file():
        changed = differences(read_about(folder), about)
    else:
        changed = [] if _recipe_digest(folder) in (None, digest(about)) else [RECIPE]
        if not changed:
            folder.mkdir(parents=True, exist_ok=True)
            write_sealed(folder / ABOUT, about)
    if changed:
        raise ValueError(
            f"need a folder of its own, {folder} holds a training of another "
            f"{', '.join(changed)}; name a new folder or delete {folder}"
        )


def _recipe_digest(folder: Path) -> str | None:
    """Return the checksum of the recipe of a folder's result; None without a result."""
    path = folder / RESULT
    if not path.is_file():
        return None
    result = read_sealed(path)
    if RECIPE not in result:
        raise ValueError(
            f"need {ABOUT} in {folder}, which says what {path} belongs to, got none; "
            f"delete {path} to train again"
        )
    return result[RECIPE]


def read_about(folder: Path) -> dict[str, Any]:
    """Return the description of a folder's training as plain data.

    Raises:
        FileNotFoundError: If the folder has no ``run.json``.
        ValueError: If ``run.json`` is damaged.
    """
    path = folder / ABOUT
    if not path.is_file():
        raise FileNotFoundError(
            f"need the folder of a training, with {ABOUT}, got {folder}"
        )
    names = ["version", *(field.name for field in dataclasses.fields(Job))]
    return read_sealed(path, names, optional=["data"])


def read_result(folder: Path, names: Iterable[str] = SCORES) -> dict[str, Any]:
    """Return the scores of a folder's finished training.

    Args:
        folder: Folder of the training.
        names: Names of the scores that the result must have; if empty, any are accepted.

    Raises:
        FileNotFoundError: If the folder has no ``run.json``.
        ValueError: If the result or one of its files is damaged, missing or from another
            training.
    """
    path, about = folder / RESULT, read_about(folder)
    result = read_sealed(path, names, optional=[RECIPE, FILES])
    made_by, files = result.pop(RECIPE, None), result.pop(FILES, None)
    again = f"delete {path} to train again"
    if not is_sealed(path):  # of a version that bound nothing
        if files is not None or is_sealed(folder / ABOUT):
            raise ValueError(
                f"need a result that names its recipe in {path}, got none; {again}"
            )
        with _or(again):
            load_network(folder / NETWORK)
        return result
    if made_by != digest(about):
        raise ValueError(
            f"need the result of the recipe of {folder / ABOUT}, got that of another in "
            f"{path}; {again}"
        )
    for name, recorded in (files or {}).items():
        file = folder / name
        if not file.is_file():
            raise ValueError(f"need {file} of a finished training, got none; {again}")
        if _digest_of_file(file) != recorded:
            raise ValueError(
                f"need {file} as the training wrote it, got a damaged file or one of "
                f"another training; {again}"
            )
    return result


@contextmanager
def _or(remedy: str) -> Iterator[None]:
    """Add a remedy to the message of an error about a file."""
    try:
        yield
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(f"{error}; {remedy}") from error


def _digest_of_file(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def trained(folder: Path) -> tuple[Network | TwoTowers, eqx.nn.State]:
    """Return the network of a finished training in inference mode, and its averages.

    Raises:
        FileNotFoundError: If the folder has no training, or the training is not finished.
        ValueError: If the result or one of its files is damaged, missing or from another
            training.
    """
    read_about(folder)
    if not (folder / RESULT).is_file():
        raise FileNotFoundError(
            f"need a finished training, {folder} has no {RESULT} yet; repeat the "
            "command to resume it"
        )
    read_result(folder, names=())
    network, state = load_network(folder / NETWORK)
    return eqx.nn.inference_mode(network), state
