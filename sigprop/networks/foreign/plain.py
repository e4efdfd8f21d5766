"""Single vectors of decays, which a mapping file names together with a formula."""

from collections.abc import Callable

import numpy as np

from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Options,
    Rest,
    Spelling,
    sigmoid,
    softplus,
)

TRANSFORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda x: x,
    "exp": np.exp,
    "softplus": softplus,
    "sigmoid": sigmoid,
    "tanh": np.tanh,
}
# From the transformed vector to -log|lam|.
QUANTITIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "nu": lambda x: x,
    "log-decay": lambda x: -x,
    "lambda": lambda x: -np.log(np.abs(x)),
    "time-constant": lambda x: -np.log1p(-1 / x),
}


def require_options(options: Options) -> tuple[str, str, float]:
    """Return quantity, transform and power of a plain decay, from its options.

    Raises:
        ValueError: If an option has an unknown value; the message gives the option.
    """
    quantity = options.get("quantity", "nu")
    transform = options.get("transform", "identity")
    power = options.get("power", 1.0)
    for name, value, table in (
        ("quantity", quantity, QUANTITIES),
        ("transform", transform, TRANSFORMS),
    ):
        if value not in table:
            raise ValueError(f"need a {name} of {', '.join(table)}, got {value!r}")
    if isinstance(power, bool) or not isinstance(power, int | float) or power <= 0:
        raise ValueError(f"need a positive number in power, got {power!r}")
    return quantity, transform, float(power)


def _rest(arrays: Arrays, options: Options) -> Rest:
    quantity, transform, power = require_options(options)
    decay = arrays["decay"]
    nu = power * QUANTITIES[quantity](TRANSFORMS[transform](decay))
    rows = len(decay) if decay.ndim > 1 else 1
    return Rest(nu=nu.reshape(rows, -1))


FAMILY = Family(
    "decay",
    "a plain decay",
    (
        Spelling(
            "a mapping",
            {"decay": "n | h n | g h n | g h n m"},
            slow=("decay",),
            decay=("decay",),
        ),
    ),
    _rest,
    options=("quantity", "transform", "power"),
    modulus="the decay that the mapping makes of {first}",
)
