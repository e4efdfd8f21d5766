import pytest

from experiments import command
from figures import catalogue


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """A folder with a small result of every study that a figure draws, made once."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGPROP_RESULTS", str(folder))
        needed = [entry.needs() for entry in catalogue.FIGURES.values()]
        for study in dict.fromkeys(study for studies in needed for study in studies):
            command.make(study, "smoke")
    return folder


@pytest.fixture
def stored(results, monkeypatch):
    """Figures read those results."""
    monkeypatch.setenv("SIGPROP_RESULTS", str(results))
