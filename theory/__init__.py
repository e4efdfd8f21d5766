"""Exact statements: symbols, derivations, claims.  Imports SymPy and mpmath only."""
