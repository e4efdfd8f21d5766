"""The diagonal recurrence and its sensitivity on the CPU, compiled by Numba.

The recurrence is ``s_t = lam s_{t-1} + h_{t-1}``, ``h_t = lam h_{t-1} + x_t``.  A factor on the
inputs multiplies states and sensitivities, and the caller applies it.

A tile contains ``TILE`` sequences, adjacent in memory.  The kernel advances up to ``NEURONS``
neurons of a tile by ``STEPS`` steps, so that their states stay in registers.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float, Inexact

from sigprop.numerics.machine_code import compiled, inlined, wide_vectors
from sigprop.numerics.tiles import TILE, Task, over_cores, tiled, untiled

STEPS = 8  # steps that a neuron advances at a time
NEURONS = 32  # neurons that advance in turn
REAL, COMPLEX = (
    5,
    8,
)  # numbers of a neuron in a sequence: eigenvalue, h, s, sums of squares


class Carry:
    """Eigenvalues and states of neurons, in the memory layout of the kernel.

    Args:
        lam: Eigenvalues: (n, 1) if all sequences share them, or (n, batch).
        batch: Number of sequences.
        running: True to sum the squares of states and sensitivities over the steps.
    """

    def __init__(
        self, lam: Inexact[np.ndarray, "n #batch"], batch: int, running: bool = False
    ):
        self.batch, self.running = batch, running
        re, im = np.real(lam), np.imag(lam)
        self.real, self.dtype = not im.any(), re.dtype
        eigenvalues = [re] if self.real else [re, im]
        parts = REAL if self.real else COMPLEX
        values = np.zeros((len(lam), parts, batch), self.dtype)
        values[:, : len(eigenvalues)] = np.stack(eigenvalues, 1)
        self.now = tiled(values)

    def advance(
        self, x: Float[np.ndarray, "tiles steps tile"], draw: Task | None = None
    ) -> None:
        """Advance all neurons by some steps; the neurons of a sequence share its inputs.

        Args:
            x: Inputs of the batch, in the layout of ``tiled``.
            draw: Function that writes the inputs of some tiles into ``x`` before they
                are used.  Default: ``x`` already has the inputs.
        """
        tiles = len(self.now)
        take = ADVANCE[self.real, self.running]
        rows, now = x.reshape(tiles, -1), self.now.reshape(tiles, -1)

        def part(first: int, count: int) -> None:
            if draw is not None:
                draw(first, count)
            take(rows, now, first, first + count)

        over_cores(part, tiles, x.size * self.now.shape[1])

    def parts(self) -> list[Inexact[np.ndarray, "n batch"]]:
        """Return states, sensitivities and, with ``running``, the sums of their squares."""
        values = list(untiled(np.moveaxis(self.now, 2, 1), self.batch))
        if self.real:
            _, h, s, *sums = values
        else:
            _, _, h, h_imag, s, s_imag, *sums = values
            h, s = h + 1j * h_imag, s + 1j * s_imag
        return [h, s, *sums] if self.running else [h, s]


@inlined
@no_type_check
def real(x, now, neurons, steps, running):
    """Advance up to ``NEURONS`` neurons of a tile by some steps, with real eigenvalues."""
    wide_vectors()
    for i in range(NEURONS):
        if i == neurons:
            break
        for j in range(TILE):
            k = REAL * TILE * i + j
            lam, h, s = now[k], now[k + TILE], now[k + 2 * TILE]
            sum_h, sum_s = now[k + 3 * TILE], now[k + 4 * TILE]
            for t in range(steps):
                s = lam * s + h
                h = lam * h + x[t * TILE + j]
                sum_h += h * h
                sum_s += s * s
            now[k + TILE], now[k + 2 * TILE] = h, s
            if running:
                now[k + 3 * TILE], now[k + 4 * TILE] = sum_h, sum_s


@inlined
@no_type_check
def complex_(x, now, neurons, steps, running):
    """Do the same as ``real`` for complex numbers.

    They are the eigenvalues ``a + ib``, the states ``h + ig`` and the sensitivities
    ``s + ir``.
    """
    wide_vectors()
    for i in range(NEURONS):
        if i == neurons:
            break
        for j in range(TILE):
            k = COMPLEX * TILE * i + j
            a, b = now[k], now[k + TILE]
            h, g = now[k + 2 * TILE], now[k + 3 * TILE]
            s, r = now[k + 4 * TILE], now[k + 5 * TILE]
            sum_h, sum_s = now[k + 6 * TILE], now[k + 7 * TILE]
            for t in range(steps):  # in brackets that make eight fused products
                s, r = a * s + (h - b * r), a * r + (g + b * s)
                h, g = a * h + (x[t * TILE + j] - b * g), a * g + b * h
                sum_h = h * h + (g * g + sum_h)
                sum_s = s * s + (r * r + sum_s)
            now[k + 2 * TILE], now[k + 3 * TILE] = h, g
            now[k + 4 * TILE], now[k + 5 * TILE] = s, r
            if running:
                now[k + 6 * TILE], now[k + 7 * TILE] = sum_h, sum_s


@inlined
@no_type_check
def advance(take, parts, running, x, now, first, last):
    """Advance all neurons of some tiles by all steps."""
    steps, neurons = x.shape[1] // TILE, now.shape[1] // (parts * TILE)
    whole = steps - steps % STEPS
    for tile in range(first, last):
        for i in range(0, neurons, NEURONS):
            some = now[tile, i * parts * TILE : (i + NEURONS) * parts * TILE]
            for t in range(0, whole, STEPS):
                inputs = x[tile, t * TILE : (t + STEPS) * TILE]
                take(inputs, some, neurons - i, STEPS, running)
            for t in range(whole, steps):
                take(x[tile, t * TILE : (t + 1) * TILE], some, neurons - i, 1, running)


# A function for each constant argument, so that Numba keeps its machine code.


@compiled
@no_type_check
def advance_real(x, now, first, last):
    """Advance neurons with real eigenvalues in place, by the steps of ``x``.

    ``x`` has the shape (tiles, steps TILE).
    """
    wide_vectors()
    advance(real, REAL, False, x, now, first, last)


@compiled
@no_type_check
def advance_real_sums(x, now, first, last):
    """Do the same as ``advance_real``, with running sums."""
    wide_vectors()
    advance(real, REAL, True, x, now, first, last)


@compiled
@no_type_check
def advance_complex(x, now, first, last):
    """Do the same as ``advance_real``, with complex eigenvalues."""
    wide_vectors()
    advance(complex_, COMPLEX, False, x, now, first, last)


@compiled
@no_type_check
def advance_complex_sums(x, now, first, last):
    """Do the same as ``advance_complex``, with running sums."""
    wide_vectors()
    advance(complex_, COMPLEX, True, x, now, first, last)


ADVANCE = {
    (True, False): advance_real,
    (True, True): advance_real_sums,
    (False, False): advance_complex,
    (False, True): advance_complex_sums,
}
