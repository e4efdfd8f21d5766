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
