"""Curvature of the exact loss along directions, by sums over ages and by other routes.

``v' H v = 2 sum_jk w(j, k) (<g_j', g_k'> + <d_j, g_k''>)``, with ``w`` the weight of
two ages in the loss and ``d`` the difference of the impulse responses.  ``g'`` and
``g''`` are derivatives of the student's response along ``v``.  The first part is the
Gauss-Newton part.  The second part vanishes if the loss is zero.

Notation: g  response by age, from ``1 - T`` to ``T - 1`` (2 T - 1, d_out, d_in).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import power_derivatives, powers
from sigprop.linear.linearise import Modes, Perturbed, Tangents

Ages = Float[np.ndarray, "ages d_out d_in"]


def tangent(
    known: Perturbed, along: Mapping[str, Any], length: int, *, derivatives: bool = True
) -> Ages:
    """``g'`` from first-order perturbation of every mode, in closed form.

    Args:
        known: Perturbed layer at the parameters of the derivative.
        along: The direction, by the name of each parameter.
        length: ``T``.
        derivatives: False for a mutant with constant eigenvalues.
    """
    by_age = np.zeros((2 * length - 1, *known.modes[0].skip.shape))
    for half, modes in enumerate(known.modes):
        forwards = by_age[length - 1 :] if half == 0 else by_age[length - 1 :: -1]
        for name, moved in known.tangents.items():
            v = np.ravel(along[name])
            forwards += _moved(modes, moved[half], v, length, derivatives)
            if half == 0:
                forwards[0] += np.tensordot(v, moved[0].skip, 1)
    return by_age


def _moved(
    modes: Modes,
    tangents: Tangents,
    v: Float[np.ndarray, " p"],
    length: int,
    derivatives: bool,
) -> Ages:
    """Derivative of ``sum residue lam**age`` from age zero on, along ``v``."""
    weights = np.tensordot(v, tangents.residues, 1)
    by_age = np.einsum("nt,oni->toi", powers(modes.lam, length), weights)
    if derivatives:
        weights = np.tensordot(v, tangents.derivatives, 1)
        by_age += np.einsum(
            "nt,oni->toi", power_derivatives(modes.lam, length), weights
        )
    return np.real(by_age)


def moved(known: Perturbed, **parts: float) -> Perturbed:
    """The perturbed layer, with factors on parts of its tangents."""
    tangents = {
        name: tuple(
            half._replace(**{p: f * getattr(half, p) for p, f in parts.items()})
            for half in halves
        )
        for name, halves in known.tangents.items()
    }
    return Perturbed(known.modes, tangents)
