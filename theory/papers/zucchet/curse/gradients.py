"""Zucchet & Orvieto (2024), Sections 1 and 2.1: the gradients, Eq. 1-4."""

from theory.claims import Claim, Condition, Kind, Status
from theory.papers.zucchet.rows import IS_DEFINITION, routes, row

JACOBIANS = "jacobians"
KINDS = tuple(
    {"kind": kind, "end": end}
    for kind in ("diagonal", "dense", "tanh")
    for end in (1, 5)
)
JUMPS = tuple(
    {"kind": kind, "start": start, "end": 5}
    for kind in ("diagonal", "dense", "tanh")
    for start in (1, 3)
)
EITHER = "sigprop.references."


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_gradients(), *_jacobians())


def _gradients() -> tuple[Claim, ...]:
    both = dict(points=KINDS, topic="backward")
    return (
        row(
            "1",
            "Eq. 1, Section 1",
            Kind.DEFINITION,
            "A recurrent network and its loss",
            r"h_{t+1} = f_{\theta}(h_t, x_{t+1}) \text{ and } L = \mathbb{E}\left["
            r"\sum_{t=1}^T L_t(h_t)\right]",
            Status.DEFINITION,
            "sigprop.layers.base.Layer.step",
            points=tuple({"kind": kind} for kind in ("diagonal", "dense", "tanh")),
            routes=routes(JACOBIANS, impulse="layer_states"),
            form=EITHER + "jacobians.iterated_states",
            alone=IS_DEFINITION,
            note="The loop of each layer is compared with the update, iterated from the "
            "zero state.",
        ),
        row(
            "2",
            "Eq. 2, Section 1",
            Kind.IDENTITY,
            "Gradient of the instantaneous loss",
            r"\frac{\mathrm{d}L_t}{\mathrm{d}\theta} = \frac{\partial L_t}{\partial h_t}"
            r" \frac{\mathrm{d}h_t}{\mathrm{d}\theta} = \frac{\partial L_t}{\partial h_t}"
            r" \sum_{t' < t} \frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}} \frac{\partial "
            r"f_\theta}{\partial \theta} (h_{t'-1}, x_{t'})",
            Status.REFUTED,
            "sigprop.references.jacobians.gradient_sum",
            **both,
            routes=routes(
                JACOBIANS, autodiff="gradient_autodiff", reference="gradient_complex"
            ),
            form=EITHER + "jacobians.gradient_sum",
            printed_by=EITHER + "jacobians.gradient_sum_strict",
            correction=r"\frac{\mathrm{d}L_t}{\mathrm{d}\theta} = \frac{\partial L_t}{"
            r"\partial h_t} \sum_{t' \le t} \frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}} \frac{"
            r"\partial f_\theta}{\partial \theta} (h_{t'-1}, x_{t'})",
            note="The sum must include t' = t, the effect of the parameters on the last "
            "update itself; Eq. 4, which is the same sum, has it. As printed the gradient "
            "after a single update is zero. One stroke of the sign may be lost in our "
            "copy.",
            inherits="nothing: Eq. 4 is right and is what is used",
        ),
        row(
            "4",
            "Eq. 4, Section 2.1",
            Kind.IDENTITY,
            "Sensitivity of the state to the parameters",
            r"\frac{\mathrm{d}h_t}{\mathrm{d}\theta} = \sum_{t' \le t} \frac{\mathrm{d}"
            r"h_t}{\mathrm{d}h_{t'}} \frac{\partial f_\theta}{\partial \theta} (h_{t'-1}, "
            r"x_{t'})",
            Status.CONFIRMED,
            "sigprop.references.jacobians.sensitivity_sum",
            **both,
            routes=routes(
                JACOBIANS,
                autodiff="sensitivity_autodiff",
                reference="sensitivity_complex",
            ),
            form=EITHER + "jacobians.sensitivity_sum",
            slips={
                "the last update is left out": EITHER + "jacobians.sensitivity_strict"
            },
            note="The chain rule; judged on a linear diagonal, a linear dense and a tanh "
            "network, by every entry of the recurrent matrix.",
        ),
        row(
            "text:total-derivative",
            "text after Eq. 2, Section 1",
            Kind.TEXT,
            "Total derivative of the loss by a state",
            r"\mathrm{d}_{h_t} L = \partial_{h_t} L_t(h_t) + \sum_{t'>t} \mathrm{d}_{h_t}"
            r" L_{t'}(h_{t'})",
            Status.CONFIRMED,
            "sigprop.references.jacobians.total_sum",
            points=JUMPS,
            routes=routes(
                JACOBIANS, autodiff="total_autodiff", reference="total_complex"
            ),
            form=EITHER + "jacobians.total_sum",
            topic="backward",
            note="Each later error is taken back with d_{h_t'} L_t = (dL_t/dh_t) "
            "(dh_t/dh_t'), the sentence after Eq. 3, whose last factor prints the prime "
            "on the wrong letter: d_{h'_t} h_t.",
        ),
        row(
            "text:chain-rule",
            "text before Eq. 6, Section 2.2",
            Kind.TEXT,
            "Gradient of the loss by the eigenvalue",
            r"\mathrm{d}_{\lambda}L = \sum_{t} \partial_{h_t}L\, \mathrm{d}_{\lambda}h_t,"
            r"\quad \mathrm{d}_{\lambda}h_{t+1} = \lambda \mathrm{d}_{\lambda}h_t + h_t",
            Status.CONFIRMED,
            "sigprop.references.jacobians.eigenvalue_gradient_sum",
            points=({"kind": "diagonal"},),
            routes=routes(
                JACOBIANS,
                autodiff="eigenvalue_gradient_autodiff",
                reference="eigenvalue_gradient_complex",
            ),
            form=EITHER + "jacobians.eigenvalue_gradient_sum",
            topic="backward",
        ),
    )


def _jacobians() -> tuple[Claim, ...]:
    decays = (
        {"kind": "normal", "steps": 30, "bound": 0.75},
        {"kind": "sheared", "steps": 60, "bound": 0.8},
    )
    expands = ({"kind": "expanding", "steps": 20, "bound": 1.05},)
    norms = routes("spectra", reference="decay_norm", autodiff="decay_norm_by_layer")
    return (
        row(
            "3",
            "Eq. 3, Section 1",
            Kind.IDENTITY,
            "The Jacobian over several steps is a product",
            r"\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}} = \prod_{i=t'}^{t-1} \frac{\partial "
            r"h_{i+1}}{\partial h_i} = \prod_{i=t'}^{t-1} \frac{\partial f_\theta}{"
            r"\partial h}(h_i, x_{i+1})",
            Status.CONDITIONAL,
            "sigprop.references.jacobians.jump_product",
            points=(*JUMPS, {"kind": "tanh", "start": 0, "end": 6}),
            routes=routes(
                JACOBIANS, autodiff="jump_autodiff", reference="jump_complex"
            ),
            form=EITHER + "jacobians.jump_product",
            printed_by=EITHER + "jacobians.jump_product_in_order",
            condition=Condition(
                "the factors commute (linear or diagonal networks); otherwise the product "
                "must be read with the latest factor on the left",
                lambda kind, **_: kind in {"diagonal", "dense"},
            ),
            note="Eq. 2 fixes the layout: rows are outputs. Read from left to right as "
            "the index runs, the product is that of another order, which is wrong for a "
            "dense non-linear network.",
            topic="backward",
        ),
        row(
            "text:vanish",
            "text after Eq. 3, Section 1",
            Kind.BOUND,
            "Spectral radii below one make the product vanish",
            r"\sup_i \rho(\partial_h f_\theta(h_i, x_{i+1})) < c < 1 \Rightarrow \left\|"
            r"\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}\right\| \le c^{t-t'} \text{ for large }"
            r" t - t'",
            Status.CONDITIONAL,
            "sigprop.references.spectra.decay_norm",
            points=(*decays, {"kind": "switching", "steps": 12, "bound": 0.1}),
            routes=norms,
            form=EITHER + "spectra.geometric",
            relation="<=",
            slips={
                "a rate that is too fast": EITHER + "spectra.geometric_too_fast_down"
            },
            condition=Condition(
                "the Jacobian is the same at all times, or its norm is bounded instead "
                "of its spectral radius",
                lambda kind, **_: kind != "switching",
            ),
            note="Two alternating Jacobians (0, 2; 0, 0) and (0, 0; 2, 0) have spectral "
            "radius 0 and a product of spectral radius 4 every two steps. A rectified "
            "network of two units whose inputs switch them in turn has exactly these.",
            topic="backward",
        ),
        row(
            "text:explode",
            "text after Eq. 3, Section 1",
            Kind.BOUND,
            "A component above one can make the product explode",
            r"\text{if some component of } \partial_h f_\theta \text{ exceeds } 1, \quad "
            r"\left\|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}\right\| \ge c^{t-t'}, c > 1",
            Status.CONFIRMED,
            "sigprop.references.spectra.decay_norm",
            points=expands,
            routes=norms,
            form=EITHER + "spectra.geometric",
            relation=">=",
            slips={"a growth that is too fast": EITHER + "spectra.geometric_too_fast"},
            assumes="the component is the modulus of an eigenvalue of a Jacobian that "
            "stays the same",
            note="The text says only that it can. A Jacobian (0.7, 2; 0, 0.6) has "
            "an entry and a singular value above one, and its powers vanish.",
            topic="backward",
        ),
    )
