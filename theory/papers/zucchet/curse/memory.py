"""Zucchet & Orvieto (2024), Section 2.2: what the text says about Eq. 5 to 7."""

from theory import diagonal, recurrences
from theory.claims import Condition
from theory.conditions import inside
from theory.derivation import start
from theory.papers.zucchet.conditions import has_power
from theory.rows import Part
from theory.symbols import rho

POWER = Condition(
    "the input's spectrum does not vanish at the phase of the eigenvalue; so for "
    "R = rho^|lag| with |rho| < 1 at any phase",
    lambda rho, phase, **_: has_power(rho, phase),
)

part = Part("Section 2.2", "backward", "theory.recurrences")

part.at("Section 2.1").row(
    "zucchet:text:memory-terms", "text", "confirmed", "text after Eq. 4"
)(
    "Longer memory: more Jacobians that are not negligible",
    r"\#\left\{t': \left|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}\right| > "
    r"\varepsilon\right\} = \left\lceil \frac{\log \varepsilon}{\log |\lambda|} "
    r"\right\rceil",
    code="sigprop.evidence.zucchet.curse.memory.terms_counted",
    note="The text says that the number increases; it does, as 1/gap.",
)
part.row(
    "zucchet:text:assumption-diagonal", "definition", "definition", "assumption a"
)(
    "The linear diagonal network",
    r"f_{\theta}(h_t, x_{t+1}) = \lambda \odot h_t + x_{t+1}",
    code="sigprop.neuron.recurrence.step",
    topic="models",
    note="Judged on the moment of the state that it leads to.",
)
part.row("zucchet:text:infinite-horizon", "text", "proved", "assumption b")(
    "How much a finite horizon misses of the state",
    r"t_0 = -\infty: \quad 1 - \frac{\mathbb{E}|h_T|^2}{\mathbb{E}|h_\infty|^2} = "
    r"|\lambda|^{2T}",
    lambda: start("the tail over the total", diagonal.remainder_factor("state")),
    code="theory.diagonal.remainder_factor",
    topic="forward",
    note="The text calls an infinite horizon reasonable for sequences longer than "
    "the time scale 1/gap. White input: at T = 1/gap 14 % of the state's moment is "
    "missing, at T = 3/gap 0.2 %.",
)
part.row("zucchet:text:infinite-horizon-sensitivity", "text", "proved", "assumption b")(
    "How much a finite horizon misses of the sensitivity",
    r"t_0 = -\infty: \quad 1 - \frac{\mathbb{E}|\mathrm{d}_\lambda h_T|^2}{"
    r"\mathbb{E}|\mathrm{d}_\lambda h_\infty|^2} \text{ is small for } T \gg "
    r"\frac{1}{1 - |\lambda|}",
    lambda: start("the tail over the total", diagonal.remainder_factor("sensitivity")),
    code="theory.diagonal.remainder_factor",
    note="The sensitivity needs longer than the state: at T = 1/gap about 70 % of "
    "its moment is missing, at T = 3/gap (the 300 steps of Section 4.2 at nu_0 = "
    "0.99) 6 %.",
)
part.row(
    "zucchet:text:assumption-stationary", "definition", "definition", "assumption c"
)(
    "Wide-sense stationarity and the autocorrelation function",
    r"\mathbb{E}_X [X_{t+\Delta}X_t] =: R_X(\Delta) \text{ for all } t, \Delta \in "
    r"\mathbb{Z}",
    code="sigprop.inputs.AR1.autocovariance",
    topic="stationarity",
    note="The usual definition also asks for a constant mean. Appendix B.2 repeats "
    "it with a conjugate and with t and Delta in R.",
)
part.row(
    "zucchet:text:state-diverges",
    "limit",
    "conditional",
    "text before and after Eq. 5",
)(
    "The state's second moment goes to infinity at the edge",
    r"|\lambda| \to 1 \Rightarrow \mathbb{E}[h_t^2] \to \infty",
    code="at_the_edge",
    topic="forward",
    condition=POWER,
    note="Judged on the exponent p of gap^-p: 1, and 2 where the input is a pure "
    "wave at the phase of lambda. Constant input and lambda -> -1 is silent: "
    "E[h^2] -> 1/4. The same holds for the backpropagated errors of Eq. 7.",
)
part.row(
    "zucchet:text:sensitivity-diverges",
    "limit",
    "conditional",
    "text before and after Eq. 5",
)(
    "The sensitivity's second moment goes to infinity at the edge",
    r"|\lambda| \to 1 \Rightarrow \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] \to "
    r"\infty \text{, faster than } \mathbb{E}[h_t^2]",
    code="at_the_edge",
    condition=POWER,
    note="The exponent is 3, two more than the state's, and 4 on a resonant wave. "
    "Constant input and lambda -> -1: E[(dh/dlam)^2] -> 1/16.",
)
part.row("zucchet:text:divergence-speed", "limit", "conditional", "text after Eq. 5")(
    "Correlated inputs make the state diverge faster",
    r"\lim_{\lambda \to 1} (1 - \lambda^2) \mathbb{E}[h_t^2] \text{ increases with "
    r"the correlation of the inputs}",
    lambda: recurrences.at_the_edge("state", 1),
    lambda: (1 + rho) / (1 - rho),
    code="at_the_edge",
    topic="forward",
    assumes=Condition(
        "|rho| < 1; of two inputs that of larger rho is the more correlated",
        inside("rho"),
    ),
    condition=Condition("lambda goes to +1", lambda edge, **_: edge == 1),
    note="For |rho| < 1 the power of the gap stays 1; what grows is the factor "
    "(1 + rho)/(1 - rho). At lambda -> -1 it is the inverse, so correlation slows "
    "the divergence there; the power changes only at rho = 1.",
)
part.row("zucchet:text:low-pass", "bound", "conditional", "text before Eq. 6")(
    "The recurrence is a low-pass filter",
    r"\frac{|H(\pi)|}{|H(0)|} = \frac{|1 - \lambda|}{|1 + \lambda|} \le 1, \quad "
    r"H(\omega) = \frac{1}{1 - \lambda e^{-i\omega}}",
    code="sigprop.neuron.recurrence.linear_recurrence",
    condition=Condition(
        "lambda > 0; a negative eigenvalue makes a high-pass filter and a complex "
        "one a band-pass filter",
        lambda lam, **_: lam > 0,
    ),
    note="At lambda = -0.5 the gain at the highest frequency is three times that "
    "at zero.",
)
part.at("Section 2.2; text in Section 3.1").row(
    "zucchet:text:faster", "limit", "proved", "text before Eq. 6"
)(
    "The sensitivity diverges faster than the state, white input",
    r"\lim_{|\lambda| \to 1} \frac{\mathbb{E}[(\mathrm{d}_\lambda h_t)^2]}{"
    r"\mathbb{E}[h_t^2]} = \infty",
    recurrences.sensitivity_over_state,
    code="sensitivity_over_state",
    note="The ratio is (1 + lam^2)/(1 - lam^2)^2.",
)
part.row("zucchet:text:recurrent-most", "limit", "conditional", "text after Eq. 7")(
    "The explosion is strongest for recurrent parameters",
    r"y = c h, h_{t+1} = \lambda h_t + b x_{t+1}: \quad \frac{\mathbb{E}\left[|"
    r"\mathrm{d}y/\mathrm{d}\lambda|^2\right]}{\mathbb{E}\left[|\mathrm{d}y/"
    r"\mathrm{d}b|^2\right]} \sim \frac{\mathbb{E}\left[|\mathrm{d}y/\mathrm{d}"
    r"\lambda|^2\right]}{\mathbb{E}\left[|\mathrm{d}y/\mathrm{d}c|^2\right]} \sim "
    r"(1 - |\lambda|)^{-2}",
    code="at_the_edge",
    condition=POWER,
    note="Judged on the exponent by which the sensitivity outgrows the state: both "
    "weights multiply the state alone. Constant input and lambda -> -1: nothing "
    "explodes, and the ratio tends to 1/4.",
)
