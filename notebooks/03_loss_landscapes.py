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
# e^{i\theta}$. Even so, gradient descent finds this task hard if the teacher has a long time
# constant $1/(1-|\lambda^*|)$. Find out why with the explorer below.
#
# **You need** complex numbers in polar form and the definition of a Hessian. **You learn**
# how the curvature of the loss grows with the teacher's time constant, and which learning
# rates are stable. You also learn why a parametrisation solves the problem of the modulus but
# not that of the angle, and how correlated inputs change the loss.

# %%
# %matplotlib inline
import cmath
import math

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from matplotlib.colors import LogNorm

from sigprop import AR1, compile_quickly, double_precision, landscape
from sigprop.figures import lessons
from sigprop.tasks import OneDimensional, Parametrisation

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
landscape.explore(modulus=0.99, angle=math.pi / 8)

# %% [markdown]
# The colour is the exact loss $\frac{1}{2} E|h_t - h^*_t|^2$ of each stable student $\lambda$
# for infinitely long sequences. The star is the teacher, $\lambda^* = 0.99\,e^{i\pi/8}$. A
# click on the map starts a descent there. Answer five questions by moving something. Each
# answer is derived below.
#
# 1. Move **Teacher's memory** from 10 to 100 steps and read the curvatures at the teacher. By
#    which factor do they grow? And if you set **Normalisation** to none?
# 2. Move the **Learning rate** across the orange triangle. What happens to the end of the
#    descent?
# 3. Choose the parametrisation **tanh** and the angle 0. Which curvatures does the teacher
#    have now, for any memory?
# 4. Keep tanh, choose the axes **parameters ω** and the angle 0.01 π. How does the picture
#    change when the memory grows?
# 5. Choose **polar** again, and no normalisation. Move **Input correlation** to 0.95. Which
#    students have a large loss? Is the teacher at angle 0 easier to learn, or at π/4?
#
# In Jupyter the settings are attributes of the widget, and its attribute `losses` is the
# descent that you see. `sigprop ledger --html site` writes the explorer as a page of its own.
#
# ## 1. The curvature grows with the time constant
#
# At the teacher the error $h_t - h^*_t$ is zero. So the second derivative of the loss is the
# mean squared derivative of the state, $E|\partial h_t/\partial\nu|^2$. For white inputs
# without normalisation, $h_t = \sum_k \lambda^k x_{t-k}$ gives
#
# $$E\left|\frac{\partial h_t}{\partial\nu}\right|^2 = \sum_{k\ge1} k^2\nu^{2(k-1)} =
# \frac{1+\nu^2}{(1-\nu^2)^3}, \qquad
# E\left|\frac{\partial h_t}{\partial\theta}\right|^2 = \nu^2\,\frac{1+\nu^2}{(1-\nu^2)^3}.$$
#
# Normalisation by $\gamma = \sqrt{1-\nu^2}$ multiplies the second by $1-\nu^2$. Along the
# modulus $\gamma$ changes too, and $1/(1-\nu^2)^2$ remains. The next cell compares these
# expressions with second derivatives by automatic differentiation of the loss.


# %%
def curvatures(modulus, normalised, angle=math.pi / 8, rho=0.0):
    """Second derivatives of the loss at the teacher by modulus and by angle."""
    task = OneDimensional(cmath.rect(modulus, angle), normalised, AR1(rho))
    with double_precision(True):
        at = jnp.array([modulus, angle])
        return np.diag(jax.hessian(lambda both: task.loss(*both))(at))


def closed_forms(modulus, normalised):
    nu, rest = modulus, 1 - modulus**2
    bare = (1 + nu**2) / rest**3
    return (1 / rest**2, nu**2 * bare * rest) if normalised else (bare, nu**2 * bare)


STEPS = (10, 100, 1000)
measured = {}
for normalised in (False, True):
    for steps in STEPS:
        measured[steps, normalised] = curvatures(1 - 1 / steps, normalised)
        predicted = closed_forms(1 - 1 / steps, normalised)
        assert np.allclose(measured[steps, normalised], predicted, rtol=1e-5)
heads = ("along $\\nu$", "along $\\theta$")
heads += tuple(f"{head}, normalised" for head in heads)
rows = []
for steps in STEPS:
    numbers = [*measured[steps, False], *measured[steps, True]]
    rows.append([steps, *(f"{number:.3g}" for number in numbers)])
display(lessons.Table(("time constant, steps", *heads), rows))
bare, scaled = (
    np.log10(measured[1000, both] / measured[100, both]) for both in (False, True)
)
assert np.allclose(bare, 3, atol=0.02)
assert np.allclose(scaled, 2, atol=0.02)

# %% [markdown]
# If the time constant is ten times as long, the curvatures are a thousand times as large, and
# a hundred times with normalised inputs. Away from the teacher the loss is flat. This effect
# is the curse of memory.
#
# ## 2. The curvature limits the learning rate
#
# Near the teacher the loss is a quadratic form. A step of gradient descent with the rate
# $\eta$ multiplies the error along an eigenvector of the Hessian by $1 - \eta c$, where $c$ is
# its curvature. So the error grows if $\eta > 2/c$: the orange triangle. In the map the
# hatched region is too sharp for the rate, and the dashed line is $2/\eta$.


# %%
def growth(rate, steps=100, modulus=0.99, angle=math.pi / 8, start=1e-7):
    """The factor by which a descent multiplies a small error of the angle."""
    task = OneDimensional(cmath.rect(modulus, angle))
    with double_precision(True):
        gradient = jax.grad(lambda both: task.loss(*both))
        at = jnp.array([modulus, angle + start])
        at = jax.lax.fori_loop(0, steps, lambda _, at: at - rate * gradient(at), at)
        return float(at[1] - angle) / start


sharpest = max(closed_forms(0.99, True))
factors = {}
for change in (-0.03, 0.03):
    rate = (1 + change) * 2 / sharpest
    factors[change] = growth(rate)
    assert math.isclose(factors[change], (1 - rate * sharpest) ** 100, rel_tol=0.02)
display(
    Markdown(
        f"The largest stable rate at $\\lambda^* = 0.99\\,e^{{i\\pi/8}}$ is "
        f"{2 / sharpest:.3g}. At a rate 3 % lower, 100 steps multiply a small error of the "
        f"angle by {factors[-0.03]:.2g}. At a rate 3 % higher, they multiply it by "
        f"{factors[0.03]:.3g}."
    )
)

# %% [markdown]
# ## 3. A parametrisation makes the minimum round
#
# Gradient descent changes trainable parameters $\omega_\nu$ and $\omega_\theta$, not
# $\lambda$ itself. The linear recurrent unit (LRU) uses $\nu = e^{-e^{\omega_\nu}}$ and
# $\theta = e^{\omega_\theta}$. The best maps for normalised white inputs are $\nu =
# \tanh\omega_\nu$ and $\theta = \omega_\theta (1-\nu^2) / (\nu \sqrt{1+\nu^2})$. With the best
# maps both curvatures at the teacher are one. For $\nu$ this follows from section 1 and
# $\mathrm{d}\nu/\mathrm{d}\omega_\nu = 1-\nu^2$. Even the whole loss along the modulus is then
# the same curve for every time constant. Only its position changes:
#
# $$L = 1 - \frac{1}{\cosh(\omega_\nu - \omega_\nu^*)}.$$

# %%
PARAMETRISATIONS = {
    "polar": Parametrisation("plain", "plain"),
    "exp": Parametrisation("exponential", "exponential"),
    "tanh": Parametrisation("tanh", "optimal"),
}


def surface(task, rows, columns, parametrisation=None):
    """The exact loss on a grid, in double precision."""
    with double_precision(True):
        return np.asarray(landscape.surface(task, rows, columns, parametrisation))


_, (plain, tamed) = plt.subplots(1, 2, sharey=True)
omega, nu = np.linspace(-4, 4, 601), np.linspace(0, 0.9999, 2000)
for size, colour in lessons.MEMORY.items():
    task = OneDimensional(complex(size))
    along = surface(task, nu, np.zeros(1), PARAMETRISATIONS["polar"])[:, 0]
    plain.plot(nu, along, color=colour)
    at = omega + math.atanh(size)
    loss = surface(task, at, np.zeros(1), Parametrisation("tanh", "plain"))[:, 0]
    tamed.plot(omega, loss, color=colour, label=rf"$\lambda^* = {size}$")
    assert np.allclose(loss, 1 - 1 / np.cosh(omega), atol=1e-9)
plain.set(xlabel=r"$\nu$", ylabel="loss, normalised inputs")
tamed.set(xlabel=r"$\omega_\nu - \omega_\nu^*$,  $\nu = \tanh\,\omega_\nu$")
tamed.legend(loc="upper center")
plt.show()


# %% [markdown]
# ## 4. The angle remains hard
#
# The best maps make the minimum round by stretching the angle. The longer the teacher's
# memory, the farther apart in $\omega_\theta$ are two angles. Half a turn is then many times
# as long as the minimum is wide, and on nearly all of this distance the loss is flat. The
# maps of the LRU make a wide minimum only at small angles, which they stretch. Here are the
# three parametrisations side by side, for $\lambda^* = 0.97\,e^{i\pi/100}$. The right end of
# each horizontal axis is the angle $\pi$ at the teacher's modulus.


# %%
def picture(axes, loss, across, up, norm):
    """A map of losses by even steps; where there is no stable student it stays empty."""
    ends = (across[0], across[-1], up[0], up[-1])
    loss = np.where(np.isfinite(loss), loss, np.nan)
    look = {"norm": norm, "cmap": "viridis_r", "origin": "lower", "aspect": "auto"}
    return axes.imshow(loss, extent=ends, **look)


MODULI = {"polar": (0.0, 0.9999), "exp": (-8.0, 1.0), "tanh": (0.0, 4.5)}


def angles(name, size):
    """The parameters of angles from just below zero, or near it, to half a turn."""
    end = float(PARAMETRISATIONS[name].coordinates(size, math.pi).angle)
    return (-6.0, end) if name == "exp" else (-end / 6, end)


figure, row = plt.subplots(1, len(PARAMETRISATIONS), figsize=(7, 2.6))
size, turn = 0.97, math.pi / 100
for axes, (name, maps) in zip(row, PARAMETRISATIONS.items(), strict=True):
    windows = MODULI[name], angles(name, size)
    up, across = (np.linspace(*window, 501) for window in windows)
    loss = surface(OneDimensional(cmath.rect(size, turn)), up, across, maps)
    shown = picture(axes, np.clip(loss, 1e-3, None), across, up, LogNorm(1e-2, 1))
    goal = maps.coordinates(size, turn)
    axes.plot(goal.angle, goal.modulus, "*", color="white", mec="black", ms=9)
    axes.set(title=name, xlabel=r"$\omega_\theta$")
row[0].set_ylabel(r"$\omega_\nu$")
figure.colorbar(shown, ax=row, label="loss", extend="both")
plt.show()

# %% [markdown]
# **No map of the angle can do better.** The width of the minimum matters relative to the
# distance that the student must travel. At the correct modulus, with normalised white inputs,
# the loss is
#
# $$L(\theta) = 1 - \mathrm{Re}\,\frac{1-\nu^2}{1-\nu^2 e^{i(\theta-\theta^*)}}.$$
#
# It reaches half of its maximum at $|\theta - \theta^*| = \pi/2 - 2\arctan\nu^2$. This half
# width is a fixed share of the circle. A parametrisation changes the student's speed along
# the circle, but not the share:

# %%
shares, rows = {}, []
for steps in STEPS:
    size = 1 - 1 / steps
    width = math.pi / 2 - 2 * math.atan(size**2)
    task, turn = OneDimensional(complex(size)), np.array([0.0, 0.3, width, math.pi])
    losses = surface(task, np.array([size]), turn, PARAMETRISATIONS["polar"])[0]
    formula = 1 - ((1 - size**2) / (1 - size**2 * np.exp(1j * turn))).real
    assert np.allclose(losses, formula, rtol=1e-9, atol=1e-12)
    assert math.isclose(losses[2], losses[3] / 2, rel_tol=1e-9)
    shares[steps] = width / math.pi
    rows.append((steps, f"{size:g}", f"{width:.4f}", f"{shares[steps]:.2%}"))
heads = ("time constant, steps", "$|\\lambda^*|$", "half width, radians", "share")
display(lessons.Table(heads, rows))
assert math.isclose(shares[100] / shares[1000], 10, rel_tol=0.02)

# %% [markdown]
# The share shrinks like $1-|\lambda^*|$. So for long time constants there are two options: a
# sharp minimum that is close, or a round minimum that is far away. Adam learns better with
# the sharp, close minimum (`sigprop figure zucchet-7`). Initialise with the angles that the
# task needs.
#
# ## 5. Slow inputs favour students without rotation
#
# Let successive inputs have the correlation $\rho$, and let there be no normalisation. Then
#
# $$E|h_t|^2 = \frac{1}{1-\nu^2}\cdot\frac{1-\rho^2\nu^2}{|1-\rho\lambda|^2}.$$
#
# The first factor is the value for white inputs. The second one exceeds one where $\lambda$
# is close to one: such a state adds up a slow input and becomes large. A state that rotates
# averages a slow input to almost zero. So a slow input hardly excites a teacher that rotates,
# and the student learns little from it. Each disc shows the loss for all stable students.
# Look at the size of the region of low loss around the star.

# %%
RHOS, TURNS = (0.0, 0.5, 0.9, 0.99), (math.pi / 4, 0.0)
side, ages = np.linspace(-1, 1, 301), np.arange(400)
figure, table = plt.subplots(2, len(RHOS), figsize=(7, 3.8))
rows = []
for row, turn in zip(table, TURNS, strict=True):
    lam = cmath.rect(0.9, turn)
    for axes, rho in zip(row, RHOS, strict=True):
        loss = surface(
            OneDimensional(lam, normalised=False, process=AR1(rho)), side, side
        )
        shown = picture(axes, loss.T, side, side, LogNorm(1e-2, 1e2))
        axes.plot(lam.real, lam.imag, "*", color="white", mec="black", ms=8)
        axes.set(aspect="equal", title=rf"$\rho = {rho}$")
        axes.set_axis_off()
        response, lags = lam**ages, np.abs(np.subtract.outer(ages, ages))
        power = (response.conj() @ rho**lags @ response).real  # E|h|^2, term by term
        formula = (1 - (0.9 * rho) ** 2) / (1 - 0.81) / abs(1 - rho * lam) ** 2
        assert math.isclose(power, formula, rel_tol=1e-6)
        sharpest = curvatures(0.9, False, turn, rho)[0]
        rows.append((f"{turn / math.pi:g} π", rho, f"{power:.3g}", f"{sharpest:.3g}"))
figure.colorbar(shown, ax=table, label="loss", extend="both")
plt.show()
heads = (
    "$\\theta^*$",
    "$\\rho$",
    "$E|h^*|^2$",
    "curvature along $\\nu$ at the teacher",
)
display(lessons.Table(heads, rows))

# %% [markdown]
# ## To take home
#
# - Without normalised inputs the curvature at the teacher grows like $(1-|\lambda^*|)^{-3}$.
#   Elsewhere the loss is flat.
# - The largest stable learning rate is two over this curvature.
# - Normalised inputs reduce the exponent by one, and a suitable parametrisation by the other
#   two. Then every modulus is equally easy to learn.
# - Along the angle a parametrisation makes the minimum round, but not closer. Its share of
#   the circle shrinks like $1-|\lambda^*|$ in every parametrisation.
# - Slow inputs make teachers without rotation sharper, and hide teachers that rotate.
#
# ## Exercises
#
# 1. With $\nu = \tanh\omega_\nu$ the loss is $1 - 1/\cosh(\omega_\nu - \omega_\nu^*)$. What
#    is the curvature of this loss along $\nu$ at the teacher? Compare it with `curvatures`.
# 2. Expand the half width for $\nu = 1 - \epsilon$ with a small $\epsilon > 0$. How wide is
#    the minimum, in radians, for a time constant of 1000 steps?
# 3. Let the teacher change from $\lambda^* = 0.9$ to $0.99$ without normalised inputs. By
#    which factor must the learning rate along $\nu$ decrease?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The curvature along omega_nu is one. The chain rule multiplies it by the square of
#    d omega_nu / d nu = 1 / (1 - nu^2).
curvature = 1 / (1 - 0.9**2) ** 2
assert math.isclose(curvatures(0.9, True)[0], curvature, rel_tol=1e-6)
print(f"curvature along nu at nu = 0.9: {curvature:.2f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. To first order nu^2 = 1 - 2 eps and arctan(1 - 2 eps) = pi/4 - eps. So the half width is
#    2 eps and the width is 4 eps, with eps = 0.001.
assert math.isclose(math.pi / 2 - 2 * math.atan(0.999**2), 2e-3, rel_tol=2e-3)
print("width of the minimum: 0.004 radians")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The largest stable learning rate decreases by the ratio of the curvatures.
ratio = curvatures(0.99, False)[0] / curvatures(0.9, False)[0]
assert math.isclose(ratio, (1.9801 / 0.0199**3) / (1.81 / 0.19**3), rel_tol=1e-5)
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
