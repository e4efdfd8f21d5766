"""Networks trained on long-range tasks: the cells, and the grids that make sweeps."""
