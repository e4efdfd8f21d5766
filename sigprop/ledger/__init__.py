"""Rows and runs made readable: text, tables, one page, a site."""
