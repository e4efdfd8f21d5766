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
# **You need** to know a mode of a linear recurrence, $h_t = \lambda h_{t-1} + x_t$, with
# input $x_t$, state $h_t$ and eigenvalue $\lambda$. Its time constant is
# $1/(1-|\lambda|)$ steps. **You learn** which faults `sigprop lint` finds and why, and how
# many time constants a number format can represent. You also learn how `sigprop advise` uses
# a sequence length and an autocovariance.

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

from sigprop import AR1, double_precision
from sigprop.advice import advise, exponential, mode_states, predict_initialisation
from sigprop.audit.lint import RULES, Settings, distinct_time_constants, lint, spacing
from sigprop.experiments import store
from sigprop.experiments.advised import gathering
from sigprop.experiments.advised.rule import compare
from sigprop.figures import lessons, style
from sigprop.layers import parameters, replace
from sigprop.linear import measure, stationary_loss, stationary_target
from sigprop.networks import sequence_layer
from sigprop.networks.foreign import open_checkpoint

lessons.use()
DEFAULT, ADVISED = style.VERMILION, style.BLUE

# %% [markdown]
# ## Three layers, two accidents
#
# We write a checkpoint as a Mamba library would. Each layer stores the logarithm of the decay
# (`A_log`) and a bias (`dt_proj.bias`), which a softplus turns into the step size. The first
# layer is initialised correctly. In the second layer, a general initialiser has set all biases
# to zero. In the third layer, decays were sampled uniformly from $(0, 16)$ in bfloat16. This
# format rounds small samples to zero, and their logarithm is $-\infty$.

# %%
generator = np.random.default_rng(11)
CHANNELS, STATES = 96, 16


def mixer():
    """A layer with the usual decays and with log-uniform step sizes from 0.001 to 0.1."""
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
samples = generator.uniform(0, 16, (CHANNELS, STATES))
samples[generator.integers(CHANNELS, size=4), generator.integers(STATES, size=4)] = 0
with np.errstate(divide="ignore"):
    layers[2]["A_log"] = np.log(samples)
folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "model.safetensors"
save_file(
    {
        f"layers.{index}.mixer.{name}": np.asarray(values, np.float32)
        for index, layer in enumerate(layers)
        for name, values in layer.items()
    },
    file,
)

# %% [markdown]
# In a shell the command is `sigprop lint model.safetensors --length 2048`. Here we call the
# same function. The function executes no code from the file. It recognises each layer by the
# names and shapes of its arrays. The first table lists the time constants of each layer, the
# second table lists the faults.

# %%
report = lint(open_checkpoint(file), Settings(length=2048))
heads = ("layer", "shortest", "median", "longest time constant, steps")
rows = [
    (
        layer.layer,
        f"{layer.shortest:.2g}",
        f"{layer.median:.3g}",
        f"{layer.longest:.4g}",
    )
    for layer in report.layers
]
display(lessons.Table(heads, rows))
rows = [
    (
        f"{finding.rule.id} ({finding.severity})",
        finding.layer,
        finding.consequence,
        finding.rule.remedy,
    )
    for finding in report.findings
]
display(lessons.Table(("rule", "layer", "consequence", "remedy"), rows))
accused = {finding.layer for finding in report.graver}
display(
    Markdown(
        f"`sigprop lint` finds {len(report.graver)} errors and warnings in {len(accused)} "
        f"of {len(report.layers)} layers. In the correct layer it finds "
        f"{'none' if 'layers.0.mixer' not in accused else 'some'}."
    )
)

# %% [markdown]
# Each rule is a closed form, evaluated at the numbers in the file. sigprop stores all rules in
# one table. Here are the number of rules by severity and the first four rules:

# %%
severities = [rule.severity for rule in RULES]
print({name: severities.count(name) for name in dict.fromkeys(severities)})
for rule in RULES[:4]:
    print(f"{rule.id:18} {rule.form}")

# %% [markdown]
# ## How many time constants can a format represent?
#
# Just below 1, neighbouring numbers of a format with $p$ significant bits differ by $2^{-p}$. A
# time constant of $m$ steps has the modulus $|\lambda| = 1 - 1/m$. Time constants from $m$ to
# $2m$ steps have moduli in an interval of length $1/(2m)$. The format has about
# $2^{p-1}/m$ numbers in this interval. In the next figure, dots show exact counts and lines
# show this estimate. Below the grey line the format has no such number.

# %%
memory = np.geomspace(4, 1e5, 60)
figure, axis = plt.subplots(figsize=(4.4, 2.8))
formats = dict(zip(("bfloat16", "float16", "float32"), style.SEQUENCE, strict=False))
for name, colour in formats.items():
    counts = [
        distinct_time_constants(name, time_constant, 2 * time_constant)
        for time_constant in memory
    ]
    axis.plot(memory, counts, ".", color=colour, label=name)
    axis.plot(memory, 0.5 / (memory * spacing(name)), color=colour, linewidth=0.7)
axis.axhline(1, color=style.GREY, linewidth=0.7)
axis.set(
    xscale="log",
    yscale="log",
    xlabel="time constant $m$, steps",
    ylabel="moduli for $m$ to $2m$ steps",
)
axis.set_ylim(0.5, None)
axis.legend()
plt.show()
for name in formats:
    last = max(
        time_constant
        for time_constant in memory
        if distinct_time_constants(name, time_constant, 2 * time_constant)
    )
    print(
        f"{name} has time constants beyond {last:,.0f} steps."
        if last == memory[-1]
        else f"The longest time constant of {name} is between {last:,.0f} and "
        f"{2 * last:,.0f} steps."
    )

# %% [markdown]
# The numbers of bfloat16 are dense near 0 but not near 1. So store the decay rate
# $-\log|\lambda|$ or its logarithm, and compute $\lambda$ in float32. The relative precision
# of the decay rate does not depend on the time constant.
#
# ## How to initialise
#
# Take sequences of 4096 steps. Let successive inputs have the correlation $\rho = 0.9$. How
# should a linear recurrent unit (LRU) of 64 modes be initialised? Closed forms answer three
# questions.
#
# - **Moduli.** The outer radius gives a time constant of 4096 steps, the inner radius a
#   hundredth of it. In between, each time constant is the previous one times a constant
#   factor. With uniform sampling on the ring, nearly all time constants would be short.
# - **Phases.** Half of the phases lie where 95 % of the input power is, because a mode at
#   another frequency receives little input. The other half lie anywhere below $\pi$, because
#   the target can have other frequencies.
# - **Scale.** Every mode is divided by the square root of its second moment $E|h|^2$. This
#   moment is computed **for this input**, not for white noise.
#
# The next figure compares the default with the advised initialisation. Left: 95 % of the
# input power lies at frequencies below the dashed line, and the grey line marks 4096 steps.
# Middle: the curve gives the share of modes with a time constant above the value on the
# horizontal axis. Right: the second
# moment of every mode should be near one (grey line).

# %%
LENGTH, RHO, STATE = 4096, 0.9, 64
advice = advise("lru", length=LENGTH, state=STATE, spectrum=exponential(RHO))
starts = {
    "default": (advice.default, DEFAULT),
    "advised": (advice.advised, ADVISED),
}
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.4, 2.8))
for name, (prediction, colour) in starts.items():
    dots = {"color": colour, "ms": 3, "label": name}
    left.plot(np.abs(prediction.phase), prediction.time_constant, "o", **dots)
    left.axhline(LENGTH, color=style.GREY, linewidth=0.7)
    ordered = np.sort(prediction.time_constant)
    reached = 1 - np.arange(len(ordered)) / len(ordered)
    middle.plot(ordered, reached, color=colour, label=name)
    right.plot(prediction.time_constant, prediction.state, "o", **dots)
left.axvline(advice.phase, color=style.GREY, linestyle="--", linewidth=0.7)
left.set(yscale="log", xlabel="phase, rad", ylabel="time constant, steps")
middle.set(
    xscale="log", xlabel="time constant, steps", ylabel="share of modes above it"
)
right.axhline(1, color=style.GREY, linewidth=0.7)
right.set(xscale="log", yscale="log", xlabel="time constant, steps", ylabel=r"$E|h|^2$")
middle.legend()
plt.show()
print(f"Pass these options to the layer: {advice.options}")

# %%
before, after = advice.default.state, advice.advised.state
display(
    Markdown(
        f"In the default initialisation a tenth of the time constants exceed "
        f"{np.quantile(advice.default.time_constant, 0.9):.0f} steps, in the advised "
        f"initialisation {np.quantile(advice.advised.time_constant, 0.9):.0f} steps. "
        f"The largest $E|h|^2$ is {before.max() / before.min():.0f} times the smallest by "
        f"default. With the advice it is {after.max() / after.min():.1f} times the smallest."
    )
)

# %% [markdown]
# ## Are the predictions right?
#
# We sample the advised layer and simulate it. The advice aims at $E\,|h|^2 = 1$ for every
# state. We choose a shorter sequence of 64 steps. Then the time constants are shorter too, and
# the simulation reaches the stationary state:

# %%
short = advise("lru", length=64, state=16, spectrum=exponential(RHO))
layer = short.draw(jax.random.key(5), 2)
gap, phase, state = mode_states(layer, exponential(RHO))
steps = int(8 / gap.min())
measured = measure(jax.random.key(6), layer, AR1(RHO), steps=steps, num=1000)
power = measured["state"]
ratio, error = float(power.mean) / state.sum(), float(power.sem) / state.sum()
print(
    f"The sum of E|h|^2 over modes is {state.sum():.4f} by the closed form. The advice aims "
    f"at {len(gap)}, one for each mode."
)
print(
    f"After {steps} steps the measured sum is {ratio:.3f} +- {error:.3f} times the predicted "
    "sum."
)
assert abs(ratio - 1) < 5 * error + 1e-3

# %% [markdown]
# ## Which learning rates are stable?
#
# Let $\eta$ be the learning rate of plain gradient descent. Near a minimum, one step
# multiplies the error along a direction of curvature $\ell$ by $1 - \eta\ell$. The error grows
# if $\eta > 2/\ell$. The Hessian of a linear layer is known exactly. So the *largest stable
# learning rate* of each parameter group is known exactly too. The most sensitive group has the
# smallest such rate. We start beside the minimum, along its direction of largest curvature. We
# train with 0.9 times and with 1.1 times the largest stable rate. Look at the loss: it should
# fall in the first case and grow in the second.

# %%
with double_precision(True):
    small = sequence_layer("lru", 4, 1, key=jax.random.key(2), r_min=0.8, r_max=0.95)
    small = jax.tree.map(lambda leaf: leaf.astype(float), small)
    target = stationary_target(small, AR1(RHO))
    rates = predict_initialisation(small, exponential(RHO)).largest_rate
    name = min(rates, key=rates.__getitem__)
    best = parameters(small)[name]

    def loss(value):
        """Population loss of the layer with these values of the group."""
        return stationary_loss(replace(small, {name: value}), target, AR1(RHO))

    curvature = jax.hessian(lambda flat: loss(flat.reshape(best.shape)))(best.ravel())
    largest, directions = np.linalg.eigh(curvature)
    value_and_gradient = jax.jit(jax.value_and_grad(loss))
    start = best + 1e-5 * directions[:, -1].reshape(best.shape)
    figure, axis = plt.subplots(figsize=(4.4, 2.8))
    ends = {}
    for share, colour in ((0.9, ADVISED), (1.1, DEFAULT)):
        here, heights = start, []
        for _ in range(35):
            height, by = value_and_gradient(here)
            heights.append(float(height))
            here = here - share * rates[name] * by
        ends[share] = heights[-1] / heights[0]
        axis.plot(
            heights, color=colour, label=f"{share:g} times the largest stable rate"
        )
axis.set(yscale="log", xlabel="step", ylabel="loss")
axis.legend()
plt.show()
text = ", ".join(f"{key} {rate:.3g}" for key, rate in rates.items())
print(f"Largest stable rates by the closed form: {text}.")
print(f"The group {name} has the smallest rate.")
print(
    f"Differentiating the loss gives 2 / largest curvature = {2 / largest[-1]:.6g} "
    f"for {name}."
)
print(
    f"With 0.9 times the largest stable rate, 35 steps change the loss by a factor of "
    f"{ends[0.9]:.1e}. With 1.1 times this rate, the factor is {ends[1.1]:.1e}."
)
assert abs(rates[name] * largest[-1] / 2 - 1) < 1e-6
assert ends[0.9] < 1 < ends[1.1]

# %% [markdown]
# The loss has a large curvature along the phase $\theta$ of $\lambda$. Over a long time
# constant, a small error of $\theta$ is multiplied by the number of steps. So recurrent
# parameters need a learning rate of their own. `sigprop advise` prints the largest stable rate
# of each group.
#
# ## Does the advice help?
#
# We trained each network twice: once with the default and once with the advised
# initialisation. Both trainings use the same seeds and the same examples in the same order.
# Before this comparison, we made three choices with other seeds:
#
# - On four tasks we chose how to sample phases.
# - On spoken digits we chose to use the measured autocovariance of the input.
# - On six tasks we chose how to space the time constants.
#
# Then we trained all networks with new seeds and changed nothing afterwards. We made none of
# the choices on psMNIST, the small digits or Weather (WTH). `sigprop sweep run advice` repeats
# the trainings. The table lists the final validation loss with the advised initialisation,
# divided by that with the default.

# %%
trained = store.shipped("advice").sel(contrast="advised")
rows = []
for task in trained["of"].values.tolist():
    row = trained.sel(of=task)
    middle, low, high = (float(np.exp(row[part])) for part in ("mean", "low", "high"))
    verdict = str(row["word"].values)
    rows.append((task, f"{middle:.3g}", f"{low:.3g} to {high:.3g}", verdict))
heads = ("task", "loss, advised / default", "95 % interval", "verdict")
display(lessons.Table(heads, rows))
verdicts = trained["word"].values.tolist()
assert "worse" not in verdicts  # as the text says
counts = ", ".join(
    f"{verdict!r} on {verdicts.count(verdict)} tasks"
    for verdict in dict.fromkeys(verdicts)
)
print(f"Verdicts: {counts}.")
WAYS = {"advised": "half of the phases", "input": "all phases", "all": "no phase"}
print("On a linear teacher with correlated inputs, loss divided by the default's loss:")
chosen = store.shipped("advice_phases")
for name in ("advised", "input", "all"):
    row = chosen.sel(of="correlated", contrast=name)
    print(
        f"  {WAYS[name]} chosen from the input: {float(np.exp(row['mean'])):.2g}, "
        f"{row['word'].values}"
    )
ways = gathering.pairs(chosen, "correlated", ("advised-input", "advised"))
narrow = compare(*(way["final_loss"].values for way in ways))
print(
    "The loss with all phases chosen from the input is "
    f"{np.exp(narrow.mean):.2g} times the loss with half of them ({narrow.verdict})."
)
assert narrow.verdict == "worse"
for task in ("ETTh1", "WTH", "listops-short"):
    assert trained["word"].sel(of=task) == "no difference shown"

# %% [markdown]
# The advised initialisation is worse on no task. It makes no clear difference for the two
# forecasts, whose windows have 24 steps, and for ListOps. An earlier rule used only long time
# constants, none below an eleventh of the sequence. With that rule, spoken digits ended with a
# higher loss than by default. The narrow range of moduli in that rule, not the phases, caused
# the higher loss.
#
# Why does the advice choose only half of the phases from the input? A linear teacher with
# correlated inputs has phases anywhere on the circle. The final loss is several times higher
# if all phases of the student lie where the *input* has its power than if half of them do.
# Training hardly changes the phase of a mode with a long time constant. The derivative of the
# loss with respect to $\theta$ is large, and the loss has many local minima in $\theta$. The
# input power shows which frequencies are present, not which are needed.
#
# ## Exercises
#
# 1. In the third layer one modulus is exactly 1. What is the second moment of its state after
#    2048 white inputs of variance one? Take the mode with the median time constant of that
#    layer. What second moment does its state reach after infinitely many inputs?
# 2. How many time constants from 100 to 1000 steps can float16 represent if it stores
#    $|\lambda|$? bfloat16 has three bits less. How many time constants can it represent if it
#    stores the logarithm of the decay rate $-\log|\lambda|$?
# 3. The default normalisation of the LRU is correct for white inputs. By what factor do the
#    largest and smallest $E|h|^2$ differ for white inputs ($\rho = 0$)? By what factor do they
#    differ for $\rho = 0.99$?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The state of modulus 1 never decays, so the variances of all inputs add up.
(third,) = [layer for layer in report.layers if layer.layer == "layers.2.mixer"]
radius = 1 - 1 / third.median
print(
    f"second moment: 2048 for modulus 1, {1 / (1 - radius**2):.1f} for the median mode"
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The logarithms have absolute values between 4 and 8. There, neighbouring numbers with 8
#    significant bits differ by 1/32.
steps_of_log = jnp.unique(
    jnp.linspace(-np.log(1000), -np.log(100), 10_000).astype(jnp.bfloat16)
)
print(
    f"float16 represents {distinct_time_constants('float16', 100, 1000)} time constants, "
    f"bfloat16 {len(steps_of_log)}."
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The default normalises for white inputs, so all modes are equal only at rho = 0.
for rho in (0.0, 0.99):
    start = advise("lru", length=LENGTH, state=STATE, spectrum=exponential(rho)).default
    print(
        f"rho = {rho}: the largest E|h|^2 is "
        f"{start.state.max() / start.state.min():.4g} times the smallest."
    )

# %% [markdown]
# `sigprop figure sigprop-advice-worth` draws the results of the trainings on nine tasks.
# `sigprop figure sigprop-advice-choices` draws the results of other learning rates and phases.
# `sigprop advise --length 4096 --rho 0.9 --figure advice.png` draws an advised initialisation.
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
