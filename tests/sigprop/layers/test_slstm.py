"""The sLSTM is its equations, gives the numbers of released code, and starts as that."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import parameters, replace
from sigprop.layers.slstm import forget_biases, slstm
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import inputs, run, states_of, wide
from tests.sigprop.layers.test_gated import perturbed, sigmoid
from tests.sigprop.layers.test_released_recurrences import by_cosines

KEY = jax.random.key(3)
FORGETS = ("sigmoid", "exponential")
by_forget = pytest.mark.parametrize("forget", FORGETS)


@functools.cache
def build(forget, gain=1.0):
    with double_precision(True):
        drawn = slstm(
            6, 6, key=KEY, heads=2, forget=forget, ends=(3.0, -2.0), state_gain=gain
        )
        return perturbed(drawn)


def loop(p, u, forget):
    """Outputs and both sums by the printed equations, without a stabiliser."""
    h, c, n, rows = np.zeros(6), np.zeros(6), np.zeros(6), []
    for x in u:

        def argument(gate, x=x, h=h):
            mixed = np.einsum("kij,kj->ki", p[f"R_{gate}"], h.reshape(2, 3)).ravel()
            return p[f"W_{gate}"] @ x + mixed + p[f"b_{gate}"]

        i, f = np.exp(argument("i")), argument("f")
        f = sigmoid(f) if forget == "sigmoid" else np.exp(f)
        c, n = f * c + i * np.tanh(argument("z")), f * n + i
        h = sigmoid(argument("o")) * c / n
        rows.append(np.concatenate([h, c, n]))
    return np.array(rows)


@pytest.mark.usefixtures("x64")
@by_forget
def test_the_layer_is_its_equations(forget):
    layer = build(forget)
    numbers = {name: np.asarray(value) for name, value in parameters(layer).items()}
    u = inputs(layer, 20)
    wanted = loop(numbers, u, forget)
    np.testing.assert_allclose(run(layer, u), wanted[:, :6], rtol=1e-11, atol=1e-13)
    sums = layer.sums(states_of(layer, u))
    np.testing.assert_allclose(sums, wanted[:, 6:], rtol=1e-11, atol=1e-13)


@pytest.mark.usefixtures("x64")
@by_forget
def test_outputs_stay_where_the_sums_overflow(forget):
    """The bias of the input gate multiplies both sums, and leaves their quotient."""
    layer = build(forget)
    u = inputs(layer, 20)
    small, large = (replace(layer, {"b_i": layer.b_i + b}) for b in (-800.0, 800.0))
    assert np.isinf(large.sums(states_of(large, u))).any()
    for one in (small, large):
        np.testing.assert_allclose(run(one, u), run(layer, u), rtol=1e-9)


# --- released code --------------------------------------------------------------------

TIME, HEADS, NEURONS = 12, 2, 4
RELEASED = {
    "output": """
        -0.03002397 -0.3384053 0.1517396 0.1085453 0.1062075 -0.290552 0.1767103
        0.1398008 0.1524066 -0.3095007 0.1500508 0.1350936 0.1198477 -0.2961948
        0.1752678 0.1130001 0.1477587 -0.1152282 0.2194962 0.1263194 0.3347931
        -0.1714294 0.2976197 0.2744321 0.01895702 -0.1776698 0.1065481 0.1627475
        0.1878713 -0.156536 0.4831242 0.4583492 0.2144175 0.2981005 0.4852633
        0.4834772 0.08835702 -0.1011904 0.1852272 0.3218639 0.1247552 -0.2999629
        0.176852 0.3189093 0.2676574 0.1026309 0.3627225 0.4757874
    """,
    "state": """
        0.2676574 0.1026309 0.3627225 0.4757874 1.997673 0.1342142 0.8868747
        1.222184 6.041784 1.151478 1.585766 2.188314 0.2901542 120.5873
        -59.33221 5.925909
    """,
    "u": """
        0.001283504 0.00707751 -0.02621701 0.04181741 -0.1783033 0.1054137
        -0.01624227 -0.07515552 0.1974578 -0.1836988 0.1522415 -0.09645596
        0.05054658 -0.02402565 0.006477717 -0.003134342 -0.09014207 0.06201131
        -0.03083098 0.003303527 0.4224548 -0.3368357 0.2276403 -0.09131357
        0.1173103 -0.02584397 -0.04884862 0.0762486 -0.1470217 0.1539633
        -0.115363 0.06125435 0.312479 -0.2369689 0.1853632 -0.1567404
        -0.06753524 0.08333206 -0.07314782 0.01730086 -0.04197141 0.02645207
        -0.02118951 0.03857877 0.2929664 -0.2472094 0.1811327 -0.108607
    """,
    "R_f": """
        0.0002426647 -0.003277267 0.03060505 0.01026385 -0.04410132 -0.04825202
        -3.601834e-05 -2.851661e-05
    """,
    "R_i": """
        0.01731615 0.006386255 -0.01704055 -0.04509625 -0.001004451 0.006988123
        0.002504571 0.001093114
    """,
    "R_o": """
        0.0001586313 0.02913195 -0.02353052 0.02080406 -0.05521445 -0.05450209
        -0.05073093 -0.03410912
    """,
    "R_z": """
        -0.03694317 0.1144745 -0.1659386 0.2391863 -0.05495661 -0.07135201
        0.03183386 0.01697485
    """,
    "W_f": """
        -0.003113722 0.00577241 -0.003385693 0.009514893 -0.0381439 0.01733163
        -0.01718122 0.001270153 0.03294748 -0.05499139 0.07005474 -0.05666584
        0.0001109074 -7.15254e-05 -3.68246e-06 -6.45426e-05
    """,
    "W_i": """
        0.0497173 -0.05782566 0.1702146 -0.2239911 0.0003401393 0.04377337
        -0.07428787 0.08724712 0.01287229 0.07126182 -0.09850861 0.05791153
        0.005982628 0.003896307 -0.02102685 0.01165707
    """,
    "W_o": """
        -0.04533536 -0.05863014 0.0975205 -0.08402618 0.1181961 0.004466844
        -0.1527353 0.1030229 0.004468949 -0.1056141 0.1480059 -0.04170167
        0.02470175 0.0703822 -0.2032083 0.2309093
    """,
    "W_z": """
        0.3479646 0.1089727 -0.2571722 -0.1264286 -0.001502063 -0.5542791
        1.37413 -1.127289 -0.1923372 0.08218729 -0.01904597 0.1293442
        -0.02760468 0.02358303 -0.1629951 0.2352471
    """,
    "b_f": """
        0.01346731 0.1210546 -0.1345818 -0.0001755174
    """,
    "b_o": """
        -0.1263755 -0.06518755 -0.08499429 -0.05161649
    """,
    "b_z": """
        -0.2665525 -1.003159 -0.2501573 0.1091585
    """,
}
"""Numbers of ``slstm_forward`` of ``xlstm/blocks/slstm/src/vanilla`` in xlstm 2.0.6.

Outputs at all steps, the last state, and derivatives of a weighted sum of the outputs by the
inputs and by every parameter, in double precision.  That code takes ``W u`` as its input,
and has the sigmoid forget gate alone.
"""


def released_case():
    """The layer and its inputs: biases and input gates of very different sizes."""
    layer = by_cosines(slstm(NEURONS, NEURONS, key=KEY, heads=HEADS))
    values = {
        "b_f": layer.b_f + jnp.array([3.0, -2.0, 0.5, 5.0]),
        "b_i": layer.b_i + jnp.array([0.0, 120.0, -60.0, 4.0]),
        "W_i": layer.W_i * jnp.array([1.0, 1.0, 3.0, 8.0])[:, None],
    }
    n = np.arange(TIME * NEURONS)
    return replace(layer, values), np.sin(1.0 + n + 0.3 * n**2 / 11).reshape(TIME, -1)


@jax.jit
def answers(layer, u):
    """Return the numbers of ``RELEASED``, and the derivative with respect to ``b_i``."""
    weights = jnp.cos(1.0 + jnp.arange(TIME * NEURONS)).reshape(TIME, NEURONS)

    def total(layer, u):
        states = layer.states(u)
        y = layer.read(states, u)
        return (weights * y).sum(), (y, states[-1])

    (by_layer, by_input), (y, state) = jax.grad(total, (0, 1), has_aux=True)(layer, u)
    return {"output": y, "state": state, "u": by_input, **parameters(by_layer)}


@pytest.mark.parametrize(("double", "tolerance"), [(False, 1e-5), (True, 1e-6)])
def test_outputs_and_gradients_are_those_of_released_code(double, tolerance):
    """Parameters are single numbers in both precisions, as released code had them."""
    layer, u = released_case()
    with double_precision(double):
        found = answers(wide(layer) if double else layer, jnp.asarray(u, float))
    assert found["output"].dtype == (np.float64 if double else np.float32)
    assert set(found) == {*RELEASED, "b_i"}
    for name, text in RELEASED.items():
        right = np.array(text.split(), float)
        size = np.abs(right).max()
        np.testing.assert_allclose(
            np.ravel(found[name]), right, atol=tolerance * size, err_msg=name
        )
    assert np.abs(found["b_i"]).max() < 1e-6  # zero: a factor of both sums


def test_gradients_are_numbers_where_those_of_released_code_are_none():
    layer, u = released_case()
    closed = replace(layer, {"b_i": layer.b_i - 130})
    found = answers(closed, jnp.asarray(u, jnp.float32))
    assert all(np.isfinite(values).all() for values in found.values())
    np.testing.assert_allclose(
        found["u"], answers(layer, jnp.asarray(u, jnp.float32))["u"], atol=1e-5
    )


@pytest.mark.parametrize(
    ("size", "depth", "released"),
    [
        (4, 0.0, [5.0, -3.63067722, -5.62561035, -7.0]),
        (4, 0.5, [5.0, 0.77413082, -3.16384125, -7.0]),
        (3, 1.0, [5.0, 1.04147625, -7.0]),
    ],
)
def test_forget_biases_are_those_of_released_code(size, depth, released):
    """Of block 0 of 1, 2 of 5 and 4 of 5, by ``reset_parameters`` of xlstm 2.0.6."""
    np.testing.assert_allclose(forget_biases(size, depth=depth), released, rtol=1e-6)


def test_biases_reach_from_end_to_end():
    ends = (2.0, -1.5)
    for depth in (0.0, 0.7):
        assert forget_biases(9, ends, depth)[[0, -1]].tolist() == [2.0, -1.5]
    assert forget_biases(1, ends).tolist() == [2.0]
    power = np.log((forget_biases(9, ends, 0.7)[1:-1] - 2) / -3.5)
    np.testing.assert_allclose(power / np.log(np.arange(1, 8) / 8), 0.3 + 1.3 * 0.7)


def test_the_layer_starts_as_released_code():
    layer = slstm(200, 200, key=KEY, heads=4)
    for gate in "ifzo":
        W = np.asarray(getattr(layer, f"W_{gate}"), float)
        # Seven standard errors of a mean of 40 000 squares of normal numbers.
        assert abs((W**2).mean() * 500 - 1) < 7 * (2 / W.size) ** 0.5
        assert not np.asarray(getattr(layer, f"R_{gate}")).any()
        if gate != "f":
            assert not np.asarray(getattr(layer, f"b_{gate}")).any()
    np.testing.assert_allclose(layer.b_f, np.tile(forget_biases(50), 4), rtol=1e-6)
    mixing = np.asarray(slstm(200, 200, key=KEY, heads=4, state_gain=3.0).R_z)
    bound = 3 / np.sqrt(200)
    assert 0.99 * bound < np.abs(mixing).max() <= bound * (1 + 1e-6)
    assert mixing.shape == (4, 50, 50)


def test_both_forget_gates_start_alike():
    first, other = (slstm(6, 6, key=KEY, heads=2, forget=forget) for forget in FORGETS)
    np.testing.assert_allclose(jnp.exp(other.b_f), jax.nn.sigmoid(first.b_f), rtol=1e-6)
    u = jnp.asarray(inputs(first), jnp.float32)
    assert not np.allclose(run(first, u), run(other, u), atol=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 5}, "need state_size = width"),
        ({"heads": 4}, "need width a multiple of heads"),
        ({"heads": 0}, "need heads >= 1"),
        ({"ends": (5.0, float("nan"))}, "need ends"),
        ({"depth": 1.5}, "need depth in"),
        ({"state_gain": float("inf")}, "need state_gain"),
    ],
)
def test_errors_say_what_is_needed(options, message):
    arguments = {"state_size": 6, "width": 6, **options}
    with pytest.raises(ValueError, match=message):
        slstm(**arguments, key=KEY)
