"""Zucchet & Orvieto (2024), Appendix B.3.1: normalised, real eigenvalues, Eq. 76-79."""

import math

from sympy import sqrt

from theory import diagonal
from theory import parametrisation as polar
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers.zucchet.proofs import sequences
from theory.parametrisation import d_lam, gamma
from theory.symbols import lam, n

PARAMETERS = "sigprop.references.parameters."
B3, B31 = "Appendix B.3", "Appendix B.3.1"
EIGEN = (0.5 + 0.3j, -0.4 + 0.6j, 0.2 + 0.8j)
HELD = "gamma held fixed in the derivatives, as the paper says"
D_OMEGA = r"\frac{\mathrm{d}h_t}{\mathrm{d}\omega}"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_model(), *_real())


def row(number, place, kind, title, statement, status, code, evidence, **more) -> Claim:
    """One claim of the section."""
    where = place if str(number).startswith("text") else f"Eq. {number}, {place}"
    return Claim(
        f"zucchet:{number}",
        where,
        kind,
        title,
        statement,
        "evidence",
        status,
        code,
        more.pop("derive", None),
        more.pop("printed", None),
        evidence=evidence,
        topic="parametrisation",
        **more,
    )


def _normalised(lam, x) -> list[complex]:
    """Eq. 76 from the zero state, step by step."""
    factor, h, found = math.sqrt(1 - abs(lam) ** 2), 0j, []
    for t in range(12):
        h = lam * h + factor * x(t)
        found.append(h)
    return found


def _model() -> tuple[Claim, ...]:
    return (
        row(
            76,
            B3,
            Kind.DEFINITION,
            "The normalised and reparametrised recurrence",
            r"h_{t+1} = \lambda(\omega)h_t + \gamma(\lambda)x_{t+1}",
            Status.DEFINITION,
            "sigprop.layers.lru.LRU",
            Evidence(
                tuple({"lam": z, "x": sequences.REAL_INPUT} for z in EIGEN),
                {
                    "impulse": PARAMETERS + "layer_states",
                    "reference": PARAMETERS + "summed_states",
                },
                form=_normalised,
            ),
        ),
    )


def _error_filter(lam, gamma, x, target, inside: bool) -> list[float]:
    """``dL/dx_t``, with the factor on what comes from later as well or not."""
    h, errors = 0.0, []
    for t in range(8):
        h = lam * h + gamma * x(t)
        errors.append(2 * (h - target(t)))
    later, found = 0.0, []
    for error in reversed(errors):
        total = lam * later + error
        found.append(gamma * total)
        later = gamma * total if inside else total
    return found[::-1]


def _eq_78(**at) -> list[float]:
    return _error_filter(**at, inside=True)


def _eq_78_corrected(**at) -> list[float]:
    return _error_filter(**at, inside=False)


def _unit_factor() -> Derivation:
    moment = diagonal.moment("state", "exponential").result
    return start("E|h|^2 without normalisation", moment).then(
        "gamma^2 is its inverse", 1 / sqrt(moment)
    )


def _real_point(omega: float, age: int) -> dict:
    value = math.tanh(omega)
    slope = 1 - value**2
    return {
        "omega": omega,
        "n": age,
        "lam": value,
        "gamma": math.sqrt(slope),
        "d_lam": slope,
    }


def _real() -> tuple[Claim, ...]:
    later = r"\lambda \frac{\mathrm{d}L}{\mathrm{d}%s_{t+1}} + "
    own = r"\frac{\partial L}{\partial h_t}"
    left = r"\frac{\mathrm{d}L}{\mathrm{d}x_t} = \gamma(\lambda) \left("
    return (
        row(
            77,
            B31,
            Kind.IDENTITY,
            "The normalised state as a filter of the inputs",
            r"h_t = \sum_{n \ge 0} \lambda^n \gamma(\lambda) x_{t-n}",
            Status.PROVED,
            "sigprop.layers.lru.LRU",
            Evidence(
                tuple(
                    {"lam": z, "n": age, "gamma": math.sqrt(1 - abs(z) ** 2)}
                    for z, age in zip(EIGEN, (1, 4, 3), strict=True)
                ),
                {"impulse": PARAMETERS + "layer_weight"},
            ),
            derive=polar.input_kernel,
            printed=lambda: lam**n * gamma,
            note="Judged on the weight of one input, complex eigenvalues too.",
        ),
        row(
            "text:ideal-gamma",
            f"text after Eq. 77, {B31}",
            Kind.TEXT,
            "The factor that keeps the state from exploding",
            r"\gamma(\lambda) = \left(\mathbb{E}\left[(h_t)^2\right]\right)^{-1}",
            Status.REFUTED,
            "sigprop.neuron.ring.normalisation",
            Evidence(
                tuple(
                    {"lam": z, "rho": decay}
                    for z, decay in (
                        (0.6, 0.4),
                        (-0.7, 0.3),
                        (0.5 + 0.3j, -0.8),
                        (0.8j, 0.0),
                        (0.3, 0.95),
                    )
                ),
                {
                    "reference": PARAMETERS + "unit_factor",
                    "impulse": PARAMETERS + "unit_factor_impulse",
                },
            ),
            derive=_unit_factor,
            printed=lambda: 1 / diagonal.moment("state", "exponential").result,
            correction=r"\gamma(\lambda) = \left(\mathbb{E}\left[(h_t)^2\right]\right)"
            r"^{-1/2}",
            note="The moment scales with gamma squared: gamma must be the inverse of its "
            "root. With the inverse itself E[h^2] falls to zero at the edge as 1 - lam^2.",
            inherits="No: before Eq. 84 the paper takes sqrt(1 - nu^2), which is right.",
        ),
        row(
            78,
            B31,
            Kind.IDENTITY,
            "Backpropagation through the normalised recurrence",
            left + later % "x" + own + r"\right)",
            Status.REFUTED,
            "sigprop.layers.lru.LRU",
            Evidence(
                tuple(
                    {
                        "lam": z,
                        "gamma": g,
                        "x": sequences.REAL_INPUT,
                        "target": sequences.CHIRP,
                    }
                    for z, g in ((0.6, 0.8), (-0.9, 0.4), (0.95, 1.3))
                ),
                {
                    "autodiff": PARAMETERS + "input_gradient",
                    "reference": PARAMETERS + "input_difference",
                },
                form=_eq_78_corrected,
                printed=_eq_78,
            ),
            correction=left + later % "h" + own + r"\right)",
            note="What comes back from time t + 1 is dL/dh_{t+1} = (dL/dx_{t+1})/gamma: "
            "the factor must not enter at every step. As printed the errors decay with "
            "gamma lam in place of lam; near the edge, where gamma is small, they would "
            "vanish. Eq. 7 has dL/dh_{t+1}.",
            inherits="No: that gamma rescales dL/dx_t, as the text says, is true.",
        ),
        row(
            79,
            B31,
            Kind.IDENTITY,
            "The chain rule of a real reparametrisation",
            D_OMEGA + r" = \frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\frac{\mathrm{d}"
            r"\lambda}{\mathrm{d}\omega}",
            Status.PROVED,
            "sigprop.layers.lru.LRU",
            Evidence(
                tuple(_real_point(w, k) for w, k in ((0.7, 2), (-0.4, 3), (1.1, 7))),
                {
                    "autodiff": PARAMETERS + "real_slope",
                    "reference": PARAMETERS + "real_slope_difference",
                },
            ),
            derive=polar.real_slope,
            printed=lambda: (gamma * n * lam ** (n - 1)) * d_lam,
            assumes=HELD,
            note="dh/dlam is gamma times what it is without normalisation. Were gamma "
            "differentiated, (dgamma/domega)/gamma times h_t would be added.",
        ),
        _row_mitigation(),
    )


def _row_mitigation() -> Claim:
    return row(
        "text:mitigation",
        f"text after Eq. 79, {B31}",
        Kind.BOUND,
        "Normalisation and parametrisation both mitigate the curse of memory",
        r"\left(\frac{\mathrm{d}\nu}{\mathrm{d}\omega}\right)^2 \gamma^2 \,\mathbb{E}"
        r"\left[\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)^2\right] < "
        r"\gamma^2 \,\mathbb{E}\left[\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right)"
        r"^2\right] < \mathbb{E}\left[\left(\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
        r"\right)^2\right]",
        Status.CONFIRMED,
        "theory.parametrisation.modulus_share",
        Evidence(
            tuple({"nu": value} for value in (0.2, 0.55, 0.8, 0.9)),
            {
                "autodiff": PARAMETERS + "mitigated",
                "reference": PARAMETERS + "mitigated_sum",
            },
            form=PARAMETERS + "unmitigated",
            relation="<",
            slips={"halved": PARAMETERS + "halved"},
        ),
        assumes="white input, gamma = sqrt(1 - nu^2) held fixed, nu = tanh(omega)",
        note="In powers of the gap the divergence is of order three, two and zero: "
        "normalisation alone does not remove it.",
    )
