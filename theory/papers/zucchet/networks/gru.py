"""Zucchet & Orvieto (2024), Appendix A.4: the GRU, Eq. 26-30."""

from theory.claims import Claim, Kind, Status
from theory.papers.zucchet.rows import definition, routes

MODELS = "sigprop.references.models."
A4 = "Appendix A.4"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""

    def gate(number, title, latex, part, **more):
        return definition(
            number,
            A4,
            title,
            latex,
            "sigprop.layers.gru.GRU",
            points=({"part": part},),
            routes=routes("models", impulse="gru_layer"),
            form=MODELS + "gru_written",
            topic="gated",
            **more,
        )

    return (
        gate(
            "26",
            "The reset gate of the GRU",
            r"r_{t+1} = \sigma(W_{rx}x_{t+1} + W_{rh}h_t + b_r)",
            "r",
            note="Read off the next state with the forget gate shut.",
        ),
        gate(
            "27",
            "The forget gate of the GRU",
            r"f_{t+1} = \sigma(W_{fx}x + W_{fh}h_t + b_f)",
            "f",
            note="x lacks its index; x_{t+1}, as in Eq. 26 and 28, is meant. Read off the "
            "next state with the candidate at zero.",
        ),
        gate(
            "28",
            "The candidate of the GRU",
            r"n_{t+1} = \tanh(W_{nx}x_{t+1} + b_{nx} + r \odot (W_{nh}h_t + b_{nh}))",
            "n",
            note="r lacks its index; r_{t+1} of Eq. 26 is meant.",
        ),
        gate(
            "29",
            "The update of the GRU",
            r"h_{t+1} = f_{t+1} \odot h_t + (1 - f_{t+1}) \odot n_{t+1}",
            "h",
            note="No initial state and no readout are given; the code starts from zero and "
            "reads C h + D x, as Eq. 12 and 14.",
        ),
        Claim(
            "zucchet:30",
            f"Eq. 30, {A4}",
            Kind.DEFINITION,
            "A number without an equation",
            r"\text{(nothing)}",
            "",
            Status.NOT_CHECKABLE,
            "sigprop.layers.gru.GRU",
            reason="The number stands on an empty line after Eq. 29; there is no statement.",
            topic="gated",
        ),
    )
