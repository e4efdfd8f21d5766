"""Orvieto et al. (2023), Appendix A: the listing."""

import math

from theory import spectral
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.lru.rows import LRU


def claims() -> tuple[Claim, ...]:
    """The functions of the listing."""
    starts = tuple(
        {"r_min": low, "r_max": high, "max_phase": phase, "u_1": u_1, "u_2": u_2}
        for low, high, phase, u_1, u_2 in (
            (0.0, 1.0, 6.28, 0.3, 0.6),
            (0.9, 0.999, 6.28, 0.8, 0.1),
            (0.999, 0.9999, math.pi / 10, 0.5, 0.9),
        )
    )
    circle = tuple(
        {"factor": 2.0, "radius": radius, "phase": phase}
        for radius, phase in ((0.7, 0.4), (0.6, 2.5))
    )
    return (
        Claim(
            "lru:listing:forward",
            "Appendix A, function forward",
            Kind.ALGORITHM,
            "The listing's forward pass",
            r"x_k = \Lambda x_{k-1} + \exp(\gamma^{\log}) \odot (B u_k),\quad y_k = "
            r"\Re(C x_k) + D \odot u_k",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.lru.LRU",
            evidence=Evidence(
                tuple({"seed": seed, "steps": 7} for seed in (0, 1)),
                {
                    "reference": f"{LRU}.looped_forward",
                    "impulse": f"{LRU}.layer_forward",
                },
                form=f"{LRU}.listing_forward",
            ),
            note="The listing, transcribed, gives what Eq. 7 gives in a plain loop and "
            "what the package's layer gives with the same arrays. The text writes D u "
            "without saying there that D acts entry by entry; the listing does.",
            topic="models",
        ),
        Claim(
            "lru:listing:init",
            "Appendix A, function init_lru_parameters",
            Kind.ALGORITHM,
            "The listing's eigenvalues and normalisation",
            r"\nu^{\log} = \log(-0.5\log(u_1(r_{\max}^2 - r_{\min}^2) + r_{\min}^2)),\ "
            r"\theta^{\log} = \log(\theta_{\max} u_2),\ \gamma^{\log} = \log\sqrt{1 - "
            r"|\lambda|^2}",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.lru.ring_parameters",
            evidence=Evidence(
                starts,
                {"closed_form": f"{LRU}.layer_start", "reference": f"{LRU}.area_start"},
                form=f"{LRU}.listing_start",
                tolerance=1e-9,
            ),
            note="The default max_phase of 6.28 leaves out 0.05 % of the circle. A draw "
            "of exactly zero for u_2 gives a phase that never moves.",
            topic="parametrisation",
        ),
        Claim(
            "lru:listing:operator",
            "Appendix A, function binary_operator_diag",
            Kind.ALGORITHM,
            "The operator of the parallel scan",
            r"(a_i, b_i) \bullet (a_j, b_j) = (a_j a_i,\ a_j b_i + b_j)",
            "evidence",
            Status.PROVED,
            "theory.spectral.scan_is_associative",
            evidence=Evidence(
                tuple(
                    {"seed": seed, "cut": cut} for seed, cut in ((0, 1), (1, 3), (2, 5))
                ),
                {"reference": f"{LRU}.bracketed"},
                form=f"{LRU}.recurred",
                proof=spectral.scan_is_associative,
            ),
            note="Associative but not commutative: the later element is the second.",
            topic="models",
        ),
        Claim(
            "lru:listing:projections",
            "Appendix A, function init_lru_parameters",
            Kind.MOMENT,
            "The listing's projections keep the size of white inputs",
            r"\operatorname{Var}(B_{re}) = \operatorname{Var}(B_{im}) = \frac{1}{2H},\ "
            r"\operatorname{Var}(C_{re}) = \operatorname{Var}(C_{im}) = \frac{1}{N} "
            r"\Rightarrow \mathbb{E}[(y - Du)^2] = \mathbb{E}[u^2]",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.lru.lru",
            assumes="white input, before anything is learnt",
            evidence=Evidence(
                circle,
                {"impulse": f"{LRU}.output_energy"},
                form=lambda factor, radius, phase: 1.0,
                tolerance=1e-9,
                alone="impulse responses of the layer, summed over unit entries",
            ),
            topic="models",
        ),
        Claim(
            "lru:text:factor-two",
            "Appendix A",
            Kind.TEXT,
            "Which projection is scaled to make up for the real part",
            r"B, C \text{ follow Glorot, } B \text{ scaled additionally by a factor } 2 "
            r"\text{ as taking the real part halves the variance}",
            "evidence",
            Status.REFUTED,
            "sigprop.layers.lru.lru",
            correction=r"C \text{ has twice the variance of Glorot's complex entries: } "
            r"\operatorname{Var}(C_{re}) = 1/N,\ \operatorname{Var}(B_{re}) = 1/(2H)",
            evidence=Evidence(
                circle,
                {"impulse": f"{LRU}.listed_state_energy"},
                form=lambda factor, radius, phase: 1.0,
                printed=lambda factor, radius, phase: factor,
                tolerance=1e-9,
                alone="impulse responses of the layer, summed over unit entries",
            ),
            note="Judged is E|x_i|^2 for white input of unit size. In the listing it is 1: "
            "B is divided by sqrt(2H), so halved and not doubled. With the factor of the "
            "text, in variance, it would be 2. The output is the same, since the factor "
            "is on C in the listing.",
            inherits="No.",
            topic="models",
        ),
    )
