"""RotRNN (2024), Section 4.2: state space models of one and of many inputs."""

from sigprop.theory.rows import Part

part = Part("Section 4.2", "models", "sigprop.evidence.rotrnn.state_spaces")

part.row(
    "rotrnn:text:s4-stack",
    "identity",
    "confirmed",
    "S4 as a stack of systems of one input and one output, and a mixing layer",
    r"\text{A stack of systems } (A_i, b_i, c_i) \text{, one for each channel } u_i "
    r"\text{, mixed by } M \text{, is one system: } y_t = M \operatorname{diag}(c_i^\top) "
    r"\sum_{k=1}^t \operatorname{diag}(A_i^{t-k}) \operatorname{diag}(b_i)\, u_k",
    code="stack_as_one",
    assumes="the state before the first input is zero",
    note="The formula is ours; the paper has it in words. Each A_i, b_i and c_i is a "
    "block.",
)
part.row(
    "rotrnn:text:s5-mixes",
    "text",
    "confirmed",
    "A system of many inputs shares information across channels without a mixing layer",
    r"\text{S5, one system of many inputs and outputs, shares information across "
    r"dimensions without a mixing layer, unlike a stack of systems of one input and one "
    r"output}",
    code="channels_reached",
    note="The value is the number of pairs of an input and an output channel that "
    "interact: d^2 in one general system of d channels, d in the stack. S5 is read as a "
    "general system, as Eq. 1 has it.",
)
part.row(
    "rotrnn:text:independent-heads",
    "text",
    "confirmed",
    "Heads are independent recurrent layers that all read the whole input",
    r"\text{The heads of RotRNN are a stack of independent recurrent layers of many inputs, "
    r"of any number } H \text{ and any dimension } \mathcal{D}_h",
    code="couplings",
    note="The values are the numbers of entries of the derivatives of a state by the "
    "last state and by the input that are not zero: H D_h^2 and H D_h d for d inputs. "
    "The text places this between S4, d systems of one input each, and S5, H = 1.",
)
