"""Our own statements on gates: moments, memory, and stability of networks at rest."""

from sympy import Expr, exp, log

from sigprop.theory import forget_gates as forms
from sigprop.theory.forget_gates import a, b, b_0, b_1, bound, f, i, low, n, o, spread
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

part = Part("Gates of 2018-2026", "gates", "sigprop.theory.forget_gates")
WHITE = "white input of variance one, independent of the gates"


def _gru_edge() -> Expr:
    (f_1, f_2), (r_1, r_2) = forms.forgets, forms.resets
    w_11, w_12, w_21, w_22 = forms.weights
    inner = (r_1 * w_11 - 1) * (r_2 * w_22 - 1) - r_1 * r_2 * w_12 * w_21
    return (1 - f_1) * (1 - f_2) * inner


part.row(
    "sigprop:bounded-gate",
    "moment",
    "proved",
    "The state of a tied gate with a lower bound",
    r"\mathbb{E} h^2 = \frac{1 - b}{2 + b}",
    where="HGRN2, h_t = f_t h_{t-1} + (1 - f_t) x_t, f = b + (1 - b) times a sigmoid",
    derive=forms.bounded_state,
    printed=lambda: (1 - bound) / (2 + bound),
    code="bounded_state",
    assumes=WHITE + "; 0 <= b < 1; the sigmoid of a standard logistic, i.e. uniform",
    note="A fixed gate of the same mean has (1 - b)/(3 + b), a third less at b = 0. Layers "
    "of a deep HGRN2 have increasing bounds, so that the upper ones have small states. Any "
    "distribution of the gate: sigprop:tied-gate.",
)
part.row(
    "sigprop:typical-gate",
    "identity",
    "proved",
    "The typical decay behind random gates",
    r"\mathbb{E} \log f = -1 - \frac{b \log b}{1 - b}",
    where="gates uniform from b to one, as HGRN2 with its bound",
    derive=forms.typical_decay,
    printed=lambda: -1 - bound * log(bound) / (1 - bound),
    code="typical_decay",
    assumes="independent gates; 0 < b < 1",
    note="Nearly every sequence forgets at this rate, exp(-1) a step at b = 0. The mean "
    "falls as (1 + b)/2 a step and the root mean square as sqrt((1 + b + b^2)/3): moments, "
    "as in sigprop:bounded-gate, are of rare sequences.",
)
part.row(
    "sigprop:random-decay",
    "moment",
    "proved",
    "The mean squared decay of the RG-LRU",
    r"\mathbb{E} a^{2 r} = \frac{1 - a^2}{- 2 \log a}",
    where="Griffin, a the decay of an open gate, r uniform on [0, 1]",
    derive=forms.random_decay,
    printed=lambda: (1 - a**2) / (-2 * log(a)),
    code="random_decay",
    assumes="0 < a < 1; gates independent in time; r the sigmoid of a standard logistic",
    note="1 - E a^{2 r} is about half of 1 - a^2 for slow neurons: gates double the time "
    "constants that the initialisation names. The state has variance E i^2 all the same, by "
    "the factor sqrt(1 - a^2). Gates of the input itself: sigprop:gates.",
)
part.row(
    "sigprop:root-gate",
    "moment",
    "proved",
    "The state behind gates that are roots of sigmoids",
    r"\mathbb{E} h^2 = 1 + \frac{\tau}{2}",
    where="gated linear attention, h_t = f_t h_{t-1} + x_t, f the tau-th root of a sigmoid",
    derive=forms.root_gate,
    printed=lambda: 1 + forms.root / 2,
    code="root_gate",
    assumes=WHITE + "; the sigmoid of a standard logistic, i.e. uniform",
    note="Nine for the released tau = 16, and a time constant of 1 + tau. A fixed gate of "
    "the same mean has nearly the same state, unlike sigprop:bounded-gate: roots make gates "
    "nearly constant.",
)
part.row(
    "sigprop:chrono-state",
    "moment",
    "proved",
    "The mean state of neurons with chrono biases",
    r"\mathbb{E} h^2 = \frac{\log \frac{2 T - 1}{3}}{2 (T - 2)}",
    where="tied gates sigmoid(log u), u uniform from 1 to T - 1",
    derive=forms.chrono_state,
    printed=lambda: log((2 * T - 1) / 3) / (2 * (T - 2)),
    code="chrono_state",
    assumes="T > 2; white input of variance one; gates fixed at their biases",
    note="States of a layer that is made for T steps shrink as log(T)/(2 T), and with them "
    "the output: at T = 1000 the root mean square is 0.06. One neuron's time constant is in "
    "sigprop:chrono-time, what it keeps in sigprop:chrono-kept.",
)
part.row(
    "sigprop:chrono-kept",
    "limit",
    "proved",
    "What chrono biases keep of an input",
    r"\lim_{T \to \infty} \mathbb{E} f^{c T} = e^{-c} - c\, E_1(c)",
    where="gates sigmoid(log u), u uniform from 1 to T - 1, an input c T steps old",
    code="chrono_kept",
    assumes="c > 0; gates fixed at their biases",
    note="E_1 is the exponential integral. Of an input as old as the length that the layer "
    "is made for, 15 % is left on average, less than the 37 % of its slowest neuron; of one "
    "a tenth as old, 72 %. States: sigprop:chrono-state.",
)
part.row(
    "sigprop:uniform-gate-kernel",
    "moment",
    "proved",
    "What uniform gates keep of an input",
    r"\mathbb{E} f^n = \frac{(1 - l)^{n + 1} - l^{n + 1}}{(n + 1) (1 - 2 l)}",
    where="gates initialised uniform from l to 1 - l",
    derive=forms.uniform_kernel,
    printed=lambda: ((1 - low) ** (n + 1) - low ** (n + 1)) / ((n + 1) * (1 - 2 * low)),
    code="uniform_kernel",
    assumes="0 < l < 1/2; gates fixed at their biases",
    note="A power law, 1 / (n + 1), up to ages of about 1 / l: many exponentials make a "
    "layer that forgets without a scale. Chrono biases are in sigprop:chrono-kept, the "
    "mean time constant in sigprop:uniform-gate-memory.",
)
part.row(
    "sigprop:uniform-gate-memory",
    "moment",
    "proved",
    "The mean time constant of uniform gates",
    r"\mathbb{E} \frac{1}{1 - f} = \frac{\log \frac{1 - l}{l}}{1 - 2 l}",
    where="gates initialised uniform from l to 1 - l",
    derive=forms.uniform_memory,
    printed=lambda: log((1 - low) / low) / (1 - 2 * low),
    code="uniform_memory",
    assumes="0 < l < 1/2",
    note="At l = 1/256, one over the width, 5.6 steps, though the slowest has 256: half of "
    "the neurons last at most two steps. The kernel is in sigprop:uniform-gate-kernel.",
)
part.row(
    "sigprop:spread-kernel",
    "moment",
    "proved",
    "What time constants at even distances of their logarithm keep",
    r"\mathbb{E} e^{-n/\tau} = \frac{E_1(n/\tau_1) - E_1(n/\tau_0)}{\log (\tau_1/\tau_0)}",
    where="time constants log-uniform from tau_0 to tau_1, as steps of S4, Mamba and PoST",
    code="spread_kernel",
    assumes="0 < tau_0 < tau_1",
    note="E_1 is the exponential integral. Between both ends it falls as the logarithm of "
    "the age, (log(tau_1/n) - 0.58) / log(tau_1/tau_0), slower than any power. Uniform gates "
    "fall as 1/n, sigprop:uniform-gate-kernel.",
)
part.row(
    "sigprop:biased-memory",
    "moment",
    "proved",
    "The mean time constant of heads of the mLSTM",
    r"\mathbb{E} \frac{1}{1 - f} = 1 + \frac{e^{\beta_1} - e^{\beta_0}}{\beta_1 - \beta_0}",
    where="forget gates sigmoid(bias), many biases at even distances from beta_0 to beta_1",
    derive=forms.biased_memory,
    printed=lambda: 1 + (exp(b_1) - exp(b_0)) / (b_1 - b_0),
    code="biased_memory",
    assumes="gates fixed at their biases",
    note="129 steps for the released 3 to 6, and 404 for the slowest head: the "
    "initialisation fits contexts of some hundred tokens. Log-uniform time constants are in "
    "sigprop:spread-kernel.",
)
part.row(
    "sigprop:exponential-gate-share",
    "moment",
    "proved",
    "How many inputs count behind an exponential gate",
    r"\frac{(\mathbb{E} i)^2}{\mathbb{E} i^2} = e^{-s^2}",
    where="mLSTM and sLSTM, i = exp(b + s g), g a standard normal variable",
    derive=forms.counted_share,
    printed=lambda: exp(-(spread**2)),
    code="counted_share",
    assumes="independent gates",
    note="The effective number of inputs in a sum with weights i, over their number. At "
    "s = 1 a third counts, at s = 2 one in 55: weights of the gate should be small at "
    "first. The state is in sigprop:exponential-gate-state.",
)
part.row(
    "sigprop:exponential-gate-state",
    "moment",
    "proved",
    "The state behind an exponential gate",
    r"\mathbb{E} C^2 = \frac{e^{2 b + 2 s^2}}{1 - f^2}",
    where="an entry of the mLSTM, C' = f C + i x, i = exp(b + s g)",
    derive=forms.exponential_state,
    printed=lambda: exp(2 * b + 2 * spread**2) / (1 - f**2),
    code="exponential_state",
    assumes="0 < f < 1; g standard normal; x of mean zero and variance one, independent of g",
    note="Its typical size is that of exp(2 b): the moment is carried by rare large gates, "
    "so that simulations of it need many samples. What counts of the inputs is in "
    "sigprop:exponential-gate-share.",
)
part.row(
    "sigprop:gate-stabiliser",
    "algorithm",
    "confirmed",
    "The stabiliser of exponential gates",
    r"\frac{C q}{\max(|n q|, 1)} = \frac{C_m q}{\max(|n_m q|, e^{-m})}, \quad "
    r"C_m = e^{-m} C, \; n_m = e^{-m} n",
    where="mLSTM, m_t = max(log f_t + m_{t-1}, log i_t)",
    code="sigprop.layers.mlstm.MLSTM",
    assumes="f > 0",
    note="Outputs do not depend on m. A bound of 1 in place of exp(-m) makes another layer, "
    "whose outputs are smaller wherever a gate was large. The size of C is in "
    "sigprop:exponential-gate-state.",
)
part.row(
    "sigprop:lstm-edge",
    "identity",
    "proved",
    "Where an LSTM leaves rest",
    r"\mu = \frac{1 - f}{i\, o}",
    where="an LSTM without inputs, mu an eigenvalue of the weights from h to the cell's input",
    derive=forms.lstm_edge,
    printed=lambda: (1 - f) / (i * o),
    code="lstm_edge",
    assumes="all neurons share the gates f, i and o that they have at rest",
    note="Two at zero biases, and with chrono biases, i = 1 - f, it is 1/o whatever the "
    "time constant. At f = 0 and open gates it is one, as of tanh. The edge of a GRU is in "
    "sigprop:gru-edge.",
)
part.row(
    "sigprop:gru-edge",
    "identity",
    "proved",
    "Forget gates do not move the edge of a GRU",
    r"\det(J - 1) = (1 - f_1) (1 - f_2) \left( (r_1 w_{11} - 1) (r_2 w_{22} - 1) - "
    r"r_1 r_2 w_{12} w_{21} \right)",
    where="the Jacobian at h = 0 of two neurons; more are alike, "
    "det(J - 1) = det(1 - F) det(R W - 1)",
    derive=forms.gru_edge,
    printed=_gru_edge,
    code="gru_edge",
    assumes="no inputs and no biases inside the tanh; any gates at rest",
    note="An eigenvalue of J is one exactly where one of R W is: chrono biases do not make "
    "a GRU stable. For wide random W of gain g and reset gates r the edge is "
    "g = 1 / sqrt(E r^2), two at zero biases, as of sigprop:lstm-edge.",
)
