"""Orvieto et al. (2023), Appendix E.1 and Figure 6: what the prose says of stacks."""

from sympy import sin

from theory import spectral
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import SPECTRAL
from theory.papers.lru.spectral import BARE, UNITARY
from theory.spectral import omega


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_spectra(), *_koopman())


def _spectra() -> tuple[Claim, ...]:
    waves = tuple(
        {"lam": lam, "frequency": frequency, "phase": 0.3, "k": 5, "history": 3000}
        for lam, frequency in ((0.8 + 0.3j, 0.4), (-0.9, 1.7), (0.5 - 0.7j, 2.6))
    )
    shifts = tuple(
        {"omega": w, "delay": delay, "width": width}
        for w, delay, width in ((1.3, 0.8, 1.0), (-0.7, -1.9, 0.6), (2.2, 0.4, 1.4))
    )
    return (
        Claim(
            "lru:text:shift-invariant",
            "Appendix E.1.1",
            Kind.TEXT,
            "Linear RNNs approximate shift-invariant maps",
            r"Y(\omega) = H(\omega) U(\omega),\ H: \mathbb{R} \rightarrow \mathbb{R} "
            r"\Rightarrow \text{approximated by } \dot{x} = Ax + Bu \text{ to any accuracy}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.spectral.causal_share",
            condition=Condition(
                "the kernel of H vanishes at negative times",
                lambda kernel, **_: kernel in ("decaying", "ringing"),
            ),
            evidence=Evidence(
                tuple(
                    {"kernel": kernel}
                    for kernel in ("decaying", "ringing", "gaussian", "two-sided")
                ),
                {"reference": f"{SPECTRAL}.causal_share"},
                form=lambda kernel: 1.0,
                alone="the energy of a kernel at times that a causal system can reach",
            ),
            note="A real-valued H has an even kernel, half of whose energy lies in the "
            "future: no causal system comes nearer than a relative error of 0.71. H must "
            "be complex, the transform of a causal kernel.",
            inherits="No.",
            topic="spectral",
        ),
        Claim(
            "lru:text:same-frequency",
            "Appendix E.1.1",
            Kind.TEXT,
            "A sine leaves a linear RNN as a sine of the same frequency",
            r"u_k = \sin(\omega k + \varphi) \Rightarrow y_k = g \sin(\omega k + \varphi')",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.spectral.sine_of_the_same_frequency",
            condition=Condition(
                "the sine has no beginning, or its transient has died out",
                lambda lam, history, **_: abs(lam) ** history < 1e-12,
            ),
            evidence=Evidence(
                (*waves, *({**wave, "history": 0} for wave in waves)),
                {"reference": f"{SPECTRAL}.started_sine"},
                form=f"{SPECTRAL}.sine_of_the_same_frequency",
                alone="the real part of the recurrence, summed over ages",
            ),
            note="From the zero state a transient lam^k is added, at the frequency of the "
            "eigenvalue.",
            topic="spectral",
        ),
        Claim(
            "lru:text:shift-property",
            "Appendix E.1.1, property 1",
            Kind.IDENTITY,
            "A delay is a phase",
            r"\mathcal{F}_{x(t - t_0)}(\omega) = e^{-i\omega t_0} \mathcal{F}_{x(t)}(\omega)",
            "evidence",
            Status.PROVED,
            "theory.spectral.pulse",
            evidence=Evidence(
                shifts,
                {"reference": f"{SPECTRAL}.shifted_transform"},
                form=f"{SPECTRAL}.phased_transform",
                tolerance=1e-9,
                proof=spectral.delay_is_a_phase,
            ),
            note="In any convention with exp(-i omega t) forward.",
            topic="spectral",
        ),
        Claim(
            "lru:text:pulse",
            "Appendix E.1.1, property 2",
            Kind.IDENTITY,
            "Transform of a rectangular pulse",
            r"\mathcal{F}_{\chi[-\tau, \tau]}(\omega) = 2\tau \operatorname{sinc}(\omega\tau)"
            r",\quad \operatorname{sinc}(x) := \frac{\sin(x)}{x}",
            "evidence",
            Status.CONDITIONAL,
            "theory.spectral.pulse",
            lambda: spectral.pulse().then(
                "about zero", spectral.pulse().result.subs(spectral.centre, 0)
            ),
            lambda: 2 * sin(omega * spectral.half) / omega,
            correction=r"\mathcal{F}_{\chi[-\tau, \tau]}(\omega) = \frac{1}{2\pi} 2\tau "
            r"\operatorname{sinc}(\omega\tau)",
            corrected=lambda: spectral.scale * 2 * sin(omega * spectral.half) / omega,
            condition=BARE,
            evidence=Evidence(
                tuple(
                    {"centre": 0.0, "half": half, "omega": w, "scale": prefactor}
                    for half, w, prefactor in (
                        (0.7, 1.3, 1.0),
                        (1.9, -0.6, 1.0),
                        (0.4, 3.1, 1.0),
                        (0.7, 1.3, UNITARY),
                    )
                ),
                {"reference": f"{SPECTRAL}.pulse"},
            ),
            note="The transform whose inverse is that of Eq. 10 has the factor; the "
            "correction is for it.",
            inherits="Yes: Eq. 8, 15 and 16.",
            topic="spectral",
        ),
        Claim(
            "lru:fig6",
            "Fig. 6",
            Kind.FIGURE,
            "A ReLU leaks a sine's power to other frequencies",
            r"\text{ReLU leaks information from the original signal to higher frequencies}",
            "evidence",
            Status.PROVED,
            "theory.spectral.rectified_sine",
            spectral.rectified_sine,
            evidence=Evidence(
                tuple({"harmonic": n} for n in (0, 1, 2, 5)),
                {"reference": f"{SPECTRAL}.rectified_sine"},
                proof=spectral.sine_leaks_by_the_kernel,
            ),
            note="For a sine the new lines are at all even multiples, 1/(pi (1 - 4 n^2)), "
            "and the largest is at zero: it leaks down too. They are what Eq. 8 gives "
            "with its factor 1/(2 pi).",
            topic="spectral",
        ),
    )


def _koopman() -> tuple[Claim, ...]:
    return (
        Claim(
            "lru:text:koopman-bounded",
            "Appendix E.1.2",
            Kind.BOUND,
            "The Koopman operator is bounded",
            r"\mathcal{K}_S \text{ is linear and bounded}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.koopman.observable_growth",
            condition=Condition(
                "in the largest value, or for a map under which small sets have "
                "preimages of comparable measure",
                lambda power, norm, **_: norm == "sup" or power <= 1,
            ),
            evidence=Evidence(
                (
                    {"power": 3.0, "width": 0.1, "norm": "sup"},
                    {"power": 1.0, "width": 0.01, "norm": "L2"},
                    {"power": 3.0, "width": 0.001, "norm": "L2"},
                ),
                {"reference": "sigprop.references.koopman.observable_growth"},
                form=lambda power, width, norm: 1.0,
                relation="<=",
                slips={"half": lambda power, width, norm: 0.5},
                alone="the norm of an observable before and after",
            ),
            note="In L2, where the text then expands observables, the smooth map x^3 "
            "stretches a bump of width w by w^(-1/3), without bound.",
            inherits="The spectral theorem is then applied in L2.",
            topic="spectral",
        ),
        Claim(
            "lru:text:koopman-diagonal",
            "Appendix E.1.2",
            Kind.TEXT,
            "Only point spectrum makes the Koopman operator diagonalisable",
            r"\mathcal{K} \text{ bounded, only point spectrum} \Rightarrow \mathcal{K}_S "
            r"\text{ diagonalisable}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.koopman.modes_predict",
            condition=Condition(
                "the operator is normal, or its eigenfunctions are complete for "
                "another reason",
                lambda lam, link, other, **_: lam != other or link == 0,
            ),
            evidence=Evidence(
                tuple(
                    {"lam": lam, "link": 0.4, "k": 3, "other": other}
                    for lam, other in ((0.5, 0.2), (0.3 + 0.4j, -0.6), (0.5, 0.5))
                ),
                {"reference": "sigprop.references.koopman.linear_map_coordinate"},
                form="sigprop.references.koopman.linear_map_by_modes",
                alone="the expansion against the map that it claims to be",
            ),
            note="A linear map that is a Jordan block, on its linear observables: a "
            "bounded operator whose only spectrum is one eigenvalue, and no basis.",
            inherits="Eq. 21 and 22 need the basis.",
            topic="spectral",
        ),
    )
