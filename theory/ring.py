"""Eigenvalues on a ring: their distribution, the mean gain, and the unrolled state.

Source: Orvieto et al. (2023), Lemma 3.2, Proposition 3.3, Eq. 4-7, Theorem 3.1.
"""

from functools import cache

from sympy import (
    Dummy,
    Expr,
    Function,
    I,
    Integer,
    Sum,
    Symbol,
    exp,
    integrate,
    limit,
    log,
    oo,
    pi,
    rsolve,
    simplify,
    solve,
    sqrt,
)

from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.diagonal import functional
from sigprop.theory.symbols import T, lam, lam_bar, n, r, r_max, r_min, theta, u1, u2


def radius_cdf() -> Expr:
    """Return ``P(|lam| <= r)`` for ``lam`` uniform by area on the ring, a ratio of areas.

    Source: Orvieto et al. (2023), Eq. 27.
    """
    radius = Dummy("s", positive=True)
    area = integrate(2 * pi * radius, (radius, r_min, r))
    return simplify(area / area.subs(r, r_max))


@cache
def sampled_nu() -> Derivation:
    """Derive ``nu`` with ``|lam| = exp(-nu)``, by inverting the distribution of the radius.

    Source: Orvieto et al. (2023), Lemma 3.2 and Eq. 27-30.
    """
    nu = Symbol("nu", nonnegative=True)
    distribution = radius_cdf().subs(r, exp(-nu))
    proof = start(
        "The distribution function of the radius is", radius_cdf(), "F(r)"
    ).then(
        "With r = exp(-nu), set this equal to u_1. The difference is",
        distribution - u1,
        r"F(e^{-\nu}) - u_1",
    )
    square = Dummy("x", positive=True)
    (root,) = solve(radius_cdf().subs(r, sqrt(square)) - u1, square)
    return proof.then("Solve for nu = -log(r^2)/2:", -log(simplify(root)) / 2)


def sampled_theta() -> Expr:
    """Return the phase ``2 pi u_2`` in radians.  Source: Orvieto et al. (2023), Lemma 3.2."""
    return 2 * pi * u2


def sampled_distribution_is_uniform() -> bool:
    """Test that ``exp(-nu(U))`` has the distribution of the radius."""
    square = exp(-2 * sampled_nu().result)
    back = radius_cdf().subs(r, sqrt(square))
    return simplify(back - u1) == 0


@cache
def gain(horizon: Expr = oo) -> Derivation:
    """Derive the mean of ``E|h|^2 / R(0)`` over eigenvalues uniform on the ring.

    The mean of ``lam**Delta`` over a uniform phase is zero for ``Delta > 0``.  The gain is
    therefore the same for *every* wide-sense-stationary input, including constant inputs.

    Conditions: ``r_min < r_max``, and ``r_max < 1`` if ``horizon`` is infinite.

    Source: Orvieto et al. (2023), Proposition 3.3; finite ``T`` is ours.
    """
    weights = functional("state", horizon)
    proof = start(
        "The moment of one eigenvalue is", weights.as_sum(), r"\mathbb{E}|x|^2"
    )
    at_zero = simplify(weights.zero.subs({lam: r, lam_bar: r}, simultaneous=True))
    proof = proof.then(
        "For a uniform phase lam^Delta averages to zero. What remains is R(0) times",
        at_zero,
        r"\mathbb{E}_\theta\mathbb{E}|x|^2 / R(0)",
    )
    x = Symbol("x", positive=True)  # |lam|^2
    width = r_max**2 - r_min**2

    def averaged(primitive: Expr) -> Expr:
        return (primitive.subs(x, r_max**2) - primitive.subs(x, r_min**2)) / width

    if horizon == oo:
        # SymPy integrates 1/(1 - x) to log(x - 1); on 0 < x < 1 the real one is:
        primitive = -log(1 - x)
        assert simplify(primitive.diff(x) - at_zero.subs(r, sqrt(x))) == 0
        return proof.then(
            "As |lam|^2 is uniform on [r_min^2, r_max^2], the average is",
            averaged(primitive),
        )
    return proof.then(
        "and |lam|^2 is uniform on [r_min^2, r_max^2], power by power",
        Sum(averaged(integrate(x**n, x)), (n, 0, horizon - 1)),
    )


@cache
def thin_ring_gain() -> Derivation:
    """Derive the limit of the gain for a ring of zero width at radius ``r``.

    Source: Orvieto et al. (2023), Eq. 5.
    """
    epsilon = Symbol("epsilon", positive=True)
    distance = Symbol("varrho", positive=True)
    form = log(1 + epsilon / distance) / epsilon
    proof = start(
        "The gain of the ring is", gain().result, r"\mathbb{E}|x|^2/\mathbb{E}|Bu|^2"
    )
    proof = proof.then(
        "With epsilon = r_max^2 - r_min^2 and varrho = 1 - r_max^2, both positive, "
        "this is",
        form,
        r"\mathbb{E}|x|^2/\mathbb{E}|Bu|^2",
    )
    value = limit(form, epsilon, 0, "+")
    proof = proof.then(
        "For epsilon -> 0 this tends to",
        value,
        r"\lim_{\epsilon\to 0}\mathbb{E}|x|^2/\mathbb{E}|Bu|^2",
    )
    return proof.then("With r_max = r this is", value.subs(distance, 1 - r**2))


@cache
def unrolled_state() -> Derivation:
    """Derive the weight in ``x_k`` of the input of age ``j``, for ``x_0 = B u_0``.

    Ages run from 0 to ``k`` inclusive, ``k + 1`` terms.

    Source: Orvieto et al. (2023), Eq. 4, whose sum stops at ``k - 1``.
    """
    k = Function("k")
    recursion = k(n + 1) - lam * k(n)
    return start(
        "For x_k = lam x_{k-1} + u_k from x_0 = u_0 the impulse response k(n), with "
        "k(0) = 1, sets this expression to zero:",
        recursion,
        "0",
    ).then(
        "The solution is, for lags 0..k,", rsolve(recursion, k(n), {k(0): 1}), "k(n)"
    )


@cache
def white_partial_sum() -> Derivation:
    """Derive ``E|x_k|^2`` after ``T`` white inputs of unit variance.

    Source: Orvieto et al. (2023), Eq. 6.
    """
    j = Dummy("j", integer=True, nonnegative=True)
    total = geometric_sum((r**2) ** j, j, Integer(0), T - 1)
    return start(
        "Sum |lam|^(2i) over the lags:",
        r ** (2 * n),
        r"|\lambda|^{2n}",
    ).then("Sum over T lags:", simplify(total))


@cache
def normalised_moment() -> Derivation:
    """Derive ``E|x|^2`` for white inputs scaled by ``gamma = sqrt(1 - |lam|^2)``.

    Source: Orvieto et al. (2023), Eq. 7.
    """
    bare = functional("state").zero
    gamma = sqrt(1 - lam * lam_bar)
    return start("Without normalisation the moment is", bare, r"\mathbb{E}|x|^2").then(
        "Multiply by gamma^2 = 1 - |lam|^2:", simplify(gamma**2 * bare)
    )


def phase_average_kills_lags() -> bool:
    """Test that the uniform phase averages ``lam**Delta`` to zero at every lag."""
    lag = Symbol("Delta", integer=True, positive=True)
    mean = integrate(exp(I * lag * theta), (theta, 0, 2 * pi)) / (2 * pi)
    return simplify(mean) == 0
