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
# A linear recurrent neuron $h_{t+1} = \lambda h_t + x_{t+1}$ has the input $x_t$, the state
# $h_t$ and the eigenvalue $\lambda$. It remembers an input for about $1/(1-|\lambda|)$ steps.
# This number is the neuron's time constant. Zucchet and Orvieto (2024) ask what a longer time
# constant costs. They answer with two second moments. The first is that of the state $h$,
# which the rest of the network reads. The second is that of the sensitivity
# $s = \mathrm{d}h/\mathrm{d}\lambda$, which multiplies the gradient. This notebook derives both
# moments, simulates them, and shows that one printed formula is wrong. It ends with practical
# consequences.
#
# **You need** geometric series, expectations, and the definition of an autocovariance. **You
# learn** the derivation of Eq. 6 of the paper, a check of a printed formula, and the effect of
# correlated inputs. You also learn how to optimise an initialisation through the theory, and
# how to test a formula of your own.

# %%
# %matplotlib inline
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, Math, display
from scipy.signal import lfilter
from sympy import Integer, Rational, factor, lambdify, latex

import sigprop as sp
from sigprop import AR1, MovingAverage, double_precision, second_moments
from sigprop.figures import lessons, style
from sigprop.linear import response_moment
from sigprop.testing import assert_equal_forms, assert_moment
from sigprop.theory import autocorrelation, diagonal
from sigprop.theory.papers.zucchet.forms import eq_6, eq_59, eq_59_corrected
from sigprop.theory.symbols import Delta, alpha, beta, lam, lam_bar, rho

lessons.use()


def show(name, expr):
    """Display one named formula of a derivation."""
    display(Math(f"{name} = {latex(expr)}"))


# %% [markdown]
# ## The weight of an input
#
# Start from the zero state and follow a single input of one. Let $k_n$ be the weight of this
# input in the state after $n$ steps. It obeys $k_{n+1} = \lambda k_n$ with $k_0 = 1$.
# Differentiating the recurrence gives $s_{t+1} = \lambda s_t + h_t$. So the sensitivity is the
# output of the same neuron with the state as its input. The weight of the input in the
# sensitivity therefore obeys $k_{n+1} = \lambda k_n + \lambda^n$ with $k_0 = 0$. The sequence
# of these weights is called a kernel.

# %%
show(r"\text{weight in the state: } k_n", diagonal.state_kernel().result)
show(r"\text{weight in the sensitivity: } k_n", diagonal.sensitivity_kernel().result)

# %% [markdown]
# ## Lemma 1 and Lemma 2
#
# The second moment of a filtered sequence is a double sum over two kernels and the
# autocovariance $R(\Delta) = E[x_t x_{t+\Delta}]$ of the input at the lag $\Delta$. We split
# this sum into $n = m$, $n > m$ and $n < m$, and sum along the diagonals. The result has one
# weight for $R(0)$ and one weight for each lag. This is Lemma 1. The lemma allows two different
# eigenvalues $\alpha$ and $\beta$. At the end we set both equal to $\lambda$.

# %%
first = autocorrelation.lemma_1()
show(r"\sum_{n,m} \alpha^n \beta^m R(n - m)", first.as_sum())

# %% [markdown]
# The kernel of the sensitivity is the derivative of the kernel of the state: $n \lambda^{n-1}
# = \mathrm{d}\lambda^n / \mathrm{d}\lambda$. So no new sum is needed. We differentiate each
# weight of Lemma 1 once by $\alpha$ and once by $\beta$. The result is Lemma 2.

# %%
second = autocorrelation.lemma_2()
for before, after in ((first.zero, second.zero), (first.lag, second.lag)):
    inside = rf"\left( {latex(factor(before))} \right)"
    show(rf"\partial_\alpha \partial_\beta {inside}", factor(after))

# %% [markdown]
# ## From Lemma 2 to Eq. 6
#
# Now let both eigenvalues be the same real number, $\alpha = \beta = \lambda$. Then both
# weights have the denominator $(1-\lambda^2)^3$:

# %%
same = {alpha: lam, beta: lam}
zero = (1 + lam**2) / (1 - lam**2) ** 3
lag = 2 * lam**Delta * (1 + lam**2 + Delta * (1 - lam**2)) / (1 - lam**2) ** 3
assert autocorrelation.is_zero(second.zero.subs(same) - zero)
assert autocorrelation.is_zero(second.lag.subs(same) - lag)
show(r"\text{weight of } R(0)", zero)
show(r"\text{weight of } R(\Delta)", lag)

# %% [markdown]
# We split the numerator of the weight of $R(\Delta)$ into a part without $\Delta$ and a part
# with $\Delta$. The first part is the weight of $R(0)$ times $2 \lambda^\Delta$. In the second
# part a factor $1-\lambda^2$ cancels:

# %%
again, rest = 2 * lam**Delta * zero, 2 * Delta * lam**Delta / (1 - lam**2) ** 2
assert autocorrelation.is_zero(lag - again - rest)
show(r"\text{weight of } R(\Delta)", again + rest)

# %% [markdown]
# We collect the terms with the factor $(1+\lambda^2)/(1-\lambda^2)^3$. The result is Eq. 6 of
# the paper. The code below compares the weights of two formulas lag by lag. So it decides
# exactly whether they are equal for every $R$, without inserting numbers:

# %%
derived_6 = diagonal.moment("sensitivity").result.subs(lam_bar, lam)
assert autocorrelation.same_form(derived_6, eq_6())
show(r"E\,s^2", eq_6())

# %% [markdown]
# ## The same moments, by simulation
#
# The formula is exact, so a simulation does not test the algebra. It tests that the simulated
# model is the model that we described. We simulate five neurons. The inputs have the
# autocovariance $R(\Delta) = \rho^{|\Delta|}$, so that $\rho$ is the correlation of successive
# inputs. We use 4000 independent trajectories from the zero state. Each trajectory is long
# enough that the initial state no longer matters. In the figure, lines are the closed forms,
# dots are simulated and bars are three standard errors. The dots should lie on the lines.

# %%
gaps = np.array([0.5, 0.2, 0.1, 0.05, 0.025])
steps = round(12 / gaps.min())
rhos = {value: lessons.CORRELATION[value] for value in (0.0, 0.9, 1.0)}
names = {"state": r"$E\,h^2$", "sensitivity": r"$E\,(dh/d\lambda)^2$"}
closed = {"state": sp.state_moment, "sensitivity": sp.sensitivity_moment}

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
# A logarithmic axis hides small differences. So the table lists the distance between measured
# and exact moment in standard errors. Each distance should look like a sample of a standard
# normal variable, which rarely exceeds three. The columns are the five values of
# $1-\lambda$. The five neurons of a row share their inputs, so their errors are correlated.
# This table is no strict test. `sigprop verify` fixes the sample size beforehand, and then
# tests whether the ratio of both moments lies within a margin.

# %%
distance = np.array([(e.mean - exact) / e.sem for e, exact in measured.values()])
rows = [f"| moment, $\\rho$ | {' | '.join(f'{gap:g}' for gap in gaps)} |"]
rows.append("|---" * (1 + len(gaps)) + "|")
for (name, value), row in zip(measured, distance, strict=True):
    rows.append(f"| {name}, {value:g} | " + " | ".join(f"{x:.1f}" for x in row) + " |")
display(Markdown("\n".join(rows)))
far = np.sum(np.abs(distance) > 3)
display(
    Markdown(
        f"{far} of {distance.size} distances are larger than three standard errors."
    )
)
assert np.abs(distance).max() < 6

# %% [markdown]
# ## Eq. 59, as printed and corrected
#
# For $R(\Delta) = \rho^{|\Delta|}$ the sum over lags has a closed form. The paper prints this
# form as Eq. 59. We derive the closed form too, and test whether both are equal:

# %%
derived_59 = diagonal.moment("sensitivity", "exponential").result
as_printed = autocorrelation.same_form(derived_59, eq_59())
corrected = autocorrelation.same_form(derived_59, eq_59_corrected())
print("Our derivation equals Eq. 59 as printed:", as_printed)
print("Our derivation equals Eq. 59 corrected: ", corrected)
display(Math(r"\text{printed} - \text{true} = " + latex(factor(eq_59() - derived_59))))

# %% [markdown]
# The difference has the factor $\rho\,(1-\rho)$. So the printed form is correct for white
# noise ($\rho = 0$) and for a constant input ($\rho = 1$), where the paper checks it. For
# every $\rho$ in between it is wrong. The correction replaces both factors $1-\rho$ by
# $1-\rho^2$. The next cell prints three values at $\lambda = \rho = 9/10$. The third value
# uses neither formula: it sums the double sum over the kernels term by term.

# %%
at = [(symbol, Rational(9, 10)) for symbol in (lam, lam_bar, rho)]
ages = np.arange(600)
weight = ages * 0.9 ** (ages - 1.0)
brute = weight @ 0.9 ** np.abs(ages[:, None] - ages) @ weight
for name, number in (
    ("Eq. 59 as printed", eq_59().subs(at)),
    ("Eq. 59 corrected", eq_59_corrected().subs(at)),
    ("sum term by term", brute),
):
    print(f"{name:18s} {float(number):10.2f}")
np.testing.assert_allclose(float(derived_59.subs(at)), brute, rtol=1e-10)
try:
    assert_equal_forms(derived_59.subs(lam_bar, lam), eq_59().subs(lam_bar, lam))
except AssertionError as refutation:
    print("\nThe printed form is refuted:", refutation)
else:
    raise RuntimeError("the printed form must be refuted")

# %% [markdown]
# How large is the error? The figure shows the printed moment divided by the true moment. For
# $0 < \rho < 1$ this ratio is below one, so the printed value is too small:

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
axis.set(xlabel=r"correlation $\rho$", ylabel="printed / true", ylim=(0, 1.1))
axis.legend()
plt.show()
for size, least in worst.items():
    sentence = (
        f"At $\\lambda = {size}$ the true moment is up to {1 / least:.2f} times the "
        "printed one."
    )
    display(Markdown(sentence))

# %% [markdown]
# ## Practical consequences
#
# Let $\epsilon = 1-\lambda$ be the gap, so that the time constant is $1/\epsilon$. For white
# noise $E\,h^2 \approx 1/(2\epsilon)$ and $E\,s^2 \approx 1/(4\epsilon^3)$. So a time constant
# that is ten times as long makes the second moment of the sensitivity a thousand times as
# large. Two remedies are in use.
#
# - **Normalisation** multiplies the input by $\gamma = \sqrt{1-\lambda^2}$. Then the state
#   keeps its size. Here $\gamma$ is held fixed when differentiating.
# - **Reparametrisation** trains the parameter $\nu$ with $\lambda = \exp(-e^\nu)$. (In other
#   notebooks $\nu$ is the modulus $|\lambda|$.) A step in $\nu$ is a step in the logarithm of
#   the time constant. The factor $\mathrm{d}\lambda/\mathrm{d}\nu = \lambda\log\lambda$ reduces
#   the exponent of $1/\epsilon$ from three to one. The factor $\gamma$ reduces it to zero.
#
# Both remedies are designed for white noise. The next table shows their effect for correlated
# inputs, up to a time constant of a million steps. For so small a gap, $1-\lambda$ computed
# from $\lambda$ loses its digits in rounding. So `sigprop.state_moment` takes the gap itself.

# %%
gap = np.logspace(-1, -6, 6)
gamma_squared = gap * (2 - gap)
derivative_squared = ((1 - gap) * np.log1p(-gap)) ** 2
header = "| $1-\\lambda$ | " + " | ".join(
    rf"{size}, $\rho={value:g}$"
    for value in (0, 0.9, 1)
    for size in (r"$\gamma^2 E h^2$", r"$\gamma^2 E (dh/d\nu)^2$")
)
with double_precision(True):
    columns = [gap]
    for value in (0.0, 0.9, 1.0):
        state = np.asarray(sp.state_moment(gap, 0.0, value))
        change = np.asarray(sp.sensitivity_moment(gap, 0.0, value)) * derivative_squared
        columns += [gamma_squared * state, gamma_squared * change]
rows = [
    "| " + " | ".join(f"{x:.3g}" for x in row) + " |" for row in np.transpose(columns)
]
display(Markdown("\n".join([header + " |", "|---" * len(columns) + "|", *rows])))
np.testing.assert_allclose(columns[1], 1, rtol=1e-12)
np.testing.assert_allclose(columns[2][-1], 0.5, rtol=1e-5)

# %% [markdown]
# For white noise ($\rho = 0$) both columns approach constants, $1$ and $1/2$. For $0 < \rho <
# 1$ both columns are bounded. Their limits are $(1+\rho)/(1-\rho)$ times the limits for white
# noise. For a constant input ($\rho = 1$) both columns grow like $2/\epsilon$ without bound. An
# input with a nonzero mean has the same effect.

# %%
times = columns[3][-1] / columns[1][-1]
np.testing.assert_allclose(times, (1 + 0.9) / (1 - 0.9), rtol=1e-3)
np.testing.assert_allclose(columns[5], 2 / gap - 1, rtol=1e-6)
display(
    Markdown(
        f"At $\\rho = 0.9$ the limit is {times:.3g} times the limit for white noise. So a "
        f"network normalised for white noise starts with states {np.sqrt(times):.1f} times "
        "too large."
    )
)

# %% [markdown]
# The remedy is to normalise for the actual input. We divide by the measured $E\,h^2$, not by
# $1/(1-\lambda^2)$. This gives the *relative* sensitivity $E\,(dh/d\nu)^2 / E\,h^2$. The left
# panel shows the normalisation for white noise, the right panel that for the real input. In
# the right panel all curves stay near or below one, from white noise to a constant input:

# %%
gap = np.logspace(-0.5, -6, 200)
derivative_squared = ((1 - gap) * np.log1p(-gap)) ** 2
figure, axes = plt.subplots(1, 2)
for value in (0.0, 0.5, 0.9, 0.99, 1.0):
    with double_precision(True):
        state = np.asarray(sp.state_moment(gap, 0.0, value))
        change = np.asarray(sp.sensitivity_moment(gap, 0.0, value)) * derivative_squared
    look = {"color": lessons.CORRELATION[value], "label": rf"$\rho = {value:g}$"}
    axes[0].loglog(gap, gap * (2 - gap) * change, **look)
    axes[1].semilogx(gap, change / state, **look)
    assert (change / state < 1.05).all()
axes[0].set_title("normalised for white noise")
axes[0].set_ylabel(r"$\gamma^2 E\,(dh/d\nu)^2$")
axes[1].set_title("normalised for the input")
axes[1].set_ylabel(r"$E\,(dh/d\nu)^2 / E\,h^2$")
axes[1].set_ylim(0)
for axis in axes:
    axis.set_xlabel(r"$1 - \lambda$")
    axis.invert_xaxis()
axes[0].legend()
plt.show()

# %% [markdown]
# ## Learn radii through the theory
#
# Moments are functions of arrays, and JAX differentiates them. So we can learn an
# initialisation. Every neuron of a ring has a fixed phase $\theta$. We learn its radius
# $|\lambda|$ so that $E\,|h|^2 = 4$ for every neuron. The input is the sum of white noise and
# an oscillation of 0.8 radians per step, each of variance $1/2$. At equal radii, the neurons
# near this frequency have the largest states.
#
# `response_moment` takes the impulse response $\lambda^n$ of each neuron and the
# autocovariance $R$. Gradient descent minimises the mean of $(\log(E\,|h|^2/4))^2$.

# %%
phases, lags, turn = np.linspace(0, np.pi, 24), np.arange(200), 0.95 * np.exp(0.8j)
R = np.real(turn**lags) / 2 + (lags == 0) / 2


def ring(x):
    """Eigenvalues of the radii exp(-exp(x)), and their moments."""
    lam = jnp.exp(1j * phases - jnp.exp(x))
    return lam, response_moment(lam ** lags[:, None], R)


with double_precision(True):
    descend = jax.jit(jax.grad(lambda x: jnp.mean(jnp.log(ring(x)[1] / 4) ** 2)))
    x = begin = jnp.full(24, jnp.log(-jnp.log(0.9)))
    for _ in range(300):
        x = x - 4 * descend(x)
    (_, before), (learned, after) = jax.tree.map(np.asarray, (ring(begin), ring(x)))
np.testing.assert_allclose(after, 4, rtol=1e-6)

# %% [markdown]
# A simulation with the learned radii checks the result. It draws 4000 inputs of 200 steps,
# and does not use $R$. In the figure, lines are the theory, dots are simulated, and bars are
# three standard errors. Look at the radii near 0.8 radians.

# %%
draw = np.random.default_rng(0).standard_normal
steady = np.sqrt(1 - np.abs(turn) ** 2) * (draw((4000, 200)) + 1j * draw((4000, 200)))
oscillation = np.real(lfilter([1], [1, -turn], steady))
inputs = (oscillation + draw((4000, 200))) / np.sqrt(2)
last = [np.asarray(lfilter([1], [1, -x], inputs))[:, -1] for x in learned]
squares = np.abs(last) ** 2
mean, sem = squares.mean(1), squares.std(1) / np.sqrt(4000)
assert (np.abs(mean - after) < 5 * sem).all()

figure, axes = plt.subplots(1, 2)
axes[0].plot(phases, np.abs(learned), color=style.GREEN, label="learned")
axes[0].axhline(0.9, color=style.GREY, label="at the start")
axes[0].set(xlabel=r"phase $\theta$", title=r"radius $|\lambda|$")
axes[1].semilogy(phases, before, color=style.GREY, label="at the start")
axes[1].semilogy(phases, after, color=style.GREEN, label="learned")
axes[1].errorbar(phases, mean, 3 * sem, fmt="o", color=style.GREEN, ms=3)
axes[1].set(xlabel=r"phase $\theta$", title=r"$E\,|h|^2$")
axes[1].legend()
plt.show()
display(
    Markdown(
        f"At the start the moments differ by a factor of {before.max() / before.min():.0f}. "
        f"The learned radii lie between {np.abs(learned).min():.2f} and "
        f"{np.abs(learned).max():.2f}. The smallest belongs to the phase "
        f"{phases[np.argmin(np.abs(learned))]:.2f}."
    )
)

# %% [markdown]
# ## Test a formula of your own
#
# Suppose your input is a weighted sum of two successive samples $e_t$ of white noise, $x_t =
# e_t + c\,e_{t-1}$ with a constant $c$. Then $R(0) = 1 + c^2$, $R(1) = c$, and $R(\Delta) = 0$
# for larger lags. Eq. 5 of the paper gives for a neuron with real $\lambda$
#
# $$E\,h^2 = \frac{1 + c^2 + 2c\lambda}{1-\lambda^2}.$$
#
# `assert_moment` simulates with a sample size that is fixed in advance. It passes only if the
# simulation shows that the ratio of simulated and predicted moment lies within the margin. An
# inconclusive result does not pass.

# %%
c = 0.5
mine = (1 + c**2 + 2 * c * lam) / (1 - lam**2)
answer = assert_moment(mine, [0.9, 0.5, -0.7], MovingAverage((1.0, c)))
for verdict in answer.verdicts:
    print(
        f"The formula is {verdict.outcome}: the ratio is between {verdict.low:.4f} and "
        f"{verdict.high:.4f}."
    )

# %% [markdown]
# The next formula has one error, a missing factor $2$ of $c\lambda$. It does not pass:

# %%
try:
    assert_moment((1 + c**2 + c * lam) / (1 - lam**2), [0.9], MovingAverage((1.0, c)))
except AssertionError as refutation:
    print(refutation)
else:
    raise RuntimeError("the error must be detected")

# %% [markdown]
# ## Exercises
#
# 1. A neuron with $\lambda = 0.99$ is normalised for white noise, but its input is a constant
#    random number of variance one. How many times larger than planned is $E\,h^2$? Use Lemma 1.
# 2. Which $\lambda > 0$ gives $E\,h^2 = 10$ for white noise of variance one?
# 3. Let the input be the *difference* of successive samples, $x_t = e_t - e_{t-1}$. Does
#    $E\,h^2$ still grow without bound as $\lambda \to 1$? Insert $c = -1$ into the formula
#    above, simplify it, and test it with `assert_moment`.

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. With R = 1 the moment is the sum of all weights of Lemma 1. For the eigenvalue l this sum
#    is (1 + 2 l / (1 - l)) / (1 - l^2) = 1 / (1 - l)^2. The planned moment is 1 / (1 - l^2).
with double_precision(True):
    planned, got = (float(sp.state_moment(0.01, 0.0, value)) for value in (0.0, 1.0))
np.testing.assert_allclose(got / planned, (1 + 0.99) / (1 - 0.99), rtol=1e-9)
print(f"E h^2 is {got / planned:.0f} times as large as planned.")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The equation 1 / (1 - l^2) = 10 gives l^2 = 9/10.
with double_precision(True):
    np.testing.assert_allclose(sp.state_moment(1 - np.sqrt(0.9), 0.0, 0.0), 10)
print(f"lambda = {np.sqrt(0.9):.4f}")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The moment is (2 - 2 l) / (1 - l^2) = 2 / (1 + l). It is bounded and tends to one.
changes = 2 / (1 + lam)
assert autocorrelation.is_zero((2 - 2 * lam) / (1 - lam**2) - changes)
assert changes.subs(lam, 1) == Integer(1)
(verdict,) = assert_moment(changes, [0.9], MovingAverage((1.0, -1.0))).verdicts
print(
    f"The formula is {verdict.outcome}: the ratio is between {verdict.low:.4f} and "
    f"{verdict.high:.4f}."
)

# %% [markdown]
# These commands draw the related figures: `sigprop figure zucchet-1a`,
# `sigprop figure zucchet-2`.
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
# - [Questions from issue trackers](10_public_questions.py)
# - [The layers of 2024 to 2026](11_layers_of_today.py)
