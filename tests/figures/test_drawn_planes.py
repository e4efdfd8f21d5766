"""Maps, landscapes and matrices of a figure are the stored ones, and not transposed."""

import re

import numpy as np
import pytest
from matplotlib.colors import LogNorm, SymLogNorm, same_color
from matplotlib.legend import Legend

from sigprop.figures import (
    hessians,
    losses,
    lru_8,
    sigprop_landscapes,
    style,
    zucchet_7,
    zucchet_8,
    zucchet_10,
)
from tests.figures.conftest import bars
from tests.figures.reading import key


@pytest.mark.parametrize(
    ("name", "panel", "networks"),
    [
        ("zucchet-4", "a", ["RNN"]),
        ("zucchet-4", "b", ["complex diagonal"]),
        ("zucchet-9", "a", ["LRU"]),
        ("zucchet-9", "b", ["S4"]),
    ],
)
def test_hessians_have_their_entries_directions_and_eigenvalues(
    show, name, panel, networks
):
    panels, data = show(name, panel)
    for i, network in enumerate(networks):
        matrix, vectors, spectrum = panels[3 * i : 3 * i + 3]
        case = data.sel(network=network)
        assert network in matrix.axes.get_title("left")
        size = np.sum(case["parameter"].values != "")
        entries = case["hessian"].values[:size, :size]
        bar, shades = bars(matrix)
        assert [text.get_text() for text in shades.get_yticklabels()] == [
            "−1",
            "0",
            "1",
        ]
        _matrix(matrix.image(entries), entries, hessians.DECADES, bar.yaxis)
        exact = case["eigenvalue"].values
        count = np.sum(exact > 1e-9 * np.nanmax(exact))
        top = vectors.image(case["eigenvector"].values[:count, :size].T)
        assert [text.get_text() for text in vectors.axes.get_xticklabels()] == [
            "1",
            str(min(count, case.sizes["top"])),
        ]
        assert top.norm(-1) == 0
        assert top.norm(1) == 1
        own = hessians.NAMES
        parts = [own[name] for name in case["parameter"].values[:size]]
        changes = [j - 0.5 for j in range(1, size) if parts[j] != parts[j - 1]]
        for edge in changes:
            matrix.level(edge, "white")
            matrix.upright(edge, "white")
            vectors.level(edge, "white")
        labels = [text.get_text() for text in matrix.axes.get_yticklabels()]
        assert labels == list(dict.fromkeys(parts))
        matrix.done()
        vectors.done(x="rank")
        assert vectors.axes.get_title("left") == "eigenvectors"
        _spectrum(spectrum, case, losses.COLOURS[network])


def _matrix(image, entries, decades, bar):
    """The largest entry in size is deepest, red if positive, on a logarithmic scale.

    The colour bar says so, over how many decades, and what its ends are.
    """
    most = np.abs(entries).max()
    assert isinstance(image.norm, SymLogNorm)
    assert (image.norm.vmin, image.norm.vmax) == (-most, most)
    assert image.norm.linthresh == pytest.approx(most / 10**decades)
    red, _, blue, _ = image.cmap(image.norm(most))
    assert red > blue
    assert bar.get_label_text() == f"symmetric log, {decades} decades"
    np.testing.assert_allclose(bar.get_view_interval(), (-most, most))
    top = 10.0 ** np.floor(np.log10(most))
    least = top / 10 ** (decades - 1)
    written = {
        tick: text.get_text().strip("$").replace("10^{", "1e").rstrip("}")
        for tick, text in zip(bar.get_ticklocs(), bar.get_ticklabels(), strict=True)
    }
    np.testing.assert_allclose(sorted(written), [-top, -least, 0, least, top])
    np.testing.assert_allclose(
        list(written), [float(text) for text in written.values()]
    )


def _spectrum(reading, case, colour):
    exact = case["eigenvalue"].values
    nonzero = exact > 1e-9 * np.nanmax(exact)
    rank = np.arange(1, nonzero.size + 1)
    reading.curve(rank[nonzero], exact[nonzero], colour)
    reading.curve(rank[nonzero], case["autodiff"].values[nonzero], colour, marker="o")
    count = case.sizes["top"]
    first = nonzero[:count]
    reading.errors(
        rank[:count][first],
        case["simulated"].values[first],
        2 * case["simulated_sem"].values[first],
        colour=style.BLACK,
        marker="x",
    )
    reading.level(2 / float(case["measured_bound"]), style.GREY)
    reading.done("linear", "log", x="rank", y="eigenvalue")


@pytest.mark.parametrize("name", ["zucchet-4", "zucchet-9"])
def test_two_hessians_share_their_colours_and_their_eigenvalues(show, name):
    panels, _ = show(name)
    (first, _, above), (second, _, below) = panels[:3], panels[3:6]
    norms = [reading.images[0].norm for reading in (first, second)]
    largest = max(
        np.abs(reading.images[0].get_array()).max() for reading in (first, second)
    )
    assert [norm.vmax for norm in norms] == [largest, largest]
    assert above.axes.get_ylim() == below.axes.get_ylim()
    for reading in (above, below):
        low, high = reading.axes.get_ylim()
        for line in reading.lines:
            if line.get_transform() == reading.axes.transData:
                assert np.all((low < line.get_ydata()) & (line.get_ydata() < high))


def test_concentrated_hessians_stand_under_their_phases(show):
    panels, data = show("zucchet-10", "b")
    panels = [*show("zucchet-10", "a")[0], *panels, *show("zucchet-10", "c")[0]]
    for i, reading in enumerate(panels):
        entries = data["concentrated"].isel(phase=i).values
        (bar,) = bars(reading)
        image = reading.image(entries)
        _matrix(image, data["concentrated"].values, zucchet_10.DECADES, bar.xaxis)
        reading.level(9.5, "white")
        reading.upright(9.5, "white")
        reading.done()
        phase = {1.0: r"= \pi$", 0.1: r"= 0.1\,\pi$", 0.01: r"= 0.01\,\pi$"}
        assert phase[data["phase"].values[i]] in reading.axes.get_title("left")


def test_paths_of_the_angle_run_over_their_landscape(show):
    panels, data = show("zucchet-7")
    maps = {  # Zucchet & Orvieto, Figure 7
        "plain": r"\omega_\theta",
        "exponential": r"e^{\omega_\theta}",
        "optimal": r"\omega_\theta\,(1-\nu^2)/(\nu\sqrt{1+\nu^2})",
    }
    for reading, (parametrisation, path) in zip(panels, maps.items(), strict=True):
        case = data.sel(chart=parametrisation)
        x, y = case["column_omega_theta"].values, case["row_omega_nu"].values
        loss = case["landscape"].values
        height = np.log10(np.maximum(loss, zucchet_7.FLOOR))
        filled = reading.contours(x, y, height, filled=True)
        assert filled.get_cmap().name == "viridis_r"
        lines = reading.contours(x, y, loss)
        assert tuple(lines.levels) == zucchet_7.LINES
        across, up = case["omega_theta"].values, case["omega_nu"].values
        reading.curve(across, up, style.BLACK)
        reading.curve(across[:1], up[:1], marker="s")
        reading.curve(across[-1:], up[-1:], marker="o")
        nu, theta = case["goal"].values
        reading.curve([theta], [nu], marker="*")
        first = parametrisation == "plain"
        reading.done(x=rf"$\theta = {path}$", y=r"\omega_\nu" if first else "")
        assert reading.axes.get_title("left").endswith(f" {parametrisation}")
    _decades(panels[0], zucchet_7.LEVELS)


def test_paths_of_the_power_run_over_their_landscape(show):
    panels, data = show("lru-8")
    combinations = [
        (parametrisation, i)
        for parametrisation in ("cartesian", "exponential")
        for i in range(data.sizes["shown"])
    ]
    x, y = data["first"].values, data["second"].values
    for reading, (parametrisation, i) in zip(panels[:-1], combinations, strict=True):
        case = data.sel(chart=parametrisation).isel(shown=i)
        least = 10 ** lru_8.LEVELS[0]
        height = np.log10(np.maximum(case["landscape"].values, least))
        reading.contours(x, y, height.T, filled=True)
        across, up = (case["path"].values - case["goal"].values).T
        reading.curve(across, up, style.BLACK)
        reading.curve(across[:1], up[:1], marker="s")
        reading.curve(across[-1:], up[-1:], marker="*")
        reading.curve([0], [0], marker="o")
        texts = [text.get_text() for text in reading.axes.texts]
        away = np.hypot(across[-1], up[-1]) > np.pi / 100
        assert any("another" in text for text in texts) == away
        names = ("Re", "Im") if parametrisation == "cartesian" else (r"\nu", r"\theta")
        reading.done(x=names[0], y="" if i else names[1])
        assert rf"{float(case['shown']):g}\," in reading.axes.get_title()
    assert len(bars(panels[0])) == 2
    _decades(panels[0], lru_8.LEVELS)
    _iterations(panels[-1], data)
    steps, written = data.attrs["steps"], panels[-1].axes.get_figure(root=True)
    counts = []
    for parametrisation in ("cartesian", "exponential"):
        settled = (
            data["settled"]
            .sel(chart=parametrisation)
            .values[_best(data, parametrisation)]
        )
        late = (settled == steps).sum() or "none"
        name = lru_8.TITLES[parametrisation]
        counts.append(f"{late} of {settled.size} ({name})")
    assert counts[0] != counts[1]
    caption = " ".join(written.get_supxlabel().split())
    assert f"do not settle, {' and '.join(counts)}, count as {steps}" in caption
    assert len(written.findobj(Legend)) == 2  # of the landscapes, and of the iterations


def _best(data, parametrisation):
    """The index of the rate that is best in a chart."""
    rate = np.log10(float(data["best_rate"].sel(chart=parametrisation)))
    return np.abs(data["log_rate"].values - rate).argmin()


def _decades(reading, levels):
    """Colour bars of logarithms have their ends, and the numbers written beside them."""
    for bar in bars(reading):
        np.testing.assert_allclose(bar.get_ylim(), levels[[0, -1]])
        texts = [
            label.get_text().replace("$<10^{-3}$", "1e-3")
            for label in bar.get_yticklabels()
        ]
        np.testing.assert_allclose(10.0 ** bar.get_yticks(), list(map(float, texts)))


def _iterations(reading, data):
    phase = data["phase"].values
    for parametrisation in data["chart"].values:
        case = data.sel(chart=parametrisation)
        settled = case["settled"].isel(log_rate=_best(data, parametrisation))
        settled = settled.transpose("lag", "phase").values
        colour = reading.curve(phase, settled.mean(0)).get_color()
        reading.band(phase, settled.min(0), settled.max(0), colour)
        assert same_chart(parametrisation, colour)
    reading.level(data.attrs["steps"], style.GREY)
    reading.done(x=r"\theta^*", y="iterations")


def same_chart(parametrisation, colour):
    return lru_8.COLOURS[parametrisation] == colour


def test_similarity_is_a_disc_a_circle_and_an_alignment(show):
    panels, data = show("zucchet-8")
    rhos = data["rho"].values
    circle, alignment = panels[-2:]
    radius, turn = data["radius"].values[:, None], data["turn"].values
    x, y = radius * np.cos(turn), radius * np.sin(turn)
    modulus, angle = data.attrs["modulus"], data.attrs["angle"]
    star = [modulus * np.cos(angle)], [modulus * np.sin(angle)]
    for reading, rho in zip(panels[:-2], rhos, strict=True):
        values = np.maximum(data["disc"].sel(rho=rho).values, zucchet_8.FLOOR)
        mesh = reading.mesh(x, y, values)
        assert isinstance(mesh.norm, LogNorm)
        reading.curve(*star, marker="*")
        reading.curve(star[0], [-star[1][0]], marker="o")
        reading.done()
        assert f"= {rho:g}$" in reading.axes.get_title()
        (bar,) = bars(reading)
        ends = mesh.norm.vmin, mesh.norm.vmax
        np.testing.assert_allclose(bar.get_ylim(), ends)
    along, marked = data["along"].values, data["marked"].values
    near, centre = data.attrs["near"], -angle
    close = np.abs(marked - centre) < 1.02 * near
    visible = ~close | np.isclose(marked, centre, atol=1e-9)
    gap = np.median(np.diff(marked[close]))
    for i, rho in enumerate(rhos):
        case = data.sel(rho=rho)
        colour = circle.curve(along, case["circle"]).get_color()
        circle.curve(marked[visible], case["autodiff"].values[visible], marker="o")
        shown = np.abs(along - centre) < 1.001 * near
        position = along[shown] - centre
        alignment.curve(position, case["alignment"].values[shown], colour)
        alignment.errors(
            marked[close] - centre + 0.1 * gap * (i - 1.5),
            case["simulated"].values[close],
            case["sem"].values[close],
            colour=colour,
        )
        names = key(circle.axes.get_figure(root=True))
        assert same_color(names[rf"$\rho = {rho:g}$"], colour)
    assert list(names)[len(rhos) :] == ["closed form", "autodiff", "simulated"]
    for sign in (-1, 1):
        circle.upright(sign * angle, style.GREY)
    circle.done("linear", "log", x="angle", y="S")
    alignment.done(x="angle", y="sqrt")


def test_basins_are_coloured_by_the_time_to_the_teacher(show):
    panels, data = show("sigprop-basins")
    about = data.attrs
    depth = -np.log10(data["gap_edge"].values)
    fine = np.linspace(0, 2 * np.pi, 12 * data.sizes["column"] + 1)
    x, y = depth[:, None] * np.cos(fine), depth[:, None] * np.sin(fine)
    each = about["steps"] / about["records"]
    angle = np.linspace(0, 2 * np.pi, 181)
    combinations = [
        (optimiser, teacher, parametrisation)
        for optimiser in ("Adam", "gradient descent")
        for teacher in range(2)
        for parametrisation in data["chart"].values
    ]
    errors = []
    for reading, (optimiser, teacher, parametrisation) in zip(
        panels, combinations, strict=True
    ):
        case = data.isel(teacher=teacher).sel(
            optimiser=optimiser, chart=parametrisation
        )
        steps = each * (case["arrival"].values + 1)
        steps[case["reached"].values != 1] = np.nan
        mesh = reading.mesh(x, y, steps.repeat(12, axis=1))
        assert (mesh.norm.vmin, mesh.norm.vmax) == (0, about["steps"])
        reading.disc(depth[-1])
        for modulus in about["ring"]:
            radius = -np.log10(1 - modulus)
            reading.curve(radius * np.cos(angle), radius * np.sin(angle), "w")
        radius = -np.log10(1 - float(case["teacher_modulus"]))
        at = float(case["teacher_angle"])
        reading.curve([radius * np.cos(at)], [radius * np.sin(at)], marker="*")
        best = case.sel(measure="disc").isel(rate_index=int(case["best"]))
        share = 100 * float(best["fraction"])
        reading.done(x=f"area {share:.{0 if share >= 9.95 else 1}f} %")
        errors.append(100 * float(best["error"]))
        (bar,) = bars(reading)
        assert bar.get_xlim() == (0, about["steps"])
    written = panels[0].axes.get_figure(root=True)
    said = f"standard errors are at most {max(errors):.0f} points"
    assert said in style.notes(written)
    assert "81, 19 and 0.2 % lie inside the circles" in style.notes(written)
    assert "moduli 0.9 and 0.999" in key(written)


def within_colours(loss):
    decades = sigprop_landscapes.FLOOR, sigprop_landscapes.TOP
    return np.clip(np.log10(loss), *decades)


def test_columns_of_trained_layers_have_their_losses_trajectories_and_sharpness(show):
    panels, data = show("sigprop-landscapes")
    runs = {"default": style.BLACK, "advised": style.VERMILION}
    networks = ("LRU", "RotRNN", "dense RNN")
    upper, middle, lowest = panels[:3], panels[3:6], panels[6:9]
    for network, reading in zip(networks, upper, strict=True):
        case = data.sel(network=network, start="default", plane="sharpest")
        _plane_is_drawn(reading, case, {"default": style.BLACK})
        first, second = map(style.number, case["curvature"].values)
        assert reading.axes.get_title("left").endswith(f" {network}")
        reading.done(x=f"sharpest, curvature {first}", y=f"second, curvature {second}")
    for network, reading in zip(networks, middle, strict=True):
        case = data.sel(network=network, start="default", plane="optima")
        _plane_is_drawn(reading, case, runs)
        reading.done(x="to the advised minimum", y="orthogonal, to the default start")
    for network, reading in zip(networks, lowest, strict=True):
        for begun, colour in runs.items():
            largest = data["largest"].sel(network=network, start=begun)
            reading.curve(data["look"], largest, colour)
        reading.level(2 / data.attrs["rate"], style.GREY)
        reading.done("linear", "log", x="step of Adam")
    lowest[0].text("2 / learning rate")
    assert lowest[0].axes.get_ylabel() == "largest curvature"
    assert len({reading.axes.get_ylim() for reading in lowest}) == 1
    (bar,) = bars(panels[0])
    said = [text.get_text() for text in bar.get_yticklabels()]
    assert said == ["$<10^{-2}$", "$10^{-1}$", "$10^{0}$", "$>10^{1}$"]
    assert bar.get_yticks().tolist() == [-2, -1, 0, 1]


def _plane_is_drawn(reading, case, runs):
    across, up = case["grid"].values
    height = within_colours(case["loss"].values).T
    filled = reading.contours(across, up, height, filled=True)
    assert filled.get_cmap().name == "viridis_r"
    assert (filled.norm.vmin, filled.norm.vmax) == (-2, 1)
    lines = reading.contours(across, up, height)
    assert set(lines.levels) < set(filled.levels)
    for name, colour in runs.items():
        x, y = case["path"].sel(run=name).values.T
        reading.curve(x, y, colour)
        reading.curve(x[:1], y[:1], colour, marker="s")
        reading.curve(x[-1:], y[-1:], colour, marker="o")
        share = float(case["share"].sel(run=name)[0])
        text = f"{100 * share:.2g} %" if share < 0.995 else "100 %"
        reading.text(text, colour=colour)


def test_trained_layers_end_below_the_loss_in_the_words(show):
    panels, data = show("sigprop-landscapes")
    words = style.notes(panels[0].axes.get_figure(root=True))
    worst = float(data["record_loss"][..., -1].max())
    (power,) = re.findall("at losses below 10(\\S+)[.]", words)
    above = 10.0 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    assert above / 10 < worst <= above
