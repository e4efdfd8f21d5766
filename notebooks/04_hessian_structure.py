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

# %%
# %matplotlib inline
import importlib.util
import math
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from jax.flatten_util import ravel_pytree

from figures import hessians, losses, style
from sigprop import double_precision
from sigprop.curvature import structure as see
from sigprop.curvature.hessian import expand
from sigprop.curvature.lanczos import participation
from sigprop.curvature.twins import twin
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.lru import zucchet_lru
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

plt.rcParams.update({"figure.figsize": (7, 2.8), "figure.constrained_layout.use": True})
plt.rcParams.update({"legend.frameon": False, "legend.fontsize": 8})
NETWORKS = ("dense RNN", "complex diagonal", "LRU", "S4")
COLOUR = {"dense RNN": style.VERMILION} | losses.COLOURS
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
# response and, by luck, 25 parameters each. Three routes to the dense Hessian must agree:
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
figure, row = plt.subplots(1, 4, figsize=(9, 2.45))
for axes, (name, found) in zip(row, exact.items(), strict=True):
    names = [name for name in hessians.NAMES if name in found.layout]
    rows = [np.arange(len(found.gradient))[found.layout[one].entries] for one in names]
    order, names = np.concatenate(rows), np.repeat(names, [len(one) for one in rows])
    parts = hessians.groups(names)
    middles = [(first + end - 1) / 2 for _, first, end in parts]
    hessians.matrix(axes, found.hessian[np.ix_(order, order)])
    hessians.gaps(axes, [end for _, _, end in parts])
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks(middles, [symbol for symbol, _, _ in parts], fontsize=7)
    axes.set_title(name, fontsize=10)
plt.show()

# %% [markdown]
# Red is positive, blue negative, over five decades. In $A$ sixteen numbers share every
# eigenvalue, and everything couples to everything. In the others each eigenvalue has its
# own few parameters, and talks to its conjugate; in the LRU its angle drowns the rest.
#
# ## Spectra alike, eigenvectors not
#
# The map itself has only $2n + 1 = 9$ numbers: four eigenvalues, four gains and $D$. So
# nine directions change it and sixteen do not. Left, the curvature along the nine: the
# dense recurrence is about as sharp as the complex diagonal one, and less than the LRU and
# S4. Right, over how many parameters one of the four sharpest directions is spread, for
# twenty teachers.

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
    right.plot(np.median(spread[name]), i, "|", color="black", ms=18)
right.set(xlabel="parameters to a sharp direction", ylim=(3.5, -0.5))
right.set_yticks(range(4), NETWORKS)
plt.show()
dense, diagonal, *others = (pairs[name].values[0] for name in NETWORKS)
assert diagonal < dense < min(1.3 * diagonal, *others)
assert np.all(spread["dense RNN"] > spread["complex diagonal"])
typical = {name: np.median(one) for name, one in spread.items()}
assert typical.pop("dense RNN") > 2 * max(typical.values())

# %% [markdown]
# ## How large a step they bear
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
        sharpest = jnp.asarray(pairs[name].vectors[0])
        measured = see.measured_bound(slope, x, sharpest, bound)
        assert math.isclose(measured, bound, rel_tol=2e-3)
        numbers = f"{bound:.3e} | {measured:.3e} | {measured / bound:.5f}"
        rows.append(f"| {name} | {numbers} |")
display(Markdown("\n".join(rows)))

# %% [markdown]
# By this count the LRU should be the hardest to train: it bears a step thirteen times
# smaller than the dense network. But its sharp directions are single parameters.
#
# ## What Adam can do about it
#
# Adam gives each parameter a rate of its own. Near the minimum the best that such rates
# can do is about $D^{-1/2} H D^{-1/2}$, with $D$ the diagonal of $H$. The steps that a
# descent needs go with the condition number, that of the nine directions that matter.
# Left, before and after, for the twenty teachers. Right, after, against the distance
# $d = |\lambda - \mu| \,/\, |1 - \lambda \bar\mu|$ of the two nearest eigenvalues: nought
# where they coincide, one where the unit circle is much nearer. Below, the medians after.


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
typical = {name: np.median(one) for name, one in after.items()}
display(Markdown(", ".join(f"{name} {one:.3g}" for name, one in typical.items())))
assert all(typical["dense RNN"] > 10 * typical[name] for name in NETWORKS[1:])
crowded = np.array(apart) < 0.9
for name in NETWORKS[1:]:
    assert after[name][~crowded].max() < 20
    law = after[name][crowded] * np.array(apart)[crowded] ** 6 / 20
    assert np.all(np.abs(np.log2(law)) < 1)
assert after["dense RNN"][~crowded].max() > 100 * after["dense RNN"][~crowded].min()
better = after["dense RNN"][crowded] < after["complex diagonal"][crowded]
assert (better.sum(), better.size) == (4, 6)

# %% [markdown]
# Such rates help everyone: seven decades become two, or one. What they leave a diagonal
# network depends on one thing, how near its nearest eigenvalues are to each other: below
# twenty where they are apart, whoever the teacher is, and about as the sixth power where
# they crowd. A dense network has good luck or bad at any distance; where eigenvalues
# crowd it is often the better one, here in four draws of six.
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

# %% [markdown]
# What correlation changes is how large each mode's curvature is, not who couples to whom.
#
# ## Away from the optimum
#
# The first part of the Hessian, of Gauss and Newton, is how strongly the output answers to
# the parameters, and never bends down. The other is the error times the curvature of the
# answer. On the line from the teacher to another one, both are one call each.

# %%
WAY = np.concatenate([np.geomspace(1e-6, 0.3, 23), np.linspace(0.4, 1, 6)])
figure, row = plt.subplots(1, 2)
with double_precision(True):
    _, others = solutions(6)
    for axes, name in zip(row, ("complex diagonal", "LRU"), strict=True):
        ends = students[name], others[name]
        met = [jax.tree.map(lambda a, b, at=at: a + at * (b - a), *ends) for at in WAY]
        whole = [expand(task, one).hessian for one in met]
        newton = [expand(task, one, at_optimum=True).hessian for one in met]
        values = np.linalg.eigvalsh(np.stack([whole, newton]))
        (most_down, *_, most_up), (least, *_, most) = np.moveaxis(values, -1, 1)
        assert np.all(least > -1e-10 * most)
        assert np.all(most_down < 0)
        axes.loglog(WAY, most, color=style.GREY, lw=3, label="Gauss-Newton")
        axes.loglog(WAY, most_up, color=style.VERMILION, label="most up")
        axes.loglog(WAY, -most_down, color=style.BLUE, label="most down")
        axes.set(title=name, xlabel="share of the way")
        if name == "complex diagonal":
            error = np.linalg.eigvalsh(np.stack(whole) - np.stack(newton))
            assert np.allclose(error, -error[:, ::-1], rtol=0, atol=1e-8 * most.max())
            bent = values[0, np.argmin(np.abs(WAY - 1e-3))]
            assert np.sum(bent < -1e-9 * bent[-1]) == 8
        else:
            assert np.any(most_up < -1e-4 * most_down)
row[0].set_ylabel("curvature")
row[1].legend()
plt.show()

# %% [markdown]
# A millionth of the way off, the loss already bends down somewhere. A complex diagonal
# network's response is analytic in $\lambda$, $B$ and $C$, so that what the error adds is
# the Hessian of the real part of an analytic function: its eigenvalues come in pairs
# $\pm\mu$, asserted above. A thousandth of the way off, eight directions bend down where
# none did. The LRU's exponential maps break the pairs: a hundredth of the way off it bends
# down ten thousand times as much as up, and Gauss-Newton knows nothing of it.
#
# ## When eigenvalues crowd together
#
# Eigenvalues nearer to each other than to the unit circle have nearly the same response,
# and couple (Figure 10 of the paper). Here are ten, with phases up to $\theta_0$, the map
# of their real and imaginary parts, and the condition number that rates of their own leave.

# %%
PHASES = (1.0, 0.3, 0.1, 0.03, 0.01)


def crowd(phase):
    """Ten eigenvalues, and the Hessian by their real and imaginary parts."""
    draw = np.random.default_rng(0)
    radius, turn = draw.uniform(0.99, 0.995, 10), draw.uniform(-1, 1, 10)
    with double_precision(True):
        lam = np.sort_complex(radius * np.exp(1j * math.pi * phase * turn))
        ones, none = np.ones((10, 1)), np.zeros((10, 1))
        layer = ComplexDiagonal(
            *(ones, none, ones.T, none.T, jnp.zeros((1, 1))),
            *(jnp.asarray(lam.real), jnp.asarray(lam.imag), "cartesian"),
        )
        found = expand(teacher_student(layer, length=None), layer, at_optimum=True)
    kinds = "first", "second"
    return lam, np.block([[found.block(a, b) for b in kinds] for a in kinds])


def draw_crowds(*phases):
    size = 3.6 * len(phases), 2.1
    figure, row = plt.subplots(1, 2 * len(phases), figsize=size, squeeze=False)
    circle = np.exp(1j * np.linspace(-np.pi, np.pi, 721))
    for (disc, whole), phase in zip(row[0].reshape(-1, 2), phases, strict=True):
        lam, block = crowd(phase)
        disc.plot(circle.real, circle.imag, color=style.GREY, lw=0.7)
        disc.plot(lam.real, lam.imag, "o", color=style.GREEN, ms=3)
        disc.set(aspect="equal", title=rf"$\theta_0 = {phase:g}\,\pi$")
        disc.set_axis_off()
        hessians.matrix(whole, block, 3)
        hessians.gaps(whole, [10, 20])
        whole.set_xticks((4.5, 14.5), ("Re", "Im"))
        whole.set_yticks((4.5, 14.5), ("Re", "Im"))
        left = np.linalg.cond(see.preconditioned(block))
        whole.set_title(rf"condition $10^{{{math.log10(left):.1f}}}$")
    return figure


draw_crowds(1.0, 0.1, 0.01)
plt.show()
tamed = [see.preconditioned(crowd(phase)[1]) for phase in PHASES]
assert np.all(np.diff(np.linalg.cond(tamed)) > 0)

# %%
if importlib.util.find_spec("ipywidgets") is not None:
    import ipywidgets

    def update(theta_0):
        display(draw_crowds(theta_0))
        plt.close()

    ipywidgets.interact(update, theta_0=ipywidgets.SelectionSlider(options=PHASES))
else:
    print("pip install ipywidgets, and open this in Jupyter, to move the slider")

# %% [markdown]
# ## A large one
#
# An LRU of 256, where its training starts, has 1793 parameters and 1.6 million different
# second derivatives. A Hessian-vector product by automatic differentiation checks them.

# %%
with double_precision(True):
    big = zucchet_lru(jax.random.key(0), 256, 1, 1, nu0=0.99, theta0=math.pi)
    expand(task, big)
    began = time.perf_counter()
    start = expand(task, big)
    seconds = time.perf_counter() - began
    x, split = ravel_pytree(parameters(big))
    v = jax.random.normal(jax.random.key(1), x.shape)
    slope = jax.grad(lambda x: task.loss(replace(big, split(x))))
    found = np.asarray(jax.jit(jax.grad(lambda x: slope(x) @ v))(x))
direct = start.hessian @ np.asarray(v)
assert np.allclose(direct, found, atol=1e-9 * np.abs(found).max())
display(Markdown(f"{x.size} by {x.size} second derivatives: {seconds:.2f} s."))
values = np.linalg.eigvalsh(start.hessian)
rank = 1 + np.arange(x.size)
plt.loglog(rank, values[::-1], color=style.VERMILION, label="up")
plt.loglog(rank, -values, color=style.BLUE, label="down")
plt.gca().set(xlabel="rank of the eigenvalue", ylabel="curvature", ylim=(1e-8, None))
plt.legend()
plt.show()
assert -values[0] > 10 * values[-1]
assert abs(np.mean(values > 0) - 0.5) < 0.05

# %% [markdown]
# As many directions bend down as up, and by far the sharpest bends down.
#
# ## To take home
#
# - A long memory is sharp in all coordinates; in diagonal ones along a few parameters.
# - With rates of their own, diagonal networks of separate eigenvalues are all about
#   equally easy. A dense one typically keeps a condition number ten times as large.
# - Diagonal is no cure for crowds: half the distance, some 64 times the condition number.
# - Correlated inputs weigh each mode by their power at its frequency.
# - Off the optimum the loss bends down at once: Gauss-Newton is not the Hessian.
