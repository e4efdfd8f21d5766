"""What the list of figures says of one, and the entries of forecasts and of advice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A figure's module, the result that each of its panels draws, and what it shows.

    ``rows`` are those of the ledger that its caption became; ``reduced`` says what is
    smaller than in the paper even at the preset ``paper``.
    """

    module: str
    studies: dict[str, str]
    title: str
    rows: tuple[str, ...] = ()
    reduced: str = ""

    @property
    def panels(self) -> tuple[str, ...]:
        """The letters of the panels."""
        return tuple(self.studies)

    def needs(self, panel: str | None = None) -> tuple[str, ...]:
        """The results that one panel draws, or all of them, each once.

        Raises:
            ValueError: If the figure has no such panel.
        """
        wanted = self.panels
        if panel is not None:
            from sigprop.figures import style

            wanted = style.chosen_panels(panel, wanted)
        return tuple(dict.fromkeys(self.studies[letter] for letter in wanted))


SIZES = "have two blocks and 32 features and are trained for 800 steps from three seeds"
SMALLER = f"networks {SIZES}."
BLUR = {
    "blur-1": Entry(
        "sigprop.figures.blur_1",
        dict.fromkeys("ab", "forecasts"),
        "Forecast error against the number of parameters",
        reduced=f"{SMALLER} The data are ETTh1 and Weather; the paper uses ETTm1 at "
        "horizon 96.",
        rows=("blur:fig1",),
    ),
    "blur-4": Entry(
        "sigprop.figures.blur_4",
        dict.fromkeys("ab", "forecasts"),
        "Forecast errors of all models on Weather and ETTh1",
        reduced=f"{SMALLER} The horizons are 24 and 48; the paper has 336 and 720.",
        rows=("blur:fig4",),
    ),
    "blur-5": Entry(
        "sigprop.figures.blur_5",
        {"a": "forecasts"},
        "Forecasts and true values of Weather",
        reduced=SMALLER,
        rows=("blur:fig5",),
    ),
    "blur-6": Entry(
        "sigprop.figures.blur_6",
        {"a": "forecast_speed", "b": "forecast_speed", "c": "forecasts"},
        "Time and error of a forecast against the horizon",
        reduced="times are measured on batches of 16 windows. The networks of panel C "
        f"{SIZES}, at horizons 24 and 48.",
        rows=("blur:fig6",),
    ),
    "blur-7": Entry(
        "sigprop.figures.blur_7",
        dict.fromkeys("abc", "forecasts"),
        "Forecast errors against the horizon, and of all layers",
        reduced=f"{SMALLER} The data are ETTh1 at horizons 24 and 48, and at 24 only for "
        "layers other than LRU and BLUR. The paper uses ETTm1, seven models and five "
        "horizons.",
        rows=("blur:fig7",),
    ),
    "blur-9": Entry(
        "sigprop.figures.blur_9",
        dict.fromkeys("ab", "forecasts"),
        "Forecasts of ETTh1 over the whole test set",
        reduced=SMALLER,
        rows=("blur:fig9",),
    ),
    "blur-12": Entry(
        "sigprop.figures.blur_12",
        dict.fromkeys("ab", "forecasts"),
        "Forecasts of Weather over the whole test set",
        reduced=SMALLER,
        rows=("blur:fig12",),
    ),
    "blur-14": Entry(
        "sigprop.figures.blur_14",
        dict.fromkeys("ab", "forecast_speed"),
        "Time and memory of an epoch of sequential CIFAR",
        reduced="batches have 4 images. The time of an epoch is estimated from the times of "
        "single steps.",
        rows=("blur:fig14",),
    ),
    "blur-15": Entry(
        "sigprop.figures.blur_15",
        dict.fromkeys("ab", "forecast_speed"),
        "Time and memory of an epoch of ETTh1 forecasts",
        reduced="batches have 16 windows. The time of an epoch is estimated from the times "
        "of single steps.",
        rows=("blur:fig15",),
    ),
    "sigprop-forecasts": Entry(
        "sigprop.figures.sigprop_forecasts",
        {"a": "forecast_settings", "b": "forecasts"},
        "Validation error during training, and test error against it",
    ),
}
ADVICE = {
    "sigprop-advice-worth": Entry(
        "sigprop.figures.sigprop_advice_worth",
        {"a": "advice", "b": "advice", "c": "advice_rates", "d": "advice_phases"},
        "Final losses of advised and default initialisations",
    ),
}
