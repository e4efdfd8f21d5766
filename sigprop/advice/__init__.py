"""Advice on the initialisation of a layer: time constants, phases and normalisation.

The advice follows from the length of the sequences, the autocovariance of the input and
the size of the state.  The result also has the predictions for the layer's default
initialisation:

    >>> import jax
    >>> import numpy as np
    >>> from sigprop.advice import advise, exponential
    >>> found = advise("lru", length=1000, state=16, spectrum=exponential(0.9))
    >>> names = ("r_min", "r_max", "max_phase")
    >>> {name: np.round(found.options[name], 4).tolist() for name in names}
    {'r_min': 0.9048, 'r_max': 0.999, 'max_phase': [1.1789, 3.1416]}
    >>> layer = found.draw(jax.random.key(0), width=4)  # E|h|^2 = 1 in every mode
    >>> found.default.median < 10 < 90 < found.advised.median
    True
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.advice.advise import Advice as Advice
    from sigprop.advice.advise import advise as advise
    from sigprop.advice.predictions import Predicted as Predicted
    from sigprop.advice.predictions import matched as matched
    from sigprop.advice.predictions import mode_states as mode_states
    from sigprop.advice.predictions import (
        predict_initialisation as predict_initialisation,
    )
    from sigprop.advice.spectra import bandwidth as bandwidth
    from sigprop.advice.spectra import exponential as exponential
    from sigprop.advice.spectra import exponentials as exponentials
    from sigprop.advice.spectra import of_covariance as of_covariance
    from sigprop.advice.spectra import of_series as of_series
    from sigprop.advice.spectra import power_below as power_below

export(__name__)
