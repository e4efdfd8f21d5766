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
    # From 0.11 on, a loop without these emitters copies all it has written at each step.
    QUICK += ("--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters",)
    # Small sums and products, of many programs of a verdict, take longer by this library
    # than by XLA's own loops.
    QUICK += ("--xla_cpu_experimental_ynn_fusion_type=",)


def compile_quickly() -> None:
    """Make JAX compile programs up to four times faster, with less optimisation.

    Call this function before the first computation: JAX reads these settings only once.
    They also affect processes that are started later.  Results agree up to rounding.  The
    large simulations of this package set separate compiler options and are not affected.
    The function adds flags to the environment variable ``XLA_FLAGS``; flags that are there
    remain.

    Example:
        >>> compile_quickly()
    """
    before = os.environ.get("XLA_FLAGS", "").split()
    missing = [flag for flag in QUICK if flag not in before]
    os.environ["XLA_FLAGS"] = " ".join(missing + before)
