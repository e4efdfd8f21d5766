"""Learn a linear recurrent teacher from its outputs, with the exact loss or a sampled one.

The loss is ``L = 1/(2 T) sum_t E |y_t - y*_t|^2`` over stationary inputs of ``T`` steps.
Let ``d_j`` be the difference of the impulse responses of student and teacher at age ``j``.
Both are linear, so ``L = 1/(2 T) sum_jk n(j, k) R(j - k) <d_j, d_k>``.  The factor
``n(j, k) = max(0, T - max(j, k, 0) + min(j, k, 0))`` counts the steps at which inputs of
both ages exist.  For white inputs, ``L = 1/(2 T) sum_j (T - |j|) |d_j|^2``.

Source: Zucchet & Orvieto (2024), Section 4.2 and Appendix A.1, C.3; the quadratic form
is ours.
"""

import math
from typing import Any, Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.inputs import White
from sigprop.layers.base import Layer
from sigprop.layers.dense import LinearRNN, linear_rnn
from sigprop.layers.initialisers import require_sizes
from sigprop.linear.covariances import require_autocovariance, require_process
from sigprop.linear.impulse_response import kernel
from sigprop.linear.infinite_loss import stationary_loss, stationary_target
from sigprop.numerics.arguments import require_count


@runtime_checkable
class Stationary(Protocol):
    """Protocol of a stationary input; the processes of ``sigprop.inputs`` follow it."""

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = ...
    ) -> Float[Array, "num length"]:
        """Draw ``num`` independent sequences of ``length`` steps."""
        ...

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """The autocovariance ``R(lag) = E x_{t+lag} x_t``."""
        ...


TEACHER_SIZE = 10  # hidden neurons, Appendix C.3


@final
class TeacherStudent(eqx.Module):
    """The task of learning the outputs of a linear teacher; see ``teacher_student``.

    ``loss(student)`` is the exact expected loss: half the squared error, summed over
    the outputs and averaged over the steps.
    ``loss(student, key, batch)`` is the mean loss of ``batch`` sampled sequences.  Its
    expectation is the exact loss.

    Attributes:
        teacher: Linear layer whose outputs the student learns.
        target: The teacher's impulse response if ``length`` is given, otherwise its
            modes (eigenvalues and their weights).
        process: Stationary process of each input channel; channels are independent.
        length: Number of steps of a sequence, or None for the limit of infinitely many
            steps.

    Example:
        The teacher itself has a loss of zero:

        >>> teacher = linear_teacher(jax.random.key(0), nu0=0.9, size=2)
        >>> task = teacher_student(teacher, length=20)
        >>> task.teacher.state_size, float(abs(task.loss(teacher)).round(3))
        (2, 0.0)
    """

    teacher: Layer
    target: Any
    process: Stationary = eqx.field(static=True)
    length: int | None = eqx.field(static=True)

    def loss(
        self, student: Layer, key: PRNGKeyArray | None = None, batch: int | None = None
    ) -> Float[Array, ""]:
        """The loss of a student: exact expectation, or mean over sampled sequences.

        Args:
            student: Layer with as many input channels and outputs as the teacher.
            key: Random key of the sampled inputs.  Default: none, which gives the exact
                loss.
            batch: Number of sampled sequences.  Default: none, which gives the exact
                loss.

        Raises:
            ValueError: If only one of ``key`` and ``batch`` is given, or if
                ``population`` or ``sampled`` does not accept the student.
        """
        if (key is None) != (batch is None):
            raise ValueError(
                "need a key and a batch for the sampled loss, or neither for the exact one"
            )
        if key is None or batch is None:
            return self.population(student)
        return self.sampled(student, key, batch)

    def population(self, student: Layer) -> Float[Array, ""]:
        """The exact expected loss of a linear student, from impulse responses or modes.

        Raises:
            ValueError: If the student is not linear; if its number of inputs or outputs
                differs from the teacher's; if sequences are infinitely long and the
                student is not causal.
        """
        self._require_widths(student)
        if self.length is None:
            return stationary_loss(student, self.target, self.process)
        return expected_loss(
            _two_sided(kernel(student, self.length), self.target),
            self.process,
            self.length,
        )

    def sampled(
        self, student: Layer, key: PRNGKeyArray, batch: int
    ) -> Float[Array, ""]:
        """The mean loss of a student over a batch of sampled sequences.

        Args:
            student: Layer with as many input channels and outputs as the teacher.
            key: Random key of the inputs.
            batch: Number of sequences.

        Raises:
            ValueError: If the task has no finite length; if ``batch`` is below one; if
                the student's number of inputs or outputs differs from the teacher's.
        """
        self._require_widths(student)
        if self.length is None or batch < 1:
            raise ValueError(
                "need a finite length and at least one sequence to sample, got "
                f"length={self.length}, {batch=}"
            )
        width = self.teacher.widths[0]
        dtype = jax.tree.leaves(self.teacher)[0].dtype
        x = self.process.sample(key, batch * width, self.length, dtype)
        u = jnp.moveaxis(x.reshape(batch, width, self.length), 1, 2)
        error = jax.vmap(student)(u) - jax.vmap(self.teacher)(u)
        return jnp.sum(error**2) / (2 * batch * self.length)

    def _require_widths(self, student: Layer) -> None:
        if student.widths != self.teacher.widths:
            raise ValueError(
                f"need a student of widths (d_in, d_out) = {self.teacher.widths}, got "
                f"{student.widths}"
            )


def teacher_student(
    teacher: Layer, process: Stationary | None = None, length: int | None = 300
) -> TeacherStudent:
    """Make the task of learning the outputs of a linear teacher.

    Args:
        teacher: A causal linear layer.  It must be stable if ``length`` is None.
        process: Input process of mean zero, with the methods ``sample`` and
            ``autocovariance`` of ``sigprop.inputs``.  Default: white noise of variance 1.
        length: Number of steps of a sequence, at least two, or None for infinitely
            many.

    Raises:
        ValueError: If the teacher is not causal and linear; if ``length`` is below two;
            if ``process`` lacks the method ``sample`` or ``autocovariance``, or its
            autocovariance is not positive semi-definite.  With ``length=None``, also if
            the teacher is not stable, or the process is not White, AR1, Constant, Mixed
            or MovingAverage.

    Example:
        The loss of five sampled sequences is one number:

        >>> teacher = linear_teacher(jax.random.key(0), nu0=0.9, size=2)
        >>> task = teacher_student(teacher, length=20)
        >>> task.loss(teacher, jax.random.key(1), 5).shape
        ()
    """
    if not (teacher.causal and teacher.linear):
        raise ValueError(
            f"need a causal linear teacher, got {type(teacher).__name__}: the exact "
            "loss knows it by its impulse response"
        )
    if length is not None:
        length = require_count("length", length, least=2)
    chosen = White() if process is None else process
    require_process(chosen)
    if length is not None:
        _covariances(chosen, length)
    target = (
        stationary_target(teacher, chosen)
        if length is None
        else kernel(teacher, length)
    )
    return TeacherStudent(teacher, target, chosen, length)


def linear_teacher(
    key: PRNGKeyArray,
    *,
    nu0: float,
    theta0: float = math.pi,
    size: int = TEACHER_SIZE,
    d_in: int = 1,
    d_out: int = 1,
) -> LinearRNN:
    """Draw a random linear teacher whose eigenvalues have moduli in ``[nu0, 1)``.

    Args:
        key: Random key.
        nu0: Smallest modulus of an eigenvalue, ``0 <= nu0 < 1``.
        theta0: Largest phase of a complex eigenvalue in radians, ``0 < theta0 <= pi``.
            Negative real eigenvalues have phase ``pi``.
        size: Size of the state, i.e. the number of eigenvalues.
        d_in: Number of input channels.
        d_out: Number of outputs.

    Raises:
        ValueError: If a size is below one, or if ``nu0`` or ``theta0`` is out of range.

    Source: Zucchet & Orvieto (2024), Appendix A.1.

    Example:
        Rounding may put a modulus slightly below ``nu0``:

        >>> teacher = linear_teacher(jax.random.key(0), nu0=0.9, size=4)
        >>> bool((abs(teacher.eigenvalues()) > 0.89).all())
        True
    """
    require_sizes(size=size, d_in=d_in, d_out=d_out)
    return linear_rnn(size, d_in, key=key, d_out=d_out, nu0=nu0, theta0=theta0)


def expected_loss(
    difference: Float[Array, "ages d_out d_in"], process: Stationary, length: int
) -> Float[Array, ""]:
    """The expected loss of a difference of impulse responses.

    Args:
        difference: Difference at ages ``0 ... length - 1``, or at ages
            ``1 - length ... length - 1`` if one response is bidirectional.
        process: Process of each input channel.
        length: Number of steps ``T`` of a sequence.

    Raises:
        ValueError: If there are neither ``length`` nor ``2 length - 1`` ages, or if
            ``process`` has no possible autocovariance.
    """
    count = len(difference)
    if count not in (length, 2 * length - 1):
        raise ValueError(f"need {length} or {2 * length - 1} ages, got {count}")
    ages = np.arange(length - count, length)
    dtype = difference.dtype
    if is_white(process, length):
        weights = process.autocovariance(np.arange(1)) * (length - abs(ages)) / length
        weight = jnp.asarray(weights, dtype)
        return jnp.einsum("j,joi,joi->", weight, difference, difference) / 2
    form = jnp.asarray(age_weights(process, length, ages, ages), dtype)
    weighed = jnp.einsum("jk,koi->joi", form, difference)
    return jnp.sum(difference * weighed) / 2


def is_white(process: Stationary, length: int) -> bool:
    """True if inputs fewer than ``length`` steps apart are uncorrelated."""
    return not _covariances(process, length)[1:].any()


def _covariances(process: Stationary, length: int) -> Float[np.ndarray, " lags"]:
    """The autocovariance at all lags below ``length``, after a check."""
    require_process(process)
    covariance = np.asarray(process.autocovariance(np.arange(length)))
    require_autocovariance(covariance, length)
    return covariance


def age_weights(
    process: Stationary,
    length: int,
    first: Int[np.ndarray, " n"],
    second: Int[np.ndarray, " m"],
) -> Float[np.ndarray, "n m"]:
    """The weight ``n(j, k) R(j - k) / T`` of each pair of ages in the mean loss.

    Args:
        process: Process of each input channel.
        length: Number of steps ``T`` of a sequence.
        first: Ages ``j``.
        second: Ages ``k``.

    Returns:
        A row for each age ``j`` and a column for each age ``k``.
    """
    j, k = np.meshgrid(first, second, indexing="ij")
    steps = length - np.maximum(np.maximum(j, k), 0) + np.minimum(np.minimum(j, k), 0)
    lags = np.minimum(abs(j - k), length - 1)  # farther ages never meet
    covariance = _covariances(process, length)
    return np.maximum(steps, 0) * covariance[lags] / length


def _two_sided(
    response: Float[Array, "ages d_out d_in"], target: Float[Array, "time d_out d_in"]
) -> Float[Array, "ages d_out d_in"]:
    """Response of the student minus that of a causal teacher, at the student's ages."""
    return response.at[len(response) - len(target) :].add(-target)
