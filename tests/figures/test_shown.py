"""The sentence under a figure says what its results hold, whichever way they fall."""

import numpy as np
import pytest

from sigprop.figures import catalogue, style
from tests.figures.scrambled import scrambled
from tests.figures.tracked import anew
from tests.words import private

LONGEST = 30  # words of a sentence
MOST = 3  # sentences under a figure


def shown(name, **changes):
    """The sentences of a figure, its results altered first."""
    return catalogue.module(name).shown(altered(name, **changes))


def details(name, **changes):
    """The table of a figure, its results altered first."""
    return catalogue.details(name, altered(name, **changes))


def altered(name, **changes):
    """The results of a figure after changes."""
    needed = catalogue.entry(name).needs()
    results = {study: anew(study).load() for study in needed}
    for study, change in changes.items():
        change(results[study])
    return results


def where(data, name, coordinate, value):
    """The entries of a variable of one dimension at which a coordinate has a value."""
    return data[name].values, data[coordinate].values == value


def accuracies(**of):
    """Give all runs of each rung one accuracy in percent, of all others 50."""

    def change(data):
        rungs = data["model"].values
        for rung in np.unique(rungs):
            data["test_accuracy"].values[rungs == rung] = of.get(rung, 50) / 100

    return dict.fromkeys(("ladder_digits", "ladder_listops", "ladder_smnist"), change)


STEPS = {"tanh": 10, "dense": 20, "complex": 30, "stable": 40, "ring": 50, "gamma": 60}


def test_lru_1_names_the_steps_that_lower_the_accuracy():
    text = shown("lru-1", **accuracies(**STEPS))
    assert text.endswith(
        "over the 3 tasks rises in all 5 steps that the paper's caption names."
    )
    text = shown("lru-1", **accuracies(**STEPS | {"stable": 27.5, "gamma": 49}))
    assert "rises in 3 of the 5 steps" in text
    assert "from complex diagonal to stable exponential, by 2.5 percentage" in text


def test_lru_1_lists_every_step():
    change = accuracies(**STEPS | {"stable": 27.5, "ring": np.nan})
    header, first, second, third, fourth, last = details("lru-1", **change)
    assert header == (
        *("step", "mean test accuracy before (%)", "after (%)"),
        "change (percentage points)",
    )
    assert first == ("tanh RNN to linear RNN", "10.0", "20.0", "+10.0")
    assert second == ("linear RNN to complex diagonal", "20.0", "30.0", "+10.0")
    assert third[1:] == ("30.0", "27.5", "-2.5")
    assert fourth[0] == "stable exponential to ring initialisation"
    assert fourth[1:] == ("27.5", "10.0", "-17.5")
    assert last == ("ring initialisation to the LRU", "10.0", "60.0", "+50.0")


def test_lru_1_counts_a_run_that_diverged_as_a_guess():
    text = shown("lru-1", **accuracies(**STEPS | {"ring": np.nan}))
    assert "stable exponential to ring initialisation, by 30.0 percentage" in text
    lost = "Runs that diverged (ring initialisation on ListOps, ring initialisation on "
    assert lost in text
    text = shown(
        "lru-1", **accuracies(**STEPS | {"stable": 27.5, "exponential": np.nan})
    )
    assert text.endswith("None of these runs diverged.")


def test_lru_5_compares_losses_and_states_of_the_largest_pictures():
    def fresh(data):
        for name, loss, power in (
            ("ring", 31.25, 90),
            ("gamma", 1.5, 3),
            ("phase", 2, 6),
        ):
            data["loss"].loc[{"pixels": 16384, "setting": name}] = loss
            data["power"].loc[{"pixels": 16384, "setting": name}] = power

    text = shown("lru-5", normalisation=fresh)
    assert (
        "31.2 nats without normalisation, 1.5 nats with normalisation, and 2 nats"
        in text
    )
    assert "squared states by 30, and small phases multiply them by 2." in text


@pytest.mark.parametrize(
    ("better", "phrase"),
    [
        (0, "at none of 10 pairs of initial scale and learning rate. After 100"),
        (
            1,
            "at 1 of 10 pairs of initial scale and learning rate (Glorot's matrix, rate",
        ),
        (3, "at 3 of 10 pairs of initial scale and learning rate. After 100"),
        (10, "at all 10 pairs"),
    ],
)
def test_lru_7_counts_where_the_linear_network_wins(better, phrase):
    def change(data):
        final = data["loss"].transpose(
            "scale", "log_rate", "activation", "seed", "step"
        )
        linear = np.where(np.arange(10).reshape(2, 5) < better, 1.0, 3.0)
        values = np.stack([linear, np.full((2, 5), 2.0)], 2)[..., None]
        data["loss"] = final.copy(data=values[..., None] + np.zeros(final.shape))
        data["loss"].loc[{"step": 100}] = 3.0
        data["loss"].loc[{"step": 100, "activation": "identity", "scale": 1}] = 1.0

    text = shown("lru-7", convolution_kernel=change)
    assert phrase in text
    early = "After 100 iterations its median loss is lower at 5 of 10 pairs"
    assert f"{early}, at 0.33 times the tanh network's." in text


def test_lru_8_finds_the_slowest_phase_of_each_chart():
    def change(data):
        data["settled"].loc[{"chart": "cartesian"}] = 60.0
        data["settled"].loc[{"chart": "cartesian", "phase": 0.25}] = 90.0
        data["settled"].loc[{"chart": "exponential"}] = 70.0

    text = shown("lru-8", power_descent=change)
    assert "real + imaginary parametrisation, Adam needs 60 to 90 iterations" in text
    assert "90 at target phase 0.25 π and 60 at 0.5 π" in text
    assert "exponential parametrisation, Adam needs 70 iterations on average at" in text
    assert (
        "expects Adam to slow down towards 0.5 π; iterations are counted until" in text
    )
    assert "below 0.001" in text


def test_lru_9_counts_the_places_between_the_whiskers():
    def change(data):
        data["measured"].values[:] = data["exact"].values[..., None]
        data["measured"].loc[{"input": "constant", "inner": 0.5}] *= 2

    text = shown("lru-9", ring_gain=change)
    assert "39 of 39 points for white input and 26 of 39 points for constant" in text
    assert "the 5th and 95th percentiles of 10 runs" in text
    assert (
        "by 0.0 % on average for white input and by 33.3 % for constant input." in text
    )


@pytest.mark.parametrize(
    ("growth", "phrase"),
    [(1.05, "stay constant within 10 %"), (1.2, "do not stay constant")],
)
def test_rotrnn_3_says_whether_norms_stay_and_how_near_theory_is(growth, phrase):
    def change(data):
        data["measured"].values[:] = 4.0
        data["predicted"].values[:] = 4.0 * 1.15**2
        values, rows = where(data, "measured", "model", "rotrnn")
        values[rows, -1] *= growth**2
        data["predicted"].values[rows, -1] *= growth**2
        values, rows = where(data, "measured", "model", "lru")
        values[rows, -1] *= 3.0**2
        data["predicted"].values[rows, -1] *= 3.6**2

    text = shown("rotrnn-3", lists=change)
    assert (
        "From step 100 to 2000, the last layer's mean norm changes from 2.0 to 6.0 in the LRU "
        f"and from 2.0 to {2 * growth:.1f} in the RotRNN." in text
    )
    assert (
        f"norms grow 3.0 times in the LRU and {growth:.1f} times in the RotRNN, whose norms "
        f"{phrase}." in text
    )
    assert "at most 38 %" in text


@pytest.mark.parametrize(
    ("power", "phrase"), [(2.5, "more slowly."), (1.5, "not more slowly at every ρ.")]
)
def test_zucchet_1a_compares_powers_of_the_gap(power, phrase):
    def change(data):
        data["theory"].loc[{"quantity": "sensitivity"}] = data["gap"].values ** -power
        fast = {"quantity": "sensitivity", "rho": 0.5}
        data["theory"].loc[fast] = data["gap"].values ** -4.0
        data["theory"].loc[{"quantity": "state"}] = data["gap"].values ** -2.0
        data["simulated"].values[:] = data["exact"].values
        data["sem"].values[:] = 0.02 * data["exact"].values
        data["simulated"].loc[{"quantity": "sensitivity", "rho": 0.9}] *= 1.07

    text = shown("zucchet-1a", curse_of_memory=change)
    raised = {2.5: "⁻²·⁵", 1.5: "⁻¹·⁵"}[power]
    other = (
        f"grows as (1−λ){raised} at ρ = 0, 0.9, 0.99 and 1 and as (1−λ)⁻⁴ at ρ = 0.5."
    )
    assert other in text
    assert "as (1−λ)⁻³ at ρ = 0 to 0.99 and as (1−λ)⁻⁴ at ρ = 1." in shown("zucchet-1a")
    assert f"state at ρ = 1 grows as (1−λ)⁻², {phrase}" in text
    assert "differ by at most 3.5 standard errors" in text
    assert details("zucchet-1a", curse_of_memory=change) == (
        ("input correlation ρ", "power of 1 - λ of the squared sensitivity"),
        *(("0", f"-{power}"), ("0.5", "-4"), ("0.9", f"-{power}")),
        *(("0.99", f"-{power}"), ("1", f"-{power}")),
    )


@pytest.mark.parametrize(
    ("power", "phrase"), [(3.0, "sharpens"), (-1.0, "does not sharpen")]
)
def test_zucchet_1bc_says_how_the_loss_sharpens(power, phrase):
    def change(data):
        powers = {"modulus": power, "angle": 2.0}
        for kind, of in powers.items():
            data["bare_curvature"].loc[{"kind": kind}] = data["gap"].values ** -of

    text = shown("zucchet-1bc", one_dimensional=change)
    assert f"The loss {phrase} as the teacher's time constant grows" in text
    raised = {3.0: "⁻³", -1.0: "¹"}[power]
    assert f"grows as (1−|λ*|){raised} along the real axis and as" in text
    assert "and as (1−|λ*|)⁻² along the circle, where" in text

    def alike(data):
        data["bare_curvature"].values[:] = data["gap"].values ** -2.0

    text = shown("zucchet-1bc", one_dimensional=alike)
    assert "grows as (1−|λ*|)⁻² along the real axis and along the circle" in text


def test_zucchet_2_tells_bounded_from_growing_moments():
    def change(data):
        data["controlled_theory"].values[:] = 2.0
        data["controlled_theory"].loc[{"quantity": "state", "rho": 0.5}] = 3.0
        growing = {"quantity": "sensitivity", "rho": 0.9}
        data["controlled_theory"].loc[growing] = data["gap"].values ** -0.7

        data["controlled_theory"].loc[{"quantity": "sensitivity", "rho": 1}] = 5.0

    text = shown("zucchet-2", curse_of_memory=change)
    assert text.startswith("Both moments are bounded at 4 of 5 values of ρ.")
    assert (
        "Up to λ = 0.9999, and at ρ = 1, the squared state is at most 2 and the squared sens"
        in text
    )
    assert "sensitivity at most 5, for" in text
    assert "only at ρ = 0.9" in text
    assert details("zucchet-2", curse_of_memory=change) == (
        (
            "input correlation ρ",
            *("largest squared state / Var[x]", "largest squared sensitivity / Var[x]"),
        ),
        *(("0", "2", "2"), ("0.5", "3", "2"), ("0.9", "2", "unbounded")),
        *(("0.99", "2", "2"), ("1", "2", "5")),
    )


@pytest.mark.parametrize(
    ("power", "phrases"),
    [
        (0.7, ["bounded at 0 of 5", "only at ρ = 0, 0.5, 0.9, 0.99, 1."]),
        (0.0, ["bounded at 5 of 5", "No moment grows without bound."]),
    ],
)
def test_zucchet_2_reads_well_without_bounds_or_without_growth(power, phrases):
    def change(data):
        data["controlled_theory"].values[:] = 2.0 * data["gap"].values ** -power

    text = shown("zucchet-2", curse_of_memory=change)
    assert all(phrase in text for phrase in phrases)
    assert ("is at most 2 and" in text) == (power == 0)


@pytest.mark.parametrize(
    ("lead", "first"),
    [
        (
            (-1, -1, 1, -1, 1, 1, 2),
            "modulus ν₀ is 0.96 or more, the LRU has a lower median loss than the RNN. At "
            "ν₀ = 0.99 the difference is 2.0 decades",
        ),
        ((1,) * 7, "modulus ν₀ is 0.32 or more, the LRU"),
        (
            (1, 1, 1, 1, 1, 1, -1),
            "not have a lower median loss than the RNN at ν₀ = 0.99.",
        ),
    ],
)
def test_zucchet_3_says_from_where_the_lru_leads(lead, first):
    def change(data):
        data["best"].loc[{"student": "RNN"}] = 1.0
        data["best"].loc[{"student": "LRU"}] = 10.0 ** -np.array(lead)[:, None]

    def designs(data):
        for decades, name in enumerate(data["student"].values):
            data["best"].loc[{"student": name}] = 10.0**-decades

    text = shown("zucchet-3", memory_gap=change, ablation=designs)
    assert first in text
    assert "the other 4 networks are 1.0 to 4.0 decades below the RNN's." in text
    assert details("zucchet-3", memory_gap=change, ablation=designs) == (
        ("network of panel B", "median loss below the RNN's (decades)"),
        *(("block diagonal", "1.0"), ("more neurons", "2.0")),
        *(("complex diagonal", "3.0"), ("LRU", "4.0")),
    )


def rates(data, **of):
    for name, rate in of.items():
        rows = data["network"].values == name.replace("_", " ")
        data["rate"].values[rows] = rate


@pytest.mark.parametrize(("count", "phrase"), [(9, "fewer than"), (10, "at least")])
def test_zucchet_4_counts_the_sharp_directions(count, phrase):
    def change(data):
        data["eigenvalue"].values[:] = 0.0
        data["eigenvalue"].values[:, :count] = 1.0
        data["eigenvalue"].loc[{"network": "RNN", "rank": 0}] = 6.0
        data["eigenvalue"].loc[{"network": "RNN", "rank": count}] = 1.0
        data["eigenvector"].values[:] = 0.0
        data["eigenvector"].loc[{"top": 0, "row": [0, 3]}] = 0.5**0.5
        data["eigenvector"].loc[{"top": 0, "row": [1, 2, 3, 4], "network": "RNN"}] = 0.5
        data["eigenvector"].loc[{"top": 0, "row": 0, "network": "RNN"}] = 0.0

    text = shown(
        "zucchet-4",
        hessian_structure=change,
        adaptive_rates=lambda data: rates(data, RNN=1e-5, complex_diagonal=0.25),
    )
    assert (
        f"The Hessian has {count + 1} nonzero eigenvalues for the RNN and {count} for the "
        f"complex diagonal network, {phrase} the 10 that the paper's caption names."
        in text
    )
    assert (
        "RNN's largest eigenvalue is 6 times the complex diagonal network's, and"
        in text
    )
    assert (
        "its eigenvector spreads over 4.0 parameters instead of 2.0 (1 / Σv⁴)." in text
    )
    assert "is 1 × 10⁻⁵ (RNN) and 0.25 (complex diagonal)." in text


RATES_OF = {
    "LRU": {"nu_log": 0.5, "theta_log": 2e-3},
    "S4": {"omega_delta": 0.04, "w_re": 0.006, "w_im": 0.006},
}


@pytest.mark.parametrize(
    ("angle", "phrase"),
    [(8.0, "only the curvature along"), (0.5, "the curvatures along")],
)
def test_zucchet_9_compares_angle_and_magnitude(angle, phrase):
    def change(data):
        names = data["parameter"].sel(network="LRU").values
        matrix = data["hessian"].sel(network="LRU").values
        matrix[:] = 0.0
        for name, entry in (("theta_log", angle), ("nu_log", 2.0)):
            for row in np.flatnonzero(names == name):
                matrix[row, row] = entry
        data["hessian"].loc[{"network": "LRU"}] = matrix
        names = data["parameter"].sel(network="S4").values
        matrix = np.diag(
            np.select([names == "omega_delta", names == "w_im"], [12.0, 3.0])
        )
        data["hessian"].loc[{"network": "S4"}] = matrix

    def adam(data):
        for network, rates in RATES_OF.items():
            for name, rate in rates.items():
                chosen = (data["entry_network"] == network) & (
                    data["entry_parameter"] == name
                )
                data["effective"].values[chosen] = rate

    text = shown(
        "zucchet-9",
        hessian_structure=change,
        adaptive_rates=adam,
    )
    assert f"along an angle is {angle / 2:.2g} times" in text
    assert f"parametrisation limits {phrase} magnitudes" in text
    assert "In S4, the largest curvature along a step ω_Δ is 4 times" in text
    assert (
        "are 0.5 (ω_ν) and 0.002 (ω_θ) for the LRU, 0.04 (ω_Δ), 0.006 "
        "(ω_A^re) and 0.006 (ω_A^im) for S4." in text
    )


def test_zucchet_6_tells_which_parametrisations_bound_the_curvature():
    def change(data):
        data["curvature"].values[:] = 1.0
        data["curvature"].loc[{"chart": "polar"}] = data["gap"].values ** -2.0
        data["curvature"].loc[{"chart": "tanh", "kind": "angle"}] = (
            data["gap"].values ** -1.5
        )

    text = shown("zucchet-6", one_dimensional=change)
    assert (
        "Along the modulus, the curvature at the teacher is bounded for exp and tanh and "
        "grows as (1−|λ*|)⁻² for polar." in text
    )
    assert (
        "Along the angle, the curvature at the teacher is bounded for exp and grows as "
        "(1−|λ*|)⁻² for polar and (1−|λ*|)⁻¹·⁵ for tanh." in text
    )


def test_zucchet_6_compares_the_widths_of_basins():
    def change(data):
        for name, chart, widths in (
            ("theta", "polar", {0.9: 40, 0.99: 10}),
            ("nu", "exp", {0.9: 30, 0.99: 20}),
        ):
            for teacher, width in widths.items():
                loss = np.full(data.sizes["point"], 3.0)
                loss[100 : 100 + width] = 1.5
                data[f"{name}_loss"].loc[{"chart": chart, "teacher": teacher}] = loss

    text = shown("zucchet-6", one_dimensional=change)
    assert "From |λ*| = 0.9 to 0.99 the interval with losses below half" in text
    assert (
        "narrows 4 times for the polar angle and 1.5 times for the exp modulus." in text
    )


def test_zucchet_6_reads_well_without_bounds_or_without_growth():
    def change(data):
        data["curvature"].values[:] = 1.0
        data["curvature"].loc[{"kind": "angle"}] = data["gap"].values ** -2.0

    text = shown("zucchet-6", one_dimensional=change)
    assert "bounded for polar, exp and tanh. Along the angle" in text
    assert (
        "bounded for no parametrisation and grows as (1−|λ*|)⁻² for polar, exp and tanh."
        in text
    )


def test_zucchet_7_says_where_each_run_ends():
    def change(data):
        data["modulus"].loc[{"step": data["step"][-1]}] = data.attrs["modulus"]
        data["angle"].loc[{"step": data["step"][-1]}] = data.attrs["teacher"]
        last = {"chart": "optimal", "step": data["step"][-1]}
        data["modulus"].loc[last] = 0.5
        data["angle"].loc[last] = data.attrs["teacher"] - np.pi

    text = shown("zucchet-7", angle_descent=change)
    assert (
        "is 0 (plain, panel A), 0 (exponential, panel B), 1 (optimal, panel C)." in text
    )
    assert (
        "ends -0.50 full turns from the target angle, and the modulus is 0.500 " in text
    )
    assert "instead of 0.99." in text


@pytest.mark.parametrize(
    ("order", "phrase"), [((8, 4, 2, 1), "factor falls"), ((8, 4, 5, 1), "not")]
)
def test_zucchet_8_compares_the_conjugate_with_the_real_axis(order, phrase):
    def change(data):
        near = np.abs(data["along"].values + data.attrs["angle"]) < 0.2
        data["circle"].values[:] = np.where(near, np.array(order)[:, None] * 3.0, 3.0)

    text = shown("zucchet-8", similarity=change)
    assert "ρ = 0, λ0 is 8 times as similar to its conjugate as to the real " in text
    assert "At ρ = 0.99 this factor is 1." in text
    assert phrase in text
    header, *rows = details("zucchet-8", similarity=change)
    assert header == (
        "input correlation ρ",
        "similarity of λ0 with its conjugate / similarity with 0.99",
    )
    rhos = "0", "0.5", "0.9", "0.99"
    assert rows == [*zip(rhos, map(str, order), strict=True)]


@pytest.mark.parametrize(("lead", "phrase"), [(1.5, "falls"), (-1.5, "does not fall")])
def test_zucchet_10_says_how_eigenvalues_couple_and_whether_the_lead_widens(
    lead, phrase
):
    def change(data):
        half = data.sizes["entry"] // 2
        own = np.kron(np.ones((2, 2)), np.eye(half)) > 0
        for phase, between in enumerate((0.25, 0.5, 1.0)):
            data["concentrated"].values[phase] = np.where(own, -4.0, 4 * between)

    def losses(data):
        data["best"].loc[{"student": "complex diagonal"}] = 1.0
        data["best"].loc[{"student": "LRU"}] = 0.1
        data["best"].loc[{"student": "LRU", "condition": 0.01}] = 10**-lead

    text = shown("zucchet-10", hessian_structure=change, concentration=losses)
    assert (
        "0.25 times those of one eigenvalue at θ0 = π and 1 times at 0.01 π, in absolute"
        in text
    )
    assert details("zucchet-10", hessian_structure=change, concentration=losses) == (
        (
            "largest phase θ0",
            "mean absolute entry between two eigenvalues / of one eigenvalue",
        ),
        *(("π", "0.25"), ("0.1 π", "0.5"), ("0.01 π", "1")),
    )
    assert f"1.5 decades {'below' if lead > 0 else 'above'}" in text
    assert "1.0 decades below it at π" in text
    assert phrase in text


@pytest.mark.parametrize("decades", [(1, 2, 3, 3.5, 4, 4), (4, 4, 4, 1, 4, 4.3)])
def test_zucchet_11_compares_losses_and_rates_of_few_and_many_heads(decades):
    def change(data):
        for name, power in zip(data["student"].values, decades, strict=True):
            data["best"].loc[{"student": name}] = 10.0**-power
        data["diverged"].values[:] = -1
        data["rate"].values[:] = 0.5
        for name, rate in (("1", 3e-5), ("32", 2e-3)):
            one = data["network"].values == name
            middle = data.sizes["record"] // 2
            data["rate"].values[one, middle, 0, 1] = rate

    text = shown("zucchet-11", heads=change)
    few, last = (style.number(10.0 ** -decades[index]) for index in (0, -1))
    assert f"median loss is {few} with 1 head and {last} with 32 heads; with 16" in text
    ratio = style.number(10 ** (decades[-1] - decades[-2]))
    assert f"with 16 heads it is {ratio} times that with 32 heads." in text
    assert (
        "in mid-training goes from 3 × 10⁻⁵ to 0.002, and the tuned rate from" in text
    )
    assert "tuned rate from 0.00032 to 0.0032." in text
    rises = decades[3] < decades[2]
    assert text.endswith("rises from 4 to 8 heads." if rises else "number of heads.")
    header, *rows = details("zucchet-11", heads=change)
    assert header == ("heads", "log10 of the median loss")
    heads = "1", "2", "4", "8", "16", "32"
    assert rows == [(n, f"{-x:.1f}") for n, x in zip(heads, decades, strict=True)]


def test_sigprop_adam_says_how_much_less_the_product_varies():
    def change(data):
        sizes = np.arange(1.0, 1 + data.sizes["row"])
        data["hessian"].values[:] = np.diag(sizes)
        data["effective_rate"].values[:] = np.where(sizes < 11, 5.0 / sizes, np.nan)

        data["effective_rate"].loc[{"network": "LRU"}] = 2.0
        data["effective_rate"].loc[{"network": "S4"}] **= 2

    text = shown("sigprop-adam", hessian_structure=change)
    assert "rates span 0.0 to 2.0 decades within" in text
    assert "of the Hessian span 0.0 to 1.5 decades; products with" in text
    # Rates: 5/n, 2 (n up to 29) and 25/n^2, roots n^(1/2), n up to 10.
    assert "the root of the diagonal span 0.5 to 1.5. The median" in text
    assert "product of rate and norm is 5 to 30, depending on the network." in text
    assert details("sigprop-adam", hessian_structure=change) == (
        ("range in decades", "effective rates", "rates times row norms"),
        ("RNN", "1.0", "0.0"),
        ("complex diagonal", "1.0", "0.0"),
        ("LRU", "0.0", "1.5"),
        ("S4", "2.0", "1.0"),
    )


def test_sigprop_basins_counts_whole_basins_and_names_the_largest():
    def change(data):
        data["fraction"].values[:] = 0.25
        best = {"chart": "LRU", "optimiser": "Adam", "measure": "disc"}
        data["fraction"].loc[best] = 0.75
        data["fraction"].loc[best | {"optimiser": "gradient descent", "teacher": 1}] = (
            0.5
        )

    def whole(data):
        change(data)
        names = ["LRU", "scaled"]
        every = {"optimiser": "Adam", "measure": "disc"}
        for name in names:
            data["fraction"].loc[every | {"chart": name}] = 1.0
        data["fraction"].loc[every | {"chart": "polar", "teacher": 0}] = 1.0
        data["reached"].values[:] = 1
        data["arrival"].values[:] = 1
        data["arrival"].loc[{"chart": "LRU", "teacher": 0}] = 3
        data["arrival"].loc[{"chart": "scaled"}][:, :, 12:] = 9  # 2 % of the area

    text = shown("sigprop-basins", basins=change)
    assert (
        "With Adam, training reaches both teachers from at least 99 % of the unit disc in 0 of "
        "7 parametrisations. With gradient descent, the largest shares of the disc are 25 % in "
        "polar (teacher at 0.01 π) and 50 % in LRU (teacher at 0.5 π)." in text
    )
    text = shown("sigprop-basins", basins=whole)
    assert "in 2 of 7 parametrisations, and the median start takes 1000 to 2000" in text
    header, *rows = details("sigprop-basins", basins=change)
    assert header[:4] == (
        *("share of the unit disc that reaches the teacher, %", "polar", "LRU", "tanh"),
    )
    assert header[-3:] == (
        "tanh, scaled angle",
        "tanh, angle by modulus",
        "tanh, angle by modulus, detached",
    )
    assert rows == [
        ("Adam, angle 0.01 π", "25", "75", *["25"] * 5),
        ("Adam, angle 0.5 π", "25", "75", *["25"] * 5),
        ("gradient descent, angle 0.01 π", *["25"] * 7),
        ("gradient descent, angle 0.5 π", "25", "50", *["25"] * 5),
    ]


def test_sigprop_bench_says_how_much_longer_others_take():
    def moments(data):
        data["seconds"].values[:] = np.array([1, 2, 50, 7])[:, None]

    def layers(data):
        data["seconds"].values[:] = np.array([1.0, 3.0, 2.0])[:, None, None]
        data["seconds"].loc[{"way": "scan", "length": 256}] = 4.0

    def sizes(data):
        data["seconds_power"].values[:] = 1.0
        data["seconds_power"].loc[{"task": "moments"}] = 1.234
        data["seconds_power"].loc[{"task": "loss"}] = np.nan
        data["seconds_power"].loc[{"task": "Hessian", "axis": "length"}] = 2.0

    text = shown(
        "sigprop-bench", speed_moments=moments, speed_layers=layers, speed_sizes=sizes
    )
    assert (
        "takes 2 times as long with a streaming scan as with our kernel, 50 times with an "
        "associative scan, and 7 times one sequence at a time." in text
    )
    assert (
        "take 3.0 times as long with an associative scan as with our scan, and 2.0 to 4.0 "
        "times as long with lax.scan." in text
    )
    assert (
        "Times grow as the length to the power 1.2 (moments), 1.0 (layer) and 2.0 (Hessian)."
        in text
    )


def test_sigprop_gpu_gives_differences_rates_and_claims():
    def change(data):
        data["apart"].values[:] = 1e-6
        data["draws_apart"].values[:] = 2e-6
        data["allowed"].values[:] = 1e-5
        data["score"].values[:] = 1.0
        data["score"].values[1, 3] = -2.5
        data["rate"].values[:] = np.array([4e11, 1e9])[:, None]
        data["limit"].values[:] = np.array([1e12, 8e12])[:, None]
        data["scan_seconds"].values[:] = np.array([[9, 2], [9, 5]])[:, :, None]
        data["claims"].values[:] = 24, 23

    assert shown("sigprop-gpu", gpu_check=change) == (
        "Kernel and scan differ by 0.2 of what is allowed, and moments are within 2.5 "
        "standard errors of their closed forms. The kernel takes 4 × 10¹¹ neuron-steps a "
        "second, 0.4 of the device's limit, and gradients take 2.5 times as long with an "
        "associative scan. Of 24 claims, 23 are judged as expected."
    )


def test_sigprop_gpu_says_that_the_claims_were_not_judged():
    def change(data):
        data["claims"].values[:] = np.nan

    text = shown("sigprop-gpu", gpu_check=change)
    assert text.endswith("scan. The claims were not judged.")


def test_sigprop_landscapes_gives_curvatures_shares_and_barriers():
    def change(data):
        data["largest"].values[..., -1] = [[800, 40], [0.2, 0.5], [3, 3]]
        data["share"].values[..., 0] = 0.5
        one = {"start": "default", "run": "default", "record": 0}
        data["share"].loc[one | {"plane": "sharpest"}] = [0.01, 0.002, 0.3]
        data["line"].values[:] = np.array([[0.25], [7], [0.125]])
        data["line"].values[:, [0, -1]] = 1000  # beyond the minima
        data["record_loss"].values[..., -1] = 0.003

    text = shown("sigprop-landscapes", network_landscapes=change)
    assert (
        "at the end changes from 800 to 40 (LRU), 0.2 to 0.5 (RotRNN) and 3 to 3 (dense RNN)"
        in text
    )
    assert "sharpest planes hold 0.2 to 30 % of" in text
    assert "rises to 0.25 (LRU), 7 (RotRNN) and 0.12 (dense RNN)." in text
    rows = details("sigprop-landscapes", network_landscapes=change)
    assert rows[1:3] == (
        ("LRU, default start", "0.003", "800", "0.0025"),
        ("LRU, advised start", "0.003", "40", "0.05"),
    )


def test_sigprop_networks_names_the_groups_with_the_largest_share():
    def change(data):
        data["share"].values[:] = 0.1
        data["share"].loc[{"network": "BLUR", "group": "input"}] = 0.625

        data["share"].loc[{"network": "LRU", "group": "other"}] = 0.25
        data["share"].loc[{"network": "tanh", "group": "other"}] = 0.5
        data["share"].loc[{"network": "RotRNN", "group": "readout"}] = 0.75
        data["participation"].values[:] = 30.0
        data["participation"].loc[{"network": "LRU"}] = 70.0
        data["participation"].loc[{"network": "LRU", "end": "smallest"}][-1] = 1234.0
        data["participation"].loc[{"network": "RotRNN"}] = 2.0
        data["participation"].loc[{"network": "RotRNN", "end": "largest"}][:3] = 3.0

    text = shown("sigprop-networks", network_curvature=change)
    assert (
        "share of the curvature belongs to parameters outside the recurrent layers in LRU "
        "(25 %) and tanh (50 %)." in text
    )
    assert "belongs to input parameters of the recurrent layers in BLUR (62 %)." in text
    assert text.endswith(
        "An outermost eigenvector spreads over 2 to 3 parameters in RotRNN, 30 in BLUR, 30 in "
        "tanh and 70 to 1200 in LRU."
    )
    assert details("sigprop-networks", network_curvature=change) == (
        ("share of the curvature", "recurrent", "input", "readout", "other"),
        ("LRU", "0.10", "0.10", "0.10", "0.25"),
        ("RotRNN", "0.10", "0.10", "0.75", "0.10"),
        ("BLUR", "0.10", "0.62", "0.10", "0.10"),
        ("tanh", "0.10", "0.10", "0.10", "0.50"),
    )


def test_sigprop_parametrisations_gives_the_range_of_what_a_step_moves():
    def change(data):
        data["usual_moved"].values[:] = np.where(data["gap"] > 0.5, 9.0, 1.0)
        data["usual_moved"].loc[{"usual": "tanh", "gain": "matched", "decay": 0.9}] = (
            3.0
        )
        data["usual_moved"].loc[{"usual": "LRU", "gain": "loss", "decay": 0.0}] = 0.25

    text = shown("sigprop-parametrisations", parametrisations=change)
    assert (
        "change of the state (A) is 1 to 1 times the optimal one for LRU and 1 to 3 times "
        "for tanh. The curvature of the loss (B) is 0.2 to 1 times the optimal one for "
        "LRU and 1 to 1 times for tanh." in text
    )


@pytest.mark.parametrize("name", catalogue.entries())
@pytest.mark.sampled(18)
def test_sentences_under_a_figure_are_short_and_plain(name):
    text = shown(name)
    assert text.endswith(".")
    sentences, caption = text.split(". "), catalogue.source_and_caption(name)[1]
    assert len(sentences) <= MOST
    for sentence in (*sentences, *caption.split(". ")):
        assert len(sentence.split()) <= LONGEST, sentence
    assert private(" ".join((text, caption, catalogue.entry(name).title))) == []


@pytest.mark.parametrize("name", catalogue.entries())
@pytest.mark.sampled(18)
def test_numbers_behind_a_figure_fill_a_table(name):
    results = {study: anew(study) for study in catalogue.entry(name).needs()}
    rows = catalogue.details(name, results)
    assert not rows or len(rows) >= 2
    assert len({len(row) for row in rows}) <= 1
    assert all(cell.strip() for row in rows for cell in row)


# They say nothing sensible of permuted numbers.
FRAGILE = {"rotrnn-3", "sigprop-adam", "sigprop-depth", "zucchet-5"}


@pytest.mark.parametrize("name", catalogue.entries())
@pytest.mark.sampled(18)
def test_the_sentence_of_a_figure_follows_its_data(name):
    shown, needed = catalogue.module(name).shown, catalogue.entry(name).needs()
    text = shown({study: anew(study) for study in needed})
    changes = [scrambled] if name in FRAGILE else [permuted("fc"), permuted("fcbiuOU")]
    others = [shown({study: change(study) for study in needed}) for change in changes]
    assert any(other != text for other in others)


def permuted(kinds):
    """A result in which every variable of these kinds of NumPy is permuted."""

    def change(study):
        draws, data = np.random.default_rng(7), anew(study).load()
        for name, values in data.data_vars.items():
            if values.dtype.kind in kinds:
                mixed = draws.permutation(values.values.ravel())
                data[name] = values.dims, mixed.reshape(values.shape)
        return data

    return change
