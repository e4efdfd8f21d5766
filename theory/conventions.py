"""The conventions of this suite, each written once, and the rows where papers depart."""

from typing import NamedTuple


class Convention(NamedTuple):
    """One choice, and the ids of statements that make another or mix several."""

    subject: str
    choice: str
    departures: tuple[str, ...]


CONVENTIONS = (
    Convention(
        "Derivative with respect to a complex parameter",
        "The Wirtinger derivative d/dz = (d/d Re z - i d/d Im z)/2 has its factor 1/2. "
        "The chain rule to real parameters has no such factor. Our programs differentiate "
        "with respect to real and imaginary parts.",
        ("zucchet:80", "zucchet:116", "zucchet:126", "zucchet:148"),
    ),
    Convention(
        "Index of the input",
        "The recurrence is h_{t+1} = lambda h_t + x_{t+1}, so the newest input has weight one. "
        "The state before the first input is zero.",
        ("zucchet:8", "zucchet:17", "zucchet:53", "zucchet:113", "lru:4", "lru:31"),
    ),
    Convention(
        "Autocovariance",
        "The autocovariance is R(Delta) = E[x_{t+Delta} conj(x_t)]. It is even for real "
        "inputs, which all papers use.",
        ("zucchet:44", "zucchet:54"),
    ),
    Convention(
        "Variance of a complex number",
        "The variance is E|z|^2, the sum of the variances of real and imaginary part.",
        ("lru:text:factor-two",),
    ),
    Convention(
        "Normal distribution",
        "The second argument of N(mean, variance) is the variance.",
        ("zucchet:footnote1",),
    ),
    Convention(
        "Fourier transform",
        "The forward transform has exp(-i omega t), with the angular frequency omega. We fix "
        "no prefactor. If a statement holds for one prefactor only, we say so.",
        ("lru:8", "lru:10", "lru:14", "lru:15", "lru:16"),
    ),
)
