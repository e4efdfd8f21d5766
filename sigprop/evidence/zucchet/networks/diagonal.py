"""Evidence for complex RNN, LRU and S4, Eq. 16-25 of Zucchet & Orvieto (2024)."""

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.kit import points, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.curse.responses import one_neuron
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.networks.models import (
    arrays,
    delayed,
    kernel_outputs,
    layer_outputs,
    outputs_of,
    start_of,
    states_of,
    written,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers import LRU, S4
from sigprop.layers.complex_diagonal import ComplexDiagonal


def _diagonalised(
    d_in: int,
) -> tuple[
    Inexact[np.ndarray, " n"],
    Complex[np.ndarray, "n d_in"],
    Inexact[np.ndarray, "outputs n"],
    Float[np.ndarray, "outputs d_in"],
]:
    A, B, C, D = written("dense", d_in)
    lam, P = np.linalg.eig(A)
    return lam, np.linalg.solve(P, B.astype(complex)), C @ P, D


def diagonalised_layer(d_in: int) -> Float[np.ndarray, "time outputs"]:
    """Outputs of the complex diagonal layer with the dense one's eigenvalues."""
    lam, B, C, D = _diagonalised(d_in)
    parts = [part(M) for M in (B, C) for part in (np.real, np.imag)]
    parts += [D, np.real(lam), np.imag(lam)]
    return computed(
        lambda x, *parts: ComplexDiagonal(*parts, coordinates="cartesian")(x),
        arrays(d_in)["x"],
        *parts,
    )


def diagonalised_print(
    d_in: int,
    late: int = 1,
    through: bool = False,
    turn: Callable[[Any], Any] = np.asarray,
) -> Float[np.ndarray, "time outputs"]:
    """Eq. 16-18 with the eigenvalues of Eq. 13.

    Args:
        d_in: Entries of an input.
        late: Delay of the inputs in steps.
        through: True for a mutant in which eigenvalues multiply the new input too.
        turn: Function of the eigenvalues; not the identity for a mutant.
    """
    lam, B, C, D = _diagonalised(d_in)
    lam, x = turn(lam), arrays(d_in)["x"]
    B = lam[:, None] * B if through else B
    return np.real(recur(lam, delayed(x, late) @ B.T) @ C.T) + x @ D.T


@functools.cache
def _one_neuron(model: str, *values: float) -> tuple[complex, complex]:
    """``lam`` and ``gamma`` of a layer of one neuron, from its two first responses."""
    first, second = computed(_responses, np.array(values)[:, None], model=model)
    return second / first, first


def _responses(parameters: Any, model: str) -> Any:
    weights = one_neuron()
    cell: Any = {
        "complex": lambda: ComplexDiagonal(
            *weights, *parameters, coordinates="cartesian"
        ),
        "lru": lambda: LRU(*weights, *parameters, gamma="learned"),
        "s4": lambda: S4(*weights, *parameters),
    }[model]()
    return cell.states(jnp.asarray([[1.0], [0.0]]))[:, 0]


def eigenvalue(model: str, **parameters: float) -> complex:
    """The ratio of a layer's first two responses; its parameters in their order."""
    return _one_neuron(model, *parameters.values())[0]


def gain(model: str, **parameters: float) -> complex:
    """A layer's first response to a unit input; its parameters in their order."""
    return _one_neuron(model, *parameters.values())[1]


def complex_gain_by_step(re: float, im: float) -> complex:
    """Change of the complex RNN's next state per unit of input, off the zero state."""
    return complex(computed(_moved, np.array([[re], [im]])))


def _moved(parameters: Any) -> Any:
    cell = ComplexDiagonal(*one_neuron(), *parameters, coordinates="cartesian")
    h = cell.initial_state() + 0.3
    low, high = (cell.step(h, jnp.asarray([x]))[0] for x in (0.5, 1.5))
    return (high - low)[0]


PLACES = points("re im", (0.4, 0.2), (-0.9, 0.3), (0.1, -0.7))
LRUS = points(
    "omega_nu omega_theta omega_gamma",
    (-0.5, 0.3, 0.2),
    (0.4, -1.0, -0.6),
    (-2.0, 0.9, 0.5),
)
S4S = points("omega_delta re im", (0.3, -0.2, 0.5), (-1.0, -0.8, 1.5), (2.0, 0.1, -0.4))
COMPLEX_GAINS = {
    "impulse": functools.partial(gain, "complex"),
    "reference": complex_gain_by_step,
}

EVIDENCE: dict[str, Basis] = {
    "zucchet:17": Evidence(
        points("d_in", 1, 3),
        {
            "impulse": functools.partial(layer_outputs, "dense"),
            "reference": functools.partial(kernel_outputs, "dense"),
        },
        form=diagonalised_layer,
        mutants={
            "an input one step late": diagonalised_print,
            "an input one step early through the recurrence": functools.partial(
                diagonalised_print, late=0, through=True
            ),
            "conjugate eigenvalues": functools.partial(
                diagonalised_print, late=0, turn=np.conj
            ),
            "the moduli of the eigenvalues": functools.partial(
                diagonalised_print, late=0, turn=np.abs
            ),
        },
    ),
    "zucchet:16": start_of("lru"),
    "zucchet:18": outputs_of("lru"),
    "zucchet:19": by_code(PLACES, functools.partial(eigenvalue, "complex")),
    "zucchet:20": Evidence(PLACES, COMPLEX_GAINS),
    "zucchet:21": by_code(LRUS, functools.partial(eigenvalue, "lru")),
    "zucchet:22": by_code(LRUS, functools.partial(gain, "lru")),
    "zucchet:23": by_code(S4S, functools.partial(gain, "s4")),
    "zucchet:24": states_of("s4"),
    "zucchet:25": outputs_of("s4"),
}
