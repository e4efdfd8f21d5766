"""What is exact for any linear layer: responses, moments, losses."""
