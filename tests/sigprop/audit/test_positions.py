"""State power over positions: against double sums, simulations and planted failures."""

import jax
import numpy as np
import pytest
from scipy.linalg import toeplitz

from sigprop.audit import assumptions, merging, positions
from sigprop.audit.moments import alive, moment, theory
from sigprop.audit.network import modes
from sigprop.audit.windows import LEVEL, jackknife
from sigprop.layers.blur import blur
from sigprop.linear.linearise import Modes

LAM = np.array([0.9, -0.5, 0.8 * np.exp(1j), 0.3 - 0.4j])
STEPS, BLOCKS, NUM = 40, 12, 60


def half(seed=0, width=3):
    draw = np.random.default_rng(seed)
    inward = draw.normal(size=(len(LAM), width)) + 1j * draw.normal(
        size=(len(LAM), width)
    )
    outward = draw.normal(size=(2, len(LAM))) - 1j * draw.normal(size=(2, len(LAM)))
    return Modes(LAM, np.eye(len(LAM)) + 0j, inward, outward, np.zeros((2, width)))


def own_covariances(seed=1):
    """Of complex processes, one a mode: moving averages of random weights."""
    draw = np.random.default_rng(seed)
    weights = draw.normal(size=(len(LAM), 6)) + 1j * draw.normal(size=(len(LAM), 6))
    lags = [
        (weights[:, lag:] * weights[:, : 6 - lag].conj()).sum(1) for lag in range(6)
    ]
    return np.concatenate([np.stack(lags, 1), np.zeros((len(LAM), STEPS - 6))], 1)


def test_growth_is_the_double_sum_at_every_step():
    covariance = own_covariances()
    growth = positions.growth(LAM, covariance)
    for lam, own, grown in zip(LAM, covariance, growth, strict=True):
        matrix = toeplitz(own, own.conj())  # E[v_s v_t*] of lag s - t
        for steps in (1, 2, 7, STEPS):
            kernel = lam ** np.arange(steps)[::-1]
            direct = kernel @ matrix[:steps, :steps] @ kernel.conj()
            assert grown[steps - 1] == pytest.approx(direct.real, rel=1e-10)
    turned = positions.growth(LAM, covariance.conj())
    assert (
        np.abs(turned[2:] / growth[2:] - 1).max() > 0.05
    )  # complex modes tell them apart


def test_growth_ends_where_the_audit_of_moments_has_it():
    covariance = own_covariances(2)
    last = theory(LAM, alive(np.full(3, STEPS), STEPS)).last[0]
    np.testing.assert_allclose(
        positions.growth(LAM, covariance)[:, -1], moment(last, covariance), rtol=1e-9
    )


def stationary(draw, width=3):
    """An AR(1) in its stationary state, in every channel by itself."""
    x = draw.normal(size=(NUM, STEPS, width))
    for t in range(1, STEPS):
        x[:, t] = 0.7 * x[:, t - 1] + np.sqrt(1 - 0.49) * x[:, t]
    return x


def dying(draw):
    return stationary(draw) * np.linspace(1.0, 0.1, STEPS)[:, None]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("turned", [False, True])
def test_stationary_inputs_have_the_power_that_is_predicted(turned, seed):
    draw, layer_half = np.random.default_rng(seed), half()
    parts = [
        positions.sums(layer_half, stationary(draw), turned=turned)
        for _ in range(BLOCKS)
    ]
    profile = positions.profile(layer_half, parts, turned=turned)
    low, middle, high = profile.measured
    grown = profile.predicted[0]
    inside = (low <= grown) & (grown <= high)
    assert inside.mean() > 0.75  # of 95 % each, and correlated
    np.testing.assert_allclose(grown / middle, 1, atol=0.15)
    first, last = (0, -1) if not turned else (-1, 0)
    assert grown[first] < 0.8 * grown[last]  # an edge of its own, where it starts
    assert (np.abs(profile.edges[1] - 1) < 0.1).all()
    white = profile.ratio[1, positions.RUNGS.index("white")]
    assert white < 0.8  # correlation is missed


def test_inputs_that_die_away_break_the_edges():
    draw, layer_half = np.random.default_rng(5), half()
    profile = positions.profile(
        layer_half, [positions.sums(layer_half, dying(draw)) for _ in range(BLOCKS)]
    )
    low, _, high = profile.edges
    assert high[0] < 0.9  # more than predicted at the start
    assert low[1] > 1.1
    assert abs(profile.ratio[1, 0] - 1) < 0.25  # averaged over the window it hides


def test_an_edge_is_a_tenth_of_the_window_in_the_order_of_time():
    draw, layer_half = np.random.default_rng(6), half()
    parts = [
        positions.sums(layer_half, dying(draw)[:, ::-1], turned=True)
        for _ in range(BLOCKS)
    ]
    profile = positions.profile(layer_half, parts, turned=True)
    assert profile.edges[0, 0] > 1.1  # the backward half meets the strong end first
    assert profile.edges[2, 1] < 0.9


def test_the_jackknife_of_a_mean_is_its_standard_error_and_a_bias_goes():
    draw = np.random.default_rng(0)
    parts = [(1, float(x)) for x in draw.normal(3, 1, 10)]
    values = np.array([x for _, x in parts])
    low, middle, high = jackknife(parts, lambda sums: sums[1] / sums[0])
    assert middle == pytest.approx(values.mean())
    reach = 2.2621571628 * values.std(ddof=1) / np.sqrt(10)  # t of nine, 97.5 %
    assert (low, high) == pytest.approx((middle - reach, middle + reach))
    assert LEVEL == 0.95
    _, square, _ = jackknife(parts, lambda sums: (sums[1] / sums[0]) ** 2)
    assert square == pytest.approx(values.mean() ** 2 - values.var(ddof=1) / 10)


# --- assumptions --------------------------------------------------------------------

PLACES = 8
PLANTED = {
    "stationary": lambda x, season: x * np.linspace(1, 0.5, x.shape[1])[:, None],
    "seasonless": lambda x, season: x + np.cos(2 * np.pi * season / PLACES)[..., None],
    "Gaussian": lambda x, season: np.sign(x),
    "independent": lambda x, season: x + 2 * x[..., :1],
    "white": lambda x, season: x + 0.5 * np.roll(x, 1, 1),
    "white, a season apart": lambda x, season: x + np.roll(x, PLACES, 1),
}


def numbers(change, seed):
    draw = np.random.default_rng(seed)
    parts = []
    for _ in range(BLOCKS):
        season = (draw.integers(PLACES, size=(NUM, 1)) + np.arange(STEPS)) % PLACES
        x = change(draw.normal(size=(NUM, STEPS, 3)), season)
        parts.append(assumptions.sums(x, season, PLACES))
    names = list(assumptions.ASSUMPTIONS)
    return {
        name: interval
        for name, *interval in zip(names, *assumptions.measured(parts), strict=True)
    }


@pytest.mark.parametrize("seed", [1, 3])
def test_white_gaussian_channels_keep_every_assumption(seed):
    for name, (low, middle, high) in numbers(lambda x, season: x, seed).items():
        wide = (high - low) / 2
        assert abs(middle - assumptions.ASSUMPTIONS[name]) < 2.5 * wide, name
        assert 0 < wide < 0.1, name


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_failure_is_found_where_it_is(name):
    low, middle, high = numbers(PLANTED[name], 2)[name]
    wide = (high - low) / 2
    assert abs(middle - assumptions.ASSUMPTIONS[name]) > 5 * wide


def test_the_numbers_are_what_they_say():
    values = numbers(PLANTED["seasonless"], 4)
    assert values["seasonless"][1] == pytest.approx(0.5 / 1.5, abs=0.01)
    assert numbers(PLANTED["stationary"], 4)["stationary"][1] == pytest.approx(
        np.mean(np.linspace(1, 0.5, STEPS)[-10:] ** 2)
        / np.mean(np.linspace(1, 0.5, STEPS)[:10] ** 2),
        rel=0.02,
    )
    assert numbers(PLANTED["Gaussian"], 4)["Gaussian"][1] == pytest.approx(1, abs=0.01)
    assert numbers(PLANTED["white"], 4)["white"][1] == pytest.approx(0.4, abs=0.01)
    interval = numbers(lambda x, season: np.repeat(x[..., :1], 3, 2), 4)["independent"]
    assert interval[1] == pytest.approx(1 / 3)


def test_what_cannot_be_seen_is_no_number():
    draw, season = np.random.default_rng(0), np.zeros((NUM, STEPS), int)
    parts = [
        assumptions.sums(draw.normal(size=(NUM, STEPS, 1)), season, 1) for _ in range(3)
    ]
    values = dict(
        zip(assumptions.ASSUMPTIONS, assumptions.measured(parts)[1], strict=True)
    )
    assert np.isnan(values["independent"])
    assert np.isnan(values["seasonless"])
    assert np.isfinite(values["white"])


# --- the merge ----------------------------------------------------------------------


def two_halves(seed=0, width=3):
    return half(seed, width), half(seed + 10, width)._replace(lam=0.9 * LAM[::-1])


def responses(halves, steps, at):
    """Real numbers of both states at a step on every input, one column each."""
    columns = []
    for t in range(steps):
        for channel in range(halves[0].inward.shape[1]):
            u = np.zeros((steps, halves[0].inward.shape[1]))
            u[t, channel] = 1
            h, g = np.zeros((2, len(LAM)), complex)
            for row in u[: at + 1]:
                h = halves[0].lam * h + halves[0].inward @ row
            for row in u[at:][::-1]:
                g = halves[1].lam * g + halves[1].inward @ row
            columns.append(np.concatenate([h.real, h.imag, g.real, g.imag]))
    return np.stack(columns, 1)


def test_the_gram_matrix_is_that_of_the_responses():
    halves = two_halves()
    explicit = responses(halves, 9, 5)
    np.testing.assert_allclose(
        merging.response_gram(halves, 9, 5), explicit @ explicit.T, atol=1e-10
    )


@pytest.mark.parametrize(("steps", "at"), [(9, 5), (3, 1), (9, 0)])
def test_ranks_are_those_of_the_responses(steps, at):
    halves = two_halves(width=1)
    explicit = responses(halves, steps, at)
    merge = merging.merge_of(halves)
    n = 2 * len(LAM)
    parts = explicit[:n], explicit[n:], explicit, merge @ explicit
    expected = [
        np.linalg.matrix_rank(part, 1e-6 * np.linalg.norm(part, 2)) for part in parts
    ]
    assert list(merging.ranks(halves, steps, at).values()) == expected
    assert expected[3] <= 2 < expected[2] or steps == 3


def test_the_merge_is_what_the_layer_reads_of_its_states():
    layer = blur(4, 3, key=jax.random.key(0), r_min=0.5, r_max=0.9)
    u = jax.random.normal(jax.random.key(1), (7, 3))
    states = layer.states(u)
    read = np.asarray(layer.read(states, u) - layer.read(0 * states, u))
    h, g = np.split(np.asarray(states), 2, 1)
    numbers = np.concatenate([h.real, h.imag, g.real, g.imag], 1)
    merged = numbers @ merging.merge_of(tuple(modes(layer))).T
    np.testing.assert_allclose(merged, read, atol=1e-5)
    gram = merging.sums(tuple(modes(layer)), np.asarray(u)[None]).products
    np.testing.assert_allclose(gram, numbers.T @ numbers, atol=1e-4)


def test_a_merge_that_is_invertible_keeps_all_and_one_of_one_half_nothing_of_the_other():
    draw, halves = np.random.default_rng(0), two_halves()
    u = [draw.normal(size=(20, STEPS, 3)) for _ in range(6)]
    many = draw.normal(size=(16, 8)) + 1j * draw.normal(size=(16, 8))
    full = tuple(
        layer_half._replace(outward=many[:, part])
        for layer_half, part in zip(halves, (slice(4), slice(4, 8)), strict=True)
    )
    parts = [merging.sums(full, sequence) for sequence in u]
    np.testing.assert_allclose(merging.retained_share(full, parts)[1], 1, atol=1e-6)
    own = [
        layer_half.inward * mask
        for layer_half, mask in zip(full, ([1, 0, 0], [0, 1, 1]), strict=True)
    ]
    deaf = (
        full[0]._replace(inward=own[0]),
        full[1]._replace(inward=own[1], outward=0 * full[1].outward),
    )
    parts = [merging.sums(deaf, sequence) for sequence in u]
    forward, backward, pair = merging.retained_share(deaf, parts)[1]
    assert forward == pytest.approx(1, abs=1e-6)
    assert backward == pytest.approx(0, abs=0.05)  # it sees other channels
    power = np.diag(sum(part.products for part in parts))
    share = (power[:8].sum() * forward + power[8:].sum() * backward) / power.sum()
    assert pair == pytest.approx(share, abs=0.01)
