"""Audit of checkpoints of other libraries: measured and predicted moments on your series.

A checkpoint has the weights of a layer, but not its inputs.  A series of yours replaces
the inputs.  Some modes of each layer, from the slowest to the fastest, are run over the
windows of the series.  The measured moments are compared with closed forms, and each
prediction makes one more assumption.  A layer is run in one of three ways:

- *linear* layers: mode by mode, with inputs through the matrix ``B`` of the layer;
- *gated* layers, if the gates depend only on the input: neuron by neuron, with the gates;
- all other layers *at rest*: with the decay that they have at zero input.

``audit_checkpoint`` returns a ``Checked``.  The module ``report`` turns it into text, JSON
and arrays.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.audit.foreign.check import Checked as Checked
    from sigprop.audit.foreign.check import LayerChecked as LayerChecked
    from sigprop.audit.foreign.check import Limits as Limits
    from sigprop.audit.foreign.check import audit_checkpoint as audit_checkpoint

export(__name__)
