"""Rounding errors, in bits, of stable and direct closed forms near the unit circle.

The error of a result is ``log2(1 + ulps)``, relative to the derived expression in mpmath on
the same stored inputs.  mpmath computes it at two precisions, which must agree.  The *excess*
is the error without the bits that the condition numbers of ``theta`` and ``rho`` cost any
method.  The condition number of the gap is of order one and is not subtracted.  The direct
form is the derived expression in the same floating-point numbers, from the stored gap.

Gaps, ``1 - |rho|``, and angles near 0 and near pi are drawn log-uniformly; other angles are
drawn uniformly.  Exact special values are added.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp
import mpmath
import numpy as np
import xarray as xr
from jaxtyping import Float
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sympy import Expr

from sigprop.experiments.command import main
from sigprop.neuron import stable
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.theory import diagonal, ring
from sigprop.theory.symbols import T, lam, lam_bar, r, r_max, r_min, rho

STUDY, VERSION = "accuracy", 1
DTYPES = ("float64", "float32")
SMALLEST_GAP = {"float64": 1e-12, "float32": 1e-6}
DIGITS = (80, 120)  # the direct forms cancel up to 60 digits at a gap of 1e-12
STEP_LIMIT = 1e6


@dataclass(frozen=True)
class Config:
    """Number of random arguments for each function and precision."""

    samples: int = 1500
    seed: int = 0


SMOKE = Config(samples=30)
QUICK = Config()
PAPER = Config(samples=15_000)


class Form(NamedTuple):
    """A stable function, its exact and direct forms, and the arguments to test.

    ``reference`` takes mpmath numbers, and ``direct`` takes floats.  ``forced`` are the
    indices of arguments whose condition number is subtracted from the error.
    """

    stable: Callable[..., Any]
    reference: Callable[..., Any]
    direct: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int, str], list[np.ndarray]]
    forced: tuple[int, ...] = ()


def run(config: Config) -> xr.Dataset:
    """Measure every function in both precisions."""
    rows = {
        name: [_measure(form, config, dtype, index) for dtype in DTYPES]
        for index, (name, form) in enumerate(forms().items())
    }
    table = np.array(list(rows.values()))
    bits = {"units": "bits, log2(1 + ulps), largest over the arguments tried"}
    dims = ("function", "dtype")
    return xr.Dataset(
        {
            "raw": (dims, table[:, :, 0], bits),
            "excess": (dims, table[:, :, 1], bits),
            "direct": (dims, table[:, :, 2], bits),
            "points": (dims, table[:, :, 3].astype(int), {"units": "arguments tried"}),
        },
        {"function": list(rows), "dtype": list(DTYPES)},
        {"dtype": "float64 and float32"},
    )


def forms() -> dict[str, Form]:
    """Return each stable closed form with the derived expression that it must match."""
    table = {}
    for quantity in diagonal.QUANTITIES:
        expr = diagonal.moment(quantity, "exponential").result
        table[f"{quantity}_moment"] = Form(
            getattr(stable, f"{quantity}_moment"),
            _of_gap(expr, "mpmath"),
            _of_gap(expr, "numpy"),
            _eigenvalues,
            forced=(1, 2),
        )
    white = ring.white_partial_sum().result
    gain = ring.gain().result
    table["finite_state_moment_white"] = Form(
        stable.finite_state_moment_white,
        _of_gaps(white, (r,), "mpmath", (T,)),
        _of_gaps(white, (r,), "numpy", (T,)),
        _finite_times,
    )
    table["ring_gain"] = Form(
        stable.ring_gain,
        _of_gaps(gain, (r_max, r_min), "mpmath"),
        _of_gaps(gain, (r_max, r_min), "numpy"),
        _rings,
    )
    return table


def _of_gap(expr: Expr, backend: Any) -> Callable[..., Any]:
    """Compile an expression in ``lam`` and ``rho`` to a function of gap, theta and rho."""
    function = compile_expr(expr, lam, lam_bar, rho, backend=backend)

    def value(gap: Any, theta: Any, decay: Any) -> Any:
        if backend == "mpmath":
            point = (1 - gap) * mpmath.expj(theta)
            return mpmath.re(function(point, mpmath.conj(point), decay))
        point = (1 - gap) * np.exp(1j * theta)
        return np.real(function(point, np.conj(point), decay))

    return value


def _of_gaps(
    expr: Expr, radii: tuple[Any, ...], backend: Any, others: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """Compile an expression in moduli to a function of their gaps."""
    function = compile_expr(expr, *radii, *others, backend=backend)
    return lambda *values: function(
        *(1 - gap for gap in values[: len(radii)]), *values[len(radii) :]
    )


def _log_uniform(
    generator: np.random.Generator, low: float, high: float, size: int
) -> Float[np.ndarray, " size"]:
    return np.exp(generator.uniform(np.log(low), np.log(high), size))


def _eigenvalues(
    generator: np.random.Generator, size: int, dtype: str
) -> list[np.ndarray]:
    """Return gaps, angles and ``rho``: random values, then special ones."""
    low = SMALLEST_GAP[dtype]
    gap = _log_uniform(generator, low, 1.0, size)
    small = _log_uniform(generator, low, 1.0, size)
    generic = generator.uniform(0, np.pi, size)
    theta = np.choose(np.arange(size) % 3, [small, np.pi - small, generic])
    distance = _log_uniform(generator, low, 1.0, size)
    decay = (1 - distance) * generator.choice([-1, 1], size)
    gaps = np.geomspace(low, 1, 13)
    special = [
        (g, t, d)
        for g in gaps
        for t in (0.0, np.pi, gaps[4], 1.0)
        for d in (0.0, 1.0, -1.0, 1 - g)
    ]
    return [
        np.concatenate([random, fixed])
        for random, fixed in zip((gap, theta, decay), np.array(special).T, strict=True)
    ]


def _finite_times(
    generator: np.random.Generator, size: int, dtype: str
) -> list[np.ndarray]:
    """Return gaps and numbers of steps, from one step to ``STEP_LIMIT``."""
    gap = _log_uniform(generator, SMALLEST_GAP[dtype], 1.0, size)
    steps = np.floor(_log_uniform(generator, 1.0, STEP_LIMIT, size))
    steps[:5], gap[:2] = 1, (1, SMALLEST_GAP[dtype])
    return [gap, steps]


def _rings(generator: np.random.Generator, size: int, dtype: str) -> list[np.ndarray]:
    """Return gaps of outer and inner radii: wide and thin rings, circles and discs."""
    low = SMALLEST_GAP[dtype]
    outer = _log_uniform(generator, low, 1.0, size)
    wide = outer + (1 - outer) * generator.uniform(0, 1, size)
    thin = outer * (1 + _log_uniform(generator, low, 1.0, size))
    inner = np.where(np.arange(size) % 2, np.minimum(thin, 1), wide)
    inner[:10] = 1
    return [outer, inner]


def _measure(form: Form, config: Config, dtype: str, index: int) -> list[float]:
    """Return the largest raw, excess and direct errors in bits, and the number of points."""
    generator = np.random.default_rng([config.seed, index, DTYPES.index(dtype)])
    arguments = form.arguments(generator, config.samples, dtype)
    # Round first, so that all forms are evaluated at the stored arguments.
    stored = [values.astype(dtype) for values in arguments]
    with double_precision(dtype == "float64"):
        result = np.asarray(form.stable(*(jnp.asarray(values) for values in stored)))
    if result.dtype != dtype:
        raise ValueError(f"need a result in {dtype}, got {result.dtype}")
    with np.errstate(all="ignore"):
        direct = np.asarray(form.direct(*stored)).astype(dtype)
    worst = np.zeros(3)
    digits = np.finfo(dtype).nmant + 1
    for row, stable_value, direct_value in zip(
        zip(*stored, strict=True), result, direct, strict=True
    ):
        exact, forced = _reference(form, tuple(float(value) for value in row))
        raw, plain = (
            _bits(value, exact, dtype, digits) for value in (stable_value, direct_value)
        )
        worst = np.maximum(worst, [raw, max(raw - forced, 0), plain])
    return [*map(float, worst), float(len(result))]


def _reference(form: Form, row: tuple[float, ...]) -> tuple[Any, float]:
    """Return the exact value, and the bits lost to the condition of ``forced`` arguments.

    Raises:
        ArithmeticError: If the two precisions disagree.
    """
    values = []
    for digits in DIGITS:
        with mpmath.workdps(digits):
            arguments = [mpmath.mpf(value) for value in row]
            try:
                values.append(form.reference(*arguments))
            except ZeroDivisionError:  # equal radii: take the limit of a thin ring
                values.append(1 / (arguments[0] * (2 - arguments[0])))
    with mpmath.workdps(DIGITS[0]):
        if abs(values[0] / values[1] - 1) > mpmath.mpf(10) ** -18:
            raise ArithmeticError(f"{DIGITS} digits disagree at {row}")
        condition = mpmath.mpf(0)
        for k in form.forced:
            condition += _condition(form.reference, row, k, values[0])
        return values[1], float(mpmath.log(1 + condition, 2))


def _condition(
    function: Callable[..., Any], row: tuple[float, ...], k: int, value: Any
) -> Any:
    """Return ``|x f'(x) / f(x)|`` in argument ``k``, by a central difference."""
    exact = [mpmath.mpf(x) for x in row]
    width = mpmath.mpf(10) ** -30

    def shifted(sign: int) -> Any:
        moved = [x + sign * width * (i == k) for i, x in enumerate(exact)]
        return function(*moved)

    return abs(exact[k] * (shifted(1) - shifted(-1)) / (2 * width) / value)


def _bits(value: Any, exact: Any, dtype: str, digits: int) -> float:
    """Return ``log2(1 + ulps)``, or all bits for NaN and infinity."""
    if not np.isfinite(value):
        return float(digits)
    spacing = float(np.spacing(np.dtype(dtype).type(abs(float(exact)))))
    with mpmath.workdps(DIGITS[0]):
        ulps = abs(mpmath.mpf(float(value)) - exact) / spacing
        return min(float(mpmath.log(1 + ulps, 2)), float(digits))


def show(dataset: xr.Dataset) -> None:
    """Print the table."""
    table = Table(title="Largest error in bits, log2(1 + ulps)", box=SIMPLE_HEAD)
    table.add_column("function", no_wrap=True)
    table.add_column("gaps from", no_wrap=True)
    for name in ("points", "excess", "raw", "direct"):
        table.add_column(name, justify="right", no_wrap=True)
    for function in dataset["function"].values:
        for dtype in map(str, dataset["dtype"].values):
            row = dataset.sel(function=function, dtype=dtype)
            table.add_row(
                str(function),
                f"{SMALLEST_GAP[dtype]:g} ({dtype})",
                str(int(row["points"])),
                *(f"{float(row[name]):.1f}" for name in ("excess", "raw", "direct")),
            )
    Console().print(table)


if __name__ == "__main__":
    main(STUDY)
