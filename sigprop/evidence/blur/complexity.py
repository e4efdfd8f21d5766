"""What judges operations in time and memory, Tables 1 and 5 of BLUR (2025)."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from sigprop.evidence.blur.arithmetic import numbers
from sigprop.judge.basis import Basis, Evidence
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.precision import double_precision
from theory import bidirectional as two
from theory.papers.blur.printed import TABLE_1, TABLE_5


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
        pairs = [combine(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        odd = scan(pairs)
        even = [combine(a, b) for a, b in zip(odd[:-1], values[2::2], strict=False)]
        found = [values[0]]
        for i, value in enumerate(odd):
            found.append(value)
            if i < len(even):
                found.append(even[i])
        return found[: len(values)]

    values = [float(i) for i in range(inputs)]
    if scan(values) != list(np.cumsum(values)):
        raise AssertionError("need the prefix sums")
    return calls


def scan_work_jax(inputs: int) -> int:
    """Combinations that JAX's scan of ``inputs`` steps makes, counted while traced."""
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
    a, b = _gates(seed, steps)
    with double_precision(True):
        gates, inputs = jnp.asarray(a)[:, None], jnp.asarray(b)[:, None]
        return np.asarray(scan_linear(gates, inputs, method="associative"))[:, 0]


def scan_fold(seed: int, steps: int) -> Float[np.ndarray, " steps"]:
    """``h_k = a_k h_{k-1} + b_k`` by folding pairs ``(a, b)`` from the last one back."""
    pairs = list(zip(*_gates(seed, steps), strict=True))
    found = []
    for k in range(1, steps + 1):
        folded = functools.reduce(
            lambda later, first: (later[0] * first[0], later[0] * first[1] + later[1]),
            reversed(pairs[:k]),
        )
        found.append(folded[1])
    return np.array(found)


def scan_loop(seed: int, steps: int) -> Float[np.ndarray, " steps"]:
    """``h_k = a_k h_{k-1} + b_k`` step by step."""
    found, h = [], 0.0
    for a, b in zip(*_gates(seed, steps), strict=True):
        h = a * h + b
        found.append(h)
    return np.array(found)


def _agreeing() -> int:
    """Methods of one complexity in both tables, O~ taken for a hidden logarithm."""
    return sum(
        TABLE_5[method].replace("~N", "N log N") == order
        for method, order in TABLE_1.items()
    )


EVIDENCE: dict[str, Basis] = {
    "blur:text:complexity": Evidence(
        ({"inputs": 4}, {"inputs": 16}, {"inputs": 128}),
        {"reference": scan_work, "impulse": scan_work_jax},
        proof=two.scan_levels_agree,
    ),
    "blur:text:scan": Evidence(
        tuple({"seed": seed, "steps": 9} for seed in range(3)),
        {"reference": scan_fold, "impulse": scan_tree},
        scan_loop,
    ),
    "blur:table5": Evidence(
        (
            {"inputs": 24.0, "ratio": 0.5, "blocks": 3},
            {"inputs": 7.0, "ratio": 0.9, "blocks": 6},
            {"inputs": 5.0, "ratio": 1.3, "blocks": 4},
        ),
        {
            "reference": lambda inputs, ratio, blocks: sum(
                inputs * ratio**b for b in range(blocks)
            )
        },
    ),
    "blur:table1": numbers(_agreeing, len(TABLE_1)),
}
