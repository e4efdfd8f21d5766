"""The conventions by which statements are judged, and the rows that cite each.

All rows of one convention have the same status and errata class, so that the same error has
the same verdict everywhere.  ``tests/theory/test_conventions.py`` checks this.  It also finds
rows that use the words of a convention without citing it.
"""

from typing import NamedTuple

STANDS = ("proved", "confirmed", "definition", "not-checkable")
"""Statuses of a row that is judged as we read it, without an erratum."""
DEFINITION = ("definition",)
REFUTED = ("refuted",)
CONDITIONAL = ("conditional",)


class Convention(NamedTuple):
    """One decision about how to judge statements, and the rows to which it applies.

    Attributes:
        id: Name of the convention.
        subject: Subject of the decision.
        choice: The decision, in sentences for a reader.
        statuses: Statuses of the rows that cite it: one status, or ``STANDS``.
        letter: Errata class of the rows that cite it, or empty.
        words: Regular expression for the words that refer to it in notes and conditions.
        rows: Ids of the rows that cite it.
    """

    id: str
    subject: str
    choice: str
    statuses: tuple[str, ...]
    letter: str
    words: str
    rows: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Status and errata class of its rows, in words."""
        status = "judged as read" if self.statuses == STANDS else self.statuses[0]
        return f"{status}, class {self.letter}" if self.letter else status


CONVENTIONS = (
    # Reading of a statement.
    Convention(
        "lost-mark",
        "A mark that our copy may have lost",
        "Our copies are text extracted from PDF or HTML. Extraction loses lines over letters, "
        "strokes, the line of a fraction and single letters, and moves parts of a formula. "
        "Where the lines around it show what is meant, the row states and judges that. It has "
        "class F, and no error is counted. Where two extractions of a paper agree, the "
        "paper is taken to print what they have.",
        STANDS,
        "F",
        r"[Oo]ur copy (has|lacks|loses|breaks|prints|scatters)(?! (no|the (caption|figure)))|"
        r"our copy may|in our copy|fault of extraction|reads M\^\+",
        (
            *("zucchet:2", "zucchet:88", "zucchet:89", "zucchet:99", "zucchet:118"),
            *(
                "zucchet:120",
                "zucchet:121",
                "zucchet:146",
                "zucchet:160",
                "zucchet:fig15",
            ),
            *("zucchet:text:hessian-cartesian", "zucchet:text:bias-sensitivity"),
            *("zucchet:text:error-between-times", "zucchet:text:memory-terms"),
            *("zucchet:table1", "zucchet:table2", "zucchet:table3"),
            *("lru:text:footnotes", "lru:text:nu", "lru:text:best-unstable"),
            *("lru:text:edges", "rotrnn:9", "rotrnn:19", "rotrnn:def4"),
            "rotrnn:listing:theta",
        ),
    ),
    Convention(
        "input-index",
        "Index of the input",
        "Our recurrence is h_{t+1} = lambda h_t + x_{t+1}, so the newest input has weight "
        "one. A definition with x_t differs by a delay of one step and stands.",
        STANDS,
        "",
        r"index of the input is a convention",
        ("zucchet:8", "zucchet:17", "zucchet:113"),
    ),
    Convention(
        "zero-state",
        "State before the first input",
        "The state before the first input is zero in all four papers. A sum over inputs has "
        "no term of an earlier state and is judged from the zero state.",
        STANDS,
        "",
        r"state (before|after) the (first|last) (input|step)|starts? from (the )?zero|A\^t x_0",
        (
            *("zucchet:1", "zucchet:29", "zucchet:86", "lru:1", "blur:10"),
            *("rotrnn:2", "rotrnn:4", "rotrnn:8", "rotrnn:10", "rotrnn:12"),
            "rotrnn:listing:forward",
        ),
    ),
    Convention(
        "real-inputs",
        "Real inputs",
        "Inputs are real, as in Section 2.2 of Zucchet & Orvieto (2024). So the "
        "autocovariance R(Delta) = E[x_{t+Delta} conj(x_t)] is even, and the sign of the lag "
        "does not matter.",
        STANDS,
        "",
        r"[Ii]nputs are real|R_x is even",
        (
            *("zucchet:44", "zucchet:45", "zucchet:54", "zucchet:55", "zucchet:56"),
            "zucchet:text:stationary",
        ),
    ),
    Convention(
        "two-meanings",
        "A symbol with two meanings",
        "A symbol has the meaning that its sentence or its definition gives it, in every row.",
        STANDS,
        "",
        r"We read theta|as Eq\. 138 defines it",
        ("zucchet:140", "zucchet:147"),
    ),
    Convention(
        "repeated-misprint",
        "A misprint that another row reports",
        "A misprint is reported once, where it stands first. A sentence that refers to the "
        "misprinted equation, or repeats it, is judged with the correction. The report lists "
        "it under 'appears in'.",
        STANDS,
        "",
        r"reports the misprint",
        ("zucchet:lemma1", "zucchet:text:eq-6"),
    ),
    Convention(
        "fair-reading",
        "A hedge, an order, a bound or an exception",
        "A sentence is read with its hedges and with the exception that the next paragraph "
        "makes. A 1 beside Theta(1) is an order. A number that is said to be enough is the "
        "smallest such number.",
        STANDS,
        "",
        r"We read the 1|We read D|leaves open whether|makes the exception|"
        r"next paragraph requires|Read as about",
        (
            *("zucchet:text:optimal-slope", "blur:23", "rotrnn:text:surjectivity"),
            *(
                "lru:text:all-rows-disk",
                "lru:text:kernel-bump",
                "rotrnn:text:real-blocks",
            ),
            "zucchet:text:negligible-or-predominant",
        ),
    ),
    Convention(
        "definition",
        "A misprint in a definition",
        "A definition is never refuted. Where another line of the paper shows that a letter, "
        "an index or a size in it is misprinted, the row keeps its status and reports the "
        "misprint.",
        DEFINITION,
        "C",
        r"without an? index",
        (
            *("zucchet:27", "zucchet:28", "zucchet:116", "zucchet:117", "zucchet:139"),
            *("blur:13", "blur:def3.3", "blur:text:metrics"),
        ),
    ),
    # Conventions that several papers mix, and their consequences.
    Convention(
        "wirtinger",
        "Derivative with respect to a complex parameter",
        "The Wirtinger derivative d/dz = (d/d Re z - i d/d Im z)/2 has its factor 1/2. "
        "The chain rule to real parameters has no such factor. Equations with a half or a "
        "quarter too many or too few are wrong steps, whose end results are right.",
        REFUTED,
        "B",
        r"Wirtinger derivative dy|parameters? (is|are) real|omega is real|two halves in Eq|"
        r"entries are 4 times too large|derivatives of lambda are 1\.",
        (
            *("zucchet:80", "zucchet:81", "zucchet:82", "zucchet:83"),
            *(
                "zucchet:122",
                "zucchet:124",
                "zucchet:125",
                "zucchet:126",
                "zucchet:127",
            ),
            *(
                "zucchet:128",
                "zucchet:129",
                "zucchet:133",
                "zucchet:135",
                "zucchet:136",
            ),
            *("zucchet:137", "zucchet:138", "zucchet:141"),
            *("zucchet:148", "zucchet:149", "zucchet:150", "zucchet:151"),
            "zucchet:text:hessian-cartesian-slopes",
        ),
    ),
    Convention(
        "fourier",
        "Prefactor of the Fourier transform",
        "The forward transform has exp(-i omega t), with the angular frequency omega. We fix "
        "no prefactor. A statement that holds for one prefactor only is true under that "
        "condition.",
        CONDITIONAL,
        "D",
        r"transform has no factor",
        ("lru:10", "lru:14", "lru:15", "lru:text:pulse"),
    ),
    Convention(
        "fourier-mixed",
        "Two prefactors of the Fourier transform in one formula",
        "A formula that joins statements of two prefactors holds for neither.",
        REFUTED,
        "A",
        r"missing in every convention",
        ("lru:8", "lru:16", "lru:propE.1"),
    ),
    Convention(
        "hermitian",
        "Order of rows and columns of a complex Hessian",
        "A statement on the matrix that holds for another order of its rows is true under "
        "that condition.",
        CONDITIONAL,
        "D",
        r"rows taken by the conjugates",
        ("zucchet:text:hessian-hermitian",),
    ),
    Convention(
        "complex-variance",
        "Variance of a complex number",
        "The variance is E|z|^2, the sum of the variances of real and imaginary part.",
        REFUTED,
        "E",
        r"halves the variance",
        ("lru:text:factor-two",),
    ),
    # Errors in a formula.
    Convention(
        "index",
        "An index that is missing, exchanged or of another quantity",
        "An index that another line of the paper has right is a misprint.",
        REFUTED,
        "C",
        r"time indices|index b;|should be beta\^m|should be time t|should be nu\(omega_nu\)|"
        r"should be lambda_j|should be j\.",
        (
            *("zucchet:34", "zucchet:72", "zucchet:155", "zucchet:text:gate-indices"),
            *("zucchet:text:hessian-diagonal-states", "lru:21", "blur:16"),
        ),
    ),
    Convention(
        "index-step",
        "An index that is off in a step of a derivation",
        "The step is wrong, and what follows from it is right.",
        REFUTED,
        "B",
        r"should be x_\{-n\}|should be dL/dh",
        ("zucchet:53", "zucchet:78"),
    ),
    Convention(
        "letter",
        "One name for another",
        "A letter, a word or a function in place of one that another line of the paper has is "
        "a misprint.",
        REFUTED,
        "C",
        r"should be (GRU|G\.|exp|the sensitivity to the parameter|i theta|their inverses)",
        (
            *("zucchet:111", "zucchet:fig2b", "zucchet:text:lstm-or-gru"),
            *(
                "lru:text:phases",
                "blur:text:nonlinear-letter",
                "blur:text:reconstruction",
            ),
        ),
    ),
    Convention(
        "power",
        "A power or a factor that the next line has right",
        "A power or a factor that another line of the paper has right is a misprint.",
        REFUTED,
        "C",
        r"should be gamma\^2|its square root|cube of 1 - \|lam\|\^2, |lack a factor 1/i",
        (
            *("zucchet:57", "zucchet:92", "zucchet:text:ideal-gamma"),
            "lru:text:imaginary-part",
        ),
    ),
    Convention(
        "modulus",
        "A modulus or a real part that is missing where numbers are complex",
        "Bars and Re are ordinary characters, which our copies do not lose. Where the section "
        "has them elsewhere, their lack is a misprint.",
        REFUTED,
        "C",
        r"squared modulus\. The section|should be \|lambda\|\^2|should be its modulus|"
        r"should be Re\[",
        (
            *("zucchet:text:c1-unit-sensitivity", "zucchet:text:c1-lru-gain"),
            *("blur:text:radius", "lru:3"),
        ),
    ),
    Convention(
        "sum-range",
        "A sum that leaves out its newest or its oldest term",
        "The printed sum is a wrong step. Limits, or a second error, repair the results.",
        REFUTED,
        "B",
        r"drops? (the|its) (oldest|newest)|should be from lag 0|should be from 0 to t",
        (
            *("lru:4", "lru:31", "lru:32", "lru:38", "lru:text:diagonal-unrolled"),
            *("lru:text:unrolled-bound", "rotrnn:14", "rotrnn:text:lru-norm-sum"),
            "rotrnn:text:lru-norm-limit",
        ),
    ),
    Convention(
        "order-of-factors",
        "A row for a column, a transposed block",
        "The printed step is wrong, and what follows from it is right.",
        REFUTED,
        "B",
        r"exchanges row and column|block is transposed",
        ("zucchet:71", "lru:26"),
    ),
    Convention(
        "scale-of-norm",
        "A formula that is right only for a norm of one",
        "A lemma that names a general norm c and holds for c = 1 alone is wrong.",
        REFUTED,
        "A",
        r"should be c\b|agree only for c = 1|holds for c = 1 only|gives 1 for every c",
        (
            *("rotrnn:lemma3", "rotrnn:11", "rotrnn:text:trace"),
            "rotrnn:text:lemma3-last-step",
        ),
    ),
    Convention(
        "constant-norm",
        "A norm that is said to be constant from the zero state on",
        "From the zero state a squared norm is 1 - gamma^(2t) of its limit.",
        REFUTED,
        "A",
        r"squared norm is 0\.185|norm only converges to its limit",
        ("rotrnn:text:constant-norm", "rotrnn:text:stronger-guarantee"),
    ),
    Convention(
        "driven-state",
        "The power of an eigenvalue as the order of a driven state",
        "The power is the weight of the oldest input, not the order of the state. The "
        "condition for stability that follows is right.",
        REFUTED,
        "B",
        r"weight of the oldest input",
        (
            *("lru:text:stability-order", "blur:text:growth-forward"),
            "blur:text:growth-backward",
        ),
    ),
    # Unstated parts of a statement.
    Convention(
        "edge-spectrum",
        "An explosion at the stability boundary, whatever the input's spectrum",
        "The statement needs an input with power at the phase of the eigenvalue.",
        CONDITIONAL,
        "D",
        r"spectrum is positive at|has power at the frequency",
        (
            *("zucchet:text:state-diverges", "zucchet:text:sensitivity-diverges"),
            *("zucchet:text:faster", "zucchet:text:dominating-term"),
            *("zucchet:text:dominance", "zucchet:text:one-dimensional-other-inputs"),
        ),
    ),
    Convention(
        "largest-eigenvalue",
        "The largest eigenvalue for the largest in modulus",
        "The statement needs a Hessian whose largest eigenvalue is also the largest in "
        "modulus.",
        CONDITIONAL,
        "D",
        r"also the largest in modulus",
        ("zucchet:footnote2:lipschitz", "zucchet:text:hessian-lipschitz"),
    ),
    Convention(
        "eigenvectors",
        "Spectra of dense and diagonal networks, whatever the eigenvectors",
        "The statement needs orthonormal eigenvectors.",
        CONDITIONAL,
        "D",
        r"orthogonal eigenvectors of|eigenvectors of A are orthonormal",
        ("zucchet:fig4", "zucchet:text:hessian-spectra"),
    ),
    Convention(
        "open-comparison",
        "Tasks, a metric or a source that a comparison leaves open",
        "Some of the tasks, metrics or sources that the paper prints make the sentence true.",
        CONDITIONAL,
        "E",
        r"^on sC|^not for BLUR|^PathX, which|the paper is \[30\]|reproduction$|"
        r"^the error is the MSE|all five columns are|^the horizon is not",
        (
            *("lru:table7", "lru:text:stable-helps", "lru:text:thin-ring"),
            *("lru:text:without-losing", "lru:text:similar-benefits"),
            "blur:text:beats-transformers",
            *("blur:fig6", "blur:text:dropout", "blur:text:outperforms-all"),
            *("blur:text:outperforms-s5", "blur:text:s5-source"),
            *("blur:text:surpasses-s4", "blur:text:inference"),
        ),
    ),
    # Tables, numbers, citations.
    Convention(
        "table-sentence",
        "A sentence that the paper's own table contradicts",
        "A count, a rank or a number of the text is compared with the table that it names.",
        REFUTED,
        "E",
        r"psMNIST is a tie|have 98\.1 on psMNIST|87\.8 at the printed optimum|already has S4|"
        r"nineteen entries agree|equal entries: 78|count the depths",
        (
            *("lru:text:best-stable", "rotrnn:text:six-layers", "blur:table2"),
            *("blur:table7", "blur:text:outperforms-lru", "blur:text:superior"),
            *("blur:text:table12-sets", "blur:text:table3-table8"),
            "blur:text:spectrum",
        ),
    ),
    Convention(
        "citation",
        "A reference to another work than the one that is meant",
        "The paper cites the right work elsewhere, or the work's title shows the exchange.",
        REFUTED,
        "E",
        r"[Tt]he paper cites|cites \[|two references",
        (
            *("blur:text:brnn-citation", "blur:text:s5-citation"),
            *("blur:text:s4d-citation", "rotrnn:table1:lru-citation"),
        ),
    ),
    Convention(
        "impossible-entry",
        "A mean square error below the square of the mean absolute error",
        "No errors have such means, and averages of runs preserve this.",
        REFUTED,
        "E",
        r"violate it beyond rounding|count such entries",
        ("blur:text:jensen-lru", "blur:text:jensen-others"),
    ),
)


def of(claim_id: str) -> tuple[Convention, ...]:
    """Return the conventions that a row cites."""
    return tuple(one for one in CONVENTIONS if claim_id in one.rows)
