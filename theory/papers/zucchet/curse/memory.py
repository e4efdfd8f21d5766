"""Zucchet & Orvieto (2024), Section 2.2: what the text says about Eq. 5 to 7."""

import cmath
from math import pi

from sympy import limit

from theory import diagonal, recurrences
from theory.claims import Claim, Condition, Kind, Status
from theory.derivation import start
from theory.papers.zucchet.conditions import has_power
from theory.papers.zucchet.rows import IS_DEFINITION, routes, row
from theory.symbols import lam, rho

MEMORY = "sigprop.references.memory."
CURSE = "sigprop.references.curse."
EDGES = (
    {"phase": 0.0, "rho": 0.0},
    {"phase": 0.0, "rho": 0.6},
    {"phase": pi, "rho": 0.4},
    {"phase": 0.7, "rho": -0.5},
    {"phase": 0.0, "rho": 1.0},
)
SILENT = (
    {"phase": pi, "rho": 1.0},
    {"phase": 0.0, "rho": -1.0},
    {"phase": 0.7, "rho": 1.0},
)
REAL = tuple(
    {"lam": lam, "rho": rho} for lam, rho in ((0.6, 0.3), (-0.5, 0.7), (0.9, -0.4))
)
SPECTRUM = (
    "the input's spectrum does not vanish at the phase of the eigenvalue; so for "
    "R = rho^|lag| with |rho| < 1 at any phase"
)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_assumptions(), *_explosions(), *_comparisons())


def _assumptions() -> tuple[Claim, ...]:
    return (
        row(
            "text:memory-terms",
            "text after Eq. 4, Section 2.1",
            Kind.TEXT,
            "Longer memory: more Jacobians that are not negligible",
            r"\#\left\{t': \left|\frac{\mathrm{d}h_t}{\mathrm{d}h_{t'}}\right| > "
            r"\varepsilon\right\} = \left\lceil \frac{\log \varepsilon}{\log |\lambda|} "
            r"\right\rceil",
            Status.CONFIRMED,
            "sigprop.references.curse.terms_counted",
            points=tuple({"lam": lam, "least": 1e-3} for lam in (0.6, 0.9, 0.3 + 0.9j)),
            routes=routes("curse", reference="terms_counted", impulse="terms_by_layer"),
            form=CURSE + "terms_expected",
            note="The text says that the number increases; it does, as 1/gap.",
            topic="backward",
        ),
        row(
            "text:assumption-diagonal",
            "assumption a, Section 2.2",
            Kind.DEFINITION,
            "The linear diagonal network",
            r"f_{\theta}(h_t, x_{t+1}) = \lambda \odot h_t + x_{t+1}",
            Status.DEFINITION,
            "sigprop.neuron.recurrence.step",
            points=REAL,
            routes=routes("memory", impulse="moment_by_layer"),
            form=MEMORY + "moment_by_sum",
            alone=IS_DEFINITION,
            note="Judged on the moment of the state that it leads to.",
        ),
        row(
            "text:infinite-horizon",
            "assumption b, Section 2.2",
            Kind.TEXT,
            "How much a finite horizon misses of the state",
            r"t_0 = -\infty: \quad 1 - \frac{\mathbb{E}|h_T|^2}{\mathbb{E}|h_\infty|^2} = "
            r"|\lambda|^{2T}",
            Status.PROVED,
            "theory.diagonal.remainder_factor",
            derive=lambda: start(
                "the tail over the total", diagonal.remainder_factor("state")
            ),
            points=tuple(
                {"r": r, "T": T, "quantity": "state"}
                for r, T in ((0.9, 10), (0.95, 60), (0.6, 2))
            ),
            routes=routes(
                "curse", reference="missing_share", impulse="missing_share_by_layer"
            ),
            note="The text calls an infinite horizon reasonable for sequences longer than "
            "the time scale 1/gap. White input: at T = 1/gap 14 % of the state's moment is "
            "missing, at T = 3/gap 0.2 %.",
            topic="forward",
        ),
        row(
            "text:infinite-horizon-sensitivity",
            "assumption b, Section 2.2",
            Kind.TEXT,
            "How much a finite horizon misses of the sensitivity",
            r"t_0 = -\infty: \quad 1 - \frac{\mathbb{E}|\mathrm{d}_\lambda h_T|^2}{"
            r"\mathbb{E}|\mathrm{d}_\lambda h_\infty|^2} \text{ is small for } T \gg "
            r"\frac{1}{1 - |\lambda|}",
            Status.PROVED,
            "theory.diagonal.remainder_factor",
            derive=lambda: start(
                "the tail over the total", diagonal.remainder_factor("sensitivity")
            ),
            points=tuple(
                {"r": r, "T": T, "quantity": "sensitivity"}
                for r, T in ((0.9, 10), (0.95, 60), (0.6, 2))
            ),
            routes=routes(
                "curse", reference="missing_share", impulse="missing_share_by_layer"
            ),
            note="The sensitivity needs longer than the state: at T = 1/gap about 70 % of "
            "its moment is missing, at T = 3/gap (the 300 steps of Section 4.2 at nu_0 = "
            "0.99) 6 %.",
            topic="backward",
        ),
        row(
            "text:assumption-stationary",
            "assumption c, Section 2.2",
            Kind.DEFINITION,
            "Wide-sense stationarity and the autocorrelation function",
            r"\mathbb{E}_X [X_{t+\Delta}X_t] =: R_X(\Delta) \text{ for all } t, \Delta \in "
            r"\mathbb{Z}",
            Status.DEFINITION,
            "sigprop.inputs.AR1.autocovariance",
            points=tuple({"rho": rho} for rho in (0.0, 0.6, -0.8, 1.0)),
            routes=routes("curse", impulse="process_covariances"),
            form=CURSE + "toeplitz_covariances",
            alone=IS_DEFINITION,
            note="The usual definition also asks for a constant mean. Appendix B.2 repeats "
            "it with a conjugate and with t and Delta in R.",
            topic="stationarity",
        ),
    )


def _explosions() -> tuple[Claim, ...]:
    def explosion(name, title, statement, quantity, proof, **more):
        return row(
            name,
            "text before and after Eq. 5, Section 2.2",
            Kind.LIMIT,
            title,
            statement,
            Status.CONDITIONAL,
            "theory.recurrences.at_the_edge",
            points=tuple({**at, "quantity": quantity} for at in (*EDGES, *SILENT)),
            routes=routes(
                "memory", reference="growth_by_sum", closed_form="growth_by_states"
            ),
            form=CURSE + "edge_exponent",
            absolute=0.01,
            proof=proof,
            condition=Condition(
                SPECTRUM, lambda rho, phase, **_: has_power(rho, phase)
            ),
            **more,
        )

    return (
        explosion(
            "text:state-diverges",
            "The state's second moment goes to infinity at the edge",
            r"|\lambda| \to 1 \Rightarrow \mathbb{E}[h_t^2] \to \infty",
            "state",
            recurrences.states_explode,
            note="Judged on the exponent p of gap^-p: 1, and 2 where the input is a pure "
            "wave at the phase of lambda. Constant input and lambda -> -1 is silent: "
            "E[h^2] -> 1/4. The same holds for the backpropagated errors of Eq. 7.",
            topic="forward",
        ),
        explosion(
            "text:sensitivity-diverges",
            "The sensitivity's second moment goes to infinity at the edge",
            r"|\lambda| \to 1 \Rightarrow \mathbb{E}[(\mathrm{d}_\lambda h_t)^2] \to "
            r"\infty \text{, faster than } \mathbb{E}[h_t^2]",
            "sensitivity",
            recurrences.sensitivities_explode,
            note="The exponent is 3, two more than the state's, and 4 on a resonant wave. "
            "Constant input and lambda -> -1: E[(dh/dlam)^2] -> 1/16.",
            topic="backward",
        ),
    )


def _comparisons() -> tuple[Claim, ...]:
    return (
        row(
            "text:divergence-speed",
            "text after Eq. 5, Section 2.2",
            Kind.LIMIT,
            "Correlated inputs make the state diverge faster",
            r"\lim_{\lambda \to 1} (1 - \lambda^2) \mathbb{E}[h_t^2] \text{ increases with "
            r"the correlation of the inputs}",
            Status.CONDITIONAL,
            "theory.recurrences.at_the_edge",
            derive=lambda: recurrences.at_the_edge("state", 1),
            printed=lambda: (1 + rho) / (1 - rho),
            points=(
                *({"rho": rho, "edge": 1} for rho in (0.0, 0.5, 0.9, -0.6)),
                *({"rho": rho, "edge": -1} for rho in (0.5, 0.9)),
            ),
            routes=routes(
                "curse", reference="edge_rate", closed_form="edge_rate_by_states"
            ),
            tolerance=1e-3,
            assumes="|rho| < 1; of two inputs that of larger rho is the more correlated",
            condition=Condition("lambda goes to +1", lambda edge, **_: edge == 1),
            note="For |rho| < 1 the power of the gap stays 1; what grows is the factor "
            "(1 + rho)/(1 - rho). At lambda -> -1 it is the inverse, so correlation slows "
            "the divergence there; the power changes only at rho = 1.",
            topic="forward",
        ),
        row(
            "text:low-pass",
            "text before Eq. 6, Section 2.2",
            Kind.BOUND,
            "The recurrence is a low-pass filter",
            r"\frac{|H(\pi)|}{|H(0)|} = \frac{|1 - \lambda|}{|1 + \lambda|} \le 1, \quad "
            r"H(\omega) = \frac{1}{1 - \lambda e^{-i\omega}}",
            Status.CONDITIONAL,
            "sigprop.neuron.recurrence.linear_recurrence",
            points=({"lam": 0.3}, {"lam": 0.9}, {"lam": -0.5}),
            routes=routes(
                "curse", impulse="gain_ratio_by_layer", reference="gain_ratio_by_waves"
            ),
            form=CURSE + "one",
            relation="<=",
            slips={"half of the ratio": CURSE + "smaller_gain"},
            condition=Condition(
                "lambda > 0; a negative eigenvalue makes a high-pass filter and a complex "
                "one a band-pass filter",
                lambda lam, **_: lam > 0,
            ),
            note="At lambda = -0.5 the gain at the highest frequency is three times that "
            "at zero.",
            topic="backward",
        ),
        row(
            "text:faster",
            "text before Eq. 6, Section 2.2; text in Section 3.1",
            Kind.LIMIT,
            "The sensitivity diverges faster than the state, white input",
            r"\lim_{|\lambda| \to 1} \frac{\mathbb{E}[(\mathrm{d}_\lambda h_t)^2]}{"
            r"\mathbb{E}[h_t^2]} = \infty",
            Status.PROVED,
            "theory.recurrences.sensitivity_over_state",
            derive=recurrences.sensitivity_over_state,
            proof=_ratio_diverges,
            points=tuple({"lam": lam, "rho": 0.0} for lam in (0.6, -0.5, 0.9)),
            routes=routes("curse", reference="ratio_by_sum", impulse="ratio_by_layer"),
            note="The ratio is (1 + lam^2)/(1 - lam^2)^2.",
            topic="backward",
        ),
        row(
            "text:recurrent-most",
            "text after Eq. 7, Section 2.2",
            Kind.BOUND,
            "Recurrent parameters are more sensitive than input and readout weights",
            r"y = c h, h_{t+1} = \lambda h_t + b x_{t+1}, b = c = 1: \quad \mathbb{E}\left["
            r"\left(\frac{\mathrm{d}y}{\mathrm{d}\lambda}\right)^2\right] > \mathbb{E}\left["
            r"\left(\frac{\mathrm{d}y}{\mathrm{d}b}\right)^2\right] = \mathbb{E}\left[\left("
            r"\frac{\mathrm{d}y}{\mathrm{d}c}\right)^2\right]",
            Status.CONDITIONAL,
            "theory.recurrences.real_moment",
            points=(
                {"lam": 0.6, "rho": 0.3},
                {"lam": 0.9, "rho": -0.4},
                {"lam": -0.9, "rho": 0.5},
                {"lam": -0.9, "rho": 1.0},
            ),
            routes=routes("curse", reference="ratio_by_sum", impulse="ratio_by_layer"),
            form=CURSE + "one",
            relation=">",
            slips={"a hundred times": CURSE + "hundred"},
            assumes="|lambda| near one, for which the ratio grows as 1/gap^2",
            condition=Condition(
                SPECTRUM, lambda lam, rho, **_: has_power(rho, cmath.phase(lam))
            ),
            note="Constant input and lambda = -0.9: the ratio is 1/(1.9)^2 = 0.28.",
            topic="backward",
        ),
    )


def _ratio_diverges() -> bool:
    ratio = recurrences.sensitivity_over_state().result
    return all(limit(ratio, lam, edge).is_infinite for edge in (1, -1))
