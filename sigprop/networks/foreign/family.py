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
    """Decay and other numbers of a layer's recurrence at zero input.

    Attributes:
        nu: Decay rate ``-log|lam|`` of every mode at zero input. Modes in one row can
            have the same inputs; see ``shared``.
        theta: Phase of every eigenvalue ``lam`` in radians, or ``None`` if all are
            positive.
        gamma: Factor that multiplies the input of every mode, or ``None`` if the family
            has no such factor.
        steps: Step sizes with which the continuous-time system is discretised, or
            ``None`` if there are none.
        open: Value that ``nu`` has if the gate of the decay is 1, or ``None`` if this
            is not known.
        gates: Dictionary from the name of each gate to the argument of its sigmoid at
            zero input.
        raw: Dictionary from names in the file, without the prefix of the layer, to the
            stored parameters of the decay. ``ForeignLayer.at_rest`` sets it.
        shared: True if all modes in a row of ``nu`` read the same inputs, so that modes
            with equal eigenvalues act as one.
        moved: True if the decay depends on the inputs, so that ``nu`` is right only at
            zero input.
        silent: Dictionary from the names of input and output matrices to the norm of
            the weights of every mode. A mode with norm zero has no effect.
        jacobian: Jacobian matrix of the next state with respect to the state, at zero
            state and zero input.
        part: The entries of the first array of the decay that define the decay, if the
            array also has other entries; otherwise ``None``.

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
    """Return an empty dictionary: the family reads no options from ``config``."""
    return {}


@dataclass(frozen=True)
class Family:
    """Family of layers with the same recurrence, and the names of their arrays.

    Attributes:
        name: Name of the family in a mapping file, see ``mapped``.
        title: Name of the family for use in a sentence.
        spellings: For each library, the names and shapes of the arrays of such a layer.
        rest: Function that computes a ``Rest`` from two dictionaries: the arrays in
            double precision, under the family's names, and the options.
        layer: Function that builds a layer of sigprop from two dictionaries: the
            arrays, under the family's names, and the options. ``None`` if sigprop has
            no such layer.
        models: Values of ``model_type`` in the ``config.json`` of models of this
            family.
        options: Names of the options that a mapping file can set.
        configured: Function that reads the values of options from the content of
            ``config.json``. By default it reads none.
        erases: True if inputs erase parts of the state (the delta rule), so that the
            state is bounded even if ``|lam| = 1``.
        fixed: True if the decay is not trained.
        step: Name of the function that maps a parameter to a step size, ``softplus`` or
            ``exp``; empty if the family has no step sizes.
        modulus: Text of the formula for ``|lam|``. In it, ``{first}`` and ``{last}``
            stand for the names, as in the file, of the first and the last array of the
            decay. It can also contain names of options in braces.
        longer: ``higher`` if time constants grow with the entries of the array
            ``{first}``, or ``lower`` if they shrink.

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
