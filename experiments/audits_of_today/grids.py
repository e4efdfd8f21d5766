"""Layers of 2024 to 2026 on three tasks, each trained once."""

from collections.abc import Callable

from sigprop.experiments.audits_of_today.cells import Config

TASKS = ("listops-short", "smnist-10k", "ETTh1")
"""Expressions of up to 127 tokens, images of 784 pixels, and forecasts of 24 hours."""

MODELS = (
    "ssd",
    "deltanet",
    "gated_deltanet",
    "delta_product",
    "rwkv7",
    "mlstm",
    "hgrn2",
    "mamba3",
    "linoss",
)


def gated_audits(preset: str) -> list[Config]:
    """Every layer on every task; at ``quick``, only the first two layers."""
    if preset == "smoke":
        return [Config("digits", "ssd", steps=20, size=8)]
    if preset == "quick":
        return [Config(task, model) for task in TASKS for model in MODELS[:2]]
    return [Config(task, model) for task in TASKS for model in MODELS]


SWEEPS: dict[str, Callable[[str], list[Config]]] = {"gated_audits": gated_audits}


def cells(sweep: str, preset: str) -> list[Config]:
    """Return all cells of a sweep."""
    return SWEEPS[sweep](preset)
