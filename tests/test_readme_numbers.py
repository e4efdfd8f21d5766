"""Numbers that the README quotes are those of the results that are tracked."""

from pathlib import Path

import numpy as np

from sigprop.experiments import store

WORDS = " ".join((Path(__file__).parents[1] / "README.md").read_text("utf-8").split())


def test_quoted_verdicts_are_those_of_the_stored_seeds():
    (file,) = store.SHIPPED.glob("fresh_seeds-*.nc")
    result = store.read(file)
    count = int(result["comparisons"].sum())
    assert int(result["wrong"].sum()) == 0
    number = f"{count:,}".replace(",", " ")
    assert f"In {number} repeated verdicts at other seeds, none was wrong" in WORDS


def test_quoted_worth_of_advice_is_the_stored_one():
    advised = store.shipped("advice").sel(contrast="advised")
    words = advised["word"].to_series()
    better = np.exp(advised["mean"].to_series())[words == "better"]
    same = int((words == "no difference shown").sum())
    assert len(words) == len(better) + same
    assert (
        f"On {len(better)} of {len(words)} tasks the final loss was {better.min():.2f} to "
        f"{better.max():.2f} times the default's; on the other {same} there was no clear "
        "difference" in WORDS
    )
