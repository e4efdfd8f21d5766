"""Studies and sweeps by their names, found by looking into this package.

A study is a module with a ``Config``, the presets ``SMOKE``, ``QUICK`` and ``PAPER``, and
``run(config)``.  A sweep is a grid of trainings or simulations, its cells.  A package with
``cells.py`` (one cell), ``grids.py`` (which cells) and ``gathering.py`` (one result of all
cells) has one sweep or several; ``SWEEPS`` of its ``grids.py`` has their names.
"""

import hashlib
import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

import sigprop.experiments
from sigprop.experiments import store


@cache
def studies() -> tuple[str, ...]:
    """Return the names of all studies; imports the whole package."""
    return tuple(name for name, _ in _modules() if is_study(name))


@cache
def sweeps() -> dict[str, str]:
    """Return the package of every sweep by the sweep's name."""
    packages = (name for name, package in _modules() if package)
    return {sweep: name for name in packages for sweep in part(name, "grids").SWEEPS}


def _modules() -> list[tuple[str, bool]]:
    """Return the names of all modules here; the flag is true for a package."""
    modules = pkgutil.iter_modules(sigprop.experiments.__path__)
    return [(module.name, module.ispkg) for module in modules]


def is_study(name: str) -> bool:
    """Return true if a study has this name; imports only this study."""
    return (name, False) in _modules() and hasattr(_import(name), "STUDY")


def _import(name: str) -> ModuleType:
    return importlib.import_module(f"sigprop.experiments.{name}")


def study_module(study: str) -> ModuleType:
    """Import a study.

    Raises:
        ValueError: If there is no study of that name.
    """
    if not is_study(study):
        raise ValueError(f"need a study in {', '.join(studies())}, got {study!r}")
    return _import(study)


def package_of(sweep: str) -> str:
    """Return the package that has the cells of a sweep.

    Raises:
        ValueError: If there is no sweep of that name.
    """
    if sweep not in sweeps():
        known = [name for name, package in sweeps().items() if package == sweep]
        raise ValueError(
            f"need a sweep in {', '.join(known or sweeps())}, got {sweep!r}"
        )
    return sweeps()[sweep]


def part(package: str, name: str) -> ModuleType:
    """Return the module ``cells``, ``grids`` or ``gathering`` of a package."""
    return _import(f"{package}.{name}")


def grid(sweep: str, preset: str) -> list[Any]:
    """Return the configurations of all cells of a sweep, each of them once.

    Raises:
        ValueError: If the sweep or the preset is unknown, or the grid empty.
    """
    package = package_of(sweep)
    _require_preset(sweep, preset)
    cells = list(dict.fromkeys(part(package, "grids").cells(sweep, preset)))
    if not cells:
        raise ValueError(f"need at least one cell, the grid of {sweep} is empty")
    return cells


def digest(package: str, cells: Iterable[Any]) -> str:
    """Return sixteen hexadecimal digits, a hash of these cells in this order."""
    version = part(package, "cells").VERSION
    names = " ".join(store.key(package, version, cell) for cell in cells)
    return hashlib.sha256(names.encode()).hexdigest()[:16]


def definition(name: str, preset: str) -> tuple[Any, int]:
    """Return the configuration of a study or sweep at a preset, and the version.

    Raises:
        ValueError: If the name or the preset is unknown.
    """
    _require_preset(name, preset)
    if is_study(name) or name not in sweeps():
        module = study_module(name)
        return getattr(module, preset.upper()), module.VERSION
    package, cells = sweeps()[name], grid(name, preset)
    base, gathering = (part(package, name).VERSION for name in ("cells", "gathering"))
    return store.Members(digest(package, cells), len(cells)), 1000 * base + gathering


def presets(name: str) -> tuple[str, ...]:
    """Return the presets of a study or a sweep, the smallest first.

    Some studies also have ``full``, the sizes of the paper, for larger machines.
    """
    full = is_study(name) and hasattr(_import(name), "FULL")
    return store.PRESETS + full * (store.FULL,)


def _require_preset(name: str, preset: str) -> None:
    known = presets(name)
    if preset not in known:
        raise ValueError(
            f"need a preset in {', '.join(known)} for {name}, got {preset!r}"
        )
