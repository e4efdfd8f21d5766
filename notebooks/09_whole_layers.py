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
# In a diagonal recurrence each eigenvalue $\lambda$ depends on its own few parameters. So
# near a solution the Hessian hardly couples parameters of different eigenvalues. Two effects
# change this picture. Training does not start near a solution, and eigenvalues can be as near
# to each other as to the unit circle. This notebook shows slices through a layer and exact
# Hessians for both effects. It ends with the Hessian of a network of realistic size.
#
# **You need** the notebooks on loss landscapes and on why diagonal recurrences train. **You
# learn** how to scale a slice through the loss, and how the Hessian differs from its
# Gauss-Newton part. You also learn the effects of close eigenvalues, and the curvatures at
# initialisation.

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
from matfree import decomp, eig

from sigprop import compile_quickly, double_precision, landscape
from sigprop.curvature import expand, preconditioned, twin
from sigprop.figures import hessians, lessons, style
from sigprop.figures.sliders import Sliders
from sigprop.layers import ComplexDiagonal, parameters, replace, zucchet_lru
from sigprop.tasks import linear_teacher, teacher_student

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
# A layer has too many parameters to plot the whole loss, so we plot the loss along random
# directions. How should such a direction be scaled? The usual method scales a direction
# tensor by tensor, or filter by filter, and omits vectors. In a diagonal recurrence only the
# input weights $B$ and the output weights $C$ remain. Here the natural unit is a *mode*: its
# eigenvalue, its row of $B$ and its column of $C$. `sigprop.landscape.slices` scales a
# direction so that in every mode it has the norm of the mode's own parameters. Norms are
# measured where $B$ and $C$ have equal norms. So the slice is the same for $aB$ and $C/a$
# with any factor $a$.
#
# In the figure, solid lines are the loss of an LRU (linear recurrent unit) of eight neurons
# near its minimum. All its eigenvalues have the same modulus $|\lambda|$. The dashed parabola
# is not fitted: its derivatives come from the gradient and a Hessian-vector product at step
# 0. Each title states the curvature $v^\top H v$ along the direction $v$, where $H$ is the
# Hessian. Look at its growth with $|\lambda|$.

# %%
_, row = plt.subplots(1, 3)
with double_precision(True):
    key, way = jax.random.split(jax.random.key(1))
    initial = zucchet_lru(8, 1, key=key, nu0=0.5, theta0=math.pi)
    ones = jnp.ones(8)
    for axes, size in zip(row, (0.5, 0.9, 0.99), strict=True):
        recurrence = {
            "nu_log": math.log(-math.log(size)) * ones,
            "gamma_log": math.log(1 - size**2) / 2 * ones,
        }
        layer = replace(initial, recurrence)
        task = teacher_student(layer, length=None)  # it is its own teacher
        along = landscape.direction(way, layer)
        steps = np.linspace(-0.2, 0.2, 81)
        loss = landscape.slices(task.loss, layer, [along], [steps])
        model = landscape.quadratic(task.loss, layer, [along])
        curvature = float(model.hessian[0, 0])
        again = landscape.second_difference(
            task.loss, layer, along, step=0.01 * (1 - size)
        )
        assert math.isclose(again, curvature, rel_tol=1e-6)
        axes.plot(steps, loss, color=lessons.NETWORK["LRU"])
        axes.plot(steps, model(steps), "--", color=style.BLACK)
        axes.set(xlabel="step along $v$", ylim=(0, 1.3 * float(loss.max())))
        axes.set_title(rf"$|\lambda| = {size}$, $v^\top H v$: {curvature:.3g}")
row[0].set_ylabel("loss")
plt.show()

# %% [markdown]
# ## Away from the optimum
#
# The Hessian is a sum of two parts. The first part is the Gauss-Newton matrix, which contains
# only first derivatives of the output. Its eigenvalues are never negative. The second part is
# the output error times the second derivatives of the output. We compute both parts on the
# straight line from the teacher to another teacher. The horizontal axis gives the distance
# from the first teacher as a share of this line. Curves show the largest eigenvalue of the
# Gauss-Newton matrix (grey), and the largest and the most negative eigenvalue of the Hessian
# (orange, blue). Look at the distance at which the blue curve comes near the orange curve.

# %%
WAY = np.concatenate([np.geomspace(1e-6, 1e-1, 11), [0.2, 0.4, 0.7, 1.0]])
figure, row = plt.subplots(1, 2)
least_way = {}
with double_precision(True):
    (task, students), (_, others) = solutions(SHOWN), solutions(6)
    for axes, name in zip(row, ("complex diagonal", "LRU"), strict=True):
        ends = students[name], others[name]
        met = [jax.tree.map(lambda a, b, at=at: a + at * (b - a), *ends) for at in WAY]
        whole = [expand(task, student).hessian for student in met]
        newton = [expand(task, student, at_optimum=True).hessian for student in met]
        values = np.linalg.eigvalsh(np.stack([whole, newton]))
        (most_down, *_, most_up), (least, *_, most) = np.moveaxis(values, -1, 1)
        assert np.all(least > -1e-10 * most)
        least_way[name] = WAY[most_down < 0].min()
        axes.loglog(WAY, most, color=style.GREY, lw=3, label="Gauss-Newton")
        axes.loglog(WAY, most_up, color=lessons.UP, label="largest positive")
        axes.loglog(WAY, -most_down, color=lessons.DOWN, label="most negative")
        axes.set(title=name, xlabel="share of the line")
        if name == "complex diagonal":
            error = np.linalg.eigvalsh(np.stack(whole) - np.stack(newton))
            assert np.allclose(error, -error[:, ::-1], rtol=0, atol=1e-8 * most.max())
            bent = values[0, np.argmin(np.abs(WAY - 1e-3))]
            down = np.sum(bent < -1e-9 * bent[-1])
        else:
            index = np.argmax(-most_down / most_up)
row[0].set_ylabel("absolute curvature")
row[1].legend()
plt.show()

display(
    Markdown(
        f"From {max(least_way.values()):.0e} of the line on, both networks have negative "
        f"curvatures. At a thousandth of the line the complex diagonal network has {down} "
        f"directions of negative curvature; at the minimum it has none. At "
        f"{WAY[index]:.1g} of the line the most negative curvature of the LRU is "
        f"{float(f'{-most_down[index] / most_up[index]:.1g}'):,.0f} times as large "
        "as the most positive."
    )
)

# %% [markdown]
# In a complex diagonal network the impulse response is analytic in $\lambda$, $B$ and $C$. So
# the second part of the Hessian is the Hessian of the real part of an analytic function. The
# eigenvalues of such a matrix come in pairs $\pm\mu$; the code above checks these pairs. The
# exponential maps of the LRU break the pairs. The Gauss-Newton matrix does not contain this
# second part.
#
# ## Close eigenvalues
#
# Eigenvalues that are nearer to each other than to the unit circle have nearly the same
# impulse response. So their parameters are coupled (Figure 10 of Zucchet and Orvieto, 2024).
# The figure shows ten eigenvalues with phases between $-\theta_0$ and $\theta_0$, for three
# values of $\theta_0$. Beside each disc is the Hessian by the real (Re) and imaginary (Im)
# parts of the eigenvalues. Red entries are positive and blue entries are negative. The title
# gives the condition number that remains with a separate learning rate for each parameter.
# Look at its growth as $\theta_0$ decreases.

# %%
PHASES = (1.0, 0.3, 0.1, 0.03, 0.01)


def crowd(phase):
    """Sample ten eigenvalues and compute the Hessian by their real and imaginary parts."""
    draw = np.random.default_rng(0)
    radius, turn = draw.uniform(0.99, 0.995, 10), draw.uniform(-1, 1, 10)
    with double_precision(True):
        lam = np.sort_complex(radius * np.exp(1j * math.pi * phase * turn))
        ones, none = np.ones((10, 1)), np.zeros((10, 1))
        layer = ComplexDiagonal(
            *(ones, none, ones.T, none.T, jnp.zeros((1, 1))),
            *(jnp.asarray(lam.real), jnp.asarray(lam.imag), "cartesian"),
        )
        expansion = expand(teacher_student(layer, length=None), layer, at_optimum=True)
    kinds = "first", "second"
    return lam, np.block([[expansion.block(a, b) for b in kinds] for a in kinds])


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
        left = np.linalg.cond(preconditioned(block))
        whole.set_title(rf"condition $10^{{{math.log10(left):.1f}}}$")
    return figure


draw_crowds(1.0, 0.1, 0.01)
plt.show()
left = [np.linalg.cond(preconditioned(crowd(phase)[1])) for phase in PHASES]
assert np.all(np.diff(left) > 0)
exponent = np.diff(np.log10(left[-2:])) / np.diff(np.log10(PHASES[-2:]))
display(
    Markdown(
        f"Between $\\theta_0 = {PHASES[-2]}\\,\\pi$ and $\\theta_0 = {PHASES[-1]}\\,\\pi$ the "
        f"condition number grows like $\\theta_0^{{{exponent.item():.1f}}}$."
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
    (0.03,),
    "If the slider does not work on this page, run this cell in Jupyter or call draw_crowds "
    "with other phases.",
)

# %% [markdown]
# ## A network of realistic size
#
# We compute all second derivatives of an LRU of 128 neurons at initialisation. A
# Hessian-vector product by automatic differentiation checks the result. The figure shows the
# eigenvalues of this Hessian, sorted by size: positive eigenvalues in orange, negative
# eigenvalues in blue. Compare the left ends of the two curves, which are the largest
# curvatures of each sign.

# %%
with double_precision(True):
    big = zucchet_lru(128, 1, key=jax.random.key(0), nu0=0.99, theta0=math.pi)
    expand(task, big)
    began = time.perf_counter()
    start = expand(task, big)
    seconds = time.perf_counter() - began
    x, split = ravel_pytree(parameters(big))
    v = jax.random.normal(jax.random.key(1), x.shape)
    gradient = jax.grad(lambda x: task.loss(replace(big, split(x))))
    product = np.asarray(jax.jit(lambda x: jax.jvp(gradient, (x,), (v,))[1])(x))
direct = start.hessian @ np.asarray(v)
assert np.allclose(direct, product, atol=1e-9 * np.abs(product).max())
display(
    Markdown(f"The {x.size} by {x.size} second derivatives take {seconds:.2f} seconds.")
)
values = np.linalg.eigvalsh(start.hessian)
rank = 1 + np.arange(x.size)
plt.loglog(rank, values[::-1], color=lessons.UP, label="positive")
plt.loglog(rank, -values, color=lessons.DOWN, label="negative")
plt.gca().set(
    xlabel="rank of the eigenvalue", ylabel="absolute curvature", ylim=(1e-8, None)
)
plt.legend()
plt.show()
up = np.mean(values > 0)
sharper = (
    ("negative", "positive") if -values[0] > values[-1] else ("positive", "negative")
)
times = max(-values[0] / values[-1], -values[-1] / values[0])
display(
    Markdown(
        f"{up:.0%} of the directions have a positive curvature, the others a negative "
        f"curvature or none. The most {sharper[0]} curvature is {times:.0f} times as large "
        f"as the most {sharper[1]}."
    )
)

# %% [markdown]
# Layers differentiate in forward and reverse mode, so other libraries for JAX work on them.
# `matfree` finds the ends of this spectrum from 60 Hessian-vector products, without the
# matrix.

# %%
with double_precision(True):
    lanczos = eig.eigh_partial(decomp.tridiag_sym(60))
    ends, _ = jax.jit(lambda v: lanczos(lambda v: jax.jvp(gradient, (x,), (v,))[1], v))(
        v
    )
extremes = np.sort(np.asarray(ends))[[0, -1]]
assert np.allclose(extremes, values[[0, -1]], rtol=1e-6)
display(
    Markdown(
        f"The largest curvature is {extremes[1]:.4g}, the most negative {extremes[0]:.4g}, "
        "as in the figure."
    )
)

# %% [markdown]
# ## To take home
#
# - Close to the minimum the Hessian already has negative eigenvalues. The Gauss-Newton matrix
#   has none.
# - The second part of the Hessian has pairs of eigenvalues $\pm\mu$, unless a parametrisation
#   breaks the pairs.
# - A diagonal recurrence does not solve the problem of close eigenvalues. Even with separate
#   learning rates, the condition number grows with a high power of the inverse distance.
#
# ## Exercises
#
# 1. Why do the eigenvalues come in pairs? Take the analytic function $f(z) = z^3$ with $z = x
#    + iy$. Compute the Hessian of its real part by $x$ and $y$ at any $z$. What is the sum of
#    its two eigenvalues?
# 2. In the notebook on diagonal recurrences the condition number of few eigenvalues grows like
#    $d^{-6}$ with their distance $d$. By which factor does it grow if $d$ is halved?
# 3. Start from `crowd`. Is the condition number with one common learning rate larger than with
#    separate learning rates, for every largest phase?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The sum is the trace, which is the Laplacian of the real part. By the Cauchy-Riemann
#    equations it is zero.
turned = jax.hessian(lambda xy: jnp.real((xy[0] + 1j * xy[1]) ** 3))
with double_precision(True):
    pair = np.linalg.eigvalsh(turned(jnp.array([0.3, -1.2])))
np.testing.assert_allclose(pair.sum(), 0, atol=1e-12)
print("eigenvalues:", pair)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The factor is two to the sixth power.
print(f"The condition number is {2**6} times as large.")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. Compare both condition numbers for each largest phase.
for phase in PHASES:
    block = crowd(phase)[1]
    bare, after = np.linalg.cond(block), np.linalg.cond(preconditioned(block))
    print(
        f"theta_0 = {phase:g} pi: {bare:.1e} with one rate, {after:.1e} with separate rates"
    )

# %% [markdown]
# These commands draw the related figures: `sigprop figure zucchet-10`,
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
