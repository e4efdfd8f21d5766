"""Zucchet & Orvieto (2024), Sections 1 and 2 without Eq. 5-7: the gradients."""

from theory import recurrences
from theory.claims import Claim, Kind, Status
from theory.papers import zucchet_models_2, zucchet_models_3, zucchet_models_text
from theory.papers.zucchet_models_row import IS_DEFINITION, routes, row
from theory.symbols import T

JACOBIANS, CONNECTIVITY = "jacobians", "connectivity"
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
    return (
        *_gradients(),
        *_jacobians(),
        *zucchet_models_text.claims(),
        *_dense(),
        *zucchet_models_2.claims(),
        *zucchet_models_3.claims(),
    )


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
            points=JUMPS,
            routes=routes(
                JACOBIANS, autodiff="jump_autodiff", reference="jump_complex"
            ),
            form=EITHER + "jacobians.jump_product",
            printed_by=EITHER + "jacobians.jump_product_in_order",
            outside=({"kind": "tanh", "start": 0, "end": 6},),
            condition="the factors commute (linear or diagonal networks), or the product "
            "is read with the latest factor on the left",
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
            points=decays,
            routes=norms,
            form=EITHER + "spectra.geometric",
            relation="<=",
            outside=({"kind": "switching", "steps": 12, "bound": 0.1},),
            slips={
                "a rate that is too fast": EITHER + "spectra.geometric_too_fast_down"
            },
            condition="the Jacobian is the same at all times, or its norm is bounded "
            "instead of its spectral radius",
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
            condition="the component is the modulus of an eigenvalue of a Jacobian that "
            "stays the same",
            note="The text says only that it can. A Jacobian (0.7, 2; 0, 0.6) has "
            "an entry and a singular value above one, and its powers vanish.",
            topic="backward",
        ),
    )


def _dense() -> tuple[Claim, ...]:
    growth = dict(absolute=0.05, topic="backward", points=({},))
    return (
        row(
            "8",
            "Eq. 8, Section 2.3",
            Kind.IDENTITY,
            "A dense linear recurrence in its eigenbasis",
            r"h_{t+1} = Ah_t + x_t:\quad h_t = P h_t^{\text{diag}} \text{ with } h_{t+1}^"
            r"{\text{diag}} = \text{diag}(\lambda) h_t^{\text{diag}} + P^{-1} x_{t+1}",
            Status.CONDITIONAL,
            "sigprop.linearise.Modes",
            points=({"late": 0},),
            outside=({"late": 1},),
            routes=routes(
                CONNECTIVITY, impulse="states_by_layer", reference="states_by_powers"
            ),
            form=EITHER + "connectivity.states_by_modes",
            condition="the recurrence is h_{t+1} = A h_t + x_{t+1}, as everywhere else in "
            "the paper, and A is diagonalisable",
            note="The line before Eq. 8 defines the recurrence with x_t; then both sides "
            "differ by one step. Stationary moments do not see it.",
            topic="forward",
        ),
        row(
            "9",
            "Eq. 9, Section 2.3",
            Kind.IDENTITY,
            "Sensitivity to a dense matrix: readout, eigenvalues and input",
            r"\frac{\mathrm{d}h_t}{\mathrm{d}A} = \frac{\partial h_t}{\partial P} \frac{"
            r"\partial P}{\partial A} + \frac{\partial h_t}{\partial h_t^{\mathrm{diag}}} "
            r"\frac{\mathrm{d}h_t^{\mathrm{diag}}}{\mathrm{d}\lambda} \frac{\partial "
            r"\lambda}{\partial A} + \frac{\partial h_t}{\partial h_t^{\mathrm{diag}}} \frac"
            r"{\mathrm{d}h_t^{\mathrm{diag}}}{\mathrm{d}P^{-1}} \frac{\partial P^{-1}}{"
            r"\partial A}",
            Status.CONFIRMED,
            "sigprop.references.connectivity.moved_by_terms",
            points=({},),
            routes=routes(
                CONNECTIVITY, autodiff="moved_by_layer", reference="moved_by_step"
            ),
            form=EITHER + "connectivity.moved_by_terms",
            slips={
                "no readout term": EITHER + "connectivity.without_readout",
                "no input term": EITHER + "connectivity.without_input",
            },
            condition="the eigenvalues of A are distinct, which almost all A satisfy",
            note="Judged along a random direction, with the perturbation of eigenvalues "
            "and eigenvectors: dlambda = diag(P^-1 dA P), dP = P M, dP^-1 = -M P^-1. The "
            "first and the last term depend on how eigenvectors are scaled; their sum "
            "does not.",
            topic="backward",
        ),
        row(
            "text:dominating-term",
            "text after Eq. 9, Section 2.3",
            Kind.LIMIT,
            "The eigenvalue term dominates at the edge of stability",
            r"|\lambda| \to 1:\quad \mathrm{d}_A h_t \simeq \partial_{h_t^{\text{diag}}} "
            r"h_t\, \mathrm{d}_\lambda h_t^{\text{diag}}\, \partial_A \lambda",
            Status.CONFIRMED,
            "sigprop.references.connectivity.rest_growth",
            **growth,
            routes=routes(
                CONNECTIVITY, reference="rest_growth", autodiff="rest_growth_by_layer"
            ),
            form=EITHER + "connectivity.like_the_state",
            condition="white input and distinct eigenvalues of one modulus",
            note="What the term leaves grows as 1/gap in every entry of A, like the state; "
            "the whole grows as 1/gap^3, so the share left out falls as gap^2. The other "
            "terms do depend on the modulus, only less.",
        ),
        row(
            "text:all-entries",
            "text after Eq. 9, Section 2.3",
            Kind.LIMIT,
            "The explosion is spread over all entries of a dense matrix",
            r"\mathbb{E}\left\|\frac{\mathrm{d}h_t}{\mathrm{d}A_{ij}}\right\|^2 \sim "
            r"(1-|\lambda|)^{-3} \text{ for every } i, j",
            Status.CONFIRMED,
            "sigprop.references.connectivity.entry_growth",
            **growth,
            routes=routes(
                CONNECTIVITY, reference="entry_growth", autodiff="entry_growth_by_layer"
            ),
            form=EITHER + "connectivity.like_the_sensitivity",
            condition="white input; a generic A, for in a triangular one some entries move "
            "no eigenvalue",
            note="The exponent of all nine entries of a generic 3 by 3 matrix, between "
            "gaps 0.01 and 0.001.",
        ),
        row(
            "text:orthogonal",
            "end of Section 2.3",
            Kind.TEXT,
            "An orthogonal matrix neither vanishes nor explodes",
            r"A^\top A = \mathrm{Id}: \quad \left\|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}"
            r"\right\| = 1",
            Status.CONFIRMED,
            "sigprop.references.spectra.orthogonal_norms",
            points=({"steps": 1}, {"steps": 50}),
            routes=routes(
                "spectra",
                autodiff="orthogonal_norms",
                reference="orthogonal_norms_by_power",
            ),
            form=EITHER + "spectra.unit_singular_values",
            note="All singular values are one, in a linear network.",
            topic="backward",
        ),
        row(
            "text:orthogonal-sensitive",
            "end of Section 2.3",
            Kind.LIMIT,
            "Orthogonal weights stay sensitive",
            r"|\lambda| = 1: \quad \mathbb{E}\left|\frac{\mathrm{d}h_T}{\mathrm{d}\lambda}"
            r"\right|^2 = \sum_{n < T} n^2 \to \infty",
            Status.PROVED,
            "theory.recurrences.remembered",
            derive=recurrences.remembered,
            printed=lambda: T**3 / 3 - T**2 / 2 + T / 6,
            points=tuple(
                {"T": T, "phase": phase} for T in (2, 7, 40) for phase in (0.4, 2.0)
            ),
            routes=routes(
                "curse", reference="circle_sensitivity", impulse="circle_by_layer"
            ),
            note="The text says that such weights may remain sensitive. Under white input "
            "the second moment grows as T^3/3 while the Jacobian's norm stays one.",
            topic="backward",
        ),
    )
