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
    unfinished as unfinished,  # figures are written by it too
)

PACKAGES = ("sigprop", "jax", "numpy", "scipy", "sympy")
HERE = Path(__file__).resolve().parent  # the package may have a link to it
SHIPPED = HERE / "results" / "paper"
PRESETS = ("smoke", "quick", "paper")
FULL = "full"  # of studies whose ``paper`` is smaller than the paper
DIGITS = 16  # hexadecimal, of a cell's key


@dataclass(frozen=True)
class Members:
    """The configuration of a gathered result: a hash of its grid, and how much is in it."""

    grid: str
    finished: int


class Damaged(ValueError):
    """A file that cannot be read: its name, the reason, and the command for a new one."""

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
    """The configuration as JSON: all fields, sorted, the same on every machine.

    Raises:
        ValueError: If a field holds a NaN or infinity, which JSON has no word for.
    """
    fields = dataclasses.asdict(config)
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(study: str, version: int, config: str) -> str:
    text = json.dumps([study, version, config])
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def key(study: str, version: int, config: Any) -> str:
    """Sixteen hexadecimal digits that name the cell."""
    return _hash(study, version, canonical(config))


def path(study: str, version: int, config: Any) -> Path:
    """The file of a cell: where it is, or where it would be written."""
    possible = paths(study, version, config)
    return next((file for file in possible if file.is_file()), possible[0])


def paths(study: str, version: int, config: Any) -> list[Path]:
    """All files of a cell that there may be, the first one first."""
    name = _name(study, version, config)
    return [parent / name for parent in _folders()]


def _name(study: str, version: int, config: Any) -> str:
    return f"{study}-{key(study, version, config)}.nc"


def files(study: str) -> list[Path]:
    """All files of a study's results, sound or not."""
    return [
        file for parent in _folders() for file in sorted(parent.glob(f"{study}-*.nc"))
    ]


def exists(study: str, version: int, config: Any) -> bool:
    """True where a result of this cell is stored, be it sound or not."""
    return path(study, version, config).is_file()


def command(study: str, preset: str | None = None) -> str:
    """The command that makes a result, for messages."""
    return f"sigprop sweep run {study} --preset {preset or 'quick'}"


def save(
    study: str, version: int, config: Any, dataset: xr.Dataset, **attributes: Any
) -> Path:
    """Write a cell under a temporary name, then move it in place.

    Args:
        study: Name of the study's module.
        version: Its version number: raise it when the meaning of its numbers changes.
        config: Its frozen dataclass.
        dataset: The result; scalars belong in its attributes, since a variable without
            a dimension can carry no checksum.
        attributes: What else to record: ``preset``, ``device``, ...

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
    """The file of a stored cell, made the newest of ``preset`` if it is not.

    Raises:
        ValueError: If a file is damaged; names the file and what to do.
    """
    file = path(study, version, config)
    if not file.is_file():
        return None
    return file if file == preset_path(study, preset) else relabel(file, preset)


def relabel(file: Path, preset: str) -> Path:
    """Make a stored cell the newest of ``preset``; what it says of its origin stays.

    Written where new results go: the file may be one that came with the code.

    Raises:
        ValueError: If the file is damaged; names the file and what to do.
    """
    dataset = read(file).assign_attrs(preset=preset, created=_now())
    return netcdf.write(folder() / file.name, dataset)


def fullest(file: Path, config: Members, version: int) -> Path:
    """Keep the complete gathered result of a grid beside a file, and delete the others.

    Another process may have gathered more cells meanwhile.
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
        FileNotFoundError: If it is missing; names the command that makes it.
        ValueError: If its file is damaged; names the file and what to do.
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

    For figures, which must not import the study: its configuration is not needed.

    Raises:
        FileNotFoundError: If there is none, or cells of it are; names the command that
            makes them.
        ValueError: If a file is damaged; names the file and what to do.
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
    """Refuse a gathered result of some cells.

    Raises:
        FileNotFoundError: If cells are missing; names the command that makes them.
    """
    if not attributes.get("complete", True):
        study, preset = attributes["study"], attributes["preset"]
        raise FileNotFoundError(
            f"cells of {study} with preset {preset} are missing in {file}; make them "
            f"with `{command(study, preset)}`"
        )


def shipped(study: str) -> xr.Dataset:
    """Read the result at the preset ``paper`` that comes with the code, and no other.

    Raises:
        FileNotFoundError: If there is none that is complete; names the command.
        ValueError: If a file is damaged; names the file and what to do.
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
    """The file that ``load_preset`` reads, if there is one."""
    dated = [
        (attributes["created"], file)
        for file, attributes in stored(study)
        if attributes.get("preset") == preset
    ]
    return max(dated)[1] if dated else None


def _folder_names() -> str:
    return " or ".join(map(str, _folders()))


def stored(study: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every stored result of a study with its attributes, unread otherwise.

    Raises:
        ValueError: If a file is damaged; names the file and what to do.
    """
    for file in files(study):
        try:
            attributes = netcdf.attributes(file)
        except FileNotFoundError:
            continue  # another process has put a fuller one in its place
        except PermissionError:
            raise
        except Exception as error:
            raise Damaged(file, error, None) from error
        yield file, attributes


def read(file: Path) -> xr.Dataset:
    """Read one file whole, and check that it holds what its name says.

    Raises:
        Damaged: If it is damaged; names the file and what to do.
        OSError: If it is not there, or may not be read.
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
    except Exception as error:  # HDF5 reports damage through a dozen types of error
        raise Damaged(file, error, preset) from error


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _commit() -> str:
    """The commit of the source tree, marked if it has changes; a label, so no error."""
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
