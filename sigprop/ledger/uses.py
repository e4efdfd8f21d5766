"""Names of this project that a piece of code uses, given its constant arguments.

A call is recorded with its constant arguments, and ``...`` for every other argument.
Code that cannot be reached is skipped: branches that a constant argument excludes, and
statements after a return.
"""

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

STORED = "experiment"  # prefix of the name of a sweep's stored result
Function = ast.FunctionDef | ast.Lambda
Imported = Callable[[ast.AST], Iterable[tuple[str, str]]]
OnFunction = Callable[[Function, Mapping[str, str]], None]
PLAIN = str | int | bool | None
UNKNOWN = object()


class Uses(ast.NodeVisitor):
    """Visitor of code; ``names`` has the names that the code uses.

    Args:
        known: Meanings of names.
        imported: Gives the names that an import inside a function binds, and their
            meanings.
        on_function: Called with every inner function and the meanings of names around
            it.
        constants: Known values of arguments.
    """

    def __init__(
        self,
        known: Mapping[str, str],
        imported: Imported,
        on_function: OnFunction,
        constants: Mapping[str, Any] | None = None,
    ) -> None:
        self.known, self.imported, self.on_function = dict(known), imported, on_function
        self.constants = dict(constants or {})
        self.names: set[str] = set()

    def resolve(self, node: ast.AST) -> str | None:
        """The dotted name of an expression, if it is a name of this project."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return base and f"{base}.{node.attr}"
        if isinstance(node, ast.Subscript):
            base, key = self.resolve(node.value), self.value(node.slice)
            return f"{base}[{key}]" if base and isinstance(key, str) else None
        return None

    def value(self, node: ast.AST) -> Any:
        """The value of an expression, if constants determine it; else ``UNKNOWN``."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.constants.get(node.id, UNKNOWN)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            values = [self.value(element) for element in node.elts]
            return UNKNOWN if UNKNOWN in values else tuple(values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inside = self.value(node.operand)
            return inside if inside is UNKNOWN else not inside
        if isinstance(node, ast.BoolOp):
            stop = isinstance(node.op, ast.Or)
            values = [self.value(operand) for operand in node.values]
            if any(value is not UNKNOWN and bool(value) == stop for value in values):
                return stop
            return UNKNOWN if UNKNOWN in values else not stop
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self.value(node.left), self.value(node.comparators[0])
            if UNKNOWN not in (left, right):
                return _compared(left, node.ops[0], right)
        return UNKNOWN

    def visit_Name(self, node: ast.Name) -> None:
        """Record a name."""
        self._note(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Record a dotted name, or else visit the part before the dot."""
        self._note(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Record an entry of a table whose key is a known string."""
        self._note(node)

    def _note(self, node: ast.Name | ast.Attribute | ast.Subscript) -> None:
        name = self.resolve(node)
        if name is None:
            self.generic_visit(node)
        elif "." in name:
            self.names.add(name)

    def visit_Call(self, node: ast.Call) -> None:
        """Record a call with its constant arguments, and a stored result."""
        written = self.written(node)
        if isinstance(node.func, ast.Name) and node.func.id == "load" and node.args:
            sweep = self.value(node.args[0])
            if isinstance(sweep, str):
                self.names.add(f"{STORED}:{sweep}")
        if written:
            self.names.add(written)
        else:
            self.visit(node.func)
        for argument in (*node.args, *node.keywords):
            self.visit(argument)

    def written(self, call: ast.Call) -> str | None:
        """A call of this project as text, with ``...`` for unknown arguments."""
        name = self.resolve(call.func)
        if name is None or "." not in name:
            return None
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return name
        parts = [self._text(argument) for argument in call.args]
        for keyword in call.keywords:
            parts.append(
                f"{keyword.arg}={self._text(keyword.value)}" if keyword.arg else "**_"
            )
        return f"{name}({', '.join(parts)})"

    def _text(self, node: ast.AST) -> str:
        value = self.value(node)
        return repr(value) if isinstance(value, PLAIN) else "..."

    def block(self, statements: Iterable[ast.AST]) -> bool:
        """Visit statements up to one that ends the function; True if there is one."""
        return any(self._ends(statement) for statement in statements)

    def _ends(self, node: ast.AST) -> bool:
        if isinstance(node, ast.If):
            return self._branch(node)
        self.visit(node)
        return isinstance(node, ast.Return | ast.Raise)

    def visit_If(self, node: ast.If) -> None:
        """Visit the branches that are possible for the known constants."""
        self._branch(node)

    def _branch(self, node: ast.If) -> bool:
        condition = self.value(node.test)
        if condition is not UNKNOWN:
            return self.block(node.body if condition else node.orelse)
        self.visit(node.test)
        ends = [self.block(node.body), self.block(node.orelse)]
        return all(ends)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Visit the values that are possible for the known constants."""
        condition = self.value(node.test)
        if condition is UNKNOWN:
            self.generic_visit(node)
        else:
            self.visit(node.body if condition else node.orelse)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Visit a function, whose own names hide outer names."""
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Visit a lambda, whose arguments hide outer names."""
        self._function(node)

    def _function(self, node: Function) -> None:
        self.on_function(node, self.known)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        self.names |= self.inside(node).names

    def inside(
        self, node: Function, arguments: Mapping[str, Any] | None = None
    ) -> "Uses":
        """Return the names that a function uses, for known values of some arguments."""
        own = set(own_names(node))
        known = {name: of for name, of in self.known.items() if name not in own}
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        for statement in _imports(node):
            known.update(self.imported(statement))
        constants = {n: v for n, v in self.constants.items() if n not in own}
        constants |= {
            n: v for n, v in (arguments or {}).items() if n not in bound(node)
        }
        inner = Uses(known, self.imported, self.on_function, constants)
        inner.block(body)
        return inner


def _compared(left: Any, op: ast.cmpop, right: Any) -> Any:
    match op:
        case ast.Eq() | ast.Is():
            return left == right
        case ast.NotEq() | ast.IsNot():
            return left != right
        case ast.In() if isinstance(right, tuple | str):
            return left in right
        case ast.NotIn() if isinstance(right, tuple | str):
            return left not in right
    return UNKNOWN


def arguments(node: Function) -> Sequence[ast.arg]:
    """The arguments that can be passed by name, in order."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def defaults(node: Function) -> dict[str, Any]:
    """Default values of arguments that are constants."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(
            positional[len(positional) - len(args.defaults) :],
            args.defaults,
            strict=True,
        ),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    return {a.arg: d.value for a, d in pairs if isinstance(d, ast.Constant)}


def own_names(node: Function) -> Iterator[str]:
    """Names of arguments and of variables in the body, without inner functions."""
    more = [node.args.vararg, node.args.kwarg]
    yield from (
        argument.arg for argument in (*arguments(node), *more) if argument is not None
    )
    yield from bound(node)


@functools.cache
def _imports(node: Function) -> tuple[ast.AST, ...]:
    """Imports anywhere in the body of a function."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    every = (inner for piece in body for inner in ast.walk(piece))
    return tuple(
        inner for inner in every if isinstance(inner, ast.Import | ast.ImportFrom)
    )


@functools.cache
def bound(node: Function) -> frozenset[str]:
    """Names that the body of a function binds."""
    names: set[str] = set()
    waiting: list[ast.AST] = []
    waiting += [node.body] if isinstance(node, ast.Lambda) else node.body
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, ast.Name) and isinstance(piece.ctx, ast.Store):
            names.add(piece.id)
        if isinstance(piece, ast.FunctionDef):
            names.add(piece.name)
        elif not isinstance(piece, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(piece))
    return frozenset(names)


def presented(node: ast.expr) -> ast.expr:
    """Return the call that an expression shows.

    It is ``f()`` in both ``f().result`` and ``start("...", f())``.
    """
    while True:
        if isinstance(node, ast.Attribute):
            node = node.value
        elif not isinstance(node, ast.Call):
            return node
        elif isinstance(node.func, ast.Attribute) and isinstance(
            node.func.value, ast.Call
        ):
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id == "start":
            node = node.args[-1]
        else:
            return node
