"""A verification run: judge every claim by its routes.

A run derives and compares forms symbolically, fixes every sample size, and runs the
deterministic routes.  It then simulates each input once for all claims, judges the claims,
and scores mutants.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

import jax.numpy as jnp
import numpy as np
from sympy import Expr

from sigprop.judge import simulate
from sigprop.judge.basis import Grid, Row
from sigprop.judge.forms import Miss, compared, counterexample, relative_error
from sigprop.judge.mutants import Score, Scores
from sigprop.judge.parallel import Find, checking
from sigprop.judge.plans import (
    HEADLINE_MARGIN,
    TIERS,
    Reading,
    make_plans,
    score,
)
from sigprop.judge.results import ClaimResult, RouteResult, Run, decided
from sigprop.judge.routes import QUANTITIES, Routes, reach
from sigprop.judge.statuses import finish, simulated_result
from sigprop.judge.verdict import (
    ALPHA,
    BETA,
    DistancePlan,
    Plan,
    distance_plan,
    judge,
    judge_uniform,
    require_small,
)
from sigprop.neuron import ring
from sigprop.neuron.montecarlo import Sums
from sigprop.numerics.devices import device_kind
from sigprop.numerics.evaluate import precise
from sigprop.numerics.points import Point, RingPoint
from sigprop.numerics.precision import double_precision
from sigprop.theory.claims import Claim
from sigprop.theory.symbols import T

TOLERANCE = 1e-10  # relative error allowed between deterministic routes
Progress = Callable[[str, int, int], None]


@dataclass
class Case:
    """A claim that is judged on a grid, with its results so far."""

    claim: Claim
    grid: Grid
    derived: Expr
    truths: dict[Point, complex]
    wrong: dict[Point, complex]  # values of the printed form, if it differs
    results: list[RouteResult]
    plans: dict[Point, Plan] = field(default_factory=dict)
    # share of the limit that the simulated steps reach
    shares: dict[Point, float] = field(default_factory=dict)
    score: Score = field(default_factory=lambda: Score(0, ()))
    seconds: float = 0.0

    @property
    def finite(self) -> bool:
        """True if the derived form depends on the number of steps."""
        return self.derived.has(T)


def prepare(row: Row, tier: str, samples: int | None = None) -> Case:
    """Derive the form, compare it with the printed form, evaluate it, and fix plans."""
    case = begin(row)
    plans = make_plans(case.grid, case.derived, case.truths, tier, samples)
    for point, plan in plans.items():
        allowed = tolerance_at(case.grid, point)
        require_small(allowed, plan.margin, f"{row.claim.id} at {point}")
    case.plans = plans
    quantity = case.grid.quantity
    case.shares = {p: 1.0 if case.finite else reach(quantity, p) for p in plans}
    case.score = score(case.grid, case.derived, plans)
    return case


def begin(row: Row) -> Case:
    """Derive the form, compare it with the printed form, and evaluate it on the grid."""
    claim, grid = row.claim, row.basis
    assert isinstance(grid, Grid)
    assert claim.derive is not None
    derived = claim.derive().result
    results = list(compared(claim, derived))
    differs = any(result.form == "printed" for result in results)
    for point in grid.points:
        point.require_inside()
    points = grid.points if grid.quantity != "ring_law" else ()
    truths = dict(zip(points, precise(derived, points), strict=True))
    wrong = precise(claim.printed(), points) if claim.printed and differs else []
    return Case(
        claim, grid, derived, truths, dict(zip(points, wrong, strict=False)), results
    )


def _compare(
    route: str,
    point: Point,
    value: complex,
    form: complex,
    tolerance: float,
    which: str,
) -> RouteResult:
    """Judge a deterministic value; a form of zero or not finite is refuted."""
    with np.errstate(all="ignore"):
        ratio = complex(np.divide(value, form))
    if abs(ratio.imag) > tolerance:
        ratio = complex(float("nan"))
    right = abs(ratio.real - 1) <= tolerance
    return decided(route, str(point), ratio.real, right, which)


def tolerance_at(grid: Grid, point: Point) -> float:
    """Return the tolerance at a point; for a limit it is the stated remainder."""
    if grid.quantity == "thin_ring" and isinstance(point, RingPoint):
        width = point.r_max**2 - point.r_min**2
        return width / (2 * (1 - point.r_max**2))
    return TOLERANCE


def deterministic(case: Case) -> None:
    """Add the results of deterministic routes, also for a printed form that differs."""
    routes: Routes = QUANTITIES[case.grid.quantity]
    for point, truth in case.truths.items():
        values: list[tuple[str, complex]] = [
            ("reference", routes.reference(point, case.finite)),
            (routes.impulse_name, routes.impulse(point, case.finite)),
        ]
        if routes.closed_form and not case.finite:
            stable = routes.closed_form(point)
            if stable is not None:
                values.append(("closed_form", complex(stable)))
        tolerance = tolerance_at(case.grid, point)
        for route, value in values:
            case.results.append(
                _compare(route, point, value, truth, tolerance, "derived")
            )
        if point in case.wrong:
            wrong = case.wrong[point]
            case.results.append(
                _compare("reference", point, values[0][1], wrong, tolerance, "printed")
            )


def statistical(case: Case, measured: dict[Reading, Sums]) -> None:
    """Add the simulated verdicts, also on a printed form that differs.

    A stationary form is multiplied by the share of the limit that the steps reach.
    """
    for point, planned in case.plans.items():
        sums = measured[Reading(case.grid.quantity, point)]
        estimate = sums.estimate()
        mean, sem = float(estimate.mean), float(estimate.sem)
        simulated = Plan(sums.n, planned.margin, variance=planned.variance)
        forms = [("derived", case.truths[point])]
        if point in case.wrong:
            forms.append(("printed", case.wrong[point]))
        for which, form in forms:
            verdict = judge(mean, form * case.shares[point], simulated, sem)
            case.results.append(simulated_result(str(point), verdict, which))


def ring_distribution(case: Case, seed: int) -> None:
    """Judge the sampler of Lemma 3.2: radius, phase, and their independence."""
    planned: DistancePlan = distance_plan(case.grid.margin)
    for point in case.grid.points:
        assert isinstance(point, RingPoint)
        key = simulate.group_key(seed, f"ring law {point}")
        with double_precision(True):
            samples = np.asarray(
                ring.sample_ring(
                    key, planned.n, point.r_min, point.r_max, dtype=jnp.complex128
                )
            )
        width = point.r_max**2 - point.r_min**2
        radial = (np.abs(samples) ** 2 - point.r_min**2) / width
        turn = np.mod(np.angle(samples) / (2 * np.pi), 1)
        # Of two independent uniforms the sum and the difference are uniform modulo one;
        # of one that is taken twice the sum is too, and the difference is not.
        views = {
            "radius": radial,
            "phase": turn,
            "sum": np.mod(radial + turn, 1),
            "difference": np.mod(radial - turn, 1),
        }
        for name, uniform in views.items():
            verdict = judge_uniform(uniform, planned)
            case.results.append(simulated_result(f"{point}, {name}", verdict))
        case.results.append(ring_map(point))


def ring_map(point: RingPoint) -> RouteResult:
    """Check the arithmetic of the ring sampler: quantiles must be uniform by area."""
    levels = np.linspace(0.0, 1.0, 101)
    with double_precision(True):
        nu = ring.ring_polar(
            jnp.asarray(levels), jnp.asarray(levels), point.r_min, point.r_max
        )[0]
        radius = np.exp(-np.asarray(nu))
    area = (radius**2 - point.r_min**2) / (point.r_max**2 - point.r_min**2)
    worst = float(np.max(np.abs(area - levels)))
    return decided("reference", str(point), 1 + worst, worst <= TOLERANCE)


def example_of(case: Case) -> str | None:
    """Describe the grid point where a wrong printed form has its largest error."""
    pairs = {
        str(point): (np.asarray(case.truths[point]), np.asarray(wrong))
        for point, wrong in case.wrong.items()
    }
    misses = [
        Miss(point, truth, wrong)
        for point, (truth, wrong) in pairs.items()
        if relative_error(truth, wrong) > TOLERANCE
    ]
    return counterexample("printed", "closed_form", misses, len(pairs))


def versions() -> dict[str, str]:
    """Return the versions of the packages on which the results depend."""
    installed = {}
    for name in ("sigprop", "jax", "jaxlib", "numpy", "scipy", "sympy", "mpmath"):
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            installed[name] = "source tree"
    return installed


def verify(
    rows: Sequence[Row],
    *,
    tier: str = "quick",
    seed: int = 0,
    samples: int | None = None,
    again: Find | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Run:
    """Judge rows and return the record of the run.

    Args:
        rows: Rows to judge; see ``sigprop.evidence.row``.
        tier: ``quick`` judges every claim at its own margin. ``headline`` judges the
            moments of state, sensitivity and ring, and gates with long time constants, at
            1 %.
        seed: Seed of all simulations. Verdicts change with it at the stated error rates.
        samples: Number of trajectories per grid point, if more than planned.
        again: Function that finds a row by its id in a second process, which then judges
            rows without a grid. The calling program must be safe to import.
        progress: Function that receives the name of a stage, the number done and the
            total.

    Raises:
        ValueError: If the tier is unknown, a grid point is outside its domain, or the
            samples are too few to decide.
    """
    if tier not in TIERS:
        raise ValueError(f"need a tier in {TIERS}, got {tier!r}")
    began = time.perf_counter()
    gridded = [row for row in rows if isinstance(row.basis, Grid)]
    ungridded = [row for row in rows if not isinstance(row.basis, Grid)]
    with checking(ungridded, seed, again, progress, tier) as checked:
        finished = _judge_grids(gridded, tier, seed, samples, progress) | checked()
    return Run(
        claims=tuple(finished[row.claim.id] for row in rows),
        tier=tier,
        margin=HEADLINE_MARGIN if tier == "headline" else 0.05,
        alpha=ALPHA,
        beta=BETA,
        seed=seed,
        device=device_kind(),
        dtype="float64",
        versions=versions(),
        seconds=time.perf_counter() - began,
    )


def _judge_grids(
    gridded: list[Row],
    tier: str,
    seed: int,
    samples: int | None,
    progress: Progress,
) -> dict[str, ClaimResult]:
    cases: dict[str, Case] = {}
    for done, row in enumerate(gridded):
        progress("deriving", done, len(gridded))
        clock = time.perf_counter()
        cases[row.claim.id] = prepare(row, tier, samples)
        cases[row.claim.id].seconds += time.perf_counter() - clock
    for done, case in enumerate(cases.values()):
        progress("deterministic routes", done, len(cases))
        clock = time.perf_counter()
        if case.grid.quantity == "ring_law":
            ring_distribution(case, seed)
        else:
            deterministic(case)
        case.seconds += time.perf_counter() - clock
    measured = simulate_all(cases.values(), seed, progress)
    finished: dict[str, ClaimResult] = {}
    for case in cases.values():
        clock = time.perf_counter()
        statistical(case, measured)
        example = example_of(case)
        case.seconds += time.perf_counter() - clock
        finished[case.claim.id] = finish(
            Row(case.claim, case.grid),
            case.results,
            Scores(case.score),
            case.seconds,
            example,
        )
    return finished


def simulate_all(
    cases: Iterable[Case],
    seed: int,
    progress: Progress = lambda stage, done, total: None,
) -> dict[Reading, Sums]:
    """Run the simulations that the plans of all cases need, one per input."""
    needed: dict[Reading, int] = {}
    for case in cases:
        for point, planned in case.plans.items():
            reading = Reading(case.grid.quantity, point)
            needed[reading] = max(needed.get(reading, 0), planned.n)
    measured: dict[Reading, Sums] = {}
    work = simulate.jobs(needed)
    total, done = sum(job.n for job in work), 0

    def tick(count: int) -> None:
        nonlocal done
        done += count
        progress("simulating trajectories", done, total)

    for job in work:
        measured.update(simulate.run(job, seed, tick))
    return measured
