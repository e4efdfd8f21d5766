"""Exact Hessians of diagonal layers, from tables of overlaps of their modes.

The response of one mode is ``Re(c beta lam**age)`` with ``beta = gamma B``.  Its derivative
with respect to a parameter is ``u v lam**age + lam' c beta age lam**(age - 1)``.  Each term
is of rank one in outputs and inputs.  An entry of the Hessian, for parameters of modes i and
k, is thus a sum of four table entries (i, k).  Each is multiplied by inner products of
``u``, ``v``, ``c`` and ``beta``.  The tables contain the sums over ages.  Away from the
optimum, inner products of the error with second derivatives of each mode's response are
added.

Source: Zucchet & Orvieto (2024), Eq. 114-155; extended to every parameter, any stationary
input, finite sequences, bidirectional layers and a nonzero error.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Int

from sigprop.curvature.layout import Expansion, numbered
from sigprop.curvature.overlaps import NONE, Overlaps, Table, table
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.numerics.compilation import ONCE

PARTS = {"re": 1, "im": 1j}


class Modes(NamedTuple):
    """Modes of one half of a layer, or their derivatives with respect to a parameter.

    Attributes:
        lam: Eigenvalues.
        gain: Factors ``gamma`` of the inputs.
        B: Input weights.
        c: Output weights.
    """

    lam: Complex[np.ndarray, " n"]
    gain: Complex[np.ndarray, " n"]
    B: Complex[np.ndarray, "n d_in"]
    c: Complex[np.ndarray, "n d_out"]

    @property
    def beta(self) -> Complex[np.ndarray, "n d_in"]:
        """The product ``gamma B``."""
        return self.gain[:, None] * self.B

    def conj(self) -> "Modes":
        """The conjugate modes."""
        return Modes(*(part.conj() for part in self))


class Family(NamedTuple):
    """A parameter that every mode has.

    Attributes:
        where: Index of the parameter of each mode in the vector of all parameters.
        derivative: Derivative of each mode with respect to its parameter.
        recurrent: Index of the parameter among the recurrent ones; None if it is a
            weight.
    """

    where: Int[np.ndarray, " n"]
    derivative: Modes
    recurrent: int | None = None


class Half(NamedTuple):
    """One half of a layer, i.e. one direction of time.

    Attributes:
        modes: Modes of the half.
        families: All parameters except the skip connection.
        lam_second: Second derivatives of each eigenvalue with respect to pairs of its
            recurrent parameters.
        gain_second: Second derivatives of each gain with respect to these pairs.
        backwards: True if the half reads sequences from their end.
    """

    modes: Modes
    families: list[Family]
    lam_second: Complex[np.ndarray, "r r n"]
    gain_second: Float[np.ndarray, "r r n"]
    backwards: bool


def recurrent_names(layer: DiagonalLayer) -> list[str]:
    """Names of the recurrent parameters of a layer."""
    return [name for name, group in layer.groups().items() if group == "recurrent"]


def _turns(layer: DiagonalLayer) -> list[tuple[Any, Any]]:
    """Eigenvalues and gains, with their first and second derivatives."""
    names, values = recurrent_names(layer), parameters(layer)

    def of(rows: Array) -> tuple[Array, Array]:
        moved = replace(layer, dict(zip(names, rows, strict=True)))
        lam, gain = moved.eigenvalues(), moved.normaliser()
        return lam, jnp.ones_like(lam.real) if gain is None else gain

    rows = np.stack([values[name] for name in names])
    axes = np.eye(len(names), dtype=rows.dtype)
    # Each mode depends on its own parameters alone: one direction moves them all.
    steps = np.broadcast_to(axes[..., None], (*axes.shape, rows.shape[1]))

    def derivative_of(of: Any) -> Any:
        return lambda rows: jax.vmap(lambda v: jax.jvp(of, (rows,), (v,))[1])(steps)

    def derivatives(rows: Array) -> Any:
        return [
            of(rows),
            derivative_of(of)(rows),
            derivative_of(derivative_of(of))(rows),
        ]

    return jax.tree.map(np.asarray, jax.jit(derivatives, compiler_options=ONCE)(rows))


def _half(
    layer: DiagonalLayer,
    where: Mapping[str, Int[np.ndarray, "*shape"]],
    backwards: bool,
) -> Half:
    (lam, gain), (lam_by, gain_by), seconds = _turns(layer)
    B, c = _complex(layer.B_re, layer.B_im), _complex(layer.C_re, layer.C_im).T
    modes = Modes(lam, gain, B, c)
    zero = Modes(*map(np.zeros_like, modes))
    families = [
        Family(where[name], zero._replace(lam=lam_by[k], gain=gain_by[k]), k)
        for k, name in enumerate(recurrent_names(layer))
    ]
    for part, factor in PARTS.items():
        for k, axis in enumerate(np.eye(B.shape[1])):
            derivative = zero._replace(B=np.broadcast_to(factor * axis, B.shape))
            families.append(Family(where[f"B_{part}"][:, k], derivative))
        for k, axis in enumerate(np.eye(c.shape[1])):
            derivative = zero._replace(c=np.broadcast_to(factor * axis, c.shape))
            families.append(Family(where[f"C_{part}"][k], derivative))
    return Half(modes, families, *seconds, backwards)


def _complex(re: Any, im: Any) -> Complex[np.ndarray, "*shape"]:
    return np.asarray(re) + 1j * np.asarray(im)


def expand_diagonal(layer: Layer, rule: Overlaps) -> Expansion:
    """Gradient and Hessian of the loss of a layer whose halves are diagonal.

    If halves share a parameter, their contributions are added.

    Args:
        layer: Layer in double precision.
        rule: Sums over ages of the task's loss, from ``overlaps_of``.
    """
    expansion, halves = Expansion.empty(layer), []
    for backwards, (half, numbers) in enumerate(
        zip(layer.halves(), numbered(layer).halves(), strict=True)
    ):
        where = {
            name: np.asarray(entries).astype(int)
            for name, entries in parameters(numbers).items()
        }
        assert isinstance(half, DiagonalLayer)
        halves.append(_half(half, where, bool(backwards)))
    for first, second in combinations_with_replacement(halves, 2):
        for rows, columns, block in _couplings(first, second, rule):
            expansion.couple(rows, columns, block)
    for half in halves:
        _add_error_terms(expansion, half, rule)
    _skip(expansion, halves, rule)
    return expansion


class Factors(NamedTuple):
    """Factors of a response's derivative ``u v lam**age + c turned age lam**(age - 1)``."""

    u: Complex[np.ndarray, "n d_out"]
    v: Complex[np.ndarray, "n d_in"]
    c: Complex[np.ndarray, "n d_out"]
    turned: Complex[np.ndarray, "n d_in"] | None


def _factors(modes: Modes, derivative: Modes) -> Factors:
    turned = derivative.lam[:, None] * modes.beta if derivative.lam.any() else None
    if derivative.c.any():
        return Factors(derivative.c, modes.beta, modes.c, turned)
    entering = derivative.gain[:, None] * modes.B + modes.gain[:, None] * derivative.B
    return Factors(modes.c, entering, modes.c, turned)


def _couplings(
    first: Half, second: Half, rule: Overlaps
) -> Iterator[
    tuple[Int[np.ndarray, " n"], Int[np.ndarray, " m"], Float[np.ndarray, "n m"]]
]:
    """Gauss-Newton blocks of all pairs of families, from overlaps of first derivatives.

    A real part is half the sum of a number and its conjugate.  The overlap of two real
    parts is thus half the real part of two overlaps: of both numbers, and of the first
    number with the conjugate of the second.
    """
    opposed = first.backwards != second.backwards
    mirrored = second.modes.conj()
    plain = table(rule, first.modes.lam, second.modes.lam, opposed)
    mixed = table(rule, first.modes.lam, mirrored.lam, opposed)
    rows = [_factors(first.modes, family.derivative) for family in first.families]
    columns = [_factors(second.modes, family.derivative) for family in second.families]
    flipped = [
        _factors(mirrored, family.derivative.conj()) for family in second.families
    ]
    for i, j in product(range(len(rows)), range(len(columns))):
        if first is second and i > j:
            continue
        block = _shared(rows[i], columns[j], plain) + _shared(
            rows[i], flipped[j], mixed
        )
        once = 0.5 if first is second and i == j else 1
        where = first.families[i].where, second.families[j].where
        yield *where, once * np.real(block) / 2


def _shared(f: Factors, g: Factors, sums: Table) -> Complex[np.ndarray, "n m"]:
    overlap = (f.u @ g.u.T) * (f.v @ g.v.T) * sums.value
    if f.turned is not None:
        overlap += (f.c @ g.u.T) * (f.turned @ g.v.T) * sums.by_first
    if g.turned is not None:
        overlap += (f.u @ g.c.T) * (f.v @ g.turned.T) * sums.by_second
    if f.turned is not None and g.turned is not None:
        overlap += (f.c @ g.c.T) * (f.turned @ g.turned.T) * sums.by_both
    return overlap


def _add_error_terms(expansion: Expansion, half: Half, rule: Overlaps) -> None:
    """Add the gradient, and the error's inner products with second derivatives."""
    modes = half.modes
    error, first_derivative, second = (
        rule.error([modes.lam] * order, half.backwards) for order in (1, 2, 3)
    )

    def against(x: Any, u: Any, v: Any) -> Complex[np.ndarray, " n"]:
        return np.einsum("no,noi,ni->n", u, x, v)

    c, beta = modes.c, modes.beta
    turned, twice = against(first_derivative, c, beta), 2 * against(second, c, beta)
    for i, f in enumerate(half.families):
        df = f.derivative
        into = df.gain[:, None] * modes.B + modes.gain[:, None] * df.B
        first = against(error, df.c, beta) + against(error, c, into) + df.lam * turned
        expansion.gradient[f.where] += np.real(first)
        for g in half.families[i:]:
            dg = g.derivative
            enter = dg.gain[:, None] * modes.B + modes.gain[:, None] * dg.B
            mixed = df.gain[:, None] * dg.B + dg.gain[:, None] * df.B
            total = df.lam * dg.lam * twice
            if f.recurrent is not None and g.recurrent is not None:
                pair = f.recurrent, g.recurrent
                mixed = mixed + half.gain_second[pair][:, None] * modes.B
                total = total + half.lam_second[pair] * turned
            total = total + against(error, c, mixed)
            total = total + against(error, df.c, enter) + against(error, dg.c, into)
            total = total + df.lam * (
                against(first_derivative, dg.c, beta)
                + against(first_derivative, c, enter)
            )
            total = total + dg.lam * (
                against(first_derivative, df.c, beta)
                + against(first_derivative, c, into)
            )
            expansion.hessian[f.where, g.where] += np.real(total)
            if g is not f:
                expansion.hessian[g.where, f.where] += np.real(total)


def _skip(expansion: Expansion, halves: list[Half], rule: Overlaps) -> None:
    """Add the skip connection, a filter with response at age zero only."""
    skip = expansion.layout["D"]
    where = np.arange(skip.entries.start, skip.entries.stop).reshape(skip.shape)
    (error,), ((overlap,),) = rule.error([NONE]), rule.shared([NONE], [NONE])
    if where.ndim == 1:
        outputs = inputs = np.arange(len(where))
    else:
        outputs, inputs = (axis.ravel() for axis in np.indices(where.shape))
    where = where.ravel()
    expansion.gradient[where] = error[outputs, inputs].real
    expansion.hessian[where, where] = overlap.real
    for half in halves:
        lam = half.modes.lam
        value = rule.shared([lam], [NONE])
        coupling = rule.shared([lam, lam], [NONE])
        for family in half.families:
            f = _factors(half.modes, family.derivative)
            block = f.u[:, outputs] * f.v[:, inputs] * value
            if f.turned is not None:
                block = block + f.c[:, outputs] * f.turned[:, inputs] * coupling
            expansion.couple(family.where, where, np.real(block))
