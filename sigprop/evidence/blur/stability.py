"""Evidence for growth, stability and initialisation, Section 4.2 of BLUR (2025)."""

from collections.abc import Callable
from functools import partial

import mpmath
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.kit import also, each, points, recur
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory import bidirectional as two

EIGENVALUES = also(points("lam", 0.9, 0.5 + 0.6j, -0.7, -0.3 - 0.8j), T=8)
RINGS = points("e_min e_max", (0.3, 0.9), (0.0, 0.8))


def by_engine(
    lam: complex | float, u: Inexact[np.ndarray, " time"], reverse: bool = False
) -> Complex[np.ndarray, " time"]:
    """States of one neuron by the scan that the layers use."""
    import jax.numpy as jnp

    from sigprop.neuron.scan import scan_linear

    with double_precision(True):
        inputs = jnp.asarray(u, complex)[:, None]
        states = scan_linear(jnp.asarray([lam]), inputs, reverse=reverse)
        return np.asarray(states)[:, 0]


def in_phase(lam: complex | float, T: int) -> Complex[np.ndarray, " time"]:
    """Inputs of modulus one that are in phase with the state, the worst case."""
    return np.exp(1j * np.angle(lam) * np.arange(T))


def worst_loop(lam: complex | float, T: int) -> float:
    """Modulus of the state under the worst inputs of modulus one, by a loop."""
    return np.abs(recur(lam, in_phase(lam, T))).max()


def worst_engine(lam: complex | float, T: int) -> float:
    """Modulus of the state under the worst inputs of modulus one, by the scan."""
    return np.abs(by_engine(lam, in_phase(lam, T))).max()


def doubled(
    states: Callable[[complex, int], Inexact[np.ndarray, " time"]], lam: complex, T: int
) -> float:
    """Ratio of the state's modulus after ``2T`` inputs of one to that after ``T``."""
    moduli = np.abs(states(lam, 2 * T))
    return float(moduli[2 * T - 1] / moduli[T - 1])


def _states(lam: complex, T: int) -> Inexact[np.ndarray, " time"]:
    return recur(lam, np.ones(T))


def _forwards(lam: complex, T: int) -> Inexact[np.ndarray, " time"]:
    return by_engine(lam, np.ones(T))


def _backwards(lam: complex, T: int) -> Inexact[np.ndarray, " time"]:
    return by_engine(lam, np.ones(T), reverse=True)[::-1]


def settled(
    worst: Callable[[complex, int], float], lam_f: complex, lam_b: complex, T: int
) -> list[bool]:
    """Return True for each half whose largest state is the same for ``T`` and ``2T`` inputs."""
    halves = [worst(lam, T) / worst(lam, 2 * T) for lam in (lam_f, lam_b)]
    return [bool(abs(ratio - 1) < 1e-9) for ratio in halves]


def inside(lam_f: complex, lam_b: complex, **_: object) -> list[bool]:
    """Return True for each of the two eigenvalues inside the unit circle."""
    return [abs(lam_f) < 1, abs(lam_b) < 1]


def ring_distribution(
    e_min: float, e_max: float, radius: float, angle: float
) -> Float[np.ndarray, "2"]:
    """Shares of the initialiser's map of a fine grid within a radius and an angle."""
    radii, angles = _ring(e_min, e_max)
    return np.array([np.mean(radii <= radius), np.mean(angles <= angle)])


def uniform_distribution(
    e_min: float, e_max: float, radius: float, angle: float, power: int = 2
) -> Float[np.ndarray, "2"]:
    """Shares of a ring's area within a radius and an angle."""
    low, rim, mid = e_min**power, e_max**power, radius**power
    return np.array([(mid - low) / (rim - low), angle / (2 * np.pi)])


def half_a_turn(
    e_min: float, e_max: float, radius: float, angle: float
) -> Float[np.ndarray, "2"]:
    """Mutant of the distribution: angles from zero to pi."""
    return uniform_distribution(e_min, e_max, radius, 2 * angle)


def within_circle(e_min: float, e_max: float) -> float:
    """Share of the initialiser's map of a fine grid inside the unit circle."""
    return float(np.mean(_ring_radii(e_min, e_max) < 1))


def area_within_circle(e_min: float, e_max: float) -> float:
    """Share of a ring's area inside the unit circle, by quadrature along the radius."""
    return _area_mean(e_min, e_max, lambda r: float(r < 1))


def _ring_radii(e_min: float, e_max: float) -> Float[np.ndarray, "2000"]:
    return _ring(e_min, e_max)[0]


def _ring(
    e_min: float, e_max: float
) -> tuple[Float[np.ndarray, "2000"], Float[np.ndarray, "2000"]]:
    import jax.numpy as jnp

    from sigprop.neuron.ring import ring_polar

    grid = (np.arange(2000) + 0.5) / 2000
    with double_precision(True):
        nu, theta = ring_polar(jnp.asarray(grid), jnp.asarray(grid), e_min, e_max)
        return np.exp(-np.asarray(nu)), np.asarray(theta)


def _area_mean(e_min: float, e_max: float, value: Callable) -> float:
    """Mean over the ring's area by quadrature along the radius."""
    total = mpmath.quad(lambda r: 2 * r * value(r), [e_min, e_max])
    return float(total / (mpmath.mpf(e_max) ** 2 - mpmath.mpf(e_min) ** 2))


def ring_energy(e_min: float, e_max: float) -> float:
    """Mean of ``1/(1-|lam|^2)`` by quadrature."""
    return _area_mean(e_min, e_max, lambda r: 1 / (1 - r**2))


def ring_energy_layer(e_min: float, e_max: float) -> float:
    """Mean of ``1/(1-|lam|^2)`` over the initialiser's map of a fine grid."""
    return float(np.mean(1 / (1 - _ring_radii(e_min, e_max) ** 2)))


def grows(energy: Callable[[float, float], float], e_min: float, e_max: float) -> float:
    """Sign of the change of a mean energy as the outer radius moves to the circle."""
    return float(np.sign(energy(e_min, (1 + e_max) / 2) - energy(e_min, e_max)))


def contraction(lam: float, rate: float) -> float:
    """Distance from the optimum after a gradient step over that before, in 40 digits.

    The loss is half the squared error under white inputs, a sum over ages, as a function of
    ``nu`` in ``exp(-exp(nu))``; the teacher has the eigenvalue ``lam``.
    """
    with mpmath.workdps(40):
        optimum = mpmath.log(-mpmath.log(mpmath.mpf(lam)))
        apart = mpmath.mpf(10) ** -15
        nu = optimum + apart
        student, teacher = mpmath.exp(-mpmath.exp(nu)), mpmath.mpf(lam)
        slope = -mpmath.exp(nu) * student
        # Sums over ages j of j s^(j-1) s^j and j s^(j-1) t^j.
        gradient = slope * (
            student / (1 - student**2) ** 2 - teacher / (1 - student * teacher) ** 2
        )
        return float(abs(apart - mpmath.mpf(rate) * gradient) / apart)


def contraction_by_autodiff(lam: float, rate: float) -> float:
    """``|1 - rate H|`` with the curvature ``H`` of sums over ages, by autodiff."""
    import jax
    import jax.numpy as jnp

    with double_precision(True):
        ages = jnp.arange(round(40 / (1 - lam)))

        def loss(nu: jax.Array) -> jax.Array:
            decay = jnp.exp(nu)
            return jnp.sum((jnp.exp(-decay * ages) - lam**ages) ** 2) / 2

        optimum = jnp.log(-jnp.log(jnp.asarray(lam)))
        return float(abs(1 - rate * jax.hessian(loss)(optimum)))


def _growth(
    states: Callable[[complex, int], Inexact[np.ndarray, " time"]], of: str
) -> Evidence:
    """The order ``of`` a state under inputs of one, from ``T`` steps to ``2T``."""
    return Evidence(
        EIGENVALUES,
        each(doubled, {"reference": _states, "impulse": states}),
        form=lambda lam, T: abs(1 + lam**T),
        printed=lambda lam, T: abs(lam) ** T,
        proof=two.doubled_steps,
        mutants={
            "the modulus of the power": lambda lam, T: 1 + abs(lam) ** T,
            "the power of all steps": lambda lam, T: abs(1 + lam ** (2 * T)),
        },
        example=Example(
            f"{of}, inputs (B u)_j = 1,",
            {"lambda": 0.9, "k": 10},
            lambda k, **at: at["lambda"] ** k,
            lambda k, **at: doubled(_states, at["lambda"], k),
        ),
    )


EVIDENCE: dict[str, Basis] = {
    "blur:text:growth-forward": _growth(_forwards, "|h_2k| over |h_k|"),
    "blur:text:growth-backward": _growth(
        _backwards, "|h_1| of 2k steps over that of k"
    ),
    "blur:text:stability": Evidence(
        also(points("lam", 0.9, 0.5 + 0.6j, -0.7, -0.94j), T=400),
        {"reference": worst_loop, "impulse": worst_engine},
        form=lambda lam, T: 1 / (1 - abs(lam)),
        relation="<=",
        mutants={
            "squared": lambda lam, T: 1 / (1 - abs(lam) ** 2),
            "the sign": lambda lam, T: 1 / (1 + abs(lam)),
            "lam for |lam|": lambda lam, T: 1 / abs(1 - lam),
        },
        hand={"one percent less": lambda lam, T: 0.99 / (1 - abs(lam))},
    ),
    "blur:text:exponential": Evidence(
        also(
            points("lam_f lam_b", (0.5, 1.1), (0.3 + 0.4j, -1.05), (1.1j, 0.9)), T=400
        ),
        each(settled, {"reference": worst_loop, "impulse": worst_engine}),
        inside,
        mutants={"both as the forward one": lambda lam_f, **_: [abs(lam_f) < 1] * 2},
    ),
    "blur:text:ring": Evidence(
        also(RINGS, radius=0.7, angle=1.3),
        {"impulse": ring_distribution},
        uniform_distribution,
        absolute=1e-3,
        mutants={
            "uniform along the radius": partial(uniform_distribution, power=1),
            "the fourth power": partial(uniform_distribution, power=4),
            "half a turn": half_a_turn,
        },
        alone="a definition, of the initialiser's map of a fine grid of uniforms",
    ),
    "blur:text:unit-circle": Evidence(
        (*RINGS, {"e_min": 0.0, "e_max": 1.0}),
        {"reference": area_within_circle, "impulse": within_circle},
        form=1.0,
        hand={"half of a ring that the circle halves": 0.5},
    ),
    "blur:text:exploding": Evidence(
        RINGS,
        each(grows, {"reference": ring_energy, "impulse": ring_energy_layer}),
        form=1.0,
        printed=-1.0,
        hand={"as large as before": 0.0},
        example=Example(
            "E|h|^2 under white input at |lambda| = 0.99, divided by its value at 0.9,",
            {},
            "below 1",
            lambda: (1 - 0.9**2) / (1 - 0.99**2),
        ),
    ),
    "blur:text:training-stability": Evidence(
        points(
            "lam rate",
            *((0.9, 0.8), (0.98, 0.15), (0.6, 0.5)),
            *((0.999, 0.01), (0.98, 0.2)),
        ),
        {"reference": contraction, "autodiff": contraction_by_autodiff},
        form=1.0,
        relation="<",
        mutants={
            "as fast as the state forgets": lambda lam, rate: lam,
            "as fast as its energy": lambda lam, rate: lam**2,
            "the learning rate": lambda lam, rate: rate,
        },
        example=Example(
            "the distance from the optimum after a step of gradient descent over that "
            "before, learning rate 0.01,",
            {"lambda": 0.999},
            "below 1",
            lambda **at: contraction(at["lambda"], 0.01),
        ),
    ),
}
