"""Zucchet & Orvieto (2024), Appendix B.2.3: what grows at the edge, Eq. 71-73."""

import math
from itertools import product

from theory import dense, diagonal
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.zucchet.proofs.modes import ALL, MODES, row
from theory.symbols import lam, n


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_growth(), *_terms())


def _families(*names: str, gaps: tuple[float, ...]):
    return tuple({"family": f, "gap": gap} for f, gap in product(names, gaps))


def _root_of_size(system) -> float:
    return math.sqrt(system.size)


def _growth() -> tuple[Claim, ...]:
    return (
        row(
            "text:derivatives-bounded",
            Kind.LIMIT,
            "The derivatives of eigenvalues and eigenvectors stay bounded at the edge",
            r"|\lambda| \rightarrow 1:\quad \left|\frac{\partial \lambda}{\partial "
            r"A_{ij}}\right|,\ \left|\frac{\mathrm{d}P}{\mathrm{d}A_{ij}}\right| \text{ "
            r"do not grow}",
            Status.CONDITIONAL,
            "sigprop.linear.linearise.perturb",
            Evidence(
                _families(
                    "one real mode",
                    "a complex pair",
                    "the whole spectrum scaled",
                    "two modes that meet",
                    "vectors that align",
                    gaps=(0.1, 0.01),
                ),
                {
                    "reference": MODES + "largest_slopes",
                    "closed_form": MODES + "largest_slopes_68",
                },
                form=MODES + "largest_slopes_far",
                relation="<=",
                slips={"they shrink": MODES + "largest_slopes_shrinking"},
            ),
            condition=Condition(
                "the eigenvalues stay apart, which the paper says, and the eigenvectors "
                "stay well-conditioned, which it does not",
                lambda family, **_: (
                    family not in {"two modes that meet", "vectors that align"}
                ),
            ),
            note="Two slow real modes, at 1 - e and 1 - 2e, are 1/e apart in F: the "
            "derivative of P grows as 1/e. Several real modes that go to one always "
            "meet. With fixed eigenvectors the derivative of the eigenvalues does not "
            "depend on them at all.",
        ),
        row(
            "text:vectors-bounded",
            Kind.BOUND,
            "The eigenvectors remain bounded",
            r"\|P\| \le \sqrt{n}",
            Status.CONFIRMED,
            "sigprop.linear.linearise.diagonalise",
            Evidence(
                ALL,
                {"reference": MODES + "largest_gain"},
                form=_root_of_size,
                relation="<=",
                slips={"unitary": lambda system: 1.0 - 1e-6},
                alone="it follows from Eq. 64 by the Frobenius norm",
            ),
            place="text after Eq. 71",
            note="The inverse is not bounded by Eq. 64: with eigenvectors at an angle e "
            "it is of order 1/e.",
        ),
        row(
            "text:dominance",
            Kind.LIMIT,
            "The derivative by the eigenvalues dominates",
            r"|\lambda| \rightarrow 1:\quad \mathbb{E}\left|\frac{\partial h_t}{\partial "
            r"h_t^{\text{diag}}}\frac{\mathrm{d}h_t^{\text{diag}}}{\mathrm{d}\lambda}"
            r"\frac{\partial \lambda}{\partial A}\right|^2 \text{ outgrows the other "
            r"terms of Eq. 67}",
            Status.CONDITIONAL,
            "sigprop.linear.linearise.perturb",
            Evidence(
                _families(
                    "one real mode",
                    "a complex pair",
                    "the whole spectrum scaled",
                    "two modes that meet",
                    "a complex pair, constant input",
                    gaps=(0.1, 0.06),
                ),
                {
                    "reference": MODES + "share_near",
                    "closed_form": MODES + "share_near_summed",
                },
                form=MODES + "five_shares",
                relation=">",
                slips={"faster": MODES + "twenty_shares"},
            ),
            condition=Condition(
                "the eigenvalues that go to the circle stay apart, and the input has "
                "power at their phases",
                lambda family, **_: (
                    family
                    not in {"two modes that meet", "a complex pair, constant input"}
                ),
            ),
            note="Energies of the terms over white inputs: their ratio grows as the "
            "inverse square of the gap, ninefold for a third of it. Where two modes meet, "
            "dP/dA makes up for the missing filter and the ratio stays near 1.7. Under "
            "constant input and away from lam = 1 nothing diverges at all.",
            place="text after Eq. 73",
        ),
    )


def _terms() -> tuple[Claim, ...]:
    slope = (
        r"\frac{\mathrm{d}h_{t+1,k}^{\text{diag}}}{\mathrm{d}P_{ij}^{-1}} = "
    )  # fmt: skip
    past = r"\frac{\mathrm{d}h_{t,k}^{\text{diag}}}{\mathrm{d}P_{ij}^{-1}}"
    return (
        row(
            71,
            Kind.IDENTITY,
            "The derivative of the state by the eigenvectors",
            r"\frac{\partial h_{t,l}}{\partial P_{ij}} = h_{t,i}^{\text{diag}} "
            r"\mathbb{1}_{j=l}",
            Status.REFUTED,
            "theory.dense.readout_slopes",
            Evidence(
                ALL,
                {"reference": MODES + "readout_slopes"},
                form=dense.readout_slopes,
                printed=dense.readout_slopes_71,
                proof=dense.readout_slope_agrees,
            ),
            correction=r"\frac{\partial h_{t,l}}{\partial P_{ij}} = h_{t,j}^{\text{diag}"
            r"} \mathbb{1}_{i=l}",
            note="Row and column are exchanged: h_l = sum_j P_lj h^diag_j. The indices of "
            "Eq. 68 and 72 are rows first.",
            inherits="No: only its size is used, which is that of h^diag either way.",
        ),
        row(
            72,
            Kind.IDENTITY,
            "The derivative of a diagonal state by its row of the inverse",
            slope
            + r"\lambda_i \frac{\mathrm{d}h_{t+1,k}^{\text{diag}}}{\mathrm{d}P_{ij}"
            r"^{-1}} + x_{t+1,j} \text{ if } k = i",
            Status.REFUTED,
            "theory.dense.inverse_slopes",
            Evidence(
                ALL,
                {"reference": MODES + "inverse_slopes"},
                form=dense.inverse_slopes,
                printed=dense.inverse_slopes_72,
                proof=dense.inverse_slope_obeys,
            ),
            correction=slope + rf"\lambda_i {past} + x_{{t+1,j}} \text{{ if }} k = i",
            note="The derivative on the right is of time t. As printed it would be "
            "x_{t+1,j}/(1 - lam_i), with no memory of older inputs.",
            inherits="No: the text after it uses the filter of the corrected form.",
        ),
        row(
            73,
            Kind.IDENTITY,
            "The derivative of a diagonal state by the other rows of the inverse",
            slope + r"0 \quad \text{otherwise}",
            Status.PROVED,
            "theory.dense.inverse_slopes",
            Evidence(
                ALL,
                {"reference": MODES + "other_inverse_slopes"},
                form=MODES + "zeros",
                proof=dense.inverse_slope_obeys,
                slips={"as of its own row": MODES + "own_inverse_slopes"},
            ),
        ),
        row(
            "text:two-filters",
            Kind.TEXT,
            "The derivative by an eigenvalue is two consecutive filters",
            r"\sum_{m} \lambda^m \lambda^{n-1-m} = n \lambda^{n-1}",
            Status.PROVED,
            "sigprop.neuron.recurrence.sensitivity",
            Evidence(
                tuple(
                    {"lam": z, "n": age}
                    for z, age in product((0.7 + 0.2j, -0.5), (2, 3, 9))
                ),
                {"reference": MODES + "convolved"},
            ),
            derive=diagonal.sensitivity_kernel,
            printed=lambda: n * lam ** (n - 1),
            place="text after Eq. 73",
        ),
    )
