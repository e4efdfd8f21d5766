"""Our own statements on gates with correlated inputs: moments by a transfer operator."""

from sympy import Expr

from sigprop.theory import correlated_gates as theory
from sigprop.theory.claims import Condition
from sigprop.theory.papers.sigprop.gates import GATES, RECURSION, WHOLE
from sigprop.theory.rows import Part
from sigprop.theory.symbols import rho

F = theory.F
STAYS = (
    "h' = a h + b from the zero state; a and b of an input that stays with probability rho "
    "and is drawn anew otherwise, of any distribution"
)


def _settles(radius: float, **_: object) -> bool:
    return radius < 1


def state() -> Expr:
    """Return the limit in the letters of the statement."""
    settled = F["b"] / (1 - (1 - rho) * F["a"])
    first = F["bb"] + 2 * rho * F["abb"]
    return (first + 2 * (1 - rho) * settled * F["ab"]) / (1 - (1 - rho) * F["aa"])


part = Part("inputs that remember", "gates", "sigprop.neuron.chains")

part.row(
    "sigprop:remembering-state",
    "moment",
    "proved",
    "The moment of a state whose gates read an input that stays or is sampled anew",
    r"\mathbb{E} h^2 = \frac{\mathbb{E}[b^2 \phi] + 2 \rho \mathbb{E}[a b^2 \psi \phi] + "
    r"2 (1 - \rho) \bar{h} \mathbb{E}[a b \psi \phi]}{1 - (1 - \rho) \mathbb{E}[a^2 \phi]}, "
    r"\quad \bar{h} = \frac{\mathbb{E}[b \psi]}{1 - (1 - \rho) \mathbb{E}[a \psi]}, \; "
    r"\psi = \frac{1}{1 - \rho a}, \; \phi = \frac{1}{1 - \rho a^2}",
    where="stationary",
    derive=theory.state_limit,
    printed=state,
    code="Recursion",
    assumes=Condition(f"{STAYS}; the spectral radius of a^2 K is below one", _settles),
    note="F_a is E[a psi], and so on. K f = rho f + (1 - rho) E f is the operator of the "
    "chain. At rho = 0 it is sigprop:random-state-limit. A stationary state asks for E "
    "log|a| < 0 alone (Brandt 1986).",
)
part.row(
    "sigprop:gates-remembering",
    "moment",
    "confirmed",
    "States and gradients of gated layers whose inputs are AR(1) processes",
    RECURSION
    + r"M_{20} = a^2 K M_{20} + 2 a b K M_{10} + b^2, \; M_{ij}(x) = \mathbb{E}[h^i s^j \mid "
    r"x], \; K \mathrm{He}_n = \rho^n \mathrm{He}_n",
    where="whole layers",
    code=WHOLE,
    assumes="inputs of two values that stay with probability rho through the layers "
    "themselves, and Gaussian AR(1) series in the simulation, of the layers "
    + ", ".join(title for title, _ in GATES.values()),
    note="Moments given the input obey a linear recursion in which powers of the state "
    "before a step are the chain's operator on them; theory.correlated_gates proves that "
    "the operator of an AR(1) series multiplies Hermite polynomials. Nodes are refined "
    "until a moment settles. At rho = 0.9 inputs taken for independent would give 0.05 to "
    "2.6 times a stationary moment.",
)
