"""Our own statements on the delta rule as online regression: errors and rates."""

from sympy import sqrt

from sigprop.theory import delta_learning as forms
from sigprop.theory.delta_learning import beta, d, drift, error, largest, q, sigma, size
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

part = Part("Delta rule as regression", "forward", "sigprop.theory.delta_learning")
LEARNER = (
    "s' = s + beta (v - s k) k^T, the rule of DeltaNet, for values v = m k + noise"
)
KEYS = "unit keys of d entries, independent, isotropic; noise of variance sigma^2"

part.row(
    "sigprop:delta-regression",
    "moment",
    "proved",
    "What the delta rule learns in context",
    r"\mathbb{E} ((s_T - m) k)^2 = a^T \frac{|m|^2}{d} + \sigma^2 \frac{\beta}{2 - \beta} "
    r"(1 - a^T), \quad a = 1 - \frac{2 \beta - \beta^2}{d}",
    where=LEARNER + ", T writes from the zero state, a new key k",
    derive=forms.regression,
    printed=lambda: (
        (1 - (2 * beta - beta**2) / d) ** T * size
        + sigma**2 * beta / (2 - beta) * (1 - (1 - (2 * beta - beta**2) / d) ** T)
    ),
    code="regression",
    assumes=KEYS,
    note="The error falls by 1/e in d / (2 beta - beta^2) examples, fastest at beta = 1, "
    "which ends with all of the noise: beta / (2 - beta) is one. Values without a rule, "
    "m = 0, are in sigprop:delta-interference.",
)
part.row(
    "sigprop:delta-tracking",
    "moment",
    "proved",
    "How well the delta rule follows a rule that moves",
    r"\mathbb{E} ((s - m) k)^2 = \frac{q d + \sigma^2 \beta^2}{\beta (2 - \beta)}",
    where=LEARNER
    + ", every entry of m takes a random step of variance q before each write",
    derive=forms.tracking,
    printed=lambda: (q * d + sigma**2 * beta**2) / (beta * (2 - beta)),
    code="tracking",
    assumes=KEYS + "; the error of the next key, after many writes; 0 < beta < 2",
    note="Small rates are late, large ones noisy; the best is in "
    "sigprop:delta-tracking-rate. A rule that stays is in sigprop:delta-regression.",
)
part.row(
    "sigprop:delta-tracking-rate",
    "identity",
    "proved",
    "The rate that follows a moving rule best",
    r"\beta = \frac{\sqrt{Q^2 + 4 Q} - Q}{2}, \quad Q = \frac{q d}{\sigma^2}",
    where=LEARNER
    + ", every entry of m takes a random step of variance q before each write",
    derive=forms.tracking_rate,
    printed=lambda: (sqrt(drift**2 + 4 * drift) - drift) / 2,
    code="tracking_rate",
    assumes=KEYS + "; one rate for all writes",
    note="About sqrt(Q) for slow rules, one for fast ones and never above: negative "
    "eigenvalues, beta > 1, do not help to predict. It minimises sigprop:delta-tracking.",
)
part.row(
    "sigprop:delta-gain",
    "identity",
    "proved",
    "The best rate of the next write",
    r"\beta = \frac{p}{p + \sigma^2}",
    where=LEARNER + ", p the error of a new key before the write",
    derive=forms.best_gain,
    printed=lambda: error / (error + sigma**2),
    code="best_gain",
    assumes=KEYS,
    note="A gate should be the share of error in what surprises it, as the gain of a "
    "Kalman filter: one without noise, and small when all is learnt. The error it leaves "
    "is in sigprop:delta-gain-error.",
)
part.row(
    "sigprop:delta-gain-error",
    "identity",
    "proved",
    "The error after the best next write",
    r"p' = p \left( 1 - \frac{p}{d (p + \sigma^2)} \right)",
    where=LEARNER + ", p the error of a new key before the write, p' after it",
    derive=forms.best_error,
    printed=lambda: error * (1 - error / (d * (error + sigma**2))),
    code="best_error",
    assumes=KEYS,
    note="At first it falls by 1/d a write, later as sigma^2 d over the number of writes, "
    "as least squares does. The rate is sigprop:delta-gain; one rate for all writes ends "
    "at the noise of sigprop:delta-regression.",
)
part.row(
    "sigprop:delta-random-rate",
    "moment",
    "proved",
    "Negative eigenvalues multiply the state of the delta rule by four",
    r"\mathbb{E} |s|^2 = \frac{B d}{3 - B}",
    where="DeltaNet, beta uniform on [0, B], as a sigmoid of a standard logistic times B",
    derive=forms.random_rate,
    printed=lambda: largest * d / (3 - largest),
    code="random_rate",
    assumes="unit keys of d entries, independent, isotropic; independent values of variance "
    "one and rates; 0 < B < 3",
    note="d/2 for the range up to one, 2 d for that up to two, which allows negative "
    "eigenvalues; at one fixed beta the state is that of sigprop:delta-state.",
)
