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
# The moments of one linear neuron have a closed form. A network stacks layers of such
# neurons, with nonlinear maps and gates in between. Modern recurrences, such as Hawk, Mamba
# and DeltaNet, also have gates inside the recurrence. How large are the states and gradients
# of such networks at initialisation?
#
# **You need** the notebook on the curse of memory. **You learn** how a layer changes the
# autocovariance of its input. You also learn how to predict second moments forwards and
# backwards through whole blocks, and where this approximation fails. Gates that depend on the
# input only have *exact* moments, and you learn when these are infinite. The last part shows an
# approximation for gates that depend on the state.

# %%
# %matplotlib inline
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop import AR1, White, compile_quickly, double_precision
from sigprop.figures import lessons, style
from sigprop.layers import gated_unit, lru, mingru, rglru
from sigprop.linear import channels, perturb, predict_gated, squares
from sigprop.linear import predict as predict_linear
from sigprop.networks import (
    build,
    filter_of,
    filtered,
    independent,
    predict_errors,
    predict_signals,
    zucchet_paper,
)
from sigprop.neuron import second_moment, tail_index

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
STEPS, WIDTH, NUM = 64, 12, 512

# %% [markdown]
# ## A layer is a filter
#
# The moments of a neuron depend on the autocovariance $R_x(\Delta)$ of its input $x$ at the lag
# $\Delta$. For the first layer this autocovariance is a property of the data. For the second
# layer it is the autocovariance $R_y$ of the first layer's output $y$. A linear layer with the
# impulse response $K(n)$ gives $R_y(\Delta) = \sum_{n,m} K(n)\, R_x(\Delta + m - n)\,
# K(m)^\top$. The next figure starts with white noise. Look at the correlation at small lags,
# which grows with each layer.

# %%
with double_precision(True):
    signal = independent(White().autocovariance(np.arange(STEPS)), WIDTH)
    ages = np.arange(24)
    for depth in range(4):
        own = np.trace(np.asarray(signal.covariance), axis1=1, axis2=2)
        plt.plot(ages, own[ages] / own[0], label=f"after {depth} layers")
        layer = lru(
            WIDTH, WIDTH, key=jax.random.key(depth), r_min=0.6, r_max=0.9, max_phase=0.6
        )
        signal = filtered(signal, filter_of(layer, STEPS)).signal
plt.gca().set(xlabel=r"lag $\Delta$, steps", ylabel="autocorrelation")
plt.legend()
plt.show()
sentence = (
    "After three layers the correlation of successive outputs is "
    f"{own[1] / own[0]:.2f}. In the white input it is 0."
)
display(Markdown(sentence))

# %% [markdown]
# ## Through whole blocks
#
# A block normalises its input, runs a recurrence, mixes features in a gated linear unit, and
# adds its own input (the skip connection). The sum is called the stream. `predict` computes the
# covariances of all pairs of channels at all lags:
#
# 1. Filters and affine maps transform covariances exactly.
# 2. For a nonlinearity $f$ and two Gaussian variables of correlation $\rho$, Mehler's series
#    gives the covariance: $\mathbb{E} f(x) f(y) = \sum_k f_k^2 \rho^k$. Here $f_k$ are the
#    Hermite coefficients of $f$.
# 3. For a gated unit, integration by parts against the gate (Stein's lemma) gives the moments.
#
# The prediction assumes that every stream is Gaussian and stationary. This assumption is
# *not* exact, so we measure its error in each block. The network is that of Zucchet and
# Orvieto with only 12 channels. We double the weights of the gates, so that the gates are
# more nonlinear. In the figure, $\rho$ is the correlation of successive inputs. The left
# panel shows the mean square of the stream after each block, the right panel that of the
# state. Bars are two standard errors. Look at the distance from the grey line, which marks a
# perfect prediction.

# %%
preset = replace(
    zucchet_paper(nu0=0.6, features=4), width=WIDTH, state_size=WIDTH, dropout=0.0
)
network, empty = build(preset, key=jax.random.key(1))


def gates_times(network, factor):
    return eqx.tree_at(
        lambda model: [block.mixing for block in model.blocks],
        network,
        replace_fn=lambda mixing: jax.tree.map(lambda x: factor * x, mixing),
    )


network = gates_times(network, 2.0)


@jax.jit
def look(u, v):
    """Squares of streams and states at the last step, and of errors at the middle step."""

    def run(pushes):
        x, powers, square = network.encode(u, None) + pushes[0], [], []
        for block, push in zip(network.blocks, pushes[1:], strict=True):
            square.append(jnp.sum(jnp.abs(block.layer.states(x)[STEPS - 1]) ** 2))
            x = block(x, empty)[0] + push
            powers.append(jnp.mean(x[STEPS - 1] ** 2))
        return jnp.sum(v * x), (jnp.stack(powers), jnp.stack(square))

    pushes = jnp.zeros((len(network.blocks) + 1, len(u), WIDTH))
    errors, (stream, state) = jax.grad(run, has_aux=True)(pushes)
    return stream, state, jnp.mean(errors[:, STEPS] ** 2, -1)


def measure(process, seed):
    """Mean and standard error of each square, with one entry per block."""
    keys = jax.random.split(jax.random.key(seed))
    u = channels(keys[0], process, NUM, 2 * STEPS, 4, jnp.float32)
    v = jax.random.normal(keys[1], (NUM, 2 * STEPS, WIDTH))
    samples = [
        np.asarray(values, float) for values in jax.lax.map(lambda p: look(*p), (u, v))
    ]
    return [(x.mean(0), x.std(0, ddof=1) / NUM**0.5) for x in samples]


_, row = plt.subplots(1, 2, sharey=True)
worst, off = {}, {}
blocks = 1 + np.arange(len(network.blocks))
for shift, rho in enumerate((0.0, 0.9)):
    process = AR1(rho)
    R = process.autocovariance(np.arange(STEPS))
    measured = measure(process, shift)
    expected = predict_signals(network, R, samples=0)
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
lines = ["| | " + " | ".join(f"block {block}" for block in blocks)]
lines.append("|---" * (1 + len(blocks)))
for (name, rho), values in worst.items():
    cells = " | ".join(f"{value:.3f}" for value in values)
    lines.append(f"| {name}, $\\rho = {rho:g}$ | {cells}")
display(Markdown("\n".join(f"{line} |" for line in lines)))
low, high = ratios.min(), ratios.max()
display(
    Markdown(
        f"The measured moments are {low:.2f} to {high:.2f} times the predicted ones. The "
        "prediction uses no measurement inside the network."
    )
)
assert np.all(np.abs(ratios - 1) < 0.25)

# %% [markdown]
# A wide layer sums many weakly dependent channels, so that its stream is nearly Gaussian.
# Here the layer has only 12 channels. With more sampled sequences the bars become smaller,
# and a bias becomes visible.
#
# ## Backwards through the blocks
#
# Let the loss be $L = \sum v x$, where $x$ are all numbers of the last stream and $v$ are
# independent random errors of variance one. Backpropagation sends $v$ through the transposed
# filters. Each nonlinearity multiplies the error by its derivative. We assume that
# derivatives and errors are independent. Then the same Gaussian expectations predict the mean
# square of $\partial L/\partial x$ before each block (`predict_errors`). In the figure, lines
# are predicted and dots are measured. The dots should lie on the lines.

# %%
for rho, ((mean, sem), error) in off.items():
    positions = np.arange(len(mean))
    colour = lessons.CORRELATION[rho]
    plt.plot(positions, error, color=colour, label=rf"theory, $\rho = {rho:g}$")
    plt.errorbar(positions, mean, yerr=2 * sem, fmt="o", color=colour)
plt.gca().set(
    xlabel="number of blocks passed forwards", ylabel=r"E$(\partial L/\partial x)^2$"
)
plt.legend()
plt.show()
display(
    Markdown(
        "\n".join(
            f"- $\\rho = {rho:g}$: backwards through {len(blocks)} blocks, the mean square of "
            f"an error grows {error[0]:.1f} times by the prediction and {mean[0]:.1f} times "
            "in the measurement."
            for rho, ((mean, _), error) in off.items()
        )
    )
)

# %% [markdown]
# `sigprop figure sigprop-depth` varies the radius of the eigenvalues and the gain of the
# layers. On one line of this plane streams keep their size. On another line gradients keep
# their size.
#
# ## Gates that depend on the input only
#
# RG-LRU, minGRU, Mamba's core, gated linear attention and DeltaNet compute the next state $h'
# = a(x)\,h + b(x)$ from the state $h$ and the input $x$. This map is nonlinear in $x$. Even
# so, the moments are *exact* for inputs that are independent in time. The reason is that $a$
# and $b$ are then independent of $h$. So
#
# $$\mathbb{E} h'^2 = \mathbb{E}[a^2]\,\mathbb{E} h^2 + 2\,\mathbb{E}[ab]\,\mathbb{E} h +
# \mathbb{E}[b^2], \qquad \mathbb{E} h' = \mathbb{E}[a]\,\mathbb{E} h + \mathbb{E}[b].$$
#
# Let $s = \partial h/\partial\theta$ be the sensitivity to a parameter $\theta$ of the gates.
# It obeys another linear recursion, $s' = a s + \partial_\theta a\, h + \partial_\theta b$.
# The expectations of $a$ and $b$ are Gaussian integrals over the few projections of $x$ that
# the gates use. In the next figure, lines are these closed forms and dots are simulations.

# %%
MEMORIES = (4, 16, 64)
MAKE = {
    "RG-LRU": (
        "W_a",
        lambda memory: rglru(
            4, 4, key=jax.random.key(2), radii=((1 - 1 / memory) ** 0.25,) * 2
        ),
    ),
    "minGRU": (
        "W_z",
        lambda memory: mingru(4, 4, key=jax.random.key(3), memory=memory),
    ),
}
_, row = plt.subplots(1, 2)
inside = []
with double_precision(True):
    for (name, (gate, make)), colour in zip(
        MAKE.items(), (style.BLUE, style.ORANGE), strict=True
    ):
        exact, mean, sem = np.empty((3, len(MEMORIES), 2))
        for position, memory in enumerate(MEMORIES):
            layer, length = make(memory), 2 * memory
            closed = predict_gated(layer, steps=length)
            u = jax.random.normal(jax.random.key(memory), (NUM, length, 4), jnp.float64)
            samples = squares(layer)(u)
            for k, quantity in enumerate(("state", gate)):
                x = np.asarray(samples[quantity])
                exact[position, k] = closed[quantity].value
                mean[position, k], sem[position, k] = x.mean(), x.std() / NUM**0.5
        for k, axes in enumerate(row):
            axes.loglog(MEMORIES, exact[:, k], color=colour, label=name)
            axes.errorbar(
                MEMORIES, mean[:, k], yerr=2 * sem[:, k], fmt="o", color=colour
            )
        inside.extend(np.abs(mean / exact - 1).ravel() / (sem / exact).ravel())
for axes, title in zip(
    row, ("squared state", "squared gradient of the gate's weights"), strict=True
):
    axes.set(title=title, xlabel="time constant without input, steps")
    axes.set_xticks(MEMORIES, [str(steps) for steps in MEMORIES], minor=False)
    axes.minorticks_off()
row[0].legend()
plt.show()
sentence = (
    f"In {len(inside)} moments the largest distance between simulation and closed form is "
    f"{max(inside):.1f} standard errors."
)
display(Markdown(sentence))

# %% [markdown]
# ## When a moment is infinite
#
# All gates above keep $a \le 1$. Now let $a = e^{g}$ with a Gaussian $g$ of mean $-0.25$, so
# that $a$ can exceed one. A stationary state exists if $\mathbb{E}\log a < 0$. Its second
# moment is finite only if $\mathbb{E} a^2 < 1$. If only the first condition holds, the state
# is stationary but its second moment is infinite. Then the state has heavy tails $P(|h| > x)
# \sim x^{-\kappa}$ with the tail index $\kappa$, where $\mathbb{E} a^\kappa = 1$. Only the
# moments of order below $\kappa$ are finite (Kesten 1973).
#
# In the figure, the spread is the standard deviation of $g$. Left: the second moment becomes
# infinite where $\mathbb{E} a^2$ crosses one. There $\kappa = 2$. Right: the share of 20 000
# simulated states that exceed $x$. Dashed lines are proportional to $x^{-\kappa}$ and should
# run along the ends of the curves.

# %%
DRIFT = -0.25
nodes, weights = np.polynomial.hermite_e.hermegauss(61)
weights = weights / weights.sum()
spreads = np.linspace(0.1, 0.7, 13)
a = np.exp(DRIFT + spreads[:, None] * nodes)
square = (weights * a**2).sum(1)
index = np.array([tail_index(gates, weights) for gates in a])
np.testing.assert_allclose(index, -2 * DRIFT / spreads**2, rtol=1e-6)
_, (left, right) = plt.subplots(1, 2)
left.plot(spreads, square, color=style.BLUE, label=r"E$\,a^2$")
left.plot(spreads, index, color=style.VERMILION, label=r"tail index $\kappa$")
left.axhline(1, color=style.GREY, zorder=0)
left.set(xlabel="spread of log a", ylabel="value", ylim=(0, 6))
left.legend()
draws = np.random.default_rng(0)
met = {}
for spread, colour in ((0.4, style.BLUE), (0.6, style.VERMILION)):
    h = np.zeros(20_000)
    for _ in range(200):
        gates = np.exp(DRIFT + spread * draws.standard_normal(h.size))
        h = gates * h + draws.standard_normal(h.size)
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
        sentence = f"is exactly {float(second_moment(values, 'state', None)):.2f}"
    else:
        sentence = "is infinite"
    display(
        Markdown(
            f"At spread {spread} the tail index is $\\kappa = {kappa:.2f}$ and the second "
            f"moment {sentence}. The means of $h^2$ over two halves of the sample are "
            f"{first:.2f} and {second:.2f}."
        )
    )

# %% [markdown]
# If the second moment is infinite, the sample mean of squares does not converge.
# `predict_gated` refuses to compute such a moment and says which moments are finite.
#
# ## Gates that depend on the state
#
# In a GRU or an LSTM the gate depends on $h$, so the recursion is not linear in $h$. We use
# the simplified gated unit of Zucchet and Orvieto, $h' = f h + (1 - f) x$ with the gate $f =
# \sigma(W_x x + W_h h + b_f)$. Here $\sigma$ is the logistic function, $W_x$ and $W_h$ are
# weights, and $b_f$ is the bias. The usual theory linearises the unit at rest ($x = h = 0$).
# Then it has the *effective eigenvalue* $\lambda = \sigma(b_f)$. This theory is correct for
# small inputs. The figure shows for which input sizes it still holds. Look for the size at
# which the curve leaves the grey line.

# %%
SIZES = (0.1, 0.3, 1.0, 3.0)
with double_precision(True):
    unit = gated_unit(4, 4, key=jax.random.key(4), times=(8.0, 8.0))
    R = White().autocovariance(np.arange(STEPS))
    at_rest = predict_linear(perturb(unit), R, steps=STEPS, at=STEPS - 1)["state"]
    run = jax.jit(jax.vmap(lambda u: jnp.sum(unit.states(u)[-1] ** 2)))
    ratio, bars = np.empty((2, len(SIZES)))
    for position, size in enumerate(SIZES):
        u = jax.random.normal(jax.random.key(5), (4 * NUM, STEPS, 4), jnp.float64)
        x = np.asarray(run(size * u)) / size**2 / at_rest
        ratio[position], bars[position] = x.mean(), 2 * x.std() / len(x) ** 0.5
plt.errorbar(SIZES, ratio, yerr=bars, fmt="o-", color=style.PURPLE)
plt.axhline(1, color=style.GREY, zorder=0)
plt.gca().set(
    xscale="log",
    yscale="log",
    xlabel="standard deviation of the inputs",
    ylabel=r"$E\,h^2$, measured / linearised",
)
plt.show()
sentence = "\n".join(
    f"- Inputs of standard deviation {SIZES[k]:g}: the measured moment is "
    f"{ratio[k]:{form}} times the linearised moment."
    for k, form in ((0, ".2f"), (2, ".1f"), (-1, ".1f"))
)
display(Markdown(sentence))

# %% [markdown]
# ## To take home
#
# - The output of a recurrent layer is correlated in time even if its input is white.
# - Gaussian expectations predict second moments forwards and backwards through blocks. The
#   error of this approximation is measured.
# - Gates that depend on the input only have exact moments. Gates that depend on the state do
#   not.
# - A second moment is finite if $\mathbb{E} a^2 < 1$. A stationary state alone is not enough.
#
# ## Exercises
#
# 1. A gate is open ($a = 1$) with probability $p$ and shut ($a = 0$) otherwise. The input
#    $b = x$ is white with variance one. What is $\mathbb{E} h^2$? For which $p$ is it ten?
# 2. Let $a = e^g$ with a Gaussian $g$ of mean $-\mu$ and variance $s^2$. Above which $s$ is the
#    second moment infinite? Above which $s$ is the mean infinite?
# 3. Do skip connections prevent an error from vanishing? Multiply all weights of the gated
#    linear units by 0.1, and predict the error before the first block.

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The recursion E h^2 = p E h^2 + 1 gives E h^2 = 1 / (1 - p). It is ten at p = 0.9.
known = {"a": 0.9, "b": 0.0, "aa": 0.9, "ab": 0.0, "bb": 1.0}
print(f"E h^2 at p = 0.9: {float(second_moment(known, 'state', None)):.6g}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. E a^k = exp(-k mu + k^2 s^2 / 2) reaches one at s^2 = 2 mu / k. So the second moment
#    (k = 2) is infinite for s^2 >= mu, and the mean (k = 1) for s^2 >= 2 mu. With mu = 0.25
#    both expectations are one at these values of s:
for k, s in ((2, 0.5), (1, np.sqrt(0.5))):
    expectation = float((weights * np.exp(k * (DRIFT + s * nodes))).sum())
    print(f"E a^{k} at s = {s:.4g}: {expectation:.6g}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. Yes. Nearly only the skip connections remain, so the mean square of the error stays near
#    one. The last number belongs to the last stream.
small = predict_errors(gates_times(network, 0.1), R).error
print("mean squared error before each block:", np.round(small, 3))

# %% [markdown]
# These commands draw the related figures: `sigprop figure sigprop-depth`,
# `sigprop figure sigprop-gates`.
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
