"""JSON objects on disk with a checksum of their own: one changed byte is noticed."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sigprop.numerics.documents import read_object
from sigprop.numerics.files import write_text

SEAL = "sha256"


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of an object of JSON values, whatever the order of its names."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_sealed(path: Path, content: Mapping[str, Any]) -> None:
    """Write an object and its checksum, whole or not at all."""
    text = json.dumps({**content, SEAL: digest(content)}, indent=2)
    write_text(path, text + "\n")


def read_sealed(
    path: Path, names: Iterable[str] = (), optional: Iterable[str] = ()
) -> dict[str, Any]:
    """The object of a file, without its checksum; files of version 0.1.0 have none.

    Args:
        path: The file.
        names: Names that the object must have.
        optional: Further names that the object may have.  Any other name is an error
        if ``names`` is not empty.

    Raises:
        ValueError: If it is no such object, or its checksum is wrong.
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
    """True if an object that ``read_sealed`` reads has a checksum."""
    return SEAL in json.loads(path.read_bytes())
