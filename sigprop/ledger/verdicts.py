"""The verdict on a row in one sentence."""

from sigprop.judge.forms import form_of
from sigprop.judge.route_names import name
from sigprop.ledger.entries import Entry
from sigprop.theory.errata import CLASSES, REPORTED


def sentence(claim: Entry) -> str:
    """Return the verdict on a row as a sentence of plain text."""
    form = "meant" if claim.as_extracted else form_of(claim.paper)
    adverb = f"as {form}"
    sentences = {
        "proved": lambda: f"True {adverb}: proved for all parameters{_also(claim)}.",
        "confirmed": lambda: f"True {adverb}{_confirmed(claim)}.",
        "conditional": lambda: (
            "True only under a condition that the paper does not state: "
            f"{_stripped(claim.condition or 'see below')}."
        ),
        "refuted": lambda: f"Wrong {adverb}{_class(claim)}{_instead(claim)}.",
        "undecided": lambda: (
            f"Undecided: what {_listed(claim)} gave contains both answers."
        ),
        "definition": lambda: f"A definition, {_of_definition(claim)}{_also(claim)}.",
        "not-checkable": lambda: (
            f"Not checkable: {_stripped(claim.reason or 'nothing to measure')}."
        ),
    }
    return (
        sentences[claim.status]() if claim.status in sentences else f"{claim.status}."
    )


def _stripped(text: str) -> str:
    """Text in the form that it has within a sentence."""
    first = text.strip().rstrip(".")
    plain = first[:1].isupper() and first[1:2].islower() and "$" not in first[:2]
    return first[:1].lower() + first[1:] if plain else first


def _points(claim: Entry) -> int:
    """Number of points at which the true form was computed."""
    return len(
        {
            result.point
            for result in claim.results
            if result.form != "printed" and result.route != "symbolic"
        }
    )


def _listed(claim: Entry) -> str:
    names = [route for route in claim.routes if route != "symbolic"]
    labels = list(dict.fromkeys(map(name, names)))
    return (
        " and ".join(filter(None, (", ".join(labels[:-1]), *labels[-1:]))) or "no route"
    )


def _at(claim: Entry) -> str:
    count = _points(claim)
    return f" at {count} points" if count > 1 else ""


def _also(claim: Entry) -> str:
    """Routes that were computed in addition to a proof."""
    if not set(claim.routes) - {"symbolic"}:
        return ""
    return f", and checked by {_listed(claim)}{_at(claim)}"


def _confirmed(claim: Entry) -> str:
    if claim.arithmetic:
        return ": the paper's own numbers agree"
    return f", by {_listed(claim)}{_at(claim)}, without a proof for all parameters"


def _class(claim: Entry) -> str:
    letter = claim.errata_class
    return f" (class {letter}: {CLASSES[letter]})" if letter in CLASSES else ""


def _of_definition(claim: Entry) -> str:
    """Say that a definition has a misprint, or that it is neither true nor false."""
    if claim.errata_class in REPORTED:
        return f"with a misprint{_class(claim)}"
    return "neither true nor false"


def _instead(claim: Entry) -> str:
    """Reason for the correction."""
    if claim.corrected is None:
        return ""
    if "symbolic" in claim.routes:
        return "; the correction is proved for all parameters"
    if claim.arithmetic:
        return "; the correction is what the paper's own numbers give"
    return f"; the correction holds by {_listed(claim)}{_at(claim)}"


def in_lines(claim: Entry) -> list[str]:
    """A verdict for the terminal: sentence, statement, correction and example.

    The statement and its correction are LaTeX.  The example has both values at a point.
    """
    lines = [f"{claim.id}: {sentence(claim)}"]
    if claim.status not in ("refuted", "conditional"):
        return lines
    return lines + accusation(
        form_of(claim.paper),
        claim.source.partition(", ")[2],
        claim.statement,
        claim.corrected,
        claim.counterexample,
    )


def accusation(
    which: str,
    place: str,
    statement: str,
    corrected: str | None,
    counterexample: str | None,
) -> list[str]:
    """Return the printed statement, the correction, and a point with both values.

    Args:
        which: Form that fails: ``printed`` or ``stated``.
        place: Place of the statement in its paper.
        statement: LaTeX.
        corrected: LaTeX of the correct formula, if there is one.
        counterexample: Both values at one point.
    """
    lines = [f"{which:<12}{statement}"]
    if corrected is not None:
        lines.append(f"{'corrected':<12}{corrected}")
    if counterexample:
        lines.append(
            f"{'example':<12}{place.partition(', ')[0]}: {_stripped(counterexample)}"
        )
    return lines
