"""Zucchet & Orvieto (2024), Sections 3.1 (complex numbers), 3.2 and 4.1 (angle)."""

from sympy import Integer

from theory import recurrences
from theory.claims import Claim, Condition, Kind, Status
from theory.papers.zucchet.rows import IS_DEFINITION, routes, row
from theory.symbols import lam, r

CURSE = "sigprop.references.curse."
UPDATES = "sigprop.references.updates."
SIZES = tuple({"lam": lam} for lam in (0.3, 0.6, 0.85))
DETACHED = "gamma = sqrt(1 - lam^2) is not differentiated"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_complex(), *_architectures())


def _complex() -> tuple[Claim, ...]:
    place = 0.8
    points = tuple(
        {"r": r, "lam": complex(r * place, r * (1 - place**2) ** 0.5), "rho": 0.0}
        for r in (0.3, 0.6, 0.9)
    )
    controlled = routes(
        "memory", reference="controlled_by_sum", impulse="controlled_by_layer"
    )
    return (
        row(
            "text:complex-magnitude",
            "The case of complex numbers, Section 3.1",
            Kind.TEXT,
            "The magnitude of a complex eigenvalue behaves as a real eigenvalue",
            r"\rho = 0: \quad \mathbb{E}|\mathrm{d}_{\nu} h_t|^2 \text{ is that of the real "
            r"case at } |\lambda|",
            Status.PROVED,
            "theory.recurrences.controlled",
            derive=recurrences.controlled_magnitude,
            points=tuple({**at, "quantity": "nu"} for at in points),
            routes=controlled,
            assumes=DETACHED + "; white input",
            topic="parametrisation",
        ),
        row(
            "text:complex-angle",
            "The case of complex numbers, Section 3.1",
            Kind.LIMIT,
            "The sensitivity to the angle explodes, normalised or not",
            r"\rho = 0: \quad \gamma^2 \mathbb{E}|\mathrm{d}_\theta h_t|^2 = \frac{r^2 (1 + "
            r"r^2)}{(1 - r^2)^2} \to \infty \quad (r = |\lambda| \to 1)",
            Status.PROVED,
            "theory.recurrences.polar_sensitivity",
            derive=recurrences.polar_sensitivity,
            printed=lambda: r**2 * (1 + r**2) / (1 - r**2) ** 2,
            points=tuple({**at, "quantity": "theta"} for at in points),
            routes=controlled,
            assumes=DETACHED
            + "; white input, or one whose spectrum does not vanish at "
            "the phase",
            note="dlam/dtheta = i lam keeps its size at the edge, so only a slope that "
            "depends on r removes the explosion. Under constant input and a phase other "
            "than zero nothing explodes (see zucchet:text:sensitivity-diverges).",
            topic="parametrisation",
        ),
        row(
            "text:teacher-student",
            "Section 4.1",
            Kind.DEFINITION,
            "The one-dimensional task: loss of a student against its teacher",
            r"L_t := \frac{1}{2}|h_t - h_t^*|^2, \quad h_{t+1} = \lambda h_t + x_{t+1}, "
            r"\quad R_x(\Delta) = \delta_{\Delta=0}",
            Status.DEFINITION,
            "theory.recurrences.white_loss",
            derive=recurrences.white_loss,
            points=tuple(
                {"lam": lam, "star": star}
                for lam, star in ((0.5 + 0.3j, 0.8), (-0.7, 0.9), (0.85j, 0.3))
            ),
            routes=routes("updates", reference="loss_by_sum", impulse="loss_by_layer"),
            note="Its expectation in closed form is Eq. 91, here for a real teacher.",
            topic="landscape",
        ),
        row(
            "text:flat",
            "Section 4.1",
            Kind.LIMIT,
            "Away from the teacher's angle the loss is flat",
            r"\lambda = \lambda^* e^{i\theta}: \quad \frac{\mathrm{d}L}{\mathrm{d}\theta} "
            r"\to 0 \quad (|\lambda^*| \to 1, \theta \neq 0)",
            Status.PROVED,
            "theory.recurrences.circle_slope",
            derive=recurrences.circle_slope,
            points=tuple(
                {"r": r, "theta": angle}
                for r, angle in ((0.6, 0.5), (0.9, 1.2), (0.8, 2.5))
            ),
            routes=routes(
                "updates",
                reference="circle_slope_by_difference",
                autodiff="circle_slope_by_layer",
            ),
            proof=recurrences.circle_is_flat,
            tolerance=1e-8,
            note="With a = r^2 the slope is a (1 - a^2) sin(theta) / (1 - 2 a cos(theta) + "
            "a^2)^2, of the order of the gap at any fixed theta, while the curvature at the "
            "teacher grows as 1/gap^3. On the real axis the slope at lambda = 0 stays "
            "-lambda^*.",
            topic="landscape",
        ),
    )


def _architectures() -> tuple[Claim, ...]:
    gains = tuple({"gain": gain} for gain in (0.0, 0.3, 1.0))
    jacobian = routes(
        "updates",
        autodiff="gated_jacobian_by_layer",
        reference="gated_jacobian_by_step",
    )
    return (
        row(
            "text:euler",
            "Deep state-space models, Section 3.2",
            Kind.TEXT,
            "Euler's scheme approximates the differential equation",
            r"\dot{h} = Ah + Bx: \quad h_{t+1} = (\text{Id} + \text{d}tA)h_t + "
            r"\text{d}tBx_{t+1} \text{, of first order}",
            Status.CONFIRMED,
            "sigprop.references.updates.euler_order",
            points=({},),
            routes=routes(
                "updates",
                reference="euler_order",
                closed_form="euler_order_by_quadrature",
            ),
            form=CURSE + "one",
            absolute=0.02,
            note="The newest input enters at the end of the step; the order is one with "
            "either end.",
        ),
        row(
            "text:euler-normalises",
            "Deep state-space models, Section 3.2",
            Kind.TEXT,
            "Euler's scheme normalises the input",
            r"\lambda = 1 + \text{d}t\,a, \gamma = \text{d}t: \quad \mathbb{E}[h_t^2] = "
            r"\frac{\text{d}t}{-a(2 + a\,\text{d}t)} \text{ for white input}",
            Status.PROVED,
            "theory.recurrences.euler_gain",
            derive=recurrences.euler_gain,
            points=tuple(
                {"dt": dt, "a": a} for dt, a in ((0.1, -0.5), (0.5, -1.0), (0.3, -2.0))
            ),
            routes=routes(
                "updates", reference="euler_by_sum", impulse="euler_by_layer"
            ),
            note="gamma is proportional to 1 - lambda: exact for constant input, "
            "(1/a)^2, and too much for white input, whose moment vanishes with dt.",
            topic="parametrisation",
        ),
        row(
            "text:zero-order-hold",
            "Deep state-space models, Section 3.2",
            Kind.TEXT,
            "The zero-order hold parametrises the recurrence by a matrix exponential",
            r"\lambda = \exp(\text{d}tA)",
            Status.CONFIRMED,
            "sigprop.references.updates.zero_order_hold",
            points=({"dt": 0.05}, {"dt": 0.7}),
            routes=routes(
                "updates", reference="held_by_solver", closed_form="held_by_series"
            ),
            form=UPDATES + "zero_order_hold",
            note="It also changes the input matrix to A^-1 (exp(dt A) - Id) B.",
            topic="parametrisation",
        ),
        row(
            "text:input-gates",
            "Deep state-space models, Section 3.2",
            Kind.TEXT,
            "Gates that see the input alone keep the Jacobian diagonal",
            r"\frac{\partial h_{t+1}}{\partial h_t} = \text{diag}(f_{t+1})",
            Status.CONFIRMED,
            "sigprop.layers.gated.GatedUnit",
            points=({"gain": 0.0},),
            routes=jacobian,
            form=UPDATES + "gates_alone",
            assumes="the gates depend on the input alone, as the text says of Mamba",
            topic="gated",
        ),
        row(
            "text:gated-update",
            "Gated RNNs, Section 3.2",
            Kind.DEFINITION,
            "The update of a gated network",
            r"h_{t+1} = f_{t+1} \odot h_t + i_{t+1} \odot x_{t+1}",
            Status.DEFINITION,
            "sigprop.layers.gated.GatedUnit",
            points=gains,
            routes=routes("updates", impulse="gated_step_by_layer"),
            form=UPDATES + "gated_step",
            alone=IS_DEFINITION,
            note="With i = 1 - f, the coupling that the text ascribes to the GRU; it prints "
            "f_t = 1 - i_t. In the LSTM the state of this equation is the cell.",
            topic="gated",
        ),
        row(
            "text:gates-nondiagonal",
            "Gated RNNs, Section 3.2",
            Kind.TEXT,
            "Gates that see the state make the Jacobian nearly diagonal at small weights",
            r"\frac{\partial h_{t+1}}{\partial h_t} = \text{diag}(f_{t+1}) + \text{diag}("
            r"f_{t+1}(1 - f_{t+1})(h_t - x_{t+1})) W_{fh}",
            Status.CONFIRMED,
            "sigprop.layers.gated.GatedUnit",
            points=gains,
            routes=jacobian,
            form=UPDATES + "gated_jacobian",
            slips={"the gates alone": UPDATES + "gates_alone"},
            note="Linear in the weights from the state to the gate.",
            topic="gated",
        ),
        row(
            "text:gate-normalises",
            "Gated RNNs, Section 3.2",
            Kind.TEXT,
            "A coupled input gate normalises the input",
            r"h_{t+1} = \lambda h_t + (1 - \lambda) x_{t+1}: \quad \mathbb{E}[h_t^2] = "
            r"\Theta(1)",
            Status.CONDITIONAL,
            "theory.recurrences.coupled_state",
            derive=recurrences.coupled_state,
            printed=lambda: Integer(1),
            points=tuple(
                {"lam": lam, "rho": rho}
                for lam, rho in ((0.6, 1.0), (0.6, 0.3), (0.9, -0.4))
            ),
            routes=routes("memory", reference="gated_by_sum", impulse="gated_by_layer"),
            condition=Condition("constant input, rho = 1", lambda rho, **_: rho == 1),
            note="For |rho| < 1 the moment (1 - lam)(1 + rho lam)/((1 + lam)(1 - rho lam)) "
            "vanishes with the gap: the gate normalises too much.",
            topic="gated",
        ),
        row(
            "text:sigmoid",
            "Gated RNNs, Section 3.2",
            Kind.TEXT,
            "A sigmoid has a similar effect as reparametrising the eigenvalue",
            r"\lambda = \sigma(b), \gamma^2 = 1 - \lambda^2: \quad \mathbb{E}[(\mathrm{d}_b "
            r"h_t)^2] = \frac{\lambda^2(1+\lambda^2)}{(1+\lambda)^2}, \rho = 0",
            Status.PROVED,
            "theory.recurrences.sigmoid_controlled",
            derive=recurrences.sigmoid_controlled,
            printed=lambda: lam**2 * (1 + lam**2) / (1 + lam) ** 2,
            points=SIZES,
            routes=routes(
                "updates", reference="sigmoid_by_sum", impulse="sigmoid_by_layer"
            ),
            assumes=DETACHED,
            note="Bounded by 1/2, which is also its limit at the edge and that of the "
            "double exponential of Figure 2B.",
            topic="gated",
        ),
    )
