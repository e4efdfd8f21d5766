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
# # Lint a checkpoint, advise an initialisation
#
# A recurrent layer can be broken although its loss is finite and falls. Two common causes are
# a decay stored in too few bits and a second initialiser that overwrites the decay. Such a
# layer cannot remember long inputs. Closed forms turn the stored numbers into time constants,
# state sizes and learning rates. So `sigprop lint` finds the fault in seconds and without data.
# The same closed forms give a good initialisation.
#
# **You need** to know what a mode of a linear recurrence is, $h_t = \lambda h_{t-1} + x_t$,
# and that its time constant is about $1/(1-|\lambda|)$ steps. **You learn** what `sigprop
# lint` finds and why, how many time constants a number format can represent, and how `sigprop
# advise` uses a sequence length and an autocovariance.

# %%
# %matplotlib inline
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from safetensors.numpy import save_file

from sigprop.advice.advise import advise
from sigprop.advice.predictions import mode_states, predict
from sigprop.advice.spectra import exponential
from sigprop.audit.lint import RULES, Settings, lint
from sigprop.audit.lint.resolution import distinct_memories, spacing
from sigprop.experiments import store
from sigprop.experiments.advised import gathering
from sigprop.experiments.advised.rule import compare
from sigprop.figures import lessons, style
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.linear.infinite_loss import stationary_loss, stationary_target
from sigprop.linear.measured_moments import measure
from sigprop.networks.foreign import open_checkpoint
from sigprop.networks.registry import sequence_layer
from sigprop.numerics.precision import double_precision

lessons.use()
DEFAULT, ADVISED = style.VERMILION, style.BLUE

# %% [markdown]
# ## Three layers, two accidents
#
# We write a checkpoint as a Mamba library would. Each layer has the logarithm of the decay,
# `A_log`, and the bias of the step size before its softplus, `dt_proj.bias`. The first layer is
# initialised correctly. In the second layer, a general initialiser has set all biases to zero.
# In the third layer, decays were sampled uniformly from $(0, 16)$ in bfloat16. This format
# rounds small samples to zero, and their logarithm is $-\infty$.

# %%
generator = np.random.default_rng(11)
CHANNELS, STATES = 96, 16


def mixer():
    """A layer's decays and steps, log-uniform from 0.001 to 0.1 as usual."""
    step = np.exp(generator.uniform(np.log(1e-3), np.log(1e-1), CHANNELS))
    return {
        "A_log": np.log(np.tile(np.arange(1.0, STATES + 1), (CHANNELS, 1))),
        "D": np.ones(CHANNELS),
        "dt_proj.weight": generator.uniform(-0.4, 0.4, (CHANNELS, 6)),
        "dt_proj.bias": step + np.log(-np.expm1(-step)),
        "x_proj.weight": generator.normal(size=(6 + 2 * STATES, CHANNELS)),
    }


layers = [mixer() for _ in range(3)]
layers[1]["dt_proj.bias"] = np.zeros(CHANNELS)
drawn = generator.uniform(0, 16, (CHANNELS, STATES))
drawn[generator.integers(CHANNELS, size=4), generator.integers(STATES, size=4)] = 0
with np.errstate(divide="ignore"):
    layers[2]["A_log"] = np.log(drawn)
folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "model.safetensors"
save_file(
    {
        f"layers.{place}.mixer.{name}": np.asarray(values, np.float32)
        for place, layer in enumerate(layers)
        for name, values in layer.items()
    },
    file,
)

# %% [markdown]
# In a shell the command is `sigprop lint model.safetensors --length 2048`. Here we call the
# same function. It executes nothing from the file, and recognises each layer by the names and
# shapes of its arrays.

# %%
report = lint(open_checkpoint(file), Settings(length=2048))
rows = [
    "| layer | shortest | median | longest time constant, steps |",
    "|---|---|---|---|",
]
rows += [
    f"| {one.layer} | {one.shortest:.2g} | {one.median:.3g} | {one.longest:.4g} |"
    for one in report.layers
]
display(Markdown("\n".join(rows)))
rows = ["| rule | layer | consequence | remedy |", "|---|---|---|---|"]
rows += [
    f"| {one.rule.id} ({one.severity}) | {one.layer} | {one.consequence} "
    f"| {one.rule.remedy} |"
    for one in report.findings
]
display(Markdown("\n".join(rows)))
accused = {one.layer for one in report.graver}
display(
    Markdown(
        f"{len(report.graver)} errors and warnings in {len(accused)} of "
        f"{len(report.layers)} layers. The correct layer has "
        f"{'none' if 'layers.0.mixer' not in accused else 'some'}."
    )
)

# %% [markdown]
# Each rule is a closed form, evaluated at the numbers in the file. All rules are in one table:

# %%
severities = [rule.severity for rule in RULES]
print({name: severities.count(name) for name in dict.fromkeys(severities)})
for rule in RULES[:4]:
    print(f"{rule.id:18} {rule.form}")

# %% [markdown]
# ## How many time constants can a format represent?
#
# Just below 1, neighbouring numbers of a format with $p$ significant bits differ by $2^{-p}$. A
# time constant of $m$ steps has the modulus $|\lambda| = e^{-1/m}$. The moduli from $m$ to $2m$
# steps span about $1/(2m)$, so the format has about $2^{p-1}/m$ of them.

# %%
memory = np.geomspace(4, 1e5, 60)
figure, axis = plt.subplots(figsize=(4.4, 2.8))
formats = dict(zip(("bfloat16", "float16", "float32"), style.SEQUENCE, strict=False))
for name, colour in formats.items():
    counts = [distinct_memories(name, one, 2 * one) for one in memory]
    axis.plot(memory, counts, ".", color=colour, label=name)
    axis.plot(memory, 0.5 / (memory * spacing(name)), color=colour, linewidth=0.7)
axis.axhline(1, color=style.GREY, linewidth=0.7)
axis.set(
    xscale="log",
    yscale="log",
    xlabel="time constant $m$, steps",
    ylabel="moduli from $m$ to $2m$",
)
axis.set_ylim(0.5, None)
axis.legend()
plt.show()
for name in formats:
    last = max(one for one in memory if distinct_memories(name, one, 2 * one))
    print(f"{name}: the longest time constants lie in the octave from {last:.3g} steps")

# %% [markdown]
# Points are counted, lines are the estimate. The numbers of bfloat16 are dense near 0 but not
# near 1. So store $\nu = -\log|\lambda|$ or its logarithm, whose relative precision does not
# depend on the time constant, and compute $\lambda$ in float32.
#
# ## How to initialise
#
# Take sequences of 4096 steps and inputs whose neighbours have the correlation 0.9. How should
# an LRU of 64 modes be initialised? Closed forms answer three questions.
#
# - **Moduli.** The outer radius gives a time constant of 4096 steps, the inner radius a
#   hundredth of it. Between them the time constants grow by one factor from mode to mode. With
#   uniform sampling on the ring, nearly all of them would be short.
# - **Phases.** Half of the phases lie where 95 % of the input power is, because a mode at
#   another frequency receives little input. The other half lie anywhere below $\pi$, because
#   the target can have other frequencies.
# - **Scale.** Every mode is divided by the square root of its second moment **for this input**,
#   not for white noise.

# %%
LENGTH, RHO, STATE = 4096, 0.9, 64
advice = advise("lru", length=LENGTH, state=STATE, spectrum=exponential(RHO))
starts = {
    "default": (advice.default, DEFAULT),
    "advised": (advice.advised, ADVISED),
}
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.4, 2.8))
for name, (one, colour) in starts.items():
    dots = {"color": colour, "ms": 3, "label": name}
    left.plot(np.abs(one.phase), one.memory, "o", **dots)
    left.axhline(LENGTH, color=style.GREY, linewidth=0.7)
    ordered = np.sort(one.memory)
    reached = 1 - np.arange(len(ordered)) / len(ordered)
    middle.plot(ordered, reached, color=colour, label=name)
    right.plot(one.memory, one.state, "o", **dots)
left.axvline(advice.phase, color=style.GREY, linestyle="--", linewidth=0.7)
left.set(yscale="log", xlabel="phase, rad", ylabel="time constant, steps")
middle.set(xscale="log", xlabel="time constant, steps", ylabel="share of longer ones")
right.axhline(1, color=style.GREY, linewidth=0.7)
right.set(xscale="log", yscale="log", xlabel="time constant, steps", ylabel=r"$E|h|^2$")
middle.legend()
plt.show()
print(f"options of the layer: {advice.options}")

# %%
before, after = advice.default.state, advice.advised.state
display(
    Markdown(
        f"A tenth of the time constants are above "
        f"{np.quantile(advice.default.memory, 0.9):.0f} steps by default, and above "
        f"{np.quantile(advice.advised.memory, 0.9):.0f} steps as advised. The largest "
        f"E|h|^2 is {before.max() / before.min():.0f} times the smallest by default, and "
        f"{after.max() / after.min():.1f} times as advised."
    )
)

# %% [markdown]
# ## Are the predictions right?
#
# We sample the advised layer and simulate it. The prediction is $E\,|h|^2 = 1$ for every state.
# We choose a shorter time constant, so that the simulation reaches the stationary state:

# %%
short = advise("lru", length=64, state=16, spectrum=exponential(RHO))
layer = short.draw(jax.random.key(5), 2)
gap, phase, state = mode_states(layer, exponential(RHO))
steps = int(8 / gap.min())
measured = measure(jax.random.key(6), layer, AR1(RHO), steps=steps, num=1000)
power = measured["state"]
ratio, error = float(power.mean) / state.sum(), float(power.sem) / state.sum()
print(f"E|h|^2 summed over modes: {state.sum():.4f} predicted, {len(gap)} as advised")
print(f"measured / predicted after {steps} steps: {ratio:.3f} +- {error:.3f}")
assert abs(ratio - 1) < 5 * error + 1e-3

# %% [markdown]
# ## How fast may it learn?
#
# Near a minimum, a step of plain gradient descent multiplies the error along a direction of
# curvature $\ell$ by $1 - \eta\ell$. The error grows if $\eta > 2/\ell$. The Hessian of a
# linear layer is known exactly, and so is the *largest stable learning rate* of each parameter
# group. We start slightly beside the minimum, along the direction of largest curvature of the
# most sensitive group. We train with 0.9 times and with 1.1 times its largest stable rate:

# %%
with double_precision(True):
    small = sequence_layer(jax.random.key(2), "lru", 4, 1, r_min=0.8, r_max=0.95)
    small = jax.tree.map(lambda leaf: leaf.astype(float), small)
    target = stationary_target(small, AR1(RHO))
    rates = predict(small, exponential(RHO)).ceiling
    name = min(rates, key=rates.__getitem__)
    best = parameters(small)[name]

    def loss(value):
        """Population loss of the layer with these values of the group."""
        return stationary_loss(replace(small, {name: value}), target, AR1(RHO))

    curvature = jax.hessian(lambda flat: loss(flat.reshape(best.shape)))(best.ravel())
    largest, directions = np.linalg.eigh(curvature)
    slope = jax.jit(jax.value_and_grad(loss))
    start = best + 1e-5 * directions[:, -1].reshape(best.shape)
    figure, axis = plt.subplots(figsize=(4.4, 2.8))
    ends = {}
    for share, colour in ((0.9, ADVISED), (1.1, DEFAULT)):
        here, seen = start, []
        for _ in range(35):
            height, by = slope(here)
            seen.append(float(height))
            here = here - share * rates[name] * by
        ends[share] = seen[-1] / seen[0]
        axis.plot(seen, color=colour, label=f"{share:g} of the largest stable rate")
axis.set(yscale="log", xlabel="step", ylabel="loss")
axis.legend()
plt.show()
told = ", ".join(f"{key} {one:.3g}" for key, one in rates.items())
print(f"largest stable rates by the closed form: {told}; {name} has the smallest")
print(
    f"2 / largest curvature of {name}, by differentiating the loss: {2 / largest[-1]:.6g}"
)
print(
    f"after 35 steps the loss is {ends[0.9]:.1e} and {ends[1.1]:.1e} times the initial one"
)
assert abs(rates[name] * largest[-1] / 2 - 1) < 1e-6
assert ends[0.9] < 1 < ends[1.1]

# %% [markdown]
# The curvature by the phase is large: over a long time constant, a small error of $\theta$
# is multiplied by the number of steps. So recurrent parameters need a learning rate of their
# own, and `sigprop advise` prints it for each group.
#
# ## Does the advice help?
#
# Networks were trained twice from the same seeds and on the same examples in the same order,
# once with the default and once with the advised initialisation. Three rules had been chosen
# with other seeds: how to sample phases (on four tasks), to use the measured autocovariance of
# the input (on spoken digits), and how to space the time constants (on six tasks). Then all
# networks were trained with new seeds, and nothing was changed afterwards. psMNIST, the small
# digits and WTH were not used for any choice. `sigprop sweep run advice` repeats the trainings.

# %%
trained = store.shipped("advice").sel(contrast="advised")
rows = ["| task | loss, advised / default | 95 % interval | |", "|---|---|---|---|"]
for task in trained["of"].values.tolist():
    one = trained.sel(of=task)
    middle, low, high = (float(np.exp(one[part])) for part in ("mean", "low", "high"))
    word = str(one["word"].values)
    rows.append(f"| {task} | {middle:.3g} | {low:.3g} to {high:.3g} | {word} |")
display(Markdown("\n".join(rows)))
words = trained["word"].values.tolist()
assert "worse" not in words  # as the text says
print(", ".join(f"{word} on {words.count(word)}" for word in dict.fromkeys(words)))
chosen = store.shipped("advice_phases")
for name in ("advised", "input", "all"):
    one = chosen.sel(of="correlated", contrast=name)
    print(f"correlated, {name}: {float(np.exp(one['mean'])):.2g}, {one['word'].values}")
ways = gathering.pairs(chosen, "correlated", ("advised-input", "advised"))
narrow = compare(*(one["final_loss"].values for one in ways))
print(
    f"all phases by the input / half of them: {np.exp(narrow.mean):.2g}, {narrow.word}"
)
assert narrow.word == "worse"
for task in ("ETTh1", "WTH", "listops-short"):
    assert trained["word"].sel(of=task) == "no difference shown"

# %% [markdown]
# The advised initialisation is worse on no task. It makes no clear difference for the two
# forecasts, whose windows have 24 steps, and for ListOps. An earlier rule used only long time
# constants, none below an eleventh of the sequence. Spoken digits then ended with a higher loss
# than by default, and the moduli alone caused this.
#
# Why are only half of the phases advised? A linear teacher under correlated inputs has phases
# anywhere on the circle. If all phases of the student lie where the *input* has its power,
# the final loss is several times higher than with half of them. Training hardly changes the
# phase of a long time constant: the derivative by $\theta$ is large, and the loss has many
# local minima in $\theta$. The input power shows which frequencies are present, not which
# are needed.
#
# ## Exercises
#
# 1. In the third layer one modulus is exactly 1. What is the second moment of its state after
#    2048 white inputs? What is it for the median mode of that layer in the limit?
# 2. How many time constants from 100 to 1000 steps can float16 represent if it stores
#    $|\lambda|$? How many can bfloat16, with three bits less, if it stores $\log\nu$ for
#    $\nu = -\log|\lambda|$?
# 3. The default normalisation of the LRU is right for white inputs. By what factor do the
#    largest and smallest $E|h|^2$ differ for white inputs, and for $\rho = 0.99$?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The state never decays: the variances of all inputs add up.
(third,) = [one for one in report.layers if one.layer == "layers.2.mixer"]
radius = np.exp(-1 / third.median)
print(f"2048, against {1 / (1 - radius**2):.1f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. Between 4 and 8 in size, numbers of 8 significant bits are 1/32 apart.
steps_of_log = jnp.unique(
    jnp.linspace(-np.log(1000), -np.log(100), 10_000).astype(jnp.bfloat16)
)
print(distinct_memories("float16", 100, 1000), "against", len(steps_of_log))

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3.
for rho in (0.0, 0.99):
    start = advise("lru", length=LENGTH, state=STATE, spectrum=exponential(rho)).default
    print(f"rho = {rho}: {start.state.max() / start.state.min():.4g}")

# %% [markdown]
# `sigprop figure sigprop-advice-worth` draws these results. `sigprop advise --length 4096
# --rho 0.9 --figure advice.png` draws an advised initialisation.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
