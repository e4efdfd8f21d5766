"""Zucchet & Orvieto (2024), Appendix C.1: the loss of one linear unit."""
