import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, Empirical, Mixed, MovingAverage, White
from sigprop.layers.base import replace
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import linear_rnn, nonlinear_rnn
from sigprop.layers.lru import zucchet_lru
from sigprop.linear.infinite_loss import _by_gramian, gramian, spectrum
from sigprop.linear.linearise import linearise
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

INPUTS = {
    "white": White(0.7),
    "exponential": AR1(0.6),
    "alternating": AR1(-0.8),
    "mixed": Mixed(0.3, 0.5, 0.9),
    "moving": MovingAverage((1.0, 0.5, -0.3)),
    "constant": Constant(2.0),
}
KEY = jax.random.key(2)


def students():
    """Two students that forget within two hundred steps."""
    sizes = {"nu0": 0.4, "theta0": 2.0}
    diagonal = zucchet_lru(5, 2, key=KEY, d_out=3, **sizes)
    dense = linear_rnn(5, 2, key=KEY, d_out=3, **sizes)
    return {
        "lru": replace(diagonal, {"nu_log": jnp.maximum(diagonal.nu_log, -2.0)}),
        "dense": replace(dense, {"A": 0.9 * dense.A}),
    }


def calm_teacher():
    teacher = linear_teacher(KEY, nu0=0.3, size=4, d_in=2, d_out=3)
    return replace(teacher, {"A": 0.9 * teacher.A})


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.sampled(keep=["mixed"])
def test_it_is_the_limit_of_long_sequences(x64, name):
    teacher = calm_teacher()
    infinite = teacher_student(teacher, INPUTS[name], None)
    for student in students().values():
        wanted = float(eqx.filter_jit(infinite.loss)(student))
        # What a finite sequence lacks falls as 1/T: two lengths remove it.
        short, long = (
            float(
                eqx.filter_jit(teacher_student(teacher, INPUTS[name], length).loss)(
                    student
                )
            )
            for length in (200, 400)
        )
        assert 2 * long - short == pytest.approx(wanted, rel=1e-8)
        assert long != pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.sampled(keep=["white", "mixed", "moving"])
def test_modes_and_gramians_agree(x64, name):
    teacher = linear_teacher(KEY, nu0=0.3, size=4, d_in=2, d_out=3)
    task = teacher_student(teacher, INPUTS[name], None)
    student = students()["lru"]
    law = spectrum(INPUTS[name])
    by_gramian = jax.jit(lambda layer: _by_gramian(layer, task.target, law))(student)
    np.testing.assert_allclose(
        eqx.filter_jit(task.loss)(student), by_gramian, rtol=1e-11
    )


def test_the_gramian_solves_its_equation(x64):
    A, B, _, _ = linearise(students()["dense"])
    P = gramian(A, B)
    np.testing.assert_allclose(P, A @ P @ A.T + B @ B.T, atol=1e-12)


def test_the_teacher_itself_loses_nothing(x64):
    teacher = linear_teacher(KEY, nu0=0.9, size=4)
    task = teacher_student(teacher, AR1(0.5), None)
    assert abs(float(task.loss(teacher))) < 1e-9
    gradient = jax.jit(jax.grad(lambda layer: task.loss(layer)))(slower(teacher))
    assert all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(gradient))


def slower(teacher):
    return replace(teacher, {"A": 0.9 * teacher.A})


def test_a_student_outside_the_circle_loses_infinitely(x64):
    task = teacher_student(linear_teacher(KEY, nu0=0.3, size=4), None, None)
    student = complex_diagonal(3, 1, key=KEY, nu0=0.5)
    assert bool(jnp.isfinite(task.loss(student)))
    outside = replace(student, {"first": student.first * 0 + 1.01})
    assert float(task.loss(outside)) == float("inf")
    dense = linear_rnn(4, 1, key=KEY, nu0=0.5, theta0=1.0)
    assert not bool(jnp.isfinite(task.loss(replace(dense, {"A": 2 * dense.A}))))


def test_what_has_no_limit_is_refused(x64):
    teacher = linear_teacher(KEY, nu0=0.3, size=4)
    with pytest.raises(ValueError, match=r"need a stable teacher.*modulus"):
        teacher_student(replace(teacher, {"A": 2 * teacher.A}), None, None)
    with pytest.raises(ValueError, match=r"known at all lags.*got Empirical"):
        teacher_student(teacher, Empirical(np.zeros((2, 9)) + 1.0), None)
    task = teacher_student(teacher, None, None)
    with pytest.raises(ValueError, match="need a linear layer, got NonlinearRNN"):
        task.loss(nonlinear_rnn(4, 1, key=KEY))
    with pytest.raises(ValueError, match=r"need a causal student.*BLUR"):
        task.loss(blur(4, 1, key=KEY))
