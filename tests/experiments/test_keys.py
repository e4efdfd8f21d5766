"""Every cell has a key of its own: no two configurations share a file."""

import copy
import dataclasses

import pytest

from sigprop.experiments import store, studies

FALSE = (None, 0, False, 0.0, "", ())


def grid(name, preset):
    return studies.part(studies.package_of(name), "grids").cells(name, preset)


def with_field(config, name, value):
    """A copy with a field that the study itself might refuse."""
    other = copy.copy(config)
    object.__setattr__(other, name, value)
    return other


def told_apart(config):
    """A configuration with every false value in every field, each once."""
    fields = [field.name for field in dataclasses.fields(config)]
    return [with_field(config, name, value) for name in fields for value in FALSE]


@pytest.mark.parametrize("preset", store.PRESETS)
@pytest.mark.parametrize("name", studies.sweeps())
def test_a_sweep_has_as_many_keys_as_cells(name, preset):
    cells = grid(name, preset)
    keys = {store.key(name, 1, config) for config in cells}
    written = {repr(config) for config in cells}
    assert len(keys) == len(cells) == len(written)


@pytest.mark.parametrize("study", studies.studies())
def test_the_presets_of_a_study_have_keys_of_their_own(study):
    module = studies.study_module(study)
    configs = [getattr(module, preset.upper()) for preset in studies.presets(study)]
    texts = {repr(config) for config in configs}
    assert len({store.key(study, 1, config) for config in configs}) == len(texts)
    _require_told_apart(study, configs[0])


@pytest.mark.parametrize("name", ["memory_gap", "ladder_digits"])
def test_the_cells_of_a_sweep_tell_false_values_apart(name):
    _require_told_apart(name, grid(name, "smoke")[0])


def _require_told_apart(study, config):
    others = {repr(other): other for other in told_apart(config)}
    keys = {store.key(study, 1, other) for other in others.values()}
    assert len(keys) == len(others) > len(FALSE)
