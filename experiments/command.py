"""Command lines of studies: run a study at a preset and store its result."""

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sigprop.experiments import store, studies
from sigprop.experiments.progress import heard_by
from sigprop.numerics.interruption import interruptible

LARGEST = 2 * 2**20  # bytes; largest result that comes with the code


def measured_alone(study: str, *arguments: Any, limit: float | None = None) -> Any:
    """Return the answer of a study's ``measure`` from a process of its own.

    Args:
        study: Name of a study.
        arguments: Arguments of ``measure``, which must be values of JSON.
        limit: Time limit in seconds.

    Raises:
        MemoryError: If the system kills the process.
        TimeoutError: If it takes longer than the limit.
        RuntimeError: If it fails; the message is the last line of its standard error.
    """
    call = "import json, sys; from sigprop.experiments.studies import study_module as module; "
    call += "study, arguments = json.loads(sys.argv[1]); "
    call += "print(json.dumps(module(study).measure(*arguments)))"
    command = [sys.executable, "-c", call, json.dumps([study, arguments])]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"it takes more than its limit of {limit:g} s") from None
    if answer.returncode == -signal.SIGKILL:
        raise MemoryError(f"the system ended {study} with {arguments}")
    if answer.returncode:
        raise RuntimeError(answer.stderr.strip().rpartition("\n")[2])
    return json.loads(answer.stdout)


def best(study: str) -> str | None:
    """Return the largest preset with a stored result of its current definition, or ``None``.

    Raises:
        ValueError: If the study is unknown.
    """
    return next(
        (size for size in reversed(studies.presets(study)) if _exists(study, size)),
        None,
    )


def _exists(study: str, preset: str) -> bool:
    config, version = studies.definition(study, preset)
    return store.exists(study, version, config)


def track(study: str) -> Path:
    """Copy a complete result at the preset ``paper`` to the results that come with the code.

    The result must belong to the current definition of the study or sweep.  Older results
    are deleted.

    Raises:
        FileNotFoundError: If the result or some of its cells are missing; names the command
            that makes it.
        ValueError: If the study is unknown, if there is no checkout, or if the result is
            damaged, too large, or made by code that is not committed.
    """
    config, version = studies.definition(study, "paper")
    file = store.path(study, version, config)
    if not file.is_file():
        raise FileNotFoundError(
            f"need the whole result of {study} with preset paper, got none in "
            f"{file.parent}; make it with `{store.command(study, 'paper')}`"
        )
    attributes, size = store.read(file).attrs, file.stat().st_size
    store.require_complete(file, attributes)
    if attributes["commit"].endswith("-dirty"):
        raise ValueError(
            f"need a result of code that is committed, got {attributes['commit']} in "
            f"{file}; commit, then make it again"
        )
    if size > LARGEST:
        raise ValueError(
            f"need at most {LARGEST:,} bytes, got {size:,} in {file}; make the study keep "
            "less"
        )
    if store.checkout() is None:
        raise ValueError(
            "need a checkout to track a result in, got an installed package"
        )
    target = store.SHIPPED / file.name
    if file != target:
        with store.unfinished(target) as partial:
            shutil.copyfile(file, partial)
    for older in store.SHIPPED.glob(f"{study}-{'?' * store.DIGITS}.nc"):
        if older != target:
            older.unlink()
    return target


def make(
    study: str,
    preset: str = "quick",
    force: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> Path:
    """Run a study or a sweep unless its result is stored; return the file.

    Afterwards ``store.load_preset`` returns this result, even if there are results of older
    versions or definitions of the preset.

    Args:
        study: Name of the study's module, or of a sweep.
        preset: One of ``studies.presets(study)``.
        force: Whether to run even if the result is stored.
        progress: Called with a line of text at the start, at the end, and in between.

    Raises:
        ValueError: If the study or the preset is unknown, a stored file is damaged, or
            ``force`` is true for a sweep.
    """
    config, version = studies.definition(study, preset)
    if force and not studies.is_study(study):
        raise ValueError(
            f"need no --force for {study}: it is gathered from cells that are kept; "
            "delete those that are to be trained again"
        )
    file = None if force else store.newest(study, version, config, preset)
    if file is not None:
        progress(f"{study} ({preset}) is stored in {file}")
        return file
    progress(f"running {study} ({preset})")
    started = time.perf_counter()
    if studies.is_study(study):
        with heard_by(progress):
            dataset = studies.study_module(study).run(config)
        from sigprop.numerics import devices  # imports JAX, so only if needed

        about = {
            "preset": preset,
            "device": devices.default_device(),
            "seconds": time.perf_counter() - started,
            "cores": devices.cores(),
            "peak_bytes": devices.peak_memory(),
        }
        file = store.save(study, version, config, dataset, **about)
    else:
        from sigprop.experiments import sweep

        file = sweep.run(study, preset)
        assert file is not None  # the sweep has cells, and all of them are finished
    progress(f"{study} ({preset}) took {time.perf_counter() - started:.1f} s")
    return file


def main(study: str) -> None:
    """Command line of one study: ``python -m sigprop.experiments.STUDY [--preset PRESET]``."""
    module = studies.study_module(study)
    summary = (module.__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(
        f"python -m sigprop.experiments.{study}", None, summary
    )
    parser.add_argument(
        "--preset",
        choices=studies.presets(study),
        default="quick",
        help="size (default: quick)",
    )
    parser.add_argument(
        "--force", action="store_true", help="run even if the result is stored"
    )
    arguments = parser.parse_args()
    with interruptible():
        try:
            file = make(study, arguments.preset, arguments.force, print)
        except (ValueError, OSError) as error:
            sys.exit(f"error: {error}")
        if hasattr(module, "show"):
            module.show(store.read(file))
        print(file)
