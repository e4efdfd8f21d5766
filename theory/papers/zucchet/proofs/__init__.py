"""Zucchet & Orvieto (2024), Appendix B: the lemmas, and intermediate steps to the moments.

The modules have the proofs of the lemmas, the sums that lead to the moments, the dense network
and the reparametrisation.  The moments are in ``sigprop.theory.papers.zucchet.moments``.
"""
