"""Training of networks: the training loop, checkpoints, recipes, and runs in folders."""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.training.forecast_presets import forecast_preset as forecast_preset
    from sigprop.training.forecast_results import controls as controls
    from sigprop.training.forecast_results import forecasts as forecasts
    from sigprop.training.forecasting import ForecastRecipe as ForecastRecipe
    from sigprop.training.forecasting import fit_forecaster as fit_forecaster
    from sigprop.training.loop import Optimiser as Optimiser
    from sigprop.training.loop import Run as Run
    from sigprop.training.loop import advance as advance
    from sigprop.training.loop import effective_rates as effective_rates
    from sigprop.training.loop import start as start
    from sigprop.training.loop import train as train
    from sigprop.training.presets import altered as altered
    from sigprop.training.presets import preset as preset
    from sigprop.training.recipes import Recipe as Recipe
    from sigprop.training.recipes import recipe as recipe
    from sigprop.training.supervised import fit as fit

export(__name__)
