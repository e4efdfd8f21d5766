"""Students that learn a linear teacher: single trainings and sweeps."""
