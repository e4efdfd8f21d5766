"""Exact results for any linear layer: responses, moments, losses."""
