"""Evidence for operations in time and memory, Table 1 of BLUR (2025)."""

from collections.abc import Callable
from functools import partial, reduce

import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, points
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from sigprop.theory import bidirectional as two
from sigprop.theory.papers.blur.printed import TABLE_1, TABLE_5


def scan_work(inputs: int) -> int:
    """Combinations that a recursive scan of ``inputs`` steps makes, counted.

    Raises:
        AssertionError: If the scan does not give the prefix sums.
    """
    calls = 0

    def combine(left: float, right: float) -> float:
        nonlocal calls
        calls += 1
        return left + right

    def scan(values: list[float]) -> list[float]:
        if len(values) < 2:
            return values
        sums = list(values)
        pairs = zip(values[::2], values[1::2], strict=False)
        sums[1::2] = scan([combine(*pair) for pair in pairs])
        rest = zip(sums[1::2], values[2::2], strict=False)
        sums[2::2] = [combine(*pair) for pair in rest]
        return sums

    values = [float(i) for i in range(inputs)]
    if scan(values) != list(np.cumsum(values)):
        raise AssertionError("need the prefix sums")
    return calls


def scan_work_jax(inputs: int) -> int:
    """Combinations that JAX's scan of ``inputs`` steps makes, counted while traced."""
    import jax

    sizes: list[int] = []

    def combine(left, right):
        sizes.append(left.shape[0])
        return left + right

    steps = jax.ShapeDtypeStruct((inputs,), np.float32)
    jax.eval_shape(lambda x: jax.lax.associative_scan(combine, x), steps)
    return sum(sizes)


def _gates(
    seed: int, steps: int
) -> tuple[Float[np.ndarray, " steps"], Float[np.ndarray, " steps"]]:
    gates, entries = np.random.default_rng(seed).normal(size=(2, steps))
    return 0.7 * gates, entries


def scan_tree(seed: int, steps: int) -> Float[np.ndarray, " steps"]:
    """``h_k = a_k h_{k-1} + b_k`` by the engine's tree."""
    import jax.numpy as jnp

    from sigprop.neuron.scan import scan_linear

    a, b = _gates(seed, steps)
    with double_precision(True):
        gates, inputs = jnp.asarray(a)[:, None], jnp.asarray(b)[:, None]
        return np.asarray(scan_linear(gates, inputs, method="associative"))[:, 0]


def scan_fold(seed: int, steps: int) -> Float[np.ndarray, " steps"]:
    """``h_k = a_k h_{k-1} + b_k`` by folding pairs ``(a, b)`` from the last one back."""
    pairs = list(zip(*_gates(seed, steps), strict=True))
    states = []
    for k in range(1, steps + 1):
        folded = reduce(
            lambda later, first: (later[0] * first[0], later[0] * first[1] + later[1]),
            reversed(pairs[:k]),
        )
        states.append(folded[1])
    return np.array(states)


def scan_loop(
    seed: int,
    steps: int,
    step: Callable[[float, float, float], float] = lambda a, h, b: a * h + b,
    late: int = 0,
) -> Float[np.ndarray, " steps"]:
    """``h_k = a_k h_{k-1} + b_k`` step by step, the gates ``late`` steps late."""
    gates, inputs = _gates(seed, steps)
    states, h = [], 0.0
    for a, b in zip(np.roll(gates, late), inputs, strict=True):
        h = step(a, h, b)
        states.append(h)
    return np.array(states)


def _agreeing() -> int:
    """Methods of one complexity in both tables, O~ taken for a hidden logarithm."""
    return sum(
        TABLE_5[method].replace("~N", "N log N") == order
        for method, order in TABLE_1.items()
    )


EVIDENCE: dict[str, Basis] = {
    "blur:text:complexity": Evidence(
        points("inputs", 4, 16, 128),
        {"reference": scan_work, "impulse": scan_work_jax},
        proof=two.scan_levels_agree,
    ),
    "blur:text:scan": Evidence(
        also(points("seed", 0, 1, 2), steps=9),
        {"reference": scan_fold, "impulse": scan_tree},
        scan_loop,
        mutants={
            "the input gated too": partial(scan_loop, step=lambda a, h, b: a * (h + b)),
            "the gate on the input": partial(scan_loop, step=lambda a, h, b: h + a * b),
            "the gate of the step before": partial(scan_loop, late=1),
        },
    ),
    "blur:table1": numbers(_agreeing, len(TABLE_1)),
}
