"""Zucchet & Orvieto (2024), Section 5, Appendix D.1: networks as drawn, Eq. 156."""

from math import isclose, pi

from sympy import Expr, simplify

from theory import gated, teacher
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import ARITHMETIC, Evidence
from theory.papers.zucchet.rows import judged, unchecked

GATED, GRU = "sigprop.references.gated.", "sigprop.references.gru."
TEACHER = "sigprop.references.teacher."
CURVATURE = "sigprop.references.curvature."
COMPARED = {"cRNN", "LRU", "GRU"}  # Section 5 and Fig. 5
INITIALISED = {"cRNN", "LRU", "LSTM"}  # Appendix D.1
NETWORK = "sigprop.networks.presets.zucchet_paper"


def claims() -> tuple[Claim, ...]:
    """Section 5 and Appendix D.1, Figures 5, 12 and 13."""
    return (*_inputs(), *_setup(), *_propagation())


def _inputs() -> tuple[Claim, ...]:
    return (
        judged(
            "fig12",
            "Figure 12, Appendix D.1",
            "Variance of the embeddings",
            r"0.376\,\delta_{\Delta=0} \approx 0.332\,\delta_{\Delta=0} + 0.044 \times "
            r"0.997^{\Delta} \text{ at } \Delta = 0",
            Status.CONFIRMED,
            "sigprop.inputs.Mixed",
            Evidence(
                ({},),
                {ARITHMETIC: lambda: 0.332 + 0.044},
                form=lambda: 0.376,
                absolute=0.0005,
            ),
            kind=Kind.FIGURE,
        ),
        unchecked(
            "fig12:fit",
            "Figure 12, Appendix D.1",
            "Coefficients of the fitted autocorrelation",
            r"R_x^{\text{empirical}}(\Delta) \approx 0.332\,\delta_{\Delta=0} + 0.044 "
            r"\times 0.997^{\Delta}",
            "the autocorrelation of the embeddings, once they are at hand, will decide",
            "sigprop.inputs.Mixed",
            kind=Kind.FIGURE,
        ),
        judged(
            "text:iid-inputs",
            "Appendix D.1",
            "Independent inputs as a first approximation",
            r"\text{the i.i.d. assumption serves } (\rho = 0) \text{ as a good first order "
            r"approximation}",
            Status.CONDITIONAL,
            "theory.gated.over_white",
            Evidence(
                tuple({"lam": lam} for lam in (0.3, 0.5, 0.9, 0.99)),
                {"reference": GATED + "over_white", "closed_form": _over_white},
                form=lambda lam: 1.25,
                relation="<=",
                slips={"within 1 %": lambda lam: 1.01},
            ),
            condition=Condition(
                "memories of a few steps, real eigenvalues up to about 0.5",
                lambda lam, **_: 0 <= lam <= 0.5,
            ),
            note="Moment of the state on the paper's own fit over that on white noise of the "
            "same variance: 3.0 at lam = 0.9, 19 at 0.99. The small correlated part adds "
            "up over the memory; the paper's subject is the limit where it dominates.",
        ),
        judged(
            "text:feature-dimension",
            "Appendix D.1",
            "Width of BERT's embeddings",
            r"1024 \text{ examples with length 512 and feature dimension 724}",
            Status.REFUTED,
            "theory.gated.bert_width",
            Evidence(
                ({},),
                {"count": gated.bert_width, "heads": lambda: 12 * 64},
                form=lambda: 768,
                printed=lambda: 724,
            ),
            correction=r"\text{feature dimension 768}",
            note="BERT base has twelve heads of 64 and 109 482 240 parameters. The published "
            "code embeds with that model; it takes the first 2048 articles, padded to 512, "
            "rather than 1024 at random.",
            inherits="no",
        ),
    )


def _over_white(lam: float) -> float:
    values = {"lambda": lam, "a": 0.332, "b": 0.044, "rho": 0.997}
    form = gated.over_white()
    return float(form.subs({s: values[s.name] for s in form.free_symbols}))


def _upper_time() -> Derivation:
    top = (1 + teacher.nu0) / 2
    return start("the largest modulus", top).then(
        "its time constant", simplify(1 / (1 - top))
    )


def _printed_upper_time() -> Expr:
    return 2 / (1 - teacher.nu0)


def _setup() -> tuple[Claim, ...]:
    return (
        judged(
            "text:network",
            "Section 5 and Appendix D.1",
            "Four blocks of 256 neurons",
            r"\text{4 blocks: recurrent layer, non-linearity, GLU, skip; 256 neurons}",
            Status.DEFINITION,
            NETWORK,
            Evidence(
                ({},),
                {"code": GATED + "network_sizes"},
                form=lambda: [4, 256, 256, 768],
                alone="read off the configuration",
            ),
            kind=Kind.DEFINITION,
            note="Depth, width, states, features. Section 5 omits the nonlinearity before "
            "the GLU, which Appendix D.1 has without its name.",
        ),
        judged(
            "156",
            "Eq. 156, Appendix D.1",
            "Next-token mean-squared error",
            r"L_t = \frac{1}{2} \|\hat{x}_t(x_{1:t-1}) - x_t\|^2",
            Status.DEFINITION,
            "theory.gated.prediction_loss",
            Evidence(
                (
                    {"prediction": [0.3, -1.2, 0.5], "target": [1.0, 0.4, 0.5]},
                    {"prediction": [2.0, 0.1, -0.7], "target": [-0.2, 0.0, 1.5]},
                ),
                {"reference": GATED + "half_squared_gap"},
                form=gated.prediction_loss,
                alone="a definition",
            ),
            kind=Kind.DEFINITION,
            note="The published code compares the output at t + 1, which has seen x_t, with "
            "the input x_t: it asks for a token that was seen, not for the next one.",
        ),
        judged(
            "text:time-interval",
            "Appendix D.1",
            "Magnitudes and time constants",
            r"|\lambda| \in \left[\nu_0, \frac{1+\nu_0}{2}\right] \quad \text{and} \quad T "
            r"\in \left[\frac{1}{1-\nu_0}, \frac{2}{1-\nu_0}\right]",
            Status.PROVED,
            "sigprop.layers.gru.chrono_times",
            Evidence(
                ({"nu0": 0.9}, {"nu0": 0.3}),
                {"layer": GRU + "largest_time"},
            ),
            derive=_upper_time,
            printed=_printed_upper_time,
            note="Upper ends, with T = 1/(1 - |lam|); the lower ones are the definition. "
            "Appendix A.2 spreads the same networks up to modulus one.",
        ),
        judged(
            "text:time-constant",
            "Appendix D.1",
            "Time constant of the forget gate",
            r"\text{the time constant of } f \text{ is uniformly sampled from } \left["
            r"\frac{1}{1-\nu_0}, \frac{2}{1-\nu_0}\right]",
            Status.REFUTED,
            "theory.gated.time_constant",
            Evidence(
                ({"tau": 2.0}, {"tau": 10.0}),
                {
                    "layer": GRU + "time_constant_drawn",
                    "sum": GRU + "time_constant_counted",
                },
                printed=lambda tau: tau,
            ),
            correction=r"\frac{1}{1-f} = 1 + T,\quad T \in \left[\frac{1}{1-\nu_0}, "
            r"\frac{2}{1-\nu_0}\right]",
            derive=gated.time_constant,
            corrected=lambda: 1 + gated.tau,
            topic="gated",
            note="With b_f = log T (Eq. 31) each neuron remembers one step longer; b_f = "
            "log(T - 1), as Tallec and Ollivier have it, gives what is said.",
            inherits="the axis of Figure 15",
        ),
        judged(
            "text:input-gate",
            "Appendix D.1",
            "Input gate of the Chrono initialisation",
            r"x = h = 0:\quad i = 1 - f",
            Status.CONFIRMED,
            "sigprop.layers.lstm.lstm",
            Evidence(
                ({"t_max": 20.0}, {"t_max": 200.0}),
                {"layer": GRU + "gates_of_lstm"},
                form=lambda t_max: 1.0,
                tolerance=1e-6,
                alone="the drawn layer's biases",
            ),
            topic="gated",
            note="i + f of a freshly drawn LSTM; in the GRU it holds at all times.",
        ),
        judged(
            "text:lstm-or-gru",
            "Appendix D.1",
            "Which gated network Figure 5 shows",
            r"\text{for the LSTM, we use the Chrono initialization}",
            Status.REFUTED,
            NETWORK,
            Evidence(
                ({},),
                {"names": lambda: len(COMPARED & INITIALISED)},
                form=lambda: 2,
                printed=lambda: 3,
                alone="comparison of printed names",
            ),
            correction=r"\text{for the GRU, we use the Chrono initialization}",
            note="Section 5, Fig. 5 and the same appendix two paragraphs on have a GRU. "
            "Value: how many of the three networks of Fig. 5 the setup initialises.",
            inherits="no",
        ),
    )


def _propagation() -> tuple[Claim, ...]:
    networks = "measuring the networks of Figure 5 on the embeddings will decide"
    return (
        judged(
            "fig5:lru",
            "Figure 5.A, Section 5",
            "The LRU's activity does not depend on its memory",
            r"\text{the input normalization keeps neural activity constant across } \nu_0 "
            r"\text{ values}",
            Status.CONDITIONAL,
            "sigprop.layers.lru.zucchet_lru",
            Evidence(
                (
                    {"radius": 0.5, "theta0": 2 * pi},
                    {"radius": 0.9, "theta0": 2 * pi},
                    {"radius": 0.95, "theta0": pi},
                    {"radius": 0.9, "theta0": pi / 10},
                ),
                {
                    "quadrature": GATED + "normalised_state",
                    "reference": GATED + "normalised_state_by_sum",
                },
                form=lambda radius, theta0: 1.0,
                tolerance=1e-6,
            ),
            condition=Condition(
                "phases uniform on the circle; Appendix D.1 does not give theta_0",
                lambda theta0, **_: isclose(theta0, pi) or isclose(theta0, 2 * pi),
            ),
            kind=Kind.FIGURE,
            note="First layer, the input of Fig. 12: averaged over phases every lag but zero "
            "drops out, for any autocovariance (sigprop:ring-any-input). Phases within "
            "pi/10 bring the correlated part back.",
        ),
        judged(
            "fig5:recurrent",
            "Figure 5.B, Section 5",
            "Recurrent parameters' gradients grow fastest",
            r"\text{recurrent parameters grow faster to infinity than the rest as } \nu_0 "
            r"\to 1",
            Status.PROVED,
            "theory.teacher.recurrent_share",
            Evidence(
                ({"r": 0.5}, {"r": 0.9}, {"r": 0.99}),
                {"reference": CURVATURE + "recurrent_share"},
                proof=teacher.recurrent_share_explodes,
            ),
            derive=teacher.recurrent_share,
            kind=Kind.FIGURE,
            note="Theory, one layer and white inputs: the sensitivity to lam over the moment "
            "of the state, by which input and readout weights' gradients grow, is (1 + "
            "r^2)/(1 - r^2)^2.",
        ),
        judged(
            "fig13",
            "Figure 13, Appendix D.1",
            "Gradients of the layers of a chain",
            r"\text{the layer index does not significantly impact gradient magnitude}",
            Status.CONDITIONAL,
            "sigprop.layers.stack.stack",
            Evidence(
                (
                    {"lams": (0.7,) * 4},
                    {"lams": (-0.4,) * 4},
                    {"lams": (0.9, 0.8, 0.5, 0.2)},
                ),
                {
                    "autodiff": GATED + "layer_gradients",
                    "reference": GATED + "layer_gradients_by_differences",
                },
                form=lambda lams: [1.0] * 4,
            ),
            condition=Condition(
                "linear layers with equal eigenvalues",
                lambda lams, **_: len(set(lams)) == 1,
            ),
            kind=Kind.FIGURE,
            note="Filters commute: in a linear chain of equal layers all gradients are the "
            "same function of the input, as small states meet large errors. With unequal "
            "eigenvalues the slower layer's is larger wherever it stands.",
        ),
        *(
            unchecked(
                claim_id,
                locator,
                title,
                statement,
                networks,
                NETWORK,
                kind=Kind.FIGURE if "fig" in claim_id else Kind.TEXT,
                note=note,
            )
            for claim_id, locator, title, statement, note in _outcomes()
        ),
    )


def _outcomes():
    five = "Figure 5 and Section 5"
    yield (
        "fig5",
        five,
        "Signal propagation in deep networks at initialisation",
        r"\text{consistent with the theory: } \mathbb{E}[h_t^2],\ \mathbb{E}[(\mathrm{d}_{"
        r"\theta}L)^2] \text{ by } \nu_0",
        "What one linear layer does is in zucchet:fig5:lru and zucchet:fig5:recurrent. "
        "The published code takes batches of 16, the paper says 8.",
    )
    yield (
        "fig5:gru",
        five,
        "Gradients of the GRU",
        r"\text{GRU: gradients independent of } \nu_0 \text{, the GRU-specific ones smaller}",
        "For the simplified unit see zucchet:text:minimal-dependence.",
    )
    yield (
        "fig5:normalisation",
        five,
        "Layer normalisation instead of the LRU's",
        r"\text{mitigates the gradient explosion at the macroscopic level, likely kills any "
        r"learning signal for the smallest eigenvalues}",
        "",
    )
    yield (
        "text:lstm-trends",
        "Section 5",
        "LSTMs follow the same trends",
        r"\text{preliminary experiments revealed that same trends also hold for LSTMs}",
        "",
    )
    yield (
        "fig13:networks",
        "Figure 13, Appendix D.1",
        "Gradients of the layers of the networks",
        r"\text{the encoder gradients are the dominating ones}",
        "",
    )
