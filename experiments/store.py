"""Storage of results: the file format, the folders, and functions to read and write.

A *cell* is one configuration of one study, and has one file.  Its key is a hash of the
study's name, its version number and the canonical JSON of the configuration.  The device is
not part of the key.  Files are NetCDF-4, compressed, with a checksum on every variable.  A
file is written under a temporary name and then moved, so that it is complete or absent.  Its
attributes record how it was made.

Results are searched in these folders, and new results go to the first one:

- with ``SIGPROP_RESULTS`` set, that folder alone;
- otherwise ``experiments/results`` in a checkout, or the user's data folder for an installed
  package, and then ``experiments/results/paper``, the results that come with the code.
"""

import dataclasses
import hashlib
import importlib.metadata
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs
import xarray as xr

from sigprop.experiments import netcdf
from sigprop.numerics.files import (
    unfinished as unfinished,  # used by figures too
)

PACKAGES = ("sigprop", "jax", "numpy", "scipy", "sympy")
HERE = Path(__file__).resolve().parent  # resolved, since the package may link to it
SHIPPED = HERE / "results" / "paper"
PRESETS = ("smoke", "quick", "paper")
FULL = "full"  # preset of studies whose ``paper`` is smaller than the paper's size
DIGITS = 16  # hexadecimal digits of a cell's key


@dataclass(frozen=True)
class Members:
    """The configuration of a gathered result: a hash of its grid, and the finished cells."""

    grid: str
    finished: int


class Damaged(ValueError):
    """Error for a file that cannot be read, with the reason and a command to make it."""

    def __init__(self, file: Path, error: Exception, preset: str | None):
        study = file.name.rsplit("-", 1)[0]
        if preset is None and file.parent == SHIPPED:
            preset = "paper"
        again = f"make it again with `{command(study, preset or 'PRESET')}`"
        if preset is None:
            again += ", PRESET being the one that it was made from"
        self.reason = f"{type(error).__name__}: {error}"
        super().__init__(f"{file} is damaged ({self.reason}); delete it and {again}")


def checkout() -> Path | None:
    """Return the folder of the source tree, or ``None`` for an installed package."""
    root = HERE.parent
    return root if (root / "pyproject.toml").is_file() else None


def folder() -> Path:
    """Return the folder of new results, without creating it."""
    chosen = os.environ.get("SIGPROP_RESULTS")
    if chosen:
        return Path(chosen)
    if checkout():
        return SHIPPED.parent
    return platformdirs.user_data_path("sigprop") / "results"


def _folders() -> tuple[Path, ...]:
    return (folder(),) if os.environ.get("SIGPROP_RESULTS") else (folder(), SHIPPED)


def canonical(config: Any) -> str:
    """Return a configuration as JSON with sorted fields, the same on every machine.

    Raises:
        ValueError: If a field is NaN or infinite, which JSON cannot represent.
    """
    fields = dataclasses.asdict(config)
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(study: str, version: int, config: str) -> str:
    text = json.dumps([study, version, config])
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def key(study: str, version: int, config: Any) -> str:
    """Return the name of a cell, sixteen hexadecimal digits."""
    return _hash(study, version, canonical(config))


def path(study: str, version: int, config: Any) -> Path:
    """Return the existing file of a cell, or else the file to write."""
    possible = paths(study, version, config)
    return next((file for file in possible if file.is_file()), possible[0])


def paths(study: str, version: int, config: Any) -> list[Path]:
    """Return all possible files of a cell, in the order of the search."""
    name = _name(study, version, config)
    return [parent / name for parent in _folders()]


def _name(study: str, version: int, config: Any) -> str:
    return f"{study}-{key(study, version, config)}.nc"


def files(study: str) -> list[Path]:
    """Return all files of a study's results, including damaged ones."""
    return [
        file for parent in _folders() for file in sorted(parent.glob(f"{study}-*.nc"))
    ]


def exists(study: str, version: int, config: Any) -> bool:
    """Return true if this cell has a file, which may be damaged."""
    return path(study, version, config).is_file()


def command(study: str, preset: str | None = None) -> str:
    """Return the command that makes a result, for messages."""
    return f"sigprop sweep run {study} --preset {preset or 'quick'}"


def save(
    study: str, version: int, config: Any, dataset: xr.Dataset, **attributes: Any
) -> Path:
    """Write a cell under a temporary name, then move it in place.

    Args:
        study: Name of the study's module.
        version: Version number of the study; increase it if its numbers change in meaning.
        config: Configuration of the cell, a frozen dataclass.
        dataset: The result.  Scalars belong in its attributes, since a variable without a
            dimension has no checksum.
        attributes: Further attributes, such as ``preset`` and ``device``.

    Raises:
        ValueError: If a variable has no dimension, or a coordinate is complex.
    """
    labelled = dataset.assign_attrs(
        **attributes,
        study=study,
        version=version,
        config=canonical(config),
        seed=getattr(config, "seed", -1),
        versions=json.dumps({name: _version(name) for name in PACKAGES}),
        commit=_commit(),
        created=_now(),
    )
    return netcdf.write(folder() / _name(study, version, config), labelled)


def newest(study: str, version: int, config: Any, preset: str) -> Path | None:
    """Return the file of a stored cell or ``None``, and make it the newest of ``preset``.

    Raises:
        ValueError: If a file is damaged; the message has the file and a command.
    """
    file = path(study, version, config)
    if not file.is_file():
        return None
    return file if file == preset_path(study, preset) else relabel(file, preset)


def relabel(file: Path, preset: str) -> Path:
    """Make a stored cell the newest of ``preset``; return its new file.

    Other attributes do not change.  The file is written to the folder of new results, since
    the cell may come with the code.

    Raises:
        ValueError: If the file is damaged; the message has the file and a command.
    """
    dataset = read(file).assign_attrs(preset=preset, created=_now())
    return netcdf.write(folder() / file.name, dataset)


def fullest(file: Path, config: Members, version: int) -> Path:
    """Keep the gathered result of a grid with the most cells; delete the others.

    It may be another file than the given one, if another process gathered more cells.
    """
    finished = {file: 0}
    for other, attributes in stored(file.name.rsplit("-", 1)[0]):
        members = json.loads(attributes["config"])
        if other.parent == file.parent and members["grid"] == config.grid:
            current = int(attributes["version"]) == version
            finished[other] = members["finished"] if current else -1
    best = max(finished, key=lambda candidate: finished[candidate])
    for other in set(finished) - {best}:
        other.unlink(missing_ok=True)
    return best


def load(study: str, version: int, config: Any) -> xr.Dataset:
    """Read a cell, checksums included.

    Raises:
        FileNotFoundError: If it is missing; the message has the command that makes it.
        ValueError: If its file is damaged; the message has the file and a command.
    """
    file = path(study, version, config)
    if not file.is_file():
        raise FileNotFoundError(
            f"no result of {study} for this configuration in {_folder_names()}; make it with "
            f"`{command(study)}`"
        )
    return read(file)


def load_preset(study: str, preset: str) -> xr.Dataset:
    """Read the newest result of a study that was made from a preset.

    It does not need the configuration, since figures must not import the study.

    Raises:
        FileNotFoundError: If the result or some of its cells are missing; the message has
            the command that makes them.
        ValueError: If a file is damaged; the message has the file and a command.
    """
    file = preset_path(study, preset)
    if file is None:
        raise FileNotFoundError(
            f"no result of {study} with preset {preset} in {_folder_names()}; make it with "
            f"`{command(study, preset)}`"
        )
    dataset = read(file)
    require_complete(file, dataset.attrs)
    return dataset


def require_complete(file: Path, attributes: Mapping[Any, Any]) -> None:
    """Raise an error if a gathered result is not complete.

    Raises:
        FileNotFoundError: If cells are missing; the message has the command that makes them.
    """
    if not attributes.get("complete", True):
        study, preset = attributes["study"], attributes["preset"]
        raise FileNotFoundError(
            f"cells of {study} with preset {preset} are missing in {file}; make them "
            f"with `{command(study, preset)}`"
        )


def shipped(study: str) -> xr.Dataset:
    """Read the complete result at the preset ``paper`` that comes with the code.

    Raises:
        FileNotFoundError: If there is no complete result; the message has the command.
        ValueError: If a file is damaged; the message has the file and a command.
    """
    for file in sorted(SHIPPED.glob(f"{study}-*.nc")):
        dataset = read(file)
        if dataset.attrs.get("complete", 1):
            return dataset
    raise FileNotFoundError(
        f"no complete result of {study} in {SHIPPED}; make it with "
        f"`{command(study, 'paper')}`, then `sigprop sweep track {study}`"
    )


def preset_path(study: str, preset: str) -> Path | None:
    """Return the file that ``load_preset`` reads, or ``None``."""
    dated = [
        (attributes["created"], file)
        for file, attributes in stored(study)
        if attributes.get("preset") == preset
    ]
    return max(dated)[1] if dated else None


def _folder_names() -> str:
    return " or ".join(map(str, _folders()))


def stored(study: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Iterate over the files of a study's results and their attributes.

    Raises:
        ValueError: If a file is damaged; the message has the file and a command.
    """
    for file in files(study):
        try:
            attributes = netcdf.attributes(file)
        except FileNotFoundError:
            continue  # another process replaced it by one with more cells
        except PermissionError:
            raise
        except Exception as error:
            raise Damaged(file, error, None) from error
        yield file, attributes


def read(file: Path) -> xr.Dataset:
    """Read one file, and check that its contents belong to its name.

    Raises:
        Damaged: If it is damaged; the message has the file and a command.
        OSError: If it does not exist or is not readable.
    """
    with file.open("rb"):
        pass
    preset = None
    try:
        attributes = netcdf.attributes(file)
        preset = attributes.get("preset")
        says = _hash(
            attributes["study"], int(attributes["version"]), attributes["config"]
        )
        if file.stem != f"{attributes['study']}-{says}":
            raise ValueError(f"its contents belong in {attributes['study']}-{says}.nc")
        return netcdf.read(file)
    except Exception as error:  # HDF5 has many types of errors for damaged files
        raise Damaged(file, error, preset) from error


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _commit() -> str:
    """Return the commit of the source tree, marked if it has changes, or ``unknown``."""
    root = checkout()
    if root is None:
        return "unknown"
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return answer.stdout.strip()
