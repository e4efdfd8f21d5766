"""Permanent addresses of the pages of rows."""

import re


def slug(claim_id: str) -> str:
    """The id of a row as the name of a file and of a place on a page.

    >>> slug("zucchet:59"), slug("lru:text:factor-two")
    ('zucchet-59', 'lru-text-factor-two')
    """
    return re.sub(r"[^\w.-]", "-", claim_id)


def address(claim_id: str) -> str:
    """The page of a row, below the folder of the site."""
    return f"{slug(claim_id)}.html"
