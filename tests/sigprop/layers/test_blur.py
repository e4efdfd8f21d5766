"""BLUR is an LRU and a time-reversed LRU, merged linearly."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import count_parameters, parameters, stepwise
from sigprop.layers.blur import BLUR, blur
from sigprop.layers.lru import GAMMAS
from tests.sigprop.layers.helpers import gap

LENGTH = 19
x64 = pytest.mark.usefixtures("x64")
gammas = pytest.mark.parametrize("gamma", GAMMAS)


def layer(**options):
    return blur(4, 3, key=jax.random.PRNGKey(0), r_min=0.3, r_max=0.95, **options)


def inputs(seed=1, length=LENGTH):
    return jnp.asarray(np.random.default_rng(seed).normal(size=(length, 3)))


@eqx.filter_jit
def run(built, u):
    """Outputs and states; compiled once for all tests."""
    return built(u), built.states(u)


walk = eqx.filter_jit(stepwise)


def swapped(built):
    """The layer with its directions exchanged; ``D`` belongs to neither."""
    values = {
        name: value if name == "D" else value[::-1]
        for name, value in parameters(built).items()
    }
    return BLUR(**{"gamma_log": None, **values}, gamma=built.gamma)


@x64
@gammas
def test_outputs_are_an_lru_and_a_reversed_lru(gamma):
    built, u = layer(gamma=gamma), inputs()
    forward, backward = built.halves()
    skip = built.D[None] * u
    expected = walk(forward, u) + walk(backward, u[::-1])[::-1] - skip
    assert gap(run(built, u)[0], expected) < 1e-10
    # The partner: two forward halves are something else.
    wrong = walk(forward, u) + walk(backward, u) - skip
    assert gap(run(built, u)[0], wrong) > 1e-2


@x64
def test_states_are_the_printed_recurrences():
    built, u = layer(gamma="absent"), inputs()
    lam = np.asarray(built.eigenvalues())
    B = np.asarray(built.B_re) + 1j * np.asarray(built.B_im)
    h, g = np.zeros((2, LENGTH + 2, 4), complex)
    for k in range(1, LENGTH + 1):
        h[k] = lam[:4] * h[k - 1] + B[0] @ np.asarray(u[k - 1])
    for k in range(LENGTH, 0, -1):
        g[k] = lam[4:] * g[k + 1] + B[1] @ np.asarray(u[k - 1])
    truth = np.concatenate([h[1:-1], g[1:-1]], -1)
    assert gap(run(built, u)[1], truth) < 1e-12


@x64
def test_backward_half_is_the_forward_half_on_the_reversed_sequence():
    built, u = layer(), inputs()
    y, states = run(built, u)
    mirrored_y, mirrored = run(swapped(built), u[::-1])
    assert gap(states[:, 4:], mirrored[::-1, :4]) < 1e-12
    assert gap(states[:, :4], mirrored[::-1, 4:]) < 1e-12
    assert gap(y, mirrored_y[::-1]) < 1e-12


@x64
def test_every_output_depends_on_every_input():
    built, u = layer(), inputs(length=7)
    jacobian = np.abs(jax.jit(jax.jacrev(lambda u: built(u)))(u)).max((1, 3))
    assert jacobian.shape == (7, 7)
    assert (jacobian > 1e-6).all()
    # The partner: the forward half alone is causal, as the paper says of the whole.
    half = built.halves()[0]
    jacobian = np.abs(jax.jit(jax.jacrev(lambda u: half(u)))(u)).max((1, 3))
    assert (jacobian[~np.tri(7, dtype=bool)] == 0).all()


@x64
def test_merging_the_sum_of_the_states_is_less_than_merging_the_states():
    # Eq. 14 prints H of a sum.  Between one forward and one backward state that cancel
    # it sees nothing, where H of the pair, Eq. 11, does.
    built = layer()
    n = built.state_size // 2
    h = jnp.ones((1, n)) * (1 + 2j)
    opposed = jnp.concatenate([h, -h], -1)
    silent = jnp.zeros((1, 3))
    assert gap(opposed[:, :n] + opposed[:, n:], np.zeros((1, n))) == 0
    assert np.abs(built.read(opposed, silent)).min() > 1e-3


@x64
def test_layer_is_linear():
    built, u, v = layer(), inputs(), inputs(seed=3)
    together = run(built, 2 * u - 3 * v)[0]
    assert gap(together, 2 * run(built, u)[0] - 3 * run(built, v)[0]) < 1e-12


@x64
@pytest.mark.parametrize("seed", range(5))
def test_eigenvalues_stay_in_the_disc_at_any_parameters(seed):
    rng = np.random.default_rng(seed)
    built = jax.tree.map(lambda p: jnp.asarray(rng.normal(size=p.shape) * 5), layer())
    eigenvalues = np.asarray(built.eigenvalues())
    assert eigenvalues.shape == (built.state_size,)
    assert np.abs(eigenvalues).max() <= 1 + 1e-15


@x64
def test_draws_fill_the_ring_of_either_direction():
    built = blur(
        1000, 2, key=jax.random.PRNGKey(2), r_min=0.5, r_max=0.9, max_phase=1.0
    )
    lam = np.asarray(built.eigenvalues()).reshape(2, -1)
    assert not np.allclose(lam[0], lam[1])
    for half in lam:
        # Kolmogorov's distance of 1000 draws exceeds 0.07 once in 9000 times.
        area = np.sort((np.abs(half) ** 2 - 0.25) / (0.81 - 0.25))
        assert 0 <= area[0] < area[-1] <= 1
        assert np.abs(area - np.linspace(0, 1, 1000)).max() < 0.07
        assert 0 <= np.angle(half).min() < np.angle(half).max() <= 1
    wide = blur(100, 200, key=jax.random.PRNGKey(2))
    # Five standard errors of a variance from 40 000 normal draws: 0.035.
    assert np.var(wide.C_re) * 2 * 100 == pytest.approx(1, abs=0.036)
    assert np.var(wide.B_re) * 2 * 200 == pytest.approx(1, abs=0.036)


@x64
@gammas
def test_parameters_are_those_of_the_formula(gamma):
    built = layer(gamma=gamma)
    vectors = 3 if gamma == "learned" else 2
    assert count_parameters(built) == 2 * (vectors * 4 + 4 * 4 * 3) + 3
    assert set(parameters(built)) == set(built.groups())
    assert built.widths == (3, 3)
    assert built.state_size == 8
    assert built.initial_state().shape == (8,)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"state_size": 0}, "need state_size >= 1, got state_size=0"),
        ({"width": 0}, "need width >= 1, got width=0"),
        (
            {"r_min": 0.9, "r_max": 0.5},
            "need 0 <= r_min <= r_max <= 1, got r_min=0.9, r_max=0.5",
        ),
        ({"max_phase": 7.0}, "need 0 < max_phase <= 2 pi, got max_phase=7.0"),
    ],
)
def test_bad_arguments_are_refused(arguments, text):
    good = {"state_size": 4, "width": 3}
    with pytest.raises(ValueError) as error:  # noqa: PT011, compared in full below
        blur(**(good | arguments), key=jax.random.PRNGKey(0))
    assert str(error.value) == text


@x64
def test_inputs_of_a_wrong_width_are_refused():
    with pytest.raises(ValueError) as error:  # noqa: PT011, compared in full below
        layer()(jnp.zeros((5, 2)))
    assert str(error.value) == (
        "need inputs of shape (time, 3), got (5, 2); use jax.vmap over a batch"
    )


@x64
def test_there_is_no_step():
    built = layer()
    with pytest.raises(TypeError) as error:
        built.step(built.initial_state(), jnp.zeros(3))
    assert str(error.value) == (
        "need the whole sequence: an output of BLUR depends on the inputs after it, so "
        "there is no step; call the layer on all inputs"
    )


def test_the_layer_says_what_it_is():
    assert (BLUR.linear, BLUR.causal, BLUR.stable) == (True, False, True)
