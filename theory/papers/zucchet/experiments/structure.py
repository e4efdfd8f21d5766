"""Zucchet & Orvieto (2024), Appendix C.4: structure of the landscape, Figures 9-11."""

from theory import teacher
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.rows import judged, outcome, unchecked

REFERENCE = "sigprop.references.teacher."
CURVATURE = "sigprop.references.curvature."


def claims() -> tuple[Claim, ...]:
    """Text and figures of Appendix C.4."""
    return (*_landscape(), *_concentration(), *_heads())


def _landscape() -> tuple[Claim, ...]:
    return (
        judged(
            "fig9",
            "Figure 9, Appendix C.4.1",
            "LRU: the angle's Hessian entry outgrows the magnitude's",
            r"\nu = \exp(-\exp(\omega_\nu)) \text{ mitigates the Hessian explosion, } "
            r"\theta = \exp(\omega_\theta) \text{ does not}",
            Status.PROVED,
            "theory.teacher.angle_over_magnitude",
            Evidence(
                tuple(
                    {"r": r, "theta": angle}
                    for r, angle in ((0.9, 0.5), (0.97, 2.0), (0.5, 1.3))
                ),
                {
                    "reference": CURVATURE + "angle_over_magnitude",
                    "autodiff": CURVATURE + "angle_over_magnitude_by_jax",
                },
            ),
            derive=teacher.angle_over_magnitude,
            kind=Kind.FIGURE,
            topic="hessian",
            note="At white inputs the ratio is (theta/log nu)^2, without bound as nu -> 1, "
            "while the magnitude's entry tends to 1/2 (zucchet:fig9:magnitude).",
        ),
        judged(
            "fig9:magnitude",
            "Figure 9, Appendix C.4.1",
            "LRU: the magnitude's Hessian entry stays bounded",
            r"\lim_{|\lambda| \to 1} \frac{\mathrm{d}^2 L}{\mathrm{d}\omega_\nu^2} < \infty",
            Status.PROVED,
            "theory.teacher.magnitude_curvature",
            Evidence(
                ({"r": 0.5}, {"r": 0.9}, {"r": 0.99}),
                {"reference": CURVATURE + "magnitude_curvature"},
                proof=lambda: teacher.magnitude_limit() == teacher.HALF,
            ),
            derive=teacher.magnitude_curvature,
            kind=Kind.LIMIT,
            topic="hessian",
            note="White inputs, b = c = 1, gamma = sqrt(1 - |lam|^2): the limit is 1/2, "
            "against 1/(4 (1 - |lam|)^3) without normalisation and reparametrisation.",
        ),
        judged(
            "text:s4-landscape",
            "Appendix C.4.1",
            "S4: curvature moves from the angle to the step",
            r"\text{at } \Delta = 0.01 \text{ no high curvature on } \omega_A^{"
            r"\text{im}} \text{, it is moved in the } \omega_\Delta \text{ direction}",
            Status.PROVED,
            "theory.teacher.s4_ratio",
            Evidence(
                (
                    {"lam": 0.9 + 0.1j, "step": 0.01},
                    {"lam": 0.3 + 0.7j, "step": 0.1},
                    {"lam": 0.6 - 0.5j, "step": 1.0},
                ),
                {
                    "reference": CURVATURE + "s4_ratio",
                    "autodiff": CURVATURE + "s4_ratio_by_jax",
                },
            ),
            derive=teacher.s4_ratio,
            topic="hessian",
            note="The entries of the Hessian that come through lam stand as |log lam|^2 (1 "
            "- exp(-Delta))^2/Delta^4, 10^4 |log lam|^2 at Delta = 0.01, and as 0.4 |log "
            "lam|^2 at Delta = 1, where all are large, as the caption of Fig. 9 says.",
        ),
        outcome(
            "text:s4-initialisation",
            "Figure 9, Appendix C.4.1",
            "Best initialisation of S4's step",
            r"\text{initialising } \Delta \text{ at 1 yielded best performance}",
            (_s4("step 0.01"), _s4("step 0.1")),
            condition=Condition(
                "against a step of 0.01", lambda behind, **_: behind == "step 0.01"
            ),
            note="Over a step of 0.01 the lead is 0.7 decades at least; over one of 0.1 "
            "it is -0.4 to 1.4 decades in the median, at level 97.9 %, which leaves it "
            "open. The best rate of step 1 is the largest that was tried.",
        ),
    )


def _s4(behind: str) -> dict[str, str | float]:
    """Step 1 ahead of another one, as ``experiments.outcomes`` compares them."""
    return {"sweep": "s4_steps", "behind": behind, "ahead": "step 1", "condition": 0.99}


def _concentration() -> tuple[Claim, ...]:
    return (
        judged(
            "fig10",
            "Figure 10 and Appendix C.4.2",
            "Concentrated eigenvalues make the Hessian less diagonal",
            r"\theta_0 \to 0:\quad \text{the Hessian at optimality is less diagonal}",
            Status.CONFIRMED,
            "sigprop.references.curvature.coupling",
            Evidence(
                ({"log_theta": -0.5}, {"log_theta": -1.0}, {"log_theta": -2.0}),
                {
                    "reference": CURVATURE + "mean_coupling",
                    "quadrature": CURVATURE + "mean_coupling_by_quadrature",
                },
                form=CURVATURE + "mean_coupling_wider",
                relation=">",
                slips={"tenfold": CURVATURE + "ten_couplings_wider"},
            ),
            kind=Kind.FIGURE,
            topic="hessian",
            note="Mean size of an entry between two eigenvalues over the mean of their "
            "own: 0.01 at theta_0 = pi, 0.09 at pi/10, 0.6 at pi/100. Angles matter once "
            "theta_0/10 is below the distance to the unit circle.",
        ),
        judged(
            "text:no-pairs",
            "Appendix C.3, Figure 10",
            "A conjugate pair is coupled as strongly as an eigenvalue with itself",
            r"\text{no conjugate pairs, which leads to more diagonal Hessian matrices}",
            Status.CONFIRMED,
            "sigprop.references.curvature.coupling",
            Evidence(
                (
                    {"first": 0.95 + 0.1j, "second": 0.95 - 0.1j},
                    {"first": -0.3 + 0.9j, "second": -0.3 - 0.9j},
                ),
                {
                    "reference": CURVATURE + "coupling_of",
                    "sum": CURVATURE + "coupling_by_sum",
                },
                form=lambda first, second: 1.0,
            ),
            topic="hessian",
            note="One is the largest possible, by Cauchy and Schwarz reached only by equal "
            "or conjugate eigenvalues, which independent draws are with probability zero.",
        ),
        judged(
            "text:angle-entries",
            "Appendix C.4.2",
            "The LRU's parametrisation reduces the angle's Hessian entries",
            r"\text{reduces ... partly the one of angle parameters (when it is a small "
            r"positive number)}",
            Status.CONDITIONAL,
            "sigprop.layers.lru.LRU",
            Evidence(
                tuple({"theta": theta} for theta in (0.1, 0.9, 1.5, 3.0)),
                {
                    "reference": CURVATURE + "angle_slope",
                    "autodiff": CURVATURE + "angle_slope_by_jax",
                },
                form=lambda theta: 1.0,
                relation="<",
                slips={"a thousandth": lambda theta: 1e-3},
            ),
            condition=Condition("theta < 1 radian", lambda theta, **_: theta < 1),
            topic="hessian",
            note="With theta = exp(omega_theta) the entry is multiplied by theta^2: above "
            "one radian the parametrisation increases it, near pi tenfold.",
        ),
        unchecked(
            "fig10:gap",
            "Figure 10 and Section 4.3",
            "The gap between complex diagonal network and LRU widens",
            r"\text{the gap between the two architectures widens as } \theta_0 \to 0",
            "ten seeds of Table 3's grid with the exact loss leave it open, and more will "
            "decide",
            "experiments.outcomes.widening",
            kind=Kind.FIGURE,
            note="From theta0 = pi to pi/100 the LRU's lead over the complex diagonal "
            "network changes by -1.9 to 1.5 decades in the median, at level 97.9 %; "
            "nothing of it widening is seen. Without sampling noise the complex network "
            "does not suffer as in the paper, where the noise meets its sharp directions.",
        ),
    )


def _heads() -> tuple[Claim, ...]:
    return (
        judged(
            "text:heads",
            "Appendix C.4.3",
            "Heads and the size of their blocks",
            r"\text{1 head: dense};\ 4 \times 4 \text{: 16 heads};\ 2 \times 2 \text{: 32 "
            r"heads, as we have 64 hidden neurons}",
            Status.CONFIRMED,
            "sigprop.layers.dense.block_rnn",
            Evidence(
                tuple({"heads": h} for h in (1, 16, 32)),
                {
                    "layer": REFERENCE + "block_size",
                    "count": lambda heads: 64 / heads,
                },
                form=lambda heads: {1: 64, 16: 4, 32: 2}[heads],
            ),
        ),
        judged(
            "fig11",
            "Figure 11, Appendix C.4.3",
            "More heads, fewer parameters",
            r"\text{increasing the number of heads decrease the total number of parameters}",
            Status.PROVED,
            "theory.teacher.dense_size",
            Evidence(
                tuple({"width": 64, "heads": h} for h in teacher.HEADS),
                {"layer": REFERENCE + "head_size"},
                proof=teacher.fewer_with_heads,
            ),
            printed=teacher.dense_size,
            kind=Kind.FIGURE,
            note="64^2/heads + 129 of them.",
        ),
        outcome(
            "fig11:performance",
            "Figure 11, Appendix C.4.3",
            "Performance and effective learning rates by the number of heads",
            r"\text{slightly bigger heads, until } 4 \times 4 \text{, yield similar benefits}",
            tuple(
                {"sweep": "heads", "behind": "1", "ahead": heads, "condition": 0.99}
                for heads in ("16", "32")
            ),
            kind=Kind.FIGURE,
        ),
    )
