"""Our own statements on discretised oscillators and stiff modes."""

from sympy import sqrt

from sigprop.theory import oscillators as forms
from sigprop.theory.oscillators import A, G, omega, step, y, z, zeta
from sigprop.theory.rows import Part
from sigprop.theory.symbols import T

part = Part("Oscillators", "forward", "sigprop.theory.oscillators")
IMPLICIT = "LinOSS-IM, z' = z + Delta (-A y' + u), y' = y + Delta z'"
EXPLICIT = "LinOSS-IMEX, z' = z + Delta (-A y + u), y' = y + Delta z'"
FORCED = "A > 0, white forces u of variance one"
TURNING = "0 < Delta^2 A < 4, white forces u of variance one"
FRICTION = (
    "z' = z + Delta (-A y - G z' + u), y' = y + Delta z', LinOSS-IMEX with friction G"
)
part.row(
    "sigprop:linoss-energy",
    "moment",
    "proved",
    "The energy of a forced oscillator under implicit steps",
    r"\mathbb{E} (z^2 + A y^2) = \frac{1}{A}",
    where=IMPLICIT,
    derive=forms.implicit_energy,
    printed=lambda: 1 / A,
    code="implicit_energy",
    assumes=FORCED + ", after many steps",
    note="Whatever the step: the rule loses per step as much as it gains, and small steps "
    "only take longer, 1 / (Delta^2 A) of them (sigprop:linoss-implicit).",
)
part.row(
    "sigprop:linoss-position",
    "moment",
    "proved",
    "The position of a forced oscillator under implicit steps",
    r"\mathbb{E} y^2 = \frac{2 + \Delta^2 A}{A^2 (4 + \Delta^2 A)}",
    where=IMPLICIT,
    derive=forms.implicit_position,
    printed=lambda: (2 + step**2 * A) / (A**2 * (4 + step**2 * A)),
    code="implicit_position",
    assumes=FORCED + ", after many steps",
    note="About 1 / (2 A^2): A y^2 is half of the energy in sigprop:linoss-energy. With A "
    "uniform on [0, 1], as initialised, its mean is infinite: slow oscillators are as "
    "large as time lets them be.",
)
part.row(
    "sigprop:linoss-invariant",
    "identity",
    "proved",
    "What an oscillator without a force keeps exactly",
    r"z'^2 + A y'^2 - \Delta A z' y' = z^2 + A y^2 - \Delta A z y",
    where=EXPLICIT + ", u = 0",
    derive=forms.invariant,
    printed=lambda: z**2 + A * y**2 - step * A * z * y,
    code="invariant",
    assumes="any A and Delta",
    note="Not the energy z^2 + A y^2, which oscillates. For Delta^2 A < 4 the form is "
    "definite: states then stay on an ellipse for ever, sigprop:linoss-explicit.",
)
part.row(
    "sigprop:linoss-growth",
    "moment",
    "proved",
    "How a forced oscillator grows under implicit-explicit steps",
    r"\mathbb{E} (z_T^2 + A y_T^2 - \Delta A z_T y_T) = T \Delta^2",
    where=EXPLICIT + ", T steps from rest",
    derive=forms.growth,
    printed=lambda: T * step**2,
    code="growth",
    assumes=TURNING,
    note="Exact at every T, as sigprop:linoss-invariant keeps each kick. The state "
    "at the last step is as large as the root of the length: longer sequences need smaller "
    "outputs.",
)
part.row(
    "sigprop:linoss-drift",
    "limit",
    "proved",
    "How the position of a forced oscillator grows",
    r"\lim_{T \to \infty} \frac{\mathbb{E} y_T^2}{T} = "
    r"\frac{\Delta^2}{2 A (1 - \Delta^2 A / 4)}",
    where=EXPLICIT,
    derive=forms.explicit_position,
    printed=lambda: step**2 / (2 * A * (1 - step**2 * A / 4)),
    code="explicit_position",
    assumes=TURNING,
    note="It diverges as Delta^2 A goes to four, where the ellipse of "
    "sigprop:linoss-invariant becomes a line. The implicit step has a limit instead: "
    "sigprop:linoss-position.",
)
part.row(
    "sigprop:friction-modulus",
    "identity",
    "proved",
    "Friction alone sets how long an oscillator lasts",
    r"|\lambda|^2 = \frac{1}{1 + \Delta G}",
    where=FRICTION + ", u = 0",
    derive=forms.friction_modulus,
    printed=lambda: 1 / (1 + step * G),
    code="friction_modulus",
    assumes="G > 0; Delta sqrt(A) between sqrt(1 + Delta G) - 1 and sqrt(1 + Delta G) + 1, "
    "where the eigenvalues are complex",
    note="Memory and frequency are free of each other. Without friction nothing is "
    "forgotten (sigprop:linoss-explicit), and by implicit steps fast oscillators are "
    "(sigprop:linoss-implicit).",
)
part.row(
    "sigprop:friction-position",
    "moment",
    "proved",
    "The position of a forced oscillator with friction",
    r"\mathbb{E} y^2 = \frac{\Delta (2 + \Delta G)}{A G (4 + 2 \Delta G - \Delta^2 A)}",
    where=FRICTION,
    derive=forms.friction_position,
    printed=lambda: step * (2 + step * G) / (A * G * (4 + 2 * step * G - step**2 * A)),
    code="friction_position",
    assumes="G > 0, Delta^2 A < 4 + 2 Delta G, white forces u of variance one",
    note="About Delta / (2 A G): friction bounds what grows without it as in "
    "sigprop:linoss-drift. It is stable beyond the Delta^2 A = 4 of sigprop:linoss-explicit.",
)
part.row(
    "sigprop:linoss-implicit-frequency",
    "identity",
    "proved",
    "The frequency of an oscillator under implicit steps",
    r"\tan \theta = \Delta \sqrt{A}",
    where=IMPLICIT + ", theta the angle of an eigenvalue",
    derive=forms.implicit_frequency,
    printed=lambda: step * sqrt(A),
    code="implicit_frequency",
    assumes="A > 0",
    note="Too slow by the share Delta^2 A / 3, and never above a quarter of a turn a step, "
    "where the memory of sigprop:linoss-implicit is short.",
)
part.row(
    "sigprop:linoss-explicit-frequency",
    "identity",
    "proved",
    "The frequency of an oscillator under implicit-explicit steps",
    r"\sin \frac{\theta}{2} = \frac{1}{2} \Delta \sqrt{A}",
    where=EXPLICIT + ", theta the angle of an eigenvalue",
    derive=forms.explicit_frequency,
    printed=lambda: step * sqrt(A) / 2,
    code="explicit_frequency",
    assumes="0 < Delta^2 A < 4",
    note="Too fast by the share Delta^2 A / 24, an eighth of the implicit step's error, "
    "sigprop:linoss-implicit-frequency; it reaches half a turn a step.",
)
part.row(
    "sigprop:bilinear-memory",
    "identity",
    "proved",
    "The bilinear rule makes fast modes remember",
    r"1 - |\lambda|^2 = \frac{8 \zeta \Delta}{(2 + \zeta \Delta)^2 + \omega^2 \Delta^2}",
    where="S4 and S5 by the bilinear rule, continuous mode -zeta + i omega",
    derive=forms.bilinear_loss,
    printed=lambda: 8 * zeta * step / ((2 + zeta * step) ** 2 + omega**2 * step**2),
    code="bilinear_loss",
    assumes="zeta > 0",
    note="The exact loss 1 - exp(-2 zeta Delta) does not depend on omega. Here a mode of "
    "high frequency lasts about omega^2 Delta^2 / 4 times as long, and stiff real modes "
    "alternate in sign. The implicit rule errs the other way: sigprop:linoss-implicit.",
)
