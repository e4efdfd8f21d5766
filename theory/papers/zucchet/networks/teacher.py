"""Zucchet & Orvieto (2024), Sections 4.2-4.3: teacher and Hessian, Eq. 10 and 11."""

from sigprop.theory import recurrences
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import UPWARDS
from sigprop.theory.rows import Part

part = Part("Section 4.3", "hessian", "sigprop.evidence.zucchet.networks.teacher")
linear = part.at("Section 4.2", "models", "sigprop.layers.dense")

linear.row(
    "zucchet:10",
    "definition",
    "definition",
    "The linear teacher",
    r"h_{t+1} = Ah_t + Bx_{t+1} \text{ and } y_t = Ch_t + Dx_t",
    code="LinearRNN",
)
part.row(
    "zucchet:11",
    "identity",
    "confirmed",
    "The Hessian of the loss",
    r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x \left[\frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 L_t}{\partial h_t^2} \frac{"
    r"\mathrm{d}h_t}{\mathrm{d}\theta}^\top + \frac{\partial L_t}{\partial h_t} "
    r"\frac{\mathrm{d}^2 h_t}{\mathrm{d}\theta^2} \right]",
    code="hessian_sum",
    assumes="real parameters and the loss of Eq. 1, which sees them through the "
    "states alone; dh/dtheta has parameters as rows here, states in Eq. 2, 4 and 9",
    note="The test uses all entries of the recurrent matrix of a linear and of a tanh "
    "network. Eq. 115 repeats the line. The line says nothing of the readout "
    "parameters C and D of Eq. 10, because the states do not depend on them.",
)
part.row(
    "zucchet:text:second-term",
    "text",
    "confirmed",
    "At a perfect fit the second term of the Hessian vanishes",
    r"\frac{\partial L_t}{\partial h_t} = 0 \Rightarrow \frac{\mathrm{d}^2 L}{\mathrm{d}"
    r"\theta^2} = \sum_t \mathbb{E}_x \left[\frac{\mathrm{d}h_t}{\mathrm{d}\theta} "
    r"\frac{\partial^2 L_t}{\partial h_t^2} \frac{\mathrm{d}h_t}{\mathrm{d}\theta}^\top"
    r"\right]",
    where="text after Eq. 11",
    code="hessian_first",
    note="A perfect fit makes the loss's derivative zero at every step and for every input; "
    "judged with targets on the states.",
)
linear.row(
    "zucchet:footnote1",
    "definition",
    "definition",
    "The transformation of the teachers' eigenvalues at initialisation",
    r"x \mapsto \nu_0 + (1 - \nu_0) \tanh(x) \text{ on the absolute values}",
    where="footnote 1",
    code="transform_eigenvalues",
    note="Eq. 15 with theta_0 = pi: without its map of angles the matrix stays "
    "real whatever its eigenvalues. 1/sqrt(n) is the deviation of an entry, as Appendix "
    "A.1 shows (zucchet:text:outer-radius).",
)
part.row(
    "zucchet:footnote2:lipschitz",
    "text",
    "conditional",
    "The gradient's Lipschitz constant is the largest Hessian eigenvalue",
    r"\sup_{x \neq y} \frac{\|\nabla L(x) - \nabla L(y)\|}{\|x - y\|} = "
    r"\lambda_{\max}(\nabla^2 L)",
    where="footnote 2",
    code="lipschitz_by_search",
    condition=Condition(
        UPWARDS,
        lambda case, **_: case == "convex",
    ),
    note="Without the condition the constant is the largest modulus of an eigenvalue. "
    "The loss of a linear recurrence is not convex. Its curvature has no bound for "
    "|lambda| -> 1 (zucchet:fig1:sharpness-real). So there is no global Lipschitz "
    "constant, only one for a region, over which the maximum is taken.",
    erratum=Erratum(
        "D",
        appears_in=("zucchet:text:hessian-lipschitz",),
        bearing="No later result is affected: the paper uses the constant only in "
        "words.",
    ),
)
part.row(
    "zucchet:footnote2:rate",
    "text",
    "proved",
    "The largest stable learning rate",
    r"\eta_{\max} = \frac{2}{L} \text{ on a quadratic}",
    where="footnote 2",
    derive=recurrences.steepest_descent,
    printed=lambda: 2 / recurrences.curvature,
    code="sigprop.theory.recurrences.steepest_descent",
    assumes=Condition(
        "gradient descent on a quadratic of largest curvature L",
        lambda ell, **_: ell > 0,
    ),
    note="There the bound of the footnote is reached; zucchet:text:footnote-2 has the "
    "bound.",
)
