"""The page of measurements of our own trainings, with intervals but no verdicts."""

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment

from sigprop.evidence.measurements import HEADS, INTERVAL, Group

PAGE = "results.html"


def documents(
    env: Environment, variables: Mapping[str, Any], groups: Iterable[Group]
) -> dict[str, str]:
    """The page, by its file name.

    Args:
        env: Jinja environment with the templates.
        variables: Variables of every template.
        groups: The measurements.
    """
    page = env.get_template(f"site_{PAGE}.j2")
    return {
        PAGE: page.render(
            variables, groups=list(groups), heads=HEADS, interval=INTERVAL
        )
    }
