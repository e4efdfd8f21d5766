"""Each step of a derivation follows from the step before it, at random places.

A step has the value of the one before it, or follows by a rule that its reason names.  The
few others begin another quantity; their values are kept in ``steps.json``.
"""

import importlib
import inspect
import json
import pkgutil
import random
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from sympy import (
    Derivative,
    Function,
    I,
    Integer,
    Integral,
    Limit,
    Rational,
    Subs,
    Sum,
    Symbol,
    lambdify,
    sqrt,
)
from sympy import oo as infinity
from sympy.core.function import AppliedUndef

from sigprop import theory
from sigprop.theory.autocorrelation import INPUTS
from sigprop.theory.claims import registry
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.rotation import c
from sigprop.theory.symbols import R, alpha, beta, lam, lam_bar, n, r, rho

LAGS = 400  # terms of an endless sum: eigenvalues here are below 0.83
PHASES = (Rational(3, 5) + I * Rational(4, 5), Rational(5, 13) - I * Rational(12, 13))


@cache
def derivations():
    """The distinct derivations of all rows and functions, by the name of one of them."""
    makers = {}
    for module in pkgutil.walk_packages(theory.__path__, "sigprop.theory."):
        for name, function in vars(importlib.import_module(module.name)).items():
            own = getattr(function, "__module__", None) == module.name
            if own and callable(function) and not isinstance(function, type):
                signature = inspect.signature(function)
                needed = [
                    parameter
                    for parameter in signature.parameters.values()
                    if parameter.default is parameter.empty
                ]
                if signature.return_annotation is Derivation and not needed:
                    makers[f"{module.name}.{name}"] = function
    makers |= {key: claim.derive for key, claim in registry().items() if claim.derive}
    by_steps = {}
    for name, make in makers.items():
        by_steps.setdefault(make().steps, name)
    return {name: Derivation(steps) for steps, name in by_steps.items()}


def random_point(symbols, draw):
    """Random values that respect the signs of the symbols."""
    values = {}
    for symbol in sorted(symbols, key=str):
        if symbol.is_integer:
            values[symbol] = Integer(draw.randint(3, 5))
            continue
        value = Rational(draw.randint(10, 80), 97)
        if symbol.is_real is None:
            value *= draw.choice(PHASES)
        elif not (symbol.is_nonnegative or symbol.is_positive):
            value *= draw.choice((1, -1))
        values[symbol] = value
    if lam in values:
        values[lam_bar] = values[lam].conjugate()
    return values


def number(form, at):
    """The value of an expression; a function without a form falls with its argument."""
    form = form.replace(
        lambda node: isinstance(node, AppliedUndef),
        lambda node: 1 / (2 + sum(node.args) ** 2),
    )
    unevaluated = (Derivative, Subs, Limit)
    if form.has(*unevaluated):
        form = form.replace(
            lambda node: isinstance(node, unevaluated), lambda node: node.doit()
        )
    return complex(closed(form.xreplace(at)).n(20))


def closed(form):
    """An expression with numbers for its sums and integrals, the innermost first."""
    while form.has(Sum, Integral):
        form = form.replace(
            lambda node: (
                isinstance(node, Sum | Integral)
                and not node.function.has(Sum, Integral)
            ),
            lambda node: (summed if isinstance(node, Sum) else integrated)(node),
        )
    return form


def summed(form):
    """The value of a sum, or of its innermost one."""
    (index, first, last), *others = form.limits
    if not form.function.free_symbols <= {index} or first.free_symbols:
        return form.doit()
    last = first + LAGS if last is infinity else last
    total = 0
    if last >= first:
        lags = np.arange(int(first), int(last) + 1).astype(complex)
        total = np.sum(
            np.broadcast_to(lambdify(index, form.function)(lags), lags.shape)
        )
    total = Rational(1) * complex(total)
    return Sum(total, *others) if others else total


def integrated(form):
    """The value of an integral over one variable."""
    ((variable, first, last),) = form.limits
    if form.function.free_symbols - {variable}:
        return form.doit()
    function = lambdify(variable, form.function)
    parts = [
        quad(lambda x, part=part: part(complex(function(x))), float(first), float(last))
        for part in (np.real, np.imag)
    ]
    return Rational(1) * complex(parts[0][0], parts[1][0])


def on_input(name):
    """The rule that gives the autocovariance of an input to a functional of it."""
    zero, lag = INPUTS[name]
    return lambda form: form.replace(R, lambda age: zero if age == 0 else lag)


# Of the start of a reason, what makes the step before it equal to the step.
RULES = {
    "At alpha = lam and beta = conj(lam)": lambda form: form.subs(
        {alpha: lam, beta: lam_bar}
    ),
    "The sensitivity's impulse response is d/dlam": lambda form: form.diff(alpha).diff(
        beta
    ),
    "For a real eigenvalue": lambda form: form.subs(lam_bar, lam),
    **{f"Sum over the lags of the {name} input": on_input(name) for name in INPUTS},
    "The moment is linear in R": on_input("mixed"),
    "With E|x_{t-1}|^2 = c": lambda form: form.subs(Symbol("m", positive=True), c),
    "Multiply by gamma^2 = 1 - r^2": lambda form: (1 - r**2) * form,
    "Multiply by gamma^2 = 1 - |lam|^2": lambda form: (1 - lam * lam_bar) * form,
    "At rho = 1": lambda form: form.subs(rho, 1),
    "The square root": sqrt,
    "The inverse square root": lambda form: 1 / sqrt(form),
}


def values(first, second, seed=0):
    """Pairs of values of two expressions at the same two random places."""
    draw = random.Random(seed)
    points = [
        random_point(first.free_symbols | second.free_symbols, draw) for _ in range(2)
    ]
    return [(number(first, at), number(second, at)) for at in points]


def same(before, after):
    """Whether two expressions have the same value at two random places."""
    return all(
        abs(number_before - other) <= 1e-8 * max(abs(number_before), abs(other))
        for number_before, other in values(before, after)
    )


def solves(recurrence, solution):
    """Whether a recurrence, which is to be zero, has this solution."""
    functions = {atom.func for atom in recurrence.atoms(AppliedUndef)}
    (function,) = functions
    (index,) = (
        atom.args[0] for atom in recurrence.atoms(function) if atom.args[0].is_Symbol
    )
    left = recurrence.replace(function, lambda at: solution.xreplace({index: at}))
    return all(abs(number_left) <= 1e-12 for number_left, _ in values(left, solution))


def follows(before, step):
    """Whether a step has the value of the one before it, or follows by a rule."""
    if step.reason.startswith("The solution is"):
        return solves(before.expr, step.expr)
    rules = [rule for reason, rule in RULES.items() if step.reason.startswith(reason)]
    return any(same(it(before.expr), step.expr) for it in (*rules, lambda form: form))


def value(form):
    """The value of an expression at one random place."""
    return number(form, random_point(form.free_symbols, random.Random(1)))


KEPT = json.loads(Path(__file__).with_name("steps.json").read_text())


def other_quantities():
    """The steps that do not follow by a rule, and the first of such a derivation."""
    quantities = {}
    for name, derivation in derivations().items():
        steps = derivation.steps
        unlike = [
            index for index, pair in enumerate(pairwise(steps), 1) if not follows(*pair)
        ]
        if unlike:
            quantities[name] = {str(at): value(steps[at].expr) for at in (0, *unlike)}
    return quantities


def test_every_step_follows_or_has_the_value_that_is_kept():
    """A step that begins another quantity is added to ``steps.json`` by hand."""
    quantities = other_quantities()
    new = {
        name: {
            at: f"{complex(value):.8g}".replace("j", "i") for at, value in steps.items()
        }
        for name, steps in quantities.items()
        if name not in KEPT
    }
    assert quantities.keys() == KEPT.keys(), (
        "a step is wrong or begins another quantity; check it, and if it is right add to "
        f"steps.json: {json.dumps(new)}"
    )
    for name, steps in KEPT.items():
        assert quantities[name].keys() == steps.keys(), name
        for at, text in steps.items():
            meant = complex(text.replace("i", "j"))
            assert quantities[name][at] == pytest.approx(meant, rel=1e-6), (name, at)


def test_most_derivations_are_found():
    assert len(derivations()) > 150
    assert sum(len(derivation.steps) - 1 for derivation in derivations().values()) > 200


@pytest.mark.parametrize("factor", [1 + 1e-6, -1, 2])
def test_a_step_that_is_off_is_noticed(factor):
    form = 1 / (1 - lam * lam_bar)
    first = start("a moment", form)
    assert follows(*first.then("again", form).steps)
    assert not follows(*first.then("again", factor * form).steps)
    kernel = Function("k")
    recurrence = start("a recurrence", kernel(n + 1) - lam * kernel(n))
    assert follows(*recurrence.then("The solution is", lam**n).steps)
    assert not follows(*recurrence.then("The solution is", (factor * lam) ** n).steps)
