"""Paths of the files of modules, in the repository and on this machine.

In the repository, ``theory``, ``experiments``, ``figures``, ``notebooks`` and ``docs`` are
folders of the top level, and the package has links to them.  An installed package has the
folders themselves.
"""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LINKED = ("theory", "experiments", "figures", "notebooks", "docs")


def repository_path(file: str) -> str:
    """The path in the repository of a file of the package.

    >>> repository_path("sigprop/theory/rows.py"), repository_path("sigprop/inputs.py")
    ('theory/rows.py', 'sigprop/inputs.py')
    """
    inside = file.removeprefix("sigprop/")
    return inside if inside.partition("/")[0] in LINKED else file


def file_of(module: str) -> str:
    """The file of a module in the repository.

    >>> file_of("sigprop.theory.rows")
    'theory/rows.py'
    """
    return repository_path(f"{module.replace('.', '/')}.py")


def module_of(file: str) -> str:
    """The module of a file of the repository.

    >>> module_of("theory/rows.py"), module_of("sigprop/neuron/__init__.py")
    ('sigprop.theory.rows', 'sigprop.neuron')
    """
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if name.partition(".")[0] == "sigprop" else f"sigprop.{name}"


def on_disk(file: str) -> Path:
    """Path on this machine of a file of the repository."""
    return PACKAGE / file.removeprefix("sigprop/")
