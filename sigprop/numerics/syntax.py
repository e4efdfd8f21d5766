"""Names that statements of a module define, read from its syntax."""

import ast
from collections.abc import Iterator


def bound(statement: ast.AST) -> Iterator[str]:
    """Names that a definition or an assignment defines; an import gives no names.

    >>> [*bound(ast.parse("a, b = 1, 2").body[0])]
    ['a', 'b']
    """
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
        )
        for part in (piece for target in targets for piece in ast.walk(target)):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
