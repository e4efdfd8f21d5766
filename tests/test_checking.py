"""What the tests' checking of types notices: shapes, results, fields, local functions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import jax.numpy as jnp
import jaxtyping
import pytest
from jaxtyping import Array, Float, PyTree, TypeCheckError

from tests import beartype, has_shapes, hints_of, jaxtyped

Row = Float[Array, " N"]
check = jaxtyped(typechecker=beartype)


@check
def doubled(x: Row, factor: float = 2.0) -> Row:
    return factor * x if factor > 0 else jnp.zeros(len(x) + 1)


@check
def length(text: str) -> int:
    return len(text) if text else None  # type: ignore[return-value]


@check
def both(x: Row, y: list[Row]) -> int:
    return len(x) + len(y)


@check
def each(xs: list[Row]) -> Iterator[Row]:
    yield from xs


@check
@dataclass
class Held:
    x: Row
    y: Row
    name: str = ""


@check
def elsewhere(x: Row, y: "nowhere.Table") -> Row:  # noqa: F821
    return x[: y + 1]


@check
def padded(x: Row, n: int) -> Float[Array, "{n}"]:  # noqa: F821
    return jnp.pad(x, (0, 2))


@check
def refusing(x: Row) -> Row:
    raise ValueError("need more")


def local(x):
    @check
    def inner(y: Row, z: "Row") -> float:
        return 0.0

    return inner(x, x[1:])


SOUND = [
    lambda: doubled(jnp.ones(3), 2),
    lambda: length("abc"),
    lambda: both(jnp.ones(3), [jnp.ones(3)]),
    lambda: list(each([jnp.ones(3)])),
    lambda: Held(jnp.ones(3), jnp.ones(3)),
    lambda: [doubled(jnp.ones(n)) for n in (2, 3)],
    lambda: elsewhere(jnp.ones(3), 2),
    lambda: padded(jnp.ones(3), 5),
]
WRONG = [
    lambda: doubled(jnp.ones((3, 3))),
    lambda: doubled(jnp.ones(3, int)),
    lambda: doubled(jnp.ones(3), "2"),
    lambda: doubled(jnp.ones(3), -1),
    lambda: length(3),
    lambda: length(""),
    lambda: both(jnp.ones(3), [jnp.ones(4)]),
    lambda: each([jnp.ones((2, 2))]),
    lambda: Held(jnp.ones(3), jnp.ones(4)),
    lambda: Held(jnp.ones(3), jnp.ones(3), 1),
    lambda: local(jnp.ones(3)),
    lambda: elsewhere(jnp.ones((3, 3)), 2),
    lambda: elsewhere(jnp.ones(3), 1),
    lambda: padded(jnp.ones(3), 4),
]


@pytest.mark.parametrize("call", range(len(SOUND)))
def test_what_fits_its_annotation_passes(call):
    SOUND[call]()


@pytest.mark.parametrize("call", range(len(WRONG)))
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(TypeCheckError):
        WRONG[call]()


def test_checks_are_off_where_jaxtyping_is(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    assert length("") is None
    assert doubled(jnp.ones(3), -1).shape == (4,)


def test_an_error_of_the_function_says_what_it_said():
    with pytest.raises(ValueError, match=r"^need more$"):
        refusing(jnp.ones(3))


def test_shapes_are_found_wherever_an_annotation_has_them():
    def plain(x: int, y: "list[str]") -> Callable[[int], float]: ...
    def of_an_alias(x: Row): ...
    def within(x: list[tuple[int, Row]]): ...
    def called(x: Callable[[Row], float]): ...
    def returned() -> Row | None: ...
    def tree(x: PyTree[Row]): ...
    def quoted(x: "Row"): ...

    assert not has_shapes(hints_of(plain))
    for function in (of_an_alias, within, called, returned, tree, quoted):
        assert has_shapes(hints_of(function)), function.__name__
