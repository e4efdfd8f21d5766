"""The picture of the house: few rooms, few arrows, all downwards, none in a circle."""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.imports import imports
from tests.test_architecture import SOURCES, relative

PLACES = ("theory", "sigprop", "experiments", "figures")


def sources() -> dict[str, str]:
    """The text of every module by its path."""
    return {
        relative(path): path.read_text("utf-8")
        for path in SOURCES
        if relative(path).partition("/")[0] in PLACES
    }


def graph(texts: dict[str, str]) -> dict[str, set[str]]:
    """Modules by dotted name, and the modules that each imports, lazily or not."""
    names = {_dotted(path): path for path in texts}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        modules = (one.module for one in imports(texts[path], path))
        reached = {_home(module, names) for module in modules}
        found[name] = {one for one in reached if one and one != name}
    return found


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _home(module: str, names: dict[str, str]) -> str | None:
    """The module that an imported name stands in; none if it is not ours."""
    while module and module not in names:
        module = module.rpartition(".")[0]
    return module or None


def circle(texts: dict[str, str]) -> list[str]:
    """Modules that import each other in a ring, if any do."""
    try:
        TopologicalSorter(graph(texts)).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other_in_a_circle():
    assert circle(sources()) == []


@pytest.mark.parametrize(
    "backwards",
    [
        "from sigprop.judge.run import verify",
        "def later():\n    from sigprop.judge import run",
        "import sigprop.judge.run",
    ],
)
def test_a_circle_is_found_however_it_is_closed(backwards):
    texts = sources()
    place = "sigprop/numerics/precision.py"
    assert set(circle(texts | {place: texts[place] + backwards})) >= {
        "sigprop.numerics.precision",
        "sigprop.judge.run",
    }


MOST_ROOMS, MOST_ARROWS = 20, 80


def rooms(texts: dict[str, str]) -> dict[str, set[str]]:
    """Rooms at the first level of ``sigprop``, and the rooms that each imports."""
    found: dict[str, set[str]] = {}
    for module, reached in graph(texts).items():
        here = _room(module)
        if here:
            others = found.setdefault(here, set())
            others |= {_room(one) for one in reached} - {"", here}
    return found


def _room(module: str) -> str:
    top, _, rest = module.partition(".")
    return rest.partition(".")[0] if top == "sigprop" else ""


def complaints(found: dict[str, set[str]]) -> list[str]:
    """What is too much of a picture of rooms."""
    arrows = sum(map(len, found.values()))
    said = []
    if len(found) > MOST_ROOMS:
        said.append(f"{len(found)} rooms")
    if arrows > MOST_ARROWS:
        said.append(f"{arrows} arrows")
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        said.append("a circle of " + ", ".join(error.args[1]))
    return said


def test_the_rooms_are_few_and_stand_on_floors():
    assert complaints(rooms(sources())) == []


def test_a_room_or_an_arrow_too_many_and_a_way_up_are_noticed():
    found = rooms(sources())
    more = {f"new{number}": set() for number in range(MOST_ROOMS)}
    assert complaints(found | more) == [f"{len(found) + MOST_ROOMS} rooms"]
    busy = {f"new{number}": set(found) for number in range(2)}
    assert any("arrows" in said for said in complaints(found | busy))
    upwards = found | {"numerics": {"judge"}}
    assert any(said.startswith("a circle of") for said in complaints(upwards))
