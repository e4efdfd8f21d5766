"""Orvieto et al. (2023), Sections 1-2, Appendix B: recurrences and S4, Eq. 1-3."""

import math

from sympy import exp

from theory import spectral
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import start
from theory.evidence import Evidence
from theory.papers.lru.rows import SPECTRAL, TABLES, TOYS, printed_numbers, unchecked
from theory.spectral import drive, dt, pole

POLES = tuple(
    {"pole": complex(pole), "dt": step, "drive": drive}
    for pole, step, drive in (
        (-0.5 + 2j, 0.1, 1.2),
        (-0.5 - 9j, 0.3, 0.7 - 0.4j),
        (-1.7, 0.8, -1.1j),
    )
)


def claims() -> tuple[Claim, ...]:
    """The recurrences and their discretisations."""
    return (*_equations(), *_introduction(), *_models())


def _equations() -> tuple[Claim, ...]:
    runs = tuple(
        {"seed": seed, "steps": 6, "activation": name}
        for seed, name in ((0, "tanh"), (1, "relu"))
    )
    return (
        Claim(
            "lru:1",
            "Eq. 1, Section 2.1",
            Kind.DEFINITION,
            "A recurrent layer",
            r"x_k = \sigma(A x_{k-1} + B u_k),\quad y_k = C x_k + D u_k,\quad x_0 = 0",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.dense.NonlinearRNN",
            evidence=Evidence(
                runs,
                {"impulse": f"{TOYS}.dense_by_layer"},
                form=f"{TOYS}.dense_by_loop",
                alone="the layer against the printed loop",
            ),
            note="Inputs are counted from 1 here and from 0 in Section 3.2.1; the state "
            "before the first input is zero in both.",
            topic="models",
        ),
        Claim(
            "lru:2",
            "Eq. 2, Section 2.1",
            Kind.DEFINITION,
            "A continuous-time state-space model",
            r"\frac{d}{dt} x_{ct}(t) = \tilde{A} x_{ct}(t) + \tilde{B} u_{ct}(t),\quad "
            r"y_{ct}(t) = \Re[\tilde{C} x_{ct}(t)] + \tilde{D} u_{ct}(t)",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.s4d.S4D",
            evidence=Evidence(
                tuple({"seed": seed, "dt": dt} for seed, dt in ((0, 0.1), (1, 0.7))),
                {"impulse": f"{SPECTRAL}.sampled_output"},
                form=f"{SPECTRAL}.layer_output",
                alone="the layer against quadrature of the equation it discretises",
            ),
            note="Judged under held inputs. The layer keeps one of each conjugate pair "
            "and so returns twice the real part.",
            topic="models",
        ),
        Claim(
            "lru:3",
            "Eq. 3, Section 2.1",
            Kind.DEFINITION,
            "Zero-order-hold discretisation",
            r"x_k = A x_{k-1} + B u_k,\quad y_k = C x_k + D u_k,\quad A = \exp(\Delta "
            r"\tilde{A}),\quad B = (A - I)\tilde{A}^{-1}\tilde{B}",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.s4d.discretise",
            spectral.held_step,
            lambda: (exp(dt * pole) - 1) / pole * drive,
            assumes="the continuous matrix has no eigenvalue 0, where B is its limit",
            evidence=Evidence(
                POLES,
                {
                    "reference": f"{SPECTRAL}.held_gain",
                    "impulse": f"{SPECTRAL}.layer_gain",
                },
            ),
            note="Judged is the input factor B of one mode, against the exact response "
            "to a held input. Which state the recurrence then gives is the text's claim "
            "lru:text:zoh-exact.",
            topic="spectral",
        ),
    )


def _introduction() -> tuple[Claim, ...]:
    return (
        Claim(
            "lru:text:attention-cost",
            "Section 1",
            Kind.TEXT,
            "Cost of attention and of a recurrence",
            r"\text{attention costs } O(L^2),\ \text{an RNN } O(L)",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.lru_tables.growth_of_cost",
            evidence=Evidence(
                ({"model": "attention"}, {"model": "recurrence"}),
                {"reference": f"{TABLES}.growth_of_cost"},
                form=lambda model: 2.0 if model == "attention" else 1.0,
                tolerance=0.02,
                alone="counted from the traced operations of two lengths",
            ),
            note="Judged is the exponent of the number of entries that all operations "
            "write, between 1024 and 4096 steps.",
            topic="models",
        ),
        printed_numbers(
            "lru:text:matches",
            "Abstract, Section 3.4 and Table 3",
            "The LRU is as accurate as deep state-space models",
            r"\text{accuracy of LRU} \approx \text{accuracy of S4, S4D, S5 on every task}",
            "above_worst_deep",
            {"table": 3, "models": "lru"},
            0.0,
            ">=",
            wrong=100.0,
            note="On every task the LRU beats the least accurate of the five rows it is "
            "compared with, by 0.2 to 3.2 points. The best row leads it by 2.5 points on "
            "sCIFAR and by 4.4 on PathX.",
        ),
        unchecked(
            "lru:text:footnotes",
            "footnotes 1-16",
            Kind.TEXT,
            "Footnotes",
            r"^{1}, \dots, ^{16}",
            "our copy has the sixteen marks in the text but not the footnotes themselves, "
            "so there is nothing to transcribe",
            as_extracted=True,
        ),
    )


def _models() -> tuple[Claim, ...]:
    poles = tuple(
        {"pole": p, "dt": step, "k": 3, "hold": hold}
        for hold in ("before", "after")
        for p, step in ((-0.5 + 2j, 0.1), (-0.5 - 9j, 0.3), (-1.7 + 0j, 0.8))
    )
    inverse = r"-\frac{1}{2} + i\frac{N}{\pi}\left(\frac{N}{%s} - 1\right)"
    return (
        Claim(
            "lru:text:zoh-exact",
            "Section 2.1, after Eq. 3",
            Kind.TEXT,
            "The zero-order hold is exact",
            r"u_{ct} \text{ constant between timestamps} \Rightarrow x_k = x_{ct}(\Delta k)"
            r",\quad x_{-1} = 0,\ x_{ct}(0) = 0",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.spectral.recurrent_state_in_time",
            condition=Condition(
                "u_k is held over the interval before its own time and the system "
                "starts from zero one step earlier",
                lambda hold, **_: hold == "before",
            ),
            evidence=Evidence(
                poles,
                {"reference": f"{SPECTRAL}.held_state"},
                form=f"{SPECTRAL}.recurrent_state_in_time",
                printed=f"{SPECTRAL}.recurrent_state_as_printed",
                alone="quadrature of the continuous system",
            ),
            note="A zero-order hold keeps u_k from its own time on. Then Eq. 3 gives the "
            "state one step later, x_k = x_ct((k+1) Delta): already x_0 = B u_0 is not "
            "x_ct(0) = 0.",
            topic="spectral",
        ),
        Claim(
            "lru:text:zoh-formula",
            "Section 4",
            Kind.TEXT,
            "The zero-order hold again",
            r"x_k = \exp(\Delta\tilde{A}) x_{k-1} + (\exp(\Delta\tilde{A}) - I)"
            r"\tilde{A}^{-1}\tilde{B} u_k",
            "evidence",
            Status.PROVED,
            "theory.spectral.held_step",
            spectral.held_step,
            lambda: spectral.drive * (spectral.exp(dt * pole) - 1) / pole,
            assumes="the continuous matrix has no eigenvalue 0, where it is its limit",
            evidence=Evidence(
                tuple(
                    {"pole": p, "dt": step, "drive": 0.7 - 0.4j}
                    for p, step in (
                        (-0.5 + 3j, 0.2),
                        (-2.0 + 0j, 0.5),
                        (-0.1 - 1j, 1.0),
                    )
                ),
                {"reference": f"{SPECTRAL}.held_gain"},
            ),
            topic="spectral",
        ),
        Claim(
            "lru:text:s4d-lin",
            "Section 2.1, Section 4 and Appendix B",
            Kind.DEFINITION,
            "The S4D-Lin spectrum",
            r"\tilde{a}_n = -\frac{1}{2} + i\pi n,\quad n = 1, 2, \dots, N",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.s4d.diagonal_spectrum",
            evidence=Evidence(
                tuple({"index": n, "size": 16} for n in (1, 2, 7)),
                {"reference": f"{SPECTRAL}.linear_pole"},
                form=lambda index, size: -0.5 + 1j * math.pi * index,
                alone="the spectrum of the package's layer",
            ),
            note="The package, as S4D, counts n from 0.",
            topic="spectral",
        ),
        Claim(
            "lru:text:s4d-inv",
            "Section 2.1 and Appendix B",
            Kind.TEXT,
            "The S4D-Inv spectrum",
            r"\tilde{a}_n = " + inverse % "n+1" + r",\quad n = 1, 2, \dots, N",
            "evidence",
            Status.REFUTED,
            "sigprop.layers.s4d.diagonal_spectrum",
            correction=r"\tilde{a}_n = " + inverse % "2n+1" + r",\quad n = 0, 1, \dots",
            evidence=Evidence(
                tuple({"index": n, "size": 256} for n in (1, 2)),
                {"reference": f"{SPECTRAL}.legs_pole"},
                form=lambda index, size: (
                    -0.5 + 1j * size / math.pi * (size / (2 * index - 1) - 1)
                ),
                printed=lambda index, size: (
                    -0.5 + 1j * size / math.pi * (size / (index + 1) - 1)
                ),
                tolerance=0.015,
                alone="a dense eigensolver on HiPPO-LegS, which the formula approximates",
            ),
            note="The formula approximates the eigenvalues of the normal part of "
            "HiPPO-LegS, which at index n = 1, 2, 3 are at N^2/pi times 1, 1/3, 1/5. The "
            "printed one gives 1/2, 1/3, 1/4. It lacks the factor 2 of n, and S4D counts "
            "from 0, not from 1. The margin of 1.5 % is the distance at N = 256.",
            inherits="No.",
            topic="spectral",
        ),
        Claim(
            "lru:text:bilinear",
            "Section 2.1",
            Kind.TEXT,
            "The bilinear method is of second order",
            r"\frac{1 + \Delta\tilde{a}/2}{1 - \Delta\tilde{a}/2} - e^{\Delta\tilde{a}} "
            r"= \frac{(\Delta\tilde{a})^3}{12} + O(\Delta^4)",
            "evidence",
            Status.PROVED,
            "theory.spectral.bilinear_defect",
            lambda: start(
                "the defect",
                (2 + dt * pole) / (2 - dt * pole) - spectral.exp(dt * pole),
            ),
            evidence=Evidence(
                tuple(
                    {"pole": p, "dt": step}
                    for p, step in (
                        (-0.5 + 2j, 0.3),
                        (-0.5 - 9j, 0.1),
                        (-1.7 + 0j, 0.8),
                    )
                ),
                {"reference": f"{SPECTRAL}.bilinear_defect"},
                proof=lambda: spectral.bilinear_defect() == (pole * dt) ** 3 / 12,
            ),
            note="The paper says only that both methods are of high accuracy: this is "
            "how accurate, while the hold is exact for the inputs it assumes.",
            topic="spectral",
        ),
    )
