"""RotRNN (2024), Appendix C line by line, and Appendix B.3 beside it."""

from theory import rotation
from theory.claims import Claim, Kind, Status
from theory.derivation import start
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import BRUTE, LAYER, LAYERS, LISTING, NETWORKS
from theory.symbols import r_max, r_min, u1

DRAW = "sigprop.layers.rotrnn.rotrnn"
CASES = tuple(
    {"seed": seed, "heads": heads, "size": size}
    for seed, heads, size in ((1, 2, 4), (3, 1, 4))
)


def claims() -> tuple[Claim, ...]:
    """Lines of ``forward``, ``binf`` and ``init_params``."""
    return (*_forward(), *_drawn(), *_initialised())


def _forward() -> tuple[Claim, ...]:
    return (
        Claim(
            "rotrnn:listing:xi",
            "Appendix C, forward",
            Kind.ALGORITHM,
            "The factor on B, head by head",
            r"\text{xi} = \sqrt{\frac{1 - \text{gammas.squeeze()}^2}{\text{B\_T\_B\_trace}}}",
            "evidence",
            Status.CONFIRMED,
            LAYER + ".normalised_B",
            note="Eq. 11 at c = 1, the value at which it is right. With one head squeeze "
            "takes the decays' axis too; the division by the trace brings it back.",
            topic="rotation",
            evidence=Evidence(
                points=CASES,
                routes={
                    "listing": LISTING + "factor_of_listing",
                    "layer": LAYERS + "factor_of_layer",
                },
                form=LAYERS + "factor_of_heads",
            ),
        ),
        Claim(
            "rotrnn:listing:P",
            "Appendix C, forward",
            Kind.ALGORITHM,
            "The rotation of each head",
            r"P = \text{expm}(M - \text{M.transpose(0, 2, 1)})",
            "evidence",
            Status.CONFIRMED,
            LAYER + ".rotations",
            note="Lemma 1 on a stack of matrices.",
            topic="rotation",
            evidence=Evidence(
                points=({"seed": 1, "size": 4},),
                routes={
                    "series": BRUTE + "series_of_skew",
                    "eigenvalues": BRUTE + "eigenvalues_of_skew",
                },
                form=LISTING + "rotation_of_listing",
            ),
        ),
        Claim(
            "rotrnn:listing:binf",
            "Appendix C, binf",
            Kind.ALGORITHM,
            "The operator of the parallel scan",
            r"(\gamma_i, \theta_i, x_i) \bullet (\gamma_j, \theta_j, x_j) = (\gamma_i"
            r"\gamma_j, \theta_i + \theta_j, \gamma_j\Theta_j x_i + x_j)",
            "evidence",
            Status.PROVED,
            "theory.rotation.combine",
            note="Associative, as a parallel scan needs, and two steps of the recurrence. "
            "It takes even sizes alone: of an odd one the two strided halves differ.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"seed": seed} for seed in (1, 2, 3)),
                routes={
                    "left": LISTING + "joined_from_left",
                    "right": LISTING + "joined_from_right",
                },
                form=LISTING + "joined_by_steps",
                proof=rotation.combine_is_associative,
            ),
        ),
        Claim(
            "rotrnn:listing:forward",
            "Appendix C, forward",
            Kind.ALGORITHM,
            "The whole layer",
            r"y = \text{forward}(\text{rotrnn\_params}, u): \quad x_t = \gamma A x_{t-1} + "
            r"\xi B u_t, \quad y_t = C x_t^{(1:H)} + D \odot u_t",
            "evidence",
            Status.CONFIRMED,
            LAYER + ".__call__",
            note="Every line as printed: projections with B and "
            "P, repeated decays and angles, scan, projection back, heads side by side, "
            "output. It starts from the zero state.",
            topic="rotation",
            evidence=Evidence(
                points=CASES[:1],
                routes={
                    "listing": LISTING + "listing_outputs",
                    "layer": LAYERS + "layer_outputs",
                },
                form=LAYERS + "dense_outputs",
            ),
        ),
        Claim(
            "rotrnn:listing:skip",
            "Appendix C, forward and init_params, beside Eq. 13",
            Kind.ALGORITHM,
            "Size of the skip connection",
            r"D \in \mathbb{R}^{\mathcal{D}_u \times \mathcal{D}_u}",
            "evidence",
            Status.REFUTED,
            LAYER + ".skip",
            correction=r"D \in \mathbb{R}^{\mathcal{D}_u}, \quad Du_t \to D \odot u_t",
            note="Eq. 13 has a matrix, Appendix B.3 and the listing a vector. The value "
            "counts its numbers: a matrix would add 54,720 to the network for Speech "
            "Commands, nearly a fifth of Table 2's count.",
            inherits="Nothing.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"width": width} for width in (2, 5, 96)),
                routes={
                    "listing": NETWORKS + "size_of_drawn_skip",
                    "layer": NETWORKS + "size_of_skip",
                },
                form=lambda width: width,
                printed=lambda width: width**2,
            ),
        ),
    )


def _drawn() -> tuple[Claim, ...]:
    rings = tuple(
        {"u1": u, "r_min": low, "r_max": high}
        for u, low, high in ((0.3, 0.5, 0.999), (0.8, 0.1, 0.7), (0.55, 0.4, 0.95))
    )
    return (
        Claim(
            "rotrnn:listing:gamma",
            "Appendix C, init_params, and Appendix B.3",
            Kind.DISTRIBUTION,
            "The decays are drawn within their range",
            r"\gamma_{\log} = \log\left(-\frac{1}{2}\log\left(u(\gamma_{\max}^2 - "
            r"\gamma_{\min}^2) + \gamma_{\min}^2\right)\right) \Rightarrow \gamma = \sqrt{u("
            r"\gamma_{\max}^2 - \gamma_{\min}^2) + \gamma_{\min}^2}",
            "evidence",
            Status.PROVED,
            DRAW,
            rotation.decay,
            lambda: (u1 * (r_max**2 - r_min**2) + r_min**2) ** rotation.HALF,
            note="From gamma_min at u = 0 to gamma_max at u = 1, and uniform in gamma "
            "squared, the law of the LRU's radius, which the text does not say.",
            topic="parametrisation",
            evidence=Evidence(
                points=rings,
                routes={
                    "listing": NETWORKS + "decay_of_listing",
                    "reference": NETWORKS + "decay_of_uniform_square",
                },
            ),
        ),
    )


def _initialised() -> tuple[Claim, ...]:
    shapes = tuple(
        {"rows": rows, "columns": columns} for rows, columns in ((4, 6), (8, 3))
    )
    return (
        Claim(
            "rotrnn:listing:theta",
            "Appendix C, init_params",
            Kind.ALGORITHM,
            "How many angles a head has",
            r"\text{theta} = \text{np.random.uniform}(0, \theta_{\max}, (H, \text{dim\_h / "
            r"2}))",
            "evidence",
            Status.REFUTED,
            DRAW,
            correction=r"\text{theta} = \text{np.random.uniform}(0, \theta_{\max}, (H, "
            r"\text{dim\_h // 2}))",
            note="The size is a float, which NumPy refuses: the listing stops there.",
            inherits="Nothing: it was meant as it is corrected.",
            topic="parametrisation",
            evidence=Evidence(
                points=({"heads": 2, "size": 4},),
                routes={
                    "layer": LAYERS + "angles_of_layer",
                    "reference": LAYERS + "angles_of_loops",
                },
                form=lambda heads, size: size // 2,
                printed=LISTING + "angles_of_listing",
            ),
        ),
        Claim(
            "rotrnn:listing:glorot",
            "Appendix B.3 and Appendix C, init_params",
            Kind.ALGORITHM,
            "Variance of the entries of B and C",
            r"B, C: \text{ Glorot}, \quad \text{Var} = \frac{2}{\text{rows} + \text{columns}}",
            "evidence",
            Status.REFUTED,
            DRAW,
            lambda: start(
                "a normal over the root of the columns", 1 / rotation.columns
            ),
            lambda: 2 / (rotation.rows + rotation.columns),
            correction=r"\text{Var} = \frac{1}{\text{columns}}",
            corrected=lambda: 1 / rotation.columns,
            note="The listing's comment says Glorot too, and its code does not: it divides "
            "by the inputs alone, LeCun's law. It matters for C: Glorot's is 1.33 of it "
            "for ListOps and 0.86 for Text. The scale of B is normalised away.",
            inherits="Nothing.",
            topic="parametrisation",
            evidence=Evidence(
                points=shapes,
                routes={
                    "listing": NETWORKS + "variance_of_listing",
                    "layer": NETWORKS + "variance_of_layer",
                },
            ),
        ),
        Claim(
            "rotrnn:listing:normal",
            "Appendix B.3 and Appendix C, init_params",
            Kind.DEFINITION,
            "The other weights",
            r"M_{ij}, D_i \sim \mathcal{N}(0, 1), \quad \theta_i \sim U[0, \theta_{\max}]",
            "",
            Status.DEFINITION,
            DRAW,
            note="Text and listing agree.",
            topic="parametrisation",
        ),
    )
