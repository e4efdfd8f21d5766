"""Audits of small trained networks of the layers of 2024 to 2026."""
