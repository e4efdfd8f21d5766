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
# # The layers of 2024 to 2026
#
# Mamba-2, DeltaNet, RWKV-7 and mLSTM replaced the fixed eigenvalues of older layers by gates
# that read the input. Do such layers still suffer from the curse of memory? This notebook
# predicts states and gradients of two of them and compares the predictions with simulations. It
# then checks one formula of the delta rule, and compares eleven layers at equal time constants.
#
# **You need** the notebooks on the curse of memory and on signals in deep and gated networks.
# **You learn** how to predict the moments of a layer of today, why some states grow with the
# time constant and others do not, and for which layers a long memory makes gradients large.

# %%
# %matplotlib inline
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown, display

from sigprop import White, compile_quickly, double_precision
from sigprop.experiments import store
from sigprop.figures import lessons, sigprop_equal_memory, style
from sigprop.layers import gated_deltanet, parameters, replace, ssd
from sigprop.linear import predict_gated
from sigprop.testing import assert_moment
from sigprop.theory.delta_rules import beta, d, reading_error
from sigprop.theory.symbols import T

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times
KEYS, WIDTH, SPANS = 2, 4, 2
SEQUENCES = 1000


# %% [markdown]
# ## One head of Mamba-2 and one of gated DeltaNet
#
# Both layers have a state $S_t$, a matrix, and a decay $\alpha_t = e^{-\Delta_t A}$ with a step
# $\Delta_t = \mathrm{softplus}(w \cdot u_t + b)$ that reads the input $u_t$:
#
# - Mamba-2: $S_t = \alpha_t S_{t-1} + \Delta_t\, x_t B_t^\top$. The step also scales the input.
# - Gated DeltaNet: $S_t = \alpha_t S_{t-1}(I - \beta_t k_t k_t^\top) + \beta_t v_t k_t^\top$. A
#   write with the key $k_t$ first removes what the state holds at this key.
#
# We set $A = 1$. The bias $b$ then sets the time constant at zero input,
# $\tau = 1/(1-\alpha)$ steps. `predict_gated` gives the exact mean square of the state,
# $\mathbb{E}|S|^2$, and of its derivative with respect to $b$, under white Gaussian inputs.


# %%
def head(build, tau):
    """A head whose gates have a time constant at zero input."""
    step = float(-np.log1p(-1 / tau))
    layer = build(KEYS, WIDTH, key=jax.random.key(2), steps=(step, step))
    values = parameters(layer) | {"A_log": jnp.zeros(1)}
    return replace(layer, {k: jnp.asarray(x, float) for k, x in values.items()})


def moments(layer, u):
    """The mean squares of the last state and of its derivative, with standard errors."""

    def last(bias, one):
        def step(h, now):
            return moved.step(h, now)[0], None

        moved = replace(layer, {"bias": bias})
        h = jax.lax.scan(step, moved.initial_state(), one)[0]
        return h, h

    derivative = jax.vmap(jax.jacfwd(last, has_aux=True), (None, 0))
    moved, h = jax.jit(derivative)(parameters(layer)["bias"], u)
    for values in (h, moved):
        squares = np.asarray(values).reshape(len(u), -1)
        squares = (squares**2).sum(1)
        yield squares.mean(), squares.std() / np.sqrt(len(u))


BUILDERS = {"Mamba-2": ssd, "gated DeltaNet": gated_deltanet}
CONSTANTS = {"Mamba-2": (4, 8, 16, 32, 64), "gated DeltaNet": (4, 16, 64)}
figure, row = plt.subplots(1, 2, sharey=True)
growth = {}
with double_precision(True):
    for axes, (name, build) in zip(row, BUILDERS.items(), strict=True):
        known, measured = [], []
        for tau in CONSTANTS[name]:
            layer, steps = head(build, tau), SPANS * tau
            closed = predict_gated(layer, steps=steps)
            u = jax.random.normal(jax.random.key(tau), (SEQUENCES, steps, WIDTH), float)
            known.append([closed["state"].value, closed["bias"].value])
            measured.append(list(moments(layer, u)))
        known, measured = np.array(known), np.array(measured)
        apart = np.abs(measured[..., 0] - known) / measured[..., 1]
        assert apart.max() < 5, "simulations agree with the predictions"
        growth[name] = known[-1] / known[0]
        for k, (label, colour, mark) in enumerate(
            (("state", style.BLUE, "o"), ("gradient", style.VERMILION, "s"))
        ):
            axes.loglog(CONSTANTS[name], known[:, k], color=colour, label=label)
            axes.errorbar(
                CONSTANTS[name],
                measured[:, k, 0],
                yerr=2 * measured[:, k, 1],
                fmt=mark,
                color=colour,
            )
        axes.set(title=name, xlabel="time constant, steps")
row[0].set_ylabel("mean square")
row[0].legend()
plt.show()
display(
    Markdown(
        "\n".join(
            f"- {name}: from the shortest to the longest time constant the squared state "
            f"becomes {state:.2g} times as large, the squared gradient {gradient:.2g} times."
            for name, (state, gradient) in growth.items()
        )
    )
)

# %% [markdown]
# Lines are predictions, and points are simulations with bars of two standard errors. A longer
# time constant makes neither state large. In Mamba-2 the small step that keeps the state also
# shrinks what enters it. In gated DeltaNet the writes erase older values, so the decay matters
# less and less, and its gradient falls.
#
# ## What the delta rule reads
#
# A memory of the delta rule with keys of $d$ entries and a fixed rate $\beta$ holds a value for
# a while. We write a value, then $T$ others, and read with the key of the first. The mean
# squared error is
#
# $$\mathbb{E}\,(s_T k - v)^2 = \frac{2}{2-\beta} - 2\beta\left(1-\frac{\beta}{d}\right)^T,$$
#
# for independent keys of length one, independent values of variance one, and a memory that has
# seen many writes. It is the row `sigprop:delta-error` of the ledger. `assert_moment` judges
# it by a simulation of our own. It raises an error if the formula is refuted or undecided.

# %%
RATE, SIZE, AGE, BEFORE = 0.5, 4, 3, 60


def reading(x):
    """Squared error of a value that is read ``AGE`` writes later, from Gaussian numbers."""
    numbers = x.reshape(-1, SIZE + 1)
    keys, values = numbers[:, :SIZE], numbers[:, SIZE]
    keys = keys / jnp.sqrt(jnp.sum(keys**2, 1, keepdims=True))

    def write(s, now):
        key, value = now
        return s + RATE * (value - s @ key) * key, None

    s, _ = jax.lax.scan(write, jnp.zeros(SIZE, x.dtype), (keys, values))
    return (s @ keys[BEFORE] - values[BEFORE]) ** 2


def squared_error(system, x):
    return system(x)


def judge(formula):
    """Judge a formula of the error by simulation."""
    number = float(formula.subs({beta: RATE, d: SIZE, T: AGE}))
    steps = (BEFORE + 1 + AGE) * (SIZE + 1)
    return assert_moment(number, reading, White(), squared_error, steps=steps, seed=1)


form = reading_error().result
result = judge(form)
(verdict,), (measured,), (expected,) = (
    result.verdicts,
    result.measured,
    result.expected,
)
try:
    judge(form - beta * (1 - beta / d) ** T)  # three times the product in place of two
except AssertionError as refusal:
    print(str(refusal).splitlines()[0])
else:
    raise RuntimeError("a wrong formula was not refused")
display(
    Markdown(
        f"After {AGE} more writes at a rate of {RATE}, with keys of {SIZE} entries, the "
        f"measured error is {measured:.3f} and the formula gives {expected:.3f}: "
        f"{verdict.outcome}. An error of 1 is that of reading nothing."
    )
)

# %% [markdown]
# ## Eleven layers at equal time constants
#
# The figure compares layers whose gates have equal time constants $\tau$ at zero input. Panel A
# shows the squared state per entry. Panel B shows
# $\mathbb{E}|\partial h/\partial\log\tau|^2$ per entry. A change of $\log\tau$ is the same
# relative change of $\tau$ in every layer, whatever its parameters are. Panel C shows the
# trace of the loss's Hessian at the optimum of a layer that is its own teacher, per recurrent
# parameter. Look for the curves that rise.

# %%
equal = store.shipped("equal_memory")
memory = equal["memory"].values
figure, row = plt.subplots(1, 3, figsize=(9, 2.8))
for axes, (letter, quantity) in zip(
    row, sigprop_equal_memory.PANELS.items(), strict=True
):
    for name in equal["layer"].values.tolist():
        case = equal.sel(quantity=quantity, layer=name)
        axes.errorbar(
            memory,
            case["mean"],
            yerr=2 * case["sem"].values,
            color=sigprop_equal_memory.COLOURS[name],
            linestyle=sigprop_equal_memory.DASHES[name],
            label=name,
        )
    axes.set(xscale="log", yscale="log", xlabel="time constant, steps")
    axes.set_ylabel(sigprop_equal_memory.UP[letter])
    style.letter(axes, letter, sigprop_equal_memory.TITLES[letter])
row[-1].legend(bbox_to_anchor=(1, 1), loc="upper left")
plt.show()
header, *rows = sigprop_equal_memory.details({"equal_memory": equal})
display(lessons.Table(header, rows))
power = equal["exponent"].sel(quantity="gradient")
rising = power["layer"].values[power.values > 0.5].tolist()
display(
    Markdown(
        f"The gradient grows with the time constant in {' and '.join(rising)} alone. In the "
        f"other {power.size - len(rising)} layers its exponent is at most "
        f"{float(power.where(power <= 0.5).max()):.2f}."
    )
)

# %% [markdown]
# Three properties of a layer explain these curves:
#
# - *Is the input scaled by what is forgotten?* Mamba-2, Mamba-3 and HGRN2 write little if
#   they forget little, and the LRU and RotRNN normalise the input. The mLSTM does neither: its
#   states and gradients grow with $\tau$. Its output divides by a second state, which limits
#   the growth of outputs only.
# - *Do writes erase?* In the layers of the delta rule and in RWKV-7 the states stop growing
#   once the writes forget faster than the decay. Then the decay hardly matters.
# - *Do angles depend on the time constant?* A change of an angle of the LRU, RotRNN or LinOSS
#   turns a state at every step that it is kept. So the curvature grows. Mamba-3 multiplies
#   angles by its step, and avoids this growth.
#
# ## To take home
#
# - `predict_gated` gives exact moments of states and gradients if the gates read the input
#   alone.
# - A long time constant does not make the gradients of most layers of today large. The mLSTM
#   and LinOSS are exceptions.
# - Random gates and writes forget besides the decay. So the time constant at zero input alone
#   does not say how long a layer of the delta rule remembers.
#
# ## Exercises
#
# 1. After how many writes is a reading of the delta rule no better than zero, at
#    $\beta = 1/2$ and keys of 64 entries? Use the formula above.
# 2. Multiply the inputs of the Mamba-2 head by 0.1. By which factor does its squared state
#    change? Why is this factor near $10^{-4}$ and not near $10^{-2}$?

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. The error is one at (1 - beta/d)^T = 1 / (2 (2 - beta)), which is sigprop:delta-horizon.
ages = np.arange(400)
errors = 2 / (2 - RATE) - 2 * RATE * (1 - RATE / 64) ** ages
print(f"after {ages[errors >= 1][0]} writes")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The write x B^T is a product of two projections of the input, so its square is of fourth
#    order. The rest is the effect of the gates, which smaller inputs move less.
with double_precision(True):
    layer = head(ssd, 16)
    small, large = (predict_gated(layer, scale=x)["state"].value for x in (0.1, 1.0))
print(f"{small / large:.2g} times")

# %% [markdown]
# These commands draw the related figures: `sigprop figure sigprop-newer-layers`,
# `sigprop figure sigprop-equal-memory` and, of trained layers,
# `sigprop figure sigprop-audits-of-today`.
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
# - [The curvature of whole layers](09_whole_layers.py)
# - [Questions from issue trackers](10_public_questions.py)
