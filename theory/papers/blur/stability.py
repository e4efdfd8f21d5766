"""BLUR (2025), Section 4.2: growth, stability and initialisation."""

from theory import bidirectional as two
from theory.claims import Condition
from theory.rows import Part
from theory.symbols import T, lam

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
        f"Section 4.2, after Eq. {number}",
    )(
        f"How large a {name} state grows",
        rf"\mathcal{{O}}(|\bm{{h}}_{{{step},j}}|) = "
        rf"\mathcal{{O}}(|\lambda_{{{letter},j}}|^k)",
        two.constant_input,
        lambda: lam**T,
        code="theory.bidirectional.constant_input",
        correction=rf"\bm{{h}}_{{{step},j}} = \frac{{1-\lambda_{{{letter},j}}^k}}"
        rf"{{1-\lambda_{{{letter},j}}}} \text{{ for inputs }} (\mathbf{{B}}\bm{{u}}"
        r"_i)_j = 1, \text{ so } \mathcal{O}\left(\frac{1-|\lambda|^k}{1-|\lambda|}"
        r"\right) \text{ for bounded inputs}",
        corrected=lambda: (1 - lam**T) / (1 - lam),
        note="The power is the weight of the oldest input. With |lambda| < 1 it vanishes "
        "while the state does not; it is the order of the state only for |lambda| > 1.",
        inherits="The stability condition drawn from it is right.",
    )
part.row("blur:text:stability", "bound", "confirmed", "Section 4.2, after Eq. 17")(
    "Eigenvalues inside the unit circle are enough for stability",
    r"|\lambda_{f,j}|, |\lambda_{b,j}| < 1 \text{ for all } j \text{ suffices: }"
    r"\; \sup_k |\bm{h}_{k,j}| \le \frac{1}{1-|\lambda_j|} \sup_i |(\mathbf{B}"
    r"\bm{u}_i)_j|",
    code="worst_loop",
    note="The paper names no constant; this is the least one, reached by inputs in phase "
    "with the state. The bound is ours, the condition the paper's.",
)
part.row("blur:text:exponential", "text", "confirmed", "Section 4.2, after Eq. 17")(
    "Whether each half is stable by itself",
    r"\text{both halves are initialised apart, so } |\lambda_f| < 1 \text{ may "
    r"not give } |\lambda_b| < 1; \text{ with the exponential parametrisation }"
    r"\; |\lambda| = e^{-e^{\nu}}",
    code="sigprop.layers.lru.LRU.eigenvalues",
    note="True of recurrences in general. As the paper runs the model, with the LRU's "
    "parametrisation, both halves are stable at any parameters, so the warning is void.",
)
ring.row("blur:text:ring", "distribution", "confirmed", "Section 4.2, initialisation")(
    "Eigenvalues uniform on a ring",
    r"\lambda_{f,i}, \lambda_{b,i} \sim \mathbb{T}[e_{min}, e_{max}] := \{"
    r"\lambda\in\mathbb{C} | e_{min} \le |\lambda| \le e_{max}\}, \quad "
    r"\mathbb{E}|\lambda|^2 = \frac{e_{min}^2 + e_{max}^2}{2}",
    printed=lambda: (two.e_min**2 + two.e_max**2) / 2,
    code="sigprop.neuron.ring.ring_polar",
    note="The paper means uniform by area; the mean square is ours and pins the layer's "
    "sampler to that reading.",
)
ring.row(
    "blur:text:unit-circle",
    "text",
    "conditional",
    "Section 4.2, initialisation, and Table 6",
)(
    "The ring may end on the unit circle",
    r"[e_{min}, e_{max}] \subseteq [0, 1]: \; \mathbb{E} \frac{1}{1-|\lambda|^2} "
    r"= \frac{1}{e_{max}^2 - e_{min}^2} \log\frac{1-e_{min}^2}{1-e_{max}^2} < "
    r"\infty",
    code="theory.bidirectional.ring_energy",
    condition=Condition(
        "e_max < 1",
        lambda e_max, **_: e_max < 1,
    ),
    note="The stated goal is |lambda| < 1, the stated interval contains 1, and Table 6 "
    "uses [0, 1]. Each state is then finite with probability 1, but its mean energy under "
    "white noise is infinite at initialisation, unless the LRU's gamma normalises them.",
)
ring.row("blur:text:exploding", "text", "refuted", "Section 4.2, initialisation")(
    "Eigenvalues near the unit circle against exploding states",
    r"\text{initialising close to the unit circle mitigates exploding } \bm{h}_k: "
    r"\; \text{sign}\left(\frac{\mathrm{d}}{\mathrm{d}e_{max}} \mathbb{E}|h|^2"
    r"\right) = -1",
    code="theory.bidirectional.ring_energy",
    correction=r"\text{sign}\left(\frac{\mathrm{d}}{\mathrm{d}e_{max}} "
    r"\mathbb{E}|h|^2\right) = +1",
    note="The closer the ring is to the circle, the larger the state under white noise. "
    "Staying inside the circle bounds the state; being near it serves memory, and the LRU "
    "needs its normalisation because of it. If the trick meant is the ring inside the "
    "circle alone, it does bound the state.",
)
