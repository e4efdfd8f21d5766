"""What cannot end well is refused before the work, and not after it."""

import importlib

import pytest

from sigprop.cli.help import ClickException
from tests.command import refused, sigprop
from tests.test_cli_hostile_files import checkpoint, series
from tests.test_cli_told import GROUP, command, parsed


@pytest.fixture
def begun(monkeypatch):
    """Whatever takes long raises: a refusal has to come before it."""

    def works(*args, **more):
        raise AssertionError("the work began")

    def forbid(module, *names):
        for name in names:
            monkeypatch.setattr(module, name, works)

    from sigprop.audit import series_moments
    from sigprop.audit.foreign import check
    from sigprop.audit.lint import check as linted
    from sigprop.cli import forecast as forecasts
    from sigprop.cli import judged
    from sigprop.experiments import command as studies
    from sigprop.experiments import sweep
    from sigprop.judge import forecast
    from sigprop.ledger import benchmark, gallery, notebooks
    from sigprop.tasks import tables

    forbid(studies, "make")
    forbid(sweep, "run")
    forbid(importlib.import_module("sigprop.advice.advise"), "predict_initialisation")
    forbid(series_moments, "_run")
    forbid(judged, "judge")
    forbid(importlib.import_module("sigprop.cli.train"), "_once")
    forbid(forecasts, "_once")
    forbid(check, "find")
    forbid(linted, "survey_mapped")
    forbid(forecast, "of_rows")
    forbid(benchmark, "reading_of")
    forbid(gallery, "write")
    forbid(notebooks, "run")
    forbid(tables, "carbon_dioxide")


# --- empty values -------------------------------------------------------------------


def commands(group=GROUP, names=()):
    context = group.make_context("sigprop", [], resilient_parsing=True)
    for name in group.list_commands(context):
        entry = group.get_command(context, name)
        if hasattr(entry, "list_commands"):
            yield from commands(entry, (*names, name))
        else:
            yield " ".join((*names, name))


VALUED = [
    (name, parameter.opts[-1])
    for name in commands()
    for parameter in command(name).params
    if parameter.param_type_name == "option"
    and not parameter.is_flag
    and parameter.name != "help"
]


@pytest.mark.sampled(40, kind="name")
@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(
    "spell", [lambda option: [option, ""], lambda option: [f"{option}="]]
)
@pytest.mark.parametrize(("name", "option"), VALUED)
def test_an_empty_value_of_any_option_is_refused(name, option, spell):
    result = sigprop(*name.split(), *spell(option))
    assert result.exit_code == 2, result.output
    assert "need a value, got the empty" in result.stderr


# --- numbers ------------------------------------------------------------------------

MINIMAL = {
    "advise": ["--length", "64"],
    "audit": None,
    "ledger": ["--json", "new"],
    "benchmark write": ["new"],
    "series": None,
    "sweep run": ["memory_gap"],
    "train": ["digits"],
    "verify": ["--claim", "zucchet:59"],
    "lint": None,
}
NUMBERS = [
    (name, parameter.opts[-1])
    for name in MINIMAL
    for parameter in command(name).params
    if parameter.param_type_name == "option"
    and not parameter.is_flag
    and parameter.name != "help"
]


def table(folder):
    path = folder / "table.csv"
    rows = [f"2020-01-{day:02},{day % 7}" for day in range(1, 32)]
    path.write_text("\n".join(["time,x", *rows]))
    return path


def takes(name, arguments, option, value):
    try:
        parsed(name, [*arguments, option, value])
    except ClickException:
        return False
    return True


FORECAST = ("--horizon", "--length")
HUGE = {
    ("advise", "--length"),
    ("advise", "--memory"),
    ("benchmark write", "--planted"),
}
LEAST = {"--workers": -1, "--seed": -1, "--planted": -1}


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_a_number_that_cannot_be_is_refused_before_the_work(
    tmp_path, monkeypatch, name, option
):
    monkeypatch.chdir(tmp_path)
    arguments = MINIMAL[name]
    if name == "series":
        arguments = [str(series(tmp_path))]
    elif arguments is None:
        file = checkpoint(tmp_path)
        arguments = [str(file)]
        if name == "audit":
            arguments += ["--data", str(series(tmp_path))]
            arguments += ["--window", "8"] * (option != "--window")
    elif name == "train" and option in FORECAST:
        arguments = ["forecast", "--data", str(table(tmp_path))]
    if not takes(name, arguments, option, "-5"):
        return  # no option of numbers
    if takes(name, arguments, option, "x"):
        return  # of texts
    values = ["-5", *["0"] * (option not in LEAST)]
    values += ["nan", "inf"] * takes(name, arguments, option, "nan")
    values += ["100000000"] * ((name, option) in HUGE)
    for value in values:
        if (option, value) == ("--rho", "0"):
            continue
        line = refused(*name.split(), *arguments, f"{option}={value}")
        assert value.removesuffix(".0") in line or option.strip("-") in line, line


@pytest.mark.parametrize(
    ("steps", "remedy"), [(50, "40 or 60"), (7, "20"), (61, "60 or 80")]
)
def test_steps_that_make_no_segments_come_with_the_nearest_that_do(steps, remedy):
    line = refused("train", "digits", "--steps", steps)
    assert line.endswith(f"got {steps} steps; give {remedy}")


def test_the_advice_on_steps_works(monkeypatch):
    train = importlib.import_module("sigprop.cli.train")
    monkeypatch.setattr(train, "_once", lambda job, *args: 1 / 0)
    for steps in (40, 60, 20):
        result = sigprop("train", "digits", "--steps", steps)
        assert isinstance(result.exception, ZeroDivisionError)


# --- folders ------------------------------------------------------------------------


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize("arguments", [(), ("--preset", "smoke", "--force")])
def test_a_figure_needs_its_folder_of_results_before_the_work(
    tmp_path, monkeypatch, arguments
):
    from sigprop.figures import style

    monkeypatch.setattr(style, "folder", lambda: tmp_path)
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path / "file" / "results"))
    line = refused("figure", "zucchet-1a", *arguments)
    assert f"cannot write to the folder {tmp_path}/file/results" in line
