"""S5 and S4D, with continuous eigenvalues and a step size for each state or channel."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.s4d import S4D
from sigprop.layers.s5 import S5
from sigprop.networks.foreign.family import Arrays, Family, Options, Rest, Spelling


def _rest(arrays: Arrays, options: Options) -> Rest:
    dt = np.exp(arrays["log_dt"])
    rows = dt.shape[0] if arrays["re"].ndim == 2 else 1
    wide = dt[:, None] if arrays["re"].ndim == 2 else dt
    return Rest(
        nu=(-arrays["re"] * wide).reshape(rows, -1),
        theta=(arrays["im"] * wide).reshape(rows, -1),
        steps=dt,
        shared=True,
    )


def halved(im: np.ndarray, options: Options) -> bool:
    """Return True if the file stores one eigenvalue of each conjugate pair.

    All phases then have one sign.

    Raises:
        ValueError: If phases have both signs but form no pairs, and the option
            ``conjugate`` is not set.
    """
    if "conjugate" in options:
        return bool(options["conjugate"])
    if (im >= 0).all() or (im <= 0).all():
        return True
    if np.allclose(np.sort(im), np.sort(-im), rtol=1e-3, atol=1e-4):
        return False
    raise ValueError(
        f"need Lambda_im of shape {im.shape} of one sign or in pairs to know whether half "
        "of the conjugate pairs of S5 is kept, got neither; say it by `options = "
        "{conjugate = true}` or false in a mapping"
    )


def _s5_layer(arrays: Arrays, options: Options) -> S5:
    missing = {"B_re", "B_im", "C_re", "C_im", "D"} - set(arrays)
    if missing:
        raise ValueError(f"need B, C and D for S5, got none of {sorted(missing)}")
    conjugate = options["conjugate"]
    re = jnp.asarray(arrays["re"])
    clipped = jnp.minimum(re, -1e-4) if options.get("clip_eigs") else re
    return S5(
        log_neg_re=jnp.log(-clipped),
        im=jnp.asarray(arrays["im"]),
        log_dt=jnp.asarray(arrays["log_dt"]),
        **{
            name: jnp.asarray(arrays[name]) for name in ("B_re", "B_im", "C_re", "C_im")
        },
        D=jnp.asarray(arrays["D"]),
        conjugate=bool(conjugate),
        discretisation=options.get("discretisation", "zoh"),
    )


def _s4d_layer(arrays: Arrays, options: Options) -> S4D:
    if "C_re" not in arrays:
        raise ValueError("need C for S4D, got none")
    channels = arrays["log_dt"].shape[0]
    return S4D(
        jnp.log(-jnp.asarray(arrays["re"])),
        jnp.asarray(arrays["im"]),
        jnp.asarray(arrays["log_dt"]),
        jnp.asarray(arrays["C_re"]),
        jnp.asarray(arrays["C_im"]),
        jnp.asarray(arrays.get("D", jnp.zeros(channels))),
        options.get("discretisation", "zoh"),
    )


def _pairs(arrays: Arrays, name: str, axis: int) -> dict[str, Any]:
    if name not in arrays:
        return {}
    value, role = arrays[name], name[0]
    if axis == 0:
        return {f"{role}_re": value[0], f"{role}_im": value[1]}
    return {f"{role}_re": value[..., 0], f"{role}_im": value[..., 1]}


def _present(arrays: Arrays, **roles: str) -> dict[str, Any]:
    return {role: arrays[name] for role, name in roles.items() if name in arrays}


def _s5_roles(arrays: Arrays) -> Arrays:
    out = _present(arrays, re="Lambda_re", im="Lambda_im", D="D", log_dt="log_dt")
    if "log_step" in arrays:
        out["log_dt"] = arrays["log_step"].reshape(-1)
    for name, axis in (("B", -1), ("C", -1), ("B_comps", 0), ("C_comps", 0)):
        out |= _pairs(arrays, name, axis)
    return out


def _s5_complex(arrays: Arrays) -> Arrays:
    out = _present(arrays, D="D")
    out |= {"re": arrays["Lambda"].real, "im": arrays["Lambda"].imag}
    out["log_dt"] = arrays["log_step"].reshape(-1)
    for name in set(arrays) & {"B", "C"}:
        out |= {f"{name}_re": arrays[name].real, f"{name}_im": arrays[name].imag}
    return out


def _ours(arrays: Arrays) -> Arrays:
    names = ("im", "log_dt", "B_re", "B_im", "C_re", "C_im", "D")
    decay = arrays["log_neg_re"]
    re = -(jnp.exp(decay) if not isinstance(decay, np.ndarray) else np.exp(decay))
    return {"re": re, **_present(arrays, **{name: name for name in names})}


def _s4d_roles(arrays: Arrays) -> Arrays:
    decay = arrays["log_A_real"]
    re = -(jnp.exp(decay) if not isinstance(decay, np.ndarray) else np.exp(decay))
    out = {"re": re, **_present(arrays, im="A_imag", log_dt="log_dt", D="D")}
    return out | _pairs(arrays, "C", -1)


S5_FAMILY = Family(
    "s5",
    "S5",
    (
        Spelling(
            "lindermanlab/S5",
            {"Lambda_re": "p", "Lambda_im": "p", "log_step": "p 1 | p"},
            {
                "B": "p h 2",
                "C": "h p 2 | h 2p 2",
                "C1": "h p 2",
                "C2": "h p 2",
                "D": "h",
            },
            roles=_s5_roles,
            slow=("Lambda_re", "Lambda_im", "log_step"),
            decay=("Lambda_re", "log_step"),
            logs=("log_step",),
        ),
        Spelling(
            "long-range-models",
            {"Lambda_re": "p", "Lambda_im": "p", "log_dt": "p"},
            {"B_comps": "2 p h", "C_comps": "2 h p", "D": "h"},
            roles=_s5_roles,
            slow=("Lambda_re", "Lambda_im", "log_dt"),
            decay=("Lambda_re", "log_dt"),
            logs=("log_dt",),
        ),
        Spelling(
            "s5-pytorch",
            {"Lambda": "p", "log_step": "p 1 | p"},
            {"B": "p h", "C": "h p", "D": "h"},
            roles=_s5_complex,
            slow=("Lambda", "log_step"),
            decay=("Lambda", "log_step"),
            logs=("log_step",),
        ),
        Spelling(
            "sigprop",
            {"log_neg_re": "p", "im": "p", "log_dt": "p"},
            {
                **dict.fromkeys(("B_re", "B_im"), "p h"),
                **dict.fromkeys(("C_re", "C_im"), "h p"),
                "D": "h",
            },
            roles=_ours,
            slow=("log_neg_re", "im", "log_dt"),
            decay=("log_neg_re", "log_dt"),
            logs=("log_neg_re", "log_dt"),
        ),
    ),
    _rest,
    _s5_layer,
    ("s5",),
    options=("conjugate", "clip_eigs", "discretisation"),
    step="exp",
)

S4D_FAMILY = Family(
    "s4d",
    "S4D",
    (
        Spelling(
            "state-spaces",
            {"log_A_real": "h n", "A_imag": "h n", "log_dt": "h"},
            {"C": "h n 2", "D": "h"},
            roles=_s4d_roles,
            slow=("log_A_real", "A_imag", "log_dt"),
            decay=("log_A_real", "log_dt"),
            logs=("log_A_real", "log_dt"),
        ),
        Spelling(
            "sigprop",
            {"log_neg_re": "h n", "im": "h n", "log_dt": "h"},
            {**dict.fromkeys(("C_re", "C_im"), "h n"), "D": "h"},
            roles=_ours,
            slow=("log_neg_re", "im", "log_dt"),
            decay=("log_neg_re", "log_dt"),
            logs=("log_neg_re", "log_dt"),
        ),
    ),
    _rest,
    _s4d_layer,
    ("s4d",),
    options=("discretisation",),
    step="exp",
)
