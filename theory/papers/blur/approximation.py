"""BLUR (2025), Appendix A.4: Theorems A.2 and A.3, Lemma A.4, Eq. 23."""

from sympy import Expr

from sigprop.theory import bidirectional as two
from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("Appendix A.4", "bidirectional", "sigprop.evidence.blur.approximation")
text = part.at("")


def eq_23() -> Expr:
    """Return the right side of Eq. 23 as printed."""
    size = two.radius**2 * two.barron**2 * two.Theta**2
    return 4 * two.states * size * two.outputs**3 / two.accuracy**2


part.row(
    "blur:thmA.2",
    "bound",
    "not-checkable",
    "Universality of a network with one hidden layer",
    r"D \ge 2nr^2\mathcal{C}_f^2\varepsilon^{-2} \; \Rightarrow \; "
    r"\text{sup}_{\|\bm{h}\| \le \sqrt{n}r} |f(\bm{h}) - \mathcal{G}(\bm{h})| "
    r"\le \varepsilon",
    where="Theorem A.2",
    code="sigprop.theory.bidirectional.theorem_width",
    reason="A statement that parameters exist, for every function and dimension, quoted "
    "from elsewhere. The theorem it is quoted from bounds the mean square error by "
    "(2RC)^2/D on a ball of radius R, which with R = sqrt(n) r would be 4 n r^2 C^2, and "
    "no uniform error; no function was found that decides between the constants. Its "
    "radius r and its uses are judged apart.",
)
part.row(
    "blur:text:radius",
    "bound",
    "refuted",
    "The radius of the ball of states",
    r"r := \text{sup}_j \{\bm{h}_j | j\in[1,n]\}, \quad \|\bm{h}\| \le \sqrt{n}r",
    where="Theorem A.2",
    code="norm",
    correction=r"r := \text{sup}_{j, \bm{h}} |\bm{h}_j|",
    note="The paper prints h_j; it should be its modulus. Without the modulus r may be "
    "negative. The printed r also refers to one state only. Later uses mean the "
    "modulus, over all states that occur.",
    erratum=Erratum("C", bearing="Later uses mean the modulus."),
)
part.row(
    "blur:thmA.3",
    "bound",
    "confirmed",
    "One Barron function for all steps",
    r"\hat{f}: \mathbb{R}^{p+1}\to\mathbb{R}, \; \hat{f}(x,k) = f(x,k), \quad "
    r"\hat{\mathcal{C}} \le \mathcal{O}\left(\sum_{k=1}^{N} \mathcal{C}_{f_k} + "
    r"\mathcal{C}'_{f_k}\right)",
    where="Theorem A.3",
    code="sigprop.theory.bidirectional.fejer_cost",
    note="The construction interpolates exactly and bounds the O with the constants 1 and "
    "2 pi/3; |(w, nu)| <= |w| + |nu| makes it general. That the sum is of order N is "
    "judged in a row of its own. The paper writes f with its arguments in both orders.",
)
part.row(
    "blur:text:order-N",
    "bound",
    "conditional",
    "The sum of the constants is said to be of order N",
    r"\mathcal{O}\left(\sum_{k=1}^{N} \mathcal{C}_{f_k} + \mathcal{C}'_{f_k}"
    r"\right) = \mathcal{O}(N)",
    where="Theorem A.3 and the proof of Theorem 4.1",
    code="reconstruction_norms",
    condition=Condition(
        "the constants are bounded in k, as for N eigenvalues spread over a circle whose "
        "radius is 1 - 1/N",
        lambda spread, **_: spread == "closing",
    ),
    note="The constant C of f_k is at most C of the target times the norm of the "
    "reconstruction. This norm is one over the smallest singular value of the "
    "Vandermonde matrix. We compare the sum of these norms after twice as many steps "
    "with the sum before; an order N gives the ratio 2. The theorem allows real "
    "eigenvalues. For them, or on a circle of fixed radius, the sum grows "
    "exponentially.",
    erratum=Erratum(
        "D",
        appears_in=("blur:thmA.3", "the proof of Theorem 4.1"),
        inherits=("blur:text:width",),
        bearing="The width of the MLP takes the constant as O(N), and squares it.",
    ),
)
text.row(
    "blur:text:impossible",
    "text",
    "confirmed",
    "A smaller state cannot contain the inputs",
    r"\text{it is impossible to store } \mathcal{O}(N) \text{ real numbers in a vector "
    r"whose size is smaller than } \mathcal{O}(N) \text{ through a linear Vandermonde "
    r"projection, unless the inputs are sparse}",
    where="Appendix A.4, after Eq. 22",
    code="sigprop.evidence.blur.reconstruction.subspace_rank",
    note="The values are ranks of the projection of six inputs to three states: no more "
    "than its states. A complex state of real inputs holds two of them, so half as many "
    "are enough before the real part is taken; the order stays.",
)
text.row(
    "blur:text:reconstruction",
    "text",
    "refuted",
    "The reconstruction mappings",
    r"\text{the linear reconstruction mappings for the forward and backward passes are "
    r"exactly } \mathbf{V}_{f,k} \text{ and } \mathbf{V}_{b,k}",
    where="Appendix A.4, after Eq. 22",
    code="sigprop.evidence.blur.reconstruction.reconstruction",
    correction=r"\mathbf{V}_{f,k}^{+} \text{ and } \mathbf{V}_{b,k}^{+}",
    note="The paper prints the matrices; they should be their inverses, as in Eq. 20 and "
    "22.",
    erratum=Erratum("C", bearing="Eq. 20, Eq. 22 and Lemma A.4 use the inverses."),
)
text.row(
    "blur:text:real-imaginary",
    "text",
    "confirmed",
    "Size of the real representation",
    r"\text{we also consider real/imaginary inputs representation in } "
    r"\mathbb{R}^{2n\times n}",
    where="Appendix A.4, after Eq. 22",
    code="sigprop.evidence.blur.reconstruction.vandermonde",
    assumes="as many inputs as states, k = n, as in the worst case that the paragraph names",
    note="We take real above imaginary parts of the Vandermonde matrix of the paragraph. "
    "For k inputs it is 2n by k.",
)
part.row(
    "blur:lemmaA.4",
    "identity",
    "refuted",
    "The sum of both reconstructions",
    r"f_k := \mathcal{F}_k\circ(\Theta_{f,k} + \Theta_{b,k}), \; f_k(\bm{h}_k) = "
    r"\mathcal{F}(\bm{v}_{1:k})",
    where="Lemma A.4 and the proof of Theorem 4.1",
    code="both_reconstructions",
    correction=r"f_k := \mathcal{F}_k\circ\frac{\Theta_{f,k} + \mathbf{J}"
    r"\Theta_{b,k}}{2}, \text{ with } \mathbf{J} \text{ the reversal of order}",
    note="Each mapping alone gives the inputs, and the backward mapping gives them in "
    "reversed order. The sum, which we evaluate, is the inputs plus the reversed "
    "inputs. With the order restored, the sum is twice the inputs. The proof also "
    "works with the forward mapping alone. Besides, BLUR's output at k has the "
    "backward state at k, not the backward state at 1.",
    erratum=Erratum(
        "B",
        appears_in=("the proof of Theorem 4.1",),
        inherits=("blur:text:composed", "blur:thm4.1"),
        bearing="The constants of later results take the norm of the sum. With half "
        "of it the bounds hold with another constant.",
    ),
)
part.row(
    "blur:text:composed",
    "identity",
    "refuted",
    "The Barron constant of a function after a linear map",
    r"\mathcal{C}_{f_k} = \|(\Theta_{f,k} + \Theta_{b,k})\mathcal{C}_{\mathcal{F}"
    r"_k}\|",
    where="Proof of Theorem 4.1",
    code="stretched",
    correction=r"\mathcal{C}_{\mathcal{F}\circ\Theta} = \int \|\Theta^{\top}"
    r"\omega\| |\tilde{\mathcal{F}}(\omega)| d\omega \le \|\Theta\|_2 "
    r"\mathcal{C}_{\mathcal{F}}",
    note="The two sides are equal if Theta^T stretches every frequency of F by the same "
    "factor |Theta|, as a multiple of a rotation does. In general the right side is an "
    "upper bound, which is all that the proof needs.",
    erratum=Erratum("B", bearing="The proof needs only the upper bound."),
)
part.row(
    "blur:23",
    "bound",
    "confirmed",
    "The number of hidden neurons is at most ...",
    r"D \le 4nr^2\mathcal{C}^2_{\mathcal{F}_k}\|\Theta_{f,k} + \Theta_{b,k}\|_2^2"
    r"s^3\varepsilon^{-2}",
    where="Eq. 23, Lemma A.4",
    code="sigprop.theory.bidirectional.hidden_neurons",
    note="We read D as the smallest number of neurons that is sufficient: idle neurons "
    "may be added to any network. The row blur:text:constant derives the right side from "
    "Theorem A.2. The test takes targets that are themselves one logistic unit.",
)
part.row(
    "blur:text:constant",
    "identity",
    "proved",
    "The right side of the bound from Theorem A.2",
    r"4nr^2\mathcal{C}^2_{\mathcal{F}_k}\|\Theta_{f,k} + "
    r"\Theta_{b,k}\|_2^2s^3\varepsilon^{-2}",
    where="Eq. 23 and after Lemma A.4",
    derive=two.hidden_neurons,
    printed=eq_23,
    code="sigprop.theory.bidirectional.hidden_neurons",
    note="Given Theorem A.2: 2n real states, and each of s outputs to the accuracy over s "
    "with neurons of its own. To the accuracy over the root of s, which suffices in the "
    "Euclidean norm, s^2 would do. With the lemma's own radius, root of n times r, the "
    "factor is 2, so 4 is right as a bound. After the lemma the paper says that Theorem "
    "A.2 gives it without the norm; it prints 2 n r^2 there, for one output and n real "
    "states.",
)
part.row(
    "blur:text:width",
    "bound",
    "refuted",
    "The width of the MLP",
    r"D \ge \mathcal{O}(nN/\varepsilon^2) \text{ from } D \ge 2nr^2"
    r"\hat{\mathcal{C}}^2\varepsilon^{-2}, \; \hat{\mathcal{C}} = \mathcal{O}(N)",
    where="Theorem 4.1 and its proof",
    derive=two.theorem_width,
    printed=lambda: two.theorem_width().result / two.inputs,
    code="sigprop.theory.bidirectional.theorem_width",
    correction=r"D \ge \mathcal{O}(nN^2/\varepsilon^2)",
    corrected=lambda: (
        2 * two.states * (two.radius * two.inputs * two.barron / two.accuracy) ** 2
    ),
    note="The paper prints n N / eps^2; it should be n N^2 / eps^2. The bound of Theorem "
    "A.2 is quadratic in the constant, so N steps cost N^2. The printed proof does "
    "not reach the theorem's power, even if the constants are bounded in k.",
    erratum=Erratum(
        "A",
        appears_in=("the proof sketch in Section 4.2",),
        inherits=("blur:thm4.1", "blur:18"),
        bearing="Theorem 4.1 states the width n N / eps^2.",
    ),
)
