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
# A dense recurrence and a diagonal recurrence can compute the same function. For a long time
# constant both losses have a large curvature. Even so, Adam learns the diagonal recurrence far
# better. Zucchet and Orvieto (2024, Section 4.3) explain this difference by the Hessian of the
# loss. The sizes of the Hessian's eigenvalues do not explain it, but the directions of its
# eigenvectors do. In this notebook every Hessian is exact: it has a closed form for infinitely
# long sequences.
#
# **You need** eigenvalues and eigenvectors of a symmetric matrix, the Hessian of a loss, and
# the notebook on loss landscapes. **You learn** to read a map of a Hessian and to compute the
# largest stable learning rate. You also learn the benefit and the limits of a separate learning
# rate for each parameter, and the effect of correlated inputs.

# %%
# %matplotlib inline
import math

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from jax.flatten_util import ravel_pytree

from sigprop import AR1, compile_quickly, double_precision
from sigprop.curvature import (
    eigenpairs,
    expand,
    measured_bound,
    off_diagonal_share,
    participation,
    preconditioned,
    stability_bound,
    twin,
)
from sigprop.figures import hessians, lessons, style
from sigprop.layers import parameters, replace
from sigprop.tasks import linear_teacher, teacher_student

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
NETWORKS = ("dense RNN", "complex diagonal", "LRU", "S4")
COLOUR = lessons.NETWORK
MARKER = dict(zip(NETWORKS, "os^D", strict=True))
N, DRAWS, SHOWN = 4, 20, 2


def solutions(seed, process=None):
    """The task of a teacher, and four students that solve the task exactly."""
    teacher = linear_teacher(jax.random.key(seed), nu0=0.99, size=N)
    students = {name: twin(teacher, name) for name in NETWORKS[1:]}
    task = teacher_student(teacher, process, length=None)
    return task, {"dense RNN": teacher} | students


# %% [markdown]
# ## One input-output map, four sets of coordinates
#
# The teacher is a dense RNN of four neurons. Its eigenvalues $\lambda$ have moduli of 0.99 or
# more. The first student is a copy of the teacher. The second student is the teacher in its
# eigenbasis, a complex diagonal RNN. The other two students are the same map with the
# parameters of a linear recurrent unit (LRU) and of S4, a structured state space layer. All
# four have the same impulse response. We compute the dense Hessian in three ways, which must
# agree: sums over time lags, covariances of tangent systems, and automatic differentiation.
#
# Each panel shows the Hessian of one student at the minimum. Red entries are positive and blue
# entries are negative. The colours are logarithmic over five decades below the largest entry,
# and linear for smaller entries. White lines separate groups of parameters: the recurrence, the
# input weights $B$, the output weights $C$ and the skip connection $D$. Look at the number of
# large entries off the diagonal.

# %%
with double_precision(True):
    task, students = solutions(SHOWN)
    exact = {name: expand(task, students[name], at_optimum=True) for name in NETWORKS}
    for route in ("gramian", "autodiff"):
        again = expand(task, students["dense RNN"], route).hessian
        gap = again - exact["dense RNN"].hessian
        assert np.abs(gap).max() < 1e-10 * np.abs(again).max()
pairs = {name: eigenpairs(expansion.hessian) for name, expansion in exact.items()}
figure, row = plt.subplots(1, 4, figsize=(8, 2.6))
sentences = []
for axes, (name, expansion) in zip(row, exact.items(), strict=True):
    names = [name for name in hessians.NAMES if name in expansion.layout]
    rows = [
        np.arange(len(expansion.gradient))[expansion.layout[group].entries]
        for group in names
    ]
    order = np.concatenate(rows)
    names = np.repeat(names, [len(entries) for entries in rows])
    parts = hessians.groups(names)
    middles = [(first + end - 1) / 2 for _, first, end in parts]
    ordered = expansion.hessian[np.ix_(order, order)]
    hessians.matrix(axes, ordered)
    sharp = hessians.NAMES[str(names[np.argmax(np.diag(ordered))])]
    sentences.append(
        f"- {name}: {len(ordered)} parameters; {sharp} has the largest second derivative"
    )
    hessians.gaps(axes, [end for _, _, end in parts])
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks(middles, [symbol for symbol, _, _ in parts], fontsize=7)
    most = np.abs(expansion.hessian).max()
    bar = figure.colorbar(axes.images[0], ax=axes, location="bottom", shrink=0.8)
    bar.set_ticks([-most, 0, most], labels=[f"{-most:.0e}", "0", f"{most:.0e}"])
    bar.ax.minorticks_off()
    axes.set_title(name)
plt.show()
display(Markdown("\n".join(sentences)))

# %% [markdown]
# In the dense recurrence matrix $A$ each eigenvalue depends on all sixteen numbers, so all
# parameters are coupled. In the other networks each eigenvalue has its own few parameters. They
# couple mainly to the parameters of the complex conjugate eigenvalue.
#
# ## Similar spectra, different eigenvectors
#
# With $n = 4$ neurons the input-output map has only $2n + 1 = 9$ degrees of freedom: four
# eigenvalues, four gains and $D$. So nine directions of parameter space change the map, and
# the other directions do not. The left panel shows the curvature along the nine directions.
# The right panel shows the number of parameters over which a direction of large curvature is
# spread. Each dot is the mean over the four directions of largest curvature of one teacher.
# There are twenty teachers, and the bar is the median.

# %%
with double_precision(True):
    samples, apart = {name: [] for name in NETWORKS}, []
    for seed in range(DRAWS):
        goal, solved = solutions(seed)
        for name, student in solved.items():
            samples[name].append(expand(goal, student, at_optimum=True).hessian)
        lam = np.asarray(goal.teacher.eigenvalues())
        first, second = (lam[i] for i in np.triu_indices(N, 1))
        apart.append(np.abs((first - second) / (1 - first * second.conj())).min())
spread, known = {}, 2 * N + 1
for name, many in samples.items():
    top = [eigenpairs(hessian).vectors[:N] for hessian in many]
    spread[name] = np.array([participation(vectors).mean() for vectors in top])
_, (left, right) = plt.subplots(1, 2)
for name in NETWORKS:
    values = pairs[name].values
    assert values[known - 1] > 0.5
    assert np.abs(values[known:]).max() < 1e-12 * values[0]
    left.plot(values[:known], MARKER[name] + "-", color=COLOUR[name], ms=4, label=name)
left.set(xlabel="rank of the curvature, from 0", ylabel="curvature", yscale="log")
left.legend()
for i, name in enumerate(NETWORKS):
    right.plot(spread[name], np.full(DRAWS, i), "o", color=COLOUR[name], ms=4)
    right.plot(np.median(spread[name]), i, "|", color=style.BLACK, ms=18)
right.set(xlabel="parameters per direction", ylim=(3.5, -0.5))
right.set_yticks(range(4), NETWORKS)
plt.show()
sharpest = {name: pairs[name].values[0] for name in NETWORKS}
typical = {name: np.median(values) for name, values in spread.items()}
dense = sharpest["dense RNN"]
ratios = [f"{sharpest[name] / dense:.2g} ({name})" for name in NETWORKS[1:]]
wider = np.sum(spread["dense RNN"] > spread["complex diagonal"])
display(
    Markdown(
        "The largest curvature, divided by that of the dense RNN, is "
        f"{', '.join(ratios)}. In the median a direction of large curvature is spread over "
        + ", ".join(
            f"{value:.1f} parameters ({name})" for name, value in typical.items()
        )
        + f". For {wider} of {DRAWS} teachers this number is larger in the dense RNN than in "
        "the complex diagonal network."
    )
)

# %% [markdown]
# ## The largest stable learning rate
#
# Gradient descent diverges from a minimum of largest curvature $L$ if the learning rate exceeds
# $2/L$. We measure this rate on the loss itself. We start at a distance of $10^{-9}$ from the
# teacher, along the direction of largest curvature. Bisection finds the learning rate above
# which 200 steps increase this distance.

# %%
rows = ["| network | $2/L$ | measured rate | measured / $2/L$ |", "|---|---|---|---|"]
with double_precision(True):
    for name, student in students.items():
        x, split = ravel_pytree(parameters(student))
        gradient = jax.grad(lambda x, s=student, to=split: task.loss(replace(s, to(x))))
        bound = stability_bound(exact[name].hessian)
        way = jnp.asarray(pairs[name].vectors[0])
        measured = measured_bound(gradient, x, way, bound)
        assert math.isclose(measured, bound, rel_tol=2e-3)
        numbers = f"{bound:.3e} | {measured:.3e} | {measured / bound:.5f}"
        rows.append(f"| {name} | {numbers} |")
display(Markdown("\n".join(rows)))
hardest = max(sharpest, key=lambda name: sharpest[name])
times = sharpest[hardest] / dense
display(
    Markdown(
        f"The {hardest} network has the smallest stable learning rate, {times:.0f} times "
        "smaller than the dense RNN. So plain gradient descent finds it the hardest to "
        "train. But its directions of large curvature are spread over only "
        f"{typical[hardest]:.1f} parameters."
    )
)

# %% [markdown]
# ## The benefit of a separate learning rate for each parameter
#
# Adam gives each parameter a separate learning rate. Let $D_H$ be the diagonal of the Hessian
# $H$. Near the minimum such rates can at best replace $H$ by about $D_H^{-1/2} H D_H^{-1/2}$.
# The number of steps that gradient descent needs grows with the condition number. Here the
# condition number is the ratio of the largest and the ninth largest curvature, because only
# nine directions change the map.
#
# In the figure each mark is one of the twenty teachers. The left panel compares the condition
# numbers with one common rate and with separate rates. The right panel shows the condition
# number with separate rates as a function of a distance $d$. For eigenvalues $\lambda$ and
# $\mu$ this distance is $d = |\lambda - \mu| \,/\, |1 - \lambda \bar\mu|$. We take the two
# nearest eigenvalues of the teacher. The distance is zero if they coincide. It is near one if
# they are much nearer to the unit circle than to each other.


# %%
def condition(matrix):
    values = np.linalg.eigvalsh(matrix)
    assert values[-known] > 1e2 * abs(values[-known - 1])
    return values[-1] / values[-known]


_, (left, right) = plt.subplots(1, 2)
after = {}
for name, many in samples.items():
    tamed = [preconditioned(hessian) for hessian in many]
    after[name] = np.array([condition(hessian) for hessian in tamed])
    look = {"marker": MARKER[name], "ls": "", "color": COLOUR[name], "ms": 4}
    left.loglog(
        [condition(hessian) for hessian in many], after[name], **look, label=name
    )
    right.loglog(apart, after[name], **look)
fine = np.geomspace(0.08, 1, 9)
right.loglog(fine, 20 / fine**6, color=style.GREY, lw=1, zorder=0)
right.text(0.16, 2e6, "$20\\, d^{-6}$", color=style.GREY)
left.set(xlabel="condition number of $H$", ylabel="with separate rates")
left.legend()
right.set(xlabel="distance $d$ of the nearest eigenvalues")
plt.show()
crowded = np.array(apart) < 0.9
before = [
    np.log10([condition(hessian) for hessian in samples[name]]) for name in NETWORKS
]
rows = [
    "| network | median, common rate | median, separate rates "
    "| largest, separate rates, $d \\geq 0.9$ | fit of $20\\,d^{-6}$, $d < 0.9$ |"
]
rows.append("|---|---|---|---|---|")
for name, decades in zip(NETWORKS, before, strict=True):
    quotient = after[name][crowded] * np.array(apart)[crowded] ** 6 / 20
    off = f"within a factor of {2 ** np.abs(np.log2(quotient)).max():.2g}"
    middle, worst = np.median(after[name]), after[name][~crowded].max()
    rows.append(
        f"| {name} | {10 ** np.median(decades):.0e} | {middle:.3g} | {worst:.3g} | {off} |"
    )
display(Markdown("\n".join(rows)))
better = np.sum(after["dense RNN"][crowded] < after["complex diagonal"][crowded])
medians = {name: np.median(values) for name, values in after.items()}
ratio = medians["dense RNN"] / max(medians[name] for name in NETWORKS[1:])
display(
    Markdown(
        f"With separate rates the median condition number of the dense RNN is {ratio:.0f} "
        "times that of the worst diagonal network. For close eigenvalues ($d < 0.9$) the "
        "dense RNN has a smaller condition number than the complex diagonal network for "
        f"{better} of {crowded.sum()} teachers."
    )
)
for name in NETWORKS[1:]:
    assert after[name][~crowded].max() < 20

# %% [markdown]
# Separate rates reduce the condition number of every network. In a diagonal network the
# remaining condition number depends on the distance $d$ of the two nearest eigenvalues. It is
# below 20 for $d \geq 0.9$, and grows about like $d^{-6}$ for close eigenvalues. In a dense RNN
# the remaining condition number varies widely at every distance.
#
# ## The effect of correlated inputs
#
# Let successive inputs of the same students have the correlation $\rho$. A mode with a long
# time constant and the phase $\theta$ responds only to input near the frequency $\theta$.
# There the input has the spectral power $S(\theta) = (1-\rho^2) / (1 - 2\rho\cos\theta +
# \rho^2)$. So the curvature of this mode should be proportional to $S(\theta)$. In the left
# panel dots are diagonal entries of the Hessian of the LRU, divided by those for white
# inputs. Lines are $S(\theta)$. In the right panel, look at the share of the Hessian's sum of
# squares that lies off the diagonal.

# %%
RHOS = (0.0, 0.3, 0.6, 0.8, 0.95, 0.99)
own, share = [], []
with double_precision(True):
    angles = np.angle(np.asarray(task.teacher.eigenvalues()))[::2]
    for rho in RHOS:
        fed, same = solutions(SHOWN, AR1(rho))
        expansions = {
            name: expand(fed, student, at_optimum=True)
            for name, student in same.items()
        }
        own.append(np.diag(expansions["LRU"].block("nu_log"))[::2])
        share.append(
            [off_diagonal_share(expansions[name].hessian) for name in NETWORKS]
        )
own, share = np.array(own) / own[0], np.array(share)
_, (left, right) = plt.subplots(1, 2)
fine = np.unique(np.append(np.linspace(0, 0.995, 400), RHOS))
for values, theta, colour in zip(own.T, angles, style.SEQUENCE, strict=False):
    power = (1 - fine**2) / (1 - 2 * fine * np.cos(theta) + fine**2)
    assert np.allclose(values, power[np.searchsorted(fine, RHOS)], rtol=0.02)
    label = rf"$\theta = {abs(theta) / math.pi:.2f}\,\pi$"
    left.semilogy(fine, power, color=colour, label=label)
    left.semilogy(RHOS, values, "o", color=colour, ms=4)
left.set(xlabel=r"correlation $\rho$", ylabel=r"curvature by $\omega_\nu$, relative")
left.legend()
for name, values in zip(NETWORKS, share.T, strict=True):
    look = MARKER[name] + ("--" if name == "S4" else "-")
    right.plot(RHOS, values, look, color=COLOUR[name], ms=4, label=name)
right.legend(loc="upper right", bbox_to_anchor=(1, 0.45))
right.set(xlabel=r"correlation $\rho$", ylabel="share off the diagonal", ylim=(0, 1))
plt.show()

moved = np.abs(share - share[0]).max()
display(
    Markdown(
        f"From white inputs to $\\rho = {RHOS[-1]}$ the curvature by the LRU's parameter "
        "$\\omega_\\nu$ of the modulus changes by a factor of up to "
        f"{max(own.max(), 1 / own.min()):.0f}. The share off the diagonal changes by at most "
        f"{moved:.2f}."
    )
)

# %% [markdown]
# So correlation mainly changes the curvature of each mode, and changes the coupling between
# parameters less.
#
# ## To take home
#
# - A long time constant causes a large curvature in all coordinates. In diagonal coordinates
#   this curvature lies along a few parameters.
# - With separate rates for each parameter, diagonal networks with well separated eigenvalues
#   are about equally easy to train. A dense network is typically harder.
# - Correlated inputs multiply the curvature of each mode by their spectral power at the mode's
#   frequency.
#
# ## Exercises
#
# 1. A dense recurrence of $n$ neurons has $n^2 + 2n + 1$ parameters, and its input-output map
#    has $2n + 1$ degrees of freedom. Along how many directions is the loss flat? Count them in
#    the Hessian above.
# 2. What is the trace of $D_H^{-1/2} H D_H^{-1/2}$ for any network? Which bounds on the largest
#    eigenvalue of this matrix follow?
# 3. For which $\rho$ is the spectral power at the frequency $\theta$ as large as for white
#    inputs?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The number of flat directions is the difference n^2. A change of basis of the state has n^2
#    parameters and changes no output.
flat = np.sum(np.abs(pairs["dense RNN"].values) < 1e-12 * sharpest["dense RNN"])
assert flat == N**2
print(f"flat directions: {flat}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The diagonal consists of ones, so the trace is the number of parameters. The largest
#    eigenvalue is at least the mean, one, and at most the trace.
for name in NETWORKS:
    tamed = preconditioned(exact[name].hessian)
    assert math.isclose(np.trace(tamed), len(tamed), rel_tol=1e-9)
    assert 1 <= np.linalg.eigvalsh(tamed)[-1] <= len(tamed)
    print(f"{name}: trace {len(tamed)}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The equation 1 - rho^2 = 1 - 2 rho cos(theta) + rho^2 has the solutions rho = cos(theta)
#    and rho = 0.
theta = 1.0
rho = math.cos(theta)
power = (1 - rho**2) / (1 - 2 * rho * math.cos(theta) + rho**2)
assert math.isclose(power, 1)
print(f"rho = {rho:.2f} for theta = {theta} radians")

# %% [markdown]
# These commands draw the related figures: `sigprop figure zucchet-4`,
# `sigprop figure zucchet-8`, `sigprop figure zucchet-9`, `sigprop figure sigprop-adam`.
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
