"""JSON objects in files with a checksum, which detects any changed byte."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sigprop.numerics.documents import read_object
from sigprop.numerics.files import write_text

SEAL = "sha256"


def digest(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON object, which does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_sealed(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object with its checksum; the file is replaced as a whole."""
    text = json.dumps({**content, SEAL: digest(content)}, indent=2)
    write_text(path, text + "\n")


def read_sealed(
    path: Path, names: Iterable[str] = (), optional: Iterable[str] = ()
) -> dict[str, Any]:
    """Read a JSON object, check its checksum, and return it without the checksum.

    Files of version 0.1.0 have no checksum and are not checked.

    Args:
        path: File to read.
        names: Keys that the object must have.
        optional: Keys that the object may also have.  Any other key is an error, unless
            ``names`` is empty.

    Raises:
        ValueError: If the file is not a JSON object with these keys, or its checksum is
            wrong.
    """
    remedy = f"delete {path} to train again"
    try:
        content = read_object(path)
    except ValueError as error:
        raise ValueError(f"{error}; {remedy}") from error
    seal = content.pop(SEAL, None)
    missing = sorted({*names} - {*content})
    unknown = sorted({*content} - {*names, *optional}) if names else []
    if missing or unknown:
        raise ValueError(
            f"need a JSON object with {', '.join(names)} in {path}, got one "
            f"{_unfit(missing, unknown)}; {remedy}"
        )
    if seal is not None and seal != digest(content):
        raise ValueError(
            f"need {path} as it was written, got another checksum; {remedy}"
        )
    return content


def _unfit(missing: list[str], unknown: list[str]) -> str:
    parts = [f"without {', '.join(missing)}"] * bool(missing)
    parts += [f"with {', '.join(map(repr, unknown))} too"] * bool(unknown)
    return " and ".join(parts)


def is_sealed(path: Path) -> bool:
    """Return True if the JSON object of a file has a checksum."""
    return SEAL in json.loads(path.read_bytes())
