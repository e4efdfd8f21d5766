"""Layers of fla 0.6, transformers 5.24 and their authors, as each release starts them.

A row has the names of the release, a draw of its initialisation, and defects by kind: what
is changed, and the rule that must find it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.sigprop.audit.lint.healthy import f4, inverse_softplus, log_uniform

HIDDEN, HEADS = 32, 8
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Release:
    """A layer under the names of its release.

    Attributes:
        family: Title under which it is judged, of its first layer.
        prefix: Of its names.
        draw: Its arrays by the names behind the prefix.
        defects: By kind, arrays or numbers that replace those of a name, and the rule.
        config: What ``config.json`` says.
        above: Arrays of the whole model, with no prefix.
        layers: How many recurrences it has.
    """

    family: str
    prefix: str
    draw: Callable[[np.random.Generator], Arrays]
    defects: Mapping[str, tuple[Mapping[str, Any], str]]
    config: Mapping[str, Any] | None = None
    above: Mapping[str, np.ndarray] = field(default_factory=dict)
    layers: int = 1

    def arrays(self, seed: int) -> Arrays:
        """All arrays by their whole names."""
        own = f4(**self.draw(np.random.default_rng(seed)))
        return {f"{self.prefix}{name}": array for name, array in own.items()} | {
            name: np.asarray(array, np.float32) for name, array in self.above.items()
        }

    def broken(self, seed: int, kind: str) -> Arrays:
        """The same with a defect."""
        arrays = self.arrays(seed)
        for name, new in self.defects[kind][0].items():
            full = name if name in arrays else f"{self.prefix}{name}"
            old = arrays[full]
            value = new(old) if callable(new) else np.full_like(old, new)
            arrays[full] = np.asarray(value, old.dtype)
        return arrays


def matrix(g, *shape):
    return 0.02 * g.normal(size=shape)


def steps(g, *shape):
    return inverse_softplus(log_uniform(g, shape))


def attention(g, *, gated=True):
    """The projections and convolutions that nearly all of these layers have."""
    names = ("q_proj", "k_proj", "v_proj", "o_proj", *(("g_proj",) if gated else ()))
    maps = {f"{name}.weight": matrix(g, HIDDEN, HIDDEN) for name in names}
    return maps | {f"{x}_conv1d.weight": matrix(g, HIDDEN, 1, 4) for x in "qkv"}


def a_log(g, least=0.0, size=HEADS):
    return np.log(g.uniform(least, 16, size))


def holed(old):
    """A NaN among numbers that are fine."""
    new = old.copy()
    new.reshape(-1)[old.size // 2] = np.nan
    return new


def never_drawn(log, bias, erases=False):
    """Defects of a layer with a logarithm and a step for each head."""
    return {
        "NaN": ({log: holed}, "decay-not-finite"),
        "infinite": ({log: -np.inf}, "decay-not-finite"),
        "decay of 1": ({bias: -40.0}, "steps-small"),
        "decay of 0": ({log: 6.0, bias: 3.0}, "mode-instant"),
        "constant": ({log: 0.7, bias: -3.0}, "one-memory"),
        "zeros": ({log: 0.0, bias: 0.0}, "decay-all-zero"),
    }


def heads(g, **more):
    return {
        **attention(g),
        "A_log": a_log(g),
        "dt_bias": steps(g, HEADS),
        "a_proj.weight": matrix(g, HEADS, HIDDEN),
        "b_proj.weight": matrix(g, HEADS, HIDDEN),
        **more,
    }


def kda(log_shape, bias_shape, down, up):
    def draw(g):
        return {
            **attention(g),
            "A_log": a_log(g, 1.0, log_shape),
            "dt_bias": steps(g, *bias_shape),
            f"{down}.weight": matrix(g, 8, HIDDEN),
            f"{up}.weight": matrix(g, 64, 8),
            "b_proj.weight": matrix(g, HEADS, HIDDEN),
        }

    return draw


def bailing(g):
    return {
        **attention(g),
        "A_log": a_log(g, 1.0),
        "dt_bias": steps(g, 64),
        "f_proj.weight": matrix(g, 64, HIDDEN),
        "b_proj.weight": matrix(g, HEADS, HIDDEN),
    }


def qwen(*maps):
    def draw(g):
        sizes = {"in_proj_ba": 2 * HEADS, "in_proj_a": HEADS, "in_proj_b": HEADS}
        return {
            "A_log": a_log(g),
            "dt_bias": np.ones(HEADS),
            "conv1d.weight": matrix(g, 128, 1, 4),
            "out_proj.weight": matrix(g, HIDDEN, HIDDEN),
            **{
                f"{name}.weight": matrix(g, sizes.get(name, 96), HIDDEN)
                for name in maps
            },
        }

    return draw


def preconditioned(draw):
    def both(g):
        return {
            **draw(g),
            "A_log_atk": a_log(g),
            "dt_bias_atk": steps(g, HEADS),
            "b_atk_proj.weight": matrix(g, HEADS, HIDDEN),
            "a_atk_proj.weight": matrix(g, HEADS, HIDDEN),
            "log_atk_scale": np.full(HEADS, -0.2),
        }

    return both


OF_PRECONDITIONER = {
    f"{kind} in the preconditioner": defect
    for kind, defect in never_drawn("A_log_atk", "dt_bias_atk").items()
}


def mamba2(g, **more):
    return {
        "A_log": a_log(g, 1.0),
        "D": np.ones(HEADS),
        "dt_bias": steps(g, HEADS),
        "in_proj.weight": matrix(g, 96, HIDDEN),
        "conv1d.weight": matrix(g, 64, 1, 4),
        "out_proj.weight": matrix(g, HIDDEN, HIDDEN),
        **more,
    }


def mamba3(g):
    return {
        "B_bias": np.ones((HEADS, 1, 16)),
        "C_bias": np.ones((HEADS, 1, 16)),
        "D": np.ones(HEADS),
        "dt_bias": steps(g, HEADS),
        "in_proj.weight": matrix(g, 96, HIDDEN),
        "out_proj.weight": matrix(g, HIDDEN, HIDDEN),
    }


def lowered(bias, *, high, low, of_low="mode-instant", of_high="mode-frozen"):
    """Defects of a bias by which the decay is nearly 1 or 0."""
    return {
        "NaN": ({bias: holed}, "decay-not-finite"),
        "infinite": ({bias: np.inf}, "decay-not-finite"),
        "decay of 1": ({bias: high}, of_high),
        "decay of 0": ({bias: low}, of_low),
    }


def constant(*weights, value=0.0):
    return {"constant": (dict.fromkeys(weights, value), "gate-constant")}


def hgrn(*others):
    def draw(g):
        names = ("f_proj", "i_proj", "o_proj", *others)
        return {f"{name}.weight": matrix(g, HIDDEN, HIDDEN) for name in names}

    return draw


OF_HGRN = {
    "NaN": ({"f_proj.weight": holed}, "weights-not-finite"),
    "NaN in the bounds": ({"model.lower_bounds": holed}, "decay-not-finite"),
    "decay of 1": (
        {"model.lower_bounds": lambda old: old + 60 * np.eye(len(old))[:, 1:2]},
        "mode-frozen",
    ),
    "saturated": ({"f_proj.weight": lambda old: 1e5 * old}, "gates-saturated"),
    **constant("f_proj.weight", value=0.3),
    "zeros": ({"f_proj.weight": 0.0}, "gate-constant"),
}


def rwkv7_bias(g, size=HIDDEN, head=16):
    depth, n = g.uniform(), np.arange(size)
    zigzag = (n % head - (head - 1) / 2) / ((head - 1) / 2)
    ramp = -6 + 6 * (n / (size - 1)) ** (1 + depth**0.3)
    return ramp + 0.5 + 2.5 * zigzag * np.abs(zigzag)


def rwkv7(g):
    lora = {}
    for name, biased in (("w", True), ("a", True), ("g", False)):
        lora[f"{name}_lora.lora.0.weight"] = np.zeros((8, HIDDEN))
        lora[f"{name}_lora.lora.2.weight"] = matrix(g, HIDDEN, 8)
        if biased:
            lora[f"{name}_lora.lora.2.bias"] = rwkv7_bias(g)
    return {**attention(g, gated=False), **lora, "r_k": np.full((2, 16), -0.04)}


def forget_rows(change, order):
    """The forget biases of an sLSTM, of its flat biases."""

    def changed(old):
        shape = (4, 4, 8)
        split = old.copy().reshape(shape)
        index = (slice(None), 1) if order == "by head" else 1
        split[index] = change
        return split.reshape(-1)

    return changed


def slstm(order):
    def draw(g):
        ramp = 5 - 12 * (np.arange(8) / 7) ** (0.3 + 1.3 * g.uniform())
        zeros = np.zeros((4, 4, 8))
        by_head = (slice(None), 1) if order == "by head" else 1
        zeros[by_head] = ramp
        kernel = (4, 8, 32) if order == "by head" else (4, 32, 8)
        return {
            "slstm_cell._bias_": zeros.reshape(-1),
            "slstm_cell._recurrent_kernel_": np.zeros(kernel),
            **{f"{gate}gate.weight": matrix(g, 4, 8, 8) for gate in "ifzo"},
        }

    defects = {
        "NaN": ({"slstm_cell._bias_": forget_rows(np.nan, order)}, "decay-not-finite"),
        "NaN in any gate": ({"slstm_cell._bias_": holed}, "weights-not-finite"),
        "decay of 1": (
            {"slstm_cell._bias_": forget_rows(40.0, order)},
            "mode-frozen",
        ),
        "decay of 0": (
            {"slstm_cell._bias_": forget_rows(-40.0, order)},
            "mode-instant",
        ),
        "constant": ({"slstm_cell._bias_": forget_rows(3.0, order)}, "one-memory"),
        "zeros": ({"slstm_cell._bias_": 0.0}, "decay-all-zero"),
    }
    return draw, defects


def mlstm(end, gates_in):
    def draw(g):
        return {
            f"fgate{end}.bias": np.linspace(3, 6, HEADS),
            f"fgate{end}.weight": np.zeros((HEADS, gates_in)),
            f"igate{end}.bias": np.full(HEADS, -10.0),
            f"igate{end}.weight": np.zeros((HEADS, gates_in)),
        }

    return draw


def fused_mlstm(g):
    bias = np.concatenate([np.full(HEADS, -10.0), np.linspace(3, 6, HEADS)])
    return {"ifgate_preact.bias": bias, "ifgate_preact.weight": np.zeros((16, HIDDEN))}


def minimax(g):
    slopes = 2.0 ** -np.arange(1, HEADS + 1)[:, None, None]
    block = np.arange(1, 9)[None, :, None]
    return {
        "slope_rate": slopes,
        "query_decay": np.exp(-slopes * block),
        "key_decay": np.exp(-slopes * (8 - block)),
        "diagonal_decay": np.exp(-slopes[None] * np.tri(8)[None, None]),
        "qkv_proj.weight": matrix(g, 96, HIDDEN),
        "out_proj.weight": matrix(g, HIDDEN, HIDDEN),
        "output_gate.weight": matrix(g, HIDDEN, HIDDEN),
    }


def hawk(g, hidden=64):
    return {
        "forget_base": np.linspace(-4.323, -9, hidden),
        "alpha_log_scale": np.full(1, -8.0),
        "gates.weight": g.normal(size=(2 * hidden, hidden)) * hidden**-0.5,
        "gates.bias": g.uniform(-1, 1, 2 * hidden) * hidden**-0.5,
        "input.weight": matrix(g, 2 * hidden, HIDDEN),
        "output.weight": matrix(g, HIDDEN, hidden),
    }


def mamba1(g, suffix=""):
    name = "A_b_log" if suffix else "A_log"
    return {
        name: np.log(np.tile(np.arange(1, 17), (64, 1))),
        f"D{suffix}": np.ones(64),
        f"dt_proj{suffix}.weight": g.uniform(-0.5, 0.5, (64, 4)),
        f"dt_proj{suffix}.bias": steps(g, 64),
        f"x_proj{suffix}.weight": matrix(g, 36, 64),
    }


def vmamba(g):
    return {
        "A_logs": np.log(np.tile(np.arange(1, 5), (128, 1))),
        "Ds": np.ones(128),
        "dt_projs_bias": steps(g, 4, 32),
        "dt_projs_weight": g.uniform(-0.5, 0.5, (4, 32, 2)),
        "x_proj_weight": matrix(g, 4, 10, 32),
    }


def linear(g, bias=None, **shapes):
    """Maps by name; biases as PyTorch's linear layers draw them, or all of one number."""
    arrays = {}
    for name, (rows, columns, biased) in shapes.items():
        arrays[f"{name}__weight"] = matrix(g, rows, columns)
        if biased:
            bound = columns**-0.5
            drawn = g.uniform(-bound, bound, rows)
            arrays[f"{name}__bias"] = drawn if bias is None else np.full(rows, bias)
    return {name.replace("__", "."): array for name, array in arrays.items()}


A = ("A_log", "dt_bias")
BOUNDED = {
    "model_type": "bailing_hybrid",
    "kda_safe_gate": True,
    "kda_lower_bound": -5.0,
}
OF_BOUNDED = {
    "NaN": ({"dt_bias": holed}, "decay-not-finite"),
    "decay of 1": ({"dt_bias": -40.0}, "mode-frozen"),
    "decay of 0": ({"dt_bias": 40.0}, "one-memory"),
    "constant": ({"A_log": 0.0, "dt_bias": -2.0}, "one-memory"),
    "zeros": ({"A_log": 0.0, "dt_bias": 0.0}, "decay-all-zero"),
}
QWEN = {k: v for k, v in never_drawn(*A).items() if k != "constant"}
QWEN |= {"constant": ({"A_log": 0.7}, "one-memory")}
BOUNDS = {"model.lower_bounds": np.zeros((4, HIDDEN))}
GK = ("gk_proj.0.weight", "gk_proj.1.weight")
W_LORA = ("w_proj.linear.lora.0.weight", "w_proj.linear.lora.2.weight")
CUDA, VANILLA = slstm("by head"), slstm("by gate")

RELEASES: dict[str, Release] = {
    "Kimi Linear": Release(
        "KDA",
        "model.layers.0.self_attn.",
        kda((1, 1, HEADS, 1), (64,), "f_a_proj", "f_b_proj"),
        {**never_drawn(*A), **constant("f_a_proj.weight", "f_b_proj.weight")},
    ),
    "Kimi Linear of transformers": Release(
        "KDA",
        "model.layers.0.self_attn.",
        kda((HEADS, 1), (HEADS, 8), "forget_gate_down", "forget_gate_up"),
        never_drawn(*A),
    ),
    "KDA of fla": Release(
        "KDA",
        "model.layers.0.attn.",
        kda((HEADS,), (64,), "f_proj.0", "f_proj.1"),
        never_drawn(*A),
    ),
    "bailing_hybrid": Release(
        "KDA", "model.layers.0.attention.", bailing, OF_BOUNDED, BOUNDED
    ),
    "Qwen3-Next": Release(
        "gated DeltaNet",
        "model.layers.0.linear_attn.",
        qwen("in_proj_qkvz", "in_proj_ba"),
        QWEN,
    ),
    "Qwen3.5": Release(
        "gated DeltaNet",
        "model.layers.0.linear_attn.",
        qwen("in_proj_qkv", "in_proj_z", "in_proj_a", "in_proj_b"),
        QWEN,
    ),
    "Comba": Release(
        "Comba",
        "model.layers.0.attn.",
        lambda g: heads(g, decay=np.ones(HEADS), D=np.full(HEADS, 0.02)),
        never_drawn(*A),
    ),
    "preconditioned gated DeltaNet": Release(
        "gated DeltaNet",
        "model.layers.0.attn.",
        preconditioned(heads),
        never_drawn(*A) | OF_PRECONDITIONER,
        layers=2,
    ),
    "preconditioned KDA": Release(
        "KDA",
        "model.layers.0.attn.",
        preconditioned(kda((HEADS,), (64,), "f_proj.0", "f_proj.1")),
        never_drawn(*A) | OF_PRECONDITIONER,
        layers=2,
    ),
    "gated DeltaProduct": Release(
        "gated DeltaProduct",
        "model.layers.0.attn.",
        lambda g: heads(g) | {"b_proj.weight": matrix(g, 2 * HEADS, HIDDEN)},
        never_drawn(*A),
    ),
    "Raven": Release(
        "Raven",
        "model.layers.0.attn.",
        lambda g: {
            **{n: x for n, x in heads(g).items() if n != "b_proj.weight"},
            "r_proj.weight": matrix(g, 64, HIDDEN),
        },
        never_drawn(*A),
    ),
    "LogLinearMamba2": Release(
        "log-linear Mamba-2",
        "backbone.layers.0.mixer.",
        lambda g: mamba2(g, L=np.ones((HEADS, 15))),
        never_drawn(*A),
    ),
    "Mamba-3": Release(
        "Mamba-3",
        "backbone.layers.0.mixer.",
        mamba3,
        {
            "NaN": ({"dt_bias": holed}, "decay-not-finite"),
            "decay of 1": ({"dt_bias": -40.0}, "mode-frozen"),
            "decay of 0": ({"dt_bias": 60.0}, "mode-instant"),
            "constant": ({"dt_bias": -3.0}, "one-memory"),
            "zeros": ({"dt_bias": 0.0}, "decay-all-zero"),
        },
    ),
    "GLA": Release(
        "gated linear attention",
        "model.layers.0.attn.",
        lambda g: {
            **attention(g),
            GK[0]: matrix(g, 16, HIDDEN),
            GK[1]: matrix(g, HIDDEN, 16),
            "gk_proj.1.bias": np.zeros(HIDDEN),
        },
        lowered("gk_proj.1.bias", high=40.0, low=-400.0)
        | constant(*GK)
        | {"never initialised": (dict.fromkeys(GK, 0.5), "gate-constant")},
    ),
    "simple GLA": Release(
        "gated linear attention",
        "model.layers.0.attn.",
        lambda g: attention(g) | linear(g, 0.0, gk_proj=(HEADS, HIDDEN, True)),
        lowered("gk_proj.bias", high=40.0, low=-400.0) | constant("gk_proj.weight"),
    ),
    "GSA": Release(
        "gated slot attention",
        "model.layers.0.attn.",
        lambda g: attention(g) | {"f_proj.weight": matrix(g, 64, HIDDEN)},
        {
            "NaN": ({"f_proj.weight": holed}, "weights-not-finite"),
            "saturated": ({"f_proj.weight": lambda old: 1e5 * old}, "gates-saturated"),
            **constant("f_proj.weight"),
        },
    ),
    "HGRN": Release(
        "HGRN", "model.layers.0.attn.", hgrn("g_proj"), OF_HGRN, above=BOUNDS, layers=2
    ),
    "HGRN2": Release(
        "HGRN", "model.layers.0.attn.", hgrn("q_proj"), OF_HGRN, above=BOUNDS, layers=2
    ),
    "RWKV-6 of fla": Release(
        "RWKV-5 and RWKV-6",
        "model.layers.0.attn.",
        lambda g: {
            "r_proj.linear.weight": matrix(g, HIDDEN, HIDDEN),
            "bonus": matrix(g, 4, 8),
            W_LORA[0]: matrix(g, 16, HIDDEN),
            W_LORA[1]: matrix(g, HIDDEN, 16),
            "w_proj.linear.lora.2.bias": np.zeros(HIDDEN),
        },
        lowered("w_proj.linear.lora.2.bias", high=-40.0, low=4.0) | constant(*W_LORA),
    ),
    "RWKV-6": Release(
        "RWKV-5 and RWKV-6",
        "blocks.0.att.",
        lambda g: {
            "time_decay": (
                -6 + 5 * (np.arange(64) / 63) ** (0.7 + 1.3 * g.uniform())
            ).reshape(1, 1, 64),
            "time_decay_w1": np.zeros((HIDDEN, 8)),
            "time_decay_w2": g.uniform(-0.01, 0.01, (8, 64)),
            "time_faaaa": g.normal(size=(4, 16)),
            "key.weight": matrix(g, 64, HIDDEN),
        },
        {
            **lowered("time_decay", high=-40.0, low=4.0),
            "constant": ({"time_decay": -3.0}, "one-memory"),
            "zeros": ({"time_decay": 0.0}, "decay-all-zero"),
        },
    ),
    "RWKV-7 of fla": Release(
        "RWKV-7",
        "model.layers.1.attn.",
        rwkv7,
        {
            **lowered(
                "w_lora.lora.2.bias", high=-40.0, low=40.0, of_low="gates-saturated"
            ),
            "constant": ({"w_lora.lora.2.bias": -3.0}, "one-memory"),
            "zeros": ({"w_lora.lora.2.bias": 0.0}, "decay-all-zero"),
        },
    ),
    "RWKV-7": Release(
        "RWKV-7",
        "blocks.1.att.",
        lambda g: {
            "w0": rwkv7_bias(g).reshape(1, 1, HIDDEN),
            "w1": np.zeros((HIDDEN, 8)),
            "w2": matrix(g, 8, HIDDEN),
            "r_k": np.full((2, 16), -0.04),
        },
        {
            **lowered("w0", high=-40.0, low=40.0, of_low="gates-saturated"),
            "constant": ({"w0": -3.0}, "one-memory"),
            "zeros": ({"w0": 0.0}, "decay-all-zero"),
        },
    ),
    "xLSTM of transformers": Release(
        "the mLSTM of xLSTM",
        "backbone.blocks.0.mlstm_layer.",
        mlstm("_preact", HIDDEN),
        {
            **lowered(
                "fgate_preact.bias",
                high=40.0,
                low=-40.0,
                of_high="gates-saturated",
                of_low="gates-saturated",
            ),
            "constant": ({"fgate_preact.bias": 4.0}, "one-memory"),
            "zeros": ({"fgate_preact.bias": 0.0}, "decay-all-zero"),
        },
        {"model_type": "xlstm", "gate_soft_cap": 15.0},
    ),
    "xLSTM with fused gates": Release(
        "the mLSTM of xLSTM",
        "backbone.blocks.0.mlstm_layer.",
        fused_mlstm,
        {
            **lowered("ifgate_preact.bias", high=40.0, low=-40.0),
            "constant": ({"ifgate_preact.bias": 4.0}, "one-memory"),
        },
    ),
    "mLSTM": Release(
        "the mLSTM of xLSTM",
        "xlstm_block_stack.blocks.0.xlstm.mlstm_cell.",
        mlstm("", 3 * HIDDEN),
        {
            **lowered("fgate.bias", high=40.0, low=-40.0),
            "constant": ({"fgate.bias": 4.0}, "one-memory"),
            "constant gate": constant("fgate.weight", value=0.3)["constant"],
        },
    ),
    "sLSTM": Release("the sLSTM of xLSTM", "xlstm_block_stack.blocks.1.xlstm.", *CUDA),
    "sLSTM in plain PyTorch": Release(
        "the sLSTM of xLSTM", "xlstm_block_stack.blocks.1.xlstm.", *VANILLA
    ),
    "minGRU": Release(
        "the minGRU",
        "layers.0.rnn.",
        lambda g: linear(
            g, linear_z=(HIDDEN, HIDDEN, True), linear_h=(HIDDEN, HIDDEN, True)
        ),
        lowered("linear_z.bias", high=-40.0, low=40.0)
        | constant("linear_z.weight", value=0.3),
    ),
    "minGRU-pytorch": Release(
        "the minGRU",
        "layers.0.1.",
        lambda g: linear(g, to_hidden_and_gate=(2 * HIDDEN, HIDDEN, False)),
        {
            "NaN": ({"to_hidden_and_gate.weight": holed}, "weights-not-finite"),
            "saturated": (
                {"to_hidden_and_gate.weight": lambda old: 1e5 * old},
                "gates-saturated",
            ),
            **constant("to_hidden_and_gate.weight"),
        },
    ),
    "MiniMax": Release(
        "MiniMax's lightning attention",
        "model.layers.0.self_attn.",
        minimax,
        {
            "NaN": ({"slope_rate": holed}, "decay-not-finite"),
            "NaN in a table": ({"key_decay": holed}, "weights-not-finite"),
            "decay of 1": ({"slope_rate": 1e-12}, "mode-frozen"),
            "decay of 0": ({"slope_rate": 100.0}, "mode-instant"),
            "constant": ({"slope_rate": 0.1}, "one-memory"),
            "zeros": ({"slope_rate": 0.0}, "decay-all-zero"),
        },
    ),
    "FoX": Release(
        "the forgetting transformer",
        "model.layers.0.attn.",
        lambda g: attention(g) | linear(g, 0.0, f_proj=(HEADS, HIDDEN, True)),
        lowered("f_proj.bias", high=40.0, low=-40.0) | constant("f_proj.weight"),
    ),
    "MesaNet": Release(
        "MesaNet",
        "model.layers.0.attn.",
        lambda g: (
            attention(g)
            | linear(g, 0.0, a_proj=(HEADS, HIDDEN, True), b_proj=(HEADS, HIDDEN, True))
            | {"lambda_params": np.full(HIDDEN, np.log(np.expm1(0.75)))}
        ),
        lowered("a_proj.bias", high=40.0, low=-40.0) | constant("a_proj.weight"),
    ),
    "hippogriff": Release(
        "RG-LRU",
        "backbone.0.hawk.",
        hawk,
        {
            "NaN": ({"forget_base": holed}, "decay-not-finite"),
            "decay of 1": ({"forget_base": -40.0}, "mode-frozen"),
            "decay of 0": ({"forget_base": 40.0}, "mode-instant"),
            "constant": ({"forget_base": -6.0, "gates.bias": 0.0}, "one-memory"),
            "zeros": ({"forget_base": 0.0}, "decay-all-zero"),
            "wrong sign": ({"alpha_log_scale": 8.0}, "mode-exploding"),
        },
    ),
    "VMamba": Release(
        "Mamba-1",
        "layers.0.blocks.0.op.",
        vmamba,
        never_drawn("A_logs", "dt_projs_bias"),
    ),
    "Vim": Release(
        "Mamba-1",
        "layers.0.mixer.",
        lambda g: mamba1(g) | mamba1(g, "_b"),
        never_drawn("A_log", "dt_proj.bias")
        | {
            f"{kind} backward": defect
            for kind, defect in never_drawn("A_b_log", "dt_proj_b.bias").items()
        },
        layers=2,
    ),
}
