"""Commands draw a picture beside what they print, or none; it is never in their way."""

import pytest

from sigprop.cli import train as cli_train
from tests.command import refused, sigprop
from tests.sigprop.training.test_curves import finished

PNG = b"\x89PNG"


@pytest.fixture
def taught(monkeypatch):
    """Trainings that take no time; their test accuracy is a tenth of the seed."""

    def once(task, model, preset, seed, recipe, examples, folder):
        finished(folder.parent, seed)
        named = {"validation_accuracy": 0.5, "best_step": 4, "parameters": 9}
        return {"seed": seed, "folder": str(folder), "test_accuracy": seed / 10} | named

    monkeypatch.setattr(cli_train, "_once", once)


@pytest.mark.usefixtures("taught")
def test_train_draws_the_curves_of_all_seeds_beside_them(tmp_path, monkeypatch):
    from figures import training

    seen, draw = [], training.draw
    monkeypatch.setattr(
        training,
        "draw",
        lambda data, title: seen.append((data, title)) or draw(data, title),
    )
    done = sigprop("train", "digits", "--seed", 1, "--seeds", 2, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    file = tmp_path / "digits-lru-quick" / "curves.png"
    assert done.stdout.splitlines()[-1] == str(file)
    assert file.read_bytes().startswith(PNG)
    ((data, title),) = seen
    assert data["seed"].values.tolist() == [1, 2]
    assert title == "digits, lru, preset quick"


@pytest.mark.usefixtures("taught")
def test_train_draws_nothing_where_none_is_wanted(tmp_path):
    done = sigprop("train", "digits", "--out", tmp_path, "--no-figures")
    assert done.exit_code == 0, done.output
    assert not list(tmp_path.rglob("*.png"))
    assert "png" not in done.output


@pytest.mark.usefixtures("taught")
def test_a_picture_that_fails_is_told_and_loses_nothing(tmp_path):
    (tmp_path / "digits-lru-quick" / "curves.png").mkdir(parents=True)
    done = sigprop("train", "digits", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "0.0000" in done.stdout
    (line,) = done.stderr.splitlines()
    assert "curves.png was not drawn: ValueError: need a file to write" in line


def test_a_folder_that_cannot_be_written_is_refused_before_a_training(
    tmp_path, monkeypatch
):
    def begun(*arguments):
        raise AssertionError("the work began")

    monkeypatch.setattr(cli_train, "_examples", begun)
    (tmp_path / "file").write_text("x")
    line = refused("train", "digits", "--out", tmp_path / "file" / "runs")
    assert f"cannot write to the folder {tmp_path}/file/runs" in line
