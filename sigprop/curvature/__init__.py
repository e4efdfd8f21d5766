"""Curvature of the expected loss: exact Hessians, their structure, and large models.

Diagonal recurrences train well because each sharp direction of their loss involves few
parameters.  The functions below compute the Hessian exactly, for every linear layer at any
parameters, any stationary input, and sequences of any length.  This example compares a
dense recurrence with an LRU that has the same response.  It prints the number of parameters
over which the sharpest eigenvector is spread:

    >>> import jax
    >>> from sigprop import double_precision
    >>> from sigprop.curvature import eigenpairs, expand, participation, twin
    >>> from sigprop.tasks import linear_teacher, teacher_student
    >>> with double_precision(True):
    ...     rnn = linear_teacher(jax.random.key(1), nu0=0.99, size=4)
    ...     task = teacher_student(rnn, length=None)  # infinitely long sequences
    ...     for network in (rnn, twin(rnn, "LRU")):
    ...         sharpest = eigenpairs(expand(task, network).hessian).vectors[:1]
    ...         print(f"{participation(sharpest)[0]:.1f} of {sharpest.size} parameters")
    4.4 of 25 parameters
    1.2 of 29 parameters

``expand(..., route="gramian")`` and ``route="autodiff"`` compute the same matrix without the
closed form.  ``quadrature`` estimates spectra and traces of large networks, with standard
errors.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.curvature.hessian import expand as expand
    from sigprop.curvature.lanczos import estimate as estimate
    from sigprop.curvature.lanczos import participation as participation
    from sigprop.curvature.lanczos import quadrature as quadrature
    from sigprop.curvature.layout import Expansion as Expansion
    from sigprop.curvature.products import GaussNewton as GaussNewton
    from sigprop.curvature.products import Hessian as Hessian
    from sigprop.curvature.products import gauss_newton as gauss_newton
    from sigprop.curvature.products import hessian as hessian
    from sigprop.curvature.structure import couplings as couplings
    from sigprop.curvature.structure import eigenpairs as eigenpairs
    from sigprop.curvature.structure import measured_bound as measured_bound
    from sigprop.curvature.structure import off_diagonal_share as off_diagonal_share
    from sigprop.curvature.structure import preconditioned as preconditioned
    from sigprop.curvature.structure import row_norms as row_norms
    from sigprop.curvature.structure import stability_bound as stability_bound
    from sigprop.curvature.twins import twin as twin

export(__name__)
