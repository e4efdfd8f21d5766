"""BLUR (2025), Section 4.2: growth, stability and initialisation."""

import math

from sigprop.theory.claims import Condition
from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part


def curvature_of_twin(lam: float) -> float:
    """Return the second derivative by ``nu_log`` of a unit's loss at an equal teacher."""
    return (lam * math.log(lam)) ** 2 * (1 + lam**2) / (1 - lam**2) ** 3


part = Part("", "bidirectional", "sigprop.evidence.blur.stability")
ring = part.at("", "ring")

for name, number, letter, step in (
    ("forward", 15, "f", "k"),
    ("backward", 17, "b", "1"),
):
    part.row(
        f"blur:text:growth-{name}",
        "text",
        "refuted",
        f"The growth of a {name} state",
        rf"\mathcal{{O}}(|\bm{{h}}_{{{step},j}}|) = "
        rf"\mathcal{{O}}(|\lambda_{{{letter},j}}|^k)",
        where=f"Section 4.2, after Eq. {number}",
        code="sigprop.theory.bidirectional.constant_input",
        correction=r"\mathcal{O}\left(\frac{1-|\lambda|^k}{1-|\lambda|}\right) "
        r"\text{ for bounded inputs, so } \mathcal{O}(1) \text{ for } |\lambda| < 1",
        note="The printed power is the weight of the oldest input. With |lambda| < 1 "
        "this weight vanishes while the state does not. The power is the order of the "
        "state only for |lambda| > 1. We compare the state after twice as many steps "
        "of equal inputs with the state before: the ratio is 1 + lambda^k, in "
        "modulus. The sentence comes from the LRU's paper.",
        erratum=Erratum(
            "B",
            root="" if name == "forward" else "blur:text:growth-forward",
            appears_in=("blur:text:growth-backward",) if name == "forward" else (),
            bearing="The condition |lambda| < 1 that the paper derives from it is "
            "right.",
        ),
    )
part.row(
    "blur:text:stability",
    "bound",
    "confirmed",
    "Eigenvalues inside the unit circle are enough for stability",
    r"|\lambda_{f,j}|, |\lambda_{b,j}| < 1 \text{ for all } j \text{ suffices: }"
    r"\; \sup_k |\bm{h}_{k,j}| \le \frac{1}{1-|\lambda_j|} \sup_i |(\mathbf{B}"
    r"\bm{u}_i)_j|",
    where="Section 4.2, after Eq. 17",
    code="worst_loop",
    note="The paper names no constant; this is the least one, reached by inputs in phase "
    "with the state. The bound is ours, the condition the paper's.",
    uncounted="the formula is ours",
)
part.row(
    "blur:text:exponential",
    "text",
    "confirmed",
    "Forward stability does not give backward stability",
    r"\text{we initialize both models separately, so the forward stability may not "
    r"necessarily provide a guarantee for the backward stability}",
    where="Section 4.2, after Eq. 17",
    code="settled",
    note="True of recurrences in general: each half is stable where its own eigenvalues "
    "are inside the circle. With the LRU's exponential parametrisation both are at any "
    "parameters, so that the warning is void for the model as it is run.",
)
ring.row(
    "blur:text:ring",
    "definition",
    "definition",
    "Eigenvalues uniform on a ring",
    r"\lambda_{f,i}, \lambda_{b,i} \sim \mathbb{T}[e_{min}, e_{max}] := \{"
    r"\lambda\in\mathbb{C} | e_{min} \le |\lambda| \le e_{max}\}",
    where="Section 4.2, initialisation",
    code="sigprop.neuron.ring.ring_polar",
    note="The paper means uniform by area, as in the LRU's paper. We compute the "
    "fractions of the ring within a radius and within an angle.",
)
ring.row(
    "blur:text:unit-circle",
    "text",
    "confirmed",
    "The ring keeps the eigenvalues inside the unit circle",
    r"\text{to maintain the absolute values within 1, sample them uniformly from a "
    r"complex ring in between } [e_{min}, e_{max}] \subseteq [0, 1]",
    where="Section 4.2, initialisation, and Table 6",
    code="within_circle",
    note="With probability 1 also where the ring ends on the circle, as that of Table 6 "
    "does, [0, 1]. There the mean of 1 / (1 - |lambda|^2), the energy under white noise, "
    "is infinite at initialisation, unless the LRU's gamma normalises it.",
)
ring.row(
    "blur:text:exploding",
    "text",
    "refuted",
    "Eigenvalues near the unit circle against exploding states",
    r"\text{Motivated by this, the initialization of } \mathbf{\Lambda}_f \text{ and } "
    r"\mathbf{\Lambda}_b \text{ can be close to the unit circle as much as possible. "
    r"Such a simple trick can help significantly mitigate the issue of } \bm{h}_k "
    r"\text{ exploding while aiding in the long-term dependency modeling}",
    where="Section 4.2, initialisation",
    code="sigprop.theory.bidirectional.ring_energy",
    correction=r"\text{the closer to the unit circle, the larger } \bm{h}_k",
    note="We take the sign of the change of the mean energy under white noise as the "
    "eigenvalues move towards the unit circle. Nearness to the circle does lengthen "
    "the memory. The LRU's paper saw the loss diverge there and therefore normalises. "
    "Perhaps the trick means the ring inside the circle, which the sentence before "
    "describes. That ring does bound the state: blur:text:stability.",
    erratum=Erratum("A", bearing="No result of the paper uses it."),
)
part.row(
    "blur:text:training-stability",
    "text",
    "conditional",
    "Stability of the training",
    r"\text{The condition } |\lambda_{f,j}|, |\lambda_{b,j}| < 1 \text{ provides assurance "
    r"for training stability}",
    where="Abstract and Section 1, on Section 4.2",
    code="contraction",
    condition=Condition(
        "the learning rate is below 2 over the curvature of the loss",
        lambda lam, rate, **_: rate * curvature_of_twin(lam) < 2,
    ),
    note="The condition bounds the states at fixed parameters. In training we take one real "
    "eigenvalue lam = exp(-exp(nu)), as the LRU has it, white inputs and a teacher with the "
    "same eigenvalue. There the curvature of the loss in nu is (lam log lam)^2 (1 + lam^2) / "
    "(1 - lam^2)^3, about 1 / (4 (1 - lam)). At any fixed learning rate gradient descent "
    "leaves the optimum if lam is near enough to 1. We divide the distance from the "
    "optimum after one step by the distance before.",
    erratum=Erratum(
        "D",
        bearing="The paper trains with Adam; its stability analysis is of states alone.",
    ),
)
