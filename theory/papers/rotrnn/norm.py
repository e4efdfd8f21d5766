"""RotRNN (2024), Section 3.3: the norm of the state, Eq. 6 to 12, Lemma 3."""

from sympy import sqrt

from theory import rotation
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.background import ZERO_STATE
from theory.papers.rotrnn.routes import BRUTE, LAYER, LAYERS, NORMS


def claims() -> tuple[Claim, ...]:
    """Eq. 6 to 12, with Lemma 3 where it stands."""
    return (*_norm(), *_constants())


def _norm() -> tuple[Claim, ...]:
    rotated = tuple(
        {"seed": seed, "size": size, "time": time, "alpha": alpha, "gamma": gamma}
        for seed, size, time, alpha, gamma in (
            (1, 3, 5, 0.7, 0.9),
            (2, 4, 7, 1.2, 0.6),
            (3, 2, 3, -0.5, 0.99),
        )
    )
    steps = tuple(
        {"seed": seed, "alpha": alpha, "gamma": gamma, "c": c, "s": s}
        for seed, alpha, gamma, c, s in (
            (1, 0.7, 0.9, 2.3, 1.7),
            (2, 1.2, 0.6, 0.4, 3.1),
            (3, 0.45, 0.3, 5.2, 0.6),
        )
    )
    laws = (
        *steps,
        {**steps[0], "rho": 0.6},
        {**steps[1], "alpha": 1.0, "c": 1.0, "s": 0.64, "state": 0.0},
    )
    premises = Condition(
        "x_{t-1} is uncorrelated with u_t and of size c: not so for inputs correlated in "
        "time, nor from the zero state from which the model runs",
        lambda rho=0.0, state=1.0, **_: rho == 0 and state == 1,
    )
    return (
        Claim(
            "rotrnn:6",
            "Eq. 6, Section 3.3",
            Kind.DEFINITION,
            "The recurrence with decay and normalisation",
            r"x_t = \alpha(\gamma A x_{t-1} + B u_t)",
            "evidence",
            Status.DEFINITION,
            "sigprop.references.rotation.rotated_recurrence",
            note="The model as run has alpha = 1 and B scaled, Eq. 12.",
            topic="rotation",
            evidence=Evidence(
                points=(*rotated, {**rotated[0], "start": 1.0}),
                routes={"linear_system": BRUTE + "rotated_at_once"},
                form=BRUTE + "rotated_recurrence",
                alone="a definition, beside one linear system of all states",
            ),
        ),
        Claim(
            "rotrnn:lemma3",
            "Lemma 3, Section 3.3",
            Kind.MOMENT,
            "The normalisation that keeps the state's expected squared norm",
            r"\mathbb{E}\left[||x_1||^2\right] = c, \ \alpha = \frac{1}{\sqrt{c\gamma^2 + "
            r"\text{Tr}[B^\top B]}} \quad\Rightarrow\quad \mathbb{E}\left[||x_t||^2\right] "
            r"= c",
            "evidence",
            Status.REFUTED,
            "theory.rotation.state_scale",
            rotation.state_scale,
            lambda: 1 / sqrt(rotation.c * rotation.gamma**2 + rotation.s),
            correction=r"\alpha = \sqrt{\frac{c}{c\gamma^2 + \text{Tr}[B^\top B]}}",
            corrected=lambda: sqrt(
                rotation.c / (rotation.c * rotation.gamma**2 + rotation.s)
            ),
            note="With the printed alpha the norm is 1 after any step from c, so that the "
            "lemma holds for c = 1 alone. Judged on alpha itself, as the root of the norm "
            "after steps. Its premise is not met either: from the zero state, see "
            "rotrnn:text:constant-norm.",
            inherits="Eq. 11 and the trace before it have the same fault; the model runs "
            "with c = 1, where they are right.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"gamma": gamma, "c": c, "s": s}
                    for gamma, c, s in (
                        (0.9, 2.3, 1.7),
                        (0.5, 0.3, 0.8),
                        (0.99, 4, 0.2),
                    )
                ),
                routes={
                    "reference": NORMS + "scale_by_root",
                    "one_step": NORMS + "scale_by_trials",
                },
            ),
        ),
        Claim(
            "rotrnn:7",
            "Eq. 7, Section 3.3",
            Kind.MOMENT,
            "The norm after a step, split into three expectations",
            r"\mathbb{E}\left[||x_t||^2\right] = \alpha^2 \left(\gamma^2 \mathbb{E}\left["
            r"||x_{t-1}||^2\right] + \mathbb{E}\left[u_t^\top B^\top B u_t\right] + 2\gamma"
            r"\mathbb{E}\left[x_{t-1}^\top A^\top B u_t\right]\right)",
            "evidence",
            Status.PROVED,
            "theory.rotation.norm_splits",
            note="True for every joint law of state and input, here correlated ones.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {name: at[name] for name in ("seed", "alpha", "gamma")}
                    for at in steps
                ),
                routes={
                    "reference": NORMS + "norm_of_outcomes",
                    "moments": NORMS + "norm_of_moments",
                },
                form=NORMS + "norm_of_parts",
                proof=rotation.norm_splits,
            ),
        ),
        Claim(
            "rotrnn:8",
            "Eq. 8, Section 3.3",
            Kind.MOMENT,
            "The norm after a step from the wanted norm",
            r"= \alpha^2 \left(\gamma^2 c + \text{Tr}\left[B^\top B \mathbb{E}\left[u_t "
            r"u_t^\top\right]\right]\right)",
            "evidence",
            Status.CONDITIONAL,
            "theory.rotation.next_norm",
            condition=premises,
            note="The premises of Lemma 3 are what the model as run does not have.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({**at, "white": False} for at in laws),
                routes={
                    "reference": NORMS + "step_norm",
                    "atoms": NORMS + "step_norm_of_atoms",
                },
                form=NORMS + "step_form",
            ),
        ),
        Claim(
            "rotrnn:9",
            "Eq. 9, Section 3.3",
            Kind.MOMENT,
            "The same for inputs of unit covariance",
            r"= \alpha^2 \left(\gamma^2 c + \text{Tr}\left[B^\top B\right]\right)",
            "evidence",
            Status.CONDITIONAL,
            "theory.rotation.next_norm",
            rotation.next_norm,
            lambda: rotation.scale**2 * (rotation.gamma**2 * rotation.c + rotation.s),
            assumes="the input's covariance is I, as Lemma 3 says",
            condition=premises,
            note="Our copy drops the sign of equality at the head of the line.",
            topic="rotation",
            evidence=Evidence(
                points=laws,
                routes={
                    "reference": NORMS + "step_norm",
                    "atoms": NORMS + "step_norm_of_atoms",
                },
            ),
        ),
        Claim(
            "rotrnn:10",
            "Eq. 10, Section 3.3",
            Kind.IDENTITY,
            "The normalised recurrence unrolled",
            r"x_t = \sum_{k=1}^t \alpha^{t+1-k}\gamma^{t-k}A^{t-k}Bu_k",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.rotation.rotated_unrolled",
            condition=ZERO_STATE,
            note="From a state of size c, as in Lemma 3, (alpha gamma A)^t x_0 is missing.",
            topic="rotation",
            evidence=Evidence(
                points=(*rotated, {**rotated[0], "start": 1.0}),
                routes={
                    "reference": BRUTE + "rotated_recurrence",
                    "linear_system": BRUTE + "rotated_at_once",
                },
                form=BRUTE + "rotated_unrolled",
            ),
        ),
    )


def _constants() -> tuple[Claim, ...]:
    given = tuple(
        {"gamma": gamma, "c": c, "s": s}
        for gamma, c, s in ((0.9, 0.6, 1.7), (0.5, 2.4, 0.8), (0.7, 1.6, 0.3))
    )
    heads = tuple(
        {"seed": seed, "heads": heads, "size": size}
        for seed, heads, size in ((1, 2, 4), (2, 2, 4))
    )
    return (
        Claim(
            "rotrnn:11",
            "Eq. 11, Section 3.3",
            Kind.MOMENT,
            "The factor on B that keeps the norm without alpha",
            r"\xi := \sqrt{\frac{1 - c\gamma^2}{\text{Tr}\left[B^{\top}B\right]}}",
            "evidence",
            Status.REFUTED,
            LAYER + ".normalised_B",
            rotation.input_scale,
            rotation.printed_input_scale,
            correction=r"\xi := \sqrt{\frac{c(1 - \gamma^2)}{\text{Tr}\left[B^{\top}B"
            r"\right]}}",
            corrected=lambda: sqrt(rotation.c * (1 - rotation.gamma**2) / rotation.s),
            note="It defines the factor that is to keep the norm c, and keeps "
            "(1 - c gamma^2)/(1 - gamma^2); right for c = 1 alone, and no real number "
            "where c gamma^2 > 1.",
            inherits="None as run: the model and its listing take c = 1.",
            topic="rotation",
            evidence=Evidence(
                points=given,
                routes={
                    "reference": NORMS + "factor_by_root",
                    "steps": NORMS + "factor_by_steps",
                },
            ),
        ),
        Claim(
            "rotrnn:12",
            "Eq. 12, Section 3.3",
            Kind.IDENTITY,
            "The recurrence of the model and its convolution",
            r"x_t = \gamma Ax_{t-1} + \xi Bu_t \quad \Leftrightarrow \quad x_t = \xi "
            r"\sum_{k=1}^t \gamma^{t-k} A^{t-k}Bu_k",
            "evidence",
            Status.CONDITIONAL,
            LAYER + ".states",
            condition=Condition(
                ZERO_STATE.words + ", which no state of constant norm is",
                ZERO_STATE.holds,
            ),
            note="The two sides agree from the zero state, from which the layer starts, and "
            "there the norm of Lemma 3 is not constant.",
            topic="rotation",
            evidence=Evidence(
                points=(*heads, {**heads[0], "start": 1.0}),
                routes={
                    "reference": LAYERS + "dense_states",
                    "layer": LAYERS + "layer_states",
                },
                form=LAYERS + "summed_states",
            ),
        ),
    )
