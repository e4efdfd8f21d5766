"""Initialisations as their authors draw them, in NumPy, with the names of their libraries.

Each is a function of a generator; sources are named in ``sigprop.networks.foreign``.
"""

import numpy as np


def f4(**arrays):
    return {
        name.replace("__", "."): np.asarray(array, np.float32)
        for name, array in arrays.items()
    }


def ring(g, n, low=0.0, high=1.0):
    return -0.5 * np.log(g.uniform(low**2, high**2, n))


def minimal_lru(g, n=128, d=16, low=0.0, high=1.0, phase=2 * np.pi):
    nu = ring(g, n, low, high)
    return f4(
        nu_log=np.log(nu),
        theta_log=np.log(g.uniform(0, phase, n)),
        gamma_log=0.5 * np.log(-np.expm1(-2 * nu)),
        B_re=g.normal(size=(n, d)) / np.sqrt(2 * d),
        B_im=g.normal(size=(n, d)) / np.sqrt(2 * d),
        C_re=g.normal(size=(d, n)) / np.sqrt(n),
        C_im=g.normal(size=(d, n)) / np.sqrt(n),
        D=g.normal(size=d),
    )


def long_lru(g):
    return minimal_lru(g, low=0.9, high=0.999, phase=np.pi / 10)


def log_uniform(g, size, low=0.001, high=0.1):
    return np.exp(g.uniform(np.log(low), np.log(high), size))


def inverse_softplus(y):
    return y + np.log(-np.expm1(-y))


def legs(pairs):
    k = np.arange(pairs)
    return 2 * pairs / np.pi * (2 * pairs / (2 * k + 1) - 1)


def s5(g, p=64, h=8):
    return f4(
        Lambda_re=np.full(p, -0.5),
        Lambda_im=legs(p),
        log_step=np.log(log_uniform(g, (p, 1))),
        B=g.normal(size=(p, h, 2)),
        C=g.normal(size=(h, p, 2)),
        D=g.normal(size=h),
    )


def s4d(im):
    def draw(g, h=64):
        n = len(im)
        return f4(
            log_A_real=np.full((h, n), np.log(0.5)),
            A_imag=np.tile(im, (h, 1)),
            log_dt=np.log(log_uniform(g, h)),
            C=g.normal(size=(h, n, 2)),
            D=g.normal(size=h),
        )

    return draw


def rotrnn(g, heads=8, size=16, d=8):
    gamma = g.uniform(np.log(-np.log(0.999)), np.log(-np.log(0.9)), heads)
    return f4(
        theta_log=np.log(g.uniform(0, 2 * np.pi, (heads * size // 2, 1))),
        gamma_log=gamma,
        P=g.normal(size=(heads * size, size)),
        B=g.normal(size=(heads * size, d)),
        C=g.normal(size=(d, heads * size)),
        D=g.normal(size=d),
    )


def rglru(g, width=128, heads=4, power=8):
    """As Griffin's paper: ``a^8`` on the ring; with ``power=1``, as many codes: ``a``."""
    rate = ring(g, width, 0.9, 0.999) / power
    size = width // heads
    return f4(
        a_param=np.log(np.expm1(rate)),
        a_gate__w=g.normal(size=(heads, size, size)) / np.sqrt(size),
        a_gate__b=np.zeros((heads, size)),
        input_gate__w=g.normal(size=(heads, size, size)) / np.sqrt(size),
        input_gate__b=np.zeros((heads, size)),
    )


def mamba1(g, d=96, n=16, rank=6):
    bound = rank**-0.5
    return f4(
        A_log=np.log(np.tile(np.arange(1, n + 1), (d, 1))),
        D=np.ones(d),
        dt_proj__weight=g.uniform(-bound, bound, (d, rank)),
        dt_proj__bias=inverse_softplus(log_uniform(g, d)),
        x_proj__weight=g.normal(size=(rank + 2 * n, d)),
    )


def mamba2(g, heads=24):
    return f4(
        A_log=np.log(g.uniform(1, 16, heads)),
        D=np.ones(heads),
        dt_bias=inverse_softplus(log_uniform(g, heads)),
        in_proj__weight=g.normal(size=(5 * heads, 12)),
    )


def gated_deltanet(g, heads=16):
    return f4(
        A_log=np.log(g.uniform(0, 16, heads)),
        dt_bias=inverse_softplus(log_uniform(g, heads)),
        a_proj__weight=g.normal(size=(heads, 12)),
        b_proj__weight=g.normal(size=(heads, 12)),
    )


def rwkv4(g, width=128):
    depth = g.uniform()  # of the layer in the stack
    h = np.arange(width) / (width - 1)
    return f4(
        time_decay=-5 + 8 * h ** (0.7 + 1.3 * depth),
        time_first=np.full(width, np.log(0.3)),
    )


def torch_unit(gates, bias):
    def draw(g, n=64, d=8):
        bound = n**-0.5
        uniform = {
            "weight_ih_l0": (gates * n, d),
            "weight_hh_l0": (gates * n, n),
            "bias_ih_l0": (gates * n,),
            "bias_hh_l0": (gates * n,),
        }
        arrays = {
            name: g.uniform(-bound, bound, size) for name, size in uniform.items()
        }
        if bias is not None:
            arrays["bias_ih_l0"][n : 2 * n] = np.log(g.uniform(*bias, n))
        return f4(**arrays)

    return draw


HEALTHY = {
    "minimal-LRU": minimal_lru,
    "LRU for long sequences": long_lru,
    "S5": s5,
    "S4D-Lin": s4d(np.pi * np.arange(32)),
    "S4D-Inv": s4d(legs(32)),
    "RotRNN": rotrnn,
    "Griffin": rglru,
    "Mamba-1": mamba1,
    "Mamba-2": mamba2,
    "gated DeltaNet": gated_deltanet,
    "RWKV-4": rwkv4,
    "PyTorch GRU": torch_unit(3, None),
    "chrono LSTM": torch_unit(4, (10, 1000)),
}
