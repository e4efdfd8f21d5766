"""Zucchet & Orvieto (2024), Appendix B.1: Lemmas 1 and 2, proved, Eq. 34-41."""

from itertools import product

from sympy import Pow, diff, expand, oo, symbols

from theory.autocorrelation import (
    double_sum,
    geometric_sum,
    is_zero,
    lemma_1,
    lemma_2,
    same_form,
)
from theory.claims import Claim, Kind, Status
from theory.derivation import Derivation, start
from theory.evidence import Evidence
from theory.papers import grids
from theory.papers.zucchet import forms
from theory.papers.zucchet.proofs import sequences
from theory.symbols import Delta, alpha, beta, m, n

SIGNAL = "sigprop.references.signal."
SECTION = "Appendix B.1"
PLACES = ((0.5 + 0.3j, -0.4 + 0.2j), (-0.6, 0.55j), (0.3 - 0.4j, 0.3 + 0.4j))
EVEN = tuple(
    {"alpha": a, "beta": b, "u": u}
    for (a, b), u in zip(
        (*PLACES, PLACES[0]),
        (sequences.CHIRP, sequences.COMPLEX, sequences.CHIRP, sequences.SHORT),
        strict=True,
    )
)
UNEVEN = tuple(
    {"alpha": a, "beta": b, "u": u}
    for (a, b), u in zip(
        PLACES, (sequences.LOPSIDED, sequences.TURNING, sequences.CHIRP), strict=True
    )
)
SUMMABLE = tuple(
    {"alpha": a, "beta": b, "u": u}
    for a, b in (*PLACES, (1.4, 0.4j))
    for u in ((sequences.SHORT, sequences.FADING) if abs(a) < 1 else (sequences.SHORT,))
)
GROWN = ({"alpha": 0.5 + 0.3j, "beta": -0.4 + 0.2j, "u": sequences.GROWING},)
HALF = (
    r"\frac{1}{1-\alpha\beta}\left(u_0+\sum_{\Delta\geq 1}(\alpha^{\Delta}+"
    r"\beta^{\Delta})u_{\Delta}\right)"
)
CONDITIONS = (
    r"\alpha, \beta \in \mathbb{C},\ |\alpha| < 1,\ |\beta| < 1,\ u \text{ bounded},\ "
    r"u_{-n} = u_n:\quad "
)


def _split_and_summed() -> Derivation:
    return start("split into n = m, n > m, n < m and sum", lemma_1().as_sum())


def _along_diagonals() -> Derivation:
    direct = double_sum(lambda i, j: i * j * alpha ** (i - 1) * beta ** (j - 1))
    return start("the double sum along its diagonals", direct.as_sum())


SUM_U = (
    r"\left(u_0 + \sum_{\Delta\geq 1} (\alpha^\Delta + \beta^\Delta) u_\Delta\right)"
)


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_both_lemmas(), *_lemma_1(), *_lemma_2())


def _three_sets() -> bool:
    """Any double sum over the first six ages is the sum over the three sets."""
    u, size = symbols("u_0:11"), range(6)
    term = {(i, j): alpha**i * beta**j * u[i - j + 5] for i, j in product(size, size)}
    sets = (lambda i, j: i == j, lambda i, j: i > j, lambda i, j: i < j)
    parts = sum(value for pair, value in term.items() for one in sets if one(*pair))
    return expand(sum(term.values()) - parts) == 0


def _two_sides() -> bool:
    """The diagonals of each side of Eq. 36 sum to its weights."""
    later = geometric_sum(Pow(alpha, n + Delta) * Pow(beta, n), n, 0, oo)
    earlier = geometric_sum(Pow(alpha, n) * Pow(beta, n + Delta), n, 0, oo)
    diagonal_sum = geometric_sum(Pow(alpha, n) * Pow(beta, n), n, 0, oo)
    return is_zero(later - diagonal_sum * alpha**Delta) and is_zero(
        earlier - diagonal_sum * beta**Delta
    )


def _summed() -> bool:
    return same_form(lemma_1().as_sum(), forms.bracket())


def _derived_termwise() -> bool:
    """Each term differentiates as stated, and so do the lag weights of the sum."""
    term = Pow(alpha, n) * Pow(beta, m)
    once = m * alpha**n * beta ** (m - 1)
    right = is_zero(diff(term, beta) - once)
    weights = double_sum(lambda i, j: j * alpha**i * beta ** (j - 1))
    return right and same_form(
        weights.as_sum(), lemma_1().map(lambda w: diff(w, beta)).as_sum()
    )


def _derived_twice() -> bool:
    weights = double_sum(lambda i, j: i * j * alpha ** (i - 1) * beta ** (j - 1))
    return same_form(weights.as_sum(), lemma_2().as_sum())


def _place(number: int | str) -> str:
    return "Lemma 2" if number == "lemma2" else f"Eq. {number}"


def _proof_step(number, title, statement, form, points, proof, slips, **more) -> Claim:
    return Claim(
        f"zucchet:{number}",
        f"{_place(number)}, {SECTION}",
        Kind.IDENTITY,
        title,
        statement,
        "evidence",
        Status.PROVED,
        more.pop("code", "theory.autocorrelation.double_sum"),
        assumes=more.pop("assumes", "|alpha| < 1, |beta| < 1, u bounded"),
        evidence=Evidence(
            points,
            {"reference": more.pop("route", SIGNAL + "double_sum")},
            form=form,
            proof=proof,
            slips=slips,
        ),
        topic="lemmas",
        **more,
    )


def _lemma_1() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:lemma1",
            f"Lemma 1, {SECTION}",
            Kind.IDENTITY,
            "Lemma 1 with its conditions",
            CONDITIONS + r"\sum_{n,m\geq 0} \alpha^n \beta^n u_{n-m} = " + HALF,
            "evidence",
            Status.REFUTED,
            "theory.autocorrelation.lemma_1",
            correction=r"|\alpha\beta| < 1,\ \sum_{\Delta\geq 0} (|\alpha|^{\Delta}+"
            r"|\beta|^{\Delta})|u_{\Delta}| < \infty,\ u_{-n} = u_n:\quad "
            r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = " + HALF,
            evidence=Evidence(
                SUMMABLE,
                {"reference": SIGNAL + "double_sum"},
                form=sequences.bracket,
                printed=SIGNAL + "double_sum_34",
                proof=_summed,
                slips={
                    "lag zero twice": sequences.bracket_from_zero,
                    "one side": sequences.bracket_one_sided,
                },
            ),
            note="The second power is of n where it must be of m, as in Eq. 34. Of the "
            "conditions, the evenness of u is needed (else Eq. 36 is the end of the "
            "proof); boundedness is not: u may grow, and one modulus may exceed one, as "
            "long as the sums over the lags and over (alpha beta)^n converge absolutely. "
            "Judged on summable u, where the printed double sum converges; for other "
            "bounded u it does not. "
            "The autocovariance of complex inputs is not even but R(-D) = conj(R(D)), "
            "so that the lemma covers real autocovariances only.",
            inherits="No: Eq. 35 and all uses have the right power.",
            topic="lemmas",
        ),
        _proof_step(
            35,
            "Lemma 1: pairs of indices in three sets",
            r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = \sum_{n=m} \alpha^n \beta^m "
            r"u_{n-m} + \sum_{n>m} \alpha^n \beta^m u_{n-m} + \sum_{n< m} \alpha^n "
            r"\beta^m u_{n-m}",
            sequences.three_sets,
            UNEVEN,
            _three_sets,
            {"two sets": sequences.two_sets},
            note="The split needs no evenness; boundedness makes the sum absolutely "
            "convergent, so that the order does not matter.",
        ),
        _proof_step(
            36,
            "Lemma 1: each set along its diagonals",
            r"=\sum_{n} \alpha^{n} \beta^{n} u_{0} + \sum_{m} \alpha^{m} \beta^{m} "
            r"\sum_{\Delta \ge 1} \alpha^{\Delta} u_{\Delta} + \sum_{n} \alpha^{n} "
            r"\beta^{n} \sum_{\Delta \ge 1} \beta^{\Delta} u_{-\Delta}",
            sequences.two_sides,
            UNEVEN,
            _two_sides,
            {
                "sides exchanged": sequences.sides_exchanged,
                "two sets": sequences.two_sets,
            },
            note="It holds for any bounded u, even or not.",
        ),
        _proof_step(
            37,
            "Lemma 1: the two sides together",
            r"=\sum_{n} \alpha^{n} \beta^{n} \left(u_{0} + \sum_{\Delta \ge 1} "
            r"(\alpha^{\Delta} + \beta^{\Delta}) u_{\Delta} \right)",
            sequences.summed_diagonal,
            EVEN,
            _summed,
            {"one side": sequences.bracket_one_sided},
            assumes="|alpha| < 1, |beta| < 1, u even and bounded",
            note="Here the evenness of u enters.",
        ),
        _proof_step(
            38,
            "Lemma 1: summed",
            "=" + HALF,
            sequences.bracket,
            (*EVEN, *GROWN),
            _summed,
            {
                "lag zero twice": sequences.bracket_from_zero,
                "one side": sequences.bracket_one_sided,
            },
            assumes="|alpha| < 1, |beta| < 1, u even and bounded",
            code="theory.autocorrelation.lemma_1",
            note="Judged on a growing sequence too: see Lemma 1 for what is needed.",
        ),
    )


def _lemma_2() -> tuple[Claim, ...]:
    second = r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}"
    slope = SIGNAL + "mixed_slope"
    return (
        _proof_step(
            "lemma2",
            "Lemma 2 with its conditions",
            CONDITIONS + r"\sum_{n,m\geq 0} nm\alpha^{n-1}\beta^{m-1}u_{n-m} = "
            rf"{second}\left[{HALF}\right]",
            sequences.derived_twice,
            EVEN,
            _derived_twice,
            {"one derivative": sequences.derived_once},
            route=slope,
            code="theory.autocorrelation.lemma_2",
            assumes="|alpha| < 1, |beta| < 1, u even and bounded; the terms n = 0 and "
            "m = 0 count as zero where alpha or beta is zero",
            note="Both derivatives are of a power series in two independent variables, "
            "which converges absolutely inside the polydisc: the conditions of Lemma 1 "
            "in its wider form do here too. Set beta = conj(alpha) only afterwards.",
        ),
        _proof_step(
            40,
            "Lemma 2: differentiate by beta inside the sum",
            second + r"\left[\sum_{n,m\geq 0}\alpha^{n}\beta^{m}u_{n-m}\right] = "
            r"\frac{\mathrm{d}}{\mathrm{d}\alpha}\left[\sum_{n,m\geq 0}m\alpha^{n}"
            r"\beta^{m-1}u_{n-m}\right]",
            sequences.derived_once,
            UNEVEN,
            _derived_termwise,
            {"two derivatives": sequences.derived_twice},
            route=SIGNAL + "slope_by_beta",
            note="Judged before the derivative by alpha, which both sides share. It "
            "needs no evenness.",
        ),
        _proof_step(
            41,
            "Lemma 2: differentiate by alpha inside the sum",
            r"=\sum_{n,m\geq 0}nm\alpha^{n-1}\beta^{m-1}u_{n-m}",
            sequences.derived_twice,
            (*EVEN, *UNEVEN),
            _derived_twice,
            {"one derivative": sequences.derived_once},
            route=slope,
            note="It needs no evenness.",
        ),
    )


def _both_lemmas() -> tuple[Claim, ...]:
    return (
        Claim(
            "zucchet:34",
            "Lemma 1, Eq. 34, Appendix B.1",
            Kind.IDENTITY,
            "Lemma 1: double geometric sum over a stationary sequence",
            r"\sum_{n,m\geq 0} \alpha^n \beta^n u_{n-m} = \frac{1}{1-\alpha\beta}"
            + SUM_U,
            "state_pair",
            Status.REFUTED,
            "theory.autocorrelation.lemma_1",
            _split_and_summed,
            forms.eq_34,
            correction=r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m} = "
            r"\frac{1}{1-\alpha\beta}" + SUM_U,
            corrected=lambda: forms.bracket(),
            assumes="|alpha| < 1, |beta| < 1, u even and bounded",
            grid=grids.PAIRS,
            note="The left side has beta to the n; the proof (Eq. 35) has beta to the m, "
            "which is what the lemma needs and what every later use assumes.",
            topic="lemmas",
        ),
        Claim(
            "zucchet:39",
            "Lemma 2, Eq. 39, Appendix B.1",
            Kind.IDENTITY,
            "Lemma 2: the mixed derivative of Lemma 1",
            r"\sum_{n,m\geq 0} nm\alpha^{n-1}\beta^{m-1}u_{n-m} = \frac{\mathrm{d}}{"
            r"\mathrm{d}\alpha}\frac{\mathrm{d}}{\mathrm{d}\beta}\left[\frac{1}{1-\alpha"
            r"\beta}" + SUM_U + r"\right]",
            "sensitivity_pair",
            Status.PROVED,
            "theory.autocorrelation.lemma_2",
            _along_diagonals,
            lambda: lemma_2().as_sum(),
            assumes="|alpha| < 1, |beta| < 1, u even and bounded",
            grid=grids.PAIRS,
            topic="lemmas",
        ),
    )
