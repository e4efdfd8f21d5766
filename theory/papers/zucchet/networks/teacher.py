"""Zucchet & Orvieto (2024), Sections 4.2-4.3: teacher and Hessian, Eq. 10 and 11."""

from math import pi as PI

from theory import recurrences
from theory.claims import Claim, Condition, Kind, Status
from theory.papers.zucchet.rows import IS_DEFINITION, of_model, routes, row

JACOBIANS = "sigprop.references.jacobians."
DENSE = "sigprop.layers.dense."


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    every = tuple({"kind": kind, "fit": False} for kind in ("dense", "tanh"))
    hessian = routes(
        "jacobians", autodiff="hessian_autodiff", reference="hessian_complex"
    )
    return (
        of_model(
            "10",
            "Section 4.2",
            "The linear teacher",
            r"h_{t+1} = Ah_t + Bx_{t+1} \text{ and } y_t = Ch_t + Dx_t",
            DENSE + "LinearRNN",
            "dense",
            "outputs",
        ),
        row(
            "11",
            "Eq. 11, Section 4.3",
            Kind.IDENTITY,
            "The Hessian of the loss",
            r"\frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t \mathbb{E}_x \left[\frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 L_t}{\partial h_t^2} \frac{"
            r"\mathrm{d}h_t}{\mathrm{d}\theta}^\top + \frac{\partial L_t}{\partial h_t} "
            r"\frac{\mathrm{d}^2 h_t}{\mathrm{d}\theta^2} \right]",
            Status.CONFIRMED,
            JACOBIANS + "hessian_sum",
            points=every,
            routes=hessian,
            form=JACOBIANS + "hessian_sum",
            slips={"the first term alone": JACOBIANS + "hessian_first"},
            assumes="real parameters and the loss of Eq. 1, which sees them through the "
            "states alone; dh/dtheta has parameters as rows here, states in Eq. 2, 4 and 9",
            note="Judged by all entries of the recurrent matrix of a linear and of a tanh "
            "network. Eq. 115 has the same line for parameters of a readout too, where it "
            "fails.",
            topic="hessian",
        ),
        row(
            "text:second-term",
            "text after Eq. 11, Section 4.3",
            Kind.TEXT,
            "At a perfect fit the second term of the Hessian vanishes",
            r"h_t = h_t^* \Rightarrow \frac{\mathrm{d}^2 L}{\mathrm{d}\theta^2} = \sum_t "
            r"\mathbb{E}_x \left[\frac{\mathrm{d}h_t}{\mathrm{d}\theta} \frac{\partial^2 "
            r"L_t}{\partial h_t^2} \frac{\mathrm{d}h_t}{\mathrm{d}\theta}^\top\right]",
            Status.CONFIRMED,
            JACOBIANS + "hessian_first",
            points=tuple({**at, "fit": True} for at in every),
            routes=hessian,
            form=JACOBIANS + "hessian_first",
            topic="hessian",
        ),
        row(
            "footnote1",
            "footnote 1, Section 4.2",
            Kind.DEFINITION,
            "How the eigenvalues of teachers are moved",
            r"x \mapsto \nu_0 + (1 - \nu_0) \tanh(x) \text{ on the absolute values}",
            Status.DEFINITION,
            DENSE + "transform_eigenvalues",
            points=tuple(
                {"case": case, "nu0": 0.3, "theta0": PI}
                for case in ("positive", "negative")
            ),
            routes=routes("spectra", impulse="transformed_by_layer"),
            form="sigprop.references.spectra.transformed_by_print",
            alone=IS_DEFINITION,
            note="Eq. 15 with theta_0 = pi: without its map of angles the matrix stays "
            "real whatever its eigenvalues. How N(0, 1/sqrt(n)) is to be read: "
            "zucchet:text:outer-radius.",
        ),
        row(
            "footnote2:lipschitz",
            "footnote 2, Section 4.3",
            Kind.TEXT,
            "The gradient's Lipschitz constant is the largest Hessian eigenvalue",
            r"\sup_{x \neq y} \frac{\|\nabla L(x) - \nabla L(y)\|}{\|x - y\|} = "
            r"\lambda_{\max}(\nabla^2 L)",
            Status.CONDITIONAL,
            "sigprop.references.updates.lipschitz_by_search",
            points=({"case": "convex"}, {"case": "saddle"}),
            routes=routes(
                "updates",
                reference="lipschitz_by_search",
                closed_form="lipschitz_by_norm",
            ),
            form="sigprop.references.updates.largest_eigenvalue",
            condition=Condition(
                "the loss is convex; otherwise it is the largest modulus of an "
                "eigenvalue, and the maximum runs over all parameters and not only over "
                "the optimum",
                lambda case, **_: case == "convex",
            ),
            note="The loss of a linear recurrence is not convex, and its curvature has no "
            "bound as |lambda| goes to 1 (zucchet:fig1:sharpness-real): there is no global "
            "Lipschitz constant, only one near the optimum.",
            topic="hessian",
        ),
        row(
            "footnote2:rate",
            "footnote 2, Section 4.3",
            Kind.TEXT,
            "The largest stable learning rate",
            r"\eta_{\max} = \frac{2}{L}",
            Status.PROVED,
            "theory.recurrences.steepest_descent",
            derive=recurrences.steepest_descent,
            printed=lambda: 2 / recurrences.curvature,
            points=tuple({"ell": ell} for ell in (0.7, 3.0, 40.0)),
            routes=routes(
                "updates",
                reference="largest_rate",
                autodiff="largest_rate_by_companion",
            ),
            assumes="gradient descent on a quadratic of largest curvature L",
            topic="hessian",
        ),
    )
