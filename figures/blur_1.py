"""BLUR (2025), Figure 1: numbers of parameters against the error of a forecast."""

from matplotlib.figure import Figure

from figures import series, style

STUDY = "forecasts"
STUDIES = {"a": STUDY}
MARKERS = ("o", "s", "^")
CAPTION = (
    "Mean squared errors on the test in scaled units, a line a task: of the exact linear "
    "model, of LRU and of BLUR; of the networks the mean of {seeds} trainings with its "
    "error."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Errors of the linear model, LRU and BLUR over their parameters, task by task.

    Raises:
        ValueError: If there is no such panel.
    """
    style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(2.9)
        axes = drawn.subplots()
        for task, marker in zip(series.tasks(data), MARKERS, strict=False):
            points = _points(data, task)
            named = f"{series.SETS.get(task[0], task[0])}, horizon {task[1]}"
            across, up, _, _ = zip(*points.values(), strict=True)
            axes.plot(
                *(across, up), color=style.GREY, marker=marker, lw=0.7, label=named
            )
            for name, (parameters, error, bar, colour) in points.items():
                told = name if marker == MARKERS[0] else None
                axes.errorbar(
                    *(parameters, error, bar), fmt=marker, color=colour, label=told
                )
        axes.set_xscale("log")
        axes.margins(y=0.2)
        axes.set(xlabel="parameters", ylabel="mean squared error")
        drawn.legend(loc="outside right upper", fontsize=6)
        style.letter(axes, "a", "error over parameters")
        seeds = len({*data["seed"].values.tolist()})
        style.caption(drawn, CAPTION.format(seeds=seeds))
    return drawn


def _points(data, task: tuple[str, int]) -> dict[str, tuple[float, float, float, str]]:
    """By name the parameters, the mean error, its standard error and a colour."""
    label, colour = series.CONTROLS["linear"]
    horizon = task[1]
    known = series.controls(series.cells(data, *task, "blur"))["linear"]
    points = {label: (float(horizon * (horizon + 1)), known, 0.0, colour)}
    for model, (label, colour, _) in series.MODELS.items():
        rows = series.cells(data, *task, model)
        errors = rows["test_mse"].values
        bar = float(style.standard_error(errors)) if len(errors) > 1 else 0.0
        points[label] = (
            float(rows["parameters"][0]),
            float(errors.mean()),
            bar,
            colour,
        )
    return points


def shown(results: style.Results) -> str:
    """On how many tasks more parameters bring a smaller error than the linear model's."""
    data = results[STUDY]
    better, told = 0, []
    for task in series.tasks(data):
        (parameters, linear, *_), *others = _points(data, task).values()
        best = min(error for _, error, *_ in others)
        better += best < linear
        most = max(count for count, *_ in others)
        told.append(
            f"{series.SETS.get(task[0], task[0])} at {task[1]}: {linear:.3f} with "
            f"{parameters:,.0f} parameters, {best:.3f} with up to {most:,.0f}"
        )
    return (
        f"The better network beats the linear model at {better} of {len(told)} tasks: "
        f"{'; '.join(told)}."
    )
