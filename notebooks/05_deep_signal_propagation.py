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
# # Signals in deep and gated networks
#
# One linear neuron has a closed form. A network stacks layers of them, with maps and
# gates between that are not linear; and the recurrences that win today, those of Hawk,
# Mamba or DeltaNet, have gates within. How large are their states and gradients at
# initialisation?
#
# **You need** the notebook on the curse of memory. **You learn** what a layer does to the
# autocovariance of its input, how second moments go through whole blocks and back, where
# that approximation fails, that gates which see the input alone have *exact* moments,
# when these are infinite, and what is left for gates that see the state.

# %%
# %matplotlib inline
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop import AR1, White, double_precision
from sigprop.figures import lessons, style
from sigprop.layers.gated import gated_unit
from sigprop.layers.lru import lru
from sigprop.layers.mingru import mingru
from sigprop.layers.rglru import rglru
from sigprop.linear.gated_moments import predict_gated, squares
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import channels
from sigprop.linear.predicted_moments import predict as predict_linear
from sigprop.networks import build, gaussian, zucchet_paper
from sigprop.networks.backpropagation import predict_errors
from sigprop.networks.filters import filter_of, filtered
from sigprop.networks.propagation import predict
from sigprop.neuron.random_coefficients import second_moment, tail_index
from sigprop.numerics.compilation import compile_quickly

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
STEPS, WIDTH, NUM = 64, 12, 512

# %% [markdown]
# ## A layer is a filter
#
# The curse of memory asks for the autocovariance $R_x$ of a neuron's input. Of the first
# layer that is a property of the data. Of the second it is what the first one made of it:
# a linear layer with responses $K(n)$ gives $R_y(\Delta) = \sum_{n,m} K(n)\,
# R_x(\Delta + m - n)\, K(m)^\top$. White noise does not stay white for long.

# %%
with double_precision(True):
    signal = gaussian.independent(White().autocovariance(np.arange(STEPS)), WIDTH)
    ages = np.arange(24)
    for depth in range(4):
        own = np.trace(np.asarray(signal.covariance), axis1=1, axis2=2)
        plt.plot(ages, own[ages] / own[0], label=f"after {depth} layers")
        layer = lru(
            jax.random.key(depth), WIDTH, WIDTH, r_min=0.6, r_max=0.9, max_phase=0.6
        )
        signal = filtered(signal, filter_of(layer, STEPS)).signal
plt.gca().set(xlabel=r"lag $\Delta$", ylabel="autocorrelation")
plt.legend()
plt.show()
said = f"After three layers neighbours are correlated by {own[1] / own[0]:.2f}."
display(Markdown(said))

# %% [markdown]
# ## Through whole blocks
#
# A block normalises, runs its recurrence, mixes features in a gated linear unit, and adds
# what it was given. `predict` follows all pairs of channels and all lags through that:
#
# 1. filters and affine maps transform covariances exactly;
# 2. a nonlinearity of a Gaussian channel has the covariance that Mehler's series gives,
#    $\mathbb{E} f(x) f(y) = \sum_k f_k^2 \rho^k$ with $f_k$ the Hermite coefficients;
# 3. a gated unit is integrated by parts against its gate (Stein).
#
# What is *not* exact is that every stream is taken for Gaussian, and for stationary. How
# much that costs is measured block by block. The network is Zucchet and Orvieto's, but
# narrow, with the gates' weights doubled so that they bend more.

# %%
preset = replace(
    zucchet_paper(nu0=0.6, features=4), width=WIDTH, state_size=WIDTH, dropout=0.0
)
network, empty = build(jax.random.key(1), preset)


def gates_times(network, factor):
    return eqx.tree_at(
        lambda one: [block.mixing for block in one.blocks],
        network,
        replace_fn=lambda mixing: jax.tree.map(lambda x: factor * x, mixing),
    )


network = gates_times(network, 2.0)


@jax.jit
def look(u, v):
    """Squares of streams and states at the last step, and of errors at the middle one."""

    def run(pushes):
        x, seen, square = network.encode(u, None) + pushes[0], [], []
        for block, push in zip(network.blocks, pushes[1:], strict=True):
            square.append(jnp.sum(jnp.abs(block.layer.states(x)[STEPS - 1]) ** 2))
            x = block(x, empty)[0] + push
            seen.append(jnp.mean(x[STEPS - 1] ** 2))
        return jnp.sum(v * x), (jnp.stack(seen), jnp.stack(square))

    pushes = jnp.zeros((len(network.blocks) + 1, len(u), WIDTH))
    errors, (stream, state) = jax.grad(run, has_aux=True)(pushes)
    return stream, state, jnp.mean(errors[:, STEPS] ** 2, -1)


def measure(process, seed):
    """Mean and standard error of each, an entry a block."""
    keys = jax.random.split(jax.random.key(seed))
    u = channels(keys[0], process, NUM, 2 * STEPS, 4, jnp.float32)
    v = jax.random.normal(keys[1], (NUM, 2 * STEPS, WIDTH))
    drawn = [np.asarray(one, float) for one in jax.lax.map(lambda p: look(*p), (u, v))]
    return [(x.mean(0), x.std(0, ddof=1) / NUM**0.5) for x in drawn]


_, row = plt.subplots(1, 2, sharey=True)
worst, off = {}, {}
blocks = 1 + np.arange(len(network.blocks))
for shift, rho in enumerate((0.0, 0.9)):
    process = AR1(rho)
    R = process.autocovariance(np.arange(STEPS))
    measured = measure(process, shift)
    expected = predict(network, R, samples=0)
    off[rho] = measured[2], predict_errors(network, R).error
    for axes, name, (mean, sem) in zip(row, expected._fields, measured, strict=False):
        ratio = mean / getattr(expected, name)
        look_of = {"color": lessons.CORRELATION[rho], "label": rf"$\rho = {rho:g}$"}
        bars = 2 * sem / getattr(expected, name)
        axes.errorbar(blocks + 0.08 * shift, ratio, yerr=bars, fmt="o-", **look_of)
        worst[name, rho] = ratio
        axes.axhline(1, color=style.GREY, zorder=0)
        axes.set(title=name, xlabel="block", xticks=blocks)
row[0].set_ylabel("measured / predicted")
row[0].legend()
plt.show()
ratios = np.concatenate(list(worst.values()))
lines = ["| | " + " | ".join(f"block {one}" for one in blocks)]
lines.append("|---" * (1 + len(blocks)))
for (name, rho), values in worst.items():
    cells = " | ".join(f"{one:.3f}" for one in values)
    lines.append(f"| {name}, $\\rho = {rho:g}$ | {cells}")
display(Markdown("\n".join(f"{line} |" for line in lines)))
said = f"Measured over predicted: {ratios.min():.2f} to {ratios.max():.2f}"
display(Markdown(f"{said}, of which nothing was measured inside the network."))
assert np.all(np.abs(ratios - 1) < 0.25)

# %% [markdown]
# Wide streams add up many weakly dependent channels, so that they are nearly Gaussian;
# here are only a dozen. Bars are two standard errors: draw more sequences to see a bias.
#
# ## And back
#
# An error $v$ at every number of the last stream comes back by the transposed filters, and
# each nonlinearity multiplies it by its derivative. If derivatives and errors are independent,
# the same Gaussian expectations predict how large $\partial L/\partial x$ is before each block
# (`predict_errors`).

# %%
for rho, ((mean, sem), error) in off.items():
    places = np.arange(len(mean))
    colour = lessons.CORRELATION[rho]
    plt.plot(places, error, color=colour, label=rf"theory, $\rho = {rho:g}$")
    plt.errorbar(places, mean, yerr=2 * sem, fmt="o", color=colour)
plt.gca().set(xlabel="blocks before", ylabel=r"E$(\partial L/\partial x)^2$")
plt.legend()
plt.show()
display(
    Markdown(
        "\n".join(
            f"- $\\rho = {rho:g}$: {len(blocks)} blocks make the square of an error "
            f"{error[0]:.1f} times as large, measured {mean[0]:.1f}."
            for rho, ((mean, _), error) in off.items()
        )
    )
)

# %% [markdown]
# Vary radius and gain, and there is a line on which streams keep their size and another for
# gradients: `sigprop figure sigprop-depth`.
#
# ## Gates that see the input alone
#
# RG-LRU, minGRU, Mamba's core, gated linear attention and DeltaNet compute
# $h' = a(x)\,h + b(x)$. Nonlinear, and yet their moments are *exact*, for inputs that are
# independent in time: $a$ and $b$ know nothing of $h$, so
#
# $$\mathbb{E} h'^2 = \mathbb{E}[a^2]\,\mathbb{E} h^2 + 2\,\mathbb{E}[ab]\,\mathbb{E} h +
# \mathbb{E}[b^2], \qquad \mathbb{E} h' = \mathbb{E}[a]\,\mathbb{E} h + \mathbb{E}[b],$$
#
# and $s = \partial h/\partial\theta$ of any parameter of the gates obeys $s' = a s +
# \partial_\theta a\, h + \partial_\theta b$: one more linear recursion. What remains are
# Gaussian integrals over the few projections that a gate sees.

# %%
MEMORIES = (4, 16, 64)
MAKE = {
    "RG-LRU": (
        "W_a",
        lambda memory: rglru(
            jax.random.key(2), 4, radii=((1 - 1 / memory) ** 0.25,) * 2
        ),
    ),
    "minGRU": ("W_z", lambda memory: mingru(jax.random.key(3), 4, 4, memory=memory)),
}
_, row = plt.subplots(1, 2)
inside = []
with double_precision(True):
    for (name, (gate, make)), colour in zip(
        MAKE.items(), (style.BLUE, style.ORANGE), strict=True
    ):
        exact, mean, sem = np.empty((3, len(MEMORIES), 2))
        for place, memory in enumerate(MEMORIES):
            layer, length = make(memory), 2 * memory
            closed = predict_gated(layer, steps=length)
            u = jax.random.normal(jax.random.key(memory), (NUM, length, 4), jnp.float64)
            found = squares(layer)(u)
            for k, what in enumerate(("state", gate)):
                x = np.asarray(found[what])
                exact[place, k] = closed[what].value
                mean[place, k], sem[place, k] = x.mean(), x.std() / NUM**0.5
        for k, axes in enumerate(row):
            axes.loglog(MEMORIES, exact[:, k], color=colour, label=name)
            axes.errorbar(
                MEMORIES, mean[:, k], yerr=2 * sem[:, k], fmt="o", color=colour
            )
        inside.extend(np.abs(mean / exact - 1).ravel() / (sem / exact).ravel())
for axes, title in zip(row, ("states", "gradients of the gate's weights"), strict=True):
    axes.set(title=title, xlabel="memory without input")
    axes.set_xticks(MEMORIES, [str(one) for one in MEMORIES], minor=False)
    axes.minorticks_off()
row[0].legend()
plt.show()
said = (
    f"The farthest of {len(inside)} moments is {max(inside):.1f} standard errors off."
)
display(Markdown(said))

# %% [markdown]
# ## When a moment is infinite
#
# All of those gates keep $a \le 1$. One that may exceed it, say $a = e^{g}$ with $g$
# Gaussian, shows what is at stake. The second moment is finite iff $\mathbb{E} a^2 < 1$;
# a stationary state asks for $\mathbb{E}\log a < 0$ alone. Between the two the state settles,
# and its second moment is infinite: it has tails $P(|h| > x) \sim x^{-\kappa}$ with
# $\mathbb{E} a^\kappa = 1$, and the moments below $\kappa$ (Kesten 1973).

# %%
DRIFT = -0.25
nodes, weights = np.polynomial.hermite_e.hermegauss(61)
weights = weights / weights.sum()
spreads = np.linspace(0.1, 0.7, 13)
a = np.exp(DRIFT + spreads[:, None] * nodes)
square = (weights * a**2).sum(1)
index = np.array([tail_index(one, weights) for one in a])
np.testing.assert_allclose(index, -2 * DRIFT / spreads**2, rtol=1e-6)
_, (left, right) = plt.subplots(1, 2)
left.plot(spreads, square, color=style.BLUE, label=r"E$\,a^2$")
left.plot(spreads, index, color=style.VERMILION, label=r"tail index $\kappa$")
left.axhline(1, color=style.GREY, zorder=0)
left.set(xlabel="spread of log a", ylim=(0, 6))
left.legend()
draws = np.random.default_rng(0)
met = {}
for spread, colour in ((0.4, style.BLUE), (0.6, style.VERMILION)):
    h = np.zeros(20_000)
    for _ in range(200):
        kept = np.exp(DRIFT + spread * draws.standard_normal(h.size))
        h = kept * h + draws.standard_normal(h.size)
    size = np.sort(np.abs(h))[::-1]
    chance = (1 + np.arange(h.size)) / h.size
    right.loglog(size, chance, color=colour, label=f"spread {spread}")
    kappa, tail = -2 * DRIFT / spread**2, size[:200]
    right.loglog(tail, 0.01 * (tail / size[200]) ** -kappa, "--", color=style.BLACK)
    halves = [float(np.mean(part**2)) for part in np.split(h, 2)]
    met[spread] = kappa, halves
right.set(xlabel="x", ylabel="P(|h| > x)", xlim=(0.1, None), ylim=(3e-5, 1))
right.legend()
plt.show()
for spread, (kappa, halves) in met.items():
    first, second = halves
    E_a, E_aa = (np.exp(k * DRIFT + (k * spread) ** 2 / 2) for k in (1, 2))
    if E_aa < 1:
        names = ("a", "b", "aa", "ab", "bb")
        values = dict(zip(names, (E_a, 0.0, E_aa, 0.0, 1.0), strict=True))
        said = f"is {float(second_moment(values, 'state', None)):.2f}"
    else:
        said = "is infinite"
    display(
        Markdown(
            f"Spread {spread}: $\\kappa = {kappa:.2f}$, the second moment {said}; two "
            f"halves of the sample say {first:.2f} and {second:.2f}."
        )
    )

# %% [markdown]
# Dashed lines have the slope $-\kappa$. With such heavy tails a sample mean of squares does
# not converge. `predict_gated` refuses such a moment and says which moments are finite.
#
# ## Gates that see the state
#
# In a GRU or an LSTM the gate depends on $h$, and the recursion is linear no more. The
# usual theory linearises it at rest: an *effective eigenvalue* $\lambda = \sigma(b_f)$. It
# is right for small inputs. How small? Here is the simplified gated unit of Zucchet and
# Orvieto, $h' = f h + (1 - f) x$ with $f = \sigma(W_x x + W_h h + b_f)$.

# %%
SIZES = (0.1, 0.3, 1.0, 3.0)
with double_precision(True):
    unit = gated_unit(jax.random.key(4), 4, 4, times=(8.0, 8.0))
    R = White().autocovariance(np.arange(STEPS))
    at_rest = predict_linear(perturb(unit), R, steps=STEPS, at=STEPS - 1)["state"]
    run = jax.jit(jax.vmap(lambda u: jnp.sum(unit.states(u)[-1] ** 2)))
    ratio, bars = np.empty((2, len(SIZES)))
    for place, size in enumerate(SIZES):
        u = jax.random.normal(jax.random.key(5), (4 * NUM, STEPS, 4), jnp.float64)
        x = np.asarray(run(size * u)) / size**2 / at_rest
        ratio[place], bars[place] = x.mean(), 2 * x.std() / len(x) ** 0.5
plt.errorbar(SIZES, ratio, yerr=bars, fmt="o-", color=style.PURPLE)
plt.axhline(1, color=style.GREY, zorder=0)
plt.gca().set(
    xscale="log", yscale="log", xlabel="size of the inputs", ylabel="measured / at rest"
)
plt.show()
said = f"At inputs of size {SIZES[0]} the moment is {ratio[0]:.2f} times that at rest"
display(
    Markdown(f"{said}, at one {ratio[2]:.1f} and at {SIZES[-1]:g} {ratio[-1]:.1f}.")
)

# %% [markdown]
# ## To take home
#
# - What a layer hands on is correlated, whatever it was given.
# - Second moments go through blocks and back by Gaussian expectations, whose error is
#   measured, not hoped.
# - Gates that see the input alone leave everything exact; gates that see the state do not.
# - Whether a moment is finite is a question of $\mathbb{E} a^2$, not of stability.
#
# ## Exercises
#
# 1. A gate is open ($a = 1$) with probability $p$ and shut ($a = 0$) otherwise, and $b = x$
#    is white. What is $\mathbb{E} h^2$? At which $p$ is it ten?
# 2. With $a = e^g$ and $g$ of mean $-\mu$ and variance $s^2$: from which $s$ on is the second
#    moment infinite, and from which the mean?
# 3. Do skips keep an error from vanishing? Shrink all gates and values to a tenth of their
#    weights, and predict the error before the first block.

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. E h^2 = p E h^2 + 1, so 1 / (1 - p): ten at p = 0.9.
known = {"a": 0.9, "b": 0.0, "aa": 0.9, "ab": 0.0, "bb": 1.0}
print(float(second_moment(known, "state", None)))

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. E a^k = exp(-k mu + k^2 s^2 / 2): s^2 = mu for k = 2, and s^2 = 2 mu for k = 1.
for k, s in ((2, 0.5), (1, np.sqrt(0.5))):
    print(k, float((weights * np.exp(k * (DRIFT + s * nodes))).sum()))

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. What is left is the skip: the error comes back as it started.
small = predict_errors(gates_times(network, 0.1), R).error
print(small)

# %% [markdown]
# The figures about this: `sigprop figure sigprop-depth`, `sigprop figure sigprop-gates`.
#
# ## The other notebooks
#
# - [The curse of memory](01_curse_of_memory.py)
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
