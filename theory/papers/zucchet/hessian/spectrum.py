"""Zucchet & Orvieto (2024), Section 4.3: what the main text says of Hessians."""

from theory.claims import Condition
from theory.papers.zucchet.conditions import no_larger_downwards
from theory.rows import Part

part = Part("Section 4.3", "hessian", "theory.hessian")
measured = part.at("Section 4.3", code="sigprop.evidence.zucchet.hessian.spectrum")

part.row(
    "zucchet:text:hessian-spectra",
    "text",
    "conditional",
    "text after Eq. 11 and Figure 4 A, B",
)(
    "Dense and diagonal networks have almost the same Hessian spectrum",
    r"\lambda_{\max}(H_{\text{dense}}) \approx \lambda_{\max}(H_{\text{diagonal"
    r"}}), \; n = 4, \; \nu_0 = 0.99",
    code="real_block",
    condition=Condition(
        "the eigenvectors of A are orthonormal and its eigenvalues are further "
        "apart than their distance to the circle",
        # Every teacher's eigenvalues are 1.4 apart and 0.01 from the circle.
        lambda normal, **_: normal,
    ),
    note="The paper says it in words; judged on the largest eigenvalue, within 0.2 "
    "%. With general eigenvectors the dense Hessian is larger, for a change of A is "
    "seen through the basis and its inverse: with Gaussian eigenvectors its largest "
    "eigenvalue was 9 to 230 times that of the diagonal network of the same "
    "function, in eight draws. How the teacher of Figure 4 drew its eigenvectors is "
    "not said. Both networks have 4 states, 25 real parameters and white inputs.",
)

part.row(
    "zucchet:text:hessian-concentrated",
    "text",
    "confirmed",
    "text after Eq. 11 and Figure 4 A, B",
)(
    "The diagonal network's top eigenvectors spread over fewer coordinates",
    r"\left\langle \frac{1}{\sum_p v_p^4} \right\rangle_{\text{dense}} > \left"
    r"\langle \frac{1}{\sum_p v_p^4} \right\rangle_{\text{diagonal}}",
    code="real_block",
    note="Measured as the inverse participation ratio, the mean of the four top "
    "eigenvectors, for random teachers of 4 states, of orthonormal and of Gaussian "
    "eigenvectors.  It holds in the mean over teachers, about 2.1 and 1.8 times as "
    "many, and not for each: of 120 teachers six had it the other way.",
)

measured.row("zucchet:text:hessian-lipschitz", "text", "conditional", "footnote 2")(
    "The gradient's Lipschitz constant is the largest Hessian eigenvalue",
    r"L = \lambda_{\max}(H)",
    code="lipschitz_by_norm",
    condition=Condition(
        "it is the largest eigenvalue in modulus, at the worst parameters; at "
        "optimality no eigenvalue is negative",
        no_larger_downwards,
    ),
    note="Away from optima the loss curves downwards too, and the largest eigenvalue "
    "may be smaller than the modulus of the least one.",
)

measured.row("zucchet:text:hessian-step-size", "text", "confirmed", "footnote 2")(
    "Gradient descent is stable up to two over the largest eigenvalue",
    r"\eta_{\max} = \frac{2}{L}",
    code="step_by_radius",
    assumes=Condition(
        "a quadratic loss of positive curvature",
        lambda eigenvalues, **_: min(eigenvalues) > 0,
    ),
)

part.row("zucchet:text:hessian-conjugates", "text", "conditional", "text after Eq. 11")(
    "Eigenvalues that are not conjugate make the Hessian more diagonal",
    r"\frac{\|H_{ij}\|}{\sqrt{\|H_{ii}\| \|H_{jj}\|}} < 1 \text{ if } \lambda_j \ne "
    r"\bar{\lambda}_i",
    code="real_block",
    condition=Condition(
        "the two eigenvalues are not equal either: an equal pair couples as "
        "strongly as a conjugate one",
        lambda lambda_i, lambda_j, **_: lambda_i != lambda_j,
    ),
    note="Norms are Frobenius norms of blocks by (re, im); equal magnitudes, unit "
    "gains, white input.",
)

measured.row(
    "zucchet:text:hessian-concentration", "text", "confirmed", "last paragraph"
)(
    "More concentrated eigenvalues make the Hessian less diagonal",
    r"\text{share off the diagonal at } \theta_0/4 > \text{share at } \theta_0",
    code="off_diagonal",
    note="Ten eigenvalues drawn as for Figure 10 (nu_0 = 0.99), the mean of six "
    "draws; the share is the root of the sum of squares off the diagonal over that "
    "of all entries by (re, im), unit gains.",
)

measured.row("zucchet:text:hessian-width", "text", "confirmed", "last paragraph")(
    "More hidden neurons make the Hessian less diagonal",
    r"\text{share off the diagonal at } 3n > \text{share at } n",
    code="off_diagonal",
    note="The same measure, angles on the whole circle.",
)

part.row("zucchet:text:hessian-lru-angle", "text", "confirmed", "text after Eq. 11")(
    "In the LRU only the angle's entries of the Hessian explode",
    r"H_{\omega_\nu \omega_\nu} = O(1), \; H_{\omega_\theta \omega_\theta} = O\left((1-"
    r"\nu)^{-2}\right)",
    code="real_block",
    assumes=Condition(
        "white input, unit readout, angles away from 0 by more than 1 - nu",
        lambda gap, angle, **_: abs(angle) > gap,
    ),
    note="The paper says it in words. Judged by the growth of both diagonal entries as "
    "1 - nu halves: by 1 and by 4, to the order of 1 - nu. The normalisation sqrt(1 - "
    "nu^2) and its own derivative are part of the model.",
)
