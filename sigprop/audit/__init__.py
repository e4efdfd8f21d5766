"""Audits of a trained network or a series: measurements beside theoretical moments.

For every mode of every layer the moments of state, sensitivity, error and gradient are
measured on real inputs and predicted at the learnt parameters under one assumption more at
a time, and the first assumption that fails is named.  A series of one's own is cut into
windows, run through neurons, and the difference between white-noise theory and measurement
is split into its causes; real windows are not independent, so its rows carry no verdict.

Of a network that forecasts also which assumptions its series keeps, each with an interval,
state power over the position in a window, and what the merged state of two directions
loses (``forecaster``).  Of another library's checkpoint also its margin to ``|lam| = 1`` and
the trace of its Hessian (``foreign``), and without any data what is broken in it (``lint``).
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.audit.autocovariance import autocovariance as autocovariance
    from sigprop.audit.autocovariance import fit_exponentials as fit_exponentials
    from sigprop.audit.autocovariance import fit_mixed as fit_mixed
    from sigprop.audit.forecaster import audit_forecaster as audit_forecaster
    from sigprop.audit.forecaster_summary import FORECAST_REASONS as FORECAST_REASONS
    from sigprop.audit.forecaster_summary import (
        failing_assumption as failing_assumption,
    )
    from sigprop.audit.foreign.check import Checked as Checked
    from sigprop.audit.foreign.check import Limits as Limits
    from sigprop.audit.foreign.check import audit_checkpoint as audit_checkpoint
    from sigprop.audit.network import audit as audit
    from sigprop.audit.series import Series as Series
    from sigprop.audit.series import load_series as load_series
    from sigprop.audit.series_moments import audit_series as audit_series
    from sigprop.audit.summary import HOLDS as HOLDS
    from sigprop.audit.summary import TOLERANCE as TOLERANCE
    from sigprop.audit.summary import summarise as summarise
    from sigprop.audit.windows import blocks_of as blocks_of

export(__name__)
