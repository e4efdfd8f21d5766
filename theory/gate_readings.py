r"""What the letters of our statements on random coefficients mean.

``theory.readings`` says how such meanings are written.
"""

from theory.reading import Reading

_PAIRS = ("ab", "ac", "ad", "bc", "bd", "cd")
_MEANS = {rf"\mathbb{{E}}[{letters}]": f"E_{letters}" for letters in _PAIRS}
_MEANS |= {rf"\mathbb{{E}}[{letter}^2]": f"E_{letter * 2}" for letter in "abcd"}
_MEANS |= {rf"\mathbb{{E}}[{letter}]": f"E_{letter}" for letter in "abcd"}
_STATE = "E_b/(1 - E_a)"
_SLOPE = f"(E_c*{_STATE} + E_d)/(1 - E_a)"
_SQUARE = f"(E_bb + 2*E_ab*{_STATE})/(1 - E_aa)"
_MIXED = f"(E_ac*{_SQUARE} + E_ab*{_SLOPE} + (E_ad + E_bc)*{_STATE} + E_bd)/(1 - E_aa)"
_LIMITS = {r"\bar{h}": _STATE, r"\bar{s}": _SLOPE, "H": _SQUARE, "P": _MIXED}

READINGS = {
    "sigprop:random-state": Reading(_MEANS, side=1),
    "sigprop:random-state-limit": Reading(_MEANS | _LIMITS, side=1),
    "sigprop:random-sensitivity": Reading(_MEANS | _LIMITS, side=1),
}
