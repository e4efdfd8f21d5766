"""Zucchet & Orvieto (2024), Figure 2: what normalisation and reparametrisation do."""

from matplotlib.figure import Figure

from figures import curves, style

STUDY = "curse_of_memory"
STUDIES = dict.fromkeys("ab", STUDY)
QUANTITY = {"a": "state", "b": "sensitivity"}
LABEL = {
    "a": r"$\gamma^2\,\mathbb{E}[h^2]$ / Var[$x$]",
    "b": r"$\gamma^2\,\mathbb{E}[(\mathrm{d}_\nu h)^2]$ / Var[$x$]",
}
TITLE = {
    "a": r"normalised, $\gamma = \sqrt{1 - \lambda^2}$",
    "b": r"also reparametrised, $\lambda = e^{-e^{\nu}}$",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Both moments under control, with simulated points; bare at ``rho = 1`` in grey.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(3.4, 3.6 * len(letters))
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
    return drawn
