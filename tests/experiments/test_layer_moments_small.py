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
    found = layer_moments.run(config)
    assert found.sizes["layer"] == 1
    assert found["moment"].values.tolist() == [*JUDGED, *GROUPS]
    off = (found["measured"] - found["predicted"]) / found["sem"]
    assert float(np.abs(off).max()) < FAR
    assert float((found["sem"] / found["predicted"]).max()) < 0.06
    # The plan's spread: a mean of n sums with this variance, relative to their mean.
    judged = found.sel(moment=list(JUDGED), input="white").isel(layer=0)
    relative = (judged["sem"] / judged["measured"]).values ** 2
    planned = judged["variance"].values / int(judged["sequences"])
    np.testing.assert_allclose(relative, planned, rtol=0.35)
    for source in found["input"].values:
        for moment in JUDGED:
            told = layer_moments.verdict(found, "LRU", source, moment)
            assert told.outcome == Outcome.CONFIRMED
            wrong = found.assign(predicted=1.3 * found["predicted"])
            told = layer_moments.verdict(wrong, "LRU", source, moment)
            assert told.outcome == Outcome.REFUTED
