"""Our own statement on gated layers with time constants up to a thousand steps."""

from sigprop.theory.papers.sigprop.gates import DELTA_RULES, GATES, table
from sigprop.theory.rows import Part

part = Part("gates at long memories", "gates", "sigprop.neuron.gated")

part.row(
    "sigprop:memories",
    "moment",
    "confirmed",
    "States and gradients behind gates, over memories of 4 to 1000 steps",
    r"\frac{1}{T} \sum_{t \le T} \mathbb{E} |h_t|^2, \; \frac{1}{T} \sum_{t \le T} "
    r"\sum_j \mathbb{E} |s_{j,t}|^2, \; h' = a h + b, \; s_j' = a s_j + c_j h + d_j, \quad "
    + table([*GATES.values(), DELTA_RULES["deltanet"]]),
    where="neurons and heads",
    code="gated_sensitivity_moment",
    assumes="independent Gaussian inputs; T = 1024 from the zero state; neurons of memories "
    "1 / (1 - E a) from 4 to 1000 steps, whose c and d are the derivatives of a and b by a "
    "weight of each projection and by each own parameter; of the delta rule heads of two "
    "keys and one value, of memories 1 / (1 - lambda) with lambda the largest eigenvalue of "
    "E a, and s_j what each weight of the gate or of the value moves",
    note="Of each layer 20 neurons or heads within 1 % in the headline tier, 5 within 3 % "
    "in the quick one. The simulation's controls are polynomials of the present input, of "
    "the delta rule times harmonics of the key's angle, less their means, times moments of "
    "the past: their mean is zero whatever the moments are. Memory of the delta rule is "
    "that along the key's rare direction, as E beta k k^T = E k k^T / 2 without an offset of "
    "the gate; sigprop.neuron.delta_moments computes its moments.",
)
