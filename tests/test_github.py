"""Workflows and forms of the hosted repository: valid, and true to the project."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def check(schema, *files):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    return subprocess.run([*command, *files], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        (
            "vendor.github-issue-forms",
            [form for form in FORMS if form.name != "config.yml"],
        ),
        ("vendor.github-issue-config", [ROOT / ".github/ISSUE_TEMPLATE/config.yml"]),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_follow_the_schema(schema, files, tmp_path):
    assert files
    result = check(schema, *files)
    assert result.returncode == 0, result.stdout + result.stderr
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(yaml.safe_dump({"jobs": 3, "body": 3, "contact_links": 3}))
    assert check(schema, wrong).returncode == 1


def test_the_matrix_is_of_the_versions_that_we_promise():
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    promised = [
        match.group(1)
        for text in PROJECT["classifiers"]
        if (match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text))
    ]
    assert jobs["default"]["strategy"]["matrix"]["python"] == promised
    commands = [
        step["run"] for job in jobs.values() for step in job["steps"] if "run" in step
    ]
    readme = (ROOT / "README.md").read_text()
    assert commands[0] in readme
    assert (ROOT / commands[1]).is_file()


def test_a_form_for_verdicts_names_a_row_that_exists():
    from sigprop.theory.claims import find

    form = (ROOT / ".github/ISSUE_TEMPLATE/wrong-verdict.yml").read_text()
    [row] = re.findall(r"for example (\S+)", form)
    assert find(row).id == row
