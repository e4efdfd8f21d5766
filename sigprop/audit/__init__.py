"""Audits of a trained network or a series: measurements beside theoretical moments."""
