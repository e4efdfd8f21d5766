"""Strings of users and files, made fit to be shown."""

import unicodedata

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control, format and surrogate characters; ends of lines and of paragraphs."""
KEPT = "\n"


def plain(text: object, allowed: str = KEPT) -> str:
    r"""The text with escapes in place of characters that steer a terminal or are none.

    Args:
        text: Text of a user or a file.
        allowed: Control characters that stay.

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
    r"""A name that a file gives, such as a tensor's: as ``plain``, and in one line.

    Example:
        >>> print(plain_name("a\nb"))
        a\nb
    """
    return plain(text, allowed="")
