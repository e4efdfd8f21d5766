"""Guards on the guards: shapes, precision, and what importing the package costs."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import jax.numpy as jnp
import jaxtyping
import mpmath
import numpy as np
import pytest

from sigprop.neuron.montecarlo import over_batches
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision, require_dtype

ROOT = Path(__file__).parents[1]

LIGHT = {
    "import sigprop": "import sigprop",
    "import sigprop.theory.claims": "from sigprop.theory.claims import registry; registry()",
    "sigprop --help": "command('--help')",
    "sigprop verify --help": "command('verify', '--help')",
    "sigprop claims": "command('claims')",
    "sigprop show, of moments on a grid": "command('show', 'zucchet:59')",
    "sigprop show, of evidence with a derivation": "command('show', 'zucchet:94')",
    "sigprop show, of evidence of numbers": "command('show', 'blur:text:smnist-columns')",
    "sigprop show, of a check": "command('show', 'lru:thm3.1')",
    "sigprop show, of a definition": "command('show', 'zucchet:75')",
    "sigprop show, of what nothing judges": "command('show', 'zucchet:123')",
}
SLOW = {"jax", "scipy.signal", "scipy.stats", "seaborn"}  # half a second and more each
HEAVY = [  # those of a row in one interpreter, in which nothing of the later is loaded
    {
        "import sigprop.neuron.recurrence": "jax",
        "import scipy; scipy.signal.lfilter": "scipy.signal",
    },
    {"import sigprop; sigprop.AR1": "jax"},
    {"import seaborn": "seaborn"},
]


def fresh_python(code: str, **environment: str) -> str:
    """Run code in a new interpreter, where nothing is imported yet."""
    prelude = """
        import sys

        def command(*arguments):
            from typer.testing import CliRunner
            from sigprop.cli.main import app

            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, result.output
            assert result.output.strip()
    """
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(prelude) + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
        | environment,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


@pytest.mark.parametrize("shape", [(3, 2), (4,), ()], ids=str)
def test_a_wrong_shape_raises(shape):
    with pytest.raises(jaxtyping.TypeCheckError):
        linear_recurrence(jnp.ones(3), jnp.ones(shape))


@pytest.mark.parametrize("shape", [(4, 3), (4, 1), (0, 3)], ids=str)
def test_a_right_shape_does_not_raise(shape):
    assert linear_recurrence(jnp.ones(3), jnp.ones(shape)).shape == (shape[0], 3)


def test_a_wrong_element_type_raises():
    with pytest.raises(jaxtyping.TypeCheckError):
        linear_recurrence(jnp.ones(3, int), jnp.ones((4, 3)))


def test_ranks_are_not_promoted_silently():
    with pytest.raises(ValueError, match="rank_promotion"):
        jnp.ones(3) + jnp.ones((2, 3))


def test_single_precision_is_the_default():
    assert jnp.asarray(0.1).dtype == jnp.float32
    with pytest.raises(ValueError, match="need x64 for complex128, but it is off"):
        require_dtype(jnp.complex128)


@pytest.mark.usefixtures("x64")
def test_the_fixture_switches_double_precision_on():
    assert jnp.asarray(0.1).dtype == jnp.float64
    require_dtype(jnp.complex128)


@pytest.mark.parametrize("order", [0, 1])
def test_mpmath_starts_every_test_at_its_own_precision(order):
    assert mpmath.mp.prec == 53
    mpmath.mp.dps = 70 + order


def slow(*codes: str) -> list[set[str]]:
    """What running each code, one after the other, is the first to import of the slow."""
    lines = ["loaded = set()"]
    for code in codes:
        lines += [
            f"exec({code!r})",
            f"new = {SLOW} & sys.modules.keys() - loaded",
            "loaded |= new",
            "print('loaded:', *new)",
        ]
    output = [line.split() for line in fresh_python("\n".join(lines)).splitlines()]
    return [set(parts[1:]) for parts in output if parts[:1] == ["loaded:"]]


@pytest.fixture(scope="module")
def light():
    """What every front door imports of the slow, in one interpreter."""
    return dict(zip(LIGHT, slow(*LIGHT.values()), strict=True))


@pytest.mark.parametrize("door", LIGHT)
def test_front_door_imports_neither_jax_nor_the_slow_parts_of_scipy(light, door):
    assert light[door] == set()


@pytest.mark.parametrize("modules", HEAVY, ids=["modules", "a name", "seaborn"])
def test_what_does_import_them_is_noticed(modules):
    for module, loaded in zip(modules.values(), slow(*modules), strict=True):
        assert module in loaded


@pytest.mark.parametrize("wide", [False, True])
def test_worker_threads_keep_the_callers_precision(wide):
    with double_precision(wide):
        results = over_batches(
            lambda index, count: (jnp.asarray(0.1).dtype, threading.get_ident()),
            5,
            2,
            lambda count: None,
        )
    assert {dtype for dtype, _ in results} == {
        np.dtype(np.float64 if wide else np.float32)
    }
    # The first batch compiles, in the caller's thread; the others have theirs.
    assert threading.get_ident() not in {thread for _, thread in results[1:]}


def test_precision_is_lost_in_a_bare_thread_so_the_check_above_can_fail():
    dtypes = []
    with double_precision(True):
        thread = threading.Thread(target=lambda: dtypes.append(jnp.asarray(0.1).dtype))
        thread.start()
        thread.join()
    assert dtypes == [jnp.float32]


def test_worker_threads_keep_the_callers_device():
    devices = fresh_python(
        """
        import jax, jax.numpy as jnp
        from sigprop.neuron.montecarlo import over_batches

        with jax.default_device(jax.devices()[1]):
            found = over_batches(
                lambda i, n: jnp.zeros(1).devices().pop().id, 3, 1, lambda n: None
            )
        print(found)
        """,
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
    )
    assert devices == "[1, 1, 1]"


def test_no_library_module_flips_the_global_precision_switch():
    states = fresh_python(
        """
        import jax
        import sigprop.judge.run, sigprop.evidence.lru.ring, sigprop.audit.series
        import sigprop.cli.main
        print(jax.config.jax_enable_x64)
        """
    )
    assert states == "False"


def test_command_line_holds_blas_to_one_thread_unless_told_otherwise():
    code = "import os, sigprop.cli.main; print(os.environ['OPENBLAS_NUM_THREADS'])"
    assert (
        fresh_python("import os; os.environ.pop('OPENBLAS_NUM_THREADS')\n" + code)
        == "1"
    )
    assert fresh_python(code, OPENBLAS_NUM_THREADS="2") == "2"
