"""BLUR (2025), Tables 1 and 5: operations in time and memory."""

from sigprop.theory import bidirectional as two
from sigprop.theory.rows import Part

part = Part("", "models", "sigprop.theory.bidirectional")
tables = part.at("", "tables")

part.row(
    "blur:text:complexity",
    "text",
    "proved",
    "Linear time",
    r"\text{BLUR maintains the linear time complexity } \mathcal{O}(N) \text{ "
    r"with parallel scans: } 2N - 2 - \log_2 N \text{ combinations a direction}",
    where="Section 1 and Table 1",
    derive=two.scan_operations,
    code="scan_operations",
    note="The count is ours, for a power of two. The impulse route counts what JAX's "
    "own scan combines. Memory is linear too.",
)
part.row(
    "blur:text:scan",
    "algorithm",
    "confirmed",
    "A gated linear recurrence as a scan",
    r"h_k = a_kh_{k-1} + b_k \text{ is computed by parallel scans from } a_1, "
    r"\ldots, a_N \text{ and } b_1, \ldots, b_N",
    where="Appendix A.7",
    code="sigprop.neuron.scan.scan_linear",
    note="The pairs compose as (a, b)(a', b') = (aa', ab' + b), which is associative. The "
    "paper's h_0 = b_0 is 0 in its own recurrences.",
)
tables.row(
    "blur:table5",
    "table",
    "not-checkable",
    "Complexities of all methods",
    r"\text{time and memory of 19 methods, of N-HiTS } \mathcal{O}\left(N"
    r"\frac{1-\varsigma^B}{1-\varsigma}\right)",
    where="Table 5, Appendix A.3",
    code="sigprop.theory.papers.blur.printed.TABLE_5",
    reason="Orders that are quoted from the methods' own papers. That of N-HiTS is the sum "
    "of N times a power of the ratio over its blocks.",
)
tables.row(
    "blur:table1",
    "table",
    "confirmed",
    "Time complexities of both tables",
    r"\text{the training times of Table 1 are those of Table 5}",
    where="Table 1, Section 1, and Table 5, Appendix A.3",
    code="sigprop.theory.papers.blur.printed.TABLE_1",
    note="S4 is O(N log N) in one and O~(N), which hides logarithms, in the other; the "
    "other ten agree letter by letter.",
)
