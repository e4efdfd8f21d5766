"""No batch is another batch: whatever draws in a loop has a key or a seed of its own.

The source is read, so that a new function is covered as soon as it is written.  In a loop,
a comprehension, or a function that ``scan``, ``map`` or ``vmap`` repeats, a key that goes to
what draws must depend on what changes from one turn to the next, in every loop around it.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("experiments", "figures", "sigprop", "theory")
REPEATS = {"scan", "map", "vmap", "fori_loop", "while_loop"}
MAKES = {"fold_in", "split", "key", "PRNGKey"}  # a key of a key, which draws nothing
READS = {"key_data", "clone", "shape", "len", "append", "zip", "enumerate", "plain"}
DRAWS = re.compile(r"PRNGKey|fold_in|random.(key|split)|default_rng")
NAMED = re.compile(r"(.*_)?keys?")

NOTHING_DRAWN = "an optimiser starts from a key, and nothing is drawn"
COMPARED = "ways that are compared, or timed, are given the same numbers"
NOT_RANDOM = "these keys are no random ones"
SHARED = {
    "experiments/angle_descent.py:descend": NOTHING_DRAWN,
    "experiments/basins.py:descend": NOTHING_DRAWN,
    "experiments/power_descent.py:descend": NOTHING_DRAWN,
    "experiments/speed_hessians.py:_timed": COMPARED,
    "experiments/speed_losses.py:run": COMPARED,
    "experiments/speed_moments.py:run": COMPARED,
    "sigprop/cli/models.py:models": "only shapes are computed",
    "sigprop/evidence/sigprop/moments.py:remainder_order": COMPARED,
    "sigprop/evidence/sigprop/sampled_loss.py:_draw": "inputs of every process are apart",
    "sigprop/evidence/sigprop/sampled_loss.py:slope_questions": COMPARED,
    "sigprop/neuron/delta_moments.py:delta_moments": NOT_RANDOM,
    "sigprop/neuron/draws.py:series": "the turn that draws is the last",
    "sigprop/neuron/noise.py:_program": "the counter changes, and the key is one of all steps",
}
"""Functions that use a key in more than one turn, and why they may."""


class Turn:
    """A loop, or a function that is repeated: the names that change with its turns."""

    def __init__(self, names: set[str], body: list[ast.AST]):
        self._given, self._body = names, body

    @functools.cached_property
    def names(self) -> set[str]:
        """All that depends on the turn, be it by way of other names."""
        inner = [one for part in self._body for one in ast.walk(part)]
        functions = [
            one for one in inner if isinstance(one, ast.FunctionDef | ast.Lambda)
        ]
        # What calls a function of its own is looked at where it calls it.
        found = self._given.union(*map(parameters, functions))
        steps = [one for one in map(assigned, inner) if one]
        for _ in range(3):
            for given, read in steps:
                if read & found or given & read:
                    found |= given
        return found


def assigned(node: ast.AST) -> tuple[set[str], set[str]] | None:
    """The names that a statement gives a value, and those that the value depends on."""
    if isinstance(node, ast.AugAssign):
        given = names_of(node.target)
        return given, given | names_of(node.value)
    if isinstance(node, ast.NamedExpr | ast.AnnAssign):
        return names_of(node.target), names_of(node.value)
    if isinstance(node, ast.Assign):
        return set().union(*map(names_of, node.targets)), names_of(node.value)
    if isinstance(node, ast.For | ast.comprehension):
        return names_of(node.target), names_of(node.iter)
    return None


def names_of(node: ast.AST | None) -> set[str]:
    """Names in an expression."""
    if node is None:
        return set()
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def last(call: ast.AST) -> str:
    """The last part of the name of what is called."""
    if isinstance(call, ast.Attribute):
        return call.attr
    return call.id if isinstance(call, ast.Name) else ""


def is_key(node: ast.AST) -> bool:
    """Whether an expression is a key, or several."""
    if isinstance(node, ast.Name):
        return bool(NAMED.fullmatch(node.id))
    if isinstance(node, ast.Attribute):
        return node.attr == "key"
    if isinstance(node, ast.Subscript | ast.Starred):
        return is_key(node.value)
    return (
        isinstance(node, ast.Call)
        and last(node.func) in MAKES
        and (last(node.func) == "fold_in" or "random" in ast.unparse(node.func))
    )


def repeated(tree: ast.AST) -> tuple[set[str], set[ast.AST]]:
    """Names of functions that are repeated, and functions without a name."""
    names, lambdas = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last(node.func) in REPEATS:
            for one in node.args[:3]:
                names |= {one.id} if isinstance(one, ast.Name) else set()
                lambdas |= {one} if isinstance(one, ast.Lambda) else set()
    return names, lambdas


def parameters(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Names of the arguments of a function."""
    given = node.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def repeats(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    """Where a key, or a seed, is the same in all turns: function, line and what is called."""
    names, lambdas = repeated(tree)

    def look(node: ast.AST, inside: list[Turn], where: str) -> Iterator:
        if isinstance(node, ast.For):
            yield from look(node.iter, inside, where)
            turn = Turn(names_of(node.target), [*node.body])
            for one in (*node.body, *node.orelse):
                yield from look(one, [*inside, turn], where)
            return
        if isinstance(node, ast.While):
            turn = Turn(set(), [*node.body])
            for one in node.body:
                yield from look(one, [*inside, turn], where)
            return
        if isinstance(
            node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
        ):
            turns = list(inside)
            for one in node.generators:
                yield from look(one.iter, turns, where)
                turns.append(Turn(names_of(one.target), []))
                for test in one.ifs:
                    yield from look(test, turns, where)
            value = (
                (node.key, node.value)
                if isinstance(node, ast.DictComp)
                else (node.elt,)
            )
            for one in value:
                yield from look(one, turns, where)
            return
        if isinstance(node, ast.FunctionDef):
            again = where and node.name in names
            turns = [*inside, Turn(parameters(node), [*node.body])] if again else inside
            for one in node.body:
                yield from look(one, list(turns) if where else [], where or node.name)
            return
        if isinstance(node, ast.Lambda):
            again = node in lambdas
            turn = Turn(parameters(node), [node.body])
            yield from look(node.body, [*inside, turn] if again else inside, where)
            return
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                yield from look(one, inside, where)
            return
        if isinstance(node, ast.Call):
            name = last(node.func)
            given = [*node.args, *(one.value for one in node.keywords)]
            keys = (
                [one for one in given if is_key(one)]
                if name not in MAKES | READS
                else []
            )
            if name == "default_rng":
                keys = given
            for key in keys:
                if any(not names_of(key) & turn.names for turn in inside):
                    yield where, node.lineno, ast.unparse(node)
        for one in ast.iter_child_nodes(node):
            yield from look(one, inside, where)

    for one in tree.body:
        yield from look(one, [], "")


FILES = [one for folder in FOLDERS for one in sorted((ROOT / folder).rglob("*.py"))]


SAME = """
def run(key, config, count):
    for index in range(count):
        {}
"""


@pytest.mark.parametrize(
    "line",
    [
        "draw(key)",
        "draw(jax.random.fold_in(key, 0))",
        "draw(key=jax.random.fold_in(key, config.seed))",
        "[draw(jax.random.fold_in(key, place)) for place in range(3)]",
        "[draw(jax.random.fold_in(key, index)) for place in range(3)]",
        "np.random.default_rng(config.seed)",
        "here = jax.random.fold_in(key, index); draw(key)",
        "batch_key = jax.random.split(key)[0]; draw(batch_key)",
        "draw(jax.random.fold_in(jax.random.key(config.seed), 3))",
        "jax.lax.scan(lambda now, one: (now, draw(jax.random.fold_in(key, index))), 0, x)",
        "draw(index, *keys)",
    ],
)
def test_a_draw_that_is_repeated_is_found(line):
    ((where, _, _),) = repeats(ast.parse(SAME.format(line)))
    assert where == "run"


@pytest.mark.parametrize(
    "line",
    [
        "draw(jax.random.fold_in(key, index))",
        "drawn = jax.random.fold_in(key, 10 * index); draw(drawn)",
        "here_key = jax.random.fold_in(key, index); draw(here_key)",
        "key, sub_key = jax.random.split(key); draw(sub_key)",
        "np.random.default_rng([config.seed, index])",
        "[draw(one_key) for one_key in jax.random.split(jax.random.fold_in(key, index))]",
        "jax.vmap(lambda key: draw(key))(jax.random.split(jax.random.fold_in(key, index)))",
        "draw(keys[index])",
        "count(config, index)",
    ],
)
def test_a_draw_of_its_own_is_not(line):
    assert not [*repeats(ast.parse(SAME.format(line)))]


def test_no_turn_of_a_loop_draws_what_another_drew():
    found = {}
    for file in FILES:
        name = file.relative_to(ROOT).as_posix()
        text = file.read_text()
        if not DRAWS.search(text):
            continue
        for where, line, what in repeats(ast.parse(text)):
            found.setdefault(f"{name}:{where}", []).append(f"line {line}: {what}")
    wrong = {name: lines for name, lines in found.items() if name not in SHARED}
    assert not wrong, wrong
    assert SHARED.keys() <= found.keys(), "remove what draws apart by now"
