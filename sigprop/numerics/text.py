"""Strings of users and files, made fit to be shown."""

import unicodedata

HIDDEN = ("Cc", "Cf", "Cs")  # control, format and surrogate characters
KEPT = "\n"


def plain(text: object) -> str:
    r"""The text with escapes in place of characters that steer a terminal or are none.

    Example:
        >>> print(plain("a\x1b[31mb"))
        a\x1b[31mb
    """
    return "".join(
        char
        if char in KEPT or unicodedata.category(char) not in HIDDEN
        else char.encode("unicode_escape").decode("ascii")
        for char in str(text)
    )
