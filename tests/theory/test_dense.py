"""Moved modes: proofs that bite, and forms that agree with the package's own."""

import jax.numpy as jnp
import numpy as np
import pytest
from sympy import Matrix, diag, simplify, symbols, zeros

from sigprop.layers.dense import LinearRNN
from sigprop.linear.linearise import perturb
from sigprop.numerics.precision import double_precision
from sigprop.theory import dense

PROOFS = (
    dense.perturbation_balances,
    dense.characteristic_derivatives_agree,
    dense.rebuilds,
    dense.lengths_are_free,
    dense.unit_length_is_kept,
    dense.diagonal_network_agrees,
    dense.readout_derivative_agrees,
    dense.inverse_derivative_obeys,
)
SYSTEMS = (dense.ROTATING, dense.REAL, dense.COMPLEX, dense.NORMAL)


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_proofs(proof):
    assert proof()


def test_the_balance_needs_the_sign_of_the_gaps():
    z = symbols("z_1:4")
    G = Matrix(3, 3, lambda i, j: symbols(f"G_{i}{j}"))
    turned = -dense.gap_inverse(z).multiply_elementwise(G)
    left = diag(*z) * turned + G - turned * diag(*z) - diag(*G.diagonal())
    assert simplify(left) != zeros(3)


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_a_system_is_what_it_says(system):
    A = np.array(system.matrix().tolist(), complex)
    eigenvalues = np.sort_complex(np.linalg.eigvals(A))
    np.testing.assert_allclose(
        eigenvalues, np.sort_complex(system.eigenvalues), atol=1e-12
    )
    P = np.array(system.vectors().tolist(), complex)
    np.testing.assert_allclose(np.linalg.norm(P, axis=0), 1, atol=1e-14)


def test_the_package_moves_its_modes_alike():
    """Slopes of the residues over their weights are derivatives of the eigenvalues."""
    with double_precision(True):
        A = np.real(np.array(dense.ROTATING.matrix().tolist(), complex))
        unit = jnp.eye(3)
        layer = LinearRNN(jnp.asarray(A)[None], unit, unit, jnp.zeros((3, 3)))
        perturbed = perturb(layer)
    (mode,), (moved,) = perturbed.modes, perturbed.tangents["A"]
    derivatives = (moved.derivatives / mode.residues())[:, 0, :, 0].reshape(3, 3, 3)
    order = [np.argmin(abs(mode.lam - z)) for z in dense.ROTATING.eigenvalues]
    expected = np.array(dense.eigenvalue_derivatives(dense.ROTATING), complex)
    np.testing.assert_allclose(derivatives[..., order], expected, atol=1e-12)


def test_unit_vectors_keep_their_length_and_the_printed_slope_does_not():
    for system, normal in ((dense.COMPLEX, False), (dense.NORMAL, True)):
        P = np.array(system.vectors().tolist(), complex)
        printed, unit = (
            np.real(np.einsum("rk,ijrk->ijk", P.conj(), np.array(derivatives, complex)))
            for derivatives in (
                dense.vector_derivatives(system),
                dense.unit_vector_derivatives(system),
            )
        )
        np.testing.assert_allclose(unit, 0, atol=1e-12)
        assert (np.abs(printed).max() < 1e-12) == normal
