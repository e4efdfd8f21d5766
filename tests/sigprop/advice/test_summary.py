"""Advice as it is shown: each cell and each number of a sentence stands for its own."""

import dataclasses
import math
import re

import numpy as np
import pytest

from sigprop.advice import summary
from sigprop.advice.advise import Advice, advise
from sigprop.advice.families import FAMILIES
from sigprop.advice.predictions import Predicted
from sigprop.advice.spectra import exponential
from sigprop.audit.autocovariance import Exponentials
from sigprop.experiments import store
from sigprop.experiments.advised.rule import BETTER, WORSE
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
    width=8,
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
    default=DEFAULT._replace(
        exact=False, state=np.array([0.5, 3.0]), sampled=np.array([3, 1])
    ),
    advised=ADVISED._replace(
        exact=False, state=np.array([0.75, 0.7]), sampled=np.array([0, 2])
    ),
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
    assert "a diagnostic of curvature; plain gradient descent" in exact
    assert "is unstable above." in exact
    assert "for one input and one output." in exact
    assert "of all states is stable below." in bound
    assert "summed over the states" in bound
    channel = str(summary.table(dataclasses.replace(GIVEN, layer="s4d")).caption)
    assert "one output, the channel with the median step." in channel


def test_the_heading_names_the_layer_of_all_numbers():
    assert summary.heading(GIVEN) == "lru: 16 complex states, 8 inputs and outputs"
    wide = dataclasses.replace(GIVEN, state=300)
    assert summary.heading(wide).endswith("; gradients and rates are for 256 states")
    mamba = dataclasses.replace(GIVEN, layer="mamba", width=300)
    assert summary.heading(mamba) == (
        "mamba: 300 inputs, expanded to 600 channels of 16 real states; all numbers below "
        "are for 512 channels"
    )


def test_each_number_of_a_sentence_is_of_what_the_sentence_says():
    reach, power, sizes, rates, beside = summary.sentences(GIVEN)
    assert reach == (
        "For sequences of 300 steps, the advice spreads time constants in their logarithm, "
        "up to 250 steps: here from 4 to 60. The longest default time constant is 40."
    )
    assert power == (
        "95 % of the input's power lies below a frequency of 0.45 rad per step, a period "
        f"of {2 * math.pi / 0.45:.3g} steps. {summary.REASONS['spread']}"
    )
    assert sizes == (
        "E|h|^2 lies between 0.25 and 5 by default and lies between 0.8 and 1.2 as advised."
    )
    assert rates == (
        "Curvature: plain gradient descent is unstable above a rate of 0.23 for nu_log as "
        "advised, and of 0.13 for B by default. This is no advice: Adam's rates, lowered by "
        "the root of their ratio, helped on 0 of 4 tasks and harmed on 3."
    )
    assert beside == "Note: train D faster."


def test_one_value_of_all_states_is_said_once():
    ones = dataclasses.replace(GIVEN, advised=ADVISED._replace(state=np.ones(4)))
    assert summary.sentences(ones)[2] == (
        "E|h|^2 lies between 0.25 and 5 by default and is 1 as advised."
    )


def test_states_behind_gates_say_how_many_they_are_and_of_which_input():
    _, _, states, rates, _ = summary.sentences(GATED)
    # (1 + rho)/(1 - rho) is 3 and 7: their mean 6 is that of rho = 5/7.
    assert states == (
        "E|h|^2 lies between 0.5 and 3 by default and lies between 0.7 and 0.75 as advised. "
        "It is computed for 2 of the 4 states, and for the autocovariance 0.714^|lag|."
    )
    assert "is stable below a rate of 0.23 for nu_log" in rates


def test_what_is_said_of_lower_rates_is_what_the_stored_study_found():
    words = store.shipped("advice_rates")["word"].sel(contrast="rates").values.tolist()
    counts = words.count(BETTER), len(words), words.count(WORSE)
    expected = "helped on {} of {} tasks and harmed on {}".format(*counts)
    assert expected == summary.LOWERED


SPEECH = {
    "time constant": r"here from (?P<least>\S+) to (?P<most>\S+)\. The longest default "
    r"time constant is (?P<longest>\S+)\.",
    "E|h|^2": r"E\|h\|\^2 (?:lies between (\S+) and (\S+)|is (\S+)) by default and "
    r"(?:lies between (\S+) and (\S+)|is (\S+)) as advised\.",
    "largest rate": r"a rate of (\S+) for (\S+) as advised, and of (\S+) for (\S+) by",
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.sampled(keep=["s4d", "mamba"])
def test_no_sentence_contradicts_its_table(name):
    state = {"rglru": 16}.get(name, 8)
    advice = advise(name, length=500, state=state, width=16, spectrum=exponential(0.0))
    cells, last = {}, ""
    for row in columns(summary.table(advice)):
        last = row["quantity"] or last
        cells[last, row["of"]] = row["default"], row["advised"]
    text = " ".join(summary.sentences(advice))
    said = {name: re.search(pattern, text) for name, pattern in SPEECH.items()}
    times, states, rates = (said[name].groups() for name in SPEECH)
    assert times[0] == cells["time constant", "least"][1]
    assert times[1] == cells["time constant", "most"][1]
    assert times[2] == cells["time constant", "most"][0]
    for start, (least, most, both) in enumerate((states[:3], states[3:])):
        shown = [cells["E|h|^2", of][start] for of in ("least", "most")]
        assert shown == ([both, both] if both else [least, most])
    assert cells["largest rate", rates[1]][1] == rates[0]
    assert cells["largest rate", rates[3]][0] == rates[2]
    for start, rate in ((1, rates[0]), (0, rates[2])):
        of_all = [
            float(pair[start])
            for (quantity, _), pair in cells.items()
            if quantity == "largest rate" and pair[start] != "none"
        ]
        assert float(rate) == min(of_all)


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
        line = summary.sentences(advice)[1]
        assert f" steps. {begins}" in line
        assert says in line
    # Layers whose phases are not drawn have no reason for them.
    without = dataclasses.replace(GIVEN, phases=phases, options={})
    assert summary.sentences(without)[1].endswith(" steps.")


def test_plain_data_and_data_to_draw_have_each_number_by_its_name():
    content = summary.as_json(GIVEN)
    named = ("layer", "length", "memory", "state", "width", "note")
    assert {name: content[name] for name in named} == {
        "layer": "lru", "length": 300, "memory": 250.0, "state": 16, "width": 8,
        "note": "train D faster",
    }  # fmt: skip
    assert content["input"] == {
        "weights": [0.25, 0.75],
        "rho": [0.5, 0.75],
        "phase": 0.45,
        "covariance": None,
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
    gated = summary.as_dataset(GATED)
    assert gated.attrs["gated"] == 1
    # Only modes whose states are known.
    assert gated.memory.values.tolist() == [[3, 7], [4, 60]]
    assert gated.state.values.tolist() == [[0.5, 3.0], [0.75, 0.7]]
