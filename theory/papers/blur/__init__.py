"""BLUR (2025), on linear recurrences in both directions of time.

"Bidirectional linear recurrent models for sequence-level multisource fusion", 2025.
First the numbered equations, their theorems beside them, then tables, text and figures.
"""

from sigprop.theory.papers.blur import (
    accuracies,
    approximation,
    complexity,
    composition,
    datasets,
    figures,
    forecasts,
    layer,
    models,
    stability,
    universality,
)

PARTS = (
    layer,
    composition,
    stability,
    universality,
    approximation,
    complexity,
    models,
    datasets,
    figures,
    accuracies,
    forecasts,
)
