"""Zucchet & Orvieto (2024), Appendices A.2-A.3: complex RNN, LRU and S4, Eq. 16-25."""

from sympy import I, Integer, Symbol, exp, log

from theory.claims import Claim, Kind, Status
from theory.papers.zucchet.rows import definition, of_model, routes, row, zero_start

MODELS = "sigprop.references.models."
DIAGONAL = "sigprop.layers.complex_diagonal."
A2 = "Appendix A.2"
A3 = "Appendix A.3"
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
    return (*_diagonal(), *_s4())


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
            note="Every phase is positive. The authors' code takes phases of both signs modulo "
            "2 pi, so that its LRU starts with eigenvalues on both sides of the real axis "
            "(sigprop.layers.lru.released_zucchet_lru); drawn from [0, theta_0] all start "
            "on one.",
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
