"""RotRNN (2024), Appendix C line by line, with Appendix B.3."""

from sigprop.theory import rotation
from sigprop.theory.rotation import HALF
from sigprop.theory.rows import Part
from sigprop.theory.symbols import r_max, r_min, u1

part = Part("", "rotation", "sigprop.layers.rotrnn.RotRNN")
initialisation = part.at("", "parametrisation", "sigprop.layers.rotrnn.rotrnn")

part.row(
    "rotrnn:listing:xi",
    "algorithm",
    "confirmed",
    "The factor on B, head by head",
    r"\text{xi} = \sqrt{\frac{1 - \text{gammas.squeeze()}^2}{\text{B\_T\_B\_trace}}}",
    where="Appendix C, forward",
    note="The line is Eq. 11 at c = 1, where Eq. 11 is right. With one head, squeeze "
    "also removes the axis of the decays; the division by the trace restores it.",
    code="normalised_B",
)
part.row(
    "rotrnn:listing:P",
    "algorithm",
    "confirmed",
    "The rotation of each head",
    r"P = \text{expm}(M - \text{M.transpose(0, 2, 1)})",
    where="Appendix C, forward",
    note="The line applies Lemma 1 to a stack of matrices.",
    code="rotations",
)
part.row(
    "rotrnn:listing:binf",
    "algorithm",
    "proved",
    "The operator of the parallel scan",
    r"(\gamma_i, \theta_i, x_i) \bullet (\gamma_j, \theta_j, x_j) = (\gamma_i"
    r"\gamma_j, \theta_i + \theta_j, \gamma_j\Theta_j x_i + x_j)",
    where="Appendix C, binf",
    note="The operator is associative, as a parallel scan needs, and composes two steps "
    "of the recurrence. It takes even sizes alone: the two strided halves of an odd "
    "one differ in length.",
    code="sigprop.theory.rotation.combine",
)
part.row(
    "rotrnn:listing:forward",
    "algorithm",
    "confirmed",
    "The whole layer",
    r"y = \text{forward}(\text{rotrnn\_params}, u): \quad x_t = \gamma A x_{t-1} + "
    r"\xi B u_t, \quad y_t = C x_t^{(1:H)} + D \odot u_t",
    where="Appendix C, forward",
    note="Every line as printed: projections with B and P, repeated decays and "
    "angles, scan, projection back, heads side by side, output. It starts from the "
    "zero state.",
    code="__call__",
)
part.row(
    "rotrnn:listing:skip",
    "definition",
    "definition",
    "The skip connection",
    r"D_i \sim \mathcal{N}(0, 1), \quad D \odot u_t",
    where="Appendix C, forward and init_params, and Appendix B.3",
    note="A vector applied entry by entry: Eq. 13's matrix, a diagonal one. Were it full, "
    "it would add 54,720 numbers to the network for Speech Commands.",
    code="skip",
)
initialisation.row(
    "rotrnn:listing:gamma",
    "distribution",
    "proved",
    "The decays are sampled within their range",
    r"\gamma_{\log} = \log\left(-\frac{1}{2}\log\left(u(\gamma_{\max}^2 - "
    r"\gamma_{\min}^2) + \gamma_{\min}^2\right)\right) \Rightarrow \gamma = \sqrt{u("
    r"\gamma_{\max}^2 - \gamma_{\min}^2) + \gamma_{\min}^2}",
    where="Appendix C, init_params, and Appendix B.3",
    derive=rotation.decay,
    printed=lambda: (u1 * (r_max**2 - r_min**2) + r_min**2) ** HALF,
    note="gamma runs from gamma_min at u = 0 to gamma_max at u = 1 and is uniform in "
    "gamma squared, as the LRU's radius. The text does not name the distribution.",
)
initialisation.row(
    "rotrnn:listing:theta",
    "algorithm",
    "confirmed",
    "The number of angles of a head",
    r"\text{theta} = \text{np.random.uniform}(0, \theta_{\max}, (H, "
    r"\text{dim\_h // 2}))",
    where="Appendix C, init_params",
    note="Our copy has dim_h / 2, a float, which NumPy refuses. It writes '//' three "
    "lines above as '/ /', and may have lost a stroke here.",
    as_extracted=True,
)
initialisation.row(
    "rotrnn:listing:glorot",
    "algorithm",
    "confirmed",
    "Variance of the entries of B and C",
    r"\text{Glorot initialised input/output matrices}: \quad \text{Var} = "
    r"\frac{1}{\text{columns}}",
    where="Appendix C, init_params",
    note="Appendix B.3 says Glorot too. Here, as in the LRU's paper, that is one over the "
    "number of inputs. The law that Glorot and Bengio propose, 2 / (rows + columns), is "
    "1.33 of it for the C of ListOps and 0.86 for that of Text; the scale of B is "
    "normalised away.",
)
initialisation.row(
    "rotrnn:listing:normal",
    "definition",
    "definition",
    "The other weights",
    r"M_{ij}, D_i \sim \mathcal{N}(0, 1), \quad \theta_i \sim U[0, \theta_{\max}]",
    where="Appendix B.3 and Appendix C, init_params",
    note="The text and the listing agree.",
)
