"""RotRNN (2024), tables and statements of the text about them."""

from sigprop.theory.errata import Erratum
from sigprop.theory.rows import Part

part = Part("", "tables", "sigprop.theory.papers.rotrnn.printed.TABLE_1")

part.row(
    "rotrnn:table1",
    "table",
    "confirmed",
    "Averages over the six tasks",
    r"\text{Avg.} = \frac{1}{6}\sum_{i=1}^6 \text{accuracy}_i: \ 86.5, 84.9, 87.3, "
    r"87.8, 86.3, 84.1, 84.8",
    where="Table 1",
    note="All seven averages are right.",
)
part.row(
    "rotrnn:table1:lru-citation",
    "table",
    "refuted",
    "The reference for the LRU",
    r"\text{LRU (Axler, 2024)}",
    where="Table 1, row LRU",
    correction=r"\text{LRU (Orvieto et al., 2023)}",
    note="The paper cites Axler (2024); it should be Orvieto et al. The numbers of the "
    "row are theirs: rotrnn:table1:lru-paper.",
    erratum=Erratum("E", bearing="No later result is affected: the numbers are right."),
    code="sigprop.theory.papers.rotrnn.printed.CITED_FOR_LRU",
)
part.row(
    "rotrnn:text:tasks",
    "text",
    "confirmed",
    "Number and lengths of the tasks",
    r"\text{6 tasks with sequence lengths between 1K and 16K}",
    where="Section 5.1",
)
part.row(
    "rotrnn:text:best-text",
    "text",
    "confirmed",
    "RotRNN has the best accuracy of all models on the task Text",
    r"\text{achieving the highest score of all the baselines in the IMDB classification task "
    r"(Text)}",
    where="Section 5.1",
    note="RotRNN is 0.2 points above the LRU, with one run each.",
)
part.row(
    "rotrnn:text:discrete",
    "text",
    "confirmed",
    "RotRNN is better on tasks with discrete inputs",
    r"\text{our model performs best on domains with more discrete input data, such as "
    r"ListOps, Text and Retrieval}",
    where="Section 5.1",
    note="As a comparison of places: first in Text, third in ListOps and fourth, "
    "level with the LRU, in Retrieval; sixth or last of seven in the others. It is "
    "not the best of the table in ListOps or Retrieval.",
)
part.row(
    "rotrnn:text:pixels",
    "text",
    "confirmed",
    "RotRNN is worse on tasks with pixels",
    r"\text{falls short of some of the baselines on the pixel-level image tasks, such as "
    r"Path-X and Cifar}",
    where="Section 5.1",
    note="RotRNN is behind all six methods on Path-X. On Image it is behind all but "
    "the authors' own reproduction of the LRU.",
)
part.row(
    "rotrnn:text:competitive",
    "text",
    "not-checkable",
    "Competitive with the state of the art",
    r"\text{performs competitively with state-of-the-art linear recurrent models}",
    where="Abstract, Sections 1, 5 and 7",
    note="By the average of Table 1 it is sixth of seven, 3.0 below the best and 0.7 "
    "above the authors' reproduction of the LRU, which is 2.2 below the LRU's own "
    "paper.",
    reason="The word has no threshold, and the accuracies need the trained models.",
)
part.row(
    "rotrnn:table1:lru-paper",
    "table",
    "confirmed",
    "The LRU's accuracies, as in its paper",
    r"\text{baselines as in their respective citations, LRU: } 60.2, 89.4, 89.9, 89.0, "
    r"95.1, 94.2",
    where="Table 1, row LRU",
    note="All six agree with Table 3 of Orvieto et al. (2023).",
)
part.row(
    "rotrnn:table1:s4d",
    "table",
    "not-checkable",
    "The accuracies of S4D and S5, as in their citations",
    r"\text{S4D: } 60.5, 86.2, 89.5, 88.2, 93.1, 92.0, \quad \text{S5: } 62.2, 89.3, "
    r"91.4, 90.1, 95.3, 98.6",
    where="Table 1, rows S4D and S5",
    note="S5 agrees with the copy in the LRU's Table 3. That table's image column is "
    "colour sCIFAR (its Appendix D.4), so its 89.9 for S4D-LegS does not contradict "
    "88.2 on Image. 91.9 for 92.0 on Path-X may be rounding.",
    reason="The cited papers are not among the four.",
)
part.row(
    "rotrnn:table1:blur",
    "table",
    "not-checkable",
    "The accuracies of S4, as in its citation",
    r"\text{S4: } 59.6, 86.8, 90.9, 91.1, 94.2, 96.4",
    where="Table 1, row S4",
    note="It agrees with the copy in the LRU's Table 3, where 91.1 stands in the column "
    "of colour sCIFAR. BLUR has five of these numbers, two of them under other "
    "names of tasks: blur:text:smnist-columns.",
    reason="The cited paper is not among the four.",
)
part.row(
    "rotrnn:table1:liquid",
    "table",
    "not-checkable",
    "The accuracies of Liquid-S4, as in its citation",
    r"\text{Liquid-S4 has the accuracies } 62.8, 89.0, 91.2, 89.5, 94.8, 96.7 \text{ in "
    r"its own paper}",
    where="Table 1, row Liquid-S4",
    reason="The cited paper is not among the four, and none of them copies its numbers.",
)
part.row(
    "rotrnn:table1:own",
    "table",
    "not-checkable",
    "The accuracies of the authors' own runs",
    r"\text{The LRU, trained again, has the accuracies } 57.9, 89.4, 89.4, 85.2, 90.0, "
    r"92.8 \text{ and RotRNN } 61.1, 89.6, 89.9, 85.9, 93.0, 89.2",
    where="Table 1, rows LRU (Our Reprod.) and RotRNN",
    reason="The trained networks, their code and the numbers of runs are not published.",
    note="The reproduction of the LRU is level with the LRU's own paper on Text and "
    "below it on the other five tasks, by 0.5 to 5.1 points.",
)
part.row(
    "rotrnn:text:standard-training",
    "text",
    "not-checkable",
    "The standard training procedures of the benchmark",
    r"\text{The trainings follow the standard procedures of Gu et al. (2021)}",
    where="caption of Table 1",
    reason="The cited paper is not among the four.",
    code="sigprop.theory.papers.rotrnn.printed.TABLE_3",
    note="Table 3 has a learning rate of the recurrent layer beside the global one. On "
    "ListOps and Text the two are equal.",
)
part.row(
    "rotrnn:table2:baselines",
    "table",
    "not-checkable",
    "Parameters and accuracies of the baselines on Speech Commands",
    r"\text{S4, S4D, Liquid-S4 and S5 have 307K, 306K, 224K and 280K parameters and the "
    r"accuracies } 96.1, 95.8, 96.8, 96.8 \text{ in their own papers}",
    where="Table 2",
    reason="The cited papers are not among the four, and none of the four has this task.",
    code="sigprop.theory.papers.rotrnn.printed.TABLE_2",
)
part.row(
    "rotrnn:text:words",
    "text",
    "not-checkable",
    "Words of the dataset Speech Commands",
    r"\text{Speech Commands has waveforms of 35 spoken English words}",
    where="Section 5.2 and the caption of Table 2",
    reason="The dataset is not at hand.",
    code="sigprop.networks.presets.rotrnn_paper",
    note="The preset of the task takes the number from this sentence.",
)
part.row(
    "rotrnn:text:very-competitive",
    "text",
    "not-checkable",
    "RotRNN beside deep state space models on Speech Commands",
    r"\text{RotRNN remains very competitive with other, more theoretically complex deep "
    r"state space models}",
    where="Section 5.2",
    reason="The word has no threshold, and complexity of a theory has no measure.",
    code="sigprop.theory.papers.rotrnn.printed.TABLE_2",
    note="Table 2 has RotRNN below all four state space models, by 0.6 to 1.6 points.",
)
part.row(
    "rotrnn:table2",
    "table",
    "not-checkable",
    "Parameters of the network for Speech Commands",
    r"\text{RotRNN: 284K parameters}",
    where="Table 2, row RotRNN",
    note="With the settings of Table 3 and one direction, as Appendix B.2 has it for this "
    "task, networks count 156K, 212K or 268K with no, one or two maps in the gated unit; "
    "with two directions and one map 286K, or 284K if of M only the free entries of M - "
    "M^T count. In our copy S5's accuracy reads 9 6.8.",
    reason="The paper does not give the whole network, and Figure 1 is not in our copy.",
    code="sigprop.networks.presets.rotrnn_paper",
)
part.row(
    "rotrnn:text:identical",
    "text",
    "confirmed",
    "As good as the LRU, with as many parameters",
    r"\text{performs identically well to the LRU, with a similar number of parameters}",
    where="Section 5.2",
    note="Judged are the accuracies, both 95.2, the lowest of the table and 1.6 below "
    "the best; 284K and 283K parameters are reported without a verdict on 'similar', as "
    "in rotrnn:text:similar-parameters. The LRU is the authors' own run.",
)
part.row(
    "rotrnn:text:similar-parameters",
    "text",
    "not-checkable",
    "Parameters compared with those of the baselines",
    r"\text{the total number of parameters is very similar to the baseline models}",
    where="Appendix B.2",
    reason="Similar has no threshold, and no direction.",
    note="The sentence is on all tasks, and counts are printed for one. By Table 2 RotRNN "
    "has 7.5 and 7.2 % fewer than S4 and S4D, 0.4 and 1.4 % more than the LRU and S5, and "
    "27 % more than Liquid-S4.",
)
part.row(
    "rotrnn:text:waveforms",
    "text",
    "confirmed",
    "Length of the waveforms",
    r"\text{1 s sampled at 16 kHz: length 16,000}",
    where="Section 5.2 and the head of Table 2",
)
part.row(
    "rotrnn:text:directions",
    "definition",
    "definition",
    "Layers of one and of two directions, and their normalisation",
    r"\text{Pathfinder and Path-X have bidirectional layers and the other tasks "
    r"unidirectional ones; all have batch normalisation}",
    where="Appendix B.2",
    note="The text against the presets of the seven tasks.",
    code="sigprop.networks.presets.rotrnn_paper",
)
part.row(
    "rotrnn:text:sweeps",
    "text",
    "not-checkable",
    "How the settings were tuned",
    r"\text{The ranges of } \gamma \text{ and } \theta \text{ and the learning rate were "
    r"grid-searched for ListOps, Text, Retrieval, Image and Speech Commands, and tuned by "
    r"hand for Pathfinder and Path-X}",
    where="Appendix B.2",
    reason="Neither the grids nor the results of the searches are printed.",
    code="sigprop.theory.papers.rotrnn.printed.TABLE_3",
    note="Together these are the seven tasks of Table 3. The best range of gamma starts "
    "at four values, 0.1, 0.5, 0.99 and 0.999.",
)
part.row(
    "rotrnn:text:literature",
    "text",
    "not-checkable",
    "Where the initial settings come from",
    r"\text{The initial hyperparameters are those of the literature on linear recurrent "
    r"networks and state space models}",
    where="Appendix B.2",
    reason="The sentence names no source, and Table 3 has the settings after the search.",
    code="sigprop.theory.papers.rotrnn.printed.TABLE_3",
    note="Compared with Table 9 of the LRU's paper, six tasks: D agrees on five (192 for "
    "128 on Path-X), N on six, the batch on five (32 for 64 on Retrieval), the iterations "
    "on four (50k for 100k on Retrieval, 250k for 180k on Image), the weight decay on "
    "three, the dropout on four.",
)
part.row(
    "rotrnn:table3:training",
    "table",
    "not-checkable",
    "Learning rates, batches, weight decays and iterations",
    r"\text{The trainings of Table 3 have a global and a recurrent learning rate, a batch "
    r"size, a weight decay and a number of iterations}",
    where="Table 3, columns GLR, LR, B, WD and Iters",
    reason="They set trainings whose code and results are not published.",
    code="sigprop.theory.papers.rotrnn.printed.TABLE_3",
    note="The recurrent rate is the smaller one on five of the seven tasks, by a factor of "
    "4.5 to 10, and equal to the global rate on ListOps and Text.",
)
part.row(
    "rotrnn:table3:ranges",
    "table",
    "confirmed",
    "Initial ranges within the domains of the decays and the angles",
    r"\text{The ranges of Table 3 lie in the domains of Eq. 6 and Section 3.2: } "
    r"\gamma_{\text{init}} \subset (0, 1), \ \theta_{\text{init}} \subset [0, 2\pi]",
    where="Table 3, columns gamma_init and theta_init",
    code="sigprop.networks.presets.ROTRNN_ROWS",
    note="The longest time constant at the start, 1/(1 - gamma_max), is 5 steps for "
    "Text, whose inputs have 4096 steps. It is 1000 for ListOps, Retrieval and Image, "
    "and 10,000 for the other three tasks.",
)
part.row(
    "rotrnn:table3",
    "table",
    "confirmed",
    "Heads of even size in every task",
    r"H = 32, \quad \mathcal{D}_h = \frac{N}{H}: \ 8, 6, 8, 12, 8, 8, 4",
    where="Table 3 and Appendix B.2",
    note="No claim of the paper but a check that its settings fit Eq. 19: every N is a "
    "multiple of 64, so that each head has whole planes.",
    code="sigprop.networks.presets.ROTRNN_ROWS",
)
part.row(
    "rotrnn:table3:values",
    "definition",
    "definition",
    "Sizes, dropout and ranges of the presets",
    r"D, N, \text{Drop.}, \gamma_{\text{init}}, \theta_{\text{init}}",
    where="Table 3",
    note="The table against the presets. Learning rates, batches, weight decays and "
    "iterations belong to training, not to the network.",
    code="sigprop.networks.presets.ROTRNN_ROWS",
)
