"""Evidence for moments of whole networks: impulse responses, or simulation."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Inexact, PRNGKeyArray

from sigprop.inputs import AR1
from sigprop.judge.basis import Basis, Check, Results, by_mutants
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import Plan, judge, plan
from sigprop.linear.measured_moments import channels
from sigprop.networks.assembly import build
from sigprop.networks.network import Network
from sigprop.networks.presets import zucchet_paper
from sigprop.networks.propagation import Moments, predict_signals
from sigprop.neuron.montecarlo import Estimate
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import double_precision
from sigprop.theory.claims import Claim

CLAIM = "sigprop:network-moments"
STEPS, WIDTH, FEATURES, DEPTH = 32, 32, 12, 3
RADII, SHORT = (0.4, 0.9), (0.1, 0.4)  # with the latter, states forget within the steps
MOVED = 0.2  # standard deviation of changes of weights, so that blocks matter
MARGIN, OFF = 0.15, 0.06
PILOT, INFLATION = 512, 1.5
EXACT = 1e-9  # relative error allowed for a linear network
NAMES = ("stream", "state")
PROCESS = AR1(0.5)
R = PROCESS.autocovariance(np.arange(STEPS))

Mutant = Callable[[Network], Network]


@functools.cache
def network(radii: tuple[float, float], mixing: str) -> tuple[Network, Any]:
    """The network of the claim, the same in every run, and its state."""
    preset = dataclasses.replace(
        zucchet_paper(nu0=0.5, features=FEATURES),
        layer="lru",
        layer_options={"r_min": radii[0], "r_max": radii[1]},
        width=WIDTH,
        state_size=WIDTH,
        depth=DEPTH,
        mixing=mixing,
    )
    initial, state = build(preset, key=group_key(0, CLAIM))
    noise, size = np.random.default_rng(0), MOVED if mixing != "none" else 0.0

    def move(leaf: Any) -> Any:
        if not eqx.is_inexact_array(leaf):
            return leaf
        return jnp.asarray(leaf, float) + size * noise.standard_normal(leaf.shape)

    with double_precision(True):
        return jax.tree.map(move, initial), state


def _look(
    net: Network, state: Any, u: Float[Array, "time features"]
) -> tuple[Float[Array, "blocks width"], Inexact[Array, "blocks n"]]:
    x, streams, states = net.encode(u, None), [], []
    for block in net.blocks:
        states.append(block.layer.states(x)[-1])
        x, _ = block(x, state)
        streams.append(x[-1])
    return jnp.stack(streams), jnp.stack(states)


@eqx.filter_jit(compiler_options=SOME)  # type: ignore[call-overload]
def _look_at_all(net: Network, state: Any, u: Float[Array, "num time features"]):
    return jax.vmap(lambda sequence: _look(net, state, sequence))(u)


def measure(key: PRNGKeyArray, num: int) -> list[Estimate]:
    """Stream and states of the network over sampled inputs, with an entry per block."""
    parts = []
    for index in range(-(-num // PILOT)):
        u = channels(
            jax.random.fold_in(key, index), PROCESS, PILOT, STEPS, FEATURES, float
        )
        streams, states = _look_at_all(*network(RADII, "glu"), u)
        squares = jnp.mean(streams**2, 2), jnp.sum(jnp.abs(states) ** 2, 2)
        parts.append(np.stack([np.asarray(square) for square in squares]))
    values = np.concatenate(parts, 1)
    error = values.std(1, ddof=1) / values.shape[1] ** 0.5
    return [
        Estimate(mean, sem, values.shape[1])
        for mean, sem in zip(values.mean(1), error, strict=True)
    ]


@functools.cache
def planned() -> Plan:
    """The plan of every block and quantity, from a pilot of the most variable one."""
    pilot = measure(pilot_key(CLAIM), PILOT)
    spread = max(float(np.max(estimate.sem / estimate.mean)) for estimate in pilot)
    sized = plan(MARGIN, variance=INFLATION * PILOT * spread**2, exact=False, off=OFF)
    return dataclasses.replace(sized, n=PILOT * -(-sized.n // PILOT))


@functools.cache
def simulation(seed: int) -> list[Estimate]:
    """The simulation of a run."""
    return measure(group_key(seed, CLAIM), planned().n)


@functools.cache
def exact() -> Moments:
    """Moments of the linear network, by double sums of its impulse responses."""
    impulses = np.zeros((FEATURES * STEPS + 1, STEPS, FEATURES))
    for age, channel in np.ndindex(STEPS, FEATURES):
        impulses[FEATURES * age + channel, STEPS - 1 - age, channel] = 1
    responses = _look_at_all(*network(SHORT, "none"), jnp.asarray(impulses))
    toeplitz = R[np.abs(np.subtract.outer(np.arange(STEPS), np.arange(STEPS)))]
    squares = []
    for values in map(np.asarray, responses):
        rest, moved = values[-1], values[:-1] - values[-1:]
        K = moved.reshape(STEPS, FEATURES, *rest.shape)
        sums = np.sum(np.tensordot(toeplitz, K, 1) * K.conj(), (0, 1)).real
        squares.append(sums + np.abs(rest) ** 2)
    return Moments(squares[0].mean(1), squares[1].sum(1))


def moments(mutant: Mutant = lambda net: net) -> Results:
    """Judge the moments that are predicted for a network with a mutant."""

    def results(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
        rows = []
        with double_precision(True):
            linear = predict_signals(mutant(network(SHORT, "none")[0]), R, samples=0)[
                :2
            ]
            for name, values, right in zip(NAMES, linear, exact(), strict=True):
                ratio = float((values / right)[np.argmax(np.abs(values / right - 1))])
                agrees = abs(ratio - 1) <= EXACT
                rows.append(decided("impulse", f"linear, {name}", ratio, agrees))
            form = predict_signals(mutant(network(RADII, "glu")[0]), R, samples=0)[:2]
            for name, values, estimate in zip(
                NAMES, form, simulation(seed), strict=True
            ):
                for index, value in enumerate(values):
                    mean, sem = float(estimate.mean[index]), float(estimate.sem[index])
                    verdict = judge(mean, value, planned(), sem)
                    point = f"{name}, block {index + 1}"
                    rows.append(simulated_result(point, verdict))
        return tuple(rows)

    return results


def _every(where: Callable[[Any], Any], change: Callable[[Array], Array]) -> Mutant:
    """A mutant in the mixing of every block, at the place that ``where`` finds."""

    def mutant(model: Network) -> Network:
        if model.blocks[0].mixing is None:
            return model
        return eqx.tree_at(
            lambda net: [where(block) for block in net.blocks],
            model,
            replace_fn=change,
        )

    return mutant


MUTANTS: dict[str, Mutant] = {
    "the blocks in reverse": lambda model: eqx.tree_at(
        lambda net: net.blocks, model, model.blocks[::-1]
    ),
    "the gate half open": _every(
        lambda block: block.mixing.gate.weight, jnp.zeros_like
    ),
    "the gate by the value": _every(
        lambda block: block.mixing.gate.weight, jnp.negative
    ),
    "no bias in the encoder": lambda model: eqx.tree_at(
        lambda net: net.encoder.bias, model, replace_fn=jnp.zeros_like
    ),
    "the layer's skip left out": _every(lambda block: block.layer.D, jnp.zeros_like),
}

EVIDENCE: dict[str, Basis] = {
    CLAIM: Check(
        moments(),
        by_mutants({name: moments(mutant) for name, mutant in MUTANTS.items()}),
        ("impulse", "monte_carlo"),
    ),
}
