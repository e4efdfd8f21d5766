"""The spectrum of a sine before and after a ReLU.

Fourier coefficients by FFT are computed at all frequencies up to a multiple of the sine's.
They are compared with the exact ones and with those of Proposition E.1 as printed, which lack
the factor ``1/(2 pi)``.  The paper does not say which signal its figure shows.

Source: Orvieto et al. (2023), Figure 6, Proposition E.1.
"""

import math
from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Float

from sigprop.experiments.command import main
from sigprop.theory.spectral import rectified_line

STUDY, VERSION = "relu_leakage", 1
SIGNALS = ("sine", "rectified")


@dataclass(frozen=True)
class Config:
    """Samples per period, number of periods, and the largest multiple of the frequency."""

    samples: int = 512
    periods: int = 8
    harmonics: int = 12

    def __post_init__(self) -> None:
        if not 2 * self.harmonics < self.samples:
            raise ValueError(
                f"need more than {2 * self.harmonics} samples of a period for "
                f"{self.harmonics} harmonics, got {self.samples}"
            )


SMOKE = Config(samples=64, periods=2, harmonics=6)
QUICK = Config()
PAPER = Config(samples=4096)


def run(config: Config) -> xr.Dataset:
    """Pass the sine through the ReLU and transform both, in double precision."""
    turn = np.arange(config.samples * config.periods) / config.samples
    sine = np.sin(2 * math.pi * turn)
    signals = np.stack([sine, np.maximum(sine, 0)])
    amplitude = np.abs(np.fft.rfft(signals)) / turn.size
    spectrum = amplitude[:, : config.harmonics * config.periods + 1]
    lines = np.arange(config.harmonics + 1)
    rectified = [abs(complex(rectified_line(int(n)))) for n in lines]
    exact = np.stack([np.where(lines == 1, 0.5, 0), rectified])
    power = (signals**2).mean(1, keepdims=True)
    units = {"units": "modulus of the Fourier coefficient, of a sine of one"}
    share = {"units": "fraction of the power"}
    return xr.Dataset(
        {
            "value": (
                ("signal", "turn"),
                signals[:, : 2 * config.samples],
                {"units": "amplitude, of a sine of one"},
            ),
            "amplitude": (("signal", "frequency"), spectrum, units),
            "exact": (("signal", "harmonic"), exact, units),
            "printed": ("harmonic", 2 * math.pi * exact[1], units),
            "share": (
                ("signal", "harmonic"),
                _power(spectrum[:, :: config.periods]) / power,
                share,
            ),
            "exact_share": (
                ("signal", "harmonic"),
                _power(exact) / [[1 / 2], [1 / 4]],
                share,
            ),
        },
        {
            "signal": list(SIGNALS),
            "turn": (
                "turn",
                turn[: 2 * config.samples],
                {"units": "periods of the sine"},
            ),
            "frequency": (
                "frequency",
                np.arange(spectrum.shape[1]) / config.periods,
                {"units": "the sine's"},
            ),
            "harmonic": ("harmonic", lines, {"units": "the sine's frequency"}),
        },
        {"dtype": "float64", "samples": config.samples, "periods": config.periods},
    )


def _power(
    amplitude: Float[np.ndarray, "signals lines"],
) -> Float[np.ndarray, "signals lines"]:
    """Power of both signs of each frequency, by Parseval."""
    twice = np.full(amplitude.shape[1], 2.0)
    twice[0] = 1
    return twice * amplitude**2


if __name__ == "__main__":
    main(STUDY)
