"""The conventions of this suite, each written once, and the rows where papers depart."""

from typing import NamedTuple


class Convention(NamedTuple):
    """One choice, and the ids of statements that make another or mix several."""

    subject: str
    choice: str
    departures: tuple[str, ...]


CONVENTIONS = (
    Convention(
        "Derivative by a complex parameter",
        "Wirtinger's, with the half: d/dz = (d/d Re z - i d/d Im z)/2; the chain rule to "
        "real parameters has no half. Complex code is differentiated in its real "
        "coordinates.",
        ("zucchet:80", "zucchet:116", "zucchet:126", "zucchet:148"),
    ),
    Convention(
        "Index of the input",
        "h_{t+1} = lambda h_t + x_{t+1}: the newest input has age 0 and enters "
        "unweighted; the state before the first input is zero.",
        ("zucchet:17", "zucchet:53", "zucchet:113", "lru:4", "lru:31"),
    ),
    Convention(
        "Autocovariance",
        "R(Delta) = E[x_{t+Delta} conj(x_t)], even for the real inputs that all papers "
        "use.",
        ("zucchet:44",),
    ),
    Convention(
        "Variance of a complex number",
        "E|z|^2, the sum of the variances of the real and the imaginary part.",
        ("lru:text:halved-variance",),
    ),
    Convention(
        "Normal distribution",
        "N(mean, variance).",
        ("zucchet:text:outer-radius", "zucchet:text:footnote-1"),
    ),
    Convention(
        "Fourier transform",
        "exp(-i omega t) forward, in angular frequency; the prefactor stays open, so that "
        "a statement can be seen to need one.",
        ("lru:8", "lru:10", "lru:14", "lru:15", "lru:16"),
    ),
)
