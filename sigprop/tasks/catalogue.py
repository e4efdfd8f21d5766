"""Every classification task by its name, with the source of its examples."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sigprop.numerics.seeds import require_seed
from sigprop.tasks import images, speech
from sigprop.tasks.aan import aan
from sigprop.tasks.contours import PATH_X, PATHFINDER_16, PATHFINDER_32
from sigprop.tasks.examples import DataSet
from sigprop.tasks.expressions import SHORT
from sigprop.tasks.imdb import imdb
from sigprop.tasks.listops import listops
from sigprop.tasks.pathfinder import pathfinder

VARIABLE = "SIGPROP_DATA"
FOLDS = 5  # of the digits

Progress = Callable[[str], None]


class Place(NamedTuple):
    """Arguments of the functions that load a task.

    Attributes:
        folder: Folder with the task's files; None if the examples are generated.
        cache: Folder for packed data; None if nothing is stored.
        seed: Seed of a training, which chooses the test part of ``digits``.
        progress: Function that is called with messages on the progress.
    """

    folder: Path | None = None
    cache: Path | None = None
    seed: int = 0
    progress: Progress | None = None

    @property
    def packed(self) -> dict[str, Any]:
        """Keyword arguments of the loaders that have a cache."""
        return {"cache": self.cache, "progress": self.progress}


@dataclass(frozen=True)
class Source:
    """Source of a task's examples.

    Attributes:
        load: Function that reads or draws the examples.
        folder: Folder of the task below ``SIGPROP_DATA``; None if the task has no files.
        generated: True if the examples can be generated without files.
    """

    load: Callable[[Any], DataSet]
    folder: str | None = None
    generated: bool = False


TASKS: dict[str, Source] = {
    "digits": Source(lambda at: images.digits(at.seed % FOLDS, FOLDS), generated=True),
    "smnist": Source(lambda at: images.mnist(at.folder), "mnist"),
    "psmnist": Source(lambda at: images.mnist(at.folder, permuted=True), "mnist"),
    "smnist-10k": Source(lambda at: images.mnist(at.folder, files="t10k"), "mnist"),
    "psmnist-10k": Source(
        lambda at: images.mnist(at.folder, permuted=True, files="t10k"), "mnist"
    ),
    "scifar": Source(lambda at: images.cifar(at.folder, grey=False), "cifar10"),
    "image": Source(lambda at: images.cifar(at.folder, grey=True), "cifar10"),
    "listops": Source(
        lambda at: listops(at.folder, **at.packed), "listops-1000", generated=True
    ),
    "listops-short": Source(
        lambda at: listops(rules=SHORT, counts=(20_000, 2_000, 2_000), **at.packed),
        generated=True,
    ),
    "text": Source(lambda at: imdb(at.folder, **at.packed), "aclImdb"),
    "retrieval": Source(lambda at: aan(at.folder, **at.packed), "tsv_data"),
    "pathfinder": Source(
        lambda at: pathfinder(at.folder, rules=PATHFINDER_32, **at.packed),
        "pathfinder32",
        generated=True,
    ),
    "pathfinder-short": Source(
        lambda at: pathfinder(rules=PATHFINDER_16, **at.packed), generated=True
    ),
    "pathx": Source(
        lambda at: pathfinder(at.folder, rules=PATH_X, **at.packed),
        "pathfinder128",
        generated=True,
    ),
    "speech": Source(
        lambda at: speech.speech_commands(at.folder, progress=at.progress),
        "SpeechCommands",
    ),
    "fsdd": Source(lambda at: speech.spoken_digits(at.folder), "fsdd"),
}


def load_task(
    name: str,
    folder: Path | None = None,
    *,
    cache: Path | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> DataSet:
    """Load the examples of a classification task.

    Args:
        name: Name of a task, such as ``digits``; see the table of ``sigprop.tasks``.
        folder: Folder with the task's files.  Default: the task's subfolder of the
            folder that the environment variable ``SIGPROP_DATA`` names.  If this
            subfolder does not exist, the examples are generated where possible.
        cache: Folder in which large data sets are stored in a format that loads faster.
            Default: nothing is stored.
        seed: Seed of the training run.  The test examples of ``digits`` are fold
            ``seed % 5`` of five.  The examples of all other tasks do not depend on the
            seed.
        progress: Function that is called with each message on the progress.  Default:
            none.

    Raises:
        ValueError: If there is no task of this name; if the seed is not an integer in
            ``[0, 2**32)``; if a ``folder`` is given for a task without files; if a file
            is damaged.
        FileNotFoundError: If ``folder`` does not exist, or if the task's files are
            missing and its examples cannot be generated.
        ModuleNotFoundError: If the task is ``digits`` and scikit-learn is not installed
            (``pip install 'sigprop[data]'``).

    Example:
        Ten classes, one number at each step, and 360 test examples:

        >>> data = load_task("digits")
        >>> data.classes, data.train.features, len(data.test.labels)
        (10, 1, 360)
    """
    require_seed(seed)
    if name not in TASKS:
        raise ValueError(f"need a task in {', '.join(TASKS)}, got {name!r}")
    source = TASKS[name]
    if folder is not None and source.folder is None:
        raise ValueError(f"need no folder for {name}, which is not read, got {folder}")
    path = folder if folder is not None else _default_folder(source)
    if path is None and not source.generated:
        raise FileNotFoundError(
            f"need the files of {name}: name their folder, or set {VARIABLE} to one "
            f"that has them in {source.folder}"
        )
    if path is not None and not path.is_dir():
        raise FileNotFoundError(f"need a folder with the files of {name}, got {path}")
    return source.load(Place(path, cache, seed, progress))


def _default_folder(source: Source) -> Path | None:
    root = os.environ.get(VARIABLE)
    if root is None or source.folder is None:
        return None
    path = Path(root) / source.folder
    return path if path.is_dir() or not source.generated else None
