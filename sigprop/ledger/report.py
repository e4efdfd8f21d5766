"""One self-contained HTML page for a run, with every claim and every number.

The page has no script and loads nothing.  Formulas are MathML and plots are inline SVG.
The content security policy admits one style sheet by its hash.  This module prepares
texts and numbers; the template ``report.html.j2`` beside it has the markup.
"""

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from sigprop.judge.results import RouteResult
from sigprop.judge.route_names import name
from sigprop.ledger.addresses import slug
from sigprop.ledger.entries import Entry, Ledger, tally
from sigprop.ledger.headline import headlines
from sigprop.ledger.mathml import formula
from sigprop.ledger.prose import Links, typesetter
from sigprop.ledger.verdicts import sentence
from sigprop.numerics.files import write_text
from sigprop.numerics.text import plain
from sigprop.theory.claims import PAPERS, Paper


def _number(value: float, digits: int = 6) -> str:
    """A ratio for readers: few digits, real minus signs, words for NaN and infinity."""
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}g}".replace("-", "−")


def _interval(result: RouteResult) -> str:
    """Both ends of an interval, or a word if there is none."""
    if result.low == result.high:
        return "deterministic"
    if math.isnan(result.low) and math.isnan(result.high):
        return "no interval"
    return f"[{_number(result.low, 5)}, {_number(result.high, 5)}]"


def _scientific(value: float) -> Markup:
    """A small number as mantissa and power of ten; zero stays 0."""
    if value == 0 or not math.isfinite(value):
        return escape(_number(value))
    mantissa, exponent = f"{value:.1e}".split("e")
    power = str(int(exponent)).replace("-", "−")
    return Markup("{}&thinsp;×&thinsp;10<sup>{}</sup>").format(
        mantissa.replace("-", "−"), power
    )


def _count(value: int | None) -> str:
    """An integer with thin spaces between its thousands."""
    return "–" if value is None else f"{value:,}".replace(",", "\u202f")


def _deviation(result: RouteResult) -> float:
    """Distance of the result from agreement; NaN has the largest distance."""
    return math.inf if math.isnan(result.value) else abs(result.value - 1)


@dataclass(frozen=True)
class Group:
    """All results of one route on one form; the worst point represents them."""

    route: str
    form: str
    results: tuple[RouteResult, ...]

    @property
    def worst(self) -> RouteResult:
        """The result furthest from agreement."""
        return max(self.results, key=_deviation)

    @property
    def verdicts(self) -> str:
        """The common verdict, or the number of times that each verdict occurred."""
        counts = Counter(result.verdict for result in self.results)
        if len(counts) == 1:
            return next(iter(counts))
        return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())

    @property
    def samples(self) -> str:
        """Trajectories per point, as one number or as a range."""
        sizes = sorted({result.n for result in self.results if result.n is not None})
        return "–".join(_count(n) for n in dict.fromkeys([*sizes[:1], *sizes[-1:]]))


def _groups(claim: Entry) -> list[Group]:
    """The results by form and route: derived before printed, in the claim's order."""
    by_route: dict[tuple[str, str], list[RouteResult]] = {}
    for result in claim.results:
        by_route.setdefault((result.form, result.route), []).append(result)
    groups = [Group(route, form, tuple(rs)) for (form, route), rs in by_route.items()]
    return sorted(groups, key=lambda group: group.form == "printed")


@dataclass(frozen=True)
class Mark:
    """One measured point of a plot, in the plot's own units.

    ``clipped`` is ``up`` or ``down`` for a value outside the plot, and ``nan`` for a
    NaN.
    """

    x: float
    y: float
    top: float
    bottom: float
    form: str
    clipped: str
    label: str


@dataclass(frozen=True)
class Plot:
    """Layout of a plot: ratios of measurement and closed form along the grid."""

    marks: tuple[Mark, ...]
    points: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]
    band: tuple[float, float]
    label: str
    margin: float
    # In user units; the text of a 400-unit picture stays legible 320 pixels wide.
    width: int = 400
    left: int = 46
    top: int = 12
    bottom: int = 172

    @property
    def forms(self) -> set[str]:
        """Return the forms that were measured."""
        return {mark.form for mark in self.marks}


def _plot(claim: Entry, margin: float) -> Plot | None:
    """Lay out the Monte-Carlo results of a claim; ``None`` without such results.

    The plot shows the derived form and at most four margins.  A wrong printed form is
    far outside, and a larger range would hide the variation of the right form.
    """
    results = [result for result in claim.results if result.route == "monte_carlo"]
    if not results:
        return None
    points = tuple(dict.fromkeys(result.point for result in results))
    ends = [abs(e - 1) for r in results if r.form != "printed" for e in (r.low, r.high)]
    reach = max([1.5 * margin, *(1.1 * end for end in ends if math.isfinite(end))])
    half = max(min(reach, 4 * margin), 1e-9)
    left, right, top, bottom = Plot.left, Plot.width - 8, Plot.top, Plot.bottom

    def height(value: float) -> float:
        share = min(max((value - 1 + half) / (2 * half), 0.0), 1.0)
        return round(bottom - share * (bottom - top), 1)

    slot = (right - left) / len(points)
    shift = min(5.0, slot / 5) if len({r.form for r in results}) > 1 else 0.0
    marks: list[Mark] = []
    for r in results:
        middle = left + (points.index(r.point) + 0.5) * slot
        clipped = "nan" if math.isnan(r.value) else ""
        if abs(r.value - 1) > half:
            clipped = "up" if r.value > 1 else "down"
        # A missing end is replaced by the value, so that it has no whisker.
        low, high = (r.value if math.isnan(end) else end for end in (r.low, r.high))
        nowhere = clipped == "nan"
        marks.append(
            Mark(
                x=round(middle + (shift if r.form == "printed" else -shift), 1),
                y=float(bottom) if nowhere else height(r.value),
                top=float(bottom) if nowhere else height(high),
                bottom=float(bottom) if nowhere else height(low),
                form=r.form,
                clipped=clipped,
                label=f"{r.point} ({r.form}): {_number(r.value)} "
                f"{_interval(r)}, {r.verdict}",
            )
        )
    inside = sum(abs(r.value - 1) <= margin for r in results if r.form != "printed")
    derived = sum(r.form != "printed" for r in results)
    return Plot(
        marks=tuple(marks),
        points=points,
        ticks=tuple(
            (height(value), _number(value)) for value in (1 + margin, 1.0, 1 - margin)
        ),
        band=(height(1 + margin), height(1 - margin)),
        label=f"{claim.id}: measured over closed form at {len(points)} grid points; "
        f"{inside} of {derived} derived results lie within {margin:g} of 1",
        margin=margin,
    )


def anchors(ids: Iterable[str]) -> Iterator[str]:
    """Anchors of the claims; a repeated id gets a running number."""
    counts: Counter[str] = Counter()
    for claim_id in ids:
        anchor = slug(claim_id)
        counts[anchor] += 1
        yield anchor if counts[anchor] == 1 else f"{anchor}--{counts[anchor]}"


def _sections(run: Ledger) -> Sequence[tuple[str, list[tuple[str, Entry]]]]:
    """The claims with their anchors by paper; known papers come first."""
    by_paper: dict[str, list[tuple[str, Entry]]] = {paper: [] for paper in PAPERS}
    names = anchors(claim.id for claim in run.claims)
    for anchor, claim in zip(names, run.claims, strict=True):
        by_paper.setdefault(claim.paper, []).append((anchor, claim))
    return [(paper, claims) for paper, claims in by_paper.items() if claims]


def _digest(text: str) -> str:
    """The hash with which a content security policy admits an inline style sheet."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _legible(value: Any) -> Any:
    """Remove control characters from a value that a page shows, unless it is markup."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return plain(value, allowed="\n\t\u00ad\u200b")
    return value


def environment(links: Links | None = None) -> Environment:
    """Jinja environment with the templates and filters of all pages.

    Args:
        links: Addresses of the rows that notes name, by id; see ``prose.typeset``.
    """
    env = Environment(
        loader=PackageLoader("sigprop.ledger"),
        autoescape=True,
        finalize=_legible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(
        math=lambda latex: Markup(formula(latex)),
        prose=typesetter(links or {}),
        unlinked=typesetter({}),
        number=_number,
        interval=_interval,
        scientific=_scientific,
        count=_count,
        digest=_digest,
        route=name,
    )
    return env


def text(name: str) -> str:
    """Content of a file beside the templates."""
    return (Path(__file__).parent / "templates" / name).read_text("utf-8")


def shared(run: Ledger) -> dict[str, Any]:
    """Variables for the templates of all pages: the run and its claims."""
    sections = _sections(run)
    return {
        "run": run,
        "papers": {paper: PAPERS.get(paper, Paper(paper, "")) for paper, _ in sections},
        "counts": Counter(claim.status for claim in run.claims),
        "sections": sections,
        "groups": _groups,
        "tally": tally,
        "headlines": headlines(run.claims),
        "verdict": sentence,
        "plot": lambda claim: _plot(claim, run.margin),
    }


def render(run: Ledger) -> str:
    """The report of ``run`` as one HTML page.

    Raises:
        ValueError: If a claim's formula cannot be converted; names the LaTeX.
    """
    ids = [claim.id for claim in run.claims]
    links = {row_id: f"#{name}" for row_id, name in zip(ids, anchors(ids), strict=True)}
    return environment(links).get_template("report.html.j2").render(shared(run))


def write_report(path: Path, run: Ledger) -> None:
    """Write the complete report of ``run``, or keep the old file."""
    write_text(path, render(run))
