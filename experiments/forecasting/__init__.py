"""Networks trained to forecast: single trainings and sweeps."""
