"""Evidence on the forms of Sections 1, 3.1, 3.2.1 and Appendix B of Orvieto et al. (2023)."""

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import mpmath
import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import legendre, orthogonal, points
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import bidirectional

# --- bounded states --------------------------------------------------------------------

ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "tanh": math.tanh,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "relu": lambda x: max(x, 0.0),
}


def largest_state(activation: str, a: float, b: float, k: int) -> float:
    """``max |x_i|`` of ``x_i = f(a x_(i-1) + b)`` from zero, over ``i`` up to ``k``."""
    x, largest = 0.0, 0.0
    for _ in range(k):
        x = ACTIVATIONS[activation](a * x + b)
        largest = max(largest, abs(x))
    return largest


def state_at_rest(activation: str, a: float, b: float, k: int) -> float:
    """The limit of a growing state, where ``x = f(a x + b)``; ``k`` has no effect."""
    f = ACTIVATIONS[activation]
    return float(scipy.optimize.brentq(lambda x: f(a * x + b) - x, 0.0, 1.0))


# --- a Jordan block, perturbed -----------------------------------------------------------


def _least_gap(values: Iterable[Any]) -> float:
    return float(min(abs(a - b) for a, b in itertools.combinations(values, 2)))


def jordan_split(lam: float, size: int, epsilon: float) -> list[float]:
    """Least gap of the eigenvalues of a perturbed block, and the condition of ``P``."""
    A = np.diag(np.full(size, lam)) + np.diag(np.ones(size - 1), 1)
    A[-1, 0] = epsilon
    values, P = np.linalg.eig(A)
    return [_least_gap(values), float(np.linalg.cond(P))]


def jordan_by_roots(lam: float, size: int, epsilon: float) -> list[float]:
    """Gap and condition from the roots of the characteristic polynomial, in 40 digits."""
    with mpmath.workdps(40):
        terms = [math.comb(size, j) * mpmath.mpf(-lam) ** j for j in range(size + 1)]
        terms[-1] -= mpmath.mpf(epsilon)
        roots = mpmath.polyroots(terms, maxsteps=500, extraprec=200)
        P = mpmath.matrix(size)
        for row, column in itertools.product(range(size), repeat=2):
            P[row, column] = (roots[column] - lam) ** row
        sizes = mpmath.svd_c(P, compute_uv=False)
        return [_least_gap(roots), float(sizes[0] / sizes[size - 1])]


def split_of(gap: Callable[[int, float], float]) -> Callable[..., list[float]]:
    """Both values of a Jordan block, of which the first is given."""
    return lambda lam, size, epsilon: [gap(size, epsilon), epsilon ** (1 / size - 1)]


# --- order of a kernel -------------------------------------------------------------------


def modes(
    size: int, free: int, seed: int
) -> tuple[Complex[np.ndarray, " n"], Complex[np.ndarray, " n"]]:
    """Eigenvalues and products ``c b``: conjugate pairs, and ``free`` ones without.

    The angles are spread evenly, so that no two eigenvalues are close.
    """
    draw = np.random.default_rng(seed)
    pairs = (size - free) // 2
    count = pairs + free
    angles = np.pi * (np.arange(count) + draw.uniform(0.3, 0.7, count)) / count
    lam = draw.uniform(0.6, 1.0, count) * np.exp(1j * angles)
    weight = draw.uniform(0.5, 1.5, count) * np.exp(
        2j * np.pi * draw.uniform(size=count)
    )
    twins = [
        np.concatenate([values, values[:pairs].conj()]) for values in (lam, weight)
    ]
    return twins[0], twins[1]


def order_of_kernel(size: int, free: int, seed: int) -> int:
    """Rank of the Hankel matrix of the kernel ``Re sum c b lam^j``."""
    lam, weight = modes(size, free, seed)
    kernel = (lam ** np.arange(40)[:, None] @ weight).real
    hankel = scipy.linalg.hankel(kernel[:20], kernel[19:])
    sizes = np.linalg.svd(hankel, compute_uv=False)
    return int(np.sum(sizes > 1e-9 * sizes[0]))


def exponentials_of_kernel(size: int, free: int, seed: int) -> int:
    """Number of different ``z`` with nonzero ``w`` in the kernel ``sum w z^j``."""
    sums: dict[complex, complex] = {}
    for lam, weight in zip(*modes(size, free, seed), strict=True):
        for z, w in ((lam, weight), (np.conj(lam), np.conj(weight))):
            key = complex(np.round(z, 9))
            sums[key] = sums.get(key, 0) + w / 2
    return int(sum(abs(w) > 1e-9 for w in sums.values()))


# --- features at the start ----------------------------------------------------------------


def weight_of_age(start: str, age: int, size: int) -> float:
    """Mean of ``|x_age|^2`` of two states after an impulse of norm one.

    Of a dense Gaussian matrix through its eigenvectors, by cubature over its entries;
    of sampled eigenvalues on the unit disc, by quadrature over their squared modulus.
    """
    if start == "sampled":
        squares, weights = legendre(0.0, 1.0, 12)
        return float(weights @ squares**age)
    matrices, weights = gaussian_matrices(size)
    values, P = np.linalg.eig(matrices)
    impulse = np.eye(size, 1, dtype=complex)
    x = P @ (values[..., None] ** age * np.linalg.solve(P, impulse + 0 * P[..., :1]))
    return float(weights @ np.sum(np.abs(x) ** 2, axis=(1, 2)))


def gaussian_matrices(
    size: int,
) -> tuple[Float[np.ndarray, "nodes n n"], Float[np.ndarray, " nodes"]]:
    """Nodes and weights of a cubature over matrices with entries of variance ``1/N``.

    It is exact for polynomials of degree five.  A rotation of the entries, at random, keeps
    it so, and keeps its nodes from being defective matrices.

    Source: McNamee and Stenger (1967).
    """
    n = size**2
    axes = math.sqrt(3) * np.eye(n)
    pairs = [
        first * axes[i] + second * axes[j]
        for i, j in itertools.combinations(range(n), 2)
        for first, second in itertools.product((1, -1), repeat=2)
    ]
    nodes = np.concatenate([0 * axes[:1], axes, -axes, pairs])
    weights = [
        (n**2 - 7 * n + 18) / 18,
        *[(4 - n) / 18] * (2 * n),
        *[1 / 36] * len(pairs),
    ]
    turned = nodes @ orthogonal(np.random.default_rng(0), n, n) / math.sqrt(size)
    return turned.reshape(-1, size, size), np.array(weights)


def weight_by_pairings(start: str, age: int, size: int) -> float:
    """Weight of an input by a dense matrix: means of products of entries, by pairings."""
    total = 0.0
    paths = itertools.product(range(size), repeat=2 * age - 1)
    for path in paths:
        end, first, second = path[0], path[1:age], path[age:]
        factors = [
            step
            for middle in (first, second)
            for step in itertools.pairwise((end, *middle, 0))
        ]
        total += _mean_of(tuple(factors)) / size**age
    return total


def _mean_of(factors: tuple[tuple[int, int], ...]) -> int:
    """Mean of a product of standard normal entries: how many ways they pair up."""
    counts = [factors.count(entry) for entry in set(factors)]
    if any(count % 2 for count in counts):
        return 0
    return math.prod(math.prod(range(1, count, 2)) for count in counts)


def dense_weight(start: str, age: int, size: int) -> float:
    """``1`` at age 1, ``1 + 2/N^2`` at age 2."""
    return 1 + 2 * (age - 1) / size**2


# --- polynomials -----------------------------------------------------------------------------


def residual_of_power(size: int) -> float:
    """Least mean square error of ``s^N`` on [0, 1] by ``N`` coefficients."""
    s, weights = legendre(0.0, 1.0, 2 * size + 4)
    root = np.sqrt(weights)
    basis, target = s[:, None] ** np.arange(size), s**size
    best = np.linalg.lstsq(root[:, None] * basis, root * target, rcond=None)[0]
    return float(weights @ (target - basis @ best) ** 2)


def residual_by_determinants(size: int) -> float:
    """Least error of ``s^N`` as a quotient of determinants of two Hilbert matrices."""
    with mpmath.workdps(40):
        return float(
            mpmath.det(mpmath.hilbert(size + 1)) / mpmath.det(mpmath.hilbert(size))
        )


def residual(size: int) -> float:
    """``(N!)^4 / ((2N)!^2 (2N + 1))``."""
    return math.comb(2 * size, size) ** -2 / (2 * size + 1)


# --- signals ------------------------------------------------------------------------------


def _unitary(
    seed: int, size: int
) -> tuple[Float[np.ndarray, "n n"], Float[np.ndarray, " n"]]:
    draw = np.random.default_rng(seed)
    return orthogonal(draw, size, size), draw.normal(size=size)


def kept_norm(seed: int, size: int, age: int) -> float:
    """Norm of an input's remainder after some steps of an orthogonal recurrence."""
    A, x = _unitary(seed, size)
    for _ in range(age):
        x = A @ x
    return float(np.linalg.norm(x))


def kept_by_modes(seed: int, size: int, age: int) -> float:
    """Norm of an input's remainder, from its components along the eigenvectors."""
    A, x = _unitary(seed, size)
    values, P = np.linalg.eig(A)
    return float(
        np.linalg.norm(P @ (values**age * np.linalg.solve(P, x.astype(complex))))
    )


def input_norm(seed: int, size: int, age: int) -> float:
    """Norm of the input itself."""
    return float(np.linalg.norm(_unitary(seed, size)[1]))


XOR = {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0}


def error_of_xor() -> float:
    """Least largest error of ``w_1 u_1 + w_2 u_2`` as the XOR, by linear programming."""
    rows, bounds = [], []
    for word, value in XOR.items():
        for sign in (1, -1):
            rows.append([sign * word[0], sign * word[1], -1])
            bounds.append(sign * value)
    free = [(None, None)] * 3
    return float(scipy.optimize.linprog([0, 0, 1], rows, bounds, bounds=free).fun)


def error_on_grid() -> float:
    """Least largest error as the XOR, by a search over weights equal by symmetry."""
    grid = np.linspace(-2, 2, 12001)
    errors = [abs(grid * sum(word) - value) for word, value in XOR.items()]
    return float(np.max(errors, axis=0).min())


EVIDENCE: dict[str, Basis] = {
    "lru:text:compact-image": Evidence(
        points(
            "activation a b k",
            ("tanh", 1.2, 3.0, 40),
            ("sigmoid", 2.5, 5.0, 40),
            ("relu", 1.2, 1.0, 10),
            ("relu", 1.05, 0.3, 200),
        ),
        {"reference": largest_state, "fixed_point": state_at_rest},
        form=1.0,
        relation="<=",
        mutants={
            "the image of half of the activation": 0.5,
            "the value at one": math.tanh(1.0),
            "the inverse of the weight": lambda a, **_: 1 / a,
        },
        example=Example(
            "x_10 of x_k = ReLU(a x_{k-1} + 1) from x_0 = 0",
            {"a": 1.2},
            "at most 1, the end of the image of tanh",
            lambda a: largest_state("relu", a, 1.0, 10),
        ),
    ),
    "lru:text:diagonalisable": Evidence(
        points("lam size epsilon", (0.9, 4, 1e-5), (-0.3, 3, 1e-4), (0.5, 6, 1e-3)),
        {"reference": jordan_split, "roots": jordan_by_roots},
        form=split_of(
            lambda size, epsilon: 2 * epsilon ** (1 / size) * np.sin(np.pi / size)
        ),
        mutants={
            "as small as the perturbation": split_of(
                lambda size, epsilon: 2 * epsilon * np.sin(np.pi / size)
            ),
            "the root of the perturbation": split_of(
                lambda size, epsilon: 2 * epsilon**0.5 * np.sin(np.pi / size)
            ),
            "a full turn for half of one": split_of(
                lambda size, epsilon: (
                    2 * epsilon ** (1 / size) * np.sin(2 * np.pi / size)
                )
            ),
            "the distance from the eigenvalue": split_of(
                lambda size, epsilon: epsilon ** (1 / size)
            ),
        },
        tolerance=1e-7,
        proof=bidirectional.discriminant_is_no_constant,
    ),
    "lru:text:equivalently": Evidence(
        points(
            "size free seed",
            *((4, 0, 0), (6, 0, 1), (2, 0, 2)),
            *((4, 4, 0), (3, 3, 1), (4, 2, 2)),
        ),
        {"reference": order_of_kernel, "exponentials": exponentials_of_kernel},
        form=lambda size, **_: size,
        mutants={
            "a pair as one state": lambda size, **_: size / 2,
            "every state twice": lambda size, **_: 2 * size,
            "one state more": lambda size, **_: size + 1,
        },
        example=Example(
            "the third weight of a kernel with weights 1, 0 before it, N = 1 (dense: c b, "
            "c a b, c a^2 b; diagonal: Re lambda^j)",
            {"lambda": 0.9j},
            0.0,
            lambda **at: (at["lambda"] ** 2).real,
        ),
    ),
    "lru:text:features-at-start": Evidence(
        points(
            "start age size",
            *(("computed", 1, 2), ("computed", 2, 2), ("computed", 2, 3)),
            *(("sampled", 1, 2), ("sampled", 2, 3)),
        ),
        {"cubature": weight_of_age, "pairings": weight_by_pairings},
        form=dense_weight,
        mutants={
            "without the eigenvectors": lambda start, age, size: 1 / (age + 1),
            "the limit of many states": 1.0,
            "one pairing fewer": lambda start, age, size: 1 + (age - 1) / size**2,
            "one over the size": lambda start, age, size: 1 + 2 * (age - 1) / size,
        },
        example=Example(
            "the mean of |x_1|^2 / |x_0|^2 after an impulse, A of variance 1/N in the dense "
            "RNN and Lambda uniform on the unit disc in the diagonal one",
            {},
            1.0,
            lambda: weight_of_age("sampled", 1, 1),
        ),
    ),
    "lru:text:polynomial-degree": Evidence(
        points("size", 1, 2, 3, 5),
        {"reference": residual_of_power, "determinants": residual_by_determinants},
        form=residual,
        printed=0.0,
        mutants={
            "one coefficient more": lambda size: residual(size + 1),
            "the root of the binomial": lambda size: residual(size) ** 0.5,
            "without the norm of the polynomial": lambda size: (
                (2 * size + 1) * residual(size)
            ),
            "on [-1, 1]": lambda size: 4**size * residual(size),
        },
        tolerance=1e-8,
        example=Example(
            "the least mean square error of u(s) = s on [0, 1] for N = 1, the best constant",
            {},
            0.0,
            lambda: residual_of_power(1),
        ),
    ),
    "lru:text:unitary-signal": Evidence(
        points("seed size age", (0, 4, 7), (1, 6, 150), (2, 5, 900)),
        {"reference": kept_norm, "modes": kept_by_modes},
        form=input_norm,
        mutants={
            "slowly vanishing": lambda seed, size, age: (
                0.99**age * input_norm(seed, size, age)
            ),
            "the root of the age": lambda seed, size, age: (
                age**0.5 * input_norm(seed, size, age)
            ),
            "its square": lambda seed, size, age: input_norm(seed, size, age) ** 2,
            "a unit input": 1.0,
        },
    ),
    "lru:text:linear-not-turing": Evidence(
        ({},),
        {"programming": error_of_xor, "search": error_on_grid},
        form=2 / 3,
        mutants={
            "with a constant input": 0.5,
            "the error of AND": 1 / 3,
            "the error of the constant 0": 1.0,
        },
        tolerance=1e-9,
    ),
}
