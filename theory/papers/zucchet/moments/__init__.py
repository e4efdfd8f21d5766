"""Zucchet & Orvieto (2024), Section 2.2 and Appendix B.2: the closed-form moments.

The steps between them are in ``sigprop.theory.papers.zucchet.proofs``.
"""
