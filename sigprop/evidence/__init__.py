"""Evidence for the rows of the papers, by computations that use no closed form.

The files correspond to those of ``sigprop.theory.papers``:
``evidence/zucchet/landscape/modulus.py`` judges the rows of
``theory/papers/zucchet/landscape/modulus.py``.  Its table ``EVIDENCE`` maps the id of
each row to the evidence for it.  Rows that are not in the table have no truth value.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sigprop.judge.basis import Basis, Row
from sigprop.theory.claims import find, home

if TYPE_CHECKING:
    import xarray as xr

Load = Callable[[str], "xr.Dataset"]  # from a sweep's name to its result


def nothing_stored(sweep: str) -> "xr.Dataset":
    """Reader of stored results for the case that there are none.

    Raises:
        FileNotFoundError: Always.
    """
    raise FileNotFoundError(f"need a reader of stored results to judge by {sweep!r}")


def row(claim_id: str, load: Load = nothing_stored) -> Row:
    """A claim with the evidence for it.

    Args:
        claim_id: Id of the claim.
        load: Reads the stored result of a sweep, for rows that an experiment decides.

    Raises:
        KeyError: If there is no such claim; the message suggests the nearest id.
    """
    claim = find(claim_id)
    basis = table(home(claim.id)).get(claim.id)
    return Row(claim, basis(load) if callable(basis) else basis)


def table(part: str) -> Mapping[str, Basis | Callable[[Load], Basis]]:
    """Return the evidence for the rows of a module of ``sigprop.theory.papers``, by id.

    For rows that stored results decide, the evidence is a function of the reader of
    results.
    """
    module = part.removeprefix("sigprop.theory.papers.")
    try:
        return importlib.import_module(f"sigprop.evidence.{module}").EVIDENCE
    except ModuleNotFoundError as error:
        if not f"sigprop.evidence.{module}.".startswith(f"{error.name}."):
            raise
        return {}
