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
# # Learning long memories
#
# A linear network learns from a linear teacher. Zucchet and Orvieto (2024, Section 4)
# find that the longer the teacher remembers, the worse a fully connected network does,
# and that an LRU hardly notices. They drew 128 sequences a step, and needed a month of
# computing. Here the loss is exact, and the comparison runs while you read.
#
# **You need** gradient descent, and what the impulse response of a linear system is; the
# notebook on the curse of memory helps. **You learn** how the expected loss of a linear
# student is computed without drawing anything, who learns which memory, and how to compare
# networks that are tuned one by one.

# %%
# %matplotlib inline
import math
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop.experiments import store
from sigprop.figures import lessons
from sigprop.inputs import AR1
from sigprop.layers.dense import linear_rnn
from sigprop.layers.lru import zucchet_lru
from sigprop.linear.impulse_response import kernel
from sigprop.tasks.teacher_student import linear_teacher, teacher_student
from sigprop.training.loop import Optimiser, advance, effective_rates, start

lessons.use()
COLOUR = lessons.NETWORK
key = jax.random.key(0)

# %% [markdown]
# ## The teacher
#
# Ten neurons, a random real matrix whose eigenvalues are moved to moduli between
# $\nu_0$ and one (Appendix A.1). What a linear network computes is its impulse response
# $g$: how much an input weighs $k$ steps later. The closer $\nu_0$ to one, the longer.

# %%
figure, axes = plt.subplots(1, 3, sharex=True)
for axis, nu0 in zip(axes, (0.5, 0.9, 0.99), strict=True):
    response = kernel(linear_teacher(key, nu0=nu0), 300)[:, 0, 0]
    axis.plot(response, color=lessons.MEMORY[nu0])
    axis.set(title=rf"$\nu_0 = {nu0}$", xlabel="age of the input, steps")
axes[0].set_ylabel("impulse response $g$")
plt.show()
# %% [markdown]
# ## The exact loss
#
# Let $d$ be the difference of the two impulse responses. Over inputs with autocovariance
# $R$ the expected loss of sequences of $T$ steps is a quadratic form,
#
# $$L = \frac{1}{2T} \sum_{j,k} \big(T - \max(j, k)\big)\, R(j - k)\, d_j d_k,$$
#
# and for white inputs a single sum. Nothing is drawn, so nothing is noisy. Is it the
# mean of the sampled loss? Forty batches, for white and for correlated inputs:

# %%
teacher = linear_teacher(key, nu0=0.9)
student = zucchet_lru(key, 64, 1, 1, nu0=0.9, theta0=math.pi)
rows = ["| inputs | exact | sampled | standard error |", "|---|---|---|---|"]
for name, process in (("white", None), ("AR(1), $\\rho = 0.8$", AR1(0.8))):
    task = teacher_student(teacher, process, length=100)
    exact = float(task.loss(student))
    batches = jax.lax.map(
        lambda one, task=task: task.loss(student, one, 32), jax.random.split(key, 40)
    )
    error = float(batches.std(ddof=1)) / math.sqrt(len(batches))
    assert abs(float(batches.mean()) - exact) < 5 * error
    rows.append(f"| {name} | {exact:.4f} | {float(batches.mean()):.4f} | {error:.4f} |")
display(Markdown("\n".join(rows)))

# %% [markdown]
# A step of training on it needs no sequence at all: the impulse response of 300 steps is
# one small matrix product. Side by side, one Adam step of the same student:

# %%
adam = Optimiser(steps=10_000)
task = teacher_student(teacher, length=300)


def timed(batch, steps):
    """Milliseconds a step, compilation left out."""

    def loss(layer, noise):
        return task.loss(layer) if batch is None else task.loss(layer, noise, batch)

    run = start(student, adam, 1e-3, key)
    many = jax.jit(lambda run: advance(run, loss, adam, steps))
    jax.block_until_ready(many(run))
    began = time.perf_counter()
    jax.block_until_ready(many(run))
    return 1e3 * (time.perf_counter() - began) / steps


fast, slow = timed(None, 500), timed(128, 5)
display(
    Markdown(f"exact {fast:.3f} ms, sampled {slow:.0f} ms: {slow / fast:.0f} times")
)

# %% [markdown]
# ## Who learns what
#
# Three teachers of $\nu_0 = 0.99$, and for each a dense network and an LRU of 64 neurons
# at the learning rate that suits it (found on the full grid, below). The runs of a network
# are one program: `jax.vmap` over seeds.

# %%
STEPS, SEEDS = 2_000, 3
adam = Optimiser(STEPS)
students = {
    "dense RNN": (lambda k: linear_rnn(k, 64, 1, 1, nu0=0.0, theta0=math.pi), 10**-3.5),
    "LRU": (lambda k: zucchet_lru(k, 64, 1, 1, nu0=0.99, theta0=math.pi), 1e-2),
}
tasks = [
    teacher_student(linear_teacher(jax.random.key(seed), nu0=0.99))
    for seed in range(SEEDS)
]
tasks = jax.tree.map(lambda *leaves: jnp.stack(leaves), *tasks)


@jax.jit
def trained(runs):
    def one(run, task):
        run, losses = advance(run, lambda layer, _: task.loss(layer), adam, STEPS)
        return run, losses

    return jax.vmap(one)(runs, tasks)


ends, last = {}, {}
for name, (draw, rate) in students.items():
    runs = [
        start(draw(jax.random.key(100 + seed)), adam, rate, key)
        for seed in range(SEEDS)
    ]
    ends[name], losses = trained(jax.tree.map(lambda *one: jnp.stack(one), *runs))
    for seed in range(SEEDS):
        label = name if seed == 0 else None
        plt.semilogy(losses[seed], color=COLOUR[name], label=label, alpha=0.8)
    last[name] = np.sort(losses[:, -1])
plt.gca().set(xlabel="step of Adam", ylabel="exact loss")
plt.legend()
plt.show()
dense, lru = last.values()
wins = sum(two < one for one in dense for two in lru)
display(
    Markdown(
        f"The LRUs end at {lru[0]:.1g} to {lru[-1]:.1g}, the dense networks at "
        f"{dense[0]:.1g} to {dense[-1]:.1g}: of {dense.size * lru.size} pairs of runs the "
        f"LRU's ends lower in {wins}."
    )
)

# %% [markdown]
# ## What Adam makes of them
#
# Adam divides each gradient by its running size. Where parameters are coupled, as in a
# dense matrix, one sensitive direction slows down everything it touches; a diagonal
# recurrence has a few sensitive parameters and leaves the rest alone (Section 4.3). The
# step for a gradient of one, at half of each network's peak rate:

# %%
middle, decades = {}, {}
for name, end in ends.items():
    rates = jax.vmap(lambda one: effective_rates(one, adam))(
        end._replace(step=jnp.full((SEEDS,), STEPS // 2))
    )
    recurrent = rates.A if name == "dense RNN" else rates.nu_log
    values = np.sort(np.asarray(recurrent).ravel())
    share = np.linspace(0, 1, len(values))
    plt.plot(share, values, color=COLOUR[name], label=f"{name}, recurrent")
    middle[name] = np.median(values)
    decades[name] = np.log10(values[-1] / values[0])
plt.gca().set(
    yscale="log", xlabel="share of parameters", ylabel="step per unit gradient"
)
plt.legend()
plt.show()
wider = max(decades, key=lambda one: decades[one])
display(
    Markdown(
        f"The middle step of the LRU is {middle['LRU'] / middle['dense RNN']:.1g} times that "
        f"of the dense network. From the least to the greatest: "
        + ", ".join(f"{name} {one:.1f} decades" for name, one in decades.items())
        + f"; the {wider} makes more of the difference between its parameters."
    )
)

# %% [markdown]
# ## The whole grid
#
# Table 1 of the paper: seven memories, eleven learning rates, two ways to start the
# dense network, ten seeds, ten thousand steps. They come with the code
# (`sigprop sweep run memory_gap --preset paper` makes them again). Each network is tuned
# by itself at each memory: the learning rate with the least median loss. Lines are
# medians, dots are seeds.

# %%
grid = store.shipped("memory_gap")
for name in grid["student"].values:
    best = grid["best"].sel(student=name)
    gap = 1 - best["condition"].values
    plt.loglog(gap, best.median("run"), color=COLOUR[str(name)], label=name)
    plt.loglog(gap, best.values, ".", color=COLOUR[str(name)], alpha=0.4)
plt.gca().invert_xaxis()
plt.gca().set(xlabel=r"$1 - \nu_0$ of the teacher", ylabel="final exact loss")
plt.legend()
plt.show()
# %% [markdown]
# A recurrence of 64 neurons has $64^2$ numbers where it is dense, and $3 \cdot 64$ in an
# LRU. The gap between the two, teacher by teacher:

# %%
best = np.log10(grid["best"])
lead = best.sel(student="RNN") - best.sel(student="LRU")
rows = ["| $\\nu_0$ | median lead of the LRU, decades | second least and greatest |"]
rows.append("|---|---|---|")
for nu0 in lead["condition"].values:
    values = np.sort(lead.sel(condition=nu0).values)
    rows.append(
        f"| {nu0} | {np.median(values):.1f} | {values[1]:.1f}, {values[-2]:.1f} |"
    )
display(Markdown("\n".join(rows)))
assert np.sort(lead.sel(condition=0.99).values)[1] > 1

# %%
medians = lead.median("run")
climbs = best.median("run").sel(condition=0.99) - best.median("run").sel(condition=0.32)
won = medians.where(medians < 0, drop=True)
display(
    Markdown(
        f"The dense network is the better one at {won.size} of {medians.size} memories, "
        f"those of $\\nu_0 \\leq {float(won['condition'].max()):g}$, by up to "
        f"{-float(medians.min()):.1f} decades. From the shortest memory to the longest its "
        f"loss climbs by {float(climbs.sel(student='RNN')):.1f} decades, the LRU's by "
        f"{float(climbs.sel(student='LRU')):.1f}."
    )
)

# %% [markdown]
# ## To take home
#
# For a linear student the expected loss is a quadratic form of impulse responses. Use it:
# it is exact, and costs next to nothing. And compare networks at your own memory:

# %%
long, short = (medians.sel(condition=nu0).item() for nu0 in (0.99, 0.32))
names = {True: "the LRU", False: "the dense network"}
display(
    Markdown(
        f"- A sampled step took {slow / fast:.0f} times as long as an exact one.\n"
        f"- Long memories: {names[long > 0]} ends {10 ** abs(long):.0f} times lower.\n"
        f"- Short memories: {names[short > 0]} ends {10 ** abs(short):.0f} times lower."
    )
)

# %% [markdown]
# ## Exercises
#
# 1. For white inputs the double sum is a single one. Write it down, and compute the loss of
#    `student` on `teacher` over 100 steps from two calls of `kernel`.
# 2. The loss of a student that answers nothing is the power of the teacher's output. How
#    much of it has the untrained LRU of exercise 1 explained?
# 3. Between which two memories of the grid do the networks change places?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. R(j - k) is one where j = k and zero elsewhere.
steps = np.arange(100)
d = kernel(student, 100)[:, 0, 0] - kernel(teacher, 100)[:, 0, 0]
mine = np.sum((100 - steps) * d**2) / (2 * 100)
np.testing.assert_allclose(
    mine, teacher_student(teacher, length=100).loss(student), 1e-4
)
print(f"{mine:.4f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. With d = -g the loss is half the teacher's power; one minus the ratio is explained.
power = np.sum((100 - steps) * kernel(teacher, 100)[:, 0, 0] ** 2) / (2 * 100)
share = float(1 - mine / power)
assert share < 1
print(f"{share:.0%} explained" if share > 0 else f"none: it adds {-share:.0%}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. Where the median lead changes its sign.
signs = medians.values > 0
(place,) = np.flatnonzero(signs[1:] != signs[:-1])
before, behind = medians["condition"].values[[place, place + 1]]
assert medians.sel(condition=before) < 0 < medians.sel(condition=behind)
print(f"between {before} and {behind}")

# %% [markdown]
# The figures about this: `sigprop figure zucchet-3`, `sigprop figure zucchet-11`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
