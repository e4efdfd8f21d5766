"""Permanent addresses of the pages of rows."""

import re


def slug(claim_id: str) -> str:
    """Form of a row's id that can be a file name and an anchor.

    >>> slug("zucchet:59"), slug("lru:text:factor-two")
    ('zucchet-59', 'lru-text-factor-two')
    """
    return re.sub(r"[^\w.-]", "-", claim_id)


def address(claim_id: str) -> str:
    """Path of the page of a row, relative to the folder of the site."""
    return f"{slug(claim_id)}.html"
