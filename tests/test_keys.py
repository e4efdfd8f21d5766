"""Whatever is drawn batch by batch has a key of its own in each, everywhere in the code."""

import textwrap
from pathlib import Path

import pytest

from tests.keys import fixed

ROOT = Path(__file__).parents[1]
ROOMS = ("theory", "sigprop", "experiments", "figures")

# Calls that are repeated with one key because they should be: by file, and why.
ALIKE = {
    ("sigprop/cli/models.py", "filter_eval_shape(jax.random.key(0))"): "draws nothing",
    ("sigprop/evidence/kit.py", "zip(keys)"): "names of values",
    (
        "sigprop/neuron/delta_moments.py",
        "_trace(keys)",
    ): "keys of an associative memory",
    (
        "sigprop/evidence/sigprop/moments.py",
        "_measured(keys)",
    ): "one input at three sizes",
    (
        "sigprop/evidence/sigprop/sampled_loss.py",
        "series(key)",
    ): "processes, not summed up",
    (
        "sigprop/evidence/sigprop/sampled_loss.py",
        "np.random.default_rng(5)",
    ): "one set of directions for every input",
    ("sigprop/neuron/delta_moments.py", "reshape(keys)"): "keys of a memory",
    (
        "sigprop/evidence/sigprop/delta_rules.py",
        "written(self.keys)",
    ): "keys of a memory",
    ("sigprop/evidence/sigprop/delta_steps.py", "zip(keys)"): "keys of a memory",
    ("sigprop/evidence/sigprop/delta_steps.py", "householder(key)"): "keys of a memory",
    ("sigprop/networks/foreign/mapping.py", "require_keys(keys)"): "names of settings",
    ("sigprop/linear/measured_moments.py", "_draw(keys)"): "folds its index in",
    ("sigprop/neuron/gpu_kernel.py", "normal(key)"): "counts places of one stream",
    ("sigprop/neuron/normals.py", "len(keys)"): "draws nothing",
    ("sigprop/neuron/normals.py", "write(keys[chunk])"): "counts on within a chunk",
    ("sigprop/neuron/normals.py", "threefry(key[0])"): "counts places of one stream",
    ("sigprop/neuron/normals.py", "threefry(key[1])"): "counts places of one stream",
    (
        "experiments/network_landscapes.py",
        "student(student_key)",
    ): "both starts have the same draws",
    (
        "experiments/network_landscapes.py",
        "descend(training_key)",
    ): "the exact loss draws nothing",
    (
        "experiments/network_landscapes.py",
        "examine(plane_key)",
    ): "the same random plane for both starts",
    (
        "experiments/network_landscapes.py",
        "network_planes(keys)",
    ): "every network has the same teacher",
    ("experiments/speed_hessians.py", "zucchet_lru(key)"): "is timed, not averaged",
    ("experiments/speed_losses.py", "linear_teacher(teacher_key)"): "is timed",
    ("experiments/speed_losses.py", "draw(key)"): "is timed",
    ("experiments/speed_losses.py", "start(key)"): "is timed",
    ("experiments/speed_moments.py", "partial(key)"): "is timed",
}


def test_no_key_is_used_for_two_batches():
    uses = {
        (file.relative_to(ROOT).as_posix(), call)
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
        for _, call in fixed(file.read_text("utf-8"))
    }
    assert uses == {*ALIKE}


REPEATED = {
    "a task of batches": """
        def task(index, count):
            return draw({key}, count)
        over_batches(task, 10, 2)
        """,
    "a task that names its part": """
        def task(index, count):
            part = {key}
            return draw(part, count)
        by_reading(task, 10, 2)
        """,
    "a loop": """
        for index in range(9):
            drawn = {key}
            u = jax.random.normal(drawn, (2,))
        """,
    "a comprehension": "[normal({key}, (2,)) for index in range(9)]",
    "a mapping": "{{index: normal({key}, (2,)) for index in range(9)}}",
}
SAME = ("key", "jax.random.fold_in(key, 0)", "jax.random.split(key)[0]",
        "group_key(seed, 'rings')", "run.key", "first_key")  # fmt: skip
OWN = ("jax.random.fold_in(key, index)", "jax.random.split(key, 9)[index]", "keys[index]",
       "group_key(seed, f'ring {index}')")  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_one_key_for_all_is_noticed_in_every_kind_of_repetition(name):
    source = textwrap.dedent(REPEATED[name])
    for key in SAME:
        assert len(fixed(source.format(key=key))) == 1, key
    for key in OWN:
        assert fixed(source.format(key=key)) == [], key


def test_a_seed_of_numpy_counts_as_a_key():
    loop = "for index in range(9):\n    np.random.default_rng({}).normal()"
    assert len(fixed(loop.format("seed"))) == 1
    assert fixed(loop.format("[seed, index]")) == []


def test_a_key_that_was_made_before_its_use_counts_as_what_it_was_made_of():
    for index, lines in ((0, 1), ("index", 0)):
        source = f"""
            for index in range(9):
                mixed = jax.random.fold_in(key, {index})
                first, second = jax.random.split(mixed)
                normal(first, (2,)), name.split(second)
            """
        assert len(fixed(textwrap.dedent(source))) == lines


def test_a_key_of_the_loop_and_a_key_outside_of_one_are_free():
    assert fixed("for key in jax.random.split(first, 3):\n    normal(key, ())") == []
    assert fixed("normal(key, ())\nnormal(key, ())") == []
