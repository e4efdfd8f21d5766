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
# # The curse of memory
#
# A linear recurrent neuron $h_{t+1} = \lambda h_t + x_{t+1}$ remembers for about
# $1/(1-|\lambda|)$ steps. Zucchet and Orvieto (2024) ask what it costs to remember
# longer, and answer with two second moments: of the state $h$, which the rest of the
# network reads, and of its sensitivity $s = \mathrm{d}h/\mathrm{d}\lambda$, which the
# optimiser feels. This notebook derives both, simulates them, finds one of the printed
# formulas wrong, and ends with what a practitioner can take home.
#
# **You need** geometric series, expectations, and what an autocovariance is. **You learn**
# where Eq. 6 of the paper comes from, how to doubt a printed formula, what correlated
# inputs cost, and how to have a formula of your own judged.

# %%
# %matplotlib inline
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, Math, display
from sympy import Integer, Rational, factor, lambdify, latex

from sigprop import AR1, MovingAverage, double_precision, second_moments
from sigprop.figures import lessons, style
from sigprop.neuron import stable
from sigprop.testing import assert_equal_forms, assert_moment
from sigprop.theory import autocorrelation, diagonal
from sigprop.theory.papers.zucchet.forms import eq_6, eq_59, eq_59_corrected
from sigprop.theory.symbols import Delta, alpha, beta, lam, lam_bar, rho

lessons.use()


def show(name, expr):
    """One line of a derivation: what it is about, and what it is."""
    display(Math(f"{name} = {latex(expr)}"))


# %% [markdown]
# ## The weight of an input
#
# Start from the zero state and follow a single input of one. Its weight $k$ in the state
# after $n$ steps obeys $k_{n+1} = \lambda k_n$ from $k_0 = 1$. Differentiating the
# recurrence gives $s_{t+1} = \lambda s_t + h_t$: the sensitivity is the same neuron, fed
# with the state, so its weight obeys $k_{n+1} = \lambda k_n + \lambda^n$ from $k_0 = 0$.

# %%
show(r"\text{in the state: } k_n", diagonal.state_kernel().result)
show(r"\text{in the sensitivity: } k_n", diagonal.sensitivity_kernel().result)

# %% [markdown]
# ## Lemma 1 and Lemma 2
#
# The second moment of a filtered series is a double sum of two kernels against the
# autocovariance $R$ of the input. Splitting it into $n = m$, $n > m$ and $n < m$ and
# summing along the diagonals leaves one weight for $R(0)$ and one for each lag: Lemma 1.
# It keeps two unrelated eigenvalues $\alpha$ and $\beta$; in the end both are ours.

# %%
first = autocorrelation.lemma_1()
show(r"\sum_{n,m} \alpha^n \beta^m R(n - m)", first.as_sum())

# %% [markdown]
# The kernel of the sensitivity is the derivative of the state's, $n \lambda^{n-1} =
# \mathrm{d}\lambda^n / \mathrm{d}\lambda$. So nothing needs to be summed again: each
# weight is differentiated once by $\alpha$ and once by $\beta$. That is Lemma 2.

# %%
second = autocorrelation.lemma_2()
for before, after in ((first.zero, second.zero), (first.lag, second.lag)):
    inside = rf"\left( {latex(factor(before))} \right)"
    show(rf"\partial_\alpha \partial_\beta {inside}", factor(after))

# %% [markdown]
# ## From Lemma 2 to Eq. 6
#
# Now let both be the same real eigenvalue, $\alpha = \beta = \lambda$. Both weights have
# the denominator $(1-\lambda^2)^3$:

# %%
same = {alpha: lam, beta: lam}
zero = (1 + lam**2) / (1 - lam**2) ** 3
lag = 2 * lam**Delta * (1 + lam**2 + Delta * (1 - lam**2)) / (1 - lam**2) ** 3
assert autocorrelation.is_zero(second.zero.subs(same) - zero)
assert autocorrelation.is_zero(second.lag.subs(same) - lag)
show(r"\text{weight of } R(0)", zero)
show(r"\text{weight of } R(\Delta)", lag)

# %% [markdown]
# Split the bracket of the second at $\Delta$. The first part is the weight of $R(0)$
# again, times $2 \lambda^\Delta$; in the second a factor $1-\lambda^2$ cancels:

# %%
again, rest = 2 * lam**Delta * zero, 2 * Delta * lam**Delta / (1 - lam**2) ** 2
assert autocorrelation.is_zero(lag - again - rest)
show(r"\text{weight of } R(\Delta)", again + rest)

# %% [markdown]
# Collect what $(1+\lambda^2)/(1-\lambda^2)^3$ multiplies, and it is Eq. 6 of the paper.
# Whether two forms with an undetermined $R$ are equal is decided exactly, lag weight by
# lag weight, with no number put in:

# %%
derived_6 = diagonal.moment("sensitivity").result.subs(lam_bar, lam)
assert autocorrelation.same_form(derived_6, eq_6())
show(r"E\,s^2", eq_6())

# %% [markdown]
# ## The same moments, by simulation
#
# The formula is exact, so a simulation does not test the algebra. It tests that the
# model we run is the model we described. Five neurons, inputs with autocovariance
# $\rho^{|\Delta|}$, four thousand independent trajectories from the zero state, each
# long enough to forget how it began. Bars are three standard errors.

# %%
gaps = np.array([0.5, 0.2, 0.1, 0.05, 0.025])
steps = round(12 / gaps.min())
rhos = {value: lessons.CORRELATION[value] for value in (0.0, 0.9, 1.0)}
names = {"state": r"$E\,h^2$", "sensitivity": r"$E\,(dh/d\lambda)^2$"}
closed = {"state": stable.state_moment, "sensitivity": stable.sensitivity_moment}

measured = {}
with double_precision(True):
    for index, value in enumerate(rhos):
        (sums,) = second_moments(
            jax.random.fold_in(jax.random.key(2024), index),
            jnp.asarray(1 - gaps),
            AR1(value),
            times=(steps,),
            num=4000,
        )
        for name in names:
            exact = np.asarray(closed[name](gaps, 0.0, value))
            measured[name, value] = sums[name].estimate(), exact

figure, axes = plt.subplots(1, 2)
line = np.geomspace(1, 0.02, 100)
for axis, (name, label) in zip(axes, names.items(), strict=True):
    for value, colour in rhos.items():
        estimate, _ = measured[name, value]
        with double_precision(True):
            curve = np.asarray(closed[name](line, 0.0, value))
        axis.loglog(line, curve, colour, label=rf"$\rho = {value:g}$")
        axis.errorbar(
            gaps, estimate.mean, 3 * estimate.sem, fmt="o", color=colour, ms=3
        )
    axis.set(xlabel=r"$1 - \lambda$", title=label)
    axis.invert_xaxis()
axes[0].legend()
plt.show()

# %% [markdown]
# On a logarithmic axis everything agrees with everything; the distance in standard
# errors is the honest measure. Each should look like a draw of a normal variable, hardly
# ever beyond three. The five neurons of a row share their inputs, so they err together.
# This is a look, not a verdict: `sigprop verify` fixes the sample size beforehand and
# asks whether the ratio is shown to lie within a margin.

# %%
distance = np.array([(e.mean - exact) / e.sem for e, exact in measured.values()])
rows = [f"| moment, $\\rho$ | {' | '.join(f'{gap:g}' for gap in gaps)} |"]
rows.append("|---" * (1 + len(gaps)) + "|")
for (name, value), row in zip(measured, distance, strict=True):
    rows.append(f"| {name}, {value:g} | " + " | ".join(f"{x:.1f}" for x in row) + " |")
display(Markdown("\n".join(rows)))
far = np.sum(np.abs(distance) > 3)
display(Markdown(f"{far} of {distance.size} lie beyond three standard errors."))
assert np.abs(distance).max() < 6

# %% [markdown]
# ## Eq. 59, as printed and as it should be
#
# For $R(\Delta) = \rho^{|\Delta|}$ the sum over lags can be done, and the paper prints
# the result as Eq. 59. We derive ours, and compare:

# %%
derived_59 = diagonal.moment("sensitivity", "exponential").result
print("as printed:", autocorrelation.same_form(derived_59, eq_59()))
print("corrected: ", autocorrelation.same_form(derived_59, eq_59_corrected()))
display(Math(r"\text{printed} - \text{true} = " + latex(factor(eq_59() - derived_59))))

# %% [markdown]
# The difference has the factor $\rho\,(1-\rho)$: the printed form is right for white
# noise and for constant input, which is where the paper checks it, and wrong everywhere
# between. Reading both factors $1-\rho$ as $1-\rho^2$ repairs it. Three numbers at
# $\lambda = \rho = 9/10$ leave no doubt, and the third one uses neither formula: it adds
# up the double sum over the kernels, term by term.

# %%
at = [(symbol, Rational(9, 10)) for symbol in (lam, lam_bar, rho)]
ages = np.arange(600)
weight = ages * 0.9 ** (ages - 1.0)
brute = weight @ 0.9 ** np.abs(ages[:, None] - ages) @ weight
for name, number in (
    ("Eq. 59 as printed", eq_59().subs(at)),
    ("corrected", eq_59_corrected().subs(at)),
    ("term by term", brute),
):
    print(f"{name:18s} {float(number):10.2f}")
np.testing.assert_allclose(float(derived_59.subs(at)), brute, rtol=1e-10)
try:
    assert_equal_forms(derived_59.subs(lam_bar, lam), eq_59().subs(lam_bar, lam))
except AssertionError as refutation:
    print("\nrefuted:", refutation)
else:
    raise RuntimeError("the printed form must be refuted")

# %% [markdown]
# How wrong is it? Between its two exact ends the printed value falls short:

# %%
ratio = lambdify([lam, lam_bar, rho], eq_59() / derived_59)
figure, axis = plt.subplots(figsize=(4.5, 2.6))
between = np.linspace(0, 1, 201)
worst = {}
for size in (0.5, 0.9, 0.99):
    shares = ratio(size, size, between)
    worst[size] = shares.min()
    colour, label = lessons.MEMORY[size], rf"$\lambda = {size:g}$"
    axis.plot(between, shares, color=colour, label=label)
axis.axhline(1, color=style.GREY, lw=0.8)
axis.set(xlabel=r"$\rho$", ylabel="printed / true", ylim=(0, 1.1))
axis.legend()
plt.show()
for size, least in worst.items():
    said = (
        f"At $\\lambda = {size}$ memory costs up to {1 / least:.2f} times what it says."
    )
    display(Markdown(said))

# %% [markdown]
# ## What to take from it
#
# Under white noise $E\,h^2 \approx 1/(2\epsilon)$ and $E\,s^2 \approx 1/(4\epsilon^3)$,
# with $\epsilon = 1-\lambda$: ten times the memory, a thousand times the sensitivity. Two
# cures are in use. **Normalise** the input by $\gamma = \sqrt{1-\lambda^2}$, held fixed
# when differentiating, and the state keeps its size. **Reparametrise** $\lambda =
# \exp(-e^\nu)$ and a step in $\nu$ is a step in the logarithm of the memory length:
# $\mathrm{d}\lambda/\mathrm{d}\nu = \lambda\log\lambda$ takes two of the three powers
# away, and $\gamma$ takes the last one.
#
# Both cures are fitted to white noise. Here is what correlation does to them, down to a
# memory of a million steps. At such a distance from the edge a formula in $\lambda$ has
# lost its digits before it starts, so `sigprop.neuron.stable` takes the gap itself.

# %%
gap = np.logspace(-1, -6, 6)
gamma_squared = gap * (2 - gap)
slope_squared = ((1 - gap) * np.log1p(-gap)) ** 2
header = "| $1-\\lambda$ | " + " | ".join(
    rf"{size}, $\rho={value:g}$"
    for value in (0, 0.9, 1)
    for size in (r"$\gamma^2 E h^2$", r"$\gamma^2 E (dh/d\nu)^2$")
)
with double_precision(True):
    columns = [gap]
    for value in (0.0, 0.9, 1.0):
        state = np.asarray(stable.state_moment(gap, 0.0, value))
        change = np.asarray(stable.sensitivity_moment(gap, 0.0, value)) * slope_squared
        columns += [gamma_squared * state, gamma_squared * change]
rows = [
    "| " + " | ".join(f"{x:.3g}" for x in row) + " |" for row in np.transpose(columns)
]
display(Markdown("\n".join([header + " |", "|---" * len(columns) + "|", *rows])))
np.testing.assert_allclose(columns[1], 1, rtol=1e-12)
np.testing.assert_allclose(columns[2][-1], 0.5, rtol=1e-5)

# %% [markdown]
# White noise: both columns stay put, at $1$ and $1/2$. Correlation with a finite memory,
# $\rho < 1$: both are bounded, at a value that is $(1+\rho)/(1-\rho)$ times larger. A
# constant input, or a mean that was not removed: both grow like $2/\epsilon$, without
# bound.

# %%
times = columns[3][-1] / columns[1][-1]
np.testing.assert_allclose(times, (1 + 0.9) / (1 - 0.9), rtol=1e-3)
np.testing.assert_allclose(columns[5], 2 / gap - 1, rtol=1e-6)
display(
    Markdown(
        f"At $\\rho = 0.9$ the limit is {times:.3g} times that of white noise: a network "
        f"tuned on white noise starts with states {np.sqrt(times):.1f} times too large."
    )
)

# %% [markdown]
# The remedy is to normalise by what the input really does. Dividing by the measured
# $E\,h^2$ instead of assuming $1/(1-\lambda^2)$ leaves the *relative* sensitivity
# $E\,(dh/d\nu)^2 / E\,h^2$, and that is tame from white noise to a constant:

# %%
gap = np.logspace(-0.5, -6, 200)
slope_squared = ((1 - gap) * np.log1p(-gap)) ** 2
figure, axes = plt.subplots(1, 2)
for value in (0.0, 0.5, 0.9, 0.99, 1.0):
    with double_precision(True):
        state = np.asarray(stable.state_moment(gap, 0.0, value))
        change = np.asarray(stable.sensitivity_moment(gap, 0.0, value)) * slope_squared
    look = {"color": lessons.CORRELATION[value], "label": rf"$\rho = {value:g}$"}
    axes[0].loglog(gap, gap * (2 - gap) * change, **look)
    axes[1].semilogx(gap, change / state, **look)
    assert (change / state < 1.05).all()
axes[0].set_title(r"for white noise: $\gamma^2 E\,(dh/d\nu)^2$")
axes[1].set_title(r"for this input: $E\,(dh/d\nu)^2 / E\,h^2$")
axes[1].set_ylim(0)
for axis in axes:
    axis.set_xlabel(r"$1 - \lambda$")
    axis.invert_xaxis()
axes[0].legend()
plt.show()

# %% [markdown]
# ## Assert a formula of your own
#
# Suppose your inputs are an average of two neighbouring samples of white noise, $x_t =
# e_t + c\,e_{t-1}$. By Eq. 5 with $R(0) = 1 + c^2$, $R(1) = c$ and nothing beyond, a
# real neuron has
#
# $$E\,h^2 = \frac{1 + c^2 + 2c\lambda}{1-\lambda^2}.$$
#
# `assert_moment` simulates with a sample size fixed in advance and passes only if the
# ratio is shown to lie within the margin; silence would not be enough.

# %%
c = 0.5
mine = (1 + c**2 + 2 * c * lam) / (1 - lam**2)
answer = assert_moment(mine, [0.9, 0.5, -0.7], MovingAverage((1.0, c)))
for verdict in answer.verdicts:
    print(f"{verdict.word}: ratio between {verdict.low:.4f} and {verdict.high:.4f}")

# %% [markdown]
# A formula with one error, a missing factor $2$, does not pass:

# %%
try:
    assert_moment((1 + c**2 + c * lam) / (1 - lam**2), [0.9], MovingAverage((1.0, c)))
except AssertionError as refutation:
    print(refutation)
else:
    raise RuntimeError("the slip must be found")

# %% [markdown]
# ## Exercises
#
# 1. A neuron of $\lambda = 0.99$ was tuned on white noise, and its input turns out to be
#    constant. How many times larger is $E\,h^2$ than planned? Read it off Lemma 1.
# 2. Which $\lambda > 0$ makes $E\,h^2 = 10$ under white noise of variance one?
# 3. Feed *changes* of white noise, $x_t = e_t - e_{t-1}$. Does $E\,h^2$ still grow without
#    bound as $\lambda \to 1$? Put $c = -1$ into the form above, simplify, and have it judged.

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. All weights of Lemma 1 add up: (1 + 2 l / (1 - l)) / (1 - l^2) = 1 / (1 - l)^2.
with double_precision(True):
    planned, got = (
        float(stable.state_moment(0.01, 0.0, value)) for value in (0.0, 1.0)
    )
np.testing.assert_allclose(got / planned, (1 + 0.99) / (1 - 0.99), rtol=1e-9)
print(f"{got / planned:.0f} times")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. 1 / (1 - l^2) = 10, so l^2 = 9/10.
with double_precision(True):
    np.testing.assert_allclose(stable.state_moment(1 - np.sqrt(0.9), 0.0, 0.0), 10)
print(f"{np.sqrt(0.9):.4f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. (2 - 2 l) / (1 - l^2) = 2 / (1 + l), which is bounded: it ends at one.
changes = 2 / (1 + lam)
assert autocorrelation.is_zero((2 - 2 * lam) / (1 - lam**2) - changes)
assert changes.subs(lam, 1) == Integer(1)
(verdict,) = assert_moment(changes, [0.9], MovingAverage((1.0, -1.0))).verdicts
print(f"{verdict.word}: ratio between {verdict.low:.4f} and {verdict.high:.4f}")

# %% [markdown]
# The figures about this: `sigprop figure zucchet-1a`, `sigprop figure zucchet-2`.
#
# ## The other notebooks
#
# - [Learning long memories](02_learning_long_memories.py)
# - [Loss landscapes of one linear unit](03_loss_landscapes.py)
# - [Why diagonal recurrences train](04_hessian_structure.py)
# - [Signals in deep and gated networks](05_deep_signal_propagation.py)
# - [Train a network, then audit it](06_train_and_audit.py)
# - [Lint a checkpoint, advise an initialisation](07_lint_and_advise.py)
# - [Forecast a series, and ask theory about the network](08_forecasting.py)
# - [The curvature of whole layers](09_whole_layers.py)
