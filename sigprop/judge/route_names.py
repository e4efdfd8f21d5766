"""Names of the routes for readers."""

from typing import NamedTuple


class RouteName(NamedTuple):
    """The name of a route in a sentence, and in a narrow column."""

    name: str
    short: str


NAMES = {
    "symbolic": RouteName("symbolic proof", "proof"),
    "reference": RouteName("brute force from the definition", "brute force"),
    "impulse": RouteName("impulse response of the layer", "impulse response"),
    "autodiff": RouteName("automatic differentiation", "autodiff"),
    "closed_form": RouteName("stable closed form", "closed form"),
    "monte_carlo": RouteName("simulation", "simulation"),
    "simulation": RouteName("simulation", "simulation"),
    "arithmetic": RouteName("the paper's own numbers", "paper's numbers"),
    "trained": RouteName("trained networks", "training"),
    "layer": RouteName("the layer's own code", "layer"),
    "listing": RouteName("the paper's listing, run as code", "listing"),
    "code": RouteName("the network's own code", "code"),
    "optax": RouteName("the optimiser of Optax", "Optax"),
    "sensitivities": RouteName("recurrence of the sensitivities", "sensitivities"),
    "moments": RouteName("recurrence of the moments", "moments"),
    "recurrence": RouteName("recurrence, step by step", "steps"),
    "steps": RouteName("recurrence, step by step", "steps"),
    "step": RouteName("one step of the recurrence", "one step"),
    "one_step": RouteName("one step of the recurrence", "one step"),
    "loop": RouteName("plain loop over the steps", "loop"),
    "quadrature": RouteName("numerical integration", "integration"),
    "integration": RouteName("numerical integration", "integration"),
    "enumeration": RouteName("enumeration of all cases", "enumeration"),
    "count": RouteName("counting", "counting"),
    "counted": RouteName("counting of operations", "counting"),
    "traced": RouteName("operations of the traced program", "traced program"),
    "series": RouteName("power series", "series"),
    "sum": RouteName("brute-force sum", "sum"),
    "sums": RouteName("brute-force sum", "sum"),
    "summed": RouteName("brute-force sum", "sum"),
    "double_sum": RouteName("brute-force double sum", "double sum"),
    "precise": RouteName("arithmetic of many digits", "many digits"),
    "schur": RouteName("Schur decomposition", "Schur"),
    "lyapunov": RouteName("solution of the Lyapunov equation", "Lyapunov"),
    "gramian": RouteName("Gramian of the impulse response", "Gramian"),
}
"""Names by the key of a route in results and JSON; see ``name`` for other keys."""


def name(route: str) -> str:
    """Return the name of a route for a sentence.

    >>> name("monte_carlo"), name("singular_values"), name("reference_newton")
    ('simulation', 'singular values', 'brute force (newton)')
    """
    if route in NAMES:
        return NAMES[route].name
    base, _, variant = route.partition("_")
    if base == "reference":
        return f"brute force ({variant.replace('_', ' ')})"
    return route.replace("_", " ")


def short(route: str) -> str:
    """Return the name of a route for a narrow column."""
    return NAMES[route].short if route in NAMES else name(route)
