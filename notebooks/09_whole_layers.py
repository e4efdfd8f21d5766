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
# # The curvature of whole layers
#
# Near a solution each eigenvalue of a diagonal recurrence has its own few parameters. Two
# things spoil that picture: training does not start near a solution, and eigenvalues may
# be as near to each other as to the unit circle. Here are slices through a layer, the exact
# Hessians of both troubles, and one of a network of real size.
#
# **You need** the notebooks on loss landscapes and on why diagonal recurrences train. **You
# learn** in which units to cut a slice, what the error adds to the Hessian of Gauss and
# Newton, why a complex diagonal network bends down as often as up, what crowding costs, and
# what training starts from.

# %%
# %matplotlib inline
import math
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display
from jax.flatten_util import ravel_pytree

from sigprop import double_precision, landscape
from sigprop.curvature import structure as see
from sigprop.curvature.hessian import expand
from sigprop.curvature.twins import twin
from sigprop.figures import hessians, lessons, style
from sigprop.figures.sliders import Sliders
from sigprop.layers.base import parameters, replace
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.lru import zucchet_lru
from sigprop.numerics.compilation import compile_quickly
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
N, SHOWN = 4, 2


def solutions(seed):
    """A teacher of four neurons, its task, and two students that solve it."""
    teacher = linear_teacher(jax.random.key(seed), nu0=0.99, size=N)
    students = {name: twin(teacher, name) for name in ("complex diagonal", "LRU")}
    return teacher_student(teacher, length=None), students


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
        axes.plot(steps, loss, color=lessons.NETWORK["LRU"])
        axes.plot(steps, model(steps), "--", color=style.BLACK)
        axes.set(xlabel="step", ylim=(0, 1.3 * float(loss.max())))
        axes.set_title(rf"$|\lambda| = {size}$, $v^\top H v$: {bend:.3g}")
row[0].set_ylabel("loss")
plt.show()

# %% [markdown]
# ## Away from the optimum
#
# The first part of the Hessian, of Gauss and Newton, is how strongly the output answers to
# the parameters, and never bends down. The other is the error times the curvature of the
# answer. On the line from the teacher to another one, both are one call each.

# %%
WAY = np.concatenate([np.geomspace(1e-6, 1e-1, 11), [0.2, 0.4, 0.7, 1.0]])
figure, row = plt.subplots(1, 2)
least_way = {}
with double_precision(True):
    (task, students), (_, others) = solutions(SHOWN), solutions(6)
    for axes, name in zip(row, ("complex diagonal", "LRU"), strict=True):
        ends = students[name], others[name]
        met = [jax.tree.map(lambda a, b, at=at: a + at * (b - a), *ends) for at in WAY]
        whole = [expand(task, one).hessian for one in met]
        newton = [expand(task, one, at_optimum=True).hessian for one in met]
        values = np.linalg.eigvalsh(np.stack([whole, newton]))
        (most_down, *_, most_up), (least, *_, most) = np.moveaxis(values, -1, 1)
        assert np.all(least > -1e-10 * most)
        least_way[name] = WAY[most_down < 0].min()
        axes.loglog(WAY, most, color=style.GREY, lw=3, label="Gauss-Newton")
        axes.loglog(WAY, most_up, color=lessons.UP, label="most up")
        axes.loglog(WAY, -most_down, color=lessons.DOWN, label="most down")
        axes.set(title=name, xlabel="share of the way")
        if name == "complex diagonal":
            error = np.linalg.eigvalsh(np.stack(whole) - np.stack(newton))
            assert np.allclose(error, -error[:, ::-1], rtol=0, atol=1e-8 * most.max())
            bent = values[0, np.argmin(np.abs(WAY - 1e-3))]
            down = np.sum(bent < -1e-9 * bent[-1])
        else:
            place = np.argmax(-most_down / most_up)
row[0].set_ylabel("curvature")
row[1].legend()
plt.show()

display(
    Markdown(
        f"The loss bends down somewhere from {max(least_way.values()):.0e} of the way on; a "
        f"thousandth of the way off, {down} directions of the complex diagonal network bend "
        f"down, where none did. At {WAY[place]:.1g} of the way the LRU bends down "
        f"{-most_down[place] / most_up[place]:.0e} times as much as up."
    )
)

# %% [markdown]
# A complex diagonal network's response is analytic in $\lambda$, $B$ and $C$, so that what
# the error adds is the Hessian of the real part of an analytic function: its eigenvalues
# come in pairs $\pm\mu$, asserted above. The LRU's exponential maps break the pairs, and
# Gauss-Newton knows nothing of it.
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
    size = 2.9 * len(phases), 1.9
    figure, row = plt.subplots(1, 2 * len(phases), figsize=size, squeeze=False)
    circle = np.exp(1j * np.linspace(-np.pi, np.pi, 721))
    for (disc, whole), phase in zip(row[0].reshape(-1, 2), phases, strict=True):
        lam, block = crowd(phase)
        disc.plot(circle.real, circle.imag, color=style.GREY, lw=0.7)
        disc.plot(lam.real, lam.imag, "o", color=style.GREEN, ms=3)
        disc.set(aspect="equal", title=rf"$\theta_0 = {phase:g}\,\pi$")
        disc.set_axis_off()
        hessians.matrix(whole, block, 3)
        bar = figure.colorbar(whole.images[0], ax=whole, shrink=0.9)
        most = np.abs(block).max()
        bar.set_ticks(
            [-most, 0, most], labels=[f"{-most:.0e}", "0", f"{most:.0e}"], size=6
        )
        bar.ax.minorticks_off()
        hessians.gaps(whole, [10, 20])
        whole.set_xticks((4.5, 14.5), ("Re", "Im"))
        whole.set_yticks((4.5, 14.5), ("Re", "Im"))
        left = np.linalg.cond(see.preconditioned(block))
        whole.set_title(rf"condition $10^{{{math.log10(left):.1f}}}$")
    return figure


draw_crowds(1.0, 0.1, 0.01)
plt.show()
left = [np.linalg.cond(see.preconditioned(crowd(phase)[1])) for phase in PHASES]
assert np.all(np.diff(left) > 0)
slope = np.diff(np.log10(left[-2:])) / np.diff(np.log10(PHASES[-2:]))
display(
    Markdown(
        f"From $\\theta_0 = {PHASES[-2]}\\,\\pi$ to ${PHASES[-1]}\\,\\pi$ the condition number "
        f"grows like $\\theta_0^{{{slope.item():.1f}}}$."
    )
)


# %%
def one_crowd(phase):
    figure = draw_crowds(phase)
    plt.close(figure)
    return figure


Sliders(
    one_crowd,
    {"largest phase, in π": PHASES},
    "Where the slider does not move: run this cell, or call draw_crowds with other phases.",
)

# %% [markdown]
# ## A large one
#
# All second derivatives of an LRU of 128 neurons, where its training starts. A
# Hessian-vector product by automatic differentiation checks them.

# %%
with double_precision(True):
    big = zucchet_lru(jax.random.key(0), 128, 1, 1, nu0=0.99, theta0=math.pi)
    expand(task, big)
    began = time.perf_counter()
    start = expand(task, big)
    seconds = time.perf_counter() - began
    x, split = ravel_pytree(parameters(big))
    v = jax.random.normal(jax.random.key(1), x.shape)
    gradient = jax.grad(lambda x: task.loss(replace(big, split(x))))
    found = np.asarray(jax.jit(jax.grad(lambda x: gradient(x) @ v))(x))
direct = start.hessian @ np.asarray(v)
assert np.allclose(direct, found, atol=1e-9 * np.abs(found).max())
display(Markdown(f"{x.size} by {x.size} second derivatives: {seconds:.2f} s."))
values = np.linalg.eigvalsh(start.hessian)
rank = 1 + np.arange(x.size)
plt.loglog(rank, values[::-1], color=lessons.UP, label="up")
plt.loglog(rank, -values, color=lessons.DOWN, label="down")
plt.gca().set(xlabel="rank of the eigenvalue", ylabel="curvature", ylim=(1e-8, None))
plt.legend()
plt.show()
up, sharper = np.mean(values > 0), "down" if -values[0] > values[-1] else "up"
times = max(-values[0] / values[-1], -values[-1] / values[0])
display(
    Markdown(
        f"{up:.0%} of the directions bend up, the others down or not at all, and the "
        f"sharpest bends {sharper}: {times:.0f} times as much as any the other way."
    )
)

# %% [markdown]
# ## To take home
#
# - Off the optimum the loss bends down at once: Gauss-Newton is not the Hessian.
# - What the error adds to it comes in pairs, unless a parametrisation breaks them.
# - Diagonal is no cure for crowds: where eigenvalues are near each other, rates of their
#   own leave a condition number that grows with a high power of their distance.
#
# ## Exercises
#
# 1. Why pairs? Take an analytic function, $f(z) = z^3$, and compute the Hessian of its real
#    part by $x$ and $y$ at any $z = x + iy$. What do its two eigenvalues add up to?
# 2. Two of the ten eigenvalues are twice as near as before. How much larger is the
#    condition number, by the sixth power that few eigenvalues show?
# 3. Start from `one_crowd`: is the condition number *before* rates of their own larger than
#    after, at every phase?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. Nothing: by Cauchy and Riemann the trace, the Laplacian, is zero.
turned = jax.hessian(lambda xy: jnp.real((xy[0] + 1j * xy[1]) ** 3))
with double_precision(True):
    pair = np.linalg.eigvalsh(turned(jnp.array([0.3, -1.2])))
np.testing.assert_allclose(pair.sum(), 0, atol=1e-12)
print(pair)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2.
print(f"{2**6} times")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3.
for phase in PHASES:
    block = crowd(phase)[1]
    bare, after = np.linalg.cond(block), np.linalg.cond(see.preconditioned(block))
    print(f"{phase:g} pi: {bare:.1e} before, {after:.1e} after")

# %% [markdown]
# The figures about this: `sigprop figure zucchet-10`,
# `sigprop figure sigprop-networks`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
