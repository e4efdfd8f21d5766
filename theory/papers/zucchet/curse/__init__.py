"""Zucchet & Orvieto (2024), Sections 1-3: the curse of memory and its cures."""
