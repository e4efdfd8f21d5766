"""Our own statements on the sLSTM with gates that do not depend on the state."""

from sympy import exp

from sigprop.theory import slstm as forms
from sigprop.theory.forget_gates import f, spread
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

part = Part("Normalised gates", "gates", "sigprop.theory.slstm")
FIXED = (
    "f > 0, gates fixed; white inputs z of variance one, mean zero; open output gate"
)
DRAWN = "independent gates i = exp(b + s g), g standard normal, independent of z"
LIMIT = "0 < f < 1; " + FIXED.removeprefix("f > 0, ")

part.row(
    "sigprop:slstm-state",
    "moment",
    "proved",
    "The output of an sLSTM with constant gates",
    r"\mathbb{E} h^2 = \frac{(1 - f) (1 + f^T)}{(1 + f) (1 - f^T)}",
    where="h = c/n, c' = f c + i z, n' = f n + i, after T steps from the zero state",
    derive=forms.state,
    printed=lambda: (1 - f) * (1 + f**T) / ((1 + f) * (1 - f**T)),
    code="state",
    assumes=FIXED,
    note="Whatever i is, h is a weighted mean of the inputs: it never exceeds the largest, and "
    "the first output is the first input. At f = 1 it is 1/T. The gates f and 1/f give the "
    "same. Adam corrects its bias in the same way. The limit, (1 - f)/(1 + f), is that of a "
    "tied gate, sigprop:tied-gate; without n there is 1/(1 - f^2).",
)
part.row(
    "sigprop:slstm-normaliser",
    "moment",
    "proved",
    "Fluctuations of the normaliser",
    r"\frac{\operatorname{Var} n}{(\mathbb{E} n)^2} = "
    r"(e^{s^2} - 1) \frac{(1 - f) (1 + f^T)}{(1 + f) (1 - f^T)}",
    where="sLSTM, n' = f n + i, i = exp(b + s g), after T steps from the zero state",
    derive=forms.normaliser,
    printed=lambda: (
        (exp(spread**2) - 1) * (1 - f) * (1 + f**T) / ((1 + f) * (1 - f**T))
    ),
    code="normaliser",
    assumes="f > 0, fixed; g standard normal and independent in time",
    note="The last factor is the second moment of an output with constant gates, "
    "sigprop:slstm-state: long memories have a steady normaliser, and there the ratio of "
    "moments in sigprop:slstm-ratio is accurate.",
)
part.row(
    "sigprop:slstm-ratio",
    "moment",
    "proved",
    "The ratio of the moments of both sums",
    r"\frac{\mathbb{E} c^2}{\mathbb{E} n^2} = "
    r"\frac{(1 - f) e^{s^2}}{2 f + (1 - f) e^{s^2}}",
    where="sLSTM, c' = f c + i z, n' = f n + i, i = exp(b + s g)",
    derive=forms.ratio,
    printed=lambda: (1 - f) * exp(spread**2) / (2 * f + (1 - f) * exp(spread**2)),
    code="ratio",
    assumes="0 < f < 1, fixed; white z of variance one and mean zero; " + DRAWN,
    note="It is not E h^2, the moment of the ratio, which has no closed form: we know no bound "
    "but 1/T <= E h^2 <= 1. At f = 0.9 the ratio of moments is 24 % above E h^2 if s = 1, and "
    "three times as large if s = 2, by simulation. For small s see sigprop:slstm-drawn. Inputs "
    "of mean m have E[c n] = m E n^2. E c^2 is in sigprop:exponential-gate-state.",
)
part.row(
    "sigprop:slstm-drawn",
    "moment",
    "proved",
    "What small fluctuations of input gates do to the output",
    r"\left. \frac{\partial}{\partial s^2} \mathbb{E} h^2 \right|_{s = 0} = "
    r"\frac{2 f (1 - f) (f^2 + 3 f - 1)}{(1 + f)^2 (1 + f + f^2)}",
    where="sLSTM, h = c/n, i = exp(b + s g)",
    derive=forms.drawn,
    printed=lambda: (
        2 * f * (1 - f) * (f**2 + 3 * f - 1) / ((1 + f) ** 2 * (1 + f + f**2))
    ),
    code="drawn",
    assumes="0 < f < 1, fixed; white z of variance one and mean zero; open output gate; "
    + DRAWN,
    note="Gates of the input enlarge the output if f > 0.303, as fewer inputs count "
    "(sigprop:exponential-gate-share), and shrink it below. The ratio of moments, "
    "sigprop:slstm-ratio, has the larger derivative 2 f (1 - f)/(1 + f)^2.",
)
part.row(
    "sigprop:slstm-sensitivity",
    "moment",
    "proved",
    "Sensitivity of an sLSTM to its forget gate",
    r"\mathbb{E} \left( \frac{\partial h}{\partial \tilde{f}} \right)^2 = "
    r"\frac{2 f^2 (1 - f)}{(1 + f)^3}",
    where="sLSTM, h = c/n, f the sigmoid of its argument, in the limit of many steps",
    derive=forms.sensitivity,
    printed=lambda: 2 * f**2 * (1 - f) / (1 + f) ** 3,
    code="sensitivity",
    assumes=LIMIT,
    note="It falls as 1/(4 tau) with the time constant tau = 1/(1 - f). Without the normaliser "
    "it is f^2 (1 + f^2)/((1 - f) (1 + f)^3) and grows as tau/4. The difference is the size "
    "of the output, see sigprop:slstm-relative-sensitivity. Finite times: "
    "sigprop:slstm-sensitivity-finite.",
)
part.row(
    "sigprop:slstm-sensitivity-finite",
    "moment",
    "proved",
    "Sensitivity of an sLSTM to its forget gate at finite times",
    r"\mathbb{E} \left( \frac{\partial h}{\partial \tilde{f}} \right)^2 = "
    r"\frac{2 f^2 (1 - f) (1 + f^T)}{(1 + f)^3 (1 - f^T)} - "
    r"\frac{2 T f^{T + 1} (1 - f)^2}{(1 + f)^2 (1 - f^T)^2}",
    where="sLSTM, h = c/n, f the sigmoid of its argument, after T steps from the zero state",
    derive=forms.finite_sensitivity,
    printed=lambda: (
        2 * f**2 * (1 - f) * (1 + f**T) / ((1 + f) ** 3 * (1 - f**T))
        - 2 * T * f ** (T + 1) * (1 - f) ** 2 / ((1 + f) ** 2 * (1 - f**T) ** 2)
    ),
    code="finite_sensitivity",
    assumes=LIMIT,
    note="Zero at T = 1, where the output is the input. For memories longer than the sequence "
    "it is T/12 times (1 - f)^2, by sigprop:slstm-sensitivity-even.",
)
part.row(
    "sigprop:slstm-sensitivity-even",
    "moment",
    "proved",
    "Sensitivity of an sLSTM that forgets nothing",
    r"\mathbb{E} \left( \frac{\partial h}{\partial \tilde{f}} \right)^2 = "
    r"\frac{T^2 - 1}{12 T}",
    where="sLSTM, h = c/n, f = exp of its argument, at f = 1, after T steps",
    derive=forms.even_sensitivity,
    printed=lambda: (T**2 - 1) / (12 * T),
    code="even_sensitivity",
    assumes=FIXED,
    note="The largest gradient of an exponential forget gate grows as T/12, while the output "
    "falls as 1/T (sigprop:slstm-state). Without the normaliser it is (T - 1) T (2 T - 1)/6, "
    "which grows as the third power of T.",
)
part.row(
    "sigprop:slstm-relative-sensitivity",
    "identity",
    "proved",
    "What a normaliser does to the relative sensitivity",
    r"\frac{\mathbb{E} (\partial h/\partial \tilde{f})^2}{\mathbb{E} h^2} \Big/ "
    r"\frac{\mathbb{E} (\partial c/\partial \tilde{f})^2}{\mathbb{E} c^2} = "
    r"\frac{2}{1 + f^2}",
    where="sLSTM, h = c/n, in the limit of many steps; the sum c in its own units",
    derive=forms.relative_sensitivity,
    printed=lambda: 2 / (1 + f**2),
    code="relative_sensitivity",
    assumes=LIMIT,
    note="Between one and two: relative to its output, a gate with a normaliser is no less "
    "sensitive than one without. The normaliser takes out the size alone, as the factor "
    "1 - f of a tied gate does. Sizes: sigprop:slstm-state, sigprop:slstm-sensitivity.",
)
part.row(
    "sigprop:slstm-input-bias",
    "algorithm",
    "confirmed",
    "The bias of an sLSTM's input gate does nothing",
    r"h(i_1, \ldots, i_T) = h(e^b i_1, \ldots, e^b i_T)",
    where="sLSTM, h = o c/n, any gates, which may see the states",
    code="sigprop.layers.slstm.SLSTM",
    assumes="zero initial state",
    note="c and n both have the factor exp(b), in every neuron by itself. The gradient by the "
    "bias is zero, and weight decay alone moves it. The mLSTM divides by max(|n q|, 1) "
    "instead, see sigprop:gate-stabiliser, so that its bias counts.",
)
