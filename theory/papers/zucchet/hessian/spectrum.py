"""Zucchet & Orvieto (2024), Section 4.3: what the main text says of Hessians."""

import cmath
import math
from typing import Any

from theory import hessian as H
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import AtPoint, Evidence
from theory.papers.zucchet.conditions import no_larger_downwards
from theory.papers.zucchet.hessian import forms
from theory.papers.zucchet.hessian.forms import REFERENCE

SECTION = "Section 4.3"
NETWORKS = "sigprop.references.hessian_networks."


def claims() -> tuple[Claim, ...]:
    """The sentences of Section 4.3 about the Hessian at optimality."""
    return (*_spectra(), *_step_size(), *_diagonality(), _angle())


def _networks(seeds: range) -> tuple[AtPoint, ...]:
    return tuple(
        {"seed": seed, "normal": normal} for normal in (True, False) for seed in seeds
    )


def _text(name: str, where: str, title: str, latex: str, **rest: Any) -> Claim:
    return Claim(
        f"zucchet:text:hessian-{name}",
        where,
        Kind.TEXT,
        title,
        latex,
        "evidence",
        rest.pop("expected", Status.CONFIRMED),
        rest.pop("code", "theory.hessian.real_block"),
        topic="hessian",
        **rest,
    )


def _spectra() -> tuple[Claim, ...]:
    return (
        _text(
            "spectra",
            f"text after Eq. 11 and Figure 4 A, B, {SECTION}",
            "Dense and diagonal networks have almost the same Hessian spectrum",
            r"\lambda_{\max}(H_{\text{dense}}) \approx \lambda_{\max}(H_{\text{diagonal"
            r"}}), \; n = 4, \; \nu_0 = 0.99",
            expected=Status.CONDITIONAL,
            condition=Condition(
                "the eigenvectors of A are orthonormal and its eigenvalues are further "
                "apart than their distance to the circle",
                # Every teacher's eigenvalues are 1.4 apart and 0.01 from the circle.
                lambda normal, **_: normal,
            ),
            evidence=Evidence(
                _networks(range(4)),
                {
                    "sensitivities": NETWORKS + "top_dense",
                    "reference": NETWORKS + "top_dense_by_differences",
                },
                form=NETWORKS + "top_diagonal",
                tolerance=2e-3,
            ),
            note="The paper says it in words; judged on the largest eigenvalue, within 0.2 "
            "%. With general eigenvectors the dense Hessian is larger, for a change of A is "
            "seen through the basis and its inverse: with Gaussian eigenvectors its largest "
            "eigenvalue was 9 to 230 times that of the diagonal network of the same "
            "function, in eight draws. How the teacher of Figure 4 drew its eigenvectors is "
            "not said. Both networks have 4 states, 25 real parameters and white inputs.",
        ),
        _text(
            "concentrated",
            f"text after Eq. 11 and Figure 4 A, B, {SECTION}",
            "The diagonal network's top eigenvectors spread over fewer coordinates",
            r"\left\langle \frac{1}{\sum_p v_p^4} \right\rangle_{\text{dense}} > \left"
            r"\langle \frac{1}{\sum_p v_p^4} \right\rangle_{\text{diagonal}}",
            evidence=Evidence(
                ({"normal": True}, {"normal": False}),
                {
                    "sensitivities": NETWORKS + "spread_dense",
                    "reference": NETWORKS + "spread_dense_by_differences",
                },
                form=lambda normal: 1.0,
                relation=">",
                slips={"twice as many": lambda normal: 2.0},
            ),
            note="Measured as the inverse participation ratio, the mean of the four top "
            "eigenvectors, for random teachers of 4 states, of orthonormal and of Gaussian "
            "eigenvectors.  It holds in the mean over teachers, about 2.1 and 1.8 times as "
            "many, and not for each: of 120 teachers six had it the other way.",
        ),
    )


def _step_size() -> tuple[Claim, ...]:
    positive = tuple(
        {"eigenvalues": values} for values in ((5.0, 2.0, 1.0, 0.5), (3.0, 2.5, 0.1))
    )
    footnote = f"footnote 2, {SECTION}"
    return (
        _text(
            "lipschitz",
            footnote,
            "The gradient's Lipschitz constant is the largest Hessian eigenvalue",
            r"L = \lambda_{\max}(H)",
            expected=Status.CONDITIONAL,
            code="sigprop.references.hessian_networks.lipschitz_by_norm",
            condition=Condition(
                "it is the largest eigenvalue in modulus, at the worst parameters; at "
                "optimality no eigenvalue is negative",
                no_larger_downwards,
            ),
            evidence=Evidence(
                (*positive, {"eigenvalues": (1.0, 0.5, -3.0)}),
                {
                    "reference": NETWORKS + "lipschitz_by_power",
                    "closed_form": NETWORKS + "lipschitz_by_norm",
                },
                form=lambda eigenvalues: max(eigenvalues),
            ),
            note="Away from optima the loss curves downwards too, and the largest eigenvalue "
            "may be smaller than the modulus of the least one.",
        ),
        _text(
            "step-size",
            footnote,
            "Gradient descent is stable up to two over the largest eigenvalue",
            r"\eta_{\max} = \frac{2}{L}",
            code="sigprop.references.hessian_networks.step_by_radius",
            assumes="a quadratic loss of positive curvature",
            evidence=Evidence(
                positive,
                {
                    "reference": NETWORKS + "step_by_descent",
                    "closed_form": NETWORKS + "step_by_radius",
                },
                form=lambda eigenvalues: 2 / max(eigenvalues),
            ),
        ),
    )


def _block_size(lambda_i: complex, lambda_j: complex, **source: float) -> float:
    """Norm of an off-diagonal block over the geometric mean of the diagonal ones.

    For unit gains: the norm of a block is the root of ``(|A|^2 + |B|^2) / 2``.
    """

    def norm(first: complex, second: complex) -> float:
        same = H.similarity(first, second, **source)
        mixed = H.similarity(first, second.conjugate(), **source)
        return math.sqrt((abs(same) ** 2 + abs(mixed) ** 2) / 2)

    own = norm(lambda_i, lambda_i) * norm(lambda_j, lambda_j)
    return norm(lambda_i, lambda_j) / math.sqrt(own)


def _diagonality() -> tuple[Claim, ...]:
    first = 0.7 * cmath.exp(1.1j)
    unit = {"b_i": 1.0, "b_j": 1.0, "c_i": 1.0, "c_j": 1.0}
    turned = tuple(
        {
            **unit,
            "lambda_i": first,
            "lambda_j": first.conjugate() * cmath.exp(1j * angle),
        }
        for angle in (0.15, -0.5, 1.0, 3.0)
    )
    shares: dict[str, Any] = {
        "reference": NETWORKS + "off_diagonal",
        "closed_form": forms.off_diagonal,
    }
    wide, narrow = (math.pi, math.pi / 4), (math.pi / 4, math.pi / 16)
    return (
        _text(
            "conjugates",
            f"text after Eq. 11, {SECTION}",
            "Eigenvalues that are not conjugate make the Hessian more diagonal",
            r"\frac{\|H_{ij}\|}{\sqrt{\|H_{ii}\| \|H_{jj}\|}} < 1 \text{ if } \lambda_j \ne "
            r"\bar{\lambda}_i",
            expected=Status.CONDITIONAL,
            condition=Condition(
                "the two eigenvalues are not equal either: an equal pair couples as "
                "strongly as a conjugate one",
                lambda lambda_i, lambda_j, **_: lambda_i != lambda_j,
            ),
            evidence=Evidence(
                (*turned, {**unit, "lambda_i": first, "lambda_j": first}),
                {
                    "reference": REFERENCE + "block_ratio",
                    "closed_form": lambda lambda_i, lambda_j, **_: _block_size(
                        lambda_i, lambda_j
                    ),
                },
                form=lambda lambda_i, **_: (
                    _block_size(lambda_i, complex(lambda_i).conjugate()) - 1e-9
                ),
                relation="<",
                slips={"a fifth less": lambda **_: 0.8},
            ),
            note="Norms are Frobenius norms of blocks by (re, im); equal magnitudes, unit "
            "gains, white input.",
        ),
        _text(
            "concentration",
            f"last paragraph, {SECTION}",
            "More concentrated eigenvalues make the Hessian less diagonal",
            r"\text{share off the diagonal at } \theta_0/4 > \text{share at } \theta_0",
            code="theory.papers.zucchet.hessian.forms.off_diagonal",
            evidence=Evidence(
                tuple(
                    {"size": 10, "theta_0": low, "other": high}
                    for high, low in (wide, narrow)
                ),
                shares,
                form=lambda size, other, **_: forms.off_diagonal(size, other),
                relation=">",
                slips={"one": lambda **_: 1.0},
            ),
            note="Ten eigenvalues drawn as for Figure 10 (nu_0 = 0.99), the mean of six "
            "draws; the share is the root of the sum of squares off the diagonal over that "
            "of all entries by (re, im), unit gains.",
        ),
        _text(
            "width",
            f"last paragraph, {SECTION}",
            "More hidden neurons make the Hessian less diagonal",
            r"\text{share off the diagonal at } 3n > \text{share at } n",
            code="theory.papers.zucchet.hessian.forms.off_diagonal",
            evidence=Evidence(
                tuple(
                    {"size": 3 * size, "theta_0": math.pi, "other": size}
                    for size in (3, 5)
                ),
                shares,
                form=lambda theta_0, other, **_: forms.off_diagonal(other, theta_0),
                relation=">",
                slips={"one": lambda **_: 1.0},
            ),
            note="The same measure, angles on the whole circle.",
        ),
    )


def _angle() -> Claim:
    return _text(
        "lru-angle",
        f"text after Eq. 11, {SECTION}",
        "In the LRU only the angle's entries of the Hessian explode",
        r"H_{\omega_\nu \omega_\nu} = O(1), \; H_{\omega_\theta \omega_\theta} = O\left((1-"
        r"\nu)^{-2}\right)",
        assumes="white input, unit readout, angles away from 0 by more than 1 - nu",
        evidence=Evidence(
            tuple({"gap": 1e-3, "angle": angle} for angle in (0.3, 1.2)),
            {
                "sensitivities": NETWORKS + "lru_growth",
                "reference": NETWORKS + "lru_growth_by_differences",
            },
            form=lambda gap, angle: [1.0, 4.0],
            tolerance=2e-3,
        ),
        note="The paper says it in words. Judged by the growth of both diagonal entries as "
        "1 - nu halves: by 1 and by 4, to the order of 1 - nu. The normalisation sqrt(1 - "
        "nu^2) and its own derivative are part of the model.",
    )
