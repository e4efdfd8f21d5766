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
# eigenvectors do. This notebook shows exact Hessians beside pictures of the loss, and what
# each of the two does not say.
#
# **You need** eigenvalues and eigenvectors of a symmetric matrix, the Hessian of a loss, and
# the notebook on loss landscapes. **You learn** to read a map of a Hessian and a plane through
# a trained network, and how a projected trajectory misleads. You also learn the benefit and
# the limits of a separate learning rate for each parameter.

# %%
# %matplotlib inline
import math

import jax
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop import compile_quickly, double_precision, landscape
from sigprop.curvature import (
    eigenpairs,
    expand,
    participation,
    preconditioned,
    stability_bound,
    twin,
)
from sigprop.experiments import network_landscapes, store
from sigprop.figures import hessians, lessons, style
from sigprop.layers import linear_rnn, lru, rotrnn
from sigprop.tasks import linear_teacher, teacher_student

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
NETWORKS = ("dense RNN", "complex diagonal", "LRU", "S4")
COLOUR = lessons.NETWORK | {"RotRNN": style.ORANGE}
MARKER = dict(zip(NETWORKS, "os^D", strict=True))
SYMBOL = hessians.NAMES | {"theta": r"$\theta$", "M": "$M$"}
N, DRAWS, SHOWN = 4, 20, 2


def solutions(seed):
    """The task of a teacher, and four students that solve the task exactly."""
    teacher = linear_teacher(jax.random.key(seed), nu0=0.99, size=N)
    students = {name: twin(teacher, name) for name in NETWORKS[1:]}
    return teacher_student(teacher, length=None), {"dense RNN": teacher} | students


def draw_hessian(axes, expansion):
    """A map of a Hessian with white lines between groups of parameters."""
    names = [name for name in SYMBOL if name in expansion.layout]
    rows = [
        np.arange(len(expansion.gradient))[expansion.layout[group].entries]
        for group in names
    ]
    order, ends = np.concatenate(rows), np.cumsum([len(entries) for entries in rows])
    symbols, middles = [SYMBOL[name] for name in names], []
    for end, entries in zip(ends, rows, strict=True):
        middles.append(end - (len(entries) + 1) / 2)
    hessians.matrix(axes, expansion.hessian[np.ix_(order, order)])
    hessians.gaps(axes, list(ends))
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks(middles, symbols, fontsize=6)
    most = np.abs(expansion.hessian).max()
    bar = axes.figure.colorbar(axes.images[0], ax=axes, location="bottom", shrink=0.8)
    bar.set_ticks([-most, 0, most], labels=[f"{-most:.0e}", "0", f"{most:.0e}"])
    bar.ax.minorticks_off()


# %% [markdown]
# ## The Hessian beside the landscape
#
# Three layers with four states learn one linear teacher with Adam: a linear recurrent unit
# (LRU), a rotational RNN (RotRNN) and a dense linear RNN. The teacher's outputs have the
# variance one, so a student without an output has the loss 0.5.
#
# The upper row shows the exact Hessian at the end of each training. Red entries are positive
# and blue entries are negative. The colours are logarithmic over five decades below the
# largest entry, and linear for smaller entries. The lower row shows the exact loss along the
# two eigenvectors of largest curvature. All parameters move, the recurrent ones too. Dashed
# ellipses are contours of the quadratic approximation at losses of 0.05 and 0.5, solid lines
# the contours of the loss itself. The black line is the projected trajectory of Adam. Compare
# the solid lines with the ellipses.

# %%
SMALL = network_landscapes.Config(
    N, length=100, steps=1000, records=100, looks=1, points=41
)
LAYERS = {
    "LRU": lru,
    "RotRNN": lambda n, width, key: rotrnn(n, width, key=key, heads=1),
    "dense RNN": lambda n, width, key: linear_rnn(
        n, width, key=key, nu0=0.0, theta0=math.pi
    ),
}
trained = {}
with double_precision(True):
    teacher_key, key = jax.random.split(jax.random.key(0))
    small = network_landscapes.task_of(teacher_key, SMALL)
    for name, make in LAYERS.items():
        run = network_landscapes.descend(small, make(N, 1, key=key), key, SMALL)
        trained[name] = run, expand(small, run.end, "autodiff")
figure, (above, below) = plt.subplots(2, 3, figsize=(7, 5))
table = []
for axes, plane, (name, (run, expansion)) in zip(
    above, below, trained.items(), strict=True
):
    draw_hessian(axes, expansion)
    axes.set_title(name)
    found = eigenpairs(expansion.hessian)
    values = found.values
    with double_precision(True):
        ways = landscape.sharpest(run.end, expansion.hessian)
        widths = 1 / np.sqrt(np.abs(values[:2]))
        steps = [2 * width * np.linspace(-1, 1, SMALL.points) for width in widths]
        loss = np.asarray(landscape.slices(small.loss, run.end, ways, steps))
        path = landscape.project(run.end, ways, run.layers)
        measured = landscape.second_difference(
            small.loss, run.end, ways[0], 0.005 * widths[0]
        )
    assert math.isclose(loss[SMALL.points // 2, SMALL.points // 2], run.loss[-1])
    assert math.isclose(measured, values[0], rel_tol=0.01)
    across, up = steps
    height = np.clip(np.log10(loss), -3, 1).T
    shown = plane.contourf(across, up, height, np.linspace(-3, 1, 17), cmap="viridis_r")
    parabola = np.add.outer(values[1] * up**2, values[0] * across**2) / 2
    lines = {"levels": (0.05, 0.5), "linewidths": 0.8, "colors": "white"}
    plane.contour(across, up, loss.T, **lines)
    plane.contour(across, up, parabola, linestyles="dashed", **lines)
    plane.plot(*path.steps.T, color=style.BLACK, path_effects=style.halo(1))
    plane.plot(0, 0, "o", color=style.BLACK)
    plane.set(xlim=across[[0, -1]], ylim=up[[0, -1]], xlabel="sharpest direction")
    plane.ticklabel_format(scilimits=(-2, 2))
    flat = np.sum(np.abs(values) < 1e-6 * values[0])
    quarter = SMALL.points // 4
    sides = (f"{loss[at, SMALL.points // 2]:.2g}" for at in (quarter, -1 - quarter))
    quantities = {
        "": name,
        "parameters": len(values),
        "largest curvature $L$": f"{values[0]:.0f}",
        "by differences": f"{measured:.0f}",
        "$2/L$": f"{stability_bound(expansion.hessian):.1e}",
        "nearly flat": flat,
        "negative": np.sum(values < 0),
        "spread": f"{participation(found.vectors[:1])[0]:.1f}",
        "share of the way": f"{path.share[0]:.1%}",
        "loss on either side": " and ".join(sides),
    }
    table.append(quantities)
below[0].set_ylabel("second direction")
bar = figure.colorbar(shown, ax=below, label="loss")
bar.set_ticks(range(-3, 2), labels=[f"$10^{{{power}}}$" for power in range(-3, 2)])
plt.show()
rows = [
    f"| {quantity} | " + " | ".join(str(column[quantity]) for column in table) + " |"
    for quantity in quantities
]
display(Markdown("\n".join((rows[0], "|---" * 4 + "|", *rows[1:]))))

# %% [markdown]
# "By differences" is the curvature from five loss values, without derivatives. Gradient
# descent diverges from a minimum of largest curvature $L$ if the learning rate exceeds $2/L$.
# Nearly flat directions have less than a millionth of the largest curvature. "Spread" is the
# number of parameters over which the sharpest direction is spread. "Share of the way" is the
# part of the squared distance from the start to the end that lies in the plane. The last
# row is the loss at one half width to the left and right, where the parabola says 0.5.
#
# **The Hessian says what the picture does not.** The picture has two of the directions. The
# map shows which parameters are coupled and how many directions are flat or negative.
#
# **The picture says what the Hessian does not.** The contours leave the ellipses within a few
# half widths, and the loss rises at different speeds on the two sides.
#
# **Neither shows the training.** Nearly all of the way from the start to the end lies outside
# the plane.
#
# ## Two minima of one network
#
# A stored result has larger networks with 16 states. Each network was trained from its default
# initialisation and from the initialisation that `sigprop advise` recommends. `advise` has no
# rule for a dense RNN, so its second start has eigenvalues with longer time constants. The left
# panel shows the loss on the straight line between the two minima. The right panel shows the
# largest curvature during training, dashed for the second start. Above the grey line, gradient
# descent with the peak learning rate of Adam would diverge.

# %%
stored = store.shipped("network_landscapes").load()
_, (left, right) = plt.subplots(1, 2)
rows = [
    "| network | highest loss between | loss at the start | shown in the sharpest plane "
    "| in the random plane |"
]
rows.append("|---|---|---|---|---|")
for name in stored["network"].values:
    one = stored.sel(network=name)
    colour = COLOUR[str(name)]
    left.semilogy(stored["position"], one["line"], color=colour, label=name)
    for begun, line in (("default", "-"), ("advised", "--")):
        largest = one["largest"].sel(start=begun)
        right.semilogy(stored["look"], largest, line, color=colour)
    inside = one["line"].where(abs(stored["position"] - 0.5) <= 0.5)
    begun = one.sel(start="default").isel(record=0)
    shown = begun["projected_loss"].sel(plane=["sharpest", "random"]).values
    numbers = (float(inside.max()), float(begun["record_loss"]), *map(float, shown))
    rows.append(f"| {name} | " + " | ".join(f"{x:.2g}" for x in numbers) + " |")
left.set(
    xlabel="share of the way to the second minimum", ylabel="loss", ylim=(1e-6, 20)
)
left.legend()
right.axhline(2 / stored.attrs["rate"], color=style.GREY)
right.set(xlabel="steps of Adam", ylabel="largest curvature")
plt.show()
display(Markdown("\n".join(rows)))

# %% [markdown]
# The last two columns are the losses at the projections of the default start. A reader of such
# a picture takes them for the loss of the start, which is in the column before. The whole
# planes are in `sigprop figure sigprop-landscapes`.
#
# ## One input-output map, four sets of coordinates
#
# The teacher is a dense RNN of four neurons. Its eigenvalues $\lambda$ have moduli of 0.99 or
# more. The first student is a copy of the teacher. The second student is the teacher in its
# eigenbasis, a complex diagonal RNN. The other two students are the same map with the
# parameters of a linear recurrent unit (LRU) and of S4, a structured state space layer. All
# four have the same impulse response. We compute the dense Hessian in three ways, which must
# agree: sums over time lags, covariances of tangent systems, and automatic differentiation.
#
# Each panel shows the Hessian of one student at the minimum, in the colours of the maps above.
# White lines separate groups of parameters: the recurrence, the input weights $B$, the output
# weights $C$ and the skip connection $D$. Look at the number of large entries off the diagonal.

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
for axes, (name, expansion) in zip(row, exact.items(), strict=True):
    draw_hessian(axes, expansion)
    axes.set_title(name)
plt.show()

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
# ## To take home
#
# - A plane through a trained network holds a small part of its training. A projected start can
#   have another loss than the start itself.
# - A long time constant causes a large curvature in all coordinates. In diagonal coordinates
#   this curvature lies along a few parameters.
# - With separate rates for each parameter, diagonal networks with well separated eigenvalues
#   are about equally easy to train. A dense network is typically harder.
#
# ## Exercises
#
# 1. A dense recurrence of $n$ neurons has $n^2 + 2n + 1$ parameters, and its input-output map
#    has $2n + 1$ degrees of freedom. Along how many directions is the loss flat? Count them in
#    the Hessian of the exact solution.
# 2. What is the trace of $D_H^{-1/2} H D_H^{-1/2}$ for any network? Which bounds on the largest
#    eigenvalue of this matrix follow?
# 3. Which share of the squared length of a vector of $p$ parameters lies in a random plane, on
#    average? Compare it with the shares in the first table.

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
# 3. By symmetry each of p orthogonal directions holds the share 1/p, so a plane holds 2/p.
p = len(trained["dense RNN"][1].gradient)
squares = np.random.default_rng(0).normal(size=(10_000, p)) ** 2
share = np.mean(squares[:, :2].sum(1) / squares.sum(1))
assert math.isclose(share, 2 / p, rel_tol=0.05)
print(f"p = {p}: mean share {share:.3f}, 2/p = {2 / p:.3f}")

# %% [markdown]
# These commands draw the related figures: `sigprop figure sigprop-landscapes`,
# `sigprop figure zucchet-4`, `sigprop figure zucchet-9`, `sigprop figure sigprop-adam`.
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
