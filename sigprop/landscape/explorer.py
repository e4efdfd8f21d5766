"""An explorable landscape of the one-unit teacher and student, for pages and for Jupyter.

``explorer.js`` beside this module is one ES module without dependencies.  It draws the
exact loss while its settings move, and descents that start where the reader clicks.  A
page carries the module in a script; Jupyter loads it through anywidget.
"""

import functools
import html
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sigprop.numerics.arguments import require_count, require_within
from sigprop.numerics.extras import extra

DEFAULTS: dict[str, Any] = {
    "modulus": 0.99,
    "angle": math.pi / 8,
    "rho": 0.0,
    "share": 1.0,
    "parametrisation": "polar",
    "optimiser": "descent",
    "rate": 4e-4,
    "beta": 0.9,
    "steps": 1000,
    "start": [0.9, 0.17],
    "view": "disc",
}
"""Settings and where they start; ``explore`` explains them."""
CHOICES = {
    "parametrisation": ("polar", "exp", "tanh", "real"),
    "optimiser": ("descent", "momentum", "adam"),
    "view": ("disc", "parameters"),
}
RANGES: dict[str, tuple[float, float]] = {
    "modulus": (0.0, 0.999),
    "angle": (-math.pi, math.pi),
    "rho": (-0.95, 0.99),
    "share": (0.0, 1.0),
    "rate": (1e-6, 10.0),
    "beta": (0.0, 0.99),
    "steps": (20, 5000),
}
DESCENT = ("parameters", "losses", "curvatures")
"""Attributes of the widget that describe the descent."""


def module() -> str:
    """The text of the ES module.

    Example:
        >>> "export function mount" in module()
        True
    """
    return Path(__file__).with_name("explorer.js").read_text("utf-8")


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The default settings with the given ones in their place.

    Raises:
        ValueError: If there is no such setting, or a value is out of its range.
    """
    for name, value in given.items():
        if name not in DEFAULTS:
            raise ValueError(f"need a setting in {', '.join(DEFAULTS)}, got {name!r}")
        if name in CHOICES and value not in CHOICES[name]:
            raise ValueError(
                f"need {name} in {', '.join(CHOICES[name])}, got {value!r}"
            )
        if name in RANGES:
            require_within(name, value, *RANGES[name], "[]")
    whole = DEFAULTS | dict(given)
    start = whole["start"]
    try:
        start = complex(*start) if isinstance(start, list) else complex(start)
    except (TypeError, ValueError):
        raise ValueError(f"need an eigenvalue as start, got {start!r}") from None
    if not abs(start) < 1:
        raise ValueError(f"need a stable student as start, |lam| < 1, got {start:g}")
    steps = require_count("steps", whole["steps"])
    return whole | {"start": [start.real, start.imag], "steps": steps}


def fragment(**given: Any) -> str:
    """The explorer as HTML that needs no kernel: an element and the module in a script.

    Args:
        given: Settings by name, as ``explore`` takes them.

    Raises:
        ValueError: As ``explore``.

    Example:
        >>> "<script" in fragment(modulus=0.9)
        True
    """
    data = html.escape(json.dumps(settings(given)))
    return (
        f'<div data-explorer="{data}"></div><script type="module">{module()}</script>'
    )


def explore(**given: Any) -> Any:
    """The explorer as a widget of Jupyter, which is also HTML where no kernel runs.

    Its settings are attributes that move with the picture in both directions.  Its
    attributes ``parameters``, ``losses`` and ``curvatures`` are the descent that is shown:
    the two trained parameters, the loss and the largest curvature at each step.  Adam's
    curvatures are divided by its scales.

    Args:
        given: Settings by name, where they differ from ``DEFAULTS``: ``modulus`` and
            ``angle``, in radians, of the teacher; ``rho``, the correlation of successive
            inputs; ``share`` of the normalisation, for gains ``sqrt(1 - share |lam|^2)``;
            ``parametrisation``, ``polar``, ``exp``, ``tanh`` or ``real``; ``optimiser``,
            ``descent``, ``momentum`` or ``adam``; its ``rate``, ``beta`` and ``steps``;
            ``start``, the student's first eigenvalue; ``view``, ``disc`` for axes of
            eigenvalues or ``parameters`` for axes of what is trained.

    Raises:
        ModuleNotFoundError: If anywidget is not installed, naming the extra.
        ValueError: If there is no such setting, or a value is out of its range.

    Example:
        >>> widget = explore(modulus=0.9, steps=50)
        >>> widget.modulus, widget.steps
        (0.9, 50)
    """
    return _widget()(**settings(given))


@functools.cache
def _widget() -> type:
    with extra("notebooks", "landscape.explore"):
        import anywidget
        import traitlets

    kinds: dict[type, Any] = {
        float: traitlets.Float,
        int: traitlets.Int,
        str: traitlets.Unicode,
        list: traitlets.List,
    }
    synced = {name: kinds[type(value)](value) for name, value in DEFAULTS.items()}
    synced |= {name: traitlets.List() for name in DESCENT}

    class Explorer(anywidget.AnyWidget):
        """The explorer, with HTML beside the widget for pages that have no kernel."""

        _esm = module()

        def _repr_mimebundle_(self, **options: Any) -> Any:
            bundle = super()._repr_mimebundle_(**options)
            data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
            state = {name: getattr(self, name) for name in DEFAULTS}
            return {**(data or {}), "text/html": fragment(**state)}, metadata

    traits = {name: trait.tag(sync=True) for name, trait in synced.items()}
    return type("Explorer", (Explorer,), traits)
