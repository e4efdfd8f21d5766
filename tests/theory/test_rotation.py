"""Proofs about rotations say no to what is false, and forms agree where they should."""

import pytest
from sympy import Matrix, cos, sin, sqrt

from sigprop.theory import rotation
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.derivation import start
from sigprop.theory.papers.rotrnn import printed
from sigprop.theory.rotation import c, gamma, s

PROOFS = (
    rotation.block_is_exponential,
    rotation.block_is_rotation,
    rotation.powers_add_angles,
    rotation.planar_rotations_commute,
    rotation.products_of_members,
    rotation.combine_is_associative,
    rotation.norm_splits,
    rotation.step_leaves_a_trace,
    rotation.planar_heads_are_pairs,
)


@pytest.mark.parametrize("proof", PROOFS)
@pytest.mark.sampled(
    keep=[
        "block_is_exponential",
        "block_is_rotation",
        "planar_rotations_commute",
        "combine_is_associative",
        "norm_splits",
    ]
)
def test_a_proof_holds_of_rotations_and_not_of_what_is_none(proof, monkeypatch):
    # Two of the proofs are remembered; the plain function is what is tried.
    plain = getattr(proof, "__wrapped__", proof)
    assert plain()

    def shear(angle):
        return Matrix([[cos(angle), -2 * sin(angle)], [sin(angle), cos(angle)]])

    monkeypatch.setattr(rotation, "turn", shear)
    assert not plain()


def test_a_flip_reverses_the_angle_of_a_rotation(monkeypatch):
    assert rotation.flip_reverses_angle()
    monkeypatch.setattr(
        rotation, "turn", lambda angle: Matrix([[cos(angle), 1], [1, 0]])
    )
    assert not rotation.flip_reverses_angle()


def test_a_held_input_that_misses_the_gain_is_not_exact(monkeypatch):
    assert rotation.held_input_is_exact()
    without = start("one over the pole alone", 1 / rotation.pole)
    monkeypatch.setattr(rotation, "held_input", lambda: without)
    assert not rotation.held_input_is_exact()


def test_an_operator_that_forgets_the_second_angle_is_not_associative(monkeypatch):
    def forgetful(first, second):
        return first[0] * second[0], first[1], second[0] * first[2] + 2 * second[2]

    monkeypatch.setattr(rotation, "combine", forgetful)
    assert not rotation.combine_is_associative()


@pytest.mark.parametrize(
    ("derived", "printed"),
    [
        (rotation.state_scale, 1 / sqrt(c * gamma**2 + s)),
        (rotation.input_scale, rotation.printed_input_scale()),
        (rotation.trace_needed, 1 - c * gamma**2),
    ],
)
def test_printed_constants_are_right_for_unit_norm_alone(derived, printed):
    form = derived().result
    assert same_form(form.subs(c, 1), printed.subs(c, 1))
    assert not same_form(form, printed)


def test_lru_norm_at_one_step_is_that_of_the_input_matrix():
    first = rotation.lru_norm().result.subs(rotation.T, 1)
    assert same_form(first, rotation.s1 + rotation.s2)
    printed = rotation.printed_lru_norm().subs(rotation.T, 1)
    ahead = rotation.s1 * rotation.r1**2 + rotation.s2 * rotation.r2**2
    assert same_form(printed, ahead)


def test_rows_of_the_tables_are_complete():
    assert {len(row) for row in printed.TABLE_1.values()} == {7}
    assert {len(row) for row in printed.TABLE_3.values()} == {11}
    assert len(printed.TABLE_3) == 7
