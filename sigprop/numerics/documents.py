"""Small files of users, in JSON or TOML, which must be regular files."""

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
    """Refuse a path that is no regular file: a pipe, device, folder or circle of links.

    Links are followed.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If the path is no regular file.
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
    """Read the content of a JSON or TOML file.

    Args:
        path: Path of the file.
        kind: ``JSON`` or ``TOML``.  Default: JSON if the suffix is ``.json``, otherwise
            TOML.

    Raises:
        FileNotFoundError: If there is no file.
        ValueError: If the file is not regular, is too long, is no valid JSON or TOML, or
            is nested too deeply.
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
    """Read the object of a JSON file.

    Raises:
        FileNotFoundError: If there is no file.
        ValueError: If ``read_document`` refuses the file, or its content is no object.
    """
    content = read_document(path, "JSON")
    if not isinstance(content, dict):
        raise ValueError(f"need a JSON object in {path}, got {content!r:.60}")
    return content


def require_keys(subject: str, content: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """Return a table if all of its keys are known.

    Args:
        subject: Name of the table, for messages.
        content: Value to check.
        known: All allowed keys.

    Raises:
        ValueError: If ``content`` is no table, or has another key.
    """
    if not isinstance(content, dict):
        raise ValueError(f"need a table in {subject}, got {content!r:.60}")
    unknown = sorted({*content} - {*known})
    if unknown:
        raise ValueError(
            f"need {', '.join(known)} in {subject}, got {', '.join(map(repr, unknown))}"
        )
    return content
