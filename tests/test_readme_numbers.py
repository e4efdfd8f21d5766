"""Numbers that README and CHANGELOG quote are those of the tracked results."""

from pathlib import Path

import numpy as np

from sigprop.experiments import speed_layers, store
from sigprop.experiments.advised import gathering, rule

ROOT = Path(__file__).parents[1]
WORDS, CHANGES = (
    " ".join((ROOT / name).read_text("utf-8").split())
    for name in ("README.md", "CHANGELOG.md")
)


def test_quoted_verdicts_are_those_of_the_stored_seeds():
    (file,) = store.SHIPPED.glob("fresh_seeds-*.nc")
    result = store.read(file)
    count = int(result["comparisons"].sum())
    assert int(result["wrong"].sum()) == 0
    number = f"{count:,}".replace(",", " ")
    assert (
        f"with other random seeds. None of these {number} verdicts was wrong" in WORDS
    )


def test_quoted_worth_of_advice_is_the_stored_one():
    advised = store.shipped("advice").sel(contrast="advised")
    verdicts = advised["word"].to_series()
    better = np.exp(advised["mean"].to_series())[verdicts == "better"]
    same = int((verdicts == "no difference shown").sum())
    assert len(verdicts) == len(better) + same
    assert (
        f"On {len(better)} of {len(verdicts)} tasks the final loss was {better.min():.2f} to "
        f"{better.max():.2f} times the default's; on the other {same} there was no clear "
        "difference" in WORDS
    )
    assert f"final loss on {len(better)} of {len(verdicts)} tasks" in CHANGES


def test_quoted_speeds_are_the_stored_ones():
    moments, layers = store.shipped("speed_moments"), store.shipped("speed_layers")
    assert (moments.attrs["cores"], layers.attrs["cores"]) == (2, 2)
    rates = moments["rate"]
    faster = float(rates.sel(way="kernel") / rates.sel(way="associative"))
    assert (
        f"On two cores the simulation of second moments is {faster:.0f} times"
        in CHANGES
    )
    costs = speed_layers.ratios(layers).sel(length=2048)
    for way, name in (
        ("scan", "a plain `lax.scan`"),
        ("usual", "usual associative scan"),
    ):
        time, memory = (float(costs.sel(way=way)[c]) for c in ("seconds", "memory"))
        sentence = (
            f"{name} takes {time:.1f} times the time and {memory:.1f} times the memory"
        )
        assert sentence in CHANGES


def test_quoted_harm_of_phases_and_rates_is_the_stored_one():
    phases = store.shipped("advice_phases")
    ways = gathering.pairs(phases, "correlated", ("advised-input", "advised"))
    compared = rule.compare(*(way["final_loss"].values for way in ways))
    assert compared.verdict == "worse"
    assert f"ends with {np.exp(compared.mean):.0f} times the loss of phases" in CHANGES
    rates = store.shipped("advice_rates").sel(contrast="rates")["word"]
    assert int((rates == "better").sum()) == 0
    harmed = int((rates == "worse").sum())
    assert f"helped on none of {rates.size} tasks and harmed on {harmed}" in CHANGES
