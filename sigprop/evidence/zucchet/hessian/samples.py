"""Evidence for one sample's derivatives, Eq. 122-128 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex
from mpmath import mpc, mpf

from sigprop.evidence.kit import across, also
from sigprop.evidence.zucchet.hessian.differences import (
    DIGITS,
    STEP,
    contour,
    mixed_difference,
    wirtinger_second,
)
from sigprop.evidence.zucchet.hessian.units import (
    AT_OPTIMALITY,
    OFF_OPTIMALITY,
    SAMPLED,
    by_hand,
    driven,
)
from sigprop.judge.basis import Basis, Evidence, Example


def _state(lam: Any, b: complex, x: Sequence[float]) -> Any:
    """The state after the sequence ``x``, by the recurrence."""
    h = mpc(0)
    for value in x:
        h = lam * h + mpc(b) * mpf(value)
    return h


def sample_loss(**point: Any) -> Callable[..., Any]:
    """Half the squared error after one sequence, as a function of the eigenvalues."""

    def loss(*eigenvalues: Any) -> Any:
        output = mpf(0)
        for unit, lam in zip("ij", eigenvalues, strict=True):
            h = _state(lam, point[f"b_{unit}"], point["x"])
            output += (mpc(point[f"c_{unit}"]) * h).real
        return (output - mpf(point["target"])) ** 2 / 2

    return loss


def sample_gradient(**point: Any) -> complex:
    """``dL_t/dlambda_i`` of one sequence, by differences: Wirtinger's."""
    first, second = mpc(point["lambda_i"]), mpc(point["lambda_j"])
    loss = sample_loss(**point)
    with mpmath.workdps(DIGITS):
        by_re, by_im = (
            (loss(first + d * STEP, second) - loss(first - d * STEP, second))
            / (2 * STEP)
            for d in (mpc(1), mpc(0, 1))
        )
        return complex((by_re - mpc(0, 1) * by_im) / 2)


def sample_second(**point: Any) -> complex:
    """``d^2 L_t / dlambda_i dlambda_j`` of one sequence; of ``single``, twice by i."""
    loss = sample_loss(**point)
    if point.get("single"):
        fixed = mpc(point["lambda_j"])
        twice = wirtinger_second(lambda z, w: loss(z + w, fixed), point["lambda_i"], 0)
        return twice[0, 0]
    return wirtinger_second(loss, point["lambda_i"], point["lambda_j"])[0, 0]


def output_curvature(scale: float, y: float, target: float) -> float:
    """Second derivative of ``scale (y - target)^2`` by ``y``, by differences."""
    with mpmath.workdps(DIGITS):

        def moved(shift: list[Any]) -> Any:
            return mpf(scale) * (mpf(y) + shift[0] - mpf(target)) ** 2

        return float(mixed_difference(moved, 0, 0))


def output_curvature_by_parabola(scale: float, y: float, target: float) -> float:
    """Second derivative of ``scale (y - target)^2`` by ``y``, by a parabola.

    Twice the leading coefficient of the parabola through three points.
    """
    outputs = y + np.array([-1.0, 0.0, 1.0])
    return float(2 * np.polyfit(outputs, scale * (outputs - target) ** 2, 2)[0])


def state_jacobian(**point: Any) -> Complex[np.ndarray, "2 2"]:
    """Derivatives of the last states (columns) by the eigenvalues, by contours."""
    jacobian = np.zeros((2, 2), complex)
    for row, moved in enumerate("ij"):
        for column, unit in enumerate("ij"):

            def state(z: Any, moved: str = moved, unit: str = unit) -> Any:
                lam = z if moved == unit else mpc(point[f"lambda_{unit}"])
                return _state(lam, point[f"b_{unit}"], point["x"])

            jacobian[row, column] = contour(state, complex(point[f"lambda_{moved}"]), 1)
    return jacobian


def state_jacobian_by_powers(**point: Any) -> Complex[np.ndarray, "2 2"]:
    """Derivatives of the last states: ``sum n lambda**(n-1) b x_{-n}`` of each unit."""
    ages = range(1, len(point["x"]))
    newest_first = point["x"][::-1]
    derivatives = [
        sum(
            point[f"b_{unit}"]
            * n
            * point[f"lambda_{unit}"] ** (n - 1)
            * newest_first[n]
            for n in ages
        )
        for unit in "ij"
    ]
    return np.diag(derivatives)


def own_derivative(lam: float) -> float:
    """The derivative of a unit's state by its eigenvalue, after two inputs of one."""
    return state_jacobian(**by_hand(lam, x=(1.0, 1.0)))[0, 0].real


def three_ones(
    of: str,
    target: float,
    printed: Callable[..., complex],
    true: Callable[..., complex],
    c: complex = 1,
) -> Example:
    """A derivative of one sample after three ones: ``dh/dlambda = 1 + 2 lambda``."""

    def after(lam: float, target: float) -> dict[str, Any]:
        return by_hand(lam, c, x=(1.0, 1.0, 1.0), target=target)

    return Example(
        f"{of} of one unit (b = 1, c = {'i' if c == 1j else c}, inputs 1, 1, 1)",
        {"lam": 0.5, "target": target},
        lambda **at: printed(**driven(after(**at))),
        lambda **at: np.round(true(**after(**at)), 12),
    )


def _both_terms(e_y: float, s_i: complex, t_i: complex, **_: Any) -> complex:
    """``h'' e + h'^2``, at a gain of one."""
    return t_i * e_y + s_i**2


SECOND = Evidence(
    AT_OPTIMALITY,
    {"reference": sample_second},
    example=three_ones(
        "d^2L_t/dlambda^2", 1.75, lambda s_i, **_: s_i**2, sample_second
    ),
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:122": Evidence(
        OFF_OPTIMALITY,
        {"reference": sample_gradient},
        example=three_ones(
            "dL_t/dlambda", 0.75, lambda e_y, s_i, **_: e_y * s_i, sample_gradient
        ),
    ),
    "zucchet:124": Evidence(
        SAMPLED,
        {"reference": sample_second},
        example=three_ones(
            "d^2L_t/dlambda^2",
            0.75,
            lambda e_y, s_i, t_i, **_: t_i * e_y + s_i**2 / 2,
            sample_second,
        ),
    ),
    # Twice by the same eigenvalue, where both terms count.
    "zucchet:125": Evidence(
        also(SAMPLED, single=True),
        {"reference": sample_second},
        example=three_ones("d^2L_t/dlambda^2", 0.75, _both_terms, sample_second),
    ),
    "zucchet:126": SECOND,
    "zucchet:127": SECOND,
    "zucchet:128": SECOND,
    "zucchet:text:hessian-unit-curvature": Evidence(
        across(scale=(0.5,), y=(0.2, -1.4), target=(0.3,)),
        {"reference": output_curvature, "closed_form": output_curvature_by_parabola},
        form=1.0,
        mutants={"the first derivative": lambda y, target, **_: y - target},
    ),
    "zucchet:text:hessian-diagonal-states": Evidence(
        SAMPLED[:3],
        {"reference": state_jacobian, "sensitivities": state_jacobian_by_powers},
        form=lambda s_i, s_j, **_: [[s_i, 0.0], [0.0, s_j]],
        printed=[[0.0, 0.0], [0.0, 0.0]],
        mutants={
            "the other's state": lambda s_i, s_j, **_: [[0.0, s_i], [s_j, 0.0]],
            "all states alike": lambda s_i, s_j, **_: [[s_i, s_j], [s_i, s_j]],
        },
        example=Example(
            "dh_2/dlambda after the inputs 1, 1 (b = 1)",
            {"lam": 0.5},
            0.0,
            own_derivative,
        ),
    ),
}
