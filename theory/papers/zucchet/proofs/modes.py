"""Zucchet & Orvieto (2024), Appendix B.2.3: dense networks' modes, Eq. 62-70."""

from theory import dense
from theory.claims import Claim, Kind, Status
from theory.dense import COMPLEX, NORMAL, REAL, ROTATING
from theory.evidence import Evidence

MODES = "sigprop.references.modes."
SECTION = "Appendix B.2.3"
ALL = tuple({"system": one} for one in (ROTATING, REAL, COMPLEX, NORMAL))
REALS = tuple({"system": one} for one in (ROTATING, REAL))
BY_A = r"\frac{\partial A}{\partial A_{ij}}"
DISTINCT = "A diagonalisable with distinct eigenvalues"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_networks(), *_chain(), *_perturbation())


def row(number, kind, title, statement, status, code, evidence, **more) -> Claim:
    """One claim of the section."""
    name = f"Eq. {number}" if isinstance(number, int) else "text after Eq. 70"
    return Claim(
        f"zucchet:{number}",
        f"{more.pop('place', name)}, {SECTION}",
        kind,
        title,
        statement,
        "evidence",
        status,
        code,
        evidence=evidence,
        topic=more.pop("topic", "backward"),
        **more,
    )


def _ones(system) -> list[float]:
    return [1.0] * system.size


def _matrix(system) -> object:
    return system.matrix()


def _networks() -> tuple[Claim, ...]:
    return (
        row(
            62,
            Kind.DEFINITION,
            "The dense linear network",
            r"h_{t+1} = Ah_t + x_{t+1}",
            Status.DEFINITION,
            "sigprop.layers.dense.LinearRNN",
            Evidence(
                REALS,
                {
                    "impulse": MODES + "states",
                    "reference": MODES + "powered_states",
                },
                form=dense.states,
            ),
            topic="forward",
        ),
        row(
            63,
            Kind.IDENTITY,
            "The eigendecomposition of the recurrence",
            r"A = P \operatorname{diag}(\lambda) P^{-1}",
            Status.PROVED,
            "sigprop.linear.linearise.diagonalise",
            Evidence(
                ALL,
                {"reference": MODES + "rebuilt"},
                form=_matrix,
                proof=dense.rebuilds,
            ),
            assumes=DISTINCT,
            topic="forward",
        ),
        row(
            64,
            Kind.DEFINITION,
            "Eigenvectors of unit length",
            r"P_{:i}^{\dagger}P_{:i} = 1 \quad \forall i",
            Status.DEFINITION,
            "sigprop.linear.linearise.diagonalise",
            Evidence(
                ALL,
                {"reference": MODES + "lengths"},
                form=_ones,
                proof=dense.lengths_are_free,
            ),
            assumes=DISTINCT,
            note="Any lengths keep Eq. 63, so that these may be chosen; the phases stay "
            "free. Eq. 69 does not keep them.",
            topic="forward",
        ),
        row(
            65,
            Kind.IDENTITY,
            "The diagonal network",
            r"h_{t+1}^{\text{diag}} = \lambda h_t^{\text{diag}} + P^{-1} x_{t+1}",
            Status.PROVED,
            "sigprop.linear.linearise.Modes",
            Evidence(
                ALL,
                {"reference": MODES + "diagonal_states"},
                form=dense.diagonal_states,
                proof=dense.diagonal_network_agrees,
            ),
            assumes=DISTINCT,
            note="The product of the two vectors is entry by entry.",
            topic="forward",
        ),
        row(
            66,
            Kind.IDENTITY,
            "The states of the dense network out of the diagonal ones",
            r"h_t = P h_t^{\text{diag}}",
            Status.PROVED,
            "sigprop.linear.linearise.Modes",
            Evidence(
                REALS,
                {
                    "impulse": MODES + "states",
                    "reference": MODES + "powered_states",
                },
                form=dense.read_states,
                proof=dense.diagonal_network_agrees,
            ),
            assumes=DISTINCT,
            topic="forward",
        ),
    )


def _without(term: int):
    kept = tuple({0, 1, 2} - {term})
    return lambda system: dense.state_slopes(system, kept)


def _chain() -> tuple[Claim, ...]:
    return (
        row(
            67,
            Kind.IDENTITY,
            "The derivative of the state by the recurrent matrix, in three terms",
            r"\frac{\mathrm{d}h_t}{\mathrm{d}A} = \frac{\partial h_t}{\partial P}"
            r"\frac{\partial P}{\partial A} + \frac{\partial h_t}{\partial h_t^{\text{"
            r"diag}}}\frac{\mathrm{d}h_t^{\text{diag}}}{\mathrm{d}\lambda}\frac{"
            r"\partial \lambda}{\partial A} + \frac{\partial h_t}{\partial h_t^{\text{"
            r"diag}}}\frac{\mathrm{d}h_t^{\text{diag}}}{\mathrm{d}P^{-1}}\frac{\partial "
            r"P^{-1}}{\partial A}",
            Status.CONFIRMED,
            "sigprop.linear.linearise.perturb",
            Evidence(
                REALS,
                {
                    "autodiff": MODES + "autodiff_state_slopes",
                    "reference": MODES + "state_slopes",
                },
                form=dense.state_slopes,
                slips={f"without term {term + 1}": _without(term) for term in range(3)},
            ),
            assumes=DISTINCT,
            note="The sum does not depend on the lengths of the eigenvectors, the first "
            "and third term do: Eq. 69 may be used in it although it is not the "
            "derivative of unit vectors.",
        ),
    )


def _perturbation() -> tuple[Claim, ...]:
    mixing = rf"P\left(F \odot \left(P^{{-1}}{BY_A}P\right)\right)"
    return (
        row(
            68,
            Kind.IDENTITY,
            "The derivative of the eigenvalues",
            r"\frac{\partial \lambda}{\partial A_{ij}} = \operatorname{diag}\left("
            rf"P^{{-1}}{BY_A}P\right)",
            Status.PROVED,
            "sigprop.linear.linearise.perturb",
            Evidence(
                ALL,
                {"reference": MODES + "eigenvalue_slopes"},
                form=dense.eigenvalue_slopes,
                proof=lambda: (
                    dense.characteristic_slopes_agree()
                    and dense.perturbation_balances()
                ),
            ),
            assumes=DISTINCT,
        ),
        row(
            69,
            Kind.IDENTITY,
            "The derivative of the eigenvectors",
            r"\frac{\mathrm{d}P}{\mathrm{d}A_{ij}} = " + mixing,
            Status.REFUTED,
            "sigprop.linear.linearise.perturb",
            Evidence(
                ALL,
                {"reference": MODES + "unit_vector_slopes"},
                form=dense.unit_vector_slopes,
                printed=dense.vector_slopes,
                proof=lambda: (
                    dense.perturbation_balances() and dense.unit_length_is_kept()
                ),
            ),
            correction=r"\frac{\mathrm{d}P}{\mathrm{d}A_{ij}} = PM - P "
            r"\left(I \odot \operatorname{Re}(P^{\dagger} P M)\right),\quad M = F \odot "
            rf"\left(P^{{-1}}{BY_A}P\right)",
            assumes="real A_ij; the phases of the eigenvectors are free and move as in "
            "the printed form",
            note="The printed form leaves P^-1 dP with a zero diagonal, which is another "
            "normalisation than Eq. 64: the unit lengths drift unless A is normal. "
            "Without Eq. 64 it is a valid choice. The denominator dA_ij is garbled in "
            "our copy.",
            inherits="No: h_t and Eq. 67 do not depend on the lengths, and the extra term "
            "is no larger than the printed one.",
        ),
        row(
            70,
            Kind.DEFINITION,
            "Inverse gaps of the eigenvalues",
            r"F_{ij} := \begin{cases} \frac{1}{\lambda_j - \lambda_i} & \text{if } i \neq"
            r" j \\ 0 & \text{otherwise} \end{cases}",
            Status.DEFINITION,
            "theory.dense.gap_inverse",
            Evidence(
                ALL,
                {"reference": MODES + "mixing"},
                form=dense.mixing,
                proof=dense.perturbation_balances,
                slips={"the other order": dense.mixing_turned},
            ),
            note="Off the diagonal it is what the eigenvectors' equation fixes; the "
            "diagonal is a choice of lengths and phases.",
        ),
    )
