"""BLUR (2025), Appendix A.4: Theorems A.2 and A.3, Lemma A.4, Eq. 23."""

import math

from theory import bidirectional as two
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur.routes import BARRON, MEMORY

APPENDIX = "Appendix A.4"
SQUARE = {"n": 6, "k": 6, "kind": "ones"}
WIDTHS = tuple(
    {
        "states": float(n),
        "outputs": float(s),
        "radius": r,
        "barron": c,
        "Theta": size,
        "accuracy": error,
    }
    for n, s, r, c, size, error in (
        (3, 2, 1.3, 0.7, 1.9, 0.3),
        (5, 3, 0.6, 1.2, 0.8, 0.45),
        (2, 4, 2.1, 0.4, 3.0, 0.15),
    )
)
IDLE = {
    "states": 1.0,
    "outputs": 1.0,
    "radius": 1.0,
    "barron": 0.25,
    "Theta": 1.0,
    "accuracy": 0.5,
}


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_barron(), *_reconstructed(), *_neurons())


def _largest(h: tuple[float, ...]) -> float:
    return math.sqrt(len(h)) * max(abs(entry) for entry in h)


def _largest_signed(h: tuple[float, ...]) -> float:
    return math.sqrt(len(h)) * max(h)


def _barron() -> tuple[Claim, ...]:
    def bound(widths: tuple[float, ...]) -> float:
        total = sum(math.sqrt(2 / math.pi) / w for w in widths)
        return total + float(two.fejer_cost()) * len(widths)

    return (
        Claim(
            "blur:thmA.2",
            f"Theorem A.2, {APPENDIX}",
            Kind.BOUND,
            "Universality of a network with one hidden layer",
            r"D \ge 2nr^2\mathcal{C}_f^2\varepsilon^{-2} \; \Rightarrow \; "
            r"\text{sup}_{\|\bm{h}\| \le \sqrt{n}r} |f(\bm{h}) - \mathcal{G}(\bm{h})| "
            r"\le \varepsilon",
            "",
            Status.NOT_CHECKABLE,
            "theory.bidirectional.theorem_width",
            reason="A statement that parameters exist, for every function and dimension, "
            "quoted from elsewhere. The theorem it is quoted from bounds the mean square "
            "error by (2RC)^2/D on a ball of radius R, which with R = sqrt(n) r would be "
            "4 n r^2 C^2, and no uniform error; no function was found that decides "
            "between the constants. Its radius r and its uses are judged apart.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:radius",
            f"Theorem A.2, {APPENDIX}",
            Kind.BOUND,
            "The radius of the ball of states",
            r"r := \text{sup}_j \{\bm{h}_j | j\in[1,n]\}, \quad \|\bm{h}\| \le \sqrt{n}r",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional_barron.norm",
            correction=r"r := \text{sup}_j |\bm{h}_j|",
            evidence=Evidence(
                (
                    {"h": (-3.0, 1.0)},
                    {"h": (-2.0, -2.0, -2.0)},
                    {"h": (0.5, 0.2, -0.9)},
                ),
                {"reference": BARRON + "norm"},
                form=_largest,
                printed=_largest_signed,
                relation="<=",
                slips={
                    "no root of n": lambda h: max(abs(entry) for entry in h),
                    "no modulus": _largest_signed,
                },
                alone="a norm against its largest entry",
            ),
            note="Without the modulus r may be negative. Later uses mean the modulus.",
            topic="bidirectional",
        ),
        Claim(
            "blur:thmA.3",
            f"Theorem A.3, {APPENDIX}",
            Kind.BOUND,
            "One Barron function for all steps",
            r"\hat{f}: \mathbb{R}^{p+1}\to\mathbb{R}, \; \hat{f}(x,k) = f(x,k), \quad "
            r"\hat{\mathcal{C}} \le \mathcal{O}\left(\sum_{k=1}^{N} \mathcal{C}_{f_k} + "
            r"\mathcal{C}'_{f_k}\right)",
            "evidence",
            Status.CONFIRMED,
            "theory.bidirectional.fejer_cost",
            evidence=Evidence(
                (
                    {"widths": (1.0,)},
                    {"widths": (0.01,)},
                    {"widths": (0.5, 1.0, 2.0)},
                ),
                {"reference": BARRON + "interpolant"},
                form=bound,
                relation="<=",
                slips={
                    "no Fourier norm": lambda widths: sum(
                        math.sqrt(2 / math.pi) / w for w in widths
                    ),
                    "no Barron constant": lambda widths: (
                        float(two.fejer_cost()) * len(widths)
                    ),
                },
                alone="a construction: the sum of the functions times (sin(pi t)/(pi t))^2 "
                "at t - k has the constant C + (2 pi/3) C' for each of them, here for "
                "Gaussians in one dimension",
            ),
            note="The construction interpolates exactly and bounds the O with the "
            "constants 1 and 2 pi/3; |(w, nu)| <= |w| + |nu| makes it general. The paper "
            "writes f with its arguments in both orders.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:order-N",
            f"Theorem A.3 and the proof of Theorem 4.1, {APPENDIX}",
            Kind.BOUND,
            "The constants are said to add up to order N",
            r"\mathcal{O}\left(\sum_{k=1}^{N} \mathcal{C}_{f_k} + \mathcal{C}'_{f_k}"
            r"\right) = \mathcal{O}(N), \quad \sum_{k=1}^{N} \|\Theta_{f,k}\| \le N",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.references.bidirectional_memory.reconstruction_norms",
            condition=Condition(
                "the norms of the reconstructions are bounded in k, as for "
                "eigenvalues spread over a circle",
                lambda spread, **_: spread == "circle",
            ),
            evidence=Evidence(
                (
                    *({"count": n, "spread": "circle"} for n in (4, 16, 40)),
                    *({"count": n, "spread": "real"} for n in (4, 8, 16)),
                ),
                {"reference": MEMORY + "reconstruction_norms"},
                form=lambda count, spread: float(count),
                relation="<=",
                slips={"an eighth": lambda count, spread: count / 8},
                alone="singular values",
            ),
            note="C of f_k is C of the target times the norm of the reconstruction, one "
            "over the least singular value of the Vandermonde matrix. For real "
            "eigenvalues, which the theorem allows, it grows exponentially: the sum of "
            "16 norms is 6e12.",
            inherits="The width of the MLP in Theorem 4.1 hides this factor, squared.",
            topic="bidirectional",
        ),
    )


def _reconstructed() -> tuple[Claim, ...]:
    at = tuple({"seed": seed, **SQUARE} for seed in range(3))
    forwards = tuple({**point, "side": "forward"} for point in at)
    return (
        Claim(
            "blur:text:impossible",
            f"{APPENDIX}, after Eq. 22",
            Kind.TEXT,
            "A smaller state cannot hold the inputs",
            r"\text{it is impossible to store } N \text{ numbers in a vector of } n < N: "
            r"\; \text{rank} \mathbf{V}_{f,N} = n",
            "evidence",
            Status.CONFIRMED,
            "sigprop.references.bidirectional_memory.subspace_rank",
            evidence=Evidence(
                tuple(
                    {"seed": seed, "n": 3, "m": 1, "k": 6, "kind": "drawn", "P": 6}
                    for seed in range(2)
                ),
                {
                    "impulse": MEMORY + "subspace_rank",
                    "reference": MEMORY + "subspace_rank_slowly",
                },
                form=lambda n, **_: n,
            ),
            note="Counted in complex numbers. A complex state of real inputs holds two of "
            "them, so half as many states are enough before the real part is taken.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:reconstruction",
            f"{APPENDIX}, after Eq. 22",
            Kind.TEXT,
            "The reconstruction mappings",
            r"\text{the linear reconstruction mappings are exactly } \mathbf{V}_{f,k} "
            r"\text{ and } \mathbf{V}_{b,k}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional_memory.reconstruction",
            correction=r"\mathbf{V}_{f,k}^{+} \text{ and } \mathbf{V}_{b,k}^{+}",
            evidence=Evidence(
                forwards,
                {
                    "impulse": MEMORY + "reconstruction",
                    "reference": MEMORY + "reconstruction_slowly",
                },
                MEMORY + "ordered",
                printed=MEMORY + "without_inverse",
            ),
            note="The inverses are meant, as in Eq. 20 and 22. Nothing inherits it.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:real-imaginary",
            f"{APPENDIX}, after Eq. 22",
            Kind.TEXT,
            "Size of the real representation",
            r"\text{real and imaginary parts: a matrix in } \mathbb{R}^{2n\times n}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional_memory.vandermonde",
            correction=r"\mathbb{R}^{2n\times k}",
            evidence=Evidence(
                ({"seed": 0, "n": 6, "k": 4}, {"seed": 1, "n": 6, "k": 3}),
                {"reference": MEMORY + "real_size"},
                form=lambda seed, n, k: [2 * n, k],
                printed=lambda seed, n, k: [2 * n, n],
                alone="sizes of arrays",
            ),
            note="Right where k = n alone. Nothing inherits it.",
            topic="bidirectional",
        ),
        Claim(
            "blur:lemmaA.4",
            f"Lemma A.4 and the proof of Theorem 4.1, {APPENDIX}",
            Kind.IDENTITY,
            "The sum of both reconstructions",
            r"f_k := \mathcal{F}_k\circ(\Theta_{f,k} + \Theta_{b,k}), \; f_k(\bm{h}_k) = "
            r"\mathcal{F}(\bm{v}_{1:k}): \quad \Theta_{f,k}\bm{h}_k + \Theta_{b,k}"
            r"\bm{h}_1 = \bm{v}_{1:k}^{\top}",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional_memory.both_reconstructions",
            correction=r"\Theta_{f,k}\bm{h}_k + \Theta_{b,k}\bm{h}_1 = \bm{v}_{1:k}^{\top} "
            r"+ \bm{v}_{k:1}^{\top}",
            evidence=Evidence(
                at,
                {
                    "impulse": MEMORY + "both_reconstructions",
                    "reference": MEMORY + "both_by_solving",
                },
                MEMORY + "there_and_back",
                printed=MEMORY + "in_order",
                slips={"twice the inputs": MEMORY + "twice_in_order"},
            ),
            note="Each mapping alone gives the inputs, the backward one in reversed "
            "order, so the sum gives the inputs plus their reverse; with the order "
            "restored, twice the inputs. Half of the sum in order, or the forward one "
            "alone, makes the proof work. Besides, BLUR's output at k has the backward "
            "state at k, not that at 1.",
            inherits="Eq. 23 and Theorem 4.1, whose constants take the norm of the sum.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:composed",
            f"Proof of Theorem 4.1, {APPENDIX}",
            Kind.IDENTITY,
            "Barron constant of a function after a linear map",
            r"\mathcal{C}_{f_k} = \|(\Theta_{f,k} + \Theta_{b,k})\mathcal{C}_{\mathcal{F}"
            r"_k}\|",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional_barron.stretched",
            correction=r"\mathcal{C}_{\mathcal{F}\circ\Theta} = \int \|\Theta^{\top}"
            r"\omega\| |\tilde{\mathcal{F}}(\omega)| d\omega \le \|\Theta\|_2 "
            r"\mathcal{C}_{\mathcal{F}}",
            evidence=Evidence(
                tuple(
                    {"long": a, "short": b}
                    for a, b in ((2.0, 1.0), (1.0, 0.2), (3.0, 2.5))
                ),
                {"reference": BARRON + "stretched"},
                BARRON + "stretched_slowly",
                printed=BARRON + "norm_times_constant",
                tolerance=1e-9,
                alone="a quadrature against an elliptic integral, for a Gaussian and "
                "a diagonal map in the plane",
            ),
            note="Equal only where the map is a multiple of a rotation; an upper bound in "
            "general, which is all that the proof needs.",
            inherits="No.",
            topic="bidirectional",
        ),
    )


def _neurons() -> tuple[Claim, ...]:
    def printed():
        size = two.radius**2 * two.barron**2 * two.Theta**2
        return 4 * two.states * size * two.outputs**3 / two.accuracy**2

    return (
        Claim(
            "blur:23",
            f"Eq. 23, Lemma A.4, {APPENDIX}",
            Kind.BOUND,
            "The number of hidden neurons is at most ...",
            r"D \le 4nr^2\mathcal{C}^2_{\mathcal{F}_k}\|\Theta_{f,k} + \Theta_{b,k}\|_2^2"
            r"s^3\varepsilon^{-2}",
            "evidence",
            Status.CONDITIONAL,
            "theory.bidirectional.hidden_neurons",
            two.hidden_neurons,
            condition=Condition(
                "D is the least number of neurons that suffices, not that of any "
                "network that does",
                lambda padding, **_: padding == 0,
            ),
            evidence=Evidence(
                tuple({**IDLE, "padding": idle} for idle in (0, 1, 1000)),
                {"reference": BARRON + "padded_neurons"},
                relation="<=",
                slips={"half of it": lambda **at: 0.5},
                alone="one network, of a logistic function, with idle neurons added",
            ),
            note="As stated, every sufficient MLP obeys the bound; neurons without weight "
            "break it and change nothing. Theorems 4.1 and A.2 have D at least as large. "
            "The right side is judged in the next row.",
            inherits="The proof of Theorem 4.1 uses it in the right direction.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:constant",
            f"Eq. 23 and after Lemma A.4, {APPENDIX}",
            Kind.IDENTITY,
            "The right side of the bound from Theorem A.2",
            r"4nr^2\mathcal{C}^2_{\mathcal{F}_k}\|\Theta_{f,k} + \Theta_{b,k}\|_2^2s^3"
            r"\varepsilon^{-2}",
            "evidence",
            Status.PROVED,
            "theory.bidirectional.hidden_neurons",
            two.hidden_neurons,
            printed,
            evidence=Evidence(WIDTHS, {"reference": BARRON + "sufficient_neurons"}),
            note="Given Theorem A.2: 2n real states, and each of s outputs to the accuracy "
            "over s with neurons of its own. To the accuracy over the root of s, which "
            "suffices in the Euclidean norm, s^2 would do. After the lemma the paper "
            "says that Theorem A.2 gives it without the norm; it prints 2 n r^2 there, "
            "for one output and n real states.",
            topic="bidirectional",
        ),
        Claim(
            "blur:text:width",
            f"Theorem 4.1 and its proof, {APPENDIX}",
            Kind.BOUND,
            "The width of the MLP",
            r"D \ge \mathcal{O}(nN/\varepsilon^2) \text{ from } D \ge 2nr^2"
            r"\hat{\mathcal{C}}^2\varepsilon^{-2}, \; \hat{\mathcal{C}} = \mathcal{O}(N)",
            "evidence",
            Status.REFUTED,
            "theory.bidirectional.theorem_width",
            two.theorem_width,
            lambda: two.theorem_width().result / two.inputs,
            correction=r"D = \mathcal{O}(nN^2/\varepsilon^2)",
            corrected=lambda: (
                2
                * two.states
                * (two.radius * two.inputs * two.barron / two.accuracy) ** 2
            ),
            evidence=Evidence(
                tuple(
                    {"states": 4.0, "radius": 1.3, "barron": 0.7}
                    | {"accuracy": 0.2, "inputs": steps}
                    for steps in (3.0, 24.0)
                ),
                {"reference": BARRON + "interpolant_neurons"},
            ),
            note="The bound of Theorem A.2 is quadratic in the constant, so N steps cost "
            "N^2. The proof as given does not reach the theorem's power, even with "
            "constants bounded in k; and a lower bound cannot be an O.",
            topic="bidirectional",
        ),
    )
