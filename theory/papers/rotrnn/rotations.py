"""RotRNN (2024), Section 3.1: Lemmas 1 and 2 on rotations."""

from theory import rotation
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.rotrnn.routes import BRUTE, LAYER


def claims() -> tuple[Claim, ...]:
    """Lemmas 1 and 2."""
    sizes = tuple(
        {"seed": seed, "size": size} for seed, size in ((1, 2), (2, 3), (3, 6))
    )
    return (
        Claim(
            "rotrnn:lemma1",
            "Lemma 1, Section 3.1 and Appendix A.1",
            Kind.IDENTITY,
            "The exponential of a skew matrix is a rotation",
            r"S = M - M^{\top}, \quad \exp(S) := \sum_{k=0}^{\infty} \frac{1}{k!} S^k "
            r"\quad\Rightarrow\quad A = \exp(S) \in SO(N)",
            "evidence",
            Status.PROVED,
            LAYER + ".rotations",
            note="Proved for one plane: a skew matrix is orthogonally similar to such "
            "blocks and zeros. Judged on A A^T, A^T A and det A at sizes 2, 3 and 6. The "
            "copy in the appendix reads M^+ for the transpose, a fault of extraction.",
            topic="rotation",
            evidence=Evidence(
                points=sizes,
                routes={
                    "series": BRUTE + "member_of_series",
                    "eigenvalues": BRUTE + "member_of_eigenvalues",
                },
                form=BRUTE + "member",
                proof=rotation.block_is_rotation,
            ),
        ),
        Claim(
            "rotrnn:lemma2",
            "Lemma 2, Section 3.2 and Appendix A.2",
            Kind.IDENTITY,
            "Block-diagonal rotations seen from any orthogonal basis",
            r"P \in O(N), \ \Theta \in SO(N) \quad\Rightarrow\quad A = P\Theta P^{\top} "
            r"\in SO(N)",
            "evidence",
            Status.PROVED,
            LAYER + ".transition",
            note="P of either determinant. That every rotation has this form is "
            "rotrnn:lemma2:converse.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({**at, "sign": sign} for at in sizes for sign in (1, -1)),
                routes={
                    "reference": BRUTE + "member_of_blocks",
                    "precise": BRUTE + "member_of_precise_blocks",
                },
                form=BRUTE + "member",
                proof=rotation.products_of_members,
            ),
        ),
        Claim(
            "rotrnn:lemma2:converse",
            "Lemma 2, second sentence, Section 3.2",
            Kind.IDENTITY,
            "Every rotation is block-diagonal in some orthogonal basis",
            r"\forall A \in SO(N) \ \exists P \in O(N), \Theta: \quad A = P\Theta P^{\top}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.rotation_groups.schur_form",
            note="The value is the share of a sample that the construction reproduces; "
            "the sample has the identity, half turns and repeated angles. The proof rests "
            "on the real canonical form of normal matrices, not on Jordan's.",
            topic="rotation",
            evidence=Evidence(
                points=tuple({"seed": 1, "size": size} for size in (2, 3, 4, 5)),
                routes={
                    "schur": "sigprop.references.rotation_groups.share_reached",
                    "eigenvectors": (
                        "sigprop.references.rotation_groups.share_by_eigenvectors"
                    ),
                },
                form=lambda seed, size: 1.0,
            ),
        ),
    )
