"""Orvieto et al. (2023), Appendix E.1 and Figure 6: what the prose says of stacks."""

from sympy import sin

from theory import spectral
from theory.claims import Condition
from theory.papers.lru.spectral import BARE
from theory.rows import Part
from theory.spectral import omega

part = Part("", "spectral", "theory.spectral")

part.row("lru:text:shift-invariant", "text", "conditional", "Appendix E.1.1")(
    "Linear RNNs approximate shift-invariant maps",
    r"Y(\omega) = H(\omega) U(\omega),\ H: \mathbb{R} \rightarrow \mathbb{R} "
    r"\Rightarrow \text{approximated by } \dot{x} = Ax + Bu \text{ to any accuracy}",
    code="sigprop.evidence.lru.expressivity.causal_share",
    condition=Condition(
        "the kernel of H vanishes at negative times",
        lambda kernel, **_: kernel in ("decaying", "ringing"),
    ),
    note="A real-valued H has an even kernel, half of whose energy lies in the future: "
    "no causal system comes nearer than a relative error of 0.71. H must be complex, "
    "the transform of a causal kernel.",
    inherits="No.",
)
part.row("lru:text:same-frequency", "text", "conditional", "Appendix E.1.1")(
    "A sine leaves a linear RNN as a sine of the same frequency",
    r"u_k = \sin(\omega k + \varphi) \Rightarrow y_k = g \sin(\omega k + \varphi')",
    code="sigprop.evidence.lru.expressivity.sine_of_the_same_frequency",
    condition=Condition(
        "the sine has no beginning, or its transient has died out",
        lambda lam, history, **_: abs(lam) ** history < 1e-12,
    ),
    note="From the zero state a transient lam^k is added, at the frequency of the "
    "eigenvalue.",
)
part.row("lru:text:shift-property", "identity", "proved", "Appendix E.1.1, property 1")(
    "A delay is a phase",
    r"\mathcal{F}_{x(t - t_0)}(\omega) = e^{-i\omega t_0} \mathcal{F}_{x(t)}(\omega)",
    code="pulse",
    note="In any convention with exp(-i omega t) forward.",
)
part.row("lru:text:pulse", "identity", "conditional", "Appendix E.1.1, property 2")(
    "Transform of a rectangular pulse",
    r"\mathcal{F}_{\chi[-\tau, \tau]}(\omega) = 2\tau \operatorname{sinc}(\omega\tau),"
    r"\quad \operatorname{sinc}(x) := \frac{\sin(x)}{x}",
    lambda: spectral.pulse().then(
        "about zero", spectral.pulse().result.subs(spectral.centre, 0)
    ),
    lambda: 2 * sin(omega * spectral.half) / omega,
    code="pulse",
    correction=r"\mathcal{F}_{\chi[-\tau, \tau]}(\omega) = \frac{1}{2\pi} 2\tau "
    r"\operatorname{sinc}(\omega\tau)",
    corrected=lambda: spectral.scale * 2 * sin(omega * spectral.half) / omega,
    condition=BARE,
    note="The transform whose inverse is that of Eq. 10 has the factor; the correction "
    "is for it.",
    inherits="Yes: Eq. 8, 15 and 16.",
)
part.row("lru:fig6", "figure", "proved", "Fig. 6")(
    "A ReLU leaks a sine's power to other frequencies",
    r"\text{ReLU leaks information from the original signal to higher frequencies}",
    spectral.rectified_sine,
    code="rectified_sine",
    note="For a sine the new lines are at all even multiples, 1/(pi (1 - 4 n^2)), and "
    "the largest is at zero: it leaks down too. They are what Eq. 8 gives with its "
    "factor 1/(2 pi).",
)
part.row("lru:text:koopman-bounded", "bound", "conditional", "Appendix E.1.2")(
    "The Koopman operator is bounded",
    r"\mathcal{K}_S \text{ is linear and bounded}",
    code="sigprop.evidence.lru.expressivity.observable_growth",
    condition=Condition(
        "in the largest value, or for a map under which small sets have "
        "preimages of comparable measure",
        lambda power, norm, **_: norm == "sup" or power <= 1,
    ),
    note="In L2, where the text then expands observables, the smooth map x^3 stretches "
    "a bump of width w by w^(-1/3), without bound.",
    inherits="The spectral theorem is then applied in L2.",
)
part.row("lru:text:koopman-diagonal", "text", "conditional", "Appendix E.1.2")(
    "Only point spectrum makes the Koopman operator diagonalisable",
    r"\mathcal{K} \text{ bounded, only point spectrum} \Rightarrow \mathcal{K}_S "
    r"\text{ diagonalisable}",
    code="sigprop.evidence.lru.eigenfunctions.modes_predict",
    condition=Condition(
        "the operator is normal, or its eigenfunctions are complete for another reason",
        lambda lam, link, other, **_: lam != other or link == 0,
    ),
    note="A linear map that is a Jordan block, on its linear observables: a bounded "
    "operator whose only spectrum is one eigenvalue, and no basis.",
    inherits="Eq. 21 and 22 need the basis.",
)
