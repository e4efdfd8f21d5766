"""Zucchet & Orvieto (2024), Section 2.3: dense networks, Eq. 8 and 9."""

from theory import recurrences
from theory.claims import Claim, Condition, Kind, Status
from theory.papers.zucchet.rows import routes, row
from theory.symbols import T

CONNECTIVITY = "connectivity"
EITHER = "sigprop.references."


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
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
            "sigprop.linear.linearise.Modes",
            points=({"late": 0}, {"late": 1}),
            routes=routes(
                CONNECTIVITY, impulse="states_by_layer", reference="states_by_powers"
            ),
            form=EITHER + "connectivity.states_by_modes",
            assumes="A is diagonalisable",
            condition=Condition(
                "the recurrence is h_{t+1} = A h_t + x_{t+1}, as everywhere else in the "
                "paper",
                lambda late, **_: late == 0,
            ),
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
            assumes="the eigenvalues of A are distinct, which almost all A satisfy",
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
            assumes="white input and distinct eigenvalues of one modulus",
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
            assumes="white input; a generic A, for in a triangular one some entries move "
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
