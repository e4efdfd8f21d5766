"""Evidence for the sensitivity's sums, Appendix B.2.2 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Complex, Inexact
from sympy import Expr, expand, fraction

from sigprop.evidence.kit import (
    across,
    autocovariance,
    central,
    contour,
    energy,
    points,
    powers,
    recur,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.proofs.responses import (
    LONG,
    kernels,
    line_moment,
    mixed,
    scanned,
    sensitivity,
)
from sigprop.evidence.zucchet.proofs.sequences import (
    AGES,
    COMPLEX_INPUT,
    INPUTS,
    REAL_LINES,
    TURNING,
    Sequence,
    Spectrum,
    ages,
    first,
    past,
)
from sigprop.evidence.zucchet.proofs.state import real_state
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import diagonal
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.papers.zucchet.proofs.sensitivity import (
    DENOMINATOR,
    mixed_derivative,
    numerator,
)
from sigprop.theory.symbols import alpha, beta, lam, lam_bar, n, rho

# The derivative of the state.


def state_derivative(lam: complex, x: Sequence) -> complex:
    """``dh_0/dlam`` by autodiff of the package's scan."""
    return complex(scanned(lam, past(x))[1][-1])


def state_contour(lam: complex, x: Sequence) -> complex:
    """``dh_0/dlam`` as a contour integral of the state."""
    return contour(lambda z: recur(z, past(x))[-1], lam, 0.05)


def state(lam: complex, x: Sequence, at: int = 0) -> complex:
    """``h_at`` by Eq. 42."""
    return sum(lam**n * x(at - n) for n in ages())


def filtered_state(lam: complex, x: Sequence) -> complex:
    """Right side of Eq. 50."""
    return sum(lam**n * state(lam, x, -n - 1) for n in ages())


def twice_filtered(lam: complex, x: Sequence) -> complex:
    """Right side of Eq. 51."""
    return sum(
        lam**n * sum(lam**m * x(-n - m - 1) for m in ages()) for n in ages()
    )  # fmt: skip


def sum_of_pairs(lam: complex, x: Sequence) -> complex:
    """Right side of Eq. 52."""
    return sum(lam ** (n + m) * x(-(n + m + 1)) for n, m in product(ages(), repeat=2))


def late_by_one(lam: complex, x: Sequence) -> complex:
    """Mutant: the newest state counts too, as in a sum of lam^n h_{-n}."""
    return sum(lam**n * state(lam, x, -n) for n in ages())


def late_by_two(lam: complex, x: Sequence) -> complex:
    """Mutant: the inputs are a step too old, as in the printed Eq. 53."""
    return sum(n * lam ** (n - 1) * x(-n - 1) for n in ages(1))


def one_filter(lam: complex, x: Sequence) -> complex:
    """Mutant: the previous state without a second filter."""
    return state(lam, x, -1)


def weights_agree(weight: Callable[[int, int], Expr]) -> bool:
    """The weight of an input of each age, pairs counted, is the sensitivity's kernel."""
    kernel: Any = diagonal.sensitivity_kernel().result

    def paired(age: int) -> Any:
        pairs = product(range(age), repeat=2)
        return sum(weight(i, j) for i, j in pairs if i + j + 1 == age)

    return all(
        expand(paired(age) - kernel.subs(n, age).doit()) == 0 for age in range(1, 7)
    )


# The convention: the state is holomorphic.


def partial_derivatives(lam: complex, x: Sequence) -> Complex[np.ndarray, " 2"]:
    """Derivatives of ``h_0`` by the real and the imaginary part, by autodiff."""
    import jax
    import jax.numpy as jnp

    from sigprop.neuron.recurrence import linear_recurrence

    inputs = past(x)[:, None]

    def last(z: Any) -> Any:
        lam = jax.lax.complex(z[0], z[1])
        return linear_recurrence(lam[None], jnp.asarray(inputs))[-1, 0]

    return computed(jax.jacfwd(last), np.array([lam.real, lam.imag]))


def partial_differences(lam: complex, x: Sequence) -> Complex[np.ndarray, " 2"]:
    """Derivatives of ``h_0`` by real and imaginary part, by central differences."""

    def last(lam: complex) -> complex:
        return recur(lam, past(x))[-1]

    return np.array([central(last, lam, 4e-3, turn, order=8) for turn in (1, 1j)])


def both_derivatives(lam: complex, x: Sequence, turn: complex = 1j) -> list[complex]:
    """Derivatives of a holomorphic state by the real and the imaginary part."""
    return [sensitivity(lam, x), turn * sensitivity(lam, x)]


# The second moment of the sensitivity.


def spectral_sensitivity(lam: complex, R: Spectrum) -> float:
    """``E|dh/dlam|^2`` of spectral lines: the derivative of each response."""
    freqs, weights = np.array(R.lines).T
    lines = np.exp(-1j * np.outer(np.arange(LONG), freqs))
    derivatives = contour(lambda z: powers(z, LONG) @ lines, lam, 0.1)
    return float(weights @ np.abs(derivatives) ** 2)


def impulse_sensitivity(lam: complex, R: Spectrum) -> float:
    """``E|dh/dlam|^2`` of spectral lines, from the scan's differentiated response."""
    return line_moment(kernels(lam, LONG)[1], R)


def real_sensitivity(
    lam: float, R: Sequence, twice: int = 2, lowered: int = 0
) -> complex:
    """Right side of Eq. 6.

    Args:
        lam: Eigenvalue.
        R: The autocovariance.
        twice: Factor of the second sum; not two for a mutant.
        lowered: Decrease of the power of the second sum; not zero for a mutant.
    """
    second = sum(d * lam ** (d - lowered) * R(d) for d in ages(1))
    return (1 + lam**2) / (1 - lam**2) ** 2 * real_state(lam, R) + (
        twice * second / (1 - lam**2) ** 2
    )


def real_sensitivity_57(lam: float, R: Sequence) -> complex:
    """Right side of Eq. 57 as printed, at a real eigenvalue."""
    second = sum(d * lam**d * R(d) for d in ages(1))
    first = real_state(lam, R) * (1 - lam**2)
    return (1 + lam**2) / (1 - abs(lam)) ** 3 * first + 2 * second / (1 - lam**2) ** 2


def denominator_cleared(alpha: complex, beta: complex, rho: float) -> complex:
    """The mixed derivative under ``R = rho^|lag|``, times its stated denominator."""
    factors = (1 - alpha * beta) ** 3 * ((1 - rho * alpha) * (1 - rho * beta)) ** 2
    return mixed(alpha, beta, autocovariance(2 * AGES, rho)) * factors


def denominator_is_least() -> bool:
    """The reduced fraction has the stated denominator, up to its sign."""
    denominator = expand(fraction(mixed_derivative())[1])
    right = denominator in (expand(DENOMINATOR), expand(-DENOMINATOR))
    return right and bool(numerator().result.is_polynomial(alpha, beta, rho))


# Backpropagated errors.


def loss_derivative(
    lam: complex, x: Sequence, target: Sequence
) -> Complex[np.ndarray, " steps"]:
    """``dL/dx_t`` by autodiff: JAX gives twice the holomorphic derivative."""
    import jax
    import jax.numpy as jnp

    from sigprop.neuron.recurrence import linear_recurrence

    def loss(x: Any, targets: Any) -> Any:
        h = linear_recurrence(jnp.array([lam], jnp.complex128), x[:, None])[:, 0]
        return jnp.sum(jnp.abs(h - targets) ** 2)

    return computed(jax.grad(loss), first(x), first(target)) / 2


def loss_difference(
    lam: complex, x: Sequence, target: Sequence
) -> Complex[np.ndarray, " steps"]:
    """``(d/dRe - i d/dIm) L / 2`` by differences, exact as the loss is quadratic."""

    def along(move: Inexact[np.ndarray, " steps"]) -> float:
        return central(
            lambda inputs: energy(recur(lam, inputs) - first(target)),
            first(x),
            1.0,
            move,
        )

    return np.array([(along(e) - 1j * along(1j * e)) / 2 for e in np.eye(8)])


def backpropagated(
    lam: complex,
    x: Sequence,
    target: Sequence,
    *,
    barred: bool = False,
    plain: bool = False,
    forward: bool = False,
) -> list[complex]:
    """``dL/dx_t`` for the loss ``sum |h_t - target_t|^2``, as holomorphic derivatives.

    The errors are ``dL/dh_t = conj(h_t - target_t)``; they are filtered with ``lam``.

    Args:
        lam: Eigenvalue.
        x: Inputs.
        target: Targets.
        barred: True for a mutant that filters with ``conj(lam)``.
        plain: True for a mutant whose errors are not conjugated.
        forward: True for a mutant with earlier instead of later errors.
    """
    errors = recur(lam, first(x)) - first(target)
    errors = errors if plain else np.conj(errors)
    weights = powers(np.conj(lam) if barred else lam, 8)
    order = 1 if forward else -1
    return list(np.convolve(weights, errors[::order])[:8][::order])


def by_filters(
    form: Callable[..., complex], weight: Callable[[int, int], Expr]
) -> Evidence:
    """The sensitivity as a sum with weights of two ages."""
    return Evidence(
        INPUTS,
        {"autodiff": state_derivative, "reference": state_contour},
        form,
        proof=partial(weights_agree, weight),
        mutants={
            "the newest state counts": late_by_one,
            "a step too old": late_by_two,
            "filtered once": one_filter,
        },
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:50": by_filters(filtered_state, lambda i, j: lam**i * lam**j),
    "zucchet:51": by_filters(twice_filtered, lambda i, j: lam**i * lam**j),
    "zucchet:52": by_filters(sum_of_pairs, lambda i, j: lam ** (i + j)),
    "zucchet:text:holomorphic": Evidence(
        INPUTS,
        {"autodiff": partial_derivatives, "reference": partial_differences},
        both_derivatives,
        mutants={
            "no turn": partial(both_derivatives, turn=1),
            "turned the other way": partial(both_derivatives, turn=-1j),
        },
    ),
    "zucchet:text:eq-6": Evidence(
        REAL_LINES,
        {"reference": spectral_sensitivity, "impulse": impulse_sensitivity},
        real_sensitivity,
        proof=lambda: same_form(
            forms.eq_57_corrected().subs(lam_bar, lam), forms.eq_6()
        ),
        mutants={
            "lags of one sign": partial(real_sensitivity, twice=1),
            "the power lowered": partial(real_sensitivity, lowered=1),
            "Eq. 57 as printed": real_sensitivity_57,
        },
    ),
    "zucchet:text:denominator": Evidence(
        points(
            "alpha beta rho",
            (0.5 + 0.3j, -0.4 + 0.2j, 0.4),
            (0.55, 0.3j, -0.7),
            (-0.5, 0.6, 0.8),
        ),
        {"reference": denominator_cleared},
        proof=denominator_is_least,
    ),
    "zucchet:text:complex-errors": Evidence(
        across(lam=(0.5 + 0.3j, -0.9j), x=(COMPLEX_INPUT,), target=(TURNING,)),
        {"autodiff": loss_derivative, "reference": loss_difference},
        backpropagated,
        mutants={
            mutant: partial(backpropagated, **{mutant: True})
            for mutant in ("barred", "plain", "forward")
        },
    ),
}
