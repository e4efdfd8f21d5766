"""The sections of the papers in order, with their figures and tables.

Numbers are those of the papers' text; titles are shortened where they are long.
"""

from typing import NamedTuple


class Section(NamedTuple):
    """A numbered section.

    Attributes:
        number: Number, as in ``Section 2.1`` or ``Appendix B``; empty before the first
            section.
        title: Title of the section.
        floats: Figures and tables whose rows name no section.
    """

    number: str
    title: str
    floats: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the reference and the title of a section."""
        if not self.number:
            return self.title
        kind = "Appendix" if self.number[0].isalpha() else "Section"
        return f"{kind} {self.number}: {self.title}"


_ABSTRACT = Section("", "Abstract")

OUTLINES: dict[str, tuple[Section, ...]] = {
    "zucchet": (
        _ABSTRACT,
        Section("1", "Vanishing and exploding gradients"),
        Section("2", "The curse of memory"),
        Section("2.1", "Intuition", ("figure 1",)),
        Section("2.2", "Signal propagation in diagonal networks"),
        Section("2.3", "The non-diagonal case"),
        Section("3", "Mitigating the curse of memory"),
        Section("3.1", "Normalization and reparametrization", ("figure 2",)),
        Section("3.2", "Architectures that alleviate the curse"),
        Section("4", "A linear teacher-student analysis"),
        Section("4.1", "The one-dimensional case"),
        Section("4.2", "Diagonal connectivity", ("figure 3",)),
        Section("4.3", "Adaptive learning rates", ("figure 4",)),
        Section("5", "Deep networks at initialization", ("figure 5",)),
        Section("6", "Conclusion"),
        Section("A", "The recurrent networks used"),
        Section("A.1", "Linear recurrent neural network"),
        Section("A.2", "Complex-valued RNN and LRU"),
        Section("A.3", "S4"),
        Section("A.4", "GRU"),
        Section("B", "Theory"),
        Section("B.1", "Useful lemmas"),
        Section("B.2", "Signal propagation"),
        Section("B.2.1", "Forward pass"),
        Section("B.2.2", "Backward pass"),
        Section("B.2.3", "Fully-connected networks"),
        Section("B.2.4", "Wide-sense stationarity"),
        Section("B.3", "Input normalization and parametrization"),
        Section("B.3.1", "Real case"),
        Section("B.3.2", "Parametrizing complex numbers"),
        Section("C", "Linear teacher-student task"),
        Section("C.1", "The 1D setting"),
        Section("C.1.1", "Calculation of the loss"),
        Section("C.1.2", "Optimal parametrization, uncorrelated inputs"),
        Section("C.1.3", "Visualization", ("figure 6",)),
        Section("C.1.4", "Learning the angle", ("figure 7",)),
        Section("C.2", "Structure of the Hessian at optimality"),
        Section("C.2.1", "Complex-valued variables"),
        Section("C.2.2", "Recurrent eigenvalues", ("figure 8",)),
        Section("C.2.3", "Different parametrizations"),
        Section("C.3", "Experimental details", ("table 1", "table 2", "table 3")),
        Section("C.4", "Additional analyses"),
        Section("C.4.1", "Landscapes of LRUs and S4", ("figure 9",)),
        Section("C.4.2", "Concentrating eigenvalues", ("figure 10",)),
        Section("C.4.3", "The number of heads", ("figure 11",)),
        Section("D", "Randomly initialized deep networks"),
        Section("D.1", "Experimental setup", ("figure 12", "figure 13")),
        Section("D.2", "Are gated RNNs diagonal?", ("figure 14",)),
        Section("D.3", "Does the theory apply to gated RNNs?", ("figure 15",)),
    ),
    "lru": (
        _ABSTRACT,
        Section("1", "Introduction", ("figure 1",)),
        Section("2", "Preliminaries"),
        Section("2.1", "Recurrent block structures"),
        Section("2.2", "Experimental setup"),
        Section("3", "Designing performant deep RNNs"),
        Section("3.1", "Linear RNN layers", ("table 1",)),
        Section("3.2", "Complex diagonal recurrent matrices"),
        Section("3.2.1", "Eigendecomposition"),
        Section(
            "3.2.2", "Learning in the diagonalized space", ("figure 2", "figure 3")
        ),
        Section("3.3", "Stable exponential parameterization", ("table 2",)),
        Section("3.4", "Long-range reasoning", ("table 3", "figure 4", "figure 5")),
        Section("4", "Insights on S4 and variants"),
        Section("5", "Conclusion"),
        Section("A", "Simplified implementation"),
        Section("B", "Related works"),
        Section("C", "Additional experimental results"),
        Section("C.1", "Training speedups", ("table 4",)),
        Section("C.2", "Stability and normalization", ("table 5",)),
        Section("C.3", "Expanded tables", ("table 6", "table 7", "table 8")),
        Section("D", "Detailed experimental setup"),
        Section("D.1", "Architecture"),
        Section("D.2", "General experimental details"),
        Section("D.3", "Hyperparameters", ("table 9",)),
        Section("D.4", "Tasks"),
        Section("E", "Theoretical insights"),
        Section("E.1", "Expressivity of linear RNN stacks"),
        Section("E.1.1", "Spectral perspective", ("figure 6",)),
        Section("E.1.2", "Koopman operator theory"),
        Section("E.2", "Optimization of recurrent blocks", ("figure 7", "figure 8")),
        Section("E.3", "Alternatives to complex numbers"),
        Section("F", "Proofs"),
        Section("F.1", "Proof of Lemma 3.2"),
        Section("F.2", "Proof of Proposition 3.3", ("figure 9",)),
    ),
    "rotrnn": (
        _ABSTRACT,
        Section("1", "Introduction"),
        Section("2", "Background"),
        Section("2.1", "State space models"),
        Section("2.2", "Linear recurrent units", ("figure 1",)),
        Section("2.3", "Drawbacks of prior works"),
        Section("3", "RotRNN"),
        Section("3.1", "Parameterising rotation matrices"),
        Section("3.2", "Efficient rotational recurrence", ("figure 2",)),
        Section("3.3", "Normalisation", ("lemma 3",)),
        Section("3.4", "Multi-head decay"),
        Section("4", "Analysis of RotRNN and prior work"),
        Section("4.1", "Linear recurrent units"),
        Section("4.2", "State space models"),
        Section("5", "Experiments"),
        Section("5.1", "Long Range Arena", ("figure 3", "table 1")),
        Section("5.2", "Raw speech classification", ("table 2",)),
        Section("6", "Related work"),
        Section("7", "Conclusions"),
        Section("A", "Proofs"),
        Section("A.1", "Proof of Lemma 1"),
        Section("A.2", "Proof of Lemma 2"),
        Section("B", "Details"),
        Section("B.1", "Rotation matrix multiplication"),
        Section("B.2", "Hyperparameters", ("table 3",)),
        Section("B.3", "Parameterising and initialising variables"),
        Section("C", "JAX implementation"),
    ),
    "blur": (
        _ABSTRACT,
        Section("1", "Introduction", ("figure 1", "table 1")),
        Section("2", "Related works"),
        Section("3", "Preliminaries", ("figure 2",)),
        Section("4", "BLUR"),
        Section("4.1", "Model architecture", ("figure 3",)),
        Section("4.2", "Theoretical analysis"),
        Section("5", "Numerical results", ("figure 4", "table 2", "table 3")),
        Section("6", "Conclusion"),
        Section("A.1", "References for the baselines", ("table 4",)),
        Section("A.2", "Additional related works"),
        Section("A.3", "Qualitative comparison", ("table 5",)),
        Section("A.4", "Proof for Theorem 4.1"),
        Section("A.5", "Architecture and hyperparameters", ("table 6",)),
        Section("A.6", "Datasets"),
        Section("A.7", "Parallel scan"),
        Section("A.8", "Additional results"),
    ),
}
