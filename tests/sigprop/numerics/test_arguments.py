"""Checks of arguments: what they refuse, with which words, and what JAX traces passes."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop import impulse_response, layers, linear_recurrence, state_moment
from sigprop.numerics.arguments import (
    MOST,
    require_choice,
    require_count,
    require_finite,
    require_number,
    require_phase,
    require_shape,
    require_within,
)

REFUSED = {
    "count, below": (lambda: require_count("n", 0), "need n >= 1, got n=0"),
    "count, above": (
        lambda: require_count("n", 10**12),
        f"need n <= {MOST}, got n=1000000000000",
    ),
    "count, a fraction": (
        lambda: require_count("n", 2.5),
        "need n a whole number, got n=2.5",
    ),
    "count, a whole float": (
        lambda: require_count("n", 2.0),
        "need n a whole number, got n=2.0",
    ),
    "count, a text": (
        lambda: require_count("n", "2"),
        "need n a whole number, got n='2'",
    ),
    "within, an open end": (
        lambda: require_within("x", 1.0, 0, 1),
        "need x in (0, 1), got 1.0",
    ),
    "within, one of many": (
        lambda: require_within("x", np.array([[0.5, 7.0]]), 0, 1, "[]"),
        "need x in [0, 1], got 7.0",
    ),
    "within, not a number": (
        lambda: require_within("x", math.nan),
        "need x in (-inf, inf), got nan",
    ),
    "within, complex": (
        lambda: require_within("x", 1j, 0, 1),
        "need x a real number in (0, 1), got x=1j",
    ),
    "within, none": (
        lambda: require_within("x", None, 0, 1),
        "need x a real number in (0, 1), got x=None",
    ),
    "number, an array": (
        lambda: require_number("x", np.ones((2, 3))),
        "need x a single number, got an array of shape (2, 3)",
    ),
    "phase": (
        lambda: require_phase("theta", 1e308),
        "need theta in [-10000, 10000], got 1e+308",
    ),
    "finite": (
        lambda: require_finite(x=jnp.array([[1.0, 2.0], [3.0, math.inf]])),
        "need finite x, got inf at index 1, 1",
    ),
    "finite, a text": (
        lambda: require_finite(x="three"),
        "need numbers in x, got x='three'",
    ),
    "choice": (
        lambda: require_choice("route", "left", ("up", "down")),
        "need route in up, down, got route='left'",
    ),
    "choice, of another type": (
        lambda: require_choice("order", True, (0, 1)),
        "need order in 0, 1, got order=True",
    ),
    "shape": (
        lambda: require_shape("x", np.ones(3), "rows columns"),
        "need x of shape (rows, columns), got shape (3,)",
    ),
    "shape, empty": (
        lambda: require_shape("x", np.ones((0, 2)), "rows columns"),
        "need x of shape (rows, columns), got shape (0, 2)",
    ),
}


@pytest.mark.parametrize(("check", "message"), REFUSED.values(), ids=REFUSED)
def test_a_bad_value_is_refused_in_these_words(check, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check()


def test_good_values_pass():
    assert require_count("n", np.int64(3)) == 3
    assert require_count("n", 0, least=0) == 0
    require_within("x", [0.0, 1.0], 0, 1, "[]")
    require_within("x", jnp.asarray(0.5, jnp.bfloat16), 0, 1)
    require_finite(x=np.array([1.0, -2.0]), y=None, z=1j)
    require_phase("theta", np.pi)
    require_choice("order", 1, (0, 1))


def test_traced_values_are_taken_on_trust():
    """The values of a compiled program are not known while it is made."""

    def checked(x, n):
        require_within("x", x, 0, 1)
        require_number("x", x, 0, 1)
        require_finite(x=x)
        return x * require_count("n", n)

    assert float(jax.jit(checked)(jnp.asarray(2.0), 3)) == 6.0
    assert jax.vmap(checked, (0, None))(jnp.array([2.0, 3.0]), 2).tolist() == [4, 6]
    assert float(jax.grad(checked)(2.0, 3)) == 3.0


def test_checked_functions_still_compile_and_differentiate():
    gap = jnp.array([0.1, 0.5])
    assert jax.jit(state_moment)(gap) == pytest.approx(np.asarray(state_moment(gap)))
    assert np.isfinite(jax.vmap(jax.grad(state_moment))(gap)).all()
    lam, x = jnp.array([0.5, 0.8]), jnp.ones((4, 2))
    steps = jax.jit(linear_recurrence)(lam, x)
    assert np.allclose(steps, linear_recurrence(lam, x))
    kernel, _ = jax.jit(impulse_response, static_argnames="length")(lam, 3)
    assert np.allclose(kernel, np.array([[1, 1], [0.5, 0.8], [0.25, 0.64]]))
    rates = jax.vmap(lambda key: layers.lru(4, 2, key=key).nu_log)
    assert rates(jax.random.split(jax.random.key(0), 3)).shape == (3, 4)
