"""Choose cases of tests with many: a sample by default, and a share of the slow ones."""

import re
import zlib

import pytest

MANY = 3  # slow cases of a test from which on it is shared


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line ask for a share."""
    parser.addoption(
        "--share",
        default="0/1",
        help="of tests with many slow cases, the K-th of N parts alone: K/N, K from zero",
    )


def sample(items: list[pytest.Item]) -> None:
    """Of a test that is ``sampled(n, keep=[...])``, all but n of its quick cases are slow.

    Those of ``keep``, by their ids, stay; the others are spread evenly, from another one
    in each test: no case is left out of all.  Without ``n`` nothing else stays.  Of a test
    that is ``sampled(kind="name")``, one case of every value of the argument ``name``
    stays besides, each at another value of the others: no kind is left to the slow tests.

    Raises:
        pytest.UsageError: If there is no such case or argument.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, group in cases.items():
        marker = group[0].get_closest_marker("sampled")
        keep = set(marker.kwargs.get("keep", ()))
        ids = [item.nodeid.partition("[")[2].removesuffix("]") for item in group]
        if not keep <= set(ids):
            raise pytest.UsageError(
                f"{name} keeps cases that it has not, or that are slow: "
                f"{sorted(keep - set(ids))} of {ids}"
            )
        keep |= _of_every_kind(name, group, marker.kwargs.get("kind"))
        others = [
            item
            for item, case_id in zip(group, ids, strict=True)
            if case_id not in keep
        ]
        count = max((marker.args[0] if marker.args else 0) - len(keep), 0)
        count = min(count, len(others))
        chosen = {i * len(others) // count for i in range(count)}
        first = zlib.crc32(name.encode())
        for index, item in enumerate(others, start=first):
            if index % len(others) not in chosen:
                item.add_marker(pytest.mark.slow)


def _of_every_kind(name: str, group: list[pytest.Item], kind: str | None) -> set[str]:
    """Ids of one case of every value of an argument; of quick cases alone."""
    if kind is None:
        return set()
    kinds: dict[int | str, list[str]] = {}
    for item in group:
        indices = item.callspec.indices  # pyright: ignore[reportAttributeAccessIssue]
        if kind not in indices:
            raise pytest.UsageError(
                f"{name} keeps a case of every {kind!r}, of which there is none in "
                f"{sorted(indices)}"
            )
        value = item.callspec.params[kind]  # pyright: ignore[reportAttributeAccessIssue]
        # Where arguments stand in rows, a text may be that of many rows.
        key = value if isinstance(value, str) else indices[kind]
        kinds.setdefault(key, []).append(item.nodeid.partition("[")[2][:-1])
    first = zlib.crc32(name.encode())
    return {ids[(first + index) % len(ids)] for index, ids in enumerate(kinds.values())}


def left_out(items: list[pytest.Item], share: str) -> list[pytest.Item]:
    """The slow cases that belong to other shares.

    A case stays in its share whatever others there are, and every case is in one: N runs
    with all values of K are a whole one.

    Raises:
        pytest.UsageError: If the share is not K/N with K < N.
    """
    match = re.fullmatch(r"(\d+)/(\d+)", share)
    if match is None or int(match[1]) >= int(match[2]):
        raise pytest.UsageError(f"need --share K/N with K below N, got {share}")
    own, parts = map(int, match.groups())
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return [
        item
        for group in cases.values()
        if len(group) > MANY
        for item in group
        if zlib.crc32(item.nodeid.encode()) % parts != own
    ]
