"""Layers whose step is a softplus: ``lam = exp(-softplus(bias) exp(A_log))``."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sigprop.networks.foreign.family import Arrays, Options, Rest, Spelling, softplus

MODULUS = "exp(-exp({first}) softplus({last}))"


def stepped(arrays: Arrays, options: Options) -> Rest:
    """The recurrence at rest, one head or channel a row.

    Args:
        arrays: ``A_log``, ``bias``, and ``heads``, how many rows ``A_log`` has.
        options: None are read.

    Raises:
        ValueError: If there is no step for each row.
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
    """From arrays to roles by name, with the number of rows of ``A_log``.

    Args:
        **names: The name of the array of each role.
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
    """A spelling with a logarithm and a step for each head.

    Args:
        library: Whose names they are.
        needs: Shapes of what makes the family known beside ``names``, or instead of them.
        may: Shapes of what need not be there.
        never: Ends of names that belong to another family.
        moves: Matrices through which inputs move the decay.
        starts: Numbers with which the library starts all of an array.
        names: Names of the logarithm and of the step.
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
