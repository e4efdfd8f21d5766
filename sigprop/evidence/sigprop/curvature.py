"""Evidence for our own statements on the Hessian at any parameters.

Students are small, with one input and one output.  Their eigenvalues have modulus
0.9999 and 0.99, and those of the teacher are close to them.  Entries are divided by
``sqrt(G_ii G_jj)`` with the Gauss-Newton matrix ``G``, because an entry matters
relative to this scale.

Source: the layers of ``sigprop.layers``; ``precise_losses`` gives the reference values.
"""

import functools
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Complex, Float

from sigprop.curvature.hessian import Route, expand
from sigprop.evidence.kit import block, points
from sigprop.evidence.sigprop.precise_losses import Covariance, precise_hessians
from sigprop.inputs import Mixed
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.base import Layer, parameters
from sigprop.layers.blur import BLUR
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.dense import LinearRNN
from sigprop.layers.lru import LRU, lru_from_arrays
from sigprop.layers.rotrnn import RotRNN
from sigprop.layers.s4 import S4
from sigprop.numerics.compilation import ONCE
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import TeacherStudent, teacher_student

GAPS, ANGLES = np.array([1e-4, 1e-2]), np.array([0.3, 1.2])
LAM: Complex[np.ndarray, " n"] = (1 - GAPS) * np.exp(1j * ANGLES)
PROCESSES = {
    "white": Covariance(1.0, 0.0, 0.0),
    "rho=0.9": Covariance(0.0, 1.0, 0.9),
    "mixed": Covariance(0.3, 1.2, 0.7),
}
STEP = 0.1  # step size of S4
ASIDE = 0.01  # phase between students' and teacher's eigenvalues, in radians
FLAT = 1e-12  # rounding error relative to the largest entry

Draw = np.random.Generator


def _weights(draw: Draw, n: int = 2) -> dict[str, Any]:
    shapes = {"B_re": (n, 1), "B_im": (n, 1), "C_re": (1, n), "C_im": (1, n)}
    weights = {name: jnp.asarray(draw.normal(size=s)) for name, s in shapes.items()}
    return {**weights, "D": jnp.asarray(draw.normal(size=(1, 1)))}


def _diagonal(draw: Draw, coordinates: str, lam: Any = LAM) -> ComplexDiagonal:
    first, second = {
        "cartesian": (np.real(lam), np.imag(lam)),
        "polar": (abs(lam), ANGLES),
        "exponential": (-np.log(abs(lam)), ANGLES),
    }[coordinates]
    parameters = {"first": jnp.asarray(first), "second": jnp.asarray(second)}
    return ComplexDiagonal(**_weights(draw), **parameters, coordinates=coordinates)


def _lru(draw: Draw) -> LRU:
    gamma = np.log1p(-(abs(LAM) ** 2)) / 2
    logs = {"nu_log": np.log(-np.log(abs(LAM))), "theta_log": np.log(ANGLES)}
    return lru_from_arrays({**_weights(draw), **logs, "gamma_log": gamma})


def _s4(draw: Draw) -> S4:
    w = np.log(LAM) / STEP
    delta = jnp.full(2, math.log(math.expm1(STEP)))
    return S4(
        **_weights(draw),
        omega_delta=delta,
        w_re=jnp.asarray(w.real),
        w_im=jnp.asarray(w.imag),
    )


def _spiral(lam: complex, draw: Draw) -> Float[np.ndarray, "2 2"]:
    basis = np.eye(2) + 0.3 * draw.normal(size=(2, 2))
    return basis @ block(lam) @ np.linalg.inv(basis)


def _linear(draw: Draw, A: Float[np.ndarray, "blocks size size"]) -> LinearRNN:
    n = A.shape[0] * A.shape[1]
    shapes = (n, 1), (1, n), (1, 1)
    return LinearRNN(
        jnp.asarray(A), *(jnp.asarray(draw.normal(size=shape)) for shape in shapes)
    )


def _block(draw: Draw) -> LinearRNN:
    return _linear(draw, np.stack([_spiral(lam, draw) for lam in LAM]))


def _dense(draw: Draw) -> LinearRNN:
    basis, A = np.eye(3) + 0.3 * draw.normal(size=(3, 3)), np.diag([0.0, 0.0, 0.95])
    A[:2, :2] = _spiral(LAM[0], draw)
    return _linear(draw, (basis @ A @ np.linalg.inv(basis))[None])


def _rotrnn(draw: Draw) -> RotRNN:
    shapes = {"M": (1, 4, 4), "B": (4, 1), "C": (1, 4), "D": (1, 1)}
    weights = {name: jnp.asarray(draw.normal(size=s)) for name, s in shapes.items()}
    decay = jnp.log(-jnp.log1p(-jnp.asarray(GAPS[:1])))
    return RotRNN(theta=jnp.asarray(ANGLES[None]), gamma_log=decay, **weights)


def _blur(draw: Draw) -> BLUR:
    two, stacked = parameters(_lru(draw)), {}
    for name, value in two.items():  # the first mode forwards, the second backwards
        axis = 1 if name.startswith("C") else 0
        stacked[name] = jnp.stack(jnp.split(value, 2, axis)) if name != "D" else value
    return BLUR(**stacked, gamma="learned")


STUDENTS: dict[str, Callable[[Draw], Layer]] = {
    "dense": _dense,
    "block": _block,
    **{
        name: functools.partial(_diagonal, coordinates=name)
        for name in ("cartesian", "polar", "exponential")
    },
    "lru": _lru,
    "s4": _s4,
    "rotrnn": _rotrnn,
    "blur": _blur,
}


def student(name: str) -> Layer:
    """One of ``STUDENTS``, in double precision, the same at every call."""
    with double_precision(True):
        return STUDENTS[name](np.random.default_rng(7))


def teacher() -> ComplexDiagonal:
    """The teacher, with eigenvalues a hundredth of a radian from the students'."""
    with double_precision(True):
        draw = np.random.default_rng(8)
        return _diagonal(draw, "cartesian", LAM * np.exp(1j * ASIDE))


def task(process: str, length: int | None = None) -> TeacherStudent:
    """The teacher-student task of every student, its input under one of ``PROCESSES``."""
    with double_precision(True):
        return teacher_student(teacher(), Mixed(*PROCESSES[process]), length)


@functools.cache
def _scale(name: str, process: str) -> Float[np.ndarray, "p p"]:
    diag = np.diag(expand(task(process), student(name), at_optimum=True).hessian)
    size = np.sqrt(np.where(diag > FLAT**2 * diag.max(), diag, diag.max()))
    return np.outer(size, size)


@functools.cache
def by_route(
    layer: str, process: str, route: Route = "closed", at_optimum: bool = False
) -> Float[np.ndarray, "p p"]:
    """The scaled Hessian of one of ``STUDENTS``."""
    expansion = expand(task(process), student(layer), route, at_optimum=at_optimum)
    return expansion.hessian / _scale(layer, process)


# By covariances of tangent systems, and by differentiating the exact loss.
by_gramian = functools.partial(by_route, route="gramian")
by_autodiff = functools.partial(by_route, route="autodiff")


def by_differences(layer: str, process: str) -> Float[np.ndarray, "p p"]:
    """The scaled Hessian by differences of the loss in high precision."""
    return _by_differences(layer)[process] / _scale(layer, process)


@functools.cache
def _by_differences(layer: str) -> dict[str, Float[np.ndarray, "p p"]]:
    values = {name: np.asarray(x) for name, x in parameters(student(layer)).items()}
    goal = {name: np.asarray(x) for name, x in parameters(teacher()).items()}
    return precise_hessians(layer, values, goal, PROCESSES)


@functools.cache
def _circle() -> tuple[Float[np.ndarray, " nodes"], Float[np.ndarray, " nodes"]]:
    """Angles of the upper half circle and their weights in a mean over the circle.

    Gauss's rule on intervals that halve on the way to each angle of an eigenvalue.
    """
    ends = np.unique([0.0, np.pi, *ANGLES, *(ANGLES + ASIDE)])
    steps = 0.5 ** np.arange(1, 20)
    edges = np.unique([e for a, b in pairwise(ends) for e in _graded(a, b, steps)])
    nodes, weights = np.polynomial.legendre.leggauss(16)
    half = np.diff(edges)[:, None] / 2
    angles = edges[:-1, None] + half * (1 + nodes)
    return angles.ravel(), (half * weights / np.pi).ravel()


def _graded(a: float, b: float, steps: Any) -> Any:
    return [a, *(a + (b - a) * steps), *(b - (b - a) * steps), b]


def _transfer(z: Any, lam: Any, weight: Any) -> Any:
    """Transfer function of ``Re(sum weight lam**age)``."""
    halves = ((lam, weight), (lam.conj(), weight.conj()))
    return sum((w[None] / (1 - x[None] * z[:, None])).sum(1) / 2 for x, w in halves)


def _blur_transfer(z: Any, values: Mapping[str, Any]) -> Any:
    """Transfer function of a BLUR with one input and one output."""
    lam = jnp.exp(-jnp.exp(values["nu_log"]) + 1j * jnp.exp(values["theta_log"]))
    B = values["B_re"][..., 0] + 1j * values["B_im"][..., 0]
    C = values["C_re"][:, 0] + 1j * values["C_im"][:, 0]
    weight = C * jnp.exp(values["gamma_log"]) * B
    sides = (_transfer(w, lam[k], weight[k]) for k, w in enumerate((z, z.conj())))
    return sum(sides, values["D"][0, 0])


@functools.cache
def by_spectrum(layer: str, process: str) -> Float[np.ndarray, "p p"]:
    """The scaled Hessian of a BLUR from its transfer function, without sums over ages.

    The loss is the mean over the circle of the input's density times the squared
    modulus of the error's transfer function.
    """
    with double_precision(True):
        values = dict(sorted(parameters(student(layer)).items()))
        x, split = ravel_pytree(values)
        angles, weights = _circle()
        z = jnp.exp(1j * angles)
        a, b, rho = PROCESSES[process]
        density = a + b * (1 - rho**2) / jnp.abs(1 - rho * z) ** 2
        share = density * weights
        known = parameters(teacher())
        B, C = (known[f"{n}_re"] + 1j * known[f"{n}_im"] for n in "BC")
        lam = known["first"] + 1j * known["second"]
        goal = known["D"][0, 0] + _transfer(z, lam, C[0] * B[:, 0])

        def loss(x: Any, z: Any, share: Any, goal: Any) -> Any:
            error = _blur_transfer(z, split(x)) - goal
            return jnp.sum(share * jnp.abs(error) ** 2) / 2

        program = jax.jit(jax.hessian(loss), compiler_options=ONCE)
        return np.asarray(program(x, z, share, goal)) / _scale(layer, process)


# Hessians with errors, each of which the evidence must refute.


@functools.cache
def of_white_input(layer: str, process: str) -> Float[np.ndarray, "p p"]:
    """The scaled Hessian under white input of the same variance, as a mutant."""
    a, b, _ = PROCESSES[process]
    with double_precision(True):
        white_task = teacher_student(teacher(), Mixed(a + b, 0.0, 0.0), None)
    return expand(white_task, student(layer)).hessian / _scale(layer, process)


MUTANTS: dict[str, Callable[..., Any]] = {
    "the error left out": functools.partial(by_route, at_optimum=True),
    "white input": of_white_input,
    "couplings left out": lambda **point: np.diag(np.diag(by_differences(**point))),
    "the error twice": lambda **point: (
        2 * by_differences(**point) - by_route(**point, at_optimum=True)
    ),
}


# By family: its layers, with one input each, and a route of this family only.
FAMILIES: dict[str, tuple[dict[str, str], Callable[..., Any]]] = {
    "diagonal": (dict.fromkeys(("cartesian", "lru", "s4"), "mixed"), by_autodiff),
    "dense": ({"dense": "mixed", "block": "rho=0.9"}, by_gramian),
    "blur": ({"blur": "mixed"}, by_spectrum),
}


def by_own_route(layer: str, process: str) -> Float[np.ndarray, "p p"]:
    """The scaled Hessian by a route that only this layer's family has."""
    (route,) = (own for layers, own in FAMILIES.values() if layer in layers)
    return route(layer, process)


def in_one_family(family: str, mutant: str, **point: str) -> Float[np.ndarray, "p p"]:
    """The Hessian with a mutant in the layers of one family only."""
    layers, _ = FAMILIES[family]
    wrong = point["layer"] in layers
    return MUTANTS[mutant](**point) if wrong else by_differences(**point)


EVIDENCE: dict[str, Basis] = {
    "sigprop:curvature": Evidence(
        points(
            "layer process",
            *(pair for layers, _ in FAMILIES.values() for pair in layers.items()),
        ),
        {"closed_form": by_route, "independent": by_own_route},
        form=by_differences,
        tolerance=1e-8,
        mutants={
            f"{family}: {mutant}": functools.partial(in_one_family, family, mutant)
            for family in FAMILIES
            for mutant in MUTANTS
        },
    ),
}
