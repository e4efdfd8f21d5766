"""Zucchet & Orvieto (2024), Figure 2: what normalisation and reparametrisation do."""

from matplotlib.figure import Figure

from sigprop.figures import curves, style

STUDY = "curse_of_memory"
STUDIES = dict.fromkeys("ab", STUDY)
QUANTITY = {"a": "state", "b": "sensitivity"}
GROWS = 0.5  # the power of the inverse gap from which a moment is not bounded
LABEL = {
    "a": r"$\gamma^2\,\mathbb{E}[h^2]$ / Var[$x$]",
    "b": r"$\gamma^2\,\mathbb{E}[(\mathrm{d}_\nu h)^2]$ / Var[$x$]",
}
TITLE = {
    "a": r"normalised, $\gamma = \sqrt{1 - \lambda^2}$",
    "b": r"also $\lambda = \exp(-e^{\nu})$",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Both moments under control, with simulated points; bare at ``rho = 1`` in grey.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(3.7, 2.75 * len(letters))
        grid = drawn.add_gridspec(1, len(letters))
        for column, letter in enumerate(letters):
            axes, strip = curves.stacked(drawn, grid[0, column])
            moment = data.sel(quantity=QUANTITY[letter])
            bare = moment["theory"].isel(rho=-1)
            curves.draw(
                axes,
                strip,
                moment,
                curves.Names("controlled_theory", "controlled", "controlled_sem"),
                bare,
                rf"bare, $\rho = {float(bare['rho']):g}$",
            )
            axes.set_ylabel(LABEL[letter])
            style.letter(axes, letter, TITLE[letter])
        style.caption(drawn, curves.caption(data))
    return drawn


def shown(results: style.Results) -> str:
    """For which correlations normalisation and reparametrisation hold both moments."""
    held = results[STUDY]["controlled_theory"]
    free = curves.power(held) > GROWS
    lost = [f"{rho:g}" for rho in held["rho"].values[free.any("quantity").values]]
    kept = held.isel(rho=~free.any("quantity").values).max("gap")
    state, moved = (
        ", ".join(f"{value:.3g}" for value in kept.sel(quantity=name).values)
        for name in QUANTITY.values()
    )
    rhos = ", ".join(f"{rho:g}" for rho in kept["rho"].values)
    return (
        f"For rho = {rhos} both moments are bounded: the state by {state} and the "
        f"sensitivity by {moved}. They grow without bound "
        + (f"only at rho = {', '.join(lost)}." if lost else "at no rho.")
    )
