"""Our own statements on the delta rule as a memory: energy, and errors of reading."""

from sympy import exp, log, sqrt

from sigprop.theory import delta_rules as forms
from sigprop.theory.delta_rules import alpha, beta, d, kept, p
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

part = Part("Delta rules", "forward", "sigprop.theory.delta_rules")
KEYS = "unit keys of d entries, independent, isotropic"
VALUES = (
    KEYS + "; independent values of mean zero and variance one; all steps have one beta"
)
LIMIT = VALUES + "; 0 < beta < 2, after many writes"
RULE = "DeltaNet, s' = s (I - beta k k^T) + beta v k^T"
SHARE = r"\frac{(\mathbb{E}\, v\, s_T k)^2}{\mathbb{E} (s_T k)^2} = "


part.row(
    "sigprop:delta-state",
    "moment",
    "proved",
    "The state of the delta rule after T writes",
    r"\mathbb{E} | s_T |^2 = \frac{\beta d}{2 - \beta} \left( 1 - \left( 1 - "
    r"\frac{2 \beta - \beta^2}{d} \right)^T \right)",
    where="a row of the state of " + RULE + ", from the zero state",
    derive=forms.state_energy,
    printed=lambda: beta * d / (2 - beta) * (1 - kept**T),
    code="state_energy",
    assumes=VALUES,
    note="The state fills up in about d / (2 beta - beta^2) writes to beta d / (2 - beta): "
    "d at beta = 1, and without bound as beta goes to two, where nothing is forgotten "
    "(sigprop:householder-energy).",
)
part.row(
    "sigprop:gated-delta-state",
    "moment",
    "proved",
    "The state of the delta rule with a decay",
    r"\mathbb{E} | s |^2 = \frac{\beta^2}{1 - \alpha^2 \left( 1 - "
    r"\frac{2 \beta - \beta^2}{d} \right)}",
    where="a row of the state of Gated DeltaNet, s' = alpha s (I - beta k k^T) + beta v k^T",
    derive=forms.gated_energy,
    printed=lambda: beta**2 / (1 - alpha**2 * kept),
    code="gated_energy",
    assumes=VALUES + "; alpha^2 (1 - (2 beta - beta^2)/d) < 1, after many writes",
    note="Decay and delta rule forget together: the state lasts about 1 / (2 (1 - alpha) + "
    "(2 beta - beta^2)/d) writes. Without a decay it is that of sigprop:delta-state.",
)
part.row(
    "sigprop:gated-delta-edge",
    "identity",
    "proved",
    "The largest stable rate of the delta rule with a decay",
    r"\beta = 1 + \sqrt{1 + d \left( \frac{1}{\alpha^2} - 1 \right)}",
    where="Gated DeltaNet, where the second moment of its state becomes infinite",
    derive=forms.gated_edge,
    printed=lambda: 1 + sqrt(1 + d * (1 / alpha**2 - 1)),
    code="gated_edge",
    assumes=KEYS + "; 0 < alpha < 1",
    note="Two without a decay. At alpha = 0.99 and 64 keys it is 2.5: isotropic keys are "
    "seldom along the same direction. A key that repeats is stable only for "
    "alpha |1 - beta| < 1. The moment below this rate is in sigprop:gated-delta-state.",
)
part.row(
    "sigprop:delta-interference",
    "moment",
    "proved",
    "What later writes add to the reading of an old key",
    r"\mathbb{E} (s_T k)^2 = \frac{\beta}{2 - \beta} \left( 1 - \left( 1 - "
    r"\frac{2 \beta - \beta^2}{d} \right)^T \right)",
    where=RULE + ", read by a key k that none of the T writes has",
    derive=forms.interference,
    printed=lambda: beta / (2 - beta) * (1 - kept**T),
    code="interference",
    assumes=VALUES,
    note="At beta = 1 the interference of a full memory is as large as a value, in any "
    "dimension: wider keys only delay it. The whole state is in sigprop:delta-state.",
)
part.row(
    "sigprop:delta-overlap",
    "moment",
    "proved",
    "The energy that an old key has along itself",
    r"\mathbb{E} (k^T A k)^2 = \frac{1}{d} \left( 1 - \frac{2 \beta - \beta^2}{d} "
    r"\right)^T + \left( 1 - \frac{1}{d} \right) \left( 1 - \frac{2 \beta}{d} + "
    r"\frac{2 \beta^2}{d (d + 2)} \right)^T",
    where="T steps of DeltaNet or DeltaProduct, A = prod (I - beta k_i k_i^T)",
    derive=forms.overlap_energy,
    printed=lambda: (
        kept**T / d
        + (1 - 1 / d) * (1 - 2 * beta / d + 2 * beta**2 / (d * (d + 2))) ** T
    ),
    code="overlap_energy",
    assumes="unit keys of d entries, independent, uniform on the sphere",
    note="Its excess over the squared mean (1 - beta/d)^{2 T}, sigprop:householder-mean, is "
    "how much the memory of one write differs between sequences.",
)
part.row(
    "sigprop:delta-reading",
    "moment",
    "proved",
    "The reading of a full memory by any key",
    r"\mathbb{E} (s k)^2 = \frac{\beta}{2 - \beta}",
    where=RULE + ", k a new key or one that was written, any number of writes ago",
    derive=forms.reading_energy,
    printed=lambda: beta / (2 - beta),
    code="reading_energy",
    assumes=LIMIT,
    note="Writing one key leaves the covariance of the state as it is: what the write adds "
    "is what it has removed. Outputs thus have one variance, with no normalisation, "
    "whatever is asked. The error of such a reading is in sigprop:delta-error.",
)
part.row(
    "sigprop:delta-error",
    "moment",
    "proved",
    "The error of a value that is read T writes later",
    r"\mathbb{E} (s_T k - v)^2 = \frac{2}{2 - \beta} - 2 \beta \left( 1 - "
    r"\frac{\beta}{d} \right)^T",
    where=RULE + ", read by the key of the value v",
    derive=forms.reading_error,
    printed=lambda: 2 / (2 - beta) - 2 * beta * (1 - beta / d) ** T,
    code="reading_error",
    assumes=LIMIT,
    note="Zero at once for beta = 1 alone. The memory is full of older values, and yet the "
    "error has two terms, as the energy of a reading is constant: sigprop:delta-reading.",
)
part.row(
    "sigprop:delta-horizon",
    "identity",
    "proved",
    "How long a value can be read",
    r"T = - \frac{\log (4 - 2 \beta)}{\log (1 - \beta/d)}",
    where=RULE + ", writes after which a reading is no better than zero",
    derive=forms.horizon,
    printed=lambda: -log(4 - 2 * beta) / log(1 - beta / d),
    code="horizon",
    assumes=LIMIT + "; beta < 3/2, above which no value can be read",
    note="At beta = 1 about d log 2, i.e. 0.69 d writes. A smaller beta reads longer and "
    "less well, for about d log(4) / beta writes. It is where sigprop:delta-error is one.",
)
part.row(
    "sigprop:delta-explained",
    "moment",
    "proved",
    "What a reading explains of a value T writes later",
    SHARE + r"\beta (2 - \beta) \left( 1 - \frac{\beta}{d} \right)^{2 T}",
    where=RULE + ", the squared correlation of a value and its reading",
    derive=forms.explained,
    printed=lambda: beta * (2 - beta) * (1 - beta / d) ** (2 * T),
    code="explained",
    assumes=LIMIT,
    note="A layer behind the memory that scales readings can have this share of a value, "
    "and no more. Rates beta and 2 - beta are alike at once; later the smaller one is "
    "better. Unscaled readings err as in sigprop:delta-error.",
)
part.row(
    "sigprop:delta-best-rate",
    "identity",
    "proved",
    "The rate that is best for values of an age",
    r"\beta = \frac{2 T + d + 1 - \sqrt{(d - 1)^2 + 4 T (T + 1)}}{2 (T + 1)}",
    where=RULE + ", where the explained share of a value T writes old is largest",
    derive=forms.best_rate,
    printed=lambda: (
        (2 * T + d + 1 - sqrt((d - 1) ** 2 + 4 * T * (T + 1))) / (2 * (T + 1))
    ),
    code="best_rate",
    assumes=LIMIT + "; d > 1",
    note="One for the newest value; d / (2 T) for values much older than d writes. It "
    "maximises sigprop:delta-explained.",
)
part.row(
    "sigprop:delta-capacity",
    "identity",
    "proved",
    "How many values a memory of the delta rule holds",
    r"\sum_{T \ge 0} R_T = \frac{d^2 (2 - \beta)}{2 d - \beta}",
    where=RULE + ", R_T the explained share of a value T writes old",
    derive=forms.capacity,
    printed=lambda: d**2 * (2 - beta) / (2 * d - beta),
    code="capacity",
    assumes=LIMIT,
    note="At most d values, which small rates reach; about half of them at beta = 1, and fewer "
    "above. The shares are in sigprop:delta-explained.",
)
part.row(
    "sigprop:attention-explained",
    "moment",
    "proved",
    "What linear attention with a decay explains of a value",
    SHARE + r"\frac{\alpha^{2 T}}{\alpha^{2 T} + \frac{1}{d} \left( "
    r"\frac{1}{1 - \alpha^2} - \alpha^{2 T} \right)}",
    where="retention, mLSTM or GLA with a fixed decay, s' = alpha s + v k^T",
    derive=forms.decayed_share,
    printed=lambda: (
        alpha ** (2 * T)
        / (alpha ** (2 * T) + (1 / (1 - alpha**2) - alpha ** (2 * T)) / d)
    ),
    code="decayed_share",
    assumes=KEYS + "; independent values of mean zero and variance one; 0 < alpha < 1",
    note="Nothing removes an old value but time, so that even the newest one is read with "
    "noise: the delta rule at beta = 1 has none, sigprop:delta-explained.",
)
part.row(
    "sigprop:attention-best-decay",
    "identity",
    "proved",
    "The decay that is best for values of an age",
    r"\alpha^2 = \frac{T}{T + 1}",
    where="s' = alpha s + v k^T, where the explained share of a value T writes old is largest",
    derive=forms.best_decay,
    printed=lambda: T / (T + 1),
    code="best_decay",
    assumes=KEYS + "; independent values of mean zero and variance one; T > 0",
    note="Whatever the size of keys: to recall what is T steps old, the state should last "
    "2 T steps. It maximises sigprop:attention-explained.",
)
part.row(
    "sigprop:attention-best-share",
    "identity",
    "proved",
    "The most that linear attention with a decay explains of a value",
    r"\max_\alpha R_T = \frac{d}{d - 1 + (T + 1) (1 + \frac{1}{T})^T}",
    where="s' = alpha s + v k^T, R_T the explained share of a value T writes old",
    derive=forms.best_decayed_share,
    printed=lambda: d / (d - 1 + (T + 1) * (1 + 1 / T) ** T),
    code="best_decayed_share",
    assumes=KEYS + "; independent values of mean zero and variance one; T > 0",
    note="About d / (d + e T). A memory without a decay that begins with this value has "
    "d / (d + T), sigprop:attention-crowded: to forget what is older costs a factor e.",
)
part.row(
    "sigprop:delta-best-share",
    "limit",
    "proved",
    "Old values are no better in the delta rule than in linear attention",
    r"\lim_{T \to \infty} T \max_\beta R_T = \frac{d}{e}",
    where=RULE + ", R_T the explained share of a value T writes old",
    derive=forms.best_share_limit,
    printed=lambda: d * exp(-1),
    code="best_share_limit",
    assumes=LIMIT + "; d > 1",
    note="The same limit as that of sigprop:attention-best-share. What the delta rule "
    "gains it gains for young values; the rate that reaches the limit is about d/(2 T), "
    "sigprop:delta-best-rate.",
)
part.row(
    "sigprop:attention-crowded",
    "moment",
    "proved",
    "What linear attention without a decay explains of a value",
    SHARE + r"\frac{d}{d + T - 1}",
    where="s' = s + v k^T, after T writes, of any of them",
    derive=forms.crowded_share,
    printed=lambda: d / (d + T - 1),
    code="crowded_share",
    assumes=KEYS + "; independent values of mean zero and variance one",
    note="All T values together are T d / (d + T - 1): d at most, as many as the delta rule "
    "holds (sigprop:delta-capacity), but no value is preferred.",
)
part.row(
    "sigprop:delta-rare-key",
    "moment",
    "proved",
    "The state of the delta rule along a rare key",
    r"\mathbb{E} s_{j, T}^2 = \frac{\beta}{2 - \beta} \left( 1 - \left( 1 - p "
    r"(2 \beta - \beta^2) \right)^T \right)",
    where=RULE + ", keys along axes, an axis j with probability p",
    derive=forms.rare_key,
    printed=lambda: beta / (2 - beta) * (1 - (1 - p * (2 * beta - beta**2)) ** T),
    code="rare_key",
    assumes="independent values of mean zero and variance one; one beta",
    note="In the limit all directions have the same energy, however rare: a rare key is not "
    "weaker, and lasts 1 / (p d) times as long as in sigprop:delta-interference.",
)
