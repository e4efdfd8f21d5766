"""Time of whole commands and of a process that only imports JAX, in turns."""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.numerics.devices import cores

STUDY, VERSION = "speed_commands", 1
IMPORTS = ("-c", "import jax")


@dataclass(frozen=True)
class Config:
    """Command lines of ``sigprop``, and how often each runs."""

    commands: tuple[str, ...] = (
        "--help",
        "show zucchet:61",
        "show sigprop:moments",
        "claims --json -",
        "verify --claim zucchet:59",
    )
    repeats: int = 3


SMOKE = Config(("--help",), 1)
QUICK = Config()
PAPER = Config((*QUICK.commands, "verify", "ledger"))


def run(config: Config) -> xr.Dataset:
    """Measure the seconds of each command, and of the import in the same repeat.

    Raises:
        subprocess.CalledProcessError: If a command does not exit with 0.
    """
    seconds = np.empty((2, len(config.commands), config.repeats))
    for row, command in enumerate(counted(config.commands, "commands")):
        ours = "-m", "sigprop", *command.split()
        for turn in range(config.repeats):
            for which, arguments in enumerate((ours, IMPORTS)):
                seconds[which, row, turn] = _process(arguments)
    where = ("command", "repeat")
    return xr.Dataset(
        {
            "seconds": (where, seconds[0], {"units": "s"}),
            "imports": (where, seconds[1], {"units": "s"}),
        },
        {"command": list(config.commands)},
        {"dtype": "none", "cores": cores()},
    )


def _process(arguments: tuple[str, ...]) -> float:
    """Return the seconds of an interpreter with these arguments, in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments], cwd=folder, check=True, capture_output=True
        )
        return time.perf_counter() - began


def show(data: xr.Dataset) -> None:
    """Print the median time of each command, also relative to the import of JAX."""
    table = Table(box=None, header_style="bold")
    for head in ("command", "s", "imports of JAX"):
        table.add_column(head, justify="left" if head == "command" else "right")
    for command in data["command"].values:
        row = data.sel(command=command)
        ratio = float((row["seconds"] / row["imports"]).median())
        seconds = float(row["seconds"].median())
        table.add_row(f"sigprop {command}", f"{seconds:.2f}", f"{ratio:.2f}")
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main(STUDY)
