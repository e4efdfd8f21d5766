"""Future states of a linear map, predicted only from its eigenfunctions.

Source: Orvieto et al. (2023), Appendix E.1.2.
"""

import numpy as np
import scipy
from jaxtyping import Complex


def modes_predict(
    matrix: Complex[np.ndarray, "n n"], begin: Complex[np.ndarray, " n"], k: int
) -> complex:
    """First coordinate after ``k`` steps, predicted by the eigenfunctions."""
    rows, powers = [], []
    for value in np.unique(np.round(np.diag(matrix), 12)):
        space = scipy.linalg.null_space(
            (matrix - value * np.eye(len(matrix))).T, rcond=1e-10
        )
        rows += list(space.T)
        powers += [value**k] * space.shape[1]
    functions = np.array(rows)
    coordinate = np.eye(len(matrix))[0]
    V = np.linalg.lstsq(functions.T, coordinate, rcond=None)[0]
    return complex(V @ (np.array(powers) * (functions @ begin)))
