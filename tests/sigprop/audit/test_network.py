"""An audit finds what is there: by direct sums, by jax.grad, and by named failures."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from rich.console import Console

from sigprop.audit import network as auditing
from sigprop.audit.moments import QUANTITIES, Sequences, sequences_of, theory
from sigprop.audit.network import audit, modes, signals
from sigprop.audit.summary import HOLDS, UNSEEN, conclusion, reason, summarise, table
from sigprop.evidence.sigprop.students import SMALL
from sigprop.linear.linearise import ONCE, Modes
from sigprop.numerics.precision import double_precision
from sigprop.tasks.examples import Batch
from tests.sigprop.networks.small import network as draw_small

STEPS, WIDTH, BATCH, GROUPS = 48, 4, 24, 24
FAR = 7.0  # standard errors, of some 24 groups: one comparison in a million is further
LAM = np.array([0.9, -0.5, 0.8 * np.exp(1j), 0.3 - 0.4j])


# --- a network on inputs that are known ---------------------------------------------


def orthogonal(network):
    """A network whose first layer sees its inputs, turned and nothing else."""
    turned, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))
    values = jnp.asarray(turned, jnp.float32), jnp.zeros(WIDTH)
    return eqx.tree_at(
        lambda model: (model.encoder.weight, model.encoder.bias), network, values
    )


@functools.cache
def blur():
    """A network whose memory is much shorter than a sequence."""
    options = {"r_min": 0.3, "r_max": 0.7}
    network, state = draw_small(
        "blur", inputs=WIDTH, depth=2, mixing="half_glu", layer_options=options
    )
    return orthogonal(network), state


def white(draw):
    return draw.normal(size=(BATCH, STEPS, WIDTH))


def correlated(draw):
    x, ratio = draw.normal(size=(BATCH, STEPS, WIDTH)), 0.8
    for t in range(1, STEPS):
        x[:, t] = ratio * x[:, t - 1] + np.sqrt(1 - ratio**2) * x[:, t]
    return x


def growing(draw):
    return white(draw) * np.linspace(0.1, 1, STEPS)[None, :, None]


def shared(draw):
    return np.repeat(white(draw)[..., :1], WIDTH, 2)


SOURCES = {
    "white": white,
    "correlated": correlated,
    "growing": growing,
    "shared": shared,
}


def batches(source, groups=GROUPS, seed=0):
    draw = np.random.default_rng(seed)
    return [
        Batch(
            source(draw).astype(np.float32),
            np.full(BATCH, STEPS),
            draw.integers(0, 2, BATCH),
            np.ones(BATCH, bool),
        )
        for _ in range(groups)
    ]


@functools.cache
def audited(name):
    return audit(*blur(), batches(SOURCES[name]))


def distance(dataset, quantity, rung, block="block 1 backward"):
    """How many standard errors each mode's ratio is from one."""
    case = dataset.sel(recurrence=block, quantity=quantity, rung=rung)
    assert float((case.ratio_sem / case.ratio).max()) < 0.15
    return np.abs((case.ratio - 1) / case.ratio_sem).values


@pytest.mark.parametrize("rung", ["stationary", "infinite", "independent", "white"])
@pytest.mark.parametrize("quantity", ["state", "sensitivity"])
def test_every_assumption_holds_for_white_inputs(quantity, rung):
    dataset = audited("white")
    assert distance(dataset, f"{quantity} at the end", rung).max() < FAR
    if rung == "stationary":
        assert distance(dataset, quantity, rung).max() < FAR
        errors = dataset.ratio_sem.sel(quantity=quantity).isel(recurrence=0)
        assert float(errors.max()) < 0.02


@pytest.mark.parametrize(
    ("name", "holds", "fails", "explanation"),
    [
        ("correlated", "independent", "white", "inputs are not white"),
        ("shared", "infinite", "independent", "channels are correlated"),
        ("growing", None, "stationary", "inputs are not stationary"),
    ],
)
def test_the_assumption_that_fails_is_named(name, holds, fails, explanation):
    dataset, quantity = audited(name), "state at the end"
    assert distance(dataset, quantity, fails).max() > FAR
    if holds:
        assert distance(dataset, quantity, "stationary").max() < FAR
        assert distance(dataset, quantity, holds).max() < FAR
    cause = summarise(dataset).reason.sel(
        recurrence="block 1 backward", quantity=quantity
    )
    assert str(cause.values) == explanation


def test_nothing_is_named_where_theory_holds():
    summary = summarise(audited("white")).sel(recurrence="block 1 forward")
    for quantity in ("state", "state at the end"):
        assert summary.reason.sel(quantity=quantity).values.item() == HOLDS


def test_an_eigenvalue_off_by_five_per_cent_is_noticed(monkeypatch):
    right = auditing.theory
    monkeypatch.setattr(
        auditing, "theory", lambda lam, covariance: right(1.05 * lam, covariance)
    )
    dataset = audit(*blur(), batches(white))
    for quantity in ("state", "sensitivity", "error"):
        assert distance(dataset, quantity, "stationary").max() > FAR


def test_measured_moments_are_exact_in_the_time_time_moments_of_the_inputs():
    network, state = blur()
    known = batches(growing, groups=3)
    dataset = audit(network, state, known).sel(recurrence="block 2 backward")
    half = modes(network.blocks[1].layer)[1]
    all_signals = [
        signals(eqx.nn.inference_mode(network), state, *batch[:3]) for batch in known
    ]
    u, errors = (
        np.concatenate([np.asarray(x[i][1], float)[:, ::-1] for x in all_signals])
        for i in (0, 1)
    )
    v, e = u @ half.inward.T, errors @ half.outward
    age = np.subtract.outer(np.arange(STEPS), np.arange(STEPS))
    power = half.lam[:, None, None] ** np.maximum(age, 0)
    K = {"state": np.where(age >= 0, power, 0)}
    K["sensitivity"] = np.where(age > 0, age * power / half.lam[:, None, None], 0)
    K["error"] = K["state"].swapaxes(1, 2)
    for name, kernel in K.items():
        x = e if name == "error" else v
        second = np.einsum("etn,esn->nts", x, x.conj()) / len(x)
        each = np.real(np.einsum("nts,nsr,ntr->nt", kernel, second, kernel.conj()))
        for quantity in QUANTITIES[:-1]:
            if not quantity.startswith(name):
                continue
            at = {"end": each[:, -1], "start": each[:, 0]}.get(quantity.split()[-1])
            wanted = each.mean(1) if at is None else at
            measured = dataset.measured.sel(quantity=quantity)
            np.testing.assert_allclose(measured, wanted, rtol=1e-10)


def with_delay(draw):
    """Two channels, one the other's past: a mode sees an ``R`` that is not real."""
    x = correlated(draw)[..., :1]
    return np.concatenate([x[:, 1:], x[:, :-1]], 2)


@pytest.mark.parametrize("dependent", [False, True])
def test_gradients_of_independent_signals_are_predicted_and_others_noticed(dependent):
    weights = np.tile([1, 1j], (4, 1))
    half = Modes(LAM, np.eye(4) + 0j, weights, 2 * weights.T, np.zeros((2, 2)))
    steps, count = STEPS - 3, GROUPS * BATCH
    partners = np.roll(np.arange(BATCH), 1)
    sequences = Sequences(np.full(BATCH, steps), np.ones(BATCH, bool), partners)
    known = theory(LAM, np.full(steps, float(count)))
    recurrence = auditing.Recurrence("", half, False, known, count)
    draw = np.random.default_rng(3)
    for _ in range(GROUPS):
        u, other = with_delay(draw), with_delay(draw)
        u, y = u[:, 2:], (u if dependent else other)[:, :-2]
        spectra = [(np.abs(np.fft.fft(x, 128, 1)) ** 2).sum(0).mean(1) for x in (u, y)]
        with double_precision(True):
            recurrence.add(jnp.asarray(u), jnp.asarray(y), spectra, sequences)
    result = recurrence.result()
    off = np.abs(result["ratio"] - 1) / result["ratio_sem"]
    for row in (0, 2, 4):  # state, sensitivity and error, stationary
        assert result["ratio_sem"][row, 1].max() < 0.05
        assert off[row, 1].max() < FAR
        assert off[row, 3].max() > FAR
    assert result["ratio_sem"][-1, :2].max() < 0.3
    if dependent:
        assert min(off[-1, 0].max(), off[-1, 1].max()) > FAR
    else:
        assert max(off[-1, 0].max(), off[-1, 1].max()) < FAR


# --- gradients, padding and rows that do not count ----------------------------------


def ragged(pair, groups=2, pad=0.0):
    """Sequences of all lengths; ``pad`` fills padding and a row that is not valid."""
    draw, result = np.random.default_rng(0), []
    shape = (BATCH, 2) if pair else (BATCH,)
    for _ in range(groups):
        inputs = draw.normal(size=(*shape, STEPS, WIDTH)).astype(np.float32)
        lengths = draw.integers(1, STEPS + 1, shape)
        inputs[np.arange(STEPS) >= lengths[..., None]] = pad
        inputs[-1] += pad
        labels = draw.integers(0, 2, BATCH)
        result.append(Batch(inputs, lengths, labels, np.arange(BATCH) < BATCH - 1))
    return result


def slope_moments(network, state, known):
    """``|dL/dlam|^2`` by JAX through the parameters of the first block, example-wise."""
    network = eqx.nn.inference_mode(network)

    def loss(layer, u, length, label):
        tower = (lambda n: n.tower) if hasattr(network, "tower") else (lambda n: n)
        moved = eqx.tree_at(lambda n: tower(n).blocks[0].layer, network, layer)
        scores, _ = moved(u, state, length=length)
        return optax.losses.softmax_cross_entropy_with_integer_labels(scores, label)

    tower = getattr(network, "tower", network)
    layer = tower.blocks[0].layer

    @eqx.filter_jit
    def grad(layer, u, lengths, labels):
        each = eqx.filter_vmap(eqx.filter_grad(loss), in_axes=(None, 0, 0, 0))
        return each(layer, u, lengths, labels)

    gradients = [
        jax.tree.map(lambda x, batch=batch: x[batch.valid], grad(layer, *batch[:3]))
        for batch in known
    ]
    return layer, jax.tree.map(lambda *x: np.concatenate(x).astype(float), *gradients)


def test_gradients_of_both_halves_are_those_of_jax():
    network, state = blur()
    known = ragged(False)
    dataset = audit(network, state, known)
    layer, gradients = slope_moments(network, state, known)
    nu, turn = (np.exp(np.asarray(x, float)) for x in (layer.nu_log, layer.theta_log))
    squares = (gradients.nu_log / nu) ** 2 + (gradients.theta_log / turn) ** 2
    wanted = squares.mean(0) * np.exp(2 * nu)
    for i, side in enumerate(("forward", "backward")):
        case = dataset.sel(recurrence=f"block 1 {side}")
        measured = case.measured.sel(quantity="gradient")
        np.testing.assert_allclose(measured, wanted[i], rtol=2e-4)
    shaken = audit(network, state, ragged(False, pad=7.0))
    for name in ("measured", "predicted"):
        np.testing.assert_array_equal(shaken[name], dataset[name])


@pytest.mark.slow
def test_gradients_of_pairs_add_up_to_those_of_jax():
    network, state = draw_small(
        "complex_diagonal", inputs=WIDTH, head="pair", norm="batch"
    )
    known = ragged(True)
    layer, gradients = slope_moments(network, state, known)
    half = modes(layer)[0]
    total, squares = [], []
    for batch in known:
        ready = eqx.nn.inference_mode(network)
        u, errors = (np.asarray(x[0], float) for x in signals(ready, state, *batch[:3]))
        v, e = u @ half.inward.T, errors @ half.outward
        z = s = gradient = np.zeros((2 * BATCH, WIDTH), complex)
        for t in range(STEPS):
            z, s = half.lam * z + v[:, t], half.lam * s + z
            gradient = gradient + e[:, t] * s
        gradient = gradient.reshape(BATCH, 2, WIDTH)[batch.valid]
        total.append(gradient.sum(1))
        squares.append(np.abs(gradient.reshape(-1, WIDTH)) ** 2)
    wanted = gradients.first - 1j * gradients.second
    np.testing.assert_allclose(np.concatenate(total), wanted, rtol=1e-3, atol=1e-6)
    measured = audit(network, state, known).measured.sel(quantity="gradient")[0]
    np.testing.assert_allclose(measured, np.concatenate(squares).mean(0), rtol=1e-6)
    sequences = sequences_of(known[0])
    assert (sequences.partners[:-2] // 2 != np.arange(2 * BATCH - 2) // 2).all()
    assert sequences.partners[-2:].tolist() == [2 * BATCH - 2, 2 * BATCH - 1]
    assert sequences.paired.tolist() == sequences.valid.tolist()


@pytest.mark.parametrize(
    "name",
    [
        "rotrnn",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("block", "lru")),
    ],
)
def test_modes_make_the_layer(name, x64):
    layer = SMALL[name](np.random.default_rng(0))
    u = np.random.default_rng(1).normal(size=(12, 2))
    wanted = jax.jit(lambda u: layer(u), compiler_options=ONCE)(u)
    outputs = np.zeros((12, 2))
    for index, half in enumerate(modes(layer)):
        z = np.zeros(len(half.lam), complex)
        for t in range(12):
            at = 11 - t if index else t
            z = half.lam * z + half.inward @ u[at]
            outputs[at] += np.real(half.outward @ z)
            outputs[at] += 0 if index else half.skip @ u[at]
    np.testing.assert_allclose(outputs, wanted, rtol=1e-10)


# --- what it says, and what it refuses ----------------------------------------------


def test_a_layer_that_is_not_linear_has_no_closed_form():
    dataset = audit(*draw_small("nonlinear_rnn", inputs=WIDTH, depth=2), ragged(False))
    assert dataset.sizes["mode"] == 0
    assert list(dataset.recurrence.values) == ["block 1", "block 2"]
    assert set(dataset.note.values) == {"no closed form: not linear"}
    assert "not linear" in shown(dataset)
    assert conclusion(dataset) == "No layer has a moment with a closed form."


def shown(dataset):
    console = Console(width=150)
    with console.capture() as capture:
        console.print(table(dataset))
    return capture.get()


def test_the_table_tells_the_ratios_and_the_reason():
    text = shown(audited("shared"))
    for part in (
        "block 2 forward",
        "sensitivity at the end",
        "correlated",
        "stationary",
        "576",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("medians", "explanation"),
    [
        ((np.nan, 1.2, 1, 1, 1), "errors are not stationary"),
        ((np.nan, 1.05, 0.8, 1, 1), "memory is cut by the sequence's length"),
        ((np.nan, 1, np.nan, 0.95, 1), HOLDS),
        ((np.nan,) * 5, UNSEEN),
    ],
)
def test_the_first_assumption_that_fails_is_the_reason(medians, explanation):
    ladder = ("shuffled", "stationary", "infinite", "independent", "white")
    assert reason("error", dict(zip(ladder, medians, strict=True))) == explanation


def test_the_conclusion_counts_what_holds_and_what_fails_first():
    dataset = audited("shared")
    reasons = summarise(dataset)["reason"].values.ravel().tolist()
    text = conclusion(dataset)
    count = reasons.count(HOLDS)
    assert text.startswith(f"Theory predicts {count} of {len(reasons)} moments within")
    for why in set(reasons) - {HOLDS}:
        assert f"{why} ({reasons.count(why)})" in text
    assert "The first assumption to fail elsewhere: channels are correlated" in text


def test_one_batch_is_cut_into_groups():
    batch, model = (
        batches(white, groups=1)[0],
        draw_small("nonlinear_rnn", inputs=WIDTH),
    )
    dataset = audit(*model, batch)
    assert (dataset.attrs["examples"], dataset.attrs["batches"]) == (24, 12)


def test_what_does_not_fit_is_refused():
    network, state = blur()
    good = batches(white, groups=2)
    with pytest.raises(ValueError, match="need two batches or more"):
        audit(network, state, good[:1])
    other = good[1]._replace(inputs=np.zeros((BATCH, STEPS + 1, WIDTH), np.float32))
    with pytest.raises(ValueError, match="of one padded length"):
        audit(network, state, [good[0], other])
    for change, message in (
        ({"labels": np.full(BATCH, 2)}, "need labels from 0 to 1, got 2 to 2"),
        ({"lengths": np.full(BATCH, STEPS + 1)}, "need 1 <= length <= 48"),
        ({"lengths": np.full((BATCH, 2), 3)}, "need lengths"),
        ({"inputs": good[0].inputs[..., :2]}, "need real inputs of shape"),
        ({"inputs": good[0].inputs.astype(int)}, "need real inputs of shape"),
    ):
        with pytest.raises(ValueError, match=message):
            audit(network, state, [good[0]._replace(**change), good[1]])
    with pytest.raises(ValueError, match="need a network with one answer a sequence"):
        audit(*draw_small("nonlinear_rnn", inputs=WIDTH, pooling="none"), good)
