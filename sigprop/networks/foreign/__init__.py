"""Recurrent layers in the checkpoints of other libraries, found by the names of arrays.

No code of a checkpoint is executed.

    >>> import numpy as np
    >>> from sigprop.networks.foreign import find, of_arrays
    >>> arrays = {"params/encoder/seq/nu_log": np.log(np.array([0.01, 0.1]))}
    >>> arrays["params/encoder/seq/theta_log"] = np.zeros(2)
    >>> (found,) = find(of_arrays(arrays))
    >>> found.family.title, found.prefix, (1 / found.rest().nu).round().tolist()
    ('the LRU', 'params.encoder.seq', [[100.0, 10.0]])

``open_checkpoint`` reads the header of a file.  ``ForeignLayer.layer`` builds a layer of
sigprop with the parameters of the file.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.networks.foreign.family import Family as Family
    from sigprop.networks.foreign.family import Rest as Rest
    from sigprop.networks.foreign.find import FAMILIES as FAMILIES
    from sigprop.networks.foreign.find import ForeignLayer as ForeignLayer
    from sigprop.networks.foreign.find import Named as Named
    from sigprop.networks.foreign.find import Skipped as Skipped
    from sigprop.networks.foreign.find import Survey as Survey
    from sigprop.networks.foreign.find import find as find
    from sigprop.networks.foreign.find import of_arrays as of_arrays
    from sigprop.networks.foreign.find import survey as survey
    from sigprop.networks.foreign.mapping import mapped as mapped
    from sigprop.networks.foreign.opening import open_checkpoint as open_checkpoint
    from sigprop.networks.foreign.tensors import Checkpoint as Checkpoint
    from sigprop.networks.foreign.tensors import Tensor as Tensor

export(__name__)
