r"""Fourier transforms of products and pulses, and discretisation with constant inputs.

A transform is ``F x = scale * int x(t) exp(-i omega t) dt``, and its inverse is
``1/(2 pi scale) * int X(omega) exp(i omega t) domega``.  ``scale`` is a symbol, so that one can
see which statements depend on the normalisation.

Source: Orvieto et al. (2023), Section 2.1 and Appendices E.1 and E.3.
"""

from functools import cache
from typing import NamedTuple

from sympy import (
    Dummy,
    Expr,
    Function,
    I,
    Integer,
    Symbol,
    cos,
    dsolve,
    exp,
    expand,
    integrate,
    limit,
    log,
    pi,
    series,
    simplify,
    sin,
    sqrt,
    symbols,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.ring import radius_cdf, sampled_nu
from sigprop.theory.symbols import lam, lam_bar, r, r_max, r_min

omega = Symbol("omega", real=True)  # frequency
scale = Symbol("scale", positive=True)  # prefactor of the transform
time = Symbol("time", real=True)
centre = Symbol("centre", real=True)  # centre of a region in which the ReLU is positive
half = Symbol("half", positive=True)  # half its length
tone = Symbol("tone", real=True)  # frequency of a pure oscillation
harmonic = Symbol("harmonic", integer=True, nonnegative=True)
width_1, width_2 = symbols("width_1 width_2", positive=True)
pole = Symbol("pole")  # eigenvalue of the continuous system
dt = Symbol("dt", positive=True)
drive = Symbol("drive")  # entry of the continuous input matrix
nu = Symbol("nu", positive=True)
steps = Symbol("steps", integer=True, nonnegative=True)
energy = Symbol("energy", positive=True)  # squared size of a constant input
delay = Symbol("delay", real=True)
turn = Symbol("turn", real=True)  # remaining phase


class Gauss(NamedTuple):
    """``factor * exp(exponent)`` with an exponent of degree two."""

    factor: Expr
    exponent: Expr

    @property
    def form(self) -> Expr:
        """Return the function as an expression."""
        return self.factor * exp(self.exponent)

    def times(self, other: "Gauss") -> "Gauss":
        """Return the product of two such functions."""
        return Gauss(self.factor * other.factor, self.exponent + other.exponent)

    def over(self, variable: Expr) -> "Gauss":
        """Return the integral over all values of a variable."""
        exponent = expand(self.exponent)
        square, linear = (exponent.coeff(variable, power) for power in (2, 1))
        rest = exponent.coeff(variable, 0)
        return Gauss(
            self.factor * sqrt(pi / -square), expand(rest - linear**2 / (4 * square))
        )

    def at(self, variable: Expr, value: Expr) -> "Gauss":
        """Return the function with a value in place of a variable."""
        return Gauss(self.factor, self.exponent.subs(variable, value))


def signal(width: Expr) -> Gauss:
    """Return the test signal ``exp(-t^2/(2 width^2))``."""
    return Gauss(exp(0), -(time**2) / (2 * width**2))


def wave(frequency: Expr) -> Gauss:
    """Return ``exp(i frequency t)``."""
    return Gauss(exp(0), I * frequency * time)


def transform(width: Expr) -> Gauss:
    """Return the transform of a test signal, by its definition."""
    integral = signal(width).times(wave(-omega)).over(time)
    return Gauss(scale * integral.factor, integral.exponent)


@cache
def product_lines() -> tuple[Expr, ...]:
    """Compute the right sides of Eq. 10 to 14 for two test signals, each by its integrals.

    Source: Orvieto et al. (2023), proof of Proposition E.1.
    """
    nu, xi = symbols("nu xi", real=True)
    first, second = transform(width_1).at(omega, nu), transform(width_2)
    inverse = 1 / (2 * pi * scale)

    def synthesis(spectrum: Gauss, variable: Expr) -> Gauss:
        return spectrum.times(wave(variable)).over(variable)

    apart = synthesis(first, nu).times(synthesis(second.at(omega, xi), xi))
    product = second.at(omega, xi).times(wave(xi)).times(wave(nu)).over(xi)
    nested = first.times(product).over(nu)
    shifted = synthesis(second.at(omega, omega - nu), omega)
    substituted = first.times(shifted).over(nu)
    convolved = first.times(second.at(omega, omega - nu)).over(nu)
    swapped = synthesis(convolved, omega)
    forms = [line.form for line in (apart, nested, substituted, swapped)]
    return (*map(simplify, forms), simplify(inverse * swapped.form))


@cache
def product_of_signals() -> Derivation:
    """Derive ``u_1(t) u_2(t)`` from the transforms of both signals."""
    nu = Symbol("nu", real=True)
    factors = [
        transform(width).at(omega, nu).times(wave(nu)).over(nu).form
        for width in (width_1, width_2)
    ]
    inverse = 1 / (2 * pi * scale)
    return start(
        "The product of the two signals is",
        signal(width_1).times(signal(width_2)).form,
        "u_1(t) u_2(t)",
    ).then(
        "Write each signal as the inverse of its transform:",
        simplify(inverse**2 * factors[0] * factors[1]),
    )


def line_as_step(line: int) -> Derivation:
    """Return the equation before Eq. ``line`` of the proof, as a derivation."""
    return start("The line before is", product_lines()[line - 11], "u_1(t) u_2(t)")


@cache
def pulse() -> Derivation:
    """Derive the transform of the indicator of ``[centre - half, centre + half]``.

    Source: Orvieto et al. (2023), Eq. 15.
    """
    frequency = Dummy("w", positive=True)  # no separate case at zero
    flat = integrate(exp(-I * frequency * time), (time, -half, half))
    flat = simplify(flat.rewrite(sin)).subs(frequency, omega)
    return start(
        "The integral from -half to half is", scale * flat, r"\mathcal{F}(\omega)"
    ).then(
        "A shift in time multiplies the transform by a phase:",
        scale * exp(-I * omega * centre) * flat,
        r"\mathcal{F}(\omega)",
    )


def agree_under(prefactor: Expr, first: Expr, second: Expr) -> bool:
    """Test that two forms are equal under the transform with a prefactor."""
    return simplify((first - second).subs(scale, prefactor).rewrite(exp)) == 0


@cache
def pulse_is_right() -> bool:
    """Test Eq. 15 for the transform with ``scale = 1``."""
    return agree_under(Integer(1), kernel(omega), pulse().result)


@cache
def sine_keeps_its_frequency() -> bool:
    """Test that a linear mode driven by a sine has a solution of the same frequency."""
    turning = [
        exp(sign * I * tone * time) / (sign * I * tone - pole) for sign in (1, -1)
    ]
    mode = (turning[0] - turning[1]) / (2 * I)
    left = mode.diff(time) - pole * mode - sin(tone * time)
    return simplify(left.rewrite(exp)) == 0


def kernel(frequency: Expr) -> Expr:
    """Return the bracket of Eq. 8 for one region, as printed."""
    argument = frequency * half
    return 2 * half * exp(-I * frequency * centre) * sin(argument) / argument


@cache
def leakage_is_convolution() -> bool:
    """Test that Eq. 8 needs a factor ``1/(2 pi)`` for a pure tone, at any ``scale``.

    The transform of ``exp(i tone t)`` is ``2 pi scale delta(omega - tone)``.  All other
    signals are sums of pure tones.
    """
    passed = pulse().result.subs(omega, omega - tone)
    convolved = 2 * pi * scale * kernel(omega - tone)
    return simplify((convolved / (2 * pi) - passed).rewrite(exp)) == 0


@cache
def rectified_sine() -> Derivation:
    """Derive the Fourier coefficient of ``ReLU(sin t)`` at an even harmonic.

    Source: Orvieto et al. (2023), Fig. 6 and Proposition E.1.
    """
    n = 2 * harmonic
    # SymPy's integral has cases; this primitive is checked by its derivative.
    primitive = exp(-I * n * time) * (-I * n * sin(time) - cos(time)) / (1 - n**2)
    integrand = sin(time) * exp(-I * n * time)
    assert simplify((primitive.diff(time) - integrand).rewrite(exp)) == 0
    value = primitive.subs(time, pi) - primitive.subs(time, 0)
    return start(
        "Over the half wave that passes, the integrand is",
        integrand,
        r"\text{integrand}",
    ).then("Integrate and divide by the period:", simplify(value / (2 * pi)))


def rectified_line(n: int) -> Expr:
    """Return the Fourier coefficient of ``ReLU(sin t)`` at a multiple ``n`` of its frequency.

    By ``ReLU(x) = (x + |x|)/2``, it is the sum of half of the sine and half of its modulus,
    which has even multiples only.

    Source: Orvieto et al. (2023), Fig. 6.

    Example:
        >>> [rectified_line(n) for n in range(5)]
        [1/pi, -I/4, -1/(3*pi), 0, -1/(15*pi)]
    """
    if n % 2 == 0:
        return rectified_sine().result.subs(harmonic, n // 2)
    return -I * n / 4 if abs(n) == 1 else Integer(0)


def sine_leaks_by_the_kernel() -> bool:
    """Test that Eq. 8 with ``1/(2 pi)`` gives the coefficients of ``rectified_sine``."""

    def weight(n: Expr) -> Expr:
        angle = n * pi / 2
        return exp(-I * angle) * sin(angle) / angle / 2

    n = 2 * harmonic
    leaked = (weight(n - 1) - weight(n + 1)) / (2 * I)
    return simplify((leaked - rectified_sine().result).rewrite(exp)) == 0


@cache
def held_step() -> Derivation:
    """Derive the state after a step of ``x' = pole x + drive`` from zero, with input 1.

    Source: Orvieto et al. (2023), Eq. 3.
    """
    x, t = Function("x"), Dummy("t", nonnegative=True)
    solved = dsolve(x(t).diff(t) - pole * x(t) - drive, x(t), ics={x(0): 0})
    return start(
        "The solution of x' = pole x + drive from x(0) = 0 is", solved.rhs, "x(t)"
    ).then("After one step it is", simplify(solved.rhs.subs(t, dt)))


def held_step_is_exact() -> bool:
    """Test that Eq. 3 gives the state at the end of a step, for any initial state."""
    before, age = symbols("before age")
    state = exp(pole * age) * before + held_step().result.subs(dt, age)
    left = state.diff(age) - pole * state - drive
    return simplify(left) == 0 and simplify(state.subs(age, 0) - before) == 0


def held_step_first_order() -> Expr:
    """Return the first order of ``held_step``.  Source: Orvieto et al. (2023), Section 4."""
    return series(held_step().result, dt, 0, 2).removeO()


def unscaled_bound() -> Derivation:
    """Derive a bound on the recurrence without the factor ``dt``, for ``Re pole = -1/2``.

    Source: Orvieto et al. (2023), Section 4.
    """
    total = 1 / (1 - exp(-dt / 2))
    return start("the geometric series of exp(-dt/2)", total).then(
        "times dt, as dt -> 0", limit(dt * total, dt, 0, "+")
    )


def scan_is_associative() -> bool:
    """Test that the operator of the paper's listing is associative.

    Source: Orvieto et al. (2023), Appendix A, ``binary_operator_diag``.
    """

    def joined(
        first: tuple[Expr, Expr], second: tuple[Expr, Expr]
    ) -> tuple[Expr, Expr]:
        return second[0] * first[0], second[0] * first[1] + second[1]

    one, two, three = (symbols(f"a_{i} b_{i}") for i in "123")
    left, right = joined(joined(one, two), three), joined(one, joined(two, three))
    return all(expand(x - y) == 0 for x, y in zip(left, right, strict=True))


@cache
def energy_of_constant(first: int) -> Derivation:
    """Derive ``|sum of lam^n u|^2`` over ``n >= first``, for constant ``u``.

    Source: Orvieto et al. (2023), Eq. 31 and 32.
    """
    state = lam**first / (1 - lam)
    conjugate = state.subs(lam, lam_bar)
    return start(
        "Sum the geometric series over the lags:", state, r"x_\infty / u"
    ).then("Multiply by the conjugate and by |u|^2:", energy * state * conjugate)


@cache
def ring_series(first: int) -> Derivation:
    """Derive the mean of ``sum r^n``, ``n >= first``, for ``r`` uniform on [r_min^2, r_max^2].

    Source: Orvieto et al. (2023), Eq. 36-41.
    """
    x = Symbol("x", positive=True)
    primitive = -log(1 - x) - sum(x ** (n + 1) / (n + 1) for n in range(first))
    assert simplify(primitive.diff(x) - x**first / (1 - x)) == 0
    low, high = (primitive.subs(x, radius**2) for radius in (r_min, r_max))
    return start("The geometric series is", x**first / (1 - x), r"\sum_n r^n").then(
        "The average over r is", (high - low) / (r_max**2 - r_min**2)
    )


@cache
def planted_power() -> Derivation:
    """Derive the ratio of the loss's derivatives by ``nu`` and by ``theta``.

    The loss is the squared error of a power of the eigenvalue.  The student has the right
    modulus, and its phase is too small by ``turn``.

    Source: Orvieto et al. (2023), Appendix E.2 and Fig. 8.
    """
    nu, theta, power = symbols("nu theta power", real=True)
    lag = symbols("nu_planted theta_planted", real=True)
    cross = exp(-power * (nu + lag[0])) * cos(power * (theta - lag[1]))
    loss = (exp(-2 * power * nu) + exp(-2 * power * lag[0])) / 2 - cross
    ratio = (loss.diff(nu) / loss.diff(theta)).subs({lag[0]: nu, lag[1]: theta + turn})
    return start("The loss is", loss, "L").then(
        "The ratio of the loss's derivatives is", simplify(ratio.subs(power, steps))
    )


def area_distribution(radius: Expr = r) -> Derivation:
    """Derive the fraction of the ring's area within a radius.

    Source: Orvieto et al. (2023), Eq. 27.
    """
    return start("The ratio of areas is", radius_cdf(), "F(r)").then(
        "At this radius it is", radius_cdf().subs(r, radius), "F(r)"
    )


def share_of_sampled() -> Derivation:
    """Derive the fraction of the area within the radius that Lemma 3.2 draws."""
    share = radius_cdf().subs(r, exp(-sampled_nu().result))
    return start(
        "The fraction of the area within exp(-nu) is", share, r"F(e^{-\nu})"
    ).then("Simplify:", simplify(share))


def squared_radius() -> Derivation:
    """Derive ``exp(-2 nu)`` of Lemma 3.2.  Source: Orvieto et al. (2023), Eq. 30."""
    return start("The value of nu is", sampled_nu().result, r"\nu").then(
        "So exp(-2 nu) is", simplify(exp(-2 * sampled_nu().result))
    )


def disc_distribution() -> Expr:
    """Return the distribution of the radius on the disc.

    Source: Orvieto et al. (2023), Fig. 3.
    """
    return radius_cdf().subs({r_min: 0, r_max: 1})


def delay_is_a_phase() -> bool:
    """Test that a delay multiplies the transform of a Gaussian by a phase.

    This holds for all signals, because sums of Gaussians are dense and both sides are
    linear.
    """
    moved = Gauss(exp(0), signal(width_1).exponent.subs(time, time - delay))
    late, plain = (x.times(wave(-omega)).over(time) for x in (moved, signal(width_1)))
    return simplify(late.form - exp(-I * omega * delay) * plain.form) == 0
