r"""Meanings of the letters of each paper, and subjects for statements out of context.

A statement outside its paper, as in a benchmark, needs both.

>>> symbols("zucchet", r"\rho x")
('$\\rho$: decay rate of the autocovariance', '$x$: input')
"""

import re
from collections.abc import Mapping

COMMON = {
    r"\lambda": "eigenvalue of the recurrence",
    r"\mathbb{E}": "expectation over the inputs",
    r"\odot": "product entry by entry",
    "T": "number of steps",
    "L": "number of steps",
    "I": "identity matrix",
    r"\Lambda": "diagonal matrix of the eigenvalues",
    r"\mathcal{N}": "normal distribution of a mean and a variance",
    r"\mathcal{U}": "uniform distribution",
    r"\mathcal{O}": "order of growth",
    "O": "order of growth",
    r"\top": "transpose",
    r"\Theta": "order of growth, above and below",
    r"\varepsilon": "a small positive number",
    r"\pi": "the number pi",
}
LETTERS: Mapping[str, Mapping[str, str]] = {
    "zucchet": {
        "h": "hidden state",
        "x": "input",
        "y": "output",
        "L": "loss",
        "A": "recurrent matrix",
        "B": "input matrix",
        "P": "matrix of eigenvectors, A = P diag(lambda) P^-1",
        r"\text{diag}": "in the basis of eigenvectors, or a diagonal matrix",
        r"\rho": "decay rate of the autocovariance",
        "R": "autocovariance of the input, by the lag",
        "U": "bound on the autocovariance, by the lag",
        "u": "any sequence, even in its index, in place of the autocovariance",
        "t": "time step",
        r"\Delta": "lag between two inputs",
        r"\alpha": "first of two eigenvalues",
        r"\beta": "second of two eigenvalues",
        r"\gamma": "normalisation of the input",
        r"\nu": "modulus of lambda, or its parameter",
        r"\theta": "angle of lambda; parameters of the network in Eq. 1 to 4",
        r"\omega": "trainable parameter behind lambda",
        r"\partial": "partial derivative, the state before held fixed",
        "H": "Hessian of the loss, or its block of two eigenvalues",
        "S": "limit of E[dh/dlambda_i dh/dlambda_j] for two eigenvalues",
        "E": "expected squared derivative of the state by the modulus",
        "f": "forget gate, or the function that updates the state",
        "b": "input weight",
        "c": "output weight",
        r"\sigma": "logistic function",
        r"\eta": "learning rate",
        "F": "matrix with entries 1/(lambda_j - lambda_i)",
        "W": "recurrent weights of the gates",
        r"\delta": "error signal",
        "^*": "of the teacher, the optimum",
    },
    "lru": {
        "x": "state",
        "u": "input; u_1 and u_2 are uniform on [0, 1]",
        "y": "output",
        "A": "recurrent matrix",
        "B": "input matrix",
        "C": "output matrix",
        "D": "skip connection",
        "k": "time step",
        "r": "radius, |lambda|; its square in Eq. 33 to 41",
        r"\nu": "lambda = exp(-nu + i theta)",
        r"\theta": "phase of lambda",
        r"\gamma": "normalisation of the input",
        r"\omega": "angular frequency",
        r"\mathcal{F}": "Fourier transform",
        r"\mathcal{K}": "Koopman operator, (K f)(x) = f(S(x))",
        "S": "map that advances the state",
        "U": "Fourier transform of the input",
        "v": "eigenvector",
        "V": "matrix of eigenvectors",
        "P": "matrix of eigenvectors",
        "N": "number of states",
        "H": "width of the model, or transfer function",
        r"\Delta": "length of a time step",
        r"\mu": "distribution of the eigenvalues, or second eigenvalue",
        r"\mathbb{T}": "ring between two radii",
        r"\Re": "real part",
        r"\Im": "imaginary part",
        r"\star": "convolution",
        r"\chi": "indicator function",
        r"\sigma": "activation function",
        "F": "distribution function of the radius",
        r"\xi": "factor on the matrix",
        "L": "loss, or number of steps",
        r"\Phi": "map into the eigenfunctions",
        r"\phi": "eigenfunction",
        r"\alpha": "any number",
        r"\beta": "any number",
        "f": "function of the state",
        "h": "impulse response",
        r"\tau": "half the length of a pulse",
        r"\rho": "1 - r^2, of a thin ring",
    },
    "rotrnn": {
        "x": "state",
        "u": "input, white with unit covariance",
        "y": "output",
        "A": "orthogonal recurrent matrix",
        "B": "input matrix",
        "C": "output matrix",
        "D": "skip connection",
        "t": "time step",
        "P": "orthogonal matrix; in Eq. 3 the eigenvectors",
        r"\Theta": "block-diagonal matrix of rotations in planes",
        r"\theta": "angle of a rotation",
        r"\gamma": "decay of a head, between 0 and 1",
        r"\alpha": "factor on state and input of a step",
        r"\xi": "factor on the input matrix",
        "c": "required expected squared norm of the state",
        "S": "skew-symmetric matrix",
        "M": "any square matrix",
        "N": "number of states",
        "H": "number of heads",
        "b": "row norm of the input matrix",
        "O": "orthogonal matrices",
        r"\lambda": "eigenvalue of the recurrent matrix",
        r"\nu": "modulus of an eigenvalue of the LRU",
        r"\mathcal{D}": "dimension, of the model or of a head",
        "SO": "rotations, i.e. orthogonal matrices of determinant 1",
        r"\text{Tr}": "trace",
        r"\Delta": "length of a time step",
    },
    "blur": {
        "h": "hidden state",
        "u": "input",
        r"\bm{h}": "hidden state",
        r"\bm{u}": "input",
        r"\bm{v}": "input as an encoder gives it",
        r"\mathbf{A}": "recurrent matrix",
        r"\mathbf{B}": "input matrix",
        r"\mathbf{Q}": "matrix of eigenvectors",
        r"\mathbf{\Lambda}": "diagonal matrix of the eigenvalues",
        r"\mathbf{V}": "Vandermonde matrix of the eigenvalues",
        "f": "forward, as an index; else a function",
        "b": "backward, as an index",
        "k": "time step",
        "N": "number of steps",
        "n": "number of states",
        "m": "number of input channels",
        "D": "width of the network",
        "s": "number of outputs",
        "r": "bound on the entries of the state",
        "P": "dimension of the space of inputs",
        r"\mathcal{U}": "space of the inputs",
        r"\mathcal{V}": "space of the inputs",
        r"\mathcal{C}": "Barron constant of a function",
        r"\mathcal{F}": "mapping that is approximated",
        r"\Theta": "linear map from the state to the inputs, forward or backward",
        r"\circ": "composition of functions",
    },
}
"""Meanings by the paper and the LaTeX of the letter."""

SUBJECTS: Mapping[str, str] = {
    **dict.fromkeys(
        ("zucchet:36", "zucchet:37", "zucchet:38"),
        r"\sum_{n,m \ge 0} \alpha^n \beta^m u_{n-m}",
    ),
    "zucchet:41": (
        r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
        r"\left[\sum_{n,m\geq 0}\alpha^{n}\beta^{m}u_{n-m}\right]"
    ),
    "zucchet:text:fewer-parameters": r"\text{The LRU is better than the RNN, }",
    "zucchet:text:blocks": r"\text{The matrix of this student has }",
    "zucchet:text:no-pairs": r"\text{The student of Figure 10 has }",
    "zucchet:text:angle-entries": r"\text{The parametrisation of the LRU }",
    "zucchet:text:slow-dimensions": r"\text{The states of a GRU at rest decay }",
    "zucchet:text:three-times": r"\text{The task has }",
    "zucchet:text:hessian-concentration": r"\text{In the Hessian, the }",
    "zucchet:text:hessian-width": r"\text{In the Hessian of } n \text{ neurons, the }",
    "zucchet:fig4": r"\text{Of the dense and the complex diagonal network's Hessian, }",
    "zucchet:fig4:adam": r"\text{Adam uses }",
    "zucchet:fig6-modulus": r"\text{The basin of attraction }",
    "zucchet:fig7-sharpness": r"\text{The loss landscape of three parametrisations is }",
    "zucchet:fig7-granularity": r"\text{The exponential angle makes the loss smoother; }",
    "lru:text:far-behind": r"\text{Dense linear RNNs have a }",
    "lru:text:above-chance": r"\text{The exponential parametrisation }",
    "lru:text:factor-below-one": r"\text{The recurrence is trained with a }",
    "lru:table4": r"\text{Over the tanh RNN, the LRU has }",
    "lru:table5": r"\text{Normalisation and stability }",
    "rotrnn:text:stronger-guarantee": r"\text{The normalisation of RotRNN }",
    "rotrnn:text:constant-norm": r"\text{RotRNN has }",
    "rotrnn:text:best-text": r"\text{RotRNN is }",
    "rotrnn:text:pixels": r"\text{RotRNN }",
    "rotrnn:text:identical": r"\text{RotRNN }",
    "rotrnn:table1:lru-paper": r"\text{Table 1 gives the }",
    **dict.fromkeys(("rotrnn:8", "rotrnn:9"), r"\mathbb{E}\left[||x_t||^2\right] "),
    "blur:text:table3-table8": r"\text{Table 3 is a summary }",
    "blur:text:images": r"\text{The sizes are: }",
    "blur:text:brnn-citation": r"\text{BLUR is }",
}
"""Subjects in LaTeX, to put before a statement out of context, by row."""

_WORDS = re.compile(
    r"\\(?:text|texttt|mathtt|operatorname|mathrm)\{(?!diag|Tr)[^{}]*\}"
)
_STYLED = re.compile(r"\\(?:bm|mathcal|mathbf|mathbb)\{[^{}]*\}|\\[A-Za-z]+")


def symbols(paper: str, latex: str) -> tuple[str, ...]:
    """Return the letters of a formula with their meanings, in alphabetical order.

    A letter with a bar, a tilde or a hat has the meaning of the plain letter.
    """
    table = {**COMMON, **LETTERS[paper]}
    bare = _WORDS.sub(" ", latex)
    words = re.sub(r"\\text\{[^{}]*\}", " ", bare)
    plain = _STYLED.sub(" ", words)  # each remaining letter means itself
    found = [
        letter
        for letter in table
        if (letter in plain if "\\" not in letter else _stands(letter, bare))
    ]
    return tuple(
        f"${letter}$: {table[letter]}"
        for letter in sorted(found, key=lambda letter: letter.lstrip("\\").casefold())
    )


def _stands(command: str, latex: str) -> bool:
    r"""Return True if a command occurs in a formula, not only within ``\mathbf{..}``."""
    pattern = rf"(?<!\\mathbf\{{){re.escape(command)}(?![A-Za-z])"
    return re.search(pattern, latex) is not None


def subject(claim_id: str) -> str:
    """Return the LaTeX of the subject of a statement out of context, often empty."""
    return SUBJECTS.get(claim_id, "")
