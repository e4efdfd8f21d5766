"""RotRNN: rotations as exponentials, and the norm of the state.

A rotation is ``P Theta P^T``, where ``Theta`` consists of 2x2 blocks.  Statements on it follow
from one block ``exp(theta J)``, with ``J`` the rotation by 90 degrees, and from traces.

Source: RotRNN (2024), Sections 3 and 4 and Appendix A.
"""

from functools import cache

from sympy import (
    Expr,
    I,
    Integer,
    Matrix,
    Rational,
    Symbol,
    cos,
    discriminant,
    exp,
    expand,
    expand_complex,
    eye,
    factor,
    integrate,
    log,
    simplify,
    sin,
    solve,
    sqrt,
    symbols,
)

from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import T, n, r_max, r_min, theta, u1

gamma = Symbol("gamma", positive=True)  # decay of a head
scale = Symbol("alpha", positive=True)  # normalises state and input, Eq. 6
c = Symbol("c", positive=True)  # desired second moment of the state
s = Symbol("s", positive=True)  # Tr(B^T B)
s1, s2 = symbols("s_1 s_2", positive=True)  # squared norms of the rows of B~
r1, r2 = symbols("r_1 r_2", positive=True)  # moduli of the LRU's eigenvalues
step = Symbol("Delta_t", positive=True)  # stepsize of the discretisation
pole = Symbol("a_c", nonzero=True)  # one mode of the continuous system
gain = Symbol("b_c")  # factor on its input
gamma_log = Symbol("gamma_log", real=True)

HALF = Rational(1, 2)
QUARTER = Matrix([[0, -1], [1, 0]])  # J


def turn(angle: Expr) -> Matrix:
    """Return the matrix that rotates the plane by an angle."""
    return Matrix([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def _vanishes(matrix: Matrix) -> bool:
    return matrix.applyfunc(simplify).is_zero_matrix is True


def block_is_exponential() -> bool:
    """Prove ``exp(theta J) = turn(theta)`` by their derivatives and values at zero."""
    residual = turn(theta).diff(theta) - QUARTER * turn(theta)
    return _vanishes(residual) and turn(Integer(0)) == eye(2)


@cache
def block_is_rotation() -> bool:
    """Prove that a block is orthogonal with determinant one, and ``J`` is traceless."""
    block = turn(theta)
    return (
        block_is_exponential()
        and _vanishes(block * block.T - eye(2))
        and _vanishes(block.T * block - eye(2))
        and simplify(block.det()) == 1
        and QUARTER.trace() == 0
    )


def powers_add_angles() -> bool:
    """Prove ``turn(n theta) turn(theta) = turn((n + 1) theta)``, and so powers by induction."""
    return _vanishes(turn(n * theta) * turn(theta) - turn((n + 1) * theta))


def planar_rotations_commute() -> bool:
    """Prove ``P Theta P^T = Theta`` in the plane, for every rotation ``P``."""
    phi = Symbol("phi", real=True)
    return _vanishes(turn(phi) * turn(theta) * turn(phi).T - turn(theta))


def planar_heads_are_pairs() -> bool:
    """Prove that a head of two states has the response ``Re(c lam b)``, for any ``P``.

    ``B = P B~`` and ``C = C~ P^T`` rotate the real and imaginary parts of ``b`` and ``c``.  The
    recurrent matrix is ``P (nu Theta) P^T``, whose powers add angles.
    """
    phi, nu = Symbol("phi", real=True), Symbol("nu", positive=True)
    b = Matrix(symbols("b:2", real=True))
    d = Matrix([symbols("c:2", real=True)])
    P = turn(phi)
    read = (d * P.T) * (P * nu * turn(theta) * P.T) * (P * b)
    product = (d[0] - I * d[1]) * nu * exp(I * theta) * (b[0] + I * b[1])
    return simplify(read[0] - expand_complex(product).as_real_imag()[0]) == 0


def flip_reverses_angle() -> bool:
    """Prove ``F turn(theta) F = turn(-theta)`` for the flip of the second axis.

    A ``P`` of determinant -1 can thus be replaced by ``P F`` of determinant 1.
    """
    flip = Matrix([[1, 0], [0, -1]])
    return flip.det() == -1 and _vanishes(flip * turn(theta) * flip - turn(-theta))


@cache
def products_of_members() -> bool:
    """Prove ``det(P) det(Theta) det(P^T) = det(P)^2 = 1`` in the plane, both signs."""
    phi = Symbol("phi", real=True)
    flip = Matrix([[1, 0], [0, -1]])
    return all(
        simplify((P * turn(theta) * P.T).det()) == 1
        and _vanishes(P * turn(theta) * turn(theta).T * P.T - eye(2))
        for P in (turn(phi), turn(phi) * flip)
    )


def skew_squares() -> bool:
    """Prove ``S S^T = S^T S = -S^2`` for ``S = M - M^T``, ``M`` of size three."""
    M = Matrix(3, 3, symbols("m:9", real=True))
    S = M - M.T
    return all(
        (product + S * S).expand().is_zero_matrix for product in (S * S.T, S.T * S)
    )


def distinct_eigenvalues_are_generic() -> bool:
    """Prove that the discriminant of a matrix is a nonzero polynomial of its entries.

    At ``diag(1, ..., N)`` it is the product of all ``(i - j)^2``, here for N up to five.
    Matrices with a double eigenvalue therefore have measure zero.
    """
    x = Symbol("x")
    polynomials = (
        Matrix.diag(*range(1, size + 1)).charpoly(x).as_expr() for size in range(2, 6)
    )
    return all(discriminant(polynomial, x) != 0 for polynomial in polynomials)


def combine(
    first: tuple[Expr, Expr, Matrix], second: tuple[Expr, Expr, Matrix]
) -> tuple[Expr, Expr, Matrix]:
    """Apply the listing's binary operator on (decay, angle, state) of one block."""
    decay, angle, state = second
    return (
        first[0] * decay,
        first[1] + angle,
        decay * turn(angle) * first[2] + state,
    )


def combine_is_associative() -> bool:
    """Prove that ``combine`` is associative, as a parallel scan requires."""
    a, b, d = (
        (
            Symbol(f"g{i}"),
            Symbol(f"t{i}", real=True),
            Matrix(symbols(f"x{i} y{i}", real=True)),
        )
        for i in range(3)
    )
    left, right = combine(combine(a, b), d), combine(a, combine(b, d))
    return (
        simplify(left[0] - right[0]) == 0
        and simplify(left[1] - right[1]) == 0
        and _vanishes((left[2] - right[2]).expand(trig=True))
    )


def norm_splits() -> bool:
    """Prove Eq. 7 without expectations: ``|a(g A x + v)|^2`` with a rotation ``A``."""
    x, v = Matrix(symbols("x:2", real=True)), Matrix(symbols("v:2", real=True))
    A = turn(theta)
    whole = scale * (gamma * A * x + v)
    parts = gamma**2 * x.dot(x) + v.dot(v) + 2 * gamma * (x.T * A.T * v)[0]
    return simplify(whole.dot(whole) - scale**2 * parts) == 0


def step_leaves_a_trace() -> bool:
    """Prove Eq. 8 in the plane: products of uncorrelated variables vanish."""
    x, u = Matrix(symbols("x:2", real=True)), Matrix(symbols("u:2", real=True))
    A, B = turn(theta), Matrix(2, 2, symbols("b:4", real=True))
    whole = scale * (gamma * A * x + B * u)
    uncorrelated = {x[i] * u[j]: 0 for i in range(2) for j in range(2)}
    mean = expand(whole.dot(whole)).subs(uncorrelated)
    parts = gamma**2 * x.dot(x) + (B.T * B * u * u.T).trace()
    return simplify(mean - scale**2 * parts) == 0


@cache
def next_norm() -> Derivation:
    """Derive ``E|x_t|^2`` if ``E|x_{t-1}|^2 = c``, for white inputs.

    Source: RotRNN (2024), Eq. 7-9.
    """
    before = Symbol("m", positive=True)
    general = scale**2 * (gamma**2 * before + s)
    return start(
        "As A keeps norms and the new input is uncorrelated with the state, the "
        "squared norm is",
        general,
        r"\mathbb{E}|x_t|^2",
    ).then(
        "With E|x_{t-1}|^2 = c this is", general.subs(before, c), r"\mathbb{E}|x_t|^2"
    )


@cache
def state_scale() -> Derivation:
    """Derive the ``alpha`` that keeps ``E|x_t|^2 = c``, the corrected Lemma 3."""
    proof = next_norm()
    (root,) = solve(proof.result - c, scale)
    return proof.then("Setting this equal to c and solving gives", root, r"\alpha")


@cache
def trace_needed() -> Derivation:
    """Derive the ``Tr(B^T B)`` that keeps ``E|x_t|^2 = c`` with ``alpha = 1``."""
    unit = next_norm().result.subs(scale, 1)
    (root,) = solve(unit - c, s)
    return start(
        "With alpha = 1 the squared norm after a step is", unit, r"\mathbb{E}|x_t|^2"
    ).then(
        "Setting this equal to c and solving gives",
        factor(root),
        r"\text{Tr}[B^\top B]",
    )


@cache
def input_scale() -> Derivation:
    """Derive the factor on ``B`` that keeps ``E|x_t|^2 = c``, the corrected Eq. 11."""
    proof = trace_needed()
    return proof.then(
        "Set xi^2 Tr(B^T B) equal to this and solve for xi:", sqrt(proof.result / s)
    )


def printed_input_scale() -> Expr:
    """Return Eq. 11 as printed."""
    return sqrt((1 - c * gamma**2) / s)


def norm_from_zero() -> bool:
    """Prove ``E|x_T|^2 = 1 - gamma^(2T)`` by induction, for ``Tr(B^T B) = 1 - gamma^2``."""
    now, then = (1 - gamma ** (2 * steps) for steps in (T, T + 1))
    after = next_norm().result.subs({scale: 1, s: 1 - gamma**2, c: now})
    return now.subs(T, 0) == 0 and simplify(after - then) == 0


@cache
def lru_norm() -> Derivation:
    """Derive ``E|x_T|^2`` of two modes of an LRU from the zero state, for white inputs."""
    terms = s1 * r1 ** (2 * n) + s2 * r2 ** (2 * n)
    return start(
        "An input of n steps ago is multiplied by Lambda^n, for n = 0 ... T-1. The "
        "squared norm of this contribution is",
        terms,
        r"|\Lambda^n \tilde{B} u|^2",
    ).then(
        "Sum over n:", geometric_sum(terms, n, Integer(0), T - 1), r"\mathbb{E}|x_T|^2"
    )


def printed_lru_norm() -> Expr:
    """Return the last sum of Eq. 14 as printed, with powers from 1 to ``T``."""
    return geometric_sum(s1 * r1 ** (2 * n) + s2 * r2 ** (2 * n), n, Integer(1), T)


@cache
def lru_limit() -> Derivation:
    """Derive the limit of ``E|x_T|^2`` of two modes of an LRU for white inputs."""
    gone = {r1 ** (2 * T): 0, r2 ** (2 * T): 0}
    limit = lru_norm().result.subs(gone)
    return lru_norm().then(
        "For moduli below one this tends, as T grows, to",
        limit,
        r"\lim_{T\to\infty} \mathbb{E}|x_T|^2",
    )


def printed_lru_limit() -> Expr:
    """Return the limit of the display after Eq. 14, whose sums omit the newest input."""
    return s1 * r1**2 / (1 - r1**2) + s2 * r2**2 / (1 - r2**2)


@cache
def normalised_lru_norm() -> Derivation:
    """Derive ``lru_limit`` with each row of ``B~`` times ``sqrt(1 - |lambda|^2)``."""
    scaled = {s1: s1 * (1 - r1**2), s2: s2 * (1 - r2**2)}
    return lru_limit().then(
        "With scaled rows this is",
        simplify(lru_limit().result.subs(scaled, simultaneous=True)),
    )


@cache
def held_input() -> Derivation:
    """Derive the weight of an input that is constant over a step in ``x' = a x + b u``.

    Source: RotRNN (2024), Eq. 1, entry by entry in the eigenbasis of ``A'``.
    """
    age = Symbol("age", positive=True)
    inside = gain * exp(pole * age)
    total = integrate(inside, (age, 0, step))
    return start("an input of that age enters with", inside).then(
        "summed over ages from 0 to the step", total
    )


def held_input_is_exact() -> bool:
    """Prove that the weight of a constant input is ``(exp(Delta a) - 1) b / a`` of Eq. 1."""
    printed = (exp(pole * step) - 1) / pole * gain
    return simplify(held_input().result - printed) == 0


def log_decay() -> Expr:
    """Return ``gamma_log`` as drawn in the listing."""
    return log(-log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2)


@cache
def decay() -> Derivation:
    """Derive ``gamma = exp(-exp(gamma_log))`` for ``gamma_log`` as drawn in the listing."""
    sample = exp(-exp(log_decay()))
    return start("The code computes gamma from gamma_log as", sample, r"\gamma").then(
        "This is", simplify(sample)
    )


def fading() -> Derivation:
    """Derive the ratio of the weights of two successive inputs in Eq. 10."""
    weight = scale ** (n + 1) * gamma**n
    return start(
        "An input of n steps ago contributes the norm", weight, r"\alpha^{n+1}\gamma^n"
    ).then(
        "Divide by the norm of an input one step later:",
        simplify(weight.subs(n, n + 1) / weight),
    )


def decay_of_log() -> Derivation:
    """Return ``gamma = exp(-exp(gamma_log))`` as a derivation."""
    return start(
        "The decay is a double exponential, so it is between zero and one:",
        exp(-exp(gamma_log)),
    )


def output_is_real_part() -> bool:
    """Prove that a conjugate pair of modes has the response ``2 Re(c lam^n b)``, n = 1."""
    parts = symbols("p:6", real=True)
    lam, b, d = (parts[i] + I * parts[i + 1] for i in (0, 2, 4))
    bars = (parts[i] - I * parts[i + 1] for i in (0, 2, 4))
    lam_bar, b_bar, d_bar = bars
    total = expand_complex(expand(d * lam * b + d_bar * lam_bar * b_bar))
    return simplify(total - 2 * expand(d * lam * b).as_real_imag()[0]) == 0
