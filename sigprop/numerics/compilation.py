"""How hard XLA works on a program: little for one that runs once, all for a simulation.

Options of ``jax.jit``, and the flags that make the first choice a process's default.
"""

ONCE: dict[str, int | bool] = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
}
OFTEN: dict[str, int | bool] = {
    "xla_backend_optimization_level": 3,
    "xla_cpu_use_fusion_emitters": True,
}


def flags(options: dict[str, int | bool], before: str = "") -> str:
    """``XLA_FLAGS`` that make options the default, after those of a user."""
    own = (f"--{name}={str(value).lower()}" for name, value in options.items())
    return " ".join((*before.split(), *own))
