"""Zucchet & Orvieto (2024), Appendix A: the LRU, S4 and the GRU as drawn, Eq. 31-33."""

from theory import recurrences
from theory.claims import Claim, Kind, Status
from theory.papers.zucchet.rows import IS_DEFINITION, routes, row
from theory.recurrences import nu0

MODELS = "sigprop.references.models."
GRU = "sigprop.layers.gru."
RADII = tuple({"nu_0": radius} for radius in (0.0, 0.4, 0.9, 0.99))
INNER = tuple({"nu0": radius} for radius in (0.0, 0.4, 0.9))
SECTION = "Appendix A.4"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_rings(), *_chrono(), *_ranges())


def _rings() -> tuple[Claim, ...]:
    return (
        row(
            "text:ring",
            "text after Eq. 22, Appendix A.2",
            Kind.DISTRIBUTION,
            "Eigenvalues are uniform on a ring",
            r"\lambda \sim \mathcal{U}(\{\nu_0 \le |\lambda| \le 1\}): \quad |\lambda|^2 "
            r"\sim \mathcal{U}(\nu_0^2, 1)",
            Status.CONFIRMED,
            "sigprop.neuron.ring.ring_polar",
            points=INNER,
            routes=routes(
                "initialisations", impulse="ring_squares", reference="area_quantiles"
            ),
            form="sigprop.references.initialisations.even_squares",
            note="Quantiles of the sampling code, and radii that enclose that share of the "
            "area. The LRU's phases are uniform on [0, theta_0]; absolute values are "
            "spoken of, but Eq. 21 gives no negative phase; the authors' code takes phases "
            "of both signs modulo 2 pi. See lru:lemma3.2.",
            topic="ring",
        ),
        row(
            "text:lru-gamma",
            "text after Eq. 22, Appendix A.2",
            Kind.TEXT,
            "The LRU's gamma starts from unit energy",
            r"\gamma = \sqrt{1-|\lambda|^2}",
            Status.CONFIRMED,
            "sigprop.layers.lru.zucchet_lru",
            points=({"model": "lru", "nu0": 0.4},),
            routes=routes(
                "initialisations",
                impulse="drawn_gains",
                reference="lru_gains_by_energy",
            ),
            form="sigprop.references.initialisations.lru_gains_written",
            note="The gain that makes the energy of each response, summed over ages, one.",
        ),
        row(
            "text:s4-init",
            "end of Appendix A.3",
            Kind.DEFINITION,
            "S4 starts with steps of one and the LRU's eigenvalues",
            r"\Delta = 1, \quad \exp\left(\Delta(\omega_A^{\text{re}} + i\omega_A^{"
            r"\text{im}})\right) = \lambda_{\text{LRU}}",
            Status.DEFINITION,
            "sigprop.layers.s4.s4",
            points=INNER,
            routes=routes("initialisations", impulse="s4_eigenvalues_drawn"),
            form="sigprop.references.initialisations.lru_eigenvalues_drawn",
            alone=IS_DEFINITION,
            tolerance=1e-7,
            note="With the key of the LRU; both draw in single precision.",
        ),
    )


def _chrono() -> tuple[Claim, ...]:
    def time(number, title, latex, index, factor, **more):
        return row(
            number,
            f"Eq. {number}, {SECTION}",
            Kind.DEFINITION,
            title,
            latex,
            Status.DEFINITION,
            GRU + "chrono_times",
            printed=lambda: factor / (1 - nu0),
            points=tuple({**at, "index": index} for at in RADII),
            routes=routes("initialisations", impulse="chrono_time"),
            alone=IS_DEFINITION,
            topic="gated",
            **more,
        )

    return (
        row(
            "31",
            f"Eq. 31, {SECTION}",
            Kind.DEFINITION,
            "Chrono initialisation of the forget bias",
            r"b_f \sim \log\left(\mathcal{U}\left(T_{\min}, T_{\max}\right)\right)",
            Status.DEFINITION,
            GRU + "chrono",
            points=({"low": 2.0, "high": 8.0}, {"low": 10.0, "high": 20.0}),
            routes=routes("initialisations", monte_carlo="chrono_quantiles"),
            form="sigprop.references.initialisations.uniform_quantiles",
            tolerance=0.02,
            alone=IS_DEFINITION,
            note="Deciles of 100 000 draws. Tallec & Ollivier draw log U(1, T_max - 1), so "
            "that T is 1/(1 - f); here f = T/(1 + T) and 1/(1 - f) = T + 1. See "
            "zucchet:text:chrono-low.",
            topic="gated",
        ),
        time(
            "32",
            "The least characteristic time",
            r"T_{\min} = \frac{1}{1 - \nu_0}",
            0,
            1,
        ),
        time(
            "33",
            "The greatest characteristic time",
            r"T_{\max} = \frac{2}{1 - \nu_0}",
            1,
            2,
        ),
    )


def _ranges() -> tuple[Claim, ...]:
    def end(name, which, printed_latex, true_latex, times, printed, size):
        return row(
            f"text:chrono-{name}",
            f"text after Eq. 33, {SECTION}",
            Kind.TEXT,
            f"The {which} forget gate under Eq. 31 to 33",
            r"f \in \left[\nu_0, \frac{1+\nu_0}{2}\right]: \quad " + printed_latex,
            Status.REFUTED,
            "theory.recurrences.chrono_at",
            derive=lambda: recurrences.chrono_at(times),
            printed=printed,
            correction=true_latex
            + r", \text{ or draw } b_f \sim \log\left(\mathcal{U}(T_{\min}, T_{\max}) - 1"
            r"\right)",
            corrected=lambda: recurrences.chrono_at(times).result,
            points=tuple({**at, "times": float(times)} for at in RADII),
            routes=routes(
                "initialisations",
                impulse="chrono_gate",
                reference="chrono_gate_by_odds",
            ),
            note="Ignoring inputs and states, f = sigmoid(log T) = T/(1 + T), and not 1 - "
            f"1/T. The gate is too large by {size}. With b_f = log(T - 1) the printed "
            "range is right.",
            inherits="the time scales at which Figure 5 compares the GRU with the others; "
            "little, as nu_0 is near one there",
            topic="gated",
        )

    return (
        end(
            "low",
            "least",
            r"f_{\min} = \nu_0",
            r"f_{\min} = \frac{1}{2 - \nu_0}",
            1,
            lambda: nu0,
            "(1 - nu_0)^2/(2 - nu_0): 0.5 at nu_0 = 0 and 0.0001 at nu_0 = 0.99",
        ),
        end(
            "high",
            "greatest",
            r"f_{\max} = \frac{1+\nu_0}{2}",
            r"f_{\max} = \frac{2}{3 - \nu_0}",
            2,
            lambda: (1 + nu0) / 2,
            "(1 - nu_0)^2/(6 - 2 nu_0): 0.17 at nu_0 = 0 and 0.000025 at nu_0 = 0.99",
        ),
        row(
            "text:chrono-time",
            f"text after Eq. 31, {SECTION}",
            Kind.BOUND,
            "T is the time in which the gate forgets, up to one step",
            r"f^\tau = e^{-1}: \quad T < \tau < T + 1",
            Status.CONFIRMED,
            "sigprop.references.initialisations.decay_time",
            points=tuple(
                {**at, "times": times} for at in RADII for times in (1.0, 2.0)
            ),
            routes=routes(
                "initialisations", impulse="decay_time", reference="decay_time_by_odds"
            ),
            form="sigprop.references.initialisations.time_and_one",
            relation="<",
            slips={"T itself": "sigprop.references.initialisations.time_itself"},
            note="The text calls T the characteristic time scale. tau = 1/log(1 + 1/T) is "
            "T + 1/2 to first order; 1/(1 - f) is T + 1.",
            topic="gated",
        ),
    )
