"""Parameter grids that claims share, so that they share trajectories.

Eigenvalues range from the middle of the unit disc to its edge, phases from 0 to pi, and
inputs from alternating to constant.  Two different formulas can agree at special values but
differ between them.
"""

from math import pi

from sigprop.numerics.points import (
    CONSTANT,
    WHITE,
    AgePoint,
    EigenPoint,
    Input,
    PairPoint,
    RingPoint,
    exponential,
)

LONG = 160  # inputs seen where a stationary form is judged: 0.95**320 is below 1e-7
SHORT = (4, 32)  # inputs seen where finite-time forms are judged
REAL = ((0.05, 0.0), (0.3, 0.0), (0.6, 0.0), (0.2, pi))
COMPLEX = ((0.05, 0.3), (0.3, 1.0), (0.5, 2.2))
CORRELATED = (exponential(0.5), exponential(0.9), exponential(-0.6))
# Three taps give an autocovariance of finite support with unrelated values, both signs.
FREE = Input("moving_average", taps=(1.0, 0.6, -0.4))
MIXED = (Input("mixed", a=0.7, b=0.3, rho=0.9), Input("mixed", a=0.3, b=0.9, rho=0.5))


def eigen(
    eigenvalues: tuple[tuple[float, float], ...],
    inputs: tuple[Input, ...],
    steps: tuple[int, ...] = (LONG,),
) -> tuple[EigenPoint, ...]:
    """Return every combination of eigenvalue, input and number of steps."""
    return tuple(
        EigenPoint(gap, theta, source, count)
        for source in inputs
        for gap, theta in eigenvalues
        for count in steps
    )


REAL_ANY = eigen(REAL, (FREE, *CORRELATED))
COMPLEX_ANY = eigen(REAL + COMPLEX, (FREE, *CORRELATED))
COMPLEX_EXPONENTIAL = eigen(REAL + COMPLEX, CORRELATED)
COMPLEX_WHITE = eigen(REAL + COMPLEX, (WHITE,))
COMPLEX_CONSTANT = eigen(REAL + COMPLEX, (CONSTANT,))
COMPLEX_MIXED = eigen(REAL + COMPLEX, MIXED)
FINITE = eigen(REAL + COMPLEX, (WHITE, CONSTANT, FREE, *CORRELATED, *MIXED), SHORT)
FINITE_WHITE = eigen(REAL + COMPLEX, (WHITE,), SHORT)

PAIRS = tuple(
    PairPoint(alpha, beta, source, LONG)
    for source in (FREE, exponential(0.5), exponential(0.9))
    for alpha, beta in ((0.95, 0.9), (0.7, 0.5), (0.5, 0.2), (-0.6, -0.4))
)
AGES = tuple(
    AgePoint(gap, theta, age)
    for gap, theta in ((0.05, 0.3), (0.4, 1.0), (0.2, pi))
    for age in (1, 2, 7)
)
RINGS = ((0.0, 0.8), (0.3, 0.9), (0.7, 0.95))


def rings(inputs: tuple[Input, ...]) -> tuple[RingPoint, ...]:
    """Return every combination of ring and input, after ``LONG`` steps."""
    return tuple(
        RingPoint(inner, outer, source, LONG)
        for inner, outer in RINGS
        for source in inputs
    )
