"""Tables on narrow screens: a block a row, and no number is ever cut."""

import pytest
from rich.table import Table
from rich.text import Text

from sigprop.cli import console as cli_console


def table(**more):
    result = Table(box=None, pad_edge=False, **more)
    result.add_column("layer")
    result.add_column("moment", no_wrap=True)
    for name in ("measured value", "predicted"):
        result.add_column(name, justify="right")
    result.add_column("")
    result.add_column("reason")
    result.add_row(
        "block 1", "state", "0.123456789", "1.5e-300", "✓", "inputs are not white"
    )
    result.add_row("", "error", "2", "", "", Text("signals are not stationary"))
    result.add_row()
    result.add_row("block 2", "state", "3", "4", "", "")
    return result


def shown(width, keys=2, **more):
    out = cli_console.PlainConsole(width=width, highlight=False, markup=False)
    with out.capture() as capture:
        cli_console.show_table(out, table(**more), keys)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_a_wide_screen_has_the_table():
    lines = shown(75)
    assert lines[0].split("  ")[0] == "layer"
    assert "0.123456789" in lines[1]
    assert "block 1" in lines[1]


def test_a_narrow_screen_has_a_block_a_row_under_its_keys():
    assert shown(50, title="Moments", caption="the key") == [
        "the key",
        "",
        "Moments",
        "block 1",
        "  state",
        "    measured value 0.123456789",
        "    predicted 1.5e-300   ✓",
        "    reason inputs are not white",
        "  error",
        "    measured value 2",
        "    reason signals are not stationary",
        "block 2",
        "  state",
        "    measured value 3   predicted 4",
    ]


@pytest.mark.parametrize("width", range(31, 100))
def test_no_screen_cuts_a_number(width):
    lines = shown(width)
    text = "\n".join(lines)
    assert "0.123456789" in text
    assert "1.5e-300" in text
    assert "…" not in text
    assert max(map(len, lines)) <= width
