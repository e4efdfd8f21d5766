"""Curvature of the expected loss: exact Hessians, their structure, and large models."""
