"""Exact Hessians of any causal linear recurrence with real states, in its eigenbasis.

The derivative of ``A**age`` along a matrix, between eigenvectors p and q, is the divided
difference of ``x**age`` over their two eigenvalues.  A second derivative has three
eigenvalues.  The tables of ``sigprop.curvature.overlaps`` at unequal nodes thus give all
second derivatives of the loss with respect to ``A, B, C, D``.  The chain rule gives second
derivatives with respect to the layer's parameters.

Source: Zucchet & Orvieto (2024), Section 2.3, for the perturbation of eigenvectors; ours
to second order and for the loss.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.curvature.layout import Expansion, Place
from sigprop.curvature.overlaps import NONE, Overlaps
from sigprop.layers.base import Layer
from sigprop.linear.linearise import System, diagonalise, linearise

MATRICES = "ABCD"


def matrices(layer: Layer) -> System:
    """The matrices of a causal layer with real states.

    Raises:
        ValueError: If the layer is not causal, or its states are complex.
    """
    if not layer.causal:
        raise ValueError(f"need a causal layer, got {type(layer).__name__}")
    system = linearise(layer)
    if jnp.iscomplexobj(system.A):
        raise ValueError(f"need real states, got those of {type(layer).__name__}")
    return system


def by_name(layer: Layer) -> dict[str, Any]:
    """The matrices ``A, B, C, D`` of a layer, by these names."""
    return dict(zip(MATRICES, matrices(layer), strict=True))


def empty(system: System) -> Expansion:
    """An expansion of zeros with respect to the entries of the four matrices."""
    entries, start = {}, 0
    for name, matrix in zip(MATRICES, system, strict=True):
        entries[name] = Place(slice(start, start + matrix.size), matrix.shape)
        start += matrix.size
    return Expansion(np.zeros(start), np.zeros((start, start)), entries)


def expand_dense(system: System, rule: Overlaps) -> Expansion:
    """Gradient and Hessian of the loss with respect to the entries of ``A, B, C, D``.

    Args:
        system: Matrices of the student.
        rule: Sums over ages of the task's loss, from ``overlaps_of``.

    Raises:
        ValueError: If the eigenvectors of ``A`` form no basis.
    """
    modes = diagonalise(system)
    expansion = empty(system)
    lam, V, b, c = modes.lam, modes.vectors, modes.inward, modes.outward
    W = np.linalg.inv(V)
    n = len(lam)
    x, y = np.broadcast_to(lam[:, None], (n, n)), np.broadcast_to(lam[None], (n, n))
    cc, bb = c.T @ c, b @ b.T
    eye_in, eye_out = np.eye(b.shape[1]), np.eye(len(c))

    # Tables: one or two eigenvalues of the first direction, one or two of the second.
    pairs, pair_one = rule.shared([x, y], [x, y]), rule.shared([x, y], [lam])
    ones = rule.shared([lam], [lam])
    pair_skip = rule.shared([x, y], [NONE])[..., 0]
    one_skip = rule.shared([lam], [NONE])[:, 0]
    ((skip,),) = rule.shared([NONE], [NONE])

    first = {
        ("A", "A"): np.einsum(
            "pr,qs,pqrs,pa,rc,bq,ds->abcd", cc, bb, pairs, W, W, V, V, optimize=True
        ),
        ("A", "B"): np.einsum(
            "pr,qi,pqr,pa,rc,bq->abci", cc, b, pair_one, W, W, V, optimize=True
        ),
        ("A", "C"): np.einsum(
            "op,qs,pqs,pa,bq,ds->abod", c, bb, pair_one, W, V, V, optimize=True
        ),
        ("A", "D"): np.einsum(
            "op,qi,pq,pa,bq->aboi", c, b, pair_skip, W, V, optimize=True
        ),
        ("B", "B"): np.einsum(
            "pr,pr,pa,rc,ij->aicj", cc, ones, W, W, eye_in, optimize=True
        ),
        ("B", "C"): np.einsum("op,si,ps,pa,ds->aiod", c, b, ones, W, V, optimize=True),
        ("B", "D"): np.einsum(
            "op,p,pa,ij->aioj", c, one_skip, W, eye_in, optimize=True
        ),
        ("C", "C"): np.einsum(
            "qs,qs,bq,ds,op->obpd", bb, ones, V, V, eye_out, optimize=True
        ),
        ("C", "D"): np.einsum(
            "qi,q,bq,op->obpi", b, one_skip, V, eye_out, optimize=True
        ),
        ("D", "D"): skip * np.einsum("op,ij->oipj", eye_out, eye_in),
    }

    # Against the error: one, two or three eigenvalues.
    error = rule.error([lam])
    error_two = rule.error([x, y])
    z = np.broadcast_to(lam, (n, n, n))
    error_three = rule.error([z.transpose(2, 1, 0), z.transpose(0, 2, 1), z])
    (error_skip,) = rule.error([NONE])
    turned = np.einsum(
        "op,pqroi,ri,pa,bq,qc,dr->abcd", c, error_three, b, W, V, W, V, optimize=True
    )
    second = {
        ("A", "A"): turned + turned.transpose(2, 3, 0, 1),
        ("A", "B"): np.einsum(
            "op,pqoi,pa,bq,qc->abci", c, error_two, W, V, W, optimize=True
        ),
        ("A", "C"): np.einsum(
            "pqoi,qi,dp,pa,bq->abod", error_two, b, V, W, V, optimize=True
        ),
        ("B", "C"): np.einsum("poi,dp,pa->aiod", error, V, W, optimize=True),
    }
    gradients = {
        "A": np.einsum("op,pqoi,qi,pa,bq->ab", c, error_two, b, W, V, optimize=True),
        "B": np.einsum("op,poi,pa->ai", c, error, W, optimize=True),
        "C": np.einsum("poi,pi,bp->ob", error, b, V, optimize=True),
        "D": error_skip,
    }
    ix = {
        name: np.arange(block.entries.start, block.entries.stop)
        for name, block in expansion.layout.items()
    }
    for (row, column), block in first.items():
        total = (block + second.get((row, column), 0)) / (2 if row == column else 1)
        expansion.couple(
            ix[row], ix[column], total.real.reshape(ix[row].size, ix[column].size)
        )
    for name, gradient in gradients.items():
        expansion.gradient[ix[name]] = gradient.real.ravel()
    return expansion
