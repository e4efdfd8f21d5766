"""Growth of the stream and the gradient with depth, predicted and measured.

A block is an LRU and a gated unit whose output is multiplied by a gain.  It is taken alone,
with a skip connection, and with a skip connection and layer normalisation.  The growth of the
stream is the ratio of ``E x^2`` after the last block to that before the first.  The growth of
the gradient is the ratio of ``E|dL/dx|^2`` in the other direction.  Both are geometric means
per block.  Signals neither vanish nor explode if they are one.

Predictions follow the drawn weights.  At some points, the same networks are also measured on
sampled sequences.  Larger gains are left out: behind saturated gates, nearly all of the mean
square comes from few sequences, so that samples do not measure it.

Source: Zucchet & Orvieto (2024), Section 5; Orvieto et al. (2023), Section 3.4;
``sigprop.networks.backpropagation``.
"""

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.inputs import AR1
from sigprop.linear.measured_moments import channels
from sigprop.networks import NetworkConfig, build
from sigprop.networks.backpropagation import predict_errors
from sigprop.networks.network import Network
from sigprop.neuron.montecarlo import Estimate

STUDY, VERSION = "depth_map", 1
SETTINGS: dict[str, dict[str, str]] = {
    "alone": {"norm": "none", "skip": "linear"},
    "skip": {"norm": "none", "skip": "identity"},
    "skip + norm": {"norm": "layer", "skip": "identity"},
}
SIGNALS = ("stream", "gradient")


@dataclass(frozen=True)
class Config:
    """Sizes of the networks and of the sample.

    Moduli are drawn from ``[1 - gap, 1 - gap / 2]``.  Networks are measured at every
    ``measured``-th gap and gain, in the middle of sequences of ``2 * steps`` steps.
    """

    gaps: tuple[float, ...] = (0.5, 0.16, 0.05, 0.016)
    gains: tuple[float, ...] = (0.5, 2.0, 4.0, 5.6)
    measured: int = 2
    width: int = 16
    states: int = 16
    depth: int = 4
    steps: int = 128
    sequences: int = 128
    batch: int = 32
    rho: float = 0.9
    seed: int = 0


SMOKE = Config(
    gaps=(0.5, 0.2),
    gains=(0.5, 2.0),
    measured=1,
    width=6,
    states=6,
    depth=2,
    steps=24,
    sequences=64,
)
QUICK = Config()
PAPER = Config(
    gaps=(0.5, 0.2, 0.08, 0.03, 0.015),
    gains=(0.25, 0.5, 1.0, 2.0, 2.8, 4.0, 5.6),
    width=32,
    states=32,
    depth=6,
    sequences=256,
)


def network(setting: str, gap: float, gain: float, config: Config) -> tuple[Any, Any]:
    """Return a network with this gap and gain, from the same draw at all of them."""
    shape = NetworkConfig(
        inputs=config.width,
        outputs=1,
        width=config.width,
        state_size=config.states,
        depth=config.depth,
        layer="lru",
        layer_options={"r_min": 1 - gap, "r_max": 1 - gap / 2},
        mixing="glu",
        **SETTINGS[setting],  # type: ignore[arg-type]
    )
    model, state = build(shape, key=jax.random.key(config.seed))
    model = eqx.tree_at(
        lambda net: [block.mixing.value.weight for block in net.blocks],
        model,
        replace_fn=lambda weight: gain * weight,
    )
    model = eqx.tree_at(
        lambda net: [block.mixing.value.bias for block in net.blocks],
        model,
        replace_fn=jnp.zeros_like,
    )
    if SETTINGS[setting]["skip"] == "linear":
        model = eqx.tree_at(
            lambda net: [block.skip.weight for block in net.blocks],
            model,
            replace_fn=jnp.zeros_like,
        )
    return model, state


def growth(last: Any, first: Any, depth: int) -> Any:
    """Return the growth per block of a ratio, in decades."""
    return np.log10(np.asarray(last) / np.asarray(first)) / depth


def theory(model: Network, config: Config) -> list[float]:
    """Return the predicted growth of stream and gradient per block."""
    errors = predict_errors(
        model, AR1(config.rho).autocovariance(np.arange(config.steps))
    )
    forth, back = errors.stream, errors.error
    pairs = (forth[-1], forth[0]), (back[0], back[-1])
    return [float(growth(*pair, config.depth)) for pair in pairs]


@eqx.filter_jit
def _look(
    model: Network,
    state: Any,
    u: Float[Array, "num time features"],
    v: Float[Array, "num time features"],
) -> Float[Array, "num four"]:
    """Return mean squares: first and last stream, then last and first gradient."""

    def look(u: Array, v: Array) -> Float[Array, " four"]:
        def through(x: Array) -> Array:
            for block in model.blocks:
                x, _ = block(x, state)
            return x

        x = model.encode(u, None)
        y, pull = jax.vjp(through, x)
        middle = len(u) // 2
        ends = x[middle - 1], y[middle - 1], v[middle], pull(v)[0][middle]
        return jnp.stack([jnp.mean(end**2) for end in ends])

    return jax.vmap(look)(u, v)


def measure(key: PRNGKeyArray, model: Network, state: Any, config: Config) -> Estimate:
    """Return the growth in sampled sequences, with standard errors to first order."""
    batches = []
    for index in range(-(-config.sequences // config.batch)):
        input_key, error_key = jax.random.split(jax.random.fold_in(key, index))
        shape = config.batch, 2 * config.steps, config.width
        u = channels(input_key, AR1(config.rho), *shape, jnp.float32)
        v = jax.random.normal(error_key, shape)
        batches.append(np.asarray(_look(model, state, u, v), float))
    squares = np.concatenate(batches)
    first, last, end, start = squares.mean(0)
    mean = growth([last, start], [first, end], config.depth)
    relative = squares / squares.mean(0)
    apart = relative[:, [1, 3]] - relative[:, [0, 2]]
    sem = apart.std(0, ddof=1) / len(squares) ** 0.5 / np.log(10) / config.depth
    return Estimate(mean, sem, len(squares))


def run(config: Config) -> xr.Dataset:
    """Predict the growth in every network, and measure it in some."""
    gaps, gains = np.array(config.gaps), np.array(config.gains)
    subset = (slice(None, None, config.measured),) * 2
    sizes = len(SETTINGS), len(gaps), len(gains), len(SIGNALS)
    predicted = np.empty(sizes)
    measured = np.empty(predicted[:, *subset].shape)
    sem = np.empty_like(measured)
    tick = counter(predicted[..., 0].size, "networks")
    for i, j, k in np.ndindex(*sizes[:3]):
        setting = list(SETTINGS)[i]
        model, state = network(setting, float(gaps[j]), float(gains[k]), config)
        predicted[i, j, k] = theory(model, config)
        if j % config.measured == k % config.measured == 0:
            key = jax.random.fold_in(jax.random.key(config.seed + 1), 1000 * j + k)
            index = i, j // config.measured, k // config.measured
            measured[index], sem[index], _ = measure(key, model, state, config)
        tick()
    units = {"units": "decades a block"}
    dims = ("setting", "gap", "gain", "signal")
    points = ("setting", "measured_gap", "measured_gain", "signal")
    return xr.Dataset(
        {
            "predicted": (dims, predicted, units),
            "measured": (points, measured, units),
            "sem": (points, sem, units),
        },
        {
            "setting": list(SETTINGS),
            "gap": ("gap", gaps, {"units": "one minus the least modulus"}),
            "gain": ("gain", gains, {"units": "of the value's weights"}),
            "measured_gap": gaps[subset[0]],
            "measured_gain": gains[subset[0]],
            "signal": list(SIGNALS),
        },
        {
            "dtype": "float64 in theory, float32 in networks",
            "rho": config.rho,
            "depth": config.depth,
            "sequences": config.batch * -(-config.sequences // config.batch),
            "sizes": f"{config.depth} blocks, {config.width} features, "
            f"{config.states} states, {2 * config.steps} steps",
        },
    )


if __name__ == "__main__":
    main(STUDY)
