"""BLUR (2025), Figure 7: errors of models along the horizon."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import horizons, series, style

STUDY = "forecasts"
STUDIES = dict.fromkeys("abc", STUDY)
METRICS = {"a": "mse", "b": "mae", "c": "mse"}
ROWS = ("ab", "c")
PAPER, OURS = "ETTm1", "ETTh1"
HORIZONS = {PAPER: (24, 48, 96, 288, 672), OURS: (24, 48, 168, 336, 720)}
CAPTION = (
    "{table}, all features, scaled units. Dots: means over {seeds} trainings with standard "
    "errors; open diamonds: what the paper prints; grey: forecasts without a network."
)
HOLLOW = "C: hollow dots, other layers that read a window from both ends, as BLUR does."


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Errors of BLUR and LRU over the horizons that were trained, and of all layers at one.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    rows = [row for row in ROWS if set(row) & set(letters)]
    wide = style.WIDTH if len(letters) > 1 or letters == ("c",) else 3.1
    with style.styled():
        drawn = style.figure(0.5 + 2.4 * len(rows) + (wide < style.WIDTH), wide)
        for part, row in zip(style.stacked(drawn, [1] * len(rows)), rows, strict=True):
            wanted = [letter for letter in row if letter in letters]
            panels = part.subplots(1, len(wanted), squeeze=False)[0]
            for axes, letter in zip(panels, wanted, strict=True):
                _panel(axes, data, _table(results), letter)
            lines = panels[0].get_legend_handles_labels()
            ncols = min(len(lines[0]), int(wide))
            part.legend(*lines, loc="outside upper center", ncols=ncols)
        style.caption(drawn, *_notes(data, _table(results), letters))
    return drawn


def _panel(axes: Axes, data: xr.Dataset, name: str, letter: str) -> None:
    metric = METRICS[letter]
    if letter == "c":
        task = series.richest(data)
        horizons.by_layer(axes, data, task, metric)
        style.letter(axes, letter, f"all layers, {series.told(task)}")
    else:
        horizons.over_horizons(axes, data, name, metric)
        style.letter(axes, letter, horizons.METRICS[metric])


def _notes(data: xr.Dataset, name: str, letters: tuple[str, ...]) -> list[str]:
    seeds = len(set(data["seed"].values.tolist()))
    hollow = [HOLLOW] * bool(
        "c" in letters and series.others(data, series.richest(data))
    )
    lacking = [horizons.missing(data, *one) for one in HORIZONS.items()]
    lacking = lacking if set(letters) & set("ab") else []
    told = " ".join([CAPTION.format(table=name, seeds=seeds), *hollow])
    return [told, *filter(None, lacking)]


def _table(results: style.Results) -> str:
    """The paper's data set where it was trained, ours elsewhere, or the first."""
    known = [name for name, _ in series.tasks(results[STUDY])]
    return next((name for name in (PAPER, OURS) if name in known), known[0])


def shown(results: style.Results) -> str:
    """Whose error is least at each horizon, and whether errors grow with it."""
    data, name = results[STUDY], _table(results)
    known = horizons.errors(data, name, "mse")
    told = []
    for place, (horizon, *_) in enumerate(known["blur"]):
        blur, lru = (known[model][place][1] for model in ("blur", "lru"))
        told.append(f"{blur / lru:.3f} at {int(horizon)}")
    grown = {
        model: bool((rows[1:, 1] > rows[:-1, 1]).all()) for model, rows in known.items()
    }
    both = "Both errors" if all(grown.values()) else "Not both errors"
    grows = f" {both} grow with the horizon." if len(told) > 1 else ""
    return (
        f"On {name}, BLUR's squared error relative to the LRU's is {', '.join(told)}."
        f"{grows}{_order(data)}"
    )


def _order(data: xr.Dataset) -> str:
    """All layers on a task by their errors, if there are more than two."""
    task = series.richest(data)
    if not series.others(data, task):
        return ""
    names = series.MODELS | series.OTHERS
    told = "; ".join(
        f"{names[model][0]} {mean:.3f}"
        for model, (mean, *_) in horizons.ranked(data, task, "mse").items()
    )
    return f" Errors on {series.told(task)}, the smallest first: {told}."
