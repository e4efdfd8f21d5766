"""The form of the ledger's JSON rows, for those who read them by machine."""

from typing import Any

from theory.claims import PAPERS, Kind, Status
from theory.errata import CLASSES

VERSION = "1.0"
ADDRESS = "https://json-schema.org/draft/2020-12/schema"
NUMBER = {"type": ["number", "string"]}  # an infinity, or no number, is a word
WORDS: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
MAYBE: dict[str, Any] = {"type": ["string", "null"]}
LIST: dict[str, Any] = {"type": "array", "items": WORDS}
TRUTH: dict[str, Any] = {"type": "boolean"}
RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "route": WORDS,
        "point": WORDS,
        "value": NUMBER,
        "low": NUMBER,
        "high": NUMBER,
        "verdict": {"enum": ["confirmed", "refuted", "inconclusive"]},
        "form": {"enum": ["derived", "printed"]},
        "n": {"type": ["integer", "null"]},
        "inside": TRUTH,
    },
    "required": ["route", "point", "value", "low", "high", "verdict"],
}
ROW: dict[str, Any] = {
    "id": WORDS | {"pattern": "^[a-z]+:.+$"},
    "paper": {"enum": list(PAPERS)},
    "kind": {"enum": [str(kind) for kind in Kind]},
    "title": WORDS,
    "source": WORDS,
    "statement": WORDS | {"description": "LaTeX"},
    "printed": MAYBE | {"description": "LaTeX of what the paper prints; null of ours"},
    "corrected": MAYBE
    | {"description": "LaTeX of what is true, where that is another"},
    "assumes": WORDS,
    "condition": MAYBE,
    "counterexample": MAYBE,
    "status": {"enum": [str(status) for status in Status]},
    "expected": {"enum": [str(status) for status in Status]},
    "as_expected": TRUTH,
    "routes": LIST,
    "results": {"type": "array", "items": RESULT},
    "mutants": COUNT | {"description": "slips of the formula, as formula_slips"},
    "killed": COUNT | {"description": "those refuted, as killed_formula_slips"},
    "formula_slips": COUNT,
    "killed_formula_slips": COUNT,
    "value_slips": COUNT,
    "killed_value_slips": COUNT,
    "hand_slips": COUNT,
    "killed_hand_slips": COUNT,
    "arithmetic": TRUTH | {"description": "numbers of the paper against each other"},
    "errata_class": {"enum": [*CLASSES, None], "description": str(CLASSES)},
    "root": WORDS | {"description": "id of the row whose fault it repeats, or empty"},
    "appears_in": LIST | {"description": "ids of rows, or places of the paper"},
    "inherits": LIST | {"description": "ids of rows that rest on the fault"},
    "bearing": WORDS | {"description": "what rests on the fault, or why nothing does"},
    "code": WORDS,
    "seconds": {"type": "number"},
    "note": WORDS,
    "topic": WORDS,
    "reason": WORDS,
    "as_extracted": TRUTH,
}


def schema() -> dict[str, Any]:
    """JSON Schema of what ``sigprop ledger --json`` writes: a list of rows."""
    return {
        "$schema": ADDRESS,
        "title": "Rows of the sigprop ledger",
        "version": VERSION,
        "type": "array",
        "items": {
            "type": "object",
            "properties": ROW,
            "required": list(ROW),
            "additionalProperties": False,
        },
    }
