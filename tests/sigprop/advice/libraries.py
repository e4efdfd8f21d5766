"""Builders of other libraries, as far as printed code needs them, in NumPy.

Each draws its parameters in the order of its library, from the equations of its paper:
what depends on another parameter is computed when the layer is built, and not again.
"""

from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np

from sigprop.layers.s4d import hippo_legs
from tests.sigprop.audit.lint.healthy import inverse_softplus, log_uniform, ring


class Tensor(np.ndarray):
    """An array with the methods of PyTorch that printed code calls."""

    def exp(self):
        return np.exp(self)

    def abs(self):
        return np.abs(self)


def tensor(values):
    return np.asarray(values).view(Tensor)


class Parameter:
    def __init__(self, values):
        self.data = tensor(values)


def _of_numpy(function):
    return lambda *args: tensor(function(*args))


TORCH = SimpleNamespace(
    complex=lambda re, im: tensor(re + 1j * im),
    tensor=tensor,
    exp=_of_numpy(np.exp),
    expm1=_of_numpy(np.expm1),
    log=_of_numpy(np.log),
    linspace=_of_numpy(np.linspace),
    arange=_of_numpy(np.arange),
)


class MinimalLRU:
    """Orvieto et al. (2023), Appendix A: ``gamma_log`` is drawn with the radii."""

    def __init__(self, d_hidden, d_model, r_min=0.0, r_max=1.0, max_phase=6.28):
        self.sizes, self.radii, self.max_phase = (
            (d_hidden, d_model),
            (r_min, r_max),
            max_phase,
        )

    def init(self, key, inputs):
        (n, d), g = self.sizes, key
        nu = ring(g, n, *self.radii)
        drawn = {
            "theta_log": np.log(self.max_phase * g.uniform(size=n)),
            "nu_log": np.log(nu),
            "gamma_log": np.log(-np.expm1(-2 * nu)) / 2,
            "B_re": g.normal(size=(n, d)) / np.sqrt(2 * d),
            "B_im": g.normal(size=(n, d)) / np.sqrt(2 * d),
            "C_re": g.normal(size=(d, n)) / np.sqrt(n),
            "C_im": g.normal(size=(d, n)) / np.sqrt(n),
            "D": g.normal(size=d),
        }
        return {"params": {name: jnp.asarray(value) for name, value in drawn.items()}}


def lru_pytorch(g):
    """The LRU with complex ``B`` and ``C`` and a dense ``D``."""

    def build(
        in_features, out_features, state_features, rmin=0, rmax=1, max_phase=6.283
    ):
        n, nu = state_features, ring(g, state_features, rmin, rmax)
        normal = g.normal(size=(n, in_features, 2)), g.normal(size=(out_features, n, 2))
        B, C = (of[..., 0] + 1j * of[..., 1] for of in normal)
        return SimpleNamespace(
            D=Parameter(g.normal(size=(out_features, in_features))),
            nu_log=Parameter(np.log(nu)),
            theta_log=Parameter(np.log(max_phase * g.uniform(size=n))),
            gamma_log=Parameter(np.log(-np.expm1(-2 * nu)) / 2),
            B=Parameter(B / np.sqrt(2 * in_features)),
            C=Parameter(C / np.sqrt(n)),
        )

    return build


def s4d(g):
    """Gu et al. (2022), S4D-Lin: ``d_state`` real states are half as many pairs."""

    def build(d_model, d_state=64, dt_min=0.001, dt_max=0.1):
        pairs = d_state // 2
        return {
            "log_A_real": np.full((d_model, pairs), np.log(0.5)),
            "A_imag": np.tile(np.pi * np.arange(pairs), (d_model, 1)),
            "log_dt": np.log(log_uniform(g, d_model, dt_min, dt_max)),
            "C": g.normal(size=(d_model, pairs, 2)),
            "D": g.normal(size=d_model),
        }

    return build


def others_of_s5(ssm_size_base):
    """What a training of S5 gives beside its sizes and steps: half of the eigenvalues.

    Smith et al. (2023): with conjugate symmetry the state is halved before it is built.
    """
    values, vectors = hippo_legs(ssm_size_base)
    half = ssm_size_base // 2
    return {
        "Lambda_re_init": values.real[:half],
        "Lambda_im_init": values.imag[:half],
        "V": vectors[:, :half],
        "Vinv": vectors[:, :half].conj().T,
        "C_init": "lecun_normal",
        "clip_eigs": False,
        "bidirectional": False,
    }


class S5:
    """Smith et al. (2023): real ``B`` and ``C`` in the basis of the eigenvectors."""

    def __init__(
        self, *, H, P, Lambda_re_init, Lambda_im_init, V, Vinv, C_init,
        discretization, dt_min, dt_max, conj_sym, clip_eigs, bidirectional,
    ):  # fmt: skip
        assert conj_sym
        assert discretization == "zoh"
        assert Lambda_re_init.shape == (P,), "P is the size after it was halved"
        self.sizes, self.steps = (H, P), (dt_min, dt_max)
        self.A, self.V, self.Vinv = (Lambda_re_init, Lambda_im_init), V, Vinv

    def init(self, key, inputs):
        (H, P), g = self.sizes, key
        B = self.Vinv @ (g.normal(size=(2 * P, H)) / np.sqrt(H))
        C = (g.normal(size=(H, 2 * P)) / np.sqrt(2 * P)) @ self.V
        drawn = {
            "Lambda_re": self.A[0],
            "Lambda_im": self.A[1],
            "B": np.stack([B.real, B.imag], -1),
            "C": np.stack([C.real, C.imag], -1),
            "D": g.normal(size=H),
            "log_step": np.log(log_uniform(g, (P, 1), *self.steps)),
        }
        return {"params": {name: jnp.asarray(value) for name, value in drawn.items()}}


def init_s5(**arguments):
    return lambda: S5(**arguments)


def mamba(g):
    """Gu & Dao (2023): steps are clamped from below before they enter the bias."""

    def build(
        d_model, d_state=16, expand=2, dt_min=0.001, dt_max=0.1, dt_init_floor=1e-4
    ):
        inner, rank = expand * d_model, -(-d_model // 16)
        steps = np.maximum(log_uniform(g, inner, dt_min, dt_max), dt_init_floor)
        rows = rank + 2 * d_state
        return {
            "A_log": np.tile(np.log(np.arange(1.0, d_state + 1)), (inner, 1)),
            "D": np.ones(inner),
            "dt_proj.weight": g.uniform(-1, 1, (inner, rank)) / np.sqrt(rank),
            "dt_proj.bias": inverse_softplus(steps),
            "x_proj.weight": g.uniform(-1, 1, (rows, inner)) / np.sqrt(inner),
        }

    return build


def rglru(g, width, names):
    """De et al. (2024): Gaussian gates of one block, no biases.

    Args:
        g: Generator.
        width: Channels.
        names: Of the decay, and of the gates' weights and biases.
    """
    decay, *gates = names
    shapes = ((1, width, width), (1, width)) * 2
    return {
        decay: np.log(np.expm1(ring(g, width, 0.9, 0.999))),
        **{
            name: g.normal(size=shape) / np.sqrt(width) * (len(shape) == 3)
            for name, shape in zip(gates, shapes, strict=True)
        },
    }
