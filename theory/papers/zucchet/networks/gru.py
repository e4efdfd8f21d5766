"""Zucchet & Orvieto (2024), Appendix A.4: the GRU, Eq. 26-30."""

from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix A.4", "gated", "sigprop.layers.gru.GRU")

part.row(
    "zucchet:26",
    "definition",
    "definition",
    "The reset gate of the GRU",
    r"r_{t+1} = \sigma(W_{rx}x_{t+1} + W_{rh}h_t + b_r)",
    note="The test reads the gate off the next state, with the forget gate closed.",
)
part.row(
    "zucchet:27",
    "definition",
    "definition",
    "The forget gate of the GRU",
    r"f_{t+1} = \sigma(W_{fx}x + W_{fh}h_t + b_f)",
    correction=r"f_{t+1} = \sigma(W_{fx}x_{t+1} + W_{fh}h_t + b_f)",
    note="The paper prints x without an index; it should be x_{t+1}, as in Eq. 26, 28 and "
    "157. We judge the print as x_t. We read the gate off the next state, with the "
    "candidate at zero.",
    erratum=Erratum(
        "C",
        bearing="No later result is affected: Eq. 29, Eq. 157 and the "
        "experiments have the right gate.",
    ),
)
part.row(
    "zucchet:28",
    "definition",
    "definition",
    "The candidate of the GRU",
    r"n_{t+1} = \tanh(W_{nx}x_{t+1} + b_{nx} + r \odot (W_{nh}h_t + b_{nh}))",
    correction=r"n_{t+1} = \tanh(W_{nx}x_{t+1} + b_{nx} + r_{t+1} \odot (W_{nh}h_t + "
    r"b_{nh}))",
    note="The paper prints r without an index; it should be r_{t+1} of Eq. 26. We judge "
    "the print as r_t.",
    erratum=Erratum(
        "C", bearing="No later result is affected: Eq. 29 needs the right candidate."
    ),
)
part.row(
    "zucchet:29",
    "definition",
    "definition",
    "The update of the GRU",
    r"h_{t+1} = f_{t+1} \odot h_t + (1 - f_{t+1}) \odot n_{t+1}",
    note="The paper gives no initial state and no readout. The code starts from zero "
    "and reads C h + D x, as Eq. 12 and 14.",
)
part.row(
    "zucchet:30",
    "definition",
    "not-checkable",
    "The paper skips the equation number 30",
    r"\text{(nothing)}",
    reason="The number stands on an empty line after Eq. 29; there is no statement.",
    uncounted="nothing is printed",
)
