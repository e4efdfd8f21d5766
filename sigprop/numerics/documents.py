"""Small files of a user's: JSON or TOML, read whole and only if they are regular files."""

import errno
import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

MOST = 1 << 26
"""Bytes of a document: the index of a model with a million tensors has as many."""
KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}


def require_regular(path: Path) -> None:
    """Refuse what cannot be read to an end: pipes, devices, folders, circles of links.

    Raises:
        FileNotFoundError: If there is nothing.
        ValueError: If there is no regular file; links are followed.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise FileNotFoundError(
                f"need a file, found none at {path}; check the path"
            ) from None
        if error.errno == errno.ELOOP:
            raise ValueError(
                f"need a file, got the circle of links {path}; choose another path"
            ) from None
        raise
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "special file")
        raise ValueError(
            f"need a regular file, got the {kind} {path}; write its content to a file"
        )


def read_document(path: Path, kind: str | None = None) -> Any:
    """The value of a file.

    Args:
        path: The file.
        kind: ``JSON`` or ``TOML``; by default JSON if the suffix is ``.json``, else TOML.

    Raises:
        FileNotFoundError: If there is no file.
        ValueError: If it is no regular file, too long, no such text, or nested too deeply.
    """
    require_regular(path)
    size = path.stat().st_size
    if size > MOST:
        raise ValueError(
            f"need at most {MOST >> 20} MiB in {path}, got {size >> 20} MiB"
        )
    kind = kind or ("JSON" if path.suffix == ".json" else "TOML")
    try:
        text = path.read_bytes().decode("utf-8")
        return tomllib.loads(text) if kind == "TOML" else json.loads(text)
    except RecursionError as error:
        raise ValueError(
            f"need {kind} in {path}, got text nested too deeply"
        ) from error
    except ValueError as error:
        raise ValueError(f"need {kind} in {path}, got other text: {error}") from error


def read_object(path: Path) -> dict[str, Any]:
    """The object of a file in JSON.

    Raises:
        FileNotFoundError: If there is no file.
        ValueError: As ``read_document``, or if the value is no object.
    """
    content = read_document(path, "JSON")
    if not isinstance(content, dict):
        raise ValueError(f"need a JSON object in {path}, got {content!r:.60}")
    return content


def require_keys(subject: str, content: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """A table whose keys are all known.

    Args:
        subject: Its name, for messages.
        content: The value.
        known: All keys that it may have.

    Raises:
        ValueError: If it is no table, or has another key.
    """
    if not isinstance(content, dict):
        raise ValueError(f"need a table in {subject}, got {content!r:.60}")
    unknown = sorted({*content} - {*known})
    if unknown:
        raise ValueError(
            f"need {', '.join(known)} in {subject}, got {', '.join(map(repr, unknown))}"
        )
    return content
