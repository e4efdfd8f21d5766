"""RotRNN: rotations as exponentials, and the norm of the state that they turn.

A rotation is ``P Theta P^T`` with ``Theta`` made of 2x2 blocks, so that its statements
follow from one block ``exp(theta J)``, with ``J`` the quarter turn, and from traces.

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
c = Symbol("c", positive=True)  # second moment of the state that is wanted
s = Symbol("s", positive=True)  # Tr(B^T B)
s1, s2 = symbols("s_1 s_2", positive=True)  # squared norms of the rows of B~
r1, r2 = symbols("r_1 r_2", positive=True)  # moduli of the LRU's eigenvalues
step = Symbol("Delta_t", positive=True)  # stepsize of the discretisation
pole = Symbol("a_c", nonzero=True)  # one mode of the continuous system
gain = Symbol("b_c")  # what its input is multiplied by
gamma_log = Symbol("gamma_log", real=True)

HALF = Rational(1, 2)
QUARTER = Matrix([[0, -1], [1, 0]])  # J


def turn(angle: Expr) -> Matrix:
    """The rotation of the plane by an angle."""
    return Matrix([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def _vanishes(matrix: Matrix) -> bool:
    return matrix.applyfunc(simplify).is_zero_matrix is True


def block_is_exponential() -> bool:
    """Prove ``exp(theta J) = turn(theta)``: same derivative, same value at zero."""
    residual = turn(theta).diff(theta) - QUARTER * turn(theta)
    return _vanishes(residual) and turn(Integer(0)) == eye(2)


@cache
def block_is_rotation() -> bool:
    """Prove a block orthogonal, of determinant one, and its skew matrix traceless."""
    block = turn(theta)
    return (
        block_is_exponential()
        and _vanishes(block * block.T - eye(2))
        and _vanishes(block.T * block - eye(2))
        and simplify(block.det()) == 1
        and QUARTER.trace() == 0
    )


def powers_add_angles() -> bool:
    """Prove ``turn(n theta) turn(theta) = turn((n + 1) theta)``: powers by induction."""
    return _vanishes(turn(n * theta) * turn(theta) - turn((n + 1) * theta))


def planar_rotations_commute() -> bool:
    """Prove ``P Theta P^T = Theta`` in the plane, for every rotation ``P``."""
    phi = Symbol("phi", real=True)
    return _vanishes(turn(phi) * turn(theta) * turn(phi).T - turn(theta))


def planar_heads_are_pairs() -> bool:
    """Prove what a planar head reads out to be ``Re(c lam b)``, whatever its ``P``.

    ``B = P B~`` and ``C = C~ P^T`` turn the parts of ``b`` and ``c``, of one mode of each
    pair, and ``P (nu Theta) P^T`` is the step; powers of it add angles.
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

    So ``P`` of determinant -1 may be replaced by ``P F``, of determinant 1.
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
    """Prove the discriminant of a matrix to be no zero polynomial of its entries.

    At ``diag(1, ..., N)`` it is the product of all ``(i - j)^2``, here for N to five.  So
    matrices with a double eigenvalue have no interior: others are arbitrarily near.
    """
    x = Symbol("x")
    polynomials = (
        Matrix.diag(*range(1, size + 1)).charpoly(x).as_expr() for size in range(2, 6)
    )
    return all(discriminant(polynomial, x) != 0 for polynomial in polynomials)


def combine(
    first: tuple[Expr, Expr, Matrix], second: tuple[Expr, Expr, Matrix]
) -> tuple[Expr, Expr, Matrix]:
    """The listing's binary operator on (decay, angle, state) of one block."""
    decay, angle, state = second
    return (
        first[0] * decay,
        first[1] + angle,
        decay * turn(angle) * first[2] + state,
    )


def combine_is_associative() -> bool:
    """Prove that a parallel scan may use ``combine``."""
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
    """Prove Eq. 7 for one outcome: ``|a(g A x + v)|^2`` with a rotation ``A``."""
    x, v = Matrix(symbols("x:2", real=True)), Matrix(symbols("v:2", real=True))
    A = turn(theta)
    whole = scale * (gamma * A * x + v)
    parts = gamma**2 * x.dot(x) + v.dot(v) + 2 * gamma * (x.T * A.T * v)[0]
    return simplify(whole.dot(whole) - scale**2 * parts) == 0


def step_leaves_a_trace() -> bool:
    """Prove Eq. 8 in the plane: uncorrelated products drop out, a trace stays."""
    x, u = Matrix(symbols("x:2", real=True)), Matrix(symbols("u:2", real=True))
    A, B = turn(theta), Matrix(2, 2, symbols("b:4", real=True))
    whole = scale * (gamma * A * x + B * u)
    uncorrelated = {x[i] * u[j]: 0 for i in range(2) for j in range(2)}
    mean = expand(whole.dot(whole)).subs(uncorrelated)
    parts = gamma**2 * x.dot(x) + (B.T * B * u * u.T).trace()
    return simplify(mean - scale**2 * parts) == 0


@cache
def next_norm() -> Derivation:
    """``E|x_t|^2`` where ``E|x_{t-1}|^2 = c``, for white inputs.

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
    """The ``alpha`` that keeps ``E|x_t|^2 = c``: Lemma 3 as it should read."""
    proof = next_norm()
    (root,) = solve(proof.result - c, scale)
    return proof.then("Setting this equal to c and solving gives", root, r"\alpha")


@cache
def trace_needed() -> Derivation:
    """``Tr(B^T B)`` that keeps ``E|x_t|^2 = c`` with ``alpha = 1``."""
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
    """The factor on ``B`` that keeps ``E|x_t|^2 = c``: Eq. 11 as it should read."""
    proof = trace_needed()
    return proof.then(
        "Set xi^2 Tr(B^T B) equal to this and solve for xi:", sqrt(proof.result / s)
    )


def printed_input_scale() -> Expr:
    """Eq. 11 as printed."""
    return sqrt((1 - c * gamma**2) / s)


def norm_from_zero() -> bool:
    """Prove ``E|x_T|^2 = 1 - gamma^(2T)`` by a step, for ``Tr(B^T B) = 1 - gamma^2``."""
    now, then = (1 - gamma ** (2 * steps) for steps in (T, T + 1))
    after = next_norm().result.subs({scale: 1, s: 1 - gamma**2, c: now})
    return now.subs(T, 0) == 0 and simplify(after - then) == 0


@cache
def lru_norm() -> Derivation:
    """``E|x_T|^2`` of two modes of an LRU from the zero state, under white noise."""
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
    """Eq. 14's last sum and the display after it: powers from 1 to ``T``."""
    return geometric_sum(s1 * r1 ** (2 * n) + s2 * r2 ** (2 * n), n, Integer(1), T)


@cache
def lru_limit() -> Derivation:
    """``E|x_T|^2`` of two modes of an LRU under white noise, at infinite ``T``."""
    gone = {r1 ** (2 * T): 0, r2 ** (2 * T): 0}
    limit = lru_norm().result.subs(gone)
    return lru_norm().then(
        "For moduli below one this tends, as T grows, to",
        limit,
        r"\lim_{T\to\infty} \mathbb{E}|x_T|^2",
    )


def printed_lru_limit() -> Expr:
    """Limit of the display after Eq. 14, whose sums lack the newest input."""
    return s1 * r1**2 / (1 - r1**2) + s2 * r2**2 / (1 - r2**2)


@cache
def normalised_lru_norm() -> Derivation:
    """The limit with each row of ``B~`` times ``sqrt(1 - |lambda|^2)``."""
    scaled = {s1: s1 * (1 - r1**2), s2: s2 * (1 - r2**2)}
    return lru_limit().then(
        "With scaled rows this is",
        simplify(lru_limit().result.subs(scaled, simultaneous=True)),
    )


@cache
def held_input() -> Derivation:
    """Weight of an input held over one step in a mode ``x' = a x + b u``.

    Source: RotRNN (2024), Eq. 1, entry by entry in the eigenbasis of ``A'``.
    """
    age = Symbol("age", positive=True)
    inside = gain * exp(pole * age)
    total = integrate(inside, (age, 0, step))
    return start("an input of that age enters with", inside).then(
        "summed over ages from 0 to the step", total
    )


def held_input_is_exact() -> bool:
    """Prove Eq. 1's ``(exp(Delta a) - 1) b / a`` to be the weight of a held input."""
    printed = (exp(pole * step) - 1) / pole * gain
    return simplify(held_input().result - printed) == 0


def log_decay() -> Expr:
    """``gamma_log`` as the listing draws it."""
    return log(-log(u1 * (r_max**2 - r_min**2) + r_min**2) / 2)


@cache
def decay() -> Derivation:
    """``gamma = exp(-exp(gamma_log))`` of what the listing draws."""
    sample = exp(-exp(log_decay()))
    return start("The code computes gamma from gamma_log as", sample, r"\gamma").then(
        "This is", simplify(sample)
    )


def fading() -> Derivation:
    """Ratio of the weights of two inputs a step apart in Eq. 10."""
    weight = scale ** (n + 1) * gamma**n
    return start(
        "An input of n steps ago contributes the norm", weight, r"\alpha^{n+1}\gamma^n"
    ).then(
        "Divide by the norm of an input one step later:",
        simplify(weight.subs(n, n + 1) / weight),
    )


def decay_of_log() -> Derivation:
    """``gamma`` of its parameter."""
    return start(
        "The decay is a double exponential, so it is between zero and one:",
        exp(-exp(gamma_log)),
    )


def output_is_real_part() -> bool:
    """Prove that a conjugate pair of modes reads out ``2 Re(c lam^n b)``, n = 1."""
    parts = symbols("p:6", real=True)
    lam, b, d = (parts[i] + I * parts[i + 1] for i in (0, 2, 4))
    bars = (parts[i] - I * parts[i + 1] for i in (0, 2, 4))
    lam_bar, b_bar, d_bar = bars
    total = expand_complex(expand(d * lam * b + d_bar * lam_bar * b_bar))
    return simplify(total - 2 * expand(d * lam * b).as_real_imag()[0]) == 0
