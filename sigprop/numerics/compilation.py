"""Optimisation effort of the XLA compiler: low for programs that run once."""

import os
from importlib.metadata import version

ONCE: dict[str, int] = {"xla_backend_optimization_level": 0}
SOME: dict[str, int] = {"xla_backend_optimization_level": 1}
OFTEN: dict[str, int] = {"xla_backend_optimization_level": 3}
"""Options of ``jax.jit``: for what runs once, dozens of times, or for minutes."""
QUICK = (
    "--xla_backend_optimization_level=0",
    # By default XLA cuts a program into pieces for its threads: more work, on fewer cores
    # than pieces, than to compile it whole.
    "--xla_cpu_parallel_codegen_split_count=1",
)
if version("jaxlib").startswith("0.10."):
    # From 0.11 on, a loop without these emitters copies its output at each step.
    QUICK += ("--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters",)
    # Small sums and products, of many programs of a verdict, take longer by this library
    # than by XLA's own loops.
    QUICK += ("--xla_cpu_experimental_ynn_fusion_type=",)


def compile_quickly() -> None:
    """Make JAX compile up to four times faster, into less optimised programs.

    The function adds flags to the environment variable ``XLA_FLAGS``.  Flags that are
    already there remain.  Call the function before the first computation, because JAX
    reads this variable only once.  Processes that are started later inherit the flags.
    Results change only by rounding errors.  The large simulations of sigprop set their
    own compiler options and are not affected.

    Example:
        >>> compile_quickly()
    """
    before = os.environ.get("XLA_FLAGS", "").split()
    missing = [flag for flag in QUICK if flag not in before]
    os.environ["XLA_FLAGS"] = " ".join(missing + before)
