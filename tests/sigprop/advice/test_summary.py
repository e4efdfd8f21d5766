"""Advice as it is shown: each cell and each number of a sentence stands for its own."""

import dataclasses
import math

import numpy as np
import pytest

from sigprop.advice import summary
from sigprop.advice.advise import Advice
from sigprop.advice.predictions import Predicted
from sigprop.audit.autocovariance import Exponentials
from tests.shown import columns

INPUT = Exponentials(np.array([0.25, 0.75]), np.array([0.5, 0.75]))
DEFAULT = Predicted(
    time_constant=np.array([2.0, 7.0, 40.0, 3.0]),
    phase=np.array([0.1, 0.2, 0.3, 0.4]),
    state=np.array([0.25, 1.5, 5.0, 1.0]),
    gradient={"nu_log": 11.0, "B": 12.0},
    largest_rate={"nu_log": 0.5, "B": 0.13, "D": math.inf},
    exact=True,
)
ADVISED = Predicted(
    time_constant=np.array([4.0, 9.0, 60.0, 6.0]),
    phase=np.array([0.5, 0.6, 0.7, 0.8]),
    state=np.array([0.8, 0.9, 1.2, 1.0]),
    gradient={"nu_log": 21.0, "B": 22.0},
    largest_rate={"nu_log": 0.23, "B": 0.24, "D": math.inf},
    exact=True,
)
GIVEN = Advice(
    layer="lru",
    length=300,
    memory=250.0,
    state=16,
    spectrum=INPUT,
    phase=0.45,
    phases="spread",
    options={"r_max": 0.9, "max_phase": (0.45, 3.1)},
    default=DEFAULT,
    advised=ADVISED,
    code={"ours": "lru(...)"},
    note="train D faster",
)
GATED = dataclasses.replace(
    GIVEN,
    layer="rglru",
    options={},
    default=DEFAULT._replace(exact=False),
    advised=ADVISED._replace(exact=False),
)


def test_each_cell_of_the_table_is_the_number_of_its_row_and_start():
    shown = [tuple(row.values()) for row in columns(summary.table(GIVEN))]
    assert [*columns(summary.table(GIVEN))[0]] == [
        "quantity",
        "of",
        "default",
        "advised",
    ]
    assert shown == [
        ("time constant", "least", "2", "4"),
        ("", "median", "5", "7.5"),
        ("", "most", "40", "60"),
        ("E|h|^2", "least", "0.25", "0.8"),
        ("", "median", "1.25", "0.95"),
        ("", "most", "5", "1.2"),
        ("gradient", "nu_log", "11", "21"),
        ("", "B", "12", "22"),
        ("largest rate", "nu_log", "0.5", "0.23"),
        ("", "B", "0.13", "0.24"),
        ("", "D", "none", "none"),
    ]


def test_the_key_says_which_side_of_the_largest_rate_is_stable():
    """The largest stable rate of a Hessian; of gates only a bound from below."""
    exact, bound = (str(summary.table(advice).caption) for advice in (GIVEN, GATED))
    assert "plain gradient descent is unstable above this learning rate" in exact
    assert "plain gradient descent is stable below this learning rate" in bound


def test_each_number_of_a_sentence_is_of_what_the_sentence_says():
    reach, power, phases, sizes, rates, beside = summary.sentences(GIVEN)
    assert reach == (
        "For sequences of 300 steps, set time constants from 4 to 250 steps, evenly spaced "
        "in their logarithm. The longest default time constant is 40 steps."
    )
    assert power == (
        "95 % of the input's power lies below a frequency of 0.45 rad per step, a period "
        f"of {2 * math.pi / 0.45:.3g} steps."
    )
    assert phases == summary.REASONS["spread"]
    assert sizes == (
        "By default the largest E|h|^2 of a mode is 20 times the smallest. With the advice "
        "this ratio is 1.5."
    )
    assert rates == (
        "With the advice, nu_log limits plain gradient descent most, to a learning rate of "
        "0.23: train with Adam, or keep the rate below this value. By default B limits plain "
        "gradient descent most, to a rate of 0.13."
    )
    assert beside == "Note: train D faster."


def test_states_behind_gates_are_given_as_means_for_the_exponential_of_one_power():
    _, _, means, *_ = summary.sentences(GATED)
    # (1 + rho)/(1 - rho) is 3 and 7: their mean 6 is that of rho = 5/7.
    assert means == (
        "The mean E|h|^2 is 1.94 by default and 0.975 as advised. It is computed for inputs "
        "of autocovariance 0.714^|lag|, which have the variance and the low-frequency power "
        "of the input."
    )


@pytest.mark.parametrize(
    ("phases", "begins", "says"),
    [
        ("spread", "Training hardly changes", "half of the phases are sampled below"),
        ("input", "All phases are sampled below", "omit --phases input"),
        ("all", "All phases are sampled up to pi", "as --phases all asks."),
    ],
)
def test_the_reason_of_the_phases_is_that_of_the_choice(phases, begins, says):
    for option in ("max_phase", "theta_range"):
        advice = dataclasses.replace(GIVEN, phases=phases, options={option: 1})
        line = summary.sentences(advice)[2]
        assert line.startswith(begins)
        assert says in line
    # Layers whose phases are not drawn have no reason for them.
    without = dataclasses.replace(GIVEN, phases=phases, options={})
    assert len(summary.sentences(without)) == 5


def test_plain_data_and_data_to_draw_have_each_number_by_its_name():
    content = summary.as_json(GIVEN)
    numbers = {
        name: content[name] for name in ("layer", "length", "memory", "state", "note")
    }
    assert numbers == {
        "layer": "lru", "length": 300, "memory": 250.0, "state": 16,
        "note": "train D faster",
    }  # fmt: skip
    assert content["input"] == {
        "weights": [0.25, 0.75],
        "rho": [0.5, 0.75],
        "phase": 0.45,
    }
    assert (content["options"], content["code"]) == (GIVEN.options, GIVEN.code)
    assert content["starts"] == {
        "default": {
            "memory": {"least": 2, "median": 5, "most": 40},
            "state": {"least": 0.25, "median": 1.25, "most": 5},
            "gradient": {"nu_log": 11, "B": 12},
            "ceiling": {"nu_log": 0.5, "B": 0.13, "D": None},
        },
        "advised": {
            "memory": {"least": 4, "median": 7.5, "most": 60},
            "state": {"least": 0.8, "median": 0.95, "most": 1.2},
            "gradient": {"nu_log": 21, "B": 22},
            "ceiling": {"nu_log": 0.23, "B": 0.24, "D": None},
        },
    }
    data = summary.as_dataset(GIVEN)
    attributes = {"memory": "time_constant", "phase": "phase", "state": "state"}
    for name, attribute in attributes.items():
        for start, prediction in (("default", DEFAULT), ("advised", ADVISED)):
            assert data[name].sel(start=start).values.tolist() == [
                *getattr(prediction, attribute)
            ]
    assert data.attrs == {"length": 300, "memory": 250.0, "phase": 0.45, "gated": 0}
    assert summary.as_dataset(GATED).attrs["gated"] == 1
