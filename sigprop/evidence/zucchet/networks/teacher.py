"""Evidence for teacher and Hessian, Sections 4.2-4.3 of Zucchet & Orvieto (2024).

Notation: ``L_t = |h_t - target_t|^2 / 2``, ``t = 1 .. STEPS``.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import across, bisect, complex_step, points, spectral_norm
from sigprop.evidence.zucchet.curse.small_networks import (
    SIZE,
    STEPS,
    data,
    onward,
    trajectory,
    weights,
)
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.networks.linear import (
    MOVE_MUTANTS,
    transformed_by_layer,
    transformed_by_print,
)
from sigprop.evidence.zucchet.networks.models import outputs_of
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision


@functools.cache
def _hessian_of_loss(kind: str) -> Callable[[Any, Any], Any]:
    import jax

    def loss(A, targets):
        states = onward(kind, A, np.zeros(SIZE), data()[0])
        return sum(((h - targets[t]) ** 2).sum() for t, h in enumerate(states)) / 2

    return jax.jit(jax.hessian(loss))


def hessian_autodiff(kind: str, fit: bool) -> Float[np.ndarray, "p p"]:
    """``d2L / dA2`` through the layer, all times; ``fit`` puts targets on the states."""
    import jax.numpy as jnp

    arguments = weights(kind), _targets(kind, fit)
    with double_precision(True):
        hessian = _hessian_of_loss(kind)(*map(jnp.asarray, arguments))
    return np.asarray(hessian).reshape(SIZE**2, SIZE**2)


def _targets(kind: str, fit: bool) -> Float[np.ndarray, "time n"]:
    return trajectory(kind, weights(kind))[1:] if fit else data()[1]


def hessian_complex(kind: str, fit: bool) -> Float[np.ndarray, "p p"]:
    """``d2L / dA2`` by a complex step of a hand-written backward pass."""
    targets = _targets(kind, fit)

    def gradient(A):
        states, back, total = trajectory(kind, A), np.zeros(SIZE), 0 * A
        for t in range(STEPS, 0, -1):
            back = back + states[t] - targets[t - 1]
            derivative = 1 - states[t] ** 2 if kind == "tanh" else np.ones(SIZE)
            total = total + np.outer(derivative * back, states[t - 1])
            back = A.T @ (derivative * back)
        return total

    hessian = complex_step(gradient, weights(kind))
    return hessian.reshape(SIZE**2, SIZE**2)


def _second_order(
    kind: str, fit: bool, steps: int = STEPS
) -> tuple[Float[np.ndarray, "p p"], Float[np.ndarray, "p p"]]:
    """The two terms of Eq. 11, by sensitivities of first and second order."""
    A, count = weights(kind), SIZE**2
    units = np.eye(count).reshape(count, SIZE, SIZE)
    states = trajectory(kind, A)
    s, q = np.zeros((count, SIZE)), np.zeros((count, count, SIZE))
    outer, curved = np.zeros((count, count)), np.zeros((count, count))
    for t in range(1, steps + 1):
        cross = np.einsum("aij,bj->abi", units, s)
        p = np.einsum("aij,j->ai", units, states[t - 1]) + s @ A.T
        pp = cross + cross.transpose(1, 0, 2) + q @ A.T
        derivative, second = np.ones(SIZE), np.zeros(SIZE)
        if kind == "tanh":
            derivative = 1 - states[t] ** 2
            second = -2 * states[t] * derivative
        s, q = derivative * p, derivative * pp + second * p[:, None] * p[None]
        outer += s @ s.T
        curved += q @ (states[t] - _targets(kind, fit)[t - 1])
    return outer, curved


def hessian_sum(
    kind: str, fit: bool, second: int = 1, steps: int = STEPS
) -> Float[np.ndarray, "p p"]:
    """Both terms of Eq. 11, the second so many times, summed over so many steps."""
    outer, curved = _second_order(kind, fit, steps)
    return outer + second * curved


def hessian_first(kind: str, fit: bool, steps: int = STEPS) -> Float[np.ndarray, "p p"]:
    """The first term of Eq. 11."""
    return _second_order(kind, fit, steps)[0]


@functools.cache
def _hessian(case: str) -> Float[np.ndarray, "p p"]:
    frame = scipy.linalg.expm(
        np.array([[0, 0.4, -0.2], [-0.4, 0, 0.7], [0.2, -0.7, 0]])
    )
    values = {"convex": (3.0, 1.0, 0.2), "saddle": (1.0, 0.3, -3.0)}[case]
    return frame @ np.diag(values) @ frame.T


def lipschitz_by_search(case: str) -> float:
    """The largest ratio of a change of the gradient to that of its place: power steps."""
    return spectral_norm(_hessian(case))


def lipschitz_by_norm(case: str) -> float:
    """The operator norm of the Hessian, by singular values."""
    return float(np.linalg.svd(_hessian(case), compute_uv=False)[0])


def largest_eigenvalue(case: str) -> float:
    """The largest eigenvalue of the Hessian."""
    return float(np.linalg.eigvalsh(_hessian(case))[-1])


def curvature_of_unit(lam: float, star: float) -> float:
    """Curvature of Eq. 91 at real eigenvalues."""
    own, joint = 1 - lam**2, 1 - lam * star
    return (1 + 3 * lam**2) / own**3 - 2 * star**2 / joint**3


DOWNWARDS = Example(
    "the Lipschitz constant near lam of the derivative of (1/(1 - lam^2) + 1/(1 - star^2))/2 "
    "- 1/(1 - lam star), the loss of Eq. 91 on the real axis,",
    {"lam": 0.0, "star": 0.9},
    curvature_of_unit,
    lambda **at: abs(curvature_of_unit(**at)),
)


def _converges(rate: float, ell: float) -> bool:
    x = 1.0
    for _ in range(60):
        x -= rate * ell * x
    return abs(x) < 1


def largest_rate(ell: float) -> float:
    """The largest rate at which descent on ``ell x^2 / 2`` shrinks, by bisection."""
    return bisect(lambda rate: _converges(rate, ell), 0.0, 10 / ell, steps=50)


def largest_rate_by_derivative(ell: float) -> float:
    """Rate at which the derivative of a gradient step, linear in the rate, is minus one."""
    import jax

    with double_precision(True):

        def update(x, rate):
            return x - rate * jax.grad(lambda x: ell * x**2 / 2)(x)

        derivative = jax.jit(jax.grad(update))
        at_zero, at_one = (float(derivative(1.0, rate)) for rate in (0.0, 1.0))
    return (-1 - at_zero) / (at_one - at_zero)


HESSIANS = {"autodiff": hessian_autodiff, "reference": hessian_complex}

EVIDENCE: dict[str, Basis] = {
    "zucchet:10": outputs_of("dense"),
    "zucchet:11": Evidence(
        across(kind=("dense", "tanh"), fit=(False,)),
        HESSIANS,
        form=hessian_sum,
        mutants={
            "the first term alone": hessian_first,
            "the second term subtracted": functools.partial(hessian_sum, second=-1),
            "the second term twice": functools.partial(hessian_sum, second=2),
            "without the last step": functools.partial(hessian_sum, steps=STEPS - 1),
        },
    ),
    "zucchet:text:second-term": Evidence(
        across(kind=("dense", "tanh"), fit=(True,)),
        HESSIANS,
        form=hessian_first,
        mutants={
            "without the last step": functools.partial(hessian_first, steps=STEPS - 1)
        },
    ),
    "zucchet:footnote1": by_code(
        across(case=("positive", "negative"), nu0=(0.3,), theta0=(math.pi,)),
        transformed_by_layer,
        transformed_by_print,
        mutants=MOVE_MUTANTS,
    ),
    "zucchet:footnote2:lipschitz": Evidence(
        points("case", "convex", "saddle"),
        {"reference": lipschitz_by_search, "closed_form": lipschitz_by_norm},
        form=largest_eigenvalue,
        mutants={
            "the mean of the eigenvalues": lambda case: np.trace(_hessian(case)) / 3,
        },
        example=DOWNWARDS,
    ),
    "zucchet:footnote2:rate": Evidence(
        points("ell", 0.7, 3.0, 40.0),
        {"reference": largest_rate, "autodiff": largest_rate_by_derivative},
    ),
}
