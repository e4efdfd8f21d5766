"""Base of the layers that read a sequence from both of its ends."""

from typing import Any, ClassVar, NoReturn

from jaxtyping import Array, Float

from sigprop.layers.base import Layer


class Bidirectional(Layer):
    """Base of the layers with two recurrences, one for each direction of time.

    Row ``t`` of the states holds the forward state, which depends on ``u_1 ... u_t``,
    followed by the backward state, which depends on ``u_t ... u_time``.
    """

    causal: ClassVar[bool] = False

    def step(self, state: Any, u: Float[Array, " d_in"]) -> NoReturn:
        """Raise an error, because an output also depends on later inputs.

        Raises:
            TypeError: In every call; call the layer on the whole sequence instead.
        """
        raise TypeError(
            f"need the whole sequence: an output of {type(self).__name__} depends on "
            "the inputs after it, so there is no step; call the layer on all inputs"
        )
