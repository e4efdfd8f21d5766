"""What the default run keeps of a test that is sampled: so many, and those named."""

import itertools
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_collection_modifyitems as choose
from tests.sampling import MANY

NAMES = [f"case {number}" for number in range(12)]


class Item:
    """A case as pytest collects it."""

    def __init__(self, name, marker, slow=False, row=None):
        self.nodeid = f"test_file.py::test_of_something[{name}]"
        label, _, seed = name.partition("-")
        indices = {"name": label, "seed": seed} if row is None else {"name": row}
        self.callspec = SimpleNamespace(indices=indices, params={"name": label})
        self.marks = {"sampled": marker.mark} | ({"slow": marker} if slow else {})

    def get_closest_marker(self, name):
        return self.marks.get(name)

    def add_marker(self, marker):
        self.marks[marker.name] = marker


def settings(args=("tests",), share="0/1"):
    """Return a configuration of pytest that records the deselected items."""
    told = []
    hook = SimpleNamespace(pytest_deselected=lambda items: told.extend(items))
    return SimpleNamespace(
        args=args, option=SimpleNamespace(share=share), hook=hook, told=told
    )


def kept_names(marker, names=NAMES, slow=(), args=("tests",), rows=False):
    items = [
        Item(name, marker, name in slow, row if rows else None)
        for row, name in enumerate(names)
    ]
    choose(settings(args), items)
    chosen = [item for item in items if "slow" not in item.marks]
    return [item.nodeid.partition("[")[2][:-1] for item in chosen]


@pytest.mark.parametrize("count", [1, 5, 12])
def test_so_many_cases_stay_and_are_spread(count):
    indices = [NAMES.index(name) for name in kept_names(pytest.mark.sampled(count))]
    assert len(indices) == count
    around = [*indices, indices[0] + 12]
    gaps = [b - a for a, b in itertools.pairwise(around)]
    assert max(gaps) - min(gaps) <= 1


def test_cases_that_are_named_stay_and_count():
    named = ["case 3", "case 4", "case 8"]
    assert kept_names(pytest.mark.sampled(keep=named)) == named
    names = kept_names(pytest.mark.sampled(5, keep=named))
    assert len(names) == 5
    assert set(named) < set(names)


GRID = [f"{name}-{seed}" for name in range(7) for seed in range(3)]


@pytest.mark.parametrize("count", [(), (10,)])
def test_a_case_of_every_kind_stays_and_other_values_take_turns(count):
    names = kept_names(pytest.mark.sampled(*count, kind="name", keep=["2-1"]), GRID)
    pairs = [name.split("-") for name in names]
    assert {name for name, _ in pairs} == {*map(str, range(7))}
    assert {seed for _, seed in pairs} == {"0", "1", "2"}
    assert "2-1" in names
    assert len(names) in ((10,) if count else (7, 8))


def test_a_text_that_many_rows_have_is_one_kind():
    names = kept_names(pytest.mark.sampled(kind="name"), GRID, rows=True)
    assert [name.split("-")[0] for name in names] == [*map(str, range(7))]
    assert {name.split("-")[1] for name in names} == {"0", "1", "2"}


def test_a_kind_that_is_no_argument_is_an_error():
    with pytest.raises(
        pytest.UsageError, match=r"every 'colour', .* in \['name', 'seed'"
    ):
        kept_names(pytest.mark.sampled(3, kind="colour"), GRID)


def test_a_name_that_no_quick_case_has_is_an_error():
    marker = pytest.mark.sampled(2, keep=["case 3", "case 99"])
    with pytest.raises(pytest.UsageError, match="case 99"):
        kept_names(marker)
    with pytest.raises(pytest.UsageError, match="case 3"):
        kept_names(pytest.mark.sampled(keep=["case 3"]), slow=["case 3"])


def test_a_case_that_is_asked_for_by_its_id_is_run():
    node_id = "tests/test_file.py::test_of_something[case 5]"
    marker = pytest.mark.sampled(1, keep=["case 3"])
    assert kept_names(marker, ["case 5"], args=(node_id,)) == ["case 5"]


def test_what_takes_minutes_comes_first_and_nothing_else_moves():
    items = [Item(name, pytest.mark.sampled(12)) for name in NAMES]
    items[5].add_marker(pytest.mark.slow(first=True))
    items[9].add_marker(pytest.mark.slow(first=True))
    items[2].add_marker(pytest.mark.slow)
    others = [item for item in items if item not in (items[5], items[9])]
    expected = [items[5], items[9], *others]
    choose(settings(["tests/test_file.py::test_of_something[x]"]), items)
    assert items == expected


def shared(count, share):
    """Names of the slow cases of a test that a share has, and of those it leaves out."""
    marker = pytest.mark.sampled(2)
    items = [Item(f"case {number}", marker, slow=number > 1) for number in range(count)]
    config = settings(share=share)
    choose(config, items)
    assert all(item in items or item in config.told for item in items)
    return [{item.nodeid for item in some} for some in (items, config.told)]


def test_shares_are_disjoint_and_together_whole():
    whole, nothing = shared(40, "0/1")
    assert (len(whole), nothing) == (40, set())
    parts = [shared(40, f"{own}/3")[0] for own in range(3)]
    quick = set.intersection(*parts)
    assert len(quick) == 2
    assert set.union(*parts) == whole
    assert sum(len(part - quick) for part in parts) == 38
    assert all(6 <= len(part) <= 22 for part in parts)


def test_a_case_stays_in_its_share_and_few_cases_are_not_shared():
    kept, others = shared(40, "1/3")
    fewer, left = shared(30, "1/3")
    assert fewer < kept
    assert left < others
    assert len(shared(2 + MANY, "1/3")[0]) == 2 + MANY


@pytest.mark.parametrize("share", ["3/3", "1", "-1/3", "a/b", "1/0"])
def test_a_share_that_is_none_is_an_error(share):
    with pytest.raises(pytest.UsageError, match="need --share K/N with K below N, got"):
        shared(10, share)
