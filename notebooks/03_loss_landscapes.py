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
# # Loss landscapes of one linear unit
#
# A student $h_t = \lambda h_{t-1} + \gamma x_t$ learns to be a teacher of the same form
# with the eigenvalue $\lambda^*$ (Zucchet and Orvieto, 2024, Section 4.1). There are two
# numbers to learn, the modulus $\nu$ and the angle $\theta$ of $\lambda = \nu
# e^{i\theta}$, and nothing else: no depth, no nonlinearity, no instability. It is hard
# all the same, and here one can see why.
#
# Every picture below is exact: the loss is that of infinitely long sequences, in closed
# form, and costs so little that there are landscapes enough for sliders.
#
# **You need** complex numbers in polar form, and what a Hessian is. **You learn** how sharp
# a long memory makes the loss, what correlated inputs do to it, why a parametrisation
# tames the modulus and cannot tame the angle.

# %%
# %matplotlib inline
import cmath
import math

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from matplotlib.colors import LogNorm

from sigprop import double_precision, landscape
from sigprop.figures import lessons
from sigprop.figures.sliders import Sliders
from sigprop.inputs import AR1
from sigprop.numerics.compilation import compile_quickly
from sigprop.tasks.one_dimensional import Chart, OneDimensional

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
MEMORIES = tuple(lessons.MEMORY)
CHARTS = {
    "polar": Chart("plain", "plain"),
    "exp": Chart("exponential", "exponential"),
    "tanh": Chart("tanh", "optimal"),
}


def surface(task, rows, columns, chart=None):
    """The exact loss on a grid, in double precision."""
    with double_precision(True):
        return np.asarray(landscape.surface(task, rows, columns, chart))


def picture(axes, loss, across, up, norm):
    """A map of losses by even steps; where there is no stable student it stays empty."""
    ends = (across[0], across[-1], up[0], up[-1])
    loss = np.where(np.isfinite(loss), loss, np.nan)
    look = {"norm": norm, "cmap": "viridis_r", "origin": "lower", "aspect": "auto"}
    return axes.imshow(loss, extent=ends, **look)


def closed(figure):
    """The figure, shown by whoever asked for it and not by the notebook too."""
    plt.close(figure)
    return figure


# %% [markdown]
# ## What a longer memory does
#
# Panels B and C of the paper's first figure. The inputs are white and nothing is
# normalised. On the left the student is real, on the right it has the right modulus and
# a wrong angle. Watch two things as $\lambda^* \to 1$: the floor away from the teacher is
# flat, so that a gradient there says nothing; and the well is narrow, so that a step that
# is not tiny jumps over it.


# %%
def draw_lines(rho=0.0):
    figure, (along, around) = plt.subplots(1, 2, sharey=True)
    real, turn = np.linspace(0, 0.998, 1500), np.linspace(-np.pi, np.pi, 1501)
    for size in MEMORIES:
        task = OneDimensional(complex(size), normalised=False, process=AR1(rho))
        on_axis = surface(task, real, np.zeros(1), CHARTS["polar"])[:, 0]
        on_circle = surface(task, np.array([size]), turn, CHARTS["polar"])[0]
        colour, label = lessons.MEMORY[size], rf"$\lambda^* = {size}$"
        along.semilogy(real, np.maximum(on_axis, 1e-9), color=colour)
        around.semilogy(turn, np.maximum(on_circle, 1e-9), color=colour, label=label)
    along.set(xlabel=r"$\lambda$", ylabel="loss", ylim=(1e-4, None))
    around.set(xlabel=r"$\theta$", title=rf"$\rho = {rho}$")
    around.legend(loc="lower left")
    return figure


draw_lines()
plt.show()

# %% [markdown]
# How sharp is the well? Five values of the loss beside the teacher say so, without any
# formula, with and without the input normalised by $\gamma = \sqrt{1-\nu^2}$:


# %%
def sharpness(size, rho, normalised, turn=0.0):
    """Second differences by modulus and angle at the teacher."""
    angle = math.pi * turn
    task = OneDimensional(cmath.rect(size, angle), normalised, AR1(rho))
    step = 0.01 * (1 - size)
    aside = step * np.arange(-2, 3)
    weights = np.array([-1, 16, -30, 16, -1]) / (12 * step**2)
    polar, here = CHARTS["polar"], (np.array([size]), np.array([angle]))
    by_modulus = surface(task, size + aside, here[1], polar)[:, 0] @ weights
    by_angle = surface(task, here[0], angle + aside, polar)[0] @ weights
    return by_modulus, by_angle


table = ["| $\\lambda^*$ | by $\\nu$ | by $\\theta$ | by $\\nu$, normalised |"]
table.append("|---|---|---|---|")
found = {}
for size in (0.9, 0.99, 0.999):
    bare, scaled = sharpness(size, 0.0, False), sharpness(size, 0.0, True)
    found[size] = (*bare, scaled[0])
    numbers = " | ".join(f"{one:.3g}" for one in found[size])
    table.append(f"| {size} | {numbers} |")
display(Markdown("\n".join(table)))
growth = np.array(found[0.999]) / np.array(found[0.99])
by_modulus, by_angle, normalised = powers = np.log10(growth)
assert np.all(np.abs(powers - [3, 3, 2]) < 0.02)
display(
    Markdown(
        f"A memory ten times as long is {growth[0]:.0f} times as sharp: curvatures grow like "
        f"$(1-\\lambda^*)^{{-{by_modulus:.2f}}}$ by the modulus and "
        f"$(1-\\lambda^*)^{{-{by_angle:.2f}}}$ by the angle. Normalising takes away "
        f"{by_modulus - normalised:.2f} of these powers."
    )
)

# %% [markdown]
# A learning rate that is safe for one memory is useless for another. The powers that
# normalising leaves belong to the sensitivity of $h$ to $\lambda$: the curse of memory.
#
# ## What correlated inputs do
#
# Let successive inputs have the correlation $\rho$. A slow input feeds eigenvalues near
# one, whose states it adds up, and starves those that turn, whose states it averages
# away. So what it does depends on the teacher's angle. Here is the whole disc of
# students, first for a teacher that turns by $\pi/4$ a step, then for one that does not.


# %%
RHOS = (0.0, 0.5, 0.9, 0.99)


def draw_discs(size=0.9, turns=(0.25, 0.0), points=401):
    side, rhos = np.linspace(-1, 1, points), RHOS
    shape = len(turns), len(rhos)
    figure, table = plt.subplots(
        *shape, figsize=(7, 0.4 + 1.7 * shape[0]), squeeze=False
    )
    for row, turn in zip(table, turns, strict=True):
        teacher = cmath.rect(size, math.pi * turn)
        for axes, rho in zip(row, rhos, strict=True):
            task = OneDimensional(teacher, normalised=False, process=AR1(rho))
            loss = surface(task, side, side).T
            shown = picture(axes, loss, side, side, LogNorm(1e-2, 1e2))
            axes.plot(teacher.real, teacher.imag, "*", color="white", mec="black", ms=8)
            axes.set(aspect="equal", title=rf"$\rho = {rho}$")
            axes.set_axis_off()
    figure.colorbar(shown, ax=table, label="loss", extend="both")
    return figure


draw_discs()
plt.show()

# %% [markdown]
# How sharp are the two wells by the modulus, and how high is the loss in the middle of the
# disc, where the student remembers nothing?

# %%
rows = ["| $\\rho$ | sharpness, $\\pi/4$ | at $0$ | loss at 0, $\\pi/4$ | at $0$ |"]
rows.append("|---|---|---|---|---|")
found = []
for rho in RHOS:
    tasks = [
        OneDimensional(cmath.rect(0.9, x), False, AR1(rho)) for x in (math.pi / 4, 0)
    ]
    middles = [surface(one, np.zeros(1), np.zeros(1))[0, 0] for one in tasks]
    bends = [sharpness(0.9, rho, False, turn)[0] for turn in (0.25, 0.0)]
    found.append(bends + middles)
    rows.append(f"| {rho} | " + " | ".join(f"{one:.3g}" for one in found[-1]) + " |")
display(Markdown("\n".join(rows)))
said = []
for name, change in zip(
    ("well of the one that turns", "well of the one that does not"),
    np.divide(found[-1], found[0])[:2],
    strict=True,
):
    word = "sharper" if change > 1 else "wider"
    said.append(f"the {name} becomes {word}: {change:.2g} times as sharp")
display(Markdown(f"From white inputs to $\\rho = {RHOS[-1]}$ " + ", ".join(said) + "."))

# %% [markdown]
# An input that hardly changes barely makes a turning teacher ring, and there is little to
# be learnt from it. Choose a teacher; each picture has all four inputs.

# %%
Sliders(
    lambda size, turn: closed(draw_discs(size, (turn,), 201)),
    {"memory |λ*|": MEMORIES, "turn of λ*, in π": (0.25, 0.0, 0.05)},
    "Where the sliders do not move: run this cell, or call draw_discs with other numbers.",
)

# %% [markdown]
# ## What another parametrisation does
#
# Gradient descent does not see $\lambda$, it sees the parameters $\omega$. The LRU takes
# $\nu = e^{-e^{\omega_\nu}}$ and $\theta = e^{\omega_\theta}$; the best maps for this very
# task are $\nu = \tanh\omega_\nu$ and $\theta = \omega_\theta (1-\nu^2) / (\nu
# \sqrt{1+\nu^2})$, for which both curvatures at the teacher are one. Along the modulus
# that is the end of the story: with the hyperbolic tangent the whole landscape is one
# curve, $1 - 1/\cosh(\omega_\nu - \omega_\nu^*)$, moved along as the memory grows.

# %%
_, (plain, tamed) = plt.subplots(1, 2, sharey=True)
omega = np.linspace(-4, 4, 601)
for size in MEMORIES:
    task = OneDimensional(complex(size))
    nu = np.linspace(0, 0.9999, 2000)
    colour = lessons.MEMORY[size]
    plain.plot(nu, surface(task, nu, np.zeros(1), CHARTS["polar"])[:, 0], color=colour)
    at = omega + math.atanh(size)
    loss = surface(task, at, np.zeros(1), Chart("tanh", "plain"))[:, 0]
    tamed.plot(omega, loss, color=colour, label=rf"$\lambda^* = {size}$")
    assert np.allclose(loss, 1 - 1 / np.cosh(omega), atol=1e-9)
plain.set(xlabel=r"$\nu$", ylabel="loss, normalised")
tamed.set(xlabel=r"$\omega_\nu - \omega_\nu^*$,  $\nu = \tanh\,\omega_\nu$")
tamed.legend(loc="upper center")
plt.show()


# %% [markdown]
# ## Why the angle remains hard
#
# Now both parameters, and a teacher of a small angle, $\theta^* = \pi/100$. Each picture
# is the same loss in another parametrisation; the angle covers half a turn.


# %%
MODULI = {"polar": (0.0, 0.9999), "exp": (-8.0, 1.0), "tanh": (0.0, 4.5)}


def angles(name, size):
    """The parameters of angles from just below zero, or near it, to half a turn."""
    end = float(CHARTS[name].coordinates(size, math.pi).angle)
    return (-6.0, end) if name == "exp" else (-end / 6, end)


def draw_charts(size=0.97, turn=0.01, rho=0.0, points=501):
    figure, row = plt.subplots(1, len(CHARTS), figsize=(7, 2.6), squeeze=False)
    teacher = cmath.rect(size, math.pi * turn)
    task = OneDimensional(teacher, process=AR1(rho))
    for axes, name in zip(row[0], CHARTS, strict=True):
        goal = CHARTS[name].coordinates(size, math.pi * turn)
        up, across = (
            np.linspace(*one, points) for one in (MODULI[name], angles(name, size))
        )
        loss = np.clip(surface(task, up, across, CHARTS[name]), 1e-3, None)
        shown = picture(axes, loss, across, up, LogNorm(1e-2, 1))
        axes.plot(goal.angle, goal.modulus, "*", color="white", mec="black", ms=9)
        axes.set(title=name, xlabel=r"$\omega_\theta$")
    row[0][0].set_ylabel(r"$\omega_\nu$")
    figure.colorbar(shown, ax=row, label="loss", extend="both")
    return figure


draw_charts()
plt.show()

# %% [markdown]
# In polar coordinates the well is a narrow strip at $|\lambda| = 1$. The exponential map
# widens it, but only because $\theta^*$ is small and this map resolves angles near zero.
# The optimal parametrisation makes the well round by stretching the angle. The same half
# turn is now many wells long, and nearly all of it is a plateau. The valley is curved,
# because the angle changes with the modulus, and more valleys follow, one for each turn.
#
# **No map of the angle can do better.** What counts is the well's width against the way
# there. At the right modulus the loss is half of
# its depth at $|\theta - \theta^*| = \pi/2 - 2\arctan\nu^2$. That is a share of the
# circle, and a change of parameters moves a learner along that circle faster or slower
# without making the share any larger:

# %%
rows = [
    "| $|\\lambda^*|$ | half width, radians | share of the circle |",
    "|---|---|---|",
]
shares = {}
for size in (0.5, 0.9, 0.99, 0.999):
    task = OneDimensional(complex(size))
    width = math.pi / 2 - 2 * math.atan(size**2)
    turn = np.array([0.0, width, math.pi])
    _, half, top = surface(task, np.array([size]), turn, CHARTS["polar"])[0]
    assert math.isclose(half, top / 2, rel_tol=1e-9)
    shares[size] = width / math.pi
    rows.append(f"| {size} | {width:.4f} | {shares[size]:.2%} |")
display(Markdown("\n".join(rows)))
shrinks = math.log10(shares[0.99] / shares[0.999])
display(Markdown(f"The share shrinks like $(1-\\nu)^{{{shrinks:.2f}}}$."))

# %% [markdown]
# Sharp and easy to find, or tame and far away: at long memories one may choose. Adam
# takes the first (`sigprop figure zucchet-7`). Choose for yourself:

# %%
Sliders(
    lambda size, turn, rho: closed(draw_charts(size, turn, rho, 251)),
    {
        "memory |λ*|": MEMORIES,
        "turn of λ*, in π": (0.01, 0.25),
        "correlation ρ": (0.0, 0.9),
    },
    "Where the sliders do not move: run this cell, or call draw_charts with other numbers.",
)

# %% [markdown]
# ## To take home

# %%
display(
    Markdown(
        f"- At the teacher the bare loss is as sharp as $(1-\\lambda^*)^{{-{by_modulus:.0f}}}$"
        ", and flat elsewhere.\n"
        f"- Normalised inputs take {by_modulus - normalised:.0f} of the powers away, a "
        f"parametrisation the other {normalised:.0f}; along the modulus every memory is then "
        "equally easy.\n"
        f"- Along the angle the well becomes round, not near. Its share of the circle "
        f"shrinks like $(1-|\\lambda^*|)^{{{shrinks:.0f}}}$ in every chart: start with the "
        "angles that the task needs."
    )
)

# %% [markdown]
# ## Exercises
#
# 1. With the hyperbolic tangent the loss is $1 - 1/\cosh(\omega - \omega^*)$. What is its
#    curvature by $\nu = \tanh\omega$ at the teacher? Compare with `sharpness`.
# 2. Expand the half width for $\nu = 1 - \epsilon$: how wide is the well of a memory of a
#    thousand steps?
# 3. Gradient descent leaves a well of curvature $c$ at the rate $2/c$. By which factor must
#    the rate shrink, without normalisation, from $\lambda^* = 0.9$ to $0.99$?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. One by omega, and d omega / d nu = 1 / (1 - nu^2), squared.
curvature = 1 / (1 - 0.9**2) ** 2
assert math.isclose(sharpness(0.9, 0.0, True)[0], curvature, rel_tol=1e-4)
print(f"{curvature:.2f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. arctan(1 - 2 eps) is pi/4 - eps, so the half width is 2 eps and the width 4 eps.
assert math.isclose(math.pi / 2 - 2 * math.atan(0.999**2), 2e-3, rel_tol=2e-3)
print("0.004 radians")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. By the ratio of the curvatures.
ratio = sharpness(0.99, 0.0, False)[0] / sharpness(0.9, 0.0, False)[0]
assert 100 < ratio < 1000 * 1.1
print(f"{ratio:.0f} times")

# %% [markdown]
# The figures about this: `sigprop figure zucchet-1bc`, `sigprop figure zucchet-6`,
# `sigprop figure zucchet-7`, `sigprop figure sigprop-basins`,
# `sigprop figure sigprop-parametrisations`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
