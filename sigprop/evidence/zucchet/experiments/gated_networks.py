"""Gated networks at initialisation, with orthogonal matrices and Chrono biases.

Source: Zucchet & Orvieto (2024), Appendix D.
"""

from sigprop.numerics.precision import double_precision


def sampled_gate(tau: float) -> float:
    """The gate at rest for a bias sampled on ``[tau, tau]``."""
    import jax

    from sigprop.layers.gru import chrono

    with double_precision(True):
        bias = chrono(jax.random.key(0), 1, (tau, tau))
        return float(jax.nn.sigmoid(bias[0]))
