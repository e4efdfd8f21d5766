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
# A table of numbers over time, a network that has read a window of it, and the rows that
# follow: how good is the forecast, how sure, and does the theory of this suite, which is
# about stationary inputs, say anything of what happens inside?
#
# The series is the carbon dioxide over Mauna Loa, week by week, which statsmodels brings
# along. Any `.csv` with a column of times will do: give its path instead.
#
# **You need** to have seen a network trained, and what an autocovariance is. **You learn**
# what a forecast has to beat, where its error bars come from and whether they hold, and
# which assumption of the theory a real series breaks first.

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

from sigprop.audit.forecaster import audit_forecaster
from sigprop.audit.forecaster_summary import REASONS, failing
from sigprop.audit.windows import blocks_of
from sigprop.experiments import store
from sigprop.figures import horizons, lessons, series, style
from sigprop.networks import build
from sigprop.tasks.forecasts import Forecasts
from sigprop.tasks.tables import load_table, read_table
from sigprop.training.forecast_presets import forecast_preset
from sigprop.training.forecast_results import controls, forecasts
from sigprop.training.forecasting import fit
from sigprop.training.presets import altered

lessons.use()

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "co2.csv"
    known = load_table("co2")
    values = pandas.DataFrame(known.values, known.times, known.features)
    values.to_csv(path, index_label="date")
    table = read_table(path)
task = Forecasts(table, length=52, horizon=26)
print(f"{len(table.values)} rows, one step {table.step}, season {table.step.season}")
print({part: task.count(part) for part in ("train", "validation", "test")})

# %% [markdown]
# Rows are split in time. Mean and deviation come from the training rows alone, and errors
# are in those units: a leak from the future would make any network look good.
#
# ## What a forecast has to beat
#
# Four forecasts need no network: the last value, the last season once more, the mean of
# the training rows, and the best linear map from a window to what follows, by least
# squares.

# %%
need = {name: found for name, found in controls(task).items() if found is not None}
for name, found in need.items():
    print(f"{name:12} MSE {found.mse:.4f}, MAE {found.mae:.4f}")
best = min(need, key=lambda name: need[name].mse)
worst = max(need, key=lambda name: need[name].mse)
display(
    Markdown(
        f"The one to beat is *{best}*: its squared error is "
        f"{need[worst].mse / need[best].mse:,.0f} times smaller than that of *{worst}*."
    )
)

# %% [markdown]
# ## The network
#
# BLUR reads a window in both directions with an LRU each, and merges the two states by
# one linear map. Each window is shown relative to its last value, which is added to the
# forecast. `sigprop train forecast --data co2 --model blur --horizon 26` does the same
# with more neurons, longer, and into a folder from which an interrupted training resumes.

# %%
whole = forecast_preset("blur", "quick", task)
small = dataclasses.replace(
    whole.network, width=32, state_size=16, layer_options={"r_min": 0.0, "r_max": 1.0}
)
recipe = altered(dataclasses.replace(whole, network=small), 300, 4e-3, "float32")
fitted = fit(recipe, task)
found = forecasts(recipe, fitted.network, fitted.state, task)
mine = found.sel(forecaster="model")
error = float(mine["mse"].mean())
word = "better" if error < need[best].mse else "worse"
display(
    Markdown(
        f"After {fitted.step} steps its error on the test rows is {error:.4f}: "
        f"{error / need[best].mse:.2f} times that of *{best}*, {word}; and "
        f"{need['last value'].mse / error:.1f} times smaller than repeating the last value."
    )
)

# %%
figure, (left, right) = plt.subplots(1, 2)
records = fitted.records
left.plot(records["loss"].ravel(), linewidth=0.6, color=style.GREY)
left.plot(records["step"], records["validation_mse"], "o-", color=style.BLACK)
left.set(xlabel="step", ylabel="squared error", yscale="log")
left.set_title("each batch, and the validation")
steps = found["step"].values
right.plot(steps, mine["mse"].mean("feature"), color=style.BLACK, label="network")
for name, colour in zip(
    ("linear", "season", "last value"),
    (style.BLUE, style.GREEN, style.VERMILION),
    strict=True,
):
    one = found["mse"].sel(forecaster=name).mean("feature")
    right.plot(steps, one, color=colour, label=name)
right.set(xlabel="weeks ahead", yscale="log")
right.set_title("error by horizon")
right.legend()
plt.show()
late, early = (float(mine["mse"].mean("feature")[place]) for place in (-1, 0))
print(
    f"The error {steps[-1]} weeks ahead is {late / early:.1f} times that of one week."
)

# %% [markdown]
# ## Other layers
#
# The layer is one part of a network. `--model s4` has another, and leaves head, width and
# training as they are. What that does on the hourly loads of a transformer, ETTh1, takes
# some minutes for each layer, and is stored with this suite: three trainings each.

# %%
trained = store.shipped("forecasts")
where = series.richest(trained)
ranks = horizons.ranked(trained, where, "mse")
names = {model: about[0] for model, about in (series.MODELS | series.OTHERS).items()}
known = series.controls(series.cells(trained, *where, "blur"))
figure, axis = plt.subplots()
horizons.by_layer(axis, trained, where, "mse")
axis.set_title(series.told(where))
axis.legend()
plt.show()
first, *_, last = ranks
beating = [names[model] for model in ranks if ranks[model][0] < known["linear"]]
twins = {"lru": "bidirectional_lru", "gru": "bgru", "lstm": "blstm"}
twins |= {model: f"bidirectional_{model}" for model in ("rotrnn", "s4")}
helped = [one for one, both in twins.items() if ranks[both][0] < ranks[one][0]]
display(
    Markdown(
        f"The least error is that of *{names[first]}*, {ranks[first][0]:.3f}, the largest "
        f"that of *{names[last]}*, {ranks[last][0]:.3f}. The exact linear model has "
        f"{known['linear']:.3f}, and is beaten by {', '.join(beating) or 'none of them'}. "
        f"Reading from both ends has the smaller mean in {len(helped)} of {len(twins)} "
        "layers. Open diamonds are what the paper prints, of its own networks."
    )
)

# %% [markdown]
# ## Error bars
#
# What the forecast missed on the validation rows, step by step, gives an interval: from
# its 5 % to its 95 % quantile. It is a promise only if the future misses as the past did.
# So count how many of the test rows lie inside.

# %%
place = len(found["window"]) // 2
one = found.isel(window=place, feature=0)
limits = found.isel(feature=0)
figure, (left, right) = plt.subplots(1, 2, width_ratios=(2, 1))
low, high = one["forecast"] + limits["lower"], one["forecast"] + limits["upper"]
left.fill_between(steps, low, high, color=style.GREY, alpha=0.4, linewidth=0)
left.plot(steps, one["forecast"], color=style.BLACK, label="forecast")
left.plot(steps, one["truth"], color=style.VERMILION, label="truth")
left.set(xlabel="weeks ahead", ylabel="CO$_2$, ppm")
left.set_title(f"from {str(one['window'].values)[:10]}")
left.legend()
right.plot(steps, limits["coverage"], color=style.BLACK)
right.axhline(0.9, color=style.GREY, zorder=0)
right.set(xlabel="weeks ahead", ylim=(0, 1))
right.set_title("share inside")
plt.show()
inside = float(found["coverage"].mean())
kept = "keep their promise" if abs(inside - 0.9) < 0.05 else "do not keep their promise"
width = float((limits["upper"] - limits["lower"]).mean())
display(
    Markdown(
        f"{inside:.0%} of the truths lie inside intervals of {width:.1f} ppm on average, "
        f"where 90 % were meant: they {kept}."
    )
)

# %% [markdown]
# ## What theory assumes, and what the series does
#
# Moments of a recurrence follow from its eigenvalues and the autocovariance of its input,
# *if* the input is stationary. The papers' simplest forms also take channels to be
# independent and the input white. Each assumption is one number, measured on windows of
# the test rows. Windows overlap, so that intervals are taken over blocks of time.

# %%
blocks = blocks_of(task, recipe.head, "test", 128, 8)
seen = audit_forecaster(fitted.network, fitted.state, blocks, table.step.season)
rows = ["| assumption | its number | here | interval |", "|---|---|---|---|"]
shown = seen["number"].isel(signal=0)
broken = []
for name in seen["assumption"].values.tolist():
    low, middle, high = shown.sel(assumption=name).values
    assumed = float(seen["assumed"].sel(assumption=name))
    if np.isfinite(middle):
        rows.append(
            f"| {name} | {assumed:g} | {middle:.2f} | {low:.2f} to {high:.2f} |"
        )
        broken += [name] if low > assumed or high < assumed else []
display(Markdown("\n".join(rows)))
display(
    Markdown(f"The series, as the network is shown it, breaks: {', '.join(broken)}.")
)

# %% [markdown]
# ## Position by position
#
# From the zero state the power of a state grows, and with stationary inputs it is known
# at every position. A recurrence that runs backwards has that edge at the end. But a
# window that is shown relative to its last value is small there, whatever the series.

# %%
names = seen["recurrence"].values.tolist()[:2]
figure, axes = plt.subplots(1, 2, sharey=True)
for axis, name in zip(axes, names, strict=True):
    one = seen.sel(recurrence=name)
    low, middle, high = one["measured"].values
    axis.fill_between(
        one["position"], low, high, color=style.GREY, alpha=0.4, linewidth=0
    )
    axis.plot(one["position"], middle, color=style.BLACK, label="measured")
    for rung, colour in (("stationary", style.BLUE), ("white", style.VERMILION)):
        values = one["predicted"].sel(rung=rung)
        axis.plot(one["position"], values, color=colour, label=rung)
    axis.set(xlabel="position in the window", yscale="log")
    axis.set_title(name)
axes[0].set_ylabel(r"$E\,\|h\|^2$")
axes[0].legend()
plt.show()
for name in names:
    one = seen.sel(recurrence=name, end="middle")
    start, end = (float(one["edges"].sel(edge=edge)) for edge in ("start", "end"))
    flat = float(one["ratio"].sel(rung="stationary"))
    first = REASONS.get(failing(seen, name), "nothing")
    display(
        Markdown(
            f"{name}: averaged over the window, stationary theory is {flat:.2f} times what "
            f"is measured; in its first tenth {start:.2f}, in its last {end:.2f} times. "
            f"What fails first: {first}."
        )
    )

# %% [markdown]
# ## What the merged state loses
#
# Both states at one step are four real numbers for every neuron. The merge maps them to
# as many as there are features. How many numbers of the window can each tell apart, and
# how much of the states' power can be brought back from the merged one?

# %%
for name in seen["merge"].values.tolist():
    one = seen.sel(merge=name)
    pair, merged = (int(one["rank"].sel(part=part)) for part in ("pair", "merged"))
    high, middle, low = 1 - one["kept"].sel(part="pair").values
    display(
        Markdown(
            f"{name}: both states tell {pair} numbers of the window apart, the merged one "
            f"{merged}; of the power it loses {middle:.2%} ({low:.2%} to {high:.2%})."
        )
    )

# %% [markdown]
# A rank counts directions, whether anything moves along them or not. A smooth series moves
# along few.
#
# ## Exercises
#
# 1. By what factor does the interval widen from the first week to the last?
# 2. Is the network that was trained closer to stationary theory than one that was not?
#    Compare the worst edge of their first recurrences.
# 3. Show windows relative to their mean instead. Does the end of the window still have
#    less power than its start?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1.
widths = (limits["upper"] - limits["lower"]).values
print(f"by {widths[-1] / widths[0]:.1f}")


# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The factor by which theory is off at the worse edge, up or down.
def worst_edge(data):
    edges = data["edges"].sel(end="middle").isel(recurrence=0).values
    return float(np.exp(np.abs(np.log(edges)).max()))


untrained, state = build(jax.random.key(0), recipe.network)
before = audit_forecaster(untrained, state, blocks, table.step.season)
print(f"before training {worst_edge(before):.1f} times, after {worst_edge(seen):.1f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The first number of the table, for windows about their mean.
centred = dataclasses.replace(recipe.head, centre="mean")
again = blocks_of(task, centred, "test", 128, 8)
about_mean = audit_forecaster(fitted.network, fitted.state, again, table.step.season)
low, middle, high = about_mean["number"].isel(signal=0).sel(assumption="stationary")
word = "less" if high < 1 else "more" if low > 1 else "neither more nor less"
print(f"{float(middle):.2f} ({float(low):.2f} to {float(high):.2f}): {word}")

# %% [markdown]
# On the command line `sigprop audit` says all of it, mode by mode too, of a folder that
# `sigprop train forecast` has left.
#
# The figures about this: `sigprop figure sigprop-forecasts`, `sigprop figure blur-5`.
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
