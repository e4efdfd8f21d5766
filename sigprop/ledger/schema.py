"""JSON Schema of the ledger's rows, and of the errata of its site."""

from typing import Any

from sigprop.theory.claims import PAPERS, Kind, Status
from sigprop.theory.errata import CLASSES, REPORTED

VERSION = "2.0"
ADDRESS = "https://json-schema.org/draft/2020-12/schema"
NUMBER = {"type": ["number", "string"]}  # infinity and NaN are strings
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
    "address": WORDS | {"description": "the page of the row, below the site's folder"},
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
    "mutants": COUNT | {"description": "mutants of the formula, as formula_mutants"},
    "killed": COUNT | {"description": "those refuted, as killed_formula_mutants"},
    "formula_mutants": COUNT,
    "killed_formula_mutants": COUNT,
    "value_mutants": COUNT,
    "killed_value_mutants": COUNT,
    "hand_mutants": COUNT,
    "killed_hand_mutants": COUNT,
    "arithmetic": TRUTH | {"description": "numbers of the paper against each other"},
    "errata_class": {"enum": [*CLASSES, None], "description": str(CLASSES)},
    "root": WORDS | {"description": "id of the row whose fault it repeats, or empty"},
    "appears_in": LIST | {"description": "ids of rows, or places of the paper"},
    "inherits": LIST
    | {"description": "ids of rows, or places of the paper, that rest on the fault"},
    "bearing": WORDS | {"description": "what rests on the fault, or why nothing does"},
    "rests_on": LIST
    | {
        "description": "ids of rows, dotted names of functions and tables, and "
        "experiment: with the name of a sweep, on which the verdict rests directly"
    },
    "code": WORDS,
    "seconds": {"type": "number"},
    "note": WORDS,
    "topic": WORDS,
    "reason": WORDS,
    "as_extracted": TRUTH,
    "uncounted": WORDS
    | {"description": "why it is not counted among the paper's statements, or empty"},
}


SHOWN: dict[str, Any] = {
    "id": ROW["id"],
    "address": ROW["address"],
    "section": WORDS,
    "page": {"type": ["integer", "null"], "minimum": 1, "description": "in the PDF"},
    "printed": WORDS | {"description": "LaTeX"},
    "corrected": ROW["corrected"],
    "counterexample": MAYBE | {"description": "both values at one point"},
}
FAULT: dict[str, Any] = SHOWN | {
    "paper": ROW["paper"],
    "class": {"enum": [*REPORTED, None]},
    "status": {"enum": ["refuted", "conditional", "definition"]},
    "title": WORDS,
    "condition": MAYBE,
    "what": WORDS | {"description": "what is wrong"},
    "appears_in": ROW["appears_in"],
    "also_wrong": {"type": "array", "items": {"$ref": "#/$defs/shown"}},
    "inherits": {"$ref": "#/$defs/inherits"},
    "routes": LIST,
}


def _record(properties: dict[str, Any]) -> dict[str, Any]:
    """Schema of an object that has all of these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


ERRATA: dict[str, Any] = {
    "title": WORDS,
    "version": {"const": VERSION},
    "classes": {"type": "object", "additionalProperties": WORDS},
    "papers": {
        "type": "array",
        "items": _record({"paper": ROW["paper"], "title": WORDS, "cite": WORDS}),
    },
    "errata": {"type": "array", "items": {"$ref": "#/$defs/fault"}},
}


def schema() -> dict[str, Any]:
    """JSON Schema of the output of ``sigprop ledger --json``, which is a list of rows.

    Its definition ``errata`` is the schema of the site's ``errata.json``.
    """
    return {
        "$schema": ADDRESS,
        "title": "Rows of the sigprop ledger",
        "version": VERSION,
        "type": "array",
        "items": {"$ref": "#/$defs/row"},
        "$defs": {
            "row": _record(ROW),
            "shown": _record(SHOWN),
            "fault": _record(FAULT),
            "inherits": _record(
                {
                    "reach": {"enum": ["some", "none", "unknown"]},
                    "rows": LIST | {"description": "ids of rows, or places in words"},
                    "why": WORDS,
                }
            ),
            "errata": _record(ERRATA),
        },
    }
