"""Every curve, point, bar and band of a figure is the stored one, on the right axes."""

import numpy as np
import pytest

from sigprop.figures import curves, disk, lru_5, lru_7, lru_9, style, zucchet_1bc
from tests.figures import scrambled
from tests.figures.reading import Reading, memory

BARE = ("theory", "simulated", "sem")
CONTROLLED = ("controlled_theory", "controlled", "controlled_sem")


@pytest.mark.parametrize(
    ("name", "panel", "shown"),
    [
        ("zucchet-1a", None, {"sensitivity": (BARE, "state")}),
        pytest.param(
            *("zucchet-2", "a", {"state": (CONTROLLED, "state")}),
            marks=pytest.mark.slow,
        ),
        (
            *("zucchet-2", None),
            {
                "state": (CONTROLLED, "state"),
                "sensitivity": (CONTROLLED, "sensitivity"),
            },
        ),
    ],
)
def test_moments_are_curves_with_points_and_what_is_left_over(show, name, panel, shown):
    panels, data = show(name, panel)
    gap, at = data["gap"], data["simulated_gap"].values
    pairs = zip(panels[::2], panels[1::2], shown.items(), strict=True)
    for above, strip, (quantity, ((theory, simulated, sem), grey)) in pairs:
        own = data.sel(quantity=quantity)
        last = data["theory"].sel(quantity=grey).isel(rho=-1)
        above.curve(gap, last, style.GREY)
        for i, rho in enumerate(data["rho"].values):
            one = own.sel(rho=rho)
            colour = above.curve(gap, one[theory]).get_color()
            above.errors(at, one[simulated], one[sem], colour=colour, marker="o")
            end = gap[-1], one[theory][-1]
            above.text(rf"$\rho = {rho:g}$", colour=colour)
            assert end[0] == gap.min()
            strip.errors(
                at * curves.SPREAD ** (i - 1),
                100 * (one["simulated"] / one["exact"] - 1),
                100 * one["sem"] / one["exact"],
                colour=colour,
            )
        strip.level(0)
        above.done("log", "log", y=r"[h^2]" if quantity == "state" else r"h)^2]")
        strip.done("log", "linear", x="lambda", y="theory")
        memory(strip.axes)


def spread(values):
    """Mean over the first axis, and its standard error."""
    return values.mean(0), values.std(0, ddof=1) / np.sqrt(len(values))


@pytest.mark.parametrize(
    ("panel", "quantity", "level"), [("a", "loss", np.log(2)), ("b", "power", None)]
)
def test_fresh_networks_are_a_line_a_draw_their_mean_and_its_error(
    show, panel, quantity, level
):
    (drawn,), data = show("lru-5", panel)
    pixels = data["pixels"].values
    for setting, (label, colour) in lru_5.SETTINGS.items():
        own = data[quantity].sel(setting=setting).transpose("draw", "pixels").values
        for one in own:
            drawn.curve(pixels, one, colour)
        mean, error = spread(own)
        drawn.curve(pixels, mean, colour, marker="o", label=label)
        drawn.band(pixels, mean - error, mean + error, colour)
    drawn.level(level or data.attrs["gain"], style.BLACK)
    drawn.done("log", "log", x="pixels")


def test_kernels_and_losses_are_those_of_their_rates(show):
    data = scrambled.scrambled("convolution_kernel")
    lost = {"activation": 1, "log_rate": 4, "seed": [0, 2, 3], "step": slice(9, None)}
    data["loss"][lost] = np.nan
    panels, _ = show("lru-7", convolution_kernel=data)
    final = data["loss"].isel(step=-1).fillna(np.inf).median("seed")
    kernel, output = panels[:2]
    age, scale = data["age"], data["scale"].values[-1]
    for activation, (name, colour) in lru_7.NAMES.items():
        last = final.sel(activation=activation, scale=scale)
        one = data.sel(activation=activation, scale=scale)
        one = one.isel(log_rate=last.values.argmin())
        rate = rf"{name}, $10^{{{float(one['log_rate']):g}}}$"
        output.curve(age, one["answer"].isel(seed=0), colour, label=rate)
        if activation == "identity":
            learnt = one["learnt"].transpose("seed", "age").values
            for run in learnt:
                kernel.curve(age, run, colour)
            count = kernel.leaving(age.values, learnt, colour)
            kernel.text(f"{count} of {len(learnt)}", colour=colour)
    kernel.curve(age, data["kernel"], style.BLACK)
    output.curve(age, data["wanted"].isel(seed=0), style.BLACK)
    kernel.done(x="age", y="kernel")
    output.done(x="step", y="output")
    places = [(a, b) for a in data["scale"].values for b in data["log_rate"].values]
    marked = 0
    for drawn, (scale, rate) in zip(panels[2:], places, strict=True):
        told = []
        for activation, (name, colour) in lru_7.NAMES.items():
            one = data["loss"].sel(activation=activation, scale=scale, log_rate=rate)
            runs = one.transpose("seed", "step").values
            for run in runs:
                drawn.curve(data["step"], run, colour)
            middle = np.median(np.where(np.isnan(runs), np.inf, runs), axis=0)
            drawn.curve(data["step"], middle, colour, label=name)
            count = drawn.leaving(data["step"].values, runs, colour)
            told += [f"{count} of {len(runs)}"] if count else []
        assert [
            one.get_text() for one in drawn.axes.texts if " of " in one.get_text()
        ] == told
        marked += len(told)
        drawn.done("linear", "log")
        assert drawn.axes.get_title() in ("", rf"rate $10^{{{rate:g}}}$")
    assert marked  # some runs leave their panels
    titles = [one.axes.get_title() for one in panels[2:]]
    assert titles[: data.sizes["log_rate"]] == [
        rf"rate $10^{{{rate:g}}}$" for rate in data["log_rate"].values
    ]


def test_boxes_are_quartiles_with_mean_and_whiskers_on_the_closed_form(show):
    panels, data = show("lru-9")
    for drawn, kind in zip(panels, ("white", "constant"), strict=True):
        for number, inner in enumerate(data["inner"].values):
            one = data.sel(inner=inner, input=kind)
            colour = lru_9.COLOURS[number]
            drawn.curve(data["gap"], one["theory"], colour, dashes=lru_9.DASHES[number])
            drawn.text(rf"$r_\mathrm{{min}} = {inner:g}$", colour=colour)
            aside = lru_9.APART ** (0.5 - number)
            for gap in data["simulated_gap"].values:
                runs = one["measured"].sel(simulated_gap=gap).values
                _box(drawn, gap * aside, runs, colour)
        drawn.done("log", "log", x="outer radius", y="gain" if kind == "white" else "")
        memory(drawn.axes)


def _box(drawn: Reading, place, runs, colour):
    low, first, middle, third, high = np.percentile(runs, (5, 25, 50, 75, 95))
    low, high = runs[runs >= low].min(), runs[runs <= high].max()
    left, right = place * (1 - 0.13 / 2), place * (1 + 0.13 / 2)
    inner_left, inner_right = place * (1 - 0.13 / 4), place * (1 + 0.13 / 4)
    drawn.curve([place], [runs.mean()], marker="D")
    drawn.curve([left, right], [middle, middle], style.VERMILION)
    around = [first, first, third, third, first]
    drawn.curve([left, right, right, left, left], around, colour)
    for near, far in ((first, low), (third, high)):
        drawn.curve([place, place], [near, far], colour)
        drawn.curve([inner_left, inner_right], [far, far], colour)


@pytest.mark.parametrize(("name", "part"), [("lru-2", "matrix"), ("lru-3", "ring")])
def test_eigenvalues_lie_in_the_plane_and_their_parts_beside_the_laws(show, name, part):
    panels, data = show(name)
    count = len(panels) // 3
    angle = np.linspace(0, 2 * np.pi, 361)
    rows = panels[:count], panels[count : 2 * count], panels[2 * count :]
    for i, (plane, radii, phases) in enumerate(zip(*rows, strict=True)):
        one = data.isel({"size" if part == "matrix" else "ring": i})
        values = one[f"{part}_eigenvalue"]
        plane.points(values.real, values.imag, style.BLUE)
        edges = [1.0] if part == "matrix" else [one["inner"], one["outer"]]
        for radius in map(float, edges):
            plane.curve(radius * np.cos(angle), radius * np.sin(angle), style.BLACK)
        law = data["circular_law"] if part == "matrix" else one["ring_law"]
        laws = law, one[f"{part}_phase_law"]
        names = f"{part}_fraction", f"{part}_phase_fraction"
        across = "radius", "phase" if part == "matrix" else "angle"
        for drawn, law, name, x in zip(
            (radii, phases), laws, names, across, strict=True
        ):
            drawn.curve(data[x], law, style.BLACK)
            drawn.curve(data[x], one[name], style.BLUE)
            if part == "ring":
                low, high = (
                    np.clip(one[name] + sign * data.attrs["band"], 0, 1)
                    for sign in (-1, 1)
                )
                drawn.band(data[x].values, low.values, high.values, style.SKY)
        first, largest = i == 0, np.pi if part == "matrix" else float(one["max_phase"])
        assert phases.axes.get_xticks().tolist() == [0, largest / 2, largest]
        plane.done(x="Re", y="Im" if first else "")
        radii.done(x="radius", y="fraction" if first else "")
        phases.done(x="phase", y="arg" if first else "")
        assert plane.axes.get_aspect() == 1
        if part == "matrix":
            phases.text(f"{200 * float(laws[1][0]):.2g} % are real")


@pytest.mark.parametrize(
    ("angle", "text"),
    [(2, r"2\pi"), (1, r"\pi"), (0.5, r"\pi/2"), (0.1, r"\pi/10"), (1.5, r"1.5\pi")],
)
def test_angles_are_written_in_parts_of_pi(angle, text):
    assert disk.over_pi(angle * np.pi) == text


def test_spectra_shares_and_directions_are_counted_in_their_own_panels(show):
    (spectrum, shares, directions), data = show("sigprop-networks")
    largest = np.abs(data["extreme"].values).max()
    x = data["threshold"].values
    names = data["network"].values
    for i, name in enumerate(names):
        for end, dashes, marker in (("largest", "-", "o"), ("smallest", "--", "v")):
            one = data.sel(network=name, end=end)
            count, sem = one["count"].values, one["count_sem"].values
            seen = (count > 0.5) & (x > largest / 200)
            label = name if end == "largest" else None
            line = spectrum.curve(x[seen], count[seen], dashes=dashes, label=label)
            colour = line.get_color()
            low, high = np.maximum(count - 2 * sem, 0.5), count + 2 * sem
            spectrum.band(x[seen], low[seen], high[seen], colour)
            value = np.abs(one["extreme"].values)
            residual = np.minimum(one["extreme_residual"].values, 0.99 * value)
            directions.errors(
                value, one["participation"], None, residual, colour, marker
            )
        own = data.sel(network=name)
        place = np.arange(4) + (i - 1) * 0.8 / len(names)
        shares.heights(place, own["share"], colour)
        share, error = own["share"].values, 2 * own["share_sem"].values
        ends = np.clip([share - error, share + error], 0, 1)
        shares.errors(place, share, np.abs(ends - share))
    spectrum.done("log", "log", x="|eigenvalue|", y="number beyond")
    directions.done("log", "log", x="|eigenvalue|", y="participation")
    shares.done(y="fraction")
    ticks = [one.get_text() for one in shares.axes.get_xticklabels()]
    assert ticks == data["group"].values.tolist()


def test_parametrisations_are_steps_above_and_moved_states_below(show):
    panels, data = show("sigprop-parametrisations")
    gap = data["gap"]
    pairs = zip(panels[::2], panels[1::2], ("matched", "loss"), strict=True)
    for above, below, gain in pairs:
        one = data.sel(gain=gain)
        decays = [rho for rho in data["decay"].values if gain == "matched" or rho >= 0]
        dashes = {
            name: above.curve(gap, one["usual_grain"].sel(usual=name), label=name)
            for name in ("LRU", "tanh")
        }
        for rho in decays:
            curve = one["exact_grain"].sel(decay=rho)
            label = rf"exact, $\rho = {rho:g}$"
            colour = above.curve(gap, curve, label=label).get_color()
            for name, like in dashes.items():
                curve = one["usual_moved"].sel(usual=name, decay=rho)
                line = below.curve(gap, curve, colour)
                assert line.is_dashed() == like.is_dashed()
                assert line._dash_pattern == like._dash_pattern
        below.level(1, style.GREY)
        above.done("log", "log", y="granularity")
        below.done("log", "log", x="lambda", y="L" if gain == "loss" else "gamma^2")
        memory(below.axes)


def test_rates_stand_against_norms_of_rows_and_roots_of_the_diagonal(show):
    panels, data = show("sigprop-adam")
    for drawn, name in zip(
        panels, ("RNN", "complex diagonal", "LRU", "S4"), strict=True
    ):
        one = data.sel(network=name)
        kept = np.isfinite(one["effective_rate"].values)
        rate = one["effective_rate"].values[kept]
        matrix = one["hessian"].values[kept][:, kept]
        norms, roots = np.sqrt((matrix**2).sum(1)), np.sqrt(np.diag(matrix))
        filled = drawn.curve(norms, rate, marker="o")
        empty = drawn.curve(roots, rate, filled.get_color(), marker="o")
        assert (filled.get_markerfacecolor() == "none") < (
            empty.get_markerfacecolor() == "none"
        )
        both = np.concatenate([norms, roots])
        ends = np.array([both.min(), both.max()])
        drawn.curve(ends, np.median(rate * norms) / ends, style.GREY)
        drawn.done("log", "log", x="H_i", y="rate" if name == "RNN" else "")
        assert name in drawn.axes.get_title("left")


def _curvature(drawn: Reading, data, at, autodiff, curvature):
    """The second derivative against the teacher's gap, by both routes, and colours."""
    gap = data["gap"].values
    drawn.curve(gap, at[curvature], style.BLACK)
    open_ = drawn.curve(data["marked"], at[autodiff], marker="o")
    assert open_.get_markerfacecolor() == "white"
    height = {}
    for teacher in data["teacher"].values:
        log = np.interp(
            -np.log(1 - teacher), -np.log(gap), np.log(at[curvature].values)
        )
        (line,) = [
            one for one in drawn.lines if np.allclose(one.get_xdata(), 1 - teacher)
        ]
        height[teacher] = drawn.curve([1 - teacher], [np.exp(log)], marker="o")
        assert line is height[teacher]
    drawn.done("log", "log")
    memory(drawn.axes)
    return {teacher: line.get_color() for teacher, line in height.items()}


@pytest.mark.parametrize("panel", [None, pytest.param("c", marks=pytest.mark.slow)])
def test_losses_of_one_unit_and_their_curvatures(show, panel):
    panels, data = show("zucchet-1bc", panel)
    kinds = [("real", "real", "modulus"), ("circle", "turn", "angle")]
    for i, (line, axis, kind) in enumerate(kinds if panel is None else kinds[1:]):
        drawn, below = panels[2 * i : 2 * i + 2]
        at = data.sel(kind=kind)
        colours = _curvature(below, data, at, "bare_autodiff", "bare_curvature")
        symbol = r"\lambda" if kind == "modulus" else r"\theta"
        assert rf"{symbol}^2" in below.axes.get_ylabel()
        for teacher, colour in colours.items():
            one = data.sel(teacher=teacher)
            loss = np.maximum(one[f"{line}_loss"], zucchet_1bc.NOUGHT)
            drawn.curve(data[axis], loss, colour)
            place = data[axis][0], one[f"{line}_loss"][0]
            drawn.text(rf"$\lambda^* = {teacher:g}$", place, colour)
            points = (one[f"{line}_{part}"] for part in ("student", "simulated", "sem"))
            drawn.errors(*points, colour=colour)
        drawn.done("linear", "log", x=symbol, y="" if i else "loss")


MAPS = {  # from omega, whose subscript is the name, to nu and theta: Zucchet & Orvieto, B.3
    ("polar", "nu"): r"\omega_\nu",
    ("polar", "theta"): r"\omega_\theta",
    ("exp", "nu"): r"e^{-e^{\omega_\nu}}",
    ("exp", "theta"): r"e^{\omega_\theta}",
    ("tanh", "nu"): r"\tanh\,\omega_\nu",
    ("tanh", "theta"): r"\omega_\theta\,(1-\nu^2)/(\nu\sqrt{1+\nu^2})",
}


def test_normalised_losses_in_three_parametrisations(show):
    panels, data = show("zucchet-6")
    places = [
        (chart, *kind)
        for chart in ("polar", "exp", "tanh")
        for kind in (("modulus", "nu"), ("angle", "theta"))
    ]
    for i, (chart, kind, name) in enumerate(places):
        drawn, below = panels[2 * i : 2 * i + 2]
        at = data.sel(chart=chart, kind=kind)
        colours = _curvature(below, data, at, "autodiff", "curvature")
        assert "curvature" in below.axes.get_ylabel()
        omega = at["omega"].values
        for teacher, colour in colours.items():
            one = at.sel(teacher=teacher)
            drawn.curve(omega, one[f"{name}_loss"], colour)
            student = one["omega_student"].values
            inside = (student >= omega[0]) & (student <= omega[-1])
            assert inside.any()
            drawn.errors(
                student[inside],
                one[f"{name}_simulated"].values[inside],
                one[f"{name}_sem"].values[inside],
                colour=colour,
            )
        drawn.done(x=rf"$\{name} = {MAPS[chart, name]}$", y=kind)
        assert np.ptp(drawn.axes.get_xlim()) == pytest.approx(omega[-1] - omega[0])
