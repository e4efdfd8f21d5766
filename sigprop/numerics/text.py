"""Escaping of strings from users and files for safe printing."""

import unicodedata

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control, format and surrogate characters; ends of lines and of paragraphs."""
KEPT = "\n"


def plain(text: object, allowed: str = KEPT) -> str:
    r"""Escape control characters and other unprintable characters of a text.

    Args:
        text: Text of a user or a file.
        allowed: Control characters that are not escaped.

    Example:
        >>> print(plain("a\x1b[31mb"))
        a\x1b[31mb
    """
    return "".join(
        char
        if char in allowed or unicodedata.category(char) not in HIDDEN
        else char.encode("unicode_escape").decode("ascii")
        for char in str(text)
    )


def plain_name(text: object) -> str:
    r"""Escape a name from a file, such as a tensor's, so that it fits in one line.

    Example:
        >>> print(plain_name("a\nb"))
        a\nb
    """
    return plain(text, allowed="")
