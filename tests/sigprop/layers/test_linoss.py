"""Oscillators are their equations, and their moments those of closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy

from sigprop.layers.base import replace
from sigprop.layers.linoss import linoss
from sigprop.linear.linearise import perturb
from sigprop.linear.predicted_moments import predict
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import run

KEY = jax.random.key(5)
RULES = ("im", "imex")


def built(rule, n=3, width=2, key=KEY):
    with double_precision(True):
        return linoss(n, width, key=key, discretisation=rule)


def numbers(layer):
    """``A``, ``dt``, ``B`` and ``C``."""
    p = jax.tree.map(np.asarray, layer)
    A, dt = np.maximum(p.A_raw, 0), 1 / (1 + np.exp(-p.dt_raw))
    return A, dt, p.B_re + 1j * p.B_im, p.C_re + 1j * p.C_im


@pytest.mark.parametrize("rule", RULES)
def test_the_layer_is_its_equations(rule, x64):
    """The implicit rule by solving for the new values."""
    layer = built(rule)
    A, dt, B, C = numbers(layer)
    z, y = np.zeros((2, 3), complex)
    u, rows = np.random.default_rng(0).normal(size=(9, 2)), []
    for now in u:
        force = B @ now
        for k in range(3):
            if rule == "im":
                left = [[1, dt[k] * A[k]], [-dt[k], 1]]
                right = [z[k] + dt[k] * force[k], y[k]]
                z[k], y[k] = np.linalg.solve(left, right)
            else:
                z[k] = z[k] + dt[k] * (-A[k] * y[k] + force[k])
                y[k] = y[k] + dt[k] * z[k]
        rows.append(np.real(C @ y) + np.asarray(layer.D) * now)
    np.testing.assert_allclose(run(layer, u), rows, rtol=1e-10, atol=1e-12)


def with_time_constant(rule, memory):
    """One oscillator whose eigenvalues have this time constant under the implicit rule."""
    layer = built(rule, 1, 1)
    radius = 1 - 1 / memory
    dt = float(jax.nn.sigmoid(layer.dt_raw[0]))
    A = (1 / radius**2 - 1) / dt**2
    return replace(layer, {"A_raw": jnp.array([A])}), A, dt


@pytest.mark.parametrize("memory", [4, 60, 1000])
def test_white_inputs_leave_an_energy_that_no_step_changes(memory, x64):
    """``E|z|^2 = (1/A - dt^2/(4 + dt^2 A)) |B|^2/2``, and ``A E|y|^2`` with a plus."""
    layer, A, dt = with_time_constant("im", memory)
    power = float((np.abs(numbers(layer)[2]) ** 2).sum())
    steps = 20 * memory
    white = np.r_[1.0, np.zeros(steps - 1)]
    found = predict(perturb(layer), white, steps, steps - 1)
    less = dt**2 / (4 + dt**2 * A)
    z, y = power * (1 / A - less) / 2, power * (1 / A + less) / 2 / A
    assert found["state"] == pytest.approx(z + y, rel=1e-9)
    block, entering = map(np.asarray, layer.blocks())
    rotated = power * np.outer(entering[:, 0], entering[:, 0])
    covariance = scipy.linalg.solve_discrete_lyapunov(block[..., 0], rotated)
    np.testing.assert_allclose(np.diag(covariance), [z, y], rtol=1e-9)
    weight = float(np.abs(numbers(layer)[3][0, 0]) ** 2)
    assert (
        found["output"] < weight * y + float(layer.D[0] ** 2) + 2 * (weight * y) ** 0.5
    )


def test_the_other_rule_adds_energy_at_a_constant_rate(x64):
    """``E(|z|^2 + A|y|^2 - dt A Re(z y*)) = T dt^2 |B|^2``."""
    layer, A, dt = with_time_constant("imex", 4)
    power = float((np.abs(numbers(layer)[2]) ** 2).sum())
    block, entering = (np.asarray(part)[..., 0] for part in layer.blocks())
    energy = np.array([[1, -dt * A / 2], [-dt * A / 2, A]])
    np.testing.assert_allclose(block.T @ energy @ block, energy, atol=1e-12)
    covariance = np.zeros((2, 2))
    for steps in range(1, 301):
        covariance = block @ covariance @ block.T
        covariance = covariance + power * np.outer(entering, entering)
        held = np.trace(energy @ covariance)
        assert held == pytest.approx(steps * dt**2 * power, rel=1e-9)
    white = np.r_[1.0, np.zeros(299)]
    found = predict(perturb(layer), white, 300, 299)
    assert found["state"] == pytest.approx(np.trace(covariance), rel=1e-9)


def test_eigenvalues_forget_under_one_rule_and_keep_under_the_other(x64):
    A, dt, *_ = numbers(built("im"))
    for rule, radius in (("im", (1 + dt**2 * A) ** -0.5), ("imex", np.ones(3))):
        found = np.abs(built(rule).eigenvalues()).reshape(2, 3)
        np.testing.assert_allclose(found, [radius, radius], rtol=1e-12)
    generator = np.random.default_rng(1)
    for _ in range(20):
        moved = {name: 5 * generator.normal(size=3) for name in ("A_raw", "dt_raw")}
        layer = replace(built("im"), {k: jnp.asarray(v) for k, v in moved.items()})
        assert np.abs(layer.eigenvalues()).max() <= 1 + 1e-12


def test_moments_are_those_of_samples(x64):
    for rule in RULES:
        layer, num, steps = built(rule), 40_000, 30
        u = jax.random.normal(jax.random.key(3), (num, steps, 2))
        white = np.r_[1.0, np.zeros(steps - 1)]
        found = predict(perturb(layer), white, steps, steps - 1)
        h, y = jax.vmap(layer.states)(u), jax.vmap(layer)(u)
        for name, values in (
            ("state", (jnp.abs(h[:, -1]) ** 2).sum(1)),
            ("output", (y[:, -1] ** 2).sum(1)),
        ):
            sem = float(values.std()) / num**0.5
            assert abs(float(values.mean()) - found[name]) < 5 * sem, (rule, name)
            assert sem < 0.01 * found[name]


def test_a_layer_of_no_oscillator_is_refused():
    with pytest.raises(ValueError, match="need state_size >= 1"):
        linoss(0, 2, key=KEY)
