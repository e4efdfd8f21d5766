"""From a statement to its status: plans, routes, simulations, verdicts."""
