"""Zucchet & Orvieto (2024), Eq. 10-33: the linear networks, S4 and the GRU, drawn."""

from math import pi as PI

from sympy import I, Integer, Symbol, exp, log

from theory import recurrences
from theory.claims import Claim, Kind, Status
from theory.papers import zucchet_models_dense, zucchet_models_init
from theory.papers.zucchet_models_row import (
    IS_DEFINITION,
    definition,
    of_model,
    routes,
    row,
    zero_start,
)

MODELS, CONNECTIVITY = "sigprop.references.models.", "sigprop.references.connectivity."
JACOBIANS = "sigprop.references.jacobians."
DENSE, DIAGONAL = "sigprop.layers.dense.", "sigprop.layers.complex_diagonal."
A2, A3, A4 = (f"Appendix A.{i}" for i in (2, 3, 4))
re, im = Symbol("re", real=True), Symbol("im", real=True)
nu, phase, gain, width = (
    Symbol(f"omega_{name}", real=True) for name in ("nu", "theta", "gamma", "delta")
)
PLACES = tuple({"re": x, "im": y} for x, y in ((0.4, 0.2), (-0.9, 0.3), (0.1, -0.7)))
LRUS = tuple(
    {"omega_nu": a, "omega_theta": b, "omega_gamma": c}
    for a, b, c in ((-0.5, 0.3, 0.2), (0.4, -1.0, -0.6), (-2.0, 0.9, 0.5))
)
S4S = tuple(
    {"omega_delta": d, "re": x, "im": y}
    for d, x, y in ((0.3, -0.2, 0.5), (-1.0, -0.8, 1.5), (2.0, 0.1, -0.4))
)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (
        *_teacher(),
        *zucchet_models_dense.claims(),
        *_diagonal(),
        *_s4(),
        *_gru(),
        *zucchet_models_init.claims(),
    )


def _teacher() -> tuple[Claim, ...]:
    every = tuple({"kind": kind, "fit": False} for kind in ("dense", "tanh"))
    hessian = routes(
        "jacobians", autodiff="hessian_autodiff", reference="hessian_complex"
    )
    return (
        of_model(
            "10",
            "Section 4.2",
            "The linear teacher",
            r"h_{t+1} = Ah_t + Bx_{t+1} \text{ and } y_t = Ch_t + Dx_t",
            DENSE + "LinearRNN",
            "dense",
            "outputs",
        ),
        row(
            "11",
            "Eq. 11, Section 4.3",
            Kind.IDENTITY,
            "The Hessian of the loss",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x \left[\frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 L_t}{\partial h_t^2} \frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\theta}^\top + \frac{\partial L_t}{\partial h_t} "
            r"\frac{\mathrm{d}^2 h_t}{\mathrm{d}\theta^2} \right]",
            Status.CONFIRMED,
            JACOBIANS + "hessian_sum",
            points=every,
            routes=hessian,
            form=JACOBIANS + "hessian_sum",
            slips={"the first term alone": JACOBIANS + "hessian_first"},
            condition="real parameters and the loss of Eq. 1, which sees them through the "
            "states alone; dh/dtheta has parameters as rows here, states in Eq. 2, 4 and 9",
            note="Judged by all entries of the recurrent matrix of a linear and of a tanh "
            "network. Eq. 115 has the same line for parameters of a readout too, where it "
            "fails.",
            topic="hessian",
        ),
        row(
            "text:second-term",
            "text after Eq. 11, Section 4.3",
            Kind.TEXT,
            "At a perfect fit the second term of the Hessian vanishes",
            r"h_t = h_t^* \Rightarrow \frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t "
            r"\mathbb{E}_x \left[\frac{\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 "
            r"L_t}{\partial h_t^2} \frac{\mathrm{d}h_t}{\mathrm{d}\theta}^\top\right]",
            Status.CONFIRMED,
            JACOBIANS + "hessian_first",
            points=tuple({**at, "fit": True} for at in every),
            routes=hessian,
            form=JACOBIANS + "hessian_first",
            topic="hessian",
        ),
        row(
            "footnote1",
            "footnote 1, Section 4.2",
            Kind.DEFINITION,
            "How the eigenvalues of teachers are moved",
            r"x \mapsto \nu_0 + (1 - \nu_0) \tanh(x) \text{ on the absolute values}",
            Status.DEFINITION,
            DENSE + "transform_eigenvalues",
            points=tuple(
                {"case": case, "nu0": 0.3, "theta0": PI}
                for case in ("positive", "negative")
            ),
            routes=routes("spectra", impulse="transformed_by_layer"),
            form="sigprop.references.spectra.transformed_by_print",
            alone=IS_DEFINITION,
            note="Eq. 15 with theta_0 = pi: without its map of angles the matrix stays "
            "real whatever its eigenvalues. How N(0, 1/sqrt(n)) is to be read: "
            "zucchet:text:outer-radius.",
        ),
        row(
            "footnote2:lipschitz",
            "footnote 2, Section 4.3",
            Kind.TEXT,
            "The gradient's Lipschitz constant is the largest Hessian eigenvalue",
            r"\sup_{x \neq y} \frac{\|\nabla L(x) - \nabla L(y)\|}{\|x - y\|} = "
            r"\lambda_{\max}(\nabla^2 L)",
            Status.CONDITIONAL,
            "sigprop.references.updates.lipschitz_by_search",
            points=({"case": "convex"},),
            outside=({"case": "saddle"},),
            routes=routes(
                "updates",
                reference="lipschitz_by_search",
                closed_form="lipschitz_by_norm",
            ),
            form="sigprop.references.updates.largest_eigenvalue",
            condition="the loss is convex; otherwise it is the largest modulus of an "
            "eigenvalue, and the maximum runs over all parameters and not only over the "
            "optimum",
            note="The loss of a linear recurrence is not convex, and its curvature has no "
            "bound as |lambda| goes to 1 (zucchet:fig1:sharpness-real): there is no global "
            "Lipschitz constant, only one near the optimum.",
            topic="hessian",
        ),
        row(
            "footnote2:rate",
            "footnote 2, Section 4.3",
            Kind.TEXT,
            "The largest stable learning rate",
            r"\eta_{\max} = \frac{2}{L}",
            Status.PROVED,
            "theory.recurrences.steepest_descent",
            derive=recurrences.steepest_descent,
            printed=lambda: 2 / recurrences.curvature,
            points=tuple({"ell": ell} for ell in (0.7, 3.0, 40.0)),
            routes=routes(
                "updates",
                reference="largest_rate",
                autodiff="largest_rate_by_companion",
            ),
            condition="gradient descent on a quadratic of largest curvature L",
            topic="hessian",
        ),
    )


def _diagonal() -> tuple[Claim, ...]:
    one = "sigprop.layers.complex_diagonal.ComplexDiagonal.eigenvalues"
    return (
        zero_start("16", A2, "complex RNN and the LRU"),
        row(
            "17",
            f"Eq. 17, {A2}",
            Kind.DEFINITION,
            "The complex diagonal recurrence",
            r"h_{t+1} = \lambda \odot h_t + \gamma \odot B x_t",
            Status.REFUTED,
            "sigprop.layers.diagonal.DiagonalLayer.step",
            points=({"d_in": 1}, {"d_in": 3}),
            routes=routes(
                "models", impulse="dense_outputs", reference="dense_outputs_by_powers"
            ),
            form=MODELS + "diagonalised_layer",
            printed_by=MODELS + "diagonalised_print",
            correction=r"h_{t+1} = \lambda \odot h_t + \gamma \odot B x_{t+1}",
            note="The text wants the network, with gamma = 1, to be the diagonalised linear "
            "RNN of Eq. 12-14, which takes x_{t+1}, as S4 does in Eq. 24. With x_t the "
            "state lags one step behind and the outputs differ. Judged on the outputs of "
            "a dense RNN.",
            inherits="Eq. 113 prints b x_t too; no stationary moment of the state "
            "depends on it, but outputs with D do",
        ),
        of_model(
            "18",
            A2,
            "The readout of the complex RNN and the LRU",
            r"y_t = \operatorname{Re}[Ch_t + Dx_t]",
            "sigprop.layers.diagonal.DiagonalLayer.read",
            "lru",
            "outputs",
        ),
        definition(
            "19",
            A2,
            "Eigenvalues of the complex RNN",
            r"\lambda = \lambda^{\rm re} + i\lambda^{\rm im}",
            one,
            printed=lambda: re + I * im,
            points=PLACES,
            routes=routes("models", impulse="complex_eigenvalue"),
        ),
        definition(
            "20",
            A2,
            "The complex RNN does not normalise its input",
            r"\gamma = 1",
            DIAGONAL + "ComplexDiagonal",
            printed=lambda: Integer(1),
            points=PLACES,
            routes=routes(
                "models", impulse="complex_gain", reference="complex_gain_by_step"
            ),
        ),
        definition(
            "21",
            A2,
            "Eigenvalues of the LRU",
            r"\lambda = \exp(-\exp(\omega_{\nu}))\exp(i\exp(\omega_{\theta}))",
            "sigprop.layers.lru.LRU.eigenvalues",
            printed=lambda: exp(-exp(nu)) * exp(I * exp(phase)),
            points=LRUS,
            routes=routes("models", impulse="lru_eigenvalue"),
            note="Every phase is positive: the LRU has no conjugate of an eigenvalue.",
        ),
        definition(
            "22",
            A2,
            "Normalisation of the LRU",
            r"\gamma = \exp(\omega_{\gamma})",
            "sigprop.layers.lru.LRU.normaliser",
            printed=lambda: exp(gain),
            points=LRUS,
            routes=routes("models", impulse="lru_gain"),
        ),
    )


def _s4() -> tuple[Claim, ...]:
    s4 = "sigprop.layers.s4.S4"
    return (
        definition(
            "23",
            A3,
            "The step of S4",
            r"\Delta = \text{softplus}(\omega_{\Delta})",
            s4 + ".normaliser",
            printed=lambda: log(1 + exp(width)),
            points=S4S,
            routes=routes("models", impulse="s4_gain"),
        ),
        of_model(
            "24",
            A3,
            "The recurrence of S4",
            r"h_{t+1} = \exp\left(\left(\omega_A^{\mathrm{re}} + i\omega_A^{\mathrm{im}}"
            r"\right)\Delta\right) \odot h_t + \Delta \odot Bx_{t+1}",
            s4,
            "s4",
            "states",
            note="The recurrence is that of the zero-order hold, the input's gain Delta "
            "that of Euler's scheme; a difference from S4 that the text does not list.",
        ),
        of_model(
            "25",
            A3,
            "The readout of S4",
            r"y_t = \operatorname{Re}[Ch_t + Dx_t]",
            s4,
            "s4",
            "outputs",
        ),
    )


def _gru() -> tuple[Claim, ...]:
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
