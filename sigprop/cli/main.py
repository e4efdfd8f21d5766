"""The program ``sigprop`` with all its commands.

A command imports heavy modules only when it needs them.  Help, ``claims`` and ``show``
thus answer at once and without JAX.
"""

import os

# More threads than cores inside one small linear-algebra call only slow it down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import typer

from sigprop.cli.advise import advise
from sigprop.cli.audit import audit
from sigprop.cli.bench import bench
from sigprop.cli.benchmark import benchmark
from sigprop.cli.claims import claims, show
from sigprop.cli.figure import figure
from sigprop.cli.help import CONTEXT, Commands, main_options
from sigprop.cli.ledger import ledger
from sigprop.cli.lint import lint
from sigprop.cli.models import models
from sigprop.cli.notebooks import notebooks
from sigprop.cli.series import series
from sigprop.cli.site import site
from sigprop.cli.sweep import sweeps
from sigprop.cli.table import tables
from sigprop.cli.train import train
from sigprop.cli.verify import verify

app = typer.Typer(
    cls=Commands,
    context_settings=CONTEXT,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Derive, simulate and check the theory of signal propagation in linear recurrent "
    "networks. theory/GLOSSARY.md explains the terms.",
)
app.callback()(main_options)
app.command()(verify)
app.command()(claims)
app.command()(show)
app.command()(ledger)
app.add_typer(benchmark)
app.add_typer(sweeps)
app.command()(figure)
app.command()(notebooks)
app.command()(site)
app.command("table")(tables)
app.command()(models)
app.command()(train)
app.command()(series)
app.command()(audit)
app.command()(lint)
app.command()(advise)
app.command()(bench)
