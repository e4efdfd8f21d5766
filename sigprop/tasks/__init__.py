"""What networks are trained on: one module a task, data and losses together."""
