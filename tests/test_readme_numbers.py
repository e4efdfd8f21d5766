"""Numbers that the README quotes are those of the results that are tracked."""

from pathlib import Path

import numpy as np

from sigprop.experiments import store
from sigprop.experiments.advised import gathering, rule

WORDS = " ".join((Path(__file__).parents[1] / "README.md").read_text("utf-8").split())


def test_quoted_words_are_those_of_the_stored_seeds():
    (file,) = store.SHIPPED.glob("fresh_seeds-*.nc")
    count = int(store.read(file)["comparisons"].sum())
    assert f"None of the {count:,} words".replace(",", " ") in WORDS


def test_quoted_speed_of_the_moments_is_the_stored_one():
    rates = store.shipped("speed_moments")["rate"]
    faster = float(rates.sel(way="kernel") / rates.sel(way="associative"))
    assert f"{faster:.0f} times as" in WORDS


def test_quoted_worth_of_advice_is_the_stored_one():
    advised = store.shipped("advice").sel(contrast="advised")
    words = advised["word"].to_series()
    better = np.exp(advised["mean"].to_series())[words == "better"]
    same = words[words == "no difference shown"].index.tolist()
    for part in (
        "of nine tasks",
        f"{len(better)} end with less loss than by default, {better.min():.2f} to "
        f"{better.max():.2f} times as much, and none with more",
        "no difference is shown on ListOps and two forecasts",
    ):
        assert part in WORDS, part
    assert len(words) == 9 == len(better) + len(same)
    assert sorted(same) == ["ETTh1", "WTH", "listops-short"]
    phases = store.shipped("advice_phases")
    ways = gathering.pairs(phases, "correlated", ("advised-input", "advised"))
    found = rule.compare(*(one["final_loss"].values for one in ways))
    assert found.word == "worse"
    assert f"correlated inputs ends with {np.exp(found.mean):.0f} times" in WORDS
    rates = store.shipped("advice_rates").sel(contrast="rates")["word"]
    helped = int((rates == "better").sum())
    assert helped == 0
    harmed = int((rates == "worse").sum())
    assert f"help on none of {rates.size} and harm on {harmed}" in WORDS
