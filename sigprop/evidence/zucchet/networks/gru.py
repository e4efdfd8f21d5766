"""Evidence for the GRU, Eq. 26-29 of Zucchet & Orvieto (2024), Appendix A.4."""

import functools
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import sigmoid
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence, Example

SIZE, D_IN = 4, 3
MATRICES = ("W_rx", "W_fx", "W_nx", "W_rh", "W_fh", "W_nh")
BIASES = ("b_r", "b_f", "b_nx", "b_nh")


@functools.cache
def _gru(
    part: str,
) -> tuple[
    dict[str, Float[np.ndarray, "..."]],
    Float[np.ndarray, "2 n"],
    Float[np.ndarray, "2 d_in"],
]:
    """A GRU whose weights make one of its gates visible in the next state.

    It has two states and two inputs: those of its step, and those of the previous step.
    """
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
        weights["b_f"] = np.full(SIZE, -800.0)  # the forget gate is closed
    h, x = generator.normal(size=SIZE), generator.normal(size=D_IN)
    before = generator.normal(size=SIZE), generator.normal(size=D_IN)
    return weights, np.array([h, before[0]]), np.array([x, before[1]])


def gru_layer(part: str) -> Float[np.ndarray, " n"]:
    """A gate or the state after one step, from the layer's next state."""
    import jax.numpy as jnp

    from sigprop.layers import GRU

    weights, h, x = _gru(part)

    def step(weights: Any, h: Any, x: Any) -> Any:
        cell = GRU(**weights, C=jnp.eye(SIZE), D=jnp.zeros((SIZE, D_IN)))
        return cell.step(h, x)[0]

    after = computed(step, weights, h[0], x[0])
    return {
        "r": lambda: np.arctanh(after) / weights["b_nh"],
        "f": lambda: after / h[0],
        "n": lambda: after,
        "h": lambda: after,
    }[part]()


def gru_written(part: str, mutant: str = "") -> Float[np.ndarray, " n"]:
    """A gate or the state after one step by Eq. 26-29, ``x`` and ``r`` at ``t + 1``.

    Args:
        part: Gate or state.
        mutant: One of ``MUTANTS``, if any.
    """
    w, states, inputs = _gru(part)
    h, x = states[int(mutant == H_BEFORE)], inputs[int(mutant == X_BEFORE)]
    squash = np.tanh if mutant == TANH else sigmoid
    at = int(mutant == R_BEFORE)
    r = squash(w["W_rx"] @ inputs[at] + _by(w["W_rh"], mutant) @ states[at] + w["b_r"])
    f = squash(w["W_fx"] @ x + _by(w["W_fh"], mutant) @ h + w["b_f"])
    W_nh, b_nh = _by(w["W_nh"], mutant), w["b_nh"]
    reset = {
        INSIDE: lambda: W_nh @ (r * h) + b_nh,
        BIAS: lambda: r * (W_nh @ h) + b_nh,
    }
    drive = reset.get(mutant, lambda: r * (W_nh @ h + b_nh))()
    n = np.tanh(w["W_nx"] @ x + w["b_nx"] + drive)
    new, old = (f, 1 - f) if mutant == EXCHANGED else (1 - f, f)
    new = np.ones(SIZE) if mutant == UNCOUPLED else new
    return {"r": r, "f": f, "n": n, "h": old * h + new * n}[part]


def _by(W: Float[np.ndarray, "n n"], mutant: str) -> Float[np.ndarray, "n n"]:
    return W.T if mutant == TRANSPOSED else W


X_BEFORE, H_BEFORE = "the input of the step before", "the state of the step before"
R_BEFORE = "the reset gate of the step before"
TANH, TRANSPOSED = "tanh for the sigmoid", "the state's weights transposed"
INSIDE, BIAS = "the reset gate before the weights", "the bias past the reset gate"
EXCHANGED, UNCOUPLED = "the two roles of the gate exchanged", "1 - f left out"
MUTANTS = {
    "r": (R_BEFORE, TANH, TRANSPOSED),
    "f": (X_BEFORE, H_BEFORE, TANH, TRANSPOSED),
    "n": (R_BEFORE, INSIDE, BIAS, TRANSPOSED),
    "h": (EXCHANGED, UNCOUPLED, INSIDE, TANH),
}
PRINTED = {"f": X_BEFORE, "n": R_BEFORE}  # times that Eq. 27 and 28 do not determine
EXAMPLES = {
    "f": Example(
        "f_{t+1} of one neuron with W_fx = 1 and W_fh = b_f = 0",
        {"x_t": 0.0, "x_next": 1.0},
        lambda x_t, x_next: sigmoid(x_t),
        lambda x_t, x_next: sigmoid(x_next),
    ),
    "n": Example(
        "n_{t+1} of one neuron with W_nx x + b_nx = 0 and W_nh h + b_nh = 1",
        {"r_t": 0.2, "r_next": 0.8},
        lambda r_t, r_next: np.tanh(r_t),
        lambda r_t, r_next: np.tanh(r_next),
    ),
}


def _of_part(part: str) -> Evidence:
    mutants = {mutant: partial(gru_written, mutant=mutant) for mutant in MUTANTS[part]}
    printed = mutants.pop(PRINTED.get(part, ""), None)
    return by_code(
        ({"part": part},),
        gru_layer,
        gru_written,
        printed=printed,
        mutants=mutants,
        example=EXAMPLES.get(part),
    )


EVIDENCE: dict[str, Basis] = {
    f"zucchet:{number}": _of_part(part)
    for number, part in ((26, "r"), (27, "f"), (28, "n"), (29, "h"))
}
