"""Zucchet & Orvieto (2024), Section 4.3: statements of the main text about Hessians."""

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.papers.zucchet.conditions import UPWARDS, no_larger_downwards
from sigprop.theory.rows import Part

part = Part("Section 4.3", "hessian", "sigprop.theory.hessian")
measured = part.at("Section 4.3", code="sigprop.evidence.zucchet.hessian.spectrum")

part.row(
    "zucchet:text:hessian-spectra",
    "text",
    "conditional",
    "Dense and diagonal networks have almost the same Hessian spectrum",
    r"\frac{\lambda_{\max}(H_{\text{dense}})}{\lambda_{\max}(H_{\text{diagonal}})} "
    r"\to 1 \text{ as } \nu_0 \to 1, \; n = 4",
    where="text after Eq. 11 and Figure 4 A, B",
    code="real_block",
    condition=Condition(
        "the eigenvectors of A are orthonormal", lambda normal, **_: normal
    ),
    note="The paper gives no number. We test where the ratio of the largest eigenvalues "
    "tends. With orthonormal eigenvectors it was 1.0002 to 1.0008 in our draws at "
    "nu_0 = 0.99. It is larger while two eigenvalues are closer than about 1 - "
    "nu_0, and then tends to 1 as well. With general eigenvectors a change of A "
    "acts through the basis and its inverse. With Gaussian eigenvectors the ratio "
    "was 9 to 230, in eight draws. Appendix C.3 says that the eigenvectors were "
    "sampled, but not from which distribution. Both networks have 4 states, 25 real "
    "parameters and white inputs.",
    erratum=Erratum(
        "D",
        root="zucchet:fig4",
        bearing="No later result is affected: the paper's conclusion from the figure "
        "is the position of the eigenvectors.",
    ),
    uncounted="repeats zucchet:fig4",
)

part.row(
    "zucchet:text:hessian-concentrated",
    "text",
    "confirmed",
    "The diagonal network's top eigenvectors spread over fewer coordinates",
    r"\left\langle \frac{1}{\sum_p v_p^4} \right\rangle_{\text{dense}} > \left"
    r"\langle \frac{1}{\sum_p v_p^4} \right\rangle_{\text{diagonal}}",
    where="text after Eq. 11 and Figure 4 A, B",
    code="real_block",
    note="Measured as the inverse participation ratio, the mean over the nine curved "
    "directions of 4 states, for random teachers: Figure 4 shows ten eigenvectors, of "
    "which the tenth has no curvature (zucchet:fig4:rank). The dense ones lie "
    "on 5.3 coordinates against 3.3 with orthonormal eigenvectors and on 4.7 against 3.0 "
    "with Gaussian ones: in the mean a factor of 1.6, at level 1e-7 at least 1.2. Of 64 "
    "teachers two had it the other way.",
)

measured.row(
    "zucchet:text:hessian-lipschitz",
    "text",
    "conditional",
    "The gradient's Lipschitz constant is the largest Hessian eigenvalue",
    r"L = \lambda_{\max}(H)",
    where="footnote 2",
    code="lipschitz_by_norm",
    condition=Condition(UPWARDS, no_larger_downwards),
    note="Away from optima the loss also has negative curvature. The largest "
    "eigenvalue may then be smaller than the modulus of the most negative one. The "
    "statement repeats zucchet:footnote2:lipschitz.",
    erratum=Erratum(
        "D",
        root="zucchet:footnote2:lipschitz",
        bearing="No later result is affected: the paper uses the constant only in "
        "words.",
    ),
    uncounted="repeats zucchet:footnote2:lipschitz",
)

measured.row(
    "zucchet:text:hessian-step-size",
    "text",
    "proved",
    "Gradient descent is stable up to two over the largest eigenvalue",
    r"\eta_{\max} = \frac{2}{L}",
    where="footnote 2",
    code="step_by_radius",
    assumes=Condition(
        "a quadratic loss of positive curvature",
        lambda eigenvalues, **_: min(eigenvalues) > 0,
    ),
    note="The statement repeats zucchet:footnote2:rate.",
    uncounted="repeats zucchet:footnote2:rate",
)

part.row(
    "zucchet:text:hessian-conjugates",
    "text",
    "confirmed",
    "Eigenvalues that are not conjugate make the Hessian more diagonal",
    r"\frac{\|H_{ij}\|}{\sqrt{\|H_{ii}\| \|H_{jj}\|}} \text{ is smaller than at } "
    r"\lambda_j = \bar{\lambda}_i",
    where="text after Eq. 11",
    code="real_block",
    note="A conjugate pair, as the teacher has them, is coupled by one, and less once "
    "it is moved apart, by magnitude or by angle. Two equal eigenvalues are coupled "
    "by one too, which drawn ones are with probability zero. Norms are Frobenius "
    "norms of blocks by (re, im); unit gains, white input.",
)

measured.row(
    "zucchet:text:hessian-concentration",
    "text",
    "confirmed",
    "More concentrated eigenvalues make the Hessian less diagonal",
    r"\text{share off the diagonal at } \theta_0/4 > \text{share at } \theta_0",
    where="last paragraph",
    code="mean_share",
    note="Ten eigenvalues drawn as for Figure 10 (nu_0 = 0.99), the mean of 400 draws; "
    "the share is the root of the sum of squares off the diagonal over that of all "
    "entries by (re, im), unit gains. It is 0.11 at theta_0 = pi, 0.29 at pi/4 and "
    "0.55 at pi/16. The differences are 0.18 and 0.26, each within 0.03 at error "
    "probability 1e-7.",
)

measured.row(
    "zucchet:text:hessian-width",
    "text",
    "confirmed",
    "More hidden neurons make the Hessian less diagonal",
    r"\text{share off the diagonal at } 3n > \text{share at } n",
    where="last paragraph",
    code="mean_share",
    note="The same measure, angles on the whole circle: 0.02 of 3 neurons against 0.09 of "
    "9, 0.05 of 5 against 0.17 of 15; the leads are 0.07 and 0.12, to 0.03 at level 1e-7. "
    "It holds in the mean: one draw in seven has it the other way.",
)

part.row(
    "zucchet:text:hessian-lru-angle",
    "text",
    "confirmed",
    "In the LRU only the angle's entries of the Hessian explode",
    r"H_{\omega_\nu \omega_\nu} = O(1), \; H_{\omega_\gamma \omega_\gamma} = O(1), \; "
    r"H_{\omega_\theta \omega_\theta} = O\left((1-\nu)^{-2}\right)",
    where="text after Eq. 11",
    code="real_block",
    assumes=Condition(
        "white input, unit readout, angles away from 0 by more than 1 - nu",
        lambda gap, angle, **_: abs(angle) > gap,
    ),
    note="The paper says it in words. The test uses the growth of the diagonal "
    "entries as 1 - nu halves: by 1, 1 and 4, to the order of 1 - nu. The "
    "normalisation exp(omega_gamma) is a parameter of its own (Eq. 22), which starts "
    "at sqrt(1 - nu^2).",
)
