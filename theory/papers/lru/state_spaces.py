"""Orvieto et al. (2023), Section 4 and Figures 1-5: insights on S4 and variants."""

import math

from sigprop.theory import spectral
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Section 4", "spectral", "sigprop.theory.spectral")
figures = part.at("", "experiments")

part.row(
    "lru:text:s4d-eigenvalues",
    "text",
    "confirmed",
    "Discrete eigenvalues of S4D-Lin",
    r"\lambda_n = \exp(-\Delta/2 + i\pi\Delta n)",
    code="sigprop.layers.s4d.discretise",
)
part.row(
    "lru:text:s4d-modulus",
    "text",
    "confirmed",
    "Modulus of S4D-Lin's eigenvalues",
    r"\Delta = 10^{-3}:\quad \exp(-\Delta/2) \approx 0.9995",
    code="sigprop.layers.s4d.discretise",
)
part.row(
    "lru:text:s4d-phase",
    "text",
    "confirmed",
    "Phases of S4D-Lin's eigenvalues",
    r"\Delta = 10^{-3},\ N = 128:\quad \theta = \pi\Delta n \ \tilde{\in}\ [0, "
    r"\pi/8]",
    code="sigprop.layers.s4d.discretise",
    note="The range is printed with a tilde. At n = 128 the phase is pi/7.8, and so "
    "pi/8 to the digit printed.",
)
part.row(
    "lru:text:first-order",
    "limit",
    "proved",
    "First-order expansion of the input factor",
    r"(\exp(\Delta\tilde{A}) - I)\tilde{A}^{-1}\tilde{B} = \Delta\tilde{B} + "
    r"O(\Delta^2)",
    code="held_step_first_order",
)
part.row(
    "lru:text:inverse-delta",
    "limit",
    "proved",
    "Without its factor Delta the recurrence grows like 1/Delta",
    r"\sum_{j=0}^{k-1} |\exp(\Delta\tilde{a}_i)|^j |u_{k-j,i}| = O(\Delta^{-1})",
    code="unscaled_bound",
    assumes="bounded inputs",
    note="The constant is 1/|Re a|, 2 for Re a = -1/2. The bound before the order is "
    "lru:text:unrolled-bound. The recurrence that is unrolled has lost x_(k-1) in our copy.",
)
part.row(
    "lru:text:unrolled-bound",
    "bound",
    "refuted",
    "The recurrence without its factor Delta, as a sum over inputs",
    r"|x_{k,i}| \leq \sum_{j=0}^{k-1} |\exp(\Delta\tilde{a}_i)|^j u_{k-j,i}",
    code="sigprop.evidence.lru.state_spaces.unscaled_state",
    correction=r"|x_{k,i}| \leq \sum_{j=0}^{k} |\exp(\Delta\tilde{a}_i)|^j |u_{k-j,i}|",
    note="The printed sum drops the oldest input, as Eq. 4 does. In our copy u also "
    "lacks its modulus.",
    erratum=Erratum("B", root="lru:4"),
)
part.row(
    "lru:text:delta-normalises",
    "text",
    "proved",
    "The factor Delta avoids blow-ups",
    r"\Delta \text{ scales the recurrence to avoid blow-ups, similar to } \gamma: \quad "
    r"\Delta \sum_j |\exp(\Delta\tilde{a})|^j = \frac{\Delta}{1 - e^{-\Delta/2}} "
    r"\rightarrow 2 \quad (\Delta \rightarrow 0)",
    code="unscaled_bound",
    assumes="bounded inputs, Re a = -1/2",
    note="Under white noise, for which gamma is derived, it bounds the state but does not "
    "normalise it: E|x|^2 = Delta^2/(1 - exp(-Delta)), about Delta, where gamma gives 1.",
)
part.row(
    "lru:text:decoupling",
    "text",
    "not-checkable",
    "Ablations of S4D",
    r"\text{first-order } B \text{ and separate } \Delta \text{ keep performance}",
    code="sigprop.layers.lru.lru",
    reason="the ablations of S4D are not tabulated",
    topic="experiments",
)
figures.row(
    "lru:fig1",
    "figure",
    "confirmed",
    "Each step raises the average accuracy",
    r"\text{tanh} < \text{linear} < \text{diagonal} < \text{stable} < \text{ring} < "
    r"\text{LRU}",
    where="Fig. 1",
    code="sigprop.evidence.lru.accuracies.narrowest_step",
    note="The figure itself is not read: the bars' heights are not in our copy. Our "
    "averages of Tables 6-8, with 50 where a model did not learn, are 65.0, 66.8, 70.1, "
    "77.8, 78.6 and 86.3, against 86.6 and 85.7 of S4D and S5. The least rise is 0.8.",
)
figures.row(
    "lru:fig2",
    "figure",
    "confirmed",
    "Eigenvalues of a Glorot matrix fill the disc",
    r"A_{ij} \sim \mathcal{N}(0, 1/N):\ \text{the limit is uniform on the disc}",
    where="Fig. 2",
    code="sigprop.neuron.ginibre.radial_law",
    note="A real Gaussian matrix: symmetric ones would have real eigenvalues. The "
    "test concerns the radial part.",
    topic="ring",
)
figures.row(
    "lru:fig3",
    "figure",
    "proved",
    "The whole disc has the limit distribution of Glorot matrices",
    r"r_{\min} = 0,\ r_{\max} = 1:\ \text{coincides with Glorot in the limit}",
    where="Fig. 3",
    derive=lambda: spectral.area_distribution().then(
        "On the disc this is", spectral.disc_distribution()
    ),
    printed=lambda: spectral.r**2,
    code="sigprop.theory.ring.radius_cdf",
    topic="ring",
)
figures.row(
    "lru:fig4",
    "figure",
    "confirmed",
    "Long sequences need smaller phases for as many oscillations",
    r"\text{for high } L \text{ the range of } \theta \text{ has to be smaller for as "
    r"many oscillations: } \frac{L\,\theta_{\max}}{4\pi}",
    where="Fig. 4",
    code="sigprop.evidence.lru.state_spaces.turns_of_kernel",
    assumes=Condition(
        "phases at most pi", lambda max_phase, **_: 0 < max_phase <= math.pi
    ),
    note="1024 steps at [0, 2 pi], where phases above pi alias, and 16384 at [0, pi/16] turn "
    "256 times alike. PathX's pi/10 turns 410 times, the figure's pi/50 82 times. With nu of "
    "0.00005 a state keeps exp(-0.82) = 0.44 of an impulse after 16384 steps.",
)
figures.row(
    "lru:text:few-oscillations",
    "figure",
    "not-checkable",
    "How often a short sequence recalls its first input",
    r"L = 1024,\ \theta \sim [0, 2\pi]: \text{ recalled only a few times}",
    where="Fig. 4",
    code="sigprop.evidence.lru.state_spaces.turns_of_kernel",
    note="Phases above pi alias to smaller ones, which by lru:fig4 leaves L/4 = 256 "
    "periods on average. That is three times the 82 of the small phase at 16384 steps, "
    "which the caption calls a similar effect.",
    reason="A few is no number, and acceptable has no threshold.",
)
figures.row(
    "lru:fig5",
    "figure",
    "not-checkable",
    "Training curves on PathX",
    r"\text{without } \gamma: \text{ higher initial loss, chance accuracy}",
    where="Fig. 5",
    code="sigprop.layers.lru.lru",
    reason="training curves on PathX without printed numbers; the figure shows 100k "
    "iterations, Table 9 has 250k",
)
figures.row(
    "lru:text:fig5-steps",
    "text",
    "not-checkable",
    "Steps of the curves on PathX",
    r"\text{The three settings of PathX are shown with mean and standard errors over three "
    r"independent runs for 100k iterations}",
    where="Fig. 5",
    code="sigprop.evidence.lru.experiments.learning_rate",
    reason="The paper does not say whether these are whole trainings or the beginning of "
    "those of Table 9, which have 250k iterations.",
    note="Of a training of 250k iterations by Appendix D.2, 100k are 40 per cent, and the "
    "learning rate is then still 75 per cent of its largest value. A whole training of "
    "100k iterations ends at a learning rate of 1e-7.",
)
