"""Lanczos' iteration and quadratures are exact where they promise to be."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import t as student_t

from sigprop.curvature.lanczos import (
    Pairs,
    Quadrature,
    estimate,
    lanczos,
    participation,
    quadrature,
    random_signs,
)
from sigprop.curvature.products import group_sums

pytestmark = pytest.mark.usefixtures("x64")
SIZE = 30


def times(matrix):
    """A product that is a tree of arrays, so that all sizes alike share a program."""
    return eqx.Partial(jnp.matmul, jnp.asarray(matrix))


def symmetric(seed, size=SIZE):
    normal = np.random.default_rng(seed).standard_normal((size, size))
    return (normal + normal.T) / np.sqrt(8 * size)


def start_of(seed, size=SIZE):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(size))


def moment(matrix, start, power):
    moved = np.asarray(start)
    for _ in range(power):
        moved = matrix @ moved
    return float(np.asarray(start) @ moved)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("steps", [1, 4, 7])
def test_quadrature_is_exact_up_to_its_degree_and_no_further(seed, steps):
    matrix, start = symmetric(seed), start_of(seed)
    run = lanczos(times(matrix), start, steps)

    def missing(power):
        return moment(matrix, start, power) - run.weights @ run.values**power

    for power in range(2 * steps):
        scale = run.weights @ np.abs(run.values) ** power
        assert abs(missing(power)) < 1e-10 * scale, power
    # The error of the first degree that is missed is the remainder's.
    left = moment(matrix, start, 0) * np.prod(run.betas**2)
    assert missing(2 * steps) == pytest.approx(left, rel=1e-6)
    assert left > 1e-8 * run.weights @ run.values ** (2 * steps)


@pytest.mark.parametrize("seed", range(3))
def test_all_steps_find_all_eigenvalues(seed):
    matrix = symmetric(seed)
    run = lanczos(times(matrix), start_of(seed), SIZE)
    values, vectors = np.linalg.eigh(matrix)
    np.testing.assert_allclose(run.values, values, atol=1e-12)
    ritz_vectors = run.vectors(np.arange(SIZE))
    np.testing.assert_allclose(np.abs((ritz_vectors * vectors.T).sum(1)), 1, atol=1e-8)
    np.testing.assert_allclose(
        run.weights, (vectors.T @ start_of(seed)) ** 2, atol=1e-8
    )
    few = lanczos(times(matrix), start_of(seed), SIZE // 2)
    assert np.abs(few.values - values[: SIZE // 2]).max() > 0.1


def graded(size=60):
    """Eigenvalues over eight decades, where Lanczos alone loses orthogonality."""
    vectors, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))
    return (vectors * np.logspace(-8, 0, size)) @ vectors.T


def test_basis_stays_orthonormal_where_the_bare_recurrence_loses_it():
    matrix, steps = graded(), 40
    run = lanczos(times(matrix), start_of(1, 60), steps)
    basis = np.asarray(run.basis)
    np.testing.assert_allclose(basis @ basis.T, np.eye(steps), atol=1e-13)
    bare, before, beta = [basis[0]], np.zeros(60), 0.0
    for _ in range(steps - 1):
        left = matrix @ bare[-1] - beta * before
        left -= (bare[-1] @ left) * bare[-1]
        before, beta = bare[-1], np.linalg.norm(left)
        bare.append(left / beta)
    assert np.abs(np.stack(bare) @ np.stack(bare).T - np.eye(steps)).max() > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_an_eigenvalue_is_as_near_as_the_residual_says(seed):
    matrix = symmetric(seed)
    run = lanczos(times(matrix), start_of(seed), 12)
    values = np.linalg.eigvalsh(matrix)
    nearest = np.abs(run.values[:, None] - values).min(1)
    assert (nearest <= run.residuals + 1e-13).all()
    assert (nearest[[0, -1]] < 0.02).all()
    y = run.vectors(np.arange(12))
    np.testing.assert_allclose(
        np.linalg.norm(y @ matrix - run.values[:, None] * y, axis=1),
        run.residuals,
        atol=1e-12,
    )
    new = Pairs(run.values, y).residuals(times(matrix))
    np.testing.assert_allclose(new, run.residuals, atol=1e-12)
    wrong = Pairs(run.values + 0.01, y).residuals(times(matrix))
    assert (wrong >= 0.99e-2).all()


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_iteration_ends_where_nothing_is_left(rank):
    vectors = np.linalg.qr(symmetric(0))[0][:rank]
    values = np.arange(1.0, rank + 1)
    matrix = (vectors.T * values) @ vectors
    run = lanczos(times(matrix), start_of(0), 8)
    assert run.alphas.size == (rank + 1 if rank else 1)
    np.testing.assert_allclose(run.values, [0, *values], atol=1e-14)
    assert run.residuals.max() < 1e-13
    np.testing.assert_allclose(run.image(), matrix @ start_of(0), atol=1e-12)
    spectrum = quadrature(
        jax.random.key(0), times(matrix), start_of(0), steps=8, probes=2
    )
    assert spectrum.nodes.shape == (2, 8)
    np.testing.assert_allclose(spectrum.weights.sum(1), SIZE)
    direct = [s @ matrix @ s for s in signs(2)]
    np.testing.assert_allclose(spectrum.trace().mean, np.mean(direct), atol=1e-12)


def signs(probes, key=0):
    keys = (jax.random.fold_in(jax.random.key(key), i) for i in range(probes))
    return [np.asarray(random_signs(probe_key, start_of(0))) for probe_key in keys]


def test_random_signs_are_exact_for_a_diagonal_matrix():
    diagonal = np.diag(np.linspace(-1, 2, SIZE))
    run = quadrature(jax.random.key(1), times(diagonal), start_of(0), steps=4, probes=3)
    for value, expected in (
        (run.trace(), np.trace(diagonal)),
        (run.square(), (diagonal**2).sum()),
    ):
        assert float(value.mean) == pytest.approx(expected, rel=1e-12)
        assert float(value.sem) < 1e-12
        assert value.n == 3


@functools.cache
def many_runs(repetitions, probes):
    """Nodes and weights of independent quadratures of a small matrix, all at once."""
    matrix = symmetric(3, 16)
    result = quadrature(
        jax.random.key(5),
        times(matrix),
        start_of(0, 16),
        steps=2,
        probes=repetitions * probes,
    )
    shape = repetitions, probes, 2
    pairs = zip(result.nodes.reshape(shape), result.weights.reshape(shape), strict=True)
    return matrix, [Quadrature(*pair) for pair in pairs]


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("quantity", ["trace", "square"])
def test_interval_of_a_trace_covers_it_at_the_stated_rate(level, quantity):
    repetitions, probes = 150, 16
    matrix, runs = many_runs(repetitions, probes)
    exact = np.trace(matrix) if quantity == "trace" else (matrix**2).sum()
    traces = [getattr(run, quantity)() for run in runs]
    far = np.array([abs(trace.mean - exact) / trace.sem for trace in traces])

    def covered(widening):
        return np.mean(far < widening * student_t.ppf((1 + level) / 2, probes - 1))

    spread = 5 * np.sqrt(level * (1 - level) / repetitions)  # wrong once in a million
    assert abs(covered(1) - level) < spread
    assert abs(covered(0.4) - level) > spread


def test_density_counts_eigenvalues():
    matrix = symmetric(2)
    result = quadrature(
        jax.random.key(2), times(matrix), start_of(0), steps=SIZE, probes=6
    )
    at, width = np.linspace(-3, 3, 601), 0.1
    density = result.density(at, width)
    assert density.mean.sum() * 0.01 == pytest.approx(SIZE, rel=1e-6)
    offset = (at[:, None] - np.linalg.eigvalsh(matrix)) / width
    expected = np.exp(-0.5 * offset**2).sum(1) / (width * np.sqrt(2 * np.pi))
    sure = density.sem > 1e-3 * density.sem.max()
    far = np.abs(density.mean - expected)[sure] / density.sem[sure]
    assert np.median(far) < 2
    assert (
        np.median(np.abs(density.mean - 1.5 * expected)[sure] / density.sem[sure]) > 2
    )


@pytest.mark.parametrize("count", [0, 4, SIZE])
def test_sums_over_groups_are_unbiased_whatever_is_known(count):
    matrix = symmetric(4) + 2 * np.outer(*2 * [np.sin(np.arange(SIZE))]) / SIZE
    groups = np.arange(SIZE) % 3
    values, vectors = np.linalg.eigh(matrix)
    known = Pairs(values[::-1][:count], vectors.T[::-1][:count])
    product = times(matrix)
    draws = np.stack(
        [
            known.parts(lanczos(product, jnp.asarray(sign), 2), groups, 3)
            for sign in signs(64, key=7)
        ]
    )
    result = estimate(draws)
    expected = group_sums(np.stack([np.diag(matrix), (matrix**2).sum(1)]), groups, 3)
    if count == SIZE:
        np.testing.assert_allclose(draws, np.broadcast_to(expected, draws.shape))
    else:
        assert (np.abs(result.mean - expected) < 5 * result.sem).all()
        assert (result.sem < 0.2 * expected[1].max()).all()
    if count == 4:
        nothing = Pairs(values[:0], vectors[:0])
        plain = [
            nothing.parts(lanczos(product, jnp.asarray(sign), 2), groups, 3)
            for sign in signs(64, key=7)
        ]
        assert (result.sem[0] < estimate(np.stack(plain)).sem[0]).all()


def test_participation_counts_entries():
    vectors = np.array([[0, 3.0, 0, 0], [1, -1, 1, -1], [2, 2, 0, 0]])
    np.testing.assert_allclose(participation(vectors), [1, 4, 2])


@pytest.mark.parametrize("steps", [0, SIZE + 1])
def test_steps_out_of_range_are_refused(steps):
    with pytest.raises(ValueError, match=f"need 1 <= steps <= {SIZE}, got {steps=}"):
        lanczos(times(symmetric(0)), start_of(0), steps)


@pytest.mark.parametrize("probes", [-1, 0, 1])
def test_too_few_probes_are_refused(probes):
    with pytest.raises(ValueError, match=f"need probes >= 2, got {probes=}"):
        quadrature(
            jax.random.key(0),
            times(symmetric(0)),
            start_of(0),
            steps=2,
            probes=probes,
        )


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_start_without_direction_is_refused(bad):
    with pytest.raises(ValueError, match="need a finite start that is not zero"):
        lanczos(times(symmetric(0)), jnp.full(SIZE, bad), 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("step", [1, 2])
def test_products_that_are_not_finite_are_refused(bad, step):
    matrix = symmetric(0)
    start = start_of(0)
    if step == 2:  # the first vector does not see the bad entry, the second does
        start, matrix[1, 1] = start.at[1].set(0), bad
        matrix[1, 2:] = matrix[2:, 1] = 0
        matrix[0, 1] = matrix[1, 0] = 1.0

        def product(v):
            rest = jnp.where(jnp.arange(SIZE) == 1, 0, v)
            sound = jnp.where(jnp.isfinite(matrix), matrix, 0)
            return sound @ v + jnp.where(jnp.abs(v[1]) > 1e-9, bad, 0) * (rest * 0 + 1)
    else:
        matrix[0, 0] = bad
        product = times(matrix)
    with pytest.raises(ValueError, match=f"a NaN or infinity in step {step}; is the"):
        lanczos(product, start, 4)


def test_other_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="need two steps or more for the image"):
        lanczos(times(symmetric(0)), start_of(0), 1).image()
    with pytest.raises(ValueError, match="need a positive width, got 0"):
        Quadrature(np.ones((2, 1)), np.ones((2, 1))).density(np.zeros(1), 0)
    with pytest.raises(ValueError, match="need two draws or more"):
        estimate(np.ones((1, 3)))
