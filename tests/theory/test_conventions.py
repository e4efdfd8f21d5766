"""What is settled once, and who departs from it."""

from typing import NamedTuple

from sigprop.theory.claims import Status, registry
from sigprop.theory.conventions import CONVENTIONS

DOUBTFUL = (Status.REFUTED, Status.CONDITIONAL, Status.DEFINITION)


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


def test_departures_are_rows_that_are_not_simply_true():
    for convention in CONVENTIONS:
        assert convention.departures
        for claim_id in convention.departures:
            assert registry()[claim_id].expected in DOUBTFUL


def test_each_subject_is_settled_once():
    subjects = [convention.subject for convention in CONVENTIONS]
    assert len(set(subjects)) == len(subjects)


def unlike(faults, claims):
    """Ids of statements with a fault whose status is not that of the fault."""
    return [
        i for fault in faults for i in fault.rows if claims[i].expected != fault.status
    ]


def test_a_fault_has_one_status_wherever_it_stands():
    assert unlike(FAULTS, registry()) == []


def test_a_statement_of_another_status_is_noticed():
    other = FAULTS[0]._replace(rows=("zucchet:8", "zucchet:146"))
    assert unlike([other], registry()) == ["zucchet:146"]


def test_each_fault_is_named_once_and_each_statement_has_one():
    assert len({fault.kind for fault in FAULTS}) == len(FAULTS)
    rows = [claim_id for fault in FAULTS for claim_id in fault.rows]
    assert len(rows) == len(set(rows))
    assert all(len(fault.rows) > 1 for fault in FAULTS)
