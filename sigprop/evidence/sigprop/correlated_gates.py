"""Evidence for our own statements on gates with correlated inputs.

A chain of two values is judged by the sum over all sequences, and by many steps of the
recursion.  Layers are judged by the sum over all sequences of two inputs, and by
simulation with AR(1) series.  Both run the compiled program that is used for
independent inputs.
"""

import functools
import itertools
import math
from typing import Any

import numpy as np

from sigprop.evidence.kit import Points
from sigprop.evidence.sigprop import gates
from sigprop.judge.basis import Basis, Check, Evidence
from sigprop.judge.mutants import Score
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import Plan, judge
from sigprop.linear.gated_moments import (
    enumerate_gated,
    mutated_gated,
    predict_gated,
)
from sigprop.neuron.chains import Chain, Recursion, law_axis
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision
from sigprop.theory import correlated_gates as theory
from sigprop.theory.claims import Claim

FADED = 12  # steps after which |a|^n is below 1e-12 for |a| up to 0.1


def _point(p: float, rho: float, first: Any, second: Any) -> dict[str, Any]:
    """A chain of two values, and the expectations in the statement."""
    point: dict[str, Any] = {"p": p, "rho": rho}
    expected = dict.fromkeys(theory.F, 0.0)
    for chance, (a, b) in ((p, first), (1 - p, second)):
        psi, phi = 1 / (1 - rho * a), 1 / (1 - rho * a**2)
        here = {"a": a * psi, "b": b * psi, "aa": a * a * phi, "bb": b * b * phi}
        here |= {"ab": a * b * psi * phi, "abb": a * b * b * psi * phi}
        expected = {
            name: total + chance * here[name] for name, total in expected.items()
        }
    point |= {"a_1": first[0], "b_1": first[1], "a_2": second[0], "b_2": second[1]}
    point |= {f"F_{name}": value for name, value in expected.items()}
    return {**point, "radius": _recursion(**point).radius()}


def _recursion(**at: Any) -> Recursion:
    """Chain of two values of ``_point``, in numbers."""
    law = Law(np.array([[0.0], [1.0]]), np.array([at["p"], 1 - at["p"]]))
    parts = [np.array([at[f"{name}_1"], at[f"{name}_2"]]) for name in "ab"]
    return Recursion(Chain((law_axis(law, at["rho"]),), 1), parts)


def enumerated(steps: int, **at: Any) -> float:
    """``E h^2`` as a sum over all sequences of two values with correlation ``rho``."""
    p, rho = at["p"], at["rho"]
    chances, total = (p, 1 - p), []
    for sequence in itertools.product((0, 1), repeat=steps):
        weight, h, last = 1.0, 0.0, None
        for value in sequence:
            chance = chances[value]
            weight *= (
                chance if last is None else rho * (value == last) + (1 - rho) * chance
            )
            h = at[f"a_{value + 1}"] * h + at[f"b_{value + 1}"]
            last = value
        total.append(weight * h**2)
    return math.fsum(total)


CHAINS: Points = tuple(
    _point(*chain)
    for chain in (
        (0.4, 0.6, (0.1, 1.0), (-0.07, 0.6)),
        (0.7, -0.3, (0.08, -0.8), (-0.1, 2.0)),
        (0.15, 0.9, (-0.06, 1.4), (0.09, -0.3)),
    )
)

# Whole layers with elementwise gates, each with another correlation of inputs.

RHO = {"rglru": 0.9, "mingru": -0.6, "selective": 0.8, "gla": -0.5, "unit": 0.7}


@functools.cache
def closed(name: str) -> dict[str, float]:
    """The moments of a layer under its AR(1) series."""
    moments_by_name = predict_gated(
        gates.layer_of(name), terms=((1.0, RHO[name]),), steps=gates.STEPS
    )
    return {quantity: value for quantity, (value, _) in moments_by_name.items()}


def closure(name: str, rho: float) -> dict[str, float]:
    """Ratio of each stationary moment under independent inputs to that under AR(1) inputs."""
    with double_precision(True):
        layer = gates.layer_of(name)
        exact = predict_gated(layer, terms=((1.0, rho),))
        return {q: v / exact[q].value for q, (v, _) in predict_gated(layer).items()}


@functools.cache
def plans(name: str) -> dict[str, Plan]:
    """The plan of each quantity of a layer, from the variance in a pilot."""
    key = pilot_key(f"sigprop:gates-remembering {name}")
    pilot = gates.sampled_moments(key, gates.layer_of(name), gates.PILOT, RHO[name])
    return gates.planned(pilot, gates.HEAVY.get(name, gates.INFLATION))


def layer_moments(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Judge moments of each layer by sums over all sequences, and by simulation."""
    results = []
    with double_precision(True):
        for name, rho in RHO.items():
            layer = gates.layer_of(name)
            law = gates.two_inputs(layer.widths[0])
            exact = predict_gated(
                layer, law=law, terms=((1.0, rho),), steps=gates.STEPS
            )
            for quantity, value in enumerate_gated(
                layer, law, gates.STEPS, rho
            ).items():
                ratio = value / exact[quantity].value
                right = abs(ratio - 1) <= gates.EXACT
                point = f"{name}, two inputs, {quantity}"
                results.append(decided("enumeration", point, ratio, right))
            sized = plans(name)
            key, most = (
                group_key(seed, f"{claim.id} {name}"),
                next(iter(sized.values())),
            )
            samples = gates.sampled_moments(key, layer, most.n, rho)
            for quantity, planned in sized.items():
                mean, sem, _ = samples[quantity]
                form = closed(name)[quantity]
                verdict = judge(float(mean), form, planned, float(sem))
                results.append(
                    simulated_result(f"{name}, rho={rho:g}, {quantity}", verdict)
                )
    return tuple(results)


def mutants(rho: float) -> dict[str, dict[str, Any]]:
    """Options of ``mutated_gated`` that make the operator wrong, by name."""

    def without(index: int) -> dict[str, Any]:
        def change(parts: list[Any]) -> list[Any]:
            return [0 * part if k == index else part for k, part in enumerate(parts)]

        return {"change": change}

    wrong = {
        "inputs as if independent": 0.0,
        "the correlation squared": rho**2,
        "the correlation reversed": -rho / 2,
        "half of the correlation": rho / 2,
        "inputs that never change": 1.0,
    }
    return {
        **{name: {"terms": ((1.0, value),)} for name, value in wrong.items()},
        "a at rest": without(2),
        "b at rest": without(3),
        "half of the steps": {"steps": gates.STEPS // 2},
    }


def score(claim: Claim) -> Score:
    """Mutation score: mutants that the sequences of two inputs refute or miss."""
    del claim  # all mutants are tried on every layer
    survivors, total = [], 0
    with double_precision(True):
        for name, rho in RHO.items():
            layer = gates.layer_of(name)
            law = gates.two_inputs(layer.widths[0])
            common: dict[str, Any] = {"terms": ((1.0, rho),), "steps": gates.STEPS}
            truth = predict_gated(layer, law=law, **common)
            for mutant, options in mutants(rho).items():
                mutated = mutated_gated(
                    options.get("change"),
                    layer,
                    law=law,
                    terms=options.get("terms", common["terms"]),
                    steps=options.get("steps", common["steps"]),
                )
                total += 1
                apart = [
                    abs(mutated[quantity].value / value - 1)
                    for quantity, (value, _) in truth.items()
                ]
                if max(apart) <= gates.EXACT:
                    survivors.append(f"{mutant}, {name}")
    return Score(total, tuple(survivors))


EVIDENCE: dict[str, Basis] = {
    "sigprop:remembering-state": Evidence(
        CHAINS,
        {
            "reference": lambda **at: enumerated(FADED, **at),
            "steps": lambda **at: _recursion(**at).after(200),
        },
        proof=theory.state_limit_holds,
    ),
    "sigprop:gates-remembering": Check(
        layer_moments, score, ("enumeration", "monte_carlo")
    ),
}
