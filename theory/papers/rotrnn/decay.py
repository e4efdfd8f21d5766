"""RotRNN (2024), Sections 1-4, Appendix B.3: the text on norms, decays, constants."""

from sympy import Integer

from theory import rotation
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import BRUTE, LAYER, LAYERS, LISTING, NORMS
from theory.symbols import T


def claims() -> tuple[Claim, ...]:
    """Sentences of Sections 1, 3.3, 3.4 and 4.1 and of Appendix B.3."""
    return (*_norms(), *_constants())


def _norms() -> tuple[Claim, ...]:
    constant = (
        r"\text{a constant expected norm of the recurrent state at all times}: \quad "
        r"\mathbb{E}\left[||x_t||^2\right] = 1"
    )
    return (
        Claim(
            "rotrnn:text:constant-norm",
            "Sections 1 (contributions), 3 (point iii) and 3.3",
            Kind.TEXT,
            "The norm of a head's state is constant over time",
            constant,
            "evidence",
            Status.REFUTED,
            LAYER + ".states",
            rotation.norm_from_zero,
            lambda: Integer(1),
            correction=r"\mathbb{E}\left[||x_t||^2\right] = 1 - \gamma^{2t}",
            corrected=lambda: 1 - rotation.gamma ** (2 * T),
            note="So for the model as run, from the zero state, c = 1, white inputs. "
            "Lemma 3 assumes a first state of size c, but the first state is xi B u_1, of "
            "size 1 - gamma^2. At gamma = 0.9999, in the range of Pathfinder, a sequence "
            "of 1,024 steps ends at 0.185.",
            inherits="The comparison with the LRU in Section 4.1.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"gamma": gamma, "T": steps}
                    for gamma, steps in ((0.9, 1), (0.5, 3), (0.99, 20), (0.7, 2))
                ),
                routes={
                    "reference": NORMS + "norm_from_zero",
                    "summed": NORMS + "norm_from_zero_summed",
                },
            ),
        ),
        Claim(
            "rotrnn:text:stronger-guarantee",
            "text after Eq. 14, Section 4.1",
            Kind.TEXT,
            "Norm over the whole sequence, compared with the LRU",
            r"\text{the expected norm of the recurrent state remains constant throughout "
            r"the entire sequence}",
            "evidence",
            Status.REFUTED,
            LAYER + ".states",
            correction=r"\mathbb{E}\left[||x_t||^2\right] = \sum_h 1 - \gamma_h^{2t}, \quad "
            r"\text{as in an LRU with rows of norm } \sqrt{1 - |\lambda_k|^2}",
            note="The normalised LRU's norm is the same sum over its modes, 1 - "
            "|lambda_k|^(2t) each: the guarantee is the same, a limit at infinite time. "
            "With H heads the limit is H, not one.",
            inherits="Nothing.",
            topic="rotation",
            evidence=Evidence(
                points=({"seed": 1, "heads": 2, "size": 4},),
                routes={
                    "impulse": LAYERS + "norms_through_layer",
                    "reference": LAYERS + "norms_by_covariance",
                },
                form=LAYERS + "transient_norms",
                printed=LAYERS + "constant_norms",
            ),
        ),
        Claim(
            "rotrnn:text:white-inputs",
            "last sentence of Section 4.1",
            Kind.TEXT,
            "The normalisation is for white inputs",
            r"\text{the same white-noise input assumption}: \quad \lim_{t\to\infty} "
            r"\mathbb{E}\left[||x_t||^2\right] = 1",
            "evidence",
            Status.CONDITIONAL,
            LAYER + ".normalised_B",
            assumes="inputs of unit covariance",
            condition=Condition(
                "inputs uncorrelated in time", lambda rho, **_: rho == 0
            ),
            note="The paper says so. For correlated inputs the limit depends on the angles "
            "and on P: by 17 and 26 % too large or too small in the cases here.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"seed": seed, "size": 4, "rho": rho}
                    for seed, rho in ((1, 0.0), (2, 0.0), (1, 0.9), (1, -0.6))
                ),
                routes={
                    "lyapunov": LAYERS + "correlated_norm_by_lyapunov",
                    "impulse": LAYERS + "correlated_norm",
                },
                form=lambda seed, size, rho: 1.0,
            ),
        ),
        Claim(
            "rotrnn:text:scalar-decay",
            "first sentence of Section 3.4",
            Kind.TEXT,
            "Whether a constant norm needs one decay a head",
            r"\text{the price of a constant expected norm is that the decay factor } \gamma "
            r"\text{ must be scalar}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.rotation_norms.decays_with_constant_norm",
            correction=r"\text{each of the } \mathcal{D}_h/2 \text{ planes may have its own "
            r"} \gamma_i, \text{ its rows of } P^\top B \text{ scaled by } \sqrt{1 - "
            r"\gamma_i^2}",
            note="The value is the number of decays of a head whose norm stays one from "
            "its stationary state. The sentence is right of its own derivation, which "
            "knows of the state only its norm: from any other state of that norm, several "
            "decays do not keep it.",
            inherits="Nothing; it is the reason given for having heads.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"seed": 1, "size": size} for size in (4, 6, 8)),
                routes={
                    "covariance": NORMS + "decays_with_constant_norm",
                    "impulse": NORMS + "decays_of_constant_sums",
                },
                form=lambda seed, size: size / 2,
                printed=lambda seed, size: 1,
            ),
        ),
        Claim(
            "rotrnn:text:any-head-size",
            "last sentence of Section 3.4",
            Kind.TEXT,
            "Head dimensions that the layer takes",
            r"\text{easily scalable to any desired head dimension } \mathcal{D}_h \geq 2",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.layers.rotrnn.rotrnn",
            condition=Condition(
                "the head dimension is even", lambda size, **_: size % 2 == 0
            ),
            note="Lemma 2 allows an odd one, with a last entry that is not turned; Eq. 19 "
            "and the listing do not: the listing stops with an error.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"seed": 1, "heads": 2, "size": size} for size in (2, 3)),
                routes={"reference": LAYERS + "dense_outputs"},
                form=LISTING + "listing_outputs",
                alone="whether the listing runs, and gives what dense matrices give",
            ),
        ),
    )


def _constants() -> tuple[Claim, ...]:
    given = tuple(
        {"gamma": gamma, "c": c} for gamma, c in ((0.9, 0.6), (0.5, 2.4), (0.7, 1.6))
    )
    return (
        Claim(
            "rotrnn:text:lemma3-last-step",
            "last sentence of the proof of Lemma 3",
            Kind.MOMENT,
            "The norm after a step with the lemma's constant",
            r"\alpha = \frac{1}{\sqrt{c\gamma^2 + \text{Tr}[B^\top B]}} \text{ gives } "
            r"\mathbb{E}\left[||x_t||^2\right] = c",
            "evidence",
            Status.REFUTED,
            "theory.rotation.kept_by_print",
            rotation.kept_by_print,
            lambda: rotation.c,
            correction=r"\mathbb{E}\left[||x_t||^2\right] = 1",
            corrected=lambda: Integer(1),
            note="Put into Eq. 9 it gives one, whatever c. Later steps then tend to "
            "Tr/(Tr - (1 - c) gamma^2), and for c < 1 - Tr/gamma^2 they grow without end.",
            inherits="The trace before Eq. 11, and Eq. 11.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({**at, "s": s} for at in given for s in (0.4, 2.5)),
                routes={
                    "reference": NORMS + "kept_by_printed_scale",
                    "summed": NORMS + "kept_in_pairs",
                },
            ),
        ),
        Claim(
            "rotrnn:text:forgetting",
            "text after Eq. 10, Section 3.3",
            Kind.TEXT,
            "How fast early inputs fade",
            r"\alpha^{t+1-k}\gamma^{t-k}: \ \text{early inputs go to zero exponentially}",
            "evidence",
            Status.PROVED,
            "theory.rotation.fading",
            rotation.fading,
            lambda: rotation.scale * rotation.gamma,
            note="By alpha gamma a step. With the corrected alpha that is below one "
            "whether alpha is or not; with gamma alone it is exponential too.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"seed": seed, "size": size, "alpha": alpha, "gamma": gamma}
                    for seed, size, alpha, gamma in (
                        (1, 3, 0.7, 0.9),
                        (2, 2, 1.3, 0.6),
                        (3, 4, 0.4, 0.95),
                    )
                ),
                routes={
                    "reference": BRUTE + "fading",
                    "eigenbasis": BRUTE + "fading_in_eigenbasis",
                },
            ),
        ),
        Claim(
            "rotrnn:text:trace",
            "text before Eq. 11, Section 3.3",
            Kind.MOMENT,
            "What the input matrix must be without alpha",
            r"\text{Tr}\left[B^{\top}B\right] = 1 - c\gamma^2",
            "evidence",
            Status.REFUTED,
            "theory.rotation.trace_needed",
            rotation.trace_needed,
            lambda: 1 - rotation.c * rotation.gamma**2,
            correction=r"\text{Tr}\left[B^{\top}B\right] = c(1 - \gamma^2)",
            corrected=lambda: rotation.c * (1 - rotation.gamma**2),
            note="It follows Lemma 3's slip: Eq. 9 with alpha = 1 set to one, not to c.",
            inherits="Eq. 11.",
            topic="rotation",
            evidence=Evidence(
                points=given,
                routes={
                    "reference": NORMS + "trace_by_root",
                    "steps": NORMS + "trace_by_steps",
                },
            ),
        ),
        Claim(
            "rotrnn:text:c-one",
            "text after Eq. 12, Section 3.3",
            Kind.MOMENT,
            "The norm that Eq. 11 keeps",
            r"\text{setting } c = 1 \text{ is sufficient}: \quad \lim_{t\to\infty}\mathbb{E}"
            r"\left[||x_t||^2\right] = c",
            "evidence",
            Status.CONDITIONAL,
            LAYER + ".normalised_B",
            condition=Condition(
                "c = 1, which is not only sufficient: the printed Eq. 11 needs it",
                lambda c, **_: c == 1,
            ),
            note="With Eq. 11 as printed the limit is (1 - c gamma^2)/(1 - gamma^2).",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"gamma": gamma, "c": c}
                    for gamma, c in ((0.9, 1.0), (0.3, 1.0), (0.9, 0.6), (0.5, 2.4))
                ),
                routes={
                    "lyapunov": NORMS + "stationary_with_printed_factor",
                    "summed": NORMS + "summed_with_printed_factor",
                },
                form=lambda gamma, c: c,
            ),
        ),
        Claim(
            "rotrnn:text:decay",
            "Appendix B.3",
            Kind.IDENTITY,
            "The decay stays between zero and one",
            r"\gamma = e^{-e^{\gamma_{\log}}} \in (0, 1)",
            "evidence",
            Status.PROVED,
            LAYER + ".decays",
            lambda: rotation.decay_of_log(),
            lambda: rotation.decay_of_log().result,
            note="In floating point it is exactly one below gamma_log = -37.5 and exactly "
            "zero above 6.62, in double precision.",
            topic="parametrisation",
            evidence=Evidence(
                points=tuple({"gamma_log": value} for value in (-3.0, 0.4, 1.1)),
                routes={
                    "layer": LAYERS + "decay_of_layer",
                    "precise": LAYERS + "decay_precisely",
                },
            ),
        ),
    )
