"""What judges the Hessian in polar form, Eq. 148-155 of Zucchet & Orvieto (2024)."""

from typing import Any

from sigprop.evidence.zucchet.hessian.loss import slopes
from sigprop.evidence.zucchet.hessian.sensitivities import routes
from sigprop.evidence.zucchet.hessian.units import CHARTED
from sigprop.judge.basis import Basis, Evidence


def _slope(index: int, conjugated: bool = False) -> Evidence:
    """A derivative of the LRU's eigenvalue, or its conjugate, by differences."""

    def reference(lambda_i: complex, **_: Any) -> complex:
        slope = slopes("lru", lambda_i)[index]
        return slope.conjugate() if conjugated else slope

    return Evidence(CHARTED, {"reference": reference})


def _entry(row: int, column: int) -> Evidence:
    return Evidence(CHARTED, routes("lru", lambda matrix: matrix[row, column]))


EVIDENCE: dict[str, Basis] = {
    "zucchet:148": _slope(0),
    "zucchet:149": _slope(0, conjugated=True),
    "zucchet:150": _slope(1),
    "zucchet:151": _slope(1, conjugated=True),
    "zucchet:152": _entry(0, 0),
    "zucchet:153": _entry(0, 1),
    "zucchet:154": _entry(1, 0),
    "zucchet:155": _entry(1, 1),
}
