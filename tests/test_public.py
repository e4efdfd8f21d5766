"""Public names: each package has them, loads them late, and shows them to editors."""

import doctest
import importlib
import re
import sys
import types
from pathlib import Path

import pytest

from tests.public import (
    MODULES,
    PACKAGES,
    for_type_checkers,
    private_imports,
    public,
)
from tests.test_setup import fresh_python

ROOT = Path(__file__).parents[1]
every_package = pytest.mark.parametrize("package", PACKAGES)


@every_package
def test_type_checkers_see_the_names_that_are_there(package):
    module = importlib.import_module(package)
    names = for_type_checkers(package)
    assert sorted(names) == module.__all__
    for name, home in names.items():
        assert getattr(module, name) is getattr(importlib.import_module(home), name)


@every_package
def test_a_star_brings_the_public_names(package):
    names: dict[str, object] = {}
    exec(f"from {package} import *", names)
    assert set(names) - {"__builtins__"} == set(
        importlib.import_module(package).__all__
    )


@every_package
def test_a_name_that_is_not_there_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match=rf"^module '{package}' has no attribute"):
        importlib.import_module(package).no_such_name  # noqa: B018
    assert not hasattr(importlib.import_module(package), "no_such_name")


def test_modules_are_public_at_the_top_alone():
    modules = {
        n for n, value in public().items() if isinstance(value, types.ModuleType)
    }
    rooms = {"advice", "audit", "curvature", "inputs", "landscape", "layers", "linear"}
    rooms |= {"networks", "neuron", "tasks", "testing", "theory", "training"}
    assert modules == {f"sigprop.{room}" for room in rooms}


@pytest.mark.parametrize("name", [*PACKAGES, *MODULES])
def test_dir_shows_the_public_names_alone(name):
    module = importlib.import_module(name)
    assert dir(module) == sorted(module.__all__)


def test_names_of_a_module_are_its_own():
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        assert all(hasattr(module, name) for name in module.__all__)


def test_importing_every_package_imports_no_jax():
    code = f"""
        import importlib
        for package in {PACKAGES}:
            dir(importlib.import_module(package))
        print(sorted({{"jax", "numpy", "scipy"}} & set(sys.modules)))
    """
    assert fresh_python(code) == "[]"


def test_a_function_wins_over_the_module_of_its_name():
    code = """
        from sigprop import layers
        from sigprop.layers import lru  # the function first, then its module
        import sigprop.layers.lru
        from sigprop.layers.lru import LRU, lru as same
        assert lru is same is layers.lru is sigprop.layers.lru
        assert sys.modules["sigprop.layers.lru"].LRU is LRU
        import sigprop.layers.gru  # the module first, then the function
        from sigprop.layers.gru import GRU, gru as same
        from sigprop.layers import gru
        assert gru is same is layers.gru is sigprop.layers.gru
        print("done")
    """
    assert fresh_python(code) == "done"


def test_these_are_all_packages_that_export():
    exporting = {
        name
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "sigprop" and "_homes" in vars(module)
    }
    assert exporting <= set(PACKAGES)


def examples():
    """Every Python source that shows a reader how the package is called."""
    for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        blocks = re.findall(r"```python\n(.*?)```", file.read_text("utf-8"), re.DOTALL)
        yield from ((file, block) for block in blocks)
    for file in (ROOT / "notebooks").glob("*.py"):
        yield file, file.read_text("utf-8")
    for file in (ROOT / "sigprop").rglob("*.py"):
        for text in re.findall(r'"""(.*?)"""', file.read_text("utf-8"), re.DOTALL):
            shown = doctest.script_from_examples(text) if ">>>" in text else ""
            yield file, shown


def test_examples_import_public_names_alone():
    private = {
        f"{file.relative_to(ROOT)}: {name}"
        for file, source in examples()
        for name in private_imports(source)
    }
    assert private == set()


def test_a_private_name_in_an_example_is_noticed():
    assert private_imports("from sigprop.layers.lru import lru") == [
        "sigprop.layers.lru.lru"
    ]
    assert private_imports("from sigprop.layers import no_layer") == [
        "sigprop.layers.no_layer"
    ]
    assert private_imports("from sigprop.layers import lru") == []
