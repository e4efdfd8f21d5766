"""Families of layers: names and shapes in each library, and the decay at zero input.

A shape is a string of the names of its axes, such as ``"n d_in"``.  A number in it is a fixed
length, ``"3n"`` is three times ``n``, and ``"n | n 1"`` allows both shapes.
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
    """The recurrence of a layer at rest, i.e. with gates at zero input.

    Attributes:
        nu: ``-log|lam|`` of every mode. Modes in one row read the same inputs.
        theta: Phases in radians; ``None`` if eigenvalues are positive.
        gamma: Factor on the input of every mode, as stored.
        steps: Step sizes of the discretisation in continuous time.
        open: Value of ``nu`` if the gate of the decay is 1.
        gates: Argument of the sigmoid of each gate, by the name of the gate.
        raw: Stored parameters of the decay by their names in the file. The method
            ``ForeignLayer.at_rest`` sets them.
        shared: True if the modes of a row read the same inputs. Modes with equal
            eigenvalues then act as one.
        moved: True if the decay depends on the inputs, so that ``nu`` is its value at
            zero input.
        silent: Norm of the weights of every mode in each matrix, by the name of the
            matrix.
        jacobian: Derivative of the next state by the state, at zero state and input.
        part: Numbers that define the decay, if the first array of the decay also has
            other numbers.

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
    """Names of the arrays of a family in one library.

    Attributes:
        library: Name of the library.
        needs: Shapes of required arrays by the end of their names. A layer with all of
            them belongs to the family.
        may: Shapes of optional arrays by the end of their names.
        never: Ends of names that belong to another family.
        roles: Function from arrays by these names to arrays by the family's names.
        slow: Names of the arrays that define the decay at rest.
        decay: Names in ``slow`` of the arrays that serve only for the decay.
        logs: Names in ``slow`` of the arrays that are logarithms.
        moves: Names of the matrices by which the decay depends on inputs, in the order of
            multiplication.
        starts: Initial value of all entries of an array in the library, by its name.
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
    """Return no options, because ``config.json`` has none for most families."""
    return {}


@dataclass(frozen=True)
class Family:
    """Layers with the same recurrence, and the names of their arrays in each library.

    Attributes:
        name: Name of the family in a mapping file.
        title: Name of the family in a sentence.
        spellings: Names of the arrays in each library.
        rest: Function from arrays in double precision, by the family's names, to the
            recurrence at rest.
        layer: Function from arrays, by the family's names, to a layer of sigprop. It is
            ``None`` if sigprop has no such layer.
        models: Values of ``model_type`` in ``config.json`` for this family.
        options: Names of the options that a mapping file can set.
        configured: Function from ``config.json`` to the options that it sets.
        erases: True if inputs erase the state (the delta rule). The state is then
            bounded if ``|lam| = 1``.
        fixed: True if the decay is not trained.
        step: Function from a parameter to a step size, ``softplus`` or ``exp``; empty if
            the family has no step sizes.
        modulus: Formula for ``|lam|``. It can contain ``{first}`` and ``{last}``, the
            first and last name of ``decay`` in the file, and names of options.
        longer: Direction in which a change of ``{first}`` lengthens time constants,
            ``higher`` or ``lower``.

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
    """A type of layers whose checkpoints store no decay.

    Attributes:
        title: Name of the type in a sentence.
        reason: Reason why there is no decay.
        needs: Shapes of required arrays by the end of their names. A layer with all of
            them is of this type.
        never: Ends of names that belong to a layer with a decay.
        models: Required values of ``model_type`` in ``config.json``, if any.
    """

    title: str
    reason: str
    needs: Mapping[str, str]
    never: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


def fit(
    shapes: Mapping[str, tuple[int, ...]], wanted: Mapping[str, str]
) -> tuple[dict[str, int], str | None]:
    """Return the lengths of all axes, and the first name whose shape does not fit.

    Args:
        shapes: Shape of each array by name.
        wanted: Names of the axes of each array, such as ``"n d_in"``.

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
    """Return the time constant ``1/(1 - |lam|)`` in steps, given ``nu = -log|lam|``.

    It is infinite if ``|lam| >= 1``.

    Example:
        >>> time_constant(np.array([np.log(2), 0.001, 0.0])).round(1).tolist()
        [2.0, 1000.5, inf]
    """
    decay = np.asarray(nu, float)
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(decay <= 0, np.inf, -1 / np.expm1(-decay))


def softplus(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return ``log(1 + exp(x))``, computed with NumPy."""
    return np.logaddexp(0.0, x)


def sigmoid(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return ``1/(1 + exp(-x))``, computed with NumPy."""
    return np.exp(-softplus(-x))
