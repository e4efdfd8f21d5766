"""Checks of the decay: finite numbers, plausible values, and sufficient number formats.

Each check yields the consequences of an error in one layer, one text per finding.
"""

import math
from collections.abc import Iterator

import ml_dtypes
import numpy as np

from sigprop.audit.lint.findings import Case, counted
from sigprop.audit.lint.resolution import (
    distinct_time_constants,
    lost,
    significant_bits,
    spacing,
)
from sigprop.layers.rglru import CLOSING
from sigprop.networks.foreign.family import time_constant
from sigprop.networks.foreign.tensors import numpy_dtype
from sigprop.neuron.stable import finite_state_moment_white

STEPS = 1000  # sequence length for the texts if none is given
TINY = 2.0**-25  # below this gap, float32 rounds |lam| to one
# Initial step sizes of S4, S5 and Mamba are between these.
SMALLEST_STEP, LARGEST_STEP = 1e-3, 1e-1
RING = (0.9, 0.999)  # initial range of Griffin's a^c


def _length(case: Case) -> int:
    return case.settings.length or STEPS


def not_finite(case: Case) -> Iterator[str]:
    """Report parameters of the decay that are infinite or NaN."""
    for name, raw in case.rest.raw.items():
        wrong = raw[~np.isfinite(raw)]
        if not wrong.size:
            continue
        kinds = f"{np.isnan(wrong).sum()} NaN, {np.isneginf(wrong).sum()} -inf"
        end = "all outputs are NaN" if np.isnan(wrong).any() else _never(case)
        yield f"{wrong.size} of {raw.size} numbers of {name} are not finite ({kinds}): {end}"


def _never(case: Case) -> str:
    return (
        "|lam| is 1 or 0 there; where it is 1, white inputs raise E|h|^2 to "
        f"{_length(case)} in {_length(case)} steps"
    )


def all_zero(case: Case) -> Iterator[str]:
    """Report a parameter of the decay whose entries are all zero."""
    for name, raw in case.rest.raw.items():
        if raw.size > 1 and not raw.any() and not _zero_by_recipe(case, name):
            times = case.times
            yield (
                f"all {raw.size} numbers of {name} are zero; time constants lie between "
                f"{times.min(initial=np.inf):.3g} and {times.max(initial=0):.3g} steps"
            )


def part_zero(case: Case) -> Iterator[str]:
    """Report a parameter of the decay that has zeros as if a part was never initialised.

    In a matrix, only rows of zeros count.  A single zero can be ``log 1``, the usual first
    entry of a row in Mamba.
    """
    for name, raw in case.rest.raw.items():
        rows = raw.reshape(len(raw), -1) if raw.ndim else raw.reshape(1, 1)
        zero = ~rows.any(1)
        least = max(2, 0.1 * zero.size) if rows.shape[1] == 1 else 1
        if zero.all() or zero.sum() < least:
            continue
        if not _zero_by_recipe(case, name):
            what = "numbers" if rows.shape[1] == 1 else "rows"
            yield (
                f"{zero.sum()} of {zero.size} {what} of {name} are exactly zero and the "
                "others are not, as after an initialisation of one shard alone"
            )


def _zero_by_recipe(case: Case, name: str) -> bool:
    """Return True if zeros are usual initial values of a parameter.

    Examples are ``log 1``, and a parameter with the same value for all modes.
    """
    recurrence = case.recurrence
    for own in recurrence.spelling.starts:
        if own in case.stored and recurrence.local(own) == name:
            return case.starts(own)
    first = next(iter(recurrence.spelling.decay), None)
    if first is None or name != recurrence.local(first):
        return False
    alone = recurrence.family.name == "mamba" and recurrence.sizes.get("n") == 1
    bounded = "lower_bound" in recurrence.options  # fla starts KDA at log 1 then
    return alone or bounded or recurrence.family.name in ("s4d", "s5")


def negative(case: Case) -> Iterator[str]:
    """Report logarithms of ``-A`` with values that are typical of ``A`` itself."""
    spelling = case.recurrence.spelling
    if case.recurrence.family.step != "softplus" or not spelling.logs:
        return  # other layers have no initial A = -exp(A_log) below -1
    name = case.recurrence.spelling.decay[0]
    raw = case.rest.raw.get(case.recurrence.local(name))
    if raw is None or raw.size < 4 or not np.isfinite(raw).all():
        return
    if raw.max() < 0 and raw.min() < -2:
        yield (
            f"all {raw.size} numbers of {case.recurrence.local(name)} are negative, from "
            f"{raw.min():.3g} to {raw.max():.3g}: A = -exp(.) lies between "
            f"{-math.exp(raw.max()):.2g} and {-math.exp(raw.min()):.2g}"
        )


def overflowing(case: Case) -> Iterator[str]:
    """Report finite parameters whose exponential overflows in the layer's format."""
    dtype = case.settings.dtype or case.storage
    most = float(ml_dtypes.finfo(numpy_dtype(dtype)).max)
    shown = set()
    for name in case.recurrence.spelling.logs:
        stored = case.stored.get(name)
        if stored is None:
            continue
        values = np.asarray(stored, float)
        beyond = np.isfinite(values) & (values > math.log(most))
        if beyond.any():
            shown.add(name)
            yield (
                f"exp({case.recurrence.local(name)}) is infinite in {dtype} for "
                f"{beyond.sum()} of {beyond.size} numbers, up to "
                f"exp({values[beyond].max():.4g}); it holds at most {most:.3g}"
            )
    if shown or not case.finite:
        return
    computed = {
        "-log|lam|": case.rest.nu,
        "the phase": case.rest.theta,
        "gamma": case.rest.gamma,
    }
    for name, values in computed.items():
        if values is None:
            continue
        beyond = ~(np.abs(values) <= most)
        if beyond.any():
            yield (
                f"{name} is infinite or NaN in {dtype} for {beyond.sum()} of "
                f"{beyond.size} modes, though every stored number is finite"
            )


def rounded(case: Case) -> Iterator[str]:
    """Report logarithms of decay rates that are stored in a narrow format."""
    dtype = case.storage
    if dtype not in ("bfloat16", "float16") or not case.stored:
        return
    names = [name for name in case.recurrence.spelling.decay if name in case.stored]
    narrow = [name for name in names if case.recurrence.tensors[name].dtype == dtype]
    if not narrow or not case.finite:
        return
    change = rounding(case)
    told = ", ".join(case.recurrence.local(name) for name in narrow)
    logs = [name for name in case.recurrence.spelling.logs if name in narrow]
    text = (
        f"{told} stored in {dtype}: rounding changes time constants by up to "
        f"{change:.1%}"
    )
    if logs:
        unit = 2.0 ** -significant_bits(dtype)
        text += (
            f"; an exponential that is taken in {dtype} changes them by up to "
            f"{unit:.1%} more"
        )
    yield f"{text}. Rounding of |lam| itself is another matter: --dtype {dtype}"


def rounding(case: Case) -> float:
    """Return the largest relative change of a decay rate by rounding of its logarithm."""
    moved = dict(case.stored)
    for name in case.recurrence.spelling.decay:
        stored = case.stored.get(name)
        if stored is None or stored.dtype.name not in ("bfloat16", "float16"):
            continue
        values = stored.astype(float)
        unit = 2.0 ** -significant_bits(stored.dtype.name)
        moved[name] = values + np.abs(values) * unit
    with np.errstate(all="ignore"):
        ratio = case.recurrence.at_rest(moved).nu / case.rest.nu
    ratio = ratio[np.isfinite(ratio) & (ratio > 0)]
    return float(np.abs(np.log(ratio)).max(initial=0))


def overwritten(case: Case) -> Iterator[str]:
    """Report logarithms of decay rates with values that are typical of a weight matrix."""
    spelling = case.recurrence.spelling
    zero = {
        case.recurrence.local(name)
        for name, start in spelling.starts.items()
        if start == 0 and name in case.stored
    }
    for name, raw in case.rest.raw.items():
        if name in zero or raw.size < 8 or not raw.any() or not np.isfinite(raw).all():
            continue
        if abs(raw.mean()) < 0.1 and raw.std() < 0.1:
            yield (
                f"{name} has mean {raw.mean():.2g} and standard deviation {raw.std():.2g}, "
                "like a new weight matrix; the median time constant is "
                f"{np.median(time_constant(case.nu)):.3g} steps"
            )


def equal_decays(case: Case) -> Iterator[str]:
    """Report decays that are equal for all modes."""
    nu = case.nu
    if all(case.starts(name) for name in case.recurrence.spelling.decay):
        return  # only the inputs distinguish modes
    if case.rest.raw and nu.size >= 4 and nu.min() > 0 and nu.max() < 1.01 * nu.min():
        time = float(time_constant(nu.mean()))
        yield f"all {nu.size} modes have a time constant of {time:.3g} steps"


def exploding(case: Case) -> Iterator[str]:
    """Report modes with ``|lam| > 1``."""
    growing = case.nu < 0
    if growing.any():
        rate = float(-case.nu.min())
        power = rate * _length(case) / math.log(10)
        yield (
            f"{counted(growing.sum(), case.nu.size)} have |lam| > 1; the fastest grows by a "
            f"factor 10^{power:.3g} in {_length(case)} steps"
        )


def frozen(case: Case) -> Iterator[str]:
    """Report modes with ``|lam| = 1`` in single precision."""
    still = (case.nu >= 0) & (case.nu <= TINY)
    if case.finite and still.any():
        count = counted(still.sum(), case.nu.size)
        if case.recurrence.family.erases:
            yield f"{count} never decay without inputs: the delta rule alone erases them"
            return
        moment = float(finite_state_moment_white(1e-12, float(_length(case))))
        yield (
            f"{count} never decay: white inputs raise "
            f"E|h|^2 to {moment:.4g} in {_length(case)} steps"
        )


def frozen_for_length(case: Case) -> Iterator[str]:
    """Report time constants that are much longer than the sequence."""
    length = case.settings.length
    if length is None or not case.nu.size or not case.finite:
        return
    long = (case.nu > TINY) & (case.nu * length < 0.01)
    if long.mean() > 0.5:
        yield (
            f"{counted(long.sum(), long.size)} have a time constant above 100 times "
            f"{length} steps: they sum their inputs without decay"
        )


def instant(case: Case) -> Iterator[str]:
    """Report moduli ``|lam|`` below the resolution of single precision."""
    gone = case.nu > 25 * math.log(2)
    if case.nu.size and gone.mean() > 0.5:
        yield (
            f"{counted(gone.sum(), gone.size)} have |lam| below {TINY:.1g}: the state "
            "equals the last input"
        )


def short(case: Case) -> Iterator[str]:
    """Report a layer in which no mode decays slowly enough for the sequence length."""
    length = case.settings.length
    if length is None or not case.nu.size or case.nu.min() <= 0:
        return
    bits = significant_bits(case.settings.dtype or "float32")
    slowest = float(case.nu.min())
    if slowest * length > bits * math.log(2):
        rests = " (computed from the biases alone)" if case.rest.moved else ""
        yield (
            f"the longest time constant is {float(time_constant(slowest)):.3g} steps{rests}. "
            f"After {length} steps 10^{-slowest * length / math.log(10):.3g} of an input "
            "remains"
        )


def resolution(case: Case) -> Iterator[str]:
    """Report modes whose gap ``1 - |lam|`` is below the resolution of the format."""
    dtype = case.settings.dtype or "float32"
    gone = lost(case.nu, dtype) & (case.nu > TINY)
    if gone.any():
        longest = max(float(time_constant(case.nu[case.nu > TINY].min())), 20.0)
        count = distinct_time_constants(dtype, 10, longest)
        yield (
            f"in {dtype} {counted(gone.sum(), gone.size)} have gaps below "
            f"{spacing(dtype):.2g}; from 10 to {longest:.3g} steps there are {count} "
            f"distinct time constants, the longest of {1 / spacing(dtype):.4g} steps"
        )


def small_steps(case: Case) -> Iterator[str]:
    """Report discretisation steps far below the initial values, as after squaring them.

    A step is not reported if its time constant is shorter than the sequence.
    """
    steps = case.rest.steps
    if steps is None or not case.finite:
        return
    least = min(SMALLEST_STEP / 2, 1 / (case.settings.length or 1))
    low = steps < least
    if low.mean() > 0.25:
        root = np.sqrt(np.median(steps))
        times = case.times
        yield (
            f"{low.sum()} of {low.size} steps are below {least:.2g}, the median "
            f"{np.median(steps):.2g} (its square root is {root:.2g}); the "
            f"longest time constant is {times.max(initial=0):.3g} steps"
        )


def large_steps(case: Case) -> Iterator[str]:
    """Report steps far above the initial values, as after setting a bias to zero."""
    steps = case.rest.steps
    if steps is None or not case.finite:
        return
    high = steps > 2 * LARGEST_STEP
    if high.mean() > 0.5:
        times = case.times
        yield (
            f"{high.sum()} of {high.size} steps are above {2 * LARGEST_STEP}, the median "
            f"{np.median(steps):.2g}; the longest time constant is "
            f"{times.max(initial=0):.3g} steps"
        )


def wrong_ring(case: Case) -> Iterator[str]:
    """Report an RG-LRU whose ``a`` is on the paper's ring, while its power ``|lam|`` is not."""
    wide = case.rest.open
    if wide is None or not np.isfinite(wide).all() or wide.min() <= 0:
        return
    base, applied = np.exp(-wide / CLOSING), np.exp(-wide)
    low, high = RING
    on_ring = base.min() > low - 1e-3 and base.max() < high + 1e-4
    if on_ring and (applied < low).mean() >= 0.5:
        yield (
            f"with open gates |lam| lies in [{applied.min():.2g}, {applied.max():.4g}]: "
            f"the longest time constant is {float(time_constant(wide.min())):.3g} steps; on "
            f"the paper's ring it would be {1 / (1 - high):.4g}"
        )


def clipped(case: Case) -> Iterator[str]:
    """Report a parameter with many entries at one end of its range, as after clipping."""
    for name, raw in case.rest.raw.items():
        if raw.ndim > 1 or raw.size < 8 or not np.isfinite(raw).all():
            continue
        span = raw.max() - raw.min()
        if span <= 1e-3 * np.abs(raw).max():
            continue
        for end in (raw.min(), raw.max()):
            count = int((raw == end).sum())
            if end != 0 and count >= max(4, 0.1 * raw.size):
                yield (
                    f"{count} of {raw.size} numbers of {name} equal {end:.6g}, an end of "
                    "their range, where the gradient is zero"
                )
