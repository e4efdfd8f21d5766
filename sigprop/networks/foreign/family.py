"""Families of layers: names and shapes in each library, and the decay at rest.

A shape is written by the names of its axes, ``"n d_in"``; a number must be met, ``"3n"`` is
three times ``n``, and ``"n | n 1"`` is either.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from sigprop.layers.base import Layer

Arrays = Mapping[str, Any]
Options = Mapping[str, Any]
AXIS = re.compile(r"(\d*)([A-Za-z]\w*)?")


@dataclass(frozen=True)
class Rest:
    """The recurrence of a layer whose gates see no input.

    Attributes:
        nu: ``-log|lam|`` of every mode, a row for all that read the same inputs.
        theta: Phases in radians; none where eigenvalues are positive.
        gamma: Factor on the input of every mode, as stored.
        steps: Lengths of a step in continuous time.
        open: ``nu`` with the gate of the decay wide open.
        gates: Argument of the sigmoid of each gate, by the gate's name.
        raw: The parameters of the decay by their names in the file, as stored; filled by
            ``ForeignLayer.at_rest``.
        shared: True if the modes of a row read the same inputs. Modes with equal
            eigenvalues then act as one.
        moved: True if inputs move the decay, so that ``nu`` is its value at rest.
        silent: Weight that each map gives to every mode, by the name of the map.
        jacobian: Derivative of the next state by the state, at state and input zero.
        part: The numbers of the first parameter of the decay that decide it, where its
            array has others too.

    Example:
        >>> rest = Rest(np.array([[0.01, 0.1]]))
        >>> (1 / rest.nu).round().tolist(), rest.moved
        ([[100.0, 10.0]], False)
    """

    nu: Float[np.ndarray, "rows modes"]
    theta: Float[np.ndarray, "rows modes"] | None = None
    gamma: Float[np.ndarray, "rows modes"] | None = None
    steps: Float[np.ndarray, "*steps"] | None = None
    open: Float[np.ndarray, "rows modes"] | None = None
    gates: Mapping[str, np.ndarray] = field(default_factory=dict)
    raw: Mapping[str, np.ndarray] = field(default_factory=dict)
    shared: bool = False
    moved: bool = False
    silent: Mapping[str, np.ndarray] = field(default_factory=dict)
    jacobian: Float[np.ndarray, "n n"] | None = None
    part: np.ndarray | None = None


@dataclass(frozen=True)
class Spelling:
    """One library's names for the arrays of a family.

    Attributes:
        library: Whose they are.
        needs: Shape by the end of the name; all of them make the family known.
        may: The same of what need not be there.
        never: Ends of names that belong to another family.
        roles: From arrays by these names to arrays by the family's.
        slow: Names whose numbers decide the decay at rest.
        decay: Those of them that exist for the decay alone.
        logs: Those of which the layer takes the exponential.
        moves: Names of matrices through which inputs move the decay, in the order in
            which inputs meet them.
        starts: Numbers with which the library starts all of an array, by name.
    """

    library: str
    needs: Mapping[str, str]
    may: Mapping[str, str] = field(default_factory=dict)
    never: tuple[str, ...] = ()
    roles: Callable[[Arrays], Arrays] = dict
    slow: tuple[str, ...] = ()
    decay: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    starts: Mapping[str, float] = field(default_factory=dict)


def no_options(config: Mapping[str, Any]) -> Options:
    """Return no options: ``config.json`` has none for most families."""
    return {}


@dataclass(frozen=True)
class Family:
    """Layers that compute the same, whatever their library calls the arrays.

    Attributes:
        name: Name of the family in a mapping file.
        title: Name of the family in a sentence.
        spellings: Names of the arrays in each library.
        rest: From arrays by role, in double precision, to the recurrence at rest.
        layer: From arrays by role to our layer, where there is one; it can be traced.
        models: Values of ``model_type`` in ``config.json`` that mean this family.
        options: Options that a mapping may give.
        configured: Options that ``config.json`` gives.
        erases: True if inputs erase the state (the delta rule). The state is then
            bounded where ``|lam| = 1``.
        fixed: True if the decay is chosen and never learned.
        step: The function that makes a step length of a parameter: ``softplus`` or
            ``exp``; empty where there are no steps.
        modulus: The right side of ``|lam| =``, with ``{first}`` and ``{last}`` for the
            names of ``decay`` in the file, and options by their names.
        longer: Direction in which ``{first}`` lengthens time constants: ``higher`` or
            ``lower``.

    Example:
        >>> from sigprop.networks.foreign import FAMILIES
        >>> family = next(one for one in FAMILIES if one.name == "lru")
        >>> family.title, family.erases
        ('the LRU', False)
    """

    name: str
    title: str
    spellings: tuple[Spelling, ...]
    rest: Callable[[Arrays, Options], Rest]
    layer: Callable[[Arrays, Options], Layer] | None = None
    models: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    configured: Callable[[Mapping[str, Any]], Options] = no_options
    erases: bool = False
    fixed: bool = False
    step: str = ""
    modulus: str = ""
    longer: str = "lower"


@dataclass(frozen=True)
class Without:
    """Layers that store no decay: known by their names, and named without a verdict.

    Attributes:
        title: As a sentence says it.
        reason: Why there is nothing to judge.
        needs: Shape by the end of the name; all of them make the layer known.
        never: Ends of names that belong to a layer with a decay.
        models: Values of ``model_type`` in ``config.json`` that are needed, if any.
    """

    title: str
    reason: str
    needs: Mapping[str, str]
    never: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


def fit(
    shapes: Mapping[str, tuple[int, ...]], wanted: Mapping[str, str]
) -> tuple[dict[str, int], str | None]:
    """The lengths of all axes, and the first name whose shape is another.

    Example:
        >>> fit({"nu_log": (4,), "B_re": (4, 2)}, {"nu_log": "n", "B_re": "n d_in"})
        ({'n': 4, 'd_in': 2}, None)
        >>> fit({"nu_log": (4,), "B_re": (5, 2)}, {"nu_log": "n", "B_re": "n d_in"})[1]
        'B_re'
    """
    axes: dict[str, int] = {}
    for name, text in wanted.items():
        if name not in shapes:
            continue
        for choice in text.split("|"):
            bound_axes = _bind(shapes[name], choice.split(), axes)
            if bound_axes is not None:
                axes = bound_axes
                break
        else:
            return axes, name
    return axes, None


def _bind(
    shape: tuple[int, ...], patterns: list[str], axes: Mapping[str, int]
) -> dict[str, int] | None:
    if len(shape) != len(patterns):
        return None
    bound = dict(axes)
    for size, pattern in zip(shape, patterns, strict=True):
        match = AXIS.fullmatch(pattern)
        assert match is not None, pattern
        times, name = int(match[1] or 1), match[2]
        if name is None:
            if size != times:
                return None
        elif (
            size % times
            or size == 0
            or bound.setdefault(name, size // times) != size // times
        ):
            return None
    return bound


def time_constant(nu: Float[ArrayLike, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """``1/(1 - |lam|)`` in steps, of ``nu = -log|lam|``; infinite from ``|lam| = 1`` on.

    Example:
        >>> time_constant(np.array([np.log(2), 0.001, 0.0])).round(1).tolist()
        [2.0, 1000.5, inf]
    """
    decay = np.asarray(nu, float)
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(decay <= 0, np.inf, -1 / np.expm1(-decay))


def softplus(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """``log(1 + exp(x))`` on the host."""
    return np.logaddexp(0.0, x)


def sigmoid(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """``1/(1 + exp(-x))`` on the host."""
    return np.exp(-softplus(-x))
