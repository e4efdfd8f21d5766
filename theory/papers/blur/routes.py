"""Where the routes of the BLUR rows are: modules of brute force, and the points."""

ROUTES = "sigprop.references.bidirectional."
BARRON = "sigprop.references.bidirectional_barron."
STABILITY = "sigprop.references.bidirectional_stability."
MEMORY = "sigprop.references.bidirectional_memory."
SIZES = {"n": 2, "m": 3, "k": 6}  # one shape, so that the layer compiles once
POINTS = tuple({"seed": seed, **SIZES} for seed in range(3))


def placed(place: str, **names: str) -> dict[str, str]:
    """Routes by their names, all of one module."""
    return {route: place + name for route, name in names.items()}
