"""Weights drawn for several keys at once are those of one key after another."""

import jax
import numpy as np
import pytest

from sigprop.layers.base import parameters
from sigprop.layers.blur import blur
from sigprop.layers.initialisers import complex_parts, each, fan_in, normal
from sigprop.layers.lru import lru

KEY = jax.random.key(5)


@pytest.mark.parametrize(
    "draw", [lambda k: normal(k, 3, 2, 0.5), lambda k: fan_in(k, 3, 2)]
)
@pytest.mark.parametrize("as_keys", [list, lambda keys: keys], ids=["list", "array"])
def test_each_key_draws_what_it_draws_alone(draw, as_keys):
    keys = jax.random.split(KEY, 4)
    alone = np.stack([draw(key) for key in keys])
    np.testing.assert_array_equal(each(draw, as_keys(keys)), alone)


def test_parts_of_a_complex_matrix_come_of_a_key_each():
    re, im = complex_parts(KEY, 3, 2, 0.25)
    first, second = jax.random.split(KEY)
    np.testing.assert_array_equal(re, normal(first, 3, 2, 0.25))
    np.testing.assert_array_equal(im, normal(second, 3, 2, 0.25))


def test_directions_of_blur_are_two_lrus():
    options = {"r_min": 0.5, "r_max": 0.9, "gamma": "learned"}
    halves = blur(6, 3, key=KEY, **options).halves()
    for half, key in zip(halves, jax.random.split(KEY), strict=True):
        alone = parameters(lru(6, 3, key=key, **options))
        for name, value in parameters(half).items():
            share = 0.5**0.5 if name.startswith("C_") else 1.0
            if name != "D":
                np.testing.assert_allclose(value, share * alone[name], 1e-6)
    skips = [parameters(half)["D"] for half in halves]
    np.testing.assert_array_equal(*skips)
    first = lru(6, 3, key=jax.random.split(KEY)[0], **options)
    np.testing.assert_array_equal(skips[0], first.D)
