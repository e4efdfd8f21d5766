"""Rows and verdicts for readers: as text, tables, single pages, and a website."""
