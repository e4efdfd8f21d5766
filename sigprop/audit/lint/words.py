"""Phrases about a layer's decay, with the parameter names of its checkpoint."""

from sigprop.networks.foreign import ForeignLayer


def words(recurrence: ForeignLayer) -> dict[str, str]:
    """Return phrases for the placeholders in a rule's text, with the names of the file.

    Returns:
        A dictionary with these keys.  ``lam`` is the closed form of the modulus.
        ``longer`` and ``shorter`` name the change that makes time constants longer or
        shorter.  ``frozen`` describes a state that does not decay.  ``steps`` is advice
        for initialising step sizes.  ``twice`` is advice for step sizes that are far too
        small.
    """
    family = recurrence.family.name
    names = [recurrence.local(name) for name in recurrence.spelling.decay]
    first, last = (names[0], names[-1]) if names else ("0", "0")
    direction = recurrence.family.longer
    if recurrence.options.get("quantity", "nu") != "nu":  # of a plain decay
        direction = "higher"
    other = "higher" if direction == "lower" else "lower"
    longer, shorter = {
        "lru": ("a larger r_max", "a smaller r_max"),
        "gru": ("an update bias of log(L - 1)", "a lower update bias"),
        "lstm": ("a forget bias of log(L - 1)", "a lower forget bias"),
    }.get(family, (f"{direction} {first}", f"{other} {first}"))
    if recurrence.family.step:
        longer = f"smaller steps, so lower {last}"
        shorter = f"larger steps, so higher {last}"
    elif not names and family not in ("gru", "lstm"):
        longer = shorter = "biases in the gate of the decay"
    frozen = "E|h_T|^2 = (1 - |lam|^2T)/(1 - |lam|^2) tends to T for white inputs"
    if recurrence.family.erases:
        frozen = (
            "the delta rule erases the state along keys that return, also at |lam| = 1"
        )
    soft = recurrence.family.step == "softplus"
    inverse = "inverse softplus" if soft else "logarithm"
    applied = "softplus" if soft else "exp"
    return {
        "lam": _modulus(recurrence, first, last),
        "frozen": frozen,
        "longer": longer,
        "shorter": shorter,
        "steps": f"set {last} to the {inverse} of log-uniform steps, after other "
        "initialisers",
        "twice": f"check whether dt is squared, or {applied} is applied twice",
    }


def _filled(recurrence: ForeignLayer, first: str, last: str) -> str:
    filled = {**recurrence.options, "first": first, "last": last}
    return recurrence.family.modulus.format(**filled)


def _modulus(recurrence: ForeignLayer, first: str, last: str) -> str:
    family, spelling = recurrence.family, recurrence.spelling
    if "lower_bound" in recurrence.options:
        bound = recurrence.options["lower_bound"]
        return f"|lam| = exp({bound:g} sigmoid(exp({first}) {last}))"
    if family.modulus:
        return f"|lam| = {_filled(recurrence, first, last)}"
    rate = f"-exp({first})" if spelling.decay[0] in spelling.logs else first
    return f"|lam| = exp({rate} exp({last}))" if family.step else f"|lam| = exp({rate})"
