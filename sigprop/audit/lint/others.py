"""Checks of phases, normalisation, gates, input and output weights, and the optimiser.

Each check yields the consequences of an error in one layer, one text per finding.
"""

import math
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from sigprop.audit.lint.findings import Case, counted
from sigprop.networks.foreign.family import time_constant
from sigprop.neuron.ring import normalisation
from sigprop.neuron.stable import state_moment
from sigprop.numerics.precision import double_precision

# With this offset, a gate is below 1 % or above 99 % for most unit-variance inputs.
SATURATED = 4 + math.log(99)
TINIEST = float(np.finfo(np.float32).tiny)
# A fresh one has at most about 1.2: |W| is 0.6 to 1, a forget gate below 1.
GROWING = 1.5
# Correlations of consecutive inputs to which a normalisation may have been matched, so
# near to each other that a gamma between two is off by a fifth.
CORRELATIONS = tuple(
    sign * (1 - 0.5 / 1.5**step) for sign in (1, -1) for step in range(17)
)
MATCHED = 1.25  # largest factor between gamma and a match, in nine modes of ten
FEWEST = 8  # smallest number of modes for which a match is not chance
STEEP = 100  # norm of a gate's row at which it saturates in 96 % of steps
TURNS = 64  # turns per sequence beyond which the loss has narrow valleys


def dead(case: Case) -> Iterator[str]:
    """Report modes whose input or output weights are all zero."""
    for name, weight in case.rest.silent.items():
        none = weight == 0
        if none.any():
            yield (
                f"{counted(none.sum(), none.size)} have zero in {name}: they change no "
                "output, and the gradient of their decay is zero"
            )
    gamma = case.rest.gamma
    if gamma is not None and (gamma < TINIEST).any():
        none = int((gamma < TINIEST).sum())
        yield f"{counted(none, gamma.size)} have gamma = 0 in float32: they receive no input"


def duplicated(case: Case) -> Iterator[str]:
    """Report modes that have the same input and the same eigenvalue."""
    if not case.rest.shared:
        return
    theta = case.rest.theta
    pair = case.rest.nu if theta is None else case.rest.nu + 1j * theta
    size = pair.shape[1]
    own = 1 + np.count_nonzero(np.diff(np.sort(pair, 1), axis=1), axis=1)
    row = int(own.argmin())
    if own.sum() < 0.9 * pair.size:
        where = f" of row {row}" if len(pair) > 1 else ""
        repeated = size - own[row]
        yield (
            f"{size} modes{where} have {own[row]} distinct eigenvalues: {repeated} add "
            "nothing to the impulse response"
        )


def gamma_off(case: Case) -> Iterator[str]:
    """Report a ``gamma`` that does not normalise the states for white or AR(1) inputs."""
    gamma = case.rest.gamma
    if gamma is None or not case.finite or not (case.rest.nu > 0).all():
        return
    wanted = np.asarray(normalisation(jnp.asarray(case.rest.nu, float)), float)
    good = (wanted > 0) & (gamma > 0)
    ratio = gamma[good] / wanted[good]
    if not ratio.size or np.median(np.abs(np.log(ratio))) <= math.log(2):
        return
    if not _matched(case, gamma, good):
        yield (
            f"the median of gamma / sqrt(1 - |lam|^2) is {np.median(ratio):.3g}: for white "
            f"inputs of variance 1, E|h|^2 is {np.mean(ratio**2):.3g} instead of 1"
        )


def swapped(case: Case) -> Iterator[str]:
    """Report a bias of another gate that probably belongs to the gate of the decay."""
    gates = {name: bias.reshape(-1) for name, bias in case.rest.gates.items()}
    own = next((name for name in ("forget", "update") if name in gates), None)
    if own is None or not all(np.isfinite(bias).all() for bias in gates.values()):
        return
    kept = gates.pop(own)
    for name, bias in gates.items():
        if np.abs(kept).max() < 1 and np.median(bias) > 2:
            times = 1 + np.exp((np.median(bias), np.median(kept)))
            yield (
                f"the {name} gates have biases up to {bias.max():.3g}, the {own} gates up "
                f"to {kept.max():.3g}; as {own} biases, they would give a median time "
                f"constant of {times[0]:.3g} steps instead of {times[1]:.3g}"
            )


def feedback(case: Case) -> Iterator[str]:
    """Report recurrent weights for which small states grow without inputs."""
    jacobian = case.rest.jacobian
    if jacobian is None or not np.isfinite(jacobian).all():
        return
    radius = spectral_radius(jacobian)
    if radius > GROWING:
        yield (
            f"without inputs, small states grow by a factor {radius:.3g} per step (spectral "
            f"radius of the Jacobian of {len(jacobian)} neurons at state zero)"
        )


def spectral_radius(matrix: np.ndarray, squarings: int = 10) -> float:
    """Estimate the largest modulus of an eigenvalue by Gelfand's formula.

    The estimate is ``|M^k|^(1/k)`` with the Frobenius norm and ``k = 2^squarings``.  For a
    normal matrix of ``n`` rows it is too large by a factor of at most ``n^(1/(2 k))``.

    Args:
        matrix: Square matrix ``M``.
        squarings: Number of times that the matrix is squared.

    Example:
        >>> round(spectral_radius(np.diag([0.5, -2.0])), 2)
        2.0
    """
    power, log = matrix.astype(np.float32), 0.0
    for _ in range(squarings):
        norm = float(np.linalg.norm(power))
        if norm == 0:
            return 0.0
        power = power / norm
        log = 2 * (log + math.log(norm))
        power = power @ power
    norm = float(np.linalg.norm(power))
    return math.exp((log + math.log(norm)) / 2**squarings) if norm else 0.0


def turned(case: Case) -> Iterator[str]:
    """Report matrices that are stored as their transposes."""
    for name in case.recurrence.turned:
        tensor = case.recurrence.tensors[name]
        yield (
            f"{case.recurrence.local(name)} has shape {tensor.shape[::-1]}; "
            f"{case.recurrence.spelling.library} has {tensor.shape}, and its transpose "
            "was read"
        )


def _matched(case: Case, gamma: np.ndarray, good: np.ndarray) -> bool:
    """Return True if ``E|h|^2`` is near one in nine of ten modes for some AR(1) input."""
    if case.rest.theta is None or good.sum() < FEWEST or np.ptp(gamma) == 0:
        return False
    gap, theta = -np.expm1(-case.rest.nu[good]), case.rest.theta[good]
    with double_precision(True):
        moments = [
            gamma[good] ** 2 * np.asarray(state_moment(gap, theta, rho))
            for rho in CORRELATIONS
        ]
    off = [np.quantile(np.abs(np.log(moment)), 0.9) for moment in moments]
    return bool(min(off) < 2 * math.log(MATCHED))


def saturated(case: Case) -> Iterator[str]:
    """Report gates that are saturated, so that inputs hardly change them."""
    for name, bias in case.rest.gates.items():
        far = np.abs(bias) > SATURATED
        if far.mean() > 0.1:
            derivative = math.exp(-float(np.median(np.abs(bias[far]))))
            yield (
                f"{far.sum()} of {far.size} {name} gates have a bias beyond "
                f"{SATURATED:.2g}; their derivative is {derivative:.1g}, where 0.25 is possible"
            )

    if case.scale > STEEP:
        told = case.recurrence.local(case.recurrence.spelling.moves[-1])
        yield (
            f"rows of {told} have a median norm of {case.scale:.3g}: for inputs of "
            f"variance 1 the gate is open or shut in all but {3.7 / case.scale:.1%} of "
            "steps"
        )


def unmoved(case: Case) -> Iterator[str]:
    """Report matrices of the decay whose entries are all equal, as if not initialised."""
    moves = [
        name
        for name in case.recurrence.spelling.moves
        if name in case.recurrence.tensors
    ]
    if not moves or not set(moves) <= set(case.constant):
        return
    if all(case.starts(name) for name in moves):
        return
    told = " and ".join(case.recurrence.local(name) for name in moves)
    values = ", ".join(f"{case.constant[name]:.3g}" for name in moves)
    yield f"all numbers of {told} equal {values}: all modes see inputs alike or not at all"


def aliased(case: Case) -> Iterator[str]:
    """Report phases above pi per step for most modes, or phases above 2 pi."""
    theta = case.rest.theta
    if theta is None or not np.isfinite(theta).all():
        return
    if case.rest.steps is not None:
        beyond = np.abs(theta) > math.pi
        if beyond.mean() > 0.5:
            yield (
                f"{counted(beyond.sum(), beyond.size)} rotate by more than pi per step, up "
                f"to {np.abs(theta).max():.3g}: they act like slower rotations"
            )
    elif (np.abs(theta) > 2.1 * math.pi).any():
        beyond = np.abs(theta) > 2.1 * math.pi
        yield (
            f"{counted(beyond.sum(), beyond.size)} have phases beyond 2 pi, up to "
            f"{np.abs(theta).max():.3g}: only the remainder modulo 2 pi counts"
        )


def turning(case: Case) -> Iterator[str]:
    """Report slow modes that rotate many times within the sequence."""
    length, theta = case.settings.length, case.rest.theta
    if length is None or theta is None or not np.isfinite(theta).all():
        return
    folded = np.abs(np.angle(np.exp(1j * theta)))
    slow = (case.rest.nu > 0) & (case.rest.nu * length < 1)
    turns = folded[slow] * length / (2 * math.pi)
    if turns.size and turns.mean() > TURNS:
        yield (
            f"{turns.size} modes have time constants above {length} steps and rotate "
            f"{turns.mean():.3g} times within {length} steps"
        )


def decayed(case: Case) -> Iterator[str]:
    """Report weight decay of the decay's parameters, or of the skip connection."""
    optimiser = case.settings.optimiser
    if optimiser is None:
        return
    names = [*case.recurrence.spelling.slow, "D"]
    hit = {}
    for name in dict.fromkeys(names):
        tensor = case.recurrence.tensors.get(name)
        feedback = case.rest.jacobian is not None and tensor and len(tensor.shape) > 1
        group = None if tensor is None or feedback else optimiser.group(tensor.name)
        if group is not None and group.rate * group.decay > 0:
            hit[name] = group
    if not hit:
        return
    group = max(hit.values(), key=lambda group: group.rate * group.decay)
    half = math.log(2) / (group.rate * group.decay)
    steps = optimiser.steps or half
    stored = case.recurrence.read(case.recurrence.spelling.slow)
    shrunk = {
        name: value * math.exp(-hit[name].rate * hit[name].decay * steps)
        if name in hit
        else value
        for name, value in stored.items()
    }
    later = case.recurrence.at_rest(shrunk)
    before, after = (
        float(np.median(time_constant(nu))) for nu in (case.rest.nu, later.nu)
    )
    told = ", ".join(case.recurrence.local(name) for name in hit)
    yield (
        f"{told} halve in {half:.4g} steps (learning rate {group.rate:g}, weight "
        f"decay {group.decay:g}); this alone changes the median time constant from "
        f"{before:.3g} to {after:.3g} steps in {steps:.4g} training steps"
    )
