"""Zucchet & Orvieto (2024), Section 4.3 and Figure 4: curvature and adaptive rates."""

from theory import teacher
from theory.claims import Condition
from theory.papers.zucchet.conditions import no_larger_downwards
from theory.rows import Part

part = Part(
    "Section 4.3", "hessian", "sigprop.evidence.zucchet.experiments.learning_rates"
)

part.row("zucchet:fig4", "figure", "conditional", "Figure 4.A, B")(
    "Spectra of the dense and the complex diagonal Hessian",
    r"\text{the spectra are almost the same}",
    code="sensitivities",
    condition=Condition(
        "orthogonal eigenvectors of the teacher's matrix", lambda normal, **_: normal
    ),
    note="Median of the dense top eigenvalue over the complex one. With eigenvectors "
    "drawn at random, as Appendix C.3 says, it is 17, and up to 10^4.",
)

part.row("zucchet:fig4:rank", "figure", "refuted", "Figure 4.A, B")(
    "Ten eigenvectors of a Hessian of rank nine",
    r"\text{its 10 eigenvectors with greatest eigenvalues}",
    code="sensitivities",
    correction=r"\text{rank } 2 \cdot 4 + 1 = 9 \text{: the tenth eigenvalue is zero}",
    note="Both networks have 25 real parameters. A change reaches the functions lam^n "
    "and n lam^(n-1) of four eigenvalues and D, so the tenth eigenvector is any of a "
    "null space of 16 dimensions. Printed: at least ten.",
    inherits="Figure 9.A, B",
)

part.row("zucchet:fig4:concentration", "figure", "confirmed", "Figure 4.A, B")(
    "Where the top eigenvectors lie",
    r"\text{the top eigenvectors are concentrated on few coordinates for the complex "
    r"diagonal one but not for the fully connected one}",
    code="spread_of_top",
    note="Coordinates of 25 that the four top eigenvectors spread over: 2.8 and 5.2 by "
    "inverse participation, 3.0 and 6.8 by entropy.",
)

part.row("zucchet:text:footnote-2", "bound", "conditional", "footnote 2")(
    "The largest stable learning rate",
    r"L = \lambda_{\max}(H),\quad \eta < 2/L",
    code="largest_stable_rate",
    condition=Condition(
        "no negative curvature is larger in size, as at an optimum", no_larger_downwards
    ),
    note="A gradient's Lipschitz constant is the largest |eigenvalue|; along a "
    "negative one gradient descent diverges at every rate.",
)

part.at("").row(
    "zucchet:text:effective-rate",
    "definition",
    "definition",
    "Section 4.3, Figure 4.C, D",
)(
    "The effective learning rate of Adam",
    r"\text{the effective learning rate used by Adam, computed by providing a vector "
    r"of ones to the optimizer}",
    printed=teacher.adam_step,
    code="theory.teacher.adam_step",
    note="It mixes the ones with the running moments: where the gradients' root mean "
    "square v is large it is a tenth of rate/v, where it is far below 0.03 it "
    "saturates at 3.2 times the rate, above the grey line of Fig. 4.",
    topic="experiments",
)

part.row("zucchet:fig4:adam", "figure", "confirmed", "Figure 4.C, D")(
    "Effective learning rates of the two networks",
    r"\text{small learning rates for the fully connected one, larger ones for the "
    r"complex diagonal one}",
    code="sigprop.evidence.zucchet.experiments.medians.rates",
    note="Both networks at the printed rate 10^-3, kept constant, at the end of learning: "
    "the median effective rate of the recurrent parameters is larger in the complex "
    "diagonal one by 2.5 to 3.6 decades, at level 97.9 %, ten teachers.",
    topic="experiments",
)

part.row("zucchet:text:pairs-of-teacher", "text", "confirmed", "")(
    "The teacher's eigenvalues come in conjugate pairs",
    r"\text{the complex eigenvalues of the teacher come in conjugate pairs}",
    code="sigprop.layers.dense.linear_rnn",
    topic="experiments",
)

part.row("zucchet:text:more-neurons", "text", "confirmed", "")(
    "More neurons make the Hessian less diagonal",
    r"\text{increasing the number of hidden neurons breaks the diagonal structure}",
    code="sigprop.evidence.zucchet.experiments.sensitivities.coupling",
    note="Largest coupling of an eigenvalue with another, phases on the whole circle "
    "and moduli as in Fig. 10: 0.07 for 10 neurons, 0.39 for 64.",
)
