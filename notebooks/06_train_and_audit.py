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
# The moments of this suite are proved for linear recurrences fed with stationary noise.
# A trained network is neither: its layers see images that have been through other
# layers, its parameters have been moved by what they saw. Does the theory still say how
# large its states and its gradients are? Train one and see.
#
# The images are scikit-learn's digits, 8 by 8 pixels, read one pixel at a time.
#
# **You need** to have seen a network trained, and the closed forms of the notebook on the
# curse of memory. **You learn** what a recipe of this suite is, how a trained network is
# audited, and which assumption of the theory fails first, and for which signal.

# %%
# %matplotlib inline
import dataclasses

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop.audit.network import audit
from sigprop.audit.summary import HOLDS, TOLERANCE, summarise
from sigprop.figures import lessons, style
from sigprop.tasks.catalogue import load_task
from sigprop.tasks.examples import evaluation_batches
from sigprop.training.presets import altered, preset
from sigprop.training.supervised import fit

lessons.use()

data = load_task("digits")
print({name: len(getattr(data, name)) for name in ("train", "validation", "test")})

# %% [markdown]
# ## The training
#
# Two blocks of batch normalisation, an LRU of 32 complex neurons and a gated unit. AdamW
# with warm-up and a cosine; the recurrent and input parameters have half the rate and no
# decay (Orvieto et al. 2023, Appendix D.2). `sigprop train digits --model lru` does the
# same with three wider blocks, longer, and into a folder from which an interrupted
# training resumes.

# %%
whole = preset("digits", "lru", "quick", data)
network = dataclasses.replace(whole.network, width=32, state_size=32, depth=2)
recipe = altered(dataclasses.replace(whole, network=network), 400, 8e-3, "float32")
fitted = fit(recipe, data)
print(f"test accuracy {fitted.test.accuracy:.3f}, best at step {fitted.step}")

# %%
records = fitted.records
figure, (left, right) = plt.subplots(1, 2)
left.plot(records["loss"].ravel(), linewidth=0.6, color=style.GREY)
left.plot(records["step"], records["validation_loss"], "o-", color=style.BLACK)
left.set(xlabel="step", ylabel="cross-entropy, nats", yscale="log")
left.set_title("loss: each batch, and the validation")
for layer, power in enumerate(records["state_power"].T):
    look = {"color": lessons.BLOCK[layer], "label": f"block {layer + 1}"}
    right.plot(records["step"], power, "o-", **look)
right.set(xlabel="step", ylabel=r"$E\,\|h\|^2$", ylim=(0, None))
right.set_title("size of the states")
right.legend()
plt.show()
for layer, power in enumerate(records["state_power"].T, start=1):
    word = "grow" if power[-1] > power[0] else "shrink"
    factor = max(power[-1] / power[0], power[0] / power[-1])
    print(f"The states of block {layer} {word} by a factor of {factor:.1f} in power.")

# %% [markdown]
# ## The audit
#
# For every mode of every layer four moments are measured on held-out images: of the
# state, of its sensitivity to the eigenvalue, of the error that comes back, and of the
# gradient of the loss by the eigenvalue. Each is predicted at the learnt parameters
# under one assumption more at a time:
#
# 1. *shuffled*: errors do not depend on states (only the gradient needs it);
# 2. *stationary*: signals have one autocovariance at all times, the measured one;
# 3. *infinite*: the past is endless, as in the papers' formulas;
# 4. *independent*: input channels are independent and alike;
# 5. *white*: inputs have no memory, as in the LRU's normalisation $\gamma$.

# %%
chosen = data.test.subset(np.arange(160))
found = audit(fitted.network, fitted.state, evaluation_batches(chosen, 16))
summary = summarise(found)
shown = ["state", "sensitivity", "error", "gradient"]
rungs = found["rung"].values
figure, axes = plt.subplots(1, 4, sharey=True, figsize=(7, 2.6))
for axis, name in zip(axes, shown, strict=True):
    axis.axhspan(1 - TOLERANCE, 1 + TOLERANCE, color=style.GREY, alpha=0.3, lw=0)
    for block in range(2):
        one = summary.sel(quantity=name).isel(recurrence=block)
        low, middle, high = (one[part].values for part in ("low", "median", "high"))
        place = np.arange(len(rungs)) + 0.2 * block
        axis.errorbar(
            place,
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
# Points are medians over the modes, bars hold 90 % of them, and the grey band is ten per
# cent. The first column whose median leaves the band names the assumption that fails
# first. What that was, in this run:

# %%
rows = ["| signal | " + " | ".join(f"block {1 + block}" for block in range(2)) + " |"]
rows.append("|---|---|---|")
for name in shown:
    words = summary["reason"].sel(quantity=name).values
    rows.append(f"| {name} | " + " | ".join(map(str, words)) + " |")
display(Markdown("\n".join(rows)))
medians = summary["median"].sel(quantity=shown)
inside = np.abs(medians - 1) <= TOLERANCE
for rung in rungs:
    seen = medians.sel(rung=rung).notnull()
    held = int((inside.sel(rung=rung) & seen).sum())
    print(f"{rung}: {held} of {int(seen.sum())} medians within {TOLERANCE:.0%}")

# %%
reasons = {str(one) for one in summary["reason"].sel(quantity=shown).values.ravel()}
kept = float(inside.sel(quantity=["state", "error"], rung="stationary").mean())
said = [
    "all" if kept == 1 else f"{kept:.0%}",
    "of the medians of states and errors agree ",
]
first = "; ".join(sorted(reasons - {HOLDS}))
display(
    Markdown(
        f"Given the autocovariance that each mode sees, {said[0]} {said[1]}with the closed "
        f"form. Taken over all signals, what fails first is: {first or 'nothing'}."
    )
)

# %% [markdown]
# Why would these fail? Trained features are correlated, and a mode adds them up; a state
# has only as many steps to add up as an image has pixels; and the error that comes back
# knows which image it was, so that it is not independent of the state.
#
# ## Mode by mode
#
# Were inputs white, as the normalisation $\gamma$ assumes, would a mode's state be larger
# or smaller than it is? Neighbouring pixels are alike, and long memories add them up.

# %%
figure, axes = plt.subplots(1, 2, sharey=True)
look = [
    {"color": colour, "label": f"block {1 + block}", "alpha": 0.7}
    for block, colour in enumerate(lessons.BLOCK)
]
for axis, rung in zip(axes, ("stationary", "white"), strict=True):
    for block in range(2):
        one = found.sel(quantity="state", rung=rung).isel(recurrence=block)
        memory = 1 / (1 - np.hypot(one["lam_re"], one["lam_im"]))
        axis.plot(memory, one["ratio"], "o", **look[block])
    axis.axhline(1, color=style.GREY, zorder=0)
    axis.set(xlabel=r"memory $1/(1-|\lambda|)$, steps", xscale="log", yscale="log")
    axis.set_xticks([2, 5, 10, 20, 50, 100], [2, 5, 10, 20, 50, 100], minor=False)
    axis.minorticks_off()
    axis.set_title(f"{rung} inputs")
axes[0].set_ylabel(r"$E|z|^2$ predicted / measured")
axes[0].legend()
plt.show()

# %% [markdown]
# Split the modes of each block at the middle of their memories, and count:


# %%
def modes(block, rung):
    """Memory and predicted over measured power of the states of a block's modes."""
    one = found.sel(quantity="state", rung=rung).isel(recurrence=block)
    memory = 1 / (1 - np.hypot(one["lam_re"], one["lam_im"]))
    seen = np.isfinite(one["ratio"].values)
    return memory.values[seen], one["ratio"].values[seen]


for block in range(2):
    memory, ratio = modes(block, "stationary")
    off = np.abs(ratio - 1)
    worst = f"off by {np.median(off):.1%} in the middle and {off.max():.0%} at worst"
    memory, white = modes(block, "white")
    long = memory > np.median(memory)
    parts = [
        f"{np.mean(white[part] > 1):.0%} of those of {word} memory"
        for word, part in (("short", ~long), ("long", long))
    ]
    display(
        Markdown(
            f"Block {1 + block}: with the autocovariance that it sees, {worst}; were inputs "
            f"white, {parts[0]} and {parts[1]} would be larger than they are."
        )
    )

# %% [markdown]
# ## Exercises
#
# 1. Are the memories that training has left longer in block 1 or in block 2?
# 2. Under white inputs, does the ratio fall with memory? Compute the rank correlation of
#    the two in each block. ($-1$: it always falls.)
# 3. The LRU scales its inputs by $\gamma$, as if they were white. How far from one does
#    that leave the power of the worst mode's state, as a factor?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1.
middles = [float(np.median(modes(block, "white")[0])) for block in range(2)]
print(
    f"block {1 + int(np.argmax(middles))}: {middles[0]:.1f} and {middles[1]:.1f} steps"
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. Spearman's: the correlation of ranks.
for block in range(2):
    first, second = (np.argsort(np.argsort(one)) for one in modes(block, "white"))
    rank = np.corrcoef(first, second)[0, 1]
    assert -1 <= rank <= 1
    print(f"block {1 + block}: {rank:.2f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The same factor up or down counts the same, so look at logarithms.
for block in range(2):
    ratio = modes(block, "white")[1]
    print(
        f"block {1 + block}: {np.exp(np.abs(np.log(ratio)).max()):.0f} times in power"
    )

# %% [markdown]
# The figures about this: `sigprop figure lru-1`, `sigprop figure rotrnn-3`.
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
