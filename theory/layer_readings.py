r"""Meanings of the letters in our statements on layers of 2024-2026.

``sigprop.theory.readings`` says how such meanings are written.
"""

from sigprop.theory.reading import Meaning, Reading


def _each(names: str, letters: dict[str, Meaning]) -> dict[str, Reading]:
    return {f"sigprop:{name}": Reading(letters) for name in names.split()}


_KEYS: dict[str, Meaning] = {"d": "d", "p": "p", "s": "s", "w": "w"}
_ENTRIES: dict[str, Meaning] = {
    f"{letter}_{index}": f"{letter}_{index}" for letter in "wac" for index in "123"
}

READINGS = {
    **_each(
        "delta-state gated-delta-state gated-delta-edge delta-interference delta-overlap "
        "delta-reading delta-error delta-horizon delta-explained delta-best-rate "
        "delta-capacity attention-explained attention-crowded delta-rare-key "
        "delta-gaussian-keys implicit-delta-energy goose-energy",
        _KEYS,
    ),
    **_each("goose-polynomial", {**_ENTRIES, "z": "z"}),
}
