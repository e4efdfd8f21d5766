"""Tracked results, each read once by a process of the tests."""

import functools

import xarray as xr

from sigprop.experiments import store
from sigprop.figures import catalogue
from tests.figures.scrambled import MADE

AWAITED = {"gpu_check"}  # studies of a device that no tracked result was made on yet
DRAWN = [
    name
    for name, entry in catalogue.entries().items()
    if not AWAITED & set(entry.needs())
]
"""Figures whose results come with the code."""


def anew(study: str) -> xr.Dataset:
    """As ``store.shipped``, or a made-up result of a study that is awaited."""
    if study in AWAITED:
        return MADE[study]().assign_attrs(study=study, preset="paper")
    return store.shipped(study)


@functools.cache
def shipped(study: str) -> xr.Dataset:
    """As ``anew``; what would change its numbers is refused, as all share them."""
    dataset = anew(study)
    for variable in dataset.data_vars.values():
        variable.values.flags.writeable = False
    return dataset
