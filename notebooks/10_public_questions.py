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
# # Questions from issue trackers
#
# People who train recurrent networks ask the same questions again and again. Many of them have
# an exact answer. This notebook takes twelve questions from fifteen public issues. Each
# section names the issue, states a closed form and evaluates it at the asker's numbers. It then
# compares the closed form with a simulation or with the layer itself. No section trains a
# network.
#
# **You need** to know a mode of a linear recurrence, $h_t = \lambda h_{t-1} + x_t$, with
# input $x_t$, state $h_t$ and eigenvalue $\lambda$. Its time constant is
# $m = 1/(1-|\lambda|)$ steps. **You learn** which step sizes suit a sequence length, how large
# states and gradients are, and which function of sigprop answers such questions.

# %%
# %matplotlib inline
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from IPython.display import Markdown, display

from sigprop import White, compile_quickly, linear_recurrence
from sigprop.advice import advise, exponential, predict_initialisation
from sigprop.audit.lint import Settings, lint
from sigprop.figures import lessons
from sigprop.layers import (
    DeltaNet,
    gated_deltanet,
    lru,
    lstm,
    parameters,
    replace,
    s4d,
    selective,
    tallec_times,
)
from sigprop.linear import predict_gated, predict_output
from sigprop.networks.foreign import of_arrays
from sigprop.neuron import finite_state_moment_white
from sigprop.tasks import teacher_student

lessons.use()
compile_quickly()  # many small programs, each of which runs a few times


def answer(text):
    """Show the answer to the question of a section."""
    display(Markdown(f"**Answer.** {text}"))


def mean_square(values):
    """Mean of the squares over samples, and its standard error."""
    squares = np.asarray(values, float) ** 2
    return squares.mean(), squares.std() / np.sqrt(squares.size)


# %% [markdown]
# ## 1. Which `dt_min` and `dt_max` suit my sequence length?
#
# Asked in `state-spaces/s4#76`. S4D discretises modes with $\mathrm{Re}\,A = -1/2$, so
# $|\lambda| = e^{-\Delta/2}$. The smallest step size is the one whose time constant is the
# length $L$ of the sequences: $\Delta_{\min} = -2\log(1 - 1/L) \approx 2/L$. The largest step
# size is a hundred times the smallest, but at most 0.1.

# %%
rows = []
for length in (1024, 16384):
    advice = advise("s4d", length=length, spectrum=exponential(0.0), state=4, width=16)
    options = advice.options
    rows.append(
        (
            length,
            f"{options['dt_min']:.2g}",
            f"{options['dt_max']:.2g}",
            f"{advice.default.longest:.0f}",
        )
    )
heads = (
    "length, steps",
    "`dt_min`",
    "`dt_max`",
    "longest time constant by default, steps",
)
display(lessons.Table(heads, rows))
slowest = s4d(
    1, 1, key=jax.random.key(0), dt_min=options["dt_min"], dt_max=options["dt_max"]
)
slowest = replace(slowest, {"log_dt": jnp.log(jnp.full(1, options["dt_min"]))})
remains = float(np.abs(slowest.discrete()[0].item()) ** length)
assert abs(remains - np.exp(-1)) < 1e-3, (
    "the slowest mode keeps 1/e over one time constant"
)
answer(
    f"For {length} steps take `dt_min={options['dt_min']:.2g}` and "
    f"`dt_max={options['dt_max']:.2g}`. The slowest mode of that layer keeps {remains:.3f} of "
    f"an input over the whole sequence. `sigprop advise --layer s4d --length {length}` prints "
    "these values."
)

# %% [markdown]
# ## 2. Why are the outputs of the selective scan so large?
#
# Asked in `state-spaces/mamba#72`: inputs reached 51 and outputs 15 236. Mamba multiplies four
# functions of the same input: $y = C(x)^\top h$ with
# $h_t = e^{-\Delta(x)A} h_{t-1} + \Delta(x) B(x) x$. Here $B$ and $C$ are linear, and the step
# size $\Delta$ is a softplus, which is constant for small inputs and linear for large ones. So
# an output grows with the third power of small inputs and with the fourth power of large ones.
# sigprop integrates $E|y|^2$ over Gaussian inputs exactly.

# %%
scan = selective(2, 2, key=jax.random.key(1), steps=(0.1, 0.5))
scan = replace(scan, {"D": jnp.zeros(2)})  # the scan alone, without its skip connection
STEPS = 64
size = {
    scale: np.sqrt(
        predict_output(scan, scale=scale, steps=STEPS)["output"].value / 2
    ).item()
    for scale in (0.25, 0.5, 1.0, 2.0, 8.0, 16.0, 32.0)
}
rows = [
    (
        f"{scale:g}",
        f"{size[scale]:.3g}",
        f"{np.log2(size[2 * scale] / size[scale]):.2f}",
    )
    for scale in (0.25, 1.0, 8.0, 16.0)
]
heads = ("RMS input", "RMS output", "power of the input by which it grows")
display(lessons.Table(heads, rows))
inputs = jax.random.normal(jax.random.key(2), (40_000, STEPS, 2))
last = jax.jit(jax.vmap(lambda u: scan(u)[-1]))(inputs)
measured, error = mean_square(last)
assert abs(measured - size[1.0] ** 2) < 5 * error, (
    "samples agree with the exact integral"
)
ratio = size[16.0] / size[1.0]
answer(
    f"Inputs 16 times as large make outputs {ratio:,.0f} times as large. So large outputs need "
    "no error of the scan. Normalise the input of the block, or $\\Delta$, $B$ and $C$."
)

# %% [markdown]
# ## 3. What happens beyond the training length?
#
# Asked in `state-spaces/mamba#140`: a model trained on 2048 tokens fails beyond 3000 to 4000.
# After $T$ white inputs of variance 1, a mode has the second moment
# $E|h_T|^2 = (1-|\lambda|^{2T})/(1-|\lambda|^2)$. It stops growing after about one time
# constant $m$. So modes with $m \ll 2048$ have the same state size at any length. Modes with
# $m \gg 2048$ reach sizes that never occurred in training.

# %%
TRAINED = 2048
rows, growth = [], {}
for constant in (256, 2048, 20480):
    moments = {
        steps: float(finite_state_moment_white(1 / constant, steps))
        for steps in (TRAINED, 4096, 65536)
    }
    growth[constant] = {
        steps: np.sqrt(moments[steps] / moments[TRAINED]) for steps in moments
    }
    rows.append(
        (
            constant,
            f"{growth[constant][4096]:.3f}",
            f"{growth[constant][65536]:.3f}",
        )
    )
heads = (
    "time constant, steps",
    "RMS state at 4096 / at 2048 steps",
    "RMS state at 65 536 / at 2048 steps",
)
display(lessons.Table(heads, rows))
series = jax.random.normal(jax.random.key(3), (1500, 4096))
states = jax.vmap(
    lambda x: linear_recurrence(jnp.full(1, 1 - 1 / 20480), x[:, None])[-1, 0]
)(series)
measured, error = mean_square(states)
predicted = float(finite_state_moment_white(1 / 20480, 4096))
assert abs(measured - predicted) < 5 * error, "simulated states have the predicted size"
answer(
    "A mode with a time constant of ten training lengths has states "
    f"{growth[20480][65536]:.1f} times as large at 65 536 steps as in training. With time "
    f"constants up to one training length the factor is at most {growth[2048][65536]:.2f}."
)

# %% [markdown]
# ## 4. Which constants give a Mamba block unit scale?
#
# Asked in `graphcore-research/unit-scaling#68` for a state of 4 per channel. The asker measured
# the standard deviations 0.521 of a softplus and 0.208 of its derivative, at standard normal
# inputs, and divides by them. Unit scale means a mean square of 1, and a softplus has a mean
# too: $E f^2 = (E f)^2 + \mathrm{Var} f$. The states of the scan have an exact mean square as
# well.

# %%
nodes, weights = np.polynomial.hermite_e.hermegauss(60)  # of a standard normal
weights /= weights.sum()
functions = {"softplus": jax.nn.softplus, "its derivative": jax.nn.sigmoid}
scales = {}
for name, function in functions.items():
    values = np.asarray(function(nodes), float)
    scales[name] = weights @ values, weights @ values**2
block = selective(4, 16, key=jax.random.key(4))
moment = predict_gated(block, steps=512)["state"].value / block.state_size
rows = [
    (name, f"{mean:.3f}", f"{np.sqrt(square - mean**2):.3f}", square)
    for name, (mean, square) in scales.items()
]
rows.append(("a state of the scan", "", "", moment))
rows = [(*row, f"{square**0.5:.3f}", f"{square**-0.5:.3f}") for *row, square in rows]
heads = ("at unit inputs", "mean", "standard deviation", "RMS", "multiply by")
display(lessons.Table(heads, rows))
inputs = jax.random.normal(jax.random.key(5), (600, 512, 16))
last = jax.jit(jax.vmap(lambda u: block.states(u)[-1]))(inputs)
squares = np.asarray(last**2).mean(1)
assert abs(squares.mean() - moment) < 5 * squares.std() / np.sqrt(squares.size), (
    "states of the layer have the predicted size"
)
mean, square = scales["softplus"]
assert abs(np.sqrt(square - mean**2) - 0.52103) < 1e-4, "the asker's constant"
answer(
    f"Multiply the softplus by {square**-0.5:.3f}, its derivative by "
    f"{scales['its derivative'][1] ** -0.5:.3f} and the states by {moment**-0.5:.1f}. The "
    f"asker's 1/0.521 gives the softplus an RMS of {square**0.5 / 0.52103:.2f} instead of 1."
)

# %% [markdown]
# ## 5. Why does the gradient norm grow with the sequence length?
#
# Asked in `karpathy/char-rnn#70`: the gradient norm was 3.0, 61 and 105 at 10, 250 and 500
# steps. The loss was a sum over steps. The sum is $T$ times the mean over steps. Once $T$
# exceeds the time constants, the mean and its gradient no longer depend on $T$. The population
# loss of a linear student and teacher is exact, so no batch is sampled.

# %%
teacher, student = (lru(8, 1, key=jax.random.key(seed), r_max=0.9) for seed in (6, 7))


def norm(gradients):
    """Euclidean norm over all parameters."""
    return np.sqrt(sum(float(jnp.sum(leaf**2)) for leaf in jax.tree.leaves(gradients)))


norms, rows = {}, []
for steps, asked in ((10, 3.0), (250, 61.1), (500, 105.0)):
    task = teacher_student(teacher, White(), length=steps)
    norms[steps] = norm(jax.jit(jax.grad(task.loss))(student))
    rows.append(
        (
            steps,
            asked,
            f"{asked / 3.0:.1f}",
            f"{steps * norms[steps] / (10 * norms[10]):.1f}",
            f"{norms[steps] / norms[10]:.2f}",
        )
    )
heads = (
    "length, steps",
    "asker's norm",
    "asker's norm / at 10 steps",
    "sum over steps / at 10 steps",
    "mean over steps / at 10 steps",
)
display(lessons.Table(heads, rows))
sampled = jax.jit(jax.grad(lambda s: task.loss(s, jax.random.key(8), 512)))(student)
assert abs(norm(sampled) / norms[500] - 1) < 0.05, "512 sampled sequences agree"
answer(
    f"From 10 to 500 steps the gradient of the sum grows {50 * norms[500] / norms[10]:.0f} "
    f"times, that of the mean {norms[500] / norms[10]:.2f} times. Divide the loss by the "
    "length."
)

# %% [markdown]
# ## 6. Is a gate of exactly 1 unstable?
#
# Asked in `fla-org/flash-linear-attention#389` for the gated DeltaNet. Without a decay, a state
# that only adds inputs has $E|h_T|^2 = T$. The delta rule erases along a key before it writes:
# $S_t = S_{t-1}(I - \beta k k^\top) + \beta v k^\top$. Its second moment is that of a
# recurrence with random matrices, and it has a limit.

# %%
gated = gated_deltanet(2, 8, key=jax.random.key(9))
ungated = DeltaNet(gated.W_q, gated.W_k, gated.W_v, gated.W_beta)
rows, moments = [], {}
for steps in (16, 256, 65536):
    moments[steps] = float(predict_gated(ungated, steps=steps)["state"].value)
    adding = float(finite_state_moment_white(1e-12, steps))
    rows.append((f"{steps:,}", f"{adding:,.0f}", f"{moments[steps]:.4f}"))
heads = ("steps", "$E|h|^2$ of a sum of inputs", "$E|S|^2$ of the delta rule, gate 1")
display(lessons.Table(heads, rows))
frozen = replace(gated, {"A_log": jnp.full(1, -40.0)})  # float32 rounds its gate to 1
inputs = jax.random.normal(jax.random.key(10), (4000, 256, 8))
assert float(frozen.decays(inputs[0]).min()) == 1, "the gate is exactly 1"
last = jax.jit(jax.vmap(lambda u: frozen.states(u)[-1]))(inputs)
squares = np.asarray(last**2).sum(1)
assert abs(squares.mean() - moments[256]) < 5 * squares.std() / np.sqrt(squares.size), (
    "states of the gated layer with gate 1 have the predicted size"
)
answer(
    f"No. The state has $E|S|^2 = {moments[256]:.2f}$ after 256 steps and after 65 536 steps. "
    "An instability at a gate of 1 is therefore an error of the kernel, not of the "
    "recurrence."
)

# %% [markdown]
# ## 7. Can a head learn whose decay rate begins at $10^{-6}$?
#
# Asked in `pytorch/torchtitan#4178` for the gated DeltaNet, whose gate is
# $\alpha = e^{-A s}$ with $A = e^{a}$, the parameter $a$ (`A_log`) and a step size $s$. Its
# derivative is $d\alpha/da = -A s\,\alpha$. For small $A$ the gradient is proportional to $A$.
# sigprop computes $E|dS/da|^2$ exactly.

# %%
rows, sizes = [], {}
for rate in (1e-6, 0.01, 1.0):
    head = replace(gated, {"A_log": jnp.full(1, np.log(rate))})
    found = predict_gated(head, steps=256)
    sizes[rate] = np.sqrt(found["A_log"].value)
    rows.append((f"{rate:g}", f"{sizes[rate]:.2g}", f"{found['state'].value:.3f}"))
heads = ("initial $A$", "RMS of $|dS/da|$", "$E|S|^2$")
display(lessons.Table(heads, rows))
head = replace(gated, {"A_log": jnp.log(jnp.full(1, 0.01))})


def state(a, u):
    """The last state at a value of ``A_log``."""
    return replace(head, {"A_log": a}).states(u)[-1]


by_a = jax.jit(jax.vmap(jax.jacfwd(state), (None, 0)))(head.A_log, inputs)
squares = np.asarray(by_a, float).reshape(len(inputs), -1)
squares = (squares**2).sum(1)
assert abs(squares.mean() - sizes[0.01] ** 2) < 5 * squares.std() / np.sqrt(
    squares.size
), "derivatives of the layer have the predicted size"
answer(
    f"Hardly. Its gradient is {sizes[0.01] / sizes[1e-6]:,.0f} times smaller than at "
    f"$A = 0.01$, the new lower bound. The states are equally large, so their size does "
    "not show the fault."
)

# %% [markdown]
# ## 8. Does an initialisation that is overwritten matter?
#
# Asked three times. In `fla-org/flame#42`, `A_log` and `dt_bias` were zero on several GPUs. In
# `athms/mad-lab#3`, a general initialiser set the bias of the step size to zero. In
# `kmheckel/spyx#42`, the bias was computed from $\log\Delta$ in place of $\Delta$, so that the
# step size was near $\Delta^2$. In all three cases $|\lambda| = e^{-e^{a}\mathrm{softplus}(b)}$
# with the stored numbers $a$ and $b$. `sigprop lint` evaluates it for a file.

# %%
CHANNELS, STATES = 64, 16
generator = np.random.default_rng(11)
step = np.exp(generator.uniform(np.log(1e-3), np.log(1e-1), CHANNELS))
mixer = {
    "A_log": np.log(np.tile(np.arange(1.0, STATES + 1), (CHANNELS, 1))),
    "dt_proj.bias": step + np.log(-np.expm1(-step)),
}
heads_of_six = {name: np.zeros(6) for name in ("A_log", "dt_bias")}
cases = {
    "Mamba as intended": mixer,
    "`flame#42`": {**heads_of_six, "a_proj.weight": np.full((6, 8), 0.1)},
    "`mad-lab#3`": {**mixer, "dt_proj.bias": np.zeros(CHANNELS)},
    "`spyx#42`": {**mixer, "dt_proj.bias": np.log(step) + np.log(-np.expm1(-step))},
}
reports, rows = {}, []
for name, arrays in cases.items():
    stored = {key: np.asarray(array, np.float32) for key, array in arrays.items()}
    reports[name] = report = lint(of_arrays(stored), Settings(length=2048))
    (layer,) = report.layers
    rules = dict.fromkeys(f"`{finding.rule.id}`" for finding in report.graver)
    rows.append(
        (
            name,
            f"{layer.shortest:.3g} to {layer.longest:.3g}",
            ", ".join(rules) or "none",
        )
    )
heads = (
    "initialisation",
    "time constants, steps",
    "errors and warnings of `sigprop lint`",
)
display(lessons.Table(heads, rows))
(layer,) = reports["`mad-lab#3`"].layers
zeroed = selective(STATES, CHANNELS, key=jax.random.key(0))
zeroed = replace(zeroed, {"bias": jnp.zeros(CHANNELS)})
decays, _ = zeroed.gates(jnp.zeros((1, CHANNELS)))
assert abs(1 / (1 - float(decays.max())) / layer.longest - 1) < 1e-5, (
    "the layer itself decays as the report says"
)
squared = (
    reports["`spyx#42`"].layers[0].median
    / reports["Mamba as intended"].layers[0].median
)
answer(
    f"Yes. With zero biases no time constant exceeds {layer.longest:.3g} steps. With "
    f"$\\log\\Delta$ for $\\Delta$ the median time constant is {squared:.0f} times too long."
)

# %% [markdown]
# ## 9. Which bias should the forget gate of an LSTM have?
#
# Asked in `pytorch/pytorch#750`. Without inputs the cell state is multiplied by the forget gate
# $\sigma(b)$, so its time constant is $1/(1-\sigma(b)) = 1 + e^{b}$ steps. For a time constant
# of $T$ steps take $b = \log(T-1)$.

# %%
UNITS = 32
weights = {
    "weight_ih_l0": generator.uniform(-0.1, 0.1, (4 * UNITS, 8)),
    "weight_hh_l0": generator.uniform(-0.1, 0.1, (4 * UNITS, UNITS)),
    "bias_hh_l0": np.zeros(4 * UNITS),
}
biases = {0.0: "default", 1.0: "usual advice"}
biases[float(np.log(tallec_times(1000)[1]))] = "1000 steps"
rows, constants = [], {}
for bias, why in biases.items():
    gates = np.zeros((4, UNITS))
    gates[1] = bias  # PyTorch's order: input, forget, cell, output
    arrays = {**weights, "bias_ih_l0": gates.ravel()}
    stored = {key: np.asarray(array, np.float32) for key, array in arrays.items()}
    (layer,) = lint(of_arrays(stored), Settings()).layers
    constants[bias] = layer.median
    rows.append((f"{bias:.2f}", why, f"{layer.median:.4g}"))
display(lessons.Table(("bias", "reason", "time constant, steps"), rows))
unit = lstm(1, 1, key=jax.random.key(13), times=tallec_times(1000))
closed = {
    name: jnp.zeros_like(parameters(unit)[name]) for name in ("W_fh", "W_gh", "b_g")
}
for bias, constant in constants.items():
    unit = replace(unit, closed | {"b_f": jnp.full(1, bias)})
    _, kept = unit.step(jnp.ones(2), jnp.zeros(1))[0]  # cell state, 1 before the step
    assert abs(float(kept) - (1 - 1 / constant)) < 1e-6, (
        "one step of the cell itself agrees"
    )
answer(
    f"A bias of 1 gives only {constants[1.0]:.1f} steps. For 1000 steps take "
    f"{max(biases):.1f}. Time constants from 2 to $T$ steps need biases $\\log u$ with $u$ "
    "uniform from 1 to $T-1$."
)

# %% [markdown]
# ## 10. May `A_log` be stored in bfloat16?
#
# Asked in `ml-explore/mlx-lm#565`, where a Mamba model gave other outputs in bfloat16 than in
# float32. bfloat16 has 8 significant bits. A logarithm $a$ is rounded by
# $\delta \le |a|\,2^{-8}$, which changes the decay rate $e^{a}$ by the factor $e^{\delta}$ at
# any time constant. A modulus $|\lambda|$ in bfloat16 is different. Below 1 its values are
# $2^{-8}$ apart, so long time constants are lost.

# %%
narrow = {name: array.astype(ml_dtypes.bfloat16) for name, array in mixer.items()}
rows = []
for dtype in ("float32", "bfloat16"):
    found = lint(of_arrays(narrow), Settings(length=2048, dtype=dtype)).findings
    rows += [
        (dtype, f"{finding.rule.id} ({finding.severity})", finding.consequence)
        for finding in found
        if finding.rule.id in ("log-rounded", "resolution-lost")
    ]
heads = ("$\\lambda$ computed in", "rule of `sigprop lint`", "consequence")
display(lessons.Table(heads, rows))
rounded = narrow["A_log"].astype(float)
off = np.abs(np.expm1(rounded - mixer["A_log"])).max()
bound = np.expm1(np.abs(mixer["A_log"]).max() * 2.0**-8)
assert off <= bound, "no rate is off by more than the bound"
answer(
    f"Yes, if $\\lambda$ is computed in float32. Rounding `A_log` changes a rate by at most "
    f"{off:.1%} (bound {bound:.1%}). The exponential itself must not be computed in bfloat16."
)

# %% [markdown]
# ## 11. Which learning rates does muP give a recurrent layer?
#
# Asked in `microsoft/mup#74` and `microsoft/mup#77`. Let a layer have $n$ modes with
# $E|h|^2 = 1$, one input and one output, and readout weights of variance $1/n$. Near a minimum
# the trace of the Hessian for a parameter group is $E|dy/d\theta|^2$. It is a sum of $n$ terms
# of size 1 for the readout, and a sum of $n$ terms of size $1/n$ for all other groups.

# %%
groups = {"C_re": "readout", "B_re": "input matrix", "nu_log": "modulus of $\\lambda$"}
traces = {}
for modes in (8, 16, 64):
    layer = lru(modes, 1, key=jax.random.key(0), r_min=0.9, r_max=0.99)
    traces[modes] = predict_initialisation(layer, exponential(0.0)).gradient
rows = [
    (label, *(f"{traces[modes][name]:.2f}" for modes in traces))
    for name, label in groups.items()
]
heads = ("$E|dy/d\\theta|^2$ of", *(f"{modes} modes" for modes in traces))
display(lessons.Table(heads, rows))
inputs = jax.random.normal(jax.random.key(12), (1000, 600, 1))


def output(C, u):
    """The last output at a readout matrix."""
    return replace(layer, {"C_re": C})(u)[-1, 0]


by_C = jax.jit(jax.vmap(jax.grad(output), (None, 0)))(parameters(layer)["C_re"], inputs)
squares = np.asarray(by_C, float).reshape(len(inputs), -1)
squares = (squares**2).sum(1)
assert abs(squares.mean() - traces[64]["C_re"]) < 5 * squares.std() / np.sqrt(
    squares.size
), "gradients of the layer have the predicted size"
growth, other = (traces[64][name] / traces[8][name] for name in ("C_re", "B_re"))
answer(
    f"From 8 to 64 modes the trace of the readout grows {growth:.1f} times, that of the input "
    f"matrix {other:.1f} times. So gradient descent needs a rate proportional to $1/n$ for the "
    "readout, and the same rate at any $n$ for the input matrix and the eigenvalues. Start "
    "$h_0$ at zero. Its effect is $\\lambda^t h_0$ and vanishes after a few time constants."
)

# %% [markdown]
# ## 12. What is special about the first steps of RWKV-7?
#
# Asked in `fla-org/flash-linear-attention#218`: the loss of an RWKV-7 that is trained from
# scratch is abnormal. The decay of a channel is $|\lambda| = \exp(-e^{-1/2}\,\sigma(w))$ with a
# stored bias $w$, so it is never below 0.545. The layer of that library set all biases to zero.
# Then $\sigma(w) = 1/2$ in all channels. It now follows the initialisation of RWKV-LM.

# %%
stored = {
    "att.w1": generator.normal(size=(64, 8)),
    "att.w2": generator.normal(size=(8, 64)),
    "att.r_k": generator.normal(size=(1, 64)),
}
cases = {"all zero": np.zeros(64), "evenly from -6 to -1": np.linspace(-6, -1, 64)}
rows, layers = [], {}
for name, bias in cases.items():
    arrays = stored | {"att.w0": bias[None, None]}
    arrays = {key: np.asarray(array, np.float32) for key, array in arrays.items()}
    report = lint(of_arrays(arrays), Settings(length=1024))
    (layers[name],) = report.layers
    shortest, longest = layers[name].shortest, layers[name].longest
    rules = dict.fromkeys(f"`{finding.rule.id}`" for finding in report.graver)
    rows.append((name, f"{shortest:.3g} to {longest:.3g}", ", ".join(rules) or "none"))
heads = ("biases $w$", "time constants, steps", "errors and warnings of `sigprop lint`")
display(lessons.Table(heads, rows))
kept = 1 - 1 / layers["all zero"].median
impulse = jnp.zeros((9, 1)).at[0].set(1.0)
after = float(linear_recurrence(jnp.full(1, kept), impulse)[-1, 0])
assert abs(after - np.exp(-8 * np.exp(-0.5) / 2)) < 1e-6, (
    "eight steps decay by the gate at zero"
)
answer(
    f"All channels start with a time constant of {layers['all zero'].median:.1f} steps, and "
    f"only {after:.2f} of an input remains after 8 steps. Equal eigenvalues also "
    "make the Hessian singular. Spread the biases."
)

# %% [markdown]
# ## Exercises
#
# 1. Your sequences have 100 000 steps. Which `dt_min` do you pass to S4D, and how many times
#    smaller than its default of 0.001 is it?
# 2. A model was trained on 2048 steps and runs for 65 536 steps. Up to which time constant does
#    the RMS state of a mode grow by at most 20 %?
# 3. How many times larger is the gradient of a head that begins at $A = 0.01$ than that of a
#    head that begins at $A = 10^{-4}$? Predict it from the closed form in question 7, then
#    compute it.

# %% tags=["solution"] jupyter={"source_hidden": true}
# 1. About 2 / 100 000, as the real part of A is -1/2.
longer = advise("s4d", length=100_000, spectrum=exponential(0.0), state=4, width=16)
smallest = longer.options["dt_min"]
print(
    f"dt_min = {smallest:.3g}, which is {0.001 / smallest:.0f} times smaller than 0.001"
)

# %% tags=["solution"] jupyter={"source_hidden": true}
# 2. The ratio of the two moments rises with the time constant; look where it passes 1.2^2.
constants = np.geomspace(256, 65536, 400)
moments = [
    finite_state_moment_white(1 / constants, steps) for steps in (65536, TRAINED)
]
grown = np.sqrt(np.asarray(moments[0] / moments[1]))
print(f"up to about {constants[grown <= 1.2].max():.0f} steps")

# %% tags=["solution"] jupyter={"source_hidden": true}
# 3. The gradient is proportional to A, so a hundred times.
head = replace(gated, {"A_log": jnp.full(1, np.log(1e-4))})
smaller = np.sqrt(predict_gated(head, steps=256)["A_log"].value)
print(f"{sizes[0.01] / smaller:.1f} times")

# %% [markdown]
# In a shell, `sigprop advise` answers question 1. `sigprop lint` answers questions 8, 9, 10
# and 12.
# `sigprop figure sigprop-gates` compares exact moments of gated layers with simulations.
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
# - [The layers of 2024 to 2026](11_layers_of_today.py)
