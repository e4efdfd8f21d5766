"""The networks of Appendix A of Zucchet & Orvieto, by layers and by printed equations.

``written_*`` evaluates the printed equations in NumPy, one input after the other.
``layer_*`` runs the package's layer.  ``kernel_*`` sums impulse responses from powers
of the recurrence.

Source: Zucchet & Orvieto (2024), Eq. 10, 12-14 and 16-25.
"""

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Inexact

from sigprop.evidence.kit import across, powered, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Evidence

SIZE, OUTPUTS, STEPS = 4, 2, 7


@functools.cache
def arrays(d_in: int) -> dict[str, Float[np.ndarray, "..."]]:
    """Weights of every model, and inputs."""
    generator = np.random.default_rng(d_in)

    def draw(*shape: int) -> Float[np.ndarray, "..."]:
        return generator.normal(size=shape)

    return {
        "A": 0.4 * draw(SIZE, SIZE),
        "B": draw(SIZE, d_in),
        "C": draw(OUTPUTS, SIZE),
        "D": draw(OUTPUTS, d_in),
        "x": draw(STEPS, d_in),
        "B_im": draw(SIZE, d_in),
        "C_im": draw(OUTPUTS, SIZE),
        "first": draw(SIZE),
        "second": draw(SIZE),
        "third": draw(SIZE),
    }


def _layer(model: str, values: Any) -> Any:
    import jax.numpy as jnp

    from sigprop.layers import LRU, S4, LinearRNN

    weights = values["B"], values["B_im"], values["C"], values["C_im"], values["D"]
    first, second, third = values["first"], values["second"], values["third"]
    if model == "dense":
        return LinearRNN(values["A"][None], values["B"], values["C"], values["D"])
    if model == "lru":
        return LRU(*weights, first, second, third, "learned")
    return S4(*weights, third, -jnp.exp(first), second)


@functools.cache
def _run(
    model: str, d_in: int
) -> tuple[Inexact[np.ndarray, "time n"], Float[np.ndarray, "time outputs"]]:
    def run(values: Any) -> Any:
        layer, x = _layer(model, values), values["x"]
        return layer.states(x), layer(x)

    return computed(run, arrays(d_in))


def layer_states(model: str, d_in: int) -> Inexact[np.ndarray, "time n"]:
    """States by the layer."""
    return _run(model, d_in)[0]


def layer_outputs(model: str, d_in: int) -> Float[np.ndarray, "time outputs"]:
    """Outputs by the layer."""
    return _run(model, d_in)[1]


def layer_start(model: str) -> Inexact[np.ndarray, " n"]:
    """The state in which the layer starts."""
    return computed(lambda values: _layer(model, values).initial_state(), arrays(1))


def written(
    model: str, d_in: int
) -> tuple[
    Inexact[np.ndarray, "n n"],
    Inexact[np.ndarray, "n d_in"],
    Inexact[np.ndarray, "outputs n"],
    Float[np.ndarray, "outputs d_in"],
]:
    """Recurrence, input, readout and skip matrices as the equations write them."""
    values = arrays(d_in)
    if model == "dense":
        return values["A"], values["B"], values["C"], values["D"]
    first, second, third = values["first"], values["second"], values["third"]
    B, C = values["B"] + 1j * values["B_im"], values["C"] + 1j * values["C_im"]
    if model == "lru":
        lam = np.exp(-np.exp(first)) * np.exp(1j * np.exp(second))
        gamma = np.exp(third)
    else:
        gamma = np.log(1 + np.exp(third))
        lam = np.exp((-np.exp(first) + 1j * second) * gamma)
    return np.diag(lam), gamma[:, None] * B, C, values["D"]


def written_states(
    model: str, d_in: int, late: int = 0, through: bool = False, turned: bool = False
) -> Inexact[np.ndarray, "time n"]:
    """``h_0 = 0`` and ``h_{t+1} = A h_t + B x_{t+1}``, one step after the other.

    Args:
        model: Which network.
        d_in: Numbers an input has.
        late: How many steps late the inputs come; the equations say none.
        through: Whether ``A`` takes the new input too.
        turned: Whether the conjugate transpose stands for ``A``.
    """
    A, B, _, _ = written(model, d_in)
    A = A.conj().T if turned else A
    return recur(A, delayed(arrays(d_in)["x"], late) @ (A @ B if through else B).T)


def delayed(
    series: Inexact[np.ndarray, "time ..."], late: int
) -> Inexact[np.ndarray, "time ..."]:
    """A series some steps late, zero before it begins."""
    return np.concatenate([np.zeros_like(series[:late]), series])[: len(series)]


def written_outputs(
    model: str,
    d_in: int,
    late: int = 0,
    skip_late: int = 0,
    part: Callable[[Any], Any] = np.real,
) -> Float[np.ndarray, "time outputs"]:
    """``y_t = Re[C h_t + D x_t]``.

    Args:
        model: Which network.
        d_in: Numbers an input has.
        late: How many steps late the state is read; the equations say none.
        skip_late: How many steps late the input passes by the state.
        part: What is read of ``C h_t``.
    """
    _, _, C, D = written(model, d_in)
    read = part(delayed(written_states(model, d_in), late) @ C.T)
    return read + delayed(arrays(d_in)["x"], skip_late) @ D.T


def kernel_states(model: str, d_in: int) -> Inexact[np.ndarray, "time n"]:
    """``h_t = sum_k A^k B x_{t-k}`` over the ages of the inputs, by matrix powers."""
    A, B, _, _ = written(model, d_in)
    return powered(A, arrays(d_in)["x"] @ B.T)


def kernel_outputs(model: str, d_in: int) -> Float[np.ndarray, "time outputs"]:
    """Outputs as sums over the ages of the inputs."""
    _, _, C, D = written(model, d_in)
    return np.real(kernel_states(model, d_in) @ C.T + arrays(d_in)["x"] @ D.T)


def start_of(model: str) -> Evidence:
    """The state in which a layer starts against ``h_0 = 0``."""

    def fed(model: str, rest: bool = False) -> Inexact[np.ndarray, " n"]:
        A, B, _, _ = written(model, 1)
        first = B @ arrays(1)["x"][0]
        return np.linalg.solve(np.eye(SIZE) - A, first) if rest else first

    return by_code(
        ({"model": model},),
        layer_start,
        lambda model: np.zeros(SIZE),
        mutants={
            "ones": lambda model: np.ones(SIZE),
            "after the first input": fed,
            "at rest under the first input": partial(fed, rest=True),
        },
    )


def states_of(model: str) -> Evidence:
    """A layer's states against its equations, one input wide and three."""
    return Evidence(
        across(model=(model,), d_in=(1, 3)),
        {"impulse": layer_states, "reference": kernel_states},
        form=written_states,
        mutants={
            "the input of the step before": partial(written_states, late=1),
            "the input through the recurrence": partial(written_states, through=True),
            "the conjugate transpose": partial(written_states, turned=True),
        },
    )


def outputs_of(model: str) -> Evidence:
    """A layer's outputs against its equations, one input wide and three."""
    return Evidence(
        across(model=(model,), d_in=(1, 3)),
        {"impulse": layer_outputs, "reference": kernel_outputs},
        form=written_outputs,
        mutants={
            "the state of the step before": partial(written_outputs, late=1),
            "the input of the step before": partial(written_outputs, skip_late=1),
            "the modulus": partial(written_outputs, part=np.abs),
        },
    )
