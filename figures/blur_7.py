"""BLUR (2025), Figure 7: errors of models along the horizon."""

from matplotlib.figure import Figure

from figures import horizons, series, style

STUDY = "forecasts"
STUDIES = dict.fromkeys("ab", STUDY)
METRICS = {"a": "mse", "b": "mae"}
PAPER, OURS = "ETTm1", "ETTh1"
HORIZONS = {PAPER: (24, 48, 96, 288, 672), OURS: (24, 48, 168, 336, 720)}
CAPTION = (
    "{table}, all features, scaled units. Dots: means over {seeds} trainings with standard "
    "errors; open diamonds: what the paper prints; grey: forecasts without a network."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Squared and absolute errors of BLUR and LRU over the horizons that were trained.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    name = _table(results)
    with style.styled():
        drawn = style.figure(2.8, 0.7 + 2.4 * len(letters))
        row = drawn.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            horizons.over_horizons(axes, data, name, METRICS[letter])
            style.letter(axes, letter, horizons.METRICS[METRICS[letter]])
        lines = row[0].get_legend_handles_labels()
        ncols = min(len(lines[0]), int(drawn.get_figwidth()))
        drawn.legend(*lines, loc="outside upper center", ncols=ncols)
        seeds = len(set(data["seed"].values.tolist()))
        lacking = [
            horizons.missing(data, table, rows) for table, rows in HORIZONS.items()
        ]
        told = CAPTION.format(table=name, seeds=seeds)
        style.caption(drawn, told, *filter(None, lacking))
    return drawn


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
    both = "of both" if all(grown.values()) else "not of both"
    grows = f"; the error {both} grows with the horizon" if len(told) > 1 else ""
    return f"On {name} BLUR's squared error in the LRU's is {', '.join(told)}{grows}."
