"""Numerical foundations: precision, devices, files, seeds, SymPy made numeric."""
