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


def orthogonal(made):
    """A network whose first layer sees its inputs, turned and nothing else."""
    turned, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))
    values = jnp.asarray(turned, jnp.float32), jnp.zeros(WIDTH)
    return eqx.tree_at(lambda one: (one.encoder.weight, one.encoder.bias), made, values)


@functools.cache
def blur():
    """A network whose memory is much shorter than a sequence."""
    options = {"r_min": 0.3, "r_max": 0.7}
    made, state = draw_small(
        "blur", inputs=WIDTH, depth=2, mixing="half_glu", layer_options=options
    )
    return orthogonal(made), state


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


def distance(found, quantity, rung, block="block 1 backward"):
    """How many standard errors each mode's ratio is from one."""
    one = found.sel(recurrence=block, quantity=quantity, rung=rung)
    assert float((one.ratio_sem / one.ratio).max()) < 0.15
    return np.abs((one.ratio - 1) / one.ratio_sem).values


@pytest.mark.parametrize("rung", ["stationary", "infinite", "independent", "white"])
@pytest.mark.parametrize("quantity", ["state", "sensitivity"])
def test_every_assumption_holds_for_white_inputs(quantity, rung):
    found = audited("white")
    assert distance(found, f"{quantity} at the end", rung).max() < FAR
    if rung == "stationary":
        assert distance(found, quantity, rung).max() < FAR
        seen = found.ratio_sem.sel(quantity=quantity).isel(recurrence=0)
        assert float(seen.max()) < 0.02


@pytest.mark.parametrize(
    ("name", "holds", "fails", "words"),
    [
        ("correlated", "independent", "white", "inputs are not white"),
        ("shared", "infinite", "independent", "channels are correlated"),
        ("growing", None, "stationary", "inputs are not stationary"),
    ],
)
def test_the_assumption_that_fails_is_named(name, holds, fails, words):
    found, quantity = audited(name), "state at the end"
    assert distance(found, quantity, fails).max() > FAR
    if holds:
        assert distance(found, quantity, "stationary").max() < FAR
        assert distance(found, quantity, holds).max() < FAR
    told = summarise(found).reason.sel(recurrence="block 1 backward", quantity=quantity)
    assert str(told.values) == words


def test_nothing_is_named_where_theory_holds():
    told = summarise(audited("white")).sel(recurrence="block 1 forward")
    for quantity in ("state", "state at the end"):
        assert told.reason.sel(quantity=quantity).values.item() == HOLDS


def test_an_eigenvalue_off_by_five_per_cent_is_noticed(monkeypatch):
    right = auditing.theory
    monkeypatch.setattr(auditing, "theory", lambda lam, held: right(1.05 * lam, held))
    found = audit(*blur(), batches(white))
    for quantity in ("state", "sensitivity", "error"):
        assert distance(found, quantity, "stationary").max() > FAR


def test_measured_moments_are_exact_in_the_time_time_moments_of_the_inputs():
    made, state = blur()
    known = batches(growing, groups=3)
    found = audit(made, state, known).sel(recurrence="block 2 backward")
    half = modes(made.blocks[1].layer)[1]
    seen = [signals(eqx.nn.inference_mode(made), state, *one[:3]) for one in known]
    u, errors = (
        np.concatenate([np.asarray(x[i][1], float)[:, ::-1] for x in seen])
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
        for place in QUANTITIES[:-1]:
            if not place.startswith(name):
                continue
            at = {"end": each[:, -1], "start": each[:, 0]}.get(place.split()[-1])
            wanted = each.mean(1) if at is None else at
            measured = found.measured.sel(quantity=place)
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
    one = auditing.Recurrence("", half, False, known, count)
    draw = np.random.default_rng(3)
    for _ in range(GROUPS):
        u, other = with_delay(draw), with_delay(draw)
        u, y = u[:, 2:], (u if dependent else other)[:, :-2]
        spectra = [(np.abs(np.fft.fft(x, 128, 1)) ** 2).sum(0).mean(1) for x in (u, y)]
        with double_precision(True):
            one.add(jnp.asarray(u), jnp.asarray(y), spectra, sequences)
    result = one.result()
    off = np.abs(result["ratio"] - 1) / result["ratio_sem"]
    for place in (0, 2, 4):  # state, sensitivity and error, stationary
        assert result["ratio_sem"][place, 1].max() < 0.05
        assert off[place, 1].max() < FAR
        assert off[place, 3].max() > FAR
    assert result["ratio_sem"][-1, :2].max() < 0.3
    if dependent:
        assert min(off[-1, 0].max(), off[-1, 1].max()) > FAR
    else:
        assert max(off[-1, 0].max(), off[-1, 1].max()) < FAR


# --- gradients, padding and rows that do not count ----------------------------------


def ragged(pair, groups=2, pad=0.0):
    """Sequences of all lengths; ``pad`` fills padding and a row that is not valid."""
    draw, found = np.random.default_rng(0), []
    shape = (BATCH, 2) if pair else (BATCH,)
    for _ in range(groups):
        inputs = draw.normal(size=(*shape, STEPS, WIDTH)).astype(np.float32)
        lengths = draw.integers(1, STEPS + 1, shape)
        inputs[np.arange(STEPS) >= lengths[..., None]] = pad
        inputs[-1] += pad
        labels = draw.integers(0, 2, BATCH)
        found.append(Batch(inputs, lengths, labels, np.arange(BATCH) < BATCH - 1))
    return found


def slope_moments(made, state, known):
    """``|dL/dlam|^2`` by JAX through the parameters of the first block, example-wise."""
    made = eqx.nn.inference_mode(made)

    def loss(layer, u, length, label):
        tower = (lambda n: n.tower) if hasattr(made, "tower") else (lambda n: n)
        moved = eqx.tree_at(lambda n: tower(n).blocks[0].layer, made, layer)
        scores, _ = moved(u, state, length=length)
        return optax.losses.softmax_cross_entropy_with_integer_labels(scores, label)

    tower = getattr(made, "tower", made)
    layer = tower.blocks[0].layer

    @eqx.filter_jit
    def grad(layer, u, lengths, labels):
        each = eqx.filter_vmap(eqx.filter_grad(loss), in_axes=(None, 0, 0, 0))
        return each(layer, u, lengths, labels)

    slopes = [
        jax.tree.map(lambda x, one=one: x[one.valid], grad(layer, *one[:3]))
        for one in known
    ]
    return layer, jax.tree.map(lambda *x: np.concatenate(x).astype(float), *slopes)


def test_gradients_of_both_halves_are_those_of_jax():
    made, state = blur()
    known = ragged(False)
    found = audit(made, state, known)
    layer, slopes = slope_moments(made, state, known)
    nu, turn = (np.exp(np.asarray(x, float)) for x in (layer.nu_log, layer.theta_log))
    squares = (slopes.nu_log / nu) ** 2 + (slopes.theta_log / turn) ** 2
    wanted = squares.mean(0) * np.exp(2 * nu)
    for i, side in enumerate(("forward", "backward")):
        one = found.sel(recurrence=f"block 1 {side}")
        measured = one.measured.sel(quantity="gradient")
        np.testing.assert_allclose(measured, wanted[i], rtol=2e-4)
    shaken = audit(made, state, ragged(False, pad=7.0))
    for name in ("measured", "predicted"):
        np.testing.assert_array_equal(shaken[name], found[name])


@pytest.mark.slow
def test_gradients_of_pairs_add_up_to_those_of_jax():
    made, state = draw_small(
        "complex_diagonal", inputs=WIDTH, head="pair", norm="batch"
    )
    known = ragged(True)
    layer, slopes = slope_moments(made, state, known)
    half = modes(layer)[0]
    total, squares = [], []
    for one in known:
        ready = eqx.nn.inference_mode(made)
        u, errors = (np.asarray(x[0], float) for x in signals(ready, state, *one[:3]))
        v, e = u @ half.inward.T, errors @ half.outward
        z = s = found = np.zeros((2 * BATCH, WIDTH), complex)
        for t in range(STEPS):
            z, s = half.lam * z + v[:, t], half.lam * s + z
            found = found + e[:, t] * s
        found = found.reshape(BATCH, 2, WIDTH)[one.valid]
        total.append(found.sum(1))
        squares.append(np.abs(found.reshape(-1, WIDTH)) ** 2)
    wanted = slopes.first - 1j * slopes.second
    np.testing.assert_allclose(np.concatenate(total), wanted, rtol=1e-3, atol=1e-6)
    measured = audit(made, state, known).measured.sel(quantity="gradient")[0]
    np.testing.assert_allclose(measured, np.concatenate(squares).mean(0), rtol=1e-6)
    sequences = sequences_of(known[0])
    assert (sequences.partners[:-2] // 2 != np.arange(2 * BATCH - 2) // 2).all()
    assert sequences.partners[-2:].tolist() == [2 * BATCH - 2, 2 * BATCH - 1]
    assert sequences.paired.tolist() == sequences.valid.tolist()


@pytest.mark.parametrize(
    "name",
    [
        "rotrnn",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("block", "lru")),
    ],
)
def test_modes_make_the_layer(name, x64):
    layer = SMALL[name](np.random.default_rng(0))
    u = np.random.default_rng(1).normal(size=(12, 2))
    wanted = jax.jit(lambda u: layer(u), compiler_options=ONCE)(u)
    found = np.zeros((12, 2))
    for place, half in enumerate(modes(layer)):
        z = np.zeros(len(half.lam), complex)
        for t in range(12):
            at = 11 - t if place else t
            z = half.lam * z + half.inward @ u[at]
            found[at] += np.real(half.outward @ z)
            found[at] += 0 if place else half.skip @ u[at]
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


# --- what it says, and what it refuses ----------------------------------------------


def test_a_layer_that_is_not_linear_has_no_closed_form():
    found = audit(*draw_small("nonlinear_rnn", inputs=WIDTH, depth=2), ragged(False))
    assert found.sizes["mode"] == 0
    assert list(found.recurrence.values) == ["block 1", "block 2"]
    assert set(found.note.values) == {"no closed form: not linear"}
    assert "not linear" in shown(found)
    assert conclusion(found) == "No layer has a moment with a closed form."


def shown(found):
    console = Console(width=150)
    with console.capture() as capture:
        console.print(table(found))
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
    ("medians", "words"),
    [
        ((np.nan, 1.2, 1, 1, 1), "errors are not stationary"),
        ((np.nan, 1.05, 0.8, 1, 1), "memory is cut by the sequence's length"),
        ((np.nan, 1, np.nan, 0.95, 1), HOLDS),
        ((np.nan,) * 5, UNSEEN),
    ],
)
def test_the_first_assumption_that_fails_is_the_reason(medians, words):
    ladder = ("shuffled", "stationary", "infinite", "independent", "white")
    assert reason("error", dict(zip(ladder, medians, strict=True))) == words


def test_the_conclusion_counts_what_holds_and_what_fails_first():
    found = audited("shared")
    reasons = summarise(found)["reason"].values.ravel().tolist()
    told = conclusion(found)
    held = reasons.count(HOLDS)
    assert told.startswith(f"Theory predicts {held} of {len(reasons)} moments within")
    for why in set(reasons) - {HOLDS}:
        assert f"{why} ({reasons.count(why)})" in told
    assert "The first assumption to fail elsewhere: channels are correlated" in told


def test_one_batch_is_cut_into_groups():
    whole, made = batches(white, groups=1)[0], draw_small("nonlinear_rnn", inputs=WIDTH)
    found = audit(*made, whole)
    assert (found.attrs["examples"], found.attrs["batches"]) == (24, 12)


def test_what_does_not_fit_is_refused():
    made, state = blur()
    good = batches(white, groups=2)
    with pytest.raises(ValueError, match="need two batches or more"):
        audit(made, state, good[:1])
    other = good[1]._replace(inputs=np.zeros((BATCH, STEPS + 1, WIDTH), np.float32))
    with pytest.raises(ValueError, match="of one padded length"):
        audit(made, state, [good[0], other])
    for change, words in (
        ({"labels": np.full(BATCH, 2)}, "need labels from 0 to 1, got 2 to 2"),
        ({"lengths": np.full(BATCH, STEPS + 1)}, "need 1 <= length <= 48"),
        ({"lengths": np.full((BATCH, 2), 3)}, "need lengths"),
        ({"inputs": good[0].inputs[..., :2]}, "need real inputs of shape"),
        ({"inputs": good[0].inputs.astype(int)}, "need real inputs of shape"),
    ):
        with pytest.raises(ValueError, match=words):
            audit(made, state, [good[0]._replace(**change), good[1]])
    with pytest.raises(ValueError, match="need a network with one answer a sequence"):
        audit(*draw_small("nonlinear_rnn", inputs=WIDTH, pooling="none"), good)
