"""Run a study at a preset and store its result; the way in for command lines."""

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from experiments import store
from sigprop.numerics.interruption import interruptible

STUDIES = (
    "accuracy",
    "angle_descent",
    "basins",
    "convolution_kernel",
    "curse_of_memory",
    "hessian_structure",
    "layer_moments",
    "network_curvature",
    "network_moments",
    "normalisation",
    "one_dimensional",
    "parametrisations",
    "power_descent",
    "ring_eigenvalues",
    "ring_gain",
    "similarity",
    "speed_hessians",
    "speed_layers",
    "speed_losses",
    "speed_moments",
    "speed_training",
)


def study_module(study: str) -> ModuleType:
    """Import a study.

    Raises:
        ValueError: If there is no study of that name.
    """
    if study not in STUDIES:
        raise ValueError(f"need a study in {', '.join(STUDIES)}, got {study!r}")
    return importlib.import_module(f"experiments.{study}")


def make(
    study: str,
    preset: str = "quick",
    force: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> Path:
    """Run a study unless its result is stored; return the file.

    Afterwards ``store.load_preset`` finds this result, and not one that an older
    version or another reading of the preset left behind.

    Args:
        study: Name of the study's module.
        preset: One of ``store.PRESETS``.
        force: Whether to run even if the result is stored.
        progress: Called with a line of text at the start and at the end.

    Raises:
        ValueError: If the study or the preset is unknown, or a stored file is damaged.
    """
    if preset not in store.PRESETS:
        raise ValueError(f"need a preset in {', '.join(store.PRESETS)}, got {preset!r}")
    if study in store.SWEEPS:
        return _sweep(study, preset, force, progress)
    module = study_module(study)
    config, version = getattr(module, preset.upper()), module.VERSION
    if store.exists(study, version, config) and not force:
        file = store.path(study, version, config)
        if file != store.preset_path(study, preset):
            file = store.relabel(file, preset)
        progress(f"{study} ({preset}) is stored in {file}")
        return file
    progress(f"running {study} ({preset})")
    started = time.perf_counter()
    dataset = module.run(config)
    progress(f"{study} ({preset}) took {time.perf_counter() - started:.1f} s")
    from sigprop.numerics.devices import default_device  # JAX, where it is needed

    device = default_device()
    return store.save(study, version, config, dataset, preset=preset, device=device)


def _sweep(
    name: str, preset: str, force: bool, progress: Callable[[str], None]
) -> Path:
    from experiments import sweep

    if force:
        raise ValueError(
            f"need no --force for {name}: it is gathered from cells that are kept; "
            "delete those that are to be trained again"
        )
    done, total = sweep.count(name, preset)
    progress(f"{name} ({preset}): {done} of {total} cells are stored")
    file = sweep.run(name, preset)
    assert file is not None
    return file


def main(study: str) -> None:
    """Command line of one study: ``python -m experiments.STUDY [--preset PRESET]``."""
    module = study_module(study)
    summary = (module.__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(f"python -m experiments.{study}", None, summary)
    parser.add_argument(
        "--preset", choices=store.PRESETS, default="quick", help="size (default: quick)"
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
