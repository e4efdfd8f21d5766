"""Rows of ``sigprop.networks`` and ``sigprop.networks.foreign``."""

import tempfile
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop import networks
from tests.arguments import KEY, Row, row, samples, valid

FOLDER, ELSEWHERE = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
LAGS = np.array([1.0, 0.5, 0.25, 0.125])


def _seen() -> dict[str, Any]:
    network, state = samples.network()
    return {"network": network, "state": state}


def _zucchet() -> dict[str, Any]:
    network, state = samples.zucchet()
    return {"network": network, "state": state}


def _saved() -> Path:
    network, state = samples.network()
    return networks.save_network(FOLDER / "network.safetensors", network, state)


def _checkpoint_file() -> Path:
    return _saved()


def _forecast() -> dict[str, Any]:
    config = networks.NetworkConfig(
        inputs=2, outputs=6, width=4, state_size=4, depth=1, layer="lru", norm="layer"
    )
    network, state = networks.build(config, key=KEY)
    return {
        "network": network,
        "state": state,
        "head": networks.Head(horizon=3, features=2),
        "inputs": jnp.asarray(samples.draw(2, 5, 2)),
        "marks": jnp.zeros((2, 8, 0)),
        "key": None,
    }


CONFIG = {
    "inputs": 2,
    "outputs": 3,
    "width": 4,
    "state_size": 4,
    "depth": 1,
    "layer": "lru",
    "layer_options": {"r_min": 0.5},
    "encoder": "linear",
    "norm": "layer",
    "mixing": "glu",
    "mixing_norm": False,
    "skip": "identity",
    "dropout": 0.1,
    "pooling": "mean",
    "head": "linear",
}
U = samples.draw(3, 6, 2)

ROWS: dict[str, Row] = {
    "sigprop.networks.NetworkConfig": row(
        lambda: dict(CONFIG), legal={"dropout: 0": valid}
    ),
    "sigprop.networks.Head": row(
        lambda: {
            "horizon": 3,
            "features": 2,
            "marks": 1,
            "kind": "direct",
            "centre": "last",
            "channels": "mixed",
        },
        legal={"marks: 0": valid},
    ),
    "sigprop.networks.all_presets": row(dict),
    "sigprop.networks.blur_paper": row(
        lambda: {"inputs": 2, "outputs": 3, "encoder": "linear", "pooling": "mean"}
    ),
    "sigprop.networks.lru_paper": row(lambda: {"task": "listops"}),
    "sigprop.networks.rotrnn_paper": row(lambda: {"task": "listops"}),
    "sigprop.networks.zucchet_paper": row(
        lambda: {
            "layer": "zucchet_lru",
            "nu0": 0.5,
            "norm": "none",
            "features": 4,
            "nu1": 1.0,
        },
        legal={"nu0: 0": valid},
    ),
    "sigprop.networks.build": row(lambda: {"key": KEY, "config": samples.config()}),
    "sigprop.networks.layer_options": row(
        lambda: {"name": "lru"}, names={"name": "layer"}
    ),
    "sigprop.networks.sequence_layer": row(
        lambda: {"key": KEY, "name": "lru", "state_size": 4, "width": 2},
        names={"name": "layer"},
    ),
    "sigprop.networks.parameter_groups": row(lambda: {"network": samples.network()[0]}),
    "sigprop.networks.parameter_table": row(lambda: {"network": samples.network()[0]}),
    "sigprop.networks.save_network": row(
        lambda: {"path": ELSEWHERE / "network.safetensors", **_seen()},
        legal={"path: missing": valid},
    ),
    "sigprop.networks.load_network": row(lambda: {"path": _saved()}),
    "sigprop.networks.over_batch": row(
        lambda: {
            **_seen(),
            "u": jnp.asarray(U),
            "lengths": jnp.array([6, 5, 4]),
            "key": None,
        },
        legal={
            "u: zeros": valid,
            "u: minus ones": valid,
            "lengths: None": valid,
        },
    ),
    "sigprop.networks.state_powers": row(
        lambda: {**_seen(), "u": jnp.asarray(U), "lengths": jnp.array([6, 5, 4])},
        legal={"u: zeros": valid, "u: minus ones": valid, "lengths: None": valid},
    ),
    "sigprop.networks.forecast": row(
        _forecast,
        legal={
            f"{name}: {description}": valid
            for name in ("inputs", "marks")
            for description in ("zeros", "minus ones")
        },
    ),
    "sigprop.networks.independent": row(
        lambda: {"covariance": LAGS, "channels": 2},
        legal={"covariance: zeros": valid},
        wide=True,
    ),
    "sigprop.networks.filter_of": row(lambda: {"layer": samples.lru(), "steps": 4}),
    "sigprop.networks.filtered": row(
        lambda: {
            "signal": networks.independent(LAGS, 2),
            "by": networks.filter_of(samples.lru(), len(LAGS)),
        },
        wide=True,
    ),
    "sigprop.networks.predict_signals": row(
        lambda: {
            **_zucchet(),
            "autocovariance": LAGS,
            "measured": None,
            "samples": 4,
            "seed": 0,
        },
        legal={
            "state: None": valid,
            "autocovariance: zeros": valid,
            "samples: None": valid,
            "samples: 0": valid,
            "seed: 0": valid,
        },
        infinite=True,  # the errors, with no samples
        names={"autocovariance": "covariance"},
        unchecked="measured",
        wide=True,
    ),
    "sigprop.networks.predict_errors": row(
        lambda: {**_zucchet(), "autocovariance": LAGS},
        legal={"state: None": valid, "autocovariance: zeros": valid},
        names={"autocovariance": "covariance"},
        wide=True,
    ),
    "sigprop.networks.first_states": row(
        lambda: {"network": samples.zucchet()[0], "autocovariance": LAGS},
        legal={"autocovariance: zeros": valid},
        names={"autocovariance": "covariance"},
        wide=True,
    ),
    "sigprop.networks.foreign.find": row(lambda: {"checkpoint": samples.checkpoint()}),
    "sigprop.networks.foreign.mapped": row(
        lambda: {"checkpoint": samples.checkpoint(), "mapping": _mapping()}
    ),
    "sigprop.networks.foreign.of_arrays": row(
        lambda: {"arrays": {"seq.nu_log": np.zeros(3)}},
        unchecked="arrays",
    ),
    "sigprop.networks.foreign.survey": row(
        lambda: {"checkpoint": samples.checkpoint(), "without": ()},
        unchecked="without",
    ),
    "sigprop.networks.foreign.open_checkpoint": row(
        lambda: {"path": _checkpoint_file()}
    ),
}


def _mapping() -> Path:
    path = FOLDER / "mapping.toml"
    path.write_text(
        '[[layer]]\nfamily = "lru"\n'
        'names = {nu_log = "seq.nu_log", theta_log = "seq.theta_log"}\n'
    )
    return path
