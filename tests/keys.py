"""Finds repetitions in source code that draw with a key that does not change with them.

A repetition is the body of a loop, of a comprehension, or of a function of a batch's index.
A key that is handed to a call there has to be made of what the repetition binds: of the
index, of one of several keys, or of anything that was computed from them.
"""

import ast
import re
from collections.abc import Iterable, Iterator

DERIVING = {
    "fold_in",
    "split",
    "key",
    "group_key",
    "group_fold",
    "pilot_key",
    "wrap_key_data",
}
BATCHING = {"over_batches", "by_reading"}  # call their first argument once a batch
MAPPING = {"vmap"}  # and these once an entry
SEEDED = "default_rng"  # of NumPy, whose seed is its key
NAMED = re.compile(r"(?:\w*_)?keys?$")


def fixed(source: str) -> list[tuple[int, str]]:
    """Lines and calls that draw again with the key of the last time."""
    uses = {}
    if "key" not in source and SEEDED not in source:
        return []
    for body, bound in _repetitions(ast.parse(source)):
        if not any(map(_mentions_key, body)):
            continue
        depending, keys = _known(body, bound)
        for call in _calls(body):
            if _called(call) in DERIVING:
                continue
            for part in (*call.args, *(keyword.value for keyword in call.keywords)):
                if _is_key(part, keys) and not _names(part) & depending:
                    line = call.lineno
                    uses[line, ast.unparse(part)] = (
                        f"{_called(call)}({ast.unparse(part)})"
                    )
            if _called(call) == SEEDED and not _names(call) & depending:
                uses[call.lineno, SEEDED] = ast.unparse(call)
    return sorted((line, text) for (line, _), text in uses.items())


def _repetitions(tree: ast.AST) -> Iterator[tuple[list[ast.AST], set[str]]]:
    """What is repeated, and the names that each repetition binds anew.

    Of a task of batches that is the index alone: other batches have the same size.
    """
    tasks = {
        call.args[0].id: None if _called(call) in MAPPING else 1
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and _called(call) in BATCHING | MAPPING
        and call.args
        and isinstance(call.args[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            yield [*node.body], _names(node.target)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            yield [node.elt], _bound(node.generators)
        elif isinstance(node, ast.DictComp):
            yield [node.key, node.value], _bound(node.generators)
        elif isinstance(node, ast.FunctionDef) and node.name in tasks:
            yield (
                [*node.body],
                {parameter.arg for parameter in node.args.args[: tasks[node.name]]},
            )


def _bound(generators: Iterable[ast.comprehension]) -> set[str]:
    return set().union(*(_names(generator.target) for generator in generators))


def _known(body: list[ast.AST], bound: set[str]) -> tuple[set[str], set[str]]:
    """Names that depend on the repetition, and names of keys, by what is assigned."""
    inner = (ast.FunctionDef, ast.Lambda)  # whose own arguments are their callers'
    own = {
        arg.arg
        for node in body
        for child in ast.walk(node)
        if isinstance(child, inner)
        for arg in child.args.args
    }
    depending, keys = bound | own, set()
    pairs = [
        (targets, value, _names(value))
        for node in body
        for child in ast.walk(node)
        for targets, value in _assigned(child)
    ]
    before = None
    while before != (before := (len(depending), len(keys))):
        for targets, value, names in pairs:
            if names & depending:
                depending |= targets
            if _is_key(value, keys):
                keys |= targets
    return depending, keys


def _assigned(node: ast.AST) -> Iterator[tuple[set[str], ast.AST]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield _names(target), node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield _names(node.target), node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield _names(node.target), node.iter


def _calls(body: list[ast.AST]) -> Iterator[ast.Call]:
    for node in body:
        yield from (child for child in ast.walk(node) if isinstance(child, ast.Call))


def _mentions_key(body: ast.AST) -> bool:
    names = (
        getattr(child, "id", getattr(child, "attr", "")) for child in ast.walk(body)
    )
    return any(name == SEEDED or NAMED.fullmatch(name) for name in names)


def _called(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr
        if isinstance(function, ast.Attribute)
        else getattr(function, "id", "")
    )


def _is_key(node: ast.AST, keys: set[str]) -> bool:
    if isinstance(node, ast.Call):
        return _called(node) in DERIVING and _draws(node)
    if isinstance(node, ast.Subscript):
        return _is_key(node.value, keys)
    if isinstance(node, ast.Attribute):
        return NAMED.fullmatch(node.attr) is not None
    return isinstance(node, ast.Name) and (
        node.id in keys or NAMED.fullmatch(node.id) is not None
    )


def _draws(call: ast.Call) -> bool:
    """Whether the call is JAX's or ours: texts are split too."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id != "split" and function.id != "key"
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) in (
        "jax.random",
        "random",
        "simulate",
    )


def _names(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
