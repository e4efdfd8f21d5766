"""Zucchet & Orvieto (2024), Section 2.2: statements of the text about Eq. 5 to 7."""

from sigprop.theory import diagonal
from sigprop.theory.claims import Condition
from sigprop.theory.derivation import start
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import has_power
from sigprop.theory.rows import Part

POWER = Condition(
    "the input's spectrum is positive at the phase that the eigenvalue tends to, and "
    "continuous there. Inputs of R = rho^|lag| with |rho| < 1 have this at every phase",
    lambda rho, phase, **_: has_power(rho, phase),
)
SILENT = "zucchet:text:state-diverges"  # whose error others repeat

part = Part("Section 2.2", "backward", "sigprop.theory.recurrences")

part.at("Section 2.1").row(
    "zucchet:text:memory-terms",
    "text",
    "confirmed",
    "Longer memory: more Jacobians that are not negligible",
    r"\text{for every } \varepsilon: \quad \#\left\{t': \left|\frac{\mathrm{d}h_t}"
    r"{\mathrm{d}h_{t'}}\right| > \varepsilon\right\} \text{ increases with the memory}",
    where="text after Eq. 4",
    code="sigprop.evidence.zucchet.curse.memory.terms_counted",
    note='We read "not negligible" as above any threshold. The test is whether a '
    "memory twice as long, |lambda|^(1/2) for |lambda|, has more such terms. Their "
    "number is log(epsilon)/log|lambda| rounded up, a formula of ours, and grows as "
    "1/gap. Our copy has d_{h_t} h_t for these terms and may have lost the stroke of t'.",
    as_extracted=True,
    uncounted="the formula is ours",
)
part.row(
    "zucchet:text:assumption-diagonal",
    "definition",
    "definition",
    "The linear diagonal network",
    r"f_{\theta}(h_t, x_{t+1}) = \lambda \odot h_t + x_{t+1}",
    where="assumption a",
    code="sigprop.neuron.recurrence.step",
    topic="models",
    note="The test uses the moment of the state that it leads to.",
)
part.row(
    "zucchet:text:infinite-horizon",
    "text",
    "proved",
    "The part of the state that a finite horizon misses",
    r"t_0 = -\infty: \quad 1 - \frac{\mathbb{E}|h_T|^2}{\mathbb{E}|h_\infty|^2} \to 0 "
    r"\quad (T(1 - |\lambda|) \to \infty)",
    where="assumption b",
    derive=lambda: start(
        "Divide the tail of the sum by the total:",
        diagonal.remainder_factor("state"),
        r"1 - \mathbb{E}|h_T|^2/\mathbb{E}|h_\infty|^2",
    ),
    code="sigprop.theory.diagonal.remainder_factor",
    topic="forward",
    assumes="white input, zero initial state",
    note="The text calls an infinite horizon reasonable for sequences longer than the "
    "time constant 1/gap. The missing fraction is |lambda|^(2T), a formula of ours. "
    "For |lambda| -> 1 it is 13.5 % at T = 1/gap and 0.25 % at T = 3/gap.",
    uncounted="the formula is ours",
)
part.row(
    "zucchet:text:infinite-horizon-sensitivity",
    "text",
    "proved",
    "The part of the sensitivity that a finite horizon misses",
    r"t_0 = -\infty: \quad 1 - \frac{\mathbb{E}|\mathrm{d}_\lambda h_T|^2}{"
    r"\mathbb{E}|\mathrm{d}_\lambda h_\infty|^2} \to 0 \quad (T(1 - |\lambda|) \to "
    r"\infty)",
    where="assumption b",
    derive=lambda: start(
        "Divide the tail of the sum by the total:",
        diagonal.remainder_factor("sensitivity"),
        r"1 - \mathbb{E}|\mathrm{d}_\lambda h_T|^2/\mathbb{E}|\mathrm{d}_\lambda h_\infty|^2",
    ),
    code="sigprop.theory.diagonal.remainder_factor",
    assumes="white input, zero initial state",
    note="The sensitivity needs longer sequences than the state "
    "(zucchet:text:infinite-horizon). For |lambda| -> 1, 68 % of its moment is "
    "missing at T = 1/gap. At T = 3/gap 6.2 % is missing: the 300 steps of Section "
    "4.2 at nu_0 = 0.99.",
)
part.row(
    "zucchet:text:assumption-stationary",
    "definition",
    "definition",
    "Wide-sense stationarity and the autocorrelation function",
    r"\mathbb{E}_X [X_{t+\Delta}X_t] =: R_X(\Delta) \text{ for all } t, \Delta \in "
    r"\mathbb{Z}",
    where="assumption c",
    code="sigprop.inputs.AR1.autocovariance",
    topic="stationarity",
    note="The usual definition also asks for a constant mean. Appendix B.2 repeats "
    "it with a conjugate and with t and Delta in R.",
)
part.row(
    "zucchet:text:state-diverges",
    "limit",
    "conditional",
    "The state's second moment goes to infinity for |lambda| -> 1",
    r"|\lambda| \to 1 \Rightarrow \mathbb{E}[h_t^2] \to \infty",
    where="text before and after Eq. 5",
    code="at_the_edge",
    topic="forward",
    condition=POWER,
    note="We measure the power p of gap^-p, where the gap is 1 - |lambda|. It is 1, "
    "and 2 for a pure wave at the phase of lambda. Constant input has no power at "
    "lambda -> -1: there E[h^2] -> 1/4, as the paper's own |1 - lambda|^-2 says. The "
    "same holds for the backpropagated errors of Eq. 7.",
    erratum=Erratum(
        "D",
        appears_in=(
            "zucchet:text:sensitivity-diverges",
            "zucchet:text:faster",
            "zucchet:text:dominating-term",
            "zucchet:text:dominance",
            "zucchet:text:one-dimensional-other-inputs",
            "Section 2.2, 'both hidden states and backpropagated errors explode'",
        ),
        bearing="Eq. 5 and 6 are right for every input. After Eq. 61 the paper has "
        "the right domain for inputs rho^|lag|, and later sections use such inputs.",
    ),
)
part.row(
    "zucchet:text:sensitivity-diverges",
    "limit",
    "conditional",
    "The sensitivity's second moment goes to infinity for |lambda| -> 1",
    r"|\lambda| \to 1 \Rightarrow \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] \to "
    r"\infty \text{, faster than } \mathbb{E}[h_t^2]",
    where="text before and after Eq. 6",
    code="at_the_edge",
    condition=POWER,
    note="The power of the divergence is 3, two more than for the state, and 4 for a "
    "resonant wave. For constant input and lambda -> -1 E[(dh/dlam)^2] -> 1/16. The "
    "condition is needed only for the divergence. As E[(dh/dlam)^2] >= E[h^2]^2 / "
    "R(0), the sensitivity diverges faster wherever the state diverges.",
    erratum=Erratum("D", root=SILENT),
)
part.row(
    "zucchet:text:divergence-speed",
    "limit",
    "conditional",
    "Correlated inputs make the state diverge faster",
    r"\lim_{|\lambda| \to 1} (1 - \lambda^2) \mathbb{E}[h_t^2] \text{ increases as less "
    r"of the } R_x(\Delta) \text{ are negligible}",
    where="text after Eq. 5",
    code="at_the_edge",
    topic="forward",
    condition=Condition(
        "lambda^Delta R_x(Delta) >= 0 at the edge, for example lambda to +1 and R_x >= 0",
        lambda edge, rho, **_: edge * rho >= 0,
    ),
    note="We take R = rho^|lag| with |rho| < 1, where a larger |rho| makes fewer lags "
    "negligible. The power of the gap stays 1. The factor is (1 + rho)/(1 - rho) for "
    "lambda -> 1, and its inverse for lambda -> -1. So a negative rho at lambda -> 1, or "
    "a positive rho at lambda -> -1, slows the divergence.",
    erratum=Erratum("D", bearing="The paper derives nothing from this remark."),
)
part.row(
    "zucchet:text:low-pass",
    "bound",
    "conditional",
    "The recurrence is a low-pass filter",
    r"\frac{|H(\pi)|}{|H(0)|} = \frac{|1 - \lambda|}{|1 + \lambda|} \le 1, \quad "
    r"H(\omega) = \frac{1}{1 - \lambda e^{-i\omega}}",
    where="text before Eq. 6",
    code="sigprop.neuron.recurrence.linear_recurrence",
    condition=Condition(
        "lambda >= 0; a negative eigenvalue makes a high-pass filter and a complex "
        "one a band-pass filter",
        lambda lam, **_: lam >= 0,
    ),
    note="At lambda = -0.5 the gain at the highest frequency is three times the gain "
    "at zero frequency.",
    erratum=Erratum(
        "D",
        appears_in=("Appendix B.2.3, after Eq. 71, after Eq. 73, last paragraph",),
        bearing="The paper uses only that the inputs are filtered twice, which holds "
        "for every lambda.",
    ),
)
part.at("Section 2.2; text in Section 3.1").row(
    "zucchet:text:faster",
    "limit",
    "conditional",
    "The sensitivity diverges faster than the state",
    r"\lim_{|\lambda| \to 1} \frac{\mathbb{E}[(\mathrm{d}_\lambda h_t)^2]}{"
    r"\mathbb{E}[h_t^2]} = \infty",
    where="text before Eq. 6",
    code="sensitivity_over_state",
    condition=POWER,
    note="We measure the power of 1/gap with which the ratio grows. It is 2: under "
    "white input the ratio is (1 + lam^2)/(1 - lam^2)^2. For constant input and "
    "lambda -> -1 neither moment diverges, and the ratio tends to 1/4.",
    erratum=Erratum("D", root=SILENT),
)
part.row(
    "zucchet:text:recurrent-most",
    "limit",
    "proved",
    "The explosion is strongest for recurrent parameters",
    r"y = c h, h_{t+1} = \lambda h_t + b x_{t+1}: \quad \frac{\mathbb{E}\left[|"
    r"\mathrm{d}y/\mathrm{d}\lambda|^2\right]}{b^2 \mathbb{E}\left[|\mathrm{d}y/"
    r"\mathrm{d}b|^2\right]}, \frac{\mathbb{E}\left[|\mathrm{d}y/\mathrm{d}"
    r"\lambda|^2\right]}{c^2 \mathbb{E}\left[|\mathrm{d}y/\mathrm{d}c|^2\right]} \ge "
    r"\frac{\mathbb{E}[h_t^2]}{b^2 R_x(0)} \to \infty \text{ where the state explodes}",
    where="text after Eq. 7",
    code="sigprop.theory.recurrences.two_passes_outgrow_one",
    note="The sentence says where the explosion is worst, so where there is one. Both "
    "weights multiply the state; the bound, of ours, is that of Cauchy and Schwarz, one "
    "pass of the filter against two. The ratio grows as 1/gap^2 (zucchet:text:faster).",
    uncounted="the formula is ours",
)
