"""Interactive loss landscape of one neuron that learns another, for web pages and Jupyter.

The file ``explorer.js`` in the folder of this module is a JavaScript module without
dependencies.  It draws the exact loss for the current settings, and a gradient descent from
the point that a user clicks.  A web page contains the module in a script; Jupyter loads it
by anywidget.
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
"""Settings and their default values; ``explore`` explains them."""
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
    """The text of ``explorer.js``, the JavaScript module that draws the landscape.

    Example:
        >>> "export function mount" in module()
        True
    """
    return Path(__file__).with_name("explorer.js").read_text("utf-8")


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings: the given ones, and defaults for the others.

    Raises:
        ValueError: If the name of a setting is unknown, or a value is out of range.
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
    """An interactive loss landscape as a fragment of HTML, which runs without Python.

    Args:
        given: Settings by name; see ``explore``.

    Raises:
        ValueError: If the name of a setting is unknown, or a value is out of range.

    Example:
        >>> "<script" in fragment(modulus=0.9)
        True
    """
    data = html.escape(json.dumps(settings(given)))
    return (
        f'<div data-explorer="{data}"></div><script type="module">{module()}</script>'
    )


def explore(**given: Any) -> Any:
    """An interactive loss landscape of a student neuron and its teacher, for Jupyter.

    The student learns from the teacher by gradient descent.  The result is a widget.  A
    saved notebook contains the widget as HTML, which works without a kernel.  Each
    setting is an attribute of the widget.  A change of an attribute in Python updates
    the picture, and the picture's controls update the attribute.  Three more attributes
    are lists with an entry for each step of the gradient descent: the two trained
    ``parameters``, the ``losses`` and the largest ``curvatures``.  With Adam,
    ``curvatures`` belong to the preconditioned Hessian.

    Args:
        given: Settings by name; all have defaults.  ``modulus`` and ``angle`` (radians)
            define the teacher's eigenvalue.  ``rho`` is the correlation of successive
            inputs.  ``share`` sets the factor ``sqrt(1 - share |lam|^2)`` of the
            inputs, from 0 (no normalisation) to 1 (unit variance for white inputs).
            ``parametrisation`` defines the eigenvalue by two trained parameters:
            ``polar`` (modulus and angle), ``exp`` (as in the LRU), ``tanh``, or
            ``real`` (real and imaginary part).  ``optimiser`` is ``descent``,
            ``momentum`` or ``adam``, with the learning rate ``rate``, the momentum
            coefficient ``beta`` and the number of ``steps``.  ``start`` is the
            student's eigenvalue before the first step.  ``view`` sets the axes:
            ``disc`` (the eigenvalue) or ``parameters``.

    Raises:
        ModuleNotFoundError: If anywidget is not installed
            (``pip install 'sigprop[notebooks]'``).
        ValueError: If the name of a setting is unknown, or a value is out of range.

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
        """The widget, with HTML for pages without a kernel."""

        _esm = module()

        def _repr_mimebundle_(self, **options: Any) -> Any:
            bundle = super()._repr_mimebundle_(**options)
            data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
            state = {name: getattr(self, name) for name in DEFAULTS}
            return {**(data or {}), "text/html": fragment(**state)}, metadata

    traits = {name: trait.tag(sync=True) for name, trait in synced.items()}
    return type("Explorer", (Explorer,), traits)
