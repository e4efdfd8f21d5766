"""Orvieto et al. (2023), Appendix E.1 and Figure 6: the text on stacks of layers."""

from sympy import sin

from sigprop.theory import spectral
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.lru.spectral import BARE, ROOT
from sigprop.theory.rows import Part
from sigprop.theory.spectral import omega

part = Part("", "spectral", "sigprop.theory.spectral")

part.row(
    "lru:text:shift-invariant",
    "text",
    "refuted",
    "Linear RNNs approximate shift-invariant maps",
    r"Y(\omega) = H(\omega) U(\omega),\ H: \mathbb{R} \rightarrow \mathbb{R} "
    r"\Rightarrow \text{approximated by } \dot{x} = Ax + Bu \text{ to any accuracy}",
    where="Appendix E.1.1",
    code="sigprop.evidence.lru.expressivity.causal_share",
    correction=r"H: \mathbb{R} \rightarrow \mathbb{C} \text{ is the transform of a kernel "
    r"that vanishes at negative times}",
    note="A real-valued H that is not constant has an even kernel, half of whose energy "
    "lies at negative times. The relative error of the best causal system is then "
    "0.7071. The sentence does not ask for causality. With it, a real H could only "
    "be a constant, so both changes are needed.",
    erratum=Erratum(
        "D",
        bearing="The rest of the section needs only that the frequencies do not "
        "change.",
    ),
)
part.row(
    "lru:text:same-frequency",
    "text",
    "proved",
    "A sine leaves a linear RNN as a sine of the same frequency",
    r"u(t) = \sin(\omega t + \varphi) \Rightarrow y(t) = g \sin(\omega t + \varphi')",
    where="Appendix E.1.1",
    code="sigprop.evidence.lru.expressivity.sine_of_the_same_frequency",
    assumes="signals on the whole axis, Re a < 0",
    note="A sine that begins from the zero state adds a transient at the frequency of "
    "the eigenvalue. The signals of the paragraph have no beginning.",
)
part.row(
    "lru:text:shift-property",
    "identity",
    "proved",
    "A delay is a phase",
    r"\mathcal{F}_{x(t - t_0)}(\omega) = e^{-i\omega t_0} \mathcal{F}_{x(t)}(\omega)",
    where="Appendix E.1.1, property 1",
    code="pulse",
    note="The property holds in any convention with exp(-i omega t) in the forward "
    "transform.",
)
part.row(
    "lru:text:pulse",
    "identity",
    "conditional",
    "Transform of a rectangular pulse",
    r"\mathcal{F}_{\chi[-\tau, \tau]}(\omega) = 2\tau \operatorname{sinc}(\omega\tau),"
    r"\quad \operatorname{sinc}(x) := \frac{\sin(x)}{x}",
    where="Appendix E.1.1, property 2",
    derive=lambda: spectral.pulse().then(
        "The transform of the pulse about zero is",
        spectral.pulse().result.subs(spectral.centre, 0),
    ),
    printed=lambda: 2 * sin(omega * spectral.half) / omega,
    code="pulse",
    condition=BARE,
    note="The statement is the textbook's transform. The transform whose inverse is "
    "Eq. 10 has an additional factor 1/(2 pi).",
    erratum=Erratum("D", root=ROOT, inherits=("lru:8", "lru:15", "lru:16", ROOT)),
)
part.row(
    "lru:fig6",
    "figure",
    "proved",
    "A ReLU leaks a sine's power to other frequencies",
    r"\text{ReLU leaks information from the original signal to higher frequencies}",
    where="Fig. 6",
    derive=spectral.rectified_sine,
    code="rectified_sine",
    note="For a sine the new lines are at all even multiples, 1/(pi (1 - 4 n^2)), and "
    "the largest is at zero. So power also leaks to lower frequencies. The lines are "
    "those of Eq. 8 with its factor 1/(2 pi).",
)
part.row(
    "lru:text:koopman-bounded",
    "bound",
    "conditional",
    "The Koopman operator is bounded",
    r"\mathcal{K}_S \text{ is linear and bounded}",
    where="Appendix E.1.2",
    code="sigprop.evidence.lru.expressivity.observable_growth",
    condition=Condition(
        "in the largest value, or for a map that is regular enough for small sets to "
        "have preimages of comparable measure",
        lambda power, norm, **_: norm == "sup" or power <= 1,
    ),
    note="The paper asks for a map S that is sufficiently regular. The text then "
    "expands observables in L2. There the smooth map x^3 multiplies the norm of the "
    "indicator of [-w, w] by w^(-1/3), which has no bound.",
    erratum=Erratum(
        "D",
        appears_in=("the line after Eq. 23, on driven systems",),
        inherits=("lru:text:koopman-diagonal",),
        bearing="The paper then applies the spectral theorem for bounded operators in "
        "L2.",
    ),
)
part.row(
    "lru:text:koopman-diagonal",
    "text",
    "conditional",
    "Only point spectrum makes the Koopman operator diagonalisable",
    r"\mathcal{K} \text{ bounded, only point spectrum} \Rightarrow \mathcal{K}_S "
    r"\text{ diagonalisable}",
    where="Appendix E.1.2",
    code="sigprop.evidence.lru.eigenfunctions.modes_predict",
    condition=Condition(
        "the operator is normal, or has a basis of eigenfunctions",
        lambda lam, link, other, **_: lam != other or link == 0,
    ),
    note="Take a linear map that is a Jordan block, on its linear observables. This "
    "bounded operator has one eigenvalue as its only spectrum, and no basis of "
    "eigenfunctions. The combination of eigenfunctions nearest to the first coordinate, "
    "which the counterexample compares with it, is not that coordinate.",
    erratum=Erratum(
        "D",
        appears_in=("the line after Eq. 23, on driven systems",),
        inherits=("lru:21", "lru:22", "lru:24"),
        bearing="The equations that follow expand in eigenfunctions.",
    ),
)
part.row(
    "lru:text:scaled-frequencies",
    "text",
    "confirmed",
    "Gains of a linear RNN at given frequencies",
    r"\text{Frequencies can be scaled up and down arbitrarily by the linear RNN}",
    where="Appendix E.1.1, after Eq. 8",
    code="sigprop.evidence.lru.expressivity.fitted_output",
    assumes="signals on the whole axis, finitely many frequencies, none of them zero",
    note="As many stable modes as there are frequencies have weights with which each sine "
    "gets any amplitude and any shift of its phase. We compute these weights for random "
    "gains and compare outputs. Of a whole band of frequencies it is not true: the gains "
    "of causal systems are not free there.",
)
