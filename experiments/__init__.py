"""Studies: each module has a frozen Config, a run(config) and a stored result."""
