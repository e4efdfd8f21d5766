"""Brute-force values for the ledger: one module a part of a paper, none with its forms."""
