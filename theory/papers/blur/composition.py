"""BLUR (2025), Sections 4.1-4.2: layers composed and unrolled, Eq. 12 to 17."""

from theory import bidirectional as two
from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur.routes import POINTS, ROUTES, placed

SECTION = "Section 4.2"


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_composition(), *_unrolled())


def _composition() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:12",
            "Eq. 12, Section 4.1",
            Kind.DEFINITION,
            "A pointwise nonlinearity of the merged state's real part",
            r"\bm{z}_k = \mathcal{G}(\hat{\bm{h}}_k), \quad \mathcal{G}: \mathbb{R}^n "
            r"\to \mathbb{R}^s",
            "",
            Status.DEFINITION,
            "sigprop.networks.blocks.Block",
            topic="bidirectional",
        ),
        Claim(
            "blur:13",
            "Eq. 13, Section 4.1",
            Kind.DEFINITION,
            "The skip connection and the output map",
            r"\bm{y}_k = \mathcal{L}_3(\bm{z}_k + \mathbf{C}\bm{u}_k), \quad "
            r"\mathcal{L}_3: \mathbb{R}^n\to\mathbb{R}^s, \; \mathbf{C}\in"
            r"\mathbb{R}^{n\times m}",
            "evidence",
            Status.CONDITIONAL,
            "sigprop.networks.blocks.Block",
            condition=Condition(
                "n = s: the nonlinearity keeps the width of the state",
                lambda n, s, **_: n == s,
            ),
            evidence=Evidence(
                tuple(
                    {"n": n, "s": s} for n, s in ((4, 4), (256, 256), (256, 7), (4, 1))
                ),
                {"reference": lambda n, s: s},  # z_k is of the size of G's range
                form=lambda n, s: n,  # C u_k, and what L_3 takes
                alone="sizes of arrays",
            ),
            note="z of Eq. 12 has s entries, C u has n, and L_3 takes n. The caption of "
            "Figure 2 assumes equal widths for convenience; with seven series and 256 "
            "features the equations do not fit.",
            topic="bidirectional",
        ),
        Claim(
            "blur:14",
            "Eq. 14, Section 4.1",
            Kind.DEFINITION,
            "BLUR as a composition",
            r"\hat{\mathcal{F}} = \mathcal{L}_3\circ\mathcal{G}\circ\mathcal{H}\circ("
            r"\mathcal{L}_1 + \mathcal{L}_2)\circ\mathcal{E}",
            "evidence",
            Status.REFUTED,
            "sigprop.layers.blur.BLUR",
            correction=r"\hat{\mathcal{F}} = \mathcal{L}_3\circ\mathcal{G}\circ"
            r"\mathcal{H}\circ(\mathcal{L}_1, \mathcal{L}_2)\circ\mathcal{E}",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, impulse="merged_layer", reference="merged_by_impulses"),
                ROUTES + "merged_pair",
                printed=ROUTES + "merged_sum",
            ),
            note="H of Eq. 11 takes a pair; a sum of the states forces one map for both "
            "directions. The printed value is the best that any linear map of the sum "
            "can do, by least squares. Read as a direct sum, the plus is right. The "
            "composition leaves out the skip of Eq. 13.",
            inherits="Theorem 4.1 and its proof are about this composition.",
            topic="bidirectional",
        ),
    )


def _unrolled() -> tuple[Claim, ...]:
    return (
        Claim(
            "blur:text:one-block",
            f"{SECTION}, first paragraph",
            Kind.TEXT,
            "Both directions in one block",
            r"\text{forward and backward LRUs combine into one block with a properly "
            r"designed } \mathbf{B} \text{ that takes } \mathbf{B}_f \text{ and } "
            r"\mathbf{B}_b: \; (\overrightarrow{\bm{h}}_t, \overleftarrow{\bm{h}}_t)",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional.one_block",
            correction=r"(\overrightarrow{\bm{h}}_t, \overleftarrow{\bm{h}}_{N+1-t}) "
            r"\text{ is one recurrence in } (\bm{u}_t, \bm{u}_{N+1-t})",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, reference="one_block", impulse="one_block_layer"),
                ROUTES + "paired_apart",
                printed=ROUTES + "paired_together",
            ),
            note="A recurrence that runs forwards holds, at step t, nothing of later "
            "inputs. Fed with the reversed copy besides, it gives the backward state of "
            "step N + 1 - t, which has to be reversed again.",
            inherits="The paragraph uses it to carry results for Eq. 1 to Eq. 14.",
            topic="bidirectional",
        ),
        Claim(
            "blur:15",
            f"Eq. 15, {SECTION}",
            Kind.IDENTITY,
            "The forward state as a sum",
            r"(\text{Forward}) \; \bm{h}_k = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j_f"
            r"\mathbf{B}_f\bm{u}_{k-j}",
            "evidence",
            Status.PROVED,
            "sigprop.references.bidirectional.forward_sum",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, reference="forward_loop", impulse="forward_layer"),
                ROUTES + "forward_sum",
                proof=two.unrolled_forward,
            ),
            topic="bidirectional",
        ),
        Claim(
            "blur:16",
            f"Eq. 16, {SECTION}",
            Kind.IDENTITY,
            "The last three backward states",
            r"\bm{h}_k = \mathbf{B}\bm{u}_k, \bm{h}_{k-1} = \mathbf{\Lambda B}_b\bm{u}_k "
            r"+ \mathbf{B}\bm{u}_{k-1}, \bm{h}_{k-2} = \mathbf{\Lambda}_b^2\mathbf{B}"
            r"\bm{u}_k + \mathbf{\Lambda B}_b\bm{u}_{k-1} + \mathbf{B}\bm{u}_{k-2}, \ldots",
            "evidence",
            Status.REFUTED,
            "sigprop.references.bidirectional.last_three_written",
            correction=r"\bm{h}_k = \mathbf{B}_b\bm{u}_k, \bm{h}_{k-1} = "
            r"\mathbf{\Lambda}_b\mathbf{B}_b\bm{u}_k + \mathbf{B}_b\bm{u}_{k-1}, "
            r"\bm{h}_{k-2} = \mathbf{\Lambda}_b^2\mathbf{B}_b\bm{u}_k + "
            r"\mathbf{\Lambda}_b\mathbf{B}_b\bm{u}_{k-1} + \mathbf{B}_b\bm{u}_{k-2}, "
            r"\ldots",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, reference="last_three_loop", impulse="last_three_layer"),
                ROUTES + "last_three_written",
                printed=ROUTES + "last_three_printed",
                proof=two.last_steps,
            ),
            note="Some B and Lambda have lost their b; without it they are the letters of "
            "Eq. 9, here taken for the forward ones. A slip of notation.",
            inherits="No: Eq. 17 has the right letters.",
            topic="bidirectional",
        ),
        Claim(
            "blur:17",
            f"Eq. 17, {SECTION}",
            Kind.IDENTITY,
            "The backward state at step 1 as a sum",
            r"(\text{Backward}) \; \bm{h}_1 = \sum_{j=0}^{k-1} \mathbf{\Lambda}^j_b"
            r"\mathbf{B}_b\bm{u}_{j+1}",
            "evidence",
            Status.PROVED,
            "sigprop.references.bidirectional.backward_sum",
            evidence=Evidence(
                POINTS,
                placed(ROUTES, reference="backward_loop", impulse="backward_layer"),
                ROUTES + "backward_sum",
                proof=two.unrolled_backward,
            ),
            topic="bidirectional",
        ),
    )
