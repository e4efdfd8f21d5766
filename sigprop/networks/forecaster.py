"""Forecasts of time series by a network, from windows of past values.

A network of any layer reads a window of rows, in scaled units, together with calendar
features.  Its pooled features give the rows after the window.  A ``direct`` head returns all
rows at once, as ``horizon * features`` outputs.  A ``steps`` head returns one row, which is
appended to the window for the next forecast; no row of the window is dropped.  Of the time
after the window, only the calendar features are inputs.

Each feature can be shifted by its last value or its mean in the window.  The shift is added
to the forecast, so that the network need not learn levels, which drift.

Source: BLUR (2025), Section 5.2 and Appendix A.8, for windows and outputs of one length;
Kim et al. (2022), RevIN, and Zeng et al. (2023), NLinear, for the shift.  The paper of BLUR
has no shift.
"""

from dataclasses import dataclass
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.networks.config import NetworkConfig
from sigprop.networks.network import Network, over_batch
from sigprop.numerics.arguments import require_count, require_moderate

KINDS = ("direct", "steps")
CENTRES = ("last", "mean", "none")
CHANNELS = ("mixed", "each")

Answer = tuple[Float[Array, "batch horizon features"], eqx.nn.State]


@final
@dataclass(frozen=True, kw_only=True)
class Head:
    """Settings that define how a network forecasts time series.

    Attributes:
        horizon: Number of rows (time steps) of a forecast.
        features: Number of features (time series) of each row.
        marks: Number of calendar features of each row, such as the hour of the day.
        kind: ``direct`` to forecast all rows at once, or ``steps`` to forecast one row
            after another.
        centre: Value of each feature that is subtracted from a window and added to its
            forecast: ``last`` for the window's last row, ``mean`` for the window's
            mean, or ``none`` for zero.
        channels: ``mixed`` if the network reads all features in one sequence, or ``each``
            if it reads each feature as a separate sequence.

    Raises:
        ValueError: If ``horizon`` or ``features`` is below one, ``marks`` is negative,
            or ``kind``, ``centre`` or ``channels`` is unknown.

    Example:
        >>> head = Head(horizon=4, features=2)
        >>> head.inputs, head.outputs
        (2, 8)
    """

    horizon: int
    features: int
    marks: int = 0
    kind: str = "direct"
    centre: str = "last"
    channels: str = "mixed"

    def __post_init__(self) -> None:
        for name, least in (("horizon", 1), ("features", 1), ("marks", 0)):
            require_count(name, getattr(self, name), least)
        for name, allowed in (
            ("kind", KINDS),
            ("centre", CENTRES),
            ("channels", CHANNELS),
        ):
            if getattr(self, name) not in allowed:
                field = {"kind": "a kind of head", "centre": "a centre"}.get(name, name)
                raise ValueError(
                    f"need {field} in {', '.join(allowed)}, got {getattr(self, name)!r}"
                )

    @property
    def shown(self) -> int:
        """Number of time series, without calendar features, in each input sequence."""
        return 1 if self.channels == "each" else self.features

    @property
    def inputs(self) -> int:
        """Number of inputs per step that the network must have."""
        return self.shown + self.marks

    @property
    def outputs(self) -> int:
        """Number of outputs that the network must have."""
        return self.shown * (1 if self.kind == "steps" else self.horizon)


def require_head(config: NetworkConfig, head: Head) -> None:
    """Check that the configuration of a network fits the settings of its forecasts.

    Raises:
        ValueError: If it does not; the message gives the configuration that is needed.
    """
    sizes = (config.inputs, config.outputs, config.encoder, config.head)
    needed = (head.inputs, head.outputs, "linear", "linear")
    if sizes != needed or config.pooling == "none":
        raise ValueError(
            "need a network of inputs, outputs, encoder and head "
            f"{needed} that pools, for this forecast, got {sizes} and pooling "
            f"{config.pooling!r}"
        )


def forecast(
    network: Network,
    state: eqx.nn.State,
    head: Head,
    inputs: Float[Array, "batch length features"],
    marks: Float[Array, "batch rows marks"],
    *,
    key: PRNGKeyArray | None = None,
) -> Answer:
    """Forecast the ``head.horizon`` rows after each window of a time series.

    Args:
        network: Network with ``head.inputs`` inputs and ``head.outputs`` outputs. It must
            be in inference mode if ``head.kind`` is ``steps``.
        state: State of the network's batch normalisations.
        head: Settings of the forecasts.
        inputs: Windows of past rows, of shape (batch, length, features).
        marks: Calendar features of the past rows of each window, followed by the
            calendar features of the rows to forecast.
        key: Random key for dropout; needed only in training with dropout.

    Returns:
        The forecasts, of shape (batch, horizon, features), and the new state of the
        batch normalisations.

    Raises:
        ValueError: If the shape of ``inputs`` or ``marks`` does not fit ``head``, or
            one of their values is not finite.

    Example:
        >>> from sigprop.networks import NetworkConfig, build
        >>> head = Head(horizon=4, features=2)
        >>> sizes = {"width": 8, "state_size": 4, "depth": 1}
        >>> sizes |= {"inputs": head.inputs, "outputs": head.outputs}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> windows, marks = jnp.ones((3, 9, 2)), jnp.ones((3, 13, 0))
        >>> rows, state = forecast(network, state, head, windows, marks)
        >>> rows.shape
        (3, 4, 2)
    """
    _require_shapes(head, inputs, marks)
    require_moderate("inputs", inputs)
    require_moderate("marks", marks)
    if head.kind == "direct":
        return _answer(network, state, head, inputs, marks, head.horizon, key)
    shown, offset = _shown(head, inputs, marks)
    roll = _stream if network.causal else _again
    rows = roll(network, state, head, shown, inputs.shape[1])
    return _joined(head, rows, len(inputs)) + offset, state


def first_row(
    network: Network,
    state: eqx.nn.State,
    head: Head,
    inputs: Float[Array, "batch length features"],
    marks: Float[Array, "batch rows marks"],
    *,
    key: PRNGKeyArray | None = None,
) -> Answer:
    """Forecast the first row after each window, as in the training of a ``steps`` head.

    Arguments and results are as for ``forecast``, with one row.

    Raises:
        ValueError: If shapes do not fit the head, or ``head.kind`` is ``direct``.
    """
    _require_shapes(head, inputs, marks)
    if head.kind == "direct":
        raise ValueError("need a head of steps for its first row, got a direct one")
    return _answer(network, state, head, inputs, marks, 1, key)


def shown_windows(
    head: Head,
    inputs: Float[Array, "batch length features"],
    marks: Float[Array, "batch rows marks"],
) -> tuple[Float[Array, "sequences length inputs"], Float[Array, "batch 1 features"]]:
    """Return the input sequences of a network for windows, and the offset of the windows.

    The caller adds the offset to the forecasts.  If ``head.channels`` is ``each``, the
    sequences of one window follow one another.

    Raises:
        ValueError: If shapes do not fit the head.
    """
    _require_shapes(head, inputs, marks)
    shown, offset = _shown(head, inputs, marks)
    return shown[:, : inputs.shape[1]], offset


def _require_shapes(head: Head, inputs: Any, marks: Any) -> None:
    rows = inputs.shape[1] + head.horizon
    if inputs.shape[2] != head.features or marks.shape[1:] != (rows, head.marks):
        raise ValueError(
            f"need windows of {head.features} features and marks of shape "
            f"(batch, {rows}, {head.marks}), got {inputs.shape} and {marks.shape}"
        )


def _answer(network, state, head, inputs, marks, rows, key) -> Answer:
    shown, offset = shown_windows(head, inputs, marks)
    outputs, state = over_batch(network, state, shown, key=key)
    outputs = outputs.reshape(len(outputs), rows, head.shown)
    return _joined(head, outputs, len(inputs)) + offset, state


def _shown(
    head: Head,
    inputs: Float[Array, "batch length features"],
    marks: Float[Array, "batch rows marks"],
) -> tuple[Float[Array, "sequences rows inputs"], Float[Array, "batch 1 features"]]:
    """Inputs of the network over all rows, zero where they are forecast, and offsets."""
    length = inputs.shape[1]
    offset = {
        "last": lambda: inputs[:, -1:],
        "mean": lambda: inputs.mean(1, keepdims=True),
        "none": lambda: jnp.zeros_like(inputs[:, :1]),
    }[head.centre]()
    rows = jnp.pad(inputs - offset, ((0, 0), (0, marks.shape[1] - length), (0, 0)))
    if head.channels == "each":
        rows = jnp.moveaxis(rows, 2, 1).reshape(-1, rows.shape[1], 1)
        marks = jnp.repeat(marks, head.features, 0)
    return jnp.concatenate([rows, marks], 2), offset


def _joined(
    head: Head, rows: Float[Array, "sequences rows shown"], batch: int
) -> Float[Array, "batch rows features"]:
    """Rows of all features, from sequences of each."""
    if head.channels == "mixed":
        return rows
    return jnp.moveaxis(rows.reshape(batch, head.features, -1), 1, 2)


def _stream(
    network: Network,
    state: eqx.nn.State,
    head: Head,
    shown: Float[Array, "sequences rows inputs"],
    length: int,
) -> Float[Array, "sequences horizon shown"]:
    """Forecast row by row with the state of causal layers."""

    def roll_sequence(u):
        def read(stream, u_t):
            return network.step(stream, u_t, state)

        stream, answers = lax.scan(read, network.initial_states(), u[:length])

        def follow(carried, mark):
            stream, row = carried
            stream, after = read(stream, jnp.concatenate([row, mark]))
            return (stream, after), row

        marks = u[length:, head.shown :]
        _, rows = lax.scan(follow, (stream, answers[-1]), marks)
        return rows

    return jax.vmap(roll_sequence)(shown)


def _again(
    network: Network,
    state: eqx.nn.State,
    head: Head,
    shown: Float[Array, "sequences rows inputs"],
    length: int,
) -> Float[Array, "sequences horizon shown"]:
    """Forecast row by row, each from the whole sequence so far, for any layer."""

    def follow(shown, step):
        lengths = jnp.full(len(shown), length + step)
        row, _ = over_batch(network, state, shown, lengths=lengths)
        longer = shown.at[:, length + step, : head.shown].set(row)
        return longer, row

    _, rows = lax.scan(follow, shown, jnp.arange(head.horizon))
    return jnp.moveaxis(rows, 0, 1)
