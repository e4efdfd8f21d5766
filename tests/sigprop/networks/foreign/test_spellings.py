"""What every spelling says of the decay, by formulas written here, and of the layer."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.audit.lint.others import spectral_radius
from sigprop.layers.gru import gru
from sigprop.layers.lstm import lstm
from sigprop.networks.files import named_arrays
from sigprop.networks.foreign import find, of_arrays
from tests.sigprop.networks.foreign.test_foreign import SPELLINGS, random_arrays


def softplus(x):
    return np.log1p(np.exp(x))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def half_above(logits):
    """Of HGRN: halfway from a layer's lower bound to one."""
    shares = np.exp(logits) / np.exp(logits).sum(0)
    bounds = np.cumsum(shares, 0) - shares[:1]
    return bounds + (1 - bounds) * sigmoid(0.0)


def second_of(count, *names):
    """The second of the gates that lie below each other, for forget and update gates."""

    def bias(a):
        total = sum(a[name] for name in names)
        size = len(total) // count
        return softplus(-total[size : 2 * size])

    return bias


def s5_step(a):
    return np.exp(a["log_step"].reshape(-1))


# From arrays to -log|lam| by row, and to phases, as the source of each library computes.
NU = {
    "lru of minimal-LRU, discretax, memax, long-range-models, sigprop": lambda a: (
        np.exp(a["nu_log"])
    ),
    "lru of lru-pytorch": lambda a: np.exp(a["nu_log"]),
    "s5 of lindermanlab/S5": lambda a: -a["Lambda_re"] * s5_step(a),
    "s5 of long-range-models": lambda a: -a["Lambda_re"] * np.exp(a["log_dt"]),
    "s5 of s5-pytorch": lambda a: -a["Lambda"].real * s5_step(a),
    "s4d of state-spaces": lambda a: (
        np.exp(a["log_A_real"]) * np.exp(a["log_dt"])[:, None]
    ),
    "rotrnn of raresdolga/s5": lambda a: np.repeat(
        np.exp(a["gamma_log"]), a["theta_log"].size // a["gamma_log"].size
    ),
    "rglru of recurrentgemma": lambda a: (
        8 * softplus(a["a_param"]) / (1 + np.exp(-a["a_gate.b"].reshape(-1)))
    ),
    "rglru of transformers": lambda a: (
        8
        * softplus(a["recurrent_param"])
        / (1 + np.exp(-a["recurrent_gate_bias"].reshape(-1)))
    ),
    "mamba of mamba_ssm, transformers": lambda a: (
        np.exp(a["A_log"]) * softplus(a["dt_proj.bias"])[:, None]
    ),
    "mamba of VMamba": lambda a: (
        np.exp(a["A_logs"]) * softplus(a["dt_projs_bias"].reshape(-1, 1))
    ),
    "mamba2 of mamba_ssm, transformers": lambda a: (
        np.exp(a["A_log"]) * softplus(a["dt_bias"])
    ),
    "gated-deltanet of fla": lambda a: np.exp(a["A_log"]) * softplus(a["dt_bias"]),
    **dict.fromkeys(
        (
            "kda of fla",
            "kda of transformers: bailing_hybrid",
            "kda of Kimi Linear",
            "kda of transformers: Kimi Linear",
        ),
        lambda a: (
            np.repeat(np.exp(a["A_log"]), a["dt_bias"].size // a["A_log"].size)
            * softplus(a["dt_bias"])
        ),
    ),
    **dict.fromkeys(
        (
            "log-linear-mamba2 of fla",
            "gated-deltanet of transformers: Qwen3-Next",
            "gated-deltanet of transformers: Qwen3.5",
            "comba of fla",
            "comba of fla, without inner decay",
            "gated-deltaproduct of fla",
            "raven of fla",
        ),
        lambda a: np.exp(a["A_log"]) * softplus(a["dt_bias"]),
    ),
    "preconditioner of fla": lambda a: (
        np.exp(a["A_log_atk"]) * softplus(a["dt_bias_atk"])
    ),
    "mamba3 of mamba_ssm, fla": lambda a: softplus(0.0) * softplus(a["dt_bias"]),
    "rglru of hippogriff": lambda a: (
        -a["alpha_log_scale"]
        * softplus(a["forget_base"])
        / (1 + np.exp(-a["gates.bias"][: a["forget_base"].size]))
    ),
    "rwkv6 of fla": lambda a: np.exp(a["w_proj.linear.lora.2.bias"]),
    "rwkv6 of BlinkDL/RWKV-LM, transformers": lambda a: np.exp(a["time_decay"]),
    "rwkv7 of fla": lambda a: sigmoid(a["w_lora.lora.2.bias"]) / np.sqrt(np.e),
    # As released: w = exp(-exp(-softplus(-w0) - 0.5)).
    "rwkv7 of BlinkDL/RWKV-LM": lambda a: np.exp(-softplus(-a["w0"]) - 0.5),
    "gla of fla": lambda a: -np.log(sigmoid(a["gk_proj.1.bias"])) / 16,
    "gla of fla: simple GLA": lambda a: -np.log(sigmoid(a["gk_proj.bias"])) / 16,
    "gsa of fla": lambda a: np.full(len(a["f_proj.weight"]), np.log(2) / 8),
    "hgrn of fla: HGRN": lambda a: np.full(len(a["f_proj.weight"]), np.log(2)),
    "hgrn of fla: HGRN2": lambda a: np.full(len(a["f_proj.weight"]), np.log(2)),
    "hgrn-bounds of fla": lambda a: -np.log(half_above(a["lower_bounds"])),
    "fox of fla": lambda a: -np.log(sigmoid(a["f_proj.bias"])),
    "fox of forgetting-transformer": lambda a: -np.log(sigmoid(a["fgate_proj.bias"])),
    "mesanet of fla": lambda a: -np.log(sigmoid(a["a_proj.bias"])),
    "mingru of Were RNNs All We Needed": lambda a: (
        -np.log(1 - sigmoid(a["linear_z.bias"]))
    ),
    "mingru of minGRU-pytorch": lambda a: np.full(
        len(a["to_hidden_and_gate.weight"]) // 2, np.log(2)
    ),
    "mlstm of NX-AI/xlstm": lambda a: -np.log(sigmoid(a["fgate.bias"])),
    "mlstm of NX-AI/xlstm large, transformers": lambda a: (
        -np.log(sigmoid(a["fgate_preact.bias"]))
    ),
    "mlstm of NX-AI/xlstm large, fused": lambda a: (
        -np.log(sigmoid(np.split(a["ifgate_preact.bias"], 2)[1]))
    ),
    "slstm of NX-AI/xlstm: CUDA": lambda a: (
        -np.log(sigmoid(a["slstm_cell._bias_"].reshape(5, 4, 3)[:, 1]))
    ),
    "slstm of NX-AI/xlstm: vanilla": lambda a: (
        -np.log(sigmoid(a["slstm_cell._bias_"].reshape(4, 5, 3)[1]))
    ),
    "minimax of transformers": lambda a: a["slope_rate"],
    "rwkv4 of BlinkDL/RWKV-LM, transformers": lambda a: np.exp(a["time_decay"]),
    "gru of torch": second_of(3, "bias_ih", "bias_hh"),
    "gru of equinox": second_of(3, "bias"),
    "gru of flax": lambda a: softplus(-a["iz.bias"] - a["hz.bias"]),
    "lstm of torch": second_of(4, "bias_ih", "bias_hh"),
    "lstm of equinox": second_of(4, "bias"),
    "lstm of flax": lambda a: softplus(-a["hf.bias"]),
}
THETA = {
    "lru of lru-pytorch": lambda a: np.exp(a["theta_log"]),
    "s5 of lindermanlab/S5": lambda a: a["Lambda_im"] * s5_step(a),
    "s5 of long-range-models": lambda a: a["Lambda_im"] * np.exp(a["log_dt"]),
    "s5 of s5-pytorch": lambda a: a["Lambda"].imag * s5_step(a),
    "s4d of state-spaces": lambda a: a["A_imag"] * np.exp(a["log_dt"])[:, None],
    "rotrnn of raresdolga/s5": lambda a: np.exp(a["theta_log"]),
}


@pytest.mark.parametrize("case", NU)
def test_the_decay_at_rest_is_that_of_the_source(case):
    arrays = random_arrays(SPELLINGS[case][1])
    rest = find(of_arrays(arrays))[0].rest()
    np.testing.assert_allclose(rest.nu.reshape(-1), NU[case](arrays).reshape(-1), 1e-5)
    if case in THETA:
        expected = THETA[case](arrays).reshape(-1)
        np.testing.assert_allclose(rest.theta.reshape(-1), expected, 1e-5)


def test_every_spelling_of_another_library_is_looked_at():
    assert {case for case in SPELLINGS if not case.endswith("of sigprop")} == set(NU)


def test_three_ways_to_store_the_complex_numbers_of_s5_make_one_layer():
    theirs = random_arrays(SPELLINGS["s5 of lindermanlab/S5"][1])
    del theirs["C1"], theirs["C2"]
    theirs["Lambda_re"] = -np.abs(theirs["Lambda_re"])
    theirs["Lambda_im"] = np.abs(theirs["Lambda_im"])
    moved = {
        "Lambda_re": theirs["Lambda_re"],
        "Lambda_im": theirs["Lambda_im"],
        "log_dt": theirs["log_step"][:, 0],
        "B_comps": np.moveaxis(theirs["B"], -1, 0),
        "C_comps": np.moveaxis(theirs["C"], -1, 0),
        "D": theirs["D"],
    }
    complex_arrays = {
        "Lambda": theirs["Lambda_re"] + 1j * theirs["Lambda_im"],
        "B": theirs["B"][..., 0] + 1j * theirs["B"][..., 1],
        "C": theirs["C"][..., 0] + 1j * theirs["C"][..., 1],
        "log_step": theirs["log_step"],
        "D": theirs["D"],
    }
    first, *others = (
        find(of_arrays(arrays))[0].layer() for arrays in (theirs, moved, complex_arrays)
    )
    np.testing.assert_array_equal(first.B_im, theirs["B"][..., 1])
    np.testing.assert_array_equal(first.C_re, theirs["C"][..., 0])
    for other in others:
        for leaf, same in zip(
            jax.tree.leaves(first), jax.tree.leaves(other), strict=True
        ):
            np.testing.assert_allclose(leaf, same, rtol=1e-6)


def test_mamba_s_fused_projection_is_taken_apart_in_its_order():
    arrays = random_arrays(SPELLINGS["mamba of mamba_ssm, transformers"][1])
    width, n = arrays["A_log"].shape
    rank = arrays["dt_proj.weight"].shape[1]
    x = np.arange((rank + 2 * n) * width, dtype=np.float32).reshape(-1, width)
    layer = find(of_arrays({**arrays, "x_proj.weight": x}))[0].layer()
    np.testing.assert_array_equal(np.concatenate([layer.U, layer.W_B, layer.W_C]), x)
    assert layer.U.shape == (rank, width)
    assert layer.W_C.shape == (n, width)


@pytest.mark.parametrize("cell", [eqx.nn.GRUCell, eqx.nn.LSTMCell])
def test_fused_gates_are_in_the_order_of_equinox_and_of_torch(cell):
    theirs = cell(3, 4, key=jax.random.key(2))
    u = jax.random.normal(jax.random.key(1), (12, 3))
    zero = jnp.zeros(4)
    h = (zero, zero) if cell is eqx.nn.LSTMCell else zero
    states = []
    for now in u:
        h = theirs(now, h)
        states.append(h[0] if isinstance(h, tuple) else h)
    arrays = named_arrays({"cell": theirs})
    (match,) = find(of_arrays(arrays))
    np.testing.assert_allclose(match.layer()(u), np.stack(states), rtol=0, atol=1e-6)
    # torch has a bias for the inputs and one for the state: apart only in a GRU's n.
    weights = {name.removeprefix("cell."): array for name, array in arrays.items()}
    first, second = weights.pop("bias"), np.zeros_like(weights["weight_hh"][:, 0])
    first, second = first - 0.3, second + 0.3
    if "bias_n" in weights:
        first[-4:], second[-4:] = first[-4:] + 0.3, weights.pop("bias_n")
    torch = {f"rnn.{name}_l0": array for name, array in weights.items()}
    torch |= {"rnn.bias_ih_l0": first, "rnn.bias_hh_l0": second}
    (torch_match,) = find(of_arrays(torch))
    np.testing.assert_allclose(
        torch_match.layer()(u), np.stack(states), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize("name", ["gru", "lstm"])
def test_the_jacobian_at_rest_is_the_derivative_of_a_step_at_state_zero(
    name, seed, x64
):
    """Of the LSTM that of ``c`` by ``c``, with the output gate held: all there is without
    the recurrent weights of that gate."""
    draw = {"gru": gru, "lstm": lstm}[name]
    layer = draw(5, 3, key=jax.random.key(seed), d_out=2, times=(2, 9))
    arrays = named_arrays(layer)
    g = np.random.default_rng(seed)
    arrays = {n: g.normal(size=x.shape) for n, x in arrays.items()}
    if name == "lstm":
        arrays["W_oh"] = np.zeros((5, 5))
    (match,) = find(of_arrays(arrays))
    step = lambda h: match.layer().step(h, jnp.zeros(3))  # noqa: E731
    state = jnp.zeros(match.layer().initial_state().shape)
    expected = np.linalg.eigvals(jax.jacobian(lambda h: _state(step(h)))(state))
    found = np.linalg.eigvals(match.rest().jacobian)
    largest = np.sort(np.abs(expected))[-5:]
    np.testing.assert_allclose(np.sort(np.abs(found)), largest, rtol=1e-6)
    radius = spectral_radius(match.rest().jacobian)
    assert radius == pytest.approx(largest[-1], rel=0.01)


def _state(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("size", [1, 7, 300])
def test_the_spectral_radius_is_that_of_the_eigenvalues(size):
    matrix = np.random.default_rng(size).normal(size=(size, size)) / np.sqrt(size)
    for scale in (1e-3, 1.0, 1e3):
        expected = np.abs(np.linalg.eigvals(scale * matrix)).max()
        assert spectral_radius(scale * matrix) == pytest.approx(expected, rel=0.01)
    assert spectral_radius(np.zeros((3, 3))) == 0
    assert spectral_radius(np.diag(np.ones(4), 1)) == 0  # nilpotent
