"""Statistics of any system are judged; what has no trustworthy verdict is refused."""

import math
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import jaxtyping
import numpy as np
import pytest
from sympy import Symbol

from sigprop import AR1, Empirical, White
from sigprop.judge import statistics
from sigprop.judge.statistics import PILOT, Simulation
from sigprop.layers import lru
from sigprop.networks import NetworkConfig, build
from sigprop.numerics.precision import double_precision
from sigprop.testing import assert_moment, trajectory
from sigprop.theory.symbols import R, T, lam, lam_bar, r, rho

KEY = jax.random.key(2)
HOW = {"steps": 6, "margin": 0.1}


def identity(x):
    return x[:, None]


def outcomes(answer):
    return [str(verdict.outcome) for verdict in answer.verdicts]


def last(system, x):
    return system(x)[-1, 0]


def power(exponent, factor=1.0):
    def statistic(system, x):
        return factor * system(x)[-1, 0] ** exponent

    return statistic


# --- what the margin is relative to ---------------------------------------------------


@pytest.mark.parametrize("seed", [1, 7])
@pytest.mark.parametrize(
    ("truth", "statistic"), [(-2.0, power(2, -2.0)), (3.0, power(4))]
)
def test_a_mean_of_either_sign_is_judged_relative_to_the_formula(
    truth, statistic, seed
):
    answer = assert_moment(truth, identity, White(), statistic, seed=seed, **HOW)
    assert outcomes(answer) == ["confirmed"]
    assert answer.expected == (truth,)
    assert answer.verdicts[0].ratio == pytest.approx(answer.measured[0] / truth)
    for factor in (1.12, 0.88, -1.0):
        with pytest.raises(AssertionError, match="refuted"):
            assert_moment(
                factor * truth, identity, White(), statistic, seed=seed, **HOW
            )


def test_a_zero_is_judged_relative_to_the_root_mean_square():
    def shifted(by):
        return lambda system, x: 3 * (x[-1] + by)

    answer = assert_moment(0, identity, White(), shifted(0.0), **HOW)
    (verdict,) = answer.verdicts
    assert verdict.outcome == "confirmed"
    assert verdict.ratio - 1 == pytest.approx(answer.measured[0] / 3, rel=0.03)
    with pytest.raises(
        AssertionError, match=r"formula 0, a mean of \[0\.0\d+, 0\.1\d+\]"
    ):
        assert_moment(0, identity, White(), shifted(0.11), **HOW)
    # Within a tenth of the root mean square, but not within a hundredth.
    assert_moment(0, identity, White(), shifted(0.02), **HOW)
    with pytest.raises(AssertionError, match="refuted"):
        assert_moment(0, identity, White(), shifted(0.02), steps=6, margin=0.01)


def test_a_formula_that_the_pilot_contradicts_takes_few_samples():
    with pytest.raises(AssertionError, match=f"on {PILOT} trajectories"):
        assert_moment(1e-3, identity, White(), power(2), steps=6, margin=0.01)


def test_the_components_share_the_largest_sample_size():
    def both(system, x):
        return jnp.stack([x[-1] ** 2, 10 + x[-1]])

    answer = assert_moment([1.0, 10.0], identity, White(), both, **HOW)
    sizes = {verdict.n for verdict in answer.verdicts}
    assert len(sizes) == 1
    assert sizes.pop() > 25_000


def test_samples_that_vary_more_than_the_pilot_get_no_verdict(monkeypatch):
    batches = statistics.over_batches

    def wider(task, num, *arguments, **more):
        values = batches(task, num, *arguments, **more)
        if num == PILOT:
            return values
        return [part._replace(second=2 * part.second) for part in values]

    monkeypatch.setattr(statistics, "over_batches", wider)
    with pytest.raises(AssertionError, match="inconclusive"):
        assert_moment(1.0, identity, White(), power(2), **HOW)


# --- systems and formulas -------------------------------------------------------------


def test_a_single_eigenvalue_belongs_to_each_component():
    def lags(lam, x):
        h = trajectory(lam, x).states[:, 0].real
        return jnp.stack([h[-1] * h[-1], h[-1] * h[-2]])

    formula = [lambda s: s.lam.real**s.component / (1 - abs(s.lam) ** 2)]
    answer = assert_moment(formula[0], [0.6], White(), lags, margin=0.1)
    assert answer.expected == pytest.approx((1 / 0.64, 0.6 / 0.64))
    with pytest.raises(AssertionError, match=r"neuron 1 \(lam=0\.6, white, T=\d+\)"):
        assert_moment(1 / (1 - lam * lam_bar), [0.6], White(), lags, margin=0.1)


def test_several_eigenvalues_belong_to_as_many_components():
    def modulus(lam, x):
        return jnp.abs(trajectory(lam, x).states[-1]) ** 2

    form = 1 / (1 - lam * lam_bar)
    answer = assert_moment(form, [0.5, 0.6j], White(), modulus, margin=0.1)
    assert answer.expected == pytest.approx((1 / 0.75, 1 / 0.64))
    with pytest.raises(ValueError, match=r"got nan.* for component 0 \(white"):
        assert_moment(form, [0.5, 0.6j], White(), lambda s, x: x[-1] ** 2, margin=0.1)


def test_a_statistic_agrees_with_the_built_in_one():
    def derivative(lam, x):
        gradient = jax.grad(lambda lam: trajectory(lam, x).states[-1].sum())(lam)
        return gradient**2

    rho_form = (1 + r**2) / (1 - r**2) ** 3
    for statistic in ("sensitivity", derivative):
        assert_moment(rho_form, [0.5, -0.4], White(), statistic, margin=0.1, seed=3)


def test_a_matrix_is_named_by_two_indices():
    def products(lam, x):
        h = trajectory(lam, x).states[-1].real
        return jnp.outer(h, h)

    a = np.array([0.5, 0.6])
    truth = 1 / (1 - np.outer(a, a))
    assert_moment(truth, a, White(), products, margin=0.1)
    truth[1, 0] *= 1.2
    with pytest.raises(AssertionError, match=r"component \(1, 0\)") as error:
        assert_moment(truth, a, White(), products, margin=0.1)
    assert str(error.value).count("component") == 1


def test_parameters_give_symbols_their_values():
    scale, weights = Symbol("s"), Symbol("w")

    def squares(system, x):
        return jnp.array([4.0, 8.0]) * x[-1] ** 2

    how = {**HOW, "parameters": {scale: 2, weights: np.array([2.0, 4.0]), rho: 0.0}}
    answer = assert_moment(scale * weights + rho, identity, White(), squares, **how)
    assert answer.expected == (4.0, 8.0)
    how["parameters"][weights] = np.ones(3)
    message = r"need parameters\[w\] .* shape \(2,\), got .* \(3,\)"
    with pytest.raises(ValueError, match=message):
        assert_moment(scale * weights, identity, White(), squares, **how)
    with pytest.raises(ValueError, match="depends on w; put numbers in"):
        assert_moment(weights, identity, White(), squares, **HOW)


def test_layers_and_networks_are_systems():
    layer = lru(3, 2, key=KEY, r_max=0.5)
    inward = np.abs(np.asarray(layer.matrices()[0])) ** 2
    truth = inward.sum(1) / (1 - np.abs(np.asarray(layer.eigenvalues())) ** 2)
    assert_moment(truth, layer, White(), steps=20, margin=0.1, seed=5)
    config = NetworkConfig(
        inputs=2, outputs=3, width=3, state_size=2, depth=1, layer="lru", norm="none",
        mixing="none", pooling="last",
    )  # fmt: skip
    net, state = build(config, key=KEY)

    def by_bias(system, x):
        return eqx.filter_grad(
            lambda net: (trajectory((net, system[1]), x).outputs ** 2).sum() / 2
        )(system[0]).decoder.bias

    def outputs(system, x):
        return trajectory(system, x).outputs

    # The gradient of half the square by the bias is the output itself, and one input
    # sequence and its negative have outputs around the response to no input.
    still = np.asarray(trajectory((net, state), jnp.zeros((20, 2))).outputs)
    for statistic in (outputs, by_bias):
        assert_moment(still, (net, state), White(), statistic, steps=20, margin=0.1)


def test_measured_sequences_are_inputs():
    values = np.random.default_rng(0).standard_normal((4000, 30))
    measured = Empirical(values)
    truth = np.mean((values[:, -1] + 0.5 * values[:, -2]) ** 2)
    two = jnp.array([0.5])

    def second(lam, x):
        return (x[-1] + lam[0] * x[-2]) ** 2

    assert_moment(truth, two, measured, second, steps=30, margin=0.1)
    with pytest.raises(
        ValueError, match=r"need a process of sigprop.inputs for the auto"
    ):
        assert_moment(R(0) + T, [0.5], measured, steps=30)


# --- what is refused ------------------------------------------------------------------


def returned(value):
    return lambda system, x: value(x)


REFUSED = {
    "complex": (returned(lambda x: x[:2] * 1j), r"real values, got complex128 of shape \(2,\)"),
    "a tuple": (returned(lambda x: (x, x)), "returns one array, got a value of type tuple"),
    "empty": (returned(lambda x: x[:0]), r"with a component, got one of shape \(0,\)"),
    "a mask": (returned(lambda x: x[x > 0]), "that JAX can trace.* boolean indices must"),
    "a branch": (returned(lambda x: 1.0 if x[0] > 0 else 2.0), "that JAX can trace"),
    "not a number": (
        returned(lambda x: jnp.stack([x[0], jnp.log(x[0])])),
        r"finite values, got nan in component 1 of shape \(2,\)",
    ),
    "constant": (returned(lambda x: 2.0 + 0 * x[0]), f"varies, got 2 .* all of {PILOT}"),
    "a number": (returned(lambda x: 2.0), "need a statistic that varies, got 2 in"),
    "heavy": (
        returned(lambda x: jnp.stack([x[0], x[1] / x[2]])),
        r"finite variance, got component 1, whose 256 largest .* of index [01]\.\d, not",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_statistic_without_a_verdict_is_refused_in_one_line(name):
    statistic, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as error:
        assert_moment(lambda s: 1.0, identity, White(), statistic, **HOW)
    assert "\n" not in str(error.value)


def integers(x):
    return jnp.round(x).astype(int)[:, None]


def called_back(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(np.tanh, shape, x, vmap_method="sequential")[:, None]


def until(x):
    def body(now):
        return now[0] + 1, now[1] * x[0]

    return jax.lax.while_loop(lambda now: now[0] < 3, body, (0, x))[1][:, None]


@pytest.mark.parametrize("system", [integers, called_back, until])
def test_a_system_without_a_derivative_is_refused_where_one_is_asked_for(system):
    def gradient(system, x):
        return jax.grad(lambda x: system(x)[-1, 0])(x)[0]

    with pytest.raises(ValueError, match="need a system that JAX can diff") as error:
        assert_moment(1.0, system, White(), gradient, **HOW)
    assert "\n" not in str(error.value)


def test_a_derivative_that_is_zero_is_explained():
    def gradient(system, x):
        return jax.grad(lambda x: jnp.round(system(x)[-1, 0]))(x)[0]

    with pytest.raises(
        ValueError, match=r"varies, got 0 .* a derivative through round"
    ):
        assert_moment(1.0, identity, White(), gradient, **HOW)


def test_errors_of_the_statistic_itself_stay_as_they_are():
    def broken(system, x):
        raise TypeError("no such thing")

    with pytest.raises(TypeError, match=r"no such thing"):
        assert_moment(1.0, identity, White(), broken, **HOW)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ([1.0, 2.0, 3.0], r"shape \(2,\), got an array of shape \(3,\)"),
        (np.ones((2, 1)), r"shape \(2,\), got an array of shape \(2, 1\)"),
        (math.nan, r"finite real values for a moment, got nan.* for component 0"),
        ("three", "need formula a number, an array, .* got 'three'"),
        (None, "need formula a number, an array, .* got None"),
        ([1.0, None], "need formula a number, an array, a SymPy expression"),
        ([[1.0], [1.0, 2.0]], "need formula a number, an array, a SymPy expression"),
        (
            [1.0, 1j],
            r"finite real values for a moment, got 0\+1j for component 1 \(white",
        ),
    ],
)
def test_a_formula_that_does_not_fit_is_refused(formula, message):
    with pytest.raises(ValueError, match=message):
        assert_moment(formula, identity, White(), lambda s, x: x[-2:] ** 2, **HOW)


@pytest.fixture
def unchecked():
    """Arguments reach the code as they do outside of tests, whatever their types."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([0.5], None),
            "need inputs from a process of sigprop.inputs or an object with",
        ),
        ((None, White()), "need a system: eigenvalues lam .* got None"),
        (([[1.0], [0.5, 0.2]], White()), "need a system: eigenvalues lam"),
        (("abc", White()), "need a system: eigenvalues lam .* got 'abc'"),
        ((np.ones((2, 2)), White()), "need a system: eigenvalues lam"),
        ((identity, White(), "sensitivity"), "need eigenvalues to differentiate by"),
        (
            (identity, White(), "output"),
            "need statistic 'state' or 'sensitivity', or a",
        ),
        ((lambda x: (x, x), White()), "need a statistic of your own where states are"),
    ],
)
def test_other_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        assert_moment(1.0, *arguments, steps=6)


@pytest.mark.usefixtures("unchecked")
def test_parameters_that_are_no_mapping_are_refused():
    with pytest.raises(ValueError, match=r"need parameters a mapping .* got 0\.5"):
        assert_moment(1.0, [0.5], White(), steps=6, parameters=0.5)


# --- programs -------------------------------------------------------------------------


class Two(eqx.Module):
    first: jax.Array
    second: jax.Array


def measure(system, statistic, seed=0):
    with double_precision(True):
        simulation = Simulation(system, AR1(0.5), statistic, 6)
        return simulation.samples(jax.random.key(seed), 100)


def test_a_program_is_compiled_once(monkeypatch):
    compiled = []
    monkeypatch.setattr(statistics, "_programs", {})
    before = statistics.forecast.program_memory

    def counting(program):
        compiled.append(id(program))
        return before(program)

    monkeypatch.setattr(statistics.forecast, "program_memory", counting)
    for factor in (0.5, 0.5, 0.7):
        assert_moment(factor, [0.0], White(), lambda s, x: 0.5 * x[-1] ** 2, **HOW) if (
            factor == 0.5
        ) else measure(jnp.array([factor]), lambda s, x: s[0] * x[-1])
    assert compiled[0] == compiled[1] != compiled[2]


def test_programs_that_differ_in_a_constant_or_an_argument_are_told_apart():
    """A large constant, its one other entry, and which of two equal arrays is read."""
    many = np.ones(30_000)
    other = many.copy()
    other[12_345] = 2.0
    many[0] = other[0] = 3.0
    system = Two(jnp.array(2.0), jnp.array(5.0))

    def weighted(weights):
        return lambda system, x: (jnp.asarray(weights) * x[-1]).sum()

    first, second = (measure(system, weighted(weights)) for weights in (many, other))
    np.testing.assert_allclose(second / first, (many.sum() + 1) / many.sum())
    one, two = (
        measure(system, statistic)
        for statistic in (lambda s, x: s.first * x[-1], lambda s, x: s.second * x[-1])
    )
    np.testing.assert_allclose(two / one, 2.5)


def test_a_changed_global_is_noticed():
    factor = 2.0

    def statistic(system, x):
        return factor * x[-1]

    before = measure(Two(jnp.array(2.0), jnp.array(5.0)), statistic)
    factor = 6.0
    after = measure(Two(jnp.array(2.0), jnp.array(5.0)), statistic)
    np.testing.assert_allclose(after, 3 * before)


def test_few_programs_are_kept(monkeypatch):
    monkeypatch.setattr(statistics, "_programs", {})
    monkeypatch.setattr(statistics, "KEPT", 2)
    for factor in (2.0, 3.0, 4.0):
        measure(jnp.ones(1), lambda s, x, factor=factor: factor * x[-1])
    assert len(statistics._programs) == 2


def test_long_sequences_go_in_small_batches(x64):
    sizes = [
        Simulation(identity, White(), power(2), steps).at_once
        for steps in (2, 512, 10_000)
    ]
    assert sizes == [2048, 512, 256]


def test_programs_that_call_lapack_run_one_at_a_time(x64):
    def largest(system, x):
        return jnp.linalg.eigvalsh(jnp.outer(x[:3], x[:3]))[-1]

    assert Simulation(identity, White(), largest, 6).workers == 1
    assert_moment(3.0, identity, White(), largest, **HOW)
    assert Simulation(identity, White(), power(2), 6).workers is None


def test_messages_have_no_address():
    class Own:
        def sample(self, key, num, length, dtype):
            return jax.random.normal(key, (num, length), dtype)

    with pytest.raises(AssertionError, match=re.escape("(Own, T=6)")):
        assert_moment(2.0, identity, Own(), power(2), **HOW)
