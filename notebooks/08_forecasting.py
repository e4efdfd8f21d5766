# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Forecast a series, and ask theory about the network
#
# A network reads a window of a time series and forecasts the rows that follow. How large is
# the forecast's error, and how reliable are its error bars? The theory of sigprop assumes
# stationary inputs. Does this theory predict the states inside the network?
#
# The series is the weekly concentration of carbon dioxide (CO2) over Mauna Loa, which
# statsmodels contains. To use your own `.csv` file with a column of times, put its path
# into the next code cell.
#
# **You need** basic experience with training a network, and the definition of an
# autocovariance. **You learn** to compare a forecast with simple forecasts, to compute error
# bars and to check them. You also learn which assumptions of the theory a real series
# violates.

# %%
# %matplotlib inline
import dataclasses
import tempfile
from pathlib import Path

import jax
import matplotlib.pyplot as plt
import numpy as np
import pandas
from IPython.display import Markdown, display

from sigprop.audit import (
    FORECAST_REASONS,
    audit_forecaster,
    blocks_of,
    failing_assumption,
)
from sigprop.experiments import store
from sigprop.figures import horizons, lessons, series, style
from sigprop.networks import build
from sigprop.tasks import Forecasts, load_table, read_table
from sigprop.training import (
    altered,
    controls,
    fit_forecaster,
    forecast_preset,
    forecasts,
)

lessons.use()

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "co2.csv"
    known = load_table("co2")
    values = pandas.DataFrame(known.values, known.times, known.features)
    values.to_csv(path, index_label="date")
    table = read_table(path)
task = Forecasts(table, length=52, horizon=26)
print(
    f"The table has {len(table.values)} rows. One step is {table.step}, and a season has "
    f"{table.step.season} steps."
)
windows = {part: task.count(part) for part in ("train", "validation", "test")}
print(f"Number of windows: {windows}")

# %% [markdown]
# A window has 52 rows, and the network forecasts the next 26 rows. The training rows precede
# the validation rows, and the validation rows precede the test rows. We subtract the mean of
# the training rows and divide by their standard deviation. Errors are in units of this
# standard deviation. Scaling with later rows would make any network look too good.
#
# ## Simple forecasts for comparison
#
# Four forecasts need no network. They are the last value, a repetition of the last season,
# the mean of the training rows (climatology), and a linear map. The linear map from a window
# to the following rows is fitted by least squares. The next cell prints the mean squared
# error (MSE) and the mean absolute error (MAE) of each forecast on the test rows.

# %%
need = {name: errors for name, errors in controls(task).items() if errors is not None}
for name, errors in need.items():
    print(f"{name:12} MSE {errors.mse:.4f}, MAE {errors.mae:.4f}")
best = min(need, key=lambda name: need[name].mse)
worst = max(need, key=lambda name: need[name].mse)
display(
    Markdown(
        f"The best simple forecast is *{best}*. Its mean squared error is "
        f"{need[worst].mse / need[best].mse:,.0f} times smaller than that of *{worst}*."
    )
)

# %% [markdown]
# ## The network
#
# The bidirectional network BLUR reads a window in both directions, with one linear recurrent
# unit (LRU) for each direction. A linear map merges the two states. Before the network reads
# a window, we subtract the window's last value, and we add this value to the forecast.
# `sigprop train forecast --data co2 --model blur --horizon 26` trains a network with more
# neurons for more steps. It writes to a folder, from which an interrupted training resumes.

# %%
whole = forecast_preset("blur", "quick", task)
small = dataclasses.replace(
    whole.network, width=32, state_size=16, layer_options={"r_min": 0.0, "r_max": 1.0}
)
recipe = altered(dataclasses.replace(whole, network=small), 300, 4e-3, "float32")
fitted = fit_forecaster(recipe, task)
prediction = forecasts(recipe, fitted.network, fitted.state, task)
mine = prediction.sel(forecaster="model")
error = float(mine["mse"].mean())
comparison = "better" if error < need[best].mse else "worse"
display(
    Markdown(
        f"After {fitted.step} steps the network's mean squared error on the test rows is "
        f"{error:.4f}. This is {error / need[best].mse:.2f} times that of *{best}*, so the "
        f"network is {comparison}. The error of the last value is "
        f"{need['last value'].mse / error:.1f} times that of the network."
    )
)

# %% [markdown]
# In the next figure the left panel shows the error during training: each batch (grey) and the
# validation rows (black). The right panel shows the test error for each number of weeks ahead.
# Look for the forecast with the smallest error one week ahead and many weeks ahead.

# %%
figure, (left, right) = plt.subplots(1, 2)
records = fitted.records
left.plot(records["loss"].ravel(), linewidth=0.6, color=style.GREY)
left.plot(records["step"], records["validation_mse"], "o-", color=style.BLACK)
left.set(xlabel="step", ylabel="mean squared error", yscale="log")
left.set_title("batches (line), validation (dots)")
steps = prediction["step"].values
right.plot(steps, mine["mse"].mean("feature"), color=style.BLACK, label="network")
for name, colour in zip(
    ("linear", "season", "last value"),
    (style.BLUE, style.GREEN, style.VERMILION),
    strict=True,
):
    curve = prediction["mse"].sel(forecaster=name).mean("feature")
    right.plot(steps, curve, color=colour, label=name)
right.set(xlabel="weeks ahead", yscale="log")
right.set_title("mean squared error on the test rows")
right.legend()
plt.show()
late, early = (float(mine["mse"].mean("feature")[index]) for index in (-1, 0))
print(
    f"The error {steps[-1]} weeks ahead is {late / early:.1f} times the error one week ahead."
)

# %% [markdown]
# ## Other layers
#
# The recurrent layer is one part of a network. For example, `--model s4` changes only this
# layer and keeps the output layer, the width and the training. We compare layers on ETTh1, the
# hourly loads of an electrical transformer. Each training takes some minutes, so sigprop
# stores the results of three trainings for each layer. In the figure, dots are means with one
# standard error and grey lines are simple forecasts. Open diamonds are the values that the
# BLUR paper prints for its own networks. Look for dots to the left of the solid grey line, the
# linear map.

# %%
trained = store.shipped("forecasts")
where = series.richest(trained)
ranks = horizons.ranked(trained, where, "mse")
names = {model: about[0] for model, about in (series.MODELS | series.OTHERS).items()}
known = series.controls(series.cells(trained, *where, "blur"))
figure, axis = plt.subplots()
horizons.by_layer(axis, trained, where, "mse")
axis.set_title(series.task_label(where))
axis.legend()
plt.show()
first, *_, last = ranks
beating = [names[model] for model in ranks if ranks[model][0] < known["linear"]]
twins = {"lru": "bidirectional_lru", "gru": "bgru", "lstm": "blstm"}
twins |= {model: f"bidirectional_{model}" for model in ("rotrnn", "s4")}
helped = [name for name, both in twins.items() if ranks[both][0] < ranks[name][0]]
display(
    Markdown(
        f"*{names[first]}* has the smallest mean squared error, {ranks[first][0]:.3f}, and "
        f"*{names[last]}* the largest, {ranks[last][0]:.3f}. The linear map has "
        f"{known['linear']:.3f}. These layers have a smaller error than the linear map: "
        f"{', '.join(beating) or 'none'}. In {len(helped)} of {len(twins)} layers the "
        "bidirectional version has the smaller mean error."
    )
)

# %% [markdown]
# ## Error bars
#
# For each number of weeks ahead, the errors on the validation rows give an interval. It
# extends from the 5 % quantile to the 95 % quantile of these errors. The interval contains 90
# % of future values only if future errors have the same distribution. So we count how many
# test rows lie inside. The left panel shows one forecast with its interval. In the right
# panel, look at the distance between the share inside the interval and the grey line at 90 %.

# %%
index = len(prediction["window"]) // 2
example = prediction.isel(window=index, feature=0)
limits = prediction.isel(feature=0)
figure, (left, right) = plt.subplots(1, 2, width_ratios=(2, 1))
low, high = example["forecast"] + limits["lower"], example["forecast"] + limits["upper"]
left.fill_between(steps, low, high, color=style.GREY, alpha=0.4, linewidth=0)
left.plot(steps, example["forecast"], color=style.BLACK, label="forecast")
left.plot(steps, example["truth"], color=style.VERMILION, label="truth")
left.set(xlabel="weeks ahead", ylabel="CO$_2$, ppm")
left.set_title(f"from {str(example['window'].values)[:10]}")
left.legend()
right.plot(steps, limits["coverage"], color=style.BLACK)
right.axhline(0.9, color=style.GREY, zorder=0)
right.set(xlabel="weeks ahead", ylim=(0, 1))
right.set_title("share inside the interval")
plt.show()
inside = float(prediction["coverage"].mean())
bound = "less than" if abs(inside - 0.9) < 0.05 else "at least"
width = float((limits["upper"] - limits["lower"]).mean())
display(
    Markdown(
        f"{inside:.0%} of the true values lie inside the intervals; the target is 90%. The "
        f"difference is {bound} 5 percentage points. The mean width of the intervals is "
        f"{width:.1f} ppm."
    )
)

# %% [markdown]
# ## The assumptions of the theory and the series
#
# The second moments of a linear recurrence follow from its eigenvalues and the autocovariance
# of its input *if* the input is stationary. The simplest formulas of the papers also assume
# independent channels and a white input. We measure one number for each assumption on windows
# of the test rows:
#
# - *stationary*: mean square in the last quarter of a window, divided by that in the first;
# - *seasonless*: share of the mean square that the seasonal mean explains;
# - *Gaussian*: fourth central moment divided by the squared variance;
# - *independent*: effective number of independent channels over the number of channels;
# - *white*: two correlations, of successive steps and of steps one season apart.
#
# Windows overlap, so we compute the 95 % intervals from blocks of time.

# %%
blocks = blocks_of(task, recipe.head, "test", 128, 8)
report = audit_forecaster(fitted.network, fitted.state, blocks, table.step.season)
rows = [
    "| assumption | number if it holds | measured | 95 % interval |",
    "|---|---|---|---|",
]
shown = report["number"].isel(signal=0)
broken = []
for name in report["assumption"].values.tolist():
    low, middle, high = shown.sel(assumption=name).values
    assumed = float(report["assumed"].sel(assumption=name))
    if np.isfinite(middle):
        rows.append(
            f"| {name} | {assumed:g} | {middle:.2f} | {low:.2f} to {high:.2f} |"
        )
        broken += [name] if low > assumed or high < assumed else []
display(Markdown("\n".join(rows)))
display(
    Markdown(
        "The series, as the network reads it, violates these assumptions: "
        f"{', '.join(broken)}."
    )
)

# %% [markdown]
# ## The state at each position of the window
#
# A recurrence starts from the zero state, so its mean squared state grows from the start of
# the window. For stationary inputs the theory predicts this growth at every position. A
# recurrence that runs backwards starts at the end of the window. But the network reads each
# window relative to its last value. So the input is small at the end of the window for every
# series.
#
# In the figure, black lines are measured and the grey bands are 95 % intervals. The blue line
# uses the measured autocovariance (stationary), the orange line assumes white inputs. Look at
# the distance from the black line at both ends.

# %%
names = report["recurrence"].values.tolist()[:2]
figure, axes = plt.subplots(1, 2, sharey=True)
for axis, name in zip(axes, names, strict=True):
    recurrence = report.sel(recurrence=name)
    low, middle, high = recurrence["measured"].values
    axis.fill_between(
        recurrence["position"], low, high, color=style.GREY, alpha=0.4, linewidth=0
    )
    axis.plot(recurrence["position"], middle, color=style.BLACK, label="measured")
    for rung, colour in (("stationary", style.BLUE), ("white", style.VERMILION)):
        values = recurrence["predicted"].sel(rung=rung)
        axis.plot(recurrence["position"], values, color=colour, label=rung)
    axis.set(xlabel="position in the window", yscale="log")
    axis.set_title(name)
axes[0].set_ylabel(r"$E\,\|h\|^2$")
axes[0].legend()
plt.show()
for name in names:
    recurrence = report.sel(recurrence=name, end="middle")
    start, end = (
        float(recurrence["edges"].sel(edge=edge)) for edge in ("start", "end")
    )
    flat = float(recurrence["ratio"].sel(rung="stationary"))
    first = FORECAST_REASONS.get(failing_assumption(report, name), "nothing")
    display(
        Markdown(
            f"{name}: averaged over the window, the stationary theory predicts {flat:.2f} "
            f"times the measured value. This ratio is {start:.2f} in the first tenth of the "
            f"window and {end:.2f} in the last tenth. The first reason for failure is: "
            f"{first}."
        )
    )

# %% [markdown]
# ## Information lost by merging the states
#
# At each step the two complex states together have four real numbers for every neuron. The
# merge maps them to as many numbers as there are features. We ask two questions. How many
# independent numbers of the window do the states and the merged state contain? Which share of
# the states' mean square is lost, even for the best linear reconstruction?

# %%
for name in report["merge"].values.tolist():
    merge = report.sel(merge=name)
    pair, merged = (int(merge["rank"].sel(part=part)) for part in ("pair", "merged"))
    high, middle, low = 1 - merge["kept"].sel(part="pair").values
    display(
        Markdown(
            f"{name}: the two states contain {pair} independent numbers of the window, the "
            f"merged state contains {merged}. The merged state loses {middle:.2%} of the "
            f"mean square (95 % interval {low:.2%} to {high:.2%})."
        )
    )

# %% [markdown]
# The first number is a rank. A rank counts all directions equally, even if the inputs hardly
# vary along them. A smooth series varies along few directions, so the loss of mean square is
# small.
#
# ## Exercises
#
# 1. By what factor does the width of the interval grow from the first week to the last?
# 2. Does the stationary theory describe the trained network better than the untrained network?
#    For each network, take the first recurrence and compare the largest deviations at the ends.
# 3. Let the network read windows relative to their mean instead of their last value. Is the
#    mean square at the end of the window still smaller than at the start?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. Divide the last width by the first.
widths = (limits["upper"] - limits["lower"]).values
print(f"The width grows by a factor of {widths[-1] / widths[0]:.1f}.")


# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. Compute the factor between theory and measurement at the worse end, up or down.
def worst_edge(data):
    edges = data["edges"].sel(end="middle").isel(recurrence=0).values
    return float(np.exp(np.abs(np.log(edges)).max()))


untrained, state = build(recipe.network, key=jax.random.key(0))
before = audit_forecaster(untrained, state, blocks, table.step.season)
print(
    f"The theory is wrong by a factor of {worst_edge(before):.1f} before training and "
    f"{worst_edge(report):.1f} after training."
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. Compute the first number of the table of assumptions for windows relative to their mean.
centred = dataclasses.replace(recipe.head, centre="mean")
again = blocks_of(task, centred, "test", 128, 8)
about_mean = audit_forecaster(fitted.network, fitted.state, again, table.step.season)
low, middle, high = about_mean["number"].isel(signal=0).sel(assumption="stationary")
comparison = "smaller" if high < 1 else "larger" if low > 1 else "not clearly different"
print(
    f"The mean square at the end is {float(middle):.2f} times that at the start (95 % "
    f"interval {float(low):.2f} to {float(high):.2f}): {comparison}."
)

# %% [markdown]
# In a shell `sigprop audit FOLDER` prints all these results, and also the results of each mode.
# FOLDER is a folder that `sigprop train forecast` has written.
#
# These commands draw the related figures: `sigprop figure sigprop-forecasts`,
# `sigprop figure blur-5`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [The curvature of whole layers](09_whole_layers.py)
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
