"""``sigprop audit FILE --data SERIES``: layers of another library over a series."""

from pathlib import Path

from sigprop.cli.console import console, require_distinct, show_table


def audit_foreign(
    checkpoint: Path, data: Path | None, json: Path | None, window: int = 512
) -> None:
    """Print both moments of three modes a layer, and write them.

    Raises:
        ValueError: If the series or a layer is missing.
    """
    import json as encoder

    from sigprop.audit.foreign import audit_layers
    from sigprop.audit.series import load_series
    from sigprop.audit.series_moments import rows_json
    from sigprop.audit.series_summary import conclusion, table
    from sigprop.networks.foreign import find, open_checkpoint
    from sigprop.networks.foreign.find import titles
    from sigprop.numerics.files import require_writable, write_text

    if data is None:
        raise ValueError(
            f"need a series, .csv or .npy, to run the layers of {checkpoint} over, got "
            "none; name it by --data (a folder of a training needs none)"
        )
    written = None if json == Path("-") else json
    require_distinct(checkpoint=checkpoint, data=data, json=written)
    if json is not None:
        require_writable(json)
    series, layers = load_series(data, window), find(open_checkpoint(checkpoint))
    if not layers:
        raise ValueError(
            f"need a recurrent layer of {titles()}, got none in {checkpoint}"
        )
    out = console(json)
    for note in series.notes:
        out.print(f"note: {note}", soft_wrap=True)
    found = audit_layers(layers, series)
    for one in found:
        rests = ", where inputs do not move its decay" if one.moved else ""
        out.print(f"{one.layer}, {one.family}{rests}", style="bold")
        show_table(out, table(one.rows), keys=2)
        out.print(conclusion(one.rows))
    if json is not None:
        rows = [
            {"layer": one.layer, "family": one.family, **row}
            for one in found
            for row in rows_json(one.rows)
        ]
        write_text(json, encoder.dumps(rows, indent=2) + "\n")
