import dataclasses
import json
from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import store

LARGEST, ALL = 2 * 2**20, 30 * 2**20  # bytes of a tracked result, and of all of them


@dataclass(frozen=True)
class Config:
    width: float = 0.5
    sizes: tuple[int, ...] = (1, 2)
    seed: int = 7


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    return tmp_path


def sample(shift=0.0):
    values = np.array([[1.0, np.nan, -np.inf], [0.1, 2.0, 3.0]]) + shift
    return xr.Dataset(
        {
            "gain": (("kind", "x"), values, {"units": "dimensionless"}),
            "spectrum": ("x", np.array([1 + 2j, complex(0, np.inf), -1j])),
            "single": ("x", np.array([1, 2, 3], np.complex64)),
            "count": ("x", np.arange(3)),
            "note": ("x", ["a", "", "längst"]),
            "flag": ("x", np.array([True, False, True])),
        },
        {
            "kind": ["white", "constanté"],
            "x": [0.0, 0.25, 0.5],
            "label": ("x", list("abc")),
        },
        {"dtype": "float64"},
    )


def test_round_trip_keeps_values_types_names_and_attributes():
    store.save("study", 3, Config(), sample(), device="cpu: test", preset="smoke")
    loaded = store.load("study", 3, Config())
    expected = sample()
    xr.testing.assert_identical(
        loaded.drop_attrs(deep=False), expected.drop_attrs(deep=False)
    )
    for name in expected.variables:
        assert loaded[name].dtype == expected[name].dtype, name
    attributes = loaded.attrs
    assert attributes["dtype"] == "float64"
    assert attributes["device"] == "cpu: test"
    assert (attributes["study"], attributes["version"]) == ("study", 3)
    assert attributes["seed"] == 7
    assert json.loads(attributes["config"]) == {
        "width": 0.5,
        "sizes": [1, 2],
        "seed": 7,
    }
    assert set(json.loads(attributes["versions"])) == set(store.PACKAGES)
    assert json.loads(attributes["versions"])["numpy"] == np.__version__
    assert attributes["commit"]


def test_every_variable_is_compressed_and_checksummed():
    import h5netcdf

    path = store.save("study", 1, Config(), sample())
    with h5netcdf.File(path) as file:
        for name, variable in file.variables.items():
            filters = variable._h5ds
            assert filters.fletcher32, name
            assert filters.compression == "gzip", name


def test_key_covers_study_version_and_every_field_and_nothing_else():
    first = store.key("study", 1, Config())
    others = [
        store.key("other", 1, Config()),
        store.key("study", 2, Config()),
        store.key("study", 1, Config(width=0.25)),
        store.key("study", 1, Config(sizes=(2, 1))),
        store.key("study", 1, Config(seed=8)),
    ]
    assert len({first, *others}) == 6
    assert first == store.key("study", 1, dataclasses.replace(Config()))
    path = store.save("study", 1, Config(), sample(), device="a")
    assert path == store.save("study", 1, Config(), sample(), device="b")


def test_config_that_json_cannot_write_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        store.key("study", 1, Config(width=np.nan))


def test_missing_cell_names_the_command(results):
    assert not store.exists("study", 1, Config())
    command = "sigprop sweep run study --preset"
    with pytest.raises(FileNotFoundError, match=f"{command} quick") as error:
        store.load("study", 1, Config())
    assert str(results) in str(error.value)
    with pytest.raises(FileNotFoundError, match=f"{command} paper"):
        store.load_preset("study", "paper")


def test_other_version_is_missing():
    store.save("study", 1, Config(), sample())
    with pytest.raises(FileNotFoundError, match="no result of study"):
        store.load("study", 2, Config())


@pytest.mark.parametrize("moment", ["while writing", "before moving"])
def test_crash_leaves_the_old_result_and_nothing_else(results, monkeypatch, moment):
    path = store.save("study", 1, Config(), sample())
    before = path.read_bytes()
    write = xr.Dataset.to_netcdf

    def crash(self, target, **options):
        if moment == "while writing":
            target.write_bytes(b"half a file")
        else:
            write(self, target, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(xr.Dataset, "to_netcdf", crash)
    for config in (Config(), Config(seed=1)):
        with pytest.raises(KeyboardInterrupt):
            store.save("study", 1, config, sample(shift=1.0))
    assert list(results.iterdir()) == [path]
    assert path.read_bytes() == before


def test_partial_file_of_a_killed_process_is_no_result(results):
    path = store.save("study", 1, Config(), sample(), preset="smoke")
    path.rename(results / f".{path.stem}-0.partial")
    assert not store.exists("study", 1, Config())
    with pytest.raises(FileNotFoundError):
        store.load_preset("study", "smoke")


def damaged_by_truncation(path):
    path.write_bytes(path.read_bytes()[:-100])


def damaged_by_emptying(path):
    path.write_bytes(b"")


def damaged_by_other_configuration(path):
    other = store.save("study", 1, Config(seed=9), sample())
    other.replace(path)


@pytest.mark.parametrize(
    "damage",
    [damaged_by_truncation, damaged_by_emptying, damaged_by_other_configuration],
)
def test_damaged_file_is_refused_by_name(damage):
    path = store.save("study", 1, Config(), sample(), preset="smoke")
    damage(path)
    with pytest.raises(ValueError, match="is damaged") as error:
        store.load("study", 1, Config())
    assert str(path) in str(error.value)
    assert "delete it" in str(error.value)


def test_advice_names_the_preset_that_the_file_is_from():
    path = store.save("study", 1, Config(), sample(), preset="paper")
    path.replace(path.with_name("study-0.nc"))
    with pytest.raises(store.Damaged, match=r"sweep run study --preset paper`$"):
        store.read(path.with_name("study-0.nc"))
    damaged_by_emptying(path)
    with pytest.raises(store.Damaged, match=r"--preset PRESET`, PRESET being the one"):
        store.read(path)


def test_what_is_not_there_is_not_called_damaged(results):
    with pytest.raises(FileNotFoundError):
        store.read(results / "study-0.nc")


def test_flipped_byte_is_refused_or_does_no_harm():
    path = store.save("study", 1, Config(), sample())
    intact, expected = path.read_bytes(), store.load("study", 1, Config())
    refused = 0
    for offset in range(0, len(intact), len(intact) // 100):
        flipped = bytearray(intact)
        flipped[offset] ^= 0x55
        path.write_bytes(flipped)
        try:
            loaded = store.load("study", 1, Config())
        except ValueError:
            refused += 1
        else:
            xr.testing.assert_equal(loaded, expected)
    assert refused > 3


def test_scalars_and_complex_coordinates_are_refused():
    with pytest.raises(ValueError, match="make it an attribute"):
        store.save("study", 1, Config(), xr.Dataset({"n": 3}))
    dataset = xr.Dataset({}, {"z": np.array([1j])})
    with pytest.raises(ValueError, match="real coordinates"):
        store.save("study", 1, Config(), dataset)


def test_preset_is_the_newest_of_its_label():
    old = store.save("study", 1, Config(), sample(), preset="smoke")
    store.save("study", 1, Config(seed=1), sample(1.0), preset="smoke")
    store.save("study", 1, Config(seed=2), sample(2.0), preset="quick")
    store.save("study", 1, Config(seed=3), sample(3.0))
    assert store.load_preset("study", "smoke").attrs["seed"] == 1
    commit = store.read(old).attrs["commit"]
    store.relabel(old, "smoke")
    loaded = store.load_preset("study", "smoke")
    assert (loaded.attrs["seed"], loaded.attrs["commit"]) == (7, commit)


def gathered_result(version, finished, grid="a"):
    """A gathered result of so many cells of a grid, and its configuration."""
    config = store.Members(grid, 8)
    config = dataclasses.replace(config, finished=finished)
    return store.save("heads", version, config, sample(), preset="smoke"), config


def test_of_gathered_results_the_fullest_of_this_version_stays():
    stale, _ = gathered_result(1006, 8)
    newer, _ = gathered_result(1008, 8)
    fewer, _ = gathered_result(1007, 3)
    other, _ = gathered_result(1007, 8, grid="b")
    most, _ = gathered_result(1007, 5)
    file, config = gathered_result(1007, 4)
    assert store.fullest(file, config, 1007) == most
    assert most.is_file()
    assert other.is_file()
    assert not any(path.exists() for path in (stale, newer, fewer, file))
    assert store.fullest(most, config, 1007) == most


def test_folder_follows_the_environment_then_the_checkout(results, monkeypatch):
    assert store.folder() == results
    monkeypatch.delenv("SIGPROP_RESULTS")
    assert store.folder().parts[-2:] == ("experiments", "results")
    monkeypatch.setattr(store, "checkout", lambda: None)
    assert store.folder().parts[-1] == "results"
    assert "sigprop" in store.folder().parts


def test_commit_never_fails(monkeypatch):
    def missing(*arguments, **options):
        raise FileNotFoundError("no git")

    monkeypatch.setattr(store.subprocess, "run", missing)
    path = store.save("study", 1, Config(), sample())
    assert store.read(path).attrs["commit"] == "unknown"


def test_a_result_that_does_not_come_with_the_code_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    with pytest.raises(
        FileNotFoundError, match="sigprop sweep run heads --preset paper"
    ):
        store.shipped("heads")


def test_tracked_results_are_small_and_sound():
    files = sorted(store.SHIPPED.glob("*.nc"))
    tracked = [path for path in files if not path.name.startswith("teacher_student-")]
    assert tracked
    for file in tracked:
        assert file.stat().st_size <= LARGEST
        attributes = store.read(file).attrs
        assert attributes["preset"] == "paper"
        assert "dirty" not in attributes["commit"]
    assert sum(file.stat().st_size for file in tracked) <= ALL
