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
# A linear network, the student, learns to imitate a linear teacher. Zucchet and Orvieto (2024,
# Section 4) compare two students: a fully connected (dense) network and a linear recurrent unit
# (LRU). The loss of the dense network grows with the teacher's time constant, but that of the
# LRU hardly changes. The authors sampled 128 sequences for each step and needed a month of
# computing. Here the loss is exact, and the comparison runs while you read.
#
# **You need** gradient descent and the impulse response of a linear system. The notebook on
# the curse of memory helps. **You learn** how to compute the expected loss of a linear student
# without sampling. You also learn which network learns which time constant, and how to compare
# networks with separately tuned learning rates.

# %%
# %matplotlib inline
import math
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop import AR1
from sigprop.experiments import store
from sigprop.figures import lessons
from sigprop.layers import linear_rnn, zucchet_lru
from sigprop.linear import kernel
from sigprop.tasks import linear_teacher, teacher_student
from sigprop.training import Optimiser, advance, effective_rates, start

lessons.use()
COLOUR = lessons.NETWORK


def two_digits(ratio):
    """A large ratio with two significant digits, such as 12,000."""
    return f"{float(f'{ratio:.2g}'):,.0f}"


key = jax.random.key(0)

# %% [markdown]
# ## The teacher
#
# The teacher has ten neurons and a random real recurrence matrix. Its eigenvalues are rescaled
# to moduli between $\nu_0$ and one (Appendix A.1). The impulse response $g_k$ determines a
# linear network completely: it is the weight of an input in the output $k$ steps later. Look
# at the length of the response, which grows as $\nu_0$ approaches one.

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
# Let $d_k$ be the difference between the impulse responses of student and teacher. Let $R$ be
# the autocovariance of the inputs. The expected loss of sequences of $T$ steps is the quadratic
# form
#
# $$L = \frac{1}{2T} \sum_{j,k} \big(T - \max(j, k)\big)\, R(j - k)\, d_j d_k.$$
#
# For white inputs it is a single sum. This loss has no sampling noise. The next table compares
# it with the mean loss of 40 sampled batches, for white and for correlated inputs. AR(1) inputs
# have $R(\Delta) = \rho^{|\Delta|}$.

# %%
teacher = linear_teacher(key, nu0=0.9)
student = zucchet_lru(64, 1, key=key, nu0=0.9, theta0=math.pi)
rows = ["| inputs | exact | sampled | standard error |", "|---|---|---|---|"]
for name, process in (("white", None), ("AR(1), $\\rho = 0.8$", AR1(0.8))):
    task = teacher_student(teacher, process, length=100)
    exact = float(task.loss(student))
    batches = jax.lax.map(
        lambda batch_key, task=task: task.loss(student, batch_key, 32),
        jax.random.split(key, 40),
    )
    error = float(batches.std(ddof=1)) / math.sqrt(len(batches))
    assert abs(float(batches.mean()) - exact) < 5 * error
    rows.append(f"| {name} | {exact:.4f} | {float(batches.mean()):.4f} | {error:.4f} |")
display(Markdown("\n".join(rows)))

# %% [markdown]
# A training step on the exact loss needs no sequence. The impulse response of 300 steps is
# one small matrix product. We measure the time of one Adam step of the same student for both
# losses:

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
    Markdown(
        f"One step takes {fast:.3f} ms with the exact loss and {slow:.0f} ms with the sampled "
        f"loss, {slow / fast:.0f} times as long."
    )
)

# %% [markdown]
# ## Which network learns a long time constant?
#
# We take three teachers with $\nu_0 = 0.99$. For each teacher we train a dense network and an
# LRU, both with 64 neurons. Each network has the best learning rate of the full grid below. One
# program runs all seeds of a network (`jax.vmap`). In the figure, each line is one training.
# Look at the final losses.

# %%
STEPS, SEEDS = 2_000, 3
adam = Optimiser(STEPS)
students = {
    "dense RNN": (
        lambda k: linear_rnn(64, 1, key=k, nu0=0.0, theta0=math.pi),
        10**-3.5,
    ),
    "LRU": (lambda k: zucchet_lru(64, 1, key=k, nu0=0.99, theta0=math.pi), 1e-2),
}
tasks = [
    teacher_student(linear_teacher(jax.random.key(seed), nu0=0.99))
    for seed in range(SEEDS)
]
tasks = jax.tree.map(lambda *leaves: jnp.stack(leaves), *tasks)


@jax.jit
def trained(runs):
    def per_run(run, task):
        run, losses = advance(run, lambda layer, _: task.loss(layer), adam, STEPS)
        return run, losses

    return jax.vmap(per_run)(runs, tasks)


ends, last = {}, {}
for name, (draw, rate) in students.items():
    runs = [
        start(draw(jax.random.key(100 + seed)), adam, rate, key)
        for seed in range(SEEDS)
    ]
    ends[name], losses = trained(jax.tree.map(lambda *leaves: jnp.stack(leaves), *runs))
    for seed in range(SEEDS):
        label = name if seed == 0 else None
        plt.semilogy(losses[seed], color=COLOUR[name], label=label, alpha=0.8)
    last[name] = np.sort(losses[:, -1])
plt.gca().set(xlabel="Adam step", ylabel="exact loss")
plt.legend()
plt.show()
dense, lru = last.values()
wins = sum(lru_loss < dense_loss for dense_loss in dense for lru_loss in lru)
display(
    Markdown(
        f"The final losses of the LRUs are {lru[0]:.1g} to {lru[-1]:.1g}, those of the dense "
        f"networks {dense[0]:.1g} to {dense[-1]:.1g}. In {wins} of {dense.size * lru.size} "
        "pairs of runs the LRU has the lower final loss."
    )
)

# %% [markdown]
# ## Adam's steps in both networks
#
# Adam divides each gradient by its running root mean square. In a dense matrix the parameters
# are coupled. One sensitive direction then makes the steps of all its parameters small. A
# diagonal recurrence has only a few sensitive parameters, and the steps of the others stay
# large (Section 4.3). The figure shows Adam's step for a gradient of one, at half of each
# network's peak learning rate. The recurrent parameters are sorted by this step. Look at the
# height and the steepness of the two curves.

# %%
middle, decades = {}, {}
for name, end in ends.items():
    rates = jax.vmap(lambda run: effective_rates(run, adam))(
        end._replace(step=jnp.full((SEEDS,), STEPS // 2))
    )
    recurrent = rates.A if name == "dense RNN" else rates.nu_log
    values = np.sort(np.asarray(recurrent).ravel())
    share = np.linspace(0, 1, len(values))
    plt.plot(share, values, color=COLOUR[name], label=f"{name}, recurrent")
    middle[name] = np.median(values)
    decades[name] = np.log10(values[-1] / values[0])
plt.gca().set(
    yscale="log",
    xlabel="share of recurrent parameters",
    ylabel="step per unit gradient",
)
plt.legend()
plt.show()
wider = max(decades, key=lambda name: decades[name])
display(
    Markdown(
        f"The median step of the LRU is "
        f"{two_digits(middle['LRU'] / middle['dense RNN'])} times that "
        "of the dense network. From the smallest to the largest step the ratio is "
        + ", ".join(
            f"{two_digits(10**value)} ({name})" for name, value in decades.items()
        )
        + f". So Adam treats the parameters of the {wider} more differently."
    )
)

# %% [markdown]
# ## The whole grid
#
# Table 1 of the paper defines a grid of trainings. It has seven values of $\nu_0$, eleven
# learning rates, two initialisations of the dense network, ten seeds and 10 000 steps. The
# results come with the code, and `sigprop sweep run memory_gap --preset paper` repeats the
# trainings. For each network and each $\nu_0$ we choose the learning rate with the smallest
# median loss. In the figure, lines are medians and dots are seeds. Look at the distance between
# both lines as $1 - \nu_0$ decreases.

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
# The dense recurrence of 64 neurons has $64^2$ parameters, the recurrence of the LRU has $3
# \cdot 64$. For each teacher we divide the loss of the dense network by the loss of the LRU.
# The lead of the LRU is the logarithm of this ratio to base ten. A lead of 1 means a tenth of
# the loss, and a negative lead means that the dense network is better. The table lists the
# median over ten seeds, and the second smallest and second largest lead.

# %%
best = np.log10(grid["best"])
lead = best.sel(student="RNN") - best.sel(student="LRU")
rows = ["| $\\nu_0$ | median lead of the LRU | second smallest, second largest |"]
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
        f"The dense network is better at {won.size} of {medians.size} values of $\\nu_0$: at "
        f"$\\nu_0 \\leq {float(won['condition'].max()):g}$. There its loss is down to "
        f"1/{10 ** -float(medians.min()):.2g} of that of the LRU. From $\\nu_0 = 0.32$ to "
        f"$\\nu_0 = 0.99$ the loss of the dense network grows by a factor of "
        f"{two_digits(10 ** float(climbs.sel(student='RNN')))}, that of the LRU by a factor of "
        f"{two_digits(10 ** float(climbs.sel(student='LRU')))}."
    )
)

# %% [markdown]
# ## To take home
#
# For a linear student the expected loss is a quadratic form of impulse responses. This form is
# exact and cheap to compute, so use it. Compare networks at the time constant of your own task:

# %%
long, short = (medians.sel(condition=nu0).item() for nu0 in (0.99, 0.32))
names = {True: "the LRU", False: "the dense network"}
display(
    Markdown(
        f"- A training step on the sampled loss took {slow / fast:.0f} times as long as a "
        "step on the exact loss.\n"
        f"- Long time constants ($\\nu_0 = 0.99$): the final loss of {names[long > 0]} is "
        f"{10 ** abs(long):.0f} times smaller.\n"
        f"- Short time constants ($\\nu_0 = 0.32$): the final loss of {names[short > 0]} is "
        f"{10 ** abs(short):.0f} times smaller."
    )
)

# %% [markdown]
# ## Exercises
#
# 1. For white inputs of variance one the double sum becomes a single sum. Write down this sum.
#    Compute the loss of `student` on `teacher` over 100 steps from two calls of `kernel`.
# 2. A student with zero output has half of the teacher's mean squared output as its loss. Which
#    share of this loss does the untrained LRU of exercise 1 explain?
# 3. Between which two values of $\nu_0$ does the better network change?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. R(j - k) is one for j = k and zero otherwise. So only the terms with d_k^2 remain.
steps = np.arange(100)
d = kernel(student, 100)[:, 0, 0] - kernel(teacher, 100)[:, 0, 0]
mine = np.sum((100 - steps) * d**2) / (2 * 100)
np.testing.assert_allclose(
    mine, teacher_student(teacher, length=100).loss(student), 1e-4
)
print(f"loss: {mine:.4f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. A student with zero output has d = -g. The explained share is one minus the ratio of the
#    loss of the LRU and the loss of this student.
power = np.sum((100 - steps) * kernel(teacher, 100)[:, 0, 0] ** 2) / (2 * 100)
share = float(1 - mine / power)
assert share < 1
print(
    f"The LRU explains {share:.0%} of the loss."
    if share > 0
    else f"The LRU explains nothing: its loss is {-share:.0%} larger than with zero output."
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The better network changes where the median lead changes its sign.
signs = medians.values > 0
(index,) = np.flatnonzero(signs[1:] != signs[:-1])
before, behind = medians["condition"].values[[index, index + 1]]
assert medians.sel(condition=before) < 0 < medians.sel(condition=behind)
print(f"between nu_0 = {before} and nu_0 = {behind}")

# %% [markdown]
# These commands draw the related figures: `sigprop figure zucchet-3`,
# `sigprop figure zucchet-11`.
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
