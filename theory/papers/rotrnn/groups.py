"""RotRNN (2024), Sections 1-4: the text on rotations and their groups."""

from theory import rotation
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import BRUTE, GROUPS, LAYER

SAMPLES = tuple({"seed": 1, "size": size} for size in (3, 4, 5))


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_groups(), *_blocks())


def _groups() -> tuple[Claim, ...]:
    return (
        Claim(
            "rotrnn:text:continuous",
            "first display of Section 2.1",
            Kind.DEFINITION,
            "The continuous system",
            r"\dot{x}(t) = A'x(t) + B'u(t), \quad y(t) = Cx(t) + Du(t)",
            "",
            Status.DEFINITION,
            "sigprop.references.rotation_systems.held_by_integration",
            note="Integrated as it stands for Eq. 1.",
            topic="models",
        ),
        Claim(
            "rotrnn:text:linear-cost",
            "Section 1",
            Kind.TEXT,
            "Cost of a recurrence and of attention in the length of the sequence",
            r"\text{S4 scales linearly in time with sequence length, transformers "
            r"quadratically}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation_groups.products_of_steps",
            note="Counted for one number a step: one product a step in a recurrence, one a "
            "pair of steps for the weights of attention.",
            topic="models",
            evidence=Evidence(
                points=tuple({"time": time} for time in (3, 8, 16)),
                routes={"counted": GROUPS + "products_of_steps"},
                form=lambda time: [time, time**2],
                alone="a count of the products that the two loops make",
            ),
        ),
        Claim(
            "rotrnn:text:orthogonal-group",
            "second display of Section 3.2",
            Kind.DEFINITION,
            "The orthogonal group",
            r"O(N) = \{ Q \mid Q \in \mathbb{R}^{N \times N}, Q^{\top}Q = QQ^{\top} = I, "
            r"\det(Q) = \pm 1 \}",
            "evidence",
            Status.DEFINITION,
            "sigprop.references.rotation.orthogonal",
            note="The determinant follows from the rest and need not be asked.",
            topic="rotation",
            evidence=Evidence(
                points=tuple(
                    {**at, "sign": sign} for at in SAMPLES for sign in (1, -1)
                ),
                routes={"reference": BRUTE + "determinant_of_P"},
                form=lambda seed, size, sign: sign,
                alone="a definition, on matrices made to meet it",
            ),
        ),
        Claim(
            "rotrnn:text:exponential-surjective",
            "text after Lemma 1, Section 3.1",
            Kind.IDENTITY,
            "Every rotation is the exponential of a skew matrix",
            r"\forall A \in SO(N) \ \exists M: \quad A = \exp(M - M^{\top})",
            "evidence",
            Status.PROVED,
            "sigprop.references.rotation_groups.exponential_of_logarithm",
            note="Half turns and minus the identity too, where a matrix logarithm without "
            "care is not real. M = S/2 gives every skew S. Proved for one plane; Lemma 2's "
            "second sentence does the rest.",
            topic="rotation",
            evidence=Evidence(
                points=({"seed": 1, "size": 2}, *SAMPLES),
                routes={"reference": GROUPS + "exponential_of_logarithm"},
                form=GROUPS + "sample_stacked",
                proof=rotation.block_is_exponential,
            ),
        ),
        Claim(
            "rotrnn:text:no-map-onto-orthogonal",
            "text before the second display of Section 3.2",
            Kind.TEXT,
            "No smooth map takes all square matrices onto the orthogonal group",
            r"\nexists \ f: \mathbb{R}^{N \times N} \to O(N) \ \text{smooth and surjective}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation_groups.sign_changes",
            note="Square matrices are connected and O(N) is not: a path between its halves "
            "has an odd number of zeros of the determinant, hence leaves O(N). No "
            "continuous map can do it either.",
            topic="rotation",
            evidence=Evidence(
                points=SAMPLES,
                routes={
                    "scan": GROUPS + "sign_changes",
                    "roots": GROUPS + "sign_changes_by_roots",
                },
                form=lambda seed, size: 1,
            ),
        ),
        Claim(
            "rotrnn:text:surjectivity",
            "last sentence of Section 3.2",
            Kind.TEXT,
            "Rotations that the parametrisation reaches",
            r"P = \exp(M - M^{\top}): \quad A = P\Theta P^{\top} \ \text{may not be "
            r"surjective onto } SO(N)",
            "evidence",
            Status.REFUTED,
            LAYER + ".transition",
            correction=r"P = \exp(M - M^{\top}): \quad A = P\Theta P^{\top} \ \text{is "
            r"surjective onto } SO(N)",
            note="If the P of Lemma 2 has determinant -1, flip one axis of a plane in it "
            "and turn that plane's angle over: the same A with a P in SO(N). The value is "
            "the share of a sample of rotations that are reached; the printed worry is "
            "read as counting only those whose first P happens to lie in SO(N).",
            inherits="Nothing; the model is more general than the paper says.",
            topic="rotation",
            evidence=Evidence(
                points=SAMPLES,
                routes={
                    "schur": GROUPS + "share_reached",
                    "eigenvectors": GROUPS + "share_by_eigenvectors",
                },
                form=lambda seed, size: 1.0,
                printed=GROUPS + "share_without_flips",
                proof=rotation.flip_reverses_angle,
            ),
        ),
    )


def _blocks() -> tuple[Claim, ...]:
    powers = tuple({**at, "times": times} for at in SAMPLES for times in (2, 5))
    return (
        Claim(
            "rotrnn:text:blocks",
            "text after Lemma 2, Section 3.2",
            Kind.IDENTITY,
            "How many planes a rotation turns, and what is left of an odd dimension",
            r"\frac{N}{2} \text{ blocks if } N \text{ is even}, \ \frac{N-1}{2} \text{ and a"
            r" one if } N \text{ is odd}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation.blocks",
            note="Judged on the eigenvalues: both signs of each angle, and a zero.",
            topic="rotation",
            evidence=Evidence(
                points=SAMPLES,
                routes={
                    "reference": BRUTE + "phases_of_product",
                    "schur": BRUTE + "phases_of_schur",
                },
                form=BRUTE + "phases_of_blocks",
            ),
        ),
        Claim(
            "rotrnn:text:powers",
            "text after Lemma 2, Section 3.2",
            Kind.IDENTITY,
            "Powers of a rotation multiply its angles",
            r"A^k = P\Theta^k P^{\top}, \quad \begin{pmatrix} \cos k\theta_i & -\sin "
            r"k\theta_i \\ \sin k\theta_i & \cos k\theta_i \end{pmatrix}",
            "evidence",
            Status.PROVED,
            "theory.rotation.powers_add_angles",
            topic="rotation",
            evidence=Evidence(
                points=powers,
                routes={"reference": BRUTE + "power_of_product"},
                form=BRUTE + "product_of_power",
                proof=rotation.powers_add_angles,
            ),
        ),
        Claim(
            "rotrnn:text:unit-circle",
            "point iii of Section 3",
            Kind.IDENTITY,
            "Eigenvalues of a rotation lie on the unit circle",
            r"|\lambda_j(A)| = 1",
            "evidence",
            Status.PROVED,
            LAYER + ".eigenvalues",
            note="With the decay, on the circle of radius gamma.",
            topic="rotation",
            evidence=Evidence(
                points=SAMPLES,
                routes={"reference": BRUTE + "moduli_of_product"},
                form=lambda seed, size: [1.0] * size,
                proof=rotation.block_is_rotation,
            ),
        ),
        Claim(
            "rotrnn:text:products",
            "text before Eq. 19, Appendix B.1",
            Kind.TEXT,
            "What a block-diagonal product costs",
            r"\Theta x \text{ can be computed efficiently: } 2\mathcal{D}_x \text{ products "
            r"in place of } \mathcal{D}_x^2",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation_groups.elementwise_product",
            note="The paper gives no number; these were counted. In two dimensions nothing "
            "is saved.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"size": size} for size in (2, 4, 8, 12)),
                routes={"counted": GROUPS + "products_saved"},
                form=lambda size: [2 * size, size**2],
                alone="a count of the products that the two routines make",
            ),
        ),
    )
