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
# # Why diagonal recurrences train
#
# A dense recurrence and a diagonal one can compute the same function. Both have a loss as
# sharp as a long memory makes it, and yet Adam learns the diagonal one far better. Zucchet
# and Orvieto (2024, Section 4.3) explain it by the Hessian: not how large its eigenvalues
# are, but where its eigenvectors point. Here every Hessian is exact: that of infinitely
# long sequences, in closed form.
#
# **You need** eigenvalues and eigenvectors of a symmetric matrix, and what the Hessian of a
# loss is; the notebook on loss landscapes comes before this one. **You learn** to read a
# map of a Hessian, what the largest step is, what a rate for each parameter can do about
# it and what it cannot, and what correlated inputs change.

# %%
# %matplotlib inline
import math

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from jax.flatten_util import ravel_pytree

from sigprop import double_precision
from sigprop.curvature import structure as see
from sigprop.curvature.hessian import expand
from sigprop.curvature.lanczos import participation
from sigprop.curvature.twins import twin
from sigprop.figures import hessians, lessons, style
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.numerics.compilation import compile_quickly
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
NETWORKS = ("dense RNN", "complex diagonal", "LRU", "S4")
COLOUR = lessons.NETWORK
MARKER = dict(zip(NETWORKS, "os^D", strict=True))
N, DRAWS, SHOWN = 4, 20, 2


def solutions(seed, process=None):
    """A teacher's task, and four students that solve it."""
    teacher = linear_teacher(jax.random.key(seed), nu0=0.99, size=N)
    students = {name: twin(teacher, name) for name in NETWORKS[1:]}
    task = teacher_student(teacher, process, length=None)
    return task, {"dense RNN": teacher} | students


# %% [markdown]
# ## One map, four sets of coordinates
#
# A teacher of four neurons, of eigenvalues of modulus 0.99 or more, is its own student. In
# its eigenbasis it is a complex diagonal RNN, and with other parameters an LRU, or S4: one
# response. Three routes to the dense Hessian must agree:
# sums over ages, covariances of tangent systems, and automatic differentiation.

# %%
with double_precision(True):
    task, students = solutions(SHOWN)
    exact = {name: expand(task, students[name], at_optimum=True) for name in NETWORKS}
    for route in ("gramian", "autodiff"):
        again = expand(task, students["dense RNN"], route).hessian
        gap = again - exact["dense RNN"].hessian
        assert np.abs(gap).max() < 1e-10 * np.abs(again).max()
pairs = {name: see.eigenpairs(found.hessian) for name, found in exact.items()}
figure, row = plt.subplots(1, 4, figsize=(8, 2.6))
said = []
for axes, (name, found) in zip(row, exact.items(), strict=True):
    names = [name for name in hessians.NAMES if name in found.layout]
    rows = [np.arange(len(found.gradient))[found.layout[one].entries] for one in names]
    order, names = np.concatenate(rows), np.repeat(names, [len(one) for one in rows])
    parts = hessians.groups(names)
    middles = [(first + end - 1) / 2 for _, first, end in parts]
    ordered = found.hessian[np.ix_(order, order)]
    hessians.matrix(axes, ordered)
    sharp = hessians.NAMES[str(names[np.argmax(np.diag(ordered))])]
    said.append(f"{name} {len(ordered)}, the sharpest is of {sharp}")
    hessians.gaps(axes, [end for _, _, end in parts])
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks(middles, [symbol for symbol, _, _ in parts], fontsize=7)
    most = np.abs(found.hessian).max()
    bar = figure.colorbar(axes.images[0], ax=axes, location="bottom", shrink=0.8)
    bar.set_ticks([-most, 0, most], labels=[f"{-most:.0e}", "0", f"{most:.0e}"])
    bar.ax.minorticks_off()
    axes.set_title(name)
plt.show()
display(Markdown(f"Parameters: {'; '.join(said)}."))

# %% [markdown]
# Red is positive, blue negative; colours are logarithmic over five decades below the
# largest entry and linear within. In $A$ sixteen numbers share every eigenvalue, and
# everything couples to everything. In the others each eigenvalue has its own few
# parameters, and talks to its conjugate.
#
# ## Spectra alike, eigenvectors not
#
# The map itself has only $2n + 1 = 9$ numbers: four eigenvalues, four gains and $D$. So
# nine directions change it and the others do not. Left, the curvature along the nine. Right,
# over how many parameters one of the four sharpest directions is spread, for twenty
# teachers.

# %%
with double_precision(True):
    drawn, apart = {name: [] for name in NETWORKS}, []
    for seed in range(DRAWS):
        goal, solved = solutions(seed)
        for name, student in solved.items():
            drawn[name].append(expand(goal, student, at_optimum=True).hessian)
        lam = np.asarray(goal.teacher.eigenvalues())
        one, two = (lam[i] for i in np.triu_indices(N, 1))
        apart.append(np.abs((one - two) / (1 - one * two.conj())).min())
spread, known = {}, 2 * N + 1
for name, many in drawn.items():
    top = [see.eigenpairs(one).vectors[:N] for one in many]
    spread[name] = np.array([participation(one).mean() for one in top])
_, (left, right) = plt.subplots(1, 2)
for name in NETWORKS:
    values = pairs[name].values
    assert values[known - 1] > 0.5
    assert np.abs(values[known:]).max() < 1e-12 * values[0]
    left.plot(values[:known], MARKER[name] + "-", color=COLOUR[name], ms=4, label=name)
left.set(xlabel="rank of the eigenvalue, from 0", ylabel="curvature", yscale="log")
left.legend()
for i, name in enumerate(NETWORKS):
    right.plot(spread[name], np.full(DRAWS, i), "o", color=COLOUR[name], ms=4)
    right.plot(np.median(spread[name]), i, "|", color=style.BLACK, ms=18)
right.set(xlabel="parameters to a sharp direction", ylim=(3.5, -0.5))
right.set_yticks(range(4), NETWORKS)
plt.show()
sharpest = {name: pairs[name].values[0] for name in NETWORKS}
typical = {name: np.median(one) for name, one in spread.items()}
dense = sharpest["dense RNN"]
words = [f"{name} {sharpest[name] / dense:.2g}" for name in NETWORKS[1:]]
wider = np.sum(spread["dense RNN"] > spread["complex diagonal"])
display(
    Markdown(
        f"Largest curvature as a multiple of the dense network's: {', '.join(words)}. In the "
        f"middle a sharp direction is spread over "
        + ", ".join(f"{one:.1f} parameters ({name})" for name, one in typical.items())
        + f"; over more in the dense network than in its complex diagonal twin for {wider} "
        f"teachers of {DRAWS}."
    )
)

# %% [markdown]
# ## The largest stable learning rate
#
# Gradient descent leaves a minimum of largest curvature $L$ at the rate $2/L$. On the loss
# itself: start a billionth beside the teacher, along the sharpest direction, and bisect
# for the rate at which two hundred steps begin to lead away.

# %%
rows = ["| network | $2/L$ | measured | ratio |", "|---|---|---|---|"]
with double_precision(True):
    for name, student in students.items():
        x, split = ravel_pytree(parameters(student))
        slope = jax.grad(lambda x, s=student, to=split: task.loss(replace(s, to(x))))
        bound = see.stability_bound(exact[name].hessian)
        way = jnp.asarray(pairs[name].vectors[0])
        measured = see.measured_bound(slope, x, way, bound)
        assert math.isclose(measured, bound, rel_tol=2e-3)
        numbers = f"{bound:.3e} | {measured:.3e} | {measured / bound:.5f}"
        rows.append(f"| {name} | {numbers} |")
display(Markdown("\n".join(rows)))
hardest = max(sharpest, key=lambda one: sharpest[one])
times = sharpest[hardest] / dense
display(
    Markdown(
        f"By this count the {hardest} should be the hardest to train: it bears a step "
        f"{times:.0f} times smaller than the dense network. But its sharp directions are "
        f"spread over {typical[hardest]:.1f} parameters."
    )
)

# %% [markdown]
# ## What Adam can do about it
#
# Adam gives each parameter a rate of its own. Near the minimum the best that such rates
# can do is about $D^{-1/2} H D^{-1/2}$, with $D$ the diagonal of $H$. The steps that a
# descent needs go with the condition number, that of the nine directions that matter.
# Left, before and after, for the twenty teachers. Right, after, against the distance
# $d = |\lambda - \mu| \,/\, |1 - \lambda \bar\mu|$ of the two nearest eigenvalues: nought
# where they coincide, one where the unit circle is much nearer. Below, the medians.


# %%
def condition(matrix):
    values = np.linalg.eigvalsh(matrix)
    assert values[-known] > 1e2 * abs(values[-known - 1])
    return values[-1] / values[-known]


_, (left, right) = plt.subplots(1, 2)
after = {}
for name, many in drawn.items():
    tamed = [see.preconditioned(one) for one in many]
    after[name] = np.array([condition(one) for one in tamed])
    look = {"marker": MARKER[name], "ls": "", "color": COLOUR[name], "ms": 4}
    left.loglog([condition(one) for one in many], after[name], **look, label=name)
    right.loglog(apart, after[name], **look)
fine = np.geomspace(0.08, 1, 9)
right.loglog(fine, 20 / fine**6, color=style.GREY, lw=1, zorder=0)
right.text(0.16, 2e6, "$20\\, d^{-6}$", color=style.GREY)
left.set(xlabel="condition number of $H$", ylabel="with rates of their own")
left.legend()
right.set(xlabel="distance $d$ of the nearest eigenvalues")
plt.show()
crowded = np.array(apart) < 0.9
before = [np.log10([condition(one) for one in drawn[name]]) for name in NETWORKS]
rows = ["| network | before | after | after, apart: worst | crowded: sixth-power law |"]
rows.append("|---|---|---|---|---|")
for name, decades in zip(NETWORKS, before, strict=True):
    law = after[name][crowded] * np.array(apart)[crowded] ** 6 / 20
    off = f"within a factor of {2 ** np.abs(np.log2(law)).max():.2g}"
    middle, worst = np.median(after[name]), after[name][~crowded].max()
    rows.append(
        f"| {name} | {10 ** np.median(decades):.0e} | {middle:.3g} | {worst:.3g} | {off} |"
    )
display(Markdown("\n".join(rows)))
better = np.sum(after["dense RNN"][crowded] < after["complex diagonal"][crowded])
medians = {name: np.median(one) for name, one in after.items()}
ratio = medians["dense RNN"] / max(medians[name] for name in NETWORKS[1:])
display(
    Markdown(
        f"The dense network keeps {ratio:.0f} times the condition number of the worst "
        f"diagonal one, in the middle. Where eigenvalues crowd it is better than its complex "
        f"diagonal twin in {better} draws of {crowded.sum()}."
    )
)
for name in NETWORKS[1:]:
    assert after[name][~crowded].max() < 20

# %% [markdown]
# Rates of their own help everyone. What they leave a diagonal network depends on one thing,
# how near its nearest eigenvalues are to each other: little where they are apart, whoever
# the teacher is, and about the sixth power where they crowd. A dense network has good luck
# or bad at any distance.
#
# ## What correlated inputs do
#
# Give the same students inputs of correlation $\rho$. A mode that remembers long rings at
# its own frequency $\theta$, and sees of the input only the power there,
# $S(\theta) = (1-\rho^2) / (1 - 2\rho\cos\theta + \rho^2)$. So its curvature should go
# like $S(\theta)$: points are diagonal entries of the Hessian, lines are $S$.

# %%
RHOS = (0.0, 0.3, 0.6, 0.8, 0.95, 0.99)
own, share = [], []
with double_precision(True):
    angles = np.angle(np.asarray(task.teacher.eigenvalues()))[::2]
    for rho in RHOS:
        fed, same = solutions(SHOWN, AR1(rho))
        found = {name: expand(fed, one, at_optimum=True) for name, one in same.items()}
        own.append(np.diag(found["LRU"].block("nu_log"))[::2])
        share.append([see.off_diagonal_share(found[name].hessian) for name in NETWORKS])
own, share = np.array(own) / own[0], np.array(share)
_, (left, right) = plt.subplots(1, 2)
fine = np.unique(np.append(np.linspace(0, 0.995, 400), RHOS))
for values, theta, colour in zip(own.T, angles, style.SEQUENCE, strict=False):
    power = (1 - fine**2) / (1 - 2 * fine * np.cos(theta) + fine**2)
    assert np.allclose(values, power[np.searchsorted(fine, RHOS)], rtol=0.02)
    label = rf"$\theta = {abs(theta) / math.pi:.2f}\,\pi$"
    left.semilogy(fine, power, color=colour, label=label)
    left.semilogy(RHOS, values, "o", color=colour, ms=4)
left.set(xlabel=r"$\rho$", ylabel=r"curvature by $\omega_\nu$, relative")
left.legend()
for name, values in zip(NETWORKS, share.T, strict=True):
    look = MARKER[name] + ("--" if name == "S4" else "-")
    right.plot(RHOS, values, look, color=COLOUR[name], ms=4, label=name)
right.legend(loc="upper right", bbox_to_anchor=(1, 0.45))
right.set(xlabel=r"$\rho$", ylabel="share off the diagonal", ylim=(0, 1))
plt.show()

moved = np.abs(share - share[0]).max()
display(
    Markdown(
        f"From white inputs to $\\rho = {RHOS[-1]}$ the curvature by $\\omega_\\nu$ changes by "
        f"a factor of up to {max(own.max(), 1 / own.min()):.0f}, and the share off the "
        f"diagonal by {moved:.2f} at most."
    )
)

# %% [markdown]
# What correlation changes is above all how large each mode's curvature is, and less who
# couples to whom.
#
# ## To take home
#
# - A long memory is sharp in all coordinates; in diagonal ones along a few parameters.
# - With rates of their own, diagonal networks of separate eigenvalues are about equally
#   easy, and a dense one is typically not.
# - Correlated inputs weigh each mode by their power at its frequency.
#
# ## Exercises
#
# 1. A dense recurrence of $n$ neurons has $n^2 + 2n + 1$ parameters and its map $2n + 1$
#    numbers. How many directions are flat? Count them in the Hessian above.
# 2. What is the trace of $D^{-1/2} H D^{-1/2}$, whatever the network? What does that say
#    about its largest eigenvalue?
# 3. At which $\rho$ is the power at the frequency $\theta$ as large as under white inputs?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The difference: n^2. A change of basis moves that many numbers and no output.
flat = np.sum(np.abs(pairs["dense RNN"].values) < 1e-12 * sharpest["dense RNN"])
assert flat == N**2
print(flat)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. Ones on the diagonal: the number of parameters, and so at least one and at most that.
for name in NETWORKS:
    tamed = see.preconditioned(exact[name].hessian)
    assert math.isclose(np.trace(tamed), len(tamed), rel_tol=1e-9)
    assert 1 <= np.linalg.eigvalsh(tamed)[-1] <= len(tamed)
    print(f"{name}: {len(tamed)}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. 1 - rho^2 = 1 - 2 rho cos(theta) + rho^2 where rho = cos(theta), or rho = 0.
theta = 1.0
rho = math.cos(theta)
power = (1 - rho**2) / (1 - 2 * rho * math.cos(theta) + rho**2)
assert math.isclose(power, 1)
print(f"{rho:.2f} at an angle of {theta}")

# %% [markdown]
# The figures about this: `sigprop figure zucchet-4`, `sigprop figure zucchet-8`,
# `sigprop figure zucchet-9`, `sigprop figure sigprop-adam`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
