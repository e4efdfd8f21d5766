"""Orvieto et al. (2023), Appendix A: the listing."""

from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("", "models", "sigprop.layers.lru")

part.row(
    "lru:listing:forward",
    "algorithm",
    "confirmed",
    "The listing's forward pass",
    r"x_k = \Lambda x_{k-1} + \exp(\gamma^{\log}) \odot (B u_k),\quad y_k = \Re(C x_k) "
    r"+ D \odot u_k",
    where="Appendix A, function forward",
    code="LRU",
    note="The listing, transcribed, gives what Eq. 7 gives in a plain loop and what "
    "the package's layer gives with the same arrays. The text writes D u without "
    "saying there that D acts entry by entry, and C x without its real part, see lru:3; "
    "the listing has both.",
)
part.row(
    "lru:listing:init",
    "algorithm",
    "confirmed",
    "The listing's eigenvalues and normalisation",
    r"\nu^{\log} = \log(-0.5\log(u_1(r_{\max}^2 - r_{\min}^2) + r_{\min}^2)),\ "
    r"\theta^{\log} = \log(\theta_{\max} u_2),\ \gamma^{\log} = \log\sqrt{1 - "
    r"|\lambda|^2}",
    where="Appendix A, function init_lru_parameters",
    code="ring_parameters",
    topic="parametrisation",
    note="The default max_phase of 6.28 omits 0.05 % of the circle. A sample of "
    "exactly zero for u_2 gives a phase that never changes.",
)
part.row(
    "lru:listing:operator",
    "algorithm",
    "proved",
    "The operator of the parallel scan",
    r"(a_i, b_i) \bullet (a_j, b_j) = (a_j a_i,\ a_j b_i + b_j)",
    where="Appendix A, function binary_operator_diag",
    code="sigprop.theory.spectral.scan_is_associative",
    note="The operator is associative but not commutative: the later element is the "
    "second.",
)
part.row(
    "lru:listing:projections",
    "moment",
    "confirmed",
    "The listing's projections keep the size of white inputs",
    r"\operatorname{Var}(B_{re}) = \operatorname{Var}(B_{im}) = \frac{1}{2H},\ "
    r"\operatorname{Var}(C_{re}) = \operatorname{Var}(C_{im}) = \frac{1}{N} "
    r"\Rightarrow \mathbb{E}[(y - Du)^2] = \mathbb{E}[u^2]",
    where="Appendix A, function init_lru_parameters",
    code="lru",
    assumes="white input, before anything is learnt",
    note="The paper says only that the halving by the real part is accounted for.",
)
part.row(
    "lru:text:factor-two",
    "text",
    "refuted",
    "Which projection compensates the real part",
    r"B, C \text{ follow Glorot, } B \text{ scaled additionally by a factor } 2 \text{ "
    r"as taking the real part halves the variance}",
    where="Appendix A",
    code="lru",
    correction=r"B, C \text{ follow Glorot, } C \text{ scaled additionally by a factor } 2 "
    r"\text{ in variance as taking the real part halves the variance}",
    note="We compare E|x_i|^2 for white input of unit variance. In the listing it is "
    "1. There B is divided by sqrt(2H), as Glorot has it for complex entries. C is "
    "divided by sqrt(N), which is twice the Glorot variance. If the text's factor 2 "
    "is the one in sqrt(2H), it divides B and does not compensate the real part. "
    "Section 3.2.2 has a third version, which halves the variance of C as well.",
    erratum=Erratum(
        "E",
        bearing="The output is the same, because the listing's C has the factor.",
    ),
)
