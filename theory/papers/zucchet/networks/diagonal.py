"""Zucchet & Orvieto (2024), Appendices A.2-A.3: complex RNN, LRU and S4, Eq. 16-25."""

from sympy import I, Integer, Symbol, exp, log

from sigprop.theory.rows import Part

re, im = Symbol("re", real=True), Symbol("im", real=True)
omega_nu, omega_theta, omega_gamma, omega_delta = (
    Symbol(f"omega_{name}", real=True) for name in ("nu", "theta", "gamma", "delta")
)

part = Part("Appendix A.2", "models", "sigprop.layers.diagonal.DiagonalLayer")

part.row(
    "zucchet:16",
    "definition",
    "definition",
    "The complex RNN and the LRU start from the zero state",
    r"h_0 = 0",
    code="sigprop.layers.base.Layer.initial_state",
    uncounted="repeats zucchet:12",
)
part.row(
    "zucchet:17",
    "definition",
    "definition",
    "The complex diagonal recurrence",
    r"h_{t+1} = \lambda \odot h_t + \gamma \odot B x_t",
    code="step",
    note="The index of the input is a convention: here x_t, in Eq. 1, 12 and 24 "
    "x_{t+1}. We take x_{t+1} and compare the outputs with those of the dense RNN of "
    "Eq. 12-14. With x_t the outputs lag by one step, if B, C and D are the same.",
)
part.row(
    "zucchet:18",
    "definition",
    "definition",
    "The readout of the complex RNN and the LRU",
    r"y_t = \operatorname{Re}[Ch_t + Dx_t]",
    code="read",
)
part.row(
    "zucchet:19",
    "definition",
    "definition",
    "Eigenvalues of the complex RNN",
    r"\lambda = \lambda^{\rm re} + i\lambda^{\rm im}",
    printed=lambda: re + I * im,
    code="sigprop.layers.complex_diagonal.ComplexDiagonal.eigenvalues",
)
part.row(
    "zucchet:20",
    "definition",
    "definition",
    "The complex RNN does not normalise its input",
    r"\gamma = 1",
    printed=lambda: Integer(1),
    code="sigprop.layers.complex_diagonal.ComplexDiagonal",
)
part.row(
    "zucchet:21",
    "definition",
    "definition",
    "Eigenvalues of the LRU",
    r"\lambda = \exp(-\exp(\omega_{\nu}))\exp(i\exp(\omega_{\theta}))",
    printed=lambda: exp(-exp(omega_nu)) * exp(I * exp(omega_theta)),
    code="sigprop.layers.lru.LRU.eigenvalues",
    note="Every phase is positive. The authors' code takes phases of both signs "
    "modulo 2 pi (sigprop.layers.lru.released_zucchet_lru). So its LRU starts with "
    "eigenvalues on both sides of the real axis. With phases sampled from [0, "
    "theta_0] all start on one side.",
)
part.row(
    "zucchet:22",
    "definition",
    "definition",
    "Normalisation of the LRU",
    r"\gamma = \exp(\omega_{\gamma})",
    printed=lambda: exp(omega_gamma),
    code="sigprop.layers.lru.LRU.normaliser",
)

s4 = part.at("Appendix A.3", code="sigprop.layers.s4.S4")
s4.row(
    "zucchet:23",
    "definition",
    "definition",
    "The step of S4",
    r"\Delta = \text{softplus}(\omega_{\Delta})",
    printed=lambda: log(1 + exp(omega_delta)),
    code="normaliser",
)
s4.row(
    "zucchet:24",
    "definition",
    "definition",
    "The recurrence of S4",
    r"h_{t+1} = \exp\left(\left(\omega_A^{\mathrm{re}} + i\omega_A^{\mathrm{im}}"
    r"\right)\Delta\right) \odot h_t + \Delta \odot Bx_{t+1}",
    note="The recurrence comes from the zero-order hold, but the input gain Delta "
    "from Euler's scheme. The text does not list this difference from S4.",
)
s4.row(
    "zucchet:25",
    "definition",
    "definition",
    "The readout of S4",
    r"y_t = \operatorname{Re}[Ch_t + Dx_t]",
    uncounted="repeats zucchet:18",
)
