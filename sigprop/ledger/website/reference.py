"""Pages of the API reference: every public name, grouped by modules.

Names are read from the sources, so that only Sphinx imports the modules.  A class and
the function that builds it are on one page.  Otherwise, names that differ only in case
would have the same file on file systems that ignore case.
"""

import ast
import functools
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sigprop.numerics.exports import homes
from sigprop.numerics.paths import PACKAGE

FOLDER = "api"
PACKAGES = {
    "sigprop.inputs": "Inputs",
    "sigprop.neuron": "Neurons",
    "sigprop.layers": "Layers",
    "sigprop.linear": "Moments of layers",
    "sigprop.networks": "Networks",
    "sigprop.networks.foreign": "Layers of other libraries",
    "sigprop.curvature": "Curvature",
    "sigprop.landscape": "Loss landscapes",
    "sigprop.tasks": "Tasks",
    "sigprop.training": "Training",
    "sigprop.advice": "Advice on initialisation",
    "sigprop.audit": "Audits of networks and time series",
    "sigprop.audit.lint": "Lint of checkpoints",
    "sigprop.audit.foreign": "Audits of layers of other libraries",
    "sigprop.testing": "Tests of your own formulas",
}
"""Titles of the packages and modules that users call, in the order of the reference."""
SHORTCUTS = "sigprop"  # the package that also has names of other packages


class Public(NamedTuple):
    """A public name.

    Attributes:
        package: Package from which users import it.
        name: Name as users write it.
        home: Module that defines it; if the name is a module, the package.
    """

    package: str
    name: str
    home: str

    @property
    def full(self) -> str:
        """The dotted name."""
        return f"{self.package}.{self.name}"

    @property
    def page(self) -> str:
        """The name of the page that describes it, without an extension."""
        return f"{FOLDER}/{self.home}"


@functools.cache
def public(package: str) -> list[Public]:
    """The public names of a package or a module, in alphabetical order.

    >>> [one.name for one in public("sigprop.audit.foreign")][:2]
    ['audit_checkpoint', 'Checked']
    """
    file = _file(package)
    source = file.read_text("utf-8")
    if file.name == "__init__.py":
        return [
            Public(package, name, home)
            for name, home in sorted(homes(source).items(), key=_without_case)
        ]
    names = next(
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return [Public(package, name, package) for name in sorted(names, key=str.casefold)]


def _without_case(item: tuple[str, str]) -> str:
    return item[0].casefold()


def _file(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text("utf-8"))


def documents() -> dict[str, str]:
    """The pages as reStructuredText, by file name below the folder of the sources."""
    pages = {f"{FOLDER}/index.rst": _index()}
    owners: dict[str, str] = {}  # package below which the page of a module is
    by_home: dict[str, list[Public]] = {}
    for package, title in PACKAGES.items():
        names = public(package)
        inside = [one for one in names if one.home == package]
        pages[f"{FOLDER}/{package}.rst"] = _package(package, title, names, inside)
        for one in names:
            if one.home != package and _canonical(one) == one.full:
                owners[one.home] = package
                by_home.setdefault(one.home, []).append(one)
    for home, ones in by_home.items():
        pages[f"{FOLDER}/{home}.rst"] = _module(owners[home], home, ones)
    return pages


def _heading(text: str, under: str) -> list[str]:
    return [text, under * len(text), ""]


def _index() -> str:
    """All packages, and the names of the top-level package."""
    # Statements and derivations are read module by module.
    shortcuts = [one for one in public(SHORTCUTS) if one.full != "sigprop.theory"]
    lines = [
        *_heading("API reference", "="),
        "Import names from the packages below; what stands in no table is not public.",
        "Each page has the names of one module, with their arguments and examples.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
        *(f"   {title} <{package}>" for package, title in PACKAGES.items()),
        "",
        *_heading("Names of the package sigprop", "-"),
        "``import sigprop`` has these names, too:",
        "",
        *_table(shortcuts),
    ]
    for one in shortcuts:
        if _canonical(one) == one.full and one.full not in PACKAGES:
            lines += _described(one, _tree(one.home))

    return "\n".join(lines)


def _package(
    package: str, title: str, names: Iterable[Public], inside: Iterable[Public]
) -> str:
    own = _tree(package)
    lines = [
        *_heading(title, "="),
        f".. py:module:: {package}",
        "",
        f"``import {package}``",
        "",
        *(ast.get_docstring(own) or "").splitlines(),
        "",
        *_table(names),
    ]
    for one in inside:
        lines += ["", *_described(one, own)]
    return "\n".join([*lines, ""])


def _table(names: Iterable[Public]) -> Iterator[str]:
    """Names with the first sentence of each, as links."""
    yield ".. list-table::"
    yield "   :widths: 40 60"
    yield "   :class: names"
    yield ""
    for one in names:
        is_module = one.full in PACKAGES
        target = f":doc:`{one.name} </{FOLDER}/{one.full}>`"
        documented = _canonical(one)
        yield "   * - " + (
            target if is_module else f":py:obj:`{one.name} <{documented}>`"
        )
        summary = PACKAGES[one.full] + "." if is_module else _summary(one)
        yield f"     - {summary}"
    yield ""


def _canonical(one: Public) -> str:
    """The dotted name under which a name is described, nearest to its definition."""
    homes = [
        package
        for package in PACKAGES
        if f"{one.home}.".startswith(f"{package}.")
        and any(other[1:] == one[1:] for other in public(package))
    ]
    return f"{max(homes, key=len)}.{one.name}" if homes else one.full


def _definition(one: Public, tree: ast.Module) -> ast.stmt | None:
    for node in tree.body:
        names = [getattr(node, "name", "")]
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [ast.unparse(target) for target in targets]
        if one.name in names:
            return node
    return None


def _summary(one: Public) -> str:
    """The first sentence of a docstring."""
    tree = _tree(one.home)
    text = _docstring(_definition(one, tree), tree)
    return _escaped(" ".join(text.partition("\n\n")[0].split()))


def _escaped(text: str) -> str:
    r"""The text with each vertical bar escaped that is not inside a literal.

    >>> print(_escaped("the moment |h| of ``|lam|``"))
    the moment \|h\| of ``|lam|``
    """
    return re.sub(
        r"``.*?``|\|", lambda match: r"\|" if match[0] == "|" else match[0], text
    )


def _docstring(node: ast.stmt | None, tree: ast.Module) -> str:
    """The docstring of a definition; of a constant, the string that follows it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return ast.get_docstring(node) or ""
    after = tree.body[tree.body.index(node) + 1 :][:1] if node else []
    if after and isinstance(after[0], ast.Expr):
        return inspect.cleandoc(ast.literal_eval(after[0].value))
    return ""


def heading(home: str, names: Iterable[Public]) -> str:
    """The title of the page of a module: its class, if it is named after it.

    >>> heading("sigprop.layers.lru", public("sigprop.layers"))
    'LRU'
    >>> heading("sigprop.linear.infinite_losses", [])
    'Infinite losses'
    """
    last = home.rpartition(".")[2]
    for one in names:
        if one.name.casefold() == last.replace("_", "") and one.name != last:
            return one.name
    return (last[:1].upper() + last[1:]).replace("_", " ")


def _module(package: str, home: str, names: list[Public]) -> str:
    tree = _tree(home)
    about = ast.get_docstring(tree) or ""
    up = f":doc:`API reference <index>` / :doc:`{PACKAGES[package]} <{package}>`"
    title = heading(home, names)
    words = {word.casefold(): word for word in (title, *(one.name for one in names))}
    lines = [":orphan:", ""]
    lines += [f".. index:: ! single: {word}" for word in words.values()]
    lines += ["", *_heading(title, "="), up, ""]
    lines += [*about.splitlines(), ""]
    for one in names:
        lines += [*_described(one, tree)]
    return "\n".join(lines)


def _described(one: Public, tree: ast.Module) -> list[str]:
    node = _definition(one, tree)
    if isinstance(node, ast.ClassDef):
        return [
            f".. autoclass:: {one.full}",
            "   :members:",
            "   :show-inheritance:",
            "",
        ]
    if isinstance(node, ast.FunctionDef):
        return [f".. autofunction:: {one.full}", ""]
    about = _docstring(node, tree).splitlines()
    return [f".. py:data:: {one.full}", "", *(f"   {line}" for line in about), ""]
