"""Gaussian numbers of ``jax.random``, and linear processes driven by them, in Numba.

The generator is Threefry-2x32 of Salmon et al. (2011), as in JAX.  Each number depends only
on its key and its index.  A Gaussian number is ``sqrt(2) erfinv(u)`` of a uniform ``u``.  The
ratio ``erfinv(u) / u`` is a smooth function of ``w = -log(1 - u^2)`` in the centre, and of
``sqrt(w)`` in the tails (Giles 2012).  Both functions are Chebyshev interpolants here.
"""

import math
from collections.abc import Callable
from typing import Any, no_type_check

import numpy as np
import scipy
from jaxtyping import Float
from numpy.polynomial import chebyshev

from sigprop.numerics.machine_code import (
    called,
    compiled,
    inlined,
    unfused,
    wide_vectors,
)
from sigprop.numerics.tiles import TILE

CHUNK = 64  # steps per key, as in ``sigprop.neuron.noise``
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
MIDDLE = {"f": 5.0, "d": 6.25}  # smallest w of the tails, which have one u in 300
DEGREES = {"f": (9, 9), "d": (25, 26)}  # interpolants, exact up to rounding
Interpolant = tuple[tuple[float, float], list[float]]


@inlined
@no_type_check
def threefry(first_key, second_key, high, low):
    """Return two random 32-bit words by Threefry-2x32 with 20 rounds."""
    last_key = np.uint32(first_key ^ second_key ^ np.uint32(0x1BD11BDA))
    words = (first_key, second_key, last_key)
    first, second = np.uint32(high + first_key), np.uint32(low + second_key)
    for turn in range(1, 6):
        for bits in ROTATIONS[(turn - 1) % 2]:
            first = np.uint32(first + second)
            left, right = np.uint32(bits), np.uint32(32 - bits)
            second = np.uint32(first ^ ((second << left) | (second >> right)))
        first = np.uint32(first + words[turn % 3])
        second = np.uint32(second + words[(turn + 1) % 3] + np.uint32(turn))
    return first, second


def _polynomial(coefficients, real):
    """A function for one polynomial, by Horner's rule; the constant comes first."""
    table, count = np.array(coefficients[::-1], real), len(coefficients)

    @inlined
    @no_type_check
    def value(x):
        total = table[0]
        for index in range(1, count):
            total = total * x + table[index]
        return total

    return value


def interpolants(char: str) -> list[Interpolant]:
    """Return polynomials for ``erfinv(u) / u``: in ``w``, and in ``sqrt(w)`` for the tails.

    Each is an interval, and the coefficients in a variable from -1 to 1 on the interval.

    Args:
        char: ``f`` for single and ``d`` for double precision.
    """
    middle, end = MIDDLE[char], -math.log(np.finfo(char).eps)  # the least 1 - u^2
    near, far = DEGREES[char]
    return [
        _interpolant(erfinv_ratio, 0.0, middle, near),
        _interpolant(
            lambda root: erfinv_ratio(root**2), math.sqrt(middle), math.sqrt(end), far
        ),
    ]


def erfinv_ratio(w: Float[np.ndarray, "*points"]) -> Float[np.ndarray, "*points"]:
    """Return ``erfinv(u) / u`` from ``w = -log(1 - u^2) > 0``."""
    u = np.sqrt(-np.expm1(-w))
    beyond = -np.expm1(np.log1p(-np.exp(-w)) / 2)  # 1 - u
    return np.where(u < 0.5, scipy.special.erfinv(u), scipy.special.erfcinv(beyond)) / u


def _interpolant(
    function: Callable[..., Any], low: float, high: float, degree: int
) -> Interpolant:
    centre, half = (low + high) / 2, (high - low) / 2
    values = chebyshev.chebinterpolate(lambda v: function(centre + half * v), degree)
    return (low, high), chebyshev.cheb2poly(values).tolist()


def log_series(char: str) -> list[float]:
    """Return coefficients of ``2 artanh(r) / r`` in ``r^2``, for ``log`` from 0.7 to 1.4.

    Args:
        char: ``f`` for single and ``d`` for double precision.
    """
    largest = (math.sqrt(2) - 1) / (math.sqrt(2) + 1)
    terms = 1
    while largest ** (2 * terms) / (2 * terms + 1) > np.finfo(char).eps / 16:
        terms += 1
    return [2 / (2 * k + 1) for k in range(terms)]


def _normals(real: Any, word: Any, signed: Any, mantissa: int) -> Any:
    """A function that writes ``TILE`` normals of one precision."""
    char = np.dtype(real).char
    scaled = [
        (
            real((low + high) / 2),
            real(2 / (high - low)),
            _polynomial(coefficients, real),
        )
        for (low, high), coefficients in interpolants(char)
    ]
    (near_centre, near_scale, near), (far_centre, far_scale, far) = scaled
    series, middle = _polynomial(log_series(char), real), real(MIDDLE[char])
    one, two, log_2, root_2 = real(1), real(2), real(math.log(2)), real(math.sqrt(2))
    lowest = np.nextafter(real(-1), real(0))
    width = one - lowest
    unit, half = one.view(word), real(math.sqrt(0.5)).view(signed)
    shift, power_shift = word(8 * unit.itemsize - mantissa), signed(mantissa)
    single = char == "f"

    @inlined
    @no_type_check
    def uniform(high, low):
        """Return a number between -1 and 1, by the steps of ``jax.random.uniform``."""
        if single:
            bits = word(high ^ low)
        else:
            bits = word((np.uint64(high) << np.uint64(32)) | np.uint64(low))
        return (word((bits >> shift) | unit).view(real) - one) * width + lowest

    @unfused
    @no_type_check
    def rest(u):
        """Return ``1 - u^2`` with two roundings, on which JAX's tails depend."""
        return one - u * u

    @inlined
    @no_type_check
    def log(x):
        """Return the logarithm, from twice the artanh of a small number and a power of two."""
        bits = real(x).view(signed)
        power = signed(signed(bits - half) >> power_shift)
        f = signed(bits - signed(power << power_shift)).view(real) - one
        ratio = f / (f + two)
        return real(power) * log_2 + ratio * series(ratio * ratio)

    @called
    @no_type_check
    def write(key, start, out, u, w):
        wide_vectors()
        # Numbers wider than the normals would halve the width of a vector.
        first, tails = np.uint32(start), np.uint32(0)
        for j in range(TILE):
            counter = np.uint32(first + np.uint32(j))
            high, low = threefry(key[0], key[1], np.uint32(0), counter)
            u[j] = uniform(high, low)
            w[j] = -log(rest(u[j]))
            out[j] = root_2 * u[j] * near((w[j] - near_centre) * near_scale)
            tails = np.uint32(tails + np.uint32(w[j] > middle))
        if tails:
            for j in range(TILE):
                if w[j] > middle:
                    root = (math.sqrt(w[j]) - far_centre) * far_scale
                    out[j] = root_2 * u[j] * far(root)

    return write


write_single = _normals(np.float32, np.uint32, np.int32, 23)
write_double = _normals(np.float64, np.uint64, np.int64, 52)


@inlined
@no_type_check
def copy(source, target, rows):
    """Copy the first rows of an array, with less machine code than a slice."""
    for row in range(rows):
        for j in range(TILE):
            target[row, j] = source[row, j]


@inlined
@no_type_check
def draw(write, keys, batch, rows, columns, values, width, state, x, first, last):
    """Draw the inputs of some tiles, for a process in the form of ``noise.Linear``.

    Each key is used for ``CHUNK`` steps, and the last key for all remaining steps.
    """
    held, steps = state.shape[1], x.shape[1] // TILE
    before = np.empty((held + width, TILE), x.dtype)  # states, then normals
    after = np.zeros((held + 1, TILE), x.dtype)  # states, then the input
    u, w = np.empty(TILE, x.dtype), np.empty(TILE, x.dtype)
    for tile in range(first, last):
        copy(state[tile], before, held)
        for t in range(steps):
            chunk = min(t // CHUNK, len(keys) - 1)
            for i in range(width):
                row = (t - chunk * CHUNK) * width + i
                write(keys[chunk], row * batch + tile * TILE, before[held + i], u, w)
            for entry in range(len(values)):
                row, column, value = rows[entry], columns[entry], values[entry]
                if entry and rows[entry - 1] == row:
                    for j in range(TILE):
                        after[row, j] += value * before[column, j]
                else:
                    for j in range(TILE):
                        after[row, j] = value * before[column, j]
            copy(after, before, held)
            for j in range(TILE):
                x[tile, t * TILE + j] = after[held, j]
        copy(before, state[tile], held)


@compiled
@no_type_check
def draw_single(keys, batch, rows, columns, values, width, state, x, first, last):
    """Do the same as ``draw``, in single precision."""
    wide_vectors()
    draw(
        write_single,
        keys,
        batch,
        rows,
        columns,
        values,
        width,
        state,
        x,
        first,
        last,
    )


@compiled
@no_type_check
def draw_double(keys, batch, rows, columns, values, width, state, x, first, last):
    """Do the same as ``draw``, in double precision."""
    wide_vectors()
    draw(
        write_double,
        keys,
        batch,
        rows,
        columns,
        values,
        width,
        state,
        x,
        first,
        last,
    )


DRAW = {"f": draw_single, "d": draw_double}
