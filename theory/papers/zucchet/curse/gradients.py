"""Zucchet & Orvieto (2024), Sections 1 and 2.1: the gradients, Eq. 1-4."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Section 1", "backward", "sigprop.evidence.zucchet.curse.gradients")

part.row(
    "zucchet:1",
    "definition",
    "definition",
    "A recurrent network and its loss",
    r"h_{t+1} = f_{\theta}(h_t, x_{t+1}) \text{ and } L = \mathbb{E}\left["
    r"\sum_{t=1}^T L_t(h_t)\right]",
    code="sigprop.layers.base.Layer.step",
    topic="models",
    note="The loop of each layer is compared with the update, iterated from the "
    "zero state.",
)
part.row(
    "zucchet:2",
    "identity",
    "confirmed",
    "Gradient of the instantaneous loss",
    r"\frac{\mathrm{d}L_t}{\mathrm{d}\theta} = \frac{\partial L_t}{\partial h_t}"
    r" \frac{\mathrm{d}h_t}{\mathrm{d}\theta} = \frac{\partial L_t}{\partial h_t}"
    r" \sum_{t' \le t} \frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}} \frac{\partial "
    r"f_\theta}{\partial \theta} (h_{t'-1}, x_{t'})",
    code="gradient_sum",
    note="Our copy has t' < t and may lack one stroke of the sign. The sum must include "
    "t' = t, the effect of the parameters on the last update itself. Eq. 4, which is "
    "the same sum, includes it.",
    as_extracted=True,
)
part.at("Section 2.1").row(
    "zucchet:4",
    "identity",
    "confirmed",
    "Sensitivity of the state to the parameters",
    r"\frac{\mathrm{d}h_t}{\mathrm{d}\theta} = \sum_{t' \le t} \frac{\mathrm{d}"
    r"h_t}{\mathrm{d}h_{t'}} \frac{\partial f_\theta}{\partial \theta} (h_{t'-1}, "
    r"x_{t'})",
    code="sensitivity_sum",
    note="The equation is the chain rule. The test uses a linear diagonal, a linear "
    "dense and a tanh network, and every entry of the recurrent matrix.",
)
part.row(
    "zucchet:text:total-derivative",
    "text",
    "confirmed",
    "Total derivative of the loss with respect to a state",
    r"\mathrm{d}_{h_t} L = \partial_{h_t} L_t(h_t) + \sum_{t'>t} \mathrm{d}_{h_t}"
    r" L_{t'}(h_{t'})",
    where="text after Eq. 2",
    code="total_sum",
    note="The Jacobian over the steps between carries each later error back.",
)
part.row(
    "zucchet:text:partial-derivative",
    "text",
    "confirmed",
    "Partial derivative of the whole loss with respect to a state",
    r"\text{The error that reaches } h_t \text{ through the readout alone is } "
    r"\partial_{h_t} L = \partial_{h_t} L_t",
    where="text after Eq. 2",
    code="held",
    note="All other states are held. The total derivative, which lets the later states "
    "move, is zucchet:text:total-derivative.",
)
part.at("Section 2.2").row(
    "zucchet:text:chain-rule",
    "text",
    "confirmed",
    "Gradient of the loss with respect to the eigenvalue",
    r"\mathrm{d}_{\lambda}L = \sum_{t} \partial_{h_t}L\, \mathrm{d}_{\lambda}h_t,"
    r"\quad \mathrm{d}_{\lambda}h_{t+1} = \lambda \mathrm{d}_{\lambda}h_t + h_t",
    where="text before Eq. 6",
    code="eigenvalue_gradient_sum",
    note="The second half is Eq. 49, which has a row of its own.",
)
part.row(
    "zucchet:3",
    "identity",
    "confirmed",
    "The Jacobian over several steps is a product",
    r"\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}} = \prod_{i=t'}^{t-1} \frac{\partial "
    r"h_{i+1}}{\partial h_i} = \prod_{i=t'}^{t-1} \frac{\partial f_\theta}{"
    r"\partial h}(h_i, x_{i+1})",
    code="jump_product",
    note="The test uses the order of the chain rule: rows are outputs, as in Eq. 2, "
    "and the latest factor stands on the left. The product sign does not fix an "
    "order. Read from left to right as the index runs, it is another matrix wherever "
    "the factors do not commute, as in a dense non-linear network.",
)
part.row(
    "zucchet:text:vanish",
    "bound",
    "conditional",
    "Spectral radii below one make the product vanish exponentially",
    r"\rho(\partial_h f_\theta(h_i, x_{i+1})) \le c < 1 \text{ for all } i \Rightarrow "
    r"\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}} \to 0 \text{ exponentially } (t - t' \to "
    r"\infty)",
    where="text after Eq. 3",
    code="rate",
    condition=Condition(
        "the Jacobian is the same at all times",
        lambda kind, **_: kind != "switching",
    ),
    note="Two alternating Jacobians (0, 2; 0, 0) and (0, 0; 2, 0) have spectral "
    "radius 0. Their product has spectral radius 4 every two steps. A network of two "
    "ReLU units, which the inputs activate in turn, has exactly these Jacobians. If "
    "the norms, not the spectral radii, are at most c, no condition is needed. Normal "
    "Jacobians are such a case.",
    erratum=Erratum(
        "D",
        bearing="The paper's own results have a constant and diagonal Jacobian.",
    ),
)
part.row(
    "zucchet:text:error-between-times",
    "identity",
    "confirmed",
    "The error at one time, backpropagated to an earlier time",
    r"\text{The error of time } t \text{ at the time } t' < t \text{ is } "
    r"\mathrm{d}_{h_{t'}} L_t = \partial_{h_t} L_t\, \mathrm{d}_{h_{t'}} h_t",
    where="text after Eq. 3",
    code="error_carried",
    note="Our copy has h'_t for the state of time t' under the last derivative and may "
    "have moved the stroke. The left side has the stroke on the time. Errors are rows, "
    "as in Eq. 2.",
    as_extracted=True,
)
part.row(
    "zucchet:text:negligible-or-predominant",
    "limit",
    "confirmed",
    "The contribution of a past state vanishes or grows, at the rate of the spectral "
    "radius",
    r"\text{The contribution of } h_{t'} \text{ to } L_t \text{ becomes negligible or "
    r"predominant: } \frac{1}{t - t'} \log\left\|\frac{\mathrm{d}h_t}{\mathrm{d}"
    r"h_{t'}}\right\| \to \log r \neq 0 \quad (t - t' \to \infty)",
    where="text after Eq. 3",
    code="rate",
    assumes="the Jacobian is the same at all times, and its spectral radius r is not one",
    note="The rate is ours; the paper has the two outcomes in words. A radius of one is "
    "a third case: the norm of an orthogonal matrix stays one. The end of Section 2.3 "
    "makes the exception.",
)
part.row(
    "zucchet:text:explode",
    "bound",
    "confirmed",
    "A component above one can make the product explode",
    r"\text{some } \partial_h f_\theta \text{ with a component above } 1 \text{ have }"
    r"\left\|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}\right\| \to \infty "
    r"\text{ exponentially}",
    where="text after Eq. 3",
    code="rate",
    note="The text says that it can. The Jacobian (1.05, 3; 0, 0.4) does, at the rate "
    "of its largest eigenvalue. The Jacobian (0.7, 2; 0, 0.6) also has an entry and a "
    "singular value above one, but its powers vanish.",
)
