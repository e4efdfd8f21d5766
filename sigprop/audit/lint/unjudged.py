"""Names that look recurrent, so that no tensor is passed over in silence."""

import re

from sigprop.networks.foreign.find import dotted

# Parts of names that stand for a decay, its time scale, its gates or a feedback.
TELLING = re.compile(
    r"(?<![a-z])("
    r"a(_[a-z]+)?_logs?|a_re(al)?|a_im(ag)?|a_param|a_diag|log_a(_[a-z]+)?"
    r"|nu|log_nu|theta_log|gamma_log|lambdas?|decays?|slope_rate"
    r"|dts?|log_step|forget|w0|recurrent_param|recurrent_kernel|weight_hh"
    r"|(?<!output_)(?<!o_)gate(?!_proj|_up)|[aif]gate"
    r")(?![a-z])"
)
# Modules whose output is a decay: what stands behind their name decides it.
PROJECTED = re.compile(
    r"(?<![a-z])(gk_proj|w_lora|w_proj\.linear|fgate\w*|forget_gate\w*|forget_base"
    r"|lower_bounds|tau_gate_proj|alpha_log_scale|log_atk_scale)(?![a-z])"
)
# Where gates and steps are no recurrence's: feed-forward layers, routers, norms, adapters.
ELSEWHERE = re.compile(
    r"(?<![a-z])(mlp|moe|ffn|feed_?forward|experts?|router|glu|lora_[ab])(?![a-z])"
)


def looks_recurrent(name: str, size: int) -> bool:
    """Return True if recurrent layers give a tensor of this name to their decay.

    Args:
        name: Name of a tensor, with all that precedes.
        size: How many numbers it has; a single one is a setting.

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
