"""Moments are the same sums on however many devices and processes their batches run.

CPUs take the place of GPUs here: without the compiled kernel they share batches, too.
"""

import functools
import json
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.neuron import gpu, gpu_kernel, montecarlo, noise
from sigprop.neuron.montecarlo import second_moments
from sigprop.numerics.precision import double_precision
from tests.devices import answers

SHARED: Any = jax.shard_map
COUNTS = (1, 2, 4, 8)
TIMES = (1, 70)


def sums(num=50, batch=9):
    """All sums of a small simulation of six batches, the last one of five sequences."""
    with double_precision(True):
        moments = second_moments(
            jax.random.key(7),
            jnp.asarray([0.9, -0.7, 0.5 + 0.4j]),
            AR1(0.5),
            times=TIMES,
            num=num,
            batch=batch,
            pairs=((0, 1),),
            gain=jnp.asarray([1.0, 2.0, 0.5]),
        )
    return {
        f"{name} at {time}": [
            *np.ravel(values.first),
            *np.ravel(values.second),
            values.n,
        ]
        for time, by_name in zip(TIMES, moments, strict=True)
        for name, values in by_name.items()
    }


def same(ours, right):
    """Whether all sums are the same to rounding."""
    assert ours.keys() == right.keys()
    return all(
        np.allclose(values, right[name], 1e-12, 1e-12) for name, values in ours.items()
    )


def with_one_key(share, **options):
    """Every device and batch draws from the first key."""
    shared = SHARED(share, **options)
    return lambda keys, *rest: shared(jnp.repeat(keys[:1], len(keys)), *rest)


def without_a_batch(share, **options):
    """The second batch counts nothing."""
    shared = SHARED(share, **options)
    return lambda *all: jax.tree.map(lambda sums: sums.at[1].set(0), shared(*all))


def with_a_batch_of_each_device(share, **options):
    """Every device has all batches, and gives back its first ones."""
    whole = (jax.sharding.PartitionSpec(),) * 3

    def first(keys, *rest):
        return jax.tree.map(lambda sums: sums[:1], share(keys, *rest))

    options["in_specs"] = whole
    return SHARED(first, **options)


FAULTS = (with_one_key, without_a_batch, with_a_batch_of_each_device)


def report():
    """Print the sums on the first devices of this process, by their number."""
    found = {}
    for count in COUNTS:
        with mock.patch.object(montecarlo, "peers", lambda n=count: jax.devices()[:n]):
            found[count] = sums()
    print(json.dumps(found))


def report_faults():
    """Print the sums on all devices with each fault."""
    found = {}
    for fault in FAULTS:
        jax.clear_caches()
        with mock.patch.object(jax, "shard_map", fault):
            found[fault.__name__] = sums()
    print(json.dumps(found))


def report_all():
    """Print the sums on all devices of all processes."""
    print(json.dumps(sums()))


def report_kernel():
    """Print the sums of two batches a device by the kernel for GPUs, interpreted."""
    with (
        mock.patch.object(gpu, "cuda_capability", return_value=9.0),
        mock.patch.object(gpu, "MOST", 2),
        mock.patch.object(gpu, "serves", return_value=True),
        mock.patch.object(montecarlo, "walk", None),
        mock.patch.object(gpu_kernel, "LANES", 8),
        mock.patch.dict(gpu_kernel.NEURONS, {("d", 2): 4}),
    ):
        print(json.dumps(sums(45)))


PROGRAM = """
from sigprop.neuron import noise
noise.available = lambda: False
from {module} import {name} as report
report()
"""


def told(function, devices, processes=1):
    """What a function of this module prints, in each process."""
    program = PROGRAM.format(module=__name__, name=function.__name__)
    return answers(program, devices, processes)


@functools.cache
def right(num=50):
    return sums(num)


@pytest.mark.slow
def test_two_devices_give_the_same_sums():
    (ours,) = told(report_all, 2)
    assert same(ours, right())


@pytest.mark.slow
def test_one_to_eight_devices_give_the_same_sums():
    (found,) = told(report, max(COUNTS))
    assert list(found) == [str(count) for count in COUNTS]
    for count, ours in found.items():
        assert same(ours, right()), count


@pytest.mark.slow
def test_planted_faults_of_sharing_are_seen():
    (found,) = told(report_faults, 2)
    assert list(found) == [fault.__name__ for fault in FAULTS]
    for name, ours in found.items():
        assert not same(ours, right()), name


@pytest.mark.slow
def test_two_processes_give_the_same_sums():
    for ours in told(report_all, 2, processes=2):
        assert same(ours, right())


@pytest.mark.slow
def test_the_kernel_for_gpus_gives_the_same_sums_on_two_devices():
    (ours,) = told(report_kernel, 2)
    assert same(ours, right(45))


@pytest.mark.parametrize("devices", [1, 8])
def test_cpus_with_the_compiled_kernel_share_nothing(devices, monkeypatch):
    monkeypatch.setattr(montecarlo, "peers", lambda: jax.devices() * devices)
    monkeypatch.setattr(montecarlo, "_spread", None)
    assert same(sums(), right())


def test_one_device_shares_nothing(monkeypatch):
    expected = right()
    monkeypatch.setattr(noise, "available", lambda: False)
    monkeypatch.setattr(montecarlo, "_spread", None)
    assert len(montecarlo.peers()) == 1
    assert same(sums(), expected)
