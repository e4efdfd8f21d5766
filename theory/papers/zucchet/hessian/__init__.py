"""Zucchet & Orvieto (2024), Appendix C.2: the Hessian at optimality."""
