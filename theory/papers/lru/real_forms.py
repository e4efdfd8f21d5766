"""Orvieto et al. (2023), Appendix E.3: alternatives to complex numbers, Eq. 25-26."""

import math

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

BLOCK = (
    r"\begin{pmatrix} \Re(\lambda) & %s\Im(\lambda) \\ %s\Im(\lambda) & \Re(\lambda) "
    r"\end{pmatrix}"
)
IMAGINARY = r"\Re(\lambda)\Im(v) + \Im(\lambda)\Re(v)"


def action(part: str, sign: str, last: str, over: str = "2") -> str:
    """Return the LaTeX of ``A`` times the real or imaginary part of ``v``, as printed."""
    half = rf"\frac{{1}}{{{over}}}"
    return (
        rf"A \cdot \operatorname{{{part}}}(v) = {half} A(v {sign} v^*) = {half}"
        rf"(\lambda v {sign} \lambda^* v^*) = \operatorname{{{part}}}(\lambda v) = {last}"
    )


part = Part("Appendix E.3", "models", "sigprop.theory.koopman")
before = part.at("Appendix E.3, before Eq. 26")

part.row(
    "lru:25",
    "identity",
    "proved",
    "A pair of conjugate eigenvectors",
    r"A V = V \begin{pmatrix} \lambda & 0 \\ 0 & \lambda^* \end{pmatrix} =: V \Lambda",
    code="conjugate_is_eigenvalue",
    assumes="A is real",
)
part.row(
    "lru:26",
    "identity",
    "refuted",
    "The action of A on the real and imaginary parts of an eigenvector",
    r"A \tilde{V} = \tilde{V} " + BLOCK % ("-", "") + r" =: \tilde{V} "
    r"\tilde{\Lambda},\quad \tilde{V} = [\Re(v), \Im(v)]",
    code="rotation_block",
    correction=r"A \tilde{V} = \tilde{V} " + BLOCK % ("", "-"),
    assumes="A is real",
    note="The printed block is transposed. The two lines before Eq. 26 give A Re v = "
    "Re(lam) Re v - Im(lam) Im v, which is the first column. The printed block is "
    "right for the basis [Re v, -Im v], or for conj(lam).",
    erratum=Erratum(
        "B", bearing="Both blocks have the same eigenvalues and the same algebra."
    ),
)
part.row(
    "lru:text:conjugate-eigenvector",
    "identity",
    "proved",
    "Eigenvectors come in conjugate pairs",
    r"A v^* = (A v)^* = (\lambda v)^* = \lambda^* v^*",
    code="conjugate_is_eigenvalue",
    assumes="A is real",
)
part.row(
    "lru:text:real-eigenvector",
    "text",
    "conditional",
    "A real eigenvalue has a real eigenvector",
    r"v \in \mathbb{C}^N \text{ an eigenvector, } \lambda \in \mathbb{R} \Rightarrow v + "
    r"v^* \in \mathbb{R}^N \text{ is an eigenvector with eigenvalue } \lambda",
    code="sigprop.evidence.lru.real_forms.real_eigenvector_length",
    condition=Condition(
        "the real part of v is not zero",
        lambda angle, **_: abs(math.cos(angle)) > 1e-12,
    ),
    note="For v = i w with real w the sum v + v* is 0, which is no eigenvector. Then "
    "i(v - v*) is a real eigenvector, so one always exists. We compare with 1, the "
    "value where the sum is not zero.",
    erratum=Erratum("B", bearing="One of the two is always an eigenvector."),
)
before.row(
    "lru:text:real-part",
    "identity",
    "proved",
    "The action of A on the real part of an eigenvector",
    action("Re", "+", r"\Re(\lambda)\Re(v) - \Im(\lambda)\Im(v)"),
    code="rotation_block",
    assumes="A is real",
)
before.row(
    "lru:text:imaginary-part",
    "identity",
    "refuted",
    "The action of A on the imaginary part of an eigenvector",
    action("Im", "-", IMAGINARY),
    code="rotation_block",
    correction=action("Im", "-", IMAGINARY, "2i"),
    assumes="A is real",
    note="The two middle members lack a factor 1/i: (v - v*)/2 is i Im v. The first "
    "and the last member are right.",
    erratum=Erratum("C", bearing="The last member, which Eq. 26 uses, is right."),
)
part.row(
    "lru:text:blocks-as-numbers",
    "text",
    "proved",
    "The blocks multiply as complex numbers do",
    r"\tilde\Lambda(\lambda)\tilde\Lambda(\mu) = \tilde\Lambda(\lambda\mu)",
    code="block_multiplies_as_numbers",
    note="The statement holds for either sign of the block. The four entries contain "
    "two numbers.",
)
