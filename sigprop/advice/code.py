"""Code that builds an advised layer, for sigprop and for other libraries.

The code sets every parameter that the predictions depend on.  It sets a normalisation last,
because this depends on the eigenvalues and the input weights:

    E|h|^2 = gain |B|^2 / (1 - |lam|^2) power,
    power = sum of weight Re (1 + rho lam) / (1 - rho lam) = R(0) + 2 Re sum of R(lag) lam**lag

for an input with the autocovariance ``R(lag) = sum of weight rho**lag``.  For a measured
input, the code reads the autocovariance from the file of
``sigprop advise --json advice.json``.

Source: Zucchet & Orvieto (2024), Eq. 45 and 48, summed over the exponentials.  The names of
arguments come from minimal-LRU, lru-pytorch, S4 and S5, RecurrentGemma, transformers and
mamba-ssm.
"""

import math
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from sigprop.advice.families import FAMILIES, Options
from sigprop.advice.spectra import Measured, Spectrum
from sigprop.audit.autocovariance import Exponentials

NORMALISED = ("lru", "s5")
"""Layers that the code normalises to ``E|h|^2 = 1``, by a gain or the input weights."""

COLUMNS = 78  # of a line

POWERS = {
    False: """\
{terms}
power = sum(w * ((1 + r * lam) / (1 - r * lam)).real for w, r in terms)""",
    True: """\
import json
with open('advice.json') as file:
    R = {array}(json.load(file)['input']['covariance'])
power = R[0] + 2 * (lam[:, None] ** {lags}).real @ R[1:]""",
}
"""Code for ``power`` in the formula above; the key is True for a measured input."""

LIBRARIES: Mapping[str, Mapping[str, str]] = {
    "lru": {
        "minimal-LRU": """\
layer = LRU(d_hidden={state}, d_model={width}, max_phase={widest:.6g})
params = layer.init(key, inputs)['params']
params['nu_log'] = jnp.linspace({longest:.6g}, {shortest:.6g}, {state})
{narrowed[0]}nu, theta = jnp.exp(params['nu_log']), jnp.exp(params['theta_log'])
lam = jnp.exp(-nu + 1j * theta)
{power[0]}
size = (params['B_re'] ** 2 + params['B_im'] ** 2).sum(1)
gap = -jnp.expm1(-2 * nu)
params['gamma_log'] = jnp.log(gap / (size * power)) / 2""",
        "lru-pytorch": """\
layer = LRU(in_features={width}, out_features={width}, state_features={state},
            max_phase={widest:.6g})
layer.nu_log.data = torch.linspace({longest:.6g}, {shortest:.6g}, {state})
{narrowed[1]}nu, theta = layer.nu_log.data.exp(), layer.theta_log.data.exp()
lam = torch.exp(torch.complex(-nu, theta))
{power[1]}
size = (layer.B.data.abs() ** 2).sum(1)
gap = -torch.expm1(-2 * nu)
layer.gamma_log.data = torch.log(gap / (size * power)) / 2""",
    },
    "rotrnn": {},
    "s4d": {
        "state-spaces S4D": """\
layer = S4D({width}, d_state={twice}, dt_min={dt_min:.6g}, dt_max={dt_max:.6g})""",
    },
    "s5": {
        "lindermanlab/S5": """\
# P is half of ssm_size_base={twice}; **others are the arguments that you keep
layer = init_S5SSM(H={width}, P={state}, conj_sym=True, discretization='zoh',
                   dt_min={dt_min:.6g}, dt_max={dt_max:.6g}, **others)()
params = layer.init(key, inputs)['params']
A = params['Lambda_re'] + 1j * params['Lambda_im']
dt = jnp.exp(params['log_step'][:, 0])
lam = jnp.exp(A * dt)
{power[0]}
gain = abs((lam - 1) / A) ** 2 / -jnp.expm1(2 * params['Lambda_re'] * dt)
moment = gain * power * (params['B'] ** 2).sum((1, 2))
params['B'] = params['B'] / jnp.sqrt(moment)[:, None, None]""",
    },
    "rglru": {
        "recurrentgemma": """\
nu = jnp.exp(jnp.linspace({longest:.6g}, {shortest:.6g}, {width}))
params['a_param'] = jnp.log(jnp.expm1(nu))""",
        "transformers": """\
nu = torch.exp(torch.linspace({longest:.6g}, {shortest:.6g}, {width}))
layer.recurrent_param.data = torch.log(torch.expm1(nu))""",
    },
    "mamba": {
        "mamba-ssm": """\
layer = Mamba(d_model={width}, d_state={state}, expand={expand},
              dt_min={steps[0]:.6g}, dt_max={steps[1]:.6g},
              dt_init_floor={steps[0]:.6g})""",
    },
}


NARROWED = (
    "params['theta_log'] = params['theta_log'].at[::2].add({shift:.6g})\n",
    "layer.theta_log.data[::2] += {shift:.6g}\n",
)
"""Lines for JAX and PyTorch that lower the limit of every second phase."""


def printed(
    layer: str, state: int, width: int, options: Options, spectrum: Spectrum
) -> dict[str, str]:
    """Return code that builds an advised layer, by name of the library.

    Args:
        layer: Name of a family in ``sigprop.advice.families.FAMILIES``.
        state: Size of the state, as the builder of sigprop counts it.
        width: Number of inputs.
        options: Options of the builder of sigprop.
        spectrum: Autocovariance of the input.

    Example:
        >>> from sigprop.advice import exponential
        >>> options = {"dt_min": 0.001, "dt_max": 0.1}
        >>> print(printed("s4d", 32, 8, options, exponential(0))["state-spaces S4D"])
        layer = S4D(8, d_state=64, dt_min=0.001, dt_max=0.1)
    """
    family = FAMILIES[layer]
    texts = {"sigprop": _ours(layer, state, family.expand * width, options, spectrum)}
    fill: dict[str, Any] = {
        "state": state,
        "width": width,
        "twice": 2 * state,
        "expand": family.expand,
        "power": [_power(spectrum, library) for library in ("jnp", "torch")],
        "narrowed": ("", ""),
        **options,
    }
    radii = options.get("radii") or tuple(
        options[name] for name in ("r_min", "r_max") if name in options
    )
    if radii:
        shortest, longest = (math.log(-math.log(radius)) for radius in radii)
        fill |= {"shortest": shortest, "longest": longest}
    if "max_phase" in options:
        limits = np.atleast_1d(options["max_phase"])
        fill["widest"] = limits[-1]
        if len(limits) > 1:
            shift = math.log(limits[0] / limits[-1])
            fill["narrowed"] = [line.format(shift=shift) for line in NARROWED]
    return texts | {
        library: text.format(**fill) for library, text in LIBRARIES[layer].items()
    }


def _power(spectrum: Spectrum, library: str) -> str:
    measured = isinstance(spectrum, Measured)
    array = {"jnp": "jnp.array", "torch": "torch.tensor"}[library]
    lags = f"{library}.arange(1, len(R))[None]"
    terms = "" if measured else _terms(spectrum)
    return POWERS[measured].format(terms=terms, array=array, lags=lags)


def _terms(spectrum: Exponentials) -> str:
    pairs = [
        f"({weight:.8g}, {rho:.8g})"
        for weight, rho in zip(*spectrum, strict=True)
        if weight
    ]
    return textwrap.fill(
        f"terms = [{', '.join(pairs)}]  # R(lag) = sum of w * r**lag",
        COLUMNS,
        subsequent_indent=" " * 9,
    )


def _ours(
    layer: str, state: int, channels: int, options: Options, spectrum: Spectrum
) -> str:
    kind = FAMILIES[layer].layer
    lines = [
        "from sigprop.networks import sequence_layer",
        f"layer = sequence_layer(\n    {kind!r}, {state}, {channels}, key=key,",
        *(f"    {name}={_short(value)}," for name, value in options.items()),
        ")",
    ]
    if layer in NORMALISED:
        build = "of_covariance" if isinstance(spectrum, Measured) else "exponentials"
        lines = [
            *["import json"] * isinstance(spectrum, Measured),
            f"from sigprop.advice import {', '.join(sorted((build, 'matched')))}",
            *lines,
            _spectrum(spectrum),
            "layer = matched(layer, spectrum)",
        ]
    return "\n".join(lines)


def _spectrum(spectrum: Spectrum) -> str:
    if isinstance(spectrum, Measured):
        return (
            "with open('advice.json') as file:\n"
            "    spectrum = of_covariance(json.load(file)['input']['covariance'])"
        )
    return f"{_terms(spectrum)}\nspectrum = exponentials(terms)"


def _short(value: Any) -> str:
    """Format the value of an option with twelve digits."""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))})"
    return repr(value)
