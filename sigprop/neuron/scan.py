"""The recurrence ``h_t = lam_t h_{t-1} + x_t`` at full speed, with its own derivative.

``sigprop.neuron.recurrence`` holds the definition and is what forward-mode derivatives go
through; this is the same map for full models.  A complex array is worked on as its real
part followed by its imaginary part, as ``sigprop.neuron.projections`` makes and takes it: XLA
then passes one buffer from a projection to the recurrence and on, without a copy.

Notation: a, b  packed arrays (..., parts, n), parts 1 if real and 2 if complex;
g  cotangent of a state, its effect on all later states included.
"""

import functools
from typing import Literal, get_args

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Inexact

from sigprop.neuron.recurrence import step

Method = Literal["auto", "sequential", "chunked", "associative", "fft"]
METHODS: tuple[Method, ...] = get_args(Method)
Packed = Float[Array, "..."]

# Steps of a chunk.  Each costs a launch on a GPU, and carries cost one in 32 more.
CHUNK = 32
# On a CPU a step costs some 10 ns beyond its arithmetic and works in the cache; chunks
# read everything twice.  Measured for n = 1 ... 1024 complex states and 2048 or 65536
# steps, chunks took 1.1 to 4 times as long, and 0.7 times only for n = 1 and 65536
# steps; so the loop has no threshold there.
# The two below are reasoned, not measured.  A GPU pays some 4 us a launch: a loop beats
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
    """Run ``h_t = lam_t h_{t-1} + x_t``; return the states, one for every input.

    The dtype is that of ``lam * x``; no inputs make no states.  Gradients by ``grad`` and
    ``vjp`` keep ``lam`` and the states, nothing else.  Forward mode (``jvp``, and with
    it ``hessian``) is refused by JAX: use ``scan_linear_reference`` for it.

    Args:
        lam: Eigenvalues: ``(n,)`` fixed, or ``(time, n)``, one row a step.
        x: Inputs.
        initial: State before the first step taken; zero if left out.
        resets: Where true, the state before the step is forgotten, ``initial`` too:
            ``h_t = x_t``.
        method: ``sequential`` is a loop in time that turns inputs into states in place;
            ``chunked`` runs all chunks of 32 steps at once, then corrects them by their
            carries; ``associative`` is a tree; ``fft`` multiplies spectra, for fixed
            ``lam``: its rounding errors are of the size of the largest state or power
            of ``lam`` at every step, so it wants ``|lam| <= 1``, and powers that
            overflow leave no finite state.  ``auto`` chooses by device and size.
            Only ``sequential`` forgets infinite states at a reset.
        reverse: Whether to run from the last step to the first.

    Raises:
        ValueError: If the method is unknown or cannot do what is asked, the shapes do
            not belong together, a real recurrence is to start from a complex state, or
            ``resets`` are not booleans.
    """
    dtype = jnp.result_type(lam, x)
    _check(lam, x, initial, resets, method)
    if x.shape[0] == 0:
        return x.astype(dtype)
    if initial is None:
        initial = jnp.zeros(x.shape[1], dtype)
    if method == "auto":
        method = automatic_method(x.shape[0], x.size * dtype.itemsize, _platform())
    return _packed_scan(method, reverse, lam, x, initial, resets)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _packed_scan(method: Method, reverse: bool, lam, x, initial, resets):
    """One program, where a caller runs operation by operation."""
    dtype = jnp.result_type(lam, x)
    packed = [pack(values.astype(dtype)) for values in (lam, x, initial)]
    return unpack(_scan(method, reverse, *packed, resets))


def scan_linear_reference(
    lam: Inexact[Array, "*steps n"],
    x: Inexact[Array, "time n"],
    initial: Inexact[Array, " n"] | None = None,
    *,
    resets: Bool[Array, " time"] | None = None,
    reverse: bool = False,
) -> Inexact[Array, "time n"]:
    """Run ``h_t = lam_t h_{t-1} + x_t`` in a plain scan: all derivatives, and slow.

    Raises:
        ValueError: As ``scan_linear``.
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
    """The state after one more input, for inference; pass a zero ``h`` to reset."""
    return step(lam, h, x_t)


def automatic_method(length: int, size: int, platform: str) -> Method:
    """Method that ``auto`` means, by steps, bytes in all and platform."""
    if platform == "cpu" or length <= SHORT_ON_GPU:
        return "sequential"
    return "chunked" if size >= LARGE_ON_GPU else "associative"


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


# Packed arrays.  The derivatives of the two conversions are each other, up to the
# conjugate in JAX's cotangents; said so, XLA cancels them and keeps the buffer.


@jax.custom_vjp
def pack(z: Inexact[Array, "*shape n"]) -> Packed:
    """Real parts, then imaginary parts if there are any, along a new last axis but one."""
    if not jnp.iscomplexobj(z):
        return z[..., None, :]
    parts = jnp.concatenate([z.real, z.imag], -1)
    return parts.reshape(*z.shape[:-1], 2, z.shape[-1])


@jax.custom_vjp
def unpack(a: Packed) -> Inexact[Array, "*shape n"]:
    """Undo ``pack``."""
    *front, parts, n = a.shape
    if parts == 1:
        return a[..., 0, :]
    flat = a.reshape(*front, 2 * n)
    return lax.complex(flat[..., :n], flat[..., n:])


pack.defvjp(lambda z: (pack(z), None), lambda _, a: (jnp.conj(unpack(a)),))
unpack.defvjp(lambda a: (unpack(a), None), lambda _, z: (pack(jnp.conj(z)),))


def _signs(a):
    """Plus one for real parts and minus one for imaginary ones, shaped to meet ``a``."""
    return jnp.array([1, -1], a.dtype).reshape((1,) * (a.ndim - 2) + (2, 1))


def _conj(a):
    return a if a.shape[-2] == 1 else _signs(a) * a


def _times(a, b):
    """Product.  The flip keeps both parts in one array, updated as a whole."""
    if a.shape[-2] == 1:
        return a * b
    return a[..., :1, :] * b - _signs(b) * a[..., 1:, :] * jnp.flip(b, -2)


def _take(values, t):
    return lax.dynamic_index_in_dim(values, t, 0, keepdims=False)


def _put(values, row, t):
    return lax.dynamic_update_index_in_dim(values, row, t, 0)


def _forget(resets, t, row):
    """The row, or zero at a reset: a choice, not a product, so that infinity goes."""
    return row if resets is None else jnp.where(_take(resets, t), 0, row)


# The methods.  Loops work in place: XLA copies nothing as long as a step reads its row
# of the buffer once, before the carry it writes back.  They index rows themselves, since
# ``lax.scan`` under ``vmap`` would transpose its inputs and outputs.


def _sequential(lam, x, initial, resets, reverse):
    length = x.shape[0]

    def body(k, carry):
        h, states = carry
        t = length - 1 - k if reverse else k
        gate = lam if lam.ndim == 2 else _take(lam, t)
        h = _forget(resets, t, _times(gate, h)) + _take(states, t)
        return h, _put(states, h, t)

    return lax.fori_loop(0, length, body, (initial, x))[1]


def _sequential_vjp(lam, h, initial, resets, ct, reverse):
    """Cotangents of states and ``initial``, and of ``lam`` where it is fixed.

    Products of ``lam``'s cotangent use the ``g`` carried, of the step after: were they
    to read this step's, XLA would read the buffer again after it is overwritten, and
    copy it at every step.
    """
    length, fixed = h.shape[0], lam.ndim == 2
    forth = -1 if reverse else 1
    first, last = (length - 1, 0) if reverse else (0, length - 1)

    def back(g, t):
        gate = lam if fixed else _take(lam, t)
        return _forget(resets, t, _times(_conj(gate), g))

    def slope(g, before, t):
        return _forget(resets, t, _times(_conj(before), g)) if fixed else None

    def body(k, carry):
        g, buffer, total = carry
        t = last - forth * (k + 1)
        if fixed:
            total = total + slope(g, _take(h, t), t + forth)
        g = back(g, t + forth) + _take(buffer, t)
        return g, _put(buffer, g, t), total

    carry = (ct[last], ct, jnp.zeros_like(lam) if fixed else None)
    g, buffer, total = lax.fori_loop(0, length - 1, body, carry)
    if fixed:
        total = total + slope(g, initial, first)
    return total, buffer, back(g, first)


def _chunked(lam, x, initial):
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
    carries = _associative(jnp.broadcast_to(product, ends.shape), ends, initial)
    starts = jnp.concatenate([initial[None], carries[:-1]])
    states = states + _times(products, starts[:, None])
    return states.reshape(num * CHUNK, parts, n)[:length]


def _associative(lam, x, initial):
    def combine(first, second):
        gate_1, value_1 = first
        gate_2, value_2 = second
        return _times(gate_2, gate_1), _times(gate_2, value_1) + value_2

    gates = jnp.broadcast_to(lam, x.shape)
    x = x.at[0].add(_times(gates[0], initial))
    return lax.associative_scan(combine, (gates, x))[1]


def _fft(lam, x, initial):
    length = x.shape[0]
    x = unpack(x.at[0].add(_times(lam, initial)))
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


PARALLEL = {"chunked": _chunked, "associative": _associative, "fft": _fft}


def _gates(lam, resets):
    """Eigenvalues with zeros at the resets, a row a step if there are any."""
    if resets is None:
        return lam
    rows = lam if lam.ndim == 3 else lam[None]
    return jnp.where(resets[:, None, None], 0, rows)


def _flip(reverse, *arrays):
    """Turn back in time what has a time axis, if asked to."""
    return [a[::-1] if reverse and a.ndim == 3 else a for a in arrays]


def _states(method, reverse, lam, x, initial, resets):
    """All states, by operations that JAX differentiates itself."""
    if method == "sequential":
        return _sequential(lam, x, initial, resets, reverse)
    gates, x = _flip(reverse, _gates(lam, resets), x)
    return _flip(reverse, PARALLEL[method](gates, x, initial))[0]


_scan = jax.custom_vjp(_states, nondiff_argnums=(0, 1))


def _scan_fwd(method, reverse, lam, x, initial, resets):
    # Not _scan: what it calls could be differentiated in reverse only, and not in a loop.
    h = _states(method, reverse, lam, x, initial, resets)
    return h, (lam, h, initial, resets)


def _scan_bwd(method, reverse, residuals, ct):
    lam, h, initial, resets = residuals
    if method == "sequential":
        total, g, ct_initial = _sequential_vjp(lam, h, initial, resets, ct, reverse)
        if total is not None:
            return total, g, ct_initial, None
        h, g = _flip(reverse, h, g)
    else:
        gates, h, ct = _flip(reverse, _gates(lam, resets), h, ct)
        later = jnp.roll(gates, -1, 0) if gates.ndim == 3 else gates
        turned = _flip(True, _conj(later), ct)
        g = PARALLEL[method](*turned, jnp.zeros_like(initial))[::-1]
        gate = gates if gates.ndim == 2 else gates[0]
        ct_initial = _times(_conj(gate), g[0])
    before = jnp.concatenate([initial[None], h[:-1]])
    slopes, g = _flip(reverse, _times(_conj(before), g), g)
    slopes = slopes if resets is None else jnp.where(resets[:, None, None], 0, slopes)
    return slopes if lam.ndim == 3 else slopes.sum(0), g, ct_initial, None


_scan.defvjp(_scan_fwd, _scan_bwd)
