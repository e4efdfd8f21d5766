"""The expected loss and its Hessian in high precision, as a reference for closed forms.

Every layer with one input and one output is written as a sum of filters ``w lam**age``
in arbitrary-precision numbers.  The loss over infinitely many ages is a sum of
geometric series.  Second derivatives are finite differences with a step so small that
only the last digits are wrong.

Source: the recurrences as in ``sigprop.layers``; the series are Lemma 1 of Zucchet &
Orvieto (2024) for ``R = a [lag = 0] + b rho**|lag|``.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import mpmath
import numpy as np
from jaxtyping import Float
from mpmath import mp, mpc, mpf

DIGITS = 50
STEP = mpf(10) ** -15  # step, which is also the relative error of differences


class Filter(NamedTuple):
    """``weight lam**age``, forwards or backwards in time."""

    lam: Any
    weight: Any
    backwards: bool = False


Values = Mapping[str, Any]  # nested lists of arbitrary-precision numbers


def _real(filters: Sequence[Filter]) -> list[Filter]:
    """The real part of a response: half of every filter and half of its conjugate."""
    return [
        half
        for lam, weight, backwards in filters
        for half in (
            Filter(lam, weight / 2, backwards),
            Filter(mpmath.conj(lam), mpmath.conj(weight) / 2, backwards),
        )
    ]


def _skip(value: Any) -> Filter:
    return Filter(mpf(0), value)


def _diagonal(
    eigenvalue: Callable[..., Any], names: Sequence[str], gain: Callable[..., Any]
) -> Callable[[Values], list[Filter]]:
    """A diagonal layer by its eigenvalue and gain, functions of the named parameters."""

    def filters(values: Values) -> list[Filter]:
        response = []
        for i in range(len(values["B_re"])):
            arguments = [values[name][i] for name in names if name in values]
            B = mpc(values["B_re"][i][0], values["B_im"][i][0])
            C = mpc(values["C_re"][0][i], values["C_im"][0][i])
            response.append(Filter(eigenvalue(*arguments), C * gain(*arguments) * B))
        return [*_real(response), _skip(_entry(values["D"]))]

    return filters


def _entry(D: Any) -> Any:
    return D[0][0] if isinstance(D[0], list) else D[0]


def _exponential(nu: Any, theta: Any, *_: Any) -> Any:
    return mpmath.exp(mpc(-mpmath.exp(nu), mpmath.exp(theta)))


def _softplus(x: Any) -> Any:
    return mpmath.log(1 + mpmath.exp(x))


def _learned(*arguments: Any) -> Any:
    return mpmath.exp(arguments[2])


_lru = _diagonal(_exponential, ("nu_log", "theta_log", "gamma_log"), _learned)


def _blur(values: Values) -> list[Filter]:
    response = [_skip(_entry(values["D"]))]
    for side in (0, 1):
        half = {name: value[side] for name, value in values.items() if name != "D"}
        (*filters, _) = _lru({**half, "D": [mpf(0)]})
        response += [mode._replace(backwards=bool(side)) for mode in filters]
    return response


@cache
def _eigenvectors(A: tuple[tuple[Any, ...], ...]) -> tuple[Any, Any]:
    return mpmath.eig(mpmath.matrix(A))


@cache
def _rotation(M: tuple[tuple[Any, ...], ...]) -> Any:
    turn = mpmath.matrix(M)
    return mpmath.expm(turn - turn.T)


def _dense(values: Values) -> list[Filter]:
    """By the eigenvectors of each block."""
    response, done = [_skip(values["D"][0][0])], 0
    for block in values["A"]:
        size = len(block)
        lam, vectors = _eigenvectors(tuple(map(tuple, block)))
        rows = range(done, done + size)
        inward = mpmath.lu_solve(
            vectors, mpmath.matrix([values["B"][k][0] for k in rows])
        )
        outward = mpmath.matrix([[values["C"][0][k] for k in rows]]) * vectors
        response += [Filter(lam[k], outward[k] * inward[k]) for k in range(size)]
        done += size
    return response


def _rotrnn(values: Values) -> list[Filter]:
    """By the rotated coordinates of each head."""
    response, done = [_skip(_entry(values["D"]))], 0
    for theta, nu_log, M in zip(
        values["theta"], values["gamma_log"], values["M"], strict=True
    ):
        size = len(M)
        P, nu = _rotation(tuple(map(tuple, M))), mpmath.exp(nu_log)
        B = mpmath.matrix([values["B"][done + k][0] for k in range(size)])
        scale = mpmath.sqrt((1 - mpmath.exp(-2 * nu)) / (B.T * B)[0])
        inward = scale * (P.T * B)
        outward = mpmath.matrix([[values["C"][0][done + k] for k in range(size)]]) * P
        turned = []
        for k, angle in enumerate(theta):
            # Two real numbers that rotate are one complex number.
            entering = mpc(inward[2 * k], inward[2 * k + 1])
            leaving = mpc(outward[2 * k], -outward[2 * k + 1])
            turned.append(Filter(mpmath.exp(mpc(-nu, angle)), leaving * entering))
        response += _real(turned)
        done += size
    return response


LAYERS: dict[str, Callable[[Values], list[Filter]]] = {
    "dense": _dense,
    "block": _dense,
    "cartesian": _diagonal(mpc, ("first", "second"), lambda *_: 1),
    "polar": _diagonal(
        lambda r, theta: r * mpmath.expj(theta), ("first", "second"), lambda *_: 1
    ),
    "exponential": _diagonal(
        lambda nu, theta: mpmath.exp(mpc(-nu, theta)), ("first", "second"), lambda *_: 1
    ),
    "lru": _lru,
    "s4": _diagonal(
        lambda delta, re, im: mpmath.exp(mpc(re, im) * _softplus(delta)),
        ("omega_delta", "w_re", "w_im"),
        lambda delta, *_: _softplus(delta),
    ),
    "rotrnn": _rotrnn,
    "blur": _blur,
}
"""Every layer from its parameters by name, of one input and one output."""


class Covariance(NamedTuple):
    """``R = a [lag = 0] + b rho**|lag|``."""

    a: float
    b: float
    rho: float


def losses(
    response: Sequence[Filter], covariances: tuple[Covariance, ...]
) -> np.ndarray:
    """Half the mean square of a response, under each covariance."""
    totals = [mpf(0)] * len(covariances)
    for i, first in enumerate(response):
        for second in response[i:]:
            opposed = first.backwards != second.backwards
            weight = first.weight * second.weight
            weight = weight if second is not first else weight / 2
            shared = _shared(first.lam, second.lam, opposed, covariances)
            totals = [
                total + weight * part
                for total, part in zip(totals, shared, strict=True)
            ]
    return np.array([mpmath.re(total) for total in totals])


@lru_cache(1000)
def _shared(
    x: Any, y: Any, opposed: bool, covariances: tuple[Covariance, ...]
) -> list[Any]:
    """Sum for two filters of weight one; few change if one parameter moves."""
    return [_of_input(x, y, opposed, covariance) for covariance in covariances]


def _of_input(x: Any, y: Any, opposed: bool, covariance: Covariance) -> Any:
    rho = mpf(covariance.rho)
    if opposed:
        return covariance.a + covariance.b / ((1 - rho * x) * (1 - rho * y))
    later = rho * x / (1 - rho * x) + rho * y / (1 - rho * y)
    return (covariance.a + covariance.b * (1 + later)) / (1 - x * y)


def precise_hessians(
    name: str,
    values: Mapping[str, Float[np.ndarray, "*shape"]],
    teacher: Values,
    covariances: Mapping[str, Covariance],
) -> dict[str, Float[np.ndarray, "p p"]]:
    """Second derivatives of the loss, with parameters in alphabetical order.

    Args:
        name: One of ``LAYERS``.
        values: Parameters of the student.
        teacher: Parameters of the teacher, which is ``LAYERS["cartesian"]``.
        covariances: Autocovariances of the input; the response does not depend on them.

    Returns:
        A Hessian for each covariance.
    """
    with mp.workdps(DIGITS):
        goal = [
            mode._replace(weight=-mode.weight)
            for mode in LAYERS["cartesian"](_precise(teacher))
        ]
        names = sorted(values)
        flat = np.concatenate([np.ravel(values[key]) for key in names])
        ends = np.cumsum([np.size(values[key]) for key in names])[:-1]
        start = [mpf(float(x)) for x in flat]

        def error(*moved: tuple[int, int]) -> list[Filter]:
            x = list(start)
            for k, side in moved:
                x[k] += side * STEP
            parts = {
                key: part.reshape(np.shape(values[key])).tolist()
                for key, part in zip(
                    names, np.split(np.array(x, object), ends), strict=True
                )
            }
            return [*LAYERS[name](parts), *goal]

        all_covariances = tuple(covariances.values())
        bent = _bent(lambda *moved: losses(error(*moved), all_covariances), len(start))
        return dict(zip(covariances, np.moveaxis(bent, -1, 0), strict=True))


def _bent(value: Callable[..., Any], count: int) -> Float[np.ndarray, "p p values"]:
    """Second differences of a function of the moved parameters and their signs."""
    here, up = value(), [value((k, 1)) for k in range(count)]
    down = [value((k, -1)) for k in range(count)]
    hessian = np.zeros((count, count, len(here)))
    for i in range(count):
        hessian[i, i] = (up[i] - 2 * here + down[i]) / STEP**2
        for j in range(i):
            bent = (value((i, 1), (j, 1)) - up[i] - up[j] + here) / STEP**2
            hessian[i, j] = hessian[j, i] = bent
    return hessian


def _precise(values: Values) -> dict[str, Any]:
    exact = np.vectorize(lambda x: mpf(float(x)), otypes=[object])
    return {name: exact(np.asarray(value)).tolist() for name, value in values.items()}
