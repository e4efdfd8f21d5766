"""The teacher-student task of Zucchet & Orvieto: scans, sizes, times, curvatures.

Source: Zucchet & Orvieto (2024), Section 4, Appendix C.3-C.4 and Tables 1-3.
"""

from dataclasses import dataclass
from math import prod

from sympy import (
    Expr,
    Rational,
    Symbol,
    diff,
    exp,
    integrate,
    limit,
    log,
    oo,
    simplify,
    sqrt,
    tanh,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import lam, lam_bar, r, theta

nu0 = Symbol("nu0", positive=True)  # least modulus of the teacher's eigenvalues
width = Symbol("width", positive=True)  # neurons of a student
heads = Symbol("heads", positive=True)  # blocks of its matrix
step = Symbol("step", positive=True)  # Delta of S4
momentum, second, rate = Symbol("momentum"), Symbol("second"), Symbol("rate")


@dataclass(frozen=True)
class Scan:
    """One column of Tables 1 to 3.

    Attributes:
        models: Number of networks in the column.
        nu0: Scanned values of ``nu0``.
        log_rates: Decimal logarithms of the scanned learning rates.
        initialisations: Number of initialisations.
        widths: Numbers of neurons of the networks.
        log_angles: Decimal logarithms of the scanned ``theta_0 / pi``.
        batch: Batch size.
        length: Length of a sequence in steps.
        teacher: Number of neurons of the teacher.
        scalars: Number of inputs, and of outputs.
        steps: Number of training steps.
        seeds: Number of seeds.
    """

    models: int
    nu0: tuple[float, ...]
    log_rates: tuple[float, ...]
    initialisations: int
    widths: tuple[int, ...] = (64,)
    log_angles: tuple[float, ...] = (0.0,)
    batch: int = 128
    length: int = 300
    teacher: int = 10
    scalars: int = 1
    steps: int = 10_000
    seeds: int = 10

    def runs(self) -> int:
        """Number of trained networks."""
        lists = (self.nu0, self.log_angles, self.log_rates)
        return self.models * self.initialisations * self.seeds * prod(map(len, lists))


def halves(first: float, last: float) -> tuple[float, ...]:
    """Return the numbers from ``first`` to ``last`` in steps of one half."""
    return tuple(first + k / 2 for k in range(round(2 * (last - first)) + 1))


SLOW, FAST = halves(-5, -2.5), halves(-2.5, -0.5)
NU0 = (0.32, 0.68, 0.84, 0.92, 0.96, 0.98, 0.99)
TABLES: dict[int, dict[str, Scan]] = {
    1: {"RNN": Scan(1, NU0, SLOW, 2), "LRU": Scan(1, NU0, FAST, 1)},
    2: {
        "RNN": Scan(3, (0.99,), SLOW, 2, (64, 64, 128)),
        "LRU": Scan(2, (0.99,), FAST, 1),
    },
    3: {
        "RNN": Scan(1, (0.99,), halves(-4.5, -3), 2, log_angles=halves(-2, 0)),
        "LRU": Scan(2, (0.99,), halves(-3.5, 0), 1, log_angles=halves(-2, 0)),
    },
}
MINUTES = {"RNN": 10, "LRU": 3}  # a run, Appendix C.3
HEADS = (1, 2, 4, 8, 16, 32)  # Fig. 11
HALF = Rational(1, 2)


def runs(table: int) -> list[int]:
    """Return the number of trained networks in each column of a table.

    Example:
        >>> runs(1)
        [840, 350]
    """
    return [scan.runs() for scan in TABLES[table].values()]


def days(column: str) -> float:
    """Return the computing time of Tables 1 to 3 in days.

    For the RNN, it includes Figure 11 without its first and last number of heads.
    """
    count = sum(TABLES[table][column].runs() for table in TABLES)
    if column == "RNN":
        rnn = TABLES[2]["RNN"]
        count += (len(HEADS) - 2) * rnn.runs() // rnn.models
    return count * MINUTES[column] / 60 / 24


def settings(table: int) -> list[int]:
    """Return batch, length, teacher, student, steps and seeds of a table.

    All columns of the table must have the same settings.
    """
    distinct = {
        (s.batch, s.length, s.teacher, s.widths[0], s.steps, s.seeds)
        for s in TABLES[table].values()
    }
    (row,) = distinct
    return list(row)


def rate_is_scanned(column: str, log_rate: float) -> int:
    """Return 1 if Table 2 scans a learning rate, otherwise 0."""
    return int(log_rate in TABLES[2][column].log_rates)


# Sizes and times.


def dense_size() -> Expr:
    """Return the number of parameters of a linear RNN with heads, one input and one output."""
    return width**2 / heads + 2 * width + 1


def footnote() -> Expr:
    """Return the modulus after the transformation of footnote 1."""
    return nu0 + (1 - nu0) * tanh(r)


def mean_time() -> Derivation:
    """Derive the mean time constant of a teacher of many neurons, with moduli of density 2r."""
    doubled = integrate(2 * r * (1 + exp(2 * r)), (r, 0, 1))
    return start(
        "The time constant of one eigenvalue is",
        1 / (1 - footnote()),
        r"1/(1-|\lambda|)",
    ).then(
        "Average over the disc, with 1 - tanh r = 2/(1 + exp 2 r):",
        doubled / (2 * (1 - nu0)),
    )


# Curvatures at the optimum, white inputs.


def sensitivity() -> Expr:
    """Return ``E|dh/dlam|^2`` as a function of the modulus.  Source: Eq. 60."""
    return (1 + r**2) / (1 - r**2) ** 3


def magnitude_curvature() -> Derivation:
    """Derive the Hessian entry of ``omega_nu`` in the LRU, normalised and reparametrised."""
    nu = Symbol("nu", real=True)
    derivative = diff(exp(-exp(nu)), nu).subs(nu, log(-log(r)))
    return start(
        "The sensitivity to the modulus has the moment",
        sensitivity(),
        r"\mathbb{E}|\mathrm{d}h/\mathrm{d}\nu|^2",
    ).then(
        "Multiply by gamma^2 and by the squared derivative of the parametrisation:",
        simplify(sensitivity() * (1 - r**2) * derivative**2),
    )


def magnitude_limit() -> Expr:
    """Return the limit of the Hessian entry of ``omega_nu`` for ``|lam| -> 1``.

    Example:
        >>> magnitude_limit()
        1/2
    """
    return limit(magnitude_curvature().result, r, 1, "-")


def angle_over_magnitude() -> Derivation:
    """Derive the Hessian entry of ``omega_theta`` in the LRU relative to ``omega_nu``."""
    angle = sensitivity() * (1 - r**2) * (r * theta) ** 2
    return start("The angle's entry is", angle, r"H_{\theta\theta}").then(
        "Divide by the magnitude's entry:",
        simplify(angle / magnitude_curvature().result),
    )


def s4_ratio() -> Derivation:
    """Derive the ratio of squared derivatives of ``lam`` in S4.

    They are the derivatives by ``omega_Delta`` and by ``omega_A^im``.
    """
    omega, raw = Symbol("omega"), Symbol("raw")
    softplus = log(1 + exp(raw))
    eigenvalue = exp(omega * step)
    by_angle = step * eigenvalue  # modulus, as omega moves along the imaginary axis
    inverse = {raw: log(exp(step) - 1)}
    by_step = diff(exp(omega * softplus), raw).subs(inverse)
    size = simplify(by_step / by_angle).subs(omega, 1) * log(lam) / step
    bar = size.subs(lam, lam_bar)
    return start("The eigenvalue is", eigenvalue, r"\lambda").then(
        "The squared ratio of the derivatives is", simplify(size * bar)
    )


def adam_step() -> Expr:
    """Return the step of Adam late in training for a gradient of one."""
    first = Rational(9, 10) * momentum + Rational(1, 10)
    spread = Rational(999, 1000) * second + Rational(1, 1000)
    return rate * first / (sqrt(spread) + Rational(1, 10**8))


def settings_and_runs(table: int) -> list[int]:
    """Return the settings of a table and the numbers of trained networks of its columns."""
    return [*settings(table), *runs(table)]


def fewer_with_heads() -> bool:
    """Prove that the number of parameters decreases with the number of heads."""
    return bool(diff(dense_size(), heads) < 0)


def curvature() -> Derivation:
    """Derive the curvature of the one-dimensional loss at its optimum, for real eigenvalues.

    Source: Zucchet & Orvieto (2024), Section 4.1 and Appendix C.1.
    """
    student, teacher = Symbol("student"), Symbol("teacher")
    loss = (
        1 / (1 - student**2) + 1 / (1 - teacher**2) - 2 / (1 - student * teacher)
    ) / 2
    bent = diff(loss, student, 2).subs({student: r, teacher: r})
    return start("The loss is", loss, "L").then(
        "The second derivative at the optimum is", simplify(bent)
    )


def curvature_grows() -> bool:
    """Prove that ``curvature`` equals ``sensitivity`` and increases to infinity on (0, 1)."""
    square = Symbol("square", positive=True)
    form = sensitivity().subs(r, sqrt(square))
    rising = simplify(diff(form, square) * (1 - square) ** 4)  # 4 + 2 square
    same = simplify(curvature().result - sensitivity()) == 0
    return bool(same and rising > 0 and limit(form, square, 1, "-") == oo)


def mean_time_is_printed() -> bool:
    """Prove the closed form of ``mean_time``."""
    return simplify(mean_time().result - (exp(2) + 3) / (4 * (1 - nu0))) == 0
