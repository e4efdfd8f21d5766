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
# A recurrent layer may be broken without a word: a decay drawn in too short a format, or
# overwritten by a later initialiser, still gives finite losses that fall. What it cannot
# do any more is remember. The closed forms of this suite turn the stored numbers into
# memories, sizes of states and learning rates, so that seconds and no data are enough to
# see it; and the same forms, read backwards, say how to begin.
#
# **You need** to know what a mode of a linear recurrence is, $h_t = \lambda h_{t-1} + x_t$,
# and that it remembers about $1/(1-|\lambda|)$ steps. **You learn** what `sigprop lint`
# finds and on what grounds, how many memories a format of numbers has, and what
# `sigprop advise` derives from a length and an autocovariance.

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
# A file as a Mamba of other hands would write it: of each layer the logarithm of the
# decay, `A_log`, and the bias of the step before its softplus, `dt_proj.bias`. The first
# layer is drawn as its authors draw it. In the second one a general initialiser came
# after the layer's own and set all biases to zero. In the third one decays were drawn
# uniformly from $(0, 16)$ in bfloat16, where a small draw is rounded to zero, and a
# logarithm taken.

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
# In a shell this is `sigprop lint model.safetensors --length 2048`; here is the same as a
# function. Nothing in the file is executed, and families are told by the names and shapes
# of their arrays.

# %%
report = lint(open_checkpoint(file), Settings(length=2048))
rows = ["| layer | shortest | median | longest memory, steps |", "|---|---|---|---|"]
rows += [
    f"| {one.layer} | {one.shortest:.2g} | {one.median:.3g} | {one.longest:.4g} |"
    for one in report.layers
]
display(Markdown("\n".join(rows)))
rows = ["| rule | layer | in numbers | what to do |", "|---|---|---|---|"]
rows += [
    f"| {one.rule.id} ({one.severity}) | {one.layer} | {one.consequence} "
    f"| {one.rule.remedy} |"
    for one in report.findings
]
display(Markdown("\n".join(rows)))
accused = {one.layer for one in report.graver}
display(
    Markdown(
        f"{len(report.graver)} findings above a note, in {len(accused)} of "
        f"{len(report.layers)} layers; the healthy one is "
        f"{'not ' if 'layers.0.mixer' not in accused else ''}among them."
    )
)

# %% [markdown]
# Each rule is a closed form, and its consequence is what the form says of the numbers in
# the file. There is one table of them:

# %%
severities = [rule.severity for rule in RULES]
print({name: severities.count(name) for name in dict.fromkeys(severities)})
for rule in RULES[:4]:
    print(f"{rule.id:18} {rule.form}")

# %% [markdown]
# ## How many memories has a format?
#
# Just below one the numbers of a format with $p$ significant bits are $2^{-p}$ apart. A
# modulus is $|\lambda| = e^{-1/m}$ for a memory of $m$ steps, so that memories from $m$ to
# $2m$ share a range of about $1/(2m)$, and there are about $2^{p-1}/m$ of them.

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
    xscale="log", yscale="log", xlabel="memory $m$, steps", ylabel="moduli to $2m$"
)
axis.set_ylim(0.5, None)
axis.legend()
plt.show()
for name in formats:
    last = max(one for one in memory if distinct_memories(name, one, 2 * one))
    print(f"{name}: the last octave with any modulus begins at {last:.3g} steps")

# %% [markdown]
# Points are counted, lines are the estimate. This is the curse of memory in numbers: what
# is stored in bfloat16 may be small or large, but not close to one. Store $\nu =
# -\log|\lambda|$ or its logarithm, whose relative precision is the same at every memory,
# and compute $\lambda$ in float32.
#
# ## Where to begin
#
# Sequences of 4096 steps, and inputs whose neighbours have a correlation of 0.9. What
# should an LRU of 64 modes begin as? Three things follow from closed forms. The outer
# radius is that of a memory of 4096 steps, the inner one that of a hundredth of it; between
# them memories grow by one factor from mode to mode, since what is to be learnt may need
# short ones, and by area on the ring most would be nearly as short as the shortest. Half of
# the phases are to lie where 95 % of the input's power is, since a mode elsewhere hears
# little; the others anywhere below $\pi$, since what is to be learnt may lie elsewhere. And
# every mode is scaled by the square root of its own second moment **under this input**, not
# under white noise.

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
left.set(yscale="log", xlabel="phase, rad", ylabel="memory, steps")
middle.set(xscale="log", xlabel="memory, steps", ylabel="share that reaches it")
right.axhline(1, color=style.GREY, linewidth=0.7)
right.set(xscale="log", yscale="log", xlabel="memory, steps", ylabel=r"$E|h|^2$")
middle.legend()
plt.show()
print(f"options for the builder: {advice.options}")

# %%
before, after = advice.default.state, advice.advised.state
display(
    Markdown(
        f"By default a tenth of the modes remembers more than "
        f"{np.quantile(advice.default.memory, 0.9):.0f} steps, as advised more than "
        f"{np.quantile(advice.advised.memory, 0.9):.0f}. By default the largest state has "
        f"{before.max() / before.min():.0f} times the power of the smallest, as advised "
        f"{after.max() / after.min():.1f} times."
    )
)

# %% [markdown]
# ## Are the predictions right?
#
# Draw the advised layer and feed it. Its states are to have $E\,|h|^2 = 1$ each; the
# gradients by each parameter, the trace of the Hessian's Gauss-Newton part, are predicted
# too. For a shorter memory, so that a simulation reaches what holds in the limit:

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
# Plain gradient descent near a minimum shrinks the error along a direction of curvature
# $\ell$ by the factor $1 - \eta\ell$ a step: it leaves the minimum where $\eta > 2/\ell$.
# The Hessian of a linear layer is known exactly, and with it the *ceiling* of each group
# of parameters. Begin a little beside the minimum, along the steepest direction of the
# group that allows least, and go on with nine tenths and with eleven tenths of its
# ceiling:

# %%
with double_precision(True):
    small = sequence_layer(jax.random.key(2), "lru", 4, 1, r_min=0.8, r_max=0.95)
    small = jax.tree.map(lambda leaf: leaf.astype(float), small)
    target = stationary_target(small, AR1(RHO))
    ceilings = predict(small, exponential(RHO)).ceiling
    name = min(ceilings, key=ceilings.__getitem__)
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
            here = here - share * ceilings[name] * by
        ends[share] = seen[-1] / seen[0]
        axis.plot(seen, color=colour, label=f"{share:g} of the ceiling")
axis.set(yscale="log", xlabel="step", ylabel="loss")
axis.legend()
plt.show()
told = ", ".join(f"{key} {one:.3g}" for key, one in ceilings.items())
print(f"ceilings by the closed form: {told}; {name} is the first")
print(
    f"2 / largest curvature of {name}, by differentiating the loss: {2 / largest[-1]:.6g}"
)
print(f"after 35 steps the loss is {ends[0.9]:.1e} and {ends[1.1]:.1e} times the first")
assert abs(ceilings[name] * largest[-1] / 2 - 1) < 1e-6
assert ends[0.9] < 1 < ends[1.1]

# %% [markdown]
# Angles are steep: a long memory turns a small error of $\theta$ into a phase that is
# wrong by as many times as the memory has steps. This is why the recurrent parameters
# have a learning rate of their own, and what `sigprop advise` prints for each group.
#
# ## Is it worth following?
#
# Networks were trained twice from the same seeds, on the same examples in the same order,
# once begun by default and once as advised. Three rules were chosen by other seeds: how phases
# are drawn, on four of the tasks; that the input is taken as it was measured, when the spoken
# digits showed that no sum of decaying exponentials is a model of what oscillates; and how
# memories are spread, on six. Then all were trained at new seeds, and nothing was changed
# after. psMNIST, the small digits and WTH had no part in any choice. `sigprop sweep run advice`
# trains them again.

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
print(f"input over half and half: {np.exp(narrow.mean):.2g}, {narrow.word}")
assert narrow.word == "worse"
for task in ("ETTh1", "WTH", "listops-short"):
    assert trained["word"].sel(of=task) == "no difference shown"

# %% [markdown]
# It is worse on none, and makes no difference to the two forecasts, whose windows have 24
# steps, and to ListOps. An earlier rule had a tenth of the modes remember half of a sequence or
# more, and none less than an eleventh: spoken digits then ended with more loss than by default,
# by that ring alone, and not by the advised phases or gains alone.
#
# Why only half of the phases? A linear teacher under correlated inputs has phases anywhere
# on the circle. Of a student whose phases were all drawn where the *input* has its power
# the loss ends several times above that of half and half. A long memory hardly moves its
# phase: the slope with respect to $\theta$ is steep and the loss has a valley for every turn.
# What the input says is where there is something to hear, and not where there is something
# to learn.
#
# ## Exercises
#
# 1. In the third layer a modulus is exactly one. What second moment has its state after
#    2048 white inputs, and what has the median mode of that layer in the limit?
# 2. From 100 to 1000 steps, how many memories has float16 if it stores $|\lambda|$, and
#    how many has bfloat16, three bits poorer, if it stores $\log\nu$ for
#    $\nu = -\log|\lambda|$?
# 3. The LRU's own normalisation is right for white inputs. By what factor do the states
#    of its default start differ under these, in power, and by what factor under
#    $\rho = 0.99$?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. Nothing is forgotten: the variances of all inputs add up.
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
# The figure about this: `sigprop figure sigprop-advice-worth`; `sigprop advise --length
# 4096 --rho 0.9 --figure advice.png` draws a start.
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
