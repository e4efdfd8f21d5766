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

# %%
# %matplotlib inline
import dataclasses

import matplotlib.pyplot as plt
import numpy as np

from figures import style
from sigprop.audit.network import audit
from sigprop.audit.summary import summarise
from sigprop.tasks.catalogue import load_task
from sigprop.tasks.examples import evaluation_batches
from sigprop.training.presets import altered, preset
from sigprop.training.supervised import fit

plt.rcParams.update({"figure.figsize": (7, 3), "figure.constrained_layout.use": True})
plt.rcParams["axes.prop_cycle"] = plt.cycler(color=style.SEQUENCE)

data = load_task("digits")
print({name: len(getattr(data, name)) for name in ("train", "validation", "test")})

# %% [markdown]
# ## The training
#
# Two blocks of batch normalisation, an LRU of 32 complex neurons and a gated unit. AdamW
# with warm-up and a cosine; the recurrent and input parameters have half the rate and no
# decay (Orvieto et al. 2023, Appendix D.2). `sigprop train digits --model lru` does the
# same with three wider blocks, longer, and into a folder from which a killed training
# goes on.

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
left.plot(records["step"], records["validation_loss"], "o-", color=style.BLUE)
left.set(xlabel="step", ylabel="cross-entropy, nats", yscale="log")
left.set_title("loss: each batch, and the validation")
for layer, power in enumerate(records["state_power"].T, start=1):
    right.plot(records["step"], power, "o-", label=f"block {layer}")
right.set(xlabel="step", ylabel=r"$E\,\|h\|^2$", ylim=(0, None))
right.set_title("size of the states")
right.legend()
plt.show()

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
    axis.axhspan(0.9, 1.1, color="0.9")
    for block in range(2):
        one = summary.sel(quantity=name).isel(recurrence=block)
        low, middle, high = (one[part].values for part in ("low", "median", "high"))
        place = np.arange(len(rungs)) + 0.2 * block
        axis.errorbar(
            place,
            middle,
            (middle - low, high - middle),
            fmt="o",
            label=f"block {1 + block}",
        )
    axis.set_xticks(range(len(rungs)), rungs, rotation=90)
    axis.set(title=name, yscale="log")
axes[0].set_ylabel("predicted / measured")
axes[0].legend()
plt.show()

# %% [markdown]
# Points are medians over the modes, bars hold 90 % of them, and the grey band is ten per
# cent. States and errors follow the closed form as long as each mode is given the
# autocovariance that it sees. What fails first is not the length of memory but the
# independence of channels: trained features are correlated, and a mode adds them up. The
# gradient fails earlier still, since what comes back knows which image it was.

# %%
for block in range(2):
    for name in shown:
        why = summary["reason"].isel(recurrence=block).sel(quantity=name)
        print(f"block {1 + block}, {name}: {why.values!s}")

# %% [markdown]
# ## Mode by mode
#
# Given the autocovariance that it sees, every mode is right, however long its memory.
# Were inputs white, states of short memory would be larger than they are, and those of
# long memory smaller: neighbouring pixels are alike, and long memories add them up.

# %%
figure, axes = plt.subplots(1, 2, sharey=True)
for axis, rung in zip(axes, ("stationary", "white"), strict=True):
    for block in range(2):
        one = found.sel(quantity="state", rung=rung).isel(recurrence=block)
        memory = 1 / (1 - np.hypot(one["lam_re"], one["lam_im"]))
        axis.plot(memory, one["ratio"], "o", label=f"block {1 + block}", alpha=0.7)
    axis.axhline(1, color=style.GREY, zorder=0)
    axis.set(xlabel=r"memory $1/(1-|\lambda|)$, steps", xscale="log", yscale="log")
    axis.set_xticks([2, 5, 10, 20, 50, 100], [2, 5, 10, 20, 50, 100], minor=False)
    axis.minorticks_off()
    axis.set_title(f"{rung} inputs")
axes[0].set_ylabel(r"$E|z|^2$ predicted / measured")
axes[0].legend()
plt.show()
