"""Checks of the closed forms at trained parameters: moments, gradients, curvature.

The closed forms should hold for any parameters, not only for random ones.  A student is
trained with the exact loss.  Second moments of its state, output and gradients are
compared with ``sigprop.linear.predicted_moments``, by impulse responses and by
simulation.  The curvature of the loss along random directions is compared with the
double sum of ``directional_curvature``.  Three routes compute it: differences of
gradients by autodiff, differences of a loss computed without sums over ages, and
simulation.

Notation: x  parameters as one vector;  v  unit directions (directions, p).
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from sigprop.evidence.kit import STENCILS
from sigprop.evidence.sigprop import directional_curvature, responses
from sigprop.evidence.sigprop.sampled_loss import sampled_loss
from sigprop.evidence.sigprop.students import (
    INPUTS,
    LENGTH,
    TRAINING_INPUT,
    WIDTH,
    Trained,
    trained,
)
from sigprop.judge.mutants import SAME, Score
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import Plan, judge, plan, require_small
from sigprop.layers.base import Layer
from sigprop.linear.linearise import Perturbed, perturb
from sigprop.linear.measured_moments import BATCH, by_group, exact, measure, position
from sigprop.linear.predicted_moments import predict
from sigprop.neuron import draws
from sigprop.neuron.montecarlo import Estimate, Sums
from sigprop.numerics.compilation import ONCE, SOME
from sigprop.numerics.precision import double_precision

MARGIN = 0.15
ROUTE = "trained"  # name of the simulation's route
LEARNT = 10  # smallest factor by which training must reduce the loss
MOMENTS = ("state", "output", "recurrent", "input", "readout")
EXACT, DIFFERENCES = 1e-9, 1e-8  # relative error of impulses, and of differences
STEP = 1e-3  # step of differences along unit directions
CHUNK, INFLATION = 512, 1.5  # sequences per batch; factor on a pilot's variance
SIDES = np.array([-STEP, STEP])  # points of the simulated second-order difference
FIRST, SECOND = (
    tuple(map(np.array, zip(*stencil, strict=True)))
    for stencil in (STENCILS[1, 4], STENCILS[2, 4])
)


def _covariance() -> Float[np.ndarray, " lags"]:
    return INPUTS[TRAINING_INPUT].autocovariance(np.arange(2 * LENGTH))


class Learnt(NamedTuple):
    """A trained student: the layer, its modes, and their derivatives."""

    training: Trained
    layer: Layer
    known: Perturbed


class Along(NamedTuple):
    """The curvature along directions at a trained student, by all routes.

    Attributes:
        losses: The exact loss before each step of the training.
        directions: Directions of length one, by name.
        curvature: Closed forms and values of the other routes.
        second_difference: Difference of the loss of each sequence, as a function of
            inputs.
        spread: Relative variances of these differences in a pilot, inflated.
    """

    losses: Sequence[float] | Float[np.ndarray, " steps"]
    directions: dict[str, Float[np.ndarray, " p"]]
    curvature: "Curvature"
    second_difference: Callable[[Any], Float[Array, "sequences directions"]]
    spread: Float[np.ndarray, " directions"]


class Curvature(NamedTuple):
    """``v' H v`` along each direction: by double sum, by autodiff, and without ages.

    ``bias`` is the relative error of the simulated second-order difference, known from
    the exact loss.
    """

    form: Float[np.ndarray, " directions"]
    autodiff: Float[np.ndarray, " directions"]
    reference: Float[np.ndarray, " directions"]
    bias: Float[np.ndarray, " directions"]
    wrong: dict[str, Float[np.ndarray, " directions"]]


@functools.cache
def learnt(name: str) -> Learnt:
    """The trained student of a name."""
    with double_precision(True):
        training = trained(name)
        layer = training.student.at(training.x)
        return Learnt(training, layer, perturb(layer))


@functools.cache
def along(name: str) -> Along:
    """The curvature along directions at the trained student of a name."""
    training, _, known = learnt(name)
    with double_precision(True):
        directions = _directions(training)
        curvature = _curvature(training, known, directions)
        program = _second_difference(training, np.stack(list(directions.values())))
        pilot = _simulated(program, pilot_key(f"curvature of {name}"), 1)
        spread = INFLATION * CHUNK * (pilot.sem / pilot.mean) ** 2
        return Along(training.losses, directions, curvature, program, spread)


def _second_difference(
    training: Trained, rows: Float[np.ndarray, "directions p"]
) -> Callable[[Any], Float[Array, "sequences directions"]]:
    """Differences of the second order of the sampled loss of each sequence."""
    loss = sampled_loss(training.student, training.task, 1)
    points = np.concatenate(
        [_points(training.x, rows, SIDES), np.asarray(training.x)[None]]
    )

    def second_difference(series: Any) -> Float[Array, " directions"]:
        *sides, middle = jax.vmap(loss, (0, None))(points, series)
        pairs = jnp.stack(sides).reshape(len(rows), SIDES.size)
        return (pairs.sum(1) - 2 * middle) / STEP**2

    return jax.jit(jax.vmap(second_difference), compiler_options=SOME)


def _directions(training: Trained) -> dict[str, Float[np.ndarray, " p"]]:
    """One random direction in each group of parameters, and one in all."""
    draw = np.random.default_rng(3)
    groups, values = training.student.layer.groups(), training.student.split(training.x)
    belongs = np.concatenate(
        [np.full(values[name].size, groups[name]) for name in sorted(values)]
    )
    masks = {name: belongs == name for name in ("recurrent", "input", "readout")}
    masks["all"] = np.full(belongs.size, True)
    sampled = {
        name: draw.normal(size=belongs.size) * mask for name, mask in masks.items()
    }
    return {name: v / np.linalg.norm(v) for name, v in sampled.items()}


def _points(
    x: Any, rows: Float[np.ndarray, "directions p"], offsets: Float[np.ndarray, " w"]
) -> Float[np.ndarray, "points p"]:
    """Parameters moved along each direction by each offset."""
    steps = rows[:, None] * offsets[:, None]
    return np.asarray(x) + steps.reshape(-1, rows.shape[1])


def _curvature(
    training: Trained,
    perturbed: Perturbed,
    directions: dict[str, Float[np.ndarray, " p"]],
) -> Curvature:
    """The curvature by all routes; differences are of fourth order."""
    rows = np.stack(list(directions.values()))
    error, R = _errors(training, rows), _covariance()
    values = np.stack([responses.expected_error(each, R) for each in error])
    by_age = np.array([[responses.by_age(each) for each in row] for row in error])
    bent = np.einsum("vw...,w->v...", by_age, SECOND[1]) / STEP**2
    named, base = [training.student.split(v) for v in rows], by_age[0, 2]
    moved, frozen = (
        [
            directional_curvature.tangent(perturbed, v, LENGTH, derivatives=derivatives)
            for v in named
        ]
        for derivatives in (True, False)
    )

    def form(first: Any, rest: Any, weights: Any = responses.right):
        pair = responses.pair_weights(R, LENGTH, weights)
        pairs = zip(first, rest, strict=True)
        return 2 * np.array(
            [
                responses.paired(g, pair, g) + responses.paired(base, pair, b)
                for g, b in pairs
            ]
        )

    mutants = {
        mutant: form(moved, bent, weights)
        for mutant, weights in responses.MUTANTS.items()
    }
    mutants["Gauss-Newton alone"] = form(moved, 0 * bent)
    mutants["eigenvalues at rest"] = form(frozen, bent)
    mutants["the residual subtracted"] = form(moved, -bent)
    reference_values = values @ SECOND[1] / STEP**2
    plain = values[:, 1:4] @ np.array([1, -2, 1]) / STEP**2
    return Curvature(
        form(moved, bent),
        _by_autodiff(training, rows),
        reference_values,
        np.abs(plain / reference_values - 1),
        mutants,
    )


def _errors(training: Trained, rows: Float[np.ndarray, "directions p"]):
    """Responses to impulses at each moved parameter, minus the teacher's."""
    points = _points(training.x, rows, STEP * SECOND[0])

    def errors(points: Any, teacher: Any):
        goal = responses.responses(teacher, LENGTH)
        return jax.vmap(
            lambda x: responses.responses(training.student.at(x), LENGTH) - goal
        )(points)

    values = jax.jit(errors, compiler_options=ONCE)(points, training.task.teacher)
    return np.asarray(values).reshape(len(rows), -1, *values.shape[1:])


def _by_autodiff(
    training: Trained, rows: Float[np.ndarray, "directions p"]
) -> Float[np.ndarray, " directions"]:
    """Curvature by differences of the gradient from autodiff."""
    grad = jax.grad(lambda x: training.task.population(training.student.at(x)))
    program = jax.jit(jax.vmap(grad), compiler_options=ONCE)
    gradients = np.asarray(program(_points(training.x, rows, STEP * FIRST[0])))
    gradients = gradients.reshape(len(rows), -1, rows.shape[1])
    return np.einsum("vwp,w,vp->v", gradients, FIRST[1], rows) / STEP


def learnt_moments(name: str, seed: int) -> Iterator[RouteResult]:
    """Judge states, outputs and gradients, by impulses and by simulation."""
    training, layer, known = learnt(name)
    yield _fell(training.losses)
    with double_precision(True):
        at, sized = position(layer, LENGTH), _in_batches(plan(MARGIN), BATCH)
        process, R = INPUTS[TRAINING_INPUT], _covariance()
        key = group_key(seed, _draws(name))
        measured = measure(key, layer, process, steps=LENGTH, num=sized.n, at=at)
        closed = by_group(layer, predict(known, R, LENGTH, at))
        impulse = exact(layer, R, steps=LENGTH, at=at)
    for quantity in MOMENTS:
        yield _decided("impulse", quantity, impulse[quantity] / closed[quantity], EXACT)
        yield _simulated_result(quantity, measured[quantity], closed[quantity], sized)


def learnt_curvature(name: str, seed: int) -> Iterator[RouteResult]:
    """Judge the curvature of the loss along each direction, by three routes."""
    net = along(name)
    yield _fell(net.losses)
    sized = _curvature_plans(name, net)
    n = max(sized_plan.n for sized_plan in sized)
    key = group_key(seed, f"{_draws(name)} curvature")
    with double_precision(True):
        estimates = _simulated(net.second_difference, key, n // CHUNK)
    curvature = net.curvature
    for k, direction in enumerate(net.directions):
        form = curvature.form[k]
        yield _decided("autodiff", direction, curvature.autodiff[k] / form, DIFFERENCES)
        yield _decided(
            "reference", direction, curvature.reference[k] / form, DIFFERENCES
        )
        planned = dataclasses.replace(sized[k], n=n)
        estimate = Estimate(estimates.mean[k], estimates.sem[k], n)
        yield _simulated_result(direction, estimate, form, planned)


def _draws(name: str) -> str:
    """Name of the random numbers of a student, unique to it."""
    return f"sigprop:trained-{name}"


def _curvature_plans(student: str, net: Along) -> list[Plan]:
    """A plan for each direction.

    Raises:
        ValueError: If the simulated difference is biased.
    """
    for name, bias in zip(net.directions, net.curvature.bias, strict=True):
        require_small(float(bias), MARGIN, f"the curvature of {student}, {name}")
    plans = (plan(MARGIN, variance=float(variance)) for variance in net.spread)
    return [_in_batches(direction_plan, CHUNK) for direction_plan in plans]


def _draw(key: Any) -> Float[Array | np.ndarray, "sequences width time"]:
    process = INPUTS[TRAINING_INPUT]
    series = draws.series(key, process, CHUNK * WIDTH, LENGTH, jnp.float64)
    return series.reshape(CHUNK, WIDTH, LENGTH)


def _simulated(program: Callable[[Any], Any], key: Any, chunks: int) -> Estimate:
    """The mean over sequences of the program's results."""
    total = []
    for index in range(chunks):
        values = np.asarray(program(_draw(jax.random.fold_in(key, index))))
        total.append(Sums(values.sum(0), (values**2).sum(0), CHUNK))
    return functools.reduce(Sums.__add__, total).estimate()


def _in_batches(least: Plan, batch: int) -> Plan:
    """The plan, rounded up to complete batches."""
    return dataclasses.replace(least, n=-(-least.n // batch) * batch)


def _simulated_result(
    point: str, estimate: Estimate, form: float, sized: Plan
) -> RouteResult:
    verdict = judge(float(estimate.mean), form, sized, float(estimate.sem))
    return dataclasses.replace(simulated_result(point, verdict), route=ROUTE)


def _decided(route: str, point: str, ratio: float, tolerance: float) -> RouteResult:
    return decided(route, point, ratio, abs(ratio - 1) <= tolerance)


def _fell(losses: Sequence[float] | Float[np.ndarray, " steps"]) -> RouteResult:
    """Result of the check that training reduced the loss enough."""
    before, after = losses[0], losses[-1]
    point = f"training: the loss fell from {before:.3g} to {after:.3g}"
    return decided(ROUTE, point, math.nan, before > LEARNT * after)


def _moment_mutants(net: Learnt) -> dict[str, dict[str, float]]:
    """Moments at the training input with each mutant; ``""`` is without a mutant."""
    at, R = position(net.layer, LENGTH), _covariance()

    def moments(known: Perturbed = net.known, R: Any = R):
        return by_group(net.layer, predict(known, R, LENGTH, at))

    modes = tuple(mode._replace(skip=0 * mode.skip) for mode in net.known.modes)
    return {
        "": moments(),
        "before training": exact(net.training.student.layer, R, steps=LENGTH, at=at),
        "every input white": moments(R=R * (np.arange(R.size) == 0)),
        "every input constant": moments(R=R[0] + 0 * R),
        "a lag too many": moments(R=R[1:]),
        "no skip": moments(net.known._replace(modes=modes)),
        "eigenvalues at rest": moments(
            directional_curvature.moved(net.known, derivatives=0)
        ),
        "residues at rest": moments(directional_curvature.moved(net.known, residues=0)),
        "slopes twice": moments(directional_curvature.moved(net.known, derivatives=2)),
    }


def _is_detected(ratio: float, sized: Plan) -> bool:
    """True if the plan refutes a form whose ratio to the truth is given."""
    low, high = sized.detectable
    return not low < ratio < high


def score_of_moments(name: str) -> Score:
    """Mutation score of moments: mutants refuted by impulses or by the plan."""
    with double_precision(True):
        wrong = _moment_mutants(learnt(name))
    sized, truth = _in_batches(plan(MARGIN), BATCH), wrong.pop("")
    survivors = []
    with np.errstate(divide="ignore"):
        for mutant, moments in wrong.items():
            ratios = [np.divide(truth[name], moments[name]) for name in MOMENTS]
            exactly = np.abs(np.array(ratios) - 1) > EXACT
            if not (
                exactly.any() or any(_is_detected(ratio, sized) for ratio in ratios)
            ):
                survivors.append(mutant)
    return Score(len(wrong), tuple(survivors))


def score_of_curvature(name: str) -> Score:
    """Mutation score of the curvature: mutants refuted by autodiff or by the plan."""
    net = along(name)
    curve, plans, survivors = net.curvature, _curvature_plans(name, net), []
    wrong = {
        mutant: values
        for mutant, values in curve.wrong.items()
        if not np.allclose(values, curve.form, SAME, 0)
    }
    for mutant, values in wrong.items():
        simulated = zip(curve.form / values, plans, strict=True)
        exactly = np.abs(curve.autodiff / values - 1) > DIFFERENCES
        if not (exactly.any() or any(_is_detected(*pair) for pair in simulated)):
            survivors.append(mutant)
    return Score(len(wrong), tuple(survivors))
