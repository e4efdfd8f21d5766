"""Orvieto et al. (2023), Sections 1-2, Appendix B: recurrences and S4, Eq. 1-3."""

from sympy import exp

from theory import spectral
from theory.claims import Condition
from theory.derivation import start
from theory.rows import Part
from theory.spectral import drive, dt, pole

part = Part("Section 2.1", "spectral", "theory.spectral")
text = part.at("")

part.row("lru:1", "definition", "definition")(
    "A recurrent layer",
    r"x_k = \sigma(A x_{k-1} + B u_k),\quad y_k = C x_k + D u_k,\quad x_0 = 0",
    code="sigprop.layers.dense.NonlinearRNN",
    note="Inputs are counted from 1 here and from 0 in Section 3.2.1; the state before "
    "the first input is zero in both.",
    topic="models",
)
part.row("lru:2", "definition", "definition")(
    "A continuous-time state-space model",
    r"\frac{d}{dt} x_{ct}(t) = \tilde{A} x_{ct}(t) + \tilde{B} u_{ct}(t),\quad "
    r"y_{ct}(t) = \Re[\tilde{C} x_{ct}(t)] + \tilde{D} u_{ct}(t)",
    code="sigprop.layers.s4d.S4D",
    note="Judged under held inputs. The layer keeps one of each conjugate pair and so "
    "returns twice the real part.",
    topic="models",
)
part.row("lru:3", "definition", "definition")(
    "Zero-order-hold discretisation",
    r"x_k = A x_{k-1} + B u_k,\quad y_k = C x_k + D u_k,\quad A = \exp(\Delta "
    r"\tilde{A}),\quad B = (A - I)\tilde{A}^{-1}\tilde{B}",
    spectral.held_step,
    lambda: (exp(dt * pole) - 1) / pole * drive,
    code="sigprop.layers.s4d.discretise",
    assumes=Condition(
        "the continuous matrix has no eigenvalue 0, where B is its limit",
        lambda pole, **_: pole != 0,
    ),
    note="Judged is the input factor B of one mode, against the exact response to a "
    "held input. Which state the recurrence then gives is the text's claim "
    "lru:text:zoh-exact.",
)
text.row("lru:text:attention-cost", "text", "confirmed", "Section 1")(
    "Cost of attention and of a recurrence",
    r"\text{attention costs } O(L^2),\ \text{an RNN } O(L)",
    code="sigprop.evidence.lru.listing.growth_of_cost",
    note="Judged is the exponent of the number of entries that all operations write, "
    "between 1024 and 4096 steps.",
    topic="models",
)
text.row("lru:text:matches", "text", "confirmed", "Abstract, Section 3.4 and Table 3")(
    "The LRU is as accurate as deep state-space models",
    r"\text{accuracy of LRU} \approx \text{accuracy of S4, S4D, S5 on every task}",
    code="sigprop.evidence.lru.accuracies.above_worst_deep",
    note="On every task the LRU beats the least accurate of the five rows it is "
    "compared with, by 0.2 to 3.2 points. The best row leads it by 2.5 points on "
    "sCIFAR and by 4.4 on PathX.",
    topic="tables",
)
text.row("lru:text:footnotes", "text", "not-checkable", "footnotes 1-16")(
    "Footnotes",
    r"^{1}, \dots, ^{16}",
    code="sigprop.layers.lru.lru",
    reason="our copy has the sixteen marks in the text but not the footnotes "
    "themselves, so there is nothing to transcribe",
    as_extracted=True,
    topic="experiments",
)
text.row("lru:text:zoh-exact", "text", "conditional", "Section 2.1, after Eq. 3")(
    "The zero-order hold is exact",
    r"u_{ct} \text{ constant between timestamps} \Rightarrow x_k = x_{ct}(\Delta "
    r"k),\quad x_{-1} = 0,\ x_{ct}(0) = 0",
    code="sigprop.evidence.lru.models.recurrent_state_in_time",
    condition=Condition(
        "u_k is held over the interval before its own time and the system "
        "starts from zero one step earlier",
        lambda hold, **_: hold == "before",
    ),
    note="A zero-order hold keeps u_k from its own time on. Then Eq. 3 gives the state "
    "one step later, x_k = x_ct((k+1) Delta): already x_0 = B u_0 is not x_ct(0) = 0.",
)
text.row("lru:text:zoh-formula", "text", "proved", "Section 4")(
    "The zero-order hold again",
    r"x_k = \exp(\Delta\tilde{A}) x_{k-1} + (\exp(\Delta\tilde{A}) - "
    r"I)\tilde{A}^{-1}\tilde{B} u_k",
    spectral.held_step,
    lambda: drive * (exp(dt * pole) - 1) / pole,
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
    "Section 2.1, Section 4 and Appendix B",
)(
    "The S4D-Lin spectrum",
    r"\tilde{a}_n = -\frac{1}{2} + i\pi n,\quad n = 1, 2, \dots, N",
    code="sigprop.layers.s4d.diagonal_spectrum",
    note="The package, as S4D, counts n from 0.",
)
text.row("lru:text:s4d-inv", "text", "refuted", "Section 2.1 and Appendix B")(
    "The S4D-Inv spectrum",
    r"\tilde{a}_n = -\frac{1}{2} + i\frac{N}{\pi}\left(\frac{N}{n+1} - 1\right),"
    r"\quad n = 1, 2, \dots, N",
    code="sigprop.layers.s4d.diagonal_spectrum",
    correction=r"\tilde{a}_n = -\frac{1}{2} + i\frac{N}{\pi}\left(\frac{N}{2n+1} - "
    r"1\right),\quad n = 0, 1, \dots",
    note="The formula approximates the eigenvalues of the normal part of HiPPO-LegS, "
    "which at index n = 1, 2, 3 are at N^2/pi times 1, 1/3, 1/5. The printed one gives "
    "1/2, 1/3, 1/4. It lacks the factor 2 of n, and S4D counts from 0, not from 1. The "
    "margin of 1.5 % is the distance at N = 256.",
    inherits="No.",
)
part.row("lru:text:bilinear", "text", "proved", "")(
    "The bilinear method is of second order",
    r"\frac{1 + \Delta\tilde{a}/2}{1 - \Delta\tilde{a}/2} - e^{\Delta\tilde{a}} = "
    r"\frac{(\Delta\tilde{a})^3}{12} + O(\Delta^4)",
    lambda: start(
        "the defect",
        (2 + dt * pole) / (2 - dt * pole) - exp(dt * pole),
    ),
    code="bilinear_defect",
    note="The paper says only that both methods are of high accuracy: this is how "
    "accurate, while the hold is exact for the inputs it assumes.",
)
