"""Agreement of the two losses of the teacher-student task, in value and gradient.

The mean of ``TeacherStudent.sampled`` over batches is compared with
``TeacherStudent.population``.  The latter is also compared with the loss that follows
from the layers' responses to an impulse at every step, without sums over ages.

Notation: x  parameters as one vector;  v  unit directions (directions, p).
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.evidence.kit import STENCILS
from sigprop.evidence.sigprop import responses
from sigprop.evidence.sigprop.students import (
    INPUTS,
    SMALL,
    WIDTH,
    Student,
    student,
    task,
)
from sigprop.inputs import White
from sigprop.judge.mutants import SAME, Score
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import Plan, judge, plan
from sigprop.neuron import draws
from sigprop.neuron.montecarlo import Estimate, Sums
from sigprop.numerics.compilation import ONCE, SOME
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import TeacherStudent
from sigprop.theory.claims import Claim

STEPS, BATCH, CHUNK = 8, 4, 2048  # steps, sequences per batch, batches per chunk
STEP = 1e-3  # step of fourth-order differences, whose error is 1e-12
MARGIN = 0.05
INFLATION = 1.5  # factor on a pilot's variance
# A dense layer is a single block, and an LRU is one half of a BLUR.
DIFFERENTIATED = ("block", "rotrnn", "blur")


class Route(NamedTuple):
    """A deterministic route, and its allowed relative error."""

    name: str
    tolerance: float


IMPULSE, REFERENCE = Route("impulse", 1e-11), Route("reference", 1e-8)
COVARIANCES = {
    name: process.autocovariance(np.arange(2 * STEPS))
    for name, process in INPUTS.items()
}


@dataclass(frozen=True, eq=False)
class Given:
    """A process whose samples are given, as a compiled program needs it."""

    series: Any

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = jnp.float32
    ) -> Float[Array, "num length"]:
        """The given series, which must have this shape."""
        return self.series.reshape(num, length)

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """Not defined, because sampled losses do not use it."""
        return np.full(np.shape(lags), math.nan)


def sampled_loss(
    student: Student, known: TeacherStudent, batch: int
) -> Callable[..., Any]:
    """The sampled loss of one batch as a function of the parameters and the inputs."""
    assert known.length is not None
    teacher, target, length = known.teacher, known.target, known.length

    def loss(x: Any, series: Float[Array, "series time"]) -> Float[Array, ""]:
        task_of_batch = TeacherStudent(teacher, target, Given(series), length)
        return task_of_batch.sampled(student.at(x), jax.random.key(0), batch)

    return loss


class Case(NamedTuple):
    """A student and its task, as functions of the parameters.

    Attributes:
        student: The student.
        exact: The exact loss at each of ``INPUTS``.
        error: Responses to an impulse at each step, minus the teacher's.
        sampled: The loss of one batch, which also depends on the inputs.
    """

    student: Student
    exact: Callable[[Any], Float[Array, " inputs"]]
    error: Callable[[Any], Float[Array, "T d_out T2 d_in"]]
    sampled: Callable[[Any, Any], Float[Array, ""]]


@functools.cache
def case(name: str) -> Case:
    """The student of a name, the same at every call."""
    learner, (lesson, goal) = student(SMALL[name]), _lesson()
    tasks = [
        TeacherStudent(lesson.teacher, lesson.target, process, STEPS)
        for process in INPUTS.values()
    ]
    return Case(
        learner,
        lambda x: jnp.stack([variant.population(learner.at(x)) for variant in tasks]),
        lambda x: responses.responses(learner.at(x), STEPS) - goal,
        sampled_loss(learner, lesson, BATCH),
    )


@functools.cache
def _lesson() -> tuple[TeacherStudent, Float[Array, "T d_out T2 d_in"]]:
    lesson = task(White(), STEPS)
    respond = jax.jit(responses.responses, static_argnums=1, compiler_options=ONCE)
    return lesson, respond(lesson.teacher, STEPS)


def _draw(
    key: PRNGKeyArray,
) -> dict[str, Float[Array | np.ndarray, "batches series time"]]:
    """A chunk of batches of each input."""
    num, shape = CHUNK * BATCH * WIDTH, (CHUNK, BATCH * WIDTH, STEPS)
    return {
        name: draws.series(key, process, num, STEPS, jnp.float64).reshape(shape)
        for name, process in INPUTS.items()
    }


class Question(NamedTuple):
    """One comparison: the expected value, and the values with mutants.

    Attributes:
        point: Description of the point.
        form: The closed form.
        other: The same number from responses of the layers.
        variance: Relative variance of one batch, known before the run.
        wrong: The closed form with each mutant.
    """

    point: str
    form: float
    other: float
    variance: float
    wrong: dict[str, float]


@functools.cache
def value_questions(name: str) -> list[Question]:
    """Comparisons of one student's loss at each input; the variance is known."""
    setup = case(name)
    program = jax.jit(lambda x: (setup.exact(x), setup.error(x)), compiler_options=ONCE)
    values, error = map(np.asarray, program(setup.student.x))
    d = responses.by_age(error)
    return [
        Question(
            f"{name}, {process}",
            float(value),
            float(responses.expected_error(error, R)),
            responses.relative_variance(error, R) / BATCH,
            {
                mutant: responses.paired(d, form, d)
                for mutant, form in _forms(R).items()
            },
        )
        for value, (process, R) in zip(values, COVARIANCES.items(), strict=True)
    ]


def _forms(R: Float[np.ndarray, " lags"]) -> dict[str, Float[np.ndarray, "a a2"]]:
    """Values of the loss, by the mutant in the weights of pairs of ages."""
    return {
        mutant: responses.pair_weights(R, STEPS, weights)
        for mutant, weights in responses.MUTANTS.items()
    }


def directions(
    student: Student, gradient: Float[np.ndarray, " p"], generator: np.random.Generator
) -> dict[str, Float[np.ndarray, " p"]]:
    """Directions along the gradient, and in each group at 45 degrees to its gradient.

    At a right angle, the derivative would be zero and have no ratio.
    """
    groups, values = student.layer.groups(), student.split(student.x)
    along = {"the gradient": gradient / np.linalg.norm(gradient)}
    for group in ("recurrent", "input", "readout"):
        mask = np.concatenate(
            [np.full(values[n].size, groups[n] == group) for n in sorted(values)]
        )
        steepest = gradient * mask / np.linalg.norm(gradient * mask)
        across = generator.normal(size=gradient.size) * mask
        across -= (across @ steepest) * steepest
        aslant = steepest + across / np.linalg.norm(across)
        along[f"{group}, aslant"] = aslant / math.sqrt(2)
    return along


class Aim(NamedTuple):
    """Derivatives to compare for one student: questions and directions by input."""

    questions: list[list[Question]]
    along: list[Float[np.ndarray, "directions p"]]


OFFSETS, WEIGHTS = map(np.array, zip(*STENCILS[1, 4], strict=True))


@functools.cache
def gradient_aim(name: str) -> Aim:
    """Derivatives of one student's loss, with variances from a pilot."""
    setup = case(name)
    x = np.asarray(setup.student.x)
    pull = jax.jit(
        jax.grad(lambda x, weights: weights @ setup.exact(x)), compiler_options=ONCE
    )
    gradients = [np.asarray(pull(x, row)) for row in np.eye(len(INPUTS))]
    aims = [
        directions(setup.student, gradient, np.random.default_rng(5))
        for gradient in gradients
    ]
    along = [np.stack(list(aim.values())) for aim in aims]
    pilots = _means(_gradients(name), x, along, pilot_key(f"loss of {name}"), 1)
    steps = STEP * np.stack(along)[:, :, None] * OFFSETS[:, None]
    points = x + np.concatenate([steps.reshape(-1, x.size), 0 * x[None]])
    respond = jax.jit(jax.vmap(setup.error), compiler_options=ONCE)
    *moved, base = np.asarray(respond(points))
    moved = np.stack(moved).reshape(*steps.shape[:3], *base.shape)
    d, moves = responses.by_age(base), np.einsum("...w,w->...", _last(moved), WEIGHTS)
    questions = []
    for index, (process, R) in enumerate(COVARIANCES.items()):
        references = responses.expected_error(moved[index], R) @ WEIGHTS / STEP
        forms = _forms(R)
        questions.append(
            [
                Question(
                    f"{name}, {process}, {aim}",
                    float(gradients[index] @ along[index][k]),
                    float(references[k]),
                    float(INFLATION * CHUNK * (pilot.sem[k] / pilot.mean[k]) ** 2),
                    {
                        mutant: 2
                        * responses.paired(d, form, responses.by_age(g) / STEP)
                        for mutant, form in forms.items()
                    },
                )
                for k, (aim, g) in enumerate(
                    zip(aims[index], moves[index], strict=True)
                )
                for pilot in (pilots[index],)
            ]
        )
    return Aim(questions, along)


def _last(moved: np.ndarray) -> np.ndarray:
    """Move the axis of the differences, which is the third, to the end."""
    return np.moveaxis(moved, 2, -1)


@functools.cache
def _losses(name: str) -> Callable[[Any, Any], Float[Array, " batches"]]:
    return jax.jit(jax.vmap(case(name).sampled, (None, 0)), compiler_options=SOME)


@functools.cache
def _gradients(name: str) -> Callable[[Any, Any], Float[Array, "batches p"]]:
    grad = jax.grad(case(name).sampled)
    return jax.jit(jax.vmap(grad, (None, 0)), compiler_options=SOME)


def _means(
    program: Callable[[Any, Any], Any],
    x: Any,
    along: list[Any],
    key: PRNGKeyArray,
    chunks: int,
) -> list[Estimate]:
    """Means over batches at each input, of values or of components along directions."""
    total = []
    for index in range(chunks):
        samples = _draw(jax.random.fold_in(key, index))
        values = [
            _project(program(x, samples[process]), v)
            for process, v in zip(INPUTS, along, strict=True)
        ]
        total.append([Sums(v.sum(0), (v**2).sum(0), CHUNK) for v in values])
    return [
        functools.reduce(Sums.__add__, sums).estimate()
        for sums in zip(*total, strict=True)
    ]


def _project(values: Any, along: Any) -> Float[np.ndarray, "batches ..."]:
    return np.asarray(values) if along is None else np.asarray(values) @ along.T


def _sized(claim: Claim, questions: list[Question]) -> int:
    """Number of chunks that suffices for all questions."""
    samples = max(plan(MARGIN, variance=question.variance).n for question in questions)
    return -(-samples // CHUNK)


def _plan(claim: Claim, question: Question, chunks: int) -> Plan:
    return Plan(chunks * CHUNK, MARGIN, variance=question.variance)


def _judge(
    claim: Claim,
    question: Question,
    estimate: tuple[Any, Any],
    chunks: int,
    route: Route,
) -> tuple[RouteResult, RouteResult]:
    ratio = question.other / question.form
    mean, sem = map(float, estimate)
    verdict = judge(mean, question.form, _plan(claim, question, chunks), sem)
    return (
        decided(route.name, question.point, ratio, abs(ratio - 1) <= route.tolerance),
        simulated_result(question.point, verdict),
    )


def expectation(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Judge the mean of the sampled loss, at each student and input."""
    results = []
    with double_precision(True):
        for name in SMALL:
            setup, questions = case(name), value_questions(name)
            key, chunks = (
                group_key(seed, f"{claim.id} {name}"),
                _sized(claim, questions),
            )
            nowhere = [None] * len(INPUTS)
            estimates = _means(_losses(name), setup.student.x, nowhere, key, chunks)
            for question, (mean, sem, _) in zip(questions, estimates, strict=True):
                results += _judge(claim, question, (mean, sem), chunks, IMPULSE)
    return tuple(results)


def gradient(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Judge the mean gradient of the sampled loss, at each student and input."""
    results = []
    with double_precision(True):
        for name in DIFFERENTIATED:
            setup, (questions, along) = case(name), gradient_aim(name)
            key = group_key(seed, f"{claim.id} {name}")
            chunks = _sized(claim, [question for row in questions for question in row])
            estimates = _means(_gradients(name), setup.student.x, along, key, chunks)
            for row, (means, sems, _) in zip(questions, estimates, strict=True):
                for question, *pair in zip(row, means, sems, strict=True):
                    results += _judge(
                        claim, question, (pair[0], pair[1]), chunks, REFERENCE
                    )
    return tuple(results)


def score(claim: Claim) -> Score:
    """Mutation score of the simulation's plan, with mutants in the weight of two ages.

    Mutants of ``responses.SLIGHT`` change a loss too little for a simulation.  The
    responses of the layers refute them.
    """
    with double_precision(True):
        if claim.id.endswith("expectation"):
            groups = [value_questions(name) for name in SMALL]
        else:
            groups = [row for n in DIFFERENTIATED for row in gradient_aim(n).questions]
    visible: set[str] = set()
    detected: set[str] = set()
    for questions in groups:
        chunks = _sized(claim, questions)
        for question in questions:
            low, high = _plan(claim, question, chunks).detectable
            for mutant, wrong in question.wrong.items():
                ratio = question.form / wrong if wrong else math.inf
                measured = question.other / wrong if wrong else math.inf
                exactly = abs(measured - 1) > REFERENCE.tolerance
                visible |= {mutant} if abs(ratio - 1) > SAME else set()
                if not low < ratio < high or (mutant in responses.SLIGHT and exactly):
                    detected.add(mutant)
    return Score(len(visible), tuple(sorted(visible - detected)))
