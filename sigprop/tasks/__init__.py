"""Tasks on which networks are trained: one module each, data and losses together."""
