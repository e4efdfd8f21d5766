"""Exact Hessians of diagonal layers, from the tables that their eigenvalues share.

The response of one mode is ``Re(c beta lam**age)`` with ``beta = gamma B``.  A parameter
of the mode moves it by ``u v lam**age + lam' c beta age lam**(age - 1)``, of rank one in
outputs and inputs, so that two parameters of modes i and k couple through the entries
(i, k) of four tables and inner products of ``u``, ``v``, ``c`` and ``beta``: no sum over
ages or sequences is left.  Away from the optimum the second derivatives of the response,
which stay within a mode, meet the error.

Source: Zucchet & Orvieto (2024), Eq. 114-155, for every parameter, any stationary input,
finite sequences, both directions of time and a nonzero error.
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

PARTS = {"re": 1, "im": 1j}


class Modes(NamedTuple):
    """Modes of one direction of time, or how one parameter of each moves them.

    Attributes:
        lam: Eigenvalues.
        gain: ``gamma``.
        B: Inward weights.
        c: Outward weights.
    """

    lam: Complex[np.ndarray, " n"]
    gain: Complex[np.ndarray, " n"]
    B: Complex[np.ndarray, "n d_in"]
    c: Complex[np.ndarray, "n d_out"]

    @property
    def beta(self) -> Complex[np.ndarray, "n d_in"]:
        """``gamma B``."""
        return self.gain[:, None] * self.B

    def conj(self) -> "Modes":
        """The conjugate modes."""
        return Modes(*(part.conj() for part in self))


class Family(NamedTuple):
    """One parameter of every mode.

    Attributes:
        where: Its place among all parameters, mode by mode.
        slope: How it moves its mode; either its weights ``c`` or the rest.
        second: Second derivatives of ``lam`` and ``gain`` by it and each of the
            recurrent parameters, or nothing.
    """

    where: Int[np.ndarray, " n"]
    slope: Modes
    recurrent: int | None = None


class Half(NamedTuple):
    """One direction of time of a layer.

    Attributes:
        modes: Its modes.
        families: All its parameters but the skip connection.
        lam_bends: Second derivatives of each eigenvalue by its recurrent parameters.
        gain_bends: The same of the gain.
        backwards: Whether it reads sequences from their end.
    """

    modes: Modes
    families: list[Family]
    lam_bends: Complex[np.ndarray, "r r n"]
    gain_bends: Float[np.ndarray, "r r n"]
    backwards: bool


def recurrent_names(layer: DiagonalLayer) -> list[str]:
    """Names of the parameters of the recurrence."""
    return [name for name, group in layer.groups().items() if group == "recurrent"]


def _turns(layer: DiagonalLayer) -> list[tuple[Any, Any]]:
    """Eigenvalues and gains; their first derivatives; their second ones."""
    names, values = recurrent_names(layer), parameters(layer)

    def of(rows: Array) -> tuple[Array, Array]:
        moved = replace(layer, dict(zip(names, rows, strict=True)))
        lam, gain = moved.eigenvalues(), moved.normaliser()
        return lam, jnp.ones_like(lam.real) if gain is None else gain

    rows = jnp.stack([values[name] for name in names])
    axes = jnp.eye(len(names), dtype=rows.dtype)
    # Each mode depends on its own parameters alone: one direction moves them all.
    steps = jnp.broadcast_to(axes[..., None], (*axes.shape, rows.shape[1]))

    def slopes(of: Any) -> Any:
        return lambda rows: jax.vmap(lambda v: jax.jvp(of, (rows,), (v,))[1])(steps)

    found = of(rows), slopes(of)(rows), slopes(slopes(of))(rows)
    return jax.tree.map(np.asarray, list(found))


def _half(
    layer: DiagonalLayer,
    where: Mapping[str, Int[np.ndarray, "*shape"]],
    backwards: bool,
) -> Half:
    (lam, gain), (lam_by, gain_by), bends = _turns(layer)
    B, c = _complex(layer.B_re, layer.B_im), _complex(layer.C_re, layer.C_im).T
    modes = Modes(lam, gain, B, c)
    still = Modes(*map(np.zeros_like, modes))
    families = [
        Family(where[name], still._replace(lam=lam_by[k], gain=gain_by[k]), k)
        for k, name in enumerate(recurrent_names(layer))
    ]
    for part, factor in PARTS.items():
        for k, axis in enumerate(np.eye(B.shape[1])):
            slope = still._replace(B=np.broadcast_to(factor * axis, B.shape))
            families.append(Family(where[f"B_{part}"][:, k], slope))
        for k, axis in enumerate(np.eye(c.shape[1])):
            slope = still._replace(c=np.broadcast_to(factor * axis, c.shape))
            families.append(Family(where[f"C_{part}"][k], slope))
    return Half(modes, families, *bends, backwards)


def _complex(re: Any, im: Any) -> Complex[np.ndarray, "*shape"]:
    return np.asarray(re) + 1j * np.asarray(im)


def expand(layer: Layer, rule: Overlaps) -> Expansion:
    """Gradient and Hessian of the loss at a layer whose halves are diagonal.

    Args:
        layer: Of double precision.
        rule: What its filters share, with the error that it makes.
    """
    found, halves = Expansion.empty(layer), []
    for backwards, (half, numbers) in enumerate(
        zip(layer.halves(), numbered(layer).halves(), strict=True)
    ):
        where = {
            name: np.asarray(one).astype(int)
            for name, one in parameters(numbers).items()
        }
        assert isinstance(half, DiagonalLayer)
        halves.append(_half(half, where, bool(backwards)))
    for first, second in combinations_with_replacement(halves, 2):
        for rows, columns, block in _couplings(first, second, rule):
            found.couple(rows, columns, block)
    for half in halves:
        _bend(found, half, rule)
    _skip(found, halves, rule)
    return found


class Factors(NamedTuple):
    """A moved response ``u v lam**age + turned age lam**(age - 1)``, of rank one each."""

    u: Complex[np.ndarray, "n d_out"]
    v: Complex[np.ndarray, "n d_in"]
    c: Complex[np.ndarray, "n d_out"]
    turned: Complex[np.ndarray, "n d_in"] | None


def _factors(modes: Modes, slope: Modes) -> Factors:
    turned = slope.lam[:, None] * modes.beta if slope.lam.any() else None
    if slope.c.any():
        return Factors(slope.c, modes.beta, modes.c, turned)
    entering = slope.gain[:, None] * modes.B + modes.gain[:, None] * slope.B
    return Factors(modes.c, entering, modes.c, turned)


def _couplings(
    first: Half, second: Half, rule: Overlaps
) -> Iterator[
    tuple[Int[np.ndarray, " n"], Int[np.ndarray, " m"], Float[np.ndarray, "n m"]]
]:
    """Gauss-Newton blocks of every two families: overlaps of first derivatives.

    A real part is half of a number and half of its conjugate, so that two of them share
    half the real part of what the numbers share plain and what they share conjugated.
    """
    opposed = first.backwards != second.backwards
    mirrored = second.modes.conj()
    plain = table(rule, first.modes.lam, second.modes.lam, opposed)
    mixed = table(rule, first.modes.lam, mirrored.lam, opposed)
    rows = [_factors(first.modes, one.slope) for one in first.families]
    columns = [_factors(second.modes, one.slope) for one in second.families]
    flipped = [_factors(mirrored, one.slope.conj()) for one in second.families]
    for i, j in product(range(len(rows)), range(len(columns))):
        if first is second and i > j:
            continue
        block = _shared(rows[i], columns[j], plain) + _shared(
            rows[i], flipped[j], mixed
        )
        yield first.families[i].where, second.families[j].where, np.real(block) / 2


def _shared(f: Factors, g: Factors, at: Table) -> Complex[np.ndarray, "n m"]:
    found = (f.u @ g.u.T) * (f.v @ g.v.T) * at.value
    if f.turned is not None:
        found += (f.c @ g.u.T) * (f.turned @ g.v.T) * at.by_first
    if g.turned is not None:
        found += (f.u @ g.c.T) * (f.v @ g.turned.T) * at.by_second
    if f.turned is not None and g.turned is not None:
        found += (f.c @ g.c.T) * (f.turned @ g.turned.T) * at.by_both
    return found


def _bend(found: Expansion, half: Half, rule: Overlaps) -> None:
    """Add the gradient, and the second derivatives of each mode against the error."""
    modes = half.modes
    error, slope, bend = (
        rule.error([modes.lam] * order, half.backwards) for order in (1, 2, 3)
    )

    def against(x: Any, u: Any, v: Any) -> Complex[np.ndarray, " n"]:
        return np.einsum("no,noi,ni->n", u, x, v)

    c, beta = modes.c, modes.beta
    turned, twice = against(slope, c, beta), 2 * against(bend, c, beta)
    for i, f in enumerate(half.families):
        one = f.slope
        into = one.gain[:, None] * modes.B + modes.gain[:, None] * one.B
        first = against(error, one.c, beta) + against(error, c, into) + one.lam * turned
        found.gradient[f.where] = np.real(first)
        for g in half.families[i:]:
            two = g.slope
            enter = two.gain[:, None] * modes.B + modes.gain[:, None] * two.B
            both = one.gain[:, None] * two.B + two.gain[:, None] * one.B
            total = one.lam * two.lam * twice
            if f.recurrent is not None and g.recurrent is not None:
                at = f.recurrent, g.recurrent
                both = both + half.gain_bends[at][:, None] * modes.B
                total = total + half.lam_bends[at] * turned
            total = total + against(error, c, both)
            total = total + against(error, one.c, enter) + against(error, two.c, into)
            total = total + one.lam * (
                against(slope, two.c, beta) + against(slope, c, enter)
            )
            total = total + two.lam * (
                against(slope, one.c, beta) + against(slope, c, into)
            )
            found.hessian[f.where, g.where] += np.real(total)
            if g is not f:
                found.hessian[g.where, f.where] += np.real(total)


def _skip(found: Expansion, halves: list[Half], rule: Overlaps) -> None:
    """The skip connection: a filter that forgets at once."""
    place = found.layout["D"]
    where = np.arange(place.entries.start, place.entries.stop).reshape(place.shape)
    (error,), ((own,),) = rule.error([NONE]), rule.shared([NONE], [NONE])
    if where.ndim == 1:
        outputs = inputs = np.arange(len(where))
    else:
        outputs, inputs = (axis.ravel() for axis in np.indices(where.shape))
    where = where.ravel()
    found.gradient[where] = error[outputs, inputs].real
    found.hessian[where, where] = own.real
    for half in halves:
        lam = half.modes.lam
        value = rule.shared([lam], [NONE])
        slope = rule.shared([lam, lam], [NONE])
        for family in half.families:
            f = _factors(half.modes, family.slope)
            block = f.u[:, outputs] * f.v[:, inputs] * value
            if f.turned is not None:
                block = block + f.c[:, outputs] * f.turned[:, inputs] * slope
            found.couple(family.where, where, np.real(block))
