"""Our own statements on gradients: parametrisations, correlated inputs, spacing."""

from sympy import exp, sqrt

from sigprop.theory import gradient_scales as forms
from sigprop.theory.gradient_scales import raw, rho, taps, x
from sigprop.theory.rows import Part

part = Part("Scales of gradients", "parametrisation", "sigprop.theory.gradient_scales")
SCALE = r"\frac{f'(w)}{(1 - f(w))^2}"
AR = "T past inputs of autocorrelation rho^|lag|, by a linear filter of T taps"

part.row(
    "sigprop:sigmoid-scale",
    "identity",
    "proved",
    "The gradient scale of a sigmoid decay",
    SCALE + r" = e^w, \quad f(w) = \frac{1}{1 + e^{-w}}",
    where="scale after StableSSM; gates of GRU, LSTM and mLSTM at their biases",
    derive=forms.sigmoid_scale,
    printed=lambda: exp(raw),
    code="sigmoid_scale",
    assumes="any w",
    note="It equals f/(1 - f), the time constant less one: gradients grow as the memory "
    "does, where the best parametrisation grows as its root (sigprop:reparametrised-scale).",
)
part.row(
    "sigprop:tanh-scale",
    "identity",
    "proved",
    "The gradient scale of a decay by a hyperbolic tangent",
    SCALE + r" = e^{2 w}, \quad f(w) = \tanh w",
    where="scale after StableSSM; decays of both signs",
    derive=forms.tanh_scale,
    printed=lambda: exp(2 * raw),
    code="tanh_scale",
    assumes="any w",
    note="Twice the scale of a sigmoid at the same memory: (1 + f)/(1 - f) as against "
    "f/(1 - f) of sigprop:sigmoid-scale. A range of both signs has twice the width.",
)
part.row(
    "sigprop:exponential-scale",
    "identity",
    "proved",
    "The gradient scale of an exponential of an exponential",
    r"\frac{| f'(w) |}{(1 - f(w))^2} = \frac{x e^{-x}}{(1 - e^{-x})^2}, \quad "
    r"f(w) = e^{-x}, \; x = e^w",
    where="scale after StableSSM; moduli of the LRU, decays of Mamba by A_log",
    derive=forms.exponential_scale,
    printed=lambda: x * exp(-x) / (1 - exp(-x)) ** 2,
    code="exponential_scale",
    assumes="any w",
    note="For slow modes it is 1/x, as of a sigmoid (sigprop:sigmoid-scale). For fast "
    "ones, x > 1, it falls as x exp(-x), x times as large as that of a sigmoid.",
)
part.row(
    "sigprop:correlated-taps",
    "identity",
    "proved",
    "The largest eigenvalue of three correlated inputs",
    r"\lambda = 1 + \frac{\rho^2}{2} + \frac{\rho}{2} \sqrt{\rho^2 + 8}",
    where=AR + ", T = 3",
    derive=forms.three_taps,
    printed=lambda: 1 + rho**2 / 2 + rho * sqrt(rho**2 + 8) / 2,
    code="three_taps",
    assumes="0 < rho < 1, variance one",
    note="The largest stable learning rate of a least-squares filter is 2/lambda, after Liu "
    "& Li. For many taps lambda goes to (1 + rho)/(1 - rho): at rho = 0.9 three taps allow "
    "0.73, any number 0.105. What correlation does to errors is in sigprop:correlated-noise.",
)
part.row(
    "sigprop:correlated-noise",
    "identity",
    "proved",
    "How much correlation of inputs multiplies the error of a filter",
    r"\mathrm{tr} R^{-1} = \frac{2 + (T - 2) (1 + \rho^2)}{1 - \rho^2}",
    where=AR + ", R their covariance",
    derive=forms.noise_gain,
    printed=lambda: (2 + (taps - 2) * (1 + rho**2)) / (1 - rho**2),
    code="noise_gain",
    assumes="T > 1, |rho| < 1, variance one",
    note="Squared errors of the weights add up to this over the number of samples, times "
    "the variance of the noise: for many taps ten times those of white inputs at "
    "rho = 0.905. Largest rates are in sigprop:correlated-taps.",
)
part.row(
    "sigprop:correlated-volume",
    "identity",
    "proved",
    "The volume of correlated inputs",
    r"\det R = (1 - \rho^2)^{T - 1}",
    where=AR + ", R their covariance",
    derive=forms.volume,
    printed=lambda: (1 - rho**2) ** (taps - 1),
    code="volume",
    assumes="|rho| < 1, variance one",
    note="The geometric mean of the eigenvalues goes to 1 - rho^2 for many taps, 0.19 at "
    "rho = 0.9, while their mean is one: so far apart are the curvatures of a filter. The "
    "largest is in sigprop:correlated-taps.",
)
part.row(
    "sigprop:largest-gap",
    "moment",
    "confirmed",
    "The largest gap between uniform draws",
    r"\mathbb{E} \max_i g_i = \frac{1}{N + 1} \sum_{k = 1}^{N + 1} \frac{1}{k}",
    where="decays of N channels drawn independently, after PoST; gaps with both ends",
    code="largest_gap",
    assumes="N independent uniform draws on [0, 1], whose N + 1 gaps are g",
    note="About log(N)/N: somewhere the draws leave a hole log N times as wide as even "
    "spacing has. The least gap is in sigprop:least-gap.",
)
