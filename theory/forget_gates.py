"""Moments and memory of gates of newer layers, for fixed distributions of the gates.

Notation: ``f``, ``i``, ``o``, ``r``  forget, input, output and reset gate;  ``bound``  lower
bound of a gate;  ``a``  decay at ``r = 1``;  ``share``  age of an input over the length for
which a layer is initialised;  ``low``  distance of a gate's range from 0 and 1;  ``tau_0``,
``tau_1``  ends of a range of time constants;  ``b_0``, ``b_1``  ends of a range of biases;
``spread``  standard deviation of the logarithm of an exponential gate;  ``root``  a gate is
the ``root``-th root of a uniform variable.

Source: own, for the gates of HGRN2 (Qin et al. 2024), RG-LRU (De et al. 2024), the chrono
initialisation (Tallec & Ollivier 2018), xLSTM (Beck et al. 2024), LSTM and GRU.
"""

from functools import cache
from typing import Any

import mpmath
from sympy import (
    Expr,
    Integer,
    Matrix,
    Sum,
    Symbol,
    diff,
    exp,
    expand,
    expand_func,
    expint,
    eye,
    factor,
    integrate,
    log,
    oo,
    pi,
    simplify,
    solve,
    sqrt,
    symbols,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import f_1, f_2, tied_gate
from sigprop.theory.symbols import T, n

bound, a, low, f, i, o = symbols("bound a low f i o", positive=True)
root = Symbol("root", positive=True)
b_0, b_1, b, spread = symbols("b_0 b_1 b spread", real=True)
u, v, share, tau_0, tau_1 = symbols("u v share tau_0 tau_1", positive=True)
age = Symbol("age", positive=True)
forgets = symbols("f_1:3", real=True)
resets = symbols("r_1:3", real=True)
weights = symbols("w_11 w_12 w_21 w_22", real=True)


@cache
def bounded_state() -> Derivation:
    """Derive ``E h^2`` of a tied gate that is uniform from ``bound`` to one.

    Example:
        >>> bounded_state().result.subs(bound, 0)
        1/2
    """
    width = 1 - bound
    first = integrate(u / width, (u, bound, 1))
    second = integrate(u**2 / width, (u, bound, 1))
    moment = tied_gate().result.subs({f_1: first, f_2: second}, simultaneous=True)
    return start(
        "The moments of a uniform gate, in those of a tied one",
        moment,
        r"\mathbb{E} h^2",
    ).then("We cancel", (1 - bound) / (2 + bound))


@cache
def typical_decay() -> Derivation:
    """Derive ``E log f`` of a gate that is uniform from ``bound`` to one."""
    primitive = u * log(u) - u
    mean = (primitive.subs(u, 1) - primitive.subs(u, bound)) / (1 - bound)
    return start(
        "A primitive of the logarithm, between both ends", mean, r"\mathbb{E} \log f"
    ).then("We divide", -1 - bound * log(bound) / (1 - bound))


@cache
def random_decay() -> Derivation:
    """Derive ``E a^(2 r)`` for a gate ``r`` that is uniform on [0, 1]."""
    return start(
        "A primitive of the exponential, between both ends",
        (exp(2 * log(a)) - 1) / (2 * log(a)),
        r"\mathbb{E} a^{2 r}",
    ).then("Of positive terms", (1 - a**2) / (-2 * log(a)))


@cache
def root_gate() -> Derivation:
    """Derive ``E h^2`` of a gate that is the ``root``-th root of a uniform variable."""
    kept = integrate(u ** (2 / root), (u, 0, 1))
    return start(
        "One over one less the mean squared gate", 1 / (1 - kept), r"\mathbb{E} h^2"
    ).then("We cancel", 1 + root / 2)


@cache
def chrono_state() -> Derivation:
    """Derive the mean of ``E h^2`` over neurons with Chrono biases ``log u``.

    ``u`` is uniform from 1 to ``T - 1``.
    """
    gate = u / (1 + u)
    moment = simplify((1 - gate) / (1 + gate))
    mean = integrate(moment, (u, 1, T - 1)) / (T - 2)
    return start("Of (1 - f)/(1 + f) = 1/(1 + 2 u)", mean, r"\mathbb{E} h^2").then(
        "As one logarithm", log((2 * T - 1) / Integer(3)) / (2 * (T - 2))
    )


def chrono_kept(share: float) -> float:
    """Compute ``exp(-share) - share E_1(share)`` with mpmath.

    It is the mean of ``f^(share T)`` over Chrono biases, as ``T`` goes to infinity.

    Args:
        share: Age of the input over the length for which the layer is initialised; must be
            positive.

    Example:
        >>> round(chrono_kept(1.0), 3)
        0.148
    """
    return float(mpmath.exp(-share) - share * mpmath.e1(share))


def spread_kernel(n: int, tau_0: float, tau_1: float) -> float:
    """Compute the mean of ``exp(-n/tau)`` over log-uniform time constants, with mpmath.

    Args:
        n: Age of an input in steps; must be positive.
        tau_0: Shortest time constant in steps.
        tau_1: Longest time constant in steps.

    Example:
        >>> round(spread_kernel(7, 2.0, 100.0), 3)
        0.548
    """
    ends = mpmath.e1(n / mpmath.mpf(tau_1)) - mpmath.e1(n / mpmath.mpf(tau_0))
    return float(ends / mpmath.log(mpmath.mpf(tau_1) / tau_0))


def chrono_kept_holds() -> bool:
    """Prove ``chrono_kept``, the mean of ``exp(-share/v)`` over ``v`` from zero to one.

    The limit of ``f^(share T)`` is ``exp(-share/v)``, with ``u = v T``.  Both terms of the
    primitive vanish at zero, as ``E_1(x) < exp(-x)`` for ``x > 1``.
    """
    primitive = v * exp(-share / v) - share * expint(1, share / v)
    rest = (diff(primitive, v) - exp(-share / v)).rewrite(exp)
    return simplify(expand_func(rest)) == 0


@cache
def uniform_kernel() -> Derivation:
    """Derive the mean of ``f^n`` for ``f`` uniform from ``low`` to ``1 - low``."""
    return start(
        "A primitive of the power, between both ends",
        ((1 - low) ** (n + 1) - low ** (n + 1)) / ((n + 1) * (1 - 2 * low)),
    )


@cache
def uniform_memory() -> Derivation:
    """Derive the mean of ``1/(1 - f)`` for ``f`` uniform from ``low`` to ``1 - low``."""
    mean = (log(1 - low) - log(low)) / (1 - 2 * low)
    return start(
        "A primitive of 1/(1 - f), between both ends",
        mean,
        r"\mathbb{E} \frac{1}{1 - f}",
    ).then("As one logarithm", log((1 - low) / low) / (1 - 2 * low))


def spread_kernel_holds() -> bool:
    """Prove that ``E_1(age/tau)`` is a primitive of ``exp(-age/tau)/tau``."""
    tau = Symbol("tau", positive=True)
    return simplify(diff(expint(1, age / tau), tau) - exp(-age / tau) / tau) == 0


@cache
def biased_memory() -> Derivation:
    """Derive the mean of ``1/(1 - f)`` for sigmoid gates with uniform biases."""
    return start(
        "The mean of 1 + exp(b)",
        integrate(1 + exp(b), (b, b_0, b_1)) / (b_1 - b_0),
        r"\mathbb{E} \frac{1}{1 - f}",
    ).then("Term by term", 1 + (exp(b_1) - exp(b_0)) / (b_1 - b_0))


def _power_of_gate(power: int) -> Expr:
    """``E i^power`` of a log-normal gate, by completing the square."""
    z = Symbol("z", real=True)
    density = exp(-((z - power * spread) ** 2) / 2) / sqrt(2 * pi)
    whole = exp(power * (b + spread * z)) * exp(-(z**2) / 2) / sqrt(2 * pi)
    value = exp(power * b + power**2 * spread**2 / 2)
    if simplify(log(whole / density / value).expand(force=True)) != 0:
        raise AssertionError("the square is completed")
    return value


@cache
def counted_share() -> Derivation:
    """Derive ``(E i)^2 / E i^2`` of a log-normal gate."""
    return start(
        "Means of a log-normal variable",
        _power_of_gate(1) ** 2 / _power_of_gate(2),
        r"\frac{(\mathbb{E} i)^2}{\mathbb{E} i^2}",
    ).then("The exponents", exp(-(spread**2)))


@cache
def exponential_state() -> Derivation:
    """Derive ``E C^2`` of a state with a log-normal input gate and a fixed decay."""
    ages: Any = Sum(f ** (2 * n), (n, 0, oo))
    return start(
        "The mean squared gate, kept with f^2 a step",
        _power_of_gate(2) * ages,
        r"\mathbb{E} C^2",
    ).then("The geometric sum", exp(2 * b + 2 * spread**2) / (1 - f**2))


@cache
def lstm_edge() -> Derivation:
    """Derive the eigenvalue of the hidden weights above which an LSTM at rest is unstable."""
    mu = Symbol("mu", positive=True)
    jacobian = Matrix([[f, i * mu], [f * o, i * o * mu]])
    [edge] = solve((jacobian - eye(2)).det(), mu)
    return start("Where the Jacobian of cell and state has the eigenvalue one", edge)


@cache
def gru_edge() -> Derivation:
    """Derive ``det(J - 1)`` for the Jacobian ``J`` of a GRU of two neurons at rest."""
    forget, reset = Matrix.diag(*forgets), Matrix.diag(*resets)
    W = Matrix(2, 2, weights)
    jacobian = forget + (eye(2) - forget) * reset * W
    w_11, w_12, w_21, w_22 = weights
    r_1, r_2 = resets
    inner = (r_1 * w_11 - 1) * (r_2 * w_22 - 1) - r_1 * r_2 * w_12 * w_21
    return start(
        "The determinant", expand((jacobian - eye(2)).det()), r"\det(J - 1)"
    ).then(
        "What a neuron does not forget is a factor of its row",
        factor((1 - forgets[0]) * (1 - forgets[1])) * inner,
    )
