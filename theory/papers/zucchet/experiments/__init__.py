"""Zucchet & Orvieto (2024), Sections 4-6 and Appendices C.3 to D: the experiments."""
