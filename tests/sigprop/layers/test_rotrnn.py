"""RotRNN rotates, keeps norms as far as it can, and its complex scan is its loop."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from sigprop.layers.base import count_parameters, parameters
from sigprop.layers.lru import LRU
from sigprop.layers.rotrnn import (
    BidirectionalRotRNN,
    RotRNN,
    bidirectional_rotrnn,
    rotrnn,
)
from tests.sigprop.layers.helpers import gap

# heads, head size; all with inputs and outputs of width 3 and sequences of one length,
# since compiling a matrix exponential costs more than all else here.
SIZES = {"pairs": (3, 2), "heads of four": (2, 4)}
WIDTH, LENGTH = 3, 24

sizes = pytest.mark.parametrize(("heads", "size"), SIZES.values(), ids=SIZES)
builders = pytest.mark.parametrize("build", [rotrnn, bidirectional_rotrnn])
x64 = pytest.mark.usefixtures("x64")


def layer(heads, size, seed=0, build=rotrnn):
    key = jax.random.PRNGKey(seed)
    return build(heads * size, WIDTH, key=key, heads=heads, gamma_range=(0.3, 0.99))


def disturbed(built, seed, scale=1.0):
    """The layer anywhere in its parameter space, not where it was drawn."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda p: jnp.asarray(rng.normal(size=p.shape) * scale), built)


def inputs(seed=1, length=LENGTH):
    return jnp.asarray(np.random.default_rng(seed).normal(size=(length, WIDTH)))


@eqx.filter_jit
def run(built, u):
    """Outputs, states, and outputs from the states, by the scan."""
    states = built.states(u)
    return built(u), states, built.read(states, u)


@eqx.filter_jit
def walk(built, start, u):
    """States and outputs by the dense step."""

    def body(h, u_t):
        h, y = built.step(h, u_t)
        return h, (h, y)

    return jax.lax.scan(body, start, u)[1]


@eqx.filter_jit
def look(built):
    """``P`` and ``gamma A``."""
    return built.rotations(), built.transition()


def block(angles):
    turns = [[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles]
    return scipy.linalg.block_diag(*turns)


def dense(built):
    """The matrix of each head, by SciPy and the paper's Section 3."""
    matrices = []
    for M, angles, log in zip(
        np.asarray(built.M), np.asarray(built.theta), built.gamma_log, strict=True
    ):
        P = scipy.linalg.expm(M - M.T)
        gamma = np.exp(-np.exp(float(log)))
        matrices.append(gamma * P @ block(angles) @ P.T)
    return np.array(matrices)


@x64
@sizes
@pytest.mark.parametrize("seed", range(3))
def test_every_head_is_a_rotation_at_any_parameters(heads, size, seed):
    built = disturbed(layer(heads, size), seed)
    P, matrices = look(built)
    assert gap(matrices, dense(built)) < 1e-12
    for rotation in (P, matrices / built.decays()[:, None, None]):
        unit = np.broadcast_to(np.eye(size), rotation.shape)
        assert gap(rotation @ rotation.mT, unit) < 1e-12
        assert gap(np.linalg.det(rotation), np.ones(heads)) < 1e-12


@x64
@sizes
@pytest.mark.parametrize("seed", range(3))
def test_eigenvalues_are_those_of_the_matrix_and_stable(heads, size, seed):
    built = disturbed(layer(heads, size), seed, scale=3.0)
    eigenvalues = np.asarray(built.eigenvalues())
    assert eigenvalues.shape == (built.state_size,)
    assert np.abs(eigenvalues).max() <= 1 + 1e-15
    distance = np.abs(eigenvalues[:, None] - np.linalg.eigvals(dense(built)).ravel())
    assert distance.min(0).max() < 1e-9
    assert distance.min(1).max() < 1e-9


@x64
def test_a_reflected_basis_reaches_no_other_rotation():
    # The paper doubts that P in SO(N) gives every rotation.  With one axis of P and the
    # sign of its angle reversed A is the same, so reflections add nothing.
    Q = np.linalg.qr(np.random.default_rng(5).normal(size=(2, 4, 4)))[0]
    Q[:, :, 0] *= -np.sign(np.linalg.det(Q))[:, None]
    assert gap(np.linalg.det(Q), [-1, -1]) < 1e-12
    turned = Q * np.array([1.0, 1.0, 1.0, -1.0])
    reached = eqx.tree_at(
        lambda b: (b.theta, b.gamma_log, b.M),
        layer(2, 4),
        (
            jnp.asarray([[0.7, 2 * math.pi - 2.1]] * 2),
            jnp.full(2, -60.0),
            jnp.asarray([np.real(scipy.linalg.logm(P)) / 2 for P in turned]),
        ),
    )
    target = Q @ block([0.7, 2.1]) @ np.swapaxes(Q, 1, 2)
    assert gap(look(reached)[1], target) < 1e-12


@x64
@sizes
def test_parallel_is_the_dense_loop(heads, size):
    built, u = layer(heads, size), inputs()
    y, states, read = run(built, u)
    walked, outputs = walk(built, built.initial_state(), u)
    assert gap(y, outputs) < 1e-10
    assert gap(states, walked) < 1e-10
    assert gap(y, read) < 1e-12
    # The partner: angles one percent larger are seen.
    wrong = eqx.tree_at(lambda b: b.theta, built, 1.01 * built.theta)
    assert gap(run(wrong, u)[0], outputs) > 1e-4


@x64
@sizes
def test_states_are_the_printed_sum(heads, size):
    built, u = layer(heads, size), np.asarray(inputs())
    B = np.asarray(built.B).reshape(heads, size, WIDTH)
    expected = np.zeros((LENGTH, heads, size))
    for head, matrix in enumerate(dense(built)):
        gamma = float(built.decays()[head])
        xi = math.sqrt((1 - gamma**2) / np.trace(B[head].T @ B[head]))
        powers = [np.linalg.matrix_power(matrix, k) for k in range(LENGTH)]
        for t in range(LENGTH):
            terms = [powers[t - k] @ B[head] @ u[k] for k in range(t + 1)]
            expected[t, head] = xi * sum(terms)
    assert gap(run(built, u)[1], expected.reshape(LENGTH, -1)) < 1e-12


@x64
def test_pairs_are_an_lru_of_conjugate_eigenvalues():
    built, u = layer(3, 2), inputs()
    angles, P = built.theta[:, 0], look(built)[0]
    B = (P.mT @ built.normalised_B().reshape(3, 2, WIDTH)).transpose(1, 0, 2)
    C = jnp.einsum("ohi,hij->joh", built.C.reshape(WIDTH, 3, 2), P)
    twins = LRU(
        nu_log=jnp.tile(built.gamma_log, 2),
        theta_log=jnp.log(jnp.concatenate([angles, 2 * math.pi - angles])),
        B_re=jnp.concatenate([B[0], B[0]]),
        B_im=jnp.concatenate([B[1], -B[1]]),
        C_re=jnp.concatenate([C[0], C[0]], -1) / 2,
        C_im=jnp.concatenate([-C[1], C[1]], -1) / 2,
        D=built.D,
        gamma_log=None,
        gamma="absent",
    )
    eigenvalues, truth = (
        np.asarray(built.eigenvalues()),
        np.asarray(twins.eigenvalues()),
    )
    assert np.abs(eigenvalues[:, None] - truth).min(0).max() < 1e-12
    assert gap(run(built, u)[0], twins(u)) < 1e-12


@x64
@sizes
def test_without_decay_the_norm_of_every_head_stays(heads, size):
    built = layer(heads, size)
    built = eqx.tree_at(lambda b: b.gamma_log, built, jnp.full(heads, -60.0))
    start = jnp.asarray(np.random.default_rng(4).normal(size=heads * size))
    states = walk(built, start, jnp.zeros((LENGTH, WIDTH)))[0]
    norms = jnp.linalg.norm(states.reshape(LENGTH, heads, size), axis=-1)
    first = jnp.linalg.norm(start.reshape(heads, size), axis=-1)
    assert gap(norms, np.broadcast_to(first, norms.shape)) < 1e-12


@x64
@sizes
@pytest.mark.parametrize("seed", range(2))
def test_norm_is_constant_from_a_stationary_start_only(heads, size, seed):
    built = disturbed(layer(heads, size), seed)
    nu_log = jnp.linspace(-6.0, -0.5, heads)
    built = eqx.tree_at(lambda b: b.gamma_log, built, nu_log)

    def squares(states):
        return np.asarray((states.reshape(LENGTH, heads, size) ** 2).sum(-1))

    # E|h_t|^2 of each head for white inputs, exactly: squared responses, summed.
    impulses = np.zeros((WIDTH, LENGTH, WIDTH))
    impulses[range(WIDTH), 0, range(WIDTH)] = 1
    responses = sum(
        squares(run(built, jnp.asarray(impulse))[1]) for impulse in impulses
    )
    driven = np.cumsum(responses, 0)
    t = np.arange(1, LENGTH + 1)[:, None]
    # From the zero state the norm only tends to the constant that the paper claims.
    assert gap(driven, 1 - np.exp(-2 * t * np.exp(np.asarray(nu_log)))) < 1e-12
    assert driven[0].max() < 0.75

    # In the premises of its Lemma 3, any start with E|h|^2 = 1, the claim is exact.
    starts = np.tile(np.eye(size) / math.sqrt(size), (1, heads))
    still = jnp.zeros((LENGTH, WIDTH))
    remembered = sum(
        squares(walk(built, jnp.asarray(start), still)[0]) for start in starts
    )
    assert gap(remembered + driven, np.ones((LENGTH, heads))) < 1e-12


@x64
@pytest.mark.parametrize("factor", [1e-3, 7.0])
def test_scale_of_B_does_not_matter(factor):
    built, u = layer(2, 4), inputs()
    scaled = eqx.tree_at(lambda b: b.B, built, factor * built.B)
    assert gap(run(scaled, u)[1], run(built, u)[1]) < 1e-12


@x64
@builders
def test_layer_is_linear(build):
    built, u, v = layer(2, 4, build=build), inputs(), inputs(seed=3)
    together = run(built, 2 * u - 3 * v)[0]
    assert gap(together, 2 * run(built, u)[0] - 3 * run(built, v)[0]) < 1e-12
    assert built.linear


@x64
@builders
def test_outputs_depend_on_the_inputs_of_their_side(build):
    built, u = layer(2, 4, build=build), inputs(length=7)
    jacobian = np.abs(jax.jit(jax.jacrev(lambda u: built(u)))(u)).max((1, 3))
    past = np.tri(7, dtype=bool)  # rows are outputs, columns are inputs
    assert (jacobian[past] > 1e-6).all()
    if built.causal:
        assert (jacobian[~past] == 0).all()
    else:
        assert (jacobian[~past] > 1e-6).all()


@x64
def test_backward_half_is_the_forward_half_on_the_reversed_sequence():
    built, u = layer(2, 4, build=bidirectional_rotrnn), inputs()
    forward, backward = built.halves()
    y, states, read = run(built, u)
    y_f, h_f, _ = run(forward, u)
    y_b, h_b, _ = run(backward, u[::-1])
    assert gap(states, np.concatenate([h_f, h_b[::-1]], -1)) < 1e-12
    assert gap(y, y_f + y_b[::-1] - forward.skip(u)) < 1e-12
    assert gap(y, read) < 1e-12
    assert gap(h_b, run(forward, u[::-1])[1]) == 0
    assert not np.allclose(forward.C, backward.C)
    assert gap(built.eigenvalues(), np.tile(forward.eigenvalues(), 2)) == 0


@x64
def test_a_full_skip_matrix_is_welcome():
    built, u = layer(2, 4, build=bidirectional_rotrnn), inputs()
    full = eqx.tree_at(lambda b: b.D, built, jnp.diag(built.D))
    assert gap(run(full, u)[0], run(built, u)[0]) < 1e-12


@x64
@builders
@sizes
def test_parameters_are_those_of_the_formula(heads, size, build):
    built, n = layer(heads, size, build=build), heads * size
    readouts = 1 if build is rotrnn else 2
    rotations = n // 2 + heads + n * size
    assert count_parameters(built) == rotations + (1 + readouts) * n * WIDTH + WIDTH
    assert set(parameters(built)) == {"theta", "gamma_log", "M", "B", "C", "D"}
    assert built.widths == (WIDTH, WIDTH)
    assert built.state_size == readouts * n
    assert built.initial_state().shape == (readouts * n,)


@x64
def test_draws_follow_the_listing():
    built = rotrnn(
        8000,
        4,
        key=jax.random.PRNGKey(3),
        heads=2000,
        gamma_range=(0.6, 0.9),
        theta_range=(1.0, 2.0),
    )
    # Kolmogorov's distance of 2000 draws exceeds 0.05 once in 14,000 times.
    square = np.sort(np.asarray(built.decays()) ** 2)
    law = (square - 0.36) / (0.81 - 0.36)
    assert 0 <= law[0] < law[-1] <= 1
    assert np.abs(law - np.linspace(0, 1, 2000)).max() < 0.05
    theta = np.sort(np.asarray(built.theta).ravel()) - 1
    assert 0 <= theta[0] < theta[-1] <= 1
    assert np.abs(theta - np.linspace(0, 1, theta.size)).max() < 0.05
    turned = rotrnn(
        8000, 4, key=jax.random.PRNGKey(3), heads=2000, theta_range=(1.0, (1.5, 3.0))
    ).theta
    for theta, reach in zip(np.asarray(turned).T, (0.5, 2.0), strict=True):
        law = np.linspace(0, 1, theta.size)
        assert np.abs(np.sort(theta - 1) / reach - law).max() < 0.05
    # Five standard errors of a variance from 32,000 normal draws: 0.04.
    assert np.var(built.B) * 4 == pytest.approx(1, abs=0.04)
    assert np.var(built.C) * 8000 == pytest.approx(1, abs=0.04)
    assert np.var(built.M) == pytest.approx(1, abs=0.04)


@builders
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"heads": 0}, "need heads >= 1, got heads=0"),
        ({"width": 0}, "need width >= 1, got width=0"),
        ({"state_size": 0}, "need state_size >= 1, got state_size=0"),
        (
            {"heads": 5},
            "need state_size a multiple of heads, got state_size=12, heads=5",
        ),
        (
            {"heads": 4},
            "need an even head size, got 3 (state_size=12, heads=4): a rotation turns "
            "pairs of numbers",
        ),
        (
            {"gamma_range": (0.0, 0.5)},
            "need 0 < gamma_min <= gamma_max < 1, got gamma_range=(0.0, 0.5)",
        ),
        (
            {"gamma_range": (0.5, 1.0)},
            "need 0 < gamma_min <= gamma_max < 1, got gamma_range=(0.5, 1.0)",
        ),
        (
            {"gamma_range": (0.5, 0.4)},
            "need 0 < gamma_min <= gamma_max < 1, got gamma_range=(0.5, 0.4)",
        ),
        (
            {"theta_range": (-0.1, 1.0)},
            "need 0 <= theta_min <= theta_max <= 2 pi, got theta_range=(-0.1, 1.0)",
        ),
        (
            {"theta_range": (0.0, (3.0, 6.5))},
            "need 0 <= theta_min <= theta_max <= 2 pi, got theta_range=(0.0, (3.0, 6.5))",
        ),
    ],
)
def test_bad_arguments_are_refused(build, arguments, text):
    good = {"state_size": 12, "width": 3, "heads": 2}
    with pytest.raises(ValueError) as error:  # noqa: PT011, compared in full below
        build(**(good | arguments), key=jax.random.PRNGKey(0))
    assert str(error.value) == text


@x64
@builders
def test_inputs_of_a_wrong_width_are_refused(build):
    built = layer(2, 4, build=build)
    with pytest.raises(ValueError) as error:  # noqa: PT011, compared in full below
        built(jnp.zeros((5, 2)))
    assert str(error.value) == (
        "need inputs of shape (time, 3), got (5, 2); use jax.vmap over a batch"
    )


@x64
def test_both_ways_has_no_step():
    built = layer(2, 4, build=bidirectional_rotrnn)
    with pytest.raises(TypeError) as error:
        built.step(built.initial_state(), jnp.zeros(WIDTH))
    assert str(error.value) == (
        "need the whole sequence: an output of BidirectionalRotRNN depends on the "
        "inputs after it, so there is no step; call the layer on all inputs"
    )


def test_both_layers_say_what_they_are():
    assert (RotRNN.linear, RotRNN.causal, RotRNN.stable) == (True, True, True)
    kind = BidirectionalRotRNN
    assert (kind.linear, kind.causal, kind.stable) == (True, False, True)
