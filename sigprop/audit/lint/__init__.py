"""Linter for the recurrences of a checkpoint; it needs no data and no training.

It finds decays that are not finite, that never forget, or that forget too early.

    >>> import numpy as np
    >>> from sigprop.audit.lint import Settings, lint
    >>> from sigprop.networks.foreign import of_arrays
    >>> arrays = {"seq.nu_log": np.zeros(8), "seq.theta_log": np.log(np.arange(1, 9) / 2)}
    >>> report = lint(of_arrays(arrays), Settings(length=1000))
    >>> [finding.rule.id for finding in report.graver]
    ['decay-all-zero', 'one-memory', 'memory-short']

``RULES`` is the table of all rules.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.audit.lint.check import lint as lint
    from sigprop.audit.lint.findings import Finding as Finding
    from sigprop.audit.lint.findings import Report as Report
    from sigprop.audit.lint.findings import Rule as Rule
    from sigprop.audit.lint.findings import Settings as Settings
    from sigprop.audit.lint.resolution import (
        distinct_time_constants as distinct_time_constants,
    )
    from sigprop.audit.lint.resolution import spacing as spacing
    from sigprop.audit.lint.rules import RULES as RULES

export(__name__)
