"""Gated networks as they are drawn: orthogonal matrices and Chrono biases.

Source: Zucchet & Orvieto (2024), Appendix D.
"""

from sigprop.numerics.precision import double_precision


def time_constant_drawn(tau: float) -> float:
    """``1/(1 - f)`` at rest of a gate whose bias is drawn on ``[tau, tau]``."""
    import jax

    from sigprop.layers.gru import chrono

    with double_precision(True):
        bias = chrono(jax.random.key(0), 1, (tau, tau))
        return float(1 / (1 - jax.nn.sigmoid(bias[0])))
