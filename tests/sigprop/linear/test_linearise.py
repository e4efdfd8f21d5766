"""Modes and their derivatives: against impulse responses, and autodiff of these."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import parameters, replace
from sigprop.layers.blur import blur
from sigprop.layers.dense import linear_rnn, nonlinear_rnn
from sigprop.layers.gated import gated_unit
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4d import s4d
from sigprop.layers.stack import stack
from sigprop.linear.linearise import System, diagonalise, linearise, perturb
from sigprop.numerics.precision import double_precision

STEPS = 7
LAYERS = {
    "lru": lambda key: lru(3, 2, key=key, r_min=0.5, r_max=0.95),
    "dense": lambda key: linear_rnn(3, 2, key=key, nu0=0.6, theta0=2.0),
    "rotrnn": lambda key: rotrnn(4, 2, key=key, heads=1, gamma_range=(0.5, 0.95)),
    "s4d": lambda key: s4d(4, 2, key=key, dt_min=0.05, dt_max=0.5),
}


def responses(layer):
    """Outputs at every age of each input's unit impulse, (age, d_out, d_in)."""
    width = layer.widths[0]
    impulses = jnp.zeros((width, STEPS, width)).at[:, 0].set(jnp.eye(width))
    return jnp.moveaxis(jax.vmap(layer)(impulses), 0, -1)


@jax.jit
def derivatives(layer):
    """Derivatives of the responses by each parameter, by its name."""
    return jax.jacrev(lambda values: responses(replace(layer, values)))(
        parameters(layer)
    )


@pytest.fixture(scope="module", params=LAYERS)
def known(request):
    with double_precision(True):
        layer = LAYERS[request.param](jax.random.key(2))
        yield layer, perturb(layer), np.asarray(responses(layer)), derivatives(layer)


def by_modes(lam, residues):
    """``Re sum residue lam**age`` at every age, (..., age, d_out, d_in)."""
    powers = np.power(lam[..., None], np.arange(STEPS))
    return np.real(np.einsum("...onj,...na->...aoj", residues, powers))


@pytest.mark.sampled(keep=["rotrnn"])
def test_modes_make_the_impulse_response(known):
    _, linearised, truth, _ = known
    (modes,) = linearised.modes
    response = by_modes(modes.lam, modes.residues())
    response[0] += modes.skip
    np.testing.assert_allclose(response, truth, rtol=0, atol=1e-12)
    assert np.abs(truth[-1]).max() > 1e-3


@pytest.mark.sampled(keep=["lru", "rotrnn"])
def test_tangents_are_derivatives_of_the_impulse_response(known):
    layer, linearised, _, truth = known
    (modes,) = linearised.modes
    assert set(linearised.tangents) == set(parameters(layer))
    for name, (moved,) in linearised.tangents.items():
        ages = np.arange(STEPS)
        derivative = ages * np.power(modes.lam[:, None], ages - 1.0)
        eigenvalues = np.broadcast_to(modes.lam, (len(moved.residues), modes.lam.size))
        response = by_modes(eigenvalues, moved.residues)
        response = response + np.real(
            np.einsum("poni,na->paoi", moved.derivatives, derivative)
        )
        response[:, 0] += moved.skip
        expected = np.asarray(truth[name])
        expected = expected.reshape(*expected.shape[:3], -1)
        expected = np.moveaxis(expected, -1, 0)
        assert np.abs(expected).max() > 1e-3, name
        np.testing.assert_allclose(response, expected, rtol=0, atol=1e-9, err_msg=name)


def test_modes_do_not_depend_on_the_basis_of_the_states():
    rng = np.random.default_rng(3)
    A = np.array([[0.8, 0.4, 0.0], [-0.4, 0.8, 0.0], [0.0, 0.0, 0.3]])
    B, C, D = (rng.normal(size=shape) for shape in ((3, 2), (2, 3), (2, 2)))
    V = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    inverse = np.linalg.inv(V)
    first, other = (
        diagonalise(System(*matrices))
        for matrices in ((A, B, C, D), (V @ A @ inverse, V @ B, C @ inverse, D))
    )
    left, right = (np.argsort(np.imag(modes.lam)) for modes in (first, other))
    np.testing.assert_allclose(first.lam[left], [0.8 - 0.4j, 0.3, 0.8 + 0.4j])
    np.testing.assert_allclose(first.lam[left], other.lam[right], atol=1e-13)
    np.testing.assert_allclose(
        first.residues()[:, left], other.residues()[:, right], atol=1e-12
    )
    np.testing.assert_allclose(
        other.vectors @ np.diag(other.lam) @ np.linalg.inv(other.vectors),
        V @ A @ inverse,
        atol=1e-12,
    )


@pytest.mark.usefixtures("x64")
def test_a_dense_layer_is_read_off_as_its_own_matrices():
    layer = linear_rnn(3, 2, key=jax.random.key(0), d_out=1, nu0=0.6, theta0=2.0)
    A, B, C, D = linearise(layer)
    np.testing.assert_allclose(A, layer.A[0], atol=1e-15)
    for matrix, truth in ((B, layer.B), (C, layer.C), (D, layer.D)):
        np.testing.assert_allclose(matrix, truth, atol=1e-15)


@pytest.mark.usefixtures("x64")
def test_a_complex_state_is_read_by_its_complex_readout():
    layer = lru(3, 2, key=jax.random.key(0), r_min=0.5, r_max=0.95)
    system = linearise(layer)
    np.testing.assert_allclose(
        system.A, np.diag(np.asarray(layer.eigenvalues())), atol=1e-15
    )
    readout = np.asarray(layer.C_re) + 1j * np.asarray(layer.C_im)
    np.testing.assert_allclose(system.C, readout, atol=1e-15)


@pytest.mark.usefixtures("x64")
def test_a_gate_is_its_value_at_rest():
    layer = gated_unit(3, 3, key=jax.random.key(0), d_out=2, times=(2.0, 16.0))
    A, B, _, _ = linearise(layer)
    rest = np.asarray(jax.nn.sigmoid(layer.b_f))
    np.testing.assert_allclose(A, np.diag(rest), atol=1e-15)
    np.testing.assert_allclose(B, np.diag(1 - rest), atol=1e-15)


@pytest.mark.usefixtures("x64")
def test_a_tanh_is_its_slope_at_rest():
    layer = nonlinear_rnn(3, 2, key=jax.random.key(0))
    A, B, _, _ = linearise(layer)
    np.testing.assert_allclose(A, layer.A[0], atol=1e-15)
    np.testing.assert_allclose(B, layer.B, atol=1e-15)


@pytest.mark.usefixtures("x64")
def test_each_half_of_two_directions_has_modes():
    layer = blur(2, 2, key=jax.random.key(0), r_min=0.5, r_max=0.9)
    linearised = perturb(layer)
    lam = np.concatenate([modes.lam for modes in linearised.modes])
    np.testing.assert_allclose(lam, layer.eigenvalues(), atol=1e-15)
    assert all(len(moved) == 2 for moved in linearised.tangents.values())
    for moved, start in zip(linearised.tangents["nu_log"], (0, 2), strict=True):
        assert moved.derivatives.shape == (4, 2, 2, 2)
        assert moved.derivatives[start : start + 2].any()
        assert not moved.derivatives[2 - start : 4 - start].any()


def test_a_layer_of_two_directions_is_not_one_system():
    layer = blur(2, 2, key=jax.random.key(0))
    with pytest.raises(TypeError, match=r"^need a causal layer, got BLUR; linearise"):
        linearise(layer)


JORDAN = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.3]])
TURN = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 3.0], [0.0, -1.0, 1.0]])


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("basis", [np.eye(3), TURN], ids=["plain", "turned"])
def test_a_jordan_block_is_refused(basis):
    layer = linear_rnn(3, 2, key=jax.random.key(0), nu0=0.6, theta0=2.0)
    A = basis @ JORDAN @ np.linalg.inv(basis)
    layer = eqx.tree_at(lambda model: model.A, layer, jnp.asarray(A)[None])
    with pytest.raises(ValueError, match=r"^need eigenvectors that form a basis"):
        diagonalise(linearise(layer))


@pytest.mark.usefixtures("x64")
def test_the_same_layer_twice_in_a_row_is_refused():
    layer = lru(2, 2, key=jax.random.key(0), r_min=0.5, r_max=0.9)
    with pytest.raises(ValueError, match=r"^need eigenvectors that form a basis"):
        diagonalise(jax.jit(linearise)(stack([layer, layer])))


def test_real_modes_are_complex_numbers():
    A = np.array([[0.5, 0.2], [0.1, 0.3]])
    modes = diagonalise(System(A, np.eye(2), np.eye(2), np.eye(2)))
    assert modes.residues().dtype == np.complex128
