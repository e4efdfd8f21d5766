"""Every curve, point, bar and band of a figure is the stored one, on the right axes."""

import numpy as np
import pytest
from matplotlib.colors import same_color

from sigprop.experiments import store
from sigprop.figures import (
    curves,
    disk,
    lru_5,
    lru_7,
    style,
    zucchet_1bc,
    zucchet_2,
    zucchet_6,
)
from tests.figures import scrambled
from tests.figures.reading import Reading, key, memory

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
            case = own.sel(rho=rho)
            colour = above.curve(gap, case[theory]).get_color()
            above.errors(at, case[simulated], case[sem], colour=colour, marker="o")
            end = gap[-1], case[theory][-1]
            above.text(rf"$\rho = {rho:g}$", colour=colour)
            assert end[0] == gap.min()
            strip.errors(
                at * curves.SPREAD ** (i - 1),
                100 * (case["simulated"] / case["exact"] - 1),
                100 * case["sem"] / case["exact"],
                colour=colour,
            )
        strip.level(0)
        above.done("log", "log", y=r"[h^2]" if quantity == "state" else r"h)^2]")
        strip.done("log", "linear", x="lambda", y="theory")
        memory(strip.axes)


def test_the_grey_curve_leaves_the_panels_of_controlled_moments():
    data = store.shipped("curse_of_memory")
    above, _, right, _ = zucchet_2.draw({"curse_of_memory": data}).axes
    for axes, quantity, power in ((above, "state", 8), (right, "sensitivity", 16)):
        moments = data["controlled_theory"].sel(quantity=quantity)
        assert moments.max() < axes.get_ylim()[1] < 100 * moments.max()
        (text,) = [each for each in axes.texts if "original" in each.get_text()]
        assert f"$10^{{{power}}}$" in text.get_text()
        exit_gap, height = text.xy
        grey = data["theory"].sel(quantity=quantity).isel(rho=-1)
        assert height == axes.get_ylim()[1] < grey.sel(gap=exit_gap)
        assert grey.where(grey["gap"] > exit_gap).max() <= height


def spread(values):
    """Mean over the first axis, and its standard error."""
    return values.mean(0), values.std(0, ddof=1) / np.sqrt(len(values))


@pytest.mark.parametrize(
    ("panel", "quantity", "level"), [("a", "loss", np.log(2)), ("b", "power", None)]
)
def test_fresh_networks_are_a_dot_a_draw_their_mean_and_its_error(
    show, panel, quantity, level
):
    (reading,), data = show("lru-5", panel)
    for shift, (setting, (_, colour)) in zip(
        (-1, 0, 1), lru_5.SETTINGS.items(), strict=True
    ):
        at = data["pixels"].values * lru_5.BESIDE**shift
        own = data[quantity].sel(setting=setting).transpose("draw", "pixels").values
        for row in own:
            reading.curve(at, row, colour, marker="o")
        mean, error = spread(own)
        reading.errors(at, mean, error, colour=colour, marker="o")
    assert [bars.get_label() for bars in reading.axes.containers] == [
        label for label, _ in lru_5.SETTINGS.values()
    ]
    level_colour = style.BLACK if panel == "a" else style.GREY
    reading.level(level or data.attrs["gain"], level_colour)
    reading.done("log", "log", x="pixels")


def test_kernels_and_losses_are_those_of_their_rates(show):
    data = scrambled.scrambled("convolution_kernel")
    diverged = {"activation": 1, "log_rate": 4, "seed": [0, 2, 3], "step": -1}
    data["loss"][diverged] = np.nan
    data["loss"][{**diverged, "seed": 1, "log_rate": 0}] = 2 * lru_7.HIGHEST
    panels, _ = show("lru-7", convolution_kernel=data)
    final = data["loss"].isel(step=-1).fillna(np.inf).median("seed")
    kernel, output = panels[:2]
    age, scale = data["age"], data["scale"].values[-1]
    linear = data["loss"].sel(activation="identity", scale=scale).isel(step=-1)
    ends = final.sel(activation="identity", scale=scale)
    seed = int(linear.isel(log_rate=ends.values.argmin()).fillna(np.inf).argmin("seed"))
    for activation, (_, colour) in lru_7.NAMES.items():
        last = final.sel(activation=activation, scale=scale)
        case = data.sel(activation=activation, scale=scale)
        case = case.isel(log_rate=last.values.argmin(), seed=seed)
        output.curve(age, case["answer"], colour)
        if activation == "identity":
            kernel.curve(age, case["learnt"], colour)
    kernel.curve(age, data["kernel"], style.BLACK, dashes="--")
    output.curve(age, data["wanted"].isel(seed=seed), style.BLACK, dashes="--")
    kernel.done("linear", "symlog", x="age", y="kernel")
    output.done(x="step", y="output")
    steps = [100, int(data["step"][-1])]
    settings = [(scale, step) for scale in data["scale"].values for step in steps]
    marked = 0
    for reading, (scale, step) in zip(panels[2:], settings, strict=True):
        counts = []
        for side, (activation, (_, colour)) in zip(
            (-1, 1), lru_7.NAMES.items(), strict=True
        ):
            case = data["loss"].sel(activation=activation, scale=scale, step=step)
            runs = case.transpose("seed", "log_rate").values
            at = np.arange(runs.shape[1]) + side * lru_7.BESIDE
            for run in runs:
                reading.curve(at, run, colour, marker="o")
            middle = np.median(np.where(np.isnan(runs), np.inf, runs), axis=0)
            reading.curve(np.arange(runs.shape[1]), middle, colour)
            beyond = (np.isnan(runs) | (runs > lru_7.HIGHEST)).sum(0)
            for position, count in zip(at, beyond, strict=True):
                if count:
                    top = [lru_7.HIGHEST]
                    reading.curve([position], top, colour, marker="^")
                    counts.append((str(count), (position, lru_7.HIGHEST)))
        texts = reading.axes.texts
        numbers = [
            (text.get_text(), text.xy) for text in texts if text.get_text().isdigit()
        ]
        assert numbers == counts
        marked += len(counts)
        reading.done("linear", "log", x="learning rate")
        assert f"iteration {step}" in reading.axes.get_title()
        assert ("0.9" in reading.axes.get_title()) == (scale == 0.9)
    assert marked > 1  # some losses are above their panels


def test_boxes_are_quartiles_with_mean_and_whiskers_on_the_closed_form(show):
    data = scrambled.scrambled("ring_gain")
    data = data.assign_coords(
        gap=np.geomspace(0.09, 0.004, data.sizes["gap"]), simulated_gap=[0.09, 0.004]
    )
    panels, _ = show("lru-9", ring_gain=data)
    rows = [(kind, inner) for kind in ("white", "constant") for inner in data["inner"]]
    for number, (reading, (kind, inner)) in enumerate(zip(panels, rows, strict=True)):
        case = data.sel(inner=inner, input=kind)
        reading.curve(data["gap"], case["theory"], style.BLUE)
        reading.text(rf"$r_\mathrm{{min}} = {float(inner):g}$")
        for gap in data["simulated_gap"].values:
            runs = case["measured"].sel(simulated_gap=gap).values
            _box(reading, gap, runs, style.GREY)
        across = "outer radius" if kind == "constant" else ""
        first = number % data.sizes["inner"] == 0
        reading.done("log", "log", x=across, y="gain" if first else "")
        if kind == "constant":  # below the others, which share its axis
            memory(reading.axes)


def _box(reading: Reading, x, runs, colour):
    low, first, middle, third, high = np.percentile(runs, (5, 25, 50, 75, 95))
    low, high = runs[runs >= low].min(), runs[runs <= high].max()
    left, right = x * (1 - 0.13 / 2), x * (1 + 0.13 / 2)
    inner_left, inner_right = x * (1 - 0.13 / 4), x * (1 + 0.13 / 4)
    reading.curve([x], [runs.mean()], marker="D")
    reading.curve([left, right], [middle, middle], style.VERMILION)
    around = [first, first, third, third, first]
    reading.curve([left, right, right, left, left], around, colour)
    for near, far in ((first, low), (third, high)):
        reading.curve([x, x], [near, far], colour)
        reading.curve([inner_left, inner_right], [far, far], colour)


@pytest.mark.parametrize(("name", "part"), [("lru-2", "matrix"), ("lru-3", "ring")])
def test_eigenvalues_lie_in_the_plane_and_their_parts_beside_the_laws(show, name, part):
    panels, data = show(name)
    count = len(panels) // 3
    angle = np.linspace(0, 2 * np.pi, 361)
    rows = panels[:count], panels[count : 2 * count], panels[2 * count :]
    for i, (plane, radii, phases) in enumerate(zip(*rows, strict=True)):
        case = data.isel({"size" if part == "matrix" else "ring": i})
        values = case[f"{part}_eigenvalue"]
        plane.points(values.real, values.imag, style.BLUE)
        edges = [1.0] if part == "matrix" else [case["inner"], case["outer"]]
        for radius in map(float, edges):
            plane.curve(radius * np.cos(angle), radius * np.sin(angle), style.BLACK)
        law = data["circular_law"] if part == "matrix" else case["ring_law"]
        laws = law, case[f"{part}_phase_law"]
        names = f"{part}_fraction", f"{part}_phase_fraction"
        across = "radius", "phase" if part == "matrix" else "angle"
        for reading, law, name, x in zip(
            (radii, phases), laws, names, across, strict=True
        ):
            reading.curve(data[x], case[name] - law, style.BLUE)
            reading.level(0, style.BLACK)
            if part == "ring":
                (band,) = reading.axes.patches
                reading.polygons = []
                assert band.get_y() == -data.attrs["band"]
                assert band.get_height() == 2 * data.attrs["band"]
            low, high = reading.axes.get_ylim()
            assert low == -high < -abs(case[name] - law).max() < 0
        first, largest = i == 0, np.pi if part == "matrix" else float(case["max_phase"])
        assert phases.axes.get_xticks().tolist() == [0, largest / 2, largest]
        plane.done(x="Re", y="Im" if first else "")
        radii.done(x="radius", y="fraction" if first else "")
        phases.done(x="phase", y="arg" if first else "")
        assert plane.axes.get_aspect() == 1
        wide = np.ptp([*plane.axes.get_xlim()])
        assert (wide < 0.6) == (part == "ring" and largest < 1)
        end = (values.real.max() if part == "matrix" else case["outer"]).item()
        assert plane.axes.get_xlim()[0] < end < plane.axes.get_xlim()[1]
        tall = end * np.sin(min(largest, np.pi / 2))
        assert plane.axes.get_ylim()[0] < 0 < tall < plane.axes.get_ylim()[1]
        if part == "matrix":
            assert (
                f"{200 * float(laws[1][0]):.2g} %" in plane.axes.figure.get_supxlabel()
            )


@pytest.mark.parametrize(
    ("angle", "text"),
    [(2, r"2\pi"), (1, r"\pi"), (0.5, r"\pi/2"), (0.1, r"\pi/10"), (1.5, r"1.5\pi")],
)
def test_angles_are_written_in_parts_of_pi(angle, text):
    assert disk.over_pi(angle * np.pi) == text


def test_spectra_shares_and_directions_are_counted_in_their_own_panels(show):
    (*spectra, shares, directions), data = show("sigprop-networks")
    largest = np.abs(data["extreme"].values).max()
    x = data["threshold"].values
    names = data["network"].values
    for i, name in enumerate(names):
        for spectrum, end, dashes, marker in zip(
            *(spectra, ("largest", "smallest"), ("-", "--"), "ov"), strict=True
        ):
            case = data.sel(network=name, end=end)
            count, sem = case["count"].values, case["count_sem"].values
            outermost = np.sort(np.abs(case["extreme"].values))
            visible = (x < outermost[0]) & (x > largest / 200)
            beyond = np.arange(outermost.size, 0, -1)
            line = spectrum.curve(
                np.append(x[visible], outermost),
                np.append(count[visible], beyond),
                dashes=dashes,
                label=name,
            )
            colour = line.get_color()
            assert key(spectrum.axes.get_figure(root=True))[name] == colour
            low, high = np.maximum(count - 2 * sem, 1), count + 2 * sem
            spectrum.band(x[visible], low[visible], high[visible], colour)
            value = np.abs(case["extreme"].values)
            spectrum.curve([value.max()], [1], colour, marker=marker)
            residual = np.minimum(case["extreme_residual"].values, 0.99 * value)
            directions.errors(
                value, case["participation"], None, residual, colour, marker
            )
        own = data.sel(network=name)
        positions = np.arange(4) + (i - 1) * 0.8 / len(names)
        shares.heights(positions, own["share"], colour)
        share, error = own["share"].values, 2 * own["share_sem"].values
        ends = np.clip([share - error, share + error], 0, 1)
        shares.errors(positions, share, np.abs(ends - share))
    for spectrum, than in zip(spectra, (r"> \tau", r"< -\tau"), strict=True):
        spectrum.done("log", "log", x="threshold", y=f"eigenvalues ${than}$")
    directions.done("log", "log", x="|eigenvalue|", y="participation")
    shares.done(y="share")
    ticks = [tick_label.get_text() for tick_label in shares.axes.get_xticklabels()]
    assert data["group"].values.tolist() == ["recurrent", "input", "readout", "other"]
    assert ticks == ["recurrence", "its\ninput", "its\nreadout", "other\nlayers"]
    said = style.notes(spectra[0].axes.get_figure(root=True))
    assert "0.9 to 1.6 million parameters, 192 features" in said
    assert "on 32 sequences of 64 steps" in said
    assert "from 8 random vectors with 48 Lanczos steps each" in said
    assert "C has the 3 outermost eigenvalues of each sign" in said


def test_parametrisations_are_steps_above_and_moved_states_below(show):
    panels, data = show("sigprop-parametrisations")
    gap, names = data["gap"], key(panels[0].axes.get_figure(root=True))
    pairs = zip(panels[::2], panels[1::2], ("matched", "loss"), strict=True)
    (legend,) = panels[0].axes.get_figure(root=True).legends
    handles = {handle.get_label(): handle for handle in legend.legend_handles}
    for above, below, gain in pairs:
        case = data.sel(gain=gain)
        decays = [rho for rho in data["decay"].values if gain == "matched" or rho >= 0]
        dashes = {
            name: above.curve(gap, case["usual_grain"].sel(usual=name))
            for name in ("LRU", "tanh")
        }
        for name, line in dashes.items():
            assert handles[name]._dash_pattern == line._dash_pattern
        for rho in decays:
            curve = case["exact_grain"].sel(decay=rho)
            colour = above.curve(gap, curve).get_color()
            assert names[rf"$\rho = {rho:g}$"] == colour
            for name, like in dashes.items():
                curve = case["usual_moved"].sel(usual=name, decay=rho)
                line = below.curve(gap, curve, colour)
                assert line.is_dashed() == like.is_dashed()
                assert line._dash_pattern == like._dash_pattern
        below.level(1, style.GREY)
        above.done("log", "log", y="relative to")
        below.done("log", "log", x="lambda", y="L" if gain == "loss" else "gamma^2")
        memory(below.axes)
        low, _ = below.axes.get_ylim()
        assert low <= float(case["usual_moved"].min())


def test_rates_stand_against_norms_of_rows_and_roots_of_the_diagonal(show):
    panels, data = show("sigprop-adam")
    for reading, name in zip(
        panels, ("RNN", "complex diagonal", "LRU", "S4"), strict=True
    ):
        case = data.sel(network=name)
        finite = np.isfinite(case["effective_rate"].values)
        rate = case["effective_rate"].values[finite]
        matrix = case["hessian"].values[finite][:, finite]
        norms, roots = np.sqrt((matrix**2).sum(1)), np.sqrt(np.diag(matrix))
        filled = reading.curve(norms, rate, marker="o")
        empty = reading.curve(roots, rate, filled.get_color(), marker="o")
        assert (filled.get_markerfacecolor() == "none") < (
            empty.get_markerfacecolor() == "none"
        )
        abscissae = np.concatenate([norms, roots])
        ends = np.array([abscissae.min(), abscissae.max()])
        reading.curve(ends, np.median(rate * norms) / ends, style.GREY)
        reading.done("log", "log", x="H_i", y="rate" if name == "RNN" else "")
        assert name in reading.axes.get_title("left")


def _curvature(reading: Reading, data, at, autodiff, curvature):
    """The second derivative against the teacher's gap, by both routes, and colours."""
    gap = data["gap"].values
    reading.curve(gap, at[curvature], style.BLACK)
    open_ = reading.curve(data["marked"], at[autodiff], marker="o")
    assert open_.get_markerfacecolor() == "white"
    height = {}
    for teacher in data["teacher"].values:
        log = np.interp(
            -np.log(1 - teacher), -np.log(gap), np.log(at[curvature].values)
        )
        (line,) = [
            candidate
            for candidate in reading.lines
            if np.allclose(candidate.get_xdata(), 1 - teacher)
        ]
        height[teacher] = reading.curve([1 - teacher], [np.exp(log)], marker="o")
        assert line is height[teacher]
    reading.done("log", "log")
    memory(reading.axes)
    return {teacher: line.get_color() for teacher, line in height.items()}


@pytest.mark.parametrize("panel", [None, pytest.param("c", marks=pytest.mark.slow)])
def test_losses_of_one_unit_and_their_curvatures(show, panel):
    panels, data = show("zucchet-1bc", panel)
    kinds = [("real", "real", "modulus"), ("circle", "turn", "angle")]
    for i, (line, axis, kind) in enumerate(kinds if panel is None else kinds[1:]):
        reading, below = panels[2 * i : 2 * i + 2]
        at = data.sel(kind=kind)
        colours = _curvature(below, data, at, "bare_autodiff", "bare_curvature")
        symbol = r"\lambda" if kind == "modulus" else r"\theta"
        assert rf"{symbol}^2" in below.axes.get_ylabel()
        for teacher, colour in colours.items():
            case = data.sel(teacher=teacher)
            loss = np.maximum(case[f"{line}_loss"], zucchet_1bc.NOUGHT)
            across = (lambda x: 1 - x) if line == "real" else (lambda x: x)
            reading.curve(across(data[axis]), loss, colour)
            names = key(reading.axes.get_figure(root=True))
            assert same_color(names[rf"$\lambda^* = {teacher:g}$"], colour)
            points = (case[f"{line}_{part}"] for part in ("simulated", "sem"))
            reading.errors(across(case[f"{line}_student"]), *points, colour=colour)
        scale = "log" if line == "real" else "asinh"
        reading.done(scale, "log", x=symbol, y="" if i else "loss")


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
    combinations = [
        (parametrisation, *kind)
        for parametrisation in ("polar", "exp", "tanh")
        for kind in (("modulus", "nu"), ("angle", "theta"))
    ]
    for i, (parametrisation, kind, name) in enumerate(combinations):
        reading, below = panels[2 * i : 2 * i + 2]
        at = data.sel(chart=parametrisation, kind=kind)
        colours = _curvature(below, data, at, "autodiff", "curvature")
        assert below.axes.get_ylabel() == f"curvature\nalong {kind}"
        omega = at["omega"].values
        for teacher, colour in colours.items():
            case = at.sel(teacher=teacher)
            reading.curve(omega, case[f"{name}_loss"], colour)
            student = case["omega_student"].values
            inside = (student >= omega[0]) & (student <= omega[-1])
            assert inside.any()
            reading.errors(
                student[inside],
                case[f"{name}_simulated"].values[inside],
                case[f"{name}_sem"].values[inside],
                colour=colour,
            )
        reading.done(x=rf"$\{name} = {MAPS[parametrisation, name]}$", y=kind)
        zoom = zucchet_6.ZOOM.get((parametrisation, kind))
        wide = 2 * zoom if zoom else np.round(omega[-1] - omega[0], 2)
        assert np.ptp(reading.axes.get_xlim()) == pytest.approx(wide, rel=1e-3)
