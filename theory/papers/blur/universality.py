"""BLUR (2025), universality: Theorem 4.1, Eq. 18 to 22 and Lemma A.1."""

from theory import bidirectional as two
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur.routes import MEMORY, placed

APPENDIX = "Appendix A.4"
SIX = {"n": 6, "m": 1, "k": 6, "t": 3, "kind": "drawn", "merge": "pair"}
TWO = {**SIX, "m": 2, "k": 3, "t": 2}
MERGED = ({"seed": 0, **TWO}, {"seed": 1, **TWO, "t": 3}, {"seed": 2, **TWO, "t": 1})
LOST = (
    {"seed": 0, **TWO, "kind": "twins", "merge": "sum"},
    {"seed": 0, **TWO, "kind": "equal"},
    {"seed": 0, **TWO, "merge": "forward"},
)
LAST = {"n": 6, "m": 1, "k": 6, "kind": "drawn", "P": 6}
SPAN = (
    {"seed": 0, **LAST},
    {"seed": 1, **LAST, "m": 2, "k": 3},
    {"seed": 2, **LAST, "n": 3, "P": 3},
)
BROKEN = (
    {"seed": 0, **LAST, "kind": "equal"},
    {"seed": 0, **LAST, "m": 2, "k": 3, "kind": "ones"},
)
SQUARE = {"n": 6, "k": 6, "kind": "ones"}
TALL = {"n": 6, "k": 4, "kind": "ones"}


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_theorem(), *_sketch(), *_lemma(), *_vandermonde())


def _size(m: int, k: int, **_: object) -> int:
    return m * k


def _theorem() -> tuple[Claim, ...]:
    bound = (
        r"\text{sup}_{\bm{v}\in\mathcal{V}} \|\hat{\mathcal{F}}(\bm{v}) - "
        r"\mathcal{F}(\bm{v})\| \le \varepsilon"
    )
    general = Condition(
        "eigenvalues and input weights in general position (distinct, and those of one "
        "direction not those of the other where states are added), a merge of the pair "
        "that loses nothing, and inputs bounded by one constant",
        lambda kind, merge, **_: kind == "drawn" and merge in ("pair", "sum"),
    )
    return (
        Claim(
            "blur:thm4.1",
            "Theorem 4.1, Section 4.2",
            Kind.BOUND,
            "BLUR approximates every sequence map",
            r"n \ge \dim(\mathcal{V}), \; D \ge \mathcal{O}(nN/\varepsilon^2) \; "
            r"\Rightarrow \; " + bound,
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.merged_rank",
            condition=general,
            evidence=Evidence(
                (*MERGED, *LOST),
                placed(MEMORY, impulse="merged_rank", reference="merged_rank_slowly"),
                form=_size,
            ),
            note="Judged where it can fail: the width n = dim V has to make the merged "
            "state hold all inputs. The values are the inputs that the real part of the "
            "state at step t tells apart. It holds for generic eigenvalues of either "
            "kind, not for all. Two directions do not halve n: after the merge n real "
            "numbers must hold all dim V, and at the last step only the forward state "
            "has seen them. E is the linear encoder; the MLP of width D is G. Single "
            "finite norms do not bound the inputs.",
            inherits="Its bound on D is judged apart.",
            topic="bidirectional",
        ),
        Claim(
            "blur:18",
            f"Eq. 18, {APPENDIX}",
            Kind.BOUND,
            "The uniform error of the approximation",
            bound,
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.recovered",
            condition=general,
            evidence=Evidence(
                (*MERGED, *LOST),
                placed(MEMORY, impulse="recovered", reference="recovered_by_solving"),
                form=lambda **_: 1.0,
            ),
            note="The values are the share of the worst input that the merged state "
            "holds: one, or nothing. Where it is nothing, two inputs a distance 2 apart "
            "have one state, and no G whatever its width gets below half of the "
            "difference of their targets.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:dim",
            "Section 4.2, after Theorem 4.1, and Table 6",
            Kind.TEXT,
            "The dimension of the inputs against the width of the network",
            r"\dim(\mathcal{V}) \text{ can be set as } dN, \; n \ge dN",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.network_rank",
            condition=Condition(
                "dN <= 256, so at most 36 steps of seven series in the paper's network",
                lambda series, steps, **_: series * steps <= 256,
            ),
            evidence=Evidence(
                tuple(
                    {"series": series, "steps": steps}
                    for series, steps in ((7, 24), (1, 24), (7, 48), (1, 336))
                ),
                placed(MEMORY, impulse="network_rank"),
                form=lambda series, steps: series * steps,
                alone="a rank, of one layer of the paper's size drawn as it draws it",
            ),
            note="With Table 6 n is 128, below dN = 168 already at the shortest horizon "
            "of the tables, so the theorem never applies to the networks that are run. "
            "For real inputs, 128 complex states in each direction and 256 outputs hold "
            "up to 256 numbers: enough for 24 steps of seven series, not for 48.",
            topic="bidirectional",
        ),
    )


def _sketch() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:text:sketch",
            "Section 4.2, proof sketch",
            Kind.TEXT,
            "The backward state is said to hold the inputs before it",
            r"\overrightarrow{\bm{h}}_k \text{ and } \overleftarrow{\bm{h}}_k \text{ "
            r"are able to reconstruct } (\bm{v}_i)_{i=1}^{k}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional_memory.seen_backwards",
            correction=r"\overrightarrow{\bm{h}}_k \text{ reconstructs } "
            r"(\bm{v}_i)_{i=1}^{k}, \; \overleftarrow{\bm{h}}_k \text{ reconstructs } "
            r"(\bm{v}_i)_{i=k}^{N}",
            evidence=Evidence(
                (
                    {"seed": 0, "step": 3},
                    {"seed": 1, "step": 5},
                    {"seed": 2, "step": 6},
                ),
                placed(
                    MEMORY, impulse="seen_backwards", reference="seen_backwards_slowly"
                ),
                form=lambda seed, step: 1,
                printed=lambda seed, step: step,
            ),
            note="Of the first k inputs the backward state at k holds the last alone. "
            "The values are ranks with one input a step, of six steps and six states.",
            inherits="Eq. 21, 22 and Lemma A.4 use the backward state at step 1 in the "
            "place of the one at step k.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:merge",
            "Section 4.2, proof sketch",
            Kind.TEXT,
            "The merged state holds what its parts hold",
            r"\text{if } \overrightarrow{\bm{h}}_k \text{ and } \overleftarrow{\bm{h}}_k "
            r"\text{ can reconstruct the inputs, immediately } \hat{\bm{h}}_k \text{ "
            r"can}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.merged_rank",
            condition=Condition(
                "the merge is in general position and n is at least dim V",
                lambda n, m, k, merge, **_: merge == "pair" and n >= _size(m, k),
            ),
            evidence=Evidence(
                (
                    {"seed": 0, **SIX, "kind": "ones"},
                    {"seed": 1, **SIX, "kind": "ones"},
                    {"seed": 0, **SIX, "kind": "ones", "merge": "difference"},
                    {"seed": 0, **SIX, "kind": "ones", "merge": "backward"},
                ),
                placed(MEMORY, impulse="merged_rank", reference="merged_rank_slowly"),
                form=_size,
            ),
            note="A linear map of 2n numbers to n forgets n of them. With the proof's own "
            "input weights of one, the difference of both states forgets u_k.",
            topic="bidirectional",
        ),
    )


def _lemma() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:lemmaA.1",
            f"Lemma A.1, {APPENDIX}",
            Kind.BOUND,
            "The state of a wide enough linear RNN holds all inputs",
            r"n \sim mN: \; (\bm{u}_i)_{i=1}^{k} \text{ can be recovered from } "
            r"\bm{h}_k; \quad \dim(\mathcal{U}) = P < mN: \; n = \mathcal{O}(P)",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.subspace_rank",
            condition=Condition(
                "pairwise distinct eigenvalues and input weights in general position",
                lambda kind, **_: kind == "drawn",
            ),
            evidence=Evidence(
                (*SPAN, *BROKEN),
                placed(
                    MEMORY, impulse="subspace_rank", reference="subspace_rank_slowly"
                ),
                form=lambda P, **_: P,
            ),
            note="With n equal to the dimension it is enough, for generic parameters. The "
            "proof's weights of one, taken for d = m = 1, do not extend to m = 2: both "
            "inputs of a step then enter alike.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:lossless",
            f"Lemma A.1, {APPENDIX}",
            Kind.TEXT,
            "Recovery without any information loss",
            r"\text{with real or complex eigenvalues the inputs are recovered without "
            r"any information loss}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.rounded_reconstruction",
            condition=Condition(
                "exact arithmetic, or eigenvalues spread over the circle, or at most "
                "eight real ones",
                lambda k, spread, **_: spread == "circle" or k <= 8,
            ),
            evidence=Evidence(
                tuple(
                    {"k": k, "spread": spread}
                    for spread, sizes in (("circle", (4, 40)), ("real", (4, 16, 40)))
                    for k in sizes
                ),
                placed(
                    MEMORY, reference="rounded_reconstruction", impulse="rounded_solve"
                ),
                MEMORY + "rounded_inputs",
            ),
            note="A Vandermonde matrix of real nodes has a condition number that grows "
            "exponentially in its size. In double precision 16 real eigenvalues lose "
            "three quarters of the digits and 40 all; 40 on a circle lose nothing.",
            topic="bidirectional",
        ),
    )


def _vandermonde() -> tuple[Claim, ...]:
    def pair(number, side, symbol, latex, routes, form, expected, proof=None, **more):
        points = more.pop("points")
        return Claim(
            f"blur:{number}",
            f"Eq. {number}, {APPENDIX}",
            Kind.IDENTITY,
            f"The {side} {symbol}",
            latex,
            "evidence",
            expected,
            f"sigprop.references.bidirectional_memory.{form}",
            evidence=Evidence(
                tuple({"seed": i, **at, "side": side} for i, at in enumerate(points)),
                placed(MEMORY, **routes),
                MEMORY + form,
                proof=proof,
            ),
            topic="bidirectional",
            **more,
        )

    def matrix(letter, inputs):
        rows = " ".join(
            rf"\lambda_{{{letter},{i}}}^{{k-1}} & \lambda_{{{letter},{i}}}^{{k-2}} & "
            rf"\cdots & \lambda_{{{letter},{i}}} & 1 \\"
            for i in (1, 2, "n")
        )
        return (
            r"\begin{bmatrix} "
            + rows
            + r" \end{bmatrix} "
            + rf"\begin{{bmatrix}} {inputs} \end{{bmatrix}} = \mathbf{{V}}_{{{letter},k}}"
        )

    built = {"reference": "vandermonde_loop", "impulse": "vandermonde_layer"}
    solved = {"impulse": "reconstruction", "reference": "reconstruction_slowly"}
    tall = "n >= k, as stated before Eq. 20"
    distinct = Condition(
        "the eigenvalues are pairwise distinct", lambda kind, **_: kind != "equal"
    )
    assumed = (
        "Section 4.2 assumes distinct eigenvalues at initialisation; theorem and proof "
        "allow any. At least k distinct ones are needed, and they are generic."
    )

    lost = {"seed": 0, **TALL, "kind": "equal"}

    return (
        pair(
            19,
            "forward",
            "Vandermonde matrix",
            r"\bm{h}_k = "
            + matrix("f", r"\bm{u}_1 \\ \bm{u}_2 \\ \vdots \\ \bm{u}_k")
            + r"\bm{u}^{\top}_{1:k}",
            built,
            "vandermonde",
            Status.PROVED,
            points=(SQUARE, TALL),
            proof=two.unrolled_forward,
        ),
        pair(
            20,
            "forward",
            "reconstruction",
            r"\bm{v}_{1:k}^{\top} = \bm{u}_{1:k}^{\top} = \mathbf{V}_{f,k}^{+}\bm{h}_k",
            solved,
            "ordered",
            Status.CONDITIONAL,
            points=(SQUARE, TALL, lost),
            assumes=tall,
            condition=distinct,
            note=assumed,
        ),
        pair(
            21,
            "backward",
            "Vandermonde matrix",
            r"\bm{h}_1 = "
            + matrix("b", r"\bm{u}_k \\ \bm{u}_{k-1} \\ \vdots \\ \bm{u}_1")
            + r"\bm{u}^{\top}_{k:1}",
            built,
            "vandermonde",
            Status.PROVED,
            points=(SQUARE, TALL),
            proof=two.unrolled_backward,
        ),
        pair(
            22,
            "backward",
            "reconstruction",
            r"\bm{v}_{k:1}^{\top} = \bm{u}_{k:1}^{\top} = \mathbf{V}_{b,k}^{+}\bm{h}_1",
            solved,
            "ordered",
            Status.CONDITIONAL,
            points=(SQUARE, TALL, lost),
            assumes=tall,
            condition=distinct,
            note=assumed,
        ),
        Claim(
            "blur:text:distinct",
            "Section 4.2, initialisation",
            Kind.TEXT,
            "Distinct eigenvalues",
            r"\text{the eigenvalues of both recurrent matrices need to be distinct: } "
            r"\det \mathbf{V}_{f,n} = \prod_{i<j} (\lambda_{f,i} - \lambda_{f,j})",
            "evidence",
            Status.CONFIRMED,
            "theory.bidirectional.vandermonde_determinant",
            evidence=Evidence(
                tuple({"seed": seed, **SQUARE, "side": "forward"} for seed in range(3)),
                placed(MEMORY, impulse="determinant", reference="determinant_slowly"),
                MEMORY + "differences",
                slips={"one pair missing": MEMORY + "differences_but_one"},
            ),
            note="Continuous draws are distinct with probability 1; the paper assumes what "
            "holds. The determinant is ours.",
            topic="bidirectional",
        ),
    )
