"""Zucchet & Orvieto (2024), Appendix D.2 and Figure 14: the Jacobian of the GRU."""

from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.rows import judged, unchecked

GRU = "sigprop.references.gru."


def claims() -> tuple[Claim, ...]:
    """Appendix D.2 and Figure 14."""
    section = "Appendix D.2, Figure 14"
    return (
        judged(
            "text:non-diagonal",
            section,
            "Non-diagonal entries of the GRU's Jacobian",
            r"\left|\left(\frac{\mathrm{d}h_{t+\Delta}}{\mathrm{d}h_t}\right)_{ij}\right| "
            r"\text{ much smaller off the diagonal}",
            Status.CONDITIONAL,
            "sigprop.layers.gru.gru",
            Evidence(
                (
                    {"t_max": 16.0, "steps": 1},
                    {"t_max": 16.0, "steps": 16},
                    {"t_max": 256.0, "steps": 64},
                    {"t_max": 16.0, "steps": 64},
                ),
                {
                    "reference": GRU + "off_diagonal_share",
                    "autodiff": GRU + "off_diagonal_share_by_layer",
                },
                form=lambda t_max, steps: 0.1,
                relation="<=",
                slips={"a thousandth": lambda t_max, steps: 1e-3},
            ),
            condition=Condition(
                "Delta no longer than the time constants",
                lambda t_max, steps, **_: steps <= t_max,
            ),
            topic="gated",
            note="At rest a step is f + (1 - f) W_nh/2, its entries off the diagonal of size "
            "(1 - f)/(2 sqrt(n)). A fast neuron's own entry dies as f^Delta, what it takes "
            "up from slow ones does not: at Delta = 64 and T up to 16 the root mean square "
            "off the diagonal exceeds the median on it. 256 neurons.",
        ),
        judged(
            "text:diagonal-decay",
            section,
            "Diagonal entries decay as if the gates were constant",
            r"\left(\frac{\mathrm{d}h_{t+\Delta}}{\mathrm{d}h_t}\right)_{ii} \approx "
            r"\lambda_i^\Delta",
            Status.CONDITIONAL,
            "sigprop.layers.gru.gru",
            Evidence(
                (
                    {"t_max": 16.0, "steps": 4},
                    {"t_max": 16.0, "steps": 32},
                    {"t_max": 256.0, "steps": 64},
                    {"t_max": 16.0, "steps": 256},
                ),
                {
                    "reference": GRU + "drift_of_diagonal",
                    "autodiff": GRU + "drift_by_layer",
                },
                form=lambda t_max, steps: 0.05,
                relation="<=",
                slips={"a thousandth": lambda t_max, steps: 1e-3},
            ),
            assumes="at rest",
            condition=Condition(
                "Delta no longer than a few time constants, at most five",
                lambda t_max, steps, **_: steps <= 5 * t_max,
            ),
            topic="gated",
            note="Median over neurons of the entry over f^Delta, less one. How inputs change "
            "it is for the re-run on embeddings.",
        ),
        judged(
            "text:slow-dimensions",
            section,
            "Slow neurons are the most diagonal",
            r"\text{particularly on slowly decaying dimensions (large } T \text{ values)}",
            Status.CONFIRMED,
            "sigprop.layers.gru.gru",
            Evidence(
                ({"steps": 16}, {"steps": 64}),
                {
                    "reference": GRU + "share_of_slow",
                    "autodiff": GRU + "share_of_slow_by_layer",
                },
                form=GRU + "share_of_fast",
                relation="<",
                slips={"a thousandth": lambda steps: 1e-3},
            ),
            topic="gated",
            note="Entries off the diagonal over those on it: T up to 256 against up to 16.",
        ),
        judged(
            "text:jacobian-explodes",
            section,
            "From which strength of the state's weights the Jacobian explodes",
            r"\sigma_h = 1 \text{ does not, } \sigma_h = 3 \text{ eventually explodes}",
            Status.CONFIRMED,
            "sigprop.layers.gru.gru",
            Evidence(
                tuple({"gain": gain} for gain in (1.0, 1.9, 3.0)),
                {"reference": GRU + "grows", "autodiff": GRU + "grows_by_layer"},
                form=lambda gain: float(gain > 2),
                absolute=0.25,
            ),
            topic="gated",
            note="Whether powers of the step at rest grow. If (f + (1-f) W s/2) v = m v with "
            "|m| >= 1 then |m - f|/(1 - f) >= 1 in each entry and so s >= 2: below two it "
            "never explodes, at two or little above it does. The paper calls W_nh, W_fh "
            "of its Appendix A.4 W_hn, W_hz.",
        ),
        judged(
            "fig14",
            "Figure 14.A",
            "Constant forget gates make the GRU diagonal",
            r"\text{forget gates independent of } x \text{ and } h: \text{ the resulting "
            r"network is linear and diagonal}",
            Status.CONDITIONAL,
            "sigprop.layers.gated.ConstantGate",
            Evidence(
                tuple({"gain": 0.0, "candidate": size} for size in (0.0, 1.0)),
                {"autodiff": GRU + "off_diagonal_at_inputs"},
                form=lambda gain, candidate: 0.0,
                relation="<=",
                slips={"less than nothing": lambda gain, candidate: -1.0},
                alone="the layer's Jacobian at a random state and input",
            ),
            condition=Condition(
                "the candidate n does not see the state either",
                lambda candidate, **_: candidate == 0,
            ),
            kind=Kind.FIGURE,
            topic="gated",
            note="Of the GRU of Eq. 26-29 only the gates are made constant: n still mixes "
            "states through W_nh. The published code sets all weights to zero for this "
            "panel, those of the inputs too.",
        ),
        judged(
            "fig14:input-gates",
            "Figure 14.C",
            "Gates that see the input alone",
            r"\sigma_h = 0 \text{: gates that only depend on } x",
            Status.CONFIRMED,
            "sigprop.layers.gru.gru",
            Evidence(
                ({"gain": 0.0, "candidate": 0.0},),
                {"autodiff": GRU + "off_diagonal_at_inputs"},
                form=lambda gain, candidate: 0.0,
                relation="<=",
                slips={"less than nothing": lambda gain, candidate: -1.0},
                alone="the layer's Jacobian at a random state and input",
            ),
            kind=Kind.FIGURE,
            topic="gated",
            note="Every matrix that takes h scaled by sigma_h: the Jacobian is diagonal "
            "exactly, as for Mamba and Hawk.",
        ),
        unchecked(
            "fig14:embeddings",
            "Figure 14.B, C",
            "The GRU's Jacobian on a sentence",
            r"\text{the recurrent Jacobian evolves similarly than in the constant case}",
            "the Jacobian of a GRU on the embeddings will decide",
            "sigprop.layers.gru.gru",
            kind=Kind.FIGURE,
            topic="gated",
        ),
    )
