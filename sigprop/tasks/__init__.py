"""Tasks for the training of networks: data and losses.

``load_task`` loads a classification task by its name:

====================  =================================================================
``digits``            1797 images of 64 pixels, part of scikit-learn
``listops``           values of nested expressions of up to 2000 tokens; generated, or
                      read from ``basic_*.tsv``; ``listops-short``: up to 127 tokens
``pathfinder``        images of two discs on one dashed curve or on two, 1024 pixels;
                      generated, or read from the released folders; ``pathx``: 16384
                      pixels; ``pathfinder-short``: 256 pixels
``smnist``            MNIST digits of 784 pixels, from the IDX files; ``psmnist``: in a
                      permuted order; with ``-10k``: images of the MNIST test part only
``scifar``            CIFAR-10 images of 1024 pixels in colour; ``image``: in grey
``text``              film reviews, one character a step, from the folder ``aclImdb``
``retrieval``         pairs of papers, one character a step, from the tables of AAN
``speech``            35 commands of Speech Commands, one audio sample a step
``fsdd``              ten spoken digits of FSDD, one audio sample a step
====================  =================================================================

Data sets are read from files in their original formats; nothing is downloaded.  Large data
sets are converted once, in the user's cache folder, and memory-mapped from there.

Forecasting tasks cut a table of regular times (``Table``) into windows (``Forecasts``).
Four baselines need no network.  Here linear least squares has a smaller error than a
repetition of the last season:

    >>> from sigprop.tasks import NAIVE, Forecasts, carbon_dioxide, errors, least_squares
    >>> forecasts = Forecasts(carbon_dioxide(), length=104, horizon=26)
    >>> windows = forecasts.windows("test")
    >>> naive = errors(NAIVE["season"](forecasts, windows), windows.targets)
    >>> errors(least_squares(forecasts)(windows.inputs), windows.targets).mse < naive.mse
    True

The module ``tasks.sequences`` makes sequences of vectors for networks that are not trained:
embeddings of text from a file, synthetic ones like them, tokens, or windows of a table.

Linear teachers need no sampled data.  If student and teacher are linear, the expected loss
over any stationary input is a quadratic form of the difference of their impulse responses.
A training step on this exact loss takes a small fraction of a millisecond:

    >>> import math, jax
    >>> from sigprop import AR1
    >>> from sigprop.layers import zucchet_lru
    >>> from sigprop.tasks import linear_teacher, teacher_student
    >>> from sigprop.training import Optimiser, advance, start
    >>> key = jax.random.key(0)
    >>> task = teacher_student(linear_teacher(key, nu0=0.9), AR1(0.5), length=300)
    >>> student = zucchet_lru(64, 1, key=key, nu0=0.9, theta0=math.pi)
    >>> adam = Optimiser(steps=1000)
    >>> run = start(student, adam, 1e-2, key)
    >>> run, losses = jax.jit(
    ...     lambda run: advance(run, lambda one, _: task.loss(one), adam, 1000)
    ... )(run)
    >>> bool(losses[-1] < 1e-2 * losses[0])
    True
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.tasks.baselines import NAIVE as NAIVE
    from sigprop.tasks.baselines import climatology as climatology
    from sigprop.tasks.baselines import last_value as last_value
    from sigprop.tasks.baselines import least_squares as least_squares
    from sigprop.tasks.baselines import season as season
    from sigprop.tasks.catalogue import load_task as load_task
    from sigprop.tasks.examples import Batch as Batch
    from sigprop.tasks.examples import DataSet as DataSet
    from sigprop.tasks.examples import Examples as Examples
    from sigprop.tasks.examples import accuracy as accuracy
    from sigprop.tasks.examples import evaluation_batches as evaluation_batches
    from sigprop.tasks.forecasts import Errors as Errors
    from sigprop.tasks.forecasts import Forecasts as Forecasts
    from sigprop.tasks.forecasts import Windows as Windows
    from sigprop.tasks.forecasts import errors as errors
    from sigprop.tasks.forecasts import splits as splits
    from sigprop.tasks.one_dimensional import Coordinates as Coordinates
    from sigprop.tasks.one_dimensional import OneDimensional as OneDimensional
    from sigprop.tasks.one_dimensional import Parametrisation as Parametrisation
    from sigprop.tasks.tables import Table as Table
    from sigprop.tasks.tables import carbon_dioxide as carbon_dioxide
    from sigprop.tasks.tables import load_table as load_table
    from sigprop.tasks.tables import read_table as read_table
    from sigprop.tasks.teacher_student import TeacherStudent as TeacherStudent
    from sigprop.tasks.teacher_student import linear_teacher as linear_teacher
    from sigprop.tasks.teacher_student import teacher_student as teacher_student

export(__name__)
