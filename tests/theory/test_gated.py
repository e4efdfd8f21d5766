"""The gated unit's moments, the tables' arithmetic, and the routes that judge them."""

import jax.numpy as jnp
import numpy as np
import pytest
from sympy import Rational, diff, simplify

from sigprop.layers.gated import GatedUnit
from sigprop.numerics.precision import double_precision
from sigprop.references import curvature, gated, teacher
from sigprop.references.gru import step_jacobian, step_jacobian_by_layer
from theory import gated as theory
from theory import teacher as tables
from theory.papers.zucchet.experiments import claims
from theory.symbols import lam


def test_printed_moments_are_those_of_the_kernel_for_every_autocovariance():
    assert theory.printed_pair().equals(theory.pair())
    assert theory.printed_state().equals(theory.state())
    assert theory.printed_sensitivity().equals(theory.sensitivity())
    assert not theory.printed_state().equals(theory.pair())


def test_bias_moves_the_state_by_the_gates_slope():
    ratio = theory.bias_sensitivity().result / theory.sensitivity().on("mixed")
    assert simplify(ratio - (lam * (1 - lam)) ** 2) == 0
    assert diff(theory.gate(), theory.b_f).subs(theory.b_f, 0) == Rational(1, 4)


@pytest.mark.parametrize(("table", "found"), [(1, 1190), (2, 460), (3, 1200)])
def test_runs_of_a_table_counted_two_ways(table, found):
    assert sum(tables.runs(table)) == sum(tables.listed(table)) == found


def test_width_of_bert_is_where_its_parameters_are():
    assert theory.bert_width() == 768
    assert theory.bert_parameters(724) < 102e6


def test_loop_of_units_is_the_layer():
    generator, n, steps = np.random.default_rng(0), 5, 7
    W, V = generator.normal(size=(2, 1, n, n))
    bias, x = generator.normal(size=(1, n)), generator.normal(size=(steps, 1, n))
    with double_precision(True):
        none = jnp.zeros((1, n))
        unit = GatedUnit(
            jnp.asarray(bias[0]), none, none, jnp.asarray(W[0]), jnp.asarray(V[0])
        )
        h = np.asarray(unit.states(jnp.asarray(x[:, 0])))[-1]
    np.testing.assert_allclose(gated.unit_loop(W, V, bias, x)[0], h, rtol=1e-12)


def test_orthogonal_matrices_are_drawn_without_a_preferred_sign():
    Q = gated.orthogonal(np.random.default_rng(0), 400, 6, 6)
    np.testing.assert_allclose(
        Q @ np.swapaxes(Q, 1, 2), np.broadcast_to(np.eye(6), Q.shape), atol=1e-12
    )
    assert abs(np.mean(np.diagonal(Q, axis1=1, axis2=2))) < 5 / np.sqrt(400 * 36)


def test_step_of_a_gru_at_rest_is_the_layers_own():
    for gain in (0.0, 1.0):
        by_hand, by_layer = (
            step_jacobian(16.0, gain),
            step_jacobian_by_layer(16.0, gain),
        )
        np.testing.assert_allclose(by_hand, by_layer, atol=1e-12)


def test_dense_slopes_are_differences_of_the_response():
    rows = curvature.sensitivities(0)[0]
    assert rows.shape == (25, 3000)
    assert curvature.rank(False) == curvature.rank(True) == 9


def test_a_pair_of_conjugates_is_coupled_like_one_eigenvalue():
    assert curvature.coupling_of(0.9 + 0.2j, 0.9 - 0.2j) == pytest.approx(1)
    assert curvature.coupling_of(0.9 + 0.2j, -0.9j) < 0.1


def test_sizes_of_students_are_those_of_their_layers():
    assert [teacher.dense_size(64, h) for h in (1, 32)] == [4225, 257]
    assert teacher.lru_size(64) == 449


def test_every_row_of_the_experiments_has_an_id_of_its_own():
    ids = [claim.id for claim in claims()]
    assert len(ids) == len(set(ids)) > 75
    assert {f"zucchet:{number}" for number in range(156, 162)} <= set(ids)
