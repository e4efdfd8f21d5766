"""The LRU and the complex diagonal RNN against their papers, and against each other."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from sigprop.layers.base import count_parameters
from sigprop.layers.complex_diagonal import COORDINATES, complex_diagonal, complex_lru
from sigprop.layers.dense import (
    LinearRNN,
    block_rnn,
    linear_rnn,
    nonlinear_rnn,
    transform_eigenvalues,
)
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.layers.lru import GAMMAS, LRU, lru, lru_from_arrays, zucchet_lru
from sigprop.networks.registry import sequence_layer

pytestmark = pytest.mark.usefixtures("x64")


def arrays_of(layer):
    names = ("nu_log", "theta_log", "B_re", "B_im", "C_re", "C_im", "D", "gamma_log")
    return {name: np.asarray(getattr(layer, name)) for name in names}


def listing(p, u):
    """LRU Appendix A in NumPy: every step as the paper writes it."""
    lam = np.exp(-np.exp(p["nu_log"]) + 1j * np.exp(p["theta_log"]))
    b = (p["B_re"] + 1j * p["B_im"]) * np.exp(p["gamma_log"])[:, None]
    c = p["C_re"] + 1j * p["C_im"]
    x, out = np.zeros_like(lam), []
    for now in u:
        x = lam * x + b @ now
        out.append((c @ x).real + p["D"] * now)
    return np.array(out)


def test_the_lru_is_its_papers_listing():
    layer = lru(16, 5, key=jax.random.key(0), r_min=0.5, r_max=0.99)
    u = np.asarray(jax.random.normal(jax.random.key(1), (40, 5)))
    y = layer(jnp.asarray(u))
    np.testing.assert_allclose(y, listing(arrays_of(layer), u), rtol=1e-10)
    rebuilt = lru_from_arrays(arrays_of(layer))
    np.testing.assert_array_equal(rebuilt(jnp.asarray(u)), y)


def test_modes_take_several_phase_limits_in_turn():
    key, limits = jax.random.key(4), (0.3, 2.0, 6.0)
    single, several = (lru(900, 1, key=key, max_phase=most) for most in (6.0, limits))
    for index, most in enumerate(limits):
        full, cut = (np.exp(each.theta_log)[index::3] for each in (single, several))
        np.testing.assert_allclose(cut, full * most / 6.0, rtol=1e-5)
        assert 0.9 * most < cut.max() <= most
    np.testing.assert_array_equal(single.nu_log, several.nu_log)
    for wrong in ((), (1.0, 7.0), (0.0, 1.0)):
        with pytest.raises(ValueError, match="need 0 < max_phase <= 2 pi, got"):
            lru(3, 3, key=key, max_phase=wrong)


RINGS = {
    "lru": {"r_min": 0.5, "r_max": 0.99},
    "bidirectional_lru": {"r_min": 0.5, "r_max": 0.99},
    "rotrnn": {"heads": 6, "gamma_range": (0.5, 0.99)},
    "bidirectional_rotrnn": {"heads": 6, "gamma_range": (0.5, 0.99)},
    "rglru": {"radii": (0.5, 0.99)},
}
RATES = {"lru": "nu_log", "rotrnn": "gamma_log", "rglru": "Lambda"}


@pytest.mark.parametrize("name", RINGS)
def test_memories_are_spread_evenly_where_that_is_asked(name):
    kind = name.removeprefix("bidirectional_")

    def rates(**spread):
        layer = sequence_layer(
            name, 12, 12, key=jax.random.key(1), **RINGS[name], **spread
        )
        values = np.asarray(getattr(layer, RATES[kind]), float)
        return np.log(np.log1p(np.exp(values))) if kind == "rglru" else values

    even = rates(spread="log")
    ends = np.log(-np.log([0.99, 0.5]))
    np.testing.assert_allclose(even, np.linspace(*ends, len(even)), atol=1e-5)
    np.testing.assert_array_equal(rates(), rates(spread="area"))
    assert np.abs(np.sort(rates()) - even).max() > 0.1
    with pytest.raises(ValueError, match=r"^need spread in area, log, got 'even'$"):
        rates(spread="even")


def test_a_disc_has_no_even_spread_of_memories():
    with pytest.raises(
        ValueError, match=r"need 0 < inner <= outer < 1 .* got 0\.0 and"
    ):
        lru(3, 3, key=jax.random.key(0), r_max=0.9, spread="log")
    alone = lru(1, 3, key=jax.random.key(0), r_min=0.1, r_max=0.9, spread="log")
    assert abs(alone.eigenvalues()[0]) == pytest.approx(0.9)


@pytest.mark.parametrize("make", [lru, zucchet_lru])
def test_eigenvalues_lie_on_the_ring_and_in_the_slice(make):
    if make is lru:
        layer = lru(2000, 1, key=jax.random.key(0), r_min=0.6, r_max=0.9, max_phase=0.4)
        low, high = 0.6, 0.9
    else:
        layer = zucchet_lru(2000, 1, key=jax.random.key(0), nu0=0.6, theta0=0.4)
        low, high = 0.6, 1.0
    lam = np.asarray(layer.eigenvalues())
    radius, phase = np.abs(lam), np.angle(lam)
    assert low - 1e-12 <= radius.min() < low + 0.01
    assert high - 0.01 < radius.max() <= high + 1e-12
    assert 0 <= phase.min() < 0.01
    assert 0.39 < phase.max() <= 0.4
    area = (radius**2 - low**2) / (high**2 - low**2)
    assert abs(area.mean() - 0.5) < 5 * math.sqrt(1 / 12 / 2000)


def test_weights_have_the_listings_variances():
    # Five standard errors of a variance from 60 000 normal draws: 0.029.
    layer = lru(300, 200, key=jax.random.key(0))
    for name, variance in {
        "B_re": 1 / 400,
        "B_im": 1 / 400,
        "C_re": 1 / 300,
        "C_im": 1 / 300,
    }.items():
        assert np.var(np.asarray(getattr(layer, name))) == pytest.approx(
            variance, rel=0.03
        )
    dense = zucchet_lru(300, 200, key=jax.random.key(0), d_out=100, nu0=0.9, theta0=1.0)
    total = np.var(np.asarray(dense.B_re)) + np.var(np.asarray(dense.B_im))
    assert total == pytest.approx(1 / 200, rel=0.03)


def test_gamma_makes_the_state_of_a_white_input_unit_sized():
    """Exactly: the sum of squares of every neuron's impulse response is |B|^2's row."""
    for gamma in GAMMAS:
        layer = lru(8, 4, key=jax.random.key(0), r_min=0.8, r_max=0.95, gamma=gamma)
        impulses = jnp.zeros((4, 800, 4)).at[jnp.arange(4), 0, jnp.arange(4)].set(1.0)
        h = jax.vmap(layer.states)(impulses)
        energy = np.asarray(jnp.sum(jnp.abs(h) ** 2, axis=(0, 1)))
        rows = np.sum(np.asarray(layer.B_re) ** 2 + np.asarray(layer.B_im) ** 2, axis=1)
        unit = gamma != "absent"
        expected = rows if unit else rows / (1 - np.abs(layer.eigenvalues()) ** 2)
        np.testing.assert_allclose(energy, expected, rtol=1e-9)


def test_a_detached_normalisation_gets_no_gradient():
    u = jax.random.normal(jax.random.key(1), (30, 4))

    def gradient(gamma):
        layer = lru(8, 4, key=jax.random.key(0), r_min=0.8, gamma=gamma)
        return jax.grad(lambda nu: jnp.sum(replace(layer, nu)(u) ** 2))(layer.nu_log)

    def replace(layer, nu_log):
        return lru_like(layer, nu_log)

    learned, detached = gradient("learned"), gradient("detached")
    np.testing.assert_allclose(learned, detached, rtol=1e-9)
    through = jax.grad(lambda nu: jnp.sum(attached(nu)(u) ** 2))

    def attached(nu_log):
        layer = lru(8, 4, key=jax.random.key(0), r_min=0.8, gamma="learned")
        gamma_log = 0.5 * jnp.log(-jnp.expm1(-2 * jnp.exp(nu_log)))
        return lru_like(layer, nu_log, gamma_log)

    nu_log = lru(8, 4, key=jax.random.key(0), r_min=0.8).nu_log
    assert float(jnp.max(jnp.abs(through(nu_log) / learned - 1))) > 0.05


def lru_like(layer, nu_log, gamma_log=None):
    gamma_log = layer.gamma_log if gamma_log is None else gamma_log
    return LRU(
        layer.B_re,
        layer.B_im,
        layer.C_re,
        layer.C_im,
        layer.D,
        nu_log,
        layer.theta_log,
        gamma_log,
        layer.gamma,
    )


@pytest.mark.slow
def test_coordinates_are_three_names_of_one_layer():
    u = jax.random.normal(jax.random.key(1), (25, 3))
    outputs = [
        complex_diagonal(6, 3, key=jax.random.key(0), d_out=2, coordinates=name)(u)
        for name in COORDINATES
    ]
    np.testing.assert_allclose(outputs[1], outputs[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(outputs[2], outputs[0], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_an_lru_in_other_coordinates_is_the_lru(coordinates):
    ring = {"r_min": 0.4, "r_max": 0.9, "max_phase": 2.0}
    key, u = jax.random.key(0), jax.random.normal(jax.random.key(1), (25, 3))
    layer = complex_lru(6, 3, key=key, coordinates=coordinates, **ring)
    expected = lru(6, 3, key=key, gamma="absent", **ring)
    np.testing.assert_allclose(layer(u), expected(u), rtol=1e-10, atol=1e-12)
    with pytest.raises(ValueError, match="need coordinates in"):
        complex_lru(6, 3, key=key, coordinates="log", **ring)


def as_real_blocks(layer: DiagonalLayer) -> LinearRNN:
    """A complex neuron is a 2 x 2 block acting on its real and imaginary part."""
    lam = layer.eigenvalues()
    a = jnp.stack(
        [jnp.stack([lam.real, -lam.imag], -1), jnp.stack([lam.imag, lam.real], -1)], -2
    )
    b = jnp.stack([layer.B_re, layer.B_im], 1).reshape(-1, layer.B_re.shape[1])
    c = jnp.stack([layer.C_re, -layer.C_im], -1).reshape(layer.C_re.shape[0], -1)
    return LinearRNN(a, b, c, layer.D)


def test_a_complex_neuron_is_a_two_by_two_block():
    layer = complex_diagonal(6, 3, key=jax.random.key(0), d_out=2)
    u = jax.random.normal(jax.random.key(1), (25, 3))
    np.testing.assert_allclose(
        as_real_blocks(layer)(u), layer(u), rtol=1e-10, atol=1e-12
    )


def test_a_dense_layer_is_its_diagonalisation():
    dense = linear_rnn(6, 3, key=jax.random.key(0), d_out=2, nu0=0.5, theta0=1.0)
    lam, vectors = np.linalg.eig(np.asarray(dense.A[0]))
    b = np.linalg.inv(vectors) @ np.asarray(dense.B)
    c = np.asarray(dense.C) @ vectors
    template = complex_diagonal(6, 3, key=jax.random.key(0), d_out=2)
    parts = (b.real, b.imag, c.real, c.imag, dense.D, lam.real, lam.imag)
    diagonal = type(template)(*map(jnp.asarray, parts), "cartesian")
    u = jax.random.normal(jax.random.key(1), (25, 3))
    np.testing.assert_allclose(diagonal(u), dense(u), rtol=1e-8, atol=1e-10)


def test_a_dense_layer_is_its_real_jordan_form():
    dense = linear_rnn(7, 3, key=jax.random.key(3), d_out=2, nu0=0.5, theta0=1.0)
    lam, vectors = np.linalg.eig(np.asarray(dense.A[0]))
    upper, real = np.flatnonzero(lam.imag > 0), np.flatnonzero(lam.imag == 0)
    assert len(upper)
    assert len(real)
    columns = [part for i in upper for part in (vectors[:, i].real, vectors[:, i].imag)]
    basis = np.stack([*columns, *vectors[:, real].real.T], 1)
    turns = [np.array([[z.real, z.imag], [-z.imag, z.real]]) for z in lam[upper]]
    jordan = scipy.linalg.block_diag(*turns, *lam[real].real)
    b = np.linalg.solve(basis, np.asarray(dense.B))
    parts = (jordan[None], b, np.asarray(dense.C) @ basis)
    layer = LinearRNN(*map(jnp.asarray, parts), dense.D)
    u = jax.random.normal(jax.random.key(1), (25, 3))
    np.testing.assert_allclose(layer(u), dense(u), rtol=1e-8, atol=1e-10)


def test_transformed_eigenvalues_obey_equation_15():
    matrix = np.asarray(jax.random.normal(jax.random.key(2), (40, 40))) / math.sqrt(40)
    before = np.linalg.eigvals(matrix)
    after = np.linalg.eigvals(transform_eigenvalues(matrix, 0.9, 0.3))
    pairs = before[np.abs(before.imag) > 0]
    radius = 0.9 + 0.1 * np.tanh(np.abs(pairs))
    expected = radius * np.exp(1j * np.angle(pairs) * 0.3 / np.pi)
    eigenvalues = after[np.abs(after.imag) > 1e-9]
    order = np.lexsort((expected.imag, expected.real.round(9)))
    np.testing.assert_allclose(
        np.sort_complex(eigenvalues),
        np.sort_complex(expected[order]),
        rtol=1e-7,
        atol=1e-9,
    )
    assert np.abs(after).min() >= 0.9 - 1e-9
    assert np.abs(after).max() <= 1


def test_blocks_are_drawn_one_by_one():
    layer = block_rnn(12, 2, key=jax.random.key(0), blocks=4, nu0=0.8, theta0=1.0)
    assert layer.A.shape == (4, 3, 3)
    assert layer.eigenvalues().shape == (12,)
    assert float(jnp.min(jnp.abs(layer.eigenvalues()))) >= 0.8 - 1e-9


def test_a_glorot_matrix_is_scaled_into_the_disc():
    """All of it alike; as drawn, some of its eigenvalues are outside."""
    layer = nonlinear_rnn(64, 2, key=jax.random.key(0), activation="identity")
    scaled = nonlinear_rnn(
        64, 2, key=jax.random.key(0), activation="identity", radius=0.9
    )
    eigenvalues = np.linalg.eigvals(layer.A[0])
    assert np.abs(eigenvalues).max() > 1.02
    factor = 0.9 / np.abs(eigenvalues).max()
    np.testing.assert_allclose(scaled.A, factor * layer.A, rtol=1e-9)
    np.testing.assert_array_equal(scaled.B, layer.B)


def test_parameters_are_counted_as_real_numbers():
    n, h = 7, 5
    assert count_parameters(lru(n, h, key=jax.random.key(0))) == 3 * n + 4 * n * h + h
    absent = lru(n, h, key=jax.random.key(0), gamma="absent")
    assert count_parameters(absent) == 2 * n + 4 * n * h + h
    dense = linear_rnn(n, h, key=jax.random.key(0), d_out=2, nu0=0.5, theta0=1.0)
    assert count_parameters(dense) == n * n + n * h + 2 * n + 2 * h


REFUSED = [
    (lambda k: lru(0, 3, key=k), "need state_size >= 1, got state_size=0"),
    (
        lambda k: lru(3, 3, key=k, gamma="on"),
        "need gamma in ('learned', 'attached', 'detached',",
    ),
    (lambda k: lru(3, 3, key=k, r_min=0.9, r_max=0.5), "need 0 <= r_min <= r_max <= 1"),
    (lambda k: lru(3, 3, key=k, max_phase=7.0), "need 0 < max_phase <= 2 pi, got"),
    (
        lambda k: lru(3, 3, key=k, r_min=1.0),
        "need r_min < 1, got a ring on the unit circle",
    ),
    (lambda k: complex_diagonal(3, 3, key=k, coordinates="log"), "need coordinates in"),
    (
        lambda k: linear_rnn(3, 3, key=k, nu0=1.0, theta0=1.0),
        "need 0 <= nu0 < 1 and 0 < theta0 <= pi, got nu0=1.0, theta0=1.0",
    ),
]


@pytest.mark.parametrize(("build", "message"), REFUSED)
def test_bad_arguments_are_refused(build, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        build(jax.random.key(0))


def test_bad_arrays_are_refused():
    good = arrays_of(lru(4, 3, key=jax.random.key(0)))
    with pytest.raises(ValueError, match=r"missing \['C_re'\], unknown \['c_re'\]"):
        lru_from_arrays({("c_re" if k == "C_re" else k): v for k, v in good.items()})
    with pytest.raises(ValueError, match=r"need B_im of shape \(4, 3\), got \(3, 4\)"):
        lru_from_arrays(good | {"B_im": good["B_im"].T})
    with pytest.raises(ValueError, match="need finite nu_log, got a NaN or infinity"):
        lru_from_arrays(good | {"nu_log": np.full(4, np.nan)})
    bare = {name: value for name, value in good.items() if name != "gamma_log"}
    assert lru_from_arrays(bare).gamma == "absent"
