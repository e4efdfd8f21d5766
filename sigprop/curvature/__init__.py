"""Curvature of the expected loss: exact Hessians, their structure, and large models.

Why do diagonal recurrences train?  Because their Hessian is sharp along few parameters at
a time.  It is exact here, at any parameters, for every linear layer and input, and for
sequences of any length.  One response, two parametrisations:

    >>> import jax
    >>> from sigprop import double_precision
    >>> from sigprop.curvature.hessian import expand
    >>> from sigprop.curvature.lanczos import participation
    >>> from sigprop.curvature.structure import eigenpairs
    >>> from sigprop.curvature.twins import twin
    >>> from sigprop.tasks.teacher_student import linear_teacher, teacher_student
    >>> with double_precision(True):
    ...     rnn = linear_teacher(jax.random.key(1), nu0=0.99, size=4)
    ...     task = teacher_student(rnn, length=None)  # infinitely long sequences
    ...     for network in (rnn, twin(rnn, "LRU")):
    ...         sharpest = eigenpairs(expand(task, network).hessian).vectors[:1]
    ...         print(f"{participation(sharpest)[0]:.1f} of {sharpest.size} parameters")
    4.4 of 25 parameters
    1.2 of 29 parameters

``expand(..., route="gramian")`` and ``route="autodiff"`` reach the same matrix without the
closed form; ``lanczos`` estimates spectra and traces of deep networks, with error bars.
"""
