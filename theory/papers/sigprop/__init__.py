"""Our own statements, which go beyond the papers."""

from sigprop.theory.papers.sigprop import (
    audits,
    correlated_gates,
    curvature,
    delta_memories,
    depth,
    experiments,
    forecasts,
    gates,
    hessian,
    initialisation,
    losses,
    memories,
    moments,
    trained,
)

PARTS = (
    moments,
    hessian,
    curvature,
    depth,
    losses,
    trained,
    audits,
    gates,
    correlated_gates,
    memories,
    delta_memories,
    initialisation,
    experiments,
    forecasts,
)
