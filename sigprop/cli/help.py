"""Help of the program: all commands in the order of use, each with an example.

The module also contains the option ``--version``.
"""

import shlex
import sys
from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import typer
from typer.core import TyperGroup

from sigprop.numerics.text import plain, plain_name
from sigprop.theory.claims import PAPERS

PAPER_HELP = f"Only claims of this paper: {', '.join(PAPERS)}."
MAPPING_HELP = (
    "Layers that are not recognised: a TOML or JSON file that names their arrays, such as "
    "decay = 'layers.*.forget'; see docs/name_your_layers.md."
)
JSON_HELP = "Write the results as JSON to this file, or print them if the name is '-'."

GROUPS = {
    "Check a statement": {
        "verify": "sigprop verify --claim zucchet:59",
        "claims": "sigprop claims --paper lru",
        "show": "sigprop show zucchet:59",
        "ledger": "sigprop ledger --html ledger",
        "benchmark": "sigprop benchmark write statements",
    },
    "Reproduce a paper": {
        "figure": "sigprop figure zucchet-1a",
        "table": "sigprop table lru-7",
        "notebooks": "sigprop notebooks pages",
        "site": "sigprop site pages",
        "sweep": "sigprop sweep status",
    },
    "Train and study": {
        "models": "sigprop models --paper lru",
        "train": "sigprop train digits --model rotrnn --seeds 5",
        "bench": "sigprop bench --quick",
    },
    "Examine a checkpoint or a series": {
        "audit": "sigprop audit runs/digits-rotrnn-quick/seed-0",
        "lint": "sigprop lint model.safetensors --length 4096",
        "advise": "sigprop advise --length 16384 --rho 0.9 --state 256",
        "series": "sigprop series ETTh1.csv",
    },
}
"""Commands with an example, by what a user comes for."""

EXAMPLES = {
    **{name: line for group in GROUPS.values() for name, line in group.items()},
    "benchmark write": "sigprop benchmark write statements --planted 20",
    "benchmark score": "sigprop benchmark score statements/answers.json",
    "sweep run": "sigprop sweep run memory_gap --workers 2",
    "sweep status": "sigprop sweep status --preset paper",
    "sweep check": "sigprop sweep check memory_gap",
    "sweep track": "sigprop sweep track memory_gap",
}
"""By the words that call a command, in the order in which they are of use."""

# Depending on its version, Typer uses click's classes or its own copies of them.
Context: TypeAlias = Any
Formatter: TypeAlias = Any
ClickException: type[Exception] = next(
    cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException"
)

CONTEXT = {"help_option_names": ["-h", "--help"]}


class Commands(TyperGroup):
    """Commands in the order of ``EXAMPLES``.

    Messages quote what the user typed without control characters.
    """

    def list_commands(self, ctx: Context) -> list[str]:
        """Names of the commands; commands without an example are last."""
        names = [_command_line(ctx, name) for name in super().list_commands(ctx)]
        order = {name: rank for rank, name in enumerate(EXAMPLES)}
        names.sort(key=lambda name: order.get(name, len(order)))
        return [name.rpartition(" ")[2] for name in names]

    def get_command(self, ctx: Context, cmd_name: str) -> Any:
        """A command, with its example at the end of its help."""
        command = super().get_command(ctx, cmd_name)
        example = EXAMPLES.get(_command_line(ctx, cmd_name))
        if command is not None and example is not None:
            command.epilog = f"Example: {example}"
        return command

    def format_commands(self, ctx: Context, formatter: Formatter) -> None:
        """Write the commands, grouped by purpose."""
        if ctx.parent is not None:
            super().format_commands(ctx, formatter)
            return
        for title, names in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(formatter.width))
                        for name, command in commands
                    ]
                )

    def format_epilog(self, ctx: Context, formatter: Formatter) -> None:
        """Write an example of every command."""
        names = (_command_line(ctx, name) for name in self.list_commands(ctx))
        with formatter.section("Examples"):
            for name in names:
                if name in EXAMPLES:
                    formatter.write_text(EXAMPLES[name])

    def make_context(
        self, info_name: str | None, args: list[str], *arguments: Any, **more: Any
    ) -> Context:
        """Make the context as click does, but refuse empty values.

        An empty path would mean the current folder.
        """
        try:
            for arg in args:
                if not arg or (arg.startswith("--") and arg.endswith("=")):
                    raise typer.BadParameter(
                        f"need a value, got the empty {arg or 'text'}; give one, or leave "
                        "the option out"
                    )
            return super().make_context(info_name, args, *arguments, **more)
        except ClickException as error:
            raise _quoted(error) from None

    def invoke(self, ctx: Context) -> Any:
        """Invoke the command; its messages have no control characters."""
        try:
            return super().invoke(ctx)
        except ClickException as error:
            raise _quoted(error) from None


def _command_line(ctx: Context, name: str) -> str:
    """Words that call a command, without the name of the program."""
    words = [name]
    while ctx.parent is not None:
        words.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(words)


def command_line() -> str:
    """The command line of the running command, which runs it again."""
    package = ClickException.__module__.rpartition(".")[0]
    context = sys.modules[f"{package}.globals"].get_current_context(silent=True)
    if context is None:
        return "sigprop"
    commands, parent = [], context
    while parent.parent is not None:
        commands.insert(0, parent.info_name or "")
        parent = parent.parent
    arguments = [*_explicit(context)]
    return plain_name(shlex.join(["sigprop", *commands, *arguments]))


def _explicit(context: Context) -> Iterator[str]:
    """Arguments and options that the user gave, arguments first."""
    parameters = context.command.params
    for parameter in sorted(
        parameters, key=lambda parameter: parameter.param_type_name != "argument"
    ):
        source = context.get_parameter_source(parameter.name)
        if source is None or source.name not in ("COMMANDLINE", "ENVIRONMENT"):
            continue
        value = context.params[parameter.name]
        if parameter.param_type_name == "argument":
            yield str(value)
        elif getattr(parameter, "is_flag", False):
            yield (parameter.opts if value else parameter.secondary_opts)[-1]
        else:
            for each in value if isinstance(value, list | tuple) else (value,):
                yield from (parameter.opts[-1], str(each))


def _quoted(error: Exception) -> Exception:
    vars(error)["message"] = plain(getattr(error, "message", ""))
    return error


def version() -> str:
    """Name and version of the program, if it is installed."""
    from importlib import metadata

    try:
        return f"sigprop {metadata.version('sigprop')}"
    except metadata.PackageNotFoundError:
        return "sigprop, from a source tree that is not installed"


def _show_version(wanted: bool) -> bool:
    if not wanted:
        return False
    typer.echo(version())
    raise typer.Exit


def main_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Derive, evaluate and verify the theory of linear recurrent networks."""
