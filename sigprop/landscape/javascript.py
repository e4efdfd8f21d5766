"""Generate the formulas and settings of ``explorer.js`` from the Python code.

Each formula becomes two JavaScript functions.  The first is of numbers, for maps of many
points.  The second is of jets, for exact first and second derivatives.  A *jet* is a value
with its derivatives with respect to two parameters; ``explorer.js`` has their arithmetic.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sympy import (
    Add,
    Expr,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    atanh,
    cos,
    exp,
    log,
    sin,
    solve,
)
from sympy.printing.jscode import JavascriptCodePrinter

from sigprop.landscape.explorer import CHOICES, DEFAULTS, RANGES
from sigprop.numerics.files import write_text
from sigprop.theory import real_loss
from sigprop.theory import teacher_student as theory

MODULE = Path(__file__).with_name("explorer.js")
START = (
    "// <formulas> Written by python -m sigprop.landscape.javascript; do not edit.\n"
)
END = "// </formulas>\n"
HALF = Rational(1, 2)

modulus, angle = Symbol("modulus", positive=True), Symbol("angle", real=True)
a, b = Symbol("a", real=True), Symbol("b", real=True)  # the two trained parameters

PARAMETRISATIONS: dict[str, tuple[Expr, Expr, Expr]] = {
    "polar": (a, modulus, theory.plain_angle()),
    "exp": (exp(-exp(a)), log(-log(modulus)), theory.exponential_angle()),
    "tanh": (
        theory.best_modulus().subs(theory.omega, a),
        atanh(modulus),
        theory.best_angle(),
    ),
}
"""Modulus as a function of ``a``; its inverse; angle as a function of ``omega`` and ``nu``."""


class NumberPrinter(JavascriptCodePrinter):
    """Printer of expressions as JavaScript, with products for squares."""

    def _print_Pow(self, expr: Pow) -> str:
        if expr.exp == 2:
            base = self.parenthesize(expr.base, 50)
            return f"{base}*{base}"
        return super()._print_Pow(expr)


class JetPrinter(NumberPrinter):
    """Printer of expressions as JavaScript with jets.

    Operations on jets become function calls.  Parts without jets are printed as numbers.
    """

    def __init__(self, jets: Iterable[Symbol]) -> None:
        super().__init__()
        self.jets = frozenset(jets)

    def _print(self, expr: Any, **kwargs: Any) -> str:
        if not isinstance(expr, Expr) or not expr.free_symbols & self.jets:
            return super()._print(expr, **kwargs)
        match expr:
            case Symbol():
                return expr.name
            case Add() | Mul():
                return self._chain(expr)
            case Pow(base=base, exp=Integer() as power) if power > 0:
                return self._fold("mul", [self._print(base)] * int(power))
            case Pow(base=base, exp=power) if power in (-1, HALF, -HALF):
                name = {-1: "over({})", HALF: "root({})", -HALF: "over(root({}))"}
                return name[power].format(self._print(base))
            case _ if len(expr.args) == 1:
                return f"{expr.func.__name__}({self._print(expr.args[0])})"
        raise ValueError(f"need an expression that jets have, got {expr}")

    def _chain(self, expr: Any) -> str:
        """Print a sum or a product: first the terms with jets, then the others."""
        jets = [term for term in expr.args if term.free_symbols & self.jets]
        rest = expr.func(*(term for term in expr.args if term not in jets))
        add = isinstance(expr, Add)
        joined = self._fold("add" if add else "mul", map(self._print, jets))
        if rest == expr.func():
            return joined
        return f"{'shift' if add else 'scale'}({joined}, {self._print(rest)})"

    def _fold(self, name: str, terms: Iterable[str]) -> str:
        result, *others = terms
        for term in others:
            result = f"{name}({result}, {term})"
        return result


def _lines(
    steps: Sequence[real_loss.Step], printer: NumberPrinter, indent: int
) -> list[str]:
    return [
        f"{' ' * indent}const {symbol} = {printer.doprint(value)};"
        for symbol, value in steps
    ]


def _loss() -> list[str]:
    steps = real_loss.steps()
    teacher: list[real_loss.Step] = []
    student: list[real_loss.Step] = []
    active: set[Symbol] = {real_loss.x, real_loss.y}
    for symbol, value in steps:
        if value.free_symbols & active:
            active.add(symbol)
            student.append((symbol, value))
        else:
            teacher.append((symbol, value))
    once = _lines(teacher, NumberPrinter(), 2)
    return [
        "// The loss of the student x + iy beside the teacher u + iv, for inputs of",
        "// autocovariance rho^|lag| and gains sqrt(1 - share |lambda|^2).",
        "export function lossOf({ u, v, rho, share }) {",
        *once,
        "  return (x, y) => {",
        *_lines(student, NumberPrinter(), 4),
        "    return loss;",
        "  };",
        "}",
        "",
        "// The loss of a student that is silent: half the teacher's power.",
        "export function silentOf({ u, v, rho, share }) {",
        *once,
        f"  return {NumberPrinter().doprint(real_loss.silent())};",
        "}",
        "",
        "// The loss at two jets.",
        "function lossJet({ u, v, rho, share }, x, y) {",
        *once,
        *_lines(student, JetPrinter(active), 2),
        "  return loss;",
        "}",
    ]


def _parametrisation(name: str) -> list[str]:
    of_modulus, first, of_angle = PARAMETRISATIONS[name]
    (second,) = solve(of_angle - theory.theta, theory.omega)
    to_modulus_angle = (
        (modulus, of_modulus),
        (angle, of_angle.subs({theory.omega: b, theory.nu: modulus})),
    )
    jets = JetPrinter({a, b, modulus, angle})
    numbers = NumberPrinter()
    parts = [modulus * cos(angle), modulus * sin(angle)]
    back = [
        first,
        second.subs({theory.theta: angle, theory.nu: modulus}),
    ]

    def listed(printer: NumberPrinter, values: Iterable[Expr]) -> str:
        return f"[{', '.join(str(printer.doprint(value)) for value in values)}]"

    return [
        f"  {name}: {{",
        "    to(a, b) {",
        *_lines(to_modulus_angle, numbers, 6),
        f"      return {listed(numbers, parts)};",
        "    },",
        "    jets(a, b) {",
        *_lines(to_modulus_angle, jets, 6),
        f"      return {listed(jets, parts)};",
        "    },",
        f"    from: (modulus, angle) => {listed(numbers, back)},",
        "  },",
    ]


def _table(name: str, table: Mapping[str, object]) -> list[str]:
    rows = (f"  {key}: {json.dumps(value)}," for key, value in table.items())
    return [f"const {name} = {{", *rows, "};"]


def formulas() -> str:
    """The generated part of ``explorer.js``."""
    lines = [
        *_loss(),
        "",
        "// Eigenvalues x + iy of two parameters, and parameters of modulus and angle.",
        "const MAPS = {",
        *(line for name in PARAMETRISATIONS for line in _parametrisation(name)),
        "};",
        "",
        "// Settings: where they start, what they may be, and their ranges.",
        *(
            line
            for name, table in (
                ("DEFAULTS", DEFAULTS),
                ("CHOICES", CHOICES),
                ("RANGES", RANGES),
            )
            for line in _table(name, table)
        ),
    ]
    return "".join(f"{line}\n" for line in lines)


def with_formulas(module: str) -> str:
    """Replace the generated part of a JavaScript module.

    Raises:
        ValueError: If the module lacks the comments that mark the generated part.
    """
    before, start, rest = module.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise ValueError(f"need {START.strip()} and {END.strip()} in the module")
    return before + start + formulas() + end + after


if __name__ == "__main__":
    write_text(MODULE, with_formulas(MODULE.read_text("utf-8")))
