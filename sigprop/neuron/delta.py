"""Expectations over the inputs of one head of the delta rule, whose state is a matrix.

Each row of the state obeys ``h' = A h + beta v k`` with ``A = alpha (I - beta k k^T)`` and
the row's value ``v``.  Its derivative by a parameter obeys ``s' = A s + c h + d``.  All rows
share ``A``, so that the sum of their second moments is a matrix of size keys by keys.

Expectations are over gates, Gaussian projections of the input, and the normalised key
``k = x / sqrt(|x|^2 + tiny)``.  A power of the key's length is an integral of Gaussians,
``|x|^-p ~ int s^(p/2 - 1) exp(-s |x|^2) ds``.  For each ``s`` and gate there remains a
polynomial times a Gaussian, which few nodes integrate exactly.

Notation: K  entries of a key;  z  coordinates of the input in the span of gates and keys;
f  factor of a weight: a coordinate of the input, or 1 for a bias.

Source: ``sigprop.theory.delta_moments``.
"""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.neuron.quadrature import STRAIGHT, Law, gaussian_nodes, tilted
from sigprop.neuron.quadrature import Nodes as GateNodes

STEP = 0.35  # step of the logarithm of s
LOOSE = 0.65  # factor on the number of gate nodes, because each has a grid of keys
FIRST = -4.3  # smallest logarithm of s: exp(-exp(4.3)) is below 1e-31
GONE = 40.0  # the integral ends where its factor is exp(-40)
LEAST = 1e-10  # smallest addend in units of x^2; six digits remain
SPANNED = 7  # nodes per coordinate, for polynomials of degree six
TOP = 4  # largest number of keys in a product
STEEPEST = 8  # largest power of an inverse length, in products of two derivatives
EXACT = 5  # nodes per coordinate, for polynomials of degree eight
SPARSE = 0.3  # step of the logarithm of s for such products
NEGLIGIBLE = 1e-14  # smallest weight of a node, relative to the largest at its s
MOST = 2**23  # largest number of nodes

Nodewise = Float[np.ndarray, " nodes"]
Matrix = Float[np.ndarray, "_rows _columns"]


class Head(NamedTuple):
    """Weights of a head of DeltaNet, or of Gated DeltaNet if it has a decay.

    Attributes:
        W_k: Weights of the key, a row per entry of the key.
        W_v: Weights of the value, a row per entry of the value.
        w_beta: Weights of the logit of the gate ``beta``.
        w_a: Weights of the decay ``alpha = exp(-exp(A_log) softplus(w_a u + bias))``, or
            None for ``alpha = 1``.
        bias: Bias of the decay.
        A_log: Logarithm of the decay rate.
        tiny: Constant that is added to the squared length of a key.
    """

    W_k: Float[np.ndarray, "keys d_in"]
    W_v: Float[np.ndarray, "values d_in"]
    w_beta: Float[np.ndarray, " d_in"]
    w_a: Float[np.ndarray, " d_in"] | None
    bias: float
    A_log: float
    tiny: float

    def scaled(self, scale: float) -> "Head":
        """Return the head whose weights are multiplied by ``scale``.

        Its response to an input equals the response of this head to ``scale`` times the
        input.
        """
        return self._replace(
            W_k=scale * self.W_k,
            W_v=scale * self.W_v,
            w_beta=scale * self.w_beta,
            w_a=None if self.w_a is None else scale * self.w_a,
        )


class Nodes(NamedTuple):
    """Quadrature nodes of the input.

    Attributes:
        z: Coordinates of the input at each node.
        x: Keys before normalisation at each node.
        weights: Weights of the nodes, by the number of inverse key lengths in the
            integrand.
        coarse: Weights of the rule with half the nodes, for an error estimate.
    """

    z: Float[np.ndarray, "nodes coordinates"]
    x: Float[np.ndarray, "nodes keys"]
    weights: dict[int, Nodewise]
    coarse: dict[int, Nodewise]


class View(NamedTuple):
    """Weights of a head in coordinates of the input that span gates and keys.

    A rotation of the rows of the state does not change moments summed over the rows.
    ``values`` is therefore rotated to have at most one row per coordinate.

    Attributes:
        beta: Weights of the gate ``beta``.
        decay: Weights of the decay; zero without a decay.
        values: Rotated weights of the values.
        rows: Number of rows before the rotation.
        rest: Number of coordinates outside of the span.
        unseen: Sum of the squared weights of the values outside of the span.
    """

    beta: Float[np.ndarray, " coordinates"]
    decay: Float[np.ndarray, " coordinates"]
    values: Float[np.ndarray, "values coordinates"]
    rows: int
    rest: int
    unseen: float


def _view(head: Head, law: Law | None) -> tuple[View, Matrix]:
    """Return the head in coordinates of the input, and the weights of the keys in them."""
    decayed = head.w_a is not None
    gates = [head.w_beta, *([head.w_a] if head.w_a is not None else [])]
    rows = np.concatenate([np.stack(gates), head.W_k])
    width = rows.shape[1]
    if law is not None:
        basis, size = np.eye(width), width
    else:
        if width < len(rows):
            raise ValueError(
                f"need {len(rows)} inputs or more for {len(gates)} gates and "
                f"{len(head.W_k)} entries of a key, got {width}"
            )
        basis, size = np.linalg.qr(rows.T)[0], len(rows)
    seen = rows @ basis
    values = head.W_v @ basis
    unseen = (head.W_v**2).sum() - (values**2).sum() if law is None else 0.0
    decay = seen[1] if decayed else np.zeros(size)
    turned = np.linalg.qr(values)[1]
    rest = width - size
    view = View(seen[0], decay, turned, len(values), rest, max(float(unseen), 0.0))
    return view, seen[len(gates) :]


def _finite_law(head: Head, law: Law) -> Nodes:
    x = law.values @ head.W_k.T
    length = np.sqrt((x**2).sum(1) + head.tiny)
    weights = {p: law.probabilities / length**p for p in range(STEEPEST + 1)}
    return Nodes(law.values, x, weights, weights)


class _Tilted(NamedTuple):
    """Gaussian of the key coordinates conditional on the gates, times ``exp(-s |x|^2)``."""

    by_gate: Matrix  # weights of the keys in the coordinates of the gates
    inner: Matrix  # weights of the keys in the other coordinates
    gates: Float[np.ndarray, "gates count"]

    def at(
        self, s: float, xi: Matrix
    ) -> tuple[Float[np.ndarray, "gates xi size"], Nodewise]:
        """Return nodes for each gate, and the integral of the Gaussian."""
        size, middle = self.inner.shape[1], self.gates @ self.by_gate.T
        precision = np.eye(size) + 2 * s * self.inner.T @ self.inner
        lower = np.linalg.cholesky(precision)
        shift = -2 * s * np.linalg.solve(precision, self.inner.T @ middle.T).T
        outer = np.eye(len(self.inner)) + 2 * s * self.inner @ self.inner.T
        log = -s * (middle * np.linalg.solve(outer, middle.T).T).sum(1)
        zeta = shift[:, None] + (xi @ np.linalg.inv(lower))[None]
        return zeta, np.exp(log) / np.diag(lower).prod()


def _lagrange(
    x: Float[np.ndarray, "*n"], nodes: Nodewise
) -> Float[np.ndarray, "*n nodes"]:
    """Return the Lagrange polynomials of the nodes at ``x``."""
    apart = nodes[:, None] - nodes[None] + np.eye(len(nodes))
    factors = (x[..., None, None] - nodes) / apart
    place = np.arange(len(nodes))
    factors[..., place, place] = 1.0
    return factors.prod(-1)


def _products(line: Nodewise, size: int) -> Matrix:
    return np.array(list(itertools.product(line, repeat=size))).reshape(-1, size)


@functools.lru_cache(64)
def _gaussian(
    rows: tuple[tuple[float, ...], ...],
    count: int,
    spread: float,
    tiny: float,
    tilt: float,
) -> Nodes:
    """Return nodes of a Gaussian input: a grid of gates times a grid of key coordinates.

    The weights of the second grid integrate every polynomial of degree six in each
    coordinate like a rule with nodes at many values of ``s``.  They can be negative.

    Args:
        rows: Weights of the keys in coordinates of the input.  The gates depend on the
            first coordinates.
        count: Number of coordinates on which the gates depend.
        spread: Largest weight of a gate.
        tiny: Constant that is added to the squared length of a key.
        tilt: Shift of the decay's Gaussian; see ``quadrature.tilted``.
    """
    keys = np.array(rows)
    by_gate, inner = keys[:, :count], keys[:, count:]
    size = inner.shape[1]
    sharp = np.linalg.norm(np.linalg.solve(inner, by_gate), 2)
    narrow = LOOSE * math.hypot(1.0, float(sharp))
    gates = gaussian_nodes(count, 0, spread, narrow, tilt)
    one, w = np.polynomial.hermite_e.hermegauss(STRAIGHT)
    rules = functools.reduce(
        np.multiply.outer, [w / w.sum()] * size, np.ones(())
    ).ravel()
    xi, line = _products(one, size), np.polynomial.hermite_e.hermegauss(SPANNED)[0]
    unit = float((keys**2).sum()) / len(keys)  # the size of x^2
    if tiny < LEAST * unit:
        raise ValueError(
            f"need keys whose mean square is below {tiny / LEAST:.3g}, which is the "
            f"addend of their length over {LEAST:g}, got {unit:.3g}: digits would be lost"
        )
    unit += tiny
    half = math.ceil((math.log(GONE * unit / tiny) - FIRST) / STEP / 2)
    tilted = _Tilted(by_gate, inner, gates.z)
    grid = (len(gates.weights), SPANNED**size)
    table = {(p, rule): np.zeros(grid) for p in range(TOP + 1) for rule in (0, 1)}

    def spanned(s: float) -> Float[np.ndarray, "gates grid"]:
        zeta, factor = tilted.at(s, xi)
        bases = [_lagrange(zeta[..., place], line) for place in range(size)]
        whole = bases[0] * (factor[:, None] * rules)[..., None]
        for basis in bases[1:]:
            whole = (whole[..., None] * basis[..., None, :]).reshape(
                *zeta.shape[:2], -1
            )
        return whole.sum(1)

    for place in range(2 * half + 1):
        log = FIRST + STEP * place
        s = math.exp(log - math.exp(-log)) / unit
        measure = STEP * (1 + math.exp(-log)) * math.exp(-s * tiny)
        found = spanned(s)
        for p in range(1, TOP + 1):
            scaled = measure * s ** (p / 2) / math.gamma(p / 2) * found
            table[p, 0] += scaled
            if place % 2 == 0:
                table[p, 1] += 2 * scaled
    table[0, 0] = table[0, 1] = spanned(0.0)
    fine, coarse = (
        {p: (table[p, rule] * weights[:, None]).ravel() for p in range(TOP + 1)}
        for rule, weights in enumerate((gates.weights, gates.coarse))
    )
    inside = np.tile(_products(line, size), (grid[0], 1))
    z = np.concatenate([np.repeat(gates.z, grid[1], 0), inside], 1)
    return Nodes(z, z @ keys.T, fine, coarse)


def steep_nodes_of(head: Head, law: Law | None) -> tuple[View, Nodes]:
    """Return the nodes of ``nodes_of`` for products with up to eight inverse lengths.

    The nodes cover the gates, the variable ``s`` of the integral over lengths, and the
    Gaussians conditional on both.  All weights are positive, so that no digits are lost
    for short keys.

    Args:
        head: Head of the delta rule.
        law: Distribution of the input vector with few values.  Default: independent
            standard normal entries.

    Raises:
        ValueError: If there are fewer Gaussian inputs than gates and entries of a key,
            or the rule would have more than 8 388 608 nodes.
    """
    view, keys = _view(head, law)
    if law is not None:
        return view, _finite_law(head, law)
    gates, count = _gate_nodes(head, view, keys)
    by_gate, inner = keys[:, :count], keys[:, count:]
    size = inner.shape[1]
    unit = float((keys**2).sum()) / len(keys) + head.tiny
    half = math.ceil((math.log(GONE * unit / head.tiny) - FIRST) / SPARSE / 2)
    total = (2 * half + 2) * len(gates.weights) * EXACT**size
    if total > MOST:
        raise ValueError(
            f"need at most {MOST} nodes for gradients by W_k, got {total} for keys of "
            f"{len(keys)} entries and {count} gates; pass a law of few values, or measure"
        )
    one, w = np.polynomial.hermite_e.hermegauss(EXACT)
    rules = functools.reduce(
        np.multiply.outer, [w / w.sum()] * size, np.ones(())
    ).ravel()
    xi, tilted_by = _products(one, size), _Tilted(by_gate, inner, gates.z)
    z, fine, coarse = [], [], []
    for place in range(-1, 2 * half + 1):
        log = FIRST + SPARSE * place
        s = 0.0 if place < 0 else math.exp(log - math.exp(-log)) / unit
        zeta, factor = tilted_by.at(s, xi)
        grid = ((gates.weights * factor)[:, None] * rules).ravel()
        kept = grid > NEGLIGIBLE * grid.max()
        inside = np.concatenate(
            [np.repeat(gates.z, len(xi), 0), zeta.reshape(-1, size)], 1
        )
        z.append(inside[kept])
        powers = np.zeros(STEEPEST + 1)
        if place < 0:
            powers[0] = 1.0
        else:
            measure = SPARSE * (1 + math.exp(-log)) * math.exp(-s * head.tiny)
            for p in range(1, STEEPEST + 1):
                powers[p] = measure * s ** (p / 2) / math.gamma(p / 2)
        fine.append(np.outer(powers, grid[kept]))
        every_other = ((gates.coarse * factor)[:, None] * rules).ravel()[kept]
        share = 1.0 if place < 0 else 2.0 * (place % 2 == 0)
        coarse.append(np.outer(share * powers, every_other))
    inputs = np.concatenate(z)
    rules_by_power = [
        dict(enumerate(np.concatenate(table, 1))) for table in (fine, coarse)
    ]
    return view, Nodes(inputs, inputs @ keys.T, *rules_by_power)


class Products:
    """Expectations of products of normalised keys ``k`` over one set of nodes.

    Args:
        x: Keys before normalisation at each node.
        weights: Weights of the nodes, by the number of inverse key lengths.
    """

    def __init__(
        self, x: Float[np.ndarray, "nodes keys"], weights: dict[int, Nodewise]
    ):
        self.x, self.weights, self.keys = x, weights, x.shape[1]
        self.pairs = (x[:, :, None] * x[:, None]).reshape(len(x), -1)

    def scalar(self, phi: Nodewise) -> float:
        """Return ``E phi``."""
        return float((self.weights[0] * phi).sum())

    def first(self, phi: Float[np.ndarray, "nodes *more"]):
        """Return ``E phi k``; further axes of ``phi`` come first."""
        return np.einsum("n...,na->...a", self._weighted(1, phi), self.x)

    def second(self, phi: Nodewise) -> Matrix:
        """Return ``E phi k k^T``."""
        return ((self.weights[2] * phi) @ self.pairs).reshape(self.keys, self.keys)

    def third(self, phi: Float[np.ndarray, "nodes values"]):
        """Return ``E phi k k k``; the second axis of ``phi`` comes first."""
        whole = self._weighted(3, phi)[:, :, None] * self.x[:, None]
        found = np.tensordot(whole, self.pairs, (0, 0))
        return found.reshape(phi.shape[1], *[self.keys] * 3)

    def fourth(self, phi: Nodewise):
        """Return ``E phi k k k k``."""
        found = (self.pairs * (self.weights[4] * phi)[:, None]).T @ self.pairs
        return found.reshape([self.keys] * 4)

    def _weighted(self, p: int, phi):
        return self.weights[p].reshape(-1, *[1] * (phi.ndim - 1)) * phi

    def matrix(self, c0: Nodewise, c2: Nodewise) -> Matrix:
        """Return ``E[c0 I + c2 k k^T]``."""
        return self.scalar(c0) * np.eye(self.keys) + self.second(c2)

    def sandwich(self, a: tuple[Nodewise, Nodewise], c: tuple[Nodewise, Nodewise], f):
        """Return the map ``X -> E[f A X C]`` as a matrix on the entries of ``X``."""
        (a0, a2), (c0, c2) = a, c
        return self.sides(f * a0 * c0, f * a2 * c0, f * a0 * c2, f * a2 * c2)

    def sides(
        self, neither: Nodewise, left: Nodewise, right: Nodewise, both: Nodewise
    ) -> Matrix:
        """Return a map of ``X`` as a matrix on its entries.

        The map is ``E[neither X + left k k^T X + right X k k^T + both k k^T X k k^T]``.
        """
        one = np.eye(self.keys)
        whole = np.einsum("ac,bd->abcd", one, one) * self.scalar(neither)
        whole = whole + np.einsum("ac,bd->abcd", self.second(left), one)
        whole = whole + np.einsum("ac,bd->abcd", one, self.second(right))
        whole = whole + np.swapaxes(self.fourth(both), 1, 2)
        return whole.reshape(self.keys**2, self.keys**2)

    def cross(
        self, a: tuple[Nodewise, Nodewise], phi: Float[np.ndarray, "nodes values"]
    ) -> Matrix:
        """Return ``m -> sum_i E[A m_i phi_i k^T]`` as a matrix on the entries of ``m``."""
        straight = self.first(a[0][:, None] * phi)
        whole = np.einsum("ac,ib->abic", np.eye(self.keys), straight)
        whole = whole + np.einsum("iacb->abic", self.third(a[1][:, None] * phi))
        return whole.reshape(self.keys**2, -1)


def nodes_of(head: Head, law: Law | None) -> tuple[View, Nodes]:
    """Return a head in coordinates of the input, and quadrature nodes of the input.

    Args:
        head: Head of the delta rule.
        law: Distribution of the input vector with few values.  Default: independent
            standard normal entries.

    Raises:
        ValueError: If there are fewer Gaussian inputs than gates and entries of a key,
            or keys are so small that ``head.tiny`` would cost digits.
    """
    view, keys = _view(head, law)
    if law is not None:
        return view, _finite_law(head, law)
    count, spread, tilt = _gates(head, view)
    rows = tuple(map(tuple, keys.tolist()))
    return view, _gaussian(rows, count, spread, head.tiny, tilt)


def _gates(head: Head, view: View) -> tuple[int, float, float]:
    """Return the number of gates, their largest weight, and the tilt of the decay."""
    count = 1 if head.w_a is None else 2
    spread = float(np.abs(np.stack([view.beta, view.decay])[:, :count]).max())
    tilt = tilted(np.abs(view.decay), np.full_like(view.decay, abs(head.bias)))
    return count, spread, tilt


def _gate_nodes(head: Head, view: View, keys: Matrix) -> tuple[GateNodes, int]:
    """Return nodes of the gates, dense enough for keys narrower than the Gaussian."""
    count, spread, tilt = _gates(head, view)
    sharp = np.linalg.norm(np.linalg.solve(keys[:, count:], keys[:, :count]), 2)
    narrow = LOOSE * math.hypot(1.0, float(sharp))
    return gaussian_nodes(count, 0, spread, narrow, tilt), count
