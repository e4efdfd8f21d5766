"""A family's own words for its decay, and for what makes time constants longer."""

from sigprop.networks.foreign import ForeignLayer

STEPPED = ("s5", "s4d", "mamba", "mamba2", "gated-deltanet", "kda")
SOFTPLUS = ("mamba", "mamba2", "gated-deltanet", "kda")


def words(recurrence: ForeignLayer) -> dict[str, str]:
    """What a rule says of a layer, with the names of its file.

    Returns:
        ``lam``: the closed form of the modulus; ``longer`` and ``shorter``: what makes
        time constants longer and shorter; ``frozen``: what becomes of a state that does
        not decay; ``steps``: how step sizes are initialised;
        ``twice``: how they become far too small.
    """
    family = recurrence.family.name
    names = [recurrence.local(name) for name in recurrence.spelling.decay]
    first, last = (names[0], names[-1]) if names else ("", "")
    smaller = f"smaller steps, so lower {last}"
    larger = f"larger steps, so higher {last}"
    longer, shorter = {
        "lru": ("a larger r_max", "a smaller r_max"),
        "rotrnn": (f"lower {first}", f"higher {first}"),
        "rglru": (f"lower {first}", f"higher {first}"),
        "rwkv4": (f"lower {first}", f"higher {first}"),
        "gru": ("an update bias of log(L - 1)", "a lower update bias"),
        "lstm": ("a forget bias of log(L - 1)", "a lower forget bias"),
        **dict.fromkeys(STEPPED, (smaller, larger)),
    }[family]
    frozen = "E|h_T|^2 = (1 - |lam|^2T)/(1 - |lam|^2) tends to T for white inputs"
    if recurrence.family.erases:
        frozen = (
            "the delta rule erases the state along keys that return, also at |lam| = 1"
        )
    inverse = "inverse softplus" if family in SOFTPLUS else "logarithm"
    applied = "softplus" if family in SOFTPLUS else "exp"
    return {
        "lam": _modulus(recurrence, first, last),
        "frozen": frozen,
        "longer": longer,
        "shorter": shorter,
        "steps": f"set {last} to the {inverse} of log-uniform steps, after other "
        "initialisers",
        "twice": f"check whether dt is squared, or {applied} is applied twice",
    }


def _modulus(recurrence: ForeignLayer, first: str, last: str) -> str:
    family, spelling = recurrence.family.name, recurrence.spelling
    if family in ("gru", "lstm"):
        gate = {"gru": "z = sigmoid(b_z)", "lstm": "f = sigmoid(b_f)"}[family]
        return f"|lam| = {gate} without inputs"
    if family == "rglru":
        return f"|lam| = exp(-8 softplus({first}) r), r the recurrence gate"
    rate = f"-exp({first})" if spelling.decay[0] in spelling.logs else first
    if "lower_bound" in recurrence.options:
        bound = recurrence.options["lower_bound"]
        return f"|lam| = exp({bound:g} sigmoid(exp({first}) {last}))"
    if family in SOFTPLUS:
        return f"|lam| = exp({rate} softplus({last}))"
    if family in STEPPED:
        return f"|lam| = exp({rate} exp({last}))"
    return f"|lam| = exp({rate})"
