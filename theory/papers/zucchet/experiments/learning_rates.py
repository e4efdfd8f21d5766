"""Zucchet & Orvieto (2024), Section 4.3 and Figure 4: curvature and adaptive rates."""

from sigprop.theory import teacher
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part(
    "Section 4.3", "hessian", "sigprop.evidence.zucchet.experiments.learning_rates"
)

part.row(
    "zucchet:fig4",
    "figure",
    "conditional",
    "Spectra of the dense and the complex diagonal Hessian",
    r"\text{the spectra are almost the same}",
    where="Figure 4.A, B",
    code="sensitivities",
    condition=Condition(
        "orthogonal eigenvectors of the teacher's matrix", lambda normal, **_: normal
    ),
    note="We take the median of the dense network's largest eigenvalue divided by the "
    "complex network's. Appendix C.3 says that the eigenvectors were sampled, but not "
    "from which distribution. With complex Gaussian eigenvectors the median is 17, "
    "and 20 draws range from 4 to 10^4.",
    erratum=Erratum(
        "D",
        appears_in=("zucchet:text:hessian-spectra",),
        bearing="No later result is affected: the argument of Section 4.3 rests on "
        "the eigenvectors, which zucchet:fig4:concentration judges.",
    ),
)

part.row(
    "zucchet:fig4:rank",
    "definition",
    "definition",
    "The ten eigenvectors that Figure 4 shows",
    r"\text{its 10 eigenvectors with greatest eigenvalues}",
    where="Figure 4.A, B",
    code="sensitivities",
    note="Both Hessians, of 25 real parameters, have rank 2 * 4 + 1 = 9. A change of "
    "parameters reaches the functions lam^n and n lam^(n-1) of four eigenvalues and "
    "D. The tenth vector belongs to the eigenvalue zero and is any vector of a null "
    "space.",
)

part.row(
    "zucchet:fig4:concentration",
    "figure",
    "confirmed",
    "Where the top eigenvectors lie",
    r"\text{the top eigenvectors are concentrated on few coordinates for the complex "
    r"diagonal one but not for the fully connected one}",
    where="Figure 4.A, B",
    code="spread_of_top",
    note="Coordinates of 25 that the ten top eigenvectors spread over, means over 20 "
    "teachers: 3.5 and 4.7 by inverse participation, 4.1 and 6.4 by entropy.",
)

part.row(
    "zucchet:text:footnote-2",
    "bound",
    "confirmed",
    "The largest stable learning rate",
    r"\eta_{\max} \le \frac{2}{L}",
    where="footnote 2",
    code="largest_stable_rate",
    note="L is the gradient's Lipschitz constant, the largest |eigenvalue|: for its other "
    "name see zucchet:footnote2:lipschitz. Reached where no curvature is negative; along "
    "a negative one gradient descent diverges at every rate, and the bound still holds.",
)

part.at("").row(
    "zucchet:text:effective-rate",
    "definition",
    "definition",
    "The effective learning rate of Adam",
    r"\text{the effective learning rate used by Adam, computed by providing a vector "
    r"of ones to the optimizer}",
    where="Section 4.3, Figure 4.C, D",
    printed=teacher.adam_step,
    code="sigprop.theory.teacher.adam_step",
    note="It mixes the ones with the running moments: where the gradients' root mean "
    "square v is large it is a tenth of rate/v, where it is far below 0.03 it "
    "saturates at 3.2 times the rate, above the grey line of Fig. 4.",
    topic="experiments",
)

part.row(
    "zucchet:fig4:adam",
    "figure",
    "confirmed",
    "Effective learning rates of the two networks",
    r"\text{small learning rates for the fully connected one, larger ones for the "
    r"complex diagonal one}",
    where="Figure 4.C, D",
    code="sigprop.evidence.zucchet.experiments.medians.rates",
    note="Both networks at the printed rate 10^-3, kept constant, at the end of learning: "
    "the median effective rate of the recurrent parameters is larger in the complex "
    "diagonal one by 2.5 to 3.6 decades, at level 97.9 %, ten teachers.",
    topic="experiments",
)

part.row(
    "zucchet:text:pairs-of-teacher",
    "text",
    "confirmed",
    "The teacher's eigenvalues come in conjugate pairs",
    r"\text{the complex eigenvalues of the teacher come in conjugate pairs}",
    code="sigprop.layers.dense.linear_rnn",
    topic="experiments",
)

part.row(
    "zucchet:text:more-neurons",
    "text",
    "confirmed",
    "More neurons make the Hessian less diagonal",
    r"\text{increasing the number of hidden neurons breaks the diagonal structure}",
    code="sigprop.evidence.zucchet.experiments.sensitivities.coupling",
    note="Share of the Hessian off its diagonal, phases on the whole circle and "
    "moduli as in Fig. 10: 0.14 for 10 neurons, 0.50 for 64. The statement repeats "
    "zucchet:text:hessian-width.",
    uncounted="repeats zucchet:text:hessian-width",
)
