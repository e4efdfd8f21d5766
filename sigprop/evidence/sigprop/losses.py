"""The expected loss over infinitely long sequences, by four independent routes.

The routes are a sum over modes, a Gramian, a double sum over many ages, and the losses
of two finite lengths.  Each student is also written in other coordinates with the same
responses: the modes become an LRU, and the matrices a dense layer.
"""

import functools
import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import across, impulse_response
from sigprop.evidence.sigprop import sampled_loss
from sigprop.evidence.sigprop.learnt import learnt_curvature, score_of_curvature
from sigprop.evidence.sigprop.students import LARGE, SMALL, student, task, teacher
from sigprop.inputs import AR1, Mixed, MovingAverage, White
from sigprop.judge.basis import Basis, Case, Check, Evidence, by_case
from sigprop.layers.dense import LinearRNN
from sigprop.layers.lru import LRU, lru_from_arrays
from sigprop.linear.infinite_loss import stationary_loss, stationary_target
from sigprop.linear.linearise import Modes, System, diagonalise, linearise
from sigprop.numerics.compilation import ONCE
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import TeacherStudent

AGES = 256  # at half of it, the square of the slowest mode, 0.9, is below 1e-11
PROCESSES: dict[str, Any] = {
    "white": White(0.7),
    "rho=0.8": AR1(0.8),
    "mixed": Mixed(0.4, 0.6, 0.9),
    "moving average": MovingAverage((1.0, 0.5, -0.3)),
}


def dense_twin(system: System) -> LinearRNN:
    """The system over real numbers, as one block."""
    A, B, C, D = map(np.asarray, system)
    if np.iscomplexobj(A):
        A = np.block([[np.real(A), -np.imag(A)], [np.imag(A), np.real(A)]])
        B = np.concatenate([np.real(B), np.imag(B)])
        C = np.concatenate([np.real(C), -np.imag(C)], 1)
    return LinearRNN(*map(jnp.asarray, (A[None], B, C, D)))


def diagonal_twin(modes: Modes) -> LRU:
    """The modes as an LRU without normalisation."""
    nu, theta = -np.log(np.abs(modes.lam)), np.angle(modes.lam) % (2 * math.pi)
    return lru_from_arrays(
        {
            "nu_log": np.log(nu),
            "theta_log": np.log(theta),
            "B_re": np.real(modes.inward),
            "B_im": np.imag(modes.inward),
            "C_re": np.real(modes.outward),
            "C_im": np.imag(modes.outward),
            "D": np.asarray(modes.skip),
        }
    )


@functools.cache
def _losses(name: str) -> dict[str, dict[str, float]]:
    """The loss by route and process, in one compiled program."""
    with double_precision(True):
        layer = student(SMALL[name]).layer
        system = jax.jit(linearise, compiler_options=ONCE)(layer)
        twins = {
            "modes": diagonal_twin(diagonalise(system)),
            "gramian": dense_twin(system),
        }
        short, long = task(White(), AGES // 2), task(White(), AGES)
        target = stationary_target(teacher(), White())

        def infinite(twin: Any, target: Modes) -> list[Any]:
            return [
                stationary_loss(twin, target, process) for process in PROCESSES.values()
            ]

        def finite(layer: Any, lesson: TeacherStudent) -> list[Any]:
            length = lesson.length
            tasks = [
                TeacherStudent(lesson.teacher, lesson.target, process, length)
                for process in PROCESSES.values()
            ]
            return [variant.population(layer) for variant in tasks]

        def all_losses(target: Modes):
            losses = {key: infinite(twin, target) for key, twin in twins.items()}
            pairs = zip(finite(layer, short), finite(layer, long), strict=True)
            # L(T) = L - c/T, up to the powers of the modes after T steps.
            return losses | {"limit": [2 * second - first for first, second in pairs]}

        losses = jax.jit(all_losses, compiler_options=ONCE)(target)
    return {
        route: dict(zip(PROCESSES, map(float, values), strict=True))
        for route, values in losses.items()
    }


def by_modes(student: str, process: str) -> float:
    """The closed form of a diagonal layer, by Lemma 1."""
    return _losses(student)["modes"][process]


def by_gramian(student: str, process: str) -> float:
    """The closed form of a dense layer, by the equation of its Gramian."""
    return _losses(student)["gramian"][process]


def by_lengths(student: str, process: str) -> float:
    """From the exact losses of two finite lengths, of which one is twice the other."""
    return _losses(student)["limit"][process]


@functools.cache
def _difference(name: str) -> Float[np.ndarray, "ages d_out d_in"]:
    """Response ``C A**age B`` of student minus teacher, with ``D`` at age zero."""
    with double_precision(True):
        systems = [
            [np.asarray(part) for part in jax.jit(linearise)(layer)]
            for layer in (student(SMALL[name]).layer, teacher())
        ]
    responses = [np.real(impulse_response(A, B, C, AGES)) for A, B, C, _ in systems]
    for response, (*_, D) in zip(responses, systems, strict=True):
        response[0] += D
    return responses[0] - responses[1]


def double_sum(student: str, process: str, mutant: str = "") -> float:
    """``1/2 sum_jk R(j - k) <d_j, d_k>`` over the first ages.

    Args:
        student: One of ``SMALL``.
        process: One of ``PROCESSES``.
        mutant: Name of a mutant, if any.
    """
    d, ages = _difference(student), np.arange(AGES)
    lag = abs(ages[:, None] - ages)
    R = PROCESSES[process].autocovariance(np.arange(AGES + 1))
    forms = {
        "": R[lag] / 2,
        "late": R[lag + 1] / 2,
        "once": np.tril(R[lag]) / 2,
        "equal": R[0] * np.eye(AGES) / 2,
        "white": np.eye(AGES) / 2,
        "aged": R[lag] * (ages[:, None] * ages > 0) / 2,
    }
    return float(np.einsum("joi,jk,koi->", d, forms[mutant], d, optimize=True))


MUTANTS = {
    "a lag too many": "late",
    "each pair once": "once",
    "equal ages alone": "equal",
    "every input white": "white",
    "age zero left out": "aged",
}
EVIDENCE: dict[str, Basis] = {
    "sigprop:loss-expectation": Check(
        sampled_loss.expectation, sampled_loss.score, ("impulse", "monte_carlo")
    ),
    "sigprop:loss-gradient": Check(
        sampled_loss.gradient, sampled_loss.score, ("reference", "monte_carlo")
    ),
    "sigprop:loss-curvature": by_case(
        {
            name: Case(
                partial(learnt_curvature, name),
                partial(score_of_curvature, name),
                ("trained", "autodiff", "reference"),
            )
            for name in LARGE
        }
    ),
    "sigprop:loss-infinite": Evidence(
        across(student=("lru", "rotrnn"), process=tuple(PROCESSES)),
        {"closed_form": by_modes, "gramian": by_gramian, "limit": by_lengths},
        form=double_sum,
        tolerance=1e-9,
        mutants={
            name: partial(double_sum, mutant=mutant) for name, mutant in MUTANTS.items()
        },
    ),
}
