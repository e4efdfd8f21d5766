"""Exact statements: symbols, derivations and claims.

The modules import only SymPy, mpmath and the standard library.
"""

import os

# Number of results that SymPy caches per function.  The default of a thousand is too
# small for derivations.  SymPy reads this when it is imported.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
