"""Networks trained to forecast: the cells, and the grids that make sweeps."""
