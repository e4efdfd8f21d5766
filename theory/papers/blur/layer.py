"""BLUR (2025), Sections 3 and 4.1: Eq. 1 to 11 and Definitions 3.1 to 3.3.

Judged for the layer as the paper runs it: an LRU in each direction of time, merged by
one linear map.
"""

from theory import bidirectional as two
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur.routes import BARRON, POINTS, ROUTES, placed

DENSE = tuple({"seed": seed, "n": 4, "m": 3, "k": 5} for seed in range(3))


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_definitions(), *_one_direction(), *_two_directions())


def _definitions() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:def3.1",
            "Definition 3.1, Section 3",
            Kind.DEFINITION,
            "A causal sequence-to-sequence map",
            r"(\bm{v}_i)_{i=1}^{N} \mapsto (\bm{y}_i)_{i=1}^{N}, \quad "
            r"\bm{y}_k = \mathcal{F}_k((\bm{v}_i)_{i=1}^{k})",
            "",
            Status.DEFINITION,
            "sigprop.layers.base.Layer.causal",
            note="The layer's flag says whether an output depends on inputs up to its "
            "step alone; BLUR's is false.",
            topic="bidirectional",
        ),
        Claim(
            "blur:1",
            "Eq. 1, Section 3",
            Kind.DEFINITION,
            "An encoder, a linear recurrence and a pointwise nonlinearity",
            r"\tilde{\mathcal{F}} = \mathcal{G}\circ\mathcal{L}\circ\mathcal{E}",
            "",
            Status.DEFINITION,
            "sigprop.networks.network.Network",
            note="The lines after it write L as a map of one input to one state; it "
            "is a map of sequences, as in Definition 3.3.",
            topic="bidirectional",
        ),
        Claim(
            "blur:2",
            "Eq. 2, Section 3",
            Kind.DEFINITION,
            "The Fourier transform and its normalisation",
            r"\tilde{f}(\omega) := \frac{1}{(2\pi)^{p}}\int_{\mathbb{R}^{p}} f(x)"
            r"e^{-i\langle\omega,x\rangle}dx",
            "evidence",
            Status.DEFINITION,
            "theory.bidirectional.fourier_of_gaussian",
            two.fourier_of_gaussian,
            evidence=Evidence(
                tuple(
                    {"width": w, "omega": o}
                    for w, o in ((1.3, 0.4), (0.6, -1.1), (2.0, 0.9))
                ),
                {"reference": BARRON + "transform"},
                alone="a convention, seen on a Gaussian in one dimension",
            ),
            note="With this factor f is the integral of its transform times exp(i w x), "
            "without a factor, which is what Barron's constant needs.",
            topic="bidirectional",
        ),
        Claim(
            "blur:def3.2",
            "Definition 3.2, Section 3",
            Kind.DEFINITION,
            "A Barron function",
            r"\mathcal{C}_f := \int_{\mathbb{R}^{p}} \|\omega\|_2 |\tilde{f}(\omega)|"
            r"d\omega < \infty",
            "evidence",
            Status.DEFINITION,
            "theory.bidirectional.barron_of_gaussian",
            two.barron_of_gaussian,
            evidence=Evidence(
                ({"width": 1.3}, {"width": 0.4}, {"width": 3.0}),
                {"reference": BARRON + "constant"},
                alone="a definition, seen on a Gaussian in one dimension",
            ),
            topic="bidirectional",
        ),
        Claim(
            "blur:def3.3",
            "Definition 3.3, Section 3",
            Kind.DEFINITION,
            "Domain and range of the linear RNN",
            r"\mathcal{L}_{\mathbf{A},\mathbf{B}}: \mathbb{R}^{n\times N} \to "
            r"\mathbb{R}^{m\times N}, \quad \mathbf{A}\in\mathbb{R}^{n\times n}, "
            r"\mathbf{B}\in\mathbb{R}^{n\times m}",
            "evidence",
            Status.REFUTED,
            "sigprop.layers.dense.LinearRNN",
            correction=r"\mathcal{L}_{\mathbf{A},\mathbf{B}}: \mathbb{R}^{m\times N} "
            r"\to \mathbb{R}^{n\times N}",
            evidence=Evidence(
                DENSE[:1],
                placed(ROUTES, impulse="dense_sizes"),
                form=lambda seed, n, m, k: [m, k, n, k],
                printed=lambda seed, n, m, k: [n, k, m, k],
                alone="sizes of arrays",
            ),
            note="The two sizes are exchanged; the same sentence takes u of size m by N "
            "to h of size n by N.",
            inherits="None; the equations use the right sizes.",
            topic="bidirectional",
        ),
    )


def _one_direction() -> tuple[Claim, ...]:
    def identity(number, title, latex, code, routes, form, proof=None, **more):
        return Claim(
            f"blur:{number}",
            f"Eq. {number}, Section 3",
            more.pop("kind", Kind.IDENTITY),
            title,
            latex,
            "evidence",
            more.pop("expected", Status.PROVED if proof else Status.CONFIRMED),
            code,
            evidence=Evidence(
                more.pop("points", DENSE),
                placed(ROUTES, **routes),
                ROUTES + form,
                proof=proof,
                tolerance=1e-10,
                alone=more.pop("alone", ""),
            ),
            topic="bidirectional",
            **more,
        )

    return (
        identity(
            3,
            "The linear recurrence",
            r"\bm{h}_k = \mathbf{A}\bm{h}_{k-1} + \mathbf{B}\bm{u}_k, \quad "
            r"\bm{h}_0 = \mathbf{0}",
            "sigprop.layers.dense.LinearRNN.states",
            {"impulse": "dense_layer"},
            "dense_loop",
            kind=Kind.DEFINITION,
            expected=Status.DEFINITION,
            alone="a definition: the layer does what it says",
        ),
        identity(
            4,
            "The first three states",
            r"\bm{h}_1 = \mathbf{B}\bm{u}_1, \bm{h}_2 = \mathbf{AB}\bm{u}_1 + "
            r"\mathbf{B}\bm{u}_2, \bm{h}_3 = \mathbf{A}^2\mathbf{B}\bm{u}_1 + "
            r"\mathbf{AB}\bm{u}_2 + \mathbf{B}\bm{u}_3, \ldots",
            "sigprop.references.bidirectional.written_out",
            {"reference": "dense_loop_first", "impulse": "dense_first"},
            "written_out",
            two.first_steps,
        ),
        identity(
            5,
            "The state as a sum over ages",
            r"\bm{h}_k = \sum_{j=0}^{k-1} \mathbf{A}^j\mathbf{B}\bm{u}_{k-j}",
            "sigprop.references.bidirectional.dense_sum",
            {"reference": "dense_loop_last", "impulse": "dense_last"},
            "dense_sum",
            two.unrolled_forward,
        ),
        identity(
            6,
            "The eigendecomposition of the recurrent matrix",
            r"\mathbf{A} = \mathbf{Q}\mathbf{\Lambda}\mathbf{Q}^{-1}, \quad "
            r"\mathbf{\Lambda} = \text{diag}(\lambda_1, \ldots, \lambda_n) \in "
            r"\mathbb{C}^{n\times n}",
            "sigprop.references.bidirectional.recomposed",
            {"reference": "recomposed", "reference_slow": "recomposed_slowly"},
            "weights",
            assumes="A is diagonalisable, which the paper says holds up to an "
            "arbitrarily small perturbation",
            note="The perturbation may cost everything: see the row on measure zero.",
        ),
        identity(
            7,
            "The recurrence with its matrix in three factors",
            r"\bm{h}_k = \mathbf{Q}\mathbf{\Lambda}\mathbf{Q}^{-1}\bm{h}_{k-1} + "
            r"\mathbf{B}\bm{u}_k",
            "sigprop.references.bidirectional.rotated_loop",
            {"reference": "dense_loop_last", "impulse": "dense_last"},
            "rotated_loop",
            two.change_of_basis,
        ),
        identity(
            8,
            "The recurrence in the eigenbasis",
            r"\mathbf{Q}^{-1}\bm{h}_k = \mathbf{\Lambda}\mathbf{Q}^{-1}\bm{h}_{k-1} + "
            r"\mathbf{Q}^{-1}\mathbf{B}\bm{u}_k",
            "sigprop.references.bidirectional.rotated_state",
            {"reference": "unrotated_loop", "impulse": "unrotated_layer"},
            "rotated_state",
            two.change_of_basis,
        ),
        identity(
            9,
            "The diagonal recurrence and its sum",
            r"\bm{h}_k = \mathbf{\Lambda}\bm{h}_{k-1} + \mathbf{B}\bm{u}_k, \; "
            r"\bm{h}_k = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j\mathbf{B}\bm{u}_{k-j}",
            "sigprop.layers.diagonal.DiagonalLayer.states",
            {"reference": "forward_loop", "impulse": "forward_layer"},
            "forward_sum",
            two.unrolled_forward,
            points=POINTS,
            note="State and B keep their letters after the change of basis; both are "
            "complex from here on.",
        ),
        Claim(
            "blur:text:measure-zero",
            "Section 3, before Eq. 6",
            Kind.TEXT,
            "Non-diagonalisable matrices have measure zero",
            r"\text{the non-diagonalisable real } n\times n \text{ matrices have "
            r"measure zero; an arbitrarily small perturbation removes them}",
            "evidence",
            Status.PROVED,
            "theory.bidirectional.discriminant_is_no_constant",
            evidence=Evidence(
                ({"size": 1e-2}, {"size": 1e-4}, {"size": 1e-6}),
                placed(ROUTES, reference="jordan_condition"),
                form=lambda size: size**-0.5,
                proof=two.discriminant_is_no_constant,
            ),
            note="The values are the condition number of the eigenvectors of a Jordan "
            "block perturbed by the size: it is one over the root of the size, so the "
            "change of basis that Eq. 9 absorbs is unbounded. The paper calls the space "
            "that of non-diagonal matrices; all real matrices are meant.",
            topic="bidirectional",
        ),
    )


def _two_directions() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:10",
            "Eq. 10, Section 4.1",
            Kind.DEFINITION,
            "A recurrence in each direction of time",
            r"\overrightarrow{\bm{h}}_k = \mathbf{\Lambda}_f \overrightarrow{\bm{h}}"
            r"_{k-1} + \mathbf{B}_f\bm{u}_k, \; \overleftarrow{\bm{h}}_k = "
            r"\mathbf{\Lambda}_b\overleftarrow{\bm{h}}_{k+1} + \mathbf{B}_b\bm{u}_k",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.blur.BLUR.states",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, impulse="layer_states"),
                ROUTES + "both_loops",
                alone="a definition: the layer does what it says",
            ),
            note="The LRU's normalisation of the input is not in the equation; the layer "
            "is judged without it.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:causal",
            "Section 4.1, after Eq. 10",
            Kind.TEXT,
            "BLUR is said to be causal",
            r"\text{the encoded input is blind to } (\bm{v}_i)_{i>k}, \text{ so the "
            r"model satisfies the definition of a causal map: } \frac{\partial "
            r"\bm{y}_j}{\partial \bm{u}_k} = 0, \; k > j",
            "evidence",
            Status.REFUTED,
            "sigprop.layers.bidirectional.Bidirectional",
            correction=r"\frac{\partial\bm{y}_1}{\partial\bm{u}_k} = \text{Re}("
            r"\mathbf{C}_b\mathbf{\Lambda}_b^{k-1}\mathbf{B}_b)",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, autodiff="influence_layer", impulse="influence_impulse"),
                ROUTES + "influence_kernel",
                printed=ROUTES + "no_influence",
            ),
            note="The encoder looks at one step only, but the backward state at k is a "
            "sum over u_k ... u_N. Only the forward half is causal.",
            inherits="Theorem 4.1 approximates causal maps, for which the forward half "
            "alone is enough; it says nothing of what the backward half adds.",
            topic="bidirectional",
        ),
        Claim(
            "blur:11",
            "Eq. 11, Section 4.1",
            Kind.DEFINITION,
            "Both states merged by one linear map",
            r"\hat{\bm{h}}_k = \mathcal{H}(\overrightarrow{\bm{h}}_k, "
            r"\overleftarrow{\bm{h}}_k), \quad \mathcal{H}: \mathbb{C}^n\times"
            r"\mathbb{C}^n \to \mathbb{C}^n",
            "evidence",
            Status.DEFINITION,
            "sigprop.layers.blur.BLUR.read",
            evidence=Evidence(
                POINTS,
                placed(
                    ROUTES,
                    impulse="merged_layer",
                ),
                ROUTES + "merged_pair",
                alone="a definition: the layer does what it says",
            ),
            note="A linear map of a pair is the sum of a map of each; the layer keeps "
            "its real part, as Eq. 12 does.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:dimension",
            "Section 4.1, after Eq. 11",
            Kind.TEXT,
            "The merge does not double the width",
            r"\text{Eq. 11 keeps the dimension } n, \text{ unlike } "
            r"[\overrightarrow{\bm{h}}_k; \overleftarrow{\bm{h}}_k] \text{ of dimension "
            r"} 2n",
            "evidence",
            Status.CONFIRMED,
            "sigprop.layers.blur.BLUR.read",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, impulse="merge_sizes"),
                form=lambda seed, n, m, k: [2 * n, m],
                alone="sizes of arrays",
            ),
            note="The layer's states side by side have 2n entries, its merge as many as "
            "it has outputs. A merge of the pair is a map of the concatenation, so the "
            "difference is one of size alone.",
            topic="bidirectional",
        ),
    )
