r"""Meanings of the letters in our statements on random coefficients.

The module ``sigprop.theory.readings`` defines the format of these meanings.
"""

from sigprop.theory.reading import Reading

_PAIRS = ("ab", "ac", "ad", "bc", "bd", "cd")
_MEANS = {rf"\mathbb{{E}}[{letters}]": f"E_{letters}" for letters in _PAIRS}
_MEANS |= {rf"\mathbb{{E}}[{letter}^2]": f"E_{letter * 2}" for letter in "abcd"}
_MEANS |= {rf"\mathbb{{E}}[{letter}]": f"E_{letter}" for letter in "abcd"}
_STATE = "E_b/(1 - E_a)"
_SENSITIVITY = f"(E_c*{_STATE} + E_d)/(1 - E_a)"
_SQUARE = f"(E_bb + 2*E_ab*{_STATE})/(1 - E_aa)"
_MIXED = (
    f"(E_ac*{_SQUARE} + E_ab*{_SENSITIVITY} + (E_ad + E_bc)*{_STATE} + E_bd)/(1 - E_aa)"
)
_LIMITS = {r"\bar{h}": _STATE, r"\bar{s}": _SENSITIVITY, "H": _SQUARE, "P": _MIXED}
_STAYING = {
    r"\mathbb{E}[a \psi]": "F_a",
    r"\mathbb{E}[b \psi]": "F_b",
    r"\mathbb{E}[a^2 \phi]": "F_aa",
    r"\mathbb{E}[b^2 \phi]": "F_bb",
    r"\mathbb{E}[a b \psi \phi]": "F_ab",
    r"\mathbb{E}[a b^2 \psi \phi]": "F_abb",
    r"\bar{h}": "F_b/(1 - (1 - rho)*F_a)",
}  # psi = 1/(1 - rho a) and phi = 1/(1 - rho a^2) occur only in expectations

READINGS = {
    "sigprop:remembering-state": Reading(_STAYING, side=1),
    "sigprop:random-state": Reading(_MEANS, side=1),
    "sigprop:random-state-limit": Reading(_MEANS | _LIMITS, side=1),
    "sigprop:random-sensitivity": Reading(_MEANS | _LIMITS, side=1),
}
