"""BLUR (2025), Tables 1 and 5: operations in time and memory."""

from theory import bidirectional as two
from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence
from theory.papers.blur.routes import BARRON, STABILITY
from theory.papers.blur.rows import fact

TIMES_1 = {
    "RNN": "N",
    "TCN": "N",
    "Transformer": "N^2",
    "Reformer": "N log N",
    "Informer": "N log N",
    "S4": "N log N",
    "LRU": "N",
    "SOFTS": "N",
    "SiMBA": "N log N",
    "S-Mamba": "N log N",
    "BLUR": "N",
}
TIMES_5 = {**TIMES_1, "S4": "~N"}


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (
        Claim(
            "blur:text:complexity",
            "Section 1 and Table 1",
            Kind.TEXT,
            "Linear time",
            r"\text{BLUR maintains the linear time complexity } \mathcal{O}(N) \text{ "
            r"with parallel scans: } 2N - 2 - \log_2 N \text{ combinations a direction}",
            "evidence",
            Status.PROVED,
            "theory.bidirectional.scan_operations",
            two.scan_operations,
            evidence=Evidence(
                tuple({"inputs": count} for count in (4, 16, 128)),
                {
                    "reference": BARRON + "scan_work",
                    "impulse": BARRON + "scan_work_jax",
                },
                proof=two.scan_levels_agree,
            ),
            note="The count is ours, for a power of two; the impulse route counts what "
            "JAX's own scan combines. Memory is linear too.",
            topic="models",
        ),
        Claim(
            "blur:text:scan",
            "Appendix A.7",
            Kind.ALGORITHM,
            "A gated linear recurrence as a scan",
            r"h_k = a_kh_{k-1} + b_k \text{ is computed by parallel scans from } a_1, "
            r"\ldots, a_N \text{ and } b_1, \ldots, b_N",
            "evidence",
            Status.CONFIRMED,
            "sigprop.neuron.scan.scan_linear",
            evidence=Evidence(
                tuple({"seed": seed, "steps": 9} for seed in range(3)),
                {
                    "reference": STABILITY + "scan_fold",
                    "impulse": STABILITY + "scan_tree",
                },
                STABILITY + "scan_loop",
            ),
            note="The pairs compose as (a, b)(a', b') = (aa', ab' + b), which is "
            "associative. The paper's h_0 = b_0 is 0 in its own recurrences.",
            topic="models",
        ),
        Claim(
            "blur:table5",
            "Table 5, Appendix A.3",
            Kind.TABLE,
            "Complexity of N-HiTS",
            r"\mathcal{O}\left(N\frac{1-\varsigma^B}{1-\varsigma}\right) = \mathcal{O}"
            r"\left(\sum_{b=0}^{B-1} N\varsigma^b\right)",
            "evidence",
            Status.PROVED,
            "theory.bidirectional.geometric_blocks",
            two.geometric_blocks,
            lambda: two.inputs * (1 - two.ratio**two.blocks) / (1 - two.ratio),
            evidence=Evidence(
                tuple(
                    {"inputs": n, "ratio": r, "blocks": b}
                    for n, r, b in ((24.0, 0.5, 3), (7.0, 0.9, 6), (5.0, 1.3, 4))
                ),
                {
                    "reference": lambda inputs, ratio, blocks: sum(
                        inputs * ratio**b for b in range(blocks)
                    )
                },
            ),
            note="The only entry of the table with something to compute. The orders of "
            "other methods are quoted from their papers.",
            topic="tables",
        ),
        fact(
            "table1",
            "Table 1, Section 1, and Table 5, Appendix A.3",
            "Time complexities of both tables",
            r"\text{the training times of Table 1 are those of Table 5}",
            lambda: sum(
                TIMES_5[method].replace("~N", "N log N") == order
                for method, order in TIMES_1.items()
            ),
            len(TIMES_1),
            kind=Kind.TABLE,
            topic="tables",
            code="theory.papers.blur.complexity.TIMES_1",
            note="S4 is O(N log N) in one and O~(N), which hides logarithms, in the "
            "other; the other ten agree letter by letter.",
        ),
    )
