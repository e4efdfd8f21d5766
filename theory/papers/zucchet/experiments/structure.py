"""Zucchet & Orvieto (2024), Appendix C.4: structure of the landscape, Figures 9-11."""

from sigprop.theory import teacher
from sigprop.theory.rows import Part

part = Part("Appendix C.4.1", "hessian", "sigprop.theory.teacher")
heads = part.at("Appendix C.4.3", "experiments")
elsewhere = part.at("")

part.row(
    "zucchet:fig9",
    "figure",
    "proved",
    "LRU: the angle's Hessian entry outgrows the magnitude's",
    r"\nu = \exp(-\exp(\omega_\nu)) \text{ mitigates the Hessian explosion, } "
    r"\theta = \exp(\omega_\theta) \text{ does not}",
    where="Figure 9",
    derive=teacher.angle_over_magnitude,
    code="angle_over_magnitude",
    note="At white inputs the ratio is (theta/log nu)^2, without bound as nu -> 1, "
    "while the magnitude's entry tends to 1/2 (zucchet:fig9:magnitude). For the complex "
    "state as output; with the real part of Eq. 18 the ratio holds as nu -> 1.",
)

part.row(
    "zucchet:fig9:magnitude",
    "limit",
    "proved",
    "LRU: the magnitude's Hessian entry stays bounded",
    r"\lim_{|\lambda| \to 1} \frac{\mathrm{d}^2 L}{\mathrm{d}\omega_\nu^2} < \infty",
    where="Figure 9",
    derive=teacher.magnitude_curvature,
    code="magnitude_curvature",
    note="White inputs, b = c = 1, the complex state as output, gamma = sqrt(1 - |lam|^2) "
    "held fixed as the LRU's own parameter: the limit is 1/2, against 1/(4 (1 - "
    "|lam|)^3) without normalisation and reparametrisation. With the real part of Eq. 18 "
    "it is 1/4 away from phase 0.",
)

part.row(
    "zucchet:text:s4-landscape",
    "text",
    "proved",
    "S4: curvature moves from the angle to the step",
    r"\text{at } \Delta = 0.01 \text{ no high curvature on } \omega_A^{\text{im}} "
    r"\text{, it is moved in the } \omega_\Delta \text{ direction}",
    derive=teacher.s4_ratio,
    code="s4_ratio",
    assumes="phases away from zero: |log lam| well above Delta",
    note="The formula is ours, and without the path of Delta through the input's gain. "
    "The entries of the Hessian that come through lam stand as |log lam|^2 (1 - "
    "exp(-Delta))^2/Delta^4, 10^4 |log lam|^2 at Delta = 0.01, and as 0.4 |log lam|^2 "
    "at Delta = 1, where all are large, as the caption of Fig. 9 says.",
    uncounted="the formula is ours",
)

part.row(
    "zucchet:text:s4-initialisation",
    "text",
    "undecided",
    "Best initialisation of S4's step",
    r"\text{initialising } \Delta \text{ at 1 yielded best performance}",
    where="Figure 9",
    code="sigprop.evidence.zucchet.experiments.medians.decades",
    note="Over a step of 0.01, the other one that is named, the lead is 0.7 to 5.5 "
    "decades in the median, at level 97.9 %; over one of 0.1 it is -0.4 to 1.4, which "
    "leaves it open. The best rate of step 1 is the largest that was tried: a longer "
    "grid and more teachers would decide.",
    topic="experiments",
)

elsewhere.row(
    "zucchet:text:lru-spectrum",
    "text",
    "not-checkable",
    "Spectrum of the LRU's Hessian",
    r"\text{The Hessian spectrum of the LRU is similar to that of the complex diagonal RNN}",
    where="Section 4.3",
    reason="Similar has no threshold.",
    code="sigprop.evidence.zucchet.experiments.structure.angle_over_magnitude",
    note="At white inputs and fixed b and c the largest entry grows as 1/gap^2 in the LRU "
    "and as 1/gap^3 in the complex diagonal RNN, because gamma^2 is of the order of the "
    "gap. For one teacher, which fixes c gamma b, both grow as 1/gap^3, and the LRU's "
    "entry of the angle has the further factor theta^2. That the angle is nearly alone "
    "is zucchet:text:hessian-lru-angle.",
)

elsewhere.row(
    "zucchet:fig9:unit-step",
    "limit",
    "confirmed",
    "S4 with a step of one: all recurrent parameters have large Hessian entries",
    r"\text{The Hessian entries of } \omega_A^{\text{re}}, \omega_A^{\text{im}}, "
    r"\omega_\Delta \text{ of S4 with } \Delta = 1 \text{ are all large, as those of the "
    r"complex diagonal RNN: } H = \Theta\left((1 - |\lambda|)^{-3}\right)",
    where="Figure 9",
    code="sigprop.evidence.zucchet.experiments.structure.step_growth",
    assumes="white inputs; a phase other than zero",
    note="Large has no number, and the order of growth is ours: it is that of the "
    "complex diagonal RNN for |lambda| -> 1. The LRU's modulus has a bounded entry "
    "(zucchet:fig9:magnitude).",
)

elsewhere.row(
    "zucchet:fig10",
    "figure",
    "confirmed",
    "Concentrated eigenvalues make the Hessian less diagonal",
    r"\theta_0 \to 0:\quad \text{the Hessian at optimality is less diagonal}",
    where="Figure 10 and Appendix C.4.2",
    code="sigprop.evidence.zucchet.experiments.sensitivities.coupling",
    note="Mean size of an entry between two eigenvalues over the mean of their "
    "own: 0.01 at theta_0 = pi, 0.09 at pi/10, 0.6 at pi/100.",
)

elsewhere.row(
    "zucchet:fig10:numerical",
    "figure",
    "not-checkable",
    "The Hessian of Figure 10, computed numerically",
    r"\text{The Hessian by Eq. 143 and the Hessian computed numerically differ "
    r"marginally}",
    where="Figure 10",
    code="sigprop.evidence.zucchet.experiments.sensitivities.hessian_missing",
    reason="Marginally has no threshold, and the length of the numerical Hessian's "
    "sequences is not printed.",
    note="Eq. 143 is exact for infinitely long sequences. Of the loss averaged over the "
    "300 steps of Table 3, from the zero state, it misses 60 to 74 % of the Frobenius "
    "norm; of the loss of the last step 23 to 38 %. We took 20 draws of the ten "
    "eigenvalues at each of three widths, theta_0 from pi to pi/100, and b = c = 1.",
)

elsewhere.row(
    "zucchet:text:no-pairs",
    "text",
    "confirmed",
    "A conjugate pair is coupled as strongly as an eigenvalue with itself",
    r"\text{no conjugate pairs, which leads to more diagonal Hessian matrices}",
    where="Appendix C.3, Figure 10",
    code="sigprop.evidence.zucchet.experiments.sensitivities.coupling",
    note="One is the largest possible, by Cauchy and Schwarz reached only by equal or "
    "conjugate eigenvalues, which independent draws are with probability zero.",
)

part.at("Appendix C.4.2").row(
    "zucchet:text:angle-entries",
    "text",
    "confirmed",
    "The LRU's parametrisation reduces the angle's Hessian entries",
    r"\text{reduces ... partly the one of angle parameters (when it is a small "
    r"positive number)}",
    code="sigprop.layers.lru.LRU",
    assumes="a small positive angle, as the sentence says",
    note="With theta = exp(omega_theta) the entry is multiplied by theta^2: the smaller "
    "the angle, the more it is reduced. Near pi it is increased tenfold.",
)

elsewhere.row(
    "zucchet:fig10:gap",
    "figure",
    "undecided",
    "The gap between complex diagonal network and LRU widens",
    r"\text{the gap between the two architectures widens as } \theta_0 \to 0",
    where="Figure 10 and Section 4.3",
    code="sigprop.evidence.zucchet.experiments.medians.widening",
    note="From theta0 = pi to pi/100 the LRU's lead over the complex diagonal network "
    "changes by -1.9 to 1.5 decades in the median, at level 97.9 %: ten teachers on Table "
    "3's grid with the exact loss. The paper samples its batches, and their noise meets "
    "the sharp directions of the complex network: sampled batches are needed to decide.",
    topic="experiments",
)

part.at("Appendix C.4.2").row(
    "zucchet:text:dense-unchanged",
    "text",
    "not-checkable",
    "Dense networks on concentrated eigenvalues",
    r"\text{Fully connected RNNs are not expected to behave much differently as } "
    r"\theta_0 \to 0",
    code="sigprop.evidence.zucchet.experiments.medians.decades",
    topic="experiments",
    reason="A major change has no threshold, and the sentence states an expectation.",
    note="From theta0 = pi to pi/100 the final loss of the dense network changes by -1.7 "
    "to 0.5 decades in the median over teachers, at level 97.9 %, on Table 3's grid with "
    "the exact loss. That of the complex diagonal network changes by 0.4 to 2.6 decades; "
    "a positive number means that the loss rises.",
)

heads.row(
    "zucchet:text:heads",
    "text",
    "confirmed",
    "Heads and the size of their blocks",
    r"\text{1 head: dense};\ 4 \times 4 \text{: 16 heads};\ 2 \times 2 \text{: 32 "
    r"heads, as we have 64 hidden neurons}",
    code="sigprop.layers.dense.block_rnn",
)

heads.row(
    "zucchet:fig11",
    "figure",
    "proved",
    "More heads, fewer parameters",
    r"\text{increasing the number of heads decrease the total number of parameters}",
    where="Figure 11",
    printed=teacher.dense_size,
    code="dense_size",
    note="64^2/heads + 129 of them.",
)

heads.row(
    "zucchet:fig11:performance",
    "figure",
    "confirmed",
    "Performance and effective learning rates against the number of heads",
    r"\text{slightly bigger heads, until } 4 \times 4 \text{, yield similar benefits}",
    where="Figure 11",
    code="sigprop.evidence.zucchet.experiments.medians.decades",
    note="Judged is until where: 4 x 4 blocks, 16 heads, lead over the dense matrix by 0.7 "
    "to 3.8 decades in the median, at level 97.9 %, and over 8 x 8 by 0.2 to 2.1. Similar "
    "has no number: 2 x 2 lead over 4 x 4 by -1.2 to 0.7. Exact loss; the effective "
    "rates of panel B are not judged.",
)
