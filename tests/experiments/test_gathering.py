"""A gathered result stands in for its cells, also for those of a smaller preset."""

import numpy as np
import pytest

from sigprop.experiments import store, studies, sweep
from sigprop.experiments.teacher_student import cells, gathering

SWEEP = "adaptive_rates"  # its cells keep details


@pytest.fixture
def tracked(tmp_path, monkeypatch):
    """The folder of results holds the tracked one alone, and nothing can be trained."""
    (file,) = store.SHIPPED.glob(f"{SWEEP}-*.nc")
    (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    monkeypatch.setattr(cells, "run_cells", None)
    return store.read(file)


def test_a_smaller_preset_is_gathered_from_a_larger_one_with_its_details(tracked):
    small = store.read(sweep.run(SWEEP, "quick"))
    assert small.sizes["cell"] < tracked.sizes["cell"]
    for name in ("effective", "entry_network", "entry_parameter"):
        np.testing.assert_array_equal(small[name], tracked[name])
    index = [tracked["key"].values.tolist().index(key) for key in small["key"].values]
    for name in (*gathering.CURVES, "final", "diverged", "seed", "network"):
        np.testing.assert_array_equal(small[name], tracked[name].values[index])


def test_details_come_back_for_the_first_seed_alone(tracked):
    for index, config in enumerate(studies.grid(SWEEP, "paper")):
        sizes = {
            str(name): variable.size
            for name, variable in gathering.cell(tracked, index).data_vars.items()
            if str(name).startswith(gathering.EFFECTIVE)
        }
        network = tracked["network"].values[index]
        own = tracked["effective"].values[tracked["entry_network"].values == network]
        assert sum(sizes.values()) == (own.size if config.seed == 0 else 0)
        assert config.seed == tracked["seed"].values[index]
