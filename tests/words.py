"""Words that no reader outside the project knows, kept out of public text."""

import re

PRIVATE = {
    r"\bslips?\b": "mutant, or misprint",
    r"\bslopes?\b": "derivative",
    r"\bbears?\b": "another verb",
    r"\btold\b": "said, shown or given",
    r"\bceilings?\b": "largest stable learning rate",
    r"\bcharts?\b": "parametrisation",
    r"\bas it begins\b": "as initialised",
    r"\bkilled\b": "interrupted",
    r"\bgoes on\b": "resumes",
    r"\bsecond sheet\b|\btwo sheets\b": "two pages",
    r"\bnone of the \d": "a positive sentence",
    r"\bleft out\b": "Default: ...",
    r"\bby the hand\b|\bfor the hand\b": "by hand",
}


def private(text: str) -> list[str]:
    """Private words of a text, each with what to write instead."""
    problems = []
    for pattern, instead in PRIVATE.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            around = text[max(match.start() - 40, 0) : match.end() + 40]
            problems.append(f"{match[0]!r} (write {instead}) in {around!r}")
    return problems
