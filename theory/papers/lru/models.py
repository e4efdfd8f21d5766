"""Orvieto et al. (2023), Sections 1-2, Appendix B: recurrences and S4, Eq. 1-3."""

from sympy import exp

from sigprop.theory import spectral
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part
from sigprop.theory.spectral import drive, dt, pole

part = Part("Section 2.1", "spectral", "sigprop.theory.spectral")
text = part.at("")

part.row(
    "lru:1",
    "definition",
    "definition",
    "A recurrent layer",
    r"x_k = \sigma(A x_{k-1} + B u_k),\quad y_k = C x_k + D u_k,\quad x_0 = 0",
    code="sigprop.layers.dense.NonlinearRNN",
    note="Inputs are counted from 1 here and from 0 in Section 3.2.1; the state before "
    "the first input is zero in both.",
    topic="models",
)
part.row(
    "lru:2",
    "definition",
    "definition",
    "A continuous-time state-space model",
    r"\frac{d}{dt} x_{ct}(t) = \tilde{A} x_{ct}(t) + \tilde{B} u_{ct}(t),\quad "
    r"y_{ct}(t) = \Re[\tilde{C} x_{ct}(t)] + \tilde{D} u_{ct}(t)",
    code="sigprop.layers.s4d.S4D",
    note="The test uses inputs that are held over each step. The layer keeps one "
    "eigenvalue of each conjugate pair and therefore returns twice the real part.",
    topic="models",
)
part.row(
    "lru:3",
    "identity",
    "refuted",
    "Zero-order-hold discretisation",
    r"x_k = A x_{k-1} + B u_k,\quad y_k = C x_k + D u_k,\quad A = \exp(\Delta "
    r"\tilde{A}),\quad B = (A - I)\tilde{A}^{-1}\tilde{B}",
    code="sigprop.layers.s4d.discretise",
    correction=r"x_k = A x_{k-1} + B u_k,\quad y_k = \Re[C x_k] + D u_k,\quad A = "
    r"\exp(\Delta \tilde{A}),\quad B = (A - I)\tilde{A}^{-1}\tilde{B}",
    assumes="the continuous matrix has no eigenvalue 0, where B is its limit",
    note="The paper prints C x_k; it should be Re[C x_k], as in Eq. 2, because C is "
    "complex. The printed outputs are complex. A and B are right.",
    erratum=Erratum(
        "C",
        appears_in=("Appendix A, y_k = C x_k + D u_k above the listing",),
        bearing="Eq. 2 and the listing take the real part.",
    ),
)
text.row(
    "lru:text:attention-cost",
    "text",
    "confirmed",
    "Cost of attention and of a recurrence",
    r"\text{attention costs } O(L^2),\ \text{an RNN } O(L)",
    where="Section 1",
    code="sigprop.evidence.lru.listing.growth_of_cost",
    note="The test concerns the exponent of the number of entries that all operations "
    "write, between 1024 and 4096 steps.",
    topic="models",
)
text.row(
    "lru:text:matches",
    "text",
    "not-checkable",
    "The LRU is as accurate as deep state-space models",
    r"\text{accuracy of LRU} \approx \text{accuracy of S4, S4D, S5 on every task}",
    where="Abstract, Section 3.4 and Table 3",
    code="sigprop.evidence.lru.accuracies.above_worst_deep",
    reason="To match has no threshold, and no direction.",
    note="On every task the LRU beats the least accurate of the five rows it is "
    "compared with, by 0.2 to 3.2 points. The best row leads it by 2.5 points on "
    "sCIFAR and by 4.4 on PathX.",
    topic="tables",
)
text.row(
    "lru:text:footnotes",
    "text",
    "not-checkable",
    "Footnotes",
    r"^{1}, \dots, ^{16}",
    where="footnotes 1-16",
    code="sigprop.layers.lru.lru",
    reason="our copy has the sixteen marks in the text but not the footnotes "
    "themselves, so there is nothing to transcribe",
    as_extracted=True,
    topic="experiments",
)
text.row(
    "lru:text:zoh-exact",
    "text",
    "proved",
    "The zero-order hold is exact",
    r"u_{ct} \text{ constant between timestamps} \Rightarrow x_{ct}(\Delta (k+1)) = "
    r"\exp(\Delta\tilde{A}) x_{ct}(\Delta k) + (\exp(\Delta\tilde{A}) - "
    r"I)\tilde{A}^{-1}\tilde{B} u_k",
    where="Section 2.1, after Eq. 3",
    code="sigprop.evidence.lru.models.hold_recurrence",
    note="The test concerns the step. A zero-order hold keeps u_k from its own time "
    "on, so that Eq. 3 gives the state one step later, x_k = x_ct((k+1) Delta): x_0 = "
    "B u_0 although x_ct(0) = 0.",
)
text.row(
    "lru:text:zoh-formula",
    "text",
    "proved",
    "The zero-order hold again",
    r"x_k = \exp(\Delta\tilde{A}) x_{k-1} + (\exp(\Delta\tilde{A}) - "
    r"I)\tilde{A}^{-1}\tilde{B} u_k",
    where="Section 4",
    derive=spectral.held_step,
    printed=lambda: drive * (exp(dt * pole) - 1) / pole,
    code="held_step",
    assumes=Condition(
        "the continuous matrix has no eigenvalue 0, where it is its limit",
        lambda pole, **_: pole != 0,
    ),
)
text.row(
    "lru:text:s4d-lin",
    "definition",
    "definition",
    "The S4D-Lin spectrum",
    r"\tilde{a}_n = -\frac{1}{2} + i\pi n,\quad n = 1, 2, \dots, N",
    where="Section 2.1, Section 4 and Appendix B",
    code="sigprop.layers.s4d.diagonal_spectrum",
    note="S4D and the package count n from 0, to N - 1. The same range stands at "
    "lru:text:s4d-inv.",
)
text.row(
    "lru:text:s4d-inv",
    "text",
    "refuted",
    "The S4D-Inv spectrum",
    r"\tilde{a}_n = -\frac{1}{2} + i\frac{N}{\pi}\left(\frac{N}{n+1} - 1\right),"
    r"\quad n = 1, 2, \dots, N",
    where="Section 2.1 and Appendix B",
    code="sigprop.layers.s4d.diagonal_spectrum",
    correction=r"\tilde{a}_n = -\frac{1}{2} + i\frac{N}{\pi}\left(\frac{N}{2n+1} - "
    r"1\right),\quad n = 1, 2, \dots, N",
    note="The paper prints n+1; it should be 2n+1, as in the cited formula (S4D). It "
    "follows the spectrum of the normal part of HiPPO-LegS. S4D counts n from 0 to N "
    "- 1, as at lru:text:s4d-lin; we do not count this as an error.",
    erratum=Erratum("E", bearing="The paper does not use the formula."),
)
part.row(
    "lru:text:bilinear",
    "text",
    "not-checkable",
    "The zero-order hold and the bilinear method are of high accuracy",
    r"\text{a high-accuracy ZOH or Bilinear method}",
    code="sigprop.layers.s4d.discretise",
    reason="High accuracy has no threshold.",
    note="The bilinear method's eigenvalue is off by (Delta a)^3/12 to leading order; the "
    "hold is exact for the inputs that it assumes.",
)
