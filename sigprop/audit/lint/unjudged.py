"""Names of tensors that look recurrent, so that the linter ignores none without a note."""

import re

from sigprop.networks.foreign.find import dotted

# Parts of names for decays, time scales, gates and recurrent weights.
TELLING = re.compile(
    r"(?<![a-z])("
    r"a(_[a-z]+)?_logs?|a_re(al)?|a_im(ag)?|a_param|a_diag|log_a(_[a-z]+)?"
    r"|nu|log_nu|theta_log|gamma_log|lambdas?|decays?|slope_rate"
    r"|dts?|log_step|forget|w0|recurrent_param|recurrent_kernel|weight_hh"
    r"|(?<!output_)(?<!o_)gate(?!_proj|_up)|[aif]gate"
    r")(?![a-z])"
)
# Modules whose output is a decay; the last part of the name decides.
PROJECTED = re.compile(
    r"(?<![a-z])(gk_proj|w_lora|w_proj\.linear|fgate\w*|forget_gate\w*|forget_base"
    r"|lower_bounds|tau_gate_proj|alpha_log_scale|log_atk_scale)(?![a-z])"
)
# Modules whose gates are not recurrent: feed-forward layers, routers, adapters.
ELSEWHERE = re.compile(
    r"(?<![a-z])(mlp|moe|ffn|feed_?forward|experts?|router|glu|lora_[ab])(?![a-z])"
)


def looks_recurrent(name: str, size: int) -> bool:
    """Return True if a tensor's name is typical of the decay of a recurrent layer.

    Args:
        name: Full name of a tensor.
        size: Number of entries.  A single entry is treated as a setting, not a decay.

    Example:
        >>> looks_recurrent("layers.0.mixer.A_b_log", 64)
        True
        >>> looks_recurrent("layers.0.mlp.gate.weight", 64)
        False
    """
    plain = dotted(name).lower()
    last = ".".join(plain.split(".")[-2:])
    if size < 2 or "norm" in last or ELSEWHERE.search(plain):
        return False
    if TELLING.search(last) or PROJECTED.search(".".join(plain.split(".")[-5:])):
        return True
    return dotted(name).split(".")[-1] == "A"
