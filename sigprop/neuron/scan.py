"""The recurrence ``h_t = lam_t h_{t-1} + x_t`` at full speed, with all derivatives.

The states solve the linear equations ``h_t - lam_t h_{t-1} = x_t``.  JAX differentiates
such a solve in forward and reverse mode, to any order: the tangent of the states is the
same recurrence, fed with ``dx_t + dlam_t h_{t-1}``; the transpose runs back in time.

A complex array is stored as its real part followed by its imaginary part, as in
``sigprop.neuron.projections``.  XLA then uses one buffer for a projection and the
recurrence, without a copy.

Notation: a, b  packed arrays (..., parts, n), where parts is 1 if real, 2 if complex.
"""

import functools
from typing import Literal, get_args

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxtyping import Array, Bool, Float, Inexact

from sigprop.neuron.recurrence import step

Method = Literal["auto", "sequential", "chunked", "associative", "kernel", "fft"]
METHODS: tuple[Method, ...] = get_args(Method)
Packed = Float[Array, "..."]

# Steps of a chunk.  Each costs a launch on a GPU, and carries cost one in 32 more.
CHUNK = 32
# On a CPU a step costs some 10 ns beyond its arithmetic and works in the cache; chunks
# read everything twice.  Measured for n = 1 ... 1024 complex states and 2048 or 65536
# steps, chunks took 1.1 to 4 times as long, and 0.7 times only for n = 1 and 65536
# steps; so the loop has no threshold there.
# The two below are for where the kernel does not serve, which moves fewer bytes than all
# of these.  They are reasoned, not measured.  A GPU pays some 4 us a launch: a loop beats
# a tree of 2 log2(time) levels up to 16 steps.  A tree moves about ten times its data,
# chunks four times: at 3 TB/s the six are worth their launches from 64 MiB on.
SHORT_ON_GPU = 16
LARGE_ON_GPU = 2**26  # bytes


def scan_linear(
    lam: Inexact[Array, "*steps n"],
    x: Inexact[Array, "time n"],
    initial: Inexact[Array, " n"] | None = None,
    *,
    resets: Bool[Array, " time"] | None = None,
    method: Method = "auto",
    reverse: bool = False,
) -> Inexact[Array, "time n"]:
    """Run ``h_t = lam_t h_{t-1} + x_t``; return the state after each input.

    The states have the dtype of ``lam * x``.  Forward- and reverse-mode differentiation
    can be nested in any order.  Reverse mode stores only ``lam`` and the states.

    Args:
        lam: Eigenvalues: shape (n,) if they are fixed in time, or (time, n).
        x: Inputs.
        initial: State before the first computed step.  Default: zero.
        resets: True at each step that ignores the state before it, including
            ``initial``, so that ``h_t = x_t``.
        method: ``sequential`` is a loop over time that overwrites inputs by states.
            ``chunked`` runs all chunks of 32 steps in parallel, then adds the effect of
            the state at each chunk's start.  ``associative`` is a parallel prefix scan.
            ``kernel`` is a single CUDA kernel; a CPU interprets it slowly.  ``fft``
            multiplies spectra and needs fixed ``lam`` with ``|lam| <= 1``.  Its rounding
            errors scale with the largest state or power of ``lam`` at every step.
            ``auto`` chooses by device and size.  Only ``sequential`` and ``kernel``
            recover from infinite states at a reset.
        reverse: True to run from the last step to the first.

    Raises:
        ValueError: If the method is unknown or does not support ``resets`` or ``lam`` that
            varies in time; if shapes do not match; if ``initial`` is complex while
            ``lam`` and ``x`` are real; or if ``resets`` are not booleans.
    """
    dtype = jnp.result_type(lam, x)
    _check(lam, x, initial, resets, method)
    if x.shape[0] == 0:
        return x.astype(dtype)
    if method == "auto":
        method = automatic_method(x.shape[0], x.size * dtype.itemsize, _platform())
        if _kernel_serves(dtype, lam.ndim == 2, resets is not None, reverse):
            method = "kernel"
    return _states(method, reverse, lam.astype(dtype), x.astype(dtype), initial, resets)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _states(method: Method, reverse: bool, lam, x, initial, resets):
    """Run the recurrence as one compiled program, if the caller does not use ``jit``."""
    first, rest = (-1, slice(-1)) if reverse else (0, slice(1, None))
    if initial is not None:
        initial = initial if resets is None else jnp.where(resets[first], 0, initial)
        gate = lam if lam.ndim == 1 else lam[first]
        x = x.at[first].add(gate * initial.astype(x.dtype))

    def inputs(h):
        """Return the inputs for which ``h`` are the states."""
        before = h[1:] if reverse else h[:-1]
        if resets is not None:
            before = jnp.where(resets[rest, None], 0, before)
        if lam.ndim == 1:
            # Its transpose sums over time, as a product of matrices faster on a CPU than
            # as XLA's sum over the first axis.
            ones = jnp.ones((before.shape[0], 1), lam.dtype)
            gates = jnp.matmul(ones, lam[None], precision="highest")
        else:
            gates = lam[rest]
        padding = ((0, 1), (0, 0)) if reverse else ((1, 0), (0, 0))
        return h - jnp.pad(gates * before, padding)

    def solve(_, x):
        return unpack(_solve(method, reverse, pack(lam), pack(x), resets))

    def solve_transposed(_, x):
        packed = pack(lam), pack(jnp.conj(x))
        return jnp.conj(unpack(_solve_adjoint(method, reverse, *packed, resets)))

    return lax.custom_linear_solve(inputs, x, solve, solve_transposed)


def scan_linear_reference(
    lam: Inexact[Array, "*steps n"],
    x: Inexact[Array, "time n"],
    initial: Inexact[Array, " n"] | None = None,
    *,
    resets: Bool[Array, " time"] | None = None,
    reverse: bool = False,
) -> Inexact[Array, "time n"]:
    """Run ``h_t = lam_t h_{t-1} + x_t`` by ``lax.scan``, a slow reference for tests.

    The arguments have the same meaning as in ``scan_linear``.

    Raises:
        ValueError: If ``scan_linear`` raises it.
    """
    dtype = jnp.result_type(lam, x)
    _check(lam, x, initial, resets, "sequential")
    gates = jnp.broadcast_to(lam, x.shape).astype(dtype)
    if resets is None:
        resets = jnp.zeros(x.shape[0], bool)
    first = jnp.zeros(x.shape[1], dtype) if initial is None else initial.astype(dtype)

    def body(h, now):
        gate, x_t, reset = now
        h = stream(gate, jnp.where(reset, 0, h), x_t)
        return h, h

    inputs = (gates, x.astype(dtype), resets)
    return lax.scan(body, first, inputs, reverse=reverse)[1]


def stream(
    lam: Inexact[Array, "*shape"],
    h: Inexact[Array, "*shape"],
    x_t: Inexact[Array, "*shape"],
) -> Inexact[Array, "*shape"]:
    """Return the state after one more input, for inference step by step.

    Args:
        lam: Eigenvalues.
        h: State before the input; pass zero to reset.
        x_t: Input.
    """
    return step(lam, h, x_t)


def automatic_method(length: int, size: int, platform: str) -> Method:
    """Choose a method for ``auto``, if the CUDA kernel cannot run.

    Args:
        length: Number of steps.
        size: Size of the states in bytes.
        platform: Platform name of JAX, such as ``cpu``.
    """
    if platform == "cpu" or length <= SHORT_ON_GPU:
        return "sequential"
    return "chunked" if size >= LARGE_ON_GPU else "associative"


def _kernel_serves(dtype, varying: bool, resets: bool, reverse: bool) -> bool:
    if _platform() == "cpu":
        return False
    from sigprop.neuron import gpu_scan

    return gpu_scan.serves(_loop, dtype, varying, resets, reverse)


def _platform() -> str:
    device = jax.config.jax_default_device  # type: ignore[attr-defined]
    return getattr(device, "platform", device) or jax.default_backend()


def _check(lam, x, initial, resets, method) -> None:
    if method not in METHODS:
        raise ValueError(f"need a method in {METHODS}, got {method!r}")
    if lam.shape not in (x.shape, x.shape[1:]):
        raise ValueError(
            f"need lam of shape {x.shape[1:]} or {x.shape}, to go with x, "
            f"got {lam.shape}"
        )
    if initial is not None and initial.shape != x.shape[1:]:
        raise ValueError(f"need initial of shape {x.shape[1:]}, got {initial.shape}")
    real = not (jnp.iscomplexobj(lam) or jnp.iscomplexobj(x))
    if initial is not None and real and jnp.iscomplexobj(initial):
        raise ValueError("need a real initial state where lam and x are real")
    if resets is not None and (
        resets.dtype != jnp.bool_ or resets.shape != x.shape[:1]
    ):
        raise ValueError(
            f"need resets of booleans of shape {x.shape[:1]}, "
            f"got {resets.dtype} of shape {resets.shape}"
        )
    if method == "fft" and (lam.ndim == 2 or resets is not None):
        raise ValueError(
            "method 'fft' needs lam fixed in time and no resets; "
            "use 'auto', 'chunked' or 'associative'"
        )


# Packed arrays.  ``pack`` and ``unpack`` are each other's transposes, up to the conjugate
# in JAX's cotangents; said so, XLA cancels them and keeps the buffer.


def pack(z: Inexact[Array, "*shape n"]) -> Packed:
    """Stack real parts, and imaginary parts if ``z`` is complex, along a new axis.

    The new axis is the second last.
    """
    return pack_p.bind(z) if jnp.iscomplexobj(z) else z[..., None, :]


def unpack(a: Packed) -> Inexact[Array, "*shape n"]:
    """Return the array from which ``pack`` made ``a``."""
    *front, parts, n = a.shape
    if parts == 1:
        return a[..., 0, :]
    return lax.complex(*lax.split(a.reshape(*front, 2 * n), (n, n), len(front)))


def _parts(z):
    parts = jnp.concatenate([z.real, z.imag], -1)
    return parts.reshape(*z.shape[:-1], 2, z.shape[-1])


# A primitive, as JAX transposes real and imaginary parts to a sum of two complex arrays.
pack_p = Primitive("pack")
pack_p.def_impl(jax.jit(_parts))
pack_p.def_abstract_eval(lambda z: jax.typeof(jax.eval_shape(_parts, z)))
mlir.register_lowering(pack_p, mlir.lower_fun(_parts, multiple_results=False))
ad.deflinear(pack_p, lambda ct: [jnp.conj(unpack(ct))])
batching.primitive_batchers[pack_p] = lambda args, axes: (
    pack(jnp.moveaxis(args[0], axes[0], 0)),
    0,
)


def _signs(a):
    """Return +1 for real and -1 for imaginary parts, in a shape that broadcasts with ``a``."""
    return jnp.array([1, -1], a.dtype).reshape((1,) * (a.ndim - 2) + (2, 1))


def _conj(a):
    return a if a.shape[-2] == 1 else _signs(a) * a


def _times(a, b):
    """Return the product.  The flip keeps both parts in one array, updated as a whole."""
    if a.shape[-2] == 1:
        return a * b
    return a[..., :1, :] * b - _signs(b) * a[..., 1:, :] * jnp.flip(b, -2)


def _take(values, t):
    return lax.dynamic_index_in_dim(values, t, 0, keepdims=False)


def _put(values, row, t):
    return lax.dynamic_update_index_in_dim(values, row, t, 0)


# The methods.  Loops work in place: XLA copies nothing as long as a step reads its row
# of the buffer once, before the carry it writes back.  They index rows themselves, since
# ``lax.scan`` under ``vmap`` would transpose its inputs and outputs.


def _sequential(lam, x, resets, reverse, delay):
    """Run the loop; a step to a row uses the gate and reset of ``delay`` rows before."""
    length = x.shape[0]

    def row(k):
        return length - 1 - k if reverse else k

    def body(k, carry):
        h, states = carry
        gate = lam if lam.ndim == 2 else _take(lam, row(k - delay))
        if resets is not None:  # a choice, not a product, so that infinity goes
            h = jnp.where(_take(resets, row(k - delay)), 0, h)
        h = _times(gate, h) + _take(states, row(k))
        return h, _put(states, h, row(k))

    return lax.fori_loop(1, length, body, (x[row(0)], x))[1]


def _chunked(lam, x):
    length, parts, n = x.shape
    num = -(-length // CHUNK)
    padding = ((0, num * CHUNK - length), (0, 0), (0, 0))
    states = jnp.pad(x, padding).reshape(num, CHUNK, parts, n)
    if lam.ndim == 2:
        gates = jnp.broadcast_to(lam, (1, CHUNK, parts, n))
    else:
        gates = jnp.pad(lam, padding).reshape(num, CHUNK, parts, n)

    def body(k, carry):
        h, product, states, products = carry
        gate = lax.dynamic_index_in_dim(gates, k, 1, keepdims=False)
        h = _times(gate, h) + lax.dynamic_index_in_dim(states, k, 1, keepdims=False)
        product = _times(gate, product)
        return (
            h,
            product,
            lax.dynamic_update_index_in_dim(states, h, k, 1),
            lax.dynamic_update_index_in_dim(products, product, k, 1),
        )

    identity = jnp.zeros_like(gates[:, 0]).at[:, 0].set(1)
    zero = jnp.zeros_like(states[:, 0])
    ends, product, states, products = lax.fori_loop(
        0, CHUNK, body, (zero, identity, states, jnp.zeros_like(gates))
    )
    carries = _associative(jnp.broadcast_to(product, ends.shape), ends)
    starts = jnp.concatenate([jnp.zeros_like(carries[:1]), carries[:-1]])
    states = states + _times(products, starts[:, None])
    return states.reshape(num * CHUNK, parts, n)[:length]


def _associative(lam, x):
    def combine(first, second):
        gate_1, value_1 = first
        gate_2, value_2 = second
        return _times(gate_2, gate_1), _times(gate_2, value_1) + value_2

    gates = jnp.broadcast_to(lam, x.shape)
    return lax.associative_scan(combine, (gates, x))[1]


def _fft(lam, x):
    length = x.shape[0]
    x = unpack(x)
    power = unpack(lam)[None]
    kernel = jnp.ones_like(power)
    while kernel.shape[0] < length:
        kernel, power = jnp.concatenate([kernel, kernel * power]), power**2
    kernel, size = kernel[:length], 2 ** (2 * length - 1).bit_length()
    if jnp.iscomplexobj(x):
        spectrum = jnp.fft.fft(kernel, size, 0) * jnp.fft.fft(x, size, 0)
        return pack(jnp.fft.ifft(spectrum, size, 0)[:length])
    spectrum = jnp.fft.rfft(kernel, size, 0) * jnp.fft.rfft(x, size, 0)
    return pack(jnp.fft.irfft(spectrum, size, 0)[:length])


def _loop(lam, x, resets, *, reverse, adjoint):
    lam = _conj(lam) if adjoint else lam
    return _sequential(lam, x, resets, reverse, int(adjoint))


def _kernel(lam, x, resets, *, reverse, adjoint):
    from sigprop.neuron import gpu_scan

    return gpu_scan.solve(lam, x, resets, reverse=reverse, adjoint=adjoint)


STEPWISE = {"sequential": _loop, "kernel": _kernel}
PARALLEL = {"chunked": _chunked, "associative": _associative, "fft": _fft}


def _solve(method, reverse, lam, x, resets):
    """Solve ``h_t - lam_t h_{t-1} = x_t`` for packed states."""
    if method in STEPWISE:
        return STEPWISE[method](lam, x, resets, reverse=reverse, adjoint=False)
    gates, x = _flip(reverse, _gates(lam, resets), x)
    return _flip(reverse, PARALLEL[method](gates, x))[0]


def _solve_adjoint(method, reverse, lam, x, resets):
    """Solve the adjoint equations ``g_t - conj(lam_{t+1}) g_{t+1} = x_t``, packed."""
    if method in STEPWISE:
        return STEPWISE[method](lam, x, resets, reverse=not reverse, adjoint=True)
    gates = _conj(_gates(lam, resets))
    if gates.ndim == 3:
        gates = jnp.roll(gates, 1 if reverse else -1, 0)
    gates, x = _flip(not reverse, gates, x)
    return _flip(not reverse, PARALLEL[method](gates, x))[0]


def _gates(lam, resets):
    """Return eigenvalues with zeros at the resets; with resets, there is a row per step."""
    if resets is None:
        return lam
    rows = lam if lam.ndim == 3 else lam[None]
    return jnp.where(resets[:, None, None], 0, rows)


def _flip(reverse, *arrays):
    """Reverse the time axis of arrays that have one, if ``reverse`` is True."""
    return [a[::-1] if reverse and a.ndim == 3 else a for a in arrays]
