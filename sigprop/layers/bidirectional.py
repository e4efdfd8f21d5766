"""Base of the layers that read a sequence from both of its ends."""

from typing import Any, ClassVar, NoReturn

from jaxtyping import Array, Float

from sigprop.layers.base import Layer


class Bidirectional(Layer):
    """A layer of two recurrences, one for each direction of time.

    Row ``t`` of its states holds the forward state, which depends on ``u_1 ... u_t``,
    and then the backward state, which depends on ``u_t ... u_time``.
    """

    causal: ClassVar[bool] = False

    def step(self, state: Any, u: Float[Array, " d_in"]) -> NoReturn:
        """Refuse: the output at a step needs the inputs after it.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            f"need the whole sequence: an output of {type(self).__name__} depends on "
            "the inputs after it, so there is no step; call the layer on all inputs"
        )
