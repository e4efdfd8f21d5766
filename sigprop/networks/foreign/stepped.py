"""Layers with ``lam = exp(-softplus(bias) exp(A_log))``, whose step size is a softplus."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sigprop.networks.foreign.family import Arrays, Options, Rest, Spelling, softplus

MODULUS = "exp(-exp({first}) softplus({last}))"


def stepped(arrays: Arrays, options: Options) -> Rest:
    """Return the recurrence at rest, with a row for each head or channel.

    Args:
        arrays: Arrays ``A_log`` and ``bias``, and ``heads``, the number of rows of
            ``A_log``.
        options: Options of the layer, which are not used.

    Raises:
        ValueError: If the size of ``bias`` is not a multiple of the number of rows.
    """
    log = arrays["A_log"].reshape(arrays["heads"], -1)
    if arrays["bias"].size % len(log):
        raise ValueError(
            f"need a step for each of {len(log)} heads or channels, got "
            f"{arrays['bias'].size}"
        )
    steps = softplus(arrays["bias"]).reshape(arrays["heads"], -1)
    return Rest(
        nu=np.exp(log) * steps,
        steps=steps,
        shared=log.shape[1] > 1,
        moved=True,
    )


def headed(**names: str) -> Any:
    """Return a function from arrays by a library's names to arrays by the family's names.

    It also sets ``heads``, the number of rows of ``A_log``.

    Args:
        **names: The library's name for each of the family's names.
    """

    def roles(arrays: Arrays) -> Arrays:
        by_role: dict[str, Any] = {
            role: arrays[name] for role, name in names.items() if name in arrays
        }
        a = by_role["A_log"]
        by_role["heads"] = a.size if a.ndim != 2 else a.shape[0]
        if "x" in by_role:
            rank, n = by_role["V"].shape[1], a.shape[1]
            x = by_role.pop("x")
            by_role |= {"U": x[:rank], "W_B": x[rank : rank + n], "W_C": x[rank + n :]}
        return by_role

    return roles


def heads(
    library: str,
    needs: Mapping[str, str],
    may: Mapping[str, str] | None = None,
    *,
    never: tuple[str, ...] = (),
    moves: tuple[str, ...] = (),
    starts: Mapping[str, float] | None = None,
    names: tuple[str, str] = ("A_log", "dt_bias"),
) -> Spelling:
    """Return a spelling with a logarithmic rate and a step bias for each head.

    Args:
        library: Name of the library.
        needs: Shapes of required arrays by name, which extend or replace those of
            ``names``.
        may: Shapes of optional arrays by name.
        never: Ends of names that belong to another family.
        moves: Names of the matrices by which the decay depends on inputs.
        starts: Initial value of all entries of an array in the library, by its name.
        names: Names of the logarithmic rate and of the bias.
    """
    log, bias = names
    return Spelling(
        library,
        {log: "h", bias: "h", **needs},
        may or {},
        never=never,
        roles=headed(A_log=log, bias=bias),
        slow=names,
        decay=names,
        logs=(log,),
        moves=moves,
        starts=starts or {},
    )
