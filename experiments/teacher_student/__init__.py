"""Students that learn a linear teacher: the cells, and the grids that make sweeps."""
