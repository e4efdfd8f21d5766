r"""Meanings of the letters in our statements on newer layers.

The module ``sigprop.theory.readings`` defines the format of these meanings.
"""

from sigprop.theory.reading import Meaning, Reading


def _each(
    names: str, letters: dict[str, Meaning], side: int = -1
) -> dict[str, Reading]:
    return {f"sigprop:{name}": Reading(letters, side) for name in names.split()}


_KEYS: dict[str, Meaning] = {"d": "d", "p": "p", "s": "s", "w": "w"}
_LEARNER: dict[str, Meaning] = {
    "a^T": "(1 - (2*beta - beta**2)/d)**T",
    "|m|^2": "size*d",
    r"\sigma": "sigma",
    "d": "d",
    "q": "q",
    "p": "error",
    "B": "largest",
}
_ENTRIES: dict[str, Meaning] = {
    f"{letter}_{index}": f"{letter}_{index}" for letter in "wac" for index in "123"
}
_STEPS: dict[str, Meaning] = {
    r"\Delta": "step",
    r"\Delta_0": "step_0",
    r"\Delta_1": "step_1",
    "a_0": "a_0",
    "a_1": "a_1",
    "A": "A",
    r"\zeta": "zeta",
    "G": "G",
}
_GATES: dict[str, Meaning] = {
    rf"\{name}_{index}": f"{name}_{index}"
    for name, index in (("alpha", 2), ("alpha", 3), ("beta", 2), ("gamma", 1))
}
_PAIRS: dict[str, Meaning] = {
    **{f"{name}_{index}": f"{name}_{index}" for name in "bc" for index in "1234"},
    **{f"r_{index}": f"r_{index}" for index in "12"},
    **{rf"\theta_{index}": f"theta_{index}" for index in "12"},
}
_NEURONS: dict[str, Meaning] = {
    **{f"{name}_{index}": f"{name}_{index}" for name in "fr" for index in "12"},
    **{f"w_{{{index}}}": f"w_{index}" for index in ("11", "12", "21", "22")},
}
_SPECTRUM: dict[str, Meaning] = {
    "N": "N",
    "k": "k",
    "c_k": "rise",
    "c_{N - 1}": "total",
    "t": "t",
    "g": "gap",
    r"\bar{g}": "mean",
}
_COLUMNS: dict[str, Meaning] = {
    f"{name}_{{{index}}}": f"{name}_{index}"
    for name in "KG"
    for index in ("11", "12", "22")
}

READINGS = {
    **_each(
        "delta-state gated-delta-state gated-delta-edge delta-interference delta-overlap "
        "delta-reading delta-error delta-horizon delta-explained delta-best-rate "
        "delta-best-share attention-best-decay attention-best-share delta-capacity "
        "attention-explained attention-crowded delta-rare-key delta-gaussian-keys "
        "implicit-delta-energy implicit-delta-state goose-energy",
        _KEYS,
    ),
    **_each(
        "ssd-time-constant ssd-mean-state random-step linoss-energy linoss-position "
        "linoss-growth linoss-drift linoss-implicit-frequency linoss-explicit-frequency "
        "bilinear-memory friction-modulus friction-position",
        _STEPS,
    ),
    **_each("linoss-invariant", {**_STEPS, "z": "z", "y": "y"}),
    **_each("ssd-log-rate trapezoid-weight", {"x": "x"}, side=1),
    **_each("euler-excess exact-hold", {**_STEPS, "x": "x"}, side=1),
    **_each("trapezoid-alternating", {"x": "x"}, side=1),
    **_each("ssd-still-head", {}, side=1),
    **_each("trapezoid-mask", _GATES),
    **_each("rotating-pairs", _PAIRS),
    **_each("delta-regression", _LEARNER, side=1),
    **_each("delta-tracking delta-gain delta-gain-error delta-random-rate", _LEARNER),
    **_each("delta-tracking-rate", {"Q": "Q"}, side=1),
    **_each("root-gate", {r"\tau": "root"}),
    **_each("bounded-gate typical-gate", {"b": "bound"}),
    **_each("uniform-gate-kernel uniform-gate-memory", {"l": "low"}),
    **_each("biased-memory", {r"\beta_0": "b_0", r"\beta_1": "b_1"}),
    **_each("exponential-gate-share exponential-gate-state", {"s": "spread", "f": "f"}),
    **_each(
        "slstm-state slstm-normaliser slstm-ratio slstm-drawn slstm-sensitivity "
        "slstm-sensitivity-finite slstm-relative-sensitivity",
        {"s": "spread", "f": "f"},
    ),
    **_each("lstm-edge", {"f": "f", "i": "i", "o": "o"}),
    **_each("gru-edge", _NEURONS),
    **_each("sigmoid-scale tanh-scale", {"w": "raw"}, side=1),
    **_each("exponential-scale", {"x": "x"}, side=1),
    **_each("correlated-noise correlated-volume", {"T": "taps"}),
    **_each("untied-kurtosis", {"k": "k"}),
    **_each("uniform-kurtosis", {"s": "spread"}, side=1),
    **_each("goose-polynomial", {**_ENTRIES, "z": "z"}),
    **_each("fitting-excess taper-exponent taper-gap taper-even", _SPECTRUM),
    **_each("goose-swap goose-least", {"w": "w", "w_0": "w_0", "s": "s"}),
    **_each("mimo-state", _COLUMNS),
    **_each(
        "mimo-state-start mimo-output-start", {"d": "d", "R": "rank", "b": "shift"}
    ),
}
