"""Orvieto et al. (2023), Sections 3.1-3.2: linear and diagonal recurrences."""

import cmath
import math

from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import LRU, TOYS, printed_numbers

DIAGONALS = tuple({"seed": seed, "steps": 6} for seed in (0, 1, 2))
MODES = tuple(
    {"lam": lam, "k": k, "source": "impulse"}
    for lam, k in ((0.8 + 0.3j, 5), (-0.6, 9), (1.02j, 20))
)
LASTING = tuple(
    {"lam": lam, "k": 60, "source": "constant"} for lam in (0.5 + 0.2j, -0.6)
)
SPEEDS = ("scifar", "listops", "text", "retrieval", "pathx")


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_linear(), *_dense_to_diagonal(), *_speed(), *_initialisation())


def _linear() -> tuple[Claim, ...]:
    return (
        printed_numbers(
            "lru:text:linear-better",
            "Section 3.1 and Table 1",
            "Linear recurrences are more accurate",
            r"\text{dropping the nonlinearity improves accuracy on most tasks}",
            "gains_of_all",
            {"table": 1, "models": "linear", "other": "tanh",
             "tasks": "scifar,listops,text,retrieval"},
            0.0,
            ">",
            wrong=100.0,
            note="On all four tasks shown, over tanh by 0.2 to 6.5 points; over ReLU by "
            "0.6 to 12.8.",
        ),
        printed_numbers(
            "lru:text:vanilla-matches",
            "Section 3.1",
            "Vanilla RNNs suffice for Text and Retrieval",
            r"\text{on Text and Retrieval vanilla RNNs match deep SSMs}",
            "above_worst_deep",
            tuple(
                {"table": 6, "models": models, "tasks": "text,retrieval"}
                for models in ("linear,tanh", "relu")
            ),
            0.0,
            ">=",
            status=Status.CONDITIONAL,
            wrong=100.0,
            condition=Condition(
                "for the linear and the tanh RNN, against the least accurate of the deep "
                "models",
                lambda models, **_: "relu" not in models.split(","),
            ),
            note="The ReLU RNN is 0.4 points below all of them on Retrieval.",
        ),
        printed_numbers(
            "lru:text:far-behind",
            "Section 3.1",
            "Dense linear RNNs are far behind S4 on sCIFAR",
            r"\text{linear RNN far behind S4 on sCIFAR}",
            "above_worst_deep",
            {"table": 6, "models": "linear", "tasks": "scifar"},
            -16.6,
            absolute=0.05,
            note="16.6 points below the least accurate deep model and 18.9 below S4. On "
            "PathFinder and PathX they do not beat chance.",
        ),
    )  # fmt: skip


def _dense_to_diagonal() -> tuple[Claim, ...]:
    return (
        Claim(
            "lru:text:diagonal-unrolled",
            "Section 3.2.1",
            Kind.TEXT,
            "The dense system in its eigenvectors' basis",
            r"\bar{x}_k = \sum_{j=0}^{k-1} \Lambda^j \bar{B} u_{k-j},\quad y_k = "
            r"\Re[\bar{C}\bar{x}_k] + D u_k",
            "evidence",
            Status.REFUTED,
            "sigprop.references.lru_toys.diagonal_output",
            correction=r"\bar{x}_k = \sum_{j=0}^{k} \Lambda^j \bar{B} u_{k-j},\quad y_k = "
            r"\Re[\bar{C}\bar{x}_k] + D u_k",
            assumes="A is diagonalisable",
            evidence=Evidence(
                DIAGONALS,
                {
                    "impulse": f"{TOYS}.dense_output",
                    "reference": f"{TOYS}.dense_output_by_loop",
                },
                form=f"{TOYS}.diagonal_output",
                printed=f"{TOYS}.diagonal_output_as_printed",
            ),
            note="The sum drops the oldest input, as Eq. 4 does. With it the diagonal "
            "system gives the dense one's outputs exactly.",
            inherits="The stability paragraph and Section 4 repeat the upper limit k-1.",
            topic="models",
        ),
        Claim(
            "lru:text:stability-order",
            "Section 3.2.1",
            Kind.TEXT,
            "How one mode evolves",
            r"|x_{k,j}| = O(|\bar{x}_{k,j}|) = O(|\lambda_j|^k)",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.lru_toys.forced_mode",
            condition=Condition(
                "no input after the first, or |lambda_j| > 1; and for the component of "
                "the diagonal state only",
                lambda lam, source, **_: source == "impulse" or abs(lam) > 1,
            ),
            evidence=Evidence(
                (*MODES, *LASTING),
                {"reference": f"{TOYS}.forced_mode"},
                form=lambda lam, k, source: abs(lam) ** k,
                alone="the recurrence of one mode",
            ),
            note="Under lasting inputs a stable mode does not decay: at constant input it "
            "tends to 1/(1 - lambda). And component j of x mixes all modes through P, so "
            "it is of the order of the largest, not of mode j.",
            inherits="No: the sufficient condition drawn from it is right.",
            topic="models",
        ),
        Claim(
            "lru:text:stable-sufficient",
            "Section 3.2.1",
            Kind.TEXT,
            "Eigenvalues inside the disc suffice for stability",
            r"|\lambda_j| < 1\ \forall j \Rightarrow x_k \text{ does not explode}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru_toys.bounded_mode",
            evidence=Evidence(
                tuple(
                    {"radius": radius, "phase": phase, "steps": 800, "seed": seed}
                    for radius, phase, seed in (
                        (0.9, 0.4, 0),
                        (0.5, 2.0, 1),
                        (0.97, 3, 2),
                    )
                ),
                {
                    "reference": f"{TOYS}.bounded_mode",
                    "impulse": f"{TOYS}.aligned_mode",
                },
                form=lambda radius, phase, steps, seed: 1 / (1 - radius),
                relation="<=",
                slips={
                    "half": lambda radius, phase, steps, seed: 0.5 / (1 - radius),
                    "5 % less": lambda radius, phase, steps, seed: 0.95 / (1 - radius),
                },
            ),
            note="For inputs of size at most b a mode stays below b/(1 - |lambda|), and "
            "inputs turned to add up come as near as one likes.",
            topic="models",
        ),
    )


def _speed() -> tuple[Claim, ...]:
    return (
        printed_numbers(
            "lru:text:eight-times",
            "Section 3.2.2",
            "Diagonal recurrences are faster to train",
            r"\text{sCIFAR: } \sim 8 \text{ times faster than a dense RNN}",
            "least_speed_ratio",
            {"model": "lru", "other": "tanh", "tasks": "scifar"},
            8.0,
            absolute=0.5,
            note="7.95 by Table 4, whose dense RNN has tanh; the text says ReLU.",
        ),
        printed_numbers(
            "lru:text:as-fast",
            "Section 3.2.2",
            "As fast to train as S4D and S5",
            r"\text{speed of LRU} \approx \text{speed of S4D}",
            "least_speed_ratio",
            tuple(
                {"model": "lru", "other": "s4d", "tasks": tasks}
                for tasks in (",".join(SPEEDS), "pathfinder")
            ),
            0.9,
            ">=",
            status=Status.CONDITIONAL,
            wrong=1.5,
            condition=Condition(
                "on all tasks but PathFinder",
                lambda tasks, **_: "pathfinder" not in tasks.split(","),
            ),
            note="On PathFinder Table 4 has S4D 1.58 times as fast as the LRU (24.5 to "
            "15.5 steps a second). Elsewhere the LRU makes at least nine steps to S4D's "
            "ten.",
        ),
        printed_numbers(
            "lru:text:all-faster",
            "Section 3.2.2",
            "Faster to train on every task",
            r"\text{diagonalising reduces training time on all tasks}",
            "least_speed_ratio",
            {"model": "lru", "other": "tanh"},
            1.0,
            ">",
            wrong=2.0,
            note="By a factor of 1.9 at least (ListOps). Table 4 has no inference times.",
        ),
        printed_numbers(
            "lru:text:diagonal-better",
            "Section 3.2.2 and Table 2",
            "Diagonalising improves accuracy",
            r"\text{diagonalising improves accuracy on ListOps and sCIFAR}",
            "least_gain",
            {
                "table": 2,
                "model": "real+im",
                "other": "dense",
                "tasks": "scifar,listops",
            },
            0.0,
            ">",
            wrong=100.0,
            note="By 14.3 and 8.4 points. On Text and Retrieval, which Table 2 leaves out, "
            "Table 7 has it 1.7 and 1.3 points lower.",
        ),
    )


def _initialisation() -> tuple[Claim, ...]:
    sizes = ({"size": 2000}, {"size": 8000})
    return (
        Claim(
            "lru:text:approximately-stable",
            "Section 3.2.2, after Theorem 3.1",
            Kind.LIMIT,
            "Glorot initialisation is approximately stable",
            r"\mu_N(|z| > 1) \rightarrow 0",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.ginibre.radial_law",
            evidence=Evidence(
                sizes,
                {"reference": f"{LRU}.share_outside"},
                form=lambda size: 1 / math.sqrt(2 * math.pi * size),
                tolerance=0.01,
                alone="the exact law of the eigenvalues at finite size",
            ),
            note="The share outside the disc falls like 1/sqrt(2 pi N), so their number "
            "grows like sqrt(N/(2 pi)): about nine of 500. In the sense of Section 3.2.1, "
            "which asks all |lambda| < 1, such a matrix is unstable.",
            topic="ring",
        ),
        Claim(
            "lru:text:exponential",
            "Section 3.2.2",
            Kind.DEFINITION,
            "The exponential of a complex number",
            r"\exp(-\nu + i\theta) := e^{-\nu}(\cos(\theta) + i\sin(\theta))",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.complex_diagonal.complex_diagonal",
            evidence=Evidence(
                tuple({"nu": nu, "theta": t} for nu, t in ((0.3, 1.1), (0.01, -2.0))),
                {"reference": f"{TOYS}.polar"},
                form=lambda nu, theta: cmath.exp(complex(-nu, theta)),
                alone="real functions against the complex exponential",
            ),
            topic="parametrisation",
        ),
        Claim(
            "lru:text:halved-variance",
            "Section 3.2.2",
            Kind.TEXT,
            "Halved variances preserve lengths",
            r"B, C: \text{ Glorot for both parts, with halved variance in each, to "
            r"preserve lengths}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.lru.projected_length",
            condition=Condition(
                "for B, and for C before the real part of its output is taken",
                lambda matrix, **_: matrix in ("B", "C"),
            ),
            evidence=Evidence(
                (
                    *(
                        {"matrix": matrix, "fan_in": size}
                        for matrix in ("B", "C")
                        for size in (3, 8)
                    ),
                    {"matrix": "C, real part", "fan_in": 5},
                ),
                {"reference": f"{LRU}.projected_length"},
                form=lambda matrix, fan_in: 1.0,
                alone="a sum over the entries, which are independent",
            ),
            note="The layer keeps the real part of C x, which halves the mean square. The "
            "listing of Appendix A does not halve the variances of C, and so it does "
            "preserve lengths; text and listing differ.",
            topic="models",
        ),
    )
