"""What judges the GRU, Eq. 26-29 of Zucchet & Orvieto (2024), Appendix A.4."""

import functools
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import sigmoid
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis

SIZE, D_IN = 4, 3
MATRICES = ("W_rx", "W_fx", "W_nx", "W_rh", "W_fh", "W_nh")
BIASES = ("b_r", "b_f", "b_nx", "b_nh")


@functools.cache
def _gru(
    part: str,
) -> tuple[
    dict[str, Float[np.ndarray, "..."]],
    Float[np.ndarray, " n"],
    Float[np.ndarray, " d_in"],
]:
    """A GRU with weights that let one of its gates show, a state and an input."""
    generator = np.random.default_rng(11)
    shapes = {name: (SIZE, D_IN if name.endswith("x") else SIZE) for name in MATRICES}
    shapes |= dict.fromkeys(BIASES, (SIZE,))
    weights = {name: generator.normal(size=shape) for name, shape in shapes.items()}
    silent = {
        "r": ("W_nx", "W_nh", "b_nx", "W_fx", "W_fh"),
        "f": ("W_nx", "W_nh", "b_nx", "b_nh"),
        "n": ("W_fx", "W_fh"),
        "h": (),
    }[part]
    weights |= {name: 0 * weights[name] for name in silent}
    if part in ("r", "n"):
        weights["b_f"] = np.full(SIZE, -800.0)  # the forget gate is shut
    return weights, generator.normal(size=SIZE), generator.normal(size=D_IN)


def gru_layer(part: str) -> Float[np.ndarray, " n"]:
    """A gate or the state after one step, read off the layer's next state."""
    import jax.numpy as jnp

    from sigprop.layers import gru

    weights, h, x = _gru(part)

    def step(weights: Any, h: Any, x: Any) -> Any:
        cell = gru.GRU(**weights, C=jnp.eye(SIZE), D=jnp.zeros((SIZE, D_IN)))
        return cell.step(h, x)[0]

    after = computed(step, weights, h, x)
    return {
        "r": lambda: np.arctanh(after) / weights["b_nh"],
        "f": lambda: after / h,
        "n": lambda: after,
        "h": lambda: after,
    }[part]()


def gru_written(part: str) -> Float[np.ndarray, " n"]:
    """A gate or the state after one step by Eq. 26-29, ``x`` and ``r`` at ``t + 1``."""
    w, h, x = _gru(part)
    r = sigmoid(w["W_rx"] @ x + w["W_rh"] @ h + w["b_r"])
    f = sigmoid(w["W_fx"] @ x + w["W_fh"] @ h + w["b_f"])
    n = np.tanh(w["W_nx"] @ x + w["b_nx"] + r * (w["W_nh"] @ h + w["b_nh"]))
    return {"r": r, "f": f, "n": n, "h": f * h + (1 - f) * n}[part]


EVIDENCE: dict[str, Basis] = {
    f"zucchet:{number}": by_code(({"part": part},), gru_layer, gru_written)
    for number, part in ((26, "r"), (27, "f"), (28, "n"), (29, "h"))
}
