"""Orvieto et al. (2023), Appendix E.3: alternatives to complex numbers, Eq. 25-26."""

import math

from theory import koopman
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import TOYS

DRAWS = tuple({"seed": seed} for seed in (0, 1, 2))

SEEDS = (0, 1, 2)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_real_forms(), *_parts())


def _real_forms() -> tuple[Claim, ...]:
    matrix = (
        r"\begin{pmatrix} \Re(\lambda) & %s\Im(\lambda) \\ %s\Im(\lambda) & "
        r"\Re(\lambda) \end{pmatrix}"
    )
    return (
        Claim(
            "lru:25",
            "Eq. 25, Appendix E.3",
            Kind.IDENTITY,
            "A pair of conjugate eigenvectors",
            r"A V = V \begin{pmatrix} \lambda & 0 \\ 0 & \lambda^* \end{pmatrix} =: V "
            r"\Lambda",
            "evidence",
            Status.PROVED,
            "theory.koopman.conjugate_is_eigenvalue",
            assumes="A is real",
            evidence=Evidence(
                DRAWS,
                {"reference": f"{TOYS}.image_of_pair"},
                form=f"{TOYS}.pair_times_diagonal",
                proof=koopman.conjugate_is_eigenvalue,
            ),
            topic="models",
        ),
        Claim(
            "lru:26",
            "Eq. 26, Appendix E.3",
            Kind.IDENTITY,
            "The action on real and imaginary parts",
            r"A \tilde{V} = \tilde{V} " + matrix % ("-", "") + r" =: \tilde{V} "
            r"\tilde{\Lambda},\quad \tilde{V} = [\Re(v), \Im(v)]",
            "evidence",
            Status.REFUTED,
            "theory.koopman.rotation_block",
            correction=r"A \tilde{V} = \tilde{V} " + matrix % ("", "-"),
            assumes="A is real",
            evidence=Evidence(
                DRAWS,
                {"reference": f"{TOYS}.image_of_parts"},
                form=f"{TOYS}.parts_times_block",
                printed=f"{TOYS}.parts_times_printed_block",
                proof=koopman.block_acts_on_parts,
            ),
            note="The block is transposed: the two lines before it give A Re v = Re(lam) "
            "Re v - Im(lam) Im v, the first column. The printed one is right for the "
            "basis [Re v, -Im v], or for conj(lam). Only if the extraction read the block "
            "by columns is the paper right.",
            inherits="No: either block has the same eigenvalues and the same algebra.",
            topic="models",
        ),
    )


def _parts() -> tuple[Claim, ...]:
    def at(part: str):
        return tuple({"seed": seed, "part": part} for seed in SEEDS)

    def action(part: str, first: str, last: str) -> str:
        return (
            rf"A \cdot \operatorname{{{part}}}(v) = \frac{{1}}{{2}} A(v {first} v^*) = "
            rf"\operatorname{{{part}}}(\lambda v) = {last}"
        )

    real = r"\Re(\lambda)\Re(v) - \Im(\lambda)\Im(v)"
    imaginary = r"\Re(\lambda)\Im(v) + \Im(\lambda)\Re(v)"
    return (
        Claim(
            "lru:text:conjugate-eigenvector",
            "Appendix E.3",
            Kind.IDENTITY,
            "Eigenvectors come in conjugate pairs",
            r"A v^* = (A v)^* = (\lambda v)^* = \lambda^* v^*",
            "evidence",
            Status.PROVED,
            "theory.koopman.conjugate_is_eigenvalue",
            assumes="A is real",
            evidence=Evidence(
                tuple({"seed": seed} for seed in SEEDS),
                {"reference": f"{TOYS}.conjugate_image"},
                form=f"{TOYS}.conjugate_multiple",
                proof=koopman.conjugate_is_eigenvalue,
            ),
            topic="models",
        ),
        Claim(
            "lru:text:real-eigenvector",
            "Appendix E.3",
            Kind.TEXT,
            "A real eigenvalue has a real eigenvector",
            r"v + v^* \in \mathbb{R}^N \text{ is an eigenvector of the real eigenvalue } "
            r"\lambda",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.lru_toys.real_eigenvector_length",
            condition=Condition(
                "v is not purely imaginary",
                lambda angle, **_: abs(math.cos(angle)) > 1e-12,
            ),
            evidence=Evidence(
                tuple({"angle": angle} for angle in (0.0, 0.9, 1.4, math.pi / 2)),
                {"reference": f"{TOYS}.eigenvector_found"},
                form=lambda angle: 1.0,
                alone="the length of v + v* where v is a turned real vector",
            ),
            note="v = i w with real w gives v + v* = 0, which is no eigenvector; i(v - v*) "
            "serves then. The value is 1 where the sum is not zero.",
            inherits="No: one of the two sums always serves.",
            topic="models",
        ),
        Claim(
            "lru:text:real-part",
            "Appendix E.3, before Eq. 26",
            Kind.IDENTITY,
            "The action on the real part",
            action("Re", "+", real),
            "evidence",
            Status.PROVED,
            "theory.koopman.rotation_block",
            assumes="A is real",
            evidence=Evidence(
                at("Re"),
                {
                    "reference": f"{TOYS}.image_of_part",
                    "quadrature": f"{TOYS}.half_difference",
                },
                form=f"{TOYS}.part_of_image",
                proof=koopman.block_acts_on_parts,
            ),
            topic="models",
        ),
        Claim(
            "lru:text:imaginary-part",
            "Appendix E.3, before Eq. 26",
            Kind.IDENTITY,
            "The action on the imaginary part",
            action("Im", "-", imaginary),
            "evidence",
            Status.REFUTED,
            "theory.koopman.rotation_block",
            correction=r"A \cdot \operatorname{Im}(v) = \frac{1}{2i} A(v - v^*) = "
            r"\operatorname{Im}(\lambda v) = " + imaginary,
            assumes="A is real",
            evidence=Evidence(
                at("Im"),
                {"reference": f"{TOYS}.image_of_part"},
                form=f"{TOYS}.part_of_image",
                printed=f"{TOYS}.half_difference",
                proof=koopman.block_acts_on_parts,
            ),
            note="The two middle members lack a factor 1/i: (v - v*)/2 is i Im v. First "
            "and last member are right.",
            inherits="No.",
            topic="models",
        ),
        Claim(
            "lru:text:blocks-as-numbers",
            "Appendix E.3",
            Kind.TEXT,
            "The blocks multiply as complex numbers do",
            r"\tilde\Lambda(\lambda)\tilde\Lambda(\mu) = \tilde\Lambda(\lambda\mu)",
            "evidence",
            Status.PROVED,
            "theory.koopman.block_multiplies_as_numbers",
            evidence=Evidence(
                tuple(
                    {"lam": lam, "mu": mu} for lam, mu in ((0.3 + 0.8j, -0.5 + 0.2j),)
                ),
                {"reference": f"{TOYS}.block_product"},
                form=f"{TOYS}.block_of_product",
                proof=koopman.block_multiplies_as_numbers,
            ),
            note="With either sign of the block. Four entries hold two numbers.",
            topic="models",
        ),
    )
