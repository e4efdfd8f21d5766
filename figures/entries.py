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


SMALLER = (
    "networks of two blocks and 32 features, trained for 800 steps from three seeds, to fit "
    "two cores"
)
BLUR = {
    "blur-1": Entry(
        "sigprop.figures.blur_1",
        dict.fromkeys("ab", "forecasts"),
        "Forecast error against the number of parameters",
        reduced=f"{SMALLER}, on ETTh1 and the weather, where the paper has ETTm1 at 96.",
        rows=("blur:fig1",),
    ),
    "blur-4": Entry(
        "sigprop.figures.blur_4",
        dict.fromkeys("ab", "forecasts"),
        "Forecast errors of all models on Weather and ETTh1",
        reduced=f"{SMALLER}, at horizons 24 and 48, where the paper has 336 and 720.",
        rows=("blur:fig4",),
    ),
    "blur-5": Entry(
        "sigprop.figures.blur_5",
        {"a": "forecasts"},
        "Forecasts and true values of Weather",
        reduced=f"{SMALLER}.",
        rows=("blur:fig5",),
    ),
    "blur-6": Entry(
        "sigprop.figures.blur_6",
        {"a": "forecast_speed", "b": "forecast_speed", "c": "forecasts"},
        "Time and error of a forecast against the horizon",
        reduced=f"batches of 16 windows; for the errors {SMALLER}, at horizons 24 and 48.",
        rows=("blur:fig6",),
    ),
    "blur-7": Entry(
        "sigprop.figures.blur_7",
        dict.fromkeys("abc", "forecasts"),
        "Forecast errors at each step of the horizon",
        reduced=f"{SMALLER}, on ETTh1 at 24 and 48, other layers at 24 alone, where the "
        "paper has ETTm1 and seven models at five horizons.",
        rows=("blur:fig7",),
    ),
    "blur-9": Entry(
        "sigprop.figures.blur_9",
        dict.fromkeys("ab", "forecasts"),
        "Forecasts of ETTh1 over the whole test set",
        reduced=f"{SMALLER}.",
        rows=("blur:fig9",),
    ),
    "blur-12": Entry(
        "sigprop.figures.blur_12",
        dict.fromkeys("ab", "forecasts"),
        "Forecasts of Weather over the whole test set",
        reduced=f"{SMALLER}.",
        rows=("blur:fig12",),
    ),
    "blur-14": Entry(
        "sigprop.figures.blur_14",
        dict.fromkeys("ab", "forecast_speed"),
        "Time and memory of an epoch of sequential CIFAR",
        reduced="batches of 4 images; an epoch is reckoned from single steps.",
        rows=("blur:fig14",),
    ),
    "blur-15": Entry(
        "sigprop.figures.blur_15",
        dict.fromkeys("ab", "forecast_speed"),
        "Time and memory of an epoch of ETTh1 forecasts",
        reduced="batches of 16 windows; an epoch is reckoned from single steps.",
        rows=("blur:fig15",),
    ),
    "sigprop-forecasts": Entry(
        "sigprop.figures.sigprop_forecasts",
        {"a": "forecast_settings", "b": "forecasts"},
        "Training curves of forecasts, and validation against test error",
    ),
}
ADVICE = {
    "sigprop-advice-worth": Entry(
        "sigprop.figures.sigprop_advice_worth",
        {"a": "advice", "b": "advice", "c": "advice_rates", "d": "advice_phases"},
        "Final losses of advised and default initialisations",
    ),
}
