"""Linear recurrences in both directions of time: unrolled states and approximation.

Notation: ``lam_f``, ``lam_b``  one eigenvalue of each direction;  ``k``  number of inputs;
``e_min``, ``e_max``  radii of the ring;  ``Theta``  norm of the reconstruction.

Source: BLUR (2025), Eq. 2-23 and Appendix A.4.
"""

from functools import cache

from sympy import (
    Expr,
    Function,
    I,
    Matrix,
    Symbol,
    diff,
    exp,
    expand,
    integrate,
    log,
    oo,
    pi,
    rsolve,
    simplify,
    solve,
    symbols,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import T, lam

lam_f, lam_b = symbols("lambda_f lambda_b")
width = Symbol("width", positive=True)  # of a Gaussian
omega = Symbol("omega", real=True)
e_min = Symbol("e_min", nonnegative=True)
e_max = Symbol("e_max", positive=True)
states = Symbol("states", positive=True)  # n
outputs = Symbol("outputs", positive=True)  # s
inputs = Symbol("inputs", positive=True)  # N
radius = Symbol("radius", positive=True)  # bound of each state, r
accuracy = Symbol("accuracy", positive=True)  # epsilon
barron = Symbol("barron", positive=True)  # Barron constant of the target
Theta = Symbol("Theta", positive=True)


def unrolled_forward() -> bool:
    """Prove Eq. 5 by induction: the sum at ``k + 1`` is ``lam`` times the sum at ``k``, plus u.

    The terms of ages ``j + 1`` and ``j`` differ by the factor ``lam``, and the term of
    age 0 is the new input.
    """
    u, k, j = Function("u"), *symbols("k j", integer=True)

    def term(step: Expr, age: Expr) -> Expr:
        return lam**age * u(step - age)

    carried = term(k + 1, j + 1) - lam * term(k, j)
    return simplify(carried) == 0 and term(k + 1, 0) == u(k + 1)


def unrolled_backward() -> bool:
    """Prove Eq. 17 by induction over earlier steps.

    ``h_t = sum_j lam^j u_{t+j}``: ages ``j + 1`` at ``t`` and ``j`` at ``t + 1`` differ
    by the factor ``lam``, and age 0 is the input of the step.
    """
    u, t, j = Function("u"), *symbols("t j", integer=True)

    def term(step: Expr, age: Expr) -> Expr:
        return lam**age * u(step + age)

    carried = term(t, j + 1) - lam * term(t + 1, j)
    return simplify(carried) == 0 and term(t, 0) == u(t)


def _run(weight: Expr, entry: Expr, order: range) -> list[Expr]:
    """States of the dense recurrence over inputs that do not commute."""
    history: list[Expr] = []
    for t in order:
        u = Symbol(f"u_{t}", commutative=False)
        history.append(expand((weight * history[-1] if history else 0) + entry * u))
    return history


def _letters(names: str) -> tuple[Symbol, ...]:
    return symbols(names, commutative=False)


def first_steps() -> bool:
    """Prove Eq. 4, the first three states, for matrices that do not commute."""
    A, B, u1, u2, u3 = _letters("A B u_1 u_2 u_3")
    printed = (
        B * u1,
        A * B * u1 + B * u2,
        A**2 * B * u1 + A * B * u2 + B * u3,
    )
    return all(
        expand(p - h) == 0
        for p, h in zip(printed, _run(A, B, range(1, 4)), strict=True)
    )


def last_steps() -> bool:
    """Prove the corrected Eq. 16: three steps back from ``k = 3``."""
    A, B, u1, u2, u3 = _letters("Lambda_b B_b u_1 u_2 u_3")
    correct = (
        B * u3,
        A * B * u3 + B * u2,
        A**2 * B * u3 + A * B * u2 + B * u1,
    )
    return all(
        expand(p - h) == 0
        for p, h in zip(correct, _run(A, B, range(3, 0, -1)), strict=True)
    )


def change_of_basis() -> bool:
    """Prove Eq. 7 and 8: states in the eigenbasis of ``A = Q Lambda Q^{-1}`` obey Lambda."""
    Q, Lambda, B, h, u = _letters("Q Lambda B h u")
    rotated = Q**-1 * (Q * Lambda * Q**-1 * h + B * u)
    return expand(rotated - (Lambda * Q**-1 * h + Q**-1 * B * u)) == 0


def discriminant_is_no_constant() -> bool:
    """Prove that non-diagonalisable real 2 by 2 matrices have measure zero.

    If two eigenvalues are equal, the discriminant is zero, which is a nonzero polynomial of
    the entries.
    """
    a, b, c, d, x = symbols("a b c d x")
    polynomial = Matrix([[a, b], [c, d]]).charpoly(x).as_expr()
    first, second = solve(polynomial, x)
    gap = expand(simplify((first - second) ** 2))
    return gap - expand((a - d) ** 2 + 4 * b * c) == 0 and diff(gap, b, c) == 4


@cache
def constant_input() -> Derivation:
    """Derive the state after ``T`` inputs equal to one, which does not decay with ``T``."""
    h = Function("h")
    recursion = h(T + 1) - lam * h(T) - 1
    return start("equal inputs of size one, from the zero state", recursion).then(
        "The solution is", simplify(rsolve(recursion, h(T), {h(0): 0}))
    )


def doubled_steps() -> bool:
    """Prove that twice as many equal inputs multiply the state by ``1 + lam^T``."""
    state = constant_input().result
    return simplify(state.subs(T, 2 * T) - (1 + lam**T) * state) == 0


@cache
def fourier_of_gaussian() -> Derivation:
    """Derive the Fourier transform of ``exp(-x^2 / (2 width^2))``, normalised as in Eq. 2."""
    x = Symbol("x", real=True)
    f = exp(-(x**2) / (2 * width**2))
    kernel = f * exp(-I * omega * x) / (2 * pi)
    return start("The integrand is", kernel, r"\text{integrand}").then(
        "The integral over the line is", simplify(integrate(kernel, (x, -oo, oo)))
    )


@cache
def barron_of_gaussian() -> Derivation:
    """Derive the Barron constant of ``exp(-x^2 / (2 width^2))``."""
    transform = fourier_of_gaussian().result
    positive = Symbol("y", positive=True)
    total = 2 * integrate(positive * transform.subs(omega, positive), (positive, 0, oo))
    return start(
        "The transform is positive and even, so the integrand is",
        transform,
        r"\text{integrand}",
    ).then("Integrate over positive frequencies and double:", simplify(total))


@cache
def ring_energy() -> Derivation:
    """Derive the mean of ``1 / (1 - |lam|^2)`` over eigenvalues uniform on a ring."""
    v = Symbol("v", positive=True)
    primitive = integrate(1 / v, v)
    value = primitive.subs(v, 1 - e_min**2) - primitive.subs(v, 1 - e_max**2)
    return start(
        "1 - |lam|^2 is uniform between 1 - e_max^2 and 1 - e_min^2", 1 / v
    ).then("The mean is", value / (e_max**2 - e_min**2))


def ring_energy_is_a_mean() -> bool:
    """Prove ``ring_energy`` by its derivative with respect to the outer radius.

    The mean over the area of the ring is the integral of ``2 r / (1 - r^2)``, divided by
    ``e_max^2 - e_min^2``.
    """
    total = (ring_energy().result * (e_max**2 - e_min**2)).expand()
    rim = diff(total, e_max) - 2 * e_max / (1 - e_max**2)
    return simplify(rim) == 0 and simplify(total.subs(e_min, e_max)) == 0


@cache
def hidden_neurons() -> Derivation:
    """Derive the width of Eq. 23 from Theorem A.2 for ``2n`` real states and ``s`` outputs."""
    per_output = 2 * (2 * states) * radius**2 * (barron * Theta) ** 2
    return start(
        "Use Theorem A.2 in 2n dimensions. The Barron constant is at most Theta times "
        "the target's:",
        per_output / accuracy**2,
        r"\text{width of one output}",
    ).then(
        "Approximate each of the s outputs to the accuracy over s, with separate "
        "neurons:",
        outputs * per_output / (accuracy / outputs) ** 2,
    )


@cache
def theorem_width() -> Derivation:
    """Derive the width that Theorem A.2 gives for the interpolant of Theorem A.3."""
    return start(
        "Theorem A.2 for one output gives",
        2 * states * radius**2 * barron**2 / accuracy**2,
        r"\text{width of one output}",
    ).then(
        "The interpolant's constant is the sum of N equal constants, so the width is",
        2 * states * radius**2 * (inputs * barron) ** 2 / accuracy**2,
    )


@cache
def scan_operations() -> Derivation:
    """Derive the number of operations of a recursive scan over ``N = 2^levels`` steps."""
    levels = Symbol("levels", integer=True, positive=True)
    count = Function("c")
    recursion = count(levels + 1) - count(levels) - (2 * 2**levels - 1)
    solved = rsolve(recursion, count(levels), {count(0): 0})
    return (
        start(
            "The scan combines pairs, scans the pairs, and completes all even steps "
            "but the first. So the count c sets this expression to zero:",
            recursion,
            "0",
        )
        .then("The solution is", simplify(solved), r"c(\text{levels})")
        .then(
            "In terms of the number of steps this is",
            2 * inputs - 2 - log(inputs) / log(2),
        )
    )


def scan_levels_agree() -> bool:
    """Prove the last step of ``scan_operations``."""
    levels = Symbol("levels", integer=True, positive=True)
    by_level, by_steps = (step.expr for step in scan_operations().steps[1:])
    return simplify(by_level - by_steps.subs(inputs, 2**levels)) == 0


def fejer_cost() -> Expr:
    """Compute ``int |nu| |phi~(nu)| dnu`` for the bump ``(sin(pi t)/(pi t))^2``.

    The bump is that of Theorem A.3.  Its transform is a triangle over ``[-2 pi, 2 pi]`` with
    unit integral.
    """
    nu = Symbol("nu", nonnegative=True)
    triangle = (1 - nu / (2 * pi)) / (2 * pi)
    assert 2 * integrate(triangle, (nu, 0, 2 * pi)) == 1
    return simplify(2 * integrate(nu * triangle, (nu, 0, 2 * pi)))
