"""Zucchet & Orvieto (2024), Figure 2: moments with normalisation and reparametrisation."""

import xarray as xr
from matplotlib.figure import Figure

from sigprop.figures import curves, style
from sigprop.figures.entry import Entry

STUDY = "curse_of_memory"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Moments with input normalisation and reparametrisation",
    rows=(
        "zucchet:fig2a",
        "zucchet:fig2b",
        "zucchet:fig2b:bounded",
        "sigprop:controlled-edge",
        "zucchet:fig2:other-inputs",
        "zucchet:fig2:grey-state",
        "zucchet:fig2:grey-sensitivity",
    ),
)
QUANTITY = {"a": "state", "b": "sensitivity"}
GROWS = 0.5  # the power of the inverse gap from which a moment is not bounded
LABEL = {
    "a": r"$\gamma^2\,\mathbb{E}[h^2]$ / Var[$x$]",
    "b": r"$\gamma^2\,\mathbb{E}[(\mathrm{d}_\nu h)^2]$ / Var[$x$]",
}
TITLE = {
    "a": r"normalised, $\gamma^2 = 1 - \lambda^2$",
    "b": r"also $\lambda = \exp(-e^{\nu})$",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the normalised squared state, panel B the reparametrised sensitivity.

    Grey curves are without normalisation and reparametrisation, and leave the panels.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(3.7, 2.75 * len(letters))
        spec = figure.add_gridspec(1, 1)[0]
        pairs = curves.side_by_side(figure, spec, len(letters))
        for (axes, strip), letter in zip(pairs, letters, strict=True):
            moment = data.sel(quantity=QUANTITY[letter])
            bare = moment["theory"].isel(rho=-1)
            curves.draw(
                axes,
                strip,
                moment,
                curves.Names("controlled_theory", "controlled", "controlled_sem"),
                bare,
                rf"original, $\rho = {float(bare['rho']):g}$",
                zoom=True,
            )
            axes.set_ylabel(LABEL[letter])
            style.letter(axes, letter, TITLE[letter])
        figure.legend(handles=curves.key(), loc="outside upper center", ncols=2)
        style.caption(figure, curves.caption(data))
    return figure


def shown(results: style.Results) -> str:
    """Name the correlations at which normalisation and reparametrisation bound both moments."""
    largest, free = _bounds(results[STUDY])
    rhos, lost = largest["rho"].values, free.any("quantity").values
    sentences = [
        f"Both moments are bounded at {(~lost).sum()} of {lost.size} values of ρ."
    ]
    if not lost.all():
        rho = rhos[~lost][-1]
        end = 1 - float(results[STUDY]["gap"].min())
        state, moved = (
            float(largest.sel(rho=rho, quantity=q)) for q in QUANTITY.values()
        )
        sentences.append(
            f"Up to λ = {end:g}, and at ρ = {rho:g}, the squared state is at most {state:.3g} "
            f"and the squared sensitivity at most {moved:.3g}, for inputs of variance one."
        )
    growing = ", ".join(f"{rho:g}" for rho in rhos[lost])
    sentences.append(
        f"A moment grows without bound only at ρ = {growing}."
        if growing
        else "No moment grows without bound."
    )
    return " ".join(sentences)


def details(results: style.Results) -> style.Cells:
    """The largest value of each moment, or that it has no bound."""
    largest, free = _bounds(results[STUDY])

    def bound(**where: object) -> str:
        return "unbounded" if free.sel(where) else f"{float(largest.sel(where)):.3g}"

    return (
        (
            "input correlation ρ",
            *(f"largest squared {q} / Var[x]" for q in QUANTITY.values()),
        ),
        *(
            (f"{rho:g}", *(bound(rho=rho, quantity=q) for q in QUANTITY.values()))
            for rho in largest["rho"].values
        ),
    )


def _bounds(data: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """The largest value of each moment, and whether the moment grows without bound."""
    moments = data["controlled_theory"]
    return moments.max("gap"), curves.power(moments) > GROWS


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-2")
