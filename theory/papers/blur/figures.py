"""BLUR (2025), Figures 1 to 15."""

from theory.rows import Part

# By figure: data, horizon, the last step that the text names, rows of the test split.
TEST_DATA = {
    9: ("ETTh1", 24, 1800, 2880),
    10: ("ETTh2", 24, 1500, 2880),
    11: ("ETTm1", 24, 11000, 11520),
    12: ("Weather", 24, 5000, 7012),
    13: ("Electricity", 48, 3500, 5260),
}

part = Part("", "experiments", "theory.papers.blur.printed.errors")
unseen = part.at("", "experiments", "sigprop.layers.blur.BLUR")
models = part.at("", "models")

unseen.row("blur:fig1", "figure", "not-checkable", "Figure 1, Section 1")(
    "Parameters against the error on ETTm1",
    r"\text{number of parameters against the MSE on ETTm1, horizon 96}",
    reason="Our copy has the caption, not the picture.",
    note="The tables give the error of BLUR as 0.150; no parameter count is printed "
    "anywhere.",
)
models.row("blur:fig2", "figure", "definition", "Figure 2, Section 3")(
    "The network: encoders, blocks, merge, nonlinearity, normalisation, pooling",
    r"\text{a stack of bidirectional LRU blocks; all projections keep the hidden "
    r"dimension}",
    code="sigprop.networks.presets.blur_paper",
    note="The caption's dimensions are those of Eq. 13 only with n = s.",
)
models.row("blur:fig3", "figure", "definition", "Figure 3, Section 4.1")(
    "The layer: two recurrences, a merge C, a nonlinearity",
    r"\Lambda_1, \Lambda_2 \text{ diagonal, fusion by } C",
    code="sigprop.layers.blur.BLUR",
    note="The figure's letters are not the text's: Lambda_f, Lambda_b, and H for the "
    "merge; C is the skip in Eq. 13.",
)
part.row("blur:fig4", "figure", "confirmed", "Figure 4, Section 5")(
    "BLUR at long horizons on Weather and ETTh1",
    r"\text{Weather and ETTh1, 336 and 720: BLUR has the least MSE}",
    note="By the numbers of Table 11. In MAE, BLUR is behind on Weather at both horizons "
    "and on ETTh1 at 720; the panels show MSE. On ETTh2, not shown, it is behind in both.",
)
part.row("blur:fig5", "figure", "refuted", "Figure 5 and its text, Section 5")(
    "What Figure 5 shows",
    r"\text{the text: outputs of ETTm1 with the horizon of 24}",
    correction=r"\text{the caption: Weather with a horizon of 24}",
    note="One of the two is wrong; which cannot be seen in our copy.",
    inherits="No.",
)
part.row("blur:fig6", "figure", "refuted", "Figure 6, Section 5")(
    "The error is said to grow with the horizon",
    r"\text{ETTh1: MAE will increase if the horizon enlarges: least and "
    r"greatest sign of the steps } [1, 1]",
    correction=r"\text{BLUR: } 0.300, 0.484, 0.508, 0.336, 0.536",
    note="From 168 to 336 hours the error of BLUR falls by a third, as does its MSE, from "
    "0.397 to 0.247, below that at 48 hours. That of the LRU grows. The times are in the "
    "picture.",
    inherits="No.",
)
part.row("blur:fig7", "figure", "refuted", "Figure 7, Section 5")(
    "BLUR against six methods on ETTm1",
    r"\text{BLUR still surpasses baselines, MSE and MAE, at all five horizons}",
    correction=r"\text{in MSE at all five, in MAE at three of five}",
    note="In MAE the LRU and the Autoformer are better at 288, the Autoformer and others "
    "not of the figure at 672. By Tables 8, 9, 10 and 12.",
    inherits="No.",
)
part.row("blur:fig8", "figure", "confirmed", "Figure 8, Appendix A.8")(
    "Equal lengths of input and output",
    r"\text{the input and output lengths are all set equal: test windows of ETTh1}",
    note="The number of test windows does not depend on the input's length.",
)
part.row("blur:text:setting", "text", "refuted", "Appendix A.8, on Figure 8")(
    "Input lengths of the setting that is followed",
    r"\text{to comply with their setting [5], input and output lengths are equal: "
    r"inputs on ETTh1 } 24, 48, 168, 336, 720",
    correction=r"48, 96, 168, 168, 336 \text{ in the public scripts of [5]}",
    note="Equal lengths are a choice of this paper; only 168 is the same.",
    inherits="Baselines quoted from [5] saw other inputs than BLUR.",
)
for number, (data, horizon, step, rows) in TEST_DATA.items():
    part.row(
        f"blur:fig{number}", "figure", "confirmed", f"Figure {number}, Appendix A.8"
    )(
        f"Full test data of {data}",
        rf"\text{{{data}, horizon {horizon}: the steps of interest reach to {step}}}",
        note=f"The test split has {rows} rows. What the curves show is not in our copy.",
    )
unseen.row("blur:fig14", "figure", "not-checkable", "Figure 14, Appendix A.8")(
    "Training time on sequential CIFAR",
    r"\text{BLUR is about 3 times faster than S4 and S5}",
    reason="A wall-clock measurement on an unnamed machine; our copy has no numbers.",
)
unseen.row("blur:fig15", "figure", "not-checkable", "Figure 15, Appendix A.8")(
    "Training time on ETTh1",
    r"\text{BLUR is about 72 times faster than Informer}",
    reason="A wall-clock measurement on an unnamed machine, of programs in two "
    "frameworks, as the paper says; our copy has no numbers.",
)
unseen.row("blur:text:marginal", "text", "not-checkable", "Sections 1 and 4.1")(
    "The extra time of the second direction",
    r"\text{the increase in computational time is marginal}",
    reason="The times are in figures alone. The recurrence and its projections are done "
    "twice.",
)
unseen.row("blur:text:runs", "text", "not-checkable", "Section 5")(
    "Five runs",
    r"\text{all results are the average based on five random runs}",
    reason="No spread is printed and the experiments are not repeated here.",
)
