"""Energies of powers of Gaussian matrices: special sizes, and real matrices."""

import math

import numpy as np
import pytest

from sigprop.theory import ginibre
from sigprop.theory.symbols import n


def test_one_number_and_one_quaternion_have_known_moments():
    """A normal number at n = 1, and at n = -2 a quaternion, the dual of real entries."""
    for k in range(1, 9):
        assert ginibre.trace_moment(k, 1) == math.prod(range(1, 2 * k, 2))
        assert ginibre.trace_moment(k, 1, real=False) == math.factorial(k)
        assert ginibre.trace_moment(k, -2) == -2 * (-1) ** k * math.factorial(k + 1)


@pytest.mark.parametrize("real", [True, False])
def test_the_polynomial_is_the_number_at_every_size(real):
    for k in (0, 1, 5):
        polynomial = ginibre.polynomial(k, real)
        for size in (2, 7):
            assert polynomial.eval(size) == ginibre.trace_moment(k, size, real)
    assert polynomial.coeff_monomial(n**6) == 1
    assert polynomial.coeff_monomial(n**5) == 0


@pytest.mark.parametrize(("real", "seed"), [(True, 3), (False, 11)])
def test_simulated_recurrences_keep_this_energy(real, seed):
    size, steps, count = 8, 6, 200_000
    random = np.random.default_rng(seed)
    state = np.zeros((count, size), float if real else complex)
    state[:, 0] = 1.0
    shape = (count, size, size)
    matrix = random.standard_normal(shape) / math.sqrt(size)
    if not real:
        matrix = (
            matrix + 1j * random.standard_normal(shape) / math.sqrt(size)
        ) / 2**0.5
    for _ in range(steps):
        state = np.einsum("bij,bj->bi", matrix, state)
    energy = (np.abs(state) ** 2).sum(1)
    error = energy.std() / math.sqrt(count)
    exact = ginibre.trace_moment(steps, size, real) / size ** (steps + 1)
    assert error < 0.02 * exact
    assert abs(energy.mean() - exact) < 4 * error


def test_negative_steps_are_refused():
    with pytest.raises(ValueError, match="need zero steps or more, got -1"):
        ginibre.trace_moment(-1, 3)
