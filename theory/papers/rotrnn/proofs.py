"""RotRNN (2024), Eq. 13 to 19, and the steps of the proofs in Appendix A."""

from theory import rotation
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import BRUTE, GROUPS, LAYER, LAYERS, NORMS

HEADS = tuple({"seed": seed, "heads": 2, "size": 4} for seed in (1, 2))
SIZES = tuple({"seed": seed, "size": size} for seed, size in ((1, 2), (2, 3), (3, 6)))
SIGNED = tuple({**at, "sign": sign} for at in SIZES for sign in (1, -1))
MODES = tuple(
    {"s_1": s_1, "s_2": s_2, "r_1": r_1, "r_2": r_2, "T": T}
    for s_1, s_2, r_1, r_2, T in (
        (1.3, 0.4, 0.9, 0.5, 3),
        (0.7, 2.1, 0.3, 0.8, 1),
        (0.2, 1.1, 0.95, 0.6, 12),
    )
)
MOMENT = r"\mathbb{E}\left[||x_t||^2\right] = "


def claims() -> tuple[Claim, ...]:
    """The numbered equations from 13 on, each with what surrounds it."""
    return (*_output(), *_lru_norm(), *_rotations(), *_appendix())


def _output() -> tuple[Claim, ...]:
    return (
        Claim(
            "rotrnn:13",
            "Eq. 13, Section 3.4",
            Kind.DEFINITION,
            "All heads side by side, mixed and read out",
            r"y_t = Cx_t^{(1:H)} + Du_t",
            "evidence",
            Status.DEFINITION,
            LAYER + ".read",
            note="Here D is a matrix; in Appendix B.3 and in the listing it is a vector "
            "applied entry by entry, a diagonal matrix. The layer takes either.",
            topic="rotation",
            evidence=Evidence(
                points=HEADS,
                routes={"layer": LAYERS + "layer_outputs"},
                form=LAYERS + "dense_outputs",
                alone="a definition, of the layer beside dense matrices",
            ),
        ),
    )


def _lru_norm() -> tuple[Claim, ...]:
    exact = (
        r"\sum_{k=1}^N b_k \frac{1-|\lambda_k|^{2t}}{1-|\lambda_k|^2} = \sum_{i=0}^{t-1} "
        r"\text{Tr}[\tilde{B}\tilde{B}^*\Lambda^{i*}\Lambda^i]"
    )
    routes = {
        "reference": NORMS + "lru_by_covariance",
        "double_sum": NORMS + "lru_by_double_sum",
    }
    slip = (
        "With the state of Eq. 4 the newest input is not yet multiplied by Lambda: powers "
        "run from 0 to t-1. Each mode is too small by its factor |lambda|^2, and at t = 1 "
        "the whole norm is."
    )
    return (
        Claim(
            "rotrnn:14",
            "Eq. 14, Section 4.1",
            Kind.MOMENT,
            "Expected squared norm of the LRU's state under white noise",
            MOMENT + r"\mathbb{E}\left[\left(\sum_{i=1}^t \Lambda^i \tilde{B}u_{t-i}"
            r"\right)^* \left(\sum_{j=1}^t \Lambda^j \tilde{B}u_{t-j}\right)\right] = "
            r"\sum_{i=1}^t \sum_{j=1}^t \text{Tr}\left[\mathbb{E}\left[u_{t-i}^*\tilde{B}^*"
            r"\Lambda^{i^*}\Lambda^j\tilde{B}u_{t-j}\right]\right] = \sum_{i=1}^t "
            r"\text{Tr}[\tilde{B}\tilde{B}^*\Lambda^{i^*}\Lambda^i]",
            "evidence",
            Status.REFUTED,
            "theory.rotation.lru_norm",
            rotation.lru_norm,
            rotation.printed_lru_norm,
            correction=MOMENT + exact,
            corrected=lambda: rotation.lru_norm().steps[-1].expr,
            note=slip,
            inherits="The finite sum in the display after it; not its limit.",
            topic="rotation",
            evidence=Evidence(points=MODES, routes=routes),
        ),
        Claim(
            "rotrnn:text:lru-norm-sum",
            "display after Eq. 14, Section 4.1, its sums",
            Kind.MOMENT,
            "The same, mode by mode",
            MOMENT + r"\sum_{i=1}^t\sum_{k=1}^N b_k|\lambda_k|^{2i} = \sum_{k=1}^N b_k "
            r"\sum_{i=1}^t |\lambda_k|^{2i}",
            "evidence",
            Status.REFUTED,
            "theory.rotation.lru_norm",
            rotation.lru_norm,
            rotation.printed_lru_norm,
            correction=MOMENT + r"\sum_{k=1}^N b_k \sum_{i=0}^{t-1} |\lambda_k|^{2i}",
            corrected=lambda: rotation.lru_norm().steps[-1].expr,
            note=slip
            + " The sentence before it has b_k |lambda_k|^2 without the power i.",
            inherits="Not by the limit that follows it: that is of the corrected sum.",
            topic="rotation",
            evidence=Evidence(points=MODES, routes=routes),
        ),
        Claim(
            "rotrnn:text:lru-norm-limit",
            "display after Eq. 14, Section 4.1, its limit",
            Kind.LIMIT,
            "The same as time goes on",
            MOMENT + r"\longrightarrow \sum_{k=1}^N b_k\frac{1}{1-|\lambda_k|^2}, "
            r"\quad t \to \infty",
            "evidence",
            Status.PROVED,
            "theory.rotation.lru_limit",
            rotation.lru_limit,
            lambda: sum(
                weight / (1 - radius**2)
                for weight, radius in (
                    (rotation.s1, rotation.r1),
                    (rotation.s2, rotation.r2),
                )
            ),
            note="True of the state, and not the limit of the sums printed before it, "
            "which would have |lambda_k|^2 in the numerator.",
            topic="rotation",
            evidence=Evidence(
                points=MODES,
                routes={
                    "lyapunov": NORMS + "lru_limit",
                    "reference": NORMS + "lru_limit_by_sum",
                },
            ),
        ),
        Claim(
            "rotrnn:text:lru-row-scale",
            "text after Eq. 14, Section 4.1",
            Kind.MOMENT,
            "The LRU's normalisation of the rows of its input matrix",
            r"b_k \to (1-|\lambda_k|^2)\, b_k: \quad \lim_{t\to\infty} "
            + MOMENT[:-3]
            + r" = \sum_k b_k",
            "evidence",
            Status.PROVED,
            "sigprop.layers.lru.LRU.normaliser",
            rotation.normalised_lru_norm,
            lambda: rotation.s1 + rotation.s2,
            note="It makes the limit independent of the eigenvalues. Finite it is without, "
            "at each |lambda| below one.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {name: value for name, value in at.items() if name != "T"}
                    for at in MODES
                ),
                routes={
                    "lyapunov": NORMS + "normalised_lru_limit",
                    "reference": NORMS + "normalised_lru_sum",
                },
            ),
        ),
    )


def _rotations() -> tuple[Claim, ...]:
    both = {
        "series": BRUTE + "member_of_series",
        "eigenvalues": BRUTE + "member_of_eigenvalues",
    }
    blocks = {
        "reference": BRUTE + "member_of_blocks",
        "precise": BRUTE + "member_of_precise_blocks",
    }
    return (
        Claim(
            "rotrnn:15",
            "Eq. 15, Appendix A.1",
            Kind.IDENTITY,
            "The exponential of a skew matrix is orthogonal",
            r"AA^\top = \exp(S)\exp(S)^\top = \exp(S)\exp(S^\top) = \exp(S + S^\top) = "
            r"\exp(S - S) = I",
            "evidence",
            Status.PROVED,
            "theory.rotation.block_is_rotation",
            note="The equation stands twice in our copy, the second time garbled; it is "
            "one equation.",
            topic="rotation",
            evidence=Evidence(
                points=SIZES,
                routes=both,
                form=BRUTE + "member",
                proof=rotation.block_is_rotation,
            ),
        ),
        Claim(
            "rotrnn:16",
            "Eq. 16, Appendix A.1",
            Kind.IDENTITY,
            "Its determinant is one",
            r"\det(A) = \det(\exp(S)) = \exp(\text{Tr}[S]) = \exp(0) = 1",
            "evidence",
            Status.PROVED,
            "theory.rotation.block_is_rotation",
            topic="rotation",
            evidence=Evidence(
                points=SIZES,
                routes={
                    "series": BRUTE + "determinant_of_series",
                    "trace": BRUTE + "exponential_of_trace",
                },
                form=lambda seed, size: 1.0,
                proof=rotation.block_is_rotation,
            ),
        ),
        Claim(
            "rotrnn:17",
            "Eq. 17, Appendix A.2",
            Kind.IDENTITY,
            "Block-diagonal rotations in another basis are orthogonal",
            r"AA^\top = P\Theta P^\top P\Theta^\top P^\top = P\Theta\Theta^\top P^\top = I",
            "evidence",
            Status.PROVED,
            "theory.rotation.products_of_members",
            topic="rotation",
            evidence=Evidence(
                points=SIGNED,
                routes=blocks,
                form=BRUTE + "member",
                proof=rotation.products_of_members,
            ),
        ),
        Claim(
            "rotrnn:18",
            "Eq. 18, Appendix A.2",
            Kind.IDENTITY,
            "Their determinant is one, whatever that of the basis",
            r"\det(A) = \det(P\Theta P^\top) = \det(P)\det(\Theta)\det(P^\top) = 1",
            "evidence",
            Status.PROVED,
            "theory.rotation.products_of_members",
            topic="rotation",
            evidence=Evidence(
                points=SIGNED,
                routes={
                    "reference": BRUTE + "determinant_of_blocks",
                    "factors": BRUTE + "product_of_determinants",
                },
                form=lambda seed, size, sign: 1.0,
                proof=rotation.products_of_members,
            ),
        ),
        Claim(
            "rotrnn:19",
            "Eq. 19, Appendix B.1",
            Kind.IDENTITY,
            "A block-diagonal product, entry by entry",
            r"\Theta x = \begin{bmatrix} x_1 \\ x_2 \\ x_3 \\ x_4 \\ \vdots \\ x_{"
            r"\mathcal{D}_x^{-1}} \\ x_{\mathcal{D}_x} \end{bmatrix} \odot \begin{bmatrix} "
            r"\cos\theta_1 \\ \cos\theta_2 \\ \cos\theta_2 \\ \vdots \\ \cos\theta_{"
            r"\mathcal{D}_x//2} \\ \cos\theta_{\mathcal{D}_x//2} \end{bmatrix} + "
            r"\begin{bmatrix} -x_2 \\ x_1 \\ -x_4 \\ x_3 \\ \vdots \\ -x_{\mathcal{D}_x} \\"
            r" x_3 \end{bmatrix} \odot \begin{bmatrix} \sin\theta_1 \\ \sin\theta_2 \\ "
            r"\sin\theta_2 \\ \vdots \\ \sin\theta_{\mathcal{D}_x//2} \\ \sin\theta_{"
            r"\mathcal{D}_x//2} \end{bmatrix}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.rotation_groups.elementwise_product",
            condition=Condition(
                "the dimension is even", lambda size, **_: size % 2 == 0
            ),
            note="Judged as meant: our copy loses the second cos theta_1 and sin theta_1, "
            "has x_3 for x_{D_x - 1} at the end of the turned vector and a power for the "
            "index D_x - 1. With an odd dimension, which Section 3.2 allows, the last entry "
            "has no partner.",
            as_extracted=True,
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {"seed": seed, "size": size}
                    for seed, size in ((1, 2), (2, 4), (3, 8), (4, 5))
                ),
                routes={
                    "dense": GROUPS + "dense_product",
                    "complex": GROUPS + "complex_product",
                },
                form=GROUPS + "elementwise_product",
            ),
        ),
    )


def _appendix() -> tuple[Claim, ...]:
    return (
        Claim(
            "rotrnn:def4",
            "Definition 4, Appendix A.1",
            Kind.DEFINITION,
            "The special orthogonal group, with its operation",
            r"SO(N) = \{A \in (\mathbb{R}^{N \times N}, *) \mid A^{\top}A = AA^{\top} = I, "
            r"\det(A) = 1\}",
            "evidence",
            Status.DEFINITION,
            "sigprop.references.rotation.rotation",
            note="Eq. 5 again. The value is a product of three members, one inverted, "
            "which is a member: a group. Our copy loses the comma before det.",
            topic="rotation",
            evidence=Evidence(
                points=SIZES,
                routes={"reference": BRUTE + "member_of_group"},
                form=BRUTE + "member",
                alone="a definition, on matrices made to meet it",
            ),
        ),
        Claim(
            "rotrnn:text:skew-square",
            "proof of Lemma 1, Appendix A.1",
            Kind.IDENTITY,
            "A skew matrix commutes with its transpose",
            r"SS^\top = S^\top S = -S^2",
            "evidence",
            Status.PROVED,
            "theory.rotation.skew_squares",
            topic="rotation",
            evidence=Evidence(
                points=SIZES,
                routes={
                    "reference": BRUTE + "skew_products",
                    "spectrum": BRUTE + "skew_products_by_spectrum",
                },
                form=BRUTE + "minus_squares",
                proof=rotation.skew_squares,
                slips={"the sign": BRUTE + "plus_squares"},
            ),
        ),
        Claim(
            "rotrnn:text:jacobi",
            "proof of Lemma 1, Appendix A.1",
            Kind.IDENTITY,
            "Determinant of an exponential, for any square matrix",
            r"\det(\exp(S)) = \exp(\text{Tr}[S])",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation.exponential_series",
            topic="rotation",
            evidence=Evidence(
                points=SIZES,
                routes={
                    "series": BRUTE + "determinant_of_any",
                    "eigenvalues": BRUTE + "product_of_exponentials",
                },
                form=BRUTE + "exponential_of_any_trace",
            ),
        ),
        Claim(
            "rotrnn:text:determinant-inverse",
            "proof of Lemma 2, Appendix A.2",
            Kind.IDENTITY,
            "Determinants of an orthogonal matrix and its transpose",
            r"\det(P) = \frac{1}{\det(P^\top)}, \quad \det(P) \in \{\pm 1\}",
            "evidence",
            Status.PROVED,
            "theory.rotation.products_of_members",
            topic="rotation",
            evidence=Evidence(
                points=SIGNED,
                routes={
                    "reference": BRUTE + "determinant_of_P",
                    "transpose": BRUTE + "inverse_determinant_of_transpose",
                },
                form=lambda seed, size, sign: sign,
                proof=rotation.products_of_members,
            ),
        ),
    )
