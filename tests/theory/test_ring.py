"""The ring of eigenvalues: its law and its gain, against integrals done by mpmath."""

import mpmath
import pytest
from sympy import Rational, exp, lambdify, simplify, sqrt

from sigprop.theory import ring
from sigprop.theory.symbols import T, lam, n, r, r_max, r_min, theta, u1, u2

RINGS = [("0", "0.8"), ("0.3", "0.9"), ("0.7", "0.99"), ("0.9", "0.9001")]
ring_cases = pytest.mark.parametrize(("inner", "outer"), RINGS)


def number(expr, inner, outer, **more):
    """Evaluate a form of the radii in the current precision."""
    symbols = {r_min: inner, r_max: outer} | more.pop("at", {})
    return lambdify(list(symbols), expr, "mpmath")(*map(mpmath.mpf, symbols.values()))


def over_area(integrand, inner, outer):
    """Average over the area of the ring, in the radius."""
    inner, outer = mpmath.mpf(inner), mpmath.mpf(outer)
    total = mpmath.quad(lambda s: 2 * s * integrand(s), [inner, outer])
    return total / (outer**2 - inner**2)


def close(value, truth, digits=20):
    return abs(value / truth - 1) < mpmath.mpf(10) ** -digits


@ring_cases
def test_radius_has_the_share_of_the_area_inside_it(inner, outer):
    with mpmath.workdps(30):
        low, high = mpmath.mpf(inner), mpmath.mpf(outer)
        for part in ("0.1", "0.5", "0.9"):
            at = low + mpmath.mpf(part) * (high - low)
            share = over_area(lambda s, at=at: s <= at, inner, at)
            inside = share * (at**2 - low**2) / (high**2 - low**2)
            assert close(number(ring.radius_cdf(), inner, outer, at={r: at}), inside)


def test_sampler_inverts_the_law_of_the_radius():
    assert ring.sampled_distribution_is_uniform()
    radius = exp(-ring.sampled_nu().result)
    assert simplify(ring.radius_cdf().subs(r, radius) - u1) == 0


def test_sampler_two_percent_off_does_not_invert_the_law(monkeypatch):
    wrong = ring.sampled_nu().then("wrong", ring.sampled_nu().result * Rational(51, 50))
    monkeypatch.setattr(ring, "sampled_nu", lambda: wrong)
    assert not ring.sampled_distribution_is_uniform()


@ring_cases
def test_sampled_radius_runs_from_the_inner_edge_to_the_outer(inner, outer):
    with mpmath.workdps(30):
        for uniform, edge in ((0, inner), (1, outer)):
            if mpmath.mpf(edge) == 0:
                continue  # nu is infinite at the centre
            nu = number(ring.sampled_nu().result, inner, outer, at={u1: uniform})
            assert close(mpmath.exp(-nu), mpmath.mpf(edge))


def test_phase_runs_once_around():
    assert ring.sampled_theta().subs(u2, 0) == 0
    assert exp(1j * ring.sampled_theta().subs(u2, 1)).equals(1)
    assert not exp(1j * ring.sampled_theta().subs(u2, Rational(98, 100))).equals(1)


@ring_cases
def test_gain_is_the_moment_averaged_over_the_area(inner, outer):
    with mpmath.workdps(30):
        truth = over_area(lambda s: 1 / (1 - s**2), inner, outer)
        assert close(number(ring.gain().result, inner, outer), truth)
        wrong = number(
            ring.gain().result, inner, mpmath.mpf(outer) - mpmath.mpf("1e-5")
        )
        assert not close(wrong, truth)


@pytest.mark.parametrize("length", [1, 2, 5, 40])
@ring_cases
def test_finite_gain_is_the_finite_moment_averaged_over_the_area(inner, outer, length):
    finite = ring.gain(T).result.subs(T, length).doit()
    with mpmath.workdps(30):

        def moment(s, steps=length):
            return mpmath.fsum(s ** (2 * age) for age in range(steps))

        truth = over_area(moment, inner, outer)
        assert close(number(finite, inner, outer), truth)
        assert not close(number(finite, inner, outer), truth * mpmath.mpf("1.02"))


@ring_cases
def test_gain_is_the_limit_of_the_finite_gain(inner, outer):
    length = 4000
    with mpmath.workdps(30):
        low, high = mpmath.mpf(inner) ** 2, mpmath.mpf(outer) ** 2
        powers = (
            (high**age - low**age) / age / (high - low) for age in range(1, length + 1)
        )
        assert close(mpmath.fsum(powers), number(ring.gain().result, inner, outer))


@pytest.mark.parametrize("outer", ["0.3", "0.9", "0.999"])
def test_gain_of_a_thin_ring_tends_to_its_limit_at_the_stated_rate(outer):
    limit = ring.thin_ring_gain().result
    with mpmath.workdps(40):
        end = lambdify(r, limit, "mpmath")(mpmath.mpf(outer))
        for width in (mpmath.mpf("1e-4"), mpmath.mpf("1e-8")):
            inner = mpmath.sqrt(mpmath.mpf(outer) ** 2 - width)
            error = 1 - number(ring.gain().result, inner, outer) / end
            stated = width / (2 * (1 - mpmath.mpf(outer) ** 2))
            assert 0 < error < stated
            assert error > mpmath.mpf("0.95") * stated


@pytest.mark.parametrize(
    ("derivation", "form"),
    [
        (ring.unrolled_state, lam**n),
        (ring.white_partial_sum, (1 - r ** (2 * T)) / (1 - r**2)),
        (ring.normalised_moment, 1),
        (ring.thin_ring_gain, 1 / (1 - r**2)),
    ],
)
def test_short_derivations_end_in_the_textbook_form(derivation, form):
    result = derivation().result
    assert simplify(result - form) == 0
    assert simplify(result * Rational(51, 50) - form) != 0
    assert len(derivation().steps) >= 2


def test_uniform_phase_averages_every_lag_away():
    assert ring.phase_average_kills_lags()
    with mpmath.workdps(20):
        for lag in (1, 2, 7):
            mean = mpmath.quad(lambda t, k=lag: mpmath.expj(k * t), [0, 2 * mpmath.pi])
            assert abs(mean) < 1e-15
        # A restricted phase leaves lags in, so the check can fail.
        assert abs(mpmath.quad(mpmath.expj, [0, mpmath.pi])) > 1


def test_names_of_the_ring_do_not_leak_into_its_results():
    assert ring.gain().result.free_symbols == {r_min, r_max}
    assert ring.sampled_nu().result.free_symbols == {r_min, r_max, u1}
    assert theta not in ring.thin_ring_gain().result.free_symbols
    assert sqrt(2) not in ring.gain().result.atoms()
