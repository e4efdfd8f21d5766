"""Zucchet & Orvieto (2024), Section 4.3 and Figure 4: curvature and adaptive rates."""

from theory import teacher
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.conditions import no_larger_downwards
from theory.papers.zucchet.rows import judged, outcome

REFERENCE = "sigprop.references.teacher."
CURVATURE = "sigprop.references.curvature."


def claims() -> tuple[Claim, ...]:
    """Section 4.3."""
    return (
        judged(
            "fig4",
            "Figure 4.A, B, Section 4.3",
            "Spectra of the dense and the complex diagonal Hessian",
            r"\text{the spectra are almost the same}",
            Status.CONDITIONAL,
            "sigprop.references.curvature.sensitivities",
            Evidence(
                ({"normal": True}, {"normal": False}),
                {"reference": CURVATURE + "top_ratio"},
                form=lambda normal: 1.0,
                tolerance=0.02,
                alone="exact derivatives of the impulse response, 20 teachers",
            ),
            condition=Condition(
                "orthogonal eigenvectors of the teacher's matrix",
                lambda normal, **_: normal,
            ),
            kind=Kind.FIGURE,
            topic="hessian",
            note="Median of the dense top eigenvalue over the complex one. With "
            "eigenvectors drawn at random, as Appendix C.3 says, it is 17, and up to 10^4.",
        ),
        judged(
            "fig4:rank",
            "Figure 4.A, B, Section 4.3",
            "Ten eigenvectors of a Hessian of rank nine",
            r"\text{its 10 eigenvectors with greatest eigenvalues}",
            Status.REFUTED,
            "sigprop.references.curvature.sensitivities",
            Evidence(
                ({"diagonal": False}, {"diagonal": True}),
                {"reference": CURVATURE + "rank"},
                form=lambda diagonal: 9.0,
                printed=lambda diagonal: 10.0,
                alone="singular values of the exact derivatives",
            ),
            kind=Kind.FIGURE,
            correction=r"\text{rank } 2 \cdot 4 + 1 = 9 \text{: the tenth eigenvalue is zero}",
            topic="hessian",
            note="Both networks have 25 real parameters. A change reaches the functions "
            "lam^n and n lam^(n-1) of four eigenvalues and D, so the tenth eigenvector is "
            "any of a null space of 16 dimensions. Printed: at least ten.",
            inherits="Figure 9.A, B",
        ),
        judged(
            "fig4:concentration",
            "Figure 4.A, B, Section 4.3",
            "Where the top eigenvectors lie",
            r"\text{the top eigenvectors are concentrated on few coordinates for the complex "
            r"diagonal one but not for the fully connected one}",
            Status.CONFIRMED,
            "sigprop.references.curvature.spread_of_top",
            Evidence(
                ({"diagonal": True},),
                {
                    "participation": CURVATURE + "spread_of_top",
                    "entropy": CURVATURE + "spread_by_entropy",
                },
                form=CURVATURE + "spread_of_dense_top",
                relation="<",
                slips={"a tenth": lambda diagonal: 0.5},
            ),
            kind=Kind.FIGURE,
            topic="hessian",
            note="Coordinates of 25 that the four top eigenvectors spread over: 2.8 and 5.2 "
            "by inverse participation, 3.0 and 6.8 by entropy.",
        ),
        judged(
            "text:footnote-2",
            "footnote 2, Section 4.3",
            "The largest stable learning rate",
            r"L = \lambda_{\max}(H),\quad \eta < 2/L",
            Status.CONDITIONAL,
            "sigprop.references.teacher.largest_stable_rate",
            Evidence(
                (
                    {"eigenvalues": (3.0, 1.0)},
                    {"eigenvalues": (7.5, 0.2, 2.0)},
                    {"eigenvalues": (1.0, -5.0)},
                ),
                {
                    "reference": REFERENCE + "largest_stable_rate",
                    "pairs": REFERENCE + "rate_by_pairs",
                },
                form=lambda eigenvalues: 2 / max(eigenvalues),
                tolerance=1e-9,
            ),
            condition=Condition(
                "no negative curvature is larger in size, as at an optimum",
                no_larger_downwards,
            ),
            kind=Kind.BOUND,
            topic="hessian",
            note="A gradient's Lipschitz constant is the largest |eigenvalue|; along a "
            "negative one gradient descent diverges at every rate.",
        ),
        judged(
            "text:effective-rate",
            "Section 4.3, Figure 4.C, D",
            "The effective learning rate of Adam",
            r"\text{the effective learning rate used by Adam, computed by providing a vector "
            r"of ones to the optimizer}",
            Status.DEFINITION,
            "theory.teacher.adam_step",
            Evidence(
                tuple(
                    {"momentum": m, "second": v, "rate": 1e-3}
                    for m, v in ((0.01, 1e-6), (-0.3, 2.0), (0.0, 400.0))
                ),
                {"optax": REFERENCE + "adam_on_ones"},
                alone="optax's own step",
            ),
            printed=teacher.adam_step,
            kind=Kind.DEFINITION,
            note="It mixes the ones with the running moments: where the gradients' root "
            "mean square v is large it is a tenth of rate/v, where it is far below 0.03 "
            "it saturates at 3.2 times the rate, above the grey line of Fig. 4.",
        ),
        outcome(
            "fig4:adam",
            "Figure 4.C, D, Section 4.3",
            "Effective learning rates of the two networks",
            r"\text{small learning rates for the fully connected one, larger ones for the "
            r"complex diagonal one}",
            ({"behind": "RNN", "ahead": "complex diagonal"},),
            measure="rate_lead",
            most="most_rate_lead",
            kind=Kind.FIGURE,
            note="Decades between the median effective rates of the recurrent parameters.",
        ),
        judged(
            "text:pairs-of-teacher",
            "Section 4.3",
            "The teacher's eigenvalues come in conjugate pairs",
            r"\text{the complex eigenvalues of the teacher come in conjugate pairs}",
            Status.CONFIRMED,
            "sigprop.layers.dense.linear_rnn",
            Evidence(
                ({"seed": 0}, {"seed": 5}),
                {"layer": REFERENCE + "conjugates_sorted"},
                form=REFERENCE + "eigenvalues_sorted",
                tolerance=1e-9,
                alone="eigenvalues of the real matrix of a drawn teacher",
            ),
        ),
        judged(
            "text:more-neurons",
            "Section 4.3",
            "More neurons make the Hessian less diagonal",
            r"\text{increasing the number of hidden neurons breaks the diagonal structure}",
            Status.CONFIRMED,
            "sigprop.references.curvature.coupling",
            Evidence(
                ({"n": 32}, {"n": 64}),
                {"reference": CURVATURE + "closest_coupling"},
                form=CURVATURE + "closest_coupling_of_half",
                relation=">",
                slips={"tenfold": lambda n: 1.0},
                alone="sampled; the largest of more independent draws is larger in law",
            ),
            topic="hessian",
            note="Largest coupling of an eigenvalue with another, phases on the whole circle "
            "and moduli as in Fig. 10: 0.07 for 10 neurons, 0.39 for 64.",
        ),
    )
