"""A result is returned for the recipe that made it alone, and every remedy works."""

import dataclasses
import hashlib
import json
import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from sigprop.networks.files import read
from sigprop.training.curves import curves
from sigprop.training.runs import ABOUT, CURVES, NETWORK, RESULT, run, trained
from tests.sigprop.training.test_runs import JOB
from tests.sigprop.training.test_supervised import DATA

OTHER = dataclasses.replace(JOB, recipe=dataclasses.replace(JOB.recipe, rate=0.02))
JOBS = {"own": JOB, "other": OTHER}
FLIPS = range(2)
OLD = Path(__file__).with_name("data")


@pytest.fixture(scope="module")
def finished_trainings(tmp_path_factory):
    """Finished trainings of both recipes, and their results."""
    path = tmp_path_factory.mktemp("whole")
    return path, {name: run(job, DATA, path / name) for name, job in JOBS.items()}


def missing(file, other):
    file.unlink()


def cut(file, other):
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def of_another_recipe(file, other):
    shutil.copy(other / file.name, file)


def flipped(seed):
    def flip(file, other):
        content = bytearray(file.read_bytes())
        generator = random.Random(f"{file.name} {seed}")
        content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
        file.write_bytes(content)

    return flip


DAMAGES = {"missing": missing, "cut": cut, "of another recipe": of_another_recipe}
DAMAGES |= {f"flipped {seed}": flipped(seed) for seed in FLIPS}


def scores(result):
    return {name: value for name, value in result.items() if name != "seconds"}


def follow(advice, folder):
    """Do what a refusal advises: delete a file or a folder, or take a new folder."""
    if "name a new folder" in advice:
        return folder.with_name("new")
    (target,) = re.findall(r"delete (\S+) to train again", advice)
    shutil.rmtree(target) if Path(target).is_dir() else Path(target).unlink()
    return folder


def result_by_advice(job, folder):
    """The result of a job, each refusal's advice followed; the number of refusals."""
    for refusals in range(4):
        try:
            return run(job, DATA, folder), folder, refusals
        except ValueError as error:
            folder = follow(str(error), folder)
    raise AssertionError("the advice leads in a circle")


@pytest.mark.sampled(10, kind="damage")
@pytest.mark.parametrize("job_name", JOBS)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", [ABOUT, RESULT, NETWORK, CURVES])
def test_a_result_is_of_its_recipe_and_every_advice_works(
    tmp_path, finished_trainings, name, damage, job_name
):
    source, results = finished_trainings
    folder = tmp_path / "own"
    shutil.copytree(source / "own", folder)
    DAMAGES[damage](folder / name, source / "other")
    result, result_folder, refusals = result_by_advice(JOBS[job_name], folder)
    assert scores(result) == scores(results[job_name])
    assert refusals or (name, damage, job_name) in {
        (ABOUT, "missing", "own"),
        (RESULT, "missing", "own"),
    }
    arrays, expected = (
        read(result_folder / NETWORK)[0],
        read(source / job_name / NETWORK)[0],
    )
    for key, value in expected.items():
        np.testing.assert_array_equal(arrays[key], value)
    trained(result_folder)
    (tmp_path / "all").mkdir()
    result_folder.rename(tmp_path / "all" / "seed-3")
    curves(tmp_path / "all")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", [ABOUT, RESULT, NETWORK, CURVES])
def test_a_network_is_read_where_a_training_would_be_called_finished(
    tmp_path, finished_trainings, name, damage
):
    source, _ = finished_trainings
    folder = tmp_path / "own"
    shutil.copytree(source / "own", folder)
    DAMAGES[damage](folder / name, source / "other")
    with pytest.raises((FileNotFoundError, ValueError)) as refused:
        trained(folder)
    if isinstance(refused.value, FileNotFoundError) or (
        (name, damage) == (ABOUT, "of another recipe")
    ):
        return  # `run` goes on, or has another recipe to speak of: the test above
    remedy = str(refused.value).rpartition("; ")[2]
    with pytest.raises(ValueError, match=f"{name}.*; {re.escape(remedy)}$"):
        run(JOB, DATA, folder)


def test_two_damaged_files_do_not_make_a_result_of_another_recipe(
    tmp_path, finished_trainings
):
    source, results = finished_trainings
    folder = tmp_path / "own"
    shutil.copytree(source / "own", folder)
    (folder / ABOUT).unlink()
    for name in (NETWORK, CURVES):
        of_another_recipe(folder / name, source / "other")
    result, _, refusals = result_by_advice(OTHER, folder)
    assert refusals == 1
    assert scores(result) == scores(results["other"])


def test_a_checkpoint_is_gone_on_from_after_the_advice_for_run_json(tmp_path):
    class Killed(Exception):
        pass

    def stop(done, last):
        if done == 2:
            raise Killed

    with pytest.raises(Killed):
        run(JOB, DATA, tmp_path, every=0, progress=stop)
    cut(tmp_path / ABOUT, tmp_path)
    with pytest.raises(ValueError, match=r"run\.json") as refused:
        run(JOB, DATA, tmp_path)
    follow(str(refused.value), tmp_path)
    begun = []
    run(JOB, DATA, tmp_path, progress=lambda done, last: begun.append(done))
    assert begun[0] == 2


def test_an_old_result_without_a_recipe_needs_its_old_run_json(tmp_path):
    for name in (ABOUT, CURVES, NETWORK, RESULT):
        shutil.copy(OLD / name, tmp_path)
    (tmp_path / ABOUT).unlink()
    with pytest.raises(ValueError, match=r"need run\.json .* got none") as refused:
        run(OTHER, DATA, tmp_path)
    follow(str(refused.value), tmp_path)
    assert run(OTHER, DATA, tmp_path)["best_step"] > 0


def test_an_old_network_that_is_damaged_is_refused_by_all(tmp_path):
    for name in (ABOUT, CURVES, NETWORK, RESULT):
        shutil.copy(OLD / name, tmp_path)
    flipped(0)(tmp_path / NETWORK, None)
    for use in (lambda: run(JOB, DATA, tmp_path), lambda: trained(tmp_path)):
        with pytest.raises(ValueError, match=r"network\.safetensors.*delete .*again"):
            use()


def test_curves_are_of_one_recipe(tmp_path, finished_trainings):
    source, _ = finished_trainings
    shutil.copytree(source / "own", tmp_path / "seed-3")
    for seed, recipe in ((4, JOB.recipe), (5, OTHER.recipe)):
        job = dataclasses.replace(JOB, seed=seed, recipe=recipe)
        run(job, DATA, tmp_path / f"seed-{seed}")
    assert curves(tmp_path, JOB)["seed"].values.tolist() == [3, 4]
    assert curves(tmp_path)["seed"].values.tolist() == [3, 4, 5]


def test_the_digests_are_of_the_recipe_and_of_the_files(finished_trainings):
    source, _ = finished_trainings
    about = json.loads((source / "own" / ABOUT).read_text())
    result = json.loads((source / "own" / RESULT).read_text())
    for content in (about, result):
        seal = content.pop("sha256")
        text = json.dumps(content, sort_keys=True)
        assert seal == hashlib.sha256(text.encode()).hexdigest()
        if content is about:
            assert result["recipe"] == seal
    for name in (NETWORK, CURVES):
        content = (source / "own" / name).read_bytes()
        assert result["files"][name] == hashlib.sha256(content).hexdigest()
