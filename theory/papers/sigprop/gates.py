"""Our own statements on gates that read only the input, as random coefficients."""

from collections.abc import Iterable

from sympy import Expr, Pow

from sigprop.theory import gated_moments as theory
from sigprop.theory.claims import Condition
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

E = theory.EXPECTATIONS
PAIRS = (
    "h' = a h + b from the zero state; the pairs (a, b) of all steps independent of each "
    "other and identically distributed, with second moments"
)
WITH_SENSITIVITY = (
    f"{PAIRS}; s' = a s + c h + d, where c and d are the derivatives of a and b"
)
DEFINED = (
    r"\bar{h} = \frac{\mathbb{E}[b]}{1 - \mathbb{E}[a]}, \; "
    r"H = \frac{\mathbb{E}[b^2] + 2 \mathbb{E}[ab] \bar{h}}{1 - \mathbb{E}[a^2]}"
)


def _apart(E_a: float, E_aa: float, **_: object) -> bool:
    return len({E_a, E_aa, 1.0}) == 3


def _settles(E_aa: float, **_: object) -> bool:
    return E_aa < 1


def finite_state() -> Expr:
    """Return the finite form in the letters of the statement."""
    decay, square = Pow(E["a"], T), Pow(E["aa"], T)
    mean = E["b"] / (1 - E["a"])
    added = (E["bb"] + 2 * E["ab"] * mean) * (1 - square) / (1 - E["aa"])
    return added - 2 * E["ab"] * mean * (square - decay) / (E["aa"] - E["a"])


def state() -> Expr:
    """Return the limit in the letters of the statement."""
    mean = E["b"] / (1 - E["a"])
    return (E["bb"] + 2 * E["ab"] * mean) / (1 - E["aa"])


def sensitivity() -> Expr:
    """Return the limit of the sensitivity in the letters of the statement."""
    mean = E["b"] / (1 - E["a"])
    derivative = (E["c"] * mean + E["d"]) / (1 - E["a"])
    mixed = (
        E["ac"] * state() + E["ab"] * derivative + (E["ad"] + E["bc"]) * mean + E["bd"]
    )
    mixed = mixed / (1 - E["aa"])
    total = E["dd"] + 2 * E["ad"] * derivative + 2 * E["cd"] * mean
    return (total + 2 * E["ac"] * mixed + E["cc"] * state()) / (1 - E["aa"])


part = Part("gates of the input alone", "gates", "sigprop.neuron.random_coefficients")

part.row(
    "sigprop:random-state",
    "moment",
    "proved",
    "The moment of a state with random coefficients after T steps",
    r"\mathbb{E} h_T^2 = \left(\mathbb{E}[b^2] + \frac{2 \mathbb{E}[ab] \mathbb{E}[b]}"
    r"{1 - \mathbb{E}[a]}\right) \frac{1 - \mathbb{E}[a^2]^T}{1 - \mathbb{E}[a^2]} - "
    r"\frac{2 \mathbb{E}[ab] \mathbb{E}[b]}{1 - \mathbb{E}[a]} "
    r"\frac{\mathbb{E}[a^2]^T - \mathbb{E}[a]^T}{\mathbb{E}[a^2] - \mathbb{E}[a]}",
    where="finite time",
    derive=theory.finite_state,
    printed=finite_state,
    code="second_moment",
    assumes=Condition(f"{PAIRS}; E a, E a^2 and one differ", _apart),
)
part.row(
    "sigprop:random-state-limit",
    "moment",
    "proved",
    "The moment of a stationary state with random coefficients",
    rf"\mathbb{{E}} h^2 = H, \quad {DEFINED}",
    where="stationary",
    derive=lambda: theory.limit("state"),
    printed=state,
    code="second_moment",
    assumes=Condition(f"{PAIRS}; E a^2 < 1", _settles),
    note="A stationary state asks for E log|a| < 0 alone. Between the two it has an "
    "infinite second moment, and finite ones of each order below the kappa with E|a|^kappa "
    "= 1 (Kesten 1973; sigprop.neuron.random_coefficients.tail_index).",
)
part.row(
    "sigprop:random-sensitivity",
    "moment",
    "proved",
    "The moment of the sensitivity to a parameter of the gates, in the limit",
    r"\mathbb{E} s^2 = \frac{\mathbb{E}[d^2] + 2 \mathbb{E}[ad] \bar{s} + 2 \mathbb{E}[cd] "
    r"\bar{h} + 2 \mathbb{E}[ac] P + \mathbb{E}[c^2] H}{1 - \mathbb{E}[a^2]}, \quad "
    rf"{DEFINED}, \; \bar{{s}} = \frac{{\mathbb{{E}}[c] \bar{{h}} + \mathbb{{E}}[d]}}"
    r"{1 - \mathbb{E}[a]}, \; P = \frac{\mathbb{E}[ac] H + \mathbb{E}[ab] \bar{s} + "
    r"(\mathbb{E}[ad] + \mathbb{E}[bc]) \bar{h} + \mathbb{E}[bd]}{1 - \mathbb{E}[a^2]}",
    where="stationary",
    derive=lambda: theory.limit("sensitivity"),
    printed=sensitivity,
    code="second_moment",
    assumes=Condition(f"{WITH_SENSITIVITY}; E a^2 < 1", _settles),
    note="P is E[h s]. At finite times the powers of one matrix, "
    "sigprop.theory.gated_moments.transition, give both moments.",
)

INPUTS = (
    "inputs independent in time, here of two values through the layer itself and Gaussian "
    "in the simulation; an error v of unit covariance at the state; c and d the derivatives of "
    "a and b by each entry of a parameter"
)
RECURSION = (
    r"\mathbb{E} \left|\frac{\partial (v^\top h_T)}{\partial \theta}\right|^2 = \sum "
    r"\mathbb{E} s_T^2, \; h' = a h + b, \; s' = a s + c h + d, \quad "
)
GATES = {
    "rglru": (
        "RG-LRU",
        r"a = e^{-8 \operatorname{softplus}(\Lambda) \sigma(r)}, \; "
        r"b = \sqrt{1 - a^2} \sigma(i) x",
    ),
    "mingru": ("minGRU", r"a = 1 - \sigma(r), \; b = \sigma(r) v"),
    "selective": (
        "selective state space",
        r"a = e^{-e^A \operatorname{softplus}(r)}, \; b = \operatorname{softplus}(r) k x",
    ),
    "gla": ("gated linear attention", r"a = \sigma(r)^{1/16}, \; b = k v"),
    "unit": ("simplified gated unit", r"a = \sigma(r), \; b = (1 - \sigma(r)) x"),
}
DELTA_RULES = {
    "deltanet": ("DeltaNet", r"a = I - \beta k k^\top, \; b = \beta v k"),
    "gated-deltanet": (
        "Gated DeltaNet",
        r"a = \alpha (I - \beta k k^\top), \; b = \beta v k",
    ),
}
WHOLE = "sigprop.linear.gated_moments.predict_gated"


def table(rules: Iterable[tuple[str, str]]) -> str:
    """Return the LaTeX of a table of layers with their names, ``a`` and ``b``."""
    rows = r" \\ ".join(rf"\text{{{title}}} & {rule}" for title, rule in rules)
    return rf"\begin{{array}}{{ll}} {rows} \end{{array}}"


part.row(
    "sigprop:gates",
    "moment",
    "confirmed",
    "States and gradients of layers whose gates read the input alone",
    RECURSION + table([*GATES.values(), *DELTA_RULES.values()]),
    where="whole layers",
    code=WHOLE,
    assumes=f"{INPUTS}; r, i, k, v and x linear in the input; of the delta rule a is a "
    "matrix, h a row of the state, k of length one, and k's direction, beta, alpha and v "
    "are of the input",
    note="Exact for any input that is independent in time: of two values it is compared "
    "with all sequences, of Gaussian ones the expectations of a, b and their derivatives "
    "are sums over nodes, whose error is stated. Judged are the gradients of every "
    "parameter behind the gates; of the delta rule those of gates and values, not of the "
    "keys' weights. Its state has a second moment of keys by keys, on which a step acts "
    "through products of up to four keys.",
)
