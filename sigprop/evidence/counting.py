"""Numbers of multiplications: counted during a computation, or in a traced program."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from sigprop.evidence.kit import exponent


class Counted(float):
    """A number that counts multiplications."""

    products = 0

    def __mul__(self, other):
        Counted.products += 1
        return Counted(float(self) * float(other))

    def __add__(self, other):
        return Counted(float(self) + float(other))

    __radd__ = __add__

    def __neg__(self):
        return Counted(-float(self))


def counted(values: Float[np.ndarray, "*shape"]) -> Shaped[np.ndarray, "*shape"]:
    """Wrap numbers so that their products are counted."""
    return np.vectorize(Counted, otypes=[object])(values)


def products_of(routine: Callable[..., Any], *arrays: Any) -> int:
    """Count the products of numbers that a routine computes from arrays."""
    counted_arrays = [counted(np.asarray(array, float)) for array in arrays]
    Counted.products = 0
    routine(*counted_arrays)
    return Counted.products


def traced_products(routine: Callable[..., Any], *arrays: Any) -> int:
    """Count the products of entries in the traced program of a routine."""
    import jax

    steps = jax.make_jaxpr(routine)(*map(np.asarray, arrays)).eqns
    return sum(
        step.outvars[0].aval.size for step in steps if str(step.primitive) == "mul"
    )


def growth_of_products(model: str) -> float:
    """Exponent with which a model's number of products grows in the length."""
    run = {"attention": _attend, "recurrence": _recur}[model]
    return float(exponent(lambda n: products_of(run, np.ones((int(n), 4))), 16, 64))


def _attend(u: Any) -> Any:
    scores = u.dot(u.T)
    return scores.dot(u)  # the softmax has no products of two entries


def _recur(u: Any) -> Any:
    faded = np.zeros(u.shape[1])
    for entering in u:
        faded = (faded + entering) * 0.9  # the decayed state of the next step
    return faded
