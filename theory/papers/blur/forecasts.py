"""BLUR (2025), Tables 3 and 8 to 13, and what the text says of them.

Errors themselves cannot be checked without the experiments; every relation between
printed numbers is.
"""

from theory.claims import Claim, Kind
from theory.papers.blur import tables
from theory.papers.blur.rows import fact


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return (*_counts(), *_errors())


def _counts() -> tuple[Claim, ...]:
    def count(table, printed, note=""):
        return fact(
            f"table{table}",
            f"Table {table}, " + ("Section 5" if table == 3 else "Appendix A.8"),
            "The line of counts",
            r"\text{Count: } " + ", ".join(map(str, printed)),
            lambda: tables.best(table),
            printed,
            kind=Kind.TABLE,
            topic="tables",
            absolute=0.5,
            note=note,
        )

    return (
        count(
            3,
            [18, 2, 0, 0],
            "Tasks at which a method has the least MAE. The caption has three data sets "
            "(four cases), the text four data sets; ETT has two of the three files.",
        ),
        count(
            8,
            [22, 1, 2, 0, 0, 0, 0],
            "Half of the best entries of both metrics, 21.5, 1 and 2.5, rounded to add up "
            "to the 25 tasks. In MAE alone it is 20, 2 and 3.",
        ),
        count(9, [19, 5, 0, 0, 0, 0, 0], "Half of the best entries: 19.5 and 4.5."),
        count(10, [14, 0, 6, 0], "Half of the best entries: 17 and 11 of BLUR."),
        count(
            11,
            [3, 2, 1, 0, 1, 0, 0],
            "Half of the best entries, ties included: 3.5, 2, 1, 0.5 and 1, rounded down. "
            "BLUR is best in MAE at two of seven tasks.",
        ),
        count(12, [15, 0, 0], "BLUR is best in every entry."),
        fact(
            "text:table12-sets",
            "Table 12, Appendix A.8",
            "Data sets of Table 12",
            r"\text{results on four datasets (five cases)}",
            lambda: len({data for data, _ in tables.errors(12)}),
            3,
            printed=5,
            topic="tables",
            correction=r"\text{three cases: ETTh1, ETTh2, ETTm1}",
            inherits="No.",
        ),
        fact(
            "text:table3-table8",
            "Table 3, Section 5, and Table 8, Appendix A.8",
            "Table 3 repeats the MAE of Table 8",
            r"\text{full results are in Appendix A.8: equal entries of 80}",
            lambda: tables.agreeing(3, 8),
            78,
            printed=80,
            topic="tables",
            correction=r"78",
            note="ETTh2 at 48, LRU: 0.275 against 0.539, of which the second cannot be, "
            "its square being above the MSE of 0.156. Weather at 24, S4: 0.384 against "
            "0.385.",
            inherits="No count changes.",
        ),
        fact(
            "table13",
            "Table 13, Appendix A.8",
            "BLUR against Mamba models on ETTm1, and Tables 8 and 11",
            r"\text{BLUR performs better than all Mamba types of models: least MSE, least "
            r"MAE}",
            lambda: [
                *(min(row[i] for row in tables.TABLE_13.values()) for i in (0, 1)),
                *tables.errors(8)["ETTm1", 96]["BLUR"],
                *tables.errors(11)["ETTm1", 96]["S-Mamba"],
            ],
            [*tables.TABLE_13["BLUR"] * 2, *tables.TABLE_13["S-Mamba"]],
            kind=Kind.TABLE,
            topic="tables",
            note="BLUR's MSE is half of the next, its MAE 3 per cent below. The entries "
            "agree with Tables 8 and 11.",
        ),
    )


def _errors() -> tuple[Claim, ...]:
    everything = (8, 9, 10, 11)
    return (
        fact(
            "text:jensen-lru",
            "Table 8, Appendix A.8",
            "Entries of the LRU that cannot be",
            r"\text{MSE and MAE of one set of errors: entries with } MAE^2 > MSE: \; 0",
            lambda: sum(method == "LRU" for *_, method in tables.impossible(8)),
            2,
            printed=0,
            topic="tables",
            code="theory.papers.blur.tables.impossible",
            correction=r"\text{ETTh2 at 48: } 0.539^2 > 0.156; \text{ at 720: } 2.050^2 > "
            r"2.949",
            note="Rounding is allowed for. The LRU is this paper's own run; the second "
            "MAE stands in Table 3 as well.",
            inherits="The improvement of BLUR over the LRU at these tasks.",
        ),
        fact(
            "text:jensen-others",
            "Tables 8 to 12, Appendix A.8",
            "Entries of other methods that cannot be",
            r"\text{entries of other methods with } MAE^2 > MSE \text{ in Tables 8 to 12: "
            r"} [0, 0, 0, 0, 0]",
            lambda: [
                sum(method != "LRU" for *_, method in tables.impossible(table))
                for table in (8, 9, 10, 11, 12)
            ],
            [5, 5, 0, 1, 0],
            printed=[0, 0, 0, 0, 0],
            topic="tables",
            code="theory.papers.blur.tables.impossible",
            correction=r"[5, 5, 0, 1, 0]",
            note="LogTrans three times, Reformer twice, LSTnet five times, PatchTST once. "
            "They are quoted results, so the fault may be their source's.",
            inherits="Comparisons with these baselines.",
        ),
        fact(
            "text:lru-surpasses",
            "Section 5, on Table 3",
            "The LRU against S4 and Informer",
            r"\text{LRU itself also surpasses S4 and Informer in most scenarios: of 20}",
            lambda: tables.beats("LRU", ("S4", "Informer"), 3),
            17,
            topic="tables",
            note="Not on ETTh1 at 720, nor on ETTh2 at 336 and 720.",
        ),
        fact(
            "text:outperforms-all",
            "Appendix A.8, on Tables 8 to 11",
            "BLUR against all baselines of four tables",
            r"\text{Tables 8 - 11 still show that BLUR significantly outperforms other "
            r"baseline methods: of 25 tasks in MSE and MAE } [25, 25]",
            lambda: [tables.overall(metric, everything) for metric in (0, 1)],
            [18, 11],
            printed=[25, 25],
            topic="tables",
            correction=r"[18, 11]",
            note="Some baseline is better at 7 tasks in MSE and at 14 in MAE, among them "
            "all of Electricity but one and the long horizons of ETTh2, where Autoformer "
            "has less than half of BLUR's MSE at 168 and 336.",
            inherits="The conclusion that BLUR is superior on time series.",
        ),
        fact(
            "text:mamba-horizons",
            "Appendix A.8, on Tables 11 and 13",
            "BLUR against S-Mamba at long horizons",
            r"\text{BLUR is better when the horizon is short to medium: wins in MSE of 6 "
            r"tasks at 336 and 720}",
            lambda: sum(
                row["BLUR"].mse < row["S-Mamba"].mse
                for (_, horizon), row in tables.errors(11).items()
                if horizon > 96
            ),
            5,
            topic="tables",
            note="In MSE it is better at long horizons too, except on ETTh2 at 336; in MAE "
            "it is worse at five of the six.",
        ),
    )
