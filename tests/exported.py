"""Programs that a command compiles, each exported for CUDA at the size of its first call.

``environment`` lets every Python process below a command watch ``jax.jit``.  JAX exports
for a platform that is not there: it lowers a program by the rules for that platform, and
says which operation has none.
"""

import functools
import json
import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
VARIABLE = "EXPORTED_PROGRAMS"
TRITON = "__gpu$xla.gpu.triton"
SITE = "from tests.exported import watch; watch()\n"


def environment(folder: Path) -> dict[str, str]:
    """Variables for a command whose programs are written to files of a folder."""
    (folder / "sitecustomize.py").write_text(SITE)
    return {
        **os.environ,
        VARIABLE: str(folder),
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "OPENBLAS_NUM_THREADS": "1",
    }


def programs(folder: Path) -> dict[str, str]:
    """Why each program cannot be exported, by name; empty where it can."""
    answers: dict[str, str] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            name, reason = json.loads(line)
            answers[name] = answers.get(name) or reason
    return answers


def watch() -> None:
    """Export whatever ``jax.jit`` makes from here on, when it is first called."""
    import jax

    file = Path(os.environ[VARIABLE]) / f"{os.getpid()}.jsonl"
    seen: set[str] = set()
    original = jax.jit

    def jit(function=None, /, **options):
        if function is None:
            return functools.partial(jit, **options)
        program = original(function, **options)

        @functools.wraps(function)
        def watched(*arguments, **keywords):
            name = _name(function)
            leaves = jax.tree.leaves((arguments, keywords))
            traced = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
            if name not in seen and not traced:
                seen.add(name)
                reason = _reason(program, arguments, keywords)
                with file.open("a") as lines:
                    lines.write(json.dumps([name, reason]) + "\n")
            return program(*arguments, **keywords)

        for attribute in ("lower", "trace", "eval_shape", "clear_cache"):
            setattr(watched, attribute, getattr(program, attribute))
        return watched

    jax.jit = jit


def _name(function) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    module = getattr(function, "__module__", type(function).__module__)
    return f"{module}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def _reason(program, arguments, keywords) -> str:
    from jax import export

    checks = [export.DisabledSafetyCheck.custom_call(TRITON)]
    try:
        made = export.export(program, platforms=["cuda"], disabled_checks=checks)
        made(*arguments, **keywords)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""
