"""Our own statements on newer state spaces: steps, trapezoids, oscillators."""

from sympy import Expr, Integer, cos, exp, log, sin, tanh

from sigprop.theory import state_spaces as forms
from sigprop.theory.rows import Part
from sigprop.theory.state_spaces import (
    A,
    a_0,
    a_1,
    alpha,
    beta,
    gamma,
    n,
    rho,
    step,
    step_0,
    step_1,
    x,
)
from sigprop.theory.symbols import T

part = Part("State spaces of 2023-2026", "forward", "sigprop.theory.state_spaces")
HEAD = "a head of Mamba-2, h' = exp(-A Delta) h + Delta x"
TRAPEZOID = "Mamba-3 with fixed gates, h_t = alpha h_{t-1} + beta x_{t-1} + gamma x_t"
WHITE = "white input of variance one"


def _rotating_kernel() -> Expr:
    total: Expr = Integer(0)
    b, c = forms.write, forms.reads
    for radius, angle, place in (
        (forms.r_1, forms.theta_1, 0),
        (forms.r_2, forms.theta_2, 2),
    ):
        along = b[place] * c[place] + b[place + 1] * c[place + 1]
        across = b[place] * c[place + 1] - b[place + 1] * c[place]
        total += radius**n * (along * cos(n * angle) + across * sin(n * angle))
    return total


part.row(
    "sigprop:ssd-time-constant",
    "moment",
    "proved",
    "The mean time constant of heads as initialised",
    r"\mathbb{E} \frac{1}{A \Delta} = \frac{\log (a_1/a_0)}{a_1 - a_0} "
    r"\frac{1/\Delta_0 - 1/\Delta_1}{\log (\Delta_1/\Delta_0)}",
    where="Mamba-2, rates A uniform from a_0 to a_1, steps log-uniform from Delta_0 to Delta_1",
    derive=forms.time_constant,
    printed=lambda: (
        log(a_1 / a_0) / (a_1 - a_0) * (1 / step_0 - 1 / step_1) / log(step_1 / step_0)
    ),
    code="time_constant",
    assumes="rates and steps independent",
    note="40 steps with the defaults 1 to 16 and 0.001 to 0.1, of which the least step is "
    "responsible: the median is 14. States of such heads are in "
    "sigprop:ssd-mean-state.",
)
part.row(
    "sigprop:ssd-mean-state",
    "moment",
    "proved",
    "The mean state of heads as initialised",
    r"\mathbb{E} h^2 = \frac{\Delta}{2 (a_1 - a_0)} \log "
    r"\frac{e^{2 a_1 \Delta} - 1}{e^{2 a_0 \Delta} - 1}",
    where=HEAD + ", rates A uniform from a_0 to a_1",
    derive=forms.mean_state,
    printed=lambda: (
        step
        / (2 * (a_1 - a_0))
        * log((exp(2 * a_1 * step) - 1) / (exp(2 * a_0 * step) - 1))
    ),
    code="mean_state",
    assumes=WHITE,
    note="For small steps Delta log(a_1/a_0) / (2 (a_1 - a_0)): states shrink with the "
    "step, at the default rates to 0.0009 at Delta = 0.01, as nothing normalises them. "
    "The time constants are in sigprop:ssd-time-constant.",
)
part.row(
    "sigprop:ssd-log-rate",
    "moment",
    "proved",
    "The gradient of a head by the logarithm of its rate",
    r"\frac{\mathbb{E} (\partial h / \partial \log A)^2}{\mathbb{E} h^2} = "
    r"\frac{x^2 e^{-2 x} (1 + e^{-2 x})}{(1 - e^{-2 x})^2}, \quad x = A \Delta",
    where=HEAD,
    derive=forms.log_rate,
    printed=lambda: x**2 * exp(-2 * x) * (1 + exp(-2 * x)) / (1 - exp(-2 * x)) ** 2,
    code="log_rate",
    assumes=WHITE + ", after many steps",
    note="It goes to 1/2 for slow heads: by log A there is no curse of memory, relative to "
    "the state. Fast heads, x > 1, have exponentially small gradients. Before a slow head "
    "is full it cannot learn: sigprop:ssd-still-head.",
)
part.row(
    "sigprop:ssd-still-head",
    "limit",
    "proved",
    "A head with a tiny rate cannot learn it",
    r"\lim_{x \to 0} \frac{\mathbb{E} (\partial h_T / \partial \log A)^2}"
    r"{x^2\, \mathbb{E} h_T^2} = \frac{(T - 1) (2 T - 1)}{6}, \quad x = A \Delta",
    where=HEAD + ", T steps from the zero state",
    derive=forms.still_head,
    printed=lambda: (T - 1) * (2 * T - 1) / 6,
    code="still_head",
    assumes=WHITE,
    note="The gradient over the state is about (A Delta T)^2 / 3. At A = 1e-6 it "
    "is 1e-12 times as large as at A = 1, so that log A stays where it is. After many steps "
    "the ratio is that of sigprop:ssd-log-rate.",
)
part.row(
    "sigprop:exact-hold",
    "moment",
    "proved",
    "The state of a head whose input is held exactly",
    r"\mathbb{E} h^2 = \frac{\tanh (x/2)}{A^2}, \quad x = A \Delta",
    where="zero-order hold, h' = exp(-A Delta) h + (1 - exp(-A Delta)) x / A",
    derive=forms.exact_hold,
    printed=lambda: tanh(x / 2) / A**2,
    code="exact_hold",
    assumes=WHITE + ", A > 0",
    note="At most 1/A^2, at large steps. What Mamba adds by taking Delta for the input's "
    "weight is in sigprop:euler-excess.",
)
part.row(
    "sigprop:euler-excess",
    "identity",
    "proved",
    "What a simplified input adds to the state",
    r"\frac{\mathbb{E} h_{\mathrm{Euler}}^2}{\mathbb{E} h_{\mathrm{hold}}^2} = "
    r"\frac{x^2}{(1 - e^{-x})^2}, \quad x = A \Delta",
    where="Mamba's input Delta B x in place of the zero-order hold, S4's",
    derive=forms.euler_excess,
    printed=lambda: x**2 / (1 - exp(-x)) ** 2,
    code="euler_excess",
    assumes="any stationary input; the same A and Delta",
    note="About 1 + x, four at the fastest head of the defaults (x = 1.6), and x^2 for "
    "large steps, where the exact state saturates: sigprop:exact-hold.",
)
part.row(
    "sigprop:random-step",
    "moment",
    "proved",
    "The state of a head whose steps are random",
    r"\mathbb{E} h^2 = 2 + \frac{1}{A}",
    where="h' = exp(-A Delta_t) h + Delta_t x, Delta_t = softplus of a standard logistic",
    derive=forms.random_step,
    printed=lambda: 2 + 1 / A,
    code="random_step",
    assumes=WHITE + ", steps independent of inputs and of each other",
    note="The steps are exponential, of mean one. A head with all steps one has "
    "1 / (1 - exp(-2 A)), half of it for slow heads: selective steps double the state. "
    "Steps that depend on the input are in sigprop:gates.",
)
part.row(
    "sigprop:trapezoid-correlated",
    "moment",
    "proved",
    "The state of a trapezoidal recurrence for correlated inputs",
    r"\mathbb{E} h^2 = \frac{1}{1 - \alpha^2} \left( \beta^2 + \gamma^2 + 2 \rho \beta "
    r"\gamma + 2 \alpha \frac{(\gamma + \rho \beta) (\beta + \rho \gamma)}"
    r"{1 - \alpha \rho} \right)",
    where=TRAPEZOID,
    derive=forms.trapezoid_correlated,
    printed=lambda: (
        (
            beta**2
            + gamma**2
            + 2 * rho * beta * gamma
            + 2
            * alpha
            * (gamma + rho * beta)
            * (beta + rho * gamma)
            / (1 - alpha * rho)
        )
        / (1 - alpha**2)
    ),
    code="trapezoid_correlated",
    assumes="|alpha| < 1, input of variance one and autocorrelation rho^|lag|",
    note="For slow inputs it goes to the squared response to a constant, ((beta + gamma) / "
    "(1 - alpha))^2. For white ones it is sigprop:trapezoid.",
)
part.row(
    "sigprop:trapezoid-finite",
    "moment",
    "proved",
    "The state of a trapezoidal recurrence after T steps",
    r"\mathbb{E} h_T^2 = \gamma^2 + (\alpha \gamma + \beta)^2 "
    r"\frac{1 - \alpha^{2 T - 2}}{1 - \alpha^2}",
    where=TRAPEZOID + ", from the zero state and a zero input before the first",
    derive=forms.trapezoid_finite,
    printed=lambda: (
        gamma**2
        + (alpha * gamma + beta) ** 2 * (1 - alpha ** (2 * T - 2)) / (1 - alpha**2)
    ),
    code="trapezoid_finite",
    assumes="|alpha| < 1, " + WHITE,
    note="The first state has half of the amplitude of an Euler step at equal weights: a "
    "short prompt is damped. The limit is sigprop:trapezoid.",
)
part.row(
    "sigprop:trapezoid-weight",
    "identity",
    "proved",
    "The weight at which a trapezoid is exact for constant inputs",
    r"w = \frac{1}{x} - \frac{1}{e^x - 1}, \quad x = A \Delta",
    where="Mamba-3, beta = (1 - w) Delta exp(-A Delta), gamma = w Delta",
    derive=forms.exact_weight,
    printed=lambda: 1 / x - 1 / (exp(x) - 1),
    code="exact_weight",
    assumes="A > 0",
    note="It is 1/2 - x/12 + ..., which meets the condition w = 1/2 + O(Delta) of a second "
    "order, sigprop:trapezoid-error. A gate that starts at 1/2 overstates constants by x^2/12.",
)
part.row(
    "sigprop:trapezoid-alternating",
    "identity",
    "proved",
    "What a trapezoid leaves of alternating inputs",
    r"\frac{|H(-1)|}{\Delta} = \frac{1}{2} \tanh \frac{x}{2}, \quad x = A \Delta",
    where="Mamba-3 at w = 1/2, H the response to inputs 1, -1, 1, ...",
    derive=forms.alternating,
    printed=lambda: tanh(x / 2) / 2,
    code="alternating",
    assumes="A > 0",
    note="An Euler step leaves 1 / (1 + exp(-x)), one half for slow heads: the trapezoid is "
    "a low-pass filter where Euler's rule is none. "
    "Its response to constants is in sigprop:trapezoid-weight.",
)
part.row(
    "sigprop:trapezoid-mask",
    "identity",
    "proved",
    "The mask of a trapezoid is a product of two",
    r"L_{31} = \alpha_3 (\alpha_2 \gamma_1 + \beta_2)",
    where="Mamba-3 with changing gates, h_3 = L_{31} x_1 + ...; older entries are alike",
    derive=forms.trapezoid_mask,
    printed=lambda: forms.alpha_3 * (forms.alpha_2 * forms.gamma_1 + forms.beta_2),
    code="trapezoid_mask",
    assumes="any gates",
    note="L is the mask of Mamba-2, with products of alpha, times a matrix of two bands, "
    "gamma and beta. Only the oldest gamma and the beta after it enter. Moments at fixed "
    "gates are in sigprop:trapezoid.",
)
part.row(
    "sigprop:rotating-pairs",
    "identity",
    "proved",
    "The kernel of rotating pairs of states",
    r"k_n = r_1^n \left( (b_1 c_1 + b_2 c_2) \cos(n \theta_1) + (b_1 c_2 - b_2 c_1) "
    r"\sin(n \theta_1) \right) + r_2^n \left( (b_3 c_3 + b_4 c_4) \cos(n \theta_2) + "
    r"(b_3 c_4 - b_4 c_3) \sin(n \theta_2) \right)",
    where="four real states in rotations of two, as the complex form of Mamba-3",
    derive=forms.rotating_kernel,
    printed=_rotating_kernel,
    code="rotating_kernel",
    assumes="B = (Re b_1, Im b_1, Re b_2, Im b_2) for complex b, and C alike",
    note="Real and imaginary parts go in turn, pair by pair. All real parts above all "
    "imaginary ones, as after Mamba-3's Proposition 2, do not meet rotations of two by two "
    "and give another kernel for more than one pair. Moments: sigprop:trapezoid.",
)
