"""What the lines of one_dimensional and the disc of similarity show."""

import dataclasses
import math

import numpy as np
import pytest

from sigprop.experiments import one_dimensional, similarity, store

FAR = 5.0  # standard errors
LINES = ("real", "circle", "nu", "theta")


@pytest.fixture(scope="module")
def lines():
    return one_dimensional.run(one_dimensional.SMOKE)


@pytest.fixture(scope="module")
def pairs():
    return similarity.run(dataclasses.replace(similarity.SMOKE, rhos=(0.9,)))


def farthest(mean, sem, exact):
    return float(np.abs((mean - exact) / sem).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_simulated_students_lose_what_the_theory_says(lines, name):
    exact, mean, sem = (
        lines[f"{name}_{part}"] for part in ("exact", "simulated", "sem")
    )
    assert farthest(mean, sem, exact) < FAR
    assert farthest(mean, sem, 1.5 * exact) > FAR
    assert float((sem / exact).max()) < 0.1


@pytest.mark.slow
def test_curvatures_are_the_second_derivatives_of_the_loss(lines):
    marked = {"gap": lines["marked"].values, "method": "nearest"}
    for kind in ("curvature", "bare_curvature"):
        route = kind.replace("curvature", "autodiff")
        exact = lines[kind].sel(**marked).values
        np.testing.assert_allclose(lines[route], exact, rtol=1e-8)
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(lines[route], 1.05 * exact, rtol=1e-8)


@pytest.mark.slow
def test_parametrisations_tame_the_modulus_and_only_tanh_the_angle(lines):
    curvature = lines["curvature"]
    np.testing.assert_allclose(curvature.sel(chart="tanh"), 1, rtol=1e-9)
    modulus, angle = (curvature.sel(kind=kind) for kind in ("modulus", "angle"))
    np.testing.assert_allclose(modulus.sel(chart="exp")[-1], 0.25, rtol=1e-2)
    gap = lines["gap"]
    for steep in (modulus.sel(chart="polar"), angle.sel(chart="exp")):
        exponent = np.log(steep[-1] / steep[-2]) / np.log(gap[-1] / gap[-2])
        assert float(exponent) == pytest.approx(-2, abs=0.05)
    bare = lines["bare_curvature"]
    exponent = np.log(bare[:, -1] / bare[:, -2]) / np.log(gap[-1] / gap[-2])
    np.testing.assert_allclose(exponent, -3, atol=0.05)


@pytest.mark.slow
def test_lines_are_least_at_the_teacher(lines):
    for teacher in lines["teacher"].values:
        line = lines.sel(teacher=teacher)
        assert float(line["real"][line["real_loss"].values.argmin()]) == teacher
        assert float(
            line["turn"][line["circle_loss"].values.argmin()]
        ) == pytest.approx(0)
        polar = line.sel(chart="polar", kind="modulus")
        step = float(polar["omega"][1] - polar["omega"][0])
        least = float(polar["omega"][polar["nu_loss"].values.argmin()])
        assert least == pytest.approx(teacher, abs=step)


def test_students_lie_on_their_lines():
    four = one_dimensional.lines(0.9, one_dimensional.SMOKE)
    star = math.pi * one_dimensional.SMOKE.angle
    np.testing.assert_allclose(np.angle(four["nu"].lam), star)
    for name in ("circle", "theta"):
        np.testing.assert_allclose(np.abs(four[name].lam), 0.9)
    for line in four.values():
        assert np.abs(line.lam).max() < 1
        assert np.abs(line.lam - line.task.teacher).min() > 1e-4


def test_odd_numbers_of_students_are_refused():
    with pytest.raises(ValueError, match="need an even number of students, got 5"):
        one_dimensional.Config(students=5)


def test_differentiated_loss_is_the_similarity(pairs):
    np.testing.assert_allclose(pairs["autodiff"], pairs["marked_exact"], rtol=1e-9)


def test_similarity_as_printed_is_refused_where_inputs_are_correlated(pairs):
    """Eq. 134 has ``1 - rho`` for ``1 - rho**2``; with it the circle is another one."""
    config = similarity.SMOKE
    lam = config.modulus * np.exp(1j * pairs["marked"].values)
    rho, other = 0.9, config.lam0
    P = lam * other
    printed = (
        (1 - rho) * (1 + P)
        + rho**2 * (1 - P) ** 3
        + rho * (1 - rho) * P * (rho * P * (1 + P) - 2 * lam - 2 * other)
    ) / ((1 - P) ** 3 * (1 - rho * lam) ** 2 * (1 - rho * other) ** 2)
    autodiff = pairs["autodiff"].sel(rho=rho)
    assert float(np.abs(np.abs(printed) / autodiff - 1).max()) > 0.3


def test_simulated_sensitivities_are_as_alike_as_the_theory_says(pairs):
    assert farthest(pairs["simulated"], pairs["sem"], pairs["exact"]) < FAR
    assert farthest(pairs["simulated"], pairs["sem"], 1.5 * pairs["exact"]) > FAR
    assert farthest(pairs["across"], pairs["across_sem"], 0 * pairs["exact"]) < FAR


def test_only_conjugates_are_aligned_at_any_correlation():
    config = similarity.QUICK
    conjugate = np.array([config.lam0.conjugate()])
    for rho in (0.0, 0.9, 0.99):
        itself = similarity.alignment(conjugate, config.lam0, rho)
        np.testing.assert_allclose(np.abs(itself), 1, rtol=1e-12)
        away = np.exp(0.1j) * conjugate
        assert np.abs(similarity.alignment(away, config.lam0, rho)).max() < 0.02


def test_correlation_makes_eigenvalues_near_one_similar():
    config = similarity.QUICK
    real, conjugate = 0.99 + 0j, config.lam0.conjugate()

    def ratio(rho):
        first, second = (
            abs(similarity.shared()(lam, config.lam0, rho)) for lam in (real, conjugate)
        )
        return first / second

    assert ratio(0.0) < 1e-3
    assert ratio(0.99) > 0.3


def test_an_input_without_an_edge_is_refused():
    with pytest.raises(ValueError, match=r"need \|rho\| < 1"):
        similarity.Config(rhos=(1.0,))


@pytest.mark.parametrize("study", [one_dimensional, similarity])
def test_presets_differ(study):
    presets = {
        store.canonical(preset) for preset in (study.SMOKE, study.QUICK, study.PAPER)
    }
    assert len(presets) == 3


def test_every_variable_says_its_unit_and_is_finite(pairs):
    for label, values in pairs.data_vars.items():
        assert values.attrs["units"], label
        assert np.isfinite(values).all(), label


@pytest.mark.slow
def test_every_variable_of_the_lines_says_its_unit_and_is_finite(lines):
    for label, values in lines.data_vars.items():
        assert values.attrs["units"], label
        assert np.isfinite(values).all(), label
