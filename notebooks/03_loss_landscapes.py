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
# Every picture below is exact. The loss is that of infinitely long sequences, in closed
# form, so that a landscape of a quarter of a million points takes a few milliseconds and
# the sliders do not lag. Where `ipywidgets` is missing, or where this is read without a
# kernel, the static pictures tell the same story.

# %%
# %matplotlib inline
import cmath
import importlib.util
import math
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from matplotlib.colors import LogNorm

from figures import style
from sigprop import double_precision
from sigprop.inputs import AR1
from sigprop.landscape import slices as landscape
from sigprop.layers.base import replace
from sigprop.layers.lru import zucchet_lru
from sigprop.tasks.one_dimensional import Chart, OneDimensional
from sigprop.tasks.teacher_student import teacher_student

plt.rcParams.update({"figure.figsize": (7, 3), "figure.constrained_layout.use": True})
plt.rcParams["axes.prop_cycle"] = plt.cycler(color=style.SEQUENCE)
MEMORIES = (0.5, 0.9, 0.97, 0.99)
CHARTS = {
    "polar": Chart("plain", "plain"),
    "exp": Chart("exponential", "exponential"),
    "tanh": Chart("tanh", "optimal"),
}


def surface(task, rows, columns, chart=None):
    """The exact loss on a grid, in double precision."""
    with double_precision(True):
        return np.asarray(landscape.surface(task, rows, columns, chart))


def explore(draw, **values):
    """Sliders over what is drawn, where there is something to show them."""
    if importlib.util.find_spec("ipywidgets") is None:
        print("pip install ipywidgets, and open this in Jupyter, to move the sliders")
        return
    import ipywidgets

    sliders = {
        name: ipywidgets.SelectionSlider(
            options=options, value=options[0], continuous_update=False
        )
        for name, options in values.items()
    }

    def update(**chosen):
        figure = draw(**chosen)
        display(figure)
        plt.close(figure)

    ipywidgets.interact(update, **sliders)


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
        along.semilogy(real, np.maximum(on_axis, 1e-9))
        label = rf"$\lambda^* = {size}$"
        around.semilogy(turn, np.maximum(on_circle, 1e-9), label=label)
    along.set(xlabel=r"$\lambda$", ylabel="loss", ylim=(1e-4, None))
    around.set(xlabel=r"$\theta$", title=rf"$\rho = {rho}$")
    around.legend(loc="lower left", frameon=False)
    return figure


draw_lines()
plt.show()

# %% [markdown]
# How sharp is the well? The closed form of the curvature at $\lambda = \lambda^*$ grows
# like $(1-\lambda^*)^{-3}$: a memory ten times as long is a thousand times as sharp, and
# a learning rate that is safe for one is useless for the other. Five values of
# the loss beside the teacher say so, without any formula:


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
assert np.all(np.abs(np.log10(growth) - [3, 3, 2]) < 0.02)

# %% [markdown]
# Normalising the input by $\gamma = \sqrt{1-\nu^2}$ takes away one of the three powers.
# The other two belong to the sensitivity of $h$ to $\lambda$: the curse of memory.
#
# ## What correlated inputs do
#
# Let successive inputs have the correlation $\rho$. A slow input feeds eigenvalues near
# one, whose states it adds up, and starves those that turn, whose states it averages
# away. So what it does depends on the teacher's angle. Here is the whole disc of
# students, first for a teacher that turns by $\pi/4$ a step, then for one that does not.


# %%
def draw_discs(size=0.9, turns=(0.25, 0.0), rhos=(0.0, 0.5, 0.9, 0.99)):
    side = np.linspace(-1, 1, 401)
    shape = len(turns), len(rhos)
    figure, table = plt.subplots(
        *shape, figsize=(7, 0.4 + 1.7 * shape[0]), squeeze=False
    )
    for row, turn in zip(table, turns, strict=True):
        teacher = cmath.rect(size, math.pi * turn)
        for axes, rho in zip(row, rhos, strict=True):
            task = OneDimensional(teacher, normalised=False, process=AR1(rho))
            loss = surface(task, side, side).T
            shown = axes.pcolormesh(
                side,
                side,
                np.where(np.isfinite(loss), loss, np.nan),
                norm=LogNorm(1e-2, 1e2),
                cmap="viridis_r",
                rasterized=True,
            )
            axes.plot(teacher.real, teacher.imag, "*", color="white", mec="black", ms=8)
            axes.set(aspect="equal", title=rf"$\rho = {rho}$")
            axes.set_axis_off()
    figure.colorbar(shown, ax=table, label="loss", extend="both")
    return figure


draw_discs()
plt.show()

# %% [markdown]
# For the teacher that turns the well widens as $\rho \to 1$: such an input hardly makes
# it ring, and there is little to be learnt from it. For the one that does not, all the
# rest of the disc rises instead, and the well with it. Their curvatures by the modulus
# say the same:

# %%
rows = ["| $\\rho$ | teacher at $\\pi/4$ | teacher at $0$ |", "|---|---|---|"]
bends = []
for rho in (0.0, 0.5, 0.9, 0.99):
    bends.append([sharpness(0.9, rho, False, turn)[0] for turn in (0.25, 0.0)])
    rows.append(f"| {rho} | {bends[-1][0]:.3g} | {bends[-1][1]:.3g} |")
display(Markdown("\n".join(rows)))
assert bends[-1][0] < bends[0][0] / 3
assert bends[-1][1] > 3 * bends[0][1]

# %% [markdown]
# Move all three:

# %%
explore(
    lambda size, turn, rho: draw_discs(size, (turn,), (rho,)),
    size=MEMORIES,
    turn=(0.25, 0.0, 0.01, 0.05, 0.5, 1.0),
    rho=(0.0, 0.5, 0.9, 0.99),
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
    plain.plot(nu, surface(task, nu, np.zeros(1), CHARTS["polar"])[:, 0])
    at = omega + math.atanh(size)
    loss = surface(task, at, np.zeros(1), Chart("tanh", "plain"))[:, 0]
    tamed.plot(omega, loss, label=rf"$\lambda^* = {size}$")
    assert np.allclose(loss, 1 - 1 / np.cosh(omega), atol=1e-9)
plain.set(xlabel=r"$\nu$", ylabel="loss, normalised")
tamed.set(xlabel=r"$\omega_\nu - \omega_\nu^*$,  $\nu = \tanh\,\omega_\nu$")
tamed.legend(loc="upper center", frameon=False)
plt.show()


# %% [markdown]
# ## Why the angle remains hard
#
# Now both parameters, and a teacher of a small angle, $\theta^* = \pi/100$. Each picture
# is the same loss in another chart, over a window in which the angle covers half a turn.


# %%
MODULI = {"polar": (0.0, 0.9999), "exp": (-8.0, 1.0), "tanh": (0.0, 4.5)}


def angles(name, size):
    """The parameters of angles from just below zero, or near it, to half a turn."""
    end = float(CHARTS[name].coordinates(size, math.pi).angle)
    return (-6.0, end) if name == "exp" else (-end / 6, end)


def draw_charts(size=0.97, turn=0.01, rho=0.0, names=tuple(CHARTS)):
    figure, row = plt.subplots(1, len(names), figsize=(7, 2.6), squeeze=False)
    teacher = cmath.rect(size, math.pi * turn)
    task = OneDimensional(teacher, process=AR1(rho))
    for axes, name in zip(row[0], names, strict=True):
        goal = CHARTS[name].coordinates(size, math.pi * turn)
        up, across = (
            np.linspace(*one, 501) for one in (MODULI[name], angles(name, size))
        )
        loss = np.clip(surface(task, up, across, CHARTS[name]), 1e-3, None)
        shown = axes.pcolormesh(
            across, up, loss, norm=LogNorm(1e-2, 1), cmap="viridis_r", rasterized=True
        )
        axes.plot(goal.angle, goal.modulus, "*", color="white", mec="black", ms=9)
        axes.set(title=name, xlabel=r"$\omega_\theta$")
    row[0][0].set_ylabel(r"$\omega_\nu$")
    figure.colorbar(shown, ax=row, label="loss", extend="both")
    return figure


draw_charts()
plt.show()

# %% [markdown]
# In the polar chart the well is a splinter at the edge. The exponential map opens it, but
# only because $\theta^*$ is small: it spends its resolution near angle zero. The last one
# makes the well round, in equal units of both axes, by stretching the angle: the same half
# turn is now many wells long, and nearly all of it is a plateau. The valley bends, since
# the angle moves with the modulus, and below it are others, one for each full turn.
#
# **No map of the angle can do better.** What counts is the well's width against the way
# there. At the right modulus the loss is half of
# its depth at $|\theta - \theta^*| = \pi/2 - 2\arctan\nu^2$, a share of the circle that
# shrinks like $1-\nu$, and a change of parameters moves a learner along that circle
# faster or slower without making the share any larger:

# %%
rows = [
    "| $|\\lambda^*|$ | half width, radians | share of the circle |",
    "|---|---|---|",
]
for size in (0.5, 0.9, 0.99, 0.999):
    task = OneDimensional(complex(size))
    width = math.pi / 2 - 2 * math.atan(size**2)
    turn = np.array([0.0, width, math.pi])
    _, half, top = surface(task, np.array([size]), turn, CHARTS["polar"])[0]
    assert math.isclose(half, top / 2, rel_tol=1e-9)
    rows.append(f"| {size} | {width:.4f} | {width / math.pi:.2%} |")
display(Markdown("\n".join(rows)))

# %% [markdown]
# Sharp and easy to find, or tame and far away: at long memories one may choose. Adam
# takes the first (`sigprop figure zucchet-7`). Choose for yourself:

# %%
explore(
    lambda size, turn, rho, chart: draw_charts(size, turn, rho, (chart,)),
    size=MEMORIES,
    turn=(0.01, 0.05, 0.25, 0.5),
    rho=(0.0, 0.5, 0.9, 0.99),
    chart=tuple(CHARTS),
)

# %% [markdown]
# ## Slices through a whole layer
#
# A layer of many such units has too many parameters to draw, and its landscape is looked
# at along random directions. In which units? The usual recipe scales a direction tensor
# by tensor, or filter by filter, and leaves vectors out; of a diagonal recurrence that
# leaves nothing but $B$ and $C$. What belongs together here is a *mode*: its eigenvalue,
# its row of $B$ and its column of $C$. `sigprop.landscape.slices` makes a direction as long as
# the mode in every mode, and measures where $B$ and $C$ are equally long, so that the
# slice is the same for $aB$ and $C/a$. The dashed parabola is no fit: its slope and
# curvature come from the gradient and a Hessian-vector product at the middle.

# %%
_, row = plt.subplots(1, 3)
with double_precision(True):
    key, way = jax.random.split(jax.random.key(1))
    drawn = zucchet_lru(key, 8, 1, 1, nu0=0.5, theta0=math.pi)
    ones = jnp.ones(8)
    for axes, size in zip(row, (0.5, 0.9, 0.99), strict=True):
        recurrence = {
            "nu_log": math.log(-math.log(size)) * ones,
            "gamma_log": math.log(1 - size**2) / 2 * ones,
        }
        layer = replace(drawn, recurrence)
        task = teacher_student(layer, length=None)  # it is its own teacher
        along = landscape.direction(way, layer)
        steps = np.linspace(-0.2, 0.2, 81)
        loss = landscape.slices(task.loss, layer, [along], [steps])
        model = landscape.quadratic(task.loss, layer, [along])
        bend = float(model.bend[0, 0])
        again = landscape.second_difference(
            task.loss, layer, along, step=0.01 * (1 - size)
        )
        assert math.isclose(again, bend, rel_tol=1e-6)
        axes.plot(steps, loss, color=style.BLUE)
        axes.plot(steps, model(steps), "--", color=style.VERMILION)
        axes.set(xlabel="step", ylim=(0, 1.3 * float(loss.max())))
        axes.set_title(rf"$|\lambda| = {size}$,  $v^\top H v = {bend:.3g}$", fontsize=9)
row[0].set_ylabel("loss")
plt.show()

# %% [markdown]
# ## How long did it take?

# %%
axes = np.linspace(0.5, 0.999, 2000), np.linspace(-np.pi, np.pi, 2000)
task = OneDimensional(cmath.rect(0.99, math.pi / 100), process=AR1(0.9))
surface(task, *axes, CHARTS["polar"])
began = time.perf_counter()
surface(task, *axes, CHARTS["polar"])
display(Markdown(f"Four million points: {time.perf_counter() - began:.2f} s."))

# %% [markdown]
# ## To take home
#
# - At the teacher the bare loss is as sharp as $(1-\lambda^*)^{-3}$, and flat elsewhere.
#   Normalised inputs take one power away, a parametrisation the other two.
# - Along the modulus this makes every memory equally easy: one curve, moved along.
# - Along the angle it makes the well round, not near. Its share of the circle shrinks
#   like $1-|\lambda^*|$ in every chart: start with the angles that the task needs.
# - Correlated inputs sharpen the loss of eigenvalues near one, and hide those that turn.
