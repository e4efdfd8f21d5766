"""``sigprop models``: networks of the papers, with their numbers of parameters."""

from typing import Annotated

import typer
from rich.table import Table

from sigprop.cli.console import console, plain_errors, show_table


def models(
    paper: Annotated[
        str | None,
        typer.Option(help="Only networks of this paper: lru, rotrnn, blur, zucchet."),
    ] = None,
) -> None:
    """List the papers' networks and their parameter counts."""
    with plain_errors():
        import equinox as eqx
        import jax

        from sigprop.networks import all_presets, build, parameter_table

        presets = all_presets()
        papers = dict.fromkeys(name.split("-")[0] for name in presets)
        if paper is not None and paper.casefold() not in papers:
            raise ValueError(f"need a paper in {', '.join(papers)}, got {paper!r}")
        paper = paper and paper.casefold()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("network", "blocks x width, state"):
            table.add_column(name, no_wrap=True)
        for name, config in presets.items():
            if paper not in (None, name.split("-")[0]):
                continue
            network, _ = eqx.filter_eval_shape(build, config, key=jax.random.key(0))
            counts = parameter_table(network)
            if len(table.columns) == 2:
                for part in counts:
                    table.add_column(part, justify="right", no_wrap=True)
            size = f"{config.depth} x {config.width}, {config.state_size}"
            table.add_row(name, size, *(f"{n:,}" for n in counts.values()))
        show_table(console(), table)
