"""The layers of 2024 to 2026 on three tasks, each trained once."""

from collections.abc import Callable

from sigprop.experiments.audits_of_today.cells import Config

TASKS = ("listops-short", "digits", "ETTh1")
"""Expressions of up to 127 tokens, digits of 64 pixels, and a series of seven columns."""

MODELS = (
    *("ssd", "mamba3", "deltanet", "gated_deltanet", "delta_product"),
    *("rwkv7", "mlstm", "hgrn2", "linoss"),
)


def audits_of_today(preset: str) -> list[Config]:
    """Every layer on every task; at ``quick`` two layers on the digits."""
    if preset == "smoke":
        return [Config("digits", "ssd", steps=20, size=8)]
    if preset == "quick":
        return [Config("digits", model) for model in MODELS[::8]]
    return [Config(task, model) for task in TASKS for model in MODELS]


SWEEPS: dict[str, Callable[[str], list[Config]]] = {"audits_of_today": audits_of_today}


def cells(sweep: str, preset: str) -> list[Config]:
    """Every cell of a sweep."""
    return SWEEPS[sweep](preset)
