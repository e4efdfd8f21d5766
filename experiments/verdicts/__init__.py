"""Verdicts of the simulated claims, repeated at other seeds."""
