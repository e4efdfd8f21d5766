"""Layers whose decay is a gate that depends on the input, with or without a bias.

Each row gives ``-log|lam|`` at zero input as a function of the bias, whose default is
zero.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Options,
    Rest,
    Spelling,
    Without,
    sigmoid,
    softplus,
)

Rate = Callable[[np.ndarray, Options], np.ndarray]


def _of_sigmoid(bias: np.ndarray, options: Options) -> np.ndarray:
    """``lam = sigmoid(bias)^(1/normaliser)``."""
    return softplus(-bias) / options.get("normaliser", 1.0)


def _capped(bias: np.ndarray, options: Options) -> np.ndarray:
    """``lam = sigmoid(cap tanh(bias / cap))``."""
    cap = options.get("soft_cap")
    return softplus(-(bias if cap is None else cap * np.tanh(bias / cap)))


def _of_update(bias: np.ndarray, options: Options) -> np.ndarray:
    """``lam = 1 - sigmoid(bias)``."""
    return softplus(bias)


def _of_exponential(bias: np.ndarray, options: Options) -> np.ndarray:
    """``lam = exp(-exp(bias))``."""
    return np.exp(bias)


def _of_rwkv7(bias: np.ndarray, options: Options) -> np.ndarray:
    """``lam = exp(-exp(-1/2) sigmoid(bias))``: never below 0.545."""
    return math.exp(-0.5) * sigmoid(bias)


def _rest(rate: Rate, saturates: bool = True) -> Callable[[Arrays, Options], Rest]:
    """The recurrence at zero input, from the bias, or from zeros without a bias."""

    def rest(arrays: Arrays, options: Options) -> Rest:
        stored = arrays.get("bias")
        bias = np.zeros(options["sizes"]["h"]) if stored is None else np.squeeze(stored)
        row = bias.reshape(1, -1)
        gates = {"decay": row} if saturates and stored is not None else {}
        part = None if stored is None else bias
        return Rest(nu=rate(row, options), gates=gates, moved=True, part=part)

    return rest


def _gate(
    library: str,
    bias: str | None,
    shape: str,
    weights: Mapping[str, str],
    *,
    further: Mapping[str, str] | None = None,
    others: Mapping[str, str] | None = None,
    may: Mapping[str, str] | None = None,
    never: tuple[str, ...] = (),
    zero: bool = False,
    unmoved: bool = False,
    logs: bool = False,
) -> Spelling:
    """A gate by the name and the shape of its bias and of its matrices.

    Args:
        library: Whose names they are.
        bias: Its name; ``None`` where the gate has none.
        shape: Shape of the bias.
        weights: Shapes of the matrices, in the order in which inputs meet them.
        further: Shapes of matrices that are not in all models.
        others: Shapes of what else makes the family known.
        may: Shapes of what need not be there.
        never: Ends of names that belong to another family.
        zero: True if the library starts the bias at zero.
        unmoved: True if the library starts the matrices at zero.
        logs: True if the layer takes the exponential of the bias.
    """
    biases = () if bias is None else (bias,)
    starts = dict.fromkeys(biases, 0.0) if zero else {}
    starts |= dict.fromkeys(weights, 0.0) if unmoved else {}

    def roles(arrays: Arrays) -> Arrays:
        if bias is None or bias not in arrays:
            return {}
        return {"bias": arrays[bias]}

    return Spelling(
        library,
        {**dict.fromkeys(biases, shape), **weights, **(others or {})},
        {**(further or {}), **(may or {})},
        never=never,
        roles=roles,
        slow=biases,
        decay=biases,
        logs=biases if logs else (),
        moves=(*weights, *(further or ())),
        starts=starts,
    )


def _normalised(default: float) -> Callable[[Mapping[str, Any]], Options]:
    def configured(config: Mapping[str, Any]) -> Options:
        stored = config.get("gate_logit_normalizer")
        if isinstance(stored, int | float) and stored > 0:
            return {"normaliser": float(stored)}
        return {"normaliser": default}

    return configured


def _soft_cap(config: Mapping[str, Any]) -> Options:
    """xLSTM-7B caps gates at 15; the cells of the first release do not."""
    cap = config.get("gate_soft_cap")
    return {"soft_cap": float(cap)} if isinstance(cap, int | float) and cap > 0 else {}


PROJECTIONS: Mapping[str, str] = {"q_proj.weight": "x d", "k_proj.weight": "x d"}
SIGMOID = "sigmoid({first}) without inputs"
GLA = Family(
    "gla",
    "gated linear attention",
    (
        _gate(
            "fla",
            "gk_proj.1.bias",
            "g",
            {"gk_proj.0.weight": "r d", "gk_proj.1.weight": "g r"},
            zero=True,
        ),
        _gate(
            "fla: simple GLA", "gk_proj.bias", "h", {"gk_proj.weight": "h d"}, zero=True
        ),
    ),
    _rest(_of_sigmoid),
    None,
    ("gla", "simple_gla"),
    options=("normaliser",),
    configured=_normalised(16.0),
    modulus="sigmoid({first})^(1/{normaliser:g}) without inputs",
    longer="higher",
)

GSA = Family(
    "gsa",
    "gated slot attention",
    (
        _gate(
            "fla",
            None,
            "",
            {"f_proj.weight": "h d"},
            others=PROJECTIONS,
            never=("A_log", "f_proj.bias", "i_proj.weight"),
        ),
    ),
    _rest(_of_sigmoid),
    None,
    ("gsa",),
    options=("normaliser",),
    configured=_normalised(8.0),
    modulus="2^(-1/{normaliser:g}) without inputs",
)

HGRN = Family(
    "hgrn",
    "HGRN",
    tuple(
        _gate(
            library,
            None,
            "",
            {"f_proj.weight": "h d"},
            others={"i_proj.weight": "x d", other: "y d"},
            never=("A_log", "f_proj.bias", never),
        )
        for library, other, never in (
            ("fla: HGRN", "g_proj.weight", "q_proj.weight"),
            ("fla: HGRN2", "q_proj.weight", "g_proj.weight"),
        )
    ),
    _rest(_of_sigmoid),
    None,
    ("hgrn", "hgrn2"),
    modulus="1/2 without inputs, above the layer's lower bound",
)


def _bounds(arrays: Arrays, options: Options) -> Rest:
    """A row a layer: ``lam = b + (1 - b)/2``, and ``b`` sums shares over layers below."""
    logits = arrays["lower_bounds"]
    share = np.exp(logits - logits.max(0))
    share = share / share.sum(0)
    bound = np.cumsum(share, 0) - share[0]
    return Rest(nu=-np.log1p(-(1 - bound) / 2), moved=True)


HGRN_BOUNDS = Family(
    "hgrn-bounds",
    "the lower bounds of HGRN",
    (
        Spelling(
            "fla",
            {"lower_bounds": "l c"},
            slow=("lower_bounds",),
            decay=("lower_bounds",),
            starts={"lower_bounds": 0.0},
        ),
    ),
    _bounds,
    None,
    ("hgrn", "hgrn2"),
    modulus="(1 + b)/2 without inputs, b the sum of softmax({first}) over lower layers",
    longer="higher",
)

FOX = Family(
    "fox",
    "the forgetting transformer",
    (
        _gate(
            "fla",
            "f_proj.bias",
            "h",
            {"f_proj.weight": "h d"},
            others=PROJECTIONS,
            never=("A_log",),
            zero=True,
        ),
        _gate(
            "forgetting-transformer",
            "fgate_proj.bias",
            "h",
            {"fgate_proj.weight": "h d"},
            zero=True,
        ),
    ),
    _rest(_of_sigmoid),
    None,
    ("forgetting_transformer",),
    modulus=SIGMOID,
    longer="higher",
)

MESA = Family(
    "mesanet",
    "MesaNet",
    (
        _gate(
            "fla",
            "a_proj.bias",
            "h",
            {"a_proj.weight": "h d"},
            others={"lambda_params": "x"},
            zero=True,
        ),
    ),
    _rest(_of_sigmoid),
    None,
    ("mesa_net",),
    modulus=SIGMOID,
    longer="higher",
)

MINGRU = Family(
    "mingru",
    "the minGRU",
    (
        _gate(
            "Were RNNs All We Needed",
            "linear_z.bias",
            "h",
            {"linear_z.weight": "h d"},
            others={"linear_h.weight": "h d"},
            may={"linear_h.bias": "h"},
            zero=True,
        ),
        _gate(
            "minGRU-pytorch",
            None,
            "",
            {"to_hidden_and_gate.weight": "2h d"},
        ),
    ),
    _rest(_of_update),
    None,
    modulus="1 - sigmoid({first}) without inputs",
)

RWKV6 = Family(
    "rwkv6",
    "RWKV-5 and RWKV-6",
    (
        _gate(
            "fla",
            "w_proj.linear.lora.2.bias",
            "k",
            {
                "w_proj.linear.lora.0.weight": "r d",
                "w_proj.linear.lora.2.weight": "k r",
            },
            may={"bonus": "h s"},
            zero=True,
            logs=True,
        ),
        _gate(
            "BlinkDL/RWKV-LM, transformers",
            "time_decay",
            "1 1 c | h s",
            {},
            others={"time_faaaa": "h s"},
            further={"time_decay_w1": "d r", "time_decay_w2": "r c"},
            logs=True,
        ),
    ),
    _rest(_of_exponential, saturates=False),
    None,
    ("rwkv5", "rwkv6"),
    modulus="exp(-exp({first})) without inputs",
)

RWKV7 = Family(
    "rwkv7",
    "RWKV-7",
    (
        _gate(
            "fla",
            "w_lora.lora.2.bias",
            "k",
            {"w_lora.lora.0.weight": "r d", "w_lora.lora.2.weight": "k r"},
        ),
        _gate(
            "BlinkDL/RWKV-LM",
            "w0",
            "1 1 c | c",
            {"w1": "d r", "w2": "r c"},
            others={"r_k": "h s"},
        ),
    ),
    _rest(_of_rwkv7),
    None,
    ("rwkv7",),
    erases=True,
    modulus="exp(-0.607 sigmoid({first})) without inputs",
)

MLSTM = Family(
    "mlstm",
    "the mLSTM of xLSTM",
    (
        *(
            _gate(
                library,
                f"fgate{end}.bias",
                "h",
                {f"fgate{end}.weight": "h d"},
                others={f"igate{end}.bias": "h"},
                may={f"igate{end}.weight": "h d"},
                unmoved=True,
            )
            for library, end in (
                ("NX-AI/xlstm", ""),
                ("NX-AI/xlstm large, transformers", "_preact"),
            )
        ),
        Spelling(
            "NX-AI/xlstm large, fused",
            {"ifgate_preact.bias": "2h", "ifgate_preact.weight": "2h d"},
            roles=lambda arrays: {
                "bias": arrays["ifgate_preact.bias"][
                    len(arrays["ifgate_preact.bias"]) // 2 :
                ]
            },
            slow=("ifgate_preact.bias",),
            decay=("ifgate_preact.bias",),
            moves=("ifgate_preact.weight",),
            starts={"ifgate_preact.weight": 0.0},
        ),
    ),
    _rest(_capped),
    None,
    ("xlstm",),
    options=("soft_cap",),
    configured=_soft_cap,
    modulus=SIGMOID,
    longer="higher",
)


def _slstm(arrays: Arrays, options: Options) -> Rest:
    """The forget gate is the second of four, of each head or of all heads."""
    heads = options["sizes"]["n"]
    if "by_head" in arrays:
        bias = arrays["by_head"].reshape(heads, 4, -1)[:, 1]
    else:
        bias = arrays["by_gate"].reshape(4, heads, -1)[1]
    return _rest(_of_sigmoid)({"bias": bias}, options)


def _cell(library: str, kernel: str, order: str) -> Spelling:
    """The shape of the recurrent kernel tells the order of the flat biases."""
    name = "slstm_cell._bias_"
    return Spelling(
        library,
        {name: "b", "slstm_cell._recurrent_kernel_": kernel},
        {f"{gate}gate.weight": "n s s" for gate in "ifzo"},
        roles=lambda arrays: {order: arrays[name]},
        slow=(name,),
        decay=(name,),
        moves=("slstm_cell._recurrent_kernel_", "fgate.weight"),
    )


SLSTM = Family(
    "slstm",
    "the sLSTM of xLSTM",
    (
        _cell("NX-AI/xlstm: CUDA", "n s 4s", "by_head"),
        _cell("NX-AI/xlstm: vanilla", "n 4s s", "by_gate"),
    ),
    _slstm,
    None,
    modulus="sigmoid(b_f) without inputs, b_f the forget biases in {first}",
    longer="higher",
)


def _fixed(arrays: Arrays, options: Options) -> Rest:
    return Rest(nu=arrays["slope_rate"].reshape(-1, 1))


MINIMAX = Family(
    "minimax",
    "MiniMax's lightning attention",
    (
        Spelling(
            "transformers",
            {"slope_rate": "h 1 1"},
            {
                "query_decay": "h b 1",
                "key_decay": "h b 1",
                "diagonal_decay": "1 h b b",
            },
            slow=("slope_rate",),
            decay=("slope_rate",),
        ),
    ),
    _fixed,
    None,
    ("minimax",),
    fixed=True,
    modulus="exp(-{first})",
)

OF_RETENTION = {
    **dict.fromkeys(("q_proj.weight", "k_proj.weight"), "x d"),
    **dict.fromkeys(("v_proj.weight", "g_proj.weight"), "y d"),
}
WITHOUT = (
    Without(
        "RetNet",
        "its decay is fixed at 1 - 2^(-5 - head) and not stored",
        OF_RETENTION,
        models=("retnet",),
    ),
    Without(
        "MiniMax's lightning attention",
        "its decay is fixed and not stored here",
        {"qkv_proj.weight": "3d d"},
        never=("slope_rate",),
        models=("minimax", "minimax_m1", "minimax_text_01"),
    ),
    Without(
        "LFM2's convolution",
        "it is a short convolution and has no recurrence",
        {"conv.conv.weight": "d 1 k", "conv.in_proj.weight": "3d d"},
    ),
    Without(
        "linear attention",
        "it sums over all inputs and never decays",
        {"feature_map_q.layer1.weight": "x y", "feature_map_k.layer1.weight": "x y"},
    ),
    Without(
        "ABC",
        "inputs alone make its decay, and no bias is stored",
        {"s_proj.weight": "y d", **PROJECTIONS},
    ),
    Without(
        "LightNet",
        "inputs alone make its decay, and no bias is stored",
        {"g_proj.0.weight": "y d", "g_proj.1.weight": "z y", **PROJECTIONS},
        models=("lightnet",),
    ),
)
