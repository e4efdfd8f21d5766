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
# A recurrent unit, the student, has the state $h_t = \lambda h_{t-1} + \gamma x_t$, where
# $x_t$ is the input and $\gamma$ a scale factor. The student learns to imitate a teacher of
# the same form with the eigenvalue $\lambda^*$ (Zucchet and Orvieto, 2024, Section 4.1). It
# has only two numbers to learn: the modulus $\nu$ and the angle $\theta$ of $\lambda = \nu
# e^{i\theta}$. The task has no depth, no nonlinearity and no instability. Even so, gradient
# descent finds this task hard if the teacher has a long time constant $1/(1-|\lambda^*|)$.
# This notebook shows why.
#
# Every picture shows the exact loss for infinitely long sequences. This loss has a closed
# form that is fast enough for sliders.
#
# **You need** complex numbers in polar form and the definition of a Hessian. **You learn**
# how the curvature of the loss grows with the teacher's time constant, and how correlated
# inputs change the loss. You also learn why a parametrisation solves the problem of the
# modulus but not that of the angle.

# %%
# %matplotlib inline
import cmath
import math

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from matplotlib.colors import LogNorm

from sigprop import AR1, compile_quickly, double_precision, landscape
from sigprop.figures import lessons
from sigprop.figures.sliders import Sliders
from sigprop.tasks import OneDimensional, Parametrisation

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
MEMORIES = tuple(lessons.MEMORY)
PARAMETRISATIONS = {
    "polar": Parametrisation("plain", "plain"),
    "exp": Parametrisation("exponential", "exponential"),
    "tanh": Parametrisation("tanh", "optimal"),
}


def surface(task, rows, columns, parametrisation=None):
    """The exact loss on a grid, in double precision."""
    with double_precision(True):
        return np.asarray(landscape.surface(task, rows, columns, parametrisation))


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
# ## The loss for longer time constants
#
# The next picture repeats panels B and C of the paper's first figure. The inputs are white
# noise without normalisation, so $\gamma = 1$. The teacher's eigenvalue is real. Left: the
# student is real too. Right: the student's modulus is correct and its angle varies. Look at
# the changes as $\lambda^* \to 1$. Away from the teacher the loss becomes flat, so that its
# gradient is small. Near the teacher the minimum becomes narrow, so that most gradient steps
# jump over it.


# %%
def draw_lines(rho=0.0):
    figure, (along, around) = plt.subplots(1, 2, sharey=True)
    real, turn = np.linspace(0, 0.998, 1500), np.linspace(-np.pi, np.pi, 1501)
    for size in MEMORIES:
        task = OneDimensional(complex(size), normalised=False, process=AR1(rho))
        on_axis = surface(task, real, np.zeros(1), PARAMETRISATIONS["polar"])[:, 0]
        on_circle = surface(task, np.array([size]), turn, PARAMETRISATIONS["polar"])[0]
        colour, label = lessons.MEMORY[size], rf"$\lambda^* = {size}$"
        along.semilogy(real, np.maximum(on_axis, 1e-9), color=colour)
        around.semilogy(turn, np.maximum(on_circle, 1e-9), color=colour, label=label)
    along.set(xlabel=r"$\lambda$", ylabel="loss", ylim=(1e-4, None))
    around.set(xlabel=r"$\theta$, radians", title=rf"correlation $\rho = {rho}$")
    around.legend(loc="lower left")
    return figure


draw_lines()
plt.show()

# %% [markdown]
# How large is the curvature at the minimum? We compute it from five loss values near the
# teacher, without a formula for the derivative. We compare inputs without normalisation and
# inputs normalised by $\gamma = \sqrt{1-\nu^2}$:


# %%
def sharpness(size, rho, normalised, turn=0.0):
    """Second differences by modulus and angle at the teacher."""
    angle = math.pi * turn
    task = OneDimensional(cmath.rect(size, angle), normalised, AR1(rho))
    step = 0.01 * (1 - size)
    aside = step * np.arange(-2, 3)
    weights = np.array([-1, 16, -30, 16, -1]) / (12 * step**2)
    polar, here = PARAMETRISATIONS["polar"], (np.array([size]), np.array([angle]))
    by_modulus = surface(task, size + aside, here[1], polar)[:, 0] @ weights
    by_angle = surface(task, here[0], angle + aside, polar)[0] @ weights
    return by_modulus, by_angle


table = [
    "| $\\lambda^*$ | curvature along $\\nu$ | along $\\theta$ | along $\\nu$, normalised |"
]
table.append("|---|---|---|---|")
sharpnesses = {}
for size in (0.9, 0.99, 0.999):
    bare, scaled = sharpness(size, 0.0, False), sharpness(size, 0.0, True)
    sharpnesses[size] = (*bare, scaled[0])
    numbers = " | ".join(f"{value:.3g}" for value in sharpnesses[size])
    table.append(f"| {size} | {numbers} |")
display(Markdown("\n".join(table)))
growth = np.array(sharpnesses[0.999]) / np.array(sharpnesses[0.99])
by_modulus, by_angle, normalised = powers = np.log10(growth)
assert np.all(np.abs(powers - [3, 3, 2]) < 0.02)
display(
    Markdown(
        "If the teacher's time constant is ten times as long, the curvature along $\\nu$ is "
        f"{growth[0]:.0f} times as large. The curvature grows like "
        f"$(1-\\lambda^*)^{{-{by_modulus:.2f}}}$ along the modulus and like "
        f"$(1-\\lambda^*)^{{-{by_angle:.2f}}}$ along the angle. With normalised inputs the "
        f"power of the curvature along the modulus is lower by {by_modulus - normalised:.2f}."
    )
)

# %% [markdown]
# A learning rate that is stable for a long time constant is much too small for a short one.
# With normalised inputs the curvature still grows, because the sensitivity
# $\mathrm{d}h/\mathrm{d}\lambda$ of the state grows. This effect is the curse of memory.
#
# ## The loss for correlated inputs
#
# Let successive inputs have the correlation $\rho$. An input with $\rho$ near one changes
# slowly. States with $\lambda$ near one sum such an input and become large. A state
# with a large angle rotates, and averages a slow input to almost zero. So the effect of
# correlation depends on the teacher's angle $\theta^*$. Each disc shows the loss for all
# stable students $\lambda$ in the complex plane, without normalisation. The star is the
# teacher. In the upper row the teacher has the angle $\theta^* = \pi/4$, in the lower row
# $\theta^* = 0$. Look at the size of the region of low loss around the star.


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
# The next table lists two numbers for each teacher: the curvature along the modulus at the
# minimum, and the loss of the student with $\lambda = 0$. This student lies at the centre of
# the disc and has no memory.

# %%
rows = [
    "| $\\rho$ | curvature, $\\theta^* = \\pi/4$ | curvature, $\\theta^* = 0$ "
    "| loss at $\\lambda = 0$, $\\theta^* = \\pi/4$ "
    "| loss at $\\lambda = 0$, $\\theta^* = 0$ |"
]
rows.append("|---|---|---|---|---|")
curvatures = []
for rho in RHOS:
    tasks = [
        OneDimensional(cmath.rect(0.9, x), False, AR1(rho)) for x in (math.pi / 4, 0)
    ]
    middles = [surface(task, np.zeros(1), np.zeros(1))[0, 0] for task in tasks]
    sharpest = [sharpness(0.9, rho, False, turn)[0] for turn in (0.25, 0.0)]
    curvatures.append(sharpest + middles)
    rows.append(
        f"| {rho} | " + " | ".join(f"{value:.3g}" for value in curvatures[-1]) + " |"
    )
display(Markdown("\n".join(rows)))
sentences = []
for name, change in zip(
    ("$\\theta^* = \\pi/4$", "$\\theta^* = 0$"),
    np.divide(curvatures[-1], curvatures[0])[:2],
    strict=True,
):
    comparison = "sharper" if change > 1 else "wider"
    sentences.append(
        f"- For the teacher with {name} the minimum becomes {comparison}. Its curvature at "
        f"$\\rho = {RHOS[-1]}$ is {change:.2g} times the curvature for white inputs."
    )
display(Markdown("\n".join(sentences)))

# %% [markdown]
# A slow input hardly excites a teacher that rotates. So the student learns little from such
# a teacher. With the sliders below you choose the teacher's eigenvalue. Each picture shows
# the loss for the same four correlations.

# %%
Sliders(
    lambda size, turn: closed(draw_discs(size, (turn,), 201)),
    {"modulus |λ*|": MEMORIES, "angle of λ*, in π": (0.25, 0.0, 0.05)},
    "If the sliders do not work on this page, run this cell in Jupyter or call draw_discs "
    "with other numbers.",
)

# %% [markdown]
# ## The loss in another parametrisation
#
# Gradient descent changes trainable parameters $\omega_\nu$ and $\omega_\theta$, not
# $\lambda$ itself. The linear recurrent unit (LRU) uses $\nu = e^{-e^{\omega_\nu}}$ and
# $\theta = e^{\omega_\theta}$. The best maps for this task are $\nu = \tanh\omega_\nu$ and
# $\theta = \omega_\theta (1-\nu^2) / (\nu \sqrt{1+\nu^2})$. With the best maps both
# curvatures at the teacher are one. From here on the inputs are normalised.
#
# Along the modulus the problem is then solved. With $\nu = \tanh\omega_\nu$ the loss is
# $1 - 1/\cosh(\omega_\nu - \omega_\nu^*)$, where $\omega_\nu^*$ is the teacher's parameter.
# So the loss is the same curve for every time constant; only its position changes. The left
# panel shows the loss as a function of $\nu$, the right panel as a function of $\omega_\nu$.

# %%
_, (plain, tamed) = plt.subplots(1, 2, sharey=True)
omega = np.linspace(-4, 4, 601)
for size in MEMORIES:
    task = OneDimensional(complex(size))
    nu = np.linspace(0, 0.9999, 2000)
    colour = lessons.MEMORY[size]
    plain.plot(
        nu,
        surface(task, nu, np.zeros(1), PARAMETRISATIONS["polar"])[:, 0],
        color=colour,
    )
    at = omega + math.atanh(size)
    loss = surface(task, at, np.zeros(1), Parametrisation("tanh", "plain"))[:, 0]
    tamed.plot(omega, loss, color=colour, label=rf"$\lambda^* = {size}$")
    assert np.allclose(loss, 1 - 1 / np.cosh(omega), atol=1e-9)
plain.set(xlabel=r"$\nu$", ylabel="loss, normalised inputs")
tamed.set(xlabel=r"$\omega_\nu - \omega_\nu^*$,  $\nu = \tanh\,\omega_\nu$")
tamed.legend(loc="upper center")
plt.show()


# %% [markdown]
# ## Why the angle remains hard
#
# Now we vary both parameters. The teacher has a small angle, $\theta^* = \pi/100$. The three
# panels show the same loss in three parametrisations. "Polar" means $\omega_\nu = \nu$ and
# $\omega_\theta = \theta$, "exp" means the maps of the LRU, and "tanh" means the best maps.
# The right end of the horizontal axis gives the angle $\pi$ at the teacher's modulus. The star
# is the teacher. Look at the size of the dark region of high loss relative to the minimum.


# %%
MODULI = {"polar": (0.0, 0.9999), "exp": (-8.0, 1.0), "tanh": (0.0, 4.5)}


def angles(name, size):
    """The parameters of angles from just below zero, or near it, to half a turn."""
    end = float(PARAMETRISATIONS[name].coordinates(size, math.pi).angle)
    return (-6.0, end) if name == "exp" else (-end / 6, end)


def draw_parametrisations(size=0.97, turn=0.01, rho=0.0, points=501):
    figure, row = plt.subplots(
        1, len(PARAMETRISATIONS), figsize=(7, 2.6), squeeze=False
    )
    teacher = cmath.rect(size, math.pi * turn)
    task = OneDimensional(teacher, process=AR1(rho))
    for axes, name in zip(row[0], PARAMETRISATIONS, strict=True):
        goal = PARAMETRISATIONS[name].coordinates(size, math.pi * turn)
        up, across = (
            np.linspace(*window, points)
            for window in (MODULI[name], angles(name, size))
        )
        loss = np.clip(surface(task, up, across, PARAMETRISATIONS[name]), 1e-3, None)
        shown = picture(axes, loss, across, up, LogNorm(1e-2, 1))
        axes.plot(goal.angle, goal.modulus, "*", color="white", mec="black", ms=9)
        axes.set(title=name, xlabel=r"$\omega_\theta$")
    row[0][0].set_ylabel(r"$\omega_\nu$")
    figure.colorbar(shown, ax=row, label="loss", extend="both")
    return figure


draw_parametrisations()
plt.show()

# %% [markdown]
# In polar coordinates the minimum is a narrow strip near $|\lambda| = 1$. The exponential
# map makes the minimum wider. This helps only because $\theta^*$ is small and the map
# stretches angles near zero. The best maps make the minimum round by stretching the angle.
# Half a turn is now many times as long as the minimum is wide. On nearly all of this
# distance the loss is flat. The region of low loss is curved, because $\theta$ depends on
# both parameters. The region repeats once per full turn of $\theta$.
#
# **No map of the angle can do better.** The width of the minimum matters relative to the
# distance that the student must travel. At the correct modulus the loss reaches half of its
# maximum at $|\theta - \theta^*| = \pi/2 - 2\arctan\nu^2$. This half width is a fixed share
# of the circle. A parametrisation changes the student's speed along the circle, but not the
# share:

# %%
rows = [
    "| $|\\lambda^*|$ | half width, radians | width / circumference |",
    "|---|---|---|",
]
shares = {}
for size in (0.5, 0.9, 0.99, 0.999):
    task = OneDimensional(complex(size))
    width = math.pi / 2 - 2 * math.atan(size**2)
    turn = np.array([0.0, width, math.pi])
    _, half, top = surface(task, np.array([size]), turn, PARAMETRISATIONS["polar"])[0]
    assert math.isclose(half, top / 2, rel_tol=1e-9)
    shares[size] = width / math.pi
    rows.append(f"| {size} | {width:.4f} | {shares[size]:.2%} |")
display(Markdown("\n".join(rows)))
shrinks = math.log10(shares[0.99] / shares[0.999])
display(
    Markdown(
        "As $|\\lambda^*| \\to 1$ the share of the circle shrinks like "
        f"$(1-|\\lambda^*|)^{{{shrinks:.2f}}}$."
    )
)

# %% [markdown]
# For long time constants there are two options: a sharp minimum that is close, or a round
# minimum that is far away. Adam learns better with the sharp, close minimum: with $\theta =
# \omega_\theta$ it ends nearer to the teacher than with the best map of the angle
# (`sigprop figure zucchet-7`). With the sliders below you choose the teacher and the
# correlation of the inputs:

# %%
Sliders(
    lambda size, turn, rho: closed(draw_parametrisations(size, turn, rho, 251)),
    {
        "modulus |λ*|": MEMORIES,
        "angle of λ*, in π": (0.01, 0.25),
        "correlation ρ": (0.0, 0.9),
    },
    "If the sliders do not work on this page, run this cell in Jupyter or call "
    "draw_parametrisations with other numbers.",
)

# %% [markdown]
# ## Explore the landscape yourself
#
# The next picture computes the same exact loss in your browser, so it also moves on a saved
# page. Click the map to start a descent, drag the star, which is the teacher, or choose a
# scene. The hatched region is too sharp for the learning rate. In Jupyter the settings are
# attributes of the widget, and its attribute `losses` is the descent that you see.

# %%
landscape.explore(modulus=0.99, angle=math.pi / 8)

# %% [markdown]
# ## To take home

# %%
display(
    Markdown(
        "- Without normalised inputs the curvature at the teacher grows like "
        f"$(1-\\lambda^*)^{{-{by_modulus:.0f}}}$. Elsewhere the loss is flat.\n"
        f"- Normalised inputs reduce the exponent by {by_modulus - normalised:.0f}, and a "
        f"suitable parametrisation by the other {normalised:.0f}. Then every modulus is "
        "equally easy to learn.\n"
        "- Along the angle a parametrisation makes the minimum round, but not closer. The "
        "minimum's share of the circle shrinks like "
        f"$(1-|\\lambda^*|)^{{{shrinks:.0f}}}$ in every parametrisation. So initialise with "
        "the angles that the task needs."
    )
)

# %% [markdown]
# ## Exercises
#
# 1. With $\nu = \tanh\omega_\nu$ the loss is $1 - 1/\cosh(\omega_\nu - \omega_\nu^*)$. What
#    is the curvature of this loss along $\nu$ at the teacher? Compare it with `sharpness`.
# 2. Expand the half width for $\nu = 1 - \epsilon$ with a small $\epsilon > 0$. How wide is
#    the minimum, in radians, for a time constant of 1000 steps?
# 3. Gradient descent diverges from a minimum of curvature $c$ if the learning rate exceeds
#    $2/c$. Let the teacher change from $\lambda^* = 0.9$ to $0.99$ without normalised inputs.
#    By which factor must the learning rate along $\nu$ decrease?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The curvature along omega_nu is one. The chain rule multiplies it by the square of
#    d omega_nu / d nu = 1 / (1 - nu^2).
curvature = 1 / (1 - 0.9**2) ** 2
assert math.isclose(sharpness(0.9, 0.0, True)[0], curvature, rel_tol=1e-4)
print(f"curvature along nu at nu = 0.9: {curvature:.2f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. To first order nu^2 = 1 - 2 eps and arctan(1 - 2 eps) = pi/4 - eps. So the half width is
#    2 eps and the width is 4 eps, with eps = 0.001.
assert math.isclose(math.pi / 2 - 2 * math.atan(0.999**2), 2e-3, rel_tol=2e-3)
print("width of the minimum: 0.004 radians")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The largest stable learning rate decreases by the ratio of the curvatures.
ratio = sharpness(0.99, 0.0, False)[0] / sharpness(0.9, 0.0, False)[0]
assert 100 < ratio < 1000 * 1.1
print(f"The learning rate must be {ratio:.0f} times smaller.")

# %% [markdown]
# These commands draw the related figures: `sigprop figure zucchet-1bc`,
# `sigprop figure zucchet-6`, `sigprop figure zucchet-7`, `sigprop figure sigprop-basins`,
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
