"""Zucchet & Orvieto (2024), Appendix B: the lemmas, and what is between the moments.

Beside the moments of ``sigprop.theory.papers.zucchet.moments``: the proofs of the lemmas, the
sums on the way to the moments, the dense network and the reparametrisation.
"""
