"""The conventions of this suite, each written once, and the rows where papers depart.

``FAULTS`` says once what a fault of the same kind is called wherever it stands.
"""

from typing import NamedTuple

from sigprop.theory.claims import Status


class Convention(NamedTuple):
    """One choice, and the ids of statements that make another or mix several."""

    subject: str
    choice: str
    departures: tuple[str, ...]


CONVENTIONS = (
    Convention(
        "Derivative with respect to a complex parameter",
        "The Wirtinger derivative d/dz = (d/d Re z - i d/d Im z)/2 has its factor 1/2. "
        "The chain rule to real parameters has no such factor. Our programs differentiate "
        "with respect to real and imaginary parts.",
        ("zucchet:80", "zucchet:116", "zucchet:126", "zucchet:148"),
    ),
    Convention(
        "Index of the input",
        "The recurrence is h_{t+1} = lambda h_t + x_{t+1}, so the newest input has weight one. "
        "The state before the first input is zero.",
        ("zucchet:8", "zucchet:17", "zucchet:53", "zucchet:113", "lru:4", "lru:31"),
    ),
    Convention(
        "Autocovariance",
        "The autocovariance is R(Delta) = E[x_{t+Delta} conj(x_t)]. It is even for real "
        "inputs, which all papers use.",
        ("zucchet:44", "zucchet:54"),
    ),
    Convention(
        "Variance of a complex number",
        "The variance is E|z|^2, the sum of the variances of real and imaginary part.",
        ("lru:text:factor-two",),
    ),
    Convention(
        "Normal distribution",
        "The second argument of N(mean, variance) is the variance.",
        ("zucchet:footnote1",),
    ),
    Convention(
        "Fourier transform",
        "The forward transform has exp(-i omega t), with the angular frequency omega. We fix "
        "no prefactor. If a statement holds for one prefactor only, we say so.",
        ("lru:8", "lru:10", "lru:14", "lru:15", "lru:16"),
    ),
)


class Fault(NamedTuple):
    """A kind of fault, the status of every statement that has it, and their ids."""

    kind: str
    status: Status
    rows: tuple[str, ...]


FAULTS = (
    Fault(
        "An index that is missing, exchanged or off by one step",
        Status.REFUTED,
        (
            *("zucchet:8", "zucchet:17", "zucchet:34", "zucchet:lemma1", "zucchet:53"),
            *("zucchet:27", "zucchet:28"),
            *("zucchet:72", "zucchet:78", "zucchet:139", "zucchet:154", "zucchet:155"),
            *("zucchet:113", "zucchet:text:hessian-diagonal-states"),
            "zucchet:text:gate-indices",
            *("lru:21", "blur:16", "blur:text:metrics"),
        ),
    ),
    Fault(
        "One variable's letter for another's",
        Status.REFUTED,
        ("zucchet:147", "zucchet:fig2b"),
    ),
    Fault(
        "A sum that leaves out its newest or its oldest term",
        Status.REFUTED,
        (
            *("zucchet:2", "lru:4", "lru:31", "lru:32", "lru:38"),
            *(
                "lru:text:diagonal-unrolled",
                "lru:text:unrolled-bound",
                "rotrnn:14",
                "rotrnn:text:lru-norm-sum",
                "rotrnn:text:lru-norm-limit",
            ),
        ),
    ),
    Fault(
        "An order of factors, a row for a column, a transposed block",
        Status.REFUTED,
        ("zucchet:71", "lru:26"),
    ),
    Fault(
        "A modulus or a conjugate that is missing where the section's numbers are complex",
        Status.REFUTED,
        (
            *("zucchet:44", "zucchet:54", "zucchet:99", "zucchet:118"),
            *("zucchet:text:c1-unit-sensitivity", "zucchet:text:c1-lru-gain"),
            "blur:text:radius",
        ),
    ),
    Fault(
        "A constant factor or a power that is dropped, or one too many",
        Status.REFUTED,
        (
            *("zucchet:57", "zucchet:80", "zucchet:81", "zucchet:82", "zucchet:83"),
            *("zucchet:92", "zucchet:122", "zucchet:124", "zucchet:125", "zucchet:126"),
            *(
                "zucchet:127",
                "zucchet:128",
                "zucchet:129",
                "zucchet:133",
                "zucchet:135",
            ),
            *(
                "zucchet:136",
                "zucchet:137",
                "zucchet:138",
                "zucchet:148",
                "zucchet:149",
            ),
            *("zucchet:150", "zucchet:151", "zucchet:text:hessian-cartesian-slopes"),
            *("zucchet:text:hessian-cartesian", "zucchet:text:ideal-gamma"),
            *("lru:8", "lru:16", "lru:propE.1", "lru:text:imaginary-part"),
            "lru:text:phases",
            *("rotrnn:11", "rotrnn:lemma3", "rotrnn:text:lemma3-last-step"),
            "rotrnn:text:trace",
        ),
    ),
    Fault(
        "Sizes of arrays that fit where two of them are equal",
        Status.REFUTED,
        ("blur:13", "blur:def3.3"),
    ),
    Fault(
        "A quantifier: any for the least, all for all but one",
        Status.REFUTED,
        (
            *("blur:23", "lru:text:all-rows-disk"),
            *("rotrnn:text:six-layers", "zucchet:fig6-hessian"),
        ),
    ),
    Fault(
        "The power of an eigenvalue as the order of a driven state",
        Status.REFUTED,
        (
            *("lru:text:stability-order", "blur:text:growth-forward"),
            "blur:text:growth-backward",
        ),
    ),
    Fault(
        "A convention that the paper leaves open, and that one reading makes right",
        Status.CONDITIONAL,
        (
            *("lru:10", "lru:14", "lru:15", "lru:text:pulse"),
            "zucchet:text:hessian-hermitian",
        ),
    ),
    Fault(
        "A sum over inputs from a state before them that is not said to be zero",
        Status.CONDITIONAL,
        ("rotrnn:2", "rotrnn:4", "rotrnn:10", "rotrnn:12"),
    ),
    Fault(
        "Tasks, a metric or a source left open, of which some make a sentence true",
        Status.CONDITIONAL,
        (
            *("lru:table7", "lru:text:stable-helps", "lru:text:thin-ring"),
            *("blur:fig6", "blur:text:dropout", "blur:text:outperforms-all"),
            *("blur:text:outperforms-s5", "blur:text:s5-source"),
            "blur:text:surpasses-s4",
        ),
    ),
    Fault(
        "An autocovariance that has to be even, where inputs may be complex",
        Status.CONDITIONAL,
        ("zucchet:45", "zucchet:55", "zucchet:56"),
    ),
    Fault(
        "An explosion at the edge of stability, whatever the input's spectrum",
        Status.CONDITIONAL,
        (
            *("zucchet:text:state-diverges", "zucchet:text:sensitivity-diverges"),
            *("zucchet:text:faster", "zucchet:text:dominating-term"),
            *("zucchet:text:dominance", "zucchet:text:one-dimensional-other-inputs"),
        ),
    ),
    Fault(
        "The largest eigenvalue for the largest in modulus, over all parameters",
        Status.CONDITIONAL,
        ("zucchet:footnote2:lipschitz", "zucchet:text:hessian-lipschitz"),
    ),
)
