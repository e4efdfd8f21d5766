"""Processes that train for a sweep: Dask workers on this machine or of a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sigprop.numerics.extras import extra

FAILURES = 20  # a chunk fails after more deaths of its worker
PATIENCE = "10s"  # to wait for a scheduler's answer


@contextmanager
def cluster(workers: int, scheduler: str | None) -> Iterator[Any]:
    """Yield a Dask client of new local processes, or of a running scheduler.

    Raises:
        ConnectionError: If no scheduler answers.
        ModuleNotFoundError: If Dask, from the extra ``cluster``, is not installed.
        ValueError: If both ``workers`` and ``scheduler`` are given.
    """
    with extra("cluster", "--workers and --scheduler"):
        from dask import config as settings
        from distributed import Client, LocalCluster
    if workers and scheduler:
        raise ValueError("need --workers or --scheduler, got both")
    local = None
    settings.set({"distributed.scheduler.allowed-failures": FAILURES})
    try:
        if scheduler is None:
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,  # pyright: ignore[reportArgumentType]
            )
        try:
            client = Client(local or scheduler, timeout=PATIENCE)
        except OSError as error:
            raise ConnectionError(
                f"need a Dask scheduler at {scheduler}, and none answers ({error}); start "
                "one with `dask scheduler`, or leave --scheduler out"
            ) from None
        with client:
            yield client
    finally:
        if local is not None:
            local.close()
