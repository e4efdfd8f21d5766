"""RotRNN (2024), Sections 2 and 3: recurrences, Eq. 1 to 5."""

from theory import rotation
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import BRUTE, MODES_OF_LRU, SYSTEMS

ZERO_STATE = Condition(
    "the state before the first input is zero", lambda start=0.0, **_: start == 0
)


def claims() -> tuple[Claim, ...]:
    """Eq. 1 to 5."""
    linear = tuple(
        {"seed": seed, "size": size, "time": time}
        for seed, size, time in ((1, 3, 5), (2, 4, 8), (3, 1, 3))
    )
    held = tuple(
        {"seed": seed, "size": size, "step": step}
        for seed, size, step in ((1, 3, 0.4), (2, 2, 1.3), (3, 4, 0.01))
    )
    return (
        Claim(
            "rotrnn:1",
            "Eq. 1, Section 2.1",
            Kind.IDENTITY,
            "The continuous system under an input held over each step",
            r"x_t = Ax_{t-1} + Bu_t, \quad y_t = Cx_t + Du_t, \quad A = \exp(\Delta A'), "
            r"\quad B = (A - I)A'^{-1}B'",
            "evidence",
            Status.CONDITIONAL,
            "theory.rotation.held_input",
            condition=Condition(
                "A' has an inverse; u_t is the input held from t-1 to t",
                lambda singular=False, **_: not singular,
            ),
            note="Without an inverse, B is the integral of exp(s A') B' over a step, "
            "which the formula does not give: an integrator has no B at all. The held "
            "input is named by the end of its step: a sample at the beginning of the "
            "step would be u_{t-1}.",
            topic="models",
            evidence=Evidence(
                points=(*held, {**held[0], "singular": True}),
                routes={
                    "reference": SYSTEMS + "held_by_augmentation",
                    "integration": SYSTEMS + "held_by_integration",
                },
                form=SYSTEMS + "held_by_formula",
            ),
        ),
        Claim(
            "rotrnn:2",
            "Eq. 2, Section 2.1",
            Kind.IDENTITY,
            "The recurrence unrolled into a sum over inputs",
            r"x_t = \sum_{k=1}^t A^{t-k} B u_k",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.rotation.unrolled",
            condition=ZERO_STATE,
            note="From a state x_0 the term A^t x_0 is missing. The paper never says that "
            "it starts from zero, and Lemma 3 assumes that it does not.",
            inherits="Eq. 4, 10, 12 and 14 start from zero too.",
            topic="models",
            evidence=Evidence(
                points=(*linear, {**linear[0], "start": 1.0}),
                routes={
                    "reference": BRUTE + "states_of_recurrence",
                    "linear_system": BRUTE + "states_at_once",
                },
                form=BRUTE + "states_unrolled",
            ),
        ),
        Claim(
            "rotrnn:3",
            "Eq. 3, Section 2.2",
            Kind.IDENTITY,
            "Every matrix is diagonalisable, up to an arbitrarily small change",
            r"A = P\Lambda P^{-1}",
            "evidence",
            Status.PROVED,
            "theory.rotation.distinct_eigenvalues_are_generic",
            note="Proved for size two: the discriminant is no zero polynomial. A Jordan "
            "block itself has no such form; a diagonal spread by 0.02 gives it one.",
            topic="models",
            evidence=Evidence(
                points=(
                    {"seed": 1, "size": 3},
                    {"seed": 2, "size": 4},
                    {"seed": 3, "size": 3, "shift": 0.02},
                ),
                routes={
                    "reference": SYSTEMS + "diagonalised",
                    "precise": SYSTEMS + "diagonalised_precisely",
                },
                form=SYSTEMS + "nearly",
                proof=rotation.distinct_eigenvalues_are_generic,
            ),
        ),
        Claim(
            "rotrnn:4",
            "Eq. 4, Section 2.2",
            Kind.IDENTITY,
            "The recurrence and its output in the eigenbasis",
            r"\tilde{x}_t = \sum_{k=1}^t \Lambda^{t-k}\tilde{B}u_k, \quad "
            r"y_t = \tilde{C}\tilde{x}_t + Du_t",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.layers.lru.LRU",
            assumes="A is diagonalisable",
            condition=ZERO_STATE,
            note="As Eq. 2. Judged on the outputs, which do not depend on the scales of the "
            "eigenvectors.",
            topic="models",
            evidence=Evidence(
                points=(
                    *({"seed": seed, "size": 4, "time": 6} for seed in (1, 2, 3)),
                    {"seed": 1, "size": 4, "time": 6, "start": 1.0},
                ),
                routes={
                    "reference": MODES_OF_LRU + "real_recurrence",
                    "layer": MODES_OF_LRU + "eigen_lru",
                },
                form=MODES_OF_LRU + "eigen_sum",
            ),
        ),
        Claim(
            "rotrnn:5",
            "Eq. 5, Section 3.1",
            Kind.DEFINITION,
            "The special orthogonal group",
            r"SO(N) = \{ Q \mid Q \in \mathbb{R}^{N \times N}, Q^{\top}Q = QQ^{\top} = I, "
            r"\det(Q) = 1 \}",
            "evidence",
            Status.DEFINITION,
            "sigprop.references.rotation.rotation",
            note="The rotations that the references draw are members.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"seed": seed, "size": size, "sign": 1}
                    for seed, size in ((1, 2), (2, 3), (3, 6))
                ),
                routes={"reference": BRUTE + "member_of_blocks"},
                form=BRUTE + "member",
                alone="a definition, on matrices made to meet it",
            ),
        ),
    )
