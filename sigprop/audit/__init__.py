"""Audits of a trained network or a time series: measured and predicted moments.

- ``audit`` measures the moments of state, sensitivity, error and gradient for every mode
  of a network on real inputs.  It predicts them at the trained parameters, and each
  prediction makes one more assumption.  The report names the first assumption that fails.
- ``audit_series`` cuts your own series into windows and runs neurons over them.  It splits
  the difference between white-noise theory and measurement into its causes.
- ``audit_forecaster`` tests the assumptions on a network that forecasts.  It also measures
  the state power at each position, and the loss when two directions are merged.
- ``audit_checkpoint`` audits a checkpoint of another library, with its distance to
  ``|lam| = 1`` and the trace of its Hessian (``sigprop.audit.foreign``).
- ``sigprop.audit.lint`` finds broken recurrences in a checkpoint without any data.
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
