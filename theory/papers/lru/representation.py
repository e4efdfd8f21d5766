"""Orvieto et al. (2023), Sections 1, 3.1, 3.2.1 and Appendix B: expressivity of each form."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("", "models", "sigprop.evidence.lru.representation")

part.row(
    "lru:text:compact-image",
    "text",
    "conditional",
    "States of nonlinear RNNs are bounded",
    r"\text{The state } x_k \text{ of a nonlinear RNN } x_k = \sigma(A x_{k-1} + B u_k) "
    r"\text{ is forced to live on the compact image of the activation function } \sigma",
    where="Section 3.2.1, after Eq. 4",
    code="largest_state",
    condition=Condition(
        "the activation is bounded, as tanh and the sigmoid are",
        lambda activation, **_: activation != "relu",
    ),
    note="The image of the ReLU of Table 1 is not bounded, and its state can explode as "
    "the linear one can. The images of tanh and of the sigmoid are bounded, although "
    "neither contains its ends. We test a single unit with x_k = f(a x_{k-1} + b).",
    erratum=Erratum(
        "D",
        bearing="The contrast with linear RNNs holds for tanh; Tables 1 and 6 also compare "
        "with the ReLU.",
    ),
)
part.row(
    "lru:text:diagonalisable",
    "text",
    "proved",
    "Every matrix is nearly diagonalisable",
    r"\text{Every matrix } A \in \mathbb{R}^{N\times N} \text{ is diagonalizable, up to an "
    r"arbitrarily small perturbation of the entries}",
    where="Section 3.2.1 and Appendix E.3",
    code="jordan_split",
    topic="spectral",
    note="The proof is of two by two matrices: equal eigenvalues are zeros of a polynomial "
    "in the entries that is not zero. The values are of a Jordan block whose corner entry "
    "is epsilon. Its eigenvalues are 2 epsilon^(1/N) sin(pi/N) apart, but the matrix of "
    "its eigenvectors has the condition number epsilon^(1/N - 1), which is 5623 for N = 4 "
    "and epsilon = 0.00001.",
)
part.row(
    "lru:text:equivalently",
    "text",
    "conditional",
    "Complex diagonal and real dense systems of one size",
    r"\text{A linear RNN } (A, B, C, D) \text{ with } N \text{ states can equivalently be "
    r"learnt as } (\Lambda, \bar{B}, \bar{C}, D), \text{ where } \Lambda, \bar{B}, \bar{C} "
    r"\text{ are complex valued, } \Lambda \in \mathbb{C}^{N\times N} \text{ is diagonal, "
    r"and } y_k = \Re[\bar{C}\bar{x}_k] + D u_k",
    where="Section 3.2.1",
    code="order_of_kernel",
    condition=Condition(
        "the eigenvalues are real or come in conjugate pairs, with conjugate rows of B-bar "
        "and columns of C-bar, as those of a real A do",
        lambda free, **_: free == 0,
    ),
    note="The real part of C-bar x-bar with N free complex states is the output of a real "
    "system with up to 2N states. So the diagonal form can do all that the dense form "
    "can, and more. We compute the least number of states of a real system with the same "
    "kernel, the rank of its Hankel matrix.",
    erratum=Erratum(
        "D",
        appears_in=("Section 1, without affecting the expressivity of the network",),
        bearing="The free form represents more than the dense form, not less. Table 2 "
        "compares both at one size.",
    ),
)
part.row(
    "lru:text:features-at-start",
    "text",
    "conditional",
    "Features of the diagonal form at initialisation",
    r"\text{Dense linear RNN layers can be reparameterized to a complex diagonal form "
    r"without affecting the expressivity of the network or the features at initialization}",
    where="Section 1, on Section 3.2",
    code="weight_of_age",
    topic="ring",
    condition=Condition(
        "Lambda, B-bar = P^-1 B and C-bar = C P are computed from the dense matrices, and "
        "not sampled",
        lambda start, **_: start == "computed",
    ),
    note="Section 3.2.2 samples Lambda on the unit disc and B-bar by Glorot's rule, which "
    "keeps the limit of the spectrum. It does not keep the features: of an input j steps "
    "old the sampled states have 1/(j + 1) of the squared norm, the dense state has 1 for "
    "j = 1 and 1 + 2/N^2 for j = 2. Powers of a random matrix do not shrink as those of "
    "its eigenvalues do, because its eigenvectors are not orthogonal.",
    erratum=Erratum(
        "D",
        appears_in=(
            "Section 3, speed-up without affecting the initialization distribution",
        ),
        bearing="Table 2 compares a dense and a sampled diagonal form. Their memories "
        "differ at initialisation.",
    ),
)
part.row(
    "lru:text:polynomial-degree",
    "text",
    "refuted",
    "Degree of the polynomial that N coefficients fix",
    r"\text{The hidden state } x(t) \in \mathbb{R}^N \text{ contains the coefficients for "
    r"the best } N\text{-th degree polynomial approximation to } u([0, t])",
    where="Appendix B, on Gu et al. (2020)",
    code="residual_of_power",
    correction=r"\text{the best polynomial approximation of degree } N - 1",
    note="A polynomial of degree N has N + 1 coefficients. We approximate s^N on [0, 1] "
    "by N coefficients: the least mean square error is (N!)^4 / ((2N)!^2 (2N + 1)). A "
    "polynomial of degree N would have none. The cited work has polynomials of degree "
    "less than N.",
    erratum=Erratum("E", bearing="It is a sentence on related work."),
)
part.row(
    "lru:text:unitary-signal",
    "text",
    "confirmed",
    "Unitary transitions keep the signal of the past",
    r"\text{The signal from past timestamps is not exponentially vanishing/exploding where "
    r"the eigenvalues of a unitary transition matrix live on the unit circle}",
    where="Appendix B, on Arjovsky et al. (2016)",
    code="kept_norm",
    assumes="a linear recurrence, as in Section 3.2.1, with a unitary matrix",
    note="The state keeps the norm of an input for ever. Eigenvalues on the circle alone "
    "are not enough for this: the norm then may grow like a power of the age. With the "
    "nonlinearity of Eq. 1 the signal may vanish.",
)
part.row(
    "lru:text:linear-not-turing",
    "text",
    "confirmed",
    "A linear RNN cannot compute everything",
    r"\text{Turing completeness, a strong property of single-layer sigmoidal and tanh RNNs, "
    r"cannot be achieved by the linear variant}",
    where="Section 3.1",
    code="error_of_xor",
    note="We judge the linear half. The output after two inputs of 0 or 1 is a linear "
    "function of them, and misses their XOR by at least 2/3. No threshold repairs "
    "it: an output above it at (0, 1) and (1, 0), and below it at (0, 0), is above it at "
    "(1, 1). That nonlinear RNNs are Turing complete is quoted from other work.",
)
