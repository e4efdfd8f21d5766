"""A training in a folder of its own, which goes on where it was stopped.

``run.json`` says what is trained, ``checkpoint.npz`` how far it is; at the end there are
``network.safetensors``, ``curves.npz`` and ``result.json`` instead.
"""

import dataclasses
import json
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
from sigprop.numerics.files import unfinished, write_text
from sigprop.numerics.locks import claimed
from sigprop.tasks.examples import DataSet
from sigprop.training.checkpoints import differences
from sigprop.training.recipes import Recipe
from sigprop.training.segments import Progress
from sigprop.training.supervised import Probe, fit

VERSION = 1
ABOUT, RESULT, NETWORK = "run.json", "result.json", "network.safetensors"
CHECKPOINT, CURVES, LOCK = "checkpoint.npz", "curves.npz", ".training.lock"
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
    """A training: a recipe for a model on a task, and a seed."""

    task: str
    model: str
    preset: str
    seed: int
    recipe: Recipe

    def about(self) -> dict[str, Any]:
        """The job as plain data."""
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
    """Train, or go on, or read the result of what is already done.

    Returns:
        ``test_accuracy``, ``test_loss``, ``validation_accuracy``, ``best_step``,
        ``parameters`` and ``seconds`` of the last part that ran.

    Raises:
        ValueError: If the folder holds another training, a file of it is damaged,
            another process is training in it, or as ``fit``.
        Diverged: As ``fit``.
    """
    with alone(folder, job):
        return _run(job, data, folder, probe=probe, every=every, progress=progress)


@contextmanager
def alone(folder: Path, job: Job) -> Iterator[None]:
    """Reserve a folder for a training, and hold it against other processes.

    Raises:
        ValueError: If it holds another training, or another process is training in it.
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
    job: Job, data: DataSet, folder: Path, *, every: float, **told: Any
) -> dict[str, Any]:
    """Train, go on, or read the stored result, in a folder that is claimed already."""
    if (folder / RESULT).is_file():
        return read_result(folder)
    began = time.perf_counter()
    place = folder / CHECKPOINT
    fitted = fit(job.recipe, data, job.seed, checkpoint=place, every=every, **told)
    scores = {
        "test_accuracy": fitted.test.accuracy,
        "test_loss": fitted.test.loss,
        "validation_accuracy": fitted.validation,
    }
    return finish(folder, fitted, scores, began)


def finish(
    folder: Path, fitted: Any, scores: Mapping[str, float], began: float
) -> dict[str, Any]:
    """Keep the network, the curves and last the result, for which the checkpoint goes.

    Args:
        folder: Of the training.
        fitted: Its end: ``network``, ``state``, ``step`` and ``records``.
        scores: What it scored.
        began: When ``time.perf_counter`` said so.

    Returns:
        The scores, ``best_step``, ``parameters`` and ``seconds``.
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
    write_text(folder / RESULT, json.dumps(result, indent=2) + "\n")
    (folder / CHECKPOINT).unlink(missing_ok=True)
    return result


def reserve(folder: Path, job: Job) -> None:
    """Write what is trained into a new folder, or see that it is the same in an old one.

    Raises:
        ValueError: If the folder holds another training; it is left as it is.
    """
    about = job.about()
    place = folder / ABOUT
    if not place.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_text(place, json.dumps(about, indent=2) + "\n")
        return
    changed = differences(read_about(folder), about)
    if changed:
        raise ValueError(
            f"need a folder of its own, {folder} holds a training of another "
            f"{', '.join(changed)}; name a new folder or delete this one"
        )


def read_about(folder: Path) -> dict[str, Any]:
    """The job of a folder's training as plain data.

    Raises:
        FileNotFoundError: If nothing is.
        ValueError: If its text is damaged.
    """
    place = folder / ABOUT
    if not place.is_file():
        raise FileNotFoundError(
            f"need the folder of a training, with {ABOUT}, got {folder}"
        )
    return _read(place, [field.name for field in dataclasses.fields(Job)])


def read_result(folder: Path, names: Iterable[str] = SCORES) -> dict[str, Any]:
    """What the finished training of a folder scored: ``SCORES``, or these.

    Raises:
        ValueError: If its text is damaged.
    """
    return _read(folder / RESULT, names)


def _read(place: Path, names: Iterable[str]) -> dict[str, Any]:
    """The JSON object of a file, which has all these names."""
    try:
        content = json.loads(place.read_bytes())
    except ValueError as error:
        raise ValueError(
            f"need JSON in {place}, got other text ({error}); delete it to train again"
        ) from error
    missing = sorted(set(names) - set(content if isinstance(content, dict) else ()))
    if missing:
        raise ValueError(
            f"need a JSON object with {', '.join(missing)} in {place}, and it has none; "
            "delete it to train again"
        )
    return content


def trained(folder: Path) -> tuple[Network | TwoTowers, eqx.nn.State]:
    """The network of a finished training, in inference mode, and its running averages.

    Raises:
        FileNotFoundError: If there is no training, or it is not finished.
        ValueError: If the network's file is damaged.
    """
    read_about(folder)
    place = folder / NETWORK
    if not place.is_file():
        raise FileNotFoundError(
            f"need a finished training, {folder} has no {NETWORK} yet; run the same "
            "`sigprop train` again, it goes on"
        )
    network, state = load_network(place)
    return eqx.nn.inference_mode(network), state
