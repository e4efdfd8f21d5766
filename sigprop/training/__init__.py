"""Training: the loop, its checkpoints, recipes, and runs in folders."""
