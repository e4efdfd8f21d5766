"""One small layer of the tables of measured moments, in the default run."""

import dataclasses

import numpy as np
import pytest

from sigprop.experiments import layer_moments
from sigprop.experiments.layer_moments import GROUPS, JUDGED, SMOKE
from sigprop.judge.verdict import Outcome

FAR = 5.0  # standard errors


@pytest.mark.parametrize("seed", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_a_small_layer_is_measured_as_predicted_and_judged_by_it(seed):
    config = dataclasses.replace(SMOKE, layers=("LRU",), seed=seed)
    dataset = layer_moments.run(config)
    assert dataset.sizes["layer"] == 1
    assert dataset["moment"].values.tolist() == [*JUDGED, *GROUPS]
    off = (dataset["measured"] - dataset["predicted"]) / dataset["sem"]
    assert float(np.abs(off).max()) < FAR
    assert float((dataset["sem"] / dataset["predicted"]).max()) < 0.06
    # The plan's spread: a mean of n sums with this variance, relative to their mean.
    judged = dataset.sel(moment=list(JUDGED), input="white").isel(layer=0)
    relative = (judged["sem"] / judged["measured"]).values ** 2
    planned = judged["variance"].values / int(judged["sequences"])
    np.testing.assert_allclose(relative, planned, rtol=0.35)
    for source in dataset["input"].values:
        for moment in JUDGED:
            verdict = layer_moments.verdict(dataset, "LRU", source, moment)
            assert verdict.outcome == Outcome.CONFIRMED
            wrong = dataset.assign(predicted=1.3 * dataset["predicted"])
            verdict = layer_moments.verdict(wrong, "LRU", source, moment)
            assert verdict.outcome == Outcome.REFUTED
