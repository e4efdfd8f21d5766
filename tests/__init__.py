"""How the tests check types at run time: an int is welcome where a float is asked.

jaxtyping's own wrapper checks a function's arguments twice and binds them to names before
that.  Here beartype checks them once, with the result, and jaxtyping keeps the sizes of
axes only for functions whose annotations have shapes: the same errors in half of the time.
"""

import dataclasses
import functools
import inspect
import typing

import jaxtyping
from beartype import BeartypeConf
from beartype import beartype as checker
from beartype.roar import BeartypeCallHintViolation

beartype = checker(conf=BeartypeConf(is_pep484_tower=True))
whole = jaxtyping.jaxtyped


def jaxtyped(fn=None, *, typechecker=None):
    """Check ``fn``, a function or a dataclass, as jaxtyping's decorator does.

    Sizes that are computed, ``{n}`` in an annotation, are left to jaxtyping, and so is what
    is asked without a type checker.  Theory is left alone: it has no arrays, and SymPy's
    functions return other types than their annotations say.
    """
    if typechecker is None:
        return whole(typechecker=None) if fn is None else whole(fn, typechecker=None)
    if fn is None:
        return functools.partial(jaxtyped, typechecker=typechecker)
    if fn.__module__.startswith("sigprop.theory"):
        return fn
    if inspect.isfunction(fn) and not inspect.isgeneratorfunction(fn):
        try:
            hints = hints_of(fn)
        except NameError:  # imported by type checkers alone: jaxtyping takes it for Any
            return whole(fn, typechecker=typechecker)
        if "{" not in hints:
            return _checked(fn, typechecker(fn), has_shapes(hints))
    if dataclasses.is_dataclass(fn) and "__init__" in vars(fn):
        fn.__init__ = jaxtyped(fn.__init__, typechecker=typechecker)
        return fn
    return whole(fn, typechecker=typechecker)


def _checked(fn, checked, shapes):
    """Let an axis have one size in all of a call's arguments and its result."""

    @functools.wraps(fn)
    def call(*args, **named):
        __tracebackhide__ = True
        if jaxtyping.config.jaxtyping_disable:
            return fn(*args, **named)
        try:
            if not shapes:
                return checked(*args, **named)
            with whole("context"):
                return checked(*args, **named)
        except BeartypeCallHintViolation as error:
            raise jaxtyping.TypeCheckError(str(error)) from error

    return call


def hints_of(fn) -> str:
    """A function's annotations, in words.

    Raises:
        NameError: If one has a name that is not there.
    """
    return repr(typing.get_type_hints(fn, include_extras=True))


def has_shapes(hints: str) -> bool:
    """Whether annotations name the axes of an array."""
    return "jaxtyping." in hints


jaxtyping.jaxtyped = jaxtyped
