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
# # Train a network, then audit it
#
# The moments that sigprop predicts are proved for linear recurrences with stationary random
# inputs. A trained network violates both conditions. Its layers receive images that other
# layers have transformed, and training has adapted its parameters to these images. Does the
# theory still predict the size of states and gradients? We train a network and measure it.
#
# The images are scikit-learn's digits with 8 by 8 pixels. The network reads one pixel per step.
#
# **You need** basic experience with training a network, and the closed forms of the notebook
# on the curse of memory. **You learn** to train a network from a recipe of sigprop and to
# audit the trained network. You also learn which assumption of the theory fails first for
# which signal.

# %%
# %matplotlib inline
import dataclasses

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop.audit import HOLDS, TOLERANCE, audit, summarise
from sigprop.figures import lessons, style
from sigprop.tasks import evaluation_batches, load_task
from sigprop.training import altered, fit, preset

lessons.use()

data = load_task("digits")
print({name: len(getattr(data, name)) for name in ("train", "validation", "test")})

# %% [markdown]
# ## The training
#
# The network has two blocks. Each block has batch normalisation, a linear recurrent unit (LRU)
# of 32 complex neurons and a gated unit. We train with AdamW; its learning rate has a warm-up
# and a cosine schedule. The recurrent and input parameters have half the learning rate and no
# weight decay (Orvieto et al. 2023, Appendix D.2). `sigprop train digits --model lru` trains a
# network of three wider blocks for more steps. It writes to a folder, from which an interrupted
# training resumes.

# %%
whole = preset("digits", "lru", "quick", data)
network = dataclasses.replace(whole.network, width=32, state_size=32, depth=2)
recipe = altered(dataclasses.replace(whole, network=network), 400, 8e-3, "float32")
fitted = fit(recipe, data)
print(
    f"The test accuracy is {fitted.test.accuracy:.3f} with the parameters of step "
    f"{fitted.step}, which have the best validation result."
)

# %% [markdown]
# The left panel of the next figure shows that the loss falls. The right panel shows the mean
# squared norm of the state $h$ of each block. Look at its change during training.

# %%
records = fitted.records
figure, (left, right) = plt.subplots(1, 2)
left.plot(records["loss"].ravel(), linewidth=0.6, color=style.GREY)
left.plot(records["step"], records["validation_loss"], "o-", color=style.BLACK)
left.set(xlabel="step", ylabel="cross-entropy, nats", yscale="log")
left.set_title("loss: batches (line), validation (dots)")
for layer, power in enumerate(records["state_power"].T):
    look = {"color": lessons.BLOCK[layer], "label": f"block {layer + 1}"}
    right.plot(records["step"], power, "o-", **look)
right.set(xlabel="step", ylabel=r"$E\,\|h\|^2$", ylim=(0, None))
right.set_title("mean squared norm of the state")
right.legend()
plt.show()
for layer, power in enumerate(records["state_power"].T, start=1):
    change = "grow" if power[-1] > power[0] else "shrink"
    factor = max(power[-1] / power[0], power[0] / power[-1])
    print(
        f"In block {layer} the mean squared states {change} by a factor of {factor:.1f}."
    )

# %% [markdown]
# ## The audit
#
# Each eigenvalue $\lambda$ of a layer defines a mode. For every mode we measure four second
# moments on held-out images. They are the moments of the state, of the state's sensitivity to
# $\lambda$, of the backpropagated error, and of the gradient of the loss by $\lambda$. We then
# predict each moment from the trained parameters. Each prediction adds one assumption to the
# previous prediction:
#
# 1. *shuffled*: errors do not depend on states (this concerns only the gradient);
# 2. *stationary*: signals have the same autocovariance at all steps, namely the measured one;
# 3. *infinite*: the past is infinitely long, as in the formulas of the papers;
# 4. *independent*: input channels are independent and have equal autocovariances;
# 5. *white*: inputs are uncorrelated between steps, as in the LRU's normalisation
#    $\gamma = \sqrt{1-|\lambda|^2}$.

# %%
chosen = data.test.subset(np.arange(160))
result = audit(fitted.network, fitted.state, evaluation_batches(chosen, 16))
summary = summarise(result)
shown = ["state", "sensitivity", "error", "gradient"]
rungs = result["rung"].values
figure, axes = plt.subplots(1, 4, sharey=True, figsize=(7, 2.6))
for axis, name in zip(axes, shown, strict=True):
    axis.axhspan(1 - TOLERANCE, 1 + TOLERANCE, color=style.GREY, alpha=0.3, lw=0)
    for block in range(2):
        block_summary = summary.sel(quantity=name).isel(recurrence=block)
        low, middle, high = (
            block_summary[part].values for part in ("low", "median", "high")
        )
        position = np.arange(len(rungs)) + 0.2 * block
        axis.errorbar(
            position,
            middle,
            (middle - low, high - middle),
            fmt="o",
            color=lessons.BLOCK[block],
            label=f"block {1 + block}",
        )
    axis.set_xticks(range(len(rungs)), rungs, rotation=90)
    axis.set(title=name, yscale="log", xlim=(-0.5, len(rungs) - 0.3))
axes[0].set_ylabel("predicted / measured")
axes[0].legend()
plt.show()

# %% [markdown]
# Dots are medians over the modes, and bars contain 90 % of the modes. In the grey band the
# predicted moment deviates by at most 10 % from the measured moment. In each panel look for the
# first column whose median leaves the band. The assumption of this column fails first. The next
# table lists the reasons in this run:

# %%
rows = ["| signal | " + " | ".join(f"block {1 + block}" for block in range(2)) + " |"]
rows.append("|---|---|---|")
for name in shown:
    texts = summary["reason"].sel(quantity=name).values
    rows.append(f"| {name} | " + " | ".join(map(str, texts)) + " |")
display(Markdown("\n".join(rows)))
medians = summary["median"].sel(quantity=shown)
inside = np.abs(medians - 1) <= TOLERANCE
for rung in rungs:
    known = medians.sel(rung=rung).notnull()
    count = int((inside.sel(rung=rung) & known).sum())
    print(
        f"{rung}: {count} of {int(known.sum())} medians are within {TOLERANCE:.0%} of the "
        "measurement."
    )

# %%
reasons = {
    str(reason) for reason in summary["reason"].sel(quantity=shown).values.ravel()
}
share = float(inside.sel(quantity=["state", "error"], rung="stationary").mean())
phrases = [
    "all" if share == 1 else f"{share:.0%}",
    "of the medians of states and errors agree ",
]
first = "; ".join(sorted(reasons - {HOLDS}))
display(
    Markdown(
        f"With the measured autocovariance of the signals, {phrases[0]} {phrases[1]}with the "
        f"closed form. Over all signals, the first reasons for failure are: "
        f"{first or 'none'}."
    )
)

# %% [markdown]
# Why can these assumptions fail? Trained features are correlated between channels and steps,
# and a mode sums them. The past is finite, because an image has only 64 pixels. The
# backpropagated error depends on the image, so it is not independent of the state.
#
# ## Individual modes
#
# The normalisation $\gamma$ assumes white inputs. Does this assumption predict a state that is
# too large or too small? Neighbouring pixels are similar, and a mode with a long time constant
# sums them. The figure shows the predicted second moment of the state $h$ of each mode, divided
# by the measured moment. Look at the trend with the time constant in the right panel.

# %%
figure, axes = plt.subplots(1, 2, sharey=True)
look = [
    {"color": colour, "label": f"block {1 + block}", "alpha": 0.7}
    for block, colour in enumerate(lessons.BLOCK)
]
for axis, rung in zip(axes, ("stationary", "white"), strict=True):
    for block in range(2):
        states = result.sel(quantity="state", rung=rung).isel(recurrence=block)
        memory = 1 / (1 - np.hypot(states["lam_re"], states["lam_im"]))
        axis.plot(memory, states["ratio"], "o", **look[block])
    axis.axhline(1, color=style.GREY, zorder=0)
    axis.set(
        xlabel=r"time constant $1/(1-|\lambda|)$, steps", xscale="log", yscale="log"
    )
    axis.set_xticks([2, 5, 10, 20, 50, 100], [2, 5, 10, 20, 50, 100], minor=False)
    axis.minorticks_off()
    axis.set_title(f"{rung} inputs")
axes[0].set_ylabel(r"$E|h|^2$ predicted / measured")
axes[0].legend()
plt.show()

# %% [markdown]
# We split the modes of each block at their median time constant and count the modes whose
# predicted state is too large:


# %%
def modes(block, rung):
    """Time constant, and predicted / measured E|h|^2, of each mode of a block."""
    states = result.sel(quantity="state", rung=rung).isel(recurrence=block)
    memory = 1 / (1 - np.hypot(states["lam_re"], states["lam_im"]))
    finite = np.isfinite(states["ratio"].values)
    return memory.values[finite], states["ratio"].values[finite]


for block in range(2):
    memory, ratio = modes(block, "stationary")
    off = np.abs(ratio - 1)
    worst = f"{np.median(off):.1%} in the median and {off.max():.0%} for the worst mode"
    memory, white = modes(block, "white")
    long = memory > np.median(memory)
    parts = [
        f"{np.mean(white[part] > 1):.0%} of the modes with {length} time constants"
        for length, part in (("short", ~long), ("long", long))
    ]
    display(
        Markdown(
            f"Block {1 + block}: with the measured autocovariance the prediction deviates by "
            f"{worst}. With white inputs the predicted state is too large for {parts[0]} "
            f"and {parts[1]}."
        )
    )

# %% [markdown]
# ## Exercises
#
# 1. After training, does block 1 or block 2 have the longer median time constant?
# 2. For white inputs, does the ratio of predicted and measured moment fall with the time
#    constant? Compute the rank correlation of ratio and time constant in each block. A
#    correlation of $-1$ means that the ratio always falls.
# 3. The LRU scales its inputs by $\gamma$, as if they were white. By which factor does the
#    second moment of the state of the worst mode then differ from the prediction?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. Compare the medians over the modes.
middles = [float(np.median(modes(block, "white")[0])) for block in range(2)]
print(
    f"Block {1 + int(np.argmax(middles))} has the longer median time constant: "
    f"{middles[0]:.1f} steps in block 1, {middles[1]:.1f} steps in block 2."
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. Spearman's rank correlation is the correlation of the ranks.
for block in range(2):
    first, second = (np.argsort(np.argsort(values)) for values in modes(block, "white"))
    rank = np.corrcoef(first, second)[0, 1]
    assert -1 <= rank <= 1
    print(f"block {1 + block}: rank correlation {rank:.2f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. A ratio and its inverse are equally wrong, so take the largest absolute logarithm.
for block in range(2):
    ratio = modes(block, "white")[1]
    print(
        f"block {1 + block}: a factor of {np.exp(np.abs(np.log(ratio)).max()):.0f} in E|h|^2"
    )

# %% [markdown]
# These commands draw the related figures: `sigprop figure lru-1`, `sigprop figure rotrnn-3`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
