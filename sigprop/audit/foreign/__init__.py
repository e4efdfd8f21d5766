"""Checkpoints of other libraries over the user's own series: theory beside measurement.

A checkpoint says what a layer computes, not what enters it; a series stands for that.  Of
each layer modes from the slowest to the fastest are run over its windows, and what is
measured stands beside what closed forms predict, one assumption more at a time:

- *linear* layers in the coordinates of their modes, driven through their own ``B``;
- *gated* layers whose gates see the input alone neuron by neuron, through their gates;
- all others *at rest*, as if no input moved their decay.

``audit_checkpoint`` gives a ``Checked``; ``report`` makes text, JSON and arrays of it.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.audit.foreign.check import Checked as Checked
    from sigprop.audit.foreign.check import LayerChecked as LayerChecked
    from sigprop.audit.foreign.check import Limits as Limits
    from sigprop.audit.foreign.check import audit_checkpoint as audit_checkpoint

export(__name__)
