"""The ledger as a data set: rows, errata, their schema, and a Data Package."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sigprop.ledger import errata
from sigprop.ledger.entries import Ledger, rows
from sigprop.ledger.schema import VERSION, schema

ROWS, SCHEMA, PACKAGE = "rows.json", "schema.json", "datapackage.json"
TITLES = {
    ROWS: "Verdicts on statements, one record each",
    errata.DATA: "Errata of the papers, one record for each root cause",
    errata.BIBLIOGRAPHY: "Citations of the papers",
    SCHEMA: "JSON Schema of the records",
}


def files(
    ledger: Ledger,
    rendered: Mapping[str, str],
    grounds: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Return the files of the data set by name.

    Args:
        ledger: The verdicts.
        rendered: Files of ``sigprop.ledger.site.render_site``.  The errata and the
            citations are part of the data set.
        grounds: What each row rests on, by its id.
    """
    made = {ROWS: _text(rows(ledger.claims, grounds)), SCHEMA: _text(schema())}
    whole = made | {name: rendered[name] for name in TITLES if name in rendered}
    return made | {PACKAGE: _text(package(ledger, whole))}


def package(ledger: Ledger, contents: Mapping[str, str]) -> dict[str, Any]:
    """Return the description of the files in the format of the Data Package standard.

    It contains the checksum of each file, the version of the schema, and the date of
    the verdicts.
    """
    return {
        "name": "sigprop-ledger",
        "title": "Verdicts on statements about signal propagation in recurrent networks",
        "version": VERSION,
        "created": ledger.stored,
        "sources": [{"title": f"sigprop {ledger.versions['sigprop']}"}],
        "resources": [
            {
                "name": name.replace(".", "-"),
                "path": name,
                "title": TITLES[name],
                "format": name.rpartition(".")[2],
                "encoding": "utf-8",
                "bytes": len(contents[name].encode()),
                "hash": f"sha256:{hashlib.sha256(contents[name].encode()).hexdigest()}",
            }
            for name in TITLES
        ],
    }


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
