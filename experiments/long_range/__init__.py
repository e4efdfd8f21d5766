"""Networks trained on long-range tasks: single trainings and sweeps."""
