"""Zucchet & Orvieto (2024), Appendix C.2: the Hessian at optimality."""

from sigprop.theory.papers.zucchet.hessian import (
    cartesian,
    conjugates,
    expectation,
    magnitude,
    optimality,
    polar,
    samples,
    spectrum,
    traces,
    wirtinger,
)

PARTS = (
    optimality,
    wirtinger,
    samples,
    expectation,
    magnitude,
    conjugates,
    cartesian,
    traces,
    polar,
    spectrum,
)
